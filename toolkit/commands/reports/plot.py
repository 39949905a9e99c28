"""``mtdf plot``: one chart as a file for papers and slides.

A kind is a small function: options, and how its picture follows from the database.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

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
    from toolkit.show.charts.picture import Picture

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
CHARTS = (*("gain", "contenders", "parameters", "importance", "slices", "contour", "parallel"),)
"""Of a study, as :func:`toolkit.show.charts.study.study_pictures` names them."""


@click.group(
    "plot",
    cls=Group,
    examples=(
        ("mtdf plot ratings --event last -o ratings.svg", "one event, with intervals"),
        ("mtdf plot study lmr -o lmr.pdf", "a tuning study"),
        ("mtdf plot lab drivers -o nodes.png", "a laboratory run"),
    ),
)
def command() -> None:
    """Write charts as a file for papers and slides, without a browser. The same data give the
    same SVG."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a file shows."""

    kind: str
    pictures: Sequence[Picture]
    title: str = ""
    """Above several pictures."""


def write_plot(invocation: Invocation, file: PictureFile, make: Callable[[], Drawing]) -> None:
    """Check the place, then draw, write, and say so. Raises UsageError for a name that is none of a
    picture, NothingMatched if there is nothing to draw."""
    from toolkit.base.files import check_place
    from toolkit.show.charts.picture import PlotRow
    from toolkit.show.charts.static import check_picture_name, write_picture, write_sheet

    check_picture_name(file.path)
    check_place(Path(file.path))
    drawing = make()
    look: dict[str, Any] = {"width": file.width, "legend": file.legend}
    title, text = drawing.title, "\n".join(picture.alt for picture in drawing.pictures)
    if title:
        title = title if file.title is None else file.title
        write_sheet(title, drawing.pictures, file.path, **look)
    else:
        (picture,) = drawing.pictures
        if not picture.panels:
            raise NothingMatched(f"{picture.title}: there is nothing to draw yet")
        if file.title is not None:
            picture = replace(picture, title=file.title, caption="", source="")
        title = picture.title
        write_picture(picture, file.path, **look)
    output = invocation.output
    if output.as_json:
        output.json_object(PlotRow(kind=drawing.kind, file=file.path, title=title, text=text))
    else:
        output.text(f"wrote {file.path}")


def write_stored(
    invocation: Invocation, kind: str, file: PictureFile, make: Callable[[Database], Picture]
) -> None:
    """:func:`write_plot` of one picture of what the database has."""

    def from_database() -> Drawing:
        with invocation.database() as db:
            return Drawing(kind, [make(db)])

    write_plot(invocation, file, from_database)


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
            chosen = structs.replace(chosen, events=(newest_event(db, selection.game),))
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
    "race",
    short_help="Plot the evidence and the Elo of the candidates of a race.",
    examples=(
        ("mtdf plot race last -o race.svg", "the newest event"),
        ("mtdf plot race r3f9 -o race.pdf", "another one"),
    ),
)
@click.argument("event", metavar="EVENT", type=EVENT_NAME)
@picture_file
@click.pass_obj
def race_command(invocation: Invocation, event: str, file: PictureFile) -> None:
    """Plot the evidence that each candidate of a race is better than the base, and its Elo, over
    its game pairs."""
    from toolkit.reports.race import race_course, race_result
    from toolkit.selection.events import find_event
    from toolkit.selection.labels import shown_players
    from toolkit.show.charts.race import race_picture

    def make(db: Database) -> Picture:
        found = find_event(db, event)
        shown = shown_players(db, [found])[found.key]
        return race_picture(race_course(db, found), race_result(db, found), shown)

    write_stored(invocation, "race", file, make)


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
    "study",
    short_help="Plot a study: gain, parameters, importance, slices.",
    examples=(
        ("mtdf plot study lmr -o lmr.svg", "all charts that have anything to show"),
        ("mtdf plot study last --chart gain -o gain.pdf", "one chart of the newest study"),
        ("mtdf plot study lmr --x grain --y futility -o contour.pdf", "two chosen parameters"),
    ),
)
@click.argument("study", metavar="STUDY", type=STUDY)
@click.option("--chart", type=click.Choice(CHARTS), help="Only this chart; default: all of them.")
@click.option("--x", "across", metavar="NAME", help="Parameter of the contour's horizontal axis.")
@click.option("--y", "up", metavar="NAME", help="Parameter of the contour's vertical axis.")
@picture_file
@click.pass_obj
def study_command(
    invocation: Invocation,
    study: str,
    chart: str | None,
    across: str | None,
    up: str | None,
    file: PictureFile,
) -> None:
    """Plot a study: all charts below each other, or one --chart of it.

    gain: the stated gain, a refused one and confirmations, and the course of the search.
    contenders: the final choice. parameters: the way of each parameter, as θ of SPSA or as the
    values of the trials. importance: as `tune importance` computes it. slices: the gain along each
    parameter with the others as recommended, by a model. contour: the same over two parameters, by
    default those along which the gain differs most; --x and --y choose others. parallel: parallel
    coordinates of the trials. `report --study` writes a page.
    """
    from toolkit.show.charts.stored_study import shown_study
    from toolkit.show.charts.study import study_pictures
    from toolkit.tuning.study.report import find_study, importance_rows

    if (across is None) != (up is None):
        raise UsageError("give both --x and --y, or neither")
    axes = None if across is None or up is None else (across, up)
    if axes is not None and chart not in (None, "contour"):
        raise UsageError(f"--x and --y are for the contour, not for {chart}")
    chart = chart if axes is None else "contour"

    def make() -> Drawing:
        with invocation.database() as db:
            record = find_study(db, study)
            try:
                importance = importance_rows(db, record)
            except NothingMatched:  # too few trials
                if chart == "importance":
                    raise
                importance = []
            pictures = study_pictures(shown_study(db, record, axes), importance)
        if chart is None and len(pictures) > 1:
            return Drawing("study", list(pictures.values()), f"Study {record.name}")
        kind = chart or next(iter(pictures), "")
        if kind not in pictures:
            raise NothingMatched(f"study {record.name} has no {chart or 'chart'} to draw")
        return Drawing(kind, [pictures[kind]])

    write_plot(invocation, file, make)


