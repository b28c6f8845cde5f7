"""How agents are named: one grammar for commands, pages, tables and Python, and who sits in a seat besides agents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rfop_env.core.errors import BadArgument, RfopError, printable, shown
from rfop_env.core.mixtures import parse_mixture, require_shares

PERSON, RANDOM = "person", "random"
LANGUAGE_MODEL = "language-model"  # the first word of its name; its settings follow


class NotTyped(RfopError):
    """A language model or a function of a file, named by a file or by another program."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{printable(name, 60)} is not started from here: name what runs a program on a command line yourself, "
            f"as in rfop play ID --opponent '{LANGUAGE_MODEL} ...'"
        )


# -- names -------------------------------------------------------------------------------------------------------------

SEARCH, GUMBEL, ROLLOUT, RESPONSE = "search", "gumbel", "rollout", "response"  # kinds that look ahead
FUNCTION, NAMED = "function", "named"  # a function of a Python file; an agent by its own name, or a network by its path
SYMMETRIC = "symmetric+"
BELIEF, HEAD = "-belief", "-head"  # who deals what is hidden: the policy of the others, or the head of the guide
TURN = "-turn"  # after seconds: they are for all decisions of a turn

_NUMBER = r"\d{1,9}"
_SEARCHED = rf"-(?P<budget>{_NUMBER}(?:\.\d+)?s(?:{TURN})?|{_NUMBER})(?:x(?P<leaves>{_NUMBER}))?"
_BELIEF = rf"(?P<belief>{BELIEF}|{HEAD})?"
_GUIDED = rf"{_BELIEF}(?:\+(?P<guide>[^:]+))?"  # before an opponent
_GRAMMAR = (
    (
        ROLLOUT,
        rf"-(?P<budget>{_NUMBER})(?:x(?P<length>{_NUMBER}))?(?=(?:{BELIEF}|{HEAD})?[+:]){_GUIDED}(?::(?P<opponent>.+))?",
    ),
    (RESPONSE, rf"-(?P<budget>{_NUMBER}){_GUIDED}:(?P<opponent>.+)"),
    (SEARCH, rf"{_SEARCHED}(?:(?P<plain>-random)|{_BELIEF}\+(?P<guide>.+))?"),
    (GUMBEL, rf"{_SEARCHED}(?:(?P<plain>-random)|{_BELIEF}\+(?P<guide>.+))?"),
)
_FUNCTION = r"(?P<path>.+\.py):(?P<function>\w+)"
_NETWORK = rf"(?P<symmetric>{re.escape(SYMMETRIC)})?(?P<path>.+?)(?:@(?P<temperature>\d+\.?\d*|\.\d+))?"
_PATTERNS = (*((kind, kind + rest) for kind, rest in _GRAMMAR), (FUNCTION, _FUNCTION), (NAMED, _NETWORK))


@dataclass(frozen=True)
class AgentSpec:
    """What the name of an agent says. `AgentSpec.parse(name)` reads a name, and `str(spec)` is that name.

    Numbers stand as they are written, so that "search-0.50s" stays what it is.
    """

    kind: str  # SEARCH, GUMBEL, ROLLOUT, RESPONSE, FUNCTION, LANGUAGE_MODEL or NAMED
    path: str = ""  # of a model, a run or a Python file; the agent's own name; the settings of a language model
    budget: str = (
        ""  # simulations of a decision, "400", or seconds, "2s", or of a turn, "2s-turn"; of rollouts: redraws
    )
    leaves: str = ""  # that a network judges together; "": one by one
    length: str = ""  # decisions of a rollout; "": as many as suit the game
    plain: bool = False  # a search without the scripted player
    belief: str = ""  # BELIEF: by the policy of the opponent, or else of the guide; HEAD: by the head of the guide
    guide: AgentSpec | None = None  # the network that guides it
    opponent: AgentSpec | None = None  # the agent in the other seats, a fixed opponent
    function: str = ""
    symmetric: bool = False  # a network that looks at the board from all sides
    temperature: str = ""  # at which a network samples; "": as it was published, or its most likely action

    @classmethod
    def parse(cls, text: str) -> AgentSpec:
        """What a name says. Raises `BadArgument` for a text that can be no name."""
        if not isinstance(text, str) or not text.strip():
            raise BadArgument(f"agent: expected a name, as in {EXAMPLES}, found {shown(text)}")
        if text.split(maxsplit=1)[0] == LANGUAGE_MODEL:
            return cls(LANGUAGE_MODEL, text)
        for kind, pattern in _PATTERNS:
            if match := re.fullmatch(pattern, text, re.DOTALL):
                parts: dict[str, Any] = {name: part for name, part in match.groupdict().items() if part}
                for name in parts.keys() & {"guide", "opponent"}:
                    parts[name] = cls.parse(parts[name])
                for name in parts.keys() & {"plain", "symmetric"}:
                    parts[name] = True
                return cls(kind, **parts)
        raise AssertionError("every text has the form of a path")

    def __str__(self) -> str:
        guide, opponent = f"+{self.guide}" if self.guide else "", f":{self.opponent}" if self.opponent else ""
        if self.kind == FUNCTION:
            return f"{self.path}:{self.function}"
        if not self.looks_ahead:
            at = f"@{self.temperature}" if self.temperature else ""
            return f"{SYMMETRIC if self.symmetric else ''}{self.path}{at}"
        times = f"x{self.leaves or self.length}" if self.leaves or self.length else ""
        way = f"{'-random' if self.plain else ''}{self.belief}"
        return f"{self.kind}-{self.budget}{times}{way}{guide}{opponent}"

    @property
    def looks_ahead(self) -> bool:
        """Whether it is a search, rollouts or a best response."""
        return self.kind in (SEARCH, GUMBEL, ROLLOUT, RESPONSE)

    @property
    def seconds(self) -> float | None:
        """The seconds of a decision, or of a turn, of a search; None where its budget is another one."""
        seconds = self.budget.removesuffix(TURN)
        return float(seconds[:-1]) if seconds.endswith("s") else None

    @property
    def per_turn(self) -> bool:
        """Whether its seconds are for all decisions of a turn."""
        return self.budget.endswith(TURN)

    @property
    def simulations(self) -> int | None:
        """The simulations of a decision, or the redraws of rollouts; None where the budget is another one."""
        return int(self.budget) if self.budget.isdigit() else None

    @property
    def runs_code(self) -> bool:
        """Whether it runs a program that its name says: a function of a file, or a language model's command."""
        inner = (self.guide, self.opponent)
        return self.kind in (FUNCTION, LANGUAGE_MODEL) or any(spec.runs_code for spec in inner if spec)


