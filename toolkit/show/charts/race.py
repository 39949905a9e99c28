"""A race: the evidence and the Elo of each candidate over its pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of, format_number
from toolkit.show.charts.picture import Picture, values_of
from toolkit.show.charts.series_styles import looks_of

if TYPE_CHECKING:
    from toolkit.reports.race import RaceOutcome, RaceStep
    from toolkit.show.charts.picture import Panel

_MOST = 400
"""Points of a line; of a longer one every n-th is drawn, and always the last."""


def race_picture(
    course: Sequence[RaceStep], race: RaceOutcome, shown: Mapping[str, str]
) -> Picture:
    """``shown``: what to call the engines, by label."""
    by_engine: dict[str, list[RaceStep]] = {}
    for step in course:
        by_engine.setdefault(step.engine, []).append(step)
    rows: list[dict[str, Any]] = []
    for engine, steps in by_engine.items():
        every = -(-len(steps) // _MOST) or 1
        rows += [
            {
                "engine": shown.get(engine, engine), "pairs": one.pairs,
                "evidence": one.evidence, "elo": one.elo, "is_last": one is steps[-1],
            }
            for one in [*steps[:-1:every], steps[-1]]
        ]  # fmt: skip
    state = race.race
    names = [shown.get(row.engine, row.engine) for row in state.candidates]
    told = "; ".join(
        f"{shown.get(row.engine, row.engine)} {row.verdict}, "
        f"{format_number(row.elo, signed=True)} Elo after {count_of(row.pairs, 'pair')}"
        for row in state.candidates
    )
    return Picture(
        "Evidence and Elo of the candidates",
        "Above: the e-value that a candidate is better than the base, as a power of ten; at the "
        "line it is accepted. Below: Elo over the base; the lines are the Elo to exceed and a gain "
        "worth finding.",
        told,
        [
            _panel(rows, names, "evidence", [state.needed], legend=True),
            _panel(rows, names, "elo", [state.elo0, state.elo1], legend=False),
        ],
        columns=1,
    )


def _panel(
    rows: Sequence[dict[str, Any]],
    names: Sequence[str],
    what: str,
    lines: Sequence[float],
    *,
    legend: bool,
) -> Panel:
    import altair as alt

    title = {"evidence": "Evidence (power of ten)", "elo": "Elo over the base"}[what]
    colour, shape, dash = looks_of("engine", names, legend=legend)
    base = alt.Chart(values_of(rows)).encode(
        x=alt.X("pairs:Q", title="game pairs of the candidate", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y(f"{what}:Q", title=title, axis=alt.Axis(minExtent=50)),
        color=colour,
        tooltip=[
            alt.Tooltip("engine:N"),
            alt.Tooltip("pairs:Q", format=",d"),
            alt.Tooltip("evidence:Q", format=".2f"),
            alt.Tooltip("elo:Q", format="+.1f"),
        ],
    )
    way = base.mark_line().encode(strokeDash=dash)
    ends = (
        base.transform_filter("datum.is_last")
        .mark_point(filled=True, size=50, opacity=1)
        .encode(shape=shape)
    )
    ruled = alt.Chart(values_of([{"at": line} for line in lines]))
    return alt.layer(ruled.mark_rule(style="reference").encode(y="at:Q"), way, ends).properties(
        title=title, height=220
    )
