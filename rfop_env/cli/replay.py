"""Look at a recorded game in the terminal, as a picture, or as a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env.cli import terminal
from rfop_env.command_line import UsageError, number, output_file
from rfop_env.core.errors import printable
from rfop_env.game_setup import add_components

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch
    from rfop_env.replays.moments import Playback
    from rfop_env.replays.replay_file import Replay

MOST_MOMENTS = 10**6
HELP = """\
  Enter    the next moment
  b        a moment back
  a number go to that moment
  q        quit"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("file", type=Path, help="a replay (.rfop), as --record and the page of rfop serve write it")
    parser.add_argument("--seat", metavar="NAME", help="show nothing but what this side or seat saw (default: all)")
    parser.add_argument("--at", type=number(int, 0, MOST_MOMENTS), metavar="N", help="the moment to begin at, from 0")
    parser.add_argument("--all", action="store_true", help="print every moment and end")
    parser.add_argument("--svg", type=output_file, metavar="FILE", help="write one moment as a picture (default: last)")
    parser.add_argument("--html", type=output_file, metavar="FILE", help="write a page that plays it in any browser")
    parser.add_argument("--values", metavar="AGENT", help="add the returns that a search or trained agent expects")
    parser.add_argument("--write", type=output_file, metavar="FILE", help="write the replay again, with these values")
    add_components(parser, "the component file that the game was played with")


def run(args: argparse.Namespace) -> int:
    """Check a replay, and show it in the ways that were asked for."""
    from rfop_env.replays.moments import play_back, with_values
    from rfop_env.replays.replay_file import Replay
    from rfop_env.seat_view import find_seat

    # Read it and play it: what is wrong with it is said before anything is written.
    replay = Replay.read(args.file)
    components = replay.game.load_components(args.components)
    if args.values is not None:
        play_back(replay, components)
        replay = with_values(replay, _Judge(args, replay, components), args.values, components)
    playback = play_back(replay, components)
    last = len(playback.moments) - 1
    if args.at is not None and args.at > last:
        raise UsageError(f"--at: the moments of this game run from 0 to {last}, found {args.at}")
    seat = None if args.seat is None else find_seat(replay.game, playback.seats, args.seat, "side")

    # What is written.
    _write_files(args, playback, seat)
    if args.svg or args.html or args.write:
        return 0

    # What is printed.
    viewer = TerminalReplay(playback, seat)
    if args.all:
        for moment in range(args.at or 0, last + 1):
            viewer.print(moment)
    else:
        viewer.run(args.at or 0)
    return 0


def _write_files(args: argparse.Namespace, playback: Playback, seat: int | None) -> None:
    from rfop_env.core.files import write_whole

    at = len(playback.moments) - 1 if args.at is None else args.at
    if args.svg:
        write_whole(args.svg, playback.picture(at, seat))
    if args.html:
        from rfop_env.replays.page import replay_page

        write_whole(args.html, replay_page(playback, None if seat is None else [seat]))
    if args.write:
        playback.replay.write(args.write)
    for path in filter(None, (args.svg, args.html, args.write)):
        print(f"Written: {path}")


class _Judge:
    """A program's value of a position; a line on stderr counts the decisions."""

    def __init__(self, args: argparse.Namespace, replay: Replay, components: object) -> None:
        from rfop_env.players import AgentLoader

        name = args.values
        self._program = AgentLoader(any_components=args.any_components).load(name, replay.game, components)
        if not self._program.gives_values:
            raise UsageError(f"--values: {name} gives no values: choose a search or a trained network")
        self._done, self._all = 0, len(replay.decisions)

    def __call__(self, batch: GameBatch) -> float | None:
        value = self._program.think(batch, lambda: False).value
        self._done += 1
        if sys.stderr.isatty():
            print(f"\rvalues: {self._done} of {self._all}", end="\n" * (self._done == self._all), file=sys.stderr)
        return value


class TerminalReplay:
    """An episode at the terminal, a moment at a time."""

    def __init__(self, playback: Playback, seat: int | None) -> None:
        self._seat = seat
        self._playback = playback if seat is None else playback.for_seat(seat)

    def run(self, at: int) -> None:
        """Show moments until the user quits or there is no more input."""
        last = len(self._playback.moments) - 1
        terminal.edit_lines()
        self.print(at)
        while True:
            try:
                answer = input(f"Moment {at} of {last} (? for help): ").strip()
            except EOFError:
                print()
                return
            if answer == "q":
                return
            if answer in ("?", "h", "help"):
                print(HELP)
                continue
            target = self._target(answer, at)
            if target is None or not 0 <= target <= last:
                what = f"There is no moment {printable(answer, 20)!r}" if answer else "This is the last moment"
                print(f"{what}: they run from 0 to {last} (? for help)")
                continue
            at = target
            self.print(at)

    def _target(self, answer: str, at: int) -> int | None:
        if answer in ("", "b"):
            return at + 1 if answer == "" else max(0, at - 1)
        return int(answer) if answer.isascii() and answer.isdigit() and len(answer) <= len(str(MOST_MOMENTS)) else None

    def print(self, at: int) -> None:
        """One moment: what led to it, what is said about it, the position."""
        playback, moment = self._playback, self._playback.moments[at]
        print(f"\n== Moment {at} of {len(playback.moments) - 1} ==")
        if moment.seat >= 0:
            print(f"{playback.seats[moment.seat]}: {moment.label or 'a decision'}")
        for line in moment.lines:
            print(terminal.wrapped(f"  · {line}", terminal.width(), "    "))
        for note in moment.notes:
            print(f"  # {note}")
        if moment.value is not None:
            print(f"  {playback.replay.values_by} expects {moment.value:+.2f} for {playback.seats[moment.decider]}")
        print(f"\n{playback.text(at, self._seat)}\n")
        if at == len(playback.moments) - 1:
            print(f"{playback.result}.")
