"""The reward `mixed`: the lead beyond the victory condition, with VP beyond the ends of the tracks."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.games.red_flag_over_paris.game import solo
from tests.games.red_flag_over_paris.table import COMMUNE, VERSAILLES


def solo_return(side, reward, political, military):
    """What a running solo game is worth to a side, with VP as the Commune sees them, uncapped ones for `mixed`."""
    batch = GameBatch(solo(), 1, seed=3, reward=reward, options={"side": ("commune", "versailles")[side]})
    record = batch.record()
    record.vp_endless[:] = political, military
    record.vp[:] = np.clip([political, military], -5, 5)
    return round(float(batch.returns_so_far()[0, 0]), 6)


def test_mixed_is_paid_for_the_lead_beyond_the_condition():
    for side, political, military, expected in [
        # The Commune leads where its political VP is above 0 and above the military VP of Versailles (R17).
        (COMMUNE, 8, -3, 5),  # 8 to 3
        (COMMUNE, 8, 2, 9),  # 8 to -2; but no more than its own VP and 1
        (COMMUNE, -4, -9, -13),  # -4 to 9
        (VERSAILLES, 8, -3, -5),  # 3 to 8
        (VERSAILLES, -7, -9, 10),  # 9 to -7; but no more than its own VP and 1
        (VERSAILLES, 2, -9, 7),  # 9 to 2
        (COMMUNE, 90, -60, 20),  # no more than 20
        (VERSAILLES, 90, -60, -20),
    ]:
        case = (side, political, military, expected)
        assert solo_return(side, "mixed", political, military) == pytest.approx(0.5 * expected / 20), case
