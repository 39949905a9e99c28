"""The JSON rows of what is done to stored runs."""

from __future__ import annotations

from typing import Annotated, TypedDict

from toolkit.base.rows import JsonOutput


class RemovedRow(TypedDict):
    """What was removed."""

    events: Annotated[list[str], "ids of the removed events, those of removed studies included"]
    studies: Annotated[list[str], "names of the removed studies"]
    runs: Annotated[list[str], "names of the removed laboratory runs"]
    games: Annotated[int, "removed games"]
    searches: Annotated[int, "removed searches of laboratory runs"]
    engines: Annotated[int, "removed variants: those that nothing refers to any more"]
    books: Annotated[int, "removed books: those that no event refers to any more"]
    now_counted: Annotated[
        int, "games of other events that repeated a removed one and count in its place"
    ]


class NamedRow(TypedDict):
    """A run with its name and note."""

    kind: Annotated[str, "`event`, `study` or `run`"]
    id: Annotated[str, "short id of an event; else the name"]
    name: Annotated[str, "name; empty if an event has none"]
    note: Annotated[str, "what a user noted; empty if nothing"]


class MergedRun(TypedDict):
    """A run of another database, and what of it was added."""

    kind: Annotated[str, "`event`, `study` with the event of its games, or `run`"]
    name: Annotated[str, "short id of an event in the other database; else the name there"]
    into: Annotated[str | None, "the same in this database; null if it is not there"]
    renamed: Annotated[
        str | None, "its name here if that is another one than in the other database; else null"
    ]
    state: Annotated[
        str,
        "`new`; `added` if the run was known and something was missing; `known`; `refused`",
    ]
    pairs: Annotated[int, "added game pairs, and imported games without a partner"]
    games: Annotated[int, "added games"]
    repeats: Annotated[
        int | None,
        "added games that repeat others of this database and do not count; null with `--dry-run`",
    ]
    trials: Annotated[int, "added trials of a study"]
    encounters: Annotated[int, "added encounters of a study"]
    searches: Annotated[int, "added searches of a laboratory run"]
    in_progress: Annotated[bool, "whether it is in progress in the other database"]
    problem: Annotated[str | None, "why it was refused"]


class MergeOutcome(TypedDict):
    """What came of merging a database."""

    database: Annotated[str, "path, or URL without password"]
    source: Annotated[str, "the other database"]
    dry_run: Annotated[bool, "whether nothing was added"]
    runs: Annotated[list[MergedRun], "all runs of the other database"]
    engines: Annotated[list[str], "names of external engines that are kept here now, too"]
    other_engines: Annotated[
        list[str], "names under which another external engine is kept here, which stays"
    ]
    rating_lists: Annotated[int, "stored rating lists of the other database; they stay there"]


_NAMED = JsonOutput(NamedRow, is_array=False)
HOUSEKEEPING_OUTPUT: dict[str, JsonOutput] = {
    "events rm, tune rm, lab rm": JsonOutput(RemovedRow, is_array=False),
    "events rename, tune rename, lab rename": _NAMED,
    "db merge": JsonOutput(MergeOutcome),
    "events annotate, tune annotate, lab annotate": _NAMED,
}
"""The JSON output of what is done to stored runs, by command."""
