"""The settings of a language model, which its name carries: `language-model --endpoint URL --model NAME`."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from rfop_env.command_line import Parser, UsageError, number
from rfop_env.core.errors import RfopError, printable, shown
from rfop_env.agent_names import LANGUAGE_MODEL

LONGEST_NAME = 500  # characters of an agent's name, settings included
LONGEST_TIMEOUT = 3600.0  # seconds
MOST_TRIES = 20
MOST_PARALLEL = 64
MAX_TEMPERATURE = 2.0
DISPLAYED = re.compile(r"[\w.:+-]{1,60}")  # names that tables and saved games can hold
HELP = f"""{LANGUAGE_MODEL} --command 'COMMAND', or {LANGUAGE_MODEL} --endpoint URL --model NAME"""


@dataclass(frozen=True)
class LanguageModelSettings:
    """A language model, and how to ask it."""

    command: tuple[str, ...] = ()  # a program and its arguments; empty: an endpoint
    endpoint: str = ""  # the URL before /chat/completions
    model: str = ""  # the name by which the endpoint knows the model
    key: str = ""  # the environment variable with the endpoint's key; empty: none is sent
    timeout: float = 60.0  # seconds for an answer
    tries: int = 3  # answers for a decision, before a random legal action takes its place
    temperature: float | None = None  # None: the endpoint's own
    parallel: int = 1  # questions to an endpoint at once
    list_legal_actions: bool = True
    rules: bool = True  # whether the prompt has the rules in brief
    label: str = ""  # the display name, if it was given

    @property
    def name(self) -> str:
        """The name that tables show: the one given, or the model's, or that of the command's script."""
        scripts = [Path(word).stem for word in reversed(self.command) if not word.startswith("-")]
        label = self.label or self.model or (scripts or [""])[0]
        return f"{LANGUAGE_MODEL}:{'_'.join(DISPLAYED.findall(label))[:60] or 'unnamed'}"

    @property
    def fingerprint(self) -> str:
        """Twelve digits that stand for everything that may change how it plays."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]


def parse_name(name: str) -> LanguageModelSettings:
    """The settings that a name carries. Raises `RfopError` for wrong flags, values and commands that are not there."""
    if len(name) > LONGEST_NAME:
        raise RfopError(f"the name of a {LANGUAGE_MODEL} has at most {LONGEST_NAME} characters, found {len(name)}")
    if "," in name or not name.isprintable():
        raise RfopError(f"{printable(name, 60)}: no commas and no line breaks, so that saved games can hold the name")
    try:
        args = _parser().parse_args(shlex.split(name)[1:])
    except (UsageError, ValueError) as error:  # a quote without its end
        raise RfopError(f"{printable(name, 60)}: {error}; expected {HELP}") from None

    settings = LanguageModelSettings(
        command=tuple(shlex.split(args.command)),
        endpoint=args.endpoint.rstrip("/"),
        model=args.model,
        key=args.key,
        timeout=args.timeout,
        tries=args.tries,
        temperature=args.temperature,
        parallel=args.parallel,
        list_legal_actions=not args.no_legal_actions,
        rules=not args.no_rules,
        label=args.name,
    )
    _require_consistent(settings, name)
    return settings


def _parser() -> Parser:
    parser = Parser(prog=LANGUAGE_MODEL, add_help=False)
    parser.add_argument("--command", default="")
    parser.add_argument("--endpoint", default="", metavar="URL")
    parser.add_argument("--model", default="", metavar="NAME")
    parser.add_argument("--key", default="", metavar="VARIABLE")
    parser.add_argument("--timeout", type=number(float, 0.1, LONGEST_TIMEOUT), default=60.0, metavar="SECONDS")
    parser.add_argument("--tries", type=number(int, 1, MOST_TRIES), default=3, metavar="N")
    parser.add_argument("--temperature", type=number(float, 0, MAX_TEMPERATURE), metavar="T")
    parser.add_argument("--parallel", type=number(int, 1, MOST_PARALLEL), default=1, metavar="N")
    parser.add_argument("--no-legal-actions", action="store_true")
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("--name", default="", metavar="NAME")
    return parser


def _require_consistent(settings: LanguageModelSettings, name: str) -> None:
    """Raise `RfopError` for settings that do not go together, or that name what is not there."""
    start = printable(name, 60)
    if bool(settings.command) == bool(settings.endpoint):
        raise RfopError(f"{start}: give a command or an endpoint: {HELP}")
    if settings.command:
        _require_command(settings, start)
    else:
        _require_endpoint(settings, start)
    if settings.label and not DISPLAYED.fullmatch(settings.label):
        raise RfopError(
            f"{start}: --name is letters, digits and . : + - _, at most 60, found {shown(settings.label, 60)}"
        )


def _require_command(settings: LanguageModelSettings, start: str) -> None:
    flags = [flag for flag in ("model", "key", "temperature") if getattr(settings, flag) not in ("", None)]
    if flags or settings.parallel != 1:
        raise RfopError(f"{start}: --{(flags or ['parallel'])[0]} is for an endpoint, not for a command")
    if shutil.which(settings.command[0]) is None:
        raise RfopError(f"{start}: there is no program {shown(settings.command[0], 100)} to start")


def _require_endpoint(settings: LanguageModelSettings, start: str) -> None:
    try:
        parts = urlsplit(settings.endpoint)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port that is no number
        sound = False
    if not sound:
        raise RfopError(
            f"{start}: --endpoint is a URL as http://127.0.0.1:8000/v1, found {shown(settings.endpoint, 100)}"
        )
    if not settings.model:
        raise RfopError(f"{start}: --model NAME is missing: the name by which the endpoint knows the model")
    if settings.key:
        _require_key(settings.key, start)


def _require_key(variable: str, start: str) -> None:
    key, name = os.environ.get(variable, ""), shown(variable, 60)
    if not key:
        raise RfopError(f"{start}: the environment variable {name} for --key is not set")
    if not (key.isascii() and key.isprintable()):
        raise RfopError(
            f"{start}: the environment variable {name} for --key holds a line break or another character that no "
            f"header can hold: set it to the key alone"
        )
