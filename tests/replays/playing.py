"""Games for the tests of replays, played at random."""

import itertools

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.registry import get_game, list_games
from rfop_env.replays import Recorder


def option_rows(options):
    """Choices of options in which every value of every option occurs."""
    count = max((len(option.values) for option in options), default=1)
    return [{option.name: option.values[k % len(option.values)] for option in options} for k in range(count)]


ENVIRONMENTS = [(name, options) for name in list_games() for options in option_rows(get_game(name).options)]


def play(batch, recorder, decisions=10_000, game=0, seed=0):
    """Play a game of a batch at random, and tell its recorder."""
    rng = np.random.default_rng(seed)
    for k in itertools.count():
        if k >= decisions or batch.states["over"][game]:
            return recorder.replay()
        if k % 5 == 4:
            batch.step_random()
            recorder.add_random()
            continue
        actions = [int(rng.choice(np.flatnonzero(mask))) if mask.any() else -1 for mask in batch.action_mask]
        batch.step(actions)
        recorder.add(actions[game])


def recorded(name, decisions=10_000, seed=3, options=None, **settings):
    """The replay of a game with a new batch."""
    batch = GameBatch(get_game(name), 1, seed, options=options, **settings)
    return play(batch, Recorder(batch), decisions)


def lost(name, illegal=None, decisions=3):
    """The replay of a game that an illegal action has ended, and the environment; `wrong` is its number."""
    env = raw_env(name)
    env.reset(seed=4)
    recorder = Recorder(env.batch, players=["a"] * env.game.spec.players)
    for _ in range(decisions):
        action = int(np.flatnonzero(env.batch.action_mask[0])[-1])
        env.step(action)
        recorder.add(action)
    action = int(np.flatnonzero(~env.batch.action_mask[0])[0]) if illegal is None else illegal
    env.step(action)
    recorder.add(action)
    return recorder.replay(), env
