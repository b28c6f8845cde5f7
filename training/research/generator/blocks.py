"""All blocks that may stand between the marks of a page, by name."""

from __future__ import annotations

from collections.abc import Callable

from rfop_env.testing import speed
from training.research import copy_cost, device_speed, library_speed
from training.research.generator import card_language, environments, games, levee_en_masse, mutation, results, training
from training.research.speed import bench_budgets, bench_recording, bench_training, search_first_use, search_speed

Blocks = dict[str, Callable[..., str]]


def _named(*functions: Callable[..., str]) -> Blocks:
    return {function.__name__: function for function in functions}


# Each takes the words that follow its name in the mark, and returns Markdown. First what the games say of themselves.
GAME_BLOCKS = _named(
    games.environments,
    games.actions,
    games.observation,
    games.options,
    games.opponents,
    games.rewards,
    games.facts,
    games.provenance,
    games.schema,
    games.words,
    card_language.grammar,
    environments.agent_names,
    environments.summary,
    environments.recorded,
)

# What was published.
RESULT_BLOCKS = _named(
    results.headlines,
    results.standings,
    results.solo_scores,
    results.levee_scores,
    results.matrix,
    results.several_seats,
    results.searches,
    results.networks,
    results.rollouts,
    results.fresh,
    results.game_card,
    results.settings,
    results.card_use,
    results.peers,
    levee_en_masse.calibration,
    levee_en_masse.scenarios,
    levee_en_masse.checkpoint_tracks,
    training.curves,
    training.coverage,
    training.chances,
    training.baselines,
    training.discarded,
    training.responses,
    training.best_opponents,
    training.end_games,
    training.psro,
    training.methods,
    training.luck,
    training.beliefs,
    training.ratings,
    training.fits,
    training.placements,
    mutation.mutation,
)

BLOCKS: Blocks = GAME_BLOCKS | RESULT_BLOCKS

PROFILES = ("ppo", "maskable", "expert")  # trainers whose profile a page has

# Measured on a quiet machine by a command of their own; the generator leaves their figures as they are.
MEASURED: dict[str, str] = {
    **dict.fromkeys(speed.BLOCKS, "rfop bench --write PAGE"),
    device_speed.BLOCK: "python -m training.research device --write PAGE",
    copy_cost.BLOCK: "python -m training.research copies --write PAGE",
    library_speed.BLOCK: "python -m training.research libraries --write PAGE",
    search_speed.BLOCK: "python -m training.research search --write PAGE",
    search_speed.DECISIONS_BLOCK: "python -m training.research search --decisions --write PAGE",
    search_first_use.BLOCK: "python -m training.research first-use --write PAGE",
    bench_recording.BLOCK: "python -m training.research recording --write PAGE",
    bench_budgets.BLOCK: "python -m training.research budgets --write PAGE",
    bench_training.BLOCK: "python -m training.research training --write PAGE",
    **{f"profile_{trainer}": f"python -m training.research profile {trainer} --write PAGE" for trainer in PROFILES},
}
