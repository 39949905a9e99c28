"""Measurements of synthetic games by the readable reference, as stored runs would give them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from claims.experiment import Experiment
from claims.measured import Measured
from claims.random_tree import PathGame
from db.records.laboratory import LabPositionRecord, LabSearchRecord
from engines.reference.deepening import Deepening
from engines.reference.drivers.catalog import TREES
from engines.reference.search.game import Game
from engines.reference.search.limits import Meter
from engines.reference.search.ordering import Ordering
from engines.reference.search.table import Table
from engines.spec import SearchLimit, Variant
from toolkit.lab.effort import DepthEffort, Effort
from toolkit.lab.run import search_record

ROOTS = 12
"""Synthetic positions: enough for intervals."""
_ENTRIES = 1 << 14


class TreeGame(PathGame):
    """A uniform tree; a leaf's value is a function of its path."""

    def __init__(self, value: Callable[[tuple[int, ...]], int], width: int | Sequence[int]) -> None:
        """Several widths are those of the plies in turn."""
        super().__init__()
        self._value = value
        self._widths = (width,) if isinstance(width, int) else tuple(width)

    def moves(self) -> Sequence[int]:
        return range(self._widths[len(self._path) % len(self._widths)])

    def static(self) -> int:
        """For the side to move."""
        return self._value(tuple(self._path))


def drawn(root: int, path: Sequence[int], span: int) -> int:
    """A random value from -span to span that follows from the root and the path alone."""
    digest = hashlib.blake2b(bytes([root, *path]), digest_size=8).digest()
    return int.from_bytes(digest, "big") % (2 * span + 1) - span


MakeGame = Callable[[Variant, int], Game[int]]
"""A game for the engine that searches it, at a root."""


@dataclass(frozen=True)
class Searching:
    """How searches differ from what the experiment asks for."""

    instead: Callable[[Variant], Variant] = lambda variant: variant
    """The engine that searches in place of one."""
    guess_error: int = 0
    """Added to given first guesses."""
    table: bool = True
    smaller: int = 1
    """How many times smaller tables are than asked for: trees are small, too."""


AS_PLANNED = Searching()


def measured(
    experiment: Experiment,
    make: MakeGame,
    depth: int,
    roots: int = ROOTS,
    searching: Searching = AS_PLANNED,
) -> dict[str, Measured]:
    """The evidence of an experiment: its engines, in quick size, search the synthetic game at each
    root to ``depth`` instead of positions of chess."""
    plan = experiment.plan("quick")
    positions = tuple(LabPositionRecord(root, f"root {root}", "") for root in range(roots))
    depths = tuple(one for one in plan.depths if one <= depth) or (depth,)
    plan = replace(plan, positions=positions, depths=depths)
    found: dict[tuple[int, int], LabSearchRecord] = {}
    # Those with a given first guess need the value that their baseline finds.
    order = sorted(range(len(plan.engines)), key=lambda one: plan.engines[one].shift is not None)
    for number in order:
        engine = plan.engines[number]
        for root in range(roots):
            guess = None
            if engine.shift is not None:
                guess = found[engine.baseline, root].value + engine.shift + searching.guess_error
            game = make(engine.variant, root)
            variant = searching.instead(engine.variant)
            effort = _searched(variant, game, depths[-1], guess, searching)
            found[number, root] = search_record(number, root, effort)
    return {experiment.name: Measured(plan, list(found.values()))}


def _searched(
    variant: Variant, game: Game[int], depth: int, guess: int | None, searching: Searching
) -> Effort:
    parameters = variant.parameters
    size = int(parameters.get("entries", 0)) or (_ENTRIES if parameters.get("hash") else 0)
    size = size // searching.smaller if searching.table else 0
    tree = TREES[variant.driver](
        game,
        Table[int](size, both_bounds=parameters.get("bounds") != "one") if size else None,
        Meter(SearchLimit(depth=depth), threading.Event()),
        exact=True,
        quiescence=False,
        ordering=Ordering[int](),
    )
    result = Deepening(variant.driver, parameters, tree, str, guess).run()
    iterations = tuple(DepthEffort.of(one, 1, None) for one in result.iterations)
    return Effort(
        interior=sum(one.interior for one in iterations),
        leaves=sum(one.leaves for one in iterations),
        quiescence=0,
        passes=result.passes,
        cpu_us=1,
        value=result.value,
        iterations=iterations,
    )
