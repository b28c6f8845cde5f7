"""Set-up (rules 3.0) and the draw pile: three decks with a fixed first and last card, one pile, or numerical order."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.random_stream import DEAL, shuffle
from rfop_env.games.levee_en_masse.board import (
    ALL_MARKERS, ARMIES, BASE_MARKERS, BLUE, BOXES, DESPOTISM, HIGHEST, LOWEST, MONARCHY, OFF_MAP, RED, REPUBLIC, START,
    TRACKS,
)  # fmt: skip
from rfop_env.games.levee_en_masse.components import CARDS, HEAD_COLOUR, HEAD_EXPANSION
from rfop_env.games.levee_en_masse.state import (
    ASK_ACTION, BY_ACTION, EXTENDED, HISTORICAL, NAPOLEON_ASIDE, NO_ARMY, PUREE, STANDARD,
)  # fmt: skip

# The order of the rules' options.
(
    OPTION_SCENARIO, OPTION_DIFFICULTY, OPTION_LEVEE, OPTION_SPIRIT, OPTION_NOTHING_IS_FREE, OPTION_RESERVES,
    OPTION_COMMIT_ORDER, OPTION_DECISIVE, OPTION_EARLY_DEFEATS,
) = range(9)  # fmt: skip


@rule
def set_up(s: Any, c: Any, options: Any) -> None:
    """Set up a game in an empty record, up to the first card."""
    # Options.
    s.scenario = options[OPTION_SCENARIO]
    s.difficulty = options[OPTION_DIFFICULTY]
    s.levee = options[OPTION_LEVEE]
    s.spirit_of_89 = options[OPTION_SPIRIT]
    s.nothing_is_free = options[OPTION_NOTHING_IS_FREE]
    s.reserves = options[OPTION_RESERVES]
    s.commit_order = options[OPTION_COMMIT_ORDER]
    s.decisive = options[OPTION_DECISIVE]
    s.early_defeats = options[OPTION_EARLY_DEFEATS]

    # The map, then the cards.
    set_up_map(s)
    clear_action_phase(s)
    build_pile(s, c)


@rule
def set_up_map(s: Any) -> None:
    """Put armies at their starts, Monarchy at 4, the others at -1 (L1); Liberation markers aside (L4)."""
    # Armies.
    for army in range(ARMIES):
        s.box[army] = START if army < TRACKS else OFF_MAP

    # Politics and markers.
    s.politics[MONARCHY] = HIGHEST
    s.politics[DESPOTISM] = LOWEST
    s.politics[REPUBLIC] = LOWEST
    s.markers_aside = BASE_MARKERS if s.scenario == STANDARD else ALL_MARKERS
    s.napoleon = NAPOLEON_ASIDE
    s.napoleon_army = NO_ARMY


@rule
def clear_action_phase(s: Any) -> None:
    """Clear everything that holds within one turn."""
    # Actions.
    s.question = ASK_ACTION
    s.actions_left = 0
    s.emergency = 0
    s.inside = 0
    s.begun = 0
    s.reserves_used = 0

    # The roll, and what has fought.
    s.roll_army = NO_ARMY
    s.roll_kind = BY_ACTION
    s.roll_die = 0
    for army in range(ARMIES):
        s.attacked[army] = 0
    for track in range(TRACKS):
        for box in range(BOXES):
            s.spirit_used[track, box] = 0


@rule
def build_pile(s: Any, c: Any) -> None:
    """Build the pile in the order of play: blue, white, red, each by number and then shuffled (3.0, 5.6)."""
    for colour in range(BLUE, RED + 1):
        begin = int(s.deck_size)
        for card in range(1, CARDS):
            if c.headline[card, HEAD_COLOUR] == colour and in_play(s, c, card):
                s.deck[s.deck_size] = card
                s.deck_size += 1
        if s.scenario == STANDARD or s.scenario == EXTENDED:  # L2: whatever middle cards there are
            shuffle_part(s, DEAL, begin + 1, int(s.deck_size) - 1)
    if s.scenario == PUREE:
        shuffle_part(s, DEAL, 0, int(s.deck_size))


@small_rule
def in_play(s: Any, c: Any, card: int) -> bool:
    """True if a card belongs to the scenario: those of the expansion to every one but the standard one."""
    return s.scenario != STANDARD or c.headline[card, HEAD_EXPANSION] == 0


@rule
def shuffle_part(s: Any, stream: int, begin: int, end: int) -> None:
    """Shuffle the places from `begin` up to `end` (exclusive) of the draw pile."""
    if end > begin:
        shuffle(s, stream, s.deck[begin:end], end - begin)


@rule
def shuffle_undrawn(s: Any, c: Any, stream: int) -> None:
    """Shuffle the undrawn cards among the places that nobody can tell them from, whatever their order was."""
    if s.scenario == HISTORICAL:
        return
    if s.scenario == PUREE:
        shuffle_anew(s, stream, int(s.drawn), int(s.deck_size))
        return
    begin = 0
    for colour in range(BLUE, RED + 1):
        end = begin
        while end < s.deck_size and c.headline[s.deck[end], HEAD_COLOUR] == colour:
            end += 1
        shuffle_anew(s, stream, max(begin + 1, int(s.drawn)), end - 1)
        begin = end


@rule
def shuffle_anew(s: Any, stream: int, begin: int, end: int) -> None:
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
