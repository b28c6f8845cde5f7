"""Many games of one kind on a graphics card: the batch of `make_batch(..., device="cuda")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rfop_env.core import batch_arguments as checks
from rfop_env.core.advance import BY_GAME, CHECK, KEEP, RANDOM, REFRESH, RESET, STEP, Arrays
from rfop_env.core.arguments import whole_number
from rfop_env.core.batch import MOST_REPEATS, GameBatch
from rfop_env.core.cuda import device
from rfop_env.core.cuda.kernels import ENDED, FAULT, NEXT_EPISODE, REFUSED, SEED
from rfop_env.core.cuda.programs import DeviceKernels
from rfop_env.core.decisions import NOBODY
from rfop_env.core.errors import BadActions, CannotPickle, NotStarted
from rfop_env.core.game import Game
from rfop_env.core.output_arrays import output_shapes
from rfop_env.core.random_stream import WORD
from rfop_env.core.record import record_bytes
from rfop_env.core.team import writes


class CudaBatch:
    """`num_games` games side by side on a graphics card, in arrays there that the next call overwrites.

    Arguments, seeds, games and arrays are those of `GameBatch`: the same loop plays the same rules, so that every game
    is the same, action for action. The arrays lie on the card. Whatever knows `__cuda_array_interface__` shares their
    memory: `torch.as_tensor(batch.observation, device="cuda")`, `cupy.asarray`; `copy_to_host()` makes a NumPy array.
    Three things are different:

    * `states` is uint8 [N, B], the bytes of the records; `get_state` and `get_record` give records.
    * Writing to `action_mask` changes nothing that is played: it is a copy of what is legal.
    * A dense reward can differ from the processor's in its last bit.

    All is done in the order of calls, on the default stream of the card, which PyTorch uses as well. What looks at
    single games is on the processor: `on_processor([0, 7]).draw_text(1)`.

    Raises what `GameBatch` raises, and `BadArgument` for more games than the card's memory holds. `make_batch` says
    what is missing where there is no card.
    """

    states: Any  # uint8 [N, B]
    observation: Any  # int8 [N, D]
    final_observation: Any  # int8 [N, D]
    action_mask: Any  # bool [N, A]
    current_player: Any  # int32 [N]
    learner: Any  # int32 [N]
    rewards: Any  # float32 [N, P]
    terminated: Any  # bool [N]
    truncated: Any  # bool [N]
    end_reason: Any  # int32 [N]

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
    ):
        # A batch of one on the processor checks the arguments, and records that come from outside.
        self._make_host = partial(
            GameBatch, options=options, reward=reward, opponent=opponent, seat=seat, autoreset=autoreset
        )
        self._host = self._make_host(game, 1, components=components)
        self.game = self._host.game
        self.num_games = checks.number_of_games(self.game, num_games, device.free_memory(), "the graphics card")
        self.components = self._host.components
        self.options = self._host.options
        self.given_options = self._host.given_options
        self.reward = self._host.reward
        self.opponent = self._host.opponent
        self.autoreset = self._host.autoreset
        self._kernels = DeviceKernels.of(self.game)
        self._kernels.prepare("advance")  # compiled now, not in the first step
        self._ready = False

        # The public arrays, and the mask that actions are checked against.
        for name, (shape, dtype) in output_shapes(self.game, self.num_games).items():
            setattr(self, name, device.on_device(np.zeros(shape, dtype)))
        self.states = device.on_device(np.zeros((self.num_games, self.game.state.itemsize), np.uint8))
        self._mask = device.on_device(np.zeros((self.num_games, self.game.actions.size), np.bool_))
        opponents = np.zeros(self.num_games, np.int8)
        opponents[:] = checks.usual_opponents(self._host._mixture, self.num_games)
        self._opponents = device.on_device(opponents)

        self._make_buffers()
        if seed is not None:
            self.reset(seed)

    def _make_buffers(self) -> None:
        """Make what every copy has for itself."""
        self.users = 0  # calls that look at it now, or `WRITER`
        host = self._host._runner.arrays
        self._actions = device.on_device(np.zeros(self.num_games, np.int64))
        self._commands = device.on_device(np.zeros(self.num_games, np.int8))
        self._seeds = device.on_device(np.zeros((self.num_games, 2), np.int64))
        self._all_step = np.full(self.num_games, STEP, np.int8)
        self._empty_report = np.array([self.num_games, self.num_games, 0], np.int64)
        self._report = device.on_device(self._empty_report)

        self._arrays = Arrays(
            self._records(self.states),
            self._records(device.on_device(record_bytes(host.components)), host.components.dtype),
            device.on_device(host.options),
            self._records(device.on_device(record_bytes(host.blank))),
            device.on_device(host.settings),
            device.on_device(host.mixture),
            device.on_device(host.kinds),
            device.on_device(host.scales),
            self._opponents,
            self._commands,
            self._actions,
            self.observation,
            self._mask,
            self.final_observation,
            self.current_player,
            self.learner,
            self.rewards,
            self.terminated,
            self.end_reason,
            self.action_mask,
        )
        self._addresses = device.addresses_on_device(self._arrays)

    def _records(self, rows: Any, dtype: np.dtype[Any] | None = None) -> Any:
        """Rows of bytes as the kernel finds records: the simulator's plain Python names fields as attributes."""
        if not device.simulated():
            return rows
        return np.asarray(rows).view(self.game.state if dtype is None else dtype).view(np.recarray)[:, 0]

    # -- playing -------------------------------------------------------------------------------------------------------

    @writes
    def reset(self, seed: int | Sequence[int] | None = None, *, only: ArrayLike | None = None) -> None:
        """Start new games, as `GameBatch.reset`; `only`: bool [N], on the processor. The same errors."""
        selected = checks.some_games(_on_processor(only), self.num_games)
        if not self._ready and not selected.all():
            raise NotStarted("the first reset starts every game: call reset(seed) before reset(only=...)")

        # Write the seed and the episode into the records: all else follows from them.
        seeded = seed is not None or not self._ready
        if seeded:
            seeds = checks.parse_seeds(0 if seed is None else seed, self.num_games)
            words = np.stack([seeds & np.uint64(WORD), seeds >> np.uint64(32)], axis=1).astype(np.int64)
            self._seeds.copy_to_device(np.ascontiguousarray(words))
        self._commands.copy_to_device(np.where(selected, RESET, KEEP).astype(np.int8))
        self._run(SEED if seeded else NEXT_EPISODE, BY_GAME)
        self._ready = True

    @writes
    def step(self, actions: ArrayLike | Any, *, restart: ArrayLike | Any | None = None) -> None:
        """Carry out one action in every game: int64 [N] on the card, or integers [N] on the processor.

        `NO_ACTION` (-1) where a game has ended. `restart`: bool [N], games that begin anew instead, whatever their
        action. Raises `BadActions`, `GameOver`, `IllegalAction`; then no game has moved.
        """
        self._require_start()
        self._actions.copy_to_device(self._checked_actions(actions))
        if restart is None:
            self._commands.copy_to_device(self._all_step)
            self._run(CHECK, STEP)
            return
        restarted = checks.some_games(_on_processor(restart), self.num_games, "restart")
        self._commands.copy_to_device(np.where(restarted, RESET, STEP).astype(np.int8))
        self._run(CHECK, NEXT_EPISODE, BY_GAME, among=~restarted)

    def _checked_actions(self, actions: Any) -> Any:
        """Actions as they are copied: of the right shape and dtype. `BadActions`."""
        if not device.is_on_device(actions):
            return np.ascontiguousarray(checks.action_ids(actions, self.num_games), np.int64)
        view = device.as_device_array(actions)
        if view.shape != (self.num_games,):
            raise BadActions(f"actions: expected shape [{self.num_games}], found {list(view.shape)}")
        if view.dtype != np.int64 or not view.is_c_contiguous():
            raise BadActions(
                f"actions: expected int64 side by side, found {view.dtype} with strides {view.strides}; "
                f"use actions.long().contiguous()"
            )
        return view

    @writes
    def step_random(self, repeat: int = 1) -> None:
        """Take `repeat` uniformly random legal decisions in every game (stream `POLICY` of each record).

        `repeat`: 1 to `MOST_REPEATS`. Raises `NotStarted`, `BadArgument`.
        """
        self._require_start()
        self._run(RANDOM, repeat=whole_number("repeat", repeat, 1, MOST_REPEATS))

    def _run(self, *commands: int, repeat: int = 1, among: NDArray[np.bool_] | None = None) -> int:
        """Carry out commands for every game, one after the other; returns how many games have ended.

        Raises `InternalFault`, and where a CHECK finds something `among` some games, [N], or all, what `refusal` makes
        of it.
        """
        advance = self._kernels.prepare("advance")
        self._report.copy_to_device(self._empty_report)
        for command in commands:
            advance(self.num_games, self._addresses, self._report, self._seeds, command, repeat)

        # This waits until all is done.
        report = self._report.copy_to_host()
        if report[REFUSED] < self.num_games:
            mask = self._mask.copy_to_host()
            actions, seats = self._actions.copy_to_host(), self.current_player.copy_to_host()
            checked = np.ones(self.num_games, np.bool_) if among is None else among
            error = checks.refusal(self.game, ~mask.any(axis=1), actions, mask, seats, self.autoreset, checked)
            assert error is not None, "the kernel has refused an action that is legal"
            raise error
        if report[FAULT] < self.num_games:
            number = int(report[FAULT])
            raise checks.internal_fault(self.game, number, self.get_record(number)[0])
        return int(report[ENDED])

    def _require_start(self) -> None:
        if not self._ready:
            raise NotStarted("no game has begun: call reset(seed) first")

    # -- looking -------------------------------------------------------------------------------------------------------

    def observe(self, seats: ArrayLike | Any) -> Any:
        """The present view of a seat of each game ([N], or one for all): a new int8 [N, D]. Raises `BadActions`."""
        self._require_start()
        seat_numbers = device.on_device(
            checks.seats_of_games(_on_processor(seats), self.num_games, self.game.spec.players)
        )
        observation = device.on_device(np.zeros((self.num_games, self.game.observation.size), np.int8))
        self._kernels.prepare("observe")(self.num_games, self._addresses, seat_numbers, observation)
        return observation

    def game_returns(self, reward: str, weight: float = 1.0) -> Any:
        """The return of a reward kind, as if the games ended now, times a weight: a new float32 [N, P].

        Raises `NotStarted`, `UnknownName`.
        """
        self._require_start()
        number, kind = self.game.reward(reward)
        scale = device.on_device(np.array([kind.scale * weight], np.float64))
        returns = device.on_device(np.zeros((self.num_games, self.game.spec.players), np.float32))
        self._kernels.prepare("payoffs")(self.num_games, self._addresses, scale, returns, number)
        return returns

    # -- positions -----------------------------------------------------------------------------------------------------

    def get_state(self) -> NDArray[Any]:
        """A copy of all records on the processor, structured [N], equal to the last byte."""
        return self._as_records(self.states.copy_to_host())

    def get_record(self, game: int = 0) -> NDArray[Any]:
        """A copy of one game's record on the processor, structured [1]. Raises `NotStarted`, `BadArgument`."""
        self._require_start()
        whole_number("game", game, 0, self.num_games - 1)
        return self._as_records(self.states[game : game + 1].copy_to_host())

    def _as_records(self, rows: NDArray[np.uint8]) -> NDArray[Any]:
        return np.ascontiguousarray(rows).view(self.game.state)[:, 0]

    @writes
    def set_state(self, states: NDArray[Any]) -> None:
        """Put records of the processor in, structured [N], and refresh all arrays, as `GameBatch.set_state`.

        Each is checked in full first, on the processor, in about a millisecond a game. The same errors.
        """
        if states.dtype != self.game.state or states.shape != (self.num_games,):
            raise BadActions(f"states: expected {self.num_games} records of {self.game.id}, found {states.shape}")
        sound = self._host._sound(states)
        self._host._seat_learner(sound)
        self.states.copy_to_device(record_bytes(sound))
        self._ready = True
        self._run(REFRESH)

    @writes
    def put_record(self, game: int, states: NDArray[Any]) -> None:
        """Put one record, structured [1], into a game, as `set_state` does; the other games stay as they are.

        Raises `BadActions`, `BadPosition`, `BadArgument`, `NotStarted`.
        """
        if states.dtype != self.game.state or states.shape != (1,):
            raise BadActions(f"states: expected 1 record of {self.game.id}, found {list(states.shape)} {states.dtype}")
        self._require_start()
        whole_number("game", game, 0, self.num_games - 1)
        sound = self._host._sound(states)
        self._host._seat_learner(sound)
        self.states[game : game + 1].copy_to_device(record_bytes(sound))
        self._refresh(np.array([game]))

    @writes
    def refresh(self, games: NDArray[np.intp] | None = None) -> None:
        """Bring all arrays of some games, int [n], or of all up to date with their records, after writing to them."""
        self._refresh(games)

    def _refresh(self, games: NDArray[np.intp] | None = None) -> None:
        commands = np.full(self.num_games, REFRESH if games is None else KEEP, np.int8)
        if games is not None:
            commands[games] = REFRESH
        self._commands.copy_to_device(commands)
        self._run(BY_GAME)

    @writes
    def determinize(self, seats: ArrayLike | Any, keys: ArrayLike | Any) -> None:
        """Draw anew, in every game, what its given seat cannot see, as `GameBatch.determinize`.

        Seats and keys: integers [N], or one for all.
        """
        self._require_start()
        seat_numbers = checks.seats_of_games(_on_processor(seats), self.num_games, self.game.spec.players, NOBODY)
        numbers = np.array(np.broadcast_to(np.asarray(_on_processor(keys), np.int64) & WORD, self.num_games))
        self._kernels.prepare("determinize")(
            self.num_games, self._addresses, device.on_device(seat_numbers), device.on_device(numbers)
        )
        self._run(REFRESH)

    @writes
    def copy_from(
        self,
        other: CudaBatch,
        games: ArrayLike | None = None,
        into: ArrayLike | None = None,
        *,
        keep: Sequence[str] = (),
    ) -> None:
        """Copy games of another batch on the card into this one, as `GameBatch.copy_from`. The same errors."""
        if not isinstance(other, CudaBatch) or not self._host._plays_like(other._host):
            raise BadActions("copy_from: expected another batch on the card of the same game, options and components")
        other._require_start()
        source, target = checks.games_to_copy(games, other.num_games, into, self.num_games, keep)
        if not self._ready and len(target) != self.num_games:
            raise NotStarted("copy_from: call reset(seed) first, or copy into every game")

        # By a copy in between: the two batches may be one.
        fields: Mapping[str, Any] = self.game.state.fields or {}
        copied_bytes = np.ones(self.game.state.itemsize, np.uint8)
        for name in keep:
            dtype, start = fields[name][:2]
            copied_bytes[start : start + dtype.itemsize] = 0
        numbers, places = (
            device.on_device(games_here.astype(np.int64)) for games_here in (np.arange(len(target)), target)
        )
        self._kernels.copy(other._gathered(source), self.states, numbers, places, device.on_device(copied_bytes))
        self._kernels.prepare("seat")(len(target), self._addresses, places)
        self._ready = True
        self._refresh(target)

    def _gathered(self, games: NDArray[np.intp]) -> Any:
        """The records of some games side by side on the card: uint8 [n, B]."""
        rows = device.on_device(np.zeros((len(games), self.game.state.itemsize), np.uint8))
        everything = device.on_device(np.ones(self.game.state.itemsize, np.uint8))
        numbers, places = (
            device.on_device(numbers_here.astype(np.int64)) for numbers_here in (games, np.arange(len(games)))
        )
        self._kernels.copy(self.states, rows, numbers, places, everything)
        return rows

    def on_processor(self, games: Sequence[int] | None = None) -> GameBatch:
        """Some games by number, or all, as a batch of the processor: to look at them, or to play on there.

        Observations and masks are those of the card; `rewards`, `terminated` and `learner` of the last step are not
        part of a game. Raises `NotStarted`, `BadArgument` for a number that no game has and for no games.
        """
        self._require_start()
        opponents = self._opponents.copy_to_host()
        if games is None:
            rows = self.states.copy_to_host()
        else:
            numbers = [whole_number("game", game, 0, self.num_games - 1) for game in games]
            rows, opponents = self._gathered(np.array(numbers, np.intp)).copy_to_host(), opponents[numbers]

        batch = self._make_host(self.game, len(rows), components=self.components)
        batch._opponents[:] = opponents
        batch._restore(self._as_records(rows), np.arange(len(rows)))
        return batch

    def clone(self) -> CudaBatch:
        """An independent copy on the card that goes on exactly as this one would."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        for name in ("states", "_mask", "_opponents", *output_shapes(self.game, self.num_games)):
            setattr(copied, name, device.copy_on_device(getattr(self, name)))
        copied._make_buffers()
        return copied

    def __copy__(self) -> CudaBatch:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> CudaBatch:
        return self.clone()

    def __reduce__(self) -> NoReturn:
        raise CannotPickle("a batch on a graphics card cannot be pickled: pickle what get_state() gives")


def _on_processor(array: Any) -> Any:
    """Arguments of a call, of which there are few, as the checks of `batch_arguments` take them."""
    return device.as_device_array(array).copy_to_host() if device.is_on_device(array) else array
