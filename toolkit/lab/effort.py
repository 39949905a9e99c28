"""What an exact search of a position to a depth costs."""

from __future__ import annotations

from typing import Annotated, Any, Self

from msgspec import Struct, to_builtins

from engines.spec import Iteration, Pass

NODE_COUNTS = ("interior", "leaves", "quiescence")
"""All kinds of nodes."""


class Cost(Struct, frozen=True):
    """What was searched."""

    interior: int
    leaves: int
    quiescence: int
    """Nodes below the leaves."""
    cpu_us: int
    """CPU time of the searching thread."""

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.interior + self.leaves + self.quiescence


class IterationCounts(Struct, frozen=True, kw_only=True):
    """What was counted in one iteration, and its value."""

    depth: Annotated[int, "depth of the iteration"]
    value: Annotated[int, "its value; a lower bound for drivers that prove a move"]
    first_guess: Annotated[int | None, "first guess; null if the driver has none"]
    interior: Annotated[int, "interior nodes"]
    leaves: Annotated[int, "leaves"]
    quiescence: Annotated[int, "nodes below the leaves"]
    probes: Annotated[int, "positions looked up in the table"]
    hits: Annotated[int, "positions found in the table"]
    cutoffs: Annotated[int, "nodes cut off by the table"]


class IterationCost(IterationCounts, frozen=True, kw_only=True):
    """Cost and result of one iteration."""

    move: Annotated[str, "best move, UCI"]
    move_value: Annotated[
        int | None, "exact value of the move, for drivers that prove a move; else null"
    ]
    cpu_us: Annotated[int, "CPU time in microseconds"]
    wall_us: Annotated[int, "time on the clock in microseconds"]


class DepthEffort(IterationCost, frozen=True, kw_only=True):
    """One iteration with its passes."""

    passes: tuple[Pass, ...]

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.interior + self.leaves + self.quiescence

    @classmethod
    def of(cls, iteration: Iteration, cpu_us: int, move_value: int | None) -> Self:
        """The cost of a finished iteration."""
        names = cls.__struct_fields__
        known = {name: getattr(iteration, name) for name in names if hasattr(iteration, name)}
        return cls(cpu_us=cpu_us, move_value=move_value, wall_us=iteration.time_us, **known)

    def to_json(self) -> dict[str, Any]:
        """The fields by name, as the database keeps them; of a pass, those that are known."""
        told = to_builtins(self)
        passes = [{name: one[name] for name in one if one[name] is not None}
                  for one in told["passes"]]  # fmt: skip
        return {**told, "passes": passes}


class Effort(Cost, frozen=True):
    """Cost of one exact search: of all iterations from depth 1 together."""

    passes: int
    value: int
    """Of the last iteration, from the side to move."""
    iterations: tuple[DepthEffort, ...] = ()
    """Only if requested."""
