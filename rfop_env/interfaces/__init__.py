"""Adapters for Gymnasium, PettingZoo, Stable-Baselines3 and other libraries; no rules inside."""
