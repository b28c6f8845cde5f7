"""Solve end games exactly, and measure agents against best play.

    python -m training.research end-games random scripted revolution/ppo-2 search-100 --env Revolution-v0
    python -m training.research end-games revolution/ppo-2 --env Revolution-v0 --left 10 --games 20 --csv end_games.csv
    python -m training.research end-games random --env RedFlagOverParis-v1 --origin red-flag/ppo-3 --cfr 100

For games of two seats without chance and secrets, and for Red Flag Over Paris. The positions are those of games of an
agent against itself (`--origin`): so many decisions before the longest game would end, or with so many cards still to
be played in the Final Crisis. Everything that can follow them is searched to the last, so that it is known what best
responses win from an agent. The probabilities of a random agent, and of a network that samples (`@1`), are taken as
they are.

An end game of Red Flag Over Paris begins with a chance node, which deals the hidden cards in hand and some cards of the
deck anew. Cards that are drawn later are chance nodes too. End games that are too large, or decided, are passed over.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, act_for, copy_games
from rfop_env.command_line import number
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.game_setup import add_components
from rfop_env.markdown import markdown_table
from rfop_training.common.command_line import add_env
from rfop_training.common.provenance import revision
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation.arguments import AGENT
from rfop_training.evaluation.games import FIRST_DEAL, default_opening
from rfop_training.evaluation.progress import Progress
from rfop_training.evaluation.setting import Setting, display_names
from rfop_training.evaluation.statistics import half_width
from training.research.lab import exact, hidden_cards, red_flag_deals
from training.research.lab.cfr import cfr_plus_at

Mean = tuple[float, float]  # with half its 95 % interval
NO_MEAN: tuple[None, None] = (None, None)
CLOSE = 1e-6  # two values closer than this are equal
HIDDEN = ("RedFlagOverParis-v1",)  # the games with hidden cards whose end games can be solved
LEFT, MOST = 8, 2_000_000  # defaults: decisions, and positions
CARDS_LEFT, MOST_OF_DEALS, DEALS = 3, 15_000, 12  # the same with hidden cards: cards, positions, deals


@dataclass(frozen=True)
class Finding:
    """What was found out about an agent: means over positions, each with half its 95 % interval."""

    agent: str
    positions: int
    best: float | None  # the probability that its move is among the best; None with hidden cards
    best_within: float | None
    loss: float | None  # what its move loses against best play after it, in units of the reward
    loss_within: float | None
    exploitability: float  # what best responses in both seats win from it, together (NashConv)
    exploitability_within: float


@dataclass(frozen=True)
class FindingRow(Finding):
    """A finding with everything needed to find it again."""

    env: str
    components: str  # digest of the set
    origin: str  # whose games the positions are from
    left: int  # decisions before the end of the longest game; with hidden cards, those still to be played
    games: int
    deals: int  # at most, in an end game with hidden cards; else 1
    most: int  # positions of an end game with hidden cards, others are passed over; else 0
    reward: str
    seed: int
    git: str

    @property
    def subject(self) -> tuple[object, ...]:
        """What the row is about: a newer row of the same subject replaces it in a file."""
        positions = self.origin, self.left, self.games, self.deals, self.most
        return self.agent, self.env, self.components, *positions, self.reward, self.seed


# -- the positions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solved:
    """End games with all that can follow, and what agents do there."""

    layers: Sequence[exact.Layer]
    passed_over: Mapping[str, int]  # how many were not solved, by the reason


@dataclass(frozen=True)
class EndGames:
    """Positions of games of an agent against itself, late enough for an exact search.

    Without chance and secrets they lie so many decisions before the longest game would end, where decisions without a
    choice until then do not count. In Red Flag Over Paris for two a side has a card to choose in the Final Crisis, and
    so many cards are left in both hands. Other games, and options, raise `RfopError`.
    """

    setting: Setting
    origin: str = ""  # the name of the agent; empty: the scripted player
    left: int = 0  # decisions before the end, or cards; 0: `LEFT` or `CARDS_LEFT`
    games: int = 100
    reward: str = ""  # kind; empty: the game's first
    most: int = 0  # positions that follow: all of them, or those of an end game with hidden cards; 0: `MOST`
    deals: int = DEALS  # of an end game with hidden cards, at most

    def __post_init__(self) -> None:
        game = self.setting.game
        require_solvable(game)
        if self.setting.options:
            raise RfopError("end games are solved without options: leave them out")
        defaults = {
            "origin": game.scripted[0].name,
            "left": CARDS_LEFT if self.hidden else LEFT,
            "most": MOST_OF_DEALS if self.hidden else MOST,
        }
        for name, value in defaults.items():
            object.__setattr__(self, name, getattr(self, name) or value)
        object.__setattr__(self, "reward", game.reward(self.reward or game.rewards[0].name)[1].name)

    @property
    def hidden(self) -> bool:
        """True for a game with hidden cards."""
        return self.setting.game.id in HIDDEN

    def positions(self) -> GameBatch:
        """The positions, a game each. They start with random decisions, as in an evaluation.

        Games that do not come to one are left out, and those that come to the position of an earlier one. Raises
        `RfopError` for fewer than two positions.
        """
        game = self.setting.game
        batch = GameBatch(game, self.games, FIRST_DEAL, components=game.load_components(self.setting.components))
        roots = self._play_to_cards(batch) if self.hidden else exact.first_of_each(batch, self._play_to_decision(batch))
        if len(roots) < 2:
            raise RfopError(
                f"of {self.games} games fewer than two come to such a position: give more --games or --left"
            )
        return copy_games(batch, roots)

    def _play_to_decision(self, batch: GameBatch) -> NDArray[np.intp]:
        """Play so many decisions of all games; returns those that still run."""
        game = self.setting.game
        opening = max(1, default_opening(game))
        batch.step_random(opening)
        rng = np.random.default_rng(self.setting.seed)
        for _ in range(game.spec.max_decisions - self.left - opening):
            self._decide(batch, rng)
        return np.flatnonzero(batch.action_mask.any(axis=1))

    def _play_to_cards(self, batch: GameBatch) -> NDArray[np.intp]:
        """Play until so many cards are left in both hands; returns the games that come so far, as they are then."""
        rng = np.random.default_rng(self.setting.seed)
        batch_copy, come = batch.clone(), np.zeros(self.games, np.bool_)
        while batch_copy.action_mask.any():
            new = np.flatnonzero(red_flag_deals.begins(batch_copy, self.left) & ~come)
            batch.copy_from(batch_copy, new, new)
            come[new] = True
            self._decide(batch_copy, rng)
        return np.flatnonzero(come)

    def _decide(self, batch: GameBatch, rng: np.random.Generator) -> None:
        """One decision of every game that has not ended, by the agent."""
        running = np.flatnonzero(batch.action_mask.any(axis=1))
        actions = np.full(self.games, NO_ACTION, np.int64)
        if len(running):
            actions[running] = act_for(self.setting.agent(self.origin), batch, running, rng)
        batch.step(actions)

    def solved(self, agents: Sequence[Agent]) -> Solved:
        """The positions with all that can follow, and what the agents do there.

        Raises `RfopError` for an agent with a memory, and for fewer than two end games with hidden cards that can be
        solved.
        """
        for agent in agents:
            if agent.remembers:
                raise RfopError(f"{agent.name} remembers a whole game, and an end game is a part: give one without")
        if self.hidden:
            return self._solved_deals(agents)
        return Solved(exact.solve(self.positions(), agents, self.most, self.reward, self.setting.seed), {})

    def _solved_deals(self, agents: Sequence[Agent]) -> Solved:
        """The same with hidden cards: those that are too large, or decided, are passed over."""
        positions = self.positions()
        solved, passed_over = [], Counter[str]()
        progress = Progress(positions.num_games)
        for k in range(positions.num_games):
            rng = np.random.default_rng([self.setting.seed, k])
            root = copy_games(positions, np.array([k]))
            try:
                cards = red_flag_deals.RedFlagCards(root, self.deals, self.reward, rng)
                solved.append(hidden_cards.Grower(cards, self.most, self.reward).solve(agents, self.setting.seed))
            except hidden_cards.NotSolved as reason:
                passed_over[str(reason)] += 1
            progress.count(1)
        progress.close()
        if len(solved) < 2:
            reasons = "; ".join(f"{count}: {reason}" for reason, count in passed_over.items())
            raise RfopError(f"fewer than two end games can be solved ({reasons}): give more --games or --most")
        return Solved(hidden_cards.join(solved), passed_over)

    @property
    def columns(self) -> dict[str, Any]:
        """What a row says about its end games, on any component set."""
        setting = self.setting
        deals, limit = (self.deals, self.most) if self.hidden else (1, 0)
        return {
            "env": setting.env, "origin": self.origin, "left": self.left, "games": self.games, "deals": deals,
            "most": limit, "reward": self.reward, "seed": setting.seed,
        }  # fmt: skip

    def among(self, rows: Sequence[FindingRow]) -> list[FindingRow]:
        """Those of some rows that are about these end games, on any component set."""
        columns = self.columns
        return [row for row in rows if columns.items() <= asdict(row).items()]

    def rows(self, results: Sequence[Finding]) -> list[FindingRow]:
        """Findings with what says how to find them again."""
        provenance = self.columns | {"components": self.setting.digest, "git": revision()}
        return [FindingRow(**asdict(finding), **provenance) for finding in results]


def require_solvable(game: Game) -> None:
    """Raise `RfopError` for a game whose end games cannot be solved."""
    all_seen = not game.spec.chance and not game.spec.hidden_information and game.spec.players == 2
    if not all_seen and game.id not in HIDDEN:
        raise RfopError(
            f"{game.id} has chance, secrets or not two seats: its end games cannot be solved exactly; "
            f"give a game without them, such as Revolution-v0, or {', '.join(HIDDEN)}"
        )


# -- what agents do in them --------------------------------------------------------------------------------------------


def findings(layers: Sequence[exact.Layer], names: Sequence[str]) -> list[Finding]:
    """What the layers tell about each of their policies, in the positions of the first one."""
    hidden = bool((layers[0].seat == exact.CHANCE).all())
    results = []
    for k, name in enumerate(names):
        (best, best_within), (loss, loss_within) = (NO_MEAN, NO_MEAN) if hidden else _first_moves(layers, k)
        own = exact.values(layers, k)[0]
        response = np.stack([exact.values(layers, k, seat)[0][:, seat] for seat in range(2)], axis=1)
        won, within = _mean((response - own).sum(axis=1))
        results.append(Finding(name, len(layers[0].seat), best, best_within, loss, loss_within, won, within))
    return results


def _first_moves(layers: Sequence[exact.Layer], number: int) -> tuple[Mean, Mean]:
    """How often an agent's moves in the first positions are among the best, and what they lose; without secrets."""
    first, best = layers[0], exact.values(layers)
    mover = first.seat[first.parent]
    lost = best[0][first.parent, mover] - best[1][first.child, mover]  # by each move, [m]
    figures = np.stack([(lost < CLOSE).astype(float), lost], axis=1)
    among_best, loss = exact.policy_means(first, first.policies[number], figures).T
    return _mean(among_best), _mean(loss)


