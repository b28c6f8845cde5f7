"""The commands that this package adds to `rfop`: a module each."""

from rfop_env.command_line import Command

TRAIN, EVALUATE, STUDY, PUBLISH, SPEED = "train", "evaluate", "look closer", "reproduce and publish", "speed"
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
    Command("respond", EVALUATE, "a best response to an agent", f"{HERE}.respond", TORCH),
    Command("luck", EVALUATE, "wins with the luck taken out", f"{HERE}.luck", NO_TORCH),
    Command("leaderboard", EVALUATE, "an entry against a fixed ladder of opponents", f"{HERE}.leaderboard", NO_TORCH),
    Command("distribution", STUDY, "how games end, and how tracks stand", f"{HERE}.distribution", NO_TORCH),
    Command("action-use", STUDY, "which actions an agent takes", f"{HERE}.action_use", NO_TORCH),
    Command("end-games", STUDY, "end games that are solved exactly", f"{HERE}.end_games", NO_TORCH),
    Command("dataset", STUDY, "record games as a Minari data set", f"{HERE}.dataset", NO_TORCH),
    Command("reproduce", PUBLISH, "train the published curves anew", f"{HERE}.reproduce", TORCH),
    Command("methods", PUBLISH, "compare methods of training", f"{HERE}.methods", TORCH),
    Command("publish", PUBLISH, "make a baseline of a run", f"{HERE}.publish", TORCH),
    Command("profile", SPEED, "where the time of training goes", f"{HERE}.profile", TORCH),
    Command("bench training", SPEED, "decisions and labels a second of training", f"{HERE}.bench_training", TORCH),
    Command("bench recording", SPEED, "decisions a second of a data set", f"{HERE}.bench_recording", TORCH),
    Command("bench budgets", SPEED, "searches by time beside searches by simulations", f"{HERE}.bench_budgets", TORCH),
)
