"""Chains of decisions: every decision once, with what its seat was paid until its next one."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.interfaces.rllib.chains import ChainRecorder
from rfop_env.registry import get_game


def recorded(steps, take_after, games=5, seats=3, seed=0):
    """Random steps, the chains of them taken after some steps, and a slow list of what they should hold."""
    rng, recorder, chains = np.random.default_rng(seed), ChainRecorder(games, seats), []
    history = {n: [[]] for n in range(games)}  # of each game's episodes: (seat, number, rewards)
    for t in range(steps):
        decider, paid = rng.integers(0, seats, games), rng.integers(-9, 10, (games, seats)).astype(np.float32)
        ended = rng.random(games) < 0.2
        number = t * games + np.arange(games)
        recorder.add(decider, {"number": number, "seen": number[:, None] * np.ones(2, np.int64)}, paid, ended)
        for n in range(games):
            history[n][-1].append((int(decider[n]), int(number[n]), paid[n]))
            if ended[n]:
                history[n].append([])
        if t in take_after:
            expected = recorder.completed
            chains += (taken := recorder.take())
            assert sum(len(chain.rewards) for chain in taken) == expected and recorder.completed == 0
    return chains, history


def slow_chain(episode, seat):
    """The numbers of a seat's decisions in an episode, and what it was paid from each to the next."""
    numbers, rewards = [], []
    for decider, number, paid in episode:
        if decider == seat:
            numbers.append(number)
            rewards.append(0.0)
        if rewards:
            rewards[-1] += float(paid[seat])
    return numbers, rewards


@pytest.mark.parametrize("take_after", [{59}, {0, 1, 2, 3, 4, 5, 59}, set(range(60)), {7, 20, 21, 59}])
def test_chains_hold_every_decision_once_with_its_reward(take_after):
    chains, history = recorded(60, take_after)
    found, following = {}, {}
    for chain in chains:
        numbers, rewards = found.setdefault((chain.game, chain.episode, chain.seat), ([], []))
        if numbers:  # a part follows where the part before it said that it would
            assert chain.decisions["number"][0] == following[chain.game, chain.episode, chain.seat]
        numbers += chain.decisions["number"].tolist()
        rewards += chain.rewards.tolist()
        assert (chain.decisions["seen"][:, 1] == chain.decisions["number"]).all()
        next_one = None if chain.following is None else int(chain.following["number"])
        following[chain.game, chain.episode, chain.seat] = next_one

    for game, episodes in history.items():
        for k, episode in enumerate(episodes):
            for seat in range(3):
                numbers, rewards = slow_chain(episode, seat)
                got = found.get((game, k, seat), ([], []))
                over = k < len(episodes) - 1
                if not over and numbers:  # the last decision of a game that goes on waits for its successor
                    numbers, rewards = numbers[:-1], rewards[:-1]
                assert got == (numbers, rewards)
                assert not got[0] or (following[game, k, seat] is None) == over


def test_nothing_is_taken_where_nothing_is_complete():
    recorder = ChainRecorder(2, 2)
    assert recorder.take() == []
    recorder.add(np.array([0, 1]), {"x": np.arange(2)}, np.zeros((2, 2)), np.zeros(2, bool))
    assert recorder.completed == 0 and recorder.take() == []
    recorder.add(np.array([0, 0]), {"x": np.arange(2)}, np.ones((2, 2)), np.zeros(2, bool))
    (chain,) = recorder.take()
    assert (chain.game, chain.seat, chain.rewards.tolist()) == (0, 0, [0.0])


def test_rewards_of_real_games_are_those_of_the_batch():
    batch = GameBatch(get_game("Revolution-v0"), 6, 1, autoreset=True)
    recorder, paid = ChainRecorder(6, 2), np.zeros(2)
    rng = np.random.default_rng(3)
    while paid[0] == 0:
        seat = batch.current_player.copy()
        batch.step(np.where(batch.action_mask, rng.random(batch.action_mask.shape), -1).argmax(axis=1))
        recorder.add(seat, {"x": np.arange(6)}, batch.rewards, batch.terminated)
        paid += np.abs(batch.rewards).sum(axis=0)
    chains = recorder.take()
    for seat in range(2):
        assert sum(np.abs(chain.rewards).sum() for chain in chains if chain.seat == seat) == paid[seat]
