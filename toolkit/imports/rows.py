"""The documented fields of imports."""

from __future__ import annotations

from typing import Annotated, TypedDict


class ImportRow(TypedDict):
    """One imported file."""

    file: Annotated[str, "file name as given"]
    sha256: Annotated[str, "hash of the file"]
    event: Annotated[str, "short id of the event with its games"]
    name: Annotated[str, "name of that event"]
    games: Annotated[int, "games in the file, including bad ones"]
    added: Annotated[int, "games added to the event"]
    known: Annotated[int, "games that were already in the event, from this file or another"]
    bad: Annotated[int, "bad games skipped with `--skip-bad`"]
    pairs: Annotated[int, "game pairs among the added ones"]
    singles: Annotated[int, "added games without a partner"]
    players: Annotated[int, "players of the event"]
    headers_only: Annotated[bool, "whether moves were not read"]
    trinomial: Annotated[
        list[int] | None,
        "losses, draws and wins of the first player in the whole event, for `sprt calc`; null "
        "unless there are two players",
    ]
    pentanomial: Annotated[list[int] | None, "its pairs by points; null unless two players"]
    repeated: Annotated[int, "games skipped because they repeat an earlier game of the file"]
