"""The documented fields of ``mtdf tune``; see :mod:`toolkit.commands._json`.

For effort objectives (``nodes`` and ``time``), a pair is a position, and gains are per cent of
effort saved instead of Elo.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from toolkit.base.rows import JsonOutput


class StudyRow(TypedDict):
    """One study."""

    name: Annotated[str, "name for `tune show`"]
    status: Annotated[str, "`planned`, `running`, `interrupted`, `done` or `failed`"]
    objective: Annotated[str, "`elo`, `nodes`, `time` or `simulated:MODULE:FUNCTION`"]
    sampler: Annotated[str, "sampler: `spsa`, `tpe`, ..., or `module:Class`"]
    parameters_tuned: Annotated[list[str], "names of the tuned parameters"]
    trials_done: Annotated[int, "finished trials; may exceed the plan if some were pruned"]
    trials_planned: Annotated[int, "planned trials"]
    pairs_used: Annotated[int, "measured game pairs (positions) in all phases"]
    budget_pairs: Annotated[int, "budget of the whole study in pairs"]
    gain_elo: Annotated[
        float | None,
        "stated gain of the recommended values over the base, on fresh pairs that played no part "
        "in the choice; null before it is measured, and for effort objectives",
    ]
    gain_error95: Annotated[
        float | None,
        "half the width of the 95 % interval of the stated gain, in its unit; null if an end is "
        "open",
    ]
    gain_percent: Annotated[
        float | None, "stated gain in per cent of effort saved, for effort objectives; else null"
    ]
    is_base: Annotated[
        bool | None,
        "whether the base is recommended, with a gain of 0, because nothing better was found; null "
        "before the end",
    ]
    seed: Annotated[int, "seed of the study"]
    event: Annotated[
        str | None, "short id of the event with its games; null if no games are played"
    ]
    created_at: Annotated[str, "UTC, ISO 8601"]
    started_at: Annotated[str | None, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]
    backend: Annotated[str, "backend when it was started: `native` or `reference`"]
    signature: Annotated[str, "core signature when it was started"]
    version: Annotated[str, "version of mtdf that started it"]
    note: Annotated[str, "note of `tune annotate`; empty if there is none"]


class PhaseRow(TypedDict):
    """One part of a study's budget."""

    phase: Annotated[str, "`search`, `choice` (leading points played again) or `gain`"]
    pairs: Annotated[int, "pairs measured"]
    budget: Annotated[
        int, "pairs reserved for the phase; pairs left over by other phases measure the gain"
    ]


class TunedRow(TypedDict):
    """One tuned parameter."""

    parameter: Annotated[str, "name"]
    kind: Annotated[str, "`int`, `float` or `choice`"]
    range: Annotated[str, "searched values, as for `--param`"]
    needs: Annotated[str | None, "condition under which it has an effect, such as `guess=blend`"]
    base: Annotated[Any, "value in the base; null if it has no effect there"]
    recommended: Annotated[
        Any, "recommended value; null before there is one, and if it has no effect"
    ]


RESOLUTION = (
    "Elo below which the planned pairs of the gain cannot tell it from 0, about; null if no games "
    "measure it"
)


class GainRow(TypedDict):
    """A stated gain over the base, measured on fresh pairs that played no part in the choice."""

    unit: Annotated[str, "`elo`, or `percent` of effort saved"]
    value: Annotated[float, "the gain"]
    low95: Annotated[float | None, "lower end of its 95 % interval; null if open"]
    high95: Annotated[float | None, "upper end; null if open"]
    error95: Annotated[float | None, "half the width of the interval; null if an end is open"]
    pairs: Annotated[int, "number of fresh pairs (positions) measured"]
    note: Annotated[str, "remark on the measurement, as text; usually empty"]


