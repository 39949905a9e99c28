"""A variant as a player in pure Python."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engines.errors import EngineFailure
from engines.reference.deepening import Deepening
from engines.reference.drivers.catalog import TREES
from engines.reference.games.tree import ending_anywhere
from engines.reference.search.expansions import Expansions
from engines.reference.search.limits import Meter
from engines.reference.search.nodes import Tree
from engines.reference.search.ordering import LeftToRight, Ordering
from engines.reference.search.table import Table, table_size
from engines.reference.seat import seat_of
from engines.spec import Iteration, MoveReport, SearchLimit, SearchResult, Value, Variant


def _table(parameters: Mapping[str, Value]) -> Table[Any] | None:
    """The table that a variant asks for; a driver without the parameter has none."""
    size = table_size(int(parameters.get("hash", 0)), int(parameters.get("entries", 0)))
    if not size:
        return None
    both_bounds, replacement = parameters["bounds"] == "two", str(parameters["replacement"])
    return Table(size, both_bounds=both_bounds, replacement=replacement)


class ReferenceSearcher:
    """Implements :class:`engines.spec.Searcher`; stands at the initial position at first."""

    def __init__(self, variant: Variant, tree: type[Tree[Any]] | None = None) -> None:
        """``tree`` replaces the tree that the driver searches, by one that records. The parameter
        ``threads`` has no effect: :func:`engines.backend.check_backend` refuses other values
        than 1."""
        self._driver = variant.driver
        self._seat = seat_of(variant.parameters)
        self._tree = TREES[variant.driver] if tree is None else tree
        self._parameters = variant.parameters
        self._table = _table(variant.parameters)
        self._searched: tuple[str, int, list[int]] | None = None
        self._table_is_exact = False
        self._ordering = Ordering[Any]()
        self._stop = threading.Event()
        if self._seat.is_by_hand:
            self._tree, self._ordering = ending_anywhere(self._tree), LeftToRight[Any]()

    def new_game(self) -> None:
        """Forget table and history; the position stays."""
        self._ordering.clear()
        self._searched = None
        if self._table is not None:
            self._table.clear()

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand at ``fen`` after ``moves``. Raises PositionError and stays where it was."""
        self._seat.stand(fen, moves, chess960)
        self._stop.clear()

    def push(self, move: int) -> None:
        """Play one legal move. Raises PositionError for any other."""
        self._seat.push(move)
        self._stop.clear()

    def is_legal(self, move: int) -> bool:
        """Whether the side to move may play this code."""
        return self._seat.legal(move) is not None

    def go(self, limit: SearchLimit) -> MoveReport:
        """Choose a move. Raises EngineFailure when there is none."""
        result = self.search(limit)
        if result.move is None:
            raise EngineFailure(f"there is no legal move in `{self._seat.text()}`")
        return MoveReport(
            move=self._seat.code(result.move),
            value=result.value,
            depth=result.depth,
            nodes=result.nodes,
            passes=result.passes,
            time_us=result.time_us,
            cpu_us=result.cpu_us,
            overrun=result.overrun,
        )

    def search(
        self,
        limit: SearchLimit,
        *,
        exact: bool = False,
        first_guess: int | None = None,
        on_iteration: Callable[[Iteration], None] | None = None,
        expansions: bool = False,
        root_moves: Sequence[int] = (),
        lines: int = 1,
    ) -> SearchResult:
        """Search the kept position and report every iteration and pass, see the protocol."""
        chosen = [self._legal(code) for code in root_moves]
        # The two modes value nodes by other rules, so neither may read the other's memory.
        if exact or self._table_is_exact:
            self.new_game()
        elif self._table is not None:
            self._table.new_search()
        self._table_is_exact = exact
        parameters = self._parameters
        game = self._seat.game()
        tree = self._tree(
            game,
            self._table,
            Meter(limit, self._stop),
            exact=exact,
            quiescence=bool(parameters["quiescence"]),
            ordering=self._ordering,
            enhanced_cuts=int(parameters.get("etc", 0)),
            settle=parameters.get("etc_rule") == "settle",
            leaf_bounds=bool(parameters.get("leaf_bounds", False)),
            best_of_low=parameters.get("low_move") == "best",
            internal_deepening=bool(parameters.get("iid", False)),
            expansions=Expansions() if expansions and exact else None,
            root_moves=chosen,
        )
        start, ply = self._seat.place()
        before = self._searched
        same_game = before is not None and before[:2] == (start, ply - 2)
        known = before[2] if before is not None and same_game else []
        deepening = Deepening(
            self._driver, parameters, tree, self._seat.name, first_guess, known, lines
        )
        if self._seat.is_by_hand:
            deepening.first_depth = limit.depth or 1
        try:
            return deepening.run(on_iteration)
        finally:
            self._stop.clear()
            self._searched = None if exact else (start, ply, deepening.values)

    def _legal(self, code: int) -> Any:
        move = self._seat.legal(code)
        if move is None:
            name = self._seat.named(code)
            raise EngineFailure(f"move {name} is not legal in `{self._seat.text()}`")
        return move

    def stop(self) -> None:
        """End a running search soon, or else the next one; callable from another thread."""
        self._stop.set()

    def close(self) -> None:
        """End a running search and free the memory of nodes."""
        self.stop()
        self.new_game()
