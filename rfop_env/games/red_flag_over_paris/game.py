"""The `Game` objects of Red Flag Over Paris: the 2-player game and the solo game."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.game import Game, GameSpec, Opponent, Option, Presentation, Reward, Rules
from rfop_env.games.red_flag_over_paris import actions, board, choices, determinize, ending, journal, limits
from rfop_env.games.red_flag_over_paris import observation
from rfop_env.games.red_flag_over_paris import pieces, problems, relabelling, scripted, solo_opponent, state, turn
from rfop_env.games.red_flag_over_paris.component_set import ComponentSet, load_components
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.draw import draw_svg, draw_text, question
from rfop_env.games.red_flag_over_paris.state import State

OUTCOME, MARGIN, MIXED = range(3)
MIXED_REACH = 20  # the largest lead that the reward "mixed" tells apart


@rule
def payoff(s: State, c: Components, seat: int, kind: int) -> int:
    """The return of a seat: 1 or -1 (outcome), its lead on the two decisive tracks (margin), or both (mixed)."""
    side = observation.seat_side(s, seat)
    outcome = 0
    if s.over == 1:
        outcome = 1 if s.winner == side else -1
    if kind == OUTCOME:
        return outcome

    # The lead of the Commune's political VP over the military VP of Versailles, or the other way round.
    enemy_side = board.enemy(side)
    own = pieces.own_vp(s, side, board.home_sphere(side))
    enemy = pieces.own_vp(s, enemy_side, board.home_sphere(enemy_side))
    if kind == MARGIN:
        return own - enemy

    # Both tracks end at 5, where a beginner's games all end. Without ends there is a difference left to learn from.
    political = s.vp_endless[board.POLITICAL]
    military = -s.vp_endless[board.MILITARY]
    own = political if side == board.COMMUNE else military
    enemy = military if side == board.COMMUNE else political
    beyond = min(own + 1, own - enemy)  # above 0 just when R17's condition would be met
    return MIXED_REACH * outcome + max(-MIXED_REACH, min(MIXED_REACH, beyond))


def _rules(bot_turn: Any, bot_answer: Any) -> Rules:
    deal, apply = turn.make_turn(bot_turn, bot_answer)
    return Rules(deal, turn.legal, apply, turn.observe, payoff, determinize.determinize, advise=scripted.play_by_tables)


_TWO_PLAYER_RULES = _rules(turn.no_bot_turn, turn.no_bot_answer)
_SOLO_RULES = _rules(solo_opponent.carry_on_bot_turn, turn.advise)
_TWO_PLAYER_REWARDS = (
    Reward("outcome", 1.0, "+1 for a win, -1 for a loss, at the end of the game"),
    Reward(
        "margin",
        0.1,
        "at the end: lead in decisive VP / 10; decisive are political for the Commune, military for Versailles",
    ),
)
_SOLO_REWARDS = (
    *_TWO_PLAYER_REWARDS,
    Reward(
        "mixed",
        0.5 / MIXED_REACH,
        "0.5 x outcome + 0.5 x clip(margin over the victory condition / 20), VP uncapped; paid whenever it changes",
        dense=True,
    ),
)
_SIDE_OPTION = Option(
    "side", ("commune", "versailles", "random"), "the side that the learner plays; random: drawn for each game"
)
_VARIANT_OPTION = Option("variant", ("standard", "censor"), "the standard game, or the Censor variant")
_SOLO_TABLES = Opponent("solo-opponent", "the tables of the printed Solo Opponent; a hand card is drawn by the die")


def _spec(seats: tuple[str, ...], components: ComponentSet) -> GameSpec:
    return GameSpec(
        seats=seats,
        max_decisions=limits.most_decisions(components.tables),
        lowest_return=-1.0,
        highest_return=1.0,
        zero_sum=len(seats) == 2,
        hidden_information=True,
        chance=True,
    )


def _game(id: str, title: str, seats: tuple[str, ...], options: tuple[Option, ...], fixed: dict[str, int]) -> Game:
    spec = _spec(seats, load_components(None))
    two = len(seats) == 2
    rules, rewards = (_TWO_PLAYER_RULES, _TWO_PLAYER_REWARDS) if two else (_SOLO_RULES, _SOLO_REWARDS)
    return Game(
        id=id,
        title=title,
        folder=Path(__file__).parent,
        spec=spec,
        record=state.RECORD,
        rules=rules,
        actions=actions.ACTIONS,
        observation=observation.LAYOUT,
        options=options,
        rewards=rewards,
        end_reasons=state.END_REASONS,
        load_components=load_components,
        problems=problems.problems,
        presentation=Presentation(
            draw_text, draw_svg, journal.sentences, question, choices.tell, ending.reason, ending.score, has_looks=True
        ),
        seat_names=ending.seat_names,
        winners=ending.winners,
        rule_options=("variant", "solo", "side"),
        fixed_options=fixed,
        scripted=(_SOLO_TABLES,),
        spec_under=lambda values, components: _spec(seats, components),
        relabelling=relabelling.RELABELLING if two else None,
    )


@cache
def two_player() -> Game:
    """RedFlagOverParis-v1."""
    seats = ("commune_0", "versailles_1")
    return _game("RedFlagOverParis-v1", "Red Flag Over Paris", seats, (_VARIANT_OPTION,), {"solo": 0, "side": 0})


@cache
def solo() -> Game:
    """RedFlagOverParisSolo-v1."""
    title = "Red Flag Over Paris against its Solo Opponent"
    return _game("RedFlagOverParisSolo-v1", title, ("player_0",), (_SIDE_OPTION,), {"variant": 0, "solo": 1})
