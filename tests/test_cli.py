"""The command `rfop`, called in this process; play is fed from a string."""

import io
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rfop_env
from rfop_env import compiling
from rfop_env.cli import main as cli
from rfop_env.compiler import JIT
from rfop_env.core.errors import MissingExtra
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game, list_games
from rfop_env.replays.replay_file import Replay
from rfop_env.testing import speed
from rfop_env.game_setup import ComponentSets
from rfop_env.web import saves

DUEL, SOLO = "RedFlagOverParis-v1", "RedFlagOverParisSolo-v1"


@pytest.fixture
def rfop(monkeypatch, capsys):
    """Run a command with some input: exit code, output, errors but for what is compiled."""
    monkeypatch.setenv("RFOP_QUIET", "1")

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        try:
            code = cli.main([str(a) for a in arguments])
        except SystemExit as stop:
            code = stop.code
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return run


def error_line(outcome, code=2):
    """The one line that a failed command says."""
    assert outcome[0] == code
    assert outcome[2].startswith("rfop: ") and outcome[2].count("\n") == 1
    return outcome[2]


def test_list(rfop):
    code, out, _ = rfop("list")
    assert code == 0 and all(name in out for name in rfop_env.list_games())
    assert "scripted Solo Opponent" in out and "variant" in out and "gymnasium" in out


def test_show_overview(rfop):
    code, out, _ = rfop("show", SOLO)
    assert code == 0 and "side = commune | versailles | random" in out and "reconstruction" in out


def test_show_cards(rfop):
    _, out, _ = rfop("show", DUEL, "--card", 23)
    assert out.splitlines()[0] == "23 Les Cantinières (Commune, 1 points; printed)"
    _, out, _ = rfop("show", DUEL, "--card", 48)
    assert "objective Press" in out and "    option 1: " in out
    _, out, _ = rfop("show", DUEL, "--cards")
    assert len([line for line in out.splitlines() if line[:1].isdigit()]) == 53
    assert "Final Crisis" in out and "not in solo games" in out


def test_show_card_of_an_own_file(rfop, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        '[[strategy_card]]\nnumber = 23\nname = "Mine"\nside = "Commune"\npoints = 4\n'
        'event = ["place 1 in Press"]\nprovenance = "printed"\n'
    )
    _, out, _ = rfop("show", DUEL, "--card", 23, "--components", own)
    assert out.startswith("23 Mine (Commune, 4 points") and "place 1 in Press" in out
    code, out, _ = rfop("components", "check", own)
    assert code == 0 and "of these from this file: 1 (1 printed)" in out


def test_a_set_that_a_game_ships_besides_its_own_is_given_by_name(rfop):
    code, out, _ = rfop("components", "check", "small_board")
    assert code == 0 and out.startswith("small_board: valid for Revolution-v0, set 'small board'")
    assert "of these from this file: 3 (3 reconstructed)" in out
    _, out, _ = rfop("show", "Revolution-v0", "--components", "small_board")
    assert "within 18 decisions" in out
    (loaded,) = ComponentSets([Path("small_board")]).of("Revolution-v0")[1:]
    assert loaded.name == "small board"
    assert "no such file" in error_line(rfop("components", "check", "../components/small_board"), code=1)


# Command lines that cannot be carried out, each with a part of the one line that is said.
REFUSED = {
    "": "say what to do",
    "dance": "no command 'dance'",
    "show": "required: id",
    f"show {DUEL} --card 54": "1 to 53",
    "show Revolution-v0 --cards": "Revolution-v0 has no cards",
    f"show {DUEL} --actions --components x.toml": "--components does not apply",
    f"show {DUEL} --components /dev/null": "an ordinary file",
    f"watch {DUEL} --seed -1": "expected at least 0, found '-1'",
    f"watch {DUEL} --seed {2**64}": "expected at most 18,446,744,073,709,551,615",
    f"watch {DUEL} --delay nan": "expected a number, found 'nan'",
    f"watch {DUEL} --svg nowhere/end.svg": "no folder 'nowhere'",
    "bench --json nowhere/bench.json": "no folder 'nowhere'",
    f"bench --quick --games {DUEL} Chess-v0": "unknown environment 'Chess-v0'",
    "components": "say which: check, export",
    f"play {SOLO} --opponent random": "--opponent does not apply: RedFlagOverParisSolo-v1 has one seat; what does: "
    "--components, --option, --seed, --side, --load",
    "play LeveeEnMasse-v0 --side france": "--side does not apply: LeveeEnMasse-v0 has one seat; what does: "
    "--components, --option, --seed, --load",
    f"play {DUEL} --opponent self --side commune": "--side does not apply: with --opponent self every seat is yours",
    f"play {SOLO} --side commune --option side=versailles": "--side does not apply: --option side=... says it already",
    f"play {DUEL} --seed 3 --load x.toml": "--seed does not apply: a saved position goes on",
    "play Revolution-v0 --option players=2": "--option does not apply: Revolution-v0 has no options",
    f"play {DUEL} --opponent nobody": "unknown agent 'nobody'",
    f"play {DUEL} --load /dev/zero": "an ordinary file",
    "play \x1b[2J": r"unknown environment '\x1b[2J'",
}


