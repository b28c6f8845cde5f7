"""A trainer that learns nothing, for tests of training.reproduce: the files of real ones, in no time."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from training.common.provenance import revision
from training.learning.curve import COLUMNS
from training.learning.run_folder import RunFolder


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    for name in ("--env", "--option", "--run", "--evaluate-against", "--init-from"):
        parser.add_argument(name, default="")
    for name in ("--steps", "--seed", "--evaluate-deals"):
        parser.add_argument(name, type=int, default=10)
    parser.add_argument("--best", type=float, default=0.8)
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args(words)

    # What a trainer refuses.
    if args.fail and args.seed == 2:
        sys.exit("error: seed 2 does not want to")
    if args.init_from and not RunFolder(Path(args.init_from)).curve.exists():
        sys.exit(f"error: there is no {args.init_from}")

    # Its files.
    run = RunFolder(Path(args.run))
    run.path.mkdir(parents=True)
    metadata = {
        "command": "python -m tests.training.fake_trainer " + " ".join(words),
        "arguments": vars(args),
        "environment": args.env,
        "components": {"digest": "abc"},
        "git": revision(),
        "python": "3.11",
        "packages": {"numpy": "2"},
    }
    run.write_metadata(metadata)
    rng, lines = random.Random(args.seed), [",".join(COLUMNS)]
    for step in range(0, args.steps + 1, args.steps // 4):
        for side in ("royalists", "jacobins"):
            rate = args.best * step / args.steps + rng.uniform(0, 0.05)
            lines.append(f"{step / 100},{step},{side},scripted,{rate:.4f},0,1,0.5,{args.seed}")
    run.curve.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
