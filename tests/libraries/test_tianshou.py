"""Tianshou collects games of all seats. It pins older versions of other packages, so it has no place in the extra.

It is tested where it is installed: `pip install tianshou==2.0.1` in a copy of the environment for the libraries.
"""

import warnings

import numpy as np
import pytest

pytestmark = pytest.mark.libraries
pytest.importorskip("tianshou")

import rfop_env

GAMES = 4


def test_a_collector_plays_whole_games_by_their_masks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its imports
        from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
        from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
        from tianshou.data import Collector, VectorReplayBuffer
        from tianshou.env import DummyVectorEnv, PettingZooEnv

        def make():
            return PettingZooEnv(rfop_env.make("Revolution-v0", on_illegal="raise"))

        env = make()
        random = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in env.agents]
        everyone = MultiAgentOffPolicyAlgorithm(algorithms=random, env=env)
        collector = Collector(everyone, DummyVectorEnv([make] * 2), VectorReplayBuffer(2000, 2))
        collector.reset()
        statistics = collector.collect(n_episode=GAMES)

    assert statistics.n_collected_episodes == GAMES and statistics.n_collected_steps > 10 * GAMES
    assert statistics.returns.shape == (GAMES, 2)
    np.testing.assert_array_equal(statistics.returns.sum(axis=1), 0)
