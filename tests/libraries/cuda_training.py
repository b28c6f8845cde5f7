"""Self-play PPO with its games on a graphics card, or on Numba's simulator of one, beside the same runs on the CPU.

`NUMBA_ENABLE_CUDASIM=1 RFOP_JIT=0 python -m tests.libraries.cuda_training` trains on the simulator.
"""

import tempfile
from pathlib import Path

import numpy as np

from rfop_env.core.errors import RfopError
from rfop_training.ppo import PPOArguments, Snapshot, train_run

WAYS = {  # names of runs, and their arguments
    "opponents inside": {"env": "Revolution-v0", "opponents": "self=0.5,scripted=0.25,random=0.25"},
    "a model": {"env": "Revolution-v0", "opponents": "self=0.5,revolution/ppo-2=0.5"},
    "chance": {"env": "RedFlagOverParis-v1", "opponents": "self=1"},
    "teacher": {"env": "Revolution-v0", "opponents": "self=1", "teacher": "scripted", "openings": 0.0},
    "board": {"env": "Revolution-v0", "opponents": "self=0.5,past=0.5", "space_units": 4},
}
PAST = {"env": "Revolution-v0", "opponents": "self=0.5,past=0.5", "pool_every": 1, "openings": 0.0}


def trained(folder, device, steps=60, **arguments):
    """A finished run."""
    settings = {
        "run": Path(folder) / device, "steps": steps, "num_envs": 4, "num_steps": 8, "minibatch_size": 16, "width": 8,
        "quiet": True, "evaluate_every": 1e9, "evaluate_deals": 1, "device": device,
    }  # fmt: skip
    return train_run(PPOArguments(**settings | arguments))


def weights(run):
    return {name: array.tobytes() for name, array in run.trainer.to_arrays().items()}


def check_same_training(way, exactly=True):
    """The same decisions and the same network, to the last bit where torch computes on the processor in both."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [trained(folder, device, **WAYS[way]) for device in ("cpu", "cuda")]
        assert runs[0].trainer.steps == runs[1].trainer.steps
        if exactly:
            assert weights(runs[0]) == weights(runs[1])


def check_games_may_stay_on_the_processor():
    with tempfile.TemporaryDirectory() as folder:
        here = trained(folder, "cpu", threads=2, **WAYS["opponents inside"] | {"num_envs": 8})
        there = trained(folder, "cuda", threads=2, games_on_cpu=True, **WAYS["opponents inside"] | {"num_envs": 8})
        assert here.trainer.steps == there.trainer.steps


def check_past_selves_and_resume():
    """Snapshots play on the card, and a run that is resumed goes on bit by bit."""
    with tempfile.TemporaryDirectory() as folder:
        finished = trained(Path(folder) / "whole", "cuda", steps=90, **PAST)
        snapshots = [group for group in finished.trainer.pool.groups if isinstance(group.agent, Snapshot)]
        assert len(snapshots) == 2 and len(finished.trainer.pool.weights) > 2

        trainer = trained(folder, "cuda", steps=40, **PAST).trainer
        resumed = type(trainer)(trainer.args, trainer.game, trainer.components)
        resumed.restore(trainer.state())
        trainer.update(0.5, 1e-3)
        resumed.update(0.5, 1e-3)
        arrays, other_arrays = trainer.to_arrays(), resumed.to_arrays()
        assert trainer.steps == resumed.steps
        assert all(np.array_equal(arrays[name], other_arrays[name]) for name in arrays)


def check_refusals():
    with tempfile.TemporaryDirectory() as folder:
        words = "--threads: a card plays all games at once"
        try:
            trained(folder, "cuda", threads=2, **PAST)
        except RfopError as error:
            assert words in str(error) and "--games-on-cpu" in str(error)
        else:
            raise AssertionError(words)


CHECKS = (check_games_may_stay_on_the_processor, check_past_selves_and_resume, check_refusals)

if __name__ == "__main__":
    for check in CHECKS:
        check()
    for each in WAYS:
        check_same_training(each)
        print(each, flush=True)
