"""The marks to which the Headline cards of Levée en Masse are tuned: scripted and random games, and published ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from training import replay
from training.checkpoints import Count, Watch, alive, shares
from training.distribution import Distribution, Outcome, look_at
from training.evaluate import BLOCK, PUBLISHED, Setting
from training.pages import WON
from training.records import read_records

TRACKS = ("Monarchy", "Despotism", "Republic")
RED = "headline=46"  # the first red card


@dataclass(frozen=True)
class Found:
    """What an agent's games of a scenario come to."""

    wins: float
    triumphs: float
    median: float
    lost_early: float  # before the first red card
    commonest: float  # the largest share of one box, of any track, at the first red card
    disorder: float  # share of games with Disorder in Paris there

    @classmethod
    def of(cls, outcomes: list[Outcome], counts: list[Count]) -> Found:
        one, games = Distribution.of(outcomes), sum(x.games for x in outcomes)
        lost = sum(one.endings[end] for end in ("crushing defeat", "decisive defeat"))
        tops = [max(shares(counts, RED, track).values(), default=0.0) for track in TRACKS]
        return cls(
            sum(one.endings[end] for end in WON) / games, one.endings[WON[-1]] / games, float(np.median(one.points)),
            lost / games, max(tops), shares(counts, RED, "disorder").get(1, 0.0),
        )  # fmt: skip


def played(agent: str, scenario: str, deals: int) -> Found:
    """So many games, from the first public deal on."""
    setting = Setting("LeveeEnMasse-v0", (("scenario", scenario),))
    return Found.of(*look_at(setting, agent, range(deals), Watch.of(setting.game, replay.MOMENTS, replay.WATCHED)))


def check_marks(deals: int, slack: float) -> None:
    """The marks of docs/levee_en_masse.md for random and scripted games; `slack`: how far shares may be off."""
    scenarios = ("standard", "extended", "puree", "historical")
    standard, extended, puree, historical = (played("scripted", scenario, deals) for scenario in scenarios)
    assert played("random", "standard", deals).lost_early > 0.5

    # Politics are alive when the red deck begins; Chronological Puree has no such moment.
    for one in (standard, extended, historical):
        assert one.commonest <= 0.6 + slack and one.disorder <= 0.7, one

    # The scenarios: history's own score, a little harder, no easier, even.
    assert -20 <= standard.median <= -8 and standard.triumphs <= 1 / 3
    assert standard.wins - 0.15 - slack <= extended.wins <= standard.wins - 0.03 + slack
    assert puree.wins <= standard.wins + 0.01 + slack and puree.median <= standard.median + 20 * slack
    assert abs(historical.wins - 0.5) <= 0.07 + slack


def test_the_deck_meets_its_marks():
    check_marks(BLOCK, 0.04)


@pytest.mark.slow
def test_the_deck_meets_its_marks_over_many_games():
    check_marks(PUBLISHED, 0.0)


def test_published_agents_meet_them_too():
    """No agent whose games are published triumphs in more than a third of them; rows are of one component set."""
    counts, outcomes = read_records(replay.CHECKPOINTS, Count), read_records(replay.SPREAD, Outcome)
    rows = replay.spread_scores()
    assert {row.options for row in rows} == {"", *(f"scenario={name}" for name in ("extended", "puree", "historical"))}
    for row in rows:
        seen = replay.counts_of(row, counts)
        assert alive(seen, "end") == 1.0 and seen[0].deals == row.games, row
        one = Found.of(replay.outcomes_of(row, outcomes), seen)
        assert one.triumphs <= 1 / 3, row
        assert one.wins == pytest.approx(row.win_rate, abs=1e-4), row
