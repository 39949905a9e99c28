"""Events whose later pairings depend on results: rounds, bracket, standings, what is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from toolkit.base.errors import UsageError
from toolkit.events.rounds import Rounds
from toolkit.events.settings import EventSettings
from toolkit.pairing.adaptive import AdaptivePairer
from toolkit.pairing.forms import AdaptiveForm
from toolkit.pairing.knockout import KnockoutPairer, KnockoutStage, knockout_places
from toolkit.pairing.precision import PrecisionPairer
from toolkit.pairing.race import RacePairer
from toolkit.pairing.rounds import PlayedRound
from toolkit.pairing.swiss import swiss_standings
from toolkit.selection.events import find_event

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database


class RoundMeeting(Struct, frozen=True):
    """A meeting of two engines in one round, or a bye. Of a knockout it is a match with its extra
    pairs."""

    round: Annotated[int, "number of the round, or of the stage of a knockout, from 1"]
    title: Annotated[str, "such as `round 2 of 5` or `semi-finals`"]
    first: Annotated[str, "label; in a knockout of the better seed"]
    second: Annotated[str | None, "label; null for a bye of the first"]
    pairs: Annotated[int, "game pairs of this meeting, at least those played so far"]
    first_points: Annotated[float, "points of the first engine in these games"]
    second_points: Annotated[float, "points of the second engine"]
    winner: Annotated[str | None, "label of the engine with more points; null if there is none yet"]
    by_seed: Annotated[bool, "knockout: tied after all extra pairs, so the better seed won"]


class StandingRow(Struct, frozen=True):
    """An engine in a Swiss tournament or a knockout, the best place first."""

    place: Annotated[int | None, "from 1; null in a knockout while it may still win"]
    engine: Annotated[str, "label"]
    points: Annotated[
        float | None, "Swiss: 1 for a meeting won and for a bye, 1/2 for a level one; else null"
    ]
    buchholz: Annotated[float | None, "Swiss: sum of the points of its opponents"]
    sonneborn_berger: Annotated[
        float | None, "Swiss: sum of opponents' points times those won against them"
    ]
    game_points: Annotated[float, "points in games"]
    games: Annotated[int, "games played"]
    out_in: Annotated[str | None, "knockout: stage in which it lost; else null"]


class GoalRow(Struct, frozen=True):
    """The goal of an adaptive event, and what is known after its complete rounds."""

    stop_when: Annotated[str, "as in `--stop-when`"]
    zone: Annotated[float, "indifference zone in Elo, for the goal `order`"]
    reached: Annotated[bool, "whether the goal is reached"]
    rounds: Annotated[int, "complete rounds"]
    largest_error95: Annotated[
        float | None,
        "largest error of a rating, in a match or gauntlet of a pairing; null if an engine won or "
        "lost everything",
    ]
    unsettled: Annotated[int, "pairings that have not reached the goal"]
    critical: Annotated[
        float | None,
        "standard deviations by which a difference is significant; null in a match or gauntlet, "
        "whose intervals are valid at any look by themselves",
    ]


class RoundsReport(Struct, frozen=True):
    """The state of such an event, after its complete rounds."""

    meetings: list[RoundMeeting]
    standings: list[StandingRow]
    goal: GoalRow | None
    champion: str | None
    """Label of the winner of a knockout, once it is known."""


def rounds_report(db: Database, event: EventRecord | str) -> RoundsReport:
    """The bracket of a knockout, the standings of a Swiss tournament, or what is known in an
    adaptive round robin, given as a record or as its key, name or ``last``.

    Raises UsageError for an event of another kind, NothingMatched, DatabaseError, and
    DatabaseProblem if stored games do not follow from the rounds before them.
    """
    event = find_event(db, event)
    settings = EventSettings.from_json(event.settings)
    if settings.form is None:
        raise UsageError(f"event {event.key} has no rounds that depend on results")
    pairer = settings.pairer()
    rounds = Rounds(db.repository, event, pairer)
    labels = [player.label for player in settings.players]
    if isinstance(pairer, KnockoutPairer):
        return _knockout(pairer.stages(rounds.played), rounds.played, labels)
    meetings = _meetings(rounds, labels)
    if isinstance(pairer, RacePairer):
        return RoundsReport(meetings, [], None, None)
    if isinstance(pairer, AdaptivePairer | PrecisionPairer):
        return RoundsReport(meetings, [], _goal(pairer, settings, rounds.played), None)
    standings = [
        StandingRow(
            place=line.place,
            engine=labels[line.player],
            points=line.half_points / 2,
            buchholz=line.buchholz,
            sonneborn_berger=line.sonneborn_berger,
            game_points=line.game_half_points / 2,
            games=line.games,
            out_in=None,
        )
        for line in swiss_standings(len(labels), rounds.played)
    ]
    return RoundsReport(meetings, standings, None, None)


def _meetings(rounds: Rounds, labels: Sequence[str]) -> list[RoundMeeting]:
    """The meetings of complete rounds and of the current one, which has no winners yet."""
    rows = []
    for number, round_ in enumerate(rounds.all, start=1):
        complete = number <= len(rounds.played)
        for meeting in round_.meetings:
            played = rounds.played[number - 1] if complete else rounds.so_far()
            one, two = played.half_points(meeting)
            winner = None
            if complete and one != two:
                winner = labels[meeting.first if one > two else meeting.second]
            rows.append(
                RoundMeeting(
                    round=number,
                    title=round_.title,
                    first=labels[meeting.first],
                    second=labels[meeting.second],
                    pairs=meeting.pairs,
                    first_points=one / 2,
                    second_points=two / 2,
                    winner=winner,
                    by_seed=False,
                )
            )
        rows += [_bye(number, round_.title, labels[player]) for player in round_.byes]
    return rows


def _bye(number: int, title: str, label: str) -> RoundMeeting:
    return RoundMeeting(
        round=number,
        title=title,
        first=label,
        second=None,
        pairs=0,
        first_points=0.0,
        second_points=0.0,
        winner=label,
        by_seed=False,
    )


def _knockout(
    stages: Sequence[KnockoutStage], played: Sequence[PlayedRound], labels: Sequence[str]
) -> RoundsReport:
    places = knockout_places(stages)
    rows: list[RoundMeeting] = []
    out_in: dict[int, str] = {}
    for number, stage in enumerate(stages, start=1):
        rows += [_bye(number, stage.title, labels[player]) for player in stage.byes]
        for match in stage.matches:
            if match.loser is not None:
                out_in[match.loser] = stage.title
            rows.append(
                RoundMeeting(
                    round=number,
                    title=stage.title,
                    first=labels[match.better],
                    second=labels[match.worse],
                    pairs=match.pairs,
                    first_points=match.half_points[0] / 2,
                    second_points=match.half_points[1] / 2,
                    winner=None if match.winner is None else labels[match.winner],
                    by_seed=match.by_seed,
                )
            )
    games = {line.player: line for line in swiss_standings(len(labels), played)}
    order = sorted(range(len(labels)), key=lambda at: (places.get(at, 0), at))
    standings = [
        StandingRow(
            place=places.get(player),
            engine=labels[player],
            points=None,
            buchholz=None,
            sonneborn_berger=None,
            game_points=games[player].game_half_points / 2,
            games=games[player].games,
            out_in=out_in.get(player),
        )
        for player in order
    ]
    winners = [labels[player] for player, place in places.items() if place == 1]
    return RoundsReport(rows, standings, None, winners[0] if winners else None)


def _goal(
    pairer: AdaptivePairer | PrecisionPairer,
    settings: EventSettings,
    played: Sequence[PlayedRound],
) -> GoalRow:
    form = settings.form
    assert isinstance(form, AdaptiveForm)
    known = pairer.knowledge(played)
    return GoalRow(
        stop_when=form.stop_when,
        zone=form.zone_elo,
        reached=known is not None and known.reached,
        rounds=len(played),
        largest_error95=None if known is None else known.largest_error95,
        unsettled=len(settings.pairings) if known is None else known.unsettled,
        critical=pairer.critical if isinstance(pairer, AdaptivePairer) else None,
    )
