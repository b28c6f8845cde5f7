"""The search of one position as a WebAssembly module, for pages: the kernel of `compiled/simulate.py`.

Its seven numbers are a task of the search, the address of a table, the address of the component record, how often, and
three that are not used. The table is int64 [29]: nodes of the tree, rows and columns of its priors, number of reward
kinds, then the addresses of the parameters and of the arrays of `Roots`, `Trees`, `Simulation` and `Leaves`, where the
constants below say. The answer is the `fault` of the simulated record.
`rfop_env/browser/static/search.js` calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rfop_agents.search.compiled.simulate import Leaves, Roots, Simulation, Trees, make_simulate, read_parameters
from rfop_agents.search.compiled.tree import NODE
from rfop_agents.search.forest import payoff_scales, search_parameters
from rfop_agents.search.settings import SearchSettings
from rfop_env.compiler.code_digest import code_digest
from rfop_env.compiler.intrinsics import array_at
from rfop_env.compiler.kernel_cache import cached_code
from rfop_env.compiler.memory import HERE
from rfop_env.core.game import Game

WORK_BYTES = 2 * 1024 * 1024  # the module grows its memory for large trees
NODES, PRIOR_ROWS, PRIOR_COLUMNS, KINDS, PARAMETERS = range(5)
# Where in the table the address of each array stands.
ROOTS = Roots(-1, *range(5, 9))  # the component record is an argument
TREES = Trees(*range(9, 14))
SIMULATION = Simulation(*range(14, 25))
LEAVES = Leaves(*range(25, 29))
TABLE = 29  # numbers


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
        t = array_at(table_at, TABLE, np.int64)
        nodes, prior_rows, prior_columns, kinds = t[NODES], t[PRIOR_ROWS], t[PRIOR_COLUMNS], t[KINDS]
        p = read_parameters(array_at(t[PARAMETERS], 8, np.float64))

        roots = Roots(
            array_at(c_at, 1, component_record),
            array_at(t[ROOTS.states], 1, state),
            array_at(t[ROOTS.keys], 1, np.int64),
            array_at(t[ROOTS.kinds], kinds, np.int64),
            array_at(t[ROOTS.scales], kinds, np.float64),
        )
        trees = Trees(
            array_at(t[TREES.nodes], (1, nodes), NODE),
            array_at(t[TREES.totals], (1, nodes, seats), np.float64),
            array_at(t[TREES.bounds], (1, seats, 2), np.float64),
            array_at(t[TREES.node_count], (1, 1), np.int32),
            array_at(t[TREES.priors], (1, prior_rows, prior_columns), np.float32),
        )

        sim = Simulation(
            array_at(t[SIMULATION.states], 1, state),
            array_at(t[SIMULATION.path], (1, nodes + 1), np.int32),
            array_at(t[SIMULATION.length], 1, np.int32),
            array_at(t[SIMULATION.mask], (1, actions), np.bool_),
            array_at(t[SIMULATION.advised_mask], (1, actions), np.bool_),
            array_at(t[SIMULATION.weights], (1, actions), np.float64),
            array_at(t[SIMULATION.returns], (1, seats), np.float64),
            array_at(t[SIMULATION.forced], 1, np.int64),
            array_at(t[SIMULATION.draws], 1, np.int64),
            array_at(t[SIMULATION.pending], 1, np.bool_),
            array_at(t[SIMULATION.opponent_action], 1, np.int64),
        )
        leaves = Leaves(
            array_at(t[LEAVES.seat], 1, np.int64),
            array_at(t[LEAVES.mask], (1, actions), np.bool_),
            array_at(t[LEAVES.observation], (1, entries), np.int8),
            array_at(t[LEAVES.partial_returns], (1, seats), np.float64),
        )

        simulate(0, which, repeat, p, roots, trees, sim, leaves)
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
        "arrays": ["parameters", *array_names()],
    }


def array_names() -> list[str]:
    """The arrays whose addresses follow in the table after that of the parameters, as in `trees.nodes`."""
    groups: list[Any] = [ROOTS, TREES, SIMULATION, LEAVES]  # named tuples
    return [
        f"{type(group).__name__.lower()}.{name}"
        for group in groups
        for name in group._fields
        if group is not ROOTS or name != "components"
    ]
