"""The undocumented names of Numba that this project uses, with the reason for each; tests/core/test_numba_names.py.

Before the upper bound of `numba` in `pyproject.toml` is raised, run `pytest tests/core` with the new version.
"""

PROBED = "0.68"  # the newest version of Numba that `tests/core` has passed with

# By the kind of object that has the name, an example of which the test makes.
NAMES = {
    "dispatcher": {"_cache": "kernels are loaded from and saved to `kernel_cache.KernelCache`"},
    "result": {
        "_reduce": "the parts of a compiled kernel that are saved",
        "_rebuild": "makes a kernel of what was saved",
    },
    "library": {
        "_final_module": "the LLVM module of a rule, which is linked into kernels",
        "_linking_libraries": "what a rule or kernel calls",
        "_shared_module": "a rule as functions compiled by `numba.njit` link it",
        "_finalized": "a rule is finished when it is lowered, without native code",
        "_optimize_functions": "Numba sets up passes for declarations, too: half of the time",
        "_get_module_for_linking": "how Numba's own libraries ask for the code of a rule",
    },
    "codegen": {
        "_data_layout": "of the functions that `_optimize_functions` optimises",
        "_function_pass_manager": "the passes that `_optimize_functions` runs",
    },
    "function": {"_impl_keys": "`lookup_cache` adds the code of an integer conversion"},
    "intrinsic": {"_defn": "`code_digest` reads the function of an intrinsic"},
    "struct": {"_getvalue": "the LLVM value of an array that an intrinsic makes"},
}

# Of numba-cuda, in core/cuda.
CUDA_NAMES = {
    "CUDATypingContext.__dispatcher": "where it looks for the device function of a rule (`cuda.rules`)",
    "dispatcher.get_current_device": "replaced while kernels are compiled for a card elsewhere (`cuda.programs`)",
}
