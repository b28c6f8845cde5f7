"""RLlib's PPO in the environments of this package: arguments, algorithm, export of its networks, runs."""
