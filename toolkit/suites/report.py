"""Results of a suite: of each engine, of the first against each other one, and by position."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Annotated, Any, Literal

from msgspec import Struct
from msgspec.structs import asdict

from db.records.laboratory import LabRunRecord
from db.session import Database
from engines.rules.catalog import rules_of
from toolkit.base.errors import DatabaseProblem
from toolkit.lab.views import LabRunRow, maker_notes, run_row
from toolkit.stats.bootstrap import mean_interval
from toolkit.stats.proportions import clopper_pearson, mcnemar
from toolkit.suites.positions import Answer
from toolkit.suites.run import steps_of, stored_suite
from toolkit.suites.scoring import Score, score

RESAMPLES = 4000
SEED = 1
"""Of the bootstrap, so that a report can be repeated."""
_SURE = 0.05
Verdict = Literal["better", "worse", "no difference shown"]


class SuiteRow(Struct, frozen=True):
    """Results of one engine."""

    engine: Annotated[str, "label"]
    engine_id: Annotated[str, "identity of the engine"]
    limit: Annotated[str, "limit of its searches"]
    solved: Annotated[int, "solved positions"]
    searched: Annotated[int, "positions that it searched"]
    share: Annotated[float | None, "share of solved positions"]
    share_low95: Annotated[float, "lower end of its exact 95 % interval (Clopper-Pearson)"]
    share_high95: Annotated[float, "upper end"]
    points: Annotated[int | None, "points of its moves; null for a suite without points"]
    points_most: Annotated[int | None, "points of the best moves in the searched positions"]
    points_low95: Annotated[
        float | None, "lower end of the 95 % bootstrap interval of its points over positions"
    ]
    points_high95: Annotated[float | None, "upper end"]
    solution_nodes: Annotated[
        int | None, "nodes to the solution that stayed, median over its solved positions"
    ]
    solution_ms: Annotated[float | None, "milliseconds to it, median"]
    solution_depth: Annotated[float | None, "depth at which it was found, median"]
    nodes: Annotated[int, "nodes of all searches"]
    cpu_us: Annotated[int, "CPU time of all searches in microseconds"]


class SuitePair(Struct, frozen=True):
    """Another engine compared with the first one, over the positions that both searched."""

    engine: Annotated[str, "label"]
    first: Annotated[str, "label of the first engine"]
    positions: Annotated[int, "positions that both searched"]
    both: Annotated[int, "solved by both"]
    only_engine: Annotated[int, "solved by this one only"]
    only_first: Annotated[int, "solved by the first one only"]
    neither: Annotated[int, "solved by neither"]
    p_value: Annotated[float, "exact two-sided McNemar test that both solve equally well"]
    verdict: Annotated[Verdict, "on solved positions at 5 %"]
    points: Annotated[float | None, "points a position above the first one's"]
    points_low95: Annotated[float | None, "lower end of its 95 % paired bootstrap interval"]
    points_high95: Annotated[float | None, "upper end"]
    points_verdict: Annotated[Verdict | None, "on points; null for a suite without points"]


class SuiteReport(LabRunRow, frozen=True):
    """A run of a suite with its results."""

    rows: Annotated[list[SuiteRow], "one row per engine"]
    pairs: Annotated[list[SuitePair], "one row per engine but the first"]
    notes: Annotated[list[str], "remarks needed to interpret the numbers; usually empty"]


class SuiteSearchRow(Struct, frozen=True):
    """One search of a run of a suite."""

    engine: Annotated[str, "label"]
    position: Annotated[str, "label of the position"]
    fen: Annotated[str, "the position"]
    answer: Annotated[str, "moves that solve it, or are to be avoided, and the length of a mate"]
    move: Annotated[str, "move of the engine as people write it"]
    solved: Annotated[bool, "whether it solves the position"]
    points: Annotated[int | None, "its points"]
    solution_depth: Annotated[int | None, "depth from which the solution stayed; null: unsolved"]
    solution_nodes: Annotated[int | None, "nodes until then"]
    solution_ms: Annotated[float | None, "milliseconds until then"]
    depth: Annotated[int, "last depth"]
    nodes: Annotated[int, "all nodes"]
    time_ms: Annotated[float, "time of the whole search in milliseconds"]
    engine_id: Annotated[str, "identity of the engine"]


def suite_report(db: Database, record: LabRunRecord) -> SuiteReport:
    """One run with its results so far. Raises DatabaseProblem."""
    plan = stored_suite(record)
    searches = db.repository.lab_searches(record.id)
    scores = [dict[int, Score]() for _ in plan.contenders]
    for one in searches:
        scores[one.engine][one.position] = score(_answer(plan.answers, one.position), steps_of(one))
    rows = []
    for number, contender in enumerate(plan.contenders):
        own = [one for one in searches if one.engine == number]
        rows.append(
            SuiteRow(
                engine=contender.label,
                engine_id=contender.id,
                limit=plan.limits[number].spelling,
                **_shares(plan.answers, scores[number]),
                nodes=sum(one.interior for one in own),
                cpu_us=sum(one.cpu_us for one in own),
            )
        )
    labels = [one.label for one in plan.contenders]
    row = run_row(db, record, labels, len(plan.answers), len(searches))
    return SuiteReport(
        **asdict(row),
        rows=rows,
        pairs=[
            _pair(labels[0], scores[0], *one) for one in zip(labels[1:], scores[1:], strict=True)
        ],
        notes=maker_notes(record),
    )


def _answer(answers: Sequence[Answer], position: int) -> Answer:
    if position >= len(answers):
        raise DatabaseProblem(f"the run has no answer for position {position}: it is damaged")
    return answers[position]


def _shares(answers: Sequence[Answer], scores: dict[int, Score]) -> dict[str, Any]:
    """The fields of a row that follow from the scores."""
    solved, searched = sum(one.solved for one in scores.values()), len(scores)
    low, high = clopper_pearson(solved, searched) if searched else (0.0, 1.0)
    found = [one.solution for one in scores.values() if one.solution is not None]
    points = {place: one.points for place, one in scores.items() if one.points is not None}
    ends = mean_interval(list(points.values()), size=RESAMPLES, seed=SEED) if points else None
    most = sum(max((answers[place].points or {}).values(), default=0) for place in points)
    return {
        "solved": solved,
        "searched": searched,
        "share": solved / searched if searched else None,
        "share_low95": low,
        "share_high95": high,
        "points": sum(points.values()) if points else None,
        "points_most": most if points else None,
        "points_low95": None if ends is None else max(ends[0] * len(points), 0.0),
        "points_high95": None if ends is None else min(ends[1] * len(points), float(most)),
        "solution_nodes": round(median(one.nodes for one in found)) if found else None,
        "solution_ms": median(one.wall_us for one in found) / 1000 if found else None,
        "solution_depth": median(one.depth for one in found) if found else None,
    }


def _pair(first: str, firsts: dict[int, Score], engine: str, others: dict[int, Score]) -> SuitePair:
    common = sorted(set(firsts) & set(others))
    told = [(others[place].solved, firsts[place].solved) for place in common]
    only, only_first = told.count((True, False)), told.count((False, True))
    p_value = mcnemar(only_first, only)
    gaps = [
        own - other
        for own, other in ((others[place].points, firsts[place].points) for place in common)
        if own is not None and other is not None
    ]
    ends = mean_interval(gaps, size=RESAMPLES, seed=SEED)
    low, high = ends or (None, None)
    return SuitePair(
        engine=engine,
        first=first,
        positions=len(common),
        both=told.count((True, True)),
        only_engine=only,
        only_first=only_first,
        neither=told.count((False, False)),
        p_value=p_value,
        verdict=_verdict(p_value < _SURE, only > only_first),
        points=sum(gaps) / len(gaps) if gaps else None,
        points_low95=low,
        points_high95=high,
        points_verdict=(
            _verdict(ends is not None and (ends[0] > 0 or ends[1] < 0), sum(gaps) > 0)
            if gaps
            else None
        ),
    )


def _verdict(is_sure: bool, is_better: bool) -> Verdict:
    if not is_sure:
        return "no difference shown"
    return "better" if is_better else "worse"


def suite_search_rows(db: Database, record: LabRunRecord) -> list[SuiteSearchRow]:
    """Every stored search of a run, by position. Raises DatabaseProblem."""
    plan = stored_suite(record)
    rules, positions = rules_of(plan.game), db.repository.lab_positions(record.id)
    boards = [rules.board(one.fen) for one in positions]
    rows = []
    for one in sorted(
        db.repository.lab_searches(record.id), key=lambda one: (one.position, one.engine)
    ):
        answer, steps = _answer(plan.answers, one.position), steps_of(one)
        found, board = score(answer, steps), boards[one.position]
        names = {rules.move_name(code): board.spelled(code) for code in board.moves()}
        solution = found.solution
        rows.append(
            SuiteSearchRow(
                engine=plan.contenders[one.engine].label,
                position=positions[one.position].label,
                fen=positions[one.position].fen,
                answer=_told(answer, names),
                move=names.get(one.move, one.move),
                solved=found.solved,
                points=found.points,
                solution_depth=None if solution is None else solution.depth,
                solution_nodes=None if solution is None else solution.nodes,
                solution_ms=None if solution is None else solution.wall_us / 1000,
                depth=one.depth,
                nodes=one.interior,
                time_ms=steps[-1].wall_us / 1000,
                engine_id=plan.contenders[one.engine].id,
            )
        )
    return rows


def _told(answer: Answer, names: dict[str, str]) -> str:
    """An answer in words: ``Qd5``, ``not Kb3``, ``mate in 3``."""
    best = answer.best
    if not best and not answer.avoid and answer.points:
        most = max(answer.points.values())
        best = tuple(move for move, points in answer.points.items() if points == most)
    parts = [" or ".join(names.get(move, move) for move in best)] if best else []
    parts += [f"not {names.get(move, move)}" for move in answer.avoid]
    if answer.mate is not None:
        parts.append(f"mate in {answer.mate}")
    return ", ".join(parts)
