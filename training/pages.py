"""The tables of published results in the documentation: rewritten from the files that hold them.

    python -m training.pages

A table stands between the comments `<!-- baselines -->` and `<!-- /baselines -->`, or those of another of `TABLES`, in
the README or a page of docs. `make docs` calls this; a test says which page is stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from agents import baselines
from rfop_env.command_line import command
from rfop_env.core.files import write_whole
from training import best_response, checkpoints, curves, replay
from training.checkpoints import Count
from training.distribution import Distribution, Outcome
from training.evaluate import ALL, NOBODY, RecordedRow, table_of_records
from training.matrix import Line
from training.records import read_records
from training.replay import PublishedPlacement, PublishedRating

RESPONSES, KEPT = curves.RESULTS / "best_responses.csv", curves.RESULTS / "kept.csv"
WON = ("minor victory", "substantive victory", "Republican triumph")  # endings of Levée en Masse that count as won
OLDER = ", older component set"  # behind the name of an agent whose games nobody has played again yet
README = curves.DOCS.parent / "README.md"
_BLOCK = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", re.DOTALL)


@dataclass(frozen=True)
class KeptRow:
    """A figure that nobody can play again: its model is not in the repository, or the code of its day is gone."""

    agent: str
    opponent: str  # "-" in a game of one seat
    side: str
    games: int
    win_rate: float
    low: float
    high: float
    undecided: str  # a share; "" where it was not kept
    points: str
    env: str
    command: str  # that trained the model
    git: str  # the revision that first gave the figure


def kept(env: str, side: str = "") -> list[KeptRow]:
    """The kept figures of an environment, of one side or of all."""
    return [row for row in read_records(KEPT, KeptRow) if row.env == env and side in ("", row.side)]


# -- the table of the README -------------------------------------------------------------------------------------------


def headlines_table() -> str:
    """The best of each kind of agent in every game: in solo games wins, in others wins against the scripted player."""
    solo, levee = "RedFlagOverParisSolo-v0", "LeveeEnMasse-v0"
    lines = [(f"Red Flag Over Paris, solo as {side.title()}", _solo(solo, side)) for side in ("commune", "versailles")]
    lines.append(("Levée en Masse", _solo(levee, "france")))
    for name, title in MATCHES.items():
        lines.append((f"{title}, against the scripted player", _against_scripted(name)))
    cells = [[title, *(_best(shares, kind) for kind in KINDS)] for title, shares in lines]
    return _table(["game", *KINDS], cells, right=range(1, 1 + len(KINDS)))


MATCHES = {"red_flag": "Red Flag Over Paris", "revolution": "Revolution", "paris_2": "Paris, two players"}
SCRIPTED = ("scripted", "solo-opponent")
KINDS: dict[str, Callable[[str], bool]] = {
    "random": lambda agent: agent == "random",
    "scripted": lambda agent: agent in SCRIPTED,
    "best network": lambda agent: replay.plays_network(agent) and "+" not in agent,
    "best search": lambda agent: agent.startswith("search-"),
}


def _solo(env: str, side: str) -> list[tuple[str, float]]:
    """Agents and their shares of wins in a game of one seat."""
    rows = [*_scores(env), *(row for row in _searches() if row.env == env)]
    return [(row.agent, row.win_rate) for row in rows if row.side == side]


def _against_scripted(matrix: str) -> list[tuple[str, float]]:
    """Agents and their shares of wins against the scripted player, in a published matrix and among the searches."""
    lines: list[Line | RecordedRow] = [*read_records(curves.RESULTS / f"matrix_{matrix}.csv", Line)]
    lines += [row for row in _searches() if row.env == lines[0].env and not row.options]
    lines = [row for row in lines if row.side == ALL]
    found = [(row.agent, row.win_rate) for row in lines if row.opponent in SCRIPTED]
    return found + [(row.opponent, 1 - row.win_rate) for row in lines if row.agent in SCRIPTED]


def _best(shares: Iterable[tuple[str, float]], kind: str) -> str:
    """The share of the best agent of a kind, and its name where the kind has several."""
    share, agent = max(
        ((share, agent) for agent, share in shares if KINDS[kind](agent) and OLDER not in agent), default=(None, "")
    )
    if share is None:
        return ""
    return f"{share:.1%}" + (f" `{agent}`" if kind.startswith("best") else "")


# -- tables of the results ---------------------------------------------------------------------------------------------


def solo_table() -> str:
    """Every agent against the Solo Opponent, as each side."""
    env, titles = "RedFlagOverParisSolo-v0", ("agent", "side", "games", "wins", "95 % interval", "lost by a tie")
    guided = [row for row in _searches() if row.env == env and "+" in row.agent]
    rows: list[RecordedRow | KeptRow] = [*_scores(env), *kept(env), *guided]
    cells = [
        [_named(r.agent), r.side, f"{r.games:,}", *_shares(r), _share(r.undecided), _points(r.points)] for r in rows
    ]
    return _table([*titles, "mean VP margin"], cells, right=(2, 3, 5, 6))


def levee_table() -> str:
    """Every agent in Levée en Masse."""
    rows: list[RecordedRow | KeptRow] = [*_scores("LeveeEnMasse-v0"), *kept("LeveeEnMasse-v0")]
    cells = [[_named(r.agent), f"{r.games:,}", *_shares(r), _points(r.points)] for r in rows]
    return _table(["agent", "games", "victories", "95 % interval", "mean score"], cells, right=(1, 2, 4))


def calibration_table() -> str:
    """How the games of Levée en Masse end, and the spread of their scores."""
    found = [Distribution.of(outcomes) for outcomes in _outcomes("")]
    cells = [[end, *(f"{one.endings[end] / len(one.points):.1%}" for one in found)] for end in found[0].endings]
    cells.append(["median score", *(f"{np.median(one.points):g}" for one in found)])
    halves = [np.percentile(one.points, (25, 75)) for one in found]
    cells.append(["middle half of the scores", *(f"{low:g} to {high:g}" for low, high in halves)])
    return _table(["ending", *(_named(one.agent) for one in found)], cells, right=range(1, len(found) + 1))


def scenarios_table() -> str:
    """How the other scenarios of Levée en Masse end, beside the standard one."""
    cells = []
    for outcomes in [*_outcomes(""), *_outcomes("scenario=")]:
        one = Distribution.of(outcomes)
        if one.agent != "random":
            low, median, high = np.percentile(one.points, (25, 50, 75))
            shares = [f"{sum(one.endings[end] for end in ends) / len(one.points):.1%}" for ends in (WON, WON[-1:])]
            spread = [f"{median:+g}", f"{low:+g} to {high:+g}"]
            cells.append([_scenario(outcomes[0].options), _named(one.agent), *shares, *spread])
    titles = ["scenario", "agent", "victories", WON[-1], "median score", "middle half"]
    return _table(titles, cells, right=(2, 3, 4))


def checkpoints_table() -> str:
    """What stands on the political tracks at the checkpoints of Levée en Masse: the commonest box and its share."""
    counts, cells = read_records(replay.CHECKPOINTS, Count), []
    for row in replay.spread_scores():
        own = replay.counts_of(row, counts)
        for at in checkpoints.moments_of(own) if row.agent != "random" else []:
            tracks = [checkpoints.commonest(own, at, track) for track in ("Monarchy", "Despotism", "Republic")]
            disorder = checkpoints.shares(own, at, "disorder").get(1, 0.0)
            place = [_scenario(row.options), _named(row.agent), at.replace("headline=", "card ")]
            cells.append([*place, _share(checkpoints.alive(own, at)), *tracks, _share(disorder)])
    titles = ["scenario", "agent", "at", "games that come so far", "Monarchy", "Despotism", "Republic", "Disorder"]
    return _table(titles, cells, right=(3, 7))


def _scenario(options: str) -> str:
    return options.partition("=")[2] or "standard"


def _outcomes(option: str) -> list[list[Outcome]]:
    """The published outcomes of each score without an option, or with those of which one begins so."""
    outcomes = read_records(replay.SPREAD, Outcome)
    wanted = [
        row for row in replay.spread_scores() if row.options.startswith(option) and bool(option) == bool(row.options)
    ]
    return [replay.outcomes_of(row, outcomes) for row in wanted]


def cross_table(name: str, points: bool = False) -> str:
    """A published matrix, with kept figures: wins of the row against the ready-made agents in the columns."""
    lines = [row for row in read_records(curves.RESULTS / f"matrix_{name}.csv", Line) if row.side == ALL]
    found: dict[tuple[str, str], tuple[float, float, float, float]] = {}
    for row in lines:
        found[row.agent, row.opponent] = row.win_rate, row.low, row.high, row.points
        found[row.opponent, row.agent] = 1 - row.win_rate, 1 - row.high, 1 - row.low, -row.points
    for old in kept(lines[0].env, ALL):
        if "prior_weight" not in old.agent:
            found[old.agent, old.opponent] = old.win_rate, old.low, old.high, float(old.points or 0)
    names = list(dict.fromkeys(name for pair in found for name in pair))
    columns = [name for name in names if "/" not in name and "," not in name]
    cells = [
        [_named(name), *(_cell(found.get((name, column)), points) for column in columns)]
        for name in names
        if name != columns[0]
    ]
    return _table(["", *columns], cells)


def _cell(figures: tuple[float, float, float, float] | None, points: bool) -> str:
    if figures is None:
        return "-"
    share, low, high, lead = figures
    return f"{share:.1%} ({100 * low:.1f} to {100 * high:.1f})" + (f", {lead:+.1f}" if points else "")


def networks_table() -> str:
    """Networks against searches, and searches that networks guide, in games of several seats."""
    rows = _searches()
    return table_of_records([row for row in rows if row.opponent != NOBODY and replay.plays_network(row.agent)])


def four_table() -> str:
    """The rows of games of several seats among the scores."""
    return table_of_records([r for r in read_records(replay.SCORES, RecordedRow) if r.opponent != NOBODY])


# -- tables of docs ----------------------------------------------------------------------------------------------------


def ratings_table() -> str:
    """The ratings of all published matrices."""
    cells, last = [], ""
    for r in read_records(replay.RATINGS, PublishedRating):
        elo = f"{r.elo:.0f}" + (f" ({r.elo_low:.0f} to {r.elo_high:.0f})" if r.elo_low < r.elo_high else "")
        nash = f"{r.score:.1%}" + (f" ({100 * r.score_low:.1f} to {100 * r.score_high:.1f})" if r.weight < 1 else "")
        cells.append([_once(f"{r.env} {r.options}", last), r.agent, elo + ", a bound from below" * r.bound, nash])
        last = f"{r.env} {r.options}"
    return _table(["environment", "agent", "Elo", "wins against the Nash mix"], cells)


def places_table() -> str:
    """The ratings of all published mixed tables."""
    cells, last = [], ""
    for r in read_records(replay.PLACES, PublishedPlacement):
        figures = [
            f"{r.rating:.1f}",
            f"{r.low:.1f} to {r.high:.1f}",
            f"{r.games:,}",
            f"{r.first:.1%}",
            f"{r.place:.2f}",
        ]
        cells.append([_once(f"{r.env} {r.options}", last), r.agent, *figures])
        last = f"{r.env} {r.options}"
    titles = ["environment", "agent", "Plackett-Luce", "95 % interval", "games", "first", "mean place"]
    return _table(titles, cells, right=(2, 4, 5, 6))


def settings_table() -> str:
    """What was tried to find the settings of a guided search."""
    rows = [row for row in kept("Revolution-v0", ALL) if "prior_weight" in row.agent]
    cells = [[*row.agent.split(", "), row.opponent, f"{row.games:,}", *_shares(row)] for row in rows]
    titles = ["search", "`prior_weight`", "`rollout_mix`", "`c_puct`", "opponent", "games", "wins", "95 % interval"]
    return _table(titles, [[cell.split(" ")[-1] for cell in row[:4]] + row[4:] for row in cells], right=(5, 6))


# -- how figures are written -------------------------------------------------------------------------------------------


def _scores(env: str) -> list[RecordedRow]:
    return [row for row in read_records(replay.SCORES, RecordedRow) if row.env == env and not row.options]


def _searches() -> list[RecordedRow]:
    """The published rows of searches; those of an older component set say so behind the agent's name."""
    rows = read_records(replay.SEARCHES, RecordedRow)
    return [row if row.components == replay.set_of(row) else replace(row, agent=row.agent + OLDER) for row in rows]


