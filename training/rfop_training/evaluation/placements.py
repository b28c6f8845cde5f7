"""Mixed tables for games of several seats: finishing orders, with seats assigned at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.errors import RfopError, shown
from rfop_env.core.game import Game
from rfop_training.common.provenance import rounding
from rfop_training.common.records import read_records
from rfop_training.evaluation.games import MAX_DEALS, GameResults
from rfop_training.evaluation.rows import Provenance
from rfop_training.evaluation.setting import Setting, display_names
from rfop_training.evaluation.tasks import make_seated_tasks, play_tasks

ABOVE, LEVEL = " > ", " = "
CHECKED = 50  # deals that a check plays again


@dataclass(frozen=True)
class Finish(Provenance):
    """The number of games with one finishing order."""

    order: str  # from first to last: "paris/ppo-7 > scripted = random"
    games: int  # 0 for an order that only the check has
    _: KW_ONLY
    rounding: str  # digest of how the machine that played rounds sums (`rfop_training.common.provenance`)
    check: int  # games of the first deals (`checked_deals`), played separately, that ended in this order

    @property
    def places(self) -> tuple[list[str], list[int]]:
        """The agents at the table, and the place of each, from 1; agents that share a place have the same number."""
        names: list[str] = []
        places: list[int] = []
        for group in self.order.split(ABOVE):
            first = len(names) + 1
            for name in group.split(LEVEL):
                names.append(name)
                places.append(first)
        return names, places


def assign_seats(agents: int, seats: int, deals: Sequence[int]) -> NDArray[np.intp]:
    """The agent of each seat on each deal, at random: int [n, P]. All have a seat before any has two."""
    rounds = -(-seats // agents)
    assigned = np.empty((len(deals), seats), np.intp)
    for row, deal in zip(assigned, deals, strict=True):
        rng = np.random.default_rng(deal)
        row[:] = rng.permutation(np.concatenate([rng.permutation(agents) for _ in range(rounds)])[:seats])
    return assigned


def placement_reward(game: Game) -> str:
    """The reward kind that orders the seats of an ended game: "placement" where there is one, or the points."""
    return "placement" if "placement" in [reward.name for reward in game.rewards] else game.points


def finishing_order(names: Sequence[str], points: NDArray[np.float64]) -> str:
    """The finishing order of a table, from the points of its seats [P]."""
    groups = []
    for value in sorted(set(np.round(points, 6).tolist()), reverse=True):
        level = [name for name, own in zip(names, points, strict=True) if abs(own - value) < 1e-5]
        groups.append(LEVEL.join(sorted(level)))
    return ABOVE.join(groups)


def play_mixed_tables(
    setting: Setting, names: Sequence[str], deals: range, workers: int = 1, progress: bool | None = None
) -> list[Finish]:
    """Play a game on each deal; the finishing orders, the most frequent first, and last those that only the check has.

    Raises `RfopError`.
    """
    game = setting.game
    if game.spec.players == 1:
        raise RfopError(f"{setting.env} has one seat, so no places: rfop evaluate --env {setting.env}")
    if len(names) < 2:
        raise RfopError("a table is of two agents at least")
    # The order on the command line has no meaning.
    displayed = display_names(setting, names)
    names = sorted(names, key=lambda name: displayed[name])

    provenance = setting.provenance(deals) | {"rounding": rounding()}
    counts = count_orders(setting, names, deals, workers, progress)
    check = count_orders(setting, names, deals[: checked_deals(len(deals))])
    orders = dict.fromkeys([order for order, _ in counts.most_common()]) | dict.fromkeys(check)
    return [Finish(order, counts[order], **provenance, check=check[order]) for order in orders]


def count_orders(
    setting: Setting, names: Sequence[str], deals: range, workers: int = 1, progress: bool | None = None
) -> Counter[str]:
    """The number of games in each finishing order; the order of the names decides who sits where."""
    displayed = [setting.agent(name).name for name in names]
    seating = assign_seats(len(names), setting.game.spec.players, deals)
    tasks = make_seated_tasks(setting, names, seating, deals, placement_reward(setting.game))
    points = GameResults.concatenate(list(play_tasks(tasks, workers, progress))).points
    rows = zip(seating, points, strict=True)
    return Counter(finishing_order([displayed[agent] for agent in seats], row) for seats, row in rows)


def checked_deals(deals: int) -> int:
    """The number of deals that a check plays again."""
    return min(CHECKED, deals)


def entrants(finishes: Sequence[Finish]) -> tuple[list[str], Setting]:
    """The agents at the tables of a file, in the order of their names, and the setting they played in."""
    names = sorted({name for finish in finishes for name in finish.places[0]})
    first = finishes[0]
    return names, Setting.parse(first.env, first.options.split(), seed=first.seed, opening=first.opening)


def read_finishes(path: Path) -> list[Finish]:
    """The finishing orders of a file, all of one game; `RfopError`."""
    finishes = read_records(path, Finish, _fault)
    if (
        not any(finish.games for finish in finishes)
        or len({(x.env, x.options, x.components, x.deals) for x in finishes}) > 1
    ):
        raise RfopError(f"{path}: expected finishing orders of one game")
    return finishes


def _fault(finish: Finish) -> str:
    """What no finishing order can have; "" where there is nothing."""
    if not 1 <= finish.deals <= MAX_DEALS:
        return f"deals: expected 1 to {MAX_DEALS:,}, found {finish.deals}"
    if not 0 <= finish.games <= finish.deals:
        return f"games: expected 0 to {finish.deals}, the deals, found {finish.games}"
    if len(finish.places[0]) < 2:
        return f"order: expected the agents of a table, as in scripted > random, found {shown(finish.order)}"
    return ""
