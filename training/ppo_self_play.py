"""Train one network for all seats of any game by self-play PPO, with logs, checkpoints and exact resume.

    python -m training.ppo_self_play --env Revolution-v0 --minutes 10 --run runs/revolution
    python -m training.ppo_self_play --env Revolution-v0 --minutes 10 --run runs/revolution --resume
    python -m training.ppo_self_play --env LeveeEnMasse-v0 --steps 5000000 --run runs/levee --seed 1 --seeds 5

The advantage of a decision runs to the same seat's next decision, in the same turn or after those of others, and never
through the others' views; what a seat is paid in between belongs to the earlier decision. docs/training.md says more.

A run's folder holds `model.safetensors` (the newest model), `checkpoints/`, `checkpoint.pt` (all that going on needs),
`run.json` (arguments, versions), `progress.csv` and `curve.csv` (wins on fixed deals). Ctrl-C keeps the last model, and
a run that was killed goes on from its last checkpoint. One process at a time has the folder.
"""

from __future__ import annotations

import copy
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import agents
from agents.agent import Agent, act_for
from agents.card import game_card
from agents.network import MODEL, NetworkAgent, write_network
from rfop_env.command_line import command
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.core.kernels import Kernels
from rfop_env.registry import get_game
from training import run_folder
from training.evaluate import opening_of
from training.network import CentralCritic, Network, load_optimiser
from training.records import append_rows
from training.run_folder import (
    MANY,
    MOST_SEEDS,
    MOST_THREADS,
    NOT_NEGATIVE,
    POSITIVE,
    PROGRESS,
    SHARE,
    WIDE,
    Budget,
    Range,
    curve_rows,
    options_of,
    setting,
)

MODULE = "training.ppo_self_play"
SELF, PAST = "self", "past"
OPEN, END = -1, -2  # the next decision of a seat: not taken yet; none, the game has ended
EVERY_SEAT = UNADVISED = -1
SEEDS_APART = 1_000_003  # between the games of two runs; all stay below the evaluation's deals


@dataclass
class Arguments:
    """All settings of a run; every field is a command-line option, and says its range."""

    run: Path = setting(Path("runs/self_play"), "folder of the run")
    env: str = setting("Revolution-v0", "environment id")
    option: str = setting("", "options of the game: side=commune, or players=3,screens=open")
    components: str = setting("", "component file; empty: the shipped set")
    minutes: float = setting(0.0, "stop after so many minutes; 0: only --steps ends the run", NOT_NEGATIVE)
    steps: int = setting(0, "stop after so many decisions of the learner; 0: only --minutes ends the run", NOT_NEGATIVE)
    seed: int = setting(1, "of networks, games and action sampling", Range(0, MOST_SEEDS))
    seeds: int = setting(1, "runs to make, of seeds from --seed on, in folders seed_1, ...", Range(1, 1000))
    at_once: int = setting(1, "of these runs, how many go side by side, in processes", Range(1, 1000))
    resume: bool = setting(False, "go on from the run's checkpoint")
    opponents: str = setting(
        "",
        "who has the other seats, by shares of the games: self, past (snapshots), random, a scripted player, or the "
        "path of a model, as in self=0.7,past=0.2,scripted=0.1; empty: self=0.8,past=0.2",
    )
    reward: str = setting(
        "",
        "reward kind, or several by weight, as in outcome=0.5,margin=0.5, paid as they change; empty: the dense one, "
        "or else that of points, in games of several seats half that and half the first (who won)",
    )
    envs: int = setting(512, "games side by side", Range(1, MANY))
    rollout: int = setting(64, "decisions of each game between two updates", Range(1, MANY))
    batch: int = setting(1024, "decisions in a gradient step", Range(1))
    epochs: int = setting(1, "passes over the decisions of an update", Range(1))
    learning_rate: float = setting(1e-3, "at the start; falls to a tenth over the budget", NOT_NEGATIVE)
    gamma: float = setting(1.0, "discount from a decision to the seat's next one", SHARE)
    gae_lambda: float = setting(0.95, "of the advantage estimate", SHARE)
    clip: float = setting(0.2, "clipping range of the policy ratio", POSITIVE)
    value_weight: float = setting(0.5, "weight of the value's squared error in the loss", NOT_NEGATIVE)
    gradient_norm: float = setting(0.5, "longest gradient; longer ones are shortened to it", POSITIVE)
    entropy: float = setting(0.05, "weight of the policy's entropy in the loss, at the start", NOT_NEGATIVE)
    entropy_end: float = setting(0.01, "the same at the end of the budget", NOT_NEGATIVE)
    magnet: float = setting(
        0.0, "weight of KL(policy, magnet), a slowly following copy of the policy; 0: none", NOT_NEGATIVE
    )
    magnet_rate: float = setting(0.05, "how far the magnet follows in an update, 0 to 1", SHARE)
    start: str = setting("", "a network to begin with: the path of a model or run, or a baseline's name")
    teacher: str = setting("", "a player to learn from at first: scripted, ..., or the path of a model")
    teacher_weight: float = setting(
        1.0, "weight of the cross-entropy from the teacher's moves at the start; falls to 0", NOT_NEGATIVE
    )
    teacher_until: float = setting(0.3, "share of the budget after which the teacher is gone", Range(0, 1, above=True))
    width: int = setting(256, "units of each hidden layer", Range(1, WIDE))
    layers: int = setting(2, "hidden layers", Range(1, 100))
    core: int = setting(0, "units of a recurrent core (GRU); 0: none", Range(0, WIDE))
    central_critic: bool = setting(False, "estimate advantages by a critic that sees what every seat sees")
    no_symmetries: bool = setting(False, "never turn or mirror a board that has symmetries")
    pool: int = setting(16, "snapshots kept for `past`", Range(1, 10_000))
    pool_every: int = setting(20, "updates between two snapshots", Range(1))
    prioritised: bool = setting(False, "prefer the snapshots that win most")
    restarts: float = setting(0.0, "share of games that start from recorded positions", SHARE)
    openings: float = setting(0.5, "share of games without chance and secrets that begin with random decisions", SHARE)
    evaluate_every: float = setting(60.0, "seconds between two points of the learning curve", NOT_NEGATIVE)
    evaluate_deals: int = setting(100, "deals a side for each point of the learning curve", Range(1, MANY))
    evaluate_against: str = setting("", "whom the learning curve is against; empty: the game's last scripted player")
    checkpoint_every: float = setting(120.0, "seconds between two checkpoints", NOT_NEGATIVE)
    threads: int = setting(1, "threads of torch and of the environment", Range(1, MOST_THREADS))
    precision: str = setting(
        "float32",
        "of products in hidden layers: float32, or bfloat16, faster where processors have it",
        ("float32", "bfloat16"),
    )
    device: str = setting("cpu", "where networks are trained: cpu or cuda", ("cpu", "cuda"))
    quiet: bool = setting(False, "no progress bar")


