"""Things of the user's own modules: a simulated objective, a sampler of Optuna's kind."""

from __future__ import annotations

import importlib
from typing import Any

from toolkit.errors import UsageError


def imported(what: str, module: str, name: str) -> Any:
    """What ``module``, found on ``PYTHONPATH``, calls ``name``; None where it has no such thing.

    ``what`` begins the message. Raises UsageError for a module that cannot be imported.
    """
    # Importing a module with a dot in front asks for a package that there is none of here.
    if not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"{what}: `{module}` is not the name of a module")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"{what}: cannot import {module} ({error}); is its folder on PYTHONPATH?"
        ) from error
    except Exception as error:  # whatever a module of the user's raises is told in one line
        text = " ".join(str(error).split())
        raise UsageError(
            f"{what}: importing {module} failed: {type(error).__name__}: {text}"
        ) from (error)
    return getattr(found, name, None)
