"""The folder of a run after a crash: what is whole stays, what is half is taken out, and one process has it."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import pytest
import toy_runs
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import rfop_agents
from rfop_env.cli.main import main as rfop
from rfop_agents.network import MODEL, read_network, write_network
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from rfop_training.evaluation.setting import Setting
from rfop_training import maskable, ppo
from rfop_training.maskable import MaskableArguments
from rfop_training.ppo import PPOArguments
from rfop_training.run import SHARED_METRICS, Events, RunFolder
from rfop_training.run_arguments import Range, config_text
from training.research.lab.best_response import respond
from training.research.publishing.baselines import read_run
from rfop_training.common.records import locked

TRAINERS = [ppo, maskable]
ARGUMENTS = {ppo: PPOArguments, maskable: MaskableArguments}
ENVS = {ppo: "ToyTurns-v0", maskable: "ToyDice-v0"}


@pytest.fixture(autouse=True)
def toys():
    with toy_runs.toys():
        yield


def settings(trainer, run: Path, **changes):
    return ARGUMENTS[trainer](run=run, env=ENVS[trainer], quiet=True, **(toy_runs.SMALL | changes))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def steps_of(run: Path) -> list[int]:
    return [int(row["steps"]) for row in rows(RunFolder(run).progress)]


@pytest.fixture(params=TRAINERS, ids=["ppo", "maskable"])
def trainer(request):
    return request.param


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Callable[..., Path]:
    """The folder of a run that is done; the first test that asks for these settings trains it, and none changes it."""

    @cache
    def train(trainer, **changes) -> Path:
        folder = tmp_path_factory.mktemp("trained") / "run"
        trainer.train(settings(trainer, folder, **changes))
        return folder

    return train


@pytest.fixture
def copied(trained, tmp_path) -> Callable[..., Path]:
    """A run that is done, for one test to resume or to damage."""
    return lambda trainer, **changes: Path(shutil.copytree(trained(trainer, **changes), tmp_path / "run"))


@pytest.fixture
def run(trainer, copied) -> Path:
    """A run of each trainer that is done."""
    return copied(trainer)


# -- resuming ----------------------------------------------------------------------------------------------------------


def test_a_resumed_run_keeps_its_rows_and_repeats_none(trainer, run):
    previous = steps_of(run), rows(RunFolder(run).curve)
    trainer.train(settings(trainer, run, steps=4096, resume=True, evaluate_every=0.0))
    current = steps_of(run), rows(RunFolder(run).curve)
    assert len(previous[0]) > 1 and current[0][: len(previous[0])] == previous[0] and len(current[0]) > len(previous[0])
    assert current[0] == sorted(set(current[0]))
    points = [(int(row["steps"]), row["side"]) for row in current[1]]
    assert current[1][: len(previous[1])] == previous[1] and len(points) == len(set(points)) > len(previous[1])


def test_the_time_of_a_resumed_run_counts_from_where_it_ended(trainer, run):
    points = len(rows(RunFolder(run).curve))
    change(RunFolder(run).checkpoint, "seconds", to=2000.0)
    change(RunFolder(run).checkpoint, "processor_seconds", to=1000.0)
    trainer.train(settings(trainer, run, steps=4096, resume=True, evaluate_every=0.0))
    curve = rows(RunFolder(run).curve)
    for column, start in (("seconds", 2000), ("processor_seconds", 1000)):
        times = [float(row[column]) for row in curve]
        assert max(times[:points]) < start <= min(times[points:]) and max(times) < start + 1000, column

    content = torch.load(RunFolder(run).checkpoint, weights_only=True)
    assert content["seconds"] >= 2000 and 1000 <= content["processor_seconds"] < 2000


def test_points_at_fixed_decisions_are_the_same_for_a_resumed_run(trainer, tmp_path):
    curves = []
    for name, budgets in (("whole", [6144]), ("resumed", [2560, 6144])):
        for steps in budgets:
            resume = steps != budgets[0]
            trainer.train(
                settings(trainer, tmp_path / name, steps=steps, resume=resume, evaluate_steps=2000, evaluate_every=1e9)
            )
        curves.append([int(row["steps"]) for row in rows(RunFolder(tmp_path / name).curve)])
    original, resumed = (sorted(set(steps)) for steps in curves)
    late = (
        2 * toy_runs.SMALL["num_envs"] * toy_runs.SMALL["num_steps"]
    )  # decisions after a mark, with two seats at most
    assert all(any(mark <= steps < mark + late for steps in original) for mark in (2000, 4000, 6000)), original
    assert set(original) <= set(resumed) and len(resumed) == len(original) + 1, "and where the first of the two ended"


def test_a_run_that_stops_within_its_budget_goes_on_as_if_it_had_not(tmp_path):
    """Of self-play, whose runs are resumed exactly."""
    shared = {"steps": 6144, "evaluate_steps": 2000, "evaluate_every": 1e9}
    ppo.train(settings(ppo, tmp_path / "whole", **shared))
    ppo.train(settings(ppo, tmp_path / "parts", until=3000, **shared))
    stopped = steps_of(tmp_path / "parts")
    assert stopped == [steps for steps in steps_of(tmp_path / "whole") if steps <= stopped[-1]] and stopped[-2] < 3000
    ppo.train(settings(ppo, tmp_path / "parts", resume=True, **shared))

    assert steps_of(tmp_path / "parts") == steps_of(tmp_path / "whole")
    first, second = (read_network(tmp_path / name / MODEL)[0] for name in ("whole", "parts"))
    assert all((first[name] == second[name]).all() for name in first)
    points, resumed = (toy_runs.curve_points(tmp_path / name) for name in ("whole", "parts"))
    assert [row for row in resumed if row.steps != stopped[-1]] == points, "and there is the point where it stopped"


def test_rows_beyond_the_checkpoint_and_a_line_cut_short_are_taken_out(trainer, run):
    steps = steps_of(run)
    later = {"steps": steps[-1] + 4000}
    header = RunFolder(run).progress.read_text().splitlines()[0].split(",")
    with RunFolder(run).progress.open("a") as file:
        file.write(",".join(str(later.get(name, "0")) for name in header) + "\n1,2")
    with RunFolder(run).curve.open("a") as file:
        file.write(f"9.9,9.9,{steps[-1] + 4000},player,-,0,0,0,0,0,0,1\n9.9,9.9,77")
    trainer.train(settings(trainer, run, resume=True))
    assert steps_of(run) == steps
    assert max(int(row["steps"]) for row in rows(RunFolder(run).curve)) < steps[-1] + 4000


def test_run_json_keeps_how_a_run_began_and_how_it_was_resumed(trainer, run):
    first = json.loads(RunFolder(run).metadata.read_text())
    for steps in (3072, 4096):
        trainer.train(settings(trainer, run, steps=steps, resume=True, learning_rate=2e-3))
    metadata = RunFolder(run).read_metadata()
    assert {name: metadata[name] for name in first} == first and first["arguments"]["steps"] == 2048
    assert [event["arguments"]["steps"] for event in metadata["resumes"]] == [3072, 4096]
    assert [event["steps"] >= 2048 and event["arguments"]["learning_rate"] for event in metadata["resumes"]] == [
        2e-3,
        2e-3,
    ]
    assert all(event["git"] and event["command"] and event["packages"] for event in metadata["resumes"])


def test_a_fresh_run_in_the_folder_of_one_that_had_no_checkpoint_yet_keeps_no_row_of_it(trainer, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write_checkpoint", lambda *args: (_ for _ in ()).throw(RfopError("killed")))
        with pytest.raises(RfopError, match="killed"):
            trainer.train(settings(trainer, tmp_path / "run", seed=1))
    assert rows(RunFolder(tmp_path / "run").progress) and rows(RunFolder(tmp_path / "run").curve)
    with pytest.raises(RfopError, match=r"nothing to resume; leave out --resume"):
        trainer.train(settings(trainer, tmp_path / "run", resume=True))
    (tmp_path / "run" / ".model.safetensors.1.part").write_text("half")
    trainer.train(settings(trainer, tmp_path / "run", seed=2))
    assert {row["seed"] for row in rows(RunFolder(tmp_path / "run").curve)} == {"2"}
    assert len(steps_of(tmp_path / "run")) == len(set(steps_of(tmp_path / "run")))
    assert not list((tmp_path / "run").glob(".*.part"))
    assert RunFolder(tmp_path / "run").read_metadata()["arguments"]["seed"] == 2


def test_a_folder_with_files_of_something_else_is_left_alone(trainer, tmp_path):
    RunFolder(tmp_path).progress.write_text("my own")
    with pytest.raises(RfopError, match=r"progress.csv is of no run of this package: choose another --run"):
        trainer.train(settings(trainer, tmp_path))
    assert RunFolder(tmp_path).progress.read_text() == "my own"
    (tmp_path / "file").write_text("")
    with pytest.raises(RfopError, match="file is a file: choose another --run"):
        trainer.train(settings(trainer, tmp_path / "file"))


def test_a_save_that_fails_between_checkpoint_and_model_is_no_dead_end(trainer, tmp_path, monkeypatch):
    def fail(*args):
        raise RfopError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("rfop_training.run.network.write_network", fail)
        with pytest.raises(RfopError, match="disk full"):
            trainer.train(settings(trainer, tmp_path / "run"))
    assert RunFolder(tmp_path / "run").checkpoint.exists() and not (tmp_path / "run" / MODEL).exists()
    with pytest.raises(RfopError, match="add --resume"):
        trainer.train(settings(trainer, tmp_path / "run"))
    path = trainer.train(settings(trainer, tmp_path / "run", resume=True))
    assert read_network(path)[1]["steps"] >= 2048


def test_a_full_disk_is_one_error_and_the_last_checkpoint_stays(trainer, run, monkeypatch):
    def full(self, data):
        raise OSError(28, "No space left on device")

    content = RunFolder(run).checkpoint.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", lambda fd: full(None, fd))
        with pytest.raises(RfopError, match=r"cannot be written: No space left on device"):
            trainer.train(settings(trainer, run, steps=4096, resume=True))
    assert RunFolder(run).checkpoint.read_bytes() == content and not list(run.glob(".*.part"))
    trainer.train(settings(trainer, run, steps=4096, resume=True))
    assert read_network(run / MODEL)[1]["steps"] >= 4096


def test_a_model_without_its_checkpoint_cannot_be_resumed(trainer, run):
    RunFolder(run).checkpoint.unlink()
    for resume in (False, True):
        with pytest.raises(
            RfopError, match=r"exists without checkpoint.pt: that run cannot be resumed; choose another --run"
        ):
            trainer.train(settings(trainer, run, resume=resume))


def test_files_have_the_usual_mode(run):
    (run / "other").write_text("")
    assert {path.stat().st_mode for path in run.glob("*.*")} == {(run / "other").stat().st_mode}


# -- one process -------------------------------------------------------------------------------------------------------


def test_a_second_process_in_a_folder_gets_one_error(trainer, run):
    with locked(run / ".lock", "busy"), pytest.raises(RfopError, match="run is in use, another process trains there"):
        trainer.train(settings(trainer, run, resume=True))


def test_a_run_that_cannot_begin_leaves_no_folder(trainer, tmp_path):
    for changes in ({"opponents": "nobody=1"} if trainer is ppo else {"opponent": "nobody"}, {"env": "Chess"}):
        with pytest.raises(RfopError):
            trainer.train(replace(settings(trainer, tmp_path / "run"), **changes))
        assert not (tmp_path / "run").exists()


# -- what a run tells --------------------------------------------------------------------------------------------------


def words_of_run(trainer: str, run: Path) -> list[str]:
    """A short run of a trainer as a command line."""
    sizes = {name: value for name, value in toy_runs.SMALL.items() if trainer != "expert" or name != "update_epochs"}
    words = [word for name, value in sizes.items() for word in ("--" + name.replace("_", "-"), str(value))]
    env = "ToyDice-v0" if trainer == "maskable" else "ToyTurns-v0"
    return ["train", trainer, "--env", env, *words, "--evaluate-steps", "1000", "--run", str(run), "--quiet"]


def scalars(run: Path) -> dict[str, list[tuple[int, float]]]:
    """The steps and values of each tag of a folder's events, as TensorBoard reads them."""
    loaded = EventAccumulator(str(run)).Reload()
    return {tag: [(event.step, event.value) for event in loaded.Scalars(tag)] for tag in loaded.Tags()["scalars"]}


