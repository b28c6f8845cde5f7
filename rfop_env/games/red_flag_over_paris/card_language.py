"""The language of card events: one sentence per row of an event, to and from the integer columns of `components.py`.

A sentence is an action, with prefixes before it and flags after it: `option 1: may: place 2 in Paris, where present`.
`PREFIXES`, `VERBS` and `FLAGS` are its words, and `ARGUMENTS` is what the words in capitals stand for; parser,
messages and the grammar in `docs/environments.md` come from these tables. Case, accents, hyphens and apostrophes in
names do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.component_file import WrongText
from rfop_env.core.errors import nearest
from rfop_env.games.red_flag_over_paris import board, components

OPTIONS = 3  # exclusive parts of one event
HIGHEST_COUNT = 9


@dataclass(frozen=True)
class Verb:
    """A verb of the language."""

    operation: int
    shape: str  # what follows the verb; the words in capitals are `ARGUMENTS`, the part in brackets may be left out
    meaning: str
    flags: int = 0  # that mean something for it: a disc is one piece, and the other verbs carry their own limits


@dataclass(frozen=True)
class Prefix:
    """A prefix of the language, without its colon."""

    shape: str  # what follows its words, as in `Verb`
    meaning: str


@dataclass(frozen=True)
class Flag:
    """A flag of the language."""

    value: int
    meaning: str


# -- the words ---------------------------------------------------------------------------------------------------------

PREFIXES = {
    "option": Prefix("OPTION", "one option is chosen; rows without a number belong to all options"),
    "may": Prefix("", "the row is optional"),
    "must": Prefix("", "the event can be chosen only if the row can be carried out"),
    "if control of": Prefix("SPACE", "the acting side controls the space"),
    "if own momentum": Prefix("LEVEL", "the momentum of the acting side is at least this"),
    "if enemy momentum": Prefix("LEVEL", "the momentum of the enemy is at least this"),
}

_ANY_FLAG = components.DIFFERENT | components.WHERE_PRESENT
VERBS = {
    "place": Verb(
        components.PLACE,
        "[up to] N in PLACE",
        "places cubes of the acting side from its stock, without presence or adjacency, at most 4 of them in a space",
        _ANY_FLAG,
    ),
    "place out of play": Verb(
        components.PLACE_OUT_OF_PLAY,
        "[up to] N in PLACE",
        "the same, each cube from the supply or from those removed from play, as the acting side chooses",
        _ANY_FLAG,
    ),
    "remove": Verb(components.REMOVE, "[up to] N in PLACE", "removes enemy cubes, without an attempt", _ANY_FLAG),
    "remove own": Verb(components.REMOVE_OWN, "[up to] N in PLACE", "removes cubes of the acting side", _ANY_FLAG),
    "replace": Verb(
        components.REPLACE, "[up to] N in PLACE", "replaces enemy cubes with cubes of the acting side", _ANY_FLAG
    ),
    "move": Verb(components.MOVE, "[up to] N from PLACE to PLACE", "moves cubes of the acting side"),
    "place disc": Verb(
        components.PLACE_DISC,
        "in MILITARY",
        "places one Fortification or Barricade of the acting side",
        components.WHERE_PRESENT,
    ),
    "operations": Verb(
        components.OPERATIONS,
        "up to N in PLACE",
        "gives Operations Points for these spaces, by the rules for operations; not all need be spent",
    ),
    "own momentum": Verb(components.MOMENTUM, "+1 or -1", "moves the momentum marker of the acting side"),
    "enemy momentum": Verb(components.MOMENTUM, "+1 or -1", "moves the momentum marker of the enemy"),
    "reveal hand": Verb(components.REVEAL_HAND, "", "the enemy shows its hand"),
    "reveal objective": Verb(components.REVEAL_OBJECTIVE, "", "the enemy shows its objective"),
    "swap card": Verb(components.SWAP_CARD, "", "exchanges a card of the hand for the top card of the deck"),
    "use any discard": Verb(
        components.USE_ANY_DISCARD,
        "",
        "uses the event of a card of the acting side, or of a neutral card, that was discarded this round",
    ),
}
BOTH_SPHERES = "up to N in MILITARY and up to N in political"  # the other shape of "operations"

FLAGS = {
    "different spaces": Flag(components.DIFFERENT, "each cube in another space"),
    "where present": Flag(components.WHERE_PRESENT, "only in spaces where the acting side is present"),
}

ARGUMENTS = {
    "N": f"a number from 1 to {HIGHEST_COUNT}; without `up to` as many as possible, with it any number from none",
    "PLACE": "names with `or` between them: a space, "
    f"a dimension ({', '.join(board.DIMENSION_NAMES)}), a sphere ({', '.join(board.SPHERE_NAMES)}) or `any`",
    "MILITARY": "a PLACE of military spaces only",
    "SPACE": "the name of a space",
    "LEVEL": f"a number from 1 to {board.MOMENTUM_LIMIT}",
    "OPTION": f"a number from 1 to {OPTIONS}; options are numbered without a gap, their rows stand together",
}

CUBE_VERBS = tuple(name for name, verb in VERBS.items() if verb.shape == "[up to] N in PLACE")
PLAIN_VERBS = tuple(name for name, verb in VERBS.items() if not verb.shape)
MOMENTUM_VERBS = ("own momentum", "enemy momentum")  # STEP_SECOND is the index

# Widest first, so that a set is named with as few words as possible.
SCOPES = {
    "any": board.ALL_SPACES,
    **{name: 0x3F << (6 * i) for i, name in enumerate(board.SPHERE_NAMES)},
    **{name: 7 << (3 * i) for i, name in enumerate(board.DIMENSION_NAMES)},
    **{name: 1 << i for i, name in enumerate(board.SPACE_NAMES)},
}

Step = tuple[int, ...]


def parse(sentence: str) -> Step:
    """The columns of one row; raises `WrongText` with the word that was not understood.

    >>> parse("place up to 2 in Paris, different spaces")
    (1, 2, 3584, 9, 0, 0, 0, 0)
    """
    step = [0] * components.STEP_COLUMNS
    *prefixes, body = (part.strip() for part in _fold(sentence).split(":"))
    action, *flags = (part.strip() for part in body.split(","))
    for prefix in prefixes:
        _read_prefix(sentence, prefix, step)
    verb = _read_action(sentence, action, step)
    for flag in flags:
        _read_flag(sentence, flag, verb, step)
    return tuple(step)


def parse_event(sentences: Sequence[str]) -> NDArray[np.int32]:
    """The program of an event, [MAX_STEPS, STEP_COLUMNS]; unused rows are 0.

    Rows of options stand together and in order; rows before and after them belong to every option.
    """
    program = np.zeros((components.MAX_STEPS, components.STEP_COLUMNS), np.int32)
    if len(sentences) > components.MAX_STEPS:
        raise WrongText(
            sentences[components.MAX_STEPS], f"row {components.MAX_STEPS + 1}", f"at most {components.MAX_STEPS} rows"
        )
    for i, sentence in enumerate(sentences):
        program[i] = parse(sentence)
    _check_options(sentences, [int(option) for option in program[: len(sentences), components.STEP_OPTION]])
    return program


def write_step(step: Sequence[int] | NDArray[np.int32]) -> str:
    """The sentence of a row, in its one canonical spelling.

    >>> write_step(parse("IF control of pere lachaise: may: place disc in butte montmartre or Père-Lachaise"))
    'if control of Père Lachaise: may: place disc in Butte Montmartre or Père Lachaise'
    """
    row = [int(value) for value in step]
    flags = [name for name, flag in FLAGS.items() if row[components.STEP_FLAGS] & flag.value]
    return ": ".join([*_write_prefixes(row), ", ".join([_write_action(row), *flags])])


def write_event(program: NDArray[np.int32]) -> list[str]:
    """The sentences of a whole program, [MAX_STEPS, STEP_COLUMNS]."""
    return [write_step(step) for step in program if step[components.STEP_OPERATION] != components.END]


def canonical(sentences: Sequence[str]) -> list[str]:
    """The same event in the canonical spelling."""
    return write_event(parse_event(sentences))


# -- reading -----------------------------------------------------------------------------------------------------------


def _fold(text: str) -> str:
    """Lower case, no accents, single spaces, plain apostrophes and minus signs."""
    plain = text.replace("\u2019", "'").replace("\u2212", "-")
    letters = (c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return " ".join("".join(letters).casefold().split())


def _name_key(name: str) -> str:
    return re.sub(r"[^a-z]", "", _fold(name))


_SCOPE_KEYS = {_name_key(name): spaces for name, spaces in SCOPES.items()}
_SPACE_KEYS = {_name_key(name): space for space, name in enumerate(board.SPACE_NAMES)}


_MODES = {"may": components.MAY, "must": components.MUST}
_CONDITIONS = {
    "if control of": components.IF_CONTROL,
    "if own momentum": components.IF_OWN_MOMENTUM,
    "if enemy momentum": components.IF_ENEMY_MOMENTUM,
}


def _read_prefix(sentence: str, prefix: str, step: list[int]) -> None:
    name = _prefix_name(prefix)
    argument = prefix.removeprefix(name).strip()
    if name in _MODES:
        if step[components.STEP_FLAGS]:
            raise WrongText(sentence, prefix, "'may' or 'must' once")
        step[components.STEP_FLAGS] = _MODES[name]
    elif name == "option":
        if step[components.STEP_OPTION]:
            raise WrongText(sentence, prefix, "one option number")
        step[components.STEP_OPTION] = _number(sentence, argument, OPTIONS)
    elif name in _CONDITIONS or prefix.startswith("if "):
        _read_condition(sentence, name, argument, prefix, step)
    else:
        raise WrongText(sentence, prefix, f"a prefix ({nearest(prefix, list(PREFIXES))})")


def _prefix_name(prefix: str) -> str:
    """The name of a prefix, "" where there is none of this shape."""
    for name, rule in PREFIXES.items():
        if prefix.startswith(f"{name} ") if rule.shape else prefix == name:
            return name
    return ""


def _read_condition(sentence: str, name: str, argument: str, prefix: str, step: list[int]) -> None:
    if step[components.STEP_CONDITION] != components.ALWAYS:
        raise WrongText(sentence, prefix, "one condition")
    if name not in _CONDITIONS:
        valid = [condition.removeprefix("if ") for condition in _CONDITIONS]
        condition = prefix.removeprefix("if ")
        raise WrongText(sentence, condition, f"a condition ({nearest(condition, valid)})")

    step[components.STEP_CONDITION] = _CONDITIONS[name]
    if name != "if control of":
        step[components.STEP_CONDITION_ARGUMENT] = _number(sentence, argument, board.MOMENTUM_LIMIT)
        return
    if _name_key(argument) not in _SPACE_KEYS:
        raise WrongText(sentence, argument, f"a space ({nearest(argument, list(board.SPACE_NAMES))})")
    step[components.STEP_CONDITION_ARGUMENT] = _SPACE_KEYS[_name_key(argument)]


def _read_action(sentence: str, action: str, step: list[int]) -> Verb:
    verb = _find_verb(sentence, action)
    argument = action.removeprefix(verb).strip()
    step[components.STEP_OPERATION] = VERBS[verb].operation
    if verb in CUBE_VERBS:
        count, scope = _shaped(sentence, argument, VERBS[verb].shape)
        _read_count(sentence, count, step)
        step[components.STEP_SPACES] = _scope(sentence, scope)
    elif verb in PLAIN_VERBS:
        if argument:
            raise WrongText(sentence, argument, f"nothing after '{verb}'")
    elif verb in MOMENTUM_VERBS:
        step[components.STEP_SECOND] = MOMENTUM_VERBS.index(verb)
        step[components.STEP_COUNT] = int(_shaped(sentence, argument, VERBS[verb].shape)[0])
    else:
        {"move": _read_move, "place disc": _read_disc, "operations": _read_operations}[verb](sentence, argument, step)
    return VERBS[verb]


def _find_verb(sentence: str, action: str) -> str:
    """The longest verb that the action begins with."""
    for verb in sorted(VERBS, key=len, reverse=True):
        if f"{action} ".startswith(f"{verb} "):
            return verb
    words = action.split(" ")
    first_is_known = any(verb.split(" ")[0] == words[0] for verb in VERBS)
    word = " ".join(words[:2]) if first_is_known else words[0]
    raise WrongText(sentence, word, f"a verb ({nearest(word, list(VERBS))})")


def _read_move(sentence: str, argument: str, step: list[int]) -> None:
    count, source, destination = _shaped(sentence, argument, VERBS["move"].shape)
    _read_count(sentence, count, step)
    step[components.STEP_SPACES] = _scope(sentence, source)
    step[components.STEP_SECOND] = _scope(sentence, destination)


def _read_disc(sentence: str, argument: str, step: list[int]) -> None:
    step[components.STEP_COUNT] = 1
    scope = _shaped(sentence, argument, VERBS["place disc"].shape)[0]
    step[components.STEP_SPACES] = _military(sentence, scope)  # discs are Fortifications and Barricades


def _read_operations(sentence: str, argument: str, step: list[int]) -> None:
    """Read Operations Points, which are always "up to": not all need be spent (R2)."""
    step[components.STEP_FLAGS] |= components.UP_TO
    count, scope = _shaped(sentence, argument, VERBS["operations"].shape)
    step[components.STEP_COUNT] = _number(sentence, count, HIGHEST_COUNT)
    first, *second_part = scope.split(" and ", maxsplit=1)
    if not second_part:
        step[components.STEP_SPACES] = _scope(sentence, first)
        return

    # Points in both spheres.
    second = _shaped(sentence, second_part[0], BOTH_SPHERES.split(" and ")[1])[0]
    step[components.STEP_OPERATION] = components.OPERATIONS_BOTH
    step[components.STEP_SPACES] = _military(sentence, first)
    step[components.STEP_SECOND] = _number(sentence, second, HIGHEST_COUNT)


def _read_flag(sentence: str, flag: str, verb: Verb, step: list[int]) -> None:
    if flag not in FLAGS:
        raise WrongText(sentence, flag, f"a flag ({nearest(flag, list(FLAGS))})")
    if not FLAGS[flag].value & verb.flags:
        raise WrongText(sentence, flag, "no such flag with this verb")
    step[components.STEP_FLAGS] |= FLAGS[flag].value


def _read_count(sentence: str, count: str, step: list[int]) -> None:
    if count.startswith("up to "):
        step[components.STEP_FLAGS] |= components.UP_TO
    step[components.STEP_COUNT] = _number(sentence, count.removeprefix("up to "), HIGHEST_COUNT)


def _number(sentence: str, word: str, highest: int) -> int:
    if not re.fullmatch(r"[0-9]", word) or not 1 <= int(word) <= highest:
        raise WrongText(sentence, word, f"a number from 1 to {highest}")
    return int(word)


# How a part of a shape is written in a sentence.
_PATTERNS = {
    "[up to] N": r"((?:up to )?\S+)",
    "N": r"(\S+)",
    "PLACE": "(.+)",
    "MILITARY": "(.+)",
    "+1 or -1": "([+-]1)",
}


def _shaped(sentence: str, text: str, shape: str) -> tuple[str, ...]:
    """The arguments of a shape, in order."""
    pattern = re.sub("|".join(map(re.escape, _PATTERNS)), lambda part: _PATTERNS[part[0]], shape)
    match = re.fullmatch(pattern, text)
    if match is None:
        raise WrongText(sentence, text, f"'{shape}'")
    return match.groups()


def _scope(sentence: str, text: str) -> int:
    """The set of spaces that a scope names."""
    spaces = 0
    for name in text.split(" or "):
        if _name_key(name) not in _SCOPE_KEYS:
            raise WrongText(sentence, name, f"a place ({nearest(name, list(SCOPES))})")
        spaces |= _SCOPE_KEYS[_name_key(name)]
    return spaces


def _military(sentence: str, text: str) -> int:
    spaces = _scope(sentence, text)
    if spaces & ~board.MILITARY_SPACES:
        raise WrongText(sentence, text, "military spaces only")
    return spaces


def _check_options(sentences: Sequence[str], options: list[int]) -> None:
    """Options are numbered 1, 2 (, 3) without a gap, their rows together."""
    last = 0
    for i, option in enumerate(options):
        if option and not (last <= option <= last + 1 and (last == 0 or options[i - 1] == last)):
            expected = f"option {min(last + 1, OPTIONS)}, options in one run and in order"
            raise WrongText(sentences[i], f"option {option}", expected)
        last = option or last
    if last == 1:
        raise WrongText(sentences[options.index(1)], "option 1", "an option 2 as well")


# -- writing -----------------------------------------------------------------------------------------------------------


def _write_prefixes(row: list[int]) -> list[str]:
    argument = row[components.STEP_CONDITION_ARGUMENT]
    conditions = {
        components.IF_CONTROL: f"if control of {board.SPACE_NAMES[argument]}",
        components.IF_OWN_MOMENTUM: f"if own momentum {argument}",
        components.IF_ENEMY_MOMENTUM: f"if enemy momentum {argument}",
    }
    prefixes = [f"option {row[components.STEP_OPTION]}"] if row[components.STEP_OPTION] else []
    if row[components.STEP_CONDITION] != components.ALWAYS:
        prefixes.append(conditions[row[components.STEP_CONDITION]])
    return prefixes + [name for name, flag in _MODES.items() if row[components.STEP_FLAGS] & flag]


def _write_action(row: list[int]) -> str:
    operation = row[components.STEP_OPERATION]
    second = row[components.STEP_SECOND]
    political = scope_name(board.POLITICAL_SPACES)
    count = f"{'up to ' if row[components.STEP_FLAGS] & components.UP_TO else ''}{row[components.STEP_COUNT]}"
    where = scope_name(row[components.STEP_SPACES])
    verb = next((name for name in (*CUBE_VERBS, *PLAIN_VERBS) if VERBS[name].operation == operation), "")
    if verb:
        return f"{verb} {count} in {where}" if verb in CUBE_VERBS else verb
    return {
        components.MOVE: f"move {count} from {where} to {scope_name(second)}",
        components.PLACE_DISC: f"place disc in {where}",
        components.OPERATIONS: f"operations {count} in {where}",
        components.OPERATIONS_BOTH: f"operations {count} in {where} and up to {second} in {political}",
        components.MOMENTUM: f"{'enemy' if second else 'own'} momentum {row[components.STEP_COUNT]:+d}",
    }[operation]


def scope_name(spaces: int) -> str:
    """A set of spaces in words, with as few names as possible.

    >>> scope_name(0b111_000_111_001)
    'Royalists or Public Opinion or Paris'
    """
    scopes: list[tuple[int, str]] = []
    for name, scope in SCOPES.items():
        if scope & ~spaces == 0:
            scopes.append((scope, name))
            spaces &= ~scope
    return " or ".join(name for _, name in sorted(scopes))
