"""The component set of Levée en Masse: the shipped map, values and Headline cards, and a user's own files."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from tests.games.conftest import Writer

from rfop_env.core.errors import BadComponents, UnknownName
from rfop_env.games.levee_en_masse import board, component_set
from rfop_env.games.levee_en_masse import components as c

pytestmark = pytest.mark.plain


@pytest.fixture(scope="module")
def shipped() -> component_set.ComponentSet:
    """The set that the package ships."""
    return component_set.load_components()


def headline(number: int = 3, **changed: object) -> str:
    """A whole, valid row with some fields changed; None leaves a field out."""
    colour = "blue" if number <= 21 else "white" if number <= 45 else "red"
    fields = {
        "number": number,
        "colour": f'"{colour}"',
        "title": '"Mine"',
        "advance": '["Vendée"]',
        "actions": 3,
        "provenance": '"printed"',
    } | changed
    return "[[headline]]\n" + "".join(f"{k} = {v}\n" for k, v in fields.items() if v is not None)


def space(track: str = "Prussian", box: int = 2, **changed: object) -> str:
    """A whole, valid row of the map."""
    fields = {"name": '"Trier"', "shape": '"round"', "provenance": '"printed"'} | changed
    body = "".join(f"{k} = {v}\n" for k, v in fields.items() if v is not None)
    return f'[[space]]\ntrack = "{track}"\nbox = {box}\n{body}'


def effects(shipped: component_set.ComponentSet, number: int) -> dict[str, int]:
    """What the rules read of a card, without what it does not do."""
    names = {value: name for name, value in vars(c.HEAD).items() if isinstance(value, int)}
    return {names[k]: int(v) for k, v in enumerate(shipped.record[0]["headline"][number]) if v}


def orders(shipped: component_set.ComponentSet, number: int) -> dict[str, list[int]]:
    """The orders of a card, without the armies that it leaves alone: remove, enter, lift, move, rotate."""
    table = shipped.record[0]["army_order"][number]
    return {board.ARMY_NAMES[a]: table[a].tolist() for a in range(board.ARMIES) if table[a].any()}


# -- the shipped set ---------------------------------------------------------------------------------------------------


def test_the_map(shipped: component_set.ComponentSet) -> None:
    record = shipped.record[0]
    assert record["round_space"].tolist() == [
        [0, 0, 0, 1, 1, 0],
        [0, 0, 1, 1, 1, 0],
        [0, 0, 1, 1, 1, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 0, 0],
    ]
    assert (record["round_space"] + record["square_space"]).tolist() == [[0, 1, 1, 1, 1, 0]] * board.TRACKS
    assert record["penalty"][:, 1:3].tolist() == [[3, 1], [3, 0], [3, 0], [3, 1], [1, 1]]
    assert record["penalty"][:, [0, 3, 4, board.START]].sum() == 0
    assert (record["space_value"] == record["round_space"] * np.arange(6)).all()


def test_spaces_that_the_rules_name(shipped: component_set.ComponentSet) -> None:
    assert shipped.space_name(board.BRITISH_TRACK, 4) == "At Sea"  # rules 7.3
    assert shipped.space_name(board.BRITISH_TRACK, 3) == "Dunkirk"  # the naval example
    assert shipped.space_name(board.BRITISH_TRACK, 1) == "Rouen"
    assert shipped.space_name(board.PIEDMONT_TRACK, 1) == "Troyes"  # the barricades example
    assert shipped.space_name(board.AUSTRIAN_TRACK, 1) == "Arras"  # expansion 9.2
    assert shipped.space_name(board.VENDEE_TRACK, 1) == "Versailles"  # expansion 9.1
    assert shipped.space_name(board.AUSTRIAN_TRACK, 2) == "Brussels"  # with Savoy +5 in the historical score
    assert shipped.space_name(board.PIEDMONT_TRACK, 3) == "Savoy"
    assert {shipped.space_name(track, 0) for track in range(board.TRACKS)} == {"Paris"}


def test_sizes_of_the_decks(shipped: component_set.ComponentSet) -> None:
    table = shipped.record[0]["headline"][1:]
    counts = Counter(zip(table[:, c.HEAD.colour].tolist(), table[:, c.HEAD.expansion].tolist(), strict=True))
    assert counts == {
        (board.BLUE, 0): 19,
        (board.WHITE, 0): 17,
        (board.RED, 0): 12,
        (board.BLUE, 1): 2,
        (board.WHITE, 1): 7,
        (board.RED, 1): 3,
    }
    expansion = np.flatnonzero(table[:, c.HEAD.expansion]) + 1
    assert {19, 32, 44, 47, 50, 52} <= set(expansion.tolist())
    assert expansion[-3:].tolist() == [47, 50, 52]
    assert (shipped.record[0]["headline"][0] == 0).all()


def test_published_rows(shipped: component_set.ComponentSet) -> None:
    plain = {"colour": board.BLUE, "actions": 3}
    assert effects(shipped, 1) == plain | {
        "actions": 2, "monarchy": -1, "republic": 1, "political": 1,
    }  # fmt: skip
    assert orders(shipped, 1) == {}
    assert effects(shipped, 9) == plain | {"reaction": 1}
    assert orders(shipped, 9) == {"Prussian": [0, 0, 0, 1, 1], "Vendée": [0, 0, 0, 1, 0]}
    assert effects(shipped, 12) == plain | {"military": -1}
    assert orders(shipped, 12) == {"Prussian": [0, 0, 1, 1, 0]}
    assert effects(shipped, 21) == plain | {"actions": 4, "journee": 1}
    assert set(orders(shipped, 21)) == {"British", "Prussian", "Vendée"}
    assert effects(shipped, 60) == {"colour": board.RED, "actions": 3, "despotism": 1}
    assert orders(shipped, 60) == {name: [1, 0, 0, 0, 0] for name in ("British", "Prussian", "Austrian")}


def test_armies_that_stand_never_move(shipped: component_set.ComponentSet) -> None:  # L40
    assert not shipped.record[0]["army_order"][:, board.SUVOROV :, c.ORDER.move].any()


def test_numbers_follow_the_dates(shipped: component_set.ComponentSet) -> None:
    days = []
    for n in shipped.numbers:
        day, month, year = shipped.card(n).values["date"].split()
        days.append(date(int(year), component_set.MONTHS.index(month) + 1, int(day)))
    assert days == sorted(days)
    assert (days[0], days[-1]) == (date(1789, 6, 20), date(1802, 8, 2))


def test_cards_in_words(shipped: component_set.ComponentSet) -> None:
    assert shipped.numbers == list(range(1, 61))
    assert shipped.card_title(12) == "12 Prussia Invades France! (blue, 30 July 1792, 3 actions; published)"
    assert shipped.event_sentences(12) == [
        "the rotation of the Prussian army is lifted",
        "the Prussian army advances",
        "DRM: Military -1",
    ]
    assert shipped.event_sentences(9)[-2:] == ["the Prussian army is rotated", "Reaction"]
    assert "the Vendée army advances 2 boxes" in shipped.event_sentences(23)
    assert shipped.event_sentences(32)[0] == "British Support is placed at Nantes (box 3), wherever it was"
    assert "the Spanish army enters at Bordeaux (box 4) if it is off the map" in shipped.event_sentences(19)
    assert "Suvorov enters at Piedmont (box 4) if it is off the map" in shipped.event_sentences(50)
    assert shipped.event_sentences(44)[-1] == "Napoleon to the Holding Box"
    assert shipped.event_sentences(20) == [
        "the Vendée army advances",
        "Despotism +1, Monarchy -1",
        "journée: Disorder comes to Paris",
        "DRM: Political -1",
    ]
    assert shipped.event_sentences(60)[0] == "the Austrian army leaves the map"
    with pytest.raises(UnknownName):
        shipped.card(61)


# -- a user's file -----------------------------------------------------------------------------------------------------


def test_a_row_replaces_the_shipped_one_as_a_whole(shipped: component_set.ComponentSet, write: Writer) -> None:
    text = headline(3, politics='["Monarchy +2"]', drms='["British +1", "Restore Order -2"]', retreat='["British"]')
    mine = component_set.load_components(write(text))
    assert effects(mine, 3) == {
        "colour": board.BLUE, "actions": 3, "monarchy": 2, "order": -2,
        "army": board.BRITISH + 1, "army_drm": 1,
    }  # fmt: skip
    assert orders(mine, 3) == {"British": [0, 0, 0, -1, 0], "Vendée": [0, 0, 0, 1, 0]}
    assert mine.card_title(3) == "3 Mine (blue, 3 actions; printed)"
    assert (mine.record[0]["headline"][4] == shipped.record[0]["headline"][4]).all()
    assert mine.name == "reconstruction + mine"


def test_digest_is_that_of_what_is_played(shipped: component_set.ComponentSet, write: Writer) -> None:
    plain = component_set.load_components(write(headline(3, advance='["Vendée", "British"]'), "one.toml"))
    two = component_set.load_components(write(headline(3, advance='["British", "Vendée"]'), "two.toml"))
    assert plain.digest == two.digest != shipped.digest
    published = component_set.load_components(
        write(headline(3, advance='["Vendée", "British"]', published='["title"]'), "told.toml")
    )
    assert published.digest == plain.digest, "what is known of a row is not played"
    assert component_set.load_components(write("", "empty.toml")).digest == shipped.digest


def test_map_and_values_may_be_others(write: Writer) -> None:
    mine = component_set.load_components(write(space(shape='"square"', border='"red"')))
    at = (0, board.PRUSSIAN_TRACK, 2)
    assert [int(mine.record[name][at]) for name in ("square_space", "penalty", "space_value")] == [1, 3, 0]
    assert mine.space_name(board.PRUSSIAN_TRACK, 2) == "Trier"
    text = '[[battle_value]]\nname = "British Support"\nvalue = 5\nprovenance = "printed"\n'
    assert component_set.load_components(write(text, "v.toml")).record[0]["battle_value"][board.BRITISH_SUPPORT] == 5


WRONG = {
    "another colour": (headline(3, colour='"red"'), "headline 3", "colour", "'blue', the colour of number 3"),
    "no such army": (headline(3, advance='["Vendee"]'), "headline 3", "advance", "Vendée"),
    "too many Actions": (headline(3, actions=6), "headline 3", "actions", "from 1 to 5"),
    "no such date": (headline(3, date='"31 June 1790"'), "headline 3", "date", "9 November 1799"),
    "an army with two orders": (headline(3, retreat='["Vendée"]'), "headline 3", "advance", "each army in one of"),
    "a retreat of two boxes": (
        headline(3, retreat='["British", "British"]'), "headline 3", "retreat", "each entry once",
    ),
    "Reaction and more": (headline(3, politics='["Reaction", "Monarchy +1"]'), "headline 3", "politics", "alone"),
    "one marker twice": (
        headline(3, politics='["Monarchy -1", "Monarchy +1"]'), "headline 3", "politics", "one change for each",
    ),
    "two armies": (headline(3, drms='["British +1", "Vendée +1"]'), "headline 3", "drms", "one army at most"),
    "a stationary army on the march": (headline(50, advance='["Suvorov"]'), "headline 50", "advance", "one of the"),
    "rotated and lifted": (
        headline(3, special='["lift the rotation", "rotate the Prussian army"]'), "headline 3", "special", "or",
    ),
    "expansion in the base game": (headline(3, enter='["Spanish at 4"]'), "headline 3", "expansion", "Spanish comes"),
    "Napoleon in the base game": (headline(3, special='["Napoleon"]'), "headline 3", "expansion", "Napoleon comes"),
    "the first card": (headline(22, expansion="true"), "headline 22", "expansion", "of the base game"),
    "a deck of another size": (headline(3, expansion="true"), "headline", "expansion", "19 blue cards of the base"),
    "a marker too many": (headline(3, special='["Liberation marker"]'), "headline", "special", "2 cards of the base"),
    "no Suvorov": (headline(50, expansion="true"), "headline", "enter", "a card that brings Suvorov"),
    "no Napoleon": (headline(44, expansion="true"), "headline", "special", "a card with 'Napoleon'"),
    "a title twice": (headline(3, title='"The Bastille Falls"'), "headline 3", "title", "not that of headline 2"),
    "a hexagon below 5": (space(shape='"start"'), "space Prussian 2", "shape", "'round' or 'square' below box 5"),
    "a round box 5": (space(box=5), "space Prussian 5", "shape", "'start' in box 5"),
    "a border outside France": (space(border='"red"'), "space Prussian 2", "border", "only square spaces"),
    "a name twice": (space(name='"Mainz"'), "space Prussian 2", "name", "not that of space Prussian 3"),
    "Paris as a row": (space(box=0), "space Prussian 0", "box", "from 1 to 5"),
}  # fmt: skip


def test_a_wrong_file_is_refused_with_file_row_and_field(write: Writer, subtests: pytest.Subtests) -> None:
    for case in WRONG:
        with subtests.test(case=case):
            text, row, field, expected = WRONG[case]
            path = write(text)
            with pytest.raises(BadComponents) as caught:
                component_set.load_components(path)
            error = caught.value
            assert (Path(error.file), error.row, error.field) == (path, row, field)
            assert expected in error.expected
