"""Trainers and evaluation: run from a checkout, not part of the installed package."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's products here are small: a second thread costs more
