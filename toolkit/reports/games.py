"""The questions behind ``events``, ``games`` and ``game``: functions that give plain rows.

Each row is a dictionary with the fields of :mod:`toolkit.commands._json`, as ``--json`` prints it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from msgspec import Struct
from msgspec.structs import replace

from db.records.engines import IMPORTED_BACKEND
from db.records.events import EventRecord
from db.records.games import GameFilter, GameRecord
from db.records.openings import OpeningRecord
from engines.limit import Limit
from engines.rules.board import Board
from engines.rules.catalog import rules_of_moves
from engines.spec import EngineLine
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.ranges import check_whole
from toolkit.referee.lines import NO_LINES, decode_lines
from toolkit.referee.outcome import FAULTS, EndReason
from toolkit.referee.searchdata import decode_found, decode_moves
from toolkit.selection.engines import in_other_games, matching_engines
from toolkit.selection.games import Selection, choose
from toolkit.selection.openings import OPENINGS, opening_conditions

if TYPE_CHECKING:
    from db.session import Database

_MOST_PLIES = 1_000_000
"""Beyond any game."""
ResultFilter = Literal["win", "loss", "draw", "1-0", "0-1", "1/2-1/2"]


class GameRow(Struct, frozen=True):
    """One game; games are ordered by event, pairing, pair and game."""

    id: Annotated[str, "short id for `mtdf game`, such as `g1042`"]
    event: Annotated[str, "short id of the event"]
    pairing: Annotated[int, "number of the pairing in the event, from 0"]
    pair: Annotated[int, "number of the game pair in the pairing, from 0"]
    game: Annotated[int, "game of the pair: 1 or 2"]
    white: Annotated[str, "label"]
    black: Annotated[str, "label"]
    white_id: Annotated[str, "identity of the variant"]
    black_id: Annotated[str, "identity of the variant"]
    result: Annotated[str, "`1-0`, `0-1` or `1/2-1/2`"]
    end_reason: Annotated[str, "why the game ended, see below"]
    plies: Annotated[int, "number of plies after the opening; 0 if unknown"]
    start_fen: Annotated[str, "opening position, where `moves` start"]
    moves: Annotated[
        list[str], "moves, in chess in UCI notation; empty for a game imported without moves"
    ]
    counted: Annotated[bool, "false if the game repeats an earlier one in the database"]
    opening_line: Annotated[int | None, "line number in the book, from 1"]
    white_nodes: Annotated[int | None, "nodes searched by White; null if unknown"]
    black_nodes: Annotated[int | None, "nodes searched by Black; null if unknown"]
    white_cpu_us: Annotated[int | None, "CPU time of White in microseconds; null if imported"]
    black_cpu_us: Annotated[int | None, "CPU time of Black in microseconds; null if imported"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "`native`, `reference` or `imported`"]
    signature: Annotated[str, "core signature; empty if imported"]
    seed: Annotated[int | None, "seed of the pair; null if imported"]
    host: Annotated[str, "name of the machine that played; empty if imported"]
    speed: Annotated[
        int | None,
        "speed of that machine, where a clock limited the game: nodes per second of CPU time in "
        "the bench, with `--scale-time` of the event's first engine; else null",
    ]
    time_factor: Annotated[
        float, "what the times of the limits were multiplied by there; 1 without `--scale-time`"
    ]
    load: Annotated[float, "load average (1 min) of the machine when the game started"]
    jobs: Annotated[int, "number of games played at the same time; 0 if imported"]
    after_stop: Annotated[bool, "sequential test: finished after the verdict, not counted"]
    game_played: Annotated[str, "game that was played, such as `chess` or `othello`"]
    chess960: Annotated[bool, "a game of Chess960: castling moves are king takes rook"]


class MoveRow(Struct, frozen=True):
    """One move of a game with its search result."""

    ply: Annotated[int, "ply after the opening, from 1"]
    uci: Annotated[str, "move, in chess in UCI notation"]
    san: Annotated[str, "move as people write it, in chess in standard algebraic notation"]
    value: Annotated[
        int | None,
        "value for the side to move, in units of the evaluation (chess: centipawns); null if "
        "unknown",
    ]
    depth: Annotated[int | None, "depth of the last completed iteration; null if unknown"]
    nodes: Annotated[int | None, "nodes searched; null if unknown"]
    passes: Annotated[int | None, "passes in all iterations; null if unknown"]
    time_us: Annotated[int | None, "wall clock in microseconds; null if unknown"]
    seldepth: Annotated[int | None, "greatest depth that an external engine printed"] = None
    hashfull: Annotated[int | None, "per mille of its hash table that it called full"] = None
    tbhits: Annotated[int | None, "positions that it found in tablebases"] = None
    pv: Annotated[list[str] | None, "its last variation as printed, in UCI notation"] = None
    pv_san: Annotated[
        list[str] | None, "the same as people write it, up to the first move that is not legal"
    ] = None
    string: Annotated[str | None, "text of its last `info string`"] = None


class GameProblemRow(Struct, frozen=True):
    """Something that an engine did wrong in a game."""

    engine: Annotated[str, "its label"]
    severity: Annotated[str, "`fault`: it ended the game; `warning`: it cost nothing"]
    text: Annotated[str, "what it did"]
    fen: Annotated[str | None, "position in which a fault happened, after the moves of the game"]
    command: Annotated[str, "how the engine was started; the spelling of one of ours"]


class GameDetail(GameRow, frozen=True):
    """The fields of `games`, what engines did wrong, and every search."""

    problems: Annotated[list[GameProblemRow], "what engines did wrong"]
    searches: Annotated[list[MoveRow], "every move with its search result"]


class GameQuery(Struct, frozen=True):
    """Which games; every field that is None lets all pass."""

    event: EventRecord | str | None = None
    """Record, key, unique prefix of a key, name, or ``last``; if None, tuning events are
    excluded."""
    engine: str | None = None
    """Either side: a label, a pattern with ``*``, ``?`` and ``[]`` as in file names, an identity or
    a unique prefix of one, or a variant."""
    opponent: str | None = None
    """The other side, given likewise; needs ``engine``."""
    result: ResultFilter | None = None
    """``win``, ``loss``, ``draw`` from the view of ``engine``, or a game's result."""
    limit: int | None = None
    """At most so many, the first by event, pairing, pair and game."""
    colour: Literal["white", "black"] | None = None
    """Which ``engine`` had; needs ``engine``."""
    end_reason: str | None = None
    """One of :class:`toolkit.referee.outcome.EndReason`, or a unique prefix of one."""
    opening: int | str | None = None
    """Line of any book; or an opening as printed by ``h2h``: ``BOOK:LINE``, or for games without a
    book their start position, or ``start of chess``; or the label of lines."""
    since: str | None = None
    """Started then or later: ``2026-11-01``, a moment, or ``30d``, ``12h``, ``2w`` before now."""
    until: str | None = None
    """Started before then."""
    min_plies: int | None = None
    max_plies: int | None = None
    counted_only: bool = False
    """Without games that repeat an earlier one of the database."""
    search_limit: Limit | None = None
    """Games in which both players had exactly this limit."""
    game: str | None = None
    """Of events of this game, such as ``othello``."""

    @property
    def selection(self) -> Selection:
        """Its events, limit, dates and game."""
        return Selection(
            events=() if self.event is None else (self.event,),
            limit=self.search_limit,
            since=self.since,
            until=self.until,
            game=self.game,
        )