def test_what_cannot_be_done_is_refused_in_one_line(rfop, tmp_path, monkeypatch):
    for line in REFUSED:
        monkeypatch.chdir(tmp_path)
        error = error_line(rfop(*line.split(" ")) if line else rfop())
        assert REFUSED[line] in error and error[:-1].isprintable() and len(error) < 1500, line
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["position.toml", "position.rfop"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\0", b"x" * 2**19],
    ids=["empty", "not UTF-8", "large"],
)
def test_a_file_that_is_no_position_is_refused_in_one_line(rfop, tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    error = error_line(rfop("play", SOLO, "--load", path))
    assert str(path) in error and error[:-1].isprintable()


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x = " + b"[\n" * 5000, b"# \x1b[2J", b"[[strategy_card]]"])
def test_components_check_of_a_hostile_file(rfop, tmp_path, content):
    path = tmp_path / "hostile.toml"
    path.write_bytes(content)
    assert str(path) in error_line(rfop("components", "check", path), code=1)
    assert str(path) in error_line(rfop("play", DUEL, "--components", path))


def test_play_a_whole_game(rfop):
    code, out, _ = rfop("play", SOLO, "--seed", 3, "--side", "versailles", typed="1\n" * 400)
    assert code == 0 and "VERSAILLES (you)" in out
    assert "The game is over. Versailles " in out
    again = rfop("play", SOLO, "--seed", 3, "--side", "versailles", typed="1\n" * 400)
    assert again[1] == out, "the same seed and input give the same game"


def test_play_against_a_random_player(rfop):
    code, out, _ = rfop("play", DUEL, "--seed", 1, "--side", "Versailles", typed="r\n" * 400)
    assert code == 0 and re.search(r"The game is over\. (Commune|Versailles) won: ", out)
    assert "Commune (? for help)" not in out


def test_hints_for_bad_input(rfop):
    typed = "\n".join(["99", "0", "objetive 99", "objective", "", "?", "s", "u", "q"])
    code, out, _ = rfop("play", SOLO, "--seed", 3, typed=typed + "\n")
    assert code == 0
    assert "there is no 99 in the list of legal actions: it ends at 2" in out and "there is no 0" in out
    assert "did you mean 'objective" in out
    assert "'objective' can mean " in out and "Save where?" in out
    assert "There is nothing to undo." in out and "quit" in out
    assert "The game is over" not in out


def test_odd_answers_are_hints(rfop):
    for typed in ["²", "9" * 5000, "-1", "1e3", "\x1b[2J", "\ud800", "x" * 10_000, "s", "s  ", "q q"]:
        code, out, _ = rfop("play", SOLO, "--seed", 3, typed=f"{typed}\nq\n")
        answers = out.split("(? for help): ")
        assert code == 0 and len(answers) == 3 and len(answers[1]) < 15_000 and "\x1b" not in out


def test_labels_and_parts_of_names(rfop):
    """A card can be named as the menu shows it, in part, in any case."""
    code, out, _ = rfop("play", SOLO, "--seed", 3, "--side", "versailles", typed="DISSENSION\nq\n")
    assert code == 0 and "objective #51 Royalists Dissension" in out


def test_undo_and_draw(rfop):
    _, out, _ = rfop("play", SOLO, "--seed", 3, typed="1\nu\nd\n1\nq\n")
    drawings = out.split("RED FLAG OVER PARIS")[1:]
    first, output, undone, again, replayed = (d.split("\n\n   1  ")[0].split("(? for help)")[0] for d in drawings)
    assert first.split("  · ")[0] == undone.split("  · ")[0] == again.split("  · ")[0] != output
    assert output == replayed


def test_no_more_input(rfop):
    code, out, _ = rfop("play", SOLO, "--seed", 3, typed="1\n")
    assert code == 0 and out.endswith("No more input: the game stops here.\n")


@pytest.mark.parametrize("name", ["position.toml", "position.rfop"])
def test_save_and_load(rfop, tmp_path, name):
    saved = tmp_path / name
    _, out, _ = rfop("play", SOLO, "--seed", 3, typed=f"1\n1\ns {saved}\nd\nq\n")
    assert f"Saved: {saved}" in out
    _, loaded, _ = rfop("play", SOLO, "--load", saved, typed="q\n")
    board = out.split("RED FLAG OVER PARIS")[-1]
    assert loaded.split("RED FLAG OVER PARIS")[-1] == board
    assert "a position of" in error_line(rfop("play", DUEL, "--load", saved))
    _, out, _ = rfop("play", SOLO, "--seed", 3, typed=f"s {tmp_path / 'nowhere' / name}\ns a\0b\nq\n")
    assert out.count("Not saved: ") == 2


def test_a_position_that_cannot_be_saved_leaves_the_older_one(rfop, tmp_path, monkeypatch):
    saved = tmp_path / "position.toml"
    rfop("play", SOLO, "--seed", 3, typed=f"s {saved}\nq\n")
    older = saved.read_bytes()

    def full_disk(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    _, out, _ = rfop("play", SOLO, "--seed", 3, typed=f"1\n1\ns {saved}\nq\n")
    assert "Not saved: " in out and saved.read_bytes() == older and list(tmp_path.iterdir()) == [saved]


# -- players by name ---------------------------------------------------------------------------------------------------

PLAIN = "Revolution-v0"  # the quickest game of two seats


def test_play_against_any_program(rfop):
    for name in ("scripted", "search-2", "revolution/ppo-2"):
        typed = "1\n" * 2 + "q\n"
        code, out, err = rfop("play", PLAIN, "--seed", 1, "--opponent", name, typed=typed)
        assert code == 0 and f"Players: Royalists person, Jacobins {name}" in out, err
        assert rfop("play", PLAIN, "--seed", 1, "--opponent", name, typed=typed)[1] == out


def test_watch_programs(rfop):
    code, out, _ = rfop("watch", PLAIN, "scripted", "--seed", 1)
    assert code == 0 and "Players: Royalists scripted, Jacobins scripted" in out and "The game is over. " in out
    code, out, _ = rfop("watch", PLAIN, "scripted", "random", "--seed", 1)
    assert (
        "Players: Royalists scripted, Jacobins random" in out
        and out == rfop("watch", PLAIN, "scripted", "random", "--seed", 1)[1]
    )
    assert "takes 1 or 2 players here, and 3 are named" in error_line(rfop("watch", PLAIN, "a", "b", "c"))


def test_a_program_that_there_is_not(rfop, monkeypatch):
    for line in (("watch", PLAIN, "gredy"), ("play", PLAIN, "--opponent", "gredy")):
        assert "unknown agent 'gredy': valid: 'random', 'scripted', 'search-400'" in error_line(rfop(*line))
    monkeypatch.setattr("rfop_env.players._packages", lambda: [])
    for line in (("watch", PLAIN, "search-400"), ("play", PLAIN, "--opponent", "search-400")):
        assert "unknown agent 'search-400': valid: 'random', 'scripted'" in error_line(rfop(*line))


def test_a_saved_game_knows_its_side_options_and_opponent(rfop, tmp_path):
    saved = tmp_path / "mine.toml"
    rfop(
        "play",
        "Paris-v0",
        "--option",
        "players=3",
        "--side",
        "player_1",
        "--opponent",
        "scripted",
        "--seed",
        1,
        typed=f"1\ns {saved}\nq\n",
    )
    assert saved.read_text().startswith("# seats: scripted, person, scripted\n# options: players=3\n")
    _, out, _ = rfop("play", "Paris-v0", "--load", saved, typed="q\n")
    assert "player 0 scripted, player 1 person, player 2 scripted" in out.lower()
    _, out, _ = rfop("play", "Paris-v0", "--load", saved, "--side", "player_0", typed="q\n")
    assert "player 0 person, player 1 scripted, player 2 scripted" in out.lower()
    _, out, _ = rfop("play", "Paris-v0", "--load", saved, "--opponent", "random", typed="q\n")
    assert "player 0 random, player 1 person, player 2 random" in out.lower()
    saved.write_text(saved.read_text().replace("# seats: scripted, ", "# seats: "))
    assert "names 2 players for 3 seats" in error_line(rfop("play", "Paris-v0", "--load", saved))


def test_the_page_reads_what_the_terminal_saves(rfop, tmp_path):
    saved = tmp_path / "mine.toml"
    rfop("play", PLAIN, "--side", "jacobins", "--opponent", "scripted", "--seed", 1, typed=f"1\ns {saved}\nq\n")
    session = saves.load(saves.read_saved(tmp_path, "mine"), AgentLoader(), ComponentSets())
    assert session.seats == ["scripted", "person"]
    saves.save(session, tmp_path, "again")
    _, out, _ = rfop("play", PLAIN, "--load", tmp_path / "again.toml", typed="q\n")
    assert "Players: Royalists scripted, Jacobins person" in out


def test_an_undo_goes_back_over_the_programs_decisions(rfop, tmp_path):
    record = tmp_path / "game.rfop"
    _, out, _ = rfop(
        "play", PLAIN, "--opponent", "scripted", "--seed", 1, "--record", record, typed="1\n1\nu\nu\nd\nq\n"
    )
    boards = [part.split("\n\n")[0] for part in out.split("REVOLUTION")[1:]]
    assert len(boards) == 6 and boards[0] == boards[-1] != boards[2]
    assert len(Replay.read(record).decisions) == 0


def test_ctrl_c_saves_the_game(rfop, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answers = iter(["1", "1"])

    def typed(question):
        for answer in answers:
            return answer
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", typed)
    code, out, err = rfop("play", PLAIN, "--opponent", "scripted", "--seed", 1)
    (path,) = tmp_path.iterdir()
    assert code == 130 and f"Saved: {path.name}" in out and f"rfop play {PLAIN} --load {path.name}" in err
    board = out.split("REVOLUTION")[-1].split("\n\n")[0]
    assert board in rfop("play", PLAIN, "--load", path)[1]
    assert len(list(tmp_path.iterdir())) == 2, "an older file stays"


def test_watch(rfop, tmp_path):
    code, out, _ = rfop("watch", DUEL, "--seed", 3, "--svg", tmp_path / "end.svg")
    assert code == 0 and "  · Round 1 begins" in out and "The game is over. " in out
    assert (tmp_path / "end.svg").read_text().startswith("<svg")
    assert rfop("watch", DUEL, "--seed", 3)[1] == out
    _, output, _ = rfop("watch", DUEL, "--seed", 3, "--draw", "--delay", 0, "--svg", tmp_path / "at-{}.svg")
    pictures = sorted(tmp_path.glob("at-*.svg"))
    assert output.count("RED FLAG OVER PARIS") == len(pictures) - 1 > 10


def test_components_check_knows_the_game_by_the_tables(rfop):
    for name in ("Paris-v0", "LeveeEnMasse-v0", "Revolution-v0"):
        shipped = get_game(name).load_components(None).content.files[0]
        code, output, _ = rfop("components", "check", shipped)
        assert code == 0 and f"valid for {name}" in output


def test_components_export_is_a_template(rfop, tmp_path):
    _, out, _ = rfop("components", "export")
    assert len(tomllib.loads(out)["strategy_card"]) == 41
    template = tmp_path / "template.toml"
    template.write_text(out, encoding="utf-8")
    code, output, _ = rfop("components", "check", template)
    assert code == 0 and "rows in play: 90" in output and "from this file: 90" in output


def test_bench(rfop, tmp_path, monkeypatch):
    tiny = speed.Settings(seconds=0.001, runs=1, batches=(1,), vectors=(2,), spread=1, starts=False)
    monkeypatch.setattr(speed, "QUICK", tiny)
    code, out, err = rfop("bench", "--quick", "--games", DUEL, "--markdown", "--json", tmp_path / "bench.json")
    assert code == 0 and f"| {DUEL} |" in out and "Solo" not in out and "cases" in err
    assert (tmp_path / "bench.json").exists()


@pytest.mark.parametrize(
    "flag",
    [
        {"seconds": float("nan")},
        {"runs": 0},
    ],
)
def test_a_benchmark_of_nothing_is_refused(flag):
    with pytest.raises(ValueError, match="above 0"):
        speed.Settings(**flag)


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} -m rfop_env components export | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("# Red Flag") and done.stderr == ""


def shell(command, **environment):
    """A command in a shell of its own, where $RFOP is rfop: exit code, output and errors in bytes."""
    program = {"RFOP": f"{sys.executable} -m rfop_env", "PYTHONUNBUFFERED": ""}
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, env=os.environ | program | environment, check=False
    )


def test_output_that_nobody_reads_is_no_error():
    """Little enough to stay in the buffer until the end."""
    done = shell("$RFOP list | exec true; exit ${PIPESTATUS[0]}")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device to write to")
def test_a_full_disk_is_told_once():
    done = shell("$RFOP list > /dev/full")
    assert done.returncode == 2 and done.stderr == b"rfop: [Errno 28] No space left on device\n"


def test_a_terminal_that_is_not_utf_8():
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    listing, rules = shell("$RFOP list", **plain), shell(f"$RFOP show {DUEL} --rules", **plain)
    assert b"Levee en Masse" in listing.stdout and listing.returncode == rules.returncode == 0
    game = shell(f"printf 'caf\\xe9\\n\\xff\\nq\\n' | $RFOP play {SOLO} --seed 3", **plain)
    assert (game.returncode, game.stderr) == (0, b"") and game.stdout.count(b"is not among the legal actions") == 2
    exported = shell("$RFOP components export", **plain)
    assert exported.stdout == Path(get_game(DUEL).load_components(None).content.files[0]).read_bytes()


def test_starting_imports_no_compiler():
    command = (
        "from rfop_env.cli.main import main; import sys; assert main(['list']) == 0; assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", command], check=True, capture_output=True)


# -- compile -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_compile_keeps_every_kernel_of_a_game_for_later_processes(tmp_path):
    environment = os.environ | {"RFOP_CACHE_DIR": str(tmp_path)}
    environment.pop("RFOP_QUIET", None)
    words = [sys.executable, "-m", "rfop_env", "compile", "Revolution-v0"]
    first, second = (
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True) for _ in range(2)
    )
    assert "compiling the rules of Revolution" in first.stderr and "compiling" not in second.stderr
    assert re.match(rf"ready after \d+ s: Revolution; kept in {tmp_path / 'rfop'}", second.stdout)

    # A game that is played afterwards compiles nothing.
    files = sorted(path for path in tmp_path.rglob("*.nbc"))
    play = "from rfop_env.compiling import compile_rules; compile_rules('Revolution-v0')"
    subprocess.run([sys.executable, "-c", play], env=environment, check=True)
    assert files and sorted(path for path in tmp_path.rglob("*.nbc")) == files


