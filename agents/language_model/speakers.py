"""Two ways to ask a language model: a command that reads and writes lines, and an endpoint of chat completions."""

from __future__ import annotations

import http.client
import json
import os
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.request
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from agents.agent import NoAnswer
from agents.language_model.settings import LanguageModelSettings
from rfop_env.core.errors import printable, shown
from rfop_env.interfaces.text import move_in

ATTEMPTS = 3  # requests for one answer, while an endpoint is busy or out of reach
PAUSE = 1.0  # seconds before the second request, twice that before the third
BUSY = (408, 429, 500, 502, 503, 504)  # states of HTTP that may pass
LONGEST_ANSWER = 2**20  # bytes
END_SECONDS = 2.0  # for a command to end by itself once its stdin is closed
INSTRUCTIONS = (
    "You play a board game by text. Each message shows the position as you see it. Think as you like, then end your "
    "answer with one legal action in square brackets: its label or its number, for example [done]."
)


@dataclass
class Question:
    """One decision: what the model is told, and what came of its answers so far."""

    rules: str
    text: str  # the position
    view: Mapping[str, Any]  # the same as values for JSON
    answers: list[tuple[str, str]] = field(default_factory=list)  # those refused, each with the reason


class Speaker:
    """Somebody who answers questions."""

    def ask(self, question: Question) -> str:
        """The move that the model names, in words. Raises `NoAnswer`."""
        raise NotImplementedError


# -- commands ----------------------------------------------------------------------------------------------------------


