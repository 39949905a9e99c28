"""Studies, and the end of a study's run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of, format_count, format_number, format_setting, format_share
from toolkit.base.output import Output
from toolkit.base.table import Field
from toolkit.runs.lifecycle import named_command
from toolkit.show.tables.event_plan import estimate_line
from toolkit.show.tables.runs import note_field
from toolkit.tuning.models.importance import Importance
from toolkit.tuning.study.confirm import ConfirmationRow
from toolkit.tuning.study.report import (
    PhaseRow,
    StudyPlanRow,
    StudyReport,
    StudyRow,
    TrialRow,
    TunedRow,
)

if TYPE_CHECKING:
    from toolkit.tuning.study.progress import StandingEstimate, StudyOutcome, StudyProgress


def print_standing(output: Output, outcome: StudyOutcome, unit: str) -> None:
    """The state of an interrupted study: its best point so far."""
    from toolkit.tuning.space.point import point_text

    progress = outcome.progress
    if progress.current is None or not progress.pairs_done:
        return
    output.text(
        f"best point so far, after {format_count(progress.pairs_done)} of "
        f"{count_of(progress.pairs_planned, unit)}: {point_text(progress.current)}"
    )
    if progress.estimate is not None:
        output.text(estimate_text(progress, progress.estimate))


def estimate_text(progress: StudyProgress, estimate: StandingEstimate) -> str:
    """The approximate gain of the current point, and the basis of the estimate."""
    effort = progress.study.settings["objective"]["kind"] in ("nodes", "time")
    unit = "% of effort saved" if effort else "Elo over the base"
    interval = f"[{format_number(estimate.low95)}, {format_number(estimate.high95)}]"
    basis = "measured" if estimate.model == "pairs" else f"by its {estimate.model}, indicative only"
    return f"about {format_number(estimate.value, signed=True)} {interval} {unit} ({basis})"


def print_study_plan(output: Output, row: StudyPlanRow) -> None:
    """What a study would do."""
    several = f" in {row.encounters_per_trial} encounters" * (row.encounters_per_trial > 1)
    output.text(f"plan   objective {row.objective}, sampler {row.sampler}, seed {row.seed}")
    output.text(
        f"search {count_of(row.trials, 'trial')} of "
        f"{count_of(row.pairs_per_trial, unit_of(row))}{several}, {row.in_flight} at a time"
        f"{', pruner ' + row.pruner if row.pruner else ''}"
    )
    output.text(f"budget {_phases(row.phases, unit_of(row), planned=True)}")
    _print_conditions(output, row)
    output.text(estimate_line(row.estimate_s, row.jobs, row.estimate_basis))
    output.text()
    print_tuned(output, row)
    output.hint("nothing was started (--dry-run)")


def print_study(output: Output, row: StudyReport) -> None:
    """One study in full."""
    output.text(
        f"study  {row.name}, {row.status}; objective {row.objective}, sampler "
        f"{row.sampler}, seed {row.seed}"
    )
    if row.note:
        output.text(f"note   {row.note}")
    _print_conditions(output, row)
    output.text(f"budget {_phases(row.phases, unit_of(row), planned=False)}")
    planned = "" if row.pruned else f" of {row.trials_planned}"
    output.text(f"trials {row.trials_done}{planned}{_pruned(row)}")
    output.text()
    print_tuned(output, row)
    output.text()
    _print_recommended(output, row)
    for confirmation in row.confirmations:
        for line in confirmation_lines(confirmation):
            output.text(line)


def print_studies(output: Output, rows: list[StudyRow]) -> None:
    """Studies, one line each."""
    fields: list[Field[StudyRow]] = [
        Field("study", lambda row: row.name),
        Field("status", lambda row: row.status),
        Field("objective", lambda row: row.objective, spare=4),
        Field("sampler", lambda row: row.sampler, spare=5),
        Field("trials", lambda row: f"{row.trials_done}/{row.trials_planned}", "right", 3),
        Field("pairs", lambda row: f"{row.pairs_used}/{row.budget_pairs}", "right", 2),
        Field("gain", _gain_text, "right"),
        Field("±95", lambda row: None if row.is_base else format_number(row.gain_error95), "right"),
        Field("parameters", lambda row: ",".join(row.parameters_tuned), spare=6),
        note_field(output, rows, lambda row: row.note),
    ]
    output.table(fields, rows)


def _gain_text(row: StudyRow) -> str:
    if row.is_base:
        return "base"
    if row.gain_percent is not None:
        return f"{format_number(row.gain_percent, signed=True)} %"
    return format_number(row.gain_elo, signed=True)


def print_trials(output: Output, rows: Sequence[TrialRow], *, effort: bool) -> None:
    """Trials, one line each; those of SPSA with both points and θ before the trial."""
    from toolkit.tuning.space.point import point_text

    spsa = any(row.theta is not None for row in rows)
    fields: list[Field[TrialRow]] = [
        Field("trial", lambda row: str(row.trial), "right"),
        Field("state", lambda row: row.state, spare=2),
        Field("pairs", lambda row: str(row.pairs), "right", 3),
        Field("worth", lambda row: format_number(row.worth, 3, signed=True), "right"),
        Field("±95", lambda row: format_number(row.worth_error95, 3), "right", 1),
        Field("theta", lambda row: point_text(row.theta), when=spsa),
        Field("plus" if spsa else "parameters", lambda row: point_text(row.parameters)),
        Field("minus", lambda row: point_text(row.opponent), when=spsa),
    ]
    output.table(fields, rows)
    if spsa:
        output.hint(
            "worth: score of plus against minus, - 1/2; it moves theta and cannot rank points"
        )
    elif effort:
        output.hint("worth: minus the mean ln of effort relative to the base; +0.05 saves 5 %")
    else:
        output.hint("worth: from few pairs each, so the best of many trials is partly luck")


def print_importance(output: Output, rows: Sequence[Importance]) -> None:
    """Parameters, the most important first."""
    surface = rows[0].method == "surface"
    fields: list[Field[Importance]] = [
        Field("parameter", lambda row: row.parameter),
        Field(
            "Elo lost elsewhere",
            lambda row: format_number(row.importance, signed=True),
            "right",
            when=surface,
        ),
        Field("share", lambda row: format_share(row.importance), "right", when=not surface),
        Field("±95", lambda row: format_number(row.error95), "right", when=surface),
    ]
    output.table(fields, rows)
    basis = "a surface through the comparisons" if surface else "PED-ANOVA of posterior means"
    output.hint(f"by {basis}, of {count_of(rows[0].trials, 'trial')}")


def confirmation_lines(row: ConfirmationRow) -> list[str]:
    """A confirmation, compared with the gain stated by the study."""
    said = f"{row.verdict} " if row.verdict not in (None, "continue") else ""
    unfinished = "" if row.status == "done" else f", {row.status}"
    go_on = f"continue with: mtdf resume {row.event}"
    if row.elo is None:
        if row.status == "done":
            return [f"confirmation {row.event} is done, but no pair of it counts"]
        return [f"confirmation {row.status}, no pair is played; {go_on}"]
    lines = [
        f"confirmed {said}on {count_of(row.pairs, 'other pair')}: "
        f"{format_number(row.elo, signed=True)} "
        f"[{format_number(row.low95)}, {format_number(row.high95)}] Elo over the base "
        f"(95 %, {row.kind} {row.event}{unfinished}, Ptnml {row.pentanomial})"
    ]
    if row.status not in ("done", "running"):
        lines.append(f"confirmation {row.status}; {go_on}")
    if row.gap is not None:
        error = "" if row.gap_error95 is None else f" ± {format_number(row.gap_error95)}"
        lines.append(
            f"gap    stated {format_number(row.stated_elo, signed=True)} minus confirmed: "
            f"{format_number(row.gap, signed=True)}{error} Elo"
        )
    if row.best_trial_gap is not None:
        lines.append(_curse(row.best_trial_gap, "Elo", "what is confirmed"))
    return lines


def _curse(excess: float, unit: str, measured: str) -> str:
    """How far the best trial's own score, which is not a strength, differs from the measurement."""
    word = "more" if excess >= 0 else "less"
    claim = f"{format_number(abs(excess))} {unit} {word} than {measured}"
    return f"curse  the best trial's own score claimed {claim}"