def test_compile_takes_one_environment_for_each_set_of_rules_and_the_slowest_first():
    groups = compiling.games_by_folder(list_games())
    assert groups[0] == ["RedFlagOverParis-v1", "RedFlagOverParisSolo-v1"], "they share most rules: one process"
    assert len(groups) == 4
    assert compiling.games_by_folder(["RedFlagOverParisSolo-v1"]) == [["RedFlagOverParisSolo-v1"]]


def test_compile_refuses_what_it_cannot_do(rfop, monkeypatch):
    def refuse():
        raise MissingExtra("device='cuda' needs numba-cuda: pip install 'rfop-env[cuda]'")

    monkeypatch.setattr(compiling, "JIT", False)
    assert "unset them to compile rules" in error_line(rfop("compile"))
    monkeypatch.setattr(compiling, "JIT", True)
    assert "Chess-v0" in error_line(rfop("compile", "Chess-v0"))
    assert "expected at least 1, found '0'" in error_line(rfop("compile", "--processes", "0"))

    for_card = ("compile", "--device", "cuda")
    assert "add --device cuda" in error_line(rfop("compile", "--capability", "9.0"))
    assert "a compute capability like 9.0" in error_line(rfop(*for_card, "--capability", "nine"))
    monkeypatch.setattr(compiling, "require_compiler", refuse)
    assert "rfop-env[cuda]" in error_line(rfop(*for_card, "--capability", "9.0"))


def test_a_player_of_a_seat_is_drawn_by_shares_from_the_seed(rfop):
    words = ["watch", "Revolution-v0", "scripted=0.5,random=0.5", "--seed"]
    games = {seed: rfop(*words, seed) for seed in range(4)}
    assert all(code == 0 and "Players: " in out for code, out, _ in games.values())
    assert games == {seed: rfop(*words, seed) for seed in range(4)}
    code, _, error = rfop("watch", DUEL, "scripted=0.5,random=0.4", "--seed", 1)
    assert code != 0 and "shares are above 0 and add up to 1" in error
