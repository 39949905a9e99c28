"""Printing a rating list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.output import Column, Output, count_of, format_count, format_los, format_number
from toolkit.rows import RatingLine

if TYPE_CHECKING:
    from toolkit.rating import RatingReport
    from toolkit.stats.ratings import Pool, Reference

_COLUMNS = [
    Column("#", "right"),
    Column("engine"),
    Column("Elo", "right"),
    Column("±95", "right"),
    Column("games", "right"),
    Column("score", "right"),
    Column("draws", "right"),
    Column("LOS vs next", "right"),
]
_MOST_OF_LOS = 12
"""Engines whose chances fit side by side on a line."""


def print_ratings(output: Output, report: RatingReport) -> None:
    """The list as a table, pool after pool, and a line that says what it is."""
    rows, pools = report.rows(), report.ratings.pools
    for number, pool in enumerate(pools):
        lines = [row for row in rows if row["pool"] == number]
        output.table(_COLUMNS, [_cells(rank, row) for rank, row in enumerate(lines, start=1)])
        if len(pools) > 1:
            output.text(f"pool {number + 1}: {_pool_text(pool, lines)}")
            output.text()
    one = f", one pool of {_pool_text(pools[0], rows)}" if len(pools) == 1 else ""
    prior = report.settings.get("prior")
    output.text(
        f"ratings: Bradley-Terry with draws{one}, {scope_of(report.settings)}"
        + (f", prior of {prior:g} Elo" if prior else "")
    )
    _print_left_out(output, report)


def _cells(rank: int, row: RatingLine) -> tuple[str, ...]:
    elo = format_number(row["elo"], signed=True)
    return (
        str(rank),
        row["engine"],
        f"{row['bound']} {elo}" if row["bound"] else elo,
        format_number(row["error95"]),
        format_count(row["games"]),
        _percent(row["score"], 1),
        _percent(row["draws"], 1),
        "" if row["los_next"] is None else format_los(row["los_next"]),
    )


def print_los(output: Output, report: RatingReport) -> None:
    """For each pool the chance, in percent, that the engine of a row is stronger than that of a
    column; columns are numbered as the rows are. A pool too large for a table is told to be one."""
    for number, pool in enumerate(report.ratings.pools, start=1):
        players = [line.player for line in pool.players if line.bound is None]
        if len(players) > _MOST_OF_LOS:
            output.text()
            output.text(
                f"LOS of pool {number}: {count_of(len(players), 'engine')} are too many for a "
                "table; --los --csv and --los --json have every two of them"
            )
            continue
        places = [pool.rated.index(player) for player in players]
        los = pool.los_matrix()
        numbers = [str(number) for number in range(1, len(players) + 1)]
        columns = [Column("LOS", "right"), Column("engine")]
        columns += [Column(number, "right") for number in numbers]
        output.text()
        output.table(
            columns,
            [
                (
                    numbers[row],
                    report.labels[player],
                    *(
                        "--" if row == column else format_los(float(los[one, two]))
                        for column, two in enumerate(places)
                    ),
                )
                for row, (player, one) in enumerate(zip(players, places, strict=True))
            ],
        )


def _pool_text(pool: Pool, rows: Sequence[RatingLine]) -> str:
    """What is of this pool alone: its size, what fixes its scale, where its errors are from."""
    reference = _reference(pool.reference)
    return f"{count_of(len(rows), 'engine')}, {reference}, errors {pool.error_model}"


def _reference(reference: Reference) -> str:
    """What fixes the scale of a pool, in words."""
    return {"mean": "mean 0", "anchor": "fixed by its anchor", "anchors": "anchors held fixed"}[
        reference
    ]


def scope_of(settings: Mapping[str, Any]) -> str:
    """Which games a list is of, in words."""
    events = settings.get("events") or ([settings["event"]] if settings.get("event") else [])
    parts = [f"event {' and '.join(events)}" if events else "all events"]
    if settings.get("engines"):
        parts.append(f"engines {' '.join(settings['engines'])}")
    if settings.get("limit"):
        parts.append(" ".join(f"{name}={value}" for name, value in settings["limit"].items()))
    for name in ("since", "until"):
        if settings.get(name):
            parts.append(f"{name} {settings[name][:16].replace('T', ' ')}")
    if settings.get("min_games"):
        parts.append(f"at least {count_of(settings['min_games'], 'game')} each")
    if settings.get("mix"):
        parts.append("cores mixed")
    return ", ".join(parts)


def _print_left_out(output: Output, report: RatingReport) -> None:
    from toolkit.stats.ratings import BOUND_PROBABILITY

    ratings = report.ratings
    others = (
        (report.self_games, " of an engine against itself"),
        (ratings.left_out, " between pools"),
    )
    if report.apart:
        output.text(
            f"{count_of(len(report.apart), 'engine was', 'engines were')} played by several cores, "
            "each rated apart, as "
            "NAME @BACKEND:SIGNATURE (--mix rates each as one)"
        )
    if report.below_minimum:
        few = count_of(report.below_minimum, "engine has", "engines have")
        output.text(f"{few} too few games, left out")
    if len(ratings.pools) > 1:
        output.text(
            f"{len(ratings.pools)} pools that no results tie together: compare inside each only"
        )
    bounds = {line.bound for line in ratings.players if line.bound}
    if bounds:
        ends = [("at least", "won"), ("at most", "lost")]
        what = " or ".join(f"{word} ({verb} all)" for word, verb in ends if word in bounds)
        output.text(
            f"{what}: a perfect score sets a bound only, the rating where it has a chance of "
            f"{100 * BOUND_PROBABILITY:g} %; of few games it may lie beyond the opponents"
        )
    for number, one, many in (
        (report.excluded, " repeats others and was", " repeat others and were"),
        *((number, f"{what} was", f"{what} were") for number, what in others),
    ):
        if number:
            output.text(f"{count_of(number, f'game{one}', f'games{many}')} left out")


def _percent(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f} %"
