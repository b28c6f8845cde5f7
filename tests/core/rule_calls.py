"""Rules as functions that tests can call."""

from rfop_env.compiler import JIT


def from_python(function):
    """Rules are compiled without a way in from Python: this wraps one."""
    if not JIT:
        return function
    import numba

    return numba.njit(lambda *arguments: function(*arguments))