@pytest.mark.parametrize("name", ["ppo", "expert", "maskable"])
def test_every_trainer_writes_the_same_metrics_for_people_and_for_tensorboard(name, tmp_path):
    assert rfop(words_of_run(name, tmp_path / "run")) == 0
    logged = rows(RunFolder(tmp_path / "run").progress)
    shared = [metric for metric in SHARED_METRICS if (name, metric) != ("expert", "clipfrac")]  # it clips nothing
    columns = list(logged[0])
    assert columns[:2] == ["updates", "steps"] and {"seconds", "steps_per_second", "wins"} < set(columns)
    assert [column for column in columns if column in SHARED_METRICS] == shared

    # Each means what its name says.
    last = {column: float(text) for column, text in logged[-1].items()}
    assert 1e-4 <= last["learning_rate"] < 1e-3 and last["approx_kl"] > -1e-6 and last["explained_variance"] <= 1
    assert 0 < last["entropy"] < 3 and last["value_loss"] > 0 and 0 <= last["wins"] <= 1

    # TensorBoard has the same numbers at the same steps, and every point of the curve.
    tags, points = scalars(tmp_path / "run"), rows(RunFolder(tmp_path / "run").curve)
    assert "tensorflow" not in sys.modules
    for column in shared:
        expected = [(int(row["steps"]), float(row[column])) for row in logged]
        assert [step for step, _ in tags[column]] == [step for step, _ in expected]
        assert [value for _, value in tags[column]] == pytest.approx([value for _, value in expected], rel=1e-4)
    side = points[0]["side"]
    expected = [(int(row["steps"]), float(row["win_rate"])) for row in points if row["side"] == side]
    assert dict(tags[f"wins_{side}"]) == pytest.approx(dict(expected), abs=1e-4) and len(expected) > 1


