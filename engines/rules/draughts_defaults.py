"""Defaults of parameters in draughts, where they are not those of chess: what the study
``recipes/tune_mtdf_draughts.toml`` found, and the aspiration window of ``tune_pvs_draughts.toml``.
"""

from __future__ import annotations

from engines.spec import Value

_VALUES: dict[str, Value] = {
    "window": 67,
    "step": 6,
    "below": 2,
    "tolerance": 15,
    "expected_pv": "raised",
    "decided": 572,
    "reverse_futility": 73,
    "razoring": 249,
    "futility": 136,
    "probcut": 63,
    "late_move_pruning": 13,
    "offer_pruning": 26,
    "reduction_base": -75,
    "reduction_slope": 45,
    "internal_reduction": 8,
    "singular_extension": 13,
}
DEFAULTS = ("draughts", _VALUES)
