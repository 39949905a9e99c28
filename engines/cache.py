"""The folder of files that can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """This program's folder in the user's cache directory (XDG Base Directory Specification). It
    may not exist."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(given) if os.path.isabs(given) else Path.home() / ".cache"
    return folder / "mtdf"