def _print_recommended(output: Output, row: StudyReport) -> None:
    from toolkit.tuning.study.export import gain_text, nothing_better, refusal_text

    if row.is_base is None:
        output.text("recommended  nothing yet")
        return
    what = row.recommended or "the values above"
    if row.is_base:
        what = f"the base: {nothing_better(row)}"
    if row.refused is not None:
        what = "the base: the point found by the search measured no gain"
    output.text(f"recommended  {what}")
    if row.refused is not None:
        output.text(f"refused      {refusal_text(row.refused, row.refused_gain)}")
    else:
        output.text(gain_text(row.gain))
    if row.winners_curse is not None:
        unit = "Elo" if row.gain is None or row.gain.unit == "elo" else "%"
        output.text(_curse(row.winners_curse, unit, "what was measured"))


def _print_conditions(output: Output, row: StudyPlanRow | StudyReport) -> None:
    if row.base is None:
        return
    against = f"   against {', '.join(row.against)}" if row.against else ""
    output.text(f"base   {row.base}{against}")
    part = f" slice {row.book_slice}" if row.book_slice else ""
    book = f"   book {row.book}{part}" if row.book else ""
    output.text(f"limit  {row.limit}{book}")


def print_tuned(output: Output, report: StudyPlanRow | StudyReport) -> None:
    """The tuned parameters, with the recommended values if there are some."""
    fields: list[Field[TunedRow]] = [
        Field("parameter", lambda row: row.parameter),
        Field(
            "searched", lambda row: row.range + (f" if {row.needs}" if row.needs else ""), spare=1
        ),
        Field("base", lambda row: _tuned_value(row, row.base), "right"),
        Field(
            "recommended",
            lambda row: _tuned_value(row, row.recommended),
            "right",
            when=isinstance(report, StudyReport) and report.is_base is not None,
        ),
    ]
    output.table(fields, report.tuned, data="--json")


