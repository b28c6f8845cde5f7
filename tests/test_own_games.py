"""A game that is not of this package is known everywhere: registered, typed as a file, or offered by another package.

The game is `examples/liars_dice.py`, which readers copy.
"""

import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest

import rfop_env
from rfop_env import registry, replays
from rfop_env.agent_names import NotTyped
from rfop_env.cli.main import main as rfop
from rfop_env.game_setup import ComponentSets
from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, RfopError
from rfop_env.mcp.open_games import Games
from rfop_env.players import AgentLoader
from rfop_env.process_pool import in_processes, process_pool
from rfop_env.registry import get_entry, get_game, list_games, temporarily
from rfop_env.game_setup import saved_text
from rfop_env.web import saves
from rfop_env.web.refusals import require_bounded
from rfop_training.evaluation.setting import Setting

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "examples"))  # as a reader's project is on the path
import liars_dice  # noqa: E402

FILE, ID = ROOT / "examples" / "liars_dice.py", "LiarsDice-v0"
MODULE = "liars_dice:game"


@pytest.fixture
def known():
    with temporarily(liars_dice.game) as name:
        yield name


@pytest.fixture(autouse=True)
def forgotten():
    """Nothing that a command registers is left."""
    yield
    for entry in registry.own_entries():
        registry._withdraw(entry)


def run_python(source, folder, *words, **environment):
    """What a script in a folder prints, on stdout and stderr."""
    (folder / "script.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "script.py", *words],
        cwd=folder, env=os.environ | {"RFOP_QUIET": "1"} | environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


# -- register ----------------------------------------------------------------------------------------------------------


def test_a_registered_game_is_known_everywhere(known):
    assert known == ID and ID in list_games() and get_game(f"rfop/{ID}") is liars_dice.game
    entry = get_entry(ID)
    assert (entry.title, entry.players, entry.interface, entry.source) == ("Liar's Dice", "2", "aec", MODULE)
    assert rfop_env.make(ID).unwrapped.game is liars_dice.game
    assert rfop_env.make_batch(ID, 2, seed=1, opponent="careful").game is liars_dice.game
    assert gymnasium.make(f"rfop/{ID}", opponent="careful").unwrapped.game is liars_dice.game
    assert gymnasium.make_vec(f"rfop/{ID}", num_envs=2, opponent="random").unwrapped.game is liars_dice.game
    assert pettingzoo.make("aec", f"rfop/{ID}").unwrapped.game is liars_dice.game


def test_the_same_game_may_be_registered_again(known):
    assert rfop_env.register(liars_dice.game) == rfop_env.register(MODULE) == ID
    twin = replace(liars_dice.game, title="Other dice")
    with pytest.raises(BadArgument, match=r"LiarsDice-v0 is the id of another game already \(Liar's Dice\)"):
        rfop_env.register(twin)
    with pytest.raises(BadArgument, match="Revolution-v0 is the id of another game already"):
        rfop_env.register(replace(liars_dice.game, id="Revolution-v0"))
    assert get_game(ID) is liars_dice.game


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("liars_dice", "expected a Game"),
        ("no_such_module:game", "no_such_module:game cannot be used: ModuleNotFoundError"),
        ("liars_dice:NAMES", r"expected a Game or a function that returns one, found \('First', 'Second'\)"),
        ("no_such_file.py:game", r"no_such_file\.py"),
        (replace(liars_dice.game, id="my/Dice-v0"), "expected a name and its version"),
    ],
    ids=lambda value: getattr(value, "id", None),
)
def test_what_cannot_be_registered_is_one_clear_error(given, message):
    snapshot = list_games()
    with pytest.raises(RfopError, match=message):
        rfop_env.register(given)
    assert list_games() == snapshot


def test_the_players_of_an_entry_come_from_the_game():
    three = replace(get_game("Paris-v0"), id="MyParis-v0")
    solo = replace(get_game("LeveeEnMasse-v0"), id="MyLevee-v0")
    with temporarily(three), temporarily(solo):
        paris, levee = get_entry("MyParis-v0"), get_entry("MyLevee-v0")
        assert (paris.players, paris.interface, paris.options) == ("2 to 4", "aec", get_entry("Paris-v0").options)
        assert (levee.players, levee.interface) == ("1", "gymnasium")


# -- other processes ---------------------------------------------------------------------------------------------------


def seen_there(name):
    """How a worker process knows a game."""
    batch = rfop_env.make_batch(name, 1, seed=3)
    batch.step_random(5)
    return get_game(name).title, batch.get_state().tobytes()


