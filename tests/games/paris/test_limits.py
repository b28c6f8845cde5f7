"""How long a game can get: the bound that is derived from the money that comes into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadComponents
from rfop_env.games.paris import component_set, game, limits
from tests.games.eager import play_eagerly

TRADE = {"buy": 50, "give": 50, "bonus": 5}


def priced(path: Path, sell: int, buy: int) -> Path:
    """A file in which all resources have these prices."""
    row = '[[good]]\nname = "{}"\nsell = {}\nbuy = {}\nprovenance = "printed"\n'
    path.write_text("".join(row.format(name, sell, buy) for name in ("wood", "marble", "gold")), encoding="utf-8")
    return path


@pytest.mark.many_games
@pytest.mark.parametrize("players", [2, 4])
def test_eager_trade_stays_within_the_bound(players: int, tmp_path: Path) -> None:
    """Resources that lose one Franc only when they are bought and sold again."""
    components = priced(tmp_path / "close.toml", 10, 11)
    batch = GameBatch(game.paris(), 1, 3, options={"players": players, "buildings": "variant"}, components=components)
    assert play_eagerly(batch, 3, TRADE) <= batch.game.spec.max_decisions


def test_trade_that_loses_nothing_is_refused(tmp_path: Path) -> None:
    """Nothing but the next move would end it."""
    with pytest.raises(BadComponents) as caught:
        component_set.load_components(priced(tmp_path / "level.toml", 10, 10))
    assert (caught.value.row, caught.value.field) == ("good wood", "buy") and "at least 11" in caught.value.expected


@pytest.mark.many_games
def test_no_game_has_more_money_than_was_counted() -> None:
    batch = GameBatch(game.paris(), 1, 5)
    bound = limits.francs(batch.components.tables, 2)
    while not batch.states["over"][0]:
        batch.step_random()
        assert batch.states["francs"].sum() <= bound


def test_the_bound_grows_with_the_money(tmp_path: Path) -> None:
    shipped = component_set.load_components(None).tables
    rich = component_set.load_components(priced(tmp_path / "rich.toml", 19, 20)).tables
    assert limits.francs(rich, 2) > limits.francs(shipped, 2)
    assert limits.most_decisions(rich, 2) > limits.most_decisions(shipped, 2)
    bounds = [game.paris().under({"players": n}).spec.max_decisions for n in (2, 3, 4)]
    assert bounds == sorted(set(bounds)) and bounds[0] == game.paris().spec.max_decisions
