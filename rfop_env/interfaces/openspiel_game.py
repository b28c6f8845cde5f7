"""All games as games of OpenSpiel: importing this module registers them with `pyspiel`.

    import pyspiel
    import rfop_env.interfaces.openspiel_game

    game = pyspiel.load_game("rfop_Paris_v0(players=3,deals=16)")

A game with hidden information or chance begins with one chance node, which draws one of `deals` equally likely deals.
All that follows is deterministic, so that histories, copies and exact algorithms work. A planner that simulates with
copies therefore foresees dice; one that calls `resample_from_infostate`, such as ISMCTS, does not.

The information state tensor is the present observation, and behind it all that the seat has done and seen, with room
for the longest game (`SpielObserver`): 35,402 numbers in Red Flag Over Paris and its solo game, 13,899 in Levée en
Masse, 307,477 in Paris with two players, 523 in Revolution.
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import json
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env import registry
from rfop_env.core import errors
from rfop_env.core.arguments import whole_number
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import reward_weights
from rfop_env.core.errors import extra
from rfop_env.core.game import Game
from rfop_env.core.observation_layout import ObservationLayout
from rfop_env.core.position import load_position, save_position
from rfop_env.interfaces.setup import end_rewards, require_end_reward

with extra("openspiel", __name__, "pyspiel"):
    import pyspiel

DEALS = 64  # by default
MAX_DEALS = 1_000_000
MAX_SEED = 2**31 - 1  # that a parameter of OpenSpiel holds
MAX_POSITION = 2**20  # bytes of a saved position
DIGEST = 16  # bytes of the digest of all that a seat has seen and done
WORD = 16  # bits of an earlier view in one number of a tensor
NO_ACTION = -1  # in the memory of a seat: a view that follows no action of its own


def short_name(name: str) -> str:
    """The name of an environment in OpenSpiel: `rfop_RedFlagOverParis_v1`. Raises `UnknownName`."""
    return registry.get_entry(name).full_id.replace("/", "_").replace("-", "_").replace(".", "_")


def start_text(batch: GameBatch, game: int = 0) -> str:
    """A position of a batch as the parameter `start` of `pyspiel.load_game`: letters, digits, `-` and `_`.

    Raises `BadArgument` for a game that is not there or has ended, and `NotStarted`.
    """
    if batch.record(game).over:
        raise errors.BadArgument("start: this game has ended, and OpenSpiel has no game that begins at its end")
    return base64.urlsafe_b64encode(zlib.compress(save_position(batch, game), 9)).decode().rstrip("=")


def _read_start(start: str) -> bytes:
    """The saved position of a parameter `start`. Raises `BadPosition`."""
    try:
        packed = base64.b64decode(start + "=" * (-len(start) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        position = unpacker.decompress(packed, MAX_POSITION)
    except (binascii.Error, ValueError, zlib.error):
        raise errors.BadPosition(f"start: no position of start_text(batch): {errors.shown(start, 60)}") from None
    if not unpacker.eof:
        raise errors.BadPosition("start: cut off, or longer than any position")
    return position


@dataclass(frozen=True)
class SpielSetup:
    """How the games of a `SpielGame` begin; its states share it."""

    id: str
    options: tuple[tuple[str, object], ...]
    reward: str
    seed: int
    deals: int
    start: str  # of `start_text`, or empty

    def __deepcopy__(self, memo: dict[int, Any]) -> SpielSetup:
        return self

    @property
    def game(self) -> Game:
        """The game under the options."""
        return _template(self).game

    @property
    def has_deals(self) -> bool:
        """True if a chance node draws the deal."""
        return self.game.spec.has_deals

    def deal(self, number: int) -> GameBatch:
        """A batch of one that holds the game of a deal.

        From a position on, a deal draws anew what the seat that decides there cannot see.
        """
        batch = _template(self).clone()
        if not self.start:
            batch.reset(self.seed + number)
        elif self.has_deals:
            batch.determinize(batch.current_player, self.seed + number)
        return batch


@functools.lru_cache(maxsize=64)
def _template(setup: SpielSetup) -> GameBatch:
    """A batch of one under the options of a setup, at its position if it has one."""
    batch = GameBatch(registry.get_game(setup.id), 1, options=dict(setup.options), reward=setup.reward)
    if setup.start:
        load_position(batch, _read_start(setup.start))
        if batch.record().over:
            raise errors.BadPosition("start: this game has ended")
    return batch


class SeatMemory:
    """All that a seat has seen and done, in order: a digest of it, and rows of an own action and the next new view.

    A row is the action, or NO_ACTION where the view follows another seat's, and the bytes of the view, none where the
    action showed nothing new.
    """

    def __init__(self, digest: bytes = b"", rows: Iterable[tuple[int, bytes]] = (), view: bytes = b""):
        self.digest = digest
        self.rows = list(rows)
        self._view = view  # the present one

    def __deepcopy__(self, memo: dict[int, Any]) -> SeatMemory:
        return SeatMemory(self.digest, self.rows, self._view)

    def act(self, action: int) -> None:
        """Add an action of the seat."""
        self._extend(action.to_bytes(4, "little"))
        self.rows.append((action, b""))

    def see(self, view: bytes) -> None:
        """Add a view, unless it is still the last one."""
        if view != self._view:
            self._view = view
            self._extend(view)
            action = self.rows.pop()[0] if self.rows and not self.rows[-1][1] else NO_ACTION
            self.rows.append((action, view))

    def _extend(self, event: bytes) -> None:
        self.digest = hashlib.blake2b(self.digest + event, digest_size=DIGEST).digest()


class ViewPacking:
    """Views of a game as rows of numbers from 0 up to 1, `WORD` bits in each: no two views have the same row."""

    def __init__(self, layout: ObservationLayout):
        bits = [int(span).bit_length() for span in layout.high.astype(np.int64) - layout.low]
        self._low = layout.low
        self._entries = np.repeat(np.arange(layout.size), bits)
        self._shifts = np.concatenate([np.arange(n) for n in bits])
        self.size = -(-len(self._entries) // WORD)

    def pack(self, views: NDArray[np.int8]) -> NDArray[np.float32]:
        """The rows float32 [n, size] of views int8 [n, D]."""
        bits = np.zeros((len(views), self.size * WORD), np.int64)
        shifted = views.astype(np.int64) - self._low
        bits[:, : len(self._entries)] = shifted[:, self._entries] >> self._shifts & 1
        numbers = bits.reshape(len(views), self.size, WORD) @ (1 << np.arange(WORD))
        return (numbers / 2**WORD).astype(np.float32)


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # untyped base
    """A game of this package for OpenSpiel.

    Parameters, in the name or as a dictionary for `pyspiel.load_game`: the options of the game by name; `reward`, one
    or several of its reward kinds but no dense one; `deals`, 1 to `MAX_DEALS`, of which the chance node at the
    beginning draws one; `seed`, 0 to 2**31 - 1, of the first of them; `start`, a position from `start_text`, from which
    the game is played: its deals then draw anew what the seat that decides there cannot see.

    Raises `UnknownName`, `BadArgument`, `BadPosition`.
    """

    env_id: str  # each environment has a class of its own, which `register` makes

    def __init__(self, params: dict[str, Any]):
        game = registry.get_game(self.env_id)
        weights = reward_weights(game, params["reward"])
        require_end_reward(game, weights, "an OpenSpiel game")
        self.setup = SpielSetup(
            game.id,
            tuple((option.name, params[option.name]) for option in game.options),
            params["reward"],
            whole_number("seed", params["seed"], 0, MAX_SEED),
            whole_number("deals", params["deals"], 1, MAX_DEALS),
            params["start"],
        )

        setup, spec = self.setup, self.setup.game.spec
        lowest, highest = spec.return_bounds(weights.values())
        info = pyspiel.GameInfo(
            num_distinct_actions=game.actions.size,
            max_chance_outcomes=setup.deals if setup.has_deals else 0,
            num_players=spec.players,
            min_utility=lowest,
            max_utility=highest,
            utility_sum=0.0 if spec.zero_sum else None,
            max_game_length=spec.max_decisions,
        )
        super().__init__(_game_type(setup.game), info, params)

    def new_initial_state(self) -> SpielState:
        """A state at the beginning."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> SpielObserver:
        """What a seat sees, or with perfect recall, what it has seen and done. Raises `BadArgument`."""
        return SpielObserver(self.setup, iig_obs_type, params)

    def max_chance_nodes_in_history(self) -> int:
        """The number of chance nodes: one, or none."""
        return int(self.setup.has_deals)


