"""All claims, by number."""

from __future__ import annotations

from claims import (
    best_node_search,
    critical_table,
    failing_costs,
    fewer_leaves,
    fewest_nodes,
    fine_grain,
    first_guess_equal,
    guess_distance,
    instability,
    lasting_lead,
    null_window,
    passes_of_extremes,
    separate_guesses,
    sss_as_alphabeta,
    storing,
    superseded,
    swings,
    table_dependence,
    two_bounds,
)
from claims.claim import Claim
from toolkit.base.errors import UsageError

_MODULES = (
    first_guess_equal,
    guess_distance,
    fewer_leaves,
    passes_of_extremes,
    critical_table,
    separate_guesses,
    fine_grain,
    swings,
    null_window,
    table_dependence,
    sss_as_alphabeta,
    two_bounds,
    best_node_search,
    failing_costs,
    instability,
    storing,
    superseded,
    fewest_nodes,
    lasting_lead,
)
CLAIMS: dict[int, Claim] = {module.CLAIM.number: module.CLAIM for module in _MODULES}
FILES = {module.CLAIM.number: f"{module.__name__.rpartition('.')[2]}.py" for module in _MODULES}
"""The file of each claim."""


def chosen_claims(numbers: tuple[int, ...]) -> list[Claim]:
    """The claims with these numbers, each once, ascending; all if there are none. Raises
    UsageError for an unknown number."""
    for number in numbers:
        if number not in CLAIMS:
            known = f"{min(CLAIMS)} to {max(CLAIMS)}"
            raise UsageError(f"there is no claim {number}: the claims are {known}")
    return [CLAIMS[number] for number in sorted(set(numbers) or CLAIMS)]
