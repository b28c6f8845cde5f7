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
from types import NoneType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rfop_env.core.arguments import array_of, memory_of_this_machine, whole_number, yes_or_no
from rfop_env.core.decisions import clear_header, clear_journal
from rfop_env.core.errors import (
    BadActions,
    BadArgument,
    BadPosition,
    BadSeed,
    GameOver,
    IllegalAction,
    InternalFault,
    NotStarted,
    UnknownName,
    VersionMismatch,
    shown,
)
from rfop_env.core.game import Game, Rules
from rfop_env.core.random_stream import BOT, GOLDEN, POLICY, begin_streams, mix, random_below
from rfop_env.core.record_check import record_problems
from rfop_env.core.rule import JIT, kernel, rule

KEEP, RESET, STEP, RANDOM, REFRESH = range(5)  # what `advance` does with a record
NOBODY = -1  # the opponent, where all seats are asked; the learner's seat, where it is drawn anew for every game
RANDOM_SEAT = "random"
NO_ACTION = -1  # the action of a game that has ended, in a batch that goes on
ENDLESS = 1_000_000  # decisions after which a game is taken for a loop in its rules
WORTH_A_THREAD = 64  # records per thread below which a second thread costs more than it gives
MOST_THREADS = 1024
MOST_REPEATS = 1_000_000  # decisions of one call, which nothing can interrupt
NOT_COPIED = ("_kernels", "_dealt", "_pool", "action_mask")  # of a batch's attributes; its copies make them anew


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
                    clear_header(s)
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


