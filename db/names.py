"""Names that a database has, for completion in a shell: quick, silent, and only read.

This does without the database layer, which takes a second to load. Completion has no right answer
where the database is missing, damaged, locked, of another schema or on a server: it has none then.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

NamedKind = Literal["event", "study", "run", "engine", "named engine"]

_MOST = 500
_QUERIES: dict[NamedKind, str] = {
    "event": "SELECT key, name FROM events ORDER BY id DESC LIMIT :most",
    "study": "SELECT name FROM tuning_studies ORDER BY id DESC LIMIT :most",
    "engine": (
        "SELECT label FROM event_players JOIN events ON id = event_id WHERE kind <> 'tuning' "
        "GROUP BY label ORDER BY max(event_id) DESC, min(position) LIMIT :most"
    ),
    "named engine": "SELECT name FROM named_engines ORDER BY name LIMIT :most",
    "run": "SELECT name FROM lab_runs ORDER BY id DESC LIMIT :most",
}


def stored_names(location: str, kind: NamedKind) -> list[str]:
    """Ids and names of events, names of studies or runs, or labels of engines, the newest first and
    at most some hundreds. Empty where they cannot be read."""
    path = Path(location)
    try:
        if "://" in location or not path.is_file():
            return []
        # A log that a writer left may be read, but none must be made.
        has_log = Path(f"{location}-wal").exists()
        mode = "mode=ro" if has_log else "mode=ro&immutable=1"
        uri = f"{path.absolute().as_uri()}?{mode}"
        with closing(sqlite3.connect(uri, uri=True, timeout=0.2)) as connection:
            rows = connection.execute(_QUERIES[kind], {"most": _MOST}).fetchall()
    except (sqlite3.Error, OSError, ValueError):
        return []
    return list(dict.fromkeys(text for row in rows for text in row if text))
