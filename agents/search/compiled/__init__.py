"""What Numba compiles of the search; the kernel cache depends on this folder, the core and the game's folder alone."""
