"""Questions in SQL get the same answers from a file and from a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from db.errors import NotFound, StatementRefused, StatementTimeout
from db.records.engines import NamedEngineRecord
from db.records.events import EventRecord
from db.records.games import GameRecord
from db.session import Database, open_database

MakeGame = Callable[..., GameRecord]


@pytest.fixture
def filled(database: Database, event: EventRecord, make_game: MakeGame) -> Database:
    """A database with a few games."""
    for pair in range(3):
        games = [make_game(event.id, 0, pair, number) for number in (1, 2)]
        database.repository.commit_pairs(event.id, [games])
    return database


def answer(database: Database, statement: str, timeout_s: float = 30.0) -> list[tuple[Any, ...]]:
    """All rows of an answer."""
    with database.ask(statement, timeout_s=timeout_s) as found:
        return list(found.rows)


def test_server_stores_and_answers(
    on_server: str, fill_database: Callable[..., EventRecord], make_game: MakeGame
) -> None:
    """The one test on a server that is not slow."""
    with open_database(on_server) as database:
        event = fill_database(database)
        games = [make_game(event.id, 0, 0, number) for number in (1, 2)]
        database.repository.commit_pairs(event.id, [games])
        assert answer(database, "select count(*), sum(white_score) from v_games") == [(2, 1.0)]
        assert database.repository.damage() == []


REFUSED = [
    "delete from games",
    "  update games set plies = 1",
    "with x as (delete from games returning 1) select * from x",
    "drop view v_games",
    "begin",
    "",
    "/* nothing */",
    "selec 1",
    "select nothing from v_games",
    "select 1; delete from games",
    "select 1; select 2",
]


def test_only_one_question_is_answered(filled: Database) -> None:
    for statement in REFUSED:
        with pytest.raises(StatementRefused) as caught:
            answer(filled, statement)
        assert "\n" not in str(caught.value), statement
        assert filled.repository.count_games() == 6, statement


def test_semicolon_within_a_text_is_allowed(filled: Database) -> None:
    assert answer(filled, "select 'a;b', 'sleep(1)' -- c;d") == [("a;b", "sleep(1)")]
    assert answer(filled, "select 1;") == [(1,)]
    assert answer(filled, "select label from v_players where label like '%;%'") == []


def test_values_have_the_types_of_sqlite(filled: Database) -> None:
    statement = (
        "select count(*), sum(white_nodes), avg(plies), sum(white_score), max(started_at), "
        "(select search_data from v_games limit 1), count(*) > 1, max(repeats) from v_games"
    )
    (row,) = answer(filled, statement)
    assert row[:4] == (6, 3 * 2**40 + 3 * 2**40, 3.0, 3.0)
    assert row[4:] == ("2026-11-21T10:02:30.123Z", b"\x00\xff", 1, None)
    assert [type(one) for one in row] == [int, int, float, float, str, bytes, int, type(None)]
    assert answer(
        filled, "select settings, counted from v_events join v_games on event = v_events.id limit 1"
    ) == [('{"limit":{"nodes":1000},"pairs":2}', 1)]


def test_answer_has_a_time_limit(filled: Database) -> None:
    endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select x from c"
    for statement in (endless, endless.replace("select x from", "select max(x) from")):
        with pytest.raises(StatementTimeout, match=r"^no answer within 0.05 seconds$"):
            for _ in answer(filled, f"{statement} where x < 0", 0.05):
                pass
    assert filled.repository.count_games() == 6


def test_answer_may_be_left_early(filled: Database) -> None:
    with filled.ask(
        "with recursive c(x) as (select 1 union all select x + 1 from c) select x from c"
    ) as found:
        assert next(found.rows) == (1,)
    assert filled.repository.count_games() == 6


def test_names_are_sorted_alike(database: Database) -> None:
    names = ["b", "B", "a", "_", "Z", "é", "ab"]
    for name in names:
        database.repository.add_named_engine(NamedEngineRecord(name, {"command": name}))
    found = [engine.name for engine in database.repository.named_engines()]
    assert found == sorted(names) and found != sorted(names, key=str.lower)


def test_prefix_of_a_key_ignores_case(database: Database, event: EventRecord) -> None:
    assert database.repository.find_event(event.key[:3].upper()) == event
    with pytest.raises(NotFound):
        database.repository.find_event("r%")
