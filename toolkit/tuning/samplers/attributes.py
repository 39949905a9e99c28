"""Names of trial attributes, shared by samplers, studies and reports."""

from __future__ import annotations

OPPONENT = "opponent"
"""User attribute of an SPSA trial: its other end, a mapping of values."""
PRUNED = "pruned"
"""User attribute of a trial that a pruner stopped: after how many pairs."""
THETA = "spsa:theta"
"""User attribute of an SPSA trial: where θ stood before it, in unit coordinates."""
