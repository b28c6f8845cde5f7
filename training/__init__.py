"""Trainers and evaluation, one straight file each; run as `python -m training.<file>` from a checkout."""
