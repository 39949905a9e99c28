"""A variant as a player on the native core, which :mod:`engines.backend` hands in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from engines.errors import EngineFailure, PositionError, VariantError
from engines.spec import (
    EngineGame,
    GameSearches,
    Iteration,
    JudgeSaid,
    MoveReport,
    Pass,
    Player,
    SearchLimit,
    SearchResult,
    Variant,
)


class NativeSearcher:
    """Implements :class:`engines.spec.Searcher`; stands at the initial position at first."""

    def __init__(
        self, core: ModuleType, variant: Variant, old: NativeSearcher | None = None
    ) -> None:
        self._module = core
        try:
            self._core: Any = core.Searcher(
                variant.driver, dict(variant.parameters), None if old is None else old._core
            )
        except ValueError as error:
            raise VariantError(str(error)) from error

    def successor(self, variant: Variant) -> NativeSearcher:
        """A player of another variant in the memory of this one, see the protocol."""
        return NativeSearcher(self._module, variant, self)

    def new_game(self) -> None:
        """Forget tables, histories and guess memory; the position stays."""
        self._core.new_game()

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand at ``fen`` after ``moves``. Raises PositionError and stays where it was."""
        try:
            self._core.set_position(fen, moves, chess960)
        except ValueError as error:
            raise PositionError(str(error)) from error

    def push(self, move: int) -> None:
        """Play one legal move. Raises PositionError for any other."""
        try:
            self._core.push(move)
        except ValueError as error:
            raise PositionError(str(error)) from error

    def is_legal(self, move: int) -> bool:
        """Whether the side to move may play this code."""
        return bool(self._core.is_legal(move))

    def go(self, limit: SearchLimit) -> MoveReport:
        """Choose a move. Raises EngineFailure when there is none."""
        try:
            found = self._core.go(
                limit.nodes, limit.depth, limit.soft_ms, limit.hard_ms, limit.cpu_ms
            )
        except (ValueError, RuntimeError) as error:
            raise EngineFailure(str(error)) from error
        move, value, depth, nodes, passes, time_us, cpu_us, overrun = found
        return MoveReport(move, value, depth, nodes, passes, time_us, cpu_us, overrun)

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
        show = None if on_iteration is None else lambda data: on_iteration(_iteration(data))
        try:
            found = self._core.search(
                limit.nodes,
                limit.depth,
                limit.soft_ms,
                limit.hard_ms,
                limit.cpu_ms,
                exact,
                first_guess,
                show,
                expansions,
                root_moves,
                lines,
            )
        except (ValueError, RuntimeError) as error:
            raise EngineFailure(str(error)) from error
        iterations = tuple(_iteration(data) for data in found.pop("iterations"))
        return SearchResult(**found, iterations=iterations)

    def can_contest(self, other: Player) -> bool:
        """Whether ``other`` is another player of the core."""
        return isinstance(other, NativeSearcher) and other is not self

    def contest(
        self,
        black: Player,
        fen: str,
        limit: SearchLimit,
        judge: Callable[[bool, int], JudgeSaid | None],
        chess960: bool = False,
    ) -> EngineGame[JudgeSaid]:
        """Play a whole game as White in the core, see the protocol."""
        if not isinstance(black, NativeSearcher):
            raise TypeError("the core plays games between its own players only")
        try:
            told = self._module.play_game(
                self._core, black._core, fen, judge, limit.nodes, limit.depth, chess960
            )
        except ValueError as error:
            raise PositionError(str(error)) from error
        return EngineGame(told[0], told[1], told[2], GameSearches(*told[3:]))

    def stop(self) -> None:
        """End a running search soon; callable from another thread."""
        self._core.stop()

    def close(self) -> None:
        """End a running search. The memory is freed with this object."""
        self._core.stop()


def _iteration(data: Mapping[str, Any]) -> Iteration:
    fields = dict(data)
    passes = tuple(Pass(**one) for one in fields.pop("passes"))
    return Iteration(**fields | {"passes": passes, "pv": tuple(fields["pv"])})