def _named(agent: str) -> str:
    name, comma, more = agent.partition(",")
    return f"`{name}`{comma}{more}" if replay.plays_network(name) else agent


def _shares(row: RecordedRow | KeptRow) -> list[str]:
    return [f"{row.win_rate:.1%}", f"{row.low:.1%} to {row.high:.1%}"]


def _share(value: float | str) -> str:
    return f"{float(value):.1%}" if value != "" else ""


def _points(value: float | str) -> str:
    return f"{float(value):+.2f}" if value != "" else ""


def _once(text: str, last: str) -> str:
    return "" if text == last else text.strip()


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Markdown, the columns `right` aligned to the right."""
    rule = ["---:" if k in right else "---" for k in range(len(titles))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [titles, rule, *rows])


TABLES: dict[str, Callable[[], str]] = {
    "baselines": baselines.table,
    "curves": lambda: curves.table(curves.read_results()),
    "responses": lambda: best_response.table_of_responses(read_records(RESPONSES, best_response.Response)),
    "searches": lambda: table_of_records(_searches()),
    "headlines": headlines_table,
    "solo": solo_table,
    "red_flag": lambda: cross_table("red_flag"),
    "levee": levee_table,
    "calibration": calibration_table,
    "scenarios": scenarios_table,
    "checkpoints": checkpoints_table,
    "revolution": lambda: cross_table("revolution", points=True),
    "paris": lambda: cross_table("paris_2", points=True),
    "four": four_table,
    "networks": networks_table,
    "ratings": ratings_table,
    "places": places_table,
    "settings": settings_table,
}


# -- pages -------------------------------------------------------------------------------------------------------------


def pages() -> list[Path]:
    """The files that may have tables."""
    return [README, *sorted(curves.DOCS.glob("*.md"))]


def fresh(text: str) -> str:
    """A page with all its tables as they are now; a table may stand in a block of another name."""

    def block(found: re.Match[str]) -> str:
        name, body = found[1], found[0]
        if name in TABLES:
            return f"<!-- {name} -->\n{TABLES[name]()}\n<!-- /{name} -->"
        head = f"<!-- {name} -->"
        return head + _BLOCK.sub(block, body[len(head) :])

    return _BLOCK.sub(block, text)


def stale() -> dict[Path, str]:
    """The pages whose tables are not those of the files, as they should be."""
    old = {page: page.read_text(encoding="utf-8") for page in pages()}
    return {page: new for page, text in old.items() if (new := fresh(text)) != text}


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite the stale pages; returns the exit status."""
    for page, text in stale().items():
        write_whole(page, text)
        print(f"wrote {page.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
