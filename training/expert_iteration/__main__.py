"""Train one network for all seats of any game by expert iteration, with logs, checkpoints and exact resume.

    python -m training.expert_iteration --env Revolution-v0 --minutes 10 --run runs/expert
    python -m training.expert_iteration --env Revolution-v0 --minutes 10 --run runs/expert --resume
    python -m training.expert_iteration --env RedFlagOverParisSolo-v0 --init-from red-flag/solo-2 --minutes 30

A search that the network guides labels positions with improved policies; the network learns them, and the returns of
the games. `training/expert_iteration` holds the trainer, docs/training.md explains it. The folder of a run is that of
`training.ppo_self_play`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rfop_env.command_line import command
from training.expert_iteration.arguments import ExpertArguments
from training.expert_iteration.run import MODULE, train_run
from training.learning.options import parse_arguments


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    run = train_run(parse_arguments(ExpertArguments, MODULE, __doc__ or "", words))
    print(f"model: {run.folder.model}")
    print(run.speed())
    return 0


if __name__ == "__main__":
    sys.exit(main())
