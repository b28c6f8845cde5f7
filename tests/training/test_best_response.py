"""Best responses: they are trained against the agent alone, bound its exploitability, and are not trained twice."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from training.research.__main__ import main as research
import rfop_agents
from training.research.generator.training import responses_table
from rfop_env.core.errors import RfopError
from training.research.lab import best_response
from training.research.lab.best_response import respond
from training.research.publishing.bounds import Response, strongest_network
from rfop_training.evaluation.rows import RecordedRow, Row, is_search
from rfop_training.evaluation.setting import Setting
from rfop_training.run import Duration, RunFolder, run_metadata
from rfop_training.run_arguments import load_game
from rfop_training.common.records import add_records, read_records
from toy_runs import toys

REVOLUTION, TOY = Setting("Revolution-v0"), Setting("ToyTurns-v0")
pytestmark = pytest.mark.usefixtures("toy_ids")
SMALL = {"num_envs": 64, "num_steps": 16, "minibatch_size": 512, "width": 16, "evaluate_deals": 5, "quiet": True}


def test_a_response_is_trained_against_the_agent_once(tmp_path, capsys):
    run = tmp_path / "run"
    respond("random", REVOLUTION, run, 2000, "", **SMALL)
    metadata = json.loads((run / "run.json").read_text())
    arguments = metadata["arguments"]
    trainer = ["rfop", "train", "ppo", "--run", str(run)]
    assert shlex.split(metadata["command"])[:5] == trainer and "--opponents random=1" in metadata["command"]
    own = [arguments[name] for name in ("opponents", "reward", "openings", "evaluate_against", "init_from")]
    assert own == ["random=1", "outcome", 1.0, "random", ""]  # what it is scored on
    written = (run / "model.safetensors").stat().st_mtime_ns
    words = ["random", "--env", "Revolution-v0", "--steps", "2000", "--run", str(run), "--deals", "10"]
    csv = tmp_path / "responses.csv"
    assert research(["respond", *words, "--csv", str(csv)]) == 0
    output = capsys.readouterr().out
    assert "| best response | random | all | 20 |" in output and "With 2,000 decisions" in output
    assert (run / "model.safetensors").stat().st_mtime_ns == written
    rows = read_records(csv, Response)
    assert [row.side for row in rows] == ["royalists", "jacobins", "all"]
    assert {(row.opponent, row.steps, row.run_seed, row.games) for row in rows[:2]} == {("random", 2000, 1, 10)}
    other_seed = [replace(row, run_seed=2, win_rate=0.987) for row in rows]
    add_records(csv, other_seed, Response)
    assert read_records(csv, Response) == [*rows, *other_seed]  # every seed is kept
    table = responses_table([*rows, *other_seed])
    assert table.count("| random | `Revolution-v0` | 0.0 million | ") == 1 and ", 98.7% | " in table
    csv.write_text("a,b\n")
    assert research(["respond", *words, "--csv", str(csv)]) == 2 and "expected the columns" in capsys.readouterr().err
    with pytest.raises(RfopError, match="is another run"):
        respond("scripted", REVOLUTION, run, 2000, "", **SMALL)


@pytest.fixture(scope="module")
def toy_ids():
    """The toy games have ids."""
    with toys():
        yield


@pytest.fixture
def trained(monkeypatch):
    """The arguments of runs that are trained in no time: each is complete at once, and has learned nothing."""
    trained = []

    def train(args):
        trained.append(args)
        folder = RunFolder(args.run)
        folder.write_metadata(run_metadata("ppo", args, *load_game(args), "random", ("numpy",)))
        for path in (folder.checkpoint, folder.model):
            path.touch()
        folder.add_point(
            [Row("run", "random", "all", 10, 5, 0.5, 0.2, 0.8, 0, 0, 0)], Duration(), args.steps, args.seed, 0
        )

    monkeypatch.setattr("training.research.lab.best_response.train", train)
    return trained


@pytest.mark.parametrize(
    ("other", "output"),
    [
        ({"agent": "scripted"}, "opponents 'random=1' instead of 'scripted=1'"),
        ({"init_from": "paris/ppo-7"}, "init_from '' instead of 'paris/ppo-7'"),
        ({"seed": 2, "steps": 5}, "steps 10 instead of 5, seed 1 instead of 2"),
    ],
)
def test_a_run_is_the_response_of_no_other_settings(tmp_path, trained, other, output):
    settings = {"agent": "random", "setting": Setting.parse("Paris-v0", "players=3"), "run": tmp_path, "steps": 10}
    for more in ({"init_from": ""}, {"seed": 1, "threads": 2, "quiet": True}):
        respond(**settings, **more)
    with pytest.raises(RfopError, match=r"is another run, with .*: choose another --run$") as error:
        respond(**settings | other)
    assert output in str(error.value)
    assert len(trained) == 1


def test_a_response_that_started_from_a_network_is_complete_without_its_name(tmp_path, trained):
    for init_from in ("revolution/ppo-2", "revolution/ppo-2", None):
        respond("random", REVOLUTION, tmp_path, 10, init_from)
    assert [args.init_from for args in trained] == ["revolution/ppo-2"]


def test_a_response_starts_from_the_strongest_opponent_known(tmp_path, trained, capsys):
    known = strongest_network(REVOLUTION, "revolution/ppo-2")
    assert known.opponent.startswith("revolution/") and known.opponent != "revolution/ppo-2" and known.low > 0.5
    respond("revolution/ppo-2", REVOLUTION, tmp_path / "known", 10)
    assert f"starts from {known.opponent}, which wins {known.win_rate:.1%} of " in capsys.readouterr().err
    respond("revolution/ppo-2", REVOLUTION, tmp_path / "given", 10, "revolution/xi-1")
    respond("revolution/ppo-2", REVOLUTION, tmp_path / "nothing", 10, "")
    assert [args.init_from for args in trained] == [known.opponent, "revolution/xi-1", ""]
    assert trained[0].layers == trained[1].layers > trained[2].layers  # those of the networks


def test_a_network_that_nobody_beats_is_answered_from_its_own_weights(tmp_path):
    respond("random", TOY, tmp_path / "frozen", 512, "", **SMALL | {"layers": 3})
    frozen = str(tmp_path / "frozen")
    assert strongest_network(TOY, f"{frozen}@1").opponent == frozen
    nothing_learned = SMALL | {"width": 8, "learning_rate": 0.0}
    respond(f"{frozen}@1", TOY, tmp_path / "run", 512, **nothing_learned)
    before, after = (rfop_agents.load(str(tmp_path / name), TOY.game).weights for name in ("frozen", "run"))
    assert all(np.array_equal(before[name], after[name]) for name in before | after)
    with pytest.raises(RfopError, match="scripted is no network"):
        respond("random", REVOLUTION, tmp_path / "other", 10, init_from="scripted")


@pytest.mark.parametrize(
    "agent",
    [pytest.param("search-2", marks=pytest.mark.many_games), "rollout-1x1+revolution/ppo-2", "revolution/ppo-2@1"],
)
def test_a_response_is_trained_against_agents_of_all_kinds(agent, tmp_path):
    tiny = SMALL | {"num_envs": 4, "num_steps": 2, "minibatch_size": 8, "evaluate_deals": 1}
    respond(agent, REVOLUTION, tmp_path / "run", 4, "", **tiny)
    folder = RunFolder(tmp_path / "run")
    rows = best_response.exploitability(agent, REVOLUTION, tmp_path / "run", folder.read_metadata(), deals=1)
    assert [(row.opponent, row.games) for row in rows] == [(agent, 1), (agent, 1), (agent, 2)]
    # A point of the curve against an agent that looks ahead would take longer than the training.
    assert folder.curve_opponents() == ["scripted" if is_search(agent) else agent]


def test_every_seed_has_a_run_and_rows(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(best_response, "respond", partial(respond, **SMALL | {"num_envs": 4, "num_steps": 4}))
    csv, run = tmp_path / "responses.csv", tmp_path / "run"
    words = ["random", "--env", "ToyTurns-v0", "--steps", "64", "--seeds", "2", "--seed", "4", "--run", str(run)]
    assert research(["respond", *words, "--deals", "4", "--init-from", "", "--csv", str(csv)]) == 0
    assert sorted(path.name for path in run.iterdir()) == ["seed_4", "seed_5"]
    rows = [row for row in read_records(csv, Response) if row.side == "all"]
    assert [(row.run_seed, row.init_from) for row in rows] == [(4, ""), (5, "")]
    assert research(["respond", *words, "--search", "4"]) == 2
    assert "how?" in capsys.readouterr().err


def test_a_response_by_search_is_played_and_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(best_response, "strongest_network", lambda *args: None)  # a search needs no guide
    csv = tmp_path / "responses.csv"
    words = ["random", "--env", "Revolution-v0", "--search", "8", "--deals", "6"]
    assert research(["respond", *words, "--csv", str(csv)]) == 0
    output = capsys.readouterr().out
    assert (
        "| response-8:random | random | all | 12 |" in output and "With 8 simulations a decision the response" in output
    )
    assert research(["respond", *words, "--guide", "revolution/ppo-2", "--csv", str(csv)]) == 0
    rows = read_records(csv, RecordedRow)
    names = ["response-8:random"] * 3 + ["response-8+revolution/ppo-2:random"] * 3
    assert [row.agent for row in rows] == names and all(row.check for row in rows)
    assert rows[-1].low > 0.5


@pytest.mark.parametrize("agent", ["mine.py:act", "language-model --command ./model"])
@pytest.mark.parametrize("way", [["--search", "4"], ["--rollouts", "1", "--guide", "revolution/ppo-2"], ["--steps"]])
def test_an_agent_that_only_its_user_may_start_is_refused_at_once(agent, way, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("raise SystemExit('was run')\n")
    way = [*way, "1000", "--run", "run"] if way == ["--steps"] else way
    assert research(["respond", agent, "--env", "Revolution-v0", *way, "--csv", "rows.csv"]) == 2
    assert (
        f"{agent.split()[0]}" in (output := capsys.readouterr().err)
        and "give an agent that is loaded by name" in output
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_the_bound_is_what_is_won_above_the_share():
    row = Row("response", "scripted", "all", 900, 540, 0.6, 0.55, 0.65, 0, 0, 0)
    assert "wins 10.0% of all games more than its share (5.0% to 15.0%)" in best_response.verdict(row, 2, "5 decisions")
    assert "wins 26.7%" in best_response.verdict(row, 3, "5 decisions")
    assert "no response was found" in best_response.verdict(Row(*[*vars(row).values()][:6], 0.49, 0.6, 0, 0, 0), 2, "")


@pytest.mark.many_games
def test_a_search_answers_agents_that_search(tmp_path):
    for agent, kind in (
        ("search-2", "response-4"),
        ("search-2", "rollout-1x2"),
        ("rollout-1x2+revolution/ppo-2", "response-4"),
    ):
        row = best_response.searched(agent, REVOLUTION, kind, deals=2)[-1]
        guide = strongest_network(REVOLUTION, agent).opponent
        assert row.agent == f"{kind}+{guide}:{agent}" and row.games == 4


@pytest.mark.slow
def test_random_play_is_found_to_be_exploitable(tmp_path):
    respond("random", REVOLUTION, tmp_path / "run", 100_000, "", **SMALL | {"num_envs": 256, "minibatch_size": 2048})
    row = best_response.exploitability(
        "random", REVOLUTION, tmp_path / "run", RunFolder(tmp_path / "run").read_metadata(), deals=200
    )[-1]
    assert row.low > 0.52
