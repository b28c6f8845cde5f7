"""Golden playthroughs of every game, replayed line by line.

Each file in this folder holds a seed, options, actions by label, a checksum every 20 decisions over all observations
and masks so far, and results. In some all actions are random; in others every seat plays as the scripted player does,
with each of its choices written down, over options in which any two values meet. `surveys/` holds many more games of
the scripted players, one a line, by their seeds:

    seed 17 length=long: 23 decisions, target reached 1 -1, 5f0c...

A change of rules makes a replay fail; where it is meant, it takes a new version of the environment, and new files:

    python -m tests.goldens.test_goldens
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Option
from rfop_env.registry import get_game, list_games
from rfop_env.testing.goldens import ACTION, Playthrough, nonzero_entries, record, replay

FOLDER = Path(__file__).parent


class Golden(NamedTuple):
    """What a file is a playthrough of: `steps` decisions or, where it says so, that many `games`."""

    game: str
    seed: int
    options: dict[str, str]
    steps: int = 0
    games: int | None = None
    player: str | None = None
    stray: float = 1.0  # how often a random action is played instead of the scripted player's


PAIRS = {
    "players": "2",
    "tokens": "random",
    "bonus_track": "random",
    "buildings": "variant",
    "screens": "open",
    "memory": "perfect",
}
RANDOM = {
    "red_flag_over_paris_two_player_standard": Golden("RedFlagOverParis-v1", 1871, {"variant": "standard"}, 300),
    "red_flag_over_paris_two_player_censor": Golden("RedFlagOverParis-v1", 1880, {"variant": "censor"}, 300),
    "red_flag_over_paris_solo_commune": Golden("RedFlagOverParisSolo-v1", 1873, {"side": "commune"}, 300),
    "red_flag_over_paris_solo_versailles": Golden("RedFlagOverParisSolo-v1", 1874, {"side": "versailles"}, 300),
    "levee_en_masse_standard": Golden("LeveeEnMasse-v0", 1789, {}, 300),
    "levee_en_masse_extended": Golden(
        "LeveeEnMasse-v0", 1790, {"scenario": "extended", "reserves": "on", "decisive": "on"}, 300
    ),
    "levee_en_masse_puree": Golden(
        "LeveeEnMasse-v0", 1791, {"scenario": "puree", "levee": "on", "spirit_of_89": "on"}, 300
    ),
    "paris_two_players": Golden("Paris-v0", 1792, {"players": "2"}, 600),
    "paris_four_players": Golden("Paris-v0", 1793, {"players": "4", "tokens": "random", "bonus_track": "random"}, 900),
    "paris_buildings": Golden("Paris-v0", 1794, {"players": "3", "buildings": "variant", "screens": "open"}, 900),
    "revolution": Golden("Revolution-v0", 1795, {}, 200),
    # Of what the others show too seldom: a breach, half of a token, a pair of prestige.
    "red_flag_over_paris_solo_breach": Golden(
        "RedFlagOverParisSolo-v1", 160, {"side": "versailles"}, games=1, player="solo-opponent", stray=0.3
    ),
    "paris_half_tokens": Golden(
        "Paris-v0", 198, {"players": "2", "tokens": "base", "bonus_track": "random"}, games=1, player=None
    ),
    "paris_pairs": Golden("Paris-v0", 129, PAIRS, games=1, player="scripted", stray=0.3),
}

# How many games a file of the scripted player holds, and of the one that strays from its choices.
GAMES = {"Revolution-v0": (4, 4), "RedFlagOverParis-v1": (2, 1), "RedFlagOverParisSolo-v1": (2, 2)}
STRAY = 0.3
CHECK_EVERY = 20  # decisions
SCRIPTED_BEGINNING, RANDOM_BEGINNING = 30, 200  # decisions replayed of a file where nothing is compiled
MOST_STEPS = 300  # of a file of random actions that is replayed there: those of Paris are longer
LONGER_BEGINNINGS = {  # with these, every piece of an observation is shown there
    "red_flag_over_paris_two_player_standard": 220,
    "scripted/levee_en_masse_07": 60,
    "scripted/paris_07": 40,
    "paris_half_tokens": 260,
    "paris_pairs": 160,
}
ALWAYS_ZERO = {  # pieces that one of two games with the same observation has no use for
    "RedFlagOverParis-v1": {"solo"},
    "RedFlagOverParisSolo-v1": {"known_enemy", "known_deck", "used_momentum", "enemy_momentum_cards"},
}


def file_name(name: str) -> str:
    """An id as part of a file's name: `red_flag_over_paris-v0`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def option_rows(options: Sequence[Option]) -> list[dict[str, str]]:
    """Choices of values, one for every option, in which any two values of two options meet at least once.

    Rows are found greedily, always in the same order; a game without options has one empty row.
    """
    every = [
        dict(zip((o.name for o in options), row, strict=True))
        for row in itertools.product(*(o.values for o in options))
    ]
    missing, rows = set().union(*map(option_pairs, every)), list[dict[str, str]]()
    while missing or not rows:
        rows.append(max(every, key=lambda row: len(missing & option_pairs(row))))
        missing -= option_pairs(rows[-1])
    return rows


