"""Questions on what people see of a game, which CPython and MicroPython answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfop_env.browser.page_sessions import OMITTED
from rfop_env.browser.python_source import RUNTIME, python_source
from rfop_env.core.game import Game
from rfop_env.seat_view import SeatView, card_texts


@dataclass(frozen=True)
class Scene:
    """The drawings and sentences of a game, played with a component set.

    A record is its bytes in hexadecimal digits. `seat` is the one that looks; None: the one that decides.
    """

    game: Game
    components: Any

    def answer(self, question: str) -> str:
        """The answer to a question: a picture as it is, anything else as JSON.

        A question is `{"ask": NAME, ...}`, as JSON, with the name of one of the methods below and its arguments by
        name. Raises `KeyError` for another name.
        """
        arguments = dict(json.loads(question))
        methods: dict[str, Callable[..., Any]] = {
            "cards": self.cards,
            "position": self.position,
            "picture": self.picture,
            "actions": self.actions,
        }
        answer = methods[arguments.pop("ask")](**arguments)
        return answer if isinstance(answer, str) else json.dumps(answer)

    def cards(self) -> dict[str, dict[str, Any]]:
        """`card_texts` of the component set."""
        return card_texts(self.components)

    def position(self, record: str, seat: int | None = None) -> dict[str, Any]:
        """A position in words.

        ``sides``      what each seat plays
        ``decider``    the seat that decides; None once the game has ended
        ``over``       whether it has; ``result`` is then a sentence without its full stop, otherwise empty
        ``question``   who decides what, or how the game ended; ``situation``: the same for the seat that looks
        ``journal``    sentences on what has happened since the last decision
        """
        view = self._view(record, seat)
        return {
            "sides": list(view.sides),
            "decider": view.decider,
            "over": view.over,
            "result": view.result if view.over else "",
            "question": view.question,
            "situation": view.situation,
            "journal": self.game.presentation.journal(view.record, self.components),
        }

    def picture(
        self, record: str, seat: int | None = None, legal: Sequence[int] = (), previous: str | None = None
    ) -> str:
        """`SeatView.svg`: the position as an SVG document."""
        return self._view(record, seat).svg(legal, None if previous is None else self._read(previous))

    def actions(self, record: str, legal: Sequence[int]) -> list[dict[str, Any]]:
        """`LegalAction.page_entry` of legal actions."""
        return [action.page_entry for action in self._view(record, None).actions(legal)]

    def _view(self, record: str, seat: int | None) -> SeatView:
        return SeatView(self.game, self._read(record), self.components, seat)

    def _read(self, record: str) -> Any:
        """A record with its fields as attributes."""
        return np.frombuffer(bytes.fromhex(record), self.game.state).view(np.recarray)[0]


def scene_source(game: Game, components: Any) -> str:
    """The MicroPython text whose `scene.answer` is that of `Scene`; raises `BadSource`.

    `game` is under the options that give it the most seats; it draws records under all others too. `components` is the
    loaded set that is played.
    """
    text = python_source({"scene": Scene(game, components)}, ["answer"], OMITTED)
    return f"{RUNTIME.read_text(encoding='utf-8')}\n\n{text}\n"
