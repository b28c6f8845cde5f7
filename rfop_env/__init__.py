"""Reinforcement-learning environments for board games: hidden information, chance, long turns, and rules to the letter.

>>> import rfop_env
>>> "RedFlagOverParis-v0" in rfop_env.list_games()
True

Importing this package makes its ids (`rfop/RedFlagOverParis-v0`) known to Gymnasium and to PettingZoo. It imports no
game, no compiler and no deep-learning library. `register` makes a game of your own known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from rfop_env.core.errors import BadArgument, UnknownName
from rfop_env.registry import announce_all, get_entry, get_game, list_games, register

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.cuda.batch import CudaBatch

__version__ = "0.1.0"
DEVICES = ("cpu", "cuda")
__all__ = ["__version__", "list_games", "make", "make_batch", "register"]


def make(id: str, **options: Any) -> Any:
    """One game, with the interface that suits it: a Gymnasium `Env` for one seat, else a PettingZoo `AECEnv`.

    With `opponent="random"` (or another of the game's) a game of several seats is one for a single seat, too.
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
    components: Any = None,
    reward: str | None = None,
    opponent: str | None = None,
    seat: int | str = "random",
    autoreset: bool = False,
    threads: int = 1,
    device: Literal["cpu"] = "cpu",
    out: Mapping[str, Any] | None = None,
    **options: Any,
) -> GameBatch: ...


@overload
def make_batch(
    id: str,
    num_games: int,
    seed: int | Sequence[int] | None = None,
    *,
    components: Any = None,
    reward: str | None = None,
    opponent: str | None = None,
    seat: int | str = "random",
    autoreset: bool = False,
    threads: int = 1,
    device: Literal["cuda"],
    **options: Any,
) -> CudaBatch: ...


def make_batch(
    id: str,
    num_games: int,
    seed: int | Sequence[int] | None = None,
    *,
    components: Any = None,
    reward: str | None = None,
    opponent: str | None = None,
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

    Raises `UnknownName` for wrong names, `BadArgument` for other wrong arguments, `BadComponents`, `BadSeed`. For a
    card also `MissingExtra` without numba-cuda, and `NoDevice` where there is none.
    """
    from rfop_env.core.arguments import keywords
    from rfop_env.core.batch import GameBatch

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
        return GameBatch(game, num_games, seed, threads=threads, out=out, **arguments)

    if threads != 1:
        raise BadArgument(f"threads={threads!r}: a graphics card has threads of its own, leave it out")
    if out is not None:
        raise BadArgument("out: a batch on a graphics card has arrays of its own there, leave it out")
    from rfop_env.core.cuda.device import require_device

    require_device()
    from rfop_env.core.cuda.batch import CudaBatch

    return CudaBatch(game, num_games, seed, **arguments)


announce_all()
