"""Figures of published results: scores at the end of games, points during games, and the uses of cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.game import enumeration
from rfop_env.registry import get_game
from rfop_training.figures import pictures
from training.research.lab import checkpoints
from training.research.lab.action_use import ActionCount
from training.research.lab.distribution import Outcome
from training.research.lab.end_games import FindingRow

AGENT_COLOURS = (
    pictures.GREY,
    pictures.ORANGE,
    pictures.TEAL,
    pictures.PURPLE,
)  # of agents from the weakest to the strongest
USE_COLOURS = {
    "event": pictures.TEAL,
    "operations": pictures.BLUE,
    "momentum": pictures.ORANGE,
    "copy": pictures.PURPLE,
    "final-crisis": pictures.GREY,
}
USE_NAMES = {"copy": "event of the top discard", "final-crisis": "set aside for the Final Crisis"}
ROW = 1.15  # inches of a histogram
RARE = 0.05  # of the plays of a card in which its event may be chosen


def _weighted(values: Sequence[float], games: Sequence[int]) -> NDArray[np.float64]:
    """A value for each game."""
    return np.repeat(np.array(values, np.float64), games)


# -- scores ------------------------------------------------------------------------------------------------------------


def draw_scores(outcomes: Sequence[Outcome], won: Sequence[str], out: Path) -> None:
    """Draw how the scores of a game of one seat are distributed, a histogram for each agent; `won`: endings of wins."""
    agents = list(dict.fromkeys(outcome.agent for outcome in outcomes))
    winners = [outcome for outcome in outcomes if outcome.ending in won]
    by_agent = {agent: [outcome for outcome in outcomes if outcome.agent == agent] for agent in agents}
    rates = {
        agent: sum(o.games for o in own if o.ending in won) / sum(o.games for o in own)
        for agent, own in by_agent.items()
    }
    low, high, enough = (f(o.points for o in own) for f, own in ((min, outcomes), (max, outcomes), (min, winners)))
    edges = np.arange(enough - 2 * np.ceil((enough - low) / 2), high + 3, 2) - 0.5  # the lowest win begins a bar

    # Lost and won games, one above the other.
    wins = enumeration([f"{agent} wins {pictures.percent(rates[agent])}" for agent in agents])
    title = f"{get_game(outcomes[0].env).title}: {wins} of its games"
    with pictures.picture(out, 1.1 + ROW * len(agents), rows=[1] * len(agents), title=title) as (_, axes):
        for (ax,), agent in zip(axes, agents, strict=True):
            own = by_agent[agent]
            total = sum(o.games for o in own)
            parts = [[o for o in own if (o.ending in won) == wins] for wins in (False, True)]
            ax.hist(
                [[o.points for o in part] for part in parts], edges, stacked=True,
                color=[pictures.ORANGE, pictures.TEAL],
                weights=[[o.games / total for o in part] for part in parts], label=["lost", "won"], linewidth=0,
            )  # fmt: skip
            median = np.median(_weighted([o.points for o in own], [o.games for o in own]))
            _finish_histogram(ax, agent, f"median {median:+g}", edges)
        axes[0][0].legend(loc="upper right", ncols=2)
        axes[-1][0].set_xlabel("score")


def draw_points(counts: Sequence[checkpoints.CheckpointCount], entries: Sequence[str], unit: str, out: Path) -> None:
    """Draw how the points at the end of games are distributed, a histogram for each agent over all `entries`."""
    agents = list(dict.fromkeys(count.agent for count in counts))
    points = {agent: _values(counts, agent, checkpoints.AT_END, entries) for agent in agents}
    highest = max(values.max() for values in points.values())
    edges = np.arange(0, highest + 5, 4) - 0.5
    medians = {agent: float(np.median(values)) for agent, values in points.items()}

    halves = enumeration([f"{medians[agent]:g} {unit} with {agent}" for agent in agents])
    title = f"{get_game(counts[0].env).title}: the median score of a player is {halves}"
    with pictures.picture(out, 1.1 + ROW * len(agents), rows=[1] * len(agents), title=title) as (_, axes):
        for (ax,), agent, colour in zip(axes, agents, AGENT_COLOURS, strict=False):
            values = points[agent]
            ax.hist(values, edges, weights=np.full(len(values), 1 / len(values)), color=colour, linewidth=0)
            _finish_histogram(ax, agent, f"median {medians[agent]:g}", edges)
            ax.axvline(medians[agent], color=pictures.INK, linestyle=":", linewidth=1)
        axes[-1][0].set_xlabel(f"{unit} at the end, each agent against itself")


def _values(
    counts: Sequence[checkpoints.CheckpointCount], agent: str, at: str, entries: Sequence[str]
) -> NDArray[np.float64]:
    """The values of some entries at a moment of an agent's games, one for each game and entry."""
    own = [count for count in counts if (count.agent, count.at) == (agent, at) and count.entry in entries]
    return _weighted([count.value for count in own], [count.games for count in own])


