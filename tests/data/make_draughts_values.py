"""Makes draughts_values.json: values and moves of positions of draughts, worked out in Python.

    python tests/data/make_draughts_values.py

The core must find the same (``engines/core/tests/draughts.rs``). Run it again when the
evaluations or their numbers change.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from engines.reference.games.draughts import Draughts, pieces
from engines.rules.draughts import START, DraughtsPosition

GAMES = 60
PER_GAME = 8
ENDINGS = 120
ROUND_TRIPS = 60
"""Positions in which a king may go round many men."""


def positions() -> Iterator[DraughtsPosition]:
    """Positions of games of random moves, and some with few pieces."""
    rng = random.Random(1)
    for _ in range(GAMES):
        game = [DraughtsPosition.read(START)]
        while moves := game[-1].moves():
            game.append(game[-1].after(rng.choice(moves)))
            if game[-1].reversible_plies >= 80:
                break
        yield from rng.sample(game, PER_GAME)
    made = 0
    while made < ENDINGS:
        squares = rng.sample(range(32), rng.randint(2, 9))
        board = ["."] * 32
        for square in squares:
            man = rng.choice("bw")
            king = rng.random() < 0.5 or square // 4 == {"b": 7, "w": 0}[man]
            board[square] = man.upper() if king else man
        position = DraughtsPosition("".join(board), rng.random() < 0.5, 0)
        if position.moves() and pieces(position) >= 2:
            made += 1
            yield position
    for _ in range(ROUND_TRIPS):
        king = rng.randrange(32)
        crossed = [s for s in range(4, 28) if (s // 4 - king // 4) % 2 and s % 8 not in (3, 4)]
        men = set(rng.sample(crossed, min(len(crossed), rng.randint(4, 9))))
        board = "".join("b" if s in men else "W" if s == king else "." for s in range(32))
        yield DraughtsPosition(board, True, 0)


def main() -> None:
    """Write the file beside this one."""
    games = {name: Draughts(name) for name in ("pst", "full")}
    texts = sorted({str(position) for position in positions()})
    rows = []
    for text in texts:
        position = DraughtsPosition.read(text)
        values = {name: game.value(position) for name, game in games.items()}
        rows.append(json.dumps({"text": text, **values, "moves": position.moves()}))
    out = Path(__file__).with_name("draughts_values.json")
    source = json.dumps("tests/data/make_draughts_values.py")
    body = ",\n".join(f"    {row}" for row in rows)
    out.write_text(f'{{\n  "source": {source},\n  "values": [\n{body}\n  ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
