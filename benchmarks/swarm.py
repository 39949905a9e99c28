"""A coordinator and a scheduler under the load of many workers whose players only pretend.

    python benchmarks/swarm.py
    python benchmarks/swarm.py --load 300x1x3 --load 20x64x3 --seconds 30 --json

An event runs as any event does on a cluster: the real schedule, executor, batches, storing with
``synchronous=FULL``, tally, and a ``dask scheduler`` in a process of its own. The workers are real
Dask workers, hundreds to a process, and take the run on and do batches by the code of
``mtdf worker``; only the process of a slot is replaced: it sleeps as long as the pairs would take
and answers with games that were really played before, each under a key of its own.

A load is workers x slots of each x seconds of a pair. CPU milliseconds are those of coordinator and
scheduler a pair; the parts of the coordinator are storing, the rest of its main thread, and the
threads of its Dask client. ``latency`` is from the end of a batch to the commit that stores it;
messages are those that the scheduler sent and received. ``busy`` is the part of a core that
coordinator, scheduler and the busiest process of workers used: where less was stored than the
workers could play and none of them is near 1, the machine had other things to do.

Then (``--faults``: only this) a tenth of 300 workers is killed at once, and 500 others join. Linux
only.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import os
import pickle
import resource
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from local_cluster import LocalCluster, memory_mb
from msgspec import structs
from process_cpu import own_cpu_s, read_cpu

from db.records.events import EventRecord
from db.records.games import GameRecord
from db.session import open_database
from db.times import utc_now
from engines.limit import Limit
from toolkit.events.event import start_event
from toolkit.events.progress import EventProgress
from toolkit.events.settings import match_settings
from toolkit.events.storing import PairStore
from toolkit.events.tally import Tally
from toolkit.events.worker import Games
from toolkit.runs.dask.channel import RunChannel
from toolkit.runs.dask.cluster import Cluster
from toolkit.runs.dask.executor import ClusterExecutor
from toolkit.runs.executor import Done

NODES = 1000
PLAYED_PAIRS = 60
"""Really played pairs, which all answers are made of."""
SETTLE_S = (5.0, 1.0)
"""Before something is measured; as a rule, and quick."""
PER_PROCESS = 500
DAY_GAMES, SLOTS = 100_000_000, 10_000
"""The day on paper."""
ENDLESS = 10_000_000
"""Pairs of an event that nobody plays to its end."""
_LONG_S = 600.0
LOADS = (
    ((100, 1, 1.0), (600, 1, 6.0), (20, 64, 12.8), (20, 64, 1.0), (4, 64, 0.05)),
    ((4, 2, 0.2),),
)
"""Workers, slots of each, and seconds of a pair: 100 pairs a second in several ways, then more than
can be done in long and in short pairs. As a rule, and quick."""
FAULTS = ((300, 6.0, 500), (20, 0.5, 10))
"""Workers before a tenth of them dies, the duration of their pairs, and workers that join."""


# The workers


class PretendingSlot:
    """In place of the process of a slot (:class:`toolkit.runs.pool.WorkerPool`)."""

    pair_s = 0.0
    played: Sequence[Games] = ()

    def __init__(self, work: Any, jobs: int, *, tidy: Any = None) -> None:
        self._event_id = work.args[0].event_id
        self._tasks: list[Any] = []

    @property
    def pending(self) -> int:
        """Tasks that were not answered."""
        return len(self._tasks)

    def submit(self, task: Any) -> None:
        """Have a pair played."""
        self._tasks.append(task)

    def finished(self, timeout_s: float) -> list[Any]:
        """All answers, after the time that the games would have taken: between half of
        ``pair_s`` and one and a half."""
        tasks, self._tasks = self._tasks, []
        time.sleep(sum(self.pair_s * (0.5 + Random(task.seed).random()) for task in tasks))
        ended_at = utc_now()
        return [Done(task, self._games(task, ended_at)) for task in tasks]

    def close(self) -> None:
        """Nothing to end."""

    def _games(self, task: Any, ended_at: str) -> tuple[GameRecord, ...]:
        known = self.played[task.seed % len(self.played)]
        return tuple(
            structs.replace(
                game,
                event_id=self._event_id,
                pairing=task.pairing,
                pair=task.pair,
                seed=task.seed,
                opening_line=task.opening.line,
                start_fen=task.opening.fen,
                ended_at=ended_at,
                game_key=blake2b(
                    f"{game.game_key} {task.pairing} {task.pair}".encode(), digest_size=16
                ).hexdigest(),
            )
            for game in known
        )


def hold(
    address: str, count: int, slots_each: int, pair_s: float, played: bytes, pipe: Connection
) -> None:
    """A process of ``count`` workers, until ``pipe`` is closed."""
    import asyncio

    import dask

    # What each of a thousand workers in one process does for itself is no matter of ours.
    dask.config.set(
        {
            "distributed.worker.profile.enabled": False,
            "distributed.admin.system-monitor.interval": "1h",
            "distributed.admin.tick.interval": "1h",
            "distributed.comm.offload": False,
        }
    )
    from distributed import Worker

    from toolkit.base.version import this_program
    from toolkit.runs.dask import worker_side as slots
    from toolkit.runs.dask.cluster import load_distributed

    load_distributed()
    this_program()
    threading.stack_size(256 * 1024)
    PretendingSlot.pair_s, PretendingSlot.played = pair_s, pickle.loads(played)
    slots.WorkerPool = PretendingSlot  # type: ignore[assignment, misc]

    async def be() -> None:
        workers: list[Any] = []
        for start in range(0, count, 20):
            some = [
                Worker(
                    address,
                    nthreads=slots_each,
                    name=f"{os.getpid()}-{start + n}",
                    host="127.0.0.1",
                    memory_limit=0,
                    dashboard=False,
                )
                for n in range(min(20, count - start))
            ]
            workers += await asyncio.gather(*some)
        pipe.send(len(workers))
        while not pipe.poll():
            await asyncio.sleep(0.2)

    asyncio.run(be())


class Swarm:
    """Processes of pretending workers. A context manager, which kills them."""

    def __init__(self, address: str, slots: int, pair_s: float, played: bytes) -> None:
        """``slots``: of each worker. ``pair_s``: mean duration of a pair."""
        self._address, self._give = address, (slots, pair_s, played)
        self._context = multiprocessing.get_context("spawn")
        self._processes: list[tuple[Any, Connection, int]] = []

    def join(self, count: int) -> None:
        """Start a process of so many workers. Does not wait for them."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=hold, args=(self._address, count, *self._give, theirs)
        )
        process.start()
        theirs.close()
        self._processes.append((process, ours, count))

    def await_all(self) -> None:
        """Wait until all workers are connected."""
        for process, pipe, _ in self._processes:
            if not pipe.poll(_LONG_S) or not process.is_alive():
                raise SystemExit("the workers do not start")
            pipe.recv()

    def kill_last(self) -> int:
        """Kill the process that was started last; how many workers that were."""
        process, pipe, count = self._processes.pop()
        process.kill()
        process.join()
        pipe.close()
        return count

    def cpu_s(self) -> float:
        """CPU seconds of the busiest process."""
        return max(own_cpu_s(process.pid) for process, _, _ in self._processes)

    def __enter__(self) -> Swarm:
        return self

    def __exit__(self, *_: object) -> None:
        while self._processes:
            self.kill_last()


