"""A trained MaskablePPO policy as an agent, loaded only into the environment it was trained for."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, Positions
from rfop_env.core.errors import VersionMismatch
from rfop_env.core.game import Game

CARD = "rfop.json"  # the member of a model file that says what it was trained for


def game_card(game: Game, components: Any) -> dict[str, Any]:
    """What a model must share with the game it plays: tables of the rules, the observation and the component set."""
    return {
        "rules": game.folder.name,
        "version": game.version,
        "observation": game.observation.size,
        "actions": game.actions.size,
        "components": components.digest,
    }


def write_card(path: Path, card: Mapping[str, Any]) -> None:
    """Add the card to a model file that SB3 has written."""
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(CARD, json.dumps(dict(card), indent=1))


def read_card(path: Path) -> dict[str, Any]:
    """The card of a model file; `VersionMismatch` if it has none."""
    if not zipfile.is_zipfile(path):
        raise VersionMismatch(f"{path} is not a model file: give the .zip that training/ppo_maskable_sb3.py wrote")
    with zipfile.ZipFile(path) as file:
        if CARD not in file.namelist():
            raise VersionMismatch(f"{path} does not say which environment it was trained for: train it anew")
        card: dict[str, Any] = json.loads(file.read(CARD))
    return card


def check_card(path: Path, game: Game, components: Any) -> dict[str, Any]:
    """Refuse a model of another game, environment version or component set: `VersionMismatch`."""
    card = read_card(path)
    require_card(path, card, game, components)
    return card


def require_card(path: Path, card: Mapping[str, Any], game: Game, components: Any) -> None:
    """Raise `VersionMismatch` where a card does not fit the game and the component set."""
    wanted = game_card(game, components)
    wrong = [f"{k} {card.get(k)!r} instead of {v!r}" for k, v in wanted.items() if card.get(k) != v]
    if wrong:
        raise VersionMismatch(f"{path} was trained for another environment than {game.id}: {', '.join(wrong)}")


class PolicyAgent(Agent):
    """A MaskablePPO model; `sample=True` draws from the policy instead of taking its most likely action."""

    def __init__(self, path: Path, game: Game, components: Any, sample: bool = False):
        check_card(path, game, components)
        import torch
        from sb3_contrib import MaskablePPO

        torch.set_num_threads(1)
        name = path.stem if path.stem != "model" else path.parent.name
        self._take(MaskablePPO.load(path, device="cpu"), name, sample)

    @classmethod
    def of_model(cls, model: Any, name: str, sample: bool = False) -> PolicyAgent:
        """An agent of a model in memory, while it is being trained."""
        agent = cls.__new__(cls)
        agent._take(model, name, sample)
        return agent

    def _take(self, model: Any, name: str, sample: bool) -> None:
        self._model, self.name, self._sample = model, name, sample

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """The most likely legal action, or with `sample` one drawn by `rng` (Gumbel's trick)."""
        import torch

        self._model.policy.set_training_mode(False)
        with torch.no_grad():
            seen = torch.as_tensor(observation).float()
            logits = self._model.policy.get_distribution(seen, action_masks=action_mask).distribution.logits.numpy()
        if self._sample:
            logits = logits + rng.gumbel(size=logits.shape)
        return np.where(action_mask, logits, -np.inf).argmax(axis=1).astype(np.int64)
