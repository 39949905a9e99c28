"""Games as PGN."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

from db.records import IMPORTED_BACKEND, EventRecord, GameRecord, OpeningRecord
from engines.moves import decode_move
from engines.spec import MATE, MATE_BOUND, Limit
from toolkit.games.clock import describe_limit
from toolkit.games.outcome import EndReason
from toolkit.games.searchdata import FoundSearch, decode_found, decode_moves
from toolkit.games.startable import board_at, start_board

if TYPE_CHECKING:
    import chess.pgn

_TERMINATION = {
    EndReason.TABLEBASE_ADJUDICATION: "adjudication",
    EndReason.RESIGN_ADJUDICATION: "adjudication",
    EndReason.DRAW_ADJUDICATION: "adjudication",
    EndReason.MAX_LENGTH: "adjudication",
    EndReason.TIME_FORFEIT: "time forfeit",
    EndReason.ILLEGAL_MOVE: "rules infraction",
    EndReason.ENGINE_FAILURE: "abandoned",
    EndReason.ADJUDICATION: "adjudication",
    EndReason.UNKNOWN: "",
}
"""The standard's words for endings that are not ``normal``."""


def game_to_pgn(
    game: GameRecord,
    *,
    event: EventRecord | None = None,
    opening: OpeningRecord | None = None,
    spellings: Mapping[str, str] | None = None,
    comments: bool = False,
) -> str:
    """A game in PGN, with a newline at its end. For a game imported without moves, only the tags
    and the result.

    ``opening``: the book line it was played from; its moves then precede the game's moves, and
    ``BookPlies`` is their number. ``comments``: add ``book`` after each book move, and the search
    result after each other move, as ``[%eval 0.18,7] [%nodes 1000] [%passes 4]
    [%emt 0:00:00.012345]``, with the value in pawns from White's point of view. ``spellings``:
    variants by identity. In addition to the standard tags there are ``EndReason``, ``GameId``,
    ``EventId``, ``SearchLimit`` (the limit for a move, as in ``100 nodes/move``), ``Book``,
    ``BookLine``, ``BookPlies``, ``WhiteVariant`` and ``BlackVariant``, each only if known. A game
    of Chess960 has ``Variant`` and always ``FEN``, with castling rights as in X-FEN.
    """
    import chess
    import chess.pgn

    pgn = chess.pgn.Game()
    start = start_board(game)
    board = start if opening is None else board_at(opening.start_fen, chess960=start.chess960)
    pgn.setup(board)
    if board.chess960:
        # python-chess leaves out the position that is also that of standard chess.
        pgn.headers.update(SetUp="1", FEN=board.fen())
    booked = [] if opening is None else opening_moves(opening)
    _set_headers(pgn, game, event, len(booked))
    for side, identity in (("White", game.white_id), ("Black", game.black_id)):
        if spellings and game.backend != IMPORTED_BACKEND and identity in spellings:
            pgn.headers[f"{side}Variant"] = spellings[identity]
    for tag, value in pgn.headers.items():  # the exporter writes them as they are
        if '"' in value or "\\" in value:
            pgn.headers[tag] = value.replace("\\", r"\\").replace('"', r"\"")
    node: chess.pgn.GameNode = pgn
    for uci in booked:
        node = node.add_main_variation(chess.Move.from_uci(uci))
        node.comment = "book" if comments else ""
    white = start.turn
    codes = decode_moves(game.moves, game.moves_version)
    searches = decode_found(game.search_data, len(codes), game.search_version)
    for code, search in zip(codes, searches, strict=True):
        node = node.add_main_variation(chess.Move.from_uci(decode_move(code)))
        if comments:
            node.comment = _comment(search, white)
        white = not white
    out = io.StringIO()
    pgn.accept(chess.pgn.FileExporter(out))
    return out.getvalue()


def opening_moves(opening: OpeningRecord) -> list[str]:
    """The moves from ``start_fen`` to the opening position, UCI."""
    codes = memoryview(opening.moves)
    return [decode_move(codes[i] | codes[i + 1] << 8) for i in range(0, len(codes), 2)]


def _set_headers(
    pgn: chess.pgn.Game, game: GameRecord, event: EventRecord | None, booked: int
) -> None:
    headers = pgn.headers
    headers["Event"] = (event.name or event.key) if event else "?"
    headers["Site"] = game.host or "?"
    headers["Date"] = (game.started_at or "????-??-??")[:10].replace("-", ".")
    headers["Round"] = f"{game.pairing + 1}.{game.pair + 1}.{game.game}"
    headers["White"] = game.white
    headers["Black"] = game.black
    headers["Result"] = game.result
    if game.started_at is not None:
        headers["UTCDate"] = headers["Date"]
        headers["UTCTime"] = game.started_at[11:19]
    termination = _TERMINATION.get(EndReason(game.end_reason), "normal")
    if termination:
        headers["Termination"] = termination
    headers["EndReason"] = game.end_reason
    headers["PlyCount"] = str(booked + game.plies)
    if booked:
        headers["BookPlies"] = str(booked)
    if game.id:
        headers["GameId"] = f"g{game.id}"
    if event is None:
        return
    headers["EventId"] = event.key
    if event.settings.get("limit"):
        limit = Limit.from_json(event.settings["limit"])
        headers["TimeControl"] = _time_control(limit)
        headers["SearchLimit"] = describe_limit(limit)
    if game.opening_line is not None:
        headers["Book"] = event.settings.get("book", {}).get("name", "?")
        headers["BookLine"] = str(game.opening_line)


def _time_control(limit: Limit) -> str:
    """The standard's notation; it has none for nodes or depth."""
    if limit.base_ms is None:
        return "-"
    increment = f"+{limit.inc_ms / 1000:g}" if limit.inc_ms else ""
    return f"{limit.base_ms / 1000:g}{increment}"


def _comment(search: FoundSearch, white: bool) -> str:
    """The comment for a search with everything that is known; may be empty."""
    parts = []
    if search.value is not None:
        depth = "" if search.depth is None else f",{search.depth}"
        parts.append(f"[%eval {_pawns(search.value if white else -search.value)}{depth}]")
    if search.nodes is not None:
        parts.append(f"[%nodes {search.nodes}]")
    if search.passes is not None:
        parts.append(f"[%passes {search.passes}]")
    if search.time_us is not None:
        seconds, millionths = divmod(search.time_us, 1_000_000)
        clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{millionths:06}"
        parts.append(f"[%emt {clock}]")
    return " ".join(parts)


def _pawns(value: int) -> str:
    """Pawns with two decimals, or moves to mate as ``#3``."""
    if abs(value) < MATE_BOUND:
        return f"{value / 100:.2f}"
    moves = (MATE - abs(value) + 1) // 2
    return f"#{moves if value > 0 else -moves}"