def list_games(db: Database, query: GameQuery | None = None) -> Iterator[GameRow]:
    """Matching games by event, pairing, pair and game, read lazily.

    Raises NothingMatched if no game matches or an engine is unknown.
    """
    from toolkit.selection.sequential import pairs_of_test

    events = {event.id: event for event in db.repository.events()}

    @cache
    def stop(event_id: int) -> int | None:
        return pairs_of_test(db, events[event_id])

    return (
        game_row(game, events[game.event_id].key, stop(game.event_id))
        for game in find_games(db, query)
    )


def find_games(db: Database, query: GameQuery | None = None) -> Iterator[GameRecord]:
    """As :func:`list_games`, in records."""
    query = query or GameQuery()
    games = _matching(db, query)
    first = next(games, None)
    if first is None:
        given = [text for text in (query.engine, query.opponent) if text]
        hint = "" if query.game or not given else in_other_games(db, *given)
        if "opening_label" in opening_conditions(query.opening):
            hint += f"; an opening is {OPENINGS}"
        raise NothingMatched(f"no game matches in {db.name}{hint}")
    return itertools.chain((first,), games)


def find_game(db: Database, text: str) -> GameRecord:
    """The game with an id such as ``g1042`` or ``1042``, or ``last`` for the game stored last, not
    counting tuning games. Raises NothingMatched, UsageError."""
    if text == "last":
        newest = db.repository.newest_game(tuple(db.repository.tuning_events()))
        if newest is None:
            raise NothingMatched(f"there is no game yet in {db.name}")
        text = str(newest)
    match = re.fullmatch(r"g?(\d{1,18})", text)
    if match is None:
        raise UsageError(f"game `{text}`: expected an id such as g12, or last (mtdf games)")
    found = next(db.repository.games(GameFilter(game_id=int(match[1]))), None)
    if found is None:
        raise NothingMatched(f"no game `{text}` in {db.name} (mtdf games)")
    return found


