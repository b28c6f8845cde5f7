"""The action table: one list of rows from which ids, masks, labels, parsing and documentation come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rfop_env.core.arguments import whole_number
from rfop_env.core.errors import UnknownName
from rfop_env.markdown import markdown_table


@dataclass(frozen=True)
class ActionRow:
    """One action: its id, its kind, the argument within the kind, a short label and a sentence."""

    id: int
    kind: str
    argument: int
    label: str
    sentence: str


class ActionTable:
    """All actions of a game, in id order; ids of one kind are consecutive.

    >>> table = ActionTable([("place", "place a cube in {}", ["Press", "Royalists"]), ("done", "stop here", [""])])
    >>> table.size, table.first("done"), table.label(1), table.parse("PLACE royalists")
    (3, 2, 'place Royalists', 1)
    """

    def __init__(self, kinds: Sequence[tuple[str, str, Sequence[str]]]):
        self.rows: list[ActionRow] = []
        self._first: dict[str, int] = {}
        self._count: dict[str, int] = {}
        self._meaning: dict[str, str] = {}  # the sentence of a kind, with "..." for its argument
        for kind, sentence, arguments in kinds:
            self._first[kind] = len(self.rows)
            self._count[kind] = len(arguments)
            self._meaning[kind] = sentence.format("...")
            for i, argument in enumerate(arguments):
                label = f"{kind} {argument}".strip()
                self.rows.append(ActionRow(len(self.rows), kind, i, label, sentence.format(argument)))
        self._by_label = {row.label.lower(): row.id for row in self.rows}
        if len(self._by_label) != len(self.rows):
            raise ValueError("two actions share a label")

    @property
    def size(self) -> int:
        """The number of actions."""
        return len(self.rows)

    @property
    def kinds(self) -> list[str]:
        """The kinds in id order."""
        return list(self._first)

    def first(self, kind: str) -> int:
        """The id of the first action of a kind; `UnknownName`."""
        return self._of_kind(self._first, kind)

    def count(self, kind: str) -> int:
        """The number of actions of a kind; `UnknownName`."""
        return self._of_kind(self._count, kind)

    def _of_kind(self, table: dict[str, int], kind: str) -> int:
        if kind not in table:
            raise UnknownName("kind of action", kind, table)
        return table[kind]

    def label(self, action: int) -> str:
        """The short label of an action, unique in the table; `BadArgument` for an id that no action has."""
        return self._row(action).label

    def sentence(self, action: int) -> str:
        """A sentence on what the action does; `BadArgument` for an id that no action has."""
        return self._row(action).sentence

    def _row(self, action: int) -> ActionRow:
        return self.rows[whole_number("action", action, 0, self.size - 1)]

    def parse(self, text: str) -> int:
        """The id of an action given by its label (any case) or its number; `UnknownName` with the nearest labels."""
        text = text.strip()
        if text.isdigit() and int(text) < self.size:
            return int(text)
        if text.lower() not in self._by_label:
            raise UnknownName("action", text, [row.label for row in self.rows])
        return self._by_label[text.lower()]

    def __iter__(self) -> Iterator[ActionRow]:
        return iter(self.rows)

    def markdown(self) -> str:
        """The table for the documentation: a line for each kind."""
        cells = []
        for kind, first in self._first.items():
            rows = self.rows[first : first + self._count[kind]]
            ids = f"{first}" if len(rows) == 1 else f"{first} to {rows[-1].id}"
            arguments = _join_arguments([row.label[len(kind) :].strip() for row in rows])
            cells.append([ids, kind, arguments or "-", self._meaning[kind]])
        return markdown_table(["ids", "kind", "arguments", "meaning"], cells)


def _join_arguments(arguments: list[str]) -> str:
    """Arguments in a row; a run of more than three numbers by its ends.

    >>> _join_arguments(["1", "2", "3", "4"]), _join_arguments(["Press", "Royalists"])
    ('1 to 4', 'Press, Royalists')
    """
    numbers = [int(a) for a in arguments if a.isdigit()]
    if len(numbers) == len(arguments) > 3 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(arguments)
