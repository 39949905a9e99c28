"""Mutants of the code that counts, and which tests kill them: what one suite catches and another
does not.

    python recipes/mutants.py run --tree OLD --python OLD/.venv/bin/python --out before.json
    python recipes/mutants.py run --tree NEW --python NEW/.venv/bin/python --again before.json \
        --out after.json
    python recipes/mutants.py compare before.json after.json

``--tree`` is a scratch copy of the sources, since mutants are written into it; ``--python`` has it
installed (``pip install -e '.[test]'``), and ``coverage`` too. ``run`` draws mutants of each room
with a fixed seed, or finds those of another run again by function and statement. It runs the tests
of a room once to learn which of them execute which line, in worker processes too. Then the tests
that execute a mutant run, quick ones first, until one fails or hangs; for a mutant at module level
all tests of its room do. With the same ``--out`` an interrupted run continues. ``show`` lists
survivors.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from mutations import Mutation, mutations

ROOMS = {
    "toolkit/stats": "tests/stats",
    "toolkit/events": "tests/events",
    "toolkit/ratings": "tests/reports tests/selection tests/stats/test_stats_published.py "
    "tests/show/charts/test_charts_events.py tests/cli/test_cli_ratings.py",
    "toolkit/tuning": "tests/tuning tests/show/charts/test_charts_study.py "
    "tests/cli/test_cli_tune.py",
    "db/queries": "tests/db tests/reports tests/selection",
    "engines/variant.py": "tests/engines/test_variant.py tests/engines/test_registry.py "
    "tests/engines/test_suggestion.py tests/events/test_contenders.py",
}
"""The tests of each room."""
_LEAST = {"engines/variant.py": 10}
_MORE = {"db/queries": 1.3}
"""Rooms of which not every mutant will be found again."""
_NEAR = 0.6
"""Similarity of statements from which one is taken for the other."""
_HANGS_S = 120.0
_COVERAGE = "[run]\nparallel = true\nsigterm = true\ncontext = ${PYTEST_CURRENT_TEST-}\n"
_LIBRARIES = "numpy scipy.stats scipy.optimize sqlalchemy.orm alembic.command optuna chess click"
"""Imported once for all mutants."""
Mutant = dict[str, Any]


def files_of(tree: Path, room: str) -> list[Path]:
    """The source files of a room."""
    return [tree / room] if room.endswith(".py") else sorted((tree / room).rglob("*.py"))


def draw(tree: Path, number: int, seed: int) -> list[Mutant]:
    """Mutants of all rooms in proportion to their code; one a line, and kinds equally likely."""
    lines = {r: sum(f.read_bytes().count(b"\n") for f in files_of(tree, r)) for r in ROOMS}
    drawn: list[Mutant] = []
    for room in ROOMS:
        chance = random.Random(f"{seed} {room}")
        found = [one for path in files_of(tree, room) for one in mutations(path, tree)]
        chance.shuffle(found)
        wanted = max(_LEAST.get(room, 20), round(number * lines[room] / sum(lines.values())))
        wanted, taken = round(wanted * _MORE.get(room, 1)), set()
        while wanted and found:
            kind = chance.choice(sorted({one.kind for one in found}))
            one = next(one for one in found if one.kind == kind)
            found.remove(one)
            text = (tree / one.file).read_bytes()
            if (one.file, one.lines) not in taken and one.is_one(text):
                taken.add((one.file, one.lines))
                drawn.append({"room": room, **one.record(text)})
                wanted -= 1
    return drawn


def find(tree: Path, mutant: Mutant) -> tuple[Mutation | None, str]:
    """A mutant in a tree that may have changed: the ``same``, one ``near`` it in its function, or
    one ``moved`` within its room."""
    path, wanted = tree / mutant["identity"][0], mutant["identity"]
    here = mutations(path, tree) if path.exists() else []
    for one in here:
        if one.identity() == wanted:
            return one, "same"
    for other in files_of(tree, mutant["room"]):
        for one in mutations(other, tree):
            if one.identity()[2:] == wanted[2:]:
                return one, "moved"
    near = [one for one in here if one.identity()[1:3] == wanted[1:3]]
    best = max(near, key=lambda one: _likeness(one.identity(), wanted), default=None)
    is_near = best is not None and _likeness(best.identity(), wanted) >= _NEAR
    return (best, "near") if is_near else (None, "not found")


def _likeness(ours: list[Any], theirs: list[Any]) -> float:
    """How much two statements and what is changed in them are alike, and in the same order."""
    texts = zip(ours[3:5], theirs[3:5], strict=True)
    alike = [SequenceMatcher(None, a.lower(), b.lower()).ratio() for a, b in texts]
    return sum(alike) / 2 - 0.01 * abs(ours[5] - theirs[5])


class Tests:
    """The tests of a room: how long each takes, and the lines that it executes."""

    def __init__(self, tree: Path, python: str, room: str, folder: Path) -> None:
        self.tree = tree
        compiled = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self._server = subprocess.Popen(
            ["nice", "-n", "10", python, __file__, "serve"],
            cwd=tree,
            env=compiled | {"PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        log, executed = (folder / f"{room.replace('/', '-')}.{end}" for end in ("log", "json"))
        if not executed.exists():
            self._measure(room, log, executed)
        self.executed: dict[str, dict[str, list[int]]] = json.loads(executed.read_text())
        reports = [line for line in _lines(log) if "outcome" in line]
        outcomes = {(line["test"], line["when"]): line["outcome"] for line in reports}
        self.failed = {test for (test, _), outcome in outcomes.items() if outcome == "failed"}
        self.passed = [t for t, when in outcomes if when == "call" and t not in self.failed]
        self.slow = {line["test"] for line in reports if line["slow"]}
        self.seconds: Counter[str] = Counter()
        for line in reports:
            self.seconds[line["test"]] += line["seconds"]
        print(f"{room}: {len(self.passed)} tests; without a mutant fail {sorted(self.failed)}")

    def _measure(self, room: str, log: Path, executed: Path) -> None:
        log.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="mutants") as name:
            config = Path(name) / "coveragerc"
            include = self.tree / room / ("" if room.endswith(".py") else "*")
            config.write_text(f"{_COVERAGE}data_file = {name}/data\ninclude = {include}\n")
            request = {"log": str(log), "config": str(config), "executed": str(executed)}
            self._pytest(
                [path for path in ROOMS[room].split() if (self.tree / path).exists()], request
            )
        failed = {line["test"] for line in _lines(log) if line.get("outcome") == "failed"}
        if failed:  # because of the measurement, perhaps: the last outcome counts
            self._pytest(sorted(failed), {"log": str(log)})

    def covering(self, mutant: Mutation) -> list[str]:
        """Tests that execute a mutant, in the order in which to run them. What a fixture executes
        may serve other tests of its file."""
        executed = self.executed.get(str(self.tree / mutant.file), {})
        at = [context for context, lines in executed.items() if set(lines) & set(mutant.lines)]
        exact = {context.rpartition(" (")[0] for context in at}
        shared = {context.split("::")[0] for context in at if context.endswith("(setup)")}
        near = {context.rpartition(" (")[0] for context in executed}

        def order(test: str) -> tuple[bool, bool, bool, int]:
            size = sum(self.seconds[test] > limit for limit in (0.1, 1, 10))
            return test in self.slow, test not in exact, test not in near, size

        in_shared = (test for test in self.passed if test.split("::")[0] in shared)
        tests = (
            self.passed if mutant.at_import else exact.intersection(self.passed).union(in_shared)
        )
        return sorted(sorted(tests, key=self.passed.index), key=order)

    def kill(self, tests: list[str]) -> dict[str, Any]:
        """Run tests until one fails; which one did."""
        with tempfile.TemporaryDirectory(prefix="mutants") as name:
            log = Path(name) / "log"
            request = {"log": str(log), "tests": tests, "known": [*self.passed, *self.failed]}
            request["limits"] = {test: _HANGS_S + 10 * self.seconds[test] for test in tests}
            code = self._pytest(sorted({test.split("::")[0] for test in tests}), request)
            lines = _lines(log)
        seconds = round(sum(line.get("seconds", 0) for line in lines), 1)
        if code == 0:
            return {"result": "survived", "seconds": seconds}
        failed = [line["test"] for line in lines if line.get("outcome") == "failed"]
        killer = failed[0] if failed else lines[-1]["test"] if lines else "(collection)"
        how = "failed" if failed else f"exit code {code} of pytest"
        marker = "slow" if killer in self.slow else "fast"
        killed = {"result": "killed", "killer": killer, "how": how, "marker": marker}
        return killed | {"seconds": seconds}

    def _pytest(self, paths: list[str], request: dict[str, Any]) -> int:
        assert self._server.stdin is not None and self._server.stdout is not None
        print(json.dumps([paths, request]), file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())


def serve() -> None:
    """Answer requests with exit codes of pytest. Each is a fork of a process that has what takes
    long to import, but nothing of the tree."""
    import pytest

    answers = os.dup(1)
    with open(os.devnull, "r+") as null:
        os.dup2(null.fileno(), 1)
        os.dup2(null.fileno(), 2)
    with tempfile.TemporaryDirectory() as empty:
        pytest.main([empty])  # imports the plugins
    for library in _LIBRARIES.split():
        importlib.import_module(library)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            os.setsid()
            os._exit(_run(*json.loads(line)))
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _run(paths: list[str], request: dict[str, Any]) -> int:
    """Run tests; with ``config``, and write the lines that each context executes."""
    import pytest

    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    del sys.argv[1:]
    measuring = None
    if "config" in request:
        import coverage

        os.environ["COVERAGE_PROCESS_START"] = request["config"]
        measuring = coverage.Coverage(config_file=request["config"])
        measuring.start()
    with tempfile.TemporaryDirectory(prefix="mutants") as name:
        words = ["-p", "no:cacheprovider", "--hypothesis-seed=0", f"--basetemp={name}/t"]
        words += ["-x"] if "tests" in request else []
        code = int(pytest.main([*paths, *words], plugins=[Recorder(request)]))
    if measuring is not None:
        measuring.stop()
        measuring.save()
        measuring.combine()
        executed: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        data = measuring.get_data()
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                for context in contexts:
                    executed[file][context].append(line)
        Path(request["executed"]).write_text(json.dumps(executed))
    return code


class Recorder:
    """A plugin of pytest: selects tests, notes what they do, and names them to ``coverage``."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.request = request
        self._log = open(request["log"], "a")  # open all the time: tests change the user
        self.places = {test: place for place, test in enumerate(request.get("tests", []))}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the tests asked for, in their order, and those that a mutant made."""
        if self.places:
            others = set(self.request["known"]) - self.places.keys()
            items[:] = [item for item in items if item.nodeid not in others]
            items.sort(key=lambda item: self.places.get(item.nodeid, len(self.places)))

    def pytest_runtest_setup(self, item: Any) -> None:
        """Note the start. A test that hangs ends the process."""
        self._note(test=item.nodeid)
        if item.nodeid in self.request.get("limits", {}):
            faulthandler.dump_traceback_later(self.request["limits"][item.nodeid], exit=True)
        self._name(f"{item.nodeid} (setup)")

    def pytest_runtest_call(self, item: Any) -> None:
        """What runs from here on is no fixture."""
        self._name(f"{item.nodeid} (call)")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note an outcome."""
        line = {"test": report.nodeid, "when": report.when, "outcome": report.outcome}
        self._note(**line, seconds=report.duration, slow="slow" in report.keywords)

    def _note(self, **line: Any) -> None:
        print(json.dumps(line), file=self._log, flush=True)

    @staticmethod
    def _name(context: str) -> None:
        if "coverage" in sys.modules:
            measuring = sys.modules["coverage"].Coverage.current()
            if measuring is not None:
                measuring.switch_context(context)


