"""Opening books: the built-in ones, and files, perhaps compressed, in EPD, FEN, PGN and Polyglot.

A line of EPD is a position of chess. If its operation ``c0`` has moves in UCI notation, the
position must be the one after these moves from the start position. A game in PGN is a line, and so
is each path through a Polyglot book; both can be cut to a number of plies.

Books of other games have a line ``POSITION; id "7"; c0 "d3 c5"; c1 "cp +12";`` for each opening, of
which all but the position may be missing.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, overload

from msgspec import Struct
from msgspec.structs import replace

from db.records.openings import BookRecord, OpeningRecord
from engines.errors import PositionError
from engines.external.text import shown
from engines.moves import encode_move
from engines.rules.board import Rules
from engines.rules.catalog import ALL, rules_of
from engines.rules.chess import STANDARD
from engines.suggestion import did_you_mean
from toolkit.base.compressed import PackedFile, translated
from toolkit.base.errors import UsageError
from toolkit.base.files import open_input
from toolkit.base.printable import text_in_one_line, text_of
from toolkit.base.ranges import check_whole

if TYPE_CHECKING:
    import chess
    import chess.pgn

Opening = OpeningRecord
"""One line of a book; what a game starts from."""

_GAME_BOOKS = {rules.default_book: rules.game for rules in ALL if not rules.uci}
"""Built-in books of other games than chess, made by ``mtdf openings make --game``."""
PACKAGE_BOOKS = {
    "default-500": "openings_default.epd",
    "balanced-20k": "openings_balanced_20k.epd.gz",
    **{name: f"openings_{name}.txt.gz" for name in _GAME_BOOKS},
}
"""The books that come with the program, and their files: 500 lines made for this project, and
20,000 made by ``mtdf openings make``; the recipe is in the file's first line."""
_IDENTITIES = {
    "default-500": "b557bde1dcdf40f9",
    "balanced-20k": "7c779679f824c31f",
    "othello-4k": "e4e14cae44e3ebb9",
    "draughts-4k": "4fd57a9b8b0f4c8f",
    "connect-four-1k": "89e8ea01a89971cb",
}
"""What :func:`book_identity` makes of the books of the package; a test compares."""
CHESS960_BOOK = "chess960"
"""The built-in book of the 960 start positions of Chess960, made when it is needed. Line N + 1 has
position N of the usual numbering (python-chess: ``from_chess960_pos``)."""
BUILT_IN = (*PACKAGE_BOOKS, CHESS960_BOOK)
"""The names of all built-in books."""
MADE_HEADER = "# book made by mtdf: "
"""How the first line of a book of our maker begins; its recipe follows as JSON."""
_MADE_LINE = re.compile(
    r'(\S+ \S+ \S+ \S+) hmvc (\d+); fmvn (\d+); id "(\d+)"; c0 "([^"]*)"; c1 "[^"]*";'
)
_PLAIN_ITEM = re.compile(r'\s*(\w+) "([^"]*)"\s*(?:;|$)')
_WITH_GAMES = (".bin", ".pgn")
"""The endings of books that have games; others have positions."""
_MAX_BYTES = 200_000_000
"""Of a book, unpacked."""
_MAX_PLIES = 600
_SHOWN = 40
"""Characters of a line that is no position that a message repeats."""
_TOLD = 10
"""Bad lines that a message names after the first."""
_BLANKS = re.compile(r"\s*")
_UCI_MOVES = re.compile(r"(?:[a-h][1-8][a-h][1-8][nbrq]?(?:\s+|$))+")


class BadOpening(Struct, frozen=True):
    """A line of a book that cannot be played."""

    file: str
    line: int
    """From 1; of a PGN game its first line, of a Polyglot book the number of the path."""
    reason: str
    is_over: bool = False
    """Whether it is a game or path that is over at its end, and nothing else is wrong with it."""

    def __str__(self) -> str:
        return f"{self.file} line {self.line}: {self.reason}"


class Book(Struct, frozen=True):
    """A set of openings."""

    id: str
    """Hash of the openings with their line numbers, in order."""
    name: str
    source: str
    openings: Sequence[Opening]
    skipped: tuple[BadOpening, ...] = ()
    """What was left out on request."""
    plies: int | None = None
    """Greatest length of a line, if the lines of the file were cut to it."""
    recipe: dict[str, Any] = {}
    """What the maker recorded in the file: its options, the judge and the judge's core signature;
    empty for a book of other origin."""
    chess960: bool = False
    """Read with positions of Chess960, for games of Chess960 only."""
    game: str = "chess"
    """The game that it is for."""
    has_games: bool = False
    """Its lines are games (PGN, Polyglot), whose moves the players are given; those of other books
    are positions, with or without the moves that lead to them."""

    def __hash__(self) -> int:
        return hash(self.id)

    def record(self) -> BookRecord:
        """The record that is stored with its openings."""
        return BookRecord(id=self.id, name=self.name, source=self.source, lines=len(self.openings))


