"""The options of events and studies, each declared once: as a click option that knows which setting
it fills, and how a file says what is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from engines.limit import Limit
from toolkit.commands.options.book import AskedBook, BookType, stored_book
from toolkit.commands.options.run import (
    AFFINITY,
    AND_THEN,
    ENGINE_LOG,
    GAME,
    JOBS,
    Setting,
    limit_argument,
    limit_options_of,
    name_option,
    setting,
    stacked,
)
from toolkit.commands.options.types import SECONDS, WHOLE, game_played

if TYPE_CHECKING:
    from toolkit.books.book import Book
    from toolkit.events.settings import EventSettings
    from toolkit.pairing.forms import AdaptiveForm
    from toolkit.referee.adjudication import Adjudication


def keywords(ctx: click.Context, values: dict[str, Any]) -> dict[str, Any]:
    """Take the settings out of a command's values, as keywords of the functions that make settings;
    what has no value is left out. Raises UsageError."""
    game = game_played(ctx)
    given: dict[str, Any] = {"limit": limit_argument(values) or Limit()}
    for param in ctx.command.params:
        if isinstance(param, Setting) and param.name in values:
            given[param.name] = values.pop(param.name)
    asked: AskedBook = given.pop("book")
    given |= asked.settings
    given["book"] = book_argument(asked, given["chess960"], game)
    ends = ("max_plies", "draw", "resign", "syzygy", "syzygy_decides")
    given["adjudication"] = _adjudication(game, **{name: given.pop(name) for name in ends})
    return {name: value for name, value in given.items() if value is not None}


def book_argument(asked: AskedBook, chess960: bool, game: str) -> Book | None:
    """The book that ``--book`` names for a game; None for the default one. Raises UsageError."""
    from toolkit.books.book import told_bad

    if not asked.name and asked.plies is None:
        return None
    book = asked.load(chess960=chess960, game=game)
    if len(book.skipped) > len(book.openings):
        raise click.UsageError(f"{told_bad(book.skipped)}; most lines cannot be played")
    return book


def _adjudication(
    game: str,
    max_plies: str,
    draw: str | None,
    resign: str | None,
    syzygy: str | None,
    syzygy_decides: str,
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
        tablebases=None if syzygy is None else TablebaseRule.find(syzygy, syzygy_decides),
    )


def _max_plies(text: str) -> int | None:
    if text == "off":
        return None
    try:
        return int(text[:40])
    except ValueError:
        raise click.UsageError(f"--max-plies: `{text}` is not a whole number or off") from None


def _number(name: str, metavar: str, default: float, text: str, stored: str = "sprt.test") -> Any:
    return setting(
        f"--{name}", metavar=metavar, type=float, default=default, show_default=True, help=text,
        stored=f"{stored}.{name}",
    )  # fmt: skip


def _pairs(settings: EventSettings) -> int:
    return settings.pairs + sum(settings.extensions)


def of_form(name: str) -> Callable[[EventSettings], Any]:
    """A setting of the form of an event, such as a knockout; None in others."""
    return lambda settings: getattr(settings.form, name, None)


hypothesis_options = stacked(
    _number("elo0", "ELO", 0.0, "H0: the difference is at most ELO."),
    _number("elo1", "ELO", 5.0, "H1: the difference is at least ELO."),
    _number("alpha", "P", 0.05, "Probability of accepting H1 if H0 is true."),
    _number("beta", "P", 0.05, "Probability of accepting H0 if H1 is true."),
)
"""The hypotheses of a sequential test and its error probabilities."""
race_rule_options = stacked(
    *(
        _number(name, metavar, default, text, stored="form.rule")
        for name, metavar, default, text in (
            ("elo0", "ELO", 0.0, "A candidate must be better than this to be accepted."),
            ("elo1", "ELO", 5.0, "A gain that is worth finding; decides when to give up."),
            ("alpha", "P", 0.05, "Error of the family: of accepting any that is no better."),
            ("beta", "P", 0.1, "Probability of dropping one with the gain of --elo1, at most."),
        )
    ),
    setting(
        "--accept",
        type=click.Choice(["one", "all"]),
        default="one",
        show_default=True,
        help="End with the first that is accepted, or find all that are better; then the error is "
        "the share of wrong ones among the accepted.",
        stored="form.rule.accept",
    ),
    setting(
        "--block",
        type=WHOLE,
        default=50,
        show_default=True,
        help="Game pairs of a candidate between two decisions.",
        stored="form.block",
    ),
)
"""The rule of a race, in Elo."""
_MAX_PAIRS = setting(
    "--max-pairs",
    type=WHOLE,
    default=20_000,
    show_default=True,
    help="Stop without a verdict after N pairs, or at the end of the book.",
    stored=_pairs,
)
_PAIRS_IF_PLAYED = setting(
    "--pairs",
    type=WHOLE,
    help="Game pairs per feature; required without --event.",
    stored=_pairs,
)
limit_options = limit_options_of(lambda kind: f"Limit: {kind.help}.")
"""The limit for a move."""


def seed_option(told: str) -> Callable[[Any], Any]:
    """``--seed`` with its help text."""
    return setting("--seed", type=WHOLE, default=0, show_default=True, help=told)


def book_options(*settings: str) -> Callable[[Any], Any]:
    """The openings: a book with settings of these names, by default all, and the rules of their
    games."""
    asked = BookType(*settings)
    return stacked(
        setting(
            "--book",
            type=asked,
            default="",
            help="Openings: an EPD, FEN, PGN or Polyglot file, which may be compressed; a few "
            "lines that cannot be played are left out. Or a built-in book: balanced-20k (the "
            "default) or default-500; with --chess960 also chess960, its 960 start positions (the "
            "default). Settings, as in my.pgn:plies=8,order=sequential or :slice=1/2: "
            f"{asked.told}.",
            stored=stored_book,
        ),
        setting(
            "--chess960", is_flag=True, help="Play Chess960; books may have X-FEN and Shredder-FEN."
        ),
    )


def _draw(settings: EventSettings) -> str:
    draw = settings.adjudication.draw
    return "off" if draw is None else f"{draw.plies}@{draw.cp}:{draw.from_move}"


def _resign(settings: EventSettings) -> str:
    resign = settings.adjudication.resign
    return "off" if resign is None else f"{resign.plies}@{resign.cp}:{resign.agreement}"


def _of_tables(name: str) -> Callable[[EventSettings], Any]:
    return lambda settings: getattr(settings.adjudication.tablebases, name, None)


ending_options = stacked(
    setting(
        "--max-plies",
        metavar="N|off",
        default="400",
        show_default=True,
        help="Adjudicate a draw after N plies.",
        stored=lambda settings: settings.adjudication.max_plies or "off",
    ),
    setting(
        "--draw",
        metavar="PLIES@CP[:FROM]|off",
        help="Adjudicate a draw after PLIES consecutive plies within CP, from the game's move FROM "
        "on; default: 8@8:40 in chess, else off.",
        stored=_draw,
    ),
    setting(
        "--resign",
        metavar="PLIES@CP[:both|one]|off",
        help="Adjudicate a loss after PLIES consecutive plies beyond CP; default: 4@600:both in "
        "chess, 4@400:both in draughts, else off.",
        stored=_resign,
    ),
    setting(
        "--syzygy",
        metavar="DIR",
        help="Adjudicate by the Syzygy tablebases in DIR, under the fifty-move rule.",
        stored=_of_tables("path"),
    ),
    setting(
        "--syzygy-decides",
        type=click.Choice(["win", "draw", "both"]),
        default="both",
        show_default=True,
        help="Which results the tablebases adjudicate.",
        stored=_of_tables("decides"),
    ),
    setting(
        "--time-margin",
        "time_margin_ms",
        metavar="MS",
        type=WHOLE,
        help="Time by which a move may be late before it loses on time; default: 200.",
    ),
)
"""The rules that end a game early."""


def _patience_s(settings: EventSettings) -> float | None:
    return None if settings.patience_ms == 60_000 else settings.patience_ms / 1000


HANG_AFTER = setting(
    "--hang-after",
    "patience_ms",
    metavar="SECONDS",
    type=SECONDS,
    default=60.0,
    show_default=True,
    help="Without a clock, an external engine that searches longer loses.",
    stored=_patience_s,
)
SCALE_TIME = setting(
    "--scale-time",
    "scale_nps",
    metavar="NPS",
    type=WHOLE,
    help="Times are meant for a machine on which the first engine (of a test or study: the base) "
    "searches NPS nodes per second of CPU time; each machine scales them by its own speed.",
    stored=lambda settings: settings.scale_nps or None,
)
LINES = stacked(
    setting(
        "--no-lines",
        is_flag=True,
        help="Do not store what external engines print of their moves: variation, seldepth, "
        "hashfull, tbhits and the last info string.",
    ),
    setting(
        "--strict",
        is_flag=True,
        help="Exit with code 4 if an engine did anything wrong in a game, even if it cost nothing.",
    ),
)
"""What is kept of what external engines say, and how it is judged."""
_OF_EVENTS = stacked(
    GAME,
    limit_options,
    JOBS,
    AFFINITY,
    seed_option("Seed for shuffling the openings."),
    name_option("event", "Name of the event."),
    book_options(),
    ending_options,
    HANG_AFTER,
    SCALE_TIME,
    LINES,
    ENGINE_LOG,
    click.option("--pgn-out", metavar="FILE", help="Also write the games to FILE, replacing it."),
    AND_THEN,
    click.option("--dry-run", is_flag=True, help="Show the plan and an estimate; start nothing."),
)
event_options = stacked(
    setting("--pairs", type=WHOLE, required=True, help="Game pairs per pairing.", stored=_pairs),
    _OF_EVENTS,
)
"""The options of a new event, in the order of the help page."""


_MOST_PAIRS = 20_000
_ROUND_PAIRS_A_PAIRING = 10


def adaptive_form(values: dict[str, Any], pairings: int) -> AdaptiveForm | None:
    """Take the options of an adaptive event out of a command's values, and leave the most pairs as
    ``pairs``; None for an event of a fixed number of pairs. Raises UsageError."""
    from toolkit.pairing.forms import DEFAULT_ZONE_ELO, AdaptiveForm

    stop_when, zone = values.pop("stop_when"), values.pop("zone", None)
    round_pairs, max_pairs = values.pop("round_pairs"), values.pop("max_pairs")
    if stop_when is None:
        for name, value in (("zone", zone), ("round-pairs", round_pairs), ("max-pairs", max_pairs)):
            if value is not None:
                raise click.UsageError(f"--{name} needs --stop-when")
        if values["pairs"] is None:
            raise click.UsageError("--pairs N is missing; or use --stop-when")
        return None
    if values["pairs"] is not None:
        raise click.UsageError("--stop-when decides the pairs: use --max-pairs instead of --pairs")
    if zone is not None and stop_when != "order":
        raise click.UsageError("--zone needs --stop-when order")
    most = _MOST_PAIRS if max_pairs is None else max_pairs
    values["pairs"] = most
    if round_pairs is None:
        round_pairs = max(min(_ROUND_PAIRS_A_PAIRING * pairings, most), 1)
    return AdaptiveForm(
        stop_when=stop_when,
        round_pairs=round_pairs,
        zone_elo=DEFAULT_ZONE_ELO if zone is None else zone,
    )


def _stop_when(metavar: str, told: str) -> Callable[[Any], Any]:
    return stacked(
        setting(
            "--pairs",
            type=WHOLE,
            help="Game pairs per pairing; required without --stop-when.",
            stored=lambda settings: None if settings.form else _pairs(settings),
        ),
        setting("--stop-when", metavar=metavar, help=told, stored=of_form("stop_when")),
    )


_GOAL = stacked(
    setting(
        "--round-pairs",
        type=WHOLE,
        help="With --stop-when: game pairs between two decisions; default: "
        f"{_ROUND_PAIRS_A_PAIRING} per pairing.",
        stored=of_form("round_pairs"),
    ),
    setting(
        "--max-pairs",
        type=WHOLE,
        help=f"With --stop-when: stop after N game pairs in any case; default: {_MOST_PAIRS}.",
        stored=lambda settings: _pairs(settings) if settings.form else None,
    ),
)
stopping_options = stacked(
    _stop_when(
        "±ELO|decided",
        "Play each pairing until the error of its Elo is at most this, or until it is known which "
        "engine is better.",
    ),
    _GOAL,
    _OF_EVENTS,
)
"""The options of a match or gauntlet, which may end when enough is known."""
round_robin_options = stacked(
    _stop_when(
        "±ELO|order",
        "Play the most informative pairings until all errors are at most this, or until the order "
        "is decided.",
    ),
    setting(
        "--zone",
        metavar="ELO",
        type=float,
        help="With --stop-when order: differences within ±ELO need no order; default: 5.",
        stored=lambda settings: (
            of_form("zone_elo")(settings) if of_form("stop_when")(settings) == "order" else None
        ),
    ),
    _GOAL,
    _OF_EVENTS,
)
"""The options of a round robin, which may be adaptive."""
race_options = stacked(
    setting(
        "--max-pairs",
        type=WHOLE,
        help="Stop after N game pairs of all candidates together; default: 20000 per candidate.",
        stored=_pairs,
    ),
    _OF_EVENTS,
)
"""The options of a race besides its rule."""
test_options = stacked(_MAX_PAIRS, _OF_EVENTS)
"""The options of a sequential test: those of an event, with a bound in place of ``--pairs``."""
ablation_options = stacked(_PAIRS_IF_PLAYED, _OF_EVENTS)
"""The options of an event that may already have been played: the same, but none required."""