def test_events_after_the_checkpoint_do_not_count_in_a_resumed_run(trainer, run):
    events = Events.open(RunFolder(run), 0)
    events.add({"steps": 10**6, "policy_loss": 7.0})  # of an update that a kill has lost
    events.close()
    trainer.train(settings(trainer, run, steps=4096, resume=True))
    steps = [step for step, _ in scalars(run)["policy_loss"]]
    assert steps == steps_of(run) == sorted(set(steps))


@pytest.mark.parametrize("name", ["ppo", "expert", "maskable"])
def test_the_configuration_of_a_run_repeats_it(name, tmp_path):
    assert rfop([*words_of_run(name, tmp_path / "first"), "--seed", "3", "--learning-rate", "2e-3"]) == 0
    config = str(RunFolder(tmp_path / "first").config)
    assert rfop(["train", name, "--config", config, "--run", str(tmp_path / "second"), "--quiet"]) == 0
    first, second = (read_network(tmp_path / run / MODEL)[0] for run in ("first", "second"))
    assert first.keys() == second.keys() and all((first[key] == second[key]).all() for key in first)

    # A value of the command line wins.
    words = ["--config", config, "--run", str(tmp_path / "third"), "--seed", "4", "--steps", "600", "--quiet"]
    assert rfop(["train", name, *words]) == 0
    arguments = RunFolder(tmp_path / "third").read_metadata()["arguments"]
    assert (arguments["seed"], arguments["steps"], arguments["learning_rate"]) == (4, 600, 2e-3)


