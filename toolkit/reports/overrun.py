"""How far the searches of an event exceeded its node limit.

The first iteration always completes, so that there is a move. A node limit below its cost has no
effect, and engines that need more nodes for it get more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.records.engines import UCI_KIND

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database

MOST_OVERRUN = 0.05
"""Share of the limit by which the mean of an engine may exceed it without a warning."""


LEAST_SHARE, MOST_SHARE = 0.5, 1.2
"""Of a node limit: an external engine whose mean lies outside does not keep it."""


def unkept_limits(db: Database, event: EventRecord) -> dict[str, tuple[int, int]]:
    """External engines that do not keep their node limit, by label: mean nodes per move, and the
    limit. Games in which an engine did not say its nodes are left out."""
    settings = event.settings
    own = settings.get("limits", {})
    found = {}
    searched = _searched(db, event)
    for at, player in enumerate(settings.get("players", ())):
        limit = own.get(str(at), settings.get("limit", {}))
        nodes, moves = searched.get(player["label"], (0, 0))
        wanted = limit.get("nodes")
        if player["kind"] != UCI_KIND or not wanted or limit.get("depth") or not nodes or not moves:
            continue
        mean = round(nodes / moves)
        if not LEAST_SHARE * wanted <= mean <= MOST_SHARE * wanted:
            found[player["label"]] = (mean, wanted)
    return found


def overruns(db: Database, event: EventRecord) -> dict[str, float]:
    """The share by which the mean nodes per move of a variant exceed its node limit, by label, for
    variants above :data:`MOST_OVERRUN`; greatest first. External engines are left out: how they
    count their nodes is their own affair."""
    common = event.settings.get("limit", {}).get("nodes")
    own = event.settings.get("limits", {})
    limits: dict[str, int | None] = {}
    for at, player in enumerate(event.settings.get("players", ())):
        if player["kind"] == UCI_KIND:
            limits[player["label"]] = None
        elif str(at) in own:
            limits[player["label"]] = own[str(at)].get("nodes")
    over = {
        player: (nodes - limit * number) / (limit * number)
        for player, (nodes, number) in _searched(db, event).items()
        if number and (limit := limits.get(player, common))
    }
    order = sorted(over.items(), key=lambda item: (-item[1], item[0]))
    return {player: share for player, share in order if share > MOST_OVERRUN}


def _searched(db: Database, event: EventRecord) -> dict[str, tuple[int, int]]:
    """Nodes and moves of each player, by label."""
    found: dict[str, tuple[int, int]] = {}
    for row in db.repository.event_counts(event.id):
        nodes, moves = found.get(row.player, (0, 0))
        found[row.player] = (nodes + row.nodes, moves + row.own_plies)
    return found
