"""Forms of events whose later pairings depend on results: their settings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from toolkit.base.errors import UsageError
from toolkit.base.format import count_of
from toolkit.base.ranges import check_whole
from toolkit.pairing.adaptive import AdaptiveGoal, AdaptivePairer
from toolkit.pairing.knockout import KnockoutPairer
from toolkit.pairing.precision import PrecisionPairer
from toolkit.pairing.race import RacePairer
from toolkit.pairing.swiss import SwissPairer
from toolkit.stats.errors import StatisticsError
from toolkit.stats.race_rule import RaceRule

Seeding = Literal["given", "random"]

DEFAULT_EXTRA_PAIRS = 10
DEFAULT_ZONE_ELO = 5.0
DEFAULT_BLOCK = 50
MAX_PLAYERS_ADAPTIVE = 100
"""More have so many pairings that a decision takes minutes."""
ORDER, DECIDED = "order", "decided"
"""Goals that are no number of Elo."""
_GOAL = re.compile(r"±?(\d{1,4}(?:\.\d{1,3})?)(?:elo)?")
_MAX_ELO = 1000.0


class KnockoutForm(Struct, frozen=True, omit_defaults=True, tag="knockout"):
    """A knockout. Raises UsageError for settings that make no sense."""

    seeding: Seeding = "given"
    """``given``: the first engine is the best seed. ``random``: shuffled by the event's seed."""
    extra_pairs: int = DEFAULT_EXTRA_PAIRS
    """Most pairs of sudden death in a match that is tied after all its pairs; if it still is, the
    better seed wins."""

    def __post_init__(self) -> None:
        if self.seeding not in get_args(Seeding):
            raise UsageError(f"seeding `{self.seeding}`: expected `given` or `random`")
        check_whole("extra pairs", self.extra_pairs, 0, 10_000)

    def seeds(self, players: int, seed: int) -> list[int]:
        """Positions of the players, the best seed first."""
        order = list(range(players))
        if self.seeding == "given":
            return order
        return sorted(order, key=lambda at: hashlib.sha256(f"{seed} seeds {at}".encode()).digest())

    def text(self, pairs: int, players: int) -> str:
        """The rounds in words."""
        each = f"{count_of(players - 1, 'match', 'matches')} of {count_of(pairs, 'pair')}"
        return f"{each}, up to {self.extra_pairs} more in a tied match"

    def pairer(self, players: int, pairs: int, seed: int) -> KnockoutPairer:
        """The rounds of such an event."""
        return KnockoutPairer(self.seeds(players, seed), pairs, self.extra_pairs)


