"""Compilation of the rules of several games ahead of their first use, side by side in processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.cuda.device import require_compiler, require_device
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Rules
from rfop_env.core.kernels import random_actions, scripted_actions
from rfop_env.core.random_stream import BOT
from rfop_env.core.team import PIECE
from rfop_env.process_pool import process_pool
from rfop_env.registry import get_game


def compile_games(names: Sequence[str], processes: int) -> list[str]:
    """Compile the rules of these environments, so many `processes` at a time; returns the titles of the games.

    Raises `UnknownName`, and `RfopError` where rules are left in plain Python or a process is ended from outside.
    """
    _require_jit()
    groups = games_by_folder(names)
    tasks = [partial(compile_group, group) for group in groups]
    return _in_processes(processes, tasks, [game for group in groups for game in group])


def _require_jit() -> None:
    if not JIT:
        raise RfopError("RFOP_JIT=0 and NUMBA_DISABLE_JIT=1 play in plain Python: unset them to compile rules")


def _in_processes(processes: int, tasks: Sequence[Callable[[], None]], games: Sequence[str]) -> list[str]:
    """Carry out tasks, so many at a time; returns the titles of these games. Raises `RfopError` if one is ended."""
    with process_pool(min(processes, len(tasks))) as pool:
        try:
            for done in [pool.submit(task) for task in tasks]:
                done.result()
        except BrokenProcessPool:
            raise RfopError("a process that compiled was ended from outside, for want of memory maybe") from None
    return [get_game(game).title for game in games]


def compile_for_card(names: Sequence[str], processes: int, capability: tuple[int, int] | None) -> list[str]:
    """Compile the rules of these environments for graphics cards of an architecture, such as (9, 0).

    `capability` None: for the card here. Returns the titles of the games. Raises `MissingExtra`, `NoDevice`, and what
    `compile_games` raises.
    """
    _require_jit()
    if capability is None:
        capability = _capability_here()
    else:
        require_compiler()
    games = [game for group in games_by_folder(names) for game in group]
    return _in_processes(processes, [partial(compile_rules_for_card, game, capability) for game in games], games)


def _capability_here() -> tuple[int, int]:
    require_device()
    from rfop_env.core.cuda.programs import current_capability  # imports Numba for cards, as below

    return current_capability()


def compile_rules_for_card(name: str, capability: tuple[int, int]) -> None:
    """Compile the kernels of a game for graphics cards of an architecture, and keep them."""
    from rfop_env.core.cuda.programs import DeviceKernels

    DeviceKernels.of(get_game(name)).keep(capability)


def games_by_folder(names: Sequence[str]) -> list[list[str]]:
    """One environment for each set of rules. Those of one folder, which share most rules, are a group.

    The group that takes longest is the first. Raises `UnknownName`.
    """
    groups: dict[Path, dict[Rules, str]] = {}
    for game in map(get_game, names):
        groups.setdefault(game.folder, {}).setdefault(game.rules, game.id)
    longest_first = sorted(groups, key=_source_bytes, reverse=True)
    return [list(groups[folder].values()) for folder in longest_first]


def _source_bytes(folder: Path) -> int:
    """The size of the Python files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*.py"))


def compile_group(names: Sequence[str]) -> None:
    """Compile the rules of these environments, one after the other."""
    for name in names:
        compile_rules(name)


def compile_rules(name: str) -> None:
    """Use every kernel of a game once: what was compiled before is loaded, all else is compiled and kept."""
    game = get_game(name)
    dense = next((reward.name for reward in game.rewards if reward.dense), None)
    batch = GameBatch(game, 2 * PIECE, 0, reward=dense, threads=2)
    batch.step_random()
    batch.observe(0)
    batch.returns_so_far()
    batch.step(batch.action_mask.argmax(axis=1))
    for player in game.scripted:
        scripted_actions(batch.game, batch.get_state(), batch.components, batch.action_mask, player.name)
    random_actions(batch.game, batch.get_state(), batch.action_mask, BOT)
    batch.determinize(0, 0)
