"""What a page carries beside its words: data in columns, and pieces that the policy allows."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import chess.svg

from toolkit.show.pages.document import columns_of, embedded, pieces


def rows_of(columns: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """The rows again, as a page reads them."""

    def cell(name: str, place: int) -> Any:
        column = columns[name]
        return column[place] if isinstance(column, list) else column["of"][column["at"][place]]

    return [{name: cell(name, place) for name in columns} for place in range(number)]


def test_columns_hold_the_rows() -> None:
    for count in (0, 1, 2, 12):
        rng = random.Random(count)
        rows = [
            {
                "id": f"g{rng.randrange(1, 10)}",
                "name": rng.choice(["", "a", "</", "\u2028", "ä", "null"]),
                "plies": rng.randrange(400),
                "counted": rng.random() < 0.5,
            }
            for _ in range(count)
        ]
        assert rows_of(json.loads(embedded(columns_of(rows))), count) == rows


def test_ten_thousand_games_take_less_than_a_megabyte() -> None:
    rows = [
        {"id": f"g{n}", "white": f"engine-{n % 7}", "black": f"engine-{n % 5}", "result": "1-0",
         "end_reason": "resign-adjudication", "plies": n % 300, "pairing": n % 35,
         "pair": n // 70, "game": 1 + n % 2, "counted": True}
        for n in range(1, 10_001)
    ]  # fmt: skip
    assert len(embedded(columns_of(rows))) < 1_000_000


def test_pieces_have_no_styles_and_keep_their_colours() -> None:
    drawn = json.loads(pieces().removeprefix("window.mtdfPieces = ").removesuffix(";"))
    assert drawn.keys() == chess.svg.PIECES.keys()
    for letter, svg in drawn.items():
        assert "style=" not in svg
        real = chess.svg.PIECES[letter]
        for name in ("fill", "stroke"):
            wanted = re.findall(rf'{name}[:=]"?([#\w]+)', real)
            assert re.findall(rf'{name}="([#\w]+)', svg) == wanted
