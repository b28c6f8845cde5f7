"""What the commands that play a game share: its arguments, a new game, its journal and end, saved positions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env.action_words import result_sentence
from rfop_env.agent_names import forms_in_words
from rfop_env.cli import terminal
from rfop_env.command_line import environment, number, output_file
from rfop_env.core.errors import BadPosition, UnknownName, printable
from rfop_env.game_setup import add_components, add_option, parse_options
from rfop_env.registry import get_game

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.game import Game
    from rfop_env.replays.recorder import Recorder

PLAYERS = f"{forms_in_words(typed=True)}; or several with shares (scripted=0.5,runs/mine=0.5), one of which is drawn"
HIGHEST_SEED = 2**64 - 1
TEXT = ".toml"  # the ending of a saved game as text
LARGEST_POSITION = 2**18  # bytes of a saved position's file; those of the games here have a few thousand


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of every command that begins a game."""
    parser.add_argument("id", type=environment, help="environment id, or FILE.py of a game of your own")
    parser.add_argument(
        "--seed",
        type=number(int, 0, HIGHEST_SEED),
        metavar="N",
        help="the same seed gives the same game; default: random; it is printed",
    )
    add_components(parser)
    parser.add_argument("--record", metavar="FILE", type=output_file, help="write the game as a replay (rfop replay)")
    add_option(parser)


def saved_options(args: argparse.Namespace, game: Game) -> dict[str, object]:
    """The game's options from `--option`, and from `--side` where a side is an option."""
    texts = list(args.option)
    if getattr(args, "side", None) and "side" in [option.name for option in game.options]:
        texts.append(f"side={args.side.lower()}")
    return dict(parse_options(texts))


def new_batch(args: argparse.Namespace, options: Mapping[str, object] | None = None) -> GameBatch:
    """A batch of one, reset with the seed or with a random one; its title and seed are printed.

    `options` are those of a saved game; what the command line says goes before them.
    """
    import secrets

    from rfop_env.core.batch import GameBatch

    game = get_game(args.id)
    seed = secrets.randbelow(10**6) if args.seed is None else args.seed
    chosen = {**(options or {}), **saved_options(args, game)}
    batch = GameBatch(game, 1, seed, options=chosen, components=args.components)
    loaded = getattr(args, "load", None)
    print(f"{game.title}, {f'from {printable(str(loaded))}' if loaded else f'seed {seed}'}")
    return batch


def seated(batch: GameBatch, names: Sequence[str]) -> str:
    """Who sits where, in one line."""
    sides = batch.game.seat_names(batch.record())
    return ", ".join(f"{side} {printable(name)}" for side, name in zip(sides, names, strict=True))


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
    """One line: how a game ended and who won."""
    return terminal.paint(f"The game is over. {result_sentence(batch.game, batch.record())}.", terminal.BOLD)


def print_journal(batch: GameBatch) -> None:
    """Print what has happened since the last decision."""
    for line in batch.journal():
        print(terminal.wrapped(f"  · {line}", terminal.width(), "    "))


def over(batch: GameBatch) -> bool:
    """Whether the game has ended."""
    return bool(batch.states["over"][0])


def save(batch: GameBatch, path: Path, names: Sequence[str]) -> None:
    """Write the position: as a saved game with its options and players where the name ends in .toml, else as bytes."""
    from rfop_env.core.position import save_position
    from rfop_env.game_setup import saved_text

    text = path.suffix == TEXT
    data = saved_text(batch, names, batch.given_options).encode() if text else save_position(batch)
    part = path.with_name(f"{path.name}.part")  # an older file stays as it is until the new one is whole
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    print(f"Saved: {printable(str(path))}")


@dataclass(frozen=True)
class SavedGame:
    """A file of `save`, before it is put into a batch."""

    path: Path
    content: bytes | str

    @staticmethod
    def read(path: Path) -> SavedGame:
        """Read a file; raises `UnreadableFile`."""
        from rfop_env.core.files import read_file, read_text

        reader = read_text if path.suffix == TEXT else read_file
        return SavedGame(path, reader(path, LARGEST_POSITION))

    @property
    def options(self) -> dict[str, str]:
        """The options that it names; raises `RfopError`."""
        from rfop_env.game_setup import saved_options

        return saved_options(self.content) if isinstance(self.content, str) else {}

    def seats(self, players: int) -> list[str]:
        """Who sits in each seat."""
        from rfop_env.game_setup import saved_seats

        return saved_seats(self.content if isinstance(self.content, str) else "", players)

    def put_into(self, batch: GameBatch) -> None:
        """Have the batch go on from here; raises `BadPosition`."""
        from rfop_env.core.position import load_position, load_position_text

        try:
            if isinstance(self.content, str):
                load_position_text(batch, self.content)
            else:
                load_position(batch, self.content)
        except (BadPosition, ValueError, RecursionError) as error:  # the parser's: numbers and lists without end
            raise BadPosition(f"{self.path}: {error}") from None
