"""The declared ranges of a record, and the check that every record from outside passes."""

import numpy as np
import pytest
import toy_game

from rfop_env.core.batch import GameBatch
from rfop_env.core import decisions
from rfop_env.core.decisions import FRAME_A, FRAME_KIND, FRAME_SIDE, Header
from rfop_env.core.errors import BadActions, BadPosition, NotStarted, UnknownName
from rfop_env.core.record import Field, Frame, Grid, RecordLayout, field
from rfop_env.interfaces.common import forfeit
from tests.core.rule_calls import from_python
from rfop_env.registry import get_game, list_games

LAYOUT = RecordLayout(
    [*Header.fields(), Field("row", np.int8, [0, 0, 1], [5, 6, 7], (3,)), Field("one", np.int32, -1, 4)],
    {1: Frame("ask", (0, 1), card=(2, 3)), 2: Frame("do", (0, 0))},
)


def records(n=1):
    states = np.zeros(n, LAYOUT.dtype)
    states["row"] = [0, 6, 1]
    return states


def put_frames(states, *frames, game=0):
    states["depth"][game] = len(frames)
    for level, frame in enumerate(frames):
        states["stack"][game, level, : len(frame)] = frame
    return states


def only(problems):
    """The one sentence about the one record."""
    assert len(problems) == 1 and len(problems[0]) == 1, problems
    return problems[0][0]


def test_a_class_declares_the_fields_of_a_record_in_order():
    class State(Header, journal_length=5):
        row: Grid = field(np.int8, 0, 1, (2, 3))
        episode: int = field(np.int64, 0, 9)  # in place of the header's

    fields = {entry.name: entry for entry in State.fields()}
    assert list(fields) == [*(entry.name for entry in Header.fields()), "row"]
    assert fields["episode"] == Field("episode", np.int64, 0, 9)
    assert fields["row"] == Field("row", np.int8, 0, 1, (2, 3))
    assert (fields["journal"].shape, fields["journal_size"].high) == ((5, 4), 5)
    assert [fields[entry.name] for entry in Header.fields()[:3]] == list(Header.fields()[:3])
    assert State.dtype() == RecordLayout(State.fields()).dtype


def test_the_arguments_of_a_kind_of_frame_have_names():
    kind = Frame("ask", (0, 1), card=(1, 60), unused=None, points=(-1, 4))
    assert (kind.card, kind.points, hasattr(kind, "unused")) == (2, 4, False)
    assert kind.ranges == ((0, 1), (1, 60), (0, 0), (-1, 4), (0, 0), (0, 0), (0, 0))
    with pytest.raises(ValueError, match="7 arguments, and there are 6"):
        Frame("ask", (0, 1), **dict.fromkeys("abcdefg", (0, 1)))


def test_a_record_within_its_ranges_has_no_problems():
    assert LAYOUT.problems(put_frames(records(3), (1, 1, 2), (2, 0), game=2), {}) == [[], [], []]


@pytest.mark.parametrize("length", [1, 3, 200])
def test_a_journal_is_as_long_as_its_game_says(length):
    """It takes that many notes, says when it is full, and is cleared whole; what lies behind it stays as it is."""
    names = ("note", "clear_journal", "fill_journal")
    note, clear, fill = (from_python(getattr(decisions, name)) for name in names)

    class State(Header, journal_length=length):
        after: int = field(np.int64, -1, 0)

    layout = RecordLayout(State.fields())
    states = np.zeros(1, layout.dtype)
    s = states.view(np.recarray)[0]
    s.after = -1
    for k in range(length + 2):
        note(s, 1 + k % 99, k % 7, 2, 3)
        lines = decisions.journal_sentences(s, lambda *entry: str(entry))
        full = ["(more happened than the journal holds)"] * (k + 1 >= length)
        assert lines == [str((1 + j % 99, j % 7, 2, 3)) for j in range(min(k + 1, length))] + full
    assert s.journal_size == length and layout.problems(states, {}) == [[]]
    clear(s)
    assert s.journal_size == 0 and not s.journal.any() and s.after == -1
    fill(s)
    note(s, 1, 1, 1, 1)
    assert s.journal_size == length and not s.journal.any() and s.after == -1
    s.journal_size = length + 1
    assert layout.problems(states, {}) == [[f"journal_size is {length + 1}, outside 0 to {length}"]]