class CommandSpeaker(Speaker):
    """A program of the user's, started with the first question: a JSON line on stdin for a JSON line on stdout.

    A question is `{"question": 1, "rules": ..., "text": ..., "position": {...}, "error": ..., "try": 1}`, where
    `question` is its number, `position` is what `rfop_env.interfaces.text.view_json` gives, and `error` says why the
    last answer was refused, or is null. An answer is `{"move": "..."}`. Any other line is an answer that names no move.
    The program's stderr is the user's.

    The program writes one line for each question and no others. Lines that are there before a question is written are
    dropped, but one that comes later is taken for the answer. An answer may repeat the number of its question, as in
    `{"move": "...", "question": 1}`: then it is never taken for the answer to a later one.
    """

    def __init__(self, settings: LanguageModelSettings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._questions = 0  # so far

    def ask(self, question: Question) -> str:
        """The move in the program's answer, or the whole line of another one."""
        answers = question.answers
        self._questions += 1
        asked = {
            "question": self._questions,
            "rules": question.rules,
            "text": question.text,
            "position": question.view,
            "error": answers[-1][1] if answers else None,
            "try": len(answers) + 1,
        }
        self._write(json.dumps(asked, ensure_ascii=False).encode() + b"\n")
        end = time.monotonic() + self._settings.timeout
        while (move := _move_of_line(self._read(end), self._questions)) is None:
            pass  # that was an answer to an earlier question
        return move

    def _write(self, line: bytes) -> None:
        process = self._process if self._process is not None else self._start()
        assert process.stdin is not None, "it was started with a pipe"
        self._drop_unread()
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def _start(self) -> subprocess.Popen[bytes]:
        self._lines = queue.Queue()
        try:
            process = subprocess.Popen(self._settings.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise NoAnswer(
                f"{self._settings.name}: {shown(self._settings.command[0], 100)} did not start: {error}"
            ) from None
        threading.Thread(target=_read_lines, args=(process.stdout, self._lines), daemon=True).start()
        weakref.finalize(self, _end, process)
        self._process = process
        return process

    def _drop_unread(self) -> None:
        """Drop the lines that nobody asked for."""
        for _ in range(self._lines.qsize()):  # no more than that: a program may write on for ever
            if self._lines.get() is None:
                raise self._ended()

    def _read(self, end: float) -> bytes:
        """The next line, waited for until a time of the clock. Raises `NoAnswer`."""
        try:
            line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            self._stop()
            seconds = f"{self._settings.timeout:g} seconds (--timeout)"
            raise NoAnswer(f"{self._settings.name} gave no answer in {seconds} and was stopped") from None
        if line is None:
            raise self._ended()
        return line

    def _ended(self) -> NoAnswer:
        """The error for a program that has ended, or that closed its pipes."""
        process = self._process
        self._stop()
        state = "" if process is None or process.returncode is None else f" with status {process.returncode}"
        return NoAnswer(f"{self._settings.name} ended{state} instead of an answer; what it wrote to stderr may say why")

    def _stop(self) -> None:
        """End the program; the next question starts it anew."""
        if self._process is not None:
            _end(self._process)
            self._process = None


def _read_lines(stream: IO[bytes], lines: queue.Queue[bytes | None]) -> None:
    """Put the lines of a stream into a queue, and None at its end."""
    while line := stream.readline(LONGEST_ANSWER):
        lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the stdin of a program, and end it if that does not do."""
    try:
        if process.stdin is not None:
            process.stdin.close()
    except OSError:  # it is gone already
        pass
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None and not process.stdout.closed:
        process.stdout.close()


def _move_of_line(line: bytes, question: int) -> str | None:
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


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key is for the endpoint that the user named, and for no other."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class EndpointSpeaker(Speaker):
    """An endpoint of chat completions, as OpenAI has them and many servers of local models."""

    def __init__(self, settings: LanguageModelSettings) -> None:
        self._settings = settings
        self._opener = urllib.request.build_opener(_NoRedirect)

    def ask(self, question: Question) -> str:
        """The move in the model's answer: the last words in square brackets, or else its last line."""
        rules = f"\n\n{question.rules}" if question.rules else ""
        messages = [_message("system", INSTRUCTIONS + rules), _message("user", question.text)]
        for answer, reason in question.answers:
            messages += [_message("assistant", answer), _message("user", f"{reason}\nAnswer again.")]
        return move_in(self._complete(messages))

    def _complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The text of the next message. Raises `NoAnswer`."""
        asked: dict[str, Any] = {"model": self._settings.model, "messages": list(messages)}
        if self._settings.temperature is not None:
            asked["temperature"] = self._settings.temperature
        answer = self._post(json.dumps(asked).encode())
        try:
            text = json.loads(answer)["choices"][0]["message"]["content"]
        except (ValueError, RecursionError, LookupError, TypeError):
            raise self._no_answer(f"no chat completion but {shown(answer.decode(errors='replace'), 200)}") from None
        return text if isinstance(text, str) else ""

    def _post(self, body: bytes) -> bytes:
        """The body of the endpoint's answer; again after a pause where it is busy or out of reach."""
        problem = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE * attempt)
            try:
                return self._post_once(body)
            except urllib.error.HTTPError as error:
                problem = f"HTTP {error.code} {error.reason}: {_start_of(error)}"
                if error.code not in BUSY:
                    break
            except TimeoutError:
                problem = f"no answer in {self._settings.timeout:g} seconds (--timeout)"
            except (OSError, http.client.HTTPException) as error:  # also urllib's own
                problem = str(getattr(error, "reason", "") or error) or type(error).__name__
        raise self._no_answer(problem)

    def _post_once(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._settings.key:
            headers["Authorization"] = f"Bearer {os.environ.get(self._settings.key, '')}"
        url = f"{self._settings.endpoint}/chat/completions"
        request = urllib.request.Request(url, body, headers, method="POST")
        with self._opener.open(request, timeout=self._settings.timeout) as response:
            answer: bytes = response.read(LONGEST_ANSWER + 1)
        if len(answer) > LONGEST_ANSWER:
            raise self._no_answer(f"more than {LONGEST_ANSWER:,} bytes")
        return answer

    def _no_answer(self, problem: str) -> NoAnswer:
        return NoAnswer(
            f"{self._settings.name} at {printable(self._settings.endpoint, 100)} gave {printable(problem, 400)}"
        )


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _start_of(error: urllib.error.HTTPError) -> str:
    """The first words of the body of an error."""
    try:
        return printable(error.read(300).decode(errors="replace").strip(), 300)
    except (OSError, http.client.HTTPException):
        return ""
