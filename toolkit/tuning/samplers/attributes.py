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


_OWN = "spsa:"
"""The beginning of the names of SPSA's own notes."""


def stored_attributes(user: Mapping[str, Any], system: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a trial as the database keeps them: the notes of SPSA, except the opponent,
    are with those of Optuna's samplers, so that earlier versions can read them."""
    own = {key: value for key, value in user.items() if key.startswith(_OWN)}
    rest = {key: value for key, value in user.items() if key not in own}
    return {"user": rest, "system": {**system, **own}}


def user_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The user attributes of a stored trial, with the notes of SPSA; the inverse of
    :func:`stored_attributes`."""
    system: Mapping[str, Any] = attributes.get("system", {})
    own = {key: value for key, value in system.items() if key.startswith(_OWN)}
    return {**own, **attributes.get("user", {})}
