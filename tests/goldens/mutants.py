"""Do the goldens notice a changed scripted player? One change at a time, in every place of its source.

    RFOP_JIT=0 python -m tests.goldens.mutants [--every K] [ID ...]

A mutant is the player's source with one number, operator or comparison changed. It is caught when it chooses another
action than a golden says, in any position of the goldens. Printed: how many places there are, how many mutants are
caught, and every line that survives. The positions are taken from the files once, so a mutant costs seconds.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import itertools
import signal
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

from rfop_env.compiler import JIT
from rfop_env.registry import get_game, list_games
from rfop_env.testing import goldens
from tests.goldens.test_goldens import GOLDENS, golden_path, survey_lines
from training.research.mutation.places import mutated, places_in, read_source

SECONDS = 120  # a mutant that takes longer has been noticed
# The modules of a scripted player in the order of their imports; the last one has the player's entry.
SOURCES = {
    "red_flag_over_paris": (
        "solo_selection",
        "solo_operations",
        "solo_bonus_actions",
        "solo_events",
        "solo_opponent",
        "turn",
        "scripted",
    )
}
UNCHANGED = ("turn",)  # built anew because it has the table of questions, but the rules of players are in it, too


class Position(NamedTuple):
    """A decision of a golden: record [1], component record [1], legal actions bool [A], and the player's choice."""

    states: Any
    components: Any
    mask: Any
    action: int


def golden_positions(game: str) -> list[Position]:
    """Every decision at which a golden or a survey of this environment says what the scripted player chooses."""
    positions: list[Position] = []

    def listen(of: Any, states: Any, components: Any, mask: Any, name: str) -> Any:
        old = states.copy()
        actions = ask(of, states, components, mask, name)
        positions.append(Position(old, components.record, mask[0].copy(), int(actions[0])))
        return actions

    ask = goldens.scripted_actions
    with mock.patch.object(goldens, "scripted_actions", listen):
        for name, golden in GOLDENS.items():
            if golden.game == game and golden.player:
                goldens.replay(golden_path(name))
        sum(1 for _ in survey_lines(game))
    return positions


def player_with(folder: str, module: str, source: str) -> Callable[..., int]:
    """The scripted player of a game with the source of one of its modules replaced."""
    names = SOURCES.get(folder, ("scripted",))
    replaced: dict[str, types.ModuleType] = {}
    package = importlib.import_module(f"rfop_env.games.{folder}")
    with mock.patch.dict(sys.modules), mock.patch.dict(vars(package)):  # `from package import module` reads both
        for name in names[names.index(module) :]:
            full = f"rfop_env.games.{folder}.{name}"
            replaced[name] = types.ModuleType(full)
            text = source if name == module else read_source(folder, name)
            sys.modules[full] = replaced[name]
            setattr(package, name, replaced[name])
            exec(compile(text, full, "exec"), replaced[name].__dict__)
    entry = replaced[names[-1]]
    player: Callable[..., int] = getattr(entry, get_advise_name(folder))
    return player


def get_advise_name(folder: str) -> str:
    """What the game calls the rule that chooses for its scripted player."""
    game = next(game for game in map(get_game, list_games()) if game.folder.name == folder)
    return str(game.rules.advise.__name__)


def is_caught(player: Callable[..., int], positions: list[Position]) -> bool:
    """Whether a player chooses otherwise anywhere, fails, or does not come to an end."""
    signal.alarm(SECONDS)
    try:
        return any(player(p.states.copy()[0], p.components[0], p.mask.copy(), 0) != p.action for p in positions)
    except Exception:
        return True
    finally:
        signal.alarm(0)


def main(arguments: list[str] | None = None) -> None:
    """Print what survives for the given environments, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="ID", help="environments (all by default)")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="change only every K-th place")
    settings = parser.parse_args(arguments)
    if JIT:
        parser.error("mutants are plain Python: run with RFOP_JIT=0")

    signal.signal(signal.SIGALRM, _too_long)
    by_folder: dict[str, list[Position]] = {}
    for name in settings.names or list_games():
        by_folder.setdefault(get_game(name).folder.name, []).extend(golden_positions(name))
    for folder, positions in by_folder.items():
        report(folder, positions, settings.every)


def report(folder: str, positions: list[Position], every: int) -> None:
    """Try the mutants of a game's scripted player and print the survivors."""
    tried = caught = 0
    for module in SOURCES.get(folder, ("scripted",)):
        if module in UNCHANGED:
            continue
        text = read_source(folder, module)
        assert not is_caught(player_with(folder, module, text), positions), "the unchanged player is taken for a mutant"
        for place in itertools.islice(places_in(text), 0, None, every):
            noticed = is_caught(player_with(folder, module, ast.unparse(mutated(text, place.number))), positions)
            tried, caught = tried + 1, caught + noticed
            if not noticed:
                print(f"  survives: {module}.py:{place.line}: {place.change}", flush=True)
    print(f"{folder}: {caught} of {tried} mutants caught in {len(positions)} positions", flush=True)


def _too_long(signum: int, frame: Any) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
