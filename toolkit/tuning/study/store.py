"""Between the database, which is the truth, and Optuna's study in memory."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from db.tuning import TrialRecord
from toolkit.space.space import Space
from toolkit.tuning.settings import StudySettings

_STATES: dict[str, TrialState] = {
    "running": TrialState.RUNNING,
    "complete": TrialState.COMPLETE,
    # Told its mean, as Optuna advises for this pruner; a mark in its attributes says so.
    "pruned": TrialState.COMPLETE,
    "failed": TrialState.FAIL,
}


def new_study(settings: StudySettings, **options: Any) -> optuna.Study:
    """An empty study of Optuna's. ``options`` go to ``optuna.create_study``.

    Its values are worths (:mod:`toolkit.tuning.models.worth`), so more is better for every objective.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(direction="maximize", study_name=settings.name, **options)


def add_records(
    study: optuna.Study, settings: StudySettings, records: Iterable[TrialRecord]
) -> None:
    """Add stored trials, in the order of their numbers, with all that samplers noted on them."""
    kept = list(records)
    study.add_trials([_frozen(settings.space, record) for record in kept])
    # Some samplers keep their state on the study; the newest trial has a copy.
    for key, value in (kept[-1].attributes.get("study", {}) if kept else {}).items():
        study._storage.set_study_system_attr(study._study_id, key, value)


def trial_values(study: optuna.Study, trial: FrozenTrial) -> dict[str, Any]:
    """What the database keeps of a trial's attributes, and of the study's at that moment, as plain
    JSON. Optuna's samplers note only what JSON can hold."""
    data = {"user": trial.user_attrs, "system": trial.system_attrs}
    notes = study._storage.get_study_system_attrs(study._study_id)
    if notes:
        data["study"] = notes
    copied: dict[str, Any] = json.loads(json.dumps(data))
    return copied


def steps_of(trial: FrozenTrial) -> tuple[float, ...]:
    """What was reported of a trial, step by step, for a pruner; NaN where nothing was."""
    values = trial.intermediate_values
    length = max(values, default=-1) + 1
    return tuple(values.get(step, math.nan) for step in range(length))


def _frozen(space: Space, record: TrialRecord) -> FrozenTrial:
    attributes: Mapping[str, Any] = record.attributes
    state = _STATES[record.state]
    return optuna.create_trial(
        state=state,
        value=record.value if state == TrialState.COMPLETE else None,
        params=dict(record.params),
        distributions={
            dimension.name: dimension.distribution()
            for dimension in space.dimensions
            if dimension.name in record.params
        },
        user_attrs=dict(attributes.get("user", {})),
        system_attrs=dict(attributes.get("system", {})),
        intermediate_values={
            step: value for step, value in enumerate(record.steps) if not math.isnan(value)
        },
    )
