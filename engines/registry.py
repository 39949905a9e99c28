"""THE declaration of drivers and parameters: name, default, range, meaning.

The variant grammar and its errors, command-line help and completion, UCI options, the tuner's
search space, the docs tables and the complete set of values handed to the core come from here.
The core holds no default; a test demands that both sides know the same names.
"""

from __future__ import annotations

from engines.spec import DriverSpec, Param

GUESSES: dict[str, str] = {
    "zero": "always 0",
    "static": "the static value of the root",
    "previous": "the value of the iteration before",
    "parity": "the value two iterations back: separate guesses for odd and even depths",
    "average": "the mean of the last two values, rounded half away from zero",
    "blend": "weight x previous + (1 - weight) x parity, rounded half away from zero",
}
"""First guesses of null-window drivers; where too few iterations are known, the nearest older
one, and at first the static value, stands in."""

_ALL = [
    Param(
        "guess",
        "choice",
        "parity",
        "first guess of each iteration",
        choices=tuple(GUESSES),
    ),
    Param(
        "weight",
        "float",
        0.5,
        "share of the previous value in guess=blend",
        low=0.0,
        high=1.0,
        needs=("guess", ("blend",)),
    ),
    Param(
        "window",
        "int",
        25,
        "half width of the aspiration window around the previous value, in centipawns; 0 = open",
        low=0,
        high=2000,
    ),
    Param(
        "hash",
        "int",
        16,
        "size of the transposition table in MB; 0 = no table",
        low=0,
        high=65536,
        excludes="entries",
        tunable=False,
    ),
    Param(
        "entries",
        "int",
        0,
        "size of the transposition table in entries, a power of two; 0 = use hash",
        low=0,
        high=2**30,
        excludes="hash",
        power_of_two=True,
        tunable=False,
    ),
    Param("eval", "choice", "pst", "evaluation", choices=("pst", "full"), tunable=False),
    Param(
        "grain",
        "int",
        1,
        "evaluations are rounded half away from zero to multiples of this, in centipawns",
        low=1,
        high=200,
        log=True,
    ),
    Param(
        "quiescence",
        "flag",
        True,
        "search captures at the leaves until the position is quiet",
        tunable=False,
    ),
    Param("null_move", "flag", True, "selective: skip a move to prove a cut"),
    Param(
        "null_move_reduction",
        "int",
        3,
        "selective: plies by which a null move is searched shallower",
        low=1,
        high=6,
        needs=("null_move", (True,)),
    ),
    Param("late_move_reductions", "flag", True, "selective: search late quiet moves shallower"),
    Param("check_extension", "flag", True, "selective: search one ply deeper when in check"),
]
PARAMETERS: dict[str, Param] = {param.name: param for param in _ALL}

_TABLE = ("hash", "entries")
_TREE = ("eval", "grain", "quiescence")
_SELECTIVE = ("null_move", "null_move_reduction", "late_move_reductions", "check_extension")

_DRIVERS = [
    DriverSpec(
        "alphabeta",
        "fail-soft alpha-beta with memory, open window",
        "Knuth and Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6, 1975",
        "open",
        (*_TABLE, *_TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "pvs",
        "principal variation search: null windows after the first move, with aspiration",
        "Marsland and Campbell, Parallel search of strongly ordered game trees, "
        "Computing Surveys 14, 1982; Reinefeld, ICCA Journal 6, 1983",
        "open",
        ("window", *_TABLE, *_TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "mtdf",
        "MTD(f): null windows only, from a first guess until the bounds meet",
        "Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
        "Artificial Intelligence 87, 1996",
        "null",
        ("guess", "weight", *_TABLE, *_TREE, *_SELECTIVE),
    ),
]
DRIVERS: dict[str, DriverSpec] = {driver.name: driver for driver in _DRIVERS}
