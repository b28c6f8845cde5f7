"""Language models that answer with anything, too much, too slowly or not at all: a move or one sentence, in time.

No check depends on the speed of the machine: a stub that never answers gives up after `PATIENCE` seconds, and a
deadline of a fraction of a second has long passed by then.
"""

import fcntl
import itertools
import json
import os
import random
import shlex
import signal
import socketserver
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET

import numpy as np
import pytest

from rfop_agents import language_model
from rfop_env.agent import NoAnswer, act_for
from rfop_agents.language_model import speakers
from rfop_agents.language_model.speakers import LONGEST_ANSWER
from rfop_env import make_batch
from tests.web.serving import in_thread

PATIENCE = 60.0  # seconds after which a stub gives up
MOST_SENT = 32 * LONGEST_ANSWER  # bytes that a client may take in, those in the buffers of sockets included
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No pauses, no proxies, a folder of its own."""
    monkeypatch.setattr(speakers, "PAUSE", 0.0)
    monkeypatch.setattr(speakers, "END_SECONDS", 0.1)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.chdir(tmp_path)


@contextmanager
def in_time():
    """Fails where a block waits for a stub to give up."""
    start = time.monotonic()
    try:
        yield
    finally:
        assert time.monotonic() - start < PATIENCE / 2, "a deadline did not hold"


def answer_of(agent, batch):
    """What comes of a question: "" for a legal move, or the sentence of an error. In time, and the game is the same."""
    before = batch.get_state().tobytes()
    try:
        with in_time():
            actions = act_for(agent, batch, np.arange(batch.num_games), np.random.default_rng(0))
        assert batch.action_mask[np.arange(batch.num_games), actions].all()
        said = ""
    except NoAnswer as error:
        said = str(error)
        assert said.isprintable() and 0 < len(said) < 2000 and said.startswith("language-model:")
    assert batch.get_state().tobytes() == before
    return said


# -- endpoints ---------------------------------------------------------------------------------------------------------


HOLD, RESET = "hold the connection open", "reset the connection"


class Connection(socketserver.BaseRequestHandler):
    """A request, and an answer in parts: bytes, seconds to wait, `HOLD`, `RESET`."""

    def handle(self):
        with suppress(OSError):  # the client has gone
            request = self.request.makefile("rb")
            sizes = [int(line.split(b":")[1]) for line in iter(request.readline, b"\r\n") if b"ngth:" in line]
            request.read(sizes[0])
            self.send(self.server.parts())

    def send(self, parts):
        end = time.monotonic() + PATIENCE
        for part in parts:
            if part is RESET:
                self.request.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                return
            if part is HOLD:
                self.request.settimeout(PATIENCE)
                self.request.recv(1)
            elif isinstance(part, float):
                time.sleep(part)
            else:
                self.server.sent += self.request.send(part)
            if time.monotonic() > end or self.server.sent > 2 * MOST_SENT:
                return


@contextmanager
def endpoint(parts):
    """An endpoint that answers each request with what `parts()` gives; its `sent` counts bytes."""

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads, allow_reuse_address, sent = True, True, 0

    server = Server(("127.0.0.1", 0), Connection)
    server.parts = parts
    server.name = f"language-model --endpoint http://127.0.0.1:{server.server_address[1]}/v1 --model stub"
    with in_thread(server):
        yield server


def completion(content):
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()


def http(body, status="200 OK", *headers):
    head = [f"HTTP/1.1 {status}", *(headers or [f"Content-Length: {len(body)}"]), "", ""]
    return "\r\n".join(head).encode() + body


def garbage(rng, most=2000):
    return rng.randbytes(rng.randrange(most))


def words(rng):
    """A text that a model might write, or not."""
    return rng.choice(
        [
            "1", "[1]", "building Bastille", "", " ", "[" * 50_000, "[" + "a" * LONGEST_ANSWER, "[]" * 9, "\ud800",
            "9" * 5000, "[" + "1. " * 200 + "]", garbage(rng).decode("latin-1"), "x" * 1000, "\u202e[1]", "\0\x1b[2J",
            "a\u0334" * 9999,
        ]
    )  # fmt: skip


def value(rng, depth=0):
    """Any value of JSON."""
    kinds = [None, True, -1, 1e308, float("nan"), words(rng), 10**4000]
    if depth < 4 and rng.random() < 0.5:
        names = ["choices", "message", "content", "move", "question", words(rng)]
        return {rng.choice(names): value(rng, depth + 1) for _ in range(rng.randrange(4))}
    if depth < 4 and rng.random() < 0.5:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return rng.choice(kinds)


def wrong_types(rng):
    """A completion with any value at one of its places."""
    message = rng.choice([value(rng), {"content": value(rng)}, {"role": "assistant", "content": words(rng)}])
    choices = rng.choice([value(rng), [message], [{"message": message}], {"0": message}])
    return json.dumps({"choices": choices}).encode()


def nested(rng):
    return rng.choice([b"[", b'{"choices":', b'[{"a":']) * rng.randrange(10**5)


def truncated(rng):
    whole = http(completion(words(rng)))
    return [whole[: rng.randrange(len(whole))]]


def any_status(rng):
    status = rng.choice([rng.randrange(100, 700), 204, 301, 302, 307, 308, 401, 429, 500, 503, -1, "abc", 10**9])
    where = rng.choice(["/v1/elsewhere", "file:///etc/passwd", "http://[", "http://127.0.0.1:1/", "ftp://a", "\xff"])
    body = rng.choice([garbage(rng, 999), completion("1")])
    return [http(body, f"{status} {garbage(rng, 9).hex()}", f"Location: {where}", f"Content-Length: {len(body)}")]


def wrong_length(rng):
    length = rng.choice([-1, 0, 1, 10**30, "abc", "9" * 9999, 5.5])
    return [http(completion("1"), "200 OK", f"Content-Length: {length}")]


def wrong_chunks(rng):
    sizes = [b"-1", b"-5", b"zz", b"", b"ffffffffffffffff", b"1" * 70_000, b"5;a=b", b"3"]
    chunks = b"".join(rng.choice(sizes) + b"\r\n" + garbage(rng, 99) + b"\r\n" for _ in range(4))
    return [http(chunks, "200 OK", "Transfer-Encoding: chunked")]


def wrong_headers(rng):
    many = [f"X-{k}: {'y' * rng.choice([1, 99])}" for k in range(rng.choice([50, 101, 1000]))]
    head = rng.choice([many, ["X: " + "y" * 70_000], ["no colon"], [": x"], ["\u00fc: \u00fc"], ["A: b\r\n\tc"]])
    return [http(completion("1"), "200 OK", *head)]


PARTS = {
    "a completion": lambda rng: [http(completion(words(rng)))],
    "wrong types": lambda rng: [http(wrong_types(rng))],
    "nested": lambda rng: [http(nested(rng))],
    "garbage": lambda rng: [garbage(rng)],
    "garbage as a body": lambda rng: [http(garbage(rng))],
    "truncated": truncated,
    "any status": any_status,
    "wrong length": wrong_length,
    "wrong chunks": wrong_chunks,
    "wrong headers": wrong_headers,
    "early close": lambda rng: [],
    "reset": lambda rng: [garbage(rng), RESET],
    "truncated and held": lambda rng: [*truncated(rng), HOLD],
}
SLOW_PARTS = {  # each for ever
    "no answer": lambda: [HOLD],
    "dripping body": lambda: [http(b"", "200 OK", "Content-Length: 99999"), *[b" ", 0.02] * 9999],
    "dripping head": lambda: [b"HTTP/1.1 200 OK\r\nX: ", *[b"y", 0.02] * 9999],
    "dripping chunks": lambda: [http(b"", "200 OK", "Transfer-Encoding: chunked"), *[b"1\r\n \r\n", 0.02] * 9999],
    "dripping error": lambda: [http(b"", "500 Oh", "Content-Length: 99999"), *[b" ", 0.02] * 9999],
    "one header after another": lambda: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
}
FLOODS = {
    "body": [b"HTTP/1.1 200 OK\r\n\r\n"],
    "chunk": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n"],
    "chunk of less than nothing": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"],
    "header": [b"HTTP/1.1 200 OK\r\nX: "],
    "error": [b"HTTP/1.1 401 No\r\n\r\n"],
}


def check_endpoint(seed):
    """One answer of an endpoint, drawn from a seed."""
    rng = random.Random(seed)
    kind = rng.choice(list(PARTS))
    with endpoint(lambda: PARTS[kind](rng)) as server:
        agent = language_model.load(f"{server.name} --timeout 0.3 --tries 2")
        try:
            answer_of(agent, make_batch("Revolution-v0", 1, seed=5))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {kind}") from error


def test_an_endpoint_that_answers_anything():
    for seed in range(80):
        check_endpoint(seed)


@pytest.mark.slow
def test_an_endpoint_that_answers_anything_again_and_again():
    for seed in range(100, 5000):
        check_endpoint(seed)


@pytest.mark.parametrize("kind", SLOW_PARTS)
def test_one_deadline_for_the_whole_answer_of_an_endpoint(kind):
    with endpoint(SLOW_PARTS[kind]) as server:
        said = answer_of(language_model.load(f"{server.name} --timeout 0.3"), make_batch("Revolution-v0", 1, seed=5))
    assert said.endswith("gave no answer in 0.3 seconds (--timeout)")


@pytest.mark.parametrize("kind", FLOODS)
def test_an_answer_of_an_endpoint_is_bounded(kind):
    block = b"y" * 2**16
    with endpoint(lambda: itertools.chain(FLOODS[kind], itertools.repeat(block))) as server:
        said = answer_of(language_model.load(f"{server.name} --timeout 30"), make_batch("Revolution-v0", 1, seed=5))
    assert "more than 1,048,576 bytes" in said or kind in ("header", "chunk of less than nothing")
    assert said and server.sent < MOST_SENT


# -- commands ----------------------------------------------------------------------------------------------------------


STUB = """\
import json, os, random, sys, time
rng, out = random.Random(int(sys.argv[1])), sys.stdout.buffer
kinds = sys.argv[2].split(".")
for line in sys.stdin.buffer:
    asked = json.loads(line)
    legal = asked["position"]["legal_actions"]
    kind = rng.choice(kinds)
    if kind == "label":
        out.write(json.dumps({"move": rng.choice(legal)["label"]}).encode() + b"\\n")
    elif kind == "garbage":
        out.write(rng.randbytes(rng.randrange(3000)) + rng.choice([b"\\n", b"\\n\\n\\n", b"\\r\\n"]))
    elif kind == "json":
        moves = [None, True, [], {}, 1.5, -1, 10**4000, "\\ud800", "[" * 999, "9" * 999, "\\x1b[2J", "1. " * 160, ["1"]]
        numbers = [asked["question"], 99, None, "0"]
        out.write(json.dumps({"move": rng.choice(moves), "question": rng.choice(numbers)}).encode() + b"\\n")
    elif kind == "nested":
        out.write(rng.choice([b"[", b'{"move":', b"1"]) * rng.randrange(10**5) + b"\\n")
    elif kind == "truncated":
        out.write(json.dumps({"move": legal[0]["label"]}).encode()[: rng.randrange(15)] + b"\\n")
    elif kind == "old":
        out.write(b'{"move": "1", "question": 0}\\n' * rng.randrange(1, 2000) + b'{"move": "1"}\\n')
    elif kind == "long":
        out.write(b"y" * rng.choice([2**16, 2**20, 2**21]) + b"\\n")
    elif kind == "end":
        out.write(rng.choice([b"", b"1", b'{"move": 1}', b"\\xff"]))
        out.flush()
        os._exit(rng.randrange(9))
    elif kind == "close":
        out.flush()
        os.close(1)
        time.sleep(60)
    elif kind == "silent":
        time.sleep(60)
    elif kind == "drip":
        for _ in range(9999):
            os.write(1, b" ")
            time.sleep(0.02)
    elif kind == "old for ever":
        while True:
            os.write(1, b'{"question": 0}\\n')
            time.sleep(0.02)
    elif kind == "flood":
        sent, file = 0, os.open("sent", os.O_WRONLY | os.O_CREAT)
        while True:
            sent += os.write(1, b"y" * 2**16)
            os.pwrite(file, b"%12d" % sent, 0)
    out.flush()
