"""The checks fail where they should: broken variants of the toy game."""

import dataclasses

import numpy as np
import pytest
import toy_game

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import IllegalAction
from rfop_env.core.game import UniformBoard, Symmetry
from rfop_env.core.observation_layout import ObservationLayout
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_env.testing import conformance, goldens
from rfop_env.testing.random_play import play_random
from rfop_env.testing.determinization import check_determinization

pytestmark = pytest.mark.plain

GAME = toy_game.two_player()


def variant(**changes):
    """The toy game with parts of it, or of its spec, replaced."""
    spec = {k: v for k, v in changes.items() if hasattr(GAME.spec, k)}
    remainder = {k: v for k, v in changes.items() if k not in spec}
    return dataclasses.replace(GAME, spec=dataclasses.replace(GAME.spec, **spec), **remainder)


def narrow_layout():
    """The toy game's layout with too low a bound for the turns."""
    pieces = [dataclasses.replace(p, high=5) if p.name == "turns" else p for p in GAME.observation.pieces]
    return ObservationLayout(pieces)


def test_random_play_reports_what_it_saw():
    summary = play_random(GAME, 60, reward="margin")
    assert summary.games >= 60 and summary.decisions > summary.games
    assert 10 < summary.longest <= GAME.spec.max_decisions
    assert -1 <= summary.lowest < 0 < summary.highest <= 1 and summary.lowest == -summary.highest
    assert set(summary.endings) == {"target reached", "last turn played"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_decisions": 12}, "more decisions than declared"),
        ({"highest_return": 0.5}, "returns outside"),
        ({"lowest_return": -0.5}, "returns outside"),
        ({"observation": narrow_layout()}, "turns = 6, not 0 to 5"),
        ({"problems": lambda s, c: ["the moon is down"] if s.turns < 5 else []}, "the moon is down"),
    ],
)
def test_random_play_catches_a_property_that_fails(changes, message):
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


def test_a_determinization_finds_no_leak_in_the_toy_game():
    assert check_determinization(GAME, 60) > 100
    assert check_determinization(toy_game.solo(), 60, options={"bot": "random"}) > 100


def test_a_determinization_finds_the_leak():
    with pytest.raises(AssertionError, match="'claim' shows hidden information"):
        check_determinization(toy_game.leaky())


def test_a_determinization_finds_the_scripted_player_that_cheats():
    with pytest.raises(AssertionError, match="'honest' plays by hidden information"):
        check_determinization(toy_game.cheating())


def test_a_determinization_that_starts_from_what_is_hidden_is_noticed():
    with pytest.raises(AssertionError, match="'die', drawn anew, shows what lay there before"):
        check_determinization(toy_game.traceable())


def test_a_determinization_that_draws_for_nobody_what_a_seat_sees_is_noticed():
    with pytest.raises(AssertionError, match="red_0: 'die' was drawn anew for NOBODY"):
        check_determinization(toy_game.careless())


def test_a_determinization_that_changes_nothing_is_noticed(monkeypatch):
    monkeypatch.setattr(GameBatch, "determinize", lambda self, seats, keys: None)
    with pytest.raises(AssertionError, match="none was drawn anew"):
        check_determinization(GAME, 20)


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


def test_goldens_see_every_seat(tmp_path):
    path = goldens.record(GAME, tmp_path / "game.txt", steps=20)
    blind = variant(rules=dataclasses.replace(GAME.rules, observe=toy_game.observe_too_much))
    with pytest.raises(AssertionError, match="the file says"):
        goldens.replay(path, blind)
    assert np.isfinite(goldens.replay(path, GAME))


def test_a_changed_scripted_player_fails(tmp_path):
    """Its choice is in the file, also where a random action is played instead."""
    path = goldens.record(GAME, tmp_path / "game.txt", games=8, player="honest", stray=0.5)
    text = path.read_text()
    assert "player honest" in text and goldens.INSTEAD in text
    assert goldens.replay(path, GAME) == sum(bool(goldens.ACTION.match(line)) for line in text.splitlines())
    with pytest.raises(AssertionError, match="the file says"):
        goldens.replay(path, variant(rules=toy_game.cheating().rules))


# -- the checks of the interfaces --------------------------------------------------------------------------------------


def breaks(check, monkeypatch, owner, name, change, match=None):
    """A check fails on the toy game once a method's result is changed; `change(self, result)` returns the new one."""
    original, game = getattr(owner, name), "LiarsRace-v0" if "pettingzoo" in check.__name__ else "LiarsRaceSolo-v0"
    monkeypatch.setattr(owner, name, lambda self, *args, **kwargs: change(self, original(self, *args, **kwargs)))
    with pytest.raises(Exception, match=match):
        check(game)


