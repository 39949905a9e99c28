"""``mtdf plot``: one chart as a file for papers and slides.

A kind is a small function: options, and how its picture follows from the database.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.ranges import check_whole
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.run import stacked
from toolkit.commands.options.selection import saying_left_out, selection_of, selection_options
from toolkit.commands.options.trace import trace_options
from toolkit.commands.options.types import EVENT_NAME, LAB_RUN, STUDY, WHOLE, EngineName
from toolkit.show.charts.picture import LEGENDS, WIDTH

if TYPE_CHECKING:
    from db.session import Database
    from engines.spec import Variant
    from toolkit.lab.trace import TraceReport
    from toolkit.lab.views import LabReport
    from toolkit.show.charts.picture import Picture
    from toolkit.show.charts.study_data import ShownStudy

_NARROWEST, _WIDEST = 200, 4000
"""Pixels of a picture's panels."""


@dataclass(frozen=True, slots=True)
class PictureFile:
    """Where a picture goes, and how it looks there."""

    path: str
    width: int
    title: str | None
    legend: str


def picture_file(function: Callable[..., None]) -> Callable[..., None]:
    """The options of a file with a picture, which the function gets as ``file``."""

    @functools.wraps(function)
    def collected(
        *args: Any, path: str, width: int, title: str | None, legend: str, **values: Any
    ) -> None:
        check_whole("--width", width, _NARROWEST, _WIDEST)
        function(*args, file=PictureFile(path, width, title, legend), **values)

    return _OPTIONS(collected)


_OPTIONS = stacked(
    click.option(
        "--output",
        "-o",
        "path",
        metavar="FILE",
        required=True,
        help="Write this file, as SVG, PNG or PDF by the end of its name.",
    ),
    click.option(
        "--width", type=WHOLE, default=WIDTH, show_default=True, help="Width of the panels, pixels."
    ),
    click.option(
        "--title", metavar="TITLE", help="Title in place of title and caption; '' for none."
    ),
    click.option(
        "--legend",
        type=click.Choice(LEGENDS),
        default=LEGENDS[0],
        show_default=True,
        help="Where legends stand.",
    ),
)
_STUDY = click.argument("study", metavar="STUDY", type=STUDY)
_RUN = click.argument("run", metavar="RUN", type=LAB_RUN)


@click.group(
    "plot",
    cls=Group,
    short_help="Write a chart as SVG, PNG or PDF.",
    examples=(
        ("mtdf plot ratings --event last -o ratings.svg", "one event, with intervals"),
        ("mtdf plot gain lmr -o gain.pdf", "the gain of a tuning study"),
        ("mtdf plot nodes drivers -o nodes.png", "a laboratory run"),
    ),
)
def command() -> None:
    """Write one chart as a file for papers and slides, without a browser. The same data give the
    same SVG."""


def write_plot(
    invocation: Invocation, kind: str, file: PictureFile, make: Callable[[], Picture]
) -> None:
    """Check the place, then make the picture, write it, and say so. Raises UsageError for a name
    that is none of a picture, NothingMatched if there is nothing to draw."""
    from toolkit.base.files import check_place
    from toolkit.show.charts.picture import PlotRow
    from toolkit.show.charts.static import check_picture_name, write_picture

    check_picture_name(file.path)
    check_place(Path(file.path))
    picture = make()
    if not picture.panels:
        raise NothingMatched(f"{picture.title}: there is nothing to draw yet")
    shown = (
        picture if file.title is None else replace(picture, title=file.title, caption="", source="")
    )
    write_picture(shown, file.path, width=file.width, legend=file.legend)
    output = invocation.output
    if output.as_json:
        output.json_object(PlotRow(kind=kind, file=file.path, title=shown.title, text=shown.alt))
    else:
        output.text(f"wrote {file.path}")


def write_stored(
    invocation: Invocation, kind: str, file: PictureFile, make: Callable[[Database], Picture]
) -> None:
    """:func:`write_plot` of what the database has."""

    def from_database() -> Picture:
        with invocation.database() as db:
            return make(db)

    write_plot(invocation, kind, file, from_database)


@command.command(
    "ratings",
    short_help="Plot a rating list with its intervals.",
    examples=(
        ("mtdf plot ratings -o ratings.svg", "all games"),
        ("mtdf plot ratings --event r3f9 -o ratings.pdf", "one event"),
    ),
)
@selection_options
@picture_file
@click.pass_obj
def ratings_command(invocation: Invocation, /, file: PictureFile, **values: Any) -> None:
    """Plot a rating list: every engine with its 95 % interval."""
    from toolkit.ratings.rating import RatingQuery, rate_games
    from toolkit.show.charts.ratings import ratings_picture

    selection = selection_of(values)

    def make(db: Database) -> Picture:
        with saying_left_out(invocation.output, db, selection):
            report = rate_games(db, RatingQuery(selection=selection))
        return ratings_picture(report.rows(), report.shown, report.pools)

    write_stored(invocation, "ratings", file, make)


