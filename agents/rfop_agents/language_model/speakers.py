"""Two ways to ask a language model: a command that reads and writes lines, and an endpoint of chat completions.

An answer has one deadline, from its question to its last byte, and at most `LONGEST_ANSWER` bytes.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rfop_env.agent import NoAnswer
from rfop_agents.language_model.settings import LanguageModelSettings
from rfop_env.core.errors import printable, shown
from rfop_env.interfaces.text import move_in

ATTEMPTS = 3  # requests for one answer, while an endpoint is busy or out of reach
PAUSE = 1.0  # seconds before the second request, twice that before the third
BUSY = (408, 429, 500, 502, 503, 504)  # states of HTTP that may pass
LONGEST_ANSWER = 2**20  # bytes, with everything that comes before it
PART = 2**16  # bytes that are read at once
END_SECONDS = 2.0  # for a command to end by itself once its stdin is closed
INSTRUCTIONS = (
    "You play a board game by text. Each message shows the position as you see it. Think as you like, then end your "
    "answer with one legal action in square brackets: its label or its number, for example [done]."
)


@dataclass
class Question:
    """One decision: the prompt, and the answers refused so far."""

    rules: str
    text: str  # the position
    view: Mapping[str, Any]  # the same as values for JSON
    answers: list[tuple[str, str]] = field(default_factory=list)  # those refused, each with the reason


# -- commands ----------------------------------------------------------------------------------------------------------


class CommandSpeaker:
    """A program of the user's, started with the first question: a JSON line on stdin for a JSON line on stdout.

    A question is `{"question": 1, "rules": ..., "text": ..., "position": {...}, "error": ..., "try": 1}`, where
    `question` is its number, `position` is what `rfop_env.interfaces.text.view_json` gives, and `error` says why the
    last answer was refused, or is null. An answer is `{"move": "..."}`. Any other line is an answer that names no move.
    The program's stderr is the user's.

    The program writes one line for each question and no others. Lines that are there before a question is written are
    dropped, but one that comes later is taken for the answer. An answer may repeat the number of its question, as in
    `{"move": "...", "question": 1}`: then it is never taken for the answer to a later one.

    A program that gives no answer is ended with all its children, and so it is when a question is interrupted. The next
    question starts it anew.
    """

    def __init__(self, settings: LanguageModelSettings) -> None:
        self._settings = settings
        self._program: _Program | None = None
        self._questions = 0  # so far

    def ask(self, question: Question) -> str:
        """The move in the program's answer, or the whole line of another one. Raises `NoAnswer`."""
        end = time.monotonic() + self._settings.timeout
        answers = question.answers
        self._questions += 1
        request = {
            "question": self._questions,
            "rules": question.rules,
            "text": question.text,
            "position": question.view,
            "error": answers[-1][1] if answers else None,
            "try": len(answers) + 1,
        }
        if self._program is None:
            self._program = _Program(self._settings)
        try:
            self._program.write_line(json.dumps(request, ensure_ascii=False).encode() + b"\n", end)
            while (move := _parse_line(self._program.read_line(end), self._questions)) is None:
                pass  # that was an answer to an earlier question
        except BaseException:  # also Ctrl-C
            self._program.kill()
            self._program = None
            raise
        return move


