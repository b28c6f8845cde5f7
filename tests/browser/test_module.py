"""The rules as WebAssembly do what the native ones do: records, masks, observations, pay-offs, advice, redraws."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rfop_env
from rfop_env.browser.description import describe, describe_module
from rfop_env.browser.module import TASKS, rules_module
from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import MissingExtra
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.registry import get_game
from tests.browser.node import NODE, needs_node, run_node

pytestmark = [needs_node, pytest.mark.skipif(not JIT, reason="modules are compiled")]
PLAY = Path(__file__).parent / "play.mjs"
REDRAWN = 5  # every so many decisions

CASES = [
    *((env, {}) for env in rfop_env.list_games()),
    ("RedFlagOverParisSolo-v1", {"side": "versailles"}),
    ("Paris-v0", {"players": "2", "tokens": "random", "bonus_track": "random", "buildings": "variant"}),
    ("Paris-v0", {"players": "3", "memory": "perfect"}),
    ("LeveeEnMasse-v0", {"scenario": "historical", "levee": "on", "reserves": "on", "decisive": "on"}),
]


def played(env: str, options: dict[str, str], games: int, player: str) -> dict[str, object]:
    """Games of random play or of a scripted player, by the native rules, as `play.mjs` takes them."""
    game = get_game(env).under(options)
    components = game.load_components(None)
    rng = np.random.default_rng(len(env) + games)
    recorded = []
    for _ in range(games):
        seed = int(rng.integers(2**63))
        batch = GameBatch(game, 1, seed, options=options)
        entry: dict[str, object] = {"seed": str(seed), "actions": (actions := []), "digests": (digests := [])}
        entry |= {"advice": (advice := {}), "redraws": (redraws := {})}
        while not batch.states["over"][0]:
            k = len(actions)
            parts = batch.get_state().tobytes(), batch.action_mask.tobytes(), batch.observation.tobytes()
            digests.append(hashlib.sha1(b"".join(parts)).hexdigest())
            advice[k] = {
                number: int(scripted_actions(game, batch.get_state(), components, batch.action_mask, script.name)[0])
                for number, script in enumerate(game.scripted)
            }
            if k % REDRAWN == 0:
                guess = batch.clone()
                guess.determinize(int(batch.current_player[0]), k)
                redraws[k] = hashlib.sha1(guess.get_state().tobytes()).hexdigest()
            action = int(rng.choice(np.flatnonzero(batch.action_mask[0])))
            if player == "scripted" and advice[k] and rng.random() < 0.9:
                action = advice[k][0]
            actions.append(action)
            batch.step([action])
        returns = np.array([batch.game_returns(reward.name)[0] / reward.scale for reward in game.rewards])
        entry["payoffs"] = np.rint(returns).astype(int).T.tolist()
        recorded.append(entry)
    module = base64.b64encode(rules_module(game)).decode()
    return {"description": describe(game, options, components), "module": module, "games": recorded}


def compare(tmp_path: Path, env: str, options: dict[str, str], games: int, player: str) -> int:
    """Play them again in Node; returns the number of decisions."""
    report = run_node(PLAY, played(env, options, games, player), tmp_path)
    assert not any(report["different"].values()), report
    return int(report["decisions"])


@pytest.mark.many_games
@pytest.mark.parametrize("player", ["random", "scripted"])
@pytest.mark.parametrize(("env", "options"), CASES, ids=lambda value: str(value))
def test_whole_games_are_the_same(tmp_path: Path, env: str, options: dict[str, str], player: str) -> None:
    assert compare(tmp_path, env, options, 3, player) > 60


@pytest.mark.slow
@pytest.mark.parametrize("env", rfop_env.list_games())
def test_100_000_positions_are_the_same(tmp_path: Path, env: str) -> None:
    decisions = 0
    while decisions < 100_000:
        decisions += compare(tmp_path, env, {}, 100, "scripted" if decisions % 2 else "random")


def test_a_module_imports_nothing_and_its_description_names_its_parts() -> None:
    game = get_game("Revolution-v0")
    module = rules_module(game)
    described = describe_module(game, {}, game.load_components(None), module)
    assert module[:4] == b"\0asm"
    assert described["module"] == hashlib.sha256(module).hexdigest()
    assert list(described["tasks"]) == list(TASKS)
    assert described["fields"]["over"]["shape"] == []
    assert len(described["action_table"]) == game.actions.size
    assert sum(piece["entries"] for piece in described["observation_pieces"]) == game.observation.size
    assert NO_ACTION not in described["journal"].values()
    script = f"const m = new WebAssembly.Module(Buffer.from('{base64.b64encode(module).decode()}', 'base64'));"
    script += "console.log(WebAssembly.Module.imports(m).length)"
    run = subprocess.run([NODE or "", "-e", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "0"


def test_without_a_linker_one_sentence_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from rfop_env.compiler import webassembly

    monkeypatch.setattr(webassembly.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(webassembly.shutil, "which", lambda name: None)
    with pytest.raises(MissingExtra, match=r"rfop-env\[page\]"):
        webassembly.linker()
