"""The picture of a stored study: what :mod:`toolkit.tuning.showing.plots` draws."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from db.records import StudyRecord
from toolkit.tuning.models import posterior
from toolkit.tuning.models.gain import GainUnit
from toolkit.tuning.models.worth import pair_variance
from toolkit.tuning.rows import StudyReport
from toolkit.tuning.samplers.attributes import THETA, user_attributes
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.showing.picture import (
    Contender,
    Span,
    Statement,
    TuningPicture,
    climb_of,
    slices_of,
    span_of_gain,
    span_of_worth,
    tracks_of,
    trials_of,
)
from toolkit.tuning.showing.views import study_report
from toolkit.tuning.space.point import Point, point_text
from toolkit.tuning.study.estimates import gain_of_worth
from toolkit.tuning.study.recall import RecalledTrial, recall
from toolkit.tuning.study.result import Leader, StudyResult, result_of

if TYPE_CHECKING:
    from db.session import Database


def picture_of(db: Database, record: StudyRecord) -> TuningPicture:
    """The plots of a study, finished or not.

    Trials of SPSA are never drawn as strengths. Instead the plots show θ, and the estimate of its
    gain by a surface fitted to all comparisons.
    """
    settings, result = StudySettings.from_json(record.settings), result_of(record)
    report, trials = study_report(db, record), recall(db, record)
    unit: GainUnit = "percent" if settings.objective.is_effort else "elo"
    parts = _spsa(settings, result, trials) if settings.sampler == "spsa" else {}
    if settings.sampler != "spsa":
        parts = _compared(settings, result, trials)
    return TuningPicture(
        title=f"Study {record.name}",
        unit=unit,
        facts=_facts(report),
        statements=_statements(report, result),
        contenders=_contenders(settings, result),
        **parts,
    )


def _spsa(
    settings: StudySettings, result: StudyResult | None, trials: list[RecalledTrial]
) -> dict[str, Any]:
    """θ over time, and its gain as estimated by the surface."""
    base = settings.space.restrict(settings.start)
    told = [trial for trial in trials if trial.record.ended_at is not None]
    thetas = [user_attributes(trial.record.attributes)[THETA] for trial in told]
    counts = [trial.measured.pairs for trial in told]
    before = [0, *accumulate(counts)][: len(counts)]
    comparisons = [
        (trial.measured.point, trial.opponent or {}, trial.measured.mean, trial.measured.pairs)
        for trial in told
    ]
    variance = pair_variance(trial.measured for trial in told)
    recommended = None if result is None else result.recommended
    half = before[len(before) // 2] if before and result is not None else None
    return {
        "pairs": tuple(before),
        "averaged_from": half,
        "tracks": tracks_of(settings.space, base, recommended, thetas) if thetas else (),
        "climb": climb_of(settings.space, base, comparisons, thetas, variance) if told else (),
    }


def _compared(
    settings: StudySettings, result: StudyResult | None, trials: list[RecalledTrial]
) -> dict[str, Any]:
    """Posteriors of the trials' points and along each parameter."""
    base, effort = settings.space.restrict(settings.start), settings.objective.is_effort
    known = [trial for trial in trials if trial.measured.pairs]
    if not known:
        return {}
    surrogate = posterior.fit(settings.space, base, [trial.measured for trial in known])
    shown = [(t.record.number, t.record.state == "pruned", t.measured) for t in known]
    recommended: Point = base if result is None else result.recommended
    return {
        "trials": trials_of(surrogate, shown, effort),
        "slices": slices_of(settings.space, surrogate, base, recommended, effort),
    }


def _statements(report: StudyReport, result: StudyResult | None) -> tuple[Statement, ...]:
    """What was measured: the stated gain, a refused one, then every confirmation."""
    found = []
    if result is not None and result.gain is not None and report["gain"] is not None:
        gain = result.gain
        found.append(Statement("stated", span_of_gain(gain), gain.pairs, report["gain"]["note"]))
    if result is not None and result.refused_gain is not None:
        refused = result.refused_gain
        note = f"not recommended: {point_text(result.refused)}"
        found.append(Statement("refused", span_of_gain(refused), refused.pairs, note))
    for row in report["confirmations"]:
        if row["elo"] is not None:
            note = "" if row["verdict"] is None else f"verdict {row['verdict']}"
            span = Span(row["elo"], row["low95"], row["high95"])
            found.append(Statement(f"confirmed {row['event']}", span, row["pairs"], note))
    return tuple(found)


def _contenders(settings: StudySettings, result: StudyResult | None) -> tuple[Contender, ...]:
    if result is None:
        return ()
    effort = settings.objective.is_effort
    return tuple(_contender(leader, result, effort) for leader in result.leaders)


def _contender(leader: Leader, result: StudyResult, effort: bool) -> Contender:
    return Contender(
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
        "status": report["status"],
        "objective": report["objective"],
        "base": report["base"] or "",
        "against": ", ".join(report["against"]),
        "limit": report["limit"],
        "sampler": f"{report['sampler']}, {report['trials_done']} trials",
        "pairs": f"{report['pairs_used']} of {report['budget_pairs']}",
        "recommended": report["recommended"] or _values(report),
    }
    return tuple((name, text) for name, text in facts.items() if text)


def _values(report: StudyReport) -> str:
    chosen = {row["parameter"]: row["recommended"] for row in report["tuned"]}
    known = {name: value for name, value in chosen.items() if value is not None}
    return point_text(known) if known else ""
