"""A recorded search, as ``trace --record`` prints it and pages play it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct
from msgspec.structs import asdict

from engines.recorded import REASONS, Reason, RecordedTree, TreePlace, Visits
from engines.registry import DRIVERS
from engines.spec import Iteration, Variant
from toolkit.lab.passes import TracePassRow, pass_rows


class RecordedPass(TracePassRow, frozen=True, kw_only=True):
    """A pass of a recorded search."""

    first_visit: Annotated[int | None, "row of its root in `visits`; null if it was left out"]


class Recording(Struct, frozen=True):
    """Every visit of the last iteration of an exact search by the reference backend. Values are
    from the side to move of the node."""

    engine: Annotated[str, "label"]
    driver: Annotated[str, "the driver"]
    game: Annotated[str, "the game; `tree` for a tree made by hand"]
    position: Annotated[str, "the position, or the text of the tree"]
    depth: Annotated[int, "depth of the iteration"]
    value: Annotated[int, "its value; a lower bound for drivers that prove a move"]
    best: Annotated[str, "best move"]
    pv: Annotated[list[str], "principal variation; it may end early where the table decided a node"]
    proves: Annotated[str, "`value` or `move`: what the driver proves"]
    first_guess: Annotated[int | None, "first guess; null if the driver has none"]
    guess_source: Annotated[str | None, "source of the first guess"]
    passes: Annotated[list[RecordedPass], "its passes"]
    moves: Annotated[list[str], "names of moves"]
    reasons: Annotated[list[Reason], "why visits end"]
    visits: Annotated[Visits, "one row a visit"]
    left_out: Annotated[int, "visits that have no row, because there are too many"]
    nodes: Annotated[int, "nodes of all kinds"]
    leaves: Annotated[int, "leaves"]
    cutoffs: Annotated[int, "nodes cut off by the table"]
    hits: Annotated[int, "positions found in the table"]
    tree: Annotated[
        list[TreePlace] | None,
        "of a tree made by hand every place, parents first; null for other games and large trees",
    ]


def recording_of(
    variant: Variant,
    position: str,
    last: Iteration,
    guess_source: str | None,
    recorded: RecordedTree,
    tree: Sequence[TreePlace] | None = None,
) -> Recording:
    """The recording of a search, of which ``last`` is the last iteration."""
    passes = [
        RecordedPass(**asdict(row), first_visit=first)
        for row, first in zip(pass_rows(last), recorded.first_visits, strict=True)
    ]
    return Recording(
        engine=variant.label,
        driver=variant.driver,
        game=variant.game,
        position=position,
        depth=last.depth,
        value=last.value,
        best=last.move,
        pv=list(last.pv),
        proves=DRIVERS[variant.driver].proves,
        first_guess=last.first_guess,
        guess_source=guess_source,
        passes=passes,
        moves=recorded.moves,
        reasons=list(REASONS),
        visits=recorded.visits,
        left_out=recorded.left_out,
        nodes=last.nodes,
        leaves=last.leaves,
        cutoffs=last.cutoffs,
        hits=last.hits,
        tree=None if tree is None else list(tree),
    )
