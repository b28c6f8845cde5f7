"""The component set of Red Flag Over Paris: the shipped data, the card language, a user's own files."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rfop_env.core.component_file import TableField, Table, WrongText, read_component_file
from rfop_env.core.errors import BadComponents, RfopError, UnknownName
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
DECK = [n for n in range(1, components.STRATEGY_CARDS + 1) if n not in components.FINAL_CRISIS_CARD]
PARIS_SET, FORTS_SET, OPINION_SET, INSTITUTIONAL_SET = 0xE00, 0x1C0, 0x038, 0x007


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


def test_record_has_the_declared_type(shipped: ComponentSet) -> None:
    assert shipped.record.shape == (1,)
    assert shipped.record.dtype.fields == components.COMPONENTS.fields
    assert shipped.record.dtype.itemsize == components.COMPONENTS.itemsize
    assert (shipped.name, len(shipped.digest)) == ("reconstruction", 12)


def test_default_is_loaded_once() -> None:
    assert load_components() is load_components(None)


def test_points_and_sides_of_strategy_cards(shipped: ComponentSet) -> None:
    record = shipped.record[0]
    ones, twos, threes = ([*range(1, 9), *range(18, 26)], [*range(9, 17), *range(26, 34)], [*range(35, 42)])
    expected = {n: points for points, numbers in ((1, ones), (2, twos), (3, threes), (4, (17, 34))) for n in numbers}
    assert {n: record["points"][n] for n in range(1, 42)} == expected
    assert (record["points"][[0, *range(42, 54)]] == 0).all()
    assert sorted(np.bincount(record["points"][DECK])[1:]) == [7, 16, 16]
    assert (record["side"][1:18] == board.VERSAILLES).all()
    assert (record["side"][18:35] == board.COMMUNE).all()
    assert (record["side"][35:54] == board.NEUTRAL).all()


def test_six_cards_are_not_in_solo(shipped: ComponentSet) -> None:  # R20
    assert np.flatnonzero(shipped.record[0]["not_in_solo"]).tolist() == [1, 12, 13, 22, 29, 30]


def test_objective_targets(shipped: ComponentSet) -> None:
    assert shipped.record[0]["target"][42:54].tolist() == [
        board.MONTMARTRE,
        board.BUTTE_CAILLES,
        board.PERE_LACHAISE,
        board.FORT_ISSY,
        board.MONT_VALERIEN,
        board.VINCENNES,
        board.PRESS,
        board.CATHOLIC_CHURCH,
        board.SOCIAL_MOVEMENTS,
        board.ROYALISTS,
        board.REPUBLICANS,
        board.NATIONAL_ASSEMBLY,
    ]


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


def test_cubes_at_the_start(shipped: ComponentSet) -> None:
    record = shipped.record[0]
    assert record["track"].tolist() == [[3, 2, 2, 2], [1, 2, 1, 2]]
    assert record["bonus"].tolist() == [[0, 2, 2, 2], [0, 1, 1, 2]]
    assert record["collaboration"].tolist() == [0, 2, 2, 2]
    commune, versailles = record["start_cubes"]
    assert np.flatnonzero(commune).tolist() == [board.PRESS, board.SOCIAL_MOVEMENTS, board.PERE_LACHAISE]
    assert np.flatnonzero(versailles).tolist() == [board.ROYALISTS, board.PRESS]
    assert record["start_cubes"].max() == 1
    sums = record["track"].sum(1) + record["bonus"].sum(1) + record["start_cubes"].sum(1)
    assert (sums[board.COMMUNE], sums[board.VERSAILLES] + record["collaboration"].sum()) == (18, 18)


def test_momentum(shipped: ComponentSet) -> None:  # R7
    record = shipped.record[0]
    assert record["pool_places"].tolist() == [0, 2, 3, 4]
    assert record["gift_dimension"][board.VERSAILLES] == board.PUBLIC_OPINION
    assert record["gift_dimension"][board.COMMUNE] == board.INSTITUTIONAL


def test_aid_tables(shipped: ComponentSet) -> None:
    record = shipped.record[0]
    choose = [*range(components.CHOOSE_NO_CUBES, components.CHOOSE_PLACE + 1)]
    place = [*range(components.SELECT_ROOM, components.SELECT_DIE + 1)]
    remove = [
        components.SELECT_CERTAIN,
        components.SELECT_BREAKS_DIMENSION,
        components.SELECT_ADDS_CONTROL,
        components.SELECT_BREAKS_KEY_CONTROL,
        components.SELECT_BREAKS_CONTROL,
        components.SELECT_ISOLATED,
        components.SELECT_OWN_SPHERE,
        components.SELECT_FEWEST_CUBES,
        components.SELECT_DIE,
    ]
    for column, rows in (("choose_table", choose), ("place_table", place), ("remove_table", remove)):
        for side in (board.COMMUNE, board.VERSAILLES):
            assert record[column][side].tolist() == rows + [0] * (components.AID_ROWS - len(rows))


def test_names_and_provenance(shipped: ComponentSet) -> None:
    assert shipped.card_name(1) == "Jules Ducatel"
    assert shipped.card_name(17) == "Maréchal Mac-Mahon"
    assert shipped.card_name(41) == "Freemason Parade"
    assert shipped.card_name(48) == "Revolution in the Press"
    assert [n for n in range(1, 54) if shipped.provenance(n) == "printed"] == [23, 34, 48]
    assert {shipped.provenance(n) for n in range(1, 54)} == {"printed", "reconstructed"}
    assert len(shipped.rows("objective")) == 12
    assert shipped.rows("momentum_cubes")[0]["provenance"] == "reconstructed"


@pytest.mark.parametrize("number", [0, 54, -1])
def test_unknown_card(shipped: ComponentSet, number: int) -> None:
    with pytest.raises(UnknownName, match="1 to 53"):
        shipped.card_name(number)


def test_unknown_table(shipped: ComponentSet) -> None:
    with pytest.raises(UnknownName, match="strategy_card"):
        shipped.rows("strategy_cards")


def test_changing_returned_rows_leaves_the_set_alone(shipped: ComponentSet) -> None:
    shipped.rows("track")[0]["cubes"] = 99
    assert shipped.rows("track")[0]["cubes"] == 1


# -- the card language -------------------------------------------------------------------------------------------------


def columns(operation: int, count: int = 0, spaces: int = 0, flags: int = 0, **others: int) -> tuple[int, ...]:
    condition, argument, option, second = (others.get(n, 0) for n in ("condition", "argument", "option", "second"))
    return operation, count, spaces, flags, condition, argument, option, second


COLUMNS = {
    "place up to 2 in Paris, different spaces": columns(
        components.PLACE, 2, PARIS_SET, components.UP_TO | components.DIFFERENT
    ),
    "if control of National Assembly: place up to 1 in Public Opinion": columns(
        components.PLACE,
        1,
        OPINION_SET,
        components.UP_TO,
        condition=components.IF_CONTROL,
        argument=board.NATIONAL_ASSEMBLY,
    ),
    "if control of Royalists: place 1 in any": columns(
        components.PLACE, 1, board.ALL_SPACES, condition=components.IF_CONTROL, argument=board.ROYALISTS
    ),
    "option 1: replace 1 in Press or Catholic Church": columns(
        components.REPLACE, 1, mask(board.PRESS, board.CATHOLIC_CHURCH), option=1
    ),
    "may: own momentum +1": columns(components.MOMENTUM, 1, flags=components.MAY),
    "must: own momentum -1": columns(components.MOMENTUM, -1, flags=components.MUST),
    "enemy momentum +1": columns(components.MOMENTUM, 1, second=1),
    "operations up to 3 in Forts": columns(components.OPERATIONS, 3, FORTS_SET, components.UP_TO),
    "operations up to 3 in military and up to 1 in political": columns(
        components.OPERATIONS_BOTH, 3, board.MILITARY_SPACES, components.UP_TO, second=1
    ),
    "place out of play up to 2 in military, where present": columns(
        components.PLACE_OUT_OF_PLAY, 2, board.MILITARY_SPACES, components.UP_TO | components.WHERE_PRESENT
    ),
    "if enemy momentum 2: remove up to 1 in Paris or Public Opinion": columns(
        components.REMOVE,
        1,
        PARIS_SET | OPINION_SET,
        components.UP_TO,
        condition=components.IF_ENEMY_MOMENTUM,
        argument=2,
    ),
    "if own momentum 3: reveal hand": columns(components.REVEAL_HAND, condition=components.IF_OWN_MOMENTUM, argument=3),
    "place disc in Mont-Valérien": columns(components.PLACE_DISC, 1, mask(board.MONT_VALERIEN)),
    "option 2: if control of Press: may: place disc in Paris, where present": columns(
        components.PLACE_DISC,
        1,
        PARIS_SET,
        components.MAY | components.WHERE_PRESENT,
        condition=components.IF_CONTROL,
        argument=board.PRESS,
        option=2,
    ),
    "replace up to 2 in Institutional, different spaces": columns(
        components.REPLACE, 2, INSTITUTIONAL_SET, components.UP_TO | components.DIFFERENT
    ),
    "move up to 2 from Forts to Paris": columns(components.MOVE, 2, FORTS_SET, components.UP_TO, second=PARIS_SET),
    "remove own 1 in Press": columns(components.REMOVE_OWN, 1, mask(board.PRESS)),
    "reveal objective": columns(components.REVEAL_OBJECTIVE),
    "may: swap card": columns(components.SWAP_CARD, flags=components.MAY),
    "use any discard": columns(components.USE_ANY_DISCARD),
    "place 1 in Fort d'Issy or political": columns(components.PLACE, 1, mask(board.FORT_ISSY) | board.POLITICAL_SPACES),
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


def test_every_operation_but_two_is_in_the_shipped_set(shipped: ComponentSet) -> None:
    spaces = set(np.unique(shipped.record[0]["program"][:, :, components.STEP_OPERATION]).tolist())
    assert set(range(components.USE_ANY_DISCARD + 1)) - spaces == {components.MOVE, components.REMOVE_OWN}


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
        ("plce up to 1 in Paris", "plce", "'place'"),
        ("reveal hands", "reveal hands", "'reveal hand'"),
        ("place up to 1 in Parys", "parys", "'Paris'"),
        ("place 1 in Press or Montvalérie", "montvalerie", "'Mont-Valérien'"),
        ("place 1 in Paris, diferent spaces", "diferent spaces", "'different spaces'"),
        ("place ten in Paris", "ten", "a number from 1 to 9"),
        ("place 0 in Paris", "0", "a number from 1 to 9"),
        ("place up to 1", "up to 1", "'[up to] N in PLACE'"),
        ("own momentum +2", "+2", "+1 or -1"),
        ("own momemtum +1", "own momemtum", "'own momentum'"),
        ("swap card now", "now", "nothing after 'swap card'"),
        ("maybe: swap card", "maybe", "'may'"),
        ("may: must: swap card", "must", "once"),
        ("option 4: swap card", "4", "a number from 1 to 3"),
        ("option 1: option 2: swap card", "option 2", "one option number"),
        ("if control of Versailles HQ: swap card", "versailles hq", "a space"),
        ("if controls Press: swap card", "controls press", "a condition"),
        ("if own momentum 4: swap card", "4", "a number from 1 to 3"),
        ("if own momentum 1: if own momentum 2: swap card", "if own momentum 2", "one condition"),
        ("place disc in Press", "press", "military spaces only"),
        ("place disc in any", "any", "military spaces only"),
        ("place disc in Paris, different spaces", "different spaces", "no such flag with this verb"),
        ("swap card, where present", "where present", "no such flag with this verb"),
        ("operations 2 in Paris", "2 in paris", "'up to N in PLACE'"),
        ("operations up to 2 in political and up to 1 in military", "up to 1 in military", "'up to N in political'"),
        ("operations up to 2 in political and up to 1 in political", "political", "military spaces only"),
        ("move 1 in Paris", "1 in paris", "'[up to] N from PLACE to PLACE'"),
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


# One sentence for every word of the language; a word that has none fails below.
SENTENCE_OF_VERB = {
    **{verb: f"{verb} 1 in Paris" for verb in card_language.CUBE_VERBS},
    **{verb: verb for verb in card_language.PLAIN_VERBS},
    **{verb: f"{verb} +1" for verb in card_language.MOMENTUM_VERBS},
    "move": "move 1 from Forts to Paris",
    "place disc": "place disc in Paris",
    "operations": "operations up to 1 in Paris",
}
SENTENCE_OF_PREFIX = {"": "swap card", "OPTION": "1: swap card", "SPACE": "Press: swap card", "LEVEL": "1: swap card"}


def test_every_verb_of_the_table_is_read_as_its_operation() -> None:
    assert set(SENTENCE_OF_VERB) == set(card_language.VERBS)
    for name, verb in card_language.VERBS.items():
        assert card_language.parse(SENTENCE_OF_VERB[name])[components.STEP_OPERATION] == verb.operation


def test_every_operation_but_the_end_has_a_verb() -> None:
    operations = {verb.operation for verb in card_language.VERBS.values()} | {components.OPERATIONS_BOTH}
    assert operations == set(range(components.END + 1, components.USE_ANY_DISCARD + 1))


def test_a_verb_takes_the_flags_of_its_row_alone() -> None:
    for name, flag in product(card_language.VERBS, card_language.FLAGS):
        sentence = f"{SENTENCE_OF_VERB[name]}, {flag}"
        if card_language.FLAGS[flag].value & card_language.VERBS[name].flags:
            assert card_language.parse(sentence)[components.STEP_FLAGS] & card_language.FLAGS[flag].value, (name, flag)
        else:
            with pytest.raises(WrongText, match="no such flag"):
                card_language.parse(sentence)


def test_every_prefix_of_the_table_is_read_and_written() -> None:
    for name in card_language.PREFIXES:
        shape = card_language.PREFIXES[name].shape
        sentence = f"{name}{' ' if shape else ': '}{SENTENCE_OF_PREFIX[shape]}"
        assert (
            card_language.parse(sentence) != card_language.parse("swap card")
            and card_language.write_step(card_language.parse(sentence)) == sentence
        ), name


def test_arguments_of_all_shapes_are_explained() -> None:
    shapes = (
        [verb.shape for verb in card_language.VERBS.values()]
        + [prefix.shape for prefix in card_language.PREFIXES.values()]
        + [card_language.BOTH_SPHERES]
    )
    assert {word for shape in shapes for word in re.findall(r"\b[A-Z]+\b", shape)} == set(card_language.ARGUMENTS)


def test_options_may_have_several_rows_between_common_rows() -> None:
    sentences = ["reveal hand", "option 1: swap card", "option 1: reveal objective", "option 2: swap card", "swap card"]
    assert card_language.parse_event(sentences)[:6, components.STEP_OPTION].tolist() == [0, 1, 1, 2, 0, 0]


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
    "unknown table": ("[[strategy_crd]]\nnumber = 1\n", "file", "table", "'strategy_card'", "strategy_crd"),
    "top-level field": ("points = 1\n", "file", "table", "a known table", "points"),
    "one row unlike many": ("[strategy_card]\nnumber = 1\n", "strategy_card", "table", "[[strategy_card]]", "dict"),
    "a list of numbers": ("track = [1]\n", "track", "table", "[[track]]", "list"),
    "many rows unlike one": ("[[set]]\nname = 'x'\n", "set", "table", "[set]", "list"),
    "unknown field": (card(pionts=2), "strategy_card 3", "pionts", "'points'", "pionts"),
    "missing field": (card(points=None), "strategy_card 3", "points", "an integer from 1 to 4", None),
    "missing provenance": (card(provenance=None), "strategy_card 3", "provenance", "'printed', 'published'", None),
    "missing key": (card() + card(number=None), "strategy_card (row 2 of the file)", "number", "from 1 to 41", None),
    "text for a number": (card(points='"2"'), "strategy_card 3", "points", "an integer from 1 to 4", "2"),
    "true for a number": (card(points="true"), "strategy_card 3", "points", "an integer from 1 to 4", True),
    "float for a number": (card(points="1.0"), "strategy_card 3", "points", "an integer from 1 to 4", 1.0),
    "number for a flag": (card(not_in_solo=1), "strategy_card 3", "not_in_solo", "true or false", 1),
    "text for a list": (card(event='"swap card"'), "strategy_card 3", "event", "a list of texts", "swap card"),
    "number in a list": (card(event='["swap card", 5]'), "strategy_card 3", "event", "entry 2", 5),
    "empty event": (card(event="[]"), "strategy_card 3", "event", "with a length from 1 to 8", []),
    "too many rows": (card(event=["swap card"] * 9), "strategy_card 3", "event", "1 to 8", ["swap card"] * 9),
    "empty name": (card(name='""'), "strategy_card 3", "name", "with a length from 1 to 60", ""),
    "points too high": (card(points=5), "strategy_card 3", "points", "from 1 to 4", 5),
    "points too low": (card(points=0), "strategy_card 3", "points", "from 1 to 4", 0),
    "card number of an objective": (card(42), "strategy_card 42", "number", "from 1 to 41", 42),
    "unknown side": (card(side='"Versaille"'), "strategy_card 3", "side", "'Versailles'", "Versaille"),
    "unknown provenance": (card(provenance='"guessed"'), "strategy_card 3", "provenance", "'printed'", "guessed"),
    "duplicate row": (card() + card(name='"Other"'), "strategy_card 3", "number", "each row once", 3),
    "duplicate double key": (
        2 * TRACK.format(zone="Tension", cubes=2, bonus=2),
        "track Commune Tension",
        "side and zone",
        "each row once",
        ("Commune", "Tension"),
    ),
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
    "name of an objective": (card(name='"Pius IX"'), "strategy_card 3", "name", "objective 49", "Pius IX"),
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
    "target off the map": (
        OBJECTIVE.format(n=42, name="Cannons", target="Mont-Valerien"),
        "objective 42",
        "target",
        "'Mont-Valérien'",
        "Mont-Valerien",
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
    "unknown zone": (
        TRACK.format(zone="Tensions", cubes=2, bonus=2),
        "track Commune Tensions",
        "zone",
        "'Tension'",
        "Tensions",
    ),
    "space in the other sphere": (
        SPACE.format(sphere="military", pivotal="true", reaches="[]"),
        "space Press",
        "sphere",
        "'political'",
        "military",
    ),
    "pivotal space made common": (
        SPACE.format(sphere="political", pivotal="false", reaches="[]"),
        "space Press",
        "pivotal",
        "True",
        False,
    ),
    "arrow to nowhere": (
        SPACE.format(sphere="political", pivotal="true", reaches='["Republican"]'),
        "space Press",
        "reaches",
        "'Republicans'",
        "Republican",
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
    "condition twice": (
        AID.format(rows='["room", "room", "die"]'),
        "aid place Commune",
        "rows",
        "each condition once",
        "room",
    ),
    "no die at the end": (
        AID.format(rows='["die", "room"]'),
        "aid place Commune",
        "rows",
        "'die' as the last row",
        "room",
    ),
    "syntax": (
        '[[strategy_card]]\nnumber = 3\nname = "open\n',
        "line 3",
        "syntax",
        "valid TOML",
        "Illegal character '\\n'",
    ),
    "syntax at the end": (
        "[[strategy_card",
        "line 1",
        "syntax",
        "valid TOML",
        "Expected ']]' at the end of an array declaration",
    ),
    "encoding": (b'# one\nname = "Mar\xe9chal"\n', "line 2", "encoding", "UTF-8", b"\xe9"),
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


def test_missing_file_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(BadComponents) as caught:
        load_components(tmp_path / "none.toml")
    assert (caught.value.field, caught.value.found) == ("path", "no such file")
    assert str(Path.cwd()) in caught.value.expected


def test_folder_lists_the_files_in_it(tmp_path: Path, write: Writer) -> None:
    write(card(), "printed.toml")
    with pytest.raises(BadComponents, match="not a folder") as caught:
        load_components(str(tmp_path))
    assert "printed.toml" in caught.value.expected


def test_unreadable_path() -> None:
    with pytest.raises(BadComponents) as caught:
        load_components("a\0b.toml")
    assert caught.value.field == "path"


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
    assert (caught.value.row, caught.value.field, caught.value.found) == (label, "row", None)


# -- a user's rows over the shipped ones -------------------------------------------------------------------------------


def test_one_card_of_a_user(shipped: ComponentSet, write: Writer) -> None:
    path = write(card(points=2, side='"Commune"', not_in_solo="true"))
    mine = load_components(str(path))
    own_record, shipped_record = mine.record[0], shipped.record[0]
    assert (mine.card_name(3), mine.provenance(3)) == ("Brassards", "printed")
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


def test_a_row_is_replaced_as_a_whole(shipped: ComponentSet, write: Writer) -> None:
    row = card(22, name='"Execution"', side='"Commune"')  # not_in_solo is left out
    assert shipped.record[0]["not_in_solo"][22] == 1
    assert load_components(write(row)).record[0]["not_in_solo"][22] == 0


def test_a_user_names_the_set(write: Writer) -> None:
    mine = load_components(write('[set]\nname = "printed cards"\nversion = 3\n' + card()))
    assert mine.name == "printed cards"
    assert mine.rows("set") == [{"name": "printed cards", "version": 3, "note": ""}]


def test_byte_order_mark_is_accepted(write: Writer) -> None:
    assert load_components(write(b"\xef\xbb\xbf" + card().encode())).card_name(3) == "Brassards"


def test_targets_may_be_exchanged(write: Writer) -> None:
    text = OBJECTIVE.format(n=42, name="A", target="Press") + OBJECTIVE.format(
        n=48, name="B", target="Butte Montmartre"
    )
    assert load_components(write(text)).record[0]["target"][[42, 48]].tolist() == [board.PRESS, board.MONTMARTRE]


def test_cubes_may_be_moved_along_the_track(write: Writer) -> None:
    text = TRACK.format(zone="Tension", cubes=1, bonus=2) + TRACK.format(zone="Escalation", cubes=3, bonus=2)
    assert load_components(write(text)).record[0]["track"][board.COMMUNE].tolist() == [3, 3, 1, 2]


def test_several_levels(write: Writer) -> None:
    base = read_component_file(SHIPPED, SCHEMA)
    first = read_component_file(write(card(3) + card(4, name='"Four"'), "one.toml"), SCHEMA)
    two = read_component_file(write(card(4, name='"Quatre"'), "two.toml"), SCHEMA)
    second = component_set_of(base.overlaid(first).overlaid(two))
    assert (second.card_name(3), second.card_name(4), second.card_name(5)) == ("Brassards", "Quatre", "Le Figaro")
    assert second.name == "reconstruction + one + two"
    assert [Path(second.card(n).file).name for n in (5, 3, 4)] == ["reconstruction.toml", "one.toml", "two.toml"]


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


# -- the reader itself, on a toy schema --------------------------------------------------------------------------------


def test_reader_knows_no_game(write: Writer) -> None:
    schema = (
        Table("tile", ("id",), {"id": TableField("an integer", 0, 99), "kind": TableField(choices=("wood", "gold"))}),
    )
    path = write('[[tile]]\nid = 7\nkind = "gold"\nprovenance = "printed"\n')
    rows = read_component_file(path, schema)
    assert dict(rows.table("tile")[(7,)].values) == {"id": 7, "kind": "gold", "provenance": "printed"}
    assert (rows.name, rows.files, rows.table("tile")[(7,)].label) == ("", (str(path),), "tile 7")
    with pytest.raises(BadComponents) as caught:
        read_component_file(write('[[tile]]\nid = -1\nkind = "gold"\nprovenance = "printed"\n'), schema)
    assert (caught.value.row, caught.value.expected, caught.value.found) == ("tile -1", "an integer from 0 to 99", -1)


def test_dimensions_named_in_scopes_are_those_of_the_board() -> None:
    names = {
        board.INSTITUTIONAL: "Institutional",
        board.PUBLIC_OPINION: "Public Opinion",
        board.FORTS: "Forts",
        board.PARIS: "Paris",
    }
    assert {d: card_language.SCOPES[names[d]] for d in range(board.DIMENSIONS)} == {
        d: 7 << (3 * d) for d in range(board.DIMENSIONS)
    }
