"""Between the database, which is the truth, and Optuna's study in memory."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from db.records.studies import TrialRecord
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.space.space import Space

_STATES: dict[str, TrialState] = {
    "running": TrialState.RUNNING,
    "complete": TrialState.COMPLETE,
    # Told its mean, as Optuna advises for this pruner; a mark in its attributes says so.
    "pruned": TrialState.COMPLETE,
    "failed": TrialState.FAIL,
}


class StoredStudy:
    """A study of Optuna's with the trials of the database, in a storage that has no other.

    Its values are worths (:mod:`toolkit.tuning.models.worth`), so more is better for every
    objective.
    """

    def __init__(self, settings: StudySettings, storage: BaseStorage) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.study = optuna.create_study(
            direction="maximize", study_name=settings.name, storage=storage
        )
        self._space = settings.space
        self._backing = storage
        self._id = storage.get_study_id_from_name(self.study.study_name)

    def add(self, records: Iterable[TrialRecord]) -> None:
        """Add stored trials, in the order of their numbers, with all that samplers noted on
        them."""
        kept = list(records)
        self.study.add_trials([_frozen(self._space, record) for record in kept])
        # Some samplers keep their state on the study; the newest trial has a copy.
        for key, value in (kept[-1].attributes.get("study", {}) if kept else {}).items():
            self._backing.set_study_system_attr(self._id, key, value)

    def trial(self, number: int) -> FrozenTrial:
        """A trial as it is now."""
        return self.study.get_trials(deepcopy=False)[number]

    def note(self, number: int, key: str, value: Any) -> None:
        """Note something on a trial under way, whoever asked for it."""
        self._backing.set_trial_user_attr(self._id_of(number), key, value)

    def report(self, number: int, values: Mapping[int, float]) -> None:
        """Report what a pruner does not know yet of a trial under way, by steps."""
        known = self.trial(number).intermediate_values
        for step in sorted(values.keys() - known.keys()):
            self._backing.set_trial_intermediate_value(self._id_of(number), step, values[step])

    def attributes(self, number: int) -> dict[str, Any]:
        """What the database keeps of a trial's attributes, and of the study's at this moment, as
        plain JSON. Optuna's samplers note only what JSON can hold."""
        trial = self.trial(number)
        data = {"user": trial.user_attrs, "system": trial.system_attrs}
        notes = self._backing.get_study_system_attrs(self._id)
        if notes:
            data["study"] = notes
        copied: dict[str, Any] = json.loads(json.dumps(data))
        return copied

    def steps(self, number: int) -> tuple[float, ...]:
        """What was reported of a trial, step by step, for a pruner; NaN where nothing was."""
        values = self.trial(number).intermediate_values
        length = max(values, default=-1) + 1
        return tuple(values.get(step, math.nan) for step in range(length))

    def _id_of(self, number: int) -> int:
        return self._backing.get_trial_id_from_study_id_trial_number(self._id, number)


def _frozen(space: Space, record: TrialRecord) -> FrozenTrial:
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
        user_attrs=dict(record.attributes.get("user", {})),
        system_attrs=dict(record.attributes.get("system", {})),
        intermediate_values={
            step: value for step, value in enumerate(record.steps) if not math.isnan(value)
        },
    )
