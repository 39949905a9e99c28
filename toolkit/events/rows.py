"""The JSON row of a changed label."""

from __future__ import annotations

from typing import Annotated, TypedDict


class RelabelledRow(TypedDict):
    """Where the label of an engine was changed."""

    engine: Annotated[str, "the new label"]
    before: Annotated[str, "the label before"]
    engine_id: Annotated[str, "identity of the engine; empty if it never played"]
    events: Annotated[list[str], "ids of the events"]
    studies: Annotated[list[str], "names of the studies"]
    runs: Annotated[list[str], "names of the laboratory runs"]