def seen_here(name):
    batch = rfop_env.make_batch(name, 1, seed=3)
    batch.step_random(5)
    return get_game(name).title, batch.get_state().tobytes()


def carry_out():
    return seen_there(ID)


def test_worker_processes_know_a_registered_game(known):
    with process_pool(1) as pool:
        assert pool.submit(seen_there, ID).result() == seen_here(ID)
    [(_, future)] = in_processes([carry_out], 1)
    assert future.result() == seen_here(ID)


def test_a_game_that_no_module_holds_reaches_a_worker_as_a_whole():
    with temporarily(replace(liars_dice.game, id="Copied-v0", title="A copy")) as name, process_pool(1) as pool:
        assert registry.get_entry(name).source is get_game(name)
        assert pool.submit(seen_there, name).result() == seen_here(name)


def test_a_registered_game_is_pickled_as_its_name(known):
    batch = rfop_env.make_batch(ID, 1, seed=1)
    data = pickle.dumps(batch)
    assert MODULE.encode() in data and len(data) < 10_000
    assert pickle.loads(data).game is liars_dice.game
    assert pickle.loads(pickle.dumps(liars_dice.game)) is liars_dice.game


def test_a_script_registers_its_own_game_and_evaluates_in_workers(tmp_path):
    """Also where each worker process runs the script again, as it does with spawn."""
    (tmp_path / "my_game.py").write_text(FILE.read_text())
    source = """
import my_game
import rfop_env
from rfop_env.process_pool import process_pool
from rfop_env.registry import get_game

rfop_env.register(my_game.game)

def title(name):
    return get_game(name).title

if __name__ == "__main__":
    with process_pool(1) as pool:
        print(pool.submit(title, "LiarsDice-v0").result())
"""
    assert run_python(source, tmp_path) == ("Liar's Dice\n", "")


# -- a game of one file, typed -----------------------------------------------------------------------------------------


def test_commands_take_a_file_for_an_id(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("my_game.py").write_text(FILE.read_text())
    assert rfop(["show", "my_game.py"]) == 0
    assert "LiarsDice-v0: Liar's Dice" in capsys.readouterr().out
    assert get_entry(ID).source == f"{tmp_path / 'my_game.py'}:game"
    assert rfop(["watch", "my_game.py:game", "careful", "--seed", "1", "--record", "game.rfop"]) == 0
    assert "The game is over" in capsys.readouterr().out
    assert rfop(["list"]) == 0 and "LiarsDice-v0" in capsys.readouterr().out


def test_commands_that_take_no_id_register_a_file(capsys, tmp_path):
    out = tmp_path / "game.rfop"
    assert rfop(["watch", str(FILE), "--seed", "1", "--record", str(out)]) == 0
    registry._withdraw(get_entry(ID))
    assert rfop(["replay", str(out), "--all"]) == 2
    assert "unknown environment 'LiarsDice-v0'" in capsys.readouterr().err
    assert rfop(["replay", str(out), "--all", "--register", str(FILE)]) == 0
    assert "no dice left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing.py", "nothing.py"),
        ("broken.py", r"broken.py cannot be run: ZeroDivisionError: 'division by zero'"),
        ("empty.py", "no attribute 'game'"),
    ],
)
def test_a_file_without_a_game_is_one_clear_error(text, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("broken.py").write_text("game = 1 / 0")
    Path("empty.py").write_text("")
    assert rfop(["show", text]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error) and error.count("\n") == 1, error


def test_only_what_is_typed_runs_a_file(tmp_path):
    path = tmp_path / "my_game.py"
    path.write_text("raise SystemExit('run')")
    for ask in (get_game, rfop_env.make, lambda name: rfop_env.make_batch(name, 1)):
        with pytest.raises(RfopError, match="unknown environment"):
            ask(f"{path}:game")


@pytest.mark.parametrize("name", ["own.py:game", "own.py", "own:game"])
def test_no_file_page_or_client_runs_a_file(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("own.py").write_text("open('trace', 'w')")
    Path("saved.toml").write_text(f'game = "{name}"\nversion = 0\n')
    lines = [f"game: {name}", "components: published fa606af25f92", "seed: 12 episode: 0", "player: a_0 random"]
    Path("game.rfop").write_text("\n".join(["rfop replay 1", *lines, ""]))
    for read in (
        lambda: replays.Replay.read(Path("game.rfop")),
        lambda: saves.load(Path("saved.toml").read_text(), AgentLoader(), ComponentSets([])),
        lambda: Games(AgentLoader()).new_game(name, "", "random", None, {}),
        lambda: Games(AgentLoader()).rules(name),
        lambda: Setting(name).game,
    ):
        with pytest.raises(RfopError, match="unknown environment"):
            read()
    assert not Path("trace").exists() and "own" not in sys.modules


@pytest.mark.parametrize(
    "name",
    ["own.py:act", "response-9:own.py:act", "rollout-4+revolution/ppo-2:own.py:act", "random=0.9,own.py:act=0.1"],
)
def test_no_seat_of_a_file_page_or_client_runs_a_file(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("open('trace', 'w')")
    game = get_game("Revolution-v0")
    for load in (AgentLoader().load, AgentLoader(check=require_bounded).load):
        with pytest.raises(NotTyped):
            load(name, game, game.load_components(None))
    with pytest.raises(RfopError, match="is not started from here"):
        Games(AgentLoader()).new_game(game.id, "", name, None, {})
    Path("saved.toml").write_text(saved_text(GameBatch(game, 1, 1), ["person", name], {}))
    for words in ([], ["--opponent", ""], ["--side", "jacobins"]):
        assert rfop(["play", game.id, "--load", "saved.toml", *words]) == 2
    assert not Path("trace").exists()


# -- offers of installed packages --------------------------------------------------------------------------------------

OFFERS = {
    "LiarsDice-v0": "offered:dice",
    "Broken-v0": "no_such_module:game",
    "Revolution-v0": "offered:revolution",
    "liars": "offered:other",
}


@pytest.fixture
def installed(tmp_path):
    """A folder of the import path with an installed package that offers games, good and bad ones."""
    package = tmp_path / "site" / "offering_games-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: offering-games\nVersion: 1\n")
    lines = [f"{name} = {value}" for name, value in OFFERS.items()]
    (package / "entry_points.txt").write_text("\n".join(["[rfop.games]", *lines]))
    (tmp_path / "site" / "offered.py").write_text(
        "import dataclasses, liars_dice\n"
        "print('imported')\n"
        "def dice():\n    return dataclasses.replace(liars_dice.game)\n"
        "revolution = dataclasses.replace(liars_dice.game, id='Revolution-v0')\n"
        "other = dataclasses.replace(liars_dice.game, id='OtherDice-v0')\n"
    )
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT / "examples"), os.environ.get("PYTHONPATH", "")])
    return {"PYTHONPATH": path}


