"""The pay-off matrix of some agents: every pair of them on the same deals, kept in a CSV file."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core import errors
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.own_code import Act
from rfop_training.common.records import add_records, read_records
from rfop_training.evaluation import matchups
from rfop_training.evaluation import setting as settings
from rfop_training.evaluation.games import FIRST_DEAL, MAX_DEALS, GameResults, play_out
from rfop_training.evaluation.rows import ALL, RecordedRow, is_search, pair_rows, remark, wins_per_deal
from rfop_training.evaluation.setting import Player, Setting
from rfop_training.evaluation.tasks import Workers, make_tasks, play_tasks

PARTS = 100  # groups of deals whose means a row stores, for the bootstrap of ratings
SHARED = ("env", "options", "components", "opening", "first_deal", "seed")  # by all rows of a matrix
PROBE = range(2**30, 2**30 + 4)  # the deals of fingerprints, far from those of tables


@dataclass(frozen=True, kw_only=True)
class MatrixRow(RecordedRow):
    """A row of the matrix."""

    agent_print: str  # fingerprints of the two agents
    opponent_print: str
    parts: str  # mean share of wins in each group of consecutive deals; only in rows for all seats

    @property
    def means(self) -> NDArray[np.float64]:
        """The parts as numbers, [at most PARTS]."""
        return np.array(self.parts.split(), np.float64)


@dataclass(frozen=True)
class Matrix:
    """The shares of wins of agent i against agent j, `share[i, j]`; NaN where the two have not played."""

    env: str
    options: str
    names: tuple[str, ...]
    seats: int
    games: int  # of the pair with the fewest games
    share: NDArray[np.float64]  # [K, K]; 1 / seats on the diagonal
    parts: NDArray[np.float64]  # [K, K, parts]: the same in each group of deals
    sizes: NDArray[np.float64]  # [parts]: deals in a group


def fingerprint(setting: Setting, name: Player) -> str:
    """A digest of how an agent plays: the hash of the last positions of a few games against itself.

    It changes with weights, code, rules or cards, unless they change no decision of these games. A search with a time
    budget has another fingerprint each time, so its pairs are always played again. An agent with a `fingerprint` of its
    own, as a language model has, plays nothing for it.
    """
    game, agent = setting.game, setting.agent(name)
    if agent.fingerprint is not None:
        return agent.fingerprint
    batch = GameBatch(game, len(PROBE), options=dict(setting.options), components=setting.components)
    batch.reset([FIRST_DEAL + deal for deal in PROBE])
    seats = game.spec.players
    seating = np.tile(np.arange(seats), (len(PROBE), 1))
    play_out(batch, [agent] * seats, seating, [setting.seed], setting.opening_decisions)
    return hashlib.sha256(np.ascontiguousarray(batch.states).view(np.uint8).tobytes()).hexdigest()[:12]


def deal_groups(deals: int) -> list[NDArray[np.intp]]:
    """The deals of each part, at most PARTS of nearly equal size."""
    return np.array_split(np.arange(deals), min(PARTS, deals))


def make_pairs(setting: Setting, names: Sequence[Player]) -> list[tuple[Player, Player]]:
    """The pairs of a matrix: each pair once with two seats, in both orders with more."""
    choose = itertools.combinations if setting.game.spec.players == 2 else itertools.permutations
    return list(choose(names, 2))


def matrix(
    env: str | Game,
    agents: Sequence[Player | Act],
    deals: int | range | None = None,
    *,
    options: Mapping[str, object] | None = None,
    components: str | None = None,
    seed: int = 0,
    threads: int = 1,
    workers: Workers = 1,
    opening: int | None = None,
    path: Path | None = None,
    progress: bool | None = None,
    any_components: bool = False,
    slow_deals: int | None = None,
) -> list[MatrixRow]:
    """Play every pair of agents on the same deals; returns the rows of all pairs.

    With `slow_deals`, pairs in which an agent searches or rolls out play only so many of the deals, the first ones.
    `path` is a CSV file that keeps the rows: pairs that it has are not played again. The other arguments, the rows and
    what is raised are those of `evaluate`; `make_matrix` makes a `Matrix` of the rows.
    """
    setting = Setting(
        settings.environment_id(env), tuple((options or {}).items()), components, seed, threads, opening, any_components
    )
    names = settings.list_players(agents, workers)
    if len(names) < 2:
        raise errors.BadArgument("agents: a matrix is of two agents at least")
    return fill(setting, names, settings.deal_range(setting, deals), path, workers, progress, slow_deals=slow_deals)


def fill(
    setting: Setting,
    names: Sequence[Player],
    deals: range,
    path: Path | None,
    workers: Workers = 1,
    progress: bool | None = None,
    on_pair: Callable[[MatrixRow], None] | None = None,
    slow_deals: int | None = None,
) -> list[MatrixRow]:
    """Play the pairs that a file lacks, and write it after each pair; returns the rows of all pairs of these agents.

    Without a file all pairs are played. Several processes can fill one file: each holds its lock while it reads and
    writes. `progress` is that of `play_tasks`, `slow_deals` that of `matrix`; `on_pair` gets the row of each pair for
    all seats. Raises `RfopError`.
    """
    seats = setting.game.spec.players
    if seats == 1:
        raise errors.RfopError(f"{setting.env} has one seat, so no pairs: rfop evaluate --env {setting.env}")

    player = _PairPlayer(setting, names, deals, slow_deals)
    rows = player.read(path)
    pairs = make_pairs(setting, names)
    missing = [pair for pair in pairs if not player.pair_rows(rows, *pair)]
    for new in player.play(missing, workers, progress):
        rows += new
        if path is not None:
            add_records(path, new, MatrixRow, partial(_pair_key, seats))
        if on_pair is not None:
            on_pair(new[-1])
    rows = rows if path is None else player.read(path)
    return [row for pair in pairs for row in player.pair_rows(rows, *pair)]


def _fault(row: MatrixRow) -> str:
    """What no row of a matrix can have; "" where there is nothing."""
    if not 1 <= row.deals <= MAX_DEALS:
        return f"deals: expected 1 to {MAX_DEALS:,}, found {row.deals}"
    if row.games < 1 or row.games % row.deals:
        return f"games: expected a game or several on each of the {row.deals} deals, found {row.games}"
    if row.side == ALL and not _are_shares(row):
        return (
            f"parts: expected {len(deal_groups(row.deals))} shares of wins from 0 to 1, found {errors.shown(row.parts)}"
        )
    return ""


def _are_shares(row: MatrixRow) -> bool:
    try:
        return len(row.means) == len(deal_groups(row.deals)) and bool(((row.means >= 0) & (row.means <= 1)).all())
    except ValueError:
        return False


def _pair_key(seats: int, row: MatrixRow) -> object:
    """The agents of a row; with two seats in any order."""
    return frozenset((row.agent, row.opponent)) if seats == 2 else (row.agent, row.opponent)


class _PairPlayer:
    """Plays pairs of agents for a matrix, and finds their rows in a file."""

    def __init__(self, setting: Setting, names: Sequence[Player], deals: range, slow_deals: int | None = None):
        self.setting = setting
        self.deals = deals
        self.slow_deals = len(deals) if slow_deals is None else slow_deals
        least = min(PARTS, len(deals))
        if not least <= self.slow_deals <= len(deals):
            raise errors.BadArgument(
                f"slow_deals: from {least}, one for each part of the other pairs, to {len(deals)}; found {slow_deals}"
            )
        self.displayed = settings.display_names(setting, names)
        self.fingerprints = {name: fingerprint(setting, name) for name in names}
        self.provenance = setting.provenance(deals)

    def pair_deals(self, *names: str) -> range:
        """The deals of a pair of agents, by their display names."""
        return self.deals[: self.slow_deals] if any(map(is_search, names)) else self.deals

    def read(self, path: Path | None) -> list[MatrixRow]:
        """The rows of a file, none where there is no file. Raises `RfopError` where game, deals or seed are others."""
        rows = read_records(path, MatrixRow, _fault) if path is not None and path.exists() else []
        for name in SHARED:
            expected = self.provenance[name]
            different = [getattr(row, name) for row in rows if getattr(row, name) != expected]
            if different:
                raise errors.RfopError(
                    f"{path} has {name} {different[0]!r}, but {expected!r} was asked for: "
                    "give another --out, or the same"
                )
        for row in rows:
            if row.deals != (number := len(self.pair_deals(row.agent, row.opponent))):
                raise errors.RfopError(
                    f"{path} has deals {row.deals}, but {number} was asked for: give another --out, or the same"
                )
        return rows

    def pair_rows(self, rows: Sequence[MatrixRow], first: Player, second: Player) -> list[MatrixRow]:
        """The rows of a pair, in either order with two seats, if both agents have the fingerprints of these rows."""
        orders = [(first, second), (second, first)] if self.setting.game.spec.players == 2 else [(first, second)]
        for a, b in orders:
            key = (self.displayed[a], self.displayed[b], self.fingerprints[a], self.fingerprints[b])
            matches = [x for x in rows if (x.agent, x.opponent, x.agent_print, x.opponent_print) == key]
            if matches:
                return matches
        return []

    def play(
        self, pairs: Sequence[tuple[Player, Player]], workers: Workers, progress: bool | None
    ) -> Iterator[list[MatrixRow]]:
        """Play pairs; yields the rows of each."""
        lineups = []  # of each pair, the tasks of each seat
        deals = [self.pair_deals(*(self.displayed[name] for name in pair)) for pair in pairs]
        for pair, numbers in zip(pairs, deals, strict=True):
            seats = matchups.Matchup(self.setting, *pair).lineups
            lineups.append([make_tasks(self.setting, seat, numbers) for seat in seats])

        tasks = itertools.chain.from_iterable(itertools.chain.from_iterable(lineups))
        blocks = play_tasks(list(tasks), workers, progress)
        for pair, numbers, seat_tasks in zip(pairs, deals, lineups, strict=True):
            lengths = map(len, seat_tasks)
            results = [GameResults.concatenate(list(itertools.islice(blocks, length))) for length in lengths]
            checks = matchups.play_checks([matchups.Matchup(self.setting, *pair)], numbers, progress=False)
            yield self._rows(*pair, numbers, results, checks)

    def _rows(
        self, first: Player, second: Player, deals: range, results: Sequence[GameResults], checks: Sequence[str]
    ) -> list[MatrixRow]:
        """The rows of a pair, from its results in each seat of the first agent and the checks of all rows."""
        games = [result.from_seat(seat) for seat, result in enumerate(results)]
        names = self.displayed[first], self.displayed[second]
        rows = pair_rows(self.setting.game, *names, dict(self.setting.options), games)

        wins = wins_per_deal(games)
        parts = " ".join(f"{wins[group].mean():.4g}" for group in deal_groups(len(deals)))
        fingerprints: dict[str, Any] = {
            "agent_print": self.fingerprints[first],
            "opponent_print": self.fingerprints[second],
        }
        return [
            MatrixRow(**asdict(row), **fingerprints, parts=parts if row.side == ALL else "")
            for row in matchups.record_rows(rows, self.provenance | {"deals": len(deals)}, checks)
        ]


# -- reading -----------------------------------------------------------------------------------------------------------


def read_matrix(path: Path, without: Sequence[str] = ()) -> Matrix:
    """The matrix in a file, without some agents.

    Raises `RfopError` where it is no matrix or an agent changed between its pairs, `UnknownName` for an unknown agent.
    """
    rows = [row for row in read_records(path, MatrixRow, _fault) if row.side == ALL]
    names = {name for row in rows for name in (row.agent, row.opponent)}
    for name in without:
        if name not in names:
            raise errors.UnknownName("agent of this matrix", name, sorted(names))
    return make_matrix([row for row in rows if not {row.agent, row.opponent} & set(without)], str(path))


def make_matrix(rows: Sequence[MatrixRow], where: str = "matrix") -> Matrix:
    """The matrix of rows for all seats together. Raises `RfopError` where they do not belong to one matrix."""
    rows = [row for row in rows if row.side == ALL]
    if not rows:
        raise errors.RfopError(f"{where} holds no pair")

    # All rows are of one game on the same deals, and each agent plays alike in all of them.
    for name in SHARED:
        if len({getattr(row, name) for row in rows}) > 1:
            raise errors.RfopError(f"{where}: its pairs differ in {name}; a matrix is of one game on the same deals")
    longest = max(rows, key=lambda row: row.deals)
    if any(len(row.means) != len(longest.means) for row in rows):
        raise errors.RfopError(
            f"{where}: its pairs differ in parts; the shortest needs as many deals as there are parts"
        )
    fingerprints: dict[str, set[str]] = {}
    for row in rows:
        fingerprints.setdefault(row.agent, set()).add(row.agent_print)
        fingerprints.setdefault(row.opponent, set()).add(row.opponent_print)
    changed = [name for name, prints in fingerprints.items() if len(prints) > 1]
    if changed:
        raise errors.RfopError(
            f"{where}: {changed[0]} changed between its pairs: run rfop matrix again with all its agents"
        )

    # Shares of wins in each group of deals; with two seats a pair fills two entries.
    names, first = list(fingerprints), rows[0]
    seats = round(first.games / first.deals)
    parts = np.full((len(names), len(names), len(longest.means)), np.nan)
    for row in rows:
        i, j = names.index(row.agent), names.index(row.opponent)
        parts[i, j] = row.means
        if seats == 2:
            parts[j, i] = 1 - row.means
    parts[range(len(names)), range(len(names))] = 1 / seats

    sizes = np.array([len(group) for group in deal_groups(longest.deals)], np.float64)
    games = min(row.games for row in rows)
    return Matrix(first.env, first.options, tuple(names), seats, games, parts @ sizes / sizes.sum(), parts, sizes)


def matrix_table(matrix: Matrix) -> str:
    """The matrix in Markdown: the share of wins of the row against the column."""
    lines = []
    for i, name in enumerate(matrix.names):
        cells = ["-" if np.isnan(share) else f"{share:.1%}" for share in matrix.share[i]]
        cells[i] = "-"
        lines.append([name, *cells])
    text = markdown_table(["", *matrix.names], lines, right=range(1, 1 + len(matrix.names)))
    return "\n\n".join(filter(None, [text, remark(matrix.games, matrix.names)]))
