"""A one-seat game as a Gymnasium `Env`."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.errors import GameOver, IllegalAction
from rfop_env.core.game import ILLEGAL_ACTION, Game
from rfop_env.interfaces import common
from rfop_env.interfaces.setup import LEARNER, RENDER_MODES, Setup

SETUP = (*LEARNER, "render_mode", "on_illegal", "mask_in_observation", "journal")


class GameEnv(common.SingleGame, gym.Env[Any, Any]):
    """One game for one seat: a solo game, or one whose other seats an `opponent` takes.

    **Action space** `Discrete(A)`: the rows of the game's action table (`env.game.actions`).

    **Observation space** `Dict(observation=Box int8 [D], action_mask=Box 0..1 int8 [A])`. With
    `mask_in_observation=False` it is the plain `Box` int8 [D], for learners that ask `action_masks()` (sb3-contrib's
    MaskablePPO with "MlpPolicy") and should not be fed the mask as an input; the mask stays in `info`.

    **Info**: `action_mask` int8 [A] (within one step the same array as in the observation); `end_reason`, a string,
    when the game has ended; `illegal_action`, the action, when that ended it; `journal`, a list of sentences on what
    happened since the last decision, with `journal=True`.

    **Rewards**: 0 until the game ends, then the return of the chosen reward kind (`env.game.rewards`); a dense kind
    pays in parts, as the return changes.

    **Episode end**: by the rules alone, never truncated. An illegal action ends it as well (`on_illegal="lose"`): the
    position stays, nothing is legal any more, and the reward is the lowest return of the game. With "raise" it raises
    `IllegalAction` and the game goes on as if it had not been tried.

    **Reset**: the same seed gives the same game; without a seed, the next game of the seed in force (a random one at
    first). `options` are options of the game by name, for this game alone (`{"side": "versailles"}`); those not named
    are as the environment was made. Options that change the seats are refused.

    **Arguments**: those of `interfaces.setup.Setup` but `threads`, and the game's own options by name. Raises
    `UnknownName`, `UnknownOption`, `UnknownValue`, `BadArgument`, `SeveralSeats`, `BadComponents`.
    `env.unwrapped.batch` is the batch of one.

    **Search**: `save()`, `load(data)` and `clone()`. Gymnasium's wrappers do not hand them on: call
    `env.unwrapped.save()` after `gymnasium.make`. A loaded game is another one than the wrappers have counted, so reset
    those that count.
    """

    # Gymnasium reads it from the class before it makes an instance.
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(self, game: str | Game, **arguments: Any) -> None:
        self._set_up(Setup.read(game, arguments, SETUP, render_modes=RENDER_MODES))
        self.observation_space = common.observation_space(self.game, self._with_mask)
        self.action_space = spaces.Discrete(self.game.actions.size)
        self._take_views()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; returns observation and info.

        Raises `BadSeed`, `UnknownName`, and `BadArgument` for options that change the seats.
        """
        number = None if seed is None else int(parse_seeds(seed, 1)[0])
        super().reset(seed=number)
        if number is None and not self._ready:
            number = int(self.np_random.integers(2**63))
        self.batch.reset(number, options=options or {})
        self._ready = True
        self._show()
        return self._outcome()

    def load(self, data: bytes) -> tuple[Any, dict[str, Any]]:
        """Go on from a position of `save`; returns observation and info, with `end_reason` where it is an ended game.

        It may be another environment's, of the same game and components, and options that the rules still need. The
        next reset without a seed deals the next game of the seed that was saved. Of several opponents by shares, the
        one of the present game goes on. Raises `BadPosition`; then the environment is as it was.
        """
        self._load(data)
        observation, info = self._outcome()
        record = self.batch.record()
        if record.over:
            info["end_reason"] = self.game.end_reason(record)
        self._show(info.get("end_reason", ""))
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out an action; raises `NotStarted`, `GameOver`, `BadActions`, and `IllegalAction` with "raise"."""
        self._require_start()
        batch = self.batch
        number = common.one_action(action)
        try:
            terminated = batch.step_one(number)
        except GameOver:
            raise GameOver("the game has ended: call reset()") from None
        except IllegalAction:
            if self.on_illegal == "raise":
                raise
            return self._lose(number)

        observation, info = self._outcome()
        if terminated:
            info["end_reason"] = self.game.end_reasons[batch.end_reason.item(0)]
        self._show(info.get("end_reason", ""))
        return observation, batch.rewards.item(batch.learner.item(0)), terminated, False, info

    def _lose(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        lowest = common.forfeit(self.batch, np.ones(1, np.bool_))
        observation, info = self._outcome()
        info["end_reason"] = ILLEGAL_ACTION
        info["illegal_action"] = action
        self._show(ILLEGAL_ACTION)
        return observation, float(self.batch.own_rewards(lowest)[0]), True, False, info

    def _outcome(self) -> tuple[Any, dict[str, Any]]:
        """Observation and info, in fresh arrays."""
        mask = self._mask_row.copy()
        info: dict[str, Any] = {"action_mask": mask}
        if self._with_journal:
            info["journal"] = self.batch.journal(0)
        observation = self._observation_row.copy()
        return ({"observation": observation, "action_mask": mask} if self._with_mask else observation), info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool [A]; the name that sb3-contrib looks for. Raises `NotStarted`."""
        self._require_start()
        mask: NDArray[np.bool_] = self.batch.action_mask[0].copy()
        return mask

    def render(self) -> common.RenderFrame | None:
        """The position as text, as an SVG document or as uint8 [H, W, 3], by `render_mode`.

        Raises `NotStarted`, and `MissingExtra` for "rgb_array" without the extra `render`.
        """
        return common.render(self.batch, self.render_mode)