def test_a_configuration_has_any_text_as_toml(tmp_path):
    values = {
        "run": 'a "b"\\c\n\x7f \u00e9 \U0001f3b2',
        "num_envs": 4,
        "learning_rate": 1e-5,
        "resume": True,
        "no_symmetries": False,
    }
    assert tomllib.loads(config_text(values)) == {
        "run": values["run"], "num-envs": 4, "learning-rate": 1e-5, "no-symmetries": False
    }  # fmt: skip


def test_a_resumed_run_says_where_it_goes_on(trainer, run, capsys):
    last = rows(RunFolder(run).curve)[-1]
    change(RunFolder(run).checkpoint, "seconds", to=90.0)
    capsys.readouterr()
    trainer.train(replace(settings(trainer, run, steps=4096, resume=True), quiet=False))
    output = re.split(r"[\r\n]+", capsys.readouterr().err)
    steps = r"[\d,]+ steps"
    wins = rf"wins .*{last['side']} {float(last['win_rate']):.0%}"
    assert re.fullmatch(rf".*run: resumes at {steps}, 1\.\d minutes, {wins}.*", output[0]), output
    bar = next(line for line in output[1:] if "steps" in line)
    assert re.search(rf"{steps}, {wins}", bar), "the bar knows both before the first update"


# -- damaged -----------------------------------------------------------------------------------------------------------


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def change(path: Path, *keys: str, to) -> None:
    """Write another value into a checkpoint."""
    content = torch.load(path, weights_only=True)
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = to
    torch.save(content, path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, r"checkpoint.pt is no whole checkpoint of this package: put back a copy"),
        (lambda path: change(path, "trainer", to="other"), "written by 'other'"),
        (lambda path: change(path, "fixed", to={}), "other settings: env None instead of 'Toy"),
        (lambda path: change(path, "format", to=1), "written by another version .*: --init-from"),
        (lambda path: change(path, "metadata", "components", to="x"), "another component set"),
        (lambda path: change(path, "state", "updates", to=-1), r"is damaged.*updates -1"),
    ],
)
def test_a_damaged_checkpoint_is_told(trainer, run, damage, message):
    damage(RunFolder(run).checkpoint)
    previous = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    with pytest.raises(RfopError, match=message):
        trainer.train(settings(trainer, run, steps=4096, resume=True))
    assert previous == {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}


