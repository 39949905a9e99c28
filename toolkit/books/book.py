"""Opening books: the built-in ones, and EPD, FEN and PGN files.

An EPD line is a position. If its operation ``c0`` has moves in UCI notation, the position must be
the one after these moves from the start position.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db.records import BookRecord, OpeningRecord
from engines.moves import encode_move
from engines.suggestion import did_you_mean
from toolkit.base.errors import UsageError
from toolkit.base.printable import text_in_one_line
from toolkit.games.startable import ONLY_CHESS960, over_because, position_problem

if TYPE_CHECKING:
    import chess
    import chess.pgn

Opening = OpeningRecord
"""One line of a book; what a game starts from."""

DEFAULT_BOOK = "balanced-20k"
PACKAGE_BOOKS = {
    "default-500": "openings_default.epd",
    "balanced-20k": "openings_balanced_20k.epd.gz",
}
"""The books that come with the program, and their files: 500 lines made for this project, and
20,000 made by ``mtdf openings make``; the recipe is in the file's first line."""
CHESS960_BOOK = "chess960"
"""The built-in book of the 960 start positions of Chess960, made when it is needed. Line N + 1 has
position N of the usual numbering (python-chess: ``from_chess960_pos``)."""
BUILT_IN = (*PACKAGE_BOOKS, CHESS960_BOOK)
"""The names of all built-in books."""
MADE_HEADER = "# book made by mtdf: "
"""How the first line of a book of our maker begins; its recipe follows as JSON."""
_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_MADE_LINE = re.compile(
    r'(\S+ \S+ \S+ \S+) hmvc (\d+); fmvn (\d+); id "(\d+)"; c0 "([^"]*)"; c1 "[^"]*";'
)
_MAX_BYTES = 200_000_000
_TOLD = 10
"""Bad lines that a message names after the first."""
_FEN_CLOCKS = re.compile(r"((?:\S+\s+){3}\S+)\s+(\d{1,5})\s+(\d{1,5})(?:\s+(.*))?", re.DOTALL)
_UCI_MOVES = re.compile(r"(?:[a-h][1-8][a-h][1-8][nbrq]?(?:\s+|$))+")


@dataclass(frozen=True, slots=True)
class BadOpening:
    """A line of a book that cannot be played."""

    file: str
    line: int
    """From 1; of a PGN game its first line."""
    reason: str
    is_over: bool = False
    """Whether it is a position where the game is over, and nothing else is wrong with it."""

    def __str__(self) -> str:
        return f"{self.file} line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Book:
    """A set of openings."""

    id: str
    """Hash of the openings with their line numbers, in order."""
    name: str
    source: str
    openings: tuple[Opening, ...]
    skipped: tuple[BadOpening, ...] = ()
    """What was left out on request."""
    recipe: dict[str, Any] = field(default_factory=dict, compare=False)
    """What the maker recorded in the file: its options, the judge and the judge's core signature;
    empty for a book of other origin."""
    chess960: bool = field(default=False, compare=False)
    """Read with positions of Chess960, for games of Chess960 only."""

    def record(self) -> BookRecord:
        """The record that is stored with its openings."""
        return BookRecord(id=self.id, name=self.name, source=self.source, lines=len(self.openings))


def default_book(*, chess960: bool = False) -> Book:
    """The default book, which is built in."""
    return chess960_book() if chess960 else package_book(DEFAULT_BOOK)


@functools.cache
def chess960_book() -> Book:
    """The start positions of Chess960 (:data:`CHESS960_BOOK`)."""
    import chess

    openings = tuple(
        _opening(number + 1, chess.Board.from_chess960_pos(number), [], f"position {number}")
        for number in range(960)
    )
    source = f"package:{CHESS960_BOOK}"
    return Book(book_identity(openings), CHESS960_BOOK, source, openings, chess960=True)


@functools.cache
def package_book(name: str) -> Book:
    """A book that comes with the program, by its name in :data:`PACKAGE_BOOKS`."""
    file = PACKAGE_BOOKS[name]
    data = resources.files("toolkit").joinpath("data", file).read_bytes()
    if file.endswith(".gz"):
        data = gzip.decompress(data)
        found: Iterable[Opening | _Bad] = _read_made(data.decode())
    else:
        found = _read_epd(_lines(file, data))
    openings, bad = _sorted_out(file, found)
    book = _book(name, f"package:{file}", openings, bad, skip_bad=False)
    return replace(book, recipe=_recorded_recipe(data))


def _read_made(text: str) -> Iterator[Opening | _Bad]:
    """The lines of a book that our own maker wrote. They are not looked at again: a test replays
    every line of the package's books."""
    codes = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _MADE_LINE.fullmatch(line)
        if match is None:
            if not line.startswith("#"):
                yield _Bad(number, "not as the book maker writes it")
            continue
        position, halfmoves, fullmove, label, moves = match.groups()
        for uci in moves.split():
            if uci not in codes:
                codes[uci] = encode_move(uci).to_bytes(2, "little")
        yield Opening(
            line=number,
            start_fen=_START,
            moves=b"".join(codes[uci] for uci in moves.split()),
            fen=f"{position} {halfmoves} {fullmove}",
            label=label,
        )


