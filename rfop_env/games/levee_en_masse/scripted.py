"""A scripted player: it takes the legal action of the highest expected worth at this moment.

Worths are about tenths of Victory Points times faces of the die: an Action that gains 30 on three faces is worth 90.
The player looks ahead to the next roll only, and sees what a player sees. The tables of worths, one row for each colour
of cards, were tuned on its own games: armies count early, points under red cards.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.games.levee_en_masse.actions import (
    COMMIT_ACTION, COMMIT_BONUS, END, LEVEE, LIBERATE, MILITARY, NAPOLEON, NAVAL, RESERVES, RESTORE, SPIRIT,
)  # fmt: skip
from rfop_env.games.levee_en_masse.battle import (
    LAST_IN_FRANCE, at_barricades, battle_won, engageable, military_drm, succeeds,
)  # fmt: skip
from rfop_env.games.levee_en_masse.board import (
    ARMIES, BLUE, BRITISH, FIRST_STATIONARY, LOWEST, MONARCHY, PARIS, REPUBLIC, TRACK_OF, box_of_space, front, on_map,
    reigning, track_of_space,
)  # fmt: skip
from rfop_env.games.levee_en_masse.components import HEAD_COLOUR, HEAD_LIBERATION, HEAD_NAVAL, HEAD_ORDER
from rfop_env.games.levee_en_masse.government import firm_republic, political_drm

FACES = 6
BASE = 10  # for what the tables leave out: a point
PARIS_SAVED = 9000  # for driving an army out of Paris, before all else
HORIZON = 12  # with fewer cards to come, an army outside Paris is worth less
LIBERTY = 20  # for each point of a space to liberate
REMOVAL = 10  # more for removing a stationary army
# Worths under blue, white and red cards.
PUSH = (
    (140, 55, 150, 10, 0),
    (95, 55, 45, 40, 0),
    (25, 30, 50, 90, 25),
)  # for driving an army back from box 1, 2, ...
PENALTY = (45, 1, 1)  # for each point that an army's space costs at the end
BOX_OF = ((5, 115, 5), (250, 58, 75), (210, 210, 165))  # for a box of Monarchy, Despotism, Republic
ARMY_NOW = (150, 0, 35)  # for +1 to the French Army while Actions are left
ARMY_LATER = (0, 110, 0)  # for +1 to the French Army at any time
CALM = (290, 510, 310)  # for order in Paris while the Republic has a box to lose
URGENT = 1  # armies up to this box are worth the last reserves, Disorder, a Liberation marker


@rule
def advise(s: Any, c: Any, mask: Any, n: int) -> int:
    """The legal action of the highest worth; among equals the die of stream BOT decides."""
    best = END
    most = -1
    ties = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            value = worth(s, c, action)
            ties = 1 if value > most else ties + int(value == most)
            if value > most or (value == most and random_below(s, BOT, ties) == 0):
                best = action
                most = value
    return best


@rule
def faces(drm: int, value: int) -> int:
    """The number of faces of the die on which an Action succeeds."""
    n = 0
    for die in range(1, FACES + 1):
        n += int(succeeds(die, drm, value))
    return n


@small_rule
def time_of(s: Any, c: Any) -> int:
    """The row of the tables: the colour of the current card."""
    return int(c.headline[s.headline, HEAD_COLOUR]) - BLUE


@small_rule
def way(s: Any, c: Any, box: int) -> int:
    """The way to Paris that an army loses when it is driven back from a box."""
    return PARIS_SAVED if box == PARIS else PUSH[time_of(s, c)][box - 1]


@rule
def worth(s: Any, c: Any, action: int) -> int:
    """The expected worth of an action; 0 for doing nothing."""
    if action < MILITARY:
        return political_worth(s, c, action)
    if action < NAVAL:
        return attack_worth(s, c, action - MILITARY)
    if action < LIBERATE:
        return naval_worth(s, c)
    if action < RESTORE:
        return liberation_worth(s, c, track_of_space(action - LIBERATE), box_of_space(action - LIBERATE))
    if action == RESTORE:
        chance = FACES if firm_republic(s) else faces(int(c.headline[s.headline, HEAD_ORDER]), int(c.disorder_value))
        return chance * (CALM[time_of(s, c)] if s.politics[REPUBLIC] > LOWEST else BASE)
    return special_worth(s, c, action)


@rule
def political_worth(s: Any, c: Any, marker: int) -> int:
    """The worth of a Political Action: boxes of the tracks, and the effect of a new government on the French Army."""
    step = 1 if marker == REPUBLIC else -1
    before = government_drm(s)
    s.politics[marker] += step
    after = government_drm(s)
    s.politics[marker] -= step
    time = time_of(s, c)
    army = ARMY_LATER[time] + (ARMY_NOW[time] if s.actions_left > 1 else 0)
    gain = BOX_OF[time][marker] + army * (after - before)
    return gain * faces(political_drm(s, c), int(s.politics[marker]))


@small_rule
def government_drm(s: Any) -> int:
    """The DRM that the reigning government gives to the French Army."""
    government = reigning(s)
    return int(government == REPUBLIC) - int(government == MONARCHY)


@rule
def push_worth(s: Any, c: Any, army: int, box: int) -> int:
    """The worth of driving an army back from a box: the way to Paris that it loses, and the points of the box."""
    if box == PARIS:
        return PARIS_SAVED
    ahead = min(HORIZON, int(s.deck_size) - int(s.drawn))
    return way(s, c, box) * ahead // HORIZON + PENALTY[time_of(s, c)] * int(c.penalty[TRACK_OF[army], box])


@rule
def attack_worth(s: Any, c: Any, army: int) -> int:
    """The worth of driving an army back: the nearer to Paris the more, and more where it threatens a marker."""
    box = int(s.box[army])
    track = TRACK_OF[army]
    gain = push_worth(s, c, army, box) + (REMOVAL if army >= FIRST_STATIONARY else 0)
    gain += BASE * int(s.liberated[track, box]) * int(c.space_value[track, box])
    return gain * faces(military_drm(s, c, army), int(c.battle_value[army])) * (2 if at_barricades(s, army) else 1)


@rule
def naval_worth(s: Any, c: Any) -> int:
    """The worth of driving the British army back by sea, in France two boxes."""
    box = int(s.box[BRITISH])
    gain = push_worth(s, c, BRITISH, box) + (push_worth(s, c, BRITISH, box + 1) if box <= LAST_IN_FRANCE else 0)
    return gain * faces(int(c.headline[s.headline, HEAD_NAVAL]), int(c.navy_value))


@rule
def liberation_worth(s: Any, c: Any, track: int, box: int) -> int:
    """The worth of liberating a space: its points; half if the next advance may reach it."""
    gain = LIBERTY * int(c.space_value[track, box])
    chance = faces(int(c.headline[s.headline, HEAD_LIBERATION]), int(c.liberation_value))
    return gain * chance if front(s, track) - box > 1 else gain * chance // 2


@rule
def special_worth(s: Any, c: Any, action: int) -> int:
    """The worth of Napoleon and the optional rules: mostly against armies in Paris, or about to take it."""
    # After a roll.
    if action == RESERVES or action == COMMIT_BONUS:
        if s.box[s.roll_army] > URGENT or battle_won(s, c, 0):
            return -1
        return 2 if action == COMMIT_BONUS else 1

    # In place of an Action, or for one more.
    if action >= SPIRIT and action < COMMIT_ACTION:
        army = action - SPIRIT
        return way(s, c, int(s.box[army])) * (faces(0, int(c.battle_value[army])) - 2)
    if action >= LEVEE and action < SPIRIT:
        return 1 if threatened(s, PARIS) and s.actions_left == 0 and s.emergency == 0 else -1
    if action == COMMIT_ACTION:
        return 1 if threatened(s, URGENT) and s.actions_left == 0 and s.inside == 0 else -1
    if action >= NAPOLEON and action < NAPOLEON + ARMIES:
        army = action - NAPOLEON
        return FACES * way(s, c, int(s.box[army])) if engageable(s, army) and s.box[army] <= 3 else -1
    return 0


@rule
def threatened(s: Any, box: int) -> bool:
    """True if an army stands in this box or nearer to Paris."""
    for army in range(ARMIES):
        if on_map(s, army) and s.box[army] <= box:
            return True
    return False
