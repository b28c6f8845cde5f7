"""The path of a step: no memory is asked for, rows lie on whole cache lines, one game has a way of its own."""

import tracemalloc

import numpy as np
import pytest
import toy_game

from rfop_env.compiler.memory import LINE
from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, GameOver, IllegalAction, NotStarted

GAMES = 4096


def legal(batch):
    return batch.action_mask.argmax(axis=1)


@pytest.mark.skipif(not JIT, reason="plain Python makes an object of every number")
@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("way", ["step", "step_random"])
def test_a_step_asks_for_no_memory(way, autoreset):
    batch = GameBatch(toy_game.two_player(), GAMES, 0, autoreset=autoreset)
    batch.step(legal(batch))
    batch.step_random()
    tracemalloc.start()
    try:
        for _ in range(3):
            actions = np.where(batch.states["over"] == 0, legal(batch), -1)
            tracemalloc.reset_peak()
            snapshot, _ = tracemalloc.get_traced_memory()
            batch.step(actions) if way == "step" else batch.step_random()
            _, peak = tracemalloc.get_traced_memory()
            assert peak - snapshot < GAMES, "even one byte a game"
    finally:
        tracemalloc.stop()


def test_rows_of_threads_share_no_cache_line():
    batch = GameBatch(toy_game.two_player(), 200, 0, threads=3)
    for single in (batch, batch.clone()):
        for name, array in zip(single._runner.arrays._fields, single._runner.arrays, strict=True):
            if len(array) == 200:
                assert array.ctypes.data % LINE == 0 and array.flags.c_contiguous, name
        assert single._runner.board.ctypes.data % LINE == 0 and single._runner.board.strides[0] == LINE


# -- one game ----------------------------------------------------------------------------------------------------------


def test_one_game_is_stepped_as_a_batch_of_one_is():
    single, batch = (GameBatch(toy_game.two_player(), 1, 5) for _ in range(2))
    over = False
    while not over:
        action = int(legal(batch)[0])
        batch.step([action])
        over = single.step_one(action)
        assert over == batch.terminated[0]
        assert single.get_state().tobytes() == batch.get_state().tobytes()
        np.testing.assert_array_equal(single.observation, batch.observation)
        np.testing.assert_array_equal(single.rewards, batch.rewards)


def test_one_game_refuses_what_is_illegal():
    game = toy_game.two_player()
    with pytest.raises(NotStarted):
        GameBatch(game, 1).step_one(0)
    with pytest.raises(BadArgument, match="not of 2: use step"):
        GameBatch(game, 2, 0).step_one(0)

    batch = GameBatch(game, 1, 0)
    snapshot = batch.get_state().tobytes()
    for action in (-1, game.actions.size, 2**70, int(np.flatnonzero(~batch.action_mask[0])[0])):
        with pytest.raises(IllegalAction, match=f"action {action} "):
            batch.step_one(action)
        assert batch.get_state().tobytes() == snapshot

    while not batch.terminated[0]:
        batch.step_random()
    for action in (-1, 0, game.actions.size):
        with pytest.raises(GameOver, match="has ended"):
            batch.step_one(action)
