"""The `Game` object of Levée en Masse."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.game import Game, GameSpec, Opponent, Option, Presentation, Reward, Rules
from rfop_env.games.levee_en_masse.actions import ACTIONS
from rfop_env.games.levee_en_masse.component_set import ComponentSet, load_components
from rfop_env.games.levee_en_masse.determinize import determinize
from rfop_env.games.levee_en_masse.draw import draw_svg, draw_text, question
from rfop_env.games.levee_en_masse.problems import problems
from rfop_env.games.levee_en_masse.journal import sentences
from rfop_env.games.levee_en_masse.odds import tell
from rfop_env.games.levee_en_masse.limits import most_decisions
from rfop_env.games.levee_en_masse.observation import LAYOUT, observe
from rfop_env.games.levee_en_masse.scripted import advise
from rfop_env.games.levee_en_masse.state import (
    DIFFICULTY_NAMES, END_REASONS, MINOR_DEFEAT, MINOR_VICTORY, OPTIONAL_RULES, SCENARIO_NAMES, RECORD, TRIUMPH,
)  # fmt: skip
from rfop_env.games.levee_en_masse.turn import apply, deal, legal

LEVEL, SCORE, OUTCOME = range(3)


@rule
def payoff(s: Any, c: Any, seat: int, kind: int) -> int:
    """The return of an ended game: its level from -3 to 3, its score, or 1 for a victory and -1 for a defeat."""
    if s.over == 0:
        return 0
    if kind == SCORE:
        return int(s.score)
    level = int(s.end_reason) - 1
    if kind == OUTCOME:
        return 1 if level >= MINOR_VICTORY else -1
    return level - MINOR_DEFEAT


_REWARDS = (
    Reward(
        "level",
        1 / (TRIUMPH - MINOR_DEFEAT),
        "-1 crushing defeat, -2/3 decisive, -1/3 substantive, 0 minor defeat, 1/3 minor victory, 2/3 substantive, "
        "1 Republican triumph",
    ),
    Reward("score", 0.01, "final score / 100; a crushing defeat counts as -100, a decisive one as -90"),
    Reward("outcome", 1.0, "+1 for a victory of any level, -1 for a defeat"),
)
_ON_OFF = ("off", "on")
_OPTIONS = (
    Option("scenario", SCENARIO_NAMES, "the base game, the Extended Game (12.1), Chronological Puree (12.2), or the "
           "Historical Game (12.3)"),
    Option("difficulty", DIFFICULTY_NAMES, "every fifth card gives one Action more (easier) or less (harder) (13.0)"),
    Option("levee", _ON_OFF, "10.1: give up a Liberation marker for an emergency Military Action"),
    Option("spirit_of_89", _ON_OFF, "10.2: liberated spaces fight the armies in them"),
    Option("nothing_is_free", _ON_OFF, "10.3: successful barricades raise Monarchy (blue) or Despotism"),
    Option("reserves", _ON_OFF, "10.4: reroll an attack once a turn for -1 to the French Army in the next"),
    Option("commit_order", _ON_OFF, "10.5: put Disorder into Paris for a Military Action or +1 in a square space"),
    Option("decisive", _ON_OFF, "10.6: natural 6 and 1 bring decisive victories and defeats"),
    Option("early_defeats", _ON_OFF, "expansion 9.1, 9.2: defeat by the Vendée in Versailles or Austria in Arras"),
)  # fmt: skip
assert tuple(option.name for option in _OPTIONS[2:]) == OPTIONAL_RULES


def _spec(options: Mapping[str, str], components: ComponentSet) -> GameSpec:
    return GameSpec(
        seats=("france_0",),
        max_decisions=most_decisions(components.tables, options),
        lowest_return=-1.0,
        highest_return=1.0,
        zero_sum=False,
        hidden_information=options["scenario"] != "historical",
        chance=True,
    )


@cache
def levee_en_masse() -> Game:
    """LeveeEnMasse-v0."""
    return Game(
        id="LeveeEnMasse-v0",
        title="Levée en Masse",
        folder=Path(__file__).parent,
        spec=_spec({option.name: option.default for option in _OPTIONS}, load_components(None)),
        record=RECORD,
        rules=Rules(deal, legal, apply, observe, payoff, determinize, advise),
        actions=ACTIONS,
        observation=LAYOUT,
        options=_OPTIONS,
        rewards=_REWARDS,
        end_reasons=END_REASONS,
        load_components=load_components,
        problems=problems,
        presentation=Presentation(draw_text, draw_svg, sentences, question, tell),
        seat_names=lambda s: ("France",),
        winners=lambda s: (int(s.end_reason) - 1 >= MINOR_VICTORY,),
        rule_options=tuple(option.name for option in _OPTIONS),
        spec_under=_spec,
        points="score",
        scripted=(Opponent("scripted", "takes the highest expected worth: Paris, armies, order, politics"),),
    )
