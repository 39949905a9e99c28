"""What charts show of a stored study."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from db.records.studies import StudyRecord
from toolkit.base.errors import UsageError
from toolkit.show.charts.study_data import (
    LeadingPoint,
    Predict,
    ShownStudy,
    Span,
    Statement,
    by_surface,
    by_surrogate,
    climb_of,
    contour_of,
    most_telling,
    parameters_of,
    slices_of,
    span_of_gain,
    span_of_worth,
    theta_point,
    tracks_of,
    trials_of,
)
from toolkit.tuning.models import posterior
from toolkit.tuning.models.worth import pair_variance
from toolkit.tuning.samplers.attributes import THETA
from toolkit.tuning.settings import StudySettings, settings_of
from toolkit.tuning.space.point import Point, point_text
from toolkit.tuning.space.space import Space
from toolkit.tuning.study.estimates import gain_of_worth
from toolkit.tuning.study.recall import Trial, recall, surface_of
from toolkit.tuning.study.report import StudyReport, study_report
from toolkit.tuning.study.result import Leader, StudyResult, result_of

if TYPE_CHECKING:
    from db.session import Database


def shown_study(
    db: Database, record: StudyRecord, axes: tuple[str, str] | None = None
) -> ShownStudy:
    """What charts show of a study, finished or not.

    ``axes`` are the two parameters of the contour; without them, those along which the gain
    differs most. Trials of SPSA never count as strengths: instead there is θ, and the gain by a
    surface fitted to all comparisons. Raises UsageError for axes that are no two parameters of the
    study, or mean nothing in what is recommended.
    """
    settings, result = settings_of(record), result_of(record)
    report, trials = study_report(db, record), recall(db, record)
    base = settings.space.restrict(settings.start)
    recommended = None if result is None else result.recommended
    if axes is not None:
        _check_axes(record.name, settings.space, recommended or base, axes)
    parts = _spsa if settings.sampler == "spsa" else _compared
    return ShownStudy(
        name=record.name,
        unit="percent" if settings.objective.is_effort else "elo",
        facts=_facts(report),
        by_comparisons=settings.sampler == "spsa",
        statements=_statements(report, result),
        parameters=parameters_of(settings.space, base, recommended),
        contenders=_contenders(settings, result),
        **parts(settings, result, trials, axes),
    )


def _check_axes(study: str, space: Space, point: Point, axes: tuple[str, str]) -> None:
    for name in axes:
        if name not in space.names:
            raise UsageError(f"study {study} does not tune {name}: {', '.join(space.names)}")
        if name not in point:
            raise UsageError(
                f"{name} means nothing in the recommended values of study {study}: "
                f"{', '.join(point)}"
            )
    if axes[0] == axes[1]:
        raise UsageError(f"a contour has two parameters, and both are {axes[0]}")


def _spsa(
    settings: StudySettings,
    result: StudyResult | None,
    trials: list[Trial],
    axes: tuple[str, str] | None,
) -> dict[str, Any]:
    """θ over time, and its gain as estimated by the surface."""
    base, effort = settings.space.restrict(settings.start), settings.objective.is_effort
    told = [trial for trial in trials if trial.record.ended_at is not None]
    thetas = [trial.record.attributes["user"][THETA] for trial in told]
    if not told:
        return {}
    counts = [trial.measured.pairs for trial in told]
    before = [0, *accumulate(counts)][: len(counts)]
    comparisons = [
        (trial.measured.point, trial.opponent or {}, trial.measured.mean, trial.measured.pairs)
        for trial in told
    ]
    variance = pair_variance(trial.measured for trial in told)
    recommended = None if result is None else result.recommended
    known = [trial for trial in told if trial.measured.pairs]
    model = by_surface(surface_of(settings, known), effort)
    way = [theta_point(settings.space, theta) for theta in thetas]
    return {
        "pairs": tuple(before),
        "averaged_from": before[len(before) // 2] if result is not None else None,
        "tracks": tracks_of(settings.space, base, recommended, thetas),
        "climb": climb_of(settings.space, base, comparisons, thetas, variance, effort),
        **(_modelled(settings, result, model, way, axes) if known else {}),
    }


def _compared(
    settings: StudySettings,
    result: StudyResult | None,
    trials: list[Trial],
    axes: tuple[str, str] | None,
) -> dict[str, Any]:
    """Posteriors of the trials' points and along each parameter."""
    base, effort = settings.space.restrict(settings.start), settings.objective.is_effort
    known = [trial for trial in trials if trial.measured.pairs]
    if not known:
        return {}
    surrogate = posterior.fit(settings.space, base, [trial.measured for trial in known])
    model = by_surrogate(surrogate, effort)
    shown = [(t.record.number, t.record.state == "pruned", t.measured) for t in known]
    points = [trial.measured.point for trial in known]
    return {
        "trials": trials_of(settings.space, model, shown, effort),
        **_modelled(settings, result, model, points, axes),
    }


