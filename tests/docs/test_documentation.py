"""The documentation: its examples run, its commands, links and names exist."""

import ast
import contextlib
import doctest
import importlib
import importlib.util
import io
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache

import pytest

from training.research.generator import pages
from training.research.generator.blocks import GAME_BLOCKS, MEASURED
from rfop_env.cli.command_table import all_commands
from training.research.commands import COMMANDS as RESEARCH
from rfop_env.cli.main import find
from rfop_env.command_line import UsageError
from rfop_env.core.errors import RfopError
from rfop_env.compiler import JIT
from rfop_env import registry
from rfop_env.registry import get_game, list_games
from rfop_env.testing import speed
from training.research import device_speed, library_speed
from rfop_env.testing.marked_block import find_blocks as find_page_blocks
from tests.docs.code_blocks import BLOCK, ROOT, blocks, find_blocks, run_alone

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "environments").glob("*.md")),
    *sorted((ROOT / "docs" / "lab").glob("*.md")),
]
GAMES = ROOT / "tests" / "games"
RULES = sorted(ROOT.glob("rfop_env/games/*/RULES.md"))
TEMPLATES = sorted((ROOT / ".github").rglob("*.md"))
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def path_name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def from_the_checkout(monkeypatch, tmp_path):
    """The generators of pages are found as from the checkout's root; files land in a folder of their own."""
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(tmp_path)
    yield
    for entry in registry.own_entries():  # the games whose files a line named
        registry._withdraw(entry)


# -- examples ----------------------------------------------------------------------------------------------------------


EXAMPLES = {name: source for page in PAGES for name, source in find_blocks(path_name(page), "python").items()}


@pytest.mark.skipif(not JIT, reason="examples play whole games, for readers who have the rules compiled")
@pytest.mark.parametrize("source", EXAMPLES.values(), ids=EXAMPLES)
def test_a_block_runs_alone(source, tmp_path):
    run_alone(source, tmp_path, "-W", "error")


