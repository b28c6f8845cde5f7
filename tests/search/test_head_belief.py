"""The belief of a belief head: sets of a given size by their odds, and samples of whole positions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import rfop_agents
from rfop_agents.head_belief import HeadBelief, draw_set
from rfop_agents.network import NetworkAgent
from rfop_agents.search import PLAIN, SearchAgent
from rfop_env.agent import Positions, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_env.testing.random_play import check_position
from rfop_training.networks import DenseNetwork

GAME = get_game("RedFlagOverParis-v1")
LAYOUT, ENTRIES = GAME.observation.private()
GAMES, COPIES = 24, 40


def network(logits=None) -> NetworkAgent:
    """An untrained network whose belief head gives these logits by piece whatever it sees; None: random ones."""
    torch.manual_seed(1)
    model = DenseNetwork(GAME, 16)
    model.add_belief(GAME, 8)
    torch.nn.init.normal_(model.belief.output.weight, std=0.0 if logits else 1.0)
    with torch.no_grad():
        for piece, values in (logits or {}).items():
            LAYOUT.part(model.belief.output.bias.numpy(), piece)[:] = values
    return NetworkAgent.from_weights(model.to_arrays(), "x")


def positions(steps: int) -> GameBatch:
    batch = GameBatch(GAME, GAMES, seed=7, autoreset=True)
    batch.step_random(steps)
    return batch


def sampled(batch: GameBatch, agent: NetworkAgent, copies: int = COPIES):
    """Samples of all positions: records [copies, N]."""
    all_games = np.arange(batch.num_games)
    there = Positions(batch, all_games, np.random.default_rng(2))
    return HeadBelief(GAME, agent).sample(there, copies, np.random.default_rng(3))


def views(batch: GameBatch, records) -> tuple[np.ndarray, np.ndarray]:
    """What the seats that decide see in records [m] of the same positions, and the private pieces of their enemies."""
    there = Positions(batch, np.arange(batch.num_games), np.random.default_rng(0)).to_batch(records.reshape(-1))
    return there.observation, there.observe(1 - there.current_player)[:, ENTRIES]


def test_sets_have_the_probabilities_of_their_weights():
    weights = np.array([0.5, 2.0, 0.0, 1.0, 3.0])
    for size in range(5):
        sets = [np.isin(np.arange(5), chosen) for chosen in itertools.combinations((0, 1, 3, 4), size)]
        products = np.array([weights[chosen].prod() for chosen in sets])
        n = 40_000
        drawn = draw_set(np.tile(weights, (n, 1)), np.full(n, size), np.random.default_rng(size))
        shares = [(drawn == chosen).all(axis=1).mean() for chosen in sets]
        assert np.allclose(shares, products / products.sum(), atol=0.01) and sum(shares) == pytest.approx(1)


def test_sets_of_several_sizes_are_drawn_at_once():
    sizes = np.array([0, 3, 1, 2])
    drawn = draw_set(np.ones((4, 3)), sizes, np.random.default_rng(1))
    assert (drawn.sum(axis=1) == sizes).all()


@pytest.mark.parametrize("steps", [1, 25, 60, 110])
def test_samples_are_deals_that_the_seat_cannot_tell_from_its_position(steps):
    batch = positions(steps)
    records = sampled(batch, network())
    there = Positions(batch, np.arange(GAMES), np.random.default_rng(0)).to_batch(records.reshape(-1))
    check_position(there, range(0, GAMES * COPIES, 17))
    shown = there.observation.reshape(COPIES, GAMES, -1)
    assert (shown == batch.observation).all()
    assert (there.action_mask.reshape(COPIES, GAMES, -1) == batch.action_mask).all()
    assert (there.current_player.reshape(COPIES, GAMES) == batch.current_player).all()

    # Nothing differs from uniform deals but where the hidden cards lie.
    keys = Positions(batch, np.arange(GAMES), np.random.default_rng(2))
    uniform = keys.sample(np.arange(GAMES), COPIES).get_state().reshape(GAMES, COPIES).T
    differing = {name for name in records.dtype.names if (records[name] != uniform[name]).any()}
    assert differing <= {"zone", "known", "deck", "objective_zone", "objective_deck", "objective"}
    assert {"zone", "deck"} <= differing
    for name in ("zone", "objective_zone"):
        assert (np.sort(records[name], axis=2) == np.sort(uniform[name], axis=2)).all()


def test_samples_do_not_depend_on_what_the_seat_cannot_see():
    batch, agent = positions(60), network()
    first = sampled(batch, agent, 3)
    for key in range(3):
        other = batch.clone()
        other.determinize(batch.current_player, np.arange(GAMES) + 100 * key)
        assert (sampled(other, agent, 3) == first).all()


def test_flat_odds_give_every_deal_and_sharp_ones_the_likely_cards():
    batch, even = positions(60), np.arange(41) % 2 == 0
    flat = {"hand": np.zeros(41), "aside": np.zeros(41), "own_objective": np.zeros(12)}
    deals = {
        "uniform": Positions(batch, np.arange(GAMES), np.random.default_rng(5)).determinize(400),
        "flat": sampled(batch, network(flat), 400),
        "sharp": sampled(batch, network({"hand": np.where(even, -9.0, 9.0)})),
    }
    private = {name: views(batch, records)[1].reshape(-1, GAMES, len(ENTRIES)) for name, records in deals.items()}
    shares = {name: view.mean(axis=0) for name, view in private.items()}
    assert abs(shares["flat"] - shares["uniform"]).max() < 0.14
    assert ((shares["flat"] > 0) == (shares["uniform"] > 0)).mean() > 0.98

    # The unlikely cards are in a hand only where the likely ones do not fill it.
    hands = {name: LAYOUT.part(view, "hand") for name, view in private.items()}
    possible = LAYOUT.part(shares["uniform"], "hand")
    hidden = (possible > 0) & (possible < 1)
    drawn = (hands["sharp"] != 0) & hidden
    filled = (hidden & ~even).sum(axis=1) >= drawn[0].sum(axis=1)
    assert (
        drawn[:, filled][..., even].mean()
        < 0.002
        < 0.02
        < (hands["flat"][:, filled] * hidden[filled])[..., even].mean()
    )
    assert filled.sum() > 15 and (hands["sharp"].sum(axis=2) == hands["uniform"][0].sum(axis=1)).all()


def test_a_search_takes_the_belief_of_a_head():
    batch = positions(60)
    belief = HeadBelief(GAME, network())
    agent = SearchAgent(GAME, PLAIN, belief=belief)
    actions = act_for(agent, batch, np.arange(4), np.random.default_rng(0))
    assert batch.action_mask[np.arange(4), actions].all()


def test_a_belief_needs_a_head_and_a_relabelling():
    with pytest.raises(RfopError, match="no belief head"):
        HeadBelief(GAME, rfop_agents.load("red-flag/solo-12", GAME))
    with pytest.raises(RfopError, match="Paris-v0 has no relabelling of hidden cards"):
        HeadBelief(get_game("Paris-v0"), network())


@pytest.mark.parametrize(
    "name", ["search-8-head+red-flag/ppo-3", "response-8-head:red-flag/ppo-3", "rollout-4x2-head+red-flag/ppo-3:random"]
)
def test_names_ask_for_it(name):
    agent = rfop_agents.load(name, GAME)
    assert agent.name == name and isinstance(agent._belief, HeadBelief) and not agent.needs_history


def test_a_name_says_whose_head():
    with pytest.raises(RfopError, match=r"say whose head, as in response-8-head\+red-flag/ppo-3"):
        rfop_agents.load("response-8-head:scripted", get_game("Revolution-v0"))
    with pytest.raises(RfopError, match="red-flag/solo-12 has no belief head"):
        rfop_agents.load("search-8-head+red-flag/solo-12", GAME)
