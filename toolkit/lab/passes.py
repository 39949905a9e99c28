"""The passes of an iteration as rows, with what is known after each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Struct
from msgspec.structs import asdict

from engines.spec import MATE, Iteration, Pass

if TYPE_CHECKING:
    from toolkit.lab.effort import DepthEffort


class TracePassRow(Struct, frozen=True):
    """One pass."""

    depth: Annotated[int, "depth of its iteration"]
    number: Annotated[int, "number of the pass in the iteration, from 1"]
    alpha: Annotated[int | None, "values up to alpha fail low; null if open"]
    beta: Annotated[int | None, "values from beta on fail high; null if open"]
    value: Annotated[int, "returned fail-soft value"]
    fails: Annotated[str | None, "`high`, `low`, or null if the value lies inside the window"]
    lower: Annotated[int | None, "lower bound of the value after the pass; null if none"]
    upper: Annotated[int | None, "upper bound of the value after the pass; null if none"]
    nodes: Annotated[int, "nodes of all kinds"]
    move: Annotated[str | None, "root move, if only one was searched; null if all were"]
    best: Annotated[str | None, "best root move after the pass, if known, UCI"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found in the table"]
    expanded: Annotated[
        int | None, "interior nodes whose moves were searched; null if too many to count"
    ]
    re_expanded: Annotated[
        int | None,
        "expanded nodes whose position had already been expanded at the same depth, in this pass "
        "or an earlier pass of the iteration; null if too many to count",
    ]


def pass_rows(iteration: Iteration | DepthEffort) -> list[TracePassRow]:
    """The passes of an iteration with the bounds known after each; if only one root move was
    searched, the bounds are those of this move."""
    known: dict[str | None, tuple[int, int]] = {}
    rows = []
    for number, one in enumerate(iteration.passes, 1):
        lower, upper = known.get(one.move, (-MATE - 1, MATE + 1))
        if not one.fails_low:
            lower = max(lower, one.value)
        if not one.fails_high:
            upper = min(upper, one.value)
        known[one.move] = (lower, upper)
        rows.append(
            TracePassRow(
                depth=iteration.depth,
                number=number,
                fails=_fails(one),
                lower=_finite(lower),
                upper=_finite(upper),
                **asdict(one) | {"alpha": _finite(one.alpha), "beta": _finite(one.beta)},
            )
        )
    return rows


def _fails(one: Pass) -> str | None:
    return "high" if one.fails_high else "low" if one.fails_low else None


def _finite(bound: int) -> int | None:
    return None if abs(bound) > MATE else bound
