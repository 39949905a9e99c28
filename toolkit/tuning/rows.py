"""The documented fields of what ``mtdf tune`` prints; see :mod:`toolkit.commands._json`.

Where effort is measured (objectives ``nodes`` and ``time``) a pair is a position, and gains are per
cent of effort saved instead of Elo.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from toolkit.base.rows import JsonOutput


class StudyRow(TypedDict):
    """One study."""

    name: Annotated[str, "name, as `tune show` takes it"]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    objective: Annotated[str, "`elo`, `nodes`, `time` or `simulated:MODULE:FUNCTION`"]
    sampler: Annotated[str, "`spsa`, `tpe`, ..., or `module:Class`"]
    parameters_tuned: Annotated[list[str], "names of the tuned parameters"]
    trials_done: Annotated[int, "trials that ended; more than planned where some were pruned"]
    trials_planned: Annotated[int, "trials of the whole search"]
    pairs_used: Annotated[int, "game pairs (positions) measured, all phases together"]
    budget_pairs: Annotated[int, "pairs of the whole study"]
    gain_elo: Annotated[
        float | None,
        "stated gain of the recommended values over the base, on pairs that chose nothing; null "
        "before it is measured, and where effort is measured",
    ]
    gain_error95: Annotated[
        float | None,
        "half of the 95 % interval of the stated gain, in its unit; null where an end is open",
    ]
    gain_percent: Annotated[float | None, "stated gain in per cent of effort saved; else null"]
    is_base: Annotated[
        bool | None,
        "whether the base itself is recommended, with a gain of 0, because nothing better was "
        "found; null before the end",
    ]
    seed: Annotated[int, "seed of the study"]
    event: Annotated[str | None, "short id of the event with its games; null where none are played"]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "`native` or `reference`: what it was begun with"]
    signature: Annotated[str, "signature of the core it was begun with"]
    version: Annotated[str, "version of mtdf that began it"]


class PhaseRow(TypedDict):
    """One part of a study's budget."""

    phase: Annotated[str, "`search`, `choice` (leading points played again) or `gain`"]
    pairs: Annotated[int, "pairs measured"]
    budget: Annotated[int, "pairs kept for it; what others leave measures the gain"]


class TunedRow(TypedDict):
    """One tuned parameter."""

    parameter: Annotated[str, "name"]
    kind: Annotated[str, "`int`, `float` or `choice`"]
    range: Annotated[str, "the values that are searched, as `--param` takes them"]
    needs: Annotated[str | None, "when it means anything, as in `guess=blend`"]
    base: Annotated[Any, "value of the base; null where it means nothing there"]
    recommended: Annotated[
        Any, "recommended value; null before there is one, and where it means nothing"
    ]


class GainRow(TypedDict):
    """A stated gain over the base, measured on pairs that chose nothing."""

    unit: Annotated[str, "`elo`, or `percent` of effort saved"]
    value: Annotated[float, "the gain"]
    low95: Annotated[float | None, "lower end of its 95 % interval; null: open"]
    high95: Annotated[float | None, "upper end; null: open"]
    error95: Annotated[float | None, "half of the interval; null where an end is open"]
    pairs: Annotated[int, "fresh pairs (positions) that it rests on"]
    note: Annotated[str, "what is special about it, in words; empty where nothing is"]


class ConfirmationRow(TypedDict):
    """One confirmation of a study: a test or match on openings that the study never played."""

    study: Annotated[str, "name of the study"]
    event: Annotated[str, "short id of the event"]
    kind: Annotated[str, "`sprt` or `match`"]
    status: Annotated[str, "as of events"]
    verdict: Annotated[
        str | None, "of a test: `H0`, `H1`, `continue` or `inconclusive`; null of a match"
    ]
    pairs: Annotated[int, "game pairs that count"]
    pentanomial: Annotated[list[int], "pairs by points of the recommended values, worst first"]
    elo: Annotated[
        float | None,
        "Elo over the base; of a test the median-unbiased estimate, where there is one",
    ]
    low95: Annotated[float | None, "lower end of its 95 % interval"]
    high95: Annotated[float | None, "upper end"]
    stated_elo: Annotated[float | None, "stated gain of the study; null where not measured"]
    stated_error95: Annotated[float | None, "half of its 95 % interval"]
    gap: Annotated[float | None, "stated gain minus this Elo; null where the study had opponents"]
    gap_error95: Annotated[
        float | None, "half of the 95 % interval of the gap, the two being independent"
    ]
    best_trial_gap: Annotated[
        float | None,
        "winner's curse: what the own score of the study's best trial claimed, minus this Elo; "
        "null of SPSA, whose trials claim nothing",
    ]
    book_slice: Annotated[str | None, "the part of the book that it plays"]


