"""The questions behind ``events``, ``games`` and ``game``: functions that give plain rows.

Each row is a dictionary with the fields of :mod:`toolkit.rows`, as ``--json`` prints it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from db.errors import NotFound
from db.limits import limit_fields
from db.records import (
    IMPORT_KIND,
    IMPORTED_BACKEND,
    TUNING_KIND,
    EventRecord,
    GameFilter,
    GameRecord,
    OpeningRecord,
)
from engines.errors import VariantError
from engines.moves import decode_move
from engines.registry import DRIVERS
from engines.spec import Limit
from engines.suggestion import did_you_mean
from engines.variant import parse_variant
from toolkit.errors import NothingMatched, UsageError
from toolkit.moments import parse_moment
from toolkit.notebook import shown_rows
from toolkit.opening_names import opening_conditions
from toolkit.play.outcome import EndReason
from toolkit.play.searchdata import decode_found, decode_moves
from toolkit.rows import EventRow, GameRow, MoveRow

if TYPE_CHECKING:
    import chess

    from db.session import Database

_PRINTED = re.compile(r"(.+) \[([0-9a-f]{4,16})\]")
"""A label and the beginning of an id, as lists print them."""
_SHOWN = 5
"""Engines that are named where a text may mean several."""
ResultFilter = Literal["win", "loss", "draw", "1-0", "0-1", "1/2-1/2"]


@dataclass(frozen=True, slots=True)
class GameQuery:
    """Which games; every field that is None lets all pass."""

    event: str | None = None
    """Key, unique prefix of a key, name, or ``last``; without it tuning events are left
    out."""
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
    """One of :class:`toolkit.play.outcome.EndReason`, or the beginning of only one."""
    opening: int | str | None = None
    """Line of any book; or an opening as printed by ``h2h``: ``BOOK:LINE``, or for games without a
    book their start position, or ``start of chess``."""
    since: str | None = None
    """Started then or later: ``2026-11-01``, a moment, or ``30d``, ``12h``, ``2w`` before now."""
    until: str | None = None
    """Started before then."""
    min_plies: int | None = None
    max_plies: int | None = None
    search_limit: Limit | None = None
    """Games of events with exactly this limit."""


def list_events(db: Database) -> list[EventRow]:
    """Every event, oldest first."""
    running = db.running_events()
    events = db.repository.events()
    singles = _single_games(db, events)
    rows = [
        _event_row(
            event,
            [player.label for player in db.repository.event_players(event.id)],
            running,
            singles.get(event.id, 0),
        )
        for event in events
    ]
    return shown_rows("events", rows)


def played_events(db: Database) -> list[EventRecord]:
    """Every event but those of tuning, oldest first."""
    return [event for event in db.repository.events() if event.kind != TUNING_KIND]


def find_event(db: Database, text: str) -> EventRecord:
    """The event of a key, a unique prefix of one, a name, or ``last``. Raises NothingMatched."""
    try:
        return db.repository.find_event(text)
    except NotFound as error:
        raise NothingMatched(f"{error} (mtdf events)") from error


def unfinished_events(db: Database) -> list[EventRecord]:
    """The events that can be resumed, newest first, without those being played now or belonging to
    a study. Raises NothingMatched if there are none."""
    running = db.running_events()
    found = [
        event
        for event in reversed(db.repository.events())
        if event.status != "done"
        and event.kind not in (IMPORT_KIND, TUNING_KIND)
        and event.key not in running
    ]
    if not found:
        raise NothingMatched(f"no unfinished event in {db.name} (mtdf events)")
    return found


def played_at(
    limit: Limit, events: Sequence[EventRecord], *, without: Sequence[int] = ()
) -> list[int]:
    """Ids of those events whose limit is exactly this one, without some. Raises NothingMatched."""
    ids = [event_id for event_id in at_limit(limit, events) if event_id not in without]
    if not ids:
        raise NothingMatched("no event was played at this limit (mtdf events)")
    return ids


def at_limit(limit: Limit, events: Sequence[EventRecord]) -> list[int]:
    """Ids of those events whose limit is exactly this one, whichever version of the time manager
    kept it."""
    wanted = asked_fields(limit.to_json())
    ids = [e.id for e in events if asked_fields(e.settings.get("limit") or {}) == wanted]
    return list(dict.fromkeys(ids))


def asked_fields(limit: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a limit that a user gave: all that say something but the version of the time
    manager."""
    fields = limit_fields(limit)
    return {name: value for name, value in fields.items() if name != "time_manager"}


def show_event(db: Database, text: str) -> EventRow:
    """One event. Raises NothingMatched."""
    return event_row(db, find_event(db, text))


def event_row(db: Database, event: EventRecord) -> EventRow:
    """An event as it is shown."""
    labels = [player.label for player in db.repository.event_players(event.id)]
    singles = _single_games(db, [event]).get(event.id, 0)
    return _event_row(event, labels, db.running_events(), singles)


