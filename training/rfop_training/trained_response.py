"""Training of an approximate best response to a frozen agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rfop_agents.network import NetworkAgent
from rfop_env.core.errors import RfopError, shown
from rfop_env.core.mixtures import mixture_text
from rfop_env.game_setup import option_text
from rfop_training.evaluation.best_response import require_several_seats
from rfop_training.evaluation.tasks import Setting
from rfop_training.networks import network_sizes
from rfop_training.ppo import PPOArguments, train
from rfop_training.run import RunFolder

# For a response that starts from a trained network: the defaults would first unlearn much of it.
FINE_TUNING = {"learning_rate": 3e-4, "ent_coef": 0.01, "final_ent_coef": 0.003}

SETTINGS = ("env", "option", "components", "opponents", "steps", "seed", "reward")  # what makes it another response


def train_response(agent: str, setting: Setting, run: Path, steps: int, init_from: str = "", **arguments: Any) -> None:
    """Train the response in the folder of its run, or resume it; `arguments` are those of `PPOArguments`.

    It is trained on what it is scored on, unless `arguments` say otherwise: the outcome, and games that all open with
    random decisions where those of the evaluation do. It starts from the network `init_from`, or from the agent itself
    if that is a network, so it is no worse at the start. Raises `RfopError`, also where the folder holds the run of
    another agent, setting, reward, seed or number of steps, or one that started from another network than `init_from`.
    """
    # Check both names before anything is trained.
    require_several_seats(setting)
    initial = setting.agent(init_from or agent)
    setting.agent(agent)
    fixed = [*SETTINGS, "init_from"] if init_from else SETTINGS
    if isinstance(initial, NetworkAgent):
        init_from = init_from or agent
        arguments = FINE_TUNING | arguments | network_sizes(initial.weights)

    defaults: dict[str, Any] = {
        "env": setting.env,
        "option": option_text(dict(setting.options)),
        "components": setting.components or "",
        "opponents": mixture_text({agent: 1}),
        "evaluate_against": agent,
        "init_from": init_from,
        "reward": setting.game.rewards[0].name,
        "openings": 1.0,  # as the games it is scored on; from one position it would learn by heart how to win
    }
    args = PPOArguments(run=run, steps=steps, **defaults | arguments)

    # A folder that holds this run already is resumed, or left as it is if the run is complete.
    folder = RunFolder(run)
    resume = folder.checkpoint.exists()
    if resume:
        require_same(folder, args, fixed)
    if resume and folder.model.exists() and folder.curve.exists() and folder.last_steps() >= steps:
        return
    train(replace(args, resume=resume))


def require_same(folder: RunFolder, args: PPOArguments, names: Sequence[str]) -> None:
    """Raise `RfopError` where the run in a folder had other values than these arguments under some of the names."""
    arguments = asdict(PPOArguments()) | folder.read_metadata()["arguments"]
    values = {name: getattr(args, name) for name in names}
    differences = [
        f"{name} {shown(arguments[name])} instead of {value!r}"
        for name, value in values.items()
        if arguments[name] != value
    ]
    if differences:
        raise RfopError(f"{folder.path} is another run, with {', '.join(differences)}: choose another --run")
