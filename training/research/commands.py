"""The commands of `python -m training.research`."""

from __future__ import annotations

from rfop_env.command_line import Command

STUDY, PUBLISH, SPEED, HOUSE = "agents", "published results", "speed", "this repository"
PROGRAM = "python -m training.research"


def _command(name: str, group: str, text: str, module: str) -> Command:
    return Command(name, group, text, f"training.research.{module}", program=PROGRAM)


COMMANDS = (
    _command("respond", STUDY, "a best response to an agent", "lab.best_response"),
    _command("psro", STUDY, "a champion trained against its best responses", "lab.psro"),
    _command("end-games", STUDY, "end games that are solved exactly", "lab.end_games"),
    _command("beliefs", STUDY, "what beliefs say of hidden cards, and win", "lab.beliefs"),
    _command("luck", STUDY, "wins with a control variate for chance", "lab.luck"),
    _command("distribution", STUDY, "how games end, and how tracks stand", "lab.distribution"),
    _command("game-card", STUDY, "a game in figures, between equal players", "lab.game_card"),
    _command("action-use", STUDY, "which actions an agent takes", "lab.action_use"),
    _command("puzzles", STUDY, "positions in which one action is best by far", "lab.puzzles"),
    _command("methods", STUDY, "compare methods of training", "publishing.methods"),
    _command("reproduce", PUBLISH, "train published curves and play tables again", "publishing.reproduce"),
    _command("curves", PUBLISH, "draw the published curves", "publishing.curve_figures"),
    _command("coverage", PUBLISH, "how often the intervals of curves have the mean", "publishing.coverage"),
    _command("publish", PUBLISH, "make a baseline of a run", "publishing.baselines"),
    _command("profile", SPEED, "where the time of training goes", "speed.profile"),
    _command("training", SPEED, "decisions and labels a second of training", "speed.bench_training"),
    _command("recording", SPEED, "decisions a second of a data set", "speed.bench_recording"),
    _command("budgets", SPEED, "searches by time beside searches by simulations", "speed.bench_budgets"),
    _command("search", SPEED, "simulations a second of searches", "speed.search_speed"),
    _command("first-use", SPEED, "what compiling a search costs", "speed.search_first_use"),
    _command("docs", HOUSE, "rewrite the generated parts of the pages", "generator.write_pages"),
    _command("notebooks", HOUSE, "run the notebooks and store their outputs", "generator.notebooks"),
    _command("site", HOUSE, "build the documentation as pages", "site.build_site"),
    _command("house", HOUSE, "measure the source and check its rules", "house"),
    _command("mutation", HOUSE, "do the tests notice a changed rule", "mutation.try_mutants"),
    _command("copies", SPEED, "what copying games costs", "copy_cost"),
    _command("device", SPEED, "decisions per second on a graphics card", "device_speed"),
    _command("libraries", SPEED, "decisions per second in other libraries", "library_speed"),
    _command("peers", SPEED, "decisions per second of other libraries' games", "peers"),
    _command("mutants", HOUSE, "read mutated positions in a process that checks bounds", "mutants"),
)
