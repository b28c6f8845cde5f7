"""The two PPO trainers: arguments, buffer, collector, learner, snapshots, and runs."""
