"""Fits use the right searches of stored runs and refuse unsuitable runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from msgspec.structs import replace

from db.records.laboratory import LabRunRecord
from db.session import Database
from engines.registry import PARAMETERS
from engines.variant import parse_variant
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.lab.fits.stored import load_searches, runs_that_tell_costs
from toolkit.lab.plan import SHIFT, LabEngine, compare_plan, sweep_plan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import start_lab

PARITY, PREVIOUS = (parse_variant(f"mtdf:eval=pst,guess={one}") for one in ("parity", "previous"))
PVS, BNS = parse_variant("pvs:eval=pst"), parse_variant("bns:eval=pst")


WriteRun = Callable[..., LabRunRecord]


def test_values_are_of_every_engine_and_costs_of_those_alike(
    db: Database, write_run: WriteRun
) -> None:
    other = parse_variant("mtdf:eval=pst,convergence=plaat")
    stored = load_searches(db, [write_run([PVS, PARITY, PREVIOUS, other])])
    assert stored.base == PARITY and stored.depth == 3
    assert stored.guessing == (PARITY.identity, PREVIOUS.identity)
    openings = load_suite("lab-60").positions[:4]
    assert stored.values == {one.fen: (10 * k + 1, 10 * k + 2, 10 * k + 3)
                             for k, one in enumerate(openings)}  # fmt: skip
    assert [one.fen for one in stored.suite.positions] == [one.fen for one in openings]
    assert (stored.left_out, stored.notes, stored.suite.name) == (0, (), "lab-60")


def test_several_runs_are_one_and_equal_positions_count_once(
    db: Database, write_run: WriteRun
) -> None:
    first = write_run([PARITY], name="first", places=range(3), depth=4)
    second = write_run([PREVIOUS, PARITY], name="second", places=range(1, 5))
    stored = load_searches(db, [first, second])
    assert len(stored.suite) == 5 and stored.depth == 3
    assert set(map(len, stored.values.values())) == {3}
    assert stored.notes == ("run first was searched to depth 4: used to depth 3",)
    fen = stored.suite.positions[1].fen
    assert stored.searches[fen, PARITY.identity].depth == 4
    assert stored.searches[fen, PREVIOUS.identity].depth == 3


def test_unfinished_positions_are_left_out_and_counted(db: Database, write_run: WriteRun) -> None:
    record = write_run([PARITY, PREVIOUS], missing=[(1, 2), (0, 3)])
    stored = load_searches(db, [record])
    assert (len(stored.suite), stored.left_out) == (2, 2)
    assert "only the 2 of its 4 positions" in stored.notes[0]
    other = write_run([PVS], name="other", places=[2])
    assert load_searches(db, [record, other]).left_out == 1


def test_given_guesses_give_values_only(db: Database, write_run: WriteRun) -> None:
    shifted = LabEngine(PARITY, 0, SHIFT, "20")
    stored = load_searches(db, [write_run([PVS, shifted])])
    assert stored.base == PARITY and stored.guessing == ()
    assert len(stored.values) == 4
    assert "its values are used, but not its costs" in stored.notes[0]


def test_guess_belongs_to_its_engine(db: Database, write_run: WriteRun) -> None:
    plaat, table = (
        parse_variant(f"mtdf:eval=pst,guess=parity,{more}")
        for more in ("convergence=plaat", "entries=4096")
    )
    assert load_searches(db, [write_run([PVS], name="none")]).base == PARITY
    one = write_run([PVS, plaat, BNS], name="one")
    assert load_searches(db, [one]).base == plaat
    both = write_run([plaat, table], name="both")
    with pytest.raises(UsageError, match="select one with --engine"):
        load_searches(db, [both])
    assert load_searches(db, [both], table).base == table


def test_guess_that_is_the_default_is_no_part_of_the_base(
    db: Database,
    write_run: WriteRun,
    other_defaults: Callable[[], AbstractContextManager[None]],
) -> None:
    record = write_run([PVS], name="none")
    with other_defaults():
        assert PARAMETERS["guess"].default != "parity"
        assert load_searches(db, [record]).base.parameters["guess"] == "parity"


@pytest.mark.parametrize(
    ("engines", "engine", "message"),
    [
        (["mtdf:grain=2", "pvs:grain=3"], None, "search different trees"),
        (["mtdf:grain=2"], "mtdf", "search different trees"),
        (["mtdf"], "pvs", "uses no first guess"),
        (["mtdf"], "bns", "proves a move"),
    ],
)
def test_unsuitable_engines_are_refused(
    db: Database, write_run: WriteRun, engines: list[str], engine: str | None, message: str
) -> None:
    record = write_run([LabEngine(parse_variant(text), n) for n, text in enumerate(engines)])
    with pytest.raises(UsageError, match=message):
        load_searches(db, [record], engine and parse_variant(engine))


def test_run_of_several_trees_is_refused(db: Database, write_run: WriteRun) -> None:
    record = write_run([PARITY, parse_variant("mtdf:grain=9")])
    with pytest.raises(UsageError, match="search different trees"):
        load_searches(db, [record])


def test_unsuitable_runs_are_refused(db: Database, write_run: WriteRun) -> None:
    good, shallow = write_run([PARITY]), write_run([PARITY], name="low", depth=2)
    coarse = write_run([parse_variant("mtdf:grain=9")], name="coarse")
    alone = write_run([PARITY], name="alone", missing=[(0, 1), (0, 2), (0, 3)])
    elsewhere = {**alone.settings, "cores": ["native:" + "f" * 16]}
    for records, message in [
        ([good, good], "run run is given twice"),
        ([good, shallow], "run low was searched to depth 2"),
        ([good, coarse], f"mtdf:grain=9 of run coarse and {PARITY.label} of run run search"),
        ([good, replace(alone, settings=elsewhere)], "by different cores"),
        ([alone], "by every engine: 1; .* (mtdf resume alone)"),
    ]:
        with pytest.raises(UsageError, match=message.replace("(", r"\(").replace(")", r"\)")):
            load_searches(db, records)


def test_differing_values_give_no_examples(db: Database, write_run: WriteRun) -> None:
    good = write_run([PARITY])
    bad = write_run([PVS], name="bad", value=lambda place, depth: 10 * place)
    with pytest.raises(OperationFailed, match="pvs:eval=pst of run bad found other values"):
        load_searches(db, [good, bad])
    # What proves a move has a lower bound for a value.
    proof = write_run([PARITY, BNS], name="proof", below={1: 50})
    assert load_searches(db, [proof, good]).values == load_searches(db, [good]).values


def test_runs_with_costs(db: Database, write_run: WriteRun) -> None:
    assert runs_that_tell_costs(db) == []
    write_run([PARITY, PVS], name="one")
    write_run([PVS, LabEngine(PARITY, 0, SHIFT, "5"), LabEngine(PARITY, 0, SHIFT, "9")],
               name="given")  # fmt: skip
    coarse = parse_variant("mtdf:guess=previous,eval=pst,grain=4")
    write_run([PARITY, LabEngine(coarse, 1)], name="trees")
    every = [(engine, place) for engine in range(2) for place in range(4)]
    write_run([PARITY, PREVIOUS], name="empty", missing=every)
    write_run([PVS, PARITY, PREVIOUS], name="two")
    assert runs_that_tell_costs(db) == ["two"]


def test_sweeps_and_comparisons_that_were_searched_can_be_read(db: Database) -> None:
    suite = load_suite("lab-60", 3)
    compared = start_lab(db, compare_plan([PARITY, BNS], suite, (2, 3)))
    swept = start_lab(db, sweep_plan([PARITY], SHIFT, ["-20", "20"], suite, (3,)))
    stored = load_searches(db, [compared.run, swept.run])
    assert stored.base == PARITY and stored.guessing == (PARITY.identity,)
    assert len(stored.suite) == 3 and re.search("but not its costs", "".join(stored.notes))
