"""A position of Levée en Masse laid out by hand and played by action labels: what the rules' tests are written with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rfop_env.core.batch import GameBatch
from rfop_env.core.random_stream import DICE, GOLDEN, WORD, mix
from rfop_env.games.levee_en_masse import board, component_set, game, state, tracks
from rfop_env.games.levee_en_masse import components as columns
from tests.games.base_table import BaseTable

ACTIONS = 5  # of every card, unless the test says otherwise
BATTLE_VALUES = (3, 4, 4, 2, 3, 3, 4, 4, 3)  # in the order of ARMY_NAMES
NAVY, LIBERATION, DISORDER = 4, 2, 3

_mix = getattr(mix, "py_func", mix)
_clamp, _reigning = getattr(board.clamp, "py_func", board.clamp), getattr(tracks.reigning, "py_func", tracks.reigning)


def army(name: str) -> int:
    """The number of an army by its name."""
    return board.ARMY_NAMES.index(name)


def track(name: str) -> int:
    """The number of a track by its name."""
    return board.TRACK_NAMES.index(name)


class Table(BaseTable):
    """One game under the shipped map, with cards that do nothing and give five Actions until the test says more.

    It starts in the Action Phase of card 1: armies in their starting boxes, Monarchy 4, Despotism and Republic -1. What
    is laid out counts from the next `ready` or `dice` on.
    """

    def __init__(self, *, seed: int = 7, reward: str | None = None, **options: Any):
        shipped = component_set.load_components(None)
        record = shipped.record.copy()
        record["army_order"], record["battle_value"][0] = 0, BATTLE_VALUES
        record["navy_value"], record["liberation_value"], record["disorder_value"] = NAVY, LIBERATION, DISORDER
        record["headline"][0, 1:, columns.HEAD.actions :] = 0
        record["headline"][0, 1:, columns.HEAD.actions] = ACTIONS
        components = replace(shipped, record=record)
        super().__init__(
            GameBatch(game.levee_en_masse(), 1, seed, options=options, components=components, reward=reward)
        )

    # -- laying out ------------------------------------------------------------------------------------------------

    def at(self, **boxes: int) -> Table:
        """Put armies into boxes of their tracks: `at(Austrian=2)`; OFF_MAP takes them away."""
        for name, box in boxes.items():
            self.s.box[army(name.replace("_", " "))] = box
        return self

    def politics(self, monarchy: int, despotism: int, republic: int) -> Table:
        """Set the political tracks."""
        self.s.politics[:] = monarchy, despotism, republic
        return self

    def liberated(self, name: str, box: int) -> Table:
        """Put a Liberation marker from aside into a space."""
        self.s.liberated[track(name), box] = 1
        self.s.markers_aside -= 1
        return self

    def hold(self, markers: int = 1) -> Table:
        """Move Liberation markers from aside to the Holding Box."""
        self.s.markers_held += markers
        self.s.markers_aside -= markers
        return self

    def set(self, **fields: int) -> Table:
        """Set fields of the record."""
        for name, value in fields.items():
            self.s[name] = value
        return self

    def napoleon(self, name: str) -> Table:
        """Assign Napoleon to an army."""
        self.s.napoleon, self.s.napoleon_army = state.NAPOLEON_ASSIGNED, army(name)
        return self

    def card(self, number: int) -> Table:
        """Make a card the current one: all before it in the pile, of its scenario, have been played."""
        deck = [int(card) for card in self.s.deck[: self.s.deck_size]]
        self.s.drawn, self.s.headline = deck.index(number) + 1, number
        self.s.red_seen = int(self.s.headline >= 46)
        return self

    def says(self, number: int = 0, **effects: int) -> Table:
        """What a card says (0: the current one), by column name: `says(military=-1, actions=2)`."""
        for name, value in effects.items():
            self.c.headline[number or self.s.headline, getattr(columns.HEAD, name)] = value
        return self

    def bonus(self, name: str, drm: int) -> Table:
        """The current card's DRM against one army."""
        return self.says(army=army(name) + 1, army_drm=drm)

    def orders(self, name: str, number: int = 0, **orders: int) -> Table:
        """What a card (0: the next one) orders an army: `orders("Austrian", move=1)`."""
        for order, value in orders.items():
            self.c.army_order[number or self.next_card, army(name), getattr(columns.ORDER, order)] = value
        return self

    @property
    def next_card(self) -> int:
        """The number of the card on top of the draw pile."""
        return int(self.s.deck[self.s.drawn])

    def next_says(self, **effects: int) -> Table:
        """What the next card says."""
        return self.says(self.next_card, **effects)

    def dice(self, *faces: int) -> Table:
        """Let the next dice show these faces: the stream is set to a place where they come in this order."""
        key0, key1 = (int(k) for k in self.s.key)
        counter = 0
        while any(self._face(counter + 1 + i, key0, key1) != face for i, face in enumerate(faces)):
            counter += 1
        self.s.draws[DICE] = counter
        return self.ready()

    @staticmethod
    def _face(counter: int, key0: int, key1: int) -> int:
        product = _mix(_mix(counter + key0 + DICE * GOLDEN) ^ key1) * 6
        return 0 if (product & WORD) < 6 else (product >> 32) + 1

    def ready(self) -> Table:
        """Let the batch take the position: the French Army is adjusted to card and government."""
        s = self.s
        drm = int(self.c.headline[s.headline, columns.HEAD.military]) - int(s.reserves_penalty)
        s.french_army = _clamp(drm + {board.MONARCHY: -1, board.REPUBLIC: 1}.get(_reigning(s), 0), -2, 2)
        self.batch.refresh()
        return self

    # -- playing ---------------------------------------------------------------------------------------------------

    def where(self, name: str) -> int:
        """The box of an army."""
        return int(self.s.box[army(name)])

    @property
    def tracks(self) -> tuple[int, ...]:
        """Monarchy, Despotism, Republic."""
        return tuple(int(self.s.politics[m]) for m in range(len(board.POLITICS_NAMES)))

    def marker(self, name: str, box: int) -> bool:
        """Whether a space holds a Liberation marker."""
        return bool(self.s.liberated[track(name), box])

    @property
    def outcome(self) -> str:
        """How the game ended, or "running"."""
        return self.batch.game.end_reasons[int(self.s.end_reason)]

    def view(self, piece: str) -> Any:
        """What the player sees of one piece of the observation, in words."""
        return super().view(0, piece)
