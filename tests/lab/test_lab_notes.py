"""Runs whose figures could be misread get a note."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from db.records.laboratory import LabPositionRecord, LabSearchRecord
from engines.variant import parse_variant
from toolkit.lab import notes
from toolkit.lab.notes import notes_of, table_of
from toolkit.lab.plan import SHIFT, LabEngine, LabPlan, rebased

BASE = parse_variant("pvs:window=0")
SIZES = [LabEngine(parse_variant(f"mtdf:hash={n}"), 0, "hash", str(n)) for n in (1, 16)]


def plan_of(*engines: LabEngine, positions: int = 2) -> LabPlan:
    """A plan of so many positions."""
    places = tuple(LabPositionRecord(n, f"p{n}", f"fen {n}") for n in range(positions))
    return LabPlan("sweep", "some", "id", (LabEngine(BASE, 0), *engines), places, (1, 2))


def search(engine: int, position: int, nodes: Sequence[int] = (5, 40, 4)) -> LabSearchRecord:
    """A search whose last iteration took these nodes, by kind."""
    same = {"value": 0, "move": "e2e4", "move_value": None, "first_guess": 0, "passes": []}
    same |= {"probes": 9, "hits": 3, "cutoffs": 1, "wall_us": 150}
    kinds = ("interior", "leaves", "quiescence")
    iterations = [
        {"depth": 1, "cpu_us": 7 * engine} | dict.fromkeys(kinds, 1) | same,
        {"depth": 2, "cpu_us": 150} | dict(zip(kinds, nodes, strict=True)) | same,
    ]
    return LabSearchRecord(engine, position, 2, 0, "e2e4", 0, 0, 0, 0, 0, iterations)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs here are small ones."""
    monkeypatch.setattr(notes, "LEAST_POSITIONS", 1)


def test_runs_of_few_positions_say_why_they_have_no_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(notes, "LEAST_POSITIONS", 10)
    mtdf = LabEngine(parse_variant("mtdf"), 0)
    said = ["intervals need at least 10 positions"]
    assert notes_of(plan_of(mtdf, positions=9), [search(0, 0), search(1, 0)]) == said
    many = [search(number, place) for number in (0, 1) for place in range(10)]
    assert notes_of(plan_of(mtdf, positions=10), [*many[:-1]]) == said, "compared so far"
    assert notes_of(plan_of(mtdf, positions=10), many[:10]) == [], "nothing is compared yet"
    assert said[0] not in notes_of(plan_of(mtdf, positions=10), many)


def test_engines_with_another_table_are_named() -> None:
    texts = ("mtdf:entries=16", "sss:hash=0", "pvs:entries=16", "mtdf:guess=zero", "minimax")
    (note,) = notes_of(plan_of(*(LabEngine(parse_variant(text), 0) for text in texts)), [])
    assert note.startswith(
        "mtdf:entries=16 (16 entries), sss:hash=0 (none) have other tables than the baseline"
    )
    (note,) = notes_of(plan_of(LabEngine(parse_variant(texts[0]), 0)), [])
    assert "has another table than the baseline, so its ratio mixes" in note


def test_another_baseline_names_all_engines_with_other_tables() -> None:
    sizes = [
        LabEngine(parse_variant(f"{driver}:entries={2**k}"), 0, "entries", str(2**k))
        for k in (4, 5)
        for driver in ("mtdf", "sss", "dual")
    ]
    plan = rebased(plan_of(*sizes), "mtdf:entries=32")
    (note,) = notes_of(plan, [])
    assert note.startswith(
        "pvs:window=0 (16 MB), sss:entries=16 (16 entries), dual:entries=16 (16 entries) have other"
    )
    plan = rebased(plan_of(*sizes, LabEngine(parse_variant("pvs:hash=1"), 0), SIZES[0]), "hash=1")
    (note,) = notes_of(plan, [])
    assert " and 1 more have other tables" in note and "--vary-baseline" not in note


def test_ratio_to_the_same_driver_measures_the_table_alone() -> None:
    swept = LabEngine(parse_variant("pvs:window=0,hash=1"), 0, "hash", "1")
    assert notes_of(plan_of(swept), []) == []


def test_engines_of_equal_nodes_are_named_when_the_run_is_done() -> None:
    engines = [
        LabEngine(parse_variant(f"mtdf:null_move_reduction={n}"), 0, "null_move_reduction", str(n))
        for n in (2, 3, 4)
    ]
    plan = plan_of(*engines)
    base = [search(0, place, (1, 2, 3)) for place in range(2)]
    alike = [search(number, place) for number in (1, 2, 3) for place in range(2)]
    (note,) = notes_of(plan, [*base, *alike])
    assert note.startswith(
        "null_move_reduction=2, null_move_reduction=3 and null_move_reduction=4 searched the same "
        "nodes"
    )
    # As many nodes in all, of another kind, in one search.
    other = [*alike[:-1], search(3, 1, (4, 41, 4))]
    (note,) = notes_of(plan, [*base, *other])
    assert note.startswith("null_move_reduction=2 and null_move_reduction=3 searched")
    assert notes_of(plan, [*base, *alike[:-1]]) != [note], "not before all is searched"


def test_same_engine_twice_is_not_reported() -> None:
    """The baseline may be a point of the curve."""
    plan = plan_of(LabEngine(BASE, 0, "window", "0"))
    assert notes_of(plan, [search(n, place) for n in (0, 1) for place in range(2)]) == []
    given = [LabEngine(parse_variant("mtdf"), 0, SHIFT, text) for text in ("-5", "5")]
    plan = plan_of(*given, positions=1)
    (note,) = notes_of(plan, [search(0, 0, (1, 2, 3)), search(1, 0), search(2, 0)])
    assert note.startswith("first_guess_offset=-5 and first_guess_offset=5 searched")


def test_different_positions_are_reported_while_a_run_is_unfinished() -> None:
    plan = plan_of(*SIZES, positions=3)
    base = [search(0, place) for place in range(3)]
    (table, note) = notes_of(plan, [*base, search(1, 0), search(1, 1), search(2, 0)])
    assert "different sets of 1 to 2 of 3 positions" in note and "a table of 16 MB" in table
    # As many, but not the same.
    assert len(notes_of(plan, [*base, search(1, 0), search(2, 1)])) == 2
    assert len(notes_of(plan, [*base, search(1, 0), search(2, 0)])) == 1
    assert len(notes_of(plan, base[:1])) == 1


def test_table_that_only_the_engine_changes_is_reported() -> None:
    plan = plan_of(LabEngine(parse_variant("mtdf:bounds=one"), 0, "bounds", "one"), positions=1)
    some = [search(0, 0, (1, 2, 3)), search(1, 0)]
    (note,) = notes_of(plan, some)
    assert note.startswith("the baseline has bounds=two at every value")
    plan = plan_of(LabEngine(parse_variant("mtdf:guess=zero"), 0, "guess", "zero"), positions=1)
    assert notes_of(plan, some) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("mtdf", "16 MB"), ("mtdf:entries=2^12", "4096 entries"), ("pvs:hash=0", "none")],
)
def test_tables_in_words(text: str, words: str) -> None:
    assert table_of(parse_variant(text)) == words
