"""Attacks on armies: targets, costs, the roll, and the effects of a victory or a failure."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse import board, journal, movement, politics, state, tracks
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State

AT_SEA = 4  # the British army there can be fought by a Naval Action only (7.3)
LAST_IN_FRANCE = 2  # box of the British army up to which a Naval Action may fight it, and drives it back two (L27, L28)


@small_rule
def succeeds(die: int, drm: int, value: int) -> bool:
    """True on a natural 6, or if the modified die beats the value; never on a natural 1 (7.0, L18)."""
    return die == 6 or (die != 1 and die + drm > value)


# -- targets -------------------------------------------------------------------------------------------------------


@rule
def engageable(s: State, army: int) -> bool:
    """True if the army stands nearest Paris on its track, behind no stationary one in its box (L41)."""
    if not tracks.on_map(s, army) or s.box[army] != tracks.front(s, board.TRACK_OF[army]):
        return False

    for blocker in range(board.FIRST_STATIONARY, board.ARMIES):
        if blocker != army and army < board.FIRST_STATIONARY and s.box[blocker] == s.box[army]:
            if board.TRACK_OF[blocker] == board.TRACK_OF[army]:
                return False
    return True


@rule
def military_target(s: State, army: int) -> bool:
    """True if a Military Action may be against this army (7.2): not At Sea, nor, except by 10.6.1, at its start.

    A stationary army has no start: it can be attacked in box 5 too (L50).
    """
    if not engageable(s, army) or (army == board.BRITISH and s.box[army] == AT_SEA):
        return False

    pressed = s.decisive == 1 and not movement.rotated(s, army)
    return s.box[army] != board.START or army >= board.FIRST_STATIONARY or pressed


@small_rule
def naval_target(s: State) -> bool:
    """True if a Naval Action is possible: the British army At Sea, or in France at box 1 or 2 (L27)."""
    box = s.box[board.BRITISH]
    return box == AT_SEA or (box >= 1 and box <= LAST_IN_FRANCE)


@small_rule
def in_square(s: State, c: Components, army: int) -> bool:
    """True if an army stands in a square space."""
    return tracks.on_map(s, army) and c.square_space[board.TRACK_OF[army], s.box[army]] == 1


@small_rule
def at_barricades(s: State, army: int) -> bool:
    """True if a Military Action against the army is free: the first in Paris, To the Barricades! (7.2, L26)."""
    return s.box[army] == board.PARIS and s.attacked[army] == 0


@small_rule
def affordable(s: State, c: Components, army: int) -> bool:
    """True if there is an Action for a Military Action against this army, or none is needed."""
    funded = s.actions_left > 0 or s.emergency > 0 or (s.inside > 0 and in_square(s, c, army))
    return funded or at_barricades(s, army)


@small_rule
def liberated_under(s: State, army: int) -> bool:
    """True if the space that an army occupies holds a Liberation marker that has not fought yet this turn (10.2)."""
    track = board.TRACK_OF[army]
    box = s.box[army]
    return box != board.OFF_MAP and s.liberated[track, box] == 1 and s.spirit_used[track, box] == 0


# -- rolls ---------------------------------------------------------------------------------------------------------


@rule
def attack(s: State, c: Components, army: int) -> None:
    """Carry out a Military Action (7.2), paid with the most restricted Action that the side has."""
    if at_barricades(s, army):
        s.roll_kind = state.BY_BARRICADE
    else:
        s.roll_kind = state.BY_ACTION
        if s.inside > 0 and in_square(s, c, army):
            s.inside -= 1
        elif s.emergency > 0:
            s.emergency -= 1
        else:
            s.actions_left -= 1
    fight(s, c, army)


@rule
def spirit_attack(s: State, c: Components, army: int) -> None:
    """Let the liberated space fight the army in it by itself (10.2)."""
    s.spirit_used[board.TRACK_OF[army], s.box[army]] = 1
    s.roll_kind = state.BY_SPIRIT
    fight(s, c, army)


@rule
def naval_attack(s: State, c: Components) -> None:
    """Carry out a Naval Action (7.3)."""
    s.actions_left -= 1
    s.roll_kind = state.BY_SEA
    fight(s, c, board.BRITISH)


@rule
def fight(s: State, c: Components, army: int) -> None:
    """Roll for an attack; what the last reserves or the forces of order could change is asked about."""
    s.roll_army = army
    s.roll_die = movement.roll_die(s)
    if s.roll_kind == state.BY_SEA:
        note(s, journal.NOTE_NAVAL, s.roll_die, naval_drm(s, c), 0)
    else:
        s.attacked[army] = 1
        note(s, journal.NOTE_ATTACK, army, s.roll_die, military_drm(s, c, army))
    settle_unless_asked(s, c)


@rule
def settle_unless_asked(s: State, c: Components) -> None:
    """Settle a roll, or ask first what to do about it."""
    if may_reroll(s, c) or may_add_one(s, c) or napoleon_may_join(s, c):
        s.question = state.ASK_ROLL
    else:
        settle_battle(s, c, battle_won(s, c, 0))


@small_rule
def naval_drm(s: State, c: Components) -> int:
    """The card's Naval DRM; nothing else counts at sea (L29)."""
    return c.headline[s.headline, HEAD.naval]


