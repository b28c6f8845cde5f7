"""The checks fail where they should: broken variants of the toy game."""

import dataclasses
import warnings

import numpy as np
import pytest
import toy_game

from rfop_env.core.batch import GameBatch
from rfop_env.core.observation_layout import ObservationLayout
from rfop_env.testing import goldens
from rfop_env.testing.conformance import KNOWN_WARNINGS, strict
from rfop_env.testing.random_play import play_random
from rfop_env.testing.redraw import check_redraw

GAME = toy_game.two_player()


def variant(**changes):
    """The toy game with parts of it, or of its spec, replaced."""
    spec = {k: v for k, v in changes.items() if hasattr(GAME.spec, k)}
    rest = {k: v for k, v in changes.items() if k not in spec}
    return dataclasses.replace(GAME, spec=dataclasses.replace(GAME.spec, **spec), **rest)


def narrow_layout():
    """The toy game's layout with too low a bound for the turns."""
    pieces = [dataclasses.replace(p, high=5) if p.name == "turns" else p for p in GAME.observation.pieces]
    return ObservationLayout(pieces)


def test_random_play_reports_what_it_saw():
    played = play_random(GAME, 60, reward="margin")
    assert played.games >= 60 and played.decisions > played.games
    assert 10 < played.longest <= GAME.spec.max_decisions
    assert -1 <= played.lowest < 0 < played.highest <= 1 and played.lowest == -played.highest
    assert set(played.endings) == {"target reached", "last turn played"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_decisions": 12}, "more decisions than promised"),
        ({"highest_return": 0.5}, "returns outside"),
        ({"lowest_return": -0.5}, "returns outside"),
        ({"observation": narrow_layout()}, "turns = 6, not 0 to 5"),
        ({"faults": lambda s, c: ["the moon is down"] if s.turns < 5 else []}, "the moon is down"),
    ],
)
def test_random_play_catches_a_broken_promise(changes, message):
    with pytest.raises(AssertionError, match=message) as caught:
        play_random(variant(**changes))
    assert "LiarsRace-v0, seed" in str(caught.value)


def test_random_play_catches_a_sum_that_is_not_zero(monkeypatch):
    step = GameBatch.step_random

    def generous(self, repeat=1):
        step(self, repeat)
        self.rewards[self.terminated] = 1

    monkeypatch.setattr(GameBatch, "step_random", generous)
    with pytest.raises(AssertionError, match="add up to 0"):
        play_random(GAME)


def test_a_redraw_finds_no_leak_in_the_toy_game():
    assert check_redraw(GAME) > 100
    assert check_redraw(toy_game.solo(), options={"bot": "random"}) > 100


def test_a_redraw_finds_the_leak():
    with pytest.raises(AssertionError, match="'claim' shows hidden information"):
        check_redraw(toy_game.leaky())


def test_a_redraw_finds_the_scripted_player_that_cheats():
    with pytest.raises(AssertionError, match="'honest' plays by hidden information"):
        check_redraw(toy_game.cheating())


def test_a_redraw_that_redraws_nothing_is_noticed(monkeypatch):
    monkeypatch.setattr(GameBatch, "resample_hidden", lambda self, seats, keys: None)
    with pytest.raises(AssertionError, match="none was redrawn"):
        check_redraw(GAME)


def test_a_golden_is_replayed(tmp_path):
    path = goldens.record(GAME, tmp_path / "game.txt", seed=3, steps=60, every=10, options={"length": "long"})
    text = path.read_text()
    assert "option length long" in text and "claim" in text and "end " in text and text.count("check") >= 7
    assert goldens.replay(path, GAME) == 60
    again = goldens.record(GAME, tmp_path / "again.txt", seed=3, steps=60, every=10, options={"length": "long"})
    assert again.read_text() == text


def test_a_golden_that_does_not_fit_fails(tmp_path):
    path = goldens.record(GAME, tmp_path / "game.txt", steps=30, every=5)
    lines = path.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("check") and "every" not in line)
    changed = {
        "illegal": [*lines[:4], "red_0: doubt", *lines[4:]],
        "the file says": [*lines[:at], "check 0000000000000000", *lines[at + 1 :]],
        "not of": ["game LiarsRaceSolo-v0", *lines[1:]],
        "holds no action": lines[:3],
        "expected 'game <id>'": lines[3:],
    }
    for message, text in changed.items():
        path.write_text("\n".join(text) + "\n")
        with pytest.raises(AssertionError, match=message):
            goldens.replay(path, GAME)


def test_a_missing_golden_fails(tmp_path):
    with pytest.raises(AssertionError, match="no golden"):
        goldens.replay(tmp_path / "nothing.txt", GAME)


def test_only_the_known_warnings_pass():
    with strict():
        for message in KNOWN_WARNINGS:
            warnings.warn(message, stacklevel=1)
        with pytest.raises(UserWarning):
            warnings.warn("Observation numpy array is all zeros.", stacklevel=1)


def test_goldens_see_every_seat(tmp_path):
    path = goldens.record(GAME, tmp_path / "game.txt", steps=20)
    blind = variant(rules=dataclasses.replace(GAME.rules, observe=toy_game.observe_too_much))
    with pytest.raises(AssertionError, match="the file says"):
        goldens.replay(path, blind)
    assert np.isfinite(goldens.replay(path, GAME))
