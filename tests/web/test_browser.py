"""The page in a headless browser: whole games by clicks, and everything that a person does there."""

import contextlib
import html
import json
import re
import time
from difflib import unified_diff
from pathlib import Path

import pytest

from rfop_env.game_setup import ComponentSets
from rfop_env.registry import get_entry, list_games
from rfop_env.web.study import read_study
from tests.web.browsers import PATIENCE
from tests.web.conftest import ProgramsOfTests
from tests.web.serving import served, tunnel

pytest.importorskip("playwright.sync_api", reason="the page is clicked through with Playwright: make browser-test")
pytestmark = pytest.mark.browser

READY = "document.body.dataset.over === 'true' || document.querySelector('#actions button') !== null"
MOVED = f"v => document.body.dataset.version !== v && ({READY})"
IDLE = "document.body.dataset.busy === 'false' && document.getElementById('stop').hidden"
PLACE_OF = """name => [...document.querySelectorAll('#board g')]
    .find(g => g.querySelector(':scope > title')?.textContent.startsWith(name + ':')).getBoundingClientRect().x"""
PRESS_AT_ONCE = """keys => [...keys].forEach(
    key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))"""
RECORDED = Path(__file__).parents[2] / "docs" / "replays" / "Revolution-v0.rfop"
FIRST = 300_000


@pytest.fixture(scope="module")
def programs():
    return ProgramsOfTests()


@pytest.fixture(scope="module")
def link(programs, tmp_path_factory):
    """The link to a server that runs."""
    with served(programs, tmp_path_factory.mktemp("saves")) as link:
        yield link


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
    page.unroute_all(behavior="ignoreErrors")
    close_games(context, link)
    context.close()
    assert [e for e in errors if not re.search("status of (4|503)", e)] == []  # refusals are shown on the page
    assert [url for url in foreign if not url.startswith("data:")] == []


def close_games(context, link):
    """Close all games, so that there is always room for another."""
    base, _, token = link.partition("?token=")
    headers = {"X-Token": token, "Origin": base.rstrip("/")}
    for game in context.request.get(f"{base}api/menu", headers=headers).json()["open"]:
        context.request.post(f"{base}api/games/{game['id']}/close", headers=headers, data={})


def begin(tab, game, *seats, guide=False, **options):
    """Start a game by the form; all actions stand in the list."""
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
    tab.set_checked("#guide-me", guide)
    tab.evaluate("Object.assign(localStorage, {'rfop-speed': '0', 'rfop-list': 'all'})")
    tab.click("#new button.main")
    tab.wait_for_selector("#table:not([hidden])", timeout=FIRST)


def until(tab, expression, arg=None):
    """Wait until an expression of the page is true. (Playwright's own waiting needs `eval`, which the page forbids.)"""
    deadline = time.monotonic() + PATIENCE / 1000
    while not tab.evaluate(expression, arg):
        assert time.monotonic() < deadline, expression
        tab.wait_for_timeout(15)


def open_recording(tab):
    tab.set_input_files("#file", RECORDED)
    until(tab, "document.querySelector('#where')?.innerText.startsWith('Moment 0 of')")


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
        snapshot, clicks = version(tab), clicks + 1
        if clicks % 2 and on_board(tab, clicks):
            parts += 1
        else:
            actions = tab.locator("#actions button")
            actions.nth(clicks % actions.count()).click()
        until(tab, MOVED, snapshot)
    status = tab.inner_text("#status")
    assert any(outcome in status for outcome in (" won: ", " lost: ", " draw: ")), status
    assert tab.evaluate("document.activeElement.id") == "look-back"
    assert parts > 3
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
    snapshot = version(tab)
    tab.keyboard.press("Enter")  # a building, which has 25 spaces to go to
    until(tab, MOVED, snapshot)
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
    snapshot = version(tab)
    tab.keyboard.press("u")
    until(tab, MOVED, snapshot)
    assert tab.inner_text("#where") == "Moment 0 of 0"


def test_a_line_of_the_log_lights_the_place_it_names_and_leads_to_its_moment(tab):
    begin(tab, "Revolution-v0", "random", "person")
    until(tab, READY)
    snapshot = version(tab)
    tab.locator("#actions button").first.click()
    until(tab, MOVED, snapshot)
    line = tab.locator("#log button").first
    place = line.inner_text().split()[-1]
    line.hover()
    lit = tab.locator("#board rect.lit")
    place_x = tab.evaluate(PLACE_OF, place)
    assert min(abs(lit.nth(k).bounding_box()["x"] - place_x) for k in range(lit.count())) < 6
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
    snapshot = version(tab)
    tab.locator("#hints li button").first.click()
    until(tab, MOVED, snapshot)
    until(tab, "document.querySelector('#curve polyline').getAttribute('points').split(' ').length > 1")
    tab.fill("#judge", "random")
    tab.locator("#judge").blur()
    tab.wait_for_selector("#error:text-matches('gives no values')")


def test_two_people_and_the_curtain(tab):
    set_advisers(tab, "judge", "judge")
    begin(tab, "RedFlagOverParis-v1", "person", "person")
    tab.wait_for_selector("#curtain:not([hidden])")
    assert tab.locator("#board svg").count() == 0
    assert "Commune" in tab.inner_text("#curtain")
    tab.click("#reveal")
    until(tab, READY)
    tab.locator("#actions button").first.click()
    tab.wait_for_selector("#curtain:not([hidden]):has-text('Versailles')")
    assert tab.locator("#board svg").count() == 0
    assert tab.locator("#actions button").count() == 0
    assert tab.locator("#meter").is_hidden()


def test_a_second_page_follows_the_first(tab, link):
    """A projector beside the page: it shows each decision without a click, and a deleted game leaves it as it is."""
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    projector = tab.context.new_page()
    projector.goto(tab.url)
    until(projector, READY)
    tab.bring_to_front()
    for _ in range(3):
        snapshot = version(tab)
        tab.locator("#actions button").first.click()
        until(tab, MOVED, snapshot)
        projector.bring_to_front()
        until(projector, "where => document.getElementById('where').textContent === where", tab.inner_text("#where"))
        assert projector.inner_text("#error") == ""
        assert projector.inner_text("#log") == tab.inner_text("#log")
        tab.bring_to_front()
    projector.close()


