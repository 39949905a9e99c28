"""Vega-Embed and all that it needs as one script, which pages contain: no network is used.

Building it takes seconds, so it is kept in the user's cache, a file for each version.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from engines.cache import user_cache
from toolkit.base.files import write_whole

_FORM = 1
"""Of what is done to the script after it was built: another form has another file."""
_ENTRY = "window.vegaEmbed = vegaEmbed; window.vegaInterpreter = true;"


def vega_script() -> str:
    """The script, which defines ``window.vegaEmbed``. It has no ``</script``, so that it can stand
    in a page."""
    place = _cache()
    kept = _kept(place)
    if kept is not None:
        return kept
    import vl_convert

    script: str = vl_convert.javascript_bundle(_ENTRY).replace("</script", "<\\/script")
    # Without a cache it is built again each time, which is slow and nothing else.
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, f"// {_digest(script)}\n{script}")
    return script


def _kept(place: Path) -> str | None:
    """The script in the cache; None if there is none, or it is not what was written there."""
    try:
        head, _, script = place.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return script if head == f"// {_digest(script)}" else None


def _cache() -> Path:
    """Where the script is kept: a file for each version of the library and each way of ours to use
    it."""
    ours = _digest(f"{_ENTRY} {_FORM}")[:8]
    return user_cache() / f"vega-embed-{version('vl-convert-python')}-{ours}.js"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
