"""How commands end: with their own status, with a user's mistake, with Ctrl-C, with SIGTERM."""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import shtab

from rfop_env import players
from rfop_env.agent import RandomAgent
from rfop_env.cli.command_table import all_commands
from rfop_env.cli.main import main as rfop
from rfop_env.command_line import UsageError, command, number, output_file, sigterm_as_ctrl_c
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game


def end_status(raised=None, **settings):
    @command(**settings)
    def main(status):
        if raised is not None:
            raise raised
        return status

    return main(1)


@pytest.mark.parametrize(
    ("raised", "settings", "status", "message"),
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
    ],
)
def test_a_command_says_how_it_ended(raised, settings, status, message, capsys):
    assert end_status(raised, **settings) == status
    assert capsys.readouterr() == ("\n" if status == 130 else "", message)


def test_an_error_is_one_line_that_no_terminal_obeys(capsys):
    assert end_status(RfopError("a\x1b[2J\nb" + "c" * 10_000), name="rfop") == 2
    message = capsys.readouterr().err
    assert message.startswith(r"rfop: a\x1b[2J\nbccc") and message.count("\n") == 1 and len(message) < 4000


def test_numbers_out_of_bounds_are_refused():
    for kind, text, message in (
        (int, "-1", "expected at least 0, found '-1'"),
        (float, "inf", "expected at most 1,000, found 'inf'"),
        (int, "1.5", "expected a whole number, found '1.5'"),
        (float, "nan", "expected a number, found 'nan'"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=f"^{message}$"):
            number(kind, 0, 1000)(text)
    for text in ["nan", "-1", "inf", "1e400", "x", "", "1_", "9" * 5000]:
        for kind in (int, float):
            with pytest.raises(argparse.ArgumentTypeError, match=r"^expected .*, found"):
                number(kind, 0, 1000)(text)
    assert number(int, 0, 10)("10") == 10 and number(float, 0, 10)("0.5") == 0.5
    with pytest.raises(argparse.ArgumentTypeError, match="at most 9,007,199,254,740,992"):
        number(int, 0)(str(2**53 + 1))


def test_files_to_write_are_looked_at_first(tmp_path):
    assert output_file(str(tmp_path / "new.csv")) == tmp_path / "new.csv"
    for path, message in (
        (tmp_path / "none" / "new.csv", "make it first"),
        (tmp_path, "a file to write"),
        ("", "a file to write"),
        ("a\0b", "a file to write"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=message):
            output_file(str(path))
    assert not list(tmp_path.iterdir())


def test_faults_of_the_program_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        end_status(ZeroDivisionError())


def test_the_command_also_runs_by_the_name_of_its_module():
    for module in ("rfop_env", "rfop_env.cli.main"):
        done = subprocess.run([sys.executable, "-m", module, "fly"], capture_output=True, text=True)
        assert done.returncode == 2 and "no command 'fly'" in done.stderr, module


# -- arguments from a file ---------------------------------------------------------------------------------------------


def parsed(folder, name, text, *words):
    """The arguments of a command with a file of this text, and further words."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return all_commands()[name].parse(["--config", str(path), *words])


@pytest.mark.parametrize(
    ("name", "text", "words", "values"),
    [
        # Positional ones: several, one with a type, one with choices.
        ("evaluate", 'agents = ["random", "scripted"]', [], {"agents": ["random", "scripted"], "deals": None}),
        ("evaluate", 'agents = "random"', [], {"agents": ["random"]}),
        ("completion", 'shell = "zsh"', [], {"shell": "zsh"}),
        # Numbers, with both spellings of a key.
        ("evaluate", 'agents = "random"\ndeals = 5\nfirst-deal = 3', [], {"deals": 5, "first_deal": 3}),
        ("train ppo", "learning-rate = 1e-4\nminutes = 2", [], {"learning_rate": 1e-4, "minutes": 2.0}),
        # Flags.
        ("evaluate", 'agents = "random"\nprogress = true', [], {"progress": True}),
        # A list behind one flag, and a flag that has to be given.
        ("matrix", 'agents = ["random", "scripted"]\nout = "runs/m.csv"', [], {"out": Path("runs/m.csv")}),
        # Options of a game: as on the command line, as several texts, as a table.
        ("train ppo", 'option = "players=3,screens=open"', [], {"option": ["players=3,screens=open"]}),
        ("train ppo", '[option]\nplayers = 3\nscreens = "open"', [], {"option": ["players=3,screens=open"]}),
    ],
)
def test_a_file_gives_arguments_of_every_kind_and_the_command_line_wins(name, text, words, values, tmp_path):
    args = parsed(tmp_path, name, text, *words)
    assert {key: getattr(args, key) for key in values} == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fisrt-deal = 3", "unknown key 'fisrt-deal': did you mean 'first-deal'"),
        ("deals = 5", "the following arguments are required: AGENT"),
        ("deals = 5.0", "deals: expected a whole number, found '5.0'"),
        ("deals = true", "deals: expected a text or a number, found True"),
        ("progress = 1", "progress: expected true or false, found 1"),
        ("deals = ", "mine.toml: file: syntax: expected valid TOML"),
    ],
)
def test_what_does_not_fit_in_a_file_is_one_message_that_names_it(text, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(text)
    assert rfop(["evaluate", "--config", "mine.toml"]) == 2
    error = capsys.readouterr().err
    assert message in error and error.startswith("rfop: ") and error.count("\n") == 1
    assert "mine.toml: " in error or "required" in message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list", 'register = "own.py"'),
        ("list", 'register = "own:game"'),
        ("train ppo", 'env = "own.py"'),
        ("train ppo", 'opponents = "self=0.5,own.py:act=0.5"'),
        ("train ppo", 'opponents = "self=0.5,language-model --command touch=0.5"'),
        ("train ppo", 'evaluate-against = "own.py:act"'),
        ("watch", 'id = "Revolution-v0"\nplayers = ["random", "response-9:own.py:act"]'),
        ("watch", 'id = "Revolution-v0"\nplayers = ["random", "language-model --command \'touch x\'"]'),
        ("bench", 'games = ["Revolution-v0", "own.py"]'),
    ],
)
def test_a_file_runs_no_code(name, text, tmp_path, monkeypatch):
    """It comes with the runs of others; what is typed wins, and may run code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own.py").write_text("open('trace', 'w')")
    with pytest.raises(UsageError, match=r"mine\.toml: .* runs a program: type it on the command line"):
        parsed(tmp_path, name, text)
    assert not (tmp_path / "trace").exists() and "own" not in sys.modules
    if name == "train ppo":
        typed = [f"--{text.split()[0]}", "own.py:act" if "opp" in text or "aga" in text else "Revolution-v0"]
        assert typed[1] in vars(parsed(tmp_path, name, text, *typed)).values()
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("words", [["--config", "none.toml"], ["--config=none.toml"]])
def test_a_file_that_is_missing_is_told(words, capsys):
    assert rfop(["evaluate", *words]) == 2
    assert "none.toml: file: path: expected a file" in capsys.readouterr().err
    assert rfop(["evaluate", "--config"]) == 2
    assert "--config: expected one argument" in capsys.readouterr().err


# -- commands and players of other packages ----------------------------------------------------------------------------


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """A function that installs a package with entry points of a group, in a folder of the import path."""

    def install(group, **entries):
        package = tmp_path / "offering-1.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 1\n")
        lines = [f"{name} = {place}" for name, place in entries.items()]
        (package / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))
        (tmp_path / "broken.py").write_text("raise ValueError('in two\\nlines')")
        (tmp_path / "offering.py").write_text(
            "from rfop_env.agent import RandomAgent\n"
            "from rfop_env.command_line import Command\n"
            "COMMANDS = [Command('offer', 'mine', 'what it is', 'offering'), Command('offer more', '', '', 'broken'),\n"
            "            Command('list', 'mine', 'another', 'broken')]\n"
            "WORDS, NUMBER = ['list'], 3\n"
            "def add_arguments(parser): parser.add_argument('--what', default='nothing')\n"
            "def run(args): return print(args.what) or 0\n"
            "def names(game): return ['third']\n"
            "def load(name, game, components, typed, any_components): return RandomAgent()\n"
        )
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    sys.modules.pop("offering", None)


