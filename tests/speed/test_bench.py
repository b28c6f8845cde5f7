"""The benchmark measures what it says; how fast is not tested."""

import json
import time
from threading import get_ident

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game
from rfop_env.testing import marked_block, speed
from rfop_env.testing.speed import Case, Settings

TINY = Settings(seconds=0.002, runs=3, batches=(1, 130), vectors=(3,), spread=2, starts=False)
DUEL, SOLO = "RedFlagOverParis-v1", "RedFlagOverParisSolo-v1"
DRIVEN = (DUEL, f"{SOLO} commune", f"{SOLO} versailles", "LeveeEnMasse-v0", "Paris-v0 2", "Paris-v0 4", "Revolution-v0")


@pytest.fixture(scope="module")
def report():
    lines = []
    report = speed.bench(TINY, log=lines.append)
    assert len(lines) == 2 and "cases" in lines[1]
    return report


def test_every_environment_is_driven_in_every_way(report):
    found = {(case.name, case.mode, case.games, case.threads) for case in report.cases}
    assert {name for name, *_ in found} == set(DRIVEN)
    for name in DRIVEN:
        assert {case[1:] for case in found if case[:2] == (name, speed.FROM_TWO)} == {(speed.FROM_TWO, 130, 2)}
        for mode in (speed.IN_KERNEL, speed.FROM_OUTSIDE):
            assert {(name, mode, 1, 1), (name, mode, 130, 1), (name, mode, 130, 2)} <= found
            assert (name, mode, 1, 2) not in found, "a second thread has nothing to do in a batch of one"
    assert (DUEL, speed.AEC, 1, 1) in found
    assert {(f"{SOLO} commune", speed.GYMNASIUM, 1, 1), (f"{SOLO} commune", speed.VECTOR, 3, 1)} <= found
    for case in report.cases:
        assert len(case.rates) == 3 and min(case.rates) <= case.rate <= max(case.rates)


def test_the_report_is_whole(report, tmp_path):
    speed.write_json(report, tmp_path / "bench.json")
    read = json.loads((tmp_path / "bench.json").read_text())
    assert {"cpu", "cores", "python", "numba", "numpy", "load_before", "load_after"} <= set(read["machine"])
    assert len(read["results"]) == len(report.cases) and len(read["two_threads"]) == 3 * len(DRIVEN)
    assert all(row["lowest"] <= row["decisions_per_second"] <= row["highest"] for row in read["results"])


def test_the_tables_show_every_case(report):
    markdown, text = speed.tables(report, markdown=True), speed.tables(report)
    assert sum(markdown.count(f"\n| {name} |") for name in DRIVEN) == len({(c.name, c.mode) for c in report.cases})
    assert "(x " in markdown and "| 130 games |" in markdown
    assert "|" not in text and f"{report.machine['cores']} cores" in text


def test_the_tables_go_into_marked_blocks(report, tmp_path):
    starts = {DUEL: {"first_use": 50.04, "cached": 1.0, "import": 0.2}}
    whole = speed.Report(report.machine, TINY, report.cases, starts)
    texts = {name: block(whole) for name, block in speed.BLOCKS.items()}
    page = tmp_path / "page.md"
    marked = "".join(f"<!-- generated: {name} -->\n{{}}<!-- /generated -->\n" for name in speed.BLOCKS)
    page.write_text(marked.format("old\n", ""))
    marked_block.rewrite(page, texts)
    assert page.read_text() == marked.format(*(f"{text}\n" for text in texts.values()))
    summary = texts["speed_summary"]
    assert f"| {DUEL} |" in summary and "| 50.0 s | 1.0 s |" in summary
    assert [line.split(" | ")[0] for line in summary.splitlines()[2:]] == [f"| {name}" for name in DRIVEN]


def test_a_busy_machine_is_told(report):
    def wait():
        time.sleep(0.02)
        return 1

    waits = Case("x", "m", 1, 1, wait)
    speed.measure([waits], Settings(seconds=0.02, runs=2))
    assert max(waits.shares) < 0.5
    assert "The machine was busy" in speed.tables(speed.Report(report.machine, TINY, [waits], {}))


def test_rates_count_decisions():
    batch = GameBatch(get_game(DUEL), 5, 0, autoreset=True)
    step = speed.in_kernel(batch)
    assert step() == 5
    env_step = speed.gymnasium_env(__import__("rfop_env").make(SOLO))
    assert [env_step() for _ in range(200)] == [1] * 200
    aec_step = speed.aec(__import__("rfop_env").make(DUEL))
    asked = [aec_step() for _ in range(400)]
    assert asked.count(0) >= 2 and set(asked) == {0, 1}, "the empty steps at the end of a game are no decisions"


def test_the_ratio_is_taken_slice_against_slice():
    one = Case("a", "m", 128, 1, int, [1.0, 10.0, 100.0])
    two = Case("a", "m", 128, 2, int, [2.0, 15.0, 180.0])
    assert speed.thread_ratios([one, two]) == [(two, 1.8)]


def test_two_batches_are_stepped_in_two_threads():
    batches = [GameBatch(get_game(DUEL), n, 0, autoreset=True) for n in (3, 4)]
    threads = [set(), set()]
    for batch, seen in zip(batches, threads, strict=True):
        original = batch.step
        batch.step = lambda actions, original=original, seen=seen: (seen.add(get_ident()), original(actions))
    assert speed.from_two(*batches)() == 7 * speed.TOGETHER
    assert threads[0] == {get_ident()} and len(threads[1]) == 1 and threads[1] != threads[0]
