"""OpenSpiel: its own test of random play, its searches, and its exact algorithms on the ends of games."""

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.libraries
pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability, ismcts, mcts
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

import rfop_env
from rfop_env.core.errors import BadArgument, BadPosition, IllegalAction, RfopError, UnknownName
from rfop_env.interfaces import openspiel_game
from rfop_env.interfaces.openspiel_game import short_name, start_text
from rfop_env.registry import get_entry

TWO, SOLO = "LiarsRace-v0", "LiarsRaceSolo-v0"
ALL = [*rfop_env.list_games(), TWO, SOLO]
RANDOM_PLAY = [*ALL, "Paris-v0(players=3)", "Paris-v0(players=4,deals=2)", "RedFlagOverParisSolo-v1(side=commune)"]
HIDDEN = [TWO, "RedFlagOverParis-v1", "Paris-v0"]


@pytest.fixture(autouse=True)
def registered(toys):
    """OpenSpiel knows the toy games; it never forgets them."""
    for name in toys:
        openspiel_game.register(get_entry(name))


def load(name, **parameters):
    """A game by its id and perhaps parameters behind it, or by parameters as a dictionary."""
    base, bracket, words = name.partition("(")
    called = short_name(base) + bracket + words
    return pyspiel.load_game(called, parameters) if parameters else pyspiel.load_game(called)


def played(state, rng, steps=10**6):
    """The state after some random actions, chance among them."""
    while steps and not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
        steps -= 1
    return state


def late(name, decisions, seed):
    """A position so many decisions before the end of a random game, as the parameter `start`."""
    batch, starts = rfop_env.make_batch(name, 1, seed), []
    while not batch.states["over"][0]:
        starts.append(start_text(batch))
        batch.step_random()
    return starts[-decisions]


