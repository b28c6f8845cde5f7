"""Reinforcement-learning environments for board games: hidden information, chance, long turns, and rules to the letter.

>>> import rfop_env
>>> "RedFlagOverParis-v1" in rfop_env.list_games()
True

Importing this package makes its ids (`rfop/RedFlagOverParis-v1`) known to Gymnasium and to PettingZoo. It imports no
game, no compiler and no deep-learning library. `register` makes a game of your own known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from rfop_env.core.errors import BadArgument, UnknownName
from rfop_env.registry import announce_all, get_entry, get_game, list_games, register

if TYPE_CHECKING:
    from rfop_env.agent import Agent
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.batch_arguments import RewardArgument
    from rfop_env.core.cuda.batch import CudaBatch
    from rfop_env.opponents import OpponentArgument, PlayerArgument

__version__ = "0.1.0"
DEVICES = ("cpu", "cuda")
__all__ = ["__version__", "as_agent", "list_games", "make", "make_batch", "register"]


def make(id: str, **options: Any) -> Any:
    """One game, with the interface that suits it: a Gymnasium `Env` for one seat, else a PettingZoo `AECEnv`.

    With an `opponent` a game of several seats is one for a single seat, too: the name of any agent, an `Agent`, a
    function `act(observation, action_mask)`, or a mixture as in "scripted=0.5,runs/mine=0.5".
    `options` are those of the game and of `interfaces.gymnasium_env.GameEnv` or `interfaces.pettingzoo_aec.raw_env`
    (`components`, `reward`, `render_mode`, `on_illegal`, `journal`). Raises `UnknownName` for a wrong id or option, and
    as those two do.
    """
    if options.get("opponent") is None:
        options.pop("opponent", None)
    if get_entry(id).interface == "gymnasium" or {"opponent", "seat"} & options.keys():
        from rfop_env.interfaces.gymnasium_env import GameEnv

        return GameEnv(id, **options)
    from rfop_env.interfaces.pettingzoo_aec import env

    return env(id, **options)


@overload
def make_batch(
    id: str,
    num_games: int,
    seed: int | Sequence[int] | None = None,
    *,
    device: Literal["cpu"] = "cpu",
    **arguments: Any,
) -> GameBatch: ...


@overload
def make_batch(
    id: str, num_games: int, seed: int | Sequence[int] | None = None, *, device: Literal["cuda"], **arguments: Any
) -> CudaBatch: ...


def make_batch(
    id: str,
    num_games: int,
    seed: int | Sequence[int] | None = None,
    *,
    components: Any = None,
    reward: RewardArgument = None,
    opponent: OpponentArgument = None,
    seat: int | str = "random",
    autoreset: bool = False,
    threads: int = 1,
    out: Mapping[str, Any] | None = None,
    device: str = "cpu",
    **options: Any,
) -> GameBatch | CudaBatch:
    """Many games side by side: a `rfop_env.core.batch.GameBatch`, reset already when there is a seed.

    With `out` it writes into arrays of the caller, by name (see there). With `device="cuda"` the games are on a
    graphics card: a `rfop_env.core.cuda.batch.CudaBatch`, which has neither `threads` nor `out`.

    `opponent` can be any agent, as for `make`; on a card it is a player of the game, or a mixture of them.

    Raises `UnknownName` for wrong names, `BadArgument` for other wrong arguments, `BadComponents`, `BadSeed`. For a
    card also `MissingExtra` without numba-cuda, and `NoDevice` where there is none.
    """
    from rfop_env.core.arguments import keywords
    from rfop_env.opponents import new_batch, opponent_shares

    # Which game, and where.
    game = get_game(id)
    game.require_options(options, keywords(make_batch))
    if device not in DEVICES:
        raise UnknownName("device", device, DEVICES)
    arguments: dict[str, Any] = {
        "options": options,
        "components": components,
        "reward": reward,
        "opponent": opponent,
        "seat": seat,
        "autoreset": autoreset,
    }
    if device == "cpu":
        return new_batch(game, num_games, seed, threads=threads, out=out, **arguments)

    if threads != 1:
        raise BadArgument(f"threads={threads!r}: a graphics card has threads of its own, leave it out")
    if out is not None:
        raise BadArgument("out: a batch on a graphics card has arrays of its own there, leave it out")
    from rfop_env.core.cuda.device import require_device

    require_device()
    from rfop_env.core.cuda.batch import CudaBatch

    return CudaBatch(game, num_games, seed, **arguments | {"opponent": opponent_shares(opponent)})


def as_agent(player: PlayerArgument, id: str, components: Any = None, any_components: bool = False) -> Agent:
    """An agent from its name, from itself, or from a function `act(observation, action_mask)`.

    The function takes int8 [n, D] and bool [n, A], and returns the actions, integers [n]. `id` is the environment,
    `components` its component set: a file, a loaded set, or None for the shipped one. With `any_components` a network
    may have been trained for another set, and its name says so. Raises `UnknownName`, `BadArgument`, `BadComponents`,
    and what the agent raises.
    """
    from rfop_env import players

    return players.as_agent(player, get_game(id), components, any_components=any_components)


announce_all()
