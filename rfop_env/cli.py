"""The command `rfop`: list, show, play, watch, serve, bench, components."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfop_env.command_line import Parser, UsageError, command, number, output_file
from rfop_env.core.errors import BadComponents, BadPosition, UnknownName, nearest, printable
from rfop_env.options import add_option, parse_options
from rfop_env.registry import entries, get_game, list_games

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.game import Game

RANDOM, MYSELF = "random", "self"
LONGEST_DELAY = 3600  # seconds
HIGHEST_SEED = 2**64 - 1
LARGEST_POSITION = 2**18  # bytes of a saved position's file; those of the games here have a few thousand
LONGEST_NUMBER = 6  # digits of an action's number in the menu
HELP = """\
  a number or a label   take that action (a part of the label is enough when only one action has it)
  r                     let chance choose for you
  u                     undo your last decision, with everything that followed it
  d                     draw the position again
  s FILE                save the position (FILE.toml as text, any other name as bytes)
  q                     quit"""


@command(name="rfop")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 1 for a component file that is not valid, 2 for a user's error."""
    args = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = args.run
    return run(args)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="rfop", description="Board games as reinforcement-learning environments.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add(commands, "list", list_command, "the environments")
    _show_arguments(_add(commands, "show", show_command, "what an environment is made of"))
    _play_arguments(_add(commands, "play", play_command, "play in this terminal"))
    _watch_arguments(_add(commands, "watch", watch_command, "watch a random game"))
    _serve_arguments(_add(commands, "serve", serve_command, "play in the browser"))
    _bench_arguments(_add(commands, "bench", bench_command, "measure decisions per second"))
    _component_commands(commands.add_parser("components", help="component files"))
    return parser


def _add(commands: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    parser.set_defaults(run=run)
    return parser


# -- list and show -----------------------------------------------------------------------------------------------------


def list_command(args: argparse.Namespace) -> int:
    """Print the table of environments."""
    rows = [("id", "title", "players", "options", "interface")]
    rows += [(e.id, e.title, e.players, ", ".join(e.options) or "-", e.interface) for e in entries()]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())
    return 0


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id")
    parser.add_argument("--actions", action="store_true", help="the action table")
    parser.add_argument("--observation", action="store_true", help="the pieces of the observation")
    cards = parser.add_mutually_exclusive_group()
    cards.add_argument("--cards", action="store_true", help="all cards")
    cards.add_argument("--card", type=number(int, 1, 999), metavar="N", help="one card")
    parser.add_argument("--rules", action="store_true", help="the rules as they are implemented")
    parser.add_argument("--components", metavar="FILE", help="a component file to lay over the shipped one")


def show_command(args: argparse.Namespace) -> int:
    """Print what was asked for, or an overview."""
    game = get_game(args.id)
    asks_cards = args.card is not None or args.cards
    if args.components and (args.actions or args.observation or args.rules) and not asks_cards:
        raise UsageError(
            "--components does not apply to what is asked for; it does to --card, --cards and the overview"
        )

    # Every part that was asked for, or the overview.
    parts = []
    if args.actions:
        parts.append(game.actions.markdown())
    if args.observation:
        parts.append(game.observation.markdown())
    if asks_cards:
        parts.append(_cards(game, args.components, args.card))
    if args.rules:
        parts.append(_rules(game))
    print("\n\n".join(parts or [_overview(game, args.components)]))
    return 0


def _overview(game: Game, components: str | None) -> str:
    """A game's options, rewards and sizes."""
    chosen = game.load_components(components)
    spec = game.under({}, chosen).spec
    lines = [f"{game.id}: {game.title}", "", f"seats         {', '.join(spec.seats)}"]
    lines += [f"option        {o.name} = {' | '.join(o.values)}: {o.meaning}" for o in game.options]
    lines += [f"reward        {r.name}: {r.meaning}" for r in game.rewards]
    lines += [f"opponent      {o.name}: {o.meaning}" for o in game.opponents]
    lines += [
        f"returns       {spec.lowest_return:g} to {spec.highest_return:g}{', zero-sum' if spec.zero_sum else ''}",
        f"ends by       {', '.join(game.end_reasons[1:])}; within {spec.max_decisions} decisions",
        f"actions       {game.actions.size} (--actions)",
        f"observation   int8 [{game.observation.size}], {len(game.observation.pieces)} pieces (--observation)",
        f"components    {chosen.name} ({chosen.digest}) (--cards)",
    ]
    return "\n".join(lines)


def _cards(game: Game, file: str | None, number: int | None) -> str:
    """One card or all: a title, and what it does, a sentence a line."""
    components = game.load_components(file)
    if not hasattr(components, "card_title"):
        raise UsageError(f"{game.id} has no cards")
    numbers = components.numbers if number is None else [number]
    return "\n\n".join(
        "\n".join([components.card_title(n), *(f"    {sentence}" for sentence in components.event_sentences(n))])
        for n in numbers
    )


def _rules(game: Game) -> str:
    path = game.folder / "RULES.md"
    if not path.exists():
        raise UsageError(f"{game.id} comes without RULES.md; its rules are the Python files in {game.folder}")
    return path.read_text(encoding="utf-8").rstrip()


