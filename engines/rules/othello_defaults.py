"""Defaults of parameters in Othello, where they are not those of chess: what the study
``recipes/tune_mtdf_othello.toml`` found, and the aspiration window of ``tune_pvs_othello.toml``.
"""

from __future__ import annotations

from engines.spec import Value

_VALUES: dict[str, Value] = {
    "window": 268,
    "step": 127,
    "below": 33,
    "tolerance": 34,
    "reported": "middle",
    "decided": 3869,
    "reverse_futility": 209,
    "razoring": 691,
    "futility": 176,
    "probcut": 164,
    "late_move_pruning": 8,
    "reduction_base": -59,
    "reduction_slope": 17,
    "history_reduction": 7,
    "internal_reduction": 4,
    "singular_extension": 6,
    "fail_high_reduction": 1,
    "best_move_stop": True,
    "reward_once": False,
    "replies": 1002,
}
DEFAULTS = ("othello", _VALUES)
