"""Pictures of the page: `python -m tests.web.pictures FOLDER` draws every game in all widths and themes.

The two pictures of docs/play.md are drawn as well, in few colours so that they stay small.
"""

import sys
import tempfile
from pathlib import Path

from rfop_env.registry import get_entry, list_games
from rfop_env.players import AgentLoader
from tests.web.browsers import launched
from tests.web.serving import served

DOCS = Path(__file__).parents[2] / "docs"
WIDTHS, SCHEMES = (1200, 800, 400), ("light", "dark")
HEIGHT, COLOURS, DECISIONS, SEED = 800, 255, 21, "5"
READY = "document.querySelector('#actions button') !== null"


def begin(tab, link, game):
    """A game after some decisions of a person against a random player."""
    tab.goto(link)
    tab.wait_for_selector("#seats select")
    tab.evaluate("localStorage.setItem('rfop-speed', '0')")
    tab.select_option("#game", game)
    if get_entry(game).interface == "aec":
        tab.locator("#seats select").nth(1).select_option("random")
    tab.fill("#seed", SEED)
    tab.click("#new button.main")
    tab.wait_for_selector("#actions button", state="attached", timeout=300_000)
    for k in range(DECISIONS):
        version = tab.evaluate("document.body.dataset.version")
        tab.evaluate(
            "k => { const all = document.querySelectorAll('#actions button'); all[k % all.length].click(); }", k
        )
        while tab.evaluate("document.body.dataset.version") == version or not tab.evaluate(READY):
            tab.wait_for_timeout(20)
    tab.mouse.move(0, 0)


def draw(tab, folder, game):
    """All pictures of a game."""
    for scheme in SCHEMES:
        tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for width in WIDTHS:
            tab.set_viewport_size({"width": width, "height": HEIGHT})
            tab.wait_for_timeout(1500)  # until the board is drawn for the place
            tab.screenshot(path=folder / f"{game}_{width}_{scheme}.png", full_page=width < max(WIDTHS))


def draw_docs(tab):
    """The pictures of the documentation."""
    tab.emulate_media(color_scheme="light", reduced_motion="reduce")
    tab.set_viewport_size({"width": 1200, "height": HEIGHT})
    _small(tab, DOCS / "playing.png")
    tab.emulate_media(color_scheme="dark")
    tab.set_viewport_size({"width": 400, "height": HEIGHT})
    _small(tab, DOCS / "playing_small.png")


def _small(tab, path):
    from PIL import Image

    tab.wait_for_timeout(1500)  # until the board is drawn for the place
    tab.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main(folder):
    """Draw everything."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = AgentLoader()
    with tempfile.TemporaryDirectory() as saves, served(programs, Path(saves)) as link, launched() as browser:
        for game in list_games():
            tab = browser.new_page(viewport={"width": max(WIDTHS), "height": HEIGHT}, reduced_motion="reduce")
            begin(tab, link, game)
            draw(tab, folder, game)
            if game == list_games()[0]:
                draw_docs(tab)
            tab.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
