"""Progress of a running study: live lines, or one line per trial in a pipe."""

from __future__ import annotations

import shlex
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from toolkit.base.output import Output, format_count, format_duration, format_number
from toolkit.commands._pace import PLAIN_EVERY_S
from toolkit.commands._screen import Frame, Line, Screen, dropping, format_bar

if TYPE_CHECKING:
    from toolkit.space.point import Point
    from toolkit.tuning.study.progress import Estimate, StudyProgress, TrialNews

_PHASES = {
    "search": "searching",
    "choice": "playing the leading points again",
    "gain": "measuring the gain",
}


class LiveStudy(Screen):
    """Shows a study on standard error while it runs. A context manager; ``show`` is the callback
    of ``run_study``."""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._phase = ""
        self._last_line_at = 0.0

    def show(self, progress: StudyProgress) -> None:
        """Show how far the study is."""
        if self.is_live:
            self.draw(study_frame(progress))
        elif not self._output.quiet:
            self._show_plain(progress)

    def _show_plain(self, progress: StudyProgress) -> None:
        """A line for every finished trial, for every new phase, and at intervals."""
        now = datetime.now(UTC)
        if not self._phase:
            self._output.to_stderr(head_lines(progress)[0])
        for news in progress.news:
            self._output.to_stderr(trial_line(progress, news, now))
        is_new = progress.phase != self._phase
        self._phase = progress.phase
        since_s = time.monotonic() - self._last_line_at
        if is_new or (not progress.news and since_s >= PLAIN_EVERY_S):
            self._output.to_stderr(plain_line(progress, now))
        if is_new or progress.news or since_s >= PLAIN_EVERY_S:
            self._last_line_at = time.monotonic()


def resume_line(progress: StudyProgress) -> str:
    """The command that continues a study."""
    return f"mtdf tune resume {shlex.quote(progress.study.name)}"


def head_lines(progress: StudyProgress) -> list[str]:
    """Which study runs, and how to stop and continue it: in several lengths, the longest first."""
    name, resume = progress.study.name, resume_line(progress)
    return [
        f"study {name}   ctrl-c saves and stops; continue with: {resume}",
        f"study {name}   ctrl-c stops; {resume}",
        f"ctrl-c stops; {resume}",
        resume,
    ]


def trial_line(progress: StudyProgress, news: TrialNews, now: datetime) -> str:
    """One log line: the result of a trial, or the state of the study."""
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


def study_frame(progress: StudyProgress) -> Frame:
    """The live lines: a header, the progress, and the current point."""
    frame = [Line(head_lines(progress)), Line([f" {text}" for text in _lengths(progress)])]
    if progress.current is not None:
        frame.append(Line([f" now  {_text(progress.current)}"], spare=2))
    if progress.estimate is not None:
        frame.append(Line([f" {estimate_text(progress, progress.estimate)}"], spare=1))
    return frame


def _lengths(progress: StudyProgress) -> list[str]:
    """How far a study is, in all lengths: pairs and the time left always stay."""
    share = progress.pairs_done / max(progress.pairs_planned, 1)
    parts = [
        (f"{format_count(progress.pairs_done)}/{format_count(progress.pairs_planned)} pairs", 0),
        (f"{100 * share:.0f} %", 2),
        (f"trial {progress.trials_done}/{progress.trials_planned}", 1),
    ]
    if progress.pruned:
        parts.append((f"{progress.pruned} pruned", 3))
    if progress.pairs_per_minute is not None:
        parts.append((f"{format_count(round(progress.pairs_per_minute))} pairs/min", 4))
    if progress.eta_s is not None:
        parts.append((f"ETA {format_duration(progress.eta_s)}", 0))
    lengths, phase = dropping(parts, " · "), _PHASES[progress.phase]
    whole = f"{lengths[0]}   {phase}"
    return [f"{format_bar(share)}  {whole}", whole, *lengths]


def estimate_text(progress: StudyProgress, estimate: Estimate) -> str:
    """The approximate gain of the current point, and the basis of the estimate."""
    effort = progress.study.settings.get("objective") in ("nodes", "time")
    unit = "% of effort saved" if effort else "Elo over the base"
    interval = f"[{format_number(estimate.low95)}, {format_number(estimate.high95)}]"
    basis = "measured" if estimate.model == "pairs" else f"by its {estimate.model}, indicative only"
    return f"about {format_number(estimate.value, signed=True)} {interval} {unit} ({basis})"


def _standing(progress: StudyProgress) -> str:
    """How far a study is, in a log line."""
    eta = format_duration(progress.eta_s)
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
    from toolkit.space.point import point_text

    return point_text(point)
