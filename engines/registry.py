"""THE declaration of drivers and parameters: names, defaults, ranges and meanings.

The variant grammar and its errors, command-line help and completion, UCI options, the tuner's
search space, the docs tables and the complete set of values passed to the core come from here.
Defaults are tuned for games: those of the windows and of the selective search are what a study of
MTD(f) found for each (docs/tuning.md), for all drivers, but for ``etc`` and the aspiration window.
The core has no defaults; a test checks that both sides have the same names and ranges.
"""

from __future__ import annotations

from msgspec import structs

from engines.choices import (
    ADOPTED,
    CONVERGENCES,
    DEFAULT_GAME,
    ETC_RULES,
    EXPECTED_PV,
    GAMES,
    GUESSES,
    PARALLEL,
    REPLACEMENTS,
    REPORTED,
)
from engines.rules import draughts_defaults, othello_defaults
from engines.spec import DriverSpec, Param

_MEASURED = ("othello", "draughts")
"""Those for which the core has the deviations of searches of other depths."""
_CHESS = ("chess",)
"""Elsewhere a pass is illegal or zugzwang common, captures are compulsory or there are none."""
_CAPTURING = ("chess", *_MEASURED)
"""Connect Four has no captures, and no move in it forces the other side but the last."""


def _margin(name: str, default: int, high: int, doc: str, games: tuple[str, ...] = ()) -> Param:
    """A margin in centipawns; 0 switches the feature off."""
    doc = f"selective: {doc}, in centipawns; 0 = off"
    return Param(name, "int", default, doc, low=0, high=high, neutral=0, off=0, games=games)


def _memory(name: str, doc: str, *, neutral: bool = False, games: tuple[str, ...] = ()) -> Param:
    """A memory that orders moves; ``neutral`` is true if it is older than its parameter."""
    return Param(name, "flag", True, doc, neutral=neutral, off=False, games=games)


