"""What the tests of the laboratory share. Lets them import ``synthetic``."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from db.records.laboratory import LabKind, LabPositionRecord, LabRunRecord, LabSearchRecord
from db.session import Database, open_database
from engines.spec import Pass, Variant
from toolkit.lab.agreement import proves_move
from toolkit.lab.effort import DepthEffort
from toolkit.lab.plan import LabEngine, LabPlan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import start_lab

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of toy searchers, found by worker processes too."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("toy_searchers")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with open_database(tmp_path / "lab.db") as opened:
        yield opened


@dataclass
class RunWriter:
    """Writes runs of places of lab-60 that nobody searched."""

    db: Database

    def __call__(
        self,
        engines: Sequence[Variant | LabEngine],
        *,
        name: str = "run",
        places: Sequence[int] = range(4),
        depth: int = 3,
        missing: Sequence[tuple[int, int]] = (),
        value: Callable[[int, int], int] = lambda place, depth: 10 * place + depth,
        below: Mapping[int, int] | None = None,
        guess: Callable[[int, int, int], int] = lambda engine, place, depth: 7 + engine,
        nodes: Callable[[int, int, int], int] = lambda engine, place, depth: 100 * depth,
    ) -> LabRunRecord:
        """Store a run: ``value`` of place and depth, less what engines find ``below`` it; ``guess``
        and ``nodes`` of engine, place and depth; without the ``missing`` engines and places. It
        is a sweep where an engine has a parameter."""
        some = [one if isinstance(one, LabEngine) else LabEngine(one, 0) for one in engines]
        openings = load_suite("lab-60").positions
        positions = tuple(
            LabPositionRecord(number, openings[place].label, openings[place].fen)
            for number, place in enumerate(places)
        )
        stop = threading.Event()
        stop.set()
        kind: LabKind = "compare" if all(one.parameter is None for one in some) else "sweep"
        plan = LabPlan(kind, "lab-60", "", tuple(some), positions, (depth,))
        record = start_lab(self.db, plan, name=name, stop=stop).run
        searches = []
        for engine, one in enumerate(some):
            for number, place in enumerate(places):
                made = [
                    _iteration(
                        d,
                        value(place, d) - (below or {}).get(engine, 0),
                        guess(engine, place, d),
                        nodes(engine, place, d),
                        value(place, d) if proves_move(one.variant) else None,
                    )
                    for d in range(1, depth + 1)
                ]
                if (engine, place) not in missing:
                    searches.append(_search(engine, number, made))
        self.db.repository.add_lab_searches(record.id, searches)
        return record


@pytest.fixture
def write_run(db: Database) -> RunWriter:
    """Write a run into the database."""
    return RunWriter(db)


def _iteration(
    depth: int, value: int, guess: int, nodes: int, move_value: int | None
) -> DepthEffort:
    whole = Pass(-32_700, 32_700, value, nodes)
    return DepthEffort(
        depth=depth,
        value=value,
        move="a2a3",
        move_value=move_value,
        first_guess=guess,
        interior=nodes,
        **dict.fromkeys(("leaves", "quiescence", "probes", "hits", "cutoffs"), 0),
        cpu_us=5,
        wall_us=5,
        passes=(whole,),
    )


def _search(engine: int, position: int, made: Sequence[DepthEffort]) -> LabSearchRecord:
    return LabSearchRecord(
        engine=engine,
        position=position,
        depth=len(made),
        value=made[-1].value,
        move="a2a3",
        interior=sum(one.interior for one in made),
        leaves=0,
        quiescence=0,
        passes=len(made),
        cpu_us=5 * len(made),
        iterations=[one.to_json() for one in made],
    )
