"""A batch that writes into arrays of its caller plays the same games as one with arrays of its own."""

import copy
import pickle
from multiprocessing import get_context
from multiprocessing.shared_memory import SharedMemory

import numpy as np
import pytest
import toy_game

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, IllegalAction, RfopError, UnknownName
from rfop_env.core.output_arrays import output_shapes
from rfop_env.testing.copies import check_copy

GAME = toy_game.two_player()
GAMES = 5
NAMES = list(output_shapes(GAME, GAMES))


def new_arrays(games=GAMES, names=NAMES):
    """Arrays of a caller, full of ones."""
    return {name: np.ones(*output_shapes(GAME, games)[name]) for name in names}


def packed(games=GAMES):
    """The observation and the mask of a game side by side in one row; the row, and the two as views of it."""
    size = GAME.observation.size
    row = np.ones((games, size + GAME.actions.size), np.int8)
    return row, {"observation": row[:, :size], "action_mask": row[:, size:].view(np.bool_)}


def first_legal(mask):
    return np.where(mask.any(axis=1), mask.argmax(axis=1), -1)


def play_beside(batch, arrays, steps=24):
    """Play a batch, and one with arrays of its own beside it: what the caller's arrays hold is always the same."""
    plain = batch.clone()
    for step in range(steps):
        actions = first_legal(batch.action_mask)
        for batch_here in (batch, plain):
            if step % 7 == 3:
                batch_here.reset(only=np.arange(batch.num_games) % 3 == 0)
            elif step % 3 == 2:
                batch_here.step_random()
            else:
                batch_here.step(actions)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, getattr(plain, name), err_msg=f"{name}, step {step}")
            np.testing.assert_array_equal(getattr(batch, name), getattr(plain, name))


@pytest.mark.parametrize("autoreset", [False, True])
@pytest.mark.parametrize("names", [NAMES, ["observation"], ["rewards", "terminated", "action_mask"]])
def test_the_callers_arrays_hold_what_the_batch_publishes(autoreset, names):
    arrays = new_arrays(names=names)
    batch = GameBatch(GAME, GAMES, autoreset=autoreset, out=arrays)
    assert not any(array.any() for array in arrays.values()), "the arrays begin as those of the batch do"
    assert all(getattr(batch, name) is arrays[name] for name in names if name != "action_mask")
    batch.reset(3)
    play_beside(batch, arrays)


def test_rows_may_lie_apart():
    row, arrays = packed()
    batch = GameBatch(GAME, GAMES, 3, out=arrays)
    play_beside(batch, arrays)
    batch.refresh()
    np.testing.assert_array_equal(row, np.concatenate([batch.observation, batch.action_mask.view(np.int8)], axis=1))

    wide = np.zeros((GAMES, 7), np.float32)
    arrays = {"rewards": wide[:, 1:3]}
    play_beside(GameBatch(GAME, GAMES, 3, autoreset=True, out=arrays), arrays)
    assert not wide[:, [0, 3, 4, 5, 6]].any(), "nothing is written beside the columns that were given"


def test_the_arrays_can_change_while_games_run():
    batch = GameBatch(GAME, 130, 3, autoreset=True, threads=2)
    batch.step_random(5)
    snapshot = batch.clone()
    _, arrays = packed(130)
    arrays |= new_arrays(130, ["rewards", "end_reason"])
    batch.write_into(arrays)
    check_copy(snapshot, batch)
    play_beside(batch, arrays)
    with pytest.raises(BadArgument):
        batch.write_into({**new_arrays(130, ["learner"]), "rewards": np.zeros(3, np.float32)})
    play_beside(batch, arrays)


