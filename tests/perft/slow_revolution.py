"""The rules of Revolution a second time, slow and plain, for counting beside the package's own.

Written from the booklet and the readings V1 to V24 of `RULES.md`, not from the package's rules; it shares with them no
code, only the words of the action table. A position is a dictionary of pieces by space, a space a pair (column, row).
"""

from __future__ import annotations

import copy

Space = tuple[int, int]
BLUE, RED = "Royalists", "Jacobins"
COLUMNS, ROWS = "abcde", "12345"
BOARD = [(column, row) for row in range(5) for column in range(5)]
BUILDINGS = ("Bastille", "Versailles", "Notre Dame")
NUMBERS = tuple(range(10))
FLAG = "flag"
MARKERS = 11
FLAG_CAPTURED, THREE_BUILDINGS, ALL_MARKERS = "flag captured", "three buildings", "flag and all markers"
DRAW = "draw: both sides met a condition"


def name(space: Space) -> str:
    """A space in words."""
    return COLUMNS[space[0]] + ROWS[space[1]]


def enemy(side: str) -> str:
    """The other side."""
    return RED if side == BLUE else BLUE


def next_to(space: Space) -> list[Space]:
    """The spaces that share a side with one (V3)."""
    column, row = space
    around = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
    return [(x, y) for x, y in around if 0 <= x < 5 and 0 <= y < 5]


