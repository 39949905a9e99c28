"""Engines that no default changes, for claims and for what must be made again as it was.

Defaults are tuned for games and change. These engines have the values below and those of their
text, and are called as the text is written.
"""

from __future__ import annotations

from dataclasses import replace

from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Variant
from engines.variant import (
    format_value,
    is_meaningful,
    make_variant,
    parse_value,
    variant_of,
)

FIXED = {
    # The first guess and the first window.
    "guess": "parity",
    "weight": "0.5",
    "offset_odd": "25",
    "offset_even": "-25",
    "rate": "50",
    "trend": "50",
    "regression_last": "622",
    "regression_before": "361",
    "regression_static": "-58",
    "regression_quiescence": "0",
    "regression_odd": "3089",
    "regression_even": "-4129",
    "regression_odd_phase": "0",
    "regression_even_phase": "0",
    "quantile_odd": "-3",
    "quantile_even": "-3",
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
    "reverse_futility": "80",
    "razoring": "250",
    "futility": "100",
    "late_move_pruning": "4",
    "see_pruning": "60",
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
}
"""What such an engine has where its text does not say otherwise. None of it ever changes."""


def engine_of(text: str, game: str = FIXED["game"]) -> Variant:
    """The engine of a text, called as it is written, that plays ``game``; what the text leaves out
    is :data:`FIXED`."""
    driver, _, own = text.partition(":")
    spec = DRIVERS[driver]
    given = dict(part.split("=") for part in own.split(",") if part)
    known = FIXED | {"game": game}
    fixed = {name: value for name, value in known.items() if name in spec.parameters}
    values = {name: parse_value(spec, name, value) for name, value in (fixed | given).items()}
    complete = {name: PARAMETERS[name].default for name in spec.parameters} | values
    written = {
        name: value
        for name, value in values.items()
        if name in given or is_meaningful(PARAMETERS[name], complete)
    }
    return replace(make_variant(driver, written), label=text)


def engines_of(*texts: str) -> list[Variant]:
    """Engines by their texts."""
    return list(map(engine_of, texts))


def altered(text: str, parameters: str) -> str:
    """The text of an engine with further parameters, such as ``hash=0``."""
    return f"{text}{',' if ':' in text else ':'}{parameters}"


def varied(variant: Variant, name: str, text: str) -> Variant:
    """An engine with another value of a parameter, and called so."""
    changed = variant_of(variant, {name: text})
    value = format_value(changed.parameters[name])
    return replace(changed, label=altered(variant.label, f"{name}={value}"))
