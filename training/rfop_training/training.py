"""Training from Python: the trainers of `rfop train` as one function, whose result is data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from rfop_env.core.errors import BadArgument, UnknownName
from rfop_env.core.game import Game
from rfop_env.game_setup import option_text
from rfop_env.registry import register
from rfop_training.common.command_line import ENV

if TYPE_CHECKING:
    from rfop_training.run import Callback, CurveRow

ALGORITHMS = {  # the second words of `rfop train`: module and class of arguments; the module has `train_run`
    "ppo": ("rfop_training.ppo", "PPOArguments"),
    "expert": ("rfop_training.expert_iteration", "ExpertArguments"),
    "maskable": ("rfop_training.maskable", "MaskableArguments"),
}
OF_SEEDS = ("seeds", "at_once")  # settings of the command, which trains several runs


@dataclass(frozen=True)
class TrainingResult:
    """What a training made; `pandas.DataFrame(result.curve)` and `pandas.DataFrame(result.metrics)` are tables."""

    run: Path  # the folder
    model: Path  # the newest network, which every command and `rfop_agents.load` take
    curve: list[CurveRow]  # a row for each side and point of the learning curve
    metrics: list[dict[str, float]]  # a row for each update: the columns of progress.csv

    @property
    def wins(self) -> float:
        """The share of wins at the last point of the curve, the mean over the sides."""
        from rfop_training.run import WINS, win_columns

        return win_columns({row.side: row.win_rate for row in self.curve})[WINS]


def train(
    algorithm: str = "ppo",
    *,
    run: str | Path,
    env: str | Game = ENV,
    steps: int = 0,
    callback: Callback | None = None,
    **settings: Any,
) -> TrainingResult:
    """Train a network in one environment, in the folder of a run, and return what was made.

    `algorithm` is the second word of `rfop train`: "ppo", "expert" or "maskable". `run`, `env`, `steps` and
    `settings` are the arguments of that command (`rfop train ppo --help`), with underscores: `minutes=10`,
    `num_envs=64`, `resume=True`, `quiet=True`. `env` may be a game, and `option` a mapping, as `{"players": 3}`.
    `steps` counts decisions of the learner; give it, or `minutes`.

    `callback` is called after every update with its metrics (the columns of progress.csv as numbers), and after every
    point of the learning curve with its `steps`, `seconds`, `wins` (the mean over the sides) and `wins_SIDE`. Where it
    returns True, the run ends after this update as at the end of its budget: it is saved, evaluated, and can be
    resumed. Where it raises an exception, the run is saved, and the exception is raised from here.

    Raises `UnknownName` for an unknown algorithm, setting or name, and `RfopError` for values that cannot work.
    Ctrl-C saves the run and raises `KeyboardInterrupt`.
    """
    module, kind = load_algorithm(algorithm)
    name = register(env) if isinstance(env, Game) else env
    values = {"run": Path(run), "env": name, "steps": steps, **_check_settings(algorithm, kind, settings)}

    threads = torch.get_num_threads()  # which trainers set for themselves
    try:
        folder = module.train_run(kind(**values), callback).folder
    finally:
        torch.set_num_threads(threads)
    return TrainingResult(folder.path, folder.model, folder.curve_rows(), folder.read_metrics())


def load_algorithm(name: str) -> tuple[Any, type]:
    """The module of an algorithm, and the class of its arguments. Raises `UnknownName`."""
    if name not in ALGORITHMS:
        raise UnknownName("algorithm", name, ALGORITHMS)
    module_name, class_name = ALGORITHMS[name]
    module = import_module(module_name)
    return module, getattr(module, class_name)


def _check_settings(algorithm: str, arguments: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as a trainer's arguments have them. Raises `UnknownName`, and `BadArgument` for several runs."""
    names = [f.name for f in fields(arguments) if f.name not in OF_SEEDS]
    values = dict(settings)
    for name, value in values.items():
        if name in OF_SEEDS:
            raise BadArgument(f"{name}: a call trains one run; call train once for each seed, with a run of its own")
        if name not in names:
            raise UnknownName(f"setting of {algorithm}", name, names)
        if name == "option" and isinstance(value, Mapping):
            values[name] = option_text(value)
        elif isinstance(value, Path):  # of a component file, or an initial network
            values[name] = str(value)
    return values
