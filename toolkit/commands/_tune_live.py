"""Progress of a running study: lines that redraw themselves, or a line a trial in a pipe."""

from __future__ import annotations

import shlex
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from toolkit.commands._live import PLAIN_EVERY_S, format_bar, format_duration
from toolkit.output import Output, format_count, format_number

if TYPE_CHECKING:
    from rich.live import Live

    from toolkit.tuning.encounter import Point
    from toolkit.tuning.progress import Estimate, StudyProgress, TrialNews

_PHASES = {
    "search": "searching",
    "choice": "playing the leading points again",
    "gain": "measuring the gain",
}


class LiveStudy:
    """Shows a study on standard error while it runs. A context manager; ``show`` is the callback
    of ``run_study``."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._live: Live | None = None
        self._phase = ""
        self._last_line_at = 0.0

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

    def show(self, progress: StudyProgress) -> None:
        """Show how far the study is."""
        if self._live is not None:
            from rich.text import Text

            text = Text("\n".join(study_lines(progress)), no_wrap=True, overflow="ellipsis")
            self._live.update(text)
        elif not self._output.quiet:
            self._show_plain(progress)

    def _show_plain(self, progress: StudyProgress) -> None:
        """A line for every trial that was told, for every new phase, and now and then."""
        now = datetime.now(UTC)
        if not self._phase:
            self._output.to_stderr(head_line(progress))
        for news in progress.news:
            self._output.to_stderr(trial_line(progress, news, now))
        is_new = progress.phase != self._phase
        self._phase = progress.phase
        since_s = time.monotonic() - self._last_line_at
        if is_new or (not progress.news and since_s >= PLAIN_EVERY_S):
            self._output.to_stderr(plain_line(progress, now))
        if is_new or progress.news or since_s >= PLAIN_EVERY_S:
            self._last_line_at = time.monotonic()


def head_line(progress: StudyProgress) -> str:
    """Which study runs, and how to stop and continue it."""
    name = shlex.quote(progress.study.name)
    return (
        f"study {progress.study.name}   ctrl-c saves and stops; continue with: "
        f"mtdf tune resume {name}"
    )


def trial_line(progress: StudyProgress, news: TrialNews, now: datetime) -> str:
    """One line for a log: what a trial measured, where the study stands."""
    line = (
        f"{_moment(now)} {progress.study.name} trial={news.number} {news.state} "
        f"pairs={news.pairs} worth={_worth(news.value)} point={_text(news.point)}"
    )
    if news.opponent is not None:
        line += f" minus={_text(news.opponent)}"
    return f"{line} {_standing(progress)}"


def plain_line(progress: StudyProgress, now: datetime) -> str:
    """One line for a log between trials."""
    return f"{_moment(now)} {progress.study.name} {_standing(progress)}"


def study_lines(progress: StudyProgress) -> list[str]:
    """The live lines: a head, how far it is, where the search stands."""
    share = progress.pairs_done / max(progress.pairs_planned, 1)
    parts = [
        f"{format_count(progress.pairs_done)}/{format_count(progress.pairs_planned)} pairs",
        f"{100 * share:.0f} %",
        f"trial {progress.trials_done}/{progress.trials_planned}",
    ]
    if progress.pruned:
        parts.append(f"{progress.pruned} pruned")
    if progress.pairs_per_minute is not None:
        parts.append(f"{format_count(round(progress.pairs_per_minute))} pairs/min")
    if progress.eta_s is not None:
        parts.append(f"ETA {format_duration(progress.eta_s)}")
    lines = [
        head_line(progress),
        f" {format_bar(share)}  {' · '.join(parts)}   {_PHASES[progress.phase]}",
    ]
    if progress.current is not None:
        lines.append(f" now  {_text(progress.current)}")
    if progress.estimate is not None:
        lines.append(f" {estimate_text(progress, progress.estimate)}")
    return lines


def estimate_text(progress: StudyProgress, estimate: Estimate) -> str:
    """How good the current point is about, and what that rests on."""
    effort = progress.study.settings.get("objective") in ("nodes", "time")
    unit = "% of effort saved" if effort else "Elo over the base"
    interval = f"[{format_number(estimate.low95)}, {format_number(estimate.high95)}]"
    basis = "measured" if estimate.model == "pairs" else f"by its {estimate.model}, to orient by"
    return f"about {format_number(estimate.value, signed=True)} {interval} {unit} ({basis})"


def _standing(progress: StudyProgress) -> str:
    """How far a study is, in a log line."""
    eta = "?" if progress.eta_s is None else f"{progress.eta_s:.0f}s"
    line = f"phase={progress.phase} pairs={progress.pairs_done}/{progress.pairs_planned} eta={eta}"
    if progress.estimate is not None:
        estimate = progress.estimate
        line += (
            f" estimate={format_number(estimate.value, signed=True)}"
            f"[{format_number(estimate.low95)},{format_number(estimate.high95)}]"
            f"({estimate.model})"
        )
    return f"{line} pruned={progress.pruned}" if progress.pruned else line


def _moment(now: datetime) -> str:
    return f"{now:%Y-%m-%dT%H:%M:%SZ}"


def _worth(value: float | None) -> str:
    return format_number(value, 3, signed=True)


def _text(point: Point) -> str:
    from toolkit.tuning.views import point_text

    return point_text(point)
