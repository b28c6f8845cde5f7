"""What axe finds on every page and in every state of it: nothing, in both themes, on a wide screen and on a phone."""

import pytest

from rfop_env.browser.page import learn_page, make_page
from rfop_env.compiler import JIT
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.registry import get_entry, get_game, list_games
from rfop_env.replays import Replay
from rfop_env.replays.moments import play_back
from rfop_env.replays.page import replay_page
from rfop_env.web.study import read_study
from tests.web.serving import served
from tests.web.test_browser import FIRST, READY, RECORDED, begin, take_first, until

pytest.importorskip("playwright.sync_api", reason="the page is clicked through with Playwright: make browser-test")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe looks at the page: make browser-test")
pytestmark = pytest.mark.browser

SCREENS = ((1280, 800), (400, 800))  # pixels
SCHEMES = ("light", "dark")
STUDY = """
title = "Who wins?"
consent = "One.\\n\\nTwo."
question = [
    {name = "often", kind = "choice", text = "Do you play?", choices = ["no", "yes"]},
    {name = "age", kind = "number", text = "How old are you?", low = 18, high = 99},
    {name = "hard", kind = "scale", text = "How hard?", low = 1, high = 5, low_label = "easy"},
    {name = "rest", text = "Anything else?", optional = true}]
game = [{env = "Revolution-v0", opponent = "random", seat = "royalists_0"}]
"""


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    """The link to a server that runs."""
    with served(AgentLoader(), tmp_path_factory.mktemp("saves")) as link:
        yield link


@pytest.fixture
def tab(browser):
    context = browser.new_context(
        viewport=dict(zip(("width", "height"), SCREENS[0], strict=True)), reduced_motion="reduce"
    )
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def look_at(tab, state):
    """What axe finds wrong with a page in each theme and on each screen, a sentence for each element."""
    sentences = []
    for scheme in SCHEMES:
        tab.emulate_media(color_scheme=scheme)
        for width, height in SCREENS:
            tab.set_viewport_size({"width": width, "height": height})
            tab.wait_for_timeout(300)  # until the board is asked for anew
            until(tab, "(document.body.dataset.busy ?? 'false') === 'false'")
            where = f"{state}, {width} {scheme}"
            for problem in axe.Axe().run(tab).response["violations"]:
                fault = f"{where}: {problem['id']} ({problem['impact']})"
                sentences += [f"{fault} at {node['target']}: {node['html'][:160]}" for node in problem["nodes"]]
    tab.set_viewport_size({"width": SCREENS[0][0], "height": SCREENS[0][1]})
    return sentences


def require_none(*findings):
    """All sentences at once, where there are any."""
    lines = [sentence for sentences in findings for sentence in sentences]
    assert not lines, "\n".join(["", *lines])


@pytest.mark.parametrize("game", list_games())
def test_a_game_in_play(tab, link, game):
    tab.goto(link)
    tab.wait_for_selector("#seats select")
    begin(tab, game, "person", *["random"] * (get_entry(game).interface == "aec"), guide=True)
    until(tab, READY)
    first = look_at(tab, f"{game} with a lesson")
    for _ in range(6):
        take_first(tab)
    tab.click("summary:text('Advice')")
    tab.click("summary:text('Keys')")
    tab.click("#hint")
    tab.wait_for_selector("#hints ol", timeout=FIRST)
    later = look_at(tab, f"{game} with news and a hint")
    tab.keyboard.press("?")
    tab.wait_for_selector("#rules[open]")
    require_none(first, later, look_at(tab, f"rules of {game}"))


