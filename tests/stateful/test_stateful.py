"""Everything that can be done to a batch, in any order: the machine of `machine.py` over every environment."""

import pytest
import toy_game
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import rfop_env
from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadPosition
from rfop_env.registry import get_game
from tests.stateful.machine import machine_of

# The same examples every time, no clock, no files. Compiled rules allow for more of them.
ALWAYS = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False
)
SHORT = settings(ALWAYS, max_examples=8 if JIT else 4, stateful_step_count=20 if JIT else 10)
LONG = settings(ALWAYS, max_examples=150 if JIT else 20, stateful_step_count=40 if JIT else 20)
FIRST_FAILURE = settings(
    ALWAYS, max_examples=100, stateful_step_count=15, phases=[Phase.generate], report_multiple_bugs=False
)
TOYS = {"two players": toy_game.two_player, "solo": toy_game.solo}


@pytest.mark.parametrize("name", rfop_env.list_games())
def test_a_batch_keeps_its_invariants_whatever_is_done_to_it(name):
    run_state_machine_as_test(machine_of(get_game(name)), settings=SHORT)


@pytest.mark.parametrize("toy", TOYS)
def test_a_batch_of_a_toy_game_keeps_its_invariants(toy):
    run_state_machine_as_test(machine_of(TOYS[toy]()), settings=SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("name", rfop_env.list_games())
def test_a_batch_keeps_its_invariants_for_long(name):
    run_state_machine_as_test(machine_of(get_game(name)), settings=LONG)


# -- the machine notices ----------------------------------------------------------------------------------------------


def fails(game=None, *, message):
    """The machine fails on a game, or on the toy game, for this reason."""
    found = machine_of(game or toy_game.two_player())
    with pytest.raises((AssertionError, BadPosition), match=message):
        run_state_machine_as_test(found, settings=FIRST_FAILURE)


def test_the_machine_notices_a_stale_mask(monkeypatch):
    whole = GameBatch.set_state

    def without_masks(self, states):
        kept = self._mask.copy()
        whole(self, states)
        if kept.any():
            self._mask[...] = kept

    monkeypatch.setattr(GameBatch, "set_state", without_masks)
    fails(message="action_mask is")


def test_the_machine_notices_hidden_information_that_can_be_seen():
    fails(toy_game.leaky(), message="a determinization can be seen")