def _finish_histogram(axes: Any, agent: str, words: str, edges: NDArray[np.float64]) -> None:
    axes.set_xlim(edges[0], edges[-1])
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    axes.locator_params(axis="y", nbins=3)
    axes.grid(axis="y")
    axes.set_title(f"{agent}: {words}")


# -- points during games -----------------------------------------------------------------------------------------------


def draw_tracks(counts: Sequence[checkpoints.CheckpointCount], tracks: Sequence[str], out: Path) -> None:
    """Draw the Victory Points of a learner through a game: mean and middle half at each moment, axes for each track.

    A line for each agent and option; the start, at 0, is not among the counts.
    """
    lines = list(dict.fromkeys((count.agent, count.options) for count in counts))
    places = ["start", *(checkpoints.MOMENT_NAMES.get(at, at) for at in checkpoints.checkpoint_moments(counts))]
    means = {line: {track: _mean_track(counts, line, track) for track in tracks} for line in lines}

    title = _tracks_title(means, places, get_game(counts[0].env).title)
    with pictures.picture(out, 3.8, columns=len(tracks), title=title) as (figure, (axes,)):
        for ax, track in zip(axes, tracks, strict=True):
            for line in lines:
                values = [_of_line(counts, line, at, track) for at in checkpoints.checkpoint_moments(counts)]
                low, high = ([0.0, *(float(np.percentile(v, q)) for v in values)] for q in (25, 75))
                colour, dashes = _side_colour(line[1]), "-" if "/" in line[0] else "--"
                ax.plot(places, means[line][track], dashes, color=colour, marker="o", markersize=3, label=_name(line))
                ax.fill_between(places, low, high, color=colour, alpha=0.12, linewidth=0)
            ax.axhline(0, color=pictures.LINE, linewidth=1)
            ax.set_title(f"{track} Victory Points, own side up")
            ax.tick_params(axis="x", labelrotation=30)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        for ax in axes[1:]:
            ax.sharey(axes[0])


def _of_line(
    counts: Sequence[checkpoints.CheckpointCount], line: tuple[str, str], at: str, track: str
) -> NDArray[np.float64]:
    return _values([count for count in counts if count.options == line[1]], line[0], at, [track])


def _mean_track(counts: Sequence[checkpoints.CheckpointCount], line: tuple[str, str], track: str) -> list[float]:
    return [0.0, *(float(_of_line(counts, line, at, track).mean()) for at in checkpoints.checkpoint_moments(counts))]


def _tracks_title(
    means: Mapping[tuple[str, str], Mapping[str, Sequence[float]]], places: Sequence[str], game: str
) -> str:
    """When the last agent gains most, over all tracks and its sides."""
    best = list(means)[-1][0]
    steps = np.mean(
        [
            np.sum([np.diff(track) for track in of.values()], axis=0)
            for (agent, _), of in means.items()
            if agent == best
        ],
        axis=0,
    )
    k = int(steps.argmax())
    return f"{game}: {best} gains most between {places[k]} and {places[k + 1]}, {steps[k]:+.1f} Victory Points"


