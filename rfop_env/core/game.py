"""The `Game` object: the rules, tables, options, component sets and declared properties of a game."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.errors import BadArgument, UnknownName, UnknownOption

if TYPE_CHECKING:
    from rfop_env.core.action_table import ActionTable
    from rfop_env.core.observation_layout import ObservationLayout
    from rfop_env.core.record import RecordLayout

BRIEF = "BRIEF.md"  # in the folder of a game
SHIPPED = Path(__file__).parents[1] / "games"
CARD_KINDS = ("card", "objective", "bonus")  # kinds of actions whose argument is the number of a card
ILLEGAL_ACTION = "illegal action"  # the end reason of a game that its player forfeited


def forfeited(s: Any) -> bool:
    """Whether the seat that decides has forfeited the game by an illegal action: no end of the rules is noted."""
    return bool(s.over == 1 and s.end_reason == 0)


def enumeration(names: Sequence[str]) -> str:
    """Names in a sentence: "A, B and C"."""
    *beginning, last = names
    return f"{', '.join(beginning)} and {last}" if beginning else last


def ending_sentence(
    s: Any,
    components: Any,
    seat_names: Callable[[Any], Sequence[str]],
    winners: Callable[[Any], Sequence[bool]],
    reason: Callable[[Any, Any], str],
) -> str:
    """How the game of a record ended, a sentence without its full stop: who won, and why; a forfeit has no reason."""
    names = seat_names(s)
    if forfeited(s):
        return f"{names[int(s.player)]} lost by an {ILLEGAL_ACTION}"
    words = reason(s, components)
    first = [name for name, won in zip(names, winners(s), strict=True) if won]
    if len(names) == 1:
        return f"{names[0]} {'won' if first else 'lost'}: {words}"
    if len(first) in (0, len(names)):
        return f"A draw between {enumeration(names)}: {words}"
    return f"{enumeration(first)} won: {words}"


@dataclass(frozen=True)
class GameSpec:
    """Declared properties of a game, which random play checks at every step."""

    seats: tuple[str, ...]  # agent names, in seat order
    max_decisions: int  # no game takes more, forced decisions included
    lowest_return: float
    highest_return: float
    zero_sum: bool
    hidden_information: bool
    chance: bool

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.seats)

    @property
    def has_deals(self) -> bool:
        """Whether anything is hidden, or left to chance: then a determinization draws it anew."""
        return self.hidden_information or self.chance

    def return_bounds(self, weights: Iterable[float]) -> tuple[float, float]:
        """The lowest and the highest return of a game under rewards of several kinds, by the weights of the kinds."""
        ends = [(weight * self.lowest_return, weight * self.highest_return) for weight in weights]
        return sum(map(min, ends)), sum(map(max, ends))

    def forfeit_returns(self, seat: int, lowest: float | None = None) -> tuple[float, ...]:
        """The return of every seat in a game that one has forfeited by an illegal action.

        That seat has the lowest, its enemy the negative of that in a zero-sum game of two, and any other 0.0. `lowest`:
        that of the rewards that are paid; None: that of a single reward kind.
        """
        least = self.lowest_return if lowest is None else lowest
        other_return = -least if self.zero_sum and self.players == 2 else 0.0
        return tuple(float(least if k == seat else other_return) for k in range(self.players))


@dataclass(frozen=True)
class Option:
    """A named choice made when an environment is created; rules see the index of the value."""

    name: str
    values: tuple[str, ...]
    meaning: str

    @property
    def default(self) -> str:
        """The first value."""
        return self.values[0]

    def index(self, value: object) -> int:
        """The value's number; `UnknownName` with the valid values. True and False mean "on" and "off", 3 means "3"."""
        word = ("off", "on")[value] if isinstance(value, bool) else str(value)
        if word not in self.values:
            raise UnknownName(f"value of option {self.name!r}", value, self.values)
        return self.values.index(word)


@dataclass(frozen=True)
class Opponent:
    """A player that the rules themselves can put into seats, as a game declares it; all others are agents."""

    name: str
    meaning: str


RANDOM_OPPONENT = Opponent("random", "uniformly random legal actions")


