"""Makes ``minimax.json``: values of plain minimax that take too long to compute in every test run.

Run with the native core installed, some minutes: ``python tests/data/make_minimax.py``. The values
depend on the rules of chess, on quiescence and on ``eval=pst``, which never change.

Quiescence without ordering explodes in some openings, so those of the book are taken whose trees
of depth 3 were searched fastest.
"""

from __future__ import annotations

import json
import time
from importlib import resources
from pathlib import Path

from engines import _core

BOOK_DEPTH, ENDGAME_DEPTH = 4, 6
BOOK_POSITIONS = {1: 208, 10: 52}
"""How many openings for each grain."""


def read_epd(text: str) -> list[str]:
    """The positions of an EPD text as FEN."""
    return [" ".join(line.split()[:4]) + " 0 1" for line in text.splitlines() if line.strip()]


def seconds(fen: str) -> float:
    """CPU time of plain minimax to depth 3."""
    start = time.process_time()
    _core.minimax(fen, 3, "pst", 1, True)
    return time.process_time() - start


def main() -> None:
    """Compute all values and write the file."""
    here = Path(__file__).parent
    book = resources.files("toolkit") / "data" / "openings_default.epd"
    openings = sorted(read_epd(book.read_text(encoding="utf-8")), key=seconds)
    endgames = read_epd((here / "endgames.epd").read_text(encoding="utf-8"))
    plan = [(BOOK_DEPTH, grain, openings[:count]) for grain, count in BOOK_POSITIONS.items()]
    groups = [
        {
            "depth": depth,
            "grain": grain,
            "values": {fen: _core.minimax(fen, depth, "pst", grain, True) for fen in fens},
        }
        for depth, grain, fens in [*plan, (ENDGAME_DEPTH, 1, endgames)]
    ]
    data = {"source": "engines._core.minimax, see make_minimax.py", "groups": groups}
    (here / "minimax.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
