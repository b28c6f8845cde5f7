"""Train a champion against its best responses, round by round, and measure what it still loses to fresh ones.

    python -m training.research psro revolution/xi-2 --env Revolution-v0 --rounds 3 --steps 3000000 --run runs/psro
    python -m training.research psro runs/x --env Revolution-v0 --components small_board --left 13 --steps 9000 --run y

This is PSRO (Lanctot et al. 2017, https://arxiv.org/abs/1711.00832) for games of two seats. Each round trains responses
to the champion, each from the network of the pool that wins most against it. The best of them joins the pool, and all
networks of the pool play each other. The next champion starts from the last one. It is trained against the Nash mix of
the pool, and in `--self` of the games against itself. The last champion gets fresh responses too, but no successor.

`--run` has a folder for each network, the matrix of the pool, `matrix.csv`, and a row for each round, `rounds.csv`:
what the best opponent known wins from its champion. `--left` adds its exact exploitability in the end games of that
many decisions, which are whole games on the small board, once all rounds are played. Called again, the command goes on
where it was stopped. Budgets are decisions, so the same seed gives the same networks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rfop_env.agent_names import AgentSpec
from rfop_env.command_line import number
from rfop_env.core.errors import RfopError
from rfop_env.core.mixtures import mixture_text
from rfop_env.game_setup import add_components, add_option
from rfop_env.markdown import markdown_table
from rfop_training.common.command_line import add_env
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation.arguments import add_deals
from rfop_training.evaluation.matrix import MatrixRow, fill, make_matrix
from rfop_training.evaluation.ratings import nash_average
from rfop_training.evaluation.rows import ALL, Provenance
from rfop_training.evaluation.setting import Setting, number_of_deals
from rfop_training.run_arguments import SELF
from training.research.lab.best_response import respond, train_against
from training.research.lab.end_games import EndGames, findings
from training.research.publishing.bounds import own_network, strongest_network

LEAST_WEIGHT = 0.01  # in the Nash mix: agents below play in no game of the training
SAMPLED = "@1"  # after a name: the champion samples from its policy


@dataclass(frozen=True)
class Round(Provenance):
    """A champion, and what the best opponent known wins from it."""

    round: int
    champion: str
    opponent: str  # the best of the fresh responses and of the pool, by the lower end of its interval
    games: int
    win_rate: float
    low: float
    high: float
    responses: str  # the shares of wins of all fresh responses
    exploitability: float | None  # NashConv of its most likely actions, in end games that are solved exactly
    sampled: float | None  # the same where it samples from its policy
    mix: str  # whom the next champion is trained against, with shares
    steps: int  # decisions of each training of this round
    run_seed: int

    @property
    def subject(self) -> tuple[object, ...]:
        """What the row is about: a newer row of the same subject replaces it in a file."""
        return self.env, self.options, self.components, self.run_seed, self.steps, self.round


@dataclass
class Psro:
    """The loop: its settings, and the networks of the pool so far.

    Raises `RfopError` for a game that has not two seats, and for a champion that is no network.
    """

    setting: Setting
    champion: str  # the name of the first one
    run: Path
    steps: int  # decisions of each training
    seeds: int = 3  # responses in each round
    seed: int = 1
    self_share: float = 0.5  # of the champion's games that it plays against itself
    deals: range = range(0)
    end_games: EndGames | None = None
    workers: int = 1
    arguments: Mapping[str, Any] = field(default_factory=dict)  # more of `PPOArguments`
    pool: list[str] = field(default_factory=list)  # names of networks

    def __post_init__(self) -> None:
        if self.setting.game.spec.players != 2:
            raise RfopError(f"psro: {self.setting.env} has not two seats, and the Nash mix is for two")
        if own_network(self.setting, self.champion) != self.champion:
            raise RfopError(f"psro: {self.champion} is no network that plays its most likely action: give one")
        self.deals = self.deals or range(number_of_deals(self.setting))

    @property
    def matrix(self) -> Path:
        """The file with the games of all networks."""
        return self.run / "matrix.csv"

    @property
    def rows(self) -> Path:
        """The file with a row for each round."""
        return self.run / "rounds.csv"

    def play(self, rounds: int) -> list[Round]:
        """Play rounds 0 to `rounds`, those that are complete from their files; returns a row for each."""
        champion = self.champion
        results: list[Round] = []
        champions: list[str] = []
        mix: Mapping[str, float] = {}
        self.pool = [champion]
        published = strongest_network(self.setting, champion, self.workers)
        if published is not None and published.opponent != champion:
            self.pool.append(published.opponent)

        for k in range(rounds + 1):
            if k:
                champion = self.next_champion(k, champion, mix)
            responses = self.respond(k, champion)
            mix = self.nash_mix()
            results.append(self.measure(k, champion, responses, mix))
            champions.append(champion)
        return self.with_exploitability(results, champions) if self.end_games else results

    def next_champion(self, number: int, champion: str, mix: Mapping[str, float]) -> str:
        """Train the champion of a round from the last one; returns its name."""
        run = self.run / f"champion_{number}"
        opponents = {SELF: self.self_share} if self.self_share else {}
        opponents |= {name: weight * (1 - self.self_share) for name, weight in mix.items() if self.self_share < 1}
        self.tell(number, f"champion from {champion} against {mixture_text(opponents)}")
        train_against(
            opponents, self.setting, run, self.steps, champion, seed=self.seed, evaluate_against=champion,
            **self.arguments,
        )  # fmt: skip
        self.pool.append(str(run))
        return str(run)

    def respond(self, number: int, champion: str) -> dict[str, MatrixRow]:
        """Train the responses of a round; returns the row of each against the champion. The best joins the pool."""
        against = {name: self.against(champion, name) for name in self.pool if name != champion}
        strongest = max(against, key=lambda name: against[name].low, default=champion)
        start = strongest if strongest != champion and against[strongest].low > 1 / 2 else champion
        responses = {}
        for seed in range(self.seed, self.seed + self.seeds):
            run = self.run / f"response_{number}_{seed}"
            self.tell(number, f"response of seed {seed} to {champion} from {start}")
            respond(champion, self.setting, run, self.steps, start, seed=seed, **self.arguments)
            responses[str(run)] = row = self.against(champion, str(run))
            self.tell(number, f"it wins {row.win_rate:.1%} ({row.low:.1%} to {row.high:.1%})")
        self.pool.append(max(responses, key=lambda name: responses[name].low))
        return responses

    def against(self, champion: str, name: str) -> MatrixRow:
        """What a network wins from the champion, over both seats."""
        rows = fill(self.setting, [name, champion], self.deals, self.matrix, self.workers)
        row = next(row for row in rows if row.side == ALL)
        if row.opponent == self.setting.agent(champion).name:
            return row
        wins, low, high = 1 - row.win_rate, 1 - row.high, 1 - row.low
        return replace(row, agent=row.opponent, opponent=row.agent, win_rate=wins, low=low, high=high)

    def nash_mix(self) -> dict[str, float]:
        """The weights of the networks of the pool in the Nash mix of their games; those below `LEAST_WEIGHT` are 0."""
        matrix = make_matrix(fill(self.setting, self.pool, self.deals, self.matrix, self.workers))
        weights = dict(zip(matrix.names, nash_average(matrix.share)[0].tolist(), strict=True))
        mix = {name: weights[self.setting.agent(name).name] for name in self.pool}
        mix = {name: weight for name, weight in mix.items() if weight >= LEAST_WEIGHT}
        total = sum(mix.values())
        return {name: weight / total for name, weight in mix.items()}

    def measure(
        self, number: int, champion: str, responses: Mapping[str, MatrixRow], mix: Mapping[str, float]
    ) -> Round:
        """The row of a round, which is written."""
        pool = {name: self.against(champion, name) for name in self.pool if name not in (champion, *responses)}
        best = max([*responses.values(), *pool.values()], key=lambda row: row.low)
        shares = " ".join(f"{row.win_rate:.4f}" for row in responses.values())
        row = Round(
            number, best.opponent, best.agent, best.games, best.win_rate, best.low, best.high, shares, None, None,
            mixture_text({self.setting.agent(name).name: round(weight, 4) for name, weight in mix.items()}),
            self.steps, self.seed, **self.setting.provenance(self.deals),
        )  # fmt: skip
        self.write([row])
        self.tell(number, f"{best.agent} wins {best.win_rate:.1%} from {champion}")
        return row

    def with_exploitability(self, rows: Sequence[Round], champions: Sequence[str]) -> list[Round]:
        """The rows with the exact exploitability of their champions, which are written; one solution serves all."""
        assert self.end_games is not None
        print(f"solving end games for {len(rows)} champions", file=sys.stderr, flush=True)
        names = [champion + how for champion in champions for how in ("", SAMPLED)]
        solved = self.end_games.solved([self.setting.agent(name) for name in names])
        won = [finding.exploitability for finding in findings(solved.layers, names)]
        exact = [
            replace(row, exploitability=likely, sampled=sampled)
            for row, likely, sampled in zip(rows, won[::2], won[1::2], strict=True)
        ]
        self.write(exact)
        return exact

    def write(self, rows: Sequence[Round]) -> None:
        """Write rows into the file of the loop, in place of older ones of the same rounds."""
        add_records(self.rows, rows, Round)

    def tell(self, number: int, text: str) -> None:
        """Print progress on stderr."""
        print(f"round {number}: {text}", file=sys.stderr, flush=True)


def rounds_table(rows: Sequence[Round]) -> str:
    """The rounds in Markdown."""
    cells = []
    for row in rows:
        wins = [f"{row.win_rate:.1%}", f"{row.low:.1%} to {row.high:.1%}", f"{row.games:,}"]
        fresh = ", ".join(f"{float(share):.1%}" for share in row.responses.split())
        exact = ["" if value is None else f"{value:.3f}" for value in (row.exploitability, row.sampled)]
        cells.append([str(row.round), row.champion, row.opponent, *wins, fresh, *exact])
    titles = ["round", "champion", "best opponent", "wins", "95 % interval", "games", "fresh responses"]
    titles += ["exploitability", "the same, sampling"]
    return markdown_table(titles, cells, right=(0, 3, 5), drop_empty=True)


# -- the command -------------------------------------------------------------------------------------------------------

STOPPED = "stopped: the same command goes on"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("champion", help="the first champion: a baseline, the folder of a run or a model file")
    add_env(parser)
    add_option(parser)
    add_components(parser)
    parser.add_argument("--rounds", type=number(int, 0), default=3, help="trained champions (default %(default)s)")
    parser.add_argument("--steps", type=number(int, 1), required=True, help="decisions of each training")
    parser.add_argument("--seeds", type=number(int, 1), default=3, help="responses in each round (default %(default)s)")
    parser.add_argument("--seed", type=number(int, 0), default=1, help="the first of them (default %(default)s)")
    parser.add_argument(
        "--self",
        dest="self_share",
        type=float,
        default=0.5,
        help="share of the champion's games against itself (default %(default)s)",
    )
    parser.add_argument("--run", type=Path, required=True, help="folder of all networks and results")
    parser.add_argument(
        "--left",
        type=number(int, 1),
        help="solve end games of so many decisions (end-games --help), for exact figures",
    )
    parser.add_argument("--games", type=number(int, 2), default=100, help="with --left: games that lead to them")
    add_deals(parser)
    parser.add_argument("--workers", type=number(int, 1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if not 0 <= args.self_share <= 1:
        raise RfopError(f"--self: a share from 0 to 1, found {args.self_share}")
    if AgentSpec.parse(args.champion).runs_code:
        raise RfopError(f"{args.champion}: give a network by its name or path")
    if args.csv:
        require_rows(args.csv, "--csv", Round)
    setting = Setting.parse(args.env, args.option, components=args.components)
    end_games = EndGames(setting, left=args.left, games=args.games) if args.left else None
    loop = Psro(
        setting, args.champion, args.run, args.steps, args.seeds, args.seed, args.self_share, range(args.deals or 0),
        end_games, args.workers,
    )  # fmt: skip
    rows = loop.play(args.rounds)
    print(rounds_table(rows))
    if args.csv:
        add_records(args.csv, rows, Round)
    return 0
