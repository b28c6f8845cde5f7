"""The trainer's compiled loops give what dense products give: values, gradients, sampled actions, whole updates."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import torch

from rfop_agents.network import NetworkAgent
from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.games.revolution.game import revolution
from rfop_training.learning.kernels.first_layer import GROUP, add_products, sparse_columns, sparse_rows
from rfop_training.learning.kernels.heads import NO_ACTION, LegalHeads, arrays, legal_rows, policy, sample, values
from rfop_training.learning.kernels.hidden import HiddenLayers
from rfop_training.learning.kernels.spaces import ROWS, SpaceLayers
from rfop_training.learning import dense_network
from rfop_training.learning.board_network import BoardNetwork
from rfop_training.learning.dense_network import DenseNetwork
from rfop_training.ppo.snapshots import Snapshot

GAME = revolution()
N = 37
MANY = 60_000 if JIT else 3_000  # samples
CLOSE = 2.5 / MANY**0.5  # of a share of the samples


def observations(n: int = N) -> tuple[torch.Tensor, torch.Tensor]:
    """Observations int8 [n, D] and masks bool [n, A] of games in all phases."""
    batch = GameBatch(GAME, n, seed=5, autoreset=True)
    batch.step_random(40)
    return torch.from_numpy(batch.observation.copy()), torch.from_numpy(np.array(batch.action_mask))


def network(layers: int = 2) -> DenseNetwork:
    torch.manual_seed(1)
    made = DenseNetwork(GAME, 32, layers)
    torch.nn.init.normal_(made.policy.weight, std=0.3)
    torch.nn.init.normal_(made.policy.bias)
    torch.nn.init.normal_(made.value.bias)
    return made


@pytest.fixture
def dense(monkeypatch):
    """Makes networks take dense products instead of the loops when it is called."""
    return lambda: monkeypatch.setattr(dense_network, "compiled_loops", lambda tensor: False)


@pytest.mark.parametrize("size", [1, 3, 8, 50])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_rows_and_columns_hold_what_is_not_0(size, share):
    rng = np.random.default_rng(size)
    seen = (rng.integers(-128, 128, (11, size)) * (rng.random((11, size)) < share)).astype(np.int8)
    scale = rng.random(size).astype(np.float32)

    for entries, matrix in (
        (sparse_rows(seen, scale), seen * scale),
        (sparse_columns(*sparse_rows(seen, scale), size), (seen * scale).T),
    ):
        start, place, amount = entries
        assert len(start) == len(matrix) + 1 and start[-1] == len(place) == len(amount)
        assert (start % GROUP == 0).all()
        rows = rng.normal(size=(matrix.shape[1], 13)).astype(np.float32)
        out = np.ones((len(matrix), 13), np.float32)
        add_products(start, place, amount, rows, out)
        assert np.allclose(out, 1.0 + matrix @ rows, atol=1e-2, rtol=1e-4)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_hidden_layers_have_the_values_and_gradients_of_dense_ones(layers):
    (seen, _), made = observations(), network(layers)
    parameters = [parameter for layer in made.layers for parameter in layer.parameters()]
    x = seen.float() * made.scale
    for layer in made.layers:
        x = torch.relu(layer(x))
    weights = torch.randn(x.shape)
    wanted = torch.autograd.grad((x * weights).sum(), parameters)

    found = HiddenLayers.apply(seen, made.scale, *parameters)
    gradients = torch.autograd.grad((found * weights).sum(), parameters)
    assert torch.allclose(found, x, atol=1e-5)
    assert len(gradients) == 2 * layers
    assert all(torch.allclose(a, b, atol=1e-4, rtol=1e-4) for a, b in zip(gradients, wanted, strict=True))
    assert gradients[0].stride() == made.layers[0].weight.stride()  # no copy is needed for the optimiser


@pytest.mark.parametrize("n", [1, ROWS, 3 * ROWS + 5])
@pytest.mark.parametrize("layers", [1, 3])
def test_layers_of_spaces_have_the_values_and_gradients_of_dense_ones(n, layers):
    torch.manual_seed(n)
    made = BoardNetwork(GAME, 8, layers, 12)
    for layer in made.spaces:
        torch.nn.init.normal_(layer.own.bias)
    x = torch.randn(n, len(made.near), 8, requires_grad=True)
    parameters = [weight for layer in made.spaces for weight in layer.weights]
    wanted = x
    for layer in made.spaces:
        wanted = layer(wanted, made.sums)
    weights = torch.randn(wanted.shape)
    wanted_gradients = torch.autograd.grad((wanted * weights).sum(), [x, *parameters])

    found = SpaceLayers.apply(x, made.near, True, *parameters)
    gradients = torch.autograd.grad((found * weights).sum(), [x, *parameters])
    assert torch.allclose(found, wanted, atol=1e-5)
    assert len(gradients) == 1 + 4 * layers
    assert all(torch.allclose(a, b, atol=1e-3, rtol=1e-4) for a, b in zip(gradients, wanted_gradients, strict=True))
    with torch.no_grad():
        assert torch.equal(SpaceLayers.apply(x, made.near, False, *parameters), found)


@pytest.mark.parametrize("made", [network(), BoardNetwork(GAME, 8, 2, 12)], ids=["dense", "board"])
def test_a_gradient_step_leaves_nothing_to_the_garbage_collector(made):
    """A circle of references would keep the arrays of many minibatches, some gigabytes in a long training."""
    seen, mask = observations()
    gc.collect()
    gc.disable()
    try:
        features = made.features(seen)
        chosen, entropy, value = made.judge(features, mask, torch.from_numpy(mask.numpy().argmax(axis=1))[:, None])
        (chosen.sum() + entropy.sum() + value.sum()).backward()
        alive = [weakref.ref(tensor) for tensor in (features, chosen, entropy, value)]
        del features, chosen, entropy, value
        assert [one() for one in alive] == [None] * 4
    finally:
        gc.enable()


@pytest.mark.parametrize("split", [True, False])
def test_heads_have_the_values_and_gradients_of_dense_ones(split):
    (_, mask), made = observations(), network()
    made.split = split
    features = torch.randn(N, 64 if split else 32, requires_grad=True)
    rng = np.random.default_rng(1)
    first = [int(rng.choice(np.flatnonzero(row))) for row in mask.numpy()]
    second = [NO_ACTION if k % 3 == 0 else int(np.flatnonzero(row)[-1]) for k, row in enumerate(mask.numpy())]
    actions = torch.tensor([first, second]).T.contiguous()
    parameters = [features, made.policy.weight, made.policy.bias, made.value.weight, made.value.bias]
    weights = torch.randn(N, 2), torch.randn(N), torch.randn(N)

    logits, value = made.heads(features, mask)
    log_probs = torch.log_softmax(logits, dim=1)
    chosen = log_probs.gather(1, actions.clamp(min=0)) * (actions != NO_ACTION)
    entropy = -(log_probs.exp() * log_probs).sum(1)
    wanted = (chosen, entropy, value)
    found = LegalHeads.apply(*parameters, mask, actions)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(found, wanted, strict=True))

    gradients = [
        torch.autograd.grad(sum((a * b).sum() for a, b in zip(of, weights, strict=True)), parameters)
        for of in (found, wanted)
    ]
    assert all(torch.allclose(a, b, atol=1e-5, rtol=1e-4) for a, b in zip(*gradients, strict=True))
    assert gradients[0][1].abs().max() > 0.1


def test_sampled_actions_follow_the_policy():
    (_, mask), made = observations(1), network()
    features = torch.randn(1, 64).repeat(MANY, 1)
    uniform = 1.0 - np.random.default_rng(0).random(MANY, dtype=np.float32)
    uniform[:2] = 1.0, 2.0**-24
    with torch.no_grad():
        probs = torch.softmax(made.heads(features[:1], mask)[0], dim=1)[0].numpy()
        all_values = made.heads(features[:1], mask)[1]

    inputs = arrays(features, made.policy.weight, made.policy.bias, made.value.weight[0])
    rows = legal_rows(mask.repeat(MANY, 1).numpy())
    action, log_prob = sample(*rows, policy(*rows, *inputs[:3]), uniform)
    assert abs(np.bincount(action, minlength=len(probs)) / MANY - probs).max() < CLOSE
    assert mask[0].numpy()[action].all()
    assert np.allclose(log_prob, np.log(probs[action]), atol=1e-4)
    assert np.allclose(values(inputs[0], inputs[3], np.float32(made.value.bias.item())), all_values, atol=1e-4)


def test_both_ways_take_the_same_gradient_steps(dense):
    seen, mask = observations(200)
    action = mask.float().argmax(dim=1)[:, None]
    weights = []
    for is_dense in (False, True):
        if is_dense:
            dense()
        made = network()
        optimiser = torch.optim.Adam(made.parameters(), lr=1e-3, eps=1e-5, fused=True)
        for _ in range(10):
            chosen, entropy, value = made.judge(made.features(seen), mask, action)
            optimiser.zero_grad(set_to_none=True)
            (value.pow(2).mean() - chosen.mean() - entropy.mean()).backward()
            optimiser.step()
        weights.append(made.arrays())
    start = network().arrays()
    for name, array in weights[0].items():
        assert np.allclose(array, weights[1][name], atol=2e-4), name
        assert name == "scale" or abs(array - start[name]).max() > 1e-3


def test_a_snapshot_plays_the_policy_of_its_network():
    seen, mask = (row.numpy() for row in observations(1))
    weights = network().arrays()
    many = np.repeat(seen, MANY, axis=0), np.repeat(mask, MANY, axis=0)
    drawn = [
        np.bincount(agent.act(*many, np.random.default_rng(2)), minlength=mask.shape[1]) / MANY
        for agent in (Snapshot(weights), NetworkAgent.of_weights(weights, "x", sample=True))
    ]
    assert abs(drawn[0] - drawn[1]).max() < 1.5 * CLOSE and (drawn[0][~mask[0]] == 0).all()


def test_no_games_are_no_error():
    (seen, mask), made = observations(), network()
    with torch.no_grad():
        action, log_prob, value = made.sample(made.features(seen[:0]), mask[:0], np.zeros(0, np.float32))
    assert len(action) == len(log_prob) == len(value) == 0


def test_numbers_that_are_not_finite_are_not_hidden():
    (seen, mask), made = observations(), network()
    made.layers[0].bias.data[3] = float("nan")
    with torch.no_grad():
        _, log_prob, value = made.sample(made.features(seen), mask, np.full(N, 0.5, np.float32))
    assert not log_prob.isfinite().any() or not value.isfinite().any()
