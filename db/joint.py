"""Counts of whole game pairs by both results, for errors that are clustered by pair."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, func, select
from sqlalchemy.orm import aliased

from db.models import EventPlayer, Game, Variant
from db.records import JointCounts


def joint_counts(connection: Connection, event_ids: Sequence[int] | None) -> list[JointCounts]:
    """Pairs of counted games by who had White in the first one, in the order of identities."""
    one, two = aliased(Game), aliased(Game)
    query = (
        select(
            one.event_id,
            one.white_player,
            one.black_player,
            one.white_score,
            two.white_score.label("second_score"),
            func.count().label("number"),
        )
        .join(
            two,
            and_(
                two.event_id == one.event_id,
                two.pairing == one.pairing,
                two.pair == one.pair,
                two.game == 2,
            ),
        )
        .where(one.game == 1, one.repeats_id.is_(None), two.repeats_id.is_(None))
        .group_by(
            one.event_id, one.white_player, one.black_player, one.white_score, two.white_score
        )
    )
    if event_ids is not None:
        query = query.where(one.event_id.in_(event_ids))
    identity = _identities(connection)
    sums: dict[tuple[str, str], list[int]] = {}
    for event_id, white, black, first_score, second_score, number in connection.execute(query):
        key = (identity[event_id, white], identity[event_id, black])
        # Scores are half points of White; the counts run from White's win to White's loss.
        sums.setdefault(key, [0] * 9)[3 * (2 - first_score) + 2 - second_score] += number
    return [JointCounts(*key, tuple(joint)) for key, joint in sorted(sums.items())]


def _identities(connection: Connection) -> dict[tuple[int, int], str]:
    """Identities of all players, by event and position."""
    query = select(EventPlayer.event_id, EventPlayer.position, Variant.identity).join(
        Variant, Variant.id == EventPlayer.variant_id
    )
    return {(event, position): identity for event, position, identity in connection.execute(query)}
