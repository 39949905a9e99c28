"""The options shared by all events, and their meanings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from engines.limit import Limit
from toolkit.commands.options.run import (
    AFFINITY,
    BOOK_PLIES,
    ENGINE_LOG,
    GAME,
    JOBS,
    limit_argument,
    limit_options_of,
    name_option,
    stacked,
)
from toolkit.commands.options.types import BOOK, BOOK_SLICE, WHOLE, game_played

if TYPE_CHECKING:
    from toolkit.books.book import Book
    from toolkit.books.info import BookSlice
    from toolkit.events.settings import EventOptions
    from toolkit.referee.adjudication import Adjudication
    from toolkit.runs.jobs import Jobs

_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class EventArguments:
    """Values of the shared options, as given."""

    pairs: int
    limit: Limit
    jobs: Jobs
    affinity: bool
    name: str
    seed: int
    book: str | None
    book_slice: BookSlice | None
    book_plies: int | None
    order: str
    openings: str
    start: int
    skip_bad: bool
    chess960: bool
    repeat_openings: bool
    max_plies: str
    draw: str | None
    resign: str | None
    syzygy: str | None
    syzygy_decides: str
    time_margin: int | None
    hang_after: float
    engine_log: str | None
    pgn_out: str | None
    save_config: str | None
    dry_run: bool


def event_arguments(values: dict[str, Any]) -> EventArguments:
    """Take the values of the shared options out of a command's values. Raises UsageError."""
    limit = limit_argument(values)
    return EventArguments(limit=limit or Limit(), **values)


def load_options(arguments: EventArguments) -> tuple[EventOptions, Book]:
    """The shared options as settings of an event, and its book. Raises UsageError."""
    from toolkit.books.book import default_book
    from toolkit.events.settings import DEFAULT_TIME_MARGIN_MS

    chess960 = arguments.chess960
    game = game_played(click.get_current_context())
    book = book_argument(arguments.book, arguments.skip_bad, arguments.book_plies, chess960, game)
    book = book or default_book(chess960=chess960, game=game)
    margin = arguments.time_margin
    options: EventOptions = {
        "book": book,
        "book_slice": arguments.book_slice,
        "order": "sequential" if arguments.order == "sequential" else "random",
        "openings": "shared" if arguments.openings == "shared" else "distinct",
        "start": arguments.start,
        "repeat_openings": arguments.repeat_openings,
        "seed": arguments.seed,
        "name": arguments.name,
        "chess960": chess960,
        "time_margin_ms": DEFAULT_TIME_MARGIN_MS if margin is None else margin,
        "patience_ms": _patience_ms(arguments.hang_after),
        "adjudication": adjudication_argument(
            arguments.max_plies,
            arguments.draw,
            arguments.resign,
            arguments.syzygy,
            arguments.syzygy_decides,
            game,
        ),
    }
    return options, book


def book_argument(
    path: str | None, skip_bad: bool, plies: int | None, chess960: bool, game: str
) -> Book | None:
    """The book that ``--book`` names for a game, its lines cut to ``plies``; None without it.
    Raises UsageError."""
    from toolkit.books.book import load_book

    if path is not None:
        return load_book(path, skip_bad=skip_bad, plies=plies, chess960=chess960, game=game)
    if plies is not None:
        raise click.UsageError("--book-plies needs --book FILE")
    if skip_bad:
        raise click.UsageError("--skip-bad needs --book FILE")
    return None


def adjudication_argument(
    max_plies: str,
    draw: str | None,
    resign: str | None,
    syzygy: str | None,
    decides: str,
    game: str,
) -> Adjudication:
    """The rules that end games early; None: as usual in the game. Raises UsageError."""
    from toolkit.referee.adjudication import (
        Adjudication,
        parse_draw_rule,
        parse_resign_rule,
        usual_adjudication,
    )
    from toolkit.referee.tablebases import TablebaseRule

    usual = usual_adjudication(game)
    return Adjudication(
        max_plies=_max_plies(max_plies),
        draw=usual.draw if draw is None else parse_draw_rule(draw),
        resign=usual.resign if resign is None else parse_resign_rule(resign),
        tablebases=None if syzygy is None else TablebaseRule.find(syzygy, decides),
    )


def _patience_ms(seconds: float) -> int:
    """``--hang-after`` in whole milliseconds. Raises UsageError."""
    if not 0.001 <= seconds <= _DAY_S:
        raise click.UsageError(f"--hang-after ({seconds:g}) must be from 0.001 to {_DAY_S} seconds")
    return round(1000 * seconds)


def _max_plies(text: str) -> int | None:
    if text == "off":
        return None
    try:
        return int(text[:40])
    except ValueError:
        raise click.UsageError(f"--max-plies: `{text}` is not a whole number or off") from None


def _number(name: str, metavar: str, default: float, text: str) -> Any:
    return click.option(
        name, metavar=metavar, type=float, default=default, show_default=True, help=text
    )


