"""One laboratory run of another database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, func, insert, select, tuple_

from db.errors import MergeConflict
from db.merging.events import Say, Sides
from db.merging.heads import Lead, at_rest, head_changes, renamed
from db.merging.origins import free_name
from db.queries import lab
from db.queries.lab import TABLE
from db.queries.variants import variants_of
from db.records import LabRunRecord, MergedRows
from db.schema.declared import LAB_RUN, LAB_SEARCH
from db.schema.digests import LAB_RUNS, SEARCHES, seal

_PAGE = 500
"""Searches read at a time, and stored in one transaction; one may have some ten kilobytes."""
_OWN = [c for c in LAB_SEARCH.c if c.name not in ("run_id", "digest")]
_PLACE = (LAB_SEARCH.c.engine, LAB_SEARCH.c.position)
_SAME = ("depth", "value", "move", "interior", "leaves", "quiescence", "passes")
"""What two exact searches of one position have in common, whoever made them."""
_Place = tuple[int, int]


class LabMerge:
    """A laboratory run on its way. ``known``: the same run here, None: there is none yet."""

    def __init__(self, sides: Sides, source: LabRunRecord, known: LabRunRecord | None) -> None:
        self.source = source
        self.known = known
        self._sides = sides
        self._lead = Lead()
        """In searches."""

    def compare(self, say: Say) -> MergedRows:
        """As :meth:`db.merging.events.EventMerge.compare`."""
        sides, run_id = self._sides, self.source.id
        sides.verify(LAB_RUNS, LAB_RUN.c.id == run_id)
        sides.check_all_there(SEARCHES, run_id, f"laboratory run {self.source.name}")
        sides.verify_variants(engine.variant_id for engine in lab.engines(sides.source, run_id))
        found, searches = 0, 0
        with self._sides.target.read() as target:
            if self.known is not None:
                self._check_same(target, self.known)
            for page in self._pages():
                found += len(self._missing(target, page))
                searches += len(page)
                say(len(page))
            if self.known is None:
                return MergedRows(searches=found, changed=True)
            query = select(func.count()).where(LAB_SEARCH.c.run_id == self.known.id)
            more = target.execute(query).scalar_one() + found > searches
            self._lead = Lead(here=more, there=found > 0)
        return MergedRows(searches=found, changed=found > 0 or self._head() != {})

    def begin(self) -> LabRunRecord:
        """Store the run with its engines and positions, without searches, if it is new, under its
        name or a free one."""
        source, run = self._sides.source, self.source
        engines, positions = lab.engines(source, run.id), lab.positions(source, run.id)
        with self._sides.target.write() as target:
            name = free_name(target, run)
            status = "interrupted" if run.status == "done" else at_rest(run)
            settings = renamed(run.settings, name)
            stored = replace(run, name=name, settings=settings, status=status)
            variants = variants_of(source, [engine.variant_id for engine in engines])
            self.known = lab.create_run(target, stored, engines, positions, variants)
        return self.known

    def fill(self, say: Say) -> MergedRows:
        """Add the searches that are missing."""
        assert self.known is not None
        store, run_id, added = self._sides.target, self.known.id, 0
        for page in self._pages():
            with store.read() as target:
                missing = self._missing(target, page)
            if missing:
                with store.write() as target:
                    own = {"run_id": run_id}
                    target.execute(insert(LAB_SEARCH), [own | row for row in missing])
                    places = [(row["engine"], row["position"]) for row in missing]
                    seal(
                        target, SEARCHES, LAB_SEARCH.c.run_id == run_id, tuple_(*_PLACE).in_(places)
                    )
                added += len(missing)
            say(len(page))
        head = self._head()
        if head:
            with store.write() as target:
                TABLE.change(target, run_id, **head)
                self.known = TABLE.get(target, run_id)
        return MergedRows(searches=added, changed=True)

    def _pages(self) -> Iterator[list[dict[str, Any]]]:
        """The searches of the source in order, verified. Raises DatabaseCorrupt."""
        source = self._sides.source
        query = select(*_OWN).where(LAB_SEARCH.c.run_id == self.source.id).order_by(*_PLACE)
        after: _Place = (-1, -1)
        while True:
            rows = source.execute(query.where(tuple_(*_PLACE) > after).limit(_PAGE)).all()
            if not rows:
                return
            last: _Place = (rows[-1].engine, rows[-1].position)
            here = (tuple_(*_PLACE) > after, tuple_(*_PLACE) <= last)
            self._sides.verify(SEARCHES, LAB_SEARCH.c.run_id == self.source.id, *here)
            yield [dict(row._mapping) for row in rows]
            after = last

    def _missing(self, target: Connection, page: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The searches of a page that are not here. Raises MergeConflict for one that found
        something else here."""
        if self.known is None:
            return list(page)
        first, last = ((row["engine"], row["position"]) for row in (page[0], page[-1]))
        here = (tuple_(*_PLACE) >= first, tuple_(*_PLACE) <= last)
        query = select(*_PLACE, *(LAB_SEARCH.c[name] for name in _SAME))
        rows = target.execute(query.where(LAB_SEARCH.c.run_id == self.known.id, *here))
        known = {tuple(row[:2]): tuple(row[2:]) for row in rows}
        missing = []
        for row in page:
            place = row["engine"], row["position"]
            if place not in known:
                missing.append(row)
            elif known[place] != tuple(row[name] for name in _SAME):
                raise MergeConflict(
                    f"engine {place[0]} searched position {place[1]} with another result here"
                )
        return missing

    def _check_same(self, target: Connection, known: LabRunRecord) -> None:
        """Raises MergeConflict for other engines or positions."""
        source, run_id = self._sides.source, self.source.id
        pairs = zip(lab.engines(source, run_id), lab.engines(target, known.id), strict=False)
        for theirs, ours in pairs:
            if theirs.label != ours.label and theirs.variant_id == ours.variant_id:
                raise MergeConflict(
                    f"engine `{theirs.label}` is labelled `{ours.label}` here: give both one label "
                    "(mtdf engines rename)"
                )
        if lab.engines(source, run_id) != lab.engines(target, known.id):
            raise MergeConflict("it has other engines here")
        if lab.positions(source, run_id) != lab.positions(target, known.id):
            raise MergeConflict("it has other positions here")

    def _head(self) -> dict[str, Any]:
        """The columns of the run here that change."""
        assert self.known is not None
        return head_changes(self.source, self.known, self._lead, {})
