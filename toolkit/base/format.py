"""Numbers, intervals, counts and durations as tables and lines show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engines.spec import MATE, MATE_BOUND

_SYMMETRICAL = 0.05
"""Share of the half width by which an end of an interval may lie off for it to be called so."""


def format_number(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """A number for a table; ``--`` if there is none."""
    if value is None or not math.isfinite(value):
        return "--"
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def format_interval(
    value: float, error: float, low: float | None, high: float | None, digits: int = 1
) -> str:
    """The 95 % interval of a value: ``± error``, half its width, if it is symmetrical to within 5 %
    of that, else both ends. An open end is printed as ``open``; if both are open, the error shows
    that nothing is known."""
    ends = ((low, value - error), (high, value + error))
    lopsided = any(end is None or abs(end - told) > _SYMMETRICAL * error for end, told in ends)
    if not lopsided or (low is None and high is None):
        return f"± {format_number(error, digits)}"
    return format_ends(low, high, digits)


def format_ends(low: float | None, high: float | None, digits: int = 1) -> str:
    """The ends of an interval; ``open`` where the results set none."""
    low_text, high_text = (
        "open" if end is None else format_number(end, digits, signed=True) for end in (low, high)
    )
    return f"[{low_text}, {high_text}]"


def format_pairs(pentanomial: Sequence[int]) -> str:
    """Pairs by points, or that there are none."""
    return f"Ptnml {list(pentanomial)}" if any(pentanomial) else "no pairs"


def format_los(share: float | None) -> str:
    """A likelihood of superiority, in percent; it is never certain, so no rounding makes it so."""
    if share is None:
        return "--"
    if not 0.00005 <= share <= 0.99995:
        return "<0.01 %" if share < 0.5 else ">99.99 %"
    return f"{100 * share:.2f} %"


def event_text(key: str, name: str) -> str:
    """An event as lines name it: ``r3f9 "nightly"``."""
    return f'{key} "{name}"' if name else key


def format_core(core: str) -> str:
    """``backend:signature`` with the first digits of the signature."""
    backend, _, signature = core.partition(":")
    return f"{backend}:{signature[:8]}"


def format_count(value: int | None) -> str:
    """A whole number in groups of three, such as ``41 288``; ``--`` if there is none."""
    return "--" if value is None else f"{value:,}".replace(",", " ")


def format_share(share: float | None, digits: int = 1) -> str:
    """A share in percent; ``--`` if there is none."""
    return "--" if share is None else f"{100 * share:.{digits}f} %"


def format_duration(seconds: float | None) -> str:
    """A duration with two figures: ``0.4s``, ``37s``, ``1m12s``, ``1h07m``, ``3d04h``; ``?`` if
    unknown. Tables, plain lines and live tables all use this format."""
    if seconds is None or not math.isfinite(seconds):
        return "?"
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f}s" if seconds >= 0.05 else "0s"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d{hour:02}h"
    if hours:
        return f"{hours}h{minute:02}m"
    return f"{minutes}m{second:02}s" if minutes else f"{second}s"


def format_moment(moment: str | None) -> str:
    """A stored moment (UTC, ISO 8601) to the minute, as in ``2026-11-22 20:04``; ``--`` if there is
    none."""
    return "--" if moment is None else moment[:16].replace("T", " ")


def count_of(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, which gets an ``s`` unless another ``plural`` is given:
    ``1 pairing``, ``0 jobs``, ``41 288 entries``."""
    return f"{format_count(number)} {noun if number == 1 else plural or noun + 's'}"


def jobs_text(jobs: int, threads: int = 1) -> str:
    """A number of jobs, with the threads of each: ``2 jobs``, ``1 job with 4 threads``, ``2 jobs
    with 4 threads each``."""
    each = f" with {threads} threads{' each' if jobs > 1 else ''}" if threads > 1 else ""
    return count_of(jobs, "job") + each


def and_list(words: Sequence[str]) -> str:
    """Words in a row: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def format_value(value: int | None) -> str:
    """A search value in centipawns for a table; mates in moves."""
    if value is None:
        return "--"
    if abs(value) > MATE_BOUND:
        return f"#{'-' if value < 0 else ''}{(MATE - abs(value) + 1) // 2}"
    return format_centipawns(value)


def format_centipawns(value: int) -> str:
    """A search value in centipawns, including mates. It is used for ends of windows, which would
    look alike in moves and may be beyond the value of any mate."""
    return f"{value:+d}" if value else "0"


def format_value_and_mate(value: int) -> str:
    """A search value in centipawns; a mate in moves, and in centipawns as windows have it."""
    told = format_value(value)
    return f"{told} ({value:+d})" if told.startswith("#") else told


def format_setting(value: Any) -> str:
    """A parameter's value for a table; ``--`` if there is none."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "--" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
