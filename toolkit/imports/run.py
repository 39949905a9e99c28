"""Importing files: each file is read completely, then stored.

Games go through a temporary file, so that a file with a bad game leaves no trace in the database,
memory use stays bounded, and pipes can be read. Games are stored in batches, one transaction each;
the next import recognises the games stored by a killed one.
"""

from __future__ import annotations

import functools
import hashlib
import json
import pickle
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from db.errors import RecordError
from db.records.engines import IMPORTED_BACKEND, VariantRecord
from db.records.events import IMPORT_KIND, EventRecord, PairingScore
from db.records.games import (
    WHITE_SCORES,
    GameFilter,
    GameRecord,
    ImportCounts,
    ImportedGame,
    ImportUnit,
)
from db.records.openings import CHESS_START
from engines.errors import LimitError
from engines.limit import Limit, parse_time_control
from toolkit.base.errors import UsageError
from toolkit.base.format import count_of, format_count
from toolkit.base.names import check_name
from toolkit.base.version import program_version
from toolkit.imports.game import BadGame, ReadGame, read_game
from toolkit.imports.pairing import PairFinder
from toolkit.imports.scan import RawGame, Unread, scan_games
from toolkit.imports.source import GameSource, is_pipe, open_games, shown_path

if TYPE_CHECKING:
    from db.session import Database

BATCH = 4000
"""Pairs and single games in one transaction, and games that are read together."""
BATCH_BYTES = 16_000_000
"""Of games that are read together; the last one may go beyond it."""
PIPE_EVENT = "stdin"
"""The event of games from a pipe, which has no name."""
TAGS = "not read as a tag"
COMMENTS = "not understood as the result of a search"
"""What is said of lines that look like tags, and of comments that look like results."""
SHOWN_BAD = 20
"""How many bad games are reported one by one."""
_GAME_ID = re.compile(r"g(\d{1,18})")


class FileCounts(Struct, frozen=True):
    """One imported file, as the settings of its event keep it."""

    file: Annotated[str, "file name as given"]
    sha256: Annotated[str, "hash of the file"]
    games: Annotated[int, "games in the file, including bad ones"]
    added: Annotated[int, "games added to the event"]
    known: Annotated[int, "games that were already in the event, from this file or another"]
    repeated: Annotated[int, "games skipped because they repeat an earlier game of the file"]
    bad: Annotated[int, "bad games skipped with `--skip-bad`"]
    headers_only: Annotated[bool, "whether moves were not read"]


class ImportSettings(Struct, frozen=True):
    """The settings of an event of imported games."""

    limit: Limit
    """The one that all games state; empty if there is none."""
    files: list[FileCounts]


class ImportRow(FileCounts, frozen=True):
    """One imported file."""

    event: Annotated[str, "short id of the event with its games"]
    name: Annotated[str, "name of that event"]
    pairs: Annotated[int, "game pairs among the added ones"]
    singles: Annotated[int, "added games without a partner"]
    players: Annotated[int, "players of the event"]
    trinomial: Annotated[
        list[int] | None,
        "losses, draws and wins of the first player in the whole event, for `sprt calc`; null "
        "unless there are two players",
    ]
    pentanomial: Annotated[list[int] | None, "its pairs by points; null unless two players"]


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far the import of a file is."""

    file: str
    phase: Literal["reading", "storing"]
    games: int
    """Read or stored so far."""
    share: float | None
    """Of the phase, 0 to 1; None while a pipe is read."""


ProgressCallback = Callable[[ImportProgress], None]


@dataclass(frozen=True, slots=True)
class BadGameAt:
    """A game that cannot be imported."""

    file: str
    line: int
    """Its first line, from 1."""
    reason: str

    def __str__(self) -> str:
        return f"{self.file} line {self.line}: {self.reason}"


class BadGames(UsageError):
    """A file has bad games, and none of its games was stored."""

    def __init__(self, text: str, bad: Sequence[BadGameAt]) -> None:
        super().__init__(text)
        self.bad = tuple(bad)
        """The first of them."""


@dataclass(frozen=True, slots=True)
class FileImport:
    """What came of a file."""

    row: ImportRow
    bad: tuple[BadGameAt, ...]
    """The first of the games that were left out."""
    score: PairingScore | None
    """Of the whole event; None unless it has two players."""
    notes: tuple[str, ...] = ()
    """What was not understood in its games, one line each; the games are complete otherwise."""


@dataclass(slots=True)
class _Unread:
    """Things of one kind that were not understood, and the first of them with its game's line."""

    count: int
    line: int
    first: str


