"""What holds in every position of every game of Red Flag Over Paris, checked by random play of both environments."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.games.red_flag_over_paris import board, frames, state
from rfop_env.registry import get_game

from .table import Table

TWO_PLAYER, SOLO = "RedFlagOverParis-v1", "RedFlagOverParisSolo-v1"
pytestmark = pytest.mark.many_games

CONFIGURATIONS = [
    (TWO_PLAYER, {"variant": "standard"}),
    (TWO_PLAYER, {"variant": "censor"}),
    (SOLO, {"side": "commune"}),
    (SOLO, {"side": "versailles"}),
    (SOLO, {"side": "random"}),
]
EACH = pytest.mark.parametrize(
    ("name", "options"), CONFIGURATIONS, ids=["-".join(o.values()) for _, o in CONFIGURATIONS]
)


def start(name: str, num_games: int = 1, seed: int = 0, options: dict[str, str] | None = None) -> GameBatch:
    """A batch at the start of its games."""
    return GameBatch(get_game(name), num_games, seed, options=options or {})


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_two_player_returns_add_up_to_zero(reward):
    """Zero-sum under every reward of the two-player game, and a winner has the outcome +1."""
    batch = GameBatch(get_game(TWO_PLAYER), 64 if JIT else 8, 3, reward=reward)
    batch.step_random(repeat=get_game(TWO_PLAYER).spec.max_decisions)
    assert batch.terminated.all() and np.allclose(batch.rewards.sum(axis=1), 0)
    won = batch.rewards[np.arange(batch.num_games), batch.states["winner"]]
    assert (won == 1).all() if reward == "outcome" else np.abs(batch.rewards).max() <= 1


@EACH
def test_vp_stay_within_their_tracks_and_rounds_within_the_game(name, options):
    """R12, R16: VP from -5 to 5; rounds only go up, to the Final Crisis; a game ends there."""
    batch = start(name, 64 if JIT else 6, 5, options)
    previous = batch.states["round_number"].copy()
    while not (batch.states["over"] != 0).all():
        batch.step_random(repeat=4)
        assert np.abs(batch.states["vp"]).max() <= board.VP_LIMIT
        assert (batch.states["round_number"] >= previous).all()
        previous = batch.states["round_number"].copy()
    assert (previous == state.FINAL_ROUND).all() and (batch.states["winner"] >= 0).all()


def test_a_determinization_leaves_the_final_crisis_cards_where_they_went_openly():
    """R16: they go to the hand face up, so no determinization puts one into the deck or among the cards set aside."""
    scene = Table().crisis().hand(1, 17, 3, 4).hand(0, 5, 6).to_play(0)
    zones = set()
    for key in range(40):
        batch = scene.batch.clone()
        batch.determinize(0, key)
        assert batch.states["zone"][0, 17] == state.IN_HAND_COMMUNE + 1 and batch.states["zone"][0, 34] == state.FACE_UP
        zones.add(int(batch.states["zone"][0, 3]))
    assert len(zones) > 1, "nothing else was determinized"


def test_nothing_is_decided_in_the_middle_of_the_deal():
    """Faults: a record in the phase of dealing would deal another round once its question is answered."""
    batch = start(TWO_PLAYER)
    assert batch.problems() == []
    batch.states["phase"] = state.DEALING
    assert batch.problems() == ["a decision in the middle of the deal"]


def test_the_order_of_objective_events_is_asked_while_both_are_pending():
    """Faults: the answer would set an objective aside that is not there, outside the row of objectives."""
    batch = start(TWO_PLAYER)
    batch.states["stack"][0, 0] = 0
    batch.states["stack"][0, 0, FRAME_KIND] = frames.ASK_EVENT_ORDER
    assert any("of which one is not pending" in problem for problem in batch.problems())
