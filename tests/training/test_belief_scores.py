"""Scores of belief heads: of what is hidden, over decisions, with intervals whose units are games."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rfop_agents.head_belief import HeadBelief
from rfop_agents.network import NetworkAgent, game_metadata, write_network
from rfop_env.registry import get_game
from rfop_training.evaluation.setting import Setting
from rfop_training.networks import DenseNetwork
from training.research.__main__ import main as research
from training.research.lab.belief_scores import mean_score, play_scored

GAME = get_game("RedFlagOverParis-v0")
SETTING = Setting(GAME.id)


def network(spread: float) -> NetworkAgent:
    torch.manual_seed(1)
    model = DenseNetwork(GAME, 16)
    model.add_belief(GAME, 8)
    torch.nn.init.normal_(model.belief.output.weight, std=spread)
    return NetworkAgent.from_weights(model.to_arrays(), "x")


def test_equal_odds_score_as_equally_probable_deals_and_random_ones_worse():
    beliefs = [HeadBelief(GAME, network(spread)) for spread in (0.0, 1.0)]
    flat, random = play_scored(SETTING, SETTING.agent("random"), beliefs, range(6))
    assert [score.piece for score in flat] == [score.piece for score in random]
    by_piece = {score.piece: score for score in random}
    assert {"hand", "aside", "own_objective"} <= by_piece.keys()
    for score in flat:
        assert score.head == pytest.approx(score.uniform) and score.half_width == pytest.approx(0, abs=1e-9)
    hand, objective = by_piece["hand"], by_piece["own_objective"]
    assert hand.head < hand.uniform < 0 and hand.half_width > 0 and hand.decisions > 200
    assert -np.log(12) <= objective.uniform < -np.log(6)


def test_means_are_over_decisions_and_intervals_over_games():
    sums = np.array([[2.0, -4.0, -2.0], [1.0, -1.0, -2.0], [0.0, 0.0, 0.0], [3.0, -6.0, -3.0]])
    score = mean_score("hand", sums)
    assert (score.decisions, score.uniform, score.head) == (6, -11 / 6, -7 / 6)
    residuals = np.array([2.0, -1.0, 0.0, 3.0]) - 4 / 6 * sums[:, 0]
    expected = 3.182446 * residuals.std(ddof=1) / 2 * 4 / 6  # Student's t with 3 degrees of freedom
    assert score.half_width == pytest.approx(expected, abs=1e-4)
    assert mean_score("aside", np.zeros((3, 3))).decisions == 0


def test_the_command_prints_a_table_for_each_head(tmp_path, capsys):
    layout, _ = GAME.observation.private()
    metadata = game_metadata(GAME, GAME.load_components(None)) | {"belief": [piece.name for piece in layout.pieces]}
    path = tmp_path / "x.safetensors"
    write_network(path, network(0.0).weights, metadata)
    words = ["belief-scores", "random", "--env", GAME.id, "--deals", "2"]
    assert research([*words, str(path), str(path)]) == 0
    text = capsys.readouterr().out
    assert text.count(f"| {path} | decisions | uniform deals | head | difference |") == 2
    assert "+0.000 ± 0.000" in text

    assert research([*words, "random"]) == 2
    assert "random is no network: give a run of rfop train ppo --belief 1" in capsys.readouterr().err
    assert research([*words, "red-flag/ppo-2"]) == 2
    assert "red-flag/ppo-2 has no belief head" in capsys.readouterr().err
