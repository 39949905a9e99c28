"""The builds of engines in the user's cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct

from engines.external.builds import Build, all_builds, remove, size_of, status_of
from engines.external.text import shown
from toolkit.base.errors import NothingMatched, UsageError


class BuildRow(Struct, frozen=True):
    """One build of an engine from a repository, in the cache of this user."""

    id: Annotated[str, "name in the cache: hash of commit, build command, program and changes"]
    status: Annotated[str, "`built`, `failed`, `building` at this moment, or `interrupted`"]
    repository: Annotated[str, "path or URL"]
    reference: Annotated[str, "branch, tag or commit as it was asked for; `.` for the work tree"]
    commit: Annotated[str, "full hash"]
    subject: Annotated[str, "first line of the commit's message; empty if it was not built"]
    date: Annotated[str, "date of the commit, ISO 8601; empty if it was not built"]
    build: Annotated[str, "command that built it"]
    changed: Annotated[bool, "whether it has changes that were not committed"]
    compiler: Annotated[str, "compiler, as the program names it; empty if it does not"]
    bench: Annotated[int | None, "number of nodes of its bench; null if it has none"]
    program: Annotated[str, "path of the program; empty if it was not built"]
    started_at: Annotated[str, "when it was built, UTC, ISO 8601"]
    seconds: Annotated[float, "how long that took"]
    bytes: Annotated[int, "size of its folder"]


def list_builds() -> list[BuildRow]:
    """Every build in the cache, the newest first."""
    return [_row(build) for build in all_builds()]


def remove_builds(names: Sequence[str]) -> list[BuildRow]:
    """Remove builds, each given by the beginning of its id or its commit, or all of them by
    ``all``, and return them. An engine that needs one builds it again. Raises NothingMatched for a
    name without a build, UsageError for an empty name."""
    builds = all_builds()
    found: dict[str, Build] = {}
    for name in names:
        if not name:
            raise UsageError("give the beginning of the id or commit of a build, or `all`")
        some = [
            one
            for one in builds
            if name == "all"
            or one.source.key.startswith(name)
            or one.source.commit.startswith(name)
        ]
        if not some:
            raise NothingMatched(f"no build `{shown(name)}` is in the cache (mtdf engines builds)")
        found |= {one.source.key: one for one in some}
    rows = [_row(one) for one in found.values()]
    for one in found.values():
        remove(one)
    return rows


def _row(build: Build) -> BuildRow:
    source, known = build.source, build.known
    return BuildRow(
        id=source.key,
        status=status_of(build),
        repository=source.repository,
        reference=source.reference,
        commit=source.commit,
        subject=known.subject,
        date=known.date,
        build=source.build,
        changed=bool(source.diff),
        compiler=known.compiler,
        bench=known.bench,
        program=build.path if build.binary else "",
        started_at=build.started_at,
        seconds=build.seconds,
        bytes=size_of(build),
    )
