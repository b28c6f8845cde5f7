"""Who is let in, what is refused, and how every refusal looks."""

import json
import re

import pytest
from starlette.testclient import TestClient

from rfop_agents.rollouts import rollout_settings
from rfop_env.core.errors import InternalFault
from rfop_env.registry import get_game, list_games
from rfop_env.web import refusals
from rfop_env.web import session as sessions
from rfop_env.web.app import FILES, MOST_BYTES, make_app
from rfop_env.web.serve import bind
from tests.web.conftest import ORIGIN, PORT, TOKEN

GOOD = {"X-Token": TOKEN, "Origin": ORIGIN}


@pytest.fixture
def stranger(app):
    """A client without any of the page's headers."""
    with TestClient(app, base_url=ORIGIN) as client:
        yield client


def test_the_page_needs_the_token_of_the_link(stranger):
    assert stranger.get(f"/?token={TOKEN}").status_code == 200
    for path in ("/", "/?token=", "/?token=wrong", "/?token=%C3%A9"):
        assert refusal_text(stranger.get(path), 403).startswith("The token is wrong or missing: open the link"), path


def refusal_text(answer, status):
    """What a person reads of a page that is refused."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return re.search('<p role="alert">(.*)</p>', answer.text)[1]


CLICK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


def test_a_click_on_the_link_works_from_everywhere(stranger):
    """What the browser sends for a link in a mail, in a notebook, typed, and loaded again."""
    for site in ["none", "same-origin", "same-site", "cross-site"]:
        headers = {"Sec-Fetch-Site": site, **CLICK}
        assert "main.js" in stranger.get(f"/?token={TOKEN}", headers=headers).text
        assert "token is wrong" in refusal_text(stranger.get("/?token=wrong", headers=headers), 403)


FOREIGN_REQUESTS = [
    ("GET", f"/?token={TOKEN}", {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}),
    ("GET", f"/?token={TOKEN}", {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}),
    ("GET", f"/?token={TOKEN}", {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}),
    ("GET", f"/?token={TOKEN}", CLICK | {"Origin": "http://evil.example"}),
    ("GET", "/api/menu", CLICK),
    ("POST", f"/?token={TOKEN}", CLICK),
    ("POST", "/api/games", CLICK),
]


def test_nothing_but_that_click_comes_from_another_page(stranger):
    for method, path, headers in FOREIGN_REQUESTS:
        answer = stranger.request(method, path, headers={"X-Token": TOKEN, "Sec-Fetch-Site": "cross-site", **headers})
        assert answer.status_code == 403 and "own page" in answer.text, (method, path, headers)


def test_a_forwarded_port_is_the_same_machine(stranger):
    """`ssh -L 9000:localhost:8000`, the port of a container, or a proxy of this machine."""
    for host in ["127.0.0.1:9000", "localhost:9000", "localhost", "[::1]:9000", "LocalHost:9000"]:
        page = f"http://{host.lower()}"
        assert stranger.get(f"/?token={TOKEN}", headers={"Host": host}).status_code == 200
        headers = {"X-Token": TOKEN, "Host": host, "Origin": page, "Sec-Fetch-Site": "same-origin"}
        assert stranger.get("/api/menu", headers=headers).status_code == 200
        assert stranger.post("/api/games", headers=headers, json={}).status_code == 400
        for foreign in (ORIGIN, page.replace("http:", "https:"), "http://localhost:9001"):
            assert stranger.post("/api/games", headers=headers | {"Origin": foreign}, json={}).status_code == 403, (
                foreign
            )


def test_a_proxy_is_let_in_where_it_is_named(programs, component_sets, folder):
    url = "https://hub.example/user/me/proxy/8000/"
    origin = "https://hub.example"
    with TestClient(make_app(programs, component_sets, folder, TOKEN, url), base_url=ORIGIN) as client:
        for host in ("hub.example", f"127.0.0.1:{PORT}"):  # a proxy hands its own host on, or writes ours
            headers = {"X-Token": TOKEN, "Host": host, "Origin": origin, "Sec-Fetch-Site": "same-origin"}
            assert client.post("/api/games", headers=headers, json={}).status_code == 400
        for change in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Host": ""}, {"X-Token": "x"}):
            assert client.post("/api/games", headers=headers | change, json={}).status_code == 403, change


def test_the_page_names_its_files_and_routes_from_where_it_lies(stranger):
    """A proxy shows the page below a path of its own."""
    for path in (f"/?token={TOKEN}", *(f"/static/{name}" for name in FILES), "/"):
        assert not re.search(r"[\"'`(=]/(static|api|\?)", stranger.get(path).text), path


def test_the_files_of_the_page_are_the_same_for_everybody_and_no_other_file_is_served(stranger):
    for name in FILES:
        assert stranger.get(f"/static/{name}").status_code == 200
    for name in ("index.html", "../app.py", "..%2Fapp.py", "nothing.js", ""):
        assert stranger.get(f"/static/{name}", headers=GOOD).status_code == 404, name


def test_the_page_loads_nothing_from_elsewhere(stranger):
    texts = [stranger.get(f"/static/{name}").text for name in FILES]
    texts.append(stranger.get(f"/?token={TOKEN}").text)
    for text in texts:
        assert "//" not in text.replace("// ", "").replace("//\n", "").replace("http://www.w3.org/2000/svg", "")


FOREIGN_HEADERS = [
    ({"X-Token": "wrong"}, "token"),
    ({"X-Token": "wr\xf6ng"}, "token"),
    ({"Origin": "http://evil.example"}, "own page"),
    ({"Origin": f"http://127.0.0.1:{PORT + 1}"}, "own page"),
    ({"Origin": f"https://127.0.0.1:{PORT}"}, "own page"),
    ({"Host": "evil.example"}, "127.0.0.1"),
    ({"Host": ""}, "127.0.0.1"),
    ({"Host": f"127.0.0.1.evil.example:{PORT}"}, "127.0.0.1"),
    ({"Sec-Fetch-Site": "cross-site"}, "own page"),
]


def test_requests_from_elsewhere_are_refused(stranger):
    for change, words in FOREIGN_HEADERS:
        headers = {k: v.encode("latin-1") for k, v in {**GOOD, **change}.items()}
        look = stranger.get("/api/menu", headers=headers)
        change = stranger.post("/api/games", headers=headers, json={})
        assert look.status_code == change.status_code == 403, headers
        assert words in look.json()["error"] and words in change.json()["error"], headers


def test_a_change_needs_an_origin_and_a_look_does_not(stranger):
    assert stranger.post("/api/games", headers={"X-Token": TOKEN}, json={}).status_code == 403
    assert stranger.get("/api/menu", headers={"X-Token": TOKEN}).status_code == 200


def test_localhost_is_the_same_machine(stranger):
    host = f"localhost:{PORT}"
    assert (
        stranger.get("/api/menu", headers={"X-Token": TOKEN, "Host": host, "Origin": f"http://{host}"}).status_code
        == 200
    )
    assert stranger.get("/api/menu", headers={"X-Token": TOKEN, "Host": host, "Origin": ORIGIN}).status_code == 403


def test_every_answer_forbids_other_pages_to_use_it(stranger):
    for answer in (stranger.get("/"), stranger.get(f"/?token={TOKEN}"), stranger.get("/api/nothing", headers=GOOD)):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


def test_the_socket_is_this_machines_own():
    bound = bind(0)
    try:
        assert bound.getsockname()[0] == "127.0.0.1"
    finally:
        bound.close()


# -- bodies ------------------------------------------------------------------------------------------------------------


BAD_BODIES = [
    (b"", 400),
    (b"{", 400),
    (b"\xff\xfe", 400),
    (b"[" * 60_000, 400),
    (b'{"version": ' + b"9" * 5000 + b', "action": 0}', 400),
    (b'{"version": 0}', 400),
    (b'{"version": 0, "action": true}', 400),
    (b'{"version": 0, "action": 1, "more": 1}', 400),
    (b'{"version": 0, "action": 38}', 400),
    (b'{"version": 7, "action": 0}', 409),
    (b" " * (MOST_BYTES + 1), 413),
]


def test_bad_bodies_are_refused_with_one_sentence_and_the_game_stays(page):
    state = page.new()
    path = f"/api/games/{state['id']}/act"
    for body, status in BAD_BODIES:
        answer = page.client.post(path, content=body, headers={"Content-Type": "application/json"})
        error = answer.json()["error"]
        assert answer.status_code == status and error and "\n" not in error, body[:60]
        assert page.get(f"/api/games/{state['id']}") == state


def test_a_body_has_to_be_declared_as_json(page):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = page.client.post("/api/games", content=b"{}", headers={"Content-Type": kind})
        assert (answer.status_code, list(answer.json())) == (415, ["error"])


def test_a_body_without_end_is_not_read_to_its_end(page):
    sent = []

    def chunks():
        for _ in range(1000):
            sent.append(1)
            yield b" " * 8192

    answer = page.client.post("/api/games", content=chunks(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


WRONG_GAMES = [
    {"game": "Chess-v0", "seats": ["person"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "nobody"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "x" * 301], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "a\0b"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "/dev/zero"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "search-9999999"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "search-30000x8+revolution/ppo-2"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "response-900000:scripted"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "rollout-900000+revolution/ppo-2"], "options": {}},
    {"game": "Revolution-v0", "seats": ["person", "red-flag/ppo-3"], "options": {}},
    {"game": "Paris-v0", "seats": ["person", "random"], "options": {"players": "9"}},
    {"game": "Paris-v0", "seats": ["person", "random"], "options": {"colour": "red"}},
    {"game": "Revolution-v0", "seats": ["person", "random"], "options": {}, "seed": "99999999999999999999"},
    {"game": "Revolution-v0", "seats": ["person", "random"], "options": {}, "seed": "٣"},
]


def test_a_new_game_of_wrong_values_is_refused(page):
    for body in WRONG_GAMES:
        assert page.post("/api/games", 400, **body)["error"], body
    assert page.get("/api/menu")["open"] == []


def test_the_bound_of_rollouts_knows_how_long_they_are_by_default():
    lengths = [rollout_settings(get_game(name)).length for name in list_games()]
    assert max(lengths) == refusals.ROLLOUT_LENGTH


def test_a_pickle_is_never_opened(page, tmp_path):
    """A Stable-Baselines3 archive is named by its path, and refused unread."""
    (tmp_path / "model.zip").write_bytes(b"PK")
    for name in (str(tmp_path / "model.zip"), str(tmp_path)):
        error = page.new(seats=["person", name], status=400)["error"]
        assert "can run any code" in error


def test_what_is_not_there_is_404(page):
    state = page.new()
    for path in ("/api/games/nothing", f"/api/games/{state['id']}/moments/7", "/api/nothing"):
        assert page.get(path, 404)["error"]
    assert refusal_text(page.client.get("/<nothing>"), 404) == "GET /&lt;nothing&gt;: Not Found."
    assert page.post("/api/load", 404, name="nothing")["error"]
    assert page.get(f"/api/games/{state['id']}/act", 405)["error"]


def test_numbers_in_the_address_are_checked(page):
    state = page.new()
    for query in ("looking=9", "looking=-1", "looking=x", "looking=99999999999", "known=x"):
        assert page.get(f"/api/games/{state['id']}?{query}", 400)["error"], query


@pytest.mark.parametrize("error", [KeyError("a secret"), InternalFault("a secret")], ids=repr)
def test_an_internal_error_is_one_sentence_without_details(page, monkeypatch, error):
    state = page.new()

    def broken(session, looking=None):
        raise error

    monkeypatch.setattr("rfop_env.web.view.session_state", broken)
    answer = page.client.get(f"/api/games/{state['id']}")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert list(json.loads(answer.text)) == ["error"]


# -- sessions ----------------------------------------------------------------------------------------------------------


def test_no_game_is_lost_without_a_word(page, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 3)
    games = [page.new() for _ in range(3)]
    path = f"/api/games/{games[0]['id']}"
    page.post(f"{path}/save", name="mine")
    answers = [
        page.new(status=503),
        page.post("/api/load", 503, name="mine"),
        page.post(f"{path}/fork", 503, moment=0, swap=False),
    ]
    assert {answer["error"] for answer in answers} == {
        "3 games are open here: save what you want to keep, and close one of them first"
    }
    assert {game["id"] for game in page.get("/api/menu")["open"]} == {game["id"] for game in games}
    assert all(page.get(f"/api/games/{game['id']}") == game for game in games)

    page.post(f"{path}/close")
    assert "was closed" in page.get(path, 404)["error"]
    assert "was closed" in page.post(f"{path}/close", 404)["error"]
    page.new()


def test_a_program_comes_to_an_end_when_its_game_is_closed(page, slow):
    state = page.change(page.new(seats=["slow", "person"]), "move")
    assert state["thinking"] == "slow"
    page.post(f"/api/games/{state['id']}/close")
    assert slow.ended.wait(20)
