"""The parts of the build that pyproject.toml cannot declare; everything else stands there.

Each build starts from nothing. pip builds inside the checkout and setuptools packs whatever it
finds in ``build/``: after a failed compilation, or without cargo, the optional core of an earlier
build would be packed in silence beside newer Python.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext


class FreshBuildExt(build_ext):
    """Removes the core that an earlier editable install left among the sources."""

    def run(self) -> None:
        if self.inplace:
            for old in Path("engines").glob("_core.*.so"):
                old.unlink()
        super().run()


with tempfile.TemporaryDirectory(prefix="mtdf-build-") as directory:
    setup(
        cmdclass={"build_ext": FreshBuildExt},
        options={
            "build": {"build_base": directory},
            # One extension for every Python from 3.11 on: the tag of the wheel says so.
            "bdist_wheel": {"py_limited_api": "cp311"},
        },
    )
