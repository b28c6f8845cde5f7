"""The agent `language-model`, against a stub command and a stub endpoint on this machine."""

from __future__ import annotations

import json
import shlex
import sys
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import rfop_agents
from rfop_agents import language_model
from rfop_env.agent import NoAnswer, act_for
from rfop_agents.language_model import parse_name, speakers
from rfop_agents.language_model.speakers import Question
from rfop_env import make_batch
from rfop_env.cli.main import main as rfop
from rfop_env.core.errors import RfopError
from rfop_env.interfaces.text import rules_text
from rfop_env.agent_names import NotTyped
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game
from tests.web.serving import in_thread
from rfop_training.evaluation.games import play

GAME = "Revolution-v0"
FIRST = "1"  # the first legal action


@pytest.fixture(autouse=True)
def at_once(monkeypatch, tmp_path):
    """No pauses, no proxies, files in a folder of their own."""
    monkeypatch.setattr(speakers, "PAUSE", 0.0)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.chdir(tmp_path)


# -- stubs -------------------------------------------------------------------------------------------------------------


class Endpoint:
    """A stub of an endpoint: what it was asked, and what it answers; `answers` are taken in turn, the last for ever."""

    def __init__(self, answers):
        self.asked, self.headers, self._answers = [], [], list(answers)
        self._lock = threading.Lock()

    def next(self):
        with self._lock:
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


