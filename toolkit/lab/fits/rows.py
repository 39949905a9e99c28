"""The documented fields of ``mtdf lab fit``; see :mod:`toolkit.commands._json`."""

from __future__ import annotations

from typing import Annotated, TypedDict

from toolkit.base.rows import JsonOutput


class LabFitRow(TypedDict):
    """The fitted guess compared with another one, on the held-out positions."""

    against: Annotated[str, "label of the other engine"]
    error: Annotated[float, "mean absolute error of its guesses, in centipawns"]
    gain: Annotated[float, "error of the other guess minus error of the fitted one, in centipawns"]
    gain_low95: Annotated[float | None, "lower end of its 95 % interval, by paired bootstrap"]
    gain_high95: Annotated[float | None, "upper end"]
    nodes: Annotated[float, "geometric mean ratio of all nodes, fitted guess to other guess"]
    nodes_low95: Annotated[float | None, "lower end of its 95 % interval, by paired bootstrap"]
    nodes_high95: Annotated[float | None, "upper end"]


class LabFitReport(TypedDict):
    """A first guess fitted to stored searches."""

    engine: Annotated[str, "variant with the fitted guess"]
    engine_id: Annotated[str, "identity of the variant"]
    guess: Annotated[str, "`regression` or `quantile`"]
    parameters: Annotated[dict[str, int], "fitted parameters"]
    suite: Annotated[str, "suites of the positions"]
    depth: Annotated[int, "depth of the searches; the smallest one of several runs"]
    fitted: Annotated[int, "number of positions used for the fit"]
    held_out: Annotated[int, "number of held-out positions used for the measurement"]
    error: Annotated[
        float, "mean absolute error of its guesses on the held-out positions, in centipawns"
    ]
    cost_high: Annotated[
        float | None,
        "cost per centipawn of a guess that is too low (passes fail high), up to 60 centipawns, as "
        "a share of an iteration's nodes; null for regression",
    ]
    cost_high_low95: Annotated[float | None, "lower end of its 95 % interval over positions"]
    cost_high_high95: Annotated[float | None, "upper end"]
    cost_low: Annotated[float | None, "the same for a guess that is too high (passes fail low)"]
    cost_low_low95: Annotated[float | None, "lower end of its interval"]
    cost_low_high95: Annotated[float | None, "upper end"]
    share_above: Annotated[
        float | None,
        "share of values that should lie above the guess: cost_low / (cost_high + cost_low)",
    ]
    rows: Annotated[list[LabFitRow], "comparisons with guess=parity and guess=previous"]
    runs: Annotated[list[str], "runs whose searches were used for the fit"]
    measured_by: Annotated[str, "run with the searches of the held-out positions"]
    left_out: Annotated[
        int, "excluded positions that not all engines of their run have searched yet"
    ]
    notes: Annotated[
        list[str], "parts of the runs that were not used, with the reason; may be empty"
    ]
    versions: Annotated[list[str], "versions of mtdf that created the runs"]
    backend: Annotated[str, "backend of the runs: `native` or `reference`"]
    signature: Annotated[str, "core signature of the runs"]


FIT_OUTPUT: dict[str, JsonOutput] = {
    "lab fit": JsonOutput(LabFitReport, is_array=False),
}
