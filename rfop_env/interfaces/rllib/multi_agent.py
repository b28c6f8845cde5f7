"""A game of several seats as RLlib's `MultiAgentEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import seeds_of
from rfop_env.core.errors import IllegalAction, NotStarted, extra
from rfop_env.core.game import ILLEGAL_ACTION
from rfop_env.interfaces.common import ON_ILLEGAL, forfeit, observation_space, one_action, one_of
from rfop_env.registry import get_game

with extra("ray", __name__, "ray"):
    from ray.rllib.env.multi_agent_env import MultiAgentEnv


class SelfPlayEnv(MultiAgentEnv):  # type: ignore[misc]  # untyped base
    """One game whose seats are agents; only the seat that decides is asked.

    **Spaces** of every agent: `Discrete(A)`, and `Dict(observation=Box int8 [D], action_mask=Box 0..1 int8 [A])`.

    **Rewards**: whoever decided is always paid, mostly 0.0; another agent is paid in the step in which the game pays
    it. RLlib adds up what an agent is paid between two of its decisions.

    **Episode end**: by the rules; every agent gets its last view with an empty mask, and `end_reason` is in its info.
    An illegal action ends it too (`on_illegal="lose"`): the offender gets the game's lowest return, in a zero-sum game
    of two its enemy the negative of that, all others 0.0. With "raise" it raises `IllegalAction`.

    `config`: `game` an id; `components`, `reward` and the game's options as for `rfop_env.make_batch`; `on_illegal`.
    Raises as that does.
    """

    def __init__(self, config: Any = None):
        super().__init__()
        given = dict(config or {})
        known = get_game(given.pop("game", "RedFlagOverParis-v0"))
        self.on_illegal = one_of("on_illegal", given.pop("on_illegal", "lose"), ON_ILLEGAL)
        components, reward = given.pop("components", None), given.pop("reward", None)
        known.require_options(given, ["game", "components", "reward", "on_illegal"])
        self.batch = GameBatch(known, 1, options=given, components=components, reward=reward)
        self.game = self.batch.game
        self._started = False

        self.possible_agents = list(self.game.spec.seats)
        self.agents = list(self.possible_agents)
        space = observation_space(self.game, True)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {name: spaces.Discrete(self.game.actions.size) for name in self.possible_agents}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a game: the view of the agent that decides. Without a seed, the next game of the seed in force.

        `options`: options of the game by name, for this game alone. Raises `BadSeed`, `UnknownName`, and `BadArgument`
        for options that change the seats.
        """
        if seed is None and not self._started:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self.batch.reset(None if seed is None else int(seeds_of(seed, 1)[0]), options=options or {})
        self.game = self.batch.game
        self._started = True
        return self._view(), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Carry out the action of the agent that decides, the only entry of `action_dict`.

        Raises `NotStarted`, `BadActions`, `GameOver`, and `IllegalAction` with "raise".
        """
        if not self._started:
            raise NotStarted("no game has begun: call reset() first")
        batch, agent = self.batch, self.possible_agents[int(self.batch.current_player[0])]
        if [*action_dict] != [agent]:
            raise NotStarted(f"{agent} decides: give its action alone, found {[*action_dict]}")
        try:
            ended = batch.step_one(one_action(action_dict[agent]))
        except IllegalAction:
            if self.on_illegal == "raise":
                raise
            return self._lose(agent)

        paid = {name: float(batch.rewards[0, k]) for k, name in enumerate(self.possible_agents)}
        if ended:
            return self._end(paid, self.game.end_reasons[batch.end_reason.item(0)])
        rewards = {name: reward for name, reward in paid.items() if reward or name == agent}
        return self._view(), rewards, {"__all__": False}, {"__all__": False}, {}

    def _lose(self, agent: str) -> tuple[dict[str, Any], ...]:
        offender = self.possible_agents.index(agent)
        lost = float(forfeit(self.batch, np.ones(1, np.bool_))[0, offender])
        zero_sum = self.game.spec.zero_sum and self.game.spec.players == 2
        others = -lost if zero_sum else 0.0
        paid = {name: lost if name == agent else others for name in self.possible_agents}
        return self._end(paid, ILLEGAL_ACTION)

    def _end(self, paid: dict[str, float], reason: str) -> tuple[dict[str, Any], ...]:
        nothing = np.zeros(self.game.actions.size, np.int8)
        last = {
            name: {"observation": self.batch.observe(k)[0], "action_mask": nothing}
            for k, name in enumerate(self.possible_agents)
        }
        over = dict.fromkeys([*self.possible_agents, "__all__"], True)
        running = dict.fromkeys([*self.possible_agents, "__all__"], False)
        return last, paid, over, running, {name: {"end_reason": reason} for name in self.possible_agents}

    def _view(self) -> dict[str, Any]:
        """What the agent that decides sees, in fresh arrays."""
        agent = self.possible_agents[int(self.batch.current_player[0])]
        mask = self.batch.action_mask[0].astype(np.int8)
        return {agent: {"observation": self.batch.observation[0].copy(), "action_mask": mask}}
