"""Positions and moves in words: complete, silent about what is hidden, and read back as they are written."""

from __future__ import annotations

import time

import numpy as np
import pytest

from rfop_env import list_games, make_batch
from rfop_env.core.errors import BadActions, BadArgument, GameOver, NotStarted, UnclearMove
from rfop_env.core.game import BRIEF
from rfop_env.interfaces.text import legal_actions, move_in, parse_move, rules_text, view_json, view_text
from rfop_env.registry import get_game
from tests import toy_game
from tests.drawing.positions import CASES

EACH_CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
EACH_GAME = pytest.mark.parametrize("id", list_games())
GAMES, STOPS = 4, 8


def stops(case):
    """A batch of several games at positions from the start to the end."""
    batch = make_batch(case.game, GAMES, seed=11, **dict(case.options))
    for stop in range(STOPS):
        yield batch
        batch.step_random(batch.game.spec.max_decisions if stop == STOPS - 2 else case.stride)


@EACH_CASE
def test_the_seat_that_decides_is_told_its_actions_and_no_other(case):
    for batch in stops(case):
        for game in range(GAMES):
            record, decider = batch.record(game), int(batch.current_player[game])
            for seat, name in enumerate(batch.game.spec.seats):
                text, view = view_text(batch, game, seat), view_json(batch, game, seat)
                ids = [row["id"] for row in view["legal_actions"]]
                decides = seat == decider and not record.over
                assert ids == (np.flatnonzero(batch.action_mask[game]).tolist() if decides else [])
                assert ("Legal actions:" in text) == decides
                assert (view["seat"], view["over"], view["result"] is None) == (name, record.over == 1, not record.over)
                assert view["decides"] == (None if record.over else batch.game.spec.seats[decider])
                short = view_json(batch, game, seat, list_legal_actions=False)
                assert "legal_actions" not in short and "Legal actions:" not in view_text(
                    batch, game, seat, list_legal_actions=False
                )


@EACH_CASE
def test_moves_are_read_as_they_are_written(case):
    for batch in stops(case):
        for game in np.flatnonzero(batch.states["over"] == 0).tolist():
            for action in legal_actions(batch, game):
                line = f"{action.number}. {action.label}: {action.sentence}"
                assert line in view_text(batch, game)
                for words in (
                    action.number,
                    action.label,
                    action.short_label,
                    action.label.upper(),
                    f" **{action.label}**. ",
                    line,
                ):
                    assert parse_move(batch, str(words), game) == action.id


@EACH_CASE
def test_the_name_of_an_illegal_action_is_never_taken_for_another(case):
    refused = 0
    for batch in stops(case):
        game = 0
        legal = set(np.flatnonzero(batch.action_mask[game]).tolist())
        for row in batch.game.actions if legal else ():
            if row.id not in legal:
                with pytest.raises(UnclearMove, match=r"is not legal now: (did you mean|valid: )"):
                    parse_move(batch, row.label, game)
                refused += 1
    assert refused > 100


def operations():
    """A position with the actions place Republicans, place Press, place Social Movements and done."""
    batch = make_batch("RedFlagOverParis-v1", 1, seed=3)
    batch.step_random(15)
    assert [action.label for action in legal_actions(batch)] == [
        "place Republicans", "place Press", "place Social Movements", "done",
    ]  # fmt: skip
    return batch


def test_a_move_may_be_short_or_have_a_slip():
    for text, label in [
        ("2", "place Press"),
        ("place press", "place Press"),
        ("place rep", "place Republicans"),
        ("place Prress", "place Press"),
        ("`done`", "done"),
        ("2. place Press", "place Press"),
        ("Sócial", "place Social Movements"),
    ]:
        batch = operations()
        assert batch.game.actions.label(parse_move(batch, text)) == label


def test_any_other_move_is_refused_with_what_would_do():
    for text, hint in [
        ("place", "can mean 'place Republicans', 'place Press', 'place Social Movements': give more of it"),
        ("5", "there is no 5 in the list of legal actions: it ends at 4"),
        ("9" * 60, "there is no 999999"),
        ("", "no move in '': name one of the legal actions, 'place Republicans'"),
        ("place Butte Montmartre", "'place Butte Montmartre' is not legal now: did you mean "),
        ("attack the moon", "is not among the legal actions"),
        ("2. done", "number 2 is 'place Press', not 'done'"),
        ("x" * 501, "at most 500 characters, found 501"),
        ("\x1b[2J", r"'\x1b"),
    ]:
        batch = operations()
        snapshot = batch.get_state().tobytes()
        with pytest.raises(UnclearMove) as refused:
            parse_move(batch, text)
        assert hint in str(refused.value) and "\x1b" not in str(refused.value)
        assert batch.get_state().tobytes() == snapshot


