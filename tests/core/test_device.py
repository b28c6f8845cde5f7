"""Where the games of a batch are: on the processor, or on a graphics card that must be there."""

import pytest

import rfop_env
from rfop_env.core import errors


def test_unknown_devices_are_refused():
    with pytest.raises(errors.UnknownName, match="unknown device 'cuda:1': did you mean 'cuda'"):
        rfop_env.make_batch("Revolution-v0", 2, device="cuda:1")


def test_a_card_has_threads_of_its_own():
    with pytest.raises(errors.BadArgument, match=r"threads=2: .* leave it out"):
        rfop_env.make_batch("Revolution-v0", 2, device="cuda", threads=2)


def test_a_card_has_arrays_of_its_own():
    with pytest.raises(errors.BadArgument, match=r"out: .* leave it out"):
        rfop_env.make_batch("Revolution-v0", 2, device="cuda", out={})


def test_the_processor_is_named_too():
    explicit, plain = (rfop_env.make_batch("Revolution-v0", 2, 0, **settings) for settings in ({"device": "cpu"}, {}))
    assert explicit.get_state().tobytes() == plain.get_state().tobytes()
