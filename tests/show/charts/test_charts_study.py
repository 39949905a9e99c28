"""Charts of studies: every figure, interval and mark is that of the rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chart_reading import HOSTILE, drawn, layer_of, layers, specs, texts
from study_rows import EMPTY, GRAIN, MODE, SPSA, STATED, TRIALS

from toolkit.show.charts.contenders import contenders_picture
from toolkit.show.charts.contour import contour_picture
from toolkit.show.charts.gain import gain_picture
from toolkit.show.charts.importance import importance_picture
from toolkit.show.charts.parallel import parallel_picture
from toolkit.show.charts.parameters import parameters_picture
from toolkit.show.charts.slices import slices_picture
from toolkit.show.charts.study import study_pictures
from toolkit.show.charts.study_data import Slice, Span
from toolkit.tuning.models.importance import Importance


def test_study_has_the_charts_of_its_data() -> None:
    assert list(study_pictures(SPSA, ())) == ["gain", "parameters"]
    assert list(study_pictures(TRIALS, ())) == [
        *("gain", "contenders", "parameters", "slices", "contour", "parallel"),
    ]
    assert study_pictures(EMPTY, ()) == {}


def test_gains_have_intervals_and_open_ends_are_arrows() -> None:
    measured, climb = specs(gain_picture(SPSA))
    bars = layer_of(measured, "rule", style="interval")
    closed, open_ = bars["rows"]
    assert (closed["low"], closed["value"], closed["high"]) == (-3.0, 12.0, 27.0)
    assert (open_["value"], open_["high"]) == (5.0, 20.0)
    arrow = layer_of(measured, "point", shape="triangle-left")
    left, right = bars["encoding"]["x"]["scale"]["domain"]
    (at,) = arrow["rows"]
    assert at["at"] == open_["low"] == left < -3.0 and right > 27.0
    assert not [one for one in layers(measured) if one["mark"].get("shape") == "triangle-right"]
    root = drawn(gain_picture(SPSA))
    shown = texts(root)
    assert "+12.0 Elo [-3.0, +27.0]" in shown and "+5.0 Elo [open, +20.0]" in shown
    assert "stated, 1 000 pairs" in shown and "confirmed r3f9, 3 pairs" in shown
    assert "arrow: open end" in " ".join(shown)
    assert layer_of(climb, "area")["rows"] == [
        {"pairs": 10, "value": 1.0, "low": -5.0, "high": 7.0, "told": "+1.0 Elo [-5.0, +7.0]"},
        {"pairs": 20, "value": 4.0, "low": -3.0, "high": 11.0, "told": "+4.0 Elo [-3.0, +11.0]"},
    ]
    assert "indicative only" in gain_picture(SPSA).caption


def test_alternative_text_has_the_gains() -> None:
    told = gain_picture(SPSA).alt
    assert "stated: +12.0 Elo [-3.0, +27.0] on 1 000 pairs" in told
    assert "confirmed r3f9: +5.0 Elo [open, +20.0] on 3 pairs (few)" in told
    assert "trial 0 has the best: +4.0 % [-6.0, +14.0]" in gain_picture(TRIALS).alt


def test_two_gains_of_one_label_are_two_lines() -> None:
    (panel, *_) = specs(gain_picture(replace(SPSA, statements=(STATED, STATED))))
    names = [row["measured"] for row in layer_of(panel, "rule", style="interval")["rows"]]
    assert len(set(names)) == 2


def test_raw_means_are_pale_and_the_posterior_is_not() -> None:
    _, trials = specs(gain_picture(TRIALS))
    pale = layer_of(trials, "circle", style="pale")
    assert [row["value"] for row in pale["rows"]] == [60.0, -60.0]
    dots = layer_of(trials, "point", style="estimate")
    assert [(row["value"], row["what"]) for row in dots["rows"]] == [
        (4.0, "posterior"), (-4.0, "posterior, pruned"),
    ]  # fmt: skip
    ends = layer_of(trials, "rule", style="interval")["rows"]
    assert [(row["low"], row["high"]) for row in ends] == [(-6.0, 14.0), (-14.0, 6.0)]
    assert dots["encoding"]["y"]["title"] == "effort saved, %"


def test_chosen_contender_comes_first_and_apart() -> None:
    (panel,) = specs(contenders_picture(TRIALS))
    chosen = layer_of(panel, "point", style="chosen")
    assert [row["value"] for row in chosen["rows"]] == [6.0]
    order = chosen["encoding"]["y"]["scale"]["domain"]
    assert order[0].startswith("1. grain=3: 3 rounds, 400 pairs")
    assert order[1].startswith("2. grain=7: 1 round, 70 pairs")
    found = [(row["contender"], row["value"]) for layer in layers(panel) for row in layer["rows"]
             if row.get("what") == "fresh pairs alone"]  # fmt: skip
    assert found == [(order[0], 8.0), (order[1], -4.0)]
    search = layer_of(panel, "rule", style="pale")
    assert [(row["low"], row["high"]) for row in search["rows"]] == [(-9, 13), (-9, 15)]


def test_tracks_mark_the_base_and_the_recommended_value() -> None:
    grain, depth = specs(parameters_picture(SPSA))
    assert [row["unit"] for row in layer_of(grain, "line")["rows"]] == [0.5, 0.6, 0.7]
    assert layer_of(grain, "rule", style="reference")["rows"] == [{"unit": 0.5}]
    assert layer_of(grain, "rule", style="chosen")["rows"] == [{"unit": 0.65}]
    assert layer_of(grain, "rect")["rows"] == [{"from": 10, "to": 20}]
    assert {one["mark"]["type"] for one in layers(depth)} == {"line", "rect"}
    shown = texts(drawn(parameters_picture(SPSA)))
    assert {"grain", "depth", "1", "64", "9"} <= set(shown)


def test_values_of_trials_lie_on_axes_of_their_parameters() -> None:
    grain, mode = specs(parameters_picture(TRIALS))
    points = layer_of(grain, "circle")
    assert points["rows"] == [{"trial": 0, "value": 8, "pruned": False}]
    assert points["encoding"]["y"]["scale"] == {
        "domain": [1.0, 64.0], "nice": False, "type": "log",
    }  # fmt: skip
    options = layer_of(mode, "circle")["encoding"]["y"]
    assert (options["type"], options["scale"]["domain"]) == ("nominal", ["plain", "wide"])


def test_slices_share_a_scale_of_strength_and_mark_values() -> None:
    grain, mode = specs(slices_picture(TRIALS))
    line, dots = layer_of(grain, "line"), layer_of(mode, "circle")
    scale = line["encoding"]["y"]["scale"]
    assert scale == dots["encoding"]["y"]["scale"]
    assert scale["domain"][0] < -2 and scale["domain"][1] > 3
    assert line["encoding"]["x"]["scale"]["type"] == "log"
    assert [(row["at"], row["value"]) for row in line["rows"]] == [(1, 1), (8, 2), (64, 0)]
    assert [(row["low"], row["high"]) for row in layer_of(grain, "area")["rows"]] == [
        (0, 2), (1, 3), (-2, 2),
    ]  # fmt: skip
    assert layer_of(mode, "rule", style="chosen")["rows"] == [{"at": "wide"}]
    assert [
        row["at"] for row in layer_of(grain, "rule", strokeWidth=2, style="chosen")["rows"]
    ] == [1]
    told = slices_picture(TRIALS)
    assert "grain: best at 8 with +2.0 % [+1.0, +3.0]" in told.alt
    assert "indicative only" in slices_picture(replace(TRIALS, by_comparisons=True)).caption


def test_contour_has_the_posterior_mean_its_interval_and_the_points() -> None:
    assert TRIALS.contour is not None
    picture = contour_picture(TRIALS, TRIALS.contour)
    gain, error = specs(picture)
    cells = layer_of(gain, "rect")
    assert [(row["x"], row["y"], row["gain"]) for row in cells["rows"]] == [
        (1.0, "plain", 1.0), (8.0, "plain", -5.0), (1.0, "wide", 7.0), (8.0, "wide", 0.0),
    ]  # fmt: skip
    assert all(row["x_to"] >= end for row, end in zip(cells["rows"], (8, 64, 8, 64), strict=True))
    shade = cells["encoding"]["color"]["scale"]
    assert (shade["domain"], shade["domainMid"]) == ([-7.0, 7.0], 0)
    assert [row["error"] for row in layer_of(error, "rect")["rows"]] == [3.0, 4.0, 6.0, 1.0]
    played = layer_of(gain, "circle", style="pale")["rows"]
    assert [(row["x"], row["y"]) for row in played] == [(8, "plain"), (2, "wide")]
    (base,), (best,) = (layer_of(gain, "point", shape=s)["rows"] for s in ("cross", "diamond"))
    assert (base["x"], base["y"]) == (8, "plain") and (best["x"], best["y"]) == (1, "wide")
    assert "best with grain 1 to 8 and mode wide, +7.0 % [+1.0, +13.0]" in picture.alt


def test_trial_is_a_line_through_its_values() -> None:
    picture = parallel_picture(TRIALS)
    (panel,) = specs(picture)
    pale, thick = [one for one in layers(panel) if one["mark"]["type"] == "line"]
    assert [(row["trial"], row["parameter"], row["unit"]) for row in thick["rows"]] == [
        (0, "grain", 0.5), (0, "mode", 0.0),
    ]  # fmt: skip
    assert [(row["trial"], row["parameter"], row["gain"]) for row in pale["rows"]] == [
        (1, "mode", -4.0)
    ], "a parameter without a meaning has no point"
    assert {"1", "64", "plain", "wide"} <= set(texts(drawn(picture)))
    assert "the best one is trial 0, grain=8, mode=plain" in picture.alt


@pytest.mark.parametrize(
    ("error", "shown"), [(None, ["0.61", "0.30"]), (2.5, ["0.6 ± 2.5 Elo", "0.3 ± 2.5 Elo"])]
)
def test_importance_has_its_unit(error: float | None, shown: list[str]) -> None:
    rows = [
        Importance(parameter=name, method="", importance=value, error95=error, trials=30)
        for name, value in (("grain", 0.61), ("mode", 0.3))
    ]
    picture = importance_picture("first", rows)
    (panel,) = specs(picture)
    assert [row["importance"] for row in layer_of(panel, "bar")["rows"]] == [0.61, 0.3]
    assert layer_of(panel, "bar")["encoding"]["y"]["scale"]["domain"] == ["grain", "mode"]
    told = texts(drawn(picture))
    assert [one for one in told if one in shown] == shown
    assert (len([one for one in layers(panel) if one["mark"]["type"] == "rule"]) == 1) == bool(
        error
    )
    assert "30 trials" in picture.caption
    sides = [one["encoding"]["y"].get("axis", {}) for one in layers(panel)]
    assert [side and side.get("orient") for side in sides if side != {}][-1] == "right"
    assert sum(text in ("grain", "mode") for text in told) == 2


def test_many_parameters_fit() -> None:
    tracks = tuple(replace(SPSA.tracks[0], name=f"p{place}") for place in range(15))
    shown = texts(drawn(parameters_picture(replace(SPSA, tracks=tracks))))
    assert {f"p{place}" for place in range(15)} <= set(shown)


def test_one_row_of_each_is_drawn() -> None:
    one = replace(
        TRIALS, trials=TRIALS.trials[:1], contenders=TRIALS.contenders[:1],
        slices=(Slice("mode", ("plain",), (Span(0.0, None, None),), False, None, None),),
    )  # fmt: skip
    for picture in study_pictures(one, ()).values():
        assert "NaN" not in (text := "".join(texts(drawn(picture)))) and text
    climb = replace(SPSA, climb=SPSA.climb[:1], pairs=(0,), averaged_from=None,
                    tracks=(replace(SPSA.tracks[0], units=(0.5,)),))  # fmt: skip
    for picture in study_pictures(climb, ()).values():
        assert "NaN" not in "".join(texts(drawn(picture)))


def test_names_of_a_study_are_text() -> None:
    named = replace(
        TRIALS,
        name=HOSTILE,
        statements=(replace(STATED, label=HOSTILE),),
        parameters=(GRAIN, replace(MODE, options=(HOSTILE, "wide"), base=HOSTILE)),
        slices=(replace(TRIALS.slices[1], values=(HOSTILE, "wide"), base=HOSTILE),),
        contenders=(replace(TRIALS.contenders[0], label=HOSTILE),),
        contour=None,
        trials=(replace(TRIALS.trials[0], point={"grain": 8, "mode": HOSTILE}),),
    )
    for picture in study_pictures(named, ()).values():
        root = drawn(picture)
        assert not [one for one in root.iter() if one.tag.endswith("script")]
        assert HOSTILE in " ".join(texts(root)), picture.title
