"""Changing the label of an engine wherever it stands.

Settings hold the labels of players too, and the key of a game between two labels of one variant is
a hash of both: both are the toolkit's, which says how they change. Stored rating lists are history,
and keep the labels of their day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, union, update
from sqlalchemy.orm import aliased

from db.errors import NotFound, RecordError
from db.queries import events, studies
from db.queries.games import games_of_ids
from db.queries.pairs import change_key
from db.queries.variants import variant_keys
from db.records import IMPORT_KIND, GameRecord, Relabelled
from db.tables.digests import LAB_RUNS, PLAYERS, resealed
from db.tables.models import Event, EventPlayer, Game, LabEngine, LabRun, Variant

_AT_ONCE = 400
"""Games or events in one query."""
NewSettings = Callable[[Mapping[str, Any]], Mapping[str, Any]]
NewKey = Callable[[GameRecord], str | None]


def identities_called(connection: Connection, label: str) -> list[str]:
    """Identities of the variants with this label in an event or a laboratory run."""
    keys = union(
        select(EventPlayer.variant_id).where(EventPlayer.label == label),
        select(LabEngine.variant_id).where(LabEngine.label == label),
    )
    query = select(Variant.identity).where(Variant.id.in_(keys)).order_by(Variant.id)
    return list(connection.execute(query).scalars())


def players_labelled(connection: Connection, label: str, identity: str) -> list[tuple[int, int]]:
    """Event and position of each player with this label and identity."""
    query = (
        select(EventPlayer.event_id, EventPlayer.position)
        .join(Variant, Variant.id == EventPlayer.variant_id)
        .where(EventPlayer.label == label, Variant.identity == identity)
        .order_by(EventPlayer.event_id)
    )
    return [(row.event_id, row.position) for row in connection.execute(query)]


def relabel(
    connection: Connection,
    old: str,
    new: str,
    identity: str,
    new_settings: NewSettings,
    new_key: NewKey,
) -> Relabelled:
    """Change the label of a variant in all events, studies and laboratory runs. ``new_settings``
    gives the settings of an event or study with the new label, ``new_key`` the key of a game
    between two labels of the variant, which has its new labels.

    Raises NotFound if the variant has this label nowhere, RecordError if another engine of one of
    these events or runs has the new one, DatabaseCorrupt.
    """
    (key,) = variant_keys(connection, [identity]).values()
    event_ids = [event_id for event_id, _ in players_labelled(connection, old, identity)]
    labelled = select(LabEngine.run_id).where(LabEngine.label == old, LabEngine.variant_id == key)
    run_ids = list(connection.execute(labelled.distinct()).scalars())
    if not event_ids and not run_ids:
        raise NotFound(f"no engine {identity} is labelled `{old}`")
    _check_free(connection, new, event_ids, run_ids)
    for start in range(0, len(event_ids), _AT_ONCE):
        players = EventPlayer.event_id.in_(event_ids[start : start + _AT_ONCE])
        with resealed(connection, PLAYERS, players, EventPlayer.variant_id == key):
            named = update(EventPlayer).where(players, EventPlayer.variant_id == key)
            connection.execute(named.where(EventPlayer.label == old).values(label=new))
    if run_ids:
        with resealed(connection, LAB_RUNS, LabRun.id.in_(run_ids)):
            engines = update(LabEngine).where(LabEngine.run_id.in_(run_ids))
            engines = engines.where(LabEngine.variant_id == key, LabEngine.label == old)
            connection.execute(engines.values(label=new))
    for event_id in event_ids:
        event = events.TABLE.get(connection, event_id)
        changed = new_settings(event.settings)
        if changed != event.settings:
            events.TABLE.change(connection, event_id, settings=dict(changed))
    found = [
        study.name
        for study in studies.TABLE.all(connection)
        if _relabel_study(connection, study.id, study.settings, new_settings)
    ]
    _change_keys(connection, key, new, event_ids, new_key)
    return Relabelled(
        events=_texts(connection, Event.key, Event.id, event_ids),
        studies=tuple(found),
        runs=_texts(connection, LabRun.name, LabRun.id, run_ids),
    )


def _check_free(
    connection: Connection, new: str, event_ids: Sequence[int], run_ids: Sequence[int]
) -> None:
    """Raises RecordError if the label stands in one of these events or runs."""
    for start in range(0, len(event_ids), _AT_ONCE):
        some = event_ids[start : start + _AT_ONCE]
        query = (
            select(Event.key)
            .join(EventPlayer, EventPlayer.event_id == Event.id)
            .where(EventPlayer.event_id.in_(some), EventPlayer.label == new)
        )
        taken = connection.execute(query).scalars().first()
        if taken is not None:
            raise RecordError(f"another engine of event {taken} is labelled `{new}`")
    query = (
        select(LabRun.name)
        .join(LabEngine, LabEngine.run_id == LabRun.id)
        .where(LabEngine.run_id.in_(run_ids), LabEngine.label == new)
    )
    taken = connection.execute(query).scalars().first()
    if taken is not None:
        raise RecordError(f"another engine of laboratory run {taken} is labelled `{new}`")


def _relabel_study(
    connection: Connection, study_id: int, settings: Mapping[str, Any], new_settings: NewSettings
) -> bool:
    """Whether the settings of a study had the label."""
    changed = new_settings(settings)
    if changed == settings:
        return False
    studies.TABLE.change(connection, study_id, settings=dict(changed))
    return True


def _change_keys(
    connection: Connection, key: int, new: str, event_ids: Sequence[int], new_key: NewKey
) -> None:
    """Give the games that the variant played against itself under the new label their new keys."""
    white, black = aliased(EventPlayer), aliased(EventPlayer)
    query = (
        select(Game.id)
        .join(Event, Event.id == Game.event_id)
        .join(white, events.stands_at(white, Game.event_id, Game.white_player))
        .join(black, events.stands_at(black, Game.event_id, Game.black_player))
        .where(Event.kind != IMPORT_KIND, white.variant_id == key, black.variant_id == key)
        .where((white.label == new) | (black.label == new))
    )
    ids: list[int] = []
    for event_id in _against_themselves(connection, key, event_ids):
        ids += connection.execute(query.where(Game.event_id == event_id)).scalars()
    for start in range(0, len(ids), _AT_ONCE):
        for game in games_of_ids(connection, ids[start : start + _AT_ONCE]):
            changed = new_key(game)
            if changed != game.game_key:
                change_key(connection, game, changed)


def _against_themselves(connection: Connection, key: int, event_ids: Sequence[int]) -> list[int]:
    """Those of the events in which the variant has several labels."""
    found: list[int] = []
    for start in range(0, len(event_ids), _AT_ONCE):
        one, other = aliased(EventPlayer), aliased(EventPlayer)
        query = (
            select(one.event_id)
            .join(other, (other.event_id == one.event_id) & (other.position > one.position))
            .where(one.event_id.in_(event_ids[start : start + _AT_ONCE]))
            .where(one.variant_id == key, other.variant_id == key)
        )
        found += connection.execute(query.distinct().order_by(one.event_id)).scalars()
    return found


def _texts(connection: Connection, shown: Any, key: Any, ids: Sequence[int]) -> tuple[str, ...]:
    """A text column of rows, in the order of their keys."""
    found: list[str] = []
    for start in range(0, len(ids), _AT_ONCE):
        query = select(shown).where(key.in_(ids[start : start + _AT_ONCE])).order_by(key)
        found += connection.execute(query).scalars()
    return tuple(found)
