"""The `Game` object of Levée en Masse."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rfop_env.compiler import rule
from rfop_env.core import game
from rfop_env.games.levee_en_masse import actions, component_set, determinize, ending, journal, limits, observation
from rfop_env.games.levee_en_masse import odds, problems, scripted, state, turn
from rfop_env.games.levee_en_masse.components import Components
from rfop_env.games.levee_en_masse.draw import draw_svg, draw_text, question
from rfop_env.games.levee_en_masse.state import State

LEVEL, SCORE, OUTCOME = range(3)


@rule
def payoff(s: State, c: Components, seat: int, kind: int) -> int:
    """The return of an ended game: its level from -3 to 3, its score, or 1 for a victory and -1 for a defeat."""
    if s.over == 0:
        return 0
    if kind == SCORE:
        return s.score
    level = s.end_reason - 1
    if kind == OUTCOME:
        return 1 if level >= state.MINOR_VICTORY else -1
    return level - state.MINOR_DEFEAT


_REWARDS = (
    game.Reward(
        "level",
        1 / (state.TRIUMPH - state.MINOR_DEFEAT),
        "-1 crushing defeat, -2/3 decisive, -1/3 substantive, 0 minor defeat, 1/3 minor victory, 2/3 substantive, "
        "1 Republican triumph",
    ),
    game.Reward("score", 0.01, "final score / 100; a crushing defeat counts as -100, a decisive one as -90"),
    game.Reward("outcome", 1.0, "+1 for a victory of any level, -1 for a defeat"),
)
_ON_OFF = ("off", "on")
_SCENARIOS = "the base game, the Extended Game (12.1), Chronological Puree (12.2), or the Historical Game (12.3)"
_DIFFICULTY = "every fifth card gives one Action more (easier) or less (harder) (13.0)"
_OPTIONS = (
    game.Option("scenario", state.SCENARIO_NAMES, _SCENARIOS),
    game.Option("difficulty", state.DIFFICULTY_NAMES, _DIFFICULTY),
    game.Option("levee", _ON_OFF, "10.1: give up a Liberation marker for an emergency Military Action"),
    game.Option("spirit_of_89", _ON_OFF, "10.2: liberated spaces fight the armies in them"),
    game.Option("nothing_is_free", _ON_OFF, "10.3: successful barricades raise Monarchy (blue) or Despotism"),
    game.Option("reserves", _ON_OFF, "10.4: reroll an attack once a turn for -1 to the French Army in the next"),
    game.Option("commit_order", _ON_OFF, "10.5: put Disorder into Paris for a Military Action or +1 in a square space"),
    game.Option("decisive", _ON_OFF, "10.6: natural 6 and 1 bring decisive victories and defeats"),
    game.Option("early_defeats", _ON_OFF, "expansion 9.1, 9.2: defeat by the Vendée in Versailles or Austria in Arras"),
)
assert tuple(option.name for option in _OPTIONS[2:]) == state.OPTIONAL_RULES


def _spec(options: Mapping[str, str], components: component_set.ComponentSet) -> game.GameSpec:
    return game.GameSpec(
        seats=("france_0",),
        max_decisions=limits.most_decisions(components.tables, options),
        lowest_return=-1.0,
        highest_return=1.0,
        zero_sum=False,
        hidden_information=options["scenario"] != "historical",
        chance=True,
    )


@cache
def levee_en_masse() -> game.Game:
    """LeveeEnMasse-v0."""
    return game.Game(
        id="LeveeEnMasse-v0",
        title="Levée en Masse",
        folder=Path(__file__).parent,
        spec=_spec({option.name: option.default for option in _OPTIONS}, component_set.load_components(None)),
        record=state.RECORD,
        rules=game.Rules(
            turn.deal, turn.legal, turn.apply, observation.observe, payoff, determinize.determinize, scripted.advise
        ),
        actions=actions.ACTIONS,
        observation=observation.LAYOUT,
        options=_OPTIONS,
        rewards=_REWARDS,
        end_reasons=state.END_REASONS,
        load_components=component_set.load_components,
        problems=problems.problems,
        presentation=game.Presentation(
            draw_text, draw_svg, journal.sentences, question, odds.tell, ending.reason, ending.score, has_looks=True
        ),
        seat_names=ending.seat_names,
        winners=ending.winners,
        rule_options=tuple(option.name for option in _OPTIONS),
        spec_under=_spec,
        points="score",
        scripted=(game.Opponent("scripted", "takes the highest expected worth: Paris, armies, order, politics"),),
    )
