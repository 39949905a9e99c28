"""What is measured for claims: laboratory runs, each with a fixed name and plan for each size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from toolkit.lab.fixed import FIXED
from toolkit.lab.plan import LabPlan
from toolkit.lab.positions import load_suite
from toolkit.lab.suite import Suite

GAME = FIXED["game"]
"""The game in which claims are written; :mod:`claims.other_games` has the others."""
SUITE = "lab-240"
"""Where the positions of all experiments come from. Parameters were chosen on other suites."""
Size = Literal["quick", "full"]
SIZES: tuple[Size, ...] = ("quick", "full")


@dataclass(frozen=True, slots=True)
class Experiment:
    """A measurement as a run of the laboratory; one may serve several claims."""

    name: str
    plan: Callable[[Size], LabPlan]
    """All of its searches, by size."""
    game: str = GAME

    def run_name(self, size: Size) -> str:
        """The name of its run in a database."""
        return stored_name(self.name, self.game, size)


def stored_name(name: str, game: str, size: Size) -> str:
    """The name in a database of what is measured for claims."""
    return "-".join(["claims", *([] if game == GAME else [game]), name, size])


def sample(size: Size, quick: int, full: int) -> Suite:
    """The positions of an experiment, spread evenly over the suite of the claims."""
    return load_suite(SUITE, quick if size == "quick" else full)
