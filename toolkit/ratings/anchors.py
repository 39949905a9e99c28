"""Anchors: which players of a rating list the engines with known ratings are.

An anchor is named as anywhere else, by label, id or variant. Where the engine is several players of
the list because it had several limits, ``@LIMIT`` says which: ``pvs@nodes=2000``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from db.limits import UNKNOWN_LIMIT
from engines.limit import order_of_limit, spell_limit_key
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.selection.engines import resolve_engine
from toolkit.selection.labels import marked_label
from toolkit.selection.players import PlayerNames, RatedPlayer

if TYPE_CHECKING:
    from db.session import Database

_MOST_NAMED = 5


def find_anchors(
    db: Database,
    players: Sequence[RatedPlayer],
    names: PlayerNames,
    given: Mapping[str, float],
    game: str | None = None,
) -> dict[str, float]:
    """The anchors by the ids of players, in this game. Raises NothingMatched for one that did not
    play, UsageError for one that is several players, or given twice with two ratings."""
    known: dict[str, float] = {}
    for text, elo in given.items():
        player = _one(text, _meant(db, text, players, names, game), names)
        if known.setdefault(player.id, elo) != elo:
            raise UsageError(f"anchor `{text}` is given two ratings")
    return known


def _meant(
    db: Database, text: str, players: Sequence[RatedPlayer], names: PlayerNames, game: str | None
) -> list[RatedPlayer]:
    """The players that a text may mean."""
    called = [p for p in players if text in (names.labels[p.id], names.shown[p.id])]
    if called:
        return called
    # Labels may hold the sign, too, so the last one counts, and only before a limit of the list.
    engine, at, limit = text.rpartition("@")
    if at and engine and limit in {spell_limit_key(p.limit) for p in players}:
        found = _meant(db, engine.rstrip(), players, names, game)
        return [player for player in found if spell_limit_key(player.limit) == limit]
    try:
        meant = resolve_engine(db, text, game)
    except NothingMatched:
        if at and engine and ":" not in limit:
            _refuse_limit(db, text, engine.rstrip(), limit, players, names, game)
        raise
    found = [player for player in players if player.identity == meant]
    if found:
        return found
    # A label of any event means the engine.
    named = {identity for label, identity in db.repository.labelled_variants() if label == meant}
    return [player for player in players if player.identity in named]


def _refuse_limit(
    db: Database,
    text: str,
    engine: str,
    limit: str,
    players: Sequence[RatedPlayer],
    names: PlayerNames,
    game: str | None,
) -> None:
    """Raises where ``engine`` is in the list, and not under that limit: NothingMatched, or
    UsageError if limits are mixed."""
    try:
        found = _meant(db, engine, players, names, game)
    except NothingMatched:
        return
    had = sorted({player.limit for player in found if player.limit is not None}, key=order_of_limit)
    if had:
        told = ", ".join(map(spell_limit_key, had))
        one = "its limit" if len(had) == 1 else "its limits"
        raise NothingMatched(f"anchor `{text}`: {engine} did not play at {limit}; {one}: {told}")
    if found:
        raise UsageError(f"anchor `{text}`: limits are mixed (--mix-limits): give {engine}=ELO")


def _one(text: str, found: Sequence[RatedPlayer], names: PlayerNames) -> RatedPlayer:
    """The only player among those. Raises NothingMatched, UsageError."""
    if not found:
        raise NothingMatched(f"anchor `{text}` did not play in these games")
    if len(found) == 1:
        return found[0]
    if len({player.identity for player in found}) > 1:
        ids = sorted({player.identity for player in found})
        several = " or ".join(f"`{marked_label(text, identity)}`" for identity in ids[:_MOST_NAMED])
        raise UsageError(f"anchor `{text}` is the label of {len(ids)} engines: give {several}")
    by_core = len({player.core for player in found}) > 1
    by_limit = len({player.limit for player in found}) > 1
    what, options = [], []
    if by_core:
        what.append("several cores")
        options.append("--mix")
    if by_limit:
        what.append("several limits")
        options.append("--mix-limits")
    order = sorted(found, key=lambda player: order_of_limit(player.limit or UNKNOWN_LIMIT))
    choices = " or ".join(
        f"`{names.labels[player.id]}{f'@{spell_limit_key(player.limit)}' if by_limit else ''}`"
        for player in order[:_MOST_NAMED]
    )
    raise UsageError(
        f"anchor `{text}` played {'under' if by_limit and not by_core else 'with'} "
        f"{' and '.join(what)}: give {choices}, or {' and '.join(options)}"
    )
