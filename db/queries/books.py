"""Books and their openings."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, insert, select

from db.errors import NotFound, RecordError
from db.records.openings import BookRecord, OpeningLine, OpeningRecord
from db.schema.declared import BOOK, OPENING


def add_book(connection: Connection, book: BookRecord, openings: Sequence[OpeningRecord]) -> None:
    """Store a book with its lines, or without any: then each is stored with the first game that it
    begins (:func:`db.queries.pairs.commit_pairs`). A book that is already stored is not changed.

    Raises RecordError if the number of lines differs from the record.
    """
    if openings and len(openings) != book.lines:
        raise RecordError(
            f"book {book.name} should have {book.lines} lines but has {len(openings)}"
        )
    if len({opening.line for opening in openings}) != len(openings):
        raise RecordError(f"book {book.name} has two lines with the same number")
    if _key(connection, book.id) is not None:
        return
    connection.execute(
        insert(BOOK).values(identity=book.id, name=book.name, source=book.source, lines=book.lines)
    )
    add_openings(connection, book.id, openings)


def add_openings(
    connection: Connection, identity: str, openings: Collection[OpeningRecord]
) -> None:
    """Store lines that a stored book lacks. Raises RecordError."""
    if openings:
        key = book_key(connection, identity)
        connection.execute(insert(OPENING), [{"book_id": key, **o._asdict()} for o in openings])


def find_book(connection: Connection, identity: str) -> BookRecord:
    """The book of that identity. Raises NotFound."""
    query = select(BOOK.c.identity, BOOK.c.name, BOOK.c.source, BOOK.c.lines)
    row = connection.execute(query.where(BOOK.c.identity == identity)).one_or_none()
    if row is None:
        raise NotFound(f"no book {identity} is stored")
    return BookRecord(*row)


def book_openings(
    connection: Connection, identity: str, lines: Collection[int] | None = None
) -> list[OpeningRecord]:
    """The stored lines of a book in order, or those of them with these numbers. Raises NotFound."""
    key = _key(connection, identity)
    if key is None:
        raise NotFound(f"no book {identity} is stored")
    query = (
        select(OPENING.c.line, OPENING.c.start_fen, OPENING.c.moves, OPENING.c.fen, OPENING.c.label)
        .where(OPENING.c.book_id == key)
        .order_by(OPENING.c.line)
    )
    if lines is not None:
        query = query.where(OPENING.c.line.in_(lines))
    return list(map(OpeningRecord._make, connection.execute(query).all()))


def opening_lines(connection: Connection, keys: Collection[int]) -> dict[int, OpeningLine]:
    """Where the openings with these keys stand, as far as they are stored."""
    query = select(OPENING.c.id, BOOK.c.name, OPENING.c.line).join(
        BOOK, BOOK.c.id == OPENING.c.book_id
    )
    rows = connection.execute(query.where(OPENING.c.id.in_(keys)))
    return {key: OpeningLine(book, line) for key, book, line in rows}


def book_key(connection: Connection, identity: str) -> int:
    """The key of a stored book. Raises RecordError."""
    key = _key(connection, identity)
    if key is None:
        raise RecordError(f"book {identity} is not stored; add it first")
    return key


def opening_keys(
    connection: Connection, identity: str, lines: Collection[int]
) -> dict[tuple[str, int], tuple[int, str]]:
    """Keys and positions of the stored ones among the openings, by book and line."""
    query = (
        select(OPENING.c.line, OPENING.c.id, OPENING.c.fen)
        .join(BOOK, BOOK.c.id == OPENING.c.book_id)
        .where(BOOK.c.identity == identity, OPENING.c.line.in_(lines))
    )
    return {(identity, row.line): (row.id, row.fen) for row in connection.execute(query)}


def _key(connection: Connection, identity: str) -> int | None:
    return connection.execute(
        select(BOOK.c.id).where(BOOK.c.identity == identity)
    ).scalar_one_or_none()
