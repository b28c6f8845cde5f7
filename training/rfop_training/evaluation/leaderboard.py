"""Entries of a leaderboard: an agent on a fixed ladder of opponents, on deals that a seed of the caller chooses."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from rfop_env.core.errors import RfopError, UnknownName, shown
from rfop_env.core.files import read_text, read_toml, write_whole
from rfop_env.core.game import Game
from rfop_env.registry import get_game
from rfop_training.common.provenance import rounding
from rfop_training.common.records import read_rows
from rfop_training.evaluation.games import FIRST_DEAL, MAX_DEALS, play_seated
from rfop_training.evaluation.matrix import fingerprint
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, RecordedRow, rows_table, write_rows
from rfop_training.evaluation.statistics import wilson
from rfop_training.evaluation.tasks import (
    Player,
    Setting,
    check_of,
    deals_to_check,
    display_names,
    evaluate,
    matchups_of,
    play_matchups,
    recorded,
)
from rfop_training.evaluation.timed import Timed

LADDER = Path(__file__).with_name("ladder.toml")
ROWS, ENTRY, CARD = "rows.csv", "entry.json", "card.md"  # files of an entry's folder
FORMAT = 3
TIMED_DEALS = 20  # played at the same time, in which an agent's decisions are timed
PACKAGES = ("numpy", "numba")
LARGEST = 2**22  # bytes of an entry's file
ROUNDED = 2e-5  # how far a share may be from that of other figures, since files have six digits
SAME = attrgetter("agent", "side", "env", "options", "opening", "first_deal", "deals", "seed", "check")  # played again


@dataclass(frozen=True)
class Rung:
    """An opponent of the ladder, or none in a game of one seat, and the least number of games of each row."""

    env: str
    opponent: str
    games: int


def read_ladder(env: str, path: Path = LADDER) -> list[Rung]:
    """The ladder of an environment, in order. Raises `RfopError` and `UnknownName`."""
    rungs = []
    for number, entry in enumerate(read_toml(path, LARGEST).get("rung", []), 1):
        if set(entry) - {"opponents"} != {"env", "games"}:
            raise RfopError(f"{path}: rung {number}: expected env, games and perhaps opponents, found {shown(entry)}")
        opponents = entry.get("opponents", [NO_OPPONENT])
        rungs += [Rung(get_game(entry["env"]).id, opponent, entry["games"]) for opponent in opponents]
    known = list(dict.fromkeys(rung.env for rung in rungs))
    if env not in known:
        raise UnknownName("environment of the ladder", env, known)
    return [rung for rung in rungs if rung.env == env]


def first_deal_of(env: str, seed: int) -> int:
    """The first deal of an entry, which the caller's seed chooses among those that no table and no trainer uses."""
    digest = hashlib.blake2b(f"{env} {seed}".encode(), digest_size=8).digest()
    return MAX_DEALS + int.from_bytes(digest, "little") % (FIRST_DEAL - 3 * MAX_DEALS)


# -- entries -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeptRow(RecordedRow):
    """A row of `ROWS`, with the fingerprint of the agent that played it.

    The name alone would not do: that of a function of one's own stays when a file that it loads changes.
    """

    agent_print: str

    @property
    def recorded(self) -> RecordedRow:
        """The row as an entry has it."""
        return RecordedRow(**{field.name: getattr(self, field.name) for field in fields(RecordedRow)})


