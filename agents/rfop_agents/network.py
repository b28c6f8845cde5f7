"""A trained policy network as an agent, in NumPy alone: one safetensors file with metadata.

The file holds the weights under the names of `rfop_training/networks.py`, and metadata: the game, version,
observation, actions and component set that the network is for, and how it was trained. A network that does not fit the
game is refused, and so is a file whose weights do not fit each other. The file is data: reading one that a stranger
made runs nothing.

Hidden layers are over the whole observation, or those of `rfop_agents/board_network.py`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Actions, Agent, Masks, Obs, Positions, Thoughts
from rfop_agents import board_network
from rfop_env.core.batch_arguments import WEIGHTS, is_weight
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, VersionMismatch, extra, shown
from rfop_env.core.game import Game
from rfop_env.core.observation_layout import ObservationLayout
from rfop_env.core.files import readable, write_whole

OTHER_COMPONENTS = " (other components)"  # ends the name of a network that was trained for another set
MODEL = "model.safetensors"  # the newest model in the folder of a run
BELIEF = "belief."  # begins the names of a belief head's weights
MOST_BYTES, MOST_HEADER = 2**30, 2**20  # of a model's file, and of what it has besides weights
ILLEGAL = -1e9  # the logit of an illegal action: its probability is exactly 0, and no sum of such logits is NaN
Floats = NDArray[np.float32]
Number = TypeVar("Number", np.float32, np.float64)


def observation_scale(layout: ObservationLayout) -> Floats:
    """The factor of each entry that brings its declared range into [-1, 1]: float32 [D]."""
    reach = np.maximum(np.abs(layout.low.astype(np.float32)), np.abs(layout.high.astype(np.float32)))
    return (1.0 / np.maximum(reach, 1.0)).astype(np.float32)


def belief_targets(game: Game) -> int:
    """How many entries a belief head predicts: those of the private pieces of the observation, of each other seat."""
    return (game.spec.players - 1) * game.observation.private()[0].size


# -- metadata: a network plays the environment that it was trained for ------------------------------------------------


def game_metadata(game: Game, components: Any) -> dict[str, Any]:
    """The metadata that a model shares with the game it plays: rules, version, sizes, digest of the component set."""
    return {
        "rules": game.rules_name,
        "version": game.version,
        "observation": game.observation.size,
        "actions": game.actions.size,
        "components": components.digest,
    }


def require_metadata(
    path: Path, metadata: Mapping[str, Any], game: Game, components: Any, any_components: bool = False
) -> bool:
    """Raise `VersionMismatch` where the metadata of a file do not fit the game and the component set.

    With `any_components` the set may be another one. Returns whether it is.
    """
    expected = game_metadata(game, components)
    differences = {k: f"{k} {metadata.get(k)!r} instead of {v!r}" for k, v in expected.items() if metadata.get(k) != v}
    pieces = [piece.name for piece in game.observation.private()[0].pieces]
    if metadata.get("belief", pieces) != pieces:
        differences["belief"] = f"a belief head for {shown(metadata['belief'])} instead of {pieces}"
    if list(differences) == ["components"]:
        if any_components:
            return True
        raise VersionMismatch(
            f"{path} was trained for another component set of {game.id}: {differences['components']}. To use it with "
            "this one all the same say --any-components, in Python any_components=True"
        )
    if differences:
        text = differences.get("rules") or ", ".join(differences.values())  # of another game all others differ, too
        raise VersionMismatch(f"{path} was trained for another environment than {game.id}: {text}")
    return False


# -- files -------------------------------------------------------------------------------------------------------------


def _packages() -> AbstractContextManager[None]:
    """A context for imports that networks need."""
    return extra("train", "a network", "safetensors", "threadpoolctl", install="safetensors threadpoolctl")


def write_network(path: Path, weights: Mapping[str, Floats], metadata: Mapping[str, Any]) -> None:
    """Write weights and metadata as one file, whole. Raises `RfopError` where it cannot be written, or is too large."""
    write_whole(path, network_bytes(weights, metadata))


def network_bytes(weights: Mapping[str, Floats], metadata: Mapping[str, Any]) -> bytes:
    """Weights and metadata as the bytes of a file. Raises `RfopError` where it is too large to be read."""
    with _packages():
        from safetensors.numpy import save

    require_small(sum(w.nbytes for w in weights.values()))
    arrays = {name: np.ascontiguousarray(w) for name, w in weights.items()}
    data: bytes = save(arrays, {"rfop": json.dumps(dict(metadata))})
    return data


def small_file(agent: NetworkAgent, game: Game, components: Any) -> bytes:
    """A network as a file of half the size, for a page: float16, without the head that predicts beliefs."""
    weights = {name: w for name, w in agent.weights.items() if not name.startswith(BELIEF)}
    metadata = game_metadata(game, components) | {"rewards": dict(agent.rewards)}
    return network_bytes(in_precision(weights, np.float16), metadata)


def require_small(size: int) -> None:
    """Raise `RfopError` for a network with so many bytes of weights if its file would be too large to be read."""
    if size > (most := MOST_BYTES - MOST_HEADER):
        raise RfopError(f"a network has at most {most:,} bytes of weights, found {size:,}: make it narrower")


def read_network(path: Path) -> tuple[dict[str, Floats], dict[str, Any]]:
    """The weights, float32 also where the file holds float16, and the metadata of a file, checked against each other.

    Raises `UnreadableFile` for what is no ordinary file of at most `MOST_BYTES`, `VersionMismatch` if it is no network
    of this package, `RfopError` if it is damaged.
    """
    with _packages():
        import threadpoolctl  # noqa: F401 - the agent will need it
        from safetensors import SafetensorError, safe_open
    try:
        with readable(path, MOST_BYTES), safe_open(path, "numpy") as file:
            text = (file.metadata() or {}).get("rfop")
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dictionary
    except SafetensorError as error:
        raise VersionMismatch(
            f"{path} is not a model file: give the .safetensors that a trainer of this package wrote"
        ) from error
    except (TypeError, AttributeError) as error:  # a type of numbers that NumPy lacks
        raise RfopError(f"{path}: {error}: weights are float32 or float16; write the file anew") from error
    if text is None:
        raise VersionMismatch(f"{path} has no metadata of an environment: train it anew")
    metadata = _parse_metadata(path, text)
    _require_weights(path, weights, metadata)
    return in_precision(weights, np.float32), metadata


def in_precision(weights: Mapping[str, NDArray[Any]], kind: type[np.floating[Any]]) -> dict[str, NDArray[Any]]:
    """Weights with their floating-point numbers in another precision; the numbers of a board stay whole."""
    return {name: w.astype(kind) if w.dtype.kind == "f" else w for name, w in weights.items()}


def _parse_metadata(path: Path, text: str) -> dict[str, Any]:
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RfopError(f"{path}: its metadata are not JSON ({error}): copy the file anew, or train anew") from error
    kinds = {"rules": str, "version": int, "observation": int, "actions": int, "components": str}
    invalid = [*kinds]
    if isinstance(metadata, dict):
        invalid = [name for name, kind in kinds.items() if type(metadata.get(name)) is not kind]
    if invalid:
        raise VersionMismatch(f"{path} has no valid metadata of an environment ({', '.join(invalid)})")
    rewards = metadata.get("rewards", {})
    if not isinstance(rewards, dict) or not all(map(is_weight, rewards.values())):
        raise RfopError(
            f"{path}: the rewards of its metadata are kinds with numbers {WEIGHTS}, found {shown(rewards)}: train anew"
        )
    return metadata


def _require_weights(path: Path, weights: Mapping[str, Floats], metadata: Mapping[str, Any]) -> None:
    """Raise `RfopError` where weights are missing, misshapen, or not all finite numbers."""
    if any(name.startswith("gru.") for name in weights):
        raise RfopError(f"{path} has a recurrent core (GRU), which this version does not play: train one without")
    observation, actions = metadata["observation"], metadata["actions"]
    has_board = board_network.has_board(weights)
    shapes = (board_network.weight_shapes if has_board else _weight_shapes)(weights, observation, actions)
    if "belief" in metadata or has_belief(weights):
        features = board_network.features(weights) if has_board else shapes["policy.weight"][1]
        shapes |= _belief_shapes(weights, observation, features)
    problems = []
    for name, shape in shapes.items():
        kind = "i" if name in board_network.NUMBERS else "f"
        if name not in weights:
            problems.append(f"no {name}")
        elif weights[name].shape != shape:
            problems.append(f"{name} {list(weights[name].shape)} instead of {list(shape)}")
        elif weights[name].dtype.kind != kind or not np.isfinite(weights[name]).all():
            problems.append(f"{name} is not all finite numbers")
    if not problems and has_board:
        problems = board_network.board_problems(weights, observation, actions)
    if problems:
        raise RfopError(f"{path} holds no whole network: {'; '.join(problems)}: copy the file anew, or train anew")


def _weight_shapes(weights: Mapping[str, Floats], observation: int, actions: int) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a network whose layers are as wide as the biases of these weights."""
    shapes: dict[str, tuple[int, ...]] = {"scale": (observation,)}
    inputs = observation
    for k in range(max(1, hidden_layers(weights))):
        bias = f"layers.{k}.bias"
        units = weights[bias].size if bias in weights else 0
        shapes |= {f"layers.{k}.weight": (units, inputs), bias: (units,)}
        inputs = units
    shapes |= {"policy.weight": (actions, inputs), "policy.bias": (actions,)}
    return shapes | {"value.weight": (1, inputs), "value.bias": (1,)}


