"""Training of an approximate best response to a frozen agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.network import NetworkAgent
from rfop_env.core.errors import RfopError
from rfop_env.options import option_text
from training.evaluation.best_response import require_several_seats
from training.evaluation.tasks import Setting
from training.learning.initial_network import sizes_of
from training.learning.run_folder import RunFolder
from training.ppo.arguments import SelfPlayArguments
from training.ppo.self_play import train

# For a response that starts from a trained network: with the defaults it would first forget much of what it knows.
FINE_TUNING = {"learning_rate": 3e-4, "ent_coef": 0.01, "final_ent_coef": 0.003}


def respond(agent: str, setting: Setting, run: Path, steps: int, init_from: str = "", **arguments: Any) -> None:
    """Train the response in the folder of its run, or resume it; `arguments` are those of `SelfPlayArguments`.

    It is trained on what it is scored on, unless `arguments` say otherwise: the outcome, and games that all open with
    random decisions where those of the evaluation do. It starts from the network `init_from`, or from the agent itself
    if that is a network, so it is no worse at the start. Raises `RfopError`.
    """
    # Check both names before anything is trained.
    require_several_seats(setting)
    initial = setting.agent(init_from or agent)
    setting.agent(agent)
    if isinstance(initial, NetworkAgent):
        init_from = init_from or agent
        arguments = FINE_TUNING | arguments | sizes_of(initial.weights)

    # A folder that holds this run already is resumed, or left as it is if the run is complete.
    folder, opponents = RunFolder(run), f"{agent}=1"
    resume = folder.checkpoint.exists()
    if resume:
        before = folder.read_metadata()["arguments"]
        if tuple(map(before.get, ("opponents", "steps", "env"))) != (opponents, steps, setting.env):
            raise RfopError(f"{run} is another run: choose another --run")
    if resume and folder.model.exists() and folder.curve.exists() and folder.last_steps() >= steps:
        return

    own: dict[str, Any] = {
        "env": setting.env,
        "option": option_text(dict(setting.options)),
        "opponents": opponents,
        "evaluate_against": agent,
        "init_from": init_from,
        "reward": setting.game.rewards[0].name,
        "openings": 1.0,  # as the games it is scored on; from one position it would learn by heart how to win
    }
    train(SelfPlayArguments(run=run, steps=steps, resume=resume, **own | arguments))
