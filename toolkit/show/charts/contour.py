"""The gain over the plane of two parameters by a model, as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolkit.base.format import count_of, format_number, format_setting
from toolkit.show.charts.intervals import gain_axis, told_gain
from toolkit.show.charts.parameters import value_axis
from toolkit.show.charts.picture import Picture, elided, values_of
from toolkit.show.charts.slices import model_words
from toolkit.show.charts.study_data import Contour, PlaneCell, Shown, ShownStudy
from toolkit.tuning.models.gain import GainUnit

if TYPE_CHECKING:
    import altair as alt

    from toolkit.show.charts.picture import Panel

_HEIGHT = 260
_OVERLAP = 0.04
"""Of a cell."""
_MANY = 100
"""Points from which on they are drawn small."""


def contour_picture(study: ShownStudy, contour: Contour) -> Picture:
    """The gain over two parameters; beside it, how uncertain the model is there."""
    gain, error = _panels(contour, study.unit)
    best = max(contour.cells, key=lambda one: one.gain.value)
    x, y = elided(contour.x.name), elided(contour.y.name)
    played = "the way of θ" if study.by_comparisons else count_of(len(contour.points), "trial")
    dots = f"Dots: {played}; " if contour.points else ""
    return Picture(
        f"Contour of study {study.name}: {x} and {y}",
        f"{model_words(study)} over two parameters, the others as recommended. {dots}"
        "cross: the base's values; diamond: the recommended ones. Beside it: how uncertain "
        "each gain is (half its 95 % interval).",
        f"{gain_axis(study.unit)} over {x} and {y}: best with {x} {_words(best.x)} and {y} "
        f"{_words(best.y)}, {told_gain(best.gain, study.unit)}",
        [gain, error],
    )


def _panels(contour: Contour, unit: GainUnit) -> list[Panel]:
    import altair as alt

    rows = [_row(one, unit) for one in contour.cells]
    reach = max((abs(row["gain"]) for row in rows), default=0.0) or 1.0
    name = "Elo" if unit == "elo" else "%"
    shades = (
        (
            "gain", f"Gain, {name}",
            alt.Scale(
                domain=[-reach, reach], domainMid=0, range="diverging", interpolate="rgb"
            ),
        ),
        (
            "error", f"Its interval, ± {name}",
            alt.Scale(range="heatmap", zero=True, interpolate="rgb"),
        ),
    )  # fmt: skip
    panels: list[Panel] = []
    for field, title, scale in shades:
        colour = alt.Color(
            f"{field}:Q", title=None, scale=scale,
            legend=alt.Legend(orient="top", gradientLength=180),
        )  # fmt: skip
        tooltip = [
            alt.Tooltip("x_words:N", title=elided(contour.x.name)),
            alt.Tooltip("y_words:N", title=elided(contour.y.name)),
            alt.Tooltip("told:N", title="gain"),
        ]
        cells = (
            alt.Chart(values_of(rows))
            .mark_rect(clip=True)
            .encode(
                color=colour,
                tooltip=tooltip,
            )
        )
        panel = alt.layer(_placed(cells, contour), *_marks(contour))
        panels.append(panel.properties(title=title, height=_HEIGHT))
    return panels


def _placed(cells: alt.Chart, contour: Contour) -> alt.Chart:
    """Cells from end to end along numbers, a band wide along options."""
    import altair as alt

    ends: dict[str, Any] = {
        "x": value_axis(alt.X("x"), contour.x), "y": value_axis(alt.Y("y"), contour.y),
    }  # fmt: skip
    if contour.x.ends is not None:
        ends["x2"] = "x_to"
    if contour.y.ends is not None:
        ends["y2"] = "y_to"
    return cells.encode(**ends)


def _marks(contour: Contour) -> list[alt.Chart]:
    """What was played, pale; the base and the recommended values on top."""
    import altair as alt

    x, y = value_axis(alt.X("x"), contour.x), value_axis(alt.Y("y"), contour.y)
    played = [
        {"x": at, "y": to, "played": f"{format_setting(at)}, {format_setting(to)}"}
        for at, to in contour.points
    ]
    layers = [
        alt.Chart(values_of(played))
        .mark_circle(style="pale", size=20 if len(played) < _MANY else 8)
        .encode(x=x, y=y, tooltip=alt.Tooltip("played:N"))
    ]
    marks: tuple[tuple[Shown | None, Shown | None, str, str, str], ...] = (
        (contour.x.base, contour.y.base, "base's values", "base", "cross"),
        (contour.x.recommended, contour.y.recommended, "recommended", "chosen", "diamond"),
    )
    for at, to, told, style, shape in marks:
        if at is not None and to is not None:
            layers.append(
                alt.Chart(values_of([{"x": at, "y": to, "mark": told}]))
                .mark_point(style=style, shape=shape, filled=True, size=150, opacity=1)
                .encode(x=x, y=y, tooltip=alt.Tooltip("mark:N"))
            )
    return layers


def _row(one: PlaneCell, unit: GainUnit) -> dict[str, Any]:
    least, most = one.gain.low, one.gain.high
    row: dict[str, Any] = {
        "gain": one.gain.value,
        "error": None if least is None or most is None else (most - least) / 2,
        "told": told_gain(one.gain, unit),
        "x_words": _words(one.x),
        "y_words": _words(one.y),
    }
    for name, part in (("x", one.x), ("y", one.y)):
        if isinstance(part, str):
            row[name] = part
        else:
            low, high = part
            # A little into the next cell: no line of the ground between them.
            row[name], row[f"{name}_to"] = low, high + _OVERLAP * (high - low)
    return row


def _words(part: tuple[float, float] | str) -> str:
    if isinstance(part, str):
        return part
    return " to ".join(format_number(end, 3).rstrip("0").rstrip(".") for end in part)