class StudyReport(StudyRow):
    """One study in full: the fields of `tune list`, then what it searched and what came out."""

    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    against: Annotated[list[str], "labels of the opponents; empty: points meet the base or another"]
    limit: Annotated[str, "what a move may cost, or how deep effort is measured, in words"]
    book: Annotated[str | None, "name of the book; null where no games are played"]
    book_slice: Annotated[str | None, "the part of it that is played"]
    pairs_per_trial: Annotated[int, "pairs (positions) of each encounter of a trial"]
    phases: Annotated[list[PhaseRow], "the budget by what it is for"]
    tuned: Annotated[list[TunedRow], "a row a parameter"]
    recommended: Annotated[
        str | None, "spelling of the recommended variant; null before, or without a variant"
    ]
    gain: Annotated[GainRow | None, "the stated gain; null where it was not measured"]
    refused: Annotated[
        dict[str, Any] | None,
        "the search's answer, where its measured gain was not above 0 and the base is recommended; "
        "else null",
    ]
    refused_gain: Annotated[
        GainRow | None, "its measured gain over the base, 0 or less, with the fields of `gain`"
    ]
    confirmations: Annotated[list[ConfirmationRow], "the oldest first"]
    best_trial: Annotated[
        int | None, "number of the trial with the best own score; null where trials have none"
    ]
    winners_curse: Annotated[
        float | None,
        "by how much that trial's own score exceeds the measured gain, stated or refused, in its "
        "unit; null where either is missing",
    ]
    pruned: Annotated[int, "trials that were pruned"]
    falsely_pruned: Annotated[
        int | None,
        "of these, trials that the posterior of all data puts above the one that was best then; "
        "null before the end, and without a pruner",
    ]
    falsely_pruned_expected: Annotated[
        float | None, "expected number of pruned trials that were better, by that posterior"
    ]


class TrialRow(TypedDict):
    """One trial. Its worth says how a few pairs went, not how strong it is. Trial 0 of all samplers
    but SPSA is the base, which plays nothing."""

    trial: Annotated[int, "number, from 0"]
    state: Annotated[str, "`running`, `complete`, `pruned` or `failed`"]
    parameters: Annotated[dict[str, Any], "its point; of SPSA the end called plus"]
    opponent: Annotated[dict[str, Any] | None, "of SPSA the end called minus; null of others"]
    theta: Annotated[
        dict[str, Any] | None,
        "of SPSA where the ordered parameters stood before it; null of others",
    ]
    worth: Annotated[
        float | None,
        "mean worth of its own few pairs: pair score minus 1/2 over the base, or, of SPSA, over "
        "`opponent`; against opponents minus what the base scores; of effort minus the mean ln of "
        "it relative to the base",
    ]
    worth_error95: Annotated[
        float | None,
        "half of its 95 % interval, from the spread of pairs within all trials; null without pairs "
        "and where effort is measured",
    ]
    pairs: Annotated[int, "pairs (positions) that count"]
    started_at: Annotated[str, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]


class ImportanceRow(TypedDict):
    """How much one parameter matters, the most important first."""

    parameter: Annotated[str, "name"]
    method: Annotated[
        str,
        "`ped-anova`: share of what tells the better trials from the others; `surface`: of SPSA, "
        "Elo lost with other values, by a surface through the comparisons of the ends",
    ]
    importance: Annotated[float, "share, 0 to 1, or Elo"]
    error95: Annotated[float | None, "half of its 95 % interval; null of ped-anova"]
    trials: Annotated[int, "trials that it rests on"]


