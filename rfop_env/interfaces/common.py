"""The parts that all interfaces share: bases, spaces, steps with forfeits, drawings."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple, Self

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from rfop_env.core import errors, position
from rfop_env.core.arguments import to_array
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import action_ids
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION, are_legal
from rfop_env.drawing.pixels import pixels
from rfop_env.interfaces.setup import RENDER_MODES, Setup

PICTURES = ("svg", "rgb_array")
MAX_ACTION = 2**63 - 1  # that an integer array can hold
RenderFrame = str | NDArray[np.uint8]


class Environment:
    """The base of all interfaces: copies are independent, and nothing is shown before the first reset."""

    batch: GameBatch
    render_mode: str | None = None
    _ready = False

    def _set_up(self, setup: Setup, num_games: int = 1, autoreset: bool = False) -> None:
        """Make the games; the other arguments become attributes."""
        self.batch = setup.new_batch(num_games, autoreset)
        self.render_mode = setup.render_mode
        self.on_illegal = setup.on_illegal
        self._with_mask = setup.mask_in_observation
        self._with_journal = setup.journal

    def _require_start(self) -> None:
        if not self._ready:
            raise errors.NotStarted("no game has begun: call reset() first")

    @property
    def game(self) -> Game:
        """The game that is played, under the options of the last reset."""
        return self.batch.game

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def _repr_svg_(self) -> str | None:
        """The position of a single game, which notebooks show; None before the first reset."""
        return self.batch._repr_svg_() if self._ready else None


class SingleGame(Environment):
    """The base of the interfaces for one game, which keep views of the arrays of their batch of one: they save time."""

    _VIEWS = ("_mask_row", "_observation_row")

    def save(self) -> bytes:
        """The position as bytes, which `load` of an environment of the same game reads: data, no pickle.

        Raises `NotStarted`.
        """
        self._require_start()
        return position.save_position(self.batch)

    def clone(self) -> Self:
        """An independent copy, which goes on alike given the same actions; `copy.deepcopy` gives the same."""
        return copy.deepcopy(self)

    def _load(self, data: bytes) -> None:
        """Go on from a saved position. Raises `BadPosition`; then nothing has changed."""
        position.load_position(self.batch, data)
        self._ready = True

    def _show(self, end_reason: str = "") -> None:
        """With "human", print what has happened since the last decision, and the position."""
        if self.render_mode != "human":
            return
        journal = "".join(f"  · {line}\n" for line in self.batch.journal())
        ending = f"\nThe game is over: {end_reason}." if end_reason else ""
        print(f"{journal}\n{self.batch.draw_text()}{ending}\n", flush=True)

    def _take_views(self) -> None:
        self._mask_row: NDArray[np.int8] = self.batch.action_mask.view(np.int8)[0]
        self._observation_row: NDArray[np.int8] = self.batch.observation[0]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in self._VIEWS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take_views()


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


def one_action(action: Any) -> int:
    """The number of a single action, given as a number or as an array of one; `BadActions`."""
    if type(action) is int and abs(action) <= MAX_ACTION:
        return action
    array = to_array("action", action)
    if array.size != 1 or array.ndim > 1:
        raise errors.BadActions(f"action: expected one integer, found shape {list(array.shape)}")
    return int(action_ids(array.reshape(1), 1)[0])


def lowest_rewards(batch: GameBatch) -> NDArray[np.float32]:
    """The reward, float32 [N, P], that would bring each seat of each game to the game's lowest return."""
    rewards: NDArray[np.float32] = np.float32(batch.return_bounds[0]) - batch.returns_so_far()
    return rewards


def forfeit(batch: GameBatch, games: NDArray[np.bool_]) -> NDArray[np.float32]:
    """End these games [N] at once where they stand: nothing is legal in them until they are reset.

    Returns float32 [N, P]: the reward that brings each seat, were it the offender, to the game's lowest return.
    """
    rewards = lowest_rewards(batch)
    batch.forfeit(games)
    return rewards


class LearnerStep(NamedTuple):
    """A step of all games, as each learner meets it: arrays [N]."""

    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]  # forfeits included
    forfeited: NDArray[np.bool_]


def step_games(
    batch: GameBatch, actions: ArrayLike, on_illegal: str, restart: NDArray[np.bool_] | None = None
) -> LearnerStep:
    """Step all games; with "lose", a game whose action is illegal is forfeited, and the others move.

    `restart`: bool [N], games that begin anew instead, whatever their action. With autoreset a forfeited game begins
    anew at once. Raises `BadActions` and `GameOver`, and with "raise" `IllegalAction`.
    """
    forfeited = np.zeros(batch.num_games, np.bool_)
    try:
        batch.step(actions, restart=restart)
        return LearnerStep(batch.own_rewards(), batch.terminated.copy(), forfeited)
    except errors.IllegalAction:
        if on_illegal == "raise":
            raise

    # End the games with illegal actions, and step the others.
    ids = np.asarray(actions).astype(np.int64)
    forfeited = (batch.states["over"] == 0) & ~are_legal(ids, batch.action_mask)
    if restart is not None:
        forfeited &= ~restart
    lowest = batch.own_rewards(lowest_rewards(batch))
    if batch.autoreset:
        batch.step(ids, restart=forfeited)
    else:
        batch.forfeit(forfeited)
        batch.step(np.where(forfeited, NO_ACTION, ids), restart=restart)

    rewards = np.where(forfeited, lowest, batch.own_rewards())
    return LearnerStep(rewards, batch.terminated | forfeited, forfeited)


def render(
    batch: GameBatch, mode: str | None, game: int = 0, previous: NDArray[Any] | None = None
) -> RenderFrame | None:
    """A drawing of one game of a batch: text, an SVG document or uint8 [H, W, 3]. Raises `MissingExtra`.

    A picture marks what differs from the record `previous`; None: what has changed since the last decision. Without a
    mode there is Gymnasium's warning and None; with "human", None, since every position has been printed when it came.
    """
    if mode is None:
        names = ", ".join(f'"{name}"' for name in RENDER_MODES)
        gym.logger.warn(f"render() without a render mode: create the environment with a render_mode, one of {names}.")
        return None
    if mode == "human":
        return None
    if mode == "ansi":
        return batch.draw_text(game)

    svg = batch.draw_svg(game, previous)
    return svg if mode == "svg" else pixels(svg)
