"""Names of who can sit in a seat that no game and no agent has: a person, the random player, a language model."""

from __future__ import annotations

from rfop_env.core.errors import RfopError, printable

PERSON, RANDOM = "person", "random"
LANGUAGE_MODEL = "language-model"  # the first word of its name; its settings follow


class NotTyped(RfopError):
    """A language model or a function of a file, named by a file or by another program."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{printable(name, 60)} is not started from here: name what runs a program on a command line yourself, "
            f"as in rfop play ID --opponent '{LANGUAGE_MODEL} ...'"
        )


def is_language_model(name: str) -> bool:
    """Whether a name is that of a language model: the word alone, or with its settings."""
    return name.split(maxsplit=1)[:1] == [LANGUAGE_MODEL]
