"""Confirmations: the recommended values against the base, on openings that the study never had."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, structs
from msgspec.structs import replace

from db.records.studies import StudyRecord
from toolkit.base.errors import EngineProblem, NothingMatched, UsageError
from toolkit.books.book import Book
from toolkit.books.info import BookSlice, openings_in, position_of
from toolkit.events.changed_engines import changed_engines
from toolkit.events.event import start_event, stored_book
from toolkit.events.progress import EventOutcome, EventProgress
from toolkit.events.settings import EventKeywords, EventSettings, match_settings, sprt_settings
from toolkit.events.tally import stored_progress
from toolkit.runs.jobs import Jobs
from toolkit.runs.lifecycle import named_command
from toolkit.selection.sequential import SprtSettings
from toolkit.tuning.settings import settings_of
from toolkit.tuning.space.point import point_text
from toolkit.tuning.study.result import StudyResult, finished_result, recommended_variant, result_of

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database


class ConfirmationRow(Struct, frozen=True):
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


_OF_CONFIRMATIONS = ("kind", "players", "heroes", "pairs", "limit", "book", "seed", "name", "sprt")
"""Settings in which a confirmation differs from the games of its study."""


def confirmation_settings(
    db: Database,
    record: StudyRecord,
    *,
    pairs: int,
    sprt: SprtSettings | None,
    book: Book | None = None,
    book_slice: BookSlice | None = None,
    seed: int | None = None,
) -> tuple[EventSettings, Book]:
    """The event that plays a study's recommended values against its base, and its book.

    ``sprt``: a test of at most ``pairs`` pairs; None: a match of ``pairs`` pairs. ``book`` and
    ``book_slice``: by default another slice of the study's book. ``seed``: by default the seed of
    the study; the event then starts after the lines that earlier confirmations with this seed have
    played. Raises NothingMatched for a study that recommends its base. Raises UsageError for a
    study that plays no games or has not ended, for openings that the study has used, and if too few
    lines are left.
    """
    settings = settings_of(record)
    result = finished_result(record)
    tuning = settings.event
    if settings.base is None or tuning is None:
        raise UsageError(
            f"study {record.name} plays no games; its gain was measured on fresh pairs "
            f"({named_command('show', record.name)})"
        )
    base = settings.base.playable()
    tuned = recommended_variant(settings, result, f"{record.name}-tuned"[-60:])
    assert tuned is not None
    if tuned.identity == base.identity:
        refused = "" if result.refused is None else f" and refused {point_text(result.refused)}"
        raise NothingMatched(
            f"study {record.name} recommends its base{refused}: there is nothing to confirm "
            f"({named_command('show', record.name)})"
        )
    own = _study_book(db, tuning)
    chosen = own if book is None else book
    part = _other_slice(tuning.book.slice) if book is None and book_slice is None else book_slice
    _check_disjoint(record, tuning.book.slice, own, chosen, part)
    earlier = _confirmations(db, record)
    number = len(earlier) + 1
    limit = structs.replace(tuning.limit, time_manager=None)
    options = EventKeywords(
        book=chosen,
        book_slice=part,
        order=tuning.book.order,
        seed=settings.seed if seed is None else seed,
        name=f"{record.name}-confirm{'' if number == 1 else number}",
        chess960=tuning.chess960,
    )
    if sprt is None:
        event = match_settings(tuned, base, pairs=pairs, limit=limit, **options)
    else:
        event = sprt_settings(tuned, base, sprt=sprt, max_pairs=pairs, limit=limit, **options)
    # Whatever else is set for the games of the study holds for these, too.
    event = structs.replace(tuning, **{name: getattr(event, name) for name in _OF_CONFIRMATIONS})
    if seed is None:
        event = _on_fresh_lines(db, record, event, earlier)
    _check_unchanged(record, event)
    return event, chosen


def _check_unchanged(record: StudyRecord, event: EventSettings) -> None:
    """Raises EngineProblem if an external engine is not the one that the study tuned."""
    for position in changed_engines(event):
        raise EngineProblem(
            f"engine `{event.players[position].label}` changed since study {record.name} tuned it, "
            "so games would confirm nothing; test it as it is now with mtdf sprt "
            f"({named_command('tune export', record.name)} --format variant)"
        )


def confirm_study(
    db: Database,
    record: StudyRecord,
    settings: EventSettings,
    *,
    book: Book,
    jobs: Jobs = 1,
    engine_log: str | None = None,
    on_progress: Callable[[EventProgress], None] | None = None,
    stop: threading.Event | None = None,
) -> EventOutcome:
    """Play a confirmation, which is stored together with its note in the study. For the rest see
    ``start_event``."""
    return start_event(
        db,
        settings,
        book=book,
        jobs=jobs,
        engine_log=engine_log,
        on_progress=on_progress,
        stop=stop,
        confirms=record,
    )


def confirmation_rows(db: Database, record: StudyRecord) -> list[ConfirmationRow]:
    """The confirmations of a study, oldest first."""
    result = result_of(record)
    return [confirmation_row(db, record, one, result) for one in _confirmations(db, record)]


def confirmation_row(
    db: Database, record: StudyRecord, event: EventRecord, result: StudyResult | None
) -> ConfirmationRow:
    """One confirmation, with the gain stated by the study."""
    settings = EventSettings.from_json(event.settings)
    progress = stored_progress(db.repository, event)
    counts = tuple(progress.pairings[0].pentanomial)
    verdict: str | None = None
    pairs = sum(counts)
    if progress.test is not None:
        counts = progress.test.pentanomial
        verdict, pairs = progress.test.verdict, progress.test.pairs
        if verdict == "continue" and event.status == "done":
            verdict = "inconclusive"
    elo, low, high = _elo(counts, settings.sprt)
    gain = None if result is None else result.gain
    gap = error = luck = None
    # A gain against opponents is another quantity than one against the base.
    if gain is not None and elo is not None and not settings_of(record).against:
        gap = gain.value - elo
        if gain.error95 is not None and low is not None and high is not None:
            error = math.hypot(gain.error95, (high - low) / 2)
    if result is not None and result.best_trial_gain is not None and elo is not None:
        luck = result.best_trial_gain - elo
    part = settings.book.slice
    return ConfirmationRow(
        study=record.name,
        event=event.key,
        kind="match" if settings.sprt is None else "sprt",
        status=event.status,
        verdict=verdict,
        pairs=pairs,
        pentanomial=list(counts),
        elo=elo,
        low95=low,
        high95=high,
        stated_elo=None if gain is None else gain.value,
        stated_error95=None if gain is None else gain.error95,
        gap=gap,
        gap_error95=error,
        best_trial_gap=luck,
        book_slice=None if part is None else str(part),
    )


def _elo(
    counts: tuple[int, ...], sprt: SprtSettings | None
) -> tuple[float | None, float | None, float | None]:
    """Elo with its interval; of a test corrected for the stop, where that can be done."""
    from toolkit.reports.sprt import sprt_from_counts
    from toolkit.stats.match import match_statistics

    if not any(counts):
        return None, None, None
    if sprt is not None:
        row = sprt_from_counts(counts, sprt.test)
        if row.elo_unbiased is not None:
            return row.elo_unbiased, row.elo_unbiased_low95, row.elo_unbiased_high95
    match = match_statistics(counts)
    return match.elo, match.elo_low95, match.elo_high95


def _confirmations(db: Database, record: StudyRecord) -> list[EventRecord]:
    """The events that confirm a study, oldest first."""
    return [db.repository.event(event_id) for event_id in db.repository.confirmations(record.id)]


def _on_fresh_lines(
    db: Database, record: StudyRecord, event: EventSettings, earlier: Sequence[EventRecord]
) -> EventSettings:
    """The event from the first line on that no earlier one, of the same order of the same lines,
    has played or, as a match that was stopped, is to play. A test ends at the end of the book.
    Raises UsageError if too few lines are left."""
    used = max((_lines_behind(db, event, one) for one in earlier), default=0)
    if not used:
        return event
    left = event.book.lines - used
    if left < (event.pairs if event.sprt is None else 1):
        raise UsageError(
            f"earlier confirmations of study {record.name} have {used} of the {event.book.lines} "
            f"openings of {event.book}: {max(left, 0)} are left; use fewer --pairs, another "
            "--book or slice, or another --seed, which may play them again"
        )
    book = replace(event.book, start=used + 1)
    return replace(event, book=book, pairs=min(event.pairs, left))


def _lines_behind(db: Database, event: EventSettings, earlier: EventRecord) -> int:
    """How many lines of the event's book, in its order, an earlier one has up to its last."""
    had = EventSettings.from_json(earlier.settings)
    lines = [(one.book.id, one.book.slice, one.book.order) for one in (event, had)]
    if lines[0] != lines[1] or (event.book.order == "random" and event.seed != had.seed):
        return 0
    pairs = had.pairs
    if had.sprt is not None or earlier.status == "done":
        finished = db.repository.finished_pairs(earlier.id)
        pairs = max((pair + 1 for _, pair in finished), default=0)
    return had.book.start - 1 + pairs if pairs else 0


def _study_book(db: Database, settings: EventSettings) -> Book:
    """The book of a study as it was stored."""
    return structs.replace(
        stored_book(db, settings),
        source=settings.book.source,
        game=settings.game,
        has_games=settings.book.moves,
    )


def _other_slice(part: BookSlice | None) -> BookSlice | None:
    """The slice after a study's; None if the study has the whole book."""
    if part is None or part.slices == 1:
        return None
    return BookSlice(part.number % part.slices + 1, part.slices)


def _check_disjoint(
    record: StudyRecord,
    own_part: BookSlice | None,
    own: Book,
    book: Book,
    part: BookSlice | None,
) -> None:
    """Raises UsageError if a confirmation would play an opening that the study may have had."""
    played, wanted = openings_in(own, own_part), openings_in(book, part)
    shared = {position_of(line) for line in played} & {position_of(line) for line in wanted}
    if shared:
        name = book.name if part is None else f"{book.name} slice {part}"
        raise UsageError(
            f"{len(shared)} openings of {name} were used by study {record.name} and cannot "
            "confirm anything: choose another --book or slice"
        )