def test_every_block_imports_what_it_names(tmp_path):
    """The blocks that need a library or a graphics card, too."""
    for page in PAGES:
        for k, source in enumerate(find_blocks(path_name(page), "python", "py").values()):
            (tmp_path / f"{page.stem}_{k}.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", "--quiet", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for folder in ("rfop_env", "agents", "training")
    for path in (ROOT / folder).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_doctests_run(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0 and results.failed == 0


def test_the_action_table_has_doctests():
    assert {"rfop_env", "rfop_env.core.action_table"} <= set(MODULES)


def test_toml_blocks_are_component_files(tmp_path):
    """A block is for the game whose page it stands on, elsewhere for Red Flag Over Paris."""
    games, count = {get_game(name).folder.name: get_game(name) for name in list_games()}, 0
    for page in PAGES:
        game = games.get(page.stem, games["red_flag_over_paris"])
        for _, text in blocks(page.read_text(encoding="utf-8"), "toml"):
            if "[project]\n" in text:  # a package's, which test_own_project.py installs
                continue
            path = tmp_path / f"{count}.toml"
            path.write_text(text, encoding="utf-8")
            assert game.load_components(path).digest != game.load_components(None).digest
            count += 1
    assert count


# -- commands ----------------------------------------------------------------------------------------------------------


def commands():
    """Every line of every bash block: page, line, words without redirections and variables."""
    lines = []
    for page in PAGES:
        for line, text in blocks(page.read_text(encoding="utf-8"), "bash"):
            for k, command in enumerate(text.splitlines()):
                words = shlex.split(command.split(">")[0])
                while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
                    words.pop(0)
                lines.append((f"{path_name(page)}:{line + k + 1}", words))
    return lines


def problems(named_checks):
    """The names of the checks that fail, each with its error."""
    lines = []
    for name, check, words in named_checks:
        try:
            check(words)
        except (AssertionError, RfopError, SystemExit) as error:
            lines.append(f"{name}: {error}")
    return lines


def test_commands_exist():
    assert problems((name, check_command, words) for name, words in commands()) == []


def check_command(words):
    """Fails unless the module, target, file or option that a command line names is there."""
    program, *arguments = words
    if program == "make":
        targets = re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert arguments and set(arguments) <= set(targets)
    elif command := named_command(words):
        entry, words = command
        if "--help" in words:
            return
        if "--config" in words:  # a file that an earlier line writes
            at = words.index("--config")
            words = [*words[:at], *words[at + 2 :]]
        with contextlib.chdir(ROOT):  # where files of games lie that a line names
            parsed = entry.parse(words)
        if getattr(parsed, "id", None):
            get_game(parsed.id)
        if entry.name == "profile":  # which takes the options of a trainer
            all_commands()[f"train {parsed.trainer}"].parse(parsed.other_words)
    elif program == "python" and arguments[0].endswith(".py"):
        assert (ROOT / arguments[0]).exists()
    else:
        assert program == "python" and arguments[0] == "-m", f"the documentation knows no command {program!r}"
        check_module(arguments[1], arguments[2:])


def named_command(words):
    """The command of `rfop`, or of the tools in `training/research`, with its arguments; None for another program."""
    if words[0] == "rfop":
        return find(all_commands(), words[1:])
    if words[:3] == ["python", "-m", "training.research"]:
        return find({command.name: command for command in RESEARCH}, words[3:])
    return None


def check_module(module, arguments):
    if module == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        install = re.fullmatch(r"(\.|rfop-env|rfop_env\.whl)(?:\[([\w,]+)\])?", arguments[-1])
        assert install and ("-e" in arguments) == (install[1] == ".")
        assert install[2] is None or set(install[2].split(",")) <= set(extras)
    elif module == "pytest":
        assert all((ROOT / word).exists() for word in arguments if word.startswith("tests"))
    else:
        assert importlib.util.find_spec(module)
        for flag in [word for word in arguments if word.startswith("--")]:
            assert f"{flag} " in help_of(module), f"{module} has no option {flag}"


PROGRAMS = ("make ", "rfop ", "python -m ")


def named_commands():
    """Every command that stands in single backquotes in the text of a page or a template."""
    commands_by_name = {}
    for page in (*PAGES, *RULES, *TEMPLATES):
        for span in re.findall(r"`([^`]+)`", BLOCK.sub("", page.read_text(encoding="utf-8"))):
            command = re.sub(r"^([A-Z_]+=\S+ )+", "", " ".join(span.split()))
            if command.startswith(PROGRAMS) and not command.startswith("rfop replay 1"):  # the first line of a file
                commands_by_name[f"{path_name(page)}: {command}"] = command
    return commands_by_name


NAMED = named_commands()


def test_commands_in_the_text_exist():
    assert problems((name, check_named, shlex.split(command)) for name, command in NAMED.items()) == []


def check_named(words):
    """Fails unless program, subcommand and flags exist; files and names may be left out, or stand in capitals."""
    is_research = words[:3] == ["python", "-m", "training.research"]
    if words[0] != "rfop" and not is_research:
        return check_command([word for word in words if word != "..."])
    arguments = words[3 if is_research else 1 :]
    group = " ".join([*arguments, ""])
    if arguments[:1] in ([], ["--help"], ["--version"], ["COMMAND"]) or any(
        name.startswith(group) for name in all_commands()
    ):
        return None
    try:
        entry, arguments = named_command(words)
    except UsageError as error:
        raise AssertionError(str(error)) from None
    flags = {word for word in arguments if word.startswith("-")} - {"--help"}
    options = set(entry.parser()._option_string_actions)
    if entry.name == "profile":
        options |= set(all_commands()["train ppo"].parser()._option_string_actions)
    assert flags <= options


# Flags with a file or folder that the command writes.
OUTPUTS = {
    *("--csv", "--figure", "--html", "--model", "--out", "--record", "--replays", "--results", "--run", "--saves"),
    *("--token-file", "--write"),
}
SUFFIXES = "csv|html|json|png|py|rfop|safetensors|svg|toml|txt|zip"
FILE = re.compile(rf"[\w./-]*\.(?:{SUFFIXES})|(?:runs|docs|training|tests)/\S*")


def missing_files(page):
    """The files that a page's commands read: not in the checkout, not written before, and not named by its text."""
    text, outputs, missing = page.read_text(encoding="utf-8"), set(), []
    prose = BLOCK.sub("", text)
    for _, block in blocks(text, "bash"):
        for line in block.splitlines():
            command, *targets = line.split(">")
            words = shlex.split(command)
            for k, word in enumerate(words):
                file = word.split(":")[0].split("@")[0].split("+")[-1].split("=")[-1]
                if not FILE.fullmatch(file):
                    continue
                if words[k - 1] in OUTPUTS and "--resume" not in words:
                    outputs.add(file)
                elif not ((ROOT / file).exists() or f"`{file}`" in prose or any(file.startswith(w) for w in outputs)):
                    missing.append(file)
            outputs |= {name.strip() for name in targets}
    return missing


@pytest.mark.parametrize("page", PAGES, ids=path_name)
def test_commands_read_files_that_are_there(page):
    assert missing_files(page) == []


@cache
def help_of(module):
    """What `python -m module --help` prints."""
    out = io.StringIO()
    run = f"{module}.__main__" if importlib.util.find_spec(module).submodule_search_locations else module
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
        importlib.import_module(run).main(["--help"])
    return out.getvalue()


# -- pages of environments ---------------------------------------------------------------------------------------------


def test_generated_parts_are_fresh():
    """What comes from the games; `test_generator.py` is about everything else."""
    assert list(pages.stale(blocks=GAME_BLOCKS)) == [], "run `make docs`"


def test_every_environment_has_a_page_with_the_fixed_headings():
    headings = ["Description", "Seats and turns", "Action space", "Observation space", "Rewards", "Episode end"]
    headings += ["Arguments", "Component sets", "Hidden information", "Version history"]
    for game in list_games():
        text = (ROOT / "docs" / f"{get_game(game).folder.name}.md").read_text(encoding="utf-8")
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings and game in text


def test_reference_words_are_those_of_the_page():
    """The page's own implementation of the random numbers gives the words that the compiled one gave."""
    text, namespace = (ROOT / "docs" / "randomness.md").read_text(encoding="utf-8"), {}
    for _, source in blocks(text, "python"):
        exec(source, namespace)
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d) \w+ \| ([\da-f ]+) \|$", text, re.MULTILINE)
    assert len(rows) == 20
    for seed, episode, stream, words in rows:
        expected = [int(word, 16) for word in words.split()]
        numbers = [namespace["word"](int(seed), int(episode), int(stream), k) for k in range(1, len(expected) + 1)]
        assert numbers == expected


# -- variables of the environment --------------------------------------------------------------------------------------


def variables_of(text):
    """The names in the table of variables of the page about interfaces."""
    section = text.split("## Variables of the environment")[1]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def test_every_variable_of_ours_is_in_the_table_and_none_else():
    folders = ("rfop_env", "agents", "training", "docs", "tests/web")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    read = set()
    for path in files:
        read |= set(re.findall(r"""["'](RFOP_[A-Z_]+)["']""", path.read_text(encoding="utf-8")))
    documented = variables_of((ROOT / "docs" / "interfaces.md").read_text(encoding="utf-8"))
    assert {name for name in documented if name.startswith("RFOP_")} == read
    assert {"RFOP_JIT", "RFOP_QUIET", "NUMBA_CACHE_DIR"} <= documented


# -- figures of speed --------------------------------------------------------------------------------------------------

STARTS = ("first use (compiles)", "from the cache")  # and the titles of the same figures in the README
STARTS_OF_SUMMARY = ("first use (compiles)", "later starts")
LOADED = re.compile(r"\d+(?:\.\d+)? s")


def tables_of(body):
    """The tables of a block: for each row its cells by their titles."""
    for table in re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines())
        yield [dict(zip(head, row, strict=True)) for row in rows]


