"""The programs that servers offer, within bounds: nobody waits for minutes, and no name fills the screen."""

from __future__ import annotations

import re
from typing import Any

from rfop_env.core.errors import printable
from rfop_env.core.game import Game
from rfop_env.players import Program, Programs
from rfop_env.web.errors import Refused

LONGEST_NAME = 300  # characters of a program's name
MOST_SIMULATIONS = 20_000  # of a search for one decision
MOST_SECONDS = 60
MOST_DECISIONS = 5_000  # of the rollouts of one action
ROLLOUT_LENGTH = 24  # at most, of rollouts whose name has none: the longest that `rfop_agents.rollouts` gives a game


class PagePrograms(Programs):
    """All programs by name, without searches that would think for minutes."""

    def load(self, name: str, game: Game, components: Any) -> Program:
        """A new program of a name; raises `Refused`, and what `Programs.load` raises."""
        _require_bounded(name)
        return super().load(name, game, components)


def _require_bounded(name: str) -> None:
    """Raise `Refused` for an agent that would think for minutes; the agents themselves know no such limit."""
    if name.startswith("rollout-"):
        _require_few_decisions(name)
    elif kind := re.match(r"(search|gumbel|response)-", name):
        _require_small_budget(name, name[kind.end() :])


def _require_few_decisions(name: str) -> None:
    numbers = re.match(r"rollout-(\d{1,9})(?:x(\d{1,9}))?[+:]", name)
    if numbers is None:
        raise Refused(f"{printable(name, 60)}: rollouts have a form as in rollout-16x8+revolution/ppo-2")
    if int(numbers[1]) * int(numbers[2] or ROLLOUT_LENGTH) > MOST_DECISIONS:
        raise Refused(f"{printable(name, 60)}: draws times length are at most {MOST_DECISIONS:,}")


def _require_small_budget(name: str, rest: str) -> None:
    budget = re.match(r"(\d{1,9}(?:\.\d{1,9})?)(s?)", rest)
    if budget is None:
        raise Refused(f"{printable(name, 60)}: a search's budget is a number as in search-400 or search-2s")
    most, unit = (MOST_SECONDS, "seconds") if budget[2] else (MOST_SIMULATIONS, "simulations")
    if float(budget[1]) > most:
        raise Refused(f"{printable(name, 60)}: a search has at most {most:,} {unit} a decision")
