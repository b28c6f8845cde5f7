"""Blocks that come from published results: the files of `training/results` and of the baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rfop_agents.baselines import is_baseline, size_key
from rfop_env.core.errors import UnknownName
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game, list_games
from rfop_training.common.records import read_records
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.ratings import bradley_terry
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, Recorded, RecordedRow, is_search, records_table
from training.research.lab.action_use import ActionCount
from training.research.lab.game_card import GameCard, cards_table
from training.research.peers import PeerRow, table
from training.research.publishing import replay
from training.research.publishing.bounds import Bound, best_known, present, published_bounds
from training.research.publishing.results import RESULTS

CARD_USE = RESULTS / "card_use.csv"
GAME_CARDS = RESULTS / "game_cards.csv"
KEPT = RESULTS / "kept.csv"
OLDER = ", older component set"  # added to the name of an agent whose games have not been played again yet


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


# -- the tables of the README ------------------------------------------------------------------------------------------


def headlines() -> str:
    """The best agent of each kind in every game of one seat, by wins against the game itself."""
    solo, levee = "RedFlagOverParisSolo-v1", "LeveeEnMasse-v0"
    lines = [(f"Red Flag Over Paris, solo as {side.title()}", _solo(solo, side)) for side in ("commune", "versailles")]
    lines.append(("Levée en Masse", _solo(levee, "france")))
    cells = [[title, *(_best(shares, kind) for kind in KINDS)] for title, shares in lines]
    return markdown_table(["game", *KINDS], cells, right=range(1, 1 + len(KINDS)))


SCRIPTED = ("scripted", "solo-opponent")
KINDS: dict[str, Callable[[str], bool]] = {
    "random": lambda agent: agent == "random",
    "scripted": lambda agent: agent in SCRIPTED,
    "best network": is_baseline,
    "best search": is_search,
}
Share = tuple[str, float, float]  # an agent, its share of wins, and where the interval of that begins


def _solo(env: str, side: str) -> list[Share]:
    """Agents and their shares of wins in a game of one seat."""
    rows = [*_scores(env), *(row for row in _searches() if row.env == env)]
    return [(row.agent, row.win_rate, row.low) for row in rows if row.side == side]


def _best(shares: Iterable[Share], kind: str) -> str:
    """The share of the best agent of a kind, whose interval begins highest, and its name where the kind has several."""
    candidates = [share for share in shares if KINDS[kind](share[0]) and OLDER not in share[0]]
    if not candidates:
        return ""
    agent, wins, _ = max(candidates, key=lambda share: share[2])
    return f"{wins:.1%}" + (f" `{agent}`" if kind.startswith("best") else "")


def game_card(*envs: str) -> str:
    """The cards of some environments, a column for each and for its options."""
    cards = read_records(GAME_CARDS, GameCard)
    return cards_table([card for env in envs for card in cards if card.env == env])


@dataclass(frozen=True)
class Standing:
    """An agent of a game of two seats, with what others win from it in published games."""

    env: str
    options: str
    agent: str
    strongest: Bound  # the other agent that stands highest among those that it has met
    best: Bound  # the best opponent known, also one that knows it
    scripted: Bound | None  # the scripted player


def standings(only: str = "") -> str:
    """All agents of games of two seats; with the word "best" the strongest network and search of each."""
    if only not in ("", "best"):
        raise UnknownName("word", only, ["best"])
    rows = list_standings()
    if only:
        rows = [
            row
            for env in dict.fromkeys(row.env for row in rows)
            for kind in ("best network", "best search")
            for row in [row for row in rows if (row.env, row.options) == (env, "") and KINDS[kind](row.agent)][:1]
        ]
    cells, last = [], ""
    for row in rows:
        title, strongest, best = f"{get_game(row.env).title} {row.options}".strip(), row.strongest, row.best
        won = _within(1 - strongest.win_rate, 1 - strongest.high, 1 - strongest.low)
        lost = _within(best.win_rate, best.low, best.high)
        scripted = f"{1 - row.scripted.win_rate:.1%}" if row.scripted else ""
        opponents = [won, agent_cell(strongest.opponent), lost, agent_cell(best.opponent), scripted]
        cells.append(["" if title == last else title, agent_cell(row.agent), *opponents])
        last = title
    titles = ["game", "agent", "wins against the strongest other agent", "which is", "best opponent known wins"]
    return markdown_table([*titles, "which is", "wins against the scripted player"], cells, right=(6,))


def list_standings() -> list[Standing]:
    """All agents with published games of two seats, the strongest first; random play is left out."""
    bounds = [bound for bound in present(published_bounds()) if bound.share == 1 / 2]
    best = {(bound.env, bound.options, bound.agent): bound for bound in best_known(bounds)}
    ids, rows = list_games(), []
    for env, options in sorted({key[:2] for key in best}, key=lambda game: (ids.index(game[0]), game[1])):
        games = [bound for bound in bounds if (bound.env, bound.options) == (env, options) and not bound.response]
        pairs = {(x.agent, x.opponent): x for x in sorted(games, key=lambda x: x.games)}  # the most games count
        ranking = rank(_elo(pairs), pairs)
        for agent in ranking[:-1]:
            met = [opponent for name, opponent in pairs if name == agent]
            strongest = pairs[agent, min(met, key=ranking.index)]
            scripted = [pairs[agent, name] for name in SCRIPTED if name in met]
            bound = best[env, options, agent]
            rows.append(Standing(env, options, agent, strongest, bound, scripted[0] if scripted else None))
    return rows


def rank(elo: Mapping[str, float], pairs: Mapping[tuple[str, str], Bound]) -> list[str]:
    """The agents from the highest Elo down, random play last; who beats the agent above it goes above it.

    A lead counts if its whole interval is above one half.
    """
    agents = [*sorted(elo.keys() - {"random"}, key=lambda agent: -elo[agent]), "random"]
    for k in range(len(agents) - 2, 0, -1):
        above, below = agents[k - 1 : k + 1]
        if (above, below) in pairs and pairs[above, below].low > 1 / 2:
            agents[k - 1 : k + 1] = below, above
    return agents


def _elo(pairs: Mapping[tuple[str, str], Bound]) -> dict[str, float]:
    """The Elo ratings of the agents of some pairs, which have not all met; random play has 0."""
    names = sorted({agent for agent, _ in pairs}, key=lambda name: (name != "random", name))
    share = np.full((len(names), len(names)), np.nan)
    for (agent, opponent), bound in pairs.items():
        share[names.index(agent), names.index(opponent)] = 1 - bound.win_rate
    games = min(bound.games for bound in pairs.values())
    return dict(zip(names, bradley_terry(share, games).tolist(), strict=True))


def _within(share: float, low: float, high: float) -> str:
    share, low, high = (round(value, 9) for value in (share, low, high))  # 1 - 0.8785 is a little less than 0.1215
    return f"{share:.1%} ({100 * low:.1f} to {100 * high:.1f})"


# -- tables of the results ---------------------------------------------------------------------------------------------


def solo_scores() -> str:
    """Every agent against the Solo Opponent, as each side."""
    env, titles = "RedFlagOverParisSolo-v1", ("agent", "side", "games", "wins", "95 % interval", "lost by a tie")
    guided = [row for row in _searches() if row.env == env and "+" in row.agent]
    cells = [
        [agent_cell(r.agent), r.side, f"{r.games:,}", *share_cells(r), share_cell(r.undecided), points_cell(r.points)]
        for r in [*_scores(env), *guided]
    ]
    return markdown_table([*titles, "mean VP margin"], cells, right=(2, 3, 5, 6))


def levee_scores() -> str:
    """Every agent in Levée en Masse."""
    rows = _scores("LeveeEnMasse-v0")
    cells = [[agent_cell(r.agent), f"{r.games:,}", *share_cells(r), points_cell(r.points)] for r in rows]
    return markdown_table(["agent", "games", "victories", "95 % interval", "mean score"], cells, right=(1, 2, 4))


def card_use() -> str:
    """How often a trained agent chooses the event of each card of Red Flag Over Paris, with each component set."""
    counts = [count for count in read_records(CARD_USE, ActionCount) if count.action == "event"]
    shares = {(count.entry, count.components): f"{count.taken / count.legal:.1%}" for count in counts}
    sets = list(dict.fromkeys(count.components for count in counts))
    shipped = get_game("RedFlagOverParis-v1").load_components(None)
    cells = [
        [entry, shipped.card_name(int(entry)), *(shares.get((entry, digest), "") for digest in sets)]
        for entry in dict.fromkeys(count.entry for count in counts)
    ]
    titles = ["card", "name", *(f"set {k}" for k, _ in enumerate(sets, start=1))]
    return markdown_table(titles, cells, right=(0, *range(2, len(titles))))


def peers() -> str:
    """Decisions per second beside other libraries, as `python -m training.research peers --csv` stored them."""
    return table(read_records(RESULTS / "peers.csv", PeerRow))


def matrix(name: str, points: str = "") -> str:
    """A published matrix: wins of the row against the ready-made agents in the columns.

    The word "points" adds the mean lead in points.
    """
    if points not in ("", "points"):
        raise UnknownName("word", points, ["points"])
    lines = [row for row in read_records(RESULTS / f"matrix_{name}.csv", MatrixRow) if row.side == ALL]

    # Share, interval and points of each pair, in both orders.
    figures: dict[tuple[str, str], tuple[float, float, float, float]] = {}
    for row in lines:
        figures[row.agent, row.opponent] = row.win_rate, row.low, row.high, row.points
        figures[row.opponent, row.agent] = 1 - row.win_rate, 1 - row.high, 1 - row.low, -row.points

    # All agents against the ready-made ones.
    names = list(dict.fromkeys(name for pair in figures for name in pair))
    columns = [name for name in names if "/" not in name and "," not in name]
    cells = [
        [agent_cell(name), *(_cell(figures.get((name, column)), points != "") for column in columns)]
        for name in names
        if name != columns[0]
    ]
    return markdown_table(["", *columns], cells)


def _cell(figures: tuple[float, float, float, float] | None, points: bool) -> str:
    if figures is None:
        return "-"
    share, low, high, lead = figures
    return _within(share, low, high) + (f", {lead:+.1f}" if points else "")


def in_order(rows: Iterable[Recorded]) -> list[Recorded]:
    """The rows by environment, opponent and agent, numbers by their size."""
    ids = list_games()
    return sorted(rows, key=lambda r: (ids.index(r.env), r.options, size_key(r.opponent), size_key(r.agent)))


def searches() -> str:
    """Every published row of a search."""
    return records_table(in_order(_searches()))


def networks() -> str:
    """Networks against searches, and searches that networks guide, in games of several seats."""
    rows = _searches()
    return records_table(
        in_order([row for row in rows if row.opponent != NO_OPPONENT and replay.plays_network(row.agent)])
    )


def rollouts() -> str:
    """Rollouts of one network with several lengths and numbers of draws."""
    return records_table(in_order(read_records(replay.ROLLOUTS, RecordedRow)))


def fresh() -> str:
    """The strongest networks on deals that nothing else has used."""
    return records_table(read_records(replay.FRESH, RecordedRow))


def several_seats() -> str:
    """The rows of games of several seats among the scores."""
    return records_table(in_order([r for r in read_records(replay.SCORES, RecordedRow) if r.opponent != NO_OPPONENT]))


def settings() -> str:
    """The settings that were tried for guided searches."""
    rows = read_records(KEPT, KeptRow)
    cells = [[*row.agent.split(", "), row.opponent, f"{row.games:,}", *share_cells(row)] for row in rows]
    titles = ["search", "`prior_weight`", "`rollout_mix`", "`c_puct`", "opponent", "games", "wins", "95 % interval"]
    return markdown_table(titles, [[cell.split(" ")[-1] for cell in row[:4]] + row[4:] for row in cells], right=(5, 6))


# -- how figures are written -------------------------------------------------------------------------------------------


def _scores(env: str) -> list[RecordedRow]:
    return [row for row in read_records(replay.SCORES, RecordedRow) if row.env == env and not row.options]


def _searches() -> list[RecordedRow]:
    """The published rows of searches; the names of agents say where the component set is older."""
    rows = read_records(replay.SEARCHES, RecordedRow)
    return [
        row if row.components == replay.component_digest(row) else replace(row, agent=row.agent + OLDER) for row in rows
    ]


def agent_cell(agent: str) -> str:
    """An agent, as code where it plays a network."""
    name, comma, note = agent.partition(",")
    return f"`{name}`{comma}{note}" if replay.plays_network(name) else agent


def share_cells(row: RecordedRow | KeptRow) -> list[str]:
    """The share of wins, and its interval."""
    return [f"{row.win_rate:.1%}", f"{row.low:.1%} to {row.high:.1%}"]


def share_cell(value: float) -> str:
    """A share in per cent."""
    return f"{value:.1%}"


def points_cell(value: float) -> str:
    """Points with their sign."""
    return f"{value:+.2f}"