class ConfirmationRow(TypedDict):
    """One confirmation of a study: a test or match on openings that the study never played."""

    study: Annotated[str, "name of the study"]
    event: Annotated[str, "short id of the event"]
    kind: Annotated[str, "`sprt` or `match`"]
    status: Annotated[str, "status of the event, as in `events`"]
    verdict: Annotated[
        str | None, "for a test: `H0`, `H1`, `continue` or `inconclusive`; null for a match"
    ]
    pairs: Annotated[int, "counted game pairs"]
    pentanomial: Annotated[list[int], "pairs by points of the recommended values, worst first"]
    elo: Annotated[
        float | None,
        "Elo over the base; for a test the median-unbiased estimate, if there is one",
    ]
    low95: Annotated[float | None, "lower end of its 95 % interval"]
    high95: Annotated[float | None, "upper end"]
    stated_elo: Annotated[float | None, "stated gain of the study; null if not measured"]
    stated_error95: Annotated[float | None, "half the width of its 95 % interval"]
    gap: Annotated[float | None, "stated gain minus this Elo; null if the study had opponents"]
    gap_error95: Annotated[
        float | None, "half the width of the 95 % interval of the gap; the two are independent"
    ]
    best_trial_gap: Annotated[
        float | None,
        "winner's curse: Elo of the best trial's own score, minus this Elo; null for SPSA, whose "
        "trials do not measure strength",
    ]
    book_slice: Annotated[str | None, "slice of the book that it plays"]


class StudyReport(StudyRow):
    """One study in full: the fields of `tune list`, the search and its results."""

    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    against: Annotated[
        list[str], "labels of the opponents; empty if points play the base or each other"
    ]
    limit: Annotated[str, "limit for a move, or depth of effort measurements, as text"]
    book: Annotated[str | None, "name of the book; null if no games are played"]
    book_slice: Annotated[str | None, "slice of the book"]
    pairs_per_trial: Annotated[int, "pairs (positions) per encounter of a trial"]
    phases: Annotated[list[PhaseRow], "budget by phase"]
    tuned: Annotated[list[TunedRow], "one row per parameter"]
    recommended: Annotated[
        str | None,
        "spelling of the recommended variant; null before there is one, or if the study has no "
        "variants",
    ]
    gain: Annotated[GainRow | None, "the stated gain; null if it was not measured"]
    refused: Annotated[
        dict[str, Any] | None,
        "the point chosen by the search, if its measured gain was not above 0 and the base is "
        "recommended instead; else null",
    ]
    refused_gain: Annotated[
        GainRow | None, "measured gain of the refused point, 0 or less, with the fields of `gain`"
    ]
    confirmations: Annotated[list[ConfirmationRow], "confirmations, oldest first"]
    best_trial: Annotated[
        int | None, "number of the trial with the best own score; null if trials have no score"
    ]
    winners_curse: Annotated[
        float | None,
        "excess of that trial's own score over the measured gain, stated or refused, in its unit; "
        "null if either is missing",
    ]
    pruned: Annotated[int, "number of pruned trials"]
    falsely_pruned: Annotated[
        int | None,
        "number of pruned trials that the posterior of all data puts above the best trial at that "
        "time; null before the end, and without a pruner",
    ]
    falsely_pruned_expected: Annotated[
        float | None,
        "expected number of pruned trials that were better, according to that posterior",
    ]
    resolution: Annotated[float | None, RESOLUTION]


class TrialRow(TypedDict):
    """One trial. Its worth comes from a few pairs and does not measure its strength. For all
    samplers except SPSA, trial 0 is the base, which is not played."""

    trial: Annotated[int, "number, from 0"]
    state: Annotated[str, "`running`, `complete`, `pruned` or `failed`"]
    parameters: Annotated[dict[str, Any], "its point; for SPSA the plus point"]
    opponent: Annotated[dict[str, Any] | None, "for SPSA the minus point; else null"]
    theta: Annotated[
        dict[str, Any] | None,
        "for SPSA the ordered parameters before the trial; else null",
    ]
    worth: Annotated[
        float | None,
        "mean worth of its pairs: pair score minus 1/2 against the base or, for SPSA, against "
        "`opponent`; against opponents, score minus the base's score; for effort objectives, minus "
        "the mean ln of the effort relative to the base",
    ]
    worth_error95: Annotated[
        float | None,
        "half the width of its 95 % interval, from the spread of pairs within all trials; null "
        "without pairs and for effort objectives",
    ]
    pairs: Annotated[int, "counted pairs (positions)"]
    started_at: Annotated[str, "UTC, ISO 8601"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]


class ImportanceRow(TypedDict):
    """How much one parameter matters, the most important ones first."""

    parameter: Annotated[str, "name"]
    method: Annotated[
        str,
        "`ped-anova`: share in what distinguishes better trials from the others; `surface` (SPSA): "
        "Elo lost with other values, from a surface fitted to the comparisons of points",
    ]
    importance: Annotated[float, "share, 0 to 1, or Elo"]
    error95: Annotated[float | None, "half the width of its 95 % interval; null for ped-anova"]
    trials: Annotated[int, "number of trials used"]


