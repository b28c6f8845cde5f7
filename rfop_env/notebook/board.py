"""The widget that plays a game in a notebook: Python decides everything, the browser shows it and sends clicks.

`state` goes to the browser whole after every change. Messages come back: `{"act": action, "version": number}` takes a
legal action, `{"new": true, "version": number}` begins the next game, `{"palette": "dark", "version": number}` asks for
pictures that fit the notebook's theme. A message about another version than the present one is ignored, so that two
clicks in a hurry are one action.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.core import errors
from rfop_env.core.batch import GameBatch
from rfop_env.drawing.palette import PALETTES, Look
from rfop_env.one_file import inline_modules
from rfop_env.seat_view import LegalAction, SeatView, legal_actions

with errors.extra("notebook", "a board in a notebook", "anywidget", "traitlets"):
    import anywidget
    import traitlets

STATIC = Path(__file__).parent / "static"
LONGEST_LOG = 200  # sentences that stay in sight


class Board(anywidget.AnyWidget):
    """A game to play by clicks: spaces, cards and tiles that the mask allows, and a list of all legal actions.

    `game`: a batch of one, or a Gymnasium or PettingZoo environment, whose own `step` is called. Its opponents move at
    once; in a game of several seats without an opponent the cell asks for every seat in turn, and shows what that seat
    sees. A game that has not begun is reset. `refresh()` shows what other code has done to the game. Raises
    `BadArgument` for anything else, and for a batch of several games.
    """

    _esm = inline_modules(STATIC / "board_widget.js", exports=True)
    _css = STATIC / "board_widget.css"
    state = traitlets.Dict(help="what the browser shows; Python writes it").tag(sync=True)

    def __init__(self, game: Any) -> None:
        super().__init__()
        self._env, self.batch = _parts(game)
        self._version, self._problem = 0, ""
        self._log: list[str] = []
        self._palette = PALETTES[0]
        if not (self.batch if self._env is None else self._env.unwrapped)._ready:
            self._begin()
        self.on_msg(lambda _, message, buffers: self.receive(message))
        self._show(self.batch.journal())

    def refresh(self) -> None:
        """Show the position as it is now."""
        self._show(self.batch.journal())

    def receive(self, message: object) -> None:
        """Carry out a message of the browser; one that makes no sense changes nothing, and `state` says why."""
        try:
            self._carry_out(message)
        except errors.RfopError as error:
            self._problem = str(error)
            self._show([])

    def _carry_out(self, message: object) -> None:
        if not isinstance(message, dict) or not {"act", "new", "palette"} & set(message):
            raise errors.BadArgument(f"message: expected act or new, found {errors.shown(message)}")
        if message.get("version") != self._version:
            return

        # The colours of the notebook.
        if "palette" in message:
            self._palette = PALETTES[message["palette"] == PALETTES[1]]
            self._show([])
            return

        # The next game.
        if "new" in message:
            self._log = []
            self._begin()
            self._show(self.batch.journal())
            return

        # An action of the list.
        action = message["act"]
        if type(action) is not int or not 0 <= action < self.batch.game.actions.size:
            raise errors.BadArgument(f"act: expected the number of an action, found {errors.shown(action)}")
        if not self.batch.action_mask[0, action]:
            raise errors.BadArgument(f"{self.batch.game.actions.label(action)!r} is not legal now")
        if self._env is None:
            self.batch.step([action])
        else:
            self._env.step(action)
        self._show(self.batch.journal())

    def _begin(self) -> None:
        (self.batch if self._env is None else self._env).reset()

    def _show(self, lines: list[str]) -> None:
        """Send the position and the legal actions; `lines` of the journal are added to the log."""
        batch, view = self.batch, SeatView.of(self.batch)
        self._version += 1
        self._log = [*self._log, *(line.strip() for line in lines)][-LONGEST_LOG:]
        self.state = {
            "version": self._version,
            "title": batch.game.title,
            "svg": self._picture(),
            "asked": "" if view.decider is None else f"{view.sides[view.decider]} to decide",
            "actions": [self._entry(action) for action in legal_actions(batch)],
            "log": self._log,
            "over": f"{view.result}." if view.over else "",
            "score": view.score,
            "problem": self._problem,
        }
        self._problem = ""

    def _entry(self, action: LegalAction) -> dict[str, Any]:
        """A legal action, with what its card does."""
        does = [] if action.card is None else self.batch.components.event_sentences(action.card)
        return {"id": action.id, "label": action.label, "sentence": action.sentence, "does": "; ".join(does)}

    def _picture(self) -> str:
        """The position in the colours of the notebook, where the game has such a drawing."""
        batch = self.batch
        if self._palette == PALETTES[0] or not batch.game.presentation.has_looks:
            return batch.draw_svg(0)
        looks: dict[str, Any] = {"look": Look(palette=self._palette)}
        legal = np.flatnonzero(batch.action_mask[0]).tolist()
        return batch.game.presentation.draw_svg(batch.record(0), batch.components, legal=legal, **looks)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and the position as a picture for pages that run no widgets."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, *metadata = bundle if isinstance(bundle, tuple) else (bundle,)
        data = {**data, "image/svg+xml": self.state["svg"], "text/plain": f"Board({self.batch.game.id})"}
        return (data, *metadata) if metadata else data


def _parts(game: object) -> tuple[Any, GameBatch]:
    """The environment, None for a plain batch, and the batch of one."""
    env = None if isinstance(game, GameBatch) else game
    batch = game if env is None else getattr(getattr(env, "unwrapped", None), "batch", None)
    if not isinstance(batch, GameBatch):
        expected = "a GameBatch or an environment of this package"
        raise errors.BadArgument(f"game: expected {expected}, found {errors.shown(game)}")
    if batch.num_games != 1:
        number = f"{batch.num_games}: rfop_env.make_batch(id, 1)"
        raise errors.BadArgument(f"game: expected a batch of one game, found {number}")
    return env, batch
