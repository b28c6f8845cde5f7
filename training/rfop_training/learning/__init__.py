"""What the trainers share: arguments, networks, opponents, games, the run with its folder, and the clock."""
