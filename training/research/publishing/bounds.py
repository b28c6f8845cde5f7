"""The best opponent known of every agent, from all published games of several seats.

How much it wins above its share is a lower bound of the exploitability of the agent. Games of all kinds count: trained
responses, responses that look ahead, matrices, searches, rollouts, scores of baselines. Several opponents were tried,
so the best of them is a little lucky; with a thousand games each that is a point or two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rfop_agents import baselines
from rfop_agents.network import NetworkAgent
from rfop_env.agent_names import NAMED, AgentSpec
from rfop_env.core.errors import RfopError
from rfop_training.common.records import read_records
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, Recorded, RecordedRow, is_search
from rfop_training.evaluation.setting import Setting
from training.research.publishing import replay
from training.research.publishing.results import RESULTS

RESPONSES = RESULTS / "best_responses.csv"
RESPONSE = "best response"  # the name of a trained response in its rows
QUICK_DEALS, QUICK_SEARCHED = range(600_000, 600_250), range(600_000, 600_020)  # the second for a victim that searches


@dataclass(frozen=True, kw_only=True)
class Response(RecordedRow):
    """The row of a response against the agent it was trained to beat, with its training budget."""

    steps: int  # decisions of the response in training
    run_seed: int
    trained: str  # git revision of the training
    init_from: str  # the network that its training started from; "" for none

    @property
    def subject(self) -> tuple[object, ...]:
        """As for other rows; responses of several seeds, and from several networks, stand beside each other."""
        return *super().subject, self.run_seed, self.init_from


@dataclass(frozen=True)
class Bound:
    """What an opponent wins from an agent, over all seats."""

    env: str
    options: str
    components: str  # digest of the set
    agent: str
    opponent: str  # by name; in words where it was trained against the agent
    games: int
    win_rate: float
    low: float
    high: float
    response: bool = False  # whether the opponent knows the agent

    @cached_property
    def share(self) -> float:
        """What an equal opponent wins."""
        return 1 / Setting.parse(self.env, self.options.split()).game.spec.players

    @property
    def least(self) -> float:
        """By how much the agent is exploitable at least; 0 where nobody is known who wins more than his share."""
        return max(0.0, self.low - self.share)


def published_bounds() -> list[Bound]:
    """What the published games of pairs say about every agent; those of two seats say it about both.

    Of a pair that was played several times the row with the most games counts, the first of equals.
    """
    bounds = [
        replace(read_bound(row, f"trained for {row.steps / 1e6:.1f} million decisions"), response=True)
        for row in _of_pairs(read_records(RESPONSES, Response))
    ]
    pairs: dict[tuple[str, ...], Bound] = {}
    for row in _of_pairs(_played()):
        bound = read_bound(row, row.agent)
        for way in [bound, _turned(bound)] if bound.share == 1 / 2 and not bound.response else [bound]:
            key = way.env, way.options, way.components, way.agent, way.opponent
            if key not in pairs or way.games > pairs[key].games:
                pairs[key] = way
    return [*bounds, *pairs.values()]


def _played() -> Iterator[RecordedRow]:
    """The published rows that can be played again."""
    for path in replay.matrices():
        yield from read_records(path, MatrixRow)
    for path in (replay.SEARCHED_RESPONSES, replay.SEARCHES, replay.ROLLOUTS, replay.SCORES, replay.FRESH):
        yield from read_records(path, RecordedRow)


def _of_pairs(rows: Iterable[Recorded]) -> Iterator[Recorded]:
    """The rows about all seats of a game of several."""
    return (row for row in rows if row.side == ALL and row.opponent != NO_OPPONENT)


def read_bound(row: RecordedRow, opponent: str) -> Bound:
    """What a row over all seats says about the agent that has the other seats."""
    response = AgentSpec.parse(row.agent).opponent is not None
    figures = row.games, row.win_rate, row.low, row.high
    return Bound(row.env, row.options, row.components, row.opponent, opponent, *figures, response)


def _turned(bound: Bound) -> Bound:
    """The same games of two seats from the other side."""
    shares = 1 - bound.win_rate, 1 - bound.high, 1 - bound.low
    where = bound.env, bound.options, bound.components
    return Bound(*where, bound.opponent, bound.agent, bound.games, *shares)


def best_known(bounds: Sequence[Bound] | None = None) -> list[Bound]:
    """The best opponent of every published agent with the present component set, by the lower end of the interval.

    `bounds`: those to choose from; None: all that are published.
    """
    best: dict[tuple[str, str, str], Bound] = {}
    for bound in present(published_bounds() if bounds is None else bounds):
        key = bound.env, bound.options, bound.agent
        if key not in best or bound.low > best[key].low:
            best[key] = bound
    return [bound for _, bound in sorted(best.items())]


def present(bounds: Sequence[Bound]) -> list[Bound]:
    """The bounds with the present component sets."""
    digests = {bound.env: Setting(bound.env).digest for bound in bounds}
    return [bound for bound in bounds if bound.components == digests[bound.env]]


# -- the network to start from -----------------------------------------------------------------------------------------


def strongest_network(setting: Setting, agent: str, workers: int = 1) -> Bound | None:
    """The published network that wins most against an agent; None where no network plays this game.

    The published games tell; where they have none of a network against the agent, all published networks of the game
    play it on `QUICK_DEALS`. The agent's own network counts as one that wins its share, so it is the strongest where no
    other wins more.
    """
    options = " ".join(f"{name}={value}" for name, value in sorted(setting.options))
    where = setting.env, options, setting.digest
    own = own_network(setting, agent)
    candidates = [
        replace(bound, opponent=AgentSpec.parse(bound.opponent).path)
        for bound in published_bounds()
        if (bound.env, bound.options, bound.components, bound.agent) == (*where, agent) and _is_network(bound)
    ]
    candidates = [bound for bound in candidates if bound.opponent != own]
    if not candidates:
        candidates = [
            Bound(*where, agent, row.agent, row.games, row.win_rate, row.low, row.high)
            for row in _quick_match(setting, agent, own, workers)
        ]
    if own:
        share = 1 / setting.game.spec.players
        candidates.append(Bound(*where, agent, own, 0, share, share, share))
    return max(candidates, key=lambda bound: bound.low, default=None)


def own_network(setting: Setting, agent: str) -> str:
    """The name of the network that an agent is, without the temperature at which it samples; "" for other agents."""
    spec = AgentSpec.parse(agent)
    plain = str(replace(spec, temperature="", symmetric=False)) if spec.kind == NAMED else ""
    return plain if plain and isinstance(setting.agent(plain), NetworkAgent) else ""


def _is_network(bound: Bound) -> bool:
    """Whether the opponent is a published network, also one that samples; a trained response is not kept."""
    spec = AgentSpec.parse(bound.opponent)
    return spec.kind == NAMED and baselines.is_baseline(spec.path)


def _quick_match(setting: Setting, agent: str, own: str, workers: int) -> list[RecordedRow]:
    """The rows of all published networks of a game, but the agent's own, against it."""
    deals = QUICK_SEARCHED if is_search(agent) else QUICK_DEALS
    rows = []
    for name in baselines.names(setting.game):
        if name != own and _plays(setting, name):
            options = dict(setting.options)
            rows.append(
                evaluate(
                    setting.env, [name, agent], deals, options=options, components=setting.components, workers=workers
                )[-1]
            )
    return rows


def _plays(setting: Setting, name: str) -> bool:
    """Whether a published network was trained for this version of a game and its component set."""
    try:
        setting.agent(name)
    except RfopError:
        return False
    return True
