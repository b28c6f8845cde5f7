"""Thin coats for the libraries people use: Gymnasium, PettingZoo, Stable-Baselines3; no rules inside."""
