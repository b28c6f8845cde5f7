"""The card of a game: its figures against games whose figures are known."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.core.errors import RfopError
from rfop_training.common.records import read_records
from rfop_training.evaluation.setting import Setting
from training.research.__main__ import main as research
from training.research.lab.game_card import GameCard, cards_table, deal_share, decision_sequences, game_card

GAME = "Revolution-v0"


@pytest.mark.parametrize(("share", "deals"), [(0.0, 4000), (0.25, 4000), (0.6, 2000)])
def test_the_share_of_the_deal_is_that_of_the_variance_components(share, deals):
    rng = np.random.default_rng(1)
    # Each deal has a chance of 1/2 +- d, so that d^2 is the variance between deals, of 1/4 in all.
    d = np.sqrt(share / 4)
    chances = 0.5 + d * rng.choice([-1, 1], deals)
    won = (rng.random((deals, 8)) < chances[:, None]).astype(float)
    measured, low, high = deal_share(won, resamples=200)
    assert low <= measured <= high and abs(measured - share) < 0.02


def test_a_deal_that_decides_everything_has_all_of_it():
    won = np.repeat(np.arange(50)[:, None] % 2, 4, axis=1).astype(float)
    assert deal_share(won, resamples=20)[0] == 1
    assert deal_share(np.ones((5, 3)), resamples=20) == (0, 0, 0)


def test_sequences_of_a_game_of_the_same_width_everywhere_are_exact(monkeypatch):
    """Five decisions of two actions each: 32 sequences, whatever random game is played."""

    class Fake:
        def __init__(self, game, games, **settings):
            self.step, self.games = 0, games

        def reset(self, seeds):
            assert len(seeds) == self.games

        @property
        def action_mask(self):
            return np.tile([self.step < 5, False, self.step < 5], (self.games, 1))

        def step_random(self):
            self.step += 1

    monkeypatch.setattr("training.research.lab.game_card.GameBatch", Fake)
    assert decision_sequences(Setting(GAME), None, 7) == pytest.approx(5 * np.log10(2))


def test_the_card_of_random_play(tmp_path, capsys):
    file = tmp_path / "cards.csv"
    command = ["game-card", "random", "--env", GAME, "--deals", "6", "--repeats", "2", "--sequences", "8"]
    assert research([*command, "--csv", str(file)]) == 0
    (card,) = read_records(file, GameCard)
    assert card.games == 12 and card.deals == 6 and card.agent == "random"
    assert 0 < card.length_low <= card.length <= card.length_high <= 50 and card.choices <= card.length
    assert 1 < card.branching < 100 and card.sequences > 10
    assert 0 < card.sets_met <= 12 * card.choices and 0 <= card.sets_again < 1
    assert card.first_low <= card.first_seat <= card.first_high and card.tie_breaks == 0
    assert cards_table([card]) in capsys.readouterr().out

    # The same card again replaces its row.
    assert research([*command, "--csv", str(file)]) == 0
    assert read_records(file, GameCard) == [card]


def test_tie_breaks_of_paris_are_games_won_with_equal_points():
    card = game_card(Setting.parse("Paris-v0", "players=2"), "random", range(2), repeats=2, sequences=2)
    assert 0 <= card.tie_breaks < 1 and card.draws == 0


def test_one_deal_or_one_game_of_it_is_refused():
    with pytest.raises(RfopError, match="2 deals and 2 repeats"):
        game_card(Setting(GAME), "random", range(1))
    with pytest.raises(RfopError, match="found 5 and 1"):
        game_card(Setting(GAME), "random", range(5), repeats=1)
