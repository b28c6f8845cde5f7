"""The keyword arguments that the interfaces share: named, documented and checked in one place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from rfop_env import registry
from rfop_env.core import errors
from rfop_env.core.arguments import yes_or_no
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import RANDOM_SEAT, RewardArgument
from rfop_env.core.game import Game
from rfop_env.opponents import OpponentArgument, new_batch

BATCH_RENDER_MODES = ("ansi", "svg", "rgb_array")  # of many games
RENDER_MODES = ("human", *BATCH_RENDER_MODES)  # of one game
ON_ILLEGAL = ("lose", "raise")

# Names of arguments that an interface may have.
GAME = ("components", "reward")
LEARNER = (*GAME, "opponent", "seat")
BATCH = (*LEARNER, "threads")


class SeveralSeats(errors.RfopError, ValueError):
    """A game of several seats asked for through an interface for one."""


@dataclass(frozen=True)
class Setup:
    """The game of an interface, and the keyword arguments of its constructor; each interface has some of them."""

    game: Game
    options: dict[str, Any]  # of the game, by name
    components: Any = None  # a component file or a loaded set; None: the shipped one
    reward: RewardArgument = None  # a reward kind, or several with weights; None: the first of the game
    opponent: OpponentArgument = None  # of a game of several seats: an agent or a mixture, as for `opponents.new_batch`
    seat: int | str = RANDOM_SEAT  # of the learner
    threads: int = 1
    render_mode: str | None = None  # human: print positions; ansi: text; svg: a document; rgb_array: uint8 [H, W, 3]
    on_illegal: str = "lose"  # an illegal action ends the game with its lowest return; raise: it raises `IllegalAction`
    mask_in_observation: bool = True  # a Dict of observation and mask; False: the observation alone
    journal: bool = False  # sentences on what has happened in the info, which take time

    @classmethod
    def read(
        cls,
        game: str | Game,
        arguments: Mapping[str, Any],
        names: Collection[str],
        own: Collection[str] = (),
        *,
        render_modes: Collection[str] = BATCH_RENDER_MODES,
        several_seats: bool = False,
        **defaults: Any,
    ) -> Setup:
        """The setup of an interface with the arguments `names` and `own` ones; all others are options of the game.

        `several_seats`: without an opponent, all seats are the caller's. Raises `UnknownName`, `UnknownOption`,
        `UnknownValue`, `BadArgument`, and `SeveralSeats`.
        """
        settings = defaults | {name: arguments[name] for name in names if name in arguments}
        options = {name: value for name, value in arguments.items() if name not in names}
        setup = cls(registry.get_game(game), options, **settings)
        if "opponent" in names and not several_seats:
            _require_one_seat(setup.game, setup.opponent)
        setup.game.require_options(options, [*names, *own])

        require_choice("render_mode", setup.render_mode, (None, *render_modes))
        require_choice("on_illegal", setup.on_illegal, ON_ILLEGAL)
        yes_or_no("mask_in_observation", setup.mask_in_observation)
        yes_or_no("journal", setup.journal)
        return setup

    def new_batch(self, num_games: int = 1, autoreset: bool = False) -> GameBatch:
        """A batch of these games. Raises what `opponents.new_batch` raises."""
        return new_batch(
            self.game,
            num_games,
            options=self.options,
            components=self.components,
            reward=self.reward,
            opponent=self.opponent,
            seat=self.seat,
            threads=self.threads,
            autoreset=autoreset,
        )


def _require_one_seat(game: Game, opponent: object) -> None:
    """Raise `SeveralSeats`, which names other interfaces, unless one seat is left to the caller."""
    if game.spec.players != 1 and opponent is None:
        names = " or ".join(f'opponent="{player.name}"' for player in game.opponents)
        raise SeveralSeats(
            f"{game.id} has {game.spec.players} seats, and this interface is for one: say {names}, or use "
            f"rfop_env.make({game.id!r}) (PettingZoo AEC) or rfop_env.make_batch({game.id!r}, num_games)"
        )


def require_choice(argument: str, value: Any, valid: tuple[Any, ...]) -> Any:
    """The value of an argument, if it is one of the valid ones; otherwise `UnknownValue`."""
    if not isinstance(value, (str, NoneType)) or value not in valid:
        raise errors.UnknownValue.of(argument, value, valid)
    return value


def end_rewards(game: Game) -> list[str]:
    """The reward kinds that are paid at the end of the game."""
    return [kind.name for kind in game.rewards if not kind.dense]


def require_end_reward(game: Game, rewards: Collection[str], library: str) -> None:
    """Raise `UnknownName` for a dense reward kind, in a library that pays at the end of the game alone."""
    for name in rewards:
        if name not in end_rewards(game):
            raise errors.UnknownName(f"reward of {library}", name, end_rewards(game))
