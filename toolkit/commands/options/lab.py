"""Options of the runs of the laboratory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.commands.options.run import stacked
from toolkit.commands.options.types import ENGINE, SUITE, WHOLE

if TYPE_CHECKING:
    from engines.spec import Variant
    from toolkit.lab.suite import Suite

ENGINES = click.option(
    "--engine",
    "engines",
    type=ENGINE,
    multiple=True,
    required=True,
    help="Engine to search with; may be repeated.",
)
POSITIONS = stacked(
    click.option(
        "--positions",
        metavar="SUITE",
        type=SUITE,
        help="`lab-60` (the default in chess), `lab-120`, `lab-240`, a built-in book, or a file of "
        "positions (EPD, FEN, PGN, Polyglot); by default 60 positions of the game's book in other "
        "games.",
    ),
    click.option(
        "--limit-positions",
        type=WHOLE,
        help="Use only N positions, spread evenly over the suite.",
    ),
)
"""Which positions are searched."""


def suite_of(
    engines: tuple[Variant, ...], positions: str | None, limit_positions: int | None
) -> Suite:
    """The positions to search in the game of the engines. Raises UsageError."""
    from engines.rules.catalog import rules_of
    from toolkit.lab.positions import USUAL_POSITIONS, load_suite

    rules = rules_of(engines[0].game)
    if positions is None and not rules.uci:
        limit_positions = limit_positions or USUAL_POSITIONS
    return load_suite(positions or rules.default_suite, limit_positions, rules.game)
