"""Blocks of games that any process can play: in this process, in worker processes, or elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rfop_env import process_pool
from rfop_env.core.errors import RfopError
from rfop_training.evaluation import games
from rfop_training.evaluation.games import GameResults
from rfop_training.evaluation.progress import Progress
from rfop_training.evaluation.recorded import Replays
from rfop_training.evaluation.setting import Player, Setting

REFRESH_SECONDS = 0.3  # between two looks at the games that worker processes have played


@dataclass(frozen=True)
class Task:
    """A block of games that any process can play."""

    setting: Setting
    names: tuple[Player, ...]
    displayed: tuple[str, ...]  # the display names of these agents when the task was made
    seating: NDArray[np.integer[Any]]  # [n, P]: which of `names` has each seat
    deals: tuple[int, ...]
    reward: str | None = None
    replays: Replays | None = None

    def first_game(self) -> Task:
        """A task of its first game alone."""
        return replace(self, seating=self.seating[:1], deals=self.deals[:1], replays=None)


def make_tasks(
    setting: Setting, seats: Sequence[Player], deals: Sequence[int], replays: Replays | None = None
) -> list[Task]:
    """A task for each block of deals, `seats[k]` in seat k; the first games are recorded for `replays`."""
    seating = np.tile(np.arange(len(seats)), (len(deals), 1))
    return make_seated_tasks(setting, seats, seating, deals, replays=replays)


def make_seated_tasks(
    setting: Setting,
    names: Sequence[Player],
    seating: NDArray[np.integer[Any]],
    deals: Sequence[int],
    reward: str | None = None,
    replays: Replays | None = None,
) -> list[Task]:
    """A task for each block of deals, the agent `names[seating[n, k]]` in seat k on deal n."""
    agents = [setting.agent(name) for name in names]
    displayed = tuple(agent.name for agent in agents)
    tasks = []
    for low, high in games.blocks(deals, games.most_at_once(agents)):
        remaining = None if replays is None else replays.skip(low)
        block = tuple(deals[low:high])
        tasks.append(Task(setting, tuple(names), displayed, seating[low:high], block, reward, remaining))
    return tasks


def play_task(task: Task, on_step: games.StepCallback | None = None) -> GameResults:
    """Play the games of a task. Raises `RfopError` if a model's file has changed since the task was made."""
    for name, displayed in zip(task.names, task.displayed, strict=True):
        loaded = task.setting.agent(name).name
        if loaded != displayed:
            raise RfopError(
                f"{name} was {displayed} and is now {loaded}: evaluate a copy of a model that is being trained"
            )
    return task.setting.play(task.names, task.seating, task.deals, task.reward, task.replays, on_step)


class TaskPlayer(Protocol):
    """Plays tasks elsewhere than in processes of this machine."""

    def play(self, tasks: Sequence[Task], bar: Progress) -> Iterator[GameResults]:
        """The results of tasks in order; the bar counts the games that have been played."""


Workers = int | TaskPlayer  # the number of processes on this machine, or what plays elsewhere


def play_tasks(tasks: Sequence[Task], workers: Workers = 1, progress: bool | None = None) -> Iterator[GameResults]:
    """The results of tasks in order, the same for all `workers`.

    `progress`: whether a bar on stderr counts the games (None: if that is a terminal).
    """
    bar = Progress(sum(len(task.deals) for task in tasks), progress)
    with closing(bar):
        for task, results in zip(tasks, _results(tasks, workers, bar), strict=True):
            bar.add(task.displayed, task.seating, results)
            yield results


def _results(tasks: Sequence[Task], workers: Workers, bar: Progress) -> Iterator[GameResults]:
    if not isinstance(workers, int):
        return workers.play(tasks, bar)
    if workers == 1 or len(tasks) == 1:
        return _play_here(tasks, bar)
    return _play_in_pool(tasks, workers, bar)


def _play_here(tasks: Sequence[Task], bar: Progress) -> Iterator[GameResults]:
    for task in tasks:
        yield play_task(task, bar.count)


# -- worker processes --------------------------------------------------------------------------------------------------


class WorkerCounts:
    """The games and decisions of all worker processes, in memory that they share."""

    shared: WorkerCounts  # of a worker process

    def __init__(self) -> None:
        with process_pool.shared_memory():
            self.numbers: Any = get_context("spawn").Array("q", 2)

    def share(self) -> None:
        """Make them the counts of this worker process."""
        WorkerCounts.shared = self

    def add(self, ended_games: int, decisions: int) -> None:
        """Count what a step has played."""
        with self.numbers.get_lock():
            self.numbers[0] += ended_games
            self.numbers[1] += decisions


def _play_in_pool(tasks: Sequence[Task], workers: int, bar: Progress) -> Iterator[GameResults]:
    # Compile everything once, before the workers need it.
    for task in warm_up_tasks(tasks):
        play_task(task)

    counts = WorkerCounts()
    with process_pool.process_pool(min(workers, len(tasks)), counts.share) as pool:
        for future in [pool.submit(_play_in_worker, task) for task in tasks]:
            yield _wait(future, counts, bar)


def warm_up_tasks(tasks: Sequence[Task]) -> list[Task]:
    """A game of every agent."""
    agents = {name: task for task in tasks for name in task.names}
    return [task.first_game() for task in agents.values()]


def _play_in_worker(task: Task) -> GameResults:
    return play_task(task, WorkerCounts.shared.add)


def _wait(future: Future[GameResults], counts: WorkerCounts, bar: Progress) -> GameResults:
    """The result of a task; meanwhile the bar shows what all processes have played."""
    while not wait([future], REFRESH_SECONDS).done:
        bar.move_to(*counts.numbers)
    bar.move_to(*counts.numbers)
    return future.result()
