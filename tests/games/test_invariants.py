"""What holds in every position of every game, under many options, checked by random play."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import GameOver, IllegalAction
from rfop_env.core.game import Game
from rfop_env.games.levee_en_masse.state import OPTIONAL_RULES
from rfop_env.registry import get_game, list_games
from rfop_env.testing.determinization import check_determinization
from rfop_env.testing.random_play import check_position, play_random


@dataclass(frozen=True)
class Sizes:
    """How much is played; a long game plays less without the compiler."""

    games: int  # random games to their end
    side_by_side: int  # of them
    steps: int  # of determinization
    batch: int  # games whose determinizations are looked at
    neighbours: int
    skip: int  # random decisions between positions whose legal actions are all tried


SHORT = Sizes(24, 8, 40, 16, 8, 3) if JIT else Sizes(8, 4, 6, 4, 3, 12)
LONG = Sizes(8, 8, 60, 6, 4, 8) if JIT else Sizes(2, 2, 24, 1, 2, 12)
RED_FLAG = Sizes(24, 8, 60, 8, 4, 6) if JIT else Sizes(5, 2, 50, 2, 3, 12)
LEVEE = Sizes(16, 8, 60, 4, 4, 6) if JIT else Sizes(2, 2, 12, 2, 2, 24)
MORE = 10  # times as many games of every configuration, with the mark `slow`


@dataclass(frozen=True)
class Configuration:
    """An environment under options, and a reward."""

    name: str
    sizes: Sizes
    options: dict[str, str] = field(default_factory=dict)
    reward: str | None = None

    @property
    def game(self) -> Game:
        """The game under these options."""
        return get_game(self.name).under(self.options)

    def start(self, num_games: int = 1, seed: int = 0) -> GameBatch:
        """A batch at the start of its games."""
        return GameBatch(get_game(self.name), num_games, seed, options=self.options, reward=self.reward)


ALL_RULES = dict.fromkeys(OPTIONAL_RULES, "on")
CONFIGURATIONS = [
    *(Configuration("RedFlagOverParis-v1", RED_FLAG, {"variant": variant}) for variant in ("standard", "censor")),
    Configuration("RedFlagOverParis-v1", RED_FLAG, reward="margin"),
    *(Configuration("RedFlagOverParisSolo-v1", RED_FLAG, {"side": s}) for s in ("commune", "versailles", "random")),
    Configuration("RedFlagOverParisSolo-v1", RED_FLAG, {"side": "commune"}, "margin"),
    Configuration("RedFlagOverParisSolo-v1", RED_FLAG, {"side": "versailles"}, "mixed"),
    Configuration("LeveeEnMasse-v0", LEVEE),
    Configuration("LeveeEnMasse-v0", LEVEE, reward="score"),
    Configuration("LeveeEnMasse-v0", LEVEE, reward="outcome"),
    Configuration("LeveeEnMasse-v0", LEVEE, {"scenario": "extended", "difficulty": "harder"}),
    Configuration("LeveeEnMasse-v0", LEVEE, {"scenario": "puree", **ALL_RULES}),
    Configuration("LeveeEnMasse-v0", LEVEE, {"scenario": "historical", "difficulty": "easier", **ALL_RULES}),
    Configuration("LeveeEnMasse-v0", LEVEE, {"scenario": "extended", **ALL_RULES}),
    *(Configuration("LeveeEnMasse-v0", LEVEE, {"scenario": "extended", rule: "on"}) for rule in OPTIONAL_RULES),
    Configuration("Paris-v0", LONG, {"players": "2"}),
    Configuration("Paris-v0", LONG, {"players": "3", "tokens": "random", "bonus_track": "random"}),
    Configuration("Paris-v0", LONG, {"players": "4", "screens": "open"}),
    Configuration("Paris-v0", LONG, {"players": "3", "memory": "perfect"}),
    Configuration(
        "Paris-v0", LONG, {"players": "4", "buildings": "variant", "tokens": "random", "bonus_track": "random"}
    ),
    Configuration("Paris-v0", LONG, {"players": "3"}, reward="margin"),
    Configuration("Revolution-v0", SHORT),
    Configuration("Revolution-v0", SHORT, reward="margin"),
]
LONG_GAMES = ("RedFlagOverParis-v1", "RedFlagOverParisSolo-v1", "Paris-v0")


def takes_long(configuration: Configuration) -> bool:
    """Whether it is left to the compiler: a long game, or one more optional rule of Levée en Masse alone."""
    alone = sum(rule in configuration.options for rule in OPTIONAL_RULES) == 1
    return configuration.name in LONG_GAMES or alone


def case_label(configuration: Configuration) -> str:
    """The environment, its options and its reward, in one line."""
    options = [f"{name}={value}" for name, value in configuration.options.items()]
    return " ".join([configuration.name, *options, configuration.reward or ""]).strip()


EACH = pytest.mark.parametrize(
    "configuration",
    [pytest.param(c, id=case_label(c), marks=[pytest.mark.many_games] * takes_long(c)) for c in CONFIGURATIONS],
)


@pytest.mark.parametrize("name", list_games())
def test_every_option_and_every_reward_is_in_a_configuration(name):
    game, own = get_game(name), [c for c in CONFIGURATIONS if c.name == name]
    assert {option.name for option in game.options} <= {option for c in own for option in c.options}
    assert {reward.name for reward in game.rewards} == {c.reward or game.rewards[0].name for c in own}


def check_random_games(configuration, games, seed):
    c = configuration
    settings = {"num_games": c.sizes.side_by_side, "seed": seed, "options": c.options, "reward": c.reward}
    record = play_random(c.game, games, **settings)
    assert record.games >= games and record.longest <= c.game.spec.max_decisions
    assert c.game.spec.lowest_return <= record.lowest <= record.highest <= c.game.spec.highest_return
    assert set(record.endings) <= set(c.game.end_reasons[1:])


@EACH
def test_random_games_violate_no_invariant(configuration):
    """At every step: no problems, at least two legal actions, values in range; at the end returns as declared."""
    check_random_games(configuration, configuration.sizes.games, seed=11)


@pytest.mark.slow
@EACH
def test_many_random_games_violate_no_invariant(configuration):
    check_random_games(configuration, MORE * configuration.sizes.games, seed=12)


@EACH
def test_every_legal_action_applies_and_the_others_are_refused(configuration):
    """In clones every legal action leads to a sound position; an illegal one raises and not a byte changes."""
    rng, batch = np.random.default_rng(2), configuration.start()
    while not batch.states["over"][0]:
        states = batch.states.tobytes()

        # Every legal action.
        for action in np.flatnonzero(batch.action_mask[0]).tolist():
            copy = batch.clone()
            copy.step([action])
            check_position(copy)

        # Some of the others, and numbers that are no actions.
        masked = rng.choice(np.flatnonzero(~batch.action_mask[0]), 3).tolist()
        for action in (-1, batch.game.actions.size, *masked):
            with pytest.raises(IllegalAction):
                batch.step([action])

        assert batch.states.tobytes() == states
        batch.step_random(repeat=configuration.sizes.skip)


@EACH
def test_an_ended_game_takes_no_action(configuration):
    batch = configuration.start()
    batch.step_random(repeat=batch.game.spec.max_decisions)
    with pytest.raises(GameOver):
        batch.step([0])


@EACH
def test_an_observation_holds_nothing_hidden(configuration):
    """A determinization changes neither the observation of the seat, nor its mask, nor the scripted player's choice."""
    c, sizes = configuration, configuration.sizes
    changed = check_determinization(c.game, sizes.steps, seed=21, num_games=sizes.batch, options=c.options)
    assert (changed > 0) is c.game.spec.hidden_information


