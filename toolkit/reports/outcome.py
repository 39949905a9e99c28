"""The outcome of a run of an event: its result, and the problems that occurred."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import asdict

from db.records.engines import UCI_KIND
from db.records.events import PairFailureRecord
from db.records.games import GameFilter
from toolkit.base.errors import NothingMatched
from toolkit.events.progress import ScoreRow
from toolkit.events.settings import EventSettings
from toolkit.ratings.rating import rate_games
from toolkit.ratings.rating_list import RatingLine
from toolkit.reports.ablation import AblationOutcome, ablation_table
from toolkit.reports.events import EventRow, event_row
from toolkit.reports.load import load_text
from toolkit.reports.machines import Machine, machines_of
from toolkit.reports.race import RaceOutcome, race_result
from toolkit.reports.rounds import GoalRow, RoundMeeting, RoundsReport, StandingRow, rounds_report
from toolkit.reports.scores import event_scores, repeated_games
from toolkit.reports.sprt import SprtOutcome, sprt_result

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database
    from toolkit.events.progress import EventOutcome
    from toolkit.ratings.rating_list import RatingReport

MOST_OVERRUN = 0.05
"""Share of the limit by which the mean of an engine may exceed it without a warning."""
LEAST_SHARE, MOST_SHARE = 0.5, 1.2
"""Of a node limit: an external engine whose mean lies outside ignores it."""


class OutcomeRow(EventRow, frozen=True):
    """The output of `gauntlet`, `round-robin`, `match` and `resume`: the event and its results."""

    games: Annotated[int, "games in the database"]
    excluded_games: Annotated[int, "games that repeat an earlier one in the database"]
    scores: Annotated[list[ScoreRow], "one row per pairing"]
    ratings: Annotated[list[RatingLine], "joint fit over the event's games"]


class RoundsOutcome(OutcomeRow, frozen=True):
    """The output of `knockout`, `swiss` and events with `--stop-when`, also by `resume`: the event
    and its results."""

    meetings: Annotated[list[RoundMeeting], "all rounds so far"]
    standings: Annotated[list[StandingRow], "empty for an adaptive event"]
    goal: Annotated[GoalRow | None, "for an adaptive event; else null"]


class EventReport(Struct, frozen=True):
    """The state of an event, and what may spoil its games; printing it needs no database."""

    scores: list[ScoreRow]
    """For all kinds but tests, races and ablations: the scores of its pairings."""
    ratings: RatingReport | None
    """For the same kinds: the rating list; None if there is nothing to rate."""
    test: SprtOutcome | None
    """For a sequential test."""
    ablation: AblationOutcome | None
    """For an ablation."""
    failures: list[PairFailureRecord]
    """The pairs that could not be played."""
    repeated: int
    """Games that repeat an earlier one of the database."""
    load: str
    """Timed games that began while the machine had more to do than it has cores, in words; empty
    if none."""
    machines: list[Machine]
    """Those that played a timed event."""
    overruns: dict[str, float]
    """By label, how far the searches of an engine went beyond the node limit."""
    unkept: dict[str, tuple[int, int]]
    """External engines that do not keep their node limit: mean nodes per move, and the limit."""
    race: RaceOutcome | None = None
    """For a race."""
    rounds: RoundsReport | None = None
    """For an event whose later pairings depend on results."""
    unforgiven: str | None = None
    """What an engine did wrong in a game of a strict event, and where to find the rest; None if
    there is nothing."""


def event_report(db: Database, outcome: EventOutcome) -> EventReport:
    """The report on a run of an event. Raises DatabaseError, OperationFailed."""
    event, progress = outcome.event, outcome.progress
    repeated = repeated_games(db, event)
    test = ablation = ratings = race = None
    scores: list[ScoreRow] = []
    if progress.test is not None:
        test = sprt_result(outcome)
    elif event.kind == "ablation":
        ablation = ablation_table(db, event, repeated)
    elif event.kind == "race":
        race = race_result(db, event)
    else:
        scores = event_scores(db, event)
        with suppress(NothingMatched):
            ratings = rate_games(db, event=event)
    machines: list[Machine] = []
    settings = EventSettings.from_json(event.settings)
    # Where times are scaled, the clock gives no machine more search than another.
    if progress.games_now and settings.is_timed and not settings.scale_nps:
        machines = machines_of(db.repository.event_origins(event.id))
    return EventReport(
        scores=scores,
        ratings=ratings,
        test=test,
        ablation=ablation,
        failures=db.repository.failures(event.id),
        repeated=repeated,
        load=load_text(db, event) if progress.games_now else "",
        machines=machines,
        unkept=unkept_limits(db, event) if progress.games_now else {},
        overruns=overruns(db, event) if progress.games_now and outcome.status == "done" else {},
        race=race,
        rounds=None if settings.form is None or race is not None else rounds_report(db, event),
        unforgiven=unforgiven(db, event),
    )


def unforgiven(db: Database, event: EventRecord) -> str | None:
    """The worst problem in the games of a strict event, of all its runs, in one line; None if there
    is none, and for other events."""
    strict = EventSettings.from_json(event.settings).strict
    found = db.repository.event_problems(event.id, 1) if strict else []
    if not found:
        return None
    (game_id, problem), *_ = found
    (game,) = db.repository.games(GameFilter(game_id=game_id))
    return (
        f"--strict: {game.white if problem.white else game.black} in g{game_id}: {problem.text}; "
        f"all problems: mtdf query \"SELECT * FROM v_problems WHERE event = '{event.key}'\""
    )


def outcome_row(
    db: Database, outcome: EventOutcome, report: EventReport
) -> SprtOutcome | AblationOutcome | RaceOutcome | OutcomeRow:
    """An event and its results as ``--json`` prints them. Raises DatabaseError."""
    if (known := report.test or report.ablation or report.race) is not None:
        return known
    event = asdict(event_row(db, outcome.event))
    results: dict[str, Any] = {
        "games": outcome.progress.games_played,
        "excluded_games": report.repeated,
        "scores": report.scores,
        "ratings": report.ratings.rows() if report.ratings else [],
    }
    if report.rounds is None:
        return OutcomeRow(**event, **results)
    rounds = report.rounds
    found: dict[str, Any] = {
        "meetings": rounds.meetings,
        "standings": rounds.standings,
        "goal": rounds.goal,
    }
    return RoundsOutcome(**event, **results, **found)


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
    variants above :data:`MOST_OVERRUN`; greatest first. The first iteration always completes, so a
    limit below its cost has no effect. External engines are left out: how they count their nodes is
    their own affair."""
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