class ExportRow(TypedDict):
    """What `tune export --format json` prints: what a study recommends."""

    study: Annotated[str, "name"]
    status: Annotated[str, "`done`; only then there is something to export"]
    parameters: Annotated[
        dict[str, Any], "recommended values of the tuned parameters that mean anything"
    ]
    is_base: Annotated[bool, "whether these are the base's values: nothing better was found"]
    gain_elo: Annotated[
        float | None, "stated gain; null where not measured, or measured in per cent"
    ]
    gain_error95: Annotated[
        float | None, "half of the 95 % interval of the stated gain; null where an end is open"
    ]
    pairs_used: Annotated[int, "pairs (positions) of all phases"]
    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    variant: Annotated[str | None, "spelling of the recommended variant; null likewise"]
    gain: Annotated[GainRow | None, "the stated gain in full"]
    refused: Annotated[
        dict[str, Any] | None, "what was not recommended because it measured no gain; else null"
    ]
    refused_gain: Annotated[
        GainRow | None, "its measured gain, 0 or less, with the fields of `gain`"
    ]
    budget_pairs: Annotated[int, "pairs of the whole study"]
    objective: Annotated[str, "what was made better"]
    seed: Annotated[int, "seed of the study"]


class StudyPlanRow(TypedDict):
    """What `tune run --dry-run` prints."""

    name: Annotated[str, "name; empty: one is made when it starts"]
    objective: Annotated[str, "what is made better"]
    sampler: Annotated[str, "the sampler that was chosen"]
    sampler_options: Annotated[dict[str, Any], "as given"]
    pruner: Annotated[str | None, "null: none"]
    trials: Annotated[int, "trials of the search"]
    pairs_per_trial: Annotated[int, "pairs (positions) of each encounter of a trial"]
    encounters_per_trial: Annotated[int, "more than 1 only with several opponents or ends"]
    in_flight: Annotated[int, "trials under way at a time"]
    phases: Annotated[list[PhaseRow], "the budget by what it is for"]
    tuned: Annotated[list[TunedRow], "a row a parameter"]
    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    against: Annotated[list[str], "labels of the opponents"]
    limit: Annotated[str, "what a move may cost, or how deep effort is measured, in words"]
    book: Annotated[str | None, "name of the book; null where no games are played"]
    book_slice: Annotated[str | None, "the part of it that is played"]
    seed: Annotated[int, "seed of the study"]
    jobs: Annotated[int, "worker processes"]
    estimate_s: Annotated[
        float | None,
        "estimate of the time of the whole budget in seconds; null where there is none",
    ]
    estimate_basis: Annotated[str, "what the estimate comes from"]


class StudyPlotRow(TypedDict):
    """A page of plots that was written."""

    study: Annotated[str, "name of the study"]
    file: Annotated[str, "the file"]


class OptunaStorageRow(TypedDict):
    """What `tune export --optuna-storage` wrote."""

    study: Annotated[str, "name of the study, there too"]
    file: Annotated[str, "the file: SQLite, in Optuna's own schema"]
    trials: Annotated[int, "trials in it"]


TUNING_OUTPUT: dict[str, JsonOutput] = {
    "tune run, tune resume, tune show": JsonOutput(
        StudyReport,
        is_array=False,
        nested={
            "phases": PhaseRow,
            "tuned": TunedRow,
            "gain": GainRow,
            "confirmations": ConfirmationRow,
        },
    ),
    "tune run --dry-run": JsonOutput(
        StudyPlanRow, is_array=False, nested={"phases": PhaseRow, "tuned": TunedRow}
    ),
    "tune list": JsonOutput(StudyRow),
    "tune trials": JsonOutput(TrialRow),
    "tune importance": JsonOutput(ImportanceRow),
    "tune plot": JsonOutput(StudyPlotRow, is_array=False),
    "tune confirm": JsonOutput(ConfirmationRow, is_array=False),
    "tune export": JsonOutput(ExportRow, is_array=False, nested={"gain": GainRow}),
    "tune export --optuna-storage": JsonOutput(OptunaStorageRow, is_array=False),
}
"""Every kind of JSON that ``mtdf tune`` prints, by command."""
