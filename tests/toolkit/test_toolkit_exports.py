"""Every name of ``from toolkit import …`` is documented, and importing it is cheap."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable

import pytest

import toolkit

Failing = Callable[..., list[str]]


def test_every_exported_name_is_documented(failing: Failing) -> None:
    def check(name: str) -> None:
        value = getattr(toolkit, name)
        assert value.__name__ == name
        assert inspect.getdoc(value)
        assert name in dir(toolkit)

    assert not failing(check, zip(toolkit.__all__))


def test_unknown_name_is_attribute_error() -> None:
    with pytest.raises(AttributeError, match="toolkit attribute gauntlt"):
        _ = toolkit.gauntlt


def test_import_loads_no_heavy_module() -> None:
    code = "import sys, toolkit; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in out.stdout.split()}
    assert not loaded & {"sqlalchemy", "alembic", "numpy", "scipy", "rich", "chess", "click"}
