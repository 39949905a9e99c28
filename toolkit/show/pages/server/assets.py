"""Scripts and styles of served pages: a fixed table, so that no path leads to a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from toolkit.show.pages.document import STYLE, asset, scripts

_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A script or a style."""

    body: bytes
    media_type: str
    version: str
    """The beginning of its hash."""


@cache
def assets() -> Mapping[str, Asset]:
    """All, by name. The first call may take seconds, in which the library for charts is built."""
    texts = scripts(served=True) | {STYLE: asset(STYLE)}
    return {name: _made(name, text.encode()) for name, text in texts.items()}


@cache
def addresses() -> Mapping[str, str]:
    """Where a page finds each asset; another content has another address."""
    return {name: f"/assets/{name}?v={one.version}" for name, one in assets().items()}


def _made(name: str, body: bytes) -> Asset:
    media_type = _TYPES[name.rpartition(".")[2]]
    return Asset(body, media_type, hashlib.sha256(body).hexdigest()[:16])
