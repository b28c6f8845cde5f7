"""The profile of a run: how long each phase of training takes, a decision and in all."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from training.ppo import maskable, self_play
from training.ppo.arguments import MaskableArguments, SelfPlayArguments
from training.ppo.collector import CHAINS, ENVIRONMENT, OBSERVATIONS, POLICY
from training.ppo.learner import ADVANTAGES, BACKWARD, FORWARD, MINIBATCHES, OPTIMISER
from training.ppo.phases import BOOKKEEPING, EVALUATION, FINISHED, SAVING, STARTING, Phases, Spent


@dataclass(frozen=True)
class Profile:
    """Where the time of a run went."""

    decisions: int  # of the learner
    wall: float  # seconds by the clock
    phases: dict[str, Spent]  # of all threads together

    @property
    def processor(self) -> float:
        """Seconds on processors."""
        return sum(spent.processor for spent in self.phases.values())

    @classmethod
    def of(cls, decisions: int, threads: Iterable[Phases]) -> Profile:
        """The sum over the threads of a run, of which the first works from its start to its end."""
        total: dict[str, Spent] = {}
        first, *others = threads
        for phases in (first, *others):
            for name, spent in phases.spent.items():
                if name != STARTING:
                    sums = total.setdefault(name, Spent())
                    sums.wall += spent.wall
                    sums.processor += spent.processor
        wall = sum(spent.wall for name, spent in first.spent.items() if name != STARTING)
        return cls(decisions, wall, total)

    def table(self) -> str:
        """The phases as lines of text, the longest first."""
        lines = [f"{'phase':26}{'clock, s':>10}{'processor, s':>14}{'share':>8}{'us a decision':>15}"]
        for name, spent in sorted(self.phases.items(), key=lambda item: -item[1].processor):
            share = spent.processor / self.processor
            microseconds = 1e6 * spent.processor / self.decisions
            lines.append(f"{name:26}{spent.wall:10.2f}{spent.processor:14.2f}{share:8.1%}{microseconds:15.2f}")
        lines.append(
            f"{self.decisions:,} decisions in {self.wall:.1f} s: {self.decisions / self.wall:,.0f} a second by the "
            f"clock, {self.decisions / self.processor:,.0f} a second of processor time"
        )
        return "\n".join(lines)


def profile_self_play(args: SelfPlayArguments, seconds: float) -> Profile:
    """Train for so many seconds in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        run = self_play.train_run(replace(args, run=Path(folder) / "run", minutes=seconds / 60, quiet=True))
    return Profile.of(run.trainer.steps, run.trainer.workers.phases)


def profile_maskable(args: MaskableArguments, seconds: float) -> Profile:
    """Train for so many seconds in a temporary folder, the parts of sb3-contrib timed from outside."""
    phases = Phases()
    models = []

    def watch(model: Any, env: Any, callback: Any) -> None:
        models.append(model)
        policy, buffer = model.policy, model.rollout_buffer
        for owner, name, phase in (
            (env, "step_wait", ENVIRONMENT),
            (env, "env_method", OBSERVATIONS),
            (policy, "forward", POLICY),
            (policy, "predict_values", POLICY),
            (buffer, "add", CHAINS),
            (buffer, "compute_returns_and_advantage", ADVANTAGES),
            (buffer, "_get_samples", MINIBATCHES),
            (policy, "evaluate_actions", FORWARD),
            (torch.Tensor, "backward", BACKWARD),
            (policy.optimizer, "step", OPTIMISER),
            (callback, "add_curve_point", EVALUATION),
            (callback, "save", SAVING),
        ):
            setattr(owner, name, timed(phases, phase, getattr(owner, name)))
        phases.begin(BOOKKEEPING)

    backward = torch.Tensor.backward
    try:
        with tempfile.TemporaryDirectory() as folder:
            maskable.train(replace(args, run=Path(folder) / "run", minutes=seconds / 60, quiet=True), watch)
    finally:
        torch.Tensor.backward = backward  # type: ignore[method-assign]
    phases.begin(FINISHED)
    return Profile.of(int(models[0].num_timesteps), [phases])


def timed(phases: Phases, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its time counted as this phase; the phase before goes on after it."""

    def call(*args: Any, **named: Any) -> Any:
        before = phases.phase
        phases.begin(phase)
        try:
            return function(*args, **named)
        finally:
            phases.begin(before)

    return call
