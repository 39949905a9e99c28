"""Progress of a running event: a table that redraws itself, or plain lines in a pipe."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from toolkit.commands._sprt import llr_line
from toolkit.output import Output, display_width, format_count, format_los, format_number

if TYPE_CHECKING:
    from rich.live import Live

    from toolkit.play.progress import EventProgress, PairingProgress

PLAIN_EVERY_S = 10.0
"""Seconds between two lines where progress cannot redraw itself."""
_BAR = 16
_BLOCKS = " ▏▎▍▌▋▊▉"


class LiveProgress:
    """Shows an event on standard error while it is played. A context manager; ``show`` is the
    callback of ``start_event``."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._live: Live | None = None
        self._last_line_at = 0.0
        self._started = False

    def __enter__(self) -> Self:
        if self._output.is_live:
            from rich.console import Console
            from rich.live import Live

            # The lines are coloured here or not at all; the console only redraws them.
            console = Console(stderr=True, color_system=None, highlight=False, emoji=False)
            self._live = Live(console=console, refresh_per_second=4, vertical_overflow="ellipsis")
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, progress: EventProgress) -> None:
        """Show how far the event is; nothing of one that was finished before."""
        if is_over(progress) and not self._started:
            return
        if self._live is not None:
            from rich.text import Text

            text = Text("\n".join(table_lines(progress)), no_wrap=True, overflow="ellipsis")
            self._live.update(text)
            self._started = True
        elif not self._output.quiet:
            self._show_plain(progress)

    def _show_plain(self, progress: EventProgress) -> None:
        now = time.monotonic()
        if not self._started:
            self._started = True
            self._last_line_at = now
            self._output.to_stderr(head_line(progress))
        if is_over(progress) or now - self._last_line_at >= PLAIN_EVERY_S:
            self._last_line_at = now
            self._output.to_stderr(plain_line(progress, datetime.now(UTC)))


def is_over(progress: EventProgress) -> bool:
    """Whether nothing is left to play."""
    decided = progress.test is not None and progress.test.verdict != "continue"
    return decided or progress.games_played + 2 * progress.pairs_failed >= progress.games_planned


def head_line(progress: EventProgress) -> str:
    """Which event runs, on which part of its book, and how to stop and continue it."""
    event = progress.event
    name = f' "{event.name}"' if event.name else ""
    part = event.settings.get("book", {}).get("slice")
    book = f"   {event.settings['book']['name']} slice {part}" if part else ""
    line = f"event {event.key}{name}{book}"
    if is_over(progress):
        return line
    return f"{line}   ctrl-c saves and stops; continue with: mtdf resume {event.key}"


def plain_line(progress: EventProgress, now: datetime) -> str:
    """One line for a log: ``2026-11-21T10:02:30Z r3f9 230/600 eta=763s score=0.513``."""
    eta = "?" if progress.eta_s is None else f"{progress.eta_s:.0f}s"
    if is_over(progress):
        eta = "0s"
    line = (
        f"{now:%Y-%m-%dT%H:%M:%SZ} {progress.event.key} "
        f"{progress.games_played}/{progress.games_planned} eta={eta} "
        f"score={format_number(first_score(progress), 3)}"
    )
    counts = {
        "repetitions": progress.excluded,
        "time_losses": progress.time_losses,
        "engine_failures": progress.engine_failures,
        "pairs_failed": progress.pairs_failed,
    }
    if progress.test is not None:
        line += f" llr={progress.test.status.llr:.2f}"
    return line + "".join(f" {name}={count}" for name, count in counts.items() if count)


def table_lines(progress: EventProgress) -> list[str]:
    """The live table: a head, a line a pairing, a line for the whole."""
    several = len({pairing.first for pairing in progress.pairings}) > 1
    names = [
        f"{pairing.first} vs {pairing.second}" if several else f"vs {pairing.second}"
        for pairing in progress.pairings
    ]
    width = max(display_width(name) for name in names)
    digits = max(len(str(pairing.games_planned)) for pairing in progress.pairings)
    lines = [head_line(progress)]
    for name, pairing in zip(names, progress.pairings, strict=True):
        blanks = " " * (width - display_width(name))
        lines.append(f" {name}{blanks}  {_pairing_line(pairing, digits)}")
    if progress.test is not None:
        lines.append(f" {llr_line(progress.test)}")
    return [*lines, f" {_total_line(progress)}"]


def format_duration(seconds: float) -> str:
    """A duration such as ``12:43`` or ``1:12:04``."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def first_score(progress: EventProgress) -> float | None:
    """Mean score of the first players of all pairings in counted games; None without any."""
    points = sum(pairing.wins + pairing.draws / 2 for pairing in progress.pairings)
    games = sum(pairing.wins + pairing.draws + pairing.losses for pairing in progress.pairings)
    return points / games if games else None


def _pairing_line(pairing: PairingProgress, digits: int) -> str:
    from toolkit.stats.match import match_statistics

    share = pairing.games_played / pairing.games_planned
    line = f"{format_bar(share)}  {pairing.games_played:>{digits}}/{pairing.games_planned}"
    line += f"  +{pairing.wins} -{pairing.losses} ={pairing.draws}"
    if not sum(pairing.pentanomial):
        return line
    match = match_statistics(pairing.pentanomial)
    return (
        f"{line}   {format_number(match.elo, signed=True)} ± {format_number(match.elo_error95)}"
        f"   LOS {format_los(match.los)}"
    )


def _total_line(progress: EventProgress) -> str:
    planned = progress.games_planned
    parts = [
        f"{format_count(progress.games_played)}/{format_count(planned)} games",
        f"{progress.games_played / planned:.0%}".replace("%", " %"),
    ]
    if progress.games_per_minute is not None:
        parts.append(f"{progress.games_per_minute:.1f} games/min")
    if progress.eta_s is not None and not is_over(progress):
        parts.append(f"ETA {format_duration(progress.eta_s)}")
    parts.append(f"time losses {progress.time_losses}")
    parts.append(f"crashes {progress.engine_failures + progress.pairs_failed}")
    if progress.excluded:
        parts.append(f"repetitions {format_count(progress.excluded)}")
    return " · ".join(parts)


def format_bar(share: float) -> str:
    """A bar of blocks, ``share`` (0 to 1) of it full."""
    eighths = round(min(max(share, 0.0), 1.0) * _BAR * 8)
    full, rest = divmod(eighths, 8)
    drawn = "█" * full + (_BLOCKS[rest] if rest else "")
    return drawn.ljust(_BAR, "░")
