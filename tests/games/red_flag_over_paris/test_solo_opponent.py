"""The Solo Opponent, sentence by sentence (R20 to R25), for a bot of either side.

Positions are laid out by hand. `let_bot` puts questions or whole turns of the bot between two questions to the player;
the journal says which rows of the Aid decided. Cube counts are written (bot, player), so that one position serves both.
"""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from .table import COMMUNE, VERSAILLES, Table, space

from rfop_env.core.batch import GameBatch
from rfop_env.core.random_stream import BOT
from rfop_env.games.red_flag_over_paris import board, components, frames, limits, state
from rfop_env.games.red_flag_over_paris.game import solo

BOTS = pytest.mark.parametrize("bot", [COMMUNE, VERSAILLES], ids=["commune bot", "versailles bot"])
SIDE = board.SIDE_NAMES
ROYALISTS, ASSEMBLY, REPUBLICANS, CHURCH, PRESS, MOVEMENTS = board.SPACE_NAMES[:6]
VALERIEN, ISSY, VINCENNES, MONTMARTRE, CAILLES, LACHAISE = board.SPACE_NAMES[6:]
INSTITUTIONAL = (ROYALISTS, ASSEMBLY, REPUBLICANS)
OPINION = (CHURCH, PRESS, MOVEMENTS)
FORTS = (VALERIEN, ISSY, VINCENNES)
PARIS = (MONTMARTRE, CAILLES, LACHAISE)
POLITICAL, MILITARY = (*INSTITUTIONAL, *OPINION), (*FORTS, *PARIS)
SPACES = board.SPACE_NAMES[:12]
IN_EVENT = (frames.DO_EVENT, 5, 1)  # an event that ends with what lies on top of it
PAUSE = (frames.ASK_WHETHER, frames.WHETHER_STEP)  # a question to the player that "done" answers without effect
CHOOSE, PLACE, REMOVE = "place or remove", "where to place or replace", "where to remove"

# By side of the bot: cards to turn up.
EVENT = {COMMUNE: 21, VERSAILLES: 5}  # friendly, 1 point, places 2 in political spaces
EVENT_2 = {COMMUNE: 26, VERSAILLES: 11}  # friendly, 2 points, places
NO_EFFECT = {COMMUNE: 24, VERSAILLES: 7}  # friendly, 1 point; no effect where `no_effect` prepared the map
ENEMY = {COMMUNE: 2, VERSAILLES: 18}  # the player's colour, 1 point
ENEMY_2 = {COMMUNE: 9, VERSAILLES: 26}
NEUTRAL = 38  # 3 points


def solo_table(bot: int, position: dict[str, tuple[int, int]] | None = None, **kwargs) -> Table:
    """A solo game with (bot, player) cubes in some spaces."""
    t = Table(solo_side=SIDE[1 - bot].lower(), **kwargs)
    return put(t, position or {})


def put(t: Table, position: dict[str, tuple[int, int]]) -> Table:
    bot = int(t.s.bot)
    for name, (own, enemy) in position.items():
        t.s.cubes[bot, space(name)], t.s.cubes[1 - bot, space(name)] = own, enemy
    return t


def cubes_in(t: Table, name: str) -> tuple[int, int]:
    """(bot, player) cubes in a space."""
    own, enemy = t.s.cubes[t.s.bot, space(name)], t.s.cubes[1 - t.s.bot, space(name)]
    return int(own), int(enemy)


def mask(*names: str) -> int:
    return sum(1 << space(name) for name in names)


def push(t: Table, kind: int, side: int, *arguments: int) -> Table:
    t.s.stack[t.s.depth, : 2 + len(arguments)] = kind, side, *arguments
    t.s.depth += 1
    return t


def let_bot(t: Table, *pending: tuple[int, ...]) -> Table:
    """Let the bot deal with pending frames, the last one first; afterwards the player is asked something."""
    player = 1 - int(t.s.bot)
    push(t, PAUSE[0], player, PAUSE[1])
    for kind, *arguments in pending:
        push(t, kind, int(t.s.bot), *arguments)
    t.ask(PAUSE[0], player, PAUSE[1])
    return t.do("done")


def ask_player(t: Table, kind: int, *arguments: int) -> Table:
    """Ask the player something, and something harmless afterwards."""
    player = 1 - int(t.s.bot)
    return push(t, PAUSE[0], player, PAUSE[1]).ask(kind, player, *arguments)


def bot_turn(t: Table, *cards: int) -> Table:
    return let_bot(t.deck_top(*cards), (frames.DO_BOT_TURN,))


def operate(t: Table, points: int, *names: str) -> Table:
    """Operations within some spaces, all of them legal for removal."""
    return let_bot(t, (frames.ASK_OPERATION, points, mask(*names), mask(*names)))


def go_on(t: Table, phase: int) -> Table:
    """Carry the sequence of play on from a phase."""
    t.s.phase = phase
    return t.ask(PAUSE[0], 1 - int(t.s.bot), PAUSE[1]).do("done")


def choices(t: Table, table: str) -> list[tuple[int, str]]:
    """(deciding row, outcome) of every reading of a table of the Aid; row 0: only one space was legal."""
    lines = re.findall(rf"Aid, {table}: (?:row (\d+) decides|only one space): (.+)", "\n".join(t.log))
    return [(int(row or 0), outcome) for row, outcome in lines]


def events(t: Table) -> list[int]:
    """Cards whose event was carried out."""
    return [int(k) for k in re.findall(r"carries out the event of (\d+)", "\n".join(t.log))]


def count(t: Table, words: str) -> int:
    return sum(words in line for line in t.log)


def placed(t: Table, side: int | None = None) -> list[str]:
    """Where the bot (or a side) placed cubes, in order."""
    prefix = f"{SIDE[t.s.bot if side is None else side]} places a cube in "
    return [line.removeprefix(prefix) for line in t.log if line.startswith(prefix)]


def over_the_dice(t: Table, rolls: int, *pending: tuple[int, ...]):
    """The same question with other dice each time."""
    start, log = t.batch.states.copy(), []
    for roll in range(rolls):
        t.batch.states[:] = start
        t.s.draws[BOT] = 100 * roll
        let_bot(t, *pending)
        log.append((tuple(choices(t, PLACE) + choices(t, REMOVE)), t.batch.get_state()))
    t.batch.states[:] = start
    return log


# -- set-up and steps 1 to 3 -----------------------------------------------------------------------------------------


@BOTS
def test_r20_six_cards_are_out_and_the_bot_gets_no_hand(bot):
    batch = GameBatch(solo(), 1, seed=3, options={"side": SIDE[1 - bot].lower()})
    s = batch.record()
    assert {k for k in range(1, 42) if s.zone[k] == state.NOT_USED} == {1, 12, 13, 22, 29, 30}
    assert int((s.zone == state.IN_HAND_COMMUNE + 1 - bot).sum()) == 4
    assert not (s.zone == state.IN_HAND_COMMUNE + bot).any()
    assert s.deck_size == 39 - 6 - 4
    assert s.zone[components.FINAL_CRISIS_CARD[bot]] == state.FACE_UP


