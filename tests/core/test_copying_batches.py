"""Copies of a batch: exact to the last byte, apart from the original, in this process and in others."""

import copy
import dataclasses
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import cloudpickle
import numpy as np
import pytest
import toy_game

from rfop_env.compiler import JIT
from rfop_env.core.action_table import ActionTable
from rfop_env.core.batch import GameBatch
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.errors import RfopError, VersionMismatch
from rfop_env.core.observation_layout import ObservationLayout
from rfop_env.core.record import Field, RecordLayout
from rfop_env.registry import get_game
from rfop_env.testing.copies import WAYS, check_copy, contents

EVERY_WAY = pytest.mark.parametrize("way", [*WAYS.values(), GameBatch.clone], ids=[*WAYS, "clone"])
SETUPS = {
    "plain": {},
    "autoreset": {"autoreset": True, "options": {"length": "long"}, "reward": "margin"},
    "opponent": {"opponent": "honest", "seat": "blue_1", "threads": 2},
    "random seats": {"opponent": "random", "autoreset": True},
}
MOMENTS = ("before the first reset", "at the start", "in mid-game", "after the end")


def batch_at(moment, n=4, **setup):
    """A batch of the toy game, as far as `moment` says."""
    batch = GameBatch(toy_game.two_player(), n, **setup)
    if moment != MOMENTS[0]:
        batch.reset(8)
    for _ in range({"in mid-game": 4, "after the end": 60}.get(moment, 0)):
        batch.step(by_own_mask(batch, np.random.default_rng(1)))
    return batch


def by_own_mask(batch, rng):
    """A legal action in every game that has one, by the batch's own mask."""
    chances = rng.random(batch.action_mask.shape) * batch.action_mask
    return np.where(batch.action_mask.any(axis=1), chances.argmax(axis=1), NO_ACTION)


@EVERY_WAY
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("setup", SETUPS)
def test_a_copy_is_exact_and_apart_and_goes_on_alike(setup, moment, way):
    batch = batch_at(moment, **SETUPS[setup])
    copied = way(batch)
    check_copy(batch, copied)
    if moment == MOMENTS[0]:
        batch.reset(5)
        copied.reset(5)
    rng, rng_of_copy = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(15):
        batch.step(by_own_mask(batch, rng))
        copied.step(by_own_mask(copied, rng_of_copy))
        assert bytes(batch.states.view(np.uint8)) == bytes(copied.states.view(np.uint8))
    check_copy(batch, copied)
    batch.reset()
    copied.reset()
    check_copy(batch, copied)


@EVERY_WAY
def test_the_bytes_between_the_fields_of_a_record_are_copied_too(way):
    batch = GameBatch(get_game("Revolution-v0"), 3, 1)
    fields = {name: batch.states[name].copy() for name in batch.game.state.names}
    batch.states.view(np.uint8)[...] = 0xA5
    for name, values in fields.items():
        batch.states[name] = values
    assert (batch.states.view(np.ndarray).view(np.uint8) == 0xA5).any(), "this game has no such bytes any more"
    check_copy(batch, way(batch))


@EVERY_WAY
def test_what_happens_to_a_copy_leaves_the_original_alone(way):
    batch = batch_at("in mid-game")
    contents_before, copied = contents(batch.clone()), way(batch)
    copied.step_random(5)
    copied.given_options["length"] = "long"
    copied.options[:] = 1
    assert {k: str(v) for k, v in contents(batch).items()} == {k: str(v) for k, v in contents_before.items()}
    assert not copied.action_mask.flags.writeable and np.shares_memory(copied.action_mask, copied._mask)


def test_a_subclass_stays_one():
    class Counting(GameBatch):
        counted = 0

    batch = Counting(toy_game.two_player(), 2, 1)
    batch.counted = 7
    for copied in (batch.clone(), copy.copy(batch), copy.deepcopy(batch)):
        assert type(copied) is Counting and copied.counted == 7


@pytest.mark.many_games
def test_a_batch_that_has_used_its_threads_is_copied():
    batch = GameBatch(toy_game.two_player(), 150, 3, autoreset=True, threads=2)
    batch.step_random(5)
    assert (batch._runner.team is not None) == JIT
    for way in WAYS.values():
        copied = way(batch)
        check_copy(batch, copied)
        assert copied._runner.team is None
        twin = batch.clone()
        copied.step_random(3)
        twin.step_random(3)
        check_copy(twin, copied)


