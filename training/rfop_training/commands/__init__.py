"""The commands that this package adds to `rfop`: a module each."""

from rfop_env.command_line import Command

TRAIN, EVALUATE = "train", "evaluate"
HERE = "rfop_training.commands"
TORCH, NO_TORCH = "train", "evaluate"  # extras
COMMANDS = (
    Command("train ppo", TRAIN, "self-play PPO: one network for all seats", f"{HERE}.train:PPO", TORCH),
    Command(
        "train expert", TRAIN, "expert iteration: a network learns from its own search", f"{HERE}.train:Expert", TORCH
    ),
    Command("train maskable", TRAIN, "sb3-contrib's MaskablePPO", f"{HERE}.train:Maskable", TORCH),
    Command("curves", TRAIN, "draw learning curves", f"{HERE}.curves", TORCH),
    Command("demo", TRAIN, "train for five minutes, and compare", f"{HERE}.demo", TORCH),
    Command("evaluate", EVALUATE, "wins of agents on public deals", f"{HERE}.evaluate", NO_TORCH),
    Command("matrix", EVALUATE, "every pair of agents", f"{HERE}.matrix", NO_TORCH),
    Command("placements", EVALUATE, "agents at mixed tables of three or four", f"{HERE}.placements", NO_TORCH),
    Command("ratings", EVALUATE, "ratings from a matrix or mixed tables", f"{HERE}.ratings", NO_TORCH),
    Command("leaderboard", EVALUATE, "an entry against a fixed ladder of opponents", f"{HERE}.leaderboard", NO_TORCH),
    Command("participants", EVALUATE, "wins of people in a study, and its data", f"{HERE}.participants", NO_TORCH),
    Command("dataset", EVALUATE, "record games as a Minari data set", f"{HERE}.dataset", NO_TORCH),
)
