"""The arguments of a batch: each is returned in the form that kernels read, or refused by one clear error."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rfop_env.core.advance import ANY_SEAT, NO_OPPONENT, OPPONENT, SHARES, UNTIL
from rfop_env.core.arguments import memory_of_this_machine, to_array, whole_number
from rfop_env.core.errors import (
    BadActions,
    BadArgument,
    BadSeed,
    GameOver,
    IllegalAction,
    InternalFault,
    RfopError,
    UnknownName,
    shown,
)
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION, are_legal
from rfop_env.core.mixtures import parse_mixture, require_shares

RANDOM_SEAT = "random"  # the learner's seat is drawn for every game
RewardArgument = str | Mapping[str, float] | None  # see `reward_weights`
OWN_FIELDS = ("seed", "episode", "learner")  # that a record can keep when another is copied over it


# -- of the constructor ------------------------------------------------------------------------------------------------


def number_of_games(game: Game, value: object, memory: int | None = None, place: str = "this machine") -> int:
    """The number of games, if `memory` bytes, by default those of this machine, hold them; otherwise `BadArgument`."""
    n = whole_number("num_games", value, 1)
    memory = memory_of_this_machine() if memory is None else memory
    game_bytes = game.state.itemsize + 2 * game.observation.size + game.actions.size + 4 * game.spec.players + 40
    if memory is not None and n * game_bytes > memory:
        raise BadArgument(
            f"{n:,} games of {game.id} take {n * game_bytes / 2**30:,.0f} GiB, and {place} has "
            f"{memory / 2**30:,.1f} GiB: at most {memory // game_bytes:,}"
        )
    return n


def component_set(game: Game, components: Any) -> Any:
    """The set of a file, or a set that has been loaded; `BadComponents`, `BadArgument`."""
    if components is None or isinstance(components, (str, os.PathLike)):
        return game.load_components(components)
    if not hasattr(components, "record"):
        raise BadArgument(f"components: expected a path, a component set or None, found {shown(components)}")
    if components.record.dtype != game.load_components(None).record.dtype:
        raise BadArgument(f"components: the set {components.name!r} was loaded for another game than {game.id}")
    return components


LARGEST_WEIGHT = 1_000_000  # of a reward kind, with either sign
WEIGHTS = f"from -{LARGEST_WEIGHT:,} to {LARGEST_WEIGHT:,}"


def is_weight(value: object) -> bool:
    """Whether a value can be the weight of a reward kind: a number in bounds, and so a finite one."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST_WEIGHT


def reward_weights(game: Game, reward: RewardArgument) -> dict[str, float]:
    """Reward kinds with their weights, from "margin", from "outcome=0.5,margin=0.5" or from a mapping.

    None: the first kind of the game. Raises `UnknownName`, and `BadArgument` for a weight that `is_weight` refuses.
    """
    if reward is None:
        return {game.rewards[0].name: 1.0}
    if isinstance(reward, str):
        parts = parse_mixture(reward, "reward") or [("", "", None)]
    elif isinstance(reward, Mapping) and reward:
        parts = [(f"{name}={weight}", str(name), weight) for name, weight in reward.items()]
    else:
        raise UnknownName(f"reward of {game.id}", reward, [kind.name for kind in game.rewards])

    weights: dict[str, float] = {}
    for part, name, number in parts:
        weight = 1.0 if number is None else number
        if "=" in name or not is_weight(weight):
            raise BadArgument(f"reward: expected KIND or KIND=WEIGHT, with weights {WEIGHTS}, found {shown(part)}")
        game.reward(name)
        if name in weights:
            raise BadArgument(f"reward: {name} is given twice: give it one weight")
        weights[name] = float(weight)
    return weights


def encode_shares(shares: Mapping[int, float]) -> NDArray[np.int64]:
    """Opponents by number and the ends of their parts of `SHARES`, int64 [K, 2], from their shares of the games.

    Raises `BadArgument` unless shares are above 0 and add up to 1.
    """
    if not shares:
        return np.zeros((0, 2), np.int64)
    require_shares(list(shares.values()), "opponent")
    ends = np.round(np.cumsum(list(shares.values())) * SHARES).astype(np.int64)
    ends[-1] = SHARES
    return np.column_stack([list(shares), ends]).astype(np.int64)


