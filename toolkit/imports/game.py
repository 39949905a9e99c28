"""One game of a PGN file: from its tags and movetext to the stored game."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple

from db.records.games import ImportedGame
from db.records.openings import CHESS960_MOVES, CHESS_START, STANDARD_MOVES
from engines.external.text import shown
from toolkit.base.printable import text_of
from toolkit.imports.comments import found_lines, found_searches
from toolkit.imports.endings import contradiction, is_resignation, written_reason
from toolkit.imports.scan import RawGame, Unread
from toolkit.referee.lines import encode_lines
from toolkit.referee.outcome import EndReason
from toolkit.referee.searchdata import FoundSearch, encode_found, side_nodes

if TYPE_CHECKING:
    import chess

_SCORES = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
_RESULTS = frozenset([*_SCORES, "*"])
_TOKEN = re.compile(r"(\{[^}]*\}?)|;([^\n]*)|([()])|\$\d+|([^\s(){};$]+)")
_NUMBER = re.compile(r"\A(?:\d+(?:[.…]+|\Z)|[.…]+)")
_JUDGED = re.compile(r"(?:[-+#!?=/.,±∓⩲⩱∞□○⟳→↑⇆⊕⊙∆△⌓⨀‼⁇⁈⁉]|e\.?p|mate|ch)+\Z")
"""What annotators write behind a move, or as a word of its own."""
_MOVE_ENDS = frozenset("012345678OQRBNqrbn")
_MAX_WORD = 40
"""Characters of a move with all that is written behind it."""
_LAST_COMMENT = re.compile(rb"\{([^{}]*)\}[^{}]*\Z")
_STANDARD = ("", "standard", "chess", "normal", "from position")
_CHESS960 = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")
"""What programs write for Chess960."""
_CHESS = (*_STANDARD, *_CHESS960)
_FEN = re.compile(r"[1-8pnbrqkPNBRQK/]+ [wb] (?:-|[KQkqA-Ha-h]+) (?:-|[a-h][36])(?: \d+ \d+)?")
_DATE = re.compile(r"(\d{4})[.-](\d\d)[.-](\d\d)")
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)")
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(?:([+-])(\d\d):?(\d\d)|UTC|Z)?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_NAME = 200
_DIGITS = 10
_MAX_COMMENT = 2_000
"""Characters of the comments on a move that are read in addition to the last comment."""
_MAX_PLIES = 20_000
"""No game of chess is longer: it is drawn after 75 moves without a capture or pawn move."""


class BadGame(Exception):
    """A game that cannot be imported; the text says why."""


class ReadGame(NamedTuple):
    """A game and the data that may identify its partner."""

    game: ImportedGame
    event: str
    round: str
    opening: str
    """Where it starts; empty for the start of chess."""
    unread: Unread
    """Comments that look like the results of searches and were not understood."""


def read_game(raw: RawGame, *, headers_only: bool = False) -> ReadGame:
    """The game; ``headers_only`` leaves its moves unread. Raises BadGame."""
    if raw.problem is not None:
        raise BadGame(raw.problem)
    tags = raw.tags
    _refuse_other_games(tags)
    white, black = _name(tags, "White"), _name(tags, "Black")
    if white == black:
        raise BadGame(f"`{white}` plays itself")
    score = _SCORES[_result(raw)]
    played = _unread(raw) if headers_only else _replayed(raw)
    started, ended = game_moments(tags)
    reason = _end_reason(tags, played.comment, score, played.board)
    version, search_data = encode_found(played.searches)
    black_first = " b " in played.start
    game = ImportedGame(
        white=white,
        black=black,
        white_score=score,
        end_reason=str(reason),
        plies=len(played.moves) // 2 or _ply_count(tags),
        start_fen=played.start or None,
        moves=played.moves,
        started_ms=started,
        ended_ms=ended,
        key=raw.key,
        search_version=version,
        search_data=search_data,
        white_nodes=side_nodes(played.searches[black_first::2]),
        black_nodes=side_nodes(played.searches[not black_first :: 2]),
        moves_version=CHESS960_MOVES if played.chess960 else STANDARD_MOVES,
        lines=played.lines,
    )
    return ReadGame(game, tags.get("Event", ""), tags.get("Round", ""), played.start, played.unread)


def _refuse_other_games(tags: dict[str, str]) -> None:
    """Raises BadGame for a game other than chess and its variants: its result would be stored as
    one of chess."""
    variant = tags.get("Variant", "")
    if variant.lower() not in _CHESS and not _is_chess_variant(variant):
        raise BadGame(f"`{variant[:40]}` is not chess, and only chess can be imported")
    title = _title_of_type(tags["GameType"]) if "GameType" in tags else None
    if title is not None:
        raise BadGame(f"by its tag GameType it is {title}, and only chess can be imported")


@functools.cache
def _is_chess_variant(variant: str) -> bool:
    """Whether the tag ``Variant`` names a variant of chess that python-chess knows."""
    import chess.variant

    try:
        chess.variant.find_variant(variant)
    except ValueError:
        return False
    return True


def _title_of_type(game_type: str) -> str | None:
    """The game of ours that has this type in PDN, by its number; None if there is none."""
    from engines.rules.catalog import ALL

    number = game_type.partition(",")[0]
    titles = (rules.title for rules in ALL if rules.game_type.partition(",")[0] == number != "")
    return next(titles, None)


class _Played(NamedTuple):
    """What the moves of a game say."""

    start: str
    """Where the players began to move; empty for the start of chess."""
    moves: bytes
    searches: list[FoundSearch]
    """One a move."""
    comment: str
    """The last one."""
    board: chess.Board | None
    """The final position, where there are moves."""
    unread: Unread
    lines: bytes = b""
    """What engines printed of the moves, encoded."""

    @property
    def chess960(self) -> bool:
        """Whether its moves are those of Chess960."""
        return self.board is not None and self.board.chess960


def _unread(raw: RawGame) -> _Played:
    return _Played(_start_tag(raw.tags), b"", [], _last_comment(raw.movetext), None, Unread())


def _name(tags: dict[str, str], side: str) -> str:
    name = " ".join(tags.get(side, "").split())
    if not name.strip("?"):
        raise BadGame(f"the tag {side} is missing or empty")
    if not name.isprintable() or len(name) > _MAX_NAME:
        raise BadGame(f"the tag {side} is not a name: `{shown(name)}`")
    return name


def _result(raw: RawGame) -> str:
    """The result; tag and end of the moves must agree."""
    words = raw.movetext.rsplit(None, 1)
    last = words[-1].decode("latin-1") if words else ""
    tag = raw.tags.get("Result", "")
    written = last if last in _RESULTS else ""
    result = tag or written
    if not result:
        raise BadGame("it has no result")
    if result == "*":
        raise BadGame("it has no result (`*`)")
    if result not in _SCORES:
        raise BadGame(f"`{result[:20]}` is not a result")
    if written and written != result:
        raise BadGame(f"the tag says {result}, the moves end with {written}")
    return result


def _ply_count(tags: dict[str, str]) -> int:
    """Plies of the players according to the tags; 0 if unknown."""
    return max(0, _number(tags, "PlyCount") - _number(tags, "BookPlies"))


def _number(tags: dict[str, str], name: str) -> int:
    text = tags.get(name, "")[:_DIGITS]
    return min(int(text), _MAX_PLIES) if text.isascii() and text.isdigit() else 0


def _start_tag(tags: dict[str, str]) -> str:
    """The position of the tag FEN; empty for the start of chess."""
    from engines.rules.chess_start import bare_fen

    fen = " ".join(bare_fen(tags.get("FEN", "")).split())
    if not fen:
        return ""
    if not _FEN.fullmatch(fen):
        raise BadGame(f"FEN: `{fen[:80]}` is not a position")
    if fen.count(" ") == 3:
        fen += " 0 1"
    return "" if fen == CHESS_START else fen


def _last_comment(movetext: bytes) -> str:
    match = _LAST_COMMENT.search(movetext[-2000:])
    return text_of(match[1]).strip() if match else ""


def _replayed(raw: RawGame) -> _Played:
    import chess

    tags = raw.tags
    line = _main_line(raw.movetext)
    if not line.words:
        return _Played(_start_tag(tags), b"", [], line.comment, None, Unread())
    variant = tags.get("Variant", "").lower()
    if variant not in _CHESS:
        raise BadGame(
            f"`{tags['Variant'][:40]}` is not chess or Chess960 (--headers-only takes its result)"
        )
    booked = _booked(tags, line)
    board = _start_board(tags, chess960=variant in _CHESS960)
    white_first = board.turn
    moves = bytearray()
    start = ""
    for ply, word in enumerate(line.words):
        if ply == booked:
            start = _position(board)
        try:
            move = board.parse_san(word)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise BadGame(f"ply {ply + 1}: `{word[:20]}` is not legal here")
        if ply >= booked:
            code = move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
            moves += code.to_bytes(2, "little")
        board.push(move)
    if booked >= len(line.words):
        start = _position(board)
    unread = Unread()
    searches = found_searches(line.comments, tags, white_first=white_first, unread=unread)
    lines = encode_lines(found_lines(line.comments), len(moves) // 2, before=booked)
    return _Played(start, bytes(moves), searches[booked:], line.comment, board, unread, lines)


def _booked(tags: dict[str, str], line: _MainLine) -> int:
    """How many of the first moves are from a book and so not the players': those that fastchess and
    cutechess mark with the comment ``book``, and in our own files ``BookPlies``."""
    if "EndReason" in tags and "BookPlies" in tags:
        return min(_number(tags, "BookPlies"), len(line.words))
    return line.booked


def _start_board(tags: dict[str, str], *, chess960: bool) -> chess.Board:
    from engines.rules.chess_start import board_at, position_problem

    fen = _start_tag(tags)
    try:
        board = board_at(fen or CHESS_START, chess960=chess960)
    except ValueError as error:
        raise BadGame(f"FEN: `{fen[:80]}` is not a position") from error
    if board.status():
        raise BadGame(f"FEN: {position_problem(board)}")
    return board


def _position(board: chess.Board) -> str:
    fen = board.fen()
    return "" if fen == CHESS_START else fen


@dataclass(slots=True)
class _MainLine:
    """The main line of a game as it is written."""

    words: list[str] = field(default_factory=list)
    """The moves."""
    comments: list[str] = field(default_factory=list)
    """On each move, joined by blanks."""
    booked: int = 0
    """How many of the first moves are marked as from a book."""
    comment: str = ""
    """The last one of the game."""

    def add_move(self, word: str) -> None:
        """A word of the movetext. Raises BadGame for one too many."""
        move = _NUMBER.sub("", word, count=1)
        if move[-1:] not in _MOVE_ENDS and move != "--":
            move = _JUDGED.sub("", move[:_MAX_WORD])
        if not move or move == "N":  # a novelty
            return
        if len(self.words) == _MAX_PLIES:
            raise BadGame(f"it has more than {_MAX_PLIES} plies")
        self.words.append(move.replace("0", "O") if move[0] == "0" else move)
        self.comments.append("")

    def add_comment(self, text: str) -> None:
        """A comment on the last move, or before the first."""
        self.comment = text
        if text.lower() == "book" and self.booked == len(self.words) - 1:
            self.booked = len(self.words)
        if self.words:
            before = self.comments[-1][:_MAX_COMMENT]
            self.comments[-1] = f"{before} {text}" if before else text


def _main_line(movetext: bytes) -> _MainLine:
    """The main line. Raises BadGame where it is too long or a variation hides its end."""
    line = _MainLine()
    depth = 0
    for match in _TOKEN.finditer(text_of(movetext)):
        braces, rest, paren, word = match.groups()
        if paren:
            depth += 1 if paren == "(" else -1
        elif depth > 0:
            continue
        elif braces or rest:
            line.add_comment(((braces or "").strip("{}") or rest or "").strip())
        elif word and word not in _RESULTS:
            line.add_move(word)
    if depth > 0:
        raise BadGame("a variation is not closed")
    return line


def _end_reason(
    tags: dict[str, str], comment: str, score: int, board: chess.Board | None
) -> EndReason:
    """The end reason from the file, else from the final position. ``board``: None if the moves are
    not known. Raises BadGame if the two contradict each other."""
    written = written_reason(tags, comment)
    if written is not None:
        problem = contradiction(written, drawn=score == 1)
        if problem is not None:
            raise BadGame(problem)
    if board is None:
        return written or _unwritten(tags, score)
    seen = _seen(board, with_draws=written is None and score == 1)
    if seen is EndReason.CHECKMATE and score != (0 if board.turn else 2):
        raise BadGame("its moves end in checkmate, and its result is another")
    if seen is not None and seen is not EndReason.CHECKMATE and score != 1:
        raise BadGame(f"its moves end by {seen}, but its result is not a draw")
    if seen is None and written in (EndReason.CHECKMATE, EndReason.STALEMATE):
        raise BadGame(f"it claims to end by {written}, but its moves do not")
    return seen or written or _unwritten(tags, score)


def _unwritten(tags: dict[str, str], score: int) -> EndReason:
    return EndReason.RESIGNATION if score != 1 and is_resignation(tags) else EndReason.UNKNOWN


def _seen(board: chess.Board, *, with_draws: bool) -> EndReason | None:
    """The end reason from the final position; ``with_draws``: also draws that must be claimed."""
    if not any(board.generate_legal_moves()):
        return EndReason.CHECKMATE if board.is_check() else EndReason.STALEMATE
    if not with_draws:
        return None
    if board.is_insufficient_material():
        return EndReason.INSUFFICIENT_MATERIAL
    if board.is_repetition(3):
        return EndReason.THREEFOLD_REPETITION
    return EndReason.FIFTY_MOVES if board.halfmove_clock >= 100 else None


def game_moments(tags: dict[str, str]) -> tuple[int | None, int | None]:
    """Start and end in milliseconds since 1970; None if unknown. A date without a time of day means
    its first moment; a time without a zone is read as UTC."""
    get = tags.get
    started = _moment(get("GameStartTime", ""))
    if started is None:
        started = _day(get("UTCDate") or get("Date", ""), get("UTCTime") or get("Time", ""))
    ended = _moment(get("GameEndTime", ""))
    if ended is None and started is not None and "GameDuration" in tags:
        length = _seconds(tags["GameDuration"])
        ended = None if length is None else started + 1000 * length
    return started, ended


@functools.lru_cache(4096)
def _day(date: str, time: str) -> int | None:
    match = _DATE.fullmatch(date)
    if match is None:
        return None
    try:
        day = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    except ValueError:
        return None
    return (day - _EPOCH) // timedelta(milliseconds=1) + 1000 * (_seconds(time) or 0)


def _moment(text: str) -> int | None:
    match = _MOMENT.fullmatch(text) if text else None
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{match[1]}T{match[2]}")
        zone = timedelta(hours=int(match[4] or 0), minutes=int(match[5] or 0))
        moment = moment.replace(tzinfo=timezone(-zone if match[3] == "-" else zone))
    except ValueError:
        return None
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _seconds(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    return match and int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
