"""The observation of Levée en Masse: its named pieces, and the rules that write them."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.observation_layout import ObservationLayout, Piece, flags
from rfop_env.games.levee_en_masse import battle, board, state, tracks, turn
from rfop_env.games.levee_en_masse.components import HEAD, HEADLINES, Components
from rfop_env.games.levee_en_masse.state import State

_CARDS = tuple(str(n) for n in range(1, HEADLINES + 1))
_SPACES = tuple(f"{track} {box}" for track in board.TRACK_NAMES for box in range(1, board.START))
_PLACES = tuple(f"{army} {place}" for army in board.ARMY_NAMES for place in ("off map", "Paris", 1, 2, 3, 4, 5))
_COLOURS = board.COLOUR_NAMES[board.BLUE :]
_MARKERS = board.POLITICS_NAMES
_DRM_NAMES = ("military", "political", "naval", "liberation", "restore order")
PLACES = board.BOXES + 1  # off the map, Paris and the boxes 1 to 5
DRMS = (HEAD.military, HEAD.political, HEAD.naval, HEAD.liberation, HEAD.order)
MOST = 5  # the largest DRM of a card either way


def _armies(name: str, low: int, high: int, meaning: str) -> Piece:
    return Piece(name, board.ARMIES, low, high, "public", meaning, board.ARMY_NAMES)


def _number(name: str, low: int, high: int, meaning: str) -> Piece:
    return Piece(name, 1, low, high, "public", meaning)


LAYOUT = ObservationLayout(
    [
        flags("question", state.QUESTION_NAMES, "the pending question"),
        flags("scenario", state.SCENARIO_NAMES, "the scenario"),
        flags("difficulty", state.DIFFICULTY_NAMES, "the difficulty"),
        flags("optional_rules", state.OPTIONAL_RULES, "the optional rules in force"),
        flags("headline", _CARDS, "the current card"),
        flags("colour", _COLOURS, "the current card's colour"),
        Piece("drms", len(DRMS), -MOST, MOST, "public", "the current card's die roll modifiers", _DRM_NAMES),
        _armies("army_drm", -MOST, MOST, "its modifier to Military Actions against one army"),
        flags("to_come", _CARDS, "cards still to be revealed, in whatever order"),
        Piece("cards_left", 3, 0, HEADLINES, "public", "how many of them have each colour", _COLOURS),
        _number("red_seen", 0, 1, "1: a red card has been revealed, so that the fall of Paris is scored"),
        _number("fifth", 0, turn.FIFTH - 1, "cards revealed since the last fifth card"),
        _number("actions_left", 0, 20, "Actions left"),
        _number("emergency", 0, 20, "emergency Military Actions left"),
        _number("inside", 0, 20, "Military Actions left against armies in square spaces"),
        _number("begun", 0, 1, "1: an action has been taken in this phase"),
        _armies("barricades", 0, 1, "the next Military Action against this army in Paris is free"),
        _number("french_army", -2, 2, "the French Army's die roll modifier"),
        Piece("politics", 3, board.LOWEST, board.HIGHEST, "public", "boxes of the political markers", _MARKERS),
        flags("reigning", _MARKERS, "the reigning government, if one is"),
        _number("disorder", 0, 1, "1: Paris is in Disorder"),
        flags("place", _PLACES, "the place of each army"),
        _number("rotated", 0, 1, "1: the Prussian army is rotated"),
        _armies("disarray", 0, state.ROUTED, "1 disorganized, 2 routed"),
        flags("liberated", _SPACES, "spaces with a Liberation marker"),
        flags("spirit_used", _SPACES, "spaces whose Liberation marker has fought this turn"),
        Piece("markers", 2, 0, 3, "public", "Liberation markers not on the map", ("aside", "holding box")),
        flags("napoleon", state.NAPOLEON_NAMES, "the place of Napoleon"),
        _armies("napoleon_army", 0, 1, "the army that he fights"),
        flags("reserves", ("this turn", "last turn"), "the last reserves were committed"),
        _armies("roll_army", 0, 1, "the army of the attack that is asked about"),
        flags("roll_die", "123456", "its natural die"),
        flags("roll_kind", state.ROLL_NAMES, "how it was attacked; none: by a Naval Action"),
    ]
)
AT = LAYOUT.offsets


@rule
def observe(s: State, c: Components, seat: int, o: Any) -> None:
    """Write what the player sees into an all-zero int8 [D]; all but the order of the cards is public."""
    observe_options(s, o)
    observe_cards(s, c, o)
    observe_phase(s, o)
    observe_france(s, o)
    observe_armies(s, o)
    observe_spaces(s, o)


@rule
def observe_options(s: State, o: Any) -> None:
    """Write scenario, difficulty and optional rules."""
    o[AT.scenario + s.scenario] = 1
    o[AT.difficulty + s.difficulty] = 1
    o[AT.optional_rules] = s.levee
    o[AT.optional_rules + 1] = s.spirit_of_89
    o[AT.optional_rules + 2] = s.nothing_is_free
    o[AT.optional_rules + 3] = s.reserves
    o[AT.optional_rules + 4] = s.commit_order
    o[AT.optional_rules + 5] = s.decisive
    o[AT.optional_rules + 6] = s.early_defeats


@rule
def observe_cards(s: State, c: Components, o: Any) -> None:
    """Write the current card and its modifiers, and the cards to come."""
    # The current card.
    row = c.headline[s.headline]
    o[AT.headline + s.headline - 1] = 1
    o[AT.colour + row[HEAD.colour] - board.BLUE] = 1
    for i in range(len(DRMS)):
        o[AT.drms + i] = row[DRMS[i]]
    if row[HEAD.army] > 0:
        o[AT.army_drm + row[HEAD.army] - 1] = row[HEAD.army_drm]

    # The cards to come.
    for i in range(s.drawn, s.deck_size):
        card = int(s.deck[i])
        o[AT.to_come + card - 1] = 1
        o[AT.cards_left + c.headline[card, HEAD.colour] - board.BLUE] += 1
    o[AT.red_seen] = s.red_seen
    o[AT.fifth] = s.drawn % turn.FIFTH


@rule
def observe_phase(s: State, o: Any) -> None:
    """Write the question, and what is left to do."""
    o[AT.question + s.question] = 1
    o[AT.actions_left] = s.actions_left
    o[AT.emergency] = s.emergency
    o[AT.inside] = s.inside
    o[AT.begun] = s.begun
    o[AT.reserves] = s.reserves_used
    o[AT.reserves + 1] = s.reserves_penalty

    if s.question == state.ASK_ROLL:
        o[AT.roll_army + s.roll_army] = 1
        o[AT.roll_die + s.roll_die - 1] = 1
        if s.roll_kind != state.BY_SEA:
            o[AT.roll_kind + s.roll_kind] = 1


@rule
def observe_france(s: State, o: Any) -> None:
    """Write politics, the French Army, Disorder, Napoleon."""
    o[AT.french_army] = s.french_army
    for marker in range(board.POLITICS):
        o[AT.politics + marker] = s.politics[marker]
    government = tracks.reigning(s)
    if government != board.NO_GOVERNMENT:
        o[AT.reigning + government] = 1
    o[AT.disorder] = s.disorder
    o[AT.napoleon + s.napoleon] = 1
    if s.napoleon_army != state.NO_ARMY:
        o[AT.napoleon_army + s.napoleon_army] = 1


@rule
def observe_armies(s: State, o: Any) -> None:
    """Write the places of the armies and their disarray."""
    for army in range(board.ARMIES):
        o[AT.place + army * PLACES + s.box[army] + 1] = 1
        o[AT.disarray + army] = s.disarray[army]
        o[AT.barricades + army] = battle.at_barricades(s, army)
    o[AT.rotated] = s.rotated


@rule
def observe_spaces(s: State, o: Any) -> None:
    """Write the Liberation markers."""
    for track in range(board.TRACKS):
        for box in board.inner_boxes():
            o[AT.liberated + board.space_index(track, box)] = s.liberated[track, box]
            o[AT.spirit_used + board.space_index(track, box)] = s.spirit_used[track, box]
    o[AT.markers] = s.markers_aside
    o[AT.markers + 1] = s.markers_held
