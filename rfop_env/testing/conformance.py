"""The conformance suite: every rule of the ecosystems that the interfaces follow, for any environment id.

    from rfop_env.testing.conformance import check_game
    check_game("RedFlagOverParisSolo-v1")

Any warning of a checker is an error here, except the few messages listed in `KNOWN_WARNINGS`, which PettingZoo gives to
every environment of its own kind that is not on a list inside the checker.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from rfop_env.core import errors
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import ILLEGAL_ACTION
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.opponents import new_batch
from rfop_env.registry import get_entry, get_game
from rfop_env.testing import copies, determinization, random_play

KNOWN_WARNINGS = (
    # PettingZoo's api_test has a list of its own environments with Dict observations, and warns for all others.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    # It also looks at the mask of an agent that has nothing left to do; `check_masks` holds the others to be non-empty.
    "Action mask numpy array is all zeros (no legal actions).",
)


@contextlib.contextmanager
def strict() -> Iterator[None]:
    """Warnings are errors, except the known ones; the checkers' chatter is swallowed."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in KNOWN_WARNINGS:
            warnings.filterwarnings("ignore", message=re.escape(message))
        yield


def check_game(name: str, *, options: dict[str, Any] | None = None) -> list[str]:
    """Run every check that applies to the id, with the given game options; returns the names of those that ran.

    Raises `AssertionError` (or what a checker raises) at the first failure.
    """
    ran = []
    for check, arguments in game_checks(name):
        check(name, **arguments, **(options or {}))
        ran.append(check.__name__)
    return ran


def last_legal(observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """An opponent outside the rules: the last legal action of every position, int64 [n]."""
    last: NDArray[np.int64] = action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)
    return last


def game_checks(name: str) -> list[tuple[Callable[..., None], dict[str, Any]]]:
    """The checks that apply to an id, each with its arguments.

    All seats play through PettingZoo, single seats through Gymnasium and SB3; so does a game of several seats whose
    other seats an opponent inside the environment takes: the last of the game's own, or that and a function by turns.
    """
    checks: list[Callable[..., None]] = [check_spec, check_masks, check_hidden_information, check_symmetries]
    checks += [check_board, check_drawings, check_copies]
    if importlib.util.find_spec("pettingzoo"):
        checks += [check_pettingzoo, check_pettingzoo_masks, check_pettingzoo_copies, check_pettingzoo_saves]
        checks += [check_pettingzoo_reset]
    one_seat = [check_gymnasium, check_gymnasium_masks, check_vector_env, check_vector_illegal, check_gymnasium_copies]
    one_seat += [check_gymnasium_saves, check_gymnasium_reset]
    if importlib.util.find_spec("stable_baselines3"):
        one_seat += [check_sb3, check_sb3_vec_env, check_sb3_copies, check_sb3_reset]
    opponents = [opponent.name for opponent in get_game(name).opponents]
    inside: list[dict[str, Any]] = [{}]
    if opponents:
        inside = [{"opponent": opponents[-1]}, {"opponent": {opponents[-1]: 0.5, last_legal: 0.5}}]
    return [(check, {}) for check in checks] + [(check, who) for who in inside for check in one_seat]


def seatings(name: str) -> list[dict[str, str]]:
    """The options that give a game another number of seats than its default: one dictionary each."""
    players = [option for option in get_game(name).options if option.name == "players"]
    return [{"players": value} for option in players for value in option.values[1:]]


# -- the game itself ------------------------------------------------------------------------------------------------


def check_spec(name: str, **options: Any) -> None:
    """Random play keeps the `GameSpec`, under every reward kind."""
    for reward in get_game(name).rewards:
        random_play.play_random(name, 20, options=options, reward=reward.name)


def check_hidden_information(name: str, **options: Any) -> None:
    """No observation changes with a determinization of what is hidden from its seat."""
    determinization.check_determinization(name, 60, num_games=8, options=options)