def measured_tables(texts):
    """The tables of all measured blocks of some pages, with the machine that the block's first line names."""
    for page, text in texts.items():
        for block in find_page_blocks(text):
            if block.name in MEASURED:
                for table in tables_of(block.body):
                    yield page, block.name, block.body.split(",")[0], table


def rates(texts):
    """Decisions per second in these pages: environment, way, number of games and machine, with all figures of each."""
    figures = {}
    for page, _, machine, table in measured_tables(texts):
        for row in table:
            if "driven through" not in row:
                continue
            name = row.get("environment") or row["game"]
            for title, cell in row.items():
                games = row["games"] if title == "decisions/s" else title.split(" game")[0].replace(",", "")
                if games.isdigit() and cell.replace(",", "").isdigit() and title != "games":
                    figures.setdefault((name, row["driven through"], int(games), machine), {})[page] = cell
    return figures


def contradictions(texts):
    """What two pages say differently of one speed."""
    return {key: figures for key, figures in rates(texts).items() if len(set(figures.values())) > 1}


def starts(texts):
    """Where the seconds stand that an environment takes to start."""
    for page, block, _, table in measured_tables(texts):
        for row in table:
            if next(iter(row.values())).split(" ")[0] in list_games() and any(map(LOADED.fullmatch, row.values())):
                yield page, block


def texts_of_pages():
    return {path_name(page): page.read_text(encoding="utf-8") for page in PAGES}


def test_no_speed_is_published_with_two_values():
    texts = texts_of_pages()
    assert len(rates(texts)) > 50
    assert contradictions(texts) == {}


