"""Set-up (rules 3.0) and the draw pile: three decks with a fixed first and last card, one pile, or numerical order."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.random_stream import DEAL, shuffle
from rfop_env.core.record import Indices
from rfop_env.games.levee_en_masse import board, state
from rfop_env.games.levee_en_masse.components import CARDS, HEAD, Components
from rfop_env.games.levee_en_masse.state import State

OPTION = Indices(**{name: k for k, name in enumerate(("scenario", "difficulty", *state.OPTIONAL_RULES))})


@rule
def set_up(s: State, c: Components, options: Any) -> None:
    """Set up a game in an empty record, up to the first card."""
    # Options.
    s.scenario = options[OPTION.scenario]
    s.difficulty = options[OPTION.difficulty]
    s.levee = options[OPTION.levee]
    s.spirit_of_89 = options[OPTION.spirit_of_89]
    s.nothing_is_free = options[OPTION.nothing_is_free]
    s.reserves = options[OPTION.reserves]
    s.commit_order = options[OPTION.commit_order]
    s.decisive = options[OPTION.decisive]
    s.early_defeats = options[OPTION.early_defeats]

    # The map, then the cards.
    set_up_map(s)
    clear_action_phase(s)
    build_pile(s, c)


@rule
def set_up_map(s: State) -> None:
    """Put armies at their starts, Monarchy at 4, the others at -1 (L1); Liberation markers aside (L4)."""
    # Armies.
    for army in range(board.ARMIES):
        s.box[army] = board.START if army < board.TRACKS else board.OFF_MAP

    # Politics and markers.
    s.politics[board.MONARCHY] = board.HIGHEST
    s.politics[board.DESPOTISM] = board.LOWEST
    s.politics[board.REPUBLIC] = board.LOWEST
    s.markers_aside = board.BASE_MARKERS if s.scenario == state.STANDARD else board.ALL_MARKERS
    s.napoleon = state.NAPOLEON_ASIDE
    s.napoleon_army = state.NO_ARMY


@rule
def clear_action_phase(s: State) -> None:
    """Clear everything that holds within one turn."""
    # Actions.
    s.question = state.ASK_ACTION
    s.actions_left = 0
    s.emergency = 0
    s.inside = 0
    s.begun = 0
    s.reserves_used = 0

    # The roll, and what has fought.
    s.roll_army = state.NO_ARMY
    s.roll_kind = state.BY_ACTION
    s.roll_die = 0
    for army in range(board.ARMIES):
        s.attacked[army] = 0
    for track in range(board.TRACKS):
        for box in range(board.BOXES):
            s.spirit_used[track, box] = 0


@rule
def build_pile(s: State, c: Components) -> None:
    """Build the pile in the order of play: blue, white, red, each by number and then shuffled (3.0, 5.6)."""
    for colour in range(board.BLUE, board.RED + 1):
        begin = s.deck_size
        for card in range(1, CARDS):
            if c.headline[card, HEAD.colour] == colour and in_play(s, c, card):
                s.deck[s.deck_size] = card
                s.deck_size += 1
        if s.scenario == state.STANDARD or s.scenario == state.EXTENDED:  # L2: whatever middle cards there are
            shuffle_part(s, DEAL, begin + 1, s.deck_size - 1)
    if s.scenario == state.PUREE:
        shuffle_part(s, DEAL, 0, s.deck_size)


@small_rule
def in_play(s: State, c: Components, card: int) -> bool:
    """True if a card belongs to the scenario: those of the expansion to every one but the standard one."""
    return s.scenario != state.STANDARD or c.headline[card, HEAD.expansion] == 0


@rule
def shuffle_part(s: State, stream: int, begin: int, end: int) -> None:
    """Shuffle the places from `begin` up to `end` (exclusive) of the draw pile."""
    if end > begin:
        shuffle(s, stream, s.deck[begin:end], end - begin)


@rule
def shuffle_undrawn(s: State, c: Components, stream: int) -> None:
    """Shuffle the undrawn cards among the places that nobody can tell them from, whatever their order was."""
    if s.scenario == state.HISTORICAL:
        return
    if s.scenario == state.PUREE:
        shuffle_anew(s, stream, s.drawn, s.deck_size)
        return
    begin = 0
    for colour in range(board.BLUE, board.RED + 1):
        end = begin
        while end < s.deck_size and c.headline[s.deck[end], HEAD.colour] == colour:
            end += 1
        shuffle_anew(s, stream, max(begin + 1, s.drawn), end - 1)
        begin = end


@rule
def shuffle_anew(s: State, stream: int, begin: int, end: int) -> None:
    """Shuffle places of the draw pile from the order of the cards' numbers, so that the old order leaves no trace."""
    cards = 0
    for k in range(begin, end):
        cards |= 1 << int(s.deck[k])
    k = begin
    for card in range(1, CARDS):
        if (cards >> card) & 1 == 1:
            s.deck[k] = card
            k += 1
    shuffle_part(s, stream, begin, end)
