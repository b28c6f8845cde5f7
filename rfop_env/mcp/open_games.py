"""The games that are open: one seat of each is the client's, programs have the others.

The client reads what its own seat knows (`rfop_env.interfaces.text`). The seed, which all hidden cards follow from, is
told once the game is over.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping

from rfop_env.agent_names import RANDOM
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, UnknownName, printable, shown
from rfop_env.core.game import Game
from rfop_env.interfaces.text import parse_move, rules_text, view_json, view_text
from rfop_env.players import AgentLoader, SeatedAgent
from rfop_env.registry import entries, get_game
from rfop_env.seat_view import legal_actions

MOST_GAMES = 16
MOST_OPTIONS = 20
MOST_SEED = 2**48  # below it lie the seeds of games that are given none
LONGEST_NAME = 200  # characters
FORMS = ("text", "json")


class OpenGame:
    """One game: the client's seat, the programs of the others, everything that has happened.

    Raises `UnknownName`, `BadArgument` and `BadSeed` for wrong names, options and seeds.
    """

    def __init__(
        self,
        game: Game,
        seat: str,
        opponent: str,
        seed: int | None,
        options: Mapping[str, object],
        programs: AgentLoader,
    ) -> None:
        self.seed = secrets.randbelow(MOST_SEED) if seed is None else seed
        self.batch = GameBatch(game, 1, self.seed, options=options)
        self.game = self.batch.game
        self.seat = self._seat_named(seat)
        self.opponent = opponent
        self.journal: list[str] = self.batch.journal()
        self._new = 0  # the first sentence of the journal that the client has not read
        self._programs: dict[int, SeatedAgent] = {
            k: programs.load(opponent, self.game, self.batch.components)
            for k in range(self.game.spec.players)
            if k != self.seat
        }

    def _seat_named(self, name: str) -> int:
        """The number of a seat by its own name or that of its side, the first one for an empty name; `UnknownName`."""
        seats, sides = self.game.spec.seats, self.game.seat_names(self.batch.record())
        names = [*sides, *(seat for seat in seats if seat not in sides)]
        if not name:
            return 0
        if name.lower() not in [one.lower() for one in names]:
            raise UnknownName("seat", printable(name, 60), names)
        both = [[one.lower() for one in some] for some in (sides, seats)]
        return next(some.index(name.lower()) for some in both if name.lower() in some)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.batch.states["over"][0])

    def go_on(self) -> None:
        """Let the programs decide until the client has to, or the game is over."""
        while not self.over and int(self.batch.current_player[0]) != self.seat:
            program = self._programs[int(self.batch.current_player[0])]
            self._step(program.act(self.batch, lambda: False))

    def move(self, words: str) -> None:
        """Carry out a move of the client, and what the programs answer. Raises `UnclearMove`, `GameOver`."""
        self.go_on()
        self._step(parse_move(self.batch, words))
        self.go_on()

    def _step(self, action: int) -> None:
        self.batch.step([action])
        self.journal += self.batch.journal()

    def position(self, form: str = "text", list_legal_actions: bool = True) -> str:
        """What the client's seat knows, with what has happened since it was last told."""
        news, self._new = self.journal[self._new :], len(self.journal)
        if form == "json":
            view = view_json(self.batch, 0, self.seat, list_legal_actions=list_legal_actions, journal=news)
            return json.dumps(view | ({"seed": self.seed} if self.over else {}), ensure_ascii=False)
        text = view_text(self.batch, 0, self.seat, list_legal_actions=list_legal_actions, journal=news)
        return f"{text}\n\nThe seed was {self.seed}." if self.over else text

    def actions(self) -> str:
        """The legal actions of the client, a line each."""
        if self.over:
            return "The game is over: there are no legal actions."
        return "\n".join(f"{action.number}. {action.line}" for action in legal_actions(self.batch))


