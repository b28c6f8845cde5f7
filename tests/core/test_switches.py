"""Variables of the environment that say yes or no: every common word is understood, any other one is refused."""

import os
import subprocess
import sys

import pytest

from rfop_env.core.arguments import switch
from rfop_env.core.errors import BadArgument

YES = ["1", "true", "True", "YES", "on", " 1 "]
NO = ["0", "false", "False", "NO", "off", ""]


@pytest.mark.parametrize("default", [True, False])
def test_common_words_say_yes_or_no(default, monkeypatch):
    monkeypatch.delenv("RFOP_TEST", raising=False)
    assert switch("RFOP_TEST", default) is default
    for words, meaning in ((YES, True), (NO, False)):
        for word in words:
            monkeypatch.setenv("RFOP_TEST", word)
            assert switch("RFOP_TEST", default) is meaning


@pytest.mark.parametrize("word", ["2", "maybe", "-1", "truee"])
def test_any_other_word_is_refused_with_the_name_of_the_variable(word, monkeypatch):
    monkeypatch.setenv("RFOP_TEST", word)
    with pytest.raises(BadArgument, match=rf"RFOP_TEST is '{word}': set it to 1 .* or 0 "):
        switch("RFOP_TEST", True)


def python(*words, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("RFOP_JIT", "NUMBA_DISABLE_JIT")}
    return subprocess.run([sys.executable, *words], env=environment | variables, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("environment", "jit"),
    [({"RFOP_JIT": "false"}, False), ({"NUMBA_DISABLE_JIT": "1"}, False), ({"NUMBA_DISABLE_JIT": "false"}, True)],
    ids=str,
)
def test_rules_are_compiled_or_not_as_the_environment_says(environment, jit):
    process = python("-c", "from rfop_env.compiler import JIT; print(JIT)", **environment)
    assert process.stdout.strip() == str(jit), process.stderr


def test_a_command_says_in_one_line_what_is_wrong_with_a_variable():
    process = python("-m", "rfop_env", "show", "Revolution-v0", RFOP_JIT="maybe")
    assert process.returncode == 2 and process.stdout == ""
    assert (
        process.stderr.startswith("rfop: the environment variable RFOP_JIT is 'maybe'")
        and process.stderr.count("\n") == 1
    )
