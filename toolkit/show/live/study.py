"""How a running study looks: lines for a terminal, a line per trial for a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.format import format_count, format_duration, format_number
from toolkit.show.live.progress import View
from toolkit.show.live.screen import Frame, Line, dropping, format_bar
from toolkit.show.tables.study import estimate_text

if TYPE_CHECKING:
    from db.records.studies import StudyRecord
    from toolkit.tuning.space.point import Point
    from toolkit.tuning.study.progress import StudyProgress
    from toolkit.tuning.study.recall import Trial

_PHASES = {
    "search": "searching",
    "choice": "playing the leading points again",
    "gain": "measuring the gain",
}


class StudyView(View["StudyProgress"]):
    """How a study looks while it runs."""

    def run(self, progress: StudyProgress) -> StudyRecord:
        """The study."""
        return progress.study

    def names(self, progress: StudyProgress) -> list[str]:
        """Which study runs."""
        return [f"study {progress.study.name}"]

    def frame(self, progress: StudyProgress) -> Frame:
        """A head, how far it is, where the search stands."""
        frame = [Line(self.heads(progress)), Line([f" {text}" for text in _lengths(progress)])]
        if progress.current is not None:
            frame.append(Line([f" now  {_text(progress.current)}"], spare=2))
        if progress.estimate is not None:
            frame.append(Line([f" {estimate_text(progress, progress.estimate)}"], spare=1))
        return frame

    def line(self, progress: StudyProgress) -> str:
        """How far the study is."""
        return f"{progress.study.name} {_standing(progress)}"

    def news(self, progress: StudyProgress) -> list[str]:
        """A line for every trial that ended: what it measured, where the study stands."""
        return [_trial_line(progress, trial) for trial in progress.news]

    def phase(self, progress: StudyProgress) -> str:
        """Search, choice or gain."""
        return progress.phase


def _trial_line(progress: StudyProgress, trial: Trial) -> str:
    line = (
        f"{progress.study.name} trial={trial.record.number} {trial.record.state} "
        f"pairs={trial.pairs} worth={_worth(trial.record.value)} point={_text(trial.record.params)}"
    )
    if trial.opponent is not None:
        line += f" minus={_text(trial.opponent)}"
    return f"{line} {_standing(progress)}"


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


def _worth(value: float | None) -> str:
    return format_number(value, 3, signed=True)


def _text(point: Point) -> str:
    from toolkit.tuning.space.point import point_text

    return point_text(point)
