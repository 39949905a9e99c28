"""THE declaration of drivers and parameters: name, default, range, meaning.

The variant grammar and its errors, command-line help and completion, UCI options, the tuner's
search space, the docs tables and the complete set of values handed to the core come from here.
The core holds no default; a test demands that both sides have the same names and ranges.
"""

from __future__ import annotations

from engines.choices import CONVERGENCES, EXPECTED_PV, GUESSES, REPLACEMENTS
from engines.spec import DriverSpec, Param


def _coefficient(name: str, default: int, high: int, of: str) -> Param:
    """A coefficient of the linear first guess, in thousandths."""
    doc = f"thousandths of {of} in guess=regression and quantile"
    needs = ("guess", ("regression", "quantile"))
    return Param(name, "int", default, doc, low=-high, high=high, needs=needs, off=0)


def _margin(name: str, default: int, high: int, doc: str) -> Param:
    """A margin in centipawns; 0 switches the feature off."""
    doc = f"selective: {doc}, in centipawns; 0 = off"
    return Param(name, "int", default, doc, low=0, high=high, neutral=0, off=0)


def _memory(name: str, doc: str, *, neutral: bool = False) -> Param:
    """A memory that orders moves; ``neutral`` tells whether it is older than its parameter."""
    return Param(name, "flag", True, doc, neutral=neutral, off=False)


