"""Minari data sets: loaded again they are the games of the same seeds, and a failure leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from rfop_env.cli.main import main as rfop
import rfop_agents
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from tests.training.test_datasets import all_of, check_replay, plan_of
from tests.web.test_study import CONFIG, Person, serve
from rfop_training.datasets import collect, minari_files

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.libraries
minari = pytest.importorskip("minari")
pytest.importorskip("h5py")


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return tmp_path / "minari"


@pytest.mark.parametrize("id", ["Revolution-v0", "RedFlagOverParisSolo-v1", "Paris-v0"])
def test_a_data_set_is_the_games_of_its_seeds(root, id, monkeypatch):
    monkeypatch.setattr(collect, "AT_ONCE", 3)  # two parts
    plan = plan_of(id, seed=7)
    folder = minari_files.write_dataset("games-v0", plan)
    assert folder == root / "games-v0"
    dataset, games = minari.load_dataset("games-v0"), all_of(plan)
    assert dataset.total_episodes == len(games)
    assert dataset.total_steps == sum(len(episode.actions) for episode in games)

    # Every episode, and what Minari keeps of it.
    stored = list(dataset.storage.get_episode_metadata(range(len(games))))
    for episode, loaded, metadata in zip(games, dataset.iterate_episodes(), stored, strict=True):
        assert (loaded.observations["observation"] == episode.observations).all()
        assert (loaded.observations["action_mask"] == episode.masks).all()
        assert loaded.observations["observation"].dtype == np.int8
        assert (loaded.actions == episode.actions).all() and (loaded.rewards == episode.rewards).all()
        assert loaded.terminations.tolist() == [False] * (len(episode.actions) - 1) + [True]
        assert not loaded.truncations.any()
        assert (metadata["seed"], metadata["game"]) == (episode.seed, episode.game)
        assert (metadata["seat"], metadata["agent"]) == (plan.game.spec.seats[episode.seat], episode.agent)
        assert metadata["end_reason"] == episode.end_reason

    # What is needed to play the games again.
    own = dataset.storage.metadata["rfop"]
    game = get_game(own["env"]).under(own["options"])
    loaded_agents = [rfop_agents.load(name, game) for name in own["agents"]]
    again = collect.Plan(
        game, own["options"], game.load_components(None), loaded_agents, own["games"], own["seed"], own["reward"]
    )
    check_replay(again, games)


def test_what_a_search_finds_is_in_the_infos(root, monkeypatch):
    monkeypatch.setattr(collect, "AT_ONCE", 1)  # two parts
    game = get_game("Revolution-v0")
    seated = [rfop_agents.load("search-8", game), rfop_agents.load("scripted", game)]
    plan = collect.Plan(game, {}, game.load_components(None), seated, 2)
    minari_files.write_dataset("games-v0", plan)
    loaded, games = list(minari.load_dataset("games-v0").iterate_episodes()), all_of(plan)
    for episode, again in zip(games, loaded, strict=True):
        assert set(again.infos) == {"visits", "action_values", "policy"}
        for name, array in episode.search_results.items():
            assert (again.infos[name] == array).all() and again.infos[name].dtype == array.dtype
        assert again.infos["visits"].any() == (episode.agent == "search-8")


def test_the_environment_of_one_seat_is_recovered(root):
    minari_files.write_dataset("games-v0", plan_of("RedFlagOverParisSolo-v1", games=1))
    dataset = minari.load_dataset("games-v0")
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space and env.action_space == dataset.action_space
    assert env.unwrapped.batch.given_options == {"side": "random"}
    assert gymnasium.spec("rfop/RedFlagOverParisSolo-v1").kwargs == {"game": "RedFlagOverParisSolo-v1"}  # as it was


def test_the_command(root, tmp_path, capsys, monkeypatch):
    words = ["mine-v0", "random", "--env", "Revolution-v0", "--games", "4", "--root", str(tmp_path / "other")]
    assert rfop(["dataset", *words]) == 0
    folder = tmp_path / "other" / "mine-v0"
    assert f"Written: {folder}" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert rfop(["dataset", *words[:-1], "near"]) == 0  # a path from here
    assert [path.name for path in (tmp_path / "near").iterdir()] == ["mine-v0"]
    assert minari.MinariDataset(tmp_path / "near" / "mine-v0" / "data").total_episodes == 8
    assert minari.MinariDataset(folder / "data").total_episodes == 8  # from a path alone
    assert [path.name for path in folder.parent.iterdir()] == ["mine-v0"] and not root.exists()

    # What is wrong is one sentence, and nothing is changed.
    snapshot = sorted(path.name for path in folder.parent.rglob("*"))
    for value, message in (
        (words, "is there already"),
        (["mine", *words[1:]], "with a version, as in my-games-v0"),
        (["../mine-v0", *words[1:]], "with a version"),
        (["new-v0", "nobody", *words[2:]], "unknown agent"),
        (["new-v0", "random", "random", "random", *words[2:]], "takes 1 or 2 agents here, and 3"),
        ([*words, "--reward", "fun"], "unknown reward"),
    ):
        assert rfop(["dataset", *value]) == 2
        assert message in capsys.readouterr().err
    assert sorted(path.name for path in folder.parent.rglob("*")) == snapshot


def test_a_failure_in_the_middle_leaves_nothing(root, monkeypatch):
    monkeypatch.setattr(collect, "AT_ONCE", 2)

    def fail(games, steps):
        if games > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minari_files.write_dataset("games-v0", plan_of("Revolution-v0"), tell=fail)
    assert list(root.iterdir()) == []
    assert minari_files.write_dataset("games-v0", plan_of("Revolution-v0")).is_dir()


ENDLESS = """
import sys
from rfop_env.command_line import command
from tests.training.test_datasets import plan_of
from rfop_training.datasets import minari_files

