"""One self-contained page that plays an episode: no server, no network, nothing beside the file.

The pictures of all moments share one table of SVG elements. A picture is a list of numbers of that table, written as
what differs from the picture before. Table and lists are packed (deflate, base64), and the browser unpacks them.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rfop_env.core.errors import BadArgument
from rfop_env.one_file import STATIC as SHARED
from rfop_env.one_file import fill_page, inline_modules
from rfop_env.replays.moments import Playback

LONG = 32  # elements that are compared at once
SAME = 3  # as many equal elements in a row end a difference
STATIC = Path(__file__).parent / "static"
ELEMENT = re.compile(r"[^<]*<[^>]*>(?:\s*</[^>]*>)*|[^<]+$")  # with what closes right after it


def replay_page(playback: Playback, seats: Sequence[int] | None = None, board: str = "") -> str:
    """The page as HTML.

    `seats`: the seats that it can be watched from; None: all. With a single one of several, the page holds nothing that
    this seat does not know: neither seed nor start, nor the others' hidden cards, labels and values. Notes are shown
    to everybody. `board`: the address of a page on which the replay can be played on, to which `moment=N` is added.
    Raises `BadArgument` for a seat that is not there.
    """
    players = len(playback.seats)
    views = list(range(players)) if seats is None else list(seats)
    if not views or any(not 0 <= seat < players for seat in views):
        raise BadArgument(f"seats: expected some of 0 to {players - 1}, found {views}")
    if len(views) == 1:
        playback = playback.for_seat(views[0])

    content = _content(playback, views) | {"board": board}
    packed = zlib.compress(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode(), 9)
    style = (SHARED / "page.css").read_text(encoding="utf-8") + (STATIC / "replay.css").read_text(encoding="utf-8")
    data = {"DATA": base64.b64encode(packed).decode()}
    return fill_page(
        STATIC / "replay.html", inline_modules(STATIC / "replay.js"), f"{playback.game.title}: replay", style, data
    )


def _content(playback: Playback, views: Sequence[int]) -> dict[str, Any]:
    """Everything that the page shows, as plain values."""
    table: dict[str, int] = {}
    replay, count = playback.replay, len(playback.moments)
    pictures = [_pictures([playback.picture(k, seat) for k in range(count)], table) for seat in views]
    options = replay.options

    return {
        "title": playback.game.title,
        "result": playback.result,
        "score": playback.score,
        "over": replay.returns is not None,
        "seats": [
            {"name": name, "player": player} for name, player in zip(playback.seats, replay.players, strict=True)
        ],
        "options": {o.name: options[o.name] for o in playback.game.options if options[o.name] != o.default},
        "judge": replay.values_by,
        "views": list(views),
        "moments": [
            {
                "decider": moment.decider,
                "seat": moment.seat,
                "label": moment.label,
                "sentence": moment.sentence,
                "lines": [line.strip() for line in moment.lines],
                "notes": list(moment.notes),
                "value": moment.value,
            }
            for moment in playback.moments
        ],
        "elements": list(table),
        "pictures": pictures,
    }


def _pictures(drawings: Sequence[str], table: dict[str, int]) -> list[list[Any]]:
    """Pictures as changes of the one before: [from, how many go, [elements that come], ...]; `table` grows.

    Positions count in the picture before.
    """
    pictures, previous = list[list[Any]](), list[int]()
    for drawing in drawings:
        elements = [table.setdefault(element, len(table)) for element in ELEMENT.findall(drawing)]
        changes: list[Any] = []
        for start, end, low, high in _differences(previous, elements):
            changes += [start, end - start, elements[low:high]]
        pictures.append(changes)
        previous = elements
    return pictures


def _differences(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Where two lists differ: the ends of a part of the old one, and those of what stands in its place in the new one.

    After a difference the lists go on at the nearest place where `SAME` elements are equal: pictures change in few
    places, and `difflib`, which looks for the longest equal part, takes several times as long.
    """
    places = {part: place for place, part in enumerate(zip(*[old[k:] for k in range(SAME)], strict=False))}
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            length = LONG if old[i : i + LONG] == new[j : j + LONG] else 1
            i, j = i + length, j + length
            continue
        end, on = len(old), len(new)
        for at in range(j, len(new) - SAME + 1):
            if at - j >= end - i + on - j:
                break
            place = places.get(tuple(new[at : at + SAME]), -1)
            if place >= i and place - i + at - j < end - i + on - j:
                end, on = place, at
        yield i, end, j, on
        i, j = end, on
