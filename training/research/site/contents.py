"""The order of all pages: one list for the site's table of contents and for the tests."""

from __future__ import annotations

PATTERNS = (
    "*.md",
    "notebooks/*.ipynb",
    "docs/*.md",
    "docs/environments/*.md",
    "docs/lab/*.md",
    "docs/api/*.rst",
    "rfop_env/games/*/RULES.md",
)
START = "README"  # the page that the site begins with; it is in no chapter

CHAPTERS: dict[str, tuple[str, ...]] = {
    "Environments": (
        "docs/environments/RedFlagOverParis-v1",
        "docs/environments/RedFlagOverParisSolo-v1",
        "docs/environments/LeveeEnMasse-v0",
        "docs/environments/Paris-v0",
        "docs/environments/Revolution-v0",
    ),
    "Games": (
        "docs/red_flag_over_paris",
        "rfop_env/games/red_flag_over_paris/RULES",
        "docs/levee_en_masse",
        "rfop_env/games/levee_en_masse/RULES",
        "docs/paris",
        "rfop_env/games/paris/RULES",
        "docs/revolution",
        "rfop_env/games/revolution/RULES",
    ),
    "Manual": (
        "docs/start",
        "docs/play",
        "docs/study",
        "docs/environments",
        "docs/interfaces",
        "docs/train",
        "docs/evaluate",
        "docs/search",
        "docs/extend",
    ),
    "Notebooks": (
        "notebooks/01_first_game",
        "notebooks/02_observations_and_masks",
        "notebooks/03_train_and_evaluate",
        "notebooks/04_self_play_matrix_ratings",
        "notebooks/05_reproduce_a_learning_curve",
        "notebooks/06_your_own_cards",
        "notebooks/07_search",
    ),
    "Lab notes": (
        "docs/results",
        "docs/lab/training",
        "docs/lab/evaluation",
        "docs/lab/search",
        "docs/lab/speed",
        "docs/lab/tests",
    ),
    "Reference": (
        "docs/api/environments",
        "docs/api/batch",
        "docs/api/game",
        "docs/api/interfaces",
        "docs/api/replays",
        "docs/api/agents",
        "docs/api/training",
        "docs/api/evaluation",
        "docs/api/testing",
        "docs/api/errors",
    ),
    "Project": (
        "docs/randomness",
        "CONTRIBUTING",
        "SECURITY",
        "CHANGELOG",
    ),
}


def toctrees() -> str:
    """The chapters as tables of contents, in Markdown for MyST."""
    return "".join(
        "\n".join(["", "```{toctree}", ":hidden:", f":caption: {chapter}", "", *pages, "```", ""])
        for chapter, pages in CHAPTERS.items()
    )
