"""The batch: one game or many, one thread or two, copied, restarted and determinized."""

import os
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
import toy_game

from rfop_env.compiler import JIT
from rfop_env.core.batch import MOST_REPEATS, MOST_THREADS, GameBatch
from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.decisions import NOBODY
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.errors import (
    BadActions,
    BadArgument,
    BadSeed,
    GameOver,
    IllegalAction,
    NotStarted,
    RfopError,
    UnknownName,
)

ARRAYS = ("observation", "action_mask", "current_player", "rewards", "terminated", "truncated", "end_reason")


def first_or_last(mask, step):
    """A legal action of every row, chosen by the step alone; NO_ACTION where there is none."""
    first, last = mask.argmax(axis=1), mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    picks = np.where(np.arange(len(mask)) % 3 == step % 3, last, first)
    return np.where(mask.any(axis=1), picks, NO_ACTION)


def raw(batch):
    """The bytes of all records, uint8 [N, ...]: NumPy's own indexing of records forgets the bytes between fields."""
    return batch.get_state().view(np.uint8).reshape(batch.num_games, -1)


def same(a, b, rows_a=slice(None), rows_b=slice(None)):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name)[rows_a], getattr(b, name)[rows_b], err_msg=name)
    np.testing.assert_array_equal(raw(a)[rows_a], raw(b)[rows_b], err_msg="records")


@pytest.mark.parametrize("game", [toy_game.two_player(), toy_game.solo()], ids=lambda g: g.id)
@pytest.mark.parametrize("autoreset", [False, True])
def test_many_games_are_many_single_games(game, autoreset):
    batch_of_five = GameBatch(game, 5, 10, autoreset=autoreset)
    single = [GameBatch(game, 1, 10 + i, autoreset=autoreset) for i in range(5)]
    for step in range(60):
        actions = first_or_last(batch_of_five.action_mask, step)
        batch_of_five.step(actions)
        for i, first_batch in enumerate(single):
            first_batch.step(actions[i : i + 1])
            same(batch_of_five, first_batch, slice(i, i + 1))
            np.testing.assert_array_equal(batch_of_five.final_observation[i], first_batch.final_observation[0])


@pytest.mark.parametrize("autoreset", [False, True])
def test_a_step_can_restart_some_games(autoreset):
    first_batch, second_batch = (GameBatch(toy_game.two_player(), 6, 3, autoreset=autoreset) for _ in range(2))
    restart = np.arange(6) % 2 == 0
    for step in range(20):
        actions = first_or_last(first_batch.action_mask, step)
        first_batch.step(np.where(restart, 99, actions), restart=restart)
        if autoreset:
            second_batch.step(actions)
            second_batch.states["episode"][restart & second_batch.terminated] -= (
                1  # the game that its own end has begun
            )
        else:
            second_batch.step(actions)
        second_batch.reset(only=restart)
        np.testing.assert_array_equal(raw(first_batch), raw(second_batch))
        np.testing.assert_array_equal(first_batch.observation, second_batch.observation)
        np.testing.assert_array_equal(first_batch.rewards[~restart], second_batch.rewards[~restart])
        assert not first_batch.rewards[restart].any() and not first_batch.terminated[restart].any()

    # Nothing moves if one of the others cannot.
    snapshot = raw(first_batch).copy()
    refusal = IllegalAction if autoreset else GameOver
    for restart_too, error in ((restart, refusal), ([True] * 5, BadActions), (np.ones(6), BadActions)):
        with pytest.raises(error):
            first_batch.step(np.full(6, 99), restart=restart_too)
        np.testing.assert_array_equal(raw(first_batch), snapshot)
    second_batch = first_batch.clone()
    first_batch.step(np.full(6, 99), restart=np.ones(6, np.bool_))
    second_batch.reset()
    same(first_batch, second_batch)


@pytest.mark.many_games
def test_threads_change_nothing():
    first_batch, second_batch = (GameBatch(toy_game.two_player(), 150, 3, autoreset=True, threads=n) for n in (1, 2))
    for step in range(80):
        if step % 2:
            first_batch.step_random()
            second_batch.step_random()
        else:
            actions = first_or_last(first_batch.action_mask, step)
            first_batch.step(actions)
            second_batch.step(actions)
        same(first_batch, second_batch)
    assert (second_batch._runner.team is not None) == JIT, "the second thread was never used"


