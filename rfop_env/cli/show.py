"""Show what an environment is made of."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rfop_env.command_line import UsageError, environment, number
from rfop_env.registry import entries, get_game

if TYPE_CHECKING:
    from rfop_env.core.game import Game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("id", type=environment, help="environment id, or FILE.py of a game of your own")
    parser.add_argument("--actions", action="store_true", help="the action table")
    parser.add_argument("--observation", action="store_true", help="the pieces of the observation")
    cards = parser.add_mutually_exclusive_group()
    cards.add_argument("--cards", action="store_true", help="all cards")
    cards.add_argument("--card", type=number(int, 1, 999), metavar="N", help="one card")
    parser.add_argument("--brief", action="store_true", help="the rules in brief")
    parser.add_argument("--rules", action="store_true", help="the rules as they are implemented")
    parser.add_argument("--components", metavar="FILE", help="a component file to lay over the shipped one")


def run(args: argparse.Namespace) -> int:
    """Print what was asked for, or an overview."""
    game = get_game(args.id)
    asks_cards = args.card is not None or args.cards
    if args.components and (args.actions or args.observation or args.brief or args.rules) and not asks_cards:
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
    if args.brief:
        parts.append(_brief(game))
    if args.rules:
        parts.append(_rules(game))
    print("\n\n".join(parts or [_overview(game, args.components)]))
    return 0


def _overview(game: Game, components: str | None) -> str:
    """A game's options, rewards and sizes."""
    cards = game.load_components(components)
    spec = game.under({}, cards).spec
    lines = [f"{game.id}: {game.title}", "", f"seats         {', '.join(spec.seats)}"]
    lines += [f"option        {o.name} = {' | '.join(o.values)}: {o.meaning}" for o in game.options]
    lines += [f"reward        {r.name}: {r.meaning}" for r in game.rewards]
    lines += [f"opponent      {o.name}: {o.meaning}" for o in game.opponents]
    lines += [
        f"returns       {spec.lowest_return:g} to {spec.highest_return:g}{', zero-sum' if spec.zero_sum else ''}",
        f"ends by       {', '.join(game.end_reasons[1:])}; within {spec.max_decisions} decisions",
        f"actions       {game.actions.size} (--actions)",
        f"observation   int8 [{game.observation.size}], {len(game.observation.pieces)} pieces (--observation)",
        f"components    {cards.name} ({cards.digest}) (--cards)",
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


def _brief(game: Game) -> str:
    from rfop_env.core.game import BRIEF

    text = game.brief
    if not text:
        raise UsageError(f"{game.id} comes without {BRIEF}; --rules may say more")
    return text


def _rules(game: Game) -> str:
    path = game.folder / "RULES.md"
    if not path.exists():
        raise UsageError(f"{game.id} comes without RULES.md; its rules are the Python files in {game.folder}")
    return path.read_text(encoding="utf-8").rstrip()


class EnvironmentList:
    """List the environments."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The command has none."""

    @staticmethod
    def run(args: argparse.Namespace) -> int:
        """Print the table of environments."""
        rows = [("id", "title", "players", "options", "interface")]
        rows += [(e.id, e.title, e.players, ", ".join(e.options) or "-", e.interface) for e in entries()]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        return 0