def load_book(path: str | Path, *, skip_bad: bool = False, chess960: bool = False) -> Book:
    """The openings in a file, or a built-in book by its name (:data:`BUILT_IN`).

    A file that ends in ``.pgn`` has games; other files have one position per line (EPD or FEN;
    empty lines and lines that start with ``#`` are ignored).

    ``skip_bad`` skips lines that cannot be played. ``chess960``: the book is for games of Chess960,
    with castling rights as in X-FEN or Shredder-FEN; otherwise a position of Chess960 cannot be
    played. Raises UsageError for a file that cannot be read, that has no opening, or, without
    ``skip_bad``, that has a bad line.
    """
    if str(path) == CHESS960_BOOK:
        if not chess960:
            raise UsageError(f"book {path} has positions of Chess960: --chess960 plays them")
        return chess960_book()
    if str(path) in PACKAGE_BOOKS:
        return package_book(str(path))
    path = Path(path)
    data = _read_bytes(path)
    openings, bad = _openings_in(path, data, chess960=chess960)
    book = _book(path.stem, str(path), openings, bad, skip_bad=skip_bad)
    return replace(book, recipe=_recorded_recipe(data), chess960=chess960)


def read_openings(path: Path, what: str) -> tuple[tuple[Opening, ...], tuple[BadOpening, ...]]:
    """The openings in a file and the lines that cannot be played, both perhaps none, by the rules
    of :func:`load_book`. Raises UsageError for a file that cannot be read, and says ``what`` it
    is, such as a suite."""
    return _openings_in(path, _read_bytes(path, what))


def told_bad(bad: Sequence[BadOpening]) -> str:
    """The first of some bad lines with its fault, and the line numbers of the others."""
    others = [str(one.line) for one in bad[1:]]
    if not others:
        return str(bad[0])
    told, beyond = others[:_TOLD], len(others) - _TOLD
    named = ", ".join(told) + (f" and {beyond} more" if beyond > 0 else "")
    return f"{bad[0]}; also bad: line{'s' if others[1:] else ''} {named}"


def _read_bytes(path: Path, what: str = "book") -> bytes:
    try:
        if path.is_file() and path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"{what} {path} is larger than {_MAX_BYTES // 10**6} MB")
        return path.read_bytes()
    except FileNotFoundError as error:
        hint = did_you_mean(str(path), BUILT_IN) if what == "book" else ""
        raise UsageError(f"cannot read {what} {path}: {error.strerror}{hint}") from error
    except OSError as error:
        raise UsageError(f"cannot read {what} {path}: {error.strerror}") from error


def _openings_in(
    path: Path, data: bytes, *, chess960: bool = False
) -> tuple[tuple[Opening, ...], tuple[BadOpening, ...]]:
    file = str(path)
    if path.suffix.lower() == ".pgn":
        return _sorted_out(file, _read_pgn(data, chess960))
    return _sorted_out(file, _read_epd(_lines(file, data), chess960))


def _recorded_recipe(data: bytes) -> dict[str, Any]:
    """What the maker recorded in the first line of a book; empty if there is no such line."""
    first = data.split(b"\n", 1)[0].decode(errors="replace")
    try:
        recipe = json.loads(first.removeprefix(MADE_HEADER))
    except json.JSONDecodeError:
        return {}
    return recipe if first.startswith(MADE_HEADER) and isinstance(recipe, dict) else {}


def find_book(identity: str, source: str, *, chess960: bool = False) -> Book:
    """The book of that identity: a built-in one, or the one in the file ``source``.
    ``chess960``: as in :func:`load_book`.

    Raises UsageError if neither is it.
    """
    files = {f"package:{file}": name for name, file in PACKAGE_BOOKS.items()}
    files[f"package:{CHESS960_BOOK}"] = CHESS960_BOOK
    book = load_book(files.get(source, source), skip_bad=True, chess960=chess960)
    if book.id != identity:
        raise UsageError(f"book {source} has changed ({identity} -> {book.id})")
    return book


def book_from_records(record: BookRecord, openings: Sequence[Opening]) -> Book:
    """A book as the database kept it."""
    return Book(id=record.id, name=record.name, source=record.source, openings=tuple(openings))


@dataclass(frozen=True, slots=True)
class _Bad:
    """Why a line cannot be played."""

    line: int
    reason: str
    is_over: bool = False


def _sorted_out(
    file: str, found: Iterable[Opening | _Bad]
) -> tuple[tuple[Opening, ...], tuple[BadOpening, ...]]:
    good, bad = [], []
    for item in found:
        if isinstance(item, _Bad):
            bad.append(BadOpening(file, item.line, item.reason, item.is_over))
        else:
            good.append(item)
    return tuple(good), tuple(bad)


