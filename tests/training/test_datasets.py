"""Games taken apart into episodes: every decision of every game once, equal to the games played again."""

from __future__ import annotations


import numpy as np
import pytest

from rfop_env.cli.main import main as rfop
import rfop_agents
from rfop_env.agent import AgentWrapper
from rfop_agents.search.agent import SearchAgent
from rfop_agents.search.settings import SearchSettings
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, RfopError
from rfop_env.registry import get_game
from rfop_training.commands import dataset as record_dataset
from rfop_training.datasets import collect
from rfop_training.datasets.collect import Plan, episodes
from rfop_training.evaluation.games import FIRST_DEAL

GAMES = {
    "Revolution-v0": ({}, ["random", "scripted"]),
    "RedFlagOverParisSolo-v1": ({"side": "random"}, ["random"]),
    "Paris-v0": ({"players": "3"}, ["random", "scripted", "random"]),
}


def plan_of(id, games=5, **settings):
    options, names = GAMES[id]
    game = get_game(id).under(options)
    loaded = [rfop_agents.load(name, game) for name in names]
    return Plan(game, options, game.load_components(None), loaded, games, **settings)


def all_of(plan):
    return [episode for some in episodes(plan) for episode in some]


def check_replay(plan, found):
    """Play every game again with the actions of its episodes, and compare all that they hold."""
    for number in range(plan.games):
        batch = GameBatch(plan.game, 1, plan.seed + number, options=plan.options, reward=plan.reward)
        if plan.opening:
            batch.step_random(plan.opening)
        of_game = {episode.seat: episode for episode in found if episode.game == number}
        taken, paid = dict.fromkeys(of_game, 0), {seat: np.zeros(len(e.actions)) for seat, e in of_game.items()}
        while not batch.states["over"][0]:
            seat = int(batch.current_player[0])
            episode, k = of_game[seat], taken[seat]
            assert (episode.observations[k] == batch.observation[0]).all()
            assert (episode.masks[k] == batch.action_mask[0]).all()
            batch.step([int(episode.actions[k])])
            taken[seat] += 1
            for other in of_game:
                if taken[other]:
                    paid[other][taken[other] - 1] += batch.rewards[0, other]
        for seat, episode in of_game.items():
            assert taken[seat] == len(episode.actions) == len(episode.observations) - 1 == len(episode.masks) - 1
            assert (episode.observations[-1] == batch.observe(seat)[0]).all() and not episode.masks[-1].any()
            assert np.allclose(episode.rewards, paid[seat])
            assert episode.end_reason == plan.game.end_reasons[int(batch.end_reason[0])]
            assert episode.seed == plan.seed + number
            seats = plan.game.spec.players
            assert episode.agent == plan.agents[(seat - number) % seats].name


@pytest.mark.parametrize("id", list(GAMES))
def test_episodes_are_the_games_played_again(id):
    plan = plan_of(id, seed=7)
    found = all_of(plan)
    assert len(found) == plan.games * plan.game.spec.players
    check_replay(plan, found)


def test_a_dense_reward_is_paid_to_the_decision_that_earned_it():
    plan = plan_of("RedFlagOverParisSolo-v1", games=3, reward="mixed")
    found = all_of(plan)
    check_replay(plan, found)
    assert any((episode.rewards[:-1] != 0).any() for episode in found)


def test_every_agent_plays_every_seat():
    found = all_of(plan_of("Paris-v0", games=3))
    assert {(e.agent, e.seat) for e in found} == {(name, seat) for name in ("random", "scripted") for seat in range(3)}


def test_the_same_seed_gives_the_same_episodes_and_another_one_others(monkeypatch):
    first, again, other = (all_of(plan_of("Revolution-v0", seed=seed)) for seed in (1, 1, 2))
    assert all((a.actions == b.actions).all() for a, b in zip(first, again, strict=True))
    assert any(
        len(a.actions) != len(b.actions) or (a.actions != b.actions).any() for a, b in zip(first, other, strict=True)
    )
    monkeypatch.setattr(collect, "AT_ONCE", 2)
    plan = plan_of("Revolution-v0", seed=1)
    parts = list(episodes(plan))
    assert [len(some) for some in parts] == [4, 4, 2]
    check_replay(plan, [episode for some in parts for episode in some])


class Remembering(AgentWrapper):
    """Keeps what its agent found for every act."""

    def __init__(self, inner):
        super().__init__(inner)
        self.kept = []

    def act(self, *args):
        actions = super().act(*args)
        self.kept.append(self.last)
        return actions


def test_what_a_search_finds_is_kept_with_its_decisions():
    game = get_game("Revolution-v0")
    search = Remembering(SearchAgent(game, SearchSettings(simulations=8)))
    plan = Plan(game, {}, game.load_components(None), [search, rfop_agents.load("random", game)], 2)
    assert plan.finds == ["visits", "action_values", "policy"]
    found = all_of(plan)
    check_replay(plan, found)

    kept = {name: np.concatenate([getattr(last, name) for last in search.kept]) for name in plan.finds}
    searched = 0
    for episode in found:
        assert {name: array.dtype for name, array in episode.search_results.items()} == collect.SEARCH_RESULTS
        for array in episode.search_results.values():
            assert array.shape == episode.masks.shape and not array[-1].any()
        visits, policy = episode.search_results["visits"][:-1], episode.search_results["policy"][:-1]
        if episode.agent == "random":
            assert not any(array.any() for array in episode.search_results.values())
            continue
        searched += len(episode.actions)
        assert (visits.sum(axis=1) == 7).all()  # the first simulation judges the position itself
        assert not visits[episode.masks[:-1] == 0].any()
        assert np.allclose(policy.sum(axis=1), 1.0)
        most = visits.max(axis=1)
        assert (visits[np.arange(len(visits)), episode.actions] == most).all()
    assert searched == len(kept["visits"])
    for name, array in kept.items():
        total = sum(episode.search_results[name].sum(dtype=np.float64) for episode in found)
        assert total == pytest.approx(array.sum(), rel=1e-5), name


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"games": 0}, BadArgument, "games: from 1"),
        ({"seed": FIRST_DEAL}, RfopError, "the deals of evaluations"),
    ],
)
def test_wrong_plans_are_refused(settings, error, words):
    with pytest.raises(error, match=words):
        plan_of("Revolution-v0", **settings)
    game = get_game("Revolution-v0")
    with pytest.raises(BadArgument, match="2 seats, found 1"):
        Plan(game, {}, game.load_components(None), [rfop_agents.load("random", game)], 1)


def test_a_function_of_ones_own_can_be_recorded(monkeypatch, tmp_path, capsys):
    (tmp_path / "mine.py").write_text("def act(observation, action_mask):\n    return action_mask.argmax(axis=1)\n")
    plans = []
    monkeypatch.setattr(record_dataset, "require_minari", lambda: None)
    monkeypatch.setattr(record_dataset, "write_dataset", lambda name, plan, *others: plans.append(plan))
    assert (
        rfop(["dataset", "games-v0", f"{tmp_path / 'mine.py'}:act", "random", "--env", "Revolution-v0", "--games", "2"])
        == 0
    )
    found = all_of(plans[0])
    check_replay(plans[0], found)
    mine = [episode for episode in found if episode.agent.startswith("mine.act#")]
    assert len(mine) == 2
    for episode in mine:
        assert (episode.actions == episode.masks[:-1].argmax(axis=1)).all()
