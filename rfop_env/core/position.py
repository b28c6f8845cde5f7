"""Saved positions: one game of a batch as bytes, and as TOML that people can read and edit; both round trips are exact.

The options of an environment (its variant, its side) are in the record as far as the rules still need them; the next
game that the batch deals follows the options of the batch.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadPosition, nearest
from rfop_env.core.game import Game

MAGIC = b"RFOPpos1"
CHECKSUM = 16  # bytes of SHA-256 at the end
LENGTH = 4  # bytes of the header's length, little-endian
LONG = 12  # of a table with more rows than this, rows of zeros at the end are left out of the text
WIDTH = 116
MOST_TEXT = 2**18  # characters of a position as text: ten times what the largest has
LONGEST_LINE = 2000  # the TOML parser is slow with long dotted keys, and Python reads no number of 4300 digits


def save_position(batch: GameBatch, game: int = 0) -> bytes:
    """One game of a batch as bytes: magic, header (game, components, record layout and size), record, checksum."""
    record = batch.get_record(game).view(np.uint8).tobytes()  # NumPy's own copy leaves bytes between fields to chance
    header = json.dumps(_header(batch)).encode()
    data = MAGIC + len(header).to_bytes(LENGTH, "little") + header + record
    return data + _checksum(data)


def load_position(batch: GameBatch, data: bytes, game: int = 0) -> None:
    """Put a saved position into a game of a batch; the other games stay as they are.

    Raises `BadPosition` for damaged bytes, another game, version or component set, and a faulty position; then the
    batch is as it was.
    """
    header, record = _taken_apart(data)
    current = _header(batch)
    _check_game(batch.game, header.get("game"))
    _check_components(batch, header.get("components"), header.get("digest"))
    if header.get("layout") != current["layout"] or len(record) != current["size"]:
        raise BadPosition(
            f"saved with other state fields ({len(record)} bytes) than {batch.game.id} has now "
            f"({current['size']} bytes): load it with the package that saved it and hand it over as text "
            f"(position_text)"
        )
    states = np.zeros(1, batch.game.state)
    states.view(np.uint8)[...] = np.frombuffer(record, np.uint8)
    batch.put_record(game, states)


def position_text(batch: GameBatch, game: int = 0) -> str:
    """One game of a batch as TOML: the drawing in comments, the game and its components, every field by name."""
    record = batch.get_record(game)[0]
    drawing = [f"# {line}".rstrip() for line in batch.draw_text(game).splitlines()]

    lines = [
        f"# {batch.game.title}: a position. Rows of zeros at the end of a long table are left out.",
        "#",
        *drawing,
        "",
        f"game = {json.dumps(batch.game.id)}",
        "",
        "[components]",
        f"name = {json.dumps(batch.components.name, ensure_ascii=False)}",
        f"digest = {json.dumps(batch.components.digest)}",
        "",
        "[state]",
        *(f"{name} = {_toml(record[name])}" for name in batch.game.state.names or ()),
    ]
    return "\n".join(lines) + "\n"


def load_position_text(batch: GameBatch, text: str, game: int = 0) -> None:
    """Put a position written by `position_text`, perhaps edited since, into a game of a batch.

    Raises `BadPosition` as `load_position` does, and for unknown, missing and wrong fields; the batch is as it was.
    """
    document = _document(text)
    _check_names("the file", document, ["game", "components", "state"])
    components, state = _table(document, "components"), _table(document, "state")
    _check_names("[components]", components, ["name", "digest"])
    _check_game(batch.game, document["game"])
    _check_components(batch, components["name"], components["digest"])
    fields = batch.game.state.names or ()
    _check_names("[state]", state, list(fields))
    states = np.zeros(1, batch.game.state)
    for name in fields:
        states[name][0] = _value(name, states[name][0], state[name])
    batch.put_record(game, states)


# -- bytes -------------------------------------------------------------------------------------------------------------


def _header(batch: GameBatch) -> dict[str, Any]:
    layout = hashlib.sha256(repr(batch.game.state.descr).encode()).hexdigest()[:12]
    return {
        "game": batch.game.id,
        "components": batch.components.name,
        "digest": batch.components.digest,
        "layout": layout,
        "size": batch.game.state.itemsize,
    }


def _taken_apart(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and record of sound bytes."""
    start = len(MAGIC) + LENGTH
    if not isinstance(data, bytes):
        raise BadPosition(f"expected the bytes of a saved position, found {type(data).__name__}")
    if not data.startswith(MAGIC):
        hint = ": this looks like text, which load_position_text reads" if b"[state]" in data else ""
        raise BadPosition(f"these bytes are no position saved by save_position{hint}")
    body, checksum = data[:-CHECKSUM], data[-CHECKSUM:]
    if len(data) < start + CHECKSUM or _checksum(body) != checksum:
        raise BadPosition("the bytes of this position are damaged or cut off: save it again, or use another copy")
    end = start + int.from_bytes(data[len(MAGIC) : start], "little")
    try:
        header = json.loads(body[start:end])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise BadPosition("the header of this position cannot be read: save it again with save_position")
    return header, body[end:]