def check_symmetries(name: str, steps: int = 60, **options: Any) -> None:
    """A turned or mirrored game, played with turned actions, is seen turned at every step; the identity comes first."""
    game = get_game(name)
    if not game.symmetries():
        return

    # The identity comes first.
    size, actions = game.observation.size, game.actions.size
    first = game.symmetries()[0]
    assert np.array_equal(first.observation, np.arange(size)) and np.array_equal(first.actions, np.arange(actions))

    # Two games with the same seed: one is played straight, the other turned.
    for symmetry in game.symmetries():
        straight, turned = (GameBatch(game, 16, 0, options=options) for _ in range(2))
        for _ in range(steps):
            assert np.array_equal(straight.observation[:, symmetry.observation], turned.observation), symmetry.name
            assert np.array_equal(straight.action_mask[:, symmetry.actions], turned.action_mask), symmetry.name
            over = turned.states["over"] != 0
            actions_turned = np.where(over, NO_ACTION, turned.action_mask.argmax(axis=1))
            turned.step(actions_turned)
            straight.step(np.where(over, NO_ACTION, symmetry.actions[actions_turned]))
            assert np.array_equal(straight.rewards, turned.rewards), symmetry.name


def check_board(name: str, **options: Any) -> None:
    """Every space of a board has entries and an action of its own, and neighbours that symmetries keep."""
    game = get_game(name)
    board = game.board()
    if board is None:
        return

    # Numbers of the observation and of the actions, each once.
    for numbers, size in ((board.observation, game.observation.size), (board.actions, game.actions.size)):
        assert len(np.unique(numbers)) == numbers.size and numbers.min() >= 0 and numbers.max() < size
    assert len(board.observation) == len(board.actions) == len(board.neighbours)
    assert np.array_equal(board.neighbours, board.neighbours.T) and not board.neighbours.diagonal().any()

    # A symmetry moves whole spaces, and neighbours stay neighbours.
    for symmetry in game.symmetries():
        spaces = np.array([np.flatnonzero(board.actions == a)[0] for a in symmetry.actions[board.actions]])
        assert np.array_equal(symmetry.observation[board.observation], board.observation[spaces]), symmetry.name
        assert np.array_equal(board.neighbours[np.ix_(spaces, spaces)], board.neighbours), symmetry.name


def check_drawings(name: str, **options: Any) -> None:
    """Text and picture can be drawn for every seat, with nothing in them that is hidden from it."""

    def drawn(positions: Sequence[GameBatch], seat: int) -> tuple[str, str]:
        batch, previous = positions[-1], positions[max(0, len(positions) - 2)].record()
        viewer = seat if batch.game.spec.players > 1 else None
        legal = np.flatnonzero(batch.action_mask[0]).tolist() if seat == batch.current_player[0] else []
        text = batch.game.presentation.draw_text(batch.record(), batch.components, viewer=viewer)
        picture = batch.game.presentation.draw_svg(
            batch.record(), batch.components, viewer=viewer, legal=legal, previous=previous if viewer is None else None
        )
        ElementTree.fromstring(picture)
        return text, picture

    determinization.check_view(determinization.alternatives(name, options=options), drawn)


def check_masks(name: str, steps: int = 40, **options: Any) -> None:
    """Every legal action can be applied; every illegal one is refused and leaves the bytes of the game alone."""
    game = get_game(name)
    batch = GameBatch(game, 1, 0, options=options)
    for _ in range(steps):
        snapshot = batch.states.tobytes()
        for action in range(-1, game.actions.size + 1):
            if 0 <= action < game.actions.size and batch.action_mask[0, action]:
                copy = batch.clone()
                copy.step([action])
                random_play.check_position(copy)
            else:
                _refused(batch, action)
                assert batch.states.tobytes() == snapshot, f"refusing {action} changed the game"
        batch.step_random()
        if batch.terminated[0]:
            batch.reset()