def built_in_books(game: str) -> tuple[str, ...]:
    """The names of the built-in books of a game."""
    return tuple(name for name in BUILT_IN if _game_of(name) == game)


def built_in_book(identity: str) -> Book | None:
    """The book of that identity if it comes with the program. Such a book never changes, so it can
    be read whenever its lines are needed."""
    names = {known: name for name, known in _IDENTITIES.items()}
    return package_book(names[identity]) if identity in names else None


def _game_of(name: str) -> str:
    """The game of a built-in book."""
    return _GAME_BOOKS.get(name, STANDARD.game)


def default_book(*, chess960: bool = False, game: str = "chess") -> Book:
    """The default book of a game, which is built in."""
    name = rules_of(game, chess960=chess960).default_book
    return chess960_book() if name == CHESS960_BOOK else package_book(name)


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
    rules = rules_of(_game_of(name))
    openings: Sequence[Opening]
    if file.endswith(".gz"):
        data = gzip.decompress(data)
        openings = MadeLines(data.decode(), rules)
    else:
        openings, bad = _sorted_out(file, _read_positions(_lines(data), rules))
        assert not bad
    recipe = _recorded_recipe(data)
    source = f"package:{file}"
    return Book(_IDENTITIES[name], name, source, openings, recipe=recipe, game=rules.game)


class MadeLines(Sequence[Opening]):
    """The lines of a book that our own maker wrote, each read when it is asked for. They are not
    looked at again: a test replays every line of the package's books."""

    def __init__(self, text: str, rules: Rules) -> None:
        numbered = enumerate(text.splitlines(), 1)
        self._texts = [(number, line) for number, line in numbered if not line.startswith("#")]
        self._rules = rules

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> Opening: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Opening]: ...

    def __getitem__(self, place: int | slice) -> Opening | Sequence[Opening]:
        if isinstance(place, slice):
            return tuple(self._read(*each) for each in self._texts[place])
        return self._read(*self._texts[place])

    def numbers(self) -> list[int]:
        """The numbers of all lines."""
        return [number for number, _ in self._texts]

    def _read(self, number: int, text: str) -> Opening:
        rules = self._rules
        position, _, rest = text.partition(";")
        items = dict(_PLAIN_ITEM.findall(rest))
        if rules.uci:
            match = _MADE_LINE.fullmatch(text)
            assert match is not None, text
            position = f"{match[1]} {match[2]} {match[3]}"
            items = {"id": match[4], "c0": match[5]}
        codes = (rules.move_code(name).to_bytes(2, "little") for name in items["c0"].split())
        return Opening(number, rules.start, b"".join(codes), position, items["id"])


def line_numbers(openings: Sequence[Opening]) -> list[int]:
    """The numbers of lines, without reading them where that can be spared."""
    if isinstance(openings, MadeLines):
        return openings.numbers()
    return [opening.line for opening in openings]


def load_book(
    path: str | Path,
    *,
    skip_bad: bool = False,
    plies: int | None = None,
    chess960: bool = False,
    game: str | None = None,
) -> Book:
    """The openings in a file, or a built-in book by its name (:data:`BUILT_IN`).

    A file that ends in ``.pgn`` has games, one in ``.bin`` is a Polyglot book; other files have one
    position per line (EPD or FEN; empty lines and lines that start with ``#`` are ignored). Each
    may be compressed (:mod:`toolkit.base.compressed`).

    ``skip_bad`` skips lines that cannot be played. ``plies``: take at most so many plies of each
    game, by default all; of each path through a Polyglot book by default 8. ``chess960``: the book
    is for games of Chess960, with castling rights as in X-FEN or Shredder-FEN; otherwise a position
    of Chess960 cannot be played. ``game``: the game that it is for; None: that of a built-in book,
    for a file chess. Raises UsageError for a built-in book of another game, for a file that cannot
    be read, that has no opening, or, without ``skip_bad``, that has a bad line; also for ``plies``
    of positions, and for a Polyglot book of Chess960.
    """
    if plies is not None:
        check_whole("plies of a book line", plies, 1, _MAX_PLIES)
        if str(path) in BUILT_IN:
            raise UsageError(_no_games(path))
    if str(path) in BUILT_IN and game not in (None, _game_of(str(path))):
        raise UsageError(f"book {path} is of {_game_of(str(path))}, and the engines play {game}")
    if str(path) == CHESS960_BOOK:
        if not chess960:
            raise UsageError(f"book {path} has positions of Chess960: --chess960 plays them")
        return chess960_book()
    if str(path) in PACKAGE_BOOKS:
        return package_book(str(path))
    path = Path(path)
    content = _read_content(path)
    plies = content.cut_to(plies)
    game = game or STANDARD.game
    openings, bad = content.openings(plies, chess960=chess960, game=game)
    book = _book(content.stem, str(path), openings, bad, skip_bad=skip_bad)
    recipe = _recorded_recipe(content.data)
    return replace(
        book,
        plies=plies,
        recipe=recipe,
        chess960=chess960,
        game=game,
        has_games=_ending_of(content.name) in _WITH_GAMES,
    )


