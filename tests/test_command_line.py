"""How commands end: with their own status, with a user's mistake, with Ctrl-C."""

from __future__ import annotations

import pytest

from rfop_env.command_line import command
from rfop_env.core.errors import RfopError


def ended(raised=None, **told):
    @command(**told)
    def main(status):
        if raised is not None:
            raise raised
        return status

    return main(1)


@pytest.mark.parametrize(
    ("raised", "told", "status", "said"),
    [
        (None, {}, 1, ""),
        (RfopError("give a number"), {}, 2, "error: give a number\n"),
        (
            PermissionError(13, "not allowed", "out.csv"),
            {"name": "rfop"},
            2,
            "rfop: [Errno 13] not allowed: 'out.csv'\n",
        ),
        (KeyboardInterrupt(), {}, 130, ""),
        (KeyboardInterrupt(), {"stopped": "call it again"}, 130, "call it again\n"),
        (KeyboardInterrupt("saved"), {"stopped": "call it again"}, 130, "saved\n"),
    ],
)
def test_a_command_says_how_it_ended(raised, told, status, said, capsys):
    assert ended(raised, **told) == status
    assert capsys.readouterr() == ("\n" if status == 130 else "", said)


def test_faults_of_the_program_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        ended(ZeroDivisionError())
