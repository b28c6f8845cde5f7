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
from rfop_env.replays.moments import Episode

STATIC = Path(__file__).parent / "static"
PLAYING = Path(__file__).parents[1] / "web" / "static"  # the page of `rfop serve` shares its styles and its board
ELEMENT = re.compile(r"[^<]*<[^>]*>(?:\s*</[^>]*>)*|[^<]+$")  # with what closes right after it
IMPORT = re.compile(r"^import .*\n", re.MULTILINE)


def page_of(episode: Episode, seats: Sequence[int] | None = None) -> str:
    """The page as HTML.

    `seats`: the seats that it can be watched from; None: all. With a single one of several, the page holds nothing that
    this seat does not know: neither seed nor start, nor the others' hidden cards, labels and values. Notes are shown
    to everybody. Raises `BadArgument` for a seat that is not there.
    """
    players = len(episode.seats)
    views = list(range(players)) if seats is None else list(seats)
    if not views or any(not 0 <= seat < players for seat in views):
        raise BadArgument(f"seats: expected some of 0 to {players - 1}, found {views}")
    shown = episode.for_seat(views[0]) if len(views) == 1 else episode

    content = _content(shown, views)
    packed = zlib.compress(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode(), 9)
    script = IMPORT.sub("", _text(STATIC / "replay.js"))
    code = _text(PLAYING / "board.js").replace("export function", "function") + script
    style = _text(PLAYING / "page.css") + _text(STATIC / "replay.css")

    # The policy of the page: this script and no other, nothing from elsewhere.
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    parts = {
        "TITLE": html.escape(f"{episode.game.title}: replay"),
        "POLICY": html.escape(policy),
        "STYLE": style,
        "DATA": base64.b64encode(packed).decode(),
        "SCRIPT": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _text(STATIC / "replay.html"))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _content(episode: Episode, views: Sequence[int]) -> dict[str, Any]:
    """Everything that the page shows, as plain values."""
    table: dict[str, int] = {}
    count, options = len(episode.moments), episode.replay.options
    pictures = {seat: _pictures([episode.picture(k, seat) for k in range(count)], table) for seat in views}
    return {
        "title": episode.game.title,
        "result": episode.result,
        "over": episode.replay.returns is not None,
        "seats": [
            {"name": name, "player": player} for name, player in zip(episode.seats, episode.replay.players, strict=True)
        ],
        "options": {o.name: options[o.name] for o in episode.game.options if options[o.name] != o.default},
        "judge": episode.replay.values_by,
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
            for moment in episode.moments
        ],
        "elements": list(table),
        "pictures": [pictures[seat] for seat in views],
    }


def _pictures(drawings: Sequence[str], table: dict[str, int]) -> list[list[Any]]:
    """Pictures as changes of the one before: [from, how many go, [elements that come], ...]; `table` grows."""
    changes, before = list[list[Any]](), list[int]()
    for drawing in drawings:
        now = [table.setdefault(element, len(table)) for element in ELEMENT.findall(drawing)]
        changes.append(_changes(before, now))
        before = now
    return changes


def _changes(before: list[int], now: list[int]) -> list[Any]:
    """What turns one list into another, from the front: positions count in the first list."""
    changes: list[Any] = []
    for kind, start, end, low, high in SequenceMatcher(None, before, now).get_opcodes():
        if kind != "equal":
            changes += [start, end - start, now[low:high]]
    return changes
