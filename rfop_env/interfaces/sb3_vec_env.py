"""Many one-seat games as a Stable-Baselines3 `VecEnv`, ready for sb3-contrib's MaskablePPO.

The only module of the package that brings torch along, through stable_baselines3.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rfop_env.core import errors
from rfop_env.core.arguments import whole_number
from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.errors import extra
from rfop_env.core.game import ILLEGAL_ACTION, Game
from rfop_env.interfaces import common
from rfop_env.interfaces.setup import BATCH, Setup, require_choice

with extra("sb3", __name__, "stable_baselines3", "torch"):
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv

SETUP = (*BATCH, "render_mode", "on_illegal", "mask_in_observation")


class GameVecEnv(common.Environment, VecEnv):
    """`num_envs` games of one seat; a game that ends starts anew in the same step, as SB3 wants it.

    **Observation** `Box` int8 [D], or with `mask_in_observation=True` the Dict of `GameEnv` (then "MultiInputPolicy").
    **Masks**: `env_method("action_masks")` gives bool [N, A] at once.
    **Infos** of a game that has ended: `terminal_observation`, `TimeLimit.truncated` (False), `end_reason`,
    `illegal_action` if that ended it, and `episode` = {"r", "l", "t"} as `VecMonitor` would write it: neither `Monitor`
    nor `VecMonitor` is needed. All other infos are empty.

    **Pictures**: with `render_mode="rgb_array"`, `get_images` gives one of every game, and `render` tiles them.

    **Arguments**: those of `interfaces.setup.Setup` but `journal` and `render_mode="human"`; `seed` is for the first
    reset.
    """

    def __init__(self, game: str | Game, num_envs: int = 1, seed: int | None = None, **arguments: Any) -> None:
        num_envs = whole_number("num_envs", num_envs, 1)
        self._set_up(Setup.read(game, arguments, SETUP, mask_in_observation=False), num_envs)
        space = common.observation_space(self.game, self._with_mask)
        super().__init__(num_envs, space, spaces.Discrete(self.game.actions.size))

        # Episode statistics.
        self._returns = np.zeros(num_envs, np.float64)
        self._lengths = np.zeros(num_envs, np.int64)
        self._start = time.time()

        if seed is not None:
            self.seed(seed)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds for the next reset: game i gets seed + i, of a random seed where none is given. Raises `BadSeed`."""
        if seed is not None:
            parse_seeds(seed, self.num_envs)
        return super().seed(None if seed is None else int(seed))

    def reset(self) -> Any:
        """Start all games with the seeds of `seed`, or with the next games of those in force; observations [N, D].

        They have the options of the game that `set_options` has named, which all games share, until the next reset.
        Raises `UnknownName`, and `BadArgument` for options that change the seats or differ between games.
        """
        seeds: Sequence[int | None] = self._seeds
        options = self._options
        self._reset_seeds()
        self._reset_options()
        if any(changes != options[0] for changes in options):
            raise errors.BadArgument("set_options: all games have the same options: give one mapping for all")
        if seeds[0] is None and not self._ready:
            seeds = self.seed(int(np.random.SeedSequence().generate_state(1)[0]))
            self._reset_seeds()
        self.batch.reset(None if seeds[0] is None else [int(x or 0) for x in seeds], options=options[0])

        self._returns[:] = 0
        self._lengths[:] = 0
        self._ready = True
        return self._observe()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions, integers [N], for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[Any], NDArray[Any], list[dict[str, Any]]]:
        """Step all games: observations, float32 rewards, bool dones, infos.

        Raises `NotStarted`, `BadActions`, and `IllegalAction` with "raise".
        """
        self._require_start()
        if not hasattr(self, "_actions"):
            raise errors.NotStarted("no step has begun: call step_async(actions) first, or step(actions) for both")

        # Step, count, report and restart the games that have ended.
        rewards, dones, forfeited = common.step_games(self.batch, self._actions, self.on_illegal)
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]  # fresh: wrappers write into them
        if dones.any():
            self._end(np.flatnonzero(dones), forfeited, infos)
            self.batch.reset(only=dones)

        return self._observe(), rewards, dones, infos

    def _end(self, games: NDArray[Any], forfeited: NDArray[np.bool_], infos: list[dict[str, Any]]) -> None:
        """Fill the infos of the games that have just ended."""
        last = self._observe()
        seconds = round(time.time() - self._start, 6)
        for i in games.tolist():
            info = infos[i]
            info["terminal_observation"] = {k: v[i] for k, v in last.items()} if self._with_mask else last[i]
            info["TimeLimit.truncated"] = False
            info["end_reason"] = self.game.end_reasons[int(self.batch.end_reason[i])]
            if forfeited[i]:
                info["end_reason"] = ILLEGAL_ACTION
                info["illegal_action"] = int(self._actions[i])
            info["episode"] = {"r": round(float(self._returns[i]), 6), "l": int(self._lengths[i]), "t": seconds}
        self._returns[games] = 0
        self._lengths[games] = 0

    def _observe(self) -> Any:
        """The observations in fresh arrays."""
        observation = self.batch.observation.copy()
        if not self._with_mask:
            return observation
        return {"observation": observation, "action_mask": self.batch.action_mask.astype(np.int8)}

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool [N, A]. Raises `NotStarted`."""
        self._require_start()
        return self.batch.action_mask.copy()

    def _game_mask(self, game: int) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = self.action_masks()[game]
        return mask

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        """A method of every game: `action_masks` (bool [N, A], the rows of a list), `render` or `journal`.

        Raises `UnknownName`, `BadArgument`, `NotStarted`.
        """
        require_choice("method_name", method_name, ("action_masks", "render", "journal"))
        if method_name == "action_masks":
            return self.action_masks() if indices is None else self.action_masks()[self._indices(indices)]
        if method_name == "journal":
            return [self.batch.journal(i) for i in self._indices(indices)]
        return [common.render(self.batch, self.render_mode, i) for i in self._indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """The picture of every game, uint8 [H, W, 3]; None each without `render_mode="rgb_array"`. `NotStarted`."""
        frames: list[common.RenderFrame | None] = self.env_method("render")
        return [frame if isinstance(frame, np.ndarray) else None for frame in frames]

    def _indices(self, indices: int | Iterable[int] | None) -> list[int]:
        """The numbers of the games meant: all for None; `BadArgument` for a number that no game has."""
        return [whole_number("index", i, 0, self.num_envs - 1) for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether `get_attr` has a value for the name."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this object, once for every game; `AttributeError`."""
        games = self._indices(indices)
        if attr_name == "action_masks":
            return [partial(self._game_mask, i) for i in games]
        return [getattr(self, attr_name) for _ in games]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games of one batch share their attributes: sets it for all."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """True for `Monitor`, whose episode statistics are here already."""
        return [isinstance(wrapper_class, type) and issubclass(wrapper_class, Monitor) for _ in self._indices(indices)]

    def close(self) -> None:
        """Does nothing: there are no resources to release."""
