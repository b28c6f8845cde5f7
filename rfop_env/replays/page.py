"""One self-contained page that plays an episode: no server, no network, nothing beside the file.

The pictures of all moments share one table of SVG elements. A picture is a list of numbers of that table, written as
what differs from the picture before. Table and lists are packed (deflate, base64), and the browser unpacks them.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from rfop_env.core.errors import BadArgument
from rfop_env.replays.moments import Playback

STATIC = Path(__file__).parent / "static"
SHARED = Path(__file__).parents[1] / "web" / "static"  # the page of `rfop serve`, which shares modules and styles
ELEMENT = re.compile(r"[^<]*<[^>]*>(?:\s*</[^>]*>)*|[^<]+$")  # with what closes right after it
IMPORT = re.compile(r'^import .* from "\./(.+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=const|class|function|async function)", re.MULTILINE)


def replay_page(playback: Playback, seats: Sequence[int] | None = None) -> str:
    """The page as HTML.

    `seats`: the seats that it can be watched from; None: all. With a single one of several, the page holds nothing that
    this seat does not know: neither seed nor start, nor the others' hidden cards, labels and values. Notes are shown
    to everybody. Raises `BadArgument` for a seat that is not there.
    """
    players = len(playback.seats)
    views = list(range(players)) if seats is None else list(seats)
    if not views or any(not 0 <= seat < players for seat in views):
        raise BadArgument(f"seats: expected some of 0 to {players - 1}, found {views}")
    if len(views) == 1:
        playback = playback.for_seat(views[0])

    content = _content(playback, views)
    packed = zlib.compress(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode(), 9)
    code = inline_modules(STATIC / "replay.js")
    style = _text(SHARED / "page.css") + _text(STATIC / "replay.css")

    # The policy of the page: this script and no other, nothing from elsewhere.
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    parts = {
        "TITLE": html.escape(f"{playback.game.title}: replay"),
        "POLICY": html.escape(policy),
        "STYLE": style,
        "DATA": base64.b64encode(packed).decode(),
        "SCRIPT": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _text(STATIC / "replay.html"))


def inline_modules(path: Path) -> str:
    """A JavaScript module and all that it imports as one module, for pages that have nowhere to import from.

    Imported modules lie beside it or in `SHARED`.
    """
    texts: dict[Path, str] = {}

    def add(module: Path) -> None:
        text = _text(module)
        for name in IMPORT.findall(text):
            imported = next(folder / name for folder in (module.parent, SHARED) if (folder / name).exists())
            if imported not in texts:
                add(imported)
        texts[module] = EXPORT.sub("", IMPORT.sub("", text))

    add(path)
    return "\n".join(texts.values())


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _content(playback: Playback, views: Sequence[int]) -> dict[str, Any]:
    """Everything that the page shows, as plain values."""
    table: dict[str, int] = {}
    replay, count = playback.replay, len(playback.moments)
    pictures = [_pictures([playback.picture(k, seat) for k in range(count)], table) for seat in views]
    options = replay.options
    return {
        "title": playback.game.title,
        "result": playback.result,
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
        for kind, start, end, low, high in SequenceMatcher(None, previous, elements).get_opcodes():
            if kind != "equal":
                changes += [start, end - start, elements[low:high]]
        pictures.append(changes)
        previous = elements
    return pictures
