"""A trainer that learns nothing, for tests of training.reproduce: the files of real ones, in no time."""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from training.provenance import revision
from training.run_folder import CARD, COLUMNS, CURVE

parser = argparse.ArgumentParser()
for name in ("--env", "--option", "--run", "--evaluate-against", "--start"):
    parser.add_argument(name, default="")
for name in ("--steps", "--seed", "--evaluate-deals"):
    parser.add_argument(name, type=int, default=10)
parser.add_argument("--best", type=float, default=0.8)
parser.add_argument("--fail", action="store_true")
parser.add_argument("--quiet", action="store_true")
told = parser.parse_args()
if told.fail and told.seed == 2:
    sys.exit("error: seed 2 does not want to")
if told.start and not Path(told.start, CURVE).exists():
    sys.exit(f"error: there is no {told.start}")
run = Path(told.run)
run.mkdir(parents=True)
card = {
    "command": "python -m tests.training.fake_trainer " + " ".join(sys.argv[1:]),
    "arguments": vars(told),
    "environment": told.env,
    "components": {"digest": "abc"},
    "git": revision(),
    "python": "3.11",
    "packages": {"numpy": "2"},
}
(run / CARD).write_text(json.dumps(card))
rng, lines = random.Random(told.seed), [",".join(COLUMNS)]
for step in range(0, told.steps + 1, told.steps // 4):
    for side in ("royalists", "jacobins"):
        rate = told.best * step / told.steps + rng.uniform(0, 0.05)
        lines.append(f"{step / 100},{step},{side},{rate:.4f},0,1,0.5,{told.seed}")
(run / CURVE).write_text("\n".join(lines) + "\n")
