"""Iterative deepening: the drivers' passes, depth by depth, until a limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from engines.reference.drivers.bounds import crossings
from engines.reference.drivers.catalog import ITERATE, Start
from engines.reference.drivers.guess import Seen, first_guess
from engines.reference.search.game import M
from engines.reference.search.limits import SearchStopped
from engines.reference.search.nodes import Log, Tree
from engines.reference.search.root import Root
from engines.registry import DRIVERS
from engines.spec import MATE, MATE_BOUND, Iteration, SearchResult, Value

MAX_DEPTH = 100
"""Plies at which a search without a depth ends."""


@dataclass(slots=True)
class _Choice(Generic[M]):
    """What to play so far."""

    line: list[M]
    value: int
    depth: int
    """Of the last finished iteration."""


@dataclass(slots=True)
class _Line(Generic[M]):
    """One of the best moves of the root, each searched without those found before it."""

    values: list[int] = field(default_factory=list)
    """Of the finished iterations."""
    choice: _Choice[M] | None = None


class Deepening(Generic[M]):
    """One search of the node at which a tree's game stands; used once."""

    def __init__(
        self,
        driver: str,
        parameters: Mapping[str, Value],
        tree: Tree[M],
        spell: Callable[[M], str],
        guess: int | None = None,
        game_values: Sequence[int] = (),
        lines: int = 1,
    ) -> None:
        """``guess`` replaces all first guesses; ``spell`` writes a move in UCI notation;
        ``game_values`` are those of the player's search two plies earlier in the game; ``lines``
        best moves are searched at each depth."""
        self._driver = driver
        self._parameters = parameters
        self._tree = tree
        self._spell = tree.spell = spell
        self._guess = guess
        self._game_values = game_values
        self._lines = [_Line[M]() for _ in range(max(1, min(lines, len(tree.root_moves()))))]
        self.first_depth = 1
        """The depth of the first iteration."""
        self._iterations: list[Iteration] = []
        self._stopped = False

    @property
    def values(self) -> list[int]:
        """Values of the finished iterations, of the first line."""
        return self._lines[0].values

    def run(self, on_iteration: Callable[[Iteration], None] | None = None) -> SearchResult:
        """Search until a limit. ``on_iteration`` sees each iteration as it ends."""
        meter, game = self._tree.meter, self._tree.game
        if game.has_move():
            for depth in range(self.first_depth, max(1, meter.limit.depth or MAX_DEPTH) + 1):
                meter.must_finish = depth == self.first_depth
                if self._must_stop(depth):
                    break
                if self._is_left_out(depth):
                    # What asks for its value gets the last one that was found.
                    for line in self._lines:
                        line.values.extend(line.values[-1:])
                    continue
                self._search_lines(depth, on_iteration)
                if self._stopped:
                    break
        choice = self._lines[0].choice
        return SearchResult(
            move=self._spell(choice.line[0]) if choice is not None else None,
            value=choice.value if choice is not None else game.terminal_value(),
            depth=choice.depth if choice is not None else 0,
            nodes=meter.nodes,
            time_us=meter.time_us,
            cpu_us=meter.cpu_us,
            passes=sum(len(iteration.passes) for iteration in self._iterations),
            overrun=meter.overrun,
            stopped=self._stopped,
            iterations=tuple(self._iterations),
        )

    def _search_lines(self, depth: int, on_iteration: Callable[[Iteration], None] | None) -> None:
        """The iterations of one depth."""
        self._tree.set_aside.clear()
        for number, line in enumerate(self._lines, 1):
            iteration = self._iterate(depth, number, line)
            if on_iteration is not None and iteration is not None:
                on_iteration(iteration)
            if self._stopped or line.choice is None:
                return
            self._tree.set_aside.append(line.choice.line[0])

    def _is_left_out(self, depth: int) -> bool:
        """Whether the depth lies between two iterations: of steps that lead to the depth of the
        limit, or from depth 1 where it has none."""
        step = int(self._parameters.get("depth_step", 1))
        return depth > 1 and ((self._tree.meter.limit.depth or 1) - depth) % step != 0

    def _must_stop(self, depth: int) -> bool:
        """Whether the iteration at ``depth`` must not or need not begin."""
        meter = self._tree.meter
        if depth > 1 and not meter.may_deepen():
            self._stopped = True
            return True
        if self._tree.exact or not self.values:
            return False
        return all(self._is_mate_for_good(line.values[-1], depth) for line in self._lines)

    def _is_mate_for_good(self, value: int, depth: int) -> bool:
        """A mate that lies within the depth searched is the shortest: deeper finds no better one.
        Of a move that was proved best only a lower bound is known: no proof of being mated."""
        proven = value > 0 or DRIVERS[self._driver].proves == "value"
        return proven and abs(value) > MATE_BOUND and MATE - abs(value) < depth

    def _iterate(self, depth: int, number: int, line: _Line[M]) -> Iteration | None:
        """One iteration of a line; None where it was stopped before it did anything."""
        log = self._tree.log = Log[M]()
        start_us = self._tree.meter.time_us
        guess = None
        try:
            guess = self._first_guess(line)
            value = self._value(guess, depth, line)
            line.values.append(value)
            line.choice = _Choice(log.line, value, depth)
        except SearchStopped:
            self._stopped = True
            _adopt(log, line, adopts_all=self._parameters.get("adopt") == "all")
        if line.choice is None or not log.counts.nodes:
            return None
        counts = log.counts
        table = self._tree.table
        self._iterations.append(
            Iteration(
                depth=depth,
                value=line.choice.value,
                first_guess=guess,
                passes=tuple(log.passes),
                crossings=crossings(log.passes),
                interior=counts.interior,
                leaves=counts.leaves,
                quiescence=counts.quiescence,
                probes=counts.probes,
                hits=counts.hits,
                cutoffs=counts.cutoffs,
                time_us=self._tree.meter.time_us - start_us,
                move=self._spell(line.choice.line[0]),
                pv=tuple(self._spell(move) for move in line.choice.line),
                finished=not self._stopped,
                seldepth=log.seldepth,
                hashfull=0 if table is None else table.permille,
                line=number,
                lines=len(self._lines),
            )
        )
        return self._iterations[-1]

    def _first_guess(self, line: _Line[M]) -> int | None:
        """Only for a driver that uses one."""
        if "guess" not in self._parameters:
            return None
        if self._guess is not None:
            return self._guess
        # They are values of the best move alone.
        earlier = self._game_values if line is self._lines[0] else ()
        seen = Seen(line.values, self._tree.game.static(), earlier)
        return first_guess(self._parameters, seen)

    def _value(self, guess: int | None, depth: int, line: _Line[M]) -> int:
        previous = line.values[-1] if line.values else None
        best = line.choice.line[0] if line.choice is not None else None
        start = Start(
            previous, guess if guess is not None else 0, self._parameters, self._tree.exact
        )
        return ITERATE[self._driver](Root(self._tree, depth, best), start)


def _adopt(log: Log[M], line: _Line[M], adopts_all: bool) -> None:
    """Take the move of an unfinished iteration where it is proven to be no worse.

    Open windows: a root move that raised alpha is better than all that were searched before it.
    Null windows: one that failed high at or above the last value holds that value; a driver may
    trust any that failed high.
    """
    if line.choice is None:
        return
    if log.raised_late is not None:
        value, moves = log.raised_late
        line.choice = _Choice(moves, value, line.choice.depth)
    elif log.failed_high is not None:
        beta, value, moves = log.failed_high
        if adopts_all or beta >= line.values[-1]:
            line.choice = _Choice(moves, value, line.choice.depth)
