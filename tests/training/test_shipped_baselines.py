"""The baselines of the repository: small, complete, as strong as their metadata say, and in the documentation."""

from __future__ import annotations

import pytest

import rfop_agents
from rfop_agents import baselines
from rfop_env.registry import get_game
from rfop_training.evaluation.rows import PUBLISHED
from training.research.publishing import baselines as publishing

NAMES = baselines.all_names()


@pytest.mark.parametrize("name", NAMES)
def test_a_baseline_is_small_and_its_metadata_complete(name):
    metadata = baselines.read_metadata(name)
    assert baselines.baseline_path(name).stat().st_size <= baselines.MOST_BYTES
    assert all(score.games >= PUBLISHED for score in metadata.headline)
    assert (
        name in rfop_agents.names(get_game(metadata.env))
        and rfop_agents.load(name, get_game(metadata.env)).name == name
    )
    assert "/tmp" not in metadata.command and metadata.git


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_baseline_is_as_strong_as_its_metadata_say(name):
    assert not publishing.changed_scores(name)
