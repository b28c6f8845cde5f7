"""What one player may see of a position: the gate that everything drawn from hidden fields passes through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rfop_env.core.decisions import FRAME_KIND, JOURNAL_B, JOURNAL_C, JOURNAL_CODE
from rfop_env.drawing.pieces import Held
from rfop_env.games.paris.component_set import ComponentSet
from rfop_env.games.paris import board, ending, frames, journal, state

SPECTATOR = -1  # a viewer who sees what lies open, and nothing behind any screen
LETTERS = "ABCD"  # how players are named on the board
GOOD_LETTERS = "WMGbsg"  # resources in capitals, prestige in small letters


class Changes(NamedTuple):
    """What has changed since an earlier position."""

    places: set[int]
    bonus: set[int]  # numbers of bonus tiles
    districts: set[int]  # where a VP tile was placed


class TrackSpace(NamedTuple):
    """A space of the bonus track: its tiles, and the owners of the meeples on it."""

    space: int
    number: int  # of the tiles
    copies: int  # tiles left
    meeples: list[int]


class View:
    """A position as one player sees it.

    `viewer` is a seat, SPECTATOR, or None for the player to move (of an ended game: a spectator). Screens lift when the
    game is over; with open screens or a perfect memory only End Game tiles are secret. `previous` is an earlier record,
    or None.
    """

    def __init__(self, s: Any, components: ComponentSet, viewer: int | None = None, previous: Any = None) -> None:
        self.s = s
        self.components = components
        self.previous = previous
        self.tables = components.tables
        self.over = s.over == 1
        self.screens_open = (
            s.open_screens == 1 or s.perfect_memory == 1
        )  # what is behind all screens, but for End Game tiles
        self.players = int(s.players)
        seats = range(self.players)
        if viewer not in (None, SPECTATOR, *seats):
            expected = f"None, {SPECTATOR} (a spectator) or a seat from 0 to {self.players - 1}"
            raise ValueError(f"viewer: expected {expected}, found {viewer!r}")
        self.decider = int(s.player) if s.depth > 0 and not self.over else SPECTATOR
        self.viewer = self.decider if viewer is None else int(viewer)
        self.question = int(s.stack[s.depth - 1, FRAME_KIND]) if self.decider != SPECTATOR else 0

    # -- the board -----------------------------------------------------------------------------------------------------

    def tile(self, space: int) -> int | None:
        """The building tile that lies on a space."""
        tile = self._tiles[space]
        return tile - 1 if tile > 0 else None

    def type_name(self, tile: int) -> str:
        """The type of a building tile."""
        return board.TYPE_NAMES[self.tables.building_type[tile]]

    def token(self, space: int) -> int | None:
        """The good beside a space."""
        token = self._tokens[space]
        return token - 1 if token > 0 else None

    @cached_property
    def _tiles(self) -> list[int]:
        tiles: list[int] = self.s.tile_at.tolist()
        return tiles

    @cached_property
    def _tokens(self) -> list[int]:
        tokens: list[int] = self.s.token.tolist()
        return tokens

    def cost(self, tile: int) -> list[int]:
        """The resources to pay on arrival at a building tile or landmark, one entry a token."""
        counts = self.tables.resources[tile].tolist()
        return [good for good in range(board.RESOURCES) for _ in range(counts[good])]

    def keys(self, place: int) -> list[int]:
        """The owners of the keys at a place, one entry a key."""
        counts = self._keys[place]
        return [player for player in range(self.players) for _ in range(counts[player])]

    @cached_property
    def _keys(self) -> list[list[int]]:
        """How many keys each player has at each place."""
        rows = self.s.keys.tolist()
        return [[row[place] for row in rows] for place in range(board.PLACES)]

    def landmarks(self, district: int) -> list[int]:
        """The landmarks in a district, or (NOWHERE) in the supply."""
        return [i for i in range(board.LANDMARKS) if self.s.landmark_district[i] == district]

    def landmark_value(self, landmark: int) -> int:
        """What a landmark is worth."""
        return int(self.tables.landmark_value[landmark])

    def sections(self, landmark: int) -> list[tuple[int, int]]:
        """The prestige sections of a landmark: good and VP."""
        goods, vp = self.tables.section_good[landmark], self.tables.section_vp[landmark]
        return [(int(goods[i]) - 1, int(vp[i])) for i in range(board.SECTIONS) if goods[i] > 0]

    def vp_tiles(self, district: int) -> list[int]:
        """The VP tile in a district, or (NOWHERE) those in the supply."""
        return [i for i in range(board.VP_TILES) if self.s.vp_tile_district[i] == district]

    def placings(self, vp_tile: int) -> list[int]:
        """What a VP tile pays the first, the second and the third."""
        return [int(vp) for vp in self.tables.vp_tile[vp_tile]]

    def pile(self, k: int) -> tuple[int, str]:
        """How many tiles of a stack can still be drawn, and the district on the back of the top one."""
        size = int(self.s.pile_size[k])
        height = size - int(self.s.pile_floor)
        if height == 0:
            return 0, ""
        return height, board.DISTRICT_NAMES[self.s.pile[k, size - 1] // board.VALUE_COUNT]

    def piles(self) -> list[tuple[int, str]]:
        """All stacks."""
        return [self.pile(k) for k in range(board.STACKS)]

    def track(self) -> Iterator[TrackSpace]:
        """The spaces of the bonus track in order."""
        spaces, copies, meeples = self.s.bonus_space.tolist(), self.s.bonus_left.tolist(), self.s.meeple.tolist()
        numbers = {spaces[n]: n for n in range(1, board.BONUS_TILES + 1)}
        for space in range(1, board.TRACK + 1):
            players = [player for player in range(self.players) if meeples[player] == space]
            yield TrackSpace(space, numbers[space], copies[numbers[space]], players)

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
        entries = self.s.journal[: int(self.s.journal_size)].tolist()

        def numbers(column: int, *codes: int) -> set[int]:
            return {entry[column] for entry in entries if entry[JOURNAL_CODE] in codes}

        tiles = {space - 1 for space in numbers(JOURNAL_C, journal.NOTE_DRAWN)}
        keys = numbers(JOURNAL_B, journal.NOTE_PUT, journal.NOTE_MOVED) | numbers(JOURNAL_C, journal.NOTE_MOVED)
        return Changes(
            places=tiles | keys | numbers(JOURNAL_B, journal.NOTE_SECTION),
            bonus=numbers(JOURNAL_B, journal.NOTE_BONUS),
            districts=numbers(JOURNAL_C, journal.NOTE_VP_TILE),
        )

    def _differences(self, s: Any, previous: Any) -> Changes:
        keys = np.flatnonzero((s.keys != previous.keys).any(axis=0))
        tiles = np.flatnonzero(s.tile_at != previous.tile_at)
        return Changes(
            places=set(keys.tolist()) | set(tiles.tolist()),
            bonus=set(np.flatnonzero(s.bonus_left != previous.bonus_left).tolist()),
            districts=set(s.vp_tile_district[s.vp_tile_district != previous.vp_tile_district].tolist()),
        )

    def origin(self) -> int:
        """The place of the key that has been chosen and is to move, or -1."""
        return (
            int(self.s.stack[self.s.depth - 1, frames.ask_destination.origin])
            if self.question == frames.ASK_DESTINATION
            else -1
        )

    # -- players -------------------------------------------------------------------------------------------------------

    def sees(self, player: int) -> bool:
        """Whether the viewer sees a player's Francs, tokens and unused bonus tiles."""
        return self.over or player == self.viewer or self.screens_open

    def goods(self, player: int) -> list[int]:
        """How many tokens of each good a player has; ask `sees` first."""
        return [int(n) for n in self.s.goods[player]]

    def bonus(self, player: int) -> Held:
        """The unused bonus tiles of a player; how many there are can be counted by all."""
        numbers = self._bonus(player, state.UNUSED)
        return Held(numbers, 0) if self.sees(player) else Held((), len(numbers))

    def used_bonus(self, player: int) -> tuple[int, ...]:
        """The bonus tiles that a player has used, face up beside the screen."""
        return self._bonus(player, state.USED)

    def end_tiles(self, player: int) -> Held:
        """The unused End Game tiles of a player, by kind; a secret even with open screens or a perfect memory (P38)."""
        kinds = self._end_tiles(player, 0)
        return Held(kinds, 0) if self.over or player == self.viewer else Held((), len(kinds))

    def used_end_tiles(self, player: int) -> tuple[int, ...]:
        """The End Game tiles that a player has used."""
        return self._end_tiles(player, 1)

    def end_tiles_left(self) -> int:
        """How many End Game tiles have not been taken."""
        return board.END_TILES - int(self.s.end_taken)

    def end_kinds_left(self) -> dict[int, int] | None:
        """What they are, by kind; only while the viewer searches them, or when the game is over."""
        searching = self.question == frames.ASK_END_TILE and self.viewer == self.decider
        if not searching and not self.over:
            return None
        return {kind: int(self.s.end_left[kind]) for kind in range(board.END_KINDS) if self.s.end_left[kind] > 0}

    def name(self, player: int) -> str:
        """The name of a seat, with the letter that stands for it on the board."""
        return f"{LETTERS[player]} player {player}"

    def _bonus(self, player: int, status: int) -> tuple[int, ...]:
        statuses = self.s.bonus[player].tolist()
        return tuple([n for n in range(1, board.BONUS_TILES + 1) if statuses[n] == status])

    def _end_tiles(self, player: int, status: int) -> tuple[int, ...]:
        """In order of kind: the order of taking says nothing that the viewer needs."""
        s, end = self.s, int(self.s.end_taken)
        tiles = s.end_kind[:end][(s.end_owner[:end] == player) & (s.end_used[:end] == status)]
        return tuple(sorted(int(tile) - 1 for tile in tiles))

    # -- where the game stands -----------------------------------------------------------------------------------------

    def course_text(self) -> str:
        """Where the game stands: "4 players · round 3 · start player B"."""
        current = (int(self.s.turns) - 1) // self.players + 1
        last = {2: " · one more round follows", 1: " · last round"}.get(int(self.s.rounds_left), "")
        return f"{self.players} players · round {current}{last} · start player {LETTERS[self.s.start_player]}"

    def decision_text(self) -> str:
        """Who decides what, or how the game ended."""
        if self.over:
            return ending.sentence(self.s, self.components)
        if self.decider == SPECTATOR:
            return "nobody to move"
        return f"{self.name(self.decider)}: {frames.QUESTION_NAMES[self.question]}{self._subject()}"

    def _subject(self) -> str:
        """What the question is about."""
        frame = self.s.stack[self.s.depth - 1]
        if self.question == frames.ASK_PLACEMENT:
            return f" {self.tile_name(int(frame[frames.ask_placement.tile]))}"
        if self.question == frames.ASK_DESTINATION:
            return f" of the key at {board.PLACE_NAMES[frame[frames.ask_destination.origin]]}"
        if self.question == frames.ASK_LANDMARK_DISTRICT:
            return f" {board.PLACE_NAMES[frame[frames.ask_landmark_district.landmark]]}"
        if self.question == frames.ASK_PAYMENT:
            return f" for {board.PLACE_NAMES[frame[frames.ask_payment.place]]}"
        if self.question == frames.ASK_PRESTIGE:
            return f" {board.LANDMARK_NAMES[frame[frames.ask_prestige.landmark]]}"
        return f" {1 + int(frame[frames.ask_vp_district.tile])}" if self.question == frames.ASK_VP_DISTRICT else ""

    def tile_name(self, tile: int) -> str:
        """A building tile in words: value and type."""
        return f"{board.VALUES[tile % board.VALUE_COUNT]} {self.type_name(tile)}"


def counted(goods: Sequence[int]) -> str:
    """Goods in words, one entry a token: "2 marble, 1 gold"."""
    return ", ".join(f"{n} {board.GOOD_TITLES[good]}" for good, n in sorted(Counter(goods).items()))


def question(s: Any, components: ComponentSet, viewer: int | None = None) -> str:
    """Who decides what, or how the game ended, in one line, as `viewer` of a `View` sees it."""
    return View(s, components, viewer).decision_text()
