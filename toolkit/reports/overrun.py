"""How far the searches of an event exceeded its node limit.

The first iteration always completes, so that there is a move. A node limit below its cost has no
effect, and engines that need more nodes for it get more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from db.records import EventRecord
    from db.session import Database

MOST_OVERRUN = 0.05
"""Share of the limit by which the mean of an engine may exceed it without a warning."""


def overruns(db: Database, event: EventRecord) -> dict[str, float]:
    """The share by which the mean nodes per move of a variant exceed its node limit, by label, for
    variants above :data:`MOST_OVERRUN`; greatest first. External engines are left out: how they
    count their nodes is their own affair."""
    common = event.settings.get("limit", {}).get("nodes")
    own = event.settings.get("limits", {})
    limits: dict[str, int | None] = {}
    for at, player in enumerate(event.settings.get("players", ())):
        if "launch" in player:
            limits[player["label"]] = None
        elif str(at) in own:
            limits[player["label"]] = own[str(at)].get("nodes")
    nodes: dict[str, int] = {}
    moves: dict[str, int] = {}
    for row in db.repository.event_counts(event.id):
        nodes[row.player] = nodes.get(row.player, 0) + row.nodes
        moves[row.player] = moves.get(row.player, 0) + row.own_plies
    over = {
        player: (nodes[player] - limit * number) / (limit * number)
        for player, number in moves.items()
        if number and (limit := limits.get(player, common))
    }
    order = sorted(over.items(), key=lambda item: (-item[1], item[0]))
    return {player: share for player, share in order if share > MOST_OVERRUN}
