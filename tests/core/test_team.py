"""Threads that share out the games of a batch: each piece once, whoever is late or asleep; they end with the batch."""

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import toy_game

from rfop_env.compiler import JIT
from rfop_env.core import team
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BatchInUse, RfopError
from rfop_env.core.team import (
    ASLEEP,
    CALL,
    CALLER,
    DONE,
    NO_PIECE,
    NUMBER,
    PIECE,
    PIECES,
    PROGRESS,
    SEATS,
    Team,
    finish_piece,
    new_board,
    next_piece,
    publish,
    until_done,
)

plain = pytest.mark.skipif(JIT, reason="compiled rules cannot be called from Python")
compiled = pytest.mark.skipif(not JIT, reason="plain Python has one lock for all threads, and uses one")


@plain
@pytest.mark.parametrize(("games", "threads"), [(128, 2), (64 * 7 + 1, 2), (64 * 5, 5), (1000, 3)])
def test_every_piece_is_taken_once_whoever_takes_it(games, threads):
    board, sleepers, rng = new_board(games, threads), np.zeros(threads, np.int64), random.Random(games)
    for _ in range(20):
        publish(board, 1, 1, sleepers)
        pieces, working = [], list(range(threads))
        while working:
            k = rng.choice(working)
            piece = team.claim(board, k, board[CALL, NUMBER])
            if piece == NO_PIECE:
                working.remove(k)
                continue
            pieces.append(piece)
            finish_piece(board, k, 0, 0)
        assert sorted(pieces) == list(range(-(-games // PIECE)))
        assert board[PROGRESS, DONE] == board[PROGRESS, PIECES]


@plain
def test_a_thread_that_comes_late_takes_nothing_of_the_next_call():
    board, sleepers = new_board(256, 2), np.zeros(2, np.int64)
    publish(board, 1, 1, sleepers)
    late = int(board[CALL, NUMBER])
    publish(board, 1, 1, sleepers)
    assert team.claim(board, 1, late) == NO_PIECE
    assert next_piece(board, 1) == 2, "the present call has all its pieces"


@plain
def test_a_thread_without_a_call_sleeps_until_the_next_one(monkeypatch):
    monkeypatch.setattr(team, "SPINS", 3)
    board, sleepers = new_board(128, 3), np.zeros(3, np.int64)
    assert publish(board, 1, 1, sleepers) == 2 and sleepers[:2].tolist() == [1, 2]
    assert publish(board, 1, 1, sleepers) == 0, "nobody is woken twice"
    while next_piece(board, 1) != NO_PIECE:
        finish_piece(board, 1, 0, 0)
    assert board[SEATS + 1, ASLEEP] == 1
    assert publish(board, 1, 1, sleepers) == 1 and sleepers[0] == 1


@plain
def test_the_caller_goes_back_while_others_are_still_playing(monkeypatch):
    monkeypatch.setattr(team, "SPINS", 3)
    board = new_board(128, 2)
    publish(board, 1, 1, np.zeros(2, np.int64))
    assert next_piece(board, 1) == 1
    assert next_piece(board, CALLER) == 0
    finish_piece(board, CALLER, 0, 0)
    assert next_piece(board, CALLER) == NO_PIECE and board[PROGRESS, DONE] == 1


def test_interruptions_wait_until_no_thread_plays():
    answers = [(2, 0, 0), KeyboardInterrupt, (2, 0, 0), KeyboardInterrupt, (1, 0, 0), (0, 0, 0)]

    def work():
        answer = answers.pop(0)
        if answer is KeyboardInterrupt:
            raise answer
        return answer

    with pytest.raises(KeyboardInterrupt):
        until_done(work)
    assert not answers


def test_sleeping_threads_are_sent_to_work_and_end_with_their_team():
    original, finished = set(threading.enumerate()), threading.Event()
    group, numbers = Team(3), []
    own = set(threading.enumerate()) - original
    group.wake(2, lambda thread: (numbers.append(thread), finished.set()))
    assert finished.wait(60) and numbers == [2] and len(own) == 2
    del group
    for thread in own:
        thread.join(60)
        assert not thread.is_alive()


# -- batches -----------------------------------------------------------------------------------------------------------


def legal(batch):
    return np.where(batch.action_mask.any(axis=1), batch.action_mask.argmax(axis=1), -1)


@compiled
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_any_number_of_threads_gives_the_same_games(threads):
    games = PIECE * threads + 7
    single, shared = (GameBatch(toy_game.two_player(), games, 3, threads=n) for n in (1, threads))
    assert len(shared._runner.board) == SEATS + threads
    rng = np.random.default_rng(threads)
    for turn in range(300):
        actions, only = legal(single), rng.random(games) < 0.3
        for batch in (single, shared):
            batch.step(actions)
            if turn % 7 == 0:
                batch.step_random(2)
            if turn % 11 == 0:
                batch.reset(only=only)
        if turn % 50 == 0:
            time.sleep(0.002)  # the threads fall asleep, and are woken
        for name in ("observation", "action_mask", "rewards", "terminated", "current_player", "end_reason"):
            np.testing.assert_array_equal(getattr(single, name), getattr(shared, name), err_msg=f"{name}, turn {turn}")
    assert single.get_state().tobytes() == shared.get_state().tobytes()
    assert shared._runner.team is not None


@compiled
def test_the_threads_end_with_their_batch():
    original = set(threading.enumerate())
    batch = GameBatch(toy_game.two_player(), 4 * PIECE, 0, autoreset=True, threads=4)
    batch.step_random(3)
    own = set(threading.enumerate()) - original
    assert len(own) == 3
    del batch
    gc.collect()
    for thread in own:
        thread.join(60)
        assert not thread.is_alive()


@compiled
def test_a_fault_found_by_any_thread_is_raised():
    for game in (3, 2 * PIECE - 1):
        batch = GameBatch(toy_game.two_player(), 2 * PIECE, 0, autoreset=True, threads=2)
        batch.states["fault"][game] = 1
        with pytest.raises(Exception, match=f"violated in game {game} "):
            batch.step_random()


FORK = """
import os, sys
sys.path.insert(0, sys.argv[1])
import toy_game
from rfop_env.core.batch import GameBatch
batch = GameBatch(toy_game.two_player(), 300, 0, autoreset=True, threads=2)
batch.step_random(5)
twin = batch.clone()
twin.step_random(20)
child = os.fork()
batch.step_random(20)
same = batch.get_state().tobytes() == twin.get_state().tobytes()
if child == 0:
    os._exit(0 if same else 3)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) or (0 if same else 4))
"""


@pytest.mark.many_games
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_uses_threads_of_its_own():
    folder = str(Path(__file__).parents[1])
    finished = subprocess.run([sys.executable, "-c", FORK, folder], capture_output=True, text=True, timeout=300)
    assert finished.returncode == 0, finished.stderr


# -- one caller at a time ----------------------------------------------------------------------------------------------

CALLS = {
    "reset": lambda batch: batch.reset(1),
    "step": lambda batch: batch.step(legal(batch)),
    "step_one": lambda batch: batch.step_one(int(legal(batch)[0])),
    "step_random": lambda batch: batch.step_random(),
    "observe": lambda batch: batch.observe(0),
    "game_returns": lambda batch: batch.game_returns("outcome"),
    "set_state": lambda batch: batch.set_state(batch.states.copy()),
    "put_record": lambda batch: batch.put_record(0, batch.states[:1].copy()),
    "get_state": lambda batch: batch.get_state(),
    "get_record": lambda batch: batch.get_record(0),
    "determinize": lambda batch: batch.determinize(0, 1),
    "copy_from": lambda batch: batch.copy_from(batch.game_of_another),
    "copy_into_another": lambda batch: batch.game_of_another.copy_from(batch),
    "refresh": lambda batch: batch.refresh(),
    "write_into": lambda batch: batch.write_into({"rewards": np.zeros_like(batch.rewards)}),
    "clone": lambda batch: batch.clone(),
}


class OneGame(GameBatch):
    """A batch of one game that knows another."""

    game_of_another: GameBatch


@pytest.fixture
def occupied(monkeypatch):
    """A batch of one game whose kernel is at work in another thread; and what lets that thread go on."""
    batch = OneGame(toy_game.two_player(), 1, 4)
    batch.game_of_another = GameBatch(toy_game.two_player(), 1, 5)
    kernels, entered, leave = batch._kernels, threading.Event(), threading.Event()
    advance = kernels.advance

    def slow(*arguments):
        entered.set()
        assert leave.wait(60)
        return advance(*arguments)

    monkeypatch.setattr(kernels, "advance", slow)
    thread = threading.Thread(target=batch.step_random)
    thread.start()
    assert entered.wait(60)
    monkeypatch.setattr(kernels, "advance", advance)

    def finish():
        leave.set()
        thread.join(60)

    yield batch, finish
    finish()


@pytest.mark.parametrize("name", CALLS)
def test_a_second_caller_is_refused_until_the_first_has_done(occupied, name):
    batch, finish = occupied
    with pytest.raises(BatchInUse, match=r"in use by another thread.*batch\.clone\(\)"):
        CALLS[name](batch)
    finish()
    same = GameBatch(toy_game.two_player(), 1, 4)
    same.step_random()
    assert batch.states.tobytes() == same.states.tobytes()
    CALLS[name](batch)


def test_several_threads_may_look_at_once():
    """Each waits within its own look for the other: only what changes the batch is refused meanwhile."""
    batch = GameBatch(toy_game.two_player(), 1, 4)
    meeting, kernels = threading.Barrier(3, timeout=60), batch._kernels
    observe = kernels.observe

    def wait_and_observe(*arguments):
        meeting.wait()
        meeting.wait()
        observe(*arguments)

    kernels.observe = wait_and_observe
    try:
        views = []
        threads = [threading.Thread(target=lambda: views.append(batch.observe(0).tolist())) for _ in range(2)]
        for thread in threads:
            thread.start()
        meeting.wait()
        with pytest.raises(BatchInUse):
            batch.step_random()
        batch.get_state()
        meeting.wait()
        for thread in threads:
            thread.join(60)
    finally:
        kernels.observe = observe
    assert views == [batch.observe(0).tolist()] * 2 and batch.users == 0
    batch.step_random()


@compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_of_two_threads_that_step_one_batch_no_call_is_half_done(threads):
    batch = GameBatch(toy_game.two_player(), 2048, 7, autoreset=True, threads=threads)
    batch.step_random()
    calls, refusals = [0, 0], [0, 0]

    def play(k):
        while calls[k] < 200:
            try:
                batch.step_random()
                calls[k] += 1
            except BatchInUse:
                refusals[k] += 1
                time.sleep(0.0001)

    workers = [threading.Thread(target=play, args=(k,)) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    same = GameBatch(toy_game.two_player(), 2048, 7, autoreset=True)
    for _ in range(1 + sum(calls)):
        same.step_random()
    assert sum(refusals) > 0 and batch.states.tobytes() == same.states.tobytes()


def test_a_call_that_fails_leaves_the_batch_free():
    batch = GameBatch(toy_game.two_player(), 1, 0)
    for call in (lambda: batch.step_one(99), lambda: batch.step([99]), lambda: batch.reset(-1)):
        with pytest.raises(RfopError):
            call()
    assert batch.users == 0
    batch.step_random()


@compiled
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")
def test_a_signal_handler_that_raises_leaves_the_batch_free_and_every_call_whole():
    """Handlers raise at any moment of a call, thousands of times."""

    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    batch = GameBatch(toy_game.two_player(), 1, 7, autoreset=True)
    original, rung = signal.signal(signal.SIGALRM, ring), 0
    try:
        for k in range(2000):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.00002 + k % 50 * 0.000002)
                while True:
                    batch.step_one(int(batch.action_mask[0].argmax()))
            except Alarm:
                rung += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, original)
    assert rung == 2000 and batch.users == 0
    batch.step_random()


@compiled
@pytest.mark.parametrize("moment", ["published", "woken"])
def test_a_signal_between_the_beginning_of_a_call_and_its_end_leaves_no_game_behind(moment, monkeypatch):
    batch, same = (GameBatch(toy_game.two_player(), 1024, 3, threads=2) for _ in range(2))
    for games in (batch, same):
        games.step_random()
    publish, wake = batch._kernels.publish, Team.wake

    def publish_and_raise(*arguments):
        publish(*arguments)
        raise KeyboardInterrupt

    def wake_and_raise(*arguments):
        wake(*arguments)
        raise KeyboardInterrupt

    time.sleep(0.01)  # the other thread falls asleep
    if moment == "published":
        monkeypatch.setattr(batch._kernels, "publish", publish_and_raise)
    else:
        monkeypatch.setattr(Team, "wake", wake_and_raise)
    with pytest.raises(KeyboardInterrupt):
        batch.step_random()
    monkeypatch.undo()
    same.step_random()
    assert batch.states.tobytes() == same.states.tobytes()

    # The next calls have both threads again.
    for _ in range(5):
        for games in (batch, same):
            games.step_random()
        assert batch.states.tobytes() == same.states.tobytes()
    assert batch._runner.team is not None


@compiled
def test_with_checks_of_indices_one_thread_plays():
    """An index error would end another thread in the middle of its games, and the caller would wait for ever."""
    script = """
from rfop_env.registry import get_game
from rfop_env.core.batch import GameBatch
print(GameBatch(get_game("Revolution-v0"), 512, threads=2)._runner.alone)
"""
    for flag, alone in (("1", "True"), ("0", "False")):
        settings = os.environ | {"NUMBA_BOUNDSCHECK": flag}
        finished = subprocess.run(
            [sys.executable, "-c", script], env=settings, capture_output=True, text=True, check=True
        )
        assert finished.stdout.strip() == alone