# -- what play and watch share -----------------------------------------------------------------------------------------


def _game_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id")
    parser.add_argument(
        "--seed",
        type=number(int, 0, HIGHEST_SEED),
        metavar="N",
        help="the same seed gives the same game; default: random; it is printed",
    )
    parser.add_argument("--components", metavar="FILE", help="a component file to lay over the shipped one")
    add_option(parser)


def _options(args: argparse.Namespace, game: Game) -> dict[str, object]:
    """The game's options from `--option`, and from `--side` where a side is an option."""
    texts = list(args.option)
    if getattr(args, "side", None) and "side" in [option.name for option in game.options]:
        texts.append(f"side={args.side.lower()}")
    return dict(parse_options(texts))


def _new_batch(args: argparse.Namespace) -> GameBatch:
    """A batch of one, reset with the seed or with a random one; its title and seed are printed."""
    import secrets

    from rfop_env.core.batch import GameBatch

    game = get_game(args.id)
    seed = secrets.randbelow(10**6) if args.seed is None else args.seed
    batch = GameBatch(game, 1, seed, options=_options(args, game), components=args.components)
    loaded = getattr(args, "load", None)
    print(f"{game.title}, {f'from {printable(str(loaded))}' if loaded else f'seed {seed}'}")
    return batch


def _result(batch: GameBatch) -> str:
    """One line: how a game ended."""
    names = batch.game.seat_names(batch.record())
    returns = ", ".join(f"{name} {value:+g}" for name, value in zip(names, batch.rewards[0].tolist(), strict=True))
    return f"The game is over: {batch.game.end_reasons[int(batch.end_reason[0])]}. Return: {returns}."


def _print_journal(batch: GameBatch) -> None:
    """Print what has happened since the last decision."""
    for line in batch.journal():
        print(f"  · {line}")


def _over(batch: GameBatch) -> bool:
    return bool(batch.states["over"][0])


def _save(batch: GameBatch, path: Path) -> None:
    from rfop_env.core.position import position_text, save_position

    data = position_text(batch).encode() if path.suffix == ".toml" else save_position(batch)
    part = path.with_name(f"{path.name}.part")  # an older file stays as it is until the new one is whole
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    print(f"Saved: {printable(str(path))}")


def _load(batch: GameBatch, path: Path) -> None:
    from rfop_env.core.files import read_file, read_text
    from rfop_env.core.position import load_position, load_position_text

    try:
        if path.suffix == ".toml":
            load_position_text(batch, read_text(path, LARGEST_POSITION))
        else:
            load_position(batch, read_file(path, LARGEST_POSITION))
    except (BadPosition, ValueError, RecursionError) as error:  # the parser's: numbers and lists without end
        raise BadPosition(f"{path}: {error}") from None


# -- play --------------------------------------------------------------------------------------------------------------


def _play_arguments(parser: argparse.ArgumentParser) -> None:
    _game_arguments(parser)
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
    batch = _new_batch(args)
    if batch.game.spec.players > 1 and args.opponent != MYSELF:
        batch = _against_an_opponent(batch, args)
    if args.load:
        _load(batch, args.load)
    TerminalGame(batch).play()
    return 0


PLAY_FLAGS = ("components", "option", "seed", "side", "opponent", "load")


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
    sides, seats = (
        [n.lower() for n in names] for names in (batch.game.seat_names(batch.record()), batch.game.spec.seats)
    )
    if side is None:
        return 0
    if side.lower() not in sides + seats:
        raise UnknownName("side", side, [*sides, *(s for s in seats if s not in sides)])
    return (sides + seats).index(side.lower()) % len(seats)


class TerminalGame:
    """One game at the terminal, and the positions that an undo goes back to."""

    def __init__(self, batch: GameBatch) -> None:
        self.batch = batch
        self._before: list[Any] = []  # a position for each decision of the player

    def play(self) -> None:
        """Play until the game ends or the player quits."""
        _print_journal(self.batch)
        self._draw()
        while not _over(self.batch):
            legal = self._menu()
            try:
                answer = input(f"{self._asked()} (? for help): ").strip()
            except EOFError:
                print("\nNo more input: the game stops here.")
                return
            if answer == "q":
                return
            self._answer(answer, legal)
        print(_result(self.batch))

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
        _print_journal(self.batch)
        self._draw()

    def _undo(self) -> None:
        if not self._before:
            print("There is nothing to undo.")
            return
        self.batch.set_state(self._before.pop())
        print("Undone.")
        self._draw()

    def _save(self, name: str) -> None:
        if not name:
            print("Save where? s FILE")
            return
        try:
            _save(self.batch, Path(name))
        except (OSError, ValueError) as error:  # also a name that no file can have
            print(f"Not saved: {printable(str(error))}")

    def _draw(self) -> None:
        print(f"\n{self.batch.draw_text()}\n")


# -- watch -------------------------------------------------------------------------------------------------------------