@pytest.mark.many_games
def test_batches_in_concurrent_threads_do_not_meet():
    expected = GameBatch(toy_game.two_player(), 64, 0, autoreset=True)
    expected.step_random(50)
    batches = [GameBatch(toy_game.two_player(), 64, 0, autoreset=True) for _ in range(4)]
    workers = [threading.Thread(target=batch.step_random, args=(50,)) for batch in batches]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for batch in batches:
        assert batch.get_state().tobytes() == expected.get_state().tobytes()


def test_random_play_in_one_call_is_random_play_step_by_step():
    at_once, stepwise = (GameBatch(toy_game.two_player(), 8, 5, autoreset=True) for _ in range(2))
    at_once.step_random(30)
    for _ in range(30):
        stepwise.step_random()
    assert at_once.get_state().tobytes() == stepwise.get_state().tobytes()


def test_autoreset_starts_the_next_game_in_the_same_step():
    going, stopping = (GameBatch(toy_game.two_player(), 1, 4, autoreset=auto) for auto in (True, False))
    for _ in range(5):
        while not stopping.terminated[0]:
            actions = first_or_last(stopping.action_mask, 1)
            stopping.step(actions)
            going.step(actions)
        assert going.terminated[0] and going.end_reason[0] == stopping.end_reason[0]
        np.testing.assert_array_equal(going.rewards, stopping.rewards)
        np.testing.assert_array_equal(going.final_observation, stopping.observation)
        stopping.reset()
        assert going.get_state().tobytes() == stopping.get_state().tobytes()
        np.testing.assert_array_equal(going.action_mask, stopping.action_mask)


def test_reset_of_some_games_leaves_the_others():
    batch, copied = GameBatch(toy_game.two_player(), 6, 0), GameBatch(toy_game.two_player(), 6, 0)
    batch.step_random(4)
    copied.step_random(4)
    only = np.array([True, False, False, True, False, True])
    batch.reset(only=only)
    same(batch, copied, ~only, ~only)
    copied.reset()
    same(batch, copied, only, only)
    batch.reset(100, only=only)
    assert [batch.game_seed(i) for i in range(6)] == [(100, 0), (1, 0), (2, 0), (103, 0), (4, 0), (105, 0)]


def test_seeds_and_episodes_name_a_game():
    big = 2**40 + 7
    batch = GameBatch(toy_game.two_player(), 1, big)
    batch.reset()
    batch.reset()
    assert batch.game_seed(0) == (big, 2)
    again = GameBatch(toy_game.two_player(), 1, autoreset=True)
    again.reset([big])
    while again.game_seed(0) != (big, 2):
        again.step_random()
    start = GameBatch(toy_game.two_player(), 1, [big])
    start.reset()
    start.reset()
    assert start.get_state().tobytes() == batch.get_state().tobytes()


def test_different_seeds_and_episodes_are_different_games():
    batch = GameBatch(toy_game.two_player(), 200, 0)
    keys = {bytes(row) for row in np.ascontiguousarray(batch.states["key"]).view(np.uint8).reshape(200, -1)}
    batch.reset()
    keys |= {bytes(row) for row in np.ascontiguousarray(batch.states["key"]).view(np.uint8).reshape(200, -1)}
    assert len(keys) == 400


def test_saved_records_bring_everything_back():
    batch = GameBatch(toy_game.two_player(), 9, 1)
    batch.step_random(7)
    saved, clone = batch.get_state(), batch.clone()
    batch.reset(50)
    fresh = GameBatch(toy_game.two_player(), 9)
    for first_batch in (batch, fresh):
        first_batch.set_state(saved)
        assert first_batch.get_state().tobytes() == saved.tobytes()
        for name in ("observation", "action_mask", "current_player", "end_reason"):
            np.testing.assert_array_equal(getattr(first_batch, name), getattr(clone, name), err_msg=name)
        assert not first_batch.terminated.any() and not first_batch.rewards.any()
    with pytest.raises(BadActions, match="9 records"):
        batch.set_state(saved[:3])
    with pytest.raises(BadActions):
        batch.set_state(np.zeros(9, np.int64))


def test_end_reason_survives_a_restored_ended_game():
    batch = GameBatch(toy_game.two_player(), 4, 1)
    batch.step_random(60)
    assert (batch.states["over"] == 1).all()
    reasons = batch.end_reason.copy()
    batch.set_state(batch.get_state())
    np.testing.assert_array_equal(batch.end_reason, reasons)


