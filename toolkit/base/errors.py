"""Errors of the toolkit and the exit codes that commands give for them.

The text of every error is one line that a user can act on.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """The exit codes of commands."""

    DONE = 0
    """Also for a test that rejects its hypothesis: a verdict is a result."""
    FAILED = 1
    """The operation failed."""
    USAGE = 2
    """Wrong options, settings, books or variants to be played; names that may mean several."""
    DATABASE = 3
    """Missing, of a newer schema, corrupt, read-only, or locked."""
    ENGINE = 4
    """An engine would not start, crashed, moved illegally or is not the one it was; with
    ``--strict`` also one that did anything wrong in a game."""
    NOTHING_MATCHED = 5
    """No such game, or none that matches; also a name of an engine, event or game to look up that
    the database does not have."""
    H0 = 10
    """Only with ``--exit-verdict``."""
    INCONCLUSIVE = 11
    """Only with ``--exit-verdict``."""
    INTERRUPTED = 130
    """Ctrl-C, after a clean save."""
    TERMINATED = 143
    """SIGTERM, after a clean save."""


class MtdfError(Exception):
    """Root of all errors of this package."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED


class UsageError(MtdfError, ValueError):
    """Settings, options or files given by the user are wrong; nothing was started."""

    exit_code = ExitCode.USAGE


class OperationFailed(MtdfError, RuntimeError):
    """A valid request that could not be carried out."""

    exit_code = ExitCode.FAILED


class DatabaseProblem(MtdfError, RuntimeError):
    """The database does not support the request."""

    exit_code = ExitCode.DATABASE


class EngineProblem(MtdfError, RuntimeError):
    """An engine failed, or is not the one that a running event started with."""

    exit_code = ExitCode.ENGINE


class ExecutorLost(MtdfError, RuntimeError):
    """What does the tasks of a run is gone; results that came are stored."""

    exit_code = ExitCode.FAILED


class NothingMatched(MtdfError, LookupError):
    """A valid query with an empty result, or one that names something not in the database."""

    exit_code = ExitCode.NOTHING_MATCHED


def exit_code_of(error: BaseException) -> ExitCode:
    """The exit code for an error of any layer; ``FAILED`` for an unexpected one."""
    from db.errors import DatabaseError
    from engines.errors import EngineFailure, LimitError, PositionError, VariantError

    if isinstance(error, MtdfError):
        return error.exit_code
    if isinstance(error, (VariantError, LimitError, PositionError)):
        return ExitCode.USAGE
    if isinstance(error, EngineFailure):
        return ExitCode.ENGINE
    if isinstance(error, DatabaseError):
        return ExitCode.DATABASE
    return ExitCode.INTERRUPTED if isinstance(error, KeyboardInterrupt) else ExitCode.FAILED
