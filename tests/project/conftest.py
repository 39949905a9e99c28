"""The checkout that the tests of the project itself look at."""

from __future__ import annotations

import ast
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

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


@dataclass(frozen=True)
class Source:
    """What the tests ask of an installed module."""

    imports: set[str]
    """Dotted names of all that it imports, at its top, inside a function or by name."""
    loads: bool
    """Whether it imports by names that it computes."""
    texts: set[str]
    """All strings but docstrings, and the parts of formatted ones."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Of a file."""
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        imports, loads = set[str](), False
        docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts = {
            node.value for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            and id(node) not in docs
        }  # fmt: skip
        for node in nodes:
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if called.endswith(("import_module", "__import__")):
                    loads = True
                    given = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
                    imports.update(text for text in given if isinstance(text, str))
            elif isinstance(node, ast.Import):
                imports.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imports.update(f"{node.module}.{alias.name}" for alias in node.names)
        return cls(imports, loads, texts)


@pytest.fixture(scope="session")
def modules(sources: list[Path], root: Path) -> dict[str, Source]:
    """The installed modules, by their files."""
    return {path.relative_to(root).as_posix(): Source.read(path) for path in sources}


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
