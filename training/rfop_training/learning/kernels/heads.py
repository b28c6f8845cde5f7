"""The heads of a network for legal actions alone: of a hundred actions, a handful is legal.

The legal actions of a batch lie row by row: `start` int64 [n + 1] is where each row begins in `legal` int64 [m], the
action, and `log_probs` float32 [m]. `features` are float32 [n, F]. The policy head reads the first columns, as many as
its weights [A, W] have, the value head reads the last W.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_training.learning.kernels.compiled import compiled

NO_ACTION = -1  # an action whose log probability is 0 and has no gradient


@compiled
def legal_rows(mask: Any) -> Any:
    """`start` and `legal` of masks bool [n, A]."""
    n, actions = mask.shape
    start = np.empty(n + 1, np.int64)
    legal = np.empty(n * actions + 1, np.int64)
    end = 0
    for i in range(n):
        start[i] = end
        row = mask[i]
        # Without a branch: every action is written, and the illegal ones are written over.
        for action in range(actions):
            legal[end] = action
            end += row[action]
    start[n] = end
    return start, legal[:end]


@compiled
def dot(a: Any, b: Any) -> Any:
    """The scalar product of float32 [W] and [W]."""
    total = np.float32(0.0)
    for c in range(b.shape[0]):
        total += a[c] * b[c]
    return total


@compiled
def policy(start: Any, legal: Any, features: Any, weight: Any, bias: Any) -> Any:
    """The log probability of every legal action, float32 [m]."""
    log_probs = np.empty(len(legal), np.float32)
    for i in range(len(start) - 1):
        largest = np.float32(-np.inf)
        for k in range(start[i], start[i + 1]):
            log_probs[k] = dot(features[i], weight[legal[k]]) + bias[legal[k]]
            largest = max(largest, log_probs[k])

        total = np.float32(0.0)
        for k in range(start[i], start[i + 1]):
            total += np.exp(log_probs[k] - largest)
        shift = largest + np.log(total)
        for k in range(start[i], start[i + 1]):
            log_probs[k] -= shift
    return log_probs


@compiled
def values(features: Any, weight: Any, bias: Any) -> Any:
    """The value of every row, float32 [n], by the value head's weight float32 [W]."""
    value = np.empty(len(features), np.float32)
    first = features.shape[1] - len(weight)
    for i in range(len(features)):
        value[i] = dot(features[i, first:], weight) + bias
    return value


@compiled
def sample(start: Any, legal: Any, log_probs: Any, uniform: Any) -> Any:
    """An action for each row, int64 [n], and its log probability, by uniform numbers above 0 and at most 1."""
    n = len(start) - 1
    action = np.empty(n, np.int64)
    log_prob = np.empty(n, np.float32)
    for i in range(n):
        total = np.float32(0.0)
        for k in range(start[i], start[i + 1]):
            total += np.exp(log_probs[k])

        # The first action at which the sum of the probabilities reaches the threshold.
        threshold = uniform[i] * total
        chosen = start[i + 1] - 1
        reached = np.float32(0.0)
        for k in range(start[i], start[i + 1]):
            reached += np.exp(log_probs[k])
            if reached >= threshold:
                chosen = k
                break
        action[i] = legal[chosen]
        log_prob[i] = log_probs[chosen]
    return action, log_prob


def sample_legal(mask: Any, features: Any, weight: Any, bias: Any, uniform: Any) -> Any:
    """A legal action for each row of masks bool [n, A], sampled from the policy, and its log probability (`sample`)."""
    start, legal = legal_rows(mask)
    return sample(start, legal, policy(start, legal, features, weight, bias), uniform)


@compiled
def look_up(start: Any, legal: Any, log_probs: Any, actions: Any) -> Any:
    """The log probability of each of K actions a row, float32 [n, K] from int64 [n, K], and the entropy of each row."""
    n, number = actions.shape
    chosen = np.zeros((n, number), np.float32)
    entropy = np.zeros(n, np.float32)
    for i in range(n):
        for k in range(start[i], start[i + 1]):
            entropy[i] -= np.exp(log_probs[k]) * log_probs[k]
            for a in range(number):
                if actions[i, a] == legal[k]:
                    chosen[i, a] = log_probs[k]
    return chosen, entropy


