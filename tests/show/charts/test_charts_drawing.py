"""Every chart uses named styles, is deterministic, escapes text and can be written to files."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from chart_reading import HOSTILE, drawn, layers, specs, texts
from lab_reports import HARD
from study_rows import SPSA, TRIALS

import toolkit.show.charts
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.show.charts.curves import curves_picture
from toolkit.show.charts.gain import gain_picture
from toolkit.show.charts.picture import (
    LEGENDS,
    Picture,
    elided,
    file_spec,
    sheet_spec,
    short_names,
    values_of,
)
from toolkit.show.charts.series_styles import looks_of
from toolkit.show.charts.static import (
    check_picture_name,
    picture_bytes,
    write_picture,
    write_sheet,
    write_svg,
)
from toolkit.show.charts.study import study_pictures
from toolkit.show.charts.theme import CATEGORIES, DARK, DARK_CATEGORIES, LIGHT

FOLDER = Path(toolkit.show.charts.__file__).parent
MODULES = sorted(path for path in FOLDER.glob("*.py") if path.name not in ("theme.py", "script.py"))
PICTURES = {
    f"{study.name} {kind}": picture
    for study in (SPSA, TRIALS)
    for kind, picture in study_pictures(study, ()).items()
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_chart_has_a_colour_of_its_own(path: Path) -> None:
    literal = r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\("
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not re.search(literal, node.value), node.value
        if isinstance(node, ast.keyword) and re.search(
            "color|fill|stroke$|background", str(node.arg), re.I
        ):
            # A field has a colon, as in `engine:N`; a name of a colour has none.
            value = getattr(node.value, "value", None)
            assert not isinstance(value, str) or ":" in value or value == "independent", value


@pytest.mark.parametrize("name", PICTURES)
def test_styles_are_those_of_the_theme(name: str) -> None:
    for spec in specs(PICTURES[name]):
        for layer in layers(spec):
            style = layer["mark"].get("style")
            assert style is None or style in LIGHT["style"], style
            assert "config" not in spec


def test_both_themes_have_the_same_styles_and_kinds_of_colours() -> None:
    assert LIGHT["style"].keys() == DARK["style"].keys() and LIGHT.keys() == DARK.keys()
    assert len(CATEGORIES) == len(DARK_CATEGORIES) == len(set(CATEGORIES)) == 7


@pytest.mark.parametrize("name", ["second contour", "second parallel"])
def test_same_rows_give_the_same_bytes(name: str) -> None:
    """Vega numbers the gradients and clips of these over all pictures of a process."""
    assert picture_bytes(PICTURES[name], ".svg") == picture_bytes(PICTURES[name], ".svg")


def test_picture_has_its_title_caption_and_words() -> None:
    picture = gain_picture(SPSA)
    spec = file_spec(picture, DARK)
    assert spec["config"] == DARK and spec["description"] == picture.alt
    shown = "".join(texts(drawn(picture)))
    assert picture.title in shown
    assert "".join(picture.caption.split()) in "".join(shown.split()), "but for where lines break"


def test_characters_invalid_in_xml_are_replaced() -> None:
    study = replace(SPSA, name="a\x07b\udcffc\x00")
    shown = texts(drawn(gain_picture(study)))
    assert "Gain of study a\ufffdb\ufffdc\ufffd" in shown


def _bars(names: list[str]) -> Picture:
    rows = [{"engine": name, "at": at} for at, name in enumerate(names)]
    color, shape, _ = looks_of("engine", names)
    chart = alt.Chart(values_of(rows)).mark_point(filled=True)
    return Picture("a", "b", "c", [chart.encode(x="at:Q", color=color, shape=shape)])


def test_forty_nine_engines_differ_and_all_are_in_the_key() -> None:
    names = [f"engine-{number}" for number in range(49)]
    root = drawn(_bars(names))
    looks: dict[str, Any] = {}
    for one in root.iter():
        if one.get("aria-roledescription") == "point":
            name = re.search(r"engine: (engine-\d+)", one.attrib["aria-label"])
            assert name is not None
            looks[name[1]] = (one.get("fill"), re.sub(r"[\d.]+", "", one.attrib["d"]), one.get("d"))
    assert len(looks) == len(set(looks.values())) == 49
    assert set(names) <= set(texts(root))


def test_long_names_lose_their_middle_unless_they_would_look_alike() -> None:
    long = f"mtdf:{'x' * 80},guess=zero"
    assert elided(long).startswith("mtdf:x") and elided(long).endswith("guess=zero")
    assert len(elided(long)) <= 44
    other = long.replace("x" * 40, "y" * 40, 1)[:5] + long[5:45] + "z" + long[46:]
    assert short_names([long, "pvs"]) == [elided(long), "pvs"]
    assert short_names([long, other]) == [long, other]


@pytest.mark.parametrize("name", ["x.jpg", "x", "x.html", ".svg.txt"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"a picture ends in \.svg, \.png or \.pdf"):
        check_picture_name(name)


def test_file_formats_follow_the_suffix(tmp_path: Path) -> None:
    heads = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    for suffix, head in heads.items():
        write_picture(PICTURES["first gain"], tmp_path / f"x{suffix.upper()}")
        assert (tmp_path / f"x{suffix.upper()}").read_bytes().startswith(head)
    write_svg(PICTURES["first gain"], tmp_path / "any.name")
    assert (tmp_path / "any.name").read_bytes() == (tmp_path / "x.SVG").read_bytes()
    with pytest.raises(OperationFailed, match="cannot write .*none/x.svg: No such file"):
        write_picture(PICTURES["first gain"], tmp_path / "none" / "x.svg")


def test_sheet_has_all_its_pictures(tmp_path: Path) -> None:
    pictures = list(study_pictures(TRIALS, ()).values())
    spec = sheet_spec(f"Study {HOSTILE}", pictures, LIGHT)
    assert all(picture.alt in spec["description"] for picture in pictures)
    write_sheet(f"Study {HOSTILE}", pictures, tmp_path / "all.svg")
    import xml.etree.ElementTree as tree

    shown = texts(tree.parse(tmp_path / "all.svg").getroot())
    assert f"Study {HOSTILE}" in shown
    assert {picture.title for picture in pictures} <= set(shown)
    narrow = sheet_spec("one", pictures, LIGHT, width=300, legend="none")
    assert str(narrow).count("'legend': None") > str(spec).count("'legend': None")


def test_legends_and_width_of_a_file() -> None:
    picture = curves_picture(HARD["depths"])

    def legends(spec: Any) -> list[Any]:
        if isinstance(spec, list):
            return [one for part in spec for one in legends(part)]
        if not isinstance(spec, dict):
            return []
        own = [spec["legend"]] if "legend" in spec and "field" in spec else []
        return own + [one for part in spec.values() for one in legends(part)]

    for legend in LEGENDS:
        spec = file_spec(picture, LIGHT, width=321, legend=legend)
        assert spec["vconcat" if "vconcat" in spec else "concat"][0]["width"] == 321
        shown = [one for one in legends(spec) if one is not None]
        if legend == "none":
            assert not shown and legends(spec)
        elif legend != "top":
            assert spec["config"]["legend"]["orient"] == legend
            assert shown and all(one["orient"] == legend for one in shown)
    assert LIGHT["legend"]["orient"] == "top"
