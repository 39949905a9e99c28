"""How a running event looks: a table for a terminal, a line for a log."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.limit import spell_limit
from toolkit.base.format import (
    event_text,
    format_count,
    format_duration,
    format_number,
    format_share,
)
from toolkit.base.table import Field, cells_of
from toolkit.show.live.progress import View
from toolkit.show.live.screen import Frame, Line, Rows, dropping, format_bar
from toolkit.show.tables.pairings import pairing_fields, validity
from toolkit.show.tables.race import candidate_fields, evidence_text
from toolkit.show.tables.ratings import elo_text

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.session import Database
    from toolkit.events.progress import EventProgress, PairingStanding
    from toolkit.ratings.rating_list import RatingLine
    from toolkit.reports.race import CandidateRow, RaceState
    from toolkit.reports.sprt import SprtStanding
    from toolkit.reports.standing import EventStanding


class EventView(View["EventProgress"]):
    """How an event looks while it is played. Without the database of the event there are no
    ratings."""

    def __init__(self, db: Database | None = None, go_on: str = "") -> None:
        from toolkit.reports.standing import LiveRatings

        super().__init__(go_on)
        self._ratings = None if db is None else LiveRatings(db)

    def run(self, progress: EventProgress) -> EventRecord:
        """The event."""
        return progress.event

    def names(self, progress: EventProgress) -> list[str]:
        """Which event runs, on which part of its book, and why it need not repeat itself."""
        event = progress.event
        text = event_text(event.key, event.name)
        own = event.settings.get("book", {})
        book = (
            "   {name} slice {slice[number]}/{slice[slices]}".format(**own)
            if "slice" in own
            else ""
        )
        again = f"   {progress.variation}" if progress.variation else ""
        return [f"event {text}{book}{again}", f"event {text}", f"event {event.key}"]

    def frame(self, progress: EventProgress) -> Frame:
        """A header, and the standing of the event."""
        from toolkit.reports.standing import NO_RATINGS, standing_of

        ratings = NO_RATINGS
        if self._ratings is not None and _is_rated(progress):
            ratings = self._ratings.of(progress)
        return [Line(self.heads(progress)), *standing_frame(standing_of(progress, ratings))]

    def line(self, progress: EventProgress) -> str:
        """``r3f9 230/600 eta=12m43s score=0.517 wdl=71-96-63 elo=+12.1±32.2``; of a test also the
        latest end."""
        eta = format_duration(0.0 if self.is_over(progress) else progress.eta_s)
        if progress.at_most_s is not None and not self.is_over(progress):
            eta += f" at_most={format_duration(progress.at_most_s)}"
        line = (
            f"{progress.event.key} {progress.games_played}/{progress.games_planned} "
            f"eta={eta}{_standing(progress)}"
        )
        counts = {
            "repetitions": progress.repetitions,
            "time_losses": progress.time_losses,
            "engine_failures": progress.engine_failures,
            "pairs_failed": progress.pairs_failed,
        }
        if progress.test is not None:
            line += f" llr={progress.test.status.llr:.2f}"
        if progress.round is not None:
            line += f" round={progress.round.number}"
        if progress.race is not None:
            line += _race_words(progress)
        return line + "".join(f" {name}={count}" for name, count in counts.items() if count)

    def is_over(self, progress: EventProgress) -> bool:
        """Whether all games have been played."""
        from toolkit.reports.standing import is_over

        return is_over(progress)


def _race_words(progress: EventProgress) -> str:
    """For a log line: the candidates by verdict, and the evidence of the best."""
    from toolkit.reports.standing import race_standing

    race = race_standing(progress)
    if race is None or not race.candidates:
        return ""
    verdicts = Counter(row.verdict for row in race.candidates)
    best = max(race.candidates, key=lambda row: row.evidence)
    counts = "".join(f" {verdict}={verdicts[verdict]}" for verdict in ("accepted", "dropped"))
    leader = shlex.quote(progress.names.get(best.engine, best.engine))
    return f"{counts} leader={leader} evidence={evidence_text(best.evidence)}"


def _is_rated(progress: EventProgress) -> bool:
    """Whether a terminal shows ratings: of two engines the score says it all, and the features of
    an ablation are compared with the full engine."""
    players = {label for one in progress.pairings for label in (one.first, one.second)}
    return progress.event.kind not in ("ablation", "race") and len(players) > 2


def _standing(progress: EventProgress) -> str:
    """For a log line: the score of the engine under test, or the leader if there are several, with
    its wins, draws and losses, and its Elo against its opponents."""
    from toolkit.reports.standing import leader

    found = leader(progress)
    if found is None:
        return ""
    several = len({pairing.first for pairing in progress.pairings}) > 1
    who = f" leader={shlex.quote(found.shown)}" if several else ""
    text = f"{who} score={found.score:.3f} wdl={found.wins}-{found.draws}-{found.losses}"
    if found.elo["elo"] is None:
        return text
    error = found.elo["error95"]
    elo = format_number(found.elo["elo"], signed=True)
    return f"{text} elo={elo}" + ("" if error is None else f"±{format_number(error)}")


_SCALE = 26
"""Cells of the way from one bound of a test to the other."""


def standing_frame(standing: EventStanding) -> Frame:
    """The standing of an event: its round, a line per pairing, a line per rated engine, the test,
    and a line for the whole event."""
    frame: list[Line | Rows] = []
    if standing.round is not None:
        frame.append(Line([f" {standing.round.title}"], spare=1))
    race = standing.race
    frame.append(pairing_rows(standing) if race is None else race_rows(race, standing.names))
    if valid := validity(standing.pairings):
        frame.append(Line([f" {valid}"], spare=3))
    if standing.ratings:
        frame += [Line([" ratings"], spare=2), rating_rows(standing)]
    if standing.test is not None:
        lengths = (_llr_line(standing.test), _llr_short(standing.test))
        frame.append(Line([f" {text}" for text in lengths], spare=1))
    return [*frame, Line([f" {text}" for text in _total_lengths(standing)])]


def pairing_rows(standing: EventStanding) -> Rows:
    """A line per pairing. To fit a narrow terminal, the bar is omitted first, then the games; then
    names are shortened and numbers rounded; below about 50 columns LOS and Elo are omitted."""
    pairings, now = standing.pairings, standing.round
    if now is not None:
        pairings = [one for one in pairings if one.pairing in now.pairings]
    several = now is not None or len({pairing.first for pairing in pairings}) > 1
    columns, wide = cells_of(_pairing_fields(standing, several, 1), pairings)
    rounded = list(cells_of(_pairing_fields(standing, several, 0), pairings)[1])
    narrow = [*columns[:-2], replace(columns[-2], spare=3), replace(columns[-1], spare=4)]
    return Rows([(columns, list(wide)), (columns, rounded), (narrow, rounded)])


def race_rows(race: RaceState, names: Mapping[str, str]) -> Rows:
    """A line per candidate, those that are accepted first."""
    columns, exact = cells_of(_race_fields(race, names, 1), race.candidates)
    rounded = list(cells_of(_race_fields(race, names, 0), race.candidates)[1])
    return Rows([(columns, list(exact)), (columns, rounded), (columns, rounded)])


def _race_fields(
    race: RaceState, names: Mapping[str, str], digits: int
) -> list[Field[CandidateRow]]:
    """The line of a candidate without a heading, whose cells say what they are."""
    said: dict[str, Callable[[CandidateRow], str]] = {
        "pairs": lambda row: f"{format_count(row.pairs)} pairs",
        "Elo": lambda row: f"{format_number(row.elo, digits, signed=True)} Elo",
        "evidence": lambda row: (
            f"evidence {evidence_text(row.evidence)} of {evidence_text(race.needed)}"
        ),
    }
    fields = candidate_fields(race, names, digits)
    return [replace(one, title="", cell=said.get(one.title, one.cell)) for one in fields]


def rating_rows(standing: EventStanding) -> Rows:
    """A line per rated engine, the strongest of each pool first."""
    ranks: Counter[int] = Counter()
    rows = []
    for line in standing.ratings:
        ranks[line.pool] += line.bound is None
        rows.append(("" if line.bound else str(ranks[line.pool]), line))
    columns, exact = cells_of(_rating_fields(standing, 1), rows)
    rounded = list(cells_of(_rating_fields(standing, 0), rows)[1])
    return Rows([(columns, list(exact)), (columns, rounded), (columns, rounded)])


def _rating_fields(standing: EventStanding, digits: int) -> list[Field[tuple[str, RatingLine]]]:
    """The line of a rank and a rated engine, without a heading."""
    names = standing.names
    several = len({str(line.limit) for line in standing.ratings}) > 1
    return [
        Field("", lambda row: row[0], "right", 3),
        Field("", lambda row: names.get(row[1].engine, row[1].engine)),
        Field("", lambda row: spell_limit(row[1].limit), spare=2, when=several),
        Field("", lambda row: elo_text(row[1], digits), "right"),
        Field("", lambda row: _error_text(row[1], digits), "right"),
        Field("", lambda row: f"{format_count(row[1].games)} games", "right", 4),
        Field("", lambda row: format_share(row[1].score, digits), "right", 1),
    ]


def _error_text(line: RatingLine, digits: int) -> str:
    return "" if line.error95 is None else f"± {line.error95:.{digits}f}"


def _pairing_fields(
    standing: EventStanding, several: bool, digits: int
) -> list[Field[PairingStanding]]:
    """The line of a pairing without a heading, whose cells say what they are."""
    first, second, *middle, los = pairing_fields(standing.names, digits)
    fields = [
        replace(first, when=several),
        replace(second, cell=lambda row: f"vs {second.cell(row)}"),
        Field("", lambda row: format_bar(row.games / row.games_planned), spare=2),
        *middle,
        replace(los, cell=lambda row: (text := los.cell(row)) and f"LOS {text}"),
    ]
    return [replace(field, title="") for field in fields]


def _llr_short(test: SprtStanding) -> str:
    """The live line of a narrow terminal."""
    return f"LLR {test.llr:.2f} ({test.lower:.2f}, {test.upper:+.2f})"


def _llr_line(test: SprtStanding) -> str:
    """The live line: the ratio between its bounds."""
    share = (test.llr - test.lower) / (test.upper - test.lower)
    place = round(min(max(share, 0.0), 1.0) * _SCALE)
    scale = "─" * place + "●" + "─" * (_SCALE - place)
    return (
        f"LLR {test.llr:5.2f}  {test.lower:.2f} ├{scale}┤ {test.upper:+.2f}   "
        f"[{test.elo0:g}, {test.elo1:g}] {test.model}"
    )


def _total_lengths(standing: EventStanding) -> Sequence[str]:
    """How far the event is, in all lengths: games played and the time left always stay."""
    planned, played = standing.games_planned, standing.games_played
    time_losses = standing.time_losses
    crashes = standing.engine_failures + standing.pairs_failed
    parts = [
        (f"{format_count(played)}/{format_count(planned)} games", 0),
        (f"{played / planned:.0%}".replace("%", " %"), 2),
    ]
    if standing.games_per_second is not None:
        parts.append((_speed_text(standing.games_per_second), 4))
    left = ""
    if standing.eta_s is not None and not standing.over:
        left = format_duration(standing.eta_s)
        parts.append((f"ETA {left}", 0))
    if standing.at_most_s is not None and not standing.over:
        parts.append((f"at most {format_duration(standing.at_most_s)}", 3 if left else 0))
    parts.append((f"time losses {time_losses}", 1 if time_losses else 5))
    parts.append((f"crashes {crashes}", 1 if crashes else 5))
    if standing.repetitions:
        parts.append((f"stored before {format_count(standing.repetitions)}", 3))
    return [*dropping(parts, " · "), f"{played}/{planned} {left}"]


def _speed_text(games_per_second: float) -> str:
    """Games a second, or a minute if they are slower."""
    if games_per_second >= 1:
        return f"{games_per_second:.1f} games/s"
    return f"{60 * games_per_second:.1f} games/min"
