"""What the native core or the reference does, whichever is used."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Annotated, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import astuple

from engines import native
from engines.built import load
from engines.cache import user_cache
from engines.errors import PositionError, VariantError
from engines.native import NativeSearcher
from engines.registry import PARAMETERS
from engines.spec import Engine, Searcher, Variant

BackendName = Literal["native", "reference"]
_Found = TypeVar("_Found")


class BenchSearch(Struct, frozen=True):
    """One search of the bench."""

    position: Annotated[str, "the position as text; in chess FEN"]
    engine: Annotated[str, "the variant"]
    mode: Annotated[str, "`exact` or `selective`"]
    nodes: Annotated[int, "nodes searched"]
    value: Annotated[int, "value in units of the evaluation, in chess centipawns"]


class BenchReport(Struct, frozen=True):
    """The output of `bench`."""

    signature: Annotated[str, "16 hex digits; builds with the same signature play the same"]
    nodes: Annotated[int, "nodes of all searches"]
    time_us: Annotated[int, "wall clock in microseconds"]
    cpu_us: Annotated[int, "CPU time of all searching threads in microseconds"]
    nodes_per_second: Annotated[int, "nodes per second of CPU time"]
    searches: Annotated[list[BenchSearch], "searches, in order"]


def backend_name() -> BackendName:
    """The backend of this process. Raises EngineFailure if ``MTDF_BACKEND`` is not available."""
    return "reference" if load()[0] is None else "native"


def fallback_reason() -> str | None:
    """Why the reference is used, in one line; ``None`` on the native core."""
    return load()[1]


def most_threads() -> int:
    """With how many threads an engine of this backend can search: the reference has one."""
    return int(PARAMETERS["threads"].high or 1) if backend_name() == "native" else 1


def check_backend(engine: Engine) -> None:
    """Raises VariantError for a variant that this backend cannot play. An external engine does not
    need it."""
    if isinstance(engine, Variant) and engine.threads > most_threads():
        raise VariantError(
            f"engine `{engine.label}`: threads={engine.threads} needs the native core, and this is "
            "the reference, which has one thread; mtdf doctor says why"
        )


def make_searcher(variant: Variant) -> Searcher:
    """A player of this variant. Raises VariantError if the core rejects its parameters, or as
    :func:`check_backend`."""
    check_backend(variant)
    core = load()[0]
    if core is not None:
        return NativeSearcher(core, variant)
    from engines.reference import ReferenceSearcher

    return ReferenceSearcher(variant)


def perft(fen: str, depth: int, *, chess960: bool = False, game: str = "chess") -> int:
    """Leaves of the tree of legal moves. Raises PositionError; ValueError for depth < 0."""
    if depth < 0:
        raise ValueError(f"depth {depth} is negative")
    core = load()[0]
    if core is not None:
        return int(_in_position(lambda: core.perft(fen, depth, chess960, game)))
    from engines.reference.oracle import perft as count
    from engines.reference.seat import seat_of

    seat = seat_of({"game": game, "eval": "pst", "grain": 1, "swing": 0})
    seat.stand(fen, (), chess960)
    return count(seat.game(), depth)


def evaluate(fen: str, *, grain: int = 1, evaluation: str = "pst", game: str = "chess") -> int:
    """Static value for the side to move. Raises PositionError."""
    core = load()[0]
    if core is not None:
        return int(_in_position(lambda: core.evaluate(fen, evaluation, grain, game)))
    from engines.reference.seat import seat_at

    return seat_at(game, fen, evaluation, grain).game().static()


def plain_value(variant: Variant, fen: str, depth: int, moves: Sequence[int] = ()) -> int:
    """The value of the variant's exact tree, by minimax without cuts above the leaves.

    ``moves`` are played first. Raises PositionError; ValueError for depth < 0.
    """
    if depth < 0:
        raise ValueError(f"depth {depth} is negative")
    name, grain = str(variant.parameters["eval"]), int(variant.parameters["grain"])
    quiescence, swing = bool(variant.parameters["quiescence"]), int(variant.parameters["swing"])
    core = load()[0]
    if core is None or moves:  # the reference has boards to play moves on
        from engines.reference.seat import seat_of

        seat = seat_of(variant.parameters)
        seat.stand(fen, moves, False)
        fen = seat.text()
    if core is not None:
        tree = (name, grain, quiescence, swing, variant.game)
        return int(_in_position(lambda: core.minimax(fen, depth, *tree)))
    from engines.reference.oracle import minimax

    return minimax(seat.game(), depth, quiescence=quiescence)


def conversation() -> ModuleType | None:
    """What talks to external engines by its functions ``play_plies`` and ``read_answer``, see
    ``engines/_core.pyi``; None on the reference, whose caller reads line by line."""
    return load()[0]


def follow_lines(
    fen: str, chess960: bool, moves: Sequence[int], lines: Sequence[tuple[int, str]]
) -> list[tuple[list[int], bool]]:
    """As :func:`engines.reference.lines.follow_lines`."""
    core = load()[0]
    if core is None:
        from engines.reference.lines import follow_lines as in_python

        return in_python(fen, chess960, moves, lines)
    found: list[tuple[list[int], bool]] = _in_position(
        lambda: core.follow_lines(fen, chess960, moves, lines)
    )
    return found


SaidOfSearch = tuple[int | None, int | None, int | None, int | None, str]
"""The fields of :class:`engines.external.protocol.Info`."""


def last_info(text: bytes) -> SaidOfSearch:
    """As :func:`engines.external.protocol.last_info`. The core reads it, because this is asked
    after each move: the search has displaced Python from the processor's caches, so it is slow."""
    core = load()[0]
    if core is None:
        from engines.external.protocol import last_info as in_python

        return in_python(text)
    found: SaidOfSearch = core.last_info(text)
    return found