def test_an_installed_package_offers_a_game(installed, tmp_path):
    source = """
import sys
import gymnasium, pettingzoo, rfop_env
assert "offered" not in sys.modules and "numba" not in sys.modules
assert "rfop/LiarsDice-v0" in gymnasium.registry and "rfop/LiarsDice-v0" in pettingzoo.aec_registry
print(gymnasium.make("rfop/LiarsDice-v0", opponent="careful").unwrapped.game.title)
print(pettingzoo.make("aec", "rfop/LiarsDice-v0").unwrapped.game.title)
print(rfop_env.list_games()[-1], rfop_env.list_games().count("Revolution-v0"))
print(rfop_env.registry.get_entry("LiarsDice-v0").title, rfop_env.make_batch("Revolution-v0", 1).game.title)
"""
    out, err = run_python(source, tmp_path, **installed)
    assert out.splitlines() == [
        "imported", "Liar's Dice", "Liar's Dice", "LiarsDice-v0 1", "Liar's Dice Revolution"
    ]  # fmt: skip
    broken, shipped, kwargs = err.splitlines()  # once, though the list is asked for twice
    place = "rfop: entry point {!r} in rfop.games of the package offering-games: "
    assert broken.startswith(place.format("Broken-v0") + "no_such_module:game cannot be used: ModuleNotFoundError")
    assert shipped.startswith(place.format("Revolution-v0") + "Revolution-v0 is the id of another game already")
    assert kwargs == place.format("liars") + "the game is OtherDice-v0: give the entry point this name"


def test_a_broken_offer_is_an_error_for_who_asks_for_it(installed, tmp_path):
    source = """
import rfop_env
for _ in range(2):
    try:
        rfop_env.make("Broken-v0")
    except rfop_env.core.errors.RfopError as error:
        print(error)
print(rfop_env.make_batch("LiarsDice-v0", 1, seed=1).game.title)
"""
    out, err = run_python(source, tmp_path, **installed)
    first, second, _, title = out.splitlines()
    assert first == second and "Broken-v0" in first and "no_such_module" in first
    assert (title, err) == ("Liar's Dice", "")


# -- rfop check --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not JIT, reason="plays many games: minutes in plain Python")
def test_the_example_passes(capsys):
    assert rfop(["check", str(FILE)]) == 0
    first, *checks, last = capsys.readouterr().out.splitlines()
    assert (first, last) == ("LiarsDice-v0: Liar's Dice", "All checks pass.")
    assert len(checks) > 20 and all(" ... ok, " in line for line in checks)


