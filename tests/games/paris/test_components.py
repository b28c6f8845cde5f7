"""The component set of Paris: the shipped data, and a user's own files."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games.conftest import Writer

from rfop_env.core.errors import BadComponents
from rfop_env.games.paris import board, component_set
from rfop_env.games.paris.component_set import ComponentSet

pytestmark = pytest.mark.plain
COPIED = [13, 14, 16, 17, 29, 30]


@pytest.fixture(scope="module")
def shipped() -> ComponentSet:
    """The set that the package ships."""
    return component_set.load_components()


def row(table: str, **fields: object) -> str:
    """A row of a component file; texts come with their quotes."""
    lines = [f"{name} = {value}" for name, value in fields.items()]
    return "\n".join([f"[[{table}]]", *lines, 'provenance = "printed"', ""])


def building(value: int = 1, kind: str = "café", **fields: object) -> str:
    """A building of Batignolles, where the shipped one of value 1 is the café."""
    return row("building", district='"Batignolles"', value=value, type=f'"{kind}"', **fields)


def tile(number: int, name: str = '"mine"', text: str = '"does something"', **fields: object) -> str:
    """A bonus tile."""
    return row("bonus_tile", number=number, name=name, text=text, **fields)


def landmark(value: int, name: str = "Opéra", prestige: str = "[]", **fields: object) -> str:
    """A landmark; the shipped Opéra lies between 11 and 13."""
    return row("landmark", name=f'"{name}"', value=value, prestige=prestige, **fields)


# -- the shipped set ---------------------------------------------------------------------------------------------------


def test_every_district_and_every_value_has_each_type_once(shipped: ComponentSet) -> None:
    types = shipped.record[0]["building_type"].reshape(board.DISTRICTS, board.VALUE_COUNT)
    for line in (*types, *types.T):
        assert sorted(line.tolist()) == list(range(board.BUILDING_TYPES))


def test_bonus_tiles_make_42_for_four_players(shipped: ComponentSet) -> None:
    copied = shipped.record[0]["copied"]
    assert np.flatnonzero(copied).tolist() == COPIED
    assert 30 + 2 * copied.sum() == 42


def test_words_hold_every_number_of_the_tile(shipped: ComponentSet) -> None:
    for number in range(1, 31):
        words = shipped.card_name(number) + " " + shipped.event_sentences(number)[0]
        values = shipped.card(number).values
        assert "{" not in words, number
        assert all(str(values[name]) in words and values[name] for name in component_set.TILE_FIELDS.get(number, ())), (
            number
        )


# -- a user's file -----------------------------------------------------------------------------------------------------


def test_a_row_is_laid_over_the_shipped_one(shipped: ComponentSet, write: Writer) -> None:
    mine = component_set.load_components(write(tile(12, '"a purse"', '"take {francs}"', francs=7)))
    assert mine.record[0]["bonus_francs"][12] == 7 and shipped.record[0]["bonus_francs"][12] == 5
    assert (mine.card_name(12), mine.event_sentences(12)) == ("a purse", ["take 7"])
    assert mine.name == "reconstruction + mine"
    assert [mine.card(n).provenance for n in (12, 13)] == ["printed", "published"]
    assert mine.digest != shipped.digest


def test_types_may_be_exchanged_within_a_district(write: Writer) -> None:
    mine = component_set.load_components(write(building(1, "hotel") + building(2, "café")))
    assert mine.record[0]["building_type"][:2].tolist() == [1, 0]


def test_a_landmark_of_ones_own(write: Writer) -> None:
    mine = component_set.load_components(write(landmark(12, prestige='["gold  9", "bronze 1"]', gold=2)))
    c = mine.record[0]
    assert c["section_good"][board.OPERA].tolist() == [board.GOLD_PRESTIGE + 1, board.BRONZE + 1, 0]
    assert c["section_vp"][board.OPERA].tolist() == [9, 1, 0]
    assert c["resources"][board.FIRST_LANDMARK + board.OPERA].tolist() == [0, 0, 2]
    assert mine.rows("landmark")[board.OPERA]["prestige"] == ["gold 9", "bronze 1"]


def test_zones_may_be_cut_elsewhere(write: Writer) -> None:
    text = row("zone", name='"A"', first=1, last=12) + row("zone", name='"B"', first=13, last=20)
    assert np.bincount(component_set.load_components(write(text)).record[0]["zone"][1:]).tolist() == [12, 8, 10]


def test_end_game_tiles_may_be_others(write: Writer) -> None:
    text = row("end_game_tile", kind='"francs"', tiles=2, francs=4) + row("end_game_tile", kind='"gold"', tiles=2)
    c = component_set.load_components(write(text)).record[0]
    assert c["end_tiles"][board.END_FRANCS] == c["end_tiles"][board.GOLD] == 2
    assert c["end_francs"][board.END_FRANCS] == 4


def test_digest_sees_every_table(shipped: ComponentSet, write: Writer) -> None:
    changed = [
        row("bank", district='"Chaillot"', francs=5),
        building(8, "residence", wood=2),
        row("bonus_fee", value=3, francs=1),
        landmark(12),
        row("vp_tile", number=6, first=9, second=5, third=2),
        tile(2),
        row("type_set", types=7, vp=30),
        row("zone", name='"A"', first=1, last=9) + row("zone", name='"B"', first=10, last=20),
        row("end_game_tile", kind='"2-vp"', tiles=1, vp=3),
        row("good", name='"silver"', sell=1),
        row("keys", players=4, in_hand=8),
        row("number", name='"start francs"', value=4),
    ]
    digests = {component_set.load_components(write(text, f"{i}.toml")).digest for i, text in enumerate(changed)}
    assert len(digests | {shipped.digest}) == len(changed) + 1


def test_bad_files(write: Writer) -> None:
    """A file is refused with its row, its field, what was expected and the value."""

    def refuse(text: str, label: str, field: str, expected: str, value: object) -> None:
        path = write(text)
        with pytest.raises(BadComponents) as refusal:
            component_set.load_components(path)
        error = refusal.value
        assert (error.row, error.field, error.value) == (label, field, value)
        assert expected in error.expected
        assert error.file == str(path), "the user's file is to blame, not the shipped one"

    # unknown district
    refuse(row("bank", district='"Chaillott"', francs=3), "bank Chaillott", "district", "'Chaillot'", "Chaillott")
    # no such building
    refuse(building(6), "building Batignolles 6", "value", "1, 2, 3, 4, 5, 8", 6)
    # type twice in a district
    refuse(building(1, "hotel"), "building Batignolles 1", "type", "that of building Batignolles 2", "hotel")
    # type of landmarks
    refuse(building(1, "landmark"), "building Batignolles 1", "type", "valid names", "landmark")
    # resources of a small building
    refuse(building(1, wood=1), "building Batignolles 1", "wood", "0: only", 1)
    # landmarks of one value
    refuse(landmark(11), "landmark Opéra", "value", "not that of landmark Grand Palais", 11)
    # prestige of no kind
    refuse(
        landmark(12, prestige='["wood 3"]'), "landmark Opéra", "prestige", "'bronze' or 'silver' or 'gold'", "wood 3"
    )
    # prestige for nothing
    refuse(landmark(12, prestige='["gold"]'), "landmark Opéra", "prestige", "from 1 to 99", "gold")
    # four sections
    refuse(
        landmark(12, prestige='["gold 1", "gold 1", "gold 1", "gold 1"]'),
        "landmark Opéra",
        "prestige",
        "a length from 0 to 3",
        ["gold 1"] * 4,
    )
    # second above first
    refuse(
        row("vp_tile", number=6, first=4, second=5, third=2), "vp_tile 6", "second", "at most 4, the VP of the fir", 5
    )
    # VP tiles that rise
    refuse(row("vp_tile", number=6, first=14, second=5, third=2), "vp_tile 6", "first", "at most 12, as vp_tile 5", 14)
    # a number without use
    refuse(tile(2, vp=3), "bonus_tile 2", "vp", "0: the effect of tile 2", 3)
    # a word for no number
    refuse(tile(1, text='"take {vp}"', francs=3), "bonus_tile 1", "text", "'francs'", "{vp}")
    # a word on a tile without numbers
    refuse(tile(2, name='"{vp}"'), "bonus_tile 2", "name", "no kind", "{vp}")
    # a seventh tile with copies
    refuse(
        tile(2, copied="true"), "bonus_tile", "copied", "6 bonus tiles with copies, for 42 tiles in all (now: 2, 13", 7
    )
    # a gap between zones
    refuse(row("zone", name='"A"', first=1, last=9), "zone B", "first", "10, the space after zone A", 11)
    # a zone of nothing
    refuse(
        row("zone", name='"A"', first=1, last=10)
        + row("zone", name='"B"', first=11, last=5)
        + row("zone", name='"C"', first=6, last=30),
        "zone B",
        "last",
        "at least 11",
        5,
    )
    # a track too short
    refuse(row("zone", name='"C"', first=21, last=29), "zone C", "last", "30: the track has spaces 1 to 30", 29)
    # thirteen End Game tiles
    refuse(row("end_game_tile", kind='"2-vp"', tiles=2, vp=2), "end_game_tile", "tiles", "12 tiles of all kinds", 13)
    # a good that is money
    refuse(row("end_game_tile", kind='"gold"', tiles=1, francs=1), "end_game_tile gold", "francs", "0: this tile is", 1)
    # prestige for sale
    refuse(row("good", name='"bronze"', sell=1, buy=2), "good bronze", "buy", "0: prestige is never", 2)
    # a money machine
    refuse(row("good", name='"wood"', sell=4, buy=3), "good wood", "buy", "at least 5", 3)
    # a free resource
    refuse(row("good", name='"wood"', sell=0, buy=0), "good wood", "buy", "at least 1", 0)
    # keys that nobody has
    refuse(row("keys", players=2, in_hand=11), "keys 2", "in_hand", f"at most {component_set.PLAYER_KEYS - 2}", 11)
    # nothing in hand
    refuse(row("keys", players=2, in_hand=0), "keys 2", "in_hand", "from 1 to 12", 0)
    # unknown number
    refuse(
        row("number", name='"start frances"', value=3),
        "number start frances",
        "name",
        "'start francs'",
        "start frances",
    )
