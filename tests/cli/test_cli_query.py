"""``mtdf query`` only reads, and ``db check`` finds damage."""

from __future__ import annotations

import csv
import io
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import each

from toolkit.reports.sql import ViewRow
from toolkit.reports.upkeep import DatabaseCheck

Run = Callable[..., Any]
Fields = Callable[..., bool]


def test_answer(on: Run) -> None:
    games = on("games", "--json").json
    statement = "select white, count(*) as n, count(*) as n from v_games group by 1 order by 1"
    rows = on("query", statement, "--json").json
    assert [list(row) for row in rows] == [["white", "n", "n_2", "program_backend"]] * 3
    assert {row["white"]: row["n"] for row in rows} == {
        name: sum(game["white"] == name for game in games) for name in ("coarse", "mtdf", "pvs")
    }
    table = list(csv.DictReader(io.StringIO(on("query", statement, "--csv").out)))
    assert [line["n_2"] for line in table] == [str(row["n"]) for row in rows]
    assert on("query", statement).out.splitlines()[1].split()[0] == "coarse"
    (row,) = on("query", "select null as a, x'00ff' as b, 0.5 as c", "--json").json
    assert (row["a"], row["b"], row["c"]) == (None, "00ff", 0.5)
    assert on("query", "select * from v_games where 0", "--json").json == []
    (row,) = on("query", "select 7 as program_backend", "--json").json
    assert row == {"program_backend": 7}


def test_views(on: Run, has_fields: Fields) -> None:
    rows = on("query", "--list-views", "--json").json
    assert all(has_fields(row, ViewRow) for row in rows)
    for view in {row["view"] for row in rows}:
        columns = ", ".join(row["column"] for row in rows if row["view"] == view)
        assert on("query", f"select {columns} from {view} limit 1", "--timeout", "600").code == 0
        assert columns in on("query", "--list-views").out


@each(
    "statement",
    [
        "delete from games",
        "insert into variants select * from variants",
        "update games set plies = 1",
        "drop view v_games",
        "create table x (y)",
        "create temp table x (y)",
        "attach 'file:other.db?mode=rwc' as other",
        "vacuum into 'other.db'",
        "pragma journal_mode = delete",
        "pragma query_only = off",
        "begin immediate",
        "with x as (select 1) delete from games",
        "select load_extension('x')",
        "select 1; delete from games",
        "selec 1",
        "select nothing from v_games",
        "",
        "/* nothing */",
    ],
)
def test_statement_other_than_select_is_refused(statement: str, on: Run) -> None:
    before = Path("played.db").read_bytes()
    result = on("query", statement)
    assert (result.code, result.out) == (2, "")
    assert len(result.errors) == 1 and result.errors[0].startswith("error: query: ")
    assert Path("played.db").read_bytes() == before
    assert not Path("other.db").exists()


def test_time_limit(on: Run) -> None:
    endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select max(x) from c"
    result = on("query", endless, "--timeout", "0.1")
    assert result.code == 1
    assert result.errors == ["error: query: no answer within 0.1 seconds (--timeout)"]
    assert on("query", "select 1", "--timeout", "0").code == 2


def test_statement_excludes_list_views(on: Run) -> None:
    assert on("query").code == 2
    assert on("query", "select 1", "--list-views").code == 2


def test_replay(on: Run, decided: Run, has_fields: Fields) -> None:
    """``decided`` has other results in the same file than its moves give."""
    rows = decided("games", "--json").json
    wrong = [row["id"] for row in rows if row["result"] != "1/2-1/2"]
    result = decided("db", "check", "--replay", "--json")
    assert has_fields(result.json, DatabaseCheck)
    assert (result.code, result.json["sound"], result.json["replayed"]) == (3, False, 12)
    found = [f"g{line.split()[1].rstrip(':')}" for line in result.json["mismatches"]]
    assert found == wrong
    text = decided("db", "check", "--replay")
    assert text.code == 3 and "is not sound" in text.out
    assert decided("db", "check").code == 0


def test_replay_of_valid_games(on: Run) -> None:
    row = on("db", "check", "--replay", "--json").json
    assert (row["sound"], row["replayed"], row["mismatches"]) == (True, 12, [])
    assert on("db", "check", "--replay", "--sample", "5", "--json").json["replayed"] == 5
    assert on("db", "check", "--replay", "--sample", "500", "--json").json["replayed"] == 12
    assert on("db", "check", "--json").json["replayed"] is None
    assert on("db", "check", "--sample", "5").code == 2
    assert on("db", "check", "--replay", "--sample", "0").code == 2


_NO_MATCH = ": it does not match its games"


