"""Train for a while, with any option of the trainer, and print where the time goes and the decisions a second.

    python -m training.research profile ppo --env RedFlagOverParis-v0 --threads 2 --seconds 60
    python -m training.research profile maskable --env RedFlagOverParisSolo-v0
    python -m training.research profile expert --env Revolution-v0
    python -m training.research profile rllib --sampling vector
    python -m training.research profile expert --env Revolution-v0 --write docs/training.md

The command trains in a temporary folder, which it removes. Compiling is not counted. Threads count together: on two
cores, a second by the clock has up to two seconds on processors. With `rllib` this process plays itself.
`--write` puts the profile into the block of its trainer, `block_of`, of a page.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import UsageError
from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.cuda.device import description, require_device
from rfop_env.testing.marked_block import print_measured
from rfop_env.testing.speed import describe_machine, package_version
from rfop_training.common.command_line import whole
from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.profile import profile_table
from rfop_training.expert_iteration.run import TRAINER as EXPERT
from rfop_training.learning.options import parse_arguments
from rfop_training.learning.profile import block_of
from rfop_training.ppo.arguments import MaskableArguments, SelfPlayArguments
from rfop_training.ppo.maskable import TRAINER as MASKABLE
from rfop_training.ppo.profile import profile_maskable, profile_self_play
from rfop_training.ppo.self_play import TRAINER as SELF_PLAY
from rfop_training.rllib.arguments import RllibArguments
from rfop_training.rllib.profile import profile_rllib
from rfop_training.rllib.run import TRAINER as RLLIB

# Options of the trainers that a profile has no use for.
OTHER_WORDS = True  # the options of the trainer
OWN = {"--run": "a temporary folder", "--resume": "a run of its own", "--minutes": "--seconds"}
TRAINERS = (SELF_PLAY, EXPERT, MASKABLE, RLLIB)


def profile(trainer: str, words: Sequence[str], seconds: int) -> str:
    """The profile of a trainer with these options, as text."""
    if trainer == SELF_PLAY:
        return profile_self_play(parse_arguments(SelfPlayArguments, words), seconds).table()
    if trainer == MASKABLE:
        return profile_maskable(parse_arguments(MaskableArguments, words), seconds).table()
    if trainer == EXPERT:
        return profile_table(parse_arguments(ExpertArguments, words), seconds)
    return profile_rllib(parse_arguments(RllibArguments, words), seconds).table()


def described(trainer: str, words: Sequence[str], seconds: int) -> str:
    """The profile in Markdown, with its command and the machine."""
    machine = describe_machine()
    where = f"{machine['cpu']}, {machine['cores']} cores; torch {package_version('torch')}"
    if trainer == SELF_PLAY and parse_arguments(SelfPlayArguments, words).device == CARD:
        require_device()
        where = f"{description()['card']}, beside {where}"
    arguments = shlex.join([trainer, *words, "--seconds", str(seconds)])
    return "\n".join([
        f"{where}. Load {machine['load_before']} before.",
        "",
        "```text",
        f"$ python -m training.research profile {arguments}",
        profile(trainer, words, seconds),
        "```",
    ])  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("trainer", choices=TRAINERS)
    parser.add_argument("--seconds", type=whole(1), default=60, help="of training (default %(default)s)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the profile into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    for word in args.other_words:
        option = word.split("=")[0]
        if option in OWN:
            raise UsageError(f"{option}: a profile has {OWN[option]}; leave it out")

    if args.write is None:
        print(profile(args.trainer, args.other_words, args.seconds))
    else:
        trainer, words, seconds = args.trainer, args.other_words, args.seconds
        print_measured(lambda: described(trainer, words, seconds), block_of(trainer), args.write)
    return 0