class Games:
    """All open games by name, at most `MOST_GAMES`; a new one takes the place of one that is over.

    Methods return text for the client, and may be called from several threads. Raises `RfopError` for everything that
    does not fit; then all games are as they were.
    """

    def __init__(self, programs: AgentLoader) -> None:
        self._programs = programs
        self._open: OrderedDict[str, OpenGame] = OrderedDict()
        self._count = 0
        self._lock = threading.RLock()

    def environments(self) -> str:
        """Every environment with its seats, options and opponents."""
        return "\n\n".join(self._about(get_game(entry.id), entry.players) for entry in entries())

    def _about(self, game: Game, players: str) -> str:
        lines = [f"{game.id}: {game.title}, for {players}", f"seats: {', '.join(game.spec.seats)}"]
        lines += [f"option {o.name}: {', '.join(o.values)} ({o.meaning})" for o in game.options]
        if game.spec.players > 1:
            lines.append(f"opponents: {', '.join(self._programs.names(game))}")
        return "\n".join(lines)

    def rules(self, environment: str) -> str:
        """The rules of an environment in brief."""
        return rules_text(get_game(_text("environment", environment)))

    def new(
        self, environment: str, seat: str, opponent: str, seed: int | None, options: Mapping[str, object] | None
    ) -> str:
        """Begin a game; its name and the first position of the client."""
        chosen = dict(options or {})
        if len(chosen) > MOST_OPTIONS:
            raise BadArgument(f"options: at most {MOST_OPTIONS}, found {len(chosen)}")
        game = get_game(_text("environment", environment))
        with self._lock:
            self._make_room()
            opened = OpenGame(
                game, _text("seat", seat), _text("opponent", opponent) or RANDOM, seed, chosen, self._programs
            )
            opened.go_on()
            self._count += 1
            name = f"game-{self._count}"
            self._open[name] = opened
            against = f" against {opened.opponent}" if opened.game.spec.players > 1 else ""
            return f"{name}: {game.title}{against}\n\n{opened.position()}"

    def _make_room(self) -> None:
        """Drop the game that has been over for longest, if the room is needed; `BadArgument` where all still run."""
        if len(self._open) < MOST_GAMES:
            return
        over = [name for name, opened in self._open.items() if opened.over]
        if not over:
            raise BadArgument(f"{MOST_GAMES} games are running, and no more fit: end one of them with end_game first")
        del self._open[over[0]]

    def end(self, game: str) -> str:
        """Give a game up."""
        with self._lock:
            self._get(game)
            del self._open[game]
            return f"{game} is closed."

    def position(self, game: str, form: str = "text", list_legal_actions: bool = True) -> str:
        """What the client's seat knows of a game."""
        if form not in FORMS:
            raise UnknownName("form", shown(form, 60), FORMS)
        with self._lock:
            opened = self._get(game)
            opened.go_on()
            return opened.position(form, list_legal_actions)

    def legal_actions(self, game: str) -> str:
        """The legal actions of the client's seat."""
        with self._lock:
            opened = self._get(game)
            opened.go_on()
            return opened.actions()

    def play(self, game: str, move: str) -> str:
        """Carry out a move in words; the next position of the client."""
        with self._lock:
            opened = self._get(game)
            opened.move(move)
            return opened.position()

    def journal(self, game: str) -> str:
        """Everything that has happened in a game, a sentence a line."""
        with self._lock:
            return "\n".join(line.strip() for line in self._get(game).journal) or "Nothing has happened yet."

    def _get(self, name: str) -> OpenGame:
        """A game by its name, from now on the one used last."""
        if name not in self._open:
            if not self._open:
                raise UnknownName("game", shown(name, 60), ["none is open: begin one with new_game"])
            raise UnknownName("game", shown(name, 60), self._open)
        self._open.move_to_end(name)
        return self._open[name]


def _text(what: str, given: str) -> str:
    """A name of at most `LONGEST_NAME` characters."""
    if len(given) > LONGEST_NAME:
        raise BadArgument(f"{what}: at most {LONGEST_NAME} characters, found {len(given)}")
    return given
