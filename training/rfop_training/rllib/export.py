"""Weights of RLlib's PPO networks as networks of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.errors import RfopError

Weights = dict[str, NDArray[Any]]
ACTOR, CRITIC, SHARED = "encoder.actor_encoder", "encoder.critic_encoder", "encoder.encoder"


def weights_of(state: Mapping[str, Any]) -> Weights:
    """The state of a `MaskedModule` with rectified layers as the weights of a network of `rfop_agents/network.py`.

    Separate networks for policy and value become the halves of each layer. Raises `RfopError` for networks without a
    hidden layer, with hidden layers of the heads, or for a module that was made for acting alone.
    """
    array = {name: np.asarray(tensor) for name, tensor in state.items()}
    shared = any(name.startswith(f"{SHARED}.") for name in array)
    actor, critic = (_layers(array, SHARED if shared else encoder) for encoder in (ACTOR, CRITIC))
    (policy, policy_bias), (value, value_bias) = (_head(array, name) for name in ("pi", "vf"))

    if not shared:
        actor = [
            (_joined(a, c, k), np.concatenate([a_bias, c_bias]))
            for k, ((a, a_bias), (c, c_bias)) in enumerate(zip(actor, critic, strict=True))
        ]
        policy, value = (
            np.concatenate([policy, np.zeros((len(policy), value.shape[1]), policy.dtype)], axis=1),
            np.concatenate([np.zeros((len(value), policy.shape[1]), value.dtype), value], axis=1),
        )
    weights = {"scale": array["scale"].copy()}
    for k, (weight, bias) in enumerate(actor):
        weights |= {f"layers.{k}.weight": weight, f"layers.{k}.bias": bias}
    weights |= {"policy.weight": policy, "policy.bias": policy_bias}
    return weights | {"value.weight": value, "value.bias": value_bias}


def _layers(array: Mapping[str, NDArray[Any]], encoder: str) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The weights and biases of an encoder's layers, in order; RLlib numbers them with the functions between."""
    prefix = f"{encoder}.net.mlp."
    numbers = sorted(
        int(name[len(prefix) :].split(".")[0]) for name in array if name.startswith(prefix) and name.endswith(".weight")
    )
    if not numbers:
        raise RfopError(
            f"the module has no layers {prefix}*: give the state of the learner's module "
            "(algorithm.learner_group.get_weights()['default_policy']), with fcnet_hiddens of one layer at least"
        )
    return [(array[f"{prefix}{k}.weight"].copy(), array[f"{prefix}{k}.bias"].copy()) for k in numbers]


def _head(array: Mapping[str, NDArray[Any]], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    prefix = f"{name}.net.mlp."
    if f"{prefix}0.weight" not in array or any(key.startswith(f"{prefix}2.") for key in array):
        raise RfopError(f"the module's head {name!r} is not one linear layer: leave head_fcnet_hiddens empty")
    return array[f"{prefix}0.weight"].copy(), array[f"{prefix}0.bias"].copy()


def _joined(actor: NDArray[Any], critic: NDArray[Any], layer: int) -> NDArray[Any]:
    """One weight for two layers side by side: on the same inputs in the first layer, each on its own half after it."""
    if layer == 0:
        return np.concatenate([actor, critic])
    return np.concatenate(
        [
            np.concatenate([actor, np.zeros((len(actor), critic.shape[1]), actor.dtype)], axis=1),
            np.concatenate([np.zeros((len(critic), actor.shape[1]), critic.dtype), critic], axis=1),
        ]
    )
