"""Which engine a text means: by label, pattern, id or variant.

Where a game is asked for, a variant that names none is of that game, as in an event that is played
with ``--game``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from engines.choices import GAMES
from engines.errors import VariantError
from engines.limit import without_limit
from engines.registry import DRIVERS, PARAMETERS
from engines.suggestion import did_you_mean
from engines.variant import parse_variant, with_game
from toolkit.base.errors import NothingMatched, UsageError

if TYPE_CHECKING:
    from db.records.engines import VariantRecord
    from db.session import Database


_PRINTED = re.compile(r"(.+) \[([0-9a-f]{4,16})\]")
"""A label and the prefix of an id, as lists print them."""


_SHOWN = 5
"""Engines that are named where a text may mean several."""


def in_game(db: Database, text: str, game: str | None) -> str:
    """The text of an engine where ``game`` is asked for: of a variant that names no game, with this
    one, unless an engine of this game has the text as its label. None: no game is asked for."""
    if game is None or _PRINTED.fullmatch(text) or text in engine_labels(db, game):
        return text
    return with_game(text, game)


def in_other_games(db: Database, *texts: str) -> str:
    """The end of an error where these engines have no game: what they are called in another game,
    if the database has all of them there; else empty."""
    stored = {variant.id for variant in db.repository.variants()}
    found = []
    for game in GAMES:
        there = [with_game(text, game) for text in texts]
        if there != list(texts) and stored.issuperset(map(_identity, there)):
            found.append(" and ".join(f"`{text}`" for text in dict.fromkeys(there)))
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _identity(text: str) -> str:
    """The identity of a variant; empty for a text that is none."""
    try:
        return parse_variant(text).identity
    except VariantError:
        return ""


def resolve_engine(db: Database, text: str, game: str | None = None) -> str:
    """The database's name for an engine: a label as given, else an identity. The identity is given
    by a unique prefix, by a label with a prefix of an id (``pvs [d94d43]``, as printed if two
    engines have the same label), or by a variant.

    A pattern such as ``mtdf*`` means the only label that matches it. ``game``: see
    :func:`in_game`. Raises NothingMatched with the nearest label for an unknown engine, UsageError
    if several engines match.
    """
    text = in_game(db, named_engine(db, text, game), game)
    variants = db.repository.variants()
    labels = engine_labels(db)
    if text in labels:
        return text
    printed = _PRINTED.fullmatch(text)
    if printed is not None:
        return _identity_of_label(db, text, *printed.groups())
    begun = [variant.id for variant in variants if len(text) >= 4 and variant.id.startswith(text)]
    if len(begun) == 1:
        return begun[0]
    if len(begun) > 1:
        raise UsageError(
            f"`{text}` may be engine {' or '.join(begun[:_SHOWN])}: give more of the id"
        )
    try:
        identity = parse_variant(text).identity
    except VariantError as error:
        if text.partition(":")[0] in DRIVERS and ":" in text:
            raise NothingMatched(f"{error} (mtdf engines list)") from None
        hint = did_you_mean(text, labels)
        raise NothingMatched(f"no engine `{text}`{hint} (mtdf engines list)") from None
    if identity not in {variant.id for variant in variants} and (hint := in_other_games(db, text)):
        raise NothingMatched(f"engine `{text}` has no games{hint}")
    return identity


def matching_engines(db: Database, text: str, game: str | None = None) -> tuple[str, ...]:
    """What the database calls the engines of a text, everywhere games are selected by it: the
    labels that are the text or match its pattern, with or without the limit in a label. A text that
    is the label of none is the engine that :func:`resolve_engine` finds, under every label.
    ``game``: see :func:`in_game`. Raises as :func:`resolve_engine`, and NothingMatched if no label
    matches."""
    labels = engine_labels(db, game)
    if text not in labels and _is_pattern(text):
        return tuple(_matches(text, labels))
    text = in_game(db, text, game)
    found = tuple(label for label in labels if text in (label, without_limit(label)))
    return found or (resolve_engine(db, text),)


def named_engine(db: Database, text: str, game: str | None = None) -> str:
    """The label that a pattern matches, of an engine of ``game`` if that is asked for; another text
    as it is. Raises NothingMatched if no label matches, UsageError if several do."""
    labels = engine_labels(db, game)
    if text in labels or not _is_pattern(text):
        return text
    found = _matches(text, labels)
    if len(found) > 1:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        named = ", ".join(f"`{label}`" for label in found[:_SHOWN])
        raise UsageError(f"`{text}` matches {named}{more}: give one of them")
    return found[0]


def _is_pattern(text: str) -> bool:
    """Whether a text has what stands for other letters; a printed id in brackets does not."""
    return re.search(r"[*?\[]", text) is not None and _PRINTED.fullmatch(text) is None


def _matches(pattern: str, labels: Sequence[str]) -> list[str]:
    found = [
        label
        for label in labels
        if fnmatchcase(label, pattern) or fnmatchcase(without_limit(label), pattern)
    ]
    if not found:
        raise NothingMatched(f"no engine's label matches `{pattern}` (mtdf engines list)")
    return found


def _identity_of_label(db: Database, text: str, label: str, start: str) -> str:
    """The engine of that label whose id begins so. Raises NothingMatched, UsageError."""
    players = db.repository.labelled_variants()
    ids = {key for name, key in players if name == label and key.startswith(start)}
    if len(ids) == 1:
        return ids.pop()
    if ids:
        raise UsageError(f"`{text}` may be engine {' or '.join(sorted(ids)[:_SHOWN])}: give an id")
    raise NothingMatched(
        f"no engine `{label}` has an id that begins with {start} (mtdf engines list)"
    )


def engine_labels(db: Database, game: str | None = None) -> list[str]:
    """Every label under which an engine has played, the newest event last. ``game``: only of
    engines of this game."""
    found = db.repository.labelled_variants()
    if game is not None:
        own = {one.id for one in db.repository.variants() if _game_of(one) == game}
        found = [(label, identity) for label, identity in found if identity in own]
    return list(dict.fromkeys(label for label, _ in found))


def _game_of(variant: VariantRecord) -> str:
    """The game of an engine in the database; those without the parameter play chess."""
    param = PARAMETERS["game"]
    named = variant.parameters.get(param.name) if variant.driver in DRIVERS else None
    return str(named or param.neutral)
