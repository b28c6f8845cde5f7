"""Train one network for all seats of any game by self-play PPO, with logs, checkpoints and exact resume.

    python -m training.ppo_self_play --env Revolution-v0 --minutes 10 --run runs/revolution
    python -m training.ppo_self_play --env Revolution-v0 --minutes 10 --run runs/revolution --resume
    python -m training.ppo_self_play --env LeveeEnMasse-v0 --steps 5000000 --run runs/levee --seed 1 --seeds 5

Each seat has its own chain of decisions, and advantages run along it. `training/ppo` holds the trainer,
docs/training.md explains it.

The folder of a run holds `model.safetensors` (the newest model), `checkpoints/`, `checkpoint.pt` (everything needed to
resume), `run.json` (arguments, versions), `progress.csv`, `curve.csv` (wins on fixed evaluation seeds) and, with
`--evaluate-replays N`, games of each of its points in `replays/` (for `rfop replay`). Ctrl-C or SIGTERM saves and
stops; `--resume` continues from the last checkpoint, also after a kill. One process at a time has the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rfop_env.command_line import command
from training.learning.options import parse_arguments
from training.ppo.arguments import SelfPlayArguments
from training.ppo.self_play import MODULE, train_seeds


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    for path in train_seeds(parse_arguments(SelfPlayArguments, MODULE, __doc__ or "", words)):
        print(f"model: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