@each(
    "damage, finding",
    [
        ("DELETE FROM games WHERE pair = 1 AND game = 2", "pair 1: a game is missing"),
        ("DELETE FROM game_moves WHERE game_id = 4", "game 4: it is not what was stored"),
        ("UPDATE pairs SET score1 = (score1 + 1) % 3 WHERE pair = 1", _NO_MATCH),
        ("UPDATE pairs SET first_is_white = 1 - first_is_white", _NO_MATCH),
        ("UPDATE pairs SET counted = 1 - counted", _NO_MATCH),
        ("UPDATE pairs SET score2 = NULL WHERE pair = 1", _NO_MATCH),
        ("UPDATE games SET repeats_id = 1 WHERE id = 4", _NO_MATCH),
        ("DELETE FROM pairs WHERE pair = 1", ": it belongs to no pair"),
        ("UPDATE games SET white_player = 9 WHERE id = 4", _NO_MATCH),
    ],
)
def test_changed_rows_are_found(damage: str, finding: str, on: Run) -> None:
    with closing(sqlite3.connect("played.db")) as connection, connection:
        connection.execute(damage)
    result = on("db", "check", "--json")
    assert (result.code, result.json["sound"]) == (3, False)
    assert any(finding in line for line in result.json["contradictions"])
    text = on("db", "check")
    assert text.code == 3 and finding in text.out and "is not sound" in text.out


@each(
    "damage, finding",
    [
        ("UPDATE games SET game_key = randomblob(16) WHERE id = 4", "key"),
        ("UPDATE games SET white_nodes = white_nodes + 1 WHERE id = 4", "nodes"),
        ("UPDATE game_moves SET search_version = 0 WHERE game_id = 4", "version 0"),
    ],
)
def test_replay_finds_consistent_forgeries(damage: str, finding: str, on: Run, edited: Run) -> None:
    """A game that was stored so, which its digest does not show."""
    with edited("played.db") as connection:
        connection.execute(damage)
    assert on("db", "check").code == 0
    result = on("db", "check", "--replay", "--json")
    (line,) = result.json["mismatches"]
    assert result.code == 3 and line.startswith("game 4: ") and finding in line


@each("damage", ["end_reason_id = 99", "white_player = 9", "black_player = 9"])
def test_statistics_of_a_damaged_event(damage: str, on: Run) -> None:
    with closing(sqlite3.connect("played.db")) as connection, connection:
        connection.execute(f"UPDATE games SET {damage} WHERE id = 4")
    result = on("stats", "last")
    assert result.code == 3 and "damaged" in result.errors[-1]


@each(
    "damage, words, code",
    [
        ("UPDATE event_players SET position = '[1]' WHERE position = 2", "games", 3),
        ("UPDATE event_players SET position = '[1]' WHERE position = 2", "ratings", 3),
        ("UPDATE event_players SET position = '[1]' WHERE position = 2", "h2h mtdf pvs", 3),
        ("UPDATE games SET repeats_id = 99 WHERE id = 4", "ratings", 0),
        ("UPDATE games SET provenance_id = -7 WHERE id = 4", "crosstable --all-events", 0),
        ("UPDATE games SET white_player = x'ff' WHERE id = 4", "engines list", 3),
    ],
)
def test_damaged_rows_end_a_report_in_one_line(damage: str, words: str, code: int, on: Run) -> None:
    with closing(sqlite3.connect("played.db")) as connection, connection:
        connection.execute(damage)
    result = on(*words.split())
    assert result.code == code
    if code == 3:
        assert len(result.errors) == 1 and "is damaged (" in result.errors[0]
    assert on("db", "check").code == 3


def test_damaged_settings_end_a_report_in_one_line(on: Run, edited: Run) -> None:
    """Whatever value another program has put there, and whatever stumbles over it; the check finds
    it, too."""
    event, engines = "settings FROM events", "parameters FROM variants WHERE driver = 'pvs'"
    for column, change, words, finding in (
        (event, "json_set({}, '$.limit', 3)", "events", "Expected `object`, got `int`"),
        (event, "json_set({}, '$.limits', json('[3]'))", "show last", "Expected `object`"),
        (event, "json_remove({}, '$.players[0].label')", "show last", "`label`"),
        (event, "json_set({}, '$.players[0].label', 'x')", "", "its players"),
        (event, "json_set({}, '$.out_engines', 3)", "", "Expected `object`, got `int`"),
        (engines, "json_set({}, '$.grain', 2)", "", "parameters are not those of its identity"),
        ("settings FROM rating_lists", "'{{}}'", "history pvs", "`anchors`"),
        ("settings FROM rating_lists", "json_set({}, '$.players', json('[]'))", "history pvs", ""),
    ):
        whole = Path("played.db").read_bytes()
        name, _, table = column.partition(" FROM ")
        with edited("played.db") as connection:
            changed = table.replace(" WHERE", f" SET {name} = {change.format(name)} WHERE")
            if changed == table:
                changed = f"{table} SET {name} = {change.format(name)}"
            connection.execute(f"UPDATE {changed}")
        for result in [on(*words.split())] if words else []:
            (line,) = result.errors
            assert result.code == 3 and "played.db is damaged (" in line and finding in line, change
        lines = on("db", "check", "--json").json["contradictions"]
        Path("played.db").write_bytes(whole)
        assert lines and all(finding in line for line in lines), change


