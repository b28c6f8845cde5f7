"""A policy module for RLlib's PPO that gives illegal actions probability 0."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from rfop_env.core.errors import extra

with extra("ray", __name__, "ray", "torch"):
    import torch
    from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
    from ray.rllib.core.columns import Columns

PARTS = {"observation", "action_mask"}
ILLEGAL = -1e9  # the logit of an illegal action: its probability is exactly 0, and no sum of such logits is infinite


class MaskedModule(DefaultPPOTorchRLModule):  # type: ignore[misc]  # untyped base
    """RLlib's default networks for PPO on observations `{"observation": int8 [D], "action_mask": int8 [A]}`.

    The networks get the observation alone, each entry scaled by its declared range into [-1, 1]. `model_config` is
    RLlib's own (`DefaultModelConfig`: `fcnet_hiddens`, `fcnet_activation`, `vf_share_layers`, ...). Logits of illegal
    actions are `ILLEGAL`, in sampling and in the update. Raises `ValueError` for another observation space.
    """

    def __init__(self, *, observation_space: gymnasium.Space[Any] | None = None, **settings: Any):
        if not isinstance(observation_space, gymnasium.spaces.Dict) or {*observation_space} != PARTS:
            raise ValueError(
                "MaskedModule: the observation space is a Dict of 'observation' and 'action_mask': leave "
                f"mask_in_observation=True, and put no connector that flattens before it; found {observation_space}"
            )
        self._whole_space = observation_space
        self._box: Any = observation_space["observation"]
        super().__init__(observation_space=self._box, **settings)

    def setup(self) -> None:
        """Build the networks, of which the first layer is given the scaled observation."""
        super().setup()
        box = self._box
        self.observation_space = self._whole_space
        reach = np.maximum(np.abs(box.low.astype(np.float32)), np.abs(box.high.astype(np.float32)))
        self.register_buffer("scale", torch.from_numpy(1.0 / np.maximum(reach, 1.0)))

    def _split(self, batch: dict[str, Any]) -> tuple[dict[str, Any], torch.Tensor]:
        """The batch with the scaled observation alone, float32 [n, D], and the mask, bool [n, A]."""
        parts = batch[Columns.OBS]
        return {**batch, Columns.OBS: parts["observation"] * self.scale}, parts["action_mask"].bool()

    @staticmethod
    def _masked(output: dict[str, Any], mask: torch.Tensor) -> dict[str, Any]:
        logits = output[Columns.ACTION_DIST_INPUTS]
        return {**output, Columns.ACTION_DIST_INPUTS: torch.where(mask, logits, ILLEGAL)}

    def _forward(self, batch: dict[str, Any], **settings: Any) -> dict[str, Any]:
        split, mask = self._split(batch)
        return self._masked(super()._forward(split, **settings), mask)

    def _forward_train(self, batch: dict[str, Any], **settings: Any) -> dict[str, Any]:
        split, mask = self._split(batch)
        return self._masked(super()._forward_train(split, **settings), mask)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Values float32 [n] of the seats that decide."""
        split = batch if embeddings is not None else self._split(batch)[0]
        values: torch.Tensor = super().compute_values(split, embeddings)
        return values
