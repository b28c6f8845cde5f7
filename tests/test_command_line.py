"""How commands end: with their own status, with a user's mistake, with Ctrl-C, with SIGTERM."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rfop_env.cli.commands import all_commands
from rfop_env.command_line import command, number, output_file, sigterm_as_ctrl_c
from rfop_env.core.errors import RfopError


ROOT = Path(__file__).parents[1]


class Unanswered(KeyboardInterrupt):
    problem = RfopError("HTTP 401")


def ended(raised=None, **told):
    @command(**told)
    def main(status):
        if raised is not None:
            raise raised
        return status

    return main(1)


@pytest.mark.parametrize(
    ("raised", "told", "status", "said"),
    [
        (None, {}, 1, ""),
        (RfopError("give a number"), {}, 2, "error: give a number\n"),
        (
            PermissionError(13, "not allowed", "out.csv"),
            {"name": "rfop"},
            2,
            "rfop: [Errno 13] not allowed: 'out.csv'\n",
        ),
        (KeyboardInterrupt(), {}, 130, ""),
        (KeyboardInterrupt(), {"stopped": "call it again"}, 130, "call it again\n"),
        (KeyboardInterrupt("saved"), {"stopped": "call it again"}, 130, "saved\n"),
        (Unanswered(), {}, 2, "error: HTTP 401\n"),
        (Unanswered(), {"name": "rfop", "stopped": "call it again"}, 2, "rfop: HTTP 401; call it again\n"),
    ],
)
def test_a_command_says_how_it_ended(raised, told, status, said, capsys):
    assert ended(raised, **told) == status
    assert capsys.readouterr() == ("\n" if status == 130 else "", said)


def test_an_error_is_one_line_that_no_terminal_obeys(capsys):
    assert ended(RfopError("a\x1b[2J\nb" + "c" * 10_000), name="rfop") == 2
    said = capsys.readouterr().err
    assert said.startswith(r"rfop: a\x1b[2J\nbccc") and said.count("\n") == 1 and len(said) < 4000


@pytest.mark.parametrize("text", ["nan", "-1", "inf", "1e400", "x", "", "1_", "9" * 5000])
def test_numbers_out_of_bounds_are_refused(text):
    for kind in (int, float):
        with pytest.raises(argparse.ArgumentTypeError, match="expected a number from 0 to 10, found"):
            number(kind, 0, 10)(text)
    assert number(int, 0, 10)("10") == 10 and number(float, 0, 10)("0.5") == 0.5


def test_files_to_write_are_looked_at_first(tmp_path):
    assert output_file(str(tmp_path / "new.csv")) == tmp_path / "new.csv"
    for wrong, said in (
        (tmp_path / "none" / "new.csv", "make it first"),
        (tmp_path, "a file to write"),
        ("", "a file to write"),
        ("a\0b", "a file to write"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=said):
            output_file(str(wrong))
    assert not list(tmp_path.iterdir())


def test_faults_of_the_program_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        ended(ZeroDivisionError())


def test_the_command_also_runs_by_the_name_of_its_module():
    for module in ("rfop_env", "rfop_env.cli.main"):
        done = subprocess.run([sys.executable, "-m", module, "fly"], capture_output=True, text=True)
        assert done.returncode == 2 and "no command 'fly'" in done.stderr, module


def test_every_command_has_a_module_with_its_arguments_and_a_document():
    commands = all_commands()
    assert {"play", "evaluate", "train ppo", "bench search"} <= set(commands)
    for name, one in commands.items():
        assert one.parser().prog == f"rfop {name}" and one.parser().description and one.text and one.group


# -- SIGTERM -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interrupt", [signal.default_int_handler, signal.SIG_IGN, signal.SIG_DFL])
def test_sigterm_does_what_ctrl_c_does_and_has_a_status_of_its_own(interrupt, capsys):
    """A job in the background of a shell ignores Ctrl-C: SIGTERM reaches it all the same."""

    @command(stopped="call it again")
    def main():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)  # a whole group is told twice: what it saves is not interrupted
            print("saved")

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        assert main() == 143
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr() == ("saved\n\n", "call it again\n")
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_handler_of_ctrl_c_answers_sigterm_too():
    numbers = []
    before = signal.signal(signal.SIGINT, lambda number, _: numbers.append(number))
    try:
        with sigterm_as_ctrl_c() as terminated:
            assert not terminated()
            signal.raise_signal(signal.SIGTERM)
            assert terminated() and numbers == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_sigterm_keeps_its_own_handler_and_other_threads_have_none():
    numbers = []
    before = signal.signal(signal.SIGTERM, lambda number, _: numbers.append(number))
    try:
        with sigterm_as_ctrl_c() as terminated:
            signal.raise_signal(signal.SIGTERM)
            assert numbers == [signal.SIGTERM] and not terminated()
    finally:
        signal.signal(signal.SIGTERM, before)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ended).result() == 1
