"""``mtdf tune``: find better parameter values, measure the gain, and confirm it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolkit.base.format import count_of
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.book import AskedBook, BookType
from toolkit.commands.options.csv import CSV, printed_as_data
from toolkit.commands.options.event import hypothesis_options
from toolkit.commands.options.run import AND_THEN, ENGINE_LOG, JOBS
from toolkit.commands.options.study import study_keywords, study_options
from toolkit.commands.options.types import STUDY, WHOLE

if TYPE_CHECKING:
    from db.records.studies import StudyRecord
    from db.session import Database
    from toolkit.books.book import Book
    from toolkit.events.settings import EventSettings
    from toolkit.runs.jobs import Jobs

_STUDY = click.argument("study", metavar="STUDY", type=STUDY)


@click.group(
    "tune",
    cls=Group,
    examples=(
        (
            "mtdf tune run --param grain --param futility --nodes 2000 -j 2 --name first",
            "search, choose, and measure the gain",
        ),
        ("mtdf show first", "the recommended values and their gain"),
        ("mtdf tune confirm first -j 2", "test them on openings that the tuning never saw"),
    ),
)
def command() -> None:
    """Find better values for an engine's parameters, measure the gain with an unbiased interval,
    and confirm it on openings that the tuning never saw."""


@command.command(
    "run",
    short_help="Run a study: search, choose, measure the gain.",
    examples=(
        (
            "mtdf tune run --param grain --param null_move_reduction=1..6 --nodes 5000 -j 2",
            "two parameters of mtdf with SPSA, in 4000 game pairs",
        ),
        (
            "mtdf tune run --param guess --param weight --objective nodes --depth 5 --trials 60",
            "minimise the nodes of exact searches; `weight` is conditional on `guess`",
        ),
        (
            "mtdf tune run lmr.toml --budget-pairs 400 --dry-run",
            "read a file; options override its values",
        ),
    ),
)
@study_options
@ENGINE_LOG
@click.pass_context
def run_command(
    ctx: click.Context,
    /,
    jobs: Jobs,
    affinity: bool,
    dry_run: bool,
    engine_log: str | None,
    **values: Any,
) -> None:
    """Tune the parameters of an engine, as given by options or a TOML FILE.

    The budget covers the search, the final choice and the measurement of the gain. The base is
    recommended unless the measured gain is above 0. Ctrl-C saves and stops; `mtdf resume`
    continues.

    --dry-run estimates the time for the whole budget from the clock, or from a few games or
    searches of the base, which take some seconds.

    In FILE, keys are the long options with `_` for `-`, and the table [parameters] declares the
    space, as in `grain = "1..50"`.
    """
    from toolkit.commands.runs.event import check_affinity, sweep_before, warn_about_book
    from toolkit.commands.runs.study import finish_study, warn_about_study
    from toolkit.events.event import check_engine_log
    from toolkit.runs.jobs import at_once
    from toolkit.show.live.progress import Live
    from toolkit.show.live.study import StudyView
    from toolkit.show.tables.study import print_study_plan
    from toolkit.tuning.measuring.simulated import load_function
    from toolkit.tuning.samplers.sampler import make_sampler
    from toolkit.tuning.study.plan import estimate_study
    from toolkit.tuning.study.report import plan_row
    from toolkit.tuning.study.request import make_settings
    from toolkit.tuning.study.run import run_study

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    options = study_keywords(ctx, values)
    settings, book = make_settings(**options), options.get("book")
    make_sampler(settings)  # raises before a database is created
    if settings.objective.kind == "simulated":
        load_function(settings.objective)
    if book is not None:
        warn_about_book(output, book)
    if dry_run:
        warn_about_study(output, settings, jobs)
        row = plan_row(settings, at_once(jobs), *estimate_study(settings, book=book, jobs=jobs))
        if output.as_json:
            output.json_object(row)
        else:
            print_study_plan(output, row)
        return
    if settings.event is not None:
        check_engine_log(engine_log)
        if affinity:
            check_affinity(jobs, settings.threads)
    sweep_before(output)
    with invocation.database(create=True) as db:
        warn_about_study(output, settings, jobs)
        with Live(invocation, StudyView()) as live:
            outcome = run_study(
                db,
                settings,
                book=book,
                jobs=jobs,
                affinity=affinity,
                engine_log=engine_log,
                on_progress=live.show,
            )
            live.show(outcome.progress)  # includes the trials that finished last
        finish_study(ctx, db, outcome)


@command.command(
    "list",
    examples=(
        ("mtdf tune list", "all studies, oldest first"),
        ("mtdf tune list --json | jq '.[].name'", "their names"),
    ),
)
@CSV
@click.pass_obj
def list_command(invocation: Invocation, as_csv: bool) -> None:
    """List the studies in the database."""
    from toolkit.show.tables.study import print_studies
    from toolkit.tuning.study.report import StudyRow, list_studies

    with invocation.database() as db:
        rows = list_studies(db)
    if not printed_as_data(invocation.output, as_csv, StudyRow, rows):
        print_studies(invocation.output, rows)


@command.command(
    "trials",
    short_help="List the trials of a study.",
    examples=(
        ("mtdf tune trials lmr", "all trials in order"),
        ("mtdf tune trials lmr --top 5", "the trials with the greatest worth (not for SPSA)"),
        ("mtdf tune trials lmr --csv > trials.csv", "for a spreadsheet"),
    ),
)
@_STUDY
@click.option("--top", type=WHOLE, help="Only the N trials with the greatest worth; not for SPSA.")
@CSV
@click.pass_obj
def trials_command(invocation: Invocation, study: str, top: int | None, as_csv: bool) -> None:
    """List the trials of a study. The worth of a trial comes from its own few pairs only. A trial
    of SPSA plays two points against each other, so its worth cannot be used to rank points."""
    from toolkit.show.tables.study import print_trials
    from toolkit.tuning.settings import settings_of
    from toolkit.tuning.study.report import TrialRow, find_study, trial_rows

    with invocation.database() as db:
        record = find_study(db, study)
        rows = trial_rows(db, record, top)
    if not printed_as_data(invocation.output, as_csv, TrialRow, rows):
        effort = settings_of(record).objective.is_effort
        print_trials(invocation.output, rows, effort=effort)


@command.command(
    "importance",
    short_help="Show how much each parameter matters.",
    examples=(
        ("mtdf tune importance lmr", "the most important parameter first"),
        ("mtdf tune importance lmr --json", "as JSON"),
    ),
)
@_STUDY
@CSV
@click.pass_obj
def importance_command(invocation: Invocation, study: str, as_csv: bool) -> None:
    """Show how much each parameter matters. For SPSA this is computed from a surface fitted to the
    comparisons of points, for other samplers by PED-ANOVA of the trials' posterior means."""
    from toolkit.show.tables.study import print_importance
    from toolkit.tuning.models.importance import Importance
    from toolkit.tuning.study.report import find_study, importance_rows

    with invocation.database() as db:
        rows = importance_rows(db, find_study(db, study))
    if not printed_as_data(invocation.output, as_csv, Importance, rows):
        print_importance(invocation.output, rows)


