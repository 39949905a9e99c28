"""The version of the installed program."""

from __future__ import annotations

import functools
import hashlib
import importlib
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolkit.base.errors import EngineProblem


@functools.cache
def program_version() -> str:
    """Version of the distribution ``mtdf``; ``0+unknown`` where it is not installed."""
    from importlib import metadata

    try:
        return metadata.version("mtdf")
    except metadata.PackageNotFoundError:
        return "0+unknown"


@functools.cache
def program_digest() -> str:
    """Hash of the sources that this process runs, as they are at the first call: builds with the
    same version may differ."""
    found = hashlib.sha256()
    for package in ("toolkit", "engines", "db"):
        folder = Path(str(importlib.import_module(package).__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


class Provenance(Struct, frozen=True):
    """Which program plays, and where."""

    version: str
    backend: str
    signature: str
    host: str
    game: str = "chess"
    """That whose signature it is."""
    speed: int = 0
    """Of the host: nodes per second of CPU time in the bench, or of the engine by which times are
    scaled; 0 where it is not important."""
    time_factor: float = 1.0
    """What the times of limits are multiplied by on this host."""

    @property
    def core(self) -> str:
        """What searches, as ``backend:signature``: equal ones search alike."""
        return f"{self.backend}:{self.signature}"


def check_program(wanted: Provenance) -> None:
    """Raises EngineProblem if this program does not search as the wanted one: another backend, or
    a core that plays differently."""
    here = this_program(wanted.game)
    if here.core != wanted.core:
        raise EngineProblem(
            f"it searches on the {here.backend} backend with core {here.signature}, and the run "
            f"needs {wanted.backend} {wanted.signature}: install the same mtdf there"
        )


def with_speed(program: Provenance) -> Provenance:
    """This program with the speed of this machine."""
    from engines.backend import speed

    return replace(program, speed=speed())


def this_host() -> str:
    """The name of this machine."""
    import platform

    return platform.node()


def this_program(game: str = "chess") -> Provenance:
    """The running program as it plays a game; computes the core's signature on the first call."""
    from engines.backend import backend_name, signature

    return Provenance(
        version=program_version(),
        backend=backend_name(),
        signature=signature(game),
        host=this_host(),
        game=game,
    )
