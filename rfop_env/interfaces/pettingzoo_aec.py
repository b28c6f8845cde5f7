"""A game of any number of seats as a PettingZoo `AECEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from rfop_env import registry
from rfop_env.core import errors
from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.game import ILLEGAL_ACTION, Game, forfeited
from rfop_env.interfaces import common
from rfop_env.interfaces.setup import GAME, RENDER_MODES, Setup, require_end_reward

SETUP = (*GAME, "render_mode", "on_illegal", "mask_in_observation", "journal")
API_TEST = {"options": 1}  # what PettingZoo's own api_test gives to `reset`, to see if it takes options at all


class NoParallelForm(errors.RfopError, TypeError):
    """A game whose seats decide one after the other, asked for in PettingZoo's parallel form."""


def env(game: str | Game, **arguments: Any) -> Any:
    """`raw_env` inside PettingZoo's order check, as its own environments come."""
    return OrderEnforcingWrapper(raw_env(game, **arguments))


def parallel_env(game: str | Game, **arguments: Any) -> Any:
    """Raises `NoParallelForm`: PettingZoo looks for its parallel environments under this name."""
    game = registry.get_game(game)
    raise NoParallelForm(
        f"{game.id} has no parallel form, because one seat decides at a time: use "
        f'pettingzoo.make("aec", "rfop/{game.id}"), or for many games '
        f"rfop_env.make_batch({game.id!r}, num_games)"
    )


