"""One tuned parameter, its values, and the scale from 0 to 1 on which a search moves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from engines.spec import Value
from engines.variant import format_value

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

_EXACT = 1e-9
"""Floats nearer than this to a whole number stand for it."""


class Dimension(Struct, frozen=True, omit_defaults=True):
    """One tuned parameter and the values it may have."""

    name: str
    kind: Literal["int", "float", "choice"]
    low: int | float | None = None
    """None for a choice, as is ``high``; both ends are allowed values."""
    high: int | float | None = None
    choices: tuple[Value, ...] = ()
    """Two or more for a choice; flags are False and True."""
    log: bool = False
    """Searched on a logarithmic scale."""
    needs: tuple[str, tuple[Value, ...]] | None = None
    """Another dimension of the space and the values of it under which this one means anything."""
    power_of_two: bool = False
    """An int whose values are powers of two, as both ends are; ``log`` is set, too."""

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers of a range."""
        return self.kind != "choice"

    @property
    def ends(self) -> tuple[int | float, int | float]:
        """The lowest and the highest value. Raises TypeError for a choice."""
        if self.low is None or self.high is None:
            raise TypeError(f"{self.name} is a choice and has no range")
        return self.low, self.high

    def to_unit(self, value: Value) -> float:
        """The place of a value of the range on the scale from 0 to 1, linear or logarithmic."""
        low, high = self.ends
        if isinstance(value, str):
            raise TypeError(f"{self.name}={value} is not a number")
        if self.log:
            share = math.log(value / low) / math.log(high / low)
        else:
            share = (value - low) / (high - low)
        return min(max(share, 0.0), 1.0)

    def from_unit(self, unit: float, draw: float | None = None) -> int | float:
        """The value at this place; ``unit`` is clamped to 0 .. 1.

        Without a draw it is the nearest integer, or a float with few digits (a thousandth of the
        range; four significant digits on a logarithmic scale). A draw in [0, 1) rounds an integer
        up with such a probability that the mean over uniform draws is exact: E floor(v + U) = v. A
        float is then exact.
        """
        low, high = self.ends
        if not 0.0 < unit < 1.0:
            end = low if unit <= 0.0 else high
            return float(end) if self.kind == "float" else end
        if self.power_of_two:
            exponent = math.log2(low) + unit * math.log2(high / low)
            return 1 << self._whole(exponent, draw, math.log2(low), math.log2(high))
        value = low * (high / low) ** unit if self.log else low + unit * (high - low)
        value = min(max(value, low), high)
        if self.kind == "int":
            return self._whole(value, draw, low, high)
        if draw is not None:
            return float(value)
        return float(min(max(round(value, self._digits(value)), low), high))

    def neighbour(self, value: int | float, way: Literal[-1, 1]) -> int | float | None:
        """The next value of an int range above (1) or below (-1); None beyond its ends."""
        low, high = self.ends
        if self.power_of_two:
            other = 2 * int(value) if way > 0 else int(value) // 2
        else:
            other = int(value) + way
        return other if low <= other <= high else None

    @property
    def steps(self) -> int:
        """How many steps to a neighbour lie between the ends of an int range."""
        low, high = self.ends
        return round(math.log2(high / low)) if self.power_of_two else int(high - low)

    @property
    def powers(self) -> tuple[int, ...]:
        """All values, where they are powers of two."""
        low, _ = self.ends
        return tuple(int(low) << step for step in range(self.steps + 1))

    def contains(self, value: Value) -> bool:
        """Whether it is one of the values, in its own type."""
        if self.kind == "choice":
            return any(type(value) is type(choice) and value == choice for choice in self.choices)
        low, high = self.ends
        if isinstance(value, (bool, str)) or (self.kind == "int") != isinstance(value, int):
            return False
        if self.power_of_two and int(value).bit_count() != 1:
            return False
        return low <= value <= high

    def distribution(self) -> BaseDistribution:
        """The dimension as Optuna knows it; powers of two as options, as it has no such range."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

        if self.kind == "choice":
            return CategoricalDistribution(self.choices)
        if self.power_of_two:
            return CategoricalDistribution(self.powers)
        low, high = self.ends
        if self.kind == "int":
            return IntDistribution(int(low), int(high), log=self.log)
        return FloatDistribution(low, high, log=self.log)

    def spell(self, value: Value) -> str:
        """A value as the user may write it: powers of two as ``2^16``."""
        if self.power_of_two and isinstance(value, int) and value.bit_count() == 1:
            return f"2^{value.bit_length() - 1}"
        return format_value(value)

    def describe(self) -> str:
        """The text that declares it, without its condition: ``x=-1.5..2,log``, ``y=a|b``,
        ``entries=2^10..2^20``."""
        return f"{self.name}={self.range_text}"

    @property
    def range_text(self) -> str:
        """Its values as the declaration has them."""
        if self.kind == "choice":
            return "|".join(format_value(choice) for choice in self.choices)
        low, high = self.ends
        if self.power_of_two:
            return f"2^{int(math.log2(low))}..2^{int(math.log2(high))}"
        return f"{low!r}..{high!r}{',log' if self.log else ''}"

    @staticmethod
    def _whole(value: float, draw: float | None, low: float, high: float) -> int:
        """A number rounded to the nearest integer or by a draw, from ``low`` to ``high``."""
        nearest = round(value)
        if draw is None or abs(value - nearest) < _EXACT:
            return nearest
        return min(max(math.floor(value + draw), int(low)), int(high))

    def _digits(self, value: float) -> int:
        """Decimal places that tell values of the range apart."""
        low, high = self.ends
        step = abs(value) / 1000 if self.log else (high - low) / 1000
        return math.ceil(-math.log10(step) - _EXACT)
