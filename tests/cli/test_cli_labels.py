"""Tables name engines by their differences; JSON and CSV keep the labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from cases import each

from engines.registry import PARAMETERS

Run = Callable[..., Any]
DEFAULT, OTHER = f"mtdf:hash={PARAMETERS['hash'].default}", "mtdf:hash=1"
EVENT = f"match mtdf {OTHER} --pairs 2 --nodes 60 --max-plies 8 --quiet".split()


@pytest.fixture
def two_tables(mtdf: Run) -> Run:
    """A database with a match of two sizes of the table, one of them the default."""
    assert mtdf(*EVENT).code == 0
    return mtdf


@each(
    "words",
    [
        *(("games",), ("games", "--event", "last"), ("game", "g1"), ("events",)),
        *(("h2h", "mtdf", OTHER), ("stats", "last"), ("ratings",), ("crosstable",)),
        ("engines", "list"),
    ],
)
def test_tables_name_default_engines(words: tuple[str, ...], two_tables: Run) -> None:
    result = two_tables(*words)
    assert result.code == 0 and DEFAULT in result.out and OTHER in result.out
    if words != ("engines", "list"):  # which has a column of spellings
        assert "mtdf" not in result.out.replace(",", " ").split()


@each(
    "words, names",
    [
        (("games",), ("white", "black")),
        (("game", "g1"), ("white", "black")),
        (("h2h", "mtdf", OTHER), ("first", "second")),
        (("engines", "list"), ("engine",)),
    ],
)
def test_json_keeps_the_labels(
    words: tuple[str, ...], names: Iterable[str], two_tables: Run
) -> None:
    found = two_tables(*words, "--json").json
    rows = found if isinstance(found, list) else [found]
    labels = {row[name] for row in rows for name in names}
    assert {"mtdf", OTHER} <= labels and DEFAULT not in labels


def test_csv_keeps_the_labels(two_tables: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(two_tables("games", "--csv").out)))
    assert {row["white"] for row in rows} == {"mtdf", OTHER}


def test_engines_alone_keep_their_labels(on: Run) -> None:
    assert " mtdf " in on("games").out.replace("\n", " ")
    assert on("h2h", "mtdf", "pvs").out.startswith("mtdf - pvs ")


def test_overrun_warning_uses_table_names(mtdf: Run) -> None:
    result = mtdf(*f"match mtdf {OTHER} --pairs 1 --nodes 1 --max-plies 8".split())
    (warning,) = [line for line in result.errors if "searched more than the limit" in line]
    assert f"{DEFAULT} " in warning and "mtdf " not in warning.replace(DEFAULT, "")


@each("words", [("games", "--engine"), ("engines", "show"), ("history",)])
def test_mistyped_value_gets_a_hint(words: tuple[str, ...], two_tables: Run) -> None:
    """And not the nearest label of the database."""
    (error,) = two_tables(*words, "mtdf:guess=partiy").errors
    assert "guess=partiy is not allowed; did you mean `parity`?" in error
    (error,) = two_tables(*words, "mtdff").errors
    assert "did you mean `mtdf`?" in error
