"""Run one command of ``mtdf`` in this process, and tell on standard error what it used.

    python benchmarks/fresh.py ratings --db big.db

The last line is a JSON list: CPU seconds from the start of the process, seconds by the clock, and
the peak of memory in MB. Linux only.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from cli import main


def run() -> None:
    """Run the command of the arguments."""
    begin = time.perf_counter()
    try:
        main()
    finally:
        wall = time.perf_counter() - begin
        # The peak is that of this process: `getrusage` would tell that of the one which started it.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak_kb = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
        used = [time.process_time(), wall, int(peak_kb) / 1024]
        print(json.dumps(used), file=sys.stderr)


if __name__ == "__main__":
    run()
