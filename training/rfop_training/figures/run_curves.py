"""Figures of learning curves: wins over training, beside other agents' wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.core.errors import UnknownName
from rfop_env.registry import get_game
from rfop_training.evaluation import statistics
from rfop_training.evaluation.rows import NO_OPPONENT
from rfop_training.figures import pictures
from rfop_training.run import RunFolder

COLOURS = {"commune": pictures.RED, "versailles": pictures.BLUE}
OTHERS = (pictures.TEAL, pictures.ORANGE, pictures.PURPLE, pictures.GREY)  # of sides without a colour of their own
OF_RUNS = (
    pictures.BLUE,
    pictures.ORANGE,
    pictures.TEAL,
    pictures.PURPLE,
    pictures.RED,
    pictures.GREY,
)  # of several runs in one figure
LINES = ("-", "--", "-.", ":")  # of their sides
MARKERS = ("o", "s", "^", "D")  # of their points, where there are more runs than colours
HEIGHT = 3.7
PANEL = 2.6  # of each game, where there are several
CLOSEST = 0.052  # between the labels of two levels, as a share of the axis


@dataclass(frozen=True)
class Level:
    """The share of wins of an agent that does not learn, which a learning curve is compared with."""

    agent: str
    side: str
    rate: float
    components: str  # digest of the set


def side_name(side: str) -> str:
    """A side for people: "Commune", "Player 1"."""
    return side.replace("_", " ").capitalize()


# -- levels to compare with --------------------------------------------------------------------------------------------


def draw_levels(axes: Any, levels: Sequence[Level], colours: Mapping[str, str], closest: float = CLOSEST) -> None:
    """Draw a dotted line for each level, named at the right end; labels are at least `closest` apart."""
    visible = sorted((level for level in levels if level.side in colours), key=lambda level: level.rate)
    places = _spread([level.rate for level in visible], closest)
    for level, place in zip(visible, places, strict=True):
        colour = colours[level.side]
        axes.axhline(level.rate, color=colour, linestyle=":", linewidth=1, alpha=0.8)
        axes.annotate(
            f"{level.agent}, {side_name(level.side)}" if len(colours) > 1 else level.agent,
            (1, level.rate), (1.02, place), xycoords=("axes fraction", "data"), textcoords=("axes fraction", "data"),
            va="center", fontsize=7.5, color=colour, annotation_clip=False,
            arrowprops={
                "arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5)
            },
        )  # fmt: skip


def _spread(values: Sequence[float], closest: float) -> list[float]:
    """Places for labels of ascending values: at least `closest` apart, within 0 to 1 where there is room."""
    places: list[float] = []
    for value in values:
        places.append(max(value, places[-1] + closest) if places else value)
    top = max(1.0, closest * (len(values) - 1))
    for k in reversed(range(len(places))):
        places[k] = min(places[k], top)
        top = places[k] - closest
    return places


# -- published curves --------------------------------------------------------------------------------------------------


def draw_band(
    axes: Any, x: statistics.Floats, curves: Sequence[statistics.Floats], games: int, colour: str, label: str
) -> None:
    """Draw the mean of curves [tasks, runs, G] each, with its interval; `games` are those of a point."""
    mean, low, high = statistics.mean_over_seeds(curves, games)
    axes.plot(x, mean, color=colour, label=label)
    axes.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0)


# -- runs of your own --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunCurve:
    """What is drawn of a run, or of the seeds of one: the points of each seed by side."""

    path: Path
    env: str
    opponent: str  # several if a resumption changed it
    seeds: Sequence[Mapping[str, Mapping[str, Sequence[float]]]]  # side -> column of curve.csv -> points

    @classmethod
    def read(cls, path: Path) -> RunCurve:
        """Read the curve in a folder, or those in its folders seed_1, ... Raises `RfopError` where there is none."""
        run = RunFolder(path)
        seeds = [folder for folder in map(RunFolder, sorted(path.glob("seed_*"))) if folder.curve.exists()]
        folders = seeds if seeds and not run.curve.exists() else [run]
        curves = [folder.read_curve() for folder in folders]
        started_curves = [curve for curve in curves if min(len(side["steps"]) for side in curve.values()) > 1]
        opponents = dict.fromkeys(name for folder in folders for name in folder.curve_opponents())
        return cls(path, folders[0].read_metadata()["environment"], ", ".join(opponents), started_curves or curves[:1])

    @property
    def sides(self) -> list[str]:
        """The sides whose wins the curve tells."""
        return list(self.seeds[0])

    def along(
        self, axis: Axis, side: str
    ) -> tuple[statistics.Floats, statistics.Floats, statistics.Floats, statistics.Floats]:
        """Places along an axis [G], the wins there, and both ends of their 95 % interval.

        One run has its points and the interval over their games, several seeds their mean and the interval over seeds
        and deals.
        """
        points = [seed[side] for seed in self.seeds]
        places = [np.array(columns[axis.column]) / axis.unit for columns in points]
        if len(points) == 1:
            rate, low, high = (np.array(points[0][name]) for name in ("win_rate", "low", "high"))
            return places[0], rate, low, high
        grid, rates = statistics.interpolated(places, [columns["win_rate"] for columns in points])
        return grid, *statistics.mean_over_seeds([rates[None]], int(points[0]["games"][-1]))


@dataclass(frozen=True)
class Axis:
    """What learning curves are drawn along."""

    column: str  # of curve.csv
    unit: float
    label: str


STEPS = "steps"
AXES = {
    "minutes": Axis("seconds", 60, "minutes of training"),
    STEPS: Axis("steps", 1, "decisions of the learner"),
    "processor": Axis("processor_seconds", 60, "minutes of processor time"),
}


def draw_runs(
    runs: Sequence[Path],
    out: Path,
    axis: str = "minutes",
    levels: Mapping[str, Sequence[Level]] | None = None,
    names: Mapping[Path, str] | None = None,
) -> None:
    """Draw the learning curves of runs, a panel for each game, and name the opponents.

    The sides of one run have a colour each. Of several, each run has a colour, and each side a kind of line. A folder
    with runs of several seeds is one run. `axis` is a key of `AXES`. `levels` are dotted lines to compare with, by
    environment id. `names` are those of runs, else their folders'.
    """
    curves = [RunCurve.read(run) for run in dict.fromkeys(runs)]
    labels = _run_names([curve.path for curve in curves]) | dict(names or {})
    panels = {env: [curve for curve in curves if curve.env == env] for env in dict.fromkeys(c.env for c in curves)}
    colours = side_colours(dict.fromkeys(side for curve in curves for side in curve.sides))
    along = _in_good_units(AXES[axis], curves)

    titles = {env: _title(env, group, names or {}) for env, group in panels.items()}
    title = "" if len(panels) > 1 else next(iter(titles.values()))
    height = HEIGHT if len(panels) == 1 else PANEL * len(panels) + 0.4
    with pictures.picture(out, height, rows=[1] * len(panels), title=title) as (_, axes):
        for (env, group), (panel,) in zip(panels.items(), axes, strict=True):
            _draw_panel(panel, group, along, colours, labels)
            of_levels = colours if len(group) == 1 else dict.fromkeys(colours, pictures.MUTED)
            draw_levels(panel, (levels or {}).get(env, ()), of_levels, CLOSEST * HEIGHT * len(panels) / height)
            if len(panels) > 1:
                panel.set_title(titles[env], fontsize=9, fontweight="bold", color=pictures.INK)
            scale(panel, along.label)
        _finish_legend(axes[0][0].figure, _interval(curves))


def _draw_panel(
    axes: Any, curves: Sequence[RunCurve], axis: Axis, colours: Mapping[str, str], names: Mapping[Path, str]
) -> None:
    """Draw the curves of one game."""
    opponents = {curve.opponent for curve in curves}
    sides = list(dict.fromkeys(side for curve in curves for side in curve.sides))
    for number, curve in enumerate(curves):
        whose = names[curve.path] + (f", {len(curve.seeds)} seeds" if len(curve.seeds) > 1 else "")
        if len(opponents) > 1:
            whose += f", {_in_words(curve.opponent)}"
        for side in curve.sides:
            look: dict[str, Any] = {"color": colours[side], "label": side_name(side)}
            if len(curves) > 1:
                look = {
                    "color": OF_RUNS[number % len(OF_RUNS)],
                    "linestyle": LINES[sides.index(side) % len(LINES)],
                    "label": f"{whose}: {side_name(side)}" if len(sides) > 1 else whose,
                }
            turn = number // len(OF_RUNS)  # of the colours
            marker = MARKERS[turn % len(MARKERS)] if len(curve.seeds) == 1 or turn else ""
            places, rate, low, high = curve.along(axis, side)
            axes.plot(places, rate, marker=marker, markersize=3, **look)
            axes.fill_between(places, low, high, color=look["color"], alpha=0.2, linewidth=0)


def _title(env: str, curves: Sequence[RunCurve], names: Mapping[Path, str]) -> str:
    """The title of the panel of a game: "Revolution: wins against scripted while training".

    The name of a single run that is given one stands in a line of its own before it.
    """
    opponent, *further = dict.fromkeys(curve.opponent for curve in curves)
    whom = "" if further or opponent == NO_OPPONENT else f" {_in_words(opponent)}"
    title = f"{game_title(env)}: wins{whom} while training"
    part = names.get(curves[0].path) if len(curves) == 1 else None
    return f"{part}\n{title}" if part else title


def game_title(env: str) -> str:
    """The title of an environment's game; its id where it is not installed here."""
    try:
        return get_game(env).title
    except UnknownName:
        return env