# What is measured


@dataclass(slots=True)
class Moment:
    """What everything had used and done at one moment."""

    at_s: float
    pairs: int
    batches: int
    coordinator_s: float
    scheduler_s: float
    swarm_s: float
    """Of the busiest process of workers."""
    parts_s: Mapping[str, float]
    messages: int
    message_bytes: int
    latencies: int


@dataclass(frozen=True, slots=True)
class Load:
    """A cluster under a steady load."""

    workers: int
    slots: int
    """Of each worker."""
    pair_s: float
    """Mean duration of a pair."""
    asked: float
    """Pairs a second that the workers could play."""
    pairs: float
    """Pairs a second that were stored."""
    batch: float
    """Pairs in a batch."""
    coordinator_ms: float
    """CPU milliseconds a pair."""
    scheduler_ms: float
    standing: tuple[float, float]
    """Seconds of CPU and messages of the scheduler, a second, without any pair."""
    parts_ms: Mapping[str, float]
    """CPU milliseconds of the coordinator a pair, by part."""
    messages: float
    """Messages that the scheduler sent and received, a second."""
    scheduler_mbit: float
    """And their content, in megabits a second."""
    latency_ms: tuple[float, float]
    """From the end of a batch to its commit: median and 99th percentile."""
    scheduler_mb: float
    coordinator_mb: float
    game_bytes: float
    """Growth of the file for a game."""
    busy: tuple[float, float, float]
    """Part of a core that was used by coordinator, scheduler, and the busiest process of workers:
    what the machine gave them, where more was asked than could be done."""


