"""Changing the label of an engine wherever it stands.

Settings hold the labels of players too, and the key of a game between two labels of one variant is
a hash of both: both are the toolkit's, which says how they change. Stored rating lists are history,
and keep the labels of their day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, union, update

from db.errors import NotFound, RecordError
from db.queries import events, studies
from db.queries.games import games_of_ids
from db.queries.pairs import change_key
from db.queries.variants import variant_keys
from db.records.events import IMPORT_KIND
from db.records.games import GameRecord
from db.records.runs import Relabelled
from db.schema.declared import EVENT, EVENT_PLAYER, GAME, LAB_ENGINE, LAB_RUN, VARIANT

_AT_ONCE = 400
"""Games or events in one query."""
NewSettings = Callable[[Mapping[str, Any]], Mapping[str, Any]]
NewKey = Callable[[GameRecord], str | None]


def identities_called(connection: Connection, label: str) -> list[str]:
    """Identities of the variants with this label in an event or a laboratory run."""
    keys = union(
        select(EVENT_PLAYER.c.variant_id).where(EVENT_PLAYER.c.label == label),
        select(LAB_ENGINE.c.variant_id).where(LAB_ENGINE.c.label == label),
    )
    query = select(VARIANT.c.identity).where(VARIANT.c.id.in_(keys)).order_by(VARIANT.c.id)
    return list(connection.execute(query).scalars())


def players_labelled(connection: Connection, label: str, identity: str) -> list[tuple[int, int]]:
    """Event and position of each player with this label and identity."""
    query = (
        select(EVENT_PLAYER.c.event_id, EVENT_PLAYER.c.position)
        .join(VARIANT, VARIANT.c.id == EVENT_PLAYER.c.variant_id)
        .where(EVENT_PLAYER.c.label == label, VARIANT.c.identity == identity)
        .order_by(EVENT_PLAYER.c.event_id)
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
    labelled = select(LAB_ENGINE.c.run_id).where(
        LAB_ENGINE.c.label == old, LAB_ENGINE.c.variant_id == key
    )
    run_ids = list(connection.execute(labelled.distinct()).scalars())
    if not event_ids and not run_ids:
        raise NotFound(f"no engine {identity} is labelled `{old}`")
    _check_free(connection, new, event_ids, run_ids)
    for start in range(0, len(event_ids), _AT_ONCE):
        players = EVENT_PLAYER.c.event_id.in_(event_ids[start : start + _AT_ONCE])
        named = update(EVENT_PLAYER).where(players, EVENT_PLAYER.c.variant_id == key)
        connection.execute(named.where(EVENT_PLAYER.c.label == old).values(label=new))
    if run_ids:
        engines = update(LAB_ENGINE).where(LAB_ENGINE.c.run_id.in_(run_ids))
        engines = engines.where(LAB_ENGINE.c.variant_id == key, LAB_ENGINE.c.label == old)
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
        events=_texts(connection, EVENT.c.key, EVENT.c.id, event_ids),
        studies=tuple(found),
        runs=_texts(connection, LAB_RUN.c.name, LAB_RUN.c.id, run_ids),
    )


def _check_free(
    connection: Connection, new: str, event_ids: Sequence[int], run_ids: Sequence[int]
) -> None:
    """Raises RecordError if the label stands in one of these events or runs."""
    for start in range(0, len(event_ids), _AT_ONCE):
        some = event_ids[start : start + _AT_ONCE]
        query = (
            select(EVENT.c.key)
            .join(EVENT_PLAYER, EVENT_PLAYER.c.event_id == EVENT.c.id)
            .where(EVENT_PLAYER.c.event_id.in_(some), EVENT_PLAYER.c.label == new)
        )
        taken = connection.execute(query).scalars().first()
        if taken is not None:
            raise RecordError(f"another engine of event {taken} is labelled `{new}`")
    query = (
        select(LAB_RUN.c.name)
        .join(LAB_ENGINE, LAB_ENGINE.c.run_id == LAB_RUN.c.id)
        .where(LAB_ENGINE.c.run_id.in_(run_ids), LAB_ENGINE.c.label == new)
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
    white, black = EVENT_PLAYER.alias(), EVENT_PLAYER.alias()
    query = (
        select(GAME.c.id)
        .join(EVENT, EVENT.c.id == GAME.c.event_id)
        .join(white, events.stands_at(white, GAME.c.event_id, GAME.c.white_player))
        .join(black, events.stands_at(black, GAME.c.event_id, GAME.c.black_player))
        .where(EVENT.c.kind != IMPORT_KIND, white.c.variant_id == key, black.c.variant_id == key)
        .where((white.c.label == new) | (black.c.label == new))
    )
    ids: list[int] = []
    for event_id in _against_themselves(connection, key, event_ids):
        ids += connection.execute(query.where(GAME.c.event_id == event_id)).scalars()
    for start in range(0, len(ids), _AT_ONCE):
        for game in games_of_ids(connection, ids[start : start + _AT_ONCE]):
            changed = new_key(game)
            if changed != game.game_key:
                change_key(connection, game, changed)


def _against_themselves(connection: Connection, key: int, event_ids: Sequence[int]) -> list[int]:
    """Those of the events in which the variant has several labels."""
    found: list[int] = []
    for start in range(0, len(event_ids), _AT_ONCE):
        one, other = EVENT_PLAYER.alias(), EVENT_PLAYER.alias()
        query = (
            select(one.c.event_id)
            .join(other, (other.c.event_id == one.c.event_id) & (other.c.position > one.c.position))
            .where(one.c.event_id.in_(event_ids[start : start + _AT_ONCE]))
            .where(one.c.variant_id == key, other.c.variant_id == key)
        )
        found += connection.execute(query.distinct().order_by(one.c.event_id)).scalars()
    return found


def _texts(connection: Connection, shown: Any, key: Any, ids: Sequence[int]) -> tuple[str, ...]:
    """A text column of rows, in the order of their keys."""
    found: list[str] = []
    for start in range(0, len(ids), _AT_ONCE):
        query = select(shown).where(key.in_(ids[start : start + _AT_ONCE])).order_by(key)
        found += connection.execute(query).scalars()
    return tuple(found)
