"""Count how often an agent takes each action when it is legal, on fixed public deals.

    python -m training.research action-use red-flag/ppo-3 --env RedFlagOverParis-v1 --by chosen --actions use
    python -m training.research action-use scripted --env LeveeEnMasse-v0 --deals 1000

`--by` splits the decisions by the entries of a piece of the observation that are above 0: in the first example, by the
card that is played. An action that trained agents never take although it is legal may be worth nothing.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import numpy as np
from numpy.random import Generator

from rfop_env.agent import Actions, Agent, AgentWrapper, Masks, Obs, Positions
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation.arguments import AGENT, add_deals, add_setting, make_setting
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
class ActionCount:
    """How often an action was legal at an entry of a piece of the observation, and how often taken."""

    env: str
    options: str  # "scenario=extended"
    components: str  # digest of the component set
    agent: str
    piece: str  # empty without one, as its entry
    entry: str
    action: str
    legal: int
    taken: int
    deals: int
    seed: int  # of the agent's random numbers

    @property
    def subject(self) -> tuple[object, ...]:
        """What the row is about: newer rows of the same subject replace it in a file."""
        return self.env, self.options, self.components, self.agent, self.piece


def count_actions(setting: Setting, name: str, deals: range, piece: str = "", prefix: str = "") -> list[ActionCount]:
    """Play each deal with the agent in every seat, and count the actions whose sentence starts with `prefix`.

    A count for each action at each entry of the piece. Raises `RfopError` for an unknown piece or agent, or if no
    action fits.
    """
    game = setting.game
    pieces = {p.name: p.entries or tuple(str(k) for k in range(p.size)) for p in game.observation.pieces}
    if piece and piece not in pieces:
        raise UnknownName(f"piece of the observation of {game.id}", piece, list(pieces))
    sentences = [game.actions.sentence(k) for k in range(game.actions.size)]
    indices = [k for k, sentence in enumerate(sentences) if sentence.startswith(prefix)]
    if not indices:
        raise RfopError(f"no action of {game.id} starts with {prefix!r}; `rfop show {game.id}` lists them")
    watched = CountingAgent(setting.agent(name), game, piece)
    setting.self_play(watched, deals)
    labels = [sentences[k].removeprefix(prefix).lstrip(" :") or sentences[k] for k in indices]
    provenance = setting.provenance(deals)
    where = provenance["env"], provenance["options"], provenance["components"], watched.name, piece
    return [
        ActionCount(*where, entry, label, int(legal[k]), int(counts[k]), len(deals), setting.seed)
        for entry, legal, counts in zip(pieces[piece] if piece else ("",), watched.legal, watched.taken, strict=True)
        for label, k in zip(labels, indices, strict=True)
    ]


def action_table(counts: Sequence[ActionCount]) -> str:
    """How often each action was taken when it was legal, in Markdown: a line for each entry, or for each action."""
    if not counts[0].piece:
        return markdown_table(["action", counts[0].agent], [[c.action, _cell(c)] for c in counts], right=(1,))
    by_entry = {entry: list(own) for entry, own in itertools.groupby(counts, attrgetter("entry"))}
    actions = [count.action for count in by_entry[counts[0].entry]]
    rows = [[entry, *map(_cell, own)] for entry, own in by_entry.items()]
    return markdown_table([counts[0].piece, *actions], rows, right=range(1, 1 + len(actions)))


def _cell(count: ActionCount) -> str:
    if not count.legal:
        return ""
    return f"{count.taken / count.legal:.1%} of {count.legal}" if count.taken else f"{NEVER} of {count.legal}"


def never_taken(counts: Sequence[ActionCount]) -> list[str]:
    """The actions that were legal and never taken, as text."""
    return [f"{c.entry}: {c.action}" if c.entry else c.action for c in counts if c.legal and not c.taken]


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", help=f"who has every seat: {AGENT}")
    add_setting(parser)
    parser.add_argument("--by", default="", metavar="PIECE", help="a piece of the observation to split by")
    parser.add_argument("--actions", default="", metavar="TEXT", help="only actions whose sentence starts with TEXT")
    add_deals(parser)
    parser.add_argument(
        "--csv", type=Path, help="also write the counts to this file, in place of the agent's in the same setting"
    )


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if args.csv:
        require_rows(args.csv, "--csv", ActionCount)
    setting = make_setting(args)
    counts = count_actions(setting, args.agent, range(args.deals or PUBLISHED), args.by, args.actions)
    print(action_table(counts))
    if args.csv:
        add_records(args.csv, [count for count in counts if count.legal], ActionCount)
    print(f"\nlegal and never taken: {', '.join(never_taken(counts)) or 'none'}")
    return 0
