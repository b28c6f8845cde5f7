"""The commands of `python -m training.research`."""

from __future__ import annotations

from rfop_env.command_line import Command

STUDY, PUBLISH, SPEED, HOUSE = "agents", "published results", "speed", "this repository"
HERE = "training.research"
COMMANDS = (
    Command("respond", STUDY, "a best response to an agent", f"{HERE}.lab.best_response"),
    Command("end-games", STUDY, "end games that are solved exactly", f"{HERE}.lab.end_games"),
    Command("luck", STUDY, "wins with a control variate for chance", f"{HERE}.lab.luck"),
    Command("distribution", STUDY, "how games end, and how tracks stand", f"{HERE}.lab.distribution"),
    Command("action-use", STUDY, "which actions an agent takes", f"{HERE}.lab.action_use"),
    Command("methods", STUDY, "compare methods of training", f"{HERE}.publishing.methods"),
    Command("reproduce", PUBLISH, "train published curves and play tables again", f"{HERE}.publishing.reproduce"),
    Command("curves", PUBLISH, "draw the published curves", f"{HERE}.publishing.curve_figures"),
    Command("publish", PUBLISH, "make a baseline of a run", f"{HERE}.publishing.baselines"),
    Command("profile", SPEED, "where the time of training goes", f"{HERE}.speed.profile"),
    Command("training", SPEED, "decisions and labels a second of training", f"{HERE}.speed.bench_training"),
    Command("recording", SPEED, "decisions a second of a data set", f"{HERE}.speed.bench_recording"),
    Command("budgets", SPEED, "searches by time beside searches by simulations", f"{HERE}.speed.bench_budgets"),
    Command("docs", HOUSE, "rewrite the generated parts of the pages", f"{HERE}.generator.write_pages"),
    Command("notebooks", HOUSE, "run the notebooks and store their outputs", f"{HERE}.generator.notebooks"),
    Command("site", HOUSE, "build the documentation as pages", f"{HERE}.site.build_site"),
    Command("mutation", HOUSE, "do the tests notice a changed rule", f"{HERE}.mutation.try_mutants"),
)
