"""What ``from toolkit import …`` offers, and what importing it costs."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import toolkit


@pytest.mark.parametrize("name", toolkit.__all__)
def test_every_exported_name_is_there_and_documented(name: str) -> None:
    value = getattr(toolkit, name)
    assert value.__name__ == name
    assert inspect.getdoc(value)
    assert name in dir(toolkit)


def test_type_checkers_see_what_is_exported() -> None:
    tree = ast.parse(Path(str(toolkit.__file__)).read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module not in ("__future__", "typing")
        for alias in node.names
    }
    assert seen == toolkit._HOME
    assert sorted(seen) == sorted(toolkit.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute `gauntlt`"):
        _ = toolkit.gauntlt


def test_importing_the_toolkit_imports_nothing_heavy() -> None:
    code = "import sys, toolkit; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in out.stdout.split()}
    assert not loaded & {"sqlalchemy", "alembic", "numpy", "scipy", "rich", "chess", "click"}
