"""The version of the installed program."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import metadata


@functools.cache
def program_version() -> str:
    """Version of the distribution ``mtdf``; ``0+unknown`` where it is not installed."""
    try:
        return metadata.version("mtdf")
    except metadata.PackageNotFoundError:
        return "0+unknown"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which program plays, and where."""

    version: str
    backend: str
    signature: str
    host: str

    @property
    def core(self) -> str:
        """What searches, as ``backend:signature``: equal ones search alike."""
        return f"{self.backend}:{self.signature}"


def this_program() -> Provenance:
    """The running program; computes the core's signature on its first call."""
    import platform

    from engines.backend import backend_name, signature

    return Provenance(
        version=program_version(),
        backend=backend_name(),
        signature=signature(),
        host=platform.node(),
    )
