"""Lets the tests of this folder import its modules, and builds the disk that keeps a diary."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def disk_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``disk.c``, compiled. Skips the test where that is not possible."""
    if sys.platform != "linux":
        pytest.skip("files are watched by LD_PRELOAD, which is for Linux")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler (`cc`), which builds the disk of these tests")
    library = tmp_path_factory.mktemp("disk") / "disk.so"
    source = Path(__file__).with_name("disk.c")
    words = [compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip(f"disk.c cannot be compiled here: {built.stderr.splitlines()[0]}")
    return library
