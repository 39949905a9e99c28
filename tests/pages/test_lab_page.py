"""The page of a laboratory run with several threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.session import Database, open_database
from engines.variant import parse_variant
from toolkit.lab import run as lab_run
from toolkit.lab.parallel import parallel_plan
from toolkit.lab.plan import LabPlan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import LabProgress, start_lab
from toolkit.pages.lab import lab_subject
from toolkit.pages.parts import Drawing, Subject, Table, Words

pytestmark = pytest.mark.native


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """An empty database on a machine with two cores."""
    monkeypatch.setattr(lab_run, "available_cores", lambda: 2)
    with open_database(tmp_path / "mtdf.db") as database:
        yield database


def plan(*engines: str, positions: int = 12) -> LabPlan:
    variants = [parse_variant(f"{engine}:entries=2^12,eval=pst") for engine in engines]
    suite = load_suite("lab-60", positions)
    ways, numbers = ("lazy", "abdada"), ("2", "4")
    return parallel_plan(variants, numbers, ways, suite, 3, mode="exact", cores=2)


def verdict(subject: Subject) -> str:
    words = [one for one in subject.sections[0].blocks if isinstance(one, Words)]
    return next(one.text for one in words if one.is_verdict)


def test_a_page_shows_gains_by_threads_and_no_pass_of_several(db: Database) -> None:
    subject = lab_subject(db, start_lab(db, plan("pvs", "mtdf"), name="gains").run)
    assert [one.title for one in subject.sections] == ["Result", "Speed-up and nodes by threads"]
    blocks = subject.sections[1].blocks
    (drawing,) = [one for one in blocks if isinstance(one, Drawing)]
    assert "over themselves on one thread" in drawing.picture.title
    tables = {one.caption: one for one in blocks if isinstance(one, Table)}
    assert list(tables) == [
        "Ratios to one thread of the same engine", "Gains over those of the first",
    ]  # fmt: skip
    first, second = tables.values()
    assert (len(first.rows), len(second.rows)) == (10, 4)
    assert [cell.text for cell in second.rows[1]][1:4] == ["4", "lazy", "--"]
    told = verdict(subject)
    assert told.startswith("Speed-up over one thread: ")
    assert "(lazy)" in told and "with 4" not in told.split(". ")[0]
    assert "Speed-up: " in told and "Overhead: " in told


def test_a_run_that_compared_nothing_says_so(db: Database) -> None:
    stop = threading.Event()

    def stop_at_once(progress: LabProgress) -> None:
        stop.set()

    outcome = start_lab(db, plan("mtdf"), name="cut", on_progress=stop_at_once, stop=stop)
    assert outcome.done <= 12, "one thread alone has searched"
    subject = lab_subject(db, outcome.run)
    assert verdict(subject) == "No ratio is known yet: the run is interrupted."
    assert not any(isinstance(one, Drawing) for one in subject.sections[1].blocks)
