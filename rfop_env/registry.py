"""The table of environments: ids, where their games are, and what they offer. Imports games when they are used.

Shipped games are lines of the table. `register` adds a game of one's own. Installed packages offer games by entry
points in the group `rfop.games`: the name is the id, the value "module:attribute". Such a module is imported when its
game or the list of all games is asked for. `announce` registers an id with Gymnasium and PettingZoo, in strings only.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rfop_env.core.errors import BadArgument, CannotPickle, RfopError, UnknownName, printable, shown
from rfop_env.core.game import Game, GameSpec
from rfop_env.plugins import entry_points

NAMESPACE = "rfop"
GROUP = "rfop.games"
ID = r"\w[\w.-]*-v\d+"


@dataclass(frozen=True)
class Entry:
    """One line of the table."""

    id: str  # "RedFlagOverParis-v1"
    title: str
    source: str | Game  # "module:attribute" or "FILE.py:attribute" of a `Game` or a function that returns one
    players: str  # for people: "2", "1 against the scripted Solo Opponent"
    interface: str  # what `make` gives: "aec" (PettingZoo) or "gymnasium"
    options: tuple[str, ...] = ()  # names of the game's options

    @property
    def full_id(self) -> str:
        """The id in Gymnasium's registry and in PettingZoo's: `rfop/RedFlagOverParis-v1`."""
        return f"{NAMESPACE}/{self.id}"


_RED_FLAG = "rfop_env.games.red_flag_over_paris.game"

_LEVEE = "rfop_env.games.levee_en_masse.game"
_LEVEE_RULES = ("levee", "spirit_of_89", "nothing_is_free", "reserves", "commit_order", "decisive", "early_defeats")

_entries: dict[str, Entry] = {
    entry.id: entry
    for entry in (
        Entry("RedFlagOverParis-v1", "Red Flag Over Paris", f"{_RED_FLAG}:two_player", "2", "aec", ("variant",)),
        Entry(
            "RedFlagOverParisSolo-v1",
            "Red Flag Over Paris, solo",
            f"{_RED_FLAG}:solo",
            "1 against the scripted Solo Opponent",
            "gymnasium",
            ("side",),
        ),
        Entry(
            "LeveeEnMasse-v0",
            "Levée en Masse",
            f"{_LEVEE}:levee_en_masse",
            "1",
            "gymnasium",
            ("scenario", "difficulty", *_LEVEE_RULES),
        ),
        Entry(
            "Paris-v0",
            "Paris",
            "rfop_env.games.paris.game:paris",
            "2 to 4",
            "aec",
            ("players", "tokens", "bonus_track", "buildings", "screens", "memory"),
        ),
        Entry("Revolution-v0", "Revolution", "rfop_env.games.revolution.game:revolution", "2", "aec", ()),
    )
}
SHIPPED = frozenset(_entries)
_CORRECTED = "plays corrected rules of the Solo Opponent and observes the public history of the cards"
_REPLACED = {  # ids of earlier versions: the present id, and what it does otherwise
    "RedFlagOverParis-v0": ("RedFlagOverParis-v1", _CORRECTED),
    "RedFlagOverParisSolo-v0": ("RedFlagOverParisSolo-v1", _CORRECTED),
}
_offers = entry_points(GROUP)  # of installed packages, until they are imported
_broken: dict[str, RfopError] = {}  # why an offer cannot be used, by its name
_loaded: dict[str, Game] = {}  # by source
_lock = threading.RLock()


def entries() -> list[Entry]:
    """All lines of the table. An offer of an installed package that is broken is left out; stderr says so in a line."""
    for offer in list(_offers):
        try:
            _accept(offer)
        except RfopError as error:
            print(f"rfop: {error}", file=sys.stderr)
    return list(_entries.values())


def list_games() -> list[str]:
    """The ids of all environments, as `entries` finds them."""
    return [entry.id for entry in entries()]


def get_entry(name: str) -> Entry:
    """The entry of `<id>` or `rfop/<id>`; `RfopError` for a broken offer.

    `UnknownName` says the nearest ids, or of an earlier version what has replaced it.
    """
    id = str(name).removeprefix(f"{NAMESPACE}/")
    if id not in _entries:
        for offer in [offer for offer in _offers if offer.name == id]:
            _accept(offer)
        if id in _broken:
            raise _broken[id]
    if id not in _entries:
        valid = [*_entries, *(offer.name for offer in _offers)]
        present, change = _REPLACED.get(id, ("", ""))
        raise UnknownName("environment", id, valid, f"{present} has replaced it, which {change}" if present else "")
    return _entries[id]


def present_id(id: str) -> str:
    """The id that has replaced that of an earlier version; any other id as it is."""
    return _REPLACED.get(id, (id, ""))[0]


def get_game(name: str | Game) -> Game:
    """The game of an id (see `get_entry`); a `Game` is returned as it is. Imports the game on first use."""
    return name if isinstance(name, Game) else _game_at(get_entry(name).source)


def _game_at(source: str | Game) -> Game:
    if isinstance(source, Game):
        return source
    if source not in _loaded:
        game = _imported(source)
        _loaded.setdefault(source, game)
    return _loaded[source]


def _imported(source: str) -> Game:
    """The game of a source. Raises `RfopError` for one that cannot be imported or is none."""
    place, _, attribute = source.rpartition(":")
    try:
        if place.endswith(".py"):
            from rfop_env.own_code import run_file

            module = run_file(Path(place))
        else:
            module = importlib.import_module(place)
        game = functools.reduce(getattr, attribute.split("."), module)
        game = game() if callable(game) else game
    except RfopError:
        raise
    except Exception as error:  # whatever the code of the game raises
        raise RfopError(f"{source} cannot be used: {type(error).__name__}: {printable(str(error))}") from error
    if not isinstance(game, Game):
        raise BadArgument(f"{source}: expected a Game or a function that returns one, found {shown(game, 80)}")
    return game


# -- games of one's own ------------------------------------------------------------------------------------------------


def register(game: Game | str) -> str:
    """Make a game known: to `make`, `make_batch`, Gymnasium, PettingZoo, trainers, evaluation and the page.

    `game`: a `Game`, or where there is one: "module:attribute" or "path/to/file.py:attribute" of a `Game` or of a
    function without arguments that returns one. Returns its id. The same game may be registered again. Processes that
    this one starts register it too: they import the module, or run the file.

    Raises `BadArgument` for another game of a known id and for a malformed id, and `RfopError` for a module or file
    that cannot be used.
    """
    entry = _make_entry(game)
    _add(entry)
    return entry.id


def own_entries() -> list[Entry]:
    """The entries of all games that this package does not ship."""
    return [entry for entry in _entries.values() if entry.id not in SHIPPED]


def adopt(lines: Iterable[Entry]) -> None:
    """Register in this process what another one has as `own_entries`; ids that are known here stay as they are."""
    for entry in lines:
        if entry.id not in _entries:
            _add(entry)


@contextmanager
def temporarily(game: Game | str) -> Iterator[str]:
    """Have a game registered for the length of a `with` block; yields its id. For tests and experiments."""
    entry = _make_entry(game)
    if entry.id in _entries:
        raise BadArgument(f"{entry.id} is registered already")
    _add(entry)
    try:
        yield entry.id
    finally:
        _withdraw(entry)


def _make_entry(item: Game | str) -> Entry:
    """The line of a game of one's own."""
    if isinstance(item, str) and re.fullmatch(r".+:[\w.]+", item):
        place, _, attribute = item.rpartition(":")
        source: str | Game = f"{Path(place).resolve()}:{attribute}" if place.endswith(".py") else item
    elif isinstance(item, Game):
        source = _game_source(item)
        if isinstance(source, str):
            _loaded.setdefault(source, item)
    else:
        raise BadArgument(f'expected a Game, "module:attribute" or "file.py:attribute", found {shown(item, 80)}')
    game = _game_at(source)
    if not re.fullmatch(ID, game.id, re.ASCII):
        raise BadArgument(f"{shown(game.id, 80)} is no id of a game: expected a name and its version, as in MyGame-v0")
    counts = next((option.values for option in game.options if option.name == "players"), (str(game.spec.players),))
    return Entry(
        game.id,
        game.title,
        source,
        " to ".join(dict.fromkeys((counts[0], counts[-1]))),
        "gymnasium" if game.spec.players == 1 else "aec",
        tuple(option.name for option in game.options),
    )