def _side_colour(options: str) -> str:
    return {"side=commune": pictures.RED, "side=versailles": pictures.BLUE}.get(options, pictures.TEAL)


def _name(line: tuple[str, str]) -> str:
    agent, options = line
    return " as ".join(filter(None, [agent, options.partition("=")[2].title()]))


# -- cards -------------------------------------------------------------------------------------------------------------


def draw_card_use(counts: Sequence[ActionCount], names: Mapping[str, str], out: Path) -> None:
    """Draw what each card is used for, by component set: the shares of its plays; `names` are the cards' names."""
    sets = list(dict.fromkeys(count.components for count in counts))
    uses = list(dict.fromkeys(count.action for count in counts))
    cards = list(dict.fromkeys(count.entry for count in counts))
    times = {(count.components, count.entry, count.action): count.taken for count in counts}
    plays = {(s, card): max(1, sum(times.get((s, card, use), 0) for use in uses)) for s in sets for card in cards}
    share = {key: n / plays[key[0], key[1]] for key, n in times.items()}
    cards.sort(key=lambda card: -share.get((sets[-1], card, "event"), 0))

    # What the sets changed: how many cards are hardly ever played for their events where they may be.
    legal = {(count.components, count.entry): count.legal for count in counts if count.action == "event"}
    rare = [sum(times.get((s, card, "event"), 0) < RARE * legal[s, card] for card in cards) for s in sets]
    title = (
        f"Cards whose event is chosen in less than {pictures.percent(RARE)} of the plays in which it may be: "
        f"{rare[0]} of {len(cards)} with set 1, {rare[-1]} with set {len(sets)}"
    )
    with pictures.picture(out, 1.5 + 0.165 * len(cards), columns=len(sets), title=title) as (figure, (axes,)):
        for k, (ax, components) in enumerate(zip(axes, sets, strict=True)):
            start = np.zeros(len(cards))
            for use in uses:
                width = np.array([share.get((components, card, use), 0) for card in cards])
                ax.barh(range(len(cards)), width, left=start, height=0.82, color=USE_COLOURS[use], linewidth=0,
                        label=USE_NAMES.get(use, use))  # fmt: skip
                start += width
            ax.set_xlim(0, 1)
            ax.set_ylim(len(cards) - 0.5, -0.5)
            ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
            ax.set_yticks(range(len(cards)), [names[card] for card in cards] if k == 0 else [""] * len(cards))
            ax.tick_params(axis="y", length=0, labelsize=7)
            ax.spines[:].set_visible(False)
            ax.set_title(f"component set {k + 1}")
        figure.legend(
            *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, labelcolor=pictures.MUTED
        )


# -- end games ---------------------------------------------------------------------------------------------------------


def draw_end_games(rows: Sequence[FindingRow], out: Path) -> None:
    """Draw what best responses win from agents in end games, the least exploitable first, with 95 % intervals."""
    rows = sorted(rows, key=lambda row: row.exploitability)
    best, last = rows[0], rows[-1]
    title = (
        f"{rows[0].positions} end games of {get_game(rows[0].env).title}, solved exactly: best responses win "
        f"{best.exploitability:.2f} from {best.agent}, {last.exploitability:.2f} from {last.agent}"
    )
    with pictures.picture(out, 1.2 + 0.3 * len(rows), title=title) as (_, ((ax,),)):
        places = range(len(rows))
        ax.barh(places, [row.exploitability for row in rows], height=0.62, color=pictures.TEAL, linewidth=0)
        ax.errorbar(
            [row.exploitability for row in rows], places, xerr=[row.exploitability_within for row in rows], fmt="none",
            ecolor=pictures.INK, elinewidth=1,
        )  # fmt: skip
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.set_xlim(left=0)
        ax.set_yticks(places, [row.agent for row in rows])
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.set_xlabel("exploitability: both seats together, a win counts 1, a loss -1; best play has 0")
