"""Errors travel whole: a worker process hands them to the process that waits."""

import copy
import pickle

import pytest

from rfop_env.core import errors

pytestmark = pytest.mark.plain

MADE = [
    errors.UnknownName("agent", "gredy", ["greedy", "random"]),
    errors.UnknownOption.of("Chess-v0", "colour", ["side"], ["seed"]),
    errors.UnknownValue.of("render_mode", "3d", [None, "ansi"]),
    errors.IllegalAction("illegal", game=3, action=4),
    errors.BadComponents("x.toml", "row 1", "points", "1 to 4", 9),
    *(
        kind("what is wrong, and the mend")
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, errors.RfopError)
        and kind not in (errors.UnknownName, errors.BadComponents)
    ),
]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_an_error_is_pickled_and_copied_with_all_it_says(error):
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)