"""
QUICK = "label.garbage.json.nested.truncated.old.long.end.close"


def command(tmp_path, seed, kinds, flags):
    """The name of a language model that is a script; what it does is drawn from a seed."""
    script = tmp_path / "stub.py"
    script.write_text(STUB)
    line = shlex.join([sys.executable, "-I", "-S", str(script), str(seed), kinds])
    return f"language-model --command {shlex.quote(line)} {flags}"


def check_command(seed, tmp_path):
    """A few questions to a command, drawn from a seed."""
    agent = language_model.load(command(tmp_path, seed, QUICK, "--timeout 20 --tries 3"))
    for number in range(2):
        try:
            answer_of(agent, make_batch("Revolution-v0", 1, seed=number))
        except Exception as error:
            raise AssertionError(f"seed {seed}, question {number}") from error


def test_a_command_that_answers_anything(tmp_path):
    for seed in range(15):
        check_command(seed, tmp_path)


@pytest.mark.slow
def test_a_command_that_answers_anything_again_and_again(tmp_path):
    for seed in range(100, 2000):
        check_command(seed, tmp_path)


@pytest.mark.parametrize("kind", ["silent", "drip", "old for ever"])
def test_one_deadline_for_the_whole_answer_of_a_command(kind, tmp_path):
    said = answer_of(
        language_model.load(command(tmp_path, 1, kind, "--timeout 0.5")), make_batch("Revolution-v0", 1, seed=5)
    )
    assert said.endswith("gave no answer in 0.5 seconds (--timeout) and was stopped")


def test_an_answer_of_a_command_is_bounded(tmp_path):
    said = answer_of(
        language_model.load(command(tmp_path, 1, "flood", "--timeout 30")), make_batch("Revolution-v0", 1, seed=5)
    )
    assert said.endswith("wrote more than 1,048,576 bytes for one answer and was stopped")
    assert int((tmp_path / "sent").read_text()) < 2 * LONGEST_ANSWER


def test_a_command_that_reads_nothing(tmp_path):
    """Its pipe takes no second question, and the deadline holds for that as well."""
    name = f"language-model --command {shlex.quote('sleep 60')} --timeout 0.5"
    speaker = speakers.CommandSpeaker(language_model.parse_name(name))
    with pytest.raises(NoAnswer, match=r"gave no answer in 0\.5 seconds"):
        speaker.ask(speakers.Question("x" * 2**20, "", {}))


# -- children ----------------------------------------------------------------------------------------------------------


FAMILY = """\
import fcntl, os, sys, time
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
if os.fork() == 0:
    time.sleep(60)  # a child that holds the lock, and the pipes
    os._exit(0)
