"""Data sets of recorded games: `collect.py` plays agents in a batch, `minari_files.py` writes Minari data sets."""
