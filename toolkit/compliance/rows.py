"""The documented fields of a test of an engine; see :mod:`toolkit.commands._json`."""

from __future__ import annotations

from typing import Annotated, TypedDict


class PointRow(TypedDict):
    """One point of the test."""

    point: Annotated[str, "name of the point"]
    status: Annotated[str, "`ok`, `warn` or `FAIL`"]
    detail: Annotated[str, "what was seen"]
    meaning: Annotated[str, "what it means for matches; empty if all is well"]
    seconds: Annotated[float, "how long it took"]


class EngineTest(TypedDict):
    """The output of `engines test`."""

    engine: Annotated[str, "label"]
    name: Annotated[str, "name that the engine announces"]
    id: Annotated[str, "identity"]
    command: Annotated[str, "its command line"]
    passed: Annotated[bool, "whether no point failed; warnings are no failures"]
    warnings: Annotated[int, "points with a warning"]
    failures: Annotated[int, "points that failed"]
    seconds: Annotated[float, "how long the test took"]
    load: Annotated[float, "load average (1 min) of the machine when it began"]
    points: Annotated[list[PointRow], "all points, in order"]