# -- the interface -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RANDOM_PLAY)
def test_random_play_with_copies_from_text(name):
    pyspiel.random_sim_test(load(name), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(
    ("name", "options"), [(TWO, {}), (SOLO, {"bot": "blue"}), ("Revolution-v0", {}), ("Paris-v0", {"players": 3})]
)
def test_it_plays_the_games_of_a_batch(name, options):
    rng = np.random.default_rng(0)
    state = load(name, seed=5, deals=4, **options).new_initial_state()
    if state.is_chance_node():
        assert state.chance_outcomes() == [(k, 0.25) for k in range(4)] and str(state) == "before the deal"
        state.apply_action(2)
    batch = rfop_env.make_batch(name, 1, 7 if state.get_game().setup.has_deals else 5, **options)
    while not state.is_terminal():
        assert state.current_player() == batch.current_player[0]
        assert state.legal_actions() == np.flatnonzero(batch.action_mask[0]).tolist()
        assert str(state) == batch.draw_text() and state.returns() == [0.0] * batch.game.spec.players
        action = int(rng.choice(state.legal_actions()))
        assert state.action_to_string(action) == batch.game.actions.label(action)
        state.apply_action(action)
        batch.step([action])
    assert state.returns() == batch.rewards[0].tolist()


def test_observers():
    game = load("RedFlagOverParis-v1")
    state = game.new_initial_state()
    observer, recalled = make_observation(game), make_observation(game, INFO_STATE_OBS_TYPE)
    observer.set_from(state, 0)
    assert not observer.tensor.any() and observer.string_from(state, 0) == "" and recalled.string_from(state, 0)
    played(state, np.random.default_rng(1), 12)
    for seat in range(2):
        observer.set_from(state, seat)
        observation = state.batch.observe(seat)[0]
        np.testing.assert_array_equal(observer.tensor, observation)
        np.testing.assert_array_equal(state.observation_tensor(seat), observation)
        described = state.batch.game.observation.describe(observation)
        assert json.loads(observer.string_from(state, seat)) == json.loads(json.dumps(described))
        assert list(observer.dict) == [piece.name for piece in state.batch.game.observation.pieces]
        assert recalled.string_from(state, seat) == state.information_state_string(seat)
        recalled.set_from(state, seat)
        np.testing.assert_array_equal(recalled.tensor, state.information_state_tensor(seat))
        np.testing.assert_array_equal(recalled.dict["observation"], observation)
    assert all(np.shares_memory(part, observer.tensor) for part in observer.dict.values())
    with pytest.raises(BadArgument, match="SINGLE_PLAYER"):
        make_observation(game, pyspiel.IIGObservationType(True, False, pyspiel.PrivateInfoType.ALL_PLAYERS))
    with pytest.raises(BadArgument, match="no parameters"):
        make_observation(game, None, {"bright": 1})


@pytest.mark.parametrize("name", HIDDEN)
def test_a_resampled_state_is_the_same_to_its_seat(name):
    rng = np.random.default_rng(2)
    state = load(name).new_initial_state()
    redrawn = 0
    while not state.is_terminal():
        if not state.is_chance_node():
            seat = state.current_player()
            twin = state.resample_from_infostate(seat, rng.random)
            assert twin.information_state_string(seat) == state.information_state_string(seat)
            assert twin.legal_actions() == state.legal_actions()
            redrawn += twin.batch.states.tobytes() != state.batch.states.tobytes()

            # The same action leads on to the same knowledge only if the same is seen.
            action = int(rng.choice(state.legal_actions()))
            own, reference = state.child(action), twin.child(action)
            same = (own.batch.observe(seat) == reference.batch.observe(seat)).all()
            assert (own.information_state_string(seat) == reference.information_state_string(seat)) == same
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert redrawn > 5


def test_a_seat_recalls_what_it_did_and_saw():
    state = load(TWO, deals=2).new_initial_state()
    assert state.information_state_string(0) == "0: nothing"
    state.apply_action(0)
    seat = state.current_player()
    texts = {state.child(action).information_state_string(seat) for action in state.legal_actions()}
    assert len(texts) == len(state.legal_actions()) > 1
    revolution = load("Revolution-v0").new_initial_state()
    played(revolution, np.random.default_rng(0), 5)
    assert revolution.information_state_string(1) == f"1: {' '.join(map(str, revolution.history()))}"


def tell_apart(states):
    """Check that two information states of a seat have one tensor just where they have one string; their number."""
    for seat in range(states[0].num_players()):
        pairs = [
            (state.information_state_string(seat), np.array(state.information_state_tensor(seat), np.float32).tobytes())
            for state in states
        ]
        assert len(set(pairs)) == len({text for text, _ in pairs}) == len({tensor for _, tensor in pairs})
    return len(set(pairs))


def tree(game):
    """All states of a game."""
    waiting, states = [game.new_initial_state()], []
    while waiting:
        states.append(waiting.pop())
        if not states[-1].is_terminal():
            waiting += [states[-1].child(action) for action in states[-1].legal_actions()]
    return states


@pytest.mark.parametrize("name", ALL)
def test_tensors_tell_information_states_apart_in_random_play(name):
    """Some states on the way of three games of one deal, each as a copy too, and states one action later."""
    rng, states = np.random.default_rng(5), []
    for _ in range(3):
        state = load(name).new_initial_state()
        while not state.is_terminal():
            if rng.random() < 30 / state.get_game().max_game_length():
                states += [state.clone(), *(state.child(int(a)) for a in rng.choice(state.legal_actions(), 2))]
            state.apply_action(0 if state.is_chance_node() else int(rng.choice(state.legal_actions())))
        states.append(state)
    assert tell_apart(states) > 10
    shape = states[0].get_game().information_state_tensor_shape()
    assert shape == [len(states[-1].information_state_tensor(0))]


@pytest.mark.parametrize(("name", "parameters"), [("Revolution-v0", {}), (TWO, {"deals": 6})])
def test_tensors_tell_all_information_states_of_a_small_game_apart(name, parameters):
    states = tree(small_end(name, 150, **parameters))
    assert 20 < tell_apart(states) <= len(states)


def test_a_seat_that_acts_and_sees_nothing_new_remembers_it():
    """The order of actions and views is kept; a view that is still the last one is none."""
    memory = openspiel_game.SeatMemory()
    memory.see(b"a")
    memory.see(b"a")
    memory.act(3)
    memory.see(b"a")
    memory.act(4)
    memory.see(b"b")
    memory.see(b"a")
    none = openspiel_game.NO_ACTION
    assert memory.rows == [(none, b"a"), (3, b""), (4, b"b"), (none, b"a")]


@pytest.mark.parametrize("name", ALL)
def test_no_two_views_have_one_row(name):
    layout = rfop_env.make_batch(name, 1, 0).game.observation
    packing, rng = openspiel_game.ViewPacking(layout), np.random.default_rng(0)
    views = np.tile(layout.low, (layout.size + 1, 1))
    views[np.arange(layout.size), np.arange(layout.size)] = layout.high
    views = np.concatenate([views, rng.integers(layout.low, layout.high.astype(int) + 1, (50, layout.size), np.int16)])
    rows = packing.pack(views.astype(np.int8))
    assert rows.dtype == np.float32 and rows.min() >= 0 and rows.max() < 1
    assert len(np.unique(rows, axis=0)) == len(np.unique(views, axis=0))


def test_a_copy_remembers_by_itself():
    state = played(load(TWO).new_initial_state(), np.random.default_rng(6), 4)
    seat = state.current_player()
    before = state.information_state_tensor(seat)
    for twin in (state.clone(), copy.deepcopy(state)):
        assert twin.information_state_tensor(seat) == before
        twin.apply_action(twin.legal_actions()[-1])
        assert twin.information_state_tensor(seat) != before == state.information_state_tensor(seat)


def test_the_sizes_of_tensors_are_those_of_the_docs():
    page = (Path(__file__).parents[2] / "docs/interfaces.md").read_text(encoding="utf-8")
    for text in (page, openspiel_game.__doc__):
        for name in set(ALL) - {TWO, SOLO}:
            assert f"{load(name).information_state_tensor_size():,}" in text


@pytest.mark.parametrize("name", ALL)
def test_structs(name):
    rng = np.random.default_rng(3)
    state = load(name).new_initial_state()
    if state.is_chance_node():
        assert state.to_struct().to_dict() == {"game": name, "state": None}
        assert state.to_observation_struct(0).to_dict()["observation"] == {}
        struct = state.action_to_struct(pyspiel.PlayerId.CHANCE, 3)
        assert struct.to_dict() == {"action": "deal 3"} and state.struct_to_actions(struct) == [3]
        state.apply_action(3)
    played(state, rng, 4)
    seat = state.current_player()
    position = json.loads(state.to_struct().to_json())
    assert position["game"] == name and position["state"]["decisions"] == int(state.batch.states["decisions"][0])
    view = json.loads(state.to_observation_struct(seat).to_json())
    assert view["legal_actions"] == [state.action_to_string(seat, action) for action in state.legal_actions()]
    assert view["observation"].keys() == {piece.name for piece in state.batch.game.observation.pieces}
    for action in state.legal_actions():
        assert state.struct_to_actions(state.action_to_struct(seat, action)) == [action]


def test_what_a_seat_is_told_has_nothing_hidden_in_it():
    state = played(load(TWO).new_initial_state(), np.random.default_rng(4), 6)
    seat = state.current_player()
    answers = {
        (state.resample_from_infostate(seat, rng.random).to_observation_struct(seat).to_json())
        for rng in map(np.random.default_rng, range(20))
    }
    assert answers == {state.to_observation_struct(seat).to_json()}


def test_a_pickled_state_plays_on():
    game = load("Revolution-v0", start=late("Revolution-v0", 6, 1))
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    twin = pickle.loads(pickle.dumps(state))
    assert str(twin) == str(state) and twin.legal_actions() == state.legal_actions()
    assert str(twin.get_game()) == str(game)


# -- searches and exact algorithms -------------------------------------------------------------------------------------


def test_mcts_takes_a_win():
    """One decision before the end of a game, the search finds the best there is."""
    for seed in range(20):
        state = load("Revolution-v0", start=late("Revolution-v0", 1, seed)).new_initial_state()
        seat = state.current_player()
        returns = {action: state.child(action) for action in state.legal_actions()}
        if all(child.is_terminal() for child in returns.values()):
            values = {action: child.returns()[seat] for action, child in returns.items()}
            if len(set(values.values())) > 1:
                break
    else:
        raise AssertionError("no position in which the last decision matters")
    bot = mcts.MCTSBot(
        state.get_game(), 1.4, 60, mcts.RandomRolloutEvaluator(1, np.random.RandomState(0)), solve=True,
        random_state=np.random.RandomState(0),
    )  # fmt: skip
    assert values[bot.step(state)] == max(values.values())


@pytest.mark.parametrize("name", HIDDEN)
def test_ismcts_searches_what_a_seat_knows(name):
    state = load(name, start=late(name, 6, 1), deals=3).new_initial_state()
    state.apply_action(0)
    bot = ismcts.ISMCTSBot(
        state.get_game(), mcts.RandomRolloutEvaluator(1, np.random.RandomState(0)), 2.0, 20,
        random_state=np.random.RandomState(0), allow_inconsistent_action_sets=True,
    )  # fmt: skip
    while not state.is_terminal():
        probs = dict(bot.get_policy(state))
        assert set(probs) <= set(state.legal_actions()) and sum(probs.values()) == pytest.approx(1)
        state.apply_action(max(probs, key=probs.get))


def game_nodes(game, most):
    """The number of nodes of a game's tree; None where there are more than `most`."""
    waiting, nodes = [game.new_initial_state()], 0
    while waiting:
        state = waiting.pop()
        nodes += 1
        if nodes > most:
            return None
        if not state.is_terminal():
            waiting += [state.child(action) for action in state.legal_actions()]
    return nodes


def small_end(name, most, **parameters):
    """The longest end of a random game whose tree has at most so many nodes, and at least a third of them."""
    for seed in range(10):
        for decisions in (6, 5, 4, 3, 2):
            game = load(name, start=late(name, decisions, seed), **parameters)
            nodes = game_nodes(game, most)
            if nodes and nodes > most // 3:
                return game
    raise AssertionError("no small end of a game")


@pytest.mark.parametrize(("name", "parameters"), [("Revolution-v0", {}), (TWO, {"deals": 6})])
def test_exploitability_falls_with_cfr_plus(name, parameters):
    game = small_end(name, 150, **parameters)
    initial = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    final = exploitability.exploitability(game, solver.average_policy())
    assert 0 <= final < 0.05 and (final < initial or initial == 0)


def test_policy_gradients_learn_from_tensors():
    """The networks of an algorithm of OpenSpiel have the tensors as their input."""
    torch = pytest.importorskip("torch")
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import policy_gradient

    torch.manual_seed(0)
    env = rl_environment.Environment(
        small_end(TWO, 150, deals=6), observation_type=rl_environment.ObservationType.INFORMATION_STATE
    )
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    agents = [
        policy_gradient.PolicyGradient(
            seat, size, actions, loss_str="a2c", hidden_layers_sizes=(8,), batch_size=4, num_critic_before_pi=1
        )
        for seat in range(2)
    ]
    for _ in range(20):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
    losses = [loss for agent in agents for loss in agent.loss]
    assert any(loss is not None for loss in losses)
    assert all(torch.isfinite(loss).all() for loss in losses if loss is not None)


# -- wrong use ---------------------------------------------------------------------------------------------------------


WRONG = {
    "reward": ({"reward": "none"}, UnknownName, "unknown reward of RedFlagOverParis-v1 .none."),
    "option": ({"variant": "large"}, UnknownName, "'censor'"),
    "start": ({"start": "abc"}, BadPosition, "no position of start_text"),
    "cut off": ({"start": "eJw"}, BadPosition, "start"),
}


@pytest.mark.parametrize(("parameters", "error", "message"), WRONG.values(), ids=WRONG)
def test_wrong_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        load("RedFlagOverParis-v1", **parameters)


def test_wrong_use():
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'speed'"):
        load("Revolution-v0", speed=1)
    with pytest.raises(BadPosition, match="Revolution-v0"):
        load("RedFlagOverParis-v1", start=late("Revolution-v0", 3, 0)).new_initial_state()
    state = load("Revolution-v0").new_initial_state()
    illegal = next(a for a in range(state.num_distinct_actions()) if a not in state.legal_actions())
    snapshot = str(state)
    with pytest.raises(IllegalAction):
        state.apply_action(illegal)
    assert str(state) == snapshot
    root = load(TWO, deals=2).new_initial_state()
    with pytest.raises(BadArgument, match="deal 2"):
        root.apply_action(2)
    for struct in ({"action": "deal 2"}, {"action": "deal x"}, {"action": 1}, {}, []):
        with pytest.raises(RfopError):
            root._struct_to_actions(struct)
    finished_game = rfop_env.make_batch("Revolution-v0", 1, 0)
    finished_game.step_random(1000)
    with pytest.raises(BadArgument, match="has ended"):
        start_text(finished_game)


def test_a_process_that_used_it_ends_in_peace():
    code = (
        "import pyspiel, rfop_env.interfaces.openspiel_game\n"
        "pyspiel.load_game('rfop_Revolution_v0').new_initial_state().legal_actions()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "Fatal" not in done.stderr, done.stderr