PLAYER_STATE = ("open", "open_index", "orientation", "groups", "rng", "steps")


@pytest.mark.parametrize(
    "keys",
    [
        *((key,) for key in ("network", "optimiser", "players", "pool", "rng", "magnet")),
        *(("players", 0, key) for key in PLAYER_STATE),
    ],
)
def test_a_checkpoint_of_self_play_that_lacks_a_part_or_has_a_wrong_one_is_told(keys, copied):
    changes = {"opponents": "self=0.5,past=0.5"}
    run = copied(ppo, **changes)
    original = RunFolder(run).checkpoint.read_bytes()
    for invalid in (None, -7.5, "x", [torch.zeros(3)], torch.zeros(2, 2), {"x": torch.zeros(1)}):
        RunFolder(run).checkpoint.write_bytes(original)
        change(RunFolder(run).checkpoint, "state", *keys, to=invalid)
        with pytest.raises(RfopError, match=r"checkpoint.pt is damaged.*: put back a copy of it"):
            ppo.train(settings(ppo, run, steps=4096, resume=True, **changes))


def test_numbers_that_lie_otherwise_in_a_checkpoint_train_the_same(copied):
    run = copied(ppo)
    original = RunFolder(run).checkpoint.read_bytes()
    weights = []
    for spread in (False, True):
        RunFolder(run).checkpoint.write_bytes(original)
        for name in ("exp_avg", "exp_avg_sq"):
            content = torch.load(RunFolder(run).checkpoint, weights_only=True)["state"]["optimiser"]["state"][0][name]
            column = content[:, :1].clone().expand(content.shape)  # many numbers that are one in memory
            moments = column if spread else column.contiguous()
            change(RunFolder(run).checkpoint, "state", "optimiser", "state", 0, name, to=moments)
        weights.append(read_network(ppo.train(settings(ppo, run, steps=4096, resume=True)))[0])
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])


@pytest.mark.parametrize(
    ("keys", "invalid"),
    [
        (("optimiser", "state", 0, "exp_avg"), torch.zeros(1)),
        (("players", 0, "open_index"), torch.full((32, 2), 10**9)),
        (("players", 0, "open", "teacher_action"), torch.full((2, 32), -7)),
        (("players", 0, "groups", 1, "snapshot"), 99),
    ],
)
def test_numbers_in_a_checkpoint_that_do_not_fit_are_told(keys, invalid, copied):
    changes = {"opponents": "self=0.5,past=0.5"}
    run = copied(ppo, **changes)
    change(RunFolder(run).checkpoint, "state", *keys, to=invalid)
    with pytest.raises(RfopError, match=r"checkpoint.pt is damaged"):
        ppo.train(settings(ppo, run, steps=4096, resume=True, **changes))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "run.json cannot be read as JSON"),
        ('{"command": 1}', "run.json lacks"),
    ],
)
def test_a_run_json_that_is_none_is_told(run, trainer, content, message):
    RunFolder(run).metadata.write_text(content)
    with pytest.raises(RfopError, match=message):
        trainer.train(settings(trainer, run, steps=4096, resume=True))
    with pytest.raises(RfopError, match=message):
        read_run(run)
    with pytest.raises(RfopError, match=message):
        respond("random", Setting("ToyTurns-v0"), run, 10)


CURVE_HEADER = b"seconds,processor_seconds,steps,side,opponent,first_deal,games,win_rate,low,high,points,seed\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"seconds,steps\n1,2\n", "expected the columns seconds, processor_seconds, steps, side"),
        (
            CURVE_HEADER + b"1,1,2,x,y,0,9,many,0,0,0,1\n",
            r"curve.csv:2: win_rate",
        ),
    ],
)
def test_a_broken_curve_is_told(run, content, message):
    RunFolder(run).curve.write_bytes(content)
    with pytest.raises(RfopError, match=message):
        RunFolder(run).read_curve()
    with pytest.raises(RfopError, match=message):
        read_run(run)


