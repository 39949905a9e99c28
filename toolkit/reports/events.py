"""What happened in one event: results, ends, lengths, cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from db.limits import limit_fields
from db.records import (
    IMPORT_KIND,
    EventCounts,
    EventRecord,
)
from toolkit.base.errors import NothingMatched
from toolkit.base.notebook import shown_row, shown_rows
from toolkit.reports.meetings import side_cost
from toolkit.reports.rows import EndReasonCount, EventRow, EventStats, PlayerStats
from toolkit.selection.events import find_event
from toolkit.selection.sequential import pairs_of_test

if TYPE_CHECKING:
    from db.session import Database


_FORFEITS = ("time-forfeit", "illegal-move", "engine-failure")
"""End reasons by which the loser forfeited the game."""


def event_stats(db: Database, text: str) -> EventStats:
    """Statistics of the event ``text`` over all its games, including repetitions. Raises
    NothingMatched if the event does not exist or has no games."""
    event = find_event(db, text)
    counts = db.repository.event_counts(event.id)
    if not counts:
        raise NothingMatched(f"event {event.key} has no games yet")
    whites = [row for row in counts if row.is_white]
    games = sum(row.games for row in whites)
    stop = pairs_of_test(db, event)
    results = Counter[int]()
    reasons = Counter[str]()
    for row in whites:
        results[row.points] += row.games
        reasons[row.end_reason] += row.games
    plies = sum(row.plies for row in whites)
    measured = event.kind != IMPORT_KIND
    nodes = sum(row.nodes for row in counts)
    stats = EventStats(
        **event_row(db, event),
        games=games,
        repeated_games=sum(row.repeats for row in whites),
        after_stop=0 if stop is None else event.pairs_done + event.pairs_failed - stop,
        white_wins=results[2],
        draws=results[1],
        black_wins=results[0],
        white_score=(results[2] + results[1] / 2) / games,
        plies=plies / games,
        least_plies=min(row.least_plies for row in whites),
        most_plies=max(row.most_plies for row in whites),
        nodes=nodes if measured else nodes or None,
        cpu_us=sum(row.cpu_us for row in counts) if measured else None,
        end_reasons=[
            EndReasonCount(end_reason=reason, games=number, share=number / games)
            for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        ],
        players=player_stats(counts),
    )
    return shown_row("stats", stats)


def player_stats(counts: Sequence[EventCounts]) -> list[PlayerStats]:
    """Each player of these games of an event, the best score first."""
    sums: dict[str, list[int]] = {}
    for row in counts:
        own = sums.setdefault(row.player, [0] * 7)
        own[row.points] += row.games
        own[3] += row.own_plies
        own[4] += row.nodes
        own[5] += row.cpu_us
        own[6] += row.games if row.points == 0 and row.end_reason in _FORFEITS else 0
    rows = []
    for label, (losses, draws, wins, plies, nodes, cpu_us, forfeits) in sums.items():
        games = wins + draws + losses
        cost = side_cost(label, games, plies, nodes, cpu_us)
        rows.append(
            PlayerStats(
                **cost,
                wins=wins,
                draws=draws,
                losses=losses,
                score=(wins + draws / 2) / games,
                forfeits=forfeits,
            )
        )
    return sorted(rows, key=lambda row: (-row["score"], row["engine"]))


def list_events(db: Database) -> list[EventRow]:
    """Every event, oldest first."""
    running = db.running_events()
    events = db.repository.events()
    singles = _single_games(db, events)
    rows = [
        _event_row(
            event,
            [player.label for player in db.repository.event_players(event.id)],
            running,
            singles.get(event.id, 0),
        )
        for event in events
    ]
    return shown_rows("events", rows)


def show_event(db: Database, text: str) -> EventRow:
    """One event. Raises NothingMatched."""
    return event_row(db, find_event(db, text))


def event_row(db: Database, event: EventRecord) -> EventRow:
    """An event as it is shown."""
    labels = [player.label for player in db.repository.event_players(event.id)]
    singles = _single_games(db, [event]).get(event.id, 0)
    return _event_row(event, labels, db.running_events(), singles)


def _single_games(db: Database, events: Sequence[EventRecord]) -> dict[int, int]:
    """Games without a partner, which only imports have."""
    imported = [event.id for event in events if event.kind == IMPORT_KIND]
    return db.repository.single_games(imported) if imported else {}


def _event_row(
    event: EventRecord, labels: Sequence[str], running: dict[str, int], singles: int
) -> EventRow:
    # A killed process leaves `running` behind; the lock that died with it knows better.
    dead = event.status == "running" and event.key not in running
    limit = limit_fields(event.settings["limit"])
    book = event.settings.get("book", {})
    return EventRow(
        id=event.key,
        name=event.name,
        kind=event.kind,
        status="interrupted" if dead else event.status,
        pairs_planned=event.pairs_planned - singles,
        pairs_done=event.pairs_done - singles,
        seed=None if event.kind == IMPORT_KIND else event.seed,
        pairs_failed=event.pairs_failed,
        engines=list(labels),
        limit=limit,
        book=book.get("name", ""),
        book_slice=book.get("slice"),
        created_at=event.created_at,
        started_at=event.started_at,
        ended_at=event.ended_at,
        backend=event.backend,
        signature=event.signature,
        version=event.version,
        singles=singles,
    )