def test_what_a_start_takes_is_published_by_one_command():
    assert {block for _, block in starts(texts_of_pages())} == set(speed.BLOCKS)


def described_ways(text):
    """The ways to drive a game that a page describes, outside its measured blocks."""
    prose = re.sub(r"^<!-- generated: .*?^<!-- /generated -->$", "", text, flags=re.DOTALL | re.MULTILINE)
    return {row["driven through"] for table in tables_of(prose) for row in table if "the loop" in row}


def test_the_loop_of_every_speed_is_described():
    texts = texts_of_pages()
    ways = {way for _, way, _, _ in rates({"docs/lab/speed.md": texts["docs/lab/speed.md"]})}
    # FROM_TWO is measured in two threads alone; ON_CARD stands in a table of its own, whose text describes it.
    assert described_ways(texts["docs/lab/speed.md"]) == {*ways, speed.FROM_TWO} - {device_speed.ON_CARD}
    fast, plain = (speed.GYMNASIUM, speed.AEC), (library_speed.PLAIN_GYMNASIUM, library_speed.PLAIN_AEC)
    for page, block, _, table in measured_tables(texts):
        for row in table:
            if "driven through" in row and block != library_speed.BLOCK:  # whose other ways its page shows
                assert row["driven through"] in {*ways, speed.FROM_TWO, device_speed.ON_CARD}, page
    (table,) = tables_of(
        next(b.body for b in find_page_blocks(texts["docs/lab/speed.md"]) if b.name == library_speed.BLOCK)
    )
    assert {*fast, *plain} <= {row["driven through"] for row in table}


def test_the_page_says_how_far_its_two_runs_are_apart():
    """Ours have other figures beside other libraries, in a run of its own."""
    text = (ROOT / "docs" / "lab" / "speed.md").read_text(encoding="utf-8")
    ways, beside = (
        tables_of(next(b.body for b in find_page_blocks(text) if b.name == name)) for name in ("speed", "peers")
    )
    cells = {(row["environment"], row["driven through"]): list(row.values()) for row in next(ways)}
    lower = []
    for row in next(beside):
        for title, loops in {"one game": (speed.GYMNASIUM, speed.AEC), "batch": (speed.IN_KERNEL,)}.items():
            all_cells = [c for loop in loops for c in cells.get((row["game"], loop), [])[2:6] if c]
            if all_cells and row["library"].startswith("rfop-env"):
                rates = [int(cell.replace(",", "")) for cell in all_cells]
                lower.append(1 - int(row[title].replace(",", "")) / max(rates))
    assert len(lower) == 10 and f"they are {min(lower):.0%} to {max(lower):.0%} lower" in text


# Rates and seconds that pages of the manual state in sentences: of training and what a new game should reach.
STATED = {"docs/extend.md": {"200,000"}}
STATEMENT = re.compile(
    r"(\d[\d,.]*(?:\s+million)?)\s+decisions\s+(?:a|per)\s+second"
    r"|(?:first\s+use|compil\w*)[^.|`\n]{0,80}?\b(\d[\d.,]*)\s+s(?:econds?)?\b",
    re.IGNORECASE,
)


def stated(texts):
    """The rates of play and the seconds of a first use that stand outside of measured blocks, by page."""
    prose = {
        page: re.sub(r"<!-- generated: .*?<!-- /generated -->", "", t, flags=re.DOTALL) for page, t in texts.items()
    }
    figures = {page: [" ".join((m[1] or m[2]).split()) for m in STATEMENT.finditer(t)] for page, t in prose.items()}
    return {page: here for page, here in figures.items() if here}


def test_sentences_refer_to_the_tables_of_speed():
    code = [path for folder in ("rfop_env", "agents", "training") for path in (ROOT / folder).rglob("*.py")]
    texts = {
        path_name(path): path.read_text(encoding="utf-8") for path in [*code, *(ROOT / "notebooks").glob("*.ipynb")]
    }
    assert stated(texts) == {}
    manual = {page: text for page, text in texts_of_pages().items() if not page.startswith("docs/lab/")}
    assert [page for page, figures in stated(manual).items() if not STATED.get(page, set()).issuperset(figures)] == []