def bench(game: str = "chess") -> BenchReport:
    """Search a fixed set of positions of a game; takes less than two seconds."""
    core = load()[0]
    start_ns, cpu_start_ns = time.perf_counter_ns(), time.thread_time_ns()
    if core is not None:
        rows = [BenchSearch(*row) for row in core.bench(game)]
    else:
        from engines.reference import bench as reference_bench

        rows = [BenchSearch(*row) for row in reference_bench.run(game)]
    cpu_us = (time.thread_time_ns() - cpu_start_ns) // 1000
    time_us = (time.perf_counter_ns() - start_ns) // 1000
    nodes = sum(row.nodes for row in rows)
    speed = round(nodes * 1_000_000 / max(cpu_us, 1))
    return BenchReport(_sign(rows), nodes, time_us, cpu_us, speed, rows)


def signature(game: str = "chess") -> str:
    """16 hex digits that identify how this backend plays a game; without a game that of chess. The
    bench of a build of the core runs once for a user: the same file plays alike."""
    return _kept_signature(game) or benched_signature(game)


def benched_signature(game: str) -> str:
    """The signature as the bench finds it, which runs once per process."""
    found = first_bench(game).signature
    place = _signature_file(game)
    if place is not None:
        with suppress(OSError):  # without a cache the bench runs each time
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(found)
    return found


@cache
def _kept_signature(game: str) -> str | None:
    """What the bench found for this build; None if there is nothing, or half of it."""
    place = _signature_file(game)
    try:
        found = "" if place is None else place.read_text()
    except (OSError, UnicodeDecodeError):
        return None
    return found if re.fullmatch(r"[0-9a-f]{16}", found) else None


def _signature_file(game: str) -> Path | None:
    """Where the signature of this build of the core, and of the code that runs its bench, is kept;
    None for the reference, and where no folder is known."""
    core = load()[0]
    if core is None:
        return None
    try:
        parts = (str(core.__file__), __file__, native.__file__)
        digest = hashlib.sha256(b"".join(Path(part).read_bytes() for part in parts))
        return user_cache() / f"signature-{game}-{digest.hexdigest()}"
    except (OSError, RuntimeError):
        return None


def speed() -> int:
    """Nodes per second of CPU time in the bench, which runs once per process."""
    return first_bench("chess").nodes_per_second


@cache
def first_bench(game: str) -> BenchReport:
    """:func:`bench`, which runs once per process."""
    return bench(game)


def core_info() -> dict[str, str]:
    """What ``doctor`` shows about the backend: its name, versions and file."""
    core, reason = load()
    if core is None:
        import chess

        return {
            "backend": "reference",
            "reason": reason or "",
            "python-chess": chess.__version__,
        }
    return {
        "backend": "native",
        "core": str(core.version()),
        "profile": str(core.build_profile()),
        "cozy-chess": str(core.chess_version()),
        "path": str(core.__file__),
    }


def _sign(rows: Sequence[BenchSearch]) -> str:
    name = backend_name()
    text = json.dumps([astuple(row) for row in rows], separators=(",", ":"))
    # The prefix makes the signatures of the two backends differ even if their counts are equal.
    return hashlib.sha256(f"{name}\n{text}".encode()).hexdigest()[:16]


def _in_position(call: Callable[[], _Found]) -> _Found:
    try:
        return call()
    except ValueError as error:
        raise PositionError(str(error)) from error
