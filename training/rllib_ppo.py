"""Train RLlib's PPO in any environment, on this machine or on a Ray cluster, with logs, checkpoints and resume.

    python -m training.rllib_ppo --minutes 10 --run runs/mine
    python -m training.rllib_ppo --env RedFlagOverParis-v0 --minutes 60 --ray 10.0.0.1:6379 --runners 32 --run runs/far
    python -m training.rllib_ppo --env RedFlagOverParis-v0 --minutes 60 --ray auto --runners 32 --run runs/far --resume

In a game of several seats one policy plays all of them, or one against `--opponent`. It needs Ray, in an environment of
its own: docs/ray.md says how, and when one machine is better.

The folder of a run holds `model.safetensors` (the newest model, which NumPy plays alone), `checkpoints/`,
`checkpoint.pt` (everything needed to resume), `run.json` (arguments, versions), `progress.csv` and `curve.csv` (wins on
fixed evaluation seeds). Ctrl-C or SIGTERM saves and stops; `--resume` continues from the last checkpoint, also after a
kill. No file is a pickle. One process at a time has the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rfop_env.command_line import command
from training.learning.options import parse_arguments
from training.rllib.arguments import RllibArguments
from training.rllib.run import MODULE, train


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    path = train(parse_arguments(RllibArguments, MODULE, __doc__ or "", words))
    print(f"model: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