WRONG_WEIGHTS = {
    "missing": (lambda w: w.pop("policy.bias"), "no policy.bias"),
    "no layer": (lambda w: [w.pop(k) for k in list(w) if k.startswith("layers")], "no layers.0.weight"),
    "not finite": (lambda w: w.update({"scale": w["scale"] * float("nan")}), "scale is not all finite numbers"),
}


@pytest.mark.parametrize("invalid", WRONG_WEIGHTS)
def test_weights_that_are_no_whole_network_are_told(run, trainer, invalid):
    weights, metadata = read_network(run / MODEL)
    damage, message = WRONG_WEIGHTS[invalid]
    damage(weights)
    write_network(run / MODEL, weights, metadata)
    with pytest.raises(RfopError, match=rf"model.safetensors holds no whole network: .*{message}"):
        rfop_agents.load(str(run), get_game(ENVS[trainer]))


def test_a_model_file_with_a_wrong_card_or_numbers_that_numpy_has_not_is_told(run, trainer):
    from safetensors.torch import save_file

    weights = {name: torch.from_numpy(array) for name, array in read_network(run / MODEL)[0].items()}
    metadata = read_network(run / MODEL)[1]
    broken = {
        "{": "its metadata are not JSON",
        "[]": "has no valid metadata of an environment",
        json.dumps(metadata | {"rewards": 1}): "rewards of its metadata are kinds with numbers",
        json.dumps(metadata | {"version": "0"}): r"\(version\)",
    }
    for weight in (float("nan"), float("inf"), -float("inf"), 10**400, 1e7, True, "1", None):
        text = json.dumps(metadata | {"rewards": {"outcome": weight}})
        broken[text] = r"its metadata are kinds with numbers from -1,000,000 to 1,000,000, found {'outcome': "
    for text, message in broken.items():
        save_file(weights, run / MODEL, {"rfop": text})
        with pytest.raises(RfopError, match=message):
            rfop_agents.load(str(run), get_game(ENVS[trainer]))
    save_file(weights | {"scale": weights["scale"].bfloat16()}, run / MODEL, {"rfop": json.dumps(metadata)})
    with pytest.raises(RfopError, match="float32 or float16"):
        rfop_agents.load(str(run), get_game(ENVS[trainer]))


# -- settings ----------------------------------------------------------------------------------------------------------


def numbers(trainer) -> list:
    return [f for f in fields(ARGUMENTS[trainer]) if type(f.default) in (int, float)]


def test_a_number_out_of_its_range_is_refused_before_anything_is_made(trainer, tmp_path):
    for f in numbers(trainer):
        values: Range = f.metadata["values"]
        invalid = [
            values.low if values.above else values.low - 1,
            float("nan"),
            float("inf"),
            -float("inf"),
            "x",
            None,
            True,
        ]
        invalid += [values.high + 1] if values.high < float("inf") else []
        invalid += [1.5] if type(f.default) is int else []
        for value in invalid:
            with pytest.raises(RfopError, match=f"^--{f.name.replace('_', '-')}: expected .*found"):
                trainer.train(replace(settings(trainer, tmp_path / "run"), **{f.name: value}))
    assert not (tmp_path / "run").exists()


def test_a_gradient_step_with_one_decision_is_refused(tmp_path):
    with pytest.raises(RfopError, match="--minibatch-size: the last gradient step of a pass would have one decision"):
        maskable.train(settings(maskable, tmp_path / "run", num_envs=9, num_steps=1, minibatch_size=8))


def test_a_rollout_after_which_no_decision_is_complete_leaves_the_network_as_it_is(tmp_path):
    changes = {"num_envs": 4, "num_steps": 1, "minibatch_size": 1, "steps": 200, "opponents": "self=1"}
    path = ppo.train(settings(ppo, tmp_path / "run", **changes))
    assert read_network(path)[1]["steps"] >= 200  # and all its weights are finite numbers


def test_a_learning_rate_that_breaks_the_network_is_told_and_nothing_broken_is_saved(trainer, run):
    original = read_network(run / MODEL)[0]
    with pytest.raises(RfopError, match=r"no longer gives finite numbers after .*: lower --learning-rate"):
        trainer.train(settings(trainer, run, steps=9000, resume=True, learning_rate=1e38))
    assert all((read_network(run / MODEL)[0][name] == array).all() for name, array in original.items())