@pytest.mark.parametrize(
    ("field", "at", "number", "sentence"),
    [
        ("one", (), 5, "one is 5, outside -1 to 4"),
        ("row", (2,), 0, r"row[2] is 0, outside 1 to 7"),
        ("fault", (), 1, "fault is 1, outside 0 to 0"),
        ("episode", (), -1, f"episode is -1, outside 0 to {2**62}"),
    ],
)
def test_the_first_number_out_of_range_is_named(field, at, number, sentence):
    states = records(2)
    states[field][(1, *at)] = number
    problems = LAYOUT.problems(states, {})
    assert problems[0] == [] and problems[1][0] == sentence


def test_a_limit_of_the_game_is_narrower_than_the_header():
    states = records()
    states["player"] = 2
    assert LAYOUT.problems(states, {}) == [[]]
    assert only(LAYOUT.problems(states, {"player": 1})) == "player is 2, outside 0 to 1"


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        ((-2_000_000_000,), "stack: row 1 has kind -2000000000, which does not exist"),
        ((1, 40_000_000, 2), "stack: row 1 (ask): side is 40000000, outside 0 to 1"),
        ((1, 0, 500_000_000), "stack: row 1 (ask): argument A is 500000000, outside 2 to 3"),
        ((2, 0, 0, 0, 0, 0, 0, 9), "stack: row 1 (do): argument F is 9, outside 0 to 0"),
    ],
)
def test_frames_are_checked_at_every_depth(frame, sentence):
    assert only(LAYOUT.problems(put_frames(records(), (2,), frame, (1, 1, 3)), {})) == sentence


def test_nothing_lies_above_the_top_of_the_stack():
    states = put_frames(records(), (2,))
    states["stack"][0, 5, 3] = 7
    assert only(LAYOUT.problems(states, {})) == "stack: row 5 is not 0, and depth is 1"


# -- the ways in -------------------------------------------------------------------------------------------------------


def toy(n=1, decisions=4, **arguments):
    batch = GameBatch(toy_game.two_player(), n, 5, **arguments)
    batch.step_random(decisions)
    return batch


def refuses(batch, match, call, *arguments):
    snapshot = batch.get_state().tobytes()
    with pytest.raises(BadPosition, match=match):
        call(*arguments)
    assert batch.get_state().tobytes() == snapshot


def test_set_state_checks_every_record():
    batch = toy(3)
    states = batch.get_state()
    states["phase"][1] = 9
    refuses(batch, r"in record 1: phase is 9, outside 0 to 2", batch.set_state, states)


def test_records_of_other_options_are_refused():
    batch = toy(options={"length": "short"})
    refuses(batch, "target is 20, and the options of this batch make it 12", batch.set_state,
            toy(options={"length": "long"}).get_state())  # fmt: skip


@pytest.mark.parametrize("seats", [2, 3])
def test_paris_for_other_numbers_of_players_is_refused(seats):
    batch = GameBatch(get_game("Paris-v0"), 1, 0, options={"players": seats})
    four = GameBatch(get_game("Paris-v0"), 1, 0, options={"players": 4})
    refuses(batch, f"players is 4, and the options of this batch make it {seats}", batch.set_state, four.get_state())
    states = four.get_state()
    states["players"] = 2_000_000_000  # once built a tuple of that length
    refuses(batch, "players is 2000000000, outside 2 to 4", batch.set_state, states)


def test_a_record_with_nothing_to_decide_is_refused_and_nothing_moves():
    batch = toy(2)
    states = batch.get_state()
    states["phase"], states["claim"] = toy_game.CLAIMING, 6
    refuses(batch, "asks for nothing that can be done", batch.set_state, states)


def test_a_record_takes_the_learner_that_the_batch_has():
    """Without an opponent in the batch, an opponent of the record would be asked for advice that nobody gives."""
    states = toy().get_state()
    states["learner"] = 2
    batch = toy()
    batch.set_state(states)
    assert batch.states["learner"].tolist() == [0]