@dataclass(slots=True)
class Watch:
    """Follows one event from within its callbacks and from a thread of its own."""

    pairs: int = 0
    batches: int = 0
    latencies_ms: list[float] = field(default_factory=list)
    stored_s: list[float] = field(default_factory=list)
    """When pairs were stored."""
    repaired: int = 0
    parts_s: Counter[str] = field(default_factory=Counter)
    stop: threading.Event = field(default_factory=threading.Event)

    def note_games(self, _: EventRecord, games: Sequence[GameRecord]) -> None:
        """Games that were committed just now."""
        now = datetime.now(UTC)
        self.pairs += len(games) // 2
        if games:
            self.stored_s.append(time.monotonic())
        self.latencies_ms += [
            1000 * (now - datetime.fromisoformat(game.ended_at)).total_seconds()
            for game in games[::2]
            if game.ended_at is not None
        ]

    def longest_gap_s(self, since_s: float) -> float:
        """The longest time without a stored pair."""
        times = [since_s, *(at_s for at_s in self.stored_s if at_s > since_s)]
        return max(b - a for a, b in pairwise([*times, time.monotonic()]))

    def note_progress(self, progress: EventProgress) -> None:
        """The score as a user sees it."""
        self.repaired = progress.repaired


@contextmanager
def timed(watch: Watch) -> Iterator[None]:
    """Have the CPU time of the coordinator's parts noted."""
    import distributed.protocol.pickle as dask_pickle

    def add(owner: Any, name: str, part: str) -> Callable[[], None]:
        real = getattr(owner, name)

        def called(*args: Any, **options: Any) -> Any:
            begin_s = time.thread_time()
            try:
                return real(*args, **options)
            finally:
                watch.parts_s[part] += time.thread_time() - begin_s
                watch.batches += name == "_take"

        setattr(owner, name, called)
        return lambda: setattr(owner, name, real)

    undo = [
        add(PairStore, "keep", "store"),
        add(Tally, "add_pairs", "tally"),
        add(Tally, "progress", "tally"),
        add(ClusterExecutor, "_take", "executor"),
        add(RunChannel, "send", "submit"),
        add(dask_pickle, "loads", "unpickle"),
        add(dask_pickle, "dumps", "pickle"),
    ]
    try:
        yield
    finally:
        for each in undo:
            each()


def count_messages(dask_scheduler: Any) -> None:
    """Count what the scheduler sends and receives. Runs in its process."""
    from distributed.comm import tcp

    counts = dask_scheduler.mtdf_counts = [0, 0]
    write, read = tcp.TCP.write, tcp.TCP.read
    pack, unpack = tcp.to_frames, tcp.from_frames

    async def packed(*args: Any, **options: Any) -> Any:
        frames = await pack(*args, **options)
        counts[1] += sum(map(memoryview_size, frames))
        return frames

    async def unpacked(frames: Any, *args: Any, **options: Any) -> Any:
        counts[1] += sum(map(memoryview_size, frames))
        return await unpack(frames, *args, **options)

    def memoryview_size(frame: Any) -> int:
        return memoryview(frame).nbytes

    async def written(self: Any, *args: Any, **options: Any) -> Any:
        counts[0] += 1
        return await write(self, *args, **options)

    async def got(self: Any, *args: Any, **options: Any) -> Any:
        message = await read(self, *args, **options)
        counts[0] += 1
        return message

    tcp.to_frames, tcp.from_frames = packed, unpacked
    tcp.TCP.write, tcp.TCP.read = written, got


def read_messages(dask_scheduler: Any) -> list[int]:
    """What :func:`count_messages` has counted."""
    return list(dask_scheduler.mtdf_counts)


