"""The engines that a command is given, as contenders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.commands._invocation import Invocation

if TYPE_CHECKING:
    from toolkit.play.contenders import Contender, NamedEngine


def read_players(invocation: Invocation, texts: Sequence[str]) -> tuple[Contender, ...]:
    """The engines of these texts, in their order; some stand for several. Raises as
    :func:`toolkit.play.contenders.read_contenders`."""
    from toolkit.play.contenders import read_contenders
    from toolkit.play.expansion import expanded

    return read_contenders(expanded(texts), lambda: kept_engines(invocation))


def kept_engines(invocation: Invocation) -> Mapping[str, NamedEngine]:
    """The engines that the database keeps; none without a database."""
    from db.errors import DatabaseMissing
    from toolkit.play.named import named_engines

    try:
        with invocation.database() as database:
            return named_engines(database)
    except DatabaseMissing:
        return {}
