"""The page without a server in a headless browser: as one file, and from a folder that is served."""

import functools
import http.server
import json
import re
from pathlib import Path

import pytest

from rfop_env.browser.page import learn_page, make_page
from rfop_env.cli.main import main
from rfop_env.compiler import JIT
from rfop_env.core.errors import UnknownName
from rfop_env.registry import get_game
from rfop_env.replays import Replay
from rfop_env.web.puzzles import puzzles_of
from tests.web import browsers
from tests.web.browsers import PATIENCE
from tests.web.serving import in_thread

pytest.importorskip("playwright.sync_api", reason="the page is clicked through with Playwright: make browser-test")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not JIT, reason="modules are compiled"),
]
MOST_CLICKS = 1500
REPLAYS = sorted((Path(__file__).parents[2] / "docs" / "replays").glob("*.rfop"))
NETWORKS = {"Revolution-v0": "revolution/xi-2", "Paris-v0": "paris/ppo-7", "LeveeEnMasse-v0": "levee/ppo-2"}

# Takes the first action of the list, or the last one, until the game is over: a person who knows nothing.
PLAY_ON = """async most => {
    const wait = () => new Promise(go => setTimeout(go, 4)), end = performance.now() + 600000;
    for (let k = 0; k < most && document.body.dataset.over !== "true" && performance.now() < end;) {
        const actions = [...document.querySelectorAll("#actions button.action")];
        if (actions.length) {
            const version = document.body.dataset.version;
            actions[k++ % 3 ? actions.length - 1 : 0].click();
            while (document.body.dataset.version === version && document.querySelector("#error").hidden) await wait();
        } else await wait();
        if (!document.querySelector("#error").hidden) return document.querySelector("#error").textContent;
    }
    return document.querySelector("#status").textContent;
}"""


def page_of(env, *names, options=None, embed=True, components=None):
    game = get_game(env)
    return make_page(game, components or game.load_components(None), options or {}, names, embed)


def open_file(tab, folder, env, *names):
    """Open the page of a game as one file; returns its address."""
    path = folder / "game.html"
    path.write_text(page_of(env, *names).html, encoding="utf-8")
    tab.goto(path.as_uri())
    tab.wait_for_selector("#new")
    return path.as_uri()


@pytest.fixture
def tab(browser):
    """A page whose console stays empty; what it loads stands in `tab.loaded`."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    context.add_init_script("try { localStorage.setItem('rfop-speed', '0') } catch { /* a blank page has none */ }")
    tab, errors = context.new_page(), []
    tab.loaded, tab.expected = [], []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("request", lambda request: tab.loaded.append(request.url))
    yield tab
    context.close()
    assert [error for error in errors if not any(part in error for part in tab.expected)] == []


def begin(tab, *players):
    """Start a game, with these players in the last seats."""
    seats = tab.locator("#seats select")
    for seat, name in zip(range(seats.count() - len(players), seats.count()), players, strict=True):
        seats.nth(seat).select_option(name)
    tab.click("#new button[type=submit]")
    tab.wait_for_selector("#board svg, #curtain:not([hidden])")


@pytest.mark.parametrize(
    ("env", "options", "player"),
    [
        ("Revolution-v0", {}, "search-20"),
        ("LeveeEnMasse-v0", {}, None),
        ("RedFlagOverParisSolo-v1", {}, None),
        ("RedFlagOverParis-v1", {}, "solo-opponent"),
        ("Paris-v0", {"players": "2"}, "scripted"),
        ("Paris-v0", {"players": "3"}, "random"),
    ],
    ids=lambda value: str(value),
)
def test_a_whole_game_in_one_file(tab, tmp_path, env, options, player):
    """Opened as a file, without a network connection: a game to its end, and nothing is loaded."""
    page = page_of(env, "random", *([player] if player else []), options=options)
    assert len(page.html) < 1_500_000
    assert page.files == {}
    path = tmp_path / "game.html"
    path.write_text(page.html, encoding="utf-8")
    tab.context.set_offline(True)
    tab.goto(path.as_uri())
    tab.wait_for_selector("#new")
    seats = get_game(env).under(options).spec.players
    begin(tab, *([player] * (seats - 1)))
    status = tab.evaluate(PLAY_ON, MOST_CLICKS)
    assert tab.evaluate("document.body.dataset.over") == "true", status
    assert re.fullmatch(r"Seed \d+", tab.inner_text("#seed-used"))
    assert [url for url in tab.loaded if not url.startswith((path.as_uri(), "data:", "blob:"))] == []


def test_networks_beside_the_page_are_loaded_when_they_are_chosen(tab, tmp_path):
    name = NETWORKS["Revolution-v0"]
    page = page_of("Revolution-v0", "random", name, f"search-20+{name}", embed=False)
    (tmp_path / "index.html").write_text(page.html, encoding="utf-8")
    (file,) = page.files
    (tmp_path / file).write_bytes(page.files[file])
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with in_thread(server):
        tab.goto(f"http://127.0.0.1:{server.server_port}/index.html")
        tab.wait_for_selector("#new")
        assert not any(file in url for url in tab.loaded)
        begin(tab, name)
        tab.click("#hint")
        tab.wait_for_selector("#hints li")
        assert "tried" in tab.text_content("#hints")
        assert sum(file in url for url in tab.loaded) == 1
        status = tab.evaluate(PLAY_ON, MOST_CLICKS)
        assert tab.evaluate("document.body.dataset.over") == "true", status

        # A network that is none, and one that is not there: a sentence each.
        tab.expected = ["404"]
        for content, words in ((b"no network at all, but text", "no safetensors file"), (None, "cannot be loaded")):
            (tmp_path / file).unlink()
            if content:
                (tmp_path / file).write_bytes(content)
            else:
                (tmp_path / file).unlink(missing_ok=True)
            tab.goto(f"http://127.0.0.1:{server.server_port}/index.html?{words.replace(' ', '')}")
            tab.wait_for_selector("#new")
            begin(tab, name, "person")
            tab.locator("#status", has_text="could not decide").wait_for()
            assert words in tab.text_content("#status")
            (tmp_path / file).write_bytes(b"")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and prints nothing."""

    def log_message(self, *words):
        """Nothing."""


