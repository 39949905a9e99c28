"""The pair numbers, and so the openings or positions, of the parts of a study.

Trials of one round share pair numbers, so that they are compared on the same openings. The final
choice and the measured gain have separate numbers that no trial uses, as long as the book has
enough lines. With fewer lines, the trials repeat their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolkit.tuning.settings import StudySettings


@dataclass(frozen=True, slots=True)
class PairNumbers:
    """The pair numbers of a study, by phase."""

    search: int
    """The search has the numbers below this one; trials go through them in turn."""
    choice: int
    """First number of the final choice."""
    gain: int
    """First number of the measured gain."""
    enough: bool
    """Whether no opening of the gain and of the choice comes anywhere else."""

    @classmethod
    def of(cls, settings: StudySettings) -> PairNumbers:
        """The numbers of a study."""
        if settings.positions is not None:
            tuned = settings.positions.tuned
            return cls(search=tuned, choice=0, gain=tuned, enough=True)
        opponents = max(1, len(settings.against))
        choice = -(-settings.budget.choice // opponents)
        gain = -(-settings.budget.gain // opponents)
        last = settings.trials - (settings.sampler == "spsa")  # whose trials count from 0
        wanted = (settings.round_of(last) + 1) * settings.pairs_per_trial
        lines = settings.event.book.lines if settings.event is not None else wanted + choice + gain
        search = min(wanted, max(lines - choice - gain, settings.pairs_per_trial))
        return cls(search, search, search + choice, search + choice + gain <= lines)

    def of_trial(self, settings: StudySettings, number: int) -> int:
        """First pair number of a trial."""
        pairs = settings.pairs_per_trial
        return settings.round_of(number) % max(1, self.search // pairs) * pairs

    def repeated(self, settings: StudySettings, number: int) -> int | None:
        """The same where another trial of its point on these pairs says nothing new; else None."""
        return self.of_trial(settings, number) if settings.deterministic else None