@pytest.mark.parametrize("way", [GameBatch.clone, copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_a_copy_has_arrays_of_its_own(way):
    row, arrays = packed()
    arrays |= new_arrays(names=["rewards", "terminated"])
    batch = GameBatch(GAME, GAMES, 3, out=arrays)
    batch.step_random(4)
    copied = way(batch)
    check_copy(batch, copied)
    snapshot = row.copy()
    copied.step_random(3)
    np.testing.assert_array_equal(row, snapshot)
    assert copied.observation.flags.c_contiguous and not np.shares_memory(copied.observation, row)

    # The first one still writes into them.
    batch.step_random(3)
    assert (row != snapshot).any()
    check_copy(batch, copied)


def test_the_callers_mask_is_never_read():
    arrays = new_arrays(names=["action_mask"])
    batch = GameBatch(GAME, GAMES, 3, out=arrays)
    illegal = int(np.flatnonzero(~batch.action_mask[0])[0])
    arrays["action_mask"][:] = True
    with pytest.raises(IllegalAction):
        batch.step(np.full(GAMES, illegal))
    arrays["action_mask"][:] = False
    batch.step_random()
    assert arrays["action_mask"].any(axis=1).all()


def play_in_shared_memory(name, seed):
    """What another process does: it plays, and writes the observations into shared memory."""
    memory = SharedMemory(name)
    batch = GameBatch(GAME, GAMES, seed, out={"observation": array_in(memory)})
    batch.step_random(6)
    del batch  # its arrays would hold the memory
    memory.close()


def array_in(memory):
    """The observations of the games as an array in shared memory."""
    return np.ndarray((GAMES, GAME.observation.size), np.int8, memory.buf)


def test_another_process_writes_into_shared_memory():
    plain = GameBatch(GAME, GAMES, 8)
    plain.step_random(6)
    memory = SharedMemory(create=True, size=plain.observation.nbytes)
    try:
        worker = get_context("fork").Process(target=play_in_shared_memory, args=(memory.name, 8))
        worker.start()
        worker.join(60)
        assert worker.exitcode == 0
        np.testing.assert_array_equal(array_in(memory).copy(), plain.observation)
    finally:
        memory.close()
        memory.unlink()


def read_only():
    array = np.zeros(GAMES, np.bool_)
    array.flags.writeable = False
    return array


SIZE = GAME.observation.size
WRONG = {
    "a list": ({"observation": [1, 2]}, r"observation: expected a writeable int8 array of shape \[5, "),
    "games": ({"rewards": np.zeros((GAMES + 1, 2), np.float32)}, r"found float32 \[6, 2\]"),
    "dtype": ({"rewards": np.zeros((GAMES, 2))}, "expected a writeable float32"),
    "read-only": ({"terminated": read_only()}, "found a read-only one"),
    "Fortran's order": ({"observation": np.zeros((GAMES, SIZE), np.int8, order="F")}, "ascontiguousarray"),
    "one row for all": (
        {"observation": np.lib.stride_tricks.as_strided(np.zeros(SIZE, np.int8), (GAMES, SIZE), (0, 1))},
        "ascontiguousarray",
    ),
    "no mapping": ([np.zeros(3)], "expected a mapping"),
}


@pytest.mark.parametrize(("out", "message"), WRONG.values(), ids=WRONG)
def test_arrays_that_a_batch_cannot_write_into_are_refused(out, message):
    with pytest.raises(BadArgument, match=message):
        GameBatch(GAME, GAMES, 0, out=out)


def test_a_refused_array_is_left_as_it_was():
    arrays = new_arrays(names=["observation", "rewards"])
    with pytest.raises(RfopError):
        GameBatch(GAME, GAMES, 0, out={**arrays, "terminated": read_only()})
    assert all(array.all() for array in arrays.values())


def test_wrong_names_and_overlaps_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'observation'"):
        GameBatch(GAME, GAMES, 0, out={"observations": np.zeros((GAMES, SIZE), np.int8)})
    memory = np.zeros((GAMES, SIZE), np.int8)
    with pytest.raises(BadArgument, match="observation and final_observation overlap"):
        GameBatch(GAME, GAMES, 0, out={"observation": memory, "final_observation": memory})
