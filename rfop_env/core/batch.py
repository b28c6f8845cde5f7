"""Many games of one kind, stepped together: the only place that knows how many there are.

The compiled kernels loop over a stretch of the records. More threads means more stretches: kernels release Python's
global lock, so plain threads run them side by side, and no result can depend on their number.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rfop_env.core.decisions import clear_journal
from rfop_env.core.errors import BadActions, BadSeed, GameOver, IllegalAction, InternalFault, NotStarted, UnknownName
from rfop_env.core.game import Game, Rules
from rfop_env.core.random_stream import BOT, POLICY, REDRAW, begin_streams, mix, random_below
from rfop_env.core.rule import JIT, kernel, rule

KEEP, RESET, STEP, RANDOM, REFRESH = range(5)  # what `advance` does with a record
NOBODY = -1  # the opponent, where all seats are asked; the learner's seat, where it is drawn anew for every game
RANDOM_SEAT = "random"
NO_ACTION = -1  # the action of a game that has ended, in a batch that goes on
ENDLESS = 1_000_000  # decisions after which a game is taken for a loop in its rules
WORTH_A_THREAD = 64  # records per thread below which a second thread costs more than it gives


@rule
def nth_legal(mask: Any, n: int) -> int:
    """The id of the n-th legal action (n from 0)."""
    for action in range(mask.shape[0]):
        if mask[action]:
            if n == 0:
                return action
            n -= 1
    return -1


@rule
def random_legal(s: Any, stream: int, mask: Any) -> int:
    """A legal action drawn uniformly from one of the record's streams."""
    count = 0
    for action in range(mask.shape[0]):
        count += int(mask[action])
    return nth_legal(mask, random_below(s, stream, count))


def _first_illegal(command: Any, actions: Any, mask: Any) -> int:
    """The first record whose action is not in its mask, or -1."""
    for i in range(command.shape[0]):
        if command[i] == STEP:
            action = actions[i]
            if action < 0 or action >= mask.shape[1] or not mask[i, action]:
                return i
    return -1


@rule
def _no_advice(s: Any, c: Any, mask: Any, which: int) -> int:
    """For games without a scripted player."""
    return random_legal(s, BOT, mask)


def _make_advance(rules: Rules) -> Callable[..., None]:
    deal, legal, apply, observe, payoff = rules.deal, rules.legal, rules.apply, rules.observe, rules.payoff
    advise = rules.advise or _no_advice

    @rule
    def add_payoffs(s: Any, c: Any, rewards: Any, kind: int, scale: float) -> None:
        for p in range(rewards.shape[0]):
            rewards[p] += scale * payoff(s, c, p, kind)

    @rule
    def seat_learner(s: Any, opponent: int, seat: int, seats: int) -> None:
        if opponent == NOBODY:
            s.learner = 0
        else:
            s.learner = 1 + (random_below(s, BOT, seats) if seat == NOBODY else seat)

    @rule
    def answer(s: Any, c: Any, mask: Any, opponent: int) -> int:
        return random_legal(s, BOT, mask) if opponent == 0 else advise(s, c, mask, opponent - 1)

    def advance(
        lo: int, hi: int, states: Any, components: Any, options: Any, opponent: int, seat: int, command: Any,
        actions: Any, repeat: int, auto_reset: bool, reward_kind: int, reward_scale: float, reward_dense: bool,
        observation: Any, mask: Any, final_observation: Any, player: Any, learner: Any, rewards: Any, terminated: Any,
        end_reason: Any,
    ) -> None:  # fmt: skip
        c = components[0]
        for i in range(lo, hi):
            if command[i] == KEEP:
                continue
            s, legal_now = states[i], mask[i]
            for p in range(rewards.shape[1]):
                rewards[i, p] = 0.0
            if reward_dense and (command[i] == STEP or command[i] == RANDOM):
                add_payoffs(s, c, rewards[i], reward_kind, -reward_scale)  # what was given before this step
            terminated[i] = False
            end_reason[i] = s.end_reason if command[i] == REFRESH else 0
            left, task, action = repeat, int(command[i]), int(actions[i])
            if task == RANDOM:
                task, action = STEP, random_legal(s, POLICY, legal_now)
            if task == STEP:
                clear_journal(s)
            # One turn of this loop is one deal or one decision; each rule has one call site, which halves compilation.
            while True:
                if task == RESET:
                    begin_streams(s)
                    seat_learner(s, opponent, seat, rewards.shape[1])
                    deal(s, c, options)
                elif task == STEP:
                    s.decisions += 1
                    apply(s, c, action)
                legal_now[:] = False
                count = legal(s, c, legal_now) if s.over == 0 else 0
                if s.fault == 1 or (s.over == 0 and (count == 0 or s.decisions > ENDLESS)):
                    s.fault = 1
                    break
                if count == 1 and command[i] != REFRESH:
                    task, action = STEP, nth_legal(legal_now, 0)  # a decision with one legal action is no decision
                    continue
                asked = s.player if s.learner == 0 else s.learner - 1
                if s.over == 0 and s.player != asked:
                    task, action = STEP, answer(s, c, legal_now, opponent)
                    continue
                if not terminated[i]:
                    learner[i] = max(0, s.learner - 1)  # not yet the next game's, when this step ended one
                if s.over == 1 and task == STEP:
                    terminated[i] = True
                    end_reason[i] = s.end_reason
                    add_payoffs(s, c, rewards[i], reward_kind, reward_scale)
                target = final_observation[i] if s.over == 1 and auto_reset else observation[i]
                target[:] = 0
                observe(s, c, asked, target)
                if s.over == 1 and auto_reset and command[i] != REFRESH:
                    s.episode += 1
                    task = RESET
                    continue
                left -= 1
                if command[i] != RANDOM or left == 0 or s.over == 1:
                    break
                clear_journal(s)
                task, action = STEP, random_legal(s, POLICY, legal_now)
            if reward_dense and s.over == 0 and (command[i] == STEP or command[i] == RANDOM):
                add_payoffs(s, c, rewards[i], reward_kind, reward_scale)
            player[i] = s.player if s.learner == 0 else s.learner - 1

    return advance