_ALL = [
    Param(
        "game",
        "choice",
        DEFAULT_GAME,
        "game that is played",
        choices=tuple(GAMES),
        neutral="chess",
        tunable=False,
    ),
    Param(
        "guess",
        "choice",
        "previous",
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
        "added by guess=offset at odd depths, in centipawns",
        low=-200,
        high=200,
        needs=("guess", ("offset",)),
    ),
    Param(
        "offset_even",
        "int",
        -25,
        "added by guess=offset at even depths, in centipawns",
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
        "share of the last change that guess=trend extrapolates, in percent",
        low=-200,
        high=200,
        needs=("guess", ("trend",)),
    ),
    Param(
        "convergence",
        "choice",
        "bisect",
        "how the next null window of an iteration is chosen",
        choices=tuple(CONVERGENCES),
        neutral="plaat",
        off="plaat",
    ),
    Param(
        "step",
        "int",
        18,
        "fixed or first step of the convergence, in centipawns; at least the grain",
        low=1,
        high=1000,
        log=True,
        needs=("convergence", ("step", "one-side", "bisect")),
    ),
    Param(
        "side",
        "choice",
        "above",
        "side from which convergence=one-side approaches the value",
        choices=("above", "below"),
        needs=("convergence", ("one-side",)),
    ),
    Param(
        "below",
        "int",
        6,
        "distance of the first window below the first guess, or of the aspiration window's centre "
        "below the previous value, in centipawns",
        low=-100,
        high=100,
        neutral=0,
        off=0,
        needs=("window", tuple(range(1, 2001))),
    ),
    Param(
        "tolerance",
        "int",
        22,
        "selective: end an iteration when its bounds lie no further apart than this, in "
        "centipawns; 0 = when they meet",
        low=0,
        high=64,
        neutral=0,
        off=0,
    ),
    Param(
        "reported",
        "choice",
        "lower",
        "selective: value reported of an iteration that tolerance ended",
        choices=tuple(REPORTED),
        neutral="lower",
        needs=("tolerance", tuple(range(1, 65))),
    ),
    Param(
        "reopen",
        "flag",
        False,
        "selective: forget a bound that a later pass of the iteration contradicts, at most twice, "
        "instead of ending the iteration; no effect with best_move_stop=on",
        neutral=False,
        off=False,
    ),
    Param(
        "adopt",
        "choice",
        "all",
        "selective: null windows that failed high whose move an unfinished iteration plays",
        choices=tuple(ADOPTED),
        neutral="proven",
    ),
    Param(
        "max_passes",
        "int",
        0,
        "null windows before one search of the remaining window ends an iteration; 0 = no limit",
        low=0,
        high=1000,
        neutral=0,
        off=0,
    ),
    Param(
        "null_passes",
        "int",
        2,
        "maximum number of null windows before PVS searches the remaining window",
        low=1,
        high=1000,
        log=True,
    ),
    Param(
        "cap",
        "int",
        0,
        "how far the window after the null windows reaches on a side without a bound, in "
        "centipawns; four times as far each time it fails there; 0 = open",
        low=0,
        high=1000,
        neutral=0,
        off=0,
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
        22,
        "half-width of the aspiration window around the previous value less `below`, in "
        "centipawns; 0 = open",
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
        "bounds stored in a table entry: one, or both if searches of the same depth found them",
        choices=("one", "two"),
        neutral="two",
        off="one",
        needs_table=True,
    ),
    Param(
        "replacement",
        "choice",
        "age",
        "which table entry a new one replaces",
        choices=tuple(REPLACEMENTS),
        neutral="age",
        needs_table=True,
    ),
    Param(
        "etc",
        "int",
        0,
        "minimum depth at which stored bounds of the children may cut a node (enhanced "
        "transposition cut-offs); 0 = never",
        low=0,
        high=30,
        neutral=0,
        off=0,
        needs_table=True,
    ),
    Param(
        "etc_rule",
        "choice",
        "cut",
        "exact: what stored bounds of the children may do at nodes from depth etc on",
        choices=tuple(ETC_RULES),
        neutral="cut",
        off="cut",
        needs=("etc", tuple(range(1, 31))),
    ),
    Param(
        "leaf_bounds",
        "flag",
        False,
        "exact: keep bounds of leaves and of quiescence nodes in the transposition table",
        neutral=False,
        off=False,
        needs_table=True,
    ),
    Param(
        "low_move",
        "choice",
        "old",
        "table move of a node that failed low: the old one if there is one, or the move of the "
        "best fail-soft value",
        choices=("old", "best"),
        neutral="old",
        off="old",
        needs_table=True,
    ),
    Param(
        "iid",
        "flag",
        False,
        "internal iterative deepening: from depth 4, first search a node two plies shallower if it "
        "has no table move and is not an expected all node",
        neutral=False,
        off=False,
        needs_table=True,
    ),
    Param(
        "depth_step",
        "int",
        1,
        "plies between iterations; depth 1 and the depth of the limit are always searched",
        low=1,
        high=4,
        neutral=1,
        off=1,
    ),
    Param(
        "threads",
        "int",
        1,
        "threads that search together, each on a processor core of its own; with more than one, "
        "equal searches may differ in nodes, and in games in their moves",
        low=1,
        high=64,
        neutral=1,
        tunable=False,
    ),
    Param(
        "parallel",
        "choice",
        "lazy",
        "what the other threads search beside the main thread",
        choices=tuple(PARALLEL),
        neutral="lazy",
        tunable=False,
        needs=("threads", tuple(range(2, 65))),
    ),
    Param(
        "eval",
        "choice",
        "full",
        "evaluation: piece-square tables only, or all terms of docs/evaluation.md",
        choices=("pst", "full"),
        tunable=False,
        off="pst",
    ),
    Param(
        "grain",
        "int",
        1,
        "round evaluations to multiples of this, half away from zero, in centipawns",
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
        "swing",
        "int",
        0,
        "added to every evaluation for the side to move, before rounding to the grain, so that "
        "values swing between odd and even depths, in centipawns",
        low=0,
        high=200,
        neutral=0,
        tunable=False,
    ),
    Param(
        "expected_pv",
        "choice",
        "first",
        "selective: which later moves of an expected PV node to search again as expected PV",
        choices=tuple(EXPECTED_PV),
        neutral="first",
        off="none",
    ),
    Param(
        "null_move",
        "flag",
        True,
        "selective: pass (null move) to prove a cut",
        off=False,
        games=_CHESS,
    ),
    Param(
        "null_move_reduction",
        "int",
        3,
        "selective: depth reduction of a null-move search, in plies",
        low=1,
        high=6,
        games=_CHESS,
        needs=("null_move", (True,)),
    ),
    Param(
        "null_move_slope",
        "int",
        5,
        "selective: reduce a null-move search by one more ply for every so many plies of depth, "
        "and for every 200 centipawns above beta (at most 3 times); 0 = neither",
        low=0,
        high=12,
        neutral=0,
        games=_CHESS,
        needs=("null_move", (True,)),
        off=0,
    ),
    Param(
        "null_move_verification",
        "int",
        10,
        "selective: minimum depth at which a search of the moves verifies a null-move cut; "
        "0 = never",
        low=0,
        high=30,
        neutral=0,
        games=_CHESS,
        needs=("null_move", (True,)),
        off=0,
    ),
    Param(
        "decided",
        "int",
        700,
        "selective: value beyond which a game is decided, so that no margin and no number cuts a "
        "node or skips a move, in centipawns",
        low=100,
        high=10_000,
        neutral=700,
        log=True,
    ),
    _margin(
        "reverse_futility",
        74,
        300,
        "cut a node if its static value exceeds beta by this margin per ply",
    ),
    _margin(
        "razoring",
        149,
        1000,
        "leave a node to quiescence if its static value is below alpha by this margin per ply",
    ),
    _margin(
        "futility",
        44,
        400,
        "skip quiet moves if the static value is below alpha by this margin per ply",
    ),
    Param(
        "probcut",
        "int",
        0,
        "selective: settle a node by a search of half its depth that misses the window by this "
        "many hundredths of the standard deviation between both; 0 = off",
        low=0,
        high=400,
        neutral=0,
        off=0,
        games=_MEASURED,
    ),
    Param(
        "late_move_pruning",
        "int",
        6,
        "selective: at shallow depth, skip quiet moves after the first (this number + depth^2), "
        "or half as many if the static value is not improving; 0 = off",
        low=0,
        high=30,
        neutral=0,
        off=0,
    ),
    _margin(
        "see_pruning",
        87,
        300,
        "skip moves that lose this much per ply by static exchange (quiet moves: half as much)",
        _CHESS,
    ),
    _margin(
        "offer_pruning",
        0,
        300,
        "at shallow depth, skip quiet moves after which compulsory captures lose half as much per "
        "ply",
        ("draughts",),
    ),
    _memory(
        "spare_checks",
        "selective: never skip moves that give check, or that leave the other side no choice",
    ),
    _margin(
        "delta_pruning",
        254,
        1000,
        "skip captures in quiescence that stay below alpha by this margin",
        _CHESS,
    ),
    Param(
        "late_move_reductions",
        "flag",
        True,
        "selective: search late moves shallower if they are quiet or lose material",
        off=False,
    ),
    Param(
        "reduction_base",
        "int",
        -1,
        "selective: constant part of the reduction of late moves, in hundredths of a ply",
        low=-200,
        high=400,
        neutral=40,
        needs=("late_move_reductions", (True,)),
    ),
    Param(
        "reduction_slope",
        "int",
        75,
        "selective: added to the reduction per ln(depth) x ln(move number), in hundredths of a ply",
        low=0,
        high=200,
        neutral=45,
        needs=("late_move_reductions", (True,)),
        off=0,
    ),
    Param(
        "history_reduction",
        "int",
        6,
        "selective: plies by which the best history lowers, and the worst raises, the reduction of "
        "a late move",
        low=0,
        high=8,
        neutral=0,
        needs=("late_move_reductions", (True,)),
        off=0,
    ),
    Param(
        "internal_reduction",
        "int",
        5,
        "selective: minimum depth at which to search a node without a table move one ply "
        "shallower; 0 = never",
        low=0,
        high=30,
        neutral=0,
        off=0,
    ),
    Param(
        "check_extension",
        "flag",
        True,
        "selective: search moves that give check, or that leave the other side no choice, one ply "
        "deeper, except late ones",
        off=False,
        games=_CAPTURING,
    ),
    Param(
        "singular_extension",
        "int",
        10,
        "selective: minimum depth at which to search a table move one ply deeper if no other move "
        "comes close to it; 0 = never",
        low=0,
        high=30,
        neutral=0,
        off=0,
    ),
    _memory("quiescence_table", "selective: quiescence uses the transposition table"),
    Param(
        "fail_high_reduction",
        "int",
        0,
        "selective: after passes that failed high, search the next one shallower by as many plies "
        "as there were in succession, up to this number; 0 = off",
        low=0,
        high=3,
        neutral=0,
        off=0,
    ),
    Param(
        "cut_reduction",
        "int",
        0,
        "selective: at an expected cut node, search a late move that failed high when it was "
        "reduced again by so many plies shallower than in full; 0 = in full",
        low=0,
        high=3,
        neutral=0,
        needs=("late_move_reductions", (True,)),
        off=0,
    ),
    Param(
        "best_move_stop",
        "flag",
        False,
        "selective: end an iteration when one root move remains that can be the best; the value is "
        "then a lower bound",
        neutral=False,
        off=False,
    ),
    _memory(
        "killers",
        "try the last two quiet moves that caused a cut at the same ply early",
        neutral=True,
    ),
    _memory("counter_moves", "try the quiet move that last refuted the previous move early"),
    _memory("continuation_history", "order quiet moves by their success after the last two moves"),
    _memory(
        "capture_history", "order captures also by how often they caused a cut", games=_CAPTURING
    ),
    Param(
        "reward_once",
        "flag",
        True,
        "do not reward a move for a cut that the table already has, as later passes find it again",
        neutral=False,
        off=False,
    ),
    Param(
        "replies",
        "int",
        0,
        "how much each move that a quiet move leaves the other side lowers its place in the order, "
        "in units of the histories; 0 = off",
        low=0,
        high=4000,
        neutral=0,
        off=0,
        games=("othello",),
    ),
]
_BY_GAME = (draughts_defaults.DEFAULTS, othello_defaults.DEFAULTS)