@command.command(
    "lab",
    short_help="Plot a laboratory run.",
    examples=(
        ("mtdf plot lab drivers -o nodes.svg", "relative to the run's baseline"),
        ("mtdf plot lab drivers --baseline mtdf -o nodes.pdf", "relative to another engine"),
    ),
)
@click.argument("run", metavar="RUN", type=LAB_RUN)
@click.option("--baseline", metavar="NAME", help="Compare with this engine of the run instead.")
@picture_file
@click.pass_obj
def lab_command(invocation: Invocation, run: str, baseline: str | None, file: PictureFile) -> None:
    """Plot a laboratory run: nodes and leaves relative to the baseline, with intervals, and passes,
    of a comparison by depth, of a sweep over its values at the greatest depth; over
    threads speed-up and search overhead by number of threads; of a suite solved
    positions over nodes to the solution."""
    from toolkit.lab.views import find_run, run_report
    from toolkit.show.charts.lab import lab_picture
    from toolkit.show.charts.suite import suite_picture
    from toolkit.suites.report import suite_report, suite_search_rows

    def make() -> Drawing:
        with invocation.database() as db:
            record = find_run(db, run)
            if record.kind == "suite":
                if baseline is not None:
                    raise UsageError("--baseline is for runs of lab compare and lab sweep")
                picture = suite_picture(suite_report(db, record), suite_search_rows(db, record))
            else:
                picture = lab_picture(run_report(db, record, baseline))
        return Drawing(_LAB_CHARTS[record.kind], [picture])

    write_plot(invocation, file, make)


_LAB_CHARTS = {"compare": "nodes", "sweep": "sweep", "parallel": "threads", "suite": "solved"}
"""What the chart of a kind of laboratory run is called."""


@command.command(
    "trace",
    short_help="Plot how an exact search closes in on the value, or its tree.",
    examples=(
        ("mtdf plot trace --position start --depth 6 -o passes.svg", "the last iteration"),
        ("mtdf plot trace --position lab-40 --depth 4 --top 2 -o tree.svg", "the top of the tree"),
    ),
)
@trace_options
@click.option(
    "--top",
    "plies",
    type=WHOLE,
    help="Plot the top N plies of the tree of each pass, as the reference backend searches it.",
)
@picture_file
@click.pass_context
def trace_command(
    ctx: click.Context,
    /,
    file: PictureFile,
    fen: str | None,
    position: str | None,
    depth: int,
    engine: Variant,
    first_guess: int | None,
    plies: int | None,
) -> None:
    """Plot an exact search pass by pass: bounds, windows, values and nodes of the last iteration,
    or the tree of each of its passes, as `trace` prints them."""
    from toolkit.commands.options.trace import traced_position
    from toolkit.lab.pass_sequence import traced_search
    from toolkit.lab.trace import TraceQuery, trace_search
    from toolkit.show.charts.passes import passes_picture
    from toolkit.show.charts.tree import tree_picture

    def make() -> Drawing:
        found = traced_position(ctx, engine, fen, position)
        report = trace_search(TraceQuery(engine, found.fen, depth, first_guess, False, plies))
        if report.tree is None:
            return Drawing("passes", [passes_picture(traced_search(report))])
        return Drawing("tree", [tree_picture(report, report.tree, file.width)])

    write_plot(ctx.ensure_object(Invocation), file, make)