def frame_of(game_id, options=None):
    """A batch of a game whose record has a frame on its stack, and that record."""
    batch = GameBatch(get_game(game_id), 1, 3, options=options)
    batch.step_random(8)
    states = batch.get_state()
    assert states["depth"][0] > 0
    return batch, states


@pytest.mark.parametrize(
    ("game_id", "column", "number"),
    [
        ("RedFlagOverParis-v1", FRAME_KIND, -2_000_000_000),
        ("RedFlagOverParis-v1", FRAME_SIDE, 40_000_000),
        ("RedFlagOverParisSolo-v1", FRAME_KIND, 2_000_000_000),
        ("Paris-v0", FRAME_SIDE, 2_000_000_000),
        ("Paris-v0", FRAME_A, 2_000_000_000),
    ],
)
def test_frames_that_crashed_the_process(game_id, column, number):
    batch, states = frame_of(game_id)
    states["stack"][0, int(states["depth"][0]) - 1, column] = number
    refuses(batch, r"stack: row \d", batch.set_state, states)


@pytest.mark.parametrize(
    ("game_id", "field", "number"),
    [
        ("RedFlagOverParis-v1", "plays", -(2**31)),  # looped for ever in one step
        ("RedFlagOverParis-v1", "phase", 77),
        ("RedFlagOverParis-v1", "initiative", 2),
        ("LeveeEnMasse-v0", "difficulty", 2_000_000_000),
        ("LeveeEnMasse-v0", "scenario", -1),
        ("LeveeEnMasse-v0", "question", 2),
        ("LeveeEnMasse-v0", "napoleon", 4),
        ("Revolution-v0", "held", 500),
    ],
)
def test_numbers_that_crashed_the_process(game_id, field, number):
    batch, states = GameBatch(get_game(game_id), 1, 3), None
    states = batch.get_state()
    states[field] = number
    refuses(batch, f"{field} is {number}, outside", batch.set_state, states)


@pytest.mark.parametrize("game_id", list_games())
def test_records_of_play_are_put_back_as_they_are(game_id):
    """Every record that play leads to passes the check, to the last byte."""
    batch = GameBatch(get_game(game_id), 2, 8)
    for _ in range(25):
        batch.step_random()
        states = batch.get_state()
        batch.set_state(states)
        assert batch.get_state().tobytes() == states.tobytes()


@pytest.mark.parametrize("game_id", list_games())
def test_forfeited_games_are_put_back_as_they_are(game_id):
    """They stand where they were stopped, with a question that nobody will answer."""
    batch = GameBatch(get_game(game_id), 2, 8)
    batch.step_random(repeat=15)
    forfeit(batch, np.array([True, False]))
    states = batch.get_state()
    batch.set_state(states)
    assert batch.get_state().tobytes() == states.tobytes() and not batch.action_mask[0].any()


# -- copies between batches --------------------------------------------------------------------------------------------


def test_games_are_copied_from_one_batch_into_another():
    source, target = toy(4, decisions=7), toy(3)
    snapshot = target.get_state()
    target.copy_from(source, [3, 0], [2, 1])
    assert target.get_record(2).tobytes() == source.get_record(3).tobytes()
    assert target.get_record(1).tobytes() == source.get_record(0).tobytes()
    assert target.get_record(0).tobytes() == snapshot[:1].tobytes()
    np.testing.assert_array_equal(target.observation[[2, 1]], source.observation[[3, 0]])
    np.testing.assert_array_equal(target.action_mask[[2, 1]], source.action_mask[[3, 0]])
    target.copy_from(source, [], [])


def test_a_whole_batch_is_copied_and_goes_on_alike():
    source, target = toy(5, decisions=6), GameBatch(toy_game.two_player(), 5)
    target.copy_from(source)
    source.step_random(3)
    target.step_random(3)
    assert target.get_state().tobytes() == source.get_state().tobytes()