@command.command(
    "history",
    short_help="Plot the rating of engines over the stored lists.",
    examples=(
        ("mtdf plot history pvs -o history.svg", "its newest history over all games"),
        ("mtdf plot history mtdf pvs --event r3f9 -o event.pdf", "two engines in one event"),
    ),
)
@click.argument("engines", metavar="ENGINE...", type=EngineName(), nargs=-1, required=True)
@click.option(
    "--event", metavar="EVENT", type=EVENT_NAME, help="Only lists of this event: id, name, or last."
)
@picture_file
@click.pass_obj
def history_command(
    invocation: Invocation, engines: tuple[str, ...], event: str | None, file: PictureFile
) -> None:
    """Plot the newest history of each ENGINE: its rating in the stored lists, as `history` prints
    it. The histories must have one scale and one selection of games."""
    from toolkit.ratings.history import newest_courses
    from toolkit.show.charts.history import history_picture

    def make(db: Database) -> Picture:
        return history_picture(newest_courses(db, engines, event=event))

    write_stored(invocation, "history", file, make)


@command.command(
    "crosstable",
    short_help="Plot the score of every pairing as a heat map.",
    examples=(
        ("mtdf plot crosstable -o cross.svg", "the newest event"),
        ("mtdf plot crosstable --event r3f9 -o cross.pdf", "another one"),
    ),
)
@selection_options
@picture_file
@click.pass_obj
def crosstable_command(invocation: Invocation, /, file: PictureFile, **values: Any) -> None:
    """Plot the score of every pairing as a heat map, of the newest event that is not a tuning event
    by default. Games under different limits and of different cores are combined."""
    from toolkit.reports.crosstables import crosstable
    from toolkit.selection.events import newest_event
    from toolkit.show.charts.crosstable import crosstable_picture

    selection = selection_of(values)

    def make(db: Database) -> Picture:
        chosen = selection
        if not chosen.events:
            chosen = replace(chosen, events=(newest_event(db, selection.game),))
        with saying_left_out(invocation.output, db, chosen):
            table = crosstable(db, chosen, mix=True, mix_limits=True)
        shown = dict(zip(table.players, table.shown, strict=True))
        return crosstable_picture(table.rows, table.players, shown)

    write_stored(invocation, "crosstable", file, make)


@command.command(
    "sprt",
    short_help="Plot the log-likelihood ratio of a sequential test.",
    examples=(
        ("mtdf plot sprt last -o llr.svg", "the newest event"),
        ("mtdf plot sprt r3f9 -o llr.pdf", "another one"),
    ),
)
@click.argument("event", metavar="EVENT", type=EVENT_NAME)
@picture_file
@click.pass_obj
def sprt_command(invocation: Invocation, event: str, file: PictureFile) -> None:
    """Plot the log-likelihood ratio of a sequential test over its game pairs, between its
    bounds."""
    from toolkit.reports.sprt import stored_sprt
    from toolkit.selection.events import find_event
    from toolkit.show.charts.sprt import llr_picture

    def make(db: Database) -> Picture:
        test = stored_sprt(db, find_event(db, event))
        return llr_picture(test.course, test.result)

    write_stored(invocation, "sprt", file, make)


@command.command(
    "game",
    short_help="Plot the searches of a game.",
    examples=(
        ("mtdf plot game g12 -o game.svg", "value, depth, nodes and passes of both sides"),
        ("mtdf plot game last -o game.png", "the newest game"),
    ),
)
@click.argument("game_id", metavar="ID")
@picture_file
@click.pass_obj
def game_command(invocation: Invocation, game_id: str, file: PictureFile) -> None:
    """Plot the searches of a game, given by its id or as `last`: value from White's view, depth,
    nodes and passes over the plies."""
    from toolkit.reports.games import find_game, game_row, list_moves
    from toolkit.show.charts.game import game_picture

    def make(db: Database) -> Picture:
        game = find_game(db, game_id)
        event = db.repository.event(game.event_id)
        return game_picture(game_row(game, event.key), list_moves(game))

    write_stored(invocation, "game", file, make)