class SwissForm(Struct, frozen=True, omit_defaults=True, tag="swiss"):
    """A Swiss tournament."""

    rounds: int

    def check(self, players: int) -> None:
        """Raises UsageError for more rounds than there are opponents."""
        check_whole("rounds", self.rounds, 1, players - 1 + players % 2)

    def text(self, pairs: int, players: int) -> str:
        """The rounds in words."""
        meetings = count_of(players // 2, "meeting")
        return f"{count_of(self.rounds, 'round')} of {meetings} of {count_of(pairs, 'pair')}"

    def pairer(self, players: int, pairs: int) -> SwissPairer:
        """The rounds of such an event."""
        return SwissPairer(players, self.rounds, pairs)


class AdaptiveForm(Struct, frozen=True, omit_defaults=True, tag="adaptive"):
    """A round robin that plays the most informative pairings, until its goal; a match or gauntlet
    that plays each pairing until its Elo is known. Raises UsageError for settings that make no
    sense."""

    stop_when: str
    """``±10`` or ``10elo``: until the 95 % error of every rating, in a match or gauntlet that of
    the Elo of every pairing, is at most 10 Elo. ``order``: until the order of all engines is
    settled. ``decided``: in a match or gauntlet until 0 lies outside of the interval of each
    pairing."""
    round_pairs: int
    """Pairs of all pairings together between two decisions."""
    zone_elo: float = DEFAULT_ZONE_ELO
    """Indifference zone: a difference whose interval lies within ± this is settled, too."""

    def __post_init__(self) -> None:
        self.goal()
        check_whole("pairs of a round", self.round_pairs, 1, 10_000_000)
        if not 0.0 <= self.zone_elo <= _MAX_ELO:
            raise UsageError(f"zone ({self.zone_elo:g}) must be from 0 to {_MAX_ELO:g} Elo")

    def goal(self) -> AdaptiveGoal:
        """When to stop, in numbers. Raises UsageError."""
        if self.stop_when in (ORDER, DECIDED):
            return AdaptiveGoal(None, self.zone_elo)
        match = _GOAL.fullmatch(self.stop_when)
        if match is None or not 0.0 < float(match[1]) <= _MAX_ELO:
            raise UsageError(
                f"stop when `{self.stop_when[:40]}`: expected a number of Elo such as `±10`, "
                f"`{DECIDED}`, or, in a round robin, `{ORDER}`"
            )
        return AdaptiveGoal(float(match[1]), self.zone_elo)

    def check(self, players: int, most_pairs: int) -> None:
        """Raises UsageError where such rounds could not connect the players."""
        check_whole("number of engines of an adaptive event", players, 2, MAX_PLAYERS_ADAPTIVE)
        if self.round_pairs < players:
            raise UsageError(
                f"rounds of {self.round_pairs} pairs do not connect {players} engines: use at "
                f"least --round-pairs {players}"
            )
        if most_pairs < self.round_pairs:
            raise UsageError(
                f"at most {most_pairs} pairs are fewer than a round of {self.round_pairs}: raise "
                "--max-pairs, or lower --round-pairs"
            )

    def text(self, pairs: int, players: int) -> str:
        """The rounds in words."""
        goal = self.goal()
        if goal.error_elo is not None:
            until = f"every error is at most {goal.error_elo:g} Elo"
        elif self.stop_when == DECIDED:
            until = "each pairing is decided"
        else:
            until = "the order is settled"
            if goal.zone_elo:
                until += f", differences within ±{goal.zone_elo:g} Elo apart"
        return f"rounds of {count_of(self.round_pairs, 'pair')} until {until}"

    def precision(
        self, pairings: Sequence[tuple[int, int]], most_pairs: int, most_per_pairing: int
    ) -> PrecisionPairer:
        """The rounds of a match or gauntlet. Raises UsageError for the goal ``order``."""
        if self.stop_when == ORDER:
            raise UsageError(
                f"stop when `{ORDER}`: only a round robin has an order to settle; a match or "
                f"gauntlet can stop when it is `{DECIDED}`"
            )
        return PrecisionPairer(
            pairings,
            self.goal().error_elo,
            round_pairs=self.round_pairs,
            most_pairs=most_pairs,
            most_per_pairing=most_per_pairing,
        )

    def pairer(self, players: int, most_pairs: int, most_per_pairing: int) -> AdaptivePairer:
        """The rounds of a round robin. Raises UsageError for the goal ``decided``."""
        if self.stop_when == DECIDED:
            raise UsageError(f"stop when `{DECIDED}`: a round robin stops when `{ORDER}`")
        return AdaptivePairer(
            players,
            self.goal(),
            round_pairs=self.round_pairs,
            most_pairs=most_pairs,
            most_per_pairing=most_per_pairing,
        )


class RaceForm(Struct, frozen=True, omit_defaults=True, tag="race"):
    """A race. Raises UsageError for settings that make no sense."""

    rule: RaceRule = RaceRule()
    block: int = DEFAULT_BLOCK
    """Pairs of a candidate between two decisions."""

    def __post_init__(self) -> None:
        check_whole("pairs of a block", self.block, 1, 1_000_000)

    @classmethod
    def make(cls, *, block: int = DEFAULT_BLOCK, **rule: Any) -> RaceForm:
        """A race from plain values: those of :class:`toolkit.stats.race_rule.RaceRule`. Raises
        UsageError."""
        try:
            return cls(RaceRule(**rule), block)
        except StatisticsError as error:
            raise UsageError(str(error)) from error

    def check(self, players: int, most_pairs: int) -> None:
        """Raises UsageError for fewer pairs than one block of each candidate."""
        check_whole("number of engines of a race", players, 2, MAX_PLAYERS_ADAPTIVE)
        if most_pairs < self.block * (players - 1):
            blocks = f"{count_of(players - 1, 'block')} of {count_of(self.block, 'pair')}"
            raise UsageError(
                f"at most {count_of(most_pairs, 'pair')} are fewer than {blocks}, one for each "
                "candidate: raise --max-pairs, or lower --block"
            )

    def text(self, pairs: int, players: int) -> str:
        """The rounds in words."""
        which = "one" if self.rule.accept == "one" else "each"
        who = count_of(players - 1, "candidate")
        return (
            f"{who} in blocks of {count_of(self.block, 'pair')} until {which} is accepted as "
            f"better than {self.rule.elo0:g} Elo or all are dropped"
        )

    def expected_pairs(self, players: int, most_pairs: int) -> float:
        """Estimate for the whole race, from simulated ones."""
        from toolkit.stats.race_plan import expected_pairs

        return expected_pairs(self.rule, players - 1, self.block, most_pairs)

    def pairer(self, players: int, most_pairs: int, most_per_pairing: int) -> RacePairer:
        """The rounds of such an event."""
        return RacePairer(
            players - 1,
            self.rule,
            block=self.block,
            most_pairs=most_pairs,
            most_per_pairing=most_per_pairing,
        )


Form = KnockoutForm | SwissForm | AdaptiveForm | RaceForm
_FORMS: dict[str, type[Form]] = {
    "knockout": KnockoutForm,
    "swiss": SwissForm,
    "round-robin": AdaptiveForm,
    "match": AdaptiveForm,
    "gauntlet": AdaptiveForm,
    "race": RaceForm,
}


def form_of(kind: str) -> type[Form] | None:
    """The form that an event of the kind has, or may have."""
    return _FORMS.get(kind)
