"""A one-seat game as a Gymnasium `Env`, and what all interfaces share: spaces, arguments, forfeits."""

from __future__ import annotations

import copy
from types import NoneType
from typing import Any, Self

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from rfop_env.core.arguments import array_of, keywords, yes_or_no
from rfop_env.core.batch import NO_ACTION, RANDOM_SEAT, GameBatch, seeds_of
from rfop_env.core.errors import BadActions, GameOver, IllegalAction, NotStarted, RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.registry import get_game

RENDER_MODES = ("ansi", "svg")
ON_ILLEGAL = ("lose", "raise")
ILLEGAL = "illegal action"  # the end reason of a game that its player forfeited


class SeveralSeats(RfopError, ValueError):
    """A game of several seats asked for through an interface for one."""


def one_seat(game: str | Game, opponent: str | None) -> Game:
    """The game, which must leave one seat to the caller; otherwise `SeveralSeats` says where to go."""
    found = get_game(game)
    if found.spec.players != 1 and opponent is None:
        names = " or ".join(f'opponent="{player.name}"' for player in found.opponents)
        raise SeveralSeats(
            f"{found.id} has {found.spec.players} seats, and this interface is for one: say {names}, or use "
            f"rfop_env.make({found.id!r}) (PettingZoo AEC) or rfop_env.make_batch({found.id!r}, num_games)"
        )
    return found


def chosen(argument: str, value: Any, valid: tuple[Any, ...]) -> Any:
    """The value of an argument, if it is valid; otherwise `UnknownName`."""
    if not isinstance(value, (str, NoneType)) or value not in valid:
        raise UnknownName(f"value of {argument}", value, valid)
    return value


class Environment:
    """What all interfaces have in common: copies go on by themselves, and nothing is seen before the first reset."""

    batch: GameBatch
    _started = False

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def _require_start(self) -> None:
        if not self._started:
            raise NotStarted("no game has begun: call reset() first")


def observation_space(game: Game, mask_in_observation: bool) -> spaces.Space[Any]:
    """Box int8 [D] within the layout's bounds; with the mask: Dict of that and of `action_mask`, Box 0..1 int8 [A].

    The mask is a Box, not MultiBinary: its samples and SB3's and RLlib's treatment are the same, and RLlib's masking
    modules insist on a Box.
    """
    layout = game.observation
    box: spaces.Space[Any] = spaces.Box(layout.low, layout.high, (layout.size,), np.int8)
    if not mask_in_observation:
        return box
    mask = spaces.Box(0, 1, (game.actions.size,), np.int8)
    return spaces.Dict({"observation": box, "action_mask": mask})


def one_action(action: Any) -> NDArray[Any]:
    """A single action (number or array of one) as an array [1]; `BadActions`."""
    given = array_of("action", action)
    if given.size != 1 or given.ndim > 1:
        raise BadActions(f"action: expected one integer, found shape {list(given.shape)}")
    return given.reshape(1)


def forfeit(batch: GameBatch, games: NDArray[np.bool_]) -> NDArray[np.float32]:
    """End these games [N] at once where they stand: nothing is legal in them until they are reset.

    Returns float32 [N, P]: the reward that brings each seat, were it the offender, to the game's lowest return.
    """
    due: NDArray[np.float32] = np.float32(batch.game.spec.lowest_return) - batch.returns_so_far()
    batch.states["over"][games] = 1
    batch.refresh(np.flatnonzero(games))
    return due


def step_or_forfeit(
    batch: GameBatch, actions: ArrayLike, on_illegal: str
) -> tuple[NDArray[np.bool_], NDArray[np.float32]] | None:
    """Step all games; with "lose", a game whose action is illegal is forfeited and the others move.

    Returns None when there are none, or bool [N], the forfeited games, and float32 [N], the learner's last reward in
    them. Raises `BadActions` and `GameOver`, and with "raise" `IllegalAction`.
    """
    try:
        batch.step(actions)
        return None
    except IllegalAction:
        if on_illegal == "raise":
            raise
        ids = np.asarray(actions).astype(np.int64)
        valid = (ids >= 0) & (ids < batch.action_mask.shape[1])
        legal = valid & batch.action_mask[np.arange(batch.num_games), np.where(valid, ids, 0)]
        lost: NDArray[np.bool_] = (batch.states["over"] == 0) & ~legal
        due = forfeit(batch, lost)
        batch.step(np.where(lost, NO_ACTION, ids))
        return lost, batch.own_rewards(due)


