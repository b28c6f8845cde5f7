"""Compiled loops of the trainer: the layers of a network whose inputs are mostly 0, or whose outputs mostly illegal."""
