"""Moments: UTC text with milliseconds outside, whole milliseconds since 1970 inside."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from db.errors import DatabaseCorrupt, RecordError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def utc_now() -> str:
    """This moment as ``2026-11-21T10:02:30.123Z``."""
    return text_of((datetime.now(UTC) - _EPOCH) // _MILLISECOND)


def text_of(milliseconds: int) -> str:
    """ISO 8601 text, UTC, three decimals. Raises DatabaseCorrupt for an invalid moment."""
    try:
        moment = _EPOCH + milliseconds * _MILLISECOND
    except (TypeError, OverflowError):
        raise DatabaseCorrupt(
            f"the database is damaged (`{milliseconds!r}` is not a time)"
        ) from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds_of(text: str) -> int:
    """Milliseconds since 1970; finer digits are cut off. Raises RecordError for text that is no
    ISO 8601 moment with a time zone."""
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
    except (TypeError, ValueError):
        raise RecordError(f"`{text}` is not a moment such as 2026-11-21T10:02:30.123Z") from None


def optional_text_of(milliseconds: int | None) -> str | None:
    """Like :func:`text_of`; None stays None."""
    return None if milliseconds is None else text_of(milliseconds)


def optional_milliseconds_of(text: str | None) -> int | None:
    """Like :func:`milliseconds_of`; None stays None."""
    return None if text is None else milliseconds_of(text)


def with_texts(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a row by name, moments (``started_ms``) as text (``started_at``)."""
    fields = dict(columns)
    for name in columns:
        if name.endswith("_ms"):
            fields[f"{name.removesuffix('_ms')}_at"] = optional_text_of(fields.pop(name))
    return fields
