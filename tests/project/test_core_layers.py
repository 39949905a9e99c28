"""Modules of the native core use only the modules below them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import networkx

Name = tuple[str, ...]
"""A module or what it holds, as a path from the root of the crate."""

TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:pub\(\w+\) )?mod \w+ \{.*?^\}", re.M | re.S)
NOISE = re.compile(r'//[^\n]*|"(?:[^"\\]|\\.)*"', re.S)
USE = re.compile(r"\buse ([^;]+);")
NAMED = re.compile(r"(?<![\w:])[a-z_]+(?:::\w+)+")


def test_no_circle_of_modules(root: Path) -> None:
    """Each file of the crate is a module; its tests may use all of them."""
    modules = _modules(root / "engines" / "core")
    graph = networkx.DiGraph(_edges(modules))
    notation, position = ("games", "chess", "notation"), ("games", "chess", "position")
    assert graph.has_edge(notation, position), "a name that the module above both hands on"
    assert graph.has_edge(("games", "playable"), ("contest",))
    found = [sorted(circle) for circle in networkx.strongly_connected_components(graph)]
    assert [circle for circle in found if len(circle) > 1] == []


def _modules(core: Path) -> dict[Name, str]:
    """The code of each module, without comments, texts and tests."""
    modules = {}
    for path in core.rglob("*.rs"):
        parts = path.relative_to(core).with_suffix("").parts
        if "tests" not in parts:
            name = tuple(part for part in parts if part not in ("mod", "lib"))
            modules[name] = NOISE.sub("", TESTS.sub("", path.read_text(encoding="utf-8")))
    return modules


def _edges(modules: dict[Name, str]) -> Iterator[tuple[Name, Name]]:
    """Each module with each other one that holds something it names."""
    used = {
        module: {path[-1]: _absolute(path, module, modules) for path in _used(code)}
        for module, code in modules.items()
    }
    for module, code in modules.items():
        named = [tuple(text.split("::")) for text in NAMED.findall(USE.sub("", code))]
        inside = [
            (*(used[module].get(path[0]) or _absolute(path[:1], module, modules)), *path[1:])
            for path in named
        ]
        for path in (*used[module].values(), *inside):
            owner = _owner(path, used)
            if owner != module:
                yield module, owner


def _used(code: str) -> Iterator[Name]:
    """The paths that a module brings in, as they are written."""
    for use in USE.findall(code):
        head, _, listed = use.partition("{")
        assert "{" not in listed, f"a list inside a list: {use}"
        for one in listed.rstrip("} \n,").split(","):
            path, _, _ = f"{head}{one}".partition(" as ")
            yield tuple(part.strip() for part in path.removesuffix("::self").split("::"))


def _absolute(path: Name, module: Name, modules: dict[Name, str]) -> Name:
    """A path from the root of the crate, which stands for other crates, too: it uses no module."""
    first, rest = path[0], path[1:]
    if first == "crate":
        return rest
    if first in ("self", "super"):
        above = module if first == "self" else module[:-1]
        return _absolute(rest, above, modules) if rest[:1] == ("super",) else (*above, *rest)
    return (*module, *path) if (*module, first) in modules else path


def _owner(path: Name, used: dict[Name, dict[str, Name]]) -> Name:
    """The module that holds what a path names, though another may hand it on."""
    module = next(path[:n] for n in range(len(path), -1, -1) if path[:n] in used)
    rest = path[len(module) :]
    if rest and rest[0] in used[module]:
        return _owner((*used[module][rest[0]], *rest[1:]), used)
    return module