@dataclass(frozen=True)
class Symmetry:
    """A way to turn or mirror the board that leaves the rules as they are.

    A position seen as `o` with the legal actions `m` becomes, turned, `o[observation]` with `m[actions]`; an action `a`
    of the turned position is `actions[a]` in the first one.
    """

    name: str
    observation: NDArray[np.intp]  # permutation [D]
    actions: NDArray[np.intp]  # permutation [A]


@dataclass(frozen=True)
class UniformBoard:
    """A board whose spaces are all alike: for networks that look at each of them with the same weights.

    The entries `observation[x]` of an observation describe space `x`, and action `actions[x]` chooses it.
    """

    observation: NDArray[np.intp]  # [S, E] entries
    actions: NDArray[np.intp]  # [S]
    neighbours: NDArray[np.bool_]  # [S, S], symmetric: which spaces are next to each other


@dataclass(frozen=True)
class Relabelling:
    """Hidden cards of a game by number, for beliefs about who holds which.

    Cards that a seat has not seen in any position of a game can be given each other's numbers in all of them and in the
    actions that name them: that is another game, equally probable, which the seat cannot tell from the true one.
    """

    kinds: NDArray[np.int8]  # [L]: by number; cards of different kinds never change places
    actions: NDArray[np.int64]  # [A]: the card that an action names, 0 for none; those of a kind lie in a row
    # records [m], seat -> bool [m, L]: the cards that a seat cannot place, though it may see what the enemy chooses
    unseen: Callable[[NDArray[Any], int], NDArray[np.bool_]]
    # records [m] -> int64 [L, m, K]: the place of each card, whatever its number
    places: Callable[[NDArray[Any]], NDArray[np.int64]]
    # records [m], int64 [m, L] -> card k of record i gets the number [i, k], in place
    relabel: Callable[[NDArray[Any], NDArray[np.int64]], None]

    def relabel_actions(self, actions: NDArray[np.int64], labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """What actions [m] are when the cards have other numbers, int64 [m, L]: int64 [m]."""
        cards = self.actions[actions]
        renamed: NDArray[np.int64] = actions + labels[np.arange(len(actions)), cards] - cards
        return renamed


@dataclass(frozen=True, eq=False)
class NoComponents:
    """The component set of a game that is all rules."""

    record: Any
    name: str = "none"
    digest: str = "00000000"


@cache
def _no_components() -> NoComponents:
    return NoComponents(np.zeros(1, [("nothing", np.int8)]).view(np.recarray))


def no_components(path: Any) -> NoComponents:
    """The set without a component; `BadArgument` for a file."""
    if path is not None:
        raise BadArgument(f"components={str(path)!r}: this game has no component files, leave it out")
    return _no_components()


def no_lines(record: Any, components: Any) -> list[str]:
    """No line, for any position."""
    return []


def no_board() -> UniformBoard | None:
    """None: a game whose spaces, if it has any, are not alike."""
    return None


Record = Any  # one state record, of the game's dtype
Components = Any  # a loaded component set, or its record in a rule


@dataclass(frozen=True)
class Rules:
    """The compiled rules; `s` is one state record, `c` the component record. None allocates or raises.

    deal(s, c, options)         set up a game, up to its first decision, in a record that is all zero but for the
                                header's seed, streams and learner; options: int64 [K]
    legal(s, c, mask)           set the legal actions in an all-false bool [A]; at least one while the game runs
    apply(s, c, action)         carry out a legal action and everything up to the next decision
    observe(s, c, seat, o)      write the observation of a seat into an all-zero int8 [D]
    payoff(s, c, seat, kind)    a seat's return as an integer, for reward kind 0, 1, ...; of a running game the return
                                so far, or 0 where nothing can be said before the end
    determinize(s, c, seat)     draw anew, from stream DETERMINIZE, everything that the seat cannot see; for NOBODY
                                (-1) what no player can see, a bot of the game included
    advise(s, c, mask, n)       the action that scripted player n would take: a legal one (bool [A]), from nothing but
                                what the seat that decides can see; it may draw from stream BOT. None: there is none
    """

    deal: Callable[[Record, Components, NDArray[np.int64]], None]
    legal: Callable[[Record, Components, NDArray[np.bool_]], None]
    apply: Callable[[Record, Components, int], None]
    observe: Callable[[Record, Components, int, NDArray[np.int8]], None]
    payoff: Callable[[Record, Components, int, int], int]
    determinize: Callable[[Record, Components, int], None]
    advise: Callable[[Record, Components, NDArray[np.bool_], int], int] | None = None


class DrawText(Protocol):
    """A position as lines of text, as a seat sees it; viewer None: the seat that decides."""

    def __call__(self, record: Record, components: Components, /, viewer: int | None = None) -> str:
        """The text."""
        ...


class DrawSvg(Protocol):
    """A position as an SVG document; `legal` actions can be clicked, changes since the record `previous` are marked."""

    def __call__(
        self,
        record: Record,
        components: Components,
        /,
        viewer: int | None = None,
        legal: Sequence[int] = (),
        previous: Record | None = None,
    ) -> str:
        """The document."""
        ...


# Points by source: the names of the sides, and rows of a source and the points of each side.
Score = tuple[Sequence[str], Sequence[tuple[str, Sequence[int]]]]


@dataclass(frozen=True)
class Presentation:
    """How people see a game: drawings and sentences."""

    draw_text: DrawText
    draw_svg: DrawSvg
    journal: Callable[[Record, Components], list[str]] = no_lines  # sentences since the last decision
    question: DrawText | None = None  # who decides what, or how the game ended, in a line
    sentence: Callable[[Record, Components, int], str] | None = None  # of a legal action; None: the action table's
    reason: Callable[[Record, Components], str] | None = None  # of the result; None: the end reason in the record
    score: Callable[[Record, Components], Score] | None = None  # of a position, by source, as everybody sees it
    has_looks: bool = False  # whether `draw_svg` takes a `look` (`rfop_env.drawing.palette.Look`) too


@dataclass(frozen=True)
class Reward:
    """A way to turn a game into returns: the payoff of its end times `scale`.

    `dense`: paid in parts, each step what it changed; the payoff of a running game is then its return so far, from 0.
    """

    name: str
    scale: float
    meaning: str
    dense: bool = False
    per_point: int = 1  # units of the payoff in a point, for tables


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """The declared part of a game: names, properties, options, rewards and scripted players, without any rule."""

    id: str  # "RedFlagOverParis-v1"
    title: str
    folder: Path  # of its source, or the file of a game that has only one
    spec: GameSpec
    rewards: tuple[Reward, ...]
    end_reasons: tuple[str, ...]  # index = code in the record; [0] = "running"
    options: tuple[Option, ...] = ()
    rule_options: tuple[str, ...] = ()  # the order in which the rules read the options
    fixed_options: Mapping[str, int] = field(default_factory=dict)  # the rules' options that this id sets by itself
    points: str = "margin"  # the reward kind that counts points: VP ahead, markers left, a score
    scripted: tuple[Opponent, ...] = ()  # the players of `Rules.advise`, by its last argument

    @property
    def rules_name(self) -> str:
        """What compiled code and models call the rules: the folder of a shipped game, else the id without version."""
        return self.folder.name if self.folder.parent == SHIPPED else self.id.rsplit("-v", 1)[0]

    @property
    def brief(self) -> str:
        """The rules in brief, in the words of `BRIEF.md` in the folder; "" without one.

        What stands under the heading of another environment's id is left out.
        """
        path = self.folder / BRIEF
        if not path.is_file():
            return ""
        general, *special = re.split(r"^## (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        own = [text.strip() for id, text in zip(special[::2], special[1::2], strict=True) if id.strip() == self.id]
        return "\n\n".join([general.strip(), *own])

    @property
    def version(self) -> int:
        """The number after `-v`; it rises whenever behaviour changes."""
        return int(self.id.rsplit("-v", 1)[1])

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """The players for the seats that the learner does not play: the random player and the scripted ones."""
        return (RANDOM_OPPONENT, *self.scripted) if self.spec.players > 1 else ()

    def require_options(self, names: Iterable[str], arguments: Iterable[str] = ()) -> None:
        """Raise `UnknownOption` for names that are no options; `arguments`: what could have been meant besides."""
        valid = [option.name for option in self.options]
        for name in names:
            if name not in valid:
                raise UnknownOption.of(self.id, name, valid, list(arguments))

    def option_values(self, options: Mapping[str, object]) -> dict[str, str]:
        """The value of every option, the default where none is given; raises `UnknownName`."""
        self.require_options(options)
        return {o.name: o.values[o.index(options.get(o.name, o.default))] for o in self.options}

    def encode_options(self, options: Mapping[str, object]) -> NDArray[np.int64]:
        """Option values as the int64 [K] array the rules read; unknown names and values raise `UnknownName`."""
        values = self.option_values(options)
        codes = {o.name: o.values.index(values[o.name]) for o in self.options} | dict(self.fixed_options)
        return np.array([codes[name] for name in self.rule_options], np.int64)

    def reward(self, name: str) -> tuple[int, Reward]:
        """A reward kind by name, with its number."""
        names = [r.name for r in self.rewards]
        if name not in names:
            raise UnknownName(f"reward of {self.id}", name, names)
        return names.index(name), self.rewards[names.index(name)]


@dataclass(frozen=True, kw_only=True)
class Game(Metadata):
    """One environment id: a game with some of its options fixed."""

    rules: Rules
    record: RecordLayout
    actions: ActionTable
    observation: ObservationLayout
    presentation: Presentation
    seat_names: Callable[[Record], tuple[str, ...]]  # what each seat plays, for people
    winners: Callable[[Record], tuple[bool, ...]]  # of an ended game: which seats won
    # path or None -> object with .record ([1]), .name, .digest
    load_components: Callable[[Any], Components] = no_components
    problems: Callable[[Record, Components], list[str]] = no_lines  # ways in which a record is faulty
    # option values and loaded component set -> the declared properties, where they depend on either
    spec_under: Callable[[Mapping[str, str], Any], GameSpec] | None = None
    symmetries: Callable[[], tuple[Symmetry, ...]] = tuple  # of the board, the identity first; () where there are none
    board: Callable[[], UniformBoard | None] = no_board
    relabelling: Relabelling | None = None  # of hidden cards; None: beliefs are uniform

    def __copy__(self) -> Game:
        return self  # it never changes, so copies share it, and its compiled rules

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    @property
    def state(self) -> np.dtype[Any]:
        """The dtype of a state record."""
        return self.record.dtype

    def under(self, options: Mapping[str, object], components: Components = None) -> Game:
        """This game with the seats and declared properties that it has under the given options; raises `UnknownName`.

        `components`: the loaded set that is played; None: the shipped one.
        """
        values = self.option_values(options)
        if self.spec_under is None:
            return self
        loaded = self.load_components(None) if components is None else components
        spec = _cached_spec(self.spec_under, tuple(values.items()), loaded)
        return self if spec == self.spec else replace(self, spec=spec)

    # -- in words ------------------------------------------------------------------------------------------------------

    def end_reason(self, record: Record) -> str:
        """Why the game of a record has ended; "running" for one that has not."""
        return ILLEGAL_ACTION if forfeited(record) else self.end_reasons[int(record.end_reason)]

    def result_sentence(self, record: Record, components: Components) -> str:
        """How the game of a record ended, a sentence without its full stop: who won, and why (`ending_sentence`)."""
        reason = self.presentation.reason or self._plain_reason
        return ending_sentence(record, components, self.seat_names, self.winners, reason)

    def _plain_reason(self, record: Record, components: Components) -> str:
        return self.end_reason(record)

    def action_card(self, components: Components, action: int) -> int | None:
        """The number of the card that an action's label names; None where it names none."""
        row = self.actions.rows[action]
        number = row.label.partition(" ")[2]
        names_card = row.kind in CARD_KINDS and number.isdigit() and hasattr(components, "card_name")
        return int(number) if names_card else None

    def action_label(self, components: Components, action: int) -> str:
        """The label of an action, and the name of the card that it names by number."""
        card, label = self.action_card(components, action), self.actions.rows[action].label
        return label if card is None else f"{label} {components.card_name(card)}"

    def action_sentence(self, record: Record, components: Components, action: int) -> str:
        """What a legal action does in this position, a sentence."""
        if self.presentation.sentence is None:
            return self.actions.rows[action].sentence
        return self.presentation.sentence(record, components, action)


@lru_cache(maxsize=256)
def _cached_spec(
    spec_under: Callable[[Mapping[str, str], Any], GameSpec],
    values: tuple[tuple[str, str], ...],
    components: Components,
) -> GameSpec:
    """`Game.spec_under`, memoised: the bound of decisions goes through every card of a set."""
    return spec_under(dict(values), components)
