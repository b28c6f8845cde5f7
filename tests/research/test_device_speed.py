"""The command that measures batches on a graphics card; how fast they are is not tested."""

from rfop_env.testing import speed
from training.research import device_speed
from training.research.__main__ import main

GAME = "RedFlagOverParis-v1"


def test_the_table_goes_into_its_block(tmp_path, monkeypatch):
    card = {"card": "a card", "capability": "9.0", "numba-cuda": "1"}
    cases = [speed.Case(GAME, device_speed.ON_CARD, 2**14, 1, int, [3e7])]
    report = speed.Report(speed.describe_machine() | card, speed.QUICK, cases, {})
    monkeypatch.setattr(device_speed, "bench", lambda *args, **kwargs: report)
    page = tmp_path / "page.md"
    page.write_text("<!-- generated: speed_cuda -->\nold\n<!-- /generated -->\n")
    assert main(["device", "--write", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("<!-- generated: speed_cuda -->\na card, compute capability 9.0") and "old" not in text
    assert f"| {GAME} | {device_speed.ON_CARD} | 30,000,000 |" in text
