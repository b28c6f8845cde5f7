"""The observation of Levée en Masse: its named pieces, and the rules that write them."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.games.levee_en_masse.battle import at_barricades
from rfop_env.games.levee_en_masse.board import (
    ARMIES, ARMY_NAMES, BLUE, BOXES, COLOUR_NAMES, HIGHEST, INNER_BOXES, LOWEST, NO_GOVERNMENT, POLITICS,
    POLITICS_NAMES, START, TRACKS, TRACK_NAMES, inner_boxes, reigning, space_index,
)  # fmt: skip
from rfop_env.games.levee_en_masse.components import (
    HEADLINES, HEAD_ARMY, HEAD_ARMY_DRM, HEAD_COLOUR, HEAD_LIBERATION, HEAD_MILITARY, HEAD_NAVAL, HEAD_ORDER,
    HEAD_POLITICAL,
)  # fmt: skip
from rfop_env.games.levee_en_masse.state import (
    ASK_ROLL, BY_SEA, DIFFICULTY_NAMES, NAPOLEON_NAMES, NO_ARMY, OPTIONAL_RULES, QUESTION_NAMES, ROLL_NAMES, ROUTED,
    SCENARIO_NAMES,
)  # fmt: skip
from rfop_env.games.levee_en_masse.turn import FIFTH

_CARDS = tuple(str(n) for n in range(1, HEADLINES + 1))
_SPACES = tuple(f"{track} {box}" for track in TRACK_NAMES for box in range(1, START))
_PLACES = tuple(f"{army} {place}" for army in ARMY_NAMES for place in ("off map", "Paris", 1, 2, 3, 4, 5))
_COLOURS = COLOUR_NAMES[BLUE:]
PLACES = BOXES + 1  # off the map, Paris and the boxes 1 to 5
DRMS = (HEAD_MILITARY, HEAD_POLITICAL, HEAD_NAVAL, HEAD_LIBERATION, HEAD_ORDER)
MOST = 5  # the largest DRM of a card either way


def _armies(name: str, low: int, high: int, meaning: str) -> Piece:
    return Piece(name, ARMIES, low, high, "public", meaning, ARMY_NAMES)


def _spaces(name: str, meaning: str) -> Piece:
    return Piece(name, TRACKS * INNER_BOXES, 0, 1, "public", meaning, _SPACES)


LAYOUT = ObservationLayout(
    [
        Piece("question", len(QUESTION_NAMES), 0, 1, "public", "the pending question", QUESTION_NAMES),
        Piece("scenario", len(SCENARIO_NAMES), 0, 1, "public", "the scenario", SCENARIO_NAMES),
        Piece("difficulty", len(DIFFICULTY_NAMES), 0, 1, "public", "the difficulty", DIFFICULTY_NAMES),
        Piece("optional_rules", len(OPTIONAL_RULES), 0, 1, "public", "the optional rules in force", OPTIONAL_RULES),
        Piece("headline", HEADLINES, 0, 1, "public", "the current card", _CARDS),
        Piece("colour", 3, 0, 1, "public", "the current card's colour", _COLOURS),
        Piece("drms", 5, -MOST, MOST, "public", "the current card's die roll modifiers",
              ("military", "political", "naval", "liberation", "restore order")),
        _armies("army_drm", -MOST, MOST, "its modifier to Military Actions against one army"),
        Piece("to_come", HEADLINES, 0, 1, "public", "cards still to be revealed, in whatever order", _CARDS),
        Piece("cards_left", 3, 0, HEADLINES, "public", "how many of them have each colour", _COLOURS),
        Piece("red_seen", 1, 0, 1, "public", "1: a red card has been revealed, so that the fall of Paris is scored"),
        Piece("fifth", 1, 0, FIFTH - 1, "public", "cards revealed since the last fifth card"),
        Piece("actions_left", 1, 0, 20, "public", "Actions left"),
        Piece("emergency", 1, 0, 20, "public", "emergency Military Actions left"),
        Piece("inside", 1, 0, 20, "public", "Military Actions left against armies in square spaces"),
        Piece("begun", 1, 0, 1, "public", "1: an action has been taken in this phase"),
        _armies("barricades", 0, 1, "the next Military Action against this army in Paris is free"),
        Piece("french_army", 1, -2, 2, "public", "the French Army's die roll modifier"),
        Piece("politics", POLITICS, LOWEST, HIGHEST, "public", "boxes of the political markers", POLITICS_NAMES),
        Piece("reigning", POLITICS, 0, 1, "public", "the reigning government, if one is", POLITICS_NAMES),
        Piece("disorder", 1, 0, 1, "public", "1: Paris is in Disorder"),
        Piece("place", ARMIES * PLACES, 0, 1, "public", "the place of each army", _PLACES),
        Piece("rotated", 1, 0, 1, "public", "1: the Prussian army is rotated"),
        _armies("disarray", 0, ROUTED, "1 disorganized, 2 routed"),
        _spaces("liberated", "spaces with a Liberation marker"),
        _spaces("spirit_used", "spaces whose Liberation marker has fought this turn"),
        Piece("markers", 2, 0, 3, "public", "Liberation markers not on the map", ("aside", "holding box")),
        Piece("napoleon", len(NAPOLEON_NAMES), 0, 1, "public", "the place of Napoleon", NAPOLEON_NAMES),
        _armies("napoleon_army", 0, 1, "the army that he fights"),
        Piece("reserves", 2, 0, 1, "public", "the last reserves were committed", ("this turn", "last turn")),
        _armies("roll_army", 0, 1, "the army of the attack that is asked about"),
        Piece("roll_die", 6, 0, 1, "public", "its natural die", tuple("123456")),
        Piece("roll_kind", len(ROLL_NAMES), 0, 1, "public", "how it was attacked; none: by a Naval Action", ROLL_NAMES),
    ]
)  # fmt: skip

(
    QUESTION, SCENARIO, DIFFICULTY, OPTIONAL, HEADLINE, COLOUR, DRM, ARMY_DRM, TO_COME, CARDS_LEFT, RED_SEEN,
    FIFTH_CARD, ACTIONS_LEFT, EMERGENCY, INSIDE, BEGUN, BARRICADES, FRENCH_ARMY, POLITICS_AT, REIGNING, DISORDER, PLACE,
    ROTATED, DISARRAY, LIBERATED, SPIRIT_USED, MARKERS, NAPOLEON_AT, NAPOLEON_ARMY, RESERVES, ROLL_ARMY, ROLL_DIE,
    ROLL_KIND,
) = (LAYOUT.start(piece.name) for piece in LAYOUT.pieces)  # fmt: skip


@rule
def observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """Write what the player sees into an all-zero int8 [D]; all but the order of the cards is public."""
    observe_options(s, o)
    observe_cards(s, c, o)
    observe_phase(s, o)
    observe_france(s, o)
    observe_armies(s, o)
    observe_spaces(s, o)


@rule
def observe_options(s: Any, o: Any) -> None:
    """Write scenario, difficulty and optional rules."""
    o[SCENARIO + s.scenario] = 1
    o[DIFFICULTY + s.difficulty] = 1
    o[OPTIONAL] = s.levee
    o[OPTIONAL + 1] = s.spirit_of_89
    o[OPTIONAL + 2] = s.nothing_is_free
    o[OPTIONAL + 3] = s.reserves
    o[OPTIONAL + 4] = s.commit_order
    o[OPTIONAL + 5] = s.decisive
    o[OPTIONAL + 6] = s.early_defeats


@rule
def observe_cards(s: Any, c: Any, o: Any) -> None:
    """Write the current card and its modifiers, and the cards to come."""
    # The current card.
    row = c.headline[s.headline]
    o[HEADLINE + s.headline - 1] = 1
    o[COLOUR + row[HEAD_COLOUR] - BLUE] = 1
    for i in range(len(DRMS)):
        o[DRM + i] = row[DRMS[i]]
    if row[HEAD_ARMY] > 0:
        o[ARMY_DRM + row[HEAD_ARMY] - 1] = row[HEAD_ARMY_DRM]

    # The cards to come.
    for i in range(int(s.drawn), int(s.deck_size)):
        card = int(s.deck[i])
        o[TO_COME + card - 1] = 1
        o[CARDS_LEFT + c.headline[card, HEAD_COLOUR] - BLUE] += 1
    o[RED_SEEN] = s.red_seen
    o[FIFTH_CARD] = int(s.drawn) % FIFTH


@rule
def observe_phase(s: Any, o: Any) -> None:
    """Write the question, and what is left to do."""
    o[QUESTION + s.question] = 1
    o[ACTIONS_LEFT] = s.actions_left
    o[EMERGENCY] = s.emergency
    o[INSIDE] = s.inside
    o[BEGUN] = s.begun
    o[RESERVES] = s.reserves_used
    o[RESERVES + 1] = s.reserves_penalty

    if s.question == ASK_ROLL:
        o[ROLL_ARMY + s.roll_army] = 1
        o[ROLL_DIE + s.roll_die - 1] = 1
        if s.roll_kind != BY_SEA:
            o[ROLL_KIND + s.roll_kind] = 1


@rule
def observe_france(s: Any, o: Any) -> None:
    """Write politics, the French Army, Disorder, Napoleon."""
    o[FRENCH_ARMY] = s.french_army
    for marker in range(POLITICS):
        o[POLITICS_AT + marker] = s.politics[marker]
    government = reigning(s)
    if government != NO_GOVERNMENT:
        o[REIGNING + government] = 1
    o[DISORDER] = s.disorder
    o[NAPOLEON_AT + s.napoleon] = 1
    if s.napoleon_army != NO_ARMY:
        o[NAPOLEON_ARMY + s.napoleon_army] = 1


@rule
def observe_armies(s: Any, o: Any) -> None:
    """Write the places of the armies and their disarray."""
    for army in range(ARMIES):
        o[PLACE + army * PLACES + s.box[army] + 1] = 1
        o[DISARRAY + army] = s.disarray[army]
        o[BARRICADES + army] = int(at_barricades(s, army))
    o[ROTATED] = s.rotated


@rule
def observe_spaces(s: Any, o: Any) -> None:
    """Write the Liberation markers."""
    for track in range(TRACKS):
        for box in inner_boxes():
            o[LIBERATED + space_index(track, box)] = s.liberated[track, box]
            o[SPIRIT_USED + space_index(track, box)] = s.spirit_used[track, box]
    o[MARKERS] = s.markers_aside
    o[MARKERS + 1] = s.markers_held
