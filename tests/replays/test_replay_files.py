"""Replays as files: what is written is read again, plays to the same position, and is refused where it is wrong."""

import base64
import re
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from rfop_env.core.batch import GameBatch
from rfop_env.core.record import record_bytes
from rfop_env.core.errors import GameOver, IllegalAction, RfopError
from rfop_env.core.game import ILLEGAL_ACTION
from rfop_env.core.position import save_position
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.registry import get_game, list_games
from rfop_env.replays import BadReplay, Recorder, Replay
from rfop_env.replays.moments import play_back, with_values
from rfop_env.replays.replay_file import MOST_BYTES
from tests.replays.playing import ENVIRONMENTS, lost, play, recorded

REVOLUTION = "Revolution-v0"


APART = {"learner", "journal", "journal_size", "draws"}  # fields that who decided, and how, can change


def alike(record, twin):
    """Whether two records are the same position."""
    return all((record[name][0] == twin[name][0]).all() for name in record.dtype.names if name not in APART)


def final(replay):
    """The record at the end of a replay."""
    batch = replay.begin()
    for _ in replay.play_from(batch):
        pass
    return batch.get_record()


@pytest.mark.parametrize(("name", "options"), ENVIRONMENTS, ids=str)
def test_a_game_is_written_read_and_played_again(name, options, tmp_path):
    batch = GameBatch(get_game(name), 1, 2**64 - 1, options=options)
    replay = play(batch, Recorder(batch), decisions=25)
    again = Replay.read(replay.write(tmp_path / "game.rfop"))
    assert again == replay == Replay.read(replay.text())
    assert again.options == options
    assert (again.position, again.seed) == (None, 2**64 - 1)
    assert alike(final(again), batch.get_record())


@pytest.mark.parametrize("name", ["RedFlagOverParisSolo-v1", "LeveeEnMasse-v0", REVOLUTION])
def test_a_whole_game_ends_as_the_file_says(name):
    replay = recorded(name)
    assert replay.returns is not None
    assert replay.text().splitlines()[-1].startswith(f"end {replay.reason}: ")
    assert sum(1 for _ in Replay.read(replay.text()).play()) == len(replay.decisions)


@pytest.mark.parametrize("opponent", ["random", "scripted"])
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_decisions_of_an_opponent_inside_step_are_found_out(opponent, seat):
    batch = GameBatch(get_game(REVOLUTION), 4, 7, opponent=opponent, seat=seat)
    replay = play(batch, Recorder(batch, 2), game=2)
    assert replay.position is None
    assert {decision.seat for decision in replay.decisions} == set(batch.game.spec.seats)
    learner = int(batch.learner[2])
    assert [who == opponent for who in replay.players] == [k != learner for k in range(2)]
    assert alike(final(replay), batch.get_record(2))


def test_a_later_episode_of_a_seed():
    batch = GameBatch(get_game("LeveeEnMasse-v0"), 1, 5)
    batch.reset()
    batch.reset()
    replay = play(batch, Recorder(batch), 8)
    assert "seed: 5 episode: 2\n" in replay.text()
    assert alike(final(replay), batch.get_record())


def test_a_game_in_its_middle_begins_with_its_position():
    batch = GameBatch(get_game("RedFlagOverParis-v1"), 1, 5)
    for _ in range(9):
        batch.step_random()
    start = batch.get_record()
    replay = Replay.read(play(batch, Recorder(batch), 6).text())
    assert replay.position is not None
    assert (record_bytes(replay.begin().get_record()) == record_bytes(start)).all()
    assert alike(final(replay), batch.get_record())


def test_a_decision_that_is_taken_back_is_not_in_the_replay():
    batch = GameBatch(get_game(REVOLUTION), 1, 5, opponent="scripted", seat="jacobins_1")
    recorder = Recorder(batch)
    snapshot = batch.get_state()
    first = recorder.replay()
    recorder.add(int(np.flatnonzero(batch.action_mask[0])[0]))
    recorder.undo()
    batch.set_state(snapshot)
    assert recorder.replay() == first
    with pytest.raises(RfopError, match="no decision to take back"):
        recorder.undo()
    assert play(batch, recorder).returns is not None


