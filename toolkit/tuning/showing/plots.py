"""A page of plots of a study: one self-contained HTML file.

Measurements come first. Raw means of trials are drawn pale, because the best of them is mostly the
luckiest.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.base.errors import OperationFailed
from toolkit.base.files import write_output
from toolkit.tuning.models.gain import GainUnit
from toolkit.tuning.showing.picture import (
    Contender,
    ShownTrial,
    Slice,
    Span,
    Statement,
    Stop,
    Track,
    TuningPicture,
)

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

INK, BAND, PALE, BASE, CHOSEN = "#1f5fa8", "rgba(31,95,168,0.16)", "#c3c8cf", "#6b7280", "#d9600a"
"""Colours: model estimates, their intervals, raw means, the base, the recommendation."""
COLUMNS = 2
"""Panels side by side."""
PANEL = 230
"""Height of a row of panels, pixels."""

_CONFIG = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtons": [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
}
"""Only the buttons that work on a single file."""
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1c232b; margin: 0 auto; max-width: 1080px;
       padding: 28px 24px 60px; background: #fff; }
h1 { font-size: 24px; margin: 0 0 12px; } h2 { font-size: 18px; margin: 36px 0 2px; }
p { margin: 0 0 8px; color: #4b5563; max-width: 76ch; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; margin: 0; }
dt { color: #6b7280; } dd { margin: 0; overflow-wrap: anywhere; }
"""


def write(picture: TuningPicture, path: Path) -> None:
    """Write the page. Raises OperationFailed if it cannot be written, or without plotly."""
    write_output(path, page(picture))


