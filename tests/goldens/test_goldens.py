"""Golden playthroughs of every game, replayed line by line.

Each file in this folder holds a seed, options, random legal actions by label, a checksum every 20 decisions over all
observations and masks so far, and results. A change of rules makes a replay fail; where it is meant, it takes a new
version of the environment, and new files:

    python -m tests.goldens.test_goldens
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game
from rfop_env.testing.goldens import record, replay

FOLDER = Path(__file__).parent
GOLDENS: dict[str, tuple[str, int, dict[str, str], int]] = {  # file: environment, seed, options, decisions
    "red_flag_over_paris_two_player_standard": ("RedFlagOverParis-v0", 1871, {"variant": "standard"}, 300),
    "red_flag_over_paris_two_player_censor": ("RedFlagOverParis-v0", 1872, {"variant": "censor"}, 300),
    "red_flag_over_paris_solo_commune": ("RedFlagOverParisSolo-v0", 1873, {"side": "commune"}, 300),
    "red_flag_over_paris_solo_versailles": ("RedFlagOverParisSolo-v0", 1874, {"side": "versailles"}, 300),
    "levee_en_masse_standard": ("LeveeEnMasse-v0", 1789, {}, 300),
    "levee_en_masse_extended": (
        "LeveeEnMasse-v0",
        1790,
        {"scenario": "extended", "reserves": "on", "decisive": "on"},
        300,
    ),
    "levee_en_masse_puree": ("LeveeEnMasse-v0", 1791, {"scenario": "puree", "levee": "on", "spirit_of_89": "on"}, 300),
    "paris_two_players": ("Paris-v0", 1792, {"players": "2"}, 600),
    "paris_four_players": ("Paris-v0", 1793, {"players": "4", "tokens": "random", "bonus_track": "random"}, 900),
    "paris_buildings": ("Paris-v0", 1794, {"players": "3", "buildings": "variant", "screens": "open"}, 900),
    "revolution": ("Revolution-v0", 1795, {}, 200),
}


def path_of(name: str) -> Path:
    """The file of a golden."""
    return FOLDER / f"{name}.txt"


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name):
    """Every line of the file comes out again: actions legal, checksums and results equal."""
    game, _, _, decisions = GOLDENS[name]
    assert replay(path_of(name), game) == decisions


@pytest.mark.parametrize("name", GOLDENS)
def test_a_golden_holds_a_whole_game_of_its_options(name):
    """The file says what it is a playthrough of, and at least one game reaches its end."""
    game, seed, options, _ = GOLDENS[name]
    lines = path_of(name).read_text(encoding="utf-8").splitlines()
    assert lines[:2] == [f"game {game}", f"seed {seed}"]
    assert [line for line in lines if line.startswith("option ")] == [f"option {k} {v}" for k, v in options.items()]
    assert sum(line.startswith("end ") for line in lines) >= 1


def test_no_golden_is_forgotten():
    """The files of the folder are those of the table above: a missing or a stray one fails."""
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(name).name for name in GOLDENS}


@pytest.mark.parametrize("line", ["check", "end", "action"])
def test_a_changed_golden_fails(line, tmp_path):
    """A replay notices a changed checksum, result, or action."""
    lines = path_of("red_flag_over_paris_two_player_standard").read_text(encoding="utf-8").splitlines()
    starts = {"check": "check ", "end": "end ", "action": "commune_0: "}[line]
    number = next(i for i, text in enumerate(lines) if text.startswith(starts) and "every" not in text)
    lines[number] = {"check": "check 0000000000000000", "end": "end running 0 0", "action": "commune_0: done"}[line]
    changed = tmp_path / "changed.txt"
    changed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"changed\.txt"):
        replay(changed)


def main() -> None:
    """Record all goldens anew."""
    for name, (game, seed, options, decisions) in GOLDENS.items():
        assert GameBatch(get_game(game), 1, seed, options=options).faults() == []
        print(record(game, path_of(name), seed=seed, steps=decisions, options=options))


if __name__ == "__main__":
    main()
