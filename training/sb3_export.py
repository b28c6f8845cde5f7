"""Make a model file of this package from a .zip of Stable-Baselines3, without running anything in it.

    python -m training.sb3_export runs/old/model.zip

Reads the weights and the card that earlier versions of `training/ppo_maskable_sb3.py` put into such files, and writes
`model.safetensors` beside it. The rest of a .zip is pickles, which can run any code of whoever made them: they are left
alone, and no other part of this package opens a .zip.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.network import MODEL, read_network, write_network
from rfop_env.command_line import command
from rfop_env.core.errors import RfopError
from training.arguments import Parser

WEIGHTS, CARD = "policy.pth", "rfop.json"  # members of the .zip

Weights = dict[str, NDArray[Any]]


def weights_of(state: Mapping[str, Any]) -> Weights:
    """The policy of training/ppo_maskable_sb3.py, a `state_dict`, as the weights of one network of `agents/network.py`.

    Its two branches after the first layer, for policy and value, become the halves of one layer.
    """
    array = {name: tensor.detach().cpu().numpy() for name, tensor in state.items()}
    policy, value = (f"mlp_extractor.{kind}_net.0" for kind in ("policy", "value"))
    nothing = [np.zeros_like(array[f"{head}.weight"]) for head in ("action_net", "value_net")]
    return {
        "scale": array["features_extractor.scale"].copy(),
        "layers.0.weight": array["features_extractor.first.weight"].copy(),
        "layers.0.bias": array["features_extractor.first.bias"].copy(),
        "layers.1.weight": np.concatenate([array[f"{policy}.weight"], array[f"{value}.weight"]]),
        "layers.1.bias": np.concatenate([array[f"{policy}.bias"], array[f"{value}.bias"]]),
        "policy.weight": np.concatenate([array["action_net.weight"], nothing[0]], axis=1),
        "policy.bias": array["action_net.bias"].copy(),
        "value.weight": np.concatenate([nothing[1], array["value_net.weight"]], axis=1),
        "value.bias": array["value_net.bias"].copy(),
    }


def read_zip(path: Path) -> tuple[Weights, dict[str, Any]]:
    """The weights and the card in a .zip; raises `RfopError` where it is none of the old trainer's."""
    import torch

    try:
        with zipfile.ZipFile(path) as file:
            state = torch.load(io.BytesIO(file.read(WEIGHTS)), map_location="cpu", weights_only=True)
            return weights_of(state), dict(json.loads(file.read(CARD)))
    except Exception as error:  # torch raises nearly anything for what it cannot or must not read
        raise RfopError(f"{path} is no .zip that training/ppo_maskable_sb3.py wrote") from error


def export(path: Path) -> Path:
    """Write the network of a .zip beside it; the path of the model. Raises `RfopError`, also if there is one."""
    model = path.with_name(MODEL) if path.name == "model.zip" else path.with_suffix(".safetensors")
    if model.exists():
        raise RfopError(f"{model} exists: move it away first")
    weights, card = read_zip(path)
    write_network(model, weights, card)
    try:
        read_network(model)
    except RfopError:
        model.unlink()
        raise
    return model


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.sb3_export", __doc__)
    parser.add_argument("zip", type=Path, help="the .zip of the old trainer")
    print(f"model: {export(parser.parse_args(arguments).zip)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