def test_undo_moments_fork_and_two_people(tab, tmp_path):
    open_file(tab, tmp_path, "RedFlagOverParis-v1", "random")
    begin(tab, "person")
    assert tab.is_visible("#curtain")  # hands are secret
    assert tab.inner_html("#board") == ""
    tab.click("#reveal")
    tab.wait_for_selector("#actions button.action", state="attached")
    first = tab.inner_html("#board")
    tab.evaluate("document.querySelector('#actions button.action').click()")
    tab.wait_for_selector("body:not([data-version='1'])")
    tab.click("#home")
    tab.wait_for_selector("#new")
    assert "moment 1" in tab.text_content("#open")

    begin(tab, "random")
    tab.wait_for_selector("#actions button.action", state="attached")
    assert tab.inner_html("#board") != first
    assert tab.evaluate(PLAY_ON, MOST_CLICKS).endswith(".")
    tab.click("#first")
    tab.locator("#where", has_text="Moment 0 of").wait_for()
    tab.click("#fork")
    tab.wait_for_selector("body[data-over='false']")
    assert tab.text_content("#where") == "Moment 0 of 0"
    tab.click("#main-line")
    tab.locator("#where", has_text=re.compile("Moment 0 of [1-9]")).wait_for()
    tab.evaluate("for (let k = 0; k < 3; k++) document.querySelector('#forward').click()")
    tab.locator("#where", has_text="Moment 3 of").wait_for()
    tab.click("#fork")
    tab.wait_for_selector("body[data-over='false']")
    tab.locator("#variations [aria-current]", has_text="From moment 3").wait_for()  # the program may have moved on
    assert tab.locator("#variations li").count() == 3


@pytest.mark.parametrize("file", REPLAYS, ids=lambda file: file.stem)
def test_a_replay_is_opened_played_on_and_written_again(tab, tmp_path, file):
    out = tmp_path / "game.html"
    assert main(["page", file.stem, "--agent", "random", "--replay", str(file), "--out", str(out)]) == 0
    tab.goto(f"{out.as_uri()}?replay={file.stem}&moment=9")
    tab.locator("#where", has_text="Moment 9 of").wait_for()
    replay = Replay.read(file)
    assert tab.text_content("#where") == f"Moment 9 of {len(replay.decisions)}"
    tab.locator("#meter-words", has_text=replay.values_by).wait_for()
    assert browsers.saved_text(tab, "#save") == file.read_text(encoding="utf-8")

    # From a file; played on by a person in every seat but the last.
    tab.click("#home")
    tab.set_input_files("#file", file)
    tab.locator("#where", has_text="Moment 0 of").wait_for()
    tab.click("#fork")
    tab.set_viewport_size({"width": 600, "height": 800})
    tab.wait_for_selector("#board svg[data-look^=phone]")
    tab.click("#fork-form button[type=submit]")  # it has outlasted the board before
    tab.wait_for_selector("body[data-over='false'] #actions button.action", state="attached")
    assert tab.evaluate(PLAY_ON, 5)
    assert tab.locator("#variations li").count() == 2

    # What is no replay of this page is refused, and the page goes on.
    tab.click("#home")
    refused = [("a text", "no replay")]
    refused += [(replay.text().replace("option: ", "option: x"), "was played with")] if replay.options else []
    for text, words in refused:
        (tmp_path / "bad.rfop").write_text(text, encoding="utf-8")
        tab.set_input_files("#file", tmp_path / "bad.rfop")
        tab.locator("#error", has_text=words).wait_for()