def _book(
    name: str,
    source: str,
    openings: tuple[Opening, ...],
    bad: tuple[BadOpening, ...],
    *,
    skip_bad: bool,
) -> Book:
    if not openings:
        raise UsageError(f"book {source} has no openings" + (f": {told_bad(bad)}" if bad else ""))
    if bad and not skip_bad:
        them = "them" if len(bad) > 1 else "it"
        fine = "1 other is" if len(openings) == 1 else f"{len(openings)} others are"
        raise UsageError(f"{told_bad(bad)}; {fine} fine; --skip-bad leaves {them} out")
    return Book(book_identity(openings), name, source, openings, bad)


def book_identity(openings: Iterable[Opening]) -> str:
    """Hash of the lines in order: the identity of the book that holds them."""
    digest = hashlib.sha256()
    for opening in openings:
        fields = (opening.line, opening.start_fen, opening.moves.hex(), opening.fen)
        digest.update("|".join(map(str, fields)).encode() + b"\n")
    return digest.hexdigest()[:16]


def _lines(file: str, data: bytes) -> Iterator[tuple[int, str | _Bad]]:
    """Numbered lines that say something."""
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        try:
            text = raw.decode().strip()
        except UnicodeDecodeError:
            yield number, _Bad(number, "not text in UTF-8")
            continue
        if text and not text.startswith("#"):
            yield number, text


def _read_epd(
    lines: Iterable[tuple[int, str | _Bad]], chess960: bool = False
) -> Iterator[Opening | _Bad]:
    for number, text in lines:
        yield text if isinstance(text, _Bad) else _epd_opening(number, text, chess960)


def _epd_opening(number: int, text: str, chess960: bool) -> Opening | _Bad:
    import chess

    clocks = _FEN_CLOCKS.fullmatch(text)
    epd = f"{clocks[1]} {clocks[4] or ''}" if clocks else text
    board = chess.Board(chess960=chess960)
    try:
        operations = board.set_epd(epd)
    except ValueError as error:
        return _Bad(number, f"not a position in EPD or FEN ({text_in_one_line(error)})")
    if clocks:
        board.halfmove_clock, board.fullmove_number = int(clocks[2]), int(clocks[3])
    label = str(operations.get("id") or "")
    if not chess960 and board.has_chess960_castling_rights():
        return _Bad(number, ONLY_CHESS960)
    problem = position_problem(board)
    if problem:
        return _Bad(number, problem, over_because(board) == problem)
    comment = operations.get("c0")
    if not isinstance(comment, str) or not _UCI_MOVES.fullmatch(comment.strip()):
        return _opening(number, board, [], label)
    played = chess.Board()
    moves: list[str] = []
    for uci in comment.split():
        move = chess.Move.from_uci(uci)
        if not played.is_legal(move):
            return _Bad(number, f"c0: {uci} is illegal after {' '.join(moves) or 'no move'}")
        played.push(move)
        moves.append(uci)
    if played.epd() != board.epd():
        return _Bad(number, "c0: its moves lead to another position")
    return _opening(number, played, moves, label, chess.STARTING_FEN)


def _read_pgn(data: bytes, chess960: bool = False) -> Iterator[Opening | _Bad]:
    import chess.pgn

    class Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
        """Keeps errors in the game and prints nothing."""

        def handle_error(self, error: Exception) -> None:
            self.game.errors.append(error)

    text = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    handle = io.StringIO(text)
    while True:
        rest = handle.tell()
        skipped = len(text) - rest - len(text[rest:].lstrip())
        number = text.count("\n", 0, rest + skipped) + 1
        game = chess.pgn.read_game(handle, Visitor=Builder)
        if game is None:
            return
        yield _pgn_opening(number, game, chess960)


def _pgn_opening(number: int, game: chess.pgn.Game, chess960: bool) -> Opening | _Bad:
    import chess

    if game.errors:
        return _Bad(number, text_in_one_line(game.errors[0]))
    headers = game.headers
    board = game.board()
    if type(board) is not chess.Board:
        return _Bad(number, f"not standard chess ({headers.get('Variant')})")
    if board.chess960 and not chess960:
        return _Bad(number, ONLY_CHESS960)
    start = board.fen()
    moves: list[str] = []
    for move in game.mainline_moves():
        moves.append(move.uci())
        board.push(move)
    problem = position_problem(board)
    if problem:
        return _Bad(number, problem, over_because(board) == problem)
    words = [headers.get(key, "") for key in ("ECO", "Opening", "Variation")]
    label = " ".join(word for word in words if word.strip("?"))
    return _opening(number, board, moves, label, start)


def _opening(
    number: int,
    board: chess.Board,
    moves: Sequence[str],
    label: str,
    start_fen: str | None = None,
) -> Opening:
    fen = board.fen()
    codes = b"".join(encode_move(uci).to_bytes(2, "little") for uci in moves)
    printable = "".join(letter for letter in label[:100] if letter.isprintable())
    return Opening(line=number, start_fen=start_fen or fen, moves=codes, fen=fen, label=printable)
