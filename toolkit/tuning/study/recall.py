"""The trials of a stored study, with the results of their pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.records.studies import StudyRecord, TrialRecord
from toolkit.tuning.models.surface import Surface
from toolkit.tuning.models.worth import PAIR_VARIANCE, MeasuredPoint, pair_variance, worths
from toolkit.tuning.samplers.attributes import OPPONENT
from toolkit.tuning.settings import StudySettings, settings_of
from toolkit.tuning.space.point import Point
from toolkit.tuning.study.numbers import PairNumbers

if TYPE_CHECKING:
    from db.session import Database


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial with what was measured of it."""

    record: TrialRecord
    measured: MeasuredPoint
    """Worth of its pairs over the base, or over the other end of an SPSA trial; no pairs: nothing
    was measured."""
    pairs: int
    """Pairs that it took, with those that could not be played."""

    @property
    def opponent(self) -> Point | None:
        """The other end of an SPSA trial."""
        return opponent_of(self.record)


def opponent_of(record: TrialRecord) -> Point | None:
    """The other end of an SPSA trial."""
    opponent: Point | None = record.attributes.get("user", {}).get(OPPONENT)
    return opponent


def recall(db: Database, record: StudyRecord) -> list[Trial]:
    """The trials of a study in the order of their numbers."""
    settings = settings_of(record)
    values: dict[int, list[float | None]] = {}
    effort, numbers = settings.objective.is_effort, PairNumbers.of(settings)
    for encounter in db.repository.encounters(record.id):
        if encounter.trial is not None:
            known = worths(encounter.scores, effort)
            values.setdefault(encounter.trial, []).extend(known)
    return [
        Trial(trial, _measured(settings, numbers, trial, found), len(found))
        for trial in db.repository.trials(record.id)
        for found in (values.get(trial.number, []),)
    ]


def surface_of(settings: StudySettings, trials: list[Trial]) -> Surface:
    """The response surface of an SPSA study."""
    surface = Surface(settings.space, settings.space.restrict(settings.start))
    played = [trial for trial in trials if trial.measured.pairs and trial.opponent is not None]
    for trial in played:
        assert trial.opponent is not None
        measured = trial.measured
        surface.add(measured.point, trial.opponent, measured.mean, measured.pairs)
    surface.variance = pair_variance(trial.measured for trial in played)
    return surface


def _measured(
    settings: StudySettings,
    numbers: PairNumbers,
    trial: TrialRecord,
    values: list[float | None],
) -> MeasuredPoint:
    """The results of a trial's pairs."""
    point, opponents = dict(trial.params), len(settings.against)
    first_pair = numbers.repeated(settings, trial.number)
    if not opponents:
        return MeasuredPoint.of(point, values, first_pair)
    if trial.value is None or not values:
        return MeasuredPoint.of(point, [])
    # Against opponents a worth is the difference of two means, whose parts lie in two trials.
    pairs = settings.pairs_per_trial
    squares = pairs * 2 * PAIR_VARIANCE / opponents
    return MeasuredPoint(point, pairs, trial.value, squares, first_pair)
