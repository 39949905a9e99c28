"""The ``go`` command of UCI: what was asked for, and the limit that it means."""

from __future__ import annotations

from dataclasses import dataclass

from engines.clock import clock_limit, movetime_limit
from engines.spec import SearchLimit

_FROM_ONE = frozenset(["nodes", "depth", "movestogo", "mate"])
_NUMBERS = _FROM_ONE | {"movetime", "wtime", "btime", "winc", "binc"}
_WORDS = frozenset(["infinite", "ponder", "searchmoves"])
_LIMITS = frozenset(["nodes", "depth", "mate", "movetime", "wtime", "btime"])


@dataclass(frozen=True, slots=True)
class Go:
    """A ``go`` command."""

    numbers: dict[str, int]
    """Values of its keywords, such as ``nodes`` or ``wtime``."""
    infinite: bool
    """Nothing but ``stop`` ends the search, and the move is held back until then."""
    unsupported: tuple[str, ...]
    """Keywords that are left out of account."""

    def limit(self, white: bool) -> SearchLimit:
        """The limit of the search when White, or Black, is to move.

        A mate in n moves is looked for to depth 2n. Where only the other side's time was given,
        it stands in.
        """
        numbers, time = self.numbers, SearchLimit()
        depths = [numbers[name] * plies for name, plies in _PLIES.items() if name in numbers]
        own, other = ("wtime", "btime") if white else ("btime", "wtime")
        remaining = numbers.get(own, numbers.get(other))
        if "movetime" in numbers:
            time = movetime_limit(numbers["movetime"])
        elif remaining is not None and not self.infinite:
            increment = numbers.get("winc" if white else "binc", 0)
            time = clock_limit(remaining, increment, numbers.get("movestogo"))
        depth = min(depths, default=None)
        return SearchLimit(numbers.get("nodes"), depth, time.soft_ms, time.hard_ms)


_PLIES = {"depth": 1, "mate": 2}


def parse_go(words: list[str]) -> Go:
    """The ``go`` command with these words after the first. Raises ValueError with one line."""
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word in _NUMBERS:
            numbers[word] = _number(word, words[position] if position < len(words) else "")
            position += 1
        elif word in _WORDS:
            flags.add(word)
        elif "searchmoves" not in flags:
            raise ValueError(f"go: `{word[:40]}` is not known")
    infinite = bool(flags & {"infinite", "ponder"}) or not numbers.keys() & _LIMITS
    return Go(numbers, infinite, tuple(sorted(flags & {"searchmoves", "ponder"})))


def _number(word: str, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"go: `{word}` wants a number, not `{text[:40]}`") from None
    if number < 1 and word in _FROM_ONE:
        raise ValueError(f"go: `{word}` must be at least 1")
    # No search needs more, and a greater number would not fit the core's integers.
    return min(number, 2**31 - 1)
