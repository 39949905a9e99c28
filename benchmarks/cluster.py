"""A cluster on this machine against the worker pool: speed, and CPU time beside the playing.

    python benchmarks/cluster.py
    python benchmarks/cluster.py --nodes 1000 --turns 5 --json

The same events of ``mtdf`` against ``pvs`` are played in turn by the pool with one and two
processes, and on a cluster of separate processes (``dask scheduler``, ``mtdf worker --jobs 1``)
with one and two workers. Each event is measured from the storing of its first fifth to that of its
last tenth, so neither starting processes nor waiting for the last pair counts; figures are medians
of the turns. ``efficiency`` is games a second of the cluster over those of the pool of as many
slots, and ``by CPU`` the same of games a CPU-second of all processes together, which other load on
the machine changes less. CPU milliseconds a pair are those of coordinator, scheduler, and the Dask
processes of the workers without those that play.

Exit code 1 if the games differ, or if coordinator and scheduler need more than 20 ms of CPU a pair.
Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from local_cluster import LocalCluster
from process_cpu import own_cpu_s, read_cpu

from db.records.events import EventRecord
from db.records.games import GameRecord
from db.session import open_database
from engines.limit import Limit
from toolkit.events.event import start_event
from toolkit.events.settings import match_settings
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.jobs import Jobs

AIM_MS = 20.0
SLOTS = (1, 2)
PAIRS = {100: 600, 1000: 80, 10000: 20}
"""Pairs of an event by the limit in nodes: some seconds of playing."""
MEASURED = (0.2, 0.9)
"""Between which parts of an event it is measured."""

Games = frozenset[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event is played, and the processes of that cluster."""

    jobs: Jobs
    scheduler: int | None = None
    workers: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What playing took, in seconds, and the pairs that were stored."""

    pairs: float
    wall_s: float
    coordinator_s: float
    scheduler_s: float
    workers_s: float
    playing_s: float

    def since(self, other: Usage) -> Usage:
        """What was used since another moment."""
        mine, its = asdict(self), asdict(other)
        return Usage(**{name: mine[name] - its[name] for name in mine})

    @property
    def pair_s(self) -> float:
        """Wall time of a pair."""
        return self.wall_s / self.pairs

    @property
    def cpu_s(self) -> float:
        """CPU time of a pair in all processes."""
        used_s = self.coordinator_s + self.scheduler_s + self.workers_s + self.playing_s
        return used_s / self.pairs


@dataclass(frozen=True, slots=True)
class Row:
    """Cluster and pool with as many slots."""

    nodes: int
    slots: int
    pairs: int
    """Of an event between the two moments."""
    pool_games_per_s: float
    cluster_games_per_s: float
    efficiency: float
    cpu_efficiency: float
    pool_coordinator_ms: float
    """CPU milliseconds a pair, as all that follow."""
    coordinator_ms: float
    scheduler_ms: float
    workers_ms: float


def play(place: Place, nodes: int, pairs: int) -> tuple[Usage, Games]:
    """Play an event into a database of its own."""
    settings = match_settings(
        "mtdf", "pvs", pairs=pairs, limit=Limit(nodes=nodes), seed=1, repeat_openings=True
    )
    moments: list[Usage] = []
    stored = 0

    def note(_: EventRecord, games: Sequence[GameRecord]) -> None:
        nonlocal stored
        stored += len(games) // 2
        if len(moments) < 2 and stored >= MEASURED[len(moments)] * pairs:
            moments.append(_used(place, stored))

    with tempfile.TemporaryDirectory() as folder, open_database(Path(folder) / "b.db") as db:
        outcome = start_event(db, settings, jobs=place.jobs, on_games=note)
        if outcome.status != "done":
            raise SystemExit(f"the event was {outcome.status}: {outcome.problem}")
        games = frozenset(
            (game.pairing, game.pair, game.game, game.moves, game.result, game.white_nodes)
            for game in db.repository.games()
        )
    if len(moments) < 2:
        raise SystemExit(f"{pairs} pairs are too few: they were stored together")
    return moments[1].since(moments[0]), games


def measure(
    places: Mapping[tuple[str, int], Place], nodes: int, pairs: int, turns: int
) -> tuple[list[Row], bool]:
    """The rows of a limit, and whether all places played the same games."""
    found: dict[tuple[str, int], list[Usage]] = {name: [] for name in places}
    played: set[Games] = set()
    for turn in range(turns):
        for name in list(places)[:: -1 if turn % 2 else 1]:
            used, games = play(places[name], nodes, pairs)
            found[name].append(used)
            played.add(games)
    rows = [_row(nodes, slots, found["pool", slots], found["cluster", slots]) for slots in SLOTS]
    return rows, len(played) == 1


def _row(nodes: int, slots: int, pool: Sequence[Usage], cluster: Sequence[Usage]) -> Row:
    def median(usages: Sequence[Usage], part: Callable[[Usage], float]) -> float:
        return statistics.median(map(part, usages))

    def ratio(part: Callable[[Usage], float]) -> float:
        turns = zip(pool, cluster, strict=True)
        return statistics.median(part(one) / part(other) for one, other in turns)

    def coordinator_ms(used: Usage) -> float:
        return 1000 * used.coordinator_s / used.pairs

    return Row(
        nodes=nodes,
        slots=slots,
        pairs=round(median(cluster, lambda used: used.pairs)),
        pool_games_per_s=2 / median(pool, lambda used: used.pair_s),
        cluster_games_per_s=2 / median(cluster, lambda used: used.pair_s),
        efficiency=ratio(lambda used: used.pair_s),
        cpu_efficiency=ratio(lambda used: used.cpu_s),
        pool_coordinator_ms=median(pool, coordinator_ms),
        coordinator_ms=median(cluster, coordinator_ms),
        scheduler_ms=median(cluster, lambda used: 1000 * used.scheduler_s / used.pairs),
        workers_ms=median(cluster, lambda used: 1000 * used.workers_s / used.pairs),
    )


def _used(place: Place, pairs: int) -> Usage:
    """What everything that plays there has used by now."""
    players = place.workers if place.scheduler is not None else [os.getpid()]
    return Usage(
        pairs=pairs,
        wall_s=time.perf_counter(),
        coordinator_s=time.process_time(),
        scheduler_s=0.0 if place.scheduler is None else own_cpu_s(place.scheduler),
        workers_s=sum(map(own_cpu_s, place.workers)),
        playing_s=sum(read_cpu(pid).total_ns / 1e9 - own_cpu_s(pid) for pid in players),
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, action="append", choices=PAIRS, help="default: all")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a quarter of the games, one turn")
    parser.add_argument("--json", action="store_true", help="one object on standard output")
    given = parser.parse_args()
    part, turns = (4, 1) if given.quick else (1, given.turns)
    places: dict[tuple[str, int], Place] = {}
    rows: list[Row] = []
    same = True
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for slots in SLOTS:
            processes = stack.enter_context(LocalCluster(folder))
            workers = [processes.start_worker(f"{slots}-{n}").pid for n in range(slots)]
            cluster = Cluster(processes.address)
            stack.callback(cluster.close)
            places["pool", slots] = Place(slots)
            places["cluster", slots] = Place(cluster, processes.scheduler.pid, workers)
        for nodes in given.nodes or PAIRS:
            more, equal = measure(places, nodes, PAIRS[nodes] // part, turns)
            rows += more
            same &= equal
    missed = [row for row in rows if row.coordinator_ms + row.scheduler_ms > AIM_MS]
    if given.json:
        report = {"rows": [asdict(row) for row in rows], "same_games": same, "missed": len(missed)}
        print(json.dumps(report))
    else:
        _print(rows, same)
    return 0 if same and not missed else 1


def _print(rows: Sequence[Row], same: bool) -> None:
    print(" nodes slots  pairs     pool  cluster  efficiency  by CPU   CPU ms a pair of pool's")
    print(f"{'':18}{'games/s':>9}{'games/s':>9}{'':21}", end="")
    print("coordinator; of coordinator, scheduler, workers")
    for row in rows:
        print(
            f"{row.nodes:>6} {row.slots:>5} {row.pairs:>6} {row.pool_games_per_s:>8.1f} "
            f"{row.cluster_games_per_s:>8.1f} {row.efficiency:>11.3f} {row.cpu_efficiency:>7.3f} "
            f"{row.pool_coordinator_ms:>9.2f};{row.coordinator_ms:>8.2f} {row.scheduler_ms:>7.2f} "
            f"{row.workers_ms:>7.2f}"
        )
    print(f"the games of all were {'the same' if same else 'DIFFERENT'}; ", end="")
    print(f"aim: at most {AIM_MS:.0f} ms a pair of coordinator and scheduler together")


if __name__ == "__main__":
    sys.exit(main())
