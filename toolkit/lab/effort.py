"""What an exact search of a position to a depth costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from engines.spec import Iteration, Pass

_PASSES = 12
"""The place of the passes in a stored iteration."""


@dataclass(frozen=True, slots=True)
class DepthEffort:
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
        names = ("depth", "value", "move", "first_guess", "interior", "leaves", "quiescence")
        counts = ("probes", "hits", "cutoffs")
        known = {name: getattr(iteration, name) for name in (*names, *counts)}
        return cls(
            **known,
            cpu_us=cpu_us,
            move_value=move_value,
            passes=iteration.passes,
            wall_us=iteration.time_us,
        )

    def to_json(self) -> list[Any]:
        """The fields in their order: as the database keeps them."""
        return [
            *(self.depth, self.value, self.move, self.first_guess),
            *(self.interior, self.leaves, self.quiescence),
            *(self.probes, self.hits, self.cutoffs),
            *(self.cpu_us, self.move_value),
            *(self.stored_passes(), self.wall_us),
        ]

    def stored_passes(self) -> list[list[Any]]:
        """The passes as the database keeps them."""
        return [
            [one.alpha, one.beta, one.value, one.nodes, *([one.move] if one.move else [])]
            for one in self.passes
        ]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        before, passes, after = data[:_PASSES], data[_PASSES], data[_PASSES + 1 :]
        fields: list[Any] = [*before, tuple(Pass(*one) for one in passes), *after]
        return cls(*fields)


@dataclass(frozen=True, slots=True)
class Effort:
    """Cost of one exact search: of all iterations from depth 1 together."""

    interior: int
    leaves: int
    quiescence: int
    """Nodes below the leaves."""
    passes: int
    cpu_us: int
    """CPU time of the searching thread."""
    value: int
    """Of the last iteration, from the side to move."""
    iterations: tuple[DepthEffort, ...] = ()
    """Only if requested."""

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.interior + self.leaves + self.quiescence
