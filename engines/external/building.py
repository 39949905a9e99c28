"""Building an engine: a work tree, a command, a program, and the number that its bench prints.

Two builds of one commit that print different numbers do not play alike, so that is an error.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from os.path import join
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from engines.errors import EngineFailure, VariantError
from engines.external import sweep
from engines.external.builds import (
    LOG,
    TREE,
    Build,
    builds_of,
    find_build,
    folder_of,
    keep,
    lock_of,
)
from engines.external.files import file_digest
from engines.external.git import folder_with, make_tree, subject_and_date, tracked
from engines.external.locks import locked
from engines.external.process import child_setup, end_group
from engines.external.text import shown
from engines.notices import tell
from engines.spec import GitBuild, GitSource

EXE = "mtdf-engine"
"""What a makefile is asked to call the program."""
BENCH_S = 300
"""The longest time that a bench may take."""

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_NAMES_EXE = re.compile(rb"\$[({]EXE[)}]|^[ \t]*(?:override[ \t]+)?EXE[ \t]*[:?+]?=", re.MULTILINE)
_FOREIGN = ("CARGO_TARGET_DIR", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "GIT_DIR", "GIT_WORK_TREE")
"""Variables that would build elsewhere than in the work tree."""
_MOST_LOG = 16 << 20
"""Bytes of a log."""
_KEPT = 64 << 10
"""Bytes of output whose end is looked at."""
_LOOK_MS = 50
_LAST_LINES = 3
_LISTED = 8
_NO_PROGRAMS = (".so", ".a", ".o", ".dylib", ".dll", ".rlib", ".sample")
_BYPRODUCTS = frozenset(("deps", "build", "incremental", "examples", "CMakeFiles", ".git"))
_MAGIC = (b"\x7fELF", b"#!", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_COMPILERS = (
    re.compile(rb"rustc version [\w.-]+"),
    re.compile(rb"clang version [\w.-]+"),
    re.compile(rb"GCC: \([^)\n\0]{0,80}\) [\w.-]+"),
    re.compile(rb"\bgo1\.\d+[\w.]*"),
)
_BENCH = re.compile(
    rb"(?:nodes\s+searched|total\s+nodes|\bbench)[ \t]*[:=]?[ \t]*(\d+)"
    rb"|(\d+)[ \t]+nodes\b(?![ \t]*(?:/|per))|\bnodes[ \t]*[:=]?[ \t]+(\d+)",
    re.IGNORECASE,
)


def default_build(read: Callable[[str], bytes]) -> str | None:
    """The command that builds what a repository has; ``read`` gives a file of it, empty if there is
    none. A makefile that lets the name of the program be chosen comes first, as on OpenBench; then
    Cargo; then any makefile. None if there is none of them."""
    plain = None
    for folder, there in (("", ""), ("src", " -C src")):
        texts = (read(join(folder, name)) for name in _MAKEFILES)
        text = next(filter(None, texts), b"")
        if _NAMES_EXE.search(text):
            return f"make -j{there} EXE={EXE}"
        if text:
            plain = plain or f"make -j{there}"
    return "cargo build --release" if read("Cargo.toml") else plain


def make_build(source: GitSource, label: str, *, folder: str | None = None) -> Build:
    """The build of a source, from the cache, or made now. ``folder``: where git has the commit, if
    that is not the source's repository. ``label``: of the engine, for messages.

    Raises EngineFailure if it cannot be built, makes no program, its bench does not end, or the
    number of its bench is not that of another build of the commit.
    """
    name = shown(label)
    build = _intact(source)
    if build is None or source.bench not in ("", build.known.benched):
        try:
            with locked(lock_of(source), lambda: _await_other(source, name)) as lock:
                build = _intact(source) or _made(source, name, folder, lock)
                if source.bench not in ("", build.known.benched):
                    build = _benched(build, source.bench, name, lock)
                tell(f"built {name} in {build.seconds:.1f} s, {_about(build)}")
        except OSError as error:
            raise EngineFailure(
                f"engine `{name}`: cannot write `{folder_of(source)}`: {error.strerror}"
            ) from None
    for other in builds_of(source):
        command = shown(other.source.build)
        check_bench(source, build.known, other.known, f"when it is built by `{command}`")
    return build


def check_bench(
    source: GitSource, one: GitBuild | None, other: GitBuild | None, whose: str
) -> None:
    """Raises EngineFailure for two builds of a commit whose bench prints different numbers;
    ``whose`` is the other one."""
    if not source.bench or one is None or other is None or one.benched != other.benched:
        return
    if one.bench is not None and other.bench is not None and one.bench != other.bench:
        raise EngineFailure(
            f"the bench of commit {source.version} is {one.bench}, and {other.bench} {whose}: two "
            "builds of one commit must search alike (bench=off compares nothing)"
        )


def _intact(source: GitSource) -> Build | None:
    """The build in the cache, if its program is still what was built."""
    build = find_build(source)
    return build if build is not None and file_digest(build.path) == build.program else None


def _await_other(source: GitSource, name: str) -> None:
    """Another process has the lock: it builds, or it was killed and left processes that do."""
    sweep.kill_orphans()
    tell(f"{name}: another process builds commit {source.version}, waiting")


def _made(source: GitSource, name: str, folder: str | None, lock: int) -> Build:
    """A build that is made now."""
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    build = Build(source=source, state="building", started_at=started_at)
    keep(build)
    log = build.folder / LOG
    log.unlink(missing_ok=True)
    try:
        build = _finished(
            build, name, folder or folder_with(source.repository, source.commit), lock
        )
    except EngineFailure as error:
        keep(replace(build, state="failed"))
        where = f"; log: {log}" if log.exists() else ""
        raise EngineFailure(f"engine `{name}`: {error}{where}") from None
    keep(build)
    return build


def _finished(build: Build, name: str, folder: str, lock: int) -> Build:
    """A build whose command was run. Raises EngineFailure."""
    source, tree = build.source, build.folder / TREE
    begin_s = time.monotonic()
    shutil.rmtree(tree, ignore_errors=True)
    subject, date = subject_and_date(folder, source.commit)
    tell(f"building {name}: {source.build}   (commit {source.version} {shown(subject, 60)})")
    make_tree(folder, source.commit, source.diff, tree)
    own = tracked(str(tree))
    with (build.folder / LOG).open("wb") as log:
        told = _run(["sh", "-c", source.build], str(tree), source.timeout_s, log, (lock,))
    if how := told.how(source.timeout_s):
        raise EngineFailure(f"`{shown(source.build, 200)}` {how}: {told.last_lines()}")
    binary = _program_of(source, tree, own)
    path = str(tree / binary)
    return replace(
        build,
        state="built",
        seconds=round(time.monotonic() - begin_s, 3),
        binary=binary,
        program=file_digest(path),
        known=GitBuild(subject=subject, date=date, compiler=_compiler(path)),
    )


def _benched(build: Build, words: str, name: str, lock: int) -> Build:
    """A build with the number of its bench. Raises EngineFailure if the bench does not end."""
    limit_s = min(BENCH_S, build.source.timeout_s)
    argv = [build.path, *shlex.split(words)]
    told = _run(argv, str(build.folder / TREE), limit_s, None, (lock,))
    if told.code is None or told.code < 0:
        raise EngineFailure(
            f"engine `{name}`: `{shown(words)}` {told.how(limit_s)} (bench=off: without its number)"
        )
    number = bench_of(told.output) if told.code == 0 else None
    build = replace(build, known=replace(build.known, bench=number, benched=words))
    keep(build)
    return build


def _about(build: Build) -> str:
    known = build.known
    bench = "no bench" if known.bench is None else f"bench {known.bench}"
    return f"{bench}, {known.compiler}" if known.compiler else bench


def bench_of(output: bytes) -> int | None:
    """The number of nodes that a bench prints last; None if it prints none."""
    lines = (line for line in output.splitlines() if not line.lstrip().startswith(b"info"))
    found = None
    for line in lines:
        for match in _BENCH.finditer(line):
            found = int(next(filter(None, match.groups()))[:18])
    return found or None


def _compiler(path: str) -> str:
    """The compiler that a program names, as compilers note in it, or its interpreter; else
    empty."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"#!"):
        return shown(data[2:].partition(b"\n")[0].strip())
    found = (match for one in _COMPILERS if (match := one.search(data)))
    first = next(found, None)
    return "" if first is None else shown(first[0].replace(b"GCC: ", b"GCC "))


