"""Weights of Stable-Baselines3 policies as networks of this package, and conversion of old .zip files."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_agents.network import MODEL, MOST_BYTES, read_network, write_network
from rfop_env.core.errors import RfopError
from rfop_env.core.files import readable

# Members of the .zip.
WEIGHTS = "policy.pth"
METADATA = "rfop.json"

Weights = dict[str, NDArray[Any]]


def weights_of(state: Mapping[str, Any]) -> Weights:
    """The `state_dict` of a MaskablePPO policy as the weights of a network of `rfop_agents/network.py`.

    The branches for policy and value become the halves of one layer.
    """
    array = {name: tensor.detach().cpu().numpy() for name, tensor in state.items()}
    policy, value = (f"mlp_extractor.{kind}_net.0" for kind in ("policy", "value"))
    zeros = [np.zeros_like(array[f"{head}.weight"]) for head in ("action_net", "value_net")]
    return {
        "scale": array["features_extractor.scale"].copy(),
        "layers.0.weight": array["features_extractor.first.weight"].copy(),
        "layers.0.bias": array["features_extractor.first.bias"].copy(),
        "layers.1.weight": np.concatenate([array[f"{policy}.weight"], array[f"{value}.weight"]]),
        "layers.1.bias": np.concatenate([array[f"{policy}.bias"], array[f"{value}.bias"]]),
        "policy.weight": np.concatenate([array["action_net.weight"], zeros[0]], axis=1),
        "policy.bias": array["action_net.bias"].copy(),
        "value.weight": np.concatenate([zeros[1], array["value_net.weight"]], axis=1),
        "value.bias": array["value_net.bias"].copy(),
    }


def read_zip(path: Path) -> tuple[Weights, dict[str, Any]]:
    """The weights and the metadata in a .zip. Raises `RfopError` where the old trainer did not write it."""
    import torch

    try:
        with readable(path, MOST_BYTES), zipfile.ZipFile(path) as file:
            if max(file.getinfo(name).file_size for name in (WEIGHTS, METADATA)) > MOST_BYTES:
                raise RfopError(f"{path}: its parts have at most {MOST_BYTES:,} bytes")
            state = torch.load(io.BytesIO(file.read(WEIGHTS)), map_location="cpu", weights_only=True)
            return weights_of(state), dict(json.loads(file.read(METADATA)))
    except RfopError:
        raise
    except Exception as error:  # torch raises nearly anything for what it cannot or must not read
        raise RfopError(f"{path} is no .zip that rfop train maskable wrote") from error


def export(path: Path) -> Path:
    """Write the network of a .zip beside it; returns its path. Raises `RfopError`, also if that file exists."""
    model = path.with_name(MODEL) if path.name == "model.zip" else path.with_suffix(".safetensors")
    if model.exists():
        raise RfopError(f"{model} exists: move it away first")
    weights, metadata = read_zip(path)
    write_network(model, weights, metadata)
    try:
        read_network(model)
    except RfopError:
        model.unlink()
        raise
    return model
