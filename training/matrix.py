"""The pay-off matrix of some agents: every pair of them on the same deals, as a CSV file and a heat-map.

    python -m training.matrix --env Revolution-v0 random scripted runs/mine --out runs/revolution.csv --workers 2
    python -m training.ratings runs/revolution.csv

A pair is a line for each seat and one for all seats (`training.evaluate` says how they are played). With three or four
seats a pair has an order: one agent against a table of the other. Called again, the command plays what the file lacks:
new agents, and pairs of an agent that plays otherwise than when they were written, as its fingerprint tells.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.command_line import command
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from training.arguments import Parser
from training.evaluate import (
    ALL,
    FIRST_DEAL,
    PUBLISHED,
    Meeting,
    RecordedRow,
    Results,
    Setting,
    add_arguments,
    asked,
    by_deal,
    called,
    check_of,
    lineups_of_pair,
    play_meetings,
    play_out,
    play_tasks,
    remark,
    rows_of_pair,
    spread,
    tasks_of,
)  # fmt: skip
from training.pictures import begin_picture, check_picture, write_picture
from training.records import LOCK, WAIT, locked, read_records, require_writable, write_records

PARTS = 100  # groups of deals whose means a pair keeps, for intervals of ratings
SHARED = ("env", "options", "components", "opening", "first_deal", "deals", "seed")  # by all lines of a matrix
PROBE = range(2**30, 2**30 + 4)  # the deals of fingerprints, far from those of tables


@dataclass(frozen=True)
class Line(RecordedRow):
    """A row of the matrix."""

    agent_print: str  # fingerprints of the two agents
    opponent_print: str
    parts: str  # mean share of wins in each of at most PARTS groups of deals in a row; only for all seats together

    @property
    def means(self) -> NDArray[np.float64]:
        """The parts as numbers, [at most PARTS]."""
        return np.array(self.parts.split(), np.float64)


@dataclass(frozen=True)
class Matrix:
    """Shares of wins of agent i against agent j: `share[i, j]`, NaN where the two have not met."""

    env: str
    options: str
    names: tuple[str, ...]
    seats: int
    games: int  # of the pair that has fewest
    share: NDArray[np.float64]  # [K, K]; 1 / seats on the diagonal
    parts: NDArray[np.float64]  # [K, K, parts]: the same in each group of deals
    sizes: NDArray[np.float64]  # [parts]: deals in a group


def fingerprint(setting: Setting, name: str) -> str:
    """A digest of how an agent plays: of the last positions of a few games against itself.

    Other weights, code, rules or cards change it, unless they change no decision in these games. An agent that thinks
    by the clock plays no game twice: its pairs are played anew whenever they are asked for.
    """
    game, agent = setting.game, setting.agent(name)
    batch = GameBatch(game, len(PROBE), options=dict(setting.options), components=setting.components)
    batch.reset([FIRST_DEAL + deal for deal in PROBE])
    seats = game.spec.players
    play_out(batch, [agent] * seats, np.tile(np.arange(seats), (len(PROBE), 1)), [setting.seed], setting.begin)
    return hashlib.sha256(np.ascontiguousarray(batch.states).view(np.uint8).tobytes()).hexdigest()[:12]


def groups(deals: int) -> list[NDArray[np.intp]]:
    """The deals of each part, at most PARTS of nearly equal size."""
    return np.array_split(np.arange(deals), min(PARTS, deals))


def pairs_of(setting: Setting, names: Sequence[str]) -> list[tuple[str, str]]:
    """Whom the matrix lets meet: each pair once with two seats, in both orders with more."""
    return list((itertools.combinations if setting.game.spec.players == 2 else itertools.permutations)(names, 2))


def fill(setting: Setting, names: Sequence[str], deals: range, path: Path, workers: int = 1) -> list[Line]:
    """Play the pairs that the file lacks, writing it after each; the lines of all pairs of the named agents.

    Several processes can fill one file: each reads it again before it writes, while the others wait.
    """
    if setting.game.spec.players == 1:
        raise RfopError(f"{setting.env} has one seat, so no pairs: python -m training.evaluate --env {setting.env}")
    frame = _Frame(setting, names, deals)
    kept = frame.read(path)
    pairs = pairs_of(setting, names)
    missing = [pair for pair in pairs if not frame.found(kept, *pair)]
    for lines in frame.play(missing, workers):
        with locked(path.with_name(path.name + LOCK), f"{path} is being written by another process", wait=WAIT):
            kept = [line for line in frame.read(path) if not _same_pair(line, lines[0], setting.game.spec.players)]
            kept += lines
            write_records(path, kept, Line)
        print(f"{lines[-1].agent} - {lines[-1].opponent}: {lines[-1].win_rate:.1%}", file=sys.stderr)
    return [line for pair in pairs for line in frame.found(kept, *pair)]


def _same_pair(a: Line, b: Line, seats: int) -> bool:
    return (a.agent, a.opponent) == (b.agent, b.opponent) or (
        seats == 2 and (a.agent, a.opponent) == (b.opponent, b.agent)
    )


class _Frame:
    """What all new lines of a matrix share."""

    def __init__(self, setting: Setting, names: Sequence[str], deals: range):
        self.setting, self.names, self.deals = setting, names, deals
        self.called = called(setting, names)
        self.prints = {name: fingerprint(setting, name) for name in names}
        self.told = setting.provenance(deals)

    def read(self, path: Path) -> list[Line]:
        """The lines of a file, none without it; `RfopError` where they are of another game, or on other deals."""
        kept = read_records(path, Line) if path.exists() else []
        for name in SHARED:
            other = [getattr(line, name) for line in kept if getattr(line, name) != self.told[name]]
            if other:
                raise RfopError(
                    f"{path} has {name} {other[0]!r}, asked for is {self.told[name]!r}: give another --out, or the same"
                )
        return kept

    def found(self, kept: Sequence[Line], first: str, second: str) -> list[Line]:
        """The lines of a pair, in either order with two seats, if the two play as they did then."""
        orders = [(first, second), (second, first)] if self.setting.game.spec.players == 2 else [(first, second)]
        for a, b in orders:
            wanted = (self.called[a], self.called[b], self.prints[a], self.prints[b])
            lines = [x for x in kept if (x.agent, x.opponent, x.agent_print, x.opponent_print) == wanted]
            if lines:
                return lines
        return []

    def play(self, pairs: Sequence[tuple[str, str]], workers: int) -> Iterator[list[Line]]:
        """Play pairs; the lines of each."""
        lineups = [[tasks_of(*one, self.deals) for one in lineups_of_pair(self.setting, *pair)] for pair in pairs]
        played = play_tasks([task for pair in lineups for tasks in pair for task in tasks], workers)
        for pair, seats in zip(pairs, lineups, strict=True):
            results = [Results.joined(list(itertools.islice(played, len(tasks)))) for tasks in seats]
            few = play_meetings([Meeting(self.setting, *pair)], spread(self.deals))[0]
            yield self.lines(*pair, results, [check_of(games) for games in few])

    def lines(self, first: str, second: str, results: Sequence[Results], checks: Sequence[str]) -> list[Line]:
        """The lines of a pair from its results, one for each seat of the first agent, and the checks of all lines."""
        games = [result.of(seat) for seat, result in enumerate(results)]
        names = self.called[first], self.called[second]
        rows = rows_of_pair(self.setting.game, *names, dict(self.setting.options), games)
        per_deal = by_deal(games)
        parts = " ".join(f"{per_deal[group].mean():.4g}" for group in groups(len(self.deals)))
        rest = {**self.told, "agent_print": self.prints[first], "opponent_print": self.prints[second]}
        return [
            Line(**asdict(row), **rest, check=check, parts=parts if row.side == ALL else "")
            for row, check in zip(rows, checks, strict=True)
        ]


def read_matrix(path: Path, without: Sequence[str] = ()) -> Matrix:
    """The matrix that a file holds, without some agents.

    Raises `RfopError` where it is no matrix or mixes two states of an agent, `UnknownName` for an agent it has not.
    """
    lines = [line for line in read_records(path, Line) if line.side == ALL]
    names = {name for line in lines for name in (line.agent, line.opponent)}
    for name in without:
        if name not in names:
            raise UnknownName("agent of this matrix", name, sorted(names))
    return matrix_of([line for line in lines if not {line.agent, line.opponent} & set(without)], str(path))


def matrix_of(lines: Sequence[Line], where: str = "matrix") -> Matrix:
    """The matrix of lines for all seats together."""
    lines = [line for line in lines if line.side == ALL]
    if not lines:
        raise RfopError(f"{where} holds no pair")
    for name in SHARED:
        if len({getattr(line, name) for line in lines}) > 1:
            raise RfopError(f"{where}: its pairs differ in {name}; a matrix is of one game on the same deals")
    prints: dict[str, set[str]] = {}
    for line in lines:
        prints.setdefault(line.agent, set()).add(line.agent_print)
        prints.setdefault(line.opponent, set()).add(line.opponent_print)
    changed = [name for name, found in prints.items() if len(found) > 1]
    if changed:
        raise RfopError(
            f"{where}: {changed[0]} changed between its pairs: run training.matrix again with all its agents"
        )
    names, first = list(prints), lines[0]
    seats = round(first.games / first.deals)
    share = np.full((len(names), len(names), len(groups(first.deals))), np.nan)
    for line in lines:
        i, j = names.index(line.agent), names.index(line.opponent)
        share[i, j] = line.means
        if seats == 2:
            share[j, i] = 1 - line.means
    share[range(len(names)), range(len(names))] = 1 / seats
    sizes = np.array([len(group) for group in groups(first.deals)], np.float64)
    games = min(line.games for line in lines)
    return Matrix(first.env, first.options, tuple(names), seats, games, share @ sizes / sizes.sum(), share, sizes)


def table(matrix: Matrix) -> str:
    """The matrix in Markdown: the row's share of wins against the column."""
    lines = [["", *matrix.names], ["---", *["---:"] * len(matrix.names)]]
    for i, name in enumerate(matrix.names):
        lines.append([name, *("-" if i == j or np.isnan(x) else f"{x:.1%}" for j, x in enumerate(matrix.share[i]))])
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return text + (f"\n\n{remark(matrix.games)}" if matrix.games < PUBLISHED else "")