def check_copies(name: str, **options: Any) -> None:
    """A batch that is copied or pickled at any moment is exact and goes on alike: with every opponent and autoreset."""
    game = get_game(name)
    players = [None, *(opponent.name for opponent in game.opponents), *[last_legal] * bool(game.opponents)]
    for opponent, autoreset in ((player, auto) for player in players for auto in (False, True)):
        batch = new_batch(game, 3, options=options, opponent=opponent, autoreset=autoreset)
        max_decisions = batch.game.spec.max_decisions
        copies.check_every_moment(batch, lambda batch: batch.reset(1), _carry_on_batch, max_decisions)


def _carry_on_batch(batch: GameBatch, rng: np.random.Generator) -> bool:
    over = batch.states["over"] != 0
    if over.any():
        batch.reset(only=over)
    batch.step(_random_actions(batch.action_mask, rng))
    return bool(batch.terminated.any())


def _refused(batch: GameBatch, action: int) -> None:
    try:
        batch.step([action])
    except errors.IllegalAction as error:
        assert error.action == action
    else:
        raise AssertionError(f"the illegal action {action} was accepted")


# -- PettingZoo -----------------------------------------------------------------------------------------------------


def check_pettingzoo(name: str, **options: Any) -> None:
    """PettingZoo's own `api_test` and `seed_test`, on the env that its registry makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the helpers import example environments with warnings of their own
        helpers = importlib.import_module("pettingzoo.test")
    pettingzoo = importlib.import_module("pettingzoo")

    def make() -> Any:
        if hasattr(pettingzoo, "make"):
            return pettingzoo.make("aec", get_entry(name).full_id, **options)
        return importlib.import_module("rfop_env.interfaces.pettingzoo_aec").env(name, **options)

    with strict():
        helpers.api_test(make(), num_cycles=300)
        helpers.seed_test(make, num_cycles=100)


def check_pettingzoo_masks(name: str, games: int = 3, **options: Any) -> None:
    """The mask is the same everywhere, never empty before the end, and an illegal action costs its agent the game."""
    env = importlib.import_module("rfop_env.interfaces.pettingzoo_aec").raw_env(name, **options)
    rng = np.random.default_rng(0)
    for game in range(games):
        env.reset(seed=game)
        while True:
            observation, _, terminated, truncated, info = env.last()
            mask = observation["action_mask"]
            assert mask.dtype == np.int8 and np.array_equal(mask, info["action_mask"])
            assert env.observation_space(env.agent_selection).contains(observation) and not truncated
            if terminated:
                assert not mask.any()
                break

            assert mask.any(), "an agent is asked and has nothing legal"
            _check_views(env)
            env.step(int(rng.choice(np.flatnonzero(mask))))
    _check_forfeit(env)


def check_pettingzoo_copies(name: str, **options: Any) -> None:
    """PettingZoo's environment, copied or pickled at any moment, is exact and goes on alike."""
    env = importlib.import_module("rfop_env.interfaces.pettingzoo_aec").raw_env(name, on_illegal="raise", **options)
    copies.check_every_moment(env, lambda env: env.reset(seed=1), _carry_on_aec, env.game.spec.max_decisions)


def _carry_on_aec(env: Any, rng: np.random.Generator) -> bool:
    if not env.agents:
        env.reset()
    observation, _, terminated, _, _ = env.last()
    env.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return any(env.terminations.values())


def check_pettingzoo_saves(name: str, **options: Any) -> None:
    """What the environment saves another one loads."""
    raw_env = importlib.import_module("rfop_env.interfaces.pettingzoo_aec").raw_env
    env = raw_env(name, **options)
    env.reset(seed=1)
    _check_saves(env, lambda: raw_env(name, **options), _carry_on_aec)


def _check_views(env: Any) -> None:
    """Every agent sees its own side; those that are not selected have an empty mask."""
    for seat, agent in enumerate(env.possible_agents):
        view = env.observe(agent)
        assert np.array_equal(view["observation"], env.batch.observe([seat])[0]), (
            f"{agent} is shown another seat's view"
        )
        if agent != env.agent_selection:
            assert not view["action_mask"].any() and not env.infos[agent]["action_mask"].any()


