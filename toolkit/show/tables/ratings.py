"""Printing a rating list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from engines.limit import spell_limit, spell_limit_key
from toolkit.base.format import (
    count_of,
    format_count,
    format_los,
    format_moment,
    format_number,
    format_share,
)
from toolkit.base.output import Output
from toolkit.base.table import Column, Field

if TYPE_CHECKING:
    from toolkit.ratings.history import HistoryLine
    from toolkit.ratings.influence import InfluenceRow
    from toolkit.ratings.rating_list import RatingLine, RatingReport
    from toolkit.stats.ratings import Pool, Reference

_Neighbours = tuple[tuple[str, str], "InfluenceRow"]
_SINGLE: dict[str, Callable[[_Neighbours], str | None]] = {
    "opening": lambda line: line[1].by_opening,
    "third engine": lambda line: line[1].by_engine,
    "event": lambda line: line[1].by_event,
}
"""What single removals change the order of two neighbours, by their shown names."""
_MOST_OF_LOS = 12
"""Engines whose chances fit side by side on a line."""
_MOST_POOLS = 6
"""Pools that are named one by one."""


def print_matrix(
    output: Output,
    corner: str,
    engines: Sequence[str],
    limits: Sequence[str] | None,
    cells: Sequence[Sequence[str]],
) -> None:
    """A line and a column for each engine, numbered in both; the last columns make room first.
    ``limits`` if there are several; ``corner``: the heading of the numbers."""
    numbers = range(1, len(engines) + 1)
    columns = [
        *(Column(corner, "right"), Column("engine"), *([Column("limit")] if limits else [])),
        *(Column(str(at), "right", at, called=f"column {at}") for at in numbers),
    ]
    names = zip(engines, limits, strict=True) if limits else ((name,) for name in engines)
    output.cells(
        columns,
        [[str(at), *name, *row] for at, name, row in zip(numbers, names, cells, strict=True)],
    )


def print_ratings(output: Output, report: RatingReport) -> None:
    """The list as a table, one pool after another, with a line that describes it."""
    rows, pools = report.rows(), report.ratings.pools
    shown = [report.names.shown[line.player] for line in report.ratings.players]
    fields: list[Field[tuple[int, str, RatingLine]]] = [
        Field("#", lambda line: "" if line[2].bound else str(line[0]), "right"),
        Field("engine", lambda line: line[1]),
        Field("limit", lambda line: spell_limit(line[2].limit), when=len(report.limits) > 1),
        Field("Elo", lambda line: elo_text(line[2]), "right"),
        Field("±95", lambda line: format_number(line[2].error95), "right"),
        Field("games", lambda line: format_count(line[2].games), "right", 2),
        Field("score", lambda line: format_share(line[2].score), "right", 3),
        Field("draws", lambda line: format_share(line[2].draws), "right", 4),
        Field("LOS vs next", lambda line: _next_text(line[2]), "right", 1),
    ]
    for number, pool in enumerate(pools):
        lines = [(name, row) for name, row in zip(shown, rows, strict=True) if row.pool == number]
        ranks = accumulate(int(row.bound is None) for _, row in lines)  # a bound has no rank
        ranked = [(rank, *line) for rank, line in zip(ranks, lines, strict=True)]
        output.table(fields, ranked, data="--json")
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


def elo_text(row: RatingLine | HistoryLine, digits: int = 1) -> str:
    """A rating, or the bound of it that is known."""
    elo = format_number(row.elo, digits, signed=True)
    return f"{row.bound} {elo}" if row.bound else elo


def _next_text(row: RatingLine) -> str:
    return "" if row.los_next is None else format_los(row.los_next)


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
        limits = [spell_limit_key(report.players[player].limit) for player in players]
        output.text()
        print_matrix(
            output,
            "LOS",
            [report.names.shown[player] for player in players],
            limits if len(report.limits) > 1 else None,
            [
                ["--" if one == two else format_los(float(los[one, two])) for two in places]
                for one in places
            ],
        )


def print_influence(output: Output, report: RatingReport) -> None:
    """A line for every two neighbours: what puts the other one first if it is removed."""
    from toolkit.ratings.influence import influence_rows
    from toolkit.stats.influence import FRAGILE_BELOW

    rows = list(influence_rows(report))
    output.text()
    if not rows:
        output.text("influence: no two engines of a pool have a rating")
        return
    shown = report.names.shown
    names = [(shown[line.player], shown[line.other]) for line in report.influence]
    lines = list(zip(names, rows, strict=True))
    fields: list[Field[_Neighbours]] = [
        Field("pool", lambda line: str(line[1].pool + 1), when=len(report.ratings.pools) > 1),
        Field("engine", lambda line: line[0][0]),
        Field("next", lambda line: line[0][1]),
        Field("limit", lambda line: spell_limit(line[1].limit), when=len(report.limits) > 1),
        Field("Elo", lambda line: format_number(line[1].elo, 1, signed=True), "right", 3),
        Field("pairs", lambda line: format_count(line[1].pairs), "right"),
        Field("of", lambda line: format_count(line[1].own_pairs), "right", 5),
        Field("share", lambda line: format_share(line[1].share, 2), "right", 4),
        Field("order", lambda line: "fragile" if line[1].fragile else ""),
        *(
            Field(title, cell, spare=2, when=any(map(cell, lines)))
            for title, cell in _SINGLE.items()
        ),
    ]
    output.table(fields, lines, data="--json")
    for sentence in (
        "pairs: removing this many pairs puts the next engine first; fewer may suffice",
        "of: pairs in which at least one of the two played; a game outside pairs counts as a pair; "
        f"fragile: below {100 * FRAGILE_BELOW:g} %",
        "opening, third engine, event: removing it puts the next engine first; of several, the one "
        "with the strongest effect"
        if any(cell(line) for cell in _SINGLE.values() for line in lines)
        else "no single opening, third engine or event changes an order if it is removed",
    ):
        output.text(sentence)
    separated = Counter(name for row in rows for name in row.separated_by)
    for name, number in separated.items():
        orders = "this order" if len(rows) == 1 else f"{number} of these {len(rows)} orders"
        output.text(f"without {name} the remaining games do not decide {orders}")


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
