"""The part of the repository that runs of the search laboratory are kept by."""

from __future__ import annotations

from collections.abc import Sequence

from db import lab_runs
from db.engine import Store
from db.records import (
    LabEngineRecord,
    LabPositionRecord,
    LabRunRecord,
    LabSearchRecord,
    RunStatus,
    VariantRecord,
)


class LabRepository:
    """Runs of the laboratory, behind methods that are one transaction each; see
    :class:`db.repository.Repository`, which has them."""

    _store: Store

    def create_lab_run(
        self,
        run: LabRunRecord,
        engines: Sequence[LabEngineRecord],
        positions: Sequence[LabPositionRecord],
        variants: Sequence[VariantRecord] = (),
    ) -> LabRunRecord:
        """Store a run with its engines, whose variants are stored where they are new, and its
        positions; gives it with its id. Empty ``created_at`` means now. RecordError: its name is
        taken or none, or numbers do not count from 0."""
        with self._store.write() as connection:
            run_id = lab_runs.create_run(connection, run, engines, positions, variants)
            return lab_runs.get_run(connection, run_id)

    def lab_runs(self) -> list[LabRunRecord]:
        """Every run that is what was stored, the oldest first; :meth:`damaged_lab_runs` names the
        others."""
        with self._store.read() as connection:
            return lab_runs.all_runs(connection)

    def lab_names(self) -> list[str]:
        """The name of every run, the oldest first, also of one that was damaged."""
        with self._store.read() as connection:
            return lab_runs.names(connection)

    def damaged_lab_runs(self) -> dict[int, str]:
        """A line for each run that is not what was stored, by id; searches are not read."""
        with self._store.read() as connection:
            return lab_runs.damaged(connection)

    def lab_run(self, run_id: int) -> LabRunRecord:
        """The run of that id. NotFound, DatabaseCorrupt."""
        with self._store.read() as connection:
            return lab_runs.get_run(connection, run_id)

    def find_lab_run(self, text: str) -> LabRunRecord:
        """The run of a name, a unique beginning of a name, or ``last``: the newest. NotFound: there
        is none, or more than one. DatabaseCorrupt."""
        with self._store.read() as connection:
            return lab_runs.find_run(connection, text)

    def set_lab_status(self, run_id: int, status: RunStatus) -> None:
        """Note that a run has begun or ended, and when. NotFound, RecordError."""
        with self._store.write() as connection:
            lab_runs.set_status(connection, run_id, status)

    def forget_lost_lab_searches(self, run_id: int) -> int:
        """No longer miss the searches of a run that are gone, because they are about to be made
        again; how many they are."""
        with self._store.write() as connection:
            return lab_runs.forget_lost_searches(connection, run_id)

    def lab_engines(self, run_id: int) -> list[LabEngineRecord]:
        """The engines of a run in their order."""
        with self._store.read() as connection:
            return lab_runs.engines(connection, run_id)

    def lab_positions(self, run_id: int) -> list[LabPositionRecord]:
        """The positions of a run in their order."""
        with self._store.read() as connection:
            return lab_runs.positions(connection, run_id)

    def add_lab_searches(self, run_id: int, searches: Sequence[LabSearchRecord]) -> None:
        """Store searches, all or none. One that is stored already stays as it is. RecordError: a
        search of an engine or a position that the run has not."""
        with self._store.write() as connection:
            lab_runs.add_searches(connection, run_id, searches)

    def lab_searches(self, run_id: int) -> list[LabSearchRecord]:
        """The searches of a run by engine and position. DatabaseCorrupt."""
        with self._store.read() as connection:
            return lab_runs.searches(connection, run_id)

    def lab_searched(self, run_id: int) -> set[tuple[int, int]]:
        """(engine, position) of every search that :meth:`lab_searches` gives."""
        with self._store.read() as connection:
            return lab_runs.searched(connection, run_id)

    def count_lab_searches(self) -> dict[int, int]:
        """How many searches runs have, by id; those without are left out."""
        with self._store.read() as connection:
            return lab_runs.count_searches(connection)
