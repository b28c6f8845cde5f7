"""Every environment follows the rules of its interfaces: every id, every number of seats, and two toy games."""

import pytest

import rfop_env
from rfop_env.testing import conformance

ALWAYS = [
    conformance.check_spec,
    conformance.check_masks,
    conformance.check_hidden_information,
    conformance.check_symmetries,
    conformance.check_board,
    conformance.check_drawings,
    conformance.check_copies,
]
PETTINGZOO = [
    conformance.check_pettingzoo,
    conformance.check_pettingzoo_masks,
    conformance.check_pettingzoo_copies,
    conformance.check_pettingzoo_saves,
    conformance.check_pettingzoo_reset,
]
ONE_SEAT = [
    conformance.check_gymnasium,
    conformance.check_gymnasium_masks,
    conformance.check_vector_env,
    conformance.check_vector_illegal,
    conformance.check_gymnasium_copies,
    conformance.check_gymnasium_saves,
    conformance.check_gymnasium_reset,
    conformance.check_sb3,
    conformance.check_sb3_vec_env,
    conformance.check_sb3_copies,
    conformance.check_sb3_reset,
]
# Tried on every game under all its options, in longer play, by `tests/games/test_invariants.py`: here on the toy games.
OF_THE_RULES = (conformance.check_spec, conformance.check_masks, conformance.check_hidden_information)

# Options that change what a seat is shown, besides the number of seats.
SHOWN = {"Paris-v0": {"players": "3", "memory": "perfect"}}
TOYS = {"LiarsRace-v0": "aec", "LiarsRaceSolo-v0": "gymnasium"}


def cases():
    """The checks of the interfaces for every id, and for every other number of seats and SHOWN those of all seats."""
    for name in rfop_env.list_games():
        extra_options = [*conformance.seatings(name), *([SHOWN[name]] if name in SHOWN else [])]
        checks = conformance.game_checks(name)
        checks += [(check, options) for options in extra_options for check in ALWAYS + PETTINGZOO]
        for check, arguments in checks:
            if check not in OF_THE_RULES:
                values = ["mixture" if isinstance(value, dict) else value for value in arguments.values()]
                yield pytest.param(name, check, arguments, id="-".join([name, check.__name__, *values]))


@pytest.mark.parametrize(("name", "check", "arguments"), list(cases()))
def test_conforms(name, check, arguments):
    check(name, **arguments)


@pytest.mark.parametrize("name", TOYS)
def test_the_toy_games_conform_and_no_check_is_left_out(name):
    one_seat = ONE_SEAT * (2 if TOYS[name] == "aec" else 1)  # also against a mixture with an opponent outside
    assert conformance.check_game(name) == [check.__name__ for check in ALWAYS + PETTINGZOO + one_seat]


def test_an_opponent_inside_takes_part_where_there_are_several_seats():
    inside = {name: [a for check, a in conformance.game_checks(name) if check in ONE_SEAT] for name in TOYS}
    assert inside == {
        "LiarsRace-v0": [{"opponent": "honest"}] * len(ONE_SEAT)
        + [{"opponent": {"honest": 0.5, conformance.last_legal: 0.5}}] * len(ONE_SEAT),
        "LiarsRaceSolo-v0": [{}] * len(ONE_SEAT),
    }
    conformance.check_vector_env("LiarsRace-v0", opponent="random", seat=1)


@pytest.mark.parametrize("bot", ["red", "blue", "random"])
def test_conforms_under_its_options(bot):
    assert len(conformance.check_game("LiarsRaceSolo-v0", options={"bot": bot, "length": "long"})) == len(
        ALWAYS + PETTINGZOO + ONE_SEAT
    )


@pytest.mark.parametrize("name", rfop_env.list_games())
def test_a_game_that_has_just_begun_has_returned_nothing(name):
    batch = rfop_env.make_batch(name, num_games=8, seed=1)
    for reward in batch.game.rewards:
        assert not batch.game_returns(reward.name).any(), reward.name
