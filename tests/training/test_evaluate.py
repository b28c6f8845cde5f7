"""Evaluation: fixed deals, exchanged seats, honest intervals."""

from __future__ import annotations

import csv
import io
import re
import signal
from contextlib import closing
from dataclasses import asdict, replace
from time import perf_counter

import numpy as np
import pytest

from rfop_env.cli.main import main as rfop
from tests.training.random_networks import random_weights
from tests.any_command import run_command
from training.research.__main__ import main as research
import rfop_agents
from rfop_agents.network import MODEL, NetworkAgent, write_network
from rfop_agents.network import game_metadata
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.games.red_flag_over_paris.game import solo, two_player
from rfop_env.registry import get_game
from rfop_training.evaluation import setting as setting_module
from rfop_training.evaluation import tasks
from rfop_training.evaluation.games import BLOCK, GameResults, SeatResults, blocks, default_opening, play, win_share
from rfop_training.evaluation.progress import Progress
from rfop_training.evaluation.rows import (
    PUBLISHED, SEARCHED, RecordedRow, alone, pair, records_table, pair_rows, rows_table,
)  # fmt: skip
from rfop_training.evaluation.statistics import clustered, wilson
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.setting import Setting, number_of_deals
from rfop_training.evaluation.timed import Timed
from rfop_training.common.records import read_records


@pytest.mark.parametrize("name", ["random", "greedy", "solo-opponent"])
def test_an_agent_against_itself_scores_exactly_one_half(name):
    agent = rfop_agents.load(name, two_player())
    both = pair(two_player(), agent, agent, range(40))[-1]
    assert both.win_rate == 0.5
    assert both.points == 0.0


def random_network(game, seed=0, sample=True):
    """A network of random weights, which draws its actions or takes the most likely ones."""
    return NetworkAgent.from_weights(random_weights(game, seed, spread=0.05), "net", sample)


@pytest.mark.parametrize("name", ["random", "scripted", "network", "search-8"])
def test_agents_with_random_numbers_of_their_own_score_exactly_one_half_across_blocks_of_deals(name):
    game = get_game("Revolution-v0")
    first, second = (
        random_network(game) if name == "network" else rfop_agents.load(name, game) for _ in range(2)
    )  # two loads of one agent
    rows = pair(game, first, second, range(BLOCK - 8, BLOCK + 8))
    assert rows[-1].win_rate == 0.5 and rows[-1].points == 0.0
    assert rows[0].wins + rows[1].wins == rows[0].games
    assert (rows[-1].low, rows[-1].high) == (0.5, 0.5)  # on each deal, not only on average


def test_a_game_without_chance_begins_at_random_on_every_deal_in_the_same_way_for_all():
    game = get_game("Revolution-v0")
    seats = [random_network(game, seed, sample=False) for seed in (1, 2)]

    def different(games):
        return len(set(zip(games.points.tolist(), games.decisions.tolist(), games.end_reason.tolist(), strict=True)))

    assert different(play(game, seats, range(100), opening=0)) == 1  # two that never draw know one game only
    assert different(play(game, seats, range(100))) > 5
    assert pair(game, seats[0], seats[0], range(100))[-1].win_rate == 0.5
    assert default_opening(game) == 5
    assert Setting("Revolution-v0", components="small_board").opening_decisions == 1  # of a shorter game
    assert [default_opening(get_game(name)) for name in ("RedFlagOverParis-v1", "Paris-v0", "LeveeEnMasse-v0")] == [
        0,
        0,
        0,
    ]


def test_a_block_of_deals_gives_the_same_games_whatever_else_is_played():
    game = get_game("Revolution-v0")
    seats = [rfop_agents.load("random", game), rfop_agents.load("scripted", game)]
    longer, prefix = play(game, seats, range(BLOCK + 5)), play(game, seats, range(BLOCK))
    assert (longer.points[:BLOCK] == prefix.points).all() and (longer.decisions[:BLOCK] == prefix.decisions).all()
    assert (play(game, seats, range(BLOCK, BLOCK + 5)).points == longer.points[BLOCK:]).all()
    assert blocks([3, 4, BLOCK, 7]) == [(0, 2), (2, 3), (3, 4)]