@dataclass(frozen=True)
class Form:
    """A form that names have: examples, and what they mean."""

    examples: tuple[str, ...]
    meaning: str
    typed: bool = False  # it runs a program, so that only a user may name it


FORMS = (
    Form((RANDOM,), "uniformly random legal actions"),
    Form(("scripted", "solo-opponent"), "a scripted player of the game (rfop show ID)"),
    Form(("greedy",), "one decision ahead by a hand-made value; Red Flag Over Paris alone"),
    Form(("search-400", "search-2s"), "a search by simulations or seconds for a decision"),
    Form(
        ("search-2s-turn",), "a search by seconds for a turn, on the page alone: half of what is left for each decision"
    ),
    Form(("search-400-random",), "a search that knows nothing but the rules"),
    Form(("search-100+revolution/ppo-2",), "a search that a network guides"),
    Form(("search-400x8+red-flag/solo-12",), "such a search whose network judges up to eight leaves together"),
    Form(("gumbel-100+revolution/ppo-2", "gumbel-100"), "a search by sequential halving at the root"),
    Form(("rollout-16+red-flag/solo-12", "rollout-16x8+red-flag/solo-12"), "rollouts of a network on 16 redraws"),
    Form(
        ("search-100-belief+red-flag/ppo-3", "response-100-belief:red-flag/ppo-3"),
        "such agents that draw what is hidden by what the others have done; Red Flag Over Paris for two alone",
    ),
    Form(("search-100-head+red-flag/ppo-3",), "the same by the belief head of the network that guides"),
    Form(("response-100:scripted", "response-100+revolution/ppo-2:scripted"), "a best response to an agent"),
    Form(("rollout-16+paris/ppo-7:scripted", "rollout-16x8:paris/ppo-7"), "a best response by rollouts of a network"),
    Form(("revolution/ppo-2",), "a baseline, a trained network of the package"),
    Form(("runs/mine", "path/model.safetensors"), "the newest network of a run's folder, or a model file"),
    Form(("runs/mine@1", "revolution/ppo-2@0.5"), "a network that samples from its policy at a temperature"),
    Form(("symmetric+revolution/ppo-2",), "a network that looks at the board from all sides"),
    Form((f"{LANGUAGE_MODEL} --endpoint URL --model NAME",), "a language model", typed=True),
    Form(("my_agent.py:act",), "a function of your own", typed=True),
)
EXAMPLES = ", ".join(form.examples[0] for form in FORMS[:4])


def forms_in_words(typed: bool) -> str:
    """All forms of names in a sentence, for help texts. `typed`: also those that run a program."""
    words = ", ".join(
        f"{form.meaning} ({', '.join(repr(e) if ' ' in e else e for e in form.examples)})"
        for form in FORMS
        if typed or not form.typed
    )
    return f"{words}; an unknown name lists those of the environment"


def is_language_model(name: str) -> bool:
    """Whether a name is that of a language model: the word alone, or with its settings."""
    return name.split(maxsplit=1)[:1] == [LANGUAGE_MODEL]


# -- mixtures ----------------------------------------------------------------------------------------------------------


def parse_opponents(text: str, argument: str = "opponent") -> dict[str, float]:
    """Agents and their shares of the games, from a name or from a text like "scripted=0.5,runs/mine=0.5".

    A text in which no part is NAME=SHARE is one name, and so is one part whose share is not 1: "runs/rate=0.1". A name
    with a comma stands in double quotes, as in CSV: "runs/a,b"=0.25. Raises `BadArgument`; `argument` is its name in
    the message.
    """
    parts = parse_mixture(text, argument)
    if all(share is None for _, _, share in parts) or (len(parts) == 1 and parts[0][2] != 1):
        return {text.strip(): 1.0}

    shares: dict[str, float] = {}
    for part, name, share in parts:
        if share is None or not name:
            raise BadArgument(
                f"{argument}: expected NAME=SHARE, found {shown(part)}; a name with a comma stands in double quotes, "
                'as in "runs/a,b"=0.3,scripted=0.7'
            )
        if name in shares:
            raise BadArgument(f"{argument}: {name} is given twice: give it one share")
        shares[name] = share
    require_shares(list(shares.values()), argument)
    return shares


def require_data(names: Iterable[str]) -> None:
    """Raise `NotTyped` for a name that would run a program."""
    for name in names:
        if AgentSpec.parse(name).runs_code:
            raise NotTyped(name)
