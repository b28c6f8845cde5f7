"""Bounds of the programs that servers offer: nobody waits for minutes, and no name fills the screen."""

from __future__ import annotations

from rfop_env.agent_names import ROLLOUT, AgentSpec
from rfop_env.core.errors import printable
from rfop_env.web.errors import Refused

LONGEST_NAME = 300  # characters of a program's name
MOST_SIMULATIONS = 20_000  # of a search for one decision
MOST_SECONDS = 60
MOST_DECISIONS = 5_000  # of the rollouts of one action
ROLLOUT_LENGTH = 24  # at most, of rollouts whose name has none: the longest that `rfop_agents.rollouts` gives a game


def require_bounded(spec: AgentSpec) -> None:
    """Raise `Refused` for an agent that would think for minutes; the agents themselves know no such limit."""
    start = printable(str(spec), 60)
    if spec.kind == ROLLOUT and int(spec.budget) * int(spec.length or ROLLOUT_LENGTH) > MOST_DECISIONS:
        raise Refused(f"{start}: draws times length are at most {MOST_DECISIONS:,}")
    if (spec.simulations or 0) > MOST_SIMULATIONS:
        raise Refused(f"{start}: a search has at most {MOST_SIMULATIONS:,} simulations a decision")
    if (spec.seconds or 0) > MOST_SECONDS:
        raise Refused(f"{start}: a search has at most {MOST_SECONDS:,} seconds a decision")
    if spec.opponent is not None:
        require_bounded(spec.opponent)