def option_pairs(row: Mapping[str, str]) -> set[tuple[tuple[str, str], ...]]:
    """The pairs of values that meet in a choice of options; of a single option, its value."""
    return set(itertools.combinations(sorted(row.items()), min(2, len(row)))) - {()}


def scripted_goldens() -> dict[str, Golden]:
    """For every environment and row of options, a file of the scripted player, and one where it strays."""
    names = {}
    for name in list_games():
        game, snake = get_game(name), file_name(name).rsplit("-v", 1)[0]
        games = GAMES.get(name, (1, 1))
        for k, options in enumerate(option_rows(game.options), start=1):
            for player in game.scripted:
                seed = 100 * k
                title = f"scripted/{snake}_{k:02}"
                names[title] = Golden(name, seed, options, games=games[0], player=player.name, stray=0)
                names[title + "_strays"] = Golden(
                    name, seed + 1, options, games=games[1], player=player.name, stray=STRAY
                )
    return names


GOLDENS = RANDOM | scripted_goldens()
SURVEYS = {  # games in the survey of an environment
    "RedFlagOverParis-v1": 200,
    "RedFlagOverParisSolo-v1": 300,
    "LeveeEnMasse-v0": 240,
    "Paris-v0": 72,
    "Revolution-v0": 300,
}
IMPOSSIBLE = {  # ends that the games of one folder do not share: a tie is broken, or the Solo Opponent's
    "RedFlagOverParis-v1": {"tie, which the Solo Opponent wins"},
    "RedFlagOverParisSolo-v1": {"tiebreakers for the Commune", "tiebreakers for Versailles"},
}


def survey_games(name: str) -> Iterator[Golden]:
    """The games of a survey: the rows of options in turn, more and more of them with strays."""
    game = get_game(name)
    rows, player = option_rows(game.options), game.scripted[0].name
    for k in range(SURVEYS[name]):
        yield Golden(name, 5000 + k, rows[k % len(rows)], games=1, player=player, stray=k / SURVEYS[name])


def survey_lines(name: str) -> Iterator[str]:
    """The lines of an environment's survey, one after the other as the games are played."""
    return map(survey_line, survey_games(name))


def survey_line(golden: Golden) -> str:
    """One game in a line: seed, options, decisions, result, and a checksum over all choices and observations."""
    play = Playthrough(get_game(golden.game), golden.seed, golden.options, 1, golden.player)
    header = len(play.lines)
    rng = np.random.Generator(np.random.PCG64(golden.seed))
    while play.games == 0:
        play.go_on(rng, golden.stray)
    words = "".join(f" {name}={value}" for name, value in golden.options.items())
    checksum = hashlib.sha256("\n".join(play.lines[header:]).encode()).hexdigest()[:16]
    return f"seed {golden.seed}{words}: {play.steps} decisions, {play.lines[-1].removeprefix('end ')}, {checksum}"


def check_survey(path: Path, lines: Iterable[str]) -> int:
    """Compare a survey's file with lines made anew, as far as these go; `AssertionError` at the first that differs.

    Returns the number of lines compared. To see where a game went another way, record it: `record(..., seed=...)`.
    """
    compared = 0
    assert path.is_file(), f"no survey {path}"
    golden = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        stands = golden[number - 1] if number <= len(golden) else "nothing"
        assert stands == line, f"{path}:{number}: the file says {stands!r}, the game {line!r}"
        compared = number
    return compared


def survey_path(name: str) -> str:
    """The name of the file of an environment's survey."""
    return f"surveys/{file_name(name)}"


def golden_path(name: str) -> Path:
    """The file of a golden."""
    return FOLDER / f"{name}.txt"


def read_lines(name: str) -> list[str]:
    """The lines of a golden's file."""
    return golden_path(name).read_text(encoding="utf-8").splitlines()


def beginning(name: str) -> int:
    """The decisions of a golden that are replayed where nothing is compiled, if it has so many."""
    default = SCRIPTED_BEGINNING if GOLDENS[name].player else RANDOM_BEGINNING
    return LONGER_BEGINNINGS.get(name, default)


def is_action(line: str) -> bool:
    """Whether a line of a golden holds an action."""
    return ACTION.match(line) is not None


EACH_GOLDEN = [
    pytest.param(name, marks=[pytest.mark.many_games] * (golden.steps > MOST_STEPS)) for name, golden in GOLDENS.items()
]


@pytest.mark.parametrize("name", EACH_GOLDEN)
def test_golden(name):
    """Every line of the file comes out again: actions legal, the scripted player's choices, checksums and results."""
    decisions = GOLDENS[name].steps or sum(map(is_action, read_lines(name)))
    limit = decisions if JIT else min(decisions, beginning(name))
    assert replay(golden_path(name), GOLDENS[name].game, most=limit) == limit


