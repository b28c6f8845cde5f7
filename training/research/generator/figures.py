"""The figures of published results, drawn from the files of `training/results`: what they should be, and which are not.

A figure is fresh if it is drawn again as it is, apart from numbers that another machine may round differently.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rfop_env.registry import get_game
from rfop_training.common.records import read_records
from rfop_training.evaluation.matrix import read_matrix
from rfop_training.figures.heat_maps import draw_matrix
from rfop_training.figures.pictures import percent
from training.research import ROOT
from training.research.generator.levee_en_masse import WON
from training.research.generator.training import end_game_rows
from training.research.lab import checkpoints
from training.research.lab.action_use import ActionCount
from training.research.lab.distribution import Outcome
from training.research.peers import PeerRow
from training.research.publishing import methods, replay, result_figures
from training.research.publishing.curve_figures import draw_published
from training.research.publishing.peer_figures import draw_peers
from training.research.publishing.results import RESULTS

NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
NAME = re.compile(r"\b[mp][0-9a-f]{10}\b")  # of a part of a drawing, a digest of its coordinates
ROUNDING = 0.02  # of a coordinate, in points

Drawer = Callable[[Path], object]


def figures() -> dict[str, Drawer]:
    """What draws each figure, by its path in the repository; the learning curves have a folder of their own."""
    drawers: dict[str, Drawer] = {
        "docs/figures/scores_levee.svg": _levee_scores,
        "docs/figures/scores_paris.svg": _paris_scores,
        "docs/figures/points_red_flag.svg": _red_flag_points,
        "docs/figures/card_use.svg": _card_use,
        "docs/figures/peers.svg": _peers,
        "docs/figures/end_games.svg": partial(_end_games, "Revolution-v0"),
        "docs/figures/methods.svg": partial(_methods, "Revolution-v0"),
        "docs/figures/methods_small_board.svg": partial(
            _methods, "Revolution-v0", name="small_board", where="on the small board"
        ),
    }
    for path in replay.matrices():
        drawers[f"docs/figures/{path.stem}.svg"] = partial(draw_matrix, read_matrix(path))
    for option in dict.fromkeys(row.options for row in replay.spread_scores()):
        name = option.partition("=")[2] or "standard"
        drawers[f"docs/figures/levee_checkpoints_{name}.svg"] = partial(_levee_tracks, option)
    return drawers


def _end_games(env: str, out: Path) -> None:
    result_figures.draw_end_games(end_game_rows(env), out)


def _methods(env: str, out: Path, name: str = "methods", **settings: str) -> None:
    methods.draw_methods(
        methods.published_methods(env, name), out, untrained=methods.not_trained(env, name), **settings
    )


def _levee_scores(out: Path) -> None:
    outcomes = read_records(replay.SPREAD, Outcome)
    result_figures.draw_scores([outcome for outcome in outcomes if not outcome.options], WON, out)


def _levee_tracks(option: str, out: Path) -> None:
    counts = [
        count for count in read_records(replay.CHECKPOINTS, checkpoints.CheckpointCount) if count.options == option
    ]
    checkpoints.draw_counts(counts, out, _largest_difference(counts, option.partition("=")[2] or "standard"))


def _largest_difference(counts: Sequence[checkpoints.CheckpointCount], scenario: str) -> str:
    """The final value of a track that most distinguishes the last agent from the one before it, as a title."""
    reference, agent = list(dict.fromkeys(count.agent for count in counts))[-2:]
    ends = {
        (name, count.entry): checkpoints.shares([c for c in counts if c.agent == name], checkpoints.AT_END, count.entry)
        for name in (reference, agent)
        for count in counts
    }
    differences = {
        (entry, value): share - ends[reference, entry].get(value, 0.0)
        for (name, entry), by_value in ends.items()
        for value, share in by_value.items()
        if name == agent and entry != "disorder"
    }
    entry, value = max(differences, key=lambda key: differences[key])
    figures = [percent(ends[name, entry].get(value, 0.0)) for name in (agent, reference)]
    games = f"{figures[0]} of the games of {agent}, {figures[1]} of those of {reference}"
    return f"Levée en Masse, {scenario} scenario: {entry} ends in box {value} in {games}"


def _paris_scores(out: Path) -> None:
    result_figures.draw_points(
        read_records(RESULTS / "points_paris.csv", checkpoints.CheckpointCount), ("own", "next"), "VP", out
    )


def _red_flag_points(out: Path) -> None:
    files = [RESULTS / f"points_red_flag_{side}.csv" for side in ("commune", "versailles")]
    counts = [count for path in files for count in read_records(path, checkpoints.CheckpointCount)]
    result_figures.draw_tracks(counts, ("political", "military"), out)


def _card_use(out: Path) -> None:
    counts = read_records(RESULTS / "card_use.csv", ActionCount)
    shipped = get_game("RedFlagOverParis-v1").load_components(None)
    result_figures.draw_card_use(counts, {count.entry: shipped.card_name(int(count.entry)) for count in counts}, out)


def _peers(out: Path) -> None:
    draw_peers(read_records(RESULTS / "peers.csv", PeerRow), out)


# -- fresh or stale ----------------------------------------------------------------------------------------------------


def draw_figures() -> dict[str, str]:
    """Every figure as it is drawn from the results now, by its path in the repository."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figure.svg"
        texts = {}
        for path, draw in figures().items():
            draw(out)
            texts[path] = out.read_text(encoding="utf-8")
        curves = draw_published(out=Path(folder) / "curves")
        return texts | {f"docs/curves/{curve.name}": curve.read_text(encoding="utf-8") for curve in curves}


def stale(root: Path = ROOT) -> dict[Path, str]:
    """The stale figures of a checkout with what they should be."""
    return {root / path: text for path, text in draw_figures().items() if not _shows(root / path, text)}


def _shows(path: Path, text: str) -> bool:
    return path.exists() and same_picture(path.read_text(encoding="utf-8"), text)


def same_picture(first: str, second: str) -> bool:
    """Whether two drawings are the same but for the rounding of numbers."""
    if first == second:
        return True
    first, second = NAME.sub("part", first), NAME.sub("part", second)
    if NUMBER.sub("#", first) != NUMBER.sub("#", second):
        return False
    pairs = zip(NUMBER.findall(first), NUMBER.findall(second), strict=True)
    return all(a == b or ("." in a + b and abs(float(a) - float(b)) <= ROUNDING) for a, b in pairs)
