"""Many one-seat games as a batched environment of TorchRL: one compiled call steps them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.arguments import whole_number
from rfop_env.core.batch_arguments import parse_seeds
from rfop_env.core.errors import extra
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.interfaces import common
from rfop_env.interfaces.setup import BATCH, Setup

with extra("torchrl", __name__, "tensordict", "torch", "torchrl"):
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase


class GameTorchEnv(common.Environment, EnvBase):  # type: ignore[misc]  # untyped base
    """`num_games` games of one seat, with batch size [N].

    **Keys** `observation` int8 [N, D] and `action_mask` bool [N, A], which `MaskedCategorical` and `rand_action` take;
    `action` int64 [N]; `reward` float32 [N, 1]; `done` and `terminated` bool [N, 1], always equal.

    **Resets**: a game that has ended stays as it is, whatever its action, and gives reward 0, until TorchRL resets it:
    `rollout(..., break_when_any_done=False)` and collectors do. Its mask is all true, since a distribution over no
    action cannot be sampled.

    **Seeds**: after `set_seed(seed)` the next reset gives game i seed + i; later ones begin the next games of the seeds
    in force. Without it the first seed is drawn by torch, so that `torch.manual_seed` decides it.

    **Arguments**: those of `interfaces.setup.Setup` but `journal`, `render_mode` and `mask_in_observation`; `device` is
    where tensors are put; the games are played by the processor.
    """

    def __init__(self, game: str | Game, num_games: int = 1, *, device: Any = None, **arguments: Any) -> None:
        n = whole_number("num_games", num_games, 1)
        setup = Setup.read(game, arguments, (*BATCH, "on_illegal"), ("device",))
        super().__init__(device=device, batch_size=[n])
        self._set_up(setup, n)
        self._seed: int | None = None  # of the next reset

        # Specs.
        layout, actions = self.game.observation, self.game.actions.size
        low, high = (torch.from_numpy(np.tile(bound.astype(np.int8), (n, 1))) for bound in (layout.low, layout.high))
        flag = Binary(1, (n, 1), dtype=torch.bool)
        self.observation_spec = Composite(
            observation=Bounded(low, high, dtype=torch.int8),
            action_mask=Binary(actions, (n, actions), dtype=torch.bool),
            shape=(n,),
        )
        self.action_spec = Categorical(actions, shape=(n,), dtype=torch.int64)
        lowest, highest = self.batch.return_bounds
        if self.batch.reward.dense:
            self.reward_spec = Unbounded((n, 1))
        else:
            self.reward_spec = Bounded(min(0.0, lowest), max(0.0, highest), (n, 1), dtype=torch.float32)
        self.done_spec = Composite(done=flag, terminated=flag.clone(), shape=(n,))

    def _set_seed(self, seed: int | None) -> None:
        """Store the seed for the next reset."""
        self._seed = None if seed is None else int(parse_seeds(seed, 1)[0])

    def _reset(
        self, tensordict: TensorDictBase | None = None, *, options: Mapping[str, object] | None = None, **_: Any
    ) -> TensorDictBase:
        """Start all games, or those of the key `_reset`; `options`: as for `GameBatch.reset`."""
        games = None
        if tensordict is not None and "_reset" in tensordict:
            games = tensordict["_reset"].reshape(-1).cpu().numpy()

        seed, self._seed = self._seed, None
        if seed is None and not self._ready:
            seed = int(torch.empty((), dtype=torch.int64).random_())
        self.batch.reset(seed, only=games, options=options)
        self._ready = True
        return self._outcome()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Step all games that have not ended. Raises `NotStarted`, `BadActions`, and `IllegalAction` with "raise"."""
        self._require_start()
        actions = np.where(self._over(), NO_ACTION, tensordict["action"].cpu().numpy())
        rewards, _, _ = common.step_games(self.batch, actions, self.on_illegal)
        return self._outcome().set("reward", torch.from_numpy(rewards).unsqueeze(-1))

    def _over(self) -> NDArray[np.bool_]:
        over: NDArray[np.bool_] = self.batch.states["over"] != 0
        return over

    def _outcome(self) -> TensorDictBase:
        """Observations, masks and ends of all games, in fresh tensors, on the environment's device."""
        over = torch.from_numpy(self._over()).unsqueeze(-1)
        mask = torch.from_numpy(self.batch.action_mask.copy()) | over
        self.action_spec.update_mask(mask.to(self.device))
        observation = torch.from_numpy(self.batch.observation.copy())
        return TensorDict(
            {"observation": observation, "action_mask": mask, "done": over, "terminated": over.clone()},
            self.batch_size,
            device=self.device,
        )
