"""Positions that users name: whole suites, and single ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from engines.errors import PositionError
from engines.rules.catalog import rules_of
from toolkit.base.errors import UsageError
from toolkit.base.ranges import check_whole
from toolkit.books.book import (
    PACKAGE_BOOKS,
    BadOpening,
    Opening,
    built_in_books,
    package_book,
)
from toolkit.lab.suite import Suite, distinct, read_lines, read_suite

PACKAGE_SUITES = {"lab-60": "lab-60.epd", "lab-120": "lab-120.epd", "lab-240": "lab-240.epd"}
"""The suites that come with the program; recipes/make_lab_suite.py made them. What was chosen on
`lab-60` is proven on `lab-120`, and claims are judged on `lab-240`."""
USUAL_POSITIONS = 60
"""Positions of a book that are searched where neither suite nor number is given."""
START = "start"
"""What the initial position is called."""
_MOST = 5_000
"""Size of a suite above which a limit is required, to avoid searching all of it by mistake."""
_NAMED = 4
"""Ids that a message names."""


def load_suite(text: str, limit: int | None = None, game: str = "chess") -> Suite:
    """A suite or a built-in book by its name, or a file of positions; with ``limit`` only so
    many of them, spread evenly over it.

    Raises UsageError for what cannot be read, and for a large one without a limit.
    """
    _check_game(text, game)
    if text in PACKAGE_SUITES or text in PACKAGE_BOOKS:
        suite = _package_suite(text)
    elif text and Path(text).exists():
        suite = read_suite(text, skip_over=True, game=game)
    else:
        names = ", ".join(suites_of(game))
        raise UsageError(f"no suite `{text}`: give a file of positions, or one of {names}")
    if limit is None:
        if len(suite) > _MOST:
            raise UsageError(
                f"suite {suite.name} has {len(suite)} positions: choose how many by "
                "--limit-positions"
            )
        return suite
    check_whole("--limit-positions", limit, 1, 1_000_000)
    if limit >= len(suite):
        return suite
    places = [place * len(suite) // limit for place in range(limit)]
    return replace(suite, positions=tuple(suite.positions[place] for place in places))


def suites_of(game: str) -> tuple[str, ...]:
    """The names of the suites and books of a game that come with the program."""
    named = PACKAGE_SUITES if rules_of(game).default_suite in PACKAGE_SUITES else ()
    return *named, *(name for name in built_in_books(game) if name in PACKAGE_BOOKS)


def _check_game(name: str, game: str) -> None:
    """Raises UsageError for a suite or book of the package that is of another game."""
    if name in (*PACKAGE_SUITES, *PACKAGE_BOOKS) and name not in suites_of(game):
        raise UsageError(
            f"the positions of {name} are not of {rules_of(game).title}: give a file of positions, "
            f"or {' or '.join(suites_of(game))}"
        )


def find_position(text: str, game: str = "chess") -> Opening:
    """A position by its id in the suite of the package, as ``FILE:ID`` or ``FILE:LINE``, or
    ``start``. Raises UsageError, also for an id of several positions."""
    if text == START:
        start = rules_of(game).start
        return Opening(1, start, b"", start, START)
    file, colon, wanted = text.rpartition(":")
    name = file if colon else rules_of(game).default_suite
    lines, over = _lines_of(name, game)
    found = [one for one in lines if one.label == wanted]
    found = found or [one for one in lines if colon and str(one.line) == wanted]
    if len(distinct(found)) > 1:
        numbers = ", ".join(str(one.line) for one in found)
        raise UsageError(
            f"`{wanted}` is the id of several positions of {name}, in lines {numbers}: give the "
            f"line, as in {name}:{found[0].line}"
        )
    for one in over:
        if not found and str(one.line) == wanted:
            raise UsageError(str(one))
    if not found:
        raise UsageError(f"suite {name} has no position `{wanted}`{_way_out(text, lines)}")
    return found[0]


def _way_out(text: str, lines: Sequence[Opening]) -> str:
    """A hint for a position that is not in the suite."""
    if text and Path(text).is_file():
        return f"; for one of the file {text}, give {text}:ID or {text}:LINE"
    ids = [one.label for one in lines if one.label]
    if not ids:
        return " (give the number of a line)"
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f" (ids: {', '.join(ids[:_NAMED])}{more})"


def _lines_of(name: str, game: str) -> tuple[Sequence[Opening], Sequence[BadOpening]]:
    """Every line of a suite, a built-in book or a file, and its games that are over. Raises
    UsageError."""
    if name in PACKAGE_BOOKS:
        _check_game(name, game)
        return package_book(name).openings, ()
    if name not in PACKAGE_SUITES and name and Path(name).exists():
        return read_lines(name, game)
    return load_suite(name, game=game).positions, ()


def position_of_fen(fen: str, game: str = "chess") -> Opening:
    """The position that a text of the game, in chess a FEN, describes. Raises PositionError, also
    for one without moves."""
    from engines.reference.seat import seat_at
    from engines.rules.chess_start import bare_fen

    if rules_of(game).uci:
        fen = bare_fen(fen)
    seat = seat_at(game, fen)
    if not seat.game().has_move():
        raise PositionError(f"`{fen}` has no legal move: there is nothing to search")
    return Opening(1, seat.text(), b"", seat.text(), "")


def label_of(opening: Opening) -> str:
    """What tables call a position."""
    return opening.label or f"line {opening.line}"


def suite_origin(name: str) -> str:
    """How a suite of the package was made: the first line of its file."""
    with resources.as_file(_package_file(name)) as file:
        return file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


@cache  # each claim has plans of the same few
def _package_suite(name: str) -> Suite:
    if name in PACKAGE_BOOKS:
        return Suite(name, tuple(distinct(package_book(name).openings)))
    with resources.as_file(_package_file(name)) as file:
        return read_suite(file)


def _package_file(name: str) -> Traversable:
    return resources.files("toolkit").joinpath("data", PACKAGE_SUITES[name])