class SpielState(pyspiel.State):  # type: ignore[misc]  # untyped base
    """A state: a batch of one, and for each seat the memory of all that it has seen and done."""

    def __init__(self, game: SpielGame):
        super().__init__(game)
        self._setup = game.setup
        self._batch: GameBatch | None = None  # before the deal
        self._memories: list[SeatMemory] = []

    # -- the game ------------------------------------------------------------------------------------------------------

    @property
    def batch(self) -> GameBatch:
        """The batch of one that holds the position. Raises `BadArgument` before the deal."""
        if self._batch is None:
            if self._setup.has_deals:
                raise errors.BadArgument("no cards are dealt yet: apply an action of chance_outcomes() first")
            self._begin(0)
        assert self._batch is not None
        return self._batch

    def _before_deal(self) -> bool:
        return self._batch is None and self._setup.has_deals

    def _begin(self, deal: int) -> None:
        self._batch = self._setup.deal(deal)
        self._memories = [SeatMemory() for _ in range(self._setup.game.spec.players)]
        self._look()

    def current_player(self) -> int:
        """The seat that decides, or OpenSpiel's number for chance and for the end."""
        if self._before_deal():
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else int(self.batch.current_player[0])

    def is_terminal(self) -> bool:
        """True once the game has ended."""
        return not self._before_deal() and bool(self.batch.states["over"][0])

    def _legal_actions(self, player: int) -> list[int]:
        """The legal actions in ascending order."""
        legal: list[int] = np.flatnonzero(self.batch.action_mask[0]).tolist()
        return legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals and their probabilities."""
        return [(deal, 1 / self._setup.deals) for deal in range(self._setup.deals)]

    def _apply_action(self, action: int) -> None:
        """Carry out an action, or draw a deal. Raises `IllegalAction`, `GameOver`, `BadArgument`."""
        if self._before_deal():
            self._begin(whole_number("deal", action, 0, self._setup.deals - 1))
            return
        batch = self.batch
        seat = int(batch.current_player[0])
        batch.step_one(action)
        if self._setup.has_deals:
            self._memories[seat].act(action)
        self._look()

    def returns(self) -> list[float]:
        """The returns of an ended game; 0.0 for every seat before."""
        if not self.is_terminal():
            return [0.0] * self._setup.game.spec.players
        returns: list[float] = self.batch.rewards[0].tolist()
        return returns

    # -- information states --------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Add the view of each seat to its memory, where it has changed."""
        if self._setup.has_deals:  # otherwise everyone sees everything: the history says it all
            for seat, memory in enumerate(self._memories):
                memory.see(self.batch.observe(seat)[0].tobytes())

    def recalled(self, player: int) -> str:
        """All that a seat has seen and done, as a short text: two states with the same one are the same to it."""
        if self._before_deal():
            return f"{player}: nothing"
        if self._setup.has_deals:
            return f"{player}: {self._memories[player].digest.hex()}"
        return f"{player}: {' '.join(map(str, self.history()))}"

    def memory_rows(self, player: int) -> list[tuple[int, bytes]]:
        """The rows of a `SeatMemory`; in a game where everyone sees everything, all actions of all seats."""
        return self._memories[player].rows if self._setup.has_deals else [(action, b"") for action in self.history()]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """A state of the same information set, determinized for the seat; `sampler` gives numbers from 0 to 1."""
        state: SpielState = self.clone()
        if not state._before_deal():
            state.batch.determinize(player, int(sampler() * 2**32))
        return state

    # -- texts and structs ---------------------------------------------------------------------------------------------

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if player == pyspiel.PlayerId.CHANCE else self._setup.game.actions.label(action)

    def __str__(self) -> str:
        return "before the deal" if self._before_deal() else self.batch.draw_text()

    def _to_struct(self) -> dict[str, Any]:
        """The whole position, hidden information included: every field of its record by name."""
        if self._before_deal():
            return {"game": self._setup.id, "state": None}
        record, names = self.batch.get_record()[0], self._setup.game.state.names or ()
        return {"game": self._setup.id, "state": {name: record[name].tolist() for name in names}}

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        """What a seat sees, by the names of the observation's pieces, and the labels of its legal actions."""
        if self._before_deal():
            return {"game": self._setup.id, "observation": {}, "legal_actions": []}
        game, seat = self._setup.game, whole_number("player", player, 0, self._setup.game.spec.players - 1)
        legal = self._legal_actions(seat) if seat == self.current_player() else []
        return {
            "game": self._setup.id,
            "observation": game.observation.describe(self.batch.observe(seat)[0]),
            "legal_actions": [game.actions.label(action) for action in legal],
        }

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        """An action by its label."""
        return {"action": self._action_to_string(player, action)}

    def _struct_to_actions(self, struct: dict[str, Any]) -> list[int]:
        """The action of a label, as `_action_to_struct` gives it. Raises `BadArgument`, `UnknownName`."""
        label = struct.get("action") if isinstance(struct, dict) else None
        if not isinstance(label, str):
            raise errors.BadArgument(f'expected {{"action": a label}}, found {errors.shown(struct)}')
        if self._before_deal():
            number = label.removeprefix("deal ")
            if not number.isdecimal() or len(number) > 9:
                raise errors.BadArgument(
                    f"expected a deal, from 'deal 0' to 'deal {self._setup.deals - 1}', found {label!r}"
                )
            return [whole_number("deal", int(number), 0, self._setup.deals - 1)]
        return [self._setup.game.actions.parse(label)]


