"""Your own code in a Python file: games (`rfop_env.registry`), and agents as functions, as in `my_agent.py:act`.

    import numpy as np

    def act(observation, action_mask):
        "The first legal action of every position: int [n] from int8 [n, D] and bool [n, A]."
        return action_mask.argmax(axis=1)

Loading such an agent or game runs its file. Commands do that, where their user has typed the name;
`rfop_env.players.load_agent` and `rfop_env.registry.get_game`, which are given names from elsewhere too, do not.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Actions, Agent, Masks, Obs, Positions
from rfop_env.agent_names import FUNCTION, AgentSpec
from rfop_env.core.errors import RfopError, UnknownName, shown
from rfop_env.core.files import read_file
from rfop_env.core.legal_actions import are_legal

MODULE = "_own_code_"  # how the names of modules begin that are files of the user
MOST_BYTES = 2**24  # of the file
Act = Callable[[NDArray[np.int8], NDArray[np.bool_]], Any]


class FunctionAgent(Agent):
    """Asks a function of the user for the actions of n positions: int [n] from int8 [n, D] and bool [n, A].

    One action is enough for one position. The function is given copies, so that nothing it writes reaches the games.
    Raises `RfopError` where what it returns are no legal actions.
    """

    def __init__(self, name: str, function: Act):
        self.name = name
        self.function = function

    @classmethod
    def of(cls, function: Act) -> FunctionAgent:
        """The agent of a function, by its name."""
        return cls(getattr(function, "__name__", type(function).__name__), function)

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """What the function chooses."""
        try:
            returned = self.function(observation.copy(), action_mask.copy())
            actions = np.asarray(returned)
        except Exception as error:
            raise RfopError(f"{self.name} failed: {type(error).__name__}: {shown(str(error))}") from error

        # Whatever it is, it becomes legal actions or one error.
        n = len(action_mask)
        if n == 1 and actions.shape == ():
            actions = actions.reshape(1)
        if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
            raise RfopError(
                f"{self.name}: expected {n} integers, one for each position, found {actions.dtype} "
                f"{list(actions.shape)}"
            )
        illegal = np.flatnonzero(~are_legal(actions, action_mask))
        if len(illegal):
            raise RfopError(
                f"{self.name}: action {actions[illegal[0]]} is not legal in position {illegal[0]}: use the mask"
            )
        return actions.astype(np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        """Also a function that no other process could import can be pickled."""
        module = sys.modules.get(getattr(self.function, "__module__", None) or "")
        if module is not None and module.__name__.startswith(MODULE):
            cloudpickle.register_pickle_by_value(module)
        return _rebuilt, (self.name, cloudpickle.dumps(self.function))


def _rebuilt(name: str, function: bytes) -> FunctionAgent:
    return FunctionAgent(name, cloudpickle.loads(function))


def load(name: str) -> FunctionAgent:
    """The agent of a function, `path/to/file.py:function`; this runs the file.

    Its display name ends with a digest of the file, as in `my_agent.act#3f2a1c`. Raises `RfopError`, `UnknownName`, and
    `UnreadableFile` where there is no such file.
    """
    spec = AgentSpec.parse(name)
    assert spec.kind == FUNCTION, "asked for own code alone"
    path, attribute = Path(spec.path), spec.function
    module = run_file(path)
    function = getattr(module, attribute, None)
    if not callable(function):
        raise UnknownName(f"function of {path}", attribute, [k for k, v in vars(module).items() if callable(v)])
    return FunctionAgent(f"{path.stem}.{attribute}#{module.__name__.removeprefix(MODULE)}", function)


def run_file(path: Path) -> ModuleType:
    """Run a Python file as a module of its own, whose name ends with a digest of the file.

    Raises `RfopError` with what the file raises, and `UnreadableFile` where there is no such file.
    """
    name = MODULE + hashlib.sha256(read_file(path, MOST_BYTES)).hexdigest()[:6]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "a .py file has a loader"
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # where dataclasses look for it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise RfopError(f"{path} cannot be run: {type(error).__name__}: {shown(str(error))}") from error
    return module
