"""``mtdf openings``: make, describe and check books of openings."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict

from engines.variant import parse_variant, with_game
from toolkit.base.errors import ExitCode
from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.book import AskedBook, BookType
from toolkit.commands.options.csv import csv_option, printed_as_data, refuse_both
from toolkit.commands.options.run import GAME, JOBS
from toolkit.commands.options.selection import EVENT, conditions, saying_left_out, selection_of
from toolkit.commands.options.types import ENGINE, WHOLE

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.books.book import Book
    from toolkit.books.info import BookFault
    from toolkit.books.making import MakingProgress
    from toolkit.runs.jobs import Jobs

_BOOK = BookType("plies")
_CHESS960 = click.option("--chess960", is_flag=True, help="Read the book for games of Chess960.")


@click.group(
    "openings",
    cls=Group,
    examples=(
        ("mtdf openings make my.epd --count 2000", "a book of balanced lines, found by search"),
        ("mtdf openings info", "describe the built-in book"),
        ("mtdf openings check my.pgn", "lines that cannot be played, with the reason"),
    ),
)
def command() -> None:
    """Make, describe and check books of openings."""


@command.command(
    "make",
    short_help="Make a book of balanced random lines.",
    examples=(
        (
            "mtdf openings make my.epd --count 20000 --plies 8 --max-cp 50 --seed 1 --jobs 2",
            "the recipe of the built-in book",
        ),
        ("mtdf openings make my.epd --count 20000", "after Ctrl-C, the same command continues"),
    ),
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--count", type=WHOLE, required=True, help="Number of lines.")
@click.option(
    "--plies", type=WHOLE, default=8, show_default=True, help="Length of a line in plies."
)
@click.option(
    "--max-cp",
    metavar="CP",
    type=WHOLE,
    help="Maximum imbalance by the judge's evaluation; default: that of the game, in chess 50 "
    "centipawns.",
)
@click.option("--seed", type=WHOLE, default=1, show_default=True, help="Seed for the random walks.")
@click.option(
    "--nodes",
    type=WHOLE,
    default=20_000,
    show_default=True,
    help="Nodes per search of the judge.",
)
@click.option(
    "--judge",
    type=ENGINE,
    help="Engine that evaluates the lines; default: pvs:entries=2^16 of the game.",
)
@GAME
@JOBS
@click.pass_context
def make_command(
    ctx: click.Context,
    file: Path,
    count: int,
    plies: int,
    max_cp: int | None,
    seed: int,
    nodes: int,
    judge: Variant | None,
    jobs: Jobs,
) -> None:
    """Make a book of random lines that a search considers balanced, without repeated positions.

    The same options give the same book for any number of jobs. Lines found so far are kept in
    FILE.partial; after an interruption, the same command continues from there.
    """
    from engines.rules.catalog import rules_of
    from toolkit.books.making import DEFAULT_JUDGE, BookRecipe, MadeBook, make_book
    from toolkit.show.live.pace import now_and_then

    invocation = ctx.ensure_object(Invocation)
    spelling = with_game(DEFAULT_JUDGE, invocation.game) if judge is None else judge.spelling
    if max_cp is None:
        max_cp = rules_of(parse_variant(spelling).game).balanced
    recipe = BookRecipe(count, plies, max_cp, seed, nodes, spelling)
    output = invocation.output
    made = make_book(recipe, file, jobs=jobs, on_progress=now_and_then(output, _making_text))
    if made.accepted < recipe.count:
        output.hint(
            f"{format_count(made.accepted)} of {count_of(made.wanted, 'line')} are saved in "
            f"{file}.partial; the same command continues from there"
        )
        ctx.exit(ExitCode.TERMINATED if made.signal == signal.SIGTERM else ExitCode.INTERRUPTED)
    if output.as_json:
        output.json_object(MadeBook(file=str(file), lines=made.accepted, tried=made.tried))
    else:
        output.text(
            f"wrote {count_of(made.accepted, 'opening')} to {file} "
            f"({count_of(made.tried, 'candidate')} tried)"
        )


@command.command(
    "info",
    examples=(
        ("mtdf openings info", "the built-in book"),
        ("mtdf openings info my.bin:plies=6", "lines of a Polyglot book"),
        ("mtdf openings info --slices 2", "the number of lines in slice 1/2 and 2/2"),
    ),
)
@click.argument("book", metavar="[BOOK]", type=_BOOK, default=AskedBook("", None, {}))
@click.option("--slices", type=WHOLE, help="Also show the sizes of N slices.")
@_CHESS960
@GAME
@click.pass_obj
def info_command(
    invocation: Invocation,
    book: AskedBook,
    slices: int | None,
    chess960: bool,
) -> None:
    """Describe a book: lines, positions, lengths and recorded recipe.

    BOOK is an EPD, FEN, PGN or Polyglot file, which may be compressed, a file of positions of
    another game (--game), or a built-in book: balanced-20k (the default), default-500, with
    --chess960 chess960 (the default), or that of another game. FILE:plies=N takes the first N plies
    of each PGN game or Polyglot path.
    """
    from toolkit.books.info import describe_book
    from toolkit.commands.runs.event import warn_about_book
    from toolkit.show.tables.openings import print_book

    found = book.load(chess960=chess960, game=invocation.played or None)
    warn_about_book(invocation.output, found)
    description = describe_book(found, slices)
    if invocation.output.as_json:
        invocation.output.json_object(description)
    else:
        print_book(invocation.output, description)


@command.command(
    "check",
    short_help="List the bad, repeated and unbalanced lines of a book.",
    examples=(
        ("mtdf openings check my.epd", "exit code 0 if every line can be played, else 1"),
        ("mtdf openings check games.pgn", "each game of a PGN file is a line"),
        ("mtdf openings check my.epd --max-cp 80", "also check the balance; exit code 1 on faults"),
    ),
)
@click.argument("file", metavar="BOOK", type=_BOOK)
@click.option(
    "--max-cp", metavar="CP", type=WHOLE, help="Also list lines with a greater imbalance."
)
@click.option("--nodes", type=WHOLE, help="Nodes per search of the judge; default: 20000.")
@click.option(
    "--judge",
    type=ENGINE,
    help="Engine that evaluates the lines; default: pvs:entries=2^16 of the game.",
)
@_CHESS960
@GAME
@click.pass_context
def check_command(
    ctx: click.Context,
    file: AskedBook,
    max_cp: int | None,
    nodes: int | None,
    judge: Variant | None,
    chess960: bool,
) -> None:
    """List the lines of a book that cannot be played, and repeated positions.

    With --max-cp, the judge searches every line and unbalanced lines are listed too. The current
    core may differ from the one that made the book.
    """
    from toolkit.books.info import BookCheck, describe_book, repeated_positions, unplayable_lines

    if max_cp is None and (nodes is not None or judge is not None):
        raise click.UsageError("--nodes and --judge need --max-cp", ctx)
    output = ctx.ensure_object(Invocation).output
    game = ctx.ensure_object(Invocation).played or None
    book = file.load(chess960=chess960, game=game)
    unbalanced = [] if max_cp is None else _judge(output, book, max_cp, nodes, judge)
    faults = [*unplayable_lines(book), *repeated_positions(book), *unbalanced]
    judged = 0 if max_cp is None else len(book.openings)
    check = BookCheck(**asdict(describe_book(book)), judged=judged, faults=faults)
    if output.as_json:
        output.json_object(check)
    else:
        for fault in faults:
            output.text(f"{file.name} line {fault.line}: {fault.reason}")
        output.text(
            f"{count_of(check.lines, 'line')} can be played, "
            f"{format_count(check.bad_lines)} cannot, "
            f"{count_of(check.repeated, 'repeats', 'repeat')} another"
        )
        if judged:
            output.text(f"{format_count(len(unbalanced))} of {format_count(judged)} out of balance")
    if book.skipped or unbalanced:
        ctx.exit(ExitCode.FAILED)


def _judge(
    output: Output, book: Book, max_cp: int, nodes: int | None, judge: Variant | None
) -> list[BookFault]:
    """The unbalanced lines; reports the judge's progress."""
    from toolkit.books.making import DEFAULT_JUDGE, JUDGE_NODES, unbalanced_lines
    from toolkit.show.live.pace import now_and_then

    def text(judged: int) -> str:
        return f"{format_count(judged)} of {count_of(len(book.openings), 'line')} judged"

    return unbalanced_lines(
        book,
        max_cp=max_cp,
        judge=with_game(DEFAULT_JUDGE, book.game) if judge is None else judge.spelling,
        nodes=JUDGE_NODES if nodes is None else nodes,
        on_judged=now_and_then(output, text),
    )


