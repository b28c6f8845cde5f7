"""Play a game in this terminal.

    rfop play Revolution-v0
    rfop play RedFlagOverParis-v1 --side versailles --opponent solo-opponent
    rfop play Revolution-v0 --opponent search-400                   a search
    rfop play Revolution-v0 --opponent search-100+revolution/ppo-2  a search that a network guides
    rfop play Revolution-v0 --opponent revolution/ppo-2             a baseline, a trained network
    rfop play Revolution-v0 --opponent runs/mine                    your own run

A player of a seat is any agent: a search, a trained network, a run, a function of your own.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfop_env.cli import table_setup, terminal
from rfop_env.command_line import UsageError
from rfop_env.core.errors import RfopError, UnclearMove, printable
from rfop_env.registry import get_game

if TYPE_CHECKING:
    from rfop_env.cli.table_setup import GameTable
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.game import Game

MYSELF = "self"
HELP = """\
  a number or a label   take that action (a part of the label is enough when only one action has it)
  r                     let chance choose for you
  u                     undo your last decision, with everything that followed it
  d                     draw the position again
  s FILE                save the game (FILE.toml as text with the players, any other name as a position in bytes)
  q                     quit; Ctrl-C saves the game and quits"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    table_setup.add_arguments(parser)
    parser.add_argument("--side", help="the side or seat you play (default: the game's first)")
    parser.add_argument(
        "--opponent",
        metavar="NAME",
        help=f"who plays the other seats (default: random): {table_setup.PLAYERS}, or {MYSELF}",
    )
    parser.add_argument("--load", metavar="FILE", type=Path, help="go on from a saved game, with its side and opponent")


def run(args: argparse.Namespace) -> int:
    """Play a game in the terminal."""
    from rfop_env.cli.table_setup import GameTable

    # The game, new or saved.
    _refuse_useless_flags(args, get_game(args.id))
    saved = None if args.load is None else table_setup.SavedGame.read(args.load)
    batch = table_setup.new_batch(args, None if saved is None else saved.options)
    if saved is not None:
        saved.put_into(batch)

    # Who plays.
    names = _players(args, batch, saved)
    typed = saved is None or args.opponent is not None
    table = GameTable(batch, names, batch.game_seed(0)[0], typed=typed, any_components=args.any_components)
    if batch.game.spec.players > 1:
        print(f"Players: {table_setup.seat_line(batch, names)}")

    with table_setup.recording(batch, args.record, names) as table.recorder:
        TerminalGame(table).play()
    return 0


PLAY_FLAGS = ("components", "option", "seed", "side", "opponent", "load", "record")


def _refuse_useless_flags(args: argparse.Namespace, game: Game) -> None:
    """Refuse a flag that would be without effect for this game, or beside the other flags: `UsageError`."""
    useless = _useless_flags(args, game)
    fitting = ", ".join(f"--{flag}" for flag in PLAY_FLAGS if flag not in useless)
    for flag, reason in useless.items():
        if getattr(args, flag) not in (None, []):
            raise UsageError(f"--{flag} does not apply: {reason}; what does: {fitting}")


def _useless_flags(args: argparse.Namespace, game: Game) -> dict[str, str]:
    """The flags of play that do not apply, each with the reason."""
    useless = {}
    sided = "side" in [option.name for option in game.options]
    if not game.options:
        useless["option"] = f"{game.id} has no options"
    if game.spec.players == 1:
        useless["opponent"] = f"{game.id} has one seat"
        if not sided:
            useless["side"] = f"{game.id} has one seat"
    elif args.opponent == MYSELF:
        useless["side"] = f"with --opponent {MYSELF} every seat is yours"
    if sided and any(text.startswith("side=") for text in args.option):
        useless["side"] = "--option side=... says it already"
    if args.load is not None:
        useless["seed"] = "a saved position goes on with the chance that it was saved with"
    return useless


def _players(args: argparse.Namespace, batch: GameBatch, saved: table_setup.SavedGame | None) -> list[str]:
    """The player of each seat: from the command line, or else from the saved game."""
    from rfop_env.agent_names import PERSON, RANDOM
    from rfop_env.seat_view import find_seat

    players = batch.game.spec.players
    if players == 1 or args.opponent == MYSELF:
        return [PERSON] * players

    # As saved.
    names = [PERSON, *[RANDOM] * (players - 1)] if saved is None else saved.seats(players)
    if len(names) != players:
        raise UsageError(f"{args.load}: names {len(names)} players for {players} seats; its line '# seats:' says who")
    if args.side is None and args.opponent is None:
        return names

    # As the command line says.
    programs = [name for name in names if name != PERSON] or [RANDOM]
    opponent = programs[0] if args.opponent is None else args.opponent
    if args.side is not None:
        seat = find_seat(batch.game, batch.game.seat_names(batch.record()), args.side, "side")
    else:
        seat = names.index(PERSON) if PERSON in names else 0
    return [PERSON if number == seat else opponent for number in range(players)]


