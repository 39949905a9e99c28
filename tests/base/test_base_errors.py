"""Every error has its documented exit code."""

from __future__ import annotations

import pytest

from db.errors import DatabaseError, DatabaseLocked, DatabaseNewer
from engines.errors import EngineFailure, PositionError, VariantError
from toolkit.base.errors import (
    DatabaseProblem,
    EngineProblem,
    ExitCode,
    MtdfError,
    NothingMatched,
    OperationFailed,
    UsageError,
    exit_code_of,
)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (UsageError, 2),
        (OperationFailed, 1),
        (DatabaseProblem, 3),
        (EngineProblem, 4),
        (NothingMatched, 5),
        (VariantError, 2),
        (PositionError, 2),
        (EngineFailure, 4),
        (DatabaseError, 3),
        (DatabaseNewer, 3),
        (DatabaseLocked, 3),
        (KeyboardInterrupt, 130),
        (ZeroDivisionError, 1),
    ],
)
def test_every_error_has_its_exit_code(kind: type[BaseException], code: int) -> None:
    assert exit_code_of(kind("text")) == code


def test_codes_are_those_of_the_manual() -> None:
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 4, 5, 10, 11, 130, 143]


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (UsageError, ValueError),
        (OperationFailed, RuntimeError),
        (DatabaseProblem, RuntimeError),
        (EngineProblem, RuntimeError),
        (NothingMatched, LookupError),
    ],
)
def test_every_error_is_a_builtin_one_too(kind: type[MtdfError], builtin: type[Exception]) -> None:
    assert issubclass(kind, builtin)
    assert issubclass(kind, MtdfError)
