"""Revolution (1992): RULES.md leads from rule to function to test."""
