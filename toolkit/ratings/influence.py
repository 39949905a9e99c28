"""What changes the order of neighbours in a rating list, with the names of events and openings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from toolkit.base.format import event_text
from toolkit.ratings.rating_list import RatingReport
from toolkit.selection.games import ChosenGames
from toolkit.selection.players import Mixing, PlayedGames, SourcedGames, sourced_games

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.stats.influence import GameGroups, OrderInfluence, Removal
    from toolkit.stats.ratings import RatingOptions, Ratings

_OPENING, _EVENT, _ENGINE = "opening", "event", "engine"


class InfluenceRow(Struct, frozen=True):
    """Two neighbours of a rating list, and what puts the other one first if it is removed. A game
    outside pairs counts as a pair."""

    engine: Annotated[str, "label of the engine that is ahead"]
    other: Annotated[str, "label of the next engine"]
    elo: Annotated[float, "rating of the engine minus that of the other"]
    pairs: Annotated[
        int | None,
        "so many pairs, removed together, change the order; there may be a smaller set; null if no "
        "set was found",
    ]
    own_pairs: Annotated[int, "pairs in which at least one of the two played"]
    share: Annotated[float | None, "`pairs` relative to `own_pairs`"]
    fragile: Annotated[bool, "whether `share` is below 0.01"]
    by_opening: Annotated[
        str | None,
        "the opening whose removal changes the order, as `book:line`; of several the one with the "
        "strongest effect",
    ]
    by_engine: Annotated[str | None, "the same for a third engine"]
    by_event: Annotated[str | None, "the same for an event"]
    separated_by: Annotated[
        list[str],
        "engines, events and openings without which the remaining games do not compare the two, as "
        "in `engine pvs`",
    ]
    pool: Annotated[int, "as in `ratings`"]
    engine_id: Annotated[str, "identity of the variant"]
    other_id: Annotated[str, "identity of the variant"]
    limit: Annotated[dict[str, Any] | None, "as in `ratings`"]
    other_limit: Annotated[dict[str, Any] | None, "limit of the other engine"]


def find_influence(
    db: Database,
    chosen: ChosenGames,
    games: PlayedGames,
    mixing: Mixing,
    options: RatingOptions,
    ratings: Ratings,
) -> tuple[OrderInfluence, ...]:
    """What changes the order of every two neighbours of ``ratings``, a list of ``games``. Removals
    of engines have ids of players as names."""
    from toolkit.stats.influence import order_influence

    sources = sourced_games(db, chosen, games, mixing=mixing)
    groups = [_groups(_OPENING, sources, sources.opening), _groups(_EVENT, sources, sources.event)]
    found = order_influence(games.table, options, ratings, groups)
    named = _names(db, (one for line in found for one in (*line.changing, *line.separating)))
    return tuple(
        replace(
            line,
            changing=tuple(map(named, line.changing)),
            separating=tuple(map(named, line.separating)),
        )
        for line in found
    )


def influence_rows(report: RatingReport) -> Iterator[InfluenceRow]:
    """A row for every two neighbours of each pool, strongest first."""
    labels = report.names.labels
    for line in report.influence:
        who, whom = report.players[line.player], report.players[line.other]
        by = {
            one.kind: labels[one.name] if one.kind == _ENGINE else one.name for one in line.changing
        }
        yield InfluenceRow(
            engine=labels[line.player],
            other=labels[line.other],
            elo=line.elo,
            pairs=line.pairs,
            own_pairs=line.own_pairs,
            share=line.share,
            fragile=line.fragile,
            by_opening=by.get(_OPENING),
            by_engine=by.get(_ENGINE),
            by_event=by.get(_EVENT),
            separated_by=[
                f"{one.kind} {labels[one.name] if one.kind == _ENGINE else one.name}"
                for one in line.separating
            ],
            pool=line.pool,
            engine_id=who.identity,
            other_id=whom.identity,
            limit=who.limit_data,
            other_limit=whom.limit_data,
        )


def _groups(kind: str, games: SourcedGames, keys: Any) -> GameGroups:
    """The games by key; 0 is none."""
    import numpy as np

    from toolkit.stats.influence import GameGroups

    here = keys != 0
    found, place = np.unique(keys[here], return_inverse=True)
    names = [str(key) for key in found.tolist()]
    white, black, result = (column[here] for column in (games.white, games.black, games.result))
    return GameGroups(kind, names, place, white, black, result)


def _names(db: Database, removals: Iterable[Removal]) -> Callable[[Removal], Removal]:
    """What gives removals of openings and events their names in place of keys."""
    openings = {int(one.name) for one in removals if one.kind == _OPENING}
    lines = db.repository.opening_lines(openings)
    texts = {
        (_OPENING, str(key)): f"{opening.book}:{opening.line}" for key, opening in lines.items()
    }
    for event in db.repository.events():
        texts[_EVENT, str(event.id)] = event_text(event.key, event.name)

    def named(removal: Removal) -> Removal:
        return replace(removal, name=texts.get((removal.kind, removal.name), removal.name))

    return named
