"""Networks as agents: NumPy plays what torch trained, from one file that is refused where it does not fit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import rfop_agents
from rfop_env.agent import act_for
from rfop_agents import baselines, board_network
from rfop_agents.network import ILLEGAL, NetworkAgent, belief_targets, game_metadata, read_network, write_network
from rfop_agents.symmetric import SymmetricAgent
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName, VersionMismatch
from rfop_env.games.revolution.game import revolution
from rfop_env.registry import get_game
from rfop_training.networks import BoardNetwork, DenseNetwork

GAME = revolution()


def network() -> DenseNetwork:
    torch.manual_seed(3)
    network = DenseNetwork(GAME, width=32, layers=2)
    torch.nn.init.normal_(network.policy.weight)
    return network


def saved(folder, **metadata) -> DenseNetwork:
    model = network()
    write_network(
        folder / "model.safetensors", model.to_arrays(), game_metadata(GAME, GAME.load_components(None)) | metadata
    )
    return model


def make_batch(steps: int = 9, n: int = 8) -> GameBatch:
    batch = GameBatch(GAME, n, seed=4)
    batch.step_random(steps)
    return batch


def test_numpy_and_torch_agree():
    model, batch = network(), make_batch()
    agent = NetworkAgent.from_weights(model.to_arrays(), "x")
    logits, values = agent.evaluate(batch.observation, batch.action_mask)
    with torch.no_grad():
        outputs = model(torch.as_tensor(batch.observation), torch.tensor(batch.action_mask))
    assert np.allclose(logits, outputs[0], atol=1e-4) and np.allclose(values, outputs[1], atol=1e-4)
    likeliest = np.where(batch.action_mask, logits, -np.inf).argmax(axis=1)
    assert (agent.act(batch.observation, batch.action_mask, np.random.default_rng(0)) == likeliest).all()
    assert (logits[~batch.action_mask] == np.float32(ILLEGAL)).all() and np.ptp(logits[batch.action_mask]) > 0.1


def test_entries_that_a_network_does_not_read_change_nothing():
    """To the last bit: a network of an earlier version, with zero columns for what the observation has gained."""
    weights, batch = network().to_arrays(), make_batch()
    agent = NetworkAgent.from_weights(weights, "x")
    columns = np.zeros((len(weights["layers.0.bias"]), 300), np.float32)
    longer = weights | {
        "layers.0.weight": np.concatenate([weights["layers.0.weight"], columns], axis=1),
        "scale": np.concatenate([weights["scale"], np.ones(300, np.float32)]),
    }
    entries = np.random.default_rng(0).integers(-4, 5, (8, 300), np.int8)
    observation = np.concatenate([batch.observation, entries], axis=1)
    outputs = NetworkAgent.from_weights(longer, "y").evaluate(observation, batch.action_mask)
    for output, expected in zip(outputs, agent.evaluate(batch.observation, batch.action_mask), strict=True):
        np.testing.assert_array_equal(output, expected)


RED_FLAG = get_game("RedFlagOverParis-v1")


def belief_network() -> DenseNetwork:
    torch.manual_seed(2)
    model = DenseNetwork(RED_FLAG, 16, 2)
    model.add_belief(RED_FLAG, 12)
    torch.nn.init.normal_(model.belief.output.weight, std=0.3)
    return model


def test_numpy_and_torch_believe_the_same(tmp_path):
    model, batch = belief_network(), GameBatch(RED_FLAG, 8, seed=4)
    batch.step_random(30)
    layout, _ = RED_FLAG.observation.private()
    metadata = game_metadata(RED_FLAG, RED_FLAG.load_components(None)) | {"belief": [p.name for p in layout.pieces]}
    write_network(tmp_path / "model.safetensors", model.to_arrays(), metadata)
    belief = rfop_agents.load(str(tmp_path), RED_FLAG).belief(batch.observation)
    with torch.no_grad():
        policy = model.evaluate_actions(torch.as_tensor(batch.observation), torch.tensor(batch.action_mask))
    assert belief.dtype == np.float32 and belief.shape == (8, belief_targets(RED_FLAG)) and np.ptp(belief) > 0.3
    assert np.allclose(belief, torch.sigmoid(policy.belief), atol=1e-5)

    again = DenseNetwork(RED_FLAG, 16, 2)
    again.add_belief(RED_FLAG, 12)
    again.load_arrays(read_network(tmp_path / "model.safetensors")[0])
    assert all((array == model.to_arrays()[name]).all() for name, array in again.to_arrays().items())
    with pytest.raises(RfopError, match="x has no belief head: rfop train ppo --belief 1 trains one"):
        NetworkAgent.from_weights(DenseNetwork(RED_FLAG).to_arrays(), "x").belief(batch.observation)


def test_the_features_of_a_board_are_the_same_in_numpy_and_torch():
    torch.manual_seed(3)
    model, batch = BoardNetwork(GAME, 8, 2, 12), make_batch()
    features = board_network.BoardNetwork(model.to_arrays()).features(batch.observation)
    assert features.shape == (8, board_network.features(model.to_arrays()))
    with torch.no_grad():
        assert np.allclose(features, model.features(torch.as_tensor(batch.observation)), atol=1e-5)


def test_a_belief_head_that_does_not_fit_is_refused(tmp_path):
    weights, path = belief_network().to_arrays(), tmp_path / "model.safetensors"
    metadata = game_metadata(RED_FLAG, RED_FLAG.load_components(None))
    write_network(path, weights, metadata | {"belief": ["hand"]})
    with pytest.raises(VersionMismatch, match=r"a belief head for \['hand'\] instead of"):
        rfop_agents.load(str(path), RED_FLAG)
    write_network(path, weights | {"belief.first.weight": np.zeros((12, 3), np.float32)}, metadata)
    with pytest.raises(RfopError, match=r"belief.first.weight \[12, 3\] instead of \[12, "):
        read_network(path)
    del weights["belief.output.bias"]
    write_network(path, weights, metadata)
    with pytest.raises(RfopError, match=r"no belief\.output\.bias"):
        read_network(path)


def test_a_network_is_loaded_by_its_file_or_its_folder(tmp_path):
    saved(tmp_path, steps=5)
    batch, rng = make_batch(), np.random.default_rng(0)
    both = [rfop_agents.load(str(p), GAME) for p in (tmp_path, tmp_path / "model.safetensors")]
    first, second = (agent.act(batch.observation, batch.action_mask, rng) for agent in both)
    assert (first == second).all() and batch.action_mask[np.arange(8), first].all()
    assert both[0].name.split("#")[0] == tmp_path.name and both[0].metadata["steps"] == 5
    with pytest.raises(UnknownName, match="unknown agent"):
        rfop_agents.load(str(tmp_path / "none"), GAME)


def test_sampled_actions_follow_the_policy(tmp_path):
    saved(tmp_path)
    batch, rng = make_batch(n=1), np.random.default_rng(0)
    observation, mask = (np.repeat(rows, 20_000, axis=0) for rows in (batch.observation, batch.action_mask))
    for name, temperature in (("@1", 1.0), ("@0.5", 0.5)):
        agent = rfop_agents.load(f"{tmp_path}{name}", GAME)
        logits = agent.evaluate(observation[:1], mask[:1])[0][0].astype(np.float64) / temperature
        expected = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
        shares = np.bincount(agent.act(observation, mask, rng), minlength=len(expected)) / len(observation)
        assert abs(shares - expected).max() < 0.015
    with pytest.raises(RfopError, match="temperature"):
        rfop_agents.load(f"{tmp_path}@0", GAME)


def test_a_file_that_does_not_fit_is_refused(tmp_path):
    saved(tmp_path, version=7)
    with pytest.raises(VersionMismatch, match="version 7 instead of 0"):
        rfop_agents.load(str(tmp_path), GAME)
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(VersionMismatch, match="is not a model file"):
        rfop_agents.load(str(tmp_path), GAME)
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(1, np.float32)}, tmp_path / "model.safetensors")
    with pytest.raises(VersionMismatch, match="has no metadata of an environment"):
        read_network(tmp_path / "model.safetensors")


# -- from all sides ----------------------------------------------------------------------------------------------------


def test_a_symmetric_agent_judges_a_turned_board_as_the_board():
    inner, batch = NetworkAgent.from_weights(network().to_arrays(), "x"), make_batch()
    agent = SymmetricAgent(inner, GAME)
    logits, values = agent.evaluate(batch.observation, batch.action_mask)
    assert agent.name == "symmetric+x" and np.ptp(values) > 0.01
    assert (logits[~batch.action_mask] == np.float32(ILLEGAL)).all()
    assert np.allclose(np.where(batch.action_mask, np.exp(logits), 0).sum(axis=1), 1.0, atol=1e-5)

    differs = 0.0
    for symmetry in GAME.symmetries():
        turned = batch.observation[:, symmetry.observation], batch.action_mask[:, symmetry.actions]
        turned_logits, turned_values = agent.evaluate(*turned)
        assert np.allclose(turned_logits, logits[:, symmetry.actions], atol=1e-4)
        assert np.allclose(turned_values, values, atol=1e-5)
        differs = max(differs, abs(inner.evaluate(*turned)[1] - values).max())
    assert differs > 0.01, "the network itself sees a difference"

    likeliest = np.where(batch.action_mask, logits, -np.inf).argmax(axis=1)
    assert (agent.act(batch.observation, batch.action_mask, np.random.default_rng(0)) == likeliest).all()


def test_a_symmetric_agent_is_loaded_by_name_and_guides_searches(tmp_path):
    saved(tmp_path)
    sampled = rfop_agents.load(f"symmetric+{tmp_path}@1", GAME)
    assert sampled.name.startswith("symmetric+") and sampled.name.endswith("@1")
    batch = make_batch(n=2)
    actions = {tuple(act_for(sampled, batch, np.arange(2), np.random.default_rng(seed))) for seed in range(30)}
    assert len(actions) > 5
    search = rfop_agents.load(f"search-3+symmetric+{tmp_path}", GAME)
    assert "+symmetric+" in search.name
    assert batch.action_mask[range(2), act_for(search, batch, np.arange(2), np.random.default_rng(0))].all()


def test_a_symmetric_agent_needs_symmetries():
    with pytest.raises(RfopError, match="symmetric\\+x: LeveeEnMasse-v0 has no symmetries"):
        SymmetricAgent(NetworkAgent.from_weights(network().to_arrays(), "x"), get_game("LeveeEnMasse-v0"))


def test_a_network_with_a_memory_is_refused(tmp_path):
    weights = network().to_arrays() | {"gru.bias_hh": np.zeros(12, np.float32)}
    write_network(tmp_path / "model.safetensors", weights, game_metadata(GAME, GAME.load_components(None)))
    with pytest.raises(RfopError, match="recurrent core"):
        read_network(tmp_path / "model.safetensors")


def test_the_return_that_a_network_expects_is_what_was_paid_and_its_value():
    game = get_game("RedFlagOverParis-v1")
    batch = GameBatch(game, 12, seed=4)
    batch.step_random(60)
    games = np.flatnonzero(batch.states["over"] == 0)[::2]
    agent = rfop_agents.load("red-flag/ppo-3", game)
    thoughts = agent.think(batch, games, np.random.default_rng(0))

    paid = 0.5 * batch.game_returns("margin")[games, batch.current_player[games]]
    assert (paid != 0).any() and agent.rewards == {"outcome": 0.5, "margin": 0.5}
    logits, values = agent.evaluate(batch.observation[games], batch.action_mask[games])
    np.testing.assert_allclose(thoughts.values, values + paid, atol=1e-6)
    np.testing.assert_array_equal(thoughts.actions, logits.argmax(axis=1))
    np.testing.assert_allclose(thoughts.probs.sum(axis=1), 1.0)
    assert not thoughts.probs[~batch.action_mask[games]].any()


@pytest.mark.parametrize("name", ["search-3+{}", "gumbel-3+{}", "rollout-2x2+{}", "rollout-2x2:{}"])
def test_a_network_looks_ahead_in_another_game_of_its_rules(name, tmp_path):
    """Its values predict a reward kind that the other game lacks."""
    solo, duel = get_game("RedFlagOverParisSolo-v1"), get_game("RedFlagOverParis-v1")
    weights, metadata = read_network(baselines.baseline_path("red-flag/solo-12"))
    path = tmp_path / "mixed.safetensors"
    write_network(path, weights, metadata | {"rewards": {"mixed": 1.0}})
    assert rfop_agents.load(str(path), solo).rewards == {"mixed": 1.0}
    assert rfop_agents.load(str(path), duel).rewards == {}
    batch = GameBatch(duel, 2, seed=4)
    thoughts = rfop_agents.load(name.format(path), duel).think(batch, np.arange(2), np.random.default_rng(0))
    assert batch.action_mask[np.arange(2), thoughts.actions].all()
    assert np.isfinite(thoughts.values).all() and (np.abs(thoughts.values) < 1.5).all()
