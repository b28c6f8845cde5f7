"""Every environment keeps what its interfaces promise. Run over every id, and over two toy games."""

import pytest

import rfop_env
from rfop_env.registry import get_entry
from rfop_env.testing import conformance

ALWAYS = [conformance.check_spec, conformance.check_masks, conformance.check_hidden_information]
PETTINGZOO = [conformance.check_pettingzoo, conformance.check_pettingzoo_masks]
ONE_SEAT = [
    conformance.check_gymnasium,
    conformance.check_gymnasium_masks,
    conformance.check_vector_env,
    conformance.check_vector_illegal,
    conformance.check_sb3,
    conformance.check_sb3_vec_env,
]
TOYS = {"LiarsRace-v0": "aec", "LiarsRaceSolo-v0": "gymnasium"}
INTERFACES = {name: get_entry(name).interface for name in rfop_env.list_games()} | TOYS
CASES = [
    pytest.param(name, check, id=f"{name}-{check.__name__}")
    for name, interface in INTERFACES.items()
    for check in ALWAYS + PETTINGZOO + (ONE_SEAT if interface == "gymnasium" else [])
]


@pytest.mark.parametrize(("name", "check"), CASES)
def test_conforms(name, check):
    check(name)


@pytest.mark.parametrize("name", TOYS)
def test_no_check_is_left_out(name):
    expected = ALWAYS + PETTINGZOO + (ONE_SEAT if TOYS[name] == "gymnasium" else [])
    assert conformance.checks_of(name) == expected


@pytest.mark.parametrize("bot", ["red", "blue", "random"])
def test_conforms_under_its_options(bot):
    assert len(conformance.check_game("LiarsRaceSolo-v0", options={"bot": bot, "length": "long"})) == 11
