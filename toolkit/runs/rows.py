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


_NAMED = JsonOutput(NamedRow, is_array=False)
HOUSEKEEPING_OUTPUT: dict[str, JsonOutput] = {
    "events rm, tune rm, lab rm": JsonOutput(RemovedRow, is_array=False),
    "events rename, tune rename, lab rename": _NAMED,
    "events annotate, tune annotate, lab annotate": _NAMED,
}
"""The JSON output of what is done to stored runs, by command."""
