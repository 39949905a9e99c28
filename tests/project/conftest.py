"""The checkout that the tests of the project itself look at."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("toolkit", "engines", "db")
_NOT_OURS = {".git", ".venv", "build", "dist", "target", "__pycache__", "node_modules"}


@pytest.fixture(scope="session")
def root() -> Path:
    """The directory that holds pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def pyproject(root: Path) -> dict[str, Any]:
    """pyproject.toml, read."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def cargo_toml(root: Path) -> dict[str, Any]:
    """Cargo.toml, read."""
    return tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def sources(root: Path) -> list[Path]:
    """The Python modules that are installed, without the tests."""
    found = [root / "cli.py"]
    for package in PACKAGES:
        found += sorted((root / package).rglob("*.py"))
    return found


@pytest.fixture(scope="session")
def project_files(root: Path) -> list[Path]:
    """Every file of the project: those that git tracks, or in an unpacked archive all."""
    if shutil.which("git") and (root / ".git").exists():
        command = ["git", "-C", str(root), "ls-files", "-z"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        paths = [root / name for name in listed.split("\0") if name]
        return [path for path in paths if path.is_file()]
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.is_file() and not _NOT_OURS.intersection(path.relative_to(root).parts)
    ]
