"""Published tables are those of this code: some games of every row are played again."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from rfop_env.cli.main import main as rfop
from training.research.generator.results import KEPT, KeptRow
from rfop_env.core.errors import RfopError
from rfop_training.evaluation import placements
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.rows import RecordedRow
from rfop_training.evaluation.matchups import deals_to_check
from training.research.publishing import replay, reproduce
from training.research.publishing.bounds import RESPONSES, Response
from rfop_training.common.provenance import changed_since, rounding
from rfop_training.common import records
from rfop_training.common.records import locked, read_records, write_records

ROOT = Path(__file__).parents[2]
FILES = dict.fromkeys(
    [replay.SCORES, replay.FRESH, replay.SEARCHES, replay.ROLLOUTS, replay.SEARCHED_RESPONSES], RecordedRow
)
FILES |= dict.fromkeys(replay.matrices(), MatrixRow)


SAMPLED = 16  # of so many matchups of a file, one is played in every run; the others are slow tests


def takes_long(row):
    """Whether agents of a row try every action before they choose; the scores show how `greedy` plays as well."""
    tried = ("search", "response", *(["greedy"] if isinstance(row, MatrixRow) else []))
    return any(word in name for word in tried for name in (row.agent, row.opponent))


def is_sampled(number, row):
    """Whether a matchup is among the few of its file that are played in every run of the tests."""
    return number % SAMPLED == 0 and not takes_long(row)


MATCHUPS = [
    pytest.param(
        rows,
        id=f"{path.stem}: {rows[0].env} {rows[0].agent} - {rows[0].opponent} {rows[0].side}",
        marks=[] if is_sampled(number, rows[0]) else [pytest.mark.slow],
    )
    for path, kind in FILES.items()
    for number, rows in enumerate(replay.matchups_in(read_records(path, kind)))
]


@pytest.mark.parametrize("rows", MATCHUPS)
def test_a_published_row_is_what_this_code_plays(rows):
    if not replay.can_be_checked(rows[0]):
        pytest.skip("a search that asks a network: the row was played where sums are rounded otherwise")
    stale = [
        row.side for row, now in zip(rows, replay.present_checks(rows), strict=True) if not replay.agrees(row, now)
    ]
    assert stale == [], "python -m training.research reproduce --publish scores searches rollouts matrices"


@pytest.mark.parametrize("path", replay.tables(), ids=lambda path: path.stem)
def test_published_mixed_tables_are_what_this_code_plays(path):
    assert replay.table_agrees(placements.read_finishes(path)), "python -m training.research reproduce --publish tables"


def test_only_responses_and_kept_figures_cannot_be_played_again():
    assert {row.check for row in read_records(RESPONSES, Response)} == {""}
    for row in read_records(KEPT, KeptRow):
        assert row.command and row.git and row.low <= row.win_rate <= row.high


def test_the_list_of_matrices_has_those_that_are_published(tmp_path):
    entries = replay.list_matrices()
    assert {entry.path for entry in entries} == set(replay.matrices())
    for entry in entries:
        rows = read_records(entry.path, MatrixRow)
        assert {row.agent for row in rows} | {row.opponent for row in rows} <= set(entry.agents)
        assert {row.deals for row in rows} <= {entry.deals, entry.slow_deals}
        assert {row.env for row in rows} == {entry.env}
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('[[matrix]]\nname = "toy"\nplayers = 2\n')
    with pytest.raises(RfopError, match=r"wrong\.toml: matrix 'toy': .*players"):
        replay.list_matrices(wrong)


def test_ratings_are_those_of_the_published_files():
    for path, kind, sources in (
        (replay.RATINGS, replay.PublishedRating, replay.matrices()),
        (replay.PLACES, replay.PublishedPlacement, replay.tables()),
    ):
        rated = {(row.source, row.digest) for row in read_records(path, kind)}
        wanted = {tuple(replay.origin(source).values()) for source in sources}
        assert rated == wanted, "python -m training.research reproduce --publish matrices tables"


@pytest.mark.slow
def test_ratings_of_matrices_are_computed_again(tmp_path):
    found = [row for source in replay.matrices() for row in replay.ratings_of_matrix(source)]
    write_records(tmp_path / "ratings.csv", found, replay.PublishedRating)
    published = {(row.source, row.agent): row.elo for row in read_records(replay.RATINGS, replay.PublishedRating)}
    assert published == pytest.approx({(row.source, row.agent): row.elo for row in found}, rel=1e-3)


@pytest.mark.slow
def test_ratings_of_tables_are_computed_again():
    def figures(rows):
        return {(row.source, row.agent): (row.rating, row.low, row.high) for row in rows}

    found = figures(row for source in replay.tables() for row in replay.ratings_of_tables(source))
    published = figures(read_records(replay.PLACES, replay.PublishedPlacement))
    stale = [key for key in found if published.get(key) != pytest.approx(found[key], rel=1e-3, abs=1e-3)]
    assert stale == [] and published.keys() == found.keys(), (
        f"delete {replay.PLACES.name}, then python -m training.research reproduce --publish tables"
    )


# -- that a stale row is found -----------------------------------------------------------------------------------------


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A file of two matchups, whose revision is not the one of today."""
    path, words = tmp_path / "rows.csv", ["--deals", "6", "--csv", str(tmp_path / "rows.csv")]
    assert rfop(["evaluate", "random", "scripted", "--env", "Revolution-v0", *words]) == 0
    assert rfop(["evaluate", "random", "--env", "LeveeEnMasse-v0", "--option", "scenario=extended", *words]) == 0
    monkeypatch.setattr(replay, "revision", lambda: "another")
    return path


