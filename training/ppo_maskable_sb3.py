"""Train sb3-contrib's MaskablePPO in any environment, with logs, checkpoints and resume.

    python -m training.ppo_maskable_sb3 --minutes 10 --run runs/mine
    python -m training.ppo_maskable_sb3 --run runs/mine --resume --minutes 10
    python -m training.ppo_maskable_sb3 --minutes 5 --env Revolution-v0 --opponent scripted --run runs/revolution

In a game of several seats the learner has one seat, drawn for every game, and an opponent inside the environment has
the others.

The folder of a run holds `model.safetensors` (the newest model, which NumPy plays alone), `checkpoints/`,
`checkpoint.pt` (everything needed to resume), `run.json` (arguments, versions), `progress.csv`, `curve.csv` (wins on
fixed evaluation seeds) and TensorBoard events. Ctrl-C or SIGTERM saves and stops; `--resume` continues from the last
checkpoint, also after a kill. No file is a pickle. One process at a time has the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rfop_env.command_line import command
from training.learning.options import parse_arguments
from training.ppo.arguments import MaskableArguments
from training.ppo.maskable import MODULE, train


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    path = train(parse_arguments(MaskableArguments, MODULE, __doc__ or "", words))
    print(f"model: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