def test_a_running_game_with_secrets_is_played_on_from_a_moment(tab, tmp_path):
    open_file(tab, tmp_path, "RedFlagOverParis-v1", "random")
    begin(tab, "random")
    tab.wait_for_selector("#actions button.action", state="attached")
    tab.click("#fork")
    tab.locator("#where", has_text="Moment 0 of 0").wait_for()
    tab.click("#home")
    tab.wait_for_selector("#open li >> nth=1")


def test_games_outlast_the_page(tab, tmp_path):
    """Loaded anew, the page is where it was; opened anew, it lists its games, which are played on."""
    address = open_file(tab, tmp_path, "RedFlagOverParis-v1", "solo-opponent")
    begin(tab, "solo-opponent")
    for _ in range(6):
        tab.wait_for_selector("#actions button.action", state="attached")
        before = tab.evaluate("document.body.dataset.version")
        tab.evaluate("document.querySelector('#actions button.action').click()")
        tab.wait_for_selector(f"body:not([data-version='{before}'])")
    tab.wait_for_selector("#actions button.action", state="attached")
    log, board = tab.text_content("#log"), tab.inner_html("#board")
    tab.reload()
    tab.wait_for_selector("#actions button.action", state="attached")
    assert (tab.text_content("#log"), tab.inner_html("#board")) == (log, board)

    tab.goto(address)
    tab.wait_for_selector("#open li")
    assert "you, solo-opponent" in tab.text_content("#open li")
    tab.evaluate("localStorage.setItem(Object.keys(localStorage).find(k => k.startsWith('rfop-game')) + '0', '{')")
    tab.evaluate("localStorage.setItem(Object.keys(localStorage).find(k => k.startsWith('rfop-game')) + '1', '[]')")
    tab.goto(address + "?again")
    tab.click("#open li button >> nth=0")
    tab.wait_for_selector("#board svg")
    assert tab.text_content("#log") == log
    tab.click("#home")
    tab.wait_for_selector("#open li")
    tab.once("dialog", lambda dialog: dialog.accept())
    tab.click("#open li button >> nth=1")
    tab.wait_for_selector("#open-box", state="hidden")
    tab.reload()
    tab.wait_for_selector("#new")
    assert tab.is_hidden("#open-box")


def test_two_tabs_have_one_game(tab, tmp_path):
    """What one tab decides, the other shows, and plays on from there."""
    address = open_file(tab, tmp_path, "Revolution-v0", "random")
    begin(tab, "random")
    other = tab.context.new_page()
    tab.wait_for_selector("#actions button.action", state="attached")
    other.goto(tab.url)
    other.wait_for_selector("#actions button.action", state="attached")
    assert other.url.startswith(address)
    for mine, its in [(tab, other), (other, tab), (tab, other)]:
        mine.bring_to_front()
        version = mine.evaluate("document.body.dataset.version")
        mine.evaluate("document.querySelector('#actions button.action').click()")
        mine.locator(f"body:not([data-version='{version}']) #actions button.action").first.wait_for(state="attached")
        its.bring_to_front()
        for _ in range(100):
            if its.text_content("#log") == mine.text_content("#log"):
                break
            its.wait_for_timeout(100)
        assert its.text_content("#log") == mine.text_content("#log")
        assert its.inner_text("#where") == mine.inner_text("#where") != "Moment 0 of 0"
        assert its.inner_text("#error") == ""
    other.close()


