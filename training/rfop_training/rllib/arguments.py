"""The arguments of the RLlib trainer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.common.cluster import ADDRESS, LOCAL
from rfop_training.learning.arguments import SELF
from rfop_training.learning.options import Range, argument, changed
from rfop_training.ppo.arguments import MaskableArguments

BATCH, VECTOR = "batch", "vector"  # who plays the games: our runner, or RLlib's own
MAX_RUNNERS = 10_000


@dataclass
class RllibArguments(MaskableArguments):
    """The arguments of `rfop train rllib`."""

    run: Path = changed(MaskableArguments, "run", Path("runs/rllib"))
    ray: str = argument(LOCAL, ADDRESS)
    runners: int = argument(
        1, "processes that play, one CPU each, on any node; 0: this process plays itself", Range(0, MAX_RUNNERS)
    )
    opponent: str = changed(
        MaskableArguments,
        "opponent",
        "",
        help="who has the other seats: self, any agent by name, or several by shares of the games, as in "
        "scripted=0.5,runs/mine=0.5; empty: self",
    )
    sampling: str = argument(
        BATCH,
        f"{BATCH}: games are played by the runner of this package; {VECTOR}: by RLlib's own, on Gymnasium's native "
        "vector, one seat alone",
        (BATCH, VECTOR),
    )
    num_envs: int = changed(MaskableArguments, "num_envs", 256, help="parallel games of all runners together")
    layers: int = argument(2, "hidden layers", Range(1, 100), fixed=str)
    vf_coef: float = argument(0.5, "weight of the value loss", Range(0))
    max_grad_norm: float = argument(0.5, "maximum gradient norm (clipping)", Range(0, above=True))
    restore_seconds: float = argument(
        300.0, "how long all runners may be lost before the run ends, to be resumed", Range(0, above=True)
    )

    @property
    def envs_per_runner(self) -> int:
        """Parallel games of one runner."""
        return self.num_envs // max(1, self.runners)


def require_shares(args: RllibArguments) -> None:
    """Raise `RfopError` where games cannot be shared by the runners, or a minibatch exceeds a rollout."""
    if args.runners and args.num_envs % args.runners:
        raise RfopError(
            f"--num-envs: {args.runners} runners cannot share {args.num_envs} games; give a multiple of --runners"
        )
    decisions = args.num_envs * args.num_steps
    if args.minibatch_size > decisions:
        raise RfopError(
            f"--minibatch-size: a rollout has {decisions:,} decisions (--num-envs x --num-steps), "
            f"found {args.minibatch_size:,}"
        )


def opponent_of(args: RllibArguments, game: Game) -> str | None:
    """The opponent inside the environment; None where the policy has all seats.

    Raises `RfopError` for an opponent or a seat in a game that has no use for it.
    """
    if game.spec.players == 1 and args.opponent:
        raise RfopError(f"--opponent: {game.id} has one seat, so nobody else plays; leave it out")
    opponent = None if args.opponent in ("", SELF) else args.opponent
    if opponent is None and args.seat != "random":
        raise RfopError("--seat: without --opponent the policy has all seats; leave it out, or name an opponent")
    if args.sampling == VECTOR and opponent is None and game.spec.players > 1:
        raise RfopError(f"--sampling {VECTOR}: it is for one seat; name an --opponent, or leave it out")
    return opponent
