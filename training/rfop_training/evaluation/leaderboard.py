"""Entries of a leaderboard: an agent on a fixed ladder of opponents, on deals that the entrant could not know."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from rfop_env.core import errors, files
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game
from rfop_training.common.provenance import rounding
from rfop_training.common.records import add_records, read_rows
from rfop_training.evaluation import matchups
from rfop_training.evaluation.games import FIRST_DEAL, MAX_DEALS, play_seated
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.matrix import fingerprint
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, RecordedRow, rows_table
from rfop_training.evaluation.setting import Player, Setting, display_names
from rfop_training.evaluation.statistics import wilson
from rfop_training.evaluation.timed import Timed

LADDER = Path(__file__).with_name("ladder.toml")
DECLARATION, ROWS, ENTRY, CARD = "declaration.json", "rows.csv", "entry.json", "card.md"  # files of an entry's folder
FORMAT = 4
BEACON = "drand quicknet"  # a public source of randomness, https://drand.love
FIRST_ROUND, PERIOD = 1_692_803_367, 3  # the Unix time of its round 1, and the seconds between two rounds
VALUE = re.compile("[0-9a-f]{64}")  # the randomness of a round
MAX_ROUND = 10**10  # in the year 2974
MAX_NUMBER = 2**63 - 1  # of a person
TIME = "%Y-%m-%dT%H:%M:%SZ"
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


def read_ladder(env: str) -> list[Rung]:
    """The ladder of an environment, in order. Raises `RfopError` and `UnknownName`."""
    rungs = []
    for number, entry in enumerate(files.read_toml(LADDER, LARGEST).get("rung", []), 1):
        if set(entry) - {"opponents"} != {"env", "games"}:
            raise errors.RfopError(
                f"{LADDER}: rung {number}: expected env, games and perhaps opponents, found {errors.shown(entry)}"
            )
        opponents = entry.get("opponents", [NO_OPPONENT])
        rungs += [Rung(get_game(entry["env"]).id, opponent, entry["games"]) for opponent in opponents]
    environments = list(dict.fromkeys(rung.env for rung in rungs))
    if env not in environments:
        raise errors.UnknownName("environment of the ladder", env, environments)
    return [rung for rung in rungs if rung.env == env]


def choose_first_deal(env: str, value: str) -> int:
    """The first deal of an entry, which the value of its draw chooses among those that no table and no trainer uses.

    It follows from eight bytes of BLAKE2b of "ENV VALUE".
    """
    digest = hashlib.blake2b(f"{env} {value}".encode(), digest_size=8).digest()
    return MAX_DEALS + int.from_bytes(digest, "little") % (FIRST_DEAL - 3 * MAX_DEALS)


# -- where deals come from ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draw:
    """What chooses the deals of an entry: a round of the beacon that was named before it existed, or a number."""

    chooser: str  # the beacon, or the person who chose the number
    round: int  # of the beacon; 0 of a number
    value: str  # the randomness of the round, 64 hexadecimal digits, or the number
    declared: str  # when the entrant named the round, "2026-11-28T18:00:00Z"; "" of a number

    @property
    def text(self) -> str:
        """The draw in words."""
        if self.chooser != BEACON:
            return f"the number {self.value} of {self.chooser}"
        when = shown_time(round_time(self.round))
        return f"round {self.round} of {BEACON} (drawn {when}, named {self.declared})"

    def check(self) -> None:
        """Raise `RfopError` for a draw that cannot be: a round that was known when it was named, or another value."""
        if self.chooser != BEACON:
            if not self.chooser.strip() or self.round or self.declared:
                raise errors.RfopError("a number needs the name of who chose it, and has no round")
            if not self.value.isdecimal() or not self.value.isascii() or int(self.value) > MAX_NUMBER:
                raise errors.RfopError(f"expected a number from 0 to {MAX_NUMBER}, found {errors.shown(self.value)}")
            return
        check_round(self.round, parse_time(self.declared))
        if not VALUE.fullmatch(self.value):
            raise errors.RfopError(
                f"expected the randomness of round {self.round}, 64 hexadecimal digits in lower case, "
                f"found {errors.shown(self.value)}"
            )


def round_time(number: int) -> datetime:
    """When a round of the beacon is drawn."""
    return datetime.fromtimestamp(FIRST_ROUND + (number - 1) * PERIOD, UTC)


def check_round(number: int, declared: datetime) -> None:
    """Raise `RfopError` unless a round is drawn after it was named."""
    if not 1 <= number < MAX_ROUND:
        raise errors.RfopError(f"rounds of {BEACON} are from 1 to {MAX_ROUND - 1}, found {number}")
    if round_time(number) <= declared:
        when = shown_time(round_time(number))
        raise errors.RfopError(
            f"round {number} was drawn {when}, before it was named ({shown_time(declared)}): name a later one"
        )


def shown_time(time: datetime) -> str:
    """A time of UTC as text: "2026-11-28T18:00:00Z"."""
    return time.strftime(TIME)


def parse_time(text: str) -> datetime:
    """The time of such a text. Raises `RfopError`."""
    try:
        return datetime.strptime(text, TIME).replace(tzinfo=UTC)
    except ValueError as error:
        raise errors.RfopError(f"expected a time like 2026-11-28T18:00:00Z, found {errors.shown(text)}") from error


@dataclass(frozen=True)
class Declaration:
    """What an entrant makes known before the round is drawn: the agent, and the round that will choose its deals."""

    env: str
    agent: str  # the display name
    fingerprint: str
    round: int
    declared: str  # the time

    def draw(self, value: str) -> Draw:
        """The draw, once the round has its value. Raises `RfopError`."""
        draw = Draw(BEACON, self.round, value, self.declared)
        draw.check()
        if datetime.now(UTC) < round_time(self.round):
            raise errors.RfopError(f"round {self.round} is drawn {shown_time(round_time(self.round))}: wait for it")
        return draw


def declare(name: str, env: str, number: int, folder: Path) -> Declaration:
    """Write the declaration of an agent and a round of the beacon. Raises `RfopError`, also where there is one."""
    path, moment = folder / DECLARATION, datetime.now(UTC)
    check_round(number, moment)
    if path.exists():
        raise errors.RfopError(f"{path} exists, and a round is named once: choose another --out")
    setting = Setting(env)
    agent = display_names(setting, [name])[name]
    declaration = Declaration(env, agent, fingerprint(setting, name), number, shown_time(moment))
    files.write_whole(path, json.dumps(asdict(declaration), indent=1) + "\n")
    return declaration


def read_declaration(name: str, env: str, folder: Path) -> Declaration:
    """The declaration of a folder. Raises `RfopError` where there is none, or where it is of another agent."""
    path = folder / DECLARATION
    if not path.exists():
        raise errors.RfopError(f"{path} does not exist: name a round first, with --declare ROUND")
    declaration: Declaration = _parse_fields(path, "declaration", _read_json(path), Declaration)
    setting = Setting(env)
    agent = display_names(setting, [name])[name]
    if (declaration.env, declaration.agent) != (env, agent):
        raise errors.RfopError(f"{path} is of {declaration.agent} in {declaration.env}, found {agent} in {env}")
    if declaration.fingerprint != fingerprint(setting, name):
        raise errors.RfopError(f"{agent} does not play as when round {declaration.round} was named: name another round")
    return declaration


# -- entries -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LadderRow(RecordedRow):
    """A row of `ROWS`, with the fingerprint of the agent that played it.

    The name alone would not do: that of a function of one's own stays when a file that it loads changes.
    """

    agent_print: str

    @property
    def recorded(self) -> RecordedRow:
        """The row as an entry has it."""
        return RecordedRow(**{field.name: getattr(self, field.name) for field in fields(RecordedRow)})


@dataclass(frozen=True)
class LadderEntry:
    """An agent's results on the ladder of an environment, and all that is needed to play them again."""

    env: str
    agent: str  # the display name, which has a digest of a file's content
    fingerprint: str  # how the agent plays a few fixed games (`rfop_training.evaluation.matrix.fingerprint`)
    draw: Draw  # what chooses the deals
    share: float  # of the ladder's games; below 1 the entry is a trial
    microseconds: float  # processor time of a decision, where `TIMED_DEALS` are asked at the same time
    python: str
    packages: dict[str, str]
    rows: list[RecordedRow]

    @property
    def checksum(self) -> str:
        """A digest of all other fields. It detects a damaged file, but no forged entry."""
        content = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Write the entry and its card. Raises `RfopError`."""
        content = {"format": FORMAT, **asdict(self), "checksum": self.checksum}
        files.write_whole(folder / ENTRY, json.dumps(content, indent=1) + "\n")
        files.write_whole(folder / CARD, card(self))


def read_entry(path: Path) -> LadderEntry:
    """The entry of a file. Raises `RfopError` for what is no entry, and where it was changed after it was written."""
    content = _read_json(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise errors.RfopError(f"{path}: expected an entry of format {FORMAT}")

    checksum = content.pop("checksum", None)
    del content["format"]
    entry = _parse_entry(path, content)
    if checksum != entry.checksum:
        raise errors.RfopError(f"{path} was changed after it was written: its checksum is of other content")
    if not 0 < entry.share <= 1:
        raise errors.RfopError(f"{path}: share: above 0 and at most 1, found {entry.share:g}")
    try:
        entry.draw.check()
    except errors.RfopError as error:
        raise errors.RfopError(f"{path}: {error}") from error
    return entry


def _read_json(path: Path) -> Any:
    try:
        return json.loads(files.read_text(path, LARGEST))
    except (ValueError, RecursionError) as error:
        raise errors.RfopError(f"{path} cannot be read as JSON: {errors.shown(str(error))}") from error


def _parse_entry(path: Path, content: dict[str, Any]) -> LadderEntry:
    """The entry of a parsed file, its fields checked by name and type."""
    if not isinstance(content.get("rows"), list):
        raise errors.RfopError(f"{path}: expected rows")
    rows = [_parse_fields(path, f"row {number}", row, RecordedRow) for number, row in enumerate(content["rows"], 1)]
    draw = _parse_fields(path, "draw", content.get("draw"), Draw)
    return _parse_fields(path, "entry", content | {"rows": rows, "draw": draw}, LadderEntry)


def _parse_fields(path: Path, where: str, values: object, kind: type[Any]) -> Any:
    names, types = [field.name for field in fields(kind)], get_type_hints(kind)
    if not isinstance(values, dict) or set(values) != set(names):
        raise errors.RfopError(f"{path}: {where}: expected {', '.join(names)}; found {errors.shown(values)}")
    for name in names:
        expected = getattr(types[name], "__origin__", types[name])
        if not isinstance(values[name], (int, float) if expected is float else expected):
            raise errors.RfopError(f"{path}: {where}: {name}: found {errors.shown(values[name])}")
    return kind(**values)


def make_entry(
    name: str, env: str, draw: Draw, folder: Path, *, share: float = 1.0, workers: int = 1, progress: bool | None = None
) -> LadderEntry:
    """Play the ladder, and write the entry and its card; rungs that the folder has are not played again.

    They are where the agent's fingerprint has changed; that of a search with a time budget always has. Raises
    `RfopError`. After an interruption the same call plays what is missing.
    """
    setting = Setting(env)
    agent = display_names(setting, [name])[name]
    agent_print = fingerprint(setting, name)
    microseconds = time_per_decision(setting, name)
    rows = []
    for rung in _rungs_for(name, env):
        rows += _rung_rows(
            rung, name, agent, agent_print, rung_deals(rung, draw.value, share), folder, workers, progress
        )

    packages = {package: version(package) for package in PACKAGES}
    entry = LadderEntry(env, agent, agent_print, draw, share, microseconds, platform.python_version(), packages, rows)
    entry.write(folder)
    return entry


def _rungs_for(name: str, env: str) -> list[Rung]:
    """The ladder for an agent, which does not play against itself."""
    return [rung for rung in read_ladder(env) if rung.opponent != name]


def rung_deals(rung: Rung, value: str, share: float) -> range:
    """The deals of a rung."""
    first = choose_first_deal(rung.env, value)
    return range(first, first + max(1, math.ceil(rung.games * share / Setting(rung.env).game.spec.players)))


def _rung_rows(
    rung: Rung,
    name: str,
    agent: str,
    agent_print: str,
    deals: range,
    folder: Path,
    workers: int,
    progress: bool | None,
) -> list[RecordedRow]:
    """The rows of a rung, from the folder if it has them, or played now and written there."""
    setting = Setting(rung.env)
    names = [name] if rung.opponent == NO_OPPONENT else [name, rung.opponent]
    displayed = display_names(setting, names) if len(names) == 2 else {}
    opponent = displayed.get(rung.opponent, NO_OPPONENT)

    key = setting.provenance(deals) | {"agent": agent, "opponent": opponent, "agent_print": agent_print}

    def read_rung() -> list[RecordedRow]:
        rows = read_rows(folder / ROWS, LadderRow)
        return [row.recorded for row in rows if asdict(row).items() >= key.items()]

    if not read_rung():
        results = evaluate(rung.env, names, deals, workers=workers, checked=True, progress=progress)
        rows = [LadderRow(**asdict(row), agent_print=agent_print) for row in results]
        add_records(folder / ROWS, rows, LadderRow)
    return read_rung()  # as the file rounds them


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


def find_differences(entry: LadderEntry, name: str) -> list[str]:
    """The differences between an entry and a few deals of each row that an agent plays again, as sentences.

    The figures of a row must also fit together. Raises `RfopError`.
    """
    setting = Setting(entry.env)
    agent = display_names(setting, [name])[name]
    differences = [] if agent == entry.agent else [f"the agent is {agent}, and the entry is of {entry.agent}"]
    if fingerprint(setting, name) != entry.fingerprint:
        differences.append("the agent's fingerprint" + _rounding_remark(entry.rows))
    digest = setting.game.load_components(None).digest
    strangers = {row.opponent for row in entry.rows}
    for rung in _rungs_for(name, entry.env):
        deals = rung_deals(rung, entry.draw.value, entry.share)
        names = [name] if rung.opponent == NO_OPPONENT else [name, rung.opponent]
        opponent = NO_OPPONENT if len(names) == 1 else display_names(setting, names)[rung.opponent]
        where = "the games" if len(names) == 1 else f"against {opponent}"
        rows = [row for row in entry.rows if row.opponent == opponent]
        again = _play_again(setting, names, {name: entry.agent, rung.opponent: opponent}, deals)
        if list(map(SAME, rows)) != list(map(SAME, again)):
            differences.append(where + _rounding_remark(rows))
        differences += [f"{where}: {misfit}" for misfit in _misfits(rows, len(deals), setting.game.spec.players)]
        if rows and rows[0].components != digest:
            differences.append(f"component set {rows[0].components}, here {digest}")
        strangers.discard(opponent)
    return differences + [f"against {opponent}, who is not on the ladder" for opponent in sorted(strangers)]


def _play_again(
    setting: Setting, names: Sequence[str], displayed: Mapping[Player, str], deals: range
) -> list[RecordedRow]:
    """The rows of a rung, as far as `SAME` looks at them, from the few deals that check them."""
    rungs = matchups.make_matchups(setting, names)
    games = matchups.MatchupGames(rungs, matchups.deals_to_check(deals))
    games.play(progress=False)
    checks = [matchups.check_text(results) for rung_results in games.results() for results in rung_results]
    return matchups.record_rows(games.rows(displayed), setting.provenance(deals), checks)


def _misfits(rows: Sequence[RecordedRow], deals: int, seats: int) -> list[str]:
    """What the figures of a rung's rows cannot be, whatever was played, in words."""
    misfits = []
    for row in rows:
        games = deals * (seats if row.side == ALL else 1)
        figures = f"{row.wins:g} wins in {row.games} games as {row.side}"
        if row.games != games or not 0 <= row.wins <= games:
            misfits.append(f"{figures}, where there are {games}")
        elif not math.isclose(row.win_rate, row.wins / games, abs_tol=ROUNDED):
            misfits.append(f"{figures}, and a share of {row.win_rate:.1%}")
        elif not _fits(row, deals):
            misfits.append(f"{figures}, and an interval from {row.low:.1%} to {row.high:.1%}")

    # All seats together have the mean of the seats.
    side_rows = [row for row in rows if row.side != ALL]
    total_rows = [row for row in rows if row.side == ALL and side_rows]
    for total in total_rows:
        for name in ("win_rate", "undecided", "points", "decisions"):
            values = [getattr(row, name) for row in side_rows]
            mean, largest = sum(values) / len(values), max(map(abs, values))
            if not math.isclose(getattr(total, name), mean, abs_tol=ROUNDED * max(1.0, largest)):
                misfits.append(f"{name} {getattr(total, name):g} as {ALL}, and {mean:g} as each side in turn")
    return misfits


