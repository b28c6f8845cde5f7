"""Every way that is measured can be driven."""

import warnings

import pytest

pytestmark = pytest.mark.libraries
for library in ("pufferlib", "torchrl", "pyspiel"):
    pytest.importorskip(library)

from training.research import library_speed


def test_every_way_plays():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries, about versions
        cases = library_speed.cases()
        assert len(cases) == 13
        for case in cases:
            assert sum(case.step() for _ in range(60)) >= 50, case.mode