class GameEnv(Environment, gym.Env[Any, Any]):
    """One game for one seat: a solo game, or one whose other seats an `opponent` of the game takes.

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
    first). `options` are accepted and ignored.

    Arguments: `game` an id or a `Game`; `components` a file; `reward` the name of a reward kind; `render_mode` None,
    "ansi" (text) or "svg" (a document); `on_illegal`; `mask_in_observation`; `journal` costs time; `opponent` and
    `seat`, for a game of several seats, as for `core.batch.GameBatch`; the game's own options by name. Raises
    `UnknownName`, `BadArgument`, `SeveralSeats`, `BadComponents`. `env.unwrapped.batch` is the batch of one.
    """

    # Gymnasium reads it from the class before it makes an instance.
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        *,
        components: Any = None,
        reward: str | None = None,
        render_mode: str | None = None,
        on_illegal: str = "lose",
        mask_in_observation: bool = True,
        journal: bool = False,
        opponent: str | None = None,
        seat: int | str = RANDOM_SEAT,
        **options: Any,
    ) -> None:
        self.render_mode = chosen("render_mode", render_mode, (None, *RENDER_MODES))
        self.on_illegal = chosen("on_illegal", on_illegal, ON_ILLEGAL)
        self._with_mask = yes_or_no("mask_in_observation", mask_in_observation)
        self._with_journal = yes_or_no("journal", journal)
        found = one_seat(game, opponent)
        found.require_options(options, keywords(GameEnv))
        self.batch = GameBatch(
            found, 1, options=options, components=components, reward=reward, opponent=opponent, seat=seat
        )
        self.game = self.batch.game
        self.observation_space = observation_space(self.game, mask_in_observation)
        self.action_space = spaces.Discrete(self.game.actions.size)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; returns observation and info. Raises `BadSeed`."""
        number = None if seed is None else int(seeds_of(seed, 1)[0])
        super().reset(seed=number)
        if number is None and not self._started:
            number = int(self.np_random.integers(2**63))
        self.batch.reset(number)
        self._started = True
        return self._outcome()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out an action; raises `NotStarted`, `GameOver`, `BadActions`, and `IllegalAction` with "raise"."""
        self._require_start()
        batch, given = self.batch, one_action(action)
        if batch.states["over"][0]:
            raise GameOver("the game has ended: call reset()")
        try:
            batch.step(given)
        except IllegalAction:
            if self.on_illegal == "raise":
                raise
            return self._lose(int(given[0]))
        observation, info = self._outcome()
        ended = bool(batch.terminated[0])
        if ended:
            info["end_reason"] = self.game.end_reasons[int(batch.end_reason[0])]
        return observation, float(batch.own_rewards()[0]), ended, False, info

    def _lose(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        due = forfeit(self.batch, np.ones(1, np.bool_))
        observation, info = self._outcome()
        info["end_reason"], info["illegal_action"] = ILLEGAL, action
        return observation, float(self.batch.own_rewards(due)[0]), True, False, info

    def _outcome(self) -> tuple[Any, dict[str, Any]]:
        """Observation and info, in fresh arrays."""
        mask = self.batch.action_mask[0].astype(np.int8)
        info: dict[str, Any] = {"action_mask": mask}
        if self._with_journal:
            info["journal"] = self.batch.journal(0)
        seen = self.batch.observation[0].copy()
        return ({"observation": seen, "action_mask": mask} if self._with_mask else seen), info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool [A]; the name that sb3-contrib looks for. Raises `NotStarted`."""
        self._require_start()
        mask: NDArray[np.bool_] = self.batch.action_mask[0].copy()
        return mask

    def render(self) -> str | None:
        """The position as text or as an SVG document, by `render_mode`. Raises `NotStarted`."""
        return render(self.batch, self.render_mode)


def render(batch: GameBatch, mode: str | None, game: int = 0, previous: NDArray[Any] | None = None) -> str | None:
    """A drawing of one game of a batch; None, with Gymnasium's warning, when no mode was chosen.

    A picture marks what differs from the record `previous`; None: what has changed since the last decision.
    """
    if mode is None:
        gym.logger.warn('render() without a render mode: create the environment with render_mode="ansi" or "svg".')
        return None
    return batch.draw_text(game) if mode == "ansi" else batch.draw_svg(game, previous)