def test_packages_add_commands_and_broken_ones_are_left_out(offer, capsys):
    offer(
        "rfop.commands",
        good="offering:COMMANDS",
        broken="broken:COMMANDS",
        none="offering:NONE",
        number="offering:NUMBER",
        words="offering:WORDS",
    )
    assert rfop(["offer", "--what", "mine"]) == 0
    out, err = capsys.readouterr()
    assert out == "mine\n"
    assert err.splitlines() == [
        r"rfop: broken:COMMANDS of rfop.commands cannot be used: ValueError: in two\nlines",
        "rfop: offering:NONE of rfop.commands cannot be used: AttributeError: module 'offering' has no attribute "
        "'NONE'",
        "rfop: offering:NUMBER of rfop.commands cannot be used: expected a sequence of rfop_env.command_line.Command, "
        "found 3",
        "rfop: offering:WORDS of rfop.commands cannot be used: expected a sequence of rfop_env.command_line.Command, "
        "found ['list']",
    ]
    assert rfop(["list"]) == 0 and "Revolution-v0" in capsys.readouterr().out
    assert rfop(["completion", "bash"]) == 0 and "_shtab_rfop_offer_more" in capsys.readouterr().out


def test_packages_add_players_and_broken_ones_are_left_out(offer, capsys, monkeypatch):
    offer("rfop.players", a="offering:NUMBER", b="broken", c="offering")
    monkeypatch.setattr(players, "_packages", players._packages.__wrapped__)
    game = get_game("Revolution-v0")
    assert "third" in players.agent_names(game) and isinstance(players.load_agent("third", game), RandomAgent)
    problem = "rfop: offering:NUMBER of rfop.players cannot be used: expected the functions names and load"
    assert problem in capsys.readouterr().err