@dataclass(frozen=True)
class Entry:
    """An agent's results on the ladder of an environment, and all that is needed to play them again."""

    env: str
    agent: str  # the display name, which has a digest of a file's content
    fingerprint: str  # how the agent plays a few fixed games (`rfop_training.evaluation.matrix.fingerprint`)
    seed: int  # of the caller, which chooses the deals
    share: float  # of the ladder's games; below 1 the entry is a trial
    microseconds: float  # processor time of a decision, where `TIMED_DEALS` are asked at the same time
    python: str
    packages: dict[str, str]
    rows: list[RecordedRow]

    @property
    def checksum(self) -> str:
        """A digest of everything else. It tells of a damaged file; whoever forges an entry can compute it anew."""
        content = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Write the entry and its card. Raises `RfopError`."""
        content = {"format": FORMAT, **asdict(self), "checksum": self.checksum}
        write_whole(folder / ENTRY, json.dumps(content, indent=1) + "\n")
        write_whole(folder / CARD, card(self))


def read_entry(path: Path) -> Entry:
    """The entry of a file. Raises `RfopError` for what is no entry, and where it was changed after it was written."""
    try:
        content = json.loads(read_text(path, LARGEST))
    except (ValueError, RecursionError) as error:
        raise RfopError(f"{path} cannot be read as an entry: {shown(str(error))}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RfopError(f"{path}: expected an entry of format {FORMAT}")

    checksum = content.pop("checksum", None)
    del content["format"]
    entry = _entry_of(path, content)
    if checksum != entry.checksum:
        raise RfopError(f"{path} was changed after it was written: its checksum is of other content")
    if not 0 < entry.share <= 1:
        raise RfopError(f"{path}: share: above 0 and at most 1, found {entry.share:g}")
    return entry


def _entry_of(path: Path, content: dict[str, Any]) -> Entry:
    """The entry of a parsed file, its fields checked by name and type."""
    if not isinstance(content.get("rows"), list):
        raise RfopError(f"{path}: expected rows")
    rows = [_checked(path, f"row {number}", row, RecordedRow) for number, row in enumerate(content["rows"], 1)]
    return _checked(path, "entry", content | {"rows": rows}, Entry)


def _checked(path: Path, where: str, given: object, kind: type[Any]) -> Any:
    names, types = [field.name for field in fields(kind)], get_type_hints(kind)
    if not isinstance(given, dict) or set(given) != set(names):
        raise RfopError(f"{path}: {where}: expected {', '.join(names)}; found {shown(given)}")
    for name in names:
        wanted = getattr(types[name], "__origin__", types[name])
        if not isinstance(given[name], (int, float) if wanted is float else wanted):
            raise RfopError(f"{path}: {where}: {name}: found {shown(given[name])}")
    return kind(**given)


def make_entry(
    name: str, env: str, seed: int, folder: Path, *, share: float = 1.0, workers: int = 1, progress: bool | None = None
) -> Entry:
    """Play the ladder, and write the entry and its card; rungs that the folder has are not played again.

    They are where the agent's fingerprint has changed; that of a search with a time budget always has. Raises
    `RfopError`, and `EvaluationStopped` as `evaluate` does, after which the same call plays what is missing.
    """
    setting = Setting(env)
    agent = display_names(setting, [name])[name]
    print_of_agent = fingerprint(setting, name)
    microseconds = time_per_decision(setting, name)
    rows = []
    for rung in _rungs_for(name, env):
        rows += _rows_of(rung, name, agent, print_of_agent, seed, share, folder, workers, progress)

    packages = {package: version(package) for package in PACKAGES}
    entry = Entry(env, agent, print_of_agent, seed, share, microseconds, platform.python_version(), packages, rows)
    entry.write(folder)
    return entry


def _rungs_for(name: str, env: str) -> list[Rung]:
    """The ladder for an agent, which does not play against itself."""
    return [rung for rung in read_ladder(env) if rung.opponent != name]


def deals_of(rung: Rung, seed: int, share: float) -> range:
    """The deals of a rung."""
    first = first_deal_of(rung.env, seed)
    return range(first, first + max(1, math.ceil(rung.games * share / Setting(rung.env).game.spec.players)))


def _rows_of(
    rung: Rung,
    name: str,
    agent: str,
    agent_print: str,
    seed: int,
    share: float,
    folder: Path,
    workers: int,
    progress: bool | None,
) -> list[RecordedRow]:
    """The rows of a rung, from the folder if it has them, or played now and written there."""
    setting, deals = Setting(rung.env), deals_of(rung, seed, share)
    names = [name] if rung.opponent == NO_OPPONENT else [name, rung.opponent]
    displayed = display_names(setting, names) if len(names) == 2 else {}
    opponent = displayed.get(rung.opponent, NO_OPPONENT)

    wanted = setting.provenance(deals) | {"agent": agent, "opponent": opponent, "agent_print": agent_print}

    def known() -> list[RecordedRow]:
        rows = read_rows(folder / ROWS, KeptRow)
        return [row.recorded for row in rows if asdict(row).items() >= wanted.items()]

    if not known():
        results = evaluate(rung.env, names, deals, workers=workers, checked=True, progress=progress)
        write_rows([KeptRow(**asdict(row), agent_print=agent_print) for row in results], folder / ROWS, KeptRow)
    return known()  # as the file rounds them


# -- time --------------------------------------------------------------------------------------------------------------


def time_per_decision(setting: Setting, name: str) -> float:
    """Microseconds of processor time of a decision, where an agent plays `TIMED_DEALS` games against itself at once."""
    game, timed = setting.game, Timed(setting.agent(name), time.process_time)
    seating = np.zeros((TIMED_DEALS, game.spec.players), np.int64)
    play_seated(game, [timed], seating, range(2), options={})  # what is compiled at first does not count
    timed.forget()
    play_seated(game, [timed], seating, range(TIMED_DEALS), options={})
    return round(1e6 * timed.mean, 1)


# -- checking and showing ----------------------------------------------------------------------------------------------


def differing(entry: Entry, name: str) -> list[str]:
    """What does not come out as in an entry, in words: a few deals of each row are played again by an agent.

    What the other deals gave is not known. The figures of a row must fit together. Raises `RfopError`.
    """
    setting = Setting(entry.env)
    agent = display_names(setting, [name])[name]
    found = [] if agent == entry.agent else [f"the agent is {agent}, and the entry is of {entry.agent}"]
    if fingerprint(setting, name) != entry.fingerprint:
        found.append("the agent's fingerprint" + _other_rounding(entry.rows))
    digest = setting.game.load_components(None).digest
    others = {row.opponent for row in entry.rows}
    for rung in _rungs_for(name, entry.env):
        deals = deals_of(rung, entry.seed, entry.share)
        names = [name] if rung.opponent == NO_OPPONENT else [name, rung.opponent]
        opponent = NO_OPPONENT if len(names) == 1 else display_names(setting, names)[rung.opponent]
        where = "the games" if len(names) == 1 else f"against {opponent}"
        rows = [row for row in entry.rows if row.opponent == opponent]
        again = _played_again(setting, names, {name: entry.agent, rung.opponent: opponent}, deals)
        if list(map(SAME, rows)) != list(map(SAME, again)):
            found.append(where + _other_rounding(rows))
        found += [f"{where}: {misfit}" for misfit in _misfits(rows, len(deals), setting.game.spec.players)]
        found += [f"component set {row.components}, here {digest}" for row in rows[:1] if row.components != digest]
        others.discard(opponent)
    return found + [f"against {opponent}, who is not on the ladder" for opponent in sorted(others)]


def _played_again(
    setting: Setting, names: Sequence[str], displayed: Mapping[Player, str], deals: range
) -> list[RecordedRow]:
    """The rows of a rung, as far as `SAME` looks at them, from the few deals that check them."""
    matchups = matchups_of(setting, names)
    played = play_matchups(matchups, deals_to_check(deals), progress=False)
    rows = [row for matchup, games in zip(matchups, played, strict=True) for row in matchup.rows(displayed, games)]
    checks = [check_of(games) for of_matchup in played for games in of_matchup]
    return recorded(rows, setting.provenance(deals), checks)


def _misfits(rows: Sequence[RecordedRow], deals: int, seats: int) -> list[str]:
    """What the figures of a rung's rows cannot be, whatever was played, in words."""
    found = []
    for row in rows:
        games = deals * (seats if row.side == ALL else 1)
        given = f"{row.wins:g} wins in {row.games} games as {row.side}"
        if row.games != games or not 0 <= row.wins <= games:
            found.append(f"{given}, where there are {games}")
        elif not math.isclose(row.win_rate, row.wins / games, abs_tol=ROUNDED):
            found.append(f"{given}, and a share of {row.win_rate:.1%}")
        elif not _fits(row, deals):
            found.append(f"{given}, and an interval from {row.low:.1%} to {row.high:.1%}")

    # All seats together have the mean of the seats.
    alone = [row for row in rows if row.side != ALL]
    for whole in (row for row in rows if row.side == ALL and alone):
        for name in ("win_rate", "undecided", "points", "decisions"):
            figures = [getattr(row, name) for row in alone]
            mean, largest = sum(figures) / len(figures), max(map(abs, figures))
            if not math.isclose(getattr(whole, name), mean, abs_tol=ROUNDED * max(1.0, largest)):
                found.append(f"{name} {getattr(whole, name):g} as {ALL}, and {mean:g} as each side in turn")
    return found


