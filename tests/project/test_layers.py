"""Packages import only what their layer may."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grimp
import pytest

Modules = Mapping[str, Any]
HEAVY = {"alembic", "chess", "db", "numpy", "rich", "scipy", "sqlalchemy", "engines._core"}
NO_EVENT = {"alembic", "asyncssh", "chess", "dask", "db.merging", "jinja2", "optuna"}
NO_EVENT |= {"engines.reference", "sqlalchemy.orm", "toolkit.books.making"}
NO_EVENT |= {"toolkit.runs.dask.executor"}
NO_SERVER = {"db.storage.server_lock", "psycopg", "sqlalchemy.dialects.postgresql"}
NO_COMMAND = NO_EVENT | NO_SERVER | {"rich", "scipy"}
NO_READER = NO_COMMAND | {"numpy", "toolkit.books", "toolkit.runs.pool"}
UNUSED = {
    "match mtdf pvs --pairs 1 --nodes 50 --jobs 1": NO_COMMAND,
    "--help": HEAVY,
    "--version": HEAVY,
    "gauntlet --help": HEAVY,
    "events": NO_READER,
    "games": NO_READER,
    "game last": NO_READER - {"chess"},
    "ratings": NO_COMMAND,
    "doctor": NO_READER,
}
"""What commands do not import, because it would delay their start."""
BY_NAME = {
    "engines/built.py": "the core, which may be missing",
    "toolkit/base/version.py": "each package, whose sources it hashes",
    "toolkit/commands/__init__.py": "commands, of which one is loaded",
    "toolkit/tuning/measuring/imported.py": "objectives and samplers of users",
    "toolkit/tuning/samplers/sampler.py": "what a sampler needs, which may be missing",
}
"""What modules import by names in strings, where no contract sees it."""
NAMING = "toolkit/show/notebook.py"
"""Names other modules in strings: IPython compares types of results with them, it imports none."""
NO_WORKER = NO_COMMAND | {"asyncio", "click", "dataclasses", "db.session", "numpy", "sqlalchemy"}
NO_WORKER |= {"engines.external.identify", "toolkit.books", "toolkit.events.settings"}


def _importers(modules: Modules, *wanted: str) -> set[str]:
    """Modules that import one of the names or something inside it."""
    return {
        file
        for file, module in modules.items()
        for name in module.imports
        if any(name == want or name.startswith(f"{want}.") for want in wanted)
    }


def test_import_contracts_hold(root: Path) -> None:
    linter = Path(sysconfig.get_path("scripts"), "lint-imports")
    done = subprocess.run(
        [sys.executable, str(linter), "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_cli_imports_only_click_and_the_toolkit(modules: Modules) -> None:
    tops = {name.split(".")[0] for name in modules["cli.py"].imports}
    assert tops - sys.stdlib_module_names - {"__future__"} == {"click", "toolkit"}


def test_nothing_imports_the_cli_or_research(modules: Modules) -> None:
    assert _importers(modules, "cli", "claims", "judge_claims") == set()


def test_match_imports_what_it_needs(tmp_path: Path) -> None:
    line = next(iter(UNUSED))
    assert _needless(line, tmp_path) == set()


@pytest.mark.slow
def test_commands_import_what_they_need(tmp_path: Path) -> None:
    """The commands work on the database that the match makes."""
    needless = {line: _needless(line, tmp_path) for line in UNUSED}
    assert needless == dict.fromkeys(UNUSED, set())


def _needless(line: str, folder: Path) -> set[str]:
    """What a command imports in vain."""
    script = (
        "import sys, cli\n"
        f"sys.argv = ['mtdf', *{line.split()!r}]\n"
        "try:\n    cli.main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print('imported:', *sys.modules)"
    )
    return _loaded(script, folder) & UNUSED[line]


def test_workers_of_events_import_what_they_need(tmp_path: Path) -> None:
    script = "import sys, toolkit.events.worker\nprint('imported:', *sys.modules)"
    assert _loaded(script, tmp_path) & NO_WORKER == set()


def test_perfect_scores_are_rated_without_scipy(tmp_path: Path) -> None:
    """The coordinator of an event that one side wins rates it, too, in the same memory."""
    script = (
        "import sys\nfrom toolkit.stats.ratings import EncounterCounts, rate\n"
        "rate([EncounterCounts('a', 'b', 5, 0, 5), EncounterCounts('c', 'a', 5, 0, 0)])\n"
        "rate([EncounterCounts('a', 'b', 5, 0, 0)])\nprint('imported:', *sys.modules)"
    )
    assert "scipy" not in _loaded(script, tmp_path)


def _loaded(script: str, folder: Path) -> set[str]:
    """The modules that a script names at the end of its output, after `imported:`."""
    env = {name: value for name, value in os.environ.items() if name != "MTDF_DB"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env=env,
    )
    loaded = set(done.stdout.rpartition("imported: ")[2].split())
    assert "toolkit" in loaded
    return loaded


def test_search_types_need_only_the_standard_library_and_msgspec(modules: Modules) -> None:
    tops = {name.split(".")[0] for name in modules["engines/spec.py"].imports}
    assert tops <= sys.stdlib_module_names | {"msgspec"}


def test_one_module_imports_the_core(modules: Modules) -> None:
    assert _importers(modules, "engines._core") == {"engines/built.py"}


def test_contracts_see_all_imports(modules: Modules) -> None:
    names = {_dotted(file) for file in modules}
    naming = {
        file
        for file, module in modules.items()
        for text in module.texts
        if "." in text and (named := text.rstrip(".")) in names
        if not f"{_dotted(file)}.".startswith(f"{named}.")
    }
    assert {file for file, module in modules.items() if module.loads} == set(BY_NAME)
    assert naming == {NAMING}


def _dotted(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def test_only_db_imports_sqlalchemy(modules: Modules) -> None:
    found = _importers(modules, "sqlalchemy", "alembic")
    assert found
    assert {name for name in found if not name.startswith("db/")} == set()


def test_modules_are_named_after_what_they_hold(sources: list[Path]) -> None:
    vague = {"utils", "util", "helpers", "common", "misc"}
    assert [path for path in sources if path.stem.strip("_") in vague] == []


def _room(module: str) -> str:
    """The package of a module below ``toolkit``; ``engines`` and ``db`` are rooms as a whole."""
    top, _, rest = module.partition(".")
    return f"{top}.{rest.partition('.')[0]}" if top == "toolkit" and rest else top


def _part(module: str) -> str:
    """The part of a room: ``toolkit.tuning.models`` of each of its modules."""
    return ".".join(module.split(".")[:3])


def test_no_circle_of_imports() -> None:
    """Neither of modules nor of packages, not even by imports in functions or for types alone."""
    graph = grimp.build_graph("toolkit", "engines", "db", cache_dir=None)
    for level in (str, _part, _room):
        imports: dict[str, set[str]] = {}
        for module in graph.modules:
            own = level(module)
            others = {level(other) for other in graph.find_modules_directly_imported_by(module)}
            imports.setdefault(own, set()).update(others - {own})
        in_circles = {start for start in imports if start in _reached(start, imports)}
        assert not in_circles


def _reached(start: str, imports: dict[str, set[str]]) -> set[str]:
    """Every module that one leads to."""
    seen: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += imports[module]
    return seen
