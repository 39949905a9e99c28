"""Presets: names of values that never change when defaults do, as in ``mtdf:preset=plaat``."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Preset(Struct, frozen=True):
    """Values of parameters under one name. Values that are given beside it count."""

    doc: str
    values: Mapping[str, str]
    """As far as a driver has the parameter, and it has an effect."""
    driver: str | None = None
    """The only driver that has this preset; None: every one has it."""


_CLAIMS = {
    # The first guess and the first window.
    "guess": "parity",
    "weight": "0.5",
    "offset_odd": "25",
    "offset_even": "-25",
    "rate": "50",
    "trend": "50",
    "convergence": "growth",
    "step": "20",
    "side": "above",
    "stride": "50",
    "window": "25",
    "reported": "lower",
    # How an iteration ends: when its bounds meet, as published.
    "below": "0",
    "tolerance": "0",
    "reopen": "off",
    "adopt": "proven",
    "max_passes": "0",
    "null_passes": "2",
    "cap": "0",
    "best_move_stop": "off",
    # Table and deepening.
    "bounds": "two",
    "replacement": "age",
    "etc": "0",
    "etc_rule": "cut",
    "leaf_bounds": "off",
    "low_move": "old",
    "iid": "off",
    "depth_step": "1",
    "threads": "1",
    "parallel": "lazy",
    "hash": "16",
    # The game and its evaluation.
    "game": "chess",
    "eval": "full",
    "grain": "1",
    "quiescence": "on",
    "swing": "0",
    # The selective search.
    "expected_pv": "first",
    "null_move": "on",
    "null_move_reduction": "3",
    "null_move_slope": "4",
    "null_move_verification": "8",
    "decided": "700",
    "reverse_futility": "80",
    "razoring": "250",
    "futility": "100",
    "probcut": "0",
    "late_move_pruning": "4",
    "see_pruning": "60",
    "offer_pruning": "0",
    "spare_checks": "on",
    "delta_pruning": "150",
    "late_move_reductions": "on",
    "reduction_base": "40",
    "reduction_slope": "45",
    "history_reduction": "2",
    "internal_reduction": "4",
    "check_extension": "on",
    "singular_extension": "7",
    "quiescence_table": "on",
    "fail_high_reduction": "0",
    "cut_reduction": "0",
    # The order of moves.
    "killers": "on",
    "counter_moves": "on",
    "continuation_history": "on",
    "capture_history": "on",
    "reward_once": "off",
    "replies": "0",
}

PRESETS = {
    "plaat": Preset(
        "MTD(f) as published: the first window at the value of two iterations before, each next "
        "one at the bound just found, until the bounds meet (Plaat et al., 1996)",
        {
            "guess": "parity",
            "convergence": "plaat",
            "below": "0",
            "tolerance": "0",
            "reopen": "off",
            "adopt": "proven",
            "max_passes": "0",
            "fail_high_reduction": "0",
            "best_move_stop": "off",
        },
        "mtdf",
    ),
    "aspiration": Preset(
        "aspiration NegaScout, with which MTD(f) was compared: a window of 25 centipawns on both "
        "sides of the previous value",
        {"window": "25", "below": "0", "fail_high_reduction": "0", "best_move_stop": "off"},
        "pvs",
    ),
    "claims": Preset("the engines of docs/claims.md", _CLAIMS),
}


def presets_of(driver: str) -> dict[str, Preset]:
    """The presets that a driver has."""
    return {name: one for name, one in PRESETS.items() if one.driver in (None, driver)}