def _program_of(source: GitSource, tree: Path, own: set[str]) -> str:
    """The path in the work tree of the program that was built. ``own``: files of the commit. Raises
    EngineFailure that says what is there."""
    if source.binary:
        path = tree / source.binary
        if path.is_file() and os.access(path, os.X_OK):
            return source.binary
        seen = _listed(_programs(tree)) or "none"
        what = "is not executable" if path.is_file() else "is not there"
        raise EngineFailure(
            f"`{shown(source.binary)}` {what} after `{shown(source.build)}` (programs: {seen})"
        )
    programs = list(_programs(tree))
    made = [path for path in programs if path not in own]
    named = [path for path in made if os.path.basename(path) == EXE]
    found = named or made
    if len(found) == 1:
        return found[0]
    if found:
        raise EngineFailure(
            f"`{shown(source.build)}` made several programs ({_listed(found)}): give binary=PATH"
        )
    seen = f" (there are: {_listed(programs)})" if programs else ""
    raise EngineFailure(f"`{shown(source.build)}` made no program{seen}: give build= and binary=")


def _programs(tree: Path) -> Iterator[str]:
    """The paths of programs in a work tree, without libraries and what only a build needs."""
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name not in _BYPRODUCTS)
        for name in sorted(names):
            path = join(folder, name)
            if not name.endswith(_NO_PROGRAMS) and _is_program(path):
                yield os.path.relpath(path, tree)