def test_a_page_whose_request_fails_says_so_and_follows_the_others(tab, link):
    """A request of a page for a decision fails: the page pauses, and goes on showing what another one does."""
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    projector = tab.context.new_page()
    projector.route("**/move?*", lambda route: route.abort())
    projector.goto(tab.url)
    until(projector, READY)
    tab.bring_to_front()
    tab.route("**/move?*", lambda route: None)  # so that the other page has to ask
    while not projector.inner_text("#error"):
        snapshot = version(tab)
        tab.locator("#actions button").first.click()
        until(tab, "v => document.body.dataset.version !== v", snapshot)
        projector.bring_to_front()
        until(projector, "v => document.body.dataset.version === v", version(tab))
        asks = "document.querySelector('#actions button') !== null"
        until(projector, f"{asks} || document.getElementById('error').innerText !== ''")
        tab.bring_to_front()
    assert projector.inner_text("#error").startswith("the server does not answer")
    assert projector.inner_text("#pause") == "Go on"
    tab.unroute_all(behavior="ignoreErrors")
    tab.reload()
    until(tab, READY)
    projector.bring_to_front()
    until(projector, "v => document.body.dataset.version === v", version(tab))
    projector.close()


def test_a_guest_plays_at_a_page_of_their_own(tab, browser, link):
    begin(tab, "RedFlagOverParis-v1", "person", "person")
    tab.click("#invite")
    tab.select_option("#invite-seat", "1")
    tab.click("#invite-form button")
    tab.wait_for_selector("#invite-link:not([hidden])")
    invitation = tab.input_value("#invite-link")
    until(tab, READY)  # the curtain is up for good
    context = browser.new_context(viewport={"width": 400, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    context.add_init_script("localStorage.setItem('rfop-list', 'all')")
    guest = context.new_page()
    guest.goto(invitation)
    guest.wait_for_selector("#board svg")
    assert all(guest.is_hidden(f"#{button}") for button in ("home", "fork", "swap", "save", "invite", "link"))
    assert guest.evaluate("document.documentElement.scrollWidth <= 400")
    assert guest.inner_html("#board") != tab.inner_html("#board")
    assert "at another page" in guest.inner_text("#status")
    movers = set()
    for _ in range(5):
        mover, waiter = (tab, guest) if tab.locator("#actions button").count() else (guest, tab)
        movers.add(mover)
        mover.bring_to_front()
        until(mover, "document.querySelector('#actions button') !== null")
        where = mover.inner_text("#where")
        mover.locator("#actions button").first.click()
        until(mover, "where => document.getElementById('where').textContent !== where", where)
        waiter.bring_to_front()
        until(waiter, "where => document.getElementById('where').textContent === where", mover.inner_text("#where"))
    assert len(movers) == 2
    context.close()


def test_a_participant_goes_through_a_study(browser, tmp_path, programs):
    """By keyboard at 400 pixels: consent, questions of each kind, a game, and coming back in the middle."""
    config = """
        title = "Who wins?"
        consent = "One.\\n\\nTwo."
        question = [
            {name = "often", kind = "choice", text = "Do you play?", choices = ["no", "yes"]},
            {name = "age", kind = "number", text = "How old are you?", low = 18, high = 99},
            {name = "hard", when = "game", kind = "scale", text = "How hard?", low = 1, high = 5, low_label = "easy"},
            {name = "rest", when = "after", text = "Anything else?", optional = true}]
        game = [{env = "Revolution-v0", opponent = "random", seat = "royalists_0"}]
        """
    path = tmp_path / "study.toml"
    path.write_text(config)
    study = (read_study(path, programs, ComponentSets()), config)
    with served(programs, tmp_path / "study", study=study) as link:
        context = browser.new_context(viewport={"width": 400, "height": 800}, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        context.add_init_script("Object.assign(localStorage, {'rfop-speed': '0', 'rfop-list': 'all'})")
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(link)
        page.wait_for_selector("#study input[name=code]")
        page.keyboard.type("p-1")
        page.keyboard.press("Enter")
        page.wait_for_selector("#study input[name=consent]")
        assert page.locator("#study-parts p").all_inner_texts() == ["One.", "Two."]
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        page.wait_for_selector("#study fieldset")
        assert page.evaluate("document.documentElement.scrollWidth <= 400")
        page.get_by_label("yes").check()
        page.get_by_label("How old are you?").fill("30")
        page.keyboard.press("Enter")
        page.wait_for_selector("#board svg")
        assert all(
            page.is_hidden(f"#{part}") for part in ("hint", "undo", "home", "save", "fork", "advice-box", "go-on")
        )
        until(page, READY)
        page.locator("#actions button").first.click()
        page.goto(link)
        page.wait_for_selector("#study input[name=code]")
        page.keyboard.type("p-1")
        page.keyboard.press("Enter")
        page.wait_for_selector("#board svg")
        assert "Moment 0" not in page.inner_text("#where")
        page.reload()
        while True:
            until(page, READY)
            if page.evaluate("document.body.dataset.over") == "true":
                break
            snapshot = version(page)
            page.locator("#actions button").first.click()
            until(page, MOVED, snapshot)
        page.click("#go-on")
        page.wait_for_selector("#study fieldset")
        page.get_by_label("5").check()
        page.click("#study-next")
        page.wait_for_selector("#study textarea")
        page.click("#study-next")
        page.wait_for_selector("#study-parts:has-text('Thank you')")
        assert page.is_hidden("#study-next")
        kept = json.loads((tmp_path / "study" / "participants" / "p-1.json").read_text())
        assert kept["answers"] == {"often": "yes", "age": 30, "hard 1": 5, "rest": None}
        assert len(kept["visits"]) >= 3
        context.close()
    assert errors == []


# Everything that a page holds: elements, attributes, fields, what is scrolled and what is stored.
DOCUMENT = """() => JSON.stringify([
    document.documentElement.outerHTML,
    [...document.querySelectorAll('input, select, textarea')].map(field => [field.id, field.value, field.checked]),
    [...document.querySelectorAll('*')].map(e => [e.id, e.scrollTop, e.scrollLeft]).filter(([, y, x]) => x || y),
    [document.title, location.href, history.state, name, document.cookie],
    {...sessionStorage}, {...localStorage}])"""
CARDS = """[...document.querySelectorAll('#board g > title')].map(title => title.textContent)
    .filter(title => title.startsWith('#')).map(title => title.slice(1).split(':')[0])"""
SETTINGS = {
    "rfop-game",
    "rfop-guide",
    "rfop-list",
    "rfop-speed",
    "rfop-hinter-RedFlagOverParis-v1",
    "rfop-judge-RedFlagOverParis-v1",
}


def set_advisers(tab, hinter, judge):
    """Choose who gives hints and values of Red Flag Over Paris from the next page on."""
    for role, name in {"hinter": hinter, "judge": judge}.items():
        tab.evaluate("([role, name]) => localStorage.setItem(`rfop-${role}-RedFlagOverParis-v1`, name)", [role, name])


def look_around(tab):
    """What a person may do before a decision: read a card, ask for a hint, look at the past."""
    tab.locator("#board [role=button]:not([data-action])").first.click()
    tab.wait_for_selector("#choices h2")
    tab.keyboard.press("Escape")
    tab.keyboard.press("h")
    tab.wait_for_selector("#hints ol")
    tab.keyboard.press("ArrowLeft")
    until(tab, IDLE)
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#table:not(.past)")


def test_nothing_of_a_person_stays_when_another_comes(tab, link):
    """At every change of the person who looks, the page is as one that has just been opened.

    What a page is sent when it is opened does not depend on what its viewer cannot see (test_secrets.py).
    """
    set_advisers(tab, "judge", "judge")
    begin(tab, "RedFlagOverParis-v1", "person", "person")
    reference, (base, _, token) = tab.context.new_page(), link.partition("?token=")
    changes, hand, viewers = 0, set(), []
    while True:
        until(tab, "document.body.dataset.version && (document.getElementById('reveal').offsetParent || " + READY + ")")
        document = html.unescape(json.loads(tab.evaluate(DOCUMENT))[0])
        state = tab.context.request.get(f"{base}api/games/{address_game(tab)}", headers={"X-Token": token}).json()
        answer = html.unescape(json.dumps(state, ensure_ascii=False))
        viewer = None if state["curtain"] is not None else "all" if state["over"] else state["viewer"]
        if not viewers or viewers[-1] != viewer:
            viewers.append(viewer)
            secret = {card for card in hand if card not in answer}
            assert changes < 3 or viewer == "all" or secret, "the check has nothing to look for"
            assert [card for card in secret if card in document] == []
            tab.mouse.move(0, 0)
            reference.goto(tab.url)
            require_equal(tab, reference)
            tab.bring_to_front()  # clicks into a page behind another one take a second
            changes += 1
        if viewer == "all":
            break
        if viewer is None:
            tab.click("#reveal")
        else:
            if viewers.count(viewer) < 4:
                look_around(tab)
            elif viewers.count(viewer) == 4:  # every page asks for all values anew: long games have too many
                set_advisers(tab, "judge", "")
            hand = set(tab.evaluate(CARDS))
            tab.locator(f"#actions [data-id='{max(action['id'] for action in state['actions'])}']").click()
        until(tab, "v => document.body.dataset.version && document.body.dataset.version !== v", str(state["version"]))
    assert changes > 40
    assert {None, 0, 1, "all"} == set(viewers)


def address_game(tab):
    return tab.evaluate("new URLSearchParams(location.search).get('game')")


def require_equal(tab, reference):
    """Wait until two pages hold the same, once their requests are answered."""
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        content, expected = (json.loads(page.evaluate(DOCUMENT)) for page in (tab, reference))
        if content == expected:
            break
        assert time.monotonic() < deadline, list(
            unified_diff(*(str(p).replace("<", "\n<").split("\n") for p in (expected, content)), n=0)
        )
    assert content[4] == {}
    assert set(content[5]) <= SETTINGS


def path_end(request):
    return request.url.partition("?")[0].rpartition("/")[2]


def test_an_answer_that_comes_late_is_shown_to_nobody_else(tab, programs):
    """A value and a hint that somebody has asked for, and somebody else looks."""
    set_advisers(tab, "slow", "slow")
    begin(tab, "RedFlagOverParis-v1", "person", "person")
    requests, failures, on_their_way = [], [], []
    tab.on("request", lambda request: requests.append(path_end(request)))
    tab.on("requestfailed", lambda request: failures.append(path_end(request)))
    tab.route("**/value?*", lambda route: on_their_way.append(route))  # an answer that does not come
    with tab.expect_request("**/value?*"):
        tab.click("#reveal")
    until(tab, READY)
    set_advisers(tab, "slow", "")
    with tab.expect_event("requestfailed"):
        tab.locator("#actions button").first.click()
    assert failures == ["value"]
    for route in on_their_way:
        route.abort()
    tab.unroute("**/value?*")
    tab.wait_for_selector("#curtain:not([hidden])")
    tab.click("#reveal")
    until(tab, READY)
    requests.clear()
    tab.keyboard.press("h")
    tab.wait_for_selector("#hints p")
    tab.locator("#actions button").first.click()
    tab.wait_for_selector("#curtain:not([hidden])")
    tab.click("#reveal")
    until(tab, READY)
    until(tab, IDLE)
    assert requests.index("hint") < requests.index("stop") < requests.index("act")
    assert tab.locator("#hints").is_hidden()
    assert tab.inner_text("#error") == ""
    tab.keyboard.press("h")  # an own one
    tab.wait_for_selector("#hints p")
    tab.click("#stop")
    tab.wait_for_selector("#hints ol")


def test_who_leaves_the_table_takes_everything_along(tab):
    begin(tab, "RedFlagOverParis-v1", "person", "random")
    until(tab, READY)
    cards = tab.evaluate(CARDS)
    tab.click("#home")
    tab.wait_for_selector("#open button")
    document = html.unescape(tab.evaluate(DOCUMENT))
    assert cards
    assert [card for card in cards if card in document] == []


def test_programs_play_and_pause(tab):
    begin(tab, "Revolution-v0", "scripted", "random")
    tab.keyboard.press(" ")
    tab.wait_for_selector("#pause:text('Go on')")
    until(tab, IDLE)  # a move that has begun is carried out
    snapshot = version(tab)
    tab.wait_for_timeout(400)
    assert version(tab) == snapshot
    tab.click("#step")
    until(tab, "v => document.body.dataset.version !== v", snapshot)
    tab.select_option("#looking", "1")
    tab.keyboard.press("Escape")
    tab.click("#pause")
    until(tab, "document.body.dataset.over === 'true'")


def test_a_program_that_thinks_can_be_told_to_move(tab):
    begin(tab, "Revolution-v0", "slow", "person")
    for _ in range(2):  # which building, and where
        snapshot = tab.inner_text("#where")
        tab.click("#stop")
        until(tab, "before => document.getElementById('where').innerText !== before", snapshot)
    until(tab, READY)
    assert tab.locator("#stop").is_hidden()


def test_save_load_and_play_on(tab, link):
    begin(tab, "Revolution-v0", "person", "person")
    until(tab, READY)
    tab.locator("#actions button").nth(1).click()
    until(tab, "document.body.dataset.version === '1'")
    tab.click("#save")
    tab.fill("#save-name", "in the browser")
    tab.click("#save-form button[type=submit]")
    tab.wait_for_selector("#message:text-matches('^Saved:')")
    snapshot = tab.inner_text("#actions")
    tab.click("#home")
    tab.click("#saved button:text('in the browser')")
    tab.wait_for_selector("#actions button")
    assert tab.inner_text("#actions") == snapshot
    first = tab.url
    tab.locator("#actions button").first.click()
    until(tab, "document.body.dataset.version === '1'")
    tab.click("#first")
    tab.click("#fork")
    until(tab, f"!location.href.startsWith({first.partition('&moment')[0]!r})")
    assert tab.inner_text("#actions") == snapshot

    # A variation has a place in the tree, and a way back.
    rows = tab.locator("#variations button")
    assert rows.count() == 2
    assert "Main line" in rows.nth(0).inner_text()
    assert rows.nth(1).get_attribute("aria-current") == "true"
    tab.click("#main-line")
    until(tab, "document.getElementById('where').innerText === 'Moment 0 of 1'")
    assert tab.locator("#main-line").is_hidden()
    rows.nth(1).press("Enter")
    until(tab, "document.getElementById('where').innerText === 'Moment 0 of 0'")


def test_a_card_says_what_it_does_and_where_its_text_is_from(tab):
    begin(tab, "LeveeEnMasse-v0", "person")
    until(tab, READY)
    tab.locator("#board g.headline").click()
    assert "published" in tab.inner_text("#choices") or "reconstructed" in tab.inner_text("#choices")
    begin_objectives = "RedFlagOverParis-v1"
    tab.click("#home")
    begin(tab, begin_objectives, "person", "random")
    until(tab, READY)
    assert tab.locator("#actions .provenance").count() == tab.locator("#actions button").count()


def play_to_many_actions(tab):
    """Play Levée en Masse to a decision with so many actions that their list fills the screen."""
    begin(tab, "LeveeEnMasse-v0", "person")
    for _ in range(30):
        until(tab, READY)
        if tab.locator("#actions button").count() >= 8:
            return
        snapshot = version(tab)
        tab.locator("#actions button").last.click()
        until(tab, MOVED, snapshot)
    raise AssertionError("no decision has eight actions")


def card_text(tab):
    """The text of the open card, all of which lies within the window."""
    tab.wait_for_selector("#choices h2")
    box, window = tab.locator("#choices").bounding_box(), tab.viewport_size
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] + box["height"] <= window["height"]
    return tab.inner_text("#choices")


def test_a_card_is_shown_beside_the_board_however_long_the_list_of_actions(tab):
    play_to_many_actions(tab)
    card = tab.locator("#board g.headline")
    snapshot = version(tab)
    card.click()
    words = card_text(tab)
    assert tab.locator("#actions button").first.locator("b").inner_text() not in words
    tab.keyboard.press("Escape")
    assert tab.locator("#choices").is_hidden()

    for key in ("Enter", " "):
        card.focus()
        tab.keyboard.press(key)
        assert card_text(tab) == words
        tab.keyboard.press("Escape")
        assert card.evaluate("card => card === document.activeElement")
    assert version(tab) == snapshot


SEVERAL = "#board [data-action*=' ']"  # a part that stands for several actions


def test_a_part_of_the_board_is_chosen_by_keys(tab):
    """The only action of a part is taken; of several, which are listed, one is."""
    begin(tab, "RedFlagOverParisSolo-v1", "person")
    for _ in range(60):
        until(tab, READY)
        if tab.locator(SEVERAL).count():
            break
        snapshot = version(tab)
        tab.locator("#actions button").first.click()
        until(tab, MOVED, snapshot)
    part = tab.locator(SEVERAL).first
    ids = part.get_attribute("data-action").split()
    part.focus()
    assert tab.locator("#board rect.lit").count() == 1
    tab.keyboard.press("Enter")
    assert tab.locator("#choices button").count() == len(ids)
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement === document.querySelectorAll('#choices button')[1]")
    snapshot = version(tab)
    tab.keyboard.press("Enter")
    until(tab, MOVED, snapshot)

    single = tab.locator("#board [data-action]:not([data-action*=' '])").first
    snapshot = version(tab)
    single.focus()
    tab.keyboard.press(" ")
    until(tab, MOVED, snapshot)
    assert tab.inner_text("#error") == ""


def test_an_error_goes_once_the_server_answers_again(tab):
    """A program thinks, and the server does not say what it does for a while."""
    tab.route("**/api/games/*?known=*", lambda route: route.fulfill(status=503, body="busy"))
    begin(tab, "Revolution-v0", "search-20s", "person")
    until(tab, "document.getElementById('error').innerText.startsWith('the server does not answer')")
    tab.unroute("**/api/games/*?known=*")
    until(tab, "document.getElementById('error').innerText === ''")
    assert tab.locator("#stop").is_visible()  # it still thinks


def test_the_error_of_a_decision_that_met_a_silent_server_goes_too(tab):
    tab.route("**/api/games/*/act?*", lambda route: route.fulfill(status=503, body="busy"))
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    tab.locator("#actions button").first.click()
    until(tab, "document.getElementById('error').innerText.startsWith('the server does not answer')")
    until(tab, "document.getElementById('error').innerText === ''")


def test_a_program_is_asked_once_for_each_decision(tab):
    """Two states may follow each other while it is asked, as where the window gets another size."""
    questions = []
    tab.on("request", lambda request: questions.append(request.post_data) if "/move?" in request.url else None)
    begin(tab, "Revolution-v0", "random", "random")
    for width in (1100, 700, 1100, 700):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.wait_for_timeout(300)
    until(tab, "document.body.dataset.over === 'true'")
    assert len(questions) == len(set(questions)) > 10


def test_a_control_with_the_focus_has_its_keys_for_itself(tab):
    """A spectator's page, where Space pauses the programs unless something else has the focus."""
    begin(tab, "Revolution-v0", "scripted", "random")
    tab.evaluate("localStorage.setItem('rfop-speed', '3')")
    tab.keyboard.press(" ")
    tab.wait_for_selector("#pause:text('Go on')")
    until(tab, IDLE)
    snapshot = version(tab)

    def press(selector, key):
        tab.locator(selector).focus()
        tab.keyboard.press(key)

    press("#save", " ")
    tab.wait_for_selector("#save-form:not([hidden])")
    tab.fill("#save-name", "")
    tab.type("#save-name", "uh 12 ")
    assert tab.input_value("#save-name") == "uh 12 "
    press("#save", "Enter")
    assert tab.locator("#save-form").is_hidden()
    for key in (" ", "Enter"):
        advice = tab.locator("#right details:has(#hinter)")
        open_before = advice.evaluate("details => details.open")
        press("#right details:has(#hinter) summary", key)
        assert advice.evaluate("details => details.open") != open_before
    press("#speed", "ArrowRight")
    press("#speed", "ArrowUp")
    assert tab.input_value("#speed") == "0.2"
    press("#looking", "ArrowDown")
    assert tab.input_value("#looking") == "1"
    until(tab, IDLE)
    assert tab.inner_text("#pause") == "Go on"
    assert (version(tab), tab.locator("#table.past").count()) == (snapshot, 0)

    press("#slider", "ArrowLeft")
    tab.wait_for_selector("#table.past")
    press("#first", " ")
    until(tab, "document.getElementById('where').textContent.startsWith('Moment 0')")
    press("#pause", " ")  # presses the button once, and pauses nothing again
    tab.wait_for_selector("#pause:text('Pause')")
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press(" ")
    tab.wait_for_selector("#pause:text('Go on')")


# -- the link ----------------------------------------------------------------------------------------------------------


def test_the_link_is_clicked_on_another_page_and_loaded_again(browser, link):
    context = browser.new_context()
    tab = context.new_page()
    page = f"<!doctype html><a id=right href='{link}'>right</a><a id=wrong href='{link}x'>wrong</a>"
    context.route("http://elsewhere.example/", lambda route: route.fulfill(body=page, content_type="text/html"))
    tab.goto("http://elsewhere.example/")
    tab.click("#wrong")
    refused = tab.inner_text("[role=alert]")
    assert refused.startswith("The token is wrong or missing: open the link that 'rfop serve' printed")
    tab.goto("http://elsewhere.example/")
    tab.click("#right")
    tab.wait_for_selector("#seats select")
    tab.reload()
    tab.wait_for_selector("#seats select")
    context.close()


@pytest.mark.parametrize("way", ["port", "path"])
def test_the_page_is_played_through_a_forwarded_port_and_below_a_path(browser, programs, tmp_path, way):
    with contextlib.ExitStack() as stack:
        link = stack.enter_context(served(programs, tmp_path, prefix="/user/me/proxy/8000" if way == "path" else ""))
        if way == "port":
            port = link.split(":")[2].partition("/")[0]
            forwarded = stack.enter_context(tunnel(int(port)))
            link = link.replace(f"127.0.0.1:{port}", f"localhost:{forwarded}")
        tab = stack.enter_context(contextlib.closing(browser.new_context())).new_page()
        tab.goto(link)
        tab.wait_for_selector("#seats select")
        begin(tab, "Revolution-v0", "person", "random")
        until(tab, READY)
        snapshot = version(tab)
        tab.locator("#actions button").first.click()
        until(tab, MOVED, snapshot)
        assert tab.url.startswith(link)
        tab.reload()
        tab.wait_for_selector("#actions button")
        assert tab.inner_text("#where") == "Moment 1 of 1"


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
    muted = tab.evaluate("getComputedStyle(document.querySelector('#actions kbd')).color")
    assert (
        contrast(muted, tab.evaluate("getComputedStyle(document.querySelector('#actions button')).backgroundColor"))
        > 4.5
    )


def test_the_board_is_drawn_for_its_place_and_the_colours_of_the_page(tab):
    tab.emulate_media(color_scheme="light")
    begin(tab, "Paris-v0", "person", "random", players="2")
    until(tab, READY)
    drawn = "look => document.querySelector('#board svg').dataset.look === look"
    for width, scheme, look in ((1300, "dark", "wide dark"), (400, "dark", "phone dark"), (700, "light", "tall light")):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)
        until(tab, drawn, look)
    take_first(tab)
    assert tab.evaluate(drawn, "tall light")
    tab.click("#first")
    until(tab, "document.getElementById('where').textContent.startsWith('Moment 0')")
    assert tab.evaluate(drawn, "tall light")
    tab.set_viewport_size({"width": 400, "height": 800})
    until(tab, drawn, "phone light")
    assert tab.text_content("#where").startswith("Moment 0")
    letters = "[...document.querySelectorAll('#board text')].map(text => text.getBoundingClientRect().height)"
    assert min(tab.evaluate(letters)) > 11


SIZES = """() => {
    const svg = document.querySelector('#board svg'), box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    const scale = Math.min(box.width / view.width, box.height / view.height);
    const letters = [...svg.querySelectorAll('text')].map(text => scale * Number(text.getAttribute('font-size')));
    const sides = [...svg.querySelectorAll('[data-action] > .hit')].map(hit => hit.getBoundingClientRect())
        .map(({width, height}) => Math.min(width, height));
    return [Math.min(...letters), Math.min(...sides, 999)];
}"""


@pytest.mark.parametrize("game", list_games())
def test_letters_and_targets_have_their_size_on_the_page(tab, game):
    """What tests/drawing promises of a picture in its place, in the place that the page has for it."""
    begin(tab, game, "person", *["random"] * (get_entry(game).interface == "aec"))
    until(tab, READY)
    for width, least, target in ((1280, 9, 0), (1200, 9, 0), (981, 9, 0), (660, 9, 0), (400, 11, 24)):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.wait_for_timeout(400)  # until the board is drawn for the place
        until(tab, IDLE)
        letter, side = tab.evaluate(SIZES)
        assert letter >= least - 0.01 and side >= target, width


def contrast(ink, ground):
    """The contrast ratio of two colours (WCAG 2)."""

    def luminance(colour):
        parts = [int(x) / 255 for x in colour.removeprefix("rgb(").removesuffix(")").split(",")]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(ink), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


# -- what has happened, what may be done -------------------------------------------------------------------------------

COUNT_CHANGES = """() => new MutationObserver(() => window.announced = (window.announced ?? 0) + 1)
    .observe(document.getElementById('announcement'), {childList: true})"""
LISTED = """[...document.querySelectorAll('#actions > .group button')]
    .map(button => [button.title, button.querySelector('b').textContent])"""
VISIBLE_ACTIONS = "[...document.querySelectorAll('#actions button')].filter(button => button.checkVisibility()).length"


def close_list(tab):
    """Have the list hold what the board does not show, from the next decision on."""
    tab.evaluate("localStorage.removeItem('rfop-list')")


def take_first(tab):
    """Take the first action of the list, and wait for the next decision."""
    snapshot = version(tab)
    tab.evaluate("document.querySelector('#actions button').click()")
    until(tab, MOVED, snapshot)


def test_the_news_stands_above_the_actions_with_numbers_on_the_board(tab):
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    tab.evaluate(COUNT_CHANGES)
    for _ in range(5):
        take_first(tab)
    assert tab.inner_text("#news-title") == "Since your last turn"
    assert tab.inner_text("#news h3") == "Jacobins"
    rows = tab.locator("#news button")
    assert re.search(r"1\s*Jacobins place \w+ on [a-e][1-5]", rows.first.inner_text())
    assert tab.locator("#news-box").bounding_box()["y"] < tab.locator("#actions").bounding_box()["y"]
    space, mark = rows.first.inner_text().split()[-1], tab.locator("#board .mark.news").first
    assert mark.text_content().split()[0] == "1"
    assert 0 < mark.bounding_box()["x"] - tab.evaluate(PLACE_OF, space) < 120
    # Read out once for each decision of the person, however many the program has taken.
    assert tab.evaluate("window.announced") == 5
    assert "Jacobins: Jacobins place" in tab.text_content("#announcement")
    assert tab.text_content("#announcement").endswith(f"{tab.inner_text('#question')}.")
    tab.keyboard.press("ArrowLeft")
    until(tab, "document.querySelectorAll('#board .mark.news').length === 0")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#board .mark.news")


def test_what_the_board_offers_is_not_repeated_in_the_list(tab):
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    close_list(tab)
    take_first(tab)
    assert tab.evaluate(VISIBLE_ACTIONS) == 0
    assert "Choose on the board: 25 actions" in tab.inner_text("#actions")
    assert tab.locator("#board [data-action][tabindex='0']").count() == 25
    tab.keyboard.press("ArrowDown")  # the parts can be reached without the list
    assert tab.evaluate("document.activeElement.dataset.action !== undefined")
    tab.keyboard.press("3")  # a number opens the list
    assert focused(tab) == "3"
    assert tab.evaluate(VISIBLE_ACTIONS) == 25
    until(tab, "localStorage.getItem('rfop-list') === 'all'")


def test_the_list_names_what_an_answer_does(tab):
    begin(tab, "RedFlagOverParis-v1", "person", "random")
    until(tab, READY)
    close_list(tab)
    said, cards = set(), 0
    for _ in range(40):
        if tab.evaluate("document.body.dataset.over") == "true":
            break
        words = tab.evaluate(LISTED)
        said |= {sentence for label, sentence in words if label in ("yes", "done")}
        cards += tab.locator("#question-cards .card-row").count()
        take_first(tab)
    assert said, "no question of yes or no has come"
    assert all(len(sentence.split()) > 2 for sentence in said)
    assert cards > 3  # the text of the card whose use is asked


def test_a_card_that_a_line_names_has_a_note(tab):
    begin(tab, "LeveeEnMasse-v0", "person")
    until(tab, READY)
    row = tab.locator("#log button:has(.mention)").first
    for work in (row.hover, row.focus):
        work()
        tab.wait_for_selector("#note:not([hidden])")
        assert row.locator(".mention").inner_text() in tab.inner_text("#note")
        assert row.get_attribute("aria-describedby") == "note"
        tab.keyboard.press("Escape")
        assert tab.locator("#note").is_hidden()
        tab.mouse.move(0, 0)
    assert tab.locator("#table.past").count() == 0


def test_rules_and_symbols_are_one_key_away(tab):
    begin(tab, "RedFlagOverParis-v1", "person", "random")
    until(tab, READY)
    tab.focus("#undo")
    tab.focus("#hint")
    tab.keyboard.press("?")
    tab.wait_for_selector("#rules[open]")
    assert tab.evaluate("document.getElementById('rules').contains(document.activeElement)")
    contents = tab.locator("#rules-contents button")
    assert contents.all_inner_texts()[:2] == ["The two sides", "The map"]
    assert contents.last.inner_text() == "Symbols"
    assert "RedFlagOverParisSolo" not in tab.inner_text("#rules")
    contents.last.click()
    assert tab.evaluate("document.activeElement.textContent") == "Symbols"
    assert "pivotal space" in tab.inner_text("#rules dl")
    snapshot = version(tab)
    tab.keyboard.press("u")  # keys of the table are asleep
    tab.keyboard.press("Escape")
    until(tab, "!document.getElementById('rules').open")
    assert tab.evaluate("document.activeElement.id") == "hint"
    assert version(tab) == snapshot


def test_the_end_says_who_won_and_why_and_what_comes_next(tab):
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    first = address_game(tab)
    while tab.evaluate("document.body.dataset.over") != "true":
        take_first(tab)
    assert re.fullmatch("(Royalists|Jacobins) won|A draw .*", tab.inner_text("#winner"))
    assert re.search("control|flag|condition", tab.inner_text("#reason"))
    assert tab.locator("#score th[scope=col]").all_inner_texts() == ["Royalists", "Jacobins"]
    assert tab.locator("#score th[scope=row]").last.inner_text() == "Points"
    assert tab.inner_text("#reason").rstrip(".").lower() in tab.text_content("#announcement").lower()
    tab.click("#look-back")
    until(tab, "document.getElementById('where').textContent.startsWith('Moment 0 of')")
    assert tab.evaluate("document.activeElement.id") == "forward"
    tab.click("#again-swapped")
    until(
        tab, "document.body.dataset.over === 'false' && document.getElementById('title').textContent === 'Revolution'"
    )
    assert address_game(tab) != first
    until(tab, "document.getElementById('status').textContent.includes('Jacobins: your decision')")


@pytest.mark.parametrize("game", list_games())
def test_the_slider_is_in_sight_with_and_without_evaluation(tab, game):
    tab.set_viewport_size({"width": 1280, "height": 800})
    begin(tab, game, "person", *["random"] * (get_entry(game).interface == "aec"))
    until(tab, READY)
    for judge in ("", "judge"):
        tab.evaluate(
            "text => { document.getElementById('judge').value = text; document.getElementById('judge').onchange(); }",
            judge,
        )
        until(tab, "shown => document.getElementById('meter').hidden !== shown", bool(judge))
        for control in ("#slider", "#first", "#zoom"):
            box = tab.locator(control).bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 800
        board = tab.locator("#board svg").bounding_box()
        assert board["width"] > 400
        assert board["y"] + board["height"] < tab.locator("#slider").bounding_box()["y"]


def test_the_focus_stays_where_it_was(tab):
    begin(tab, "Revolution-v0", "person", "person")
    until(tab, READY)
    assert tab.evaluate("document.activeElement.id") == "question"
    part = tab.locator("#board [data-action]").nth(1)
    title = part.locator("title").first.text_content()
    part.focus()
    active = "document.activeElement.querySelector(':scope > title')?.textContent"
    for key in ("ArrowLeft", "Escape"):
        tab.keyboard.press(key)
        until(tab, IDLE)
    assert tab.evaluate(active) == title
    tab.keyboard.press("1")
    snapshot = version(tab)
    tab.keyboard.press("Enter")
    until(tab, MOVED, snapshot)
    assert focused(tab) == "1"
    tab.focus("#back")
    tab.keyboard.press(" ")  # a button that is pressed keeps the focus, and Space presses it again
    until(tab, "document.getElementById('where').textContent === 'Moment 0 of 1'")
    assert tab.evaluate("document.activeElement.id") == "back"


def test_back_and_forward_of_the_browser_lead_from_the_game_to_the_start_and_again(tab):
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    game = address_game(tab)
    take_first(tab)
    tab.go_back()
    tab.wait_for_selector("#start:not([hidden])")
    assert address_game(tab) is None
    tab.go_forward()
    tab.wait_for_selector("#table:not([hidden])")
    until(tab, READY)
    assert (address_game(tab), tab.inner_text("#where")) == (game, "Moment 1 of 1")
    tab.click("#home")
    tab.wait_for_selector("#start:not([hidden])")
    tab.go_back()
    tab.wait_for_selector("#table:not([hidden])")


def test_a_message_is_no_error_and_moves_nothing(tab):
    begin(tab, "Revolution-v0", "person", "random")
    until(tab, READY)
    tab.click("#save")
    places = "['board', 'actions', 'slider'].map(id => document.getElementById(id).getBoundingClientRect().y)"
    tab.fill("#save-name", "moves nothing")
    tab.click("#save-form button[type=submit]")
    tab.wait_for_selector("#message:text-matches('^Saved:')")
    assert tab.get_attribute("#message", "role") == "status"
    assert tab.locator("#error").is_hidden()
    before = tab.evaluate(places)
    colour = tab.evaluate("getComputedStyle(document.getElementById('message')).backgroundColor")
    tab.click("#save")
    tab.fill("#save-name", "../x")
    tab.click("#save-form button[type=submit]")
    tab.wait_for_selector("#error:not([hidden])")
    assert tab.locator("#message").is_hidden()
    assert tab.evaluate("getComputedStyle(document.getElementById('error')).backgroundColor") != colour
    tab.fill("#save-name", "has the focus")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#message:not([hidden])")
    assert tab.evaluate("document.activeElement.id") == "save"
    assert tab.evaluate(places) == before


def test_a_first_game_is_guided(tab):
    begin(tab, "Revolution-v0", "person", "random", guide=True)
    until(tab, READY)
    texts = []
    for _ in range(12):
        if tab.locator("#lesson").is_visible():
            texts.append(tab.inner_text("#lesson-text"))
            tab.click("#lesson-next")
        else:
            take_first(tab)
    assert len(texts) == len(set(texts)) == 5
    assert "Click a building beside the board" in texts[0]
    tab.click("#home")
    begin(tab, "LeveeEnMasse-v0", "person", guide=True)
    until(tab, READY)
    tab.click("#lesson-off")
    assert tab.locator("#lesson").is_hidden()
    take_first(tab)
    assert tab.locator("#lesson").is_hidden()


def test_a_game_is_reviewed_and_better_decisions_are_looked_for(tab):
    open_recording(tab)
    tab.click("#review-box summary")
    tab.fill("#reviewer", "search-20")
    tab.click("#review")
    until(tab, "document.querySelectorAll('#mistakes li').length > 0")
    tab.click("#review")  # stops it
    until(tab, "document.getElementById('review').innerText === 'Review the game'")
    assert int(tab.inner_text("#review-progress").split()[0]) < 46
    tab.click("#review")
    until(tab, "document.getElementById('review-progress').innerText.startsWith('46 of 46')")
    assert tab.locator("#accuracy tr").count() == 3

    count = tab.locator("#mistakes li").count()
    tab.fill("#reviewer", "nobody")  # a wrong name leaves the review as it is
    tab.click("#review")
    until(tab, "document.getElementById('error').innerText.includes('nobody')")
    until(tab, "document.getElementById('review').innerText === 'Review the game'")
    assert (tab.locator("#mistakes li").count(), tab.inner_text("#review-progress")[:8]) == (count, "46 of 46")

    tab.locator("#mistakes button").first.click()
    until(tab, "document.querySelector('#best h2')?.innerText.includes('loses')")
    assert re.fullmatch(r"Next: (place|choose|take) .+ loses .+\)", tab.inner_text("#best h2"))
    numbers = tab.locator("#board .mark.best text").all_text_contents()
    assert sorted(" ".join(numbers).split()) == [str(k + 1) for k in range(tab.locator("#best li").count())]
    assert re.search("(Royalists|Jacobins), (place|choose|take) ", tab.locator("#mistakes li").first.inner_text())

    # Points over the game: a press on a chart leads to its moment, and so does a row of the table.
    chart = tab.locator("#points figure svg").first
    assert "Markers on the board over the game: from 0 to" in chart.get_attribute("aria-label")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    until(tab, "document.querySelector('#where').innerText === 'Moment 23 of 46'")
    assert chart.locator(".here").get_attribute("x1") == "50"
    tab.click("#points details summary")
    tab.locator("#points-table button").last.click()
    until(tab, "document.querySelector('#where').innerText === 'Moment 46 of 46'")
    assert tab.locator("#points-table tr").last.inner_text().split()[-2:] == ["1", "0"]
    assert tab.locator("#log .note").count() == tab.locator("#mistakes li").count()
    mistakes = tab.locator("#mistakes li").all_text_contents()
    tab.locator("#mistakes li").first.locator("button", has_text="Find better").click()
    until(tab, "document.getElementById('message').innerText.startsWith('Find a better decision')")
    for button in ("#main-line", "#pause"):
        tab.click(button, trial=True)  # the message does not lie on it
    moment = tab.inner_text("#where")
    for verdict in ("first", "second"):  # a decision that is taken back is judged again
        tab.evaluate("document.querySelector('#actions button').click()")
        until(tab, "document.getElementById('message').innerText.endsWith('By search-20.')")
        if verdict == "first":
            tab.click("#undo")
            until(tab, "where => document.getElementById('where').textContent === where", moment)
    tab.click("#message")  # it goes
    assert tab.locator("#message").is_hidden()
    tab.click("#main-line")
    tab.locator("#mistakes li").nth(len(mistakes) - 1).wait_for()
    assert tab.locator("#mistakes li").all_text_contents() == mistakes  # they are still there


def test_a_review_after_a_reload_names_its_program(tab):
    open_recording(tab)
    tab.click("#review-box summary")
    tab.fill("#reviewer", "search-16")
    tab.click("#review")
    until(tab, "document.getElementById('review-progress').innerText.startsWith('46 of 46')")
    until(tab, "document.getElementById('review').innerText === 'Review the game'")
    tab.reload()
    until(tab, "document.getElementById('review-progress')?.innerText.startsWith('46 of 46')")
    assert tab.input_value("#reviewer") == "search-16"


@pytest.mark.parametrize("width", [1280, 1270, 1000])
def test_a_past_moment_has_the_board_of_the_newest_one(tab, width):
    tab.set_viewport_size({"width": width, "height": 800})
    begin(tab, "RedFlagOverParisSolo-v1", "person")
    take_first(tab)
    take_first(tab)
    take_first(tab)
    look = "document.querySelector('#board svg').dataset.look"
    newest = tab.evaluate(look)
    for moment in (2, 1, 0):
        tab.keyboard.press("ArrowLeft")
        until(tab, "k => document.getElementById('where').textContent.startsWith(`Moment ${k} of`)", moment)
        until(tab, IDLE)
        assert tab.evaluate(look) == newest


@pytest.mark.parametrize("width", [1280, 400])
def test_what_has_the_focus_after_a_decision_by_keys_is_in_sight(tab, width):
    tab.set_viewport_size({"width": width, "height": 800})
    begin(tab, "RedFlagOverParisSolo-v1", "person")
    until(tab, READY)
    for _ in range(14):
        count = tab.locator("#actions button").count()
        for digit in str(count):
            tab.keyboard.press(digit)
        snapshot = version(tab)
        tab.keyboard.press("Enter")
        until(tab, MOVED, snapshot)
        until(tab, IDLE)
        seen = """(() => {
            const {left, top, right, bottom} = document.activeElement.getBoundingClientRect();
            const hit = document.elementFromPoint((left + right) / 2, Math.min(bottom - 3, Math.max(top + 3, 60)));
            return document.activeElement.contains(hit);
        })()"""
        assert tab.evaluate(seen), tab.evaluate("document.activeElement.outerHTML")


def test_the_focus_is_never_below_the_header(tab):
    tab.set_viewport_size({"width": 400, "height": 800})
    begin(tab, "RedFlagOverParisSolo-v1", "person")
    until(tab, READY)
    tab.evaluate("document.querySelector('#actions button:last-of-type').focus()")
    for _ in range(25):
        tab.keyboard.press("Shift+Tab")
        edges = "[document.querySelector('header'), document.activeElement].map(e => e.getBoundingClientRect())"
        covered = f"(([head, own]) => own.height > 0 && own.bottom <= head.bottom)({edges})"
        in_header = "document.querySelector('header').contains(document.activeElement)"
        assert tab.evaluate(in_header) or not tab.evaluate(covered), tab.evaluate("document.activeElement.outerHTML")


def test_a_puzzle_is_tried_again_and_leads_to_the_next_one(tab):
    tab.select_option("#game", "LeveeEnMasse-v0")  # where chance decides, so that nothing can be taken back
    tab.click("#puzzles button >> nth=0")
    tab.wait_for_selector("#board svg", timeout=FIRST)
    until(tab, READY)
    assert tab.inner_text("#puzzle p") == "One action is best: find it."
    moment = tab.inner_text("#where")
    tab.evaluate("document.querySelector('#actions button').click()")
    tab.click("#puzzle-again")
    until(tab, "document.querySelector('#puzzle p')?.innerText.startsWith('One action')")
    assert tab.inner_text("#where") == moment
    tab.evaluate("document.querySelector('#actions button').click()")
    tab.click("#puzzle-next")
    until(tab, "document.querySelector('#puzzle h2')?.innerText.startsWith('Puzzle 2')")
    tab.click("#home")
    tab.wait_for_selector("#new")
    assert tab.input_value("#game") == "LeveeEnMasse-v0"  # the next puzzle is one of this game


def test_an_address_with_an_unknown_replay_leads_to_the_start(tab, link):
    tab.goto(f"{link}&replay=nobody")
    tab.wait_for_selector("#new")
    until(tab, "document.getElementById('error').innerText.includes('nobody')")
    assert "replay" not in tab.url
    tab.fill("#seed", "7")
    until(tab, "document.getElementById('error').innerText === ''")


def test_a_narrow_page_leads_from_the_board_to_the_decision_and_back(tab):
    tab.set_viewport_size({"width": 400, "height": 800})
    begin(tab, "RedFlagOverParisSolo-v1", "person")
    until(tab, READY)
    tab.click("#jump")
    until(tab, "document.getElementById('question').getBoundingClientRect().bottom < innerHeight")
    tab.evaluate("document.getElementById('jump').click()")  # Playwright scrolls before it clicks
    until(tab, "scrollY === 0")
    tab.set_viewport_size({"width": 1280, "height": 800})
    assert tab.is_hidden("#jump")


def test_a_board_that_is_drawn_anew_stays_at_the_moment_where_the_person_is_by_then(tab):
    open_recording(tab)

    def answer_late(route):
        if re.search(r"/api/games/[\w-]+\?", route.request.url):
            time.sleep(0.5)
        route.continue_()

    tab.route("**/api/games/**", answer_late)
    tab.emulate_media(color_scheme="dark")
    for moment in range(1, 4):
        tab.click("#forward")
        until(tab, f"document.querySelector('#where').innerText.startsWith('Moment {moment} of')")
    until(tab, "document.querySelector('#board svg').dataset.look.endsWith('dark')")
    tab.wait_for_timeout(1000)
    assert tab.inner_text("#where").startswith("Moment 3 of")
