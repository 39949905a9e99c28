"""The rule of a race, with :mod:`math` alone; :mod:`toolkit.stats.race` judges by it."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

from .errors import StatisticsError
from .sprt import SprtTest

Accept = Literal["one", "all"]


class RaceRule(Struct, frozen=True, omit_defaults=True):
    """When a candidate is accepted or dropped.

    :raises StatisticsError: values that make no rule.
    """

    elo0: float = 0.0
    """Elo; a candidate that is no better is not to be accepted."""
    elo1: float = 5.0
    """Elo; a gain that is worth finding. It decides how much is played, not how often one errs."""
    alpha: float = 0.05
    """Probability of an error in the family, at most."""
    beta: float = 0.1
    """Probability of dropping a candidate whose gain is ``elo1``, at most."""
    accept: Accept = "one"
    """``one``: the race ends with the first that is accepted. ``all``: all that are better."""

    def __post_init__(self) -> None:
        if self.accept not in get_args(Accept):
            raise StatisticsError(f"accept `{self.accept}`: expected one or all")
        _ = self.test

    @property
    def test(self) -> SprtTest:
        """The sequential test of a single candidate with these values."""
        return SprtTest(self.elo0, self.elo1, self.alpha, self.beta, "logistic")
