"""Decisions per second beside other libraries: ours and theirs in interleaved slices of one run, on one core.

    python -m training.research peers --quick
    python -m training.research peers --csv training/results/peers.csv --write docs/lab/speed.md

Every library plays random legal actions in the way that is fastest for it, and makes the observation and the legal
actions of every decision. A single game is stepped from Python, one call for each decision. A batch is measured at
several sizes, and the table has the best of them.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.cli.bench import log as print_progress
from rfop_env.command_line import environment, output_file
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.testing import marked_block, speed
from rfop_env.testing.speed import BUSY, Case, Settings, Step
from rfop_training.common.records import write_records

OURS = "rfop-env"
OURS_NOTE = (
    "One game is a Gymnasium or an AEC environment in the fast loop; a batch chooses in the kernel. Observation and "
    "mask. Forced moves, opponents' moves and restarts are in the time and not in the count."
)
INSTALL = 'pip install -e ".[bench]"'
WIDE = 1.1  # processor time over wall time above which a row used more than one core


@dataclass(frozen=True)
class Peer:
    """A library to compare with: its games and how they are driven."""

    title: str
    package: str  # the name that pip installs it by
    modules: tuple[str, ...]  # all are there if it is installed
    games: tuple[str, ...]
    single: Callable[[str], Step]  # drives one game of this name
    note: str  # what a figure includes
    batch: Callable[[str, int], Step] | None = None  # drives so many games of this name, if the library can

    @property
    def installed(self) -> bool:
        """Whether all its modules can be found."""
        return all(importlib.util.find_spec(module) for module in self.modules)


@dataclass(frozen=True)
class PeerRow:
    """One measured case: a game of a library at one number of games."""

    library: str
    version: str
    game: str
    games: int  # 1 is a single game, stepped from Python
    decisions_per_second: int  # median of the slices
    lowest: int
    highest: int
    processor_share: float  # processor time over wall time: 1 is a core of its own
    slices: int
    seconds: float  # of a slice
    clock: str  # "wall" or "processor": whose seconds the rates are counted in
    cores: int  # that the process might use; 0 where the system does not say
    load: str  # of the machine, before and after
    machine: str


def bench(
    settings: Settings | None = None,
    games: Sequence[str] | None = None,
    peers: Sequence[Peer] | None = None,
    log: speed.Log = lambda line: None,
) -> list[PeerRow]:
    """Measure `games` (environment ids; default all) and `peers` (default `PEERS`) on one core where the system can.

    `log` is called with lines of progress, and with the peers that are left out. Raises `UnknownName`
    for an unknown environment.
    """
    settings = settings or Settings()
    environments = speed.unique_games(games)
    machine = _machine()
    load_before = speed.load_average()

    # Make all cases ready, then measure them in turns.
    with one_core():
        log("warming up, and compiling what the peers compile ...")
        entries = [
            (OURS, speed.package_version(OURS), case) for game in environments for case in our_cases(game, settings)
        ]
        for peer in PEERS if peers is None else peers:
            entries += [
                (peer.title, speed.package_version(peer.package), case) for case in peer_cases(peer, settings, log)
            ]

        cases = [case for _, _, case in entries]
        log(f"{len(cases)} cases, at least {len(cases) * settings.runs * settings.seconds:.0f} s ...")
        speed.measure(cases, settings)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0

    load = f"{load_before} before, {speed.load_average()} after"
    return [_row(*entry, settings, cores, load, machine) for entry in entries]


def _machine() -> str:
    """The machine and the versions of what compiles and computes."""
    machine = speed.describe_machine()
    versions = [f"{name} {machine[name]}" for name in ("python", "numba", "numpy")]
    versions += [f"jax {speed.package_version('jax')}"] if importlib.util.find_spec("jax") else []
    versions += [] if machine["compiled"] else ["rules NOT compiled (RFOP_JIT=0)"]
    return f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {', '.join(versions)}"


def _row(library: str, version: str, case: Case, settings: Settings, cores: int, load: str, machine: str) -> PeerRow:
    measured = case.as_dict()
    return PeerRow(
        library=library,
        version=version,
        game=case.name,
        games=case.games,
        decisions_per_second=measured["decisions_per_second"],
        lowest=measured["lowest"],
        highest=measured["highest"],
        processor_share=measured["processor_share"],
        slices=settings.runs,
        seconds=settings.seconds,
        clock="processor" if settings.cpu_time else "wall",
        cores=cores,
        load=load,
        machine=machine,
    )


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and those that it starts, on one core where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    affinity = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(affinity)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, affinity)


# -- our environments --------------------------------------------------------------------------------------------------


def our_cases(game: Game, settings: Settings) -> Iterator[Case]:
    """A game as a single env and as batches, with the first of the options that `rfop bench` measures."""
    from rfop_env.interfaces.gymnasium_env import GameEnv
    from rfop_env.interfaces.pettingzoo_aec import raw_env

    options = speed.sides(game)[0]
    name = " ".join([game.id, *options.values()])
    alone = game.spec.players == 1
    single = speed.gymnasium_env(GameEnv(game, **options)) if alone else speed.aec(raw_env(game, **options))
    yield Case(name, "single", 1, 1, single)

    for n in _batches(settings):
        batch = GameBatch(game, n, 0, options=options, autoreset=True, threads=1)
        batch.step_random(settings.spread)
        yield Case(name, "batch", n, 1, speed.in_kernel(batch))


def _batches(settings: Settings) -> list[int]:
    """The sizes of batches that are measured."""
    return [n for n in settings.batches if n > 1]


# -- peers -------------------------------------------------------------------------------------------------------------


def peer_cases(peer: Peer, settings: Settings, log: speed.Log) -> list[Case]:
    """The games of a peer, ready to be measured; none if it is not installed or cannot be imported, which is told."""
    if not peer.installed:
        log(f"{peer.title} is left out, because it is not installed: {INSTALL}")
        return []
    try:
        cases = [Case(game, "single", 1, 1, peer.single(game)) for game in peer.games]
        if peer.batch:
            sizes = _batches(settings)
            cases += [Case(game, "batch", n, 1, peer.batch(game, n)) for game in peer.games for n in sizes]
    except ImportError as error:
        log(f"{peer.title} is left out, because it cannot be imported ({error}): {INSTALL}")
        return []
    return cases


def open_spiel(name: str) -> Step:
    """A game of OpenSpiel: the observer fills an array, and the legal actions of each decision fill a mask."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    observer = make_observation(game)
    mask = np.zeros(game.num_distinct_actions(), np.bool_)
    rng = random.Random(0)
    state = game.new_initial_state()

    def step() -> int:
        nonlocal state
        # Restart and chance are no decisions.
        if state.is_terminal():
            state = game.new_initial_state()
        if state.is_chance_node():
            outcomes, probs = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, probs)[0])
            return 0

        # A decision.
        observer.set_from(state, state.current_player())
        legal = state.legal_actions()
        mask[:] = False
        mask[legal] = True
        state.apply_action(_random_one(legal, rng))
        return 1

    return step


