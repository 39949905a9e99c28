"""What the tests of play share."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engines.backend import backend_name


@dataclass(frozen=True, slots=True)
class Size:
    """How much the backend at hand can play in a short test."""

    nodes: int
    pairs: int
    """Enough that an event takes some seconds."""
    plies: int


@pytest.fixture(scope="session")
def size() -> Size:
    """Small for the reference, larger for the native core."""
    if backend_name() == "native":
        return Size(nodes=600, pairs=200, plies=400)
    return Size(nodes=20, pairs=12, plies=30)