def cfr_findings(layers: Sequence[exact.Layer], iterations: Sequence[int]) -> list[Finding]:
    """What CFR+ finds in these positions after some numbers of iterations."""
    policies = cfr_plus_at(layers, iterations)
    tables = [replace(layer, policies=own) for layer, *own in zip(layers, *policies, strict=True)]
    return findings(tables, [f"CFR+, {number} iteration{'s' * (number > 1)}" for number in iterations])


def _mean(figures: NDArray[np.float64]) -> Mean:
    return float(figures.mean()), half_width(figures)


def findings_table(rows: Sequence[Finding]) -> str:
    """A Markdown table of findings; with hidden cards it has fewer columns."""
    titles = ["agent", "positions", "best moves", "lost by its move", "exploitability"]
    cells = []
    for r in rows:
        best = "" if r.best is None else f"{r.best:.1%} ± {r.best_within:.1%}"
        loss, won = (
            "" if m is None else f"{m:.3f} ± {w:.3f}"
            for m, w in ((r.loss, r.loss_within), (r.exploitability, r.exploitability_within))
        )
        cells.append([r.agent, f"{r.positions:,}", best, loss, won])
    return markdown_table(titles, cells, right=range(1, len(titles)), drop_empty=True)


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_env(parser)
    parser.add_argument("--origin", default="", metavar="AGENT", help="whose games (default: the scripted player's)")
    left_help = f"decisions before the end (default {LEFT}), or cards to be played (default {CARDS_LEFT})"
    parser.add_argument("--left", type=number(int, 1), default=0, help=left_help)
    parser.add_argument(
        "--games", type=number(int, 2), default=100, help="games to take them from (default %(default)s)"
    )
    add_components(parser, "a component file, or small_board (default: the shipped set)")
    parser.add_argument("--reward", default="", help="reward kind (default: the game's first)")
    parser.add_argument(
        "--cfr", nargs="+", type=number(int, 1), default=[], metavar="N", help="also CFR+ with so many iterations"
    )
    most_help = (
        f"positions at most: of all (default {MOST}), or of an end game with hidden cards (default {MOST_OF_DEALS})"
    )
    parser.add_argument("--most", type=number(int, 1), default=0, help=most_help)
    deals = "deals at most, of an end game with hidden cards (default %(default)s)"
    parser.add_argument("--deals", type=number(int, 2), default=DEALS, help=deals)
    parser.add_argument(
        "--seed", type=number(int, 0), default=0, help="of the agents' random numbers (default %(default)s)"
    )
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments before anything is played.
    setting = Setting.parse(
        args.env, [], seed=args.seed, components=args.components, any_components=args.any_components
    )
    end_games = EndGames(setting, args.origin, args.left, args.games, args.reward, args.most, args.deals)
    names = display_names(setting, args.agents)
    if args.csv:
        require_rows(args.csv, "--csv", FindingRow)

    # What follows the positions, and what the agents do there.
    solved = end_games.solved([setting.agent(name) for name in args.agents])
    results = findings(solved.layers, [names[name] for name in args.agents]) + cfr_findings(solved.layers, args.cfr)
    print(findings_table(results))
    following = sum(len(layer.seat) for layer in solved.layers)
    print(f"\n{len(solved.layers[0].seat):,} positions, {following:,} with all that can follow")
    for reason, count in solved.passed_over.items():
        print(f"{count:,} passed over, {reason}")
    if args.csv:
        add_records(args.csv, end_games.rows(results), FindingRow)
    return 0
