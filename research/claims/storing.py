"""Claim 16: storing results saves "drastically" at "minimal" harm."""

from __future__ import annotations

from claims.claim import ChartPoint, Claim, ClaimChart, ClaimPart, Evidence, Weighed
from claims.engines import MTDF, OPEN
from claims.experiment import Experiment, Size
from claims.measured import (
    Figure,
    Measured,
    figure_of_gain,
    figure_of_share,
    nodes,
)
from claims.table_dependence import (
    TABLE,
    WITHOUT,
    table_depths,
    table_sample,
)
from toolkit.lab.fixed import altered, engines_of
from toolkit.lab.plan import LabPlan, compare_plan

_ALIKE = "internal_reduction=0,singular_extension=0"
"""Both need table moves, so without a table they would search other trees."""
_DRIVERS = (OPEN, MTDF)
_DEEPER = 2
"""Plies by which the selective searches, which are cheaper, go deeper than the exact ones."""
_DRASTIC = 0.5
"""At least every second node saved."""
_MINIMAL = 0.05
"""Of the positions, one in twenty."""
_GREAT = 10
"""Centipawns from which values differ: about what a tempo is worth."""


def selective(text: str) -> str:
    """The name of an engine that searches alike with and without a table."""
    return altered(text, _ALIKE)


def _plan(size: Size) -> LabPlan:
    texts = [selective(text) for text in _DRIVERS]
    bare = [altered(text, WITHOUT) for text in texts]
    (baseline,) = engines_of(bare[0])
    return compare_plan(
        engines_of(*texts, *bare[1:]),
        table_sample(size),
        [*range(2, table_depths(size)[-1] + _DEEPER + 1)],
        baseline,
        mode="selective",
    )


SELECTIVE = Experiment("table-selective", _plan)


def _weigh(evidence: Evidence) -> Weighed:
    exact, found = evidence[TABLE.name], evidence[SELECTIVE.name]
    own, bare = selective(OPEN), altered(selective(OPEN), WITHOUT)
    return Weighed(
        figures={
            "exact": exact.ratio(OPEN, altered(OPEN, WITHOUT), nodes),
            "selective": found.ratio(own, bare, nodes),
            "moves": _share_of_moves(found, own, bare),
            "values": _share_of_values(found, own, bare),
            "right": _agreement_gained(exact, found, own, bare),
        },
        further=[
            (f"nodes with a table over without, exact, {MTDF}",
             exact.ratio(MTDF, altered(MTDF, WITHOUT), nodes)),
            (f"nodes with a table over without, selective, {MTDF}",
             found.ratio(selective(MTDF), altered(selective(MTDF), WITHOUT), nodes)),
            (f"another move, {MTDF} with a table and without",
             _share_of_moves(found, selective(MTDF), altered(selective(MTDF), WITHOUT))),
            (f"another move without a table, {OPEN} and {MTDF}",
             _share_of_moves(found, bare, altered(selective(MTDF), WITHOUT))),
            *((f"the move of the exact search, {how} a table",
               _share_of_rights(exact, found, engine))
              for how, engine in (("with", own), ("without", bare))),
        ],
        drawing=ClaimChart(
            across="Depth",
            up="All nodes with a table over those without",
            points=[
                ChartPoint.of(
                    f"{text}, {mode}",
                    depth,
                    measured.ratio(name(text), altered(name(text), WITHOUT), nodes, depth),
                )
                for mode, measured, name in (("exact", exact, str), ("selective", found, selective))
                for text in _DRIVERS
                for depth in measured.plan.depths
            ],
            reference=1.0,
            logarithmic=True,
        ),
    )  # fmt: skip


def _share_of_moves(found: Measured, own: str, other: str) -> Figure:
    """The share of positions in which two searches found different moves."""
    differ = [one.iteration.move != two.iteration.move for _, one, two in found.pairs(own, other)]
    return figure_of_share(sum(differ), len(differ))


def _share_of_values(found: Measured, own: str, other: str) -> Figure:
    """The share of positions in which two searches found values that differ by much."""
    differ = [
        abs(one.iteration.value - two.iteration.value) >= _GREAT
        for _, one, two in found.pairs(own, other)
    ]
    return figure_of_share(sum(differ), len(differ))


def _rights(exact: Measured, found: Measured, engine: str) -> dict[int, bool]:
    """Whether an engine found the move of the exact search of the same depth, by position."""
    truth = exact.costs(OPEN)
    return {
        place: cost.iteration.move == truth[place].iteration.move
        for place, cost in found.costs(engine, exact.depth).items()
        if place in truth
    }


def _share_of_rights(exact: Measured, found: Measured, engine: str) -> Figure:
    """How often an engine finds the move of the exact search."""
    rights = _rights(exact, found, engine).values()
    return figure_of_share(sum(rights), len(rights))


def _agreement_gained(exact: Measured, found: Measured, own: str, other: str) -> Figure:
    """How much more often, as a share of positions, one finds the move of the exact search."""
    one, two = (_rights(exact, found, engine) for engine in (own, other))
    changes = [one[place] - two[place] for place in one if place in two]
    return figure_of_gain(changes.count(1), changes.count(-1), len(changes))


CLAIM = Claim(
    number=16,
    title="Storing results saves drastically at minimal harm",
    statement="Storing the results of positions saves nodes \"drastically\"; where the search "
    "prunes, so that stored results change its values and moves, the harm is \"minimal\".",
    source="Encyclopaedia articles on transposition tables and MTD(f); savings: Plaat, Schaeffer, "
    "Pijls and de Bruin, Artificial Intelligence 87, 1996 (chess: to a quarter at depth 9)",
    experiments=(TABLE, SELECTIVE),
    parts=(
        ClaimPart("exact", "nodes of PVS with a table over without, exact", "below", _DRASTIC),
        ClaimPart("selective", "nodes of PVS with a table over without, selective", "below",
                  _DRASTIC),
        ClaimPart("moves", "share of positions with another move, selective", "below", _MINIMAL),
        ClaimPart("values", f"share of values that differ by {_GREAT} or more, selective", "below",
                  _MINIMAL),
        ClaimPart("right", "share of moves of the exact search, gained by the table", "above",
                  -_MINIMAL),
    ),
    weigh=_weigh,
    found="PVS with a table searches {exact} times the nodes without one, and {selective} in "
    "selective search. There the table changes {moves} of the moves, and {values} of the "
    "values by 10 or more.",
)  # fmt: skip
