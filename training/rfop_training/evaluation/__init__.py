"""Evaluation of agents on fixed public seeds: games, statistics, matrices, ratings, placements, and reports."""
