"""Mistyped names get few and near suggestions, the same everywhere."""

from __future__ import annotations

import pytest

from engines.errors import VariantError
from engines.suggestion import did_you_mean, nearest_names
from engines.variant import parse_variant

NAMES = ("reduction_base", "reduction_slope", "history_reduction", "internal_reduction", "guess")


@pytest.mark.parametrize(
    ("word", "names", "hint"),
    [
        ("gues", NAMES, "; did you mean `guess`?"),
        ("GUESS", NAMES, "; did you mean `guess`?"),
        ("ac", ("ab", "ad", "xy"), "; did you mean `ab` or `ad`?"),
        ("qqqq", NAMES, ""),
        ("rate", ("openings", "ratings"), "; did you mean `ratings`?"),
        ("nothing", ("openings", "ratings"), ""),
        ("guess", (), ""),
    ],
)
def test_nearest_names_are_suggested(word: str, names: tuple[str, ...], hint: str) -> None:
    found = did_you_mean(word, names)
    # Of equally near ones any may come first.
    assert sorted(found.split("`")) == sorted(hint.split("`"))
    assert bool(found) == bool(nearest_names(word, names))


def test_at_most_three_suggestions() -> None:
    near = [f"a_long_name_{digit}" for digit in range(9)]
    assert len(nearest_names("a_long_name", near)) == 3


def test_much_nearer_name_is_the_only_suggestion() -> None:
    assert nearest_names("reduction_bas", NAMES) == ["reduction_base"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mtdf:gues=parity", "engine `mtdf`: no parameter `gues`; did you mean `guess`?"),
        ("mtdf:qqqq=1", "engine `mtdf`: no parameter `qqqq`; see `mtdf engines parameters`"),
        ("mtd", "no driver `mtd`; did you mean `mtdf`?"),
    ],
)
def test_mistyped_engine_gets_a_short_suggestion(text: str, message: str) -> None:
    with pytest.raises(VariantError) as caught:
        parse_variant(text)
    assert str(caught.value) == message


def test_mistyped_value_gets_a_suggestion() -> None:
    with pytest.raises(VariantError, match="not allowed; did you mean `parity`[?] guess takes "):
        parse_variant("mtdf:guess=partiy")
