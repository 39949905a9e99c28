"""The progress of a running event, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, TypedDict

from msgspec import Struct

from db.records.events import EventRecord
from toolkit.runs.lifecycle import RunOutcome
from toolkit.selection.sequential import TestState
from toolkit.stats.race_rule import RaceRule


class ScoreRow(Struct, frozen=True):
    """The score of a pairing of an event, from the point of view of its first engine. Each distinct
    game of the event counts once."""

    first: Annotated[str, "label"]
    second: Annotated[str, "label"]
    games: Annotated[int, "games played, including repetitions"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    pentanomial: Annotated[
        list[int], "pairs in which the first engine scored 0, 1/2, 1, 3/2, 2 points"
    ]
    elo: Annotated[float | None, "Elo difference, from the pentanomial counts"]
    error95: Annotated[float | None, "half the width of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null if open"]
    high95: Annotated[float | None, "upper end of the interval; null if open"]
    any_look: Annotated[
        bool,
        "whether the interval is valid at any look, as of an event that is played, that results "
        "ended or that was extended; else it is valid after the planned number of pairs",
    ]
    los: Annotated[float | None, "likelihood of superiority of the first engine, 0 to 1"]


class MatchFields(TypedDict):
    """The fields of a row that the pentanomial counts give; null if there is no pair."""

    elo: float | None
    error95: float | None
    low95: float | None
    high95: float | None
    any_look: bool
    los: float | None


def match_fields(pentanomial: Sequence[int], any_look: bool = False) -> MatchFields:
    """Elo, its error and interval, and LOS of these pairs. ``any_look``: the interval has to be
    valid however often one looks (:mod:`toolkit.stats.anytime`)."""
    return _match_fields(tuple(pentanomial), any_look)


def is_valid_at_any_look(event: EventRecord, over: bool) -> bool:
    """Whether the intervals of an event must be: unless it ended where its settings say, and that
    was said before its first game."""
    form = (event.settings.get("form") or {}).get("type")
    chosen = event.kind == "sprt" or form in ("adaptive", "knockout", "race")
    return not over or chosen or bool(event.settings.get("extensions"))


@lru_cache(10_000)  # of all pairings of an event, each time, only one has changed
def _match_fields(pentanomial: tuple[int, ...], any_look: bool) -> MatchFields:
    if not any(pentanomial):
        return MatchFields(
            elo=None, error95=None, low95=None, high95=None, any_look=any_look, los=None
        )
    from toolkit.stats.match import match_statistics

    match = match_statistics(pentanomial)
    low, high, error = match.elo_low95, match.elo_high95, match.elo_error95
    if any_look:
        from toolkit.stats.anytime import anytime_interval

        interval = anytime_interval(pentanomial)
        low, high, error = interval.elo_low, interval.elo_high, interval.elo_error(match.elo)
    return MatchFields(
        elo=match.elo, error95=error, low95=low, high95=high, any_look=any_look, los=match.los
    )


class PairingStanding(ScoreRow, frozen=True):
    """How far a pairing is, and its score."""

    pairing: Annotated[int, "its number in the event, from 0"]
    games_planned: Annotated[int, "games to play, at most"]


class RoundStanding(Struct, frozen=True):
    """The round of an event whose later pairings depend on results."""

    number: Annotated[int, "of the round, from 1; of the last one if the event is over"]
    title: Annotated[str, "such as `round 2 of 5` or `semi-finals`"]
    pairings: Annotated[list[int], "numbers of its pairings"]
    over: Annotated[bool, "whether there is no further round"]


class EventState(Struct, frozen=True, kw_only=True):
    """How far an event is, in all its runs."""

    games_planned: Annotated[int, "games to play, at most"]
    games_played: Annotated[int, "games in the database, including repetitions"]
    pairs_failed: Annotated[int, "pairs given up"]
    pairings: Annotated[list[PairingStanding], "one row per pairing, without later rounds"]
    round: Annotated[RoundStanding | None, "for an event in rounds; else null"] = None
    games_per_second: Annotated[float | None, "over the latest games; null before the first"]
    eta_s: Annotated[
        float | None, "seconds until the expected end if it is played; null if unknown"
    ]
    at_most_s: Annotated[
        float | None,
        "seconds if a test or an event in rounds takes its largest number of games; else null",
    ] = None
    time_losses: Annotated[int, "games lost on time"]
    engine_failures: Annotated[int, "games that ended by an illegal move or a failed engine"]
    repetitions: Annotated[int, "games that repeat others of the event and are not counted"]
    names: Annotated[dict[str, str], "what tables call the engines, by label"] = {}


class EventProgress(EventState, frozen=True, kw_only=True):
    """A running event after some pair was stored: everything here is in the database already."""

    event: EventRecord
    """As it was when this run started."""
    games_now: int
    """In this run."""
    elapsed_s: float
    """Since this run began."""
    repaired: int
    """How often a worker died in this run and its pair was played again."""
    test: TestState | None = None
    """The sequential test, in an event that is one."""
    race: RaceRule | None = None
    """The rule of a race, in an event that is one."""
    problems: Mapping[str, int] = {}
    """What engines did wrong in games of this run, and how often."""
    games_left: float = 0.0
    """Games that are expected to be left."""
    variation: str = ""
    """Why another run of the event need not have the same games, in words; empty if it has."""

    @property
    def rounds_may_end_early(self) -> bool:
        """Whether results may end the event before all planned games of its rounds."""
        return self.round is not None and self.event.kind != "swiss"


class EventOutcome(RunOutcome, frozen=True, kw_only=True):
    """How a run of an event ended."""

    event: EventRecord
    """As it is stored now."""
    progress: EventProgress
    unrated: str | None = None
    """Why no rating list was stored after an event that is done; None if one was, or there was
    nothing to rate."""


class EventPlanRow(Struct, frozen=True, kw_only=True):
    """The output of `--dry-run`."""

    kind: Annotated[
        str,
        "`gauntlet`, `round-robin`, `match`, `knockout`, `swiss`, `sprt`, `race` or `ablation`",
    ]
    pairings: Annotated[
        list[list[str]], "two labels for each pairing; empty if results decide who meets"
    ]
    pairs: Annotated[
        int,
        "game pairs per pairing; for a test, a race or an adaptive event the maximum of the event",
    ]
    games: Annotated[int, "games of the whole event, at most"]
    book: Annotated[str, "name of the book"]
    book_slice: Annotated[str | None, "slice of the book, such as `1/2`; null for the whole book"]
    lines: Annotated[int, "openings in the book, or in the slice if there is one"]
    lines_used: Annotated[int, "openings that the event plays"]
    seed: Annotated[int, "seed of the schedule"]
    limit: Annotated[str, "limit for a move, as text"]
    deterministic: Annotated[bool, "whether the same seed gives the same games on any machine"]
    adjudication: Annotated[str, "rules that end games early, as text"]
    jobs: Annotated[int, "worker processes"]
    estimate_s: Annotated[float | None, "estimated time in seconds; expected for a test"]
    estimate_basis: Annotated[str, "basis of the estimate"]
    notices: Annotated[list[str], "warnings about this event"]
    expected_pairs: Annotated[
        float | None, "for a test, or an event in rounds: expected number of pairs; else null"
    ]
    latest_s: Annotated[
        float | None, "for a test, or an event in rounds: estimate for all its pairs; else null"
    ]
    chess960: Annotated[bool, "whether the games are of Chess960"]
    form: Annotated[
        str | None,
        "the rounds of a knockout, a race, a Swiss or adaptive event in words; else null",
    ]


class EventPlan(EventPlanRow, frozen=True, kw_only=True):
    """What an event would do, without storing anything."""

    variation: str
    """Why the same seed need not give the same games, in words; empty if it does."""
