"""Scripts and styles of served pages: a fixed table, so that no path leads to a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from toolkit.charts.script import vega_script
from toolkit.pages.document import SCRIPTS, STYLE, asset, pieces

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
    texts = {"vega.js": vega_script(), "pieces.js": pieces()}
    texts |= {name: asset(name) for name in (*SCRIPTS, "live.js", STYLE)}
    return {name: _made(name, text.encode()) for name, text in texts.items()}


def asset_address(name: str) -> str:
    """Where a page finds an asset; another content has another address."""
    return f"/assets/{name}?v={assets()[name].version}"


def _made(name: str, body: bytes) -> Asset:
    media_type = _TYPES[name.rpartition(".")[2]]
    return Asset(body, media_type, hashlib.sha256(body).hexdigest()[:16])
