"""Players on a command line: an engine, with its core or limit if needed.

Lists print ``NAME @BACKEND:SIGNATURE`` if several cores played an engine, and an engine under one
of its limits is ``NAME@LIMIT``; both together are ``NAME @BACKEND:SIGNATURE@LIMIT``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from db.records.engines import Core
from engines.limit import UNKNOWN, spell_limit_key
from toolkit.selection.engines import engine_labels, in_game, named_engine

if TYPE_CHECKING:
    from db.session import Database

_NAMED = re.compile(rf"(.+?)(?: ?@([a-z]+:[0-9a-f]*))?(?: ?@({UNKNOWN}|[\w-]+=[^@]*))?", re.DOTALL)
"""Engine, core, limit. An engine's own label may hold the sign, too."""


class NamedPlayer(Struct, frozen=True):
    """What a text names."""

    engine: str
    """As :func:`toolkit.selection.engines.resolve_engine` takes it."""
    core: str | None = None
    """``backend:`` and a prefix of a signature; None means any core."""
    limit: str | None = None
    """In the spelling of :func:`engines.limit.spell_limit`; None means any limit."""

    def __str__(self) -> str:
        core = "" if self.core is None else f" @{self.core}"
        return f"{self.engine}{core}" + ("" if self.limit is None else f"@{self.limit}")

    def had(self, core: Core, limit: str) -> bool:
        """Whether it is meant where it was played by this core under the limit of this key."""
        return (self.core is None or ":".join(core).startswith(self.core)) and (
            self.limit is None or spell_limit_key(limit) == self.limit
        )


def named_player(db: Database, text: str, game: str | None = None) -> NamedPlayer:
    """The player that a text names; a pattern becomes the label that matches it. ``game``: see
    :func:`toolkit.selection.engines.in_game`. Raises as
    :func:`toolkit.selection.engines.named_engine`."""
    match = None if text in engine_labels(db) else _NAMED.fullmatch(text)
    engine, core, limit = (text, None, None) if match is None else match.groups()
    return NamedPlayer(in_game(db, named_engine(db, engine, game), game), core, limit)