class Revolution:
    """A game: `play` a label of `choices()` until `ending` is not None."""

    def __init__(self) -> None:
        self.pieces: dict[Space, tuple[str, object]] = {}  # space: (side, number or flag) or ("", building)
        self.hand: dict[str, list[object]] = {side: [*NUMBERS, FLAG] for side in (BLUE, RED)}
        self.buildings = list(BUILDINGS)
        self.markers = {BLUE: MARKERS, RED: MARKERS}
        self.marked: dict[Space, str] = {}  # space: whose marker lies there
        self.filled_by: str | None = None  # who filled the last space next to Notre Dame
        self.side = BLUE  # who decides
        self.held: object | None = None  # the piece chosen and not yet placed
        self.ending: str | None = None
        self.winner: str | None = None

    # -- decisions ----------------------------------------------------------------------------------------------------

    def choices(self) -> list[str]:
        """The legal choices of the side that decides, in the words of the action table."""
        if self.ending:
            return []
        if self.held is not None:
            return [f"space {name(space)}" for space in self.sites()]
        if self.buildings:
            return [f"building {building}" for building in self.buildings]
        return [f"counter {counter}" for counter in self.hand[self.side]]

    def sites(self) -> list[Space]:
        """Where the chosen piece may go: an empty space, for a building with no building next to it (V2)."""
        empty = [space for space in BOARD if space not in self.pieces]
        if self.held not in BUILDINGS:
            return empty
        return [space for space in empty if not any(self.is_building(neighbour) for neighbour in next_to(space))]

    def is_building(self, space: Space) -> bool:
        """Whether a building stands on a space."""
        return space in self.pieces and self.pieces[space][1] in BUILDINGS

    def play(self, label: str) -> None:
        """Carry out a choice, and after it every choice that has no alternative."""
        self.choose(label)
        while not self.ending and len(self.choices()) == 1:
            self.choose(self.choices()[0])

    def choose(self, label: str) -> None:
        """Take a piece, or place the piece taken and end the turn."""
        kind, word = label.split(" ", 1)
        if kind == "building":
            self.held = word
        elif kind == "counter":
            self.held = FLAG if word == FLAG else int(word)
        else:
            self.place((COLUMNS.index(word[0]), ROWS.index(word[1])))

    def place(self, space: Space) -> None:
        """Place the piece that was taken."""
        piece, self.held = self.held, None
        if piece in BUILDINGS:
            self.pieces[space] = ("", piece)
            self.buildings.remove(str(piece))
            self.side = enemy(self.side) if self.buildings else RED  # the Jacobins begin
            return
        self.pieces[space] = (self.side, piece)
        self.hand[self.side].remove(piece)
        for neighbour in next_to(space):
            if self.pieces.get(neighbour) == ("", "Notre Dame") and self.empty_next_to(neighbour) == 0:
                self.filled_by = self.side
        self.end_turn()

    def end_turn(self) -> None:
        """Mark, see who has won, and hand the turn over; behind the last counter the other side marks too (V20)."""
        self.mark(self.side)
        self.decide_end()
        self.side = enemy(self.side)
        if not self.ending and not self.hand[BLUE] and not self.hand[RED]:
            self.mark(self.side)
            self.decide_end()

    # -- control ------------------------------------------------------------------------------------------------------

    def find(self, side: str, piece: object) -> Space | None:
        """Where a piece stands."""
        return next((space for space, holding in self.pieces.items() if holding == (side, piece)), None)

    def empty_next_to(self, space: Space) -> int:
        """How many spaces next to one are empty."""
        return sum(neighbour not in self.pieces for neighbour in next_to(space))

    def influence(self, side: str, space: Space) -> int:
        """The sum of a side's numbers on a space and next to it; a flag has none, a building is nobody's."""
        standing = [self.pieces[neighbour] for neighbour in [space, *next_to(space)] if neighbour in self.pieces]
        return sum(piece for owner, piece in standing if owner == side and isinstance(piece, int))

    def highest_influence(self, side: str, space: Space) -> int:
        """The influence if the side fills every empty space next to this one with its highest numbers (V8, V9)."""
        numbers = sorted((n for n in self.hand[side] if isinstance(n, int)), reverse=True)
        return self.influence(side, space) + sum(numbers[: self.empty_next_to(space)])

    def controls(self, side: str, space: Space | None) -> bool:
        """Whether a side has a space for certain; on an empty space nobody has anything."""
        if space is None or space not in self.pieces:
            return False
        owner, piece = self.pieces[space]
        if piece == "Notre Dame":
            return self.has_least(side, space)
        own, limit = self.influence(side, space), self.highest_influence(enemy(side), space)
        return own > limit or (own == limit and owner == side)

    def has_least(self, side: str, space: Space) -> bool:
        """Notre Dame goes to the lesser influence; level and full, to the side that did not fill it up (V18)."""
        limit, influence = self.highest_influence(side, space), self.influence(enemy(side), space)
        full = self.empty_next_to(space) == 0
        return limit < influence or (full and limit == influence and self.filled_by == enemy(side))

    def mark(self, side: str) -> None:
        """Mark every number and Notre Dame under certain control, while markers last (V5, V12, V17).

        The last markers go to Notre Dame, then to the own numbers, then to the enemy's: a reading of V23.
        """
        own, enemy_numbers = ([(owner, number) for number in NUMBERS] for owner in (side, enemy(side)))
        for owner, piece in [("", "Notre Dame"), *own, *enemy_numbers]:
            space = self.find(owner, piece)
            if space not in self.marked and self.markers[side] > 0 and self.controls(side, space):
                self.marked[space] = side
                self.markers[side] -= 1

    # -- the end ------------------------------------------------------------------------------------------------------

    def decide_end(self) -> None:
        """The game ends when a side meets a condition; both at once: a draw (V21)."""
        met = {side: condition for side in (BLUE, RED) if (condition := self.condition(side))}
        if len(met) == 2:
            self.ending = DRAW
        elif met:
            self.winner, self.ending = next(iter(met.items()))

    def condition(self, side: str) -> str | None:
        """The condition for victory that a side meets (V13 to V16)."""
        flag = self.find(enemy(side), FLAG)
        if flag is not None and self.controls(side, flag):
            return FLAG_CAPTURED
        places = [self.find("", building) for building in BUILDINGS]
        if all(self.controls(side, space) for space in places[:2]) and self.marked.get(places[2]) == side:
            return THREE_BUILDINGS
        if self.markers[side] == 0 and self.find(side, FLAG) is not None:
            return ALL_MARKERS
        return None

    def points(self, side: str) -> int:
        """What a side scores at the end: the loser's markers, as much less for the loser (V22)."""
        if self.winner is None:
            return 0
        stake = self.markers[enemy(self.winner)]
        return stake if side == self.winner else -stake

    def child(self, label: str) -> Revolution:
        """Another game, one choice later."""
        successor = copy.copy(self)
        for name_ in ("pieces", "marked", "markers", "buildings"):
            setattr(successor, name_, copy.copy(getattr(self, name_)))
        successor.hand = {side: list(hand) for side, hand in self.hand.items()}
        successor.play(label)
        return successor
