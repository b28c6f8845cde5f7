"""The page of a replay: one file without a network, small, and silent about what a single seat cannot see."""

import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument
from rfop_env.registry import get_game
from rfop_env.replays import Replay
from rfop_env.replays.moments import play_back, with_values
from rfop_env.replays.page import ELEMENT, replay_page
from tests.replays.playing import recorded

MOST_BYTES = 80 * 1024  # of the page of a game of Red Flag Over Paris
DATA = re.compile(r'id="data">([^<]*)<')


def content(page):
    """Everything that a page shows, unpacked."""
    return json.loads(zlib.decompress(base64.b64decode(DATA.search(page)[1])))


def join_pictures(page, view):
    """The pictures of a view, put together as the page does it."""
    pictures, previous = [], []
    for changes in page["pictures"][view]:
        elements, start = [], 0
        for at, gone, come in zip(changes[::3], changes[1::3], changes[2::3], strict=True):
            elements += previous[start:at] + come
            start = at + gone
        previous = elements + previous[start:]
        pictures.append("".join(page["elements"][k] for k in previous))
    return pictures


@pytest.mark.parametrize("name", ["RedFlagOverParis-v1", "RedFlagOverParisSolo-v1", "LeveeEnMasse-v0", "Revolution-v0"])
def test_the_page_holds_every_picture_of_every_seat(name):
    episode = play_back(recorded(name, 12))
    page = content(replay_page(episode))
    assert page["views"] == list(range(len(episode.seats)))
    for seat in page["views"]:
        assert join_pictures(page, seat) == [episode.picture(k, seat) for k in range(len(episode.moments))]
    assert [moment["lines"] for moment in page["moments"]] == [
        [line.strip() for line in moment.lines] for moment in episode.moments
    ]


def test_a_picture_is_split_and_nothing_is_lost():
    batch = GameBatch(get_game("Paris-v0"), 1, 3)
    drawing = batch.draw_svg()
    assert "".join(ELEMENT.findall(drawing)) == drawing


def test_nothing_is_loaded_from_elsewhere():
    page = replay_page(play_back(recorded("Revolution-v0", 3)))
    assert re.findall(r"""(?:src|href|action|url)\s*[=(]\s*["']?(?!data:)[^"'\s>)]+""", page) == []
    assert not re.search(r"@import|\bimport\b.*\bfrom\b|fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon", page)
    assert "default-src &#x27;none&#x27;" in page
    assert "{{" not in page


def test_words_of_a_file_are_no_part_of_the_page_s_code():
    words = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    replay = recorded("Revolution-v0", 3)
    page = replay_page(play_back(replace(replay, players=(words, words), notes=(words,))))
    assert "alert(1)" not in page
    assert content(page)["moments"][0]["notes"] == [words]


def test_a_whole_game_of_red_flag_over_paris_is_small():
    page = replay_page(play_back(recorded("RedFlagOverParis-v1")))
    assert content(page)["over"]
    assert len(page.encode()) <= MOST_BYTES


def test_wrong_seats():
    episode = play_back(recorded("Revolution-v0", 1))
    for seats in ([2], [-1], []):
        with pytest.raises(BadArgument, match="seats: expected some of 0 to 1"):
            replay_page(episode, seats)


def test_values_and_notes_are_shown():
    replay = with_values(recorded("Revolution-v0", 4), lambda batch: 0.25, "judge")
    noted = replace(replay.decisions[1], notes=("a note",))
    replay = Replay.read(replace(replay, decisions=(replay.decisions[0], noted, *replay.decisions[2:])).text())
    page = content(replay_page(play_back(replay)))
    assert [moment["value"] for moment in page["moments"]] == [0.25] * 4 + [None]
    assert [moment["notes"] for moment in page["moments"]] == [[], [], ["a note"], [], []]
    assert page["judge"] == "judge"
    assert np.isfinite([moment["value"] for moment in page["moments"][:4]]).all()
