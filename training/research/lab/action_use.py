"""Count how often an agent takes each action when it is legal, on fixed public deals.

    python -m training.research action-use red-flag/ppo-3 --env RedFlagOverParis-v1 --by chosen --actions use
    python -m training.research action-use scripted --env LeveeEnMasse-v0 --deals 1000

`--by` splits the decisions by the entries of a piece of the observation that are above 0: in the first example, by the
card that is played. An action that trained agents never take although it is legal may be worth nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Actions, Agent, AgentWrapper, Masks, Obs, Positions
from rfop_env.command_line import number
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.game_setup import add_components, add_option
from rfop_env.players import load_agent
from rfop_env.registry import get_game
from rfop_training.common.command_line import add_env
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation.arguments import AGENT, add_deals
from rfop_training.evaluation.games import play
from rfop_training.evaluation.rows import PUBLISHED
from rfop_training.evaluation.setting import Setting

NEVER = "never"


class CountingAgent(AgentWrapper):
    """An agent that counts its legal and its chosen actions, by the entries of a piece of the observation.

    `legal` and `taken` are int64 [E, A], for E entries (one without a piece) and A actions.
    """

    def __init__(self, agent: Agent, game: Game, piece: str = ""):
        super().__init__(agent)
        self._layout, self._piece = game.observation, piece
        entries = next(p.size for p in game.observation.pieces if p.name == piece) if piece else 1
        self.legal, self.taken = np.zeros((2, entries, game.actions.size), np.int64)

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The agent's actions, counted."""
        actions = super().act(observation, action_mask, rng, positions)
        choices = np.zeros(action_mask.shape, np.int64)
        choices[np.arange(len(actions)), actions] = 1
        present = np.ones((len(actions), 1), np.int64)
        if self._piece:
            present = (self._layout.part(observation, self._piece) > 0).astype(np.int64)
        self.legal += present.T @ action_mask.astype(np.int64)
        self.taken += present.T @ choices
        return actions


@dataclass(frozen=True)
class ActionUse:
    """How often some actions were legal and how often they were taken, for each entry of a piece of the observation."""

    agent: str
    entries: tuple[str, ...]  # one empty text without a piece
    actions: tuple[str, ...]
    legal: NDArray[np.int64]  # [entries, actions]
    taken: NDArray[np.int64]


def count_actions(
    game: Game,
    name: str,
    deals: Sequence[int],
    piece: str = "",
    prefix: str = "",
    any_components: bool = False,
    **settings: object,
) -> ActionUse:
    """Play each deal with the agent in every seat, and count the actions whose sentence starts with `prefix`.

    With `any_components` the agent may have been trained for another component set. `settings` are those of
    `play_seated`. Raises `RfopError` for an unknown piece or agent, or if no action fits.
    """
    options = settings.get("options") or {}
    assert isinstance(options, dict)
    game = game.under(options)
    pieces = {p.name: p.entries or tuple(str(k) for k in range(p.size)) for p in game.observation.pieces}
    if piece and piece not in pieces:
        raise UnknownName(f"piece of the observation of {game.id}", piece, list(pieces))
    sentences = [game.actions.sentence(k) for k in range(game.actions.size)]
    indices = [k for k, sentence in enumerate(sentences) if sentence.startswith(prefix)]
    if not indices:
        raise RfopError(f"no action of {game.id} starts with {prefix!r}; `rfop show {game.id}` lists them")
    agent = load_agent(name, game, settings.get("components"), typed=True, any_components=any_components)
    watched = CountingAgent(agent, game, piece)
    play(game, [watched] * game.spec.players, deals, **settings)  # type: ignore[arg-type]
    labels = tuple(sentences[k].removeprefix(prefix).lstrip(" :") or sentences[k] for k in indices)
    entries = pieces[piece] if piece else ("",)
    return ActionUse(watched.name, entries, labels, watched.legal[:, indices], watched.taken[:, indices])


@dataclass(frozen=True)
class ActionCount:
    """A row of a file: how often an action was legal at an entry of a piece of the observation, and how often taken."""

    env: str
    options: str  # "scenario=extended"
    components: str  # digest of the component set
    agent: str
    piece: str
    entry: str
    action: str
    legal: int
    taken: int
    deals: int
    seed: int  # of the agent's random numbers


def action_counts(
    use: ActionUse, env: str, options: str, components: str, piece: str, deals: int, seed: int
) -> list[ActionCount]:  # fmt: skip
    """The counts as rows of a file; an action that was never legal at an entry has none."""
    return [
        ActionCount(env, options, components, use.agent, piece, entry, action, int(n), int(k), deals, seed)
        for entry, legal, counts in zip(use.entries, use.legal, use.taken, strict=True)
        for action, n, k in zip(use.actions, legal, counts, strict=True)
        if n
    ]


def replace_counts(path: Path, counts: Sequence[ActionCount]) -> None:
    """Write counts to a CSV file, in place of those of the same game, options, component set, agent and piece.

    Raises `RfopError` for a file that cannot be read or written.
    """
    add_records(path, counts, ActionCount, lambda row: (row.env, row.options, row.components, row.agent, row.piece))


def action_table(use: ActionUse, piece: str = "") -> str:
    """How often each action was taken when it was legal, in Markdown: a line for each entry, or for each action."""

    def cell(legal: int, count: int) -> str:
        return "" if legal == 0 else f"{count / legal:.1%} of {legal}" if count else f"{NEVER} of {legal}"

    if not piece:
        lines = [["action", use.agent], ["---", "---:"]]
        lines += [[a, cell(n, k)] for a, n, k in zip(use.actions, use.legal[0], use.taken[0], strict=True)]
    else:
        lines = [[piece, *use.actions], ["---", *["---:"] * len(use.actions)]]
        for entry, legal, counts in zip(use.entries, use.legal, use.taken, strict=True):
            lines.append([entry, *(cell(n, k) for n, k in zip(legal, counts, strict=True))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def never_taken(use: ActionUse) -> list[str]:
    """The actions that were legal and never taken, as text."""
    return [
        f"{entry}: {action}" if entry else action
        for entry, legal, counts in zip(use.entries, use.legal, use.taken, strict=True)
        for action, n, k in zip(use.actions, legal, counts, strict=True)
        if n and not k
    ]


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", help=f"who has every seat: {AGENT}")
    add_env(parser)
    parser.add_argument("--by", default="", metavar="PIECE", help="a piece of the observation to split by")
    parser.add_argument("--actions", default="", metavar="TEXT", help="only actions whose sentence starts with TEXT")
    add_deals(parser)
    parser.add_argument(
        "--seed", type=number(int, 0), default=0, help="seed of the agent's own random numbers (default %(default)s)"
    )
    add_option(parser)
    add_components(parser)
    parser.add_argument(
        "--csv", type=Path, help="also write the counts to this file, in place of the agent's in the same setting"
    )


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if args.csv:
        require_rows(args.csv, "--csv", ActionCount)
    setting = Setting.parse(args.env, args.option, components=args.components, seed=args.seed)
    deals = range(args.deals or PUBLISHED)

    game = get_game(args.env)
    use = count_actions(
        game, args.agent, deals, args.by, args.actions, args.any_components,
        seed=setting.seed, components=game.load_components(args.components), options=dict(setting.options),
    )  # fmt: skip
    print(action_table(use, args.by))
    if args.csv:
        provenance = setting.provenance(deals)
        counts = action_counts(
            use, game.id, provenance["options"], provenance["components"], args.by, len(deals), setting.seed
        )
        replace_counts(args.csv, counts)
    print(f"\nlegal and never taken: {', '.join(never_taken(use)) or 'none'}")
    return 0
