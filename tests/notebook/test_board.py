"""The game in a notebook cell: messages in, state out; positions that show themselves."""

import numpy as np
import pytest

import rfop_env
from rfop_env.core.errors import BadArgument

anywidget = pytest.importorskip("anywidget", reason='the extra `notebook`: pip install "rfop-env[notebook]"')
from rfop_env.notebook import Board  # noqa: E402


@pytest.fixture
def batch():
    return rfop_env.make_batch("Revolution-v0", num_games=1, seed=1)


def click(board, action, version=None):
    board.receive({"act": action, "version": board.state["version"] if version is None else version})


def test_the_state_has_the_position_and_every_legal_action(batch):
    state = Board(batch).state
    legal = np.flatnonzero(batch.action_mask[0])
    assert state["svg"] == batch.draw_svg(0) and state["title"] == "Revolution"
    assert [action["id"] for action in state["actions"]] == legal.tolist()
    first = batch.game.actions.rows[legal[0]]
    assert (state["actions"][0]["label"], state["actions"][0]["sentence"]) == (first.label, first.sentence)
    assert state["asked"].endswith("to decide") and state["over"] == state["problem"] == ""


def test_a_click_is_an_action_and_a_second_one_in_a_hurry_is_not(batch):
    twin = batch.clone()
    board = Board(batch)
    first, version = board.state["actions"][0]["id"], board.state["version"]
    click(board, first)
    twin.step([first])
    assert np.array_equal(batch.get_state(), twin.get_state()) and board.state["svg"] == twin.draw_svg(0)
    assert board.state["version"] == version + 1

    click(board, board.state["actions"][0]["id"], version)
    assert np.array_equal(batch.get_state(), twin.get_state()) and board.state["version"] == version + 1


def test_a_game_that_other_code_has_lost():
    env = rfop_env.make("Revolution-v0")
    env.reset(seed=1)
    board = Board(env)
    env.step(-1)
    board.refresh()
    assert board.state["over"] == "Royalists lost by an illegal action."


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("act", "expected act or new, found 'act'"),
        ({}, "expected act or new"),
        ({"act": "3"}, "expected the number of an action, found '3'"),
        ({"act": True}, "expected the number of an action"),
        ({"act": -1}, "expected the number of an action"),
        ({"act": 10**9}, "expected the number of an action"),
    ],
)
def test_a_wrong_message_changes_nothing_and_says_why(message, problem, batch):
    board, state = Board(batch), batch.get_state()
    if isinstance(message, dict) and message:
        message = {**message, "version": board.state["version"]}
    board.receive(message)
    assert problem in board.state["problem"] and np.array_equal(batch.get_state(), state)
    click(board, board.state["actions"][0]["id"])
    assert board.state["problem"] == ""


def test_an_illegal_action_is_refused(batch):
    board, illegal = Board(batch), int(np.flatnonzero(~batch.action_mask[0])[0])
    click(board, illegal)
    assert board.state["problem"] == f"{batch.game.actions.label(illegal)!r} is not legal now"


def test_a_game_is_played_to_its_end_and_begins_anew(batch):
    board = Board(batch)
    for k in range(200):
        if board.state["over"]:
            break
        click(board, board.state["actions"][k % len(board.state["actions"])]["id"])
    assert (
        board.state["over"].startswith(("Royalists won: they", "Jacobins won: they")) and board.state["actions"] == []
    )
    assert board.state["score"]["sides"] == ["Royalists", "Jacobins"]
    assert board.state["score"]["rows"][-1][0] == "points"
    assert board.state["asked"] == "" and len(board.state["log"]) > 10

    board.receive({"new": True, "version": board.state["version"]})
    assert board.state["over"] == "" and board.state["actions"] and len(board.state["log"]) < 10
    assert batch.game_seed(0) == (1, 1)


@pytest.mark.parametrize("env_id", ["LeveeEnMasse-v0", "Revolution-v0"])
def test_an_environment_steps_itself(env_id):
    """Gymnasium's for one seat, PettingZoo's for two; both are reset if they have not begun."""
    env = rfop_env.make(env_id)
    assert env.unwrapped._repr_svg_() is None
    board = Board(env)
    steps, state = [], board.state["svg"]
    step = env.step
    env.step = lambda action: (steps.append(action), step(action))[1]
    action = board.state["actions"][0]["id"]
    click(board, action)
    assert steps == [action] and board.state["svg"] == env.unwrapped._repr_svg_() != state


def test_cards_say_what_they_do():
    board = Board(rfop_env.make_batch("RedFlagOverParis-v1", num_games=1, seed=1))
    assert all(action["does"] for action in board.state["actions"])
    assert board.state["score"] is None


def test_a_dark_notebook_has_a_dark_picture():
    batch = rfop_env.make_batch("LeveeEnMasse-v0", num_games=1, seed=1)
    board = Board(batch)
    light = board.state["svg"]
    board.receive({"palette": "dark", "version": board.state["version"]})
    assert 'data-look="wide dark"' in board.state["svg"] and board.state["svg"] != light
    click(board, board.state["actions"][0]["id"])
    assert 'data-look="wide dark"' in board.state["svg"]
    board.receive({"palette": "none such", "version": board.state["version"]})
    assert board.state["svg"] == batch.draw_svg(0)


def test_what_other_code_did_is_shown_on_refresh(batch):
    board = Board(batch)
    batch.step([int(np.flatnonzero(batch.action_mask[0])[0])])
    assert board.state["svg"] != batch.draw_svg(0)
    board.refresh()
    assert board.state["svg"] == batch.draw_svg(0)


@pytest.mark.parametrize("game", [None, "Revolution-v0", object()])
def test_something_else_is_refused(game):
    with pytest.raises(BadArgument, match="expected a GameBatch or an environment"):
        Board(game)


def test_a_batch_of_several_is_refused_and_does_not_show_itself():
    several = rfop_env.make_batch("Revolution-v0", num_games=2, seed=0)
    assert several._repr_svg_() is None
    with pytest.raises(BadArgument, match="a batch of one game, found 2"):
        Board(several)


def test_a_batch_of_one_shows_itself(batch):
    assert batch._repr_svg_() == batch.draw_svg(0)
    assert rfop_env.make_batch("Revolution-v0", num_games=1)._repr_svg_() is None


def test_the_cell_has_a_picture_for_pages_without_widgets(batch):
    board = Board(batch)
    bundle = board._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["image/svg+xml"] == board.state["svg"] and data["text/plain"] == "Board(Revolution-v0)"
    assert "application/vnd.jupyter.widget-view+json" in data


def test_the_script_is_one_module():
    text = Board._esm
    assert "import " not in text and text.count("export ") == 1 and "function frameAll" in text
