"""Kills runs at random moments, continues them, and counts what is not as it should be.

    python benchmarks/kills.py
    python benchmarks/kills.py --kind match --kills 3 --seed 2

Each kind of run is killed by SIGINT (to its process group, as Ctrl-C), SIGTERM and SIGKILL (to the
coordinator), and a worker of it by SIGKILL, with two jobs; then it is continued to its end. Its
rows are compared with those of a run that was not interrupted. UCI engines ignore ``quit``, the end
of their input, SIGINT and SIGTERM. Columns: ``lost``, results that were stored or should be there
and are not; ``doubled``, results that are too many; ``torn``, half pairs and findings of ``db
check`` right after the kill; ``again``, UCI pairs that were begun twice, the most of one kill (at
most the number of jobs is promised); ``orphans``, processes that live 2 s after the coordinator.
Exits with 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "reliability"))

from killing import HOWS, JOBS, KINDS, WORKER, Damage, KilledRuns


def main() -> None:
    """Kill and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kind", choices=KINDS, action="append", help="default: all")
    parser.add_argument("--kills", type=int, default=10, help="of each row of the table")
    parser.add_argument(
        "--engines", choices=("native", "uci"), action="append", help="default: both"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    columns = ("kills", "lost", "doubled", "torn", "again", "orphans")
    print(f"{'kind':<8}{'engines':<9}{'signal':<9}" + "".join(f"{name:>9}" for name in columns))
    kept = True
    with tempfile.TemporaryDirectory() as text:
        for kind in given.kind or KINDS:
            for engines in KINDS[kind].engines:
                if given.engines and engines not in given.engines:
                    continue
                runs = KilledRuns(kind, engines, Path(text) / f"{kind}-{engines}")
                for how in HOWS:
                    if how == WORKER and kind == "import":
                        continue  # it has no workers
                    rng = random.Random(f"{given.seed} {kind} {engines} {how}")
                    found = [runs.kill(how, rng) for _ in range(given.kills)]
                    total = sum(found, Damage(kills=0))
                    again = max(one.replayed for one in found)
                    kept &= total == Damage(given.kills, replayed=total.replayed) and again <= JOBS
                    shown = "-" if engines != "uci" else str(again)
                    print(
                        f"{kind:<8}{engines:<9}{how:<9}{total.kills:>9}{total.lost:>9}"
                        f"{total.doubled:>9}{total.torn:>9}{shown:>9}{total.orphans:>9}",
                        flush=True,
                    )
    raise SystemExit(0 if kept else 1)


if __name__ == "__main__":
    main()
