"""What charts show of two studies: one of SPSA, one of trials."""

from __future__ import annotations

from toolkit.show.charts.study_data import (
    Contour,
    LeadingPoint,
    PlaneCell,
    ShownParameter,
    ShownStudy,
    ShownTrial,
    Slice,
    Span,
    Statement,
    Stop,
    Track,
)

STATED = Statement("stated", Span(12.0, -3.0, 27.0), 1000)
GRAIN = ShownParameter("grain", (1.0, 64.0), (), True, 8, 1)
MODE = ShownParameter("mode", None, ("plain", "wide"), False, "plain", "wide")
SPSA = ShownStudy(
    "first",
    "elo",
    (),
    by_comparisons=True,
    statements=(STATED, Statement("confirmed r3f9", Span(5.0, None, 20.0), 3, "few")),
    parameters=(GRAIN, ShownParameter("depth", (1.0, 9.0), (), False, None, None)),
    pairs=(0, 10, 20),
    averaged_from=10,
    tracks=(
        Track("grain", "1", "64", (0.5, 0.6, 0.7), 0.5, 0.65),
        Track("depth", "1", "9", (0.5, 0.4, 0.3), None, None),
    ),
    climb=(Stop(10, Span(1.0, -5.0, 7.0)), Stop(20, Span(4.0, -3.0, 11.0))),
)
TRIALS = ShownStudy(
    "second",
    "percent",
    (),
    statements=(STATED,),
    parameters=(GRAIN, MODE),
    trials=(
        ShownTrial(0, False, 40, 60.0, Span(4.0, -6.0, 14.0), {"grain": 8, "mode": "plain"},
                   {"grain": 0.5, "mode": 0.0}),
        ShownTrial(1, True, 24, -60.0, Span(-4.0, -14.0, 6.0), {"mode": "wide"}, {"mode": 1.0}),
    ),
    slices=(
        Slice("grain", (1, 8, 64), (Span(1, 0, 2), Span(2, 1, 3), Span(0, -2, 2)), True, 8, 1),
        Slice("mode", ("plain", "wide"), (Span(1, 0, 2), Span(2, 1, 3)), False, "plain", "wide"),
    ),
    contour=Contour(
        GRAIN,
        MODE,
        (
            PlaneCell((1.0, 8.0), "plain", Span(1.0, -2.0, 4.0)),
            PlaneCell((8.0, 64.0), "plain", Span(-5.0, -9.0, -1.0)),
            PlaneCell((1.0, 8.0), "wide", Span(7.0, 1.0, 13.0)),
            PlaneCell((8.0, 64.0), "wide", Span(0.0, -1.0, 1.0)),
        ),
        ((8, "plain"), (2, "wide")),
    ),
    contenders=(
        LeadingPoint("grain=7", 1, 70, Span(3, -9, 15), -4.0, Span(0, -8, 8), False),
        LeadingPoint("grain=3", 3, 400, Span(2, -9, 13), 8.0, Span(6, -2, 14), True),
    ),
)  # fmt: skip
EMPTY = ShownStudy("nothing", "elo", ())
