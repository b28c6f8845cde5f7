"""Make the puzzles of a game: positions in which one action is best by far.

    python -m training.research puzzles --env Revolution-v0 --players revolution/xi-2@1
    python -m training.research puzzles --env Paris-v0 --players paris/ppo-7@1 --simulations 1000

The positions are those of games of an agent against itself. In Revolution, the last decisions of a game are solved
exactly (`best_play`). In other games a search of so many simulations, by sequential halving over all actions, values
them, and three more of four times as many have to agree: the same action is best, and every other one that was tried
often is worse by `--margin`, in half the range of returns. The values are the means of the three. At most one position
is taken from a game, and at most a third of the puzzles have the same best action.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import rfop_agents
from rfop_agents.search.agent import SearchAgent
from rfop_agents.search.settings import GUMBEL, search_settings
from rfop_env.agent import act_for, copy_games
from rfop_env.command_line import number
from rfop_env.core.batch import GameBatch
from rfop_env.core.files import write_whole
from rfop_env.players import SeatedAgent
from rfop_env.registry import get_game
from rfop_env.replays.recorder import Recorder
from rfop_env.web.puzzles import FOLDER, FORMAT, SUFFIX, usual_options
from rfop_training.common.command_line import add_env
from training.research.lab.best_play import BestPlay

EXACT = "Revolution-v0"  # the game whose last decisions are solved
HEADER = 10  # fields of every record, which do not tell positions apart
LEFT, MOST_LEFT = 3, 11  # decisions before the end of a game, between which they are
LONGER = 4  # so many times the simulations, in the searches that have to agree
AGREEING = 3  # of them
OFTEN = 0.02  # of the visits of the best action: others that were tried less often have no value
SAME_BEST = 3  # at most one in so many puzzles has the same best action
SAMPLED = 10  # positions of a game that are looked at, of its second half


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_env(parser)
    parser.add_argument("--players", required=True, metavar="AGENT", help="whose games the positions are from")
    parser.add_argument("--puzzles", type=number(int, 1, 50), default=10, metavar="N", help="default: 10")
    parser.add_argument("--games", type=number(int, 1, 10_000), default=200, metavar="N", help="at most; default: 200")
    parser.add_argument("--simulations", type=number(int, 10, 100_000), default=1000, metavar="N")
    parser.add_argument("--margin", type=number(float, 0.01, 2.0), default=0.3, metavar="RETURN", help="default: 0.3")
    parser.add_argument("--seed", type=number(int, 0, 2**31), default=7, metavar="N")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: that of the package")


def run(args: argparse.Namespace) -> int:
    """Make them, and say how many."""
    maker = PuzzleMaker(args.env, args.players, args.simulations, args.margin)
    out = args.out or FOLDER / f"{args.env}{SUFFIX}"
    puzzles: list[dict[str, Any]] = []
    for game in range(args.games):
        if len(puzzles) == args.puzzles:
            break
        puzzle = maker.of_game(args.seed + game)
        if puzzle is None or sum(p["best"] == puzzle["best"] for p in puzzles) >= max(1, args.puzzles // SAME_BEST):
            continue
        puzzles.append(puzzle)
        print(f"{len(puzzles)}: game {game}, {puzzle['best']}, by {puzzle['margin']:.2f}", flush=True)
        text = json.dumps({"format": FORMAT, "game": args.env, "puzzles": puzzles}, indent=1, ensure_ascii=False)
        write_whole(out, f"{text}\n")
    print(f"Written: {out}, {len(puzzles)} puzzles")
    return 0


class PuzzleMaker:
    """Plays games of an agent against itself, and looks for a puzzle in each."""

    def __init__(self, env: str, players: str, simulations: int, margin: float) -> None:
        self._env, self._name, self._simulations, self._margin = env, players, simulations, margin
        self._batch = GameBatch(get_game(env), 1, 0, options=usual_options(env))
        game, components = self._batch.game, self._batch.components
        self._agent = rfop_agents.load(players, game, components)
        self._half = (game.spec.highest_return - game.spec.lowest_return) / 2
        self._exact = env == EXACT
        layout = {name: np.dtype(game.state[name]) for name in game.state.names or ()}
        self._fields = [f.name for f in game.record.fields[HEADER:] if layout[f.name].itemsize % 4 == 0]

    def of_game(self, seed: int) -> dict[str, Any] | None:
        """A puzzle of the game of a seed, or None."""
        batch, rng = self._batch, np.random.default_rng(seed)
        batch.reset(seed)
        positions = [batch.get_state()]
        actions: list[int] = []
        while not batch.states["over"][0]:
            actions.append(int(act_for(self._agent, batch, np.array([0]), rng)[0]))
            batch.step(actions[-1:])
            positions.append(batch.get_state())
        count = len(actions)
        if self._exact:
            candidates = list(range(max(0, count - MOST_LEFT), count - LEFT))
        else:
            half = np.arange(count // 2, count)
            candidates = rng.choice(half, min(len(half), SAMPLED), replace=False).tolist()
        for k in candidates:
            puzzle = self._at(positions[k], rng)
            if puzzle is not None:
                return {"replay": self._replay(seed, actions[:k]), **puzzle}
        return None

    def _at(self, states: Any, rng: np.random.Generator) -> dict[str, Any] | None:
        """The best action of a position and the values, where it is best by far."""
        batch = self._batch.clone()
        batch.set_state(states)
        if batch.action_mask[0].sum() < 3:
            return None
        if self._exact:
            values, by = self._exact_values(batch), "exact search"
        else:
            values, by = self._agreed_values(batch, rng), f"gumbel-{LONGER * self._simulations}"
        if values is None or _margin(values) < self._margin * self._half:
            return None
        label = batch.game.actions.label
        best = max(values, key=lambda action: values[action])
        return {
            "best": label(best),
            "margin": round(_margin(values), 4),
            "by": by,
            "values": {label(action): round(value, 4) for action, value in values.items()},
        }

    def _exact_values(self, batch: GameBatch) -> dict[int, float] | None:
        """The value of best play after each legal action."""
        legal, seat = np.flatnonzero(batch.action_mask[0]), int(batch.current_player[0])
        children = copy_games(batch, np.zeros(len(legal), np.intp))
        children.step(legal)
        search = BestPlay(batch.game, batch.components, self._fields, batch.game.rewards[0].name)
        values = search.values(children)
        return None if values is None else dict(zip(legal.tolist(), values[:, seat].tolist(), strict=True))

    def _agreed_values(self, batch: GameBatch, rng: np.random.Generator) -> dict[int, float] | None:
        """The mean values of the longer searches, of actions that all tried often; None where one does not agree."""
        several = []
        for k in range(1 + AGREEING):
            values = searched_values(batch, self._simulations * (LONGER if k else 1), rng)
            if _margin(values) < self._margin * self._half:
                return None
            several.append(values)
        if len({max(values, key=lambda a: values[a]) for values in several}) > 1:
            return None
        longer = several[1:]
        often = set.intersection(*map(set, longer))
        return {a: float(np.mean([values[a] for values in longer])) for a in sorted(often)} if len(often) > 1 else None

    def _replay(self, seed: int, actions: Sequence[int]) -> str:
        """The game up to the position."""
        batch = self._batch.clone()
        batch.reset(seed)
        recorder = Recorder(batch, players=[self._name] * batch.game.spec.players)
        for action in actions:
            batch.step([action])
            recorder.add(action)
        return recorder.replay().text()


def searched_values(batch: GameBatch, simulations: int, rng: np.random.Generator) -> dict[int, float]:
    """The values of the actions that a search tried often. The best two have the same number of visits."""
    considered = int(batch.action_mask[0].sum())
    settings = replace(search_settings(batch.game), simulations=simulations, root=GUMBEL, considered=considered)
    thought = SeatedAgent(SearchAgent(batch.game, settings), rng).think(batch, lambda: False)
    assert thought.visits is not None and thought.values is not None
    often = np.flatnonzero(thought.visits >= OFTEN * thought.visits.max())
    return {int(action): float(thought.values[action]) for action in often}


def _margin(values: dict[int, float]) -> float:
    """How much the best action is better than the next one; 0 where there is none."""
    ranked = sorted(values.values(), reverse=True)
    return ranked[0] - ranked[1] if len(ranked) > 1 else 0.0
