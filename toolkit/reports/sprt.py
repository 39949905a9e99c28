"""Sequential tests as rows: from counts, of an event, and before a game is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct, structs

from toolkit.base.errors import UsageError
from toolkit.reports.events import EventRow, event_row, outcome_event_row
from toolkit.selection.sequential import SprtSettings, TestState, stored_test
from toolkit.stats.errors import StatisticsError
from toolkit.stats.sprt import SprtStatus, SprtTest, sprt_status

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database
    from toolkit.events.progress import EventOutcome


class SprtState(Struct, frozen=True):
    """A sequential test and its log-likelihood ratio."""

    llr: Annotated[float, "log-likelihood ratio of H1 to H0"]
    lower: Annotated[float, "lower bound: H0 is accepted at or below it"]
    upper: Annotated[float, "upper bound: H1 is accepted at or above it"]
    verdict: Annotated[str, "`H0`, `H1` or `continue`"]
    elo0: Annotated[float, "H0"]
    elo1: Annotated[float, "H1"]
    alpha: Annotated[float, "probability of accepting H1 if H0 is true"]
    beta: Annotated[float, "probability of accepting H0 if H1 is true"]
    model: Annotated[str, "unit of the hypotheses: `normalized`, `logistic` or `bayesian`"]


class SprtStanding(SprtState, frozen=True):
    """The state of the sequential test of an event, over its pairs up to the first gap."""

    pairs: Annotated[int, "game pairs of the test so far"]
    pairs_left: Annotated[float, "game pairs that it is expected to take yet"]


class SprtRow(SprtState, frozen=True):
    """A sequential test computed from counts."""

    elo: Annotated[float, "plain estimate from the counts; biased after a stop"]
    elo_error95: Annotated[float, "half the width of its 95 % interval"]
    elo_low95: Annotated[float | None, "lower end of the interval; null if open"]
    elo_high95: Annotated[float | None, "upper end of the interval; null if open"]
    any_look: Annotated[
        bool, "whether these errors are valid at any look, as of an event without a verdict"
    ]
    nelo: Annotated[float, "normalized Elo"]
    nelo_error95: Annotated[float, "half the width of its 95 % interval"]
    los: Annotated[float, "likelihood of superiority, 0 to 1"]
    draw_ratio: Annotated[float, "share of units with half the points"]
    pairs_ratio: Annotated[float | None, "pairs won over pairs lost"]
    counts: Annotated[list[int], "counts, worst first: 3 for games or 5 for pairs"]
    elo_unbiased: Annotated[
        float | None,
        "median-unbiased estimate, valid even after a stop; null if a test would have stopped "
        "earlier",
    ]
    elo_unbiased_low95: Annotated[
        float | None, "lower end of its 95 % interval; also null if everything was lost"
    ]
    elo_unbiased_high95: Annotated[
        float | None, "upper end of its 95 % interval; also null if everything was won"
    ]
    elo_unbiased_note: Annotated[str | None, "reason why there is no such estimate"]


class LlrRow(Struct, frozen=True):
    """A sequential test after some of its pairs, in the order of the schedule."""

    pairs: Annotated[int, "pairs so far, with those that repeat others or were given up"]
    llr: Annotated[float, "log-likelihood ratio of H1 to H0"]


class SprtOutcome(EventRow, frozen=True):
    """The output of `sprt` and of resuming a test: the event and the test."""

    test: Annotated[SprtRow, "the test over its pairs"]
    verdict: Annotated[str, "`H0`, `H1`, `continue` (interrupted) or `inconclusive`"]
    reason: Annotated[str, "reason for the end, as text"]
    pairs_tested: Annotated[int, "game pairs of the test"]
    after_stop: Annotated[int, "game pairs finished after the verdict, excluded from the test"]
    trinomial: Annotated[list[int], "games of the test: losses, draws and wins"]
    pentanomial: Annotated[list[int], "pairs of the test by points, worst first"]


class SprtPlanRow(Struct, frozen=True):
    """The behaviour of a sequential test at one true strength."""

    true_elo: Annotated[float, "true strength in the unit of the hypotheses"]
    elo: Annotated[float, "true strength in Elo"]
    nelo: Annotated[float, "true strength in normalized Elo"]
    pass_rate: Annotated[float, "probability of H1"]
    fail_rate: Annotated[float, "probability of H0"]
    no_verdict_rate: Annotated[float, "probability of neither; 0 without `--max-pairs`"]
    mean_pairs: Annotated[float, "expected number of game pairs"]
    pairs95: Annotated[float, "number of game pairs within which 95 % of tests end"]


def sprt_from_counts(counts: Sequence[int], test: SprtTest) -> SprtRow:
    """A test of three counts (losses, draws, wins) or five (pairs by points), worst first.

    Raises UsageError for invalid counts, or counts that the model does not support.
    """
    from toolkit.stats.match import match_statistics
    from toolkit.stats.sequential import could_be_stopped_at, sequential_estimate

    unbiased, note = None, None
    try:
        status = sprt_status(counts, test)
        if not could_be_stopped_at(counts, test):
            note = "a test would have stopped before these counts"
        elif any(counts):
            unbiased = sequential_estimate(counts, test)
    except StatisticsError as error:
        raise UsageError(str(error)) from error
    match = match_statistics(counts)
    plain = {name: getattr(match, name) for name in SprtRow.__struct_fields__
             if hasattr(match, name)}  # fmt: skip
    return SprtRow(
        **_state_fields(status, test),
        **plain | {"counts": list(counts)},
        any_look=False,
        elo_unbiased=unbiased.elo if unbiased else None,
        elo_unbiased_low95=unbiased.elo_low95 if unbiased else None,
        elo_unbiased_high95=unbiased.elo_high95 if unbiased else None,
        elo_unbiased_note=note,
    )


def _at_any_look(row: SprtRow) -> SprtRow:
    """The same with errors that are valid at any look: the test has no verdict, so nothing says
    when one looks. The error of normalized Elo grows by as much as that of Elo."""
    from toolkit.stats.anytime import anytime_interval

    interval = anytime_interval(row.counts)
    error = interval.elo_error(row.elo)
    return structs.replace(
        row,
        elo_error95=error,
        elo_low95=interval.elo_low,
        elo_high95=interval.elo_high,
        any_look=True,
        nelo_error95=row.nelo_error95 * error / row.elo_error95,
    )


def sprt_standing(state: TestState, pairs_left: float) -> SprtStanding:
    """The test of an event while it is played."""
    fields = _state_fields(state.status, state.settings.test)
    return SprtStanding(**fields, pairs=state.pairs, pairs_left=pairs_left)


def _state_fields(status: SprtStatus, test: SprtTest) -> dict[str, Any]:
    return structs.asdict(status) | structs.asdict(test)


def sprt_result(outcome: EventOutcome) -> SprtOutcome:
    """The result or current state of a sequential test event, from the outcome only. Raises
    ValueError for other events."""
    state = outcome.progress.test
    if state is None:
        raise ValueError(f"event {outcome.event.key} is not a sequential test")
    return _result(outcome.event, outcome_event_row(outcome), state)


class StoredTest(Struct, frozen=True):
    """A sequential test event, from the database."""

    result: SprtOutcome
    course: list[LlrRow]
    """The way of its ratio."""
    expected_left: float | None
    """Pairs that it is expected to take yet; None if it is over."""


def stored_sprt(db: Database, event: EventRecord) -> StoredTest:
    """The result or current state of a sequential test event. Raises UsageError for an event of
    another kind."""
    if event.kind != "sprt":
        raise UsageError(f"event {event.key} is not a sequential test, but of kind {event.kind}")
    test = stored_test(db.repository, event)
    course = [LlrRow(pairs=pairs, llr=llr) for pairs, llr in enumerate(test.llrs, 1)]
    result = _result(event, event_row(db, event), test.state())
    left = event.pairs_planned - event.pairs_done - event.pairs_failed
    over = result.verdict != "continue" or left <= 0
    return StoredTest(result, course, None if over else test.state().expected_pairs(left))


def _result(event: EventRecord, row: EventRow, state: TestState) -> SprtOutcome:
    verdict, reason = _verdict(event, row.status, state)
    counting = state.settings.counting
    counts = state.pentanomial if counting == "pentanomial" else state.trinomial
    test = sprt_from_counts(counts, state.settings.test)
    return SprtOutcome(
        **structs.asdict(row),
        test=test if verdict in ("H0", "H1") else _at_any_look(test),
        verdict=verdict,
        reason=reason,
        pairs_tested=state.pairs,
        after_stop=max(0, event.pairs_done + event.pairs_failed - state.pairs),
        trinomial=list(state.trinomial),
        pentanomial=list(state.pentanomial),
    )


def sprt_plan(
    settings: SprtSettings,
    *,
    draw_ratio: float = 0.5,
    measured: Sequence[int] | None = None,
    true_elos: Sequence[float] | None = None,
    max_pairs: int | None = None,
) -> list[SprtPlanRow]:
    """Pass rate and length of a test by true strength, before a game is played.

    The games of a pair are assumed to be independent, with draw rate ``draw_ratio`` between equal
    players. Real pairs vary less, so tests are shorter. ``measured``: pentanomial counts whose
    distribution is used instead. Raises UsageError.
    """
    from toolkit.stats.sequential import independent_games, independent_pairs, plan, regularised

    pairs = settings.counting == "pentanomial"
    if measured is not None and not (pairs and any(measured)):
        raise UsageError(
            "measured pairs must be five counts, not all 0, and not for trinomial tests"
        )
    try:
        base = independent_pairs(draw_ratio) if pairs else independent_games(draw_ratio)
        if measured is not None:
            base = regularised(measured)
        limit = max_pairs if max_pairs is None or pairs else 2 * max_pairs
        rows = plan(settings.test, base, true_elos, limit=limit)
    except StatisticsError as error:
        raise UsageError(str(error)) from error
    a_pair = 1.0 if pairs else 0.5
    return [
        SprtPlanRow(
            true_elo=row.true_elo,
            elo=row.elo,
            nelo=row.nelo,
            pass_rate=row.pass_rate,
            fail_rate=row.fail_rate,
            no_verdict_rate=row.no_verdict_rate,
            mean_pairs=row.mean_units * a_pair,
            pairs95=row.units95 * a_pair,
        )
        for row in rows
    ]


def _verdict(event: EventRecord, status: str, state: TestState) -> tuple[str, str]:
    """The verdict and why there is that one."""
    if state.verdict != "continue":
        sign, bound = (">=", "upper") if state.verdict == "H1" else ("<=", "lower")
        return state.verdict, f"{state.verdict} accepted: LLR {sign} the {bound} bound"
    if status in ("planned", "running"):
        return "continue", "no verdict yet"
    if status != "done":
        return "continue", "interrupted before a verdict"
    book = event.settings["book"]
    exhausted = event.pairs_planned == book["lines"] and not book.get("repeat")
    return "inconclusive", "book exhausted" if exhausted else "maximum number of pairs reached"
