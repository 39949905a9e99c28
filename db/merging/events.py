"""One event of another database: comparing it with the same event here, and adding what is
missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, func, insert, select

from db.errors import MergeConflict, damage_found
from db.merging.games import GameCopier, absent, difference, pages
from db.merging.heads import Lead, at_rest, head_changes, renamed
from db.merging.origins import free_name
from db.queries.books import add_book, book_key, book_openings, find_book
from db.queries.events import TABLE, event_players, free_key
from db.queries.variants import add_variants, variant_keys, variants_of
from db.records import (
    FORM,
    ORIGIN,
    OUT,
    PGN,
    EventPlayerRecord,
    EventRecord,
    MergedRows,
)
from db.schema.declared import BOOK, EVENT, EVENT_PLAYER, GAME, PAIR, PAIR_FAILURE, VARIANT
from db.schema.digests import (
    BOOKS,
    EVENTS,
    GAMES,
    PLAYERS,
    PROBLEMS,
    VARIANTS,
    Kind,
    count_gone,
    findings,
    resealed,
    seal,
)
from db.storage.engine import Store

Say = Callable[[int], None]
"""Gets how many rows were compared or copied just now."""
_ASKED_AT_ONCE = 400
"""Variants in one query."""
_FAILURE = [column for column in PAIR_FAILURE.c if column.name != "event_id"]


@dataclass(slots=True)
class Sides:
    """The two databases of a merge."""

    source: Connection
    """To one state of the other database."""
    source_name: str
    """Its name in messages."""
    target: Store
    event_ids: dict[int, int] = field(default_factory=dict)
    """Events of the source that the target has, with their ids there."""
    _books: set[str] = field(default_factory=set)
    """Verified ones."""

    def verify(self, kind: Kind, *conditions: ColumnElement[bool]) -> None:
        """Raises DatabaseCorrupt for the first row of the source that is not what was stored: a
        copy of it would be sound."""
        for _, finding in findings(self.source, kind, *conditions):
            raise damage_found(finding, self.source_name)

    def check_all_there(self, kind: Kind, owner: int, of: str) -> None:
        """Raises DatabaseCorrupt if stored rows of a run of the source are gone: they would be
        forgotten."""
        gone = count_gone(self.source, kind, owner)
        if gone:
            finding = f"{of}: {gone} of the stored {kind.what} are missing"
            raise damage_found(finding, self.source_name)

    def verify_book(self, identity: str | None) -> None:
        """:meth:`verify` for a book, once."""
        if identity is not None and identity not in self._books:
            self.verify(BOOKS, BOOK.c.identity == identity)
            self._books.add(identity)

    def verify_variants(self, identities: Iterable[str]) -> None:
        """:meth:`verify` for the variants of a run."""
        every = sorted(set(identities))
        for start in range(0, len(every), _ASKED_AT_ONCE):
            some = every[start : start + _ASKED_AT_ONCE]
            self.verify(VARIANTS, VARIANT.c.identity.in_(some))


@dataclass(frozen=True, slots=True)
class _Decided:
    """What decides the later pairings of an event, besides the results: pairs that were played and
    pairs that were given up, and the labels of engines that did not start."""

    played: frozenset[tuple[int, int]]
    failed: frozenset[tuple[int, int]]
    out: frozenset[str]

    @classmethod
    def of(cls, connection: Connection, event: EventRecord) -> _Decided:
        def places(table: Table) -> frozenset[tuple[int, int]]:
            query = select(table.c.pairing, table.c.pair).where(table.c.event_id == event.id)
            return frozenset((row.pairing, row.pair) for row in connection.execute(query))

        return cls(places(PAIR), places(PAIR_FAILURE), frozenset(event.settings.get(OUT, {})))

    @property
    def alone(self) -> _Decided:
        """Engines that did not start decide only about pairs that were given up."""
        return self if self.failed else replace(self, out=frozenset())

    def with_(self, other: _Decided) -> _Decided:
        """Of a merge of the two."""
        played = self.played | other.played
        failed = (self.failed | other.failed) - played
        return _Decided(played, failed, self.out | other.out).alone


class EventMerge:
    """An event on its way. ``source``: as it is in the other database; ``known``: the same event
    here, None: there is none yet."""

    def __init__(self, sides: Sides, source: EventRecord, known: EventRecord | None) -> None:
        self.source = source
        self.known = known
        self._sides = sides
        self._lead = Lead()
        """In games."""

    def compare(self, say: Say) -> MergedRows:
        """What is missing here; nothing is changed. All that would be copied is what was stored.
        Raises MergeConflict if the two contradict each other, DatabaseCorrupt for damage of the
        source."""
        source, known = self._sides.source, self.known
        self._verify()
        players = event_players(source, self.source.id)
        if known is None:
            missing = self._missing_games(None, say)
            return replace(missing, changed=True)
        with self._sides.target.read() as target:
            added = _new_players(players, event_players(target, known.id))
            missing = self._missing_games(target, say)
            self._check_rounds(target, known)
            more = bool(added or missing.games or self._new_failures(target))
            return replace(missing, changed=more or self._head() != {})

    def begin(self, name: str | None = None) -> EventRecord:
        """Store the event without games, if it is new, under its key and name or free ones; a
        study's event has the given ``name``."""
        with self._sides.target.write() as target:
            self.known = self.begun(target, name)
        return self.known

    def begun(self, target: Connection, name: str | None = None) -> EventRecord:
        """The same within a transaction of the target."""
        event = self.source
        add_book_of(self._sides.source, target, event.book_id)
        key = free_key(target, event.key)
        name = free_name(target, event) if name is None else name
        settings = renamed(event.settings, name)
        settings.pop(PGN, None)
        if key != event.key:
            settings[ORIGIN] = event.settings.get(ORIGIN, event.key)
        event_id = TABLE.insert(
            target,
            # It is not whole before its games are there.
            replace(
                event,
                name=name,
                settings=settings,
                status="interrupted" if event.status == "done" else at_rest(event),
            ),
            key=key,
            kind=event.kind,
            seed=event.seed,
            book_id=None if event.book_id is None else book_key(target, event.book_id),
            pairs_planned=event.pairs_planned,
        )
        seal(target, EVENTS, EVENT.c.id == event_id)
        self._add_players(target, event_id, event_players(self._sides.source, event.id))
        self._sides.event_ids[event.id] = event_id
        return TABLE.get(target, event_id)

    def fill(self, say: Say) -> MergedRows:
        """Add players and games that are missing, then failures and how the event stands. It must
        be in the target, and this process must have its lock there."""
        known = self.known
        assert known is not None
        self._sides.event_ids[self.source.id] = known.id
        source, store = self._sides.source, self._sides.target
        with store.write() as target:
            new = _new_players(
                event_players(source, self.source.id), event_players(target, known.id)
            )
            self._add_players(target, known.id, new)
        keys = self.source.key, known.key
        copier = GameCopier(source, self._sides.event_ids, self.source.id, known.id, keys)
        added = MergedRows()
        for page in pages(source, self.source.id):
            with store.read() as target:
                missing = absent(target, known.id, page)
            if missing:
                with store.write() as target:
                    repeats = copier.copy(target, missing)
                added += MergedRows(
                    pairs=len({game.place[:2] for game in missing}),
                    games=len(missing),
                    repeats=repeats,
                )
            say(len(page))
        with store.write() as target:
            self._add_failures(target, known.id)
            head = self._head()
            if head:
                TABLE.change(target, known.id, **head)
            self.known = TABLE.get(target, known.id)
        return replace(added, changed=True)

    def _verify(self) -> None:
        """Raises DatabaseCorrupt if the event, its players, its book or their problems are not what
        was stored, or rows of it are gone; games are verified one by one."""
        sides, event_id = self._sides, self.source.id
        sides.verify(EVENTS, EVENT.c.id == event_id)
        for kind in (PLAYERS, PROBLEMS):
            sides.verify(kind, kind.owner == event_id)
        for kind in (PLAYERS, GAMES, PROBLEMS):
            sides.check_all_there(kind, event_id, f"event {self.source.key}")
        players = event_players(sides.source, event_id)
        sides.verify_variants(player.variant_id for player in players)
        sides.verify_book(self.source.book_id)

    def _missing_games(self, target: Connection | None, say: Say) -> MergedRows:
        source, known = self._sides.source, self.known
        found, games = MergedRows(), 0
        known_id = 0 if known is None else known.id
        for page in pages(source, self.source.id):
            name = self._sides.source_name
            missing = difference(source, name, target, known_id, page)
            games += len(page)
            places = {game.place[:2] for game in missing}
            found += MergedRows(pairs=len(places), games=len(missing))
            say(len(page))
        if target is not None:
            query = select(func.count()).select_from(GAME).where(GAME.c.event_id == known_id)
            more = target.execute(query).scalar_one() + found.games > games
            self._lead = Lead(here=more, there=found.games > 0)
        return found

    def _check_rounds(self, target: Connection, known: EventRecord) -> None:
        """Raises MergeConflict if what the two copies have together is neither of them, and they
        disagree on pairs that were given up: later pairings followed from that."""
        if FORM not in known.settings:
            return
        here = _Decided.of(target, known)
        there = _Decided.of(self._sides.source, self.source)
        if here.with_(there) in (here.alone, there.alone):
            return
        disputed = (here.failed & there.played) | (there.failed & here.played)
        if disputed:
            pairing, pair = place = min(disputed)
            played, failed = ("there", "here") if place in there.played else ("here", "there")
            raise MergeConflict(
                f"pair {pair} of pairing {pairing} was played {played} and given up {failed}, and "
                "the event went on from that in both"
            )
        if (here.failed or there.failed) and here.out != there.out:
            labels = ", ".join(sorted(here.out ^ there.out))
            raise MergeConflict(
                f"{labels} did not start in one of the two, which decided who played on, and the "
                "event went on in both"
            )

    def _add_players(
        self, target: Connection, event_id: int, players: Sequence[EventPlayerRecord]
    ) -> None:
        if not players:
            return
        identities = [player.variant_id for player in players]
        add_variants_of(self._sides.source, target, identities)
        keys = variant_keys(target, identities)
        target.execute(
            insert(EVENT_PLAYER),
            [
                {
                    "event_id": event_id,
                    "position": player.position,
                    "label": player.label,
                    "variant_id": keys[player.variant_id],
                }
                for player in players
            ],
        )
        positions = EVENT_PLAYER.c.position.in_([player.position for player in players])
        seal(target, PLAYERS, EVENT_PLAYER.c.event_id == event_id, positions)

    def _new_failures(self, target: Connection) -> list[dict[str, Any]]:
        """Failures that are not known here, of pairs that were not played here."""
        if not self.source.pairs_failed:
            return []
        assert self.known is not None
        done = set()
        for table in (PAIR, PAIR_FAILURE):
            query = select(table.c.pairing, table.c.pair).where(table.c.event_id == self.known.id)
            done |= {(row.pairing, row.pair) for row in target.execute(query)}
        found = select(*_FAILURE).where(PAIR_FAILURE.c.event_id == self.source.id)
        rows = [dict(row._mapping) for row in self._sides.source.execute(found)]
        return [row for row in rows if (row["pairing"], row["pair"]) not in done]

    def _add_failures(self, target: Connection, event_id: int) -> None:
        rows = self._new_failures(target)
        if rows:
            with resealed(target, EVENTS, EVENT.c.id == event_id):
                target.execute(
                    insert(PAIR_FAILURE), [{"event_id": event_id, **row} for row in rows]
                )

    def _head(self) -> dict[str, Any]:
        """The columns of the event here that change."""
        assert self.known is not None
        more = {"pairs_planned": self.source.pairs_planned}
        return head_changes(self.source, self.known, self._lead, more)


def add_variants_of(source: Connection, target: Connection, identities: Iterable[str]) -> None:
    """Store these variants, which were verified, here as they are there. Raises RecordError."""
    add_variants(target, variants_of(source, identities))


def add_book_of(source: Connection, target: Connection, identity: str | None) -> None:
    """Store a book here as it is there, if it is new. Raises DatabaseCorrupt."""
    if identity is None:
        return
    stored = select(BOOK.c.id).where(BOOK.c.identity == identity)
    if target.execute(stored).first() is None:
        add_book(target, find_book(source, identity), book_openings(source, identity))


def _new_players(
    theirs: Sequence[EventPlayerRecord], ours: Sequence[EventPlayerRecord]
) -> list[EventPlayerRecord]:
    """Players that joined the event in the other database. Raises MergeConflict."""
    known = {player.position: player for player in ours}
    for player in theirs:
        other = known.get(player.position, player)
        if other.variant_id != player.variant_id:
            raise MergeConflict(f"player {player.position} is another engine here")
        if other.label != player.label:
            raise MergeConflict(
                f"engine `{player.label}` is labelled `{other.label}` here: give both one label "
                "(mtdf engines rename)"
            )
    return [player for player in theirs if player.position not in known]