def _lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def run(arguments: argparse.Namespace) -> None:
    """Draw or find mutants, and run the tests that execute each."""
    tree, out = arguments.tree.resolve(), arguments.out
    if out.exists():
        mutants = json.loads(out.read_text())
    elif arguments.again:
        kept = ("room", "kind", "identity", "line", "before", "after")
        again = json.loads(arguments.again.read_text())
        mutants = [{key: mutant[key] for key in kept} for mutant in again]
    else:
        mutants = draw(tree, arguments.number, arguments.seed)
    folder = out.with_suffix(".tests")
    folder.mkdir(exist_ok=True)
    for room in arguments.rooms:
        ours = [mutant for mutant in mutants if mutant["room"] == room and "result" not in mutant]
        tests = Tests(tree, arguments.python, room, folder) if ours else None
        for mutant in ours:
            assert tests is not None
            mutant |= _judged(tree, mutant, tests)
            out.write_text(json.dumps(mutants, indent=1))
            print(f"{mutant['result']:12} {_line(mutant)}", flush=True)


def _judged(tree: Path, mutant: Mutant, tests: Tests) -> Mutant:
    """What becomes of a mutant."""
    one, found = find(tree, mutant)
    if one is None:
        return {"found": found, "result": "not found"}
    path, covering = tree / one.file, tests.covering(one)
    text, status = path.read_bytes(), path.stat()
    shown = {"found": found, "now": one.record(text)["after"], "tests": len(covering)}
    if not covering:
        return shown | {"result": "not covered"}
    try:
        path.write_bytes(one.apply(text))
        return shown | tests.kill(covering)
    finally:
        path.write_bytes(text)
        # Compiled files belong to a text by its time.
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _line(mutant: Mutant) -> str:
    file, scope, change = mutant["identity"][:3]
    after = " ".join(mutant["after"].split())
    return f"{file}:{mutant['line']} {scope}: {change}: {after[:120]} [{mutant.get('killer', '')}]"