def read_openings(
    path: Path, what: str, game: str = "chess"
) -> tuple[tuple[Opening, ...], tuple[BadOpening, ...]]:
    """The openings in a file and the lines that cannot be played, both perhaps none, by the rules
    of :func:`load_book`. Raises UsageError for a file that cannot be read, and says ``what`` it
    is, such as a suite."""
    content = _read_content(path, what)
    return content.openings(content.cut_to(None), game=game)


def told_bad(bad: Sequence[BadOpening]) -> str:
    """The first of some bad lines with its fault, and the line numbers of the others."""
    others = [str(one.line) for one in bad[1:]]
    if not others:
        return str(bad[0])
    told, beyond = others[:_TOLD], len(others) - _TOLD
    named = ", ".join(told) + (f" and {beyond} more" if beyond > 0 else "")
    return f"{bad[0]}; also bad: line{'s' if others[1:] else ''} {named}"


class _Content(Struct, frozen=True):
    """What is in a file of openings, unpacked."""

    path: Path
    what: str
    """What the file is to the user: a book, or a suite."""
    name: str
    """Its name without the compression."""
    data: bytes

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return PurePath(self.name).stem

    def cut_to(self, plies: int | None) -> int | None:
        """The greatest length of its lines if so many plies are requested. Raises UsageError for
        lines that are positions."""
        ending = _ending_of(self.name)
        if ending == ".bin" and plies is None:
            from toolkit.books.polyglot import DEFAULT_PLIES

            return DEFAULT_PLIES
        if plies is not None and ending not in _WITH_GAMES:
            raise UsageError(_no_games(self.path))
        return plies

    def openings(
        self, plies: int | None, *, chess960: bool = False, game: str = "chess"
    ) -> tuple[tuple[Opening, ...], tuple[BadOpening, ...]]:
        """Its lines, and those that cannot be played. Raises UsageError for what is no Polyglot
        book, but should be one."""
        file = str(self.path)
        found: Iterable[Opening | _Bad]
        rules, ending = rules_of(game, chess960=chess960), _ending_of(self.name)
        if not rules.uci:
            if ending in _WITH_GAMES:
                raise UsageError(
                    f"{self.what} {file} is of chess: one of {rules.title} has a position in each "
                    "line (docs/games.md)"
                )
            return _sorted_out(file, _read_positions(_lines(self.data), rules))
        if ending == ".bin":
            assert plies is not None
            if chess960:
                raise UsageError(
                    f"{self.what} {file} begins at the start of standard chess, as every Polyglot "
                    "book: leave out --chess960"
                )
            found = _read_polyglot(f"{self.what} {file}", self.data, plies)
        elif ending == ".pgn":
            found = _read_pgn(self.data, plies, chess960)
        else:
            found = _read_positions(_lines(self.data), rules)
        return _sorted_out(file, found)


def check_made_name(path: Path) -> None:
    """Raises UsageError for the name of a file of positions that would be read as another kind of
    book."""
    name = PackedFile(lambda _: b"", path.name).name
    if name != path.name or _ending_of(name) in _WITH_GAMES:
        raise UsageError(
            f"{path} would not be read as text with a position in each line: let its name end "
            "otherwise, such as in .epd or .txt"
        )


def _ending_of(name: str) -> str:
    return PurePath(name).suffix.lower()


def _no_games(path: str | Path) -> str:
    return (
        f"book {path} has positions: plies=N is for games in PGN (.pgn) and Polyglot books (.bin)"
    )


