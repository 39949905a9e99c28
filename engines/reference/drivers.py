"""The drivers by name: what each does with the root, and the tree below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.reference.alphabeta import alphabeta
from engines.reference.bns import bns
from engines.reference.convergence import Rule
from engines.reference.dual import dual
from engines.reference.hybrid import hybrid
from engines.reference.mtd_best import mtd_best
from engines.reference.mtd_bi import mtd_bi
from engines.reference.mtd_step import mtd_step
from engines.reference.mtdf import mtdf
from engines.reference.negascout import NegaScoutTree, negascout
from engines.reference.plain import PlainTree, plain
from engines.reference.pvs import ScoutTree, pvs
from engines.reference.root import Root
from engines.reference.search import Tree
from engines.reference.sss import sss
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
    "minimax": PlainTree,
}
"""The tree that each driver searches."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a driver knows before an iteration."""

    previous: int | None
    """Value of the last iteration, if there was one."""
    first_guess: int
    """0 for a driver that uses none."""
    parameters: Mapping[str, Value]

    def number(self, name: str) -> int:
        """A whole number among the parameters."""
        return int(self.parameters[name])

    @property
    def grain(self) -> int:
        """Values are multiples of this."""
        return self.number("grain")

    @property
    def rule(self) -> Rule:
        """How the null windows move."""
        name, above = str(self.parameters["convergence"]), self.parameters["side"] == "above"
        return Rule(name, self.number("step"), above, self.grain)


ITERATE: dict[str, Callable[[Root[Any], Plan], int]] = {
    "alphabeta": lambda root, plan: alphabeta(root.search),
    "pvs": lambda root, plan: pvs(root.search, plan.previous, plan.number("window")),
    "mtdf": lambda root, plan: mtdf(
        root.search, plan.first_guess, plan.rule, plan.number("max_passes")
    ),
    "negascout": lambda root, plan: negascout(root.search),
    "hybrid": lambda root, plan: hybrid(
        root.search, plan.first_guess, plan.rule, plan.number("null_passes")
    ),
    "sss": lambda root, plan: sss(root.search),
    "dual": lambda root, plan: dual(root.search),
    "mtd-bi": lambda root, plan: mtd_bi(root.search, plan.grain),
    "mtd-step": lambda root, plan: mtd_step(root.search, plan.number("stride"), plan.grain),
    "mtd-best": lambda root, plan: mtd_best(root, plan.first_guess, plan.grain),
    "bns": lambda root, plan: bns(root, plan.first_guess, plan.grain),
    "minimax": lambda root, plan: plain(root.search),
}
"""One iteration by each driver: the minimax value, or the lower bound of the move it proves."""
