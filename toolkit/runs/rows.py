"""The JSON rows of what is done to stored runs."""

from __future__ import annotations

from typing import Annotated, TypedDict


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
