"""A batch of N games of one kind, stepped together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import NoneType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rfop_env.compiler import JIT
from rfop_env.compiler.memory import aligned_copy, aligned_zeros
from rfop_env.compiler.native_rules import ADVISE
from rfop_env.core import advance
from rfop_env.core import batch_arguments as checks
from rfop_env.core.arguments import to_array, whole_number, yes_or_no
from rfop_env.core.decisions import NOBODY
from rfop_env.core.errors import (
    BadActions,
    BadArgument,
    BadPosition,
    GameOver,
    InternalFault,
    NotStarted,
    RfopError,
    VersionMismatch,
    shown,
)
from rfop_env.core.game import Game, Reward
from rfop_env.core.history import History
from rfop_env.core.kernels import Kernels
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.mixtures import mixture_text
from rfop_env.core.output_arrays import output_arrays, output_shapes
from rfop_env.core.random_stream import WORD
from rfop_env.core.record import record_bytes
from rfop_env.core.record_check import record_problems
from rfop_env.core.runner import Runner
from rfop_env.core.team import PIECE, WRITER, in_use, reads, writes

MOST_THREADS = 1024
MOST_REPEATS = 1_000_000  # decisions of one call, which nothing can interrupt


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
    `reward` the name of a reward kind, or several with weights, as in "outcome=0.5,margin=0.5" or as a mapping, each
    paid as it is alone; `autoreset` starts the next game of a record in the step that ended the last; `threads` at
    most, 1 to `MOST_THREADS`. `opponent`: one of `game.opponents` by name, who takes every seat but the learner's
    inside `step`, from stream `BOT`; a mapping from names to shares draws one for every game. The learner has `seat`, a
    number or a name of `game.spec.seats`, or "random", drawn for every game. None: all seats are asked.
    (`rfop_env.make_batch` takes any agent as the opponent.)

    `out`: arrays of the caller, by the names above, that the batch writes into in place of its own, as `write_into`
    does. Raises `BadArgument`, `UnknownName`, `BadComponents`, `BadSeed`.
    """

    # What agents outside have decided in the last call, in order: games, int [n], and actions, int64 [n].
    answers: list[tuple[NDArray[np.intp], NDArray[np.int64]]]
    history: History | None = None  # of the games, since `keep_history` was called

    def __init__(
        self,
        game: Game,
        num_games: int = 1,
        seed: int | Sequence[int] | None = None,
        *,
        options: Mapping[str, object] | None = None,
        components: Any = None,
        reward: checks.RewardArgument = None,
        opponent: str | Mapping[str, float] | None = None,
        seat: int | str = checks.RANDOM_SEAT,
        autoreset: bool = False,
        threads: int = 1,
        out: Mapping[str, NDArray[Any]] | None = None,
    ):
        if not isinstance(game, Game):
            raise BadArgument(f"game: expected a Game, found {shown(game)}; rfop_env.make_batch takes ids")
        if not isinstance(options, (Mapping, NoneType)):
            raise BadArgument(f"options: expected a mapping from names to values, found {shown(options)}")

        # What is played, and how.
        loaded = checks.component_set(game, components)
        self.game = game = game.under(dict(options or {}), loaded)
        self.num_games = checks.number_of_games(game, num_games)
        self.base_options = dict(options or {})  # those that the batch was made with
        self.given_options = dict(self.base_options)  # those of the games that begin now
        self.options = game.encode_options(self.base_options)
        self.components = loaded
        self.weights = checks.reward_weights(game, reward)  # of the reward kinds
        self.autoreset = yes_or_no("autoreset", autoreset)
        self.threads = whole_number("threads", threads, 1, MOST_THREADS)
        self._ready = False

        # Who plays: the opponents, as in `Arrays`, and the seat of the learner among them.
        self._mixture = checks.encode_shares(self._opponent_shares(game, loaded, opponent))
        self._learner = checks.seat_number(game, seat)
        if len(self._mixture) == 0 and self._learner != advance.ANY_SEAT:
            raise BadArgument(f"seat={seat!r} is a learner's among opponents: leave it out, or name an opponent too")

        # The public arrays. Threads that share games must not write to the same cache line.
        n = self.num_games
        zeros = aligned_zeros if _shared(n) else np.zeros
        arrays: dict[str, NDArray[Any]] = {name: zeros(*shape) for name, shape in output_shapes(game, n).items()}
        self.states = self._new_states(n)
        self.observation: NDArray[np.int8] = arrays["observation"]
        self.final_observation: NDArray[np.int8] = arrays["final_observation"]
        self._mask: NDArray[np.bool_] = arrays["action_mask"]  # `action_mask` is a read-only view of it
        self.current_player: NDArray[np.int32] = arrays["current_player"]
        self.learner: NDArray[np.int32] = arrays["learner"]
        self.rewards: NDArray[np.float32] = arrays["rewards"]
        self.terminated: NDArray[np.bool_] = arrays["terminated"]
        self.truncated: NDArray[np.bool_] = arrays["truncated"]
        self.end_reason: NDArray[np.int32] = arrays["end_reason"]

        # The opponent, the command and the action of every game.
        self._opponents = zeros(n, np.int8)
        self._opponents[:] = checks.usual_opponents(self._mixture, n)
        self._command = zeros(n, np.int8)
        self._actions = zeros(n, np.int64)
        self._make_buffers()

        self.answers = []
        if out is not None:
            self.write_into(out)
        if seed is not None:
            self.reset(seed)

    def _make_buffers(self) -> None:
        """Make the attributes that copies do not share: see `__getstate__`."""
        self._kernels = Kernels.of(self.game)
        if (self._mixture[:, advance.OPPONENT] > advance.RANDOM_OPPONENT).any():
            self._kernels.native.need(ADVISE)
        self._fresh: Any = None  # a record right after the reset, once it is needed
        self.action_mask = self._mask.view()
        self.action_mask.flags.writeable = False
        self.users = 0  # calls that look at it now, or `WRITER`
        self._runner = self._make_runner(self._mask[:0])

    def _make_runner(self, shown_mask: NDArray[np.bool_]) -> Runner:
        """What plays the games, from the arrays as they lie now; `shown_mask`: the caller's, or [0, A]."""
        rewards = [(*self.game.reward(name), weight) for name, weight in self.weights.items()]
        arrays = advance.Arrays(
            states=self.states,
            components=self.components.record,
            options=self.options,
            blank=self._kernels.blank,
            settings=np.array([self._learner, self.reward.dense, self.autoreset], np.int64),
            mixture=self._mixture,
            kinds=np.array([(number, reward.dense) for number, reward, _ in rewards], np.int64),
            scales=np.array([reward.scale * weight for _, reward, weight in rewards], np.float64),
            opponents=self._opponents,
            commands=self._command,
            actions=self._actions,
            observation=self.observation,
            action_mask=self._mask,
            final_observation=self.final_observation,
            current_player=self.current_player,
            learner=self.learner,
            rewards=self.rewards,
            terminated=self.terminated,
            end_reason=self.end_reason,
            shown_mask=shown_mask,
        )
        return Runner(self._kernels, arrays, self.threads)

    @property
    def reward(self) -> Reward:
        """The reward kind that is paid; of several, by weight, their sum as one kind."""
        kinds = {name: self.game.reward(name)[1] for name in self.weights}
        if list(self.weights.values()) == [1.0]:
            return next(iter(kinds.values()))
        meaning = " and ".join(f"{weight:g} times {name}" for name, weight in self.weights.items())
        return Reward(mixture_text(self.weights), 1.0, meaning, any(kind.dense for kind in kinds.values()))

    def _new_states(self, n: int) -> Any:
        states = aligned_zeros(n, self.game.state) if _shared(n) else np.zeros(n, self.game.state)
        return states if JIT else states.view(np.recarray)  # plain Python names fields as attributes

    @writes
    def write_into(self, out: Mapping[str, NDArray[Any]]) -> None:
        """Write into arrays of the caller from now on, in place of those of the same names that the batch has now.

        Their present contents are copied. They may lie in shared memory, and the rows of an array may lie apart. Copies
        of the batch have arrays of their own. The caller's `action_mask` is written and never read: the attribute of
        that name stays the batch's own. Raises `BadArgument` for another shape or dtype, a read-only array, rows that
        are not in C order and arrays that overlap, and `UnknownName`; then the batch is as it was.
        """
        shown_mask = self._runner.arrays.shown_mask
        for name, array in output_arrays(self.game, self.num_games, out).items():
            array[...] = getattr(self, name)
            if name == "action_mask":
                shown_mask = array
            else:
                setattr(self, name, array)
        self._runner = self._make_runner(shown_mask)

    def _opponent_shares(self, game: Game, components: Any, opponent: Any) -> dict[int, float]:
        """The numbers of the opponents, and the share of the games that each has; {} where all seats are asked."""
        if opponent is None:
            return {}
        shares = opponent if isinstance(opponent, Mapping) else {opponent: 1.0}
        return {checks.opponent_number(game, name): share for name, share in shares.items()}

    @property
    def opponent(self) -> str | None:
        """The opponents that play inside `step`: a name, or names with shares; None where all seats are asked."""
        shares = {self._opponent_name(number): share for number, share in checks.decode_shares(self._mixture).items()}
        return next(iter(shares)) if len(shares) == 1 else mixture_text(shares) or None

    def game_opponent(self, game: int) -> str | None:
        """The name of the opponent in a game; None where all seats are asked. Raises `BadArgument`."""
        self._require_game(game)
        return None if len(self._mixture) == 0 else self._opponent_name(int(self._opponents[game]))

    def _opponent_name(self, number: int) -> str:
        return self.game.opponents[number].name

    # -- playing -------------------------------------------------------------------------------------------------------

    @writes
    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        *,
        only: ArrayLike | None = None,
        options: Mapping[str, object] | None = None,
    ) -> None:
        """Start new games.

        `seed`: game i gets seed + i, or its own entry of a sequence of N; None goes on to the next episode of the seed
        in force (seed 0 at first). `only`: bool [N], the games to restart; the others stay as they are. `options`: some
        of the game's options by name, for these games and all that begin later; those not named are as the batch was
        made. None: the options in force. Raises `BadSeed`, `BadActions`, `NotStarted`, `UnknownName`, and `BadArgument`
        for options that change the seats or are for some of the games only; then the batch is as it was.
        """
        selected = checks.some_games(only, self.num_games)
        if not self._ready and not selected.all():
            raise NotStarted("the first reset starts every game: call reset(seed) before reset(only=...)")
        first = seed is not None or not self._ready
        seeds = checks.parse_seeds(0 if seed is None else seed, self.num_games)
        if options is not None:
            self._use_options(options, bool(selected.all()))

        # Write the seed and the episode into the records: all else follows from them.
        if first:
            self.states["seed"][selected, 0] = (seeds & np.uint64(0xFFFFFFFF)).astype(np.int64)[selected]
            self.states["seed"][selected, 1] = (seeds >> np.uint64(32)).astype(np.int64)[selected]
            self.states["episode"][selected] = 0
        else:
            self.states["episode"][selected] += 1

        self._ready = True
        self._command.fill(advance.KEEP)
        self._command[selected] = advance.RESET
        self._run(advance.BY_GAME)

    def _use_options(self, options: Mapping[str, object], all_games: bool) -> None:
        """Let games that begin from now on have these options, besides those that the batch was made with."""
        if not isinstance(options, Mapping):
            raise BadArgument(f"options: expected a mapping from names to values, found {shown(options)}")
        in_force = self.base_options | dict(options)
        numbers = self.game.encode_options(in_force)
        if (numbers == self.options).all():
            return

        # What all games of a batch share.
        game = self.game.under(in_force, self.components)
        if game.spec.seats != self.game.spec.seats:
            words = ", ".join(f"{name}={value}" for name, value in options.items())
            raise BadArgument(f"{words} changes the seats of {self.game.id}, which a reset cannot: make another one")
        if not all_games:
            raise BadArgument("options: all games of a batch have the same ones: reset all games to change them")

        self.game = game
        self.given_options = in_force
        self.options[:] = numbers
        self._fresh = None

    def step(self, actions: ArrayLike, *, restart: ArrayLike | None = None) -> None:
        """Carry out one action in every game: integers [N]; `NO_ACTION` (-1) where a game has ended.

        `restart`: bool [N], games that begin anew instead, whatever their action, as by `reset(only=restart)`. Raises
        `BadActions` (shape, dtype), `GameOver`, `IllegalAction`; then no game has moved.
        """
        # As `writes` does it, here and in the next two, without the time of a further call.
        if self.users:
            raise in_use()
        self.users = WRITER
        try:
            self._require_start()
            self._actions[:] = checks.action_ids(actions, self.num_games)
            if restart is None:
                self._run(advance.STEP)
            else:
                self._step_or_restart(checks.some_games(restart, self.num_games, "restart"))
        finally:
            self.users = 0

    def _step_or_restart(self, restart: NDArray[np.bool_]) -> None:
        # Only a step of all games is checked by the kernel.
        if error := self._first_refusal(~restart):
            raise error
        self.states["episode"][restart] += 1
        self._command[:] = np.where(restart, advance.RESET, advance.STEP)
        self._run(advance.BY_GAME)

    def step_one(self, action: int) -> bool:
        """Carry out an action in a batch of one, faster than `step`: True if the game has ended by it.

        Raises `NotStarted`, `BadArgument` for a batch of several games, `GameOver`, `IllegalAction`.
        """
        self._require_start()
        if self.num_games != 1:
            raise BadArgument(f"step_one is for a batch of one game, not of {self.num_games}: use step")
        if not 0 <= action < self._mask.shape[1]:
            raise self._unknown_action(action)

        if self.users:
            raise in_use()
        self.users = WRITER
        try:
            self._actions[0] = action
            return self._run(advance.STEP) > 0
        finally:
            self.users = 0

    def _unknown_action(self, action: int) -> RfopError:
        """The error for a number that is no action at all, in a batch of one."""
        if self.states["over"][0] and not self.autoreset:
            return GameOver("game 0 has ended: reset it")
        return checks.illegal_action(self.game, 0, int(self.current_player[0]), action, self._mask[0])

    def step_random(self, repeat: int = 1) -> None:
        """Take `repeat` uniformly random legal decisions in every game (stream `POLICY` of each record).

        `repeat`: 1 to `MOST_REPEATS`. Raises `NotStarted`, `BadArgument`.
        """
        if self.users:
            raise in_use()
        self.users = WRITER
        try:
            self._require_start()
            self._run(advance.RANDOM, whole_number("repeat", repeat, 1, MOST_REPEATS))
        finally:
            self.users = 0

    @writes
    def forfeit(self, games: ArrayLike) -> None:
        """End some games, bool [N], where they stand: the seat that decides in each has played an illegal action.

        Nothing is legal in them until they are reset, and their journal is empty. Raises `NotStarted`, `BadActions`.
        """
        self._require_start()
        lost = checks.some_games(games, self.num_games, "games")
        self.states["over"][lost] = 1
        self.states["journal_size"][lost] = 0
        self.states["journal"][lost] = 0
        self._refresh(np.flatnonzero(lost))

    def _run(self, command: int, repeat: int = 1) -> int:
        """Carry out a command for every game, on as many threads as are worth it; returns how many games have ended.

        With STEP, the actions of all games are checked first. Raises `InternalFault`, `GameOver`, `IllegalAction`.
        """
        refused, faults, endings = self._runner.run(command, repeat)
        if refused >= 0:
            error = self._first_refusal(np.ones(self.num_games, np.bool_))
            assert error is not None, "the kernel has refused an action that is legal"
            raise error
        if faults:
            game = int(np.flatnonzero(self.states["fault"])[0])
            raise checks.internal_fault(self.game, game, self.states[game])
        if self.history is not None:
            self._add_to_history(self.history, command)
        return endings

    @writes
    def keep_history(self) -> None:
        """Keep the decisions of all games from now on, for agents whose beliefs rest on what the others have done.

        Raises `NotStarted`.
        """
        self._require_start()
        self.history = History(self.states)

    def _add_to_history(self, history: History, command: int) -> None:
        """Add what a command has done."""
        commands = self._command if command == advance.BY_GAME else np.full(self.num_games, command, np.int8)
        reported = np.isin(commands, (advance.STEP, advance.ANSWER)) & (len(self._mixture) == 0)
        history.add(np.where(reported, self._actions, NO_ACTION))
        began = (commands != advance.KEEP) & ~reported
        if self.autoreset:
            began |= self.terminated
        if began.any():
            history.begin(began, self.states)

    @writes
    def refresh(self, games: NDArray[np.intp] | None = None) -> None:
        """Bring all arrays of some games, int [n], or of all up to date with their records, after writing to them."""
        self._refresh(games)

    def _refresh(self, games: NDArray[np.intp] | None = None) -> None:
        if games is None:
            self._run(advance.REFRESH)
            return
        self._command.fill(advance.KEEP)
        self._command[games] = advance.REFRESH
        self._run(advance.BY_GAME)

    def _first_refusal(self, among: NDArray[np.bool_]) -> RfopError | None:
        """The error for actions that some games, bool [N], cannot carry out: the first of an ended game, or the first
        illegal; None if they can.
        """
        over = self.states["over"] != 0
        seats = self.current_player
        return checks.refusal(self.game, over, self._actions, self._mask, seats, self.autoreset, among)

    def _require_start(self) -> None:
        if not self._ready:
            raise NotStarted("no game has begun: call reset(seed) first")

    def _require_game(self, game: int) -> None:
        whole_number("game", game, 0, self.num_games - 1)

    # -- looking -------------------------------------------------------------------------------------------------------

    @reads
    def observe(self, seats: ArrayLike) -> NDArray[np.int8]:
        """The present view of a seat of each game ([N], or one for all): a new int8 [N, D]. Raises `BadActions`."""
        self._require_start()
        observation = np.zeros_like(self.observation)
        seat_numbers = checks.seats_of_games(seats, self.num_games, self.game.spec.players)
        self._kernels.observe(self.states, self.components.record, seat_numbers, observation)
        return observation

    def returns_so_far(self) -> NDArray[np.float32]:
        """The return that dense rewards have paid so far: a new float32 [N, P]; 0 for other rewards."""
        returns = np.zeros_like(self.rewards)
        for name, weight in self.weights.items():
            if self.game.reward(name)[1].dense:
                returns += self.game_returns(name, weight)
        return returns

    @property
    def return_bounds(self) -> tuple[float, float]:
        """The lowest and the highest return of a game, by the weights of the reward kinds."""
        return self.game.spec.return_bounds(self.weights.values())

    @reads
    def game_returns(self, reward: str, weight: float = 1.0) -> NDArray[np.float32]:
        """The return of a reward kind, as if the games ended now, times a weight: a new float32 [N, P].

        Raises `NotStarted`, `UnknownName`.
        """
        self._require_start()
        number, kind = self.game.reward(reward)
        returns = np.zeros_like(self.rewards)
        self._kernels.payoffs(self.states, self.components.record, number, float(kind.scale * weight), returns)
        return returns

    def own_rewards(self, rewards: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """The column of `rewards` (float32 [N, P], those of the last step by default) of each learner: a new [N].

        Raises `BadActions` for another shape.
        """
        values = self.rewards if rewards is None else to_array("rewards", rewards)
        if values.shape != self.rewards.shape:
            raise BadActions(f"rewards: expected shape {list(self.rewards.shape)}, found {list(values.shape)}")
        if self.game.spec.players == 1:
            return values[:, 0].copy()
        own: NDArray[np.float32] = values[np.arange(self.num_games), self.learner]
        return own

    # Looking at one game, below, raises `BadArgument` for a number that no game has, and `NotStarted`.

    def game_seed(self, game: int) -> tuple[int, int]:
        """(seed, episode) of a game: reset to the seed and play `episode` games to meet it again."""
        record = self.record(game)
        return int(record["seed"][0]) + (int(record["seed"][1]) << 32), int(record["episode"])

    def journal(self, game: int = 0) -> list[str]:
        """Sentences on what happened in a game since its last decision."""
        return self.game.presentation.journal(self.record(game), self.components)

    def record(self, game: int = 0) -> Any:
        """The state record of a game, with its fields as attributes; writing to it changes the game."""
        self._require_start()
        self._require_game(game)
        return self.states.view(np.recarray)[game]

    def problems(self, game: int = 0) -> list[str]:
        """Ways in which a game's position is faulty, a sentence each; always empty unless records were written to."""
        return record_problems(self.game, self.components, self.get_record(game), self._fresh_record())[0]

    def draw_text(self, game: int = 0) -> str:
        """The position of a game as text for a terminal."""
        return self.game.presentation.draw_text(self.record(game), self.components)

    def draw_svg(self, game: int = 0, previous: NDArray[Any] | None = None) -> str:
        """The position of a game as an SVG document; parts that legal actions point to carry them (`data-action`).

        What differs from `previous`, a record [1] as of `get_record`, is marked as the last move; by default, what has
        changed since the last decision.
        """
        record, old = self.record(game), None if previous is None else previous.view(np.recarray)[0]
        legal = np.flatnonzero(self._mask[game]).tolist()
        return self.game.presentation.draw_svg(record, self.components, legal=legal, previous=old)

    def _repr_svg_(self) -> str | None:
        """The position of a batch of one, which notebooks show; None for several games and before the first reset."""
        return self.draw_svg(0) if self.num_games == 1 and self._ready else None

    # -- positions from elsewhere --------------------------------------------------------------------------------------

    @reads
    def get_state(self) -> NDArray[Any]:
        """A copy of all records, structured [N], equal to the last byte."""
        copied: NDArray[Any] = self._copy_records(self.states)
        return copied

    @writes
    def set_state(self, states: NDArray[Any]) -> None:
        """Put records in, structured [N], and refresh all arrays; the learner of each has the seat of this batch.

        They may come from anywhere: each is checked in full first (`record_problems`), in about a millisecond a game;
        `copy_from` needs no check. An opponent whose decision it is takes it. Raises `BadActions` for another shape or
        dtype and `BadPosition` for a record that this batch cannot play on; then the batch is as it was.
        """
        if states.dtype != self.game.state or states.shape != (self.num_games,):
            raise BadActions(f"states: expected {self.num_games} records of {self.game.id}, found {states.shape}")
        self._restore(self._sound(states), np.arange(self.num_games))

    def _copy_records(self, states: Any) -> Any:
        """A copy of records [n], equal to the last byte: NumPy's own leaves those between aligned fields to chance."""
        copied = self._new_states(len(states))
        record_bytes(copied)[...] = record_bytes(states)
        return copied

    def _restore(self, states: Any, games: NDArray[np.intp]) -> None:
        """Put sound records into some games and refresh their arrays; `states` is changed."""
        self._seat_learner(states)
        record_bytes(self.states)[games] = record_bytes(states)
        self._ready = True
        self._refresh(games)

    def _seat_learner(self, states: Any) -> None:
        """Give the learner its seat in records; where seats are drawn it keeps its own, or has the next turn."""
        if len(self._mixture) == 0:
            states["learner"] = 0
        elif self._learner != advance.ANY_SEAT:
            states["learner"] = self._learner + 1
        else:
            states["learner"] = np.where(states["learner"] > 0, states["learner"], states["player"] + 1)

    def _sound(self, states: NDArray[Any]) -> Any:
        """A copy of records from outside, structured [n], once nothing is wrong with them; `BadPosition`."""
        copied = self._copy_records(states)
        for game, problems in enumerate(self._problems(copied)):
            if problems:
                remainder = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
                place = f" in record {game}" if len(copied) > 1 else ""
                raise BadPosition(f"a faulty position of {self.game.id}{place}: {'; '.join(problems[:3])}{remainder}")
        return copied

    def _problems(self, states: Any) -> list[list[str]]:
        """Reasons why this batch cannot play on from each of some records: lists of sentences."""
        problems = record_problems(self.game, self.components, states, self._fresh_record())
        if self.autoreset:
            for game in np.flatnonzero(states["over"]).tolist():
                problems[game].append("the game has ended, and a batch with autoreset has none: use autoreset=False")
        if any(problems):
            return problems

        # What the rules make of them: they must ask for something that can be done.
        trial = GameBatch(self.game, len(states), options=self.given_options, components=self.components)
        try:
            trial._restore(self._copy_records(states), np.arange(len(states)))
        except InternalFault:
            for game in np.flatnonzero(trial.states["fault"]).tolist():
                problems[game].append("the game runs but asks for nothing that can be done")
        return problems

    def _fresh_record(self) -> Any:
        """A record [1] right after a reset under the options of this batch."""
        if self._fresh is None:
            self._fresh = GameBatch(self.game, 1, 0, options=self.given_options, components=self.components).states
        return self._fresh

    @writes
    def copy_from(
        self,
        other: GameBatch,
        games: ArrayLike | None = None,
        into: ArrayLike | None = None,
        *,
        keep: Sequence[str] = (),
    ) -> None:
        """Copy games of another batch into this one: `games[k]` of `other` becomes game `into[k]` here; ints [n].

        None stands for all games in order. The learner keeps the seat that this batch gives it. `keep`: what games here
        keep of their own, some of "seed", "episode" and "learner", so that the next reset goes on from there. Raises
        `BadActions` for a batch of another game, of other options or of other components, and for games that are not
        there; `UnknownName`.
        """
        if not isinstance(other, GameBatch) or not self._plays_like(other):
            raise BadActions("copy_from: expected another batch of the same game, options and components")
        other._require_start()
        source, target = checks.games_to_copy(games, other.num_games, into, self.num_games, keep)
        if not self._ready and len(target) != self.num_games:
            raise NotStarted("copy_from: call reset(seed) first, or copy into every game")

        copied = self._gather(source) if other is self else other._gather_safely(source)
        for name in keep:
            copied[name] = self.states[name][target]
        self._restore(copied, target)

    def _gather(self, games: NDArray[np.intp]) -> Any:
        """A copy of the records of some games."""
        copied = self._new_states(len(games))
        record_bytes(copied)[...] = record_bytes(self.states)[games]
        return copied

    _gather_safely = reads(_gather)

    def _plays_like(self, other: GameBatch) -> bool:
        """True if a record of the other batch is a record of this one."""
        same_rules = self.game.rules == other.game.rules and self.game.id == other.game.id
        same_set = self.components.digest == other.components.digest
        return same_rules and same_set and bool((self.options == other.options).all())

    @reads
    def get_record(self, game: int = 0) -> NDArray[Any]:
        """A copy of one game's record, structured [1], equal to the last byte. Raises `NotStarted`, `BadArgument`."""
        self._require_start()
        self._require_game(game)
        copied: NDArray[Any] = self._copy_records(self.states[game : game + 1])
        return copied

    @writes
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

    @writes
    def determinize(self, seats: ArrayLike, keys: ArrayLike) -> None:
        """Draw anew, in every game, what its given seat cannot see and all future chance, from the keys.

        Seats and keys are integers [N], or one for all; keys count modulo 2**32. What the seat observes, and the mask
        when it decides, stay as they are. What is drawn follows from the key and from what the seat knows alone:
        nothing of the true deal is left in the record, neither its seed nor its streams.

        For the seat NOBODY (-1) only what no player can see is drawn anew: hands stay, and other luck is to come.
        """
        self._require_start()
        seat_numbers = checks.seats_of_games(seats, self.num_games, self.game.spec.players, NOBODY)
        numbers = np.array(np.broadcast_to(np.asarray(keys, np.int64) & WORD, self.num_games))
        self._kernels.determinize(self.states, self.components.record, seat_numbers, numbers)
        self._refresh()

    # -- copying -------------------------------------------------------------------------------------------------------

    def clone(self) -> Self:
        """An independent copy that goes on exactly as this one would; `copy.copy` and `copy.deepcopy` give the same."""
        copied = type(self).__new__(type(self))
        copied.__setstate__(self.__getstate__())
        return copied

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    @reads
    def __getstate__(self) -> dict[str, Any]:
        """The contents of a batch: attributes but for those that `_make_buffers` makes, and the records as bytes."""
        attributes = dict(vars(self))
        for name in ("states", "_kernels", "_runner", "_fresh", "action_mask", "users"):
            del attributes[name]
        return {"attributes": attributes, "records": record_bytes(self.states), "layout": _array_layout(self.game)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy of what `__getstate__` gave, in arrays of its own. Raises `VersionMismatch`."""
        game = state["attributes"]["game"]
        if state["layout"] != _array_layout(game):
            raise VersionMismatch(
                f"this batch was pickled when {game.id} had other state fields, actions or observations: unpickle it "
                f"with the package that pickled it, and take its games over as text (core.position.position_text)"
            )
        copied = aligned_copy if _shared(state["attributes"]["num_games"]) else partial(np.array, order="C")
        for name, value in state["attributes"].items():
            if isinstance(value, np.ndarray):
                value = copied(value)
            self.__dict__[name] = value.copy() if isinstance(value, dict | History) else value
        self.states = self._new_states(self.num_games)
        record_bytes(self.states)[...] = state["records"]
        self._make_buffers()


def _shared(games: int) -> bool:
    """Whether so many games are enough for two threads."""
    return games >= 2 * PIECE


def _array_layout(game: Game) -> tuple[object, ...]:
    """The parts of a game that determine the shapes of a batch's arrays."""
    return game.state, game.actions.size, game.observation.size, game.spec.players