def test_programs_go_on_where_the_tab_that_had_them_decide_is_gone(tab, tmp_path):
    open_file(tab, tmp_path, "Revolution-v0", "random")
    begin(tab, "random", "random")
    tab.evaluate("dispatchEvent(new StorageEvent('storage', {key: null}))")  # another tab, which does no more
    tab.locator("body[data-over=true]").wait_for()
    assert tab.inner_text("#error") == ""


def test_an_address_with_a_replay_that_the_page_lacks_leads_to_the_start(tab, tmp_path):
    address = open_file(tab, tmp_path, "Revolution-v0", "random")
    tab.goto(f"{address}?replay=nobody")
    tab.wait_for_selector("#new")
    tab.locator("#error", has_text="this page holds no replay nobody").wait_for()


def test_a_page_whose_storage_is_full_plays_on_and_keeps_the_newest(tab, tmp_path):
    open_file(tab, tmp_path, "Revolution-v0", "random")
    tab.evaluate("localStorage.setItem('other', 'x'.repeat(5 * 1024 * 1024 - 12000))")
    for _ in range(3):
        begin(tab, "random")
        tab.wait_for_selector("#actions button.action", state="attached")
        tab.click("#home")
        tab.wait_for_selector("#open li")
    tab.reload()
    tab.wait_for_selector("#open li")
    assert 0 < tab.locator("#open li").count() <= 3


@pytest.mark.parametrize(("env", "program"), [("Revolution-v0", "search-20"), ("LeveeEnMasse-v0", "levee/ppo-2")])
def test_a_game_is_reviewed_without_a_server(tab, tmp_path, env, program):
    file, out = next(file for file in REPLAYS if file.stem == env), tmp_path / "game.html"
    words = ["--agent", program, "--replay", str(file), "--out", str(out)]
    assert main(["page", env, *words]) == 0
    tab.goto(f"{out.as_uri()}?replay={env}&moment=9")
    tab.locator("#where", has_text="Moment 9 of").wait_for()
    tab.evaluate("document.getElementById('review-box').open = true")
    tab.fill("#reviewer", program)
    tab.click("#review")
    count = len(Replay.read(file).decisions)
    tab.locator("#review-progress", has_text=re.compile("[1-9]")).wait_for()
    tab.locator("#review-progress", has_text=f"{count} of {count}").wait_for(timeout=5 * PATIENCE)
    tab.locator("#review", has_text="Review the game").wait_for()

    assert tab.locator("#points figure svg").count() > 1
    first = tab.locator("#points-table tr >> nth=1")
    assert first.text_content().startswith("0")
    tab.evaluate("document.querySelector('#points-table button').click()")
    tab.locator("#where", has_text="Moment 0 of").wait_for()
    mistakes, marks = tab.locator("#mistakes li"), tab.locator("#board .mark.best")
    for k in range(mistakes.count()):  # to the first whose best actions are at a part of the board
        mistake = mistakes.nth(k).locator("button").first
        moment = mistake.inner_text().split(":")[0]
        mistake.click()
        tab.locator("#where", has_text=f"Moment {moment} of").wait_for()
        tab.locator("#best li").first.wait_for()
        if marks.count():
            break
    assert marks.count()
    replay = Replay.read(browsers.saved_text(tab, "#save"))
    assert replay.values_by == program
    assert all(decision.value is not None for decision in replay.decisions)
    assert sum(len(decision.notes) for decision in replay.decisions) == tab.locator("#mistakes li").count()
    mistakes = tab.locator("#mistakes li").all_text_contents()
    tab.reload()
    tab.locator("#mistakes li").nth(len(mistakes) - 1).wait_for()
    assert tab.locator("#mistakes li").all_text_contents() == mistakes


def test_a_puzzle_is_played_without_a_server(tab, tmp_path):
    puzzle = puzzles_of("Revolution-v0")[1]
    open_file(tab, tmp_path, "Revolution-v0", "random")
    tab.click("#puzzles button >> nth=1")
    tab.wait_for_selector("#actions button.action", state="attached")
    assert "find it" in tab.text_content("#puzzle")
    tab.dispatch_event(f'#actions button.action[title="{puzzle.best}"]', "click")
    tab.locator("#puzzle", has_text="Right:").wait_for()
    tab.keyboard.press("u")
    tab.locator("#puzzle", has_text="find it").wait_for()
    assert tab.text_content("#error") == ""
    tab.reload()
    tab.locator("#puzzle", has_text="find it").wait_for()


