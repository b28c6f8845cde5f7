"""The history of a batch: from its start records, the decisions lead to where the games stand."""

from __future__ import annotations

import numpy as np
import pytest

import toy_game
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import NotStarted
from rfop_env.core.legal_actions import NO_ACTION

GAMES = 4


def kept(**arguments):
    batch = GameBatch(toy_game.two_player(), GAMES, 3, **arguments)
    batch.keep_history()
    return batch


def step(batch):
    """The last legal action of every game that runs."""
    mask = batch.action_mask
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    batch.step(np.where(mask.any(axis=1), last, NO_ACTION))


def require_history(batch, lengths=None):
    """That each game follows from its start by its decisions, of which there are so many."""
    for game in range(batch.num_games):
        decisions = batch.history.decisions(game)
        assert lengths is None or len(decisions) == lengths[game]
        again = GameBatch(batch.game, 1)
        again.set_state(batch.history.start[game : game + 1])
        for action in decisions:
            again.step([action])
        names = [name for name in batch.game.state.names if name not in ("learner", "journal", "journal_size")]
        for name in names:
            np.testing.assert_array_equal(again.states[name][0], batch.states[name][game], name)


def test_decisions_lead_from_the_start_to_where_the_game_stands():
    batch = kept()
    require_history(batch, [0] * GAMES)
    for k in range(1, 4):
        step(batch)
        require_history(batch, [k] * GAMES)
    while batch.action_mask.any():
        step(batch)
    require_history(batch)


def test_what_nobody_reports_begins_it_anew():
    batch = kept()
    step(batch)
    beginnings = batch.history.beginnings.copy()
    batch.reset(only=np.arange(GAMES) == 1)
    require_history(batch, [1, 0, 1, 1])
    batch.put_record(2, batch.get_record(0))
    require_history(batch, [1, 0, 0, 1])
    step(batch)
    require_history(batch, [2, 1, 1, 2])
    assert (batch.history.beginnings - beginnings).tolist() == [0, 1, 1, 0]
    batch.step_random()
    require_history(batch, [0] * GAMES)
    step(batch)
    batch.determinize(0, 5)
    require_history(batch, [0] * GAMES)


def test_with_opponents_and_in_endless_play_nothing_piles_up():
    batch = kept(opponent="random")
    step(batch)
    require_history(batch, [0] * GAMES)
    batch = kept(autoreset=True)
    for _ in range(200):
        step(batch)
    require_history(batch)
    assert (batch.history.beginnings > 2).all() and len(batch.history._actions) < 100


def test_copies_have_histories_of_their_own():
    batch = kept()
    step(batch)
    copied = batch.clone()
    step(copied)
    require_history(batch, [1] * GAMES)
    require_history(copied, [2] * GAMES)
    assert GameBatch(toy_game.two_player(), 1, 3).history is None
    with pytest.raises(NotStarted):
        GameBatch(toy_game.two_player(), 1).keep_history()
