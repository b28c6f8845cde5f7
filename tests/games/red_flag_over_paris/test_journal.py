"""R29: the journal of a step leaves nothing out, however long the Solo Opponent's turn was."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from .table import COMMUNE, VERSAILLES, Table

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import JOURNAL_A, JOURNAL_B, JOURNAL_C, JOURNAL_CODE
from rfop_env.games.red_flag_over_paris import board, frames, journal, limits, state
from rfop_env.games.red_flag_over_paris.component_set import load_components
from rfop_env.games.red_flag_over_paris.game import solo, two_player

LENGTH = state.STATE["journal"].shape[0]
GAMES = {
    "commune": (solo, {"options": {"side": "commune"}}),
    "versailles": (solo, {"options": {"side": "versailles"}}),
    "inside": (two_player, {"opponent": "solo-opponent", "seat": "random"}),
    "censor": (two_player, {"opponent": "random", "seat": 0, "options": {"variant": "censor"}}),
}


def cube_changes(s: Any) -> Any:
    """What a record's journal says of cubes on the map: int [SIDES, SPACES], those that came less those that went."""
    change = np.zeros((board.SIDES, board.SPACES), int)
    for entry in s.journal[: s.journal_size]:
        code, side, first, second = (int(entry[k]) for k in (JOURNAL_CODE, JOURNAL_A, JOURNAL_B, JOURNAL_C))
        if code == journal.NOTE_MOVED:
            change[side, first] -= 1
            change[side, second] += 1
        elif code in (journal.NOTE_PLACED, journal.NOTE_RETURNED):
            change[side, first] += 1 if code == journal.NOTE_PLACED else -1
    return change


@pytest.mark.many_games
@pytest.mark.parametrize("kind", GAMES)
def test_r29_every_cube_that_came_or_went_in_a_step_is_in_its_journal(kind):
    """In random games with an opponent inside, at every step."""
    game, arguments = GAMES[kind]
    n, steps = (32, 400) if JIT else (2, 120)
    batch, moved = GameBatch(game(), n, 29, **arguments), 0
    for _ in range(steps):
        previous = batch.states["cubes"].astype(int)
        batch.step_random()
        for i in range(n):
            change = batch.states["cubes"][i] - previous[i]
            assert (cube_changes(batch.record(i)) == change).all(), batch.journal(i)
            moved += int(np.abs(change).sum())
        if batch.terminated.any():
            batch.reset(only=batch.terminated.copy())
    assert moved > steps


@pytest.mark.many_games
@pytest.mark.parametrize("kind", GAMES)
def test_r29_no_step_of_a_game_comes_near_the_end_of_the_journal(kind):
    """In thousands of random games, and far from the bound that the rules give."""
    game, arguments = GAMES[kind]
    n = 1024 if JIT else 3
    batch, longest = GameBatch(game(), n, 92, **arguments), 0
    while not batch.states["over"].all():
        batch.step_random()
        longest = max(longest, int(batch.states["journal_size"].max()))
    assert 10 < longest < limits.most_lines(load_components(None).tables) / 2


def test_r29_the_journal_holds_the_most_lines_that_the_shipped_set_allows():
    assert limits.most_lines(load_components(None).tables) < LENGTH


def nothing_to_do(bot: int) -> Table:
    """The Final Crisis of a solo game in which no card of the bot's does anything: no cubes, both discs, momentum 3.

    Without card 20, which could lower the Commune's momentum (R31).
    """
    t = Table(solo_side=("versailles", "commune")[bot]).stock(bot).disc("Fort d'Issy", bot).disc("Mont-Valérien", bot)
    t.momentum(3, 3).crisis(3).s.plays, t.s.settled[:] = 1, 0b1110
    t.s.zone[20] = state.NOT_USED
    return t.stock(1 - bot, pool=4, track=(4, 0, 0, 0))


@pytest.mark.parametrize("bot", [COMMUNE, VERSAILLES])
def test_r29_a_final_crisis_in_which_every_card_is_turned_up_twice_is_told_in_full(bot):
    t, pause = nothing_to_do(bot), (frames.ASK_WHETHER, 1 - bot, frames.WHETHER_STEP)
    cards = [k for k in range(1, 42) if t.s.zone[k] == state.IN_DECK]
    for kind, *arguments in (pause, (frames.DO_BOT_TURN, bot)):
        t.s.stack[t.s.depth, : 1 + len(arguments)] = kind, *arguments
        t.s.depth += 1
    t.ask(*pause).do("done")
    lines = "\n".join(t.log)
    for words in ("the Solo Opponent reveals", ("Commune", "Versailles")[bot] + " discards"):
        numbers = [int(k) for k in re.findall(rf"^{words} (\d+)", lines, re.MULTILINE)]
        assert sorted(numbers) == sorted(2 * cards)
    assert len(t.log) == 4 * len(cards) + 1 > 96 and t.log.count("the strategy deck is made anew") == 1


def test_r29_a_full_journal_says_so():
    """With a set of a player's own, whose events may be longer than the journal was made for."""
    t = Table(solo_side="commune")
    t.s.journal[:], t.s.journal_size = (journal.NOTE_ROUND, 1, 0, 0), LENGTH
    assert t.batch.journal()[-1] == "(more happened than the journal holds)" and len(t.batch.journal()) == LENGTH + 1
    t.s.journal_size = LENGTH - 1
    assert t.batch.journal() == ["Round 1 begins"] * (LENGTH - 1)


def test_a_deck_of_no_cards_is_not_made_anew():
    t = Table(solo_side="commune", seed=3)
    t.gone(*(k for k in range(1, 42) if t.s.zone[k] == state.IN_DECK)).go_on(state.DEALING)
    assert "the strategy deck is made anew" not in t.log and t.s.deck_size == 0


@pytest.mark.parametrize("variant", ["standard", "censor"])
@pytest.mark.parametrize(("use", "card_named"), [("use momentum", False), ("use operations", True)])
def test_r7_a_card_given_up_for_momentum_is_not_named(variant, use, card_named):
    """It leaves the game face down; with the Censor variant it goes under the discards, seen by both (R18)."""
    t = Table(variant=variant).hand(COMMUNE, 21, 24).first_play(COMMUNE)
    t.do("card 21")
    line = next(line for line in t.do(use).log if "plays" in line)
    assert (t.batch.components.card_name(21) in line) is (card_named or variant == "censor")