def list_games(db: Database, query: GameQuery | None = None) -> Iterator[GameRow]:
    """Matching games by event, pairing, pair and game, read lazily.

    Raises NothingMatched if no game matches or an engine is unknown.
    """
    from toolkit.play.sequential import pairs_of_test

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
        raise NothingMatched(f"no game matches in {db.name}")
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
    events = {event.id: event for event in db.repository.events()}
    books: dict[str, dict[int, OpeningRecord]] = {}
    spellings = _spellings(db)
    for game in find_games(db, query):
        yield _pgn(db, game, events[game.event_id], books, spellings)


def game_pgn(db: Database, game: GameRecord) -> str:
    """One game as PGN, as :func:`list_pgn` gives it."""
    return _pgn(db, game, db.repository.event(game.event_id), {}, _spellings(db))


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
        moves=[decode_move(code) for code in decode_moves(game.moves, game.moves_version)],
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
        load=game.load,
        jobs=game.jobs,
        after_stop=stop is not None and game.pair >= stop,
    )


def list_moves(game: GameRecord) -> list[MoveRow]:
    """The moves of a game, each with its search result."""
    board = position_at(game, 0)
    codes = decode_moves(game.moves, game.moves_version)
    searches = decode_found(game.search_data, len(codes), game.search_version)
    rows = []
    for ply, (code, search) in enumerate(zip(codes, searches, strict=True), start=1):
        uci = decode_move(code)
        rows.append(
            MoveRow(
                ply=ply,
                uci=uci,
                san=board.san(board.parse_uci(uci)),
                value=search.value,
                depth=search.depth,
                nodes=search.nodes,
                passes=search.passes,
                time_us=search.time_us,
            )
        )
        board.push_uci(uci)
    return rows


def position_at(game: GameRecord, ply: int) -> chess.Board:
    """The position after ``ply`` plies of a game, 0 for its opening. Raises UsageError."""
    import chess

    codes = decode_moves(game.moves, game.moves_version)
    if not 0 <= ply <= len(codes):
        raise UsageError(f"ply {ply} is not in this game: it has 0 to {len(codes)}")
    board = chess.Board(game.start_fen)
    for code in codes[:ply]:
        board.push_uci(decode_move(code))
    return board


def resolve_engine(db: Database, text: str) -> str:
    """The database's name for an engine: a label as given, else an identity. The identity is given
    by a unique prefix, by a label with a prefix of an id (``pvs [d94d43]``, as printed if two
    engines have the same label), or by a variant.

    A pattern such as ``mtdf*`` means the only label that matches it. Raises NothingMatched with the
    nearest label for an unknown engine, UsageError if several engines match.
    """
    text = named_engine(db, text)
    variants = db.repository.variants()
    labels = engine_labels(db)
    if text in labels:
        return text
    printed = _PRINTED.fullmatch(text)
    if printed is not None:
        return _identity_of_label(db, text, *printed.groups())
    begun = [variant.id for variant in variants if len(text) >= 4 and variant.id.startswith(text)]
    if len(begun) == 1:
        return begun[0]
    if len(begun) > 1:
        raise UsageError(f"`{text}` may be engine {' or '.join(begun[:5])}: give more of the id")
    try:
        identity = parse_variant(text).identity
    except VariantError as error:
        if text.partition(":")[0] in DRIVERS and ":" in text:
            raise NothingMatched(f"{error} (mtdf engines list)") from None
        hint = did_you_mean(text, labels)
        raise NothingMatched(f"no engine `{text}`{hint} (mtdf engines list)") from None
    return identity


def matching_engines(db: Database, text: str) -> tuple[str, ...]:
    """What the database calls the engines of a pattern: all labels that match; or the engine that
    :func:`resolve_engine` finds. Raises as that does, and NothingMatched if no label matches."""
    labels = engine_labels(db)
    if text in labels or not _is_pattern(text):
        return (resolve_engine(db, text),)
    return tuple(_matches(text, labels))


def named_engine(db: Database, text: str) -> str:
    """The label that a pattern matches; another text as it is. Raises NothingMatched if no label
    matches, UsageError if several do."""
    labels = engine_labels(db)
    if text in labels or not _is_pattern(text):
        return text
    found = _matches(text, labels)
    if len(found) > 1:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        named = ", ".join(f"`{label}`" for label in found[:_SHOWN])
        raise UsageError(f"`{text}` matches {named}{more}: give one of them")
    return found[0]


def _is_pattern(text: str) -> bool:
    """Whether a text has what stands for other letters; a printed id in brackets does not."""
    return re.search(r"[*?\[]", text) is not None and _PRINTED.fullmatch(text) is None


def _matches(pattern: str, labels: Sequence[str]) -> list[str]:
    found = [label for label in labels if fnmatchcase(label, pattern)]
    if not found:
        raise NothingMatched(f"no engine's label matches `{pattern}` (mtdf engines list)")
    return found


