"""Claim 5: below a critical table size alpha-beta beats SSS*, above it SSS* levels off."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF
from claims.experiment import Experiment, Size, sample
from claims.measured import Measured, leaves, nodes
from toolkit.lab.fixed import altered, engines_of, varied
from toolkit.lab.plan import LabPlan, sweep_plan

_ALPHABETA = "alphabeta"
_ENGINES = ("sss", "dual", MTDF)
_SIZES = {"quick": (6, 8, 10, 12, 14), "full": (8, 10, 12, 14, 16, 18, 20)}
"""Powers of two: entries of the table. The least has room for one node in a hundred or so, the
greatest for all."""


def _plan(size: Size) -> LabPlan:
    suite = sample(size, quick=30, full=60)
    return sweep_plan(
        engines_of(*_ENGINES),
        "entries",
        [str(2**power) for power in _SIZES[size]],
        suite,
        [4 if size == "quick" else 6],
        *engines_of(_ALPHABETA),
        vary_baseline=True,
        vary=varied,
    )


TABLE_SIZES = Experiment("table-sizes", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    found = evidence[TABLE_SIZES.name]
    sizes = sizes_of(found)
    least, nearly, most = sizes[0], sizes[-2], sizes[-1]
    base = {entries: with_entries(_ALPHABETA, entries) for entries in sizes}
    own = {entries: with_entries("sss", entries) for entries in sizes}
    return Weighed(
        figures={
            "small": found.ratio(own[least], base[least], leaves),
            "large": found.ratio(own[most], base[most], leaves),
            "level": found.ratio(own[most], own[nearly], leaves),
            "mtdf-small": found.ratio(with_entries(MTDF, least), base[least], nodes),
        },
        further=[
            (f"all nodes of SSS* over alpha-beta, {least} entries",
             found.ratio(own[least], base[least], nodes)),
            (f"all nodes of SSS* over alpha-beta, {most} entries",
             found.ratio(own[most], base[most], nodes)),
            (f"all nodes of MTD(f) over alpha-beta, {most} entries",
             found.ratio(with_entries(MTDF, most), base[most], nodes)),
        ],
        drawing=ClaimChart(
            across="Table, entries",
            up="Leaves over alpha-beta with the same table",
            points=[
                ChartPoint.of(engine, f"2^{entries.bit_length() - 1}",
                      found.ratio(with_entries(engine, entries), base[entries], leaves))
                for engine in _ENGINES
                for entries in sizes
            ],
            reference=1.0,
            logarithmic=True,
        ),
    )  # fmt: skip


def sizes_of(found: Measured) -> list[int]:
    """The table sizes of a measurement, ascending."""
    values = {engine.value for engine in found.plan.engines if engine.value is not None}
    return sorted(map(int, values))


def with_entries(text: str, entries: int) -> str:
    """The name of an engine with a table of that size."""
    return altered(text, f"entries={entries}")


CLAIM = Claim(
    number=5,
    title="A critical table size",
    statement="Below a critical table size alpha-beta searches fewer leaves than SSS*; above it "
    "SSS* searches fewer, and more memory gains nothing. MTD(f) beats wide-window alpha-beta even "
    "with a small table. (The tables of 2^18 and 2^20 entries were added after a first run in full "
    "size, whose largest one, 2^16, does not hold the whole tree.)",
    source="Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996, section on "
    "memory",
    experiments=(TABLE_SIZES,),
    parts=(
        ClaimPart("small", "leaves of SSS* over alpha-beta, smallest table", "above", 1.0),
        ClaimPart("large", "leaves of SSS* over alpha-beta, largest table", "below", 1.0),
        # Level: four times the memory saves less than 2 %.
        ClaimPart("level", "leaves of SSS*, largest table over a quarter of it", "above", 0.98),
        ClaimPart(
            "mtdf-small", "all nodes of MTD(f) over alpha-beta, smallest table", "below", 1.0
        ),
    ),
    weigh=_weigh,
    found="SSS* searches {small} times the leaves of alpha-beta with the smallest table and "
    "{large} with the largest. MTD(f) with the smallest table searches {mtdf-small} times "
    "the nodes.",
)