def _read_content(path: Path, what: str = "book") -> _Content:
    """The file, of which never more than :data:`_MAX_BYTES` is read or unpacked. Raises
    UsageError."""
    parts: list[bytes] = []
    size = 0
    try:
        with translated(f"{what} {path}"), open_input(path) as file:
            packed = PackedFile(file.read, path.name)
            for piece in packed.pieces():
                parts.append(piece)
                size += len(piece)
                if size > _MAX_BYTES:
                    raise UsageError(f"{what} {path} is larger than {_MAX_BYTES // 10**6} MB")
    except UsageError as error:
        if what != "book" or not isinstance(error.__cause__, FileNotFoundError):
            raise
        raise UsageError(f"{error}{did_you_mean(str(path), BUILT_IN)}") from error
    return _Content(path, what, packed.name, b"".join(parts))


def _recorded_recipe(data: bytes) -> dict[str, Any]:
    """What the maker recorded in the first line of a book; empty if there is no such line."""
    first = data.split(b"\n", 1)[0].decode(errors="replace")
    if not first.startswith(MADE_HEADER):
        return {}
    try:
        recipe = json.loads(first.removeprefix(MADE_HEADER))
    except (ValueError, RecursionError):
        return {}
    return recipe if isinstance(recipe, dict) else {}


def find_book(
    identity: str,
    source: str,
    *,
    plies: int | None = None,
    chess960: bool = False,
    game: str = "chess",
) -> Book:
    """The book of that identity: a built-in one, or the one in the file ``source``. ``plies`` and
    ``chess960``: as in :func:`load_book`.

    Raises UsageError if neither is it.
    """
    files = {f"package:{file}": name for name, file in PACKAGE_BOOKS.items()}
    files[f"package:{CHESS960_BOOK}"] = CHESS960_BOOK
    source = files.get(source, source)
    book = load_book(source, skip_bad=True, plies=plies, chess960=chess960, game=game)
    if book.id != identity:
        raise UsageError(f"book {source} has changed ({identity} -> {book.id})")
    return book


def book_from_records(record: BookRecord, openings: Sequence[Opening]) -> Book:
    """A book as the database kept it."""
    return Book(id=record.id, name=record.name, source=record.source, openings=tuple(openings))


class _Bad(Struct, frozen=True):
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
        fine = "1 other is" if len(openings) == 1 else f"{len(openings)} others are"
        raise UsageError(f"{told_bad(bad)}; {fine} fine")
    return Book(book_identity(openings), name, source, openings, bad)


def book_identity(openings: Iterable[Opening]) -> str:
    """Hash of the lines in order: the identity of the book that holds them."""
    digest = hashlib.sha256()
    for opening in openings:
        fields = (opening.line, opening.start_fen, opening.moves.hex(), opening.fen)
        digest.update("|".join(map(str, fields)).encode() + b"\n")
    return digest.hexdigest()[:16]


