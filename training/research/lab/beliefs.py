"""Measure beliefs about hidden cards in games of an agent against itself, and what a best response wins by them.

    python -m training.research beliefs red-flag/ppo-3 --games 10 --positions 40 --responses 0
    python -m training.research beliefs red-flag/ppo-3 --games 0 --positions 0 --responses 20 --budget 16

For Red Flag Over Paris for two. First, what the samples of each belief say of the truth at the decisions of both seats:
the logarithm of the probability of the enemy's objective, that of who holds a hidden strategy card (a sample in hand
counts as one of `SAMPLES`, and the uniform deal as one more), and the share of samples in which the enemy would not
have taken its last decision. Then the total variation between the belief and the exact posterior of the enemy's
objective in the first round, with all strategy cards known. Last, the games that a best response by search wins on the
same deals with each belief, and with the true hidden cards. `--csv` has a row for each figure, as soon as it is known.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_agents.belief import Belief, UniformBelief
from rfop_agents.head_belief import HeadBelief
from rfop_agents.network import NetworkAgent
from rfop_agents.policy_belief import Line, Moments, PolicyBelief
from rfop_agents.search import SearchAgent, search_settings
from rfop_agents.search.settings import GUMBEL
from rfop_env.agent import Agent, Positions, act_for
from rfop_env.command_line import number
from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import NOBODY
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game, Relabelling
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.games.red_flag_over_paris import components, state
from rfop_env.markdown import markdown_table
from rfop_env.players import load_agent
from rfop_env.registry import get_game
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation.arguments import AGENT
from rfop_training.evaluation.games import FIRST_DEAL, play
from rfop_training.evaluation.rows import Provenance
from rfop_training.evaluation.setting import Setting
from rfop_training.evaluation.statistics import half_width

ENV = "RedFlagOverParis-v1"
SAMPLES = 32  # of a belief, in each position
UNIFORM, CLAIRVOYANT = "uniform", "true cards"
Floats = NDArray[np.float64]


class TrueCards(Belief):
    """That everything hidden lies where it lies: a bound for what a belief can win. Only chance to come is drawn."""

    def sample(self, positions: Positions, copies: int, rng: Generator) -> NDArray[Any]:
        """The true records, structured [copies, n]."""
        records = np.repeat(positions.batch.states[positions.games], copies)
        batch = positions.to_batch(records)
        batch.determinize(NOBODY, rng.integers(0, 2**32, len(records)))
        return batch.get_state().reshape(-1, copies).T


def relabelling(game: Game) -> Relabelling:
    """The relabelling of a game's hidden cards. Raises `RfopError` where it has none."""
    if game.relabelling is None:
        raise RfopError(f"{game.id} has no relabelling of hidden cards")
    return game.relabelling


def beliefs(game: Game, agent: Agent, heads: Sequence[NetworkAgent] = ()) -> dict[str, Belief]:
    """The beliefs that are compared, by name; `heads`: networks with belief heads."""
    compared: dict[str, Belief] = {UNIFORM: UniformBelief(), f"policy {agent.name}": PolicyBelief(game, agent)}
    return compared | {f"head {network.name}": HeadBelief(game, network) for network in heads}


def decisions(game: Game, agent: Agent, games: int, seed: int) -> Iterator[Positions]:
    """Play games of an agent against itself: the positions of each seat, before each decision."""
    batch, rng = GameBatch(game, games), np.random.default_rng(seed)
    batch.reset([FIRST_DEAL + deal for deal in range(games)])
    batch.keep_history()
    while not batch.states["over"].all():
        running = np.flatnonzero(batch.states["over"] == 0)
        yield Positions(batch, running, rng)
        actions = np.full(games, NO_ACTION, np.int64)
        actions[running] = act_for(agent, batch, running, rng)
        batch.step(actions)


# -- what a belief says of the truth -----------------------------------------------------------------------------------


