"""The search in readable Python: the teaching text, the oracle of the tests, and the fallback.

Exact mode returns the minimax value of the same tree as the native core, with every driver, first
guess, convergence, evaluation, grain, table size, number of bounds an entry, enhanced cut-offs and
internal deepening; its table has one place a key and always replaces. Games are played with the
same search plus draws by repetition and fifty moves. The selective search of the core is left out
altogether: null move, margins, pruning, reductions, extensions, the choice of expected PV nodes,
the table in quiescence, and every memory that orders moves but a plain history. Variants that
differ only in those play alike here.
"""

from __future__ import annotations

from engines.reference.searcher import ReferenceSearcher

__all__ = ["ReferenceSearcher"]
