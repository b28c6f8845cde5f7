"""The recorded games of `docs/replays`, one for each environment, and the pictures that are taken from them."""

from __future__ import annotations

import re
from itertools import islice

from rfop_env.replays import Replay
from rfop_env.replays.replay_file import SUFFIX
from training.research import ROOT

REPLAYS = ROOT / "docs" / "replays"

# The decisions after which the picture of an environment is taken: a moment with much on the table.
MOMENTS = {
    "RedFlagOverParis-v1": 50,
    "RedFlagOverParisSolo-v1": 30,
    "LeveeEnMasse-v0": 60,
    "Paris-v0": 60,
    "Revolution-v0": 30,
}

# What makes a drawing light: tooltips and names of parts go, and each combination of looks becomes one class.
TOOLTIP = re.compile(r"(?<=>)<title>[^<]*</title>")
PART = re.compile(r' (?:class|data-action)="[^"]*"')
ELEMENT = re.compile(r"<(\w+)((?: [\w-]+=\"[^\"]*\")+)")
ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
SHAPES = ("fill", "stroke", "stroke-width", "stroke-linejoin", "stroke-dasharray", "opacity")
LOOKS = (*SHAPES, "text-anchor", "font-size", "font-weight")


def position(name: str) -> str:
    """The picture of an environment: its recorded game at its moment, as the seat that decides sees it."""
    replay = Replay.read(REPLAYS / f"{name}{SUFFIX}")
    *_, batch = islice(replay.play(), MOMENTS[name])
    return light(batch.draw_svg(0))


def light(drawing: str) -> str:
    """A drawing that looks the same in half the bytes, for a page that shows it and does nothing with its parts.

    >>> light('<svg width="9">\\n<title>A</title>\\n<rect class="x" width="2" fill="#fff"/></svg>')
    '<svg width="9">\\n<title>A</title>\\n<style>.a0{fill:#fff}</style><rect class="a0" width="2"/></svg>'
    """
    classes: dict[str, str] = {}
    bare = PART.sub("", TOOLTIP.sub("", drawing))
    styled = ELEMENT.sub(lambda element: _styled(element[1], element[2], classes), bare)
    style = "".join(f".{name}{{{looks}}}" for looks, name in classes.items())
    return styled.replace("</title>\n", f"</title>\n<style>{style}</style>", 1)


def _styled(tag: str, attributes: str, classes: dict[str, str]) -> str:
    """The beginning of an element, with the class that has its looks."""
    values = dict(ATTRIBUTE.findall(attributes))
    looks = ";".join(f"{name}:{values.pop(name)}" for name in LOOKS if name in values)
    looks = re.sub(r"(font-size:[\d.]+)", r"\1px", looks)
    if looks:
        values = {"class": classes.setdefault(looks, f"a{len(classes)}")} | values
    return f"<{tag}" + "".join(f' {name}="{value}"' for name, value in values.items())