def _fits(row: RecordedRow, deals: int) -> bool:
    """Whether the interval of a row can be that of its wins."""
    share = row.wins / row.games
    if row.side == ALL and share not in (0.0, 1.0):  # it follows from the wins on each deal
        return 0 <= row.low <= row.win_rate <= row.high <= 1
    low, high = wilson(share * deals, deals)
    return math.isclose(row.low, low, abs_tol=ROUNDED) and math.isclose(row.high, high, abs_tol=ROUNDED)


def _other_rounding(rows: Sequence[RecordedRow]) -> str:
    """What to say of games that come out otherwise where sums are rounded otherwise."""
    if {row.rounding for row in rows} <= {rounding()}:
        return ""
    return ", perhaps because this machine rounds a network's sums otherwise: check on a machine of the entry's kind"


def card(entry: Entry) -> str:
    """The card of an entry, in Markdown."""
    game: Game = get_game(entry.env)
    versions = ", ".join(f"{name} {number}" for name, number in {"python": entry.python, **entry.packages}.items())
    first = entry.rows[0]
    kind = "" if entry.share >= 1 else f" A trial of {entry.share:.0%} of the ladder's games: not for publication."
    return f"""# {entry.agent} in {game.title}

{rows_table(entry.rows)}

Environment `{entry.env}`, component set `{first.components}`, revision `{first.git}`. Deals from {first.first_deal} on,
chosen by seed {entry.seed}.{kind} A decision takes {entry.microseconds:g} microseconds of processor time, where
{TIMED_DEALS} positions are asked at the same time. Fingerprint `{entry.fingerprint}`; {versions}.

Checksum `{entry.checksum}`. A few deals of each row are played again by

```bash
rfop leaderboard AGENT --check {ENTRY}
```
"""


def table(entries: Sequence[Entry]) -> str:
    """A Markdown table of entries: for each a row with the share of wins against every opponent, or as every side."""
    lines = []
    for env in dict.fromkeys(entry.env for entry in entries):
        of_env = [entry for entry in entries if entry.env == env]
        columns = list(dict.fromkeys(_column(row) for entry in of_env for row in entry.rows if _counts(row)))
        lines += ["", f"| {env} | " + " | ".join([*columns, "us a decision"]) + " |"]
        lines += ["|---|" + "---:|" * (len(columns) + 1)]
        for entry in of_env:
            rates = {_column(row): f"{row.win_rate:.1%}" for row in entry.rows if _counts(row)}
            cells = [rates.get(column, "") for column in columns]
            name = entry.agent if entry.share >= 1 else f"{entry.agent} ({entry.share:.0%} of the games)"
            lines.append(f"| {name} | " + " | ".join([*cells, f"{entry.microseconds:g}"]) + " |")
    return "\n".join(lines[1:])


def _counts(row: RecordedRow) -> bool:
    return row.opponent == NO_OPPONENT or row.side == ALL


def _column(row: RecordedRow) -> str:
    return f"as {row.side}" if row.opponent == NO_OPPONENT else f"against {row.opponent}"