def test_a_decision_that_the_recorder_was_not_told():
    batch = GameBatch(get_game(REVOLUTION), 1, 5)
    recorder = Recorder(batch)
    batch.step_random()
    with pytest.raises(RfopError, match="has not got"):
        recorder.replay()


def test_a_recorder_takes_no_wrong_action():
    batch = GameBatch(get_game(REVOLUTION), 1, 5)
    recorder = Recorder(batch)
    first = recorder.replay()
    with pytest.raises(IllegalAction):
        recorder.add(int(np.flatnonzero(~batch.action_mask[0])[0]))
    assert recorder.replay() == first
    play(batch, recorder)
    with pytest.raises(GameOver):
        recorder.add(0)


def test_names_of_players_become_one_line():
    batch = GameBatch(get_game(REVOLUTION), 1, 5)
    replay = Recorder(batch, players=["two\nlines", "\x1b[31mred"]).replay()
    assert Replay.read(replay.text()).players == ("two lines", "\\x1b[31mred")
    with pytest.raises(RfopError, match="has 2 seats here, and 1 are named"):
        Recorder(batch, players=["one"])


def test_notes_and_values_are_kept():
    batch = GameBatch(get_game(REVOLUTION), 1, 5)
    recorder = Recorder(batch)
    recorder.note("before anything")
    replay = play(batch, recorder, 3)
    recorder.note("on the third")
    replay = with_values(recorder.replay(), lambda batch: 0.5 - batch.current_player[0], "judge")
    again = Replay.read(replay.text())
    assert again == replay
    assert again.notes == ("before anything",)
    assert again.decisions[2].notes == ("on the third",)
    assert [d.value for d in again.decisions] == [0.5 if d.seat == "royalists_0" else -0.5 for d in again.decisions]
    behind = replay.text().replace("\n# on the third", " # on the third").replace("value -0.5000 #", "value -0.5000\n#")
    assert Replay.read(behind.replace("\n", "\r\n")).decisions == replay.decisions


# -- wrong files -------------------------------------------------------------------------------------------------------


WHOLE = recorded(REVOLUTION)
TEXT = WHOLE.text()
LINES = TEXT.splitlines()
FIRST = LINES.index("") + 1  # the index of the first decision
BOMB = base64.b64encode(zlib.compress(bytes(2**24), 9)).decode()

WRONG_LINES = [  # the line's index, what stands there instead, what the error says
    (0, "", "this is no replay: expected 'rfop replay 1'"),
    (0, "rfop replay 2", "a replay of format 2, and this package reads format 1"),
    (1, "game: Chess-v0", "unknown environment 'Chess-v0'"),
    (1, "game: Revolution-v9", "whose rules behave differently"),
    (3, "option: players=3", "unknown option of Revolution-v0 'players'"),
    (3, "seed: 18446744073709551616 episode: 0", "a seed is from 0 to 2**64 - 1"),
    (3, "position: ????", "the position is damaged"),
    (3, f"position: {BOMB[:16000]}", "more than 262,144 bytes"),
    (4, "player: jacobins_1 x", "expected 'player: royalists_0 NAME'"),
    (FIRST, "montagnards_2: counter 1", "unknown seat 'montagnards_2'"),
    (FIRST, "nothing", "expected 'SEAT: ACTION', '# NOTE', 'value NUMBER' or 'end ...', found 'nothing'"),
    (FIRST, "# \x1b[2J", "a replay is plain text"),
    (FIRST, "x" * 20000, "a line has at most 16,384 characters"),
    (-1, "end flags captured: +1 -1", "did you mean 'flag captured'?"),
    (-1, "end flag captured: nan 1", "expected a return for each of the 2 seats"),
    (-1, "# not the end", "the file stops here, it was cut off"),
]


