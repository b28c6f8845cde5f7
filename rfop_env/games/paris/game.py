"""The `Game` object of Paris."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from rfop_env.compiler import rule
from rfop_env.core.game import Game, GameSpec, Opponent, Option, Presentation, Reward, Rules
from rfop_env.games.paris import actions, board, component_set, limits, problems, scripted, state
from rfop_env.games.paris import draw, effects, ending, journal
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.determinize import determinize
from rfop_env.games.paris.observation import LAYOUT, observe
from rfop_env.games.paris.state import State
from rfop_env.games.paris.turn import apply, deal, legal

PLACEMENT, MARGIN = range(2)
SHARES = 6  # divisible by the number of opponents, 1 to 3
MARGIN_REACH = 100  # the largest lead over one opponent that the reward "margin" counts


@rule
def payoff(s: State, c: Components, seat: int, kind: int) -> int:
    """SHARES times the return of a seat: from its place, or from its VP less each opponent's."""
    opponents = s.players - 1
    if kind == MARGIN:
        lead = 0
        for rival in range(s.players):
            lead += max(-MARGIN_REACH, min(MARGIN_REACH, s.vp[seat] - s.vp[rival]))
        return SHARES // opponents * lead
    # Places run evenly from +1 to -1; those who tie share the mean of the places they fill.
    tied = 0
    for rival in range(s.players):
        tied += int(s.better[rival] == s.better[seat])
    return SHARES // opponents * (s.players - tied - 2 * s.better[seat])


def _spec(values: Mapping[str, str], components: component_set.ComponentSet) -> GameSpec:
    players = int(values["players"])
    return GameSpec(
        seats=tuple(f"player_{i}" for i in range(players)),
        max_decisions=limits.most_decisions(components.tables, players),
        lowest_return=-1.0,
        highest_return=1.0,
        zero_sum=True,
        hidden_information=True,
        chance=True,
    )


_OPTIONS = (
    Option("players", tuple(str(n) for n in board.PLAYER_COUNTS), "how many play"),
    Option("tokens", ("base", "random"), "tokens beside the buildings: by value, or shuffled but for the 8s"),
    Option("bonus_track", ("base", "random"), "bonus tiles in the order of their numbers, or shuffled in their zones"),
    Option("buildings", ("base", "variant"), "building tiles go to their own space, or to a district of one's choice"),
    Option("screens", ("hidden", "open"), "whether money, tokens and unused bonus tiles of others are hidden"),
    Option("memory", ("own", "perfect"), "what is known behind other screens: nothing, or all that public play told"),
)


_REWARDS = (
    Reward("placement", 1 / SHARES, "at the end: +1 first to -1 last, evenly between; ties share their places"),
    Reward(
        "margin",
        1 / (SHARES * MARGIN_REACH),
        "at the end: mean over the opponents of own VP less theirs / 100, each within -1 to 1",
        per_point=SHARES,
    ),
)


@cache
def paris() -> Game:
    """Paris-v0."""
    return Game(
        id="Paris-v0",
        title="Paris",
        folder=Path(__file__).parent,
        spec=_spec({"players": _OPTIONS[0].default}, component_set.load_components(None)),
        record=state.RECORD,
        rules=Rules(deal, legal, apply, observe, payoff, determinize, scripted.advise),
        actions=actions.ACTIONS,
        observation=LAYOUT,
        options=_OPTIONS,
        rewards=_REWARDS,
        end_reasons=state.END_REASONS,
        load_components=component_set.load_components,
        problems=problems.problems,
        presentation=Presentation(
            draw.draw_text,
            draw.draw_svg,
            journal.sentences,
            draw.question,
            effects.tell,
            ending.reason,
            ending.score,
            has_looks=True,
        ),
        seat_names=ending.seat_names,
        winners=ending.winners,
        rule_options=tuple(option.name for option in _OPTIONS),
        scripted=(Opponent("scripted", "takes what pays most at once: VP, majorities, goods and bonus tiles"),),
        spec_under=_spec,
    )