@contextmanager
def serving(*answers):
    """A stub on a free port. An answer is the text of a message, or (status, body), or a function that gives one."""
    endpoint = Endpoint(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.asked.append((self.path, body))
            endpoint.headers.append(dict(self.headers))
            answer = endpoint.next()
            answer = answer(body) if callable(answer) else answer
            message = {"choices": [{"message": {"role": "assistant", "content": answer}}]}
            status, content = answer if isinstance(answer, tuple) else (200, json.dumps(message))
            self.send_response(status)
            self.send_header("Content-Length", str(len(content.encode())))
            if status in (301, 302, 307):
                self.send_header("Location", "/v1/elsewhere")
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked waits no longer
                self.wfile.write(content.encode())

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    endpoint.name = f"language-model --endpoint {endpoint.url} --model stub"
    with in_thread(server):
        yield endpoint


STUB = """\
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    with open("asked.jsonl", "a") as file:
        file.write(line)
    {answer}
    sys.stdout.flush()
"""
MOVE = 'print(json.dumps({"move": question["position"]["legal_actions"][0]["label"]}))'


def command(tmp_path, answer=MOVE, flags=""):
    """The name of a language model that is a script."""
    script = tmp_path / "stub.py"
    script.write_text(STUB.replace("{answer}", answer))
    return f"language-model --command {shlex.quote(shlex.join([sys.executable, str(script)]))} {flags}".strip()


def asked(tmp_path):
    return [json.loads(line) for line in (tmp_path / "asked.jsonl").read_text().splitlines()]


def wait_for(path):
    """Wait until a file is there."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"no {path.name}"
        time.sleep(0.01)


def started(game=GAME, n=1, steps=0, **options):
    batch = make_batch(game, n, seed=5, **options)
    if steps:
        batch.step_random(steps)
    return batch


def act(name, batch, seed=0):
    agent = language_model.load(name)
    return agent, act_for(agent, batch, np.arange(batch.num_games), np.random.default_rng(seed))


# -- answers -----------------------------------------------------------------------------------------------------------


def test_a_command_reads_a_json_line_and_writes_one(tmp_path):
    batch = started("RedFlagOverParis-v1", n=2, steps=10)
    agent, actions = act(command(tmp_path), batch)
    assert actions.dtype == np.int64 and actions.tolist() == batch.action_mask.argmax(axis=1).tolist()
    questions = asked(tmp_path)
    assert [question["try"] for question in questions] == [1, 1] and questions[0]["error"] is None
    for game, question in enumerate(questions):
        seat = batch.game.spec.seats[int(batch.current_player[game])]
        assert question["position"]["seat"] == question["position"]["decides"] == seat
        assert question["rules"] == rules_text(batch.game) and "Legal actions:" in question["text"]
    assert (agent.name, agent.decisions, agent.refused, agent.random_moves) == ("language-model:stub", 2, 0, 0)


@pytest.mark.parametrize("flags", ["--no-legal-actions", "--no-rules"])
def test_what_it_is_told_can_be_less(tmp_path, flags):
    act(command(tmp_path, "print('{\"move\": 1}')", flags), started())
    (question,) = asked(tmp_path)
    assert ("Legal actions" in question["text"]) == ("legal_actions" in question["position"])
    assert ("Legal actions" in question["text"]) == (flags == "--no-rules") == (question["rules"] == "")


@pytest.mark.parametrize(
    "answer", ['{"move": 1}', '{"move": "1"}', '"1"', "1", '{"move": "1", "why": "it is first"}', "'1'"]
)
def test_answers_of_a_command_that_are_understood(tmp_path, answer):
    agent, actions = act(command(tmp_path, f"print({answer!r})"), started())
    assert actions[0] == 0 or started().action_mask[0, actions[0]]
    assert agent.refused == 0 and actions[0] == np.flatnonzero(started().action_mask[0])[0]


def test_a_line_that_nobody_asked_for_is_no_answer_to_the_next_question(tmp_path):
    thinks_aloud = 'if len(question["text"]) == 1: print("thinking")'
    answers = 'print(json.dumps({"move": question["text"]}), flush=True)\n    open("answered", "w").close()'
    speaker = speakers.CommandSpeaker(parse_name(command(tmp_path, f"{thinks_aloud}\n    {answers}")))
    assert speaker.ask(Question("", "a", {})) == "thinking"
    wait_for(tmp_path / "answered")  # which comes too late
    assert [speaker.ask(Question("", text, {})) for text in ("second", "third")] == ["second", "third"]


def test_an_answer_to_an_earlier_question_alone_is_no_answer(tmp_path):
    late = 'print(json.dumps({"move": 1, "question": question["question"] - 1}))'
    with pytest.raises(NoAnswer, match=r"gave no answer in 0\.3 seconds"):
        act(command(tmp_path, late, "--timeout 0.3"), started())


@pytest.mark.parametrize("answer", ['{"move": null}', "{}", "[]", "nonsense", "", '{"move": true}', "[" * 20_000])
def test_an_illegal_answer_is_refused_with_the_reason_and_then_replaced(tmp_path, capsys, answer):
    batch = started()
    agent, actions = act(command(tmp_path, f"print({answer!r})", "--tries 2"), batch, seed=3)
    assert batch.action_mask[0, actions[0]]
    assert (agent.decisions, agent.refused, agent.random_moves) == (1, 2, 1)
    first, second = asked(tmp_path)
    assert (first["error"], second["try"]) == (None, 2) and second["error"]
    err = capsys.readouterr().err
    assert "language-model:stub: no legal action in 2 answers" in err and "1 of 1 decisions so far" in err
    assert not any(row.label in err for row in batch.game.actions)  # whoever sits in another seat may read it
    assert act(command(tmp_path, f"print({answer!r})", "--tries 2"), batch, seed=3)[1] == actions  # drawn from the seed


def test_an_endpoint_is_asked_for_a_chat_completion(monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret-of-mine")
    with serving("First I think.\n[building Notre Dame]") as endpoint:
        batch = started()
        agent, actions = act(f"{endpoint.name} --key MY_KEY --temperature 0.5", batch)
    (path, body), (headers,) = endpoint.asked[0], endpoint.headers
    assert path == "/v1/chat/completions" and headers["Authorization"] == "Bearer secret-of-mine"
    assert (body["model"], body["temperature"]) == ("stub", 0.5)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert rules_text(batch.game) in body["messages"][0]["content"]
    assert "You decide now" in body["messages"][1]["content"]
    assert batch.game.actions.label(int(actions[0])).lower().endswith("notre dame")
    assert agent.name == "language-model:stub"


def test_an_endpoint_is_told_why_its_answer_was_refused():
    with serving("[the moon]", f"[{FIRST}]") as endpoint:
        agent, _ = act(endpoint.name, started())
    messages = endpoint.asked[1][1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert (
        messages[2]["content"] == "the moon" and "'the moon' is not among the legal actions" in messages[3]["content"]
    )
    assert (agent.refused, agent.random_moves) == (1, 0)
    assert "Authorization" not in endpoint.headers[0] and "temperature" not in endpoint.asked[0][1]


def test_several_questions_at_once():
    together = threading.Barrier(3, timeout=20)

    def answer(body):
        together.wait()  # passes once three questions are open
        return "1"

    with serving(answer) as endpoint:
        batch = started(n=6)
        agent, actions = act(f"{endpoint.name} --parallel 3", batch)
    assert actions.tolist() == batch.action_mask.argmax(axis=1).tolist()
    assert agent.decisions == 6 and agent.most_games == 3


# -- no answer ---------------------------------------------------------------------------------------------------------


def test_a_busy_endpoint_is_asked_again():
    with serving((503, "busy"), (429, "later"), f"[{FIRST}]") as endpoint:
        agent, _ = act(endpoint.name, started())
    assert len(endpoint.asked) == 3 and agent.refused == 0


@pytest.mark.parametrize(
    ("answer", "words", "requests"),
    [
        ((503, "overloaded"), "HTTP 503 .*overloaded", 3),
        ((401, "no such key"), "HTTP 401 .*no such key", 1),
        ((307, ""), "HTTP 307", 1),
        ((200, "<html>"), "no chat completion but '<html>'", 1),
        ((200, '{"choices": []}'), "no chat completion", 1),
        ((200, "[" * 100_000), "no chat completion", 1),
        ((200, "x" * (2**20 + 1)), "more than 1,048,576 bytes", 1),
    ],
)
def test_an_endpoint_that_gives_no_answer_is_one_clear_error(answer, words, requests):
    with serving(answer) as endpoint:
        batch = started()
        before = batch.get_state().tobytes()
        with pytest.raises(NoAnswer, match=f"^language-model:stub at {endpoint.url} gave {words}") as error:
            act(endpoint.name, batch)
    assert len(endpoint.asked) == requests and "\n" not in str(error.value) and len(str(error.value)) < 700
    assert batch.get_state().tobytes() == before


def test_a_dead_and_a_silent_endpoint():
    with serving("1") as endpoint:
        dead = endpoint.name
    with pytest.raises(NoAnswer, match=r"gave .*refused"):
        act(dead, started())
    with serving(lambda body: time.sleep(0.4) or "1") as endpoint, pytest.raises(NoAnswer, match=r"in 0\.1 seconds"):
        act(f"{endpoint.name} --timeout 0.1", started())


@pytest.mark.parametrize(
    ("answer", "flags", "words"),
    [
        ("sys.exit(3)", "", "ended with status 3 instead of an answer"),
        ("import time; time.sleep(60)", "--timeout 0.3", "gave no answer in 0.3 seconds"),
    ],
)
def test_a_command_that_gives_no_answer_is_one_clear_error(tmp_path, answer, flags, words):
    with pytest.raises(NoAnswer, match=f"^language-model:stub .*{words}"):
        act(command(tmp_path, answer, flags), started())


def test_a_command_is_started_anew_after_it_failed(tmp_path):
    fails_first = "import os\n    if not os.path.exists('failed'):\n        os.mkdir('failed')\n        sys.exit(1)"
    agent, batch = language_model.load(command(tmp_path, f"{fails_first}\n    {MOVE}")), started()
    with pytest.raises(NoAnswer):
        act_for(agent, batch, np.array([0]), np.random.default_rng(0))
    assert len(act_for(agent, batch, np.array([0]), np.random.default_rng(0))) == 1


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("", "give a command or an endpoint"),
        ("--command no_such_program_here", "there is no program 'no_such_program_here'"),
        ("--command true --model m", "--model is for an endpoint"),
        ("--endpoint file:///etc/passwd --model m", "--endpoint is a URL"),
        ("--endpoint http://a/v1 --model m --key TWO_LINES", "holds a line break"),
        ("--command 'unclosed", "No closing quotation"),
        ("--command 'a\nb'", "no line breaks"),
        (f"--command {'x' * 600}", "at most 500 characters"),
    ],
)
def test_a_wrong_name_is_one_clear_error(flags, words, monkeypatch):
    monkeypatch.setenv("TWO_LINES", "secret-of-mine\n")
    with pytest.raises(RfopError, match="language-model") as error:
        language_model.load(f"language-model {flags}")
    assert words in str(error.value) and "\n" not in str(error.value) and "secret" not in str(error.value)


def test_names_and_fingerprints():
    first, same, other = (
        parse_name(f"language-model --endpoint http://127.0.0.1:1/v1/ --model {model} {flags}")
        for model, flags in (("org/model-7b", ""), ("org/model-7b", "--tries 3"), ("org/model-7b", "--name mine"))
    )
    assert first.name == "language-model:org_model-7b" and other.name == "language-model:mine"
    assert first.endpoint == "http://127.0.0.1:1/v1"
    assert first.fingerprint == same.fingerprint != other.fingerprint


# -- games -------------------------------------------------------------------------------------------------------------


def random_reply(body):
    """A legal action that depends on the position alone."""
    text = body["messages"][1]["content"]
    lines = text.rsplit("Legal actions:\n", 1)[1].splitlines()
    return f"[{len(text) % len(lines) + 1}]"


def test_it_plays_whole_games_and_the_same_ones_again(tmp_path):
    game = get_game(GAME)
    with serving(random_reply) as endpoint:
        seats = [language_model.load(endpoint.name), rfop_agents.load("random", game)]
        first, again = (play(game, seats, range(3)) for _ in range(2))
    assert (first.points == again.points).all() and (first.decisions == again.decisions).all()
    assert len(set(first.decisions.tolist())) > 1  # the random player draws anew for each deal
    assert seats[0].random_moves == 0 and seats[0].decisions > 30


def test_an_evaluation_keeps_what_it_played_before_the_endpoint_died(capsys, tmp_path):
    with serving(random_reply) as endpoint:
        assert rfop(["evaluate", "random", endpoint.name, "--env", GAME, "--deals", "1"]) == 0
        one_deal = len(endpoint.asked)
    replies = [random_reply] * (2 * one_deal) + [(401, "out of credit")]
    with serving(*replies) as endpoint:
        words = ["random", endpoint.name, "--env", GAME, "--deals", "50", "--replays", str(tmp_path / "games")]
        assert rfop(["evaluate", *words]) == 2
    out, err = capsys.readouterr()
    assert "out of credit" in err and "the table is partial" in err and "Traceback" not in err
    table = out.split("\n\n")[-2 if "Not for publication" in out else -1]
    assert "language-model:stub" in table
    assert list((tmp_path / "games").glob("*.rfop"))


def test_play_saves_the_game_when_the_opponent_fails(tmp_path, capsys, monkeypatch):
    with serving(f"[{FIRST}]", f"[{FIRST}]", (401, "out of credit")) as endpoint:
        monkeypatch.setattr("builtins.input", lambda prompt="": "r")
        assert rfop(["play", GAME, "--seed", "1", "--opponent", endpoint.name]) == 2
    err = capsys.readouterr().err
    assert "out of credit" in err and "Go on with: rfop play Revolution-v0 --load " in err
    (saved,) = tmp_path.glob("*.toml")

    # A file may come from elsewhere: it starts no command and calls no endpoint.
    assert rfop(["play", GAME, "--load", str(saved)]) == 2
    assert "name what runs a program on a command line yourself" in capsys.readouterr().err
    with serving(random_reply) as endpoint:
        assert rfop(["play", GAME, "--load", str(saved), "--opponent", endpoint.name]) == 0
        assert endpoint.asked
    assert "The game is over" in capsys.readouterr().out


def test_no_page_and_no_file_starts_one(tmp_path):
    game = get_game(GAME)
    for programs in (AgentLoader(), AgentLoader(typed=False)):
        for name in ("language-model", "language-model --command true", "  language-model --command true"):
            with pytest.raises(NotTyped):
                programs.load(name, game, game.load_components(None))
    with pytest.raises(NotTyped):
        rfop_agents.load("language-model --command true", game)
    assert AgentLoader(typed=True).load(command(tmp_path), game, game.load_components(None))


def test_no_row_of_a_table_starts_one():
    from types import SimpleNamespace

    from training.research.publishing.replay import row_matchup

    row = SimpleNamespace(agent="random", opponent="language-model --command true", env=GAME, options="")
    with pytest.raises(NotTyped):
        row_matchup(row)