def thread_times() -> dict[str, float]:
    """CPU seconds of the coordinator's main thread and of those of its Dask client."""
    used = read_cpu(os.getpid()).threads_ns
    main = used.get(threading.main_thread().native_id or 0, 0)
    dask = sum(
        used.get(thread.native_id or 0, 0)
        for thread in threading.enumerate()
        if thread.name.startswith(("IO loop", "Dask", "Profile", "ThreadPool"))
    )
    return {"main thread": main / 1e9, "client thread": dask / 1e9}


def really_played(folder: Path) -> bytes:
    """Pairs of real games, pickled."""
    settings = match_settings("mtdf", "pvs", pairs=PLAYED_PAIRS, limit=Limit(nodes=NODES), seed=1)
    with open_database(folder / "played.db") as db:
        start_event(db, settings, jobs=2)
        games = list(db.repository.games())
    return pickle.dumps(list(zip(games[::2], games[1::2], strict=True)))


@dataclass(frozen=True, slots=True)
class Scene:
    """What all events have in common."""

    played: bytes
    """Pairs of :func:`really_played`."""
    folder: Path
    settle_s: float


@dataclass(slots=True)
class Stage:
    """An event on a swarm, while it is played."""

    watch: Watch
    cluster: Cluster
    swarm: Swarm
    processes: LocalCluster
    executor: Any = None
    standing: tuple[float, float] = (0.0, 0.0)

    def now(self) -> Moment:
        """What everything has used by now."""
        watch = self.watch
        messages, size = self.cluster.client.run_on_scheduler(read_messages)
        return Moment(
            at_s=time.monotonic(),
            pairs=watch.pairs,
            batches=watch.batches,
            coordinator_s=own_cpu_s(os.getpid()),
            scheduler_s=own_cpu_s(self.processes.scheduler.pid),
            swarm_s=self.swarm.cpu_s(),
            parts_s=dict(watch.parts_s) | thread_times(),
            messages=messages,
            message_bytes=size,
            latencies=len(watch.latencies_ms),
        )

    def await_fit(self, workers: int) -> float:
        """Wait until so many workers have taken the run on; seconds."""
        begin_s = time.monotonic()
        while self.executor is None or len(self.executor._workers.fit) < workers:
            if self.watch.stop.is_set() or time.monotonic() - begin_s > _LONG_S:
                raise SystemExit("the workers do not take the run on")
            time.sleep(0.05)
        return time.monotonic() - begin_s


def on_stage(
    workers: Sequence[int],
    slots: int,
    pair_s: float,
    scene: Scene,
    measure: Callable[[Stage], None],
) -> tuple[int, int]:
    """Play an event on processes of so many ``workers`` with so many slots each, while ``measure``
    runs; the bytes that its file grew by, and its games."""
    settings = match_settings(
        "mtdf", "pvs", pairs=ENDLESS, limit=Limit(nodes=NODES), seed=1, repeat_openings=True
    )
    watch = Watch()
    path = scene.folder / "swarm.db"
    watch.stop.set()
    with open_database(path) as db:
        start_event(db, settings, stop=watch.stop)
    empty = path.stat().st_size
    path.unlink()
    watch.stop.clear()
    problems: list[BaseException] = []
    with ExitStack() as stack:
        processes = stack.enter_context(LocalCluster(scene.folder))
        swarm = stack.enter_context(Swarm(processes.address, slots, pair_s, scene.played))
        for count in workers:
            swarm.join(count)
        swarm.await_all()
        cluster = Cluster(processes.address)
        stack.callback(cluster.close)
        cluster.client.run_on_scheduler(count_messages)
        stage = Stage(watch, cluster, swarm, processes)
        stage.standing = standing(stage, scene.settle_s)
        stack.enter_context(timed(watch))
        stack.enter_context(known_executor(stage))
        db = stack.enter_context(open_database(path))

        def observe() -> None:
            try:
                measure(stage)
            except BaseException as error:
                problems.append(error)
            finally:
                watch.stop.set()

        observer = threading.Thread(target=observe)
        observer.start()
        try:
            outcome = start_event(
                db,
                settings,
                jobs=cluster,
                on_progress=watch.note_progress,
                on_games=watch.note_games,
                stop=watch.stop,
            )
        finally:
            watch.stop.set()
            observer.join()
    if problems:
        raise problems[0]
    if outcome.progress.pairs_failed:
        raise SystemExit(f"{outcome.progress.pairs_failed} pairs failed")
    size = path.stat().st_size - empty
    path.unlink()
    return size, outcome.progress.games_played


