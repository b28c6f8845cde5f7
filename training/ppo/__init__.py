"""The two PPO trainers: arguments, opponents, buffer, collector, learner, and the folder of a run."""
