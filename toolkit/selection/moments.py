"""Dates and moments as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from toolkit.base.errors import UsageError

_AGO = re.compile(r"([0-9]{1,6})([hdw])")
_UNITS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


def parse_moment(text: str, *, now: datetime | None = None) -> str:
    """ISO 8601 text in UTC of a date, a moment, or a time before now. Raises UsageError."""
    try:
        moment = _moment(text.strip(), now or datetime.now(UTC))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        utc = moment.astimezone(UTC)
    except ValueError:
        raise UsageError(
            f"`{text}` is not a date: expected 2026-11-01, 2026-11-01T12:00:00Z, or 30d, 12h, 2w "
            "before now"
        ) from None
    except OverflowError:
        raise UsageError(f"`{text}` is not within the years 1 to 9999") from None
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_ago(text: str) -> bool:
    """Whether a text is a time before now, so that its moment moves on."""
    return _AGO.fullmatch(text.strip()) is not None


def _moment(text: str, now: datetime) -> datetime:
    ago = _AGO.fullmatch(text)
    if ago is None:
        return datetime.fromisoformat(text)
    return now - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
