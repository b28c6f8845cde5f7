"""Networks that look at every space of a board with the same weights: in NumPy, in torch, in training, from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import rfop_agents
from rfop_env.agent import act_for
from rfop_agents.network import ILLEGAL, MODEL, NetworkAgent, game_metadata, read_network, write_network
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.games.revolution.game import revolution
from rfop_env.registry import get_game
from rfop_training import expert_iteration, ppo
from rfop_training.expert_iteration import ExpertArguments
from rfop_training.networks import BoardNetwork, make_network, network_sizes
from rfop_training.ppo import PPOArguments, PPOTrainer, Snapshot
from training.research.lab.best_response import respond
from training.research.publishing.baselines import played_weights
from rfop_training.evaluation.setting import Setting

GAME = revolution()
SIZES = {"space_units": 8, "layers": 2, "width": 12}
SMALL = {"env": "Revolution-v0", "num_envs": 16, "minibatch_size": 64, "evaluate_deals": 2, "quiet": True, **SIZES}


def network(seed: int = 3) -> BoardNetwork:
    """A network whose policy and value tell positions apart."""
    torch.manual_seed(seed)
    model = BoardNetwork(GAME, SIZES["space_units"], SIZES["layers"], SIZES["width"])
    for head in (model.policy, model.space):
        torch.nn.init.normal_(head.weight)
    return model


def make_batch(steps: int = 14, n: int = 8) -> GameBatch:
    batch = GameBatch(GAME, n, seed=4)
    batch.step_random(steps)
    return batch


def evaluate(net: BoardNetwork, batch: GameBatch) -> tuple[np.ndarray, np.ndarray]:
    """Logits and values by torch."""
    with torch.no_grad():
        outputs = net(torch.tensor(batch.observation), torch.tensor(batch.action_mask))
    return outputs[0].numpy(), outputs[1].numpy()


def saved(folder: Path, weights: dict) -> Path:
    write_network(folder / MODEL, weights, game_metadata(GAME, GAME.load_components(None)))
    return folder / MODEL


# -- what it computes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 8, 300])
def test_numpy_and_torch_agree(n):
    model, batch = network(), make_batch(n=max(n, 1))
    agent = NetworkAgent.from_weights(model.to_arrays(), "x")
    observation, mask = batch.observation[:n], batch.action_mask[:n]
    logits, values = agent.evaluate(observation, mask)
    expected = evaluate(model, batch)
    assert np.allclose(logits, expected[0][:n], atol=1e-4) and np.allclose(values, expected[1][:n], atol=1e-4)
    assert (logits[~mask] == np.float32(ILLEGAL)).all()
    likeliest = np.where(mask, logits, -np.inf).argmax(axis=1)
    assert (agent.act(observation, mask, np.random.default_rng(0)) == likeliest).all()
    if n > 1:
        assert np.ptp(logits[mask]) > 0.1 and np.ptp(values) > 0.01


@pytest.mark.parametrize("steps", [1, 8, 15, 30])
def test_a_turned_board_turns_the_policy_and_keeps_the_value(steps):
    agent, batch = NetworkAgent.from_weights(network().to_arrays(), "x"), make_batch(steps)
    logits, values = agent.evaluate(batch.observation, batch.action_mask)
    for symmetry in GAME.symmetries():
        turned = batch.observation[:, symmetry.observation], batch.action_mask[:, symmetry.actions]
        turned_logits, turned_values = agent.evaluate(*turned)
        assert np.allclose(turned_logits, logits[:, symmetry.actions], atol=1e-4)
        assert np.allclose(turned_values, values, atol=1e-4)


def test_a_space_hears_of_its_neighbours_layer_by_layer():
    """A change on a corner reaches its neighbours by one layer and their neighbours by the next, but for the mean."""
    model, board = network(), GAME.board()
    layers = list(model.spaces)
    for layer in layers:
        torch.nn.init.zeros_(layer.mean.weight)
    observation = torch.tensor(make_batch(n=1).observation)
    changed = observation.clone()
    changed[0, board.observation[0, 10]] += 3  # the certain control of a corner

    reached = []
    for number in range(3):
        model.spaces = torch.nn.ModuleList(layers[:number])
        with torch.no_grad():
            start, end = (model.features(o)[0, :25] for o in (observation, changed))
        reached.append({int(x) for x in np.flatnonzero((start - end).abs() > 1e-6)})
    assert reached[0] == {0} and reached[1] <= {0, 1, 5} and reached[2] <= {0, 1, 5, 2, 6, 10}
    assert len(reached[2]) > len(reached[1]) > 1


def test_every_entry_counts():
    """Each entry of the observation, of a space or not, changes what the network says."""
    model = network()
    observation = torch.tensor(make_batch(n=1).observation)
    variants = observation.repeat(GAME.observation.size, 1)
    variants[range(len(variants)), range(len(variants))] += 40
    with torch.no_grad():
        features = model.features(torch.cat((observation, variants)))
    assert ((features[1:] - features[0]).abs().amax(dim=1) > 1e-6).all()


def test_half_precision_is_close_and_asks_a_copy():
    model, batch = network(), make_batch()
    logits, values = evaluate(model, batch)
    half = model.bf16_copy()
    half.bf16 = True
    of_half = evaluate(half, batch)
    assert half.inputs.weight.dtype == torch.bfloat16 and model.inputs.weight.dtype == torch.float32
    assert half.value.weight.dtype == torch.float32
    assert 0.0 < abs(of_half[1] - values).max() < 0.1 and abs(of_half[0] - logits)[batch.action_mask].max() < 0.2


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_file_holds_all_that_is_needed_to_play(tmp_path):
    model, batch = network(), make_batch()
    agent = rfop_agents.load(str(saved(tmp_path, model.to_arrays())), GAME)
    assert np.allclose(agent.evaluate(batch.observation, batch.action_mask)[0], evaluate(model, batch)[0], atol=1e-4)
    assert {*played_weights(read_network(tmp_path / MODEL)[0])} == {*model.to_arrays()}

    search = rfop_agents.load(f"search-8+{tmp_path}", GAME)
    actions = act_for(search, batch, np.arange(8), np.random.default_rng(0))
    assert batch.action_mask[range(8), actions].all()


DAMAGED = {
    "outside": (lambda w: w["space_entries"].__setitem__((3, 2), 472), "space_entries is not of different numbers"),
    "twice": (lambda w: w["space_actions"].__setitem__(3, 14), "space_actions is not of different numbers"),
    "shape": (lambda w: w.update({"pool.weight": w["pool.weight"][:, 1:]}), r"pool.weight \[24, 15\] instead of"),
    "nan": (lambda w: w["neighbours"].__setitem__((0, 0), np.nan), "neighbours is not all finite"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused(tmp_path, name):
    weights = network().to_arrays()
    spoil, message = DAMAGED[name]
    spoil(weights)
    with pytest.raises(RfopError, match=message):
        read_network(saved(tmp_path, weights))


# -- training ----------------------------------------------------------------------------------------------------------


def test_a_game_without_a_board_is_refused():
    levee = get_game("LeveeEnMasse-v0")
    with pytest.raises(RfopError, match="--space-units: LeveeEnMasse-v0 has no board"):
        make_network(PPOArguments(space_units=8), levee)


def test_an_initial_network_of_other_sizes_is_refused_with_its_own(tmp_path):
    model = str(saved(tmp_path, network().to_arrays()))
    sizes = "has other layers than asked for: give --space-units 8 --layers 2 --width 12$"
    for changes in ({"space_units": 0}, {"space_units": 4}, {"layers": 3}, {"width": 8}):
        with pytest.raises(RfopError, match=sizes):
            ppo.train(PPOArguments(run=tmp_path / "run", steps=9, init_from=model, **SMALL | changes))
    with pytest.raises(RfopError, match=r"revolution/ppo-2 has other layers .* give --layers 2 --width 256$"):
        ppo.train(PPOArguments(run=tmp_path / "run", steps=9, init_from="revolution/ppo-2", **SMALL))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_self_play_trains_it_and_resumes_bit_by_bit(tmp_path, precision):
    arguments = {"precision": precision, "pool_every": 2, "opponents": "self=0.5,past=0.5", **SMALL}
    games = GAME, GAME.load_components(None)
    trainer = PPOTrainer(PPOArguments(**arguments), *games)
    for _ in range(3):
        trainer.update(0.5, 1e-3)
    state, start = trainer.state(), trainer.to_arrays()
    resumed = PPOTrainer(PPOArguments(**arguments), *games)
    resumed.restore(state)
    for _ in range(3):
        trainer.update(0.5, 1e-3)
        resumed.update(0.5, 1e-3)

    assert isinstance(trainer.pool.groups[0].agent, Snapshot) and len(trainer.pool.weights) > 1
    arrays = trainer.to_arrays()
    assert all((array == arrays[name]).all() for name, array in resumed.to_arrays().items())
    assert any((array != arrays[name]).any() for name, array in start.items())
    assert all((start[name] == arrays[name]).all() for name in ("space_entries", "neighbours", "scale"))


def test_expert_iteration_and_best_responses_train_it(tmp_path):
    arguments = {key: SMALL[key] for key in SMALL if key != "num_envs"}
    own = {"num_envs": 16, "num_steps": 16, "simulations": 4, "considered": 2, "precision": "bfloat16"}
    model = expert_iteration.train(ExpertArguments(run=tmp_path / "xi", steps=3000, **own, **arguments))
    weights = rfop_agents.load(str(model), GAME).weights
    assert network_sizes(weights) == SIZES

    setting = Setting("Revolution-v0")
    respond(str(model), setting, tmp_path / "response", 600, str(model), num_envs=16, evaluate_deals=2, quiet=True)
    assert network_sizes(rfop_agents.load(str(tmp_path / "response"), GAME).weights) == SIZES
