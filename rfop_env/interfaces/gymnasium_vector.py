"""Many one-seat games as a native Gymnasium `VectorEnv`: one compiled call steps them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from rfop_env.core.arguments import array_of, keywords, whole_number, yes_or_no
from rfop_env.core.batch_arguments import RANDOM_SEAT, RewardArgument, seeds_of
from rfop_env.core.errors import BadActions, BadArgument, GameOver, UnknownName, shown
from rfop_env.core.game import ILLEGAL_ACTION, Game
from rfop_env.interfaces.common import (
    BATCH_RENDER_MODES,
    ON_ILLEGAL,
    Environment,
    observation_space,
    one_of,
    one_seat,
    render,
    step_or_forfeit,
)
from rfop_env.opponents import OpponentArgument, new_batch

GAME_METHODS = ("action_masks", "journal", "render")  # of every game, for `call`


class GameVectorEnv(Environment, VectorEnv[Any, Any, Any]):
    """`num_envs` games of one seat side by side; the same spaces, rewards and endings as `GameEnv`, with N in front.

    **Autoreset** (`autoreset_mode`, a member of `gymnasium.vector.AutoresetMode` or its name):

    * NEXT_STEP: the step after the last one of a game ignores its action, starts the next game and gives reward 0;
    * SAME_STEP: the next game starts in the step that ended the last, whose last observation and info are in
      `infos["final_obs"]` (object array, None where no game ended) and `infos["final_info"]`;
    * DISABLED: `reset(options={"reset_mask": bool [N]})` restarts games; until then, action -1 leaves a game that has
      ended as it is, and any other raises `GameOver`.

    **Infos**: `action_mask` int8 [N, A], of all games also after a partial reset; where games end, `end_reason` (object
    array of strings) and `illegal_action` (int64), each with the bool array `_<key>` of the games it concerns, as
    Gymnasium does it. With SAME_STEP these two are in `final_info`.

    **Illegal actions**: with `on_illegal="lose"` that game ends with the lowest return and the others move; with
    "raise" `IllegalAction` is raised and no game moves.

    Arguments: as for `GameEnv`, and `num_envs`, `threads`, `autoreset_mode`; no `journal` (use `env.batch.journal(i)`)
    and no `render_mode="human"`. `max_episode_steps`, at least 1: a game that takes more steps is truncated, as by
    Gymnasium's TimeLimit. With DISABLED no game moves before one that was truncated is reset.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        components: Any = None,
        reward: RewardArgument = None,
        render_mode: str | None = None,
        on_illegal: str = "lose",
        mask_in_observation: bool = True,
        threads: int = 1,
        max_episode_steps: int | None = None,
        opponent: OpponentArgument = None,
        seat: int | str = RANDOM_SEAT,
        **options: Any,
    ) -> None:
        # How it is shown.
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self.render_mode = one_of("render_mode", render_mode, (None, *BATCH_RENDER_MODES))
        self.on_illegal = one_of("on_illegal", on_illegal, ON_ILLEGAL)
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {
            "render_modes": list(BATCH_RENDER_MODES),
            "render_fps": 1,
            "autoreset_mode": self.autoreset_mode,
        }
        self._with_mask = yes_or_no("mask_in_observation", mask_in_observation)

        # What is played.
        known = one_seat(game, opponent)
        known.require_options(options, keywords(GameVectorEnv))
        self.batch = new_batch(
            known, self.num_envs, options=options, components=components, reward=reward,
            opponent=opponent, seat=seat, threads=threads,
        )  # fmt: skip

        # Spaces.
        self.single_observation_space = observation_space(self.game, mask_in_observation)
        self.single_action_space = spaces.Discrete(self.game.actions.size)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        # Episodes.
        limit = max_episode_steps
        self._limit = None if limit is None else whole_number("max_episode_steps", limit, 1)
        self._steps = np.zeros(self.num_envs, np.int64)  # of each game since its reset
        self._ended = np.zeros(self.num_envs, np.bool_)  # by the last step, not restarted yet
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
        names = dict(options or {})
        only = names.pop("reset_mask", None)
        if only is not None:
            only = self._checked_mask(only)
        if seed is not None:
            seeds_of(seed, self.num_envs)

        # Without a seed, Gymnasium's generator of this environment gives the first ones.
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._started:
            seed = [int(x) for x in self.np_random.integers(2**63, size=self.num_envs)]

        self.batch.reset(seed, only=only, options=None if only is not None and not names else names)
        self._started = True
        restarted = np.ones(self.num_envs, np.bool_) if only is None else only
        self._ended = self._ended & ~restarted
        self._truncated = self._truncated & ~restarted
        self._steps[restarted] = 0
        return self._outcome()

    def _checked_mask(self, only: Any) -> NDArray[np.bool_]:
        given = array_of("reset_mask", only)
        if given.dtype != np.bool_ or given.shape != (self.num_envs,) or not given.any():
            raise BadActions(f"reset_mask: expected bool [{self.num_envs}] with a true entry, found {only!r}")
        return given

    def step(self, actions: ArrayLike) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Step all games with integers [N]: observations, float64 rewards, terminations, truncations, infos.

        Raises `NotStarted`, `BadActions`, `GameOver` (DISABLED only), and `IllegalAction` with "raise".
        """
        self._require_start()
        given, waiting = array_of("actions", actions), self._ended
        if self._truncated.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            games = np.flatnonzero(self._truncated).tolist()
            raise GameOver(f"games {games} were truncated: restart them with reset(options={{'reset_mask': ...}})")
        restart = waiting if self.autoreset_mode is AutoresetMode.NEXT_STEP and waiting.any() else None

        # Step, and end the games with illegal actions.
        forfeits = step_or_forfeit(self.batch, given, self.on_illegal, restart)
        lost = None
        rewards = self.batch.own_rewards().astype(np.float64)
        ended = self.batch.terminated.copy()
        if forfeits is not None:
            lost, due = forfeits
            rewards[lost] = due[lost]
            ended[lost] = True

        # Truncate games that take too long.
        self._steps += 1
        if restart is not None:
            self._steps[restart] = 0
        truncated = np.zeros(self.num_envs, np.bool_)
        if self._limit is not None:
            truncated = (self._steps >= self._limit) & ~waiting
        done = ended | truncated

        # Start the next games as the mode says.
        infos = self._endings(ended, lost, given)
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos = self._restart_now(done, infos)
        else:
            self._truncated = truncated & ~ended
            self._ended = done if self.autoreset_mode is AutoresetMode.NEXT_STEP else done | waiting

        observation, masks = self._outcome()
        return observation, rewards, ended, truncated, {**masks, **infos}

    def _endings(self, ended: NDArray[Any], lost: NDArray[Any] | None, actions: NDArray[Any]) -> dict[str, Any]:
        """Why the games that have just ended did so."""
        infos: dict[str, Any] = {}
        if ended.any():
            reasons = np.full(self.num_envs, None, object)
            for i in np.flatnonzero(ended):
                reasons[i] = self.game.end_reasons[int(self.batch.end_reason[i])]
            infos["end_reason"] = reasons
            infos["_end_reason"] = ended.copy()
        if lost is not None:
            infos["end_reason"][lost] = ILLEGAL_ACTION
            infos["illegal_action"] = np.where(lost, actions, 0).astype(np.int64)
            infos["_illegal_action"] = lost
        return infos

    def _restart_now(self, ended: NDArray[np.bool_], endings: dict[str, Any]) -> dict[str, Any]:
        """SAME_STEP: put the last observation and info of ended games aside, and start their next games."""
        if not ended.any():
            return {}

        last, infos = self._outcome()
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            final_obs[i] = {key: part[i] for key, part in last.items()} if self._with_mask else last[i]
        self.batch.reset(only=ended)
        self._steps[ended] = 0

        final_info = {"action_mask": infos["action_mask"], "_action_mask": ended.copy(), **endings}
        final = {"final_obs": final_obs, "_final_obs": ended.copy()}
        return {**final, "final_info": final_info, "_final_info": ended.copy()}

    def _outcome(self) -> tuple[Any, dict[str, Any]]:
        """Observations and infos of all games, in fresh arrays."""
        mask = self.batch.action_mask.astype(np.int8)
        infos = {"action_mask": mask, "_action_mask": np.ones(self.num_envs, np.bool_)}
        seen = self.batch.observation.copy()
        return ({"observation": seen, "action_mask": mask.copy()} if self._with_mask else seen), infos

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
                raise BadArgument(f"call: {name} takes no arguments")
            if name == "action_masks":
                return tuple(self.action_masks())
            return self.render() or (None,) * self.num_envs if name == "render" else self._journals()
        value = getattr(self, name)
        if callable(value):
            raise UnknownName("method of every game", name, GAME_METHODS)
        return (value,) * self.num_envs

    def _journals(self) -> tuple[list[str], ...]:
        return tuple(self.batch.journal(i) for i in range(self.num_envs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The same as `call`, as in Gymnasium's other vector environments."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of this object, which all games share: one value, or a list or tuple of N equal ones.

        Raises `BadArgument` for a list of another length or of different values.
        """
        if isinstance(values, (list, tuple)):
            if len(values) != self.num_envs or any(value != values[0] for value in values):
                raise BadArgument(
                    f"set_attr: {name}: the games of one batch share their attributes: expected one value, or "
                    f"{self.num_envs} equal ones, found {shown(values)}"
                )
            values = values[0]
        setattr(self, name, values)

    def render(self) -> tuple[Any, ...] | None:
        """A drawing of every game, a tuple [N], as `GameEnv.render` gives it. `NotStarted`, `MissingExtra`."""
        games = range(self.num_envs if self.render_mode is not None else 1)  # without a mode, one warning is enough
        drawings = tuple(render(self.batch, self.render_mode, i) for i in games)
        return None if self.render_mode is None else drawings


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    """An autoreset mode by member, name or value."""
    names = {name: member for member in AutoresetMode for name in (member.name, member.value)}
    if isinstance(given, AutoresetMode):
        return given
    return names[one_of("autoreset_mode", given, tuple(names))]
