"""Networks in torch: the sparse first layer gives what a dense product gives, and evaluations fit together."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import torch

from rfop_env.core.batch import GameBatch
from rfop_env.games.revolution.game import revolution
from rfop_training import networks
from rfop_training.networks import GROUP, BoardNetwork, DenseNetwork, FirstLayer, SparseProduct

GAME = revolution()


def positions(n: int = 37) -> tuple[torch.Tensor, torch.Tensor]:
    """Observations int8 [n, D] and masks bool [n, A] of games in all phases."""
    batch = GameBatch(GAME, n, seed=5, autoreset=True)
    batch.step_random(40)
    return torch.from_numpy(batch.observation.copy()), torch.from_numpy(np.array(batch.action_mask))


def dense(layers: int = 2) -> DenseNetwork:
    torch.manual_seed(1)
    network = DenseNetwork(GAME, 32, layers)
    torch.nn.init.normal_(network.policy.weight, std=0.3)
    return network


@pytest.mark.parametrize("size", [1, 3, 8, 50])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_a_sparse_product_has_the_value_and_gradient_of_a_dense_one(size, share):
    rng = np.random.default_rng(size)
    observation = (rng.integers(-128, 128, (11, size)) * (rng.random((11, size)) < share)).astype(np.int8)
    scale = torch.from_numpy(rng.random(size).astype(np.float32))
    start, column, value = networks.nonzero_entries(observation, scale.numpy())
    assert len(start) == 12 and start[-1] == len(column) == len(value) and (start % GROUP == 0).all()

    weight = torch.randn(size, 13, requires_grad=True)
    factors = torch.randn(11, 13)
    results = []
    for product in (
        SparseProduct.apply(torch.from_numpy(observation), scale, weight),
        (torch.from_numpy(observation).float() * scale) @ weight,
    ):
        (gradient,) = torch.autograd.grad((product * factors).sum(), weight)
        results.append((product, gradient))
    for sparse, exact in zip(*results, strict=True):
        assert torch.allclose(sparse, exact, atol=1e-2, rtol=1e-4)


def test_both_ways_take_the_same_gradient_steps(monkeypatch):
    observation, mask = positions(200)
    action = mask.float().argmax(dim=1)
    weights = []
    for sparse in (True, False):
        if not sparse:
            monkeypatch.setattr(networks, "JIT", False)
        network = dense()
        optimiser = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-5, fused=True)
        for _ in range(10):
            policy = network.evaluate_actions(observation, mask)
            optimiser.zero_grad()
            (policy.value.pow(2).mean() - policy.log_prob(action).mean() - policy.entropy.mean()).backward()
            optimiser.step()
        weights.append(network.to_arrays())
    start = dense().to_arrays()
    for name, array in weights[0].items():
        assert np.allclose(array, weights[1][name], atol=2e-4), name
        assert name == "scale" or abs(array - start[name]).max() > 1e-3


@pytest.mark.parametrize("network", [dense(), BoardNetwork(GAME, 8, 2, 12)], ids=["dense", "board"])
def test_an_evaluation_is_of_the_legal_actions(network):
    observation, mask = positions()
    policy = network.evaluate_actions(observation, mask)
    assert (policy.probs[~mask] == 0).all() and torch.allclose(policy.probs.sum(1), torch.ones(len(mask)))
    assert torch.allclose(policy.log_probs[mask].exp(), policy.probs[mask], atol=1e-6)
    entropy = torch.distributions.Categorical(policy.probs).entropy()
    assert torch.allclose(policy.entropy, entropy, atol=1e-5)

    # A sampled action comes with the log probability and the value of the evaluation.
    action, log_prob, value = network.sample(observation, mask, np.full(len(mask), 0.5, np.float32))
    assert mask.gather(1, action[:, None]).all()
    assert torch.allclose(log_prob, policy.log_prob(action), atol=1e-5) and torch.allclose(value, policy.value)


@pytest.mark.parametrize("network", [dense(), BoardNetwork(GAME, 8, 2, 12)], ids=["dense", "board"])
def test_a_gradient_step_leaves_nothing_to_the_garbage_collector(network):
    """A circle of references would keep the arrays of many minibatches, some gigabytes in a long training."""
    observation, mask = positions()
    gc.collect()
    gc.disable()
    try:
        policy = network.evaluate_actions(observation, mask)
        (policy.log_probs[mask].sum() + policy.entropy.sum() + policy.value.sum()).backward()
        references = [weakref.ref(tensor) for tensor in policy if tensor is not None]
        del policy
        assert [reference() for reference in references] == [None] * 4
    finally:
        gc.enable()


def test_weights_of_a_file_are_those_of_the_network():
    arrays = dense(3).to_arrays()
    network = DenseNetwork(GAME, 32, 3)
    network.load_arrays(arrays)
    assert isinstance(network.layers[0], FirstLayer)
    assert all((array == arrays[name]).all() for name, array in network.to_arrays().items())
    observation, mask = positions()
    assert torch.equal(network(observation, mask)[0], dense(3)(observation, mask)[0])