def numbers_of(game: Game, states: NDArray[Any], samples: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers that turn records [m] into samples of a belief [m]: int64 [m, L]."""
    places = [relabelling(game).places(records) for records in (states, samples)]
    labels = np.zeros(places[0].shape[1::-1], np.int64)
    for k in range(len(states)):
        cards, numbers = (np.lexsort(place[:, k].T[::-1]) for place in places)
        labels[k, cards] = numbers
    return labels


def scores(game: Game, agent: Agent, games: int, seed: int, heads: Sequence[NetworkAgent] = ()) -> dict[str, Floats]:
    """Of each belief, float64 [games, 3]: two logarithms of the probability of the truth, and the share contradicted.

    They are means over the decisions of a game, and NaN where there is nothing to say.
    """
    compared = beliefs(game, agent, heads)
    rows: dict[str, list[list[Floats]]] = {name: [[] for _ in range(games)] for name in compared}
    moments, lines = Moments(game), [Line() for _ in range(games)]
    rng = np.random.default_rng(seed)
    for positions in decisions(game, agent, games, seed):
        own = [lines[k] for k in positions.games]
        history = positions.batch.history
        assert history is not None, "it is kept"
        moments.catch_up(own, history, positions)
        for name, belief in compared.items():
            samples = belief.sample(positions, SAMPLES, rng)
            for k, (line, game_number) in enumerate(zip(own, positions.games.tolist(), strict=True)):
                record = positions.batch.get_record(game_number)
                contradicted = _contradicted(game, agent, moments, line, record, samples[:, k], positions.components)
                rows[name][game_number].append(np.array([*_logs(game, record, samples[:, k]), contradicted]))
    return {name: np.array([np.nanmean(own, axis=0) for own in by_game]) for name, by_game in rows.items()}


def _logs(game: Game, record: NDArray[Any], samples: NDArray[Any]) -> tuple[float, float]:
    """The logarithm of the truth: of the enemy's objective, and the mean over hidden strategy cards, in hand or not."""
    seat = int(record["player"][0])
    enemy = 1 - seat
    hidden = relabelling(game).unseen(record, seat)[0]

    objective = np.nan
    true = int(record["objective"][0, enemy])
    if true and hidden[true]:
        count = int((samples["objective"][:, enemy] == true).sum())
        objective = float(np.log((count + 1 / hidden[components.FIRST_OBJECTIVE :].sum()) / (SAMPLES + 1)))

    cards = np.flatnonzero(hidden[: components.STRATEGY_CARDS + 1])
    holding = record["zone"][0, cards] == state.IN_HAND_COMMUNE + enemy
    if not holding.any() or holding.all():
        return objective, np.nan
    counts = (samples["zone"][:, cards] == state.IN_HAND_COMMUNE + enemy).sum(axis=0)
    probs = (counts + holding.mean()) / (SAMPLES + 1)
    return objective, float(np.log(np.where(holding, probs, 1 - probs)).mean())


def _contradicted(
    game: Game, agent: Agent, moments: Moments, line: Line, record: NDArray[Any], samples: NDArray[Any], loaded: Any
) -> float:
    """The share of samples in which the enemy would not have taken its last decision; NaN where that was forced."""
    cards, seat = relabelling(game), int(record["player"][0])
    enemy_decisions = np.flatnonzero(line.players != seat)
    if not len(enemy_decisions):
        return np.nan
    last = line.records[enemy_decisions[-1:]]
    if moments.view(last.copy(), loaded)[1].sum() < 2 or (cards.unseen(record, seat) & ~cards.unseen(last, seat)).any():
        return np.nan
    labels = numbers_of(game, np.repeat(record, len(samples)), samples)
    records = np.repeat(last, len(samples))
    cards.relabel(records, labels)
    expected = cards.relabel_actions(np.repeat(line.actions[enemy_decisions[-1]], len(samples)), labels)
    observation, mask = moments.view(records, loaded)
    return float((agent.act(observation, mask, np.random.default_rng(0)) != expected).mean())


# -- beside the exact posterior ----------------------------------------------------------------------------------------


def objectives_alone(game: Game) -> Game:
    """The game with beliefs about objectives alone: all strategy cards are taken to be known."""
    cards = relabelling(game)
    return replace(
        game,
        relabelling=replace(cards, unseen=lambda states, seat: cards.unseen(states, seat) & (cards.kinds == 1)),
    )


def total_variations(game: Game, agent: Agent, positions: int, seed: int) -> Floats:
    """In first rounds, how far from the exact posterior of the enemy's objective two beliefs are: float64 [n, 2].

    They are the uniform one and the chains of `PolicyBelief`, whose own noise is that of `SAMPLES` samples.
    """
    belief = PolicyBelief(objectives_alone(game), agent, particles=SAMPLES)
    variations: list[tuple[float, float]] = []
    for places in decisions(game, agent, positions, seed):
        batch, history = places.batch, places.batch.history
        assert history is not None, "it is kept"
        late = (batch.states["round_number"][places.games] == 1) & (batch.states["plays"][places.games] >= 4)
        games = [k for k in places.games[late].tolist() if len(variations) < positions]
        if not games:
            if (batch.states["round_number"] > 1).all() or len(variations) >= positions:
                break
            continue
        for k in games[:: max(1, len(games) // 8)]:
            position = Positions(batch, np.array([k]), np.random.default_rng(seed))
            chains = belief.labels(position, history, np.random.default_rng([seed, len(variations)]))[0]
            exact = _exact_objectives(game, belief, position, history)
            true = int(batch.states["objective"][k, 1 - batch.current_player[k]])
            shares = np.bincount(chains[:, true], minlength=len(exact)) / len(chains)
            uniform = (exact > 0) / (exact > 0).sum()
            variations.append((abs(exact - uniform).sum() / 2, abs(exact - shares).sum() / 2))
    return np.array(variations[:positions])


def _exact_objectives(game: Game, belief: PolicyBelief, position: Positions, history: Any) -> Floats:
    """The exact posterior of the number of the enemy's objective: float64 [L]; all deals of the two it was offered."""
    cards, line = relabelling(game), Line()
    Moments(game).catch_up([line], history, position)
    record = position.batch.get_record(int(position.games[0]))
    seat = int(record["player"][0])
    hidden = np.flatnonzero(cards.unseen(record, seat)[0] & (cards.kinds == 1))
    zone = record["objective_zone"][0, hidden - components.FIRST_OBJECTIVE]
    offers = hidden[np.argsort(zone == state.OBJECTIVE_DECK, kind="stable")][:2]
    labels = np.tile(np.arange(len(cards.kinds)), (len(hidden) * (len(hidden) - 1), 1))
    for row, deal in zip(labels, itertools.permutations(hidden, 2), strict=True):
        row[offers] = deal
        row[np.setdiff1d(hidden, offers)] = np.setdiff1d(hidden, deal)
    logs = np.zeros(len(labels))
    for t in np.flatnonzero(line.players != seat):
        actions = np.repeat(line.actions[t], len(labels))
        records = np.repeat(line.records[t : t + 1], len(labels))
        logs += belief.action_logs(records, actions, labels, position.components)
    weights = np.exp(logs - logs.max())
    true = int(record["objective"][0, 1 - seat])
    return np.bincount(labels[:, true], weights / weights.sum(), minlength=len(cards.kinds)).astype(np.float64)


# -- what a response wins ----------------------------------------------------------------------------------------------


def response_wins(
    game: Game, agent: Agent, games: int, budget: int, heads: Sequence[NetworkAgent] = ()
) -> Iterator[tuple[str, Floats]]:
    """Each belief, and the share won on each deal by a response to an agent with it, in both seats: float64 [games].

    The uniform belief comes first, then the true cards.
    """
    guide = agent if isinstance(agent, NetworkAgent) else None
    settings = replace(search_settings(game), simulations=budget, root=GUMBEL, rollout_mix=0.0)
    for name, belief in ({UNIFORM: UniformBelief(), CLAIRVOYANT: TrueCards()} | beliefs(game, agent, heads)).items():
        response = SearchAgent(game, settings, network=guide, opponent=agent, belief=belief)
        by_seat = [
            play(game, seats, range(games), k).won for k, seats in enumerate(([response, agent], [agent, response]))
        ]
        yield name, np.mean(by_seat, axis=0)


# -- the table ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BeliefRow(Provenance):
    """One figure of a belief, with its 95 % interval over games, deals or positions."""

    agent: str  # who has both seats, and whose policy is known
    belief: str
    figure: str  # a column of the table
    budget: int  # simulations of the response; 0 where none is played
    value: float
    low: float
    high: float
    units: int  # games, deals or positions

    @property
    def subject(self) -> tuple[object, ...]:
        """What the row is about: a newer row of the same subject replaces it in a file."""
        return self.agent, self.belief, self.figure, self.budget, self.env, self.components


OBJECTIVE, CARDS, CONTRADICTED, VARIATION = "objective", "strategy cards", "contradicted", "total variation"
WINS, GAIN, SHARE = "wins", "more than uniform", "share of the gain"
TABLES = {  # the figures of each, and the units of its intervals
    "scores": ((OBJECTIVE, CARDS, CONTRADICTED), "games"),
    "variation": ((VARIATION,), "positions"),
    "responses": ((WINS, GAIN, SHARE), "deals"),
}
PERCENT = {CONTRADICTED, WINS, GAIN, SHARE}
RESAMPLES = 2000


def score_rows(game: Game, agent: Agent, games: int, seed: int, heads: Sequence[NetworkAgent] = ()) -> list[BeliefRow]:
    """What each belief says of the truth: the rows of `scores`."""
    return [
        _row(agent, belief, figure, figures[:, k], FIRST_DEAL, seed)
        for belief, figures in scores(game, agent, games, seed, heads).items()
        for k, figure in enumerate(TABLES["scores"][0])
    ]


def variation_rows(game: Game, agent: Agent, positions: int, seed: int) -> list[BeliefRow]:
    """How far the uniform belief and the chains are from exact posteriors: the rows of `total_variations`."""
    names = beliefs(game, agent)
    variations = total_variations(game, agent, positions, seed)
    return [
        _row(agent, belief, VARIATION, column, FIRST_DEAL, seed)
        for belief, column in zip(names, variations.T, strict=True)
    ]


def response_rows(
    game: Game, agent: Agent, deals: int, budget: int, heads: Sequence[NetworkAgent] = ()
) -> Iterator[list[BeliefRow]]:
    """What a response wins with each belief: its rows, once its games are played.

    The share of the gain is that of the true cards, of which a belief reaches a part.
    """
    wins: dict[str, Floats] = {}
    for belief, won in response_wins(game, agent, deals, budget, heads):
        wins[belief] = won
        rows = [_row(agent, belief, WINS, won, 0, 0, budget)]
        if belief != UNIFORM:
            gain = won - wins[UNIFORM]
            rows.append(_row(agent, belief, GAIN, gain, 0, 0, budget))
            if belief != CLAIRVOYANT:
                value, low, high = share_of(gain, wins[CLAIRVOYANT] - wins[UNIFORM])
                rows.append(replace(rows[-1], figure=SHARE, value=value, low=low, high=high))
        yield rows


def share_of(gain: Floats, ceiling: Floats) -> tuple[float, float, float]:
    """The mean of a gain [deals] as a share of the mean of another, with its 95 % interval: a bootstrap over deals."""
    deals = np.random.default_rng(0).integers(len(gain), size=(RESAMPLES, len(gain)))
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.nanpercentile(gain[deals].mean(axis=1) / ceiling[deals].mean(axis=1), (2.5, 97.5))
        return float(gain.mean() / ceiling.mean()), float(low), float(high)


def _row(
    agent: Agent, belief: str, figure: str, figures: Floats, first_deal: int, seed: int, budget: int = 0
) -> BeliefRow:
    units = figures[~np.isnan(figures)]
    mean, within = float(units.mean()), half_width(units)
    provenance = Setting.parse(ENV, [], seed=seed).provenance(range(first_deal, first_deal + len(figures)))
    return BeliefRow(agent.name, belief, figure, budget, mean, mean - within, mean + within, len(units), **provenance)


def beliefs_table(rows: Sequence[BeliefRow], name: str) -> str:
    """A Markdown table, one of `TABLES`: a line for each agent and belief."""
    figures, units = TABLES[name]
    lines: dict[tuple[str, str], dict[str, BeliefRow]] = {}
    for row in rows:
        if row.figure in figures:
            lines.setdefault((row.agent, row.belief), {})[row.figure] = row
    titles = ["agent", "belief", *figures, units]
    cells = [
        [*names, *(_cell(columns.get(figure)) for figure in figures), f"{max(row.units for row in columns.values()):,}"]
        for names, columns in lines.items()
    ]
    return markdown_table(titles, cells, right=range(2, len(titles)))


def _cell(row: BeliefRow | None) -> str:
    if row is None:
        return ""
    form = "{:.1%}" if row.figure in PERCENT else "{:.3f}"
    if row.figure == SHARE:
        return f"{row.value:.0%} ({row.low:.0%} to {row.high:.0%})"
    return f"{form} ± {form}".format(row.value, row.high - row.value)


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", help=f"who has both seats, and whose policy is known: {AGENT}")
    parser.add_argument("--heads", nargs="+", default=[], metavar="NETWORK", help="networks with belief heads")
    parser.add_argument("--games", type=number(int, 0), default=10, help="for scores (default %(default)s)")
    parser.add_argument(
        "--positions", type=number(int, 0), default=40, help="with exact posteriors, at most (default %(default)s)"
    )
    parser.add_argument("--responses", type=number(int, 0), default=20, help="deals (default %(default)s)")
    parser.add_argument("--budget", type=number(int, 2), default=16, help="of a response (default %(default)s)")
    parser.add_argument("--seed", type=number(int, 0), default=0, help="of the beliefs (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    game = get_game(ENV)
    agent, networks = load_agent(args.agent, game), [load_agent(name, game) for name in args.heads]
    heads = [network for network in networks if isinstance(network, NetworkAgent)]
    if len(heads) < len(networks):
        raise RfopError("--heads: give networks with belief heads")
    if 1 in (args.games, args.positions, args.responses):
        raise RfopError("--games, --positions, --responses: 0 or at least 2, an interval needs two")
    if args.csv:
        require_rows(args.csv, "--csv", BeliefRow)

    def write(rows: Sequence[BeliefRow]) -> None:
        if args.csv:
            add_records(args.csv, rows, BeliefRow)

    if args.games:
        write(rows := score_rows(game, agent, args.games, args.seed, heads))
        print(beliefs_table(rows, "scores"), flush=True)
    if args.positions:
        write(rows := variation_rows(game, agent, args.positions, args.seed))
        print(beliefs_table(rows, "variation"), flush=True)
    if args.responses:
        responses: list[BeliefRow] = []
        for rows in response_rows(game, agent, args.responses, args.budget, heads):
            write(rows)
            responses += rows
            print(f"{rows[0].belief}: {_cell(rows[0])}", file=sys.stderr, flush=True)
        print(beliefs_table(responses, "responses"))
    return 0
