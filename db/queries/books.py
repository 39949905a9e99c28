"""Books and their openings."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, bindparam, insert, select

from db.errors import NotFound, RecordError
from db.records import BookRecord, OpeningRecord
from db.tables.digests import BOOKS, seal, verify
from db.tables.models import Book, Opening

_OPENING = (
    select(Opening.id, Opening.fen)
    .join(Book, Book.id == Opening.book_id)
    .where(Book.identity == bindparam("book"), Opening.line == bindparam("number"))
)


def add_book(connection: Connection, book: BookRecord, openings: Sequence[OpeningRecord]) -> None:
    """Store a book with its lines; a book that is already stored is not changed.

    Raises RecordError if the number of lines differs from the record.
    """
    if len(openings) != book.lines:
        raise RecordError(
            f"book {book.name} should have {book.lines} lines but has {len(openings)}"
        )
    if len({opening.line for opening in openings}) != len(openings):
        raise RecordError(f"book {book.name} has two lines with the same number")
    if _key(connection, book.id) is not None:
        return
    key = connection.execute(
        insert(Book)
        .values(identity=book.id, name=book.name, source=book.source, lines=book.lines)
        .returning(Book.id)
    ).scalar_one()
    rows = [
        {
            "book_id": key,
            "line": opening.line,
            "start_fen": opening.start_fen,
            "moves": opening.moves,
            "fen": opening.fen,
            "label": opening.label,
        }
        for opening in openings
    ]
    if rows:
        connection.execute(insert(Opening), rows)
    seal(connection, BOOKS, Book.id == key)


def find_book(connection: Connection, identity: str) -> BookRecord:
    """The book of that identity. Raises NotFound."""
    query = select(Book.identity, Book.name, Book.source, Book.lines)
    row = connection.execute(query.where(Book.identity == identity)).one_or_none()
    if row is None:
        raise NotFound(f"no book {identity} is stored")
    return BookRecord(*row)


def book_openings(connection: Connection, identity: str) -> list[OpeningRecord]:
    """The lines of a book in order. Raises NotFound, DatabaseCorrupt."""
    key = _key(connection, identity)
    if key is None:
        raise NotFound(f"no book {identity} is stored")
    verify(connection, BOOKS, Book.id == key)
    query = (
        select(Opening.line, Opening.start_fen, Opening.moves, Opening.fen, Opening.label)
        .where(Opening.book_id == key)
        .order_by(Opening.line)
    )
    return [OpeningRecord(*row) for row in connection.execute(query)]


def book_key(connection: Connection, identity: str) -> int:
    """The key of a stored book. Raises RecordError."""
    key = _key(connection, identity)
    if key is None:
        raise RecordError(f"book {identity} is not stored; add it first")
    return key


def opening_key(connection: Connection, identity: str, line: int) -> tuple[int, str]:
    """Key and position of a stored opening. Raises RecordError."""
    place = {"book": identity, "number": line}
    row = connection.execute(_OPENING, place).one_or_none()
    if row is None:
        raise RecordError(f"line {line} of book {identity} is not stored; add the book first")
    return row.id, row.fen


def opening_keys(
    connection: Connection, identity: str, lines: Collection[int]
) -> dict[tuple[str, int], tuple[int, str]]:
    """Keys and positions of the stored ones among the openings, by book and line."""
    query = (
        select(Opening.line, Opening.id, Opening.fen)
        .join(Book, Book.id == Opening.book_id)
        .where(Book.identity == identity, Opening.line.in_(lines))
    )
    return {(identity, row.line): (row.id, row.fen) for row in connection.execute(query)}


def _key(connection: Connection, identity: str) -> int | None:
    return connection.execute(select(Book.id).where(Book.identity == identity)).scalar_one_or_none()