def test_a_card_is_never_taken_for_the_one_with_nearly_its_number():
    batch = make_batch("RedFlagOverParis-v1", 1, seed=3)
    labels = [action.short_label for action in legal_actions(batch)]
    assert len(labels) == 2 and all(label.startswith("objective ") for label in labels)
    for value in ("objectve 99", "objectve 4"):
        with pytest.raises(UnclearMove):
            parse_move(batch, value)
    assert parse_move(batch, labels[0].replace("tive", "tve")) == legal_actions(batch)[0].id


def test_the_move_in_a_reply():
    for reply, move in [
        ("I think [a] and then [place Press].", "place Press"),
        ("place Press", "place Press"),
        ("First a thought.\n\nplace Press\n", "place Press"),
        ("[]\ndone", "done"),
        ("", ""),
        ("[[1]]", "1"),
    ]:
        assert move_in(reply) == move


def test_a_reply_is_read_once():
    """A bracket that is never closed made the search for the move take the square of its length: half a minute here."""
    for reply in ["[" + "a" * 50_000, "[" * 50_000, "[ " * 25_000, "[" + " " * 50_000 + "]"]:
        start = time.process_time()
        assert move_in(reply) == reply.strip()
        assert time.process_time() - start < 5


@EACH_GAME
def test_every_game_has_its_rules_in_brief(id):
    text = rules_text(get_game(id))
    assert 800 < len(text) < 4000 and text.startswith("### ") and "\n## " not in text
    assert max(map(len, text.splitlines())) <= 120


def test_rules_of_one_environment_are_not_told_in_another():
    solo, duel = (rules_text(get_game(id)) for id in ("RedFlagOverParisSolo-v1", "RedFlagOverParis-v1"))
    assert "Solo Opponent" in solo and "Solo Opponent" not in duel
    assert solo.startswith(duel) and "\n## " not in solo
    assert rules_text(toy_game.two_player()) == ""
    assert not (toy_game.two_player().folder / BRIEF).exists()


@EACH_GAME
def test_a_forfeited_game_is_told_as_one(id):
    """It has an end that the rules do not know: no winner, no draw, no running game, and nothing happens twice."""
    batch = make_batch(id, 2, seed=3)
    while not batch.journal(1):
        batch.step_random()
    batch.forfeit(np.array([False, True]))
    loser = batch.game.seat_names(batch.record(1))[int(batch.current_player[1])]
    for seat in range(batch.game.spec.players):
        view = view_json(batch, 1, seat)
        assert view["result"] == f"{loser} lost by an illegal action" and view["result"] in view["situation"]
        assert view["question"].endswith("lost by an illegal action") and view["question"] in view["drawing"]
        assert (view["journal"], view["legal_actions"], view["over"]) == ([], [], True)
    assert not view_json(batch, 0)["over"]
    with pytest.raises(BadActions, match=r"games: expected bool \[2\]"):
        batch.forfeit([1])


def test_the_journal_may_be_longer_than_the_last_decision():
    batch = operations()
    assert "- Commune places a cube in Press" in view_text(batch)
    view = view_json(batch, journal=["one", "  two"])
    assert view["journal"] == ["one", "  two"]
    assert "- one\n- two\n" in view_text(batch, journal=["one", "  two"])
    assert "What has happened" not in view_text(batch, journal=[])


def test_wrong_use():
    batch = make_batch("Revolution-v0", 2)
    with pytest.raises(NotStarted):
        view_text(batch)
    batch.reset(1)
    for call in (view_text, view_json):
        with pytest.raises(BadArgument, match="seat"):
            call(batch, 0, 2)
        with pytest.raises(BadArgument, match="game"):
            call(batch, 5)
    batch.step_random(60)
    with pytest.raises(GameOver, match="nothing to decide"):
        parse_move(batch, "1")
    assert legal_actions(batch) == []


def test_the_chosen_card_is_shown_to_its_owner_alone():
    """The question of the drawing names the card whose use is asked for; the enemy reads that a card is used."""
    batch = make_batch("RedFlagOverParis-v1", 1, seed=3)
    for _ in range(60):
        if view_json(batch)["question"].startswith(("Commune to decide: use", "Versailles to decide: use")):
            break
        batch.step_random()
    decider = int(batch.current_player[0])
    own, enemy = (view_json(batch, 0, seat)["question"] for seat in (decider, 1 - decider))
    assert enemy.endswith("to decide: use the card")
    assert own.startswith(f"{enemy} #")