@rule
def military_drm(s: State, c: Components, army: int) -> int:
    """The French Army's DRM, and outside its limit the card's against one army and Napoleon's (L23, L43)."""
    if s.roll_kind == state.BY_SPIRIT:  # L38
        return 0
    drm = s.french_army
    if c.headline[s.headline, HEAD.army] == army + 1:
        drm += c.headline[s.headline, HEAD.army_drm]
    return drm + int(s.napoleon_army == army)


@rule
def battle_won(s: State, c: Components, bonus: int) -> bool:
    """True if the pending roll beats its army; where Napoleon fights, a natural 5 may do so (10.6.1)."""
    army = s.roll_army
    die = s.roll_die
    if s.roll_kind == state.BY_SEA:
        return succeeds(die, naval_drm(s, c), c.navy_value)
    return decisive_victory(s) or succeeds(die, military_drm(s, c, army) + bonus, c.battle_value[army])


@rule
def may_be_decisive(s: State) -> bool:
    """True if 10.6 applies to the roll: a Military Action, and not against the rotated Prussian army (L45)."""
    return s.decisive == 1 and s.roll_kind != state.BY_SEA and not movement.rotated(s, s.roll_army)


@rule
def by_napoleon(s: State) -> bool:
    """True if Napoleon fights in the roll: not where a liberated space does (10.2)."""
    return s.napoleon_army == s.roll_army and s.roll_kind != state.BY_SPIRIT


@rule
def decisive_victory(s: State) -> bool:
    """True for a natural 6, or 5 where Napoleon fights, against an army that 10.6 applies to."""
    return may_be_decisive(s) and s.roll_die >= 6 - int(by_napoleon(s))


@small_rule
def reserves_left(s: State) -> bool:
    """True if the last reserves can still be committed: once a turn (10.4)."""
    return s.reserves == 1 and s.reserves_used == 0


@rule
def may_reroll(s: State, c: Components) -> bool:
    """True if the last reserves can be committed, and a better roll would lead to another position (L51, L52)."""
    return reserves_left(s) and (success_improvable(s, c) if battle_won(s, c, 0) else failure_improvable(s, c))


@rule
def napoleon_may_join(s: State, c: Components) -> bool:
    """True if Napoleon can come for the reroll of a failed Military Action, and it would be worth rolling (L53)."""
    by_action = s.roll_kind == state.BY_ACTION or s.roll_kind == state.BY_BARRICADE
    if s.napoleon != state.NAPOLEON_HELD or not by_action or not reserves_left(s) or battle_won(s, c, 0):
        return False

    # Try the position with him.
    s.napoleon_army = s.roll_army
    improvable = failure_improvable(s, c)
    s.napoleon_army = state.NO_ARMY
    return improvable


@rule
def failure_improvable(s: State, c: Components) -> bool:
    """True if a victory would lead to another position than the failure that was rolled (L52).

    No victory moves or turns a routed army at its start. A 1 and a liberated space have their own price.
    """
    at_start, routed = stands_at_start(s), s.disarray[s.roll_army] == state.ROUTED
    changes = not at_start or not routed or s.roll_die == 1 or s.roll_kind == state.BY_SPIRIT
    return changes or marker_rises(s, c)


@rule
def success_improvable(s: State, c: Components) -> bool:
    """True if a decisive victory would lead to another position than the success that was rolled (L52).

    A stationary army leaves the map, and at its start any victory turns an army.
    """
    if not may_be_decisive(s) or decisive_victory(s):
        return False
    army = s.roll_army
    turns = army < board.FIRST_STATIONARY and not stands_at_start(s) and s.disarray[army] != state.ROUTED
    return turns or marker_rises(s, c)


@small_rule
def stands_at_start(s: State) -> bool:
    """True if the roll is against an army in its own starting hexagon; a stationary one has none."""
    return s.roll_army < board.FIRST_STATIONARY and s.box[s.roll_army] == board.START


@rule
def marker_rises(s: State, c: Components) -> bool:
    """True if a decisive victory would raise a marker, after the price at the barricades has been paid (L52)."""
    price = barricade_price(s, c)
    if price == board.NO_GOVERNMENT:
        return can_rise(s, rising_marker(s))

    # Try the position after the price.
    box = s.politics[price]
    s.politics[price] = min(board.HIGHEST, box + 1)
    rises = can_rise(s, rising_marker(s))
    s.politics[price] = box
    return rises


@small_rule
def can_rise(s: State, marker: int) -> bool:
    """True if there is such a political marker, below the highest box."""
    return marker != board.NO_GOVERNMENT and s.politics[marker] < board.HIGHEST


@rule
def barricade_price(s: State, c: Components) -> int:
    """The marker that rises by a victory at the barricades where nothing is free (10.3, L46), or NO_GOVERNMENT."""
    if s.roll_kind != state.BY_BARRICADE or s.nothing_is_free == 0:
        return board.NO_GOVERNMENT
    return board.MONARCHY if c.headline[s.headline, HEAD.colour] == board.BLUE else board.DESPOTISM


