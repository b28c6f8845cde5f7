"""The tag of the wheel: one with compiled kernels is for this Python and platform, one without them for all."""

from pathlib import Path

from setuptools import Distribution, setup


class MaybeCompiled(Distribution):
    """The project, whose wheel is tagged as one with extension modules is where kernels lie in `rfop_env/compiled`."""

    def has_ext_modules(self) -> bool:
        """Whether compiled kernels come along."""
        return any(Path("rfop_env/compiled").glob("*/*/*.nbc"))


setup(distclass=MaybeCompiled)