class raw_env(common.SingleGame, AECEnv[str, Any, Any]):  # type: ignore[misc]  # untyped base; the name is PettingZoo's convention
    """One game; its seats are the agents, and the same agent is selected again for all decisions of its turn.

    **Action space** `Discrete(A)` and **observation space** `Dict(observation=Box int8 [D], action_mask=Box 0..1
    int8 [A])` are the same for all agents. `observe(agent)` is always that agent's own view; its mask is all zeros
    while another agent is selected and after the end. The mask is in `infos[agent]["action_mask"]` too. Within one
    step the arrays are shared between calls; the next step makes new ones. With `mask_in_observation=False` an
    observation is the plain `Box` int8 [D], for wrappers that take no other, and the mask is in the info alone.

    **Rewards**: 0.0 until the game ends, then each seat's return of the chosen reward kind (no dense kinds here).

    **Episode end**: by the rules alone; `truncations` stay False. `infos[agent]["end_reason"]` says why. An illegal
    action ends it as well (`on_illegal="lose"`): the offender gets the game's lowest return, its enemy the negative of
    that in a zero-sum game of two, all others 0.0, and every info has `illegal_action` and `illegal_agent`.
    (PettingZoo's TerminateIllegalWrapper gives the others 0 and calls the game truncated as well; here the returns keep
    their sum and a learner does not bootstrap past the end.) With "raise" it raises `IllegalAction`; the game goes on.

    **Reset** and **arguments**: as for `interfaces.gymnasium_env.GameEnv`, without `opponent` and `seat`; with
    `journal=True` the selected agent's info has `journal`.
    """

    def __init__(self, game: str | Game, **arguments: Any) -> None:
        super().__init__()
        self._set_up(Setup.read(game, arguments, SETUP, render_modes=RENDER_MODES))
        require_end_reward(self.game, self.batch.weights, "a PettingZoo environment")

        # Agents and spaces.
        self.metadata = {
            "name": self.game.id,
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.possible_agents = list(self.game.spec.seats)
        self.observation_spaces = {
            name: common.observation_space(self.game, self._with_mask) for name in self.possible_agents
        }
        self.action_spaces = {name: spaces.Discrete(self.game.actions.size) for name in self.possible_agents}
        self.agents: list[str] = []
        self._turn_start: NDArray[Any] | None = None  # the position when the selected agent's turn began
        self._last_turn_start: NDArray[Any] | None = None  # and when the turn before it did
        self._seats = {name: seat for seat, name in enumerate(self.possible_agents)}
        self._no_mask = np.zeros(self.game.actions.size, np.int8)
        self._take_views()

    def _take_views(self) -> None:
        super()._take_views()
        self._no_mask.flags.writeable = False

    def _agent_seat(self, agent: str) -> int:
        """The number of an agent's seat; `UnknownName`."""
        if agent not in self.possible_agents:
            raise errors.UnknownName(f"agent of {self.game.id}", agent, self.possible_agents)
        return self._seats[agent]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent, always the same object. Raises `UnknownName`."""
        self._agent_seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent, always the same object. Raises `UnknownName`."""
        self._agent_seat(agent)
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. Raises `BadSeed`, `UnknownName`, and `BadArgument` for options that change the seats."""
        if seed is None and not self._ready:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        changes = {} if options in (None, API_TEST) else options
        self.batch.reset(None if seed is None else int(parse_seeds(seed, 1)[0]), options=changes)
        self._ready = True
        self._begin()
        self._show()

    def load(self, data: bytes) -> None:
        """Go on from a position of `save`, as `GameEnv.load` does. An ended game gives its returns as rewards again.

        Inside PettingZoo's order check, a reset has to come first. It passes on `save`, `load` and `clone`; a clone is
        without the check, `copy.deepcopy` has it. Raises `BadPosition`; then the environment is as it was.
        """
        self._load(data)
        self._begin()
        record = self.batch.record()
        if not record.over:
            self._show()
            return
        if forfeited(record):
            returns = self.game.spec.forfeit_returns(int(record.player), self.batch.return_bounds[0])
        else:
            kinds = self.batch.weights.items()
            returns = tuple(np.sum([self.batch.game_returns(*kind)[0] for kind in kinds], axis=0).tolist())
        self._finish(dict(zip(self.agents, returns, strict=True)), {"end_reason": self.game.end_reason(record)})

    def _begin(self) -> None:
        """What PettingZoo keeps for each agent, at the first decision."""
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {"action_mask": self._no_mask} for name in self.agents}
        self._skip_agent_selection = None

        self.agent_selection = self.possible_agents[0]
        self._turn_start = self._last_turn_start = self._record_to_compare()
        self._select()

    def _record_to_compare(self) -> NDArray[Any] | None:
        """A copy of the record [1], if a picture will mark what differs from it."""
        return self.batch.get_record(0) if self.render_mode in common.PICTURES else None

    def step(self, action: Any) -> None:
        """The selected agent acts; None once it is terminated. Raises `NotStarted`, `GameOver`, and as `GameEnv`."""
        self._require_start()
        agent = self.agent_selection
        if not self.agents:
            raise errors.GameOver("the game has ended: call reset()")
        if self.terminations[agent]:
            self._was_dead_step(action)
            return

        number = common.one_action(action)
        try:
            terminated = self.batch.step_one(number)
        except errors.IllegalAction:
            if self.on_illegal == "raise":
                raise
            self._lose(agent, number)
            return

        if terminated:
            returns = dict(zip(self.agents, self.batch.rewards[0].tolist(), strict=True))
            self._finish(returns, {"end_reason": self.game.end_reasons[self.batch.end_reason.item(0)]})
        else:
            self._select()
            self._show()

    def _select(self) -> None:
        """Hand over to the seat that decides; until the end all rewards stay 0, so there is nothing to add up."""
        last, agent = self.agent_selection, self.possible_agents[self.batch.current_player.item(0)]
        if agent != last:
            self.infos[last] = {"action_mask": self._no_mask}
            self.agent_selection = agent
            self._last_turn_start, self._turn_start = self._turn_start, self._record_to_compare()
        self._mask = self._mask_row.copy()
        self._observation: NDArray[np.int8] | None = None
        info = self.infos[agent] = {"action_mask": self._mask}
        if self._with_journal:
            info["journal"] = self.batch.journal(0)

    def _lose(self, offender: str, action: int) -> None:
        """End the game because of an illegal action."""
        self.batch.forfeit(np.ones(1, np.bool_))
        values = self.game.spec.forfeit_returns(self._seats[offender], self.batch.return_bounds[0])
        returns = dict(zip(self.agents, values, strict=True))
        self._finish(returns, {"end_reason": ILLEGAL_ACTION, "illegal_action": action, "illegal_agent": offender})

    def _finish(self, returns: dict[str, float], info: dict[str, Any]) -> None:
        """Give out the returns; every agent then takes PettingZoo's last, empty step."""
        self.rewards = returns
        self._cumulative_rewards = dict(returns)
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {name: {"action_mask": self._no_mask, **info} for name in self.agents}
        if self._with_journal:
            for own in self.infos.values():
                own["journal"] = self.batch.journal(0)
        self._observation = None
        self._deads_step_first()
        self._show(info["end_reason"])

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward, termination, truncation and info of the selected agent. Raises `NotStarted`."""
        self._require_start()
        outcome: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return outcome

    def observe(self, agent: str) -> Any:
        """The agent's own view and mask, int8 [D] and [A], or its view alone. Raises `NotStarted`, `UnknownName`."""
        self._require_start()
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            if self._observation is None:
                self._observation = self._observation_row.copy()
            observation, mask = self._observation, self._mask
        else:
            observation, mask = self.batch.observe([self._agent_seat(agent)])[0], self._no_mask.copy()
        return {"observation": observation, "action_mask": mask} if self._with_mask else observation

    def render(self) -> common.RenderFrame | None:
        """The position as text, as an SVG document or as uint8 [H, W, 3], by `render_mode`.

        The picture marks what has changed since the seat that decided last began its turn, or of an ended game, since
        the last turn began. Raises `NotStarted`, and `MissingExtra` for "rgb_array" without the extra `render`.
        """
        over = self._ready and bool(self.batch.states["over"][0])
        return common.render(self.batch, self.render_mode, previous=self._turn_start if over else self._last_turn_start)

    def close(self) -> None:
        """Does nothing: there are no resources to release."""
