"""What holds in every position of every game of Red Flag Over Paris, checked by random play of both environments."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import GameOver, IllegalAction
from rfop_env.core.rule import JIT
from rfop_env.games.red_flag_over_paris.board import VP_LIMIT
from rfop_env.games.red_flag_over_paris.state import DEALING, FACE_UP, FINAL_ROUND, IN_HAND_COMMUNE
from rfop_env.registry import get_game
from rfop_env.testing.random_play import check_position, play_random
from rfop_env.testing.determinization import check_determinization

from .table import Table

TWO_PLAYER, SOLO = "RedFlagOverParis-v0", "RedFlagOverParisSolo-v0"
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


@EACH
def test_random_games_keep_every_promise(name, options):
    """At every step: no problems, at least two legal actions, values in range; at the end returns as declared."""
    games = 60 if JIT else 5
    played = play_random(name, games, seed=11, options=options)
    assert played.games >= games and played.longest <= get_game(name).spec.max_decisions
    assert -1 <= played.lowest <= played.highest <= 1


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
    before = batch.states["round_number"].copy()
    while not (batch.states["over"] != 0).all():
        batch.step_random(repeat=4)
        assert np.abs(batch.states["vp"]).max() <= VP_LIMIT
        assert (batch.states["round_number"] >= before).all()
        before = batch.states["round_number"].copy()
    assert (before == FINAL_ROUND).all() and (batch.states["winner"] >= 0).all()


@EACH
def test_every_legal_action_applies_and_the_others_are_refused(name, options):
    """In clones every legal action leads to a sound position; an illegal one raises and not a byte changes."""
    rng = np.random.default_rng(2)
    for seed in range(3 if JIT else 1):
        batch = start(name, 1, seed, options)
        while not batch.states["over"][0]:
            bytes_before = batch.states.tobytes()
            for action in np.flatnonzero(batch.action_mask[0]).tolist():
                other = batch.clone()
                other.step([action])
                check_position(other)
            illegal = [-1, batch.game.actions.size, *rng.choice(np.flatnonzero(~batch.action_mask[0]), 3)]
            for action in illegal:
                with pytest.raises(IllegalAction):
                    batch.step([int(action)])
            assert batch.states.tobytes() == bytes_before
            batch.step_random(repeat=3)


def test_an_ended_game_takes_no_action():
    """After the end every action is refused."""
    batch = start(TWO_PLAYER)
    batch.step_random(repeat=batch.game.spec.max_decisions)
    with pytest.raises(GameOver):
        batch.step([0])


@EACH
def test_an_observation_holds_nothing_hidden(name, options):
    """Drawing anew what a seat cannot see changes neither its observation nor its mask, at many points of play."""
    assert check_determinization(name, 120 if JIT else 50, seed=21, num_games=32 if JIT else 2, options=options) > 0


@EACH
def test_the_same_seed_gives_the_same_bytes(name, options):
    """A game is a function of its seed and its actions, to the last byte of its record."""
    batches = [start(name, 2, 17, options) for _ in range(2)]
    for _ in range(20):
        for batch in batches:
            batch.step_random(repeat=5)
        assert batches[0].states.tobytes() == batches[1].states.tobytes()
    assert batches[0].states[0].tobytes() != batches[0].states[1].tobytes()


@EACH
def test_games_side_by_side_do_not_touch_each_other(name, options):
    """A batch of N is N batches of one: records, observations, masks and rewards."""
    n = 16 if JIT else 3
    together, alone = start(name, n, 40, options), [start(name, 1, 40 + i, options) for i in range(n)]
    for _ in range(12 if JIT else 8):
        together.step_random(repeat=9)
        for i, batch in enumerate(alone):
            batch.step_random(repeat=9)
            assert batch.states[0].tobytes() == together.states[i].tobytes()
            for field in ("observation", "action_mask", "rewards", "terminated", "current_player", "end_reason"):
                assert np.array_equal(getattr(batch, field)[0], getattr(together, field)[i]), field


@EACH
def test_a_chunk_of_random_steps_is_as_many_single_steps(name, options):
    """`step_random(7)` leaves what seven calls leave, but for the last call's rewards of games that ended within."""
    chunk, single = start(name, 4, 60, options), start(name, 4, 60, options)
    for _ in range(6):
        chunk.step_random(repeat=7)
        for _ in range(7):
            single.step_random()
        assert chunk.states.tobytes() == single.states.tobytes()
        assert np.array_equal(chunk.action_mask, single.action_mask)


@EACH
def test_a_restored_position_goes_on_as_before(name, options):
    """A copy of the record is the whole position: the future is the same."""
    batch = start(name, 2, 80, options)
    batch.step_random(repeat=25)
    saved = batch.get_state()
    batch.step_random(repeat=30)
    ended = batch.states.tobytes()
    batch.set_state(saved)
    batch.step_random(repeat=30)
    assert batch.states.tobytes() == ended


def test_a_determinization_leaves_the_final_crisis_cards_where_they_went_openly():
    """R16: they go to the hand face up, so no determinization puts one into the deck or among the cards set aside."""
    scene = Table().crisis().hand(1, 17, 3, 4).hand(0, 5, 6).to_play(0)
    zones = set()
    for key in range(40):
        batch = scene.batch.clone()
        batch.determinize(0, key)
        assert batch.states["zone"][0, 17] == IN_HAND_COMMUNE + 1 and batch.states["zone"][0, 34] == FACE_UP
        zones.add(int(batch.states["zone"][0, 3]))
    assert len(zones) > 1, "nothing else was determinized"


def test_nothing_is_decided_in_the_middle_of_the_deal():
    """Faults: a record in the phase of dealing would deal another round once its question is answered."""
    batch = start(TWO_PLAYER)
    assert batch.problems() == []
    batch.states["phase"] = DEALING
    assert batch.problems() == ["a decision in the middle of the deal"]
