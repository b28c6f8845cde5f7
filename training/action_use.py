"""How often an agent takes each action when it is legal, on the fixed public list of deals.

    python -m training.action_use red-flag/ppo-1 --env RedFlagOverParis-v0 --by chosen --actions "use the chosen card"
    python -m training.action_use scripted --env LeveeEnMasse-v0

`--by` splits the decisions by the entries of a piece of the observation that are above 0: here, by the card in play.
What trained agents never do where they may is a sign of an action, or of a card, that is worth nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import agents
from agents.agent import Agent, Positions
from rfop_env.command_line import command
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.options import add_option, parse_options
from rfop_env.registry import get_game
from training.arguments import Parser, whole
from training.evaluate import MOST_DEALS, play

NEVER = "never"


class Watched(Agent):
    """An agent that counts what it may do and what it does, by the entries of a piece of the observation.

    `legal`, `taken`: int64 [E, A], of E entries (one without a piece) and A actions.
    """

    def __init__(self, agent: Agent, game: Game, piece: str = ""):
        self.name, self.needs_positions, self.remembers = agent.name, agent.needs_positions, agent.remembers
        self._agent, self._layout, self._piece = agent, game.observation, piece
        entries = next(p.size for p in game.observation.pieces if p.name == piece) if piece else 1
        self.legal, self.taken = np.zeros((2, entries, game.actions.size), np.int64)

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:
        """As the agent does."""
        self._agent.follow(batch, games)

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """What the agent does, counted."""
        actions = self._agent.act(observation, action_mask, rng, positions)
        taken = np.zeros(action_mask.shape, np.int64)
        taken[np.arange(len(actions)), actions] = 1
        here = np.ones((len(actions), 1), np.int64)
        if self._piece:
            here = (self._layout.part(observation, self._piece) > 0).astype(np.int64)
        self.legal += here.T @ action_mask.astype(np.int64)
        self.taken += here.T @ taken
        return actions


@dataclass(frozen=True)
class Use:
    """How often an agent might take some actions and took them, for each entry of a piece of the observation."""

    agent: str
    entries: tuple[str, ...]  # one empty word without a piece
    actions: tuple[str, ...]
    legal: NDArray[np.int64]  # [entries, actions]
    taken: NDArray[np.int64]


def use(game: Game, name: str, deals: Sequence[int], piece: str = "", prefix: str = "", **told: object) -> Use:
    """Play each deal with the named agent in every seat, and count; the actions are those whose sentence begins so.

    `told` is for `training.evaluate.play`. Raises `RfopError` for an unknown piece or agent, or if no action fits.
    """
    options = told.get("options") or {}
    assert isinstance(options, dict)
    game = game.under(options)
    pieces = {p.name: p.entries or tuple(str(k) for k in range(p.size)) for p in game.observation.pieces}
    if piece and piece not in pieces:
        raise UnknownName(f"piece of the observation of {game.id}", piece, list(pieces))
    sentences = [game.actions.sentence(k) for k in range(game.actions.size)]
    chosen = [k for k, sentence in enumerate(sentences) if sentence.startswith(prefix)]
    if not chosen:
        raise RfopError(f"no action of {game.id} begins with {prefix!r}; `rfop show {game.id}` lists them")
    watched = Watched(agents.load(name, game, told.get("components")), game, piece)
    play(game, [watched] * game.spec.players, deals, **told)  # type: ignore[arg-type]
    shown = tuple(sentences[k].removeprefix(prefix).lstrip(" :") or sentences[k] for k in chosen)
    entries = pieces[piece] if piece else ("",)
    return Use(watched.name, entries, shown, watched.legal[:, chosen], watched.taken[:, chosen])


def table(found: Use, piece: str = "") -> str:
    """Shares of the times when an action was legal, in Markdown: by entries, or a line for each action."""

    def cell(legal: int, taken: int) -> str:
        return "" if legal == 0 else f"{taken / legal:.1%} of {legal}" if taken else f"{NEVER} of {legal}"

    if not piece:
        lines = [["action", found.agent], ["---", "---:"]]
        lines += [[a, cell(n, k)] for a, n, k in zip(found.actions, found.legal[0], found.taken[0], strict=True)]
    else:
        lines = [[piece, *found.actions], ["---", *["---:"] * len(found.actions)]]
        for entry, legal, taken in zip(found.entries, found.legal, found.taken, strict=True):
            lines.append([entry, *(cell(n, k) for n, k in zip(legal, taken, strict=True))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def never(found: Use) -> list[str]:
    """What was legal and never done, in words."""
    return [
        f"{entry}: {action}" if entry else action
        for entry, legal, taken in zip(found.entries, found.legal, found.taken, strict=True)
        for action, n, k in zip(found.actions, legal, taken, strict=True)
        if n and not k
    ]


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.action_use", __doc__)
    parser.add_argument("agent", help="a name, or a model's file or its run's folder; it has every seat")
    parser.add_argument("--env", default="RedFlagOverParis-v0", help="environment id (default %(default)s)")
    parser.add_argument("--by", default="", metavar="PIECE", help="a piece of the observation to split by")
    parser.add_argument("--actions", default="", metavar="TEXT", help="only actions whose sentence begins so")
    parser.add_argument("--deals", type=whole(1, MOST_DEALS), default=1000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=whole(0), default=0, help="of the agent's own chances (default %(default)s)")
    add_option(parser)
    parser.add_argument("--components", help="a component file (default: the shipped set)")
    told = parser.parse_args(arguments)
    game = get_game(told.env)
    rest = {"components": game.load_components(told.components), "options": parse_options(told.option)}
    found = use(game, told.agent, range(told.deals), told.by, told.actions, seed=told.seed, **rest)
    print(table(found, told.by))
    print(f"\nlegal and never done: {', '.join(never(found)) or 'nothing'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
