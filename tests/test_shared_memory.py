"""Commands that start processes where these cannot share locks and memory, as in a container without /dev/shm."""

from __future__ import annotations

import _multiprocessing
from multiprocessing import heap

import pytest

from rfop_env.cli.main import main as rfop
from rfop_env.compiler import JIT

NOTHING_SHARED = [
    (_multiprocessing, "SemLock", FileNotFoundError(2, "No such file or directory")),
    (_multiprocessing, "SemLock", OSError(38, "Function not implemented")),
    (heap, "BufferWrapper", OSError(30, "Read-only file system", "/dev/shm/pym-1")),
]
COMMANDS = {
    "rfop compile": lambda: rfop(["compile", "Revolution-v0"]),
    "rfop evaluate": lambda: rfop(
        ["evaluate", "random", "scripted", "--env", "Revolution-v0", "--deals", "2", "--workers", "2"]
    ),
}


@pytest.mark.parametrize(("module", "name", "error"), NOTHING_SHARED, ids=lambda part: str(part)[:30])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_in_one_line_what_its_processes_need(command, module, name, error, monkeypatch, capsys):
    if command == "rfop compile" and (not JIT or module is heap):
        pytest.skip("nothing is compiled, or nothing but locks is shared")

    def fail(*given, **named):
        raise error

    monkeypatch.setattr(module, name, fail)
    assert COMMANDS[command]() == 2
    message = capsys.readouterr().err
    assert f"({error}): mount a writable /dev/shm (in Docker --shm-size=1g)" in message and message.count("\n") == 1
