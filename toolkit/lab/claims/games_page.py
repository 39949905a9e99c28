"""Claims in several games side by side: verdicts, and the tables that made MTD(f) known in 1996."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from toolkit.base.format import count_of
from toolkit.lab.claims import fewer_leaves, passes_of_extremes, storing, superseded
from toolkit.lab.claims.claim import ChartPoint
from toolkit.lab.claims.engines import OPEN
from toolkit.lab.claims.measured import Figure
from toolkit.lab.claims.views import ClaimRow
from toolkit.lab.claims.words import figure_text, table_row, threshold_text, verdict_text

PointText = Callable[[ChartPoint], str]
GamesColumn = tuple[str, str, int, str]
"""Title, game, number of a claim and series of its chart."""


def games_of(rows: Sequence[ClaimRow]) -> list[str]:
    """The games in which claims were measured, in order."""
    return list(dict.fromkeys(row.game for row in rows))


def games_lines(rows: Sequence[ClaimRow]) -> Iterator[str]:
    """The section that compares games; nothing where there is only one."""
    games = games_of(rows)
    if len(games) < 2:
        return
    yield '<a id="games"></a>\n'
    yield "## Games side by side\n"
    yield (
        "The same engines, with the same values of their parameters, search as many positions of "
        "each game, in other games deeper than in chess; all in units of each game's evaluation. "
        "Parameters and most thresholds come from chess.\n"
    )
    yield from _verdicts(rows, games)
    yield "### The tables of 1996\n"
    yield (
        "Plaat, Schaeffer, Pijls and de Bruin measured programs for checkers (depth 15 to 17), "
        "Othello (9 to 10) and chess (7 to 9): MTD(f) visited 5 to 10 % fewer leaves than "
        "aspiration NegaScout, and a transposition table saved about ×9 in checkers, ×2 in "
        "Othello and ×4 in chess.\n"
    )
    known = {(row.game, row.claim): row for row in rows}
    leaves = fewer_leaves.CLAIM.number
    yield f"MTD(f) over aspiration NegaScout, by depth ([claim {leaves}](#claim-{leaves})):\n"
    series = [("leaves", "leaves, grain 1"), ("all nodes", "all nodes, grain 1")]
    yield from _table("depth", _columns(games, leaves, series), known, figure_text)
    drivers = passes_of_extremes.CLAIM.number
    yield (
        "Drivers at the greatest depth, over aspiration NegaScout "
        f"([claim {drivers}](#claim-{drivers})):\n"
    )
    series = [("leaves", "leaves"), ("all nodes", "all nodes")]
    yield from _table("driver", _columns(games, drivers, series), known, figure_text)
    stored = storing.CLAIM.number
    yield (
        "What the table saves PVS: all nodes without it over those with it "
        f"([claim {stored}](#claim-{stored})):\n"
    )
    columns = [(game, game, stored, f"{OPEN}, exact") for game in games]
    yield from _table("depth", columns, known, _saved)
    contests = superseded.CLAIM.number
    yield (
        f"Elo of MTD(f) over PVS ([claim {contests}](#claim-{contests})). The parameters of both "
        "were tuned in chess, and in no other game:\n"
    )
    columns = [(game, game, contests, unit) for game in games for unit in superseded.UNITS]
    yield from _table("limit of a move", columns, known, _counted)


def _verdicts(rows: Sequence[ClaimRow], games: Sequence[str]) -> Iterator[str]:
    yield table_row(["claim", "part", "threshold", *games])
    yield "|---" * (3 + len(games)) + "|"
    parts = {(row.game, row.claim, part.part): part for row in rows for part in row.parts}
    for row in rows:
        if row.game != games[0]:
            continue
        name = str(row.claim)
        for part in row.parts:
            found = [parts.get((game, row.claim, part.part)) for game in games]
            cells = [
                "" if one is None else f"{figure_text(one)} {verdict_text(one)}" for one in found
            ]
            yield table_row([name, part.text, threshold_text(part), *cells])
            name = ""
    yield ""


def _columns(
    games: Sequence[str], claim: int, series: Sequence[tuple[str, str]]
) -> list[GamesColumn]:
    return [(f"{game}, {title}", game, claim, name) for game in games for title, name in series]


def _table(
    first: str,
    columns: Sequence[GamesColumn],
    known: Mapping[tuple[str, int], ClaimRow],
    shown: PointText,
) -> Iterator[str]:
    """Places of charts as lines, and a column for each series."""
    cells: dict[float | str, dict[str, str]] = {}
    for title, game, claim, series in columns:
        row = known.get((game, claim))
        for point in row.chart.points if row is not None else ():
            if point.series == series:
                cells.setdefault(point.at, {})[title] = shown(point)
    places = list(cells)
    if all(not isinstance(place, str) for place in places):
        places.sort(key=float)
    titles = list(dict.fromkeys(title for title, *_ in columns))
    yield table_row([first, *titles])
    yield "|---" * (1 + len(titles)) + "|"
    for place in places:
        yield table_row([str(place), *(cells[place].get(title, "") for title in titles)])
    yield ""


def _counted(point: ChartPoint) -> str:
    """A figure with the number of its game pairs."""
    return f"{figure_text(point)}, {count_of(point.n, 'pair')}"


def _saved(point: ChartPoint) -> str:
    """The inverse of a ratio, with its interval."""
    ratios = (point.estimate, point.high95, point.low95)
    ends = [1 / ratio if ratio else None for ratio in ratios]
    return figure_text(Figure(ends[0], ends[1], ends[2], point.n))
