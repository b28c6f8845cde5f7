"""Who can sit in a seat: people, and programs by name. For `rfop play`, `rfop watch`, `rfop replay` and `rfop serve`.

The random player and the scripted players of a game come with the package. All others (searches, baselines, trained
models) are agents of a checkout: `Programs` is given the package `agents`, or `None` where there is no checkout.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import UnknownName, printable
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.player_names import RANDOM, NotTyped, is_language_model

NO_CHECKOUT = (
    "agents other than 'random' and the scripted players come with the checkout, not with the wheel: clone the "
    "repository and start 'rfop' there"
)

Stop = Callable[[], bool]  # whether the thinking has to end


class NoCheckout(UnknownName):
    """A player that comes with a checkout, asked of the package alone."""

    def __init__(self, name: str, valid: list[str]) -> None:
        super().__init__("player", name, valid)
        self.args = (f"there is no player {printable(name, 60)!r} here, only {', '.join(valid)}: {NO_CHECKOUT}",)


@dataclass(frozen=True)
class Thought:
    """What a program thinks of a position, for the seat that decides; None where it has no such figure."""

    action: int
    value: float | None = None  # the return that it expects
    visits: NDArray[np.int64] | None = None  # [A]: how often each action was tried
    values: NDArray[np.float64] | None = None  # [A]: the mean return of each
    probs: NDArray[np.float64] | None = None  # [A]: the probability of each in its policy


class Program:
    """A player that is no person. The batches that it is given hold one game each."""

    gives_values = False  # whether `think` has a value

    def act(self, batch: GameBatch, stop: Stop) -> int:
        """A legal action for the seat that decides."""
        raise NotImplementedError

    def think(self, batch: GameBatch, stop: Stop) -> Thought:
        """What it would do, and why."""
        return Thought(self.act(batch, stop))


class RandomProgram(Program):
    """Every legal action with the same probability."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, batch: GameBatch, stop: Stop) -> int:
        """A random legal action."""
        return int(self._rng.choice(np.flatnonzero(batch.action_mask[0])))


class ScriptedProgram(Program):
    """A scripted player of the game; it reads a determinization, so that nothing hidden reaches it."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self._name, self._rng = name, rng

    def act(self, batch: GameBatch, stop: Stop) -> int:
        """What the script says."""
        guess = batch.clone()
        guess.determinize(guess.current_player, int(self._rng.integers(2**32)))
        states = guess.get_state().view(np.recarray)
        return int(scripted_actions(batch.game, states, batch.components, batch.action_mask, self._name)[0])


class AgentProgram(Program):
    """An agent of the checkout."""

    def __init__(self, agent: Any, act_for: Callable[..., NDArray[np.int64]], rng: np.random.Generator) -> None:
        self._agent, self._act_for, self._rng = agent, act_for, rng
        self.gives_values = agent.gives_values

    def act(self, batch: GameBatch, stop: Stop) -> int:
        """The agent's action. One that looks ahead ends early when `stop` says so, with the best that it has found."""
        self._agent.stopped = stop
        return int(self._act_for(self._agent, batch, np.array([0]), self._rng)[0])

    def think(self, batch: GameBatch, stop: Stop) -> Thought:
        """A search gives visits and values, a network the probabilities of its policy and a value."""
        self._agent.stopped = stop
        thoughts = self._agent.think(batch, np.array([0]), self._rng)
        figures = (thoughts.values, thoughts.visits, thoughts.action_values, thoughts.probs)
        return Thought(int(thoughts.actions[0]), *(None if rows is None else rows[0] for rows in figures))


class Programs:
    """All programs by name.

    `agents` is the package `agents` of a checkout, or None. All chance of the programs follows from `seed` and from the
    order in which they are loaded; None: a random seed. `typed`: the names were typed by whoever runs the command. Only
    then may they be language models, which start a command or send what they see elsewhere; a saved game, a page or
    another language model must not name one.
    """

    def __init__(self, agents: Any = None, seed: int | None = None, typed: bool = False) -> None:
        self._agents = agents
        self._typed = typed
        self._seeds = np.random.SeedSequence(seed)

    def names(self, game: Game) -> list[str]:
        """The names to choose from; a checkout's programs have further names and paths (`agents.load`)."""
        own = [RANDOM, *(player.name for player in game.scripted)]
        return own if self._agents is None else list(dict.fromkeys([*own, *self._agents.names(game)]))

    def load(self, name: str, game: Game, components: Any) -> Program:
        """A new program of a name; raises `NoCheckout`, `NotTyped`, and what `agents.load` raises."""
        rng = np.random.default_rng(self._seeds.spawn(1)[0])
        if name == RANDOM:
            return RandomProgram(rng)
        if name in [player.name for player in game.scripted]:
            return ScriptedProgram(name, rng)
        if self._agents is None:
            raise NoCheckout(name, self.names(game))
        if is_language_model(name):
            if not self._typed:
                raise NotTyped(name)
            return AgentProgram(self._agents.language_model.load(name), self._agents.agent.act_for, rng)
        return AgentProgram(self._agents.load(name, game, components), self._agents.agent.act_for, rng)


def agents_of_checkout() -> Any:
    """The package `agents` of the checkout that this package is run from, or None.

    The wheel installs `rfop_env` alone, so nothing here may import it by name.
    """
    root = Path(__file__).parents[1]
    if not (root / "agents" / "catalogue.py").is_file():
        return None
    if str(root) not in sys.path:
        sys.path.append(str(root))
    return importlib.import_module("agents")
