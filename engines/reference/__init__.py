"""The search in readable Python: the teaching text, the oracle of the tests, and the fallback.

Exact mode returns the minimax value of the same tree as the native core. Games are played with the
same search plus draws by repetition and fifty moves; null move, late-move reductions and the check
extension are left out here, so variants that differ only in those play alike.
"""

from __future__ import annotations

from engines.reference.searcher import ReferenceSearcher

__all__ = ["ReferenceSearcher"]