LEAKY = """
import dataclasses, liars_dice
from rfop_env.compiler import rule

@rule
def observe(s, c, seat, o):
    liars_dice.observe(s, c, seat, o)
    o[0] = s.dice[1 - seat, 0] % 4

game = dataclasses.replace(
    liars_dice.game, id="Leaky-v0", rules=dataclasses.replace(liars_dice.game.rules, observe=observe)
)
"""


def test_a_check_that_fails_says_where_and_what_to_do(capsys, tmp_path):
    path = tmp_path / "leaky.py"
    path.write_text(LEAKY)
    assert rfop(["check", str(path), "--only", "check_symmetries", "check_hidden_information"]) == 1
    out = capsys.readouterr().out
    assert "hidden information ... FAILED\n    Leaky-v0, seed " in out and "symmetries ... ok" in out
    assert "'faces' shows hidden information\n" in out
    assert (
        "    What is checked: No observation changes with a determinization of what is hidden from its seat.\n" in out
    )
    assert "--only check_hidden_information\n" in out and "1 failed: check_hidden_information." in out


# -- the example -------------------------------------------------------------------------------------------------------


def states_after(games, steps):
    batch = GameBatch(liars_dice.game, games, 7, opponent="careful", autoreset=True)
    batch.step_random(steps)
    return batch.get_state().tobytes().hex()


@pytest.mark.skipif(not JIT, reason="compares compiled rules with plain ones")
def test_the_rules_do_the_same_compiled_and_in_plain_python(tmp_path):
    source = "import test_own_games\nprint(test_own_games.states_after(16, 200))"
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    assert run_python(source, tmp_path, RFOP_JIT="0", PYTHONPATH=path)[0].strip() == states_after(16, 200)


def test_the_dice_say_who_was_right():
    batch = rfop_env.make_batch(rfop_env.register(MODULE), 1, seed=1)
    label = batch.game.actions.parse
    for claimed, loser in ((2, "doubter"), (3, "bidder")):
        batch.reset(1)
        record = batch.get_record(0)
        record["dice"][0] = [[5, 5, 1], [2, 3, 4]]
        batch.put_record(0, record)
        bidder = int(batch.current_player[0])
        batch.step([label(f"bid {claimed} of 5")])
        assert not batch.action_mask[0, : label(f"bid {claimed} of 5") + 1].any()
        batch.step([label("liar")])
        expected = bidder if loser == "bidder" else 1 - bidder
        assert batch.states["left"][0].tolist() == [3 - (seat == expected) for seat in range(2)]
        assert batch.current_player[0] == 1 - expected
        assert batch.journal()[-1].endswith("liar! 2 of the dice show a 5.")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("left", [0, 3], "no dice left"),
        ("dice", [[0, 1, 1], [1, 1, 1]], "dice that are lost"),
        ("bid", 3, "the last bid"),
    ],
)
def test_a_faulty_position_is_refused(known, field, value, message):
    batch = rfop_env.make_batch(ID, 1, seed=1)
    record = batch.get_record(0)
    record[field][0] = value
    with pytest.raises(RfopError, match=message):
        batch.put_record(0, record)


@pytest.mark.skipif(not JIT, reason="trains")
def test_it_is_trained_evaluated_and_searched(capsys, tmp_path):
    run = str(tmp_path / "run")
    words = ["--steps", "40000", "--num-envs", "64", "--width", "64", "--layers", "1", "--evaluate-deals", "10"]
    assert rfop(["train", "ppo", "--env", str(FILE), "--run", run, "--quiet", *words]) == 0
    capsys.readouterr()
    for agent, deals in ((run, 200), ("search-30", 10)):
        assert rfop(["evaluate", "--env", str(FILE), agent, "random", "--deals", str(deals)]) == 0
        row = next(line for line in capsys.readouterr().out.splitlines() if "| all |" in line)
        assert float(row.split("|")[5].strip(" %")) > 80, row


def test_a_game_in_a_folder_of_a_shipped_name_has_nothing_of_the_shipped_game(tmp_path):
    twin = replace(liars_dice.game, folder=tmp_path / "red_flag_over_paris")
    assert twin.rules_name == "LiarsDice"
    with temporarily(twin):
        from rfop_env.players import agent_names

        assert not [name for name in agent_names(twin) if "red-flag" in name or name == "greedy"]
    assert np.all([get_game(name).rules_name == get_game(name).folder.name for name in sorted(registry.SHIPPED)])
