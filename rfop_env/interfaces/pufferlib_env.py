"""Many one-seat games as a native environment of PufferLib: the rules write into its buffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from rfop_env.core import errors
from rfop_env.core.arguments import to_array, whole_number
from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.errors import extra
from rfop_env.core.game import Game
from rfop_env.interfaces import common
from rfop_env.interfaces.setup import BATCH, Setup

with extra("pufferlib", __name__, "pufferlib"):
    import pufferlib
    import pufferlib.emulation

SETUP = (*BATCH, "on_illegal", "mask_in_observation")
BUFFERS = ("observations", "rewards", "terminals", "truncations", "masks", "actions")


class GamePufferEnv(common.Environment, pufferlib.PufferEnv):  # type: ignore[misc]  # untyped base
    """`num_games` games of one seat; a game that ends starts anew in the same step, as PufferLib wants it.

    **Observation** `Box` int8 [A + D]: a row holds the mask and the observation of `GameEnv`, in the layout that
    PufferLib's emulation gives its Dict. `env.emulated` describes it, as for emulated environments, and
    `split(observations)` takes rows apart without a copy. With `mask_in_observation=False` it is the plain `Box`
    int8 [D], and the mask is in `action_masks()`. (PufferLib's own `masks` say which agents live: always all.)

    **Infos**: one for each game that has ended, with `episode_return`, `episode_length` and `illegal` (1.0 if an
    illegal action ended it, else 0.0), which PufferLib averages.

    **Buffers**: `buf`, as its vectorisation hands them over, also in shared memory. The rules write observations and
    masks there themselves: nothing is copied.

    **Seeds**: games of different seeds differ, also those of neighbouring seeds, which PufferLib gives its workers.

    **Arguments**: those of `interfaces.setup.Setup` but `journal` and `render_mode`; `seed` is for the first reset.
    Raises as `GameEnv`, and `BadArgument` for buffers of another shape or dtype.
    """

    # It is called with `buf` and `seed` by name.
    def __init__(
        self,
        game: str | Game,
        num_games: int = 256,
        *,
        buf: dict[str, NDArray[Any]] | None = None,
        seed: int | None = 0,
        **arguments: Any,
    ) -> None:
        self.num_agents = whole_number("num_games", num_games, 1)
        self._seed = None if seed is None else int(parse_seeds(seed, 1)[0])
        self._set_up(Setup.read(game, arguments, SETUP, ("buf", "seed")), self.num_agents, autoreset=True)

        # Spaces and buffers.
        space = common.observation_space(self.game, self._with_mask)
        self.single_observation_space, self._row = pufferlib.emulation.emulate_observation_space(space)
        self.single_action_space = spaces.Discrete(self.game.actions.size)
        super().__init__(_check_buffers(buf, (self.num_agents, *self.single_observation_space.shape)))
        self._attach()

        # Episode statistics.
        self._returns = np.zeros(self.num_agents, np.float64)
        self._lengths = np.zeros(self.num_agents, np.int64)

    @property
    def emulated(self) -> Any:
        """The layout of an observation, as PufferLib's emulation describes it; False for a plain one."""
        if not self._with_mask:
            return False
        return {"observation_dtype": self.single_observation_space.dtype, "emulated_observation_dtype": self._row}

    def _attach(self) -> None:
        """Have the rules write into the buffers of PufferLib."""
        if self._with_mask:
            observation, mask = self.split(self.observations)
            self.batch.write_into({"observation": observation, "action_mask": mask})
        else:
            self.batch.write_into({"observation": self.observations})

    def split(self, observations: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """The observations, int8 [N, D], and the masks, bool [N, A], of rows int8 [N, A + D]: views of them."""
        parts = observations.view(self._row)
        return parts["observation"][:, 0], parts["action_mask"][:, 0].view(np.bool_)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy, in buffers of its own."""
        self.__dict__.update(state)
        for name in BUFFERS:
            setattr(self, name, np.array(getattr(self, name)))
        self._attach()

    def reset(self, seed: int | None = None) -> tuple[NDArray[np.int8], list[dict[str, float]]]:
        """Start all games; returns observations and no infos. Without a seed the first reset takes that of the maker,
        and later ones begin the next games of the seed in force. Raises `BadSeed`.
        """
        if seed is None and not self._ready:
            seed = self._seed
        self.batch.reset(self._seeds(seed))
        self._ready = True
        for array in (self._returns, self._lengths, self.rewards, self.terminals, self.truncations):
            array[:] = 0
        self.masks[:] = True
        return self.observations, []

    def _seeds(self, seed: int | None) -> list[int] | None:
        """The seeds of all games from one; of a random one before the first reset; None for the next games."""
        if seed is None and self._ready:
            return None
        entropy = None if seed is None else int(parse_seeds(seed, 1)[0])
        return [int(x) for x in np.random.SeedSequence(entropy).generate_state(self.num_agents, np.uint64)]

    def step(self, actions: ArrayLike) -> tuple[Any, ...]:
        """Step all games with integers [N]: observations, rewards, terminals, truncations (the buffers) and infos.

        Raises `NotStarted`, `BadActions`, and `IllegalAction` with "raise".
        """
        self._require_start()
        rewards, terminated, forfeited = common.step_games(self.batch, to_array("actions", actions), self.on_illegal)
        self.rewards[:], self.terminals[:] = rewards, terminated

        # Count and report the games that have ended.
        self._returns += self.rewards
        self._lengths += 1
        games = np.flatnonzero(self.terminals)
        infos = self._end(games, forfeited) if len(games) else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _end(self, games: NDArray[np.intp], forfeited: NDArray[np.bool_]) -> list[dict[str, float]]:
        """The infos of the games that have just ended."""
        infos = [
            {
                "episode_return": float(self._returns[i]),
                "episode_length": float(self._lengths[i]),
                "illegal": float(forfeited[i]),
            }
            for i in games
        ]
        self._returns[games] = 0
        self._lengths[games] = 0
        return infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool [N, A], in a fresh array. Raises `NotStarted`."""
        self._require_start()
        return self.batch.action_mask.copy()

    def notify(self) -> None:
        """Does nothing: PufferLib's workers call it on request."""

    def close(self) -> None:
        """Does nothing: there are no resources to release."""


def _check_buffers(buf: Any, shape: tuple[int, ...]) -> Any:
    """Buffers for so many games and such observations, or None for new ones; `BadArgument`."""
    if buf is None:
        return None
    lacking = [name for name in BUFFERS if not isinstance(buf, Mapping) or name not in buf]
    if lacking:
        raise errors.BadArgument(f"buf: expected PufferLib's buffers by name, found none called {' or '.join(lacking)}")

    expected: dict[str, tuple[tuple[int, ...], type]] = {
        "observations": (shape, np.int8),
        "rewards": (shape[:1], np.float32),
    }
    expected |= dict.fromkeys(("terminals", "truncations", "masks"), (shape[:1], np.bool_))
    for name, (size, dtype) in expected.items():
        if not isinstance(buf[name], np.ndarray) or (buf[name].shape, buf[name].dtype) != (size, dtype):
            raise errors.BadArgument(
                f"buf: {name}: expected {np.dtype(dtype)} {list(size)}, found {errors.shown(buf[name])}"
            )
    return buf
