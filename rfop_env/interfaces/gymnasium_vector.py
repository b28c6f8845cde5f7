"""Many one-seat games as a native Gymnasium `VectorEnv`: one compiled call steps them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from rfop_env.core import errors
from rfop_env.core.arguments import to_array, whole_number
from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.game import ILLEGAL_ACTION, Game
from rfop_env.interfaces import common
from rfop_env.interfaces.setup import BATCH, BATCH_RENDER_MODES, Setup, require_choice

SETUP = (*BATCH, "render_mode", "on_illegal", "mask_in_observation")
GAME_METHODS = ("action_masks", "journal", "render")  # of every game, for `call`


class GameVectorEnv(common.Environment, VectorEnv[Any, Any, Any]):
    """`num_envs` games of one seat side by side; spaces, rewards and endings are those of `GameEnv`, with N in front.

    **Autoreset** (`autoreset_mode`, a member of `gymnasium.vector.AutoresetMode` or its name):

    * NEXT_STEP: the step after the last one of a game ignores its action, starts the next game and gives reward 0;
    * SAME_STEP: the next game starts in the step that ended the last, whose last observation and info are in
      `infos["final_obs"]` (object array, None where no game ended) and `infos["final_info"]`;
    * DISABLED: `reset(options={"reset_mask": bool [N]})` restarts games; until then, action -1 leaves a game that has
      ended as it is, and any other raises `GameOver`.

    **Infos**: `action_mask` int8 [N, A], of all games also after a partial reset; where games end, `end_reason` (object
    array of strings) and `illegal_action` (int64), each with the bool array `_<key>` of the games it concerns, as
    Gymnasium does it. With SAME_STEP these two are in `final_info`.

    **Arguments**: those of `interfaces.setup.Setup` but `journal` (use `env.batch.journal(i)`) and
    `render_mode="human"`. `max_episode_steps`, at least 1: a game that takes more steps is truncated, as by
    Gymnasium's TimeLimit. With DISABLED no game moves before one that was truncated is reset.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        **arguments: Any,
    ) -> None:
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self.autoreset_mode = _read_mode(autoreset_mode)
        self.metadata = {
            "render_modes": list(BATCH_RENDER_MODES),
            "render_fps": 1,
            "autoreset_mode": self.autoreset_mode,
        }
        self._set_up(Setup.read(game, arguments, SETUP, ("autoreset_mode", "max_episode_steps")), self.num_envs)

        # Spaces.
        self.single_observation_space = common.observation_space(self.game, self._with_mask)
        self.single_action_space = spaces.Discrete(self.game.actions.size)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        # Episodes.
        if max_episode_steps is not None:
            max_episode_steps = whole_number("max_episode_steps", max_episode_steps, 1)
        self._max_steps = max_episode_steps
        self._steps = np.zeros(self.num_envs, np.int64)  # of each game since its reset
        self._waiting = np.zeros(self.num_envs, np.bool_)  # for a restart, since an earlier step ended the game
        self._truncated = np.zeros(self.num_envs, np.bool_)  # of these, those that the rules have not ended

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all games, or those of `options["reset_mask"]`: observations and infos [N].

        Game i gets seed + i, or its own of a sequence of N; without a seed, the next game of the seeds in force.
        `options` may hold options of the game by name, for all games until the next reset of all; those not named are
        as the environment was made. Raises `BadSeed`, `BadActions`, `UnknownName`, and `BadArgument`
        for options that change the seats or are for some of the games only.
        """
        options = dict(options or {})
        games = options.pop("reset_mask", None)
        if games is not None:
            games = self._read_reset_mask(games)
        if seed is not None:
            parse_seeds(seed, self.num_envs)

        # Without a seed, Gymnasium's generator of this environment gives the first ones.
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._ready:
            seed = [int(x) for x in self.np_random.integers(2**63, size=self.num_envs)]

        self.batch.reset(seed, only=games, options=None if games is not None and not options else options)
        self._ready = True
        restarted = np.ones(self.num_envs, np.bool_) if games is None else games
        self._waiting = self._waiting & ~restarted
        self._truncated = self._truncated & ~restarted
        self._steps[restarted] = 0
        return self._outcome()

    def _read_reset_mask(self, games: Any) -> NDArray[np.bool_]:
        mask = to_array("reset_mask", games)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise errors.BadActions(f"reset_mask: expected bool [{self.num_envs}] with a true entry, found {games!r}")
        return mask

    def step(self, actions: ArrayLike) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Step all games with integers [N]: observations, float64 rewards, terminations, truncations, infos.

        Raises `NotStarted`, `BadActions`, `GameOver` (DISABLED only), and `IllegalAction` with "raise".
        """
        self._require_start()
        actions, waiting = to_array("actions", actions), self._waiting
        restart = None
        if self.autoreset_mode is AutoresetMode.DISABLED and self._truncated.any():
            games = np.flatnonzero(self._truncated).tolist()
            raise errors.GameOver(
                f"games {games} were truncated: restart them with reset(options={{'reset_mask': ...}})"
            )
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and waiting.any():
            restart = waiting

        # Step, and truncate games that take too long.
        rewards, terminated, forfeited = common.step_games(self.batch, actions, self.on_illegal, restart)
        self._steps += 1
        if restart is not None:
            self._steps[restart] = 0
        truncated = np.zeros(self.num_envs, np.bool_)
        if self._max_steps is not None:
            truncated = (self._steps >= self._max_steps) & ~waiting
        done = terminated | truncated
        infos = self._endings(terminated, forfeited, actions)

        # Start the next games now, in the next step, or when the caller resets them.
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos = self._restart_now(done, infos)
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._waiting = done
        else:
            self._waiting = done | waiting
            self._truncated = truncated & ~terminated

        observation, masks = self._outcome()
        return observation, rewards.astype(np.float64), terminated, truncated, {**masks, **infos}

    def _endings(
        self, terminated: NDArray[np.bool_], forfeited: NDArray[np.bool_], actions: NDArray[Any]
    ) -> dict[str, Any]:
        """Why the games that have just ended did so."""
        infos: dict[str, Any] = {}
        if terminated.any():
            reasons = np.full(self.num_envs, None, object)
            for i in np.flatnonzero(terminated):
                reasons[i] = self.game.end_reasons[int(self.batch.end_reason[i])]
            reasons[forfeited] = ILLEGAL_ACTION
            infos["end_reason"] = reasons
            infos["_end_reason"] = terminated.copy()
        if forfeited.any():
            infos["illegal_action"] = np.where(forfeited, actions, 0).astype(np.int64)
            infos["_illegal_action"] = forfeited
        return infos

    def _restart_now(self, done: NDArray[np.bool_], endings: dict[str, Any]) -> dict[str, Any]:
        """SAME_STEP: put the last observation and info of ended games aside, and start their next games."""
        if not done.any():
            return {}

        last, infos = self._outcome()
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(done):
            final_obs[i] = {key: part[i] for key, part in last.items()} if self._with_mask else last[i]
        self.batch.reset(only=done)
        self._steps[done] = 0

        final_info = {"action_mask": infos["action_mask"], "_action_mask": done.copy(), **endings}
        final = {"final_obs": final_obs, "_final_obs": done.copy()}
        return {**final, "final_info": final_info, "_final_info": done.copy()}

    def _outcome(self) -> tuple[Any, dict[str, Any]]:
        """Observations and infos of all games, in fresh arrays."""
        mask = self.batch.action_mask.astype(np.int8)
        infos = {"action_mask": mask, "_action_mask": np.ones(self.num_envs, np.bool_)}
        observation: Any = self.batch.observation.copy()
        if self._with_mask:
            observation = {"observation": observation, "action_mask": mask.copy()}
        return observation, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool [N, A]. Raises `NotStarted`."""
        self._require_start()
        return self.batch.action_mask.copy()

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """A method or an attribute of every game, a tuple [N]: `action_masks` (bool [A] each), `journal`, `render`, or
        an attribute of this object, which all games share.

        Raises `UnknownName` for another method, `AttributeError` for an unknown name, `BadArgument` for arguments, and
        `NotStarted`.
        """
        if name in GAME_METHODS:
            if args or kwargs:
                raise errors.BadArgument(f"call: {name} takes no arguments")
            if name == "action_masks":
                return tuple(self.action_masks())
            if name == "journal":
                return tuple(self.batch.journal(i) for i in range(self.num_envs))
            return self.render() or (None,) * self.num_envs
        value = getattr(self, name)
        if callable(value):
            raise errors.UnknownName("method of every game", name, GAME_METHODS)
        return (value,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The same as `call`, as in Gymnasium's other vector environments."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of this object, which all games share: one value, or a list or tuple of N equal ones.

        Raises `BadArgument` for a list of another length or of different values.
        """
        if isinstance(values, (list, tuple)):
            if len(values) != self.num_envs or any(value != values[0] for value in values):
                raise errors.BadArgument(
                    f"set_attr: {name}: the games of one batch share their attributes: expected one value, or "
                    f"{self.num_envs} equal ones, found {errors.shown(values)}"
                )
            values = values[0]
        setattr(self, name, values)

    def render(self) -> tuple[Any, ...] | None:
        """A drawing of every game, a tuple [N], as `GameEnv.render` gives it. `NotStarted`, `MissingExtra`."""
        games = range(self.num_envs if self.render_mode is not None else 1)  # without a mode, one warning is enough
        drawings = tuple(common.render(self.batch, self.render_mode, i) for i in games)
        return None if self.render_mode is None else drawings


def _read_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """An autoreset mode by member, name or value."""
    if isinstance(mode, AutoresetMode):
        return mode
    modes = {name: member for member in AutoresetMode for name in (member.name, member.value)}
    return modes[require_choice("autoreset_mode", mode, tuple(modes))]