def usual_opponents(mixture: NDArray[np.int64], n: int) -> Any:
    """The opponents of n games before any has been drawn, by their shares: integers [n], or one for all."""
    if len(mixture) == 0:
        return NO_OPPONENT
    middles = (np.arange(n) + 0.5) * (SHARES / n)
    return mixture[np.searchsorted(mixture[:, UNTIL], middles, side="right"), OPPONENT]


def decode_shares(mixture: NDArray[np.int64]) -> dict[int, float]:
    """The shares of opponents by number, from what `encode_shares` made of them."""
    parts = np.diff(mixture[:, UNTIL], prepend=0) / SHARES
    return dict(zip(mixture[:, OPPONENT].tolist(), np.round(parts, 6).tolist(), strict=True))


def opponent_number(game: Game, name: str) -> int:
    """The number of an opponent of the game; `UnknownName`, `BadArgument` for a game of one seat."""
    names = [opponent.name for opponent in game.opponents]
    if not names:
        raise BadArgument(f"opponent={name!r}: {game.id} has one seat and no opponents, leave it out")
    if name not in names:
        raise UnknownName(f"opponent of {game.id}", name, names)
    return names.index(name)


def seat_number(game: Game, seat: int | str) -> int:
    """A seat by number or name, or `ANY_SEAT` for one drawn per game; `BadArgument`, `UnknownName`."""
    if isinstance(seat, (int, np.integer)):
        return whole_number("seat", seat, 0, game.spec.players - 1)
    names = [*game.spec.seats, RANDOM_SEAT]
    if not isinstance(seat, str) or seat not in names:
        raise UnknownName(f"seat of {game.id}", seat, names)
    return ANY_SEAT if seat == RANDOM_SEAT else names.index(seat)


def parse_seeds(seed: int | Sequence[int], n: int) -> NDArray[np.uint64]:
    """The seeds of n games, uint64 [n]: consecutive from one integer, or as listed. Raises `BadSeed`."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        numbers = [int(seed) + i for i in range(n)]
    elif isinstance(seed, (list, tuple, range, np.ndarray)):
        if not all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in seed):
            raise BadSeed(f"seed: expected integers, found {seed!r}")
        numbers = [int(x) for x in seed]
    else:
        raise BadSeed(f"seed: expected an integer or a sequence of {n}, found {seed!r}")

    if len(numbers) != n:
        raise BadSeed(f"seed: expected {n} seeds, found {len(numbers)}")
    if any(x < 0 or x >= 2**64 for x in numbers):
        raise BadSeed("seed: a seed is from 0 to 2**64 - 1")
    return np.array(numbers, np.uint64)


# -- of the methods: arrays with an entry for each game ----------------------------------------------------------------


def action_ids(actions: ArrayLike, n: int) -> NDArray[Any]:
    """Actions, integers [n]; whether they are legal is for a kernel to say. Raises `BadActions`."""
    ids = to_array("actions", actions)
    if ids.shape != (n,):
        raise BadActions(f"actions: expected shape [{n}], found {list(ids.shape)}")
    if ids.dtype.kind not in "iu":
        raise BadActions(f"actions: expected an integer dtype, found {ids.dtype}; use actions.astype(int)")
    return ids


def seats_of_games(seats: ArrayLike, n: int, players: int, first: int = 0) -> NDArray[np.int64]:
    """A seat for each of n games, int64 [n], from integers [n] or from one for all. Raises `BadActions`.

    `first`: 0, or NOBODY where that may stand for a seat.
    """
    values = to_array("seats", seats)
    if values.shape not in ((), (n,)) or values.dtype.kind not in "iu":
        raise BadActions(f"seats: expected integers [{n}], found {values.dtype} {list(values.shape)}")

    seat_numbers = np.empty(n, np.int64)
    seat_numbers[:] = values
    outside = (seat_numbers < first) | (seat_numbers >= players)
    if outside.any():
        raise BadActions(f"seat {seat_numbers[outside][0]} is out of range {first} to {players - 1}")
    return seat_numbers


def numbers_of_games(name: str, games: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Some of n games by number, intp [k]; all of them for None. Raises `BadActions`."""
    numbers = np.arange(n) if games is None else to_array(name, games)
    if numbers.shape == (0,):
        return np.zeros(0, np.intp)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise BadActions(f"{name}: expected integers [n], found {numbers.dtype} {list(numbers.shape)}")
    if not 0 <= numbers.min() <= numbers.max() < n:
        raise BadActions(f"{name}: {numbers.tolist()} has games outside 0 to {n - 1}")
    return numbers.astype(np.intp)


