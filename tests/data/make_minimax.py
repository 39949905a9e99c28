"""Makes ``minimax.json``: values of plain minimax that take too long to compute in every test run.

Run with the native core installed, about ten minutes: ``python tests/data/make_minimax.py``.
The values depend on the rules of chess, on quiescence and on ``eval=pst``, which never change.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from engines import _core

BOOK_POSITIONS, BOOK_DEPTH, BOOK_GRAINS = 208, 4, (1, 10)
ENDGAME_DEPTH = 6


def read_epd(text: str) -> list[str]:
    """The positions of an EPD text as FEN."""
    return [" ".join(line.split()[:4]) + " 0 1" for line in text.splitlines() if line.strip()]


def main() -> None:
    """Compute all values and write the file."""
    here = Path(__file__).parent
    book = resources.files("toolkit") / "data" / "openings_default.epd"
    openings = read_epd(book.read_text(encoding="utf-8"))[:BOOK_POSITIONS]
    endgames = read_epd((here / "endgames.epd").read_text(encoding="utf-8"))
    groups = [
        {
            "depth": depth,
            "grain": grain,
            "values": {fen: _core.minimax(fen, depth, "pst", grain, True) for fen in fens},
        }
        for depth, grain, fens in [
            *((BOOK_DEPTH, grain, openings) for grain in BOOK_GRAINS),
            (ENDGAME_DEPTH, 1, endgames),
        ]
    ]
    data = {"source": "engines._core.minimax, see make_minimax.py", "groups": groups}
    (here / "minimax.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
