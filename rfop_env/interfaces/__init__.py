"""Adapters for Gymnasium, PettingZoo and Stable-Baselines3; no rules inside."""
