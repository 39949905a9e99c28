"""What an exact search of a position to a depth costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict

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


class DepthEffort(Struct, frozen=True):
    """Cost and result of one iteration."""

    depth: int
    value: int
    move: str
    first_guess: int | None
    interior: int
    leaves: int
    quiescence: int
    probes: int
    hits: int
    cutoffs: int
    cpu_us: int
    """CPU time of the searching thread."""
    move_value: int | None
    """Exact value of ``move``, searched apart, for a driver that proves a move; else None."""
    passes: tuple[Pass, ...]
    wall_us: int | None = None
    """Time on the clock; None for searches of versions that did not store it."""

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

    def to_json(self) -> list[Any]:
        """The fields in their order: as the database keeps them."""
        return list((asdict(self) | {"passes": self.stored_passes()}).values())

    def stored_passes(self) -> list[list[Any]]:
        """The passes as the database keeps them."""
        return [
            [one.alpha, one.beta, one.value, one.nodes, *([one.move] if one.move else [])]
            for one in self.passes
        ]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        known = dict(zip(cls.__struct_fields__, data, strict=False))
        return cls(**known | {"passes": tuple(Pass(*one) for one in known["passes"])})


class Effort(Cost, frozen=True):
    """Cost of one exact search: of all iterations from depth 1 together."""

    passes: int
    value: int
    """Of the last iteration, from the side to move."""
    iterations: tuple[DepthEffort, ...] = ()
    """Only if requested."""
