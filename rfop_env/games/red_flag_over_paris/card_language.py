"""The language of card events: one sentence per row of an event, to and from the integer columns of `components.py`.

    sentence = {prefix ":"} action {"," flag}
    prefix   = "option" 1..3 | "may" | "must"
             | "if control of" space | "if own momentum" 1..3 | "if enemy momentum" 1..3
    action   = ("place" | "place out of play" | "remove" | "replace" | "remove own") ["up to"] N "in" scope
             | "move" ["up to"] N "from" scope "to" scope
             | "place disc in" scope
             | "operations up to" N "in" scope ["and up to" N "in political"]
             | ("own" | "enemy") "momentum" ("+1" | "-1")
             | "reveal hand" | "reveal objective" | "swap card" | "use any discard"
    scope    = name {"or" name}      a space, a dimension, a sphere or "any"
    flag     = "different spaces" | "where present"

Case, accents, hyphens and apostrophes in names do not matter. A count without "up to" is carried out as far as
possible.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.component_file import WrongText
from rfop_env.core.errors import nearest
from rfop_env.games.red_flag_over_paris.board import (
    ALL_SPACES,
    DIMENSION_NAMES,
    MILITARY_SPACES,
    MOMENTUM_LIMIT,
    POLITICAL_SPACES,
    SPACE_NAMES,
    SPHERE_NAMES,
)
from rfop_env.games.red_flag_over_paris.components import (
    ALWAYS,
    DIFFERENT,
    END,
    IF_CONTROL,
    IF_ENEMY_MOMENTUM,
    IF_OWN_MOMENTUM,
    MAX_STEPS,
    MAY,
    MOMENTUM,
    MOVE,
    MUST,
    OPERATIONS,
    OPERATIONS_BOTH,
    PLACE,
    PLACE_DISC,
    PLACE_OUT_OF_PLAY,
    REMOVE,
    REMOVE_OWN,
    REPLACE,
    REVEAL_HAND,
    REVEAL_OBJECTIVE,
    STEP_COLUMNS,
    STEP_CONDITION,
    STEP_CONDITION_ARGUMENT,
    STEP_COUNT,
    STEP_FLAGS,
    STEP_OPERATION,
    STEP_OPTION,
    STEP_SECOND,
    STEP_SPACES,
    SWAP_CARD,
    UP_TO,
    USE_ANY_DISCARD,
    WHERE_PRESENT,
)

OPTIONS = 3  # exclusive parts of one event
HIGHEST_COUNT = 9

CUBE_VERBS = {
    "place out of play": PLACE_OUT_OF_PLAY,
    "place": PLACE,
    "remove own": REMOVE_OWN,
    "remove": REMOVE,
    "replace": REPLACE,
}
PLAIN_VERBS = {
    "reveal hand": REVEAL_HAND,
    "reveal objective": REVEAL_OBJECTIVE,
    "swap card": SWAP_CARD,
    "use any discard": USE_ANY_DISCARD,
}
MOMENTUM_VERBS = {"own momentum": 0, "enemy momentum": 1}
VERBS = (*CUBE_VERBS, *PLAIN_VERBS, *MOMENTUM_VERBS, "move", "place disc", "operations")

FLAGS = {"different spaces": DIFFERENT, "where present": WHERE_PRESENT}
# Which flags mean something for a row: a disc is one piece, and the other verbs carry their own limits.
ALLOWED_FLAGS = {**dict.fromkeys(CUBE_VERBS.values(), DIFFERENT | WHERE_PRESENT), PLACE_DISC: WHERE_PRESENT}

# Widest first, so that a set is named with as few words as possible.
SCOPES = {
    "any": ALL_SPACES,
    **{name: 0x3F << (6 * i) for i, name in enumerate(SPHERE_NAMES)},
    **{name: 7 << (3 * i) for i, name in enumerate(DIMENSION_NAMES)},
    **{name: 1 << i for i, name in enumerate(SPACE_NAMES)},
}

Step = tuple[int, ...]


def parse(sentence: str) -> Step:
    """The columns of one row; raises `WrongText` with the word that was not understood.

    >>> parse("place up to 2 in Paris, different spaces")
    (1, 2, 3584, 9, 0, 0, 0, 0)
    """
    step = [0] * STEP_COLUMNS
    *prefixes, body = (part.strip() for part in _fold(sentence).split(":"))
    action, *flags = (part.strip() for part in body.split(","))
    for prefix in prefixes:
        _read_prefix(sentence, prefix, step)
    _read_action(sentence, action, step)
    for flag in flags:
        _read_flag(sentence, flag, step)
    return tuple(step)


def program_of(sentences: Sequence[str]) -> NDArray[np.int32]:
    """The program of an event, [MAX_STEPS, STEP_COLUMNS]; unused rows are 0.

    Rows of options stand together and in order; rows before and after them belong to every option.
    """
    program = np.zeros((MAX_STEPS, STEP_COLUMNS), np.int32)
    if len(sentences) > MAX_STEPS:
        raise WrongText(sentences[MAX_STEPS], f"row {MAX_STEPS + 1}", f"at most {MAX_STEPS} rows")
    for i, sentence in enumerate(sentences):
        program[i] = parse(sentence)
    _check_options(sentences, [int(option) for option in program[: len(sentences), STEP_OPTION]])
    return program


def sentence_of(step: Sequence[int] | NDArray[np.int32]) -> str:
    """The sentence of a row, in its one canonical spelling.

    >>> sentence_of(parse("IF control of pere lachaise: may: place disc in butte montmartre or Père-Lachaise"))
    'if control of Père Lachaise: may: place disc in Butte Montmartre or Père Lachaise'
    """
    row = [int(value) for value in step]
    flags = [name for name, flag in FLAGS.items() if row[STEP_FLAGS] & flag]
    return ": ".join([*_prefixes_of(row), ", ".join([_action_of(row), *flags])])


def sentences_of(program: NDArray[np.int32]) -> list[str]:
    """The sentences of a whole program, [MAX_STEPS, STEP_COLUMNS]."""
    return [sentence_of(step) for step in program if step[STEP_OPERATION] != END]


def canonical(sentences: Sequence[str]) -> list[str]:
    """The same event in the canonical spelling."""
    return sentences_of(program_of(sentences))


# -- reading -----------------------------------------------------------------------------------------------------------


def _fold(text: str) -> str:
    """Lower case, no accents, single spaces, plain apostrophes and minus signs."""
    plain = text.replace("\u2019", "'").replace("\u2212", "-")
    letters = (c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return " ".join("".join(letters).casefold().split())


def _name_key(name: str) -> str:
    return re.sub(r"[^a-z]", "", _fold(name))


_SCOPE_KEYS = {_name_key(name): spaces for name, spaces in SCOPES.items()}
_SPACE_KEYS = {_name_key(name): space for space, name in enumerate(SPACE_NAMES)}


def _read_prefix(sentence: str, prefix: str, step: list[int]) -> None:
    if prefix in ("may", "must"):
        if step[STEP_FLAGS]:
            raise WrongText(sentence, prefix, "'may' or 'must' once")
        step[STEP_FLAGS] = MAY if prefix == "may" else MUST
    elif prefix.startswith("option "):
        if step[STEP_OPTION]:
            raise WrongText(sentence, prefix, "one option number")
        step[STEP_OPTION] = _number(sentence, prefix.removeprefix("option "), OPTIONS)
    elif prefix.startswith("if "):
        _read_condition(sentence, prefix.removeprefix("if "), step)
    else:
        valid = ["may", "must", "option 1", "if control of", "if own momentum", "if enemy momentum"]
        raise WrongText(sentence, prefix, f"a prefix ({nearest(prefix, valid)})")


def _read_condition(sentence: str, condition: str, step: list[int]) -> None:
    if step[STEP_CONDITION] != ALWAYS:
        raise WrongText(sentence, f"if {condition}", "one condition")
    for words, kind in (("own momentum ", IF_OWN_MOMENTUM), ("enemy momentum ", IF_ENEMY_MOMENTUM)):
        if condition.startswith(words):
            level = _number(sentence, condition.removeprefix(words), MOMENTUM_LIMIT)
            step[STEP_CONDITION] = kind
            step[STEP_CONDITION_ARGUMENT] = level
            return
    if not condition.startswith("control of "):
        valid = ["control of", "own momentum", "enemy momentum"]
        raise WrongText(sentence, condition, f"a condition ({nearest(condition, valid)})")
    name = condition.removeprefix("control of ")
    if _name_key(name) not in _SPACE_KEYS:
        raise WrongText(sentence, name, f"a space ({nearest(name, list(SPACE_NAMES))})")
    step[STEP_CONDITION] = IF_CONTROL
    step[STEP_CONDITION_ARGUMENT] = _SPACE_KEYS[_name_key(name)]


def _read_action(sentence: str, action: str, step: list[int]) -> None:
    verb = _verb_of(sentence, action)
    rest = action.removeprefix(verb).strip()
    if verb in CUBE_VERBS:
        step[STEP_OPERATION] = CUBE_VERBS[verb]
        count, scope = _shaped(sentence, rest, r"((?:up to )?\S+) in (.+)", "'[up to] N in PLACE'")
        _read_count(sentence, count, step)
        step[STEP_SPACES] = _scope(sentence, scope)
    elif verb in PLAIN_VERBS:
        step[STEP_OPERATION] = PLAIN_VERBS[verb]
        if rest:
            raise WrongText(sentence, rest, f"nothing after '{verb}'")
    elif verb in MOMENTUM_VERBS:
        step[STEP_OPERATION] = MOMENTUM
        step[STEP_SECOND] = MOMENTUM_VERBS[verb]
        step[STEP_COUNT] = int(_shaped(sentence, rest, r"([+-]1)", "+1 or -1")[0])
    else:
        {"move": _read_move, "place disc": _read_disc, "operations": _read_operations}[verb](sentence, rest, step)


def _verb_of(sentence: str, action: str) -> str:
    """The longest verb that the action begins with."""
    for verb in sorted(VERBS, key=len, reverse=True):
        if f"{action} ".startswith(f"{verb} "):
            return verb
    words = action.split(" ")
    first_is_known = any(verb.split(" ")[0] == words[0] for verb in VERBS)
    word = " ".join(words[:2]) if first_is_known else words[0]
    raise WrongText(sentence, word, f"a verb ({nearest(word, list(VERBS))})")


def _read_move(sentence: str, rest: str, step: list[int]) -> None:
    step[STEP_OPERATION] = MOVE
    shape = r"((?:up to )?\S+) from (.+) to (.+)"
    count, source, destination = _shaped(sentence, rest, shape, "'[up to] N from PLACE to PLACE'")
    _read_count(sentence, count, step)
    step[STEP_SPACES] = _scope(sentence, source)
    step[STEP_SECOND] = _scope(sentence, destination)


def _read_disc(sentence: str, rest: str, step: list[int]) -> None:
    step[STEP_OPERATION] = PLACE_DISC
    step[STEP_COUNT] = 1
    scope = _shaped(sentence, rest, r"in (.+)", "'in PLACE'")[0]
    step[STEP_SPACES] = _military(sentence, scope)  # discs are Fortifications and Barricades


def _read_operations(sentence: str, rest: str, step: list[int]) -> None:
    """Read Operations Points, which are always "up to": not all need be spent (R2)."""
    step[STEP_OPERATION] = OPERATIONS
    step[STEP_FLAGS] |= UP_TO
    count, scope = _shaped(sentence, rest, r"up to (\S+) in (.+)", "'up to N in PLACE'")
    step[STEP_COUNT] = _number(sentence, count, HIGHEST_COUNT)
    first, *more = scope.split(" and ", maxsplit=1)
    if not more:
        step[STEP_SPACES] = _scope(sentence, first)
        return
    second = _shaped(sentence, more[0], r"up to (\S+) in political", "'up to N in political'")[0]
    step[STEP_OPERATION] = OPERATIONS_BOTH
    step[STEP_SPACES] = _military(sentence, first)
    step[STEP_SECOND] = _number(sentence, second, HIGHEST_COUNT)


def _read_flag(sentence: str, flag: str, step: list[int]) -> None:
    if flag not in FLAGS:
        raise WrongText(sentence, flag, f"a flag ({nearest(flag, list(FLAGS))})")
    if not FLAGS[flag] & ALLOWED_FLAGS.get(step[STEP_OPERATION], 0):
        raise WrongText(sentence, flag, "no such flag with this verb")
    step[STEP_FLAGS] |= FLAGS[flag]


def _read_count(sentence: str, count: str, step: list[int]) -> None:
    if count.startswith("up to "):
        step[STEP_FLAGS] |= UP_TO
    step[STEP_COUNT] = _number(sentence, count.removeprefix("up to "), HIGHEST_COUNT)


def _number(sentence: str, word: str, highest: int) -> int:
    if not re.fullmatch(r"[0-9]", word) or not 1 <= int(word) <= highest:
        raise WrongText(sentence, word, f"a number from 1 to {highest}")
    return int(word)


def _shaped(sentence: str, rest: str, shape: str, expected: str) -> tuple[str, ...]:
    found = re.fullmatch(shape, rest)
    if found is None:
        raise WrongText(sentence, rest, expected)
    return found.groups()


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
    if spaces & ~MILITARY_SPACES:
        raise WrongText(sentence, text, "military spaces only")
    return spaces


def _check_options(sentences: Sequence[str], options: list[int]) -> None:
    """Options are numbered 1, 2 (, 3) without a gap, their rows together."""
    last = 0
    for i, option in enumerate(options):
        if option and not (last <= option <= last + 1 and (last == 0 or options[i - 1] == last)):
            wanted = f"option {min(last + 1, OPTIONS)}, options in one run and in order"
            raise WrongText(sentences[i], f"option {option}", wanted)
        last = option or last
    if last == 1:
        raise WrongText(sentences[options.index(1)], "option 1", "an option 2 as well")


# -- writing -----------------------------------------------------------------------------------------------------------


def _prefixes_of(row: list[int]) -> list[str]:
    argument = row[STEP_CONDITION_ARGUMENT]
    conditions = {
        IF_CONTROL: f"if control of {SPACE_NAMES[argument]}",
        IF_OWN_MOMENTUM: f"if own momentum {argument}",
        IF_ENEMY_MOMENTUM: f"if enemy momentum {argument}",
    }
    prefixes = [f"option {row[STEP_OPTION]}"] if row[STEP_OPTION] else []
    prefixes += [conditions[row[STEP_CONDITION]]] if row[STEP_CONDITION] != ALWAYS else []
    return prefixes + [name for name, flag in (("may", MAY), ("must", MUST)) if row[STEP_FLAGS] & flag]


def _action_of(row: list[int]) -> str:
    operation = row[STEP_OPERATION]
    second = row[STEP_SECOND]
    count = f"{'up to ' if row[STEP_FLAGS] & UP_TO else ''}{row[STEP_COUNT]}"
    where = scope_name(row[STEP_SPACES])
    verbs = {number: verb for verb, number in (CUBE_VERBS | PLAIN_VERBS).items()}
    if operation in PLAIN_VERBS.values():
        return verbs[operation]
    if operation in CUBE_VERBS.values():
        return f"{verbs[operation]} {count} in {where}"
    return {
        MOVE: f"move {count} from {where} to {scope_name(second)}",
        PLACE_DISC: f"place disc in {where}",
        OPERATIONS: f"operations {count} in {where}",
        OPERATIONS_BOTH: f"operations {count} in {where} and up to {second} in {scope_name(POLITICAL_SPACES)}",
        MOMENTUM: f"{'enemy' if second else 'own'} momentum {row[STEP_COUNT]:+d}",
    }[operation]


def scope_name(spaces: int) -> str:
    """A set of spaces in words, with as few names as possible.

    >>> scope_name(0b111_000_111_001)
    'Royalists or Public Opinion or Paris'
    """
    named: list[tuple[int, str]] = []
    for name, scope in SCOPES.items():
        if scope & ~spaces == 0:
            named.append((scope, name))
            spaces &= ~scope
    return " or ".join(name for _, name in sorted(named))
