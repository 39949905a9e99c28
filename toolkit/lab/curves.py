"""The curves of a laboratory run: which engines and values a chart shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from toolkit.base.errors import NothingMatched
from toolkit.lab.plan import SHIFT, common_name
from toolkit.lab.summary import LabRow
from toolkit.runs.lifecycle import named_command

if TYPE_CHECKING:
    from toolkit.lab.views import LabReport

Scale = Literal["linear", "log", "words"]
_LOG_FROM = 32
"""So many times the least value the greatest is at least, where the axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One engine at one value, as a row of the report has it. None: there is nothing to compare."""

    ratio: float | None
    """Of all nodes."""
    interval: tuple[float, float] | None
    """Of 95 % of the ratio."""
    leaves: float | None
    """The ratio of leaves."""
    leaves_interval: tuple[float, float] | None
    passes: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """One engine."""

    name: str
    points: tuple[CurvePoint, ...]
    """At each of the values."""


@dataclass(frozen=True, slots=True)
class CurveSet:
    """All engines of a run but baselines."""

    scale: Scale
    parameter: str
    """What the values are of; ``depth`` for a comparison."""
    values: tuple[str, ...]
    """Numbers rise; words stand as they were given."""
    curves: tuple[Curve, ...]
    baseline: str

    @property
    def axis(self) -> str:
        """The parameter in words."""
        if self.parameter == SHIFT:
            return f"{SHIFT}: first guess less the value found, in centipawns"
        return self.parameter

    @property
    def places(self) -> tuple[float, ...]:
        """Places of the values on their axis: numbers at their values, words in sequence."""
        if self.scale == "words":
            return tuple(map(float, range(len(self.values))))
        return tuple(map(float, self.values))


def curves_of(report: LabReport) -> CurveSet:
    """The curves of a run: of a sweep over its values at the deepest depth, of a comparison over
    depths. Raises NothingMatched if nothing could be compared yet."""
    found = _swept(report) if report.kind == "sweep" else _compared(report)
    if all(point.ratio is None for curve in found.curves for point in curve.points):
        raise NothingMatched(
            f"run {report.name} has nothing to draw: no engine and its baseline have searched "
            f"the same position yet ({named_command('resume', report.name)})"
        )
    return found


def _compared(report: LabReport) -> CurveSet:
    rows: dict[str, list[LabRow]] = {}
    for row in report.rows:
        if row.engine != row.baseline:
            rows.setdefault(row.engine, []).append(row)
    values = [str(depth) for depth in report.depths]
    curves = tuple(Curve(name, tuple(map(_point, some))) for name, some in rows.items())
    return CurveSet(_scale_of(values), "depth", tuple(values), curves, report.baseline or "")


def _swept(report: LabReport) -> CurveSet:
    rows = [row for row in report.rows if row.depth == max(report.depths)]
    by_value: dict[str, list[LabRow]] = {}
    for row in rows:
        if row.parameter_value is not None:
            by_value.setdefault(row.parameter_value, []).append(row)
    parameter = next(row.parameter for row in rows if row.parameter is not None)
    scale = _scale_of(list(by_value))
    values = list(by_value) if scale == "words" else sorted(by_value, key=float)
    # Each value has all engines, in one order.
    lines = list(zip(*(by_value[value] for value in values), strict=True))
    names = [common_name([row.engine for row in some], parameter) for some in lines]
    if len(set(names)) < len(names):
        names = [some[0].engine for some in lines]
    before = _former_baselines(rows, list(by_value))
    if before:
        names.append(common_name([row.engine for row in before.values()], parameter))
        lines.append(tuple(before[value] for value in values))
    baselines = list(dict.fromkeys(row.baseline for row in rows))
    baseline = baselines[0]
    if len(baselines) > 1:
        baseline = f"{common_name(baselines, parameter)}, same {parameter}"
    curves = [
        Curve(name, tuple(map(_point, some))) for name, some in zip(names, lines, strict=True)
    ]
    return CurveSet(scale, parameter, tuple(values), tuple(curves), baseline)


def _former_baselines(rows: Sequence[LabRow], values: Sequence[str]) -> dict[str, LabRow]:
    """What was the baseline of each value, given in the order of the run, where another one was
    chosen since; nothing where it still is."""
    former = [row for row in rows if row.parameter_value is None and row.engine != row.baseline]
    if len(former) == 1:
        return dict.fromkeys(values, former[0])
    return dict(zip(values, former, strict=True)) if len(former) == len(values) else {}


def _point(row: LabRow) -> CurvePoint:
    return CurvePoint(
        row.nodes,
        _interval(row.nodes_low95, row.nodes_high95),
        row.leaves,
        _interval(row.leaves_low95, row.leaves_high95),
        row.passes or None,
    )


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _scale_of(values: Sequence[str]) -> Scale:
    """A single value makes no axis and is shown as a word."""
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        return "words"
    if len(set(numbers)) < max(len(values), 2) or not all(map(math.isfinite, numbers)):
        return "words"
    is_wide = min(numbers) > 0 and max(numbers) >= _LOG_FROM * min(numbers)
    return "log" if is_wide else "linear"
