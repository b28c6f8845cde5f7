"""A point of a run's learning curve: evaluated, and written into the folder of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from rfop_agents.network import NetworkAgent
from rfop_env.agent import Agent
from rfop_env.core.game import Game
from rfop_training.evaluation.rows import Row
from rfop_training.learning.arguments import RunArguments, game_options
from rfop_training.learning.budget import Budget
from rfop_training.learning.curve import curve_rows
from rfop_training.learning.run_folder import RunFolder


def add_point(
    folder: RunFolder,
    args: RunArguments,
    game: Game,
    components: Any,
    weights: Mapping[str, NDArray[Any]],
    opponent: Agent | None,
    budget: Budget,
    steps: int,
) -> list[Row]:
    """Evaluate the network of a run after so many steps, and append a line for each side to its learning curve.

    Returns the rows; none if the curve has this point.
    """
    if folder.has_point(steps):
        return []
    agent = NetworkAgent.of_weights(weights, "training")
    rows = curve_rows(
        game, agent, opponent, args.evaluate_deals, options=game_options(args.option, game), components=components,
        threads=args.threads, replays=folder.replays_of(steps, args.evaluate_replays),
    )  # fmt: skip
    folder.add_point(rows, budget.time_spent(), steps, args.seed)
    return rows