# -- who plays ---------------------------------------------------------------------------------------------------------


class Table:
    """Games whose other seats are taken in the same way.

    The learner has every seat (`self`), or one seat of each game: the others are then taken inside the environment
    (random and scripted players) or by an `agent` that is asked here (a snapshot, a model from a file).
    """

    def __init__(
        self,
        name: str,
        batch: GameBatch,
        columns: slice,
        rewards: Mapping[str, float],
        agent: Agent | None,
        rng: np.random.Generator,
    ):
        self.name, self.batch, self.columns, self.agent, self.rng = name, batch, columns, agent, rng
        self.snapshot = 0  # which of the pool is seated, at the tables of `past`
        self.score = 0.0  # moving average of the learner's returns
        self.seat = np.full(batch.num_games, EVERY_SEAT, np.int64)
        if agent is not None:
            self.draw_seats(np.arange(batch.num_games))
        kinds = [(batch.game.reward(name), weight) for name, weight in rewards.items()]
        self.kinds = [(number, kind.scale * weight) for (number, kind), weight in kinds]
        self.spread()
        self.paid = self.payoffs()

    PHASES = 32

    def spread(self) -> None:
        """Play the first games part of the way at random, so that they end at different times.

        Otherwise all would be in the same phase at once, and each update would know that phase alone.
        """
        batch = self.batch
        while (batch.states["over"] == 0).any():
            batch.step_random(self.PHASES)
        length = int(np.median(batch.states["decisions"]))
        batch.reset()
        part = self.rng.integers(0, self.PHASES, batch.num_games)
        for phase in range(self.PHASES):
            batch.step_random(max(1, length // self.PHASES))
            batch.reset(only=(part == phase) | (batch.states["over"] != 0))

    def payoffs(self) -> NDArray[np.float32]:
        """What every seat has at the moment, by all reward kinds with their weights: float32 [n, P]."""
        total, paid = np.zeros_like(self.batch.rewards), np.zeros_like(self.batch.rewards)
        for kind, scale in self.kinds:
            Kernels.of(self.batch.game).payoffs(self.batch.states, self.batch.components.record, kind, scale, paid)
            total += paid
        return total

    def draw_seats(self, games: NDArray[np.intp]) -> None:
        """Draw the learner's seat in these games."""
        self.seat[games] = self.rng.integers(0, self.batch.game.spec.players, len(games))

    def mine(self) -> NDArray[np.bool_]:
        """Where the learner decides: bool [n]."""
        return (self.seat == EVERY_SEAT) | (self.batch.current_player == self.seat)

    def step(
        self, actions: NDArray[np.int64], mine: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Carry out the learner's actions [n] and everybody else's; rewards [n, P], and which games ended [n]."""
        batch, theirs = self.batch, np.flatnonzero(~mine)
        if self.agent is not None and len(theirs):
            actions[theirs] = act_for(self.agent, batch, theirs, self.rng)
        batch.step(actions)
        now, ended = self.payoffs(), batch.terminated.copy()
        rewards, self.paid = now - self.paid, now
        if ended.any():
            self.begin(ended)
        return rewards, ended

    def begin(self, ended: NDArray[np.bool_]) -> None:
        """Keep the score of the games that ended, and begin the next ones."""
        games = np.flatnonzero(ended)
        seats = self.batch.learner[games] if self.agent is None else self.seat[games]
        for payoff in self.paid[games, seats]:
            self.score += 0.01 * (float(payoff) - self.score)
        if self.agent is not None:
            self.draw_seats(games)
        self.batch.reset(only=ended)
        self.paid = self.payoffs()


def parse_rewards(text: str, game: Game) -> dict[str, float]:
    """Reward kinds and their weights; raises `RfopError`."""
    dense = [reward.name for reward in game.rewards if reward.dense]
    first = game.rewards[0].name
    usual = [*dense, game.points][0] if dense or game.spec.players == 1 or first == game.points else ""
    rewards: dict[str, float] = {}
    for part in (text or usual or f"{first}=0.5,{game.points}=0.5").split(","):
        name, equals, weight = part.strip().partition("=")
        game.reward(name)
        try:
            rewards[name] = float(weight) if equals else 1.0
        except ValueError:
            raise RfopError(f"--reward: expected KIND or KIND=WEIGHT, found {part.strip()!r}") from None
    return rewards


def parse_shares(text: str, game: Game) -> dict[str, float]:
    """Opponents and their shares of the games, which add up to 1; raises `RfopError`."""
    if game.spec.players == 1:
        text = text or f"{SELF}=1"
    shares: dict[str, float] = {}
    for part in (text or f"{SELF}=0.8,{PAST}=0.2").split(","):
        name, _, share = part.strip().rpartition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise RfopError(f"--opponents: expected NAME=SHARE, found {part.strip()!r}") from None
    if min(shares.values()) <= 0 or abs(sum(shares.values()) - 1) > 1e-6:
        raise RfopError(f"--opponents: shares are above 0 and add up to 1, found {text!r}")
    if game.spec.players == 1 and list(shares) != [SELF]:
        raise RfopError(f"--opponents: {game.id} has one seat, so nobody else plays; leave it out")
    return shares


PAST_TABLES = 2  # snapshots that play at the same time; each costs a step of its own


def seat_tables(told: Arguments, game: Game, components: Any, rng: np.random.Generator) -> list[Table]:
    """All tables of a run; those of `past` wait for their first snapshot."""
    blocks: list[tuple[str, float]] = []
    for name, share in parse_shares(told.opponents, game).items():
        blocks += [(PAST, share / PAST_TABLES)] * PAST_TABLES if name == PAST else [(name, share)]
    edges = np.round(np.cumsum([0.0, *(share for _, share in blocks)]) * told.envs).astype(int).tolist()
    if min(np.diff(edges)) < 1:
        raise RfopError(f"--envs: {told.envs} games are too few for {len(blocks)} tables; give more, or other shares")
    inside = [opponent.name for opponent in game.opponents]
    tables, rewards = [], parse_rewards(told.reward, game)
    for (name, _), low, high in zip(blocks, edges[:-1], edges[1:], strict=True):
        batch = GameBatch(
            game, high - low, told.seed * SEEDS_APART + low, options=options_of(told.option, game),
            components=components, threads=told.threads,
            opponent=name if name in inside else None,
        )  # fmt: skip
        agent = None if name in (SELF, PAST, *inside) else agents.load(name, game, components)
        tables.append(Table(name, batch, slice(low, high), rewards, agent, rng))
    return tables


def load_teacher(told: Arguments, game: Game, components: Any) -> Agent | None:
    """The player to learn from at first, if any; raises `RfopError`."""
    if not told.teacher:
        return None
    teacher = agents.load(told.teacher, game, components)
    if teacher.remembers:
        raise RfopError(f"--teacher: {told.teacher} has a memory of the games it plays itself; take one without")
    return teacher


def begin_with(network: Network, told: Arguments, game: Game, components: Any) -> None:
    """Give a network the weights that the run begins with, if any; raises `RfopError`."""
    if not told.start:
        return
    agent: Agent | None = None
    with suppress(UnknownName):
        agent = agents.load(told.start, game, components)
    if not isinstance(agent, NetworkAgent):
        raise RfopError(f"--start: {told.start} is no network; give a run's folder, a model or a baseline")
    try:
        network.take(agent.weights)
    except RfopError as error:
        raise RfopError(f"--start {told.start}: {error}; set --width, --layers and --core as it was made") from None


class Pool:
    """Snapshots of the learner, who play at the tables of `past`."""

    def __init__(self, told: Arguments, tables: Sequence[Table], rng: np.random.Generator):
        self.told, self.rng = told, rng
        self.tables = [table for table in tables if table.name == PAST]
        self.weights: list[dict[str, NDArray[np.float32]]] = []
        self.scores: list[float] = []  # the learner's moving average against each

    def add(self, network: Network) -> None:
        """Take a snapshot, in the place of a random older one when the pool is full, and seat snapshots anew."""
        if not self.tables:
            return
        for table in self.tables:
            if self.weights:
                self.scores[table.snapshot] = table.score
        if len(self.weights) == self.told.pool:
            gone = int(self.rng.integers(0, self.told.pool))
            del self.weights[gone], self.scores[gone]
        self.weights.append(network.arrays())
        self.scores.append(0.0)
        for table in self.tables:
            self.seat(table, int(self.rng.choice(len(self.weights), p=self.chances())))

    def chances(self) -> NDArray[np.float64]:
        """With what chance each snapshot is seated: equal, or more for those that the learner loses to."""
        hard = (1.0 - np.array(self.scores)) ** 2 + 0.01
        return hard / hard.sum() if self.told.prioritised else np.full(len(hard), 1 / len(hard))

    def restore(
        self, weights: Sequence[Mapping[str, Tensor]], scores: Sequence[float], like: Mapping[str, Any]
    ) -> None:
        """Put the snapshots of a checkpoint back, which have the names and shapes of `like`; raises `RfopError`."""
        self.weights = []
        for one in weights:
            self.weights.append({name: np.empty_like(array) for name, array in like.items()})
            for name, array in self.weights[-1].items():
                refill(array, one[name])
        self.scores = [float(score) for score in scores]
        if len(self.scores) != len(self.weights) or len(self.weights) > self.told.pool:
            raise RfopError(f"{len(self.weights)} snapshots with {len(self.scores)} scores")

    def seat(self, table: Table, snapshot: int) -> None:
        """Put a snapshot at a table, where its games go on against it."""
        table.snapshot, table.score = snapshot, self.scores[snapshot]
        table.agent = NetworkAgent.of_weights(self.weights[snapshot], PAST, sample=True)
        if (table.seat == EVERY_SEAT).all():
            table.draw_seats(np.arange(len(table.seat)))


# -- what was decided --------------------------------------------------------------------------------------------------


class Rollout:
    """The learner's decisions of `steps` steps of N games, in rows of time; a slot is row * N + game.

    A seat's decisions in a game form a chain: `next` is the slot of its next one, `OPEN` if that has not been taken
    yet, `END` if the game ended first. Rewards between the two belong to the earlier. The last decision of a chain is
    not trained on while it is open: it moves to the first rows (one for each seat) of the next rollout, and there meets
    its successor. So no advantage needs the value of a position in which another seat decides.
    """

    def __init__(self, steps: int, games: int, game: Game, core: int, central: bool):
        seats, rows = game.spec.players, game.spec.players + steps
        self.steps, self.games, self.seats, self.rows = steps, games, seats, rows
        self.observation = np.zeros((rows, games, game.observation.size), np.int8)
        self.others = np.zeros((rows, games, seats - 1 if central else 0, game.observation.size), np.int8)
        self.mask = np.ones((rows, games, game.actions.size), np.bool_)
        self.memory = np.zeros((rows, games, core), np.float32)  # before the decision
        self.seat = np.zeros((rows, games), np.int64)
        self.action = np.zeros((rows, games), np.int64)
        self.log_chance = np.zeros((rows, games), np.float32)
        self.value = np.zeros((rows, games), np.float32)
        self.advised = np.full((rows, games), UNADVISED, np.int64)  # the teacher's action, as the network counts them
        self.reward = np.zeros((rows, games), np.float32)
        self.next = np.full((rows, games), OPEN, np.int64)
        self.first = np.zeros((rows, games), np.bool_)  # no earlier decision of the chain is in these rows
        self.mine = np.zeros((rows, games), np.bool_)
        self.last = np.full((games, seats), OPEN, np.int64)  # the slot of each seat's open decision

    def link(self, row: int, seat: NDArray[np.int64], mine: NDArray[np.bool_]) -> None:
        """Enter the decisions of a step, and make each the successor of its seat's last one."""
        games = np.flatnonzero(mine)
        slots, before = row * self.games + games, self.last[games, seat[games]]
        known = before >= 0
        self.next.reshape(-1)[before[known]] = slots[known]
        self.first.reshape(-1)[slots] = ~known
        self.last[games, seat[games]] = slots
        self.seat[row], self.mine[row], self.next[row], self.reward[row] = seat, mine, OPEN, 0.0

    def pay(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Give every seat [N, P] its reward, whoever moved, and close the chains of the games that ended."""
        open_now = self.last >= 0
        self.reward.reshape(-1)[self.last[open_now]] += rewards[open_now]
        closed = open_now & ended[:, None]
        self.next.reshape(-1)[self.last[closed]] = END
        self.last[ended] = OPEN

    def carry(self) -> None:
        """Begin the next rollout: the open decisions become its first rows."""
        games, seats = np.nonzero(self.last >= 0)
        source, target = self.last[games, seats], seats * self.games + games
        for name in ("observation", "others", "mask", "memory", "action", "log_chance", "value", "advised",
                     "reward"):  # fmt: skip
            array = getattr(self, name).reshape(self.rows * self.games, *getattr(self, name).shape[2:])
            array[target] = array[source]
        self.mine[: self.seats] = False
        self.mine.reshape(-1)[target] = True
        self.seat[: self.seats] = np.arange(self.seats)[:, None]
        self.first[: self.seats], self.next[: self.seats] = True, OPEN
        self.last[games, seats] = target

    def closed(self) -> NDArray[np.bool_]:
        """The decisions whose successor, or whose game's end, is known: bool [rows, N]."""
        return self.mine & (self.next != OPEN)


def advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> NDArray[np.float32]:
    """Generalised advantage estimates along each seat's own decisions: float32 [rows, N], 0 for open ones."""
    found, value, closed = np.zeros(rollout.value.size, np.float32), rollout.value.reshape(-1), rollout.closed()
    for row in reversed(range(rollout.rows)):
        here = slice(row * rollout.games, (row + 1) * rollout.games)
        successor = rollout.next[row]
        later = np.where(successor >= 0, value[successor] + gae_lambda * found[successor], 0.0)
        found[here] = np.where(closed[row], rollout.reward[row] + gamma * later - value[here], 0.0)
    return found.reshape(rollout.rows, rollout.games)


class Restarts:
    """Positions recorded at a table while playing, from which a share of its games starts.

    At every rollout some are replaced by the positions of now; everything that the seat on turn cannot see, and all
    chance to come, is determinized in all of them. A game that starts from one keeps its own seed for the games after
    it.
    """

    REPLACED = 0.1
    OWN: tuple[str, ...] = ("seed", "episode")  # what a game that starts from a position keeps

    def __init__(self, table: Table, share: float, rng: np.random.Generator):
        self.table, self.batch, self.share, self.rng = table, table.batch, share, rng
        self.shelf = self.new_shelf()

    def new_shelf(self) -> GameBatch:
        """A batch that holds positions for the table's games."""
        return self.batch.clone()

    def record(self) -> None:
        """Put some of the positions of now on the shelf, and determinize what is hidden in all."""
        replaced = np.flatnonzero(self.rng.random(self.shelf.num_games) < self.REPLACED)
        self.shelf.copy_from(self.batch, replaced, replaced)
        keys = self.rng.integers(0, 2**32, self.shelf.num_games)
        self.shelf.determinize(self.shelf.current_player, keys)

    def restart(self, ended: NDArray[np.bool_]) -> None:
        """Let a share of the games that have just begun begin from the shelf instead."""
        games = np.flatnonzero(ended & (self.rng.random(len(ended)) < self.share))
        own = self.batch.states[list(self.OWN)][games].copy()
        self.batch.copy_from(self.shelf, [int(self.rng.integers(0, self.shelf.num_games)) for _ in games], games)
        for name in self.OWN:
            self.batch.states[name][games] = own[name]
        self.batch.refresh(games)
        over = ended & (self.batch.states["over"] != 0)  # by the answer of a player inside the environment
        if over.any():
            self.batch.reset(only=over)
        self.table.paid = self.table.payoffs()


class Openings(Restarts):
    """Positions after a few random decisions, where else every game would begin alike; as in the evaluation's deals.

    Everybody's decisions are random there, also those of a player inside the environment: it would soon beat chance.
    """

    OWN = (*Restarts.OWN, "learner")

    def new_shelf(self) -> GameBatch:
        """A batch without a player inside, whose games have the seeds of the table's."""
        batch = self.batch
        shelf = GameBatch(batch.game, batch.num_games, options=batch.given_options, components=batch.components)
        shelf.copy_from(batch)
        return shelf

    def record(self) -> None:
        """New openings, of one to as many decisions as the evaluation's."""
        self.shelf.reset()
        self.shelf.step_random(int(self.rng.integers(1, opening_of(self.batch.game) + 1)))


# -- learning ----------------------------------------------------------------------------------------------------------


class Trainer:
    """Everything that changes during a run: networks, games, open decisions, snapshots, chances."""

    def __init__(self, told: Arguments, game: Game, components: Any):
        torch.manual_seed(told.seed)
        self.told, self.game, self.device = told, game, torch.device(told.device)
        self.rng = np.random.default_rng(told.seed)
        rounded = told.precision == "bfloat16"
        self.network = Network(game, told.width, told.layers, told.core, rounded).to(self.device)
        begin_with(self.network, told, game, components)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self.critic = None
        if told.central_critic:
            self.critic = CentralCritic(game, told.width, told.layers, rounded).to(self.device)
        learned = [*self.network.parameters(), *(self.critic.parameters() if self.critic else [])]
        self.optimiser = torch.optim.Adam(learned, lr=told.learning_rate, eps=1e-5, fused=True)
        self.tables = seat_tables(told, game, components, self.rng)
        self.pool = Pool(told, self.tables, self.rng)
        self.pool.add(self.network)
        self.rollout = Rollout(told.rollout, told.envs, game, told.core, told.central_critic)
        self.memory = np.zeros((told.envs, game.spec.players, told.core), np.float32)
        turns = () if told.no_symmetries else game.symmetries()
        self.turned_observation = np.array([turn.observation for turn in turns])  # [K, D]
        self.turned_actions = np.array([turn.actions for turn in turns])  # [K, A]
        self.turn = self.rng.integers(0, len(turns), told.envs) if turns else np.zeros(told.envs, np.int64)
        self.restarts = [Restarts(table, told.restarts, self.rng) for table in self.tables if told.restarts > 0]
        if told.openings > 0 and opening_of(game):
            self.restarts += [Openings(table, told.openings, self.rng) for table in self.tables]
        self.teacher = load_teacher(told, game, components)
        self.steps = self.updates = 0
        self.spent = 0.0  # share of the budget, for all that changes with it
        self.figures: dict[str, float] = {}

    @property
    def teaching(self) -> float:
        """The weight of the teacher's moves in the loss at the moment."""
        if self.teacher is None:
            return 0.0
        return self.told.teacher_weight * max(0.0, 1.0 - self.spent / self.told.teacher_until)

    # - collecting -

    def collect(self) -> None:
        """Play a rollout; the decisions left open by the last one are in its first rows."""
        for restarts in self.restarts:
            restarts.record()
        for row in range(self.rollout.seats, self.rollout.rows):
            seat, mine = self.look(row)
            actions = self.decide(row, seat, mine)
            self.ask_teacher(row, mine)
            self.rollout.link(row, seat, mine)
            self.step(actions, mine)
            self.steps += int(mine.sum())

    def look(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Note what the seats that decide see; returns who they are, int64 [N], and whether the learner decides."""
        seat, mine = np.empty(self.told.envs, np.int64), np.empty(self.told.envs, np.bool_)
        observation, mask, others = (getattr(self.rollout, n)[row] for n in ("observation", "mask", "others"))
        for table in self.tables:
            batch, here = table.batch, table.columns
            observation[here], mask[here] = batch.observation, batch.action_mask
            seat[here], mine[here] = batch.current_player, table.mine()
            for k in range(others.shape[1]):
                others[here, k] = batch.observe((batch.current_player + 1 + k) % self.rollout.seats)
        if len(self.turned_actions):
            turned = self.turned_observation[self.turn]
            observation[:] = np.take_along_axis(observation, turned, axis=1)
            others[:] = np.take_along_axis(others, turned[:, None], axis=2)
            mask[:] = np.take_along_axis(mask, self.turned_actions[self.turn], axis=1)
        return seat, mine

    @torch.inference_mode()
    def decide(self, row: int, seat: NDArray[np.int64], mine: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Draw the learner's actions and note all that the update needs; int64 [N], as the games count actions."""
        rollout, games = self.rollout, np.flatnonzero(mine)
        rollout.memory[row, games] = before = self.memory[games, seat[games]]
        seen = (torch.from_numpy(a[row, games]).to(self.device) for a in (rollout.observation, rollout.mask))
        logits, value, memory = self.network(*seen, torch.from_numpy(before).to(self.device))
        if self.critic is not None:
            value = self.critic(self.everything(row * rollout.games + games))
        log_chances = torch.log_softmax(logits, dim=1)
        chosen = draw(torch.softmax(logits, dim=1), 1.0 - self.rng.random(len(games), dtype=np.float32))
        self.require_finite(log_chances, value)
        rollout.log_chance[row, games] = log_chances.gather(1, chosen[:, None])[:, 0].cpu()
        rollout.value[row, games] = value.cpu()
        self.memory[games, seat[games]] = memory.cpu()
        actions = np.zeros(self.told.envs, np.int64)
        rollout.action[row, games] = actions[games] = chosen.cpu()
        if len(self.turned_actions):
            actions = self.turned_actions[self.turn, actions]
        return actions

    def ask_teacher(self, row: int, mine: NDArray[np.bool_]) -> None:
        """Note what the teacher would do where the learner decides, while the teacher is there."""
        if self.teacher is None:
            return
        advised = self.rollout.advised[row]
        advised[:] = UNADVISED
        if self.teaching == 0.0:
            return
        for table in self.tables:
            games = np.flatnonzero(mine[table.columns])
            advised[table.columns][games] = act_for(self.teacher, table.batch, games, self.rng)
        if len(self.turned_actions):
            seen = np.argsort(self.turned_actions[self.turn], axis=1)  # from the games' actions to the network's
            advised[mine] = seen[mine, advised[mine]]

    def everything(self, slots: NDArray[np.int64]) -> Tensor:
        """What every seat sees, the seat that decides first: int8 [n, P, D]."""
        own, others = self.flat("observation", slots), self.flat("others", slots)
        return torch.cat([own[:, None], others], dim=1)

    def flat(self, name: str, slots: NDArray[np.int64]) -> Tensor:
        """Entries of the rollout by their slots."""
        array = getattr(self.rollout, name)
        return torch.from_numpy(array.reshape(-1, *array.shape[2:])[slots]).to(self.device)

    def step(self, actions: NDArray[np.int64], mine: NDArray[np.bool_]) -> None:
        """Carry out everybody's actions and pay the rewards."""
        ended = np.empty(self.told.envs, np.bool_)
        rewards: NDArray[np.float32] = np.empty((self.told.envs, self.rollout.seats), np.float32)
        for table in self.tables:
            here = table.columns
            rewards[here], ended[here] = table.step(actions[here], mine[here])
        self.rollout.pay(rewards, ended)
        self.memory[ended] = 0.0
        if len(self.turned_actions):
            self.turn[ended] = self.rng.integers(0, len(self.turned_actions), int(ended.sum()))
        for restarts in self.restarts:
            restarts.restart(ended[restarts.table.columns])

    # - updating -

    def update(self, spent: float) -> None:
        """Train on the decisions whose successors are known; `spent` is the share of the budget, for annealing.

        Raises `RfopError` if the weights do not stay finite numbers.
        """
        told, rollout, self.spent = self.told, self.rollout, spent
        for group in self.optimiser.param_groups:
            group["lr"] = told.learning_rate * (1.0 - 0.9 * spent)
        found, closed = advantages(rollout, told.gamma, told.gae_lambda), rollout.closed()
        self.figures = self.learn(found, closed) if closed.any() else {}
        self.require_finite(*self.network.parameters())
        self.follow()
        self.updates += 1
        if self.updates % told.pool_every == 0:
            self.pool.add(self.network)
        rollout.carry()

    def require_finite(self, *numbers: Tensor) -> None:
        """Raise `RfopError` if a gradient step has spoilt the weights, or what comes of them."""
        if not all(bool(tensor.isfinite().all()) for tensor in numbers):
            raise RfopError(
                f"the network no longer gives finite numbers after {self.steps:,} steps: lower --learning-rate; "
                "the last checkpoint is of before"
            )

    def learn(self, found: NDArray[np.float32], closed: NDArray[np.bool_]) -> dict[str, float]:
        """Take the gradient steps of an update, on advantages [rows, N] where `closed`; the figures of its losses."""
        told, rollout = self.told, self.rollout
        entropy_weight = told.entropy + (told.entropy_end - told.entropy) * self.spent
        returns = torch.from_numpy(found + rollout.value).reshape(-1)
        mean, deviation = found[closed].mean(), found[closed].std()
        scaled = torch.from_numpy((found - mean) / (deviation + 1e-8)).reshape(-1)
        sums: dict[str, float] = {}
        batches = 0
        for _ in range(told.epochs):
            for slots, columns in self.minibatches(closed):
                index = torch.from_numpy(slots)
                parts = self.losses(slots, columns, scaled[index].to(self.device), returns[index].to(self.device))
                loss = parts["policy"] + told.value_weight * parts["value"] - entropy_weight * parts["entropy"]
                loss = loss + told.magnet * parts["magnet"] + self.teaching * parts["teacher"]
                self.optimiser.zero_grad(set_to_none=True)
                loss.backward()  # type: ignore[no-untyped-call]
                for model in filter(None, (self.network, self.critic)):
                    torch.nn.utils.clip_grad_norm_(model.parameters(), told.gradient_norm)
                self.optimiser.step()
                batches += 1
                sums = {name: sums.get(name, 0.0) + float(part.detach()) for name, part in parts.items()}
        figures = {name: value / batches for name, value in sums.items()}
        spread = float(returns.numpy()[closed.reshape(-1)].var())
        figures["explained"] = 1.0 - float(found[closed].var()) / spread if spread > 0 else 0.0
        return figures

    def minibatches(self, closed: NDArray[np.bool_]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The closed decisions in random parts, as slots; with a recurrent core whole games, given as columns too."""
        if not self.told.core:
            slots = self.rng.permutation(np.flatnonzero(closed))
            parts = max(1, round(len(slots) / self.told.batch))
            return [(part, np.zeros(0, np.int64)) for part in np.array_split(slots, parts)]
        games = self.rng.permutation(self.told.envs)
        parts = min(len(games), max(1, round(int(closed.sum()) / self.told.batch)))
        every = np.arange(closed.size).reshape(closed.shape)
        split = [part for part in np.array_split(games, parts) if closed[:, part].any()]
        return [(every[:, part][closed[:, part]], part) for part in split]

    def losses(
        self, slots: NDArray[np.int64], columns: NDArray[np.int64], advantage: Tensor, returns: Tensor
    ) -> dict[str, Tensor]:
        """The parts of PPO's loss on some decisions."""
        logits, value = self.evaluate(self.network, slots, columns)
        log_chances = torch.log_softmax(logits, dim=1)
        chances = torch.softmax(logits, dim=1)  # 15 times as fast as exp of log-chances, of which most are -1e9
        chosen = log_chances.gather(1, self.flat("action", slots)[:, None])[:, 0]
        ratio = (chosen - self.flat("log_chance", slots)).exp()
        clipped = ratio.clamp(1.0 - self.told.clip, 1.0 + self.told.clip)
        value_error = (value - returns).pow(2).mean()
        if self.critic is not None:
            value_error = value_error + (self.critic(self.everything(slots)) - returns).pow(2).mean()
        magnet = teacher = torch.zeros((), device=self.device)
        if self.teaching > 0:
            advised = self.flat("advised", slots)
            known = advised != UNADVISED
            teacher = -(log_chances.gather(1, advised.clamp(min=0)[:, None])[:, 0] * known).mean()
        if self.told.magnet > 0:
            with torch.no_grad():
                magnet_logits, _ = self.evaluate(self.magnet, slots, columns)
            magnet = (chances * (log_chances - torch.log_softmax(magnet_logits, dim=1))).sum(1).mean()
        return {
            "policy": -torch.minimum(ratio * advantage, clipped * advantage).mean(),
            "value": value_error,
            "entropy": -(chances * log_chances).sum(1).mean(),
            "magnet": magnet,
            "teacher": teacher,
            "clipped": ((ratio - 1.0).abs() > self.told.clip).float().mean(),
        }

    def evaluate(self, network: Network, slots: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Logits [n, A] and values [n] of decisions; with a recurrent core of all those of `columns` in their order."""
        mask = self.flat("mask", slots)
        if network.core is None:
            return network.heads(network.features(self.flat("observation", slots)), mask)
        return network.heads(self.remembered(network, columns, slots), mask)

    def remembered(self, network: Network, columns: NDArray[np.int64], slots: NDArray[np.int64]) -> Tensor:
        """What a recurrent core gives at the decisions of some games, gradients running through each seat's chain."""
        rollout, n = self.rollout, len(columns)
        every = (np.arange(rollout.rows)[:, None] * rollout.games + columns).reshape(-1)
        features = network.features(self.flat("observation", every)).reshape(rollout.rows, n, -1)
        given = self.flat("memory", every).reshape(rollout.rows, n, -1)
        seat, first, mine = (self.flat(k, every).reshape(rollout.rows, n, 1) for k in ("seat", "first", "mine"))
        memory = torch.zeros((n, rollout.seats, given.shape[2]), device=self.device)
        outputs = []
        for row in range(rollout.rows):
            place = seat[row][:, :, None].expand(n, 1, given.shape[2])
            before = torch.where(first[row], given[row], memory.gather(1, place)[:, 0])
            after = network.core(features[row], before) if network.core is not None else before
            kept = torch.where(mine[row], after, memory.gather(1, place)[:, 0])
            memory = memory.scatter(1, place, kept[:, None])
            outputs.append(after)
        chosen = torch.from_numpy(np.isin(every, slots)).to(self.device)
        return torch.stack(outputs).reshape(rollout.rows * n, -1)[chosen]

    @torch.no_grad()
    def follow(self) -> None:
        """Let the magnet follow the policy."""
        for slow, fast in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
            slow.lerp_(fast, self.told.magnet_rate)

    # - keeping -

    CARRIED = ("observation", "others", "mask", "memory", "seat", "action", "log_chance", "value", "advised", "reward",
               "next", "first", "mine")  # fmt: skip

    def state(self) -> dict[str, Any]:
        """All that going on bit by bit needs, between two updates, as tensors and plain values."""
        rollout = self.rollout
        kept = {
            "network": self.network.state_dict(),
            "magnet": self.magnet.state_dict(),
            "critic": self.critic.state_dict() if self.critic else {},
            "optimiser": self.optimiser.state_dict(),
            "open": {name: torch.from_numpy(getattr(rollout, name)[: rollout.seats].copy()) for name in self.CARRIED},
            "last": torch.from_numpy(rollout.last.copy()),
            "memory": torch.from_numpy(self.memory.copy()),
            "turn": torch.from_numpy(self.turn.copy()),
            "tables": [_table_state(table) for table in self.tables],
            "shelves": [_bytes(restarts.shelf) for restarts in self.restarts],
            "pool": [{name: torch.from_numpy(w) for name, w in weights.items()} for weights in self.pool.weights],
            "scores": list(self.pool.scores),
            "rng": self.rng.bit_generator.state,
            "steps": self.steps,
            "updates": self.updates,
            "spent": self.spent,
        }
        return copy.deepcopy(kept)

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Go on from a `state` of the same settings; what does not fit raises an error before games are touched."""
        steps, updates, spent = int(kept["steps"]), int(kept["updates"]), float(kept["spent"])
        if min(steps, updates) < 0 or not 0.0 <= spent <= 1.0:
            raise RfopError(f"steps {steps}, updates {updates}, spent {spent}")
        self.network.load_state_dict(kept["network"])
        self.magnet.load_state_dict(kept["magnet"])
        if self.critic is not None:
            self.critic.load_state_dict(kept["critic"])
        load_optimiser(self.optimiser, kept["optimiser"])
        self.restore_open(kept)
        self.pool.restore(kept["pool"], kept["scores"], self.network.arrays())
        for table, told in zip(self.tables, kept["tables"], strict=True):
            _restore_table(table, told, self.pool)
        for restarts, shelf in zip(self.restarts, kept["shelves"], strict=True):
            restarts.shelf.set_state(shelf.numpy().view(self.game.state).reshape(-1))
        self.rng.bit_generator.state = kept["rng"]
        self.steps, self.updates, self.spent = steps, updates, spent

    def restore_open(self, kept: Mapping[str, Any]) -> None:
        """The open decisions of a `state`, memories, and how boards lie."""
        rollout, actions = self.rollout, self.game.actions.size
        ranges = {"seat": (0, rollout.seats), "action": (0, actions), "advised": (UNADVISED, actions),
                  "next": (END, rollout.rows * rollout.games)}  # fmt: skip
        for name in self.CARRIED:
            refill(getattr(rollout, name)[: rollout.seats], kept["open"][name], ranges.get(name))
        refill(rollout.last, kept["last"], (OPEN, rollout.seats * rollout.games))
        refill(self.memory, kept["memory"])
        refill(self.turn, kept["turn"], (0, max(1, len(self.turned_actions))))


def refill(array: NDArray[Any], kept: Tensor, within: tuple[int, int] | None = None) -> None:
    """Copy what a checkpoint has into an array of the same shape and type; its numbers are in `range(*within)`.

    Raises `RfopError`.
    """
    found = kept.numpy()
    if found.shape != array.shape or found.dtype != array.dtype:
        raise RfopError(f"{found.dtype} {list(found.shape)} instead of {array.dtype} {list(array.shape)}")
    if within is not None and not ((within[0] <= found) & (found < within[1])).all():
        raise RfopError(f"numbers that are not in {range(*within)}")
    array[:] = found


def draw(chances: Tensor, uniform: NDArray[np.float32]) -> Tensor:
    """An action for each row of chances [n, A], by uniform numbers above 0 and at most 1: int64 [n]."""
    reached = chances.cumsum(dim=1)
    wanted = torch.from_numpy(uniform).to(reached.device)[:, None] * reached[:, -1:]
    return (reached < wanted).sum(dim=1)


def _bytes(batch: GameBatch) -> Tensor:
    return torch.from_numpy(batch.get_state().view(np.uint8).reshape(-1).copy())


def _table_state(table: Table) -> dict[str, Any]:
    told = {"states": _bytes(table.batch), "seat": torch.from_numpy(table.seat.copy())}
    memories = [torch.from_numpy(array.copy()) for array in _memories(table)]
    return told | {"snapshot": table.snapshot, "score": table.score, "memories": memories}


def _restore_table(table: Table, told: Mapping[str, Any], pool: Pool) -> None:
    table.batch.set_state(told["states"].numpy().view(table.batch.game.state).reshape(-1))
    if table.name == PAST:
        pool.seat(table, range(len(pool.weights))[told["snapshot"]])
    refill(table.seat, told["seat"], (EVERY_SEAT, table.batch.game.spec.players))
    table.score, table.paid = float(told["score"]), table.payoffs()
    for array, kept in zip(_memories(table), told["memories"], strict=True):
        refill(array, kept)


def _memories(table: Table) -> Sequence[NDArray[Any]]:
    """What the agent of a table remembers of its games: two arrays, none where it does not remember."""
    agent = table.agent
    return agent.memory_of(table.batch) if isinstance(agent, NetworkAgent) and agent.remembers else ()


# -- the run -----------------------------------------------------------------------------------------------------------


class Run:
    """The folder of a run, its clock and its learning curve."""

    def __init__(self, told: Arguments, game: Game, components: Any, trainer: Trainer, budget: Budget):
        self.told, self.game, self.components, self.trainer, self.budget = told, game, components, trainer, budget
        name = told.evaluate_against or (game.opponents[-1].name if game.opponents else "")
        self.opponent = agents.load(name, game, components) if name else None
        self.next_curve = 0.0 if trainer.steps == 0 else budget.seconds() + told.evaluate_every
        self.next_checkpoint = budget.seconds() + told.checkpoint_every
        self.interrupted = False
        self.bar: Any = None

    def go(self) -> None:
        """Train until the budget is spent or somebody stops it; then save."""
        trainer, budget = self.trainer, self.budget
        while budget.update(trainer.steps) < 1.0 and not self.interrupted:
            if budget.seconds() >= self.next_curve:
                self.add_curve_point()
                self.next_curve = budget.seconds() + self.told.evaluate_every
            start, steps = budget.seconds(), trainer.steps
            trainer.collect()
            trainer.update(budget.update(trainer.steps))
            self.note_progress((trainer.steps - steps) / (budget.seconds() - start))
            if budget.seconds() >= self.next_checkpoint:
                self.save(f"checkpoints/step_{trainer.steps}.safetensors")
                self.next_checkpoint = budget.seconds() + self.told.checkpoint_every
        self.save()
        if not self.interrupted:
            self.add_curve_point()

    def add_curve_point(self) -> None:
        """Play the fixed deals with the network as it is, and append a line for each side, if they are not there."""
        if run_folder.has_point(self.told.run, self.trainer.steps):
            return
        agent = NetworkAgent.of_weights(self.trainer.network.arrays(), "training")
        rows = curve_rows(
            self.game, agent, self.opponent, self.told.evaluate_deals, options=options_of(self.told.option, self.game),
            components=self.components, threads=self.told.threads,
        )  # fmt: skip
        run_folder.add_to_curve(self.told.run, rows, self.budget.seconds(), self.trainer.steps, self.told.seed)
        if self.bar is not None:
            wins = " ".join(f"{row.side} {row.win_rate:.0%}" for row in rows)
            self.bar.set_postfix_str(f"{wins} {self.trainer.steps:,} steps")

    def note_progress(self, speed: float) -> None:
        """Append a line to progress.csv and move the bar."""
        trainer = self.trainer
        scores = " ".join(f"{table.name} {table.score:+.2f}" for table in trainer.tables)
        line = {"updates": trainer.updates, "steps": trainer.steps, "seconds": round(self.budget.seconds(), 1)}
        figures = {name: f"{value:.4f}" for name, value in trainer.figures.items()}
        told = line | {"steps_per_second": round(speed)} | figures | {"scores": scores}
        append_rows(self.told.run / PROGRESS, [told])
        if self.bar is not None:
            self.bar.n = round(100 * self.budget.spent)
            self.bar.refresh()

    def save(self, *also: str) -> None:
        """Write the checkpoint, then the network as an agent, there and where else is said."""
        told, trainer, seconds = self.told, self.trainer, self.budget.seconds()
        fits = game_card(self.game, self.components)
        run_folder.write_checkpoint(told.run, MODULE, shape_of(told), fits, seconds, trainer.state())
        trained = {
            "rewards": parse_rewards(told.reward, self.game),
            "steps": trainer.steps,
            "seed": told.seed,
            "minutes": round(seconds / 60, 2),
        }
        card = run_folder.describe(MODULE, told, self.game, self.components) | fits | trained
        for name in (MODEL, *also):
            write_network(told.run / name, trainer.network.arrays(), card)


def shape_of(told: Arguments) -> dict[str, str]:
    """The settings that a run keeps when it goes on: without them its checkpoint does not fit."""
    kept = ("env", "option", "seed", "opponents", "reward", "envs", "rollout", "width", "layers", "core",
            "central_critic", "no_symmetries", "pool")  # fmt: skip
    shares = {"restarts": str(told.restarts > 0), "openings": str(told.openings > 0)}
    return {name: str(value) for name, value in asdict(told).items() if name in kept} | shares


def train(told: Arguments) -> Path:
    """Run the training of one seed; returns the path of its model. Raises `RfopError` for settings that cannot work."""
    run_folder.check_settings(told)
    run_folder.check_budget(told.minutes, told.steps)
    if told.device == "cuda" and not torch.cuda.is_available():
        raise RfopError("--device cuda: torch finds none here; leave it out to train on the CPU")
    torch.set_num_threads(told.threads)
    game = get_game(told.env)
    game = game.under(options_of(told.option, game))
    components = game.load_components(told.components or None)
    with run_folder.held(told.run, told.resume):
        run = begun(told, game, components)
        with stoppable(run):
            run.go()
    if run.interrupted:
        raise KeyboardInterrupt(
            f"stopped at {run.trainer.steps:,} steps; the model is {told.run / MODEL}; --resume goes on"
        )
    return told.run / MODEL


def begun(told: Arguments, game: Game, components: Any) -> Run:
    """A run that can go: at its start, or where its checkpoint left it."""
    state, seconds = None, 0.0
    if told.resume:
        state, seconds = run_folder.read_checkpoint(told.run, MODULE, shape_of(told), game, components)
    trainer = Trainer(told, game, components)  # compiles, before the clock starts
    if state is not None:
        with run_folder.trusting_nothing(told.run / run_folder.CHECKPOINT):
            trainer.restore(state)
    run = Run(told, game, components, trainer, Budget(told.minutes, told.steps, seconds))
    card = run_folder.describe(MODULE, told, game, components)
    if told.resume:
        run_folder.go_on(told.run, card, trainer.steps, "steps")
    else:
        run_folder.begin(told.run, card)
    return run


@contextmanager
def stoppable(run: Run) -> Iterator[None]:
    """Draw the bar; let the first Ctrl-C end the run after the update under way, so that it can go on exactly."""

    def stop(*_: Any) -> None:
        run.interrupted = True
        signal.signal(signal.SIGINT, before)  # the second one is not waited for

    before = signal.signal(signal.SIGINT, stop)
    if not run.told.quiet:
        from tqdm import tqdm

        run.bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining} {postfix}")
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if run.bar is not None:
            run.bar.close()


def train_seeds(told: Arguments) -> list[Path]:
    """Train every seed, `at_once` at a time, in folders seed_1, ... of the run's; returns their models."""
    run_folder.check_settings(told)
    if told.seeds == 1:
        return [train(told)]
    each = []
    for seed in range(told.seed, told.seed + told.seeds):
        run = told.run / f"seed_{seed}"
        resume, quiet = told.resume and (run / run_folder.CHECKPOINT).exists(), told.quiet or told.at_once > 1
        each.append(replace(told, seed=seed, seeds=1, run=run, resume=resume, quiet=quiet))
    if told.at_once == 1:
        return [train(one) for one in each]
    with ProcessPoolExecutor(told.at_once, get_context("spawn")) as workers:
        return list(workers.map(train, each))


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    paths = train_seeds(run_folder.parse_settings(Arguments, MODULE, (__doc__ or "").split("\n\n")[0], arguments))
    for path in paths:
        print(f"model: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