class ExportRow(TypedDict):
    """The output of `tune export --format json`: the recommendation of a study."""

    study: Annotated[str, "name"]
    status: Annotated[str, "always `done`: other studies have nothing to export"]
    parameters: Annotated[
        dict[str, Any], "recommended values of the tuned parameters that have an effect"
    ]
    is_base: Annotated[bool, "whether these are the base's values: nothing better was found"]
    gain_elo: Annotated[float | None, "stated gain; null if not measured, or measured in per cent"]
    gain_error95: Annotated[
        float | None,
        "half the width of the 95 % interval of the stated gain; null if an end is open",
    ]
    pairs_used: Annotated[int, "pairs (positions) of all phases"]
    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    variant: Annotated[
        str | None, "spelling of the recommended variant; null with a simulated objective"
    ]
    gain: Annotated[GainRow | None, "the stated gain in full"]
    refused: Annotated[
        dict[str, Any] | None,
        "refused point, not recommended because it measured no gain; else null",
    ]
    refused_gain: Annotated[
        GainRow | None, "measured gain of the refused point, 0 or less, with the fields of `gain`"
    ]
    budget_pairs: Annotated[int, "budget of the whole study in pairs"]
    objective: Annotated[str, "objective of the study"]
    seed: Annotated[int, "seed of the study"]


class StudyPlanRow(TypedDict):
    """The output of `tune run --dry-run`."""

    name: Annotated[str, "name; if empty, one is generated at the start"]
    objective: Annotated[str, "objective of the study"]
    sampler: Annotated[str, "selected sampler"]
    sampler_options: Annotated[dict[str, Any], "options of the sampler, as given"]
    pruner: Annotated[str | None, "pruner; null if none"]
    trials: Annotated[int, "trials of the search"]
    pairs_per_trial: Annotated[int, "pairs (positions) per encounter of a trial"]
    encounters_per_trial: Annotated[
        int, "encounters per trial; more than 1 only with several opponents or points"
    ]
    in_flight: Annotated[int, "trials that run at the same time"]
    phases: Annotated[list[PhaseRow], "budget by phase"]
    tuned: Annotated[list[TunedRow], "one row per parameter"]
    base: Annotated[str | None, "spelling of the base; null with a simulated objective"]
    against: Annotated[list[str], "labels of the opponents"]
    limit: Annotated[str, "limit for a move, or depth of effort measurements, as text"]
    book: Annotated[str | None, "name of the book; null if no games are played"]
    book_slice: Annotated[str | None, "slice of the book"]
    seed: Annotated[int, "seed of the study"]
    jobs: Annotated[int, "worker processes"]
    estimate_s: Annotated[
        float | None,
        "estimated time for the whole budget in seconds; null if there is no estimate",
    ]
    estimate_basis: Annotated[str, "basis of the estimate"]
    resolution: Annotated[float | None, RESOLUTION]


class StudyPlotRow(TypedDict):
    """The written plots of a study."""

    study: Annotated[str, "name of the study"]
    file: Annotated[str, "the file"]


class OptunaStorageRow(TypedDict):
    """What `tune export --optuna-storage` wrote."""

    study: Annotated[str, "name of the study, also in the file"]
    file: Annotated[str, "SQLite file with Optuna's schema"]
    trials: Annotated[int, "number of trials in the file"]


TUNING_OUTPUT: dict[str, JsonOutput] = {
    "tune run, tune resume, tune show": JsonOutput(StudyReport, is_array=False),
    "tune run --dry-run": JsonOutput(StudyPlanRow, is_array=False),
    "tune list": JsonOutput(StudyRow),
    "tune trials": JsonOutput(TrialRow),
    "tune importance": JsonOutput(ImportanceRow),
    "tune plot": JsonOutput(StudyPlotRow, is_array=False),
    "tune confirm": JsonOutput(ConfirmationRow, is_array=False),
    "tune export": JsonOutput(ExportRow, is_array=False),
    "tune export --optuna-storage": JsonOutput(OptunaStorageRow, is_array=False),
}
"""All JSON output of ``mtdf tune``, by command."""
