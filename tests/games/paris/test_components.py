"""The component set of Paris: the shipped data, and a user's own files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rfop_env.core.errors import BadComponents, UnknownName
from rfop_env.games.paris import board, component_set, components
from rfop_env.games.paris.component_set import ComponentSet

pytestmark = pytest.mark.plain

Writer = Callable[..., Path]
COPIED = [13, 14, 16, 17, 29, 30]


@pytest.fixture(scope="module")
def shipped() -> ComponentSet:
    """The set that the package ships."""
    return component_set.load_components()


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Write a user's file and return its path."""

    def writer(text: str, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


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


def test_record_has_the_declared_type(shipped: ComponentSet) -> None:
    assert shipped.record.shape == (1,)
    assert shipped.record.dtype.fields == components.COMPONENTS.fields
    assert (shipped.name, len(shipped.digest)) == ("reconstruction", 12)


def test_default_is_loaded_once() -> None:
    assert component_set.load_components() is component_set.load_components(None)


def test_banks_pay_two_to_seven_francs(shipped: ComponentSet) -> None:
    banks = shipped.record[0]["bank"]
    assert sorted(banks.tolist()) == [2, 3, 4, 5, 6, 7]
    assert banks[board.CHAILLOT] == 6


def test_every_district_and_every_value_has_each_type_once(shipped: ComponentSet) -> None:
    types = shipped.record[0]["building_type"].reshape(board.DISTRICTS, board.VALUE_COUNT)
    for line in (*types, *types.T):
        assert sorted(line.tolist()) == list(range(board.BUILDING_TYPES))


def test_resources_of_buildings_and_landmarks(shipped: ComponentSet) -> None:
    resources = shipped.record[0]["resources"]
    by_space = resources[: board.FIRST_LANDMARK].reshape(board.DISTRICTS, board.VALUE_COUNT, 3)
    assert (by_space[:, board.ONE : board.EIGHT] == 0).all()
    assert (by_space[:, board.EIGHT] == (1, 0, 0)).all()
    costs = ["".join(map(str, cost)) for cost in resources[board.FIRST_LANDMARK :].tolist()]
    assert costs == ["100", "010", "110", "001", "020", "011", "002", "003"]


def test_landmarks_rise_in_value(shipped: ComponentSet) -> None:
    assert shipped.record[0]["landmark_value"].tolist() == list(range(9, 9 + board.LANDMARKS))


def test_prestige_sections_of_landmarks(shipped: ComponentSet) -> None:
    goods, vp = shipped.record[0]["section_good"], shipped.record[0]["section_vp"]
    bronze, silver, gold = board.BRONZE + 1, board.SILVER + 1, board.GOLD_PRESTIGE + 1
    assert goods[board.EIFFEL_TOWER].tolist() == [gold] * 3 and vp[board.EIFFEL_TOWER].tolist() == [5, 5, 5]
    assert goods[board.LOUVRE].tolist() == [bronze, silver, gold] and vp[board.LOUVRE].tolist() == [3, 4, 5]
    assert goods[board.OPERA].tolist() == [silver, bronze, 0] and vp[board.OPERA].tolist() == [4, 3, 0]
    assert ((goods == 0) == (vp == 0)).all()


def test_vp_tiles_never_rise(shipped: ComponentSet) -> None:
    tiles = shipped.record[0]["vp_tile"]
    assert tiles[0].tolist() == [20, 10, 5]
    assert (np.diff(tiles, axis=0) <= 0).all() and (np.diff(tiles, axis=1) <= 0).all()


def test_bonus_tiles_make_42_for_four_players(shipped: ComponentSet) -> None:
    copied = shipped.record[0]["copied"]
    assert np.flatnonzero(copied).tolist() == COPIED
    assert 30 + 2 * copied.sum() == 42


def entries(column: np.ndarray) -> dict[int, int]:
    """The entries of a column that are not 0."""
    return {int(i): int(column[i]) for i in np.flatnonzero(column)}


def test_numbers_of_bonus_tiles(shipped: ComponentSet) -> None:
    c = shipped.record[0]
    assert entries(c["bonus_francs"]) == {1: 3, 5: 4, 7: 3, 12: 5, 22: 6}
    assert entries(c["bonus_price"]) == {13: 2, 14: 1}
    assert entries(c["bonus_vp"]) == {6: 2, 7: 1, 11: 3, 15: 4, 18: 5, 26: 6, 27: 1, 28: 7, 29: 8}
    assert [entries(c["bonus_vp_by_players"][:, n]) for n in board.PLAYER_COUNTS] == [
        {20: n - 1, 23: n, 24: n} for n in board.PLAYER_COUNTS
    ]
    assert not c["bonus_vp_by_players"][:, :2].any()
    assert c["types_vp"].tolist() == [0, 0, 0, 0, 10, 15, 20, 25]  # P29
    assert c["steps_back"] == 5


def test_zones_are_thirds_of_the_track(shipped: ComponentSet) -> None:
    assert shipped.record[0]["zone"][1:].tolist() == [0] * 10 + [1] * 10 + [2] * 10


def test_end_game_tiles(shipped: ComponentSet) -> None:
    c = shipped.record[0]
    assert c["end_tiles"].tolist() == [1] * board.GOODS + [3, 1, 2]
    assert c["end_tiles"].sum() == board.END_TILES
    assert entries(c["end_francs"]) == {board.END_FRANCS: 3}
    assert entries(c["end_vp"]) == {board.END_TWO_VP: 2, board.END_ONE_VP: 1}


def test_prices_and_what_players_begin_with(shipped: ComponentSet) -> None:
    c = shipped.record[0]
    assert c["sell_price"].tolist() == [2, 3, 4, 1, 2, 3]
    assert c["buy_price"].tolist() == [4, 5, 6]
    assert c["keys_in_hand"].tolist() == [0, 0, 10, 9, 7]
    assert (c["start_francs"], c["keys_aside"], c["eight_vp"]) == (3, 2, 2)
    assert c["bonus_fee"].tolist() == [0, 0, 2]


def test_tiles_are_told_in_words(shipped: ComponentSet) -> None:
    assert list(shipped.numbers) == list(range(1, 31))
    assert shipped.card_name(1) == "3 Francs"
    assert shipped.card_title(16) == "16 join a rival (zone B, a copy for each player but one; published)"
    assert shipped.event_sentences(26) == ["6 VP for each of your keys on value-5 buildings"]
    assert "10/15/20/25 VP" in shipped.event_sentences(30)[0] and "4/5/6/7" in shipped.event_sentences(30)[0]
    assert shipped.event_sentences(20)[0].startswith("1, 2 or 3 VP")


def test_words_hold_every_number_of_the_tile(shipped: ComponentSet) -> None:
    for number in range(1, 31):
        words = shipped.card_name(number) + " " + shipped.event_sentences(number)[0]
        values = shipped.card(number).values
        assert "{" not in words, number
        assert all(str(values[name]) in words and values[name] for name in component_set.TILE_FIELDS.get(number, ())), (
            number
        )


def test_names_of_tiles_are_told_apart(shipped: ComponentSet) -> None:
    names = [shipped.card_name(n) for n in shipped.numbers]
    assert len(set(names)) == 30
    assert max(map(len, names)) <= 18, "they are drawn on the track"


def test_provenance(shipped: ComponentSet) -> None:
    assert {shipped.provenance(n) for n in shipped.numbers} == {"published"}
    published = [r["name"] for r in shipped.rows("landmark") if r["provenance"] == "published"]
    assert published == ["Eiffel Tower"]
    for table in ("bank", "building", "vp_tile", "zone"):
        assert {r["provenance"] for r in shipped.rows(table)} == {"reconstructed"}


def test_unknown_tile(shipped: ComponentSet) -> None:
    for number in [0, 31, -1]:
        for text in (shipped.card_name, shipped.card_title, shipped.event_sentences, shipped.provenance):
            with pytest.raises(UnknownName, match="1 to 30"):
                text(number)


def test_unknown_table(shipped: ComponentSet) -> None:
    with pytest.raises(UnknownName, match="bonus_tile"):
        shipped.rows("bonus_tiles")


# -- a user's file -----------------------------------------------------------------------------------------------------


def test_a_row_is_laid_over_the_shipped_one(shipped: ComponentSet, write: Writer) -> None:
    mine = component_set.load_components(write(tile(12, '"a purse"', '"take {francs}"', francs=7)))
    assert mine.record[0]["bonus_francs"][12] == 7 and shipped.record[0]["bonus_francs"][12] == 5
    assert (mine.card_name(12), mine.event_sentences(12)) == ("a purse", ["take 7"])
    assert (mine.name, mine.provenance(12), mine.provenance(13)) == ("reconstruction + mine", "printed", "published")
    assert mine.digest != shipped.digest


def test_a_user_names_the_set(shipped: ComponentSet, write: Writer) -> None:
    mine = component_set.load_components(write('[set]\nname = "printed tiles"\nversion = 2\n'))
    assert (mine.name, mine.digest) == ("printed tiles", shipped.digest)


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


def test_landmarks_may_be_worth_anything_that_differs(write: Writer) -> None:
    mine = component_set.load_components(write(landmark(18)))
    assert mine.record[0]["landmark_value"].tolist() == [9, 10, 11, 18, 13, 14, 15, 16]


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


def test_districts_of_the_file_are_those_of_the_board(shipped: ComponentSet) -> None:
    assert tuple(r["district"] for r in shipped.rows("bank")) == board.DISTRICT_NAMES
