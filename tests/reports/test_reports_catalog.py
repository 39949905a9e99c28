"""Every value of a parameter that is not neutral is listed, and differences name both values."""

from __future__ import annotations

from engines.registry import DRIVERS
from toolkit.reports.catalog import diff_engines, show_engine


def test_neutral_values_are_listed() -> None:
    shown = show_engine("sss", None).parameters
    assert {"killers", "bounds", "replacement", "etc", "iid", "hash"} <= shown.keys()
    assert "entries" not in shown and shown["killers"] is True
    assert shown.keys() <= set(DRIVERS["sss"].parameters)


def test_difference_from_neutral_value_names_both() -> None:
    (row,) = diff_engines(show_engine("mtdf:killers=off", None), show_engine("mtdf", None))
    assert (row.parameter, row.engine, row.other) == ("killers", False, True)
