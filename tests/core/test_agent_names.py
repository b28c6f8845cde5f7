"""Names of agents: one grammar, read and written alike, and one of their mixtures."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rfop_env.agent_names import (
    FORMS,
    FUNCTION,
    GUMBEL,
    LANGUAGE_MODEL,
    NAMED,
    RESPONSE,
    ROLLOUT,
    SEARCH,
    AgentSpec,
    NotTyped,
    forms_in_words,
    parse_opponents,
    require_data,
)
from rfop_env.core.errors import BadArgument
from rfop_env.core.mixtures import mixture_text


NUMBERS = st.integers(0, 10**9 - 1).map(str)
PATHS = st.from_regex(r"[a-z_.]{1,6}(/[a-z0-9,=#-]{1,6}){0,2}", fullmatch=True).filter(lambda path: ".py:" not in path)
NETWORKS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "symmetric+"]),
    PATHS,
    st.sampled_from(["", "@1", "@0.5", "@.25", "@2."]),
)
SEARCHES = st.builds(
    "{}-{}{}{}".format,
    st.sampled_from([SEARCH, GUMBEL]),
    st.one_of(NUMBERS, NUMBERS.map("{}s".format), NUMBERS.map("{}.5s".format), NUMBERS.map("{}s-turn".format)),
    st.one_of(st.just(""), NUMBERS.map("x{}".format)),
    st.one_of(
        st.just(""),
        st.just("-random"),
        NETWORKS.map("+{}".format),
        NETWORKS.map("-belief+{}".format),
        NETWORKS.map("-head+{}".format),
    ),
)
FUNCTIONS = st.builds("{}.py:{}".format, PATHS, st.sampled_from(["act", "_f1"]))
SIMPLE = st.one_of(NETWORKS, SEARCHES, FUNCTIONS)
GUIDES = st.builds(
    "{}{}".format, st.sampled_from(["", "-belief", "-head"]), st.one_of(st.just(""), NETWORKS.map("+{}".format))
)
RESPONSES = st.builds("response-{}{}:{}".format, NUMBERS, GUIDES, SIMPLE)
ROLLOUTS = st.builds(
    "rollout-{}{}{}:{}".format, NUMBERS, st.one_of(st.just(""), NUMBERS.map("x{}".format)), GUIDES, SIMPLE
)
MODELS = PATHS.map("language-model --endpoint http://localhost/{} --model a:b+c".format)


@given(st.one_of(SIMPLE, RESPONSES, ROLLOUTS, MODELS, NETWORKS.map("rollout-16x8+{}".format)))
def test_every_form_is_written_as_it_was_read(name):
    assert str(AgentSpec.parse(name)) == name


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_is_a_name_and_none_is_changed(name):
    assert str(AgentSpec.parse(name)) == name


@pytest.mark.parametrize("name", [example for form in FORMS for example in form.examples])
def test_the_examples_have_the_forms_that_they_are_for(name):
    spec = AgentSpec.parse(name)
    assert str(spec) == name and spec.looks_ahead == bool(re.match("(search|gumbel|rollout|response)-", name))
    assert spec.runs_code == any(form.typed and name in form.examples for form in FORMS)
    assert name.split()[0] in forms_in_words(typed=True)
    assert (name in forms_in_words(typed=False)) is not spec.runs_code


def test_parts_of_names():
    spec = AgentSpec.parse("response-100+symmetric+runs/x@0.5:search-2s")
    assert (spec.kind, spec.simulations, spec.seconds) == (RESPONSE, 100, None)
    assert spec.guide == AgentSpec(NAMED, "runs/x", symmetric=True, temperature="0.5")
    assert (spec.opponent.kind, spec.opponent.simulations, spec.opponent.seconds) == (SEARCH, None, 2.0)
    spec = AgentSpec.parse("rollout-16x8:my.py:act")
    assert (spec.kind, spec.budget, spec.length, spec.guide) == (ROLLOUT, "16", "8", None)
    assert spec.opponent == AgentSpec(FUNCTION, "my.py", function="act") and spec.runs_code
    assert AgentSpec.parse("gumbel-100x8-random") == AgentSpec(GUMBEL, budget="100", leaves="8", plain=True)
    assert AgentSpec.parse("language-model --model x").kind == LANGUAGE_MODEL
    for path in ("search-", "search-1e9", "rollout-16", "response-100", "gumbel-1s2", "search-400+", "a.py:b-c"):
        assert AgentSpec.parse(path) == AgentSpec(NAMED, path), path


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(BadArgument, match=r"agent: expected a name, as in random, scripted, .*search-400"):
        AgentSpec.parse(name)


def test_what_runs_a_program_is_no_data():
    require_data(["random", "search-100+runs/x", "-", "mine.act#3f2a1c"])
    for name in ("my.py:act", "language-model --command x", "response-5:my.py:act"):
        with pytest.raises(NotTyped, match="is not started from here"):
            require_data(["random", name])


@given(
    st.dictionaries(st.one_of(SIMPLE, RESPONSES), st.integers(1, 9), min_size=1, max_size=4).map(
        lambda parts: {name: part / sum(parts.values()) for name, part in parts.items()}
    )
)
def test_mixtures_are_read_as_they_are_written(shares):
    parsed = parse_opponents(mixture_text(shares))
    assert parsed == shares and list(parsed) == list(shares)


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("scripted", {"scripted": 1.0}),
        (" scripted = 0.5, runs/a =0.5", {"scripted": 0.5, "runs/a": 0.5}),
        ("runs/rate=0.1", {"runs/rate=0.1": 1.0}),
        ('"runs/a,b"=1', {"runs/a,b": 1.0}),
        ("language-model --model m --temperature=0.5", {"language-model --model m --temperature=0.5": 1.0}),
        ("language-model --model m=0.5,random=0.5", {"language-model --model m": 0.5, "random": 0.5}),
    ],
)
def test_one_name_and_several_with_shares(text, shares):
    assert parse_opponents(text) == shares
