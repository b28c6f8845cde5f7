"""How long a game can get: the bound that is derived from the cards' Actions and the options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.games.levee_en_masse import component_set, game
from tests.games.eager import play_eagerly

EVERYTHING = {option.name: option.values[-1] for option in game.levee_en_masse().options[2:]}
EVERYTHING |= {"scenario": "extended", "difficulty": "easier", "early_defeats": "off"}
FIGHT = {"restore": 50, "commit": 50, "military": 20, "spirit": 20, "accept": 5, "liberate": 10}


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose cards all give five Actions, against weak armies, so that games last."""
    text = re.sub(r"actions = \d", "actions = 5", component_set.SHIPPED.read_text(encoding="utf-8"))
    path = tmp_path_factory.mktemp("sets") / "busy.toml"
    path.write_text(re.sub(r'(name = ".*"\n)value = \d', r"\1value = 1", text), encoding="utf-8")
    return path


@pytest.mark.many_games
def test_eager_games_stay_within_the_bound(busy: Path) -> None:
    for components in (None, busy):
        settings = {"options": EVERYTHING, "components": components}
        batches = {seed: GameBatch(game.levee_en_masse(), 1, seed, **settings) for seed in (3, 4)}
        longest = max(play_eagerly(batch, seed, FIGHT) for seed, batch in batches.items())
        assert longest <= batches[3].game.spec.max_decisions
    assert longest > game.levee_en_masse().spec.max_decisions, "more than the shipped set allows without options"


def test_the_bound_counts_actions_and_options(busy: Path) -> None:
    def bound(components: Path | None = None, **options: str) -> int:
        return game.levee_en_masse().under(options, component_set.load_components(components)).spec.max_decisions

    shipped = component_set.load_components(None).rows("headline")
    extra = sum(5 - row["actions"] for row in shipped if not row["expansion"])
    assert bound(busy) - bound() == extra
    assert bound(difficulty="easier") - bound() == sum(not row["expansion"] for row in shipped) // 5
    for name in ("levee", "spirit_of_89", "reserves", "commit_order"):
        assert bound(**{name: "on"}) > bound()
    assert bound(scenario="extended") > bound()