def draw(matrix: Matrix, out: Path) -> None:
    """The matrix as a heat-map, agents from the strongest to the weakest; the suffix of `out` says PNG, SVG or PDF."""
    order = np.argsort(-np.nanmean(matrix.share, axis=1), kind="stable")
    share, k = matrix.share[np.ix_(order, order)], len(order)
    figure, axes = begin_picture(2.4 + 0.75 * k, 1.6 + 0.6 * k)
    half = max(1 / matrix.seats, 1 - 1 / matrix.seats)
    axes.imshow(share, cmap="RdBu", vmin=1 / matrix.seats - half, vmax=1 / matrix.seats + half, aspect="auto")
    names = [matrix.names[i] for i in order]
    axes.set_xticks(range(k), names, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(k), names)
    for i, j in itertools.product(range(k), repeat=2):
        if i != j and not np.isnan(share[i, j]):
            dark = abs(share[i, j] - 1 / matrix.seats) > 0.6 * half
            axes.text(j, i, f"{share[i, j]:.1%}", ha="center", va="center", color="w" if dark else "k", fontsize=8)
    few = "" if matrix.games >= PUBLISHED else "\nnot for publication: too few games"
    title = f"{matrix.env} {matrix.options}".strip()
    axes.set_title(f"{title}: wins of the row, {matrix.games:,} games a pair{few}", fontsize=9)
    write_picture(figure, out)


@command(stopped="stopped: the same command plays the pairs that are missing")
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.matrix", __doc__)
    add_arguments(parser, "RedFlagOverParis-v0")
    parser.add_argument("--out", type=Path, required=True, help="the CSV file; what it has is not played again")
    parser.add_argument("--figure", type=Path, help="also draw the heat-map: a .png, .svg or .pdf file")
    told = parser.parse_args(arguments)
    if len(told.agents) < 2:
        raise RfopError("a matrix is of two agents at least")
    require_writable(told.out, "--out")
    if told.figure:
        check_picture(told.figure)
        require_writable(told.figure, "--figure")
    setting, deals = asked(told)
    matrix = matrix_of(fill(setting, told.agents, deals, told.out, told.workers))
    if told.figure:
        draw(matrix, told.figure)
    print(table(matrix))
    return 0


if __name__ == "__main__":
    sys.exit(main())
