"""Texts that stand for many engines, beside a brute-force expansion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.errors import VariantError
from engines.registry import PARAMETERS
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.events.contenders import MAX_EXPANDED, expanded

Failing = Callable[..., list[str]]

PLAIN = st.text("ab=:,x%&?", max_size=5)
CHOICE = st.text("abc=%&", min_size=1, max_size=3)


def brute(parts: Sequence[str | list[str]]) -> list[str]:
    """Every text that the parts stand for: a list is one of several."""
    if not parts:
        return [""]
    first, *rest = parts
    ways = [first] if isinstance(first, str) else first
    return [way + tail for way in ways for tail in brute(rest)]


@given(st.lists(PLAIN | st.lists(CHOICE, min_size=1, max_size=3), max_size=5))
@settings(max_examples=40)
def test_braces_expand_to_every_combination(parts: list[str | list[str]]) -> None:
    text = "".join(one if isinstance(one, str) else f"{{{','.join(one)}}}" for one in parts)
    assert expanded(text) == brute(parts)


def test_spaces_around_alternatives_are_ignored() -> None:
    assert expanded("mtdf:hash={1, 16 }") == ["mtdf:hash=1", "mtdf:hash=16"]


@pytest.mark.parametrize("name", ["guess", "convergence", "null_move"])
def test_star_expands_to_every_value(name: str) -> None:
    found = expanded(f"mtdf:hash=1,{name}=*")
    values = PARAMETERS[name].choices or ("on", "off")
    if PARAMETERS[name].kind not in ("flag", "choice") and not PARAMETERS[name].choices:
        pytest.skip("not of few values")
    assert found == [f"mtdf:hash=1,{name}={value}" for value in values]
    assert len({parse_variant(text).identity for text in found}) == len(values)


def test_stars_and_braces_combine() -> None:
    guesses = PARAMETERS["guess"].choices
    assert expanded("mtdf:guess=*,hash={1,2}") == [
        f"mtdf:guess={guess},hash={size}" for guess in guesses for size in (1, 2)
    ]


def test_star_elsewhere_is_literal() -> None:
    for text in ("uci:a?X=*", "uci:*", "mtdf:name=a*", "fish:X=*x"):
        assert expanded(text) == [text]


def test_bad_texts_are_refused(failing: Failing) -> None:
    def check(text: str, message: str) -> None:
        with pytest.raises((UsageError, VariantError), match=message) as refused:
            expanded(text)
        assert len(str(refused.value)) < 400

    assert not failing(
        check,
        [
            ("mtdf:hash={1,2", "a brace is not closed"),
            ("mtdf:hash=1}", "a brace is not closed"),
            ("mtdf:hash={1,{2,3}}", "braces within braces|within braces"),
            ("mtdf:hash={1,2},x={", "within braces|not closed"),
            ("mtdf:hash={1,,2}", "an alternative in braces is empty"),
            ("mtdf:hash={}", "an alternative in braces is empty"),
            ("mtdf:hash=" + "{1,2}" * 200, "stands for 16069380442589902755"),
            ("mtdf:hash=*", "too many values for `\\*`"),
            ("mtdf:gues=*", "did you mean `guess`"),
            ("fish:Style=*", "list the values in braces"),
        ],
    )


def test_expansion_is_limited() -> None:
    tens = "{" + ",".join("0123456789") + "}"
    assert len(expanded(f"mtdf:hash={tens * 3}")) == MAX_EXPANDED
    with pytest.raises(UsageError, match="1000 are the most"):
        expanded(f"mtdf:hash={tens * 3}{{1,2}}")
