"""The JavaScript of the board in a headless browser, with a model as notebooks have one."""

import json

import pytest

import rfop_env

pytest.importorskip("anywidget")
pytest.importorskip("playwright.sync_api", reason="the board is clicked with Playwright: make browser-test")
from rfop_env.notebook.board import STATIC, Board
from tests.web.browsers import PATIENCE

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><meta charset="utf-8"><style>{style}</style><div id="cell"></div><script type="module">
{script}
const heard = [];
window.model = {{
  state: null, sent: [],
  get(name) {{ return this.state; }},
  on(name, act) {{ heard.push(act); }},
  off() {{}},
  send(message) {{ this.sent.push(message); }},
  change(state) {{ this.state = state; heard.forEach((act) => act()); }},
}};
window.begin = (state) => {{ model.state = state; widget.render({{ model, el: document.getElementById("cell") }}); }};
</script>"""


@pytest.fixture
def open_board(browser):
    """Show a board in a page; what the page sends goes to the board, and its state goes back, in `pump`."""
    tab, errors = browser.new_page(viewport={"width": 1000, "height": 800}), []
    tab.set_default_timeout(PATIENCE)
    tab.on("pageerror", lambda error: errors.append(str(error)))

    def show(board, before=""):
        module = Board._esm.replace("export default", "const widget =")
        style = (STATIC / "board_widget.css").read_text(encoding="utf-8")
        tab.set_content(PAGE.format(style=style, script=module))
        tab.wait_for_function("() => Boolean(window.begin)")
        tab.evaluate(before or "0")
        tab.evaluate("state => begin(state)", json.loads(json.dumps(board.state)))
        return tab

    yield show
    tab.close()
    assert errors == []


def pump(tab, board):
    """Bring what was clicked to Python, and the new state back; returns the messages."""
    messages = tab.evaluate("() => model.sent.splice(0)")
    for message in messages:
        board.receive(message)
    tab.evaluate("state => model.change(state)", json.loads(json.dumps(board.state)))
    return messages


def test_a_space_of_the_board_is_clicked(open_board):
    board = Board(rfop_env.make_batch("Revolution-v0", num_games=1, seed=1))
    tab = open_board(board)
    parts = tab.locator(".rfop-board [data-action]")
    actions = [int(number) for number in parts.first.get_attribute("data-action").split()]
    parts.first.locator(".hit").first.click(force=True)
    if len(actions) > 1:  # the part stands for several actions: the list has them alone
        assert tab.locator("[data-act]").count() == len(actions)
        tab.locator(f'[data-act="{actions[0]}"]').click()
    assert pump(tab, board) == [{"act": actions[0], "version": 1}]
    assert board.state["version"] == 2 and board.state["problem"] == ""


def test_a_whole_game_is_clicked_through_the_list_and_begins_anew(open_board):
    board = Board(rfop_env.make_batch("Revolution-v0", num_games=1, seed=1))
    tab = open_board(board)
    for _ in range(200):
        if board.state["over"]:
            break
        tab.locator("[data-act]").first.click()
        assert len(pump(tab, board)) == 1
    assert tab.locator(".rfop-asked").text_content() == board.state["over"] != ""
    assert tab.locator(".rfop-score tr").count() == len(board.state["score"]["rows"]) + 1
    assert tab.locator("[data-act]").count() == 0 and tab.locator(".rfop-log li").count() == len(board.state["log"])

    tab.locator(".rfop-new").click()
    pump(tab, board)
    assert board.state["over"] == "" and tab.locator("[data-act]").count() == len(board.state["actions"])


def test_the_keyboard_is_enough_and_the_list_lights_the_board(open_board):
    board = Board(rfop_env.make_batch("Revolution-v0", num_games=1, seed=1))
    tab = open_board(board)
    tab.keyboard.press("Tab")
    assert tab.locator(".rfop-board rect.lit").count() >= 1
    tab.keyboard.press("Enter")
    assert [set(message) for message in pump(tab, board)] == [{"act", "version"}]
    assert tab.evaluate("() => document.activeElement.dataset.act !== undefined")


@pytest.mark.parametrize(("theme", "dark"), [("true", False), ("false", True)])
def test_the_cell_has_the_theme_of_the_notebook(open_board, theme, dark):
    board = Board(rfop_env.make_batch("LeveeEnMasse-v0", num_games=1, seed=1))
    tab = open_board(board, f"document.body.dataset.jpThemeLight = '{theme}'")
    tab.evaluate("() => new Promise((go) => requestAnimationFrame(() => setTimeout(go)))")
    messages = pump(tab, board)
    assert messages == ([{"palette": "dark", "version": 1}] if dark else [])
    assert ("wide dark" in tab.locator(".rfop-board").inner_html()) == dark
    light = tab.evaluate("() => getComputedStyle(document.querySelector('.rfop-game')).color")
    assert (light == "rgb(230, 237, 243)") == dark
