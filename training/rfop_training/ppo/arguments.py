"""The arguments of the two PPO trainers; every field is a command-line option."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rfop_training.learning.arguments import (
    ENDLESS,
    MANY,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    WIDE,
    AllSeatsArguments,
    RunArguments,
)
from rfop_training.learning.options import Range, argument, changed


@dataclass
class TrainerArguments(RunArguments):
    """The arguments that both PPO trainers share."""

    num_steps: int = argument(64, "steps of each game per rollout", Range(1, MANY))
    minibatch_size: int = argument(1024, "decisions per gradient step", Range(1))
    update_epochs: int = argument(1, "passes over the decisions of a rollout", Range(1))
    gamma: float = argument(1.0, "discount from a decision of a seat to its next one", SHARE)
    gae_lambda: float = argument(0.95, "lambda of generalised advantage estimation", SHARE)
    clip_coef: float = argument(0.2, "clipping range of the policy ratio", POSITIVE)
    ent_coef: float = argument(0.05, "weight of the entropy in the loss", NOT_NEGATIVE)


def _changed(name: str, default: Any, **metadata: Any) -> Any:
    return changed(TrainerArguments, name, default, **metadata)


@dataclass
class SelfPlayArguments(AllSeatsArguments, TrainerArguments):
    """The arguments of `rfop train ppo`."""

    run: Path = _changed("run", Path("runs/self_play"))
    seeds: int = argument(1, "number of runs, with consecutive seeds, in folders seed_1, ...", Range(1, 1000))
    at_once: int = argument(1, "how many of these runs are trained in parallel processes", Range(1, 1000))
    num_steps: int = _changed("num_steps", 64, fixed=str)
    vf_coef: float = argument(0.5, "weight of the value loss", NOT_NEGATIVE)
    max_grad_norm: float = argument(0.5, "maximum gradient norm (clipping)", POSITIVE)
    ent_coef: float = _changed("ent_coef", 0.05, help="weight of the entropy in the loss at the start")
    final_ent_coef: float = argument(0.01, "the same at the end of the budget", NOT_NEGATIVE)
    magnet: float = argument(
        0.0, "weight of KL(policy, magnet), where the magnet is a slow average of the policy; 0: none", NOT_NEGATIVE
    )
    magnet_rate: float = argument(0.05, "step of the magnet towards the policy in an update", SHARE)
    teacher: str = argument("", "player to imitate at first: scripted, ..., or the path of a model")
    teacher_weight: float = argument(
        1.0, "weight of the cross-entropy with the teacher's actions at the start; falls to 0", NOT_NEGATIVE
    )
    teacher_until: float = argument(0.3, "share of the budget after which the weight is 0", Range(0, 1, above=True))
    gru_size: int = argument(0, "units of a recurrent core (GRU); 0: none", Range(0, WIDE), fixed=str)
    central_critic: bool = argument(
        False, "estimate advantages with a critic that sees the observations of all seats", fixed=str
    )
    pool: int = argument(16, "number of snapshots kept for `past`", Range(1, 10_000), fixed=str)
    pool_every: int = argument(20, "updates between two snapshots", Range(1))
    prioritised: bool = argument(False, "prefer the snapshots that win most")
    restarts: float = argument(0.0, "share of games that start from recorded positions", SHARE, fixed=bool)
    threads: int = _changed(
        "threads", 1, help="threads: each has its share of the games and of every minibatch", fixed=str
    )
    device: str = argument("cpu", "where games are played and networks trained: cpu or cuda", ("cpu", "cuda"))
    games_on_cpu: bool = argument(False, "with --device cuda, play the games on the CPU")

    @property
    def games_device(self) -> str:
        """Where games are played."""
        return "cpu" if self.games_on_cpu else self.device


@dataclass
class MaskableArguments(TrainerArguments):
    """The arguments of `rfop train maskable`."""

    env: str = _changed("env", "RedFlagOverParisSolo-v0")
    opponent: str = argument(
        "",
        "who has the other seats: any agent by name, or several by shares of the games, as in "
        "scripted=0.5,runs/mine=0.5; empty: the game's last scripted player",
    )
    seat: str = argument("random", "the learner's seat in a game of several seats")
    steps: int = _changed("steps", 0, values=Range(0, ENDLESS))
    num_envs: int = _changed("num_envs", 256)
    minibatch_size: int = _changed("minibatch_size", 2048, values=Range(2))
    update_epochs: int = _changed("update_epochs", 3)
    ent_coef: float = _changed("ent_coef", 0.02)
    evaluate_every: float = _changed("evaluate_every", 30.0)
    evaluate_deals: int = _changed("evaluate_deals", 200)
