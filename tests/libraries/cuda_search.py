"""Searches whose trees are on a graphics card, or on Numba's simulator of one, beside the same on the processor.

`NUMBA_ENABLE_CUDASIM=1 RFOP_JIT=0 python -m tests.libraries.cuda_search` searches on the simulator.
"""

import numpy as np
import torch

import rfop_agents
from rfop_env.agent import Positions
from rfop_agents.network import NetworkAgent
from rfop_agents.search import SearchAgent, SearchSettings
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.registry import get_game
from rfop_training.networks import BoardNetwork


class OnTheProcessor:
    """A network that the card does not know: it is asked for all leaves on the processor."""

    remembers = False
    rewards = {}  # noqa: RUF012 - of the class, as of an agent without metadata

    def evaluate(self, observation, action_mask):
        view = observation.astype(np.float32)
        logits = view[:, :1] + np.cos(np.arange(action_mask.shape[1], dtype=np.float32) + view.sum(axis=1)[:, None])
        return np.where(action_mask, logits, np.float32(-1e9)), np.tanh(view.mean(axis=1))


class OfEverySeat(OnTheProcessor):
    """It judges all seats at once."""

    def evaluate(self, observation, action_mask):
        logits, values = super().evaluate(observation, action_mask)
        return logits, np.stack([values, -values / 2], axis=1)


def network(name):
    return lambda game: rfop_agents.load(name, game)


def board_network(game):
    """A network for the game's board, which is judged on the processor."""
    torch.manual_seed(1)
    return NetworkAgent.from_weights(BoardNetwork(game, units=4, layers=1, width=4).to_arrays(), "of a board")


FEW = {"simulations": 6}
WAYS = {  # names of searches: the game, the settings, and what gives the network
    "rollouts": ("Revolution-v0", SearchSettings(**FEW), None),
    "hidden cards": ("RedFlagOverParis-v1", SearchSettings(simulations=2, rollouts="random", prior_weight=0.0), None),
    "halving": ("Revolution-v0", SearchSettings(**FEW, root="gumbel", root_noise=1.0), None),
    "network": ("Revolution-v0", SearchSettings(**FEW, rollout_mix=0.5), network("revolution/ppo-2")),
    "network, halving": ("Revolution-v0", SearchSettings(**FEW, root="gumbel"), network("revolution/ppo-2")),
    "network on the processor": ("Revolution-v0", SearchSettings(**FEW), lambda game: OnTheProcessor()),
    "network of a board": ("Revolution-v0", SearchSettings(**FEW), board_network),
    "network of every seat": ("Revolution-v0", SearchSettings(**FEW), lambda game: OfEverySeat()),
}


def found(way, device, games=2, decisions=12):
    """What a search finds."""
    name, settings, make_network = WAYS[way]
    game = get_game(name)
    batch = GameBatch(game, games, 5)
    batch.step_random(decisions)
    agent = SearchAgent(game, settings, network=make_network and make_network(game), device=device)
    rng = np.random.default_rng(3)
    positions = Positions(batch, np.arange(games), rng)
    agent.act(batch.observation, batch.action_mask, rng, positions)
    return agent.last


def check_same_search(way):
    """The same visits and values; a network's numbers are rounded otherwise."""
    here, there = (found(way, device) for device in ("cpu", "cuda"))
    np.testing.assert_array_equal(there.actions, here.actions)
    np.testing.assert_array_equal(there.visits, here.visits)
    for name in ("action_values", "values", "policy"):
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), atol=1e-5, err_msg=name)


def check_refusals():
    game = get_game("Revolution-v0")
    for error, arguments in (
        (UnknownName, {"device": "tpu"}),
        (RfopError, {"device": "cuda", "threads": 0}),
        (RfopError, {"device": "cuda", "opponent": rfop_agents.load("random", game)}),
    ):
        try:
            SearchAgent(game, **arguments)
        except error:
            continue
        raise AssertionError(arguments)


CHECKS = (check_refusals,)

if __name__ == "__main__":
    for check in CHECKS:
        check()
    for each in WAYS:
        check_same_search(each)
        print(each, flush=True)