hypothesis_options = stacked(
    _number("--elo0", "ELO", 0.0, "H0: the difference is at most ELO."),
    _number("--elo1", "ELO", 5.0, "H1: the difference is at least ELO."),
    _number("--alpha", "P", 0.05, "Probability of accepting H1 if H0 is true."),
    _number("--beta", "P", 0.05, "Probability of accepting H0 if H1 is true."),
)
"""The hypotheses of a sequential test and its error probabilities."""
_MAX_PAIRS = click.option(
    "--max-pairs",
    "pairs",
    type=WHOLE,
    default=20_000,
    show_default=True,
    help="Stop without a verdict after N pairs, or at the end of the book.",
)
_PAIRS_IF_PLAYED = click.option(
    "--pairs", type=WHOLE, help="Game pairs per feature; required without --event."
)
limit_options = limit_options_of(lambda kind: f"Limit: {kind.help}.")
"""The limit for a move."""
_WHICH_LINES = stacked(
    click.option(
        "--book",
        metavar="FILE",
        type=BOOK,
        help="Openings: an EPD, FEN, PGN or Polyglot file, which may be compressed, or a built-in "
        "book: balanced-20k (the default) or default-500; with --chess960 also chess960, its 960 "
        "start positions (the default).",
    ),
    BOOK_PLIES,
    click.option(
        "--book-slice",
        type=BOOK_SLICE,
        help="Use only slice I of N disjoint slices, split by a hash of the position.",
    ),
    click.option(
        "--order",
        type=click.Choice(["random", "sequential"]),
        default="random",
        show_default=True,
        help="Order of the openings.",
    ),
)
_SKIP_BAD = click.option("--skip-bad", is_flag=True, help="Skip book lines that cannot be played.")
_CHESS960 = click.option(
    "--chess960", is_flag=True, help="Play Chess960; books may have X-FEN and Shredder-FEN."
)
ending_options = stacked(
    click.option(
        "--max-plies",
        metavar="N|off",
        default="400",
        show_default=True,
        help="Adjudicate a draw after N plies.",
    ),
    click.option(
        "--draw",
        metavar="PLIES@CP[:FROM]|off",
        help="Adjudicate a draw after PLIES consecutive plies within CP, from the game's move FROM "
        "on; default: 8@8:40 in chess, else off.",
    ),
    click.option(
        "--resign",
        metavar="PLIES@CP[:both|one]|off",
        help="Adjudicate a loss after PLIES consecutive plies beyond CP; default: 4@600:both in "
        "chess, 4@400:both in draughts, else off.",
    ),
    click.option(
        "--syzygy",
        metavar="DIR",
        help="Adjudicate by the Syzygy tablebases in DIR, under the fifty-move rule.",
    ),
    click.option(
        "--syzygy-decides",
        type=click.Choice(["win", "draw", "both"]),
        default="both",
        show_default=True,
        help="Which results the tablebases adjudicate.",
    ),
    click.option(
        "--time-margin",
        metavar="MS",
        type=WHOLE,
        help="Time by which a move may be late before it loses on time; default: 200.",
    ),
)
"""The rules that end a game early."""
_OF_EVENTS = stacked(
    GAME,
    limit_options,
    JOBS,
    AFFINITY,
    click.option(
        "--seed", type=WHOLE, default=0, show_default=True, help="Seed for shuffling the openings."
    ),
    name_option("event", "Name of the event."),
    _WHICH_LINES,
    click.option(
        "--openings",
        type=click.Choice(["distinct", "shared"]),
        default="distinct",
        show_default=True,
        help="`shared`: all pairings play the same openings, and errors are clustered by opening.",
    ),
    click.option(
        "--start",
        type=WHOLE,
        default=1,
        show_default=True,
        help="Number of the first opening to play, in that order.",
    ),
    _SKIP_BAD,
    _CHESS960,
    click.option(
        "--repeat-openings",
        is_flag=True,
        help="Allow a deterministic event to play openings again when the book runs out.",
    ),
    ending_options,
    click.option(
        "--hang-after",
        metavar="SECONDS",
        type=float,
        default=60.0,
        show_default=True,
        help="Without a clock, an external engine that searches longer loses.",
    ),
    ENGINE_LOG,
    click.option("--pgn-out", metavar="FILE", help="Also write the games to FILE, replacing it."),
    click.option(
        "--save-config",
        metavar="FILE",
        help="Write the options and engines to FILE, for `mtdf run`; start nothing.",
    ),
    click.option("--dry-run", is_flag=True, help="Show the plan and an estimate; start nothing."),
)
event_options = stacked(
    click.option("--pairs", type=WHOLE, required=True, help="Game pairs per pairing."), _OF_EVENTS
)
"""The options of a new event, in the order of the help page."""
round_robin_options = stacked(
    click.option(
        "--pairs", type=WHOLE, help="Game pairs per pairing; required without --stop-when."
    ),
    click.option(
        "--stop-when",
        metavar="NUMBERelo|order",
        help="Play where it tells most until every error is at most NUMBER Elo, or the order is "
        "settled.",
    ),
    click.option(
        "--zone",
        metavar="ELO",
        type=float,
        help="With --stop-when order: differences within ±ELO need no order; default: 5.",
    ),
    click.option(
        "--round-pairs",
        type=WHOLE,
        help="With --stop-when: game pairs between two decisions; default: 10 per pairing.",
    ),
    click.option(
        "--max-pairs",
        type=WHOLE,
        help="With --stop-when: stop after N game pairs in any case; default: 20000.",
    ),
    _OF_EVENTS,
)
"""The options of a round robin, which may be adaptive."""
test_options = stacked(_MAX_PAIRS, _OF_EVENTS)
"""The options of a sequential test: those of an event, with a bound in place of ``--pairs``."""
ablation_options = stacked(_PAIRS_IF_PLAYED, _OF_EVENTS)
"""The options of an event that may already have been played: the same, but none required."""
book_options = stacked(_WHICH_LINES, _SKIP_BAD, _CHESS960)
"""The openings: a book, a slice of it, the order, and the rules of their games."""
