"""The comparison with other libraries measures what it says; how fast they are is not tested."""

import os

import pytest

from rfop_env.compiler import JIT
from rfop_env.testing import speed
from training.research.__main__ import main
from training.research import peers
from training.research.peers import OURS, PEERS, Peer, PeerRow
from rfop_env.testing.speed import Settings
from rfop_training.common.records import read_records
from training.research.publishing.peer_figures import draw_peers

TINY = Settings(seconds=0.001, runs=3, batches=(1, 3, 5), spread=2, starts=False)
GAME = "Revolution-v0"


def fake(*, batch=True, **changed):
    """A library that is always there: a call is one decision, or one in each game of its batch."""
    arguments = {"title": "Fake", "package": "no-such-package", "modules": ("json",), "games": ("whist", "piquet"),
             "single": lambda name: lambda: 1, "note": "Nothing is played.",
             "batch": (lambda name, n: lambda: n) if batch else None}  # fmt: skip
    return Peer(**arguments | changed)


@pytest.fixture(scope="module")
def rows():
    return peers.bench(TINY, [GAME], [fake()])


def test_ours_and_theirs_are_measured_alike(rows):
    own = [(OURS, GAME, n) for n in (1, 3, 5)]
    reference = [
        ("Fake", "whist", 1),
        ("Fake", "piquet", 1),
        *(("Fake", g, n) for g in ("whist", "piquet") for n in (3, 5)),
    ]
    assert [(row.library, row.game, row.games) for row in rows] == [*own, *reference]
    for row in rows:
        assert 0 < row.lowest <= row.decisions_per_second <= row.highest
        assert (row.slices, row.seconds, row.clock) == (3, 0.001, "wall")
        assert row.version == ("from source" if row.library == "Fake" else speed.package_version(OURS))


def test_the_table_has_the_best_batch_and_a_note_for_each_library(rows):
    best = max(row.decisions_per_second for row in rows if row.game == "whist" and row.games > 1)
    size = next(row.games for row in rows if row.decisions_per_second == best and row.game == "whist")
    single = next(row.decisions_per_second for row in rows if row.game == "whist" and row.games == 1)
    markdown = peers.table(rows, peers=[fake()])
    assert f"| Fake from source | whist | {single:,} | {best:,} | {size} |" in markdown
    assert f"* {OURS}: {peers.OURS_NOTE}" in markdown and "* Fake: Nothing is played." in markdown
    assert ("NOT compiled" in markdown) == (not JIT)
    assert "Left out" not in markdown and "medians of 3 interleaved slices of 0.001 s" in markdown


def test_a_library_that_is_not_installed_is_left_out_and_told():
    lines = []
    missing = fake(title="Missing", modules=("json", "no_such_module"))
    results = peers.bench(TINY, [GAME], [missing], log=lines.append)
    assert {row.library for row in results} == {OURS}
    assert any(line.startswith("Missing is left out, because it is not installed: pip install") for line in lines)
    assert f"* Left out: Missing. `{peers.INSTALL}` adds them." in peers.table(results, peers=[missing])


def test_the_command_writes_table_and_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(speed, "QUICK", TINY)
    monkeypatch.setattr(peers, "PEERS", (fake(),))
    page, file = tmp_path / "page.md", tmp_path / "peers.csv"
    page.write_text("before\n<!-- generated: peers -->\nold\n<!-- /generated -->\nafter\n", encoding="utf-8")
    words = ["peers", "--quick", "--games", GAME, "--csv", str(file), "--write", str(page)]
    assert main(words) == 0
    table = peers.table(read_records(file, PeerRow))
    assert page.read_text(encoding="utf-8") == (
        f"before\n<!-- generated: peers -->\n{table}\n<!-- /generated -->\nafter\n"
    )
    assert "Fake" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system binds no process to a core")
def test_one_core_is_used_and_given_back():
    snapshot = os.sched_getaffinity(0)
    with pytest.raises(KeyError), peers.one_core():
        assert len(os.sched_getaffinity(0)) == 1
        raise KeyError
    assert os.sched_getaffinity(0) == snapshot


def row(library, game, games, rate, **changed):
    arguments = {"version": "1", "lowest": rate, "highest": rate, "processor_share": 1.0, "slices": 3, "seconds": 0.1,
             "clock": "wall", "cores": 1, "load": "0 before, 0 after", "machine": "a machine"}  # fmt: skip
    return PeerRow(library=library, game=game, games=games, decisions_per_second=rate, **arguments | changed)


def test_the_figure_names_every_game_and_its_title_has_the_extremes(tmp_path):
    pytest.importorskip("matplotlib")
    results = [row(OURS, "ours", 1, 1_000), row(OURS, "ours", 64, 456_789), row(OURS, "slow", 64, 99_000),
             row("Other", "theirs", 1, 12_345), row("Other", "small", 1, 2_000)]  # fmt: skip
    draw_peers(results, tmp_path / "peers.svg")
    text = (tmp_path / "peers.svg").read_text(encoding="utf-8")
    assert all(f">{name}<" in text for name in ("ours", "slow", "theirs", "small", "one game", "best batch"))
    title = " ".join(line for line in text.splitlines() if "font-weight: 700" in line)
    assert "decisions per second, one core" in text
    assert "99,000 to 460,000" in title and "2,000 to 12,000" in title


@pytest.mark.filterwarnings("ignore")  # of the libraries, about each other
@pytest.mark.parametrize(("peer", "game"), [(peer, game) for peer in PEERS for game in peer.games],
                         ids=lambda value: getattr(value, "title", value))  # fmt: skip
def test_a_library_that_is_installed_is_driven(peer, game):
    for module in peer.modules:
        pytest.importorskip(module)
    step = peer.single(game)
    num_calls = [step() for _ in range(300)]
    assert sum(num_calls) > 100 and min(num_calls) >= 0