def _game_source(game: Game) -> str | Game:
    """Where another process finds a game: the variable of a module or file that holds it; the game if there is none."""
    from rfop_env.own_code import MODULE

    module = sys.modules.get(game.rules.deal.__module__)
    names = [name for name, value in vars(module).items() if value is game] if module else []
    if module is None or not names or module.__name__ == "__main__":
        return game
    is_file = module.__name__.startswith(MODULE)
    return f"{Path(str(module.__file__)).resolve() if is_file else module.__name__}:{names[0]}"


def _add(entry: Entry) -> None:
    """Put a line into the table and into all registries. Raises `BadArgument` for another game of a known id."""
    for offer in [offer for offer in _offers if offer.name == entry.id]:
        with suppress(RfopError):
            _accept(offer)
    namesake = _entries.get(entry.id)
    if namesake is not None and _game_at(namesake.source) != _game_at(entry.source):
        raise BadArgument(
            f"{entry.id} is the id of another game already ({namesake.title}): give yours an id of its own, or start "
            "Python anew to register a game that you have changed"
        )
    if namesake is None or (isinstance(entry.source, str) and entry.id not in SHIPPED):
        _entries[entry.id] = entry
    announce(entry.id)


def _accept(offer: Any) -> None:
    """Put the offer of an installed package into the table. Raises `RfopError` for one that is broken."""
    with _lock:
        if offer not in _offers:  # another thread has done it
            return
        _offers.remove(offer)
        try:
            entry = _make_entry(f"{offer.module}:{offer.attr}")
            if entry.id != offer.name:
                raise BadArgument(f"the game is {entry.id}: give the entry point this name")
            _add(entry)
        except RfopError as error:
            place = f"entry point {offer.name!r} in {GROUP} of the package {getattr(offer.dist, 'name', '?')}"
            _broken[offer.name] = RfopError(f"{place}: {error}")
            raise _broken[offer.name] from error