for line in sys.stdin:
    open("asked", "w").close()
    {answer}
"""
MOVE = "print(1, flush=True)"
SILENCE = "time.sleep(60)"


def family(tmp_path, answer):
    """A command that has a child, which holds a lock until both have ended."""
    script = tmp_path / "family.py"
    script.write_text(FAMILY.replace("{answer}", answer))
    return f"language-model --command {shlex.quote(shlex.join([sys.executable, '-I', '-S', str(script)]))}"


def assert_all_ended(tmp_path):
    """The command and its child have ended: their lock is free."""
    end = time.monotonic() + PATIENCE / 3
    with (tmp_path / "lock").open("w") as lock:
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            assert time.monotonic() < end, "a child lives on"
            time.sleep(0.01)


@pytest.mark.parametrize("answer", [SILENCE, "sys.exit(3)", "os.close(1); time.sleep(60)", "os.write(1, b'y' * 2**21)"])
def test_the_children_of_a_command_that_fails_are_ended(answer, tmp_path):
    agent = language_model.load(f"{family(tmp_path, answer)} --timeout 1")
    assert answer_of(agent, make_batch("Revolution-v0", 1, seed=5))
    assert_all_ended(tmp_path)


def test_the_children_of_a_command_end_with_the_agent(tmp_path):
    agent = language_model.load(family(tmp_path, MOVE))
    assert answer_of(agent, make_batch("Revolution-v0", 1, seed=5)) == ""
    with in_time():
        del agent
    assert_all_ended(tmp_path)


@pytest.fixture
def ctrl_c_heard():
    """Ctrl-C raises `KeyboardInterrupt`, also where the tests run in the background of a shell, which ignores it."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


