"""One table: every environment id, where its game is, and what it offers. Imports nothing heavy until it is asked to.

A new game is one more `Entry`. `announce` tells Gymnasium and PettingZoo about it, in strings only.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import cloudpickle

from rfop_env.core.errors import CannotPickle, UnknownName
from rfop_env.core.game import Game, GameSpec

NAMESPACE = "rfop"


@dataclass(frozen=True)
class Entry:
    """One line of the table."""

    id: str  # "RedFlagOverParis-v0"
    title: str
    source: str  # "module:attribute", a `Game` or a function that returns one
    players: str  # for people: "2", "1 against the scripted Solo Opponent"
    interface: str  # what `make` gives: "aec" (PettingZoo) or "gymnasium"
    options: tuple[str, ...] = ()  # names of the game's options

    @property
    def full_id(self) -> str:
        """The id in Gymnasium's registry: `rfop/RedFlagOverParis-v0`."""
        return f"{NAMESPACE}/{self.id}"

    @property
    def pettingzoo_id(self) -> str:
        """The id in PettingZoo's registry: `rfop/red_flag_over_paris-v0`."""
        name, version = self.id.rsplit("-v", 1)
        return f"{NAMESPACE}/{re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()}-v{version}"

    def names(self) -> tuple[str, ...]:
        """Every name that this entry answers to."""
        return self.id, self.full_id, self.pettingzoo_id, self.pettingzoo_id.split("/")[1]


_RED_FLAG = "rfop_env.games.red_flag_over_paris.game"

_LEVEE = "rfop_env.games.levee_en_masse.game"
_LEVEE_RULES = ("levee", "spirit_of_89", "nothing_is_free", "reserves", "commit_order", "decisive", "early_defeats")

_entries: dict[str, Entry] = {
    entry.id: entry
    for entry in (
        Entry("RedFlagOverParis-v0", "Red Flag Over Paris", f"{_RED_FLAG}:two_player", "2", "aec", ("variant",)),
        Entry(
            "RedFlagOverParisSolo-v0",
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


def entries() -> list[Entry]:
    """All lines of the table."""
    return list(_entries.values())


def list_games() -> list[str]:
    """The ids of all environments."""
    return list(_entries)


def get_entry(name: str) -> Entry:
    """The entry of `<id>`, `rfop/<id>` or PettingZoo's `rfop/<snake_case>-v0`; `UnknownName` with the nearest ids."""
    for entry in _entries.values():
        if name in entry.names():
            return entry
    raise UnknownName("environment", str(name).removeprefix(f"{NAMESPACE}/"), _entries)


def get_game(name: str | Game) -> Game:
    """The game of an id (see `get_entry`); a `Game` is returned as it is. Imports the game on first use."""
    return name if isinstance(name, Game) else _imported(get_entry(name).source)


@functools.cache
def _imported(source: str) -> Game:
    module, attribute = source.split(":")
    game = getattr(importlib.import_module(module), attribute)
    return game() if callable(game) else game


# -- pickling ----------------------------------------------------------------------------------------------------------


def _reduced(game: Game) -> tuple[Callable[..., Game], tuple[Any, ...]]:
    """The parts of a pickled game: its entry and declared properties, or all of a game that is not in the table."""
    entry = _entries.get(game.id)
    if entry is not None and replace(_imported(entry.source), spec=game.spec) == game:
        return _restored, (entry, game.spec)
    try:
        return _rebuilt, (cloudpickle.dumps(vars(game)),)
    except Exception as error:  # whatever the game's functions hold
        raise CannotPickle(
            f"{game.id} cannot be pickled ({error}): give it a line in rfop_env.registry, then its id is pickled"
        ) from None


def _rebuilt(parts: bytes) -> Game:
    return Game(**cloudpickle.loads(parts))


def _restored(entry: Entry, spec: GameSpec) -> Game:
    """The game of an entry, which another process may not have in its table."""
    game = _imported(_entries.get(entry.id, entry).source)
    return game if game.spec == spec else replace(game, spec=spec)


copyreg.pickle(Game, _reduced)


def announce(entry: Entry) -> None:
    """Make an entry known to Gymnasium's registry and to PettingZoo's, where it has one; idempotent.

    Games of several seats are known to Gymnasium too, so that asking for one there is answered by a helpful error.
    """
    import gymnasium

    # Gymnasium.
    package = f"{__name__.rsplit('.', 1)[0]}.interfaces"
    if entry.full_id not in gymnasium.registry:
        gymnasium.register(
            entry.full_id,
            entry_point=f"{package}.gymnasium_env:GameEnv",
            vector_entry_point=f"{package}.gymnasium_vector:GameVectorEnv",
            kwargs={"game": entry.id},
        )

    # PettingZoo.
    pettingzoo = _pettingzoo()
    if pettingzoo is not None and entry.pettingzoo_id not in pettingzoo.aec_registry:
        for form, function in (("aec", "env"), ("parallel", "parallel_env")):  # the second refuses, with a hint
            pettingzoo.register(
                form, entry.pettingzoo_id, f"{package}.pettingzoo_aec:{function}", kwargs={"game": entry.id}
            )


def _pettingzoo() -> Any:
    """The module when it is installed and new enough to have a registry (1.27), else None."""
    try:
        pettingzoo = importlib.import_module("pettingzoo")
    except ImportError:
        return None
    return pettingzoo if hasattr(pettingzoo, "register") else None


@contextmanager
def temporarily(entry: Entry) -> Iterator[Entry]:
    """Have one more entry for the length of a `with` block, in all registries; for tests and experiments."""
    if entry.id in _entries:
        raise ValueError(f"{entry.id} is registered already")
    _entries[entry.id] = entry
    announce(entry)
    try:
        yield entry
    finally:
        _withdraw(entry)


def _withdraw(entry: Entry) -> None:
    import gymnasium

    _entries.pop(entry.id, None)
    gymnasium.registry.pop(entry.full_id, None)
    pettingzoo = _pettingzoo()
    if pettingzoo is not None:
        for registry in (pettingzoo.aec_registry, pettingzoo.parallel_registry):
            registry.pop(entry.pettingzoo_id, None)
