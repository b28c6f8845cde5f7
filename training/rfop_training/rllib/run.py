"""A run of RLlib's PPO: train until the budget is spent, evaluate, save, stop and resume."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from rfop_agents.metadata import game_metadata
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.common.cluster import connected, require_cpus, require_ray
from rfop_training.evaluation.rows import NO_OPPONENT
from rfop_training.learning.arguments import check_budget, game_of
from rfop_training.learning.budget import Budget, CurveTimer, Timer
from rfop_training.learning.log import Callback, RunLog
from rfop_training.learning.networks import require_finite
from rfop_training.learning.opponents import agent_of
from rfop_training.learning.options import check_arguments, fixed_values
from rfop_training.learning.phases import Spent
from rfop_training.learning.run import stoppable
from rfop_training.learning.run_folder import RunFolder, run_metadata
from rfop_training.ppo.maskable import curve_opponent_of, predicted_rewards
from rfop_training.rllib.arguments import RllibArguments, opponent_of, require_shares
from rfop_training.rllib.export import weights_of

TRAINER = "rllib"
PACKAGES = ("gymnasium", "numba", "numpy", "ray", "torch")


class RllibRun:
    """An algorithm with its folder, its budget and its learning curve."""

    def __init__(
        self,
        args: RllibArguments,
        game: Game,
        components: Any,
        learning: Any,
        folder: RunFolder,
        budget: Budget,
        callback: Callback | None = None,
    ):
        self.args = args
        self.game = game
        self.components = components
        self.learning = learning
        self.folder = folder
        self.budget = budget

        name = curve_opponent_of(opponent_of(args, game), game)
        opponent = None if name == NO_OPPONENT else agent_of(args, name, game, components)
        self.log = RunLog(folder, args, game, components, opponent, budget, callback)
        self.curve_timer = CurveTimer(budget, args.evaluate_every, args.evaluate_steps, learning.steps)
        self.checkpoint_timer = Timer(budget, args.checkpoint_every)
        self.interrupted = False

    def train(self) -> None:
        """Train until the budget is spent, or the user or the callback stops it; then save.

        Raises the error of a callback once the run is saved.
        """
        budget, learning, log = self.budget, self.learning, self.log
        while budget.update(learning.steps) < 1.0 and not self.interrupted:
            if self.curve_timer.due(learning.steps):
                self.add_curve_point()
                self.curve_timer.restart(learning.steps)
            if log.ended:
                break

            self.update()
            if log.ended:
                break

            if self.checkpoint_timer.due():
                self.save(learning.steps)
                self.checkpoint_timer.restart()
        self.save()
        if log.error is None and not self.interrupted:
            self.add_curve_point()
        if log.error is not None:
            raise log.error

    def update(self) -> None:
        """Play a rollout and learn from it. Raises `RfopError` if no runner comes back within `restore_seconds`."""
        learning, budget = self.learning, self.budget
        start, steps = budget.seconds(), learning.steps
        learning_rate = self.args.learning_rate * (1.0 - 0.9 * budget.spent)
        lost_since = time.monotonic()
        while not (metrics := learning.update(learning_rate)):
            if time.monotonic() - lost_since > self.args.restore_seconds or self.interrupted:
                self.save()
                raise RfopError(
                    f"no runner answers since {time.monotonic() - lost_since:.0f} s: the cluster has lost its nodes; "
                    f"the run is saved, continue it with --resume"
                )
        require_finite(learning.steps, *(torch.from_numpy(w) for w in learning.parameters().values()))
        budget.update(learning.steps)
        speed = (learning.steps - steps) / (budget.seconds() - start)
        self.log.add_update(learning.updates, learning.steps, speed, metrics)

    def add_curve_point(self) -> None:
        """Evaluate the network, and append a line for each side to the learning curve, unless it has this point."""
        self.log.add_point(weights_of(self.learning.parameters()), self.learning.steps)

    def save(self, step: int | None = None) -> None:
        """Write the checkpoint, then the model; with `step` also a copy of the model that is kept."""
        args, learning, spent = self.args, self.learning, self.budget.time_spent()
        environment = game_metadata(self.game, self.components)
        self.folder.write_checkpoint(TRAINER, fixed_values(args), environment, spent, learning.state())

        training = {
            "option": args.option,
            "opponent": opponent_of(args, self.game),
            "rewards": predicted_rewards(args, self.game),
            "steps": learning.steps,
            "seed": args.seed,
            "minutes": round(spent.wall / 60, 2),
        }
        self.folder.write_models(weights_of(learning.parameters()), self.metadata() | environment | training, step)

    def metadata(self) -> dict[str, Any]:
        """The content of run.json."""
        opponent = curve_opponent_of(opponent_of(self.args, self.game), self.game)
        return run_metadata(TRAINER, self.args, self.game, self.components, opponent, PACKAGES)


Watch = Callable[[RllibRun], None]  # what looks on: it is given the run before its first update


def train(args: RllibArguments, callback: Callback | None = None, watch: Watch | None = None) -> Path:
    """Train a policy; returns the path of its model. Raises `RfopError` for arguments that cannot work.

    `callback` is told the metrics of every update and the points of the learning curve.
    """
    # Refuse wrong arguments before Ray starts.
    check_arguments(args)
    check_budget(args)
    require_shares(args)
    require_ray()
    torch.set_num_threads(args.threads)
    game, components = game_of(args)
    opponent_of(args, game)

    folder = RunFolder(args.run)
    with folder.hold(args.resume):
        state, before = None, None
        if args.resume:
            state, before = folder.read_checkpoint(TRAINER, args, game, components)
        with connected(args.ray, cpus=args.threads * args.runners + 1) as ray:
            require_cpus(ray, args.threads * args.runners, "--runners")
            _train_on(folder, args, game, components, state, before, callback, watch)
    return folder.model


def _train_on(
    folder: RunFolder,
    args: RllibArguments,
    game: Game,
    components: Any,
    state: dict[str, Any] | None,
    before: Spent | None,
    callback: Callback | None,
    watch: Watch | None,
) -> None:
    """Train on a cluster that is there, in a folder that no other process has."""
    from rfop_training.rllib.algorithm import Learning

    learning = Learning(args, game, components)
    try:
        if state is not None:
            with folder.checking_checkpoint():
                learning.restore(state)
        budget = Budget(args.minutes, args.steps, before)
        run = RllibRun(args, game, components, learning, folder, budget, callback)

        # Write the metadata.
        if args.resume:
            folder.resume(run.metadata(), learning.steps)
        else:
            folder.start(run.metadata())

        if watch is not None:
            watch(run)
        with stoppable(run, learning.steps):
            run.train()
    finally:
        learning.stop()
    if run.interrupted:
        raise KeyboardInterrupt(
            f"stopped at {learning.steps:,} steps; the model is {folder.model}; continue with --resume"
        )
