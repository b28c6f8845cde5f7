"""The speed of the adapters for other libraries, as shares of the plain interface's, in one process.

    python -m training.research libraries
    python -m training.research libraries --write docs/lab/speed.md

All choose random legal actions. The ways take turns, a short slice each; a share is the median of those of all rounds.
Only libraries that are installed are measured. Decisions per second of the plain interfaces are those of `rfop bench`.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import statistics
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env import make
from rfop_env.command_line import UsageError
from rfop_env.core.batch import GameBatch
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game
from rfop_env.testing import speed
from rfop_env.testing.marked_block import print_measured

BLOCK = "libraries"  # the block of a page that the table fills
MANY, SIDE = "RedFlagOverParisSolo-v1", "versailles"  # for many games at once
ONE = "Revolution-v0"  # for one game, with both seats
ALONE = "LeveeEnMasse-v0"  # for one game of one seat
PLAIN_GYMNASIUM = "Gymnasium env, plain loop"
PLAIN_AEC = "PettingZoo AEC env, plain loop"
GAMES = 256
STEPS = 16  # of a roll-out
PACKAGES = {"pufferlib": "pufferlib-core", "torchrl": "torchrl", "pyspiel": "open-spiel"}


def cases() -> list[speed.Case]:
    """Every way that the installed libraries allow, ready to be measured."""
    ways: list[tuple[str, str, int, Callable[[], speed.Step], str | None]] = [
        (MANY, "batch, NumPy choice and step", GAMES, lambda: speed.from_outside(_batch()), None),
        (MANY, "the same, into arrays of the caller", GAMES, _into_arrays, None),
        (MANY, speed.VECTOR, GAMES, _vector, None),
        (MANY, "PufferLib, `GamePufferEnv`", GAMES, _pufferlib, "pufferlib"),
        (MANY, "TorchRL, `GameTorchEnv`", GAMES, _torchrl, "torchrl"),
        (MANY, "TorchRL, `GymWrapper` of the vector env", GAMES, _torchrl_vector, "torchrl"),
        (ALONE, speed.GYMNASIUM, 1, lambda: speed.gymnasium_env(make(ALONE).unwrapped), None),
        (ALONE, PLAIN_GYMNASIUM, 1, lambda: plain_gymnasium(make(ALONE)), None),
        (ONE, speed.AEC, 1, lambda: speed.aec(make(ONE).unwrapped), None),
        (ONE, PLAIN_AEC, 1, lambda: plain_aec(make(ONE)), None),
        (ONE, "TorchRL, `PettingZooWrapper`", 1, _torchrl_aec, "torchrl"),
        (ONE, "OpenSpiel, `apply_action`", 1, _openspiel, "pyspiel"),
        (ONE, "OpenSpiel, `clone` and `apply_action`", 1, _openspiel_copies, "pyspiel"),
    ]
    installed = [way for way in ways if way[-1] is None or importlib.util.find_spec(way[-1])]
    return [speed.Case(game, mode, games, 1, drive()) for game, mode, games, drive, _ in installed]


def _batch(**arguments: Any) -> GameBatch:
    return GameBatch(get_game(MANY), GAMES, 0, options={"side": SIDE}, autoreset=True, **arguments)


def _into_arrays() -> speed.Step:
    """Observation and mask side by side in rows of one array, as PufferLib has them."""
    game = get_game(MANY)
    row = np.zeros((GAMES, game.observation.size + game.actions.size), np.int8)
    observation, mask = np.split(row, [game.observation.size], axis=1)
    return speed.from_outside(_batch(out={"observation": observation, "action_mask": mask.view(np.bool_)}))


def _vector() -> speed.Step:
    from rfop_env.interfaces.gymnasium_vector import GameVectorEnv

    return speed.vector_env(GameVectorEnv(MANY, GAMES, autoreset_mode="SAME_STEP", side=SIDE))


def _pufferlib() -> speed.Step:
    from rfop_env.interfaces.pufferlib_env import GamePufferEnv

    env, rng = GamePufferEnv(MANY, GAMES, side=SIDE), np.random.default_rng(0)
    env.reset(0)

    def step() -> int:
        env.step(speed.random_legal(env.batch.action_mask, rng))
        return GAMES

    return step


def _torchrl() -> speed.Step:
    from rfop_env.interfaces.torchrl_env import GameTorchEnv

    return _roll_out(GameTorchEnv(MANY, GAMES, side=SIDE))


def _torchrl_vector() -> speed.Step:
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

    from rfop_env.interfaces.gymnasium_vector import GameVectorEnv

    envs = GameVectorEnv(MANY, GAMES, autoreset_mode="DISABLED", side=SIDE)
    return _roll_out(TransformedEnv(GymWrapper(envs), ActionMask()))


def _torchrl_aec() -> speed.Step:
    from torchrl.envs import PettingZooWrapper

    from rfop_env.interfaces.pettingzoo_aec import raw_env

    return _roll_out(PettingZooWrapper(raw_env(ONE), use_mask=True))


def _roll_out(env: Any) -> speed.Step:
    """Random actions by TorchRL's own roll-outs, which restart the games that have ended; torch has one thread."""
    import torch

    torch.set_num_threads(1)
    env.set_seed(0)

    def step() -> int:
        return int(env.rollout(STEPS, break_when_any_done=False).numel())

    return step


