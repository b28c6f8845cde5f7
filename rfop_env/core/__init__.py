"""The core: records, batches, randomness and compilation. It knows no game."""
