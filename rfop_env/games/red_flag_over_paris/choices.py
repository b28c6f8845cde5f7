"""What an action of Red Flag Over Paris does in a position, in words."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE
from rfop_env.games.red_flag_over_paris import actions, board, components, frames
from rfop_env.games.red_flag_over_paris.state import State

_CARD_VERBS = {
    frames.ASK_CENSOR: "discard {}",
    frames.ASK_CARD: "play {}; how is asked next",
    frames.ASK_SWAP: "put {} on the deck and take the card that lies on top of it",
    frames.ASK_DISCARD_EVENT: "carry out the event of the discarded {}",
    frames.ASK_CRISIS_DISCARD: "discard {} before the Final Crisis",
    frames.ASK_CRISIS_CARD: "play {} for its event",
}
_BONUS_SENTENCES = (
    "De-escalate in {}: remove up to two of your cubes, or one of yours and one of the enemy's",
    "Spread Influence in {}: move up to two of your cubes within it",
    "Turncoat in {}: replace an enemy cube with one of yours",
)


def tell(s: State, c: Any, action: int) -> str:
    """What a legal action does in this position, a sentence. `c` is the component set."""
    row, frame = actions.ACTIONS.rows[action], s.stack[s.depth - 1]
    kind, place = int(frame[FRAME_KIND]), row.label[len(row.kind) :].strip()
    if row.kind == "card":
        return _CARD_VERBS[kind].format(_card(c, row.argument + 1))
    if row.kind == "objective":
        return f"keep the objective {_card(c, components.FIRST_OBJECTIVE + row.argument)}; the other leaves the game"
    if row.kind == "use":
        return _use(s, c, frame, action)
    if row.kind == "option":
        return _option(c, int(frame[frames.ask_option.card]), row.argument + 1)
    if row.kind == "bonus":
        return _BONUS_SENTENCES[row.argument].format(board.DIMENSION_NAMES[int(frame[frames.ask_bonus.dimension])])
    if row.kind == "first":
        return _first(kind, frame, place)
    if row.kind == "yes":
        return _asked(c, frame)
    if row.kind == "done":
        return _done(c, kind, frame)
    return _on_space(kind, frame, row.kind, place) or row.sentence


def _card(c: Any, number: int) -> str:
    return f"{number} {c.card_name(number)}"


def _event(c: Any, number: int) -> str:
    return "; ".join(c.event_sentences(number))


def _use(s: State, c: Any, frame: Any, action: int) -> str:
    """A way to play the chosen card."""
    card, side = int(frame[frames.ask_use.card]), int(frame[FRAME_SIDE])
    if action == actions.USE_EVENT:
        return f"carry out its event: {_event(c, card)}"
    if action == actions.USE_OPERATIONS:
        return f"spend its {_points(c, card)} in one sphere: removals first, then placements"
    if action == actions.USE_COPY:
        top = int(s.top_discard)
        return f"carry out the event of {_card(c, top)}, which the enemy discarded: {_event(c, top)}"
    if action == actions.USE_MOMENTUM:
        return f"give it up: your momentum rises to {int(s.momentum[side]) + 1}"
    final = components.FINAL_CRISIS_CARD[side]
    return f"discard it and spend the {_points(c, final)} of your Final Crisis card {_card(c, final)}, once in the game"


def _points(c: Any, card: int) -> str:
    points = int(c.card(card).values["points"])
    return f"{points} Operations Point{'s' * (points != 1)}"


def _option(c: Any, card: int, number: int) -> str:
    """The rows of an event that belong to one of its options."""
    beginning = f"option {number}: "
    rows = [row[len(beginning) :] for row in c.event_sentences(card) if row.startswith(beginning)]
    return f"{'; '.join(rows)} (option {number} of {_card(c, card)})"


def _first(kind: int, frame: Any, side: str) -> str:
    if kind == frames.ASK_INITIATIVE:
        return f"{side} plays the first card of the round and has the initiative"
    if kind == frames.ASK_EVENT_ORDER:
        return f"the event of the objective of {side} comes first"
    return f"{side} scores its {board.SPHERE_NAMES[int(frame[frames.ask_score_order.sphere])]} VP first"


def _asked(c: Any, frame: Any) -> str:
    """What a question of yes or no is about."""
    code, about = int(frame[frames.ask_whether.code]), int(frame[frames.ask_whether.about])
    if code == frames.WHETHER_MOMENTUM:
        verb = "raise" if int(frame[frames.ask_whether.step]) > 0 else "lower"
        return f"{verb} the momentum of {board.SIDE_NAMES[about]} by 1"
    if code == frames.WHETHER_OUT_OF_PLAY:
        return "place one of your cubes that are out of play next, not one of your supply"
    if code == frames.WHETHER_STEP:
        return f"see the enemy's {'hand' if about == components.REVEAL_HAND else 'objective'}"
    whose = "your objective" if code == frames.WHETHER_OBJECTIVE_EVENT else "the enemy's card"
    return f"carry out the event of {whose} {_card(c, about)}: {_event(c, about)}"


def _done(c: Any, kind: int, frame: Any) -> str:
    """What is left undone."""
    if kind == frames.ASK_WHETHER and int(frame[frames.ask_whether.code]) == frames.WHETHER_OUT_OF_PLAY:
        return "place a cube of your supply next"
    if kind == frames.ASK_WHETHER:
        return f"do not {_asked(c, frame).split(': ')[0]}"
    if kind == frames.ASK_OPERATION:
        points = int(frame[frames.ask_operation.points])
        return f"spend no more: {points} Operations Point{'s' * (points != 1)} stay{'s' * (points == 1)} unused"
    if kind == frames.ASK_BONUS:
        return f"take no bonus action in {board.DIMENSION_NAMES[int(frame[frames.ask_bonus.dimension])]}"
    if kind == frames.ASK_DE_ESCALATE:
        return "remove no more cubes"
    if kind == frames.ASK_SWAP:
        return "keep your hand: swap no card"
    if kind == frames.ASK_DISCARD_EVENT:
        return "carry out no event of the discard pile"
    nouns = {
        frames.ASK_PLACE: "place no more cubes",
        frames.ASK_REMOVE: "remove no more enemy cubes",
        frames.ASK_REPLACE: "replace no more enemy cubes",
        frames.ASK_MOVE: "move no more cubes",
        frames.ASK_REMOVE_OWN: "remove no more of your cubes",
        frames.ASK_DISC: "leave your Fortifications and Barricades where they are",
    }
    return nouns[kind]


def _on_space(kind: int, frame: Any, verb: str, space: str) -> str:
    """An action on a space; "" where the action table says all."""
    if verb == "place" and kind == frames.ASK_MOVE:
        return f"move the cube from {board.SPACE_NAMES[int(frame[frames.ask_move.source]) - 1]} to {space}"
    if verb == "place":
        return f"place a cube in {space}"
    if verb == "remove" and kind == frames.ASK_OPERATION and space in board.MILITARY_NAMES:
        return f"attempt to remove an enemy piece from {space}"
    if verb == "remove":
        return f"remove an enemy cube from {space}"
    if verb == "take" and kind == frames.ASK_MOVE:
        return f"move a cube out of {space}; where to is asked next"
    if verb == "take" and kind == frames.ASK_DISC:
        return f"move your disc out of {space}; where to is asked next"
    return f"remove one of your cubes from {space}" if verb == "take" else ""