@dataclass(slots=True)
class _FileRead:
    """What was found in a file."""

    games: int = 0
    known: int = 0
    bad: int = 0
    shown: list[BadGameAt] = field(default_factory=list)
    units: int = 0
    unread: dict[str, _Unread] = field(default_factory=dict)
    """What was not understood, by kind."""
    limits: set[Limit | None] = field(default_factory=set)
    """Of its games, as far as their tags state them."""

    def note(self, kind: str, line: int, unread: Unread) -> None:
        """Count what was not understood in the game of that line."""
        if unread.count:
            known = self.unread.setdefault(kind, _Unread(0, line, unread.first))
            known.count += unread.count


def import_file(
    db: Database,
    path: str | Path,
    *,
    event: str | None = None,
    headers_only: bool = False,
    skip_bad: bool = False,
    on_progress: ProgressCallback | None = None,
) -> FileImport:
    """Import the games of a PGN file into the event with the name ``event``, which is created if
    needed; the default is the name of the file. ``-`` means standard input; the default event of a
    pipe is :data:`PIPE_EVENT`. Games already in the event are not changed.

    ``headers_only``: do not read the moves. ``skip_bad``: skip games that cannot be imported.
    Raises UsageError for a file that cannot be read or has no games, and for the name of an event
    that was played here; BadGames for bad games; DatabaseError.
    """
    file = PIPE_EVENT if is_pipe(path) else Path(path).name
    shown = shown_path(path)
    name = file if event is None else event
    say = on_progress or _ignore
    if Path(path).is_dir():
        raise UsageError(f"cannot read {shown}: it is a folder")
    if not name.isprintable():  # no event has such a name, and not every one can be looked up
        _check_name(name, given=event is not None)
    try:
        found = db.repository.find_import(name)
    except RecordError as error:
        raise UsageError(str(error)) from error
    if found is None:
        _check_name(name, given=event is not None)
    with tempfile.TemporaryFile() as spool:
        with open_games(path) as source:
            games = scan_games(source.lines(Path(path).suffix))
            reading = _read(db, games, source, shown, found, spool, headers_only, say)
        _refuse(reading, shown, skip_bad)
        record = _opened(db, name)
        with db.run_lock(record.key):
            stored = _store(db, record, spool, reading.units, shown, say)
            done = FileCounts(
                file=file,
                sha256=source.sha256,
                games=reading.games,
                added=2 * stored.pairs + stored.singles,
                known=reading.known,
                repeated=stored.known,
                bad=reading.bad,
                headers_only=headers_only,
            )
            record = _noted(db, record.id, done, reading.limits)
    players = len(db.repository.event_players(record.id))
    score = None
    if players == 2:
        (score,) = db.repository.event_pair_scores(record.id)
    row = _row(record, shown, done, stored, players, score)
    return FileImport(row, tuple(reading.shown), score, tuple(_notes(reading, shown, record)))


def _check_name(name: str, *, given: bool) -> None:
    """Raises UsageError for a name that no event should be made with; one that was not given is
    that of the file."""
    try:
        check_name("event", name)
    except UsageError as error:
        if given:
            raise
        raise UsageError(f"{error} (it is the file's: give another with --event)") from error


def imported_variant(name: str) -> VariantRecord:
    """The player of that name: the same in all files. It cannot be scheduled."""
    parameters = {"name": name}
    text = json.dumps({"kind": "imported", **parameters}, sort_keys=True, separators=(",", ":"))
    identity = hashlib.sha256(text.encode()).hexdigest()[:16]
    return VariantRecord(identity, "imported", "", parameters, name)


def _read(
    db: Database,
    games: Iterable[RawGame],
    source: GameSource,
    name: str,
    event: EventRecord | None,
    spool: IO[bytes],
    headers_only: bool,
    say: ProgressCallback,
) -> _FileRead:
    """Write what a file has beyond the event into ``spool``."""
    reading = _FileRead()
    finder = PairFinder()
    own = OwnGames(db, event)
    for batch in _batches(games):
        reading.limits.update(stated_limit(raw.tags) for raw in batch)
        new = _read_games(_new(db, event, batch, reading), own, name, headers_only, reading)
        known = _known_copies(db, event, new) if own.seen else set()
        reading.known += sum(game.game.key in known for game in new)
        units = [u for game in new if game.game.key not in known for u in finder.add(game)]
        _spool(spool, units, reading)
        say(ImportProgress(name, "reading", reading.games, source.share))
    _spool(spool, list(finder.rest()), reading)
    return reading


