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
    if plan.form is not None:
        _print_plan_in_rounds(output, plan)
        return
    heroes = len({first for first, _ in plan.pairings})
    who = count_of(len(plan.pairings), "pairing")
    if plan.kind == "ablation":
        who = count_of(len(plan.pairings), "feature")
        if heroes > 1:
            field = count_of(len(plan.pairings) // heroes, "opponent")
            who = f"{count_of(heroes - 1, 'feature')} and the full engine x {field}"
    elif plan.kind == "gauntlet":
        who = f"{heroes} x {count_of(len(plan.pairings) // heroes, 'opponent')}"
    pairs = f"{count_of(plan.pairs, 'pair')} each = {count_of(plan.games, 'game')}"
    if plan.expected_pairs is not None:
        expected = format_count(round(plan.expected_pairs))
        pairs = f"at most {count_of(plan.pairs, 'pair')}, about {expected} expected"
    _print_plan_lines(output, plan, f"{who}, {pairs}")


def _print_plan_in_rounds(output: Output, plan: EventPlan) -> None:
    """What an event would do whose later pairings depend on results."""
    games = f"{count_of(plan.games, 'game')}"
    if plan.expected_pairs is None:
        games = f"at most {games}"
    elif 2 * plan.expected_pairs < plan.games:
        expected = format_count(round(2 * plan.expected_pairs))
        games = f"at most {games}, about {expected} expected"
    _print_plan_lines(output, plan, f"{plan.form} = {games}")


def _print_plan_lines(output: Output, plan: EventPlan, what: str) -> None:
    """The lines of a plan; ``what``: its pairings and games."""
    book = plan.book if plan.book_slice is None else f"{plan.book} slice {plan.book_slice}"
    output.text(
        f"plan   {plan.kind}, {what}, "
        f"book {book} ({format_count(plan.lines_used)} of {count_of(plan.lines, 'line')}), "
        f"seed {plan.seed}{', Chess960' if plan.chess960 else ''}"
    )
    again = plan.variation or "deterministic: same result on any machine"
    output.text(f"limit  {plan.limit} ({again})")
    output.text(f"ends   {plan.adjudication}")
    engines = list(dict.fromkeys(label for pairing in plan.pairings for label in pairing))
    more = f" and {len(engines) - _ENGINES} more" if len(engines) > _ENGINES else ""
    if engines:
        output.text(f"who    {', '.join(engines[:_ENGINES])}{more}")
    output.text(estimate_line(plan.estimate_s, plan.jobs, plan.estimate_basis, plan.latest_s))
    output.hint("nothing was started (--dry-run)")


def estimate_line(
    estimate_s: float | None, jobs: int, basis: str, latest_s: float | None = None
) -> str:
    """The estimated time, the maximum if it differs, and the basis of both."""
    if estimate_s is None:
        return f"est.   unknown ({basis})"
    most = "" if latest_s is None else f" (at most ~{format_duration(latest_s)})"
    return f"est.   ~{format_duration(estimate_s)}{most} at {count_of(jobs, 'job')} ({basis})"
