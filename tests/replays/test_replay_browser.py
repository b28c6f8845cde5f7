"""The page of a replay in a headless browser, opened as a file."""

import pytest

from rfop_env.replays import Replay
from rfop_env.replays.moments import play_back, with_values
from rfop_env.replays.page import replay_page
from tests.web.browsers import PATIENCE
from tests.replays.playing import lost, recorded

pytest.importorskip("playwright.sync_api", reason="the page is clicked through with Playwright: make browser-test")
pytestmark = pytest.mark.browser

WORDS_OF = """svg => {
    const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml');
    const words = [...drawing.querySelectorAll('text')].map(text => text.textContent);
    return [drawing.querySelector('title').textContent, words];
}"""


@pytest.fixture
def opened(browser, tmp_path):
    """Open a replay's page; no error may be left on its console, and nothing may be loaded."""
    context = browser.new_context(viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    tab, errors, foreign = context.new_page(), [], []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("request", lambda request: foreign.append(request.url))
    path = tmp_path / "page.html"

    def open_page(replay, seats=None, moment=0, board=""):
        path.write_text(replay_page(play_back(replay), seats, board), encoding="utf-8")
        tab.goto(f"{path.as_uri()}#moment={moment}")
        tab.wait_for_selector("#table:not([hidden])")
        return tab

    yield open_page
    context.close()
    assert errors == []
    assert [url for url in foreign if not url.startswith((path.as_uri(), "data:", "blob:"))] == []


def noted(replay):
    """The replay with values, and a note on its third decision."""
    lines = with_values(replay, lambda batch: 0.5 - batch.current_player[0], "judge").text().splitlines()
    third = [k for k, line in enumerate(lines) if line.startswith("value ")][2]
    return Replay.read("\n".join([*lines[: third + 1], "# a note on it", *lines[third + 1 :]]) + "\n")


def where(tab):
    return tab.inner_text("#where")


def test_keys_go_through_the_game(opened):
    replay = recorded("Revolution-v0")
    tab, last = opened(replay), len(replay.decisions)
    assert where(tab) == f"Moment 0 of {last}"
    for key, moment in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last)):
        tab.keyboard.press(key)
        assert where(tab) == f"Moment {moment} of {last}"
    assert " won: " in tab.inner_text("#status")
    assert tab.locator("#score th[scope=row]").last.inner_text() == "Points"
    tab.keyboard.press("Home")
    assert tab.locator("#score").is_hidden()
    tab.keyboard.press("Shift+ArrowRight")
    assert tab.inner_text("#status") == "Jacobins to decide."
    assert "#moment=" in tab.url


def test_every_picture_is_the_one_that_was_drawn(opened):
    replay = recorded("RedFlagOverParis-v1", 12)
    episode = play_back(replay)
    tab = opened(replay)
    for seat in (0, 1):
        for k in range(len(episode.moments)):
            page_words = tab.evaluate("document.querySelector('#board svg title').textContent")
            texts = tab.evaluate("[...document.querySelectorAll('#board text')].map(t => t.textContent)")
            words = tab.evaluate(WORDS_OF, episode.picture(k, seat))
            assert [page_words, texts] == words
            tab.keyboard.press("ArrowRight")
        tab.keyboard.press("Home")
        tab.keyboard.press("v")


def test_a_line_of_the_log_lights_the_place_it_names_and_leads_to_its_moment(opened):
    tab = opened(recorded("Revolution-v0", 8))
    line = tab.locator("#log button", has_text=" on ").last
    line.hover()
    assert tab.locator("#board rect.lit").count() >= 1
    moment = line.get_attribute("data-moment")
    line.click()
    assert where(tab).startswith(f"Moment {moment} of")
    tab.mouse.move(0, 0)
    assert tab.locator("#board rect.lit").count() == 0


def test_a_game_that_was_lost_by_an_illegal_action(opened):
    tab = opened(lost("Revolution-v0")[0], moment=4)
    assert tab.inner_text("#status") == "Jacobins lost by an illegal action."
    words = "Jacobins: illegal action: counter 0 (it is not legal here, and the game is lost)"
    assert tab.inner_text("#decision") == words
    assert tab.locator("#log button.now").inner_text() == "Jacobins: illegal action: counter 0"


def test_values_and_notes(opened):
    tab = opened(noted(recorded("Revolution-v0", 8)), moment=2)
    assert "judge expected +0.50 for Royalists at moment 2" in tab.inner_text("#value")
    points = tab.evaluate("document.querySelector('#curve polyline').getAttribute('points').split(' ').length")
    assert points == 8
    tab.keyboard.press("n")
    assert tab.inner_text("#notes") == "a note on it"
    tab.keyboard.press("v")
    assert "−0.50 for Jacobins" in tab.inner_text("#value")
    box = tab.locator("#curve").bounding_box()
    tab.mouse.click(box["x"] + box["width"] - 1, box["y"] + 5)
    assert where(tab) == "Moment 8 of 8"


def test_it_plays_by_itself_and_pauses(opened):
    tab = opened(recorded("Revolution-v0", 4))
    tab.select_option("#speed", "0.25")
    tab.click("#play")
    tab.wait_for_selector("#where:text-is('Moment 4 of 4')")
    tab.wait_for_selector("#play:text-is('Play')")
    tab.keyboard.press("Home")
    assert tab.locator("#board svg").bounding_box()["height"] > 300  # not the least that its frame has
    tab.locator("#board svg").click()
    tab.keyboard.press(" ")
    assert tab.inner_text("#play") == "Pause"
    tab.keyboard.press(" ")
    assert tab.inner_text("#play") == "Play"


def test_one_seat_s_page_has_one_view(opened):
    tab = opened(recorded("RedFlagOverParis-v1", 6), [1])
    assert tab.locator("#view-box").is_hidden()
    tab.keyboard.press("End")
    assert where(tab) == "Moment 6 of 6"
    assert tab.inner_text("#status") == "The recording stops here."


@pytest.mark.parametrize("width", [400, 800, 1200])
def test_nothing_is_wider_than_the_window(opened, width):
    tab = opened(noted(recorded("LeveeEnMasse-v0", 6)), moment=3)
    tab.set_viewport_size({"width": width, "height": 800})
    tab.reload()
    tab.wait_for_selector("#table:not([hidden])")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    size = "9 * document.querySelector('#board svg').getScreenCTM().a"  # about its smallest letters, in pixels
    assert tab.evaluate(size) > 6


def test_without_a_board_no_link_leads_to_one(opened):
    assert opened(recorded("Revolution-v0", 6)).locator("#board-link").is_hidden()


def test_a_link_leads_to_a_board_at_the_same_moment(opened):
    replay = recorded("Revolution-v0", 6)
    tab = opened(replay, moment=3, board="../play/Revolution-v0.html?replay=Revolution-v0")
    tab.keyboard.press("ArrowRight")
    link = tab.get_attribute("#board-link", "href")
    assert link == "../play/Revolution-v0.html?replay=Revolution-v0&moment=4"
    assert tab.locator("#board-link").is_visible()