class SpielObserver:
    """An observer of OpenSpiel.

    Without perfect recall: `tensor` float32 [D], the observation of a seat; `dict`, its named pieces, views of it;
    `string_from`, the same as JSON.

    With perfect recall `string_from` is a digest of all that the seat has seen and done, and two states have the same
    `tensor` just where they have the same string. Its parts in `dict`, for a game of at most T - 1 decisions:

    * "observation" float32 [D], the present one
    * "actions" float32 [T], the own actions in order, 1 + the number of each; 0 where a new view follows no own action
    * "seen" float32 [T], 1 where a new view follows
    * "views" float32 [T, W], that view, packed by `ViewPacking` into numbers from 0 up to 1

    A game where everyone sees everything has no last two, and in "actions" those of all seats.
    """

    def __init__(self, setup: SpielSetup, iig_obs_type: Any = None, params: dict[str, Any] | None = None):
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise errors.BadArgument(f"an observer of {setup.id} has no parameters, found {errors.shown(params)}")
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise errors.BadArgument(
                f"an observer of {setup.id} sees what its seat sees: public_info=True, private_info=SINGLE_PLAYER"
            )

        self._layout = setup.game.observation
        self._recalls: bool = kind.perfect_recall
        self._packing = ViewPacking(self._layout)
        shapes: dict[str, tuple[int, ...]] = {piece.name: (piece.size,) for piece in self._layout.pieces}
        if self._recalls:
            rows = setup.game.spec.max_decisions + 1
            shapes = {"observation": (self._layout.size,), "actions": (rows,)}
            if setup.has_deals:
                shapes |= {"seen": (rows,), "views": (rows, self._packing.size)}

        self.tensor: NDArray[np.float32] = np.zeros(sum(map(math.prod, shapes.values())), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        start = 0
        for name, shape in shapes.items():
            self.dict[name] = self.tensor[start : start + math.prod(shape)].reshape(shape)
            start += math.prod(shape)

    def set_from(self, state: SpielState, player: int) -> None:
        """Put what a seat sees, or with perfect recall, all that it has seen and done into `tensor`.

        Before the deal it is all zeros.
        """
        self.tensor[:] = 0
        if not state._before_deal():
            self.tensor[: self._layout.size] = state.batch.observe(player)[0]
            if self._recalls:
                self._set_memory(state.memory_rows(player))

    def _set_memory(self, rows: Sequence[tuple[int, bytes]]) -> None:
        self.dict["actions"][: len(rows)] = [action + 1 for action, _ in rows]
        at = [k for k, (_, view) in enumerate(rows) if view]
        if at:
            views = np.frombuffer(b"".join(rows[k][1] for k in at), np.int8).reshape(len(at), -1)
            self.dict["seen"][at] = 1
            self.dict["views"][at] = self._packing.pack(views)

    def string_from(self, state: SpielState, player: int) -> str:
        """What a seat sees, or with perfect recall, all that it has seen and done."""
        if self._recalls:
            return state.recalled(player)
        return "" if state._before_deal() else json.dumps(self._layout.describe(state.batch.observe(player)[0]))


# -- registration ------------------------------------------------------------------------------------------------------


def _game_type(game: Game) -> Any:
    """A game's declared properties, as OpenSpiel has them."""
    enums, spec = pyspiel.GameType, game.spec
    seats = [int(value) for option in game.options if option.name == "players" for value in option.values]
    chance = enums.ChanceMode.DETERMINISTIC
    if spec.has_deals:
        chance = enums.ChanceMode.EXPLICIT_STOCHASTIC
    information = enums.Information.PERFECT_INFORMATION
    if spec.hidden_information:
        information = enums.Information.IMPERFECT_INFORMATION

    return enums(
        short_name=short_name(game.id),
        long_name=f"{game.title} ({game.id})",
        dynamics=enums.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=information,
        utility=enums.Utility.ZERO_SUM if spec.zero_sum else enums.Utility.GENERAL_SUM,
        reward_model=enums.RewardModel.TERMINAL,
        max_num_players=max(seats, default=spec.players),
        min_num_players=min(seats, default=spec.players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification=_default_parameters(game),
    )


def _default_parameters(game: Game) -> dict[str, Any]:
    """The parameters of a game and their defaults; a number is one for OpenSpiel too."""
    parameters: dict[str, Any] = {"reward": end_rewards(game)[0], "deals": DEALS, "seed": 0, "start": ""}
    for option in game.options:
        parameters[option.name] = int(option.default) if option.default.isdecimal() else option.default
    return parameters


def register(entry: registry.Entry) -> None:
    """Make an entry of the registry known to OpenSpiel; idempotent."""
    name = short_name(entry.id)
    if name not in pyspiel.registered_names():
        # OpenSpiel drops what it holds after Python has ended: a class is not freed then, a function would be.
        creator = type(SpielGame.__name__, (SpielGame,), {"env_id": entry.id, "__doc__": SpielGame.__doc__})
        pyspiel.register_game(_game_type(registry.get_game(entry.id)), creator)


def register_all() -> None:
    """Make all environments known to OpenSpiel."""
    for entry in registry.entries():
        register(entry)


register_all()