def _checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:CHECKSUM]


# -- text --------------------------------------------------------------------------------------------------------------


def _document(text: str) -> dict[str, Any]:
    """A TOML document of a position's size; `BadPosition`."""
    if len(text) > MOST_TEXT or max(map(len, text.split("\n"))) > LONGEST_LINE:
        raise BadPosition(f"too long for a position: at most {MOST_TEXT} characters, {LONGEST_LINE} in a line")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPosition(f"not valid TOML: {error}") from None
    except RecursionError:
        raise BadPosition("lists within lists, deeper than any field of a position has them") from None


def _toml(value: Any) -> str:
    """A field of a record as a TOML value; nested arrays have a line for each row."""
    array = np.asarray(value)
    if array.ndim == 0:
        return str(int(array))
    if array.ndim == 1:
        text = ", ".join(str(int(x)) for x in array)
        return f"[{text}]" if len(text) <= WIDTH else f"[\n{textwrap.indent(textwrap.fill(text, WIDTH), '    ')}\n]"
    rows = list(array)
    while len(array) > LONG and rows and not rows[-1].any():
        rows.pop()
    return "[\n" + "".join(f"  {_toml(row)},\n" for row in rows) + "]" if rows else "[]"


def _check_names(where: str, fields: Mapping[str, Any], wanted: list[str]) -> None:
    for name in fields:
        if name not in wanted:
            raise BadPosition(f"{where} has an unknown field {name!r}: {nearest(name, wanted)}")
    missing = [name for name in wanted if name not in fields]
    if missing:
        raise BadPosition(f"{where} lacks {', '.join(map(repr, missing[:5]))}{', ...' if len(missing) > 5 else ''}")


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    table = document[name]
    if not isinstance(table, dict):
        raise BadPosition(f"{name}: expected a table headed [{name}], found {type(table).__name__}")
    return table


def _value(name: str, into: Any, given: Any) -> NDArray[Any]:
    """A field's value from TOML, as an array of the field's shape and dtype; short long tables are filled up."""
    like = np.asarray(into)
    shape = list(like.shape)
    if like.ndim > 1 and len(like) > LONG and isinstance(given, list):
        given = given + np.zeros(like[len(given) :].shape, int).tolist()
    expected = f"integers {shape}" if shape else "an integer"
    _check_shape(name, shape, given, expected)
    limits = np.iinfo(like.dtype)
    numbers = np.array(given, object)
    for number in numbers.ravel().tolist():
        if not limits.min <= number <= limits.max:
            raise BadPosition(f"state field {name!r}: {number} is outside {limits.min} to {limits.max}")
    return numbers.astype(like.dtype)


def _check_shape(name: str, shape: list[int], given: Any, expected: str) -> None:
    """Nested lists of integers of exactly this shape."""
    if not shape:
        if type(given) is not int:  # not isinstance: true is an int in Python
            raise BadPosition(f"state field {name!r}: expected {expected}, found {_describe(given)}")
        return
    if not isinstance(given, list) or len(given) != shape[0]:
        problem = f"{len(given)} entries where {shape[0]} belong" if isinstance(given, list) else _describe(given)
        raise BadPosition(f"state field {name!r}: expected {expected}, found {problem}")
    for entry in given:
        _check_shape(name, shape[1:], entry, expected)


def _describe(value: object) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{type(value).__name__} {value!r}"[:60]


# -- checks that both ways in share ------------------------------------------------------------------------------------


def _check_game(game: Game, saved: object) -> None:
    if saved == game.id:
        return
    if str(saved).rsplit("-v", 1)[0] == game.id.rsplit("-v", 1)[0]:
        raise BadPosition(
            f"saved in {saved}, and this is {game.id}, whose rules behave differently: load it with a version of the "
            f"package that has {saved}"
        )
    raise BadPosition(f"a position of {saved}, not of {game.id}: load it into a batch of {saved}")


def _check_components(batch: GameBatch, name: object, digest: object) -> None:
    components = batch.components
    if digest != components.digest:
        raise BadPosition(
            f"saved with components {name!r} ({digest}), and this batch plays with {components.name!r} "
            f"({components.digest}): make the batch with components=<the file of that set>"
        )
