"""Things of the user's own modules: a simulated objective, a sampler of Optuna's kind."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, BinaryIO, TextIO

from toolkit.base.errors import UsageError
from toolkit.base.printable import in_one_line


def imported(what: str, module: str, name: str) -> Any:
    """What ``module``, found on ``PYTHONPATH``, calls ``name``; None if it has no such thing.

    ``what`` begins the message. Raises UsageError for a module that cannot be imported.
    """
    # A module name with a leading dot would need a package, and there is none here.
    if not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"{what}: `{module}` is not the name of a module")
    try:
        with printing_to_stderr():
            return getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise UsageError(
            f"{what}: cannot import {module} ({in_one_line(error)}); is its folder on PYTHONPATH?"
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too: the user's module does not end the program
        raise UsageError(f"{what}: importing {module} failed: {in_one_line(error)}") from error


@contextmanager
def printing_to_stderr() -> Iterator[None]:
    """A context for running user code. Anything that it or its child processes print on standard
    output goes to standard error, because standard output is reserved for results such as
    ``--json``. Both streams are restored at the end, even if the code closed or replaced them."""
    with suppress(ValueError, AttributeError):  # closed, or none
        sys.stdout.flush()
    kept = _duplicates((1, 2))
    try:
        if 2 in kept:
            os.dup2(2, 1)
        with redirect_stdout(_Through(sys.stderr)), redirect_stderr(_Through(sys.stderr)):
            yield
    finally:
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)


def _duplicates(numbers: tuple[int, ...]) -> dict[int, int]:
    """Copies of those file descriptors that are open."""
    found = {}
    for number in numbers:
        with suppress(OSError):
            found[number] = os.dup(number)
    return found


class _Through(io.TextIOBase):
    """A stream that writes to another one, which stays open when this one is closed."""

    def __init__(self, target: TextIO) -> None:
        self._target = target

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return self._target.write(text)

    def flush(self) -> None:
        if not self._target.closed:
            self._target.flush()

    def fileno(self) -> int:
        return self._target.fileno()

    def isatty(self) -> bool:
        return self._target.isatty()

    @property
    def buffer(self) -> BinaryIO:
        """For code that writes bytes."""
        return self._target.buffer