@command(stopped="stopped")
def main():
    plan = plan_of("Revolution-v0", games=1_000_000)
    minari_files.write_dataset(sys.argv[1], plan, tell=lambda games, steps: print(games, flush=True))
    return 0

sys.exit(main())
"""


def begin(name):
    """A process that writes a data set of this name, once its first games are in the files."""
    process = subprocess.Popen([sys.executable, "-c", ENDLESS, name], cwd=ROOT, stdout=subprocess.PIPE)
    assert int(process.stdout.readline()) > 0
    return process


def test_what_a_killed_process_was_writing_goes_with_the_next_call_and_with_sigterm_at_once(root):
    with begin("killed-v0") as killed:
        killed.kill()
    assert list(root.iterdir()) and not (root / "killed-v0").exists()
    assert minari.list_local_datasets() == {}, "half a data set looks like one"

    with begin("running-v0") as running:
        try:
            # Nothing is left of the one that was killed; the other is as it was, and has its name for itself.
            assert minari_files.write_dataset("games-v0", plan_of("Revolution-v0")).is_dir()
            assert sorted(path.name for path in root.iterdir()) == [
                ".running-v0.part", ".running-v0.part.lock", "games-v0",
            ]  # fmt: skip
            with pytest.raises(RfopError, match="running-v0 is being written by another process"):
                minari_files.write_dataset("running-v0", plan_of("Revolution-v0"))
            assert (root / ".running-v0.part" / "running-v0").is_dir()
            running.terminate()
            assert running.wait(120) == 143
        finally:
            running.kill()
    assert [path.name for path in root.iterdir()] == ["games-v0"]


def test_the_games_of_a_study_are_a_data_set(root, tmp_path, capsys):
    """An episode for each seat of each game that is over; the same name is not written twice."""
    config, folder = tmp_path / "study.toml", tmp_path / "study"
    config.write_text(CONFIG, encoding="utf-8")
    page = serve(config, folder)
    Person(page, "p1").go_on()
    Person(page, "p2").go_on(2)
    assert rfop(["participants", str(folder), "--dataset", "people-v0"]) == 0
    dataset = minari.load_dataset("people-v0")
    stored = list(dataset.storage.get_episode_metadata(range(dataset.total_episodes)))
    assert sorted(row["agent"] for row in stored) == ["person", "person", "random", "scripted"]
    own = dataset.storage.metadata["rfop"]
    assert (own["env"], own["games"], own["participants"]) == ("Revolution-v0", 2, 1)
    capsys.readouterr()
    assert rfop(["participants", str(folder), "--dataset", "people-v0"]) == 2
    assert "is there already" in capsys.readouterr().err
