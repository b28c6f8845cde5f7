"""The last move in pictures: what the journal, or an earlier record, says has changed."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

import rfop_env
from tests.drawing.positions import EACH, STOPS, positions


def marks(svg):
    """How many brackets a picture has around parts of the board, besides the one of a legend."""
    return len(re.findall('<g class="last"', svg)) - len(re.findall(">last move<", svg))


@EACH
def test_the_last_move_and_what_differs_from_an_earlier_record_is_marked(case):
    assert any(marks(position.svg) > 0 for position in positions(case))

    changes = []
    for earlier, position in pairwise(positions(case)[:STOPS]):
        batch = position.batch
        assert marks(batch.draw_svg(previous=batch.get_record(0))) == 0, position.name
        if earlier.batch.states["decisions"] != batch.states["decisions"]:
            changes.append(marks(batch.draw_svg(previous=earlier.batch.get_record(0))) > 0)
    assert sum(changes) > len(changes) / 2 > 1


def test_pettingzoo_marks_the_turn_of_the_other_seat():
    env = rfop_env.make("Revolution-v0", render_mode="svg")
    env.reset(seed=0)
    assert marks(env.render()) == 0
    for _ in range(30):
        while (agent := env.agent_selection) and not env.terminations[agent]:
            env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
            if env.agent_selection != agent:
                break
        assert marks(env.render()) > 0