def test_a_row_is_known_by_what_a_few_of_its_deals_did(published):
    rows = read_records(published, RecordedRow)
    matchups = replay.matchups_in(rows)
    assert [[row.side for row in matchup] for matchup in matchups] == [["royalists", "jacobins", "all"], ["france"]]
    assert [len(row.check.split()) for row in rows] == [4, 4, 8, 4]
    assert all(replay.is_fresh(matchup) for matchup in matchups)
    assert deals_to_check(range(10, 60)) == [10, 26, 42, 59]
    long = deals_to_check(range(10_000))
    assert len(long) == 40 and (long[0], long[-1]) == (0, 9_999)


def test_a_row_that_this_code_plays_otherwise_is_stale(published):
    rows = replay.matchups_in(read_records(published, RecordedRow))[0]
    won, points, decisions = rows[0].check.split()[0].split("/")
    other = f"{won}/{float(points) + 1:g}/{decisions} " + rows[0].check.split(" ", 1)[1]
    assert not replay.is_fresh([replace(rows[0], check=other), *rows[1:]])
    assert not replay.is_fresh([replace(rows[0], check=""), *rows[1:]])
    assert replay.is_fresh([replace(rows[0], check=other, git="another"), *rows[1:]])  # this very code wrote it


def test_a_stale_pair_of_a_matrix_is_played_again(tmp_path, monkeypatch):
    """The fingerprints of its agents are of games against themselves, and as ever: the pair's own check counts."""
    names = ["random", "scripted", "search-2"]
    entry = replay.PublishedMatrix("toy", "Revolution-v0", names, 4, 4)
    monkeypatch.setattr(replay, "RESULTS", tmp_path)
    path = entry.path
    replay.refresh_matrix(entry)
    good = read_records(path, MatrixRow)
    monkeypatch.setattr(replay, "revision", lambda: "another")
    pairs = replay.matchups_in(read_records(path, MatrixRow))
    wrong = [replace(line, win_rate=0.3, check=line.check.replace("/", "/9", 1)) for line in pairs[1]]
    write_records(path, [*pairs[0], *wrong, *pairs[2]], MatrixRow)

    replay.refresh_matrix(entry)
    assert {line.agent + line.opponent + line.side: line for line in read_records(path, MatrixRow)} == {
        line.agent + line.opponent + line.side: line for line in good
    }
    replay.refresh_matrix(replace(entry, agents=[*names, "search-3"]))  # a new agent in the list
    assert len(read_records(path, MatrixRow)) == 2 * len(good)
    assert list(tmp_path.glob("*.part.csv")) == []


@pytest.mark.parametrize("where", ["", "0123456789ab"])
def test_elsewhere_a_network_may_play_other_games_but_not_lose_them(where, published):
    row = replace(
        read_records(published, RecordedRow)[0],
        agent="mine#3f2a1c", rounding=where, check="1/4/50 0/-2/48 1/3/50 0/-1/50",
    )  # fmt: skip
    assert replay.agrees(row, "1/4/50 0/-2/48 1/5/44 0/-9/50")  # other games, the same wins
    assert replay.agrees(row, "0/-4/50 0/-2/48 1/3/50 0/-1/50")
    assert not replay.agrees(row, "0/-4/50 1/2/48 1/3/50 0/-1/50")
    assert not replay.agrees(row, "1/4/50 0/-2/48 1/3/50")
    assert not replay.agrees(replace(row, agent="search-100"), "1/4/50 0/-2/48 1/5/44 0/-9/50")


@pytest.mark.parametrize(
    ("agent", "can"),
    [
        ("mine#3f2a1c", True),
        ("search-100", True),
        ("search-100+revolution/ppo-2", False),
        ("rollout-16+revolution/ppo-2", False),
        ("response-100:revolution/ppo-2", False),
    ],
)
def test_searches_that_ask_a_network_are_checked_only_where_sums_are_rounded_alike(agent, can, published, monkeypatch):
    rows = [replace(row, agent=agent) for row in replay.matchups_in(read_records(published, RecordedRow))[0]]
    monkeypatch.setattr(replay, "present_checks", lambda rows: ["other games"] * len(rows))
    assert replay.can_be_checked(rows[0]) and not replay.is_fresh(rows)
    elsewhere = [replace(row, rounding="0123456789ab") for row in rows]
    assert replay.can_be_checked(elsewhere[0]) is can and replay.is_fresh(elsewhere) is not can


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a checkout of git")
def test_a_network_that_has_moved_is_the_same_network(tmp_path):
    """Rows are not stale because a folder has another name: what a revision holds counts, wherever it stood there."""
    moved = tmp_path / "xi-2.safetensors"
    moved.write_bytes((ROOT / "agents/rfop_agents/baselines/revolution/xi-2.safetensors").read_bytes())
    assert not changed_since("HEAD", [moved])
    moved.write_bytes(b"trained longer")
    assert changed_since("HEAD", [moved])
    assert not changed_since("0" * 12, [moved])  # which git does not know
    assert not changed_since("HEAD", [])


