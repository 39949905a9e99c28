"""What an event would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import count_of, format_count, format_duration
from toolkit.base.output import Output

if TYPE_CHECKING:
    from toolkit.events.progress import EventPlan

_ENGINES = 12
"""Engines that a plan names."""


def print_plan(output: Output, plan: EventPlan) -> None:
    """What an event would do."""
    book = plan.book if plan.book_slice is None else f"{plan.book} slice {plan.book_slice}"
    output.text(
        f"plan   {plan.kind}, {_pairings_text(plan) if plan.form is None else _rounds_text(plan)}, "
        f"book {book} ({format_count(plan.lines_used)} of {count_of(plan.lines, 'line')}), "
        f"seed {plan.seed}{', Chess960' if plan.chess960 else ''}"
    )
    again = plan.variation or "deterministic: same result on any machine"
    output.text(f"limit  {plan.limit} ({again})")
    output.text(f"ends   {plan.adjudication}")
    engines = list(dict.fromkeys(label for pairing in plan.pairings for label in pairing))
    against = ""
    if plan.kind == "race":
        base = plan.pairings[0][1]
        engines.remove(base)
        against = f" against {base}"
    more = f" and {len(engines) - _ENGINES} more" if len(engines) > _ENGINES else ""
    if engines:
        output.text(f"who    {', '.join(engines[:_ENGINES])}{more}{against}")
    output.text(estimate_line(plan.estimate_s, plan.jobs, plan.estimate_basis, plan.latest_s))
    output.hint("nothing was started (--dry-run)")


def _pairings_text(plan: EventPlan) -> str:
    """The pairings, pairs and games of an event that knows them."""
    heroes = len({first for first, _ in plan.pairings})
    who = count_of(len(plan.pairings), "pairing")
    if plan.kind == "ablation":
        who = count_of(len(plan.pairings), "feature")
        if heroes > 1:
            field = count_of(len(plan.pairings) // heroes, "opponent")
            who = f"{count_of(heroes - 1, 'feature')} and the full engine x {field}"
    elif plan.kind == "gauntlet":
        who = f"{heroes} x {count_of(len(plan.pairings) // heroes, 'opponent')}"
    if plan.expected_pairs is None:
        return f"{who}, {count_of(plan.pairs, 'pair')} each = {count_of(plan.games, 'game')}"
    expected = format_count(round(plan.expected_pairs))
    return f"{who}, at most {count_of(plan.pairs, 'pair')}, about {expected} expected"


def _rounds_text(plan: EventPlan) -> str:
    """The rounds and games of an event whose later pairings depend on results."""
    games = count_of(plan.games, "game")
    if plan.expected_pairs is None:
        games = f"at most {games}"
    elif 2 * plan.expected_pairs < plan.games:
        expected = format_count(round(2 * plan.expected_pairs))
        games = f"at most {games}, about {expected} expected"
    return f"{plan.form} = {games}"


def estimate_line(
    estimate_s: float | None, jobs: int, basis: str, latest_s: float | None = None
) -> str:
    """The estimated time, the maximum if it differs, and the basis of both."""
    if estimate_s is None:
        return f"est.   unknown ({basis})"
    most = "" if latest_s is None else f" (at most ~{format_duration(latest_s)})"
    return f"est.   ~{format_duration(estimate_s)}{most} at {count_of(jobs, 'job')} ({basis})"
