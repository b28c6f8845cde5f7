"""Saved positions: exact round trips, and a clear refusal of everything else."""

import numpy as np
import pytest
import toy_game

from rfop_env.core import position
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadActions, BadArgument, BadPosition, NotStarted
from rfop_env.core.position import load_position, load_position_text, position_text, save_position
from rfop_env.registry import get_game

ARRAYS = ("observation", "action_mask", "current_player", "rewards", "terminated", "end_reason")
GAMES = [toy_game.two_player(), get_game("RedFlagOverParis-v1"), get_game("RedFlagOverParisSolo-v1")]


def everything(batch):
    """All a caller can see of a batch, as bytes."""
    return [batch.get_state().tobytes(), *(getattr(batch, name).tobytes() for name in ARRAYS)]


def in_the_middle(game, n=3, decisions=9, **arguments):
    batch = GameBatch(game, n, 5, **arguments)
    batch.step_random(decisions)
    return batch


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
@pytest.mark.parametrize("decisions", [0, 3, 12, 500])
def test_both_round_trips_are_exact(game, decisions):
    batch = GameBatch(game, 2, 11)
    for _ in range(decisions):
        batch.step_random()
    record = batch.get_record(1).tobytes()
    data, text = save_position(batch, 1), position_text(batch, 1)
    for load, saved in ((load_position, data), (load_position_text, text)):
        target = GameBatch(game, 1)
        load(target, saved)
        assert target.get_record().tobytes() == record
        assert save_position(target) == data and position_text(target) == text
        assert target.end_reason[0] == batch.states["end_reason"][1]
        np.testing.assert_array_equal(target.action_mask[0], batch.action_mask[1])
        np.testing.assert_array_equal(target.observation[0], batch.observation[1])


def test_a_loaded_game_goes_on_as_the_saved_one():
    batch = in_the_middle(toy_game.two_player(), n=1, decisions=4)
    target = GameBatch(toy_game.two_player(), 1)
    load_position(target, save_position(batch))
    for _ in range(6):
        batch.step_random()
        target.step_random()
        assert everything(batch) == everything(target)


def test_loading_into_one_game_leaves_the_others():
    batch = in_the_middle(toy_game.two_player())
    saved = save_position(GameBatch(toy_game.two_player(), 1, 77))
    snapshot = [batch.get_record(i).tobytes() for i in range(3)]
    observation = batch.observation.copy()
    load_position(batch, saved, 1)
    assert [batch.get_record(i).tobytes() == old for i, old in enumerate(snapshot)] == [True, False, True]
    np.testing.assert_array_equal(batch.observation[[0, 2]], observation[[0, 2]])


def test_an_edited_text_is_played_from():
    batch = in_the_middle(toy_game.two_player())
    lines = position_text(batch).splitlines()
    edited = "\n".join("score = [11, 3]" if line.startswith("score") else line for line in lines)
    load_position_text(batch, edited, 2)
    assert batch.states["score"][2].tolist() == [11, 3]


def test_the_text_can_be_read():
    text = position_text(in_the_middle(toy_game.two_player()))
    assert "# Red " in text and 'game = "LiarsRace-v0"' in text and "score = [" in text
    assert max(map(len, text.splitlines())) <= 120


def refused(batch, load, saved, match, game=0):
    snapshot = everything(batch)
    with pytest.raises(BadPosition, match=match):
        load(batch, saved, game)
    assert everything(batch) == snapshot, "a refused position changed the batch"


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ('game = "LiarsRace-v0"', 'game = "LiarsRaceSolo-v0"', "a position of LiarsRaceSolo-v0, not of LiarsRace-v0"),
        ('game = "LiarsRace-v0"', 'game = "LiarsRace-v7"', "saved in LiarsRace-v7, .* package that has"),
        ('digest = "', 'digest = "0', "components 'own' .* make the batch with components="),
        ("score = ", "scroe = ", "unknown field 'scroe': did you mean 'score'"),
        ('game = "LiarsRace-v0"', "", "the file lacks 'game'"),
        ("turns = ", "turns = 'x' #", "'turns': expected an integer, found str 'x'"),
        ("turns = ", "turns = 5000000000 #", "'turns': 5000000000 is outside -2147483648 to 2147483647"),
        ("score = ", "score = [1, 2, 3] #", r"'score': expected integers \[2\], found 3 entries where 2 belong"),
        ("claim = ", "claim: ", "not valid TOML"),
        ("die = ", "die = [7, 1] #", r"faulty position of LiarsRace-v0: die\[0\] is 7, outside 1 to 6"),
        ("claim = ", "claim = 6 #", "asks for nothing that can be done"),
        ("journal_size = ", "journal_size = 2 #", None),
    ],
)
def test_texts_that_are_refused(old, new, match):
    batch = GameBatch(toy_game.two_player(), 3, 5)
    batch.states["phase"][0] = toy_game.CLAIMING
    text = position_text(batch)
    assert old in text
    if match is None:  # a journal that says nothing is no fault
        return load_position_text(batch, text.replace(old, new))
    return refused(batch, load_position_text, text.replace(old, new, 1), match)