def _is_program(path: str) -> bool:
    with suppress(OSError):
        if os.access(path, os.X_OK) and os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as file:
                return file.read(4).startswith(_MAGIC)
    return False


def _listed(paths: Iterable[str]) -> str:
    some = list(paths)
    more = f" and {len(some) - _LISTED} more" if len(some) > _LISTED else ""
    return ", ".join(map(shown, some[:_LISTED])) + more


class _Told:
    """How a command ended, and the end of what it printed."""

    def __init__(self, code: int | None, output: bytes) -> None:
        self.code = code
        """None if it was killed because its time was over."""
        self.output = output

    def how(self, limit_s: float) -> str:
        """How it failed; empty if it did not."""
        if self.code is None:
            return f"did not end within {limit_s} s"
        if self.code < 0:
            return f"was killed by signal {-self.code}"
        return f"failed (exit code {self.code})" if self.code else ""

    def last_lines(self) -> str:
        """The last lines that are not empty, as one."""
        lines = [line.strip() for line in self.output.splitlines()]
        last = deque(filter(None, lines), _LAST_LINES)
        return " | ".join(shown(line, 200) for line in last) or "it printed nothing"


def _run(
    argv: list[str], folder: str, limit_s: float, log: IO[bytes] | None, kept: tuple[int, ...]
) -> _Told:
    """Run a command without input, to its end or for so long; then all that it started is killed.
    ``kept``: descriptors that it inherits. Raises EngineFailure if it cannot be started."""
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    mark = sweep.new_mark()
    if mark is not None:
        environment[sweep.OWNER] = mark
    try:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=kept,
            preexec_fn=child_setup(os.getpid(), None),
        )
    except (OSError, subprocess.SubprocessError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise EngineFailure(f"`{shown(argv[0])}` does not start: {why}") from None
    assert process.stdout is not None
    with process.stdout as pipe:
        try:
            output, ended = _read(process, pipe.fileno(), limit_s, log)
        finally:
            end_group(process.pid, mark)
            code = process.wait()
    return _Told(code if ended else None, bytes(output))


def _read(
    process: subprocess.Popen[bytes], pipe: int, limit_s: float, log: IO[bytes] | None
) -> tuple[bytearray, bool]:
    """The end of what a command prints until it ends, and whether it did so in time."""
    os.set_blocking(pipe, False)
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    deadline, output, written = time.monotonic() + limit_s, bytearray(), 0
    while True:
        ended = process.poll() is not None
        is_open = True
        while True:  # what has come
            try:
                chunk = os.read(pipe, _KEPT)
            except BlockingIOError:
                break
            is_open = bool(chunk)
            output += chunk
            del output[:-_KEPT]
            if log is not None and written < _MOST_LOG:
                written += log.write(chunk)
                log.flush()
            if not chunk or time.monotonic() > deadline:
                break
        if ended or time.monotonic() > deadline:
            return output, ended
        if is_open:
            waiting.poll(_LOOK_MS)
        else:
            time.sleep(_LOOK_MS / 1000)


def check_binary(path: str) -> str:
    """The path of a program in a repository, in its shortest form. Raises VariantError for one that
    leaves the repository."""
    normal = os.path.normpath(path) if path else ""
    if os.path.isabs(normal) or normal.split(os.sep)[0] in ("..", "."):
        raise VariantError(f"binary={shown(path)}: give the path of a file in the repository")
    return normal
