"""Digests: what they are of, and that they stay what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select, update

from db.digests import GAMES, digest_of, seal
from db.models import Game
from db.records import EventRecord, GameRecord
from db.session import Database

CONTENT = ("r3f9", 7, None, -0.1, 1e300, "Žižka 'x' \"y\" \\ \n 🙂", b"\x00'\xff", 2**62)


def test_a_digest_is_the_same_in_every_version() -> None:
    """Databases hold them. The figures were taken when version 1 was made, by Python 3.11."""
    assert digest_of("games", CONTENT).hex() == "015790630ae064ea"
    assert digest_of("books", CONTENT, [(0, 1, "a"), (0, 2, "b")]).hex() == "01c5ccb999c3a2bc"


@pytest.mark.parametrize(
    "other",
    [
        (*CONTENT[:-1], 2**62 + 1),
        CONTENT[:-1],
        (*CONTENT, None),
        ("r3f9", "7", *CONTENT[2:]),
        ("r3f", "97", *CONTENT[2:]),
        (*CONTENT[:6], "\x00'\xff", 2**62),
        CONTENT[::-1],
    ],
)
def test_other_content_has_another_digest(other: Sequence[Any]) -> None:
    assert digest_of("games", other) != digest_of("games", CONTENT)
    assert digest_of("pairs", CONTENT) != digest_of("games", CONTENT)
    assert digest_of("games", CONTENT, [(0, 1)]) != digest_of("games", CONTENT)


@pytest.mark.parametrize("with_book", [False, True])
def test_a_game_gets_its_digest_when_it_is_stored(
    database: Database,
    event: EventRecord,
    make_game: Callable[..., GameRecord],
    with_book: bool,
) -> None:
    """The one that reading it again gives, whatever kinds of numbers it was given with."""
    games = [make_game(event.id, 0, 0, n, load=1, game_key=f"0{n}") for n in (1, 2)]
    if not with_book:
        games = [replace(one, book_id=None, opening_line=None) for one in games]
    database.repository.commit_pair(event.id, games)
    query = select(Game.digest).order_by(Game.id)
    with database.repository._store.write() as connection:
        before = connection.execute(query).scalars().all()
        connection.execute(update(Game).values(digest=None))
        seal(connection, GAMES, count=False)
        after = connection.execute(query).scalars().all()
    assert before == after and len(set(after)) == 2 and all(len(one or b"") == 8 for one in after)