def _identity_of_label(db: Database, text: str, label: str, start: str) -> str:
    """The engine of that label whose id begins so. Raises NothingMatched, UsageError."""
    players = db.repository.labelled_variants()
    ids = {key for name, key in players if name == label and key.startswith(start)}
    if len(ids) == 1:
        return ids.pop()
    if ids:
        raise UsageError(f"`{text}` may be engine {' or '.join(sorted(ids)[:5])}: give an id")
    raise NothingMatched(
        f"no engine `{label}` has an id that begins with {start} (mtdf engines list)"
    )


def engine_labels(db: Database) -> list[str]:
    """Every label under which an engine has played, the newest event last."""
    return list(dict.fromkeys(label for label, _ in db.repository.labelled_variants()))


def _pgn(
    db: Database,
    game: GameRecord,
    event: EventRecord,
    books: dict[str, dict[int, OpeningRecord]],
    spellings: dict[str, str],
) -> str:
    """A game as PGN; ``books`` keeps the openings that were read."""
    from toolkit.play.pgn import game_to_pgn

    opening = None
    if game.book_id is not None and game.opening_line is not None:
        if game.book_id not in books:
            lines = db.repository.openings(game.book_id)
            books[game.book_id] = {line.line: line for line in lines}
        opening = books[game.book_id][game.opening_line]
    return game_to_pgn(game, event=event, opening=opening, spellings=spellings, comments=True)


def _spellings(db: Database) -> dict[str, str]:
    return {variant.id: variant.spelling for variant in db.repository.variants()}


def _single_games(db: Database, events: Sequence[EventRecord]) -> dict[int, int]:
    """Games without a partner, which only imports have."""
    imported = [event.id for event in events if event.kind == IMPORT_KIND]
    return db.repository.single_games(imported) if imported else {}


def _event_row(
    event: EventRecord, labels: Sequence[str], running: dict[str, int], singles: int
) -> EventRow:
    # A killed process leaves `running` behind; the lock that died with it knows better.
    dead = event.status == "running" and event.key not in running
    limit = limit_fields(event.settings["limit"])
    book = event.settings.get("book", {})
    return EventRow(
        id=event.key,
        name=event.name,
        kind=event.kind,
        status="interrupted" if dead else event.status,
        pairs_planned=event.pairs_planned - singles,
        pairs_done=event.pairs_done - singles,
        seed=None if event.kind == IMPORT_KIND else event.seed,
        pairs_failed=event.pairs_failed,
        engines=list(labels),
        limit=limit,
        book=book.get("name", ""),
        book_slice=book.get("slice"),
        created_at=event.created_at,
        started_at=event.started_at,
        ended_at=event.ended_at,
        backend=event.backend,
        signature=event.signature,
        version=event.version,
        singles=singles,
    )


def _matching(db: Database, query: GameQuery) -> Iterator[GameRecord]:
    if query.opponent is not None and query.engine is None:
        raise UsageError("an opponent needs an engine: --engine A --opponent B")
    if query.limit is not None and query.limit < 1:
        raise UsageError(f"limit ({query.limit}) must be at least 1")
    if query.colour is not None and query.engine is None:
        raise UsageError("a side needs an engine: --engine A --side white")
    result = query.result
    if result in ("win", "loss") and query.engine is None:
        raise UsageError(f"a {result} needs an engine: --engine A --result {result}")
    tuning = () if query.event is not None else tuple(db.repository.tuning_events())
    wanted = GameFilter(
        without_events=tuning,
        event_id=None if query.event is None else find_event(db, query.event).id,
        engine=None if query.engine is None else matching_engines(db, query.engine),
        opponent=None if query.opponent is None else matching_engines(db, query.opponent),
        result=result if result == "win" or result == "loss" or result == "draw" else None,
        score=result if result in ("1-0", "0-1", "1/2-1/2") else None,
        colour=query.colour,
        end_reason=None if query.end_reason is None else _end_reason(query.end_reason),
        **opening_conditions(query.opening),
        since=None if query.since is None else parse_moment(query.since),
        until=None if query.until is None else parse_moment(query.until),
        min_plies=query.min_plies,
        max_plies=query.max_plies,
        event_ids=_events_at(db, query.search_limit),
        limit=query.limit,
    )
    return db.repository.games(wanted)


def _events_at(db: Database, limit: Limit | None) -> tuple[int, ...] | None:
    return None if limit is None else tuple(played_at(limit, db.repository.events()))


def _end_reason(text: str) -> str:
    """The end reason that is meant. Raises UsageError."""
    reasons = [str(reason) for reason in EndReason]
    begun = [reason for reason in reasons if reason.startswith(text)]
    if text in reasons or len(begun) == 1:
        return text if text in reasons else begun[0]
    expected = " or ".join(f"`{reason}`" for reason in begun or reasons)
    raise UsageError(f"end reason `{text}`: expected {expected}")