_ALL = [
    Param(
        "guess",
        "choice",
        "parity",
        "first guess of each iteration",
        choices=tuple(GUESSES),
        off="zero",
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
        "offset_odd",
        "int",
        25,
        "what guess=offset adds at odd depths, in centipawns",
        low=-200,
        high=200,
        needs=("guess", ("offset",)),
    ),
    Param(
        "offset_even",
        "int",
        -25,
        "what guess=offset adds at even depths, in centipawns",
        low=-200,
        high=200,
        needs=("guess", ("offset",)),
    ),
    Param(
        "rate",
        "int",
        50,
        "weight of the newest value in the exponential means of guess=drift and ema, in percent",
        low=0,
        high=100,
        needs=("guess", ("drift", "ema")),
    ),
    Param(
        "trend",
        "int",
        50,
        "share of the last change that guess=trend expects again, in percent",
        low=-200,
        high=200,
        needs=("guess", ("trend",)),
    ),
    # Fitted by `mtdf lab fit --guess quantile --count 600 --depth 6` to 300 positions of the book
    # balanced-20k (21 November 2026). The fit shared -25 and -33 out between the static and the
    # quiescence value, which tell nearly the same; here the static one has both, and nothing is
    # searched for it. The book has openings alone, so nothing is known of the phase. On
    # such positions they save 1 % of the nodes, on those of lab-60, of all phases, nothing.
    _coefficient("regression_last", 622, 2000, "the value one iteration back"),
    _coefficient("regression_before", 361, 2000, "the value two iterations back"),
    _coefficient("regression_static", -58, 2000, "the static value of the root"),
    _coefficient(
        "regression_quiescence",
        0,
        2000,
        "the quiescence value of the root, which is searched unless this is 0,",
    ),
    _coefficient("regression_odd", 3_089, 200_000, "a centipawn, added at odd depths"),
    _coefficient("regression_even", -4_129, 200_000, "a centipawn, added at even depths"),
    _coefficient(
        "regression_odd_phase",
        0,
        10_000,
        "a centipawn, added at odd depths for each unit of phase (24 with all men, 0 with pawns "
        "alone),",
    ),
    _coefficient(
        "regression_even_phase",
        0,
        10_000,
        "a centipawn, added at even depths for each unit of phase,",
    ),
    Param(
        "quantile_odd",
        "int",
        -3,
        "what guess=quantile adds to guess=regression at odd depths, in centipawns",
        low=-200,
        high=200,
        needs=("guess", ("quantile",)),
        off=0,
    ),
    Param(
        "quantile_even",
        "int",
        -3,
        "what guess=quantile adds to guess=regression at even depths, in centipawns",
        low=-200,
        high=200,
        needs=("guess", ("quantile",)),
        off=0,
    ),
    Param(
        "convergence",
        "choice",
        "growth",
        "how the null windows of an iteration move",
        choices=tuple(CONVERGENCES),
        neutral="plaat",
        off="plaat",
    ),
    Param(
        "step",
        "int",
        20,
        "fixed or first step of a convergence, in centipawns; at least the grain",
        low=1,
        high=1000,
        log=True,
        needs=("convergence", ("step", "one-side", "bisect")),
    ),
    Param(
        "side",
        "choice",
        "above",
        "side from which convergence=one-side comes to the value",
        choices=("above", "below"),
        needs=("convergence", ("one-side",)),
    ),
    Param(
        "max_passes",
        "int",
        0,
        "null windows after which one window over what they leave ends an iteration; 0 = never",
        low=0,
        high=1000,
        neutral=0,
        off=0,
    ),
    Param(
        "null_passes",
        "int",
        2,
        "the most null windows of an iteration before PVS searches what they leave",
        low=1,
        high=1000,
        log=True,
    ),
    Param(
        "stride",
        "int",
        50,
        "distance of the next null window below the value just returned, in centipawns",
        low=1,
        high=1000,
        log=True,
    ),
    Param(
        "window",
        "int",
        25,
        "half width of the aspiration window around the previous value, in centipawns; 0 = open",
        low=0,
        high=2000,
        off=0,
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
        off=0,
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
    Param(
        "bounds",
        "choice",
        "two",
        "an entry keeps one bound, or both that searches of the same depth found",
        choices=("one", "two"),
        neutral="two",
        off="one",
    ),
    Param(
        "replacement",
        "choice",
        "age",
        "what makes room for a new entry of the table",
        choices=tuple(REPLACEMENTS),
        neutral="age",
    ),
    Param(
        "etc",
        "int",
        0,
        "depth from which stored bounds of the children may cut a node (enhanced transposition "
        "cut-offs); 0 = never",
        low=0,
        high=30,
        neutral=0,
        off=0,
    ),
    Param(
        "iid",
        "flag",
        False,
        "internal iterative deepening: a node from depth 4 on that has no table move and is not "
        "expected to need all its moves is searched two plies shallower first",
        neutral=False,
        off=False,
    ),
    Param(
        "eval",
        "choice",
        "full",
        "evaluation: square tables alone, or all terms of docs/evaluation.md",
        choices=("pst", "full"),
        tunable=False,
        off="pst",
    ),
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
        off=False,
    ),
    Param(
        "expected_pv",
        "choice",
        "first",
        "selective: which later moves of an expected PV node are searched again as expected PV",
        choices=tuple(EXPECTED_PV),
        neutral="first",
        off="none",
    ),
    Param("null_move", "flag", True, "selective: skip a move to prove a cut", off=False),
    Param(
        "null_move_reduction",
        "int",
        3,
        "selective: plies by which a null move is searched shallower",
        low=1,
        high=6,
        needs=("null_move", (True,)),
    ),
    Param(
        "null_move_slope",
        "int",
        4,
        "selective: a null move is searched one ply shallower for each so many plies of depth, "
        "and for each 200 centipawns above beta; 0 = neither",
        low=0,
        high=12,
        neutral=0,
        needs=("null_move", (True,)),
        off=0,
    ),
    Param(
        "null_move_verification",
        "int",
        8,
        "selective: depth from which a null move's cut is verified by moves; 0 = never",
        low=0,
        high=30,
        neutral=0,
        needs=("null_move", (True,)),
        off=0,
    ),
    _margin(
        "reverse_futility",
        80,
        300,
        "a node whose static value beats beta by this margin a ply is cut",
    ),
    _margin(
        "razoring",
        250,
        1000,
        "a node whose static value misses alpha by this margin a ply is left to quiescence",
    ),
    _margin(
        "futility",
        100,
        400,
        "quiet moves are left out where the static value misses alpha by this margin a ply",
    ),
    Param(
        "late_move_pruning",
        "int",
        4,
        "selective: quiet moves beyond this number + depth^2 are left out at shallow depth, "
        "beyond half as many where the static value does not grow; 0 = none",
        low=0,
        high=30,
        neutral=0,
        off=0,
    ),
    _margin(
        "see_pruning",
        60,
        300,
        "moves that lose this much a ply by exchange on their square (quiet ones: half of it) "
        "are left out",
    ),
    _memory("spare_checks", "selective: moves that check are not left out"),
    _margin(
        "delta_pruning",
        150,
        1000,
        "captures that miss alpha by this margin are left out of quiescence",
    ),
    Param(
        "late_move_reductions",
        "flag",
        True,
        "selective: search late quiet moves shallower",
        off=False,
    ),
    Param(
        "reduction_base",
        "int",
        40,
        "selective: hundredths of a ply by which a late move is reduced",
        low=-200,
        high=400,
        neutral=40,
        needs=("late_move_reductions", (True,)),
    ),
    Param(
        "reduction_slope",
        "int",
        45,
        "selective: hundredths of a ply more for each ln(depth) x ln(number of the move)",
        low=0,
        high=200,
        neutral=45,
        needs=("late_move_reductions", (True,)),
        off=0,
    ),
    Param(
        "history_reduction",
        "int",
        2,
        "selective: plies less or more by which a late move of the best or worst history is "
        "reduced",
        low=0,
        high=8,
        neutral=0,
        needs=("late_move_reductions", (True,)),
        off=0,
    ),
    Param(
        "internal_reduction",
        "int",
        4,
        "selective: depth from which a node without a table move is searched one ply shallower; "
        "0 = never",
        low=0,
        high=30,
        neutral=0,
        off=0,
    ),
    Param(
        "check_extension", "flag", True, "selective: search one ply deeper when in check", off=False
    ),
    Param(
        "singular_extension",
        "int",
        7,
        "selective: depth from which a table move that no other comes near is searched one ply "
        "deeper; 0 = never",
        low=0,
        high=30,
        neutral=0,
        off=0,
    ),
    _memory("quiescence_table", "selective: quiescence uses the table"),
    _memory("killers", "two quiet moves a ply that cut last are tried early", neutral=True),
    _memory("counter_moves", "the quiet move that last refuted the move before is tried early"),
    _memory("continuation_history", "quiet moves are ordered by what they did after the last two"),
    _memory("capture_history", "captures are ordered by how often they cut, too"),
]
PARAMETERS: dict[str, Param] = {param.name: param for param in _ALL}

