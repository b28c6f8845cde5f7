"""The measures of beliefs: on positions where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_agents.belief import UniformBelief
from rfop_env.agent import Positions, RandomAgent
from rfop_env.core.batch import GameBatch
from rfop_env.games.red_flag_over_paris import state
from rfop_env.registry import get_game
from training.research.lab import beliefs

GAME = get_game(beliefs.ENV)


def late(games=3, decisions=5):
    batch = GameBatch(GAME, games, 4)
    batch.step_random(decisions)
    return batch, Positions(batch, np.arange(games), np.random.default_rng(0))


def test_true_cards_are_the_true_cards_and_the_decks_are_not():
    batch, positions = late()
    samples = beliefs.TrueCards().sample(positions, 6, np.random.default_rng(1))
    for name in ("zone", "objective", "objective_zone", "known"):
        assert (samples[name] == batch.states[name]).all()
    assert (samples["deck"] != batch.states["deck"]).any()


def test_numbers_turn_a_record_into_a_sample():
    batch, positions = late()
    states = batch.get_state()
    samples = UniformBelief().sample(positions, 4, np.random.default_rng(2))
    for sample in samples:
        labels, records = beliefs.numbers_of(GAME, states, sample), states.copy()
        hidden = np.array([beliefs.relabelling(GAME).unseen(s[None], int(s["player"]))[0] for s in states])
        assert (labels != np.arange(labels.shape[1]))[hidden].any()
        assert (labels == np.arange(labels.shape[1]))[~hidden].all()
        beliefs.relabelling(GAME).relabel(records, labels)
        for name in ("zone", "deck", "objective", "objective_zone", "objective_deck"):
            np.testing.assert_array_equal(records[name], sample[name])


def test_scores_of_the_truth_are_best_and_of_the_uniform_deal_known():
    batch, positions = late(games=1)
    record = batch.get_record(0)
    enemy = 1 - int(record["player"][0])
    hidden = beliefs.relabelling(GAME).unseen(record, 1 - enemy)[0]
    best = beliefs._logs(GAME, record, np.repeat(record, beliefs.SAMPLES))
    assert min(best) > np.log(1 - 2 / beliefs.SAMPLES)
    assert hidden[int(record["objective"][0, enemy])]

    many = positions.determinize(beliefs.SAMPLES)[:, 0]
    objective, cards = beliefs._logs(GAME, record, many)
    held = (record["zone"][0] == state.IN_HAND_COMMUNE + enemy)[hidden[:42].nonzero()[0]].mean()
    entropy = held * np.log(held) + (1 - held) * np.log(1 - held)
    assert objective == pytest.approx(-np.log(hidden[42:].sum()), abs=1.5) and cards == pytest.approx(entropy, abs=0.15)


@pytest.mark.many_games
def test_a_random_enemy_tells_nothing():
    figures = beliefs.scores(GAME, RandomAgent(), 1, 0)
    means = [np.nanmean(own[:, :2], axis=0) for own in figures.values()]
    np.testing.assert_allclose(means[0], means[1], atol=0.4)
    variations = beliefs.total_variations(GAME, RandomAgent(), 3, 0)
    assert len(variations) == 3 and (variations[:, 0] < 0.05).all()


def test_a_belief_reaches_a_share_of_the_gain_of_the_true_cards(monkeypatch):
    deals = np.arange(40) % 2
    played = {"uniform": deals / 2, "true cards": deals / 2 + 0.5, "policy": deals / 2 + 0.25}
    monkeypatch.setattr(beliefs, "response_wins", lambda *args: iter(played.items()))
    by_belief = list(beliefs.response_rows(GAME, RandomAgent(), 40, 16))
    assert [[row.figure for row in rows] for rows in by_belief] == [
        ["wins"],
        ["wins", "more than uniform"],
        ["wins", "more than uniform", "share of the gain"],
    ]
    share = by_belief[2][2]
    assert (share.value, share.low, share.high, share.units) == (0.5, 0.5, 0.5, 40)
    table = beliefs.beliefs_table([row for rows in by_belief for row in rows], "responses")
    assert "| random | policy | 50.0% ± 8.1% | 25.0% ± 0.0% | 50% (50% to 50%) | 40 |" in table
