"""The games of a client, and the tools that it plays them by.

One seat of each game is the client's, programs have the others. The client reads what its own seat can see
(`rfop_env.interfaces.text`), and the seed, which all hidden cards follow from, once the game is over.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping

from rfop_env.agent_names import RANDOM
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadArgument, UnknownName, shown
from rfop_env.core.game import Game
from rfop_env.interfaces.text import parse_move, rules_text, view_json, view_text
from rfop_env.players import AgentLoader, SeatedAgent
from rfop_env.registry import entries, get_game
from rfop_env.seat_view import find_seat, legal_actions

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
        self.batch.keep_history()
        self.game = self.batch.game
        self.seat = find_seat(self.game, self.game.seat_names(self.batch.record()), seat) if seat else 0
        self.opponent = opponent
        self.journal: list[str] = self.batch.journal()
        self._new = 0  # the first sentence of the journal that the client has not read
        self._programs: dict[int, SeatedAgent] = {
            k: programs.load(opponent, self.game, self.batch.components)
            for k in range(self.game.spec.players)
            if k != self.seat
        }

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
        """The position as the client's seat sees it, with the sentences of the journal that it has not read."""
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

    The public methods are the tools of the server: names, arguments and docstrings are what the client reads. They
    return text, and may be called from several threads. They raise `RfopError` for everything that does not fit; then
    all games are as they were.
    """

    def __init__(self, programs: AgentLoader) -> None:
        self._programs = programs
        self._open: OrderedDict[str, OpenGame] = OrderedDict()
        self._count = 0
        self._lock = threading.RLock()

    @property
    def tools(self) -> tuple[Callable[..., str], ...]:
        """The methods for the client."""
        return (
            self.list_environments,
            self.rules,
            self.new_game,
            self.position,
            self.list_legal_actions,
            self.play,
            self.journal,
            self.end_game,
        )

    def list_environments(self) -> str:
        """List the environments, each with its seats, options and opponents."""
        return "\n\n".join(self._about(get_game(entry.id), entry.players) for entry in entries())

    def _about(self, game: Game, players: str) -> str:
        lines = [f"{game.id}: {game.title}, for {players}", f"seats: {', '.join(game.spec.seats)}"]
        lines += [f"option {o.name}: {', '.join(o.values)} ({o.meaning})" for o in game.options]
        if game.spec.players > 1:
            lines.append(f"opponents: {', '.join(self._programs.names(game))}")
        return "\n".join(lines)

    def rules(self, environment: str) -> str:
        """Read the rules of an environment in brief."""
        _require_short(environment=environment)
        return rules_text(get_game(environment))

    def new_game(
        self,
        environment: str,
        seat: str = "",
        opponent: str = RANDOM,
        seed: int | None = None,
        options: dict[str, str | int | bool] | None = None,
    ) -> str:
        """Start a game and read its name and your first position.

        seat: the side that you play, the first one by default. opponent: the program of all other seats. seed: the same
        seed gives the same game, a random one by default. options: of the environment, by name.
        """
        _require_short(environment=environment, seat=seat, opponent=opponent)
        if options and len(options) > MOST_OPTIONS:
            raise BadArgument(f"options: at most {MOST_OPTIONS}, found {len(options)}")
        game = get_game(environment)
        with self._lock:
            self._make_room()
            new = OpenGame(game, seat, opponent or RANDOM, seed, options or {}, self._programs)
            new.go_on()
            self._count += 1
            name = f"game-{self._count}"
            self._open[name] = new
            against = f" against {new.opponent}" if new.game.spec.players > 1 else ""
            return f"{name}: {game.title}{against}\n\n{new.position()}"

    def _make_room(self) -> None:
        """Drop the game that has been over for longest, if the room is needed; `BadArgument` where all still run."""
        if len(self._open) < MOST_GAMES:
            return
        oldest = next((name for name, game in self._open.items() if game.over), None)
        if oldest is None:
            raise BadArgument(f"{MOST_GAMES} games are running, and no more fit: end one of them with end_game first")
        del self._open[oldest]

    def position(self, game: str, form: str = "text", list_legal_actions: bool = True) -> str:
        """Read what your seat knows, and what has happened since you last read it. form: text or json."""
        if form not in FORMS:
            raise UnknownName("form", shown(form, 60), FORMS)
        with self._lock:
            open_game = self._get(game)
            open_game.go_on()
            return open_game.position(form, list_legal_actions)

    def list_legal_actions(self, game: str) -> str:
        """List your legal actions: number, label and what each does."""
        with self._lock:
            open_game = self._get(game)
            open_game.go_on()
            return open_game.actions()

    def play(self, game: str, move: str) -> str:
        """Carry out a legal action, given by its label or its number; the others answer, and you read your position."""
        with self._lock:
            open_game = self._get(game)
            open_game.move(move)
            return open_game.position()

    def journal(self, game: str) -> str:
        """Read everything that has happened in a game."""
        with self._lock:
            return "\n".join(line.strip() for line in self._get(game).journal) or "Nothing has happened yet."

    def end_game(self, game: str) -> str:
        """Give a game up that you do not want to finish: so many can be open at a time."""
        with self._lock:
            self._get(game)
            del self._open[game]
            return f"{game} is closed."

    def _get(self, name: str) -> OpenGame:
        """A game by its name, from now on the one used last."""
        if name not in self._open:
            if not self._open:
                raise UnknownName("game", shown(name, 60), ["none is open: begin one with new_game"])
            raise UnknownName("game", shown(name, 60), self._open)
        self._open.move_to_end(name)
        return self._open[name]


def _require_short(**names: str) -> None:
    """Raise `BadArgument` for a name of more than `LONGEST_NAME` characters."""
    for argument, name in names.items():
        if len(name) > LONGEST_NAME:
            raise BadArgument(f"{argument}: at most {LONGEST_NAME} characters, found {len(name)}")
