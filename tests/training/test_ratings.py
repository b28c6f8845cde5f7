"""Ratings: known strengths are found, a cycle is seen, intervals cover."""

from __future__ import annotations

import itertools
from dataclasses import asdict, fields, replace

import numpy as np
import pytest

from rfop_env.cli.main import main as rfop
from rfop_env.core.errors import RfopError
from rfop_training.commands import placements as placements_command
from rfop_training.evaluation import matrix as m
from rfop_training.evaluation import placements, ratings
from rfop_training.evaluation.rows import ALL, PUBLISHED, RecordedRow
from rfop_training.evaluation.setting import Setting
from rfop_training.common.records import write_records

ROCK_PAPER_SCISSORS = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])


def matrix(share, parts=None, games=PUBLISHED):
    """A matrix of given shares of wins, the same in every part or with parts of their own."""
    share = np.asarray(share, float)
    parts = np.repeat(share[:, :, None], 10, axis=2) if parts is None else parts
    names = ("random", *(f"agent {i}" for i in range(1, len(share))))
    return m.Matrix("Toy-v0", "", names, 2, games, share, parts, np.ones(parts.shape[2]))


def expected(elo):
    """The shares of wins that Elo ratings expect."""
    return 1 / (1 + 10 ** ((np.asarray(elo)[None, :] - np.asarray(elo)[:, None]) / 400))


def simulated(elo, rng, parts=100, deals=20):
    """A matrix of games between agents of these strengths: two of a pair on each deal."""
    chance, k = expected(elo), len(elo)
    found = np.full((k, k, parts), 0.5)
    for i in range(k):
        for j in range(i):
            found[i, j] = rng.binomial(2 * deals, chance[i, j], parts) / (2 * deals)
            found[j, i] = 1 - found[i, j]
    return matrix(found.mean(axis=2), found, games=2 * deals * parts)


def test_elo_finds_the_strengths_that_made_the_games():
    strengths = [0.0, 120.0, 300.0, -80.0, 410.0]
    assert ratings.bradley_terry(expected(strengths), 1e9) == pytest.approx(strengths, abs=0.01)
    anchored = ratings.bradley_terry(expected(strengths), 1e9, anchor=2)
    assert anchored == pytest.approx(np.array(strengths) - 300, abs=0.01)


def test_an_agent_that_won_every_game_has_a_finite_rating_that_is_told_to_be_a_bound():
    found = matrix([[0.5, 0.0], [1.0, 0.5]])
    rows = ratings.rate(found, resamples=5)
    assert 1000 < rows[0].elo < 3000
    assert ratings.lower_bounds(found).endswith("agent 1 - random.")
    assert ratings.lower_bounds(matrix([[0.5, 0.1], [0.9, 0.5]])) == ""


def test_intervals_cover_the_strengths_nineteen_times_in_twenty():
    strengths, rng, covered = np.array([0.0, 100.0, 250.0]), np.random.default_rng(3), []
    for _ in range(40):
        found = simulated(strengths, rng, 40, 10)
        drawn = [ratings.bradley_terry(ratings.resampled(found, rng), found.games) for _ in range(40)]
        low, high = ratings.interval(drawn)
        covered += ((low <= strengths) & (strengths <= high))[1:].tolist()
    assert 0.85 <= np.mean(covered) <= 0.99


def test_the_bootstrap_draws_the_same_deals_for_all_pairs():
    found = simulated([0.0, 50.0, 90.0], np.random.default_rng(0))
    drawn = ratings.resampled(found, np.random.default_rng(1))
    assert drawn + drawn.T == pytest.approx(np.ones((3, 3)))
    assert abs(drawn - found.share).max() > 0


# -- the ranking that sees cycles --------------------------------------------------------------------------------------


