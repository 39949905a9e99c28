"""The parameters of first guesses: a part of the registry's declaration."""

from __future__ import annotations

from engines.choices import GUESSES
from engines.spec import Param


def _coefficient(name: str, default: int, high: int, of: str) -> Param:
    """A coefficient of the linear first guess, in thousandths."""
    doc = f"thousandths of {of} in guess=regression and quantile"
    needs = ("guess", ("regression", "quantile"))
    return Param(name, "int", default, doc, low=-high, high=high, needs=needs, off=0)


GUESS_PARAMETERS = [
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
]
"""In the order of help, labels and docs."""
