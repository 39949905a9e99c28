"""Measuring the experiments of claims: each is a laboratory run with a fixed name."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from claims.claim import Claim, Evidence
from claims.contests import Contest
from claims.experiment import Experiment, Size
from claims.measured import Measured
from db.records.laboratory import LabRunRecord
from db.session import Database
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.format import format_core
from toolkit.base.version import this_program
from toolkit.lab.plan import LabPlan
from toolkit.lab.run import (
    LabOutcome,
    ProgressCallback,
    cores_of,
    resume_lab,
    start_lab,
    stored_plan,
)
from toolkit.lab.summary import summarise
from toolkit.runs.jobs import Jobs
from toolkit.runs.lifecycle import named_command


def experiments_of(claims: Sequence[Claim]) -> list[Experiment]:
    """The experiments of the claims, each once, in order."""
    return list(
        {(one.game, one.name): one for claim in claims for one in claim.experiments}.values()
    )


def contests_of(claims: Sequence[Claim]) -> list[Contest]:
    """The contests of the claims, in order."""
    return [one for claim in claims for one in claim.contests]


def measure(
    db: Database,
    experiment: Experiment,
    size: Size,
    *,
    jobs: Jobs = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> LabOutcome:
    """Search what is missing of an experiment; a complete run is left as it is.

    Raises UsageError if another run has its name, EngineProblem if another core searched for it,
    DatabaseError, also while another process measures it.
    """
    plan, name = experiment.plan(size), experiment.run_name(size)
    with db.run_lock(name, f"experiment {name}"):  # two processes would both start it
        record = _run_named(db, name)
        if record is None:
            return start_lab(db, plan, name=name, jobs=jobs, on_progress=on_progress, stop=stop)
        _check_same(db, record, plan)
        return resume_lab(db, record, jobs=jobs, on_progress=on_progress, stop=stop)


def evidence_of(db: Database, claim: Claim, size: Size) -> Evidence:
    """The stored measurements of a claim. Raises EngineProblem if searches of one do not agree on
    the values, so that their costs compare nothing."""
    return {one.name: _measured(db, one, size) for one in claim.experiments}


def run_of(db: Database, experiment: Experiment, size: Size) -> LabRunRecord:
    """The stored run of an experiment. Raises UsageError if there is none."""
    record = _run_named(db, experiment.run_name(size))
    if record is None:
        raise UsageError(f"experiment {experiment.name} has no run in {db.name}")
    return record


def _measured(db: Database, experiment: Experiment, size: Size) -> Measured:
    record = run_of(db, experiment, size)
    plan, searches = stored_plan(db, record), db.repository.lab_searches(record.id)
    if not summarise(plan, searches).values_agree:
        raise EngineProblem(
            f"run {record.name}: engines disagree on values, so no claim is judged by it; see: "
            f"{named_command('show', record.name)}"
        )
    return Measured(plan, searches)


def _run_named(db: Database, name: str) -> LabRunRecord | None:
    return next((one for one in db.repository.lab_runs() if one.name == name), None)


def _check_same(db: Database, record: LabRunRecord, plan: LabPlan) -> None:
    """Raises UsageError, EngineProblem unless the run has the plan and was searched by this
    core."""
    repository = db.repository
    way_out = (
        f"use another --db, or start over: {named_command('rm', record.name)}, then repeat "
        "the command"
    )
    stored = {key: record.settings.get(key) for key in plan.settings()}
    if (
        stored != plan.settings()
        or repository.lab_engines(record.id) != plan.engine_records()
        or tuple(repository.lab_positions(record.id)) != plan.positions
    ):
        raise UsageError(f"run {record.name} has another plan than the experiment: {way_out}")
    cores, own = cores_of(record), this_program(plan.game).core
    if any(core != own for core in cores):
        told = ", ".join(map(format_core, cores))
        raise EngineProblem(
            f"run {record.name} was searched by {told}, and this program has {format_core(own)}: "
            f"{way_out}"
        )