def test_a_wrong_line_is_named(tmp_path):
    for index, line, problem in WRONG_LINES:
        number = index % len(LINES) + 1
        path = tmp_path / "wrong.rfop"
        path.write_text("\n".join([*LINES[: number - 1], line, *LINES[number:]]) + "\n", encoding="utf-8")
        with pytest.raises(BadReplay, match=re.escape(problem)) as error:
            Replay.read(path)
        assert str(error.value).startswith(f"{path}, line {number}: ")


WRONG_PLAY = [
    (FIRST, LINES[FIRST].replace("royalists_0", "jacobins_1"), "jacobins_1 does not decide here, royalists_0 does"),
    (FIRST, "royalists_0: space a1", "'space a1' is illegal here"),
    (2, "components: published 0123456789ab", "give the file of that set (--components FILE)"),
    (-1, LINES[-1].replace("+1", "+0.5"), "the file says"),
    (-1, "end unfinished", "the game is over here, and the file calls it unfinished"),
    (-2, None, "the game is not over here"),
]


def test_a_line_that_does_not_fit_the_game_is_named():
    for index, line, problem in WRONG_PLAY:
        number = index % len(LINES) + 1
        text = "\n".join([*LINES[: number - 1], *([] if line is None else [line]), *LINES[number:]]) + "\n"
        with pytest.raises(BadReplay, match=re.escape(problem)) as error:
            list(Replay.read(text).play())
        assert str(error.value).startswith(f"line {number}: ")


def test_another_seed_gives_another_game():
    text = recorded("LeveeEnMasse-v0").text()
    with pytest.raises(BadReplay, match=r"^line \d+: "):
        list(Replay.read(text.replace("seed: 3 ", "seed: 4 ")).play())


