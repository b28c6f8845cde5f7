"""Options on the command line: one grammar in every command, nothing dropped in silence."""

from __future__ import annotations

import pytest

from rfop_env.cli.main import main as rfop
from rfop_env.cli import table_setup
from rfop_env.cli.command_table import all_commands
from tests.any_command import run_command
from rfop_env.registry import get_game
from rfop_env.core.errors import RfopError
from rfop_env.game_setup import option_text, parse_options
from rfop_training.common.records import read_rows
from rfop_training.evaluation.rows import RecordedRow
from rfop_training.ppo import PPOArguments
from rfop_training.run_arguments import parse_arguments

THREE = {"players": "3", "screens": "open"}


@pytest.mark.parametrize(
    "texts",
    [
        "players=3,screens=open",
        ["players=3,screens=open"],
        ["players=3", "screens=open"],
        [" players = 3 ,", "screens=open", "players=3"],
    ],
)
def test_commas_and_repeated_flags_add_up(texts):
    assert parse_options(texts) == THREE
    assert parse_options(option_text(THREE)) == THREE


def test_nothing_is_no_option():
    assert parse_options("") == parse_options([]) == parse_options(",") == {}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["players=3", "players=4"], "players is given as '3' and as '4': choose one"),
        (["players=3,players=4"], "players is given as '3' and as '4'"),
        (["players"], "expected NAME=VALUE, as in players=3,screens=open, found 'players'"),
        (["players="], "expected NAME=VALUE"),
        (["=3"], "expected NAME=VALUE"),
    ],
)
def test_what_is_no_option_or_contradicts_another_is_refused(texts, said):
    with pytest.raises(RfopError, match=said):
        parse_options(texts)


COMMANDS = {
    "evaluate": ["random"],
    "distribution": ["random"],
    "matrix": ["random", "scripted", "--out", "m.csv"],
    "placements": ["random", "scripted", "--out", "p.csv"],
    "action-use": ["random"],
    "respond": ["random", "--steps", "1", "--run", "run"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_an_option_with_two_values(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [*COMMANDS[command], "--env", "Paris-v0", "--option", "players=3", "--option", "players=4"]
    assert run_command([command, *words]) == 2
    assert "players is given as '3' and as '4'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["play", "watch"])
def test_rfop_reads_options_in_the_same_way(command, capsys):
    assert rfop([command, "Paris-v0", "--seed", "1", "--option", "players=3", "--option", "players=4"]) == 2
    assert "players is given as '3' and as '4'" in capsys.readouterr().err
    arguments = all_commands()[command].parse(["Paris-v0", "--option", "players=3,screens=open"])
    assert table_setup.read_options(arguments, get_game("Paris-v0")) == THREE
    side = ["RedFlagOverParisSolo-v0", "--side", "versailles", "--option", "side=commune"]
    assert rfop(["play", *side]) == 2
    assert "--option side=... says it already" in capsys.readouterr().err


def test_trainers_read_options_in_the_same_way():
    def option(*words):
        return parse_arguments(PPOArguments, words).option

    assert option("--option", "players=3", "--option", "screens=open") == "players=3,screens=open"
    assert option("--option", "players=3,screens=open") == "players=3,screens=open" and option() == ""
    with pytest.raises(RfopError, match="players is given as '3' and as '4'"):
        option("--option", "players=3", "--option", "players=4")


def test_two_flags_make_a_table_of_three_players_with_open_screens(tmp_path):
    words = ["random", "--env", "Paris-v0", "--deals", "1", "--csv", str(tmp_path / "rows.csv")]
    assert rfop(["evaluate", *words, "--option", "players=3", "--option", "screens=open"]) == 0
    rows = read_rows(tmp_path / "rows.csv", RecordedRow)
    assert [(row.options, row.side) for row in rows] == [
        ("players=3 screens=open", side) for side in ("player_0", "player_1", "player_2", "all")
    ]
