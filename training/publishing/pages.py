"""The tables of published results in the documentation, written from the files of results.

A table lies between the comments `<!-- baselines -->` and `<!-- /baselines -->`, with a name of `TABLES`, in the README
or on a page of docs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from agents import baselines
from rfop_env.registry import get_game
from training.common.records import read_records
from training.evaluation import checkpoints
from training.evaluation.action_use import ActionCount
from training.evaluation.best_response import Response, responses_table
from training.evaluation.checkpoints import CheckpointCount
from training.evaluation.distribution import Distribution, Outcome
from training.evaluation.matrix import MatrixRow
from training.evaluation.rows import ALL, NO_OPPONENT, RecordedRow, records_table
from training.publishing import replay
from training.publishing.replay import PublishedPlacement, PublishedRating
from training.publishing.results import DOCS, RESULTS, curves_table, read_results

RESPONSES = RESULTS / "best_responses.csv"
CARD_USE = RESULTS / "card_use.csv"
KEPT = RESULTS / "kept.csv"
WON = ("minor victory", "substantive victory", "Republican triumph")  # endings of Levée en Masse that count as won
OLDER = ", older component set"  # added to the name of an agent whose games have not been played again yet
README = DOCS.parent / "README.md"
_BLOCK = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", re.DOTALL)


@dataclass(frozen=True)
class KeptRow:
    """A figure that cannot be played again, because its model or its code is not in the repository."""

    agent: str
    opponent: str  # "-" in a game of one seat
    side: str
    games: int
    win_rate: float
    low: float
    high: float
    undecided: str  # a share; "" where it was not recorded
    points: str
    env: str
    command: str  # the command that trained the model
    git: str  # the revision that first gave the figure


def kept(env: str, side: str = "") -> list[KeptRow]:
    """The kept figures of an environment, of one side or of all."""
    return [row for row in read_records(KEPT, KeptRow) if row.env == env and side in ("", row.side)]


# -- the table of the README -------------------------------------------------------------------------------------------


def headlines_table() -> str:
    """The best agent of each kind in every game, by wins, in games of several seats against the scripted player."""
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
    lines: list[MatrixRow | RecordedRow] = [*read_records(RESULTS / f"matrix_{matrix}.csv", MatrixRow)]
    lines += [row for row in _searches() if row.env == lines[0].env and not row.options]
    lines = [row for row in lines if row.side == ALL]
    shares = [(row.agent, row.win_rate) for row in lines if row.opponent in SCRIPTED]
    return shares + [(row.opponent, 1 - row.win_rate) for row in lines if row.agent in SCRIPTED]


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
    """How the games of Levée en Masse end, and the quartiles of their scores."""
    distributions = [Distribution.of(outcomes) for outcomes in _outcomes("")]
    cells = [
        [end, *(f"{one.endings[end] / len(one.points):.1%}" for one in distributions)]
        for end in distributions[0].endings
    ]
    cells.append(["median score", *(f"{np.median(one.points):g}" for one in distributions)])
    halves = [np.percentile(one.points, (25, 75)) for one in distributions]
    cells.append(["middle half of the scores", *(f"{low:g} to {high:g}" for low, high in halves)])
    return _table(
        ["ending", *(_named(one.agent) for one in distributions)], cells, right=range(1, len(distributions) + 1)
    )


def scenarios_table() -> str:
    """How the scenarios of Levée en Masse end."""
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
    """The political tracks at the checkpoints of Levée en Masse: the most frequent box and its share."""
    counts, cells = read_records(replay.CHECKPOINTS, CheckpointCount), []
    for row in replay.spread_scores():
        own = replay.counts_of(row, counts)
        for at in checkpoints.moments_of(own) if row.agent != "random" else []:
            tracks = [checkpoints.commonest(own, at, track) for track in ("Monarchy", "Despotism", "Republic")]
            disorder = checkpoints.shares(own, at, "disorder").get(1, 0.0)
            place = [_scenario(row.options), _named(row.agent), at.replace("headline=", "card ")]
            cells.append([*place, _share(checkpoints.reached_share(own, at)), *tracks, _share(disorder)])
    titles = ["scenario", "agent", "at", "games that come so far", "Monarchy", "Despotism", "Republic", "Disorder"]
    return _table(titles, cells, right=(3, 7))


def card_use_table() -> str:
    """How often a trained agent chooses the event of each card of Red Flag Over Paris, with each component set."""
    counts = [count for count in read_records(CARD_USE, ActionCount) if count.action == "event"]
    shares = {(count.entry, count.components): f"{count.taken / count.legal:.1%}" for count in counts}
    sets = list(dict.fromkeys(count.components for count in counts))
    shipped = get_game("RedFlagOverParis-v0").load_components(None)
    cells = [
        [entry, shipped.card_name(int(entry)), *(shares.get((entry, digest), "") for digest in sets)]
        for entry in dict.fromkeys(count.entry for count in counts)
    ]
    titles = ["card", "name", *(f"set {k}" for k, _ in enumerate(sets, start=1))]
    return _table(titles, cells, right=(0, *range(2, len(titles))))


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
    lines = [row for row in read_records(RESULTS / f"matrix_{name}.csv", MatrixRow) if row.side == ALL]

    # Share, interval and points of each pair, in both orders.
    figures: dict[tuple[str, str], tuple[float, float, float, float]] = {}
    for row in lines:
        figures[row.agent, row.opponent] = row.win_rate, row.low, row.high, row.points
        figures[row.opponent, row.agent] = 1 - row.win_rate, 1 - row.high, 1 - row.low, -row.points
    for old in kept(lines[0].env, ALL):
        if "prior_weight" not in old.agent:
            figures[old.agent, old.opponent] = old.win_rate, old.low, old.high, float(old.points or 0)

    # All agents against the ready-made ones.
    names = list(dict.fromkeys(name for pair in figures for name in pair))
    columns = [name for name in names if "/" not in name and "," not in name]
    cells = [
        [_named(name), *(_cell(figures.get((name, column)), points) for column in columns)]
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
    return records_table([row for row in rows if row.opponent != NO_OPPONENT and replay.plays_network(row.agent)])


def four_table() -> str:
    """The rows of games of several seats among the scores."""
    return records_table([r for r in read_records(replay.SCORES, RecordedRow) if r.opponent != NO_OPPONENT])


# -- tables of docs ----------------------------------------------------------------------------------------------------


def published_ratings_table() -> str:
    """The ratings of all published matrices."""
    cells, last = [], ""
    for r in read_records(replay.RATINGS, PublishedRating):
        elo = f"{r.elo:.0f}" + (f" ({r.elo_low:.0f} to {r.elo_high:.0f})" if r.elo_low < r.elo_high else "")
        nash = f"{r.score:.1%}" + (f" ({100 * r.score_low:.1f} to {100 * r.score_high:.1f})" if r.weight < 1 else "")
        cells.append([_once(f"{r.env} {r.options}", last), r.agent, elo + ", a bound from below" * r.bound, nash])
        last = f"{r.env} {r.options}"
    return _table(["environment", "agent", "Elo", "wins against the Nash mix"], cells)


def published_placements_table() -> str:
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
    """The settings that were tried for guided searches."""
    rows = [row for row in kept("Revolution-v0", ALL) if "prior_weight" in row.agent]
    cells = [[*row.agent.split(", "), row.opponent, f"{row.games:,}", *_shares(row)] for row in rows]
    titles = ["search", "`prior_weight`", "`rollout_mix`", "`c_puct`", "opponent", "games", "wins", "95 % interval"]
    return _table(titles, [[cell.split(" ")[-1] for cell in row[:4]] + row[4:] for row in cells], right=(5, 6))


# -- how figures are written -------------------------------------------------------------------------------------------


def _scores(env: str) -> list[RecordedRow]:
    return [row for row in read_records(replay.SCORES, RecordedRow) if row.env == env and not row.options]


def _searches() -> list[RecordedRow]:
    """The published rows of searches; the names of agents say where the component set is older."""
    rows = read_records(replay.SEARCHES, RecordedRow)
    return [row if row.components == replay.set_of(row) else replace(row, agent=row.agent + OLDER) for row in rows]


def _responses() -> list[Response]:
    """The published rows of best responses; the names of opponents say where the component set is older."""
    rows = read_records(RESPONSES, Response)
    return [
        row if row.components == replay.set_of(row) else replace(row, opponent=row.opponent + OLDER) for row in rows
    ]


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
    "baselines": baselines.baselines_table,
    "curves": lambda: curves_table(read_results()),
    "responses": lambda: responses_table(_responses()),
    "searches": lambda: records_table(_searches()),
    "headlines": headlines_table,
    "solo": solo_table,
    "red_flag": lambda: cross_table("red_flag"),
    "levee": levee_table,
    "calibration": calibration_table,
    "scenarios": scenarios_table,
    "checkpoints": checkpoints_table,
    "card_use": card_use_table,
    "revolution": lambda: cross_table("revolution", points=True),
    "paris": lambda: cross_table("paris_2", points=True),
    "four": four_table,
    "networks": networks_table,
    "ratings": published_ratings_table,
    "places": published_placements_table,
    "settings": settings_table,
}


# -- pages -------------------------------------------------------------------------------------------------------------


def pages() -> list[Path]:
    """The files that may have tables."""
    return [README, *sorted(DOCS.glob("*.md"))]


def fresh(text: str) -> str:
    """A page with all its tables rewritten; a table may lie inside a block of another name."""

    def block(match: re.Match[str]) -> str:
        name, body = match[1], match[0]
        if name in TABLES:
            return f"<!-- {name} -->\n{TABLES[name]()}\n<!-- /{name} -->"
        head = f"<!-- {name} -->"
        return head + _BLOCK.sub(block, body[len(head) :])

    return _BLOCK.sub(block, text)


def stale() -> dict[Path, str]:
    """The pages whose tables differ from those of the files, with their new text."""
    old = {page: page.read_text(encoding="utf-8") for page in pages()}
    return {page: new for page, text in old.items() if (new := fresh(text)) != text}
