"""How a rating went through the stored lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from db.records import HistoryRow
from toolkit.errors import NothingMatched
from toolkit.queries import find_event, resolve_engine
from toolkit.report_rows import HistoryLine

if TYPE_CHECKING:
    from db.session import Database

_BARS = "▁▂▃▄▅▆▇█"


def rating_history(
    db: Database, engine: str, *, event: str | None = None, whole: bool = False
) -> list[HistoryLine]:
    """The engine's place in each stored list, the oldest first.

    ``event``: only lists of that event. ``whole``: only lists of all games. Raises UsageError for
    a name of several engines, NothingMatched when it is in no such list.
    """
    key = None if event is None else find_event(db, event).key
    rows = [
        _line(row)
        for row in db.repository.rating_history(resolve_engine(db, engine))
        if (key is None or row.settings.get("event") == key)
        and not (whole and _is_part(row.settings))
    ]
    if not rows:
        raise NothingMatched(f"`{engine}` is in no such rating list (mtdf ratings makes one)")
    return rows


def sparkline(values: Sequence[float]) -> str:
    """A bar a value, the lowest as low as the highest is high."""
    low, high = min(values), max(values)
    steps = len(_BARS) - 1
    if high - low < 1e-9:
        return _BARS[steps // 2] * len(values)
    return "".join(_BARS[round(steps * (value - low) / (high - low))] for value in values)


def lines_by_engine(rows: Sequence[HistoryLine]) -> dict[str, list[float]]:
    """The ratings of each engine that the rows are of, by its last label: one label may mean
    several engines, and different cores of one are players of their own."""
    labels: dict[tuple[str, str], str] = {}
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        key = (row["engine_id"], row["engine"].partition(" @")[2])
        labels[key] = row["engine"]
        values.setdefault(key, []).append(row["elo"])
    several = Counter(labels.values())
    return {
        label if several[label] == 1 else f"{label} [{key[0][:6]}]": values[key]
        for key, label in labels.items()
    }


def _is_part(settings: Any) -> bool:
    """Whether a list is only of some games."""
    names = ("event", "events", "engines", "limit", "since", "until", "min_games")
    return any(settings.get(name) for name in names)


def _pool(row: HistoryRow) -> tuple[int, int, int]:
    """Pool of the line, its place there, and the length of the pool. Lists stored before pools were
    noted are taken as one."""
    before = 0
    for number, size in enumerate(row.settings.get("pools", ())):
        if row.rank <= before + size:
            return number, row.rank - before, size
        before += size
    return 0, row.rank, row.players


def _line(row: HistoryRow) -> HistoryLine:
    pool, rank, players = _pool(row)
    return HistoryLine(
        list=row.list_id,
        created_at=row.created_at,
        engine=row.row.label,
        elo=row.row.elo,
        error95=row.row.error95,
        error_model=row.error_model,
        games=row.row.games,
        score=row.row.score,
        rank=rank,
        players=players,
        settings=dict(row.settings),
        engine_id=row.row.variant_id,
        pool=pool,
    )