def test_a_component_set_travels_without_its_file(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text("target = [3, 4]\nturns = 2\n")
    batch = GameBatch(toy_game.two_player(), 3, 0, components=file)
    data = pickle.dumps(batch)
    file.unlink()
    copied = pickle.loads(data)
    assert copied.components.digest == batch.components.digest
    copied.reset(5)
    assert (copied.states["target"] == 3).all() and (copied.states["turns"] == 2).all()


# -- pickles of games --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["RedFlagOverParis-v1", "LeveeEnMasse-v0", "Paris-v0", "Revolution-v0"])
def test_a_game_of_the_registry_is_pickled_by_its_id(name):
    game = get_game(name)
    data = pickle.dumps(game)
    assert pickle.loads(data) is game and len(data) < 1000  # a whole game has tens of thousands


def test_declared_properties_that_depend_on_options_are_pickled_too():
    game = get_game("Paris-v0").under({"players": 4})
    copied = pickle.loads(pickle.dumps(game))
    assert copied == game and copied.spec.players == 4 and copied.rules is game.rules


def test_a_game_outside_of_the_registry_is_pickled_with_its_rules():
    game = toy_game.leaky()
    copied = pickle.loads(pickle.dumps(game))
    assert copied.rules == game.rules and copied.spec == game.spec and copied.id == game.id


def test_a_game_that_cannot_be_pickled_says_what_to_do():
    lock = threading.Lock()
    toy = toy_game.two_player()
    presentation = dataclasses.replace(toy.presentation, journal=lambda s, components: [str(lock)])
    game = dataclasses.replace(toy, presentation=presentation)
    batch = GameBatch(game, 1, 0)
    for dumps in (pickle.dumps, cloudpickle.dumps):
        with pytest.raises(RfopError, match=r"LiarsRace-v0 cannot be pickled.*register it"):
            dumps(batch)
    check_copy(batch, batch.clone())  # copies in this process share the game


def test_a_pickle_of_other_rules_is_refused():
    batch = batch_at("in mid-game")
    changed = {
        "record": RecordLayout([*toy_game.RECORD.fields, Field("more", np.int32, 0, 1)]),
        "observation": ObservationLayout(toy_game.LAYOUT.pieces[1:]),
        "actions": ActionTable([("pass", "", [""])]),
    }
    for name, value in changed.items():
        state = batch.__getstate__()
        state["attributes"]["game"] = dataclasses.replace(batch.game, **{name: value})
        with pytest.raises(VersionMismatch, match="other state fields, actions or observations"):
            GameBatch.__new__(GameBatch).__setstate__(state)


# -- other processes ---------------------------------------------------------------------------------------------------


def played_on(batch, steps=20):
    """What a batch holds after so many steps by its own mask; runs in other processes."""
    rng = np.random.default_rng(4)
    for _ in range(steps):
        batch.step(by_own_mask(batch, rng))
    return batch


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_batch_goes_on_in_another_process(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    batch = batch_at("in mid-game", opponent="honest", autoreset=True)
    with multiprocessing.get_context(method).Pool(1) as pool:
        copied = pool.apply(played_on, (batch,))
    check_copy(played_on(batch), copied)


@pytest.mark.parametrize("jit", ["0", "1"])
def test_a_pickle_is_read_with_and_without_compiled_rules(jit, tmp_path):
    batch = GameBatch(get_game("Revolution-v0"), 2, 1)
    batch.step_random(5)
    (tmp_path / "batch").write_bytes(pickle.dumps(batch))
    code = (
        "import pickle, pathlib, sys; batch = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes()); "
        "batch.step_random(5); batch.determinize(0, 7); "
        "pathlib.Path(sys.argv[1]).write_bytes(batch.states.tobytes())"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "batch")],
        env=os.environ | {"RFOP_JIT": jit}, capture_output=True, text=True,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    batch.step_random(5)
    batch.determinize(0, 7)
    assert (tmp_path / "batch").read_bytes() == batch.states.tobytes()
