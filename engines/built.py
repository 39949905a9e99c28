"""The native core, if it was built: the only module that imports ``engines._core``.

It is used if it is there. ``MTDF_BACKEND=reference`` forces the reference, and
``MTDF_BACKEND=native`` makes a missing core an error.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from engines.errors import EngineFailure

if TYPE_CHECKING:
    from engines._core import ChessRules as ChessRules


@cache
def load() -> tuple[ModuleType | None, str | None]:
    """The native core, or the reason why it is missing. Raises EngineFailure for a value of
    ``MTDF_BACKEND`` that is unknown, or asks for a core that is missing."""
    wanted = os.environ.get("MTDF_BACKEND", "")
    if wanted not in ("", "native", "reference"):
        raise EngineFailure(f"MTDF_BACKEND is `{wanted}`; it must be native or reference")
    if wanted == "reference":
        return None, "MTDF_BACKEND=reference selects the reference"
    try:
        return importlib.import_module("engines._core"), None
    except ImportError as error:
        reason = (
            f"the native core was not built ({error}); with cargo on the PATH, "
            "`pip install --force-reinstall .` builds it"
        )
    if wanted == "native":
        raise EngineFailure(f"MTDF_BACKEND=native, but {reason}")
    return None, reason