def test_two_processes_play_the_same_games_as_one():
    game, deals = get_game("Revolution-v0"), range(BLOCK - 20, BLOCK + 20)
    one = evaluate(game, ["random", "scripted"], deals)
    assert one == evaluate(game, ["random", "scripted"], deals, workers=2)
    here = pair(game, rfop_agents.load("random", game), rfop_agents.load("scripted", game), deals)
    assert [asdict(row).items() <= asdict(recorded).items() for row, recorded in zip(here, one, strict=True)] == [
        True
    ] * 3


def test_too_few_games_are_said_to_be_no_figures_to_publish():
    game = get_game("Revolution-v0")
    few = evaluate(game, ["random", "scripted"], range(10))
    assert "Not for publication: 20 games" in rows_table(few)
    assert "publication" not in rows_table([replace(row, games=PUBLISHED) for row in few])
    plain = [replace(row, games=SEARCHED) for row in few]
    assert "a published figure has at least 10,000" in rows_table(plain)
    for name in ("search-100", "gumbel-32", "rollout-16+revolution/ppo-2", "response-32:scripted"):
        assert "publication" not in rows_table([replace(row, agent=name) for row in plain])
        assert "at least 1,000" in rows_table([replace(row, agent=name) for row in few])
    assert number_of_deals(Setting("Paris-v0", (("players", "3"),))) == 3334
    assert number_of_deals(Setting("RedFlagOverParisSolo-v1")) == PUBLISHED


def test_the_same_command_gives_the_same_games_on_any_number_of_threads():
    agent = rfop_agents.load("random", solo())
    one = play(solo(), [agent], range(130), options={"side": "versailles"})
    two = play(solo(), [agent], range(130), options={"side": "versailles"}, threads=2)
    assert (one.points == two.points).all() and (one.decisions == two.decisions).all()


def test_solo_rows_name_both_sides_and_count_games():
    rows = alone(solo(), rfop_agents.load("random", solo()), range(20))
    assert [r.side for r in rows] == ["commune", "versailles"]
    assert all(r.games == 20 and 0 <= r.low <= r.win_rate <= r.high <= 1 for r in rows)
    assert "| random | - | commune | 20 |" in rows_table(rows)


@pytest.mark.parametrize(("wins", "low", "high"), [(0, 0.0, 0.2775), (5, 0.2366, 0.7634), (10, 0.7225, 1.0)])
def test_wilson_intervals_match_published_values(wins, low, high):
    assert wilson(wins, 10) == pytest.approx((low, high), abs=1e-3)


def test_clustered_intervals_narrow_with_deals_and_know_that_mirrored_games_hang_together():
    always_split = np.full(100, 0.5)
    assert clustered(always_split) == (0.5, 0.5)
    assert clustered(np.ones(100)) == wilson(100, 100)  # a clean sweep is not certain to go on
    coins = np.random.default_rng(0).integers(0, 2, 400).astype(float)
    low, high = clustered(coins)
    assert 0.08 < high - low < 0.11


def test_equal_figures_of_few_deals_are_certain_only_for_an_agent_against_itself():
    assert clustered(np.full(2, 2 / 3)) == wilson(4 / 3, 2)
    assert clustered(np.full(2, 0.5), even=None) == wilson(1, 2)
    game, options = get_game("Paris-v0"), {"players": "3"}
    first_wins = [SeatResults(np.full(7, won), np.zeros(7), *np.ones((2, 7), np.int32)) for won in (1.0, 0.0, 0.0)]
    itself, other = (pair_rows(game, "a", opponent, options, first_wins)[-1] for opponent in ("a", "b"))
    assert itself.win_rate == other.win_rate == pytest.approx(1 / 3)
    assert (itself.low, itself.high) == pytest.approx((1 / 3, 1 / 3))
    assert (other.low, other.high) == pytest.approx(wilson(7 / 3, 7))


