"""The documented fields of ``mtdf lab claims``, which are also what is stored of a claim."""

from __future__ import annotations

from typing import Annotated, TypedDict

from toolkit.base.rows import JsonOutput


class FigureRow(TypedDict):
    """A figure with its interval."""

    estimate: Annotated[float | None, "the estimate; null if nothing was measured"]
    low95: Annotated[
        float | None,
        "lower end of its 95 % interval over positions or pairs; null for too few of them",
    ]
    high95: Annotated[float | None, "upper end"]
    n: Annotated[int, "independent positions, or game pairs"]


class PartRow(FigureRow):
    """A judged part of a claim."""

    part: Annotated[str, "name of the part within the claim"]
    text: Annotated[str, "what the figure is"]
    relation: Annotated[str, "`below` or `above`: the claimed side of the threshold"]
    threshold: Annotated[float, "numeric threshold, fixed before the measurement"]
    verdict: Annotated[
        str,
        "`holds` or `does not hold` if the whole interval lies on one side of the threshold, else "
        "`undecided`",
    ]
    resolution: Annotated[
        float | None,
        "half of the interval's width: if the truth lies so far from the threshold, every second "
        "sample of this size shows it",
    ]


class FurtherRow(FigureRow):
    """A figure that is not judged."""

    text: Annotated[str, "what the figure is"]


class PointRow(FigureRow):
    """A mark of the chart of a claim."""

    series: Annotated[str, "name of the series"]
    at: Annotated[float | str, "place on the horizontal axis"]


class ChartRow(TypedDict):
    """The chart of a claim."""

    across: Annotated[str, "title of the horizontal axis"]
    up: Annotated[str, "title of the vertical axis"]
    reference: Annotated[float | None, "where a horizontal line is; null if there is none"]
    logarithmic: Annotated[bool, "whether the vertical axis is logarithmic"]
    points: Annotated[list[PointRow], "the marks"]


class ClaimRunRow(TypedDict):
    """A run that a claim was judged by."""

    run: Annotated[str, "name of the laboratory run"]
    engines: Annotated[list[str], "engines, with the distance of given first guesses"]
    suite: Annotated[str, "suite of positions"]
    suite_id: Annotated[str, "hash of the positions"]
    positions: Annotated[int, "number of positions"]
    depths: Annotated[list[int], "compared depths"]
    searches: Annotated[int, "number of searches"]
    version: Annotated[str, "version of mtdf that searched"]
    backend: Annotated[str, "backend: `native` or `reference`"]
    signature: Annotated[str, "core signature"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]


class ClaimMatchRow(TypedDict):
    """A match that a claim was judged by."""

    event: Annotated[str, "name of the event"]
    engines: Annotated[list[str], "the two engines; figures are of the first one"]
    limit: Annotated[str, "limit of a move, as on a command line"]
    pairs: Annotated[int, "game pairs"]
    pentanomial: Annotated[list[int], "pairs by points of the first engine, worst first"]
    book: Annotated[str, "book of openings"]
    book_slice: Annotated[str, "the slice of it that was played"]
    seed: Annotated[int, "seed of the openings"]
    version: Annotated[str, "version of mtdf that played"]
    backend: Annotated[str, "backend: `native` or `reference`"]
    signature: Annotated[str, "core signature"]
    ended_at: Annotated[str | None, "UTC, ISO 8601"]


class ClaimRow(TypedDict):
    """One claim with its verdicts."""

    claim: Annotated[int, "number"]
    game: Annotated[str, "the game in which it was measured"]
    title: Annotated[str, "title"]
    statement: Annotated[str, "what was claimed"]
    source: Annotated[str, "who claimed it, where"]
    size: Annotated[str, "`quick` or `full`"]
    parts: Annotated[list[PartRow], "the judged parts"]
    further: Annotated[list[FurtherRow], "figures that are not judged"]
    chart: Annotated[ChartRow, "the chart"]
    runs: Annotated[list[ClaimRunRow], "the measurements"]
    matches: Annotated[list[ClaimMatchRow], "the matches"]


CLAIM_OUTPUT: dict[str, JsonOutput] = {"lab claims": JsonOutput(ClaimRow)}
"""The JSON output of ``mtdf lab claims``."""
