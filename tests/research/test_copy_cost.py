"""The command that measures what copying costs; how much is not tested."""

import re


from training.research.__main__ import main

GAME = "Revolution-v0"


def test_the_table_goes_into_the_page(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: copying -->\nold\n<!-- /generated -->\nafter\n")
    assert main(["copies", "--env", GAME, "--seconds", "0.001", "--write", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n<!-- generated: copying -->\nMicroseconds") and text.endswith(
        "<!-- /generated -->\nafter\n"
    )
    assert "old" not in text and capsys.readouterr().out.strip() in text
    rows = re.findall(r"^\| `.*\| +([\d,.]+) \|$", text, re.MULTILINE)
    assert len(rows) == 13 and f"|  | {GAME} |" in text