def _in_good_units(axis: Axis, curves: Sequence[RunCurve]) -> Axis:
    """The axis with steps in thousands or millions, where there are so many."""
    last = max(columns[axis.column][-1] for curve in curves for seed in curve.seeds for columns in seed.values())
    for unit, word in ((1e6, "million"), (1e3, "thousand")):
        if axis.column == STEPS and last >= unit:
            return Axis(axis.column, unit, f"{word} {axis.label}")
    return axis


def _interval(curves: Sequence[RunCurve]) -> str:
    """What the lines and the shaded areas are."""
    seeds = {len(curve.seeds) for curve in curves}
    if seeds == {1}:
        return "shaded: 95 % interval over the games of a point"
    count = f"{max(seeds)} seeds" if len(seeds) == 1 else "seeds"
    of_seeds = f"mean of {count}, shaded: its 95 % interval"
    return of_seeds if 1 not in seeds else f"{of_seeds}; of a single run: over the games of a point"


def side_colours(sides: Iterable[str]) -> dict[str, str]:
    """A colour for each side, its own if it has one."""
    return {side: COLOURS.get(side, OTHERS[k % len(OTHERS)]) for k, side in enumerate(sides)}


def _run_names(runs: Sequence[Path]) -> dict[Path, str]:
    """A name for each run: that of its folder, or its path where several folders have one name."""
    names = {run: run.resolve().name for run in runs}
    return {run: str(run) if list(names.values()).count(name) > 1 else name for run, name in names.items()}


def _in_words(opponent: str) -> str:
    return "in a game of one seat" if opponent == NO_OPPONENT else f"against {opponent}"


def scale(axes: Any, along: str) -> None:
    """Draw the scales of shares of wins along an axis."""
    axes.set_xlabel(along)
    axes.set_ylabel("wins")
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(True)


def _finish_legend(figure: Any, about: str) -> None:
    """Draw the legend below all panels, each look once, with what is shaded as its title."""
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        handles |= {label: line for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2, title=about, title_fontsize=8)
