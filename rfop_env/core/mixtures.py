"""Names with numbers, as in `outcome=0.5,margin=0.5`: one grammar for rewards by weight and opponents by share."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from rfop_env.core.errors import BadArgument, shown


def parse_mixture(text: str, argument: str) -> list[tuple[str, str, float | None]]:
    """The parts of a text: each as it stands there, its name, and its number; None where it has none.

    Commas divide. A part with a comma stands in double quotes, or its name does, as in CSV. Raises `BadArgument` for a
    text of several lines and for quotes that do not end; `argument` is its name in the message.
    """
    try:
        parts = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error as error:
        raise BadArgument(f"{argument}: one line of NAME=NUMBER, found {shown(text)} ({error})") from None
    return [(part.strip(), *_name_and_number(part.strip())) for part in parts]


def _name_and_number(part: str) -> tuple[str, float | None]:
    name, equals, number = part.rpartition("=")
    try:
        return (name.strip(), float(number)) if equals else (part, None)
    except ValueError:
        return part, None


def mixture_text(mixture: Mapping[str, float]) -> str:
    """The text that `parse_mixture` reads as these names and numbers."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([f"{name}={_exact(number)}" for name, number in mixture.items()])
    return text.getvalue()


def _exact(number: float) -> str:
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def require_shares(shares: Sequence[float], argument: str) -> None:
    """Raise `BadArgument` unless shares of the games are above 0 and add up to 1; NaN is not."""
    if not all(share > 0 for share in shares) or abs(sum(shares) - 1) > 1e-6:
        figures = ", ".join(f"{share:g}" for share in shares)
        raise BadArgument(f"{argument}: shares are above 0 and add up to 1, found {figures}")
