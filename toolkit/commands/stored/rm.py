"""``mtdf rm``: removing stored runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.format import count_of
from toolkit.base.output import Output
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.types import RUN_NAME

if TYPE_CHECKING:
    from db.records.runs import Removed, RunRecord
    from db.session import Database
    from toolkit.runs.housekeeping import RemovedRow


@click.command(
    "rm",
    cls=Command,
    examples=(
        ("mtdf rm r3f9", "after a question"),
        ("mtdf rm lmr trial-2 --yes", "without one; then: mtdf db vacuum"),
    ),
)
@click.argument("runs", metavar="RUN...", type=RUN_NAME, nargs=-1, required=True)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(invocation: Invocation, runs: tuple[str, ...], yes: bool) -> None:
    """Remove events, studies and laboratory runs, all or none, with their games and searches.

    Variants and books that nothing else needs go with them; stored rating lists stay, and so do
    events that confirmed a study. If games of other events repeat a removed one, the first of them
    counts from then on.
    """
    from toolkit.runs.housekeeping import check_removable, full_title, remove_runs
    from toolkit.runs.lifecycle import find_any_run

    output = invocation.output
    with invocation.database(writes=True) as db:
        records = [find_any_run(db, name, only=True) for name in dict.fromkeys(runs)]
        check_removable(db, records)
        if not yes:
            _ask(output, "remove " + ", ".join(_described(db, record) for record in records))
        removed, in_file = remove_runs(db, records), db.path is not None
        row = _removed_row(records, removed)
    if output.as_json:
        output.json_object(row)
        return
    for record in records:
        output.text(f"removed {full_title(record)}")
    output.text(_with_it(removed))
    if in_file:
        output.hint("the file keeps its size until: mtdf db vacuum")


def _ask(output: Output, what: str) -> None:
    """Raises UsageError if standard input is no terminal, OperationFailed unless the answer is
    yes."""
    if not sys.stdin.isatty():
        raise UsageError(f"{what}: standard input is not a terminal; use --yes")
    if not output.is_confirmed(f"{what}? It cannot be brought back."):
        raise OperationFailed("nothing was removed")


def _described(db: Database, run: RunRecord) -> str:
    """A run with the amount of work that would be gone."""
    from db.records.events import EventRecord
    from db.records.games import GameFilter
    from db.records.laboratory import LabRunRecord
    from db.records.studies import StudyRecord
    from toolkit.runs.housekeeping import full_title

    if isinstance(run, LabRunRecord):
        searches = db.repository.count_lab_searches().get(run.id, 0)
        return f"{full_title(run)} ({count_of(searches, 'search', 'searches')})"
    event_id = run.id if isinstance(run, EventRecord) else None
    if isinstance(run, StudyRecord):
        event_id = run.event_id
    if event_id is None:
        return full_title(run)
    games = db.repository.count_games(GameFilter(event_id=event_id))
    return f"{full_title(run)} ({count_of(games, 'game')})"


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
