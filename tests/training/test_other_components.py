"""Networks in games of another component set than theirs: refused with the way to use them, or named for it."""

from pathlib import Path

import pytest

import rfop_agents
import rfop_env
from rfop_agents import baselines
from rfop_agents.network import OTHER_COMPONENTS, NetworkAgent, read_network
from rfop_env.cli.main import main as rfop
from rfop_env.core.errors import RfopError, VersionMismatch
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.players import AgentLoader, as_agent, load_agent
from rfop_env.registry import get_game
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.setting import Setting
from rfop_training import expert_iteration, maskable, ppo
from rfop_training.expert_iteration import ExpertArguments
from rfop_training.maskable import MaskableArguments
from rfop_training.ppo import PPOArguments
from rfop_training.run import RunFolder

GAME = get_game("Revolution-v0")
SMALL = str(GAME.folder / "components" / "small_board.toml")  # nine districts, most of whose full positions are faulty
NAME = "revolution/ppo-2"
REFUSED = r"trained for another component set of Revolution-v0: components .* instead of .*--any-components"
QUICK = {"env": GAME.id, "num_envs": 16, "evaluate_deals": 2, "width": 16, "quiet": True, "seed": 3}
TRAINERS = {
    "ppo": (
        ppo.train, PPOArguments,
        {"num_steps": 16, "minibatch_size": 128, "layers": 1, "pool_every": 1},
    ),
    "maskable": (maskable.train, MaskableArguments, {"num_steps": 16, "minibatch_size": 128}),
    "expert": (expert_iteration.train, ExpertArguments, {"simulations": 4, "layers": 1}),
}  # fmt: skip


@pytest.fixture
def own_set(tmp_path):
    """A set of one's own: another number of marked spaces."""
    path = tmp_path / "mine.toml"
    rows = "".join(
        f'[[markers]]\nside = "{side}"\ncount = 4\nprovenance = "reconstructed"\n' for side in ("Royalists", "Jacobins")
    )
    path.write_text(f'[set]\nname = "mine"\nversion = 1\n{rows}', encoding="utf-8")
    return str(path)


def test_a_network_of_another_set_is_refused_and_says_how_to_use_it():
    components = GAME.load_components(SMALL)
    for load in (load_agent, rfop_agents.load):
        with pytest.raises(VersionMismatch, match=REFUSED):
            load(NAME, GAME, components)
    with pytest.raises(VersionMismatch, match="any_components=True"):
        rfop_env.as_agent(NAME, GAME.id, SMALL)
    with pytest.raises(VersionMismatch, match=REFUSED):
        GameEnv(GAME.id, components=SMALL, opponent=NAME)
    path = baselines.baseline_path(NAME)
    with pytest.raises(VersionMismatch, match="rules 'revolution' instead of 'paris'") as error:
        NetworkAgent(path, get_game("Paris-v0"), get_game("Paris-v0").load_components(None), any_components=True)
    assert "--any-components" not in str(error.value), "another game is no matter of components"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (NAME, f"{NAME}{OTHER_COMPONENTS}"),
        (f"{NAME}@0.5", f"{NAME}@0.5{OTHER_COMPONENTS}"),
        (f"search-4+{NAME}", f"search-4+{NAME}{OTHER_COMPONENTS}"),
        (f"response-4:{NAME}", f"response-4:{NAME}{OTHER_COMPONENTS}"),
        ("scripted", "scripted"),
    ],
)
def test_its_name_says_so(name, shown):
    assert load_agent(name, GAME, GAME.load_components(SMALL), any_components=True).name == shown
    assert load_agent(name, GAME, GAME.load_components(None), any_components=True).name + (
        OTHER_COMPONENTS if "ppo" in name else ""
    ) == shown  # fmt: skip


def test_a_model_file_and_a_program_and_an_opponent(tmp_path):
    components = GAME.load_components(SMALL)
    path = baselines.baseline_path(NAME)
    agent = load_agent(str(path), GAME, components, any_components=True)
    assert agent.name.startswith("ppo-2#") and agent.name.endswith(OTHER_COMPONENTS)
    assert AgentLoader(any_components=True).load(NAME, GAME, components).gives_values
    env = GameEnv(GAME.id, components=SMALL, opponent=as_agent(NAME, GAME, SMALL, any_components=True))
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
    assert env.batch.opponent == f"{NAME}{OTHER_COMPONENTS}"


def test_rows_of_tables_have_the_name(own_set, capsys):
    rows = evaluate(GAME.id, [NAME, "random"], range(4), components=own_set, any_components=True)
    assert {row.agent for row in rows} == {f"{NAME}{OTHER_COMPONENTS}"}
    words = ["evaluate", NAME, "random", "--env", GAME.id, "--deals", "2", "--components", own_set]
    assert rfop(words) != 0 and "--any-components" in capsys.readouterr().err
    assert rfop([*words, "--any-components"]) == 0 and f"| {NAME}{OTHER_COMPONENTS} |" in capsys.readouterr().out
    assert Setting(GAME.id, components=own_set, any_components=True).agent(NAME).other_components


@pytest.mark.parametrize("command", [["watch", GAME.id, NAME, "scripted"], ["play", GAME.id, "--opponent", NAME]])
def test_games_at_the_terminal(command, own_set, capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt="": "q")
    assert rfop([*command, "--seed", "1", "--components", own_set]) != 0
    assert "--any-components" in capsys.readouterr().err
    assert rfop([*command, "--seed", "1", "--components", own_set, "--any-components"]) == 0


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_run_goes_on_after_a_change_of_its_own_set(trainer, own_set, tmp_path):
    train, kind, extra = TRAINERS[trainer]
    settings = {**QUICK, **extra, "run": tmp_path / "run", "components": own_set}
    train(kind(**settings, steps=400))
    run = RunFolder(tmp_path / "run")
    old_weights, metadata = read_network(run.model)

    Path(own_set).write_text(Path(SMALL).read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(VersionMismatch, match=REFUSED):
        train(kind(**settings, steps=900, resume=True))
    train(kind(**settings, steps=900, resume=True, any_components=True))
    new_weights, changed = read_network(run.model)
    assert changed["steps"] >= 900 > metadata["steps"] and changed["components"] != metadata["components"]
    assert any((old_weights[name] != new_weights[name]).any() for name in old_weights)

    # The run is now one of the changed set.
    train(kind(**settings, steps=1300, resume=True))
    assert read_network(run.model)[1]["components"] == GAME.load_components(SMALL).digest


def test_a_run_begins_from_a_network_of_another_set(tmp_path):
    path = ppo.train(PPOArguments(run=tmp_path / "first", steps=200, **QUICK, layers=1))
    settings = {**QUICK, "layers": 1, "components": SMALL, "init_from": str(path), "opponents": f"self=0.5,{path}=0.5"}
    with pytest.raises(RfopError, match=REFUSED):
        ppo.train(PPOArguments(run=tmp_path / "second", steps=200, **settings))
    ppo.train(PPOArguments(run=tmp_path / "third", steps=200, **settings, any_components=True))
    maskable.train(
        MaskableArguments(
            run=tmp_path / "fourth", steps=200, **QUICK, num_steps=16, minibatch_size=128, components=SMALL,
            opponent=f"scripted=0.5,{path}=0.5", reward="outcome=0.5,margin=0.5", any_components=True,
        )
    )  # fmt: skip
