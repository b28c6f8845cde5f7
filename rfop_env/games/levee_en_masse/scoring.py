"""Victory and defeat (rules 9.0 and the expansion's 9.1, 9.2)."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse import board, journal, state, tracks
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State

# Stand-ins for the score of a game that is not scored: no scored game can lie below -90 (see LOWEST_SCORE).
CRUSHING_SCORE, DECISIVE_SCORE = -100, -90
# Republic at -1, Despotism and Monarchy at 4, 14 red cards left, 9 armies and Disorder, 9 red borders.
LOWEST_SCORE = 3 * -1 - 4 * 4 - 5 * 4 - 14 - 10 - 3 * board.ARMIES
# Republic at 4, three Liberation markers in spaces worth 4, Despotism and Monarchy at -1, nobody on the map.
HIGHEST_SCORE = 3 * 4 + 3 * 4 + 4 + 5
assert CRUSHING_SCORE < DECISIVE_SCORE <= LOWEST_SCORE


@rule
def cards_left(s: State, c: Components, colour: int) -> int:
    """The number of cards of a colour that are still to come."""
    n = 0
    for i in range(s.drawn, s.deck_size):
        n += int(c.headline[s.deck[i], HEAD.colour] == colour)
    return n


@rule
def final_score(s: State, c: Components) -> int:
    """The score of the position as it stands, by the seven steps of 9.3."""
    # Politics, then liberated spaces.
    points = 3 * s.politics[board.REPUBLIC] - 4 * s.politics[board.DESPOTISM] - 5 * s.politics[board.MONARCHY]
    for track in range(board.TRACKS):
        for box in range(board.BOXES):
            points += s.liberated[track, box] * c.space_value[track, box]

    # Cards, disorder, and armies.
    points -= cards_left(s, c, board.RED) + s.disorder
    for army in range(board.ARMIES):
        if tracks.on_map(s, army):  # L33: at its start, rotated or stationary, it is a hostile unit on the map
            points -= 1 + c.penalty[board.TRACK_OF[army], s.box[army]]
    return points


@rule
def outcome_level(score: int) -> int:
    """The outcome level of a score, by the bands of 9.3."""
    if score >= 1:
        return state.TRIUMPH
    if score >= -7:
        return state.SUBSTANTIVE_VICTORY
    if score >= -15:
        return state.MINOR_VICTORY
    return state.MINOR_DEFEAT if score >= -25 else state.SUBSTANTIVE_DEFEAT


@rule
def end_scored(s: State, c: Components) -> None:
    """End the game with its score (9.3)."""
    score = final_score(s, c)
    end_game(s, outcome_level(score), score)


@rule
def end_by_fall(s: State, c: Components) -> None:
    """End the game as Paris falls: scored once red was seen (L31), else by the decks left (9.1, 9.2, L32, L47)."""
    if s.red_seen == 1:
        end_scored(s, c)
    elif cards_left(s, c, board.BLUE) > 0:
        end_game(s, state.CRUSHING_DEFEAT, CRUSHING_SCORE)
    else:
        end_game(s, state.DECISIVE_DEFEAT, DECISIVE_SCORE)


@rule
def end_game(s: State, level: int, score: int) -> None:
    """End the game with an outcome level and a score."""
    s.over = 1
    s.end_reason = level + 1
    s.score = score
    note(s, journal.NOTE_END, level + 1, score, 0)
