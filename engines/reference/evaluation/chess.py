"""Static evaluation by the numbers of ``engines/data``, shared with the native core."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import chess

from engines.reference.evaluation.full import full_evaluation
from engines.reference.evaluation.tapered import (
    LIMIT,
    Evaluation,
    Tables,
    round_half_away,
    round_to_grain,
)

__all__ = [
    "LIMIT",
    "Evaluation",
    "load_evaluation",
    "read_evaluation",
    "round_half_away",
    "round_to_grain",
]


@cache
def load_evaluation(name: str) -> Evaluation:
    """The evaluation that is called ``name`` in the registry's parameter ``eval``."""
    text = (resources.files("engines") / "data" / f"{name}.json").read_text(encoding="utf-8")
    return read_evaluation(json.loads(text))


def read_evaluation(data: Mapping[str, Any]) -> Evaluation:
    """The evaluation of a data file."""
    symbols: str = data["piece_order"]
    tables: Tables = {}
    for symbol in symbols:
        piece_type = chess.PIECE_SYMBOLS.index(symbol)
        pairs = list(zip(data["mg"][symbol], data["eg"][symbol], strict=True))
        tables[piece_type, chess.WHITE] = tuple(pairs)
        tables[piece_type, chess.BLACK] = tuple(
            (-pairs[mirrored][0], -pairs[mirrored][1]) for mirrored in chess.SQUARES_180
        )
    base = Evaluation(
        tables=tables,
        phase=(0, *(data["phase"][symbol] for symbol in symbols)),
        phase_max=data["phase_max"],
        see=(0, *(data["see"][symbol] for symbol in symbols)),
    )
    if "terms" not in data:
        return base
    return full_evaluation(base, data)