def games_to_copy(
    games: ArrayLike | None, n: int, into: ArrayLike | None, m: int, keep: Sequence[str]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of n games are copied into which of m: numbers, intp [k] each; `keep` has names of `OWN_FIELDS`.

    Raises `BadActions`, `UnknownName`.
    """
    source, target = numbers_of_games("games", games, n), numbers_of_games("into", into, m)
    if len(source) != len(target) or len(np.unique(target)) != len(target):
        raise BadActions(f"copy_from: {len(source)} games into {len(np.unique(target))} different ones")
    for name in keep:
        if name not in OWN_FIELDS:
            raise UnknownName("field that a game can keep", name, OWN_FIELDS)
    return source, target


def some_games(only: ArrayLike | None, n: int, name: str = "only") -> NDArray[np.bool_]:
    """Some of n games, bool [n]; all of them for None. Raises `BadActions`."""
    mask = np.ones(n, np.bool_) if only is None else to_array(name, only)
    if mask.shape != (n,) or mask.dtype != np.bool_:
        raise BadActions(f"{name}: expected bool [{n}], found {mask.dtype} {list(mask.shape)}")
    return mask


def illegal_action(game: Game, number: int, seat: int, action: int, mask: NDArray[np.bool_]) -> IllegalAction:
    """The error for an action that is not legal in the given game of a batch; `mask`: what is, bool [A]."""
    table = game.actions
    exists = 0 <= action < table.size
    name = repr(table.label(action)) if exists else f"no action has this id (0 to {table.size - 1})"
    legal = ", ".join(f"{a} {table.label(a)!r}" for a in np.flatnonzero(mask).tolist())
    message = f"game {number}, {game.spec.seats[seat]}: action {action} ({name}) is illegal; legal: {legal}"
    return IllegalAction(message, game=number, action=action)


def refusal(
    game: Game,
    over: NDArray[np.bool_],
    actions: NDArray[Any],
    mask: NDArray[np.bool_],
    seats: NDArray[Any],
    autoreset: bool,
    among: NDArray[np.bool_],
) -> RfopError | None:
    """The error for actions [N] that some games, `among`, cannot carry out; None if they can.

    It is that of the first one that has ended, or else of the first illegal action. `over`: which games have ended,
    bool [N]; `mask`: what is legal, bool [N, A]; `seats`: who decides, integers [N].
    """
    if not autoreset:
        acting = np.flatnonzero(among & over & (actions != NO_ACTION))
        if len(acting):
            return GameOver(f"game {acting[0]} has ended: reset it, or pass NO_ACTION (-1) for it")

    # Of the games that run, the first whose action is not in its mask.
    legal = are_legal(actions, mask)
    if not autoreset:
        legal |= over
    illegal = np.flatnonzero(among & ~legal)
    if len(illegal) == 0:
        return None
    number = int(illegal[0])
    return illegal_action(game, number, int(seats[number]), int(actions[number]), mask[number])


def internal_fault(game: Game, number: int, record: Any) -> InternalFault:
    """The error for a game of a batch whose rules have found one of their invariants violated."""
    seed = int(record["seed"][0]) + (int(record["seed"][1]) << 32)
    return InternalFault(
        f"internal error: rule invariant of {game.id} violated in game {number} (seed {seed}, episode "
        f"{int(record['episode'])}); please report"
    )
