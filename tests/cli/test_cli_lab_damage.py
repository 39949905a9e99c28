"""A laboratory run whose rows were changed by other hands: it is noticed, and told in a line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from engines.spec import Variant

Run = Callable[..., Any]

_ENGINE = ("--engine", "bns:entries=2^10,eval=pst")
_SMALL = ("--depth", "2", "--limit-positions", "2", "--name", "hurt", "--quiet")
_FIRST = "WHERE engine = 0 AND position = 0"


@pytest.fixture
def damage(mtdf: Run) -> Callable[[str], None]:
    """A run of two positions by two engines, and who changes it."""
    assert mtdf("lab", "compare", *_ENGINE, *_SMALL).code == 0

    def change(statement: str) -> None:
        with closing(sqlite3.connect("mtdf.db")) as connection, connection:
            assert connection.execute(statement).rowcount == 1

    return change


def test_a_whole_run_is_sound(mtdf: Run, damage: Callable[[str], None]) -> None:
    result = mtdf("db", "check")
    assert result.code == 0 and "is sound" in result.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("value = value + 7", "value or move is not that of its last iteration"),
        ("move = 'a1a1'", "value or move is not that of its last iteration"),
        ("interior = interior + 1", "its nodes are not those of its iterations"),
        ("passes = passes + 1", "another number of passes than its iterations"),
        ("iterations = '[]'", "its iterations cannot be read"),
        ("iterations = 'not json'", "its iterations cannot be read"),
        ("iterations = json_set(iterations, '$[1][0]', 5)", "not those of its depth"),
        (
            "iterations = json_set(iterations, '$[1][#-1][0][3]', 1000000000)",
            "more nodes than it has",
        ),
    ],
)
def test_a_changed_search_is_noticed(
    mtdf: Run, damage: Callable[[str], None], change: str, said: str
) -> None:
    damage(f"UPDATE lab_searches SET {change} {_FIRST}")
    result = mtdf("db", "check")
    assert result.code == 3 and said in result.out + result.err
    assert "laboratory run hurt" in result.out + result.err


@pytest.mark.parametrize("text", ["[]", "not json", "[[1]]", "{}", "[null, 3]"])
def test_a_search_that_cannot_be_read_ends_in_one_line(
    mtdf: Run, damage: Callable[[str], None], text: str
) -> None:
    damage(f"UPDATE lab_searches SET iterations = '{text}' {_FIRST}")
    result = mtdf("lab", "show", "hurt")
    assert result.code == 3 and len(result.errors) == 1
    assert "traceback" not in result.err.lower()


def test_a_search_that_is_missing_is_searched_again(
    mtdf: Run, damage: Callable[[str], None]
) -> None:
    whole = mtdf("lab", "show", "hurt", "--searches", "--json").json
    damage(f"DELETE FROM lab_searches {_FIRST}")
    check = mtdf("db", "check")
    assert check.code == 3 and "another number of searches than planned" in check.out + check.err
    assert mtdf("lab", "resume", "hurt", "--quiet").code == 0
    again = mtdf("lab", "show", "hurt", "--searches", "--json").json
    for row in (*whole, *again):
        row["cpu_us"] = 0
    assert again == whole
    assert mtdf("db", "check").code == 0


@pytest.fixture
def hurt(damage: Callable[[str], None]) -> Callable[[str], None]:
    """Who changes any number of rows of that run, which references do not hinder."""

    def change(statement: str) -> None:
        with closing(sqlite3.connect("mtdf.db")) as connection, connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            assert connection.execute(statement).rowcount >= 1

    return change


def state_of_the_run() -> Any:
    """Its row."""
    with closing(sqlite3.connect("mtdf.db")) as connection:
        return connection.execute("SELECT * FROM lab_runs").fetchall()


def refused(mtdf: Run, *words: str) -> str:
    """The one line that a command ends in."""
    result = mtdf(*words)
    assert result.code == 3, (words, result.out, result.err)
    assert len(result.errors) == 1 and not result.out, (words, result.out, result.err)
    return str(result.errors[0])


def is_refused_everywhere(mtdf: Run, said: str) -> None:
    """Whoever reads the run says it, and so does who checks the database; nothing is changed."""
    before = state_of_the_run()
    for words in (
        ("lab", "show", "hurt"),
        ("lab", "show", "hurt", "--searches"),
        ("lab", "resume", "hurt"),
        ("lab", "fit", "--run", "hurt", "--guess", "regression"),
    ):
        line = refused(mtdf, *words)
        assert "laboratory run hurt" in line and said in line, (words, line)
    assert state_of_the_run() == before
    check = mtdf("db", "check")
    assert check.code == 3 and said in check.out
    assert "laboratory run hurt" in check.out


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM lab_engines WHERE engine = 0", "lab_engines has no engine 0"),
        ("DELETE FROM lab_engines WHERE engine = 1", "lab_engines has no engine 1"),
        ("DELETE FROM lab_engines WHERE engine = 2", "lab_engines has no engine 2"),
        ("DELETE FROM lab_engines", "lab_engines has no engine 0"),
        ("DELETE FROM lab_positions WHERE position = 0", "lab_positions has no position 0"),
        ("DELETE FROM lab_positions WHERE position = 1", "lab_positions has no position 1"),
        ("DELETE FROM variants WHERE driver = 'bns'", "the variant of engine 2 is missing"),
        ("UPDATE lab_engines SET baseline = 77 WHERE engine = 1", "which is no baseline"),
        ("UPDATE lab_engines SET baseline = 1 WHERE engine = 2", "which is no baseline"),
        ("UPDATE lab_engines SET baseline = 2", "proves no value"),
        ("UPDATE lab_runs SET settings = '{}'", "its settings cannot be read"),
        ("UPDATE lab_runs SET settings = '[]'", "its settings cannot be read"),
        ("UPDATE lab_runs SET settings = json_set(settings, '$.depths', '2')", "its settings"),
        (
            "UPDATE lab_runs SET settings = json_set(settings, '$.depths[0]', 9)",
            "not to its depth 9: 6",
        ),
        ("UPDATE lab_runs SET status = 'bogus'", "status `bogus` is none"),
        ("UPDATE lab_runs SET kind = 'bogus'", "its kind `bogus`"),
        ("UPDATE variants SET parameters = '[1]' WHERE driver = 'bns'", "cannot be read"),
        ("UPDATE lab_engines SET label = x'00ff' WHERE engine = 1", "label of engine 1 is no text"),
        ("UPDATE lab_searches SET cpu_us = 'x' WHERE engine = 1", "its CPU time"),
        ("UPDATE lab_searches SET searched_ms = 'x' WHERE engine = 1", "when it was searched"),
        ("UPDATE lab_positions SET fen = 'x' WHERE position = 1", "`x` is not a legal chess"),
        ("UPDATE lab_engines SET parameter = 'grain', value = '1'", "varies none"),
        ("UPDATE lab_engines SET label = 'same'", "two engines of it are same"),
        ("UPDATE variants SET parameters = 'x' WHERE driver = 'bns'", "variant of engine 2, bns"),
        ("UPDATE variants SET parameters = '{}' WHERE driver = 'bns'", "not what its identity"),
        ("UPDATE variants SET driver = 'mtdf' WHERE driver = 'bns'", "not what its identity"),
        ("UPDATE lab_searches SET searched_ms = 99999999999999999", "is no time"),
        (
            "UPDATE lab_searches SET iterations = json_set(iterations, '$[0][11]', 3) "
            "WHERE engine = 1",
            "proves no move",
        ),
        (
            "UPDATE lab_searches SET iterations = json_set(iterations, '$[0][11]', NULL) "
            "WHERE engine = 2",
            "it misses the value of the move at depth 1",
        ),
        ("UPDATE lab_runs SET settings = 'nope'", "its settings cannot be read"),
        ("UPDATE lab_runs SET created_ms = 'abc'", "`'abc'` is no time"),
        ("UPDATE lab_runs SET ended_ms = ''", "`''` is no time"),
        ("UPDATE lab_runs SET provenance_id = 99", "its row of provenance is missing"),
        ("UPDATE lab_runs SET kind = 'sweep'", "engine 1 of this sweep has no parameter"),
        ("UPDATE lab_positions SET label = x'ff'", "label or FEN of position 0 is no text"),
    ],
)
def test_a_run_of_which_a_part_is_missing_or_wrong_is_refused(
    mtdf: Run, hurt: Callable[[str], None], statement: str, said: str
) -> None:
    hurt(statement)
    is_refused_everywhere(mtdf, said)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("'$[1][12]', json('[]')", "another number of passes"),
        ("'$[1][12]', 5", "cannot be read"),
        ("'$[1][4]', 'x'", "cannot be read"),
        ("'$[1][4]', -1", "cannot be read"),
        ("'$[1][10]', -1", "cannot be read"),
        ("'$[1][0]', json('true')", "cannot be read"),
        ("'$[1][2]', 'a9a1'", "cannot be read"),
        ("'$[0][1]', 40000", "cannot be read"),
        ("'$[0][3]', 'x'", "cannot be read"),
        ("'$[0][11]', 'x'", "cannot be read"),
        ("'$[1][12][0][3]', -5", "cannot be read"),
        ("'$[1][12][0][0]', 32700", "cannot be read"),
        ("'$[1][12][0][2]', 'x'", "cannot be read"),
        ("'$[1][12][0][4]', 5", "cannot be read"),
        ("'$[1][7]', 0, '$[1][8]', 1", "more hits of the table than probes"),
        ("'$[1][12][0][3]', 1", "fewer nodes than it has"),
        ("'$[0][1]', 12345", "not what its passes found"),
        ("'$[0][12][0][2]', 12345", "not what its passes found"),
    ],
)
def test_iterations_that_make_no_sense_are_refused(
    mtdf: Run, hurt: Callable[[str], None], change: str, said: str
) -> None:
    """Of the baseline, which has one pass with an open window at each depth."""
    hurt(f"UPDATE lab_searches SET iterations = json_set(iterations, {change}) {_FIRST}")
    is_refused_everywhere(mtdf, said)


def test_an_iteration_without_nodes_is_refused(mtdf: Run, hurt: Callable[[str], None]) -> None:
    """Though the search as a whole says the same, and another one is missing."""
    hurt("DELETE FROM lab_searches WHERE engine = 1 AND position = 1")
    hurt("UPDATE lab_runs SET status = 'interrupted'")
    hurt(
        "UPDATE lab_searches SET interior = iterations ->> '$[0][4]', "
        "leaves = iterations ->> '$[0][5]', quiescence = iterations ->> '$[0][6]', "
        "iterations = json_set(iterations, '$[1][4]', 0, '$[1][5]', 0, '$[1][6]', 0, "
        f"'$[1][12][0][3]', 0) {_FIRST}"
    )
    is_refused_everywhere(mtdf, "an iteration has no nodes")


@pytest.mark.parametrize("change", ["engine = 99", "position = 999"])
def test_a_search_of_no_engine_or_position_is_none_of_the_run(
    mtdf: Run, hurt: Callable[[str], None], change: str
) -> None:
    """What it was is missing, and is searched again."""
    whole = mtdf("lab", "show", "hurt", "--json").json
    hurt(f"UPDATE lab_searches SET {change} WHERE engine = 1 AND position = 1")
    table = "lab_engines" if "engine" in change else "lab_positions"
    for done in (5, 6):
        report = mtdf("lab", "show", "hurt", "--json").json
        assert (report["searches_done"], report["searches_planned"]) == (done, 6)
        assert [run["searches_done"] for run in mtdf("lab", "list", "--json").json] == [done]
        rows = mtdf("lab", "show", "hurt", "--searches", "--json").json
        assert len(rows) == 2 * done
        check = mtdf("db", "check")
        assert check.code == 3
        assert f"lab_searches: rows that refer to a missing row of {table}: 1" in check.out
        assert ("another number of searches than planned" in check.out) == (done == 5)
        assert mtdf("lab", "resume", "hurt", "--quiet").code == 0
    for told in (whole, report):
        for row in told["rows"]:
            for name in ("cpu", "cpu_low95", "cpu_high95"):
                del row[name]
    assert report["rows"] == whole["rows"]


@pytest.fixture
def curve(mtdf: Run) -> Callable[[str], None]:
    """Two first guesses at one depth, and who changes that run."""
    words = "lab sweep --engine mtdf:eval=pst --first-guess-offset -4,4 --depth 2 --quiet"
    assert mtdf(*words.split(), "--limit-positions", "2", "--name", "hurt").code == 0
    assert mtdf("db", "check").code == 0

    def change(statement: str) -> None:
        with closing(sqlite3.connect("mtdf.db")) as connection, connection:
            assert connection.execute(statement).rowcount >= 1

    return change


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE lab_runs SET kind = 'compare'", "engine 1 of this comparison has a parameter"),
        ("UPDATE lab_engines SET parameter = NULL", "engine 1 of this sweep has no parameter"),
        ("UPDATE lab_engines SET value = NULL", "engine 1 of this sweep has no parameter"),
        ("UPDATE lab_engines SET parameter = NULL, value = NULL WHERE engine = 2", "engine 2"),
        ("UPDATE lab_engines SET parameter = 'grain', value = '1'", "engine 0 of this sweep has a"),
        ("UPDATE lab_engines SET parameter = 'grain' WHERE engine = 2", "several parameters"),
        ("UPDATE lab_engines SET parameter = 'grain' WHERE engine > 0", "not the value grain=-4"),
        ("UPDATE lab_engines SET parameter = 'x' WHERE engine > 0", "not the value x=-4"),
        ("UPDATE lab_engines SET value = 'x' WHERE engine = 2", "`x` is no distance"),
        ("UPDATE lab_engines SET value = '99999' WHERE engine = 2", "`99999` is no distance"),
        ("UPDATE lab_engines SET value = '-4' WHERE engine = 2", "two engines of it are mtdf"),
        (
            "UPDATE lab_runs SET settings = json_set(settings, '$.depths', json('[1, 2]'))",
            "shifted at one depth",
        ),
    ],
)
def test_what_a_sweep_varies_is_tied_to_it(
    mtdf: Run, curve: Callable[[str], None], statement: str, said: str
) -> None:
    curve(statement)
    is_refused_everywhere(mtdf, said)


def test_an_engine_of_another_program_is_no_damage(mtdf: Run, hurt: Callable[[str], None]) -> None:
    """It is what its identity says, and this program knows it not."""
    identity = Variant("scout", {}, {"depth": 3}, "scout", "").identity
    hurt(
        f"UPDATE variants SET driver = 'scout', parameters = '{{\"depth\": 3}}', "
        f"identity = '{identity}' WHERE driver = 'bns'"
    )
    result = mtdf("lab", "show", "hurt")
    assert result.code == 4 and len(result.errors) == 1
    assert "laboratory run hurt: engine `bns" in result.err and "no driver scout" in result.err
    assert mtdf("db", "check").code == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("settings = '{}'", "its settings cannot be read"),
        ("settings = 'nope'", "its settings cannot be read"),
        ("created_ms = 'abc'", "`'abc'` is no time"),
        ("provenance_id = 99", "its row of provenance is missing"),
        ("kind = 'sweep'", "has no parameter"),
    ],
)
def test_a_damaged_run_hinders_no_other(
    mtdf: Run, hurt: Callable[[str], None], change: str, said: str
) -> None:
    """It is named beside the list of the others, which can be made and read."""
    hurt(f"UPDATE lab_runs SET {change}")
    words = "lab compare --engine mtdf:eval=pst --depth 4 --limit-positions 12 --name well -q"
    assert mtdf(*words.split()).code == 0
    assert mtdf("lab", "show", "well").code == 0
    assert mtdf("lab", "resume", "well", "-q").code == 0
    fit = mtdf(*"lab fit --run well --guess regression --quiet".split())
    assert fit.code == 0, fit.err
    listed = mtdf("lab", "list", "--json")
    assert listed.code == 3 and "well" in [run["name"] for run in listed.json]
    assert "hurt" not in [run["name"] for run in listed.json]
    (error,) = listed.errors
    assert "laboratory run hurt: " in error and said in error
    taken = mtdf("lab", "compare", *_ENGINE, *_SMALL)
    assert taken.code == 2 and "run `hurt` exists" in taken.err


def test_a_list_reads_no_single_search(mtdf: Run, hurt: Callable[[str], None]) -> None:
    hurt("UPDATE lab_searches SET value = value + 1")
    assert mtdf("lab", "list").code == 0
    assert "laboratory run hurt, pvs" in refused(mtdf, "lab", "show", "hurt")


def test_all_other_variants_are_read_too(mtdf: Run, hurt: Callable[[str], None]) -> None:
    hurt("DELETE FROM lab_searches")
    hurt("DELETE FROM lab_engines")
    hurt("UPDATE variants SET parameters = 'x' WHERE driver = 'bns'")
    check = mtdf("db", "check")
    assert check.code == 3 and "its parameters cannot be read" in check.out


@pytest.mark.parametrize("column", ["created_ms", "started_ms", "ended_ms"])
def test_a_time_that_is_none_is_told(mtdf: Run, hurt: Callable[[str], None], column: str) -> None:
    hurt(f"UPDATE lab_runs SET {column} = 'x'")
    for words in (("lab", "show", "hurt"), ("lab", "list"), ("lab", "resume", "hurt")):
        assert "`'x'` is no time" in refused(mtdf, *words)
    check = mtdf("db", "check")
    assert check.code == 3 and "`'x'` is no time" in check.out


def test_a_damaged_run_hinders_no_new_one(mtdf: Run, hurt: Callable[[str], None]) -> None:
    hurt("UPDATE lab_runs SET settings = '{}'")
    command = "lab fit --guess regression --positions default-500 --count 12 --depth 4 --quiet"
    result = mtdf(*command.split())
    assert result.code == 0, result.err