def test_the_summary_says_what_the_page_says():
    texts = texts_of_pages()
    (summary,) = tables_of(next(b.body for b in find_page_blocks(texts["README.md"]) if b.name == "speed_summary"))
    ways, first_use = tables_of(next(b.body for b in find_page_blocks(texts["docs/lab/speed.md"]) if b.name == "speed"))
    in_kernel = {row["environment"]: row for row in ways if row["driven through"] == speed.IN_KERNEL}
    first_use = {next(iter(row.values())): row for row in first_use}
    assert [row["environment"] for row in summary] == list(in_kernel)
    for row in summary:
        figures, start = in_kernel[row["environment"]], first_use[row["environment"].split(" ")[0]]
        numbers = [cell for title, cell in figures.items() if title.endswith(("game", "games"))]
        assert row["`step_random` of a batch, decisions/s, one core"] == max(
            numbers, key=lambda cell: int(cell.replace(",", ""))
        )
        assert f"({row['two threads']})" in figures["two threads"]
        assert [row[title] for title in STARTS_OF_SUMMARY] == [start[title] for title in STARTS]


@pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")
def test_the_message_before_a_first_use_expects_what_the_page_says():
    from rfop_env.compiler.code_digest import code_digest
    from rfop_env.compiler.kernel_cache import expected_seconds
    from rfop_env.compiler.native_rules import make_parts

    _, first_use = tables_of(
        next(b.body for b in find_page_blocks(texts_of_pages()["docs/lab/speed.md"]) if b.name == "speed")
    )
    for row in first_use:
        game = get_game(next(iter(row.values())))
        play, *_ = make_parts(game.rules, game.state, game.load_components(None).record.dtype)
        least, longest = expected_seconds(code_digest(play).rules)
        assert least <= float(row[STARTS[0]].removesuffix(" s")) <= longest, game.id


# -- links and names ---------------------------------------------------------------------------------------------------


def anchors(path):
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken_links(page):
    broken = []
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES + RULES, ids=path_name)
def test_links_lead_somewhere(page):
    assert broken_links(page) == []


def functions_of(path):
    return {
        node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    }


def missing_names(text, folder, tests):
    """The functions (`file.py:function`) and tests (`test_x`, `test_x_...`) of a text that do not exist."""
    missing = []
    for file, function in re.findall(r"`(\w+\.py):(\w+)`", text):
        if not (folder / file).exists() or function not in functions_of(folder / file):
            missing.append(f"{file}:{function}")
    for name, dots in re.findall(r"`(test_\w+?)(\.\.\.)?`", text):
        if not (any(test.startswith(name) for test in tests) if dots else name in tests):
            missing.append(name)
    return missing


@pytest.mark.parametrize("path", RULES, ids=path_name)
def test_rules_name_functions_and_tests_that_exist(path):
    folder = path.parent
    tests = set().union(*map(functions_of, [*GAMES.glob(f"{folder.name}/test_*.py"), *GAMES.glob("test_*.py")]))
    text = path.read_text(encoding="utf-8")
    assert missing_names(text, folder, tests) == []
    assert len(re.findall(r"`\w+\.py:\w+`", text)) > 20


RULINGS = {"red_flag_over_paris": ("R", 32), "levee_en_masse": ("L", 53), "paris": ("P", 48), "revolution": ("V", 24)}


def unproved_rulings(text, letter, last, tests, cited):
    """The rulings that a text leaves out, and those that no test names or cites."""
    numbers = re.findall(rf"^\* \*\*{letter}(\d+)\*\* ", text, re.MULTILINE)
    missing = [f"{letter}{k} is not in the rules" for k in range(1, last + 1) if str(k) not in numbers]
    for k in range(1, last + 1):
        tested = any(test.startswith(f"test_{letter.lower()}{k}_") for test in tests)
        if not tested and not re.search(rf"\b{letter}{k}\b", cited):
            missing.append(f"{letter}{k} has no test")
    return missing


@pytest.mark.parametrize("path", RULES, ids=path_name)
def test_every_ruling_is_in_the_rules_and_has_a_test(path):
    letter, last = RULINGS[path.parent.name]
    text = path.read_text(encoding="utf-8")
    assert len(re.findall(rf"^\* \*\*{letter}\d+\*\* ", text, re.MULTILINE)) == last
    files = list((ROOT / "tests" / "games" / path.parent.name).glob("test_*.py"))
    tests = set().union(*map(functions_of, files))
    cited = " ".join(file.read_text(encoding="utf-8") for file in files)
    assert unproved_rulings(text, letter, last, tests, cited) == []


def has_version(changelog, version):
    return f"## {version}\n" in changelog


def test_the_changelog_has_the_version():
    import rfop_env

    assert has_version((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), rfop_env.__version__)
    assert not has_version("# Changelog\n\n## 0.0.9\n", "0.1.0")
