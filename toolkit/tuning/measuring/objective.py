"""What a study makes better."""

from __future__ import annotations

import re
from typing import Literal, Self

from msgspec import Struct

from toolkit.base.errors import UsageError

ObjectiveKind = Literal["elo", "nodes", "time", "simulated"]


class Objective(Struct, frozen=True, omit_defaults=True):
    """``elo``: strength in games. ``nodes``, ``time``: effort of exact searches to a depth.
    ``simulated``: a function in place of games."""

    kind: ObjectiveKind
    module: str | None = None
    function: str | None = None
    """Where a simulated objective is."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The objective of a text such as ``elo`` or ``simulated:landscapes:rough``. Raises
        UsageError."""
        if text == "elo":
            return cls("elo")
        if text == "nodes":
            return cls("nodes")
        if text == "time":
            return cls("time")
        match = re.fullmatch(r"simulated:([\w.]+):(\w+)", text)
        if match is None:
            raise UsageError(
                f"objective `{text}`: expected elo, nodes, time or simulated:MODULE:FUNCTION"
            )
        return cls("simulated", match[1], match[2])

    def __str__(self) -> str:
        return ":".join(part for part in (self.kind, self.module, self.function) if part)

    @property
    def is_effort(self) -> bool:
        """Whether less is better and positions take the place of pairs."""
        return self.kind in ("nodes", "time")

    @property
    def deterministic(self) -> bool:
        """Whether measuring a point again on the same positions says nothing new."""
        return self.kind == "nodes"
