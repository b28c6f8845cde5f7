"""The page in a headless Chromium: whole games by clicks, and everything that a person does there."""

import time

import pytest

from rfop_env.registry import get_entry, list_games
from tests.web import chromium
from tests.web.conftest import ProgramsOfTests
from tests.web.serving import launched, served

pytest.importorskip("playwright.sync_api", reason="the page is clicked through with Playwright: make browser-test")
PATH = chromium.find()
pytestmark = [pytest.mark.browser, pytest.mark.skipif(PATH is None, reason=chromium.MISSING)]

READY = "document.body.dataset.over === 'true' || document.querySelector('#actions button') !== null"
MOVED = f"v => document.body.dataset.version !== v && ({READY})"
IDLE = "document.body.dataset.busy === 'false' && document.getElementById('stop').hidden"
PLACE_OF = """name => [...document.querySelectorAll('#board g')]
    .find(g => g.querySelector(':scope > title')?.textContent.startsWith(name + ':')).getBoundingClientRect().x"""
PRESS_AT_ONCE = """keys => [...keys].forEach(
    key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))"""
PATIENCE = 60_000  # milliseconds; a first game may have to be compiled
FIRST = 300_000


@pytest.fixture(scope="module")
def programs():
    return ProgramsOfTests()


@pytest.fixture(scope="module")
def link(programs, tmp_path_factory):
    """The link to a server that runs."""
    with served(programs, tmp_path_factory.mktemp("saves")) as link:
        yield link


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture
def tab(browser, link):
    """A tab on the page; no error may be left on its console, and nothing may be loaded from elsewhere."""
    context = browser.new_context(viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page, errors, foreign = context.new_page(), [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on(
        "request",
        lambda request: None if request.url.startswith(link.partition("?")[0]) else foreign.append(request.url),
    )
    page.goto(link)
    page.wait_for_selector("#seats select")
    yield page
    context.close()
    assert [e for e in errors if "status of 4" not in e] == []  # refusals are shown on the page
    assert [url for url in foreign if not url.startswith("data:")] == []


def begin(tab, game, *seats, **options):
    """Start a game by the form."""
    tab.select_option("#game", game)
    for name, value in options.items():
        tab.select_option(f"#options select[name={name}]", value)
    for k, seat in enumerate(seats):
        select = tab.locator("#seats select").nth(k)
        if seat in select.locator("option").all_inner_texts():
            select.select_option(seat)
        else:
            select.select_option("")
            tab.locator("#seats input").nth(k).fill(seat)
    tab.fill("#seed", "5")
    tab.evaluate("localStorage.setItem('rfop-speed', '0')")
    tab.click("#new button.main")
    tab.wait_for_selector("#table:not([hidden])", timeout=FIRST)


def until(tab, expression, arg=None):
    """Wait until an expression of the page is true. (Playwright's own waiting needs `eval`, which the page forbids.)"""
    deadline = time.monotonic() + PATIENCE / 1000
    while not tab.evaluate(expression, arg):
        assert time.monotonic() < deadline, expression
        tab.wait_for_timeout(15)


def version(tab):
    return tab.evaluate("document.body.dataset.version")


def on_board(tab, k):
    """Click the k-th part of the board that can be chosen; whether it was one."""
    parts = tab.locator("#board [data-action]")
    if parts.count() == 0:
        return False
    box = parts.nth(k % parts.count()).bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    choices = tab.locator("#choices button")
    if choices.count() and choices.first.is_visible():
        choices.nth(k % choices.count()).click()
    return True


@pytest.mark.parametrize("game", list_games())
def test_a_whole_game_by_clicks(tab, game):
    begin(tab, game, "person", *["random"] * (get_entry(game).interface == "aec"))
    clicks = parts = 0
    while True:
        until(tab, READY)
        if tab.evaluate("document.body.dataset.over") == "true":
            break
        before, clicks = version(tab), clicks + 1
        if clicks % 2 and on_board(tab, clicks):
            parts += 1
        else:
            actions = tab.locator("#actions button")
            actions.nth(clicks % actions.count()).click()
        until(tab, MOVED, before)
    status = tab.inner_text("#status")
    assert any(outcome in status for outcome in (" won: ", " lost: ", " draw: ")), status
    assert parts > 5
    assert tab.locator("#log li").count() > 10
    assert tab.inner_text("#error") == ""


def focused(tab):
    """The number of the action that has the focus."""
    return tab.evaluate("document.activeElement.querySelector('kbd').textContent")


def test_by_keys_alone(tab):
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        tab.keyboard.press(key)
    assert focused(tab) == "1"
    before = version(tab)
    tab.keyboard.press("Enter")  # a building, which has 25 spaces to go to
    until(tab, MOVED, before)
    tab.evaluate(PRESS_AT_ONCE, "12")  # on a slow machine two presses could be two numbers
    assert focused(tab) == "12"
    tab.wait_for_timeout(1000)
    tab.keyboard.press("3")
    assert focused(tab) == "3"
    assert tab.inner_text("#where") == "Moment 1 of 1"
    tab.keyboard.press("ArrowLeft")
    until(tab, "document.getElementById('where').textContent === 'Moment 0 of 1'")
    assert tab.locator("#board [data-action]").count() == 0  # the past is for looking
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#board [data-action]")
    before = version(tab)
    tab.keyboard.press("u")
    until(tab, MOVED, before)
    assert tab.inner_text("#where") == "Moment 0 of 0"


def test_a_line_of_the_log_lights_the_place_it_names_and_leads_to_its_moment(tab):
    begin(tab, "Revolution-v0", "random", "person")
    until(tab, READY)
    before = version(tab)
    tab.locator("#actions button").first.click()
    until(tab, MOVED, before)
    line = tab.locator("#log button").first
    place = line.inner_text().split()[-1]
    line.hover()
    lit = tab.locator("#board rect.lit")
    wanted = tab.evaluate(PLACE_OF, place)
    assert min(abs(lit.nth(k).bounding_box()["x"] - wanted) for k in range(lit.count())) < 6
    assert tab.locator("#board .last").count() >= 1
    line.click()
    until(tab, "location.search.includes('moment=')")
    tab.mouse.move(0, 0)
    assert tab.locator("#board rect.lit").count() == 0


def test_hints_and_the_evaluation_bar(tab):
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    tab.click("summary:text('Advice')")
    tab.fill("#hinter", "revolution/ppo-2")
    tab.fill("#judge", "revolution/ppo-2")
    tab.locator("#judge").blur()
    until(tab, "/[+−]\\d\\.\\d\\d for Royalists/.test(document.getElementById('meter-words').textContent)")
    tab.keyboard.press("h")
    tab.wait_for_selector("#hints ol")
    assert tab.locator("#hints li").count() == 3
    assert "probability" in tab.inner_text("#hints")
    before = version(tab)
    tab.locator("#hints li button").first.click()
    until(tab, MOVED, before)
    until(tab, "document.querySelector('#curve polyline').getAttribute('points').split(' ').length > 1")
    tab.fill("#judge", "random")
    tab.locator("#judge").blur()
    tab.wait_for_selector("#error:text-matches('gives no values')")


def test_two_people_and_the_curtain(tab):
    begin(tab, "RedFlagOverParis-v0", "person", "person")
    tab.wait_for_selector("#curtain:not([hidden])")
    assert tab.locator("#board svg").count() == 0
    assert "Commune" in tab.inner_text("#curtain")
    tab.click("#reveal")
    until(tab, READY)
    tab.locator("#actions button").first.click()
    tab.wait_for_selector("#curtain:not([hidden]):has-text('Versailles')")
    assert tab.locator("#board svg").count() == 0
    assert tab.locator("#actions button").count() == 0


def test_programs_play_and_pause(tab):
    begin(tab, "Revolution-v0", "scripted", "random")
    tab.keyboard.press(" ")
    tab.wait_for_selector("#pause:text('Go on')")
    until(tab, IDLE)  # a move that has begun is carried out
    before = version(tab)
    tab.wait_for_timeout(400)
    assert version(tab) == before
    tab.click("#step")
    until(tab, "v => document.body.dataset.version !== v", before)
    tab.select_option("#looking", "1")
    tab.keyboard.press("Escape")
    tab.click("#pause")
    until(tab, "document.body.dataset.over === 'true'")


def test_a_program_that_thinks_can_be_told_to_move(tab):
    begin(tab, "Revolution-v0", "slow", "person")
    for _ in range(2):  # which building, and where
        before = tab.inner_text("#where")
        tab.click("#stop")
        until(tab, "before => document.getElementById('where').innerText !== before", before)
    until(tab, READY)
    assert tab.locator("#stop").is_hidden()


def test_a_second_tab_is_brought_up_to_date(tab):
    begin(tab, "Revolution-v0", "person", "person")
    until(tab, READY)
    other = tab.context.new_page()
    other.goto(tab.url)
    other.wait_for_selector("#actions button")
    tab.locator("#actions button").first.click()
    until(tab, "document.body.dataset.version === '1'")
    other.locator("#actions button").nth(2).click()
    other.wait_for_selector("#error:text-matches('has changed since')")
    assert version(other) == "1"
    assert other.inner_text("#actions") == tab.inner_text("#actions")


def test_save_load_and_play_on(tab, link):
    begin(tab, "Revolution-v0", "person", "person")
    until(tab, READY)
    tab.locator("#actions button").nth(1).click()
    until(tab, "document.body.dataset.version === '1'")
    tab.click("#save")
    tab.fill("#save-name", "in the browser")
    tab.click("#save-form button[type=submit]")
    tab.wait_for_selector("#error:text-matches('^Saved:')")
    before = tab.inner_text("#actions")
    tab.click("#home")
    tab.click("#saved button:text('in the browser')")
    tab.wait_for_selector("#actions button")
    assert tab.inner_text("#actions") == before
    first = tab.url
    tab.locator("#actions button").first.click()
    until(tab, "document.body.dataset.version === '1'")
    tab.click("#first")
    tab.click("#fork")
    until(tab, f"!location.href.startsWith({first.partition('&moment')[0]!r})")
    assert tab.inner_text("#actions") == before


def test_a_link_to_a_moment(tab):
    begin(tab, "Revolution-v0", "person", "person")
    until(tab, READY)
    for k in range(3):
        tab.locator("#actions button").first.click()
        until(tab, f"document.body.dataset.version === '{k + 1}'")
    tab.keyboard.press("ArrowLeft")
    until(tab, "location.search.includes('moment=2')")
    drawn = tab.inner_html("#board")
    other = tab.context.new_page()
    other.goto(tab.url)
    other.wait_for_selector("#table.past")
    assert other.inner_text("#where") == "Moment 2 of 3"
    assert other.inner_html("#board") == drawn


def test_a_card_says_what_it_does_and_where_its_text_is_from(tab):
    begin(tab, "LeveeEnMasse-v0", "person")
    until(tab, READY)
    tab.locator("#board g.headline").click()
    assert "published" in tab.inner_text("#card") or "reconstructed" in tab.inner_text("#card")
    begin_objectives = "RedFlagOverParis-v0"
    tab.click("#home")
    begin(tab, begin_objectives, "person", "random")
    until(tab, READY)
    assert tab.locator("#actions .provenance").count() == tab.locator("#actions button").count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 800, 400])
def test_nothing_is_wider_than_the_screen_and_words_stand_out(tab, width, scheme):
    tab.set_viewport_size({"width": width, "height": 800})
    tab.emulate_media(color_scheme=scheme)
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not tab.evaluate(wide)
    begin(tab, "Paris-v0", "person", "random", "random", "random", players="4")
    until(tab, READY)
    assert not tab.evaluate(wide)
    assert (
        contrast(
            *(
                tab.evaluate(f"getComputedStyle(document.querySelector('#right')).{p}")
                for p in ("color", "backgroundColor")
            )
        )
        > 7
    )
    muted = tab.evaluate("getComputedStyle(document.querySelector('#actions small')).color")
    assert (
        contrast(muted, tab.evaluate("getComputedStyle(document.querySelector('#actions button')).backgroundColor"))
        > 4.5
    )


def contrast(one, other):
    """The contrast ratio of two colours (WCAG 2)."""

    def luminance(colour):
        parts = [int(x) / 255 for x in colour.removeprefix("rgb(").removesuffix(")").split(",")]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