@pytest.mark.many_games
@pytest.mark.parametrize("game", list_games())
def test_every_piece_of_an_observation_is_different_from_0_in_a_golden(game):
    """So a rule that no longer writes one changes a checksum, also where only the beginnings are replayed."""
    names = [name for name, golden in GOLDENS.items() if golden.game == game and golden.steps <= MOST_STEPS]
    checked = {name: beginning(name) // CHECK_EVERY * CHECK_EVERY for name in names}  # decisions up to a checksum
    nonzero = np.any([nonzero_entries(golden_path(name), limit) for name, limit in checked.items()], axis=0)
    pieces = get_game(game).observation.pieces
    starts = np.cumsum([0, *(piece.size for piece in pieces[:-1])])
    flags = np.logical_or.reduceat(nonzero, starts)
    missing = {piece.name for piece, flag in zip(pieces, flags, strict=True) if not flag}
    assert missing == ALWAYS_ZERO.get(game, set())


def test_a_golden_holds_a_whole_game_of_its_options(subtests):
    """The file says what it is a playthrough of, and at least one game reaches its end."""
    for name in GOLDENS:
        with subtests.test(name=name):
            golden, lines = GOLDENS[name], read_lines(name)
            assert lines[:2] == [f"game {golden.game}", f"seed {golden.seed}"]
            options = [line for line in lines if line.startswith("option ")]
            assert options == [f"option {k} {v}" for k, v in golden.options.items()]
            players = [line for line in lines if line.startswith("player ")]
            assert players == [f"player {golden.player}"] * (golden.player is not None)
            ends = sum(line.startswith("end ") for line in lines)
            assert ends >= 1 if golden.games is None else ends == golden.games


@pytest.mark.parametrize("name", SURVEYS)
def test_survey(name):
    """Every game of the scripted player goes as it did."""
    games = SURVEYS[name] if JIT else 1
    assert check_survey(golden_path(survey_path(name)), itertools.islice(survey_lines(name), games)) == games
    assert len(read_lines(survey_path(name))) == SURVEYS[name]


def test_any_two_values_meet_in_rows_of_options():
    rows = option_rows([Option("a", ("1", "2"), ""), Option("b", ("x", "y", "z"), ""), Option("c", ("0", "1"), "")])
    assert (len(rows), rows[0]) == (6, {"a": "1", "b": "x", "c": "0"})


def test_every_environment_has_a_survey():
    assert list(SURVEYS) == list_games()


@pytest.mark.parametrize("game", list_games())
def test_every_way_that_a_game_can_end_is_in_a_golden(game):
    ends = set(re.findall(r"decisions, (.*?)(?: [-\d.e]+)+, ", "\n".join(read_lines(survey_path(game)))))
    for name in (name for name, golden in GOLDENS.items() if golden.game == game):
        ends |= set(re.findall(r"^end (.*?)(?: [-\d.e]+)+$", "\n".join(read_lines(name)), re.MULTILINE))
    assert ends == set(get_game(game).end_reasons[1:]) - IMPOSSIBLE.get(game, set())


def golden_names() -> set[str]:
    """The files that belong into this folder."""
    return {f"{name}.txt" for name in (*GOLDENS, *map(survey_path, SURVEYS))}


def forgotten(folder: Path) -> set[str]:
    """The files of a folder that are in no table, and those of the table that are not there."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.txt")} ^ golden_names()


def test_no_golden_is_forgotten():
    assert forgotten(FOLDER) == set()


def values_that_never_meet(game: str, choices: list[dict[str, str]]) -> set:
    """Pairs of values of options of a game that stand together in none of these choices."""
    options = get_game(game).options
    every = itertools.product(*([(o.name, value) for value in o.values] for o in options))
    return set().union(*(option_pairs(dict(row)) for row in every)) - set().union(*map(option_pairs, choices))


def scripted_options(game: str) -> list[dict[str, str]]:
    """The options of the files in which every seat plays as the scripted player does."""
    return [g.options for g in GOLDENS.values() if g.game == game and g.player and g.stray == 0]


@pytest.mark.parametrize("game", list_games())
def test_any_two_values_of_options_meet_in_a_golden_of_the_scripted_player(game):
    assert scripted_options(game) and values_that_never_meet(game, scripted_options(game)) == set()


def test_a_changed_survey_fails(tmp_path):
    """A replay notices a changed line, a line too few, and a missing file."""
    lines = read_lines(survey_path("Revolution-v0"))
    changed = tmp_path / "changed.txt"
    changed.write_text(lines[0].replace(" decisions", "0 decisions") + "\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"changed\.txt:1: the file says"):
        check_survey(changed, lines)
    changed.write_text(lines[0] + "\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"changed\.txt:2: the file says 'nothing'"):
        check_survey(changed, lines)
    with pytest.raises(AssertionError, match="no survey"):
        check_survey(tmp_path / "nowhere.txt", lines)


def main() -> None:
    """Record all goldens anew."""
    for name, golden in GOLDENS.items():
        game, seed, options, steps, games, player, stray = golden
        assert GameBatch(get_game(game), 1, seed, options=options).problems() == []
        path = golden_path(name)
        path.parent.mkdir(exist_ok=True)
        print(record(game, path, seed=seed, steps=steps, games=games, options=options, player=player, stray=stray))
    for name in SURVEYS:
        path = golden_path(survey_path(name))
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in survey_lines(name)), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