def _check_forfeit(env: Any) -> None:
    env.reset(seed=0)
    offender, mask = env.agent_selection, env.infos[env.agent_selection]["action_mask"]
    if mask.all():
        return
    action = int(np.flatnonzero(mask == 0)[0])
    env.step(action)
    assert env.rewards[offender] == env.game.spec.lowest_return and all(env.terminations.values())
    assert env.infos[offender]["illegal_action"] == action and env.infos[offender]["illegal_agent"] == offender
    while env.agents:
        env.step(None)


def check_pettingzoo_reset(name: str, **options: Any) -> None:
    """`reset(options=...)` plays under these options, and the next reset under those of the environment."""
    raw_env = importlib.import_module("rfop_env.interfaces.pettingzoo_aec").raw_env
    _check_reset_options(raw_env, lambda env, seed, changes: env.reset(seed=seed, options=changes), name, options)


# -- saved positions ------------------------------------------------------------------------------------------------


def _check_saves(env: Any, make: Callable[[], Any], carry_on: Callable[[Any, np.random.Generator], bool]) -> None:
    """At the start, in mid-game and after the end: another environment loads what one saves, and both go on alike."""
    over = False
    for step in itertools.count():
        if step in (0, copies.MID_GAME) or over:
            data = env.save()
            try:
                env.load(data[:-1])
            except errors.BadPosition:
                assert env.save() == data, "damaged bytes have changed the game"
            else:
                raise AssertionError("damaged bytes were loaded")
            first, second, loader = env.clone(), env.clone(), make()
            loader.load(data)
            for _ in range(copies.TOGETHER):
                same = first.save() == loader.save() == second.save()
                assert same, f"after step {step}: a loaded game is another one"
                for copy in (first, loader, second):
                    carry_on(copy, np.random.default_rng(step))
            assert env.save() == data, "a clone has changed the game"
        if over:
            return
        over = carry_on(env, np.random.default_rng(step))


# -- options of a reset ---------------------------------------------------------------------------------------------

Reset = Callable[[Any, int, dict[str, Any] | None], Any]  # resets an environment, with a seed and options


def _check_reset_options(make: Callable[..., Any], reset: Reset, name: str, options: dict[str, Any]) -> None:
    """Options of a reset count for its games alone; what cannot change is refused, and the games go on."""
    game = get_game(name)
    env, plain = make(name, **options), make(name, **options)
    reset(plain, 5, None)
    for option in game.options:
        for value in option.values:
            reference = make(name, **options | {option.name: value})
            if reference.game.spec.seats != env.game.spec.seats:
                reset(env, 6, None)
                _reset_refused(env, reset, {option.name: value})
                continue
            reset(env, 5, {option.name: value})
            reset(reference, 5, None)
            _same_games(env, reference, f"{option.name}={value} at the reset")
            reset(env, 5, None)
            _same_games(env, plain, f"the reset after {option.name}={value}")
    _reset_refused(env, reset, {"no_such_option": 1})
    for option in game.options:
        _reset_refused(env, reset, {option.name: "no such value"})


def _same_games(env: Any, reference: Any, where: str) -> None:
    """Two environments have the same games, to the last byte, under the same options."""
    assert env.batch.get_state().tobytes() == reference.batch.get_state().tobytes(), where
    assert env.batch.options.tolist() == reference.batch.options.tolist(), where
    assert env.game.spec == reference.game.spec
    assert env.batch.observation.tolist() == reference.batch.observation.tolist()


def _reset_refused(env: Any, reset: Reset, changes: dict[str, Any]) -> None:
    """A reset with these options raises an error of the package, and changes nothing."""
    snapshot = env.batch.get_state().tobytes(), env.batch.options.tolist()
    try:
        reset(env, 7, changes)
    except errors.RfopError:
        assert (env.batch.get_state().tobytes(), env.batch.options.tolist()) == snapshot
    else:
        raise AssertionError(f"reset took the options {changes}")


# -- Gymnasium ------------------------------------------------------------------------------------------------------


