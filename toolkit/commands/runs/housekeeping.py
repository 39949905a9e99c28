"""What ``rm``, ``rename`` and ``annotate`` of events, studies and laboratory runs share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.format import count_of, event_text
from toolkit.base.output import Output
from toolkit.commands._invocation import Invocation

if TYPE_CHECKING:
    from db.records.runs import Removed, RunRecord
    from db.session import Database
    from toolkit.runs.housekeeping import NamedRow, RemovedRow

Find = Callable[["Database", str], "RunRecord"]
YES = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
NEW_NAME = click.argument("name", metavar="NAME")
NOTE = click.argument("text", metavar="NOTE")


def remove(invocation: Invocation, find: Find, names: Sequence[str], yes: bool) -> None:
    """Remove the runs of these names, after a question unless ``yes``, and print what went with
    them. Raises UsageError if standard input is no terminal, OperationFailed after a no."""
    from toolkit.runs.housekeeping import check_removable, remove_runs

    output = invocation.output
    with invocation.database(writes=True) as db:
        runs = [find(db, name) for name in dict.fromkeys(names)]
        check_removable(db, runs)
        if not yes:
            _ask(output, "remove " + ", ".join(_described(db, run) for run in runs))
        removed, in_file = remove_runs(db, runs), db.path is not None
        row = _removed_row(runs, removed)
    if output.as_json:
        output.json_object(row)
        return
    for run in runs:
        output.text(f"removed {_title(run)}")
    output.text(_with_it(removed))
    if in_file:
        output.hint("the file keeps its size until: mtdf db vacuum")


def rename(invocation: Invocation, find: Find, text: str, name: str) -> None:
    """Give the run of that name another one."""
    from db.records.events import EventRecord
    from toolkit.runs.housekeeping import rename_run

    output = invocation.output
    with invocation.database(writes=True) as db:
        run = find(db, text)
        rename_run(db, run, name)
        now = find(db, run.key if isinstance(run, EventRecord) else name)
    if output.as_json:
        output.json_object(_named_row(now))
    else:
        output.text(f"{_title(run)} is now {_title(now)}")


def annotate(invocation: Invocation, find: Find, text: str, note: str) -> None:
    """Keep a note with the run of that name."""
    from toolkit.runs.housekeeping import annotate_run

    output = invocation.output
    with invocation.database(writes=True) as db:
        run = find(db, text)
        annotate_run(db, run, note)
        row = replace(_named_row(run), note=note)
    if output.as_json:
        output.json_object(row)
    elif note:
        output.text(f"{_title(run)}: {note}")
    else:
        output.text(f"{_title(run)} has no note")


def _ask(output: Output, what: str) -> None:
    """Raises UsageError if standard input is no terminal, OperationFailed unless the answer is
    yes."""
    if not sys.stdin.isatty():
        raise UsageError(f"{what}: standard input is not a terminal, so give --yes")
    if not output.is_confirmed(f"{what}? It cannot be brought back."):
        raise OperationFailed("nothing was removed")


def _title(run: RunRecord) -> str:
    from db.records.events import EventRecord

    text = event_text(run.key, run.name) if isinstance(run, EventRecord) else run.name
    return f"{run.what} {text}"


def _described(db: Database, run: RunRecord) -> str:
    """A run with the amount of work that would be gone."""
    from db.records.events import EventRecord
    from db.records.games import GameFilter
    from db.records.laboratory import LabRunRecord
    from db.records.studies import StudyRecord

    if isinstance(run, LabRunRecord):
        searches = db.repository.count_lab_searches().get(run.id, 0)
        return f"{_title(run)} ({count_of(searches, 'search', 'searches')})"
    event_id = run.id if isinstance(run, EventRecord) else None
    if isinstance(run, StudyRecord):
        event_id = run.event_id
    if event_id is None:
        return _title(run)
    games = db.repository.count_games(GameFilter(event_id=event_id))
    return f"{_title(run)} ({count_of(games, 'game')})"


def _with_it(removed: Removed) -> str:
    """What went with the runs, in one line."""
    parts = [count_of(removed.games, "game")] if removed.games or not removed.searches else []
    if removed.searches:
        parts.append(count_of(removed.searches, "search", "searches"))
    if removed.variants:
        parts.append(f"{count_of(removed.variants, 'engine')} of no other run")
    if removed.books:
        parts.append(f"{count_of(removed.books, 'book')} of no other run")
    line = f"with {', '.join(parts)}"
    if removed.now_counted:
        number = count_of(removed.now_counted, "game")
        line += f"; {number} of other events, repetitions so far, now count in their place"
    return line


def _removed_row(runs: Sequence[RunRecord], removed: Removed) -> RemovedRow:
    from db.records.laboratory import LabRunRecord
    from db.records.studies import StudyRecord
    from toolkit.runs.housekeeping import RemovedRow

    return RemovedRow(
        events=list(removed.events),
        studies=[run.name for run in runs if isinstance(run, StudyRecord)],
        runs=[run.name for run in runs if isinstance(run, LabRunRecord)],
        games=removed.games,
        searches=removed.searches,
        engines=removed.variants,
        books=removed.books,
        now_counted=removed.now_counted,
    )


def _named_row(run: RunRecord) -> NamedRow:
    from db.records.events import EventRecord
    from db.records.laboratory import LabRunRecord
    from toolkit.runs.housekeeping import NamedRow

    is_event = isinstance(run, EventRecord)
    kind = "event" if is_event else "run" if isinstance(run, LabRunRecord) else "study"
    key = run.key if isinstance(run, EventRecord) else run.name
    return NamedRow(kind=kind, id=key, name=run.name, note=run.note)