def list_pgn(db: Database, query: GameQuery | None = None) -> Iterator[str]:
    """Matching games as PGN from the start of the book line, with search results in comments, read
    lazily. Raises as :func:`list_games`."""
    return map(PgnTexts(db).text, find_games(db, query))


def game_pgn(db: Database, game: GameRecord) -> str:
    """One game as PGN, as :func:`list_pgn` gives it."""
    return PgnTexts(db).text(game)


class PgnTexts:
    """Makes PGN of stored games, as :func:`list_pgn` gives it. Keeps the events, books and variants
    that were read."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._events: dict[int, EventRecord] = {}
        self._books: dict[str, dict[int, OpeningRecord]] = {}
        self._spellings: dict[str, str] = {}

    def text(self, game: GameRecord) -> str:
        """The PGN of a game."""
        from toolkit.referee.pgn import game_to_pgn

        if not {game.white_id, game.black_id} <= self._spellings.keys():
            variants = self._db.repository.variants()
            self._spellings = {variant.id: variant.spelling for variant in variants}
        return game_to_pgn(
            game,
            event=self.event(game),
            opening=self.opening(game),
            spellings=self._spellings,
            comments=True,
            fault=self._fault(game),
            lines=game_lines(self._db, game),
        )

    def event(self, game: GameRecord) -> EventRecord:
        """The event of a game."""
        if game.event_id not in self._events:
            self._events[game.event_id] = self._db.repository.event(game.event_id)
        return self._events[game.event_id]

    def _fault(self, game: GameRecord) -> str:
        """What ended a game apart from its rules; empty if nothing did, or it is not known."""
        if game.end_reason not in FAULTS:
            return ""
        problems = self._db.repository.game_problems(game)
        return next((each.text for each in problems if each.severity == "fault"), "")

    def opening(self, game: GameRecord) -> OpeningRecord | None:
        """The book line of a game; None without a book."""
        if game.book_id is None or game.opening_line is None:
            return None
        known = self._books.setdefault(game.book_id, {})
        if game.opening_line not in known:
            # All lines at once, and then those that were stored meanwhile.
            wanted = [game.opening_line] if known else None
            lines = self._db.repository.openings(game.book_id, wanted)
            known.update({line.line: line for line in lines})
        return known[game.opening_line]


def game_problems(db: Database, game: GameRecord) -> list[GameProblemRow]:
    """What engines did wrong in a stored game. Raises DatabaseCorrupt."""
    return [
        GameProblemRow(
            engine=game.white if problem.white else game.black,
            severity=problem.severity,
            text=problem.text,
            fen=problem.fen,
            command=problem.command,
        )
        for problem in db.repository.game_problems(game)
    ]


def game_lines(db: Database, game: GameRecord) -> Mapping[int, EngineLine]:
    """What external engines printed of the moves of a stored game, by ply from 0. Raises
    DatabaseProblem."""
    return decode_lines(db.repository.game_lines(game.id))


def game_row(game: GameRecord, event_key: str, stop: int | None = None) -> GameRow:
    """A game as ``--json`` prints it; ``stop``: pairs that the test of its event took when it came
    to a verdict, None if there is no test or no later pair."""
    known = game.backend != IMPORTED_BACKEND  # what its searches took, and its seed
    return GameRow(
        id=f"g{game.id}",
        event=event_key,
        pairing=game.pairing,
        pair=game.pair,
        game=game.game,
        white=game.white,
        black=game.black,
        white_id=game.white_id,
        black_id=game.black_id,
        result=game.result,
        end_reason=game.end_reason,
        plies=game.plies,
        start_fen=game.start_fen,
        moves=move_names(game),
        counted=game.counted,
        opening_line=game.opening_line,
        white_nodes=game.white_nodes if known else game.white_nodes or None,
        black_nodes=game.black_nodes if known else game.black_nodes or None,
        white_cpu_us=game.white_cpu_us if known else None,
        black_cpu_us=game.black_cpu_us if known else None,
        started_at=game.started_at,
        ended_at=game.ended_at,
        backend=game.backend,
        signature=game.signature,
        seed=game.seed if known else None,
        host=game.host,
        speed=game.speed or None,
        time_factor=game.time_factor,
        load=game.load,
        jobs=game.jobs,
        after_stop=stop is not None and game.pair >= stop,
        game_played=rules_of_moves(game.moves_version).game,
        chess960=game.chess960,
    )


def move_names(game: GameRecord) -> list[str]:
    """The moves of a game as searches report them: in chess UCI."""
    name = rules_of_moves(game.moves_version).move_name
    return [name(code) for code in decode_moves(game.moves, game.moves_version)]


def list_moves(game: GameRecord, lines: Mapping[int, EngineLine] = NO_LINES) -> list[MoveRow]:
    """The moves of a game, each with its search result. ``lines``: see :func:`game_lines`."""
    board = position_at(game, 0)
    name = rules_of_moves(game.moves_version).move_name
    codes = decode_moves(game.moves, game.moves_version)
    searches = decode_found(game.search_data, len(codes), game.search_version)
    rows = []
    for ply, (code, search) in enumerate(zip(codes, searches, strict=True), start=1):
        rows.append(
            MoveRow(
                ply=ply,
                uci=name(code),
                san=board.spelled(code),
                value=search.value,
                depth=search.depth,
                nodes=search.nodes,
                passes=search.passes,
                time_us=search.time_us,
                **_printed(board, lines.get(ply - 1)),
            )
        )
        board.push(code)
    return rows


class _Printed(TypedDict, total=False):
    seldepth: int | None
    hashfull: int | None
    tbhits: int | None
    pv: list[str] | None
    pv_san: list[str] | None
    string: str | None


def _printed(board: Board, line: EngineLine | None) -> _Printed:
    """The fields of a row that an external engine printed in this position."""
    if line is None:
        return {}
    pv = line.pv.split()
    return {
        "seldepth": line.seldepth,
        "hashfull": line.hashfull,
        "tbhits": line.tbhits,
        "pv": pv or None,
        "pv_san": _spelled(board, pv) if pv else None,
        "string": line.string or None,
    }


def _spelled(board: Board, pv: Sequence[str]) -> list[str]:
    """A variation of chess in standard algebraic notation, up to the first illegal move."""
    from engines.rules.chess_rules import chess_board

    position, found = chess_board(board).copy(stack=False), []
    for word in pv:
        try:
            move = position.parse_uci(word)
        except ValueError:
            break
        found.append(position.san_and_push(move))
    return found


def position_at(game: GameRecord, ply: int) -> Board:
    """The board after ``ply`` plies of a game, 0 for its opening. Raises UsageError."""
    codes = decode_moves(game.moves, game.moves_version)
    if not 0 <= ply <= len(codes):
        raise UsageError(f"ply {ply} is not in this game: it has 0 to {len(codes)}")
    board = rules_of_moves(game.moves_version).replay(game.start_fen)
    for code in codes[:ply]:
        board.push(code)
    return board


def tally_of(game: GameRecord) -> str:
    """The points at the end of a game (:meth:`engines.rules.board.Board.tally`)."""
    return position_at(game, len(decode_moves(game.moves, game.moves_version))).tally()


def page_of_games(
    db: Database, query: GameQuery, *, page: int, size: int
) -> tuple[int, list[GameRow]]:
    """How many games match, and those of a page, from 1, of so many each. Raises NothingMatched if
    an engine is unknown, UsageError."""
    from toolkit.selection.sequential import pairs_of_test

    number, games = db.repository.games_page(_filter(db, query), (page - 1) * size, size)
    events = {key: db.repository.event(key) for key in {game.event_id for game in games}}
    stops = {key: pairs_of_test(db, event) for key, event in events.items()}
    rows = [game_row(game, events[game.event_id].key, stops[game.event_id]) for game in games]
    return number, rows


def _matching(db: Database, query: GameQuery) -> Iterator[GameRecord]:
    return db.repository.games(_filter(db, query))


def _filter(db: Database, query: GameQuery) -> GameFilter:
    if query.opponent is not None and query.engine is None:
        raise UsageError("an opponent needs an engine: --engine A --opponent B")
    if query.limit is not None and query.limit < 1:
        raise UsageError(f"limit ({query.limit}) must be at least 1")
    for name, plies in (("min-plies", query.min_plies), ("max-plies", query.max_plies)):
        if plies is not None:
            check_whole(name, plies, 0, _MOST_PLIES)
    if query.colour is not None and query.engine is None:
        raise UsageError("a side needs an engine: --engine A --side white")
    result = query.result
    if result in ("win", "loss") and query.engine is None:
        raise UsageError(f"a {result} needs an engine: --engine A --result {result}")
    chosen = choose(db, query.selection, one_game=False).games
    return GameFilter(
        chosen=replace(chosen, pairs_below=()),  # games after the stop of a test are listed
        engine=_engines(db, query.engine, query.game),
        opponent=_engines(db, query.opponent, query.game),
        result=result if result == "win" or result == "loss" or result == "draw" else None,
        score=result if result in ("1-0", "0-1", "1/2-1/2") else None,
        colour=query.colour,
        end_reason=None if query.end_reason is None else _end_reason(query.end_reason),
        **opening_conditions(query.opening),
        min_plies=query.min_plies,
        max_plies=query.max_plies,
        counted_only=query.counted_only,
        limit=query.limit,
    )


def _engines(db: Database, text: str | None, game: str | None) -> tuple[str, ...] | None:
    return None if text is None else matching_engines(db, text, game)


def _end_reason(text: str) -> str:
    """The end reason that is meant. Raises UsageError."""
    reasons = [str(reason) for reason in EndReason]
    begun = [reason for reason in reasons if reason.startswith(text)]
    if text in reasons or len(begun) == 1:
        return text if text in reasons else begun[0]
    expected = " or ".join(f"`{reason}`" for reason in begun or reasons)
    raise UsageError(f"end reason `{text}`: expected {expected}")
