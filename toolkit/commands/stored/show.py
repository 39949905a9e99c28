"""``mtdf show``: one stored run in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.base.errors import UsageError
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.run import RUN, check_kind

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.records.laboratory import LabRunRecord
    from db.session import Database

_LAB = ("laboratory run",)


@click.command(
    "show",
    cls=Command,
    examples=(
        ("mtdf show last", "the newest of all runs"),
        ("mtdf show r3f9 --toml > again.toml", "an event as a file for mtdf run"),
        ("mtdf show drivers --searches --csv", "every iteration of a laboratory run"),
    ),
)
@RUN
@click.option("--toml", "as_toml", is_flag=True, help="Print an event as a file for `mtdf run`.")
@click.option(
    "--baseline", metavar="NAME", help="Compare with this engine of the laboratory run instead."
)
@click.option(
    "--searches", is_flag=True, help="Show each iteration of each search of the laboratory run."
)
@CSV
@click.pass_context
def command(
    ctx: click.Context,
    run: str,
    as_toml: bool,
    baseline: str | None,
    searches: bool,
    as_csv: bool,
) -> None:
    """Show an event, a study or a laboratory run, as far as it has come.

    Of an event: progress, limit, book, players, machines and note; of a sequential test or a race
    also its verdict, with --stop-when whether the goal is reached. Of a study: the recommended
    values next to the base's, the gain measured on fresh pairs that played no part in the choice,
    and confirmations with their gap to the stated gain.

    Of a laboratory run: its table. --baseline recomputes all ratios and intervals relative to
    another engine that searched the same trees; nothing is searched, and nothing stored changes.
    Of a suite: what each engine solved; --searches shows each position.
    """
    from db.records.events import EventRecord
    from db.records.laboratory import LabRunRecord
    from db.records.studies import StudyRecord
    from toolkit.runs.lifecycle import find_any_run
    from toolkit.show.tables.study import print_study
    from toolkit.tuning.study.report import study_report

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    if as_toml and output.as_json:
        raise UsageError("give either --toml or --json")
    if searches and baseline is not None:
        raise UsageError("--baseline is for the table: leave out --searches")
    with invocation.database() as db:
        record = find_any_run(db, run)
        check_kind(ctx, record, as_toml=("event",), baseline=_LAB, searches=_LAB, as_csv=_LAB)
        if isinstance(record, EventRecord):
            _show_event(invocation, db, record, as_toml)
        elif isinstance(record, StudyRecord):
            report = study_report(db, record)
            output.json_object(report) if output.as_json else print_study(output, report)
        else:
            assert isinstance(record, LabRunRecord)
            _show_lab(invocation, db, record, baseline, searches, as_csv)


def _show_event(invocation: Invocation, db: Database, record: EventRecord, as_toml: bool) -> None:
    """Raises UsageError for ``--toml`` of an event that nobody could play again."""
    from toolkit.commands.runs.event_file import event_as_file
    from toolkit.events.event import check_playable
    from toolkit.events.settings import EventSettings
    from toolkit.reports.events import event_row
    from toolkit.reports.machines import machines_of
    from toolkit.reports.race import race_result
    from toolkit.reports.rounds import rounds_report
    from toolkit.reports.sprt import stored_sprt
    from toolkit.selection.labels import shown_players
    from toolkit.show.tables.events import print_event
    from toolkit.show.tables.race import print_race
    from toolkit.show.tables.rounds import goal_line
    from toolkit.show.tables.sprt import print_test

    output = invocation.output
    if as_toml:
        check_playable(record)
        output.data(event_as_file(EventSettings.from_json(record.settings)))
        return
    test = stored_sprt(db, record).result if record.kind == "sprt" else None
    race = race_result(db, record) if record.kind == "race" else None
    row = test or race or event_row(db, record)
    if output.as_json:
        output.json_object(row)
        return
    machines = machines_of(db.repository.event_origins(record.id)) if row.limit else []
    print_event(output, row, machines)
    if test is not None:
        shown = shown_players(db, [record])[record.key]
        print_test(output, test, [shown[label] for label in row.engines])
    elif race is not None:
        print_race(output, race, shown_players(db, [record])[record.key])
    elif row.stop_when is not None and (goal := rounds_report(db, record).goal) is not None:
        output.text(goal_line(goal))


def _show_lab(
    invocation: Invocation,
    db: Database,
    record: LabRunRecord,
    baseline: str | None,
    searches: bool,
    as_csv: bool,
) -> None:
    from toolkit.commands.runs.suite import show_suite
    from toolkit.lab.summary import LabRow
    from toolkit.lab.views import LabSearchRow, run_report, search_rows
    from toolkit.show.tables.lab import print_lab, print_searches

    output = invocation.output
    if record.kind == "suite":
        if baseline is not None:
            raise UsageError("--baseline is for runs of lab compare and lab sweep")
        show_suite(output, db, record, searches, as_csv)
        return
    if searches:
        rows = search_rows(db, record)
        if not printed_as_data(output, as_csv, LabSearchRow, rows):
            print_searches(output, rows)
        return
    report = run_report(db, record, baseline)
    if not printed_as_data(output, as_csv, LabRow, report.rows, whole=report):
        print_lab(output, report)