@EACH
def test_a_game_is_a_function_of_its_seed_and_actions_alone_or_in_a_batch(configuration):
    """A batch of N is N batches of one: records, observations, masks and rewards."""
    n = configuration.sizes.neighbours
    together, alone = configuration.start(n, 40), [configuration.start(1, 40 + i) for i in range(n)]
    for _ in range(8):
        together.step_random(repeat=9)
        for i, batch in enumerate(alone):
            batch.step_random(repeat=9)
            assert batch.states[0].tobytes() == together.states[i].tobytes()
            for name in ("observation", "action_mask", "rewards", "terminated", "current_player", "end_reason"):
                assert np.array_equal(getattr(batch, name)[0], getattr(together, name)[i]), name
    assert together.states[0].tobytes() != together.states[1].tobytes()


@EACH
def test_a_chunk_of_random_steps_is_as_many_single_steps(configuration):
    """`step_random(7)` leaves what seven calls leave, but for the last call's rewards of games that ended within."""
    chunk, single = configuration.start(4, 60), configuration.start(4, 60)
    for _ in range(6):
        chunk.step_random(repeat=7)
        for _ in range(7):
            single.step_random()
        assert chunk.states.tobytes() == single.states.tobytes()
        assert np.array_equal(chunk.action_mask, single.action_mask)


@EACH
def test_a_restored_position_continues_as_before(configuration):
    """A copy of the record is the whole position: the future is the same."""
    batch = configuration.start(2, 80)
    batch.step_random(repeat=10)
    saved = batch.get_state()
    batch.step_random(repeat=30)
    later = batch.states.tobytes()
    batch.set_state(saved)
    batch.step_random(repeat=30)
    assert batch.states.tobytes() == later


@EACH
def test_a_record_used_before_starts_like_a_new_one(configuration):
    """Set-up clears whatever an earlier game left."""
    old, new = configuration.start(4, 5), configuration.start(4, 5)
    old.step_random(repeat=60)
    old.reset(5)
    assert old.states.tobytes() == new.states.tobytes()
