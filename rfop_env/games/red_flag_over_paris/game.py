"""Red Flag Over Paris as the core sees it: the 2-player game and the solo game."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from rfop_env.core.game import Game, GameSpec, Opponent, Option, Reward, Rules
from rfop_env.core.rule import rule
from rfop_env.games.red_flag_over_paris.actions import ACTIONS
from rfop_env.games.red_flag_over_paris.board import COMMUNE, MILITARY, POLITICAL, SIDE_NAMES
from rfop_env.games.red_flag_over_paris.component_set import ComponentSet, load_components
from rfop_env.games.red_flag_over_paris.draw import draw_svg, draw_text
from rfop_env.games.red_flag_over_paris.problems import problems
from rfop_env.games.red_flag_over_paris.journal import sentences
from rfop_env.games.red_flag_over_paris.limits import most_decisions
from rfop_env.games.red_flag_over_paris.observation import LAYOUT, observe, side_of_seat
from rfop_env.games.red_flag_over_paris.pieces import own_vp
from rfop_env.games.red_flag_over_paris.determinize import determinize
from rfop_env.games.red_flag_over_paris.solo_tables import play_by_tables
from rfop_env.games.red_flag_over_paris.state import END_REASONS, NOBODY, RECORD
from rfop_env.games.red_flag_over_paris.turn import apply, deal, legal

OUTCOME, MARGIN, MIXED = range(3)
MIXED_REACH = 20  # the largest lead that the reward "mixed" tells apart


@rule
def payoff(s: Any, c: Any, seat: int, kind: int) -> int:
    """The return of a seat: 1 or -1 (outcome), its lead on the two decisive tracks (margin), or both (mixed)."""
    side = side_of_seat(s, seat)
    outcome = 0 if s.over == 0 else (1 if s.winner == side else -1)
    if kind == OUTCOME:
        return outcome
    own, enemy = own_vp(s, side, side), own_vp(s, 1 - side, 1 - side)  # Commune: political, Versailles: military
    if kind == MARGIN:
        return own - enemy
    # Both tracks end at 5, where a beginner's games pile up and all look alike: without ends there is a slope to climb.
    own, enemy = int(s.vp_endless[POLITICAL]), -int(s.vp_endless[MILITARY])
    if side != COMMUNE:
        own, enemy = enemy, own
    beyond = min(own + 1, own - enemy)  # above 0 just when R17's condition would be met
    return MIXED_REACH * outcome + max(-MIXED_REACH, min(MIXED_REACH, beyond))


_RULES = Rules(
    deal=deal, legal=legal, apply=apply, observe=observe, payoff=payoff, determinize=determinize, advise=play_by_tables
)
_TWO_PLAYER_REWARDS = (
    Reward("outcome", 1.0, "+1 for a win, -1 for a loss, at the end of the game"),
    Reward("margin", 0.1, "at the end: own decisive VP (Commune political, Versailles military) less the enemy's / 10"),
)
_SOLO_REWARDS = (
    *_TWO_PLAYER_REWARDS,
    Reward(
        "mixed",
        0.5 / MIXED_REACH,
        "half the outcome; half how far beyond the victory condition, / 20, VP tracks without ends, paid as it changes",
        dense=True,
    ),
)
_SIDE_OPTION = Option("side", ("commune", "versailles", "random"), "the side the learner plays; random: drawn per game")
_VARIANT_OPTION = Option("variant", ("standard", "censor"), "the standard game, or the Censor variant")
_SOLO_TABLES = Opponent("solo-opponent", "the tables of the printed Solo Opponent; a hand card is drawn by the die")


def _seat_names(s: Any) -> tuple[str, ...]:
    return SIDE_NAMES[:2] if s.bot == NOBODY else (SIDE_NAMES[1 - int(s.bot)],)


def _winners(s: Any) -> tuple[bool, ...]:
    return tuple(int(s.winner) == side for side in ((0, 1) if s.bot == NOBODY else (1 - int(s.bot),)))


def _spec(seats: tuple[str, ...], components: ComponentSet) -> GameSpec:
    return GameSpec(
        seats=seats,
        max_decisions=most_decisions(components.tables),
        lowest_return=-1.0,
        highest_return=1.0,
        zero_sum=len(seats) == 2,
        hidden_information=True,
        chance=True,
    )


def _game(id: str, title: str, seats: tuple[str, ...], options: tuple[Option, ...], fixed: dict[str, int]) -> Game:
    spec = _spec(seats, load_components(None))
    rewards = _TWO_PLAYER_REWARDS if len(seats) == 2 else _SOLO_REWARDS
    return Game(
        id=id, title=title, folder=Path(__file__).parent, spec=spec, record=RECORD, rules=_RULES, actions=ACTIONS,
        observation=LAYOUT, options=options, rewards=rewards, end_reasons=END_REASONS,
        load_components=load_components, problems=problems, journal=sentences, draw_text=draw_text, draw_svg=draw_svg,
        seat_names=_seat_names, winners=_winners, rule_options=("variant", "solo", "side"), fixed_options=fixed,
        scripted=(_SOLO_TABLES,), spec_under=lambda values, components: _spec(seats, components),
    )  # fmt: skip


@cache
def two_player() -> Game:
    """RedFlagOverParis-v0."""
    seats = ("commune_0", "versailles_1")
    return _game("RedFlagOverParis-v0", "Red Flag Over Paris", seats, (_VARIANT_OPTION,), {"solo": 0, "side": 0})


@cache
def solo() -> Game:
    """RedFlagOverParisSolo-v0."""
    title = "Red Flag Over Paris against its Solo Opponent"
    return _game("RedFlagOverParisSolo-v0", title, ("player_0",), (_SIDE_OPTION,), {"variant": 0, "solo": 1})
