"""Make a model file of this package from a .zip of Stable-Baselines3, without running anything in it.

    python -m training.sb3_export runs/old/model.zip

Earlier versions of `training.ppo_maskable_sb3` wrote such files. The command reads their weights and metadata, and
writes `model.safetensors` beside the file. The other members of a .zip are pickles, which can run any code: they are
not read, and no other part of this package opens a .zip.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import command
from training.common.command_line import Parser
from training.ppo.sb3_export import export


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.sb3_export", __doc__)
    parser.add_argument("zip", type=Path, help="the .zip of the old trainer")
    print(f"model: {export(parser.parse_args(words).zip)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
