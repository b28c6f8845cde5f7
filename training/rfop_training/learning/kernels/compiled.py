"""Compilation of the trainer's loops, which lie on disk beside the compiled rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rfop_env.compiler import JIT

# The compiler may reorder sums and fuse a product with a sum; infinite numbers and NaN keep their meaning.
FAST_MATH = {"reassoc", "contract", "nsz", "arcp"}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over float32 arrays, which releases Python's global lock; plain Python when `RFOP_JIT=0`."""
    if not JIT:
        return function

    import numba

    from rfop_env.compiler.kernel_cache import KernelCache

    dispatcher: Any = numba.njit(function, nogil=True, fastmath=FAST_MATH, error_model="numpy")
    dispatcher._cache = KernelCache(f"training.{function.__name__}", dispatcher, None)
    loop: Callable[..., Any] = dispatcher
    return loop