@command.command(
    "confirm",
    short_help="Test the recommended values on openings the study never used.",
    examples=(
        ("mtdf tune confirm lmr -j 2", "a sequential test"),
        ("mtdf tune confirm lmr --pairs 1000 -j 2", "a match of fixed length"),
        (
            "mtdf tune confirm lmr --pairs 1000 --dry-run",
            "print the plan and an estimate without playing",
        ),
    ),
)
@_STUDY
@hypothesis_options
@click.option(
    "--max-pairs",
    type=WHOLE,
    default=20_000,
    show_default=True,
    help="Stop without a verdict after N pairs, or at the end of the book.",
)
@click.option("--pairs", type=WHOLE, help="Play a match of N pairs instead of a test.")
@JOBS
@ENGINE_LOG
@click.option(
    "--seed",
    type=WHOLE,
    help="Seed for shuffling the openings; default: the study's seed, skipping the openings of "
    "earlier confirmations with that seed.",
)
@click.option(
    "--book",
    type=BookType("plies", "slice"),
    help="Other openings, such as :slice=3/4 of the study's book; default: the slice after the "
    "study's.",
)
@AND_THEN
@click.option("--dry-run", is_flag=True, help="Show the plan and an estimate; start nothing.")
@click.pass_context
def confirm_command(
    ctx: click.Context,
    /,
    study: str,
    pairs: int | None,
    max_pairs: int,
    jobs: Jobs,
    engine_log: str | None,
    seed: int | None,
    book: AskedBook | None,
    dry_run: bool,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
) -> None:
    """Play a study's recommended values against its base on openings that the study never used, as
    a sequential test in normalized Elo or as a match. Prints the stated and the confirmed gain, and
    the gap between them."""
    from toolkit.commands.options.event import book_argument
    from toolkit.commands.runs.event import prepare_log, show_plan, warn_about_event
    from toolkit.events.plan import plan_event
    from toolkit.selection.sequential import SprtSettings
    from toolkit.tuning.settings import settings_of
    from toolkit.tuning.study.confirm import confirmation_settings
    from toolkit.tuning.study.report import find_study

    _refuse_test_options(ctx, pairs)
    sprt = None
    if pairs is None:
        sprt = SprtSettings.make(elo0, elo1, alpha=alpha, beta=beta)
    invocation = ctx.ensure_object(Invocation)
    with invocation.database(writes=not dry_run) as db:
        record = find_study(db, study)
        tuning = settings_of(record)
        chess960 = tuning.event is not None and tuning.event.chess960
        settings, openings = confirmation_settings(
            db,
            record,
            pairs=max_pairs if pairs is None else pairs,
            sprt=sprt,
            book=None if book is None else book_argument(book, chess960, tuning.game),
            book_slice=None if book is None else book.settings.get("book_slice"),
            seed=seed,
        )
        warn_about_event(invocation.output, settings, openings, jobs)
        if dry_run:
            show_plan(invocation.output, plan_event(settings, book=openings, jobs=jobs))
        else:
            prepare_log(invocation.output, settings, engine_log)
            _confirm(ctx, db, record, settings, openings, jobs, engine_log)