def test_check_masks_catches_a_refusal_that_moves_the_game(monkeypatch):
    def moved(self, error):
        self.states["decisions"][0] += 1
        return error

    breaks(conformance.check_masks, monkeypatch, GameBatch, "_first_refusal", moved, "refusing -1 changed the game")


def test_check_masks_catches_an_illegal_action_that_is_accepted(monkeypatch):
    step = GameBatch.step

    def lenient(self, actions):
        try:
            step(self, actions)
        except IllegalAction:
            return

    monkeypatch.setattr(GameBatch, "step", lenient)
    with pytest.raises(AssertionError, match="the illegal action -1 was accepted"):
        conformance.check_masks("LiarsRaceSolo-v0")


def test_check_symmetries_catches_a_wrong_turn():
    ids = [np.arange(n) for n in (GAME.observation.size, GAME.actions.size)]
    turned = variant(symmetries=lambda: (Symmetry("identity", *ids), Symmetry("turned", ids[0][::-1], ids[1])))
    with pytest.raises(AssertionError, match="turned"):
        conformance.check_symmetries(turned)
    conformance.check_symmetries(variant(symmetries=lambda: (Symmetry("identity", *ids),)))


def test_check_board_catches_a_space_without_entries_of_its_own_and_one_sided_neighbours():
    def board(**changes):
        own = {
            "observation": np.array([[0, 1], [2, 3]]),
            "actions": np.array([0, 1]),
            "neighbours": ~np.eye(2, dtype=bool),
        }
        return variant(board=lambda: UniformBoard(**(own | changes)))

    conformance.check_board(board())
    faulty = {
        "observation": np.array([[0, 1], [1, 2]]),
        "actions": np.array([0, GAME.actions.size]),
        "neighbours": np.array([[False, True], [False, False]]),
    }
    for name, value in faulty.items():
        with pytest.raises(AssertionError):
            conformance.check_board(board(**{name: value}))


def test_check_pettingzoo_catches_an_observation_outside_of_its_space(monkeypatch):
    def wide(self, seen):
        return {**seen, "observation": seen["observation"].astype(np.float64)}

    breaks(conformance.check_pettingzoo, monkeypatch, raw_env, "observe", wide, ".")


@pytest.mark.parametrize("decides", [True, False])
def test_check_pettingzoo_masks_catches_another_seats_view(decides, monkeypatch):
    original = raw_env.observe

    def swapped(self, agent):
        seat = self.possible_agents.index(agent)
        view = original(self, agent)
        if (agent == self.agent_selection) is not decides:
            return view
        return {**view, "observation": self.batch.observe([1 - seat])[0]}

    monkeypatch.setattr(raw_env, "observe", swapped)
    with pytest.raises(AssertionError, match="another seat's view"):
        conformance.check_pettingzoo_masks("LiarsRace-v0")


def test_check_gymnasium_catches_a_reset_that_ignores_its_seed(monkeypatch):
    numbers = iter(range(10**6))

    def anew(self, outcome):
        self.batch.reset(next(numbers))
        return self._outcome()

    breaks(conformance.check_gymnasium, monkeypatch, GameEnv, "reset", anew, "deterministic|equivalent|seed")


def test_check_gymnasium_masks_catches_a_mask_of_its_own(monkeypatch):
    breaks(conformance.check_gymnasium_masks, monkeypatch, GameEnv, "action_masks", lambda self, mask: ~mask)


@pytest.mark.parametrize("check", [conformance.check_vector_env, conformance.check_sb3_vec_env])
def test_checks_of_many_games_catch_another_reward(check, monkeypatch):
    owner, name = {
        conformance.check_vector_env: (GameVectorEnv, "step"),
        conformance.check_sb3_vec_env: (GameVecEnv, "step_wait"),
    }[check]

    def generous(self, outcome):
        observation, rewards, *remainder = outcome
        return observation, rewards + 1, *remainder

    breaks(check, monkeypatch, owner, name, generous)


def test_check_vector_illegal_catches_a_game_that_goes_on(monkeypatch):
    def kept(self, outcome):
        observation, rewards, terminated, *remainder = outcome
        return observation, rewards, terminated & False, *remainder

    breaks(conformance.check_vector_illegal, monkeypatch, GameVectorEnv, "step", kept)
