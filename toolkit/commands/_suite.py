"""Notes on the suite that a command searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.base.output import Output, count_of

if TYPE_CHECKING:
    from toolkit.lab.suite import Suite


def tell_suite(output: Output, suite: Suite, asked: int | None = None) -> None:
    """Report positions of a file that are not searched, and suites with fewer than the ``asked``
    positions."""
    from toolkit.commands._lab import tell_repeats

    if suite.over:
        games = count_of(suite.over, "game is", "games are")
        output.warning(
            f"suite {suite.name}: {games} over at the last position and left out: there is nothing "
            "to search"
        )
    tell_repeats(output, suite)
    if asked is not None and asked > len(suite):
        output.hint(
            f"suite {suite.name} has {count_of(len(suite), 'position')}, and {asked} were "
            "requested: all of them are searched"
        )
