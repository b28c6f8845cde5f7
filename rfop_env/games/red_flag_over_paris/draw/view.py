"""What one side may see of a position: the gate that everything drawn from hidden fields passes through."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, JOURNAL_A, JOURNAL_B, JOURNAL_C, JOURNAL_CODE
from rfop_env.drawing.pieces import Held
from rfop_env.games.red_flag_over_paris import board, ending, frames, journal, state
from rfop_env.games.red_flag_over_paris.component_set import ComponentSet
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE, OBJECTIVES, STRATEGY_CARDS

_EFFECTS = range(frames.ASK_PLACE, frames.ASK_DISC + 1)  # questions about effects on spaces

# Notes of the journal whose second number is a space.
_NOTES_OF_SPACES = {
    journal.NOTE_ATTEMPT,
    journal.NOTE_DISC,
    journal.NOTE_DISC_LOST,
    journal.NOTE_MOVED,
    journal.NOTE_PLACED,
    journal.NOTE_RETURNED,
}


class View:
    """A position as one side sees it.

    `viewer` is a side; None stands for the side to move, in a solo game always the human one. When nobody is to move,
    only what lies open on the table is seen. Once the game is over everything is. `previous` is an earlier record
    or None.
    """

    def __init__(self, s: Any, components: ComponentSet, viewer: int | None = None, previous: Any = None) -> None:
        if viewer not in (None, *range(board.SIDES)):
            raise ValueError(f"viewer: expected None or a side (0 Commune, 1 Versailles), found {viewer!r}")
        self.s = s
        self.components = components
        self.previous = previous
        self.tables = components.tables
        self.over = s.over == 1
        self.round = int(s.round_number)
        self.decider = self._decider()
        self.viewer = self._default_viewer() if viewer is None else int(viewer)

    @property
    def near(self) -> int:
        """The side drawn as "own": the viewer's, or the Commune for a view from outside."""
        return self.viewer if self.viewer != state.NOBODY else board.COMMUNE

    def hand(self, side: int) -> Held:
        """The hand of a side."""
        return self._cards(side, state.IN_HAND_COMMUNE + side)

    def aside(self, side: int) -> Held:
        """What a side set aside for the Final Crisis."""
        return self._cards(side, state.ASIDE_COMMUNE + side)

    def face_up(self, side: int) -> tuple[int, ...]:
        """The Final Crisis card in front of a side, if it still lies there."""
        numbers = range(1, STRATEGY_CARDS + 1)
        return tuple(n for n in numbers if self.s.zone[n] == state.FACE_UP and self.tables.side[n] == side)

    def in_play(self) -> tuple[int, ...]:
        """Cards played openly and still being resolved; one spent on momentum stays face down and is not among them."""
        pending = self.s.stack[: self.s.depth]
        plays = [int(f[frames.do_end_play.card]) for f in pending if f[FRAME_KIND] == frames.DO_END_PLAY]
        revealed = [int(f[frames.do_bot_turn.card]) for f in pending if f[FRAME_KIND] == frames.DO_BOT_TURN]
        return tuple(n for n in plays + revealed if n != state.NO_CARD)

    def has_objective(self, side: int) -> bool:
        """Whether a side holds an objective this round, seen or not."""
        return bool(self.s.objective[side] != state.NO_CARD and self.s.scored_own[side] != state.SET_ASIDE)

    def objective(self, side: int) -> int:
        """A side's objective, NO_CARD if there is none or it is secret. The Solo Opponent's is no secret (R20)."""
        open_to_viewer = self.over or side in (self.viewer, self.s.bot) or self.s.objective_known[side] == 1
        return int(self.s.objective[side]) if open_to_viewer and self.has_objective(side) else state.NO_CARD

    def offers(self, side: int) -> tuple[int, ...]:
        """The Objective Cards that a side may choose from; its own business."""
        return self._objectives(state.OFFERED_COMMUNE + side) if self.over or side == self.viewer else ()

    def fulfilled(self, side: int) -> tuple[int, ...]:
        """The Objective Cards that a side has fulfilled; public."""
        return self._objectives(state.FULFILLED_COMMUNE + side)

    def points(self, number: int) -> int:
        """Operations Points of a card."""
        return int(self.tables.points[number])

    def card_side(self, number: int) -> int:
        """The colour of a card."""
        return int(self.tables.side[number])

    def holder(self, place: int) -> int:
        """Who controls a place, NEUTRAL if nobody; the same as `control.controlled`, which only kernels may call."""
        s = self.s
        if place == board.VERSAILLES_HQ:
            return board.VERSAILLES
        if place == board.OCCUPIED_TERRITORY:
            return board.VERSAILLES if s.momentum[board.VERSAILLES] >= board.MOMENTUM_LIMIT else board.NEUTRAL
        pieces = [int(s.cubes[side, place]) + int(s.disc[place] == side + 1) for side in range(board.SIDES)]
        if pieces[board.COMMUNE] == pieces[board.VERSAILLES]:
            return board.NEUTRAL
        return board.COMMUNE if pieces[board.COMMUNE] > pieces[board.VERSAILLES] else board.VERSAILLES

    def discarded(self) -> tuple[int, ...]:
        """The cards in the discard pile; public."""
        return tuple(n for n in range(1, STRATEGY_CARDS + 1) if self.s.zone[n] == state.DISCARDED)

    def history(self, side: int) -> list[str]:
        """What a side has played in each round so far, a line each; public (R32). Cards face down have no name."""
        lines = []
        for round_number in range(1, self.round + 1):
            plays = [
                f"#{n} ({state.USE_NAMES[self.s.used_for[n]]})"
                for n in range(1, STRATEGY_CARDS + 1)
                if self.s.used_by[n] == side and self.s.used_round[n] == round_number
            ]
            in_round = round_number <= state.ROUNDS and self.s.censor == 0
            hidden = int(self.s.momentum_cards[side, round_number - 1]) if in_round else 0
            plays += ["face down (momentum)"] * hidden
            name = "Final Crisis" if round_number == state.FINAL_ROUND else f"round {round_number}"
            if plays:
                lines.append(f"{name}: {', '.join(plays)}")
        return lines

    @cached_property
    def touched(self) -> set[int]:
        """The spaces whose pieces differ from the earlier record.

        Without one: where pieces came or went, or were attacked, since the last decision; from the journal.
        """
        if self.previous is not None:
            s, previous = self.s, self.previous
            cubes = {int(x) for x in np.flatnonzero((s.cubes != previous.cubes).any(axis=0))}
            return cubes | {int(x) for x in np.flatnonzero(s.disc != previous.disc)}
        notes = self._notes()
        spaces = {note[JOURNAL_B] for note in notes if note[JOURNAL_CODE] in _NOTES_OF_SPACES}
        return spaces | {note[JOURNAL_C] for note in notes if note[JOURNAL_CODE] == journal.NOTE_MOVED}

    def momentum_changed(self, side: int) -> bool:
        """Whether the momentum of a side differs from the earlier record; without one, see the journal."""
        if self.previous is not None:
            return bool(self.s.momentum[side] != self.previous.momentum[side])
        return any(note[JOURNAL_CODE] == journal.NOTE_MOMENTUM and note[JOURNAL_A] == side for note in self._notes())

    def chosen_card(self) -> int:
        """The card whose use the viewer has to choose, or NO_CARD."""
        if self.viewer != self.decider:
            return state.NO_CARD
        return self._argument({frames.ASK_USE}, frames.ask_use.card, state.NO_CARD)

    def chosen_space(self) -> int:
        """The space from which the chosen piece moves, or -1."""
        return self._argument({frames.ASK_MOVE, frames.ASK_DISC}, frames.ask_move.source, 0) - 1

    def round_text(self) -> str:
        """Where the game stands: "Round 2 of 3 · card play 4 of 6"."""
        name = "Final Crisis" if self.round == state.FINAL_ROUND else f"Round {self.round} of {state.ROUNDS}"
        kind = int(self.s.stack[self.s.depth - 1, FRAME_KIND]) if self.s.depth > 0 else frames.ASK_CARD
        # These are asked when the sequence of play already stands at what follows them.
        early = {
            frames.ASK_OBJECTIVE: state.DEALING,
            frames.ASK_INITIATIVE: state.INITIATIVE,
            frames.ASK_CENSOR: state.CENSORING,
        }
        phase = state.PHASE_NAMES[early.get(kind, int(self.s.phase))].removeprefix("Final Crisis ")
        if kind in early:
            return f"{name} · {phase}"
        if self.s.phase not in (state.PLAYING, state.CRISIS_PLAYING):
            return f"{name} · {phase}"
        total = board.SIDES * (self.s.rounds_played if self.round == state.FINAL_ROUND else state.CARD_PLAYS)
        return f"{name} · {phase} {self.s.plays} of {total}"

    def decision_text(self) -> str:
        """Who decides what, or how the game ended."""
        if self.over:
            return ending.sentence(self.s, self.components)
        if self.decider == state.NOBODY:
            return "nobody to move"
        return f"{board.SIDE_NAMES[self.decider]} to decide: {self._question()}"

    def _question(self) -> str:
        kind = int(self.s.stack[self.s.depth - 1, FRAME_KIND])
        if kind > frames.LAST_QUESTION:
            return "the rules carry on"
        return frames.QUESTION_NAMES[kind] + self._about(kind)

    def _about(self, kind: int) -> str:
        """What the question is about, as far as the viewer may know it."""
        frame = self.s.stack[self.s.depth - 1]
        if kind == frames.ASK_USE and self.chosen_card() != state.NO_CARD:
            return f" #{self.chosen_card()} {self.components.card_name(self.chosen_card())}"
        if kind == frames.ASK_OPERATION:
            points = int(frame[frames.ask_operation.points])
            return f", {points} point{'s' * (points != 1)} left"
        if kind in _EFFECTS:
            return f", {int(frame[frames.effect.count])} left"
        if kind in (frames.ASK_BONUS, frames.ASK_DE_ESCALATE):
            return f" in {board.DIMENSION_NAMES[frame[frames.ask_bonus.dimension]]}"
        return f": {frames.WHETHER_NAMES[frame[frames.ask_whether.code]]}" if kind == frames.ASK_WHETHER else ""

    def _argument(self, kinds: set[int], argument: int, otherwise: int) -> int:
        """An argument of the pending question, if it is of one of these kinds."""
        if self.decider == state.NOBODY:
            return otherwise
        frame = self.s.stack[self.s.depth - 1]
        return int(frame[argument]) if int(frame[FRAME_KIND]) in kinds else otherwise

    def _notes(self) -> list[list[int]]:
        return self.s.journal[: int(self.s.journal_size)].tolist()

    def _decider(self) -> int:
        side = int(self.s.stack[self.s.depth - 1, FRAME_SIDE]) if self.s.depth > 0 and not self.over else state.NOBODY
        return side if side in range(board.SIDES) else state.NOBODY

    def _default_viewer(self) -> int:
        return 1 - int(self.s.bot) if self.s.bot in range(board.SIDES) else self.decider

    def _cards(self, side: int, zone: int) -> Held:
        cards = [n for n in range(1, STRATEGY_CARDS + 1) if self.s.zone[n] == zone]
        visible = tuple(n for n in cards if self._sees(side, n))
        return Held(visible, len(cards) - len(visible))

    def _sees(self, owner: int, number: int) -> bool:
        if self.over or owner == self.viewer:
            return True
        return self.viewer != state.NOBODY and bool(self.s.known[self.viewer, number] == 1)

    def _objectives(self, zone: int) -> tuple[int, ...]:
        return tuple(FIRST_OBJECTIVE + i for i in range(OBJECTIVES) if self.s.objective_zone[i] == zone)


def holds(spaces: int, place: int) -> bool:
    """Whether a set of places holds one; `board.has` for callers outside the kernels."""
    return bool(int(spaces) >> place & 1)


def card_side_name(side: int) -> str:
    """The colour of a card in words."""
    return board.SIDE_NAMES[side].lower() if side == board.NEUTRAL else board.SIDE_NAMES[side]


def question(s: Any, components: ComponentSet, viewer: int | None = None) -> str:
    """Who decides what, or how the game ended, in one line, as `viewer` of a `View` sees it."""
    return View(s, components, viewer).decision_text()
