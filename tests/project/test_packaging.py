"""What is installed and what is declared agree with the sources."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path
from typing import Any

import pytest


def _is_installed_file(path: Path) -> bool:
    """Whether a file below a package belongs in the wheel."""
    known = path.suffix in {".py", ".pyi", ".mako"} or path.name == "py.typed"
    return known or path.parent.name in {"data", "assets", "templates"}


def test_wheel_holds_the_packages_and_nothing_else(root: Path, project_files: list[Path]) -> None:
    files = importlib.metadata.files("mtdf") or []
    installed = {f.as_posix() for f in files if "/" in f.as_posix() or f.suffix == ".py"}
    installed = {f for f in installed if not f.startswith("..") and ".dist-info/" not in f}
    if not any(f.startswith("toolkit/") for f in installed):
        pytest.skip("an editable install lists no files")
    installed = {f for f in installed if "__pycache__" not in f and f != "engines/_core.abi3.so"}
    wanted = {
        path.relative_to(root).as_posix()
        for path in project_files
        if path.relative_to(root).parts[0] in {"toolkit", "engines", "db"}
        and _is_installed_file(path)
        and "engines/core/" not in path.as_posix()
    }
    assert installed == wanted | {"cli.py"}


def test_every_package_is_typed(root: Path) -> None:
    for package in ("toolkit", "engines", "db"):
        assert (root / package / "py.typed").is_file()
    assert (root / "engines" / "_core.pyi").is_file()


def test_one_version(root: Path, pyproject: dict[str, Any], cargo_toml: dict[str, Any]) -> None:
    version = pyproject["project"]["version"]
    assert importlib.metadata.version("mtdf") == version
    assert cargo_toml["package"]["version"] == version
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{version}]" in changelog or "## [Unreleased]" in changelog


@pytest.mark.native
def test_core_has_the_same_version(pyproject: dict[str, Any]) -> None:
    from engines import _core

    assert _core.version() == pyproject["project"]["version"]


def test_dependencies_have_lower_bounds_and_no_upper_ones(pyproject: dict[str, Any]) -> None:
    project = pyproject["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    wanted += pyproject["build-system"]["requires"]
    plain = r"[\w.-]+(\[\w+\])?>=[\d.]+"
    assert [text for text in wanted if not re.fullmatch(plain, text)] == []


def test_dependencies_are_those_that_are_imported(
    pyproject: dict[str, Any], modules: dict[str, Any]
) -> None:
    own = {"toolkit", "engines", "db", "cli"}
    imported = {name.split(".")[0] for module in modules.values() for name in module.imports}
    third_party = imported - sys.stdlib_module_names - own
    project = pyproject["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["cluster"]]
    declared = {re.split(r"[>=]", text)[0].lower() for text in wanted}
    # Each distribution that is used has the name of its package, but for upper case and hyphens.
    # Optuna's sampler of that name imports cmaes, and does not bring it.
    declared = {name.removesuffix("-python").replace("-", "_") for name in declared}
    # What only an extra brings is imported where it is needed: of the driver of a server only the
    # errors.
    assert third_party - {"psycopg"} | {"cmaes"} == declared


def test_minimum_rust_is_in_the_readme(root: Path, cargo_toml: dict[str, Any]) -> None:
    rust = cargo_toml["package"]["rust-version"]
    assert f"Rust {rust}" in (root / "README.md").read_text(encoding="utf-8")


def test_chess_crate_is_pinned_and_locked(root: Path, cargo_toml: dict[str, Any]) -> None:
    assert cargo_toml["dependencies"]["cozy-chess"]["version"] == "=0.3.4"
    lock = (root / "Cargo.lock").read_text(encoding="utf-8")
    assert 'name = "cozy-chess"\nversion = "0.3.4"' in lock


def test_core_uses_no_language_newer_than_its_minimum(
    root: Path, cargo_toml: dict[str, Any]
) -> None:
    """Clippy knows the age of library calls, not of syntax: let chains came with Rust 1.88."""
    major, minor = (int(part) for part in cargo_toml["package"]["rust-version"].split(".")[:2])
    chains = [
        path.name
        for path in (root / "engines" / "core").rglob("*.rs")
        if re.search(r"(?:&&\s*let\s|\bif\s+let\b[^{;]*?&&\s*let\b)", path.read_text("utf-8"))
    ]
    assert not chains or (major, minor) >= (1, 88), chains


def test_no_file_names_a_path_of_a_machine(project_files: list[Path], root: Path) -> None:
    places = "|".join(("home", "root", "Users", "work", "workspace"))
    pattern = re.compile(rf"(?<![\w.:/-])/(?:{places})/\w")
    found = []
    for path in project_files:
        data = path.read_bytes()
        if b"\0" not in data and pattern.search(data.decode("latin-1")):
            found.append(path.relative_to(root).as_posix())
    assert found == []