class _Program:
    """A program in a process group of its own, with pipes that are read and written up to a deadline.

    Between two questions nothing is read: a program that writes on waits at its full pipe.
    """

    def __init__(self, settings: LanguageModelSettings) -> None:
        self._settings = settings
        try:
            process = subprocess.Popen(
                settings.command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise NoAnswer(f"{settings.name}: {shown(settings.command[0], 100)} did not start: {error}") from None
        assert process.stdin is not None and process.stdout is not None, "it was started with pipes"
        self._process = process
        self._stdin, self._stdout = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._unread = bytearray()
        self._count = 0  # bytes that came since the question
        self._closed = False  # the program writes no more
        self._finalizer = weakref.finalize(self, _end, process)  # also when Python ends

    def write_line(self, line: bytes, end: float) -> None:
        """Write a question until a time of the clock. Lines that are there before are dropped. Raises `NoAnswer`."""
        self._count = len(self._unread)
        while self._stdout in self._ready(0.0):
            self._read_part()
        self._drop_lines()
        unsent = memoryview(line)
        while unsent:
            ready = self._ready(self._seconds_left(end), writing=True)
            if self._stdout in ready:  # it may have to write before it reads on
                self._read_part()
                self._drop_lines()
            if self._stdin in ready:
                try:
                    unsent = unsent[os.write(self._stdin, unsent) :]
                except BlockingIOError:
                    pass  # the room is smaller than what a pipe takes at once
                except OSError:
                    raise self._exit_error(end) from None

    def read_line(self, end: float) -> bytes:
        """The next line, waited for until a time of the clock. Raises `NoAnswer`."""
        start = 0
        while (cut := self._unread.find(b"\n", start) + 1) == 0 and not self._closed:
            start = len(self._unread)
            if self._ready(self._seconds_left(end)):
                self._read_part()
        line = bytes(self._unread[: cut or None])
        if not line:
            raise self._exit_error(end)
        del self._unread[: len(line)]
        return line

    def kill(self) -> None:
        """End the program and its children now."""
        if self._finalizer.detach() is not None:
            _kill(self._process)

    def _ready(self, seconds: float, writing: bool = False) -> list[int]:
        """Wait so long for something to read, or for room to write: the file descriptors where there is."""
        poll = select.poll()
        if not self._closed:
            poll.register(self._stdout, select.POLLIN)
        if writing:
            poll.register(self._stdin, select.POLLOUT)
        return [descriptor for descriptor, _ in poll.poll(seconds * 1000)]

    def _read_part(self) -> None:
        part = os.read(self._stdout, PART)
        self._closed = not part
        self._unread += part
        self._count += len(part)
        if self._count > LONGEST_ANSWER:
            raise NoAnswer(
                f"{self._settings.name} wrote more than {LONGEST_ANSWER:,} bytes for one answer and was stopped"
            )

    def _drop_lines(self) -> None:
        """Drop lines that came before the question."""
        del self._unread[: self._unread.rfind(b"\n") + 1]

    def _seconds_left(self, end: float) -> float:
        remaining = end - time.monotonic()
        if remaining <= 0:
            seconds = f"{self._settings.timeout:g} seconds (--timeout)"
            raise NoAnswer(f"{self._settings.name} gave no answer in {seconds} and was stopped")
        return remaining

    def _exit_error(self, end: float) -> NoAnswer:
        """The error for a program that has ended, or that closed its pipes."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, min(END_SECONDS, end - time.monotonic())))
        code = self._process.returncode
        state = "" if code is None else f" with status {code}"
        return NoAnswer(f"{self._settings.name} ended{state} instead of an answer; what it wrote to stderr may say why")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the stdin of a program, and end it and its children if that does not do."""
    if process.stdin is not None:
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process group of a program now."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _parse_line(line: bytes, question: int) -> str | None:
    """The move that a line names, or all of it; None for the answer to an earlier question than that of this number."""
    text = line.decode(errors="replace").strip()
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(answer, dict) and type(number := answer.get("question")) is int and number < question:
        return None
    move = answer.get("move") if isinstance(answer, dict) else answer
    return str(move) if isinstance(move, (str, int)) and not isinstance(move, bool) else text


# -- endpoints ---------------------------------------------------------------------------------------------------------


class EndpointSpeaker:
    """An endpoint of chat completions, as OpenAI has them and many servers of local models."""

    def __init__(self, settings: LanguageModelSettings) -> None:
        self._settings = settings

    def ask(self, question: Question) -> str:
        """The move in the model's answer: the last words in square brackets, or else its last line.

        Raises `NoAnswer`.
        """
        rules = f"\n\n{question.rules}" if question.rules else ""
        messages = [_message("system", INSTRUCTIONS + rules), _message("user", question.text)]
        for answer, reason in question.answers:
            messages += [_message("assistant", answer), _message("user", f"{reason}\nAnswer again.")]
        return move_in(self._complete(messages))

    def _complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The text of the next message. Raises `NoAnswer`."""
        request: dict[str, Any] = {"model": self._settings.model, "messages": list(messages)}
        if self._settings.temperature is not None:
            request["temperature"] = self._settings.temperature
        answer = self._post(json.dumps(request).encode())
        try:
            text = json.loads(answer)["choices"][0]["message"]["content"]
        except (ValueError, RecursionError, LookupError, TypeError):
            raise self._no_answer(f"no chat completion but {shown(answer.decode(errors='replace'), 200)}") from None
        return text if isinstance(text, str) else ""

    def _post(self, body: bytes) -> bytes:
        """The body of the endpoint's answer; again after a pause where it is busy or out of reach."""
        end, problem = time.monotonic() + self._settings.timeout, ""
        for attempt in range(ATTEMPTS):
            if attempt and time.monotonic() + PAUSE * attempt >= end:
                break
            time.sleep(PAUSE * attempt)
            try:
                status, reason, answer = self._post_once(body, end)
            except (OSError, http.client.HTTPException, ValueError) as error:  # also urllib's own
                problem = str(getattr(error, "reason", "") or error) or type(error).__name__
                if time.monotonic() < end:
                    continue
                problem = f"no answer in {self._settings.timeout:g} seconds (--timeout)"
                break
            if len(answer) > LONGEST_ANSWER:
                problem = f"more than {LONGEST_ANSWER:,} bytes"
                break
            if status < 300:
                return answer
            problem = f"HTTP {status} {reason}: {printable(answer[:300].decode(errors='replace').strip(), 300)}"
            if status not in BUSY:
                break
        raise self._no_answer(problem)

    def _post_once(self, body: bytes, end: float) -> tuple[int, str, bytes]:
        headers = {"Content-Type": "application/json"}
        if self._settings.key:
            headers["Authorization"] = f"Bearer {os.environ.get(self._settings.key, '')}"
        url = f"{self._settings.endpoint}/chat/completions"
        return _Exchange(urllib.request.Request(url, body, headers, method="POST"), end).outcome()

    def _no_answer(self, problem: str) -> NoAnswer:
        return NoAnswer(
            f"{self._settings.name} at {printable(self._settings.endpoint, 100)} gave {printable(problem, 400)}"
        )


class _Exchange:
    """A request and its answer in a thread of their own, with a deadline.

    A socket's timeout is for one part of an answer, so an endpoint that sends byte by byte never exceeds it; a name
    look-up has no timeout at all.
    """

    def __init__(self, request: urllib.request.Request, end: float) -> None:
        self._request, self._end = request, end
        self._opened: list[socket.socket] = []
        self._abandoned = False
        self._outcome: tuple[int, str, bytes] | Exception = TimeoutError()

    def outcome(self) -> tuple[int, str, bytes]:
        """State, reason and body, at most a part longer than `LONGEST_ANSWER`. Raises what urllib does."""
        thread = threading.Thread(target=self._carry_out, daemon=True)
        thread.start()
        try:
            thread.join(max(0.0, self._end - time.monotonic()))
        finally:  # also after Ctrl-C
            self._abandoned = True
            for opened in self._opened:
                with contextlib.suppress(OSError):  # it is closed already
                    socket.socket.shutdown(opened, socket.SHUT_RDWR)
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def note(self, opened: socket.socket) -> None:
        """Note a socket that has been opened for the request. Raises `TimeoutError` where that comes too late."""
        self._opened.append(opened)
        if self._abandoned:
            raise TimeoutError

    def _carry_out(self) -> None:
        try:
            self._outcome = self._answer()
        except Exception as error:
            self._outcome = error

    def _answer(self) -> tuple[int, str, bytes]:
        opener = urllib.request.build_opener(_NoRedirect, _Connections(self))
        response: Any
        try:
            response = opener.open(self._request, timeout=max(0.01, self._end - time.monotonic()))
        except urllib.error.HTTPError as error:
            response = error
        with response:
            body = b""
            while len(body) <= LONGEST_ANSWER and (part := response.read1(PART)):
                body += part
            if self._abandoned:
                raise TimeoutError  # the body was cut off
            return response.status, response.reason, body


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """No redirections: the key must not reach another host."""

    def http_error_302(self, *args: Any, **kwargs: Any) -> None:
        """Leave a redirection to the handler of errors, wherever it leads."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _Connections(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens the connections of an exchange, which notes their sockets."""

    def __init__(self, exchange: _Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def do_open(self, http_class: Any, req: urllib.request.Request, **http_conn_args: Any) -> Any:
        note = self._exchange.note

        class Connection(http_class):  # type: ignore[misc]  # plain or with TLS
            def connect(self) -> None:
                super().connect()
                note(self.sock)

        return super().do_open(Connection, req, **http_conn_args)


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
