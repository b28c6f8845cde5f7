"""The programs of a page choose what the native ones choose: networks, searches with rollouts and with a network."""

from __future__ import annotations

import base64
import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rfop_agents.network import NetworkAgent
from rfop_agents.search.browser import describe_search
from rfop_agents.search.forest import Forest
from rfop_agents.search.settings import search_settings
from rfop_env.browser.description import describe
from rfop_env.browser.module import rules_module
from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.players import agent_names, page_program
from rfop_env.registry import get_game, list_games
from tests.browser.node import NODE, needs_node, run_node

JUDGE = Path(__file__).parent / "judge.mjs"
SIMULATIONS = 64
DECISIONS = 40  # random ones before a position
ROUNDING = 1e-3  # of logits, between float32 and float64: nearer ones may change places
TREES_APART = (
    0.3  # of the guided searches: actions that mirror each other have equal priors, which rounding tells apart
)
pytestmark = [needs_node, pytest.mark.skipif(not JIT, reason="modules are compiled")]

CASES = [(env, name) for env in list_games() for name in agent_names(get_game(env)) if "/" in name]


def judged_in_node(tmp_path: Path, env: str, name: str, count: int, searched: int) -> dict[str, Any]:
    """Choices of a network, and visits of searches with rollouts and with that network, in Node and by ourselves."""
    game = get_game(env)
    components = game.load_components(None)
    program = page_program(f"search-{SIMULATIONS}+{name}", game, components)
    ((file, network_bytes),) = program.networks.items()
    path = tmp_path / file
    path.write_bytes(network_bytes)
    network = NetworkAgent(path, game, components)

    batch = GameBatch(game, count, len(name), autoreset=True)
    for _ in range(DECISIONS):
        batch.step_random(1)
    keys = np.random.default_rng(1).integers(0, 2**32, count)
    logits, values = network.evaluate(batch.observation, batch.action_mask)
    settings = replace(search_settings(game), simulations=SIMULATIONS)
    native = []
    for guide in (None, network):
        forest = Forest(game, components, batch.get_state()[:searched], keys[:searched], settings, SIMULATIONS, guide)
        forest.simulate(SIMULATIONS)
        native.append(forest.action_statistics()[0])

    content = {
        "description": describe(game, {}, components),
        "network": encode(network_bytes),
        "module": encode(program.files["search.wasm"]),
        "searches": [
            {"guided": guided, "search": describe_search(game, settings, network.rewards if guided else None)}
            for guided in (False, True)
        ],
        "searched": searched,
        "positions": [
            {
                "record": encode(record.tobytes()),
                "observation": encode(observation.tobytes()),
                "seat": int(record["player"]),
                "key": int(key),
            }
            for record, observation, key in zip(batch.get_state(), batch.observation, keys, strict=True)
        ],
    }
    report: dict[str, Any] = run_node(JUDGE, content, tmp_path)
    report |= {"logits": logits, "values": values, "mask": batch.action_mask, "native": native}
    return report


def encode(data: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode()


def compare(tmp_path: Path, env: str, name: str, count: int, searched: int) -> None:
    """Assert equal choices but for near ties, values within rounding, and equal trees but for ties between them."""
    report = judged_in_node(tmp_path, env, name, count, searched)
    mask, logits = report["mask"], np.where(report["mask"], report["logits"], -np.inf)
    page = np.where(mask, np.array([row["logits"] for row in report["judged"]]), -np.inf)
    choices, page_choices = logits.argmax(axis=1), page.argmax(axis=1)
    rows = np.flatnonzero(choices != page_choices)
    assert (logits[rows, choices[rows]] - logits[rows, page_choices[rows]] < ROUNDING).all()
    np.testing.assert_allclose([row["value"] for row in report["judged"]], report["values"], atol=ROUNDING)
    np.testing.assert_allclose(page[mask], logits[mask], atol=ROUNDING)

    with_rollouts, guided = [
        [list(row) == visits for row, visits in zip(rows, page_rows, strict=True)]
        for rows, page_rows in zip(report["native"], report["visits"], strict=True)
    ]
    assert all(with_rollouts)
    assert np.mean(guided) >= 1 - TREES_APART


@pytest.mark.parametrize(("env", "name"), CASES)
def test_a_network_and_searches_of_a_page_are_the_native_ones(tmp_path: Path, env: str, name: str) -> None:
    compare(tmp_path, env, name, 100, 8)


@pytest.mark.slow
@pytest.mark.parametrize(("env", "name"), CASES)
def test_10_000_positions_are_judged_alike(tmp_path: Path, env: str, name: str) -> None:
    compare(tmp_path, env, name, 10_000, 200)


def test_a_module_of_other_sources_is_refused_in_one_sentence(tmp_path: Path) -> None:
    game = get_game("Revolution-v0")
    description = describe(game, {}, game.load_components(None)) | {"sources": "0" * 20}
    content = {"description": description, "module": encode(rules_module(game)), "games": []}
    file = tmp_path / "games.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    run = subprocess.run([NODE or "", JUDGE.with_name("play.mjs"), file], capture_output=True, text=True, check=False)
    assert "these rules and their description are of different sources: build both again" in run.stderr