@command.command(
    "export",
    short_help="Export the recommended values, or trials for optuna-dashboard.",
    examples=(
        ("mtdf tune export lmr --format variant", "as an engine for --engine"),
        ("mtdf tune export lmr --format json", "parameters and stated gain"),
        ("mtdf tune export lmr --optuna-storage lmr.sqlite", "for optuna-dashboard"),
    ),
)
@_STUDY
@click.option(
    "--format",
    "form",
    type=click.Choice(["toml", "variant", "json"]),
    default="toml",
    show_default=True,
    help="Format of the recommended values.",
)
@click.option(
    "--optuna-storage",
    "storage",
    metavar="FILE",
    help="Write the trials to this new file instead, for optuna-dashboard sqlite:///FILE.",
)
@click.pass_obj
def export_command(invocation: Invocation, study: str, form: str, storage: str | None) -> None:
    """Export the recommendation of a study as a variant to play with, or as values with the stated
    gain. An unfinished study has no recommendation yet, but its trials can be exported. If the base
    is recommended, its values are written and a note on standard error says so."""
    from toolkit.tuning.study.export import (
        nothing_better,
        toml_text,
        variant_text,
        write_optuna_storage,
    )
    from toolkit.tuning.study.report import export_row, find_study, study_report

    output = invocation.output
    with invocation.database() as db:
        record = find_study(db, study)
        if storage is not None:
            row = write_optuna_storage(db, record, storage)
            if output.as_json:
                output.json_object(row)
            else:
                output.text(f"wrote {count_of(row.trials, 'trial')} to {storage}")
                output.hint(f"look at them with: optuna-dashboard sqlite:///{storage}")
            return
        values = export_row(db, record)
        if values.is_base:
            told = nothing_better(study_report(db, record))
            output.hint(f"study {record.name} recommends its base: {told}")
        if output.as_json or form == "json":
            output.json_object(values)
        elif form == "variant":
            output.data(f"{variant_text(record)}\n")
        else:
            output.data(toml_text(values))


def _refuse_test_options(ctx: click.Context, pairs: int | None) -> None:
    """Raise UsageError if options of a sequential test are given for a match."""
    for name in ("elo0", "elo1", "alpha", "beta", "max_pairs"):
        if pairs is not None and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} belongs to a test, --pairs to a match")


def _confirm(
    ctx: click.Context,
    db: Database,
    record: StudyRecord,
    settings: EventSettings,
    book: Book,
    jobs: Jobs,
    engine_log: str | None,
) -> None:
    """Play a confirmation and print it with the gain that the study stated."""
    from toolkit.commands.runs.event import sweep_before, warn_and_leave
    from toolkit.reports.outcome import event_report
    from toolkit.show.live.event import EventView
    from toolkit.show.live.progress import Live
    from toolkit.show.tables.study import confirmation_lines
    from toolkit.tuning.study.confirm import confirm_study, confirmation_row
    from toolkit.tuning.study.result import result_of

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    sweep_before(output)
    with Live(invocation, EventView(db)) as live:
        outcome = confirm_study(
            db,
            record,
            settings,
            book=book,
            jobs=jobs,
            engine_log=engine_log,
            on_progress=live.show,
        )
    row = confirmation_row(db, record, outcome.event, result_of(record))
    if output.as_json:
        output.json_object(row)
    else:
        for line in confirmation_lines(row):
            output.text(line)
    warn_and_leave(ctx, outcome, event_report(db, outcome), row)
