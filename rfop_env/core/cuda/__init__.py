"""Batches on a graphics card (`device="cuda"`): the loop and the rules of `rfop_env.core`, compiled for it."""
