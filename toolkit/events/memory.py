"""Whether the players of an event fit into the machine's memory."""

from __future__ import annotations

import os
from collections.abc import Sequence

from engines.spec import Engine, UciEngine
from toolkit.base.errors import UsageError
from toolkit.base.format import count_of

_MB = 2**20
ENTRY_BYTES = 16
"""Size of an entry of a transposition table of the native core."""
THREAD_BYTES = 3 * _MB // 2
"""What a thread of the native core has for itself in chess, where it needs most: the histories of
pairs of moves, static values, and what a search needs."""


def check_memory(engines: Sequence[Engine], jobs: int) -> None:
    """Raise UsageError if all players in all workers need more memory than the machine has. A
    worker has a table and threads for each player, but only what is used of them takes memory, so
    this check is only for absurd sizes."""
    total_mb = _physical_bytes() // _MB
    needed_mb = jobs * sum(player_bytes(engine) for engine in engines) // _MB
    if needed_mb > total_mb:
        raise UsageError(
            f"{count_of(len(engines), 'engine')} in {count_of(jobs, 'worker')} need {needed_mb} MB "
            f"and this machine has {total_mb} MB: use a smaller hash, fewer threads or fewer jobs"
        )


def player_bytes(engine: Engine) -> int:
    """The most that a variant takes on the native core; of an external engine only its table is
    known."""
    threads = 0 if isinstance(engine, UciEngine) else engine.threads
    return table_bytes(engine) + threads * THREAD_BYTES


def table_bytes(engine: Engine) -> int:
    """Size of a variant's transposition table on the native core, or of that which an external
    engine is asked to have; 0 for a driver without one, and where nothing is known."""
    if isinstance(engine, UciEngine):
        sizes = [value for name, value in engine.options if name.lower() == "hash"]
        return int(sizes[0]) * _MB if sizes and sizes[0].isdecimal() else 0
    entries = int(engine.parameters.get("entries", 0))
    return entries * ENTRY_BYTES if entries else int(engine.parameters.get("hash", 0)) * _MB


def _physical_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
