"""The documented fields of imports."""

from __future__ import annotations

from typing import Annotated, TypedDict


class ImportRow(TypedDict):
    """One imported file."""

    file: Annotated[str, "as it was given"]
    sha256: Annotated[str, "hash of the file"]
    event: Annotated[str, "short id of the event that has its games"]
    name: Annotated[str, "name of that event"]
    games: Annotated[int, "games in the file, bad ones included"]
    added: Annotated[int, "games that are new in the event"]
    known: Annotated[int, "games that the event had, from this file or another"]
    bad: Annotated[int, "games left out with `--skip-bad`"]
    pairs: Annotated[int, "game pairs among the added ones"]
    singles: Annotated[int, "added games without a partner"]
    players: Annotated[int, "players of the event"]
    headers_only: Annotated[bool, "whether moves were left out"]
    trinomial: Annotated[
        list[int] | None,
        "losses, draws, wins of the first player in the whole event, as `sprt calc` takes them; "
        "null unless it has two players",
    ]
    pentanomial: Annotated[list[int] | None, "its pairs by points, worst first; null likewise"]
    repeated: Annotated[int, "games left out because they stand in the file before"]