def test_by_keyboard_at_400_pixels(tab, tmp_path):
    tab.set_viewport_size({"width": 400, "height": 800})
    open_file(tab, tmp_path, "Revolution-v0", "scripted")
    tab.focus("#new button[type=submit]")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#actions button.action", state="attached")
    assert tab.evaluate("document.documentElement.scrollWidth <= 400")
    for _ in range(4):
        tab.wait_for_selector("#actions button.action", state="attached")
        version = tab.evaluate("document.body.dataset.version")
        tab.keyboard.press("1")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(f"body:not([data-version='{version}'])")


def test_a_network_learns_in_the_page(tab, tmp_path):
    game, path = get_game("Revolution-v0"), tmp_path / "learn.html"
    path.write_text(learn_page(game, game.load_components("small_board"), "Watch it learn"), encoding="utf-8")
    tab.goto(path.as_uri())
    tab.wait_for_selector("#run:not([disabled])")
    tab.click("#run")
    tab.locator("#status", has_text=re.compile(r"\b[4-9],\d{3} games")).wait_for()
    tab.click("#run")
    wins = [int(share) for share in re.findall(r"(\d+) %", tab.text_content("#status"))]
    assert wins[0] > 50, wins  # it began with less than half against random play
    assert tab.locator("#wins polyline").count() == 2

    # The same seed begins alike, another one otherwise.
    shares = {}
    for seed in ("1", "2"):
        for _ in range(2):
            tab.goto(f"{path.as_uri()}?seed={seed}")
            tab.wait_for_selector("#run:not([disabled])")
            shares.setdefault(seed, set()).add(tab.text_content("#status"))
    assert len(shares["1"]) == len(shares["2"]) == 1
    assert shares["1"] != shares["2"]


def test_a_browser_without_webassembly_is_told(tab, tmp_path):
    path = tmp_path / "game.html"
    path.write_text(page_of("Revolution-v0", "random").html, encoding="utf-8")
    tab.add_init_script("delete globalThis.WebAssembly")
    tab.goto(path.as_uri())
    tab.wait_for_selector("#error")
    assert tab.text_content("#error") == "this browser has no WebAssembly: play in a newer one"


def test_the_command_writes_a_page_and_says_what_is_in_it(tmp_path, capsys):
    out = tmp_path / "game.html"
    assert main(["page", "Revolution-v0", "--agent", "search-50", "--out", str(out)]) == 0
    assert capsys.readouterr().out.endswith("with random, scripted, search-50\n")
    assert out.stat().st_size < 1_000_000
    assert main(["build", "wasm", "Revolution-v0", "--out", str(tmp_path / "wasm")]) == 0
    described = json.loads((tmp_path / "wasm" / "Revolution-v0.json").read_text())
    assert described["component_bytes"] == (tmp_path / "wasm" / "Revolution-v0.components.bin").stat().st_size


@pytest.mark.parametrize("name", ["rollout-8+revolution/xi-2", "symmetric+revolution/ppo-2", "nobody"])
def test_a_program_that_no_page_can_run_is_refused(name):
    with pytest.raises(UnknownName, match="program of a page"):
        page_of("Revolution-v0", name)


def test_the_table_explains_itself_without_a_server(tab, tmp_path):
    """News, rules, hints of a first game, the end, another game, and the way back: as on the page of the server."""
    open_file(tab, tmp_path, "Revolution-v0", "random")
    tab.check("#guide-me")
    begin(tab, "random")
    tab.wait_for_selector("#lesson:not([hidden])")
    assert "Click a building" in tab.inner_text("#lesson-text")
    assert tab.is_hidden("#actions button.action >> nth=0")  # the board has them
    tab.keyboard.press("?")
    tab.wait_for_selector("#rules[open]")
    assert tab.locator("#rules-contents button").all_inner_texts()[0] == "The board"
    tab.keyboard.press("Escape")
    tab.locator("#rules").wait_for(state="hidden")

    tab.evaluate(PLAY_ON, MOST_CLICKS)
    tab.wait_for_selector("#end:not([hidden])")
    assert " won" in tab.inner_text("#winner") or "draw" in tab.inner_text("#winner")
    assert tab.locator("#score th[scope=row]").last.inner_text() == "Points"
    assert tab.locator("#news button").count() > 0
    assert tab.locator("#board .mark.news").count() > 0
    tab.click("#again")
    tab.wait_for_selector("body[data-over='false']")
    assert tab.text_content("#where") == "Moment 0 of 0"
    tab.go_back()
    tab.wait_for_selector("body[data-over='true']")
    tab.go_back()
    tab.wait_for_selector("#start:not([hidden])")
