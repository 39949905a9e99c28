"""When a game was played, from the tags of the programs."""

from __future__ import annotations

import functools
import re
from datetime import UTC, datetime, timedelta, timezone

_DATE = re.compile(r"(\d{4})[.-](\d\d)[.-](\d\d)")
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)")
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(?:([+-])(\d\d):?(\d\d)|UTC|Z)?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def game_moments(tags: dict[str, str]) -> tuple[int | None, int | None]:
    """Start and end in milliseconds since 1970; None if unknown. A date without a time of day means
    its first moment; a time without a zone is read as UTC."""
    get = tags.get
    started = _moment(get("GameStartTime", ""))
    if started is None:
        started = _day(get("UTCDate") or get("Date", ""), get("UTCTime") or get("Time", ""))
    ended = _moment(get("GameEndTime", ""))
    if ended is None and started is not None and "GameDuration" in tags:
        length = _seconds(tags["GameDuration"])
        ended = None if length is None else started + 1000 * length
    return started, ended


@functools.lru_cache(4096)
def _day(date: str, time: str) -> int | None:
    match = _DATE.fullmatch(date)
    if match is None:
        return None
    try:
        day = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    except ValueError:
        return None
    return (day - _EPOCH) // timedelta(milliseconds=1) + 1000 * (_seconds(time) or 0)


def _moment(text: str) -> int | None:
    match = _MOMENT.fullmatch(text) if text else None
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{match[1]}T{match[2]}")
        zone = timedelta(hours=int(match[4] or 0), minutes=int(match[5] or 0))
        moment = moment.replace(tzinfo=timezone(-zone if match[3] == "-" else zone))
    except ValueError:
        return None
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _seconds(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    return match and int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