@compiled
def heads_gradient(
    start: Any, legal: Any, log_probs: Any, actions: Any, entropy: Any, features: Any, policy_weight: Any,
    value_weight: Any, for_chosen: Any, for_entropy: Any, for_value: Any, for_features: Any, for_policy_weight: Any,
    for_policy_bias: Any, for_value_weight: Any,
) -> None:  # fmt: skip
    """Add the gradients of features and weights, from those of log probabilities [n, K], entropies [n], values [n]."""
    n, number = actions.shape
    width = policy_weight.shape[1]
    first = features.shape[1] - width
    for i in range(n):
        # How much of the gradient reaches each logit through the sum over all actions.
        through_sum = np.float32(0.0)
        for a in range(number):
            if actions[i, a] != NO_ACTION:
                through_sum += for_chosen[i, a]

        # The policy.
        own, into = features[i], for_features[i]
        for k in range(start[i], start[i + 1]):
            action = legal[k]
            prob = np.exp(log_probs[k])
            logit = -prob * (through_sum + for_entropy[i] * (log_probs[k] + entropy[i]))
            for a in range(number):
                if actions[i, a] == action:
                    logit += for_chosen[i, a]
            weight, for_weight = policy_weight[action], for_policy_weight[action]
            for c in range(width):
                into[c] += logit * weight[c]
                for_weight[c] += logit * own[c]
            for_policy_bias[action] += logit

        # The value.
        for c in range(width):
            into[first + c] += for_value[i] * value_weight[c]
            for_value_weight[c] += for_value[i] * own[first + c]


class LegalHeads(torch.autograd.Function):
    """Both heads: log probabilities of given actions, the entropy of the policy, and the value."""

    @staticmethod
    def forward(
        ctx: Any, features: Tensor, policy_weight: Tensor, policy_bias: Tensor, value_weight: Tensor,
        value_bias: Tensor, mask: Tensor, actions: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        """float32 [n, K], [n] and [n], for legal actions int64 [n, K] or `NO_ACTION`, under the mask bool [n, A]."""
        inputs = arrays(features, policy_weight, policy_bias, value_weight[0])
        rows = legal_rows(mask.numpy())
        log_probs = policy(*rows, *inputs[:3])
        chosen, entropy = look_up(*rows, log_probs, actions.numpy())
        value = values(inputs[0], inputs[3], np.float32(value_bias.item()))
        ctx.kept = *rows, log_probs, actions.numpy(), entropy, inputs[0], inputs[1], inputs[3]
        return torch.from_numpy(chosen), torch.from_numpy(entropy), torch.from_numpy(value)

    @staticmethod
    def backward(ctx: Any, for_chosen: Tensor, for_entropy: Tensor, for_value: Tensor) -> tuple[Any, ...]:
        """The gradients of features, weights and biases."""
        *_, features, policy_weight, value_weight = ctx.kept
        results = [np.zeros_like(array) for array in (features, policy_weight, policy_weight[:, 0], value_weight)]
        gradients = [gradient.contiguous().numpy() for gradient in (for_chosen, for_entropy, for_value)]
        heads_gradient(*ctx.kept, *gradients, *results)
        of_features, of_policy_weight, of_policy_bias, of_value_weight = (torch.from_numpy(r) for r in results)
        of_value_bias = for_value.sum()[None]
        return of_features, of_policy_weight, of_policy_bias, of_value_weight[None], of_value_bias, None, None


def arrays(*tensors: Tensor) -> list[NDArray[np.float32]]:
    """Tensors as arrays that lie row by row, without a copy where they do."""
    return [tensor.detach().contiguous().numpy() for tensor in tensors]
