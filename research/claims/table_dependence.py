"""Claim 10: MTD(f) depends on its table."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF, OPEN
from claims.experiment import Experiment, Size, sample
from claims.measured import Figure, Measured, figure_of_ratios, nodes
from toolkit.lab.fixed import altered, engines_of
from toolkit.lab.plan import LabPlan, compare_plan
from toolkit.lab.suite import Suite

WITHOUT = "hash=0"
_SIZES = {"quick": (8, 10, 12), "full": (10, 12, 14, 16)}
"""Powers of two: entries of the table, from about one for a hundred nodes of PVS to one for each
few of them."""


def table_sample(size: Size) -> Suite:
    """The positions of the experiment: with fewer than 86, no change of a share could be shown to
    be smaller than one in twenty."""
    return sample(size, quick=90, full=160)


def table_depths(size: Size) -> list[int]:
    """The depths of the experiment."""
    return [*range(2, (5 if size == "quick" else 7) + 1)]


def _plan(size: Size) -> LabPlan:
    tables = (WITHOUT, *(f"entries={2**power}" for power in _SIZES[size]))
    texts = [MTDF, *(altered(text, table) for text in (MTDF, OPEN) for table in tables)]
    (baseline,) = engines_of(OPEN)
    return compare_plan(engines_of(*texts), table_sample(size), table_depths(size), baseline)


TABLE = Experiment("table", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[TABLE.name]
    least, *_, most = sizes = _sizes_of(found)
    return Weighed(
        figures={
            "off": found.ratio(altered(MTDF, WITHOUT), MTDF, nodes),
            "off-more": _loss_over_pvs(found, WITHOUT),
            "small-more": _loss_over_pvs(found, _entries(least)),
            "level": found.ratio(altered(MTDF, _entries(most)), MTDF, nodes),
        },
        further=[
            ("nodes of PVS without a table over those with 16 MB",
             found.ratio(altered(OPEN, WITHOUT), OPEN, nodes)),
            (f"nodes of MTD(f) with {least} entries over those with 16 MB",
             found.ratio(altered(MTDF, _entries(least)), MTDF, nodes)),
            (f"nodes of PVS with {least} entries over those with 16 MB",
             found.ratio(altered(OPEN, _entries(least)), OPEN, nodes)),
        ],
        drawing=ClaimChart(
            across="Table, entries",
            up="All nodes over those with a table of 16 MB",
            points=[
                ChartPoint.of(text, at, found.ratio(altered(text, table), text, nodes))
                for text in (MTDF, OPEN)
                for at, table in (
                    ("none", WITHOUT),
                    *((f"2^{one.bit_length() - 1}", _entries(one)) for one in sizes),
                )
            ],
            reference=1.0,
            logarithmic=True,
        ),
    )  # fmt: skip


def _sizes_of(found: Measured) -> list[int]:
    """The table sizes of a measurement, ascending."""
    values = {int(one.variant.parameters["entries"]) for one in found.plan.engines}
    return sorted(values - {0})


def _entries(count: int) -> str:
    return f"entries={count}"


def _loss_over_pvs(found: Measured, table: str) -> Figure:
    """By how much MTD(f) with that table loses more than PVS with it."""
    own, other = (found.logs(altered(text, table), text, nodes) for text in (MTDF, OPEN))
    return figure_of_ratios(own, other)


CLAIM = Claim(
    number=10,
    title="MTD(f) depends on its table",
    statement="Each pass of MTD(f) searches again what the table has lost, so MTD(f) needs its "
    "table more than PVS does; beyond a moderate size more memory gains nothing.",
    source="Plaat's page on MTD(f), 1997; Plaat, Schaeffer, Pijls and de Bruin, Artificial "
    "Intelligence 87, 1996, section on memory; encyclopaedia articles on MTD(f)",
    experiments=(TABLE,),
    parts=(
        # To depend on something is to need twice the effort without it.
        ClaimPart("off", "nodes of MTD(f) without a table over those with 16 MB", "above", 2.0),
        # More than PVS: by what a look at a table of results would show, a tenth.
        ClaimPart(
            "off-more", "what MTD(f) loses without a table, over what PVS loses", "above", 1.1
        ),
        ClaimPart(
            "small-more",
            "what MTD(f) loses with the smallest table, over what PVS loses",
            "above",
            1.1,
        ),
        # Level: what more memory saves is less than 2 %.
        ClaimPart(
            "level",
            "nodes of MTD(f) with the largest table of the chart over those with 16 MB",
            "below",
            1.02,
        ),
    ),
    weigh=_weigh,
    found="Without a table MTD(f) searches {off} times the nodes, a loss {off-more} times that "
    "of PVS. More memory than 16 MB gains nothing: {level}.",
)
