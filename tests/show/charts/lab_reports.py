"""Reports of laboratory runs with known figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from toolkit.base.rows import field_names
from toolkit.lab.summary import LabRow
from toolkit.lab.views import LabReport

BASE = "pvs:window=0"
FOURTEEN = (
    "alphabeta pvs negascout mtdf mtdf:convergence=plaat hybrid mtd-bi mtdf:guess=previous "
    "mtd-step mtd-best bns dual sss mtdf:guess=zero"
).split()
Ratio = Callable[[int, int], float | None]
"""Of the number of an engine and that of a value."""


def some_ratio(engine: int, value: int) -> float:
    """Ratios that all differ, on both sides of 1."""
    return math.exp(0.17 * math.sin(3.1 * engine + 1.7 * value) + 0.05 * engine)


def row(engine: str, depth: int, ratio: float | None, **fields: Any) -> LabRow:
    """A row with an interval that is not symmetric, and passes that follow from its ratio."""
    told = {
        "engine": engine,
        "depth": depth,
        "baseline": BASE,
        "parameter": None,
        "parameter_value": None,
        "nodes": ratio,
        "nodes_low95": None if ratio is None else ratio / 1.13,
        "nodes_high95": None if ratio is None else ratio * 1.21,
        "leaves": None if ratio is None else ratio * 0.9,
        "leaves_low95": None if ratio is None else ratio * 0.9 / 1.07,
        "leaves_high95": None if ratio is None else ratio * 0.9 * 1.1,
        "passes": None if ratio is None else 1 + 5 * ratio,
    }
    return LabRow(**dict.fromkeys(field_names(LabRow)) | told | fields)


def report_of(rows: Sequence[LabRow], **fields: Any) -> LabReport:
    """A report of these rows."""
    told = {
        "name": "run-1",
        "kind": "compare",
        "status": "done",
        "suite": "lab-60",
        "positions": 60,
        "depths": sorted({one.depth for one in rows}),
        "searches_done": 120,
        "searches_planned": 120,
        "created_at": "2026-11-21T16:12:13Z",
        "backend": "native",
        "signature": "0123456789abcdef",
        "version": "9.8.7",
        "baseline": BASE,
        "baseline_table": "16 MB",
        "measure": "cumulative",
        "values_agree": True,
        "notes": [],
        "rows": list(rows),
    }
    return LabReport(**dict.fromkeys(field_names(LabReport)) | told | fields)


def compared(
    engines: Sequence[str], depths: Sequence[int], ratio: Ratio = some_ratio, **fields: Any
) -> LabReport:
    """A comparison."""
    rows = []
    for place, depth in enumerate(depths):
        rows.append(row(BASE, depth, 1.0, nodes_low95=1.0, nodes_high95=1.0, passes=1.0))
        rows += [row(name, depth, ratio(k, place)) for k, name in enumerate(engines)]
    return report_of(rows, **fields)


def swept(
    engines: Sequence[str], parameter: str, values: Sequence[str], ratio: Ratio = some_ratio,
    depths: Sequence[int] = (6,), own: bool = False, **fields: Any,
) -> LabReport:  # fmt: skip
    """A sweep; ``own``: each value has a baseline of its own. At all depths but the deepest the
    ratios are others."""
    rows = []
    for depth in depths:
        for place, value in enumerate(values):
            base = f"{BASE},{parameter}={value}" if own else BASE
            if own or place == 0:
                rows.append(row(base, depth, 1.0, baseline=base, passes=1.0))
            for k, name in enumerate(engines):
                found = ratio(k, place) if depth == max(depths) else 77.0
                joint = "," if ":" in name else ":"
                label = f"{name}{joint}{parameter}={value}"
                about = {"parameter": parameter, "parameter_value": value, "baseline": base}
                rows.append(row(label, depth, found, **about))
    fields = {"baseline": None, "baseline_table": None} | fields if own else fields
    return report_of(rows, kind="sweep", **fields)


REPORTS = {
    "depths": compared(["mtdf", "sss"], [4, 5, 6, 8]),
    "fourteen": compared(FOURTEEN, [3, 4]),
    "one depth": compared(["mtdf", "sss", "dual"], [4]),
    "linear": swept(["mtdf", "hybrid"], "window", ["10", "0", "25", "-40"]),
    "log": swept(["mtdf", "sss"], "entries", ["256", "1024", "65536"], own=True),
    "words": swept(["mtdf", "hybrid"], "guess", ["zero", "parity", "2"], depths=(3, 4)),
    "apart": compared(["mtdf", "sss"], [2, 3, 4], lambda k, v: 9.3 if k and v else 1.02 + 0.01 * v),
    "narrow": compared(["pvs"], [2, 3], lambda k, v: 1.0001),
    "gaps": compared(["mtdf", "sss"], [1, 2, 3, 4, 5], lambda k, v: None if v == 2 else 1.1 + k),
}
BIG = [f"engine-of-a-rather-long-name:a={k}" for k in range(24)]
HARD = REPORTS | {
    "many engines": compared(BIG, [1, 2]),
    "many values": swept(["mtdf"], "window", list(map(str, range(-30, 31)))),
    "many words": swept(["mtdf", "pvs"], "guess", [f"quite-a-long-word-{k}" for k in range(25)]),
    "long words": swept(["a", "x" * 300], "guess", ["w" * 200, "v" * 200, "u" * 200],
                        name="n" * 300, suite="/s" * 200, notes=["one note " * 60, "y" * 400]),
    "wide": compared(["\N{HIRAGANA LETTER A}" * 90], [1, 2], lambda k, v: 10.0 ** (6 * v - 3)),
}  # fmt: skip
