"""Every piece of the observation against a second reading of the record, in random games and laid-out positions."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.games.red_flag_over_paris import board, components, frames, observation, state
from rfop_env.games.red_flag_over_paris.game import solo, two_player
from tests.games.red_flag_over_paris.table import COMMUNE, VERSAILLES, Table, space

GAMES = {
    "standard": (two_player, {}),
    "censor": (two_player, {"variant": "censor"}),
    "Commune against the bot": (solo, {"side": "commune"}),
    "Versailles against the bot": (solo, {"side": "versailles"}),
}


@pytest.mark.many_games
@pytest.mark.parametrize("name", GAMES)
def test_what_a_side_sees_in_random_games(name):
    game, options = GAMES[name]
    batch = GameBatch(game(), 6, seed=11, options=options, autoreset=True)
    for _ in range(40):
        for seat in range(batch.game.spec.players):
            observed = batch.observe(seat)
            for i in range(batch.num_games):
                require_equal(observed[i], batch.record(i), batch.components.record.view(np.recarray)[0], seat)
        batch.step_random()


@pytest.mark.parametrize("side", [COMMUNE, VERSAILLES])
def test_what_a_side_sees_of_a_full_table(side):
    """A position in which no two pieces of one kind have the same number, so that none can stand for another."""
    table = Table().cubes("Press", 2, 1).cubes("Fort d'Issy", 1, 3).disc("Fort d'Issy", VERSAILLES)
    table.momentum(1, 2).vp(2, -3)
    table.stock(COMMUNE, pool=3, track=(4, 1, 2, 0), bonus=(0, 0, 1, 2))
    table.stock(VERSAILLES, pool=2, track=(3, 2, 1, 1), bonus=(0, 1, 0, 2))
    table.hand(COMMUNE, 1, 2, 3).hand(VERSAILLES, 4, 5)
    table.discarded(6, COMMUNE).discarded(8, VERSAILLES, 0).discarded(7, VERSAILLES).gone(9)
    table.objective(COMMUNE, components.FIRST_OBJECTIVE + 2).objective(VERSAILLES, components.FIRST_OBJECTIVE + 5)
    s = table.s
    s.fulfilled[:], s.objective_known[:] = (1, 2), (0, 1)
    s.first_final_breach, s.initiative = VERSAILLES, VERSAILLES
    s.pivotal[:] = 0b0110, 0b1001
    s.collaboration[1:] = 1, 2, 3
    s.known[COMMUNE, [4, 10]], s.known[VERSAILLES, [3, 11]] = 1, 1
    s.zone[12], s.zone[13], s.zone[14], s.zone[15] = (
        state.ASIDE_COMMUNE,
        state.ASIDE_VERSAILLES,
        state.SPENT_COMMUNE,
        state.SPENT_VERSAILLES,
    )
    s.objective_zone[[0, 1, 3, 4]] = (
        state.REJECTED_COMMUNE,
        state.REJECTED_VERSAILLES,
        state.FULFILLED_COMMUNE,
        state.OBJECTIVE_GONE,
    )
    s.plays = 5
    table.ask(frames.ASK_CARD, COMMUNE)
    require_equal(table.batch.observe(side)[0], s, table.c, side)


@pytest.mark.parametrize("side", [COMMUNE, VERSAILLES])
def test_the_event_is_seen_below_the_question_that_it_asks(side):
    table = Table()
    table.s.stack[0, :4] = frames.DO_EVENT, COMMUNE, 23, 2
    table.s.depth = 1
    table.ask(frames.ASK_PLACE, COMMUNE, 2, 1 << space("Press"))
    assert table.view(side, "event") == ["23"]
    assert table.view(side, "event_step") == 2


def test_the_bounds_of_counts_are_those_of_the_record():
    fields = {field.name: field for field in state.RECORD.fields}
    names = {
        "plays": "plays",
        "vp": "vp",
        "momentum": "momentum",
        "own_cubes": "cubes",
        "enemy_cubes": "cubes",
        "pool": "pool",
        "own_track": "track",
        "enemy_track": "track",
        "own_bonus": "bonus",
        "enemy_bonus": "bonus",
        "out_of_play": "out_of_play",
        "collaboration": "collaboration",
        "fulfilled": "fulfilled",
        "deck_size": "deck_size",
    }
    for piece in observation.LAYOUT.pieces:
        if piece.name in names:
            field = fields[names[piece.name]]
            assert (piece.low, piece.high) == (field.low, field.high), piece.name
        else:
            assert (piece.low, piece.high) == OTHER_BOUNDS.get(piece.name, (0, 1)), piece.name


def test_the_sizes_of_pieces():
    sizes = {piece.name: piece.size for piece in observation.LAYOUT.pieces}
    cards = [sizes.pop(name) for name in CARD_PIECES]
    objectives = [sizes.pop(name) for name in OBJECTIVE_PIECES]
    spaces = [sizes.pop(name) for name in SPACE_PIECES]
    assert (set(cards), set(objectives), set(spaces)) == ({41}, {12}, {12})
    assert (sizes["round"], sizes["event"], sizes["event_step"], sizes["dimension"]) == (4, 53, 1, 4)
    assert observation.LAYOUT.size == 578


@pytest.mark.parametrize("card", [1, 20, 41])
def test_what_was_known_of_a_hand_is_forgotten_when_a_card_leaves_it_unseen(card):
    table = Table().hand(COMMUNE, card, 24, 25)
    table.s.known[VERSAILLES, [card, 24, 25]] = 1
    table.first_play(COMMUNE).do("card 24", "use momentum")
    assert not table.s.known[VERSAILLES, [card, 24, 25]].any()
    assert str(card) not in table.view(VERSAILLES, "known_enemy")


def require_equal(observed, s, c, side_or_seat):
    """Every piece of one observation [D] is what the record says for this side."""
    side = side_or_seat if s.bot == state.NOBODY else 1 - int(s.bot)
    expected = expected_pieces(s, c, side)
    assert set(expected) == {piece.name for piece in observation.LAYOUT.pieces}
    for name, values in expected.items():
        np.testing.assert_array_equal(observation.LAYOUT.part(observed, name), values, err_msg=f"{name}, side {side}")


def expected_pieces(s, c, side):
    """All pieces by name, read from the record a second time."""
    return {**_course(s, side), **_pieces(s, c, side), **_cards(s, side), **_objectives(s, side), **_asked(s, side)}


def _course(s, side):
    enemy = 1 - side
    own_and_enemy = [side, enemy]
    return {
        "side": [side],
        "solo": [s.bot != state.NOBODY],
        "round": [s.round_number == n for n in (1, 2, 3, 4)],
        "plays": [s.plays],
        "initiative": [s.initiative == side],
        "vp": s.vp * (1 if side == COMMUNE else -1),
        "momentum": s.momentum[own_and_enemy],
        "fulfilled": s.fulfilled[own_and_enemy],
        "first_breach": [s.first_final_breach == who for who in own_and_enemy],
        "final_card": [s.zone[components.FINAL_CRISIS_CARD[who]] == state.FACE_UP for who in own_and_enemy],
        "own_pivotal": [bool(s.pivotal[side] & 1 << d) for d in range(4)],
        "enemy_pivotal": [bool(s.pivotal[enemy] & 1 << d) for d in range(4)],
    }


def _pieces(s, c, side):
    enemy = 1 - side
    own_and_enemy = [side, enemy]
    discs = {who: s.disc == who + 1 for who in own_and_enemy}
    strength = {who: s.cubes[who] + discs[who] for who in own_and_enemy}
    military = [board.SPACE_NAMES.index(name) for name in board.MILITARY_NAMES]
    return {
        "own_cubes": s.cubes[side],
        "enemy_cubes": s.cubes[enemy],
        "own_discs": discs[side][military],
        "enemy_discs": discs[enemy][military],
        "control": np.sign(strength[side] - strength[enemy]),
        "pool": s.pool[own_and_enemy],
        "out_of_play": s.out_of_play[own_and_enemy],
        "own_track": s.track[side],
        "enemy_track": s.track[enemy],
        "own_bonus": s.bonus[side, 1:],
        "enemy_bonus": s.bonus[enemy, 1:],
        "collaboration": s.collaboration[1:],
        "pool_room": [c.pool_places[s.momentum[COMMUNE]] - s.pool[COMMUNE]],
    }


def _cards(s, side):
    enemy = 1 - side
    zone, known_cards = s.zone[1:], s.known[side, 1:] == 1
    of_enemy = (zone == state.IN_HAND_COMMUNE + enemy) | (zone == state.ASIDE_COMMUNE + enemy)
    this_round = s.discarded_round[1:] == s.round_number
    gone = np.isin(zone, (state.REMOVED, state.NOT_USED, state.SPENT_COMMUNE + side))
    fresh = np.zeros(len(zone), bool)
    if s.top_discard != state.NO_CARD:
        fresh[s.top_discard - 1] = s.discarded_by[s.top_discard] == enemy and this_round[s.top_discard - 1]
    return {
        "hand": zone == state.IN_HAND_COMMUNE + side,
        "aside": zone == state.ASIDE_COMMUNE + side,
        "known_enemy": of_enemy & known_cards,
        "known_deck": (zone == state.IN_DECK) & known_cards,
        "discarded": (zone == state.DISCARDED) & this_round,
        "gone": gone | ((zone == state.DISCARDED) & ~this_round),
        "top_discard": fresh,
        "hand_sizes": [(zone == state.IN_HAND_COMMUNE + who).sum() for who in (side, enemy)],
        "deck_size": [s.deck_size],
    }


def _objectives(s, side):
    enemy = 1 - side
    zone = s.objective_zone
    return {
        "own_objective": zone == state.CHOSEN_COMMUNE + side,
        "offered": zone == state.OFFERED_COMMUNE + side,
        "enemy_objective": (zone == state.CHOSEN_COMMUNE + enemy) & (s.objective_known[enemy] == 1),
        "gone_objectives": np.isin(
            zone,
            (state.REJECTED_COMMUNE + side, state.FULFILLED_COMMUNE, state.FULFILLED_VERSAILLES, state.OBJECTIVE_GONE),
        ),
    }


def _asked(s, side):
    """The pending question, and the event under way."""
    observed = {piece.name: np.zeros(piece.size, int) for piece in observation.LAYOUT.pieces if piece.name in ASKED}
    observed["chosen"][:] = s.zone[1:] == state.IN_PLAY
    events = [frame for frame in s.stack[: s.depth] if frame[0] == frames.DO_EVENT]
    if events:
        observed["event"][events[-1][frames.do_event.card] - 1] = 1
        observed["event_step"][:] = events[-1][frames.do_event.next_row]

    frame = s.stack[s.depth - 1]
    kind = int(frame[0])
    if s.depth == 0 or s.over or frame[1] != side or kind > frames.LAST_QUESTION:
        observed["question"][frames.NO_QUESTION] = 1
        return observed
    observed["question"][kind] = 1

    # What each kind is about.
    if kind in COUNTS:
        observed["points"][:] = frame[COUNTS[kind]]
    if kind == frames.ASK_OPERATION:
        observed["placing"][:] = frame[frames.ask_operation.placing]
    if kind == frames.ASK_PLACE:
        observed["placing"][:] = frame[frames.ask_place.out_of_play]
    if kind in (frames.ASK_MOVE, frames.ASK_DISC) and frame[frames.ask_move.source]:
        observed["placing"][:] = 1
        observed["source"][frame[frames.ask_move.source] - 1] = 1
    if kind == frames.ASK_USE:
        observed["chosen"][frame[frames.ask_use.card] - 1] = 1
    if kind in (frames.ASK_BONUS, frames.ASK_DE_ESCALATE):
        observed["dimension"][frame[frames.ask_bonus.dimension]] = 1
    if kind == frames.ASK_WHETHER:
        code, about = frame[frames.ask_whether.code], frame[frames.ask_whether.about]
        observed["whether"][code] = 1
        if code == frames.WHETHER_MOMENTUM:
            observed["whether_momentum"][0 if about == side else 1] = frame[frames.ask_whether.step]
        if code == frames.WHETHER_ENEMY_EVENT:
            observed["chosen"][about - 1] = 1
    return observed


OTHER_BOUNDS = {  # of counts that the record does not hold as such, and of signs; all other pieces are 0 or 1
    "hand_sizes": (0, 9),
    "pool_room": (0, 18),
    "points": (0, 18),
    "event_step": (0, 8),
    "control": (-1, 1),
    "whether_momentum": (-1, 1),
}
CARD_PIECES = ("hand", "aside", "chosen", "known_enemy", "known_deck", "discarded", "gone", "top_discard")
OBJECTIVE_PIECES = ("own_objective", "offered", "enemy_objective", "gone_objectives")
SPACE_PIECES = ("own_cubes", "enemy_cubes", "control", "source")
ASKED = (
    "question",
    "chosen",
    "points",
    "placing",
    "dimension",
    "source",
    "whether",
    "whether_momentum",
    "event",
    "event_step",
)
COUNTS = {
    frames.ASK_OPERATION: frames.ask_operation.points,
    frames.ASK_PLACE: frames.effect.count,
    frames.ASK_REMOVE: frames.effect.count,
    frames.ASK_REPLACE: frames.effect.count,
    frames.ASK_REMOVE_OWN: frames.effect.count,
    frames.ASK_MOVE: frames.effect.count,
    frames.ASK_DISC: frames.effect.count,
    frames.ASK_DE_ESCALATE: frames.ask_de_escalate.removals,
}