def test_an_ended_game_is_paid_once():
    batch = GameBatch(toy_game.two_player(), 4, 1)
    total = np.zeros((4, 2))
    for _ in range(60):
        batch.step_random()
        total += batch.rewards
    assert np.abs(total).max() == 1 and not batch.terminated.any() and not batch.action_mask.any()


def test_determinizing_changes_what_is_hidden_and_nothing_else():
    batch = GameBatch(toy_game.two_player(), 40, 2)
    batch.step_random(4)
    seats = batch.current_player.copy()
    snapshot = batch.clone()
    batch.determinize(seats, np.arange(40))
    np.testing.assert_array_equal(batch.observation, snapshot.observation)
    np.testing.assert_array_equal(batch.action_mask, snapshot.action_mask)
    own, enemy = (np.arange(40), seats), (np.arange(40), 1 - seats)
    running = batch.states["over"] == 0
    assert (batch.states["die"][own] == snapshot.states["die"][own]).all()
    assert (batch.states["die"][enemy] != snapshot.states["die"][enemy])[running].mean() > 0.5


def test_determinizations_follow_their_keys():
    batch = GameBatch(toy_game.two_player(), 30, 2)
    states = []
    for keys in (np.full(30, 5), 5, np.arange(30) + 100, -1):
        copied = batch.clone()
        copied.determinize(0, keys)
        states.append(copied.get_state().tobytes())
    assert states[0] == states[1] and len(set(states)) == 3


def test_nobodys_determinization_leaves_what_any_seat_sees_and_draws_all_chance_anew():
    batch = GameBatch(toy_game.two_player(), 30, 2)
    batch.step_random(4)
    copied = batch.clone()
    copied.determinize(NOBODY, 5)
    for seat in (0, 1):
        np.testing.assert_array_equal(copied.observe(seat), batch.observe(seat))
    np.testing.assert_array_equal(copied.states["die"], batch.states["die"])
    for first_batch in (batch, copied):
        first_batch.step_random(3)
    assert (copied.states["die"] != batch.states["die"]).any()

    with pytest.raises(BadActions, match="seat -2 is out of range -1 to 1"):
        batch.determinize(-2, 0)


def test_two_deals_that_look_the_same_are_determinized_to_the_same_record():
    """Nothing of the true deal is left in a determinized record: neither its dice nor its seed, keys or counters."""
    batch = GameBatch(toy_game.two_player(), 2, 5)
    batch.step_random(3)
    batch.states[1] = batch.states[0]
    own = int(batch.current_player[0])
    batch.states["seed"][1], batch.states["episode"][1], batch.states["key"][1], batch.states["draws"][1] = 77, 4, 78, 9
    batch.states["die"][1, 1 - own] = batch.states["die"][0, 1 - own] % 6 + 1
    batch.refresh()

    batch.determinize(own, 3)
    assert (raw(batch)[0] == raw(batch)[1]).all()


def test_decisions_with_one_legal_action_are_taken():
    batch = GameBatch(toy_game.two_player(), 50, 0)
    decisions = 0
    while not (batch.states["over"] != 0).all():
        running = batch.states["over"] == 0
        assert (batch.action_mask.sum(axis=1)[running] >= 2).all()
        decisions += int(running.sum())
        batch.step_random()
    assert decisions < int(batch.states["decisions"].sum()), "no decision of this game was ever forced"


def test_observing_a_seat():
    batch = GameBatch(toy_game.two_player(), 5, 0)
    np.testing.assert_array_equal(batch.observe(batch.current_player), batch.observation)
    red, blue = batch.observe(0), batch.observe(np.ones(5, np.int8))
    np.testing.assert_array_equal(red[:, 6], blue[:, 7])
    for value, message in (
        ([0, 1], r"seats: expected integers \[5\]"),
        ([0.0] * 5, r"found float64"),
        ([[0], [0, 1]], "seats: no array"),
        ([0, 9, 0, 0, 2], "seat 9 is out of range 0 to 1"),
        ([-1] * 5, "seat -1 is out of range 0 to 1"),
    ):
        with pytest.raises(BadActions, match=message):
            batch.observe(value)
        if value != [NOBODY] * 5:
            with pytest.raises(BadActions, match=message.replace("range 0", "range -1")):
                batch.determinize(value, 0)