def test_rock_paper_scissors_is_ranked_equal_where_elo_prefers_who_beats_the_copies():
    mix, score = ratings.nash_average(ROCK_PAPER_SCISSORS)
    assert mix == pytest.approx([1 / 3] * 3, abs=1e-5) and score == pytest.approx([0.5] * 3, abs=1e-5)
    twice = [0, 0, 1, 2]  # two copies of rock, paper, scissors
    share = ROCK_PAPER_SCISSORS[np.ix_(twice, twice)]
    elo = ratings.bradley_terry(share, 100)
    assert elo[2] > elo[3] + 50  # paper seems better than scissors, which it loses every game to
    mix, score = ratings.nash_average(share)
    assert mix == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-4)
    assert score == pytest.approx([0.5] * 4, abs=1e-5)


def test_the_mix_of_an_uneven_cycle_is_its_equilibrium():
    ahead = np.array([[0, -1, 2], [1, 0, -3], [-2, 3, 0]]) / 8  # weights: the pay-offs of the other two
    mix, score = ratings.nash_average(0.5 + ahead)
    assert mix == pytest.approx([3 / 6, 2 / 6, 1 / 6], abs=1e-4) and score == pytest.approx([0.5] * 3, abs=1e-5)


def test_an_agent_that_beats_all_is_the_whole_mix_and_the_others_score_less():
    share = expected([0, 100, 200, 50])
    mix, score = ratings.nash_average(share)
    assert mix == pytest.approx([0, 0, 1, 0], abs=1e-6)
    assert score == pytest.approx(share[:, 2], abs=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_no_agent_beats_the_mix(seed):
    rng = np.random.default_rng(seed)
    above = np.triu(rng.random((7, 7)), 1)
    share = above + np.tril(1 - above.T, -1) + np.eye(7) / 2
    mix, score = ratings.nash_average(share)
    assert mix.sum() == pytest.approx(1) and (mix >= 0).all()
    assert score.max() <= 0.5 + 1e-6 and score[mix > 1e-6] == pytest.approx(0.5, abs=1e-6)


def test_cycles_are_told_once_each():
    said = ratings.cycles(matrix(ROCK_PAPER_SCISSORS))
    assert said.startswith("Cycles, in which each agent beats the next: ") and said.count(";") == 0
    trio = said.removesuffix(".").split(": ")[1].split(" - ")
    assert len(trio) == 4 and trio[0] == trio[3] and len(set(trio)) == 3
    found = matrix(ROCK_PAPER_SCISSORS)
    places = [found.names.index(name) for name in trio]
    assert all(found.share[a, b] > 0.5 for a, b in itertools.pairwise(places))
    assert ratings.cycles(matrix(expected([0, 100, 200, 50]))) == "No three agents beat each other in a cycle."


# -- mixed tables ------------------------------------------------------------------------------------------------------


def finish(order, games, deals, **columns):
    values = {f.name: "" if f.type == "str" else 0 for f in fields(placements.Finish)}
    return placements.Finish(**values | {"order": order, "games": games, "deals": deals} | columns)


def finishes(strengths, deals, seed=0, seats=3):
    """Finishing orders of tables whose seats are as good as exponential clocks of these rates (Plackett-Luce)."""
    rng, names = np.random.default_rng(seed), [f"agent {i}" for i in range(len(strengths))]
    counts: dict[str, int] = {}
    for seated in placements.assign_seats(len(strengths), seats, range(deals)):
        clocks = rng.exponential(1 / np.exp(np.asarray(strengths)[seated]))
        order = placements.finishing_order([names[i] for i in seated], -clocks)
        counts[order] = counts.get(order, 0) + 1
    return [finish(order, n, deals) for order, n in counts.items()]


def test_mixed_tables_rate_agents_in_the_order_of_their_strengths():
    rows = ratings.rate_placements(finishes([0.0, 1.0, 0.5, 2.0], 600), anchor="agent 0", orders=6)
    assert [row.agent for row in rows] == ["agent 3", "agent 1", "agent 2", "agent 0"]
    assert rows[-1].rating == 0 and rows[0].low > rows[1].high
    assert sum(row.games * row.first for row in rows) == pytest.approx(600)
    assert sum(row.games for row in rows) == 1800


def test_orders_of_no_game_are_not_rated():
    played = finishes([0.0, 1.0, 0.5, 2.0], 60)
    checked = finish("visitor > agent 0 > agent 1", 0, 60, check=1)
    assert ratings.rate_placements([checked, *played], orders=2) == ratings.rate_placements(played, orders=2)


def test_the_intervals_of_mixed_tables_cover_the_strengths_nineteen_times_in_twenty(monkeypatch):
    """What is estimated deviates from the strength, 0, as a rating of games drawn anew does from what is estimated."""
    rng, covered = np.random.default_rng(5), []
    for orders in [10, ratings.ORDERS] * 1000:
        estimated = rng.normal(0, [0.0, 2.0])
        monkeypatch.setattr(ratings, "plackett_luce", lambda *_, mean=estimated: rng.normal(mean, [0.0, 2.0]))
        rows = {row.agent: row for row in ratings.rate_placements(finishes([0.0, 1.0], 1, seats=2), "agent 0", orders)}
        covered.append(rows["agent 1"].low <= 0 <= rows["agent 1"].high)
    assert 0.93 < np.mean(covered) < 0.97


def test_as_many_resamples_are_drawn_as_asked_for_and_too_few_are_refused(tmp_path, monkeypatch, capsys):
    drawn = []
    rate = ratings.plackett_luce
    monkeypatch.setattr(ratings, "plackett_luce", lambda *games: drawn.append(1) or rate(*games))
    write_records(tmp_path / "t.csv", finishes([0.0, 1.0, 0.5], 5), placements.Finish)
    for words, expected in ([], ratings.ORDERS), (["--resamples", "10"], 10), (["--resamples", "30"], 30):
        drawn.clear()
        assert rfop(["ratings", str(tmp_path / "t.csv"), *words]) == 0 and len(drawn) == expected
    assert rfop(["ratings", str(tmp_path / "t.csv"), "--resamples", "9"]) == 2
    assert "--resamples: expected at least 10, found '9'" in capsys.readouterr().err

    # The middle of few samples is too narrow: a matrix, which is rated fast, needs more.
    m.fill(Setting("Revolution-v0"), ["random", "scripted"], range(4), tmp_path / "m.csv")
    assert rfop(["ratings", str(tmp_path / "m.csv"), "--resamples", "99"]) == 2
    assert "--resamples: at least 100 for a matrix, found 99" in capsys.readouterr().err


def test_seats_are_dealt_to_all_agents_and_by_the_number_of_the_deal_alone():
    drawn = placements.assign_seats(5, 3, range(3000))
    assert all(len(set(row)) == 3 for row in drawn.tolist())
    assert abs(np.bincount(drawn[:, 0], minlength=5) - 600).max() < 100
    assert (placements.assign_seats(5, 3, range(1000, 1010)) == drawn[1000:1010]).all()
    assert {tuple(sorted(row)) for row in placements.assign_seats(2, 3, range(50)).tolist()} == {(0, 0, 1), (0, 1, 1)}


def test_shared_places_are_kept():
    order = placements.finishing_order(["a", "b", "c", "d"], np.array([0.2, 0.5, 0.2, -1.0]))
    assert order == "b > a = c > d"
    assert finish(order, 1, 1).places == (["b", "a", "c", "d"], [1, 2, 2, 4])


def test_the_commands_play_mixed_tables_and_rate_them(tmp_path, capsys):
    out = tmp_path / "tables.csv"
    words = ["random", "scripted", "--env", "Paris-v0", "--option", "players=3", "--deals", "20", "--out", str(out)]
    assert rfop(["placements", *words]) == 0
    first = out.read_text()
    assert rfop(["placements", *words]) == 0 and out.read_text() == first
    assert sum(finish.games for finish in placements.read_finishes(out)) == 20
    assert rfop(["ratings", str(out), "--resamples", "10"]) == 0
    said = capsys.readouterr().out
    assert "| scripted | " in said and "Not for publication: 20 games" in said


def test_a_file_that_is_no_mixed_tables_is_refused_before_a_game_and_stays(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(placements_command, "play_mixed_tables", lambda *_: pytest.fail("played"))
    write_records(tmp_path / "m.csv", [], m.MatrixRow)
    before = (tmp_path / "m.csv").read_bytes()
    assert rfop(["placements", "random", "scripted", "--env", "Paris-v0", "--out", str(tmp_path / "m.csv")]) == 2
    assert "m.csv: expected the columns" in capsys.readouterr().err and (tmp_path / "m.csv").read_bytes() == before


def test_the_command_rates_a_matrix(tmp_path, capsys):
    m.fill(Setting("Revolution-v0"), ["random", "scripted"], range(30), tmp_path / "m.csv")
    assert rfop(["ratings", str(tmp_path / "m.csv"), "--resamples", "100"]) == 0
    said = capsys.readouterr().out
    assert rfop(["ratings", str(tmp_path / "m.csv"), "--anchor", "nobody"]) == 2
    assert said.index("| scripted |") < said.index("| random | 0 |") and "Not for publication: 60 games" in said


def test_what_cannot_be_rated_is_refused(tmp_path, capsys):
    share = np.full((3, 3), 0.5)
    share[0, 2] = share[2, 0] = np.nan
    with pytest.raises(RfopError, match="random and agent 2 have not played each other"):
        ratings.rate(matrix(share))
    write_records(tmp_path / "empty.csv", [], placements.Finish)
    assert rfop(["ratings", str(tmp_path / "empty.csv")]) == 2 and rfop(["ratings", str(tmp_path / "none.csv")]) == 2
    assert "finishing orders of one game" in capsys.readouterr().err


ROW = replace(
    RecordedRow(**{f.name: "" if f.type == "str" else 0 for f in fields(RecordedRow)}),
    agent="scripted", opponent="random", side=ALL, games=8, deals=4, env="Revolution-v0",
)  # fmt: skip
PAIR = m.MatrixRow(**asdict(ROW), agent_print="a", opponent_print="b", parts="0.5 1 1 0.5")
FINISH = finish("scripted > random", 4, 4, env="Revolution-v0", check=4)


@pytest.mark.parametrize(
    ("good", "wrong", "said"),
    [
        (PAIR, {"parts": "0.5 1 one 0.5"}, "parts: expected 4 shares of wins from 0 to 1, found '0.5 1 one 0.5'"),
        (PAIR, {"deals": 0}, "deals: expected 1 to 10,000,000, found 0"),
        (PAIR, {"games": 0}, "games: expected a game or several on each of the 4 deals, found 0"),
        (FINISH, {"games": -3}, "games: expected 0 to 4, the deals, found -3"),
        (
            FINISH,
            {"order": "scripted"},
            "order: expected the agents of a table, as in scripted > random, found 'scripted'",
        ),
    ],
)
def test_a_row_that_cannot_be_is_told_with_its_file_and_line(good, wrong, said, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    write_records(path, [good, good], type(good))
    assert rfop(["ratings", str(path)]) == 0 and capsys.readouterr().err == ""
    write_records(path, [good, replace(good, **wrong)], type(good))
    assert rfop(["ratings", str(path)]) == 2
    error = capsys.readouterr().err
    assert f"rows.csv:3: {said}" in error and error.count("\n") == 1


def test_agents_that_have_not_met_are_rated_by_those_that_both_met():
    strengths = np.array([0.0, 150.0, 400.0])
    share = 1 / (1 + 10 ** ((strengths[None] - strengths[:, None]) / 400))
    share[0, 2] = share[2, 0] = np.nan
    assert ratings.bradley_terry(share, 1e9) == pytest.approx(strengths, abs=0.1)
