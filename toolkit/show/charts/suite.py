"""Solved positions of a suite over the nodes that the solutions took."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.base.errors import NothingMatched
from toolkit.base.format import count_of
from toolkit.runs.lifecycle import named_command
from toolkit.show.charts.curves import source_of
from toolkit.show.charts.picture import Picture, short_names, values_of
from toolkit.show.charts.series_styles import looks_of
from toolkit.suites.report import SuiteReport, SuiteSearchRow


def suite_picture(report: SuiteReport, searches: Sequence[SuiteSearchRow]) -> Picture:
    """A curve for each engine: how many positions it had solved for good after so many nodes.
    Raises NothingMatched if there is nothing to draw."""
    import altair as alt

    names = dict(zip(report.engines, short_names([row.engine for row in report.rows]), strict=True))
    values = []
    for row in report.rows:
        found = [(one.solution_nodes, one.position) for one in searches if one.engine == row.engine]
        solved = sorted((max(nodes, 1), name) for nodes, name in found if nodes is not None)
        values += [
            {"engine": names[row.engine], "nodes": nodes, "solved": number, "position": name}
            for number, (nodes, name) in enumerate(solved, 1)
        ]
    if not values:
        raise NothingMatched(
            f"run {report.name} has nothing to draw: no position is solved "
            f"({named_command('show', report.name)})"
        )
    hue, shape, dash = looks_of("engine", list(names.values()), legend=len(names) > 1)
    base = alt.Chart(values_of(values)).encode(
        x=alt.X("nodes:Q", title="nodes to the solution", scale=alt.Scale(type="log")),
        y=alt.Y("solved:Q", title="solved", scale=alt.Scale(domain=[0, report.positions])),
        tooltip=[
            alt.Tooltip("engine:N"), alt.Tooltip("position:N"),
            alt.Tooltip("nodes:Q", format=",d"), alt.Tooltip("solved:Q"),
        ],
    )  # fmt: skip
    steps = base.mark_line(interpolate="step-after").encode(color=hue, strokeDash=dash)
    dots = base.mark_point(filled=True, size=40, opacity=1).encode(color=hue, shape=shape)
    told = "; ".join(f"{names[row.engine]} {row.solved}/{row.searched}" for row in report.rows)
    return Picture(
        f"{report.name}: solved positions of {report.suite}",
        "A position counts from the nodes after which the solution stayed to the end.",
        f"{count_of(report.positions, 'position')}, solved: {told}",
        [alt.layer(steps, dots).properties(height=280)],
        source=source_of(report),
    )
