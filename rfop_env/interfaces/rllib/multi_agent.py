"""A game of several seats as RLlib's `MultiAgentEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.errors import IllegalAction, NotStarted, extra
from rfop_env.core.game import ILLEGAL_ACTION
from rfop_env.interfaces import common
from rfop_env.interfaces.setup import GAME, Setup

with extra("ray", __name__, "ray"):
    from ray.rllib.env.multi_agent_env import MultiAgentEnv


class SelfPlayEnv(common.Environment, MultiAgentEnv):  # type: ignore[misc]  # untyped base
    """One game whose seats are agents; only the seat that decides is asked.

    **Spaces** of every agent, and **endings**: as for `interfaces.pettingzoo_aec.raw_env`; every agent gets its last
    view with an empty mask, and `end_reason` is in its info.

    **Rewards**: the agent that decided always has one, mostly 0.0; another agent in steps in which it is not 0. RLlib
    adds up the rewards of an agent between two of its decisions.

    `config`: `game` an id; `components`, `reward` and the game's options as for `rfop_env.make_batch`; `on_illegal`.
    Raises as that does.
    """

    def __init__(self, config: Any = None):
        super().__init__()
        arguments = dict(config or {})
        game = arguments.pop("game", "RedFlagOverParis-v1")
        self._set_up(Setup.read(game, arguments, (*GAME, "on_illegal"), ("game",)))

        self.possible_agents = list(self.game.spec.seats)
        self.agents = list(self.possible_agents)
        space = common.observation_space(self.game, True)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {name: spaces.Discrete(self.game.actions.size) for name in self.possible_agents}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a game: the view of the agent that decides. Without a seed, the next game of the seed in force.

        `options`: options of the game by name, for this game alone. Raises `BadSeed`, `UnknownName`, and `BadArgument`
        for options that change the seats.
        """
        if seed is None and not self._ready:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self.batch.reset(None if seed is None else int(parse_seeds(seed, 1)[0]), options=options or {})
        self._ready = True
        return self._view(), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Carry out the action of the agent that decides, the only entry of `action_dict`.

        Raises `NotStarted`, `BadActions`, `GameOver`, and `IllegalAction` with "raise".
        """
        self._require_start()
        batch, agent = self.batch, self.possible_agents[int(self.batch.current_player[0])]
        if [*action_dict] != [agent]:
            raise NotStarted(f"{agent} decides: give its action alone, found {[*action_dict]}")
        try:
            terminated = batch.step_one(common.one_action(action_dict[agent]))
        except IllegalAction:
            if self.on_illegal == "raise":
                raise
            return self._lose(agent)

        rewards = {name: float(batch.rewards[0, k]) for k, name in enumerate(self.possible_agents)}
        if terminated:
            return self._end(rewards, self.game.end_reasons[batch.end_reason.item(0)])
        rewards = {name: reward for name, reward in rewards.items() if reward or name == agent}
        return self._view(), rewards, {"__all__": False}, {"__all__": False}, {}

    def _lose(self, agent: str) -> tuple[dict[str, Any], ...]:
        offender = self.possible_agents.index(agent)
        lowest = float(common.forfeit(self.batch, np.ones(1, np.bool_))[0, offender])
        returns = self.game.spec.forfeit_returns(offender, lowest)
        return self._end(dict(zip(self.possible_agents, returns, strict=True)), ILLEGAL_ACTION)

    def _end(self, rewards: dict[str, float], reason: str) -> tuple[dict[str, Any], ...]:
        no_mask = np.zeros(self.game.actions.size, np.int8)
        views = {
            name: {"observation": self.batch.observe(k)[0], "action_mask": no_mask}
            for k, name in enumerate(self.possible_agents)
        }
        over = dict.fromkeys([*self.possible_agents, "__all__"], True)
        running = dict.fromkeys([*self.possible_agents, "__all__"], False)
        return views, rewards, over, running, {name: {"end_reason": reason} for name in self.possible_agents}

    def _view(self) -> dict[str, Any]:
        """What the agent that decides sees, in fresh arrays."""
        agent = self.possible_agents[int(self.batch.current_player[0])]
        mask = self.batch.action_mask[0].astype(np.int8)
        return {agent: {"observation": self.batch.observation[0].copy(), "action_mask": mask}}