def test_a_missing_field_is_named():
    batch = in_the_middle(toy_game.two_player())
    text = "\n".join(line for line in position_text(batch).splitlines() if not line.startswith(("token", "turns")))
    refused(batch, load_position_text, text, r"\[state\] lacks 'token', 'turns'")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a = " + "[" * 1500 + "]" * 400, "lists within lists|not valid TOML"),
        ("a = " + "9" * 1900 + "\n" + "b = [\n" + "1,\n" * 90_000, "too long for a position"),
    ],
)
def test_texts_that_a_parser_chokes_on(text, match):
    batch = in_the_middle(toy_game.two_player())
    refused(batch, load_position_text, text, match)


@pytest.mark.parametrize("header", [b"[1, 2]", b"{", b"\xff\xfe", b"[" * 100_000, b"7"])
def test_bytes_with_a_header_that_says_nothing(header):
    """The checksum of these is right: anybody can compute it."""
    data = position.MAGIC + len(header).to_bytes(4, "little") + header + b"record"
    batch = in_the_middle(toy_game.two_player())
    refused(batch, load_position, data + position._checksum(data), "header of this position cannot be read")


def test_a_journal_that_cannot_be_read():
    batch = in_the_middle(get_game("RedFlagOverParisSolo-v1"))
    lines = position_text(batch).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("journal_size"))
    text = "\n".join([*lines[:at], "journal_size = 1", "journal = [[99, 0, 0, 0]]",
                      *lines[next(i for i, line in enumerate(lines) if line.startswith("censor")) :]])  # fmt: skip
    refused(batch, load_position_text, text, "it cannot be read")


def test_bytes_that_are_refused(tmp_path):
    batch = in_the_middle(toy_game.two_player())
    data = save_position(batch)
    for at in range(8, len(data), 7):
        refused(batch, load_position, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], "damaged or cut off")
    refused(batch, load_position, data[:-3], "damaged or cut off")
    refused(batch, load_position, data[:9], "damaged or cut off")
    refused(batch, load_position, b"", "no position saved by save_position")
    refused(batch, load_position, position_text(batch).encode(), "load_position_text reads")
    solo = GameBatch(toy_game.solo(), 1, 0)
    refused(batch, load_position, save_position(solo), "load it into a batch of LiarsRaceSolo-v0")
    own = tmp_path / "own.toml"
    own.write_text("target = [9, 9]\nturns = 4\n")
    target = GameBatch(toy_game.two_player(), 1, 0, components=own)
    refused(batch, load_position, save_position(target), "components=")


def test_bytes_of_another_record_layout(monkeypatch):
    batch = in_the_middle(toy_game.two_player())
    data = save_position(batch)
    monkeypatch.setattr("rfop_env.core.position._header", lambda batch: {"layout": "other", "size": 3})
    refused(batch, load_position, data, "other state fields")


def test_a_faulty_position_in_bytes():
    batch = in_the_middle(toy_game.two_player())
    bad = batch.clone()
    bad.states["die"][0] = 9
    refused(batch, load_position, save_position(bad), r"die\[0\] is 9, outside 1 to 6")


def test_an_ended_game_does_not_go_into_an_autoreset_batch():
    batch = in_the_middle(toy_game.two_player(), decisions=100)
    endless = in_the_middle(toy_game.two_player(), autoreset=True)
    refused(endless, load_position, save_position(batch), "autoreset=False")


def test_games_that_are_not_there():
    batch = GameBatch(toy_game.two_player(), 2)
    with pytest.raises(NotStarted):
        save_position(batch)
    saved = save_position(GameBatch(toy_game.two_player(), 1, 0))
    with pytest.raises(NotStarted):
        load_position(batch, saved)
    batch.reset(0)
    for call in (load_position, save_position, position_text):
        with pytest.raises(BadArgument, match="game 2 is out of range 0 to 1"):
            call(batch, *([saved] if call is load_position else []), 2)
    with pytest.raises(BadActions, match="expected 1 record"):
        batch.put_record(0, batch.get_state())
