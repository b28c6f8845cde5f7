"""The figure of speed beside other libraries: a row for each game, a dot for one game and one for its best batch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rfop_training.figures import pictures
from training.research import peers

ROW = 0.2  # inches of a game


def draw_peers(rows: Sequence[peers.PeerRow], out: Path) -> None:
    """Draw decisions per second on a logarithmic scale, axes for each library; the suffix of `out` is the format."""
    libraries = list(dict.fromkeys(row.library for row in rows))
    games = {name: list(dict.fromkeys(row.game for row in rows if row.library == name)) for name in libraries}
    heights = [len(games[name]) + 0.6 for name in libraries]
    height = 1.6 + ROW * sum(heights) + 0.2 * len(libraries)
    with pictures.picture(out, height, rows=heights, title=_title(rows)) as (figure, axes):
        for library, (ax,) in zip(libraries, axes, strict=True):
            # The dots of each game.
            for y, game in enumerate(games[library]):
                _draw_game(ax, y, [row for row in rows if (row.library, row.game) == (library, game)])

            # The axes.
            version = next(row.version for row in rows if row.library == library)
            ax.set_title(f"{library} {version}")
            ax.set_ylim(len(games[library]) - 0.4, -0.6)
            ax.set_yticks(range(len(games[library])), games[library])
            ax.tick_params(axis="y", length=0)
            ax.set_xscale("log")
            ax.grid(axis="x")

        _finish(figure, [ax for (ax,) in axes], rows)


def _draw_game(axes: Any, y: int, rows: Sequence[peers.PeerRow]) -> None:
    """Draw one game and its best batch, with a line between."""
    batch = peers.best_batch(rows)
    single = [row.decisions_per_second for row in rows if row.games == 1]
    if batch and single:
        axes.plot([*single, batch.decisions_per_second], [y, y], color=pictures.LINE, linewidth=1.2)
    axes.plot(single, [y] * len(single), "D", color=pictures.ORANGE, markersize=4, label="one game")
    if batch:
        axes.plot([batch.decisions_per_second], [y], "o", color=pictures.TEAL, markersize=5, label="best batch")


def _finish(figure: Any, axes: Sequence[Any], rows: Sequence[peers.PeerRow]) -> None:
    """Give all axes one scale, label the last, and add the legend."""
    rates = [row.decisions_per_second for row in rows]
    for ax in axes:
        ax.set_xlim(min(rates) / 1.5, max(rates) * 1.5)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        ax.minorticks_off()
    for ax in axes[:-1]:
        ax.tick_params(axis="x", labelbottom=False)
    clock = "second" if rows[0].clock == "wall" else "second of processor time"
    axes[-1].set_xlabel(f"decisions per {clock}" + ", one core" * (rows[0].cores == 1))
    handles = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)


def _title(rows: Sequence[peers.PeerRow]) -> str:
    """The slowest and the fastest game of ours and of the others, each at its best."""
    best: dict[tuple[str, str], int] = {}
    for row in rows:
        key = row.library, row.game
        best[key] = max(row.decisions_per_second, best.get(key, 0))
    own_rates = [rate for (library, _), rate in best.items() if library == peers.OURS]
    library_rates = [rate for (library, _), rate in best.items() if library != peers.OURS]
    libraries = f", games of other libraries {_span(library_rates)}" if library_rates else ""
    return f"Our games make {_span(own_rates)} decisions per second{libraries}"


def _span(rates: Sequence[int]) -> str:
    """The lowest and the highest of some rates, with two digits."""
    low, high = (f"{float(f'{rate:.2g}'):,.0f}" for rate in (min(rates), max(rates)))
    return low if low == high else f"{low} to {high}"
