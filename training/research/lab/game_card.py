"""Measure a game between equal players: how long, how wide, how much the deal decides, which side it favours.

    python -m training.research game-card revolution/ppo-4@1 --env Revolution-v0 --csv training/results/game_cards.csv
    python -m training.research game-card red-flag/solo-12@1 --env RedFlagOverParisSolo-v1 --option side=commune

The agent has every seat, and plays each deal several times. One that samples its actions (`@1`) plays different games
on one deal; one that does not shows only what the deals differ by. `--sequences` random games estimate the number of
decision sequences of a deal, by the estimator of Knuth (1975).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Actions, Agent, AgentWrapper, Masks, Obs, Positions
from rfop_env.command_line import number
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation import arguments
from rfop_training.evaluation.games import FIRST_DEAL, GameResults
from rfop_training.evaluation.rows import Provenance
from rfop_training.evaluation.setting import Setting, display_names
from rfop_training.evaluation.statistics import clustered

Floats = NDArray[np.float64]
DEALS, REPEATS, SEQUENCES = 1000, 10, 10_000
QUANTILES = (5, 95)
RESAMPLES = 1000


@dataclass(frozen=True)
class GameCard(Provenance):
    """What an agent that has every seat shows of a game. Shares are between 0 and 1, intervals are of 95 %."""

    agent: str
    games: int
    repeats: int  # games on each deal
    length: float  # mean decisions of a game, forced ones included
    length_low: float  # 5 % of the games are shorter
    length_high: float  # 5 % are longer
    choices: float  # mean number of decisions in a game with more than one legal action
    branching: float  # mean legal actions of these
    sets_met: int  # different observations of the deciding seat, with legal actions, in all games
    sets_again: float  # share of the decisions at which one was met that had been met before
    sequences: float  # log10 of the decision sequences of a deal
    deal_share: float  # of the variance of the result of seat 0, that the deal fixes
    deal_low: float
    deal_high: float
    first_seat: float  # share of wins of seat 0
    first_low: float
    first_high: float
    tie_breaks: float  # share of games that a tie-break decided
    draws: float  # share of games that nobody won, or several

    @property
    def subject(self) -> tuple[object, ...]:
        """What the row is about: a newer row of the same subject replaces it in a file."""
        return self.env, self.options


class _Counter(AgentWrapper):
    """An agent whose decisions are counted: how many have a choice, how wide it is, and which observations are met."""

    def __init__(self, inner: Agent):
        super().__init__(inner)
        self.choices, self.legal, self.met = 0, 0, set[int]()

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The actions of the agent."""
        legal = action_mask.sum(axis=1)
        open_to_choice = np.flatnonzero(legal > 1)
        self.choices += len(open_to_choice)
        self.legal += int(legal[open_to_choice].sum())
        self.met.update(hash(observation[i].tobytes() + action_mask[i].tobytes()) for i in open_to_choice)
        return super().act(observation, action_mask, rng, positions)


def game_card(
    setting: Setting, name: str, deals: range, repeats: int = REPEATS, sequences: int = SEQUENCES
) -> GameCard:
    """Play every deal so many times with the agent in all seats, and measure the game.

    Raises `RfopError` for fewer than two deals or repeats.
    """
    if len(deals) < 2 or repeats < 2:
        raise RfopError(f"a card needs 2 deals and 2 repeats of each, found {len(deals)} and {repeats}")
    game, components = setting.game, setting.game.load_components(setting.components)
    counter = _Counter(setting.agent(name))
    results = setting.self_play(counter, np.repeat(deals, repeats).tolist())

    won = results.won.reshape(len(deals), repeats, -1)
    share, low, high = deal_share(won[:, :, 0])
    low_length, high_length = np.percentile(results.decisions, QUANTILES)
    return GameCard(
        counter.name, len(results.won), repeats, float(results.decisions.mean()), float(low_length),
        float(high_length), counter.choices / len(results.won), counter.legal / max(1, counter.choices),
        len(counter.met), 1 - len(counter.met) / max(1, counter.choices),
        decision_sequences(setting, components, sequences), share, low, high, float(won[:, :, 0].mean()),
        *clustered(won[:, :, 0].mean(axis=1), even=None), _tie_breaks(game, results), _draws(results),
        **setting.provenance(deals),
    )  # fmt: skip


def deal_share(won: Floats, resamples: int = RESAMPLES) -> tuple[float, float, float]:
    """The share of the variance of results [deals, repeats] that the deals fix, with its interval over deals.

    It is the intraclass correlation of a one-way analysis of variance. The interval is a bootstrap over the deals.
    """
    samples = np.random.default_rng(0).integers(0, len(won), (resamples, len(won)))
    shares = np.array([_intraclass(won[sample]) for sample in samples])
    low, high = np.percentile(shares, [2.5, 97.5])
    return _intraclass(won), float(low), float(high)


