"""The block about the language of card events in Red Flag Over Paris, from the tables of its parser."""

from __future__ import annotations

from rfop_env.games.red_flag_over_paris.card_language import ARGUMENTS, BOTH_SPHERES, FLAGS, PREFIXES, VERBS, Verb
from rfop_env.markdown import markdown_table


def grammar() -> str:
    """Prefixes, verbs and flags of the language, and the range of every argument."""
    verbs = [[_code(name, verb.shape), _flags(verb), verb.meaning] for name, verb in VERBS.items()]
    codes = [_code("operations", BOTH_SPHERES), _flags(VERBS["operations"]), "the same, with points for each sphere"]
    verbs.insert(list(VERBS).index("operations") + 1, codes)

    tables = [
        markdown_table(
            ["prefix", "meaning"], ([_code(name, p.shape, end=":"), p.meaning] for name, p in PREFIXES.items())
        ),
        markdown_table(["verb", "flags", "meaning"], verbs),
        markdown_table(["flag", "meaning"], ([_code(name), flag.meaning] for name, flag in FLAGS.items())),
        markdown_table(["word", "stands for"], ([_code(name), text] for name, text in ARGUMENTS.items())),
    ]
    return "\n\n".join(tables)


def _code(*words: str, end: str = "") -> str:
    return f"`{' '.join(filter(None, words))}{end}`"


def _flags(verb: Verb) -> str:
    return ", ".join(_code(name) for name, flag in FLAGS.items() if flag.value & verb.flags) or "-"