@command.command(
    "gain",
    short_help="Plot the gain of a study, measured and estimated.",
    examples=(
        ("mtdf plot gain lmr -o gain.svg", "with 95 % intervals"),
        ("mtdf plot gain last -o gain.png", "the newest study"),
    ),
)
@_STUDY
@picture_file
@click.pass_obj
def gain_command(invocation: Invocation, study: str, file: PictureFile) -> None:
    """Plot the gain of a study: the stated one, a refused one and confirmations, and the course of
    the search, as θ of SPSA or as trials with their posterior."""
    from toolkit.show.charts.gain import gain_picture

    write_stored(invocation, "gain", file, lambda db: gain_picture(_shown(db, study)))


@command.command(
    "parameters",
    short_help="Plot the way of each parameter of a study.",
    examples=(
        ("mtdf plot parameters lmr -o way.svg", "θ over the pairs of SPSA"),
        ("mtdf plot parameters last -o way.pdf", "the newest study"),
    ),
)
@_STUDY
@picture_file
@click.pass_obj
def parameters_command(invocation: Invocation, study: str, file: PictureFile) -> None:
    """Plot the way of each parameter: θ over the pairs of SPSA, or the values of the trials."""
    from toolkit.show.charts.parameters import parameters_picture

    write_stored(invocation, "parameters", file, lambda db: parameters_picture(_shown(db, study)))


@command.command(
    "importance",
    short_help="Plot how much each parameter of a study matters.",
    examples=(
        ("mtdf plot importance lmr -o importance.svg", "the most important parameter on top"),
        ("mtdf plot importance last -o importance.pdf", "the newest study"),
    ),
)
@_STUDY
@picture_file
@click.pass_obj
def importance_command(invocation: Invocation, study: str, file: PictureFile) -> None:
    """Plot how much each parameter matters, as `tune importance` computes it."""
    from toolkit.show.charts.importance import importance_picture
    from toolkit.tuning.study.report import find_study, importance_rows

    def make(db: Database) -> Picture:
        record = find_study(db, study)
        return importance_picture(record.name, importance_rows(db, record))

    write_stored(invocation, "importance", file, make)


@command.command(
    "slice",
    short_help="Plot the gain along each parameter of a study.",
    examples=(
        ("mtdf plot slice lmr -o slices.svg", "a panel for each parameter"),
        ("mtdf plot slice last -o slices.pdf", "the newest study"),
    ),
)
@_STUDY
@picture_file
@click.pass_obj
def slice_command(invocation: Invocation, study: str, file: PictureFile) -> None:
    """Plot the gain along each parameter with the others as recommended, by a model: the posterior
    after the trials, or the surface through the comparisons of SPSA."""
    from toolkit.show.charts.slices import slices_picture

    write_stored(invocation, "slice", file, lambda db: slices_picture(_shown(db, study)))


@command.command(
    "contour",
    short_help="Plot the gain over two parameters of a study.",
    examples=(
        ("mtdf plot contour lmr -o contour.svg", "the two parameters that matter most"),
        ("mtdf plot contour lmr --x grain --y futility -o contour.pdf", "two chosen ones"),
    ),
)
@_STUDY
@click.option("--x", "across", metavar="NAME", help="Parameter of the horizontal axis.")
@click.option("--y", "up", metavar="NAME", help="Parameter of the vertical axis.")
@picture_file
@click.pass_obj
def contour_command(
    invocation: Invocation, study: str, across: str | None, up: str | None, file: PictureFile
) -> None:
    """Plot the gain over two parameters with the others as recommended, by the same model as the
    slices. The default is the two parameters along which the gain differs most."""
    from toolkit.show.charts.contour import contour_picture

    if (across is None) != (up is None):
        raise UsageError("give both --x and --y, or neither")
    axes = None if across is None or up is None else (across, up)

    def make(db: Database) -> Picture:
        shown = _shown(db, study, axes)
        if shown.contour is None:
            raise NothingMatched(
                f"study {shown.name} has no contour: it has no results yet, or fewer than two "
                "parameters mean anything in its recommended values"
            )
        return contour_picture(shown, shown.contour)

    write_stored(invocation, "contour", file, make)


@command.command(
    "nodes",
    short_help="Plot a comparison of the laboratory over depths.",
    examples=(
        ("mtdf plot nodes drivers -o nodes.svg", "relative to the run's baseline"),
        ("mtdf plot nodes drivers --baseline mtdf -o nodes.pdf", "relative to another engine"),
    ),
)
@_RUN
@click.option("--baseline", metavar="NAME", help="Compare with this engine of the run instead.")
@picture_file
@click.pass_obj
def nodes_command(
    invocation: Invocation, run: str, baseline: str | None, file: PictureFile
) -> None:
    """Plot a comparison of the laboratory: nodes and leaves relative to the baseline, with
    intervals, and passes, by depth and engine."""
    _write_lab(invocation, "nodes", run, baseline, file)


