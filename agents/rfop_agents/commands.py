"""The commands that this package adds to `rfop`."""

from rfop_env.command_line import Command

SPEED = "speed"
COMMANDS = (
    Command("bench search", SPEED, "simulations per second", "rfop_agents.search.bench"),
    Command("bench first-use", SPEED, "what compiling a search costs", "rfop_agents.search.first_use"),
)