def _make_look(rules: Rules) -> Callable[..., None]:
    observe = rules.observe

    def look(states: Any, components: Any, seats: Any, observation: Any) -> None:
        for i in range(states.shape[0]):
            observation[i, :] = 0
            observe(states[i], components[0], seats[i], observation[i])

    return look


def _make_advise(rules: Rules) -> Callable[..., None]:
    advise = rules.advise or _no_advice

    def advise_all(states: Any, components: Any, mask: Any, which: int, actions: Any) -> None:
        for i in range(states.shape[0]):
            if states[i].over == 0:
                actions[i] = advise(states[i], components[0], mask[i], which)

    return advise_all


def _make_redraw(rules: Rules) -> Callable[..., None]:
    redraw = rules.redraw

    def redraw_all(states: Any, components: Any, seats: Any, keys: Any) -> None:
        for i in range(states.shape[0]):
            s = states[i]
            s.draws[REDRAW] = 0
            s.key[0] = mix(int(s.key[0]) ^ int(keys[i]))
            s.key[1] = mix(int(s.key[1]) + int(keys[i]))
            redraw(s, components[0], seats[i])

    return redraw_all


def rules_name(rules: Rules) -> str:
    """A short name of a set of rules: two sets of one source folder must not meet in the kernel cache."""
    functions = [getattr(f, "py_func", f) for f in vars(rules).values() if f is not None]
    places = [f"{f.__module__}.{f.__qualname__}" for f in functions]
    return hashlib.sha256("\n".join(places).encode()).hexdigest()[:6]


def _make_payoffs(rules: Rules) -> Callable[..., None]:
    payoff = rules.payoff

    def payoffs(states: Any, components: Any, kind: int, scale: float, returns: Any) -> None:
        for i in range(states.shape[0]):
            for p in range(returns.shape[1]):
                returns[i, p] = scale * payoff(states[i], components[0], p, kind)

    return payoffs


class Kernels:
    """The compiled loops of one game; built once per game and shared by all its batches."""

    _built: ClassVar[dict[tuple[Any, ...], Kernels]] = {}

    def __init__(self, game: Game):
        sources = (Path(__file__).parent, game.folder)
        name = f"{game.folder.name}.{rules_name(game.rules)}"
        self.advance = kernel(_make_advance(game.rules), f"{name}.advance", sources)
        self.look = kernel(_make_look(game.rules), f"{name}.look", sources, announced=False)
        self.redraw = kernel(_make_redraw(game.rules), f"{name}.redraw", sources, announced=False)
        self.advise = kernel(_make_advise(game.rules), f"{name}.advise", sources, announced=False)
        self.payoffs = kernel(_make_payoffs(game.rules), f"{name}.payoffs", sources, announced=False)
        self.first_illegal = kernel(_first_illegal, "core.first_illegal", sources[:1], announced=False)

    @classmethod
    def of(cls, game: Game) -> Kernels:
        """The kernels of a game's rules."""
        key = (game.rules, game.folder)
        if key not in cls._built:
            cls._built[key] = cls(game)
        return cls._built[key]