def test_rows_are_recorded_among_others_and_in_the_place_of_their_like(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    words = ["--csv", str(path), "--deals"]
    assert rfop(["evaluate", "random", "--env", "LeveeEnMasse-v0", *words, "4"]) == 0
    assert rfop(["evaluate", "random", "scripted", "--env", "Revolution-v0", *words, "4"]) == 0
    assert rfop(["evaluate", "random", "--env", "LeveeEnMasse-v0", *words, "6"]) == 0
    rows = read_records(path, RecordedRow)
    assert [(row.agent, row.opponent, row.side, row.deals) for row in rows] == [
        *(("random", "scripted", side, 4) for side in ("royalists", "jacobins", "all")),
        ("random", "-", "france", 6),
    ]
    assert [line.split(" | ")[:3] for line in records_table(rows).splitlines()[2:]] == [
        ["| Revolution-v0", "random", "scripted"], ["| LeveeEnMasse-v0", "random", "france"],
    ]  # fmt: skip
    path.write_text("a,b\n")
    capsys.readouterr()
    assert rfop(["evaluate", "random", *words, "4"]) == 2
    assert "expected the columns" in (said := capsys.readouterr()).err and "random" not in said.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "unknown agent 'nobody'"),
        (["random", "--env", "RedFlagOverPari-v0"], "did you mean 'RedFlagOverParis-v1'"),
        (["random", "--deals", "0"], "--deals: expected at least 1, found '0'"),
        (["random", "--deals", "1000000000000"], "--deals: expected at most 10,000,000"),
        (["random", "--opening", "100000"], "the decisions of the longest game; found 100000"),
        (["random", "random"], "random is given twice, called random: give each agent once"),
    ],
)
def test_wrong_commands_give_one_clear_line(arguments, said, capsys, monkeypatch):
    monkeypatch.setattr("rfop_training.evaluation.matchups.MatchupGames.play", lambda *args: pytest.fail("played"))
    assert rfop(["evaluate", "--deals", "2", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "arguments", "flag"),
    [
        ("evaluate", ["random"], "--csv"),
        ("matrix", ["random", "scripted", "--env", "Revolution-v0"], "--out"),
        ("placements", ["random", "scripted", "--env", "Revolution-v0"], "--out"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_played(
    name, arguments, flag, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rfop_training.evaluation.games.play_out", lambda *args: pytest.fail("played"))
    (tmp_path / "file").write_text("")
    for place, said in ((tmp_path, "is a folder"), (tmp_path / "file" / "rows.csv", "its folder cannot be made")):
        assert run_command([name, *arguments, flag, str(place)]) == 2
        error = capsys.readouterr().err
        assert said in error and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# -- what agents are called ------------------------------------------------------------------------------------------


def saved_network(folder, seed):
    """A network of random weights in the folder of a run."""
    game = get_game("Revolution-v0")
    metadata = game_metadata(game, game.load_components(None))
    write_network(folder / MODEL, random_network(game, seed).weights, metadata)
    return str(folder)


def test_models_of_one_name_have_rows_of_their_own(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    words = ["--env", "Revolution-v0", "--deals", "2", "--csv", str(path)]
    first, second = (saved_network(tmp_path / str(k) / "mine", k) for k in range(2))
    for run in (first, second, first):
        assert rfop(["evaluate", "random", run, *words]) == 0
    names = {row.opponent for row in read_records(path, RecordedRow)}
    assert len(names) == 2 and all(re.fullmatch("mine#[0-9a-f]{6}", name) for name in names)
    assert rfop(["evaluate", first, second, *words]) == 0
    capsys.readouterr()
    assert rfop(["evaluate", first, f"{first}/{MODEL}", *words]) == 2
    assert "are one agent, called mine#" in capsys.readouterr().err


def test_a_name_tells_the_content_and_the_temperature(tmp_path, monkeypatch):
    game = get_game("Revolution-v0")
    run = saved_network(tmp_path / "mine", 1)
    name = rfop_agents.load(run, game).name
    copy = saved_network(tmp_path / "copy", 1)
    assert rfop_agents.load(copy, game).name == name.replace("mine", "copy")
    assert rfop_agents.load(f"{run}@0.5", game).name == f"{name}@0.5"
    monkeypatch.chdir(tmp_path / "mine")
    assert rfop_agents.load(MODEL, game).name == name
    assert rfop_agents.load("revolution/ppo-2", game).name == "revolution/ppo-2"
    assert rfop_agents.load("revolution/ppo-2@0.5", game).name == "revolution/ppo-2@0.5"
    with pytest.raises(RfopError, match="a temperature is from 0 to 100"):
        rfop_agents.load(f"{run}@312345", game)
    with pytest.raises(UnknownName):
        rfop_agents.load(f"{run}@1.2.3", game)


def test_a_model_that_changes_while_it_is_evaluated_is_told(tmp_path):
    setting, run = Setting("Revolution-v0"), saved_network(tmp_path / "mine", 1)
    setting_module.display_names(setting, [run])
    task = tasks.make_tasks(setting, [run, run], range(2))[0]
    assert len(tasks.play_task(task).won) == 2
    saved_network(tmp_path / "mine", 2)
    setting_module._load_agent.cache_clear()  # as in a worker process that loads it only now
    with pytest.raises(RfopError, match=r"was mine#\w+ and is now mine#\w+: evaluate a copy"):
        tasks.play_task(task)


@pytest.mark.parametrize(("name", "players"), [("Revolution-v0", 2), ("Paris-v0", 3), ("Paris-v0", 4)])
def test_an_agent_scores_its_share_on_itself_with_any_number_of_seats(name, players):
    game = get_game(name)
    options = {"players": players} if name == "Paris-v0" else {}
    agent = rfop_agents.load("random", game)
    rows = pair(game, agent, agent, range(12), options=options)
    assert len(rows) == players + 1 and rows[-1].side == "all" and rows[-1].games == 12 * players
    assert rows[-1].win_rate == pytest.approx(1 / players)


def test_draws_and_shared_wins_count_as_shares():
    assert [win_share(winners, 0) for winners in [(True, False), (False, True), (False, False)]] == [1, 0, 0.5]
    assert [win_share(winners, 0) for winners in [(True, True, False), (False, True, True)]] == [0.5, 0]
    assert win_share((False,), 0) == 0


@pytest.mark.parametrize("name", ["Revolution-v0", "Paris-v0"])
def test_the_scripted_players_beat_random_play(name):
    game = get_game(name)
    assert pair(game, rfop_agents.load("scripted", game), rfop_agents.load("random", game), range(60))[-1].low > 0.8


def test_the_distribution_of_a_solitaire_game(tmp_path, capsys):
    assert (
        research(
            [
                "distribution",
                "random",
                "scripted",
                "--env",
                "LeveeEnMasse-v0",
                "--deals",
                "40",
                "--csv",
                str(tmp_path / "d.csv"),
            ]
        )
        == 0
    )
    output = capsys.readouterr().out
    assert "| agent | games | mean points | 5 % |" in output and "| Republican triumph |" in output
    with (tmp_path / "d.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["games"]) for row in rows if row["agent"] == "scripted") == 40
    assert research(["distribution", "nobody"]) == 2


# -- progress and Ctrl-C -----------------------------------------------------------------------------------------------

TWO_BLOCKS = ["--env", "Revolution-v0", "--first-deal", str(BLOCK - 2), "--deals", "4"]


def ctrl_c():
    raise KeyboardInterrupt


def sigterm():
    signal.raise_signal(signal.SIGTERM)


def stop_after(whole_blocks, monkeypatch, stop=ctrl_c):
    """Have Ctrl-C, or SIGTERM, come while the block after so many whole ones is played."""
    play, played = tasks.play_task, []

    def until_stopped(task, *args):
        if len(played) == whole_blocks:
            stop()
        played.append(task)
        return play(task, *args)

    monkeypatch.setattr(tasks, "play_task", until_stopped)


@pytest.mark.parametrize(("stop", "status"), [(ctrl_c, 130), (sigterm, 143)])
def test_a_stop_leaves_the_table_of_the_games_that_are_done(stop, status, tmp_path, monkeypatch, capsys):
    whole = evaluate(get_game("Revolution-v0"), ["random", "scripted"], range(BLOCK - 2, BLOCK))
    stop_after(3, monkeypatch, stop)
    path = tmp_path / "rows.csv"
    assert rfop(["evaluate", "random", "scripted", *TWO_BLOCKS, "--csv", str(path)]) == status
    said = capsys.readouterr()
    assert rows_table(whole) in said.out and [row.games for row in whole] == [2, 2, 4]
    assert f"the table is partial, of the first of the 4 deals that were asked for; {path} is as it was" in said.err
    assert not path.exists()


def test_ctrl_c_before_the_first_figures_says_so(monkeypatch, capsys):
    stop_after(1, monkeypatch)  # of one seat alone
    assert rfop(["evaluate", "random", "scripted", *TWO_BLOCKS]) == 130
    said = capsys.readouterr()
    assert "before the first 4 deals were over, so there is no table" in said.err and "|" not in said.out


def test_ctrl_c_during_the_check_of_a_file_loses_no_row(tmp_path, monkeypatch, capsys):
    stop_after(4, monkeypatch)
    assert rfop(["evaluate", "random", "scripted", *TWO_BLOCKS, "--csv", str(tmp_path / "rows.csv")]) == 130
    said = capsys.readouterr()
    assert "| random | scripted | all | 8 |" in said.out and "all games were played" in said.err


def test_progress_counts_games_and_shows_the_wins_so_far(capsys):
    assert rfop(["evaluate", "random", "scripted", *TWO_BLOCKS, "--progress"]) == 0
    said = capsys.readouterr()
    wins = float(re.search(r"\| random \| scripted \| all \| 8 \| ([\d.]+)%", said.out)[1])
    assert "8/8" in said.err and f"random {wins:.1f}%, scripted {100 - wins:.1f}%" in said.err
    assert rfop(["evaluate", "random", "scripted", *TWO_BLOCKS]) == 0
    assert capsys.readouterr().err == ""  # no terminal


def test_progress_counts_decisions_before_the_first_game_ends():
    game = get_game("Revolution-v0")
    players = [Timed(rfop_agents.load("scripted", game), perf_counter) for _ in range(2)]
    told = []
    play(game, players, range(4), opening=0, on_step=lambda *step: told.append(step))
    games, decisions = zip(*told, strict=True)
    assert sum(games) == 4 and sum(decisions) == sum(player.decisions for player in players)
    assert told[1] == (0, 4)  # one decision of each game, and none has ended


def test_the_line_shows_decisions_while_no_game_has_ended(capsys):
    one = GameResults(np.array([[1.0, 0.0]]), np.zeros((1, 2)), np.zeros(1, np.int32), np.zeros(1, np.int32))
    with closing(Progress(8, visible=True)) as bar:
        bar.count(0, 800)
        bar.count(0, 700)
        bar.add(["random", "scripted"], np.array([[0, 1]]), one)
    assert "0/8" in (said := capsys.readouterr().err) and "1,500 decisions, random" in said


def test_worker_processes_count_their_games_too(capsys):
    assert rfop(["evaluate", "random", "scripted", *TWO_BLOCKS, "--progress", "--workers", "2"]) == 0
    said = capsys.readouterr().err
    assert "8/8" in said and re.search(r"\d+ decisions, random", said)


@pytest.mark.parametrize("command", ["evaluate", "matrix"])
def test_the_help_names_searches_and_baselines_with_an_example_each(command, capsys):
    with pytest.raises(SystemExit):
        rfop([command, "--help"])
    examples = [line for line in capsys.readouterr().out.partition("examples:")[2].splitlines() if "rfop " in line]
    for name in (r" search-\d+ ", r"search-\d+\+revolution/ppo-2", r" revolution/ppo-2 "):
        assert any(re.search(name, line) for line in examples), name


def test_commands_about_games_share_their_defaults():
    texts = {}
    for name in ("evaluate", "matrix", "placements", "distribution", "action-use", "respond"):
        with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patch:
            printed = io.StringIO()
            patch.setattr("sys.stdout", printed)
            run_command([name, "--help"])
        words = " ".join(printed.getvalue().split())
        texts[name] = re.findall(
            r"environment id, or FILE\.py \(default \S+\)|number of deals \(default: [\d,]+ games", words
        )
    assert len({tuple(some) for some in texts.values()}) == 1 and len(texts["evaluate"]) == 2