_NAMES = tuple(PARAMETERS)
_GUESS = _NAMES[: _NAMES.index("convergence")]
"""All that stand before it in the list above."""
_CONVERGENCE = ("convergence", "step", "side")
_TABLE = ("hash", "entries", "bounds", "replacement", "etc", "iid")
TREE = ("eval", "grain", "quiescence")
"""The parameters that change the exact value of a position, and not only the way to it."""
_SELECTIVE = _NAMES[_NAMES.index("expected_pv") :]
"""All that follow in the list above: selective search, and what orders moves."""

_DRIVERS = [
    DriverSpec(
        "alphabeta",
        "fail-soft alpha-beta with memory, open window; `hash=0` is alpha-beta without memory",
        "Knuth and Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6, 1975",
        "open",
        (*_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "pvs",
        "principal variation search: null windows after the first move, with aspiration",
        "Marsland and Campbell, Parallel search of strongly ordered game trees, "
        "Computing Surveys 14, 1982; Reinefeld, ICCA Journal 6, 1983",
        "open",
        ("window", *_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "mtdf",
        "MTD(f): null windows only, from a first guess until the bounds meet",
        "Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
        "Artificial Intelligence 87, 1996",
        "null",
        (*_GUESS, *_CONVERGENCE, "max_passes", *_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "negascout",
        "NegaScout as published: an open root, and what a null window finds better is searched "
        "again from its value, in exact trees without quiescence not in the last two plies",
        "Reinefeld, An improvement to the Scout tree search algorithm, ICCA Journal 6(4), 1983",
        "open",
        (*_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "hybrid",
        "MTD(f) until the value lies between two bounds or for some passes, then PVS between them",
        "common practice without a publication that we know; its parts are those of mtdf (1996) "
        "and pvs (1982)",
        "both",
        (*_GUESS, *_CONVERGENCE, "null_passes", *_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "sss",
        "SSS* as null windows from above: each at the upper bound just found",
        "Stockman, A minimax algorithm better than alpha-beta?, Artificial Intelligence 12, 1979; "
        "as null windows with memory: Plaat et al., Artificial Intelligence 87, 1996",
        "null",
        (*_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "dual",
        "DUAL* as null windows from below: each just above the lower bound just found",
        "Marsland, Reinefeld and Schaeffer, Low overhead alternatives to SSS*, Artificial "
        "Intelligence 31, 1987; as null windows with memory: Plaat et al., 1996",
        "null",
        (*_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "mtd-bi",
        "MTD(bi), C*: null windows in the middle of the bounds, from all values on",
        "Coplan, A special-purpose machine for an improved search algorithm for deep chess "
        "combinations, Advances in Computer Chess 3, 1982; Plaat et al., 1996",
        "null",
        (*_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "mtd-step",
        "MTD(step): null windows from above, each a stride below the value just returned",
        "Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
        "Artificial Intelligence 87, 1996",
        "null",
        ("stride", *_TABLE, *TREE, *_SELECTIVE),
    ),
    DriverSpec(
        "mtd-best",
        "MTD(best): proves the best move by a null window on each other one; its value is the "
        "lower bound of that move",
        "Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
        "Artificial Intelligence 87, 1996, after Berliner's B*, Artificial Intelligence 12, 1979",
        "null",
        (*_GUESS, *_TABLE, *TREE, *_SELECTIVE),
        proves="move",
    ),
    DriverSpec(
        "bns",
        "Best Node Search: null windows on all root moves, set by how many reached the last one; "
        "its value is the lower bound of the move",
        "Rutko, Fuzzified tree search in real domain games, MICAI, 2011",
        "null",
        (*_GUESS, *_TABLE, *TREE, *_SELECTIVE),
        proves="move",
    ),
    DriverSpec(
        "minimax",
        "plain minimax: nothing cut above the leaves, no table, nothing selective but draws",
        "Shannon, Programming a computer for playing chess, Philosophical Magazine 41, 1950",
        "open",
        TREE,
    ),
]
DRIVERS: dict[str, DriverSpec] = {driver.name: driver for driver in _DRIVERS}
