"""What one player may see of a position: the gate that everything drawn from hidden fields passes through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from rfop_env.core.decisions import FRAME_KIND, JOURNAL_B, JOURNAL_C, JOURNAL_CODE
from rfop_env.core.game import forfeit_sentence, forfeited
from rfop_env.drawing.pieces import Held
from rfop_env.games.paris.board import (
    BONUS_TILES,
    DISTRICT_NAMES,
    END_KINDS,
    END_TILES,
    GOOD_TITLES,
    LANDMARK_NAMES,
    LANDMARKS,
    PLACE_NAMES,
    RESOURCES,
    SECTIONS,
    STACKS,
    TRACK,
    TYPE_NAMES,
    VALUE_COUNT,
    VALUES,
    VP_TILES,
)
from rfop_env.games.paris.frames import (
    ASK_DESTINATION,
    ASK_END_TILE,
    ASK_LANDMARK_DISTRICT,
    ASK_PAYMENT,
    ASK_PLACEMENT,
    ASK_PRESTIGE,
    ASK_VP_DISTRICT,
    LANDMARK_PLACE,
    ORIGIN,
    PAID_FOR,
    PRESTIGE_LANDMARK,
    QUESTION_NAMES,
    TILE_TO_PLACE,
    VP_TILE_CHOSEN,
)
from rfop_env.games.paris.journal import (
    NOTE_BONUS, NOTE_DRAWN, NOTE_MOVED, NOTE_PUT, NOTE_SECTION, NOTE_VP_TILE,
)  # fmt: skip
from rfop_env.games.paris.state import UNUSED, USED

SPECTATOR = -1  # a viewer who sees what lies open, and nothing behind any screen
LETTERS = "ABCD"  # how players are named on the board
GOOD_LETTERS = "WMGbsg"  # resources in capitals, prestige in small letters


class Changes(NamedTuple):
    """What has changed since an earlier position."""

    places: set[int]
    bonus: set[int]  # numbers of bonus tiles
    districts: set[int]  # where a VP tile was placed


class TileSource(Protocol):
    """What drawing needs of the loaded components: the tables, and the words on the bonus tiles."""

    @property
    def record(self) -> Any:
        """The component record, [1]."""

    def card_name(self, number: int) -> str:
        """The name of a bonus tile."""

    def event_sentences(self, number: int) -> Sequence[str]:
        """What it does."""


class View:
    """A position as one player sees it.

    `viewer` is a seat, SPECTATOR, or None for the player to move (of an ended game: a spectator). Screens lift when the
    game is over; with open screens or a perfect memory only End Game tiles are secret. `previous` is an earlier record,
    or None.
    """

    def __init__(self, s: Any, components: TileSource, viewer: int | None = None, previous: Any = None) -> None:
        self.s = s
        self.components = components
        self.previous = previous
        self.tables = components.record.view(np.recarray)[0]
        self.over = s.over == 1
        self.known = s.open_screens == 1 or s.perfect_memory == 1  # what is behind all screens, but for End Game tiles
        self.players = int(s.players)
        seats = range(self.players)
        if viewer not in (None, SPECTATOR, *seats):
            wanted = f"None, {SPECTATOR} (a spectator) or a seat from 0 to {self.players - 1}"
            raise ValueError(f"viewer: expected {wanted}, found {viewer!r}")
        self.decider = int(s.player) if s.depth > 0 and not self.over else SPECTATOR
        self.viewer = self.decider if viewer is None else int(viewer)
        self.question = int(s.stack[s.depth - 1, FRAME_KIND]) if self.decider != SPECTATOR else 0

    # -- the board -----------------------------------------------------------------------------------------------------

    def tile(self, space: int) -> int | None:
        """The building tile that lies on a space."""
        return int(self.s.tile_at[space]) - 1 if self.s.tile_at[space] > 0 else None

    def type_name(self, tile: int) -> str:
        """The type of a building tile."""
        return TYPE_NAMES[self.tables.building_type[tile]]

    def token(self, space: int) -> int | None:
        """The good beside a space."""
        return int(self.s.token[space]) - 1 if self.s.token[space] > 0 else None

    def cost(self, tile: int) -> list[int]:
        """The resources to pay on arrival at a building tile or landmark, one entry a token."""
        return [good for good in range(RESOURCES) for _ in range(int(self.tables.resources[tile, good]))]

    def keys(self, place: int) -> list[int]:
        """The owners of the keys at a place, one entry a key."""
        return [player for player in range(self.players) for _ in range(int(self.s.keys[player, place]))]

    def landmarks(self, district: int) -> list[int]:
        """The landmarks in a district, or (NOWHERE) in the supply."""
        return [i for i in range(LANDMARKS) if self.s.landmark_district[i] == district]

    def landmark_value(self, landmark: int) -> int:
        """What a landmark is worth."""
        return int(self.tables.landmark_value[landmark])

    def sections(self, landmark: int) -> list[tuple[int, int]]:
        """The prestige sections of a landmark: good and VP."""
        goods, vp = self.tables.section_good[landmark], self.tables.section_vp[landmark]
        return [(int(goods[i]) - 1, int(vp[i])) for i in range(SECTIONS) if goods[i] > 0]

    def vp_tiles(self, district: int) -> list[int]:
        """The VP tile in a district, or (NOWHERE) those in the supply."""
        return [i for i in range(VP_TILES) if self.s.vp_tile_district[i] == district]

    def placings(self, vp_tile: int) -> list[int]:
        """What a VP tile pays the first, the second and the third."""
        return [int(vp) for vp in self.tables.vp_tile[vp_tile]]

    def pile(self, k: int) -> tuple[int, str]:
        """How many tiles of a stack can still be drawn, and the district on the back of the top one."""
        size = int(self.s.pile_size[k])
        left = size - int(self.s.pile_floor)
        return (left, DISTRICT_NAMES[self.s.pile[k, size - 1] // VALUE_COUNT]) if left > 0 else (0, "")

    def piles(self) -> list[tuple[int, str]]:
        """All stacks."""
        return [self.pile(k) for k in range(STACKS)]

    def track(self) -> Iterator[tuple[int, int, int, list[int]]]:
        """The bonus track: space, number of the tiles there, how many are left, whose meeples stand there."""
        at = {int(self.s.bonus_space[n]): n for n in range(1, BONUS_TILES + 1)}
        for space in range(1, TRACK + 1):
            yield space, at[space], int(self.s.bonus_left[at[space]]), self.meeples(space)

    def meeples(self, space: int) -> list[int]:
        """Whose meeples stand on a space of the bonus track; 0: before the start."""
        return [player for player in range(self.players) if self.s.meeple[player] == space]

    @cached_property
    def changes(self) -> Changes:
        """What differs on the board from the earlier record.

        Without one: what the journal says of the time since the last decision.
        """
        if self.previous is not None:
            return self._differences(self.s, self.previous)
        notes = [[int(n) for n in entry] for entry in self.s.journal[: int(self.s.journal_size)]]

        def numbers(code: int, argument: int) -> set[int]:
            return {note[argument] for note in notes if note[JOURNAL_CODE] == code}

        drawn = {space - 1 for space in numbers(NOTE_DRAWN, JOURNAL_C)}
        keys = numbers(NOTE_PUT, JOURNAL_B) | numbers(NOTE_MOVED, JOURNAL_B) | numbers(NOTE_MOVED, JOURNAL_C)
        return Changes(
            places=drawn | keys | numbers(NOTE_SECTION, JOURNAL_B),
            bonus=numbers(NOTE_BONUS, JOURNAL_B),
            districts=numbers(NOTE_VP_TILE, JOURNAL_C),
        )

    def _differences(self, s: Any, before: Any) -> Changes:
        keys = np.flatnonzero((s.keys != before.keys).any(axis=0))
        tiles = np.flatnonzero(s.tile_at != before.tile_at)
        return Changes(
            places={int(place) for place in (*keys, *tiles)},
            bonus={int(number) for number in np.flatnonzero(s.bonus_left != before.bonus_left)},
            districts={
                int(s.vp_tile_district[i]) for i in np.flatnonzero(s.vp_tile_district != before.vp_tile_district)
            },
        )

    def origin(self) -> int:
        """The place of the key that has been chosen and is to move, or -1."""
        return int(self.s.stack[self.s.depth - 1, ORIGIN]) if self.question == ASK_DESTINATION else -1

    # -- players -------------------------------------------------------------------------------------------------------

    def sees(self, player: int) -> bool:
        """Whether the viewer sees a player's Francs, tokens and unused bonus tiles."""
        return self.over or player == self.viewer or self.known

    def goods(self, player: int) -> list[int]:
        """How many tokens of each good a player has; ask `sees` first."""
        return [int(n) for n in self.s.goods[player]]

    def bonus(self, player: int) -> Held:
        """The unused bonus tiles of a player; how many there are can be counted by all."""
        numbers = self._bonus(player, UNUSED)
        return Held(numbers, 0) if self.sees(player) else Held((), len(numbers))

    def used(self, player: int) -> tuple[int, ...]:
        """The bonus tiles that a player has used, face up beside the screen."""
        return self._bonus(player, USED)

    def end_tiles(self, player: int) -> Held:
        """The unused End Game tiles of a player, by kind; a secret even with open screens or a perfect memory (P38)."""
        kinds = self._end_tiles(player, 0)
        return Held(kinds, 0) if self.over or player == self.viewer else Held((), len(kinds))

    def used_end_tiles(self, player: int) -> tuple[int, ...]:
        """The End Game tiles that a player has used."""
        return self._end_tiles(player, 1)

    def end_tiles_left(self) -> int:
        """How many End Game tiles have not been taken."""
        return END_TILES - int(self.s.end_taken)

    def end_kinds_left(self) -> dict[int, int] | None:
        """What they are, by kind; only while the viewer searches them, or when the game is over."""
        searching = self.question == ASK_END_TILE and self.viewer == self.decider
        if not searching and not self.over:
            return None
        return {kind: int(self.s.end_left[kind]) for kind in range(END_KINDS) if self.s.end_left[kind] > 0}

    def name(self, player: int) -> str:
        """The name of a seat, with the letter that stands for it on the board."""
        return f"{LETTERS[player]} player_{player}"

    def _bonus(self, player: int, state: int) -> tuple[int, ...]:
        return tuple(n for n in range(1, BONUS_TILES + 1) if self.s.bonus[player, n] == state)

    def _end_tiles(self, player: int, used: int) -> tuple[int, ...]:
        """In order of kind: the order of taking says nothing that the viewer needs."""
        taken = [i for i in range(int(self.s.end_taken)) if self.s.end_owner[i] == player]
        return tuple(sorted(int(self.s.end_kind[i]) - 1 for i in taken if self.s.end_used[i] == used))

    # -- where the game stands -----------------------------------------------------------------------------------------

    def course_text(self) -> str:
        """Where the game stands: "4 players · round 3 · start player B"."""
        current = (int(self.s.turns) - 1) // self.players + 1
        last = {2: " · one more round follows", 1: " · last round"}.get(int(self.s.rounds_left), "")
        return f"{self.players} players · round {current}{last} · start player {LETTERS[self.s.start_player]}"

    def decision_text(self) -> str:
        """Who decides what, or how the game ended."""
        if self.over:
            return self._result_text()
        if self.decider == SPECTATOR:
            return "nobody to move"
        return f"{self.name(self.decider)}: {QUESTION_NAMES[self.question]}{self._held()}"

    def _held(self) -> str:
        """What the question is about."""
        frame = self.s.stack[self.s.depth - 1]
        if self.question == ASK_PLACEMENT:
            return f" {self.tile_name(int(frame[TILE_TO_PLACE]))}"
        if self.question == ASK_DESTINATION:
            return f" of the key at {PLACE_NAMES[frame[ORIGIN]]}"
        if self.question == ASK_LANDMARK_DISTRICT:
            return f" {PLACE_NAMES[frame[LANDMARK_PLACE]]}"
        if self.question == ASK_PAYMENT:
            return f" for {PLACE_NAMES[frame[PAID_FOR]]}"
        if self.question == ASK_PRESTIGE:
            return f" {LANDMARK_NAMES[frame[PRESTIGE_LANDMARK]]}"
        return f" {1 + int(frame[VP_TILE_CHOSEN])}" if self.question == ASK_VP_DISTRICT else ""

    def tile_name(self, tile: int) -> str:
        """A building tile in words: value and type."""
        return f"{VALUES[tile % VALUE_COUNT]} {self.type_name(tile)}"

    def _result_text(self) -> str:
        if forfeited(self.s):
            return forfeit_sentence(self.name(int(self.s.player)))
        first = [player for player in range(self.players) if self.s.better[player] == 0]
        names = " and ".join(self.name(player) for player in first)
        return f"{names} {'wins' if len(first) == 1 else 'share the victory'} with {int(self.s.vp[first[0]])} VP"


def counted(goods: Sequence[int]) -> str:
    """Goods in words, one entry a token: "2 marble, 1 gold"."""
    return ", ".join(f"{n} {GOOD_TITLES[good]}" for good, n in sorted(Counter(goods).items()))


def question(s: Any, components: TileSource, viewer: int | None = None) -> str:
    """Who decides what, or how the game ended, in one line, as `viewer` of a `View` sees it."""
    return View(s, components, viewer).decision_text()
