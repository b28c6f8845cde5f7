"""The command `rfop`, called in this process; play is fed from a string."""

import io
import subprocess
import sys
import tomllib

import pytest

import rfop_env
from rfop_env import cli
from rfop_env.registry import get_game
from rfop_env.testing import speed

DUEL, SOLO = "RedFlagOverParis-v0", "RedFlagOverParisSolo-v0"


@pytest.fixture
def rfop(monkeypatch, capsys):
    """Run a command with some input: exit code, output, errors."""

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        try:
            code = cli.main([str(a) for a in arguments])
        except SystemExit as stop:
            code = stop.code
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def error_of(outcome, code=2):
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


def test_show_tables_come_from_the_code(rfop):
    _, out, _ = rfop("show", DUEL, "--actions", "--observation")
    game = get_game(DUEL)
    assert game.actions.markdown() in out and game.observation.markdown() in out


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


def test_show_rules(rfop, tmp_path, monkeypatch):
    if not (get_game(DUEL).folder / "RULES.md").exists():
        assert "RULES.md" in error_of(rfop("show", DUEL, "--rules"))
    folder = type("Folder", (), {"folder": tmp_path, "id": "X-v0"})
    with pytest.raises(cli.UsageError, match="X-v0 comes without"):
        cli._rules(folder)
    (tmp_path / "RULES.md").write_text("# Rules\n")
    assert cli._rules(folder) == "# Rules"


def test_errors_are_one_line(rfop):
    assert "did you mean 'RedFlagOverParis-v0'" in error_of(rfop("show", "RedFlagOverPari-v0"))
    assert "1 to 53" in error_of(rfop("show", DUEL, "--card", 99))
    assert "NAME=VALUE" in error_of(rfop("play", DUEL, "--option", "variant"))
    assert "variant" in error_of(rfop("play", DUEL, "--option", "varian=standard"))
    assert "did you mean 'censor'" in error_of(rfop("watch", DUEL, "--option", "variant=censr"))
    assert "did you mean 'versailles'" in error_of(rfop("play", DUEL, "--side", "Versaille"))
    assert "did you mean 'versailles'" in error_of(rfop("play", SOLO, "--side", "Versaille"))
    assert "no such file" in error_of(rfop("show", DUEL, "--components", "nowhere.toml"))
    assert "No such file" in error_of(rfop("play", DUEL, "--load", "nowhere.toml"))
    assert "seed" in error_of(rfop("watch", DUEL, "--seed", "-1"))
    assert rfop()[0] == 2 and rfop("dance")[0] == 2


def test_play_a_whole_game(rfop):
    code, out, _ = rfop("play", SOLO, "--seed", 3, "--side", "versailles", typed="1\n" * 400)
    assert code == 0 and "VERSAILLES (you)" in out
    assert "The game is over: " in out and "Return: Versailles " in out
    again = rfop("play", SOLO, "--seed", 3, "--side", "versailles", typed="1\n" * 400)
    assert again[1] == out, "the same seed and input give the same game"


def test_play_against_a_random_player(rfop):
    code, out, _ = rfop("play", DUEL, "--seed", 1, "--side", "Versailles", typed="r\n" * 400)
    assert code == 0 and "Return: Commune " in out
    assert "Commune (? for help)" not in out


def test_play_both_sides(rfop):
    code, out, _ = rfop("play", DUEL, "--seed", 1, "--opponent", "self", typed="r\n" * 400)
    assert code == 0 and "Commune (? for help)" in out and "Versailles (? for help)" in out


def test_hints_for_bad_input(rfop):
    typed = "\n".join(["99", "0", "objetive 46", "objective", "", "?", "s", "u", "q"])
    code, out, _ = rfop("play", SOLO, "--seed", 3, typed=typed + "\n")
    assert code == 0
    assert "There is no 99 in the first column: it ends at 2" in out and "There is no 0" in out
    assert "did you mean 'objective" in out
    assert "'objective' can mean " in out and "Save where?" in out
    assert "There is nothing to undo." in out and "quit" in out
    assert "The game is over" not in out


def test_labels_and_parts_of_names(rfop):
    """A card can be named as the menu shows it, in part, in any case."""
    code, out, _ = rfop("play", SOLO, "--seed", 3, "--side", "versailles", typed="DISSENSION\nq\n")
    assert code == 0 and "objective #51 Royalists Dissension" in out


