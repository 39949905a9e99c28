"""Fits from stored runs recover known laws, whatever the jobs and interruptions."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from db.records.laboratory import LabRunRecord
from db.session import Database, open_database
from engines.backend import plain_value
from engines.reference.drivers.guess import Seen, first_guess
from engines.variant import parse_variant
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.lab import run as lab_run
from toolkit.lab.fits import fit as lab_fit
from toolkit.lab.fits.fit import fit_guess, fit_report, measure_guess, searches_plan
from toolkit.lab.fits.stored import load_searches
from toolkit.lab.plan import SHIFT, LabEngine, compare_plan
from toolkit.lab.positions import load_suite
from toolkit.lab.run import LabProgress, resume_lab, start_lab
from toolkit.runs import pool

WriteRun = Callable[..., LabRunRecord]
ENGINE = parse_variant("mtdf:entries=2^12,eval=pst")
PARITY, PREVIOUS = (parse_variant(f"mtdf:eval=pst,guess={one}") for one in ("parity", "previous"))
LAW = {
    "regression_last": 500,
    "regression_before": 250,
    "regression_static": -200,
    "regression_quiescence": 300,
    "regression_odd": 9_000,
    "regression_even": -8_000,
    "regression_odd_phase": 700,
    "regression_even_phase": -600,
}
HIGH, LOW = 0.003, 0.009
DEPTH = 7


def seen_by_hand(fen: str) -> tuple[int, int, int]:
    """Static and quiescence value, and phase, by other means than those that fit."""
    static, quiet = (
        plain_value(parse_variant(f"mtdf:eval=pst,quiescence={flag}"), fen, 0)
        for flag in ("off", "on")
    )
    weights = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
    men = chess.Board(fen).piece_map().values()
    return static, quiet, min(24, sum(weights.get(man.piece_type, 0) for man in men))


def lawful_values() -> list[list[int]]:
    """Values of the places of lab-60 that follow the law from depth 3 on."""
    rng, found = random.Random(11), []
    for opening in load_suite("lab-60").positions:
        static, quiet, phase = seen_by_hand(opening.fen)
        values = [rng.randint(-300, 300) for _ in range(2)]
        while len(values) < DEPTH:
            seen = Seen(values, static, (), quiet, phase)
            values.append(first_guess({**LAW, "guess": "regression"}, seen))
        found.append(values)
    return found


def test_fit_recovers_the_law_of_stored_searches(db: Database, write_run: WriteRun) -> None:
    values = lawful_values()
    errors = random.Random(12)
    keys = [(e, p, d) for e in range(3) for p in range(60) for d in range(1, DEPTH + 1)]
    drawn = {key: errors.randint(-50, 50) for key in keys}

    def nodes(engine: int, place: int, depth: int) -> int:
        error = drawn[engine, place, depth]
        cost = HIGH * max(error, 0) + LOW * max(-error, 0)
        # What an engine of another kind needs is no matter of its guess.
        return round(1e7 * (1 + place) * math.exp(cost)) * (9 if engine == 2 else 1)

    record = write_run(
        [PARITY, PREVIOUS, parse_variant("mtdf:eval=pst,convergence=plaat")],
        places=range(60),
        depth=DEPTH,
        value=lambda place, depth: values[place][depth - 1],
        guess=lambda e, place, depth: values[place][depth - 1] - drawn[e, place, depth],
        nodes=nodes,
    )
    fit = fit_guess(db, load_searches(db, [record]), "quantile")
    for name, wanted in LAW.items():
        allowed = 600 if name in ("regression_odd", "regression_even") else 45
        assert fit.parameters[name] == pytest.approx(wanted, abs=allowed), name
    assert fit.costs is not None
    assert fit.costs.high == pytest.approx(HIGH, rel=1e-3)
    assert fit.costs.low == pytest.approx(LOW, rel=1e-3)
    assert {fit.parameters["quantile_odd"], fit.parameters["quantile_even"]} <= {-1, 0, 1}
    assert (len(fit.fitted), len(fit.held_out)) == (30, 30)
    linear = fit_guess(db, load_searches(db, [record]), "regression")
    assert linear.costs is None and linear.parameters.items() <= fit.parameters.items()


def fitted(db: Database, record: LabRunRecord, guess: str, jobs: int = 1) -> dict[str, Any]:
    """The report of a whole fit from a run, without the names of runs."""
    fit = fit_guess(db, load_searches(db, [record]), guess)
    outcome = measure_guess(db, fit, jobs=jobs)
    assert outcome.status == "done"
    report = dict(fit_report(db, fit, outcome.run))
    del report["runs"], report["measured_by"]
    return report


@pytest.mark.parametrize("guess", ["regression", "quantile"])
def test_jobs_and_interruptions_change_nothing(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guess: str
) -> None:
    monkeypatch.setattr(pool, "GATHER_S", 0.0)  # answers one by one
    plan = searches_plan(ENGINE, load_suite("lab-60", 8), 3)
    whole = fitted(db, start_lab(db, plan, name="whole").run, guess)
    stop = threading.Event()

    def stop_at_five(progress: LabProgress) -> None:
        if progress.done >= 5:
            stop.set()

    with open_database(tmp_path / "other.db") as other:
        cut = start_lab(other, plan, name="cut", on_progress=stop_at_five, stop=stop)
        assert cut.status == "interrupted" and 5 <= cut.done < 16
        resumed = resume_lab(other, "cut", jobs=2)
        assert fitted(other, resumed.run, guess, jobs=2) == whole
        assert fitted(other, resumed.run, guess) == whole


def test_measuring_goes_on_and_is_done_once(db: Database) -> None:
    plan = searches_plan(ENGINE, load_suite("lab-60", 8), 3)
    record = start_lab(db, plan, name="searches").run
    fit = fit_guess(db, load_searches(db, [record]), "regression")
    shown: list[LabProgress] = []
    stop = threading.Event()

    def stop_at_once(progress: LabProgress) -> None:
        shown.append(progress)
        stop.set()

    cut = measure_guess(db, fit, on_progress=stop_at_once, stop=stop)
    assert (shown[0].done, shown[0].total) == (8, 12), "both rivals are taken from the run"
    assert cut.status == "interrupted" and cut.run.name == "searches-regression"
    done = measure_guess(db, fit)
    again = measure_guess(db, fit)
    assert done.run.id == again.run.id == cut.run.id and again.status == "done"
    held_out = {one.fen for one in fit.held_out.positions}
    of_run = {(one.fen) for one in db.repository.lab_positions(done.run.id)}
    assert of_run == held_out and not held_out & {one.fen for one in fit.fitted.positions}


def test_report_is_of_the_stored_nodes_and_values(db: Database) -> None:
    suite = load_suite("lab-60", 8)
    rival = parse_variant("mtdf:entries=2^12,eval=pst,guess=previous")
    record = start_lab(db, compare_plan([rival], suite, (3, 4)), name="rows").run
    fit = fit_guess(db, load_searches(db, [record]), "regression")
    measured = measure_guess(db, fit).run
    report = fit_report(db, fit, measured)
    total = {}
    for one in db.repository.lab_searches(measured.id):
        total[one.engine, one.position] = one.interior + one.leaves + one.quiescence
    for number, row in enumerate(report["rows"]):
        ratios = [total[2, place] / total[number, place] for place in range(4)]
        assert row["nodes"] == pytest.approx(math.prod(ratios) ** (1 / 4))
    labels = [one.label for one in db.repository.lab_engines(measured.id)]
    assert [row["against"] for row in report["rows"]] == labels[:2]
    assert labels[2] == report["engine"] == fit.variant.label
    # By hand: what guess=previous misses is the change of the value.
    changes = []
    for one in fit.held_out.positions:
        values = fit.stored.values[one.fen]
        changes.append((abs(values[2] - values[1]) + abs(values[3] - values[2])) / 2)
    assert report["rows"][1]["error"] == pytest.approx(sum(changes) / 4)
    assert (report["runs"], report["measured_by"]) == (["rows"], "rows-regression")
    assert (report["versions"], report["signature"]) == ([record.version], record.signature)


@pytest.mark.parametrize("change", [{"signature": "f" * 16}, {"host": "elsewhere"}])
def test_searches_of_another_program_are_not_taken_over(
    db: Database, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    record = start_lab(db, searches_plan(ENGINE, load_suite("lab-60", 4), 3), name="old").run
    now = replace(lab_run.this_program(), **change)
    for module in (lab_run, lab_fit):
        monkeypatch.setattr(module, "this_program", lambda *_: now)
    fit = fit_guess(db, load_searches(db, [record]), "regression")
    shown: list[LabProgress] = []
    outcome = measure_guess(db, fit, on_progress=shown.append)
    assert (shown[0].done, outcome.done) == (0, 6)
    assert fit_report(db, fit, outcome.run)["signature"] == record.signature


def test_deeper_searches_are_not_taken_over(db: Database) -> None:
    deep, low = (
        start_lab(db, searches_plan(ENGINE, load_suite("lab-60", count), depth), name=name).run
        for name, count, depth in (("deep", 4, 4), ("low", 6, 3))
    )
    fit = fit_guess(db, load_searches(db, [deep, low]), "regression")
    shown: list[LabProgress] = []
    outcome = measure_guess(db, fit, on_progress=shown.append)
    shallow = {one.fen for one in db.repository.lab_positions(low.id)}
    shallow -= {one.fen for one in db.repository.lab_positions(deep.id)}
    held_out = [one.fen for one in fit.held_out.positions]
    assert 0 < sum(fen in shallow for fen in held_out) < len(held_out)
    assert shown[0].done == 2 * sum(fen in shallow for fen in held_out)
    assert {one.depth for one in db.repository.lab_searches(outcome.run.id)} == {3}
    assert fit_report(db, fit, outcome.run)["depth"] == 3


def test_irreproducible_values_are_reported(db: Database, write_run: WriteRun) -> None:
    fit = fit_guess(db, load_searches(db, [write_run([PARITY, PREVIOUS])]), "regression")
    outcome = measure_guess(db, fit)
    with pytest.raises(OperationFailed, match="found other values in .* than run run"):
        fit_report(db, fit, outcome.run)


def test_used_name_gets_a_number(db: Database, write_run: WriteRun) -> None:
    for name in ("a", "a-regression", "a-regression-2"):
        write_run([PARITY, PREVIOUS], name=name)
    stored = load_searches(db, [db.repository.find_lab_run("a")])
    assert measure_guess(db, fit_guess(db, stored, "regression")).run.name == "a-regression-3"


def test_runs_without_costs_say_which_have_them(db: Database, write_run: WriteRun) -> None:
    alone = write_run([parse_variant("pvs:eval=pst"), PARITY], name="alone")
    given = write_run([PARITY, LabEngine(PARITY, 0, SHIFT, "9")], name="given")
    for record in (alone, given):
        with pytest.raises(UsageError, match=r"unknown \(mtdf lab fit without --run makes"):
            fit_guess(db, load_searches(db, [record]), "quantile")
    far: dict[str, Any] = {"guess": lambda *_: -40, "nodes": lambda *_: 9_000}
    other = write_run([PREVIOUS], name="other", **far)
    write_run([PARITY, PREVIOUS], name="both")
    with pytest.raises(
        UsageError, match=r"run alone: no two .* \(runs that have two guesses: both\)"
    ):
        fit_guess(db, load_searches(db, [alone]), "quantile")
    assert fit_guess(db, load_searches(db, [alone, other]), "quantile").costs is not None
    same = write_run([PARITY, PREVIOUS], name="same", guess=lambda engine, place, depth: 5)
    with pytest.raises(UsageError, match="from two different guesses"):
        fit_guess(db, load_searches(db, [same]), "quantile")


def test_mates_give_no_examples(db: Database, write_run: WriteRun) -> None:
    record = write_run([PARITY], value=lambda place, depth: 32_000 - 2 * depth)
    with pytest.raises(UsageError, match="run run: no values to fit to"):
        fit_guess(db, load_searches(db, [record]), "regression")


@pytest.mark.parametrize(
    ("engine", "count", "depth", "message"),
    [
        ("pvs", 4, 3, "uses no first guess"),
        ("mtd-best", 4, 3, "proves a move"),
        ("mtdf", 1, 3, "at least two"),
        ("mtdf", 4, 2, "--depth"),
    ],
)
def test_unsuitable_searches_are_refused(engine: str, count: int, depth: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        searches_plan(parse_variant(engine), load_suite("lab-60", count), depth)
