"""Figures, thresholds and verdicts of claims as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from claims.claim import WRONG_SIDE, Finding, wrong_by_chance
from claims.measured import Figure
from claims.views import ClaimRow
from toolkit.base.format import count_of, format_number

_SIGNS = {"below": "<", "above": ">"}


def figure_text(row: Figure) -> str:
    """An estimate with its interval: ``0.954 [0.908, 0.995]``."""
    return " ".join(filter(None, [estimate_text(row), interval_text(row)]))


def estimate_text(row: Figure) -> str:
    """The estimate of a figure."""
    return format_number(row.estimate, _digits(row))


def interval_text(row: Figure) -> str:
    """The interval of a figure; empty if there is none."""
    low, high = row.low95, row.high95
    if low is None or high is None:
        return ""
    digits = _digits(row)
    return f"[{format_number(low, digits)}, {format_number(high, digits)}]"


def _digits(row: Figure) -> int:
    """Three decimals, or one where the figure is great or known to no less than 1, such as Elo."""
    return 3 if abs(row.estimate or 0) < 10 and (row.half_width or 0) < 1 else 1


def threshold_text(row: Finding) -> str:
    """The claimed side of the threshold: ``< 0.95``."""
    return f"{_SIGNS[row.relation]} {row.threshold:g}"


def verdict_text(row: Finding) -> str:
    """The verdict; if undecided with half of the interval's width."""
    if row.verdict != "undecided" or row.resolution is None:
        return row.verdict
    return f"undecided (± {format_number(row.resolution, _digits(row))})"


def table_row(cells: Sequence[str]) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def chance_text(claims: Sequence[ClaimRow]) -> str:
    """How many parts were judged, with which verdicts, and how many may be wrong by chance."""
    parts = [part for claim in claims for part in claim.parts]
    numbers, games = {claim.claim for claim in claims}, {claim.game for claim in claims}
    where = f" in {count_of(len(games), 'game')}" if len(games) > 1 else ""
    counts = Counter(part.verdict for part in parts)
    told = ", ".join(
        f"{counts[verdict]} {verdict}" for verdict in ("holds", "does not hold", "undecided")
    )
    return (
        f"{count_of(len(parts), 'part')} of {count_of(len(numbers), 'claim')}{where} judged: "
        f"{told}. An interval lies wholly on the wrong side of its threshold in about "
        f"{100 * WRONG_SIDE:g} % of samples at worst (more where few positions dominate a mean), "
        f"so chance alone may make about {wrong_by_chance(len(parts)):.1f} of these verdicts wrong."
    )