def test_r20_step_2_the_two_targets_lie_in_different_dimensions_and_the_other_card_is_the_bots():
    kept_first, pairs = set(), set()
    batch = GameBatch(solo(), 64, seed=0, options={"side": "commune"})
    offers = [np.flatnonzero(batch.action_mask[i]) for i in range(64)]
    batch.step(np.array([offer[i % 2] for i, offer in enumerate(offers)]))
    for i, offer in enumerate(offers):
        s, targets = batch.record(i), batch.components.record[0]["target"]
        own_card, bots_card = offer[i % 2] + components.FIRST_OBJECTIVE, offer[1 - i % 2] + components.FIRST_OBJECTIVE
        assert len(offer) == 2 and targets[own_card] // 3 != targets[bots_card] // 3
        assert (s.objective[COMMUNE], s.objective[VERSAILLES]) == (own_card, bots_card)
        assert s.objective_zone[bots_card - components.FIRST_OBJECTIVE] == state.CHOSEN_VERSAILLES
        kept_first.add(own_card)
        pairs.add((targets[own_card] // 3, targets[bots_card] // 3))
    assert len(kept_first) > 6 and len(pairs) > 6


def test_r20_step_2_two_targets_in_one_dimension_are_drawn_again():
    t = solo_table(VERSAILLES)
    t.s.phase, t.s.round_number = state.DEALING, 1
    for number in range(42, 54):  # nothing but Paris is left, and one target in the Forts under it
        t.s.objective_zone[number - 42] = state.OBJECTIVE_GONE
    for number in (46, 42, 43, 44):
        t.s.objective_zone[number - 42] = state.OBJECTIVE_DECK
    t.ask(PAUSE[0], COMMUNE, PAUSE[1])
    t.s.objective_deck[:4] = 46, 42, 43, 44
    t.do("done")
    assert "objective 46" in t.legal and len(t.legal) == 2
    assert t.s.objective_deck_size == 2
    t.sound()


@pytest.mark.parametrize(
    ("bot", "political", "first"),
    [(VERSAILLES, -1, COMMUNE), (COMMUNE, 1, VERSAILLES), (COMMUNE, 0, VERSAILLES)],
    ids=["versailles bot ahead", "commune bot ahead", "commune bot decides ties"],
)
@pytest.mark.parametrize("phase", [state.INITIATIVE, state.CRISIS_INITIATIVE], ids=["round", "crisis"])
def test_r20_step_3_the_bot_chooses_to_play_second(bot, political, first, phase):
    t = solo_table(bot).vp(political=political).hand(1 - bot, 35, 36)
    t.s.rounds_played = 3
    go_on(t, phase)
    assert t.s.initiative == first and f"{SIDE[first]} is the Initiative player" in t.log
    assert t.pending[1] == 1 - bot


@pytest.mark.parametrize(
    ("bot", "political", "momentum"),
    [(VERSAILLES, 0, (0, 0)), (VERSAILLES, -1, (0, 2)), (COMMUNE, 0, (1, 0)), (COMMUNE, -1, (0, 0))],
)
def test_r20_step_3_the_player_decides_when_ahead_and_the_commune_on_ties(bot, political, momentum):
    t = solo_table(bot).vp(political=political).momentum(*momentum)
    go_on(t, state.INITIATIVE)
    assert t.pending == (frames.ASK_INITIATIVE, 1 - bot)
    assert t.legal == {"first Commune", "first Versailles"}  # "you can choose yourself or the bot"


@BOTS
def test_steps_4_and_5_turns_alternate_and_only_the_player_sets_a_card_aside(bot):
    batch = GameBatch(solo(), 1, seed=11, options={"side": SIDE[1 - bot].lower()})
    s, reveals = batch.record(), 0
    while (s.round_number == 1 and s.phase == state.PLAYING) or s.phase < state.PLAYING:
        batch.step_random()
        reveals += sum("the Solo Opponent reveals" in line for line in batch.journal())
        assert not (s.zone == state.IN_HAND_COMMUNE + bot).any()
    assert reveals == 3 and s.plays == 6
    assert int((s.zone == state.ASIDE_COMMUNE + 1 - bot).sum()) == 1
    assert not (s.zone == state.ASIDE_COMMUNE + bot).any()


# -- step 4a: momentum -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cubes", "advances"), [(0, True), (2, True), (3, False)])
def test_r20_momentum_check_of_a_versailles_bot(cubes, advances):
    t = solo_table(VERSAILLES).stock(VERSAILLES, pool=cubes)
    t.s.collaboration[1] = 2
    t.s.out_of_play[VERSAILLES] -= 2
    bot_turn(t, NEUTRAL)
    assert t.s.momentum[VERSAILLES] == int(advances)
    assert t.s.collaboration[1] == (0 if advances else 2)
    assert len(placed(t)) == (min(3, cubes + 2) if advances else 3)  # the new cubes are placed in the same turn
    t.sound()


def test_r20_momentum_check_counts_available_cubes_on_the_track():
    for track, advances in (((1, 1, 1, 2), False), ((0, 1, 1, 2), True)):
        t = bot_turn(solo_table(VERSAILLES).stock(VERSAILLES, track=track), NEUTRAL)
        assert t.s.momentum[VERSAILLES] == int(advances)


def test_r20_momentum_check_of_a_commune_bot():
    for momentum, pool, result in [(0, 0, 1), (1, 0, 1), (1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 2, 3), (3, 4, 3)]:
        t = solo_table(COMMUNE).momentum(commune=momentum).stock(COMMUNE, pool=pool, track=(3, 0, 0, 0))
        bot_turn(t, NEUTRAL)
        assert t.s.momentum[COMMUNE] == result, (momentum, pool, result)


@BOTS
def test_r20_the_check_advances_one_step_and_not_in_the_final_crisis(bot):
    t = bot_turn(solo_table(bot).stock(bot), NEUTRAL)
    assert t.s.momentum[bot] == 1
    t = solo_table(bot).stock(bot, pool=2 * bot, track=(2 - 2 * bot, 0, 0, 0)).crisis(3)
    t.s.plays = 1
    bot_turn(t, EVENT[bot])
    assert t.s.momentum[bot] == 0 and len(placed(t)) == 2


@BOTS
def test_r7_the_player_may_place_a_cube_when_the_bots_check_reaches_2(bot):
    t = solo_table(bot).stock(bot)
    t.s.momentum[bot] = 1
    t.s.pool[COMMUNE] += 2 if bot == COMMUNE else 0
    t.s.out_of_play[COMMUNE] -= 2 if bot == COMMUNE else 0
    bot_turn(t, NEUTRAL)
    assert t.pending == (frames.ASK_PLACE, 1 - bot)
    gift = INSTITUTIONAL if bot == COMMUNE else OPINION
    assert t.legal == {"done", *(f"place {name}" for name in gift)}
    t.do(f"place {gift[2]}")
    assert cubes_in(t, gift[2])[1] == 1
    assert t.log.index(f"{SIDE[1 - bot]} places a cube in {gift[2]}") < next(
        i for i, line in enumerate(t.log) if "reveals" in line
    )


# -- step 4b: which event --------------------------------------------------------------------------------------------


def no_effect(t: Table) -> Table:
    """A map on which NO_EFFECT of the bot has none."""
    return put(t, {CHURCH: (1, 0), PRESS: (2, 0)} if t.s.bot == COMMUNE else {})


@BOTS
def test_r20_a_friendly_card_is_used_for_its_event(bot):
    t = bot_turn(solo_table(bot), EVENT[bot])
    assert events(t) == [EVENT[bot]]
    assert count(t, "the Solo Opponent reveals") == 1


def test_r20_other_cards_are_operations_of_their_points():
    for bot, (card, points) in product(
        (COMMUNE, VERSAILLES), [(ENEMY, 1), (ENEMY_2, 2), ({COMMUNE: 36, VERSAILLES: 36}, 3)]
    ):
        t = bot_turn(solo_table(bot, {PRESS: (1, 0)}), card[bot])
        assert events(t) == [] and len(placed(t)) == points, (bot, card, points)  # neutral is not friendly


@BOTS
def test_r20_a_friendly_event_without_effect_is_operations(bot):
    t = bot_turn(no_effect(solo_table(bot)), NO_EFFECT[bot])
    assert events(t) == [] and len(placed(t)) == 1


def test_r20_events_that_cannot_do_anything_are_not_used():
    for bot, card, position in [
        (VERSAILLES, 3, dict.fromkeys(PARIS, (2, 0))),  # no Room
        (VERSAILLES, 9, {PRESS: (2, 0)}),  # nothing to remove, no Room
        (VERSAILLES, 8, {PRESS: (1, 0), MONTMARTRE: (4, 4)}),  # neither option
        (COMMUNE, 18, {PRESS: (1, 0)}),  # nothing to replace
        (COMMUNE, 32, {}),  # "if" that opens the event is not met
    ]:
        assert events(bot_turn(solo_table(bot, position), card)) == [], (bot, card, position)


def test_r20_an_event_that_only_raises_the_players_momentum_is_not_used():
    t = bot_turn(solo_table(VERSAILLES), 16)
    assert events(t) == [] and t.s.momentum[COMMUNE] == 0
    t = bot_turn(solo_table(VERSAILLES, {CHURCH: (0, 1)}), 16)
    assert events(t) == [16] and t.s.momentum[COMMUNE] == 1 and cubes_in(t, CHURCH) == (1, 0)
    t.sound()


def test_r20_raising_the_own_momentum_is_an_effect():
    t = bot_turn(solo_table(VERSAILLES, dict.fromkeys(INSTITUTIONAL, (4, 0))), 15)
    assert events(t) == [15] and t.s.momentum[VERSAILLES] == 1


def test_r31_an_event_that_only_lowers_the_own_momentum_is_used():
    """Card 20 with no space that has Room: what is left of it is the momentum."""
    position = {name: (2 if name in (ASSEMBLY, PRESS) else 1, 0) for name in POLITICAL}
    t = bot_turn(solo_table(COMMUNE, position).momentum(commune=3), 20)
    assert events(t) == [20] and t.s.momentum[COMMUNE] == 2
    assert len(placed(t)) == 1  # the extra point
    t.sound()


def test_r20_without_available_cubes_an_event_that_places_has_no_effect():
    t = solo_table(COMMUNE).stock(COMMUNE, track=(0, 0, 0, 2))
    assert events(bot_turn(t, 21)) == []


COPIES = {
    "equal points": (EVENT, ENEMY, True),
    "fewer points": (EVENT, ENEMY_2, True),
    "more points": (EVENT_2, ENEMY, False),
    "the player's colour": ({COMMUNE: 3, VERSAILLES: 21}, ENEMY, False),
    "neutral": ({COMMUNE: 40, VERSAILLES: 40}, {COMMUNE: 38, VERSAILLES: 38}, False),
}


def test_r20_the_players_discard_is_copied():
    for bot, (case, (top, revealed, copied)) in product((COMMUNE, VERSAILLES), COPIES.items()):
        t = solo_table(bot).discarded(top[bot], by=1 - bot)
        bot_turn(t, revealed[bot])
        assert events(t) == ([top[bot]] if copied else []), (bot, case)
        assert t.s.top_discard == revealed[bot], (bot, case)


@BOTS
@pytest.mark.parametrize(("by_player", "rounds_ago"), [(True, 1), (False, 0)], ids=["last round", "bot's own"])
def test_r20_only_the_players_discard_of_this_round_is_copied(bot, by_player, rounds_ago):
    t = solo_table(bot)
    t.s.round_number = 2
    t.discarded(EVENT[bot], by=1 - bot if by_player else bot, round_number=2 - rounds_ago)
    t = bot_turn(t, ENEMY[bot])
    assert events(t) == [] and len(placed(t)) == 1


@BOTS
def test_r20_a_discard_without_effect_is_not_copied(bot):
    t = no_effect(solo_table(bot)).discarded(NO_EFFECT[bot], by=1 - bot)
    assert events(bot_turn(t, ENEMY[bot])) == []


@BOTS
def test_r20_only_the_top_discard_counts(bot):
    t = solo_table(bot).discarded(EVENT[bot], by=1 - bot).discarded(ENEMY[bot], by=1 - bot)
    assert events(bot_turn(t, ENEMY_2[bot])) == []


@BOTS
def test_r20_the_own_event_comes_before_the_copy_and_the_copy_before_operations(bot):
    t = bot_turn(solo_table(bot).discarded(EVENT[bot], by=1 - bot), EVENT_2[bot])
    assert events(t) == [EVENT_2[bot]]
    t = no_effect(solo_table(bot)).discarded(EVENT[bot], by=1 - bot)
    assert events(bot_turn(t, NO_EFFECT[bot])) == [EVENT[bot]]


@BOTS
def test_r20_after_the_players_play_in_a_real_round_the_discard_is_copied(bot):
    t = solo_table(bot).hand(1 - bot, EVENT[bot], 36).deck_top(ENEMY[bot])
    t.s.plays, t.s.initiative = 1, 1 - bot
    t.ask(frames.ASK_CARD, 1 - bot).do(f"card {EVENT[bot]}", "use operations", "done")
    assert events(t) == [EVENT[bot]]
    assert t.s.plays == 3 and t.pending == (frames.ASK_USE, 1 - bot)


@pytest.mark.parametrize(
    ("card", "position", "row"),
    [
        (8, {CHURCH: (0, 1)}, 1),
        (8, {}, 2),
        (8, {CHURCH: (2, 1)}, 2),  # a replacement needs Room
    ],
)
def test_the_first_option_that_has_an_effect_is_taken(card, position, row):
    t = bot_turn(solo_table(VERSAILLES, position), card)
    assert events(t) == [card]
    assert (cubes_in(t, CHURCH)[0] == 1) == (row == 1)
    assert (placed(t)[0] == MONTMARTRE) == (row == 2)


def test_the_first_option_of_a_commune_bot():
    t = bot_turn(solo_table(COMMUNE), 25)
    assert count(t, "places a disc") == 1
    t = bot_turn(solo_table(COMMUNE).disc(ISSY, COMMUNE).disc(VINCENNES, COMMUNE), 25)
    assert count(t, "places a disc") == 0 and set(placed(t)[:2]) <= {*FORTS, *PARIS}


def test_events_are_performed_as_completely_as_possible():
    t = bot_turn(solo_table(COMMUNE, {PRESS: (0, 1)}), 33)  # places 2 in Public Opinion, removes 1 in Press
    assert len(placed(t)) >= 2 and cubes_in(t, PRESS)[1] == 0
    t = bot_turn(solo_table(COMMUNE).momentum(commune=1), 27)  # may raise its own momentum
    assert t.s.momentum[COMMUNE] == 2 and t.pending == (frames.ASK_PLACE, VERSAILLES)
    t = bot_turn(solo_table(COMMUNE).momentum(commune=1), 31).do("done")  # may place a disc
    assert count(t, "places a disc") == 1


def test_r21_cubes_out_of_play_are_not_available_to_the_bot():
    t = solo_table(COMMUNE, {CAILLES: (1, 1)}).momentum(commune=3).stock(COMMUNE, pool=1)
    old = int(t.s.out_of_play[COMMUNE])
    bot_turn(t, 23)
    assert old > 2 and events(t) == [23] and len(placed(t)) == 1 and t.s.out_of_play[COMMUNE] == old


# -- step 4c: operations after the event -----------------------------------------------------------------------------


@BOTS
def test_r20_one_more_point_after_an_event(bot):
    t = bot_turn(solo_table(bot), EVENT[bot])
    assert len(placed(t)) == 3
    t = bot_turn(solo_table(bot).discarded(EVENT[bot], by=1 - bot), ENEMY_2[bot])
    assert len(placed(t)) == 3  # after a copied event, too: 1 point, not the card's 2


def test_r20_the_extra_point_may_go_to_the_other_sphere():
    t = bot_turn(solo_table(VERSAILLES, {CHURCH: (0, 2)}), EVENT[VERSAILLES])
    assert set(placed(t)[:2]) <= set(OPINION) and placed(t)[2] == VALERIEN
    position = {ASSEMBLY: (0, 2), LACHAISE: (1, 0)}
    t = bot_turn(solo_table(COMMUNE, position), EVENT[COMMUNE])
    assert set(placed(t)[:2]) <= {PRESS, REPUBLICANS} and placed(t)[2] == MONTMARTRE


@BOTS
def test_r20_the_extra_point_may_remove(bot):
    t = solo_table(bot, {ASSEMBLY: (0, 1), REPUBLICANS: (1, 0), ROYALISTS: (1, 0)})
    bot_turn(t.momentum(commune=1), {COMMUNE: 23, VERSAILLES: 3}[bot])  # both place in the military sphere
    assert placed(t) and set(placed(t)) <= set(MILITARY)
    assert cubes_in(t, ASSEMBLY)[1] == 0 and choices(t, CHOOSE)[-1] == (2, "remove")


@BOTS
def test_r20_no_extra_point_in_the_final_crisis(bot):
    t = solo_table(bot).crisis(3)
    t.s.plays = 1
    bot_turn(t, EVENT[bot])
    assert events(t) == [EVENT[bot]] and len(placed(t)) == 2


def test_r20_the_revealed_card_is_discarded():
    for bot, card in product((COMMUNE, VERSAILLES), [EVENT, ENEMY, {0: NEUTRAL, 1: NEUTRAL}]):
        t = bot_turn(solo_table(bot), card[bot])
        assert t.s.top_discard == card[bot] and t.s.zone[card[bot]] == state.DISCARDED, (bot, card)
        assert t.s.used_by[card[bot]] == bot and t.s.used_round[card[bot]] == 1, (bot, card)
        t.sound()


BREACH = {  # pool, track, bonus; the pool and track left after 3 placements if the bonus cubes come at once
    COMMUNE: ((0, 2, 2, 2), (0, 2, 2, 2), (0, 1, 2, 2)),
    VERSAILLES: ((0, 2, 1, 2), (0, 1, 1, 2), (0, 0, 1, 2)),
}


@BOTS
def test_r20_a_breach_in_the_bots_turn_pays_at_once(bot):
    track, bonus, result = BREACH[bot]
    t = solo_table(bot, {PRESS: (1, 0)}).stock(bot, track=track, bonus=bonus).momentum(commune=1)
    bot_turn(t, NEUTRAL)
    assert len(placed(t)) == 3
    assert tuple(t.s.track[bot]) == result and t.s.bonus[bot, 1] == 0 and t.s.pool[bot] == 0
    t.sound()


@BOTS
def test_r20_a_breach_by_an_event_pays_before_the_extra_point(bot):
    track, bonus, _ = BREACH[bot]
    t = solo_table(bot).stock(bot, track=track, bonus=bonus).momentum(commune=1)
    bot_turn(t, EVENT[bot])
    lines = [i for i, line in enumerate(t.log) if "breached Escalation" in line or "places a cube" in line]
    assert "breached" in t.log[lines[1]] and len(lines) == 4


# -- R21: Available cubes --------------------------------------------------------------------------------------------


def test_r21_the_final_crisis_zone_is_available_late_and_after_a_breach():
    for bot, (round_number, breached_by_player, cubes) in product(
        (COMMUNE, VERSAILLES), [(1, False, 0), (2, True, 0), (3, False, 0), (3, True, 2), (4, False, 0), (4, True, 2)]
    ):
        t = solo_table(bot, {PRESS: (1, 0)}).stock(bot, track=(0, 0, 0, 2), bonus=(0, 0, 0, 2))
        t.s.round_number = round_number
        t.s.first_final_breach = 1 - bot if breached_by_player else state.NOBODY
        operate(t, 3, *POLITICAL)
        assert len(placed(t)) == cubes, (bot, round_number, breached_by_player, cubes)
        t.sound()


@BOTS
def test_r21_bonus_cubes_and_collaboration_are_not_available_but_track_and_pool_are(bot):
    t = solo_table(bot, {PRESS: (1, 0)}).stock(bot, pool=1, track=(0, 1, 1, 2), bonus=(0, 0, 0, 2)).momentum(commune=2)
    t.s.settled[:] = 0b0110
    operate(t, 4, *POLITICAL)
    assert len(placed(t)) == 3 and t.s.track[bot, 3] == 2


# -- R22: Room -------------------------------------------------------------------------------------------------------


def test_r22_room():
    for bot, (name, own, enemy, room) in product(
        (COMMUNE, VERSAILLES),
        [
            (CHURCH, 0, 0, True),
            (CHURCH, 1, 0, False),
            (CHURCH, 1, 1, True),
            (CHURCH, 2, 1, False),
            (CHURCH, 1, 3, True),
            (CHURCH, 3, 3, True),
            (CHURCH, 4, 4, False),
            (PRESS, 1, 0, True),
            (PRESS, 2, 0, False),
            (PRESS, 2, 1, True),
            (PRESS, 3, 1, False),
            (PRESS, 3, 2, True),
            (PRESS, 4, 4, False),
            (VALERIEN, 1, 0, True),
            (VALERIEN, 2, 0, False),
            (ISSY, 1, 0, False),
        ],
    ):
        t = let_bot(solo_table(bot, {name: (own, enemy)}), (frames.ASK_PLACE, 1, mask(name), 0, 0))
        assert cubes_in(t, name) == (own + room, enemy), (bot, name, own, enemy, room)
        if (
            own > 0
        ):  # present, so that operations may place there: an event's points like its cubes, others without Room
            question = (frames.ASK_OPERATION, 1, mask(name), 0)
            t = let_bot(solo_table(bot, {name: (own, enemy)}), IN_EVENT, question)
            assert cubes_in(t, name) == (own + room, enemy), (bot, name, own, enemy, room)
            t = let_bot(solo_table(bot, {name: (own, enemy)}), question)
            assert cubes_in(t, name) == (min(own + 1, 4), enemy), (bot, name, own, enemy)


@BOTS
def test_r22_discs_do_not_count_for_room(bot):
    t = solo_table(bot, {CAILLES: (0, 0)}).disc(CAILLES, bot)
    let_bot(t, (frames.ASK_PLACE, 2, mask(CAILLES), 0, 0))
    assert cubes_in(t, CAILLES) == (1, 0)


@BOTS
def test_r22_a_disc_goes_where_there_is_no_room_but_room_comes_first(bot):
    t = let_bot(solo_table(bot, {CAILLES: (1, 0)}), (frames.ASK_DISC, 1, mask(CAILLES), 0))
    assert t.s.disc[space(CAILLES)] == bot + 1
    t = let_bot(solo_table(bot, {CAILLES: (1, 0)}), (frames.ASK_DISC, 1, mask(CAILLES, VINCENNES), 0))
    assert choices(t, PLACE) == [(1, VINCENNES)] and t.s.disc[space(VINCENNES)] == bot + 1


@BOTS
def test_r22_an_event_places_fewer_cubes_when_room_ends(bot):
    t = let_bot(solo_table(bot), (frames.ASK_PLACE, 3, mask(PRESS), 0, 0))
    assert cubes_in(t, PRESS) == (2, 0)


# -- R30: operations spend all their points --------------------------------------------------------------------------


@BOTS
def test_r30_operations_go_on_where_room_ends(bot):
    t = operate(solo_table(bot, {ASSEMBLY: (1, 0)}), 3, ASSEMBLY)
    assert cubes_in(t, ASSEMBLY) == (4, 0)


@BOTS
def test_r30_where_one_space_has_room_that_row_of_the_place_table_decides(bot):
    t = solo_table(bot, {ASSEMBLY: (3, 0), REPUBLICANS: (3, 3), ROYALISTS: (3, 0)})
    let_bot(t, (frames.ASK_OPERATION, 1, mask(*INSTITUTIONAL), 0))
    assert choices(t, PLACE) == [(1, REPUBLICANS)] and placed(t) == [REPUBLICANS]


@BOTS
def test_r30_without_room_the_next_rows_decide(bot):
    """Control is the bot's everywhere: row 8 for the Commune, whose cubes elsewhere are isolated, else row 9."""
    t = solo_table(bot, {ROYALISTS: (3, 2), ASSEMBLY: (3, 1), REPUBLICANS: (3, 2)})
    let_bot(t, (frames.ASK_OPERATION, 1, mask(*INSTITUTIONAL), 0))
    assert choices(t, PLACE) == [(8 if bot == COMMUNE else 9, ASSEMBLY)] and placed(t) == [ASSEMBLY]


@BOTS
def test_r30_operations_stop_without_a_legal_space(bot):
    t = operate(solo_table(bot, {ROYALISTS: (3, 0), ASSEMBLY: (3, 0), REPUBLICANS: (3, 0)}), 2, ASSEMBLY)
    assert cubes_in(t, ASSEMBLY) == (4, 0) and len(placed(t)) == 1


@BOTS
def test_r30_no_room_still_says_remove_while_there_is_something_to_remove(bot):
    t = operate(solo_table(bot, {REPUBLICANS: (2, 1)}), 3, REPUBLICANS)
    assert choices(t, CHOOSE) == [(5, "remove")]  # then nothing is left to remove, and no space has Room
    assert cubes_in(t, REPUBLICANS) == (4, 0)


@BOTS
def test_r30_operations_stop_without_an_available_cube(bot):
    t = operate(solo_table(bot, {ASSEMBLY: (1, 0)}).stock(bot, pool=0, track=(1, 0, 0, 2)), 3, ASSEMBLY)
    assert cubes_in(t, ASSEMBLY) == (2, 0) and t.s.track[bot, 3] == 2


@BOTS
def test_r30_the_extra_point_after_an_event_needs_no_room(bot):
    """The event of NO_EFFECT removes the player's one cube here, and leaves no space with Room."""
    position = {name: (2 if name in (ASSEMBLY, PRESS, VALERIEN, MONTMARTRE) else 1, 0) for name in SPACES}
    target = CHURCH if bot == COMMUNE else MOVEMENTS
    t = bot_turn(solo_table(bot, position | {target: (1, 1)}), NO_EFFECT[bot])
    assert events(t) == [NO_EFFECT[bot]] and cubes_in(t, target)[1] == 0 and len(placed(t)) == 1


@BOTS
def test_r30_points_that_an_event_grants_stay_within_room(bot):
    t = let_bot(solo_table(bot, {ASSEMBLY: (1, 0)}), IN_EVENT, (frames.ASK_OPERATION, 3, mask(ASSEMBLY), 0))
    assert cubes_in(t, ASSEMBLY) == (2, 0)


def test_r30_an_event_of_operations_without_room_is_not_used():
    position = {MONTMARTRE: (2, 0), CAILLES: (1, 0), LACHAISE: (1, 0)}
    t = bot_turn(solo_table(VERSAILLES, position), 6)  # 2 points in Paris
    assert events(t) == [] and len(placed(t)) == 1  # its one point
    t = bot_turn(solo_table(VERSAILLES, position | {CAILLES: (0, 0)}), 6)
    assert events(t) == [6] and cubes_in(t, CAILLES) == (1, 0) and len(placed(t)) == 2  # and the extra point


@pytest.mark.many_games
@BOTS
def test_r30_in_whole_games_points_are_left_over_only_without_available_cubes(bot):
    """Turns of operations in one go: points, less the player's cubes removed, less the cubes placed."""
    batch = GameBatch(solo(), 1, 30, options={"side": SIDE[1 - bot].lower()})
    points, turns = batch.components.record[0]["points"], 0
    while turns < 60:
        batch.step_random()
        s, log = batch.record(), "\n".join(batch.journal())
        revealed = re.findall(r"the Solo Opponent reveals (\d+)", log)
        simple = s.phase == state.PLAYING and len(revealed) == 1 and not (s.disc == 2 - bot).any()
        if simple and not re.search("carries out the event|attempts a removal|loses the disc", log):
            turn = log.split("the Solo Opponent reveals")[1]
            spent = turn.count(f"{SIDE[bot]} places a cube in") + turn.count(f"{SIDE[1 - bot]} loses a cube in")
            assert spent == points[int(revealed[0])] or available_by_hand(s, bot) == 0
            turns += 1
        if batch.terminated[0]:
            batch.reset()


# -- the Aid: where to place or replace ------------------------------------------------------------------------------

EITHER = (COMMUNE, VERSAILLES)
PLACE_ROWS = [  # row, bots, position, legal spaces, choice
    (2, EITHER, {MONTMARTRE: (1, 0), CAILLES: (1, 0)}, (LACHAISE, VINCENNES, VALERIEN), LACHAISE),
    (2, EITHER, {ROYALISTS: (1, 0), REPUBLICANS: (1, 0), CHURCH: (0, 1)}, (ASSEMBLY, PRESS, CHURCH), ASSEMBLY),
    (3, EITHER, {}, (PRESS, CHURCH, MOVEMENTS), PRESS),
    (3, EITHER, {CHURCH: (0, 1)}, (CHURCH, VALERIEN), VALERIEN),
    (4, EITHER, {CHURCH: (0, 1)}, (CHURCH, MOVEMENTS), CHURCH),
    (4, EITHER, {PRESS: (0, 1), CHURCH: (0, 2)}, (PRESS, CHURCH, MOVEMENTS), PRESS),
    (5, EITHER, {CHURCH: (0, 2)}, (CHURCH, MOVEMENTS), MOVEMENTS),
    (5, EITHER, {CHURCH: (1, 1), PRESS: (1, 0)}, (CHURCH, PRESS), CHURCH),
    (6, (VERSAILLES,), {}, (ISSY, CHURCH), ISSY),
    (6, (COMMUNE,), {}, (ISSY, CHURCH), CHURCH),
    (7, EITHER, {ISSY: (1, 0)}, (VINCENNES, CAILLES), VINCENNES),
    (8, (VERSAILLES,), {}, (ISSY, VINCENNES), ISSY),
    (8, (VERSAILLES,), {}, (ROYALISTS, REPUBLICANS), ROYALISTS),
    (8, (VERSAILLES,), {}, (VALERIEN, MONTMARTRE), VALERIEN),
    (8, (COMMUNE,), {}, (CHURCH, MOVEMENTS), MOVEMENTS),
    (8, (COMMUNE,), {}, (CAILLES, LACHAISE), LACHAISE),
    (8, (VERSAILLES,), {ROYALISTS: (1, 0)}, (CHURCH, MOVEMENTS), CHURCH),  # adjacent to a controlled space
    (8, (COMMUNE,), {LACHAISE: (1, 0)}, (ISSY, VINCENNES), VINCENNES),
    (9, (VERSAILLES,), {CHURCH: (1, 1)}, (CHURCH, MOVEMENTS), MOVEMENTS),
    (9, (COMMUNE,), {ISSY: (1, 1)}, (ISSY, VINCENNES), VINCENNES),
]


def test_aid_where_to_place():
    for row, bot, position, legal, choice in [
        (row, bot, *columns) for row, bots, *columns in PLACE_ROWS for bot in bots
    ]:
        t = let_bot(solo_table(bot, position), (frames.ASK_PLACE, 1, mask(*legal), 0, 0))
        assert choices(t, PLACE) == [(row, choice)], (row, bot, position, legal, choice)
        assert placed(t) == [choice], (row, bot, position, legal, choice)


@BOTS
def test_aid_row_3_knows_the_bots_objective_only(bot):
    question = (frames.ASK_PLACE, 1, mask(VINCENNES, CAILLES), 0, 0)
    t = let_bot(solo_table(bot, {VINCENNES: (0, 1)}).objective(bot, 43), question)
    assert choices(t, PLACE) == [(3, CAILLES)]
    t = let_bot(solo_table(bot, {VINCENNES: (0, 1)}).objective(1 - bot, 43), question)
    assert choices(t, PLACE) == [(4, VINCENNES)]


@BOTS
def test_aid_row_3_needs_the_control_to_be_added(bot):
    t = let_bot(solo_table(bot, {PRESS: (1, 0)}), (frames.ASK_PLACE, 1, mask(PRESS, CHURCH), 0, 0))
    assert choices(t, PLACE) == [(5, CHURCH)]


@BOTS
def test_aid_row_7_counts_the_controlled_spaces_of_the_dimension(bot):
    position = {VALERIEN: (1, 0), ISSY: (1, 0), MONTMARTRE: (1, 0), VINCENNES: (0, 2), CAILLES: (0, 2)}
    t = let_bot(solo_table(bot, position), (frames.ASK_PLACE, 1, mask(VINCENNES, CAILLES), 0, 0))
    assert choices(t, PLACE) == [(7, VINCENNES)]


@BOTS
def test_aid_rows_that_would_eliminate_all_spaces_are_skipped(bot):
    t = solo_table(bot, {VINCENNES: (0, 3), ISSY: (0, 2)})  # neither completes, breaks nor adds anything
    t.s.cubes[bot, space(LACHAISE)] = t.s.cubes[bot, space(CAILLES)] = 1  # both are not isolated
    let_bot(t, (frames.ASK_PLACE, 1, mask(VINCENNES, ISSY), 0, 0))
    assert choices(t, PLACE) == [(9, ISSY)]


@BOTS
def test_aid_place_row_10_the_die_chooses_among_the_spaces_left(bot):
    pair, third = ((CHURCH, MOVEMENTS), PRESS) if bot == VERSAILLES else ((ISSY, VINCENNES), VALERIEN)
    t = solo_table(bot, {third: (0, 3)})
    outcomes = over_the_dice(t, 24, (frames.ASK_PLACE, 1, mask(*pair, third), 0, 0))
    assert {choice for choice, _ in outcomes} == {((10, name),) for name in pair}


@BOTS
def test_aid_one_legal_space_needs_no_row(bot):
    assert choices(let_bot(solo_table(bot), (frames.ASK_PLACE, 1, mask(CHURCH), 0, 0)), PLACE) == [(0, CHURCH)]


def test_aid_where_to_replace():
    for bot, (row, position, choice) in product(
        (COMMUNE, VERSAILLES),
        [
            (2, {PRESS: (1, 0), MOVEMENTS: (1, 0), CHURCH: (0, 1), REPUBLICANS: (0, 1)}, CHURCH),
            (3, {PRESS: (0, 1), CHURCH: (0, 1)}, PRESS),
            (4, {CHURCH: (0, 2), REPUBLICANS: (1, 1)}, CHURCH),  # a replacement shifts the balance by 2
            (5, {CHURCH: (0, 1), REPUBLICANS: (0, 2)}, CHURCH),
            (9, {CHURCH: (0, 3), REPUBLICANS: (0, 4)}, CHURCH),
        ],
    ):
        t = let_bot(solo_table(bot, position), (frames.ASK_REPLACE, 1, mask(CHURCH, PRESS, REPUBLICANS), 0, 0))
        assert choices(t, PLACE) == [(row, choice)], (bot, row, position, choice)
        assert cubes_in(t, choice) == (position[choice][0] + 1, position[choice][1] - 1), (bot, row, position, choice)


# -- the Aid: where to remove ----------------------------------------------------------------------------------------

REMOVE_ROWS = [
    (2, EITHER, {**dict.fromkeys(FORTS, (0, 1)), CAILLES: (1, 1)}, (ISSY, CAILLES), ISSY),
    (2, EITHER, {**dict.fromkeys(INSTITUTIONAL, (0, 1)), PRESS: (0, 1)}, (REPUBLICANS, PRESS), REPUBLICANS),
    (3, EITHER, {CAILLES: (1, 1), VINCENNES: (0, 1)}, (CAILLES, VINCENNES), CAILLES),
    (3, EITHER, {CHURCH: (1, 1), PRESS: (0, 1)}, (CHURCH, PRESS), CHURCH),
    (4, EITHER, {PRESS: (0, 1), CHURCH: (0, 1)}, (PRESS, CHURCH), PRESS),
    (5, EITHER, {CHURCH: (0, 1), MOVEMENTS: (0, 2)}, (CHURCH, MOVEMENTS), CHURCH),
    (5, EITHER, {CHURCH: (0, 1), PRESS: (0, 2)}, (CHURCH, PRESS), CHURCH),
    (6, (VERSAILLES,), {CHURCH: (0, 1), MOVEMENTS: (0, 1)}, (CHURCH, MOVEMENTS), CHURCH),
    (6, (COMMUNE,), {ROYALISTS: (0, 1), CHURCH: (0, 1), MOVEMENTS: (0, 1)}, (CHURCH, MOVEMENTS), MOVEMENTS),
    (6, (COMMUNE,), {ROYALISTS: (0, 2), REPUBLICANS: (0, 2)}, (ROYALISTS, REPUBLICANS), REPUBLICANS),
    (6, (COMMUNE,), {ISSY: (0, 2), VINCENNES: (1, 3), REPUBLICANS: (0, 2)}, (ISSY, REPUBLICANS), REPUBLICANS),
    (7, (VERSAILLES,), {CAILLES: (0, 1), CHURCH: (0, 1)}, (CAILLES, CHURCH), CAILLES),
    (7, (COMMUNE,), {CAILLES: (0, 1), CHURCH: (0, 1)}, (CAILLES, CHURCH), CHURCH),
    (8, EITHER, {CHURCH: (0, 3), REPUBLICANS: (0, 2)}, (CHURCH, REPUBLICANS), REPUBLICANS),
]


def test_aid_where_to_remove():
    for row, bot, position, legal, choice in [
        (row, bot, *columns) for row, bots, *columns in REMOVE_ROWS for bot in bots
    ]:
        t = let_bot(solo_table(bot, position), (frames.ASK_REMOVE, 1, mask(*legal), 0))
        assert choices(t, REMOVE) == [(row, choice)], (row, bot, position, legal, choice)
        assert cubes_in(t, choice)[1] == position[choice][1] - 1, (row, bot, position, legal, choice)


STRENGTHS = {MONTMARTRE: (1, 0), LACHAISE: (1, 0), CAILLES: (0, 2), VINCENNES: (0, 1)}  # Cailles 2, Vincennes 1


@BOTS
def test_aid_remove_row_1_certain_success(bot):
    t = operate(solo_table(bot, {**STRENGTHS, CAILLES: (1, 3)}).stock(bot), 1, CAILLES, VINCENNES)
    assert choices(t, REMOVE) == [(1, CAILLES)] and "with strength 3" in "".join(t.log)
    t = operate(solo_table(bot, {**STRENGTHS, CHURCH: (0, 3)}).stock(bot), 1, CAILLES, VINCENNES, CHURCH)
    assert choices(t, REMOVE) == [(1, CHURCH)]  # political removal is always certain


@BOTS
def test_aid_remove_row_1_else_the_highest_strength(bot):
    t = operate(solo_table(bot, STRENGTHS).stock(bot), 1, CAILLES, VINCENNES)
    assert choices(t, REMOVE) == [(1, CAILLES)] and "with strength 2" in "".join(t.log)


@BOTS
def test_aid_remove_row_1_every_removal_by_an_event_is_certain(bot):
    t = let_bot(solo_table(bot, STRENGTHS), (frames.ASK_REMOVE, 1, mask(CAILLES, VINCENNES), 0))
    assert choices(t, REMOVE) == [(5, VINCENNES)]


@BOTS
def test_aid_row_4_of_the_removal_table_knows_the_bots_objective(bot):
    t = solo_table(bot, {CHURCH: (0, 1), REPUBLICANS: (0, 1)}).objective(bot, 52)
    let_bot(t, (frames.ASK_REMOVE, 1, mask(CHURCH, REPUBLICANS), 0))
    assert choices(t, REMOVE) == [(4, REPUBLICANS)]


@BOTS
def test_aid_remove_row_9_the_die_chooses_among_the_spaces_left(bot):
    t = solo_table(bot, {CHURCH: (0, 2), REPUBLICANS: (0, 2), ASSEMBLY: (0, 3)})
    outcomes = over_the_dice(t, 24, (frames.ASK_REMOVE, 1, mask(CHURCH, REPUBLICANS, ASSEMBLY), 0))
    assert {choice for choice, _ in outcomes} == {((9, CHURCH),), ((9, REPUBLICANS),)}


# -- the Aid: place or remove ----------------------------------------------------------------------------------------

CHOOSE_ROWS = [  # row, bots, position, legal spaces, what it says
    (2, EITHER, {PRESS: (0, 1)}, (PRESS,), "remove"),
    (3, EITHER, {ROYALISTS: (1, 0), ASSEMBLY: (1, 0), REPUBLICANS: (1, 1)}, INSTITUTIONAL, "remove"),
    (3, EITHER, {ROYALISTS: (0, 2), ASSEMBLY: (0, 2), REPUBLICANS: (0, 1)}, INSTITUTIONAL, "remove"),
    (4, (VERSAILLES,), {VINCENNES: (1, 1)}, (VINCENNES,), "remove"),
    (4, (COMMUNE,), {CHURCH: (1, 1)}, (CHURCH,), "remove"),
    (5, EITHER, {REPUBLICANS: (2, 1)}, (REPUBLICANS,), "remove"),
    (6, EITHER, {REPUBLICANS: (1, 1)}, (REPUBLICANS,), "place"),
    (6, EITHER, {ASSEMBLY: (0, 2), REPUBLICANS: (1, 0)}, (ASSEMBLY, ROYALISTS, REPUBLICANS), "place"),
    (6, (VERSAILLES,), {CHURCH: (1, 1)}, (CHURCH,), "place"),  # not the home dimension of this bot
    (6, (COMMUNE,), {VINCENNES: (1, 1)}, (VINCENNES,), "place"),
]


def test_aid_place_or_remove():
    for row, bot, position, legal, says in [
        (row, bot, *columns) for row, bots, *columns in CHOOSE_ROWS for bot in bots
    ]:
        t = operate(solo_table(bot, position), 1, *legal)
        assert choices(t, CHOOSE) == [(row, says)], (row, bot, position, legal, says)
        assert (len(placed(t)) == 1) == (says == "place"), (row, bot, position, legal, says)


@BOTS
def test_aid_choose_row_1_no_available_cubes(bot):
    t = operate(solo_table(bot, {REPUBLICANS: (1, 1)}).stock(bot), 1, REPUBLICANS)
    assert choices(t, CHOOSE) == [(1, "remove")] and cubes_in(t, REPUBLICANS) == (1, 0)


@BOTS
def test_aid_choose_row_2_needs_certain_success(bot):
    weak = {MONTMARTRE: (0, 1), LACHAISE: (1, 0)}  # strength 1
    assert choices(operate(solo_table(bot, weak), 1, MONTMARTRE), CHOOSE) == [(6, "place")]
    strong = {MONTMARTRE: (1, 2), LACHAISE: (1, 0), CAILLES: (1, 0), VALERIEN: (1, 0)}
    assert choices(operate(solo_table(bot, strong), 1, MONTMARTRE), CHOOSE) == [(2, "remove")]


@BOTS
def test_aid_choose_row_2_counts_the_bots_objective_but_not_the_players(bot):
    for owner, row in ((bot, 2), (1 - bot, 6)):
        t = operate(solo_table(bot, {REPUBLICANS: (0, 1), MOVEMENTS: (1, 0)}).objective(owner, 52), 1, REPUBLICANS)
        assert choices(t, CHOOSE) == [(row, "remove" if row == 2 else "place")]


@BOTS
def test_aid_choose_row_2_needs_the_players_control_to_end(bot):
    t = operate(solo_table(bot, {ASSEMBLY: (0, 2), REPUBLICANS: (1, 0), ROYALISTS: (1, 0)}), 1, ASSEMBLY)
    assert choices(t, CHOOSE) == [(6, "place")]


@BOTS
def test_without_removable_cubes_the_table_is_not_asked(bot):
    t = operate(solo_table(bot), 1, *POLITICAL)
    assert choices(t, CHOOSE) == [] and len(placed(t)) == 1


# -- spending Operations Points --------------------------------------------------------------------------------------


@BOTS
def test_the_table_is_read_again_after_each_removal(bot):
    home, beside, free = (CHURCH, MOVEMENTS, REPUBLICANS) if bot == COMMUNE else (VINCENNES, ISSY, CAILLES)
    t = solo_table(bot, {home: (1, 2), beside: (1, 0)}).deck_top(18, 2)  # 1 point each: attempts succeed
    operate(t, 3, home, free)
    assert choices(t, CHOOSE) == [(4, "remove"), (4, "remove")]  # then nothing is left to remove
    assert cubes_in(t, home) == (1, 0) and placed(t) == [free]


@BOTS
def test_never_removes_after_placing(bot):
    t = solo_table(bot, {ASSEMBLY: (1, 1), REPUBLICANS: (3, 3), ROYALISTS: (1, 0)})
    operate(t, 4, ASSEMBLY, REPUBLICANS)
    assert choices(t, CHOOSE) == [(6, "place")]  # though row 3 would say "remove" after the first cube
    assert placed(t)[0] == ASSEMBLY and count(t, "loses a cube") == 0


SPHERES = {
    "political": (POLITICAL, {REPUBLICANS: (1, 0), MONTMARTRE: (2, 0), VALERIEN: (2, 0)}),
    "military": (MILITARY, {PRESS: (2, 0), ASSEMBLY: (2, 0), REPUBLICANS: (1, 0), ROYALISTS: (1, 0), LACHAISE: (1, 0)}),
}


@BOTS
@pytest.mark.parametrize(("sphere", "position"), SPHERES.values(), ids=SPHERES)
def test_the_first_cube_fixes_the_sphere(bot, sphere, position):
    t = let_bot(solo_table(bot, position), (frames.ASK_OPERATION, 4, mask(*POLITICAL, *MILITARY), 0))
    assert len(placed(t)) == 4 and set(placed(t)) <= set(sphere)


@BOTS
def test_a_removal_fixes_the_sphere_for_placements(bot):
    t = solo_table(bot, {PRESS: (0, 1), MONTMARTRE: (1, 0), VALERIEN: (0, 0), LACHAISE: (1, 0)})
    operate(t, 3, *POLITICAL, *MILITARY)
    assert choices(t, CHOOSE)[0] == (2, "remove") and cubes_in(t, PRESS)[1] == 0
    assert placed(t) and set(placed(t)) <= set(POLITICAL)


def test_removal_pays_the_extra_point_at_strength_1():
    for bot, (position, points, attempts, strength) in product(
        (COMMUNE, VERSAILLES),
        [
            ({LACHAISE: (1, 0), VINCENNES: (0, 3)}, 2, 1, 2),  # strength 1: a second point is paid
            ({LACHAISE: (1, 0), VINCENNES: (0, 3)}, 1, 1, 1),  # none is left to pay
            ({LACHAISE: (1, 0), ISSY: (1, 0), VINCENNES: (0, 3)}, 2, 2, 2),  # strength 2: no extra point
        ],
    ):
        case = (bot, position, points, attempts, strength)
        t = solo_table(bot, position).stock(bot).deck_top(38, 39)  # 3 points: the draws fail
        operate(t, points, VINCENNES)
        lines = [line for line in t.log if "attempts a removal" in line]
        assert len(lines) == attempts and all(line.endswith(f"strength {strength}") for line in lines), case
        assert cubes_in(t, VINCENNES) == (0, 3) and t.s.zone[38] == state.REMOVED, case


@BOTS
def test_an_attempt_may_take_a_disc_that_no_cube_covers(bot):
    t = solo_table(bot, {LACHAISE: (1, 0), ISSY: (1, 0), VINCENNES: (1, 0)}).disc(VINCENNES, 1 - bot).stock(bot)
    operate(t.deck_top(18), 2, VINCENNES)
    assert t.s.disc[space(VINCENNES)] == 0


@BOTS
def test_a_bot_with_both_discs_on_the_map_moves_none(bot):
    t = solo_table(bot).disc(ISSY, bot).disc(VINCENNES, bot)
    let_bot(t, (frames.ASK_DISC, 1, mask(CAILLES), 0))
    assert t.s.disc[space(CAILLES)] == 0 and int((t.s.disc > 0).sum()) == 2


# -- pivotal bonus actions -------------------------------------------------------------------------------------------


def bonus(t: Table, dimension: int = board.PUBLIC_OPINION) -> Table:
    return let_bot(t, (frames.ASK_BONUS, dimension))


def bonus_action(t: Table) -> str:
    """The bonus action that the bot took."""
    lines = [line.split(": ")[1] for line in t.log if "bonus action in" in line]
    return lines[0] if lines else "nothing"


HOLDING = {PRESS: (1, 0), MOVEMENTS: (1, 0)}
BONUS_LIST = {  # position, the action, the map after it
    "1 Spread for two": ({PRESS: (3, 0)}, "Spread Influence", {PRESS: (1, 0), CHURCH: (1, 0), MOVEMENTS: (1, 0)}),
    "1 before Turncoat": (
        {PRESS: (3, 0), CHURCH: (1, 1), MOVEMENTS: (0, 0)},
        "Spread Influence",
        {PRESS: (1, 0), CHURCH: (2, 1)},
    ),
    "2 Turncoat adds from -1": ({**HOLDING, CHURCH: (0, 1)}, "Turncoat", {CHURCH: (1, 0), PRESS: (1, 0)}),
    "2 Turncoat adds from 0": ({**HOLDING, CHURCH: (1, 1)}, "Turncoat", {CHURCH: (2, 0)}),
    "2 Turncoat where it adds, not where it breaks": (
        {PRESS: (1, 0), CHURCH: (1, 1), MOVEMENTS: (0, 2)},
        "Turncoat",
        {CHURCH: (2, 0), MOVEMENTS: (0, 2)},
    ),
    "2 before Spread for one": ({PRESS: (2, 0), CHURCH: (0, 1)}, "Turncoat", {PRESS: (2, 0), CHURCH: (1, 0)}),
    "3 Spread for one": ({PRESS: (2, 0), CHURCH: (1, 0)}, "Spread Influence", {PRESS: (1, 0), MOVEMENTS: (1, 0)}),
    "4 De-escalate": ({**HOLDING, PRESS: (3, 0), CHURCH: (1, 0)}, "De-escalate", {PRESS: (2, 0), CHURCH: (1, 0)}),
    "4 adds control": (
        {PRESS: (4, 1), CHURCH: (4, 4), MOVEMENTS: (1, 0)},
        "De-escalate",
        {PRESS: (3, 1), CHURCH: (4, 3)},
    ),
    "4 fewest cubes": (
        {PRESS: (4, 1), CHURCH: (1, 4), MOVEMENTS: (1, 0)},
        "De-escalate",
        {PRESS: (3, 0), CHURCH: (1, 4)},
    ),
    "5 Turncoat breaks": ({**HOLDING, CHURCH: (0, 2)}, "Turncoat", {CHURCH: (1, 1), PRESS: (1, 0)}),
    "6 nothing, all controlled": ({**HOLDING, CHURCH: (1, 0)}, "nothing", {CHURCH: (1, 0), PRESS: (1, 0)}),
    "6 nothing, out of reach": ({**HOLDING, CHURCH: (0, 3)}, "nothing", {CHURCH: (0, 3), PRESS: (1, 0)}),
    "6 pivotal needs 3 more": ({PRESS: (2, 0), CHURCH: (1, 0), MOVEMENTS: (1, 0)}, "nothing", {PRESS: (2, 0)}),
}


def test_r24_the_pivotal_list():
    for bot, (case, (position, action, result)) in product((COMMUNE, VERSAILLES), BONUS_LIST.items()):
        t = bonus(solo_table(bot, position).momentum(commune=3))
        assert bonus_action(t) == action, (bot, case)
        assert {name: cubes_in(t, name) for name in result} == result, (bot, case)
        t.sound()


NO_CUBES = {
    "Turncoat is skipped for Spread": ({PRESS: (2, 0), CHURCH: (0, 1)}, "Spread Influence", {MOVEMENTS: (1, 0)}),
    "De-escalate where the player has 1 more": (
        {PRESS: (4, 1), CHURCH: (3, 4), MOVEMENTS: (1, 0)},
        "De-escalate",
        {PRESS: (3, 1), CHURCH: (3, 3)},
    ),
    "no Turncoat to break": ({**HOLDING, CHURCH: (0, 2)}, "nothing", {CHURCH: (0, 2)}),
    "no Turncoat to add": ({**HOLDING, CHURCH: (0, 1)}, "nothing", {CHURCH: (0, 1)}),
}


def test_r24_the_pivotal_list_without_available_cubes():
    for bot, (case, (position, action, result)) in product((COMMUNE, VERSAILLES), NO_CUBES.items()):
        t = bonus(solo_table(bot, position).momentum(commune=3).stock(bot, track=(0, 0, 0, 2)))
        assert bonus_action(t) == action, (bot, case)
        assert {name: cubes_in(t, name) for name in result} == result, (bot, case)


@BOTS
def test_r24_spread_never_gives_up_control(bot):
    t = bonus(solo_table(bot, {VALERIEN: (2, 0)}), board.FORTS)
    assert bonus_action(t) == "Spread Influence" and cubes_in(t, VALERIEN) == (1, 0)  # one space, not two
    t = bonus(solo_table(bot, {VALERIEN: (2, 1)}), board.FORTS)
    assert bonus_action(t) == "nothing" and cubes_in(t, VALERIEN) == (2, 1)


@BOTS
def test_r24_spread_may_move_two_cubes_into_one_space(bot):
    t = bonus(solo_table(bot, {PRESS: (3, 0), CHURCH: (1, 2), MOVEMENTS: (1, 0)}).stock(bot))
    assert bonus_action(t) == "Spread Influence" and cubes_in(t, CHURCH) == (3, 2) and cubes_in(t, PRESS) == (1, 0)


@BOTS
def test_r24_spread_and_turncoat_use_the_place_table(bot):
    position = {VALERIEN: (2, 0), ISSY: (0, 0), VINCENNES: (0, 1)}
    t = bonus(solo_table(bot, position).stock(bot), board.FORTS)  # no cubes: Spread for one, where control is added
    assert choices(t, PLACE) == [(0, ISSY)] and cubes_in(t, ISSY) == (1, 0)
    t = bonus(solo_table(bot, {PRESS: (1, 0), CHURCH: (0, 1), MOVEMENTS: (1, 1)}))
    assert bonus_action(t) == "Turncoat" and choices(t, PLACE) == [(4, CHURCH)]
    t = bonus(solo_table(bot, {PRESS: (1, 0), CHURCH: (0, 1), MOVEMENTS: (0, 1)}).objective(bot, 50))
    assert bonus_action(t) == "Turncoat" and choices(t, PLACE) == [(3, MOVEMENTS)]


@BOTS
def test_r24_the_die_of_a_spread_is_rolled_once_for_where_the_cube_goes(bot):
    t = solo_table(bot, {MONTMARTRE: (3, 0)}).stock(bot)
    t.s.cubes[:, space(CAILLES)] = t.s.cubes[:, space(LACHAISE)] = 1
    destinations = set()
    start = t.batch.states.copy()
    for roll in range(16):
        t.batch.states[:] = start
        t.s.draws[BOT] = 100 * roll
        bonus(t, board.PARIS)
        moves = [line.split(" to ")[1] for line in t.log if "moves a cube" in line]
        assert moves == [name for _, name in choices(t, PLACE)] and len(moves) == 2
        destinations.add(moves[0])
    assert destinations == {CAILLES, LACHAISE}


@BOTS
def test_r24_the_die_says_which_surplus_cube_goes(bot):
    t = solo_table(bot, {VALERIEN: (1, 0), ISSY: (2, 0), VINCENNES: (2, 0)})
    start, outcomes = t.batch.states.copy(), set()
    for roll in range(24):
        t.batch.states[:] = start
        t.s.draws[BOT] = 100 * roll
        bonus(t, board.FORTS)
        assert bonus_action(t) == "De-escalate"
        outcomes.add((cubes_in(t, VALERIEN)[0], cubes_in(t, ISSY)[0], cubes_in(t, VINCENNES)[0]))
    assert outcomes == {(1, 1, 2), (1, 2, 1)}


@BOTS
def test_r24_de_escalate_reads_the_removal_table(bot):
    position = {PRESS: (4, 1), CHURCH: (4, 4), MOVEMENTS: (4, 4)}
    t = bonus(solo_table(bot, position).objective(bot, 50))
    assert bonus_action(t) == "De-escalate" and choices(t, REMOVE)[0][1] in (CHURCH, MOVEMENTS)


PIVOTAL = {VALERIEN: (1, 0), MONTMARTRE: (1, 0), PRESS: (0, 1), ASSEMBLY: (0, 1)}


@BOTS
def test_r24_with_initiative_the_bot_takes_its_bonus_actions_after_the_player(bot):
    t = solo_table(bot, PIVOTAL).objective(bot, 43).objective(1 - bot, 49)
    t.s.plays, t.s.initiative = 6, bot
    go_on(t, state.PLAYING)
    assert t.pending == (frames.ASK_BONUS_ORDER, 1 - bot)
    assert t.legal == {"dimension Institutional", "dimension Public Opinion"}
    t.do("dimension Public Opinion", "done")  # the second one of the player's is the only one left
    assert t.pending == (frames.ASK_BONUS, 1 - bot)
    t.do("done")
    assert t.legal == {"dimension Forts", "dimension Paris"}  # the player orders the bot's actions as well


@BOTS
def test_r24_with_initiative_the_player_orders_all_bonus_actions(bot):
    t = solo_table(bot, PIVOTAL).objective(bot, 43).objective(1 - bot, 49)
    t.s.plays, t.s.initiative = 6, 1 - bot
    go_on(t, state.PLAYING)
    assert t.legal == {f"dimension {name}" for name in board.DIMENSION_NAMES}


# -- steps 7 and 8: scoring ------------------------------------------------------------------------------------------


BOTH_HOLD_ONE = {**dict.fromkeys(INSTITUTIONAL, (1, 0)), **dict.fromkeys(OPINION, (0, 1))}


def round_end(bot: int, position: dict[str, tuple[int, int]], initiative: int) -> Table:
    """The end of round 1, neither Final Crisis zone breached; objectives: the bot Royalists, the player the Church."""
    t = solo_table(bot, position).objective(bot, 51).objective(1 - bot, 49)
    t.s.initiative = initiative
    t.s.objective_known[bot] = 1
    return t.stock(COMMUNE, track=(3, 2, 2, 2)).stock(VERSAILLES, track=(1, 2, 1, 2))


@BOTS
@pytest.mark.parametrize(("at_the_bots_end", "result"), [(True, 5), (False, -4)])
def test_r20_step_7_the_player_scores_first_when_the_bot_has_the_initiative(bot, at_the_bots_end, result):
    sign = 1 if bot == COMMUNE else -1  # whoever scores first at the own end of the track loses the gain
    t = round_end(bot, BOTH_HOLD_ONE, bot).vp(political=5 * sign if at_the_bots_end else -5 * sign)
    t.s.objective_zone[[51 - 42, 49 - 42]] = state.OBJECTIVE_DECK
    t.objective(bot, 43).objective(1 - bot, 46)  # nobody controls a target
    go_on(t, state.DIMENSION_SCORING)
    assert t.s.vp[board.POLITICAL] == result * sign


@BOTS
def test_r20_step_7_the_player_orders_the_scoring_with_the_initiative(bot):
    t = round_end(bot, BOTH_HOLD_ONE, 1 - bot).vp(political=5)
    go_on(t, state.DIMENSION_SCORING)
    assert t.pending == (frames.ASK_SCORE_ORDER, 1 - bot)


def test_r20_step_8_the_bot_scores_both_targets_the_player_only_its_own():
    for bot, (position, bot_vp) in product(
        (COMMUNE, VERSAILLES),
        [
            ({CHURCH: (0, 1)}, -1),  # the player holds its own target
            ({ROYALISTS: (0, 1)}, 0),  # the player holds the bot's target: nothing
            ({CHURCH: (0, 1), ROYALISTS: (0, 1)}, -1),
            ({CHURCH: (1, 0)}, 1),  # the bot holds the player's target
            ({ROYALISTS: (1, 0)}, 1),
            ({CHURCH: (1, 0), ROYALISTS: (1, 0)}, 2),
        ],
    ):
        case = (bot, position, bot_vp)
        t = go_on(round_end(bot, position, COMMUNE), state.OBJECTIVE_SCORING)
        assert t.s.vp[board.POLITICAL] == bot_vp * (1 if bot == COMMUNE else -1), case
        assert t.s.fulfilled[bot] == int(position.get(ROYALISTS) == (1, 0)), case  # only its own card


BOTH_FULFIL = {ROYALISTS: (1, 0), CHURCH: (0, 1), REPUBLICANS: (0, 2)}


@BOTS
def test_r20_step_8_with_initiative_the_bots_objective_event_follows_the_players(bot):
    t = go_on(round_end(bot, BOTH_FULFIL, bot), state.OBJECTIVE_SCORING)
    assert t.pending == (frames.ASK_WHETHER, 1 - bot) and events(t) == []
    t.do("yes", "done")
    assert events(t) == [49, 51] and t.s.fulfilled.tolist() == [1, 1]
    assert cubes_in(t, REPUBLICANS) == (0, 0)  # as completely as possible


@BOTS
def test_r20_step_8_with_initiative_the_player_orders_the_events(bot):
    t = go_on(round_end(bot, BOTH_FULFIL, 1 - bot), state.OBJECTIVE_SCORING)
    assert t.pending == (frames.ASK_EVENT_ORDER, 1 - bot)
    t.do(f"first {SIDE[bot]}")
    assert events(t) == [51]


@BOTS
def test_the_bots_objective_event_is_not_used_without_effect_but_counts_as_fulfilled(bot):
    t = go_on(round_end(bot, {ROYALISTS: (1, 0)}, bot), state.OBJECTIVE_SCORING)
    assert events(t) == [] and t.s.fulfilled[bot] == 1 and t.s.round_number == 2


# -- R25: the bot's cube for the player's momentum -------------------------------------------------------------------


def test_r25_the_bot_places_a_cube_when_the_players_momentum_reaches_2_or_3():
    for bot, (old, cubes) in product((COMMUNE, VERSAILLES), [(0, 0), (1, 1), (2, 1)]):
        player = 1 - bot
        t = solo_table(bot).hand(player, 35, 36)
        t.s.momentum[player] = old
        ask_player(t, frames.ASK_CARD).do("card 35", "use momentum")
        gift, pivotal = (INSTITUTIONAL, ASSEMBLY) if player == COMMUNE else (OPINION, PRESS)
        assert placed(t) == [pivotal] * cubes and set(placed(t)) <= set(gift), (bot, old, cubes)
        assert choices(t, PLACE) == [(3, pivotal)] * cubes, (bot, old, cubes)


GIFT = {COMMUNE: OPINION, VERSAILLES: INSTITUTIONAL}  # by side of the bot: where its cube goes


def gift(t: Table) -> Table:
    """Let the player raise its momentum to 2."""
    player = 1 - int(t.s.bot)
    t.hand(player, 35, 36).s.momentum[player] = 1
    return ask_player(t, frames.ASK_CARD).do("card 35", "use momentum")


@BOTS
@pytest.mark.parametrize("own", [2, 3])
def test_r26_where_no_space_has_room_that_row_is_skipped(bot, own):
    t = gift(solo_table(bot, dict.fromkeys(GIFT[bot], (own, 0))))
    assert len(placed(t)) == 1 and cubes_in(t, placed(t)[0]) == (own + 1, 0)


def test_r26_where_one_space_has_room_that_row_decides():
    for bot, only in product((COMMUNE, VERSAILLES), [0, 1, 2]):
        t = solo_table(bot, dict.fromkeys(GIFT[bot], (2, 0)) | {GIFT[bot][only]: (2, 2)})
        assert choices(gift(t), PLACE) == [(1, GIFT[bot][only])] and placed(t) == [GIFT[bot][only]], (bot, only)


@BOTS
def test_r26_without_room_the_next_rows_decide(bot):
    """Nobody's control can change and nothing is isolated: the fewest player cubes, row 9."""
    first, pivotal, last = GIFT[bot]
    t = gift(solo_table(bot, {first: (3, 2), pivotal: (3, 1), last: (3, 2)}))
    assert choices(t, PLACE) == [(9, pivotal)] and placed(t) == [pivotal]


@BOTS
def test_r26_the_cube_is_declined_with_4_cubes_everywhere_or_none_available(bot):
    for t in (solo_table(bot, dict.fromkeys(GIFT[bot], (4, 0))), solo_table(bot).stock(bot, track=(0, 0, 0, 2))):
        assert placed(gift(t)) == [] and t.s.momentum[1 - bot] == 2
    t = solo_table(bot, dict.fromkeys(GIFT[bot], (4, 0)) | {GIFT[bot][0]: (3, 0)})
    assert placed(gift(t.stock(bot, track=(1, 0, 0, 2)))) == [GIFT[bot][0]]


def test_r26_in_the_bots_own_event_the_cube_needs_no_room_either():
    t = solo_table(VERSAILLES, dict.fromkeys(INSTITUTIONAL, (3, 0)) | {CHURCH: (0, 1)}).momentum(commune=1)
    bot_turn(t, 16)
    assert t.s.momentum[COMMUNE] == 2 and placed(t)[1] in INSTITUTIONAL and cubes_in(t, placed(t)[1]) == (4, 0)


@BOTS
def test_r26_placements_of_events_still_need_room(bot):
    t = let_bot(solo_table(bot, dict.fromkeys(GIFT[bot], (3, 0))), (frames.ASK_PLACE, 1, mask(*GIFT[bot]), 1))
    assert placed(t) == []


def available_by_hand(s, bot: int) -> int:
    """The bot's available cubes (R21)."""
    late = s.round_number >= 3 and s.first_final_breach != state.NOBODY
    return int(s.pool[bot] + s.track[bot, :3].sum() + (s.track[bot, 3] if late else 0))


@pytest.mark.many_games
@BOTS
def test_r26_in_whole_games_the_cube_goes_down_whenever_it_can(bot):
    """A player that raises its momentum whenever it may, and plays at random otherwise."""
    batch = GameBatch(solo(), 1, 26, options={"side": SIDE[1 - bot].lower()})
    use, rng, raised = batch.game.actions.parse("use momentum"), np.random.default_rng(26), []
    while len(raised) < 12 or len(set(raised)) < 2:
        old, legal = batch.get_state().view(np.recarray)[0], batch.action_mask[0].copy()
        batch.step([use if legal[use] else int(rng.choice(np.flatnonzero(legal)))])
        if legal[use] and old.momentum[1 - bot] > 0:
            log = "\n".join(batch.journal())
            at_once = rf"momentum of {SIDE[1 - bot]}: [23]\n(?:  Aid.*\n)?{SIDE[bot]} places a cube in"
            below_4 = any(old.cubes[bot, space(name)] < 4 for name in GIFT[bot])
            raised.append(re.search(at_once, log) is not None)
            assert raised[-1] == (below_4 and available_by_hand(old, bot) > 0)
        if batch.terminated[0]:
            batch.reset()


def test_r25_the_bots_own_event_that_raises_the_players_momentum_gives_it_a_cube():
    t = bot_turn(solo_table(VERSAILLES, {CHURCH: (0, 1)}).momentum(commune=1), 16)
    assert t.s.momentum[COMMUNE] == 2 and len(placed(t)) == 3  # replacement, gift, extra point
    assert placed(t)[1] in INSTITUTIONAL


# -- R29: what its turns leave in the journal ------------------------------------------------------------------------


@BOTS
def test_r29_no_event_writes_more_lines_than_the_journal_reckons_with(bot):
    """On maps with few and many cubes; `let_bot` leaves the event's title out, breaches are reckoned apart."""
    c = solo_table(bot).c
    cards = [card for card in range(1, 54) if c.side[card] != 1 - bot]
    assert len(cards) == 36
    for card, cubes in product(cards, ((0, 1), (1, 1), (1, 0), (0, 0))):
        t = solo_table(bot, dict.fromkeys((*MILITARY, *POLITICAL), cubes)).momentum(1, 1)
        let_bot(t, (frames.DO_EVENT, card))
        longest = limits.event_lines(t.c.program[card], 0)
        assert len(t.log) - count(t, "breached") - count(t, "VP:") < longest, (card, cubes)


# -- the Final Crisis ------------------------------------------------------------------------------------------------


def crisis_turn(t: Table, plays: int, *cards: int) -> Table:
    t.crisis(int(t.s.rounds_played) or 3)
    t.s.plays = plays
    return bot_turn(t, *cards)


@BOTS
def test_r24_cards_are_revealed_until_a_friendly_one_has_an_effect(bot):
    t = no_effect(solo_table(bot))
    crisis_turn(t, 1, ENEMY[bot], NEUTRAL, NO_EFFECT[bot], EVENT[bot], EVENT_2[bot])
    assert events(t) == [EVENT[bot]]
    assert count(t, "the Solo Opponent reveals") == 4
    assert all(t.s.zone[k] == state.DISCARDED for k in (ENEMY[bot], NEUTRAL, NO_EFFECT[bot], EVENT[bot]))
    assert t.s.top_discard == EVENT[bot] and t.s.zone[EVENT_2[bot]] == state.IN_DECK
    t.sound()


@BOTS
@pytest.mark.parametrize("rounds", [2, 3])
@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
def test_r24_the_last_play_is_the_final_crisis_card(bot, rounds, first):
    final = components.FINAL_CRISIS_CARD[bot]
    for turn in range(1, rounds + 1):
        t = solo_table(bot, {LACHAISE: (1, 0)})
        t.s.rounds_played = rounds
        crisis_turn(t, 2 * turn - int(first), EVENT[bot])
        assert events(t) == ([final] if turn == rounds else [EVENT[bot]])
        assert t.s.zone[final] == (state.REMOVED if turn == rounds else state.FACE_UP)
        assert (count(t, "the Solo Opponent reveals") == 0) == (turn == rounds)
        t.sound()


def test_r24_delescluze_gives_3_military_and_1_political_points():
    t = crisis_turn(solo_table(COMMUNE, {LACHAISE: (1, 0)}), 5)
    spheres = [space(name) // 6 for name in placed(t)]
    assert sorted(spheres) == [0, 1, 1, 1]


@BOTS
def test_r24_an_exhausted_deck_is_remade_from_discarded_and_removed_cards(bot):
    t = solo_table(bot).hand(1 - bot, 35)
    columns = [k for k in range(1, 42) if t.s.zone[k] == state.IN_DECK]
    t.gone(*columns)
    t.s.zone[ENEMY[bot]] = state.DISCARDED
    t.s.zone[EVENT[bot]], t.s.zone[EVENT_2[bot]] = state.SPENT_COMMUNE, state.SPENT_VERSAILLES
    crisis_turn(t, 1)
    assert "the strategy deck is made anew" in t.log
    assert len(events(t)) == 1 and t.c.side[events(t)[0]] == bot
    assert t.s.zone[35] == state.IN_HAND_COMMUNE + 1 - bot
    assert {k for k in range(1, 42) if t.s.zone[k] == state.NOT_USED} == {1, 12, 13, 22, 29, 30}
    assert t.s.zone[list(components.FINAL_CRISIS_CARD)].tolist() == [state.FACE_UP] * 2
    assert t.s.deck_size == len(columns) - count(t, "the Solo Opponent reveals")
    t.sound()


@BOTS
@pytest.mark.parametrize("gone", [0, 1, 9, 100])
def test_r24_the_reveal_ends_once_no_card_of_a_whole_new_deck_has_an_effect(bot, gone):
    t = solo_table(bot)
    for k in range(1, 42):
        if t.c.side[k] == bot and t.s.zone[k] == state.IN_DECK:
            t.s.zone[k] = state.IN_HAND_COMMUNE + 1 - bot  # out of reach
    cards = [k for k in range(1, 42) if t.s.zone[k] == state.IN_DECK]
    t.gone(*cards[:gone])
    crisis_turn(t, 1)
    assert events(t) == [] and t.pending == (PAUSE[0], 1 - bot)
    revealed = [int(k) for k in re.findall("the Solo Opponent reveals ([0-9]+)", "\n".join(t.log))]
    assert set(revealed[: len(cards[gone:])]) == set(cards[gone:])  # the rest of the deck, then all of them
    assert sorted(revealed[len(cards[gone:]) :]) == cards
    assert count(t, "the strategy deck is made anew") == 1 and t.s.deck_size == 0
    t.sound()


@BOTS
def test_r24_a_new_deck_is_searched_to_its_last_card(bot):
    for seed in range(8):
        t = solo_table(bot, seed=seed)
        for k in range(1, 42):
            if t.c.side[k] == bot and t.s.zone[k] == state.IN_DECK:
                t.s.zone[k] = state.IN_HAND_COMMUNE + 1 - bot
        assert events(crisis_turn(t.gone(EVENT[bot]), 1)) == [EVENT[bot]]


def test_r24_without_any_card_there_is_nothing_to_reveal():
    t = solo_table(COMMUNE)
    for k in range(1, 42):
        if t.s.zone[k] == state.IN_DECK:
            t.s.zone[k] = state.IN_HAND_COMMUNE + VERSAILLES
    assert events(crisis_turn(t, 1)) == [] and count(t, "reveals") == 0


def test_r3_in_a_round_an_exhausted_deck_is_remade_from_the_discards_alone():
    t = solo_table(VERSAILLES)
    t.gone(*(k for k in range(1, 42) if t.s.zone[k] == state.IN_DECK))
    t.s.zone[NEUTRAL] = state.DISCARDED
    bot_turn(t)
    assert "the Solo Opponent reveals 38 Victor Hugo" in t.log and t.s.deck_size == 0


@BOTS
def test_r16_the_bot_decides_on_its_own_card_that_the_player_plays(bot):
    t = solo_table(bot).crisis(3).hand(1 - bot, EVENT[bot], 35)
    ask_player(t, frames.ASK_CRISIS_CARD).do(f"card {EVENT[bot]}")
    assert events(t) == [EVENT[bot]] and len(placed(t)) == 2
    assert f"{SIDE[bot]} carries out the event of {EVENT[bot]}" in "\n".join(t.log)


@BOTS
def test_r16_the_bot_declines_its_own_card_without_effect(bot):
    t = no_effect(solo_table(bot)).crisis(3).hand(1 - bot, NO_EFFECT[bot], 35)
    ask_player(t, frames.ASK_CRISIS_CARD).do(f"card {NO_EFFECT[bot]}")
    assert events(t) == [] and t.s.top_discard == NO_EFFECT[bot]


@BOTS
def test_the_bots_final_crisis_card_is_not_gathered_and_the_player_gathers_its_own(bot):
    t = solo_table(bot).objective(bot, 43).objective(1 - bot, 46)
    for card in (35, 36, 40):
        t.s.zone[card] = state.ASIDE_COMMUNE + 1 - bot
    t.s.round_number, t.s.initiative = 3, bot
    go_on(t, state.CHECK)
    assert t.pending == (frames.ASK_CRISIS_DISCARD, 1 - bot) and len(t.legal) == 4
    assert t.s.zone[components.FINAL_CRISIS_CARD[bot]] == state.FACE_UP


@BOTS
@pytest.mark.parametrize("bot_first", [True, False])
def test_after_the_bots_last_card_the_player_acting_second_plays_the_last_one(bot, bot_first):
    t = solo_table(bot, {LACHAISE: (1, 0)}).crisis(3).hand(1 - bot, 40)
    t.s.plays, t.s.initiative = 4, bot if bot_first else 1 - bot
    t.s.momentum[bot] = 1
    go_on(t, state.CRISIS_PLAYING)
    assert (events(t) == [components.FINAL_CRISIS_CARD[bot], 40]) == bot_first
    assert (events(t) == [40]) != bot_first and t.pending == (frames.ASK_PLACE, 1 - bot)


def test_r24_an_event_whose_must_cannot_be_met_is_passed_over_in_the_final_crisis():
    assert events(crisis_turn(solo_table(COMMUNE), 1, 20, 21)) == [21]
    assert events(crisis_turn(solo_table(COMMUNE).momentum(commune=1), 1, 20, 21)) == [20]


# -- game end --------------------------------------------------------------------------------------------------------


def test_r17_the_bot_wins_what_would_go_to_the_tiebreaker():
    for bot, vp in product((COMMUNE, VERSAILLES), [(0, 0), (-1, 1), (2, -2)]):
        t = solo_table(bot).vp(political=vp[0], military=vp[1])
        t.s.fulfilled[1 - bot], t.s.initiative = 2, 1 - bot  # the player would win the tiebreakers
        go_on(t, state.GAME_END)
        assert t.s.over == 1 and t.s.winner == bot and t.s.end_reason == state.SOLO_TIE, (bot, vp)
        assert t.batch.rewards[0, 0] == -1, (bot, vp)


# -- what the bot may know, and chance -------------------------------------------------------------------------------


@BOTS
def test_the_bot_reads_neither_hand_nor_decks(bot):
    player = 1 - bot
    position = {PRESS: (1, 1), CHURCH: (0, 1), REPUBLICANS: (1, 2), VINCENNES: (1, 1), LACHAISE: (1, 0)}
    t = solo_table(bot, position).hand(player, 35, 36, 3, 21).objective(player, 47).objective(bot, 52)
    t.s.objective_known[bot] = 1
    push(t, PAUSE[0], player, PAUSE[1])
    push(t, frames.ASK_OPERATION, bot, 4, mask(*POLITICAL), mask(*POLITICAL))
    t.ask(PAUSE[0], player, PAUSE[1])
    start, key = t.batch.states.copy(), t.s.key.copy()
    t.do("done")
    answer, decks = t.log, set()
    for again in range(12):
        t.batch.states[:] = start
        t.batch.determinize(0, again)
        t.s.key[:] = key  # the same dice
        # And another hand, which the player's own determinization leaves alone.
        hand, deck = 35, int(t.s.deck[again])
        t.s.zone[hand], t.s.zone[deck], t.s.deck[again] = state.IN_DECK, state.IN_HAND_COMMUNE + player, hand
        decks.add(tuple(t.s.deck))
        t.sound().do("done")
        assert t.log == answer
    assert len(decks) == 12 and answer


@BOTS
def test_the_bot_does_not_read_the_players_objective(bot):
    logs = set()
    for number in (42, 45, 46, 48, 49, 50, 53):
        t = solo_table(bot, {PRESS: (0, 2), CHURCH: (0, 1), ISSY: (0, 1)}).objective(1 - bot, number).objective(bot, 52)
        logs.add(tuple(bot_turn(t, NEUTRAL).log))
    assert len(logs) == 1


def test_r25_the_die_comes_from_the_seeded_stream():
    t = solo_table(VERSAILLES)
    question = (frames.ASK_PLACE, 1, mask(CHURCH, MOVEMENTS), 0, 0)
    first, second = over_the_dice(t, 8, question), over_the_dice(t, 8, question)
    assert [choice for choice, _ in first] == [choice for choice, _ in second]
    draws = {int(record["draws"][0, BOT]) - 100 * roll for roll, (_, record) in enumerate(first)}
    assert draws == {1}


# -- other component sets --------------------------------------------------------------------------------------------


def own_card(folder, bot: int, *event: str):
    """A component file that changes the event of EVENT[bot]."""
    file = folder / "own.toml"
    rows = ", ".join(f'"{row}"' for row in event)
    file.write_text(
        f'[[strategy_card]]\nnumber = {EVENT[bot]}\nname = "Own card"\nside = "{SIDE[bot]}"\npoints = 1\n'
        f'event = [{rows}]\nprovenance = "printed"\n'
    )
    return file


@BOTS
def test_r20_only_the_players_momentum_in_an_own_set_is_no_effect_for_either_bot(bot, tmp_path):
    file = own_card(tmp_path, bot, "replace 1 in Press", "enemy momentum +1")
    t = bot_turn(solo_table(bot, components=file), EVENT[bot])
    assert events(t) == [] and t.s.momentum[1 - bot] == 0
    t = bot_turn(solo_table(bot, {PRESS: (0, 1)}, components=file), EVENT[bot])
    assert events(t) == [EVENT[bot]] and t.s.momentum[1 - bot] == 1


@BOTS
def test_the_bot_declines_what_concerns_a_hand_or_the_discards(bot, tmp_path):
    file = own_card(tmp_path, bot, "place up to 1 in Press", "use any discard", "swap card")
    t = solo_table(bot, components=file).discarded(38, by=1 - bot)
    bot_turn(t, EVENT[bot])
    assert events(t) == [EVENT[bot]] and len(placed(t)) == 2
    t.sound()


@BOTS
def test_the_bot_moves_cubes_by_the_place_table(bot, tmp_path):
    file = own_card(tmp_path, bot, "move up to 1 from Paris to Forts")
    t = bot_turn(solo_table(bot, {CAILLES: (2, 0)}, components=file), EVENT[bot])
    assert f"{SIDE[bot]} moves a cube from {CAILLES} to {VALERIEN}" in t.log


def test_r31_asked_about_momentum_the_bot_declines_to_raise_the_players_alone():
    for bot, (own, step, changes) in product(
        (COMMUNE, VERSAILLES), [(True, 1, True), (True, -1, True), (False, 1, False), (False, -1, True)]
    ):
        about = bot if own else 1 - bot
        t = solo_table(bot).momentum(1, 1)
        let_bot(t, (frames.ASK_WHETHER, frames.WHETHER_MOMENTUM, about, step))
        assert t.s.momentum[about] == (1 + step if changes else 1), (bot, own, step, changes)
        assert t.s.momentum[1 - about] == 1, (bot, own, step, changes)


@BOTS
def test_r31_lowering_the_own_momentum_in_an_own_set_is_an_effect_for_either_bot(bot, tmp_path):
    for event in ("own momentum -1", "may: own momentum -1"):
        file = own_card(tmp_path, bot, event)
        t = bot_turn(solo_table(bot, components=file).momentum(2, 2), EVENT[bot])
        assert events(t) == [EVENT[bot]] and t.s.momentum[bot] == 1 and t.s.momentum[1 - bot] == 2


def test_aid_two_spaces_are_still_told_apart_by_the_table():
    """The die decides only between spaces that the whole table leaves ("Selecting Spaces")."""
    for bot, seed in product((COMMUNE, VERSAILLES), range(8)):
        t = solo_table(bot, {PRESS: (0, 3), CHURCH: (1, 0), MOVEMENTS: (1, 1)}, seed=seed)
        let_bot(t, (frames.ASK_PLACE, 1, mask(PRESS, MOVEMENTS)))
        assert cubes_in(t, MOVEMENTS) == (2, 1), (
            bot,
            seed,
        )  # control of a space and of its whole dimension is nearer here
        assert cubes_in(t, PRESS) == (0, 3), (bot, seed)
