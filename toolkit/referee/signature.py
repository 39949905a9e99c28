"""The signature of a game: that of the core, and marks for external engines that were others when
it was played than in the settings of its event."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

MARK_DIGITS = 8
"""Digits of an identity in a mark."""
_SIGN = "~"


class Signature(Struct, frozen=True):
    """A stored signature in its parts."""

    core: str
    changed: Mapping[str, str]
    """The first digits of the identities in the settings, and of the engines that played."""


def marked_signature(signature: str, changed: Mapping[str, str]) -> str:
    """The signature of the core, and ``~old=new`` for each changed engine, given by identities."""
    marks = (f"{_SIGN}{o[:MARK_DIGITS]}={n[:MARK_DIGITS]}" for o, n in sorted(changed.items()))
    return signature + "".join(marks)


def split_signature(signature: str) -> Signature:
    """The parts of what :func:`marked_signature` made, or of a signature without marks."""
    core, *marks = signature.split(_SIGN)
    return Signature(core, dict(mark.split("=", 1) for mark in marks if "=" in mark))
