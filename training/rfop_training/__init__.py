"""Trainers and evaluation; run as `python -m training.<file>` from a checkout."""