def interrupt_once(there):
    """Press Ctrl-C once something is there."""

    def press():
        end = time.monotonic() + PATIENCE
        while not there() and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()


@pytest.mark.usefixtures("ctrl_c_heard")
def test_ctrl_c_ends_a_command_and_its_children(tmp_path):
    agent = language_model.load(family(tmp_path, SILENCE))
    interrupt_once((tmp_path / "asked").exists)
    with in_time(), pytest.raises(KeyboardInterrupt):
        answer_of(agent, make_batch("Revolution-v0", 1, seed=5))
    assert_all_ended(tmp_path)


@pytest.mark.usefixtures("ctrl_c_heard")
@pytest.mark.parametrize("parallel", [1, 2])
def test_ctrl_c_waits_for_no_endpoint(parallel):
    asked = []
    with endpoint(lambda: [asked.append(1) or b"", HOLD]) as server:
        agent = language_model.load(f"{server.name} --timeout 50 --parallel {parallel}")
        interrupt_once(lambda: len(asked) == parallel)
        with in_time(), pytest.raises(KeyboardInterrupt):
            answer_of(agent, make_batch("Revolution-v0", 4, seed=5))


def test_the_children_of_a_command_end_with_python(tmp_path):
    code = (
        "import sys; from rfop_agents.language_model import parse_name, speakers; "
        "speakers.END_SECONDS = 0.1; speaker = speakers.CommandSpeaker(parse_name(sys.argv[1])); "
        "print(speaker.ask(speakers.Question('', '', {})))"
    )
    line = [sys.executable, "-c", code, family(tmp_path, MOVE)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RFOP_JIT": "0"}
    with in_time():
        done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, text=True, timeout=600)
    assert (done.stdout, done.returncode) == ("1\n", 0)
    assert_all_ended(tmp_path)
