"""How stored limits are compared, spelled and sorted."""

from __future__ import annotations

from collections.abc import Callable

from db.limits import UNKNOWN_LIMIT, limit_key
from engines.spec import Limit
from toolkit.referee.clock import parse_clock
from toolkit.selection.events import asked_fields
from toolkit.selection.limits import (
    limit_of_key,
    order_of_limit,
    spell_asked,
    spell_limit,
    spell_limit_key,
)

Failing = Callable[..., list[str]]


def test_limits_are_spelled_as_options(failing: Failing) -> None:
    """As events keep them: the present version of the time manager is not said, others are."""

    def check(limit: Limit, text: str) -> None:
        data = limit.to_json()
        assert spell_limit(data) == text
        assert spell_limit_key(limit_key(data)) == text

    assert not failing(
        check,
        [
            (Limit(nodes=2000), "nodes=2000"),
            (Limit(depth=6), "depth=6"),
            (Limit(movetime_ms=50), "movetime=50"),
            (Limit(cpu_ms=50, nodes=9), "cpu-ms=50,nodes=9"),
            (parse_clock("10+0.1"), "tc=10+0.1"),
            (Limit(base_ms=90_000), "tc=90+0"),
            (Limit(movetime_ms=50, time_manager=1), "movetime=50,time_manager=1"),
            (Limit(base_ms=9_000, nodes=5, time_manager=9), "tc=9+0,nodes=5,time_manager=9"),
        ],
    )


def test_fields_of_later_versions_are_spelled() -> None:
    assert spell_limit({"movetime_ms": 50, "time_manager": 2}) != spell_limit({"movetime_ms": 50})
    assert spell_limit({}) == spell_limit({"nodes": None, "inc_ms": 0}) == "unknown"


def test_requested_limit_matches_every_time_manager() -> None:
    stored = Limit(movetime_ms=50, nodes=9).to_json()
    asked = asked_fields(stored)
    assert asked == {"movetime_ms": 50, "nodes": 9}
    assert spell_asked(asked) == spell_limit(stored) == "movetime=50,nodes=9"
    assert spell_limit(asked) == "movetime=50,nodes=9,time_manager=1"


def test_keys_are_equal_as_data() -> None:
    """Null, 0 and absent are the same, and so is another order."""
    full = Limit(nodes=5).to_json()
    assert limit_key(full) == limit_key({"nodes": 5}) == limit_key({"inc_ms": 0, "nodes": 5})
    assert limit_key({"a": 1, "b": 2}) == limit_key({"b": 2, "a": 1})
    assert limit_key({"nodes": 5}) != limit_key({"nodes": 5, "depth": 5})
    assert limit_key({}) == limit_key(Limit().to_json()) == UNKNOWN_LIMIT
    assert limit_of_key(limit_key(full)) == {"nodes": 5}


def test_limits_are_listed_from_low_to_high() -> None:
    limits = [{"nodes": 2000}, {"depth": 4}, {}, {"nodes": 60}, {"x": {"y": 1}}]
    order = sorted(map(limit_key, limits), key=order_of_limit)
    assert [limit_of_key(key) for key in order] == [limits[i] for i in (1, 3, 0, 4, 2)]
