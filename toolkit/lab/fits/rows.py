"""The documented fields of what ``mtdf lab fit`` prints; see :mod:`toolkit.commands._json`."""

from __future__ import annotations

from typing import Annotated, TypedDict

from toolkit.base.rows import JsonOutput


class LabFitRow(TypedDict):
    """The fitted guess against another one, on the positions that were held out."""

    against: Annotated[str, "label of the other"]
    error: Annotated[float, "mean distance of its guesses from the values, in centipawns"]
    gain: Annotated[float, "by how much the fitted one's is smaller"]
    gain_low95: Annotated[float | None, "lower end of its 95 % interval, by paired bootstrap"]
    gain_high95: Annotated[float | None, "upper end"]
    nodes: Annotated[float, "all nodes of the fitted one over the other's, geometric mean"]
    nodes_low95: Annotated[float | None, "lower end of its 95 % interval, by paired bootstrap"]
    nodes_high95: Annotated[float | None, "upper end"]


class LabFitReport(TypedDict):
    """A first guess that was fitted to stored searches."""

    engine: Annotated[str, "the variant to play with"]
    engine_id: Annotated[str, "its identity"]
    guess: Annotated[str, "`regression` or `quantile`"]
    parameters: Annotated[dict[str, int], "what was fitted"]
    suite: Annotated[str, "suites that the positions are from"]
    depth: Annotated[int, "depth of the searches, the least of several runs"]
    fitted: Annotated[int, "positions that it was fitted to"]
    held_out: Annotated[int, "other positions, on which it was measured"]
    error: Annotated[float, "mean distance of its guesses from the held-out values, in centipawns"]
    cost_high: Annotated[
        float | None,
        "share of an iteration's nodes that a centipawn of a guess too low costs, up to 60, where "
        "passes fail high; null for regression",
    ]
    cost_high_low95: Annotated[float | None, "lower end of its 95 % interval over positions"]
    cost_high_high95: Annotated[float | None, "upper end"]
    cost_low: Annotated[float | None, "the same of a guess too high, where passes fail low"]
    cost_low_low95: Annotated[float | None, "lower end of its interval"]
    cost_low_high95: Annotated[float | None, "upper end"]
    share_above: Annotated[
        float | None, "share of values to lie above the guess: cost_low / (cost_high + cost_low)"
    ]
    rows: Annotated[list[LabFitRow], "against guess=parity and guess=previous"]
    runs: Annotated[list[str], "runs of the laboratory whose searches it was fitted to"]
    measured_by: Annotated[str, "run of the searches of the held-out positions"]
    left_out: Annotated[int, "positions that not every engine of their run has searched yet"]
    notes: Annotated[list[str], "what of the runs was not used, and why; may be empty"]
    versions: Annotated[list[str], "versions of mtdf that made the runs"]
    backend: Annotated[str, "`native` or `reference`: what the runs were searched by"]
    signature: Annotated[str, "signature of the core that they were searched by"]


FIT_OUTPUT: dict[str, JsonOutput] = {
    "lab fit": JsonOutput(LabFitReport, is_array=False, nested={"rows": LabFitRow}),
}