@command.command(
    "stats",
    short_help="Show results by book line, the most decisive lines first.",
    examples=(
        ("mtdf openings stats", "lines where one colour won both games come first"),
        ("mtdf openings stats --min-games 20 --top 50", "only lines that were played often"),
        ("mtdf openings stats --event last --csv > lines.csv", "for a spreadsheet"),
    ),
)
@EVENT
@conditions
@click.option("--min-games", type=WHOLE, default=0, help="Only lines with at least N games.")
@click.option("--top", type=WHOLE, default=20, show_default=True, help="Print only N lines.")
@csv_option("Print all lines as CSV.")
@click.pass_context
def stats_command(
    ctx: click.Context, /, min_games: int, top: int, as_csv: bool, **values: Any
) -> None:
    """Show the results of the games in the database by book line, the most decisive lines first.

    If one colour wins both games of a pair, this says more about the line than about the players.
    """
    from toolkit.reports.openings import OpeningStats, opening_stats
    from toolkit.show.tables.openings import print_opening_stats

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    refuse_both(output, as_csv)
    with invocation.database() as db:
        selection = selection_of(values)
        with saying_left_out(output, db, selection):
            rows = opening_stats(db, selection, min_games=min_games)
    if not printed_as_data(output, as_csv, OpeningStats, rows):
        print_opening_stats(output, rows, top)


def _making_text(progress: MakingProgress) -> str:
    """How far a book is."""
    return (
        f"{format_count(progress.accepted)} of {count_of(progress.wanted, 'line')}, "
        f"{count_of(progress.tried, 'candidate')} tried"
    )
