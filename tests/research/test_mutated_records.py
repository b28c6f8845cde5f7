"""Mutated records are refused or play on without harm, in a build whose every access to an array is checked."""

import subprocess
import sys
from dataclasses import replace

import pytest
import toy_game

from rfop_env.compiler import JIT, rule
from rfop_env.registry import list_games
from training.research.__main__ import main
from training.research import mutants

CALLS = {"Paris-v0": [["players=3"], ["players=4", "buildings=variant"]], "LeveeEnMasse-v0": [["scenario=extended"]]}
ALL = [(game, option) for game in list_games() for option in [[], *CALLS.get(game, [])]]


@pytest.mark.skipif(not JIT, reason="a compiled build is what has no bounds checks of its own")
@pytest.mark.parametrize("game", list_games())
def test_a_thousand_mutants_do_no_harm(game):
    printed = mutants.run_bounds_checked(game, 1000, seed=1)
    assert f"{game}: 1000 mutants" in printed and " 0 fault" in printed


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="a compiled build is what has no bounds checks of its own")
@pytest.mark.parametrize(("game", "option"), ALL, ids=str)
def test_a_hundred_thousand_mutants_do_no_harm(game, option):
    printed = mutants.run_bounds_checked(game, 100_000, seed=2, option=option)
    assert f"{game}: 100000 mutants" in printed


def test_mutants_of_the_toy_game_are_accepted_and_refused():
    counts = mutants.check_mutants(toy_game.two_player(), 60, seed=3)
    assert counts["accepted"] > 5 and counts["refused"] > 5 and counts["fault"] == 0
    assert counts == mutants.check_mutants(toy_game.two_player(), 60, seed=3), "the same seed gives the same mutants"


# -- the check can fail ------------------------------------------------------------------------------------------------


@rule
def observe_far_away(s, c, seat, o):
    """Writes where the number of turns says, which its range allows to lie outside the observation."""
    toy_game.observe(s, c, seat, o)
    o[s.turns + 10] = 1


@rule
def observe_and_meddle(s, c, seat, o):
    """Changes the position that it should only look at."""
    toy_game.observe(s, c, seat, o)
    if s.over == 1:
        s.score[0] += 1


def broken(observe):
    """The toy game with a faulty rule, and without the relations that hide it."""
    game = toy_game.two_player()
    return replace(game, rules=replace(game.rules, observe=observe), problems=lambda s, c: [])


@pytest.mark.skipif(JIT, reason="un-jitted rules have bounds checks without a build of their own")
def test_an_access_outside_an_array_is_found():
    with pytest.raises(IndexError):
        mutants.check_mutants(broken(observe_far_away), 200, seed=1)


@pytest.mark.skipif(JIT, reason="one way is enough")
def test_a_mutant_that_changes_its_neighbours_is_found():
    with pytest.raises(AssertionError, match="changed the game beside it"):
        mutants.check_mutants(broken(observe_and_meddle), 200, seed=1)


def test_a_game_that_never_ends_is_found(tmp_path):
    line = [sys.executable, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            mutants._wait(process, tmp_path / "diary", silence=0.2)
        process.kill()


def test_the_command_says_what_it_did(capsys):
    assert main(["mutants", "Revolution-v0", "--mutants", "20", "--here"]) == 0
    assert "Revolution-v0: 20 mutants, " in capsys.readouterr().out
    assert main(["mutants", "Chess-v0", "--here"]) == 2


# -- the stack ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("RedFlagOverParis-v1", {}),
        ("RedFlagOverParisSolo-v1", {}),
        ("Paris-v0", {"players": "4", "buildings": "variant"}),
    ],
)
def test_frames_that_are_doubled_or_out_of_order_are_refused_or_do_no_harm(game, options, monkeypatch):
    monkeypatch.setattr(mutants, "STACKED", 1.0)
    monkeypatch.setattr(mutants, "MOST_CHANGES", 1)
    counts = mutants.check_mutants(game, 400, seed=4, options=options, decisions=150)
    assert counts["refused"] > 50 and counts["accepted"] > 50 and counts["fault"] == 0
