"""Reinforcement-learning environments for board games: hidden information, chance, long turns, and rules to the letter.

>>> import rfop_env
>>> "RedFlagOverParis-v0" in rfop_env.list_games()
True

Importing this package makes its ids known to Gymnasium (`rfop/RedFlagOverParisSolo-v0`) and to PettingZoo
(`rfop/red_flag_over_paris-v0`). It imports no game, no compiler and no deep-learning library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rfop_env.registry import announce, entries, get_entry, get_game, list_games

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch

__version__ = "0.1.0"
__all__ = ["__version__", "list_games", "make", "make_batch"]


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
    **options: Any,
) -> GameBatch:
    """Many games side by side: a `rfop_env.core.batch.GameBatch`, reset already when there is a seed.

    With `out` it writes into arrays of the caller, by name (see there).

    Raises `UnknownName` for wrong names, `BadArgument` for other wrong arguments, `BadComponents`, `BadSeed`.
    """
    from rfop_env.core.arguments import keywords
    from rfop_env.core.batch import GameBatch

    game = get_game(id)
    game.require_options(options, keywords(make_batch))
    return GameBatch(
        game,
        num_games,
        seed,
        options=options,
        components=components,
        reward=reward,
        opponent=opponent,
        seat=seat,
        autoreset=autoreset,
        threads=threads,
        out=out,
    )


for _entry in entries():
    announce(_entry)
del _entry
