"""What ``db merge`` prints."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.format import and_list, count_of, format_count
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.runs.merging import MergedRun, MergeOutcome, MergeProgress


def print_outcomes(output: Output, outcomes: Sequence[MergeOutcome]) -> None:
    """For each database a table of the runs of which something was added, and totals; warnings for
    those that were refused."""
    for outcome in outcomes:
        _print(output, outcome)


def progress_text(progress: MergeProgress) -> str:
    """How far a merge is."""
    done = "added" if progress.adding else "compared"
    return f"{progress.run}: {count_of(progress.rows, 'row')} {done}"


def _print(output: Output, outcome: MergeOutcome) -> None:
    runs = outcome.runs
    shown = [run for run in runs if run.state in ("new", "added")]
    if shown:
        output.table(_FIELDS, shown, data="--json")
    for run in runs:
        if run.problem is not None:
            output.warning(f"{_title(run)} of {outcome.source} is not merged: {run.problem}")
    output.text(_summary(outcome))
    if outcome.engines:
        output.text(f"external engines: {', '.join(outcome.engines)}")
    for name in outcome.other_engines:
        output.hint(f"engine `{name}` is another one in {outcome.source}: this one stays")
    for run in runs:
        if run.in_progress and run.problem is None:
            output.hint(f"{_title(run)} goes on in {outcome.source}: merge it again later")
        if run.state == "new":
            _say_renamed(output, run)
    if outcome.rating_lists:
        lists = count_of(outcome.rating_lists, "rating list")
        output.hint(f"{lists} of {outcome.source} stayed there: they describe its games")


def _say_renamed(output: Output, run: MergedRun) -> None:
    if run.kind == "event" and run.into not in (None, run.name):
        output.hint(f"{_title(run)} is {run.into} here: another event has that id")
    if run.renamed is not None:
        output.hint(f"{_title(run)} is called `{run.renamed}` here: its name was taken")


def _summary(outcome: MergeOutcome) -> str:
    runs = outcome.runs
    counts = [
        (sum(run.games or 0 for run in runs), "game", ""),
        (sum(run.trials or 0 for run in runs), "trial", ""),
        (sum(run.searches or 0 for run in runs), "search", "searches"),
    ]
    added = [count_of(*count) for count in counts if count[0]]
    states = [run.state for run in runs]
    of = [
        f"{format_count(states.count(state))} {state}"
        for state in ("new", "added", "known", "refused")
        if state in states
    ]
    verb = "would be added" if outcome.dry_run else "added"
    told = f"{and_list(added)} {verb}" if added else f"nothing {verb}"
    number = count_of(len(runs), "run")
    return f"{outcome.source}: {told}; {number}" + (f": {', '.join(of)}" if of else "")


def _title(run: MergedRun) -> str:
    kind = "laboratory run" if run.kind == "run" else run.kind
    return f"{kind} {run.name}"


_FIELDS: list[Field[MergedRun]] = [
    Field("kind", lambda run: run.kind, spare=2),
    Field("run", lambda run: run.name),
    Field("here", lambda run: run.into or None),
    Field("state", lambda run: run.state),
    Field("pairs", lambda run: format_count(run.pairs), "right", 1),
    Field("games", lambda run: format_count(run.games), "right"),
    Field("repeat", lambda run: format_count(run.repeats), "right", 3),
    Field("trials", lambda run: format_count(run.trials), "right", 4),
    Field("encounters", lambda run: format_count(run.encounters), "right", 5),
    Field("searches", lambda run: format_count(run.searches), "right"),
]
