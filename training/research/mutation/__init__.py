"""Mutants of the rules: do the tests notice a changed rule?"""
