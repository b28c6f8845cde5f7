"""Options on the command line: one grammar in every command, nothing dropped in silence."""

from __future__ import annotations

import pytest

from rfop_env.cli.main import main as rfop
from rfop_env.core.errors import RfopError
from rfop_env.game_setup import option_text, parse_options
from rfop_training.common.records import read_rows
from rfop_training.evaluation.rows import RecordedRow

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


def test_two_flags_make_a_table_of_three_players_with_open_screens(tmp_path):
    words = ["random", "--env", "Paris-v0", "--deals", "1", "--csv", str(tmp_path / "rows.csv")]
    assert rfop(["evaluate", *words, "--option", "players=3", "--option", "screens=open"]) == 0
    rows = read_rows(tmp_path / "rows.csv", RecordedRow)
    assert [(row.options, row.side) for row in rows] == [
        ("players=3 screens=open", side) for side in ("player_0", "player_1", "player_2", "all")
    ]
