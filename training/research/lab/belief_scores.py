"""Play a game, and score what belief heads say about hidden cards at every decision against equally probable deals.

    python -m training.research belief-scores red-flag/ppo-2@1 runs/belief --env RedFlagOverParis-v0 --deals 200

The first agent has every seat; the others are networks with belief heads. A score is the logarithm of the probability
of what the other seats really hold, in nats: of all hidden cards together that a private piece of their observations
shows. The higher, the better. Decisions count in which a card lies hidden there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rfop_agents.head_belief import HeadBelief
from rfop_agents.network import NetworkAgent
from rfop_env.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.game_setup import add_components, add_option
from rfop_training.common.command_line import add_env, whole_number
from rfop_training.evaluation.arguments import AGENT, add_deals
from rfop_training.evaluation.games import FIRST_DEAL
from rfop_training.evaluation.setting import Setting
from rfop_training.evaluation.statistics import half_width

DEALS = 100
MANY = 500  # games that are played at a time


class Score(NamedTuple):
    """The mean scores of a piece over decisions."""

    piece: str
    decisions: int
    uniform: float  # by equally probable deals
    head: float
    half_width: float  # of the 95 % interval of the difference; the games are independent


def play_scored(setting: Setting, agent: Agent, beliefs: Sequence[HeadBelief], deals: range) -> list[list[Score]]:
    """The scores of each belief, in games in which the agent has every seat."""
    parts = [deals[low : low + MANY] for low in range(0, len(deals), MANY)]
    sums = [_play(setting, agent, beliefs, part) for part in parts]
    return [
        [mean_score(piece, np.concatenate([totals[k][piece] for totals in sums])) for piece in sums[0][k]]
        for k in range(len(beliefs))
    ]


def _play(
    setting: Setting, agent: Agent, beliefs: Sequence[HeadBelief], deals: range
) -> list[dict[str, NDArray[np.float64]]]:
    """For each belief and piece, the decisions of each game and the sums of their scores: [games, 3]."""
    batch = GameBatch(
        setting.game, len(deals), FIRST_DEAL + deals.start, options=dict(setting.options), threads=setting.threads,
        components=setting.game.load_components(setting.components),
    )  # fmt: skip
    rng = np.random.default_rng(setting.seed)
    sums: list[dict[str, NDArray[np.float64]]] = [{} for _ in beliefs]
    while batch.action_mask.any():
        games = np.flatnonzero(batch.action_mask.any(axis=1))
        for belief, totals in zip(beliefs, sums, strict=True):
            for piece, (head, uniform) in belief.log_scores(batch, games).items():
                hides = uniform < 0  # one deal alone hides nothing
                figures = np.stack([hides, uniform * hides, head * hides], axis=1)
                totals.setdefault(piece, np.zeros((len(deals), 3)))[games] += figures
        actions = np.full(len(deals), NO_ACTION, np.int64)
        actions[games] = act_for(agent, batch, games, rng)
        batch.step(actions)
    return sums


def mean_score(piece: str, sums: NDArray[np.float64]) -> Score:
    """The means over all decisions, from decisions and sums of scores of each game [n, 3]."""
    number, uniform, head = sums.sum(axis=0).tolist()
    if not number:
        return Score(piece, 0, 0.0, 0.0, 0.0)
    residuals = sums[:, 2] - sums[:, 1] - (head - uniform) / number * sums[:, 0]
    return Score(piece, int(number), uniform / number, head / number, half_width(residuals) * len(sums) / number)


def scores_table(name: str, scores: Sequence[Score]) -> str:
    """The scores of a belief, as a Markdown table."""
    lines = [f"| {name} | decisions | uniform deals | head | difference |", "|---|---|---|---|---|"]
    for score in scores:
        if score.decisions:
            difference = f"{score.head - score.uniform:+.3f} ± {score.half_width:.3f}"
            lines.append(
                f"| {score.piece} | {score.decisions:,} | {score.uniform:.3f} | {score.head:.3f} | {difference} |"
            )
    return "\n".join(lines)


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", metavar="AGENT", help=AGENT)
    parser.add_argument("networks", nargs="+", metavar="NETWORK", help="networks with belief heads, by name or path")
    add_env(parser)
    add_deals(parser)
    parser.add_argument(
        "--seed", type=whole_number(0), default=0, help="seed of the agent's own random numbers (default %(default)s)"
    )
    add_option(parser)
    add_components(parser)


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    setting = Setting.parse(
        args.env, args.option, components=args.components, any_components=args.any_components, seed=args.seed
    )
    beliefs = []
    for name in args.networks:
        network = setting.agent(name)
        if not isinstance(network, NetworkAgent):
            raise RfopError(f"{name} is no network: give a run of rfop train ppo --belief 1")
        beliefs.append(HeadBelief(setting.game, network))
    scores = play_scored(setting, setting.agent(args.agent), beliefs, range(args.deals or DEALS))
    print("\n\n".join(map(scores_table, args.networks, scores)))
    return 0
