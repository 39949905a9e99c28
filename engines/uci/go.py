"""The ``go`` command of UCI: its parts, and the search limit it sets."""

from __future__ import annotations

from dataclasses import dataclass

from engines.clock import MOVE_OVERHEAD_MS, clock_limit, movetime_limit
from engines.spec import MAX_DEPTH, SearchLimit

_PLIES = {"depth": 1, "mate": 2}
_LIMITS = frozenset(["nodes", "depth", "mate", "movetime", "wtime", "btime"])
_NUMBERS = _LIMITS | {"winc", "binc", "movestogo"}
_WORDS = frozenset(["infinite", "ponder", "searchmoves"])
_GREATEST = 2**31 - 1
"""No search needs more, and a larger number would not fit the core's integers."""


@dataclass(frozen=True, slots=True)
class Go:
    """A ``go`` command."""

    numbers: dict[str, int]
    """Values of its keywords, such as ``nodes`` or ``wtime``; at least 0."""
    infinite: bool
    """Only ``stop`` ends the search, and the move is held back until then."""
    ponder: bool
    """The move is held back, and no time counts, until ``ponderhit`` or ``stop``."""
    searchmoves: tuple[str, ...] | None
    """The moves to search, as written; None for all."""
    errors: tuple[str, ...]
    """The parts that could not be parsed, one line each. The search ignores them."""

    def limit(self, white: bool, overhead_ms: int = MOVE_OVERHEAD_MS) -> SearchLimit:
        """The limit of the search with White, or Black, to move.

        A search for mate in n moves has depth 2n, at most ``MAX_DEPTH``. If only the other side's
        time is given, it is used. A depth, mate or number of nodes of 0 counts as 1.
        """
        numbers, time = self.numbers, SearchLimit()
        depths = [
            max(1, numbers[name]) * plies for name, plies in _PLIES.items() if name in numbers
        ]
        own, other = ("wtime", "btime") if white else ("btime", "wtime")
        remaining = numbers.get(own, numbers.get(other))
        if self.infinite:
            pass
        elif "movetime" in numbers:
            time = movetime_limit(numbers["movetime"])
        elif remaining is not None:
            increment = numbers.get("winc" if white else "binc", 0)
            time = clock_limit(remaining, increment, numbers.get("movestogo"), overhead_ms)
        nodes = max(1, numbers["nodes"]) if "nodes" in numbers else None
        depth = min(*depths, MAX_DEPTH) if depths else None
        return SearchLimit(nodes, depth, time.soft_ms, time.hard_ms)


def parse_go(words: list[str]) -> Go:
    """The ``go`` command with these words after the first.

    As the protocol demands, unknown words are ignored; ``errors`` names them. So every ``go``
    starts a search, and an invalid number counts as 0, not as no limit.
    """
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    errors: list[str] = []
    # The keyword whose values come next.
    open_word = ""
    for word in words:
        if word in _NUMBERS or word in _WORDS:
            open_word = word
            if word in _WORDS:
                flags.add(word)
            else:
                numbers[word] = 0
                errors.append(f"go: `{word}` needs a number; 0 is used")
        elif open_word in _NUMBERS:
            errors.pop()
            number = _number(word)
            if number is None:
                errors.append(f"go: `{open_word}` needs a number, not `{word[:40]}`; 0 is used")
            numbers[open_word] = number or 0
            open_word = ""
        elif open_word == "searchmoves":
            moves.append(word)
        else:
            errors.append(f"go: unknown word `{word[:40]}`")
    return Go(
        numbers=numbers,
        infinite="infinite" in flags or not numbers.keys() & _LIMITS,
        ponder="ponder" in flags,
        searchmoves=tuple(moves) if "searchmoves" in flags else None,
        errors=tuple(errors),
    )


def _number(text: str) -> int | None:
    """A number, limited to 0 and the maximum; None if the text is not a number."""
    try:
        return min(max(0, int(text)), _GREATEST)
    except ValueError:
        return None
