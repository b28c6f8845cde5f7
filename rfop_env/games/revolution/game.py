"""The `Game` object of Revolution."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rfop_env.compiler import rule
from rfop_env.core import game
from rfop_env.games.revolution import actions, board, component_set, determinize, journal, observation, problems
from rfop_env.games.revolution import scripted, state, symmetries, turn, words
from rfop_env.games.revolution.components import MOST_MARKERS, Components
from rfop_env.games.revolution.draw import draw_svg, draw_text, question
from rfop_env.games.revolution.state import State

OUTCOME, MARGIN = range(2)
_MARGIN = "the loser's unplaced markers / 11 for the winner, as much less for the loser"


@rule
def payoff(s: State, c: Components, seat: int, kind: int) -> int:
    """The return of a seat: 1, 0 or -1 (outcome), or plus or minus the points of the winner (margin; V22)."""
    if s.winner == board.NOBODY:
        return 0
    points = 1 if kind == OUTCOME else s.left[board.enemy(s.winner)]
    return points if s.winner == seat else -points


def _spec(options: Mapping[str, str], components: component_set.ComponentSet) -> game.GameSpec:
    """The declared properties: a smaller board has a shorter game."""
    return game.GameSpec(
        seats=("royalists_0", "jacobins_1"),
        max_decisions=2 * int(components.record["spaces"][0]),
        lowest_return=-1.0,
        highest_return=1.0,
        zero_sum=True,
        hidden_information=False,
        chance=False,
    )


@cache
def revolution() -> game.Game:
    """Revolution-v0."""
    return game.Game(
        id="Revolution-v0",
        title="Revolution",
        folder=Path(__file__).parent,
        spec=_spec({}, component_set.load_components()),
        record=state.RECORD,
        rules=game.Rules(
            turn.deal, turn.legal, turn.apply, observation.observe, payoff, determinize.determinize, scripted.advise
        ),
        actions=actions.ACTIONS,
        observation=observation.LAYOUT,
        rewards=(
            game.Reward("outcome", 1.0, "+1 for a win, -1 for a loss, 0 for a draw"),
            game.Reward("margin", 1 / MOST_MARKERS, _MARGIN),
        ),
        end_reasons=state.END_REASONS,
        load_components=component_set.load_components,
        problems=problems.problems,
        presentation=game.Presentation(
            draw_text, draw_svg, journal.sentences, question, words.tell, words.reason, words.score, has_looks=True
        ),
        seat_names=words.seat_names,
        winners=words.winners,
        scripted=(game.Opponent("scripted", "judges the position after each placement: spaces, buildings, flags"),),
        spec_under=_spec,
        symmetries=symmetries.symmetries,
        board=symmetries.board_layout,
    )
