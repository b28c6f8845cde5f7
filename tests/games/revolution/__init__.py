"""Tests of Revolution; a package, so that other games may have files of the same names."""