def test_a_file_that_is_too_long(tmp_path):
    path = tmp_path / "long.rfop"
    path.write_text(TEXT + "# x\n" * (MOST_BYTES // 4), encoding="utf-8")
    with pytest.raises(RfopError, match="at most 524288 bytes"):
        Replay.read(path)
    with pytest.raises(BadReplay, match="too long for a replay"):
        Replay.read(path.read_text(encoding="utf-8"))


def test_a_faulty_position_is_refused():
    start = replace(WHOLE, position=save_position(WHOLE.begin()), decisions=(), returns=None, reason="unfinished")
    assert list(Replay.read(start.text()).play()) == []
    batch = GameBatch(get_game("LeveeEnMasse-v0"), 1, 1)
    replay = Replay.read(replace(start, position=save_position(batch)).text())
    with pytest.raises(BadReplay, match="line 4: the position cannot be played: a position of LeveeEnMasse-v0"):
        replay.begin()


def test_the_example_of_the_documentation_is_a_replay():
    page = Path(__file__).parents[2] / "docs" / "play.md"
    [example] = re.findall(r"^```text\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    replay = Replay.read(example)
    assert replay.text() == example
    assert len(list(replay.play())) == 4


# -- played out --------------------------------------------------------------------------------------------------------


def test_an_episode_has_a_moment_for_each_position():
    episode = play_back(WHOLE)
    assert len(episode.moments) == len(WHOLE.decisions) + 1
    assert [moment.label for moment in episode.moments[1:]] == [decision.label for decision in WHOLE.decisions]
    assert episode.moments[-1].decider == -1
    assert " won: " in episode.result
    assert any(moment.lines for moment in episode.moments)


def test_a_seat_is_shown_its_own_labels_and_values_alone():
    replay = with_values(recorded("RedFlagOverParis-v1", 12), lambda batch: 0.25, "judge")
    moments = play_back(replay).for_seat(1).moments
    assert {moment.seat for moment in moments if moment.label} == {1}
    assert {moment.decider for moment in moments if moment.value is not None} == {1}
    assert {moment.seat for moment in moments} == {-1, 0, 1}


# -- games lost by an illegal action -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list_games())
@pytest.mark.parametrize("illegal", [None, -1, 2**63 - 1])
def test_a_game_that_was_lost_by_an_illegal_action(name, illegal):
    replay, env = lost(name, illegal)
    assert replay.reason == ILLEGAL_ACTION and replay.decisions[-1].illegal
    assert dict(zip(env.possible_agents, replay.returns, strict=True)) == env.rewards
    again = Replay.read(replay.text())
    assert again == replay
    *_, last = again.play()
    assert last.get_state().tobytes() == env.batch.get_state().tobytes()

    # Moments, and what is shown of them.
    episode = play_back(again)
    loser = episode.seats[episode.moments[-1].seat]
    assert episode.result == f"{loser} lost by an illegal action" and episode.moments[-1].lines == ()
    assert episode.moments[-1].label.startswith("illegal action: ") and episode.moments[-1].decider == -1
    for seat in range(len(episode.seats)):
        assert "lost by an illegal action" in episode.picture(len(episode.moments) - 1, seat)
        assert "running" not in episode.text(len(episode.moments) - 1, seat).lower()
    valued = with_values(again, lambda batch: 0.5, "judge")
    assert [decision.value for decision in Replay.read(valued.text()).decisions] == [0.5] * 4


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_game_of_many_that_was_lost_by_an_illegal_action(mode):
    """The next game has begun already when its recorder is told, where games begin anew by themselves."""
    envs = GameVectorEnv(REVOLUTION, 3, opponent="scripted", seat=1, autoreset_mode=mode)
    envs.reset(seed=4)
    recorder = Recorder(envs.batch, 1)
    legal = envs.action_masks().argmax(axis=1)
    envs.step(legal)
    recorder.add(int(legal[1]))
    actions = envs.action_masks().argmax(axis=1)
    actions[1] = envs.action_masks()[1].argmin()
    _, rewards, over, _, _ = envs.step(actions)
    recorder.add(int(actions[1]))
    replay = Replay.read(recorder.replay().text())
    assert over[1] and replay.returns == (1, -1) and replay.returns[1] == rewards[1]
    assert sum(1 for _ in replay.play()) == len(replay.decisions)
    assert [decision.illegal for decision in replay.decisions] == [False] * (len(replay.decisions) - 1) + [True]


def test_an_illegal_action_is_taken_back():
    env = raw_env(REVOLUTION)
    env.reset(seed=4)
    recorder = Recorder(env.batch)
    first, start = recorder.replay(), env.batch.get_state()
    env.step(999)
    recorder.add(999)
    with pytest.raises(GameOver):
        recorder.add(0)
    recorder.undo()
    env.batch.set_state(start)
    assert recorder.replay() == first


def test_a_recorder_that_begins_at_a_lost_game():
    full, env = lost("RedFlagOverParis-v1")
    replay = Replay.read(Recorder(env.batch).replay().text())
    assert (replay.reason, replay.returns, replay.decisions) == (ILLEGAL_ACTION, full.returns, ())
    assert list(replay.play()) == []


LOST = lost(REVOLUTION)[0].text().splitlines()


@pytest.mark.parametrize(
    ("index", "line", "problem"),
    [
        (-2, "jacobins_1: illegal 16", "action 16 has a label: write 'illegal space c1'"),
        (-2, "jacobins_1: illegal space c1", "'space c1' is legal here: leave out 'illegal'"),
        (-2, None, "the game is not over here: decisions are missing"),
        (-3, LOST[-2], "the game is over here: only 'end ...' can follow"),
        (-1, "end illegal action: -1 +1", "the game ends with 'illegal action: +1 -1'"),
        (-1, "end unfinished", "the game is over here, and the file calls it unfinished"),
    ],
)
def test_a_wrong_line_about_an_illegal_action_is_named(index, line, problem):
    lines = list(LOST)
    lines[index:] = [*([] if line is None else [line]), *lines[len(lines) + index + 1 :]]
    with pytest.raises(BadReplay, match=re.escape(problem)) as error:
        list(Replay.read("\n".join(lines) + "\n").play())
    assert str(error.value).startswith("line ")