def announce(id: str) -> None:
    """Make an id known to Gymnasium's registry and to PettingZoo's, where it has one; idempotent.

    Games of several seats are known to Gymnasium too, so that asking for one there is answered by a helpful error.
    """
    import gymnasium

    # Gymnasium.
    package, full_id = f"{__name__.rsplit('.', 1)[0]}.interfaces", f"{NAMESPACE}/{id}"
    if full_id not in gymnasium.registry:
        gymnasium.register(
            full_id,
            entry_point=f"{package}.gymnasium_env:GameEnv",
            vector_entry_point=f"{package}.gymnasium_vector:GameVectorEnv",
            kwargs={"game": id},
        )

    # PettingZoo.
    pettingzoo = _pettingzoo()
    if pettingzoo is not None and full_id not in pettingzoo.aec_registry:
        for form, function in (("aec", "env"), ("parallel", "parallel_env")):  # the second refuses, with a hint
            pettingzoo.register(form, full_id, f"{package}.pettingzoo_aec:{function}", kwargs={"game": id})


def announce_all() -> None:
    """Make every id known, those of offers too; nothing is imported for them."""
    for id in [*_entries, *(offer.name for offer in _offers if re.fullmatch(ID, offer.name, re.ASCII))]:
        announce(id)


def _pettingzoo() -> Any:
    """The module when it is installed and new enough to have a registry (1.27), else None."""
    try:
        pettingzoo = importlib.import_module("pettingzoo")
    except ImportError:
        return None
    return pettingzoo if hasattr(pettingzoo, "register") else None


def _withdraw(entry: Entry) -> None:
    import gymnasium

    _entries.pop(entry.id, None)
    gymnasium.registry.pop(entry.full_id, None)
    pettingzoo = _pettingzoo()
    if pettingzoo is not None:
        for registry in (pettingzoo.aec_registry, pettingzoo.parallel_registry):
            registry.pop(entry.full_id, None)


# -- pickling ----------------------------------------------------------------------------------------------------------


def _reduced(game: Game) -> tuple[Callable[..., Game], tuple[Any, ...]]:
    """The parts of a pickled game: its id, source and declared properties, or all of a game that no module holds."""
    entry = _entries.get(game.id)
    if entry is None or replace(_game_at(entry.source), spec=game.spec) != game:
        return _rebuilt, (_whole(game),)
    source = entry.source if isinstance(entry.source, str) else _whole(entry.source)
    return _restored, (entry.id, source, game.spec)


def _whole(game: Game) -> bytes:
    """All parts of a game, as bytes. Raises `CannotPickle`."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(vars(game)))
    except Exception as error:  # whatever the game's functions hold
        raise CannotPickle(
            f'{game.id} cannot be pickled ({error}): register it as "module:attribute", then its name is pickled'
        ) from None


def _rebuilt(parts: bytes) -> Game:
    import cloudpickle

    return Game(**cloudpickle.loads(parts))


def _restored(id: str, source: str | bytes, spec: GameSpec) -> Game:
    """The game of an entry, which another process may not have in its table."""
    if id in _entries or any(offer.name == id for offer in _offers):
        game = get_game(id)
    else:
        game = _rebuilt(source) if isinstance(source, bytes) else _game_at(source)
    return game if game.spec == spec else replace(game, spec=spec)


copyreg.pickle(Game, _reduced)