def check_gymnasium(name: str, **options: Any) -> None:
    """Gymnasium's own `check_env` in both observation formats, and a game inside the wrappers of `gymnasium.make`."""
    check_env = importlib.import_module("gymnasium.utils.env_checker").check_env
    with strict():
        for with_mask in (True, False):
            env = gymnasium.make(get_entry(name).full_id, mask_in_observation=with_mask, **options)
            check_env(env.unwrapped)
            _, info = env.reset(seed=0)
            terminated = False
            while not terminated:
                _, _, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
            env.close()


def check_gymnasium_masks(name: str, games: int = 3, **options: Any) -> None:
    """The mask is the same in observation, info and `action_masks()`, and never empty before the end."""
    env, rng = GameEnv(name, **options), np.random.default_rng(0)
    for game in range(games):
        observation, info = env.reset(seed=game)
        terminated = False
        while not terminated:
            mask = env.action_masks()
            assert mask.dtype == np.bool_ and mask.any(), "asked with nothing legal"
            assert np.array_equal(mask, observation["action_mask"]) and np.array_equal(mask, info["action_mask"])
            assert env.observation_space.contains(observation)
            observation, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(mask))))
            assert not truncated and (terminated or reward == 0)
        assert info["end_reason"] in env.game.end_reasons and not info["action_mask"].any()


def check_gymnasium_copies(name: str, **options: Any) -> None:
    """A Gymnasium environment, or a vector in each of its modes, copied or pickled at any moment, goes on alike."""
    env = GameEnv(name, on_illegal="raise", **options)
    max_decisions = env.game.spec.max_decisions
    copies.check_every_moment(env, lambda env: env.reset(seed=1), _carry_on_env, max_decisions)
    for mode in AutoresetMode:
        envs = GameVectorEnv(name, 3, autoreset_mode=mode, on_illegal="raise", **options)
        copies.check_every_moment(envs, lambda envs: envs.reset(seed=1), _carry_on_vector, max_decisions)


def check_gymnasium_saves(name: str, **options: Any) -> None:
    """What the environment saves another one loads."""
    env = GameEnv(name, **options)
    env.reset(seed=1)

    def other() -> GameEnv:
        if not isinstance(options.get("opponent"), Mapping):
            return GameEnv(name, **options)
        copy = env.clone()  # which of several opponents a game has is not in its position
        if copy.action_masks().any():
            _carry_on_env(copy, np.random.default_rng(3))
        return copy

    _check_saves(env, other, _carry_on_env)


def _carry_on_env(env: GameEnv, rng: np.random.Generator) -> bool:
    legal = np.flatnonzero(env.action_masks())
    if not len(legal):
        env.reset()
        return False
    return env.step(int(rng.choice(legal)))[2]


def _carry_on_vector(envs: GameVectorEnv, rng: np.random.Generator) -> bool:
    over = ~envs.action_masks().any(axis=1)
    if envs.autoreset_mode is AutoresetMode.DISABLED and over.any():
        envs.reset(options={"reset_mask": over})
    return bool(envs.step(_random_actions(envs.action_masks(), rng))[2].any())


def check_gymnasium_reset(name: str, **options: Any) -> None:
    """`reset(options=...)` plays under these options, and the next reset under those of the environment."""

    def reset(env: Any, seed: int, changes: dict[str, Any] | None) -> None:
        env.reset(seed=seed, options=changes)

    _check_reset_options(GameEnv, reset, name, options)
    for mode in AutoresetMode:
        _check_reset_options(partial(GameVectorEnv, num_envs=2, autoreset_mode=mode), reset, name, options)

    # All games of a vector environment have the same options: some alone cannot change, and keep them.
    envs = GameVectorEnv(name, 2, **options)
    only = {"reset_mask": np.array([True, False])}
    for option in get_game(name).options:
        changes = {option.name: option.values[-1]}
        if option.name == "players" or options.get(option.name, option.default) == option.values[-1]:
            continue
        envs.reset(seed=1)
        _reset_refused(envs, reset, changes | only)
        envs.reset(seed=1, options=changes)
        in_force = envs.batch.options.tolist()
        envs.reset(options=only)
        assert envs.batch.options.tolist() == in_force, "a reset of some games has changed their options"


