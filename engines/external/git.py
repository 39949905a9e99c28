"""Repositories of engines, by the program ``git``: which commit a text means, a work tree of it,
and a bundle that has the commit alone.

Nothing here changes a repository of the user. A repository with a URL has a mirror in the cache,
which is fetched whenever a branch or tag is named.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from engines.cache import user_cache
from engines.errors import EngineFailure, VariantError
from engines.external.locks import locked
from engines.external.text import shown
from engines.notices import tell
from engines.suggestion import did_you_mean

WORK_TREE = "."
"""The reference that means the work tree with what is not committed."""
MOST_DIFF = 4 << 20
"""Bytes of changes that are not committed."""

_PATIENCE_S = 1800.0
"""The longest time for what needs a network."""
_HASH = re.compile(r"[0-9a-f]{12,}")
"""A commit that never means another one, so that it need not be fetched again."""
_URL = re.compile(r"[A-Za-z][\w+.-]*://|[\w.-]+@[\w.-]+:")
_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Variables that a hook of git has, and that mean another repository."""
_STEADY = (
    *("--binary", "--full-index", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=myers", "-U3"),
)
"""The same changes are the same text, whatever the user's settings say."""
_NAMED = 3
_BRANCH = "refs/heads/build"


class _NoGit(EngineFailure):
    """There is no program git."""


class Commit(Struct, frozen=True):
    """A commit as it was asked for."""

    repository: str
    """Absolute path or URL."""
    name: str
    """Of the branch, tag or commit."""
    hash: str
    diff: bytes = b""
    """Changes of the work tree that are not committed."""


def find_commit(repository: str, reference: str) -> Commit:
    """The commit that a reference means now. Raises VariantError for a repository or reference that
    does not exist, EngineFailure where git does not work."""
    if is_url(repository):
        folder = _folder(repository)
        if not (_HASH.fullmatch(reference) and _has(folder, reference)):
            _mirror(repository)
    else:
        folder = repository = _root(repository)
    if reference != WORK_TREE:
        return Commit(repository, reference, _hash(folder, repository, reference))
    if is_url(repository) or _git("rev-parse", "--is-inside-work-tree", at=folder) != b"true\n":
        raise VariantError(f"`{shown(repository)}` has no work tree: give a branch, tag or commit")
    commit = _hash(folder, repository, "HEAD")
    diff = _git("diff", *_STEADY, "HEAD", "--", at=folder)
    if len(diff) > MOST_DIFF:
        raise VariantError(
            f"`{shown(repository)}`: the changes that are not committed have {len(diff)} bytes, "
            f"{MOST_DIFF} are the most: commit them"
        )
    _tell_of_untracked(folder)
    branch = _git("rev-parse", "--abbrev-ref", "HEAD", at=folder).decode(errors="replace").strip()
    return Commit(repository, commit[:8] if branch == "HEAD" else branch, commit, diff)


def is_url(repository: str) -> bool:
    """Whether a repository is on another machine, or named as if it were."""
    return _URL.match(repository) is not None


def content(commit: Commit, path: str) -> bytes:
    """A file as it is to be built; empty if there is none."""
    if commit.diff:
        try:
            return Path(commit.repository, path).read_bytes()
        except OSError:
            return b""
    folder = _folder(commit.repository)
    try:
        return _git("cat-file", "blob", f"{commit.hash}:{path}", at=folder)
    except EngineFailure:
        return b""


def subject_and_date(folder: str, commit: str) -> tuple[str, str]:
    """The first line of a commit's message, and when it was committed."""
    said = _git("show", "-s", "--no-show-signature", "--format=%s%n%cI", commit, "--", at=folder)
    subject, _, date = said.decode(errors="replace").rstrip("\n").rpartition("\n")
    return subject, date


def make_tree(folder: str, commit: str, diff: bytes, tree: Path) -> None:
    """A work tree of a commit in a new folder, with these changes. Raises EngineFailure."""
    _git("clone", "-q", "--shared", "--no-checkout", "--", folder, str(tree))
    _git("checkout", "-q", "--detach", commit, at=str(tree))
    if (tree / ".gitmodules").exists():
        _git("submodule", "--quiet", "update", "--init", "--recursive", at=str(tree))
    if diff:
        _git("apply", "--binary", "--whitespace=nowarn", "-", at=str(tree), given=diff)


def tracked(tree: str) -> set[str]:
    """The paths of a work tree that belong to its commit."""
    return set(_git("ls-files", "-z", at=tree).decode(errors="surrogateescape").split("\0"))


def folder_with(repository: str, commit: str) -> str:
    """A folder of git that has a commit of this repository, which is fetched if it must be. Raises
    EngineFailure."""
    folder = _folder(repository)
    if not is_url(repository) and not os.path.isdir(folder):
        raise EngineFailure(f"no repository at `{shown(repository)}` any more")
    if not _has(folder, commit) and is_url(repository):
        _mirror(repository)
    if not _has(folder, commit):
        raise EngineFailure(f"`{shown(repository)}` has no commit {commit[:12]} any more")
    return folder


def bundle_of(repository: str, commit: str) -> bytes:
    """A bundle (git-bundle(1)) of one commit without those before it. Raises EngineFailure."""
    folder = folder_with(repository, commit)
    with tempfile.TemporaryDirectory() as alone:
        _git("init", "-q", "--bare", alone)
        _git("fetch", "-q", "--depth=1", folder, f"{commit}:{_BRANCH}", at=alone)
        return _git("bundle", "create", "-q", "-", _BRANCH, at=alone)


@contextmanager
def unbundled(bundle: bytes, commit: str) -> Iterator[str]:
    """A folder of git that has the commit of a bundle, and is gone afterwards. Raises
    EngineFailure."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bundle")
        file.write_bytes(bundle)
        _git("init", "-q", "--bare", folder)
        # It says that the commits before this one are missing on purpose.
        Path(folder, "shallow").write_text(f"{commit}\n", encoding="ascii")
        _git("fetch", "-q", str(file), f"{_BRANCH}:{_BRANCH}", at=folder)
        yield folder


def _root(path: str) -> str:
    """The root of the work tree that a path lies in, or a repository without one. Raises
    VariantError."""
    if not os.path.isdir(path):
        raise VariantError(f"no repository at `{shown(path)}`: there is no such folder")
    try:
        bare, _, folder = _git(
            "rev-parse", "--is-bare-repository", "--absolute-git-dir", at=path
        ).partition(b"\n")
        if bare != b"true":
            folder = _git("rev-parse", "--show-toplevel", at=path)
    except _NoGit:
        raise
    except EngineFailure as error:
        raise VariantError(f"no repository at `{shown(path)}`: {error}") from None
    return os.fsdecode(folder.rstrip(b"\n"))


def _hash(folder: str, repository: str, reference: str) -> str:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    try:
        return _git(*words, at=folder).decode().strip()
    except EngineFailure:
        pass
    names = _git("for-each-ref", "--format=%(refname:short)", at=folder).decode(errors="replace")
    if not names:
        raise VariantError(f"`{shown(repository)}` has no commit yet")
    hint = did_you_mean(reference, names.splitlines())
    raise VariantError(
        f"`{shown(repository)}` has no branch, tag or commit `{shown(reference)}`{hint}"
    )


def _tell_of_untracked(folder: str) -> None:
    listed = _git("ls-files", "-z", "--others", "--exclude-standard", at=folder)
    names = [shown(name) for name in listed.split(b"\0") if name]
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        tell(
            f"files that git does not know are left out: {', '.join(names[:_NAMED])}{more} "
            "(git add -N FILE includes one)"
        )


def _folder(repository: str) -> str:
    """Where git finds a repository: its path, or the mirror of its URL."""
    if not is_url(repository):
        return repository
    name = hashlib.sha256(repository.encode()).hexdigest()[:16]
    return str(user_cache() / "repositories" / f"{name}.git")


def _mirror(url: str) -> None:
    """Make the mirror of a URL what the URL is now. Raises EngineFailure."""
    folder = _folder(url)
    os.makedirs(folder, exist_ok=True)
    with locked(Path(folder, "mtdf.lock")):
        _git("init", "-q", "--bare", folder)
        tell(f"fetching {shown(url)}")
        _git("fetch", "-q", "--prune", "--force", "--", url, "+refs/*:refs/*", at=folder)


def _has(folder: str, commit: str) -> bool:
    try:
        _git("cat-file", "-e", f"{commit}^{{commit}}", at=folder)
    except EngineFailure:
        return False
    return True


def _git(*words: str, at: str | None = None, given: bytes | None = None) -> bytes:
    """What git prints. Raises EngineFailure with its last word."""
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    environment.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    settings = ("-c", "core.hooksPath=/dev/null", "-c", "protocol.version=2")
    try:
        done = subprocess.run(
            ["git", *settings, *(("-C", at) if at is not None else ()), *words],
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            env=environment,
            timeout=_PATIENCE_S,
        )
    except FileNotFoundError:
        raise _NoGit("engines `git:...` need the program git: install it") from None
    except subprocess.TimeoutExpired:
        raise EngineFailure(f"git {words[0]} did not end within {_PATIENCE_S:g} s") from None
    if done.returncode != 0:
        told = done.stderr.strip().splitlines() or [b"it failed"]
        why = next((line for line in told if line.startswith((b"fatal:", b"error:"))), told[-1])
        raise EngineFailure(f"git {words[0]}: {shown(why.partition(b': ')[2] or why, 300)}")
    return done.stdout
