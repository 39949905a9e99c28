"""Names of trial attributes, shared by samplers, studies and reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OPPONENT = "opponent"
"""User attribute of an SPSA trial: its other end, a mapping of values."""
PRUNED = "pruned"
"""User attribute of a trial that a pruner stopped: after how many pairs."""
THETA = "spsa:theta"
"""User attribute of an SPSA trial: where θ stood before it, in unit coordinates."""


def user_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """What was noted on a stored trial, by our sampler too. Studies of earlier versions keep the
    notes of SPSA, but for the opponent, among those of Optuna's samplers."""
    of_optuna: Mapping[str, Any] = attributes.get("system", {})
    older = {key: value for key, value in of_optuna.items() if key.startswith("spsa:")}
    return {**older, **attributes.get("user", {})}
