"""The search of one position as a WebAssembly module, for pages: the kernel of `compiled/simulate.py`.

Its seven numbers are a task of the search, the address of a table, the address of the component record, how often, and
three that are not used. The table is int64 [...]: nodes of the tree, rows and columns of its priors, number of reward
kinds, then the addresses of the arrays of `ARRAYS`, in order. The answer is the `fault` of the simulated record.
`rfop_env/browser/static/search.js` calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rfop_agents.search.compiled.simulate import Leaves, Parameters, Roots, Simulation, Trees, make_simulate
from rfop_agents.search.compiled.tree import NODE
from rfop_agents.search.forest import payoff_scales, search_parameters
from rfop_agents.search.settings import SearchSettings
from rfop_env.compiler.code_digest import code_digest
from rfop_env.compiler.intrinsics import array_at
from rfop_env.compiler.kernel_cache import cached_code
from rfop_env.compiler.memory import HERE
from rfop_env.core.game import Game

WORK_BYTES = 2 * 1024 * 1024  # the module grows its memory for large trees
NODES, PRIOR_ROWS, PRIOR_COLUMNS, KINDS = range(4)
FIRST_ADDRESS = 4
# In order: the numbers of `Parameters`, then the fields of `Roots`, `Trees`, `Simulation` and `Leaves`.
ARRAYS = ("parameters", *Roots._fields[1:], *Trees._fields, *Simulation._fields, *Leaves._fields)


def search_module(game: Game) -> bytes:
    """The module of a game, from the disk or compiled. Raises `MissingExtra` where there is no linker."""
    from rfop_env.compiler.webassembly import compile_module

    task, name = make_search_task(game), f"{game.rules_name}.wasm.search"
    title = f"the search for {game.title} as WebAssembly"
    return cached_code(name, code_digest(task).text, f"{name}.module", title, lambda: compile_module(task, WORK_BYTES))


def make_search_task(game: Game) -> Callable[..., int]:
    """The function of seven numbers."""
    state, component_record = game.state, game.load_components(None).record.dtype
    seats, actions, entries = game.spec.players, game.actions.size, game.observation.size
    simulate = make_simulate(game.rules, HERE.copy_record)

    def task(which: int, table_at: int, c_at: int, repeat: int, b: int, c: int, d: int) -> int:
        t = array_at(table_at, FIRST_ADDRESS + len(ARRAYS), np.int64)
        nodes, prior_rows, prior_columns, kinds = t[NODES], t[PRIOR_ROWS], t[PRIOR_COLUMNS], t[KINDS]
        p = array_at(t[4], 8, np.float64)
        parameters = Parameters(p[0], p[1], p[2], p[3] != 0.0, p[4] != 0.0, p[5] != 0.0, p[6], p[7] != 0.0)
        roots = Roots(
            array_at(c_at, 1, component_record),
            array_at(t[5], 1, state),
            array_at(t[6], 1, np.int64),
            array_at(t[7], kinds, np.int64),
            array_at(t[8], kinds, np.float64),
        )
        trees = Trees(
            array_at(t[9], (1, nodes), NODE),
            array_at(t[10], (1, nodes, seats), np.float64),
            array_at(t[11], (1, seats, 2), np.float64),
            array_at(t[12], (1, 1), np.int32),
            array_at(t[13], (1, prior_rows, prior_columns), np.float32),
        )
        sim = Simulation(
            array_at(t[14], 1, state),
            array_at(t[15], (1, nodes + 1), np.int32),
            array_at(t[16], 1, np.int32),
            array_at(t[17], (1, actions), np.bool_),
            array_at(t[18], (1, actions), np.bool_),
            array_at(t[19], (1, actions), np.float64),
            array_at(t[20], (1, seats), np.float64),
            array_at(t[21], 1, np.int64),
            array_at(t[22], 1, np.int64),
            array_at(t[23], 1, np.bool_),
            array_at(t[24], 1, np.int64),
        )
        leaves = Leaves(
            array_at(t[25], 1, np.int64),
            array_at(t[26], (1, actions), np.bool_),
            array_at(t[27], (1, entries), np.int8),
            array_at(t[28], (1, seats), np.float64),
        )
        simulate(0, which, repeat, parameters, roots, trees, sim, leaves)
        return int(sim.states[0].fault)

    return task


def describe_search(game: Game, settings: SearchSettings, rewards: Mapping[str, float] | None) -> dict[str, Any]:
    """What the page needs of a search besides its module, for JSON.

    `rewards`: the reward kinds of the network that judges leaves, by weight, as `Evaluator.rewards`; None without one.
    """
    with_network = rewards is not None
    kinds = payoff_scales(game, settings.weights(game, rewards))
    return {
        "simulations": settings.simulations,
        "parameters": [float(number) for number in search_parameters(game, settings, with_network, False, False)],
        "prior_weight": settings.prior_weight,
        "rollout_mix": settings.rollout_mix if with_network else 1.0,
        "kinds": [number for number, _ in kinds],
        "scales": [scale for _, scale in kinds],
        "node_bytes": NODE.itemsize,
    }