def standing(stage: Stage, settle_s: float) -> tuple[float, float]:
    """CPU seconds of the scheduler and its messages, a second, while nothing is played."""
    time.sleep(settle_s)
    before = stage.now()
    time.sleep(settle_s)
    after = stage.now()
    wall_s = after.at_s - before.at_s
    return (
        (after.scheduler_s - before.scheduler_s) / wall_s,
        (after.messages - before.messages) / wall_s,
    )


@contextmanager
def known_executor(stage: Stage) -> Iterator[None]:
    """Let the stage know the executor of the run."""
    enter = ClusterExecutor.__enter__

    def entered(self: Any) -> Any:
        stage.executor = self
        return enter(self)

    ClusterExecutor.__enter__ = entered  # type: ignore[method-assign]
    try:
        yield
    finally:
        ClusterExecutor.__enter__ = enter  # type: ignore[method-assign]


def processes_of(workers: int) -> list[int]:
    """How many workers each process has."""
    return [min(PER_PROCESS, workers - start) for start in range(0, workers, PER_PROCESS)]


def steady(workers: int, slots: int, pair_s: float, seconds: float, scene: Scene) -> Load:
    """A steady load for so many seconds."""
    found: dict[str, Any] = {}

    def measure(stage: Stage) -> None:
        stage.await_fit(workers)
        time.sleep(scene.settle_s + 1.5 * pair_s)
        before = stage.now()
        time.sleep(seconds)
        after = stage.now()
        found["memory"] = memory_mb(stage.processes.scheduler.pid), memory_mb(os.getpid())
        found["moments"] = before, after
        found["standing"] = stage.standing
        found["latencies"] = stage.watch.latencies_ms[before.latencies : after.latencies]

    size, games = on_stage(processes_of(workers), slots, pair_s, scene, measure)
    before, after = found["moments"]
    pairs, batches = after.pairs - before.pairs, after.batches - before.batches
    wall_s = after.at_s - before.at_s
    if not pairs:
        raise SystemExit(f"{workers} workers stored nothing in {wall_s:.0f} s")
    coordinator_s = after.coordinator_s - before.coordinator_s
    scheduler_s = after.scheduler_s - before.scheduler_s
    latencies = sorted(found["latencies"])
    return Load(
        workers=workers,
        slots=slots,
        pair_s=pair_s,
        asked=workers * slots / pair_s,
        pairs=pairs / wall_s,
        batch=pairs / batches,
        coordinator_ms=1000 * coordinator_s / pairs,
        scheduler_ms=1000 * scheduler_s / pairs,
        standing=found["standing"],
        parts_ms={
            part: 1000 * (after.parts_s[part] - before.parts_s.get(part, 0.0)) / pairs
            for part in after.parts_s
        },
        messages=(after.messages - before.messages) / wall_s,
        scheduler_mbit=(after.message_bytes - before.message_bytes) * 8 / wall_s / 1e6,
        latency_ms=(statistics.median(latencies), latencies[int(0.99 * len(latencies))]),
        scheduler_mb=found["memory"][0],
        coordinator_mb=found["memory"][1],
        game_bytes=size / games,
        busy=(
            coordinator_s / wall_s,
            scheduler_s / wall_s,
            (after.swarm_s - before.swarm_s) / wall_s,
        ),
    )


@dataclass(frozen=True, slots=True)
class Faults:
    """What the death of many workers does, and then the arrival of others."""

    killed: int
    left: int
    before: float
    """Pairs a second."""
    noticed_s: float
    """Until the coordinator counted all of them out."""
    repaired: int
    gap_s: float
    """The longest time without a stored pair."""
    after: float
    joined: int
    fit_s: float
    """From the first one that took the run on to the last one."""
    join_busy: tuple[float, float]
    """Part of a core that coordinator and scheduler used meanwhile."""
    join_gap_s: float
    joined_rate: float