def pettingzoo(name: str) -> Step:
    """A classic game of PettingZoo, without the wrappers that check its use."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return speed.aec(importlib.import_module(f"pettingzoo.classic.{name}").raw_env())


def rlcard(name: str) -> Step:
    """A game of RLCard: its step makes the next player's observation and legal actions."""
    from rlcard import make

    env = make(name, config={"seed": 0})
    rng = random.Random(0)
    state, _ = env.reset()

    def step() -> int:
        nonlocal state
        state, _ = env.step(_random_one(list(state["legal_actions"]), rng))
        if env.is_over():
            state, _ = env.reset()
        return 1

    return step


def _random_one(legal: Sequence[int], rng: random.Random) -> int:
    return legal[int(rng.random() * len(legal))]


PGX_CALL = 4096  # decisions in a compiled call, about; XLA is faster in a loop than with a call for each decision


def pgx_single(name: str) -> Step:
    """One game of pgx: a compiled call for each decision."""
    jax = _import_jax()
    env, restarting = _pgx_env(name)
    decide = partial(_decide_in_jax, restarting, lambda key: key)
    start, key = jax.random.split(jax.random.PRNGKey(0))
    return _jitted(lambda carry: decide(carry)[0], (jax.jit(env.init)(start), key), 1)


def pgx_batch(name: str, games: int) -> Step:
    """A batch of pgx: compiled calls of 2 to 16 decisions in each game."""
    jax = _import_jax()
    env, restarting = _pgx_env(name)
    length = min(16, max(2, PGX_CALL // games))
    decide = partial(_decide_in_jax, jax.vmap(restarting), lambda key: jax.random.split(key, games))
    start, key = jax.random.split(jax.random.PRNGKey(0))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(start, games))
    return _jitted(lambda carry: jax.lax.scan(decide, carry, None, length)[0], (state, key), games * length)


def _import_jax() -> Any:
    """JAX on the processor, also where it could use another device."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    return importlib.import_module("jax")


def _pgx_env(name: str) -> tuple[Any, Callable[..., Any]]:
    """A game, and its step (state, action, key) -> state with the restart of pgx's own wrapper."""
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    return env, auto_reset(env.step, env.init)


def _decide_in_jax(
    step: Callable[..., Any], keys: Callable[[Any], Any], carry: tuple[Any, Any], _: Any = None
) -> tuple[tuple[Any, Any], None]:
    """One random decision in one game, or in each game of a batch: `carry` is its state and the key of all chance."""
    import jax

    state, key = carry
    key, choice, chance = jax.random.split(key, 3)
    return (step(state, _random_legal_in_jax(state.legal_action_mask, choice), keys(chance)), key), None


def _jitted(advance: Callable[[Any], Any], carry: tuple[Any, Any], decisions: int) -> Step:
    """Calls of a compiled function that make so many decisions each; compiles at once."""
    import jax

    compiled = jax.jit(advance, donate_argnums=0)

    def step() -> int:
        nonlocal carry
        carry = jax.block_until_ready(compiled(carry))
        return decisions

    step()
    return step


def _random_legal_in_jax(mask: Any, key: Any) -> Any:
    """A uniformly random legal action int32 [...] for every mask bool [..., A]."""
    import jax
    from jax import numpy as jnp

    legal = jnp.cumsum(mask, axis=-1, dtype=jnp.int32)
    nth = jnp.floor(jax.random.uniform(key, (*mask.shape[:-1], 1)) * legal[..., -1:]).astype(jnp.int32)
    return jnp.argmax(legal > nth, axis=-1).astype(jnp.int32)


PEERS = (
    Peer(
        title="OpenSpiel",
        package="open-spiel",
        modules=("pyspiel", "open_spiel"),
        games=("backgammon", "chess", "gin_rummy", "connect_four", "leduc_poker"),
        single=open_spiel,
        note="C++ states driven from Python: observation and mask in NumPy arrays; chance is drawn in Python.",
    ),
    Peer(
        title="PettingZoo",
        package="pettingzoo",
        modules=("pettingzoo", "pygame", "chess", "rlcard"),
        games=("chess_v6", "connect_four_v3", "leduc_holdem_v4"),
        single=pettingzoo,
        note="AEC environments of `pettingzoo.classic`, without their checking wrappers: observation and mask.",
    ),
    Peer(
        title="RLCard",
        package="rlcard",
        modules=("rlcard",),
        games=("gin-rummy", "uno", "leduc-holdem"),
        single=rlcard,
        note="Python environments: observation, and legal actions as numbers instead of a mask.",
    ),
    Peer(
        title="pgx",
        package="pgx",
        modules=("pgx", "jax"),
        games=("backgammon", "chess", "connect_four", "leduc_holdem"),
        single=pgx_single,
        batch=pgx_batch,
        note="JAX on the processor: choice, step and restart in one compiled call; observation and mask in its state.",
    ),
)


# -- table and file ----------------------------------------------------------------------------------------------------


def table(rows: Sequence[PeerRow], peers: Sequence[Peer] | None = None) -> str:
    """Decisions per second in Markdown: one game and the best batch; notes stand below."""
    titles = ["library", "game", "one game", "batch", "batch size"]
    lines = []
    for library, version, game in dict.fromkeys((row.library, row.version, row.game) for row in rows):
        own = [row for row in rows if (row.library, row.game) == (library, game)]
        lines.append([f"{library} {version}", game, *_rates(own)])

    notes = _notes(rows, PEERS if peers is None else peers)
    return "\n\n".join([_heading(rows), markdown_table(titles, lines, right=(2, 3, 4)), notes])


def _rates(rows: Sequence[PeerRow]) -> list[str]:
    """The cells of a game: single, best batch, its size."""
    single = [f"{row.decisions_per_second:,}" for row in rows if row.games == 1]
    best = best_batch(rows)
    return [*(single or [""]), *([f"{best.decisions_per_second:,}", f"{best.games:,}"] if best else ["", ""])]


def best_batch(rows: Sequence[PeerRow]) -> PeerRow | None:
    """The fastest of the batches of a game; None if the library has none."""
    return max((row for row in rows if row.games > 1), key=lambda row: row.decisions_per_second, default=None)


def _heading(rows: Sequence[PeerRow]) -> str:
    """The machine, and how it was measured."""
    first = rows[0]
    share = float(np.median([row.processor_share for row in rows]))
    wide = [row for row in rows if row.processor_share > WIDE]

    clock = "second" if first.clock == "wall" else "second of processor time"
    busy = f" The machine was busy: this process had {share:.0%} of a core." if share < BUSY else ""
    several = f" Rows of {', '.join(dict.fromkeys(row.library for row in wide))} used several cores." if wide else ""
    pinned = "the process bound to one core" if first.cores == 1 else "the process not bound to one core"
    pinned += ", all libraries in turns"
    return (
        f"{first.machine}. Load {first.load}. Decisions per {clock}, {pinned}: medians of {first.slices} interleaved "
        f"slices of {first.seconds:g} s.{busy}{several}"
    )


def _notes(rows: Sequence[PeerRow], peers: Sequence[Peer]) -> str:
    """What a figure of each library includes, and which libraries are missing."""
    measured = {row.library for row in rows}
    notes = [(OURS, OURS_NOTE), *((peer.title, peer.note) for peer in peers)]
    missing = [peer.title for peer in peers if peer.title not in measured]
    lines = [f"* {title}: {note}" for title, note in notes if title in measured]
    return "\n".join([*lines, *[f"* Left out: {', '.join(missing)}. `{INSTALL}` adds them."] * bool(missing)])


BLOCK = "peers"  # the block of a page that the table fills


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--games", nargs="+", type=environment, metavar="ID", help="only these environments")
    parser.add_argument(
        "--cpu-time", action="store_true", help="per second of processor time, on a busy machine; one thread only"
    )
    parser.add_argument("--csv", metavar="FILE", type=output_file, help="write all figures to a file")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    settings = replace(speed.QUICK if args.quick else Settings(), cpu_time=args.cpu_time)

    def measure() -> str:
        rows = bench(settings, args.games, log=print_progress)
        if args.csv:
            write_records(args.csv, rows, PeerRow)
        return table(rows)

    marked_block.print_measured(measure, BLOCK, args.write)
    return 0