def _with_defaults_by_game(param: Param) -> Param:
    own = {game: values[param.name] for game, values in _BY_GAME if param.name in values}
    return structs.replace(param, by_game=own) if own else param


PARAMETERS: dict[str, Param] = {param.name: _with_defaults_by_game(param) for param in _ALL}

_NAMES = tuple(PARAMETERS)
_GUESS = _NAMES[_NAMES.index("guess") : _NAMES.index("convergence")]
"""The parameters between them in the list above."""
_CLOSING = (
    "convergence",
    "step",
    "side",
    "below",
    "tolerance",
    "reported",
    "reopen",
    "adopt",
)
_TABLE = (
    "hash",
    "entries",
    "bounds",
    "replacement",
    "etc",
    "etc_rule",
    "leaf_bounds",
    "low_move",
    "iid",
    "depth_step",
    "threads",
    "parallel",
)
_LEAVES = ("eval", "grain", "quiescence", "swing")
TREE = ("game", *_LEAVES)
"""The parameters that change the exact value of a position, not only how it is found."""
_SELECTIVE = _NAMES[_NAMES.index("expected_pv") :]
"""All that follow in the list above: selective search and move ordering."""
_ONE_PASS = tuple(
    name for name in _SELECTIVE if name not in ("fail_high_reduction", "best_move_stop")
)
"""Those of drivers that never search the root again after a window that failed high."""