def test_the_start_the_end_the_review_and_puzzles(tab, link):
    tab.goto(link)
    tab.wait_for_selector("#seats select")
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    while tab.evaluate("document.body.dataset.over") != "true":
        take_first(tab)
    end = look_at(tab, "end")
    tab.click("#look-back")
    until(tab, "!document.getElementById('fork').disabled")
    tab.click("#save")
    forms = look_at(tab, "forms of the table")
    tab.click("#home")
    tab.wait_for_selector("#open button")
    start = look_at(tab, "start with a game")

    tab.set_input_files("#file", RECORDED)
    until(tab, "document.querySelector('#where')?.innerText.startsWith('Moment 0 of')")
    tab.click("#review-box summary")
    tab.fill("#reviewer", "search-20")
    tab.click("#review")
    until(tab, "document.getElementById('review-progress').innerText.startsWith('46 of 46')")
    until(tab, "document.getElementById('review').innerText === 'Review the game'")
    tab.locator("#mistakes button").first.click()
    until(tab, "document.querySelectorAll('#board .mark.best text').length > 0")
    review = look_at(tab, "review")
    tab.click("#home")
    tab.wait_for_selector("#puzzles button")
    tab.locator("#puzzles button").first.click()
    until(tab, READY)
    puzzle = look_at(tab, "puzzle")
    take_first(tab)
    require_none(end, forms, start, review, puzzle, look_at(tab, "puzzle that is solved or not"))


def test_two_people_at_one_page(tab, link):
    tab.goto(link)
    tab.wait_for_selector("#seats select")
    begin(tab, "RedFlagOverParis-v1", "person", "person")
    tab.wait_for_selector("#curtain:not([hidden])")
    curtain = look_at(tab, "curtain")
    tab.click("#reveal")
    until(tab, READY)
    tab.locator("#board [role=button]:not([data-action])").first.click()
    tab.wait_for_selector("#choices h2")
    choices = look_at(tab, "card beside the board")
    tab.keyboard.press("Escape")
    tab.click("#invite")
    tab.wait_for_selector("#invite-form:not([hidden])")
    require_none(curtain, choices, look_at(tab, "invitation"))


def test_axe_looks(tab):
    """A page with a fault of each kind that matters here has a sentence for each."""
    tab.set_content("<html lang=en><main><p style='color:#999;background:#aaa'>pale</p><input></main></html>")
    sentences = "\n".join(look_at(tab, "faulty"))
    assert all(f"{width} {scheme}" in sentences for width, _ in SCREENS for scheme in SCHEMES)
    assert "color-contrast (serious)" in sentences and "label (critical)" in sentences


def test_a_study(tab, tmp_path):
    path, programs = tmp_path / "study.toml", AgentLoader()
    path.write_text(STUDY, encoding="utf-8")
    study = (read_study(path, programs, ComponentSets()), STUDY)
    with served(programs, tmp_path / "study", study=study) as link:
        tab.goto(link)
        tab.wait_for_selector("#study input[name=code]")
        code = look_at(tab, "code")
        tab.fill("#study input[name=code]", "p-1")
        tab.click("#study-next")
        tab.wait_for_selector("#study input[name=consent]")
        consent = look_at(tab, "consent")
        tab.check("#study input[name=consent]")
        tab.click("#study-next")
        tab.wait_for_selector("#study fieldset")
        require_none(code, consent, look_at(tab, "questions"))


def test_the_page_of_a_replay(tab, tmp_path):
    path = tmp_path / "replay.html"
    path.write_text(replay_page(play_back(Replay.read(RECORDED)), board="play.html?x=1"), encoding="utf-8")
    tab.goto(f"{path.as_uri()}#moment=9")
    tab.wait_for_selector("#table:not([hidden])")
    require_none(look_at(tab, "replay"))


@pytest.mark.skipif(not JIT, reason="modules are compiled")
def test_pages_without_a_server(tab, tmp_path):
    game, path = get_game("Revolution-v0"), tmp_path / "game.html"
    path.write_text(make_page(game, game.load_components(None), {}, ["random"]).html, encoding="utf-8")
    tab.goto(path.as_uri())
    tab.wait_for_selector("#seats select")
    start = look_at(tab, "start without a server")
    tab.locator("#seats select").last.select_option("random")
    tab.click("#new button[type=submit]")
    until(tab, READY)
    take_first(tab)
    table = look_at(tab, "game without a server")
    path.write_text(learn_page(game, game.load_components("small_board"), "Watch it learn"), encoding="utf-8")
    tab.goto(path.as_uri())
    tab.wait_for_selector("#run:not([disabled])")
    require_none(start, table, look_at(tab, "watch it learn"))
