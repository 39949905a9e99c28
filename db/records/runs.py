"""What every stored run has, and what is done to stored runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

RunStatus = Literal["planned", "running", "interrupted", "done", "failed"]

OUT = "out_engines"
"""The key in the settings of an event for engines that did not start, by label, with the reason.
Their abandoned pairs count as walkovers in knockouts."""

CHANGED = "changed_engines"
"""The key in the settings of an event for external engines that had changed when it was continued:
label, and both identities."""

NOTE = "note"
"""The key in the settings of a run for what a user noted about it. Nothing depends on it."""

PGN = "pgn_out"
"""The key in the settings of an event for the PGN file that follows it, as an absolute path. It
belongs to the machine, so a merge does not take it along. Nothing depends on it."""


class _Identified(Struct, frozen=True, kw_only=True):
    uid: str = ""
    """Identifies the run in all databases. It is drawn when a run is stored, because two runs of
    equal settings are two runs, and nothing that is played depends on it. Empty before that."""


class RunRecord(_Identified, frozen=True):
    """The common fields of events, studies and laboratory runs."""

    what: ClassVar[str]
    """The name of this kind of run in messages."""
    id: int
    """0 until it is stored."""
    name: str
    status: RunStatus
    settings: Mapping[str, Any]
    """Frozen at the start."""
    created_at: str
    """Empty before it is stored: now."""
    started_at: str | None
    ended_at: str | None
    version: str
    """Of the program that created it, as are backend, signature and host."""
    backend: str
    signature: str
    host: str

    @property
    def note(self) -> str:
        """What a user noted about it; empty if nothing."""
        return str(self.settings.get(NOTE, ""))


class PlayingTime(NamedTuple):
    """When a game was played, in milliseconds since 1970, and by how many workers its event."""

    started_ms: int
    ended_ms: int
    jobs: int


class Removed(Struct, frozen=True):
    """What was removed together with runs."""

    events: tuple[str, ...] = ()
    """Keys, of the events of studies too."""
    games: int = 0
    searches: int = 0
    """Of laboratory runs."""
    variants: int = 0
    """That nothing refers to any more."""
    books: int = 0
    """That no event refers to any more."""
    now_counted: int = 0
    """Games of other events that repeated a removed one and count in its place."""


class MergedRows(Struct, frozen=True):
    """What a run of another database has beyond the same run here."""

    pairs: int = 0
    """Whole game pairs, and imported games without a partner."""
    games: int = 0
    repeats: int = 0
    """Games among them that repeat another of this database; known when they were added."""
    trials: int = 0
    encounters: int = 0
    searches: int = 0
    """Of laboratory runs."""
    changed: bool = False
    """Whether anything was missing or has changed, if only how far the run is."""

    def __add__(self, other: MergedRows) -> MergedRows:
        names = ("pairs", "games", "repeats", "trials", "encounters", "searches")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return replace(self, **sums, changed=self.changed or other.changed)
