"""What menus and the page say about actions now, and about the end of a game."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import rfop_env
from rfop_env.cli import terminal
from rfop_env.compiler import JIT
from rfop_env.core.game import ending_sentence
from rfop_env.games.levee_en_masse import battle, government, state
from rfop_env.games.levee_en_masse.actions import ACTIONS, MILITARY, POLITICAL
from rfop_env.games.levee_en_masse.journal import beats
from rfop_env.games.levee_en_masse.odds import winning_faces


def positions(name, games=3, decisions=40, **options):
    """Positions of random play, and the legal actions of each."""
    batch = rfop_env.make_batch(name, games, seed=5, **options)
    for _ in range(decisions):
        for game in np.flatnonzero(batch.states["over"] == 0):
            yield batch, batch.record(int(game)), np.flatnonzero(batch.action_mask[game]).tolist()
        batch.step_random()


def test_bonus_tiles_of_paris_say_what_they_do():
    said = set()
    for batch, record, legal in positions("Paris-v0", decisions=60):
        for action in legal:
            if (number := batch.game.action_card(batch.components, action)) is not None:
                effect = batch.components.event_sentences(number)[0]
                sentence = batch.game.action_sentence(record, batch.components, action)
                assert sentence.endswith(effect)
                assert batch.game.action_label(batch.components, action).endswith(batch.components.card_name(number))
                said.add(sentence.partition(":")[0])
    assert {"take it", "use it now"} <= said


def test_attacks_of_levee_en_masse_say_their_odds():
    said = set()
    for batch, record, legal in positions("LeveeEnMasse-v0"):
        said |= {batch.game.action_sentence(record, batch.components, action) for action in legal}
    assert any(text.startswith("attack the Prussian army") and text.endswith(" of 6 rolls") for text in said)
    assert "raise Republic by a box; succeeds on 4 of 6 rolls" in said


@pytest.mark.skipif(JIT, reason="asks the rules themselves, which only kernels call when they are compiled")
def test_the_odds_are_those_of_the_rules():
    compared = 0
    for batch, s, legal in positions("LeveeEnMasse-v0", scenario="extended", decisive="on"):
        c = batch.components.record.view(np.recarray)[0]
        for action in legal:
            row = ACTIONS.rows[action]
            if row.kind == "military":
                s.roll_army = row.argument
                wins = 0
                for die in range(1, 7):
                    s.roll_die = die
                    wins += battle.battle_won(s, c, 0)
                s.roll_army, s.roll_die = state.NO_ARMY, 0
                assert winning_faces(s, c, MILITARY + row.argument) == wins
                compared += 1
            if row.kind == "political":
                drm, value = government.political_drm(s, c), int(s.politics[row.argument])
                wins = sum(battle.succeeds(die, drm, value) for die in range(1, 7))
                assert winning_faces(s, c, POLITICAL + row.argument) == wins
    assert compared > 20
    assert all(beats(d, m, v) == battle.succeeds(d, m, v) for d in range(1, 7) for m in (-2, 0, 2) for v in range(7))


@pytest.mark.parametrize(
    ("names", "won", "said"),
    [
        (("Commune", "Versailles"), (True, False), "Commune won: why"),
        (("Commune", "Versailles"), (False, False), "A draw between Commune and Versailles: why"),
        (("A", "B", "C"), (True, False, True), "A and C won: why"),
        (("France",), (True,), "France won: why"),
        (("France",), (False,), "France lost: why"),
    ],
)
def test_an_end_is_told_in_words(names, won, said):
    sides = (lambda s: names, lambda s: won, lambda s, components: "why")
    assert ending_sentence(SimpleNamespace(over=1, end_reason=1), None, *sides) == said
    forfeit = SimpleNamespace(over=1, end_reason=0, player=len(names) - 1)
    assert ending_sentence(forfeit, None, *sides) == f"{names[-1]} lost by an illegal action"


# -- the terminal ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_menu_fits_the_terminal(columns):
    rows = [("place Press", "place a cube in the space " * 4), ("x" * 39 + " end", "stop " * 30), ("done", "")]
    lines = terminal.menu(rows, columns)
    assert all(len(line) <= max(columns, 50) for line in lines) and any(len(line) > columns - 15 for line in lines)
    assert [line.split()[0] for line in lines if line[:4].strip()] == ["1", "2", "3"]
    assert " ".join(" ".join(lines).split()).count("place a cube in the space") == 4


def test_colour_needs_a_terminal_that_wants_it(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert terminal.paint("a", terminal.BOLD) == "a"
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
    assert terminal.paint("a", terminal.BOLD) == "\x1b[1ma\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.paint("a", terminal.BOLD) == "a"