def _intraclass(won: Floats) -> float:
    repeats = won.shape[1]
    within = float(won.var(axis=1, ddof=1).mean())
    between = max(0.0, float(won.mean(axis=1).var(ddof=1)) - within / repeats)
    return between / (between + within) if between + within > 0 else 0.0


def decision_sequences(setting: Setting, components: Any, games: int) -> float:
    """Log10 of the number of decision sequences of a deal, by Knuth's estimator over random games.

    A random game counts as the product of the numbers of legal actions on its way; the mean over games is unbiased.
    """
    batch = GameBatch(setting.game, games, options=dict(setting.options), components=components)
    batch.reset([FIRST_DEAL + deal for deal in range(games)])
    logs = np.zeros(games)
    while (running := batch.action_mask.any(axis=1)).any():
        logs[running] += np.log10(batch.action_mask[running].sum(axis=1))
        batch.step_random()
    highest = float(logs.max())
    return highest + float(np.log10(np.mean(10 ** (logs - highest))))


def _tie_breaks(game: Game, results: GameResults) -> float:
    """The share of games that a tie-break decided: by the end reason, or as the winner's points are another's, too."""
    tie_break = [reason.startswith("tie") for reason in game.end_reasons]
    if any(tie_break) or results.points.shape[1] == 1:
        return float(np.isin(results.end_reason, np.flatnonzero(tie_break)).mean())
    if "draw" in " ".join(game.end_reasons):
        return 0.0
    best = np.sort(results.points, axis=1)
    return float(((results.won.max(axis=1) == 1) & (best[:, -1] == best[:, -2])).mean())


def _draws(results: GameResults) -> float:
    """The share of games whose win is shared."""
    highest = results.won.max(axis=1)
    return float(((highest > 0) & (highest < 1)).mean())


# -- the table ---------------------------------------------------------------------------------------------------------


def cards_table(cards: Sequence[GameCard]) -> str:
    """A Markdown table with a column for each card."""
    lines: list[tuple[str, list[str]]] = [
        ("players, all of them", [f"`{card.agent}`" for card in cards]),
        ("games", [f"{card.games:,}" for card in cards]),
        ("decisions of a game: mean", [f"{card.length:.0f}" for card in cards]),
        ("the same: 5 % to 95 %", [f"{card.length_low:.0f} to {card.length_high:.0f}" for card in cards]),
        ("of them with a choice", [f"{card.choices:.0f}" for card in cards]),
        ("legal actions of a choice", [f"{card.branching:.1f}" for card in cards]),
        ("decision sequences of a deal", [f"10^{card.sequences:.0f}" for card in cards]),
        ("different observations with a choice", [f"{card.sets_met:,}" for card in cards]),
        ("choices at one met before", [f"{card.sets_again:.1%}" for card in cards]),
        ("share of the result that the deal fixes", [_share(c.deal_share, c.deal_low, c.deal_high) for c in cards]),
        (
            "wins of the first seat, a draw as half",
            [_share(card.first_seat, card.first_low, card.first_high) for card in cards],
        ),
        ("decided by a tie-break", [f"{card.tie_breaks:.1%}" for card in cards]),
        ("draws", [f"{card.draws:.1%}" for card in cards]),
    ]
    titles = ["", *(f"{card.env} {card.options}".strip() for card in cards)]
    return markdown_table(titles, [[word, *cells] for word, cells in lines], right=range(1, len(titles)))


def _share(share: float, low: float, high: float) -> str:
    return f"{share:.1%} ({low:.1%} to {high:.1%})"


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", metavar="AGENT", help=arguments.AGENT)
    arguments.add_setting(parser)
    parser.add_argument("--deals", type=number(int, 2), default=DEALS, help="number of deals (default %(default)s)")
    arguments.add_first_deal(parser)
    parser.add_argument(
        "--repeats", type=number(int, 2), default=REPEATS, help="games on each deal (default %(default)s)"
    )
    parser.add_argument(
        "--sequences", type=number(int, 1), default=SEQUENCES, help="random games (default %(default)s)"
    )
    parser.add_argument("--csv", type=Path, help="also write the card into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if args.csv:
        require_rows(args.csv, "--csv", GameCard)
    setting = arguments.make_setting(args)
    display_names(setting, [args.agent])
    deals = range(args.first_deal, args.first_deal + args.deals)
    card = game_card(setting, args.agent, deals, args.repeats, args.sequences)
    if args.csv:
        add_records(args.csv, [card], GameCard)
    print(cards_table([card]))
    return 0
