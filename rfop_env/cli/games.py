"""What the commands that play a game share: its arguments, a new game, its journal and end, saved positions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env.command_line import number, output_file
from rfop_env.core.errors import BadPosition, UnknownName, printable
from rfop_env.options import add_option, parse_options
from rfop_env.registry import get_game

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.game import Game
    from rfop_env.replays.recorder import Recorder

PERSON = "person"
HIGHEST_SEED = 2**64 - 1
LARGEST_POSITION = 2**18  # bytes of a saved position's file; those of the games here have a few thousand


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of every command that begins a game."""
    parser.add_argument("id")
    parser.add_argument(
        "--seed",
        type=number(int, 0, HIGHEST_SEED),
        metavar="N",
        help="the same seed gives the same game; default: random; it is printed",
    )
    parser.add_argument("--components", metavar="FILE", help="a component file to lay over the shipped one")
    parser.add_argument("--record", metavar="FILE", type=output_file, help="write the game as a replay (rfop replay)")
    add_option(parser)


def options_of(args: argparse.Namespace, game: Game) -> dict[str, object]:
    """The game's options from `--option`, and from `--side` where a side is an option."""
    texts = list(args.option)
    if getattr(args, "side", None) and "side" in [option.name for option in game.options]:
        texts.append(f"side={args.side.lower()}")
    return dict(parse_options(texts))


def new_batch(args: argparse.Namespace) -> GameBatch:
    """A batch of one, reset with the seed or with a random one; its title and seed are printed."""
    import secrets

    from rfop_env.core.batch import GameBatch

    game = get_game(args.id)
    seed = secrets.randbelow(10**6) if args.seed is None else args.seed
    batch = GameBatch(game, 1, seed, options=options_of(args, game), components=args.components)
    loaded = getattr(args, "load", None)
    print(f"{game.title}, {f'from {printable(str(loaded))}' if loaded else f'seed {seed}'}")
    return batch


def side_number(game: Game, names: Sequence[str], given: str) -> int:
    """The seat that plays a side, by the side's name (`names`, by seat) or the seat's; `UnknownName`."""
    sides, seats = ([name.lower() for name in some] for some in (names, game.spec.seats))
    if given.lower() not in sides + seats:
        raise UnknownName("side", given, [*sides, *(seat for seat in seats if seat not in sides)])
    return (sides + seats).index(given.lower()) % len(seats)


@contextmanager
def recording(batch: GameBatch, path: Path | None, players: Sequence[str]) -> Iterator[Recorder | None]:
    """A recorder for a block that plays a game; None without a path.

    The replay is written however the block ends, also by Ctrl-C. `players` names who sits in each seat.
    """
    if path is None:
        yield None
        return
    from rfop_env.replays.recorder import Recorder

    recorder = Recorder(batch, players=players)
    try:
        yield recorder
    finally:
        recorder.replay().write(path)
        print(f"Recorded: {printable(str(path))}")


def result(batch: GameBatch) -> str:
    """One line: how a game ended."""
    names = batch.game.seat_names(batch.record())
    returns = ", ".join(f"{name} {value:+g}" for name, value in zip(names, batch.rewards[0].tolist(), strict=True))
    return f"The game is over: {batch.game.end_reasons[int(batch.end_reason[0])]}. Return: {returns}."


def print_journal(batch: GameBatch) -> None:
    """Print what has happened since the last decision."""
    for line in batch.journal():
        print(f"  · {line}")


def over(batch: GameBatch) -> bool:
    """Whether the game has ended."""
    return bool(batch.states["over"][0])


def save(batch: GameBatch, path: Path) -> None:
    """Write the position: as text where the name ends in .toml, else as bytes."""
    from rfop_env.core.position import position_text, save_position

    data = position_text(batch).encode() if path.suffix == ".toml" else save_position(batch)
    part = path.with_name(f"{path.name}.part")  # an older file stays as it is until the new one is whole
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    print(f"Saved: {printable(str(path))}")


def load(batch: GameBatch, path: Path) -> None:
    """Put a saved position into the batch; raises `BadPosition`."""
    from rfop_env.core.files import read_file, read_text
    from rfop_env.core.position import load_position, load_position_text

    try:
        if path.suffix == ".toml":
            load_position_text(batch, read_text(path, LARGEST_POSITION))
        else:
            load_position(batch, read_file(path, LARGEST_POSITION))
    except (BadPosition, ValueError, RecursionError) as error:  # the parser's: numbers and lists without end
        raise BadPosition(f"{path}: {error}") from None