def _fits(row: RecordedRow, deals: int) -> bool:
    """Whether the interval of a row can be that of its wins."""
    share = row.wins / row.games
    if row.side == ALL and share not in (0.0, 1.0):  # it follows from the wins on each deal
        return 0 <= row.low <= row.win_rate <= row.high <= 1
    low, high = wilson(share * deals, deals)
    return math.isclose(row.low, low, abs_tol=ROUNDED) and math.isclose(row.high, high, abs_tol=ROUNDED)


def _rounding_remark(rows: Sequence[RecordedRow]) -> str:
    """A remark on games that come out differently because another processor rounds sums differently."""
    if {row.rounding for row in rows} <= {rounding()}:
        return ""
    return ", perhaps because this machine rounds a network's sums otherwise: check on a machine of the entry's kind"


def card(entry: LadderEntry) -> str:
    """The card of an entry, in Markdown."""
    game: Game = get_game(entry.env)
    versions = ", ".join(f"{name} {number}" for name, number in {"python": entry.python, **entry.packages}.items())
    first = entry.rows[0]
    kind = "" if entry.share >= 1 else f" A trial of {entry.share:.0%} of the ladder's games: not for publication."
    return f"""# {entry.agent} in {game.title}

{rows_table(entry.rows)}

Environment `{entry.env}`, component set `{first.components}`, revision `{first.git}`. Deals from {first.first_deal} on,
chosen by {entry.draw.text}.{kind} A decision takes {entry.microseconds:g} microseconds of processor time, where
{TIMED_DEALS} positions are asked at the same time. Fingerprint `{entry.fingerprint}`; {versions}.

Checksum `{entry.checksum}`. A few deals of each row are played again by

```bash
rfop leaderboard AGENT --check {ENTRY}
```
"""


def table(entries: Sequence[LadderEntry]) -> str:
    """A Markdown table of entries: for each a row with the share of wins against every opponent, or as every side."""
    tables = []
    for env in dict.fromkeys(entry.env for entry in entries):
        own_entries = [entry for entry in entries if entry.env == env]
        rows = [row for entry in own_entries for row in entry.rows if _counts(row)]
        columns = list(dict.fromkeys(map(_column, rows)))
        lines = []
        for entry in own_entries:
            rates = {_column(row): f"{row.win_rate:.1%}" for row in entry.rows if _counts(row)}
            cells = [rates.get(column, "") for column in columns]
            name = entry.agent if entry.share >= 1 else f"{entry.agent} ({entry.share:.0%} of the games)"
            lines.append([name, *cells, f"{entry.microseconds:g}", entry.draw.text])
        titles = [env, *columns, "us a decision", "deals by"]
        tables.append(markdown_table(titles, lines, right=range(1, len(titles) - 1)))
    return "\n\n".join(tables)


def _counts(row: RecordedRow) -> bool:
    return row.opponent == NO_OPPONENT or row.side == ALL


def _column(row: RecordedRow) -> str:
    return f"as {row.side}" if row.opponent == NO_OPPONENT else f"against {row.opponent}"