_DRIVERS = [
    DriverSpec(
        "alphabeta",
        "fail-soft alpha-beta with memory, open window; `hash=0` is alpha-beta without memory",
        "Knuth and Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6, 1975",
        "open",
        ("game", *_TABLE, *_LEAVES, *_ONE_PASS),
    ),
    DriverSpec(
        "pvs",
        "principal variation search: null windows after the first move, with aspiration",
        "Marsland and Campbell, Parallel search of strongly ordered game trees, "
        "Computing Surveys 14, 1982; Reinefeld, ICCA Journal 6, 1983",
        "open",
        ("game", "window", "below", *_TABLE, *_LEAVES, *_SELECTIVE),
    ),
    DriverSpec(
        "mtdf",
        "MTD(f): null windows only, from a first guess until the bounds meet or, in games, lie "
        "within `tolerance`",
        "Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
        "Artificial Intelligence 87, 1996",
        "null",
        ("game", *_GUESS, *_CLOSING, "max_passes", *_TABLE, *_LEAVES, *_SELECTIVE),
    ),
    DriverSpec(
        "negascout",
        "NegaScout as published: an open root window; a move that a null window finds better is "
        "searched again from its value, except in the last two plies of exact trees without "
        "quiescence",
        "Reinefeld, An improvement to the Scout tree search algorithm, ICCA Journal 6(4), 1983",
        "open",
        ("game", *_TABLE, *_LEAVES, *_ONE_PASS),
    ),
    DriverSpec(
        "hybrid",
        "MTD(f) until both bounds are known or `null_passes` is reached, then PVS between them",
        "common practice; we know of no publication. Its parts are those of mtdf (1996) "
        "and pvs (1982)",
        "both",
        ("game", *_GUESS, *_CLOSING, "null_passes", "cap", *_TABLE, *_LEAVES, *_SELECTIVE),
    ),
    DriverSpec(
        "sss",
        "SSS* as null windows from above, each at the upper bound just found",
        "Stockman, A minimax algorithm better than alpha-beta?, Artificial Intelligence 12, 1979; "
        "as null windows with memory: Plaat et al., Artificial Intelligence 87, 1996",
        "null",
        ("game", *_TABLE, *_LEAVES, *_ONE_PASS),
    ),
    DriverSpec(
        "dual",
        "DUAL* as null windows from below, each just above the lower bound just found",
        "Marsland, Reinefeld and Schaeffer, Low overhead alternatives to SSS*, Artificial "
        "Intelligence 31, 1987; as null windows with memory: Plaat et al., 1996",
        "null",
        ("game", *_TABLE, *_LEAVES, *_SELECTIVE),
    ),
    DriverSpec(
        "mtd-bi",
        "MTD(bi), C*: null windows in the middle of the bounds, starting with all values",
        "Coplan, A special-purpose machine for an improved search algorithm for deep chess "
        "combinations, Advances in Computer Chess 3, 1982; Plaat et al., 1996",
        "null",
        ("game", *_TABLE, *_LEAVES, *_SELECTIVE),
    ),
    DriverSpec(
        "mtd-step",
        "MTD(step): null windows from above, each a stride below the value just returned",
        "Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
        "Artificial Intelligence 87, 1996",
        "null",
        ("game", "stride", *_TABLE, *_LEAVES, *_SELECTIVE),
    ),
    DriverSpec(
        "mtd-best",
        "MTD(best): proves the best move with a null window on every other move; its value is the "
        "lower bound of the best move",
        "Plaat, Schaeffer, Pijls and de Bruin, Best-first fixed-depth minimax algorithms, "
        "Artificial Intelligence 87, 1996, after Berliner's B*, Artificial Intelligence 12, 1979",
        "null",
        ("game", *_GUESS, *_TABLE, *_LEAVES, *_ONE_PASS),
        proves="move",
    ),
    DriverSpec(
        "bns",
        "Best Node Search: null windows on all root moves, each set by how many moves reached the "
        "last one; its value is the lower bound of the best move",
        "Rutko, Fuzzified tree search in real domain games, MICAI, 2011",
        "null",
        ("game", *_GUESS, *_TABLE, *_LEAVES, *_ONE_PASS),
        proves="move",
    ),
    DriverSpec(
        "minimax",
        "plain minimax: no cuts above the leaves, no table, no selective search except draws",
        "Shannon, Programming a computer for playing chess, Philosophical Magazine 41, 1950",
        "open",
        TREE,
    ),
]
DRIVERS: dict[str, DriverSpec] = {driver.name: driver for driver in _DRIVERS}
