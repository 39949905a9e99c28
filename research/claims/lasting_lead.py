"""Claim 19: MTD(f) stays ahead of PVS with ten times the effort, and with two threads."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Weighed
from claims.contests import Contest, Played, holm
from claims.superseded import UNITS
from engines.limit import Limit

_ONE, _OTHER = UNITS["CPU time"]
_THREADS = f"{_ONE},threads=2", f"{_OTHER},threads=2"
_LIMITS = {
    "nodes-50000": ("50,000 nodes", UNITS["nodes"], Limit(nodes=50_000), 2_000),
    "cpu-50": ("50 ms of CPU time", UNITS["CPU time"], Limit(cpu_ms=50), 2_000),
    "threads-20": ("two threads at 20 ms", _THREADS, Limit(movetime_ms=20), 1_000),
}
"""What a move may cost, with the engines and the pairs in full size."""
_CONTESTS = tuple(
    Contest(f"mtdf-pvs-{name}", *engines, limit, {"quick": 2, "full": full}, 1906 + place)
    for place, (name, (_, engines, limit, full)) in enumerate(_LIMITS.items())
)


def _weigh(played: Played) -> Weighed:
    judged = holm([played[one.name] for one in _CONTESTS])
    figures = dict(zip(_LIMITS, judged, strict=True))
    return Weighed(
        figures=figures,
        drawing=ClaimChart(
            across="Limit of a move",
            up="Elo over PVS",
            points=[
                ChartPoint.of("MTD(f)", _LIMITS[name][0], figure)
                for name, figure in figures.items()
            ],
            reference=0.0,
        ),
    )


CLAIM = Claim(
    number=19,
    title="MTD(f) stays ahead with ten times the effort",
    statement="With the parameters of claim 17, which were tuned at 3,000 nodes and at 3 ms of CPU "
    "time, MTD(f) plays better than PVS also at ten times the limits of that claim, and with two "
    "threads.",
    source="our own: what holds near the limit of the studies may not hold far from it",
    experiments=(),
    parts=tuple(
        ClaimPart(name, f"Elo of MTD(f) over PVS, {spelled} a move (Holm)", "above", 0.0)
        for name, (spelled, *_) in _LIMITS.items()
    ),
    contests=_CONTESTS,
    weigh_games=_weigh,
    found="MTD(f) has {nodes-50000} Elo over PVS at 50,000 nodes a move, {cpu-50} at 50 ms of CPU "
    "time, and {threads-20} with two threads at 20 ms.",
    by_game="Both engines have what their studies at 3,000 nodes or at 3 ms recommended.",
)
