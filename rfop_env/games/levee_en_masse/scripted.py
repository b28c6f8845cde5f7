"""A scripted player: it takes the legal action of the highest expected worth at this moment.

Worths are about tenths of Victory Points times faces of the die: an Action that gains 30 on three faces is worth 90.
The player looks ahead to the next roll only, and sees what a player sees. The tables of worths, one row for each colour
of cards, were tuned on its own games: armies count early, points under red cards.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.legal_actions import replaces_best, tie_count
from rfop_env.core.random_stream import BOT
from rfop_env.games.levee_en_masse import actions, battle, board, government, state, tracks
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State

FACES = 6
BASE = 10  # for what the tables leave out: a point
PARIS_SAVED = 9000  # for driving an army out of Paris, before all else
HORIZON = 12  # with fewer cards to come, an army outside Paris is worth less
LIBERTY = 20  # for each point of a space to liberate
REMOVAL = 10  # more for removing a stationary army
# Worths under blue, white and red cards.
PUSH = ((140, 55, 150, 10, 0), (95, 55, 45, 40, 0), (25, 30, 50, 90, 25))  # for driving an army back from box 1, 2, ...
PENALTY = (45, 1, 1)  # for each point that an army's space costs at the end
BOX_OF = ((5, 115, 5), (250, 58, 75), (210, 210, 165))  # for a box of Monarchy, Despotism, Republic
ARMY_NOW = (150, 0, 35)  # for +1 to the French Army while Actions are left
ARMY_LATER = (0, 110, 0)  # for +1 to the French Army at any time
CALM = (290, 510, 310)  # for order in Paris while the Republic has a box to lose
URGENT = 1  # armies up to this box are worth the last reserves, Disorder, a Liberation marker


@rule
def advise(s: State, c: Components, mask: Any, n: int) -> int:
    """The legal action of the highest worth; among equals the die of stream BOT decides."""
    choice = actions.END
    best = -1
    ties = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            value = worth(s, c, action)
            ties = tie_count(value, best, ties)
            if replaces_best(s, BOT, value, best, ties):
                best = value
                choice = action
    return choice


@rule
def faces(drm: int, value: int) -> int:
    """The number of faces of the die on which an Action succeeds."""
    n = 0
    for die in range(1, FACES + 1):
        n += int(battle.succeeds(die, drm, value))
    return n


@small_rule
def colour_row(s: State, c: Components) -> int:
    """The row of the tables: the colour of the current card."""
    return c.headline[s.headline, HEAD.colour] - board.BLUE


@small_rule
def way(s: State, c: Components, box: int) -> int:
    """The way to Paris that an army loses when it is driven back from a box."""
    return PARIS_SAVED if box == board.PARIS else PUSH[colour_row(s, c)][box - 1]


@rule
def worth(s: State, c: Components, action: int) -> int:
    """The expected worth of an action; 0 for doing nothing."""
    if action < actions.MILITARY:
        return political_worth(s, c, action)
    if action < actions.NAVAL:
        return attack_worth(s, c, action - actions.MILITARY)
    if action < actions.LIBERATE:
        return naval_worth(s, c)
    if action < actions.RESTORE:
        space = action - actions.LIBERATE
        return liberation_worth(s, c, board.track_of_space(space), board.box_of_space(space))
    if action == actions.RESTORE:
        chance = FACES if government.firm_republic(s) else faces(c.headline[s.headline, HEAD.order], c.disorder_value)
        return chance * (CALM[colour_row(s, c)] if s.politics[board.REPUBLIC] > board.LOWEST else BASE)
    return special_worth(s, c, action)


@rule
def political_worth(s: State, c: Components, marker: int) -> int:
    """The worth of a Political Action: boxes of the tracks, and the effect of a new government on the French Army."""
    step = 1 if marker == board.REPUBLIC else -1
    old_drm = government_drm(s)
    s.politics[marker] += step
    new_drm = government_drm(s)
    s.politics[marker] -= step
    time = colour_row(s, c)
    army = ARMY_LATER[time] + (ARMY_NOW[time] if s.actions_left > 1 else 0)
    gain = BOX_OF[time][marker] + army * (new_drm - old_drm)
    return gain * faces(government.political_drm(s, c), s.politics[marker])


@small_rule
def government_drm(s: State) -> int:
    """The DRM that the reigning government gives to the French Army."""
    reign = tracks.reigning(s)
    return int(reign == board.REPUBLIC) - int(reign == board.MONARCHY)


@rule
def push_worth(s: State, c: Components, army: int, box: int) -> int:
    """The worth of driving an army back from a box: the way to Paris that it loses, and the points of the box."""
    if box == board.PARIS:
        return PARIS_SAVED
    ahead = min(HORIZON, s.deck_size - s.drawn)
    return way(s, c, box) * ahead // HORIZON + PENALTY[colour_row(s, c)] * c.penalty[board.TRACK_OF[army], box]


@rule
def attack_worth(s: State, c: Components, army: int) -> int:
    """The worth of driving an army back: the nearer to Paris the more, and more where it threatens a marker."""
    box = s.box[army]
    track = board.TRACK_OF[army]
    gain = push_worth(s, c, army, box) + (REMOVAL if army >= board.FIRST_STATIONARY else 0)
    gain += BASE * s.liberated[track, box] * c.space_value[track, box]
    chance = faces(battle.military_drm(s, c, army), c.battle_value[army])
    return gain * chance * (2 if battle.at_barricades(s, army) else 1)


@rule
def naval_worth(s: State, c: Components) -> int:
    """The worth of driving the British army back by sea, in France two boxes."""
    box = s.box[board.BRITISH]
    gain = push_worth(s, c, board.BRITISH, box)
    if box <= battle.LAST_IN_FRANCE:
        gain += push_worth(s, c, board.BRITISH, box + 1)
    return gain * faces(c.headline[s.headline, HEAD.naval], c.navy_value)


@rule
def liberation_worth(s: State, c: Components, track: int, box: int) -> int:
    """The worth of liberating a space: its points; half if the next advance may reach it."""
    gain = LIBERTY * c.space_value[track, box]
    chance = faces(c.headline[s.headline, HEAD.liberation], c.liberation_value)
    return gain * chance if tracks.front(s, track) - box > 1 else gain * chance // 2


@rule
def special_worth(s: State, c: Components, action: int) -> int:
    """The worth of Napoleon and the optional rules: mostly against armies in Paris, or about to take it."""
    # After a roll; with Napoleon the reserves are worth more, and a sure success most.
    if s.question == state.ASK_ROLL and action != actions.ACCEPT:
        if s.box[s.roll_army] > URGENT or battle.battle_won(s, c, 0):
            return -1
        return 3 if action == actions.COMMIT_BONUS else 1 if action == actions.RESERVES else 2

    # In place of an Action, or for one more.
    if action >= actions.SPIRIT and action < actions.COMMIT_ACTION:
        army = action - actions.SPIRIT
        return way(s, c, s.box[army]) * (faces(0, c.battle_value[army]) - 2)
    if action >= actions.LEVEE and action < actions.SPIRIT:
        return 1 if threatened(s, board.PARIS) and s.actions_left == 0 and s.emergency == 0 else -1
    if action == actions.COMMIT_ACTION:
        return 1 if threatened(s, URGENT) and s.actions_left == 0 and s.inside == 0 else -1
    if action >= actions.NAPOLEON and action < actions.NAPOLEON + board.ARMIES:
        army = action - actions.NAPOLEON
        return FACES * way(s, c, s.box[army]) if battle.engageable(s, army) and s.box[army] <= 3 else -1
    return 0


@rule
def threatened(s: State, box: int) -> bool:
    """True if an army stands in this box or nearer to Paris."""
    for army in range(board.ARMIES):
        if tracks.on_map(s, army) and s.box[army] <= box:
            return True
    return False
