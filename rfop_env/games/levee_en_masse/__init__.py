"""Levée en Masse (2010) with its Expansion Kit, a solitaire game; RULES.md leads from rule to function to test."""