def advice(game: Game, states: NDArray[Any], components: Any, mask: NDArray[np.bool_], name: str) -> NDArray[np.int64]:
    """What a scripted player of the game would do for the seat that decides: int64 [n], `NO_ACTION` in ended games.

    `states`: records [n]; they are left as they are but for the draws of stream `BOT`. `mask`: their legal actions,
    bool [n, A]. Raises `UnknownName`.
    """
    names = [player.name for player in game.scripted]
    if name not in names:
        raise UnknownName(f"scripted player of {game.id}", name, names)
    actions = np.full(len(mask), NO_ACTION, np.int64)
    legal = np.array(mask)  # a read-only array would compile the kernel anew, and rules may strike actions off
    Kernels.of(game).advise(states, components.record, legal, names.index(name), actions)
    return actions


class GameBatch:
    """`num_games` games side by side, in arrays that the next call overwrites.

    After `reset` and after every `step`:

    ========================  ==========================  =====================================================
    ``observation``           int8 [N, D]                 from the side of the seat that decides
    ``action_mask``           bool [N, A], read-only      legal actions; all false once a game has ended
    ``current_player``        int32 [N]                   the seat that decides
    ``rewards``               float32 [N, P]              for every seat; 0 until the end unless dense
    ``learner``               int32 [N]                   the learner's seat in the game last stepped, with `opponent`
    ``terminated``            bool [N]                    the last call ended this game
    ``truncated``             bool [N]                    always false: every game ends by its rules
    ``end_reason``            int32 [N]                   index into ``game.end_reasons``, 0 while it runs
    ``final_observation``     int8 [N, D]                 with ``autoreset``: the last one of a game just ended
    ========================  ==========================  =====================================================

    A decision with a single legal action is taken by the batch itself. Arguments: `game`; `num_games` at least 1;
    `seed` resets at once; `options` by name; `components` a file path or None; `reward` the name of a reward kind;
    `autoreset` starts the next game of a record in the step that ended the last; `threads` at most. `opponent`: one of
    `game.opponents` by name, who takes every seat but the learner's inside `step`, from stream `BOT`; the learner has
    `seat`, a number or a name of `game.spec.seats`, or "random", drawn for every game. None: all seats are asked.
    """

    def __init__(
        self,
        game: Game,
        num_games: int = 1,
        seed: int | Sequence[int] | None = None,
        *,
        options: Mapping[str, object] | None = None,
        components: Any = None,
        reward: str | None = None,
        opponent: str | None = None,
        seat: int | str = RANDOM_SEAT,
        autoreset: bool = False,
        threads: int = 1,
    ):
        if num_games < 1 or threads < 1:
            raise ValueError(f"num_games and threads are at least 1, not {num_games} and {threads}")
        self.given_options = dict(options or {})
        game = self.game = game.under(self.given_options)
        self.num_games, self.autoreset, self.threads = int(num_games), bool(autoreset), int(threads)
        self.options = game.encode_options(self.given_options)
        self._opponent, self._seat = _opponent_number(game, opponent), _seat_number(game, seat)
        self.components = components if hasattr(components, "record") else game.load_components(components)
        self._reward_kind, self.reward = game.reward(reward or game.rewards[0].name)
        self._kernels = Kernels.of(game)
        self.states = self._new_states(self.num_games)
        seats, n = game.spec.players, self.num_games
        self.observation = np.zeros((n, game.observation.size), np.int8)
        self.final_observation = np.zeros_like(self.observation)
        self._mask = np.zeros((n, game.actions.size), np.bool_)
        self.action_mask = self._mask.view()
        self.action_mask.flags.writeable = False
        self.current_player = np.zeros(n, np.int32)
        self.learner = np.zeros(n, np.int32)
        self.rewards = np.zeros((n, seats), np.float32)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.end_reason = np.zeros(n, np.int32)
        self._command = np.zeros(n, np.int8)
        self._nothing = np.full(n, NO_ACTION, np.int64)
        self._actions = np.zeros(n, np.int64)
        self._started = False
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        if seed is not None:
            self.reset(seed)

    def _new_states(self, n: int) -> Any:
        states = np.zeros(n, self.game.state)
        return states if JIT else states.view(np.recarray)

    # -- playing ---------------------------------------------------------------------------------------------------

    def reset(self, seed: int | Sequence[int] | None = None, *, only: ArrayLike | None = None) -> None:
        """Start new games.

        `seed`: game i gets seed + i, or its own entry of a sequence of N; None goes on to the next episode of the seed
        in force (seed 0 at first). `only`: bool [N], the games to restart; the others stay as they are.
        """
        chosen = np.ones(self.num_games, np.bool_) if only is None else np.asarray(only, np.bool_)
        if chosen.shape != (self.num_games,):
            raise BadActions(f"only: expected bool [{self.num_games}], found shape {list(chosen.shape)}")
        if not self._started and not chosen.all():
            raise NotStarted("the first reset starts every game: call reset(seed) before reset(only=...)")
        if seed is not None or not self._started:
            seeds = seeds_of(0 if seed is None else seed, self.num_games)
            self.states["seed"][chosen, 0] = (seeds & np.uint64(0xFFFFFFFF)).astype(np.int64)[chosen]
            self.states["seed"][chosen, 1] = (seeds >> np.uint64(32)).astype(np.int64)[chosen]
            self.states["episode"][chosen] = 0
        else:
            self.states["episode"][chosen] += 1
        self._started = True
        self._run(np.where(chosen, RESET, KEEP).astype(np.int8), self._nothing)

    def step(self, actions: ArrayLike) -> None:
        """Carry out one action in every game: integers [N]; `NO_ACTION` (-1) where a game has ended.

        Raises `BadActions` (shape, dtype), `GameOver`, `IllegalAction`; then no game has moved.
        """
        self._require_start()
        chosen = self._checked(actions)
        self._command.fill(STEP)
        over = self.states["over"]
        if not self.autoreset and over.any():
            ended = over != 0
            if (chosen[ended] != NO_ACTION).any():
                game = int(np.flatnonzero(ended & (chosen != NO_ACTION))[0])
                raise GameOver(f"game {game} has ended: reset it, or pass NO_ACTION (-1) for it")
            self._leave_alone(ended)
        bad = self._kernels.first_illegal(self._command, chosen, self._mask)
        if bad >= 0:
            raise self._illegal(bad, int(chosen[bad]))
        self._run(self._command, chosen)

    def step_random(self, repeat: int = 1) -> None:
        """Take `repeat` uniformly random legal decisions in every game (stream `POLICY` of each record)."""
        self._require_start()
        self._command.fill(RANDOM)
        if not self.autoreset:
            self._leave_alone(self.states["over"] != 0)
        self._run(self._command, self._nothing, repeat)

    def _leave_alone(self, ended: NDArray[np.bool_]) -> None:
        """Nothing happens in these games, and their last reward is not given twice."""
        self._command[ended] = KEEP
        self.terminated[ended] = False
        self.rewards[ended] = 0

    def _run(self, command: NDArray[np.int8], actions: NDArray[np.int64], repeat: int = 1) -> None:
        stretches = min(self.threads, max(1, self.num_games // WORTH_A_THREAD))
        edges = [self.num_games * k // stretches for k in range(stretches + 1)]

        def work(k: int) -> None:
            self._kernels.advance(
                edges[k], edges[k + 1], self.states, self.components.record, self.options, self._opponent, self._seat,
                command, actions, repeat, self.autoreset, self._reward_kind, self.reward.scale, self.reward.dense,
                self.observation, self._mask, self.final_observation, self.current_player, self.learner, self.rewards,
                self.terminated, self.end_reason,
            )  # fmt: skip

        if stretches == 1:
            work(0)
        else:
            others = [self._workers().submit(work, k) for k in range(1, stretches)]
            work(0)
            for other in others:
                other.result()
        if self.states["fault"].any():
            game = int(np.flatnonzero(self.states["fault"])[0])
            raise InternalFault(f"{self.game.id}: the rules broke a promise in game {game}; seed {self.seed_of(game)}")

    def _workers(self) -> ThreadPoolExecutor:
        """A pool of this process: a forked child must not use its parent's."""
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = (os.getpid(), ThreadPoolExecutor(self.threads - 1, "rfop"))
        return self._pool[1]

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != (self.num_games,):
            raise BadActions(f"actions: expected shape [{self.num_games}], found {list(given.shape)}")
        if given.dtype.kind not in "iu":
            raise BadActions(f"actions: expected an integer dtype, found {given.dtype}; use actions.astype(int)")
        self._actions[:] = given  # a strided or read-only array would compile the kernel anew
        return self._actions

    def _seats(self, seats: ArrayLike) -> NDArray[np.int64]:
        given = np.asarray(seats)
        if given.shape not in ((), (self.num_games,)) or given.dtype.kind not in "iu":
            raise BadActions(f"seats: expected integers [{self.num_games}], found {given.dtype} {list(given.shape)}")
        chosen = np.empty(self.num_games, np.int64)
        chosen[:] = given
        if (chosen < 0).any() or (chosen >= self.game.spec.players).any():
            raise BadActions(f"seats: they run from 0 to {self.game.spec.players - 1}, found {given.tolist()}")
        return chosen

    def _require_start(self) -> None:
        if not self._started:
            raise NotStarted("call reset(seed) before the first step")

    def _require_game(self, game: int) -> None:
        if not 0 <= game < self.num_games:
            raise BadActions(f"game: they run from 0 to {self.num_games - 1}, found {game!r}")

    def _illegal(self, game: int, action: int) -> IllegalAction:
        table = self.game.actions
        known = 0 <= action < table.size
        name = repr(table.label(action)) if known else f"no action has this id (0 to {table.size - 1})"
        legal = ", ".join(f"{a} {table.label(a)!r}" for a in np.flatnonzero(self._mask[game]).tolist())
        seat = self.game.spec.seats[int(self.current_player[game])]
        message = f"game {game}, {seat}: action {action} ({name}) is illegal; legal: {legal}"
        return IllegalAction(message, game=game, action=action)

    # -- looking ---------------------------------------------------------------------------------------------------

    def observe(self, seats: ArrayLike) -> NDArray[np.int8]:
        """What the given seat of each game ([N], or one for all) sees now: a new int8 [N, D]; `BadActions`."""
        self._require_start()
        seen = np.zeros_like(self.observation)
        self._kernels.look(self.states, self.components.record, self._seats(seats), seen)
        return seen

    def returns_so_far(self) -> NDArray[np.float32]:
        """What a dense reward has paid in the running games: a new float32 [N, P]; 0 for other rewards."""
        returns = np.zeros_like(self.rewards)
        if self.reward.dense:
            self._require_start()
            told = (self._reward_kind, self.reward.scale)
            self._kernels.payoffs(self.states, self.components.record, *told, returns)
        return returns

    def own_rewards(self, rewards: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """The column of `rewards` (float32 [N, P], those of the last step by default) of each learner: a new [N]."""
        given = self.rewards if rewards is None else rewards
        own: NDArray[np.float32] = given[np.arange(self.num_games), self.learner]
        return own

    def seed_of(self, game: int) -> tuple[int, int]:
        """(seed, episode) of a game: reset to the seed and play `episode` games to meet it again."""
        record = self.states[game]
        return int(record["seed"][0]) + (int(record["seed"][1]) << 32), int(record["episode"])

    def journal(self, game: int = 0) -> list[str]:
        """What happened in a game since its last decision, a sentence each."""
        return self.game.journal(self.record(game), self.components)

    def record(self, game: int = 0) -> Any:
        """The state record of a game, with its fields as attributes; writing to it changes the game."""
        return self.states.view(np.recarray)[game]

    def faults(self, game: int = 0) -> list[str]:
        """Ways in which a game's position is faulty, a sentence each; always empty unless records were written to."""
        return self.game.faults(self.record(game), self.components.record.view(np.recarray)[0])

    def draw_text(self, game: int = 0) -> str:
        """The position of a game as text for a terminal."""
        return self.game.draw_text(self.record(game), self.components)

    def draw_svg(self, game: int = 0) -> str:
        """The position of a game as an SVG document."""
        return self.game.draw_svg(self.record(game), self.components)

    # -- copying ---------------------------------------------------------------------------------------------------

    def get_state(self) -> NDArray[Any]:
        """A copy of all records, structured [N], equal to the last byte."""
        copied: NDArray[Any] = self._copied_states()
        return copied

    def _copied_states(self) -> Any:
        copied = self._new_states(self.num_games)  # NumPy's own copy leaves the bytes between aligned fields to chance
        copied.view(np.uint8)[...] = self.states.view(np.uint8)
        return copied

    def set_state(self, states: NDArray[Any]) -> None:
        """Put records back (from `get_state` of any batch of this game of the same size) and refresh all arrays.

        An opponent whose decision it is takes it.
        """
        if states.dtype != self.game.state or states.shape != (self.num_games,):
            raise BadActions(f"states: expected {self.num_games} records of {self.game.id}, found {states.shape}")
        self.states[...] = states
        self._started = True
        self._command.fill(REFRESH)
        self._run(self._command, self._nothing)

    def get_record(self, game: int = 0) -> NDArray[Any]:
        """A copy of one game's record, structured [1], equal to the last byte. Raises `NotStarted`, `BadActions`."""
        self._require_start()
        self._require_game(game)
        copied: NDArray[Any] = self._new_states(1)
        copied.view(np.uint8)[...] = self.states.view(np.uint8).reshape(self.num_games, -1)[game]
        return copied

    def adopt(self, states: NDArray[Any]) -> None:
        """Give this batch's learner its seat in records of another batch; the seat that decides, where it is drawn."""
        if self._opponent == NOBODY:
            states["learner"] = 0
        elif self._seat != NOBODY:
            states["learner"] = self._seat + 1
        else:
            states["learner"] = np.where(states["learner"] > 0, states["learner"], states["player"] + 1)

    def put_record(self, game: int, states: NDArray[Any]) -> None:
        """Put one record, structured [1], into a game and refresh its arrays; the other games stay as they are.

        Raises `BadActions`, and `NotStarted` for one of several games before the first reset.
        """
        if states.dtype != self.game.state or states.shape != (1,):
            raise BadActions(f"states: expected 1 record of {self.game.id}, found {list(states.shape)} {states.dtype}")
        if self.num_games > 1:
            self._require_start()
        self._require_game(game)
        self.states.view(np.uint8).reshape(self.num_games, -1)[game] = states.view(np.uint8)
        self._started = True
        self._command.fill(KEEP)
        self._command[game] = REFRESH
        self._run(self._command, self._nothing)

    def clone(self) -> GameBatch:
        """An independent copy that goes on exactly as this one would."""
        other = GameBatch.__new__(GameBatch)
        other.__dict__.update(self.__dict__)
        other.states = self._copied_states()
        for name in ("observation", "final_observation", "_mask", "current_player", "learner",
                     "rewards", "terminated", "truncated", "end_reason", "_command", "_actions"):  # fmt: skip
            setattr(other, name, getattr(self, name).copy())
        other.action_mask = other._mask.view()
        other.action_mask.flags.writeable = False
        other._pool = None
        return other

    def resample_hidden(self, seats: ArrayLike, keys: ArrayLike) -> None:
        """Redraw in every game what its given seat cannot see, and all future chance, from the keys.

        Seats and keys are integers [N], or one for all; keys count modulo 2**32.

        What the seat observes, and the mask when it decides, stay as they are; the same keys give the same redraw.
        """
        self._require_start()
        numbers = np.array(np.broadcast_to(np.asarray(keys, np.int64) & 0xFFFFFFFF, self.num_games))
        self._kernels.redraw(self.states, self.components.record, self._seats(seats), numbers)
        self.set_state(self.states)


def _opponent_number(game: Game, name: str | None) -> int:
    """Which of the game's opponents, or NOBODY; `UnknownName`."""
    names = [opponent.name for opponent in game.opponents]
    if name is None:
        return NOBODY
    if name not in names:
        raise UnknownName(f"opponent of {game.id}", name, names)
    return names.index(name)


def _seat_number(game: Game, seat: int | str) -> int:
    """A seat by number or name, or NOBODY for one drawn per game; `UnknownName`."""
    if seat == RANDOM_SEAT:
        return NOBODY
    names: list[int | str] = [*range(game.spec.players), *game.spec.seats]
    if isinstance(seat, bool) or seat not in names:
        raise UnknownName(f"seat of {game.id}", seat, [*game.spec.seats, RANDOM_SEAT])
    return names.index(seat) % game.spec.players


def seeds_of(seed: int | Sequence[int], n: int) -> NDArray[np.uint64]:
    """The seeds of n games, uint64 [n]: consecutive from one integer, or as listed. Raises `BadSeed`."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        listed = [int(seed) + i for i in range(n)]
    elif isinstance(seed, (list, tuple, range, np.ndarray)):
        if not all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in seed):
            raise BadSeed(f"seed: expected integers, found {seed!r}")
        listed = [int(x) for x in seed]
    else:
        raise BadSeed(f"seed: expected an integer or a sequence of {n}, found {seed!r}")
    if len(listed) != n:
        raise BadSeed(f"seed: expected {n} seeds, found {len(listed)}")
    if any(x < 0 or x >= 2**64 for x in listed):
        raise BadSeed("seed: seeds run from 0 to 2**64 - 1")
    return np.array(listed, np.uint64)
