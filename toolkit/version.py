"""The version of the installed program."""

from __future__ import annotations

import functools
from importlib import metadata


@functools.cache
def program_version() -> str:
    """Version of the distribution ``mtdf``; ``0+unknown`` where it is not installed."""
    try:
        return metadata.version("mtdf")
    except metadata.PackageNotFoundError:
        return "0+unknown"
