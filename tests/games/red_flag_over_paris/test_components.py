"""The component set of Red Flag Over Paris: the shipped data, the card language, a user's own files."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rfop_env.core.component_file import WrongText, read_component_file
from rfop_env.core.errors import BadComponents, RfopError
from rfop_env.games.red_flag_over_paris import board, card_language, components
from rfop_env.games.red_flag_over_paris.component_set import (
    SCHEMA,
    SHIPPED,
    ComponentSet,
    component_set_of,
    load_components,
)

pytestmark = pytest.mark.plain

Writer = Callable[..., Path]
PARIS_SET, FORTS_SET = 0xE00, 0x1C0


def mask(*places: int) -> int:
    """The set of some places."""
    return sum(1 << place for place in places)


@pytest.fixture(scope="module")
def shipped() -> ComponentSet:
    """The set that the package ships."""
    return load_components()


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Write a user's file and return its path."""

    def writer(text: str | bytes, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return writer


def card(number: object = 3, **changed: object) -> str:
    """A whole, valid strategy card row with some fields changed; None leaves a field out."""
    fields = {
        "number": number,
        "name": '"Brassards"',
        "side": '"Versailles"',
        "points": 1,
        "event": '["place up to 2 in Forts"]',
        "provenance": '"printed"',
    } | changed
    return "[[strategy_card]]\n" + "".join(f"{k} = {v}\n" for k, v in fields.items() if v is not None)


# -- the shipped set ---------------------------------------------------------------------------------------------------


def test_adjacency_of_the_map(shipped: ComponentSet) -> None:
    # For each space, who may act in it: the table of the rulings turned around.
    expected = {
        board.ROYALISTS: mask(board.CATHOLIC_CHURCH, board.PRESS),
        board.NATIONAL_ASSEMBLY: mask(board.ROYALISTS, board.REPUBLICANS),
        board.REPUBLICANS: mask(board.PRESS, board.SOCIAL_MOVEMENTS),
        board.CATHOLIC_CHURCH: mask(board.ROYALISTS, board.PRESS),
        board.PRESS: mask(board.ROYALISTS, board.REPUBLICANS, board.CATHOLIC_CHURCH, board.SOCIAL_MOVEMENTS),
        board.SOCIAL_MOVEMENTS: mask(board.REPUBLICANS, board.PRESS),
        board.MONT_VALERIEN: mask(board.MONTMARTRE, board.VERSAILLES_HQ),
        board.FORT_ISSY: mask(board.VINCENNES, board.BUTTE_CAILLES, board.VERSAILLES_HQ),
        board.VINCENNES: mask(board.FORT_ISSY, board.PERE_LACHAISE, board.OCCUPIED_TERRITORY),
        board.MONTMARTRE: mask(board.MONT_VALERIEN, board.BUTTE_CAILLES, board.PERE_LACHAISE),
        board.BUTTE_CAILLES: mask(board.FORT_ISSY, board.MONTMARTRE, board.PERE_LACHAISE),
        board.PERE_LACHAISE: mask(board.MONTMARTRE, board.BUTTE_CAILLES, board.VINCENNES, board.OCCUPIED_TERRITORY),
    }
    assert dict(enumerate(shipped.record[0]["adjacent"].tolist())) == expected


def test_arrows_point_both_ways_except_at_the_national_assembly(shipped: ComponentSet) -> None:
    adjacent = shipped.record[0]["adjacent"]
    one_way = {
        (a, b)
        for b in range(board.SPACES)
        for a in range(board.SPACES)
        if adjacent[b] >> a & 1 and not adjacent[a] >> b & 1
    }
    assert one_way == {(board.ROYALISTS, board.NATIONAL_ASSEMBLY), (board.REPUBLICANS, board.NATIONAL_ASSEMBLY)}
    assert all(reach >> board.PLACES == 0 for reach in adjacent)


def test_presence_and_isolation(shipped: ComponentSet) -> None:  # R23
    record = shipped.record[0]
    assert record["always_present"].tolist() == [
        mask(board.PERE_LACHAISE, board.SOCIAL_MOVEMENTS),
        mask(board.ROYALISTS),
    ]
    assert record["never_isolated"].tolist() == [
        mask(board.SOCIAL_MOVEMENTS, board.PERE_LACHAISE),
        mask(board.ROYALISTS, board.MONT_VALERIEN, board.FORT_ISSY),
    ]


# -- the card language -------------------------------------------------------------------------------------------------


def columns(operation: int, count: int = 0, spaces: int = 0, flags: int = 0, **others: int) -> tuple[int, ...]:
    condition, argument, option, second = (others.get(n, 0) for n in ("condition", "argument", "option", "second"))
    return operation, count, spaces, flags, condition, argument, option, second


COLUMNS = {
    "place up to 2 in Paris, different spaces": columns(
        components.PLACE, 2, PARIS_SET, components.UP_TO | components.DIFFERENT
    ),
    "option 1: replace 1 in Press or Catholic Church": columns(
        components.REPLACE, 1, mask(board.PRESS, board.CATHOLIC_CHURCH), option=1
    ),
    "may: own momentum +1": columns(components.MOMENTUM, 1, flags=components.MAY),
    "operations up to 3 in military and up to 1 in political": columns(
        components.OPERATIONS_BOTH, 3, board.MILITARY_SPACES, components.UP_TO, second=1
    ),
    "place out of play up to 2 in military, where present": columns(
        components.PLACE_OUT_OF_PLAY, 2, board.MILITARY_SPACES, components.UP_TO | components.WHERE_PRESENT
    ),
    "if own momentum 3: reveal hand": columns(components.REVEAL_HAND, condition=components.IF_OWN_MOMENTUM, argument=3),
    "option 2: if control of Press: may: place disc in Paris, where present": columns(
        components.PLACE_DISC,
        1,
        PARIS_SET,
        components.MAY | components.WHERE_PRESENT,
        condition=components.IF_CONTROL,
        argument=board.PRESS,
        option=2,
    ),
    "move up to 2 from Forts to Paris": columns(components.MOVE, 2, FORTS_SET, components.UP_TO, second=PARIS_SET),
    "use any discard": columns(components.USE_ANY_DISCARD),
}


def test_parse() -> None:
    for sentence, step in COLUMNS.items():
        assert card_language.parse(sentence) == step, sentence
        assert card_language.parse(card_language.write_step(step)) == step, sentence


def test_spelling_does_not_matter() -> None:
    for loose, canonical in [
        ("  PLACE up to 2   in pere lachaise ", "place up to 2 in Père Lachaise"),
        ("place 1 in Fort d\u2019Issy", "place 1 in Fort d'Issy"),
        ("place 1 in MONT VALERIEN", "place 1 in Mont-Valérien"),
        ("own momentum \u22121", "own momentum -1"),
        ("remove 1 in Paris or Père Lachaise", "remove 1 in Paris"),
        ("remove 1 in political or military", "remove 1 in any"),
        ("must: if own momentum 1: option 2: swap card", "option 2: if own momentum 1: must: swap card"),
        ("place 1 in Press, where present, different spaces", "place 1 in Press, different spaces, where present"),
    ]:
        assert card_language.write_step(card_language.parse(loose)) == canonical, (loose, canonical)


def test_shipped_events_round_trip(shipped: ComponentSet) -> None:
    for number in range(1, 54):
        program = shipped.record[0]["program"][number]
        sentences = shipped.event_sentences(number)
        assert card_language.write_event(program) == sentences, number
        assert (card_language.parse_event(sentences) == program).all(), number
        assert 1 <= len(sentences) == np.count_nonzero(program[:, components.STEP_OPERATION]), number
        assert (program[len(sentences) :] == 0).all(), number


def test_every_set_of_spaces_has_a_name_that_reads_back() -> None:
    for spaces in range(1, board.ALL_SPACES + 1):
        assert card_language.parse(f"place 1 in {card_language.scope_name(spaces)}")[components.STEP_SPACES] == spaces


def test_random_rows_round_trip() -> None:
    rng = random.Random(1871)
    for _ in range(500):
        parts = [f"option {rng.randint(1, 3)}", f"if enemy momentum {rng.randint(1, 3)}", rng.choice(["may", "must"])]
        prefixes = [part for part in parts if rng.random() < 0.5]
        scope = " or ".join(rng.choices(list(card_language.SCOPES), k=rng.randint(1, 4)))
        action = (
            f"{rng.choice(list(card_language.CUBE_VERBS))} {rng.choice(['up to ', ''])}{rng.randint(1, 9)} in {scope}"
        )
        step = card_language.parse(
            ": ".join([*prefixes, action]) + rng.choice(["", ", different spaces", ", where present"])
        )
        assert card_language.parse(card_language.write_step(step)) == step


def test_wrong_sentences() -> None:
    for sentence, word, expected in [
        ("place up to 1 in Parys", "parys", "'Paris'"),
        ("place 1 in Paris, diferent spaces", "diferent spaces", "'different spaces'"),
        ("place ten in Paris", "ten", "a number from 1 to 9"),
        ("place up to 1", "up to 1", "'[up to] N in PLACE'"),
        ("own momentum +2", "+2", "+1 or -1"),
        ("swap card now", "now", "nothing after 'swap card'"),
        ("may: must: swap card", "must", "once"),
        ("option 1: option 2: swap card", "option 2", "one option number"),
        ("if control of Versailles HQ: swap card", "versailles hq", "a space"),
        ("if own momentum 1: if own momentum 2: swap card", "if own momentum 2", "one condition"),
        ("place disc in Press", "press", "military spaces only"),
        ("place disc in Paris, different spaces", "different spaces", "no such flag with this verb"),
        ("operations 2 in Paris", "2 in paris", "'up to N in PLACE'"),
        ("operations up to 2 in political and up to 1 in political", "political", "military spaces only"),
        ("", "", "a verb"),
    ]:
        with pytest.raises(WrongText) as caught:
            card_language.parse(sentence)
        assert (caught.value.text, caught.value.word) == (sentence, word), (sentence, word, expected)
        assert expected in caught.value.expected, (sentence, word, expected)
        assert repr(sentence) in str(caught.value), (sentence, word, expected)
        assert isinstance(caught.value, RfopError), (sentence, word, expected)


def test_wrong_programs() -> None:
    for sentences, word in [
        (["option 2: swap card", "option 3: swap card"], "option 2"),
        (["option 1: swap card", "option 3: swap card"], "option 3"),
        (["option 1: swap card", "reveal hand", "option 2: swap card"], "option 2"),
        (["option 1: swap card", "option 2: swap card", "option 1: reveal hand"], "option 1"),
        (["option 1: swap card", "reveal hand"], "option 1"),
        (["reveal hand"] * 9, "row 9"),
    ]:
        with pytest.raises(WrongText) as caught:
            card_language.parse_event(sentences)
        assert caught.value.word == word, (sentences, word)


# -- bad files ---------------------------------------------------------------------------------------------------------

TRACK = '[[track]]\nside = "Commune"\nzone = "{zone}"\ncubes = {cubes}\nbonus = {bonus}\nprovenance = "printed"\n'
OBJECTIVE = (
    '[[objective]]\nnumber = {n}\nname = "{name}"\ntarget = "{target}"\nevent = ["swap card"]\nprovenance = "printed"\n'
)
SPACE = (
    '[[space]]\nname = "Press"\nsphere = "{sphere}"\ndimension = "Public Opinion"\npivotal = {pivotal}\n'
    "reaches = {reaches}\nalways_present = []\nnever_isolated = []\nstart_commune = 1\nstart_versailles = 1\n"
    'provenance = "printed"\n'
)
AID = '[[aid]]\ntable = "place"\nside = "Commune"\nrows = {rows}\nprovenance = "printed"\n'

# text, row, field, part of what was expected, found
BAD_FILES: dict[str, tuple[str | bytes, str, str, str, object]] = {
    "missing field": (card(points=None), "strategy_card 3", "points", "an integer from 1 to 4", None),
    "wrong word in an event": (
        card(event='["swap card", "place 1 in Parys"]'),
        "strategy_card 3",
        "event",
        "a place (did you mean 'Paris' or 'Press' or 'any'?) instead of 'parys'",
        "place 1 in Parys",
    ),
    "disc in a political space": (
        card(event='["place disc in Press"]'),
        "strategy_card 3",
        "event",
        "military spaces only",
        "place disc in Press",
    ),
    "one option only": (
        card(event='["option 1: swap card"]'),
        "strategy_card 3",
        "event",
        "option 2",
        "option 1: swap card",
    ),
    "name of another card": (card(name='"le figaro"'), "strategy_card 3", "name", "strategy_card 5", "le figaro"),
    "third Final Crisis card": (card(final_crisis="true"), "strategy_card 3", "final_crisis", "34 and 17", True),
    "no Final Crisis card": (card(17), "strategy_card 17", "final_crisis", "true", False),
    "Final Crisis card of the enemy": (
        card(34, final_crisis="true"),
        "strategy_card 34",
        "side",
        "'Commune'",
        "Versailles",
    ),
    "target of another objective": (
        OBJECTIVE.format(n=42, name="Cannons", target="Press"),
        "objective 42",
        "target",
        "objective 48",
        "Press",
    ),
    "a cube too many": (
        TRACK.format(zone="Tension", cubes=3, bonus=2),
        "track Commune",
        "cubes",
        "18 cubes of Commune",
        19,
    ),
    "bonus cube over Starting": (
        TRACK.format(zone="Starting", cubes=2, bonus=1),
        "track Commune Starting",
        "bonus",
        "0",
        1,
    ),
    "space in the other sphere": (
        SPACE.format(sphere="military", pivotal="true", reaches="[]"),
        "space Press",
        "sphere",
        "'political'",
        "military",
    ),
    "arrow drawn twice": (
        SPACE.format(sphere="political", pivotal="true", reaches='["Royalists", "Royalists"]'),
        "space Press",
        "reaches",
        "each entry once",
        "Royalists",
    ),
    "condition of another table": (
        AID.format(rows='["certain", "die"]'),
        "aid place Commune",
        "rows",
        "place table",
        "certain",
    ),
    "no die at the end": (
        AID.format(rows='["die", "room"]'),
        "aid place Commune",
        "rows",
        "'die' as the last row",
        "room",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(write: Writer, case: str) -> None:
    text, row, field, expected, problem = BAD_FILES[case]
    path = write(text)
    with pytest.raises(BadComponents) as caught:
        load_components(path)
    error = caught.value
    assert (error.file, error.row, error.field, error.value) == (str(path), row, field, problem)
    assert expected in error.expected
    assert all(part in str(error) for part in (str(path), row, field, error.expected))


@pytest.mark.parametrize(
    ("first", "label"),
    [
        ("[set]\n", "set"),
        ('name = "Press"\n', "space Press"),
        ('name = "Versailles HQ"\n', "place Versailles HQ"),
        ('zone = "Tension"\n', "track Versailles Tension"),
        ("level = 3\ncubes", "momentum_cubes 3"),
        ("level = 0\nplaces", "momentum_pool 0"),
        ("number = 23\n", "strategy_card 23"),
        ("number = 53\n", "objective 53"),
    ],
)
def test_a_base_set_must_be_complete(write: Writer, first: str, label: str) -> None:
    head, tail = SHIPPED.read_text(encoding="utf-8").split(first, 1)
    start = head.rfind("\n[") if not first.startswith("[") else len(head)
    end = tail.find("\n[")
    text = head[:start] + (tail[end:] if end >= 0 else "\n")
    with pytest.raises(BadComponents) as caught:
        component_set_of(read_component_file(write(text), SCHEMA))
    assert (caught.value.row, caught.value.field, caught.value.value) == (label, "row", None)


# -- a user's rows over the shipped ones -------------------------------------------------------------------------------


def test_one_card_of_a_user(shipped: ComponentSet, write: Writer) -> None:
    path = write(card(points=2, side='"Commune"', not_in_solo="true"))
    mine = load_components(str(path))
    own_record, shipped_record = mine.record[0], shipped.record[0]
    assert (mine.card_name(3), mine.card(3).provenance) == ("Brassards", "printed")
    assert mine.event_sentences(3) == ["place up to 2 in Forts"]
    assert (own_record["points"][3], own_record["side"][3], own_record["not_in_solo"][3]) == (2, board.COMMUNE, 1)
    assert own_record["program"][3, 0, components.STEP_SPACES] == FORTS_SET
    unchanged = [n for n in range(components.CARDS) if n != 3]
    assert all(
        (own_record[name][unchanged] == shipped_record[name][unchanged]).all()
        for name in ("points", "side", "program", "target")
    )
    assert mine.name == "reconstruction + mine"
    assert [row["number"] for row in mine.rows("strategy_card")] == list(range(1, 42))
    assert shipped.card_name(3) == "Brassardiers"


def test_targets_may_be_exchanged(write: Writer) -> None:
    text = OBJECTIVE.format(n=42, name="A", target="Press") + OBJECTIVE.format(
        n=48, name="B", target="Butte Montmartre"
    )
    assert load_components(write(text)).record[0]["target"][[42, 48]].tolist() == [board.PRESS, board.MONTMARTRE]


def test_cubes_may_be_moved_along_the_track(write: Writer) -> None:
    text = TRACK.format(zone="Tension", cubes=1, bonus=2) + TRACK.format(zone="Escalation", cubes=3, bonus=2)
    assert load_components(write(text)).record[0]["track"][board.COMMUNE].tolist() == [3, 3, 1, 2]


def test_digest_is_that_of_the_content(shipped: ComponentSet, write: Writer) -> None:
    same = card(
        3, name='"Brassardiers"', event='["PLACE up to 2 in paris, different spaces"]', provenance='"published"'
    )
    assert load_components(write("")).digest == shipped.digest
    assert load_components(write(same, "same.toml")).digest == shipped.digest
    assert load_components(write('[set]\nname = "x"\nversion = 9\n', "named.toml")).digest == shipped.digest
    assert load_components(SHIPPED).digest == shipped.digest
    mine = load_components(write(card(), "mine.toml")).digest
    assert mine != shipped.digest
    assert load_components(write("# again\n" + card(), "again.toml")).digest == mine
    reach = SPACE.format(
        sphere="political",
        pivotal="true",
        reaches='["Social Movements", "Catholic Church", "Republicans", "Royalists"]',
    )
    assert load_components(write(reach, "arrows.toml")).digest == shipped.digest


def test_digest_sees_every_table(shipped: ComponentSet, write: Writer) -> None:
    changed = [
        SPACE.format(sphere="political", pivotal="true", reaches='["Royalists"]'),
        TRACK.format(zone="Tension", cubes=1, bonus=3),
        AID.format(rows='["room", "die"]'),
        '[[momentum_pool]]\nlevel = 1\nplaces = 1\nprovenance = "printed"\n',
        '[[momentum_gift]]\nside = "Commune"\ndimension = "Forts"\nprovenance = "printed"\n',
        '[[place]]\nname = "Versailles HQ"\nreaches = []\nprovenance = "printed"\n',
        OBJECTIVE.format(n=42, name="Paris Cannons", target="Butte Montmartre"),
    ]
    digests = {load_components(write(text, f"{i}.toml")).digest for i, text in enumerate(changed)}
    assert len(digests | {shipped.digest}) == len(changed) + 1
