"""The engines that a command is given, as contenders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from toolkit.commands._invocation import Invocation

if TYPE_CHECKING:
    from engines.spec import UciSetup
    from toolkit.events.contenders import Asked
    from toolkit.events.players import Contender


def read_players(invocation: Invocation, *asked: Sequence[Asked]) -> tuple[Contender, ...]:
    """The engines of these arguments, in their order. Raises as
    :func:`toolkit.events.contenders.read_contenders`, and UsageError for an engine of another game
    than ``--game`` names."""
    from toolkit.events.contenders import read_contenders

    players = [one for some in asked for one in some]
    contenders = read_contenders(players, lambda: kept_engines(invocation))
    for one, contender in zip(players, contenders, strict=True):
        name = one if isinstance(one, str) else contender.engine.label
        invocation.check_game(name, contender.engine.game)
    return contenders


def read_two(
    invocation: Invocation, first: Sequence[Asked], second: Sequence[Asked], what: str
) -> tuple[Contender, Contender]:
    """The two engines of a ``what``. Raises as :func:`read_players`, and UsageError for texts that
    stand for another number of engines."""
    number = len(first) + len(second)
    if number != 2:
        raise click.UsageError(
            f"a {what} has two engines, and these texts stand for {number}: mtdf round-robin and "
            "mtdf gauntlet take more"
        )
    one, other = read_players(invocation, first, second)
    return one, other


def kept_engines(invocation: Invocation) -> Mapping[str, UciSetup]:
    """The engines that the database keeps; none without a database."""
    from db.errors import DatabaseMissing
    from toolkit.events.named_engines import named_engines

    try:
        with invocation.database() as database:
            return named_engines(database)
    except DatabaseMissing:
        return {}