def plain_gymnasium(env: Any) -> speed.Step:
    """A single Gymnasium env in the plain loop: its action space samples by the mask."""
    _, info = env.reset(seed=0)

    def step() -> int:
        nonlocal info
        _, _, terminated, truncated, info = env.step(env.action_space.sample(mask=info["action_mask"]))
        if terminated or truncated:
            _, info = env.reset()
        return 1

    return step


def plain_aec(env: Any) -> speed.Step:
    """A PettingZoo AEC env in the plain loop: `agent_iter`, and the agent's action space samples by the mask."""
    env.reset(seed=0)
    agents = iter(env.agent_iter())

    def step() -> int:
        nonlocal agents
        agent = next(agents, None)
        if agent is None:
            env.reset()
            agents = iter(env.agent_iter())
            return 0
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
        return int(not over)

    return step


def _openspiel(copies: bool = False) -> speed.Step:
    import pyspiel

    from rfop_env.interfaces.openspiel_game import short_name

    game, rng = pyspiel.load_game(short_name(ONE)), random.Random(0)
    state = game.new_initial_state()

    def step() -> int:
        nonlocal state
        if state.is_terminal():
            state = game.new_initial_state()
        if copies:
            state = state.clone()
        state.apply_action(rng.choice(state.legal_actions()))
        return 1

    return step


def _openspiel_copies() -> speed.Step:
    return _openspiel(copies=True)


def table(settings: speed.Settings) -> str:
    """Measure, and put shares of the speed of each game's plain interface into a Markdown table."""
    machine = speed.describe_machine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other libraries, about versions
        measured = cases()
        speed.measure(measured, settings)

    versions = [
        f"{name} {speed.package_version(name)}" for module, name in PACKAGES.items() if importlib.util.find_spec(module)
    ]
    where = ", ".join([machine["cpu"], f"python {machine['python']}", f"numpy {machine['numpy']}", *versions])
    plain = {case.name: case.rates for case in reversed(measured)}  # of the first way of each game
    rows = []
    for case in measured:
        shares = [rate / plain_rate for rate, plain_rate in zip(case.rates, plain[case.name], strict=True)]
        rows.append([case.name, case.mode, f"{case.games}", f"{statistics.median(shares):.1%}"])
    unit = "second of processor time" if settings.cpu_time else "second"
    head = (
        f"{where}. Decisions per {unit} on one core, as a share of the first way of each game: medians of "
        f"{settings.runs} rounds with a slice of {settings.seconds} s for each way."
    )
    return f"{head}\n\n{markdown_table(['game', 'driven through', 'games', 'speed'], rows, right=(2, 3))}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--seconds", type=float, default=0.2, help="length of a slice (default %(default)s)")
    parser.add_argument("--runs", type=int, default=21, help="slices of each way (default %(default)s)")
    parser.add_argument("--cpu-time", action="store_true", help="per second of processor time, for a busy machine")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if not 0 < args.seconds <= 60 or not 1 <= args.runs <= 1000:
        raise UsageError("--seconds is above 0 and at most 60, --runs from 1 to 1000")

    settings = speed.Settings(seconds=args.seconds, runs=args.runs, cpu_time=args.cpu_time)
    print_measured(lambda: table(settings), BLOCK, args.write)
    return 0
