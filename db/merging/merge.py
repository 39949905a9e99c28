"""Merging the runs of one database into another.

A run that is missing from the target is copied. The same run (``uid``) is extended if the source
has everything that the target has, and more; it stays as it is if the target has more; it is
refused if each has something that the other lacks, or results differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Select, Table, delete, insert, select, tuple_, update

from db.errors import MergeConflict
from db.merging.games import copy_pairs, missing_pages, stored_pairs
from db.merging.shared import as_stored
from db.queries import events, lab, named_engines, studies
from db.queries.ratings import rating_list_ids
from db.queries.runs import RunTable
from db.records.events import EventRecord
from db.records.laboratory import LabRunRecord
from db.records.runs import NOTE, PGN, MergedRows, RunRecord
from db.records.studies import StudyRecord
from db.schema.declared import (
    EVENT,
    EVENT_PLAYER,
    LAB_ENGINE,
    LAB_POSITION,
    LAB_RUN,
    LAB_SEARCH,
    PAIR_FAILURE,
    TUNING_CONFIRMATION,
    TUNING_ENCOUNTER,
    TUNING_STUDY,
    TUNING_TRIAL,
)
from db.storage.engine import Store

Say = Callable[[int], None]
"""Gets the number of rows that were just compared or copied."""
Stored = Iterable[tuple[Any, Any]]
"""Places in order, with the content that must be equal in two copies of a run."""
_TABLES: dict[type[RunRecord], tuple[Table, RunTable[Any]]] = {
    EventRecord: (EVENT, events.TABLE),
    StudyRecord: (TUNING_STUDY, studies.TABLE),
    LabRunRecord: (LAB_RUN, lab.TABLE),
}
_TOLD = 500
"""Results between two reports of progress."""
_SEARCHES = 500
"""Searches stored in one transaction; one may have some ten kilobytes."""


class Merge:
    """All runs of another database, in one state of it.

    Runs come in the order of their events there, studies in the place of the event with their
    games, those without one and laboratory runs last. So the runs of the source follow those of the
    target, as if they had been played here after them, and of games that repeat each other the same
    ones count.
    """

    def __init__(self, source: Connection, target: Store) -> None:
        self._source = source
        self._target = target
        self._events = {event.id: event for event in events.TABLE.all(source)}
        self._studies = studies.TABLE.all(source)
        self._new: dict[str, int] = {}
        """How many results of a run are only in the source."""

    def runs(self) -> list[RunRecord]:
        """The runs of the source."""
        of_event = {study.event_id: study for study in self._studies if study.event_id is not None}
        found: list[RunRecord] = [of_event.get(event.id, event) for event in self._events.values()]
        found += [study for study in self._studies if study.event_id is None]
        return found + list(lab.TABLE.all(self._source))

    def known(self, run: RunRecord) -> Any:
        """The same run in the target, if it is there."""
        table, records = _TABLES[type(run)]
        with self._target.read() as target:
            return next(iter(records.all(target, table.c.uid == run.uid)), None)

    def key(self, event_id: int) -> str:
        """The key of an event of the source."""
        return self._events[event_id].key

    def missing(self, run: RunRecord, say: Say) -> MergedRows:
        """What is missing here of a run; changes nothing. Raises MergeConflict."""
        known = self.known(run)
        games = self._games_of(run)
        found = [self._difference(one, self.known(one), say) for one in (*games, run)]
        here, there = (sum(numbers) for numbers in zip(*(one[:2] for one in found), strict=True))
        if here and there:
            raise MergeConflict(
                f"it went on in both databases: {here} of its results are only here, and {there} "
                "only there"
            )
        if here or not (known is None or any(map(self._is_further, (*games, run)))):
            return MergedRows()
        return sum((rows for *_, rows in found), MergedRows(changed=True))

    def begin(self, run: RunRecord) -> None:
        """Store a run without its results, under its name and key or free ones."""
        with self._target.write() as target:
            name = _free_name(target, run)
            own = {}
            for event in self._games_of(run):
                own = {"event_id": self._begin(target, event, name)}
            self._begin(target, run, name, **own)

    def fill(self, run: RunRecord, say: Say) -> MergedRows:
        """Add what is missing. It must be in the target, and this process must have its lock there.
        Games come first, so that a stored trial always has its games."""
        added = MergedRows(changed=True)
        for one in (*self._games_of(run), run):
            known = self.known(one)
            if isinstance(one, EventRecord):
                added += self._fill_event(one, known.id, say)
            elif isinstance(one, StudyRecord):
                added += self._fill_study(one, known.id)
            else:
                added += self._fill_lab(one, known.id, say)
            if self._is_further(one):
                self._take_head(one, known)
        return added

    def link_confirmations(self) -> None:
        """Note which events confirm which studies, where both are in the target."""
        query = select(TUNING_CONFIRMATION.c.study_id, TUNING_CONFIRMATION.c.event_id)
        by_id = {study.id: study for study in self._studies}
        for study_id, event_id in self._source.execute(query).all():
            study, event = self.known(by_id[study_id]), self.known(self._events[event_id])
            if study is None or event is None:
                continue
            with self._target.write() as target:
                if event.id not in studies.confirmations(target, study.id):
                    studies.add_confirmation(target, study.id, event.id)

    def add_named_engines(self, *, dry_run: bool) -> tuple[list[str], list[str]]:
        """Copy the named external engines of the source; returns the new names, and the names that
        belong to another engine here, which is kept."""
        theirs = named_engines.named_engines(self._source)
        with self._target.read() as connection:
            ours = {one.name: one for one in named_engines.named_engines(connection)}
        new = [one for one in theirs if one.name not in ours]
        other = [
            one.name
            for one in theirs
            if one.name in ours and dict(one.settings) != dict(ours[one.name].settings)
        ]
        if new and not dry_run:
            with self._target.write() as connection:
                for engine in new:
                    named_engines.add_named_engine(connection, engine)
        return [one.name for one in new], other

    def rating_lists(self) -> int:
        """The number of rating lists of the source, which are not merged."""
        return len(rating_list_ids(self._source))

    def _games_of(self, run: RunRecord) -> list[EventRecord]:
        """The event with the games of a study, if it has one."""
        event_id = run.event_id if isinstance(run, StudyRecord) else None
        return [] if event_id is None else [self._events[event_id]]

    def _difference(
        self, run: RunRecord, known: RunRecord | None, say: Say
    ) -> tuple[int, int, MergedRows]:
        """The number of results of a run that are only here, that are only there, and the rows of
        the latter. Raises MergeConflict."""
        if known is not None:
            self._check_same(run, known)
        stored, text = _RESULTS[type(run)]
        with self._target.read() as target:
            ours = stored(target, 0 if known is None else known.id)
            here, new = _compared(ours, stored(self._source, run.id), text, say)
        self._new[run.uid] = len(new)
        if isinstance(run, EventRecord):
            games = sum(number for _, number in new)
            return here, len(new), MergedRows(pairs=len(new), games=games)
        if isinstance(run, StudyRecord):
            begun = [what for (what, *_), _ in new]
            rows = MergedRows(trials=begun.count("trial"), encounters=begun.count("encounter"))
            return here, len(new), rows
        return here, len(new), MergedRows(searches=len(new))

    def _check_same(self, run: RunRecord, known: RunRecord) -> None:
        """Raises MergeConflict for other engines."""
        with self._target.read() as target:
            theirs, ours = _engines(self._source, run), _engines(target, known)
        for number, (one, other) in enumerate(zip(theirs, ours, strict=False)):
            if one != other:
                raise MergeConflict(f"engine {number} is another one here")

    def _is_further(self, run: RunRecord) -> bool:
        """Whether a run has progressed further there than here: it is longer, has ended, has more
        results, or was interrupted later."""
        known = self.known(run)
        theirs, ours = (
            (getattr(one, "pairs_planned", 0), one.status == "done") for one in (run, known)
        )
        if theirs != ours:
            return theirs > ours
        later = known.status != "done" and (run.ended_at or "") > (known.ended_at or "")
        return self._new[run.uid] > 0 or later

    def _begin(self, target: Connection, run: RunRecord, name: str, **own: Any) -> int:
        table, _ = _TABLES[type(run)]
        source = self._source
        # The run is complete only when its results are there.
        status = "interrupted" if run.status in ("running", "done") else run.status
        own |= {"name": name, "settings": _named(run, name), "status": status}
        if isinstance(run, EventRecord):
            own["key"] = events.free_key(target, run.key)
        if isinstance(run, StudyRecord):
            own |= {"event_id": own.get("event_id"), "result": None}
        rows = source.execute(select(table).where(table.c.id == run.id)).all()
        (values,) = as_stored(source, target, table, rows, **own)
        query = insert(table).values(values).returning(table.c.id)
        run_id: int = target.execute(query).scalar_one()
        if isinstance(run, EventRecord):
            self._add_players(target, run.id, run_id)
        if isinstance(run, LabRunRecord):
            for part in (LAB_ENGINE, LAB_POSITION):
                self._copy(target, part, select(part).where(part.c.run_id == run.id), run_id=run_id)
        return run_id

    def _copy(self, target: Connection, table: Table, query: Select[Any], **own: Any) -> int:
        """Store rows of the source; returns their number."""
        rows = self._source.execute(query).all()
        if rows:
            target.execute(insert(table), as_stored(self._source, target, table, rows, **own))
        return len(rows)

    def _add_players(self, target: Connection, source_id: int, event_id: int) -> None:
        """Add the players that joined the event in the source."""
        known = len(events.event_players(target, event_id))
        new = EVENT_PLAYER.c.position >= known
        query = select(EVENT_PLAYER).where(EVENT_PLAYER.c.event_id == source_id, new)
        self._copy(target, EVENT_PLAYER, query, event_id=event_id)

    def _fill_event(self, event: EventRecord, event_id: int, say: Say) -> MergedRows:
        with self._target.write() as target:
            self._add_players(target, event.id, event_id)
        with self._target.read() as target:
            pages = missing_pages(self._source, event.id, target, event_id)
        added = MergedRows()
        for page in pages:
            with self._target.write() as target:
                games, repeats = copy_pairs(self._source, event.id, target, event_id, page)
            added += MergedRows(pairs=len(page), games=games, repeats=repeats)
            say(games)
        return added

    def _fill_study(self, study: StudyRecord, study_id: int) -> MergedRows:
        """Trials and encounters change while a study runs, so those of the source replace those
        here."""
        numbers: list[int] = []
        with self._target.write() as target:
            for table in (TUNING_ENCOUNTER, TUNING_TRIAL):
                gone = target.execute(delete(table).where(table.c.study_id == study_id)).rowcount
                numbers.append(-gone)
            for at, table in ((1, TUNING_TRIAL), (0, TUNING_ENCOUNTER)):
                query = select(table).where(table.c.study_id == study.id)
                numbers[at] += self._copy(target, table, query, study_id=study_id)
        return MergedRows(encounters=numbers[0], trials=numbers[1])

    def _fill_lab(self, run: RunRecord, run_id: int, say: Say) -> MergedRows:
        place = tuple_(LAB_SEARCH.c.engine, LAB_SEARCH.c.position)
        with self._target.read() as target:
            here = {where for where, _ in _searches(target, run_id)}
        new = [where for where, _ in _searches(self._source, run.id) if where not in here]
        for at in range(0, len(new), _SEARCHES):
            some = place.in_(new[at : at + _SEARCHES])
            with self._target.write() as target:
                query = select(LAB_SEARCH).where(LAB_SEARCH.c.run_id == run.id, some)
                say(self._copy(target, LAB_SEARCH, query, run_id=run_id))
        return MergedRows(searches=len(new))

    def _take_head(self, run: RunRecord, known: RunRecord) -> None:
        """Take over the status and settings of a run, except its name and what was noted here."""
        table, _ = _TABLES[type(run)]
        settings = _named(run, known.name)
        settings |= {name: known.settings[name] for name in (NOTE, PGN) if name in known.settings}
        names = ["status", "started_ms", "ended_ms", "pairs_planned", "result"]
        columns = [table.c[name] for name in names if name in table.c]
        own = table.c.id == run.id
        values = dict(self._source.execute(select(*columns).where(own)).one()._mapping)
        status = "interrupted" if run.status == "running" else run.status
        values |= {"status": status, "settings": settings}
        with self._target.write() as target:
            target.execute(update(table).where(table.c.id == known.id).values(values))
            if table is EVENT:
                target.execute(delete(PAIR_FAILURE).where(PAIR_FAILURE.c.event_id == known.id))
                query = select(PAIR_FAILURE).where(PAIR_FAILURE.c.event_id == run.id)
                self._copy(target, PAIR_FAILURE, query, event_id=known.id)


def _engines(connection: Connection, run: RunRecord) -> list[str]:
    """The identities of the engines of a run."""
    if isinstance(run, EventRecord):
        return [one.variant_id for one in events.event_players(connection, run.id)]
    if isinstance(run, LabRunRecord):
        return [one.variant_id for one in lab.engines(connection, run.id)]
    return []


def _compared(
    ours: Stored, theirs: Stored, text: str, say: Say
) -> tuple[int, list[tuple[Any, int]]]:
    """The number of results that only this copy of a run has, and the places of those that only the
    other copy has, with their numbers of games. Both inputs are sorted. ``text`` names a place.
    Raises MergeConflict for a result that differs."""
    here, new = 0, []
    mine = iter(ours)
    known = next(mine, None)
    for number, (place, content) in enumerate(theirs, start=1):
        if number % _TOLD == 0:
            say(_TOLD)
        while known is not None and known[0] < place:
            here, known = here + 1, next(mine, None)
        if known is None or known[0] != place:
            new.append((place, len(content)))
            continue
        if known[1] != content:
            raise MergeConflict(f"{text.format(*place)} is another one here")
        known = next(mine, None)
    return here + (known is not None) + sum(1 for _ in mine), new


def _trials(connection: Connection, study_id: int) -> Stored:
    """The trials and encounters of a study and their outcomes, in order."""
    found: list[tuple[Any, Any]] = []
    own = select(TUNING_TRIAL).where(TUNING_TRIAL.c.study_id == study_id)
    for row in connection.execute(own):
        found.append((("trial", row.number), (row.params,)))
        if row.state != "running":
            outcome = (row.state, row.value, row.attributes, row.steps)
            found.append((("end of trial", row.number), outcome))
    own = select(TUNING_ENCOUNTER).where(TUNING_ENCOUNTER.c.study_id == study_id)
    for row in connection.execute(own):
        what = (row.trial, row.phase, row.first, row.second, row.opponent, row.first_pair)
        found.append((("encounter", row.number), (*what, row.pairs)))
        if row.scores is not None:
            found.append((("score of encounter", row.number), (row.scores,)))
    return sorted(found, key=lambda one: one[0])


def _searches(connection: Connection, run_id: int) -> Stored:
    """The searches of a laboratory run, in order, without what depends on the machine."""
    place = (LAB_SEARCH.c.engine, LAB_SEARCH.c.position)
    names = ("depth", "value", "move", "interior", "leaves", "quiescence", "passes")
    query = select(*place, *(LAB_SEARCH.c[name] for name in names)).order_by(*place)
    rows = connection.execute(query.where(LAB_SEARCH.c.run_id == run_id))
    return [(tuple(row[:2]), tuple(row[2:])) for row in rows]


_RESULTS: dict[type[RunRecord], tuple[Callable[[Connection, int], Stored], str]] = {
    EventRecord: (stored_pairs, "pair {1} of pairing {0}"),
    StudyRecord: (_trials, "{0} {1}"),
    LabRunRecord: (_searches, "the search of position {1} by engine {0}"),
}
"""How the results of each kind of run are read, and how messages name one."""


def _named(run: RunRecord, name: str) -> dict[str, Any]:
    """The settings of a run with its name, if they have one, and without what belongs to the
    machine."""
    settings = {key: value for key, value in run.settings.items() if key != PGN}
    return settings | ({"name": name} if "name" in settings else {})


def _free_name(target: Connection, run: RunRecord) -> str:
    """The name of a run, with a number if another run of its kind has it; an empty one stays."""
    taken = set(target.execute(select(_TABLES[type(run)][0].c.name)).scalars())
    name, number = run.name, 1
    while name and name in taken:
        number += 1
        name = f"{run.name}-{number}"
    return name


@contextmanager
def reading_merge(source: Store, target: Store) -> Iterator[Merge]:
    """The merge of one state of the source, which does not change within the context."""
    with source.read() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield Merge(connection, target)