def _batches(games: Iterable[RawGame]) -> Iterator[list[RawGame]]:
    """Some games at once, fewer where they are long."""
    batch: list[RawGame] = []
    size = 0
    for game in games:
        batch.append(game)
        size += game.size
        if len(batch) == BATCH or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _new(
    db: Database, event: EventRecord | None, batch: list[RawGame], reading: _FileRead
) -> list[RawGame]:
    reading.games += len(batch)
    if event is None:
        return batch
    known = db.repository.imported_keys(event.id, [raw.key for raw in batch])
    new = [raw for raw in batch if raw.key not in known]
    reading.known += len(batch) - len(new)
    return new


def _read_games(
    games: Iterable[RawGame], own: OwnGames, file: str, headers_only: bool, reading: _FileRead
) -> list[ReadGame]:
    """The games that can be imported; games of this database are recognised."""
    found: list[ReadGame] = []
    for raw in games:
        try:
            game = read_game(raw, headers_only=headers_only)
            found.append(game._replace(game=own.marked(raw.tags, game.game)))
            reading.note(TAGS, raw.line, raw.odd)
            reading.note(COMMENTS, raw.line, game.unread)
        except BadGame as error:
            reading.bad += 1
            if len(reading.shown) < SHOWN_BAD:
                reading.shown.append(BadGameAt(file, raw.line, str(error)))
    return found


def _known_copies(db: Database, event: EventRecord | None, games: Sequence[ReadGame]) -> set[bytes]:
    """Keys of the games of this database that the event has, under a key that no file gives."""
    if event is None:
        return set()
    return db.repository.imported_copies(event.id, [game.game for game in games])


def _spool(spool: IO[bytes], units: list[ImportUnit], reading: _FileRead) -> None:
    for start in range(0, len(units), BATCH):
        some = [tuple(map(tuple, unit)) for unit in units[start : start + BATCH]]
        pickle.dump(some, spool, protocol=5)
    reading.units += len(units)


def _refuse(reading: _FileRead, file: str, skip_bad: bool) -> None:
    """Raise UsageError if there is nothing to store."""
    if reading.bad and not skip_bad:
        more = f"; {reading.bad - 1} more bad" if reading.bad > 1 else ""
        them = "them" if reading.bad > 1 else "it"
        raise BadGames(
            f"{reading.shown[0]}{more}; of {count_of(reading.games, 'game')} in the file none was "
            f"stored; --skip-bad leaves {them} out",
            reading.shown,
        )
    if reading.games == 0:
        raise UsageError(f"{file} has no games")
    if reading.games == reading.bad:
        raise BadGames(f"{reading.shown[0]}; {file} has no other games", reading.shown)


def _notes(reading: _FileRead, file: str, event: EventRecord) -> Iterator[str]:
    for kind, unread in reading.unread.items():
        others = f" and {format_count(unread.count - 1)} more" if unread.count > 1 else ""
        yield f"{file} line {unread.line}: `{unread.first}`{others}: {kind}"
    new = reading.known < reading.games
    if new and reading.limits != {None} and not event.settings["limit"]:
        yield (
            f"{file}: the limit of event {event.key} is unknown, because its games do not all "
            "state the same TimeControl"
        )


def _opened(db: Database, name: str) -> EventRecord:
    """The event to import into. Raises UsageError."""
    try:
        return db.repository.open_import(_event(name))
    except RecordError as error:
        raise UsageError(str(error)) from error


def _store(
    db: Database,
    event: EventRecord,
    spool: IO[bytes],
    number: int,
    file: str,
    say: ProgressCallback,
) -> ImportCounts:
    """Store the ``number`` pairs and single games in ``spool``."""
    total = ImportCounts()
    if number:
        db.repository.set_status(event, "running")
    place = db.repository.import_place(event)
    done = 0
    for units in _spooled(spool, number):
        labels = [label for unit in units for game in unit for label in game[:2]]
        new = [label for label in dict.fromkeys(labels) if label not in place.positions]
        stored = db.repository.add_imported(place, units, map(imported_variant, new))
        total.pairs += stored.pairs
        total.singles += stored.singles
        total.known += stored.known
        done += len(units)
        games = 2 * total.pairs + total.singles
        say(ImportProgress(file, "storing", games, done / number))
    return total


def _noted(
    db: Database, event_id: int, done: FileCounts, limits: Collection[Limit | None]
) -> EventRecord:
    """Finish the event and note the file in its settings, unless it brought nothing again. The
    limit of the event is the one that all games of all its files state."""
    settings = dict(db.repository.event(event_id).settings)
    files = list(settings["files"])
    common = next(iter(limits)) if len(limits) == 1 else None
    stated = {} if common is None else to_builtins(common)
    if not files:
        settings["limit"] = stated
    elif done.added and settings["limit"] != stated:
        settings["limit"] = {}
    if done.added or all(file["sha256"] != done.sha256 for file in files):
        files.append(to_builtins(done))
    changed = bool(done.added)
    return db.repository.finish_import(event_id, {**settings, "files": files}, changed=changed)


