"""Printing a rating list."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from engines.limit import spell_limit, spell_limit_key
from toolkit.base.format import count_of, format_count, format_los, format_moment, format_number
from toolkit.base.output import Output
from toolkit.base.table import Column

if TYPE_CHECKING:
    from toolkit.ratings.rating_list import RatingLine, RatingReport
    from toolkit.stats.ratings import Pool, Reference

_MOST_OF_LOS = 12
"""Engines whose chances fit side by side on a line."""
_MOST_POOLS = 6
"""Pools that are named one by one."""
LIMIT = Column("limit")
"""The column of tables in which several limits occur."""


def numbered(number: int) -> Column:
    """The column of a matrix for the engine of that row; the last ones make room first."""
    return Column(str(number), "right", number, called=f"column {number}")


def print_ratings(output: Output, report: RatingReport) -> None:
    """The list as a table, one pool after another, with a line that describes it."""
    rows, pools = report.rows(), report.ratings.pools
    shown = [report.names.shown[line.player] for line in report.ratings.players]
    several = len(report.limits) > 1
    columns = [
        *(Column("#", "right"), Column("engine"), *([LIMIT] if several else [])),
        *(Column("Elo", "right"), Column("±95", "right")),
        *(Column("games", "right", 2), Column("score", "right", 3), Column("draws", "right", 4)),
        Column("LOS vs next", "right", 1),
    ]
    for number, pool in enumerate(pools):
        lines = [(name, row) for name, row in zip(shown, rows, strict=True) if row.pool == number]
        ranks = accumulate(int(row.bound is None) for _, row in lines)  # a bound has no rank
        cells = [
            _cells(rank, name, row, several) for rank, (name, row) in zip(ranks, lines, strict=True)
        ]
        output.table(columns, cells, data="--json")
        if len(pools) > 1:
            output.text(f"pool {number + 1}: {_pool_text(report, pool)}")
            output.text()
    one = f", one pool of {_pool_text(report, pools[0])}" if len(pools) == 1 else ""
    prior = report.settings.get("prior")
    output.text(
        f"ratings: Bradley-Terry with draws{one}, {scope_of(report.settings, report.game)}"
        + (f", prior of {prior:g} Elo" if prior else "")
    )
    _print_left_out(output, report)


def cores_text(engines: int, verb: Literal["rate", "count"]) -> str:
    """That several cores played some engines, and how a table shows those."""
    done = {"rate": "rated", "count": "counted"}[verb]
    return (
        f"{count_of(engines, 'engine was', 'engines were')} played by several cores, each {done} "
        f"separately, as NAME @BACKEND:SIGNATURE (--mix {verb}s each as one)"
    )


def _cells(rank: int, name: str, row: RatingLine, several: bool) -> tuple[str, ...]:
    elo = format_number(row.elo, signed=True)
    return (
        "" if row.bound else str(rank),
        name,
        *([spell_limit(row.limit)] if several else []),
        f"{row.bound} {elo}" if row.bound else elo,
        format_number(row.error95),
        format_count(row.games),
        _percent(row.score, 1),
        _percent(row.draws, 1),
        "" if row.los_next is None else format_los(row.los_next),
    )


def print_los(output: Output, report: RatingReport) -> None:
    """For each pool, the likelihood in percent that the engine of a row is stronger than that of a
    column; columns have the numbers of the rows. A note replaces a pool too large for a table."""
    for number, pool in enumerate(report.ratings.pools, start=1):
        players = [line.player for line in pool.players if line.bound is None]
        if len(players) > _MOST_OF_LOS:
            output.text()
            output.text(
                f"LOS of pool {number}: {count_of(len(players), 'engine')} are too many for a "
                "table; use --los --csv or --los --json for all pairs"
            )
            continue
        places = [pool.rated.index(player) for player in players]
        los = pool.los_matrix()
        numbers = [str(number) for number in range(1, len(players) + 1)]
        several = len(report.limits) > 1
        columns = [Column("LOS", "right"), Column("engine"), *([LIMIT] if several else [])]
        columns += [numbered(number) for number in range(1, len(players) + 1)]
        output.text()
        output.table(
            columns,
            [
                (
                    numbers[row],
                    report.names.shown[player],
                    *([spell_limit_key(report.players[player].limit)] if several else []),
                    *(
                        "--" if row == column else format_los(float(los[one, two]))
                        for column, two in enumerate(places)
                    ),
                )
                for row, (player, one) in enumerate(zip(players, places, strict=True))
            ],
        )


def _pool_text(report: RatingReport, pool: Pool) -> str:
    """The description of this pool: size, limit if the list has several, reference of the scale,
    and source of the errors."""
    from toolkit.ratings.rating_list import limits_text, scale_of

    limit = f"{limits_text(report, pool)}, " if len(report.limits) > 1 else ""
    engines = count_of(len(pool.players), "engine")
    alone = pool.reference == "mean" and len(pool.rated) == 1
    scale = scale_of(report, pool) if alone else _reference(pool.reference)
    return f"{engines}, {limit}{scale}, errors {pool.error_model}"


def _pools_text(report: RatingReport) -> str:
    """How many pools there are, and of which limits: ``2 pools: nodes=100, nodes=2000``."""
    from toolkit.ratings.rating_list import limits_text

    pools = report.ratings.pools
    text = f"{len(pools)} pools"
    if len(report.limits) > 1 and len(pools) <= _MOST_POOLS:
        return f"{text}: {', '.join(limits_text(report, pool) for pool in pools)}"
    return f"{text} that no results connect"


def _reference(reference: Reference) -> str:
    """What fixes the scale of a pool, in words."""
    return {"mean": "mean 0", "anchor": "fixed by its anchor", "anchors": "anchors held fixed"}[
        reference
    ]


def scope_of(settings: Mapping[str, Any], game: str | None = None) -> str:
    """Which games a list is of, in words. ``game``: which one was asked for; the settings do not
    say chess."""
    events = settings.get("events") or ([settings["event"]] if settings.get("event") else [])
    game = settings.get("game") or game
    every = f"all events of {game}" if game else "all events"
    parts = [f"event {' and '.join(events)}" if events else every]
    if settings.get("engines"):
        parts.append(f"engines {' '.join(settings['engines'])}")
    if settings.get("limit"):
        parts.append(spell_limit(settings["limit"]))
    for name in ("since", "until"):
        if settings.get(name):
            ago = settings.get("ago", {}).get(name)
            moment = format_moment(settings[name])
            parts.append(f"{name} {f'{ago} before' if ago else moment}")
    if settings.get("min_games"):
        parts.append(f"at least {count_of(settings['min_games'], 'game')} each")
    if settings.get("mix"):
        parts.append("cores mixed")
    if settings.get("mix_limits"):
        parts.append("limits mixed")
    return ", ".join(parts)


def _print_left_out(output: Output, report: RatingReport) -> None:
    from toolkit.ratings.rating_list import unused_anchors

    ratings = report.ratings
    for sentence in unused_anchors(report):
        output.text(sentence)
    others = (
        (report.self_games, " of an engine against itself"),
        (ratings.left_out, " between pools"),
    )
    if report.apart:
        output.text(cores_text(len(report.apart), "rate"))
    if len(report.limits) > 1:
        output.text(
            f"{count_of(len(report.limits), 'limit')}, engines rated separately under each "
            "(--mix-limits combines them)"
        )
    if report.below_minimum:
        few = count_of(report.below_minimum, "engine has", "engines have")
        output.text(f"{few} too few games, left out")
    if len(ratings.pools) > 1:
        output.text(f"{_pools_text(report)}; ratings of different pools cannot be compared")
    bounds = {line.bound for line in ratings.players if line.bound}
    if bounds:
        ends = [("at least", "won"), ("at most", "lost")]
        what = " or ".join(f"{word} ({verb} all)" for word, verb in ends if word in bounds)
        output.text(
            f"{what}: a perfect score against the engines with a rating gives only a bound, the "
            "end of its 95 % interval; with few games it may lie beyond the opponents' ratings"
        )
    for number, one, many in (
        (report.excluded, " repeats others and was", " repeat others and were"),
        *((number, f"{what} was", f"{what} were") for number, what in others),
    ):
        if number:
            output.text(f"{count_of(number, f'game{one}', f'games{many}')} left out")


def _percent(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f} %"
