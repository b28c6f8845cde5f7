"""Component sets of files on the page: chosen for a new game, and found again for a saved one."""

import pytest
from starlette.testclient import TestClient

from rfop_env.game_setup import ComponentSets, fitting_games
from rfop_env.core.errors import BadComponents
from rfop_env.registry import list_games
from rfop_env.web.app import make_app
from tests.web.conftest import ORIGIN, TOKEN, Page, ProgramsOfTests

SOLO = "RedFlagOverParisSolo-v1"


@pytest.fixture
def component_sets(own_cards):
    return ComponentSets([own_cards])


def test_the_menu_names_the_sets_of_each_environment(page):
    sets = {game["id"]: [cards["name"] for cards in game["components"]] for game in page.get("/api/menu")["games"]}
    assert sets["RedFlagOverParis-v1"] == sets[SOLO] == ["reconstruction", "mine"]
    assert [len(sets[name]) for name in list_games()] == [2, 2, 1, 1, 1]


def test_a_game_is_played_with_the_set_that_was_chosen(page):
    shipped, mine = (cards["digest"] for cards in menu_entry(page, SOLO)["components"])
    titles = {}
    for digest in (None, shipped, mine):
        state = page.new(SOLO, ["person"], components=digest)
        titles[digest] = page.get(f"/api/games/{state['id']}/cards")["5"]["title"]
        assert page.play(state, 5)["moment"] > 0
    assert titles[None] == titles[shipped]
    assert "Own" in titles[mine]


def test_an_unknown_set_is_refused(page):
    for digest in ["", "x" * 300, "0" * 64]:
        assert "no set" in page.new(SOLO, ["person"], 400, components=digest)["error"]


def test_a_saved_game_goes_on_with_its_set(page, folder):
    mine = menu_entry(page, SOLO)["components"][1]["digest"]
    state = page.new(SOLO, ["person"], components=mine)
    page.post(f"/api/games/{state['id']}/save", name="mine")
    loaded = page.post("/api/load", name="mine")
    assert loaded["svg"] == state["svg"]
    assert "Own" in page.get(f"/api/games/{loaded['id']}/cards")["5"]["title"]

    # A server without the file says what it needs.
    app = make_app(ProgramsOfTests(), ComponentSets(), folder, TOKEN)
    headers = {"X-Token": TOKEN, "Origin": ORIGIN}
    with TestClient(app, base_url=ORIGIN, headers=headers) as client:
        assert "--components FILE" in Page(client).post("/api/load", 400, name="mine")["error"]


def test_two_files_that_play_alike_are_one_set(own_cards, tmp_path):
    again = tmp_path / "again.toml"
    again.write_text("# the same\n" + own_cards.read_text(encoding="utf-8"), encoding="utf-8")
    assert [cards.name for cards in ComponentSets([own_cards, again]).of(SOLO)] == ["reconstruction", "mine"]


def test_a_file_that_fits_no_environment_says_what_is_wrong(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("[nonsense]\nx = 1\n", encoding="utf-8")
    assert fitting_games(path) == list_games()[:1]
    with pytest.raises(BadComponents, match="nonsense"):
        ComponentSets([path])


def menu_entry(page, name):
    return next(game for game in page.get("/api/menu")["games"] if game["id"] == name)
