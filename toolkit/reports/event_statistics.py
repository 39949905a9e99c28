"""What happened in one event: results, ends, lengths, cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct
from msgspec.structs import asdict

from db.records.events import IMPORT_KIND, EventCounts
from engines.limit import spell_limit_of
from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of, event_text, format_count, format_duration
from toolkit.reports.events import EventRow, event_row
from toolkit.reports.meetings import SideCost, side_cost
from toolkit.selection.events import find_event
from toolkit.selection.sequential import pairs_of_test

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database


_FORFEITS = ("time-forfeit", "illegal-move", "engine-failure")
"""End reasons by which the loser forfeited the game."""


class EndReasonCount(Struct, frozen=True):
    """The number of games with one end reason."""

    end_reason: Annotated[str, "end reason, see below"]
    games: Annotated[int, "games"]
    share: Annotated[float, "share of all games, 0 to 1"]


class PlayerStats(SideCost, frozen=True):
    """One player of an event, with its search cost and results."""

    wins: Annotated[int, "games won"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost"]
    score: Annotated[float, "mean score per game, 0 to 1"]
    forfeits: Annotated[int, "games lost on time, by an illegal move or by a failure"]


class EventStats(EventRow, frozen=True):
    """The event and its statistics. Repeated games are included."""

    games: Annotated[int, "games in the database"]
    repeated_games: Annotated[int, "games that repeat an earlier one in the database"]
    after_stop: Annotated[int, "in a sequential test: game pairs finished after the verdict"]
    white_wins: Annotated[int, "games won by White"]
    draws: Annotated[int, "draws"]
    black_wins: Annotated[int, "games won by Black"]
    white_score: Annotated[float, "mean score of White, 0 to 1"]
    plies: Annotated[float, "mean length in plies"]
    least_plies: Annotated[int, "length of the shortest game"]
    most_plies: Annotated[int, "length of the longest game"]
    nodes: Annotated[int | None, "nodes searched by all players; null if unknown"]
    cpu_us: Annotated[int | None, "CPU time of all searches in microseconds; null for an import"]
    end_reasons: Annotated[list[EndReasonCount], "games by end reason, most frequent first"]
    players: Annotated[list[PlayerStats], "players, best score first"]


def event_stats(db: Database, event: EventRecord | str) -> EventStats:
    """Statistics of an event, given as a record or as text, over every game of it, repetitions too.
    Raises NothingMatched for an event that is not there, or has no games."""
    event = find_event(db, event)
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
    return EventStats(
        **asdict(event_row(db, event)),
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
                **asdict(cost),
                wins=wins,
                draws=draws,
                losses=losses,
                score=(wins + draws / 2) / games,
                forfeits=forfeits,
            )
        )
    return sorted(rows, key=lambda row: (-row.score, row.engine))


def stats_facts(stats: EventStats) -> list[tuple[str, str]]:
    """What was played, and the sums over all games."""
    games = stats.games

    def share(number: int) -> str:
        return f"{format_count(number)} ({100 * number / games:.1f} %)"

    book = stats.book or "none (imported)"
    return [
        ("event", f"{event_text(stats.id, stats.name)}, {stats.kind}, {stats.status}"),
        ("limit", spell_limit_of(stats.limit, stats.variation)),
        ("book", book + (f" slice {stats.book_slice}" if stats.book_slice else "")),
        ("games", _games(games, stats.repeated_games)),
        *_after_stop(stats.after_stop),
        (
            "results",
            f"White won {share(stats.white_wins)}, drawn {share(stats.draws)}, "
            f"Black won {share(stats.black_wins)}; White scored "
            f"{100 * stats.white_score:.1f} %",
        ),
        (
            "plies",
            f"{stats.plies:.1f} on average, {stats.least_plies} to {stats.most_plies}",
        ),
        ("search", _search(stats)),
    ]


def _games(games: int, repeated: int) -> str:
    """How many games there are, and how many repeat others, if any. Most games that are not
    repeatable have no key and are not compared, so that none of them would say nothing."""
    again = f", {format_count(repeated)} repeat{'s' if repeated == 1 else ''} others"
    return format_count(games) + (again if repeated else "")


def _after_stop(pairs: int) -> list[tuple[str, str]]:
    """A line on pairs that a sequential test excluded, if any."""
    finished = f"{count_of(pairs, 'pair')} finished after the stop, not of the test"
    return [("after stop", finished)] if pairs else []


def _search(stats: EventStats) -> str:
    """What all searches cost; of imported games only nodes may be known."""
    if stats.nodes is None:
        return "--"
    cpu_us = stats.cpu_us
    cpu = "" if cpu_us is None else f", {format_duration(cpu_us / 1e6)} of CPU"
    return f"{format_count(stats.nodes)} nodes{cpu}"
