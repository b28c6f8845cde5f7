"""Chains of branches made from a table of kinds."""

from __future__ import annotations

import pytest

from rfop_env.core.chains import chain

pytestmark = pytest.mark.plain


def double(side):
    return 2 * side


def kind_and_action(kind, action):
    return kind, action


def nothing():
    return None


@pytest.mark.parametrize(("kind", "result"), [(1, 6), (2, (2, 7)), (3, 6), (4, None), (0, None), (5, None)], ids=str)
def test_a_frame_goes_to_the_rule_of_its_kind_with_the_parameters_that_it_names(kind, result):
    answer = chain("answer", "frame, action", {1: double, 2: kind_and_action, 3: double, 4: nothing}, nothing)
    assert answer([kind, 3], 7) == result


def test_a_rule_whose_parameter_the_chain_has_not_is_an_error_when_it_is_called():
    answer = chain("answer", "frame", {1: kind_and_action}, nothing)
    with pytest.raises(NameError, match="action"):
        answer([1, 0])
