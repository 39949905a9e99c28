"""Judged claims as rows of :mod:`toolkit.lab.claims.rows`."""

from __future__ import annotations

from db.records import EventRecord, LabRunRecord
from db.session import Database
from toolkit.events.settings import EventSettings
from toolkit.lab.claims.claim import Claim, Drawing, Finding, judge
from toolkit.lab.claims.contests import Pairs, event_of, pairs_of
from toolkit.lab.claims.experiment import Size
from toolkit.lab.claims.measured import Figure
from toolkit.lab.claims.rows import (
    ChartRow,
    ClaimMatchRow,
    ClaimRow,
    ClaimRunRow,
    FigureRow,
    FurtherRow,
    PartRow,
    PointRow,
)
from toolkit.lab.claims.running import evidence_of, run_of
from toolkit.lab.plan import LabPlan


def judged(db: Database, claim: Claim, size: Size) -> ClaimRow:
    """A claim, judged by its stored measurements. Raises UsageError, EngineProblem."""
    evidence = evidence_of(db, claim, size)
    played = {one.name: pairs_of(db, one, size) for one in claim.contests}
    findings, weighed = judge(claim, evidence, played)
    return ClaimRow(
        claim=claim.number,
        game=claim.game,
        title=claim.title,
        statement=claim.statement,
        source=claim.source,
        size=size,
        parts=list(map(_part_row, findings)),
        further=[FurtherRow(text=text, **_figure_row(one)) for text, one in weighed.further],
        chart=_chart_row(weighed.drawing),
        runs=[
            _run_row(run_of(db, one, size), evidence[one.name].plan) for one in claim.experiments
        ],
        matches=[
            _match_row(event_of(db, one, size), one.settings(size), played[one.name])
            for one in claim.contests
        ],
    )


def _part_row(finding: Finding) -> PartRow:
    part = finding.part
    return PartRow(
        part=part.key,
        text=part.text,
        relation=part.relation,
        threshold=part.threshold,
        verdict=finding.verdict,
        resolution=finding.resolution,
        **_figure_row(finding.figure),
    )


def _figure_row(figure: Figure) -> FigureRow:
    return FigureRow(estimate=figure.estimate, low95=figure.low95, high95=figure.high95, n=figure.n)


def _chart_row(drawing: Drawing) -> ChartRow:
    return ChartRow(
        across=drawing.across,
        up=drawing.up,
        reference=drawing.reference,
        logarithmic=drawing.logarithmic,
        points=[
            PointRow(series=one.series, at=one.at, **_figure_row(one.figure))
            for one in drawing.points
        ],
    )


def _run_row(record: LabRunRecord, plan: LabPlan) -> ClaimRunRow:
    return ClaimRunRow(
        run=record.name,
        engines=plan.names,
        suite=plan.suite,
        suite_id=plan.suite_id,
        positions=len(plan.positions),
        depths=list(plan.depths),
        searches=plan.searches,
        version=record.version,
        backend=record.backend,
        signature=record.signature,
        ended_at=record.ended_at,
    )


def _match_row(record: EventRecord, settings: EventSettings, pairs: Pairs) -> ClaimMatchRow:
    return ClaimMatchRow(
        event=record.name,
        engines=[player.label for player in settings.players],
        limit=settings.limit.spelling,
        pairs=settings.pairs,
        pentanomial=list(pairs),
        book=settings.book.name,
        book_slice=str(settings.book.slice),
        seed=settings.seed,
        version=record.version,
        backend=record.backend,
        signature=record.signature,
        ended_at=record.ended_at,
    )
