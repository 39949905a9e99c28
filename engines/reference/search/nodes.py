"""Fail-soft alpha-beta with memory: the one search below all drivers.

After AlphaBetaWithMemory in A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first
fixed-depth minimax algorithms, Artificial Intelligence 87 (1996), in negamax form, with the
table's entries bound to their depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

from engines.reference.search.expansions import Expansions
from engines.reference.search.game import INFINITY, Game, M, from_child, to_child
from engines.reference.search.limits import Meter
from engines.reference.search.ordering import Ordering
from engines.reference.search.quiescence import Leaves, quiesce
from engines.reference.search.table import Entry, Table
from engines.spec import Pass

_INTERNAL_DEPTH = 4
_INTERNAL_REDUCTION = 2
"""Internal deepening begins at this depth and searches so many plies shallower."""


@dataclass(slots=True)
class Counts:
    """What an iteration has done so far."""

    interior: int = 0
    leaves: int = 0
    quiescence: int = 0
    probes: int = 0
    hits: int = 0
    cutoffs: int = 0

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.interior + self.leaves + self.quiescence


@dataclass(slots=True)
class Log(Generic[M]):
    """What the passes of one iteration have shown."""

    counts: Counts = field(default_factory=Counts)
    passes: list[Pass] = field(default_factory=list)
    line: list[M] = field(default_factory=list)
    """Principal variation of the last pass that proved its move, or of the last pass of all."""
    proven: bool = False
    """Whether ``line`` starts with a proven move: a pass that fails low proves none."""
    raised_late: tuple[int, list[M]] | None = None
    """The last root move but the first that raised alpha in a pass that is no null window, with the
    lower bound that it proves."""
    failed_high: tuple[int, int, list[M]] | None = None
    """Beta, value and line of the last null window that failed high."""
    seldepth: int = 0
    """The greatest distance from the root of a node."""


class Tree(Leaves, Generic[M]):
    """The tree below the node at which ``game`` stands, with the memory of its nodes."""

    def __init__(
        self,
        game: Game[M],
        table: Table[M] | None,
        meter: Meter,
        *,
        exact: bool,
        quiescence: bool,
        ordering: Ordering[M] | None = None,
        enhanced_cuts: int = 0,
        settle: bool = False,
        leaf_bounds: bool = False,
        best_of_low: bool = False,
        internal_deepening: bool = False,
        expansions: Expansions | None = None,
        root_moves: Sequence[M] = (),
    ) -> None:
        """``enhanced_cuts`` is the depth from which children may cut, 0 for never; with ``settle``
        exact search uses all that their bounds tell. ``leaf_bounds``: exact search keeps bounds of
        quiescence nodes. ``best_of_low``: a node that failed low keeps the move of its best value
        instead of the move that the table had. Nodes that are
        expanded are counted in ``expansions``. ``root_moves`` are the only moves searched at the
        root, if there are any."""
        self.game = game
        self.table = table
        self.meter = meter
        self.exact = exact
        self.quiescence = quiescence
        self.ordering = ordering if ordering is not None else Ordering[M]()
        self.log = Log[M]()
        self.spell: Callable[[M], str] = str
        """The name of a move in reports."""
        self.expansions = expansions
        self._root_moves = root_moves
        self.set_aside: list[M] = []
        """The moves that other lines of this depth begin with; left out at the root."""
        self._enhanced_cuts = enhanced_cuts
        self._settle = settle and exact
        self._leaf_table = table if leaf_bounds and exact else None
        self._best_of_low = best_of_low
        self._internal_deepening = internal_deepening
        self._path_draws = 0

    def search_root(self, depth: int, alpha: int, beta: int) -> int:
        """One pass: the fail-soft value g of the root in the window.

        g <= alpha: an upper bound. g >= beta: a lower bound. In between: the minimax value.
        """
        before = self._begin_pass()
        value, line = self.alpha_beta(depth, alpha, beta, ply=0)
        log = self.log
        if value > alpha or not log.proven:
            log.line, log.proven = line, value > alpha
        log.passes.append(self._told(before, alpha, beta, value, None))
        if value >= beta and beta - alpha == 1:
            log.failed_high = beta, value, line
        return value

    def search_root_move(self, depth: int, move: M, beta: int) -> tuple[int, list[M]]:
        """A pass over one root move alone, by the null window at ``beta``: the fail-soft value of
        the move, no bound of the root when it fails low, and a line that starts with it."""
        before = self._begin_pass()
        self.meter.spend_node()
        self.log.counts.interior += 1
        self.game.push(move)
        try:
            value, rest = self.search_child(depth, beta - 1, beta, 0, True)
        finally:
            self.game.pop()
        self._expanded(depth)
        line = [move, *rest]
        self.log.passes.append(self._told(before, beta - 1, beta, value, move))
        if value >= beta:
            self.log.failed_high = beta, value, line
        return value, line

    def _begin_pass(self) -> Counts:
        """The counts before a pass."""
        if self.expansions is not None:
            self.expansions.begin_pass(first=not self.log.passes)
        return replace(self.log.counts)

    def _expanded(self, depth: int) -> None:
        """Count the node, whose moves were searched."""
        if self.expansions is not None:
            self.expansions.add(self.game.key(), depth)

    def _told(self, before: Counts, alpha: int, beta: int, value: int, move: M | None) -> Pass:
        """The report of a pass that began with these counts."""
        now, line = self.log.counts, self.log.line
        return Pass(
            alpha,
            beta,
            value,
            now.nodes - before.nodes,
            None if move is None else self.spell(move),
            best=self.spell(line[0]) if line else None,
            probes=now.probes - before.probes,
            hits=now.hits - before.hits,
            expanded=None if self.expansions is None else self.expansions.expanded,
            re_expanded=None if self.expansions is None else self.expansions.re_expanded,
        )

    def alpha_beta(self, depth: int, alpha: int, beta: int, ply: int) -> tuple[int, list[M]]:
        """The fail-soft value of the node, with the bounds of :meth:`search_root`, and a line of
        play that leads to it."""
        game, counts = self.game, self.log.counts
        # Step 0. A child that its parent found settled is not visited.
        if ply > 0:
            known = self._settled_before(depth, alpha, beta)
            if known is not None:
                return known
        # Step 1. Count the node; leaves have their own search.
        self.meter.spend_node()
        self.log.seldepth = max(self.log.seldepth, ply)
        if depth == 0:
            counts.leaves += 1
        else:
            counts.interior += 1
        # Step 2. Draws that depend on the way here.
        if not self.exact and ply > 0 and game.is_path_draw():
            self._path_draws += 1
            return 0, []
        if depth == 0:
            return self.leaf(alpha, beta, ply), []
        # Step 3. Table: return a bound that decides, narrow the window by one that does not.
        entry = self._probe(depth)
        if ply > 0 and entry is not None and self._usable(entry, depth):
            settled = entry.settled(alpha, beta)
            if settled is not None:
                counts.cutoffs += 1
                return settled, [entry.move] if entry.move is not None else []
            alpha, beta = self.narrow(entry, alpha, beta)
        if ply > 0 and self.table is not None:
            if self._internal_deepening and (entry is None or entry.move is None):
                entry = self._deepen_internally(depth, alpha, beta, ply) or entry
            if 0 < self._enhanced_cuts <= depth:
                cut = (
                    self._settle_by_children(depth, alpha, beta)
                    if self._settle
                    else self._cut_by_children(depth, beta)
                )
                if cut is not None:
                    return cut
        # Step 4. Mate and stalemate.
        moves = game.moves() if ply > 0 else self.root_moves()
        if not moves:
            return game.terminal_value(), []
        # Step 5. Search the moves until one proves the node too good.
        best, line, path_draws = -INFINITY, list[M](), self._path_draws
        for move in self.ordering.sort(game, moves, entry.move if entry is not None else None):
            game.push(move)
            try:
                value, rest = self.search_child(depth, max(alpha, best), beta, ply, not line)
            finally:
                game.pop()
            if value > best:
                if ply == 0 and line and value > alpha and beta - alpha > 1:
                    self.log.raised_late = value, [move, *rest]
                best, line = value, [move, *rest]
            if best >= beta:
                self.ordering.reward(game, move, depth)
                break
        self._expanded(depth)
        # Step 6. Store what was proven, unless it holds only on this way to the node, or only for
        # some of its moves.
        clean = self.exact or path_draws == self._path_draws
        if ply > 0 or not self._is_partial():
            kept = line[0] if best > alpha or self._best_of_low else None
            self.store(depth, alpha, beta, best, kept, clean)
        return best, line

    def search_child(
        self, depth: int, alpha: int, beta: int, ply: int, first: bool
    ) -> tuple[int, list[M]]:
        """The value, seen from its parent, of the child that was just made.

        ``alpha`` and ``beta`` are the parent's; ``first``: no sibling was searched before.
        """
        value, line = self.alpha_beta(depth - 1, to_child(beta), to_child(alpha), ply + 1)
        return from_child(value), line

    def narrow(self, entry: Entry[M], alpha: int, beta: int) -> tuple[int, int]:
        """The window without what the stored bounds rule out; a null window stays as it is."""
        return max(alpha, entry.lower), min(beta, entry.upper)

    def _deepen_internally(self, depth: int, alpha: int, beta: int, ply: int) -> Entry[M] | None:
        """Internal iterative deepening: a shallower search of the node itself leaves its best move
        in the table. The reference knows no nodes that need all their moves: it does so at all."""
        if depth < _INTERNAL_DEPTH or self.table is None:
            return None
        self.alpha_beta(depth - _INTERNAL_REDUCTION, alpha, beta, ply)
        return self.table.probe(self.game.key(), depth - _INTERNAL_REDUCTION)

    def _cut_by_children(self, depth: int, beta: int) -> tuple[int, list[M]] | None:
        """Enhanced transposition cut-off (A. Plaat and others, Exploiting graph properties of game
        trees, 1996): a move whose child has a stored upper bound that fails high here."""
        game = self.game
        for move in game.moves():
            game.push(move)
            entry = self._probe(depth - 1)
            usable = entry is not None and self._usable(entry, depth - 1)
            fresh = self.exact or not game.is_path_draw()
            game.pop()
            if entry is not None and usable and fresh and from_child(entry.upper) >= beta:
                self.log.counts.cutoffs += 1
                value = from_child(entry.upper)
                self.store(depth, beta - 1, beta, value, move, clean=True)
                return value, [move]
        return None

    def _settle_by_children(self, depth: int, alpha: int, beta: int) -> tuple[int, list[M]] | None:
        """What the stored bounds of all children prove of a node of exact search: a lower bound
        that fails high, the best one with its move, or an upper bound that fails low."""
        game = self.game
        most, least, best = -INFINITY, -INFINITY, list[M]()
        moves = game.moves()
        for move in moves:
            game.push(move)
            entry = self._probe(depth - 1)
            game.pop()
            usable = entry is not None and self._usable(entry, depth - 1)
            lower, upper = (
                (entry.lower, entry.upper)
                if entry is not None and usable
                else (-INFINITY, INFINITY)
            )
            if from_child(upper) > most:
                most, best = from_child(upper), [move]
            least = max(least, from_child(lower))
        if most >= beta:
            value = most
        elif moves and least <= alpha:
            value, best = least, []
        else:
            return None
        self.log.counts.cutoffs += 1
        self.store(depth, alpha, beta, value, best[0] if best else None, clean=True)
        return value, best

    def _settled_before(self, depth: int, alpha: int, beta: int) -> tuple[int, list[M]] | None:
        """What the table says of a node before it is visited, where its parent looked at the bounds
        of its children."""
        if not self._settle or self.table is None or not 0 < self._enhanced_cuts <= depth + 1:
            return None
        entry = self.table.probe(self.game.key(), depth)
        if entry is None or not self._usable(entry, depth):
            return None
        value = entry.settled(alpha, beta)
        return None if value is None else (value, [entry.move] if entry.move is not None else [])

    def root_moves(self) -> Sequence[M]:
        """The moves to search at the root."""
        moves = self._root_moves or self.game.moves()
        return [move for move in moves if move not in self.set_aside]

    def _is_partial(self) -> bool:
        """Whether legal moves of the root are left out: then no value is one of the position."""
        return bool(self._root_moves or self.set_aside)

    def store_root_move(self, depth: int, move: M) -> None:
        """Keep the best move of the root without any bound."""
        if not self._is_partial():
            self.store(depth, 0, 0, 0, move, clean=False)

    def store(
        self, depth: int, alpha: int, beta: int, value: int, move: M | None, clean: bool
    ) -> None:
        """An upper bound on fail low, a lower one on fail high, both only for a value between.

        ``clean`` is False for a value that depends on the path: then only the move is kept.
        """
        if self.table is None:
            return
        lower = value if clean and value > alpha else None
        upper = value if clean and value < beta else None
        self.table.store(self.game.key(), depth, move, lower, upper)

    def _probe(self, depth: int) -> Entry[M] | None:
        if self.table is None:
            return None
        self.log.counts.probes += 1
        entry = self.table.probe(self.game.key(), depth)
        if entry is not None:
            self.log.counts.hits += 1
        return entry

    def _usable(self, entry: Entry[M], depth: int) -> bool:
        """Exact search demands the entry's depth; play takes a deeper one too, except where the
        fifty-move rule may say otherwise."""
        if self.exact:
            return entry.depth == depth
        return entry.depth >= depth and not self.game.near_path_draw(depth)

    def leaf(self, alpha: int, beta: int, ply: int = 0) -> int:
        """The fail-soft value of the node as a leaf, which the caller counts."""
        if self.quiescence:
            return quiesce(self.game, alpha, beta, self, ply)
        return self.game.static() if self.game.has_move() else self.game.terminal_value()

    def known_leaf(self, alpha: int, beta: int, *, visited: bool) -> int | None:
        """What the table says of a node of quiescence, if bounds of such nodes are kept; of one
        that is not visited yet only where children's bounds may settle it."""
        if self._leaf_table is None:
            return None
        if not visited:
            known = self._settled_before(0, alpha, beta)
            return None if known is None else known[0]
        entry = self._probe(0)
        value = None
        if entry is not None and self._usable(entry, 0):
            value = entry.settled(alpha, beta)
        self.log.counts.cutoffs += value is not None
        return value

    def keep_leaf(self, value: int, alpha: int, beta: int) -> None:
        """Keep the bounds of a node of quiescence, if they are to be kept."""
        if self._leaf_table is not None:
            self.store(0, alpha, beta, value, None, clean=True)

    def visit_quiescence(self, ply: int) -> None:
        """Count a node of quiescence below a leaf."""
        self.meter.spend_node()
        self.log.seldepth = max(self.log.seldepth, ply)
        self.log.counts.quiescence += 1