def test_unexpected_error_is_not_blamed_on_a_sound_database(
    on: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("of the program")

    monkeypatch.setattr("toolkit.reports.events.list_events", fail)
    with pytest.raises(KeyError, match="of the program"):
        on("events")


def test_bad_start_position_is_named(on: Run, edited: Run) -> None:
    with edited("played.db") as connection:
        connection.execute("UPDATE games SET start_fen = '8/8 w - - 0 1' WHERE id = 4")
    (line,) = on("db", "check", "--replay", "--json").json["mismatches"]
    assert line == "game 4: `8/8 w - - 0 1`, where it starts, is not a position"


def test_database_before_0_1_0_is_refused(on: Run, edited: Run) -> None:
    with edited("played.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0011'")
    for command in (("db", "vacuum"), ("events",)):
        refused = on(*command)
        assert refused.code == 3 and "is of an mtdf before 0.1.0" in refused.errors[0]


def test_cell_is_one_line_without_control_characters(on: Run) -> None:
    out = on("query", "select 'a' || char(10) || char(27) || '[2J' as x, 'é你' as y").out
    assert out.splitlines() == ["x           y", r"a\n\x1b[2J  é你"]


def test_no_escape_sequence_reaches_the_terminal(on: Run) -> None:
    """Neither from values, nor column names, nor what an error repeats."""
    evil = "\x1b]0;x\x07"
    result = on("query", f"select '{evil}' as \"{evil}\"")
    assert result.out.splitlines() == ["\\x1b]0;x\\x07"] * 2
    for words in (
        ("query", f"select {evil}"),
        ("games", "--engine", evil),
        ("ratings", f"--{evil}"),
        (f"{evil}",),
        ("show", evil),
        ("match", f"mtdf:{evil}=1", "pvs"),
    ):
        result = on(*words)
        assert result.code in (2, 5)
        assert len(result.errors) == 1 and result.errors[0].isprintable(), words
    assert on("query", f"select '{evil}' as a", "--json").json[0]["a"] == evil
    assert evil in on("query", f"select '{evil}' as a", "--csv").out


ONE_FUNCTION = (
    "select instr(hex(zeroblob(40000000)), replace(hex(zeroblob(3000)), '00', '0') || 'x')"
)
"""Seconds in one step of SQLite's machine, in which it looks at no clock."""


def test_time_limit_inside_one_function(on: Run) -> None:
    result = on("query", ONE_FUNCTION, "--timeout", "0.1")
    assert result.code == 1
    assert result.errors == ["error: query: no answer within 0.1 seconds (--timeout)"]


ROWS = (
    "with recursive c(x) as (select 1 union all select x + 1 from c) "
    "select x, hex(randomblob(50)) from c"
)


@pytest.mark.parametrize(
    ("number", "statement", "form"),
    [
        (signal.SIGINT, ROWS, ()),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (signal.SIGTERM, ONE_FUNCTION, ()),
                (signal.SIGINT, ROWS, ("--csv",)),
                (signal.SIGTERM, ROWS, ("--json",)),
            )
        ),
    ],
)
def test_signals_end_a_query_quietly(
    on: Run, number: signal.Signals, statement: str, form: tuple[str, ...]
) -> None:
    """Inside one function, and while rows stream to a reader that does not keep up."""
    script = (
        "import sys, cli; from toolkit.reports import sql; ask = sql.ask\n"
        "def told(*given, **options):\n"
        "    print('asked', file=sys.stderr, flush=True); return ask(*given, **options)\n"
        "sql.ask = told; cli.main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, "query", statement, "--db", "played.db", *form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None and process.stdout is not None
    assert process.stderr.readline() == "asked\n"
    if statement == ROWS:
        process.stdout.readline()
    process.send_signal(number)
    assert process.wait(timeout=600) == (130 if number == signal.SIGINT else 143)
    name = "Ctrl-C" if number == signal.SIGINT else "SIGTERM"
    assert process.stderr.read() == f"stopped by {name}\n"
    process.stdout.close()
    process.stderr.close()


@pytest.mark.slow
def test_large_answer_is_streamed(on: Run) -> None:
    """Three hundred rows of a megabyte each; the reader takes what it wants."""
    statement = "with recursive c(x) as (select 1 union all select x + 1 from c limit 300) "
    statement += "select hex(zeroblob(500000)) from c"
    script = (
        "import resource, sys\n"
        "from db.session import open_database\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (250_000_000, 250_000_000))\n"
        "with open_database('played.db') as db, db.ask(sys.argv[1]) as answer:\n"
        "    print(sum(len(row[0]) for row in answer.rows))"
    )
    words = [sys.executable, "-c", script, statement]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("300000000\n", "")