def check_vector_env(name: str, num_envs: int = 5, steps: int = 150, **options: Any) -> None:
    """The native vector env does what N single envs do, in the three autoreset modes, with and without truncation."""
    for mode, limit in itertools.product(AutoresetMode, (None, 7)):
        native = GameVectorEnv(name, num_envs, autoreset_mode=mode, max_episode_steps=limit, **options)
        single = gymnasium.vector.SyncVectorEnv(
            [partial(_limited_env, name, limit, **options)] * num_envs, autoreset_mode=mode
        )
        assert native.metadata["autoreset_mode"] is mode
        _same(native.reset(seed=3), single.reset(seed=3), "reset")

        # The same actions in both.
        rng, mask = np.random.default_rng(0), native.action_masks()
        for step in range(steps):
            actions = _random_actions(mask, rng)
            outcome = native.step(actions)
            _same(outcome, single.step(actions), f"{mode.value}, step {step}")
            assert native.observation_space.contains(outcome[0])
            done = outcome[2] | outcome[3]
            deciding = native.action_masks().any(axis=1)
            assert not (outcome[2] & deciding).any() or mode is AutoresetMode.SAME_STEP
            if mode is AutoresetMode.DISABLED and done.any():
                again = {"reset_mask": done}
                _same(native.reset(options=dict(again)), single.reset(options=dict(again)), f"reset after {step}")
            mask = native.action_masks()


def _limited_env(name: str, limit: int | None, **options: Any) -> gymnasium.Env[Any, Any]:
    """A single env, truncated by Gymnasium after so many steps."""
    env = GameEnv(name, **options)
    return env if limit is None else gymnasium.wrappers.TimeLimit(env, limit)


def _random_actions(mask: Any, rng: np.random.Generator) -> Any:
    """A legal action in every row of bool [N, A], 0 where there is none."""
    return np.array([int(rng.choice(np.flatnonzero(row))) if row.any() else 0 for row in mask])


def _same(actual: Any, expected: Any, where: str) -> None:
    """Nested tuples, dictionaries and arrays are equal; a dictionary may say more than `expected` does."""
    if isinstance(expected, tuple):
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            _same(a, b, f"{where}, part {i}")
    elif isinstance(expected, dict):
        assert actual.keys() == expected.keys(), f"{where}: {sorted(actual)} is not {sorted(expected)}"
        for key, value in expected.items():
            if f"_{key}" in expected and not isinstance(value, dict):  # Gymnasium's rows without a meaning are zeros
                rows = expected[f"_{key}"]
                _same(actual[key][rows], value[rows], f"{where}, {key}")
            elif key != "_action_mask":
                _same(actual[key], value, f"{where}, {key}")
    elif isinstance(expected, np.ndarray) and expected.dtype.hasobject:
        for a, b in zip(actual, expected, strict=True):
            _same(a, b, where)
    elif expected is None or isinstance(expected, str):
        assert actual == expected, f"{where}: {actual!r} is not {expected!r}"
    else:
        assert actual.dtype == expected.dtype and np.array_equal(actual, expected), (
            f"{where}: {actual} is not {expected}"
        )


def check_vector_illegal(name: str, **options: Any) -> None:
    """An illegal action ends its own game with the lowest return, the other games move, and each mode goes on."""
    for mode in AutoresetMode:
        env = GameVectorEnv(name, 3, autoreset_mode=mode, **options)
        env.reset(seed=0)
        states = env.batch.get_state()
        actions = _random_actions(env.action_masks(), np.random.default_rng(0))
        actions[1] = env.game.actions.size  # an id that no action has

        # The game ends, and its info says why.
        _, rewards, terminated, _, infos = env.step(actions)
        final = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
        assert rewards[1] == env.game.spec.lowest_return and terminated.tolist() == [False, True, False]
        assert final["illegal_action"][1] == actions[1] and final["_illegal_action"].tolist() == [False, True, False]
        assert final["end_reason"][1] == ILLEGAL_ACTION

        # The others have moved, and the next episode begins as the mode wants it.
        assert (env.batch.states["decisions"][[0, 2]] > states["decisions"][[0, 2]]).all()
        if mode is AutoresetMode.DISABLED:
            env.reset(options={"reset_mask": terminated})
        elif mode is AutoresetMode.NEXT_STEP:
            env.step(np.where(terminated, NO_ACTION, _random_actions(env.action_masks(), np.random.default_rng(0))))
        assert env.batch.states["episode"][1] == states["episode"][1] + 1 and env.action_masks()[1].any()


