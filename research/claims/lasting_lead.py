"""Claim 19: MTD(f) stays ahead of PVS with ten times the nodes."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Weighed
from claims.contests import FALSE, Contest, Played, figure_of_pairs
from claims.superseded import UNITS
from engines.limit import Limit

_HYPOTHESES = 3
"""Written down before the games: MTD(f) is ahead at 50,000 nodes, at 50 ms of CPU time, and at
20 ms with two threads. Only the first is played, so it is tested at a third of 5 % (Bonferroni);
Holm's procedure would need all three."""
_CONTEST = Contest(
    "mtdf-pvs-nodes-50000", *UNITS["nodes"], Limit(nodes=50_000), {"quick": 2, "full": 2_000}, 1906
)


def _weigh(played: Played) -> Weighed:
    figure = figure_of_pairs(played[_CONTEST.name], FALSE / _HYPOTHESES)
    return Weighed(
        figures={"nodes-50000": figure},
        drawing=ClaimChart(
            across="Limit of a move",
            up="Elo of MTD(f) over PVS",
            points=[ChartPoint.of("nodes", "50,000 nodes", figure)],
            reference=0.0,
        ),
    )


CLAIM = Claim(
    number=19,
    title="MTD(f) stays ahead with ten times the nodes",
    statement="With the parameters of claim 17, which were tuned at 3,000 nodes, MTD(f) plays "
    "better than PVS also at 50,000 nodes a move.",
    source="our own: what holds near the limit of the studies may not hold far from it",
    experiments=(),
    parts=(
        ClaimPart(
            "nodes-50000",
            "Elo of MTD(f) over PVS, 50,000 nodes a move (Bonferroni over three)",
            "above",
            0.0,
        ),
    ),
    contests=(_CONTEST,),
    weigh_games=_weigh,
    found="At 50,000 nodes a move MTD(f) has {nodes-50000} Elo over PVS.",
    by_game="Both engines have what their studies at 3,000 nodes recommended.",
)