def _modelled(
    settings: StudySettings,
    result: StudyResult | None,
    model: Predict,
    points: Sequence[Point],
    axes: tuple[str, str] | None,
) -> dict[str, Any]:
    """What a model says along parameters and over two of them."""
    base = settings.space.restrict(settings.start)
    recommended = base if result is None else result.recommended
    slices = slices_of(settings.space, model, base, recommended)
    axes = axes or most_telling(slices)
    return {
        "slices": slices,
        "contour": None
        if axes is None
        else contour_of(settings.space, model, base, recommended, axes, points),
    }


def _statements(report: StudyReport, result: StudyResult | None) -> tuple[Statement, ...]:
    """What was measured: the stated gain, a refused one, then every confirmation."""
    found = []
    gain = None if result is None else result.gain
    if gain is not None and gain.pairs and report.gain is not None:
        found.append(Statement("stated", span_of_gain(gain), gain.pairs, report.gain.note))
    if result is not None and result.refused_gain is not None:
        refused = result.refused_gain
        note = f"not recommended: {point_text(result.refused)}"
        found.append(Statement("refused", span_of_gain(refused), refused.pairs, note))
    for row in report.confirmations:
        if row.elo is not None:
            note = "" if row.verdict is None else f"verdict {row.verdict}"
            span = Span(row.elo, row.low95, row.high95)
            found.append(Statement(f"confirmed {row.event}", span, row.pairs, note))
    return tuple(found)


def _contenders(settings: StudySettings, result: StudyResult | None) -> tuple[LeadingPoint, ...]:
    if result is None:
        return ()
    effort = settings.objective.is_effort
    return tuple(_contender(leader, result, effort) for leader in result.leaders)


def _contender(leader: Leader, result: StudyResult, effort: bool) -> LeadingPoint:
    return LeadingPoint(
        label=point_text(leader.point),
        rounds=leader.round,
        pairs=leader.pairs,
        search=span_of_worth(leader.mean, leader.sd, effort),
        fresh=gain_of_worth(leader.fresh, effort) if leader.pairs else None,
        decided=span_of_worth(leader.estimate, leader.estimate_sd, effort),
        chosen=dict(leader.point) == dict(result.recommended),
    )


def _facts(report: StudyReport) -> tuple[tuple[str, str], ...]:
    facts = {
        "status": report.status,
        "objective": report.objective,
        "base": report.base or "",
        "against": ", ".join(report.against),
        "limit": report.limit,
        "sampler": f"{report.sampler}, {report.trials_done} trials",
        "pairs": f"{report.pairs_used} of {report.budget_pairs}",
        "recommended": report.recommended or _values(report),
    }
    return tuple((name, text) for name, text in facts.items() if text)


def _values(report: StudyReport) -> str:
    chosen = {row.parameter: row.recommended for row in report.tuned}
    known = {name: value for name, value in chosen.items() if value is not None}
    return point_text(known) if known else ""
