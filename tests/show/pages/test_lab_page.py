"""The page of a laboratory run with several threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from db.session import Database, open_database
from engines.spec import Iteration
from engines.variant import parse_variant
from toolkit.lab import measuring, notes
from toolkit.lab import run as lab_run
from toolkit.lab.effort import DepthEffort
from toolkit.lab.parallel import parallel_plan
from toolkit.lab.plan import LabPlan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import LabProgress, start_lab
from toolkit.show.pages.lab import lab_subject
from toolkit.show.pages.parts import Drawing, Subject, TableBlock, Words

pytestmark = pytest.mark.native


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """An empty database on a machine with two cores."""
    monkeypatch.setattr(lab_run, "available_cores", lambda: 2)
    monkeypatch.setattr(measuring, "_WARM_CPU_MS", 1)
    made = DepthEffort.of

    def steady(iteration: Iteration, cpu_us: int, move_value: int | None) -> DepthEffort:
        """Times follow nodes, whatever else the machine does."""
        found = made(iteration, cpu_us, move_value)
        return replace(found, wall_us=1000 * found.nodes)

    monkeypatch.setattr(DepthEffort, "of", steady)
    with open_database(tmp_path / "mtdf.db") as database:
        yield database


def plan(*engines: str, positions: int = 6) -> LabPlan:
    variants = [parse_variant(f"{engine}:entries=2^12,eval=pst") for engine in engines]
    suite = load_suite("lab-60", positions)
    ways, numbers = ("lazy", "abdada"), (2, 4)
    return parallel_plan(variants, numbers, ways, suite, [2], mode="exact", cores=2)


def words(subject: Subject) -> list[str]:
    """What the result says, the verdict first."""
    first, *others = [one for one in subject.sections[0].blocks if isinstance(one, Words)]
    assert first.role == "verdict" and not any(one.role == "verdict" for one in others)
    return [first.text, *(one.text for one in others if one.role != "note")]


def test_page_shows_gains_by_threads(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "disturbed", lambda _: [])  # other programs may have the cores
    subject = lab_subject(db, start_lab(db, plan("pvs", "mtdf", positions=12), name="gains").run)
    (result,) = subject.sections
    blocks = result.blocks
    (drawing,) = [one for one in blocks if isinstance(one, Drawing)]
    assert "each over itself on one thread" in drawing.picture.title
    tables = {one.caption: one for one in blocks if isinstance(one, TableBlock)}
    assert list(tables) == [
        "Ratios to one thread of the same engine", "Gains over those of the first",
    ]  # fmt: skip
    first, second = tables.values()
    assert (len(first.rows), len(second.rows)) == (10, 4)
    assert [cell.text for cell in second.rows[1]][1:4] == ["4", "lazy", "--"]
    verdict, *others = words(subject)
    assert verdict.startswith("Speed-up: ") and "Overhead" not in verdict
    assert others[0].startswith("Overhead: ")
    assert others[1].startswith("Speed-up over one thread: pvs:")
    assert "with 2 threads (lazy) " in others[1]
    assert "with 4" not in others[1] and len(others) == 2


@pytest.mark.parametrize("engines", [("mtdf",), ("pvs", "mtdf", "sss")])
def test_verdict_is_short_for_any_number_of_engines(db: Database, engines: tuple[str, ...]) -> None:
    subject = lab_subject(db, start_lab(db, plan(*engines, positions=4)).run)
    verdict, *rest = words(subject)
    assert verdict.startswith("Speed-up over one thread: ")
    assert verdict.count("threads (") == 2
    assert rest[-1].startswith("No intervals: ")


def test_interrupted_run_without_ratios_is_marked(db: Database) -> None:
    stop = threading.Event()

    def stop_at_once(progress: LabProgress) -> None:
        stop.set()

    outcome = start_lab(db, plan("mtdf"), name="cut", on_progress=stop_at_once, stop=stop)
    assert outcome.done <= 6, "one thread alone has searched"
    subject = lab_subject(db, outcome.run)
    searches = f"{outcome.done} of {outcome.total} searches"
    assert words(subject) == [f"No ratio is known yet (so far: {searches}, interrupted)"]
    assert not any(isinstance(one, Drawing) for one in subject.sections[0].blocks)