def test_copied_games_keep_what_they_are_told_to():
    source, target = toy(4, decisions=7), toy(3, decisions=2)
    target.reset(only=np.array([False, True, True]))
    own = target.get_state()
    target.copy_from(source, [3, 0], [2, 1], keep=["seed", "episode"])
    copied = target.get_state()
    for name in ("seed", "episode"):
        np.testing.assert_array_equal(copied[name], own[name])
    np.testing.assert_array_equal(copied["key"][[2, 1]], source.states["key"][[3, 0]])
    np.testing.assert_array_equal(target.observation[[2, 1]], source.observation[[3, 0]])
    target.reset(only=np.array([False, True, False]))
    assert target.states["episode"].tolist() == [0, 2, 1]

    # The learner's seat, where the source has none.
    seated = GameBatch(toy_game.two_player(), 16, 0, opponent="random")
    learners = seated.states["learner"].copy()
    seated.copy_from(toy(16, decisions=3), keep=["learner"])
    np.testing.assert_array_equal(seated.states["learner"], learners)
    with pytest.raises(UnknownName, match="field that a game can keep 'purse'"):
        target.copy_from(source, [0], [0], keep=["purse"])


def test_returns_of_any_reward_kind_at_any_time():
    batch = toy(6, decisions=60)
    with pytest.raises(UnknownName, match="reward of"):
        batch.game_returns("gold")
    for reward in batch.game.rewards:
        returns = batch.game_returns(reward.name)
        assert returns.shape == batch.rewards.shape and returns.dtype == np.float32
        np.testing.assert_allclose(batch.game_returns(reward.name, 0.5), returns / 2, atol=1e-6)
    over = GameBatch(toy_game.two_player(), 6, 0)
    while not over.terminated.any():
        over.step_random()
    np.testing.assert_array_equal(over.game_returns(over.reward.name)[over.terminated], over.rewards[over.terminated])
    with pytest.raises(NotStarted):
        GameBatch(toy_game.two_player(), 2).game_returns(batch.reward.name)


def test_copies_that_cannot_be():
    batch = toy(2)
    with pytest.raises(BadActions, match="batch of the same game, options and components"):
        batch.copy_from(toy(2, options={"length": "long"}))
    with pytest.raises(BadActions, match="batch of the same game, options and components"):
        batch.copy_from(GameBatch(toy_game.solo(), 2, 0))
    with pytest.raises(BadActions, match="batch of the same game, options and components"):
        batch.copy_from(batch.get_state())
    with pytest.raises(BadActions, match="games outside 0 to 1"):
        batch.copy_from(toy(2), [2], [0])
    with pytest.raises(BadActions, match="2 games into 1"):
        batch.copy_from(toy(2), [0, 1], [1, 1])
    with pytest.raises(BadActions, match="expected integers"):
        batch.copy_from(toy(2), [0.5], [1])
    with pytest.raises(NotStarted):
        batch.copy_from(GameBatch(toy_game.two_player(), 2))
    with pytest.raises(NotStarted, match="copy into every game"):
        GameBatch(toy_game.two_player(), 2).copy_from(batch, [0], [1])


# -- determinizations keep no secrets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", list_games())
def test_a_determinized_record_does_not_keep_the_seed_of_the_deal(game_id):
    """Whatever was dealt before, the same key gives the same seed and the same streams."""
    records = []
    for seed in (1, 2**40 + 7):
        batch = GameBatch(get_game(game_id), 1, seed)
        batch.reset()
        batch.determinize(0, 99)
        records.append([batch.states[name].tolist() for name in ("seed", "episode", "key")])
        assert batch.game_seed(0)[0] != seed
    assert records[0] == records[1]


@pytest.mark.parametrize("game_id", list_games())
def test_a_reset_leaves_nothing_of_the_game_before(game_id):
    """Whatever a record held, a game dealt into it is the game dealt into a fresh one, to the last byte."""
    fresh, older = GameBatch(get_game(game_id), 1, 6), GameBatch(get_game(game_id), 1, 5)
    older.step_random(9)
    for name, number in {"fault": 1, "over": 1, "end_reason": 3, "depth": 7, "player": 1, "decisions": 99}.items():
        older.states[name] = number
    older.states["stack"], older.states["journal"], older.states["journal_size"] = 5, 6, 50
    older.reset(6)
    different = [f.name for f in fresh.game.record.fields if (older.states[f.name] != fresh.states[f.name]).any()]
    assert different == []
