"""Shared by `rfop play` and `rfop watch`: arguments, a new game, players in seats, recordings, saved positions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfop_env.agent_names import PERSON, forms_in_words
from rfop_env.cli import terminal
from rfop_env.command_line import environment, number, output_file
from rfop_env.core.errors import BadPosition, printable
from rfop_env.game_setup import add_components, add_option, parse_options
from rfop_env.registry import get_game

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rfop_env.core.batch import GameBatch
    from rfop_env.core.game import Game
    from rfop_env.players import SeatedAgent
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


def read_options(args: argparse.Namespace, game: Game) -> dict[str, object]:
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
    options = {**(options or {}), **read_options(args, game)}
    batch = GameBatch(game, 1, seed, options=options, components=args.components)
    file = getattr(args, "load", None)
    print(f"{game.title}, {f'from {printable(str(file))}' if file else f'seed {seed}'}")
    return batch


def seat_line(batch: GameBatch, names: Sequence[str]) -> str:
    """The players of all seats, in one line."""
    sides = batch.game.seat_names(batch.record())
    return ", ".join(f"{side} {printable(name)}" for side, name in zip(sides, names, strict=True))


class GameTable:
    """A game of one batch, in which programs sit in all seats but those of people.

    `names` has `PERSON` or the name of a program for each seat; `typed` says whether they come from the command line
    and `any_components` whether networks may be of another component set (`AgentLoader`). All chance of the programs
    follows from `seed`; None: a random seed. Raises `UnknownName` for a program that there is not, and what
    `load_agent` raises.
    """

    def __init__(
        self,
        batch: GameBatch,
        names: Sequence[str],
        seed: int | None,
        typed: bool = True,
        any_components: bool = False,
    ) -> None:
        from rfop_env.players import AgentLoader

        self.batch = batch
        self.batch.keep_history()
        self.names = list(names)
        self.recorder: Recorder | None = None
        programs = AgentLoader(seed, typed, any_components)
        self._programs: list[SeatedAgent | None] = [
            None if name == PERSON else programs.load(name, batch.game, batch.components) for name in names
        ]

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return int(self.batch.current_player[0])

    @property
    def asks_person(self) -> bool:
        """Whether the game goes on and a person decides."""
        return not terminal.over(self.batch) and self._programs[self.seat] is None

    def let_program_decide(self) -> int:
        """The program whose turn it is takes a decision; returns the action."""
        program = self._programs[self.seat]
        assert program is not None, "a person decides"
        action = program.act(self.batch, lambda: False)
        self.take(action)
        return action

    def take(self, action: int | None) -> None:
        """Carry out a decision of any seat, None for a random one, and print the journal."""
        if action is None:
            self.batch.step_random()
        else:
            self.batch.step([action])
        if self.recorder is not None:
            self.recorder.add_random() if action is None else self.recorder.add(action)
        terminal.print_journal(self.batch)

    def go_back(self, states: NDArray[Any], decisions: int) -> None:
        """Go back to the record [1] of so many decisions ago."""
        self.batch.set_state(states)
        if self.recorder is not None:
            for _ in range(decisions):
                self.recorder.undo()


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


def save(batch: GameBatch, path: Path, names: Sequence[str]) -> None:
    """Write the position: as a saved game with its options and players where the name ends in .toml, else as bytes."""
    from rfop_env.core.files import write_atomically
    from rfop_env.core.position import save_position
    from rfop_env.game_setup import saved_text

    text = path.suffix == TEXT
    write_atomically(path, saved_text(batch, names, batch.given_options).encode() if text else save_position(batch))
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
        """The player of each seat."""
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
