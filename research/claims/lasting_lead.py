"""Claim 19: MTD(f) stays ahead of PVS with ten times the effort, and with two threads."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Weighed
from claims.contests import Contest, Played, holm
from claims.experiment import Size
from claims.superseded import UNITS
from engines.limit import Limit


def _contest(name: str, engines: tuple[str, str], limit: Limit, full: int, seed: int) -> Contest:
    pairs: dict[Size, int] = {"quick": 2, "full": full}
    return Contest(f"mtdf-pvs-{name}", *engines, limit, pairs, seed)


_ONE, _OTHER = UNITS["CPU time"]
_CONTESTS = {
    "nodes-50000": _contest("nodes-50000", UNITS["nodes"], Limit(nodes=50_000), 2_000, 1906),
    "cpu-50": _contest("cpu-50", (_ONE, _OTHER), Limit(cpu_ms=50), 2_000, 1907),
    "threads-20": _contest(
        "threads-20",
        (f"{_ONE},threads=2", f"{_OTHER},threads=2"),
        Limit(movetime_ms=20),
        1_000,
        1908,
    ),
}
_SPELLED = {
    "nodes-50000": "50,000 nodes",
    "cpu-50": "50 ms of CPU time",
    "threads-20": "two threads at 20 ms",
}


def _weigh(played: Played) -> Weighed:
    figures = holm([played[one.name] for one in _CONTESTS.values()])
    judged = dict(zip(_CONTESTS, figures, strict=True))
    return Weighed(
        figures=judged,
        drawing=ClaimChart(
            across="Limit of a move",
            up="Elo over PVS",
            points=[
                ChartPoint.of("MTD(f)", _SPELLED[name], figure) for name, figure in judged.items()
            ],
            reference=0.0,
        ),
    )


CLAIM = Claim(
    number=19,
    title="MTD(f) stays ahead with ten times the effort",
    statement="With the parameters of claim 17, which were tuned at 3,000 nodes and at 3 ms of CPU "
    "time, MTD(f) plays better than PVS also at ten times the limits, and with two threads.",
    source="our own: what holds near the limit of the studies may not hold far from it",
    experiments=(),
    parts=tuple(
        ClaimPart(name, f"Elo of MTD(f) over PVS, {_SPELLED[name]} a move (Holm)", "above", 0.0)
        for name in _CONTESTS
    ),
    contests=tuple(_CONTESTS.values()),
    weigh_games=_weigh,
    found="MTD(f) has {nodes-50000} Elo over PVS at 50,000 nodes a move, {cpu-50} at 50 ms of CPU "
    "time, and {threads-20} with two threads at 20 ms.",
    by_game="Both engines have what their studies at 3,000 nodes or at 3 ms recommended.",
)
