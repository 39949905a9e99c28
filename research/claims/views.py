"""Judged claims as rows, which are also what is stored of a claim."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import asdict

from claims.claim import Claim, ClaimChart, Finding, judge
from claims.contests import Pairs, event_of, pairs_of
from claims.experiment import Size
from claims.measured import Figure
from claims.running import evidence_of, run_of
from db.records.events import EventRecord
from db.records.laboratory import LabRunRecord
from db.records.runs import RunRecord
from db.session import Database
from toolkit.events.settings import EventSettings
from toolkit.lab.fixed import spelled_out
from toolkit.lab.plan import LabPlan


class FurtherFigure(Figure, frozen=True):
    """A figure that is not judged."""

    text: Annotated[str, "what the figure is"]


class ClaimRunRow(Struct, frozen=True):
    """A run that a claim was judged by."""

    run: Annotated[str, "name of the laboratory run"]
    engines: Annotated[
        list[str], "engines over the preset `claims`, with the distance of given first guesses"
    ]
    suite: Annotated[str, "suite of positions"]
    suite_id: Annotated[str, "hash of the positions"]
    positions: Annotated[int, "number of positions"]
    depths: Annotated[list[int], "compared depths"]
    searches: Annotated[int, "number of searches"]
    version: Annotated[str, "version of mtdf that searched"]
    backend: Annotated[str, "backend: `native` or `reference`"]
    signature: Annotated[str, "core signature"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]


class ClaimMatchRow(Struct, frozen=True):
    """A match that a claim was judged by."""

    event: Annotated[str, "name of the event"]
    engines: Annotated[
        list[str], "the two engines, as on a command line; figures are of the first one"
    ]
    limit: Annotated[str, "limit of a move, as on a command line"]
    pairs: Annotated[int, "game pairs"]
    pentanomial: Annotated[list[int], "pairs by points of the first engine, worst first"]
    book: Annotated[str, "book of openings"]
    book_slice: Annotated[str, "the slice of it that was played"]
    seed: Annotated[int, "seed of the openings"]
    version: Annotated[str, "version of mtdf that played"]
    backend: Annotated[str, "backend: `native` or `reference`"]
    signature: Annotated[str, "core signature"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]


class ClaimRow(Struct, frozen=True):
    """One claim with its verdicts."""

    claim: Annotated[int, "number"]
    game: Annotated[str, "the game in which it was measured"]
    title: Annotated[str, "title"]
    statement: Annotated[str, "what was claimed"]
    source: Annotated[str, "who claimed it, where"]
    size: Annotated[str, "`quick` or `full`"]
    parts: Annotated[list[Finding], "the judged parts"]
    further: Annotated[list[FurtherFigure], "figures that are not judged"]
    chart: Annotated[ClaimChart, "the chart"]
    runs: Annotated[list[ClaimRunRow], "the measurements"]
    matches: Annotated[list[ClaimMatchRow], "the matches"]


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
        parts=findings,
        further=[FurtherFigure(text=text, **asdict(one)) for text, one in weighed.further],
        chart=weighed.drawing,
        runs=[
            _run_row(run_of(db, one, size), evidence[one.name].plan) for one in claim.experiments
        ],
        matches=[
            _match_row(event_of(db, one, size), one.settings(size), played[one.name])
            for one in claim.contests
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
        **_made(record),
    )


def _match_row(record: EventRecord, settings: EventSettings, pairs: Pairs) -> ClaimMatchRow:
    return ClaimMatchRow(
        event=record.name,
        engines=[spelled_out(player.label, settings.game) for player in settings.players],
        limit=settings.limit.spelling,
        pairs=settings.pairs,
        pentanomial=list(pairs),
        book=settings.book.name,
        book_slice=str(settings.book.slice or "all"),
        seed=settings.seed,
        **_made(record),
    )


def _made(record: RunRecord) -> dict[str, Any]:
    """By what it was made, and when."""
    names = "version backend signature ended_at"
    return {name: getattr(record, name) for name in names.split()}