def test_options_components_and_rewards(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text("target = [3, 4]\nturns = 2\n")
    batch = GameBatch(toy_game.two_player(), 3, 0, options={"length": "long"}, components=file, reward="margin")
    assert (batch.states["target"] == 4).all()
    batch.step_random(20)
    assert (batch.states["over"] == 1).all()
    again = GameBatch(toy_game.two_player(), 3, 0, components=batch.components)
    assert again.components is batch.components


def test_every_kind_of_action_array_is_taken():
    expected = GameBatch(toy_game.two_player(), 4, 0)
    actions = first_or_last(expected.action_mask, 0)
    expected.step(actions)
    wide = np.stack([actions, actions], axis=1)
    frozen = actions.copy()
    frozen.flags.writeable = False
    for actions_in in (actions.tolist(), actions.astype(np.uint8), actions.astype(">i4"), wide[:, 0], frozen):
        batch = GameBatch(toy_game.two_player(), 4, 0)
        batch.step(actions_in)
        same(batch, expected)


# -- errors ---------------------------------------------------------------------------------------------------------


def test_an_illegal_action_is_explained_and_changes_nothing():
    batch = GameBatch(toy_game.two_player(), 4, 0)
    for action in (toy_game.DOUBT, -1, 99):
        actions = first_or_last(batch.action_mask, 0)
        actions[2] = action
        snapshot = batch.clone()
        with pytest.raises(IllegalAction) as caught:
            batch.step(actions)
        assert batch.states.tobytes() == snapshot.states.tobytes()
        same(batch, snapshot)
        assert (caught.value.game, caught.value.action) == (2, action)
        message = str(caught.value)
        seat = batch.game.spec.seats[batch.current_player[2]]
        assert f"game 2, {seat}" in message and str(action) in message and "0 'keep', 1 'reroll'" in message
        assert "'doubt'" in message if action == toy_game.DOUBT else "no action has this id (0 to 9)" in message


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0], r"expected shape \[2\], found \[1\]"),
        ([[0, 0]], r"found \[1, 2\]"),
        ([0.0, 1.0], "integer dtype, found float64"),
        ([[0], [0, 1]], "actions: no array can be made of"),
        ([2**70, 0], "found object"),
    ],
)
def test_wrong_action_arrays(actions, message):
    batch = GameBatch(toy_game.two_player(), 2, 0)
    snapshot = batch.states.tobytes()
    with pytest.raises(BadActions, match=message):
        batch.step(actions)
    assert batch.states.tobytes() == snapshot


def test_nothing_before_the_first_reset():
    batch = GameBatch(toy_game.two_player(), 2)
    for call in (lambda: batch.step([0, 0]), batch.step_random, lambda: batch.observe([0, 0])):
        with pytest.raises(NotStarted, match="reset"):
            call()
    with pytest.raises(NotStarted, match="first reset"):
        batch.reset(0, only=[True, False])


def test_no_action_after_the_end():
    batch = GameBatch(toy_game.two_player(), 2, 0)
    batch.step_random(60)
    with pytest.raises(GameOver, match="game 0 has ended"):
        batch.step([0, 0])
    batch.step([NO_ACTION, NO_ACTION])
    batch.reset(only=[False, True])
    with pytest.raises(IllegalAction):
        batch.step([NO_ACTION, NO_ACTION])


def test_a_refused_step_keeps_what_the_last_one_left():
    """An illegal action beside a game that has just ended: its reward and its end are still to be read."""
    batch = GameBatch(toy_game.two_player(), 2, 0)
    while not batch.terminated[0]:
        batch.step_random()
        batch.reset(only=[False, bool(batch.terminated[1])])
    snapshot = {name: getattr(batch, name).copy() for name in ARRAYS}
    assert snapshot["rewards"][0].any()

    with pytest.raises(IllegalAction):
        batch.step([NO_ACTION, int(np.flatnonzero(~batch.action_mask[1])[0])])
    for name, array in snapshot.items():
        np.testing.assert_array_equal(getattr(batch, name), array, err_msg=name)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, True, "7", [1], [1, 2, 3], [0, -1], [0.5, 1], [None, 1], [True, 1]])
