"""The parts that all interfaces share: arguments, spaces, steps with forfeits, drawings."""

from __future__ import annotations

import copy
from types import NoneType
from typing import Any, Self

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from rfop_env.core.arguments import array_of
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import action_ids
from rfop_env.core.errors import BadActions, IllegalAction, NotStarted, RfopError, UnknownValue
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION, are_legal
from rfop_env.core.position import load_position, save_position
from rfop_env.drawing.pixels import pixels
from rfop_env.registry import get_game

BATCH_RENDER_MODES = ("ansi", "svg", "rgb_array")  # of many games
RENDER_MODES = ("human", *BATCH_RENDER_MODES)  # of one game
PICTURES = ("svg", "rgb_array")
ON_ILLEGAL = ("lose", "raise")
LARGEST = 2**63 - 1  # number that an integer array can hold


class SeveralSeats(RfopError, ValueError):
    """A game of several seats asked for through an interface for one."""


def one_seat(game: str | Game, opponent: object) -> Game:
    """The game, which must leave one seat to the caller; otherwise `SeveralSeats` says where to go."""
    known = get_game(game)
    if known.spec.players != 1 and opponent is None:
        names = " or ".join(f'opponent="{player.name}"' for player in known.opponents)
        raise SeveralSeats(
            f"{known.id} has {known.spec.players} seats, and this interface is for one: say {names}, or use "
            f"rfop_env.make({known.id!r}) (PettingZoo AEC) or rfop_env.make_batch({known.id!r}, num_games)"
        )
    return known


def one_of(argument: str, value: Any, valid: tuple[Any, ...]) -> Any:
    """The value of an argument, if it is one of the valid ones; otherwise `UnknownValue`."""
    if not isinstance(value, (str, NoneType)) or value not in valid:
        raise UnknownValue.of(argument, value, valid)
    return value


class Environment:
    """The base of all interfaces: copies are independent, and nothing is shown before the first reset."""

    batch: GameBatch
    _started = False

    @property
    def game(self) -> Game:
        """The game that is played, under the options of the last reset."""
        return self.batch.game

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def _repr_svg_(self) -> str | None:
        """The position of a single game, which notebooks show; None before the first reset."""
        return self.batch._repr_svg_() if self._started else None

    def _require_start(self) -> None:
        if not self._started:
            raise NotStarted("no game has begun: call reset() first")


class SingleGame(Environment):
    """The base of the interfaces for one game, which keep views of the arrays of their batch of one.

    They last as long as the batch: taking them anew at every step would cost more than the copies that are made.
    """

    _VIEWS = ("_mask_row", "_observation_row")

    def save(self) -> bytes:
        """The position as bytes, which `load` of an environment of the same game reads: data, no pickle.

        Raises `NotStarted`.
        """
        self._require_start()
        return save_position(self.batch)

    def clone(self) -> Self:
        """An independent copy, which goes on alike given the same actions; `copy.deepcopy` gives the same."""
        return copy.deepcopy(self)

    def _load(self, data: bytes) -> None:
        """Go on from a saved position. Raises `BadPosition`; then nothing has changed."""
        load_position(self.batch, data)
        self._started = True

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
    if type(action) is int and abs(action) <= LARGEST:
        return action
    given = array_of("action", action)
    if given.size != 1 or given.ndim > 1:
        raise BadActions(f"action: expected one integer, found shape {list(given.shape)}")
    return int(action_ids(given.reshape(1), 1)[0])


def illegal_games(batch: GameBatch, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The running games, bool [N], whose actions are illegal."""
    illegal: NDArray[np.bool_] = (batch.states["over"] == 0) & ~are_legal(ids, batch.action_mask)
    return illegal


def lowest_rewards(batch: GameBatch) -> NDArray[np.float32]:
    """The reward, float32 [N, P], that would bring each seat of each game to the game's lowest return."""
    due: NDArray[np.float32] = np.float32(batch.return_bounds[0]) - batch.returns_so_far()
    return due


def forfeit(batch: GameBatch, games: NDArray[np.bool_]) -> NDArray[np.float32]:
    """End these games [N] at once where they stand: nothing is legal in them until they are reset.

    Returns float32 [N, P]: the reward that brings each seat, were it the offender, to the game's lowest return.
    """
    due = lowest_rewards(batch)
    batch.forfeit(games)
    return due


def step_or_forfeit(
    batch: GameBatch, actions: ArrayLike, on_illegal: str, restart: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.bool_], NDArray[np.float32]] | None:
    """Step all games; with "lose", a game whose action is illegal is forfeited and the others move.

    `restart`: bool [N], games that begin anew instead, whatever their action.
    Returns None when there are none, or bool [N], the forfeited games, and float32 [N], the learner's last reward in
    them. Raises `BadActions` and `GameOver`, and with "raise" `IllegalAction`.
    """
    try:
        batch.step(actions, restart=restart)
        return None
    except IllegalAction:
        if on_illegal == "raise":
            raise

        # Games with an illegal action end, and the others move.
        ids = np.asarray(actions).astype(np.int64)
        lost = illegal_games(batch, ids)
        if restart is not None:
            lost &= ~restart
        due = forfeit(batch, lost)
        batch.step(np.where(lost, NO_ACTION, ids), restart=restart)
        return lost, batch.own_rewards(due)


Frame = str | NDArray[np.uint8]


def render(batch: GameBatch, mode: str | None, game: int = 0, previous: NDArray[Any] | None = None) -> Frame | None:
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


def print_position(batch: GameBatch, end_reason: str = "") -> None:
    """Print what has happened in a batch of one since the last decision, and the position; for mode "human"."""
    happened = "".join(f"  · {line}\n" for line in batch.journal())
    ending = f"\nThe game is over: {end_reason}." if end_reason else ""
    print(f"{happened}\n{batch.draw_text()}{ending}\n", flush=True)
