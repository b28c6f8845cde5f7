"""Evaluation on a Ray cluster: a task for each block of games, with the same results as on one machine."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rfop_env.command_line import UsageError
from rfop_env.core.errors import RfopError
from rfop_env.process_pool import available_cpus
from rfop_training.common.cluster import ADDRESS, HERE, connected, node_address, nodes, on_node, require_cpus
from rfop_training.evaluation.games import GameResults
from rfop_training.evaluation.progress import Progress
from rfop_training.evaluation.tasks import REFRESH_SECONDS, Task, Workers, play_task, warm_up_tasks


class RayWorkers:
    """The nodes of a cluster as workers of `play_tasks`: each task takes as many of their CPUs as it has threads."""

    def __init__(self, ray: Any):
        self.ray = ray

    def play(self, tasks: Sequence[Task], bar: Progress) -> Iterator[GameResults]:
        """The results of tasks in order. Tasks of a node that dies are played again on others.

        Tasks whose results nobody waits for any more, after Ctrl-C, end with the connection.

        Raises `RfopError`, also where a node lacks the file of an agent.
        """
        require_cpus(self.ray, max(task.setting.threads for task in tasks), "--threads")
        self._compile(tasks)

        # All tasks at once: Ray gives one to every CPU that is free.
        remote = self.ray.remote(play_task)
        running = [
            remote.options(num_cpus=task.setting.threads, scheduling_strategy="SPREAD").remote(task) for task in tasks
        ]
        for result in running:
            self._wait(result, running, tasks, bar)
            yield self._get(result)

    def _compile(self, tasks: Sequence[Task]) -> None:
        """Play a game of every agent on every node, so that each compiles what it lacks once, in one process."""
        games = warm_up_tasks(tasks)
        remote = self.ray.remote(_play_all)
        playing = {node: remote.options(scheduling_strategy=on_node(node)).remote(games) for node in nodes(self.ray)}
        for node, result in playing.items():
            try:
                self._get(result)
            except RfopError as error:
                raise RfopError(
                    f"node {node_address(self.ray, node)}: {error} (a file must lie on every node under the same path)"
                ) from error

    def _wait(self, result: Any, running: Sequence[Any], tasks: Sequence[Task], bar: Progress) -> None:
        """Wait for a result; meanwhile the bar shows the games of all tasks that are done."""
        while not self.ray.wait([result], timeout=REFRESH_SECONDS)[0]:
            ready, _ = self.ray.wait(list(running), num_returns=len(running), timeout=0)
            finished = set(ready)
            lengths = [len(task.deals) for handle, task in zip(running, tasks, strict=True) if handle in finished]
            bar.move_to(sum(lengths))

    def _get(self, result: Any) -> Any:
        """The value of a task. Raises the `RfopError` that it raised, and `RfopError` if it could not be run."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(result)
        except errors.RayTaskError as error:
            if isinstance(error.cause, RfopError):
                raise error.cause from None
            raise
        except errors.RayError as error:
            raise RfopError(f"the cluster could not play all games: {str(error).strip().splitlines()[0]}") from error


def _play_all(tasks: Sequence[Task]) -> None:
    for task in tasks:
        play_task(task)


# -- the command line --------------------------------------------------------------------------------------------------


def add_ray(parser: argparse.ArgumentParser) -> None:
    """Add `--ray [ADDRESS]`."""
    parser.add_argument(
        "--ray",
        nargs="?",
        const=HERE,
        metavar="ADDRESS",
        help=f"play on all nodes of a cluster: {ADDRESS} (the default without ADDRESS)",
    )


@contextmanager
def parse_workers(args: argparse.Namespace) -> Iterator[Workers]:
    """The workers of a command line: processes of this machine, or with `--ray` a cluster. Raises `RfopError`."""
    if args.ray is None:
        yield args.workers
        return
    if args.workers != 1:
        raise UsageError("--workers: processes of this machine; leave it out, --ray takes all CPUs of the cluster")
    with connected(args.ray, cpus=available_cpus()) as ray:
        yield RayWorkers(ray)