def rounding_of_a_process(**environment):
    words = [sys.executable, "-c", "from rfop_training.common.provenance import rounding; print(rounding())"]
    given = {**os.environ, **environment}
    return subprocess.run(words, env=given, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_every_process_of_a_machine_rounds_alike():
    assert rounding_of_a_process() == rounding_of_a_process(OMP_NUM_THREADS="2") == rounding()


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="a type of x86 processors")
def test_a_processor_that_adds_in_another_order_is_known_by_its_rounding():
    kinds = {rounding_of_a_process(OPENBLAS_CORETYPE=name) for name in ("PRESCOTT", "HASWELL")}  # without AVX, and with
    assert len(kinds) == 2


def test_stale_rows_are_played_again_in_their_place_and_the_others_are_kept(published, monkeypatch, capsys):
    good = read_records(published, RecordedRow)
    wrong = [replace(row, win_rate=0.5, check="", git="old") if k != 3 else row for k, row in enumerate(good)]
    write_records(published, wrong, RecordedRow)
    monkeypatch.setattr(replay, "SEARCHES", published)
    reproduce.play_stale("searches", 1)
    after = read_records(published, RecordedRow)
    assert [asdict(row) | {"git": ""} for row in after] == [asdict(row) | {"git": ""} for row in good]
    said = capsys.readouterr().err
    assert "checking 2 matchups" in said and "[1/1] Revolution-v0 random - scripted" in said


def test_a_stop_loses_one_matchup(published, monkeypatch):
    good = read_records(published, RecordedRow)
    write_records(published, [replace(row, check="") for row in good], RecordedRow)
    play, played = replay.play_again, []

    def stopped(row, workers):
        played.append(row.side)
        if len(played) == 2:
            raise KeyboardInterrupt
        return play(row, workers)

    monkeypatch.setattr(replay, "play_again", stopped)
    with pytest.raises(KeyboardInterrupt):
        replay.refresh(published)
    assert replay.refresh(published) == 1 and played == ["royalists", "france", "france"]
    assert replay.refresh(published) == 0


def test_a_file_that_another_process_writes_is_not_overwritten(published, monkeypatch):
    first, second = replay.matchups_in(read_records(published, RecordedRow))
    new = [replace(row, git="new") for row in first]
    monkeypatch.setattr(records, "WAIT", 0.05)
    with locked(published.with_name("rows.csv.lock"), "busy"), pytest.raises(RfopError, match="is being written by"):
        replay.replace_rows(published, first, new)
    replay.replace_rows(published, first, new)
    replay.replace_rows(published, first, [replace(row, git="late") for row in first])  # another process was faster
    assert read_records(published, RecordedRow) == [*new, *second]


@pytest.mark.parametrize("agent", ["mine#3f2a1c", "scripted"])
def test_elsewhere_a_few_tables_of_a_network_may_end_in_another_order(agent, monkeypatch):
    orders = {f"{agent} > random > greedy": 30, f"random > {agent} > greedy": 20}
    finishes = [
        placements.Finish(
            order, games, env="Paris-v0", options="players=3", components="", opening=0, first_deal=0, deals=50, seed=0,
            git="", rounding=rounding(), check=games,
        )
        for order, games in orders.items()
    ]  # fmt: skip
    elsewhere = [replace(finish, rounding="0123456789ab") for finish in finishes]

    def agree(*games):
        monkeypatch.setattr(replay, "present_orders", lambda finishes: dict(zip(orders, games, strict=True)))
        return replay.table_agrees(finishes), replay.table_agrees(elsewhere)

    assert agree(30, 20) == (True, True)
    assert agree(28, 22) == (False, agent != "scripted")
    assert agree(26, 24) == (False, False)


def test_no_row_of_a_table_runs_a_file(tmp_path):
    row = next(row for row in read_records(replay.SCORES, RecordedRow) if row.opponent == "scripted")
    (tmp_path / "other.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n\n\ndef act(observation, mask): ...\n")
    for names in ({"agent": f"{tmp_path}/other.py:act"}, {"opponent": f"{tmp_path}/other.py:act"}):
        with pytest.raises(RfopError, match="is not started from here"):
            replay.present_checks([replace(row, **names)])
    assert not (tmp_path / "ran").exists()
