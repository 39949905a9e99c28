"""What it costs to survive a power failure: commits that are flushed to the disk.

    python benchmarks/durability.py
    python benchmarks/durability.py --quick --json --folder /mnt/disk

SQLite's ``synchronous`` is FULL here; with NORMAL a commit does not wait for the disk, and a power
failure loses what was committed last. Both are measured in turn in one run: milliseconds a commit
of one pair and of 100 pairs, and games a second of whole events, from the first pair stored to the
last one. A match stores what finished within 0.2 s in one transaction; a sequential test stores
pair by pair, because it must not have any after its verdict. Figures depend on the disk of
``--folder`` (default: the current one), whose flush of 8 KB is measured, too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from db.records.games import GameRecord
from db.session import open_database
from db.storage import engine as storage
from engines.limit import Limit
from toolkit.base.version import this_program
from toolkit.books.book import find_book
from toolkit.events.event import start_event, store_event
from toolkit.events.progress import EventProgress
from toolkit.events.settings import EventSettings, match_settings, sprt_settings
from toolkit.selection.sequential import SprtSettings

SETTINGS = ("NORMAL", "FULL")


@dataclass(frozen=True, slots=True)
class Cost:
    """One measurement under both settings: medians, and the ratio of them."""

    what: str
    unit: str
    normal: float
    full: float
    ratio: float
    """FULL over NORMAL."""


def cost(what: str, unit: str, turns: int, measure: Callable[[], float]) -> Cost:
    """Measure under both settings in turn."""
    found: dict[str, list[float]] = {name: [] for name in SETTINGS}
    for turn in range(turns):
        for name in SETTINGS if turn % 2 else reversed(SETTINGS):
            storage._SYNCHRONOUS = name
            found[name].append(measure())
    normal, full = (statistics.median(found[name]) for name in SETTINGS)
    return Cost(what, unit, normal, full, full / normal)


def measure_flush(folder: Path) -> float:
    """Milliseconds of writing 8 KB and flushing them."""
    with open(folder / "flush", "wb") as file:
        times = []
        for _ in range(100):
            begin = time.perf_counter()
            file.write(bytes(8192))
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - begin)
    return 1000 * statistics.median(times)


def event(nodes: int, pairs: int, *, is_test: bool) -> EventSettings:
    """A match of our engines, or a sequential test of so many pairs, which is too short for its
    verdict."""
    limit = Limit(nodes=nodes)
    if not is_test:
        return match_settings("mtdf", "pvs", pairs=pairs, limit=limit, seed=1)
    sprt = SprtSettings.make(0, 0.01)
    return sprt_settings("mtdf", "pvs", sprt=sprt, max_pairs=pairs, limit=limit, seed=1)


def games_per_s(folder: Path, settings: EventSettings, jobs: int) -> float:
    """Play an event; its speed after the first storing."""
    seen: list[tuple[int, float]] = []

    def note(progress: EventProgress) -> None:
        if progress.games_now:
            seen.append((progress.games_now, progress.elapsed_s))

    with tempfile.TemporaryDirectory(dir=folder) as place, open_database(f"{place}/b.db") as db:
        outcome = start_event(db, settings, jobs=jobs, on_progress=note)
    if outcome.progress.games_played != 2 * settings.total_pairs:
        raise SystemExit(f"only {outcome.progress.games_played} games were played")
    (first, begin_s), (last, end_s) = seen[0], seen[-1]
    return (last - first) / (end_s - begin_s)


def some_games(folder: Path) -> tuple[EventSettings, list[GameRecord]]:
    """The games of an event, to be stored again."""
    settings = event(100, 100, is_test=False)
    with open_database(folder / "some.db") as db:
        start_event(db, settings)
        return settings, list(db.repository.games())


def commit_ms(
    folder: Path, some: tuple[EventSettings, list[GameRecord]], commits: int, pairs: int
) -> float:
    """Milliseconds of storing so many pairs in one transaction."""
    settings, games = some
    book = find_book(settings.book.id, settings.book.source)
    with tempfile.TemporaryDirectory(dir=folder) as place, open_database(f"{place}/b.db") as db:
        record = store_event(db, settings, book, this_program())
        batches = [
            [
                [replace(game, event_id=record.id, pair=turn * pairs + pair) for game in two]
                for pair in range(pairs)
                for at in [2 * ((turn * pairs + pair) % (len(games) // 2))]
                for two in [games[at : at + 2]]
            ]
            for turn in range(commits)
        ]
        begin = time.perf_counter()
        for batch in batches:
            db.repository.commit_pairs(record.id, batch)
        return 1000 * (time.perf_counter() - begin) / commits


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path(), help="where the databases are made")
    parser.add_argument("--turns", type=int, default=3, help="measurements of each kind")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="a tenth of the games, two turns")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    part, turns = (10, 2) if given.quick else (1, given.turns)
    with tempfile.TemporaryDirectory(dir=given.folder) as text:
        folder = Path(text)
        flush_ms = measure_flush(folder)
        games = some_games(folder)
        costs = [
            cost(
                "commit of 1 pair", "ms", turns, partial(commit_ms, folder, games, 200 // part, 1)
            ),
            cost("commit of 100 pairs", "ms", turns, partial(commit_ms, folder, games, 5, 100)),
        ]
        for nodes, pairs in ((100, 600), (2000, 60)):
            for kind, is_test in (("match", False), ("sequential test", True)):
                settings = event(nodes, pairs // part, is_test=is_test)
                measure = partial(games_per_s, folder, settings, given.jobs)
                costs.append(cost(f"{kind} at {nodes} nodes", "games/s", turns, measure))
    if given.json:
        print(json.dumps({"flush_ms": flush_ms, "costs": [asdict(one) for one in costs]}))
        return
    print(f"one flush of 8 KB to the disk: {flush_ms:.2f} ms\n")
    print(f"{'':<32}{'NORMAL':>10}{'FULL':>10}  {'':<8}{'ratio':>6}")
    for one in costs:
        print(f"{one.what:<32}{one.normal:>10.2f}{one.full:>10.2f}  {one.unit:<8}{one.ratio:>6.3f}")


if __name__ == "__main__":
    main()
