"""A simulated objective for tests: two ordered parameters, a choice and a conditional one."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from engines.spec import Value

PARAMETERS = ["x=-100..100", "y=0.0..1.0", "kind=plain|odd|even", "z=1..9,kind=odd"]


def elo(point: Mapping[str, Value]) -> float:
    """Strength; the best is 0, at x = 40, y = 0.7, kind = odd, z = 6."""
    x, y = float(point["x"]), float(point["y"])
    loss = 60 * ((x - 40) / 100) ** 2 + 80 * (y - 0.7) ** 2
    if point["kind"] == "odd":
        return -loss - 2 * (float(point["z"]) - 6) ** 2
    return -loss - (30 if point["kind"] == "plain" else 60)


def ordered(
    parameters: Mapping[str, Value], opponent: Mapping[str, Value] | None,
    pairs: Sequence[int], seed: int,
) -> list[float]:  # fmt: skip
    """Without the choice."""
    fixed = {"kind": "odd", "z": 6}
    other = {"x": 0, "y": 0.5} if opponent is None else opponent
    return _scores({**parameters, **fixed}, {**other, **fixed}, pairs, seed)


def mixed(
    parameters: Mapping[str, Value], opponent: Mapping[str, Value] | None,
    pairs: Sequence[int], seed: int,
) -> list[float]:  # fmt: skip
    """With all parameters."""
    start = {"x": 0, "y": 0.5, "kind": "plain"}
    return _scores(parameters, start if opponent is None else opponent, pairs, seed)


def _scores(
    point: Mapping[str, Value], other: Mapping[str, Value], pairs: Sequence[int], seed: int
) -> list[float]:
    _note(pairs)
    mean = 1 / (1 + 10 ** ((elo(other) - elo(point)) / 400))
    return [round(4 * (mean + _noise(seed, pair, point, other))) / 4 for pair in pairs]


def _noise(seed: int, pair: int, point: Mapping[str, Value], other: Mapping[str, Value]) -> float:
    """Even, from -0.5 to 0.5."""
    text = f"{seed} {pair} {sorted(point.items())} {sorted(other.items())}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) / 2**32 - 0.5


def _note(pairs: Sequence[int]) -> None:
    """Count calls in the file ``CALLS``; die without warning at call number ``DIE_AT``."""
    if "CALLS" not in os.environ:
        return
    path = Path(os.environ["CALLS"])
    with path.open("a") as file:
        file.write(f"{list(pairs)}\n")
    if len(path.read_text().splitlines()) == int(os.environ.get("DIE_AT", "0")):
        os.kill(os.getpid(), signal.SIGKILL)
