"""The network that arguments ask for, and the sizes of one whose weights are at hand."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import torch
from numpy.typing import NDArray

from rfop_agents.board_network import is_of_board, space_layers
from rfop_agents.network import NetworkAgent, hidden_layers, require_small
from rfop_env.agent import Agent
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_training.learning.arguments import BY_DATA, AllSeatsArguments, game_options
from rfop_training.learning.board_network import BoardNetwork
from rfop_training.learning.dense_network import DenseNetwork
from rfop_training.learning.input_scale import scale_by_data
from rfop_training.learning.networks import Network
from rfop_training.learning.opponents import SEEDS_APART, agent_of


def make_network(args: AllSeatsArguments, game: Game, gru_size: int = 0) -> Network:
    """An untrained network of the sizes that are asked for. Raises `RfopError` where a game has none such."""
    if args.space_units and gru_size:
        raise RfopError("--gru-size: a network with --space-units has no memory; give one of the two")
    with torch.device("meta"):  # which computes no numbers
        require_small(sum(tensor.nbytes for tensor in _new_network(args, game, gru_size).state_dict().values()))
    return _new_network(args, game, gru_size)


def _new_network(args: AllSeatsArguments, game: Game, gru_size: int) -> Network:
    if args.space_units:
        return BoardNetwork(game, args.space_units, args.layers, args.width, args.bf16)
    return DenseNetwork(game, args.width, args.layers, gru_size, args.bf16)


def sizes_of(arrays: Mapping[str, NDArray[Any]]) -> dict[str, int]:
    """The arguments that make a network with these weights, as `Network.arrays` gives them; what is left out is 0."""
    if is_of_board(arrays):
        units, width = arrays["inputs.bias"].size, arrays["pool.bias"].size // 2
        return {"space_units": units, "layers": space_layers(arrays), "width": width}
    layers = hidden_layers(arrays)
    gru_size = arrays["gru.weight_hh"].shape[1] if "gru.weight_hh" in arrays else 0
    last = arrays[f"layers.{layers - 1}.bias"].size
    return {"width": last if gru_size else last // 2, "layers": layers, "gru_size": gru_size}


def load_initial_network(network: Network, args: AllSeatsArguments, game: Game, components: Any) -> None:
    """Give a network the weights of `--init-from`, or else the scale of its inputs. Raises `RfopError`."""
    if not args.init_from:
        if args.input_scale == BY_DATA:
            scale = scale_by_data(game, game_options(args.option, game), components, SEEDS_APART * args.seed)
            network.scale.copy_(torch.from_numpy(scale))
        return

    agent: Agent | None = None
    with suppress(UnknownName):
        agent = agent_of(args, args.init_from, game, components)
    if not isinstance(agent, NetworkAgent):
        raise RfopError(f"--init-from: {args.init_from} is no network; give a run's folder, a model or a baseline")
    sizes = sizes_of(agent.weights)
    if sizes.get("gru_size") and not hasattr(args, "gru_size"):
        raise RfopError(f"--init-from {args.init_from} has a memory; this trainer takes networks without one")
    if sizes != sizes_of(network.arrays()):
        asked = " ".join(f"--{name.replace('_', '-')} {size}" for name, size in sizes.items() if size)
        raise RfopError(f"--init-from {args.init_from} has other layers than asked for: give {asked}")
    network.load_arrays(agent.weights)
