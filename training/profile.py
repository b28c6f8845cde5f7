"""Train for a while, with any option of the trainer, and print where the time goes and the decisions a second.

    python -m training.profile --env RedFlagOverParis-v0 --threads 2 --seconds 60
    python -m training.profile --trainer ppo_maskable_sb3 --env RedFlagOverParisSolo-v0
    python -m training.profile --trainer expert_iteration --env Revolution-v0
    python -m training.profile --trainer rllib_ppo --sampling vector
    python -m training.profile --trainer expert_iteration --env Revolution-v0 --write docs/training.md

The command trains in a temporary folder, which it removes. Compiling is not counted. Threads count together: on two
cores, a second by the clock has up to two seconds on processors. With `rllib_ppo` this process plays itself.
`--write` puts the profile into the block of its trainer, `block_of`, of a page.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import command
from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.cuda.device import description, require_device
from rfop_env.testing.marked_block import print_measured
from rfop_env.testing.speed import describe_machine, version_of
from training.common.command_line import Parser, whole
from training.expert_iteration.arguments import ExpertArguments
from training.expert_iteration.profile import profile_table
from training.expert_iteration.run import MODULE as EXPERT
from training.learning.options import parse_arguments
from training.learning.profile import block_of
from training.ppo.arguments import MaskableArguments, SelfPlayArguments
from training.ppo.maskable import MODULE as MASKABLE
from training.ppo.profile import profile_maskable, profile_self_play
from training.ppo.self_play import MODULE as SELF_PLAY
from training.rllib.arguments import RllibArguments
from training.rllib.profile import profile_rllib
from training.rllib.run import MODULE as RLLIB

# Options of the trainers that a profile has no use for.
OWN = {"--run": "a temporary folder", "--resume": "a run of its own", "--minutes": "--seconds"}
TRAINERS = ("ppo_self_play", "ppo_maskable_sb3", "expert_iteration", "rllib_ppo")


def profile(trainer: str, words: Sequence[str], seconds: int) -> str:
    """The profile of a trainer with these options, as text."""
    if trainer == "ppo_self_play":
        return profile_self_play(parse_arguments(SelfPlayArguments, SELF_PLAY, "", words), seconds).table()
    if trainer == "ppo_maskable_sb3":
        return profile_maskable(parse_arguments(MaskableArguments, MASKABLE, "", words), seconds).table()
    if trainer == "expert_iteration":
        return profile_table(parse_arguments(ExpertArguments, EXPERT, "", words), seconds)
    return profile_rllib(parse_arguments(RllibArguments, RLLIB, "", words), seconds).table()


def described(trainer: str, words: Sequence[str], seconds: int) -> str:
    """The profile in Markdown, with its command and the machine."""
    machine = describe_machine()
    where = f"{machine['cpu']}, {machine['cores']} cores; torch {version_of('torch')}"
    if trainer == TRAINERS[0] and parse_arguments(SelfPlayArguments, SELF_PLAY, "", words).device == CARD:
        require_device()
        where = f"{description()['card']}, beside {where}"
    said = shlex.join(["--trainer", trainer, *words, "--seconds", str(seconds)])
    return "\n".join([
        f"{where}. Load {machine['load_before']} before.",
        "",
        "```text",
        f"$ python -m training.profile {said}",
        profile(trainer, words, seconds),
        "```",
    ])  # fmt: skip


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.profile", __doc__)
    parser.add_argument("--trainer", choices=TRAINERS, default=TRAINERS[0], help="(default %(default)s)")
    parser.add_argument("--seconds", type=whole(1), default=60, help="of training (default %(default)s)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the profile into this page, between its marks")
    own, others = parser.parse_known_args(words)
    for word in others:
        option = word.split("=")[0]
        if option in OWN:
            parser.error(f"{option}: a profile has {OWN[option]}; leave it out")

    if own.write is None:
        print(profile(own.trainer, others, own.seconds))
    else:
        print_measured(lambda: described(own.trainer, others, own.seconds), block_of(own.trainer), own.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