class TerminalGame:
    """One game at the terminal, and the positions that an undo goes back to."""

    def __init__(self, table: GameTable) -> None:
        self.table, self.batch = table, table.batch
        self._snapshots: list[tuple[Any, int]] = []  # before each own decision, and the decisions until then
        self._state = self.batch.get_state()  # after the last decision that was carried out in full
        self._decisions = 0

    def play(self) -> None:
        """Play until the game ends or the player quits; Ctrl-C, and a program that fails, save the game."""
        try:
            self._play()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self._save_interrupted()) from None
        except RfopError as error:
            advice = self._save_interrupted()
            raise RfopError(f"{error}. {advice}" if advice else str(error)) from None

    def _play(self) -> None:
        terminal.edit_lines()
        terminal.print_journal(self.batch)
        self._let_programs_decide()
        self._draw()
        while not terminal.over(self.batch):
            self._menu()
            try:
                side = self.batch.game.seat_names(self.batch.record())[self.table.seat]
                answer = input(f"{side} (? for help): ").strip()
            except EOFError:
                print("\nNo more input: the game stops here.")
                return
            if answer == "q":
                return
            self._answer(answer)
        print(terminal.result_line(self.batch))

    def _save_interrupted(self) -> str:
        """Save the game under a name that is free; returns how to go on."""
        from rfop_env.agent_names import is_language_model

        if terminal.over(self.batch):
            return ""
        path = next(path for path in map(Path, _free_names(self.batch.game.id)) if not path.exists())
        batch = self.batch.clone()
        batch.set_state(self._state)
        try:
            table_setup.save(batch, path, self.table.names)
        except (OSError, ValueError) as error:
            return f"Not saved: {printable(str(error))}"
        again = [f" --opponent {shlex.quote(name)}" for name in self.table.names if is_language_model(name)]
        return f"Go on with: rfop play {self.batch.game.id} --load {path}{''.join(again[:1])}"

    def _menu(self) -> None:
        """Print the legal actions with numbers from 1."""
        from rfop_env.seat_view import legal_actions

        rows = [(action.label, action.sentence) for action in legal_actions(self.batch)]
        print("\n".join(terminal.menu(rows, terminal.width())))

    def _answer(self, answer: str) -> None:
        """Carry out a command or an action; a hint for anything else."""
        from rfop_env.interfaces.text import parse_move

        if answer in ("?", "h", "help"):
            print(HELP)
        elif answer == "d":
            self._draw()
        elif answer == "u":
            self._undo()
        elif answer == "s" or answer.startswith("s "):
            self._save(answer[1:].strip())
        elif answer == "r":
            self._take(None)
        else:
            try:
                action = parse_move(self.batch, answer)
            except UnclearMove as hint:
                print(f"{hint} (? for help)")
            else:
                self._take(action)

    def _take(self, action: int | None) -> None:
        """A decision of the player (None: a random one), and those of the programs after it."""
        self._snapshots.append((self.batch.get_state(), self._decisions))
        self.table.take(action)
        self._count()
        self._let_programs_decide()
        self._draw()

    def _let_programs_decide(self) -> None:
        """The programs decide until a person does, or the game is over."""
        while not terminal.over(self.batch) and not self.table.asks_person:
            self.table.let_program_decide()
            self._count()

    def _count(self) -> None:
        self._state = self.batch.get_state()
        self._decisions += 1

    def _undo(self) -> None:
        if not self._snapshots:
            print("There is nothing to undo.")
            return
        self._state, decisions = self._snapshots.pop()
        self.table.go_back(self._state, self._decisions - decisions)
        self._decisions = decisions
        print("Undone.")
        self._draw()

    def _save(self, name: str) -> None:
        if not name:
            print("Save where? s FILE")
            return
        try:
            table_setup.save(self.batch, Path(name), self.table.names)
        except (OSError, ValueError) as error:  # also a name that no file can have
            print(f"Not saved: {printable(str(error))}")

    def _draw(self) -> None:
        print(f"\n{self.batch.draw_text()}\n")


def _free_names(game: str) -> Iterator[str]:
    """Names for a file: today's, with a number where one is there already."""
    day = datetime.date.today().isoformat()
    return (f"{game}-{day}{f'-{number}' if number else ''}{table_setup.TEXT}" for number in itertools.count())
