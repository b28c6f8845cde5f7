"""What the browser draws and says of a position is what Python does, letter by letter."""

import json

import numpy as np
import pytest

from tests.browser.scene import Scene, scene_source
from rfop_env.core.batch import GameBatch
from rfop_env.core.record import record_bytes
from rfop_env.registry import get_game
from tests.browser.node import answers, needs_node

GAMES = {  # by id: options of the games that are played, and every how many decisions the position is looked at
    "RedFlagOverParis-v1": ([{}, {"variant": "censor"}], 13),
    "RedFlagOverParisSolo-v1": ([{"side": "commune"}, {"side": "versailles"}], 7),
    "LeveeEnMasse-v0": (
        [
            {"scenario": "extended", "decisive": "on", "reserves": "on", "levee": "on"},
            {"scenario": "historical", "spirit_of_89": "on", "commit_order": "on"},
        ],
        5,
    ),
    "Paris-v0": (
        [
            {"players": "2"},
            {"players": "3", "screens": "open", "tokens": "random"},
            {"players": "4", "memory": "perfect", "buildings": "variant", "bonus_track": "random"},
        ],
        70,
    ),
    "Revolution-v0": ([{}, {}], 6),
}


def most_seats(id):
    """A game under the options that give it the most seats, and its shipped set."""
    game = get_game(id)
    components = game.load_components(None)
    return game.under({"players": "4"} if id == "Paris-v0" else {}, components), components


def questions_in_a_game(id, options, every, seed):
    """The scene of a random game, and questions to it: every viewer, with what is legal and what was before."""
    batch, rng = GameBatch(get_game(id), 1, seed, options=options), np.random.default_rng(seed)
    batch.reset()
    questions, previous, decisions = [{"ask": "cards"}], None, 0
    while True:
        over = bool(batch.states["over"][0])
        legal = [] if over else np.flatnonzero(batch.action_mask[0]).tolist()
        if over or decisions % every == 0:
            record = record_bytes(batch.get_state()).tobytes().hex()
            for seat in range(batch.game.spec.players):
                questions.append({"ask": "position", "record": record, "seat": seat})
                questions.append({"ask": "picture", "record": record, "seat": seat, "legal": legal})
            questions[-1]["previous"] = previous
            questions.append({"ask": "actions", "record": record, "legal": legal})
            previous = record
        if over:
            return Scene(batch.game, batch.components), questions
        batch.step([int(rng.choice(legal))])
        decisions += 1


def python_answer(scene, question):
    text = scene.answer(json.dumps(question))
    return text if question["ask"] == "picture" else json.loads(text)


@needs_node
@pytest.mark.parametrize("id", GAMES)
def test_browser_shows_what_python_shows(id, tmp_path):
    all_options, every = GAMES[id]
    questions, expected = [], []
    for seed, options in enumerate(all_options, 3):
        scene, of_game = questions_in_a_game(id, options, every, seed)
        questions += of_game
        expected += [python_answer(scene, question) for question in of_game]
    assert expected[-1] == [] and expected[-3]["over"] and expected[-3]["result"]

    answered = answers(scene_source(*most_seats(id)), questions, tmp_path)
    for question, here, there in zip(questions, expected, answered, strict=True):
        assert there == here, (question["ask"], question.get("seat"))


def test_scene_answers_by_name():
    scene = Scene(*most_seats("Revolution-v0"))
    assert json.loads(scene.answer('{"ask": "cards"}')) == {}
    with pytest.raises(KeyError, match="secrets"):
        scene.answer('{"ask": "secrets"}')


def test_source_holds_what_drawings_need_and_no_more():
    """No rule, no drawing for a terminal, no field of the record that no drawing reads."""
    source = scene_source(*most_seats("Revolution-v0"))
    assert "svg__draw_svg(" in source and "text__draw_text" not in source
    assert "turn__" not in source and "'reach': " not in source and "'influence': " in source
    assert source == scene_source(*most_seats("Revolution-v0"))