def _make_determinize(rules: Rules) -> Callable[..., None]:
    determinize = rules.determinize

    def determinize_all(states: Any, components: Any, seats: Any, keys: Any) -> None:
        for i in range(states.shape[0]):
            s, key = states[i], int(keys[i])

            # The true deal could be dealt again from seed and streams: they give way to those that follow from the key.
            s.seed[0], s.seed[1], s.episode = mix(key ^ GOLDEN), key, 0
            begin_streams(s)
            determinize(s, components[0], seats[i])

    return determinize_all


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
        title = f"the rules of {game.title}"
        self.advance = kernel(_make_advance(game.rules), f"{name}.advance", sources, title=title, rules=sources)
        self.look = kernel(_make_look(game.rules), f"{name}.look", sources, rules=sources)
        self.determinize = kernel(_make_determinize(game.rules), f"{name}.determinize", sources, rules=sources)
        self.advise = kernel(_make_advise(game.rules), f"{name}.advise", sources, rules=sources)
        self.payoffs = kernel(_make_payoffs(game.rules), f"{name}.payoffs", sources, rules=sources)
        self.first_illegal = kernel(_first_illegal, "core.first_illegal", sources[:1])

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

    A decision with a single legal action is taken by the batch itself. Arguments: `game`; `num_games` at least 1, as
    many as the memory holds; `seed` resets at once; `options` by name; `components` a file path, a loaded set or None;
    `reward` the name of a reward kind; `autoreset` starts the next game of a record in the step that ended the last;
    `threads` at most, 1 to `MOST_THREADS`. `opponent`: one of `game.opponents` by name, who takes every seat but the
    learner's inside `step`, from stream `BOT`; the learner has `seat`, a number or a name of `game.spec.seats`, or
    "random", drawn for every game. None: all seats are asked. Raises `BadArgument`, `UnknownName`, `BadComponents`,
    `BadSeed`.
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
        if not isinstance(game, Game):
            raise BadArgument(f"game: expected a Game, found {shown(game)}; rfop_env.make_batch takes ids")

        # What is played.
        if not isinstance(options, (Mapping, NoneType)):
            raise BadArgument(f"options: expected a mapping from names to values, found {shown(options)}")
        self.given_options = dict(options or {})
        self.components = _component_set(game, components)
        game = self.game = game.under(self.given_options, self.components)
        self.options = game.encode_options(self.given_options)
        self._reward_kind, self.reward = game.reward(game.rewards[0].name if reward is None else reward)

        # How it is played.
        self.num_games = _number_of_games(game, num_games)
        self.threads = whole_number("threads", threads, 1, MOST_THREADS)
        self.autoreset = yes_or_no("autoreset", autoreset)
        self._opponent, self._seat = _opponent_number(game, opponent), _seat_number(game, seat)
        if self._opponent == NOBODY and self._seat != NOBODY:
            raise BadArgument(f"seat={seat!r} is a learner's among opponents: leave it out, or name an opponent too")

        self._make_arrays()
        self._make_rest()
        self._started = False
        if seed is not None:
            self.reset(seed)

    def _make_arrays(self) -> None:
        game, n, seats = self.game, self.num_games, self.game.spec.players
        self.states = self._new_states(n)
        self.observation = np.zeros((n, game.observation.size), np.int8)
        self.final_observation = np.zeros_like(self.observation)
        self._mask = np.zeros((n, game.actions.size), np.bool_)
        self.current_player = np.zeros(n, np.int32)
        self.learner = np.zeros(n, np.int32)
        self.rewards = np.zeros((n, seats), np.float32)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.end_reason = np.zeros(n, np.int32)
        self._command = np.zeros(n, np.int8)
        self._nothing = np.full(n, NO_ACTION, np.int64)
        self._actions = np.zeros(n, np.int64)

    def _make_rest(self) -> None:
        """What every copy makes for itself: the attributes that `NOT_COPIED` names."""
        self._kernels = Kernels.of(self.game)
        self._dealt: Any = None  # a record just dealt, once it is needed
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self.action_mask = self._mask.view()
        self.action_mask.flags.writeable = False

    def _new_states(self, n: int) -> Any:
        states = np.zeros(n, self.game.state)
        return states if JIT else states.view(np.recarray)

    # -- playing ---------------------------------------------------------------------------------------------------

    def reset(self, seed: int | Sequence[int] | None = None, *, only: ArrayLike | None = None) -> None:
        """Start new games.

        `seed`: game i gets seed + i, or its own entry of a sequence of N; None goes on to the next episode of the seed
        in force (seed 0 at first). `only`: bool [N], the games to restart; the others stay as they are. Raises
        `BadSeed`, `BadActions`, `NotStarted`.
        """
        chosen = np.ones(self.num_games, np.bool_) if only is None else array_of("only", only)
        if chosen.shape != (self.num_games,) or chosen.dtype != np.bool_:
            raise BadActions(f"only: expected bool [{self.num_games}], found {chosen.dtype} {list(chosen.shape)}")
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
            self._command[ended] = KEEP
        bad = self._kernels.first_illegal(self._command, chosen, self._mask)
        if bad >= 0:
            raise self._illegal(bad, int(chosen[bad]))
        self._clear_ended()
        self._run(self._command, chosen)

    def step_random(self, repeat: int = 1) -> None:
        """Take `repeat` uniformly random legal decisions in every game (stream `POLICY` of each record).

        `repeat`: 1 to `MOST_REPEATS`. Raises `NotStarted`, `BadArgument`.
        """
        self._require_start()
        repeat = whole_number("repeat", repeat, 1, MOST_REPEATS)
        self._command.fill(RANDOM)
        if not self.autoreset:
            self._command[self.states["over"] != 0] = KEEP
        self._clear_ended()
        self._run(self._command, self._nothing, repeat)

    def _clear_ended(self) -> None:
        """The games that this call keeps have ended before it: their last reward is not given twice."""
        ended = self._command == KEEP
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
            raise InternalFault(
                f"{self.game.id}: a fault in the rules, met in game {game}; its (seed, episode): {self.seed_of(game)}"
            )

    def _workers(self) -> ThreadPoolExecutor:
        """A pool of this process: a forked child must not use its parent's."""
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = (os.getpid(), ThreadPoolExecutor(self.threads - 1, "rfop"))
        return self._pool[1]

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        given = array_of("actions", actions)
        if given.shape != (self.num_games,):
            raise BadActions(f"actions: expected shape [{self.num_games}], found {list(given.shape)}")
        if given.dtype.kind not in "iu":
            raise BadActions(f"actions: expected an integer dtype, found {given.dtype}; use actions.astype(int)")
        self._actions[:] = given  # a strided or read-only array would compile the kernel anew
        return self._actions

    def _seats(self, seats: ArrayLike) -> NDArray[np.int64]:
        given = array_of("seats", seats)
        if given.shape not in ((), (self.num_games,)) or given.dtype.kind not in "iu":
            raise BadActions(f"seats: expected integers [{self.num_games}], found {given.dtype} {list(given.shape)}")
        chosen = np.empty(self.num_games, np.int64)
        chosen[:] = given
        wrong = (chosen < 0) | (chosen >= self.game.spec.players)
        if wrong.any():
            raise BadActions(f"seat {chosen[wrong][0]} is out of range 0 to {self.game.spec.players - 1}")
        return chosen

    def _require_start(self) -> None:
        if not self._started:
            raise NotStarted("no game has begun: call reset(seed) first")

    def _require_game(self, game: int) -> None:
        whole_number("game", game, 0, self.num_games - 1)

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
        """The column of `rewards` (float32 [N, P], those of the last step by default) of each learner: a new [N].

        Raises `BadActions` for another shape.
        """
        given = self.rewards if rewards is None else array_of("rewards", rewards)
        if given.shape != self.rewards.shape:
            raise BadActions(f"rewards: expected shape {list(self.rewards.shape)}, found {list(given.shape)}")
        own: NDArray[np.float32] = given[np.arange(self.num_games), self.learner]
        return own

    # Looking at one game, below, raises `BadArgument` for a number that no game has, and `NotStarted`.

    def seed_of(self, game: int) -> tuple[int, int]:
        """(seed, episode) of a game: reset to the seed and play `episode` games to meet it again."""
        record = self.record(game)
        return int(record["seed"][0]) + (int(record["seed"][1]) << 32), int(record["episode"])

    def journal(self, game: int = 0) -> list[str]:
        """What happened in a game since its last decision, a sentence each."""
        return self.game.journal(self.record(game), self.components)

    def record(self, game: int = 0) -> Any:
        """The state record of a game, with its fields as attributes; writing to it changes the game."""
        self._require_start()
        self._require_game(game)
        return self.states.view(np.recarray)[game]

    def faults(self, game: int = 0) -> list[str]:
        """Ways in which a game's position is faulty, a sentence each; always empty unless records were written to."""
        return record_problems(self.game, self.components, self.get_record(game), self._fresh())[0]

    def draw_text(self, game: int = 0) -> str:
        """The position of a game as text for a terminal."""
        return self.game.draw_text(self.record(game), self.components)

    def draw_svg(self, game: int = 0, previous: NDArray[Any] | None = None) -> str:
        """The position of a game as an SVG document; parts that legal actions point to carry them (`data-action`).

        What differs from `previous`, a record [1] as of `get_record`, is marked as the last move; by default, what has
        changed since the last decision.
        """
        record, before = self.record(game), None if previous is None else previous.view(np.recarray)[0]
        legal = np.flatnonzero(self._mask[game]).tolist()
        return self.game.draw_svg(record, self.components, legal=legal, previous=before)

    # -- copying ---------------------------------------------------------------------------------------------------

    def get_state(self) -> NDArray[Any]:
        """A copy of all records, structured [N], equal to the last byte."""
        copied: NDArray[Any] = self._copied_states()
        return copied

    def _copied_states(self) -> Any:
        return self._copy_of(self.states)

    def _copy_of(self, states: Any) -> Any:
        """A copy of records [n], equal to the last byte: NumPy's own leaves those between aligned fields to chance."""
        copied = self._new_states(len(states))
        _bytes_of(copied)[...] = _bytes_of(states)
        return copied

    def set_state(self, states: NDArray[Any]) -> None:
        """Put records in, structured [N], and refresh all arrays; the learner of each has the seat of this batch.

        They may come from anywhere: each is checked in full first (`record_problems`), in about a millisecond a game;
        `copy_from` needs no check. An opponent whose decision it is takes it. Raises `BadActions` for another shape or
        dtype and `BadPosition` for a record that this batch cannot play on; then the batch is as it was.
        """
        if states.dtype != self.game.state or states.shape != (self.num_games,):
            raise BadActions(f"states: expected {self.num_games} records of {self.game.id}, found {states.shape}")
        self._restore(self._sound(states), np.arange(self.num_games))

    def _sound(self, states: NDArray[Any]) -> Any:
        """A copy of records from outside, structured [n], once nothing is wrong with them; `BadPosition`."""
        copied = self._copy_of(states)
        for game, problems in enumerate(self._problems(copied)):
            if problems:
                more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
                place = f" in record {game}" if len(copied) > 1 else ""
                raise BadPosition(f"a faulty position of {self.game.id}{place}: {'; '.join(problems[:3])}{more}")
        return copied

    def _problems(self, states: Any) -> list[list[str]]:
        """What keeps this batch from playing on from each of some records: lists of sentences."""
        problems = record_problems(self.game, self.components, states, self._fresh())
        if self.autoreset:
            for game in np.flatnonzero(states["over"]).tolist():
                problems[game].append("the game has ended, and a batch with autoreset has none: use autoreset=False")
        if any(problems):
            return problems

        # What the rules make of them: they must ask for something that can be done.
        trial = GameBatch(self.game, len(states), options=self.given_options, components=self.components)
        try:
            trial._restore(self._copy_of(states), np.arange(len(states)))
        except InternalFault:
            for game in np.flatnonzero(trial.states["fault"]).tolist():
                problems[game].append("the game runs but asks for nothing that can be done")
        return problems

    def _fresh(self) -> Any:
        """A record [1] just dealt under the options of this batch."""
        if self._dealt is None:
            self._dealt = GameBatch(self.game, 1, 0, options=self.given_options, components=self.components).states
        return self._dealt

    def _restore(self, states: Any, games: NDArray[np.intp]) -> None:
        """Put sound records into some games and refresh their arrays."""
        self._adopt(states)
        _bytes_of(self.states)[games] = _bytes_of(states)
        self._started = True
        self.refresh(games)

    def refresh(self, games: NDArray[np.intp] | None = None) -> None:
        """Bring all arrays of some games, int [n], or of all up to date with their records, after writing to them."""
        self._command.fill(REFRESH if games is None else KEEP)
        if games is not None:
            self._command[games] = REFRESH
        self._run(self._command, self._nothing)

    def copy_from(self, other: GameBatch, games: ArrayLike | None = None, into: ArrayLike | None = None) -> None:
        """Copy games of another batch into this one: `games[k]` of `other` becomes game `into[k]` here; ints [n].

        None stands for all games in order. The learner keeps the seat that this batch gives it. Raises `BadActions`
        for a batch of another game, of other options or of other components, and for games that are not there.
        """
        if not isinstance(other, GameBatch) or not self._plays_like(other):
            raise BadActions("copy_from: expected another batch of the same game, options and components")
        other._require_start()
        source, target = other._numbers("games", games), self._numbers("into", into)
        if len(source) != len(target) or len(np.unique(target)) != len(target):
            raise BadActions(f"copy_from: {len(source)} games into {len(np.unique(target))} different ones")
        if not self._started and len(target) != self.num_games:
            raise NotStarted("copy_from: call reset(seed) first, or copy into every game")
        copied = self._new_states(len(source))
        _bytes_of(copied)[...] = _bytes_of(other.states)[source]
        self._restore(copied, target)

    def _plays_like(self, other: GameBatch) -> bool:
        """Whether a record of the other batch is a record of this one."""
        same_rules = self.game.rules == other.game.rules and self.game.id == other.game.id
        same_set = self.components.digest == other.components.digest
        return same_rules and same_set and bool((self.options == other.options).all())

    def _numbers(self, name: str, games: ArrayLike | None) -> NDArray[np.intp]:
        """Numbers of games of this batch, int [n]; all of them for None. Raises `BadActions`."""
        chosen = np.arange(self.num_games) if games is None else array_of(name, games)
        if chosen.shape == (0,):
            return np.zeros(0, np.intp)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise BadActions(f"{name}: expected integers [n], found {chosen.dtype} {list(chosen.shape)}")
        if not 0 <= chosen.min() <= chosen.max() < self.num_games:
            raise BadActions(f"{name}: {chosen.tolist()} has games outside 0 to {self.num_games - 1}")
        return chosen.astype(np.intp)

    def get_record(self, game: int = 0) -> NDArray[Any]:
        """A copy of one game's record, structured [1], equal to the last byte. Raises `NotStarted`, `BadArgument`."""
        self._require_start()
        self._require_game(game)
        copied: NDArray[Any] = self._copy_of(self.states[game : game + 1])
        return copied

    def _adopt(self, states: Any) -> None:
        """Give the learner its seat in records; where seats are drawn it keeps its own, or has the next turn."""
        if self._opponent == NOBODY:
            states["learner"] = 0
        elif self._seat != NOBODY:
            states["learner"] = self._seat + 1
        else:
            states["learner"] = np.where(states["learner"] > 0, states["learner"], states["player"] + 1)

    def put_record(self, game: int, states: NDArray[Any]) -> None:
        """Put one record, structured [1], into a game, as `set_state` does; the other games stay as they are.

        Raises `BadActions`, `BadPosition`, and `NotStarted` for one of several games before the first reset.
        """
        if states.dtype != self.game.state or states.shape != (1,):
            raise BadActions(f"states: expected 1 record of {self.game.id}, found {list(states.shape)} {states.dtype}")
        if self.num_games > 1:
            self._require_start()
        self._require_game(game)
        self._restore(self._sound(states), np.array([game]))

    def clone(self) -> GameBatch:
        """An independent copy that goes on exactly as this one would; `copy.copy` and `copy.deepcopy` give the same."""
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    def __copy__(self) -> GameBatch:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> GameBatch:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        """All that a batch is: every attribute but those of `NOT_COPIED`, and the records as bytes."""
        attributes = {name: value for name, value in vars(self).items() if name not in NOT_COPIED}
        del attributes["states"]
        return {"attributes": attributes, "records": _bytes_of(self.states), "layout": _layout_of(self.game)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy of what `__getstate__` gave, in arrays of its own. Raises `VersionMismatch`."""
        game = state["attributes"]["game"]
        if state["layout"] != _layout_of(game):
            raise VersionMismatch(
                f"this batch was pickled when {game.id} had other state fields, actions or observations: unpickle it "
                f"with the package that pickled it, and take its games over as text (core.position.position_text)"
            )
        for name, value in state["attributes"].items():
            self.__dict__[name] = value.copy() if isinstance(value, (np.ndarray, dict)) else value
        self.states = self._new_states(self.num_games)
        _bytes_of(self.states)[...] = state["records"]
        self._make_rest()

    def determinize(self, seats: ArrayLike, keys: ArrayLike) -> None:
        """Draw anew, in every game, what its given seat cannot see and all future chance, from the keys.

        Seats and keys are integers [N], or one for all; keys count modulo 2**32. What the seat observes, and the mask
        when it decides, stay as they are. What is drawn follows from the key and from what the seat knows alone:
        nothing of the true deal is left in the record, neither its seed nor its streams.
        """
        self._require_start()
        numbers = np.array(np.broadcast_to(np.asarray(keys, np.int64) & 0xFFFFFFFF, self.num_games))
        self._kernels.determinize(self.states, self.components.record, self._seats(seats), numbers)
        self.refresh()


def _bytes_of(states: Any) -> NDArray[np.uint8]:
    """Records [N] as uint8 [N, itemsize], a view where they lie side by side: NumPy's copies lose bytes in between."""
    whole = np.ascontiguousarray(states)
    return whole.view(np.ndarray).view(np.uint8).reshape(len(whole), whole.dtype.itemsize)


def _layout_of(game: Game) -> tuple[object, ...]:
    """What the arrays of a batch depend on."""
    return game.state, game.actions.size, game.observation.size, game.spec.players


def _number_of_games(game: Game, given: object) -> int:
    """How many games, if this machine's memory holds so many; otherwise `BadArgument`."""
    n, memory = whole_number("num_games", given, 1), memory_of_this_machine()
    each = game.state.itemsize + 2 * game.observation.size + game.actions.size + 4 * game.spec.players + 40
    if memory is not None and n * each > memory:
        raise BadArgument(
            f"{n:,} games of {game.id} take {n * each / 2**30:,.0f} GiB, and this machine has "
            f"{memory / 2**30:,.1f} GiB: at most {memory // each:,}"
        )
    return n


def _component_set(game: Game, given: Any) -> Any:
    """The set of a file, or a set that has been loaded; `BadComponents`, `BadArgument`."""
    if given is None or isinstance(given, (str, os.PathLike)):
        return game.load_components(given)
    if not hasattr(given, "record"):
        raise BadArgument(f"components: expected a path, a component set or None, found {shown(given)}")
    if given.record.dtype != game.load_components(None).record.dtype:
        raise BadArgument(f"components: the set {given.name!r} was loaded for another game than {game.id}")
    return given


def _opponent_number(game: Game, name: str | None) -> int:
    """Which of the game's opponents, or NOBODY; `UnknownName`, `BadArgument` where there is but one seat."""
    names = [opponent.name for opponent in game.opponents]
    if name is None:
        return NOBODY
    if not names:
        raise BadArgument(f"opponent={name!r}: {game.id} has one seat and no opponents, leave it out")
    if name not in names:
        raise UnknownName(f"opponent of {game.id}", name, names)
    return names.index(name)


def _seat_number(game: Game, seat: int | str) -> int:
    """A seat by number or name, or NOBODY for one drawn per game; `UnknownName`."""
    if isinstance(seat, (int, np.integer)):
        return whole_number("seat", seat, 0, game.spec.players - 1)
    names = [*game.spec.seats, RANDOM_SEAT]
    if not isinstance(seat, str) or seat not in names:
        raise UnknownName(f"seat of {game.id}", seat, names)
    return NOBODY if seat == RANDOM_SEAT else names.index(seat)


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