def _watch_arguments(parser: argparse.ArgumentParser) -> None:
    _game_arguments(parser)
    parser.add_argument(
        "--delay", type=number(float, 0, LONGEST_DELAY), default=0.0, metavar="SECONDS", help="between two decisions"
    )
    parser.add_argument("--draw", action="store_true", help="draw every position")
    parser.add_argument(
        "--svg",
        metavar="FILE",
        type=output_file,
        help="write the last position, or with {} in the name every one, numbered",
    )


def watch_command(args: argparse.Namespace) -> int:
    """A random game, its journal and its end."""
    import time

    # The start.
    batch, decision = _new_batch(args), 0
    _print_journal(batch)
    _write_svg(batch, args.svg, decision)

    # A random decision at a time.
    while not _over(batch):
        time.sleep(args.delay)
        batch.step_random()
        decision += 1
        _print_journal(batch)
        _write_svg(batch, args.svg, decision)
        if args.draw:
            print(f"\n{batch.draw_text()}\n")

    # The end.
    if not args.draw:
        print(f"\n{batch.draw_text()}\n")
    print(_result(batch))
    return 0


def _write_svg(batch: GameBatch, path: Path | None, decision: int) -> None:
    """The position into its own file, or the last one into the only file."""
    from rfop_env.core.files import write_whole

    if path and ("{}" in path.name or _over(batch)):
        write_whole(path.with_name(path.name.replace("{}", f"{decision:03}")), batch.draw_svg())


# -- serve -------------------------------------------------------------------------------------------------------------


def _serve_arguments(parser: argparse.ArgumentParser) -> None:
    from rfop_env.web.server import add_arguments

    add_arguments(parser)


def serve_command(args: argparse.Namespace) -> int:
    """Serve the page on this machine, until Ctrl-C."""
    from rfop_env.web import server

    return server.serve_command(args)


# -- bench -------------------------------------------------------------------------------------------------------------


def _bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="small sizes, under 20 seconds once compiled")
    parser.add_argument("--games", nargs="+", metavar="ID", help="only these environments")
    parser.add_argument(
        "--cpu-time", action="store_true", help="per second of processor time, on a busy machine; one thread only"
    )
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--json", metavar="FILE", type=output_file, help="write all figures to a file")
    parser.add_argument(
        "--write", metavar="PAGE", type=Path, nargs="+", help="put the tables into the marked blocks of Markdown pages"
    )


def bench_command(args: argparse.Namespace) -> int:
    """Measure, and print the tables."""
    from dataclasses import replace

    from rfop_env.testing import marked_block, speed

    for page in args.write or ():
        marked_block.blocks_of(page.read_text(encoding="utf-8"), speed.BLOCKS)  # fails before anything is measured

    # Measure.
    settings = replace(speed.QUICK if args.quick else speed.Settings(), cpu_time=args.cpu_time)
    report = speed.bench(settings, args.games, tell=lambda line: print(f"rfop: {line}", file=sys.stderr))

    # Print, and write what was asked for.
    print(speed.tables(report, markdown=args.markdown))
    if args.json:
        speed.write_json(report, args.json)
    for page in args.write or ():
        marked_block.rewrite(page, {name: block(report) for name, block in speed.BLOCKS.items()})
    return 0


# -- components --------------------------------------------------------------------------------------------------------


def _component_commands(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = _add(commands, "check", check_command, "is a component file valid, and what does it change")
    check.add_argument("file", type=Path)
    export = _add(commands, "export", export_command, "print the shipped file, a template for your own")
    check.add_argument("--game", metavar="ID", help="default: the first that has all tables of the file")
    export.add_argument("--game", metavar="ID", default=list_games()[0], help="default: %(default)s")


def check_command(args: argparse.Namespace) -> int:
    """Exit code 0 and a summary, or 1 and the one error."""
    from collections import Counter

    try:
        game = get_game(_game_with_tables_of(args.file) if args.game is None else args.game)
        loaded = game.load_components(args.file)
    except BadComponents as error:
        print(f"rfop: {error}", file=sys.stderr)
        return 1

    # Where the rows come from, by provenance.
    rows = [row for table in loaded.content.tables.values() for row in table.values() if row.provenance]
    own = [row for row in rows if row.file == str(args.file)]
    print(f"{printable(str(args.file))}: valid for {game.id}, set {loaded.name!r} ({loaded.digest})")
    for name, some in (("rows in play", rows), ("of these from this file", own)):
        counts = Counter(row.provenance for row in some)
        numbers = ", ".join(f"{n} {provenance}" for provenance, n in sorted(counts.items())) or "none"
        print(f"{name}: {len(some)} ({numbers})")
    return 0


def _game_with_tables_of(file: Path) -> str:
    """The first game that knows every table of a component file; of a file that fits none, the first of all."""
    from rfop_env.core.component_file import table_names

    tables = table_names(file)
    fitting = (name for name in list_games() if tables <= set(get_game(name).load_components(None).content.tables))
    return next(fitting, list_games()[0])


def export_command(args: argparse.Namespace) -> int:
    """The shipped file as it is, in UTF-8 whatever the terminal's encoding."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    content = get_game(args.game).load_components(None).content
    print(Path(content.files[0]).read_text(encoding="utf-8"), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
