"""The drivers by name: what each does with the root, and the tree below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.reference.drivers.alphabeta import alphabeta
from engines.reference.drivers.bns import bns
from engines.reference.drivers.bounds import MET, Ending, ceil_to_grain
from engines.reference.drivers.convergence import Convergence
from engines.reference.drivers.dual import dual
from engines.reference.drivers.hybrid import hybrid
from engines.reference.drivers.minimax import MinimaxTree, minimax
from engines.reference.drivers.mtd_best import mtd_best
from engines.reference.drivers.mtd_bi import mtd_bi
from engines.reference.drivers.mtd_step import mtd_step
from engines.reference.drivers.mtdf import mtdf
from engines.reference.drivers.negascout import NegaScoutTree, negascout
from engines.reference.drivers.pvs import ScoutTree, pvs
from engines.reference.drivers.sss import sss
from engines.reference.search.nodes import Tree
from engines.reference.search.root import Root
from engines.spec import Value

TREES: dict[str, type[Tree[Any]]] = {
    "alphabeta": Tree,
    "pvs": ScoutTree,
    "mtdf": Tree,
    "negascout": NegaScoutTree,
    "hybrid": ScoutTree,
    "sss": Tree,
    "dual": Tree,
    "mtd-bi": Tree,
    "mtd-step": Tree,
    "mtd-best": Tree,
    "bns": Tree,
    "minimax": MinimaxTree,
}
"""The tree that each driver searches."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a driver knows before an iteration."""

    previous: int | None
    """Value of the last iteration, if there was one."""
    first_guess: int
    """0 for a driver that uses none."""
    parameters: Mapping[str, Value]
    exact: bool = True
    """Whether the value must be found to the last centipawn."""

    def number(self, name: str) -> int:
        """A whole number among the parameters."""
        return int(self.parameters[name])

    @property
    def grain(self) -> int:
        """Values are multiples of this."""
        return self.number("grain")

    @property
    def convergence(self) -> Convergence:
        """How the null windows move."""
        name, above = str(self.parameters["convergence"]), self.parameters["side"] == "above"
        return Convergence(name, self.number("step"), above, self.grain)

    @property
    def first(self) -> int:
        """Where the null windows begin; moved away from the guess, on the grain."""
        wanted = self.first_guess - self.number("below")
        return ceil_to_grain(wanted, self.grain) if self.number("below") else wanted

    @property
    def ending(self) -> Ending:
        """When the null windows end."""
        if self.exact:
            return MET
        reported, reopen = str(self.parameters["reported"]), bool(self.parameters["reopen"])
        return Ending(self.number("tolerance"), reported, self.first_guess, reopen)


ITERATE: dict[str, Callable[[Root[Any], Start], int]] = {
    "alphabeta": lambda root, start: alphabeta(root.search),
    "pvs": lambda root, start: pvs(
        root.search, start.previous, start.number("window"), start.number("below")
    ),
    "mtdf": lambda root, start: mtdf(
        root.search, start.first, start.convergence, start.number("max_passes"), start.ending
    ),
    "negascout": lambda root, start: negascout(root.search),
    "hybrid": lambda root, start: hybrid(
        root.search,
        start.first,
        start.convergence,
        start.number("null_passes"),
        start.number("cap"),
        start.ending,
    ),
    "sss": lambda root, start: sss(root.search),
    "dual": lambda root, start: dual(root.search),
    "mtd-bi": lambda root, start: mtd_bi(root.search, start.grain),
    "mtd-step": lambda root, start: mtd_step(root.search, start.number("stride"), start.grain),
    "mtd-best": lambda root, start: mtd_best(root, start.first_guess, start.grain),
    "bns": lambda root, start: bns(root, start.first_guess, start.grain),
    "minimax": lambda root, start: minimax(root.search),
}
"""One iteration by each driver: the minimax value, or the lower bound of the move it proves."""