def text_lines(path: Path, what: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file, perhaps compressed, that say something. Raises UsageError."""
    return _lines(_read_content(path, what).data)


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Numbered lines that say something."""
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        text = text_of(raw).strip()
        if text and not text.startswith("#"):
            yield number, text


def _read_positions(lines: Iterable[tuple[int, str]], rules: Rules) -> Iterator[Opening | _Bad]:
    """The openings of a file that has a position in each line."""
    for number, text in lines:
        yield _line_opening(number, text, rules)


def _line_opening(number: int, text: str, rules: Rules) -> Opening | _Bad:
    """What a line has; of one that cannot be read perhaps the games in which it can."""
    try:
        return _read_line(number, text, rules)
    except PositionError as error:
        position = text.partition(";")[0].strip()
        reason = text_in_one_line(error).replace(position, shown(position, _SHOWN))
        games = [other.game for other in ALL if other.game != rules.game and _is_of(text, other)]
        hint = f"; it reads as a position of {games[0]}: try --game {games[0]}" if games else ""
        return _Bad(number, reason + hint)


def _is_of(text: str, rules: Rules) -> bool:
    """Whether a line of a book can be read in this game."""
    try:
        _read_line(0, text, rules)
    except PositionError:
        return False
    return True


def _read_line(number: int, text: str, rules: Rules) -> Opening | _Bad:
    """Raises PositionError for a position or a move that is none."""
    return (_epd_opening if rules.uci else _plain_opening)(number, text, rules)


def _plain_opening(number: int, text: str, rules: Rules) -> Opening | _Bad:
    """Of another game than chess. Raises PositionError."""
    position, _, rest = text.partition(";")
    board = rules.board(position.strip())
    ending = rules.board(board.text()).ending()  # of a board of its own: it counts positions
    if ending is not None:
        words = ending.reason.replace("-", " ")
        return _Bad(number, f"the game is over there ({words})", True)
    items = dict(_PLAIN_ITEM.findall(rest))
    label = "".join(letter for letter in items.get("id", "")[:100] if letter.isprintable())
    if "c0" not in items:
        return Opening(number, board.text(), b"", board.text(), label)
    played = rules.board(rules.start)
    codes = []
    for name in items["c0"].split():
        code = rules.move_code(name)
        if not played.push(code):
            return _Bad(number, f"c0: {name} is illegal in {played.text()}")
        codes.append(code.to_bytes(2, "little"))
    if played.text() != board.text():
        return _Bad(number, "c0: its moves lead to another position")
    return Opening(number, rules.start, b"".join(codes), board.text(), label)


def _epd_opening(number: int, text: str, rules: Rules) -> Opening | _Bad:
    """Of chess. Raises PositionError."""
    import chess

    from engines.rules.chess_start import ONLY_CHESS960, position_problem, split_position

    fields, clocks, rest = split_position(text) or (text, "", "")
    epd = f"{fields} {rest.lstrip('; ')}"
    board = chess.Board(chess960=rules.chess960)
    try:
        operations = board.set_epd(epd)
    except ValueError as error:
        reason = shown(text_in_one_line(error))
        raise PositionError(f"not a position in EPD or FEN ({reason})") from error
    if clocks:
        board.halfmove_clock, board.fullmove_number = map(int, clocks.split())
    label = str(operations.get("id") or "")
    if not rules.chess960 and board.has_chess960_castling_rights():
        return _Bad(number, ONLY_CHESS960)
    problem = position_problem(board)
    if problem:
        return _Bad(number, problem)
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


def _read_pgn(data: bytes, plies: int | None, chess960: bool) -> Iterator[Opening | _Bad]:
    """The games of a file, their first ``plies`` plies only if given: then nothing beyond these is
    looked at."""
    import chess.pgn

    from engines.rules.chess_start import bare_fen

    class Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
        """Keeps errors in the game and prints nothing."""

        def visit_header(self, tagname: str, tagvalue: str) -> None:
            super().visit_header(tagname, bare_fen(tagvalue) if tagname == "FEN" else tagvalue)

        def handle_error(self, error: Exception) -> None:
            self.game.errors.append(error)

    class Beginning(Builder):
        """The first plies of the main line."""

        def begin_parse_san(self, board: chess.Board, san: str) -> chess.pgn.SkipType | None:
            return chess.pgn.SKIP if len(board.move_stack) == plies else None

        def begin_variation(self) -> chess.pgn.SkipType:  # type: ignore[override]
            return chess.pgn.SKIP

        def end_variation(self) -> None:
            """Of a variation that was not begun."""

    text = text_of(data.removeprefix(b"\xef\xbb\xbf"))
    handle = io.StringIO(text)
    number, counted = 1, 0
    while True:
        blanks = _BLANKS.match(text, handle.tell())
        assert blanks is not None
        number += text.count("\n", counted, blanks.end())
        counted = blanks.end()
        game = chess.pgn.read_game(handle, Visitor=Builder if plies is None else Beginning)
        if game is None:
            return
        yield _pgn_opening(number, game, chess960)


def _read_polyglot(shown: str, data: bytes, plies: int) -> Iterator[Opening | _Bad]:
    """The paths through a book, numbered in their order."""
    from engines.rules.chess_start import over_because, position_problem
    from toolkit.books.polyglot import NoPolyglotBook, polyglot_paths

    try:
        for number, path in enumerate(polyglot_paths(data, plies), 1):
            moves = [move.uci() for move in path.board.move_stack]
            problem = position_problem(path.board)
            if path.illegal is not None:
                after = " ".join(moves) or "no move"
                yield _Bad(number, f"the move {path.illegal} is illegal after {after}")
            elif problem:
                yield _Bad(number, problem, over_because(path.board) == problem)
            else:
                yield _opening(number, path.board, moves, "", STANDARD.start)
    except NoPolyglotBook as error:
        raise UsageError(f"{shown} is not a playable Polyglot book: {error}") from error


def _pgn_opening(number: int, game: chess.pgn.Game, chess960: bool) -> Opening | _Bad:
    import chess

    from engines.rules.chess_start import ONLY_CHESS960, over_because, position_problem

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
