"""The marks to which the Headline cards of Levée en Masse are tuned: scripted and random games, and published ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from training.research.generator.levee_en_masse import WON
from training.research.lab.checkpoints import AT_END, CheckpointCount, Watch, reached_share, shares
from training.research.lab.distribution import Distribution, Outcome, play_and_count
from rfop_training.evaluation.games import BLOCK
from rfop_training.evaluation.rows import PUBLISHED
from rfop_training.evaluation.statistics import Z
from rfop_training.evaluation.setting import Setting
from training.research.publishing import replay
from rfop_training.common.records import read_records

TRACKS = ("Monarchy", "Despotism", "Republic")
RED = "headline=46"  # the first red card


@dataclass(frozen=True)
class Summary:
    """What an agent's games of a scenario come to."""

    wins: float
    triumphs: float
    median: float
    lost_early: float  # before the first red card
    commonest: float  # the largest share of one box, of any track, at the first red card
    disorder: float  # share of games with Disorder in Paris there

    @classmethod
    def of(cls, outcomes: list[Outcome], counts: list[CheckpointCount]) -> Summary:
        one, games = Distribution.of(outcomes), sum(x.games for x in outcomes)
        lost = sum(one.endings[end] for end in ("crushing defeat", "decisive defeat"))
        tops = [max(shares(counts, RED, track).values(), default=0.0) for track in TRACKS]
        return cls(
            sum(one.endings[end] for end in WON) / games, one.endings[WON[-1]] / games, float(np.median(one.points)),
            lost / games, max(tops), shares(counts, RED, "disorder").get(1, 0.0),
        )  # fmt: skip


def played(agent: str, scenario: str, deals: int) -> Summary:
    """So many games, from the first public deal on."""
    setting = Setting("LeveeEnMasse-v0", (("scenario", scenario),))
    return Summary.of(
        *play_and_count(setting, agent, range(deals), Watch.of(setting.game, replay.MOMENTS, replay.WATCHED))
    )


def check_marks(deals: int, slack: float) -> None:
    """The marks of docs/levee_en_masse.md for random and scripted games; `slack`: how far shares may be off."""
    scenarios = ("standard", "extended", "puree", "historical")
    standard, extended, puree, historical = (played("scripted", scenario, deals) for scenario in scenarios)
    assert played("random", "standard", deals).lost_early > 0.5

    # Politics are alive when the red deck begins; Chronological Puree has no such moment.
    for one in (standard, extended, historical):
        assert one.commonest <= 0.6 + slack and one.disorder <= 0.7, one

    # The scenarios: about history's own score, a little harder, no easier (as far as so many games tell), even.
    assert -20 <= standard.median <= -8 and standard.triumphs <= 1 / 3
    assert 0.02 - slack <= standard.wins - extended.wins <= 0.15 + slack
    assert puree.wins - standard.wins <= Z * math.sqrt(2 * standard.wins * (1 - standard.wins) / deals)
    assert abs(historical.wins - 0.5) <= 0.06 + slack


def test_the_deck_meets_its_marks():
    check_marks(BLOCK, 0.05)


@pytest.mark.slow
def test_the_deck_meets_its_marks_over_many_games():
    check_marks(PUBLISHED, 0.0)


def published() -> dict[tuple[str, str], Summary]:
    """What the published games come to, by options and agent."""
    counts, outcomes = read_records(replay.CHECKPOINTS, CheckpointCount), read_records(replay.SPREAD, Outcome)
    return {
        (row.options, row.agent): Summary.of(replay.row_outcomes(row, outcomes), replay.row_counts(row, counts))
        for row in replay.spread_scores()
    }


def test_checkpoints_are_published_of_the_same_games_as_the_scores():
    counts, found, rows = read_records(replay.CHECKPOINTS, CheckpointCount), published(), replay.spread_scores()
    names = {"scripted", "levee/ppo-1"}
    for scenario in ("", *(f"scenario={name}" for name in ("extended", "puree", "historical"))):
        assert {agent for options, agent in found if options == scenario} >= names
    for row in rows:
        seen = replay.row_counts(row, counts)
        assert (
            reached_share(seen, AT_END) == 1.0
            and sum(c.games for c in seen if (c.at, c.entry) == (AT_END, "disorder")) == row.games
        )
        assert found[row.options, row.agent].wins == pytest.approx(row.win_rate, abs=1e-4), row


def test_politics_of_published_scripted_games_are_alive():
    found = published()
    for options in ("", "scenario=extended", "scenario=historical"):
        assert found[options, "scripted"].commonest <= 0.6 and found[options, "scripted"].disorder <= 0.7, options


@pytest.mark.xfail(strict=True, reason="levee/ppo-2 triumphs in half of its games")
def test_no_published_agent_triumphs_in_more_than_a_third_of_its_games():
    assert [key for key, one in published().items() if one.triumphs > 1 / 3] == []
