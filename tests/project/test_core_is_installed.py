"""The core under test is the one that an installation built, and it is optimised."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from engines import backend


@pytest.fixture(scope="module")
def core() -> ModuleType:
    return importlib.import_module("engines._core")


def _is_editable() -> bool:
    text = importlib.metadata.distribution("mtdf").read_text("direct_url.json")
    return bool(text and json.loads(text).get("dir_info", {}).get("editable"))


def test_core_is_there_where_it_is_expected() -> None:
    if not os.environ.get("MTDF_EXPECT_CORE"):
        pytest.skip("MTDF_EXPECT_CORE is not set, so the reference may stand in for the core")
    assert importlib.import_module("engines._core").version()


@pytest.mark.native
def test_core_comes_from_the_installation(core: ModuleType, root: Path) -> None:
    place = Path(core.__file__ or "").resolve()
    if _is_editable():
        assert place.parent == root / "engines"
    else:
        assert place.parent == Path(sysconfig.get_path("platlib"), "engines").resolve()
        assert place.parent != root / "engines"


@pytest.mark.native
def test_core_is_optimised(core: ModuleType) -> None:
    assert core.build_profile() == "release"


@pytest.mark.native
def test_core_serves_every_python_from_the_first(core: ModuleType) -> None:
    assert Path(core.__file__ or "").name == "_core.abi3.so"


@pytest.mark.native
def test_native_backend_is_the_one_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MTDF_BACKEND", raising=False)
    assert backend.backend_name() == "native"
    assert backend.fallback_reason() is None