def in_faults(workers: int, pair_s: float, joining: int, scene: Scene) -> Faults:
    """Kill a tenth of the workers at once; then let others join."""
    found: list[Faults] = []

    def measure(stage: Stage) -> None:
        watch = stage.watch
        stage.await_fit(workers)
        time.sleep(scene.settle_s + 1.5 * pair_s)
        first = stage.now()
        time.sleep(2 * pair_s)
        second = stage.now()
        begin_s = time.monotonic()
        killed = stage.swarm.kill_last()
        while len(stage.executor._workers.fit) > workers - killed:
            time.sleep(0.02)
        noticed_s = time.monotonic() - begin_s
        time.sleep(2 * pair_s)
        gap_s, repaired = watch.longest_gap_s(begin_s), watch.repaired
        third = stage.now()
        time.sleep(2 * pair_s)
        fourth = stage.now()
        stage.swarm.join(joining)
        stage.await_fit(workers - killed + 1)
        joined_s = time.monotonic()
        fit_s = stage.await_fit(workers - killed + joining)
        fifth = stage.now()
        join_gap_s = watch.longest_gap_s(joined_s)
        time.sleep(scene.settle_s + 1.5 * pair_s)
        sixth = stage.now()
        time.sleep(2 * pair_s)
        last = stage.now()

        wall_s = fifth.at_s - fourth.at_s
        found.append(
            Faults(
                killed=killed,
                left=workers - killed,
                before=_rate(first, second),
                noticed_s=noticed_s,
                repaired=repaired,
                gap_s=gap_s,
                after=_rate(third, fourth),
                joined=joining,
                fit_s=fit_s,
                join_busy=(
                    (fifth.coordinator_s - fourth.coordinator_s) / wall_s,
                    (fifth.scheduler_s - fourth.scheduler_s) / wall_s,
                ),
                join_gap_s=join_gap_s,
                joined_rate=_rate(sixth, last),
            )
        )

    tenth = workers // 10
    on_stage((workers - tenth, tenth), 1, pair_s, scene, measure)
    return found[0]


def _rate(before: Moment, after: Moment) -> float:
    return (after.pairs - before.pairs) / (after.at_s - before.at_s)


def silence() -> None:
    """Keep what tornado says of connections that we end off the terminal."""
    logging.getLogger("tornado").setLevel(logging.CRITICAL)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--load", type=_load, action="append", metavar="WORKERSxSLOTSxSECONDS")
    parser.add_argument("--seconds", type=float, default=15.0, help="of measuring a load")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--quick", action="store_true", help="small numbers of workers")
    parser.add_argument("--json", action="store_true", help="one object on standard output")
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    loads: list[Load] = []
    faults = None
    with tempfile.TemporaryDirectory() as text:
        scene = Scene(really_played(Path(text)), Path(text), SETTLE_S[given.quick])
        silence()
        for asked in [] if given.faults else given.load or LOADS[given.quick]:
            loads.append(steady(*asked, given.seconds, scene))
            print(f"{len(loads)} loads measured", file=sys.stderr)
        if not given.load:
            faults = in_faults(*FAULTS[given.quick], scene)
    if given.json:
        rows = [asdict(load) for load in loads]
        print(json.dumps({"loads": rows, "faults": None if faults is None else asdict(faults)}))
        return
    if loads:
        print(_tables(loads))
    if {load.slots > 1 for load in loads} == {False, True}:
        print(f"\n{_paper(loads)}")
    if faults is not None:
        print(f"\n{_words(faults)}")
    print(
        f"\nOn average {os.getloadavg()[2]:.1f} processes wanted to run on {os.cpu_count()} cores."
    )


def _load(text: str) -> tuple[int, int, float]:
    workers, slots, pair_s = text.split("x")
    return int(workers), int(slots), float(pair_s)


