"""Mutated records: a position from outside is refused, or it plays on without harm.

    python -m training.research mutants RedFlagOverParis-v1 --mutants 100000

Records of random and scripted games are changed at random places, and put into a batch as a user would put them. What
the batch accepts is played to the end. `NUMBA_BOUNDSCHECK=1` turns every read or write outside an array into an
IndexError; the command sets it, and runs the games in a process of its own that it ends when a game hangs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.command_line import environment, number
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadPosition, InternalFault
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.game_setup import add_option, parse_options
from rfop_env.registry import get_game, own_entries

NEAR, EXTREME, ANYWHERE, BORROWED = range(4)  # ways to choose a new number
DOUBLED, TAKEN_OUT, EXCHANGED, FOREIGN = range(4)  # ways to change the stack
STACKED = 0.15  # share of changes that are of the stack as a whole
SOUND = 24  # games from which records are taken
MOST_STEPS = 400  # decisions of these games
MOST_CHANGES = 4  # in one record
MIDDLE, GAMES = 1, 3  # the game that takes a mutant, among neighbours that have ended
DRAWN = 8  # one in so many accepted mutants is drawn, which takes longer than all the rest
HANGS = 300.0  # seconds without a sign of life after which a game is taken for one that never ends


def check_mutants(
    game: str | Game,
    mutants: int = 1000,
    *,
    seed: int = 0,
    options: Mapping[str, object] | None = None,
    decisions: int = 60,
    diary: Path | None = None,
) -> Counter[str]:
    """Put mutants into a batch and play on from those that it accepts, `decisions` random decisions at most.

    Each is observed, advised on by every scripted player, determinized for every seat and paid, and one in `DRAWN` is
    drawn. Returns how many were "accepted", "refused", and how many of the accepted ones ended in a "fault" that the
    rules noticed by themselves.
    `diary`: a file that always holds the mutant in hand. Raises `AssertionError` where a mutant changed another game,
    and lets everything else through that goes wrong, an IndexError of a bounds-checked build above all.
    """
    game_object = get_game(game)
    rng = np.random.default_rng(seed)
    batch = GameBatch(game_object, GAMES, seed, options=options)
    while not batch.states["over"].all():
        batch.step_random()
    final_states, counts = batch.get_state(), Counter[str]()

    for states in _mutants(game_object, mutants, rng, options):
        if diary is not None:
            diary.write_bytes(states.tobytes())
        try:
            batch.put_record(MIDDLE, states)
        except BadPosition:
            counts["refused"] += 1
            continue
        counts["fault"] += _play_on(batch, decisions, draws=counts["accepted"] % DRAWN == 0)
        counts["accepted"] += 1
        for neighbour in (MIDDLE - 1, MIDDLE + 1):
            same = batch.states[neighbour].tobytes() == final_states[neighbour].tobytes()
            assert same, f"{game_object.id}: a mutant changed the game beside it"
    return counts


def _play_on(batch: GameBatch, decisions: int, draws: bool) -> bool:
    """Use a game in every way there is; whether the rules met a fault of their own."""
    try:
        for seat in range(batch.game.spec.players):
            batch.observe(seat)
            batch.clone().determinize(seat, 1)

        # Scripted players, the journal and drawings read the record as well.
        for player in batch.game.scripted:
            scripted_actions(batch.game, batch.get_state(), batch.components, batch.action_mask, player.name)
        batch.journal(MIDDLE)
        if draws:
            batch.draw_text(MIDDLE)
            batch.draw_svg(MIDDLE)

        # Then the game is played.
        for _ in range(decisions):
            if batch.states["over"][MIDDLE]:
                break
            batch.step_random()
    except InternalFault:
        batch.states["fault"] = 0
        return True
    return False


# -- making mutants ----------------------------------------------------------------------------------------------------


def _mutants(
    game: Game, mutants: int, rng: np.random.Generator, options: Mapping[str, object] | None
) -> Iterator[NDArray[Any]]:
    """Records [1], each a sound one with a few numbers changed."""
    sound = _sound_records(game, rng, options)
    places = _places(game)
    for _ in range(mutants):
        states = sound[rng.integers(len(sound))].copy().reshape(1)
        for _ in range(rng.integers(1, MOST_CHANGES + 1)):
            _change(states, places, sound, rng)
        yield states


def _sound_records(game: Game, rng: np.random.Generator, options: Mapping[str, object] | None) -> NDArray[Any]:
    """Records of every stage of games: some by random play, some by the scripted player where there is one."""
    batch = GameBatch(game, SOUND, int(rng.integers(2**32)), options=options, autoreset=True)
    snapshots = [batch.get_state()]
    longest = min(MOST_STEPS, game.spec.max_decisions // 4)
    for step in range(longest):
        if step % 2 and game.scripted:
            player = game.scripted[rng.integers(len(game.scripted))]
            batch.step(
                scripted_actions(batch.game, batch.get_state(), batch.components, batch.action_mask, player.name)
            )
        else:
            batch.step_random()
        if rng.random() < 12 / longest:
            snapshots.append(batch.get_state())
    return np.concatenate(snapshots).view(np.ndarray)


def _places(game: Game) -> list[tuple[str, int]]:
    """(field, weight) of all that is worth changing: scalars and the stack more often than single cards of a deck."""
    skipped = ("journal", "fault", "seed", "key", "draws", "episode")
    fields = [field for field in game.record.fields if field.name not in skipped]
    weights = {field.name: 4 if not field.shape else 2 for field in fields} | {"stack": 12}
    return [(field.name, weights[field.name]) for field in fields]


def _change(
    states: NDArray[Any], places: Sequence[tuple[str, int]], sound: NDArray[Any], rng: np.random.Generator
) -> None:
    """Change one number of a record in place, take a whole field from another record, or change the order of frames."""
    if rng.random() < STACKED and states["depth"][0] > 0:
        _change_stack(states, sound, rng)
        return
    weights = np.array([weight for _, weight in places], float)
    name = places[rng.choice(len(places), p=weights / weights.sum())][0]
    way = rng.integers(4)
    if way == BORROWED:
        states[name] = sound[rng.integers(len(sound))][name]
        return

    values = states[name].reshape(-1)
    depth = int(states["depth"][0]) if name == "stack" else 0
    at = rng.integers(max(1, 8 * min(depth, 16))) if name == "stack" else rng.integers(values.size)
    limits = np.iinfo(values.dtype)
    if way == NEAR:
        number = int(values[at]) + int(rng.integers(-3, 4))
    elif way == EXTREME:
        number = int(rng.choice([limits.min, limits.max, -1, 0, 1, 16, 64, 127, 255, 4095, 65535]))
    else:
        number = int(rng.integers(-2, 60))
    states[name].reshape(-1)[at] = max(limits.min, min(limits.max, number))


def _change_stack(states: NDArray[Any], sound: NDArray[Any], rng: np.random.Generator) -> None:
    """Double a pending frame of a record in place, take one out, exchange two, or put one of another record between."""
    stack = states["stack"][0]
    depth = min(int(states["depth"][0]), len(stack))  # another change may have made it larger
    rows = [row.copy() for row in stack[:depth]]
    way, at = rng.integers(4), int(rng.integers(depth))
    if way == DOUBLED:
        rows.insert(int(rng.integers(depth + 1)), rows[at].copy())
    elif way == TAKEN_OUT:
        del rows[at]
    elif way == EXCHANGED:
        row = int(rng.integers(depth))
        rows[at], rows[row] = rows[row], rows[at]
    else:
        donor = sound[rng.integers(len(sound))]
        if donor["depth"] > 0:
            row = donor["stack"][rng.integers(donor["depth"])]
            rows.insert(int(rng.integers(depth + 1)), row.copy())
    stack[:] = 0
    for place, row in enumerate(rows[: len(stack)]):
        stack[place] = row
    states["depth"] = min(len(rows), len(stack))


# -- the command -------------------------------------------------------------------------------------------------------


def run_bounds_checked(game: str, mutants: int, seed: int, option: Sequence[str] = ()) -> str:
    """`check_mutants` in a bounds-checked process of its own; returns what it printed.

    Raises `AssertionError` when it fails or says nothing for `HANGS` seconds, with the mutant in hand kept in a file.
    """
    with tempfile.TemporaryDirectory() as folder:
        diary = Path(folder) / "mutant"
        source = next((entry.source for entry in own_entries() if entry.id == game), game)
        line = [sys.executable, "-m", "training.research", "mutants", str(source)]
        line += ["--mutants", str(mutants), "--seed", str(seed), "--here"]
        line += ["--diary", str(diary), *(f"--option={value}" for value in option)]
        environment = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
        process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            output = _wait(process, diary, HANGS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise AssertionError(f"{game}: a mutant hangs; its record: {_kept(diary)}") from None
        assert process.returncode == 0, f"{game}: a mutant did harm; its record: {_kept(diary)}\n{output}"
        return output


def _wait(process: subprocess.Popen[str], diary: Path, silence: float) -> str:
    """The output of a process until it ends; TimeoutExpired once its diary has not changed for `silence` seconds."""
    while True:
        modified = diary.stat().st_mtime_ns if diary.exists() else 0
        try:
            return process.communicate(timeout=silence)[0]
        except subprocess.TimeoutExpired:
            if modified == (diary.stat().st_mtime_ns if diary.exists() else 0):
                raise


def _kept(diary: Path) -> str:
    """Keep a mutant for a closer look; the place it is kept in."""
    with tempfile.NamedTemporaryFile(prefix="mutant-", suffix=".bin", delete=False) as file:
        file.write(diary.read_bytes() if diary.exists() else b"")
    return file.name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("game", type=environment, help="environment id, or FILE.py of a game of your own")
    parser.add_argument(
        "--mutants", type=number(int, 1, 10**9), default=1000, help="how many records to change and try"
    )
    parser.add_argument("--seed", type=number(int, 0, 2**32 - 1), default=0, help="of the changes")
    add_option(parser)
    parser.add_argument("--here", action="store_true", help="in this process, as it was compiled")
    parser.add_argument("--diary", type=Path, help="a file that always holds the mutant in hand")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    options = parse_options(args.option)
    get_game(args.game).encode_options(options)

    # In a process that checks bounds, unless this one is to be used.
    if not args.here:
        print(run_bounds_checked(args.game, args.mutants, args.seed, args.option), end="")
        return 0

    # In this process.
    counts = check_mutants(args.game, args.mutants, seed=args.seed, options=options, diary=args.diary)
    summary = ", ".join(f"{counts[word]} {word}" for word in ("accepted", "refused", "fault"))
    print(f"{args.game}: {args.mutants} mutants, {summary}")
    return 0
