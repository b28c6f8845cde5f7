"""`rfop play`: a game in the terminal."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfop_env.cli import games
from rfop_env.command_line import UsageError
from rfop_env.core.errors import UnknownName, nearest, printable
from rfop_env.registry import get_game

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.game import Game
    from rfop_env.replays.recorder import Recorder

RANDOM, MYSELF = "random", "self"
LONGEST_NUMBER = 6  # digits of an action's number in the menu
HELP = """\
  a number or a label   take that action (a part of the label is enough when only one action has it)
  r                     let chance choose for you
  u                     undo your last decision, with everything that followed it
  d                     draw the position again
  s FILE                save the position (FILE.toml as text, any other name as bytes)
  q                     quit"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    games.add_arguments(parser)
    parser.add_argument("--side", help="the side or seat you play (default: the game's first)")
    parser.add_argument(
        "--opponent",
        metavar="NAME",
        help=f"who plays the other seats: {RANDOM} (default), another of the game (rfop show ID), or {MYSELF}",
    )
    parser.add_argument("--load", metavar="FILE", type=Path, help="go on from a saved position")


def play_command(args: argparse.Namespace) -> int:
    """Play a game in the terminal."""
    _refuse_useless_flags(args, get_game(args.id))
    batch = games.new_batch(args)
    if batch.game.spec.players > 1 and args.opponent != MYSELF:
        batch = _against_an_opponent(batch, args)
    if args.load:
        games.load(batch, args.load)
    with games.recording(batch, args.record, _players(batch)) as recorder:
        TerminalGame(batch, recorder).play()
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


def _against_an_opponent(batch: GameBatch, args: argparse.Namespace) -> GameBatch:
    """The same game from the start, with an opponent in all seats but the player's."""
    from rfop_env.core.batch import GameBatch

    return GameBatch(
        batch.game, 1, batch.seed_of(0)[0], options=batch.given_options, components=batch.components,
        opponent=_opponent(batch.game, args.opponent or RANDOM), seat=_seat(batch, args.side),
    )  # fmt: skip


def _opponent(game: Game, name: str) -> str:
    names = [opponent.name for opponent in game.opponents]
    if name not in names:
        raise UnknownName(f"opponent of {game.id}", name, [*names, MYSELF])
    return name


def _seat(batch: GameBatch, side: str | None) -> int:
    """The seat that plays a side, by the side's name or the seat's."""
    return 0 if side is None else games.side_number(batch.game, batch.game.seat_names(batch.record()), side)


def _players(batch: GameBatch) -> list[str]:
    """Who sits in each seat: the opponent in all but the learner's, and people elsewhere."""
    seats = range(batch.game.spec.players)
    learner = int(batch.record()["learner"]) - 1
    return [games.PERSON if batch.opponent is None or seat == learner else batch.opponent for seat in seats]


class TerminalGame:
    """One game at the terminal, its recorder, and the positions that an undo goes back to."""

    def __init__(self, batch: GameBatch, recorder: Recorder | None = None) -> None:
        self.batch = batch
        self._recorder = recorder
        self._before: list[Any] = []  # a position for each decision of the player

    def play(self) -> None:
        """Play until the game ends or the player quits."""
        games.print_journal(self.batch)
        self._draw()
        while not games.over(self.batch):
            legal = self._menu()
            try:
                answer = input(f"{self._asked()} (? for help): ").strip()
            except EOFError:
                print("\nNo more input: the game stops here.")
                return
            if answer == "q":
                return
            self._answer(answer, legal)
        print(games.result(self.batch))

    def _asked(self) -> str:
        return self.batch.game.seat_names(self.batch.record())[int(self.batch.current_player[0])]

    def _menu(self) -> list[int]:
        """Print the legal actions with numbers from 1; return their ids."""
        import numpy as np

        legal: list[int] = np.flatnonzero(self.batch.action_mask[0]).tolist()
        labels = [self._label(action) for action in legal]
        width = max(map(len, labels))
        for i, (action, label) in enumerate(zip(legal, labels, strict=True), 1):
            print(f"{i:4}  {label:<{width}}  {self.batch.game.actions.sentence(action)}")
        return legal

    def _label(self, action: int) -> str:
        """The label of an action, and the name of the card that it names by number."""
        label = self.batch.game.actions.label(action)
        word, _, number = label.partition(" ")
        if word in ("card", "objective", "bonus") and number.isdigit() and hasattr(self.batch.components, "card_name"):
            label += f" {self.batch.components.card_name(int(number))}"
        return label

    def _answer(self, answer: str, legal: list[int]) -> None:
        """Carry out a command or an action; a hint for anything else."""
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
                self._take(self._chosen(answer, legal))
            except UsageError as hint:
                print(hint)

    def _chosen(self, answer: str, legal: list[int]) -> int:
        """The action meant by a number of the menu, a label, or the start of one."""
        if answer.isdecimal():
            if len(answer) > LONGEST_NUMBER or not 1 <= int(answer) <= len(legal):
                shown = printable(answer, LONGEST_NUMBER)
                raise UsageError(f"There is no {shown} in the first column: it ends at {len(legal)} (? for help)")
            return legal[int(answer) - 1]

        # A whole label, the start of one, or a part of one, if only one action fits.
        labels, word = [self._label(action) for action in legal], answer.lower()
        for fits in (str.__eq__, str.startswith, str.__contains__):
            meant = [i for i, label in enumerate(labels) if word and fits(label.lower(), word)]
            if len(meant) == 1:
                return legal[meant[0]]
            if meant:
                some = ", ".join(repr(labels[i]) for i in meant[:5])
                raise UsageError(f"{answer!r} can mean {some}: type more of it.")

        short = [self.batch.game.actions.label(action) for action in legal]
        raise UsageError(f"{answer!r} is not among the actions: {nearest(answer, short)} (? for help)")

    def _take(self, action: int | None) -> None:
        """A decision of the player (None: a random one), and those of the opponents after it."""
        self._before.append(self.batch.get_state())
        if action is None:
            self.batch.step_random()
        else:
            self.batch.step([action])
        if self._recorder is not None:
            self._recorder.add_random() if action is None else self._recorder.add(action)
        games.print_journal(self.batch)
        self._draw()

    def _undo(self) -> None:
        if not self._before:
            print("There is nothing to undo.")
            return
        self.batch.set_state(self._before.pop())
        if self._recorder is not None:
            self._recorder.undo()
        print("Undone.")
        self._draw()

    def _save(self, name: str) -> None:
        if not name:
            print("Save where? s FILE")
            return
        try:
            games.save(self.batch, Path(name))
        except (OSError, ValueError) as error:  # also a name that no file can have
            print(f"Not saved: {printable(str(error))}")

    def _draw(self) -> None:
        print(f"\n{self.batch.draw_text()}\n")
