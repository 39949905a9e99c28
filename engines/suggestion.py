"""The right names nearest to a mistyped one: what every "did you mean" is made of."""

from __future__ import annotations

from collections.abc import Iterable

_MOST = 3
_LEAST_ALIKE = 0.5
"""Similarity, 0 to 1 as difflib counts it, below which a name is no suggestion."""
_ALIKE_BY_CHANCE = 0.6
"""Below this it is one only with the same first letter: words of one ending are so alike."""
_AS_NEAR = 0.1
"""A name is suggested beside the nearest one when it is less similar by no more than this."""


def nearest_names(word: str, names: Iterable[str]) -> list[str]:
    """At most three names that a user may have meant by ``word``, the nearest first: the most
    similar one, and others only where they are about as similar. Empty where none is similar."""
    import difflib  # few words are mistyped

    word, known = word.lower(), list(dict.fromkeys(names))
    sure = difflib.get_close_matches(word, known, n=max(len(known), 1), cutoff=_ALIKE_BY_CHANCE)
    near = [name for name in known if name in sure or name[:1].lower() == word[:1]]
    close = difflib.get_close_matches(word, near, n=_MOST, cutoff=_LEAST_ALIKE)
    if not close:
        return []
    # The same order of the two texts as in difflib, whose measure is not symmetric.
    alike = [difflib.SequenceMatcher(None, name, word).ratio() for name in close]
    return [name for name, one in zip(close, alike, strict=True) if one >= alike[0] - _AS_NEAR]


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """A clause for the end of a message: ``; did you mean `guess`?``, or nothing."""
    close = [f"`{name}`" for name in nearest_names(word, names)]
    if not close:
        return ""
    *first, last = close
    listed = f"{', '.join(first)} or {last}" if first else last
    return f"; did you mean {listed}?"
