"""Moments as text and as milliseconds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.errors import DatabaseCorrupt, RecordError
from db.times import milliseconds_of, text_of, utc_now

CENTURY_MS = 100 * 366 * 86_400_000


@settings(max_examples=50)
@given(st.integers(-CENTURY_MS, CENTURY_MS))
def test_text_and_back(moment: int) -> None:
    assert milliseconds_of(text_of(moment)) == moment


def test_known_moments() -> None:
    assert text_of(0) == "1970-01-01T00:00:00.000Z"
    assert text_of(1795255350123) == "2026-11-21T10:02:30.123Z"
    assert milliseconds_of("2026-11-21T12:02:30.123999+02:00") == 1795255350123


@pytest.mark.parametrize("value", ["x", "", None, b"1", 10**17, -(10**17), 10**400])
def test_invalid_number_is_damage(value: Any) -> None:
    with pytest.raises(DatabaseCorrupt, match="is not a time"):
        text_of(value)


def test_now_has_the_form_of_all_moments() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", utc_now())


@pytest.mark.parametrize("text", ["", "noon", "2026-11-21", "2026-11-21T10:02:30.123"])
def test_invalid_text_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match="is not a moment such as"):
        milliseconds_of(text)
