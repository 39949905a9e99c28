"""What ``resume`` without a name means: the newest that is not finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from toolkit.base.output import Output, count_of

_NAMED = 10
"""Older unfinished ones that are named."""
_Record = TypeVar("_Record")


def newest_unfinished(
    output: Output, found: Sequence[_Record], name: Callable[[_Record], str], *nouns: str
) -> _Record:
    """The first of the unfinished ``found``, which are ordered newest first; a hint lists the
    others. ``nouns``: the singular, and the plural if it is irregular."""
    newest, *others = found
    if others:
        listed = ", ".join(name(other) for other in others[:_NAMED])
        more = ", ..." if len(others) > _NAMED else ""
        number = count_of(len(others), *(f"older {noun}" for noun in nouns))
        output.hint(f"{number} not finished either: {listed}{more}")
    return newest
