"""Figures of runs and matrices in one style."""
