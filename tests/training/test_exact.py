"""End games solved exactly: against a search by hand and on a graph with known values; CFR+; the command."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import replace

import numpy as np
import pytest

from training.research.__main__ import main as research
import rfop_agents
from rfop_agents import baselines
from rfop_env.agent import Agent
from rfop_env.agent import RandomAgent
from training.research.generator.blocks import BLOCKS
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_training.common.records import read_records
from training.research.lab import end_games, exact
from rfop_training.evaluation.setting import Setting, display_names

GAME = get_game("Revolution-v0")


def roots(left: int, games: int = 12) -> GameBatch:
    return end_games.EndGames(Setting("Revolution-v0"), "scripted", left, games).positions()


def solved(batch: GameBatch, players=()) -> list[exact.Layer]:
    return exact.solve(batch, players, 100_000, "outcome", 0)


def by_hand(batch: GameBatch) -> np.ndarray:
    """The returns of both seats in the one game of a batch, by trying every move."""
    legal = np.flatnonzero(batch.action_mask[0])
    if not len(legal):
        return batch.game_returns("outcome")[0]
    results = []
    for action in legal:
        tried = batch.clone()
        tried.step([action])
        results.append(by_hand(tried))
    return max(results, key=lambda returns: returns[batch.current_player[0]])


def test_best_play_is_that_of_a_search_by_hand():
    late = roots(6)
    found = exact.values(solved(late))[0]
    batch = GameBatch(GAME, 1, 0)
    for game, value in enumerate(found[:8]):
        batch.copy_from(late, [game], [0])
        np.testing.assert_allclose(by_hand(batch), value)
    assert late.num_games >= 8 and len(np.unique(found)) > 1


def test_positions_that_several_orders_of_moves_reach_are_one():
    layers = solved(roots(8))
    joined = [len(layer.parent) - len(np.unique(layer.child)) for layer in layers[:-1]]
    assert sum(joined) > 50
    assert all(len(np.unique(layer.child)) == len(later.seat) for layer, later in itertools.pairwise(layers))


def test_who_plays_best_loses_nothing_and_a_random_player_does():
    layers = solved(roots(8, 30), [RandomAgent(), rfop_agents.load("scripted", GAME)])
    best = exact.values(layers)
    perfect = [
        replace(layer, policies=[*layer.policies, exact.best_policy(layer, after[layer.child])])
        for layer, after in zip(layers, [*best[1:], np.zeros((0, 2))], strict=True)
    ]
    random, scripted, ideal = end_games.findings(perfect, ["random", "scripted", "perfect"])
    assert (ideal.best, ideal.loss, ideal.exploitability) == (1.0, 0.0, 0.0)
    assert random.exploitability > scripted.exploitability + 0.2 > 0.2
    assert random.best < 1.0 and random.loss > 0.0 and random.positions == len(layers[0].seat)


def test_agents_that_sample_are_taken_by_their_probabilities():
    # A random player by hand: the mean of all moves, everywhere.
    def mean(batch: GameBatch) -> np.ndarray:
        legal = np.flatnonzero(batch.action_mask[0])
        tried = [batch.clone() for _ in legal]
        for copy, action in zip(tried, legal, strict=True):
            copy.step([action])
        return np.mean([mean(copy) for copy in tried], axis=0) if len(legal) else batch.game_returns("outcome")[0]

    late = roots(5)
    found = exact.values(solved(late, [RandomAgent()]), 0)[0]
    batch = GameBatch(GAME, 1, 0)
    for game, value in enumerate(found[:6]):
        batch.copy_from(late, [game], [0])
        np.testing.assert_allclose(mean(batch), value)


@pytest.mark.parametrize("name", ["random", "revolution/ppo-2@0.5", "symmetric+revolution/ppo-2@1"])
def test_probabilities_are_those_of_the_actions_taken(name):
    late = roots(12, 8)
    agent, rng = rfop_agents.load(name, GAME), np.random.default_rng(1)
    seen = late.observation, late.action_mask
    known, draws = agent.probabilities(*seen), 2000
    counts = np.zeros(known.shape)
    for _ in range(draws):
        counts[np.arange(len(counts)), agent.act(*seen, rng)] += 1
    assert np.all(known[~late.action_mask] == 0) and known.max() < 1
    np.testing.assert_allclose(known.sum(axis=1), 1)
    np.testing.assert_allclose(counts / draws, known, atol=4.5 * np.sqrt(0.25 / draws))


def test_agents_that_do_not_sample_have_no_probabilities():
    late = roots(8)
    for name in ("scripted", "revolution/ppo-2", "symmetric+revolution/ppo-2", "search-4"):
        assert rfop_agents.load(name, GAME).probabilities(late.observation, late.action_mask) is None


def test_cfr_comes_ever_closer_to_best_play():
    layers = solved(roots(8, 30))
    one, ten, hundred = end_games.cfr_findings(layers, [1, 10, 100])
    assert one.exploitability > 4 * ten.exploitability > 16 * hundred.exploitability
    assert hundred.exploitability < 1e-4 and hundred.best > 0.999
    assert hundred.agent == "CFR+, 100 iterations" and one.agent == "CFR+, 1 iteration"


class FirstLegal(Agent):
    """Takes the first legal action, and counts the positions in which it is asked."""

    asked = 0

    def act(self, observation, action_mask, rng, positions=None):
        self.asked += len(observation)
        return action_mask.argmax(axis=1)


def test_an_agent_is_asked_only_where_play_can_come_with_it():
    agent = FirstLegal()
    layers = solved(roots(8, 30), [agent])
    found = end_games.findings(layers, ["first"])
    running = sum(len(np.unique(layer.parent)) for layer in layers)
    assert 0 < agent.asked < running / 2

    # Policies in all positions give the same figures: the first move of each position has probability 1.
    whole = []
    for layer in layers:
        policy = np.zeros(len(layer.parent))
        policy[np.unique(layer.parent, return_index=True)[1]] = 1.0
        whole.append(replace(layer, policies=[policy]))
    assert end_games.findings(whole, ["first"]) == found


def test_a_position_that_games_share_counts_once():
    batch = GameBatch(GAME, 6, 0)  # all at the first decision
    batch.step([GAME.actions.parse(f"building {name}") for name in ("bastille", "versailles", "bastille") * 2])
    assert exact.first_of_each(batch, np.array([1, 2, 3, 4, 5])).tolist() == [1, 2]
    small = end_games.EndGames(Setting("Revolution-v0", components="small_board"), left=13, games=60).positions()
    assert 30 < small.num_games < 60 and len(set(exact._position_keys(small))) == small.num_games


def test_the_jacobins_win_the_small_board():
    """They place the first counter, and win from each set-up of the buildings that some games come to."""
    small = end_games.EndGames(Setting("Revolution-v0", components="small_board"), left=13, games=4).positions()
    layers = exact.solve(small, [], 2_000_000, "outcome", 0)
    assert (exact.values(layers)[0] == [-1.0, 1.0]).all() and small.num_games >= 3


@pytest.mark.slow
def test_the_jacobins_win_the_small_board_from_its_first_decision():
    batch = GameBatch(GAME, 1, 0, components="small_board")
    layers = exact.solve(batch, [], 2_000_000, "outcome", 0)
    assert exact.values(layers)[0].tolist() == [[-1.0, 1.0]]
    assert sum(len(layer.seat) for layer in layers) == 1_531_581 and len(layers[5].seat) == 132


def test_the_figures_of_a_graph_with_known_values():
    # Seat 0 chooses between a loss at once and a position where seat 1 chooses between losing and winning.
    none = np.zeros(0, np.int64)
    zeros = np.zeros((2, 2))

    def layer(seat, returns, parent, child, *policies):
        over = np.abs(returns).sum(axis=1) > 0
        moves = map(np.array, (seat, over, returns, parent, child))
        return exact.open_layer(*moves, [np.array(p, float) for p in policies])

    layers = [
        layer([0, 0], zeros, [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1], [1, 0, 1, 0]),
        layer([0, 1], np.array([[-1.0, 1.0], [0.0, 0.0]]), [1, 1], [0, 1], [1, 0], [0, 1]),
        layer([0, 0], np.array([[1.0, -1.0], [-1.0, 1.0]]), none, none, [], []),
    ]
    np.testing.assert_array_equal(exact.values(layers)[0], [[-1.0, 1.0]] * 2)
    hopeful, resigned = end_games.findings(layers, ["hopeful", "resigned"])
    # Every move loses against best play, so none is worse than another; as seat 1 the hopeful one gives a win away.
    assert (hopeful.best, hopeful.loss, hopeful.exploitability) == (1.0, 0.0, 2.0)
    assert (resigned.best, resigned.loss, resigned.exploitability) == (1.0, 0.0, 0.0)


def test_what_cannot_be_solved_is_refused(capsys):
    with pytest.raises(RfopError, match="LeveeEnMasse-v0 has chance, secrets or not two seats"):
        end_games.require_solvable(get_game("LeveeEnMasse-v0"))
    with pytest.raises(RfopError, match="more than 100 positions follow: lower --left or --games, or raise --most"):
        exact.solve(roots(8), [], 100, "outcome", 0)
    assert research(["end-games", "scripted", "--env", "Revolution-v0", "--left", "1", "--games", "4"]) == 2
    assert "give more --games or --left" in capsys.readouterr().err


def test_the_command_prints_and_writes_what_it_finds(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    words = ["random", "scripted", "search-4", "--env", "Revolution-v0", "--left", "6", "--games", "16"]
    assert research(["end-games", *words, "--csv", str(path)]) == 0
    printed = capsys.readouterr().out
    rows = read_records(path, end_games.FindingRow)
    assert [row.agent for row in rows] == ["random", "scripted", "search-4"]
    assert end_games.findings_table(rows) in printed and f"{rows[0].positions} positions, " in printed
    assert research(["end-games", *words]) == 0 and capsys.readouterr().out == printed

    # A row does not depend on the company of its agent, and the file keeps the rows of other agents and positions.
    assert research(["end-games", "search-4", *words[3:], "--csv", str(path)]) == 0
    assert end_games.findings_table(rows).splitlines()[-1] in capsys.readouterr().out
    assert read_records(path, end_games.FindingRow) == rows
    assert research(["end-games", "scripted", *words[3:], "--csv", str(path), "--seed", "1"]) == 0
    assert [(row.agent, row.seed) for row in read_records(path, end_games.FindingRow)][2:] == [
        ("search-4", 0),
        ("scripted", 1),
    ]

    # A file of something else is left alone.
    path.write_text("seconds,steps\n1,2\n")
    assert research(["end-games", *words, "--csv", str(path)]) == 2
    assert path.read_text() == "seconds,steps\n1,2\n"


def test_agents_are_named_and_refused_before_anything_is_solved(tmp_path, monkeypatch, capsys):
    net, words = tmp_path / "net.safetensors", ["--env", "Revolution-v0", "--left", "6", "--games", "16"]
    shutil.copy(baselines.baseline_path("revolution/ppo-2"), net)
    name = display_names(Setting("Revolution-v0"), [str(net)])[str(net)]
    solve = end_games.EndGames.solved

    def while_it_is_trained(found, players):
        shutil.copy(baselines.baseline_path("revolution/ppo-2"), net)
        return solve(found, players)

    monkeypatch.setattr(end_games.EndGames, "solved", while_it_is_trained)
    assert research(["end-games", str(net), *words]) == 0 and f"| {name} | " in capsys.readouterr().out

    monkeypatch.setattr(end_games.EndGames, "solved", lambda *_: pytest.fail("solved"))
    assert research(["end-games", "random", "random", *words]) == 2
    assert "random is given twice" in capsys.readouterr().err


def test_the_published_findings_stand_on_the_page():
    assert "| scripted |" in BLOCKS["end_games"]("Revolution-v0")