def _tuned_value(row: TunedRow, value: Any) -> str:
    """A value of a tuned parameter, written as its range is."""
    if row.range.startswith("2^") and isinstance(value, int):
        return f"2^{value.bit_length() - 1}"
    return format_setting(value)


def _phases(rows: list[PhaseRow], unit: str, *, planned: bool) -> str:
    """The budget in words, and how much of it was used unless it is only ``planned``."""
    names = {"search": "search", "choice": "final choice", "gain": "measured gain"}
    shown = [row for row in rows if row.budget or row.pairs]
    total = count_of(sum(row.budget for row in rows), unit)
    if planned:
        parts = [f"{names[row.phase]} {format_count(row.budget)}" for row in shown]
        return f"{total}: {', '.join(parts)}"
    parts = [
        f"{names[row.phase]} {format_count(row.pairs)}/{format_count(row.budget)}" for row in shown
    ]
    return f"{format_count(sum(row.pairs for row in rows))} of {total}: {', '.join(parts)}"


def _pruned(row: StudyReport) -> str:
    if not row.pruned and row.falsely_pruned is None:
        return ""
    text = f", {row.pruned} pruned"
    if row.falsely_pruned is not None:
        expected = format_number(row.falsely_pruned_expected)
        text += f", {row.falsely_pruned} of them falsely ({expected} expected)"
    return text


def unit_of(row: StudyPlanRow | StudyReport) -> str:
    return "position" if row.objective in ("nodes", "time") else "pair"


def next_step(report: StudyReport) -> str:
    """What to do with a study that is done. Only games can be confirmed."""
    gain, done = report.gain, f"study {report.name} is done"
    effort = report.objective in ("nodes", "time")
    if report.is_base:
        more = "more --trials" if effort else "a larger --budget-pairs"
        return f"{done} and recommends its base; {more} may find more"
    values = named_command("tune export", report.name)
    confirm = named_command("tune confirm", report.name) if report.book is not None else None
    if gain is not None and gain.low95 is not None and gain.low95 <= 0:
        ways = ["a larger --position-count" if effort else "a larger --budget-pairs"]
        ways += [f"`{confirm}`"] if confirm else []
        unsure = f"its gain may be luck: {' or '.join(ways)} can settle it"
        return f"{done}; {unsure}; values: {values}"
    if confirm is None:
        return f"{done}; export its values: {values}"
    return f"{done}; confirm it on other openings: {confirm}; export the values: {values}"