@command.command(
    "sweep",
    short_help="Plot a sweep of the laboratory over its values.",
    examples=(
        ("mtdf plot sweep grain -o sweep.svg", "relative to the run's baseline"),
        ("mtdf plot sweep last -o sweep.pdf", "the newest run"),
    ),
)
@_RUN
@click.option("--baseline", metavar="NAME", help="Compare with this engine of the run instead.")
@picture_file
@click.pass_obj
def sweep_command(
    invocation: Invocation, run: str, baseline: str | None, file: PictureFile
) -> None:
    """Plot a sweep of the laboratory at its greatest depth: nodes and leaves relative to the
    baseline, with intervals, and passes, over the values of the parameter."""
    _write_lab(invocation, "sweep", run, baseline, file)


@command.command(
    "threads",
    short_help="Plot what engines gain by several threads.",
    examples=(
        ("mtdf plot threads last -o threads.svg", "a run of lab parallel"),
        ("mtdf plot threads ways -o threads.pdf", "as PDF"),
    ),
)
@_RUN
@picture_file
@click.pass_obj
def threads_command(invocation: Invocation, run: str, file: PictureFile) -> None:
    """Plot a run of `lab parallel`: speed-up and search overhead of each engine over itself on one
    thread, with intervals, by number of threads and way to use them."""
    _write_lab(invocation, "threads", run, None, file)


@command.command(
    "passes",
    short_help="Plot how an exact search closes in on the value.",
    examples=(
        ("mtdf plot passes --position start --depth 6 -o passes.svg", "the last iteration"),
        ("mtdf plot passes --position lab-40 --engine sss -o sss.pdf", "of another driver"),
    ),
)
@trace_options
@picture_file
@click.pass_context
def passes_command(ctx: click.Context, /, file: PictureFile, **values: Any) -> None:
    """Plot an exact search pass by pass: bounds, windows, values and nodes of the last iteration,
    as `trace` prints them."""
    from toolkit.lab.pass_sequence import traced_search
    from toolkit.show.charts.passes import passes_picture

    def make() -> Picture:
        return passes_picture(traced_search(_traced(ctx, None, **values)))

    write_plot(ctx.ensure_object(Invocation), "passes", file, make)


@command.command(
    "tree",
    short_help="Plot the top of the tree of an exact search.",
    examples=(
        ("mtdf plot tree --position lab-40 --depth 4 -o tree.svg", "two plies of every pass"),
        ("mtdf plot tree --position start --depth 3 --plies 3 -o tree.pdf", "three plies"),
    ),
)
@trace_options
@click.option("--plies", type=WHOLE, default=2, show_default=True, help="Plies below the root.")
@picture_file
@click.pass_context
def tree_command(ctx: click.Context, /, file: PictureFile, plies: int, **values: Any) -> None:
    """Plot the top of the tree of each pass of the last iteration, as the reference backend
    searches it: `trace --tree` prints it."""
    from toolkit.show.charts.tree import tree_picture

    def make() -> Picture:
        report = _traced(ctx, plies, **values)
        assert report.tree is not None
        return tree_picture(report, report.tree, file.width)

    write_plot(ctx.ensure_object(Invocation), "tree", file, make)


def _shown(db: Database, study: str, axes: tuple[str, str] | None = None) -> ShownStudy:
    from toolkit.show.charts.stored_study import shown_study
    from toolkit.tuning.study.report import find_study

    return shown_study(db, find_study(db, study), axes)


def _write_lab(
    invocation: Invocation, kind: str, run: str, baseline: str | None, file: PictureFile
) -> None:
    """A run of the laboratory. Raises UsageError for one that another kind of chart draws."""
    from toolkit.lab.views import find_run, run_report
    from toolkit.show.charts.lab import lab_picture

    def make(db: Database) -> Picture:
        report: LabReport = run_report(db, find_run(db, run), baseline)
        if (right := _CHARTS[report.kind]) != kind:
            raise UsageError(
                f"run {report.name} is of kind {report.kind}: mtdf plot {right} draws it"
            )
        return lab_picture(report)

    write_stored(invocation, kind, file, make)


_CHARTS = {"compare": "nodes", "sweep": "sweep", "parallel": "threads"}
"""Which kind of chart draws which kind of laboratory run."""


def _traced(
    ctx: click.Context,
    plies: int | None,
    *,
    fen: str | None,
    position: str | None,
    depth: int,
    engine: Variant,
    first_guess: int | None,
) -> TraceReport:
    from toolkit.commands.options.trace import traced_position
    from toolkit.lab.trace import TraceQuery, trace_search

    found = traced_position(ctx, engine, fen, position)
    return trace_search(TraceQuery(engine, found.fen, depth, first_guess, False, plies))
