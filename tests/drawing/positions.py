"""Positions of random games for the tests of drawings: twenty of every game, from the set-up to the end."""

from __future__ import annotations

import random
from functools import cache, cached_property
from typing import NamedTuple

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game

from tests.drawing.svg_geometry import Drawing

FEW, MORE = range(2), range(2, 10)  # seeds of the games of a case, and of more games with the mark `slow`
STOPS = 10  # positions of each game


class Case(NamedTuple):
    """A game with options, and how many decisions lie between two of its positions."""

    name: str
    game: str
    options: tuple[tuple[str, str], ...]
    stride: int
    no_part: tuple[str, ...]  # kinds of actions that name no space, card or tile
    seeds: range = FEW


RED_FLAG_NO_PART = ("use", "option", "bonus", "first", "yes", "done")
LEVEE_NO_PART = ("reserves", "accept", "end")
LEVEE_OPTIONS = ("levee", "spirit_of_89", "reserves", "commit_order", "decisive")
LEVEE_RULES = (("scenario", "extended"), *((option, "on") for option in LEVEE_OPTIONS))

CASES = (
    Case("red_flag", "RedFlagOverParis-v1", (), 22, RED_FLAG_NO_PART),
    Case("red_flag_censor", "RedFlagOverParis-v1", (("variant", "censor"),), 22, RED_FLAG_NO_PART),
    Case("red_flag_solo", "RedFlagOverParisSolo-v1", (("side", "random"),), 12, RED_FLAG_NO_PART),
    Case("levee", "LeveeEnMasse-v0", (), 6, LEVEE_NO_PART),
    Case("levee_all_rules", "LeveeEnMasse-v0", LEVEE_RULES, 8, LEVEE_NO_PART),
    Case("paris_2", "Paris-v0", (("players", "2"), ("buildings", "variant")), 20, ("done",)),
    Case("paris_3", "Paris-v0", (("players", "3"), ("memory", "perfect"), ("bonus_track", "random")), 30, ("done",)),
    Case("paris_4", "Paris-v0", (("players", "4"),), 38, ("done",)),
    Case("revolution", "Revolution-v0", (), 4, ()),
)
EACH = pytest.mark.parametrize(
    "case",
    [
        *(pytest.param(case, id=case.name) for case in CASES),
        *(pytest.param(case._replace(seeds=MORE), id=f"{case.name}-more", marks=pytest.mark.slow) for case in CASES),
    ],
)


class Position:
    """A batch of one game that stays where it is, and its drawings."""

    def __init__(self, case, batch):
        self.batch = batch.clone()
        self.svg, self.text = batch.draw_svg(), batch.draw_text()
        self.name = f"{case.name}, seed {batch.game_seed(0)[0]}, decision {int(batch.states['decisions'][0])}"

    @cached_property
    def drawing(self):
        return Drawing(self.svg)


@cache
def positions(case):
    """The positions of a case; the last of every game is its end."""
    return [Position(case, batch) for batch in _stops(case)]


def _stops(case):
    for seed in case.seeds:
        rng = random.Random(f"{case.name} {seed}")
        batch = GameBatch(get_game(case.game), 1, seed, options=dict(case.options))
        for stop in range(STOPS):
            yield batch
            for _ in range(rng.randint(1, 2 * case.stride)):
                if not batch.states["over"][0]:
                    batch.step_random()
            if stop == STOPS - 2:
                while not batch.states["over"][0]:
                    batch.step_random()


def draw(batch, viewer=None):
    """Both drawings of a position as one string, as `viewer` sees them."""
    game, record, components = batch.game, batch.record(), batch.components
    legal = [a for a in range(game.actions.size) if batch.action_mask[0, a]]
    text = game.presentation.draw_text(record, components, viewer)
    return text + game.presentation.draw_svg(record, components, viewer, legal=legal)