def has_belief(weights: Mapping[str, Floats]) -> bool:
    """Whether a belief head is among these weights."""
    return any(name.startswith(BELIEF) for name in weights)


def _belief_shapes(weights: Mapping[str, Floats], observation: int, features: int) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a belief head with as many units and targets as its biases have."""
    first, output = f"{BELIEF}first", f"{BELIEF}output"
    units, targets = (weights[f"{k}.bias"].size if f"{k}.bias" in weights else 0 for k in (first, output))
    shapes: dict[str, tuple[int, ...]] = {f"{first}.weight": (units, observation), f"{first}.bias": (units,)}
    return shapes | {f"{output}.weight": (targets, units + features), f"{output}.bias": (targets,)}


def hidden_layers(weights: Mapping[str, Floats]) -> int:
    """The number of hidden layers of the network with these weights."""
    return sum(key.startswith("layers.") and key.endswith(".weight") for key in weights)


class NetworkAgent(Agent):
    """The network of a file: its most likely legal action, or with `sample` one sampled from its policy.

    `temperature` divides the logits before sampling: below 1 sharper, above 1 flatter. `metadata` are those of the
    file. `rewards` are the reward kinds, with weights, whose remainder its values predict; empty if that is unknown, or
    if the game lacks one of them. With `any_components` it may have been trained for another component set, and its
    name says so. Raises `VersionMismatch` for a file of another game, version or component set, `RfopError` for a
    damaged one.
    """

    gives_values = True
    other_components = False  # whether it was trained for another component set than that of the games

    def __init__(
        self,
        path: Path,
        game: Game,
        components: Any,
        sample: bool = False,
        temperature: float = 1.0,
        any_components: bool = False,
    ):
        weights, self.metadata = read_network(path)
        self.other_components = require_metadata(path, self.metadata, game, components, any_components)
        self.rewards = _rewards_in(self.metadata, game)
        self._set(weights, "", sample, temperature)
        self.call(path.stem if path.stem != "model" else path.parent.name)

    def call(self, name: str) -> None:
        """Give it a name, which says too if it was trained for another component set."""
        self.name = f"{name}{OTHER_COMPONENTS if self.other_components else ''}"

    @classmethod
    def from_weights(
        cls, weights: Mapping[str, Floats], name: str, sample: bool = False, temperature: float = 1.0
    ) -> NetworkAgent:
        """An agent from weights in memory, without a file."""
        agent = cls.__new__(cls)
        agent.metadata, agent.rewards = {}, {}
        agent._set(weights, name, sample, temperature)
        return agent

    def _set(self, weights: Mapping[str, Floats], name: str, sample: bool, temperature: float) -> None:
        one_thread()
        if temperature <= 0:
            raise RfopError(f"temperature: above 0, found {temperature}; to play the most likely action do not sample")
        self.weights = weights  # as in the file
        self.name, self._sample, self._temperature = name, sample, temperature
        self._network = board_network.BoardNetwork(weights) if board_network.has_board(weights) else _Dense(weights)
        self._belief = Beliefs(weights) if has_belief(weights) else None

    @property
    def temperature(self) -> float | None:
        """At which it samples; None: it plays its most likely action."""
        return self._temperature if self._sample else None

    def evaluate(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Logits float32 [n, A], `ILLEGAL` where the mask is false, and values float32 [n] of the seats that decide."""
        logits, values = self._network(observation)
        return np.where(action_mask, logits, np.float32(ILLEGAL)), values

    def logits(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> Floats:
        """The logits of `evaluate` alone, float32 [n, A]."""
        return np.where(action_mask, self._network.logits(observation), np.float32(ILLEGAL))

    def belief(self, observation: Obs) -> Floats:
        """What the other seats see alone, from this seat's observation int8 [n, D]: probabilities float32 [n, T].

        The targets are the entries of the private pieces of the observation (`ObservationLayout.private`), of each
        other seat in the order of play from this one: T is `belief_targets(game)`. For an entry that is a number it is
        the expected place between the lowest value, 0, and the highest, 1. Raises `RfopError` without a belief head.
        """
        return self.require_belief()(observation, self._network.features(observation))

    def require_belief(self) -> Beliefs:
        """The belief head. Raises `RfopError` where there is none."""
        if self._belief is None:
            raise RfopError(f"{self.name} has no belief head: rfop train ppo --belief 1 trains one")
        return self._belief

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The most likely legal action, or with `sample` one sampled with `rng`: int64 [n]."""
        return self.choose(self.logits(observation, action_mask), action_mask, rng)

    def choose(self, logits: Floats, action_mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
        """The most likely action by logits [n, A], or with `sample` one sampled (Gumbel-max trick): int64 [n]."""
        ranked: NDArray[Any] = logits
        if self._sample:
            ranked = ranked / self._temperature + rng.gumbel(size=ranked.shape)
        return np.where(action_mask, ranked, -np.inf).argmax(axis=1).astype(np.int64)

    def probabilities(self, observation: Obs, action_mask: Masks) -> NDArray[np.float64] | None:
        """The policy that `act` samples from, float64 [n, A]; None without `sample`."""
        return self.shares(self.logits(observation, action_mask), action_mask)

    def shares(self, logits: Floats, action_mask: NDArray[np.bool_]) -> NDArray[np.float64] | None:
        """The probabilities by which `choose` samples from logits [n, A], float64 [n, A]; None without `sample`."""
        return shares(logits.astype(np.float64) / self._temperature, action_mask) if self._sample else None

    def think(self, batch: GameBatch, games: NDArray[np.intp], rng: np.random.Generator) -> Thoughts:
        """Its most likely actions, their probabilities, and the returns that it expects."""
        return judgement(self, batch, games, rng)


class _Dense:
    """Layers over the whole observation, from the weights of a file."""

    def __init__(self, weights: Mapping[str, Floats]):
        layers = range(hidden_layers(weights))
        self._layers = [(weights[f"layers.{k}.weight"].T, weights[f"layers.{k}.bias"]) for k in layers]
        first, bias = self._layers[0]
        first = weights["scale"][:, None] * first  # int8 entries scaled by the first product

        # A network of an earlier version reads no entry that was added at the end since.
        self._inputs = int(np.flatnonzero(first.any(axis=1)).max(initial=-1)) + 1
        self._layers[0] = first[: self._inputs], bias
        self._policy = weights["policy.weight"].T, weights["policy.bias"]
        self._value = weights["value.weight"].T, weights["value.bias"]

        # Acting needs no unit of the last layer that only the value uses.
        (last, bias), (policy, policy_bias) = self._layers[-1], self._policy
        units = policy.any(axis=1)
        self._acting_layers = [*self._layers[:-1], (np.ascontiguousarray(last[:, units]), bias[units])]
        self._acting_policy = np.ascontiguousarray(policy[units]), policy_bias

    def __call__(self, observation: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Logits of all actions, float32 [n, A], and values float32 [n], from int8 [n, D]."""
        x = self.features(observation)
        policy, policy_bias = self._policy
        value, value_bias = self._value
        return x @ policy + policy_bias, (x @ value + value_bias)[:, 0]

    def features(self, observation: NDArray[np.int8]) -> Floats:
        """The last hidden layer, float32 [n, F]."""
        return _hidden(observation[:, : self._inputs], self._layers)

    def logits(self, observation: NDArray[np.int8]) -> Floats:
        """The logits alone."""
        policy, bias = self._acting_policy
        logits: Floats = _hidden(observation[:, : self._inputs], self._acting_layers) @ policy + bias
        return logits


class Beliefs:
    """A layer of its own over the observation, beside the last hidden layer of the network."""

    def __init__(self, weights: Mapping[str, Floats]):
        first, output = f"{BELIEF}first", f"{BELIEF}output"
        self._first = [(weights["scale"][:, None] * weights[f"{first}.weight"].T, weights[f"{first}.bias"])]
        self._output = weights[f"{output}.weight"].T, weights[f"{output}.bias"]

    def __call__(self, observation: NDArray[np.int8], features: Floats) -> Floats:
        """Probabilities float32 [n, T] from int8 [n, D] and the last hidden layer [n, F]."""
        weight, bias = self._output
        logits = np.concatenate([_hidden(observation, self._first), features], axis=1) @ weight + bias
        probabilities: Floats = np.float32(0.5) + np.float32(0.5) * np.tanh(np.float32(0.5) * logits)
        return probabilities


def _rewards_in(metadata: Mapping[str, Any], game: Game) -> Mapping[str, float]:
    """The reward kinds of a network's metadata, with weights; empty if they are unknown, or not all of this game."""
    rewards: Mapping[str, float] = metadata.get("rewards", {})
    return rewards if rewards.keys() <= {kind.name for kind in game.rewards} else {}


def shares(logits: NDArray[Number], mask: NDArray[np.bool_]) -> NDArray[Number]:
    """The probabilities of logits [n, A], in their precision, 0 where the mask is false."""
    legal = np.where(mask, logits, -np.inf)
    weights = np.exp(legal - legal.max(axis=1, keepdims=True))
    policy: NDArray[Number] = weights / weights.sum(axis=1, keepdims=True)
    return policy


class Evaluator(Protocol):
    """A network that judges positions, for searches and rollouts, as `NetworkAgent` does."""

    @property
    def remembers(self) -> bool:
        """Whether it has a memory: then it cannot judge positions that no game has come to."""

    @property
    def rewards(self) -> Mapping[str, float]:
        """Of which reward kinds, by weight, its values tell what is still to come; empty if that is not known."""

    def evaluate(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
        """Logits [n, A], and what the seat that decides, [n], or every seat, [n, P], will be paid from here on."""


def judgement(network: Evaluator, batch: GameBatch, games: NDArray[np.intp], rng: np.random.Generator) -> Thoughts:
    """What a network thinks of these games of a batch, int [n]: its policy, and the returns that it expects.

    A return is what was paid so far, in a guess at what the seat cannot see, and the value of the network.
    """
    mask, every = batch.action_mask[games], np.arange(len(games))
    logits, values = network.evaluate(batch.observation[games], mask)
    own = values if values.ndim == 1 else values[every, batch.current_player[games]]
    probs, returns = shares(logits.astype(np.float64), mask), own.astype(np.float64)
    if network.rewards:
        guess = Positions(batch, games, rng).sample(every, 1)
        for kind, weight in network.rewards.items():
            returns += guess.game_returns(kind, weight)[every, guess.current_player]
    return Thoughts(probs.argmax(axis=1), returns, probs=probs)


def _hidden(observation: NDArray[np.int8], layers: Sequence[tuple[Floats, Floats]]) -> Floats:
    x: Floats = observation.astype(np.float32)
    for weight, bias in layers:
        x = np.maximum(x @ weight + bias, np.float32(0.0))
    return x


@functools.cache
def one_thread() -> None:
    """Keep NumPy's products in this process on one thread: they are small here, and a busy second one costs tenfold."""
    with _packages():
        from threadpoolctl import threadpool_limits

    threadpool_limits(1, "blas")
