"""How a running event looks: a table for a terminal, a line for a log."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from toolkit.base.format import (
    event_text,
    format_count,
    format_duration,
    format_interval,
    format_los,
    format_number,
)
from toolkit.base.output import Output
from toolkit.base.table import Column
from toolkit.commands._live import head_lengths
from toolkit.commands._screen import Frame, Line, Rows, dropping, format_bar
from toolkit.commands._sprt import llr_line, llr_short

if TYPE_CHECKING:
    from toolkit.play.progress import EventProgress, PairingProgress
    from toolkit.stats.match import MatchStatistics


class EventView:
    """How an event looks while it is played; a :class:`~toolkit.commands._live.View`."""

    def command(self, progress: EventProgress) -> str:
        """The command that plays what is missing."""
        from toolkit.runs.lifecycle import resume_command

        return resume_command(progress.event)

    def heads(self, progress: EventProgress) -> list[str]:
        """Which event runs, and on which part of its book."""
        event = progress.event
        text = event_text(event.key, event.name)
        part = event.settings.get("book", {}).get("slice")
        book = f"   {event.settings['book']['name']} slice {part}" if part else ""
        names = [f"event {text}{book}", f"event {text}", f"event {event.key}"]
        return names if is_over(progress) else head_lengths(names, self.command(progress))

    def frame(self, progress: EventProgress) -> Frame:
        """A header, a line per pairing, and a line for the whole event."""
        frame: list[Line | Rows] = [Line(self.heads(progress))]
        if progress.round is not None:
            frame.append(Line([f" {progress.round.title}"], spare=1))
        frame.append(pairing_rows(progress))
        if progress.test is not None:
            lengths = (llr_line(progress.test), llr_short(progress.test))
            frame.append(Line([f" {text}" for text in lengths], spare=1))
        return [*frame, Line([f" {text}" for text in _total_lengths(progress)])]

    def line(self, progress: EventProgress) -> str:
        """``r3f9 230/600 eta=12m43s score=0.513``; of a test also the latest end."""
        eta = format_duration(0.0 if is_over(progress) else progress.eta_s)
        if progress.latest_s is not None and not is_over(progress):
            eta += f" at_most={format_duration(progress.latest_s)}"
        line = (
            f"{progress.event.key} {progress.games_played}/{progress.games_planned} "
            f"eta={eta}{_standing(progress)}"
        )
        counts = {
            "repetitions": progress.excluded,
            "time_losses": progress.time_losses,
            "engine_failures": progress.engine_failures,
            "pairs_failed": progress.pairs_failed,
        }
        if progress.test is not None:
            line += f" llr={progress.test.status.llr:.2f}"
        if progress.round is not None:
            line += f" round={progress.round.number}"
        return line + "".join(f" {name}={count}" for name, count in counts.items() if count)

    def news(self, progress: EventProgress) -> tuple[()]:
        """Nothing: pairs come too often."""
        return ()

    def phase(self, progress: EventProgress) -> str:
        """An event has no parts."""
        return ""

    def is_over(self, progress: EventProgress) -> bool:
        """Whether all games have been played."""
        return is_over(progress)


def is_over(progress: EventProgress) -> bool:
    """Whether nothing is left to play."""
    decided = progress.test is not None and progress.test.verdict != "continue"
    if progress.round is not None:
        return progress.round.over
    return decided or progress.games_played + 2 * progress.pairs_failed >= progress.games_planned


def leader(progress: EventProgress) -> tuple[str, float] | None:
    """The leader by mean score in counted games, with that score; None if it would be meaningless.

    In a gauntlet only the engines under test are compared, because they meet the same opponents;
    features of an ablation are not compared, nor engines that results chose to meet.
    """
    if progress.event.kind == "ablation" or progress.round is not None:
        return None
    names = {pairing.first for pairing in progress.pairings}
    if progress.event.kind == "round-robin" and len(names) > 1:
        names |= {pairing.second for pairing in progress.pairings}
    totals = {name: _score(progress.pairings, name) for name in sorted(names)}
    found = {name: score for name, score in totals.items() if score is not None}
    if not found:
        return None
    name = max(found, key=lambda name: found[name])
    return progress.shown.get(name, name), found[name]


def _score(pairings: Iterable[PairingProgress], name: str) -> float | None:
    """Mean score of a player in counted games; None without any."""
    points = games = 0.0
    for pairing in pairings:
        counted = pairing.wins + pairing.draws + pairing.losses
        if pairing.first == name:
            points += pairing.wins + pairing.draws / 2
            games += counted
        if pairing.second == name:
            points += pairing.losses + pairing.draws / 2
            games += counted
    return points / games if games else None


def _standing(progress: EventProgress) -> str:
    """For a log line: the score of the engine under test, or the leader if there are several."""
    found = leader(progress)
    if found is None:
        return ""
    several = len({pairing.first for pairing in progress.pairings}) > 1
    who = f" leader={shlex.quote(found[0])}" if several else ""
    return f"{who} score={found[1]:.3f}"


_COLUMNS = (
    *(Column("engine"), Column("opponent"), Column("", spare=2), Column("games", "right", 1)),
    *(Column("results", "right"), Column("Elo ±95", "right"), Column("LOS", "right")),
)
"""The line of a pairing; on a narrow terminal the bar goes first, then the games."""


def pairing_rows(progress: EventProgress) -> Rows:
    """A line per pairing. To fit a narrow terminal, the bar is omitted first, then the games; then
    names are shortened and numbers rounded; below about 50 columns LOS and Elo are omitted."""
    pairings = progress.pairings
    if progress.round is not None:
        pairings = tuple(one for one in pairings if one.pairing in progress.round.pairings)
    several = progress.round is not None or len({pairing.first for pairing in pairings}) > 1
    wide, rounded = (
        [_live_cells(progress, pairing, several, digits) for pairing in pairings]
        for digits in (1, 0)
    )
    columns = [replace(column, title="") for column in _COLUMNS]
    narrow = [*columns[:5], replace(columns[5], spare=3), replace(columns[6], spare=4)]
    keep = [place for place in range(len(columns)) if several or place != 0]
    return Rows(
        [
            ([titles[place] for place in keep], [[row[place] for place in keep] for row in cells])
            for titles, cells in ((columns, wide), (columns, rounded), (narrow, rounded))
        ]
    )


def print_pairings(output: Output, progress: EventProgress) -> None:
    """The scores of the pairings of an event, as a table."""
    cells = [_cells(progress, pairing, True, 1) for pairing in progress.pairings]
    shown = [place for place, column in enumerate(_COLUMNS) if column.title]
    output.table(
        [_COLUMNS[place] for place in shown], [[row[place] for place in shown] for row in cells]
    )


def _live_cells(
    progress: EventProgress, pairing: PairingProgress, several: bool, digits: int
) -> list[str]:
    """The cells of a line without a heading, which say what they are."""
    first, second, *middle, los = _cells(progress, pairing, several, digits)
    return [first, f"vs {second}", *middle, los and f"LOS {los}"]


def _cells(
    progress: EventProgress, pairing: PairingProgress, several: bool, digits: int
) -> list[str]:
    from toolkit.stats.match import match_statistics

    planned, shown = pairing.games_planned, progress.shown
    results = f"+{pairing.wins} -{pairing.losses} ={pairing.draws}"
    match = match_statistics(pairing.pentanomial) if sum(pairing.pentanomial) else None
    return [
        shown.get(pairing.first, pairing.first) if several else "",
        shown.get(pairing.second, pairing.second),
        format_bar(pairing.games_played / planned),
        f"{pairing.games_played}/{planned}",
        results,
        *(("", "") if match is None else _estimate(match, digits)),
    ]


def _estimate(match: MatchStatistics, digits: int) -> tuple[str, str]:
    """Elo with its interval, and LOS; optionally rounded to whole numbers."""
    elo = format_number(match.elo, digits, signed=True)
    los = format_los(match.los) if digits else _rounded_los(match.los)
    ends = (match.elo_low95, match.elo_high95)
    interval = format_interval(match.elo, match.elo_error95, *ends, digits)
    return f"{elo} {interval}", los


def _rounded_los(share: float) -> str:
    if not 0.005 <= share <= 0.995:
        return "<1 %" if share < 0.5 else ">99 %"
    return f"{100 * share:.0f} %"


def _total_lengths(progress: EventProgress) -> Sequence[str]:
    """How far the event is, in all lengths: games played and the time left always stay."""
    planned, played = progress.games_planned, progress.games_played
    crashes = progress.engine_failures + progress.pairs_failed
    parts = [
        (f"{format_count(played)}/{format_count(planned)} games", 0),
        (f"{played / planned:.0%}".replace("%", " %"), 2),
    ]
    if progress.games_per_minute is not None:
        parts.append((f"{progress.games_per_minute:.1f} games/min", 4))
    left = ""
    if progress.eta_s is not None and not is_over(progress):
        left = format_duration(progress.eta_s)
        parts.append((f"ETA {left}", 0))
        if progress.latest_s is not None:
            parts.append((f"at most {format_duration(progress.latest_s)}", 3))
    parts.append((f"time losses {progress.time_losses}", 1 if progress.time_losses else 5))
    parts.append((f"crashes {crashes}", 1 if crashes else 5))
    if progress.excluded:
        parts.append((f"repetitions {format_count(progress.excluded)}", 3))
    return [*dropping(parts, " · "), f"{played}/{planned} {left}"]