def show(arguments: argparse.Namespace) -> None:
    """Print the mutants that no test killed."""
    for mutant in json.loads(arguments.file.read_text()):
        if mutant.get("result") != "killed":
            print(f"{mutant.get('result', 'not run'):12} {_line(mutant)}")
            print(f"    - {mutant['before']}\n    + {mutant['after']}")


def compare(arguments: argparse.Namespace) -> int:
    """Print a table by room and what is no longer killed. Exit code 1 if there is any."""
    before, after = (json.loads(path.read_text()) for path in (arguments.before, arguments.after))
    pairs = list(zip(before, after, strict=True))
    print(f"{'room':20} mutants  found  killed before (by slow)  killed after (by slow)")
    for room in [*ROOMS, "all"]:
        ours = [pair for pair in pairs if room in (pair[0]["room"], "all")]
        both = [pair for pair in ours if pair[1].get("result", "not found") != "not found"]
        killed = [[pair[k] for pair in both if pair[k]["result"] == "killed"] for k in (0, 1)]
        counts = [f"{len(k)} ({sum(m['marker'] == 'slow' for m in k)})" for k in killed]
        print(f"{room:20} {len(ours):7} {len(both):6} {counts[0]:>24} {counts[1]:>23}")
    lost = 0
    for old, new in pairs:
        if new.get("found") in ("near", "moved"):
            print(f"{new['found']}: {_line(old)}\n    now {' '.join(new['now'].split())}")
        if new.get("result", "not found") == "not found":
            print(f"not found: {_line(old)}")
        elif old["result"] == "killed" != new["result"]:
            lost += 1
            print(f"LOST ({new['result']}): {_line(old)}")
    return 1 if lost else 0


def main() -> int | None:
    """Parse the command line."""
    if sys.argv[1:] == ["serve"]:
        return serve()
    parser = argparse.ArgumentParser(description="Which tests kill which mutants.")
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("--tree", type=Path, required=True, help="scratch copy of the sources")
    running.add_argument("--python", default=sys.executable, help="interpreter with the sources")
    running.add_argument("--out", type=Path, required=True, help="results, so far or whole")
    running.add_argument("--again", type=Path, help="results whose mutants to find again")
    running.add_argument("--number", type=int, default=200)
    running.add_argument("--seed", type=int, default=35)
    running.add_argument("--rooms", nargs="*", choices=ROOMS, default=list(ROOMS))
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    commands.add_parser("show").add_argument("file", type=Path)
    arguments = parser.parse_args()
    return {"run": run, "compare": compare, "show": show}[arguments.command](arguments)


if __name__ == "__main__":
    sys.exit(main())
