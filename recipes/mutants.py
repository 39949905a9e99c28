"""Mutants of the code that counts, and which tests kill them: what one test suite catches and
another does not. Needs ``coverage`` in the environment of ``--python``, and a scratch copy of the
sources that is installed there with ``pip install -e``: each mutant is written into it.

    python recipes/mutants.py run --tree OLD --python OLD/.venv/bin/python --out before.json
    python recipes/mutants.py run --tree NEW --python NEW/.venv/bin/python --again before.json \
        --out after.json
    python recipes/mutants.py compare before.json after.json

A mutant is the text of a file with one operator, constant, comparison or call changed. ``run``
draws them with a fixed seed from each room, or finds those of another run again by their function
and statement.
It runs the tests of a room once to learn which tests execute which line, in worker processes too.
Then it runs the tests that execute a mutant, quick ones first, until one fails or takes too long. A
mutant at module level gets all tests of its room. An interrupted run continues with the same
``--out``. ``--rooms`` limits a run. ``show`` lists the mutants that survived.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from mutations import Mutation, mutations  # noqa: E402

ROOMS = {
    "toolkit/stats": ["tests/stats"],
    "toolkit/play": ["tests/play"],
    "toolkit/ratings": [
        *("tests/reports", "tests/selection", "tests/stats/test_stats_published.py"),
        *("tests/charts/test_charts_events.py", "tests/cli/test_cli_ratings.py"),
    ],
    "toolkit/tuning": ["tests/tuning", "tests/charts/test_charts_study.py"],
    "db/queries": ["tests/db", "tests/reports", "tests/selection"],
    "engines/variant.py": [
        *("tests/engines/test_variant.py", "tests/engines/test_registry.py"),
        *("tests/engines/test_suggestion.py", "tests/play/test_contenders.py"),
    ],
}
"""The tests of each room."""
_LEAST = {"engines/variant.py": 10}
_MORE = {"db/queries": 1.3}
"""Shares of rooms whose lines are about to change, so that enough mutants are found again."""
_NEAR = 0.6
"""Similarity of statements from which one is taken for the other."""
_COVERAGE = """[run]
parallel = true
sigterm = true
context = ${PYTEST_CURRENT_TEST-}
"""
_DRAWN = ("room", "kind", "identity", "line", "before", "after")
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
    """A mutant in a tree that may have changed: the same, ``near`` in the same function, or
    ``moved`` elsewhere in its room."""
    path = tree / mutant["identity"][0]
    here = mutations(path, tree) if path.exists() else []
    for one in here:
        if one.identity() == mutant["identity"]:
            return one, "same"
    for other in files_of(tree, mutant["room"]):
        if other.exists():
            for one in mutations(other, tree):
                if one.identity()[2:] == mutant["identity"][2:]:
                    return one, "moved"
    near = [one for one in here if one.identity()[1:3] == mutant["identity"][1:3]]
    scores = [(_likeness(one.identity(), mutant["identity"]), one) for one in near]
    score, best = max(scores, key=lambda pair: pair[0], default=(0.0, None))
    return (best, "near") if score >= _NEAR else (None, "not found")


def _likeness(ours: list[Any], theirs: list[Any]) -> float:
    """How much the statement and what is changed in it are alike, and in the same order."""
    texts = zip(ours[3:5], theirs[3:5], strict=True)
    alike = [SequenceMatcher(None, a.lower(), b.lower()).ratio() for a, b in texts]
    return sum(alike) / 2 - 0.01 * abs(ours[5] - theirs[5])


class Tests:
    """The tests of a room: how long each takes, and the lines that it executes."""

    def __init__(self, tree: Path, python: str, room: str, folder: Path) -> None:
        self.tree, self.python, self.room = tree, python, room
        self.log = folder / f"{room.replace('/', '-')}.jsonl"
        self.data = folder / f"{room.replace('/', '-')}.coverage"
        if not self.data.exists():
            self._measure()
        reports = [line for line in _lines(self.log) if "outcome" in line]
        outcomes = {(line["test"], line["when"]): line["outcome"] for line in reports}
        failed = {test for (test, _), outcome in outcomes.items() if outcome == "failed"}
        self.slow = {line["test"] for line in reports if line["slow"]}
        self.passed = [test for test, when in outcomes if when == "call" and test not in failed]
        self.failed = sorted(failed)
        self.seconds: Counter[str] = Counter()
        for line in reports:
            self.seconds[line["test"]] += line["seconds"]
        self._contexts: dict[str, dict[int, list[str]]] = {}
        print(f"{room}: {len(self.passed)} tests; without a mutant fail: {self.failed}", flush=True)

    def _measure(self) -> None:
        self.log.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="mutants") as name:
            config = Path(name) / "coveragerc"
            include = f"{self.tree / self.room}{'' if self.room.endswith('.py') else '/*'}"
            config.write_text(f"{_COVERAGE}data_file = {name}/data\ninclude = {include}\n")
            wrapped = ["-m", "coverage", "run", f"--rcfile={config}"]
            paths = [path for path in ROOMS[self.room] if (self.tree / path).exists()]
            environment = {"COVERAGE_PROCESS_START": str(config)}
            request = {"log": str(self.log), "environment": environment}
            self._pytest(wrapped, paths, [], None, request)
            combine = ["-m", "coverage", "combine", "-q", f"--rcfile={config}"]
            subprocess.run([self.python, *combine], cwd=self.tree, check=True)
            failed = {line["test"] for line in _lines(self.log) if line.get("outcome") == "failed"}
            if failed:  # because of the measurement, perhaps: the last outcome counts
                self._pytest([], sorted(failed), [], None, {"log": str(self.log)})
            self.data.write_bytes((Path(name) / "data").read_bytes())

    def covering(self, mutant: Mutation) -> list[str]:
        """Tests that execute a mutant, in the order in which to run them. A fixture may serve
        other tests of its file."""
        lines = self._executed(mutant.file)
        touching = {_test_of(c) for contexts in lines.values() for c in contexts}
        at = [c for n in mutant.lines for c in lines.get(n, ())]
        tests = {_test_of(context) for context in at}
        shared = {_test_of(c).split("::")[0] for c in at if c.endswith("(setup)")}
        kept = [
            test
            for test in self.passed
            if mutant.at_import or test in tests or test.split("::")[0] in shared
        ]
        return sorted(
            kept,
            key=lambda test: (
                *(test in self.slow, test not in tests, test not in touching),
                next((k for k, most in enumerate((0.1, 1, 10)) if self.seconds[test] < most), 3),
            ),
        )

    def _executed(self, file: str) -> dict[int, list[str]]:
        """The contexts of each line of a file, read with the coverage of the other interpreter."""
        if file not in self._contexts:
            code = (
                "import json, sys; from coverage import CoverageData; _, data, file = sys.argv\n"
                "d = CoverageData(data); d.read(); print(json.dumps(d.contexts_by_lineno(file)))"
            )
            words = [self.python, "-c", code, str(self.data), str(self.tree / file)]
            text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            self._contexts[file] = {int(line): found for line, found in json.loads(text).items()}
        return self._contexts[file]

    def kill(self, tests: list[str]) -> dict[str, Any]:
        """Run tests until one fails; says which one did."""
        with tempfile.TemporaryDirectory(prefix="mutants") as name:
            log = Path(name) / "log"
            request = {"log": str(log), "tests": tests, "known": self.passed + self.failed}
            request["limits"] = {test: 30 + 10 * self.seconds[test] for test in tests}
            timeout = 120 + 5 * sum(self.seconds[test] for test in tests)
            paths = sorted({test.split("::")[0] for test in tests})
            code = self._pytest([], paths, ["-x"], timeout, request)
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

    def _pytest(
        self,
        wrapped: list[str],
        paths: list[str],
        options: list[str],
        timeout: float | None,
        request: dict[str, Any],
    ) -> int | None:
        """The exit code of pytest; None if it took too long."""
        with tempfile.TemporaryDirectory(prefix="mutants") as name:
            asked = Path(name) / "request.json"
            asked.write_text(json.dumps(request))
            words = [*wrapped, __file__, "_pytest", str(asked), *paths, *options, "-q"]
            words += ["-p", "no:cacheprovider", "--hypothesis-seed=0", f"--basetemp={name}/t"]
            extra = {"PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_STORAGE_DIRECTORY": f"{name}/h"}
            process = subprocess.Popen(
                ["nice", "-n", "10", self.python, *words],
                cwd=self.tree,
                env=os.environ | extra | request.get("environment", {}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class Recorder:
    """A plugin of pytest: selects tests, notes what they do, and names them to ``coverage``."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.request = request
        self.places = {test: place for place, test in enumerate(request.get("tests", []))}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the tests asked for, in their order, and those that a mutant made."""
        if self.places:
            known = set(self.request["known"]) - self.places.keys()
            items[:] = [item for item in items if item.nodeid not in known]
            items.sort(key=lambda item: self.places.get(item.nodeid, len(self.places)))

    def pytest_runtest_setup(self, item: Any) -> None:
        """Note the start, and end the process if the test takes too long."""
        self._note(test=item.nodeid)
        limit = self.request.get("limits", {}).get(item.nodeid)
        if limit is not None:
            faulthandler.dump_traceback_later(limit, exit=True)
        self._name(f"{item.nodeid} (setup)")

    def pytest_runtest_call(self, item: Any) -> None:
        """What runs from here on is the test's own."""
        self._name(f"{item.nodeid} (call)")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note an outcome."""
        self._note(
            test=report.nodeid,
            when=report.when,
            outcome=report.outcome,
            seconds=report.duration,
            slow="slow" in report.keywords,
        )

    def _note(self, **line: Any) -> None:
        with open(self.request["log"], "a") as file:
            print(json.dumps(line), file=file)

    @staticmethod
    def _name(context: str) -> None:
        if "coverage" in sys.modules:
            measuring = sys.modules["coverage"].Coverage.current()
            if measuring is not None:
                measuring.switch_context(context)


def _lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def _test_of(context: str) -> str:
    return context.rpartition(" (")[0]


def run(arguments: argparse.Namespace) -> None:
    """Draw or find mutants, and run the tests that execute each."""
    tree, out = arguments.tree.resolve(), arguments.out
    source = out if out.exists() else arguments.again
    if source is None:
        mutants = draw(tree, arguments.number, arguments.seed)
    else:
        mutants = json.loads(source.read_text())
        if source == arguments.again:
            mutants = [{key: mutant[key] for key in _DRAWN} for mutant in mutants]
    folder = out.with_suffix(".tests")
    folder.mkdir(exist_ok=True)
    for room in arguments.rooms or ROOMS:
        tests = None
        for mutant in mutants:
            if mutant["room"] == room and "result" not in mutant:
                tests = tests or Tests(tree, arguments.python, room, folder)
                mutant |= _judged(tree, mutant, tests)
                out.write_text(json.dumps(mutants, indent=1))
                print(f"{mutant['result']:12} {_line(mutant)}", flush=True)


def _judged(tree: Path, mutant: Mutant, tests: Tests) -> Mutant:
    """What became of a mutant."""
    one, found = find(tree, mutant)
    if one is None:
        return {"found": found, "result": "not found"}
    path, covering = tree / one.file, tests.covering(one)
    text, times = path.read_bytes(), path.stat()
    shown = {"found": found, "now": one.record(text), "tests": len(covering)}
    if not covering:
        return shown | {"result": "not covered"}
    try:
        path.write_bytes(one.apply(text))
        return shown | tests.kill(covering)
    finally:
        path.write_bytes(text)
        # Compiled files of the text are known by its time.
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


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
    print(f"{'room':20} mutants  comparable  killed before (by slow)  killed after (by slow)")
    for room in [*ROOMS, "all"]:
        ours = [pair for pair in pairs if room in (pair[0]["room"], "all")]
        both = [pair for pair in ours if pair[1].get("result", "not found") != "not found"]
        killed = [[pair[k] for pair in both if pair[k]["result"] == "killed"] for k in (0, 1)]
        counts = [f"{len(k):>10} ({sum(m['marker'] == 'slow' for m in k)})" for k in killed]
        print(f"{room:20} {len(ours):7} {len(both):11} {counts[0]:>24} {counts[1]:>23}")
    lost = 0
    for old, new in pairs:
        if new.get("found") in ("near", "moved"):
            print(f"{new['found']}: {_line(old)}\n    now {new['now']['after'].strip()}")
        if new.get("result") == "not found":
            print(f"not found: {_line(old)}")
        elif old.get("result") == "killed" != new.get("result"):
            lost += 1
            print(f"LOST ({new.get('result')}): {_line(old)}")
    return 1 if lost else 0


def main() -> int:
    """Parse the command line."""
    if sys.argv[1:2] == ["_pytest"]:
        import pytest

        request, *words = sys.argv[2:]
        del sys.argv[1:]
        return pytest.main(words, plugins=[Recorder(json.loads(Path(request).read_text()))])
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("--tree", type=Path, required=True, help="scratch copy of the sources")
    running.add_argument("--python", default=sys.executable, help="interpreter it is installed in")
    running.add_argument("--out", type=Path, required=True, help="results, so far or whole")
    running.add_argument("--again", type=Path, help="results whose mutants to find again")
    running.add_argument("--number", type=int, default=200)
    running.add_argument("--seed", type=int, default=35)
    running.add_argument("--rooms", nargs="*", choices=ROOMS)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    commands.add_parser("show").add_argument("file", type=Path)
    arguments = parser.parse_args()
    return {"run": run, "compare": compare, "show": show}[arguments.command](arguments) or 0


if __name__ == "__main__":
    sys.exit(main())
