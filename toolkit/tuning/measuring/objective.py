"""What a study makes better."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, Self

from msgspec import Struct

from engines.registry import PARAMETERS, TREE
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

    def without_effect(self, names: Collection[str]) -> list[str]:
        """Those of the parameters that change no search which it measures: effort is that of exact
        search, games are played with selective search."""
        if self.kind == "simulated":
            return []
        other = "selective:" if self.is_effort else "exact:"
        return [
            name for name in names if name in PARAMETERS and PARAMETERS[name].doc.startswith(other)
        ]

    def warnings(self, names: Collection[str]) -> tuple[str, ...]:
        """Warnings on tuning these parameters: one line for those without effect, and one for those
        by which effort means something else."""
        lines = []
        if idle := self.without_effect(names):
            lines.append(
                f"exact search is not selective, so effort does not depend on {', '.join(idle)}: "
                f"tune {_them(idle)} by elo"
                if self.is_effort
                else f"games are played with selective search, so elo does not depend on "
                f"{', '.join(idle)}: tune {_them(idle)} by nodes or time"
            )
        tree = [name for name in names if name in TREE]
        if tree and self.is_effort:
            lines.append(
                f"{', '.join(tree)} {'changes' if len(tree) == 1 else 'change'} the values "
                "themselves and so the tree: less effort may mean weaker play"
            )
        return tuple(lines)


def _them(names: Collection[str]) -> str:
    return "it" if len(names) == 1 else "them"
