"""The arguments of `rfop train expert`: every field is a command-line option."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rfop_agents.rollouts import RANGES as ROLLOUT_RANGES
from rfop_agents.rollouts import RolloutSettings
from rfop_agents.search.settings import GUMBEL, RANGES, SearchSettings
from rfop_training.common.cluster import ADDRESS
from rfop_training.learning.arguments import MANY, NOT_NEGATIVE, POSITIVE, AllSeatsArguments
from rfop_training.learning.options import Range, argument, changed


def _changed(name: str, default: Any, **metadata: Any) -> Any:
    return changed(AllSeatsArguments, name, default, **metadata)


def _searched(name: str, default: Any, text: str) -> Any:
    """A setting of the search, in its range."""
    return argument(default, text, Range(*RANGES[name]))


@dataclass
class ExpertArguments(AllSeatsArguments):
    """The arguments of `rfop train expert`."""

    run: Path = _changed("run", Path("runs/expert_iteration"))
    opponents: str = _changed(
        "opponents",
        "self=1",
        help="who has the other seats, by shares of the games: self, random, a scripted player, or the path of a "
        "model, as in self=0.8,scripted=0.2",
    )
    num_envs: int = _changed("num_envs", 256)
    checkpoint_every: float = _changed("checkpoint_every", 300.0)
    threads: int = _changed(
        "threads", 1, help="threads, or with --ray processes: each plays its share of the games", fixed=str
    )
    ray: str = argument("", f"play in processes of a cluster, one CPU each: {ADDRESS}; empty: in threads here")

    # The search, or rollouts in place of it.
    rollouts: int = argument(
        0,
        "redraws of hidden information and chance for each label: likely actions are tried on the same redraws, and "
        "the network plays on from each; 0: a tree search labels, by --simulations",
        Range(0, ROLLOUT_RANGES["draws"][1]),
    )
    rollout_length: int = argument(
        8, "with --rollouts: decisions that the network plays on, before it judges", Range(*ROLLOUT_RANGES["length"])
    )
    simulations: int = _searched("simulations", 16, "simulations for each label of a tree search")
    considered: int = _searched("considered", 8, "actions of a root that are considered at most")
    q_scale: float = _searched("q_scale", 0.5, "how much values count against logits in an improved policy")
    root_noise: float = _searched("root_noise", 1.0, "factor of the Gumbel noise with which roots choose")
    prior_weight: float = argument(
        0.75, "share of the search's prior that is the network's policy; the rest is uniform", Range(0, 0.999)
    )
    search_share: float = argument(
        0.25,
        "share of the decisions that are searched and so labelled with a policy; the others are sampled from the "
        "network, and only their values are learned",
        Range(0, 1, above=True),
    )

    # The learning.
    num_steps: int = argument(16, "steps of each game between two updates", Range(1, MANY))
    buffer_size: int = argument(
        131_072, "decisions kept; they should be more than --num-envs times the decisions of a game", Range(1, 10**9),
        fixed=str,
    )  # fmt: skip
    passes: float = argument(2.0, "how often a decision is trained on, on average", POSITIVE)
    minibatch_size: int = argument(1024, "decisions per gradient step", Range(1))
    vf_coef: float = argument(1.0, "weight of the value loss", NOT_NEGATIVE)
    max_grad_norm: float = argument(1.0, "maximum gradient norm (clipping)", POSITIVE)

    def rollout_settings(self) -> RolloutSettings:
        """The settings of rollouts that label."""
        return RolloutSettings(
            draws=self.rollouts, length=self.rollout_length, considered=self.considered, q_scale=self.q_scale
        )

    def search_settings(self) -> SearchSettings:
        """The settings of the tree search that labels: the network judges every leaf."""
        return SearchSettings(
            simulations=self.simulations,
            root=GUMBEL,
            considered=self.considered,
            q_scale=self.q_scale,
            root_noise=self.root_noise,
            prior_weight=self.prior_weight,
        )
