"""The page of plots: one file, everything in it, nothing from elsewhere."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from toolkit.base.errors import OperationFailed
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
from toolkit.tuning.showing.plots import (
    CHOSEN,
    PALE,
    contenders_figure,
    measured_figure,
    page,
    slices_figure,
    tracks_figure,
    trials_figure,
    write,
)

STATED = Statement("stated gain", Span(12.0, -3.0, 27.0), 1000)
SPSA = TuningPicture(
    "Study <a&b>",
    "elo",
    (("base", "mtdf:grain=8"), ("odd", "</script><b>")),
    (STATED, Statement("confirm", Span(5.0, None, 20.0), 3, "few")),
    (0, 10, 20),
    10,
    (
        Track("grain", "1", "64", (0.5, 0.6, 0.7), 0.5, 0.65),
        Track("depth", "1", "9", (0.5, 0.4, 0.3), None, None),
        Track("size", "0", "1", (0.1, 0.1, 0.1), 0.1, 0.1),
    ),
    (Stop(10, Span(1.0, -5.0, 7.0)), Stop(20, Span(4.0, -3.0, 11.0))),
)
TRIALS = TuningPicture(
    "Study tpe",
    "percent",
    (),
    (STATED,),
    trials=(
        ShownTrial(0, False, 40, 60.0, Span(4.0, -6.0, 14.0)),
        ShownTrial(1, True, 24, -60.0, Span(-4.0, -14.0, 6.0)),
    ),
    slices=(
        Slice("grain", (1, 8, 64), (Span(1, 0, 2), Span(2, 1, 3), Span(0, -2, 2)), True, 8, 1),
        Slice("mode", ("plain", "wide"), (Span(1, 0, 2), Span(2, 1, 3)), False, "plain", "wide"),
    ),
    contenders=(
        Contender("trial 7", 1, 70, Span(3, -9, 15), -4.0, Span(0, -8, 8), False),
        Contender("trial 3", 3, 400, Span(2, -9, 13), 8.0, Span(6, -2, 14), True),
    ),
)


def headings(text: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", text)


def test_page_of_spsa_shows_what_it_has() -> None:
    text = page(SPSA)
    assert headings(text) == ["Measured gain", "Estimated gain of θ", "Parameters"]
    assert text.count("Plotly.newPlot") >= 3
    assert "Study &lt;a&amp;b&gt;" in text and "&lt;/script&gt;&lt;b&gt;" in text
    assert page(SPSA) == text


def test_page_of_trials_shows_what_it_has() -> None:
    assert headings(page(TRIALS)) == ["Measured gain", "Final choice", "Trials", "Slices"]
    assert headings(page(TuningPicture("empty", "elo", ()))) == []


def test_page_needs_no_network() -> None:
    text = page(SPSA)
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=", text)
    assert "cdn.plot.ly/plotly" not in text.split("<body>")[1]


def test_raw_means_are_pale_and_the_posterior_is_not() -> None:
    raw, sure, pruned = trials_figure(TRIALS.trials, "elo").data
    assert raw.marker.color == PALE and list(raw.y) == [60.0, -60.0]
    assert list(sure.y) == [4.0] and list(sure.error_y.array) == [10.0]
    assert list(pruned.y) == [-4.0] and pruned.name == "pruned"


def test_open_ends_are_arrows_beyond_all_others() -> None:
    figure = measured_figure(SPSA.statements, "elo")
    closed, open_ = figure.data[0], figure.data[2]
    assert list(closed.x) == [-3.0, 27.0]
    assert list(closed.marker.symbol) == ["line-ns-open", "line-ns-open"]
    assert list(open_.marker.symbol) == ["triangle-left", "line-ns-open"]
    assert open_.x[0] < -3.0 and open_.x[1] == 20.0
    assert figure.data[3].text == ("+5.0 Elo […, +20.0]",)


def test_chosen_contender_stands_first_and_apart() -> None:
    figure = contenders_figure(TRIALS.contenders, "elo")
    assert figure.data[0].y[0].startswith("trial 3<")
    chosen = figure.data[3]
    assert chosen.marker.color == CHOSEN and list(chosen.x) == [6.0]
    assert list(figure.data[1].x) == [8.0, -4.0]


def test_tracks_mark_the_base_and_the_recommended_value() -> None:
    figure = tracks_figure(SPSA.tracks, SPSA.pairs, SPSA.averaged_from)
    lines = [(one.y0, one.line.color) for one in figure.layout.shapes if one.type == "line"]
    assert (0.65, CHOSEN) in lines and len(lines) == 4
    shaded = [one for one in figure.layout.shapes if one.type == "rect"]
    assert len(shaded) == 3 and (shaded[0].x0, shaded[0].x1) == (10, 20)
    assert figure.layout.yaxis.ticktext == ("1", "", "64")


def test_slices_share_a_scale_of_strength() -> None:
    figure = slices_figure(TRIALS.slices, "percent")
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range
    assert figure.layout.xaxis.type == "log"
    (options,) = [one for one in figure.data if one.mode == "markers"]
    assert options.marker.color[1] == CHOSEN and options.marker.color[0] != CHOSEN
    assert figure.layout.yaxis.title.text == "effort saved, %"


def test_many_parameters_fit() -> None:
    tracks = tuple(replace(SPSA.tracks[0], name=f"p{place}") for place in range(41))
    assert len(tracks_figure(tracks, SPSA.pairs, None).layout.annotations) == 41


def test_failures_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(SPSA, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page(SPSA)
    with pytest.raises(OperationFailed, match="cannot write .*none/page.html: No such file"):
        write(SPSA, tmp_path / "none" / "page.html")
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(OperationFailed, match="which is installed with mtdf: pip install plotly"):
        page(SPSA)