# -- help and completion -----------------------------------------------------------------------------------------------


def test_the_help_lists_every_command_under_the_heading_of_its_group(capsys):
    assert rfop(["--help"]) == 0
    sections = dict(part.split(":\n", 1) for part in capsys.readouterr().out.split("\n\n") if ":\n" in part)
    for name, entry in all_commands().items():
        assert re.search(rf"^  {name} +{re.escape(entry.text)}$", sections[entry.group], re.MULTILINE), name
    assert len(sections) == len({entry.group for entry in all_commands().values()}) > 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say what to do; rfop --help lists the commands"),
        (["evalaute"], "no command 'evalaute': did you mean 'evaluate'"),
        (["train", "pop"], "no command train 'pop': did you mean 'ppo'"),
    ],
)
def test_a_wrong_command_is_one_line_that_says_what_there_is(words, message, capsys):
    assert rfop(words) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize("shell", shtab.SUPPORTED_SHELLS)
def test_the_completion_of_every_shell_names_commands_and_flags(shell, tmp_path, capsys):
    assert rfop(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in all_commands():
        assert all(re.search(rf"\b{word}\b", script) for word in name.split()), name
    for flag in ("--deals", "--num-envs", "--config", "--simulations"):
        assert flag in script or shell == "tcsh"  # shtab writes flags of the first word alone for it
    if shell == "bash":
        (tmp_path / "rfop").write_text(script)
        done = subprocess.run(["bash", "-n", str(tmp_path / "rfop")], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")

        # What the script answers where a user asks in the middle of a word.
        calls = f"source {tmp_path / 'rfop'}; COMP_WORDS=(rfop train p); COMP_CWORD=2; _shtab_rfop rfop p train; "
        done = subprocess.run(["bash", "-c", calls + "echo ${COMPREPLY[@]}"], capture_output=True, text=True)
        assert done.stdout.split() == ["ppo"], done.stderr


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

    handler = signal.signal(signal.SIGINT, interrupt)
    try:
        assert main() == 143
    finally:
        signal.signal(signal.SIGINT, handler)
    assert capsys.readouterr() == ("saved\n\n", "call it again\n")
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_interruption_within_a_destructor_comes_again(number, status, capsys):
    """Python drops what a destructor raises."""

    class Leaf:
        def __del__(self):
            signal.raise_signal(number)

    @command(stopped="call it again")
    def main():
        Leaf()
        time.sleep(20)
        return 0

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a worker of the tests ignores Ctrl-C
    try:
        assert main() == status
    finally:
        signal.signal(signal.SIGINT, handler)
    assert capsys.readouterr().err == "call it again\n"


def test_sigterm_keeps_its_own_handler_and_other_threads_have_none():
    numbers = []
    handler = signal.signal(signal.SIGTERM, lambda number, _: numbers.append(number))
    try:
        with sigterm_as_ctrl_c() as terminated:
            signal.raise_signal(signal.SIGTERM)
            assert numbers == [signal.SIGTERM] and not terminated()
    finally:
        signal.signal(signal.SIGTERM, handler)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(end_status).result() == 1
