"""Many one-seat games as a batched environment of TorchRL: one compiled call steps them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.arguments import keywords, whole_number
from rfop_env.core.batch_arguments import RANDOM_SEAT, RewardArgument, seeds_of
from rfop_env.core.errors import extra
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.interfaces.common import ON_ILLEGAL, Environment, one_of, one_seat, step_or_forfeit
from rfop_env.opponents import OpponentArgument, new_batch

with extra("torchrl", __name__, "tensordict", "torch", "torchrl"):
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase


class GameTorchEnv(Environment, EnvBase):  # type: ignore[misc]  # untyped base
    """`num_games` games of one seat, with batch size [N].

    **Keys** `observation` int8 [N, D] and `action_mask` bool [N, A], which `MaskedCategorical` and `rand_action` take;
    `action` int64 [N]; `reward` float32 [N, 1]; `done` and `terminated` bool [N, 1], always equal.

    **Resets**: a game that has ended stays as it is, whatever its action, and gives reward 0, until TorchRL resets it:
    `rollout(..., break_when_any_done=False)` and collectors do. Its mask is all true, since a distribution over no
    action cannot be sampled.

    **Seeds**: after `set_seed(seed)` the next reset gives game i seed + i; later ones begin the next games of the seeds
    in force. Without it the first seed is drawn by torch, so that `torch.manual_seed` decides it.

    Arguments: as for `GameEnv` (without `journal`, `render_mode` and `mask_in_observation`), and `num_games`,
    `threads`, and `device`, where tensors are put; the games are played by the processor.
    """

    def __init__(
        self,
        game: str | Game,
        num_games: int = 1,
        *,
        device: Any = None,
        components: Any = None,
        reward: RewardArgument = None,
        on_illegal: str = "lose",
        threads: int = 1,
        opponent: OpponentArgument = None,
        seat: int | str = RANDOM_SEAT,
        **options: Any,
    ) -> None:
        # What is played.
        n = whole_number("num_games", num_games, 1)
        known = one_seat(game, opponent)
        known.require_options(options, keywords(GameTorchEnv))
        batch = new_batch(
            known, n, options=options, components=components, reward=reward,
            opponent=opponent, seat=seat, threads=threads,
        )  # fmt: skip

        super().__init__(device=device, batch_size=[n])
        self.batch = batch
        self.on_illegal = one_of("on_illegal", on_illegal, ON_ILLEGAL)
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
        lowest, highest = min(0.0, batch.return_bounds[0]), max(0.0, batch.return_bounds[1])
        self.reward_spec = (
            Unbounded((n, 1)) if batch.reward.dense else Bounded(lowest, highest, (n, 1), dtype=torch.float32)
        )
        self.done_spec = Composite(done=flag, terminated=flag.clone(), shape=(n,))

    def _set_seed(self, seed: int | None) -> None:
        """Keep the seed for the next reset."""
        self._seed = None if seed is None else int(seeds_of(seed, 1)[0])

    def _reset(
        self, tensordict: TensorDictBase | None = None, *, options: Mapping[str, object] | None = None, **_: Any
    ) -> TensorDictBase:
        """Start all games, or those of the key `_reset`; `options`: as for `GameBatch.reset`."""
        only = None
        if tensordict is not None and "_reset" in tensordict:
            only = tensordict["_reset"].reshape(-1).cpu().numpy()

        seed, self._seed = self._seed, None
        if seed is None and not self._started:
            seed = int(torch.empty((), dtype=torch.int64).random_())
        self.batch.reset(seed, only=only, options=options)
        self._started = True
        return self._outcome()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Step all games that have not ended. Raises `NotStarted`, `BadActions`, and `IllegalAction` with "raise"."""
        self._require_start()
        ended = self._ended()
        actions = np.where(ended, NO_ACTION, tensordict["action"].cpu().numpy())
        forfeits = step_or_forfeit(self.batch, actions, self.on_illegal)
        rewards = self.batch.own_rewards()
        if forfeits is not None:
            lost, due = forfeits
            rewards[lost] = due[lost]
        return self._outcome().set("reward", torch.from_numpy(rewards).unsqueeze(-1))

    def _ended(self) -> NDArray[np.bool_]:
        ended: NDArray[np.bool_] = self.batch.states["over"] != 0
        return ended

    def _outcome(self) -> TensorDictBase:
        """What all games show, in fresh tensors, on the environment's device."""
        ended = torch.from_numpy(self._ended()).unsqueeze(-1)
        mask = torch.from_numpy(self.batch.action_mask.copy()) | ended
        self.action_spec.update_mask(mask.to(self.device))
        seen = torch.from_numpy(self.batch.observation.copy())
        return TensorDict(
            {"observation": seen, "action_mask": mask, "done": ended, "terminated": ended.clone()},
            self.batch_size,
            device=self.device,
        )
