"""A stranger's run is data: whatever lies in its folder, no command of the package runs it."""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
import shutil
import signal
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

import rfop_agents
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_training.evaluation import matrix
from training.research.lab.best_response import exploitability
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.setting import Setting
from rfop_training import maskable, ppo
from rfop_training.maskable import MaskableArguments
from rfop_training.ppo import PPOArguments, PPOTrainer
from rfop_training.run import RunFolder
from training.research.lab.best_response import respond
from training.research.publishing import baselines

ENV = "Revolution-v0"
SMALL = {
    "env": ENV,
    "steps": 512,
    "num_envs": 16,
    "num_steps": 16,
    "minibatch_size": 128,
    "update_epochs": 1,
    "width": 16,
    "evaluate_deals": 1,
    "quiet": True,
}
TRAINERS = {
    "sb3": (maskable, MaskableArguments, {}),
    "self_play": (ppo, PPOArguments, {"opponents": "random=1"}),
}
FILES = ("model.safetensors", "model.zip", "checkpoint.pt", "run.json", "curve.csv", "progress.csv",
         "checkpoints/step_512.safetensors", "events.out.tfevents.1.x", ".lock")  # fmt: skip


class Evil:
    """A pickle of this makes a file when it is opened."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def as_pickle(mark: Path) -> bytes:
    return pickle.dumps(Evil(mark))


def as_torch(mark: Path) -> bytes:
    buffer = io.BytesIO()
    torch.save({"trainer": Evil(mark), "state": Evil(mark), "module": Evil(mark), "seconds": 0.0, "fixed": {}}, buffer)
    return buffer.getvalue()


def as_sb3(mark: Path) -> bytes:
    """A .zip like those of SB3: members that its loader unpickles."""
    buffer = io.BytesIO()
    evil = {"policy_class": {":type:": "x", ":serialized:": base64.b64encode(as_pickle(mark)).decode()}}
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("data", json.dumps(evil))
        file.writestr("policy.pth", as_torch(mark))
    return buffer.getvalue()


@pytest.fixture(scope="module", params=TRAINERS)
def run(request, tmp_path_factory) -> tuple[str, Path]:
    """A whole run of each trainer."""
    module, arguments, extra = TRAINERS[request.param]
    folder = tmp_path_factory.mktemp("runs") / "mine"
    module.train(arguments(run=folder, **(SMALL | extra)))
    return request.param, folder


def uses(trainer: str, run: Path, out: Path):
    """Everything that opens a run."""
    module, arguments, extra = TRAINERS[trainer]
    game, model_path = get_game(ENV), str(run)
    yield lambda: rfop_agents.load(model_path, game)
    yield lambda: rfop_agents.load(f"search-4+{model_path}", game)
    yield lambda: rfop_agents.load(str(run / "model.zip"), game)
    yield lambda: evaluate(ENV, [model_path, "random"], range(1))
    yield lambda: matrix.fill(Setting(ENV), [model_path, "random"], range(1), out / "matrix.csv")
    yield lambda: baselines.publish(run, "revolution/stolen-1", ["random"], 1)
    yield lambda: respond(model_path, Setting(ENV), out / "response", 64, model_path, **{"num_envs": 8, "num_steps": 4})
    yield lambda: respond("random", Setting(ENV), run, 512)
    yield lambda: exploitability("random", Setting(ENV), run, RunFolder(run).read_metadata(), 1)
    yield lambda: PPOTrainer(PPOArguments(init_from=model_path, **SMALL), game, game.load_components(None))
    yield lambda: module.train(arguments(run=run, **(SMALL | extra | {"steps": 1024, "resume": True})))


PLANTED = [
    *((name, as_pickle) for name in FILES),
    ("checkpoint.pt", as_torch), ("model.safetensors", as_torch), ("model.zip", as_sb3), ("checkpoint.pt", as_sb3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "evil"), PLANTED)
def test_a_pickle_in_place_of_a_file_of_a_run_is_never_run(run, name, evil, tmp_path, monkeypatch):
    monkeypatch.setattr("rfop_agents.baselines.FOLDER", tmp_path / "baselines")
    (tmp_path / "baselines").mkdir()
    trainer, original = run
    mark, copy = tmp_path / "it ran", tmp_path / "copy"
    shutil.copytree(original, copy)
    (copy / name).parent.mkdir(exist_ok=True)
    for use in uses(trainer, copy, tmp_path):
        (copy / name).write_bytes(evil(mark))
        try:
            use()
        except RfopError as error:
            message = str(error)
            assert message.isprintable() and "weights_only" not in message and len(message) < 600
        finally:
            assert not mark.exists()


def as_pipe(path: Path) -> None:
    """Nobody writes into it: whoever reads it waits for ever."""
    os.mkfifo(path)


def as_huge(path: Path) -> None:
    """More than any memory holds, though not on the disk."""
    path.touch()
    os.truncate(path, 2**40)


@pytest.mark.parametrize("plant", [as_pipe, as_huge])
@pytest.mark.parametrize("name", ["model.safetensors", "model.zip", "checkpoint.pt", "run.json", "curve.csv"])
def test_a_file_of_a_run_that_would_be_read_for_ever_is_refused(run, name, plant, tmp_path, monkeypatch):
    monkeypatch.setattr("rfop_agents.baselines.FOLDER", tmp_path / "baselines")
    (tmp_path / "baselines").mkdir()
    trainer, original = run
    copy, refused = tmp_path / "copy", 0
    shutil.copytree(original, copy)
    for use in uses(trainer, copy, tmp_path):
        (copy / name).unlink(missing_ok=True)
        plant(copy / name)
        try:
            with at_most(120):
                use()
        except RfopError as error:
            refused += 1
            assert str(error).isprintable() and len(str(error)) < 600
    assert refused


@contextmanager
def at_most(seconds: float):
    """Raise `AssertionError` in the block after so many seconds."""

    def stop(*_: object) -> None:
        raise AssertionError("it waits for ever")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_the_pickles_of_this_test_do_run_where_they_are_trusted(tmp_path):
    for evil in (as_pickle, as_torch):
        mark = tmp_path / evil.__name__
        pickle.loads(evil(mark)) if evil is as_pickle else torch.load(io.BytesIO(evil(mark)), weights_only=False)
        assert mark.exists()
    from stable_baselines3.common.save_util import load_from_zip_file

    (tmp_path / "model.zip").write_bytes(as_sb3(tmp_path / "zip"))
    with pytest.raises(pickle.UnpicklingError):  # at the tensors, which it reads last
        load_from_zip_file(tmp_path / "model.zip", load_data=True)
    assert (tmp_path / "zip").exists()


def test_a_zip_is_refused(tmp_path):
    (tmp_path / "model.zip").write_bytes(as_sb3(tmp_path / "mark"))
    for name in (tmp_path, tmp_path / "model.zip"):
        with pytest.raises(RfopError, match=r"model.zip is not opened: .* can run any code"):
            rfop_agents.load(str(name), get_game(ENV))