# -- Stable-Baselines3 ----------------------------------------------------------------------------------------------


def check_sb3(name: str, **options: Any) -> None:
    """SB3's own `check_env`, in both observation formats."""
    check_env = importlib.import_module("stable_baselines3.common.env_checker").check_env
    with strict():
        for with_mask in (True, False):
            check_env(GameEnv(name, mask_in_observation=with_mask, **options), skip_render_check=True)


def check_sb3_reset(name: str, **options: Any) -> None:
    """`set_options` holds for the next reset alone, as in SB3's own vector environments."""
    vec_env = importlib.import_module("rfop_env.interfaces.sb3_vec_env").GameVecEnv

    def reset(env: Any, seed: int, changes: dict[str, Any] | None) -> None:
        env.seed(seed)
        env.set_options(changes)
        env.reset()

    _check_reset_options(partial(vec_env, num_envs=2), reset, name, options)


def check_sb3_vec_env(name: str, num_envs: int = 4, steps: int = 120, **options: Any) -> None:
    """Our `VecEnv` does what SB3's `DummyVecEnv` of `Monitor`ed single envs does, infos of ended games included."""
    module = importlib.import_module("rfop_env.interfaces.sb3_vec_env")
    vec_env = importlib.import_module("stable_baselines3.common.vec_env")
    for with_mask in (False, True):
        native = module.GameVecEnv(name, num_envs, mask_in_observation=with_mask, **options)
        single = vec_env.DummyVecEnv(
            [lambda m=with_mask: module.Monitor(GameEnv(name, mask_in_observation=m, **options))] * num_envs
        )

        # The same seeds and the same actions.
        native.seed(3)
        single.seed(3)
        _same_observation(native.reset(), single.reset())
        rng = np.random.default_rng(0)
        for _ in range(steps):
            masks = np.stack(native.env_method("action_masks"))
            assert masks.dtype == np.bool_ and np.array_equal(masks, np.stack(single.env_method("action_masks")))
            actions = _random_actions(masks, rng)
            _same_step(native.step(actions), single.step(actions))


def check_sb3_copies(name: str, **options: Any) -> None:
    """The `VecEnv`, copied or pickled at any moment, is exact and goes on alike."""
    module = importlib.import_module("rfop_env.interfaces.sb3_vec_env")
    env = module.GameVecEnv(name, 3, seed=1, on_illegal="raise", **options)
    copies.check_every_moment(env, lambda env: env.reset(), _carry_on_vec_env, env.game.spec.max_decisions)


def _carry_on_vec_env(env: Any, rng: np.random.Generator) -> bool:
    return bool(env.step(_random_actions(env.env_method("action_masks"), rng))[2].any())


def _same_step(actual: Any, expected: Any) -> None:
    for part in (1, 2):
        assert actual[part].dtype == expected[part].dtype and np.array_equal(actual[part], expected[part])
    _same_observation(actual[0], expected[0])
    for done, own, reference in zip(actual[2], actual[3], expected[3], strict=True):
        if not done:
            assert own == {}
            continue
        _same_observation(own["terminal_observation"], reference["terminal_observation"])
        assert own["end_reason"] == reference["end_reason"] and own["TimeLimit.truncated"] is False
        assert (own["episode"]["r"], own["episode"]["l"]) == (reference["episode"]["r"], reference["episode"]["l"])


def _same_observation(actual: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        assert all(np.array_equal(actual[k], expected[k]) for k in expected)
    else:
        assert np.array_equal(actual, expected)