def test_bad_seeds(seed):
    with pytest.raises(BadSeed, match="seed"):
        GameBatch(toy_game.two_player(), 2, seed)


def test_good_seeds():
    assert parse_seeds(2**64 - 2, 2).tolist() == [2**64 - 2, 2**64 - 1]
    assert parse_seeds(np.uint64(3), 2).tolist() == parse_seeds([3, np.int8(4)], 2).tolist() == [3, 4]
    same(GameBatch(toy_game.two_player(), 2, 0), GameBatch(toy_game.two_player(), 2, range(2)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "num_games is at least 1, not 0"),
        ({"num_games": 2.5}, "num_games: expected an integer, found 2.5"),
        ({"num_games": 10**12}, r"1,000,000,000,000 games of LiarsRace-v0 take [\d,]+ GiB, and this machine has"),
        ({"threads": 0}, f"threads 0 is out of range 1 to {MOST_THREADS}"),
        ({"autoreset": "no"}, "autoreset: expected True or False, found 'no'"),
        ({"reward": "margins"}, "did you mean 'margin'"),
        ({"components": 5}, "components: expected a path, a component set or None, found 5"),
        ({"seat": "blue_1"}, "seat='blue_1' is a learner's among opponents"),
        ({"opponent": "random", "seat": 9}, "seat 9 is out of range 0 to 1"),
        ({"options": 5}, "options: expected a mapping"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(RfopError, match=message) as caught:
        GameBatch(toy_game.two_player(), **arguments)
    assert isinstance(caught.value, ValueError)


def test_as_many_games_as_the_memory_holds(monkeypatch):
    def games_in_memory(memory):
        monkeypatch.setattr("rfop_env.core.batch_arguments.memory_of_this_machine", lambda: memory)
        return GameBatch(toy_game.two_player(), 100)

    with pytest.raises(BadArgument, match="at most") as caught:
        games_in_memory(10**5)
    limit = int(str(caught.value).rsplit(" ", 1)[1])
    assert games_in_memory(None).num_games == games_in_memory(10**6).num_games == 100
    assert 10**5 // limit == pytest.approx(bytes_of_a_game(), rel=0.05)


def bytes_of_a_game():
    """What one more game adds to all arrays of a batch."""
    first_batch, second_batch = (GameBatch(toy_game.two_player(), n) for n in (1, 2))
    return sum(
        value.nbytes - vars(first_batch)[name].nbytes
        for name, value in vars(second_batch).items()
        if isinstance(value, np.ndarray) and name != "action_mask"
    )


@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("repeat", [0, -1, MOST_REPEATS + 1, 10**30, 1.0, "3", None, True])
def test_a_wrong_number_of_random_decisions_is_refused(repeat, autoreset):
    batch = GameBatch(toy_game.two_player(), 2, 0, autoreset=autoreset)
    snapshot = batch.states.tobytes()
    with pytest.raises(BadArgument, match="repeat"):
        batch.step_random(repeat)
    assert batch.states.tobytes() == snapshot
    batch.step_random(np.int32(2))


LOOKS = ("game_seed", "journal", "record", "problems", "draw_text", "draw_svg", "get_record")


@pytest.mark.parametrize("look", LOOKS)
def test_looking_at_a_game_that_is_not_there(look):
    batch = GameBatch(toy_game.two_player(), 4)
    with pytest.raises(NotStarted, match="call reset"):
        getattr(batch, look)(0)
    batch.reset(0)
    getattr(batch, look)(np.int64(3))
    for value in (9, 4, -1, 10**30):
        with pytest.raises(BadArgument, match=f"game {value} is out of range 0 to 3"):
            getattr(batch, look)(value)
    for value in ("1", 1.0, None, True, [1]):
        with pytest.raises(BadArgument, match="game: expected an integer"):
            getattr(batch, look)(value)


def test_the_mask_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        GameBatch(toy_game.two_player(), 1, 0).action_mask[0, 0] = True


# -- compiled or not ------------------------------------------------------------------------------------------------


def checksum() -> int:
    """Everything that 12 batches show in 40 random steps each, and their records."""
    total = 0
    for game in (toy_game.two_player(), toy_game.solo()):
        for seed in range(3):
            batch = GameBatch(game, 4, seed * 2**31, autoreset=True, options={"length": "long"})
            for step in range(40):
                batch.step(first_or_last(batch.action_mask, step)) if step % 2 else batch.step_random()
                parts = [batch.states, batch.final_observation, *(getattr(batch, name) for name in ARRAYS)]
                for part in parts:
                    total = zlib.crc32(part.tobytes(), total)
            batch.determinize(0, seed)
            total = zlib.crc32(batch.states.tobytes(), total)
    return total


def test_the_same_games_without_the_compiler():
    tests, repository = Path(__file__).parents[1], Path(__file__).parents[2]
    path = os.pathsep.join(map(str, (repository, tests, tests / "core")))
    # -W error: plain NumPy warns where a narrow integer overflows, which compiled code would not show.
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import test_batch; print(test_batch.checksum())"],
        env=os.environ | {"RFOP_JIT": "0", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    assert int(process.stdout) == checksum()


# -- opponents inside the environment ----------------------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["random", "honest"])
@pytest.mark.parametrize("autoreset", [False, True])
def test_an_opponent_takes_every_other_seat(opponent, autoreset):
    batch = GameBatch(toy_game.two_player(), 40, 3, opponent=opponent, reward="margin", autoreset=autoreset)
    seats, count = set(), 0
    for _ in range(40):
        running = batch.states["over"] == 0
        assert (batch.states["side"] == batch.states["learner"] - 1)[running].all()
        assert (batch.current_player == batch.states["learner"] - 1).all()
        assert (batch.observation == batch.observe(batch.current_player)).all()
        seats |= set(batch.current_player.tolist())
        margin = batch.states["score"].copy()
        batch.step_random()
        own = batch.own_rewards()[batch.terminated]
        assert (own == batch.rewards[batch.terminated, batch.learner[batch.terminated]]).all()
        count += len(own)
        if not autoreset:
            score = batch.states["score"][batch.terminated]
            lead = np.take_along_axis(score, batch.learner[batch.terminated, None], 1)[:, 0] * 2 - score.sum(axis=1)
            assert np.allclose(own, np.clip(lead, -20, 20) / 20)
            assert (batch.states["score"] >= margin).all()
    assert seats == {0, 1} and count >= 40


def test_a_learner_may_have_one_seat_for_good():
    for seat, number in ((0, 0), (1, 1), ("blue_1", 1)):
        batch = GameBatch(toy_game.two_player(), 20, 1, opponent="random", seat=seat, autoreset=True)
        batch.step_random(50)
        assert (batch.current_player == number).all() and (batch.learner == number).all()


def test_opponents_leave_the_deals_alone_and_stay_reproducible():
    alone, seated = (
        GameBatch(toy_game.two_player(), 50, 4, **settings) for settings in ({}, {"opponent": "random", "seat": 0})
    )
    untouched = (seated.states["decisions"] == alone.states["decisions"]) & (alone.current_player == 0)
    assert untouched.any() and (seated.states["die"] == alone.states["die"])[untouched].all()
    first_batch, second_batch = (GameBatch(toy_game.two_player(), 150, 4, opponent="honest", threads=n) for n in (1, 2))
    for batch in (first_batch, second_batch):
        batch.step_random(7)
    assert first_batch.get_state().tobytes() == second_batch.get_state().tobytes()


def test_wrong_opponents_and_seats_get_a_hint():
    with pytest.raises(UnknownName, match="did you mean 'honest'"):
        GameBatch(toy_game.two_player(), 1, opponent="honst")
    with pytest.raises(BadArgument, match="LiarsRaceSolo-v0 has one seat and no opponents"):
        GameBatch(toy_game.solo(), 1, opponent="random")
    with pytest.raises(UnknownName, match="red_0"):
        GameBatch(toy_game.two_player(), 1, opponent="random", seat="red")
    with pytest.raises(UnknownName, match="unknown scripted player"):
        scripted_actions(toy_game.solo(), np.zeros(1, toy_game.STATE), None, np.ones((1, 10), bool), "honest")


def test_advice_names_a_legal_action_and_changes_nothing_but_the_bots_draws():
    batch = GameBatch(toy_game.two_player(), 60, 4)
    batch.step_random(3)
    states = batch.get_state().view(np.recarray)
    actions = scripted_actions(batch.game, states, batch.components, batch.action_mask, "honest")
    assert batch.action_mask[np.arange(60), actions].all()
    states["draws"] = batch.states["draws"]
    assert states.tobytes() == batch.get_state().tobytes()
