"""How a run stands: which of two databases is further, and what follows for its row here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from db.records import CHANGED, NOTE, ORIGIN, OUT, PGN, RunRecord, RunStatus
from db.times import optional_milliseconds_of


@dataclass(frozen=True, slots=True)
class Lead:
    """Whether a run has rows ``here`` that the other database lacks, and rows ``there`` that are
    missing here."""

    here: bool = False
    there: bool = False


def head_changes(
    source: RunRecord, known: RunRecord, lead: Lead, more: dict[str, Any]
) -> dict[str, Any]:
    """Columns of a run here that change, because it stands as in the other database where that is
    further; ``more``: columns of its own kind. Its name stays, and what was noted of it here."""
    if not _is_further(source, known, lead):
        return {}
    settings = renamed(source.settings, known.name)
    left = (PGN, ORIGIN, NOTE) if NOTE in known.settings else (PGN, ORIGIN)
    settings = {key: value for key, value in settings.items() if key not in left}
    for kept in (NOTE, PGN, ORIGIN, CHANGED, OUT):
        if kept in known.settings:
            settings.setdefault(kept, known.settings[kept])
    wanted = {
        "status": at_rest(source),
        "settings": settings,
        "started_ms": optional_milliseconds_of(source.started_at),
        "ended_ms": optional_milliseconds_of(source.ended_at),
        **more,
    }
    present = {
        "status": known.status,
        "settings": dict(known.settings),
        "started_ms": optional_milliseconds_of(known.started_at),
        "ended_ms": optional_milliseconds_of(known.ended_at),
        **{name: getattr(known, name) for name in more},
    }
    return {name: value for name, value in wanted.items() if present[name] != value}


def _is_further(source: RunRecord, known: RunRecord, lead: Lead) -> bool:
    theirs, ours = (
        (getattr(run, "pairs_planned", 0), run.status == "done") for run in (source, known)
    )
    if theirs != ours:
        return theirs > ours
    if lead.here or lead.there or known.status == "done":
        return lead.there and not lead.here
    # This ends a merge that was killed when all rows were here and the head was not.
    return (source.ended_at or "") > (known.ended_at or "")


def renamed(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Settings with the name of their run, if they have one."""
    return {**settings, "name": name} if "name" in settings else dict(settings)


def at_rest(run: RunRecord) -> RunStatus:
    """The status of a run that no process here is continuing."""
    return "interrupted" if run.status == "running" else run.status