def _tables(loads: Sequence[Load]) -> str:
    cost = [
        f"{'':45}CPU ms a pair: coordinator  scheduler",
        "workers slots pair s   asked  stored  batch   store   rest  client    all        all",
    ]
    other = [
        f"{'':21}scheduler    latency ms      memory MB   bytes  busy part of a core",
        "workers slots pair s  msg/s Mbit/s  median    99% coord. sched. a game"
        " coord. sched. workers",
    ]
    for load in loads:
        parts, place = load.parts_ms, f"{load.workers:>7} {load.slots:>5} {load.pair_s:>6g}"
        cost.append(
            f"{place} {load.asked:>7.0f} {load.pairs:>7.1f} {load.batch:>6.1f} "
            f"{parts['store']:>7.2f} {parts['main thread'] - parts['store']:>6.2f} "
            f"{parts['client thread']:>7.2f} {load.coordinator_ms:>6.2f} {load.scheduler_ms:>10.2f}"
        )
        other.append(
            f"{place} {load.messages:>6.0f} {load.scheduler_mbit:>6.1f} "
            f"{load.latency_ms[0]:>7.0f} {load.latency_ms[1]:>6.0f} {load.coordinator_mb:>6.0f} "
            f"{load.scheduler_mb:>6.0f} {load.game_bytes:>6.0f} "
            f"{load.busy[0]:>6.2f} {load.busy[1]:>6.2f} {load.busy[2]:>7.2f}"
        )
    return "\n".join([*cost, "", *other])


def heartbeats(workers: int) -> float:
    """Heartbeats a second that Dask has so many workers send (distributed/scheduler.py)."""
    for most, every_s in ((10, 0.5), (49, 1.0), (199, 2.0)):
        if workers <= most:
            return workers / every_s
    return workers / (workers / 200 + 1)


def on_paper(load: Load, workers: int, coordinator_ms: float) -> str:
    """A day of ``DAY_GAMES`` games with so many Dask workers, which cost as those of ``load``;
    what the scheduler does for them while nothing is played, by their heartbeats."""
    wanted = DAY_GAMES / 2 / 86_400
    more = heartbeats(workers) / heartbeats(load.workers)
    standing, standing_messages = (more * part for part in load.standing)
    scheduler_ms = load.scheduler_ms - 1000 * load.standing[0] / load.pairs
    each = (load.messages - load.standing[1]) / load.pairs
    mbit = load.scheduler_mbit / load.pairs * wanted
    return (
        f"{workers:>7} {SLOTS // workers:>5} {wanted:>8.1f} "
        f"{wanted * coordinator_ms / 1000:>8.2f} {standing:>9.2f} "
        f"{wanted * scheduler_ms / 1000:>6.2f} {1000 / coordinator_ms:>11.0f} "
        f"{1000 * (1 - standing) / scheduler_ms:>9.0f} "
        f"{standing_messages + each * wanted:>9.0f} {mbit:>7.0f} "
        f"{DAY_GAMES * load.game_bytes / 1e9:>7.0f}"
    )


def _paper(loads: Sequence[Load]) -> str:
    """The day with one-slot workers and with large machines, from the loads that are most alike.
    The coordinator stores many pairs in one commit when it is busy, so its cost is the lowest."""
    long = [one for one in loads if one.batch < 1.5]
    single = max((one for one in long if one.slots == 1), key=lambda one: one.workers)
    large = max((one for one in long if one.slots > 1), key=lambda one: one.pairs)
    least_ms = min(one.coordinator_ms for one in long)
    lines = [
        f"{DAY_GAMES / 1e6:.0f} million games a day with {SLOTS} slots:",
        "                         cores: sched.,         most pairs/s of      scheduler",
        "workers slots  pairs/s   coord. standing  pairs coordinator scheduler     msg/s  Mbit/s"
        " GB a day",
        on_paper(single, SLOTS, least_ms),
        on_paper(large, SLOTS // large.slots, least_ms),
    ]
    return "\n".join(lines)


def _words(faults: Faults) -> str:
    return (
        f"{faults.killed} of {faults.killed + faults.left} workers killed at once: noticed after "
        f"{faults.noticed_s:.2f} s, {faults.repaired} deaths reported, the longest time without a "
        f"stored pair {faults.gap_s:.2f} s;\npairs a second: {faults.before:.1f} before, "
        f"{faults.after:.1f} after.\n"
        f"{faults.joined} workers joined: all took the run on within {faults.fit_s:.1f} s, in "
        f"which the coordinator used {faults.join_busy[0]:.2f} of a core, the scheduler "
        f"{faults.join_busy[1]:.2f};\nthe longest time without a stored pair "
        f"{faults.join_gap_s:.2f} s, {faults.joined_rate:.1f} pairs a second then.\n"
        "No pair was lost or failed."
    )


if __name__ == "__main__":
    main()