def page(picture: TuningPicture) -> str:
    """The whole page as HTML. Raises OperationFailed without plotly."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise OperationFailed(
            "plots need plotly, which is installed with mtdf: pip install plotly"
        ) from error
    facts = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>"
        for name, value in picture.facts
    )
    title = html.escape(picture.title)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style><script>{get_plotlyjs()}</script></head>\n"
        f"<body><h1>{title}</h1>\n<dl>{facts}</dl>\n{_sections(picture)}</body></html>\n"
    )


def _sections(picture: TuningPicture) -> str:
    """Every part that has anything to show."""
    unit = picture.unit
    parts: list[tuple[str, str, Figure]] = []
    if picture.statements:
        parts.append((
            "Measured gain",
            "Gain of the recommended values over the base, on pairs that played no part in the "
            "choice. Bars are 95 % "
            "intervals; an arrow marks an open end.",
            measured_figure(picture.statements, unit),
        ))  # fmt: skip
    if picture.climb:
        parts.append((
            "Estimated gain of θ",
            "By a quadratic surface through all comparisons so far; indicative only, and never "
            "used for the recommendation. The band is a 95 % interval.",
            climb_figure(picture.climb, unit),
        ))  # fmt: skip
    if picture.tracks:
        parts.append((
            "Parameters",
            "θ over the range of each parameter. The recommended values are the means over the "
            "shaded part.",
            tracks_figure(picture.tracks, picture.pairs, picture.averaged_from),
        ))  # fmt: skip
    if picture.contenders:
        parts.append((
            "Final choice",
            "The leading points played again on fresh openings; in each round the better half "
            "continued. Pale: the result of the search.",
            contenders_figure(picture.contenders, unit),
        ))  # fmt: skip
    if picture.trials:
        parts.append((
            "Trials",
            "Posterior of every trial's point after all trials, with 95 % intervals. Pale: the "
            "trial's own mean, which is partly luck.",
            trials_figure(picture.trials, unit),
        ))  # fmt: skip
    if picture.slices:
        parts.append((
            "Slices",
            "Posterior along each parameter, the others as recommended. Bands and bars are 95 % "
            "intervals.",
            slices_figure(picture.slices, unit),
        ))  # fmt: skip
    return "\n".join(
        f"<h2>{heading}</h2><p>{caption}</p>\n{_embedded(figure, number)}"
        for number, (heading, caption, figure) in enumerate(parts)
    )


def _embedded(figure: Figure, number: int) -> str:
    """A figure as a part of the page, of the same text each time."""
    text: str = figure.to_html(
        full_html=False, include_plotlyjs=False, div_id=f"figure{number}",
        config=_CONFIG,
    )  # fmt: skip
    return text


def measured_figure(statements: Sequence[Statement], unit: GainUnit) -> Figure:
    """The stated gain and confirmations, one a line."""
    figure = _figure(90 + 46 * len(statements))
    ends = [end for one in statements for end in (one.gain.low, one.gain.high) if end is not None]
    values = [one.gain.value for one in statements]
    low, high = min([*values, *ends, 0.0]), max([*values, *ends, 0.0])
    margin = 0.08 * (high - low) or 5.0
    for one in statements:
        left = low - margin if one.gain.low is None else one.gain.low
        right = high + margin if one.gain.high is None else one.gain.high
        label = f"{html.escape(one.label)}<br>{_small(f'{one.pairs:,} pairs')}"
        figure.add_scatter(
            x=[left, right], y=[label, label], mode="lines+markers", hoverinfo="skip",
            line={"color": INK, "width": 3},
            marker={"size": 11, "color": INK, "symbol": [
                "line-ns-open" if end is not None else arrow
                for end, arrow in ((one.gain.low, "triangle-left"), (one.gain.high,
                                                                     "triangle-right"))
            ]},
        )  # fmt: skip
        figure.add_scatter(
            x=[one.gain.value], y=[label], mode="markers+text", text=[_told(one.gain, unit)],
            textposition="top center", marker={"size": 12, "color": CHOSEN},
            hovertext=[one.note or _told(one.gain, unit)], hoverinfo="text", cliponaxis=False,
        )  # fmt: skip
    figure.update_xaxes(
        title=_axis(unit), zeroline=True, zerolinecolor=BASE, zerolinewidth=2,
        range=[low - 1.5 * margin, high + 1.5 * margin],
    )  # fmt: skip
    figure.update_yaxes(range=[len(statements) - 0.5, -0.8], showgrid=False)
    return figure


def climb_figure(climb: Sequence[Stop], unit: GainUnit) -> Figure:
    """Estimated gain of θ over the pairs played."""
    figure = _figure(320)
    _band(figure, [one.pairs for one in climb], [one.gain for one in climb], "pairs", unit)
    figure.update_xaxes(title="pairs")
    figure.update_yaxes(title=_axis(unit), zeroline=True, zerolinecolor=BASE, zerolinewidth=2)
    return figure


def tracks_figure(
    tracks: Sequence[Track], pairs: Sequence[int], averaged_from: int | None
) -> Figure:
    """θ of each parameter in a separate panel."""
    figure = _panels([one.name for one in tracks])
    for number, one in enumerate(tracks):
        place = _place(number)
        figure.add_scatter(
            x=list(pairs), y=list(one.units), mode="lines", line={"color": INK, "width": 2},
            hovertemplate="%{y:.3f} of the range after %{x} pairs<extra></extra>", **place,
        )  # fmt: skip
        if averaged_from is not None and len(pairs):
            figure.add_vrect(
                x0=averaged_from, x1=pairs[-1], fillcolor=BAND, line_width=0, layer="below", **place
            )
        for value, colour, dash in ((one.base, BASE, "dot"), (one.recommended, CHOSEN, "solid")):
            if value is not None:
                figure.add_hline(y=value, line={"color": colour, "dash": dash, "width": 2}, **place)
        figure.update_yaxes(
            range=[-0.04, 1.04], tickvals=[0, 0.5, 1], ticktext=[one.low, "", one.high], **place
        )
    rows = -(-len(tracks) // COLUMNS)
    for number in range(max(len(tracks) - COLUMNS, 0), len(tracks)):
        figure.update_xaxes(title="pairs", **_place(number))
    return _with_key(figure, rows)


def contenders_figure(contenders: Sequence[Contender], unit: GainUnit) -> Figure:
    """The candidates of the final choice, the last ones standing first."""
    ordered = sorted(contenders, key=lambda one: (-one.chosen, -one.rounds, -one.decided.value))
    figure = _figure(100 + 44 * len(ordered))
    labels = [
        f"{html.escape(one.label)}<br>{_small(f'{_rounds(one.rounds)}, {one.pairs:,} pairs')}"
        for one in ordered
    ]
    figure.add_scatter(
        x=[one.search.value for one in ordered], y=labels, mode="markers", name="search",
        error_x=_bars([one.search for one in ordered], "#e3e6ea", 9),
        marker={"color": PALE, "size": 11, "symbol": "line-ns", "line_width": 2,
                "line_color": "#9aa2ad"}, showlegend=True,
        hovertext=[_told(one.search, unit) for one in ordered], hoverinfo="text+name",
    )  # fmt: skip
    figure.add_scatter(
        x=[one.fresh for one in ordered], y=labels, mode="markers", name="fresh pairs",
        marker={"color": INK, "size": 9, "symbol": "x-thin", "line": {"width": 2, "color": INK}},
        hoverinfo="x+name", showlegend=True,
    )  # fmt: skip
    for chosen, colour, name in ((False, INK, "both"), (True, CHOSEN, "both, chosen")):
        some = [(one, label) for one, label in zip(ordered, labels, strict=True)
                if one.chosen == chosen]  # fmt: skip
        figure.add_scatter(
            x=[one.decided.value for one, _ in some], y=[label for _, label in some],
            mode="markers", name=name, marker={"color": colour, "size": 11}, showlegend=bool(some),
            error_x=_bars([one.decided for one, _ in some], colour),
            hovertext=[_told(one.decided, unit) for one, _ in some], hoverinfo="text+name",
        )  # fmt: skip
    figure.update_xaxes(title=_axis(unit), zeroline=True, zerolinecolor=BASE, zerolinewidth=2)
    figure.update_yaxes(
        autorange="reversed", showgrid=False, categoryorder="array", categoryarray=labels
    )
    figure.update_layout(showlegend=True, legend=_legend(), margin_t=50)
    return figure


def trials_figure(trials: Sequence[ShownTrial], unit: GainUnit) -> Figure:
    """Posterior means by trial over pale raw ones."""
    figure = _figure(400)
    figure.add_scatter(
        x=[one.number for one in trials], y=[one.raw for one in trials], mode="markers",
        name="own mean", marker={"color": PALE, "size": 5}, showlegend=True,
        hovertext=[f"trial {one.number}: own mean of {one.pairs} pairs" for one in trials],
        hoverinfo="text",
    )  # fmt: skip
    for pruned, name, symbol in ((False, "posterior", "circle"), (True, "pruned", "circle-open")):
        some = [one for one in trials if one.pruned == pruned]
        if some:
            figure.add_scatter(
                x=[one.number for one in some], y=[one.gain.value for one in some], mode="markers",
                name=name, marker={"color": INK, "size": 6, "symbol": symbol}, showlegend=True,
                error_y=_bars([one.gain for one in some], "rgba(31,95,168,0.3)"),
                hovertext=[f"trial {one.number}: {_told(one.gain, unit)}" for one in some],
                hoverinfo="text",
            )  # fmt: skip
    figure.update_xaxes(title="trial")
    figure.update_yaxes(title=_axis(unit), zeroline=True, zerolinecolor=BASE, zerolinewidth=2)
    figure.update_layout(showlegend=True, legend=_legend(), margin_t=40)
    return figure


def slices_figure(slices: Sequence[Slice], unit: GainUnit) -> Figure:
    """The posterior along each parameter, on one scale of strength."""
    figure = _panels([one.name for one in slices])
    ends = [end for one in slices for gain in one.gains
            for end in (gain.low, gain.high) if end is not None]  # fmt: skip
    margin = 0.05 * (max(ends) - min(ends)) or 1.0
    for number, one in enumerate(slices):
        place = _place(number)
        if isinstance(one.values[0], str):
            figure.add_scatter(
                x=list(one.values), y=[gain.value for gain in one.gains], mode="markers",
                marker={"size": 10, "color": [_colour(one, value) for value in one.values]},
                error_y=_bars(one.gains, INK), hoverinfo="x+y", **place,
            )  # fmt: skip
        else:
            _band(figure, one.values, one.gains, one.name, unit, **place)
            for value, colour, dash in (
                (one.base, BASE, "dot"),
                (one.recommended, CHOSEN, "solid"),
            ):
                if value is not None:
                    figure.add_vline(
                        x=value, line={"color": colour, "dash": dash, "width": 2}, **place
                    )
            if one.log:
                figure.update_xaxes(type="log", dtick="D2", **place)
        figure.update_yaxes(
            range=[min(ends) - margin, max(ends) + margin], zeroline=True, zerolinecolor=PALE,
            title=_axis(unit) if place["col"] == 1 else None, **place,
        )  # fmt: skip
    return _with_key(figure, -(-len(slices) // COLUMNS))


def _colour(one: Slice, value: float | str) -> str:
    return CHOSEN if value == one.recommended else BASE if value == one.base else INK


def _figure(height: int) -> Figure:
    """An empty figure in our style."""
    from plotly.graph_objects import Figure

    return _styled(Figure(), height)


def _panels(names: Sequence[str]) -> Figure:
    """Panels with a title each, two in a row."""
    from plotly.subplots import make_subplots

    rows = -(-len(names) // COLUMNS)
    height = 90 + PANEL * rows
    figure = make_subplots(
        rows=rows, cols=COLUMNS, subplot_titles=[html.escape(name) for name in names],
        vertical_spacing=min(72 / height, 0.9 / max(rows - 1, 1)), horizontal_spacing=0.09,
    )  # fmt: skip
    return _styled(figure, height)


def _styled(figure: Figure, height: int) -> Figure:
    figure.update_layout(
        template="plotly_white", height=height, showlegend=False, font={"size": 13},
        margin={"l": 10, "r": 20, "t": 30, "b": 10}, hoverlabel={"align": "left"},
    )  # fmt: skip
    figure.update_xaxes(automargin=True, gridcolor="#eef0f3")
    figure.update_yaxes(automargin=True, gridcolor="#eef0f3")
    return figure


def _place(number: int) -> dict[str, int]:
    """Row and column of a panel, from 1."""
    return {"row": number // COLUMNS + 1, "col": number % COLUMNS + 1}


def _with_key(figure: Figure, rows: int) -> Figure:
    """Say which line is the base's and which the recommended value's."""
    figure.update_traces(showlegend=False)
    for name, colour, dash in (("base", BASE, "dot"), ("recommended", CHOSEN, "solid")):
        figure.add_scatter(
            x=[None], y=[None], mode="lines", name=name, showlegend=True,
            line={"color": colour, "dash": dash, "width": 2}, row=1, col=1,
        )  # fmt: skip
    height = 90 + PANEL * rows
    figure.update_layout(
        showlegend=True, margin_t=64,
        legend={**_legend(), "y": 1 + 30 / (height - 74)},
    )  # fmt: skip
    return figure


def _legend() -> dict[str, object]:
    """Above the plot, at the left."""
    return {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.01, "yanchor": "bottom"}


def _band(
    figure: Figure, x: Sequence[float | str], gains: Sequence[Span], name: str, unit: GainUnit,
    **place: int,
) -> None:  # fmt: skip
    """A line with its interval around it."""
    for ends, fill in (([gain.low for gain in gains], None), ([gain.high for gain in gains],
                                                              "tonexty")):  # fmt: skip
        figure.add_scatter(
            x=list(x), y=ends, mode="lines", line={"width": 0}, fill=fill, fillcolor=BAND,
            hoverinfo="skip", **place,
        )  # fmt: skip
    figure.add_scatter(
        x=list(x), y=[gain.value for gain in gains], mode="lines",
        line={"color": INK, "width": 2.5}, hoverinfo="text",
        hovertext=[f"{name} {at}: {_told(gain, unit)}" for at, gain in zip(x, gains, strict=True)],
        **place,
    )  # fmt: skip


def _bars(gains: Sequence[Span], colour: str, thickness: float = 1.5) -> dict[str, object]:
    """Error bars; an open end has none."""
    return {
        "type": "data", "symmetric": False, "color": colour, "thickness": thickness, "width": 0,
        "array": [0.0 if one.high is None else one.high - one.value for one in gains],
        "arrayminus": [0.0 if one.low is None else one.value - one.low for one in gains],
    }  # fmt: skip


def _axis(unit: GainUnit) -> str:
    return "Elo over the base" if unit == "elo" else "effort saved, %"


def _small(text: str) -> str:
    return f'<span style="font-size:11px;color:{BASE}">{text}</span>'


def _rounds(number: int) -> str:
    return "no round" if not number else "1 round" if number == 1 else f"{number} rounds"


def _told(span: Span, unit: GainUnit) -> str:
    """A gain in words, such as ``+12.3 Elo [4.0, 20.5]``."""
    ends = ["…" if end is None else f"{end:+.1f}" for end in (span.low, span.high)]
    return f"{span.value:+.1f} {'Elo' if unit == 'elo' else '%'} [{ends[0]}, {ends[1]}]"