def test_undo_and_draw(rfop):
    _, out, _ = rfop("play", SOLO, "--seed", 3, typed="1\nu\nd\n1\nq\n")
    drawings = out.split("RED FLAG OVER PARIS")[1:]
    first, after, undone, again, replayed = (d.split("\n\n   1  ")[0].split("(? for help)")[0] for d in drawings)
    assert first.split("  · ")[0] == undone.split("  · ")[0] == again.split("  · ")[0] != after
    assert after == replayed


def test_no_more_input(rfop):
    code, out, _ = rfop("play", SOLO, "--seed", 3, typed="1\n")
    assert code == 0 and out.endswith("No more input: the game stops here.\n")


@pytest.mark.parametrize("name", ["position.toml", "position.rfop"])
def test_save_and_load(rfop, tmp_path, name):
    saved = tmp_path / name
    _, out, _ = rfop("play", SOLO, "--seed", 3, typed=f"1\n1\ns {saved}\nd\nq\n")
    assert f"Saved: {saved}" in out
    _, loaded, _ = rfop("play", SOLO, "--seed", 9, "--load", saved, typed="q\n")
    board = out.split("RED FLAG OVER PARIS")[-1]
    assert loaded.split("RED FLAG OVER PARIS")[-1] == board
    assert "a position of" in error_of(rfop("play", DUEL, "--load", saved))
    _, out, _ = rfop("play", SOLO, "--seed", 3, typed=f"s {tmp_path / 'nowhere' / name}\nq\n")
    assert "Not saved: " in out


def test_watch(rfop, tmp_path):
    code, out, _ = rfop("watch", DUEL, "--seed", 3, "--svg", tmp_path / "end.svg")
    assert code == 0 and "  · Round 1 begins" in out and "The game is over: " in out
    assert (tmp_path / "end.svg").read_text().startswith("<svg")
    assert rfop("watch", DUEL, "--seed", 3)[1] == out
    _, drawn, _ = rfop("watch", DUEL, "--seed", 3, "--draw", "--delay", 0, "--svg", tmp_path / "at-{}.svg")
    pictures = sorted(tmp_path.glob("at-*.svg"))
    assert drawn.count("RED FLAG OVER PARIS") == len(pictures) - 1 > 10


def test_a_new_seed_is_told(rfop):
    _, out, _ = rfop("watch", SOLO)
    assert int(out.splitlines()[0].rsplit("seed ", 1)[1]) >= 0


def test_components_check(rfop, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('[[strategy_card]]\nnumber = 99\nname = "x"\n')
    assert "expected an integer from 1 to 41, found 99" in error_of(rfop("components", "check", bad), code=1)
    assert "no such file" in error_of(rfop("components", "check", tmp_path / "none.toml"), code=1)
    assert "unknown environment" in error_of(rfop("components", "check", bad, "--game", "Chess-v0"))


def test_components_check_knows_the_game_by_the_tables(rfop):
    for name in ("Paris-v0", "LeveeEnMasse-v0", "Revolution-v0"):
        shipped = get_game(name).load_components(None).content.files[0]
        code, told, _ = rfop("components", "check", shipped)
        assert code == 0 and f"valid for {name}" in told


def test_components_export_is_a_template(rfop, tmp_path):
    _, out, _ = rfop("components", "export")
    assert len(tomllib.loads(out)["strategy_card"]) == 41
    template = tmp_path / "template.toml"
    template.write_text(out, encoding="utf-8")
    code, told, _ = rfop("components", "check", template)
    assert code == 0 and "rows in play: 90" in told and "from this file: 90" in told


def test_bench(rfop, tmp_path, monkeypatch):
    tiny = speed.Settings(seconds=0.001, runs=1, batches=(1,), vectors=(2,), spread=1, starts=False, peers=False)
    monkeypatch.setattr(speed, "QUICK", tiny)
    code, out, err = rfop("bench", "--quick", "--games", DUEL, "--markdown", "--json", tmp_path / "bench.json")
    assert code == 0 and f"| {DUEL} |" in out and "Solo" not in out and "cases" in err
    assert (tmp_path / "bench.json").exists()


def test_interrupted(rfop, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    code, out, err = rfop("play", SOLO, "--seed", 3)
    assert code == 130 and err == "" and out.endswith("\n")


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} -m rfop_env.cli components export | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("# Red Flag") and done.stderr == ""


def test_starting_imports_no_compiler():
    command = "import rfop_env.cli, sys; assert rfop_env.cli.main(['list']) == 0; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", command], check=True, capture_output=True)