def _spooled(spool: IO[bytes], number: int) -> Iterator[list[ImportUnit]]:
    """What was written, in batches."""
    spool.seek(0)
    while number > 0:
        units: list[ImportUnit] = []
        for rows in pickle.load(spool):
            games = [ImportedGame(*row) for row in rows]
            units.append((games[0],) if len(games) == 1 else (games[0], games[1]))
        number -= len(units)
        yield units


def _event(name: str) -> EventRecord:
    """The event as it is before its first file."""
    import platform

    return EventRecord(
        id=0,
        key="",
        name=name,
        kind=IMPORT_KIND,
        status="planned",
        settings={"limit": {}, "files": []},
        seed=0,
        pairs_planned=0,
        pairs_done=0,
        pairs_failed=0,
        created_at="",
        started_at=None,
        ended_at=None,
        version=program_version(),
        backend=IMPORTED_BACKEND,
        signature="",
        host=platform.node(),
    )


def _row(
    event: EventRecord,
    file: str,
    done: FileCounts,
    stored: ImportCounts,
    players: int,
    score: PairingScore | None,
) -> ImportRow:
    trinomial = pentanomial = None
    if score is not None:
        trinomial = [score.losses, score.draws, score.wins]
        pentanomial = list(score.pentanomial)
    return ImportRow(
        **asdict(done) | {"file": file},
        event=event.key,
        name=event.name,
        pairs=stored.pairs,
        singles=stored.singles,
        players=players,
        trinomial=trinomial,
        pentanomial=pentanomial,
    )


def _ignore(_: ImportProgress) -> None:
    """Hear of progress and do nothing."""


def stated_limit(tags: Mapping[str, str]) -> Limit | None:
    """The limit of both players: the clock of the tag ``TimeControl``, such as ``600``, ``10+0.1``,
    ``40/9000`` or ``0.5/move``. None if it is unknown, has several stages, or is not all of the
    limit by the tag ``SearchLimit`` of our own files."""
    return _limit(tags.get("TimeControl", ""), tags.get("SearchLimit"))


@functools.lru_cache(1024)
def _limit(control: str, whole: str | None) -> Limit | None:
    try:
        limit = parse_time_control(control)
    except LimitError:
        return None
    return limit if whole in (None, str(limit)) else None


class OwnGames:
    """Finds the stored games that games of a file are copies of: exported files state where each
    game is stored (``EventId`` and ``GameId``), and no game must count twice."""

    def __init__(self, db: Database, into: EventRecord | None) -> None:
        """``into``: the event to import into; None: it is yet to be made."""
        self._db = db
        self._into = into
        self.seen = False
        """Whether any game was a copy."""
        self._event_ids = {event.key: event.id for event in db.repository.events()}

    def marked(self, tags: dict[str, str], game: ImportedGame) -> ImportedGame:
        """The game, known as a repetition where it is a copy. Raises BadGame for the copy of a game
        that is younger than the event to import into, which would lead it."""
        own = self._original(tags, game)
        if own is None:
            return game
        self.seen = True
        if self._into is not None and own.event_id > self._into.id:
            raise BadGame(
                f"it is game g{own.id} of this database, whose event {tags['EventId']} is newer "
                f"than {self._into.key}: import it into another --event"
            )
        return _with_key(game, own)

    def _original(self, tags: dict[str, str], game: ImportedGame) -> GameRecord | None:
        match = _GAME_ID.fullmatch(tags.get("GameId", ""))
        event_id = self._event_ids.get(tags.get("EventId", ""))
        if match is None or event_id is None:
            return None
        found = next(self._db.repository.games(GameFilter(game_id=int(match[1]))), None)
        if found is None or found.event_id != event_id or not _is_copy(game, found):
            return None
        return found


def _is_copy(game: ImportedGame, own: GameRecord) -> bool:
    """Whether all that the file says of the game is so; moves may be left out."""
    told = (game.white, game.black, game.white_score, game.plies)
    if told != (own.white, own.black, WHITE_SCORES[own.result], own.plies):
        return False
    if not game.moves:
        return True
    same_moves = (game.moves, game.moves_version) == (own.moves, own.moves_version)
    return same_moves and (game.start_fen or CHESS_START) == own.start_fen


def _with_key(game: ImportedGame, own: GameRecord) -> ImportedGame:
    """The game under the key of the stored one; games against the clock have none."""
    if own.game_key is None:
        return game._replace(copy_of=own.id)
    return game._replace(key=bytes.fromhex(own.game_key))