@rule
def may_add_one(s: State, c: Components) -> bool:
    """True if +1 by the forces of order makes a failed attack on an army in a square space a victory (10.5)."""
    could = s.commit_order == 1 and s.disorder == 0 and s.roll_kind != state.BY_SEA and in_square(s, c, s.roll_army)
    return could and not battle_won(s, c, 0) and battle_won(s, c, 1)


@rule
def reroll(s: State, c: Components) -> None:
    """Commit the last reserves for another roll (10.4)."""
    s.reserves_used = 1
    s.question = state.ASK_ACTION
    note(s, journal.NOTE_RESERVES, 0, 0, 0)
    fight(s, c, s.roll_army)


@rule
def reroll_with_napoleon(s: State, c: Components) -> None:
    """Send Napoleon against the army of the roll, and commit the last reserves (10.4, L53)."""
    movement.assign_napoleon(s, s.roll_army)
    reroll(s, c)


@rule
def add_one(s: State, c: Components) -> None:
    """Commit the forces of order; with +1 the attack succeeds (10.5)."""
    s.question = state.ASK_ACTION
    note(s, journal.NOTE_COMMITTED, 0, 0, 0)
    politics.set_disorder(s, 1)
    settle_battle(s, c, True)


@rule
def accept(s: State, c: Components) -> None:
    """Leave a roll as it is."""
    s.question = state.ASK_ACTION
    settle_battle(s, c, battle_won(s, c, 0))


# -- outcomes ------------------------------------------------------------------------------------------------------


@rule
def settle_battle(s: State, c: Components, won: bool) -> None:
    """Carry out an attack's outcome and clear the roll."""
    if s.roll_kind == state.BY_SEA:
        if won:
            movement.retreat(s, board.BRITISH, 2 if s.box[board.BRITISH] <= LAST_IN_FRANCE else 1)  # 7.3.2
    elif won:
        win_battle(s, c)
    else:
        lose_battle(s, c)
    s.roll_army = state.NO_ARMY
    s.roll_kind = state.BY_ACTION
    s.roll_die = 0


@rule
def win_battle(s: State, c: Components) -> None:
    """Carry out a victory: its price at the barricades, the retreat, and the gain of a decisive one."""
    army = s.roll_army
    triumph = decisive_victory(s)
    change_marker(s, c, barricade_price(s, c), 1)

    marker = rising_marker(s)  # before an army that leaves the map takes Napoleon with it
    push_back(s, army, triumph)
    if triumph:
        change_marker(s, c, marker, 1)


@rule
def lose_battle(s: State, c: Components) -> None:
    """Carry out a failure: the price for a liberated space (10.2), and a decisive defeat (10.6.2)."""
    army = s.roll_army
    decided = may_be_decisive(s)
    if s.roll_kind == state.BY_SPIRIT:
        lose_spirit(s, c, army)
    if decided and s.roll_die == 1:
        suffer_decisive_defeat(s, c, army)


@rule
def push_back(s: State, army: int, triumph: bool) -> None:
    """Drive an army back one box, off the map if stationary (L40); 10.6.1 turns it at its start or after a triumph."""
    if army >= board.FIRST_STATIONARY:
        movement.remove(s, army)
        return
    if triumph or s.box[army] == board.START:
        movement.set_disarray(s, army, s.disarray[army] + 1)
    movement.retreat(s, army, 1)


@rule
def rising_marker(s: State) -> int:
    """The marker that a decisive victory raises: the only highest one (L45); Despotism where Napoleon fights."""
    return board.DESPOTISM if by_napoleon(s) else tracks.reigning(s)


@rule
def change_marker(s: State, c: Components, marker: int, boxes: int) -> None:
    """Move a political marker, if there is one that a victory or defeat concerns (10.3, 10.6)."""
    if marker != board.NO_GOVERNMENT:
        politics.shift(s, c, marker, boxes)


@rule
def suffer_decisive_defeat(s: State, c: Components, army: int) -> None:
    """Roll a second die: up to its box number the army advances; the highest marker falls in any case (10.6.2)."""
    die = movement.roll_die(s)
    note(s, journal.NOTE_SECOND_DIE, army, die, 0)
    if die <= s.box[army]:
        movement.advance(s, c, army)
    change_marker(s, c, tracks.reigning(s), -1)


@rule
def lose_spirit(s: State, c: Components, army: int) -> None:
    """Put the marker of a failed attack into the Holding Box; Republic falls (10.2)."""
    track = board.TRACK_OF[army]
    box = s.box[army]
    hold_marker(s, track, box)
    politics.shift(s, c, board.REPUBLIC, -1)


@rule
def hold_marker(s: State, track: int, box: int) -> None:
    """Put a Liberation marker from the map into the Holding Box."""
    s.liberated[track, box] = 0
    s.markers_held += 1
    note(s, journal.NOTE_MARKER_HELD, track, box, 0)
