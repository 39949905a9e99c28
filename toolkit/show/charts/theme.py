"""The look of all charts, light and dark: charts name a style, and this file gives it a colour.

The colours of categories are told apart by colour-blind readers too, after Okabe and Ito (2008).
"""

from __future__ import annotations

from typing import Any

CATEGORIES = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#b37700", "#3a8fc4", "#666666")
"""On a light ground; each has a contrast of at least 3 with white."""
DARK_CATEGORIES = ("#56b4e9", "#f0843c", "#2ec49a", "#d98ac8", "#e6b422", "#8fcaf0", "#b0b0b0")
NEUTRAL = "#808080"
"""What belongs to no category, on either ground."""
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"


def _config(ink: str, muted: str, grid: str, ground: str, categories: tuple[str, ...]) -> Any:
    """A configuration of Vega-Lite. Styles:

    ``estimate`` the value itself, ``interval`` a bar of its interval, ``band`` an area of one,
    ``pale`` raw values that should not catch the eye, ``reference`` a line at 0 or at a bound,
    ``base`` what others are compared with, ``chosen`` what was recommended, ``frame`` the border of
    what is marked, ``label`` small text, ``course`` the line of an estimate, ``cell`` a field of a
    heat map.
    """
    estimate, chosen = categories[0], categories[1]
    return {
        "background": ground,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink, "titleColor": ink, "tickColor": muted, "domainColor": muted,
            "gridColor": grid, "labelFontSize": 12, "titleFontSize": 12,
            "titleFontWeight": "normal", "labelLimit": 240,
        },
        "legend": {
            "labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12,
            "orient": "top", "titleFontWeight": "normal", "labelLimit": 300, "columns": 3,
        },
        "title": {
            "color": ink, "subtitleColor": muted, "fontSize": 15, "subtitleFontSize": 12,
            "anchor": "start", "frame": "group", "fontWeight": "bold", "offset": 12,
        },
        "range": {
            "category": list(categories),
            "diverging": [categories[1], ground, categories[0]],
            "heatmap": [grid, categories[0]],
            "ramp": [grid, categories[0]],
        },
        "mark": {"color": estimate},
        "rule": {"color": muted},
        "style": {
            "estimate": {"color": estimate, "opacity": 1},
            "interval": {"color": estimate, "strokeWidth": 2},
            "band": {"color": estimate, "opacity": 0.18},
            "pale": {"color": muted, "opacity": 0.55},
            "reference": {"color": muted, "strokeWidth": 1.5, "strokeDash": [4, 3]},
            "base": {"color": muted},
            "chosen": {"color": chosen},
            "frame": {"color": ink, "strokeWidth": 1.5},
            "label": {"color": ink, "fontSize": 12},
            "course": {"color": estimate, "strokeWidth": 2},
            "cell": {"stroke": ground, "strokeWidth": 2},
        },
    }  # fmt: skip


LIGHT: dict[str, Any] = _config("#1c232b", "#5c6670", "#e3e7eb", "#ffffff", CATEGORIES)
DARK: dict[str, Any] = _config("#e8ebee", "#a3adb8", "#343c46", "#15191e", DARK_CATEGORIES)
