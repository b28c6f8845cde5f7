"""What the rooms of this folder share: the parser of command lines, files of results, and the git revision."""
