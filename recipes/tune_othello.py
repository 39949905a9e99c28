"""Fits the weights of ``engines/data/othello.json`` on the final disc differences of own games.

    python recipes/tune_othello.py start --out engines/data/othello.json
    python recipes/tune_othello.py play ROUND1 --games 40000 --nodes 300 --seed 1
    python recipes/tune_othello.py fit ROUND1 --out engines/data/othello.json
    python recipes/tune_othello.py play ROUND2 --games 50000 --nodes 1000 --seed 2
    python recipes/tune_othello.py fit ROUND2 --out engines/data/othello.json

``start`` writes weights made by hand, from the worth of ten kinds of squares. ``play`` builds
``recipes/othello_games.rs`` with the weights of the data file and lets the core play ``full``
against itself, from positions after 6 to 24 random moves; the last ten discs are placed without a
mistake. ``fit`` takes some positions of every game by seed and minimises the squared error of the
final difference, for ``pst`` and ``full`` each; weights are pulled toward 0 and, of neighbouring
knots, toward each other. A tenth of the games is held out to tell the error; the weights that are
written are those whose error is told.

The games depend on the core, its weights and the seed, all else on the games and the seed. The
field ``recipe`` of the committed file has its sizes and errors, in discs. The second round takes
about 8 minutes of CPU to play and 3 to fit, and about 2 GB of memory. Its ``full`` won 265, drew
17 and lost 118 of 400 games against that of the first round (1,000 nodes a move, 200 pairs).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, cg

import own_games
from engines.reference.games.othello import (
    CORNERS,
    DISC,
    MOBILITIES,
    QUADRANTS,
    Evaluation,
    Pattern,
    beside,
    read_evaluation,
    square_named,
    squares_like,
    stage_of,
)
from engines.rules.othello import OthelloPosition, placements

KNOTS = (12, 28, 44, 60)
"""Numbers of discs at which weights stand."""
SQUARES = {
    "a1": 800, "b1": -100, "c1": 60, "d1": 40, "b2": -300,
    "c2": -20, "d2": -10, "c3": 10, "d3": 5, "d4": 5,
}  # fmt: skip
"""By hand: what a disc on a square of each kind is worth, in hundredths of a disc."""
PATTERNS = {
    "row1": "a1 b1 c1 d1 e1 f1 g1 h1",
    "row2": "a2 b2 c2 d2 e2 f2 g2 h2",
    "row3": "a3 b3 c3 d3 e3 f3 g3 h3",
    "row4": "a4 b4 c4 d4 e4 f4 g4 h4",
    "diagonal8": "a1 b2 c3 d4 e5 f6 g7 h8",
    "diagonal7": "b1 c2 d3 e4 f5 g6 h7",
    "diagonal6": "c1 d2 e3 f4 g5 h6",
    "diagonal5": "d1 e2 f3 g4 h5",
    "diagonal4": "e1 f2 g3 h4",
    "corner": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
}
TERMS = {"mobility": MOBILITIES, "potential": 1, "frontier": 1, "corner_moves": 1, "parity": 5}
"""The terms, and how many weights each has."""
HELD_OUT = 10
"""Every so many-th game is held out."""
CHECKED = 300
"""So many positions are counted by the reference too."""
MOST_BYTES = 250_000
"""The data file must not be longer."""

Weights = dict[str, Any]
"""The content of a data file."""
Sizes = dict[str, int]
"""The tables of an evaluation, and how many weights each has at a knot."""


@dataclass(frozen=True, slots=True)
class Priors:
    """How far weights may go from 0: standard deviations in hundredths of a disc."""

    square: float = 1_000.0
    """A weight of ``pst``."""
    term: float = 500.0
    pattern: float = 300.0
    step: float = 200.0
    """From a knot to the next, of all weights."""
    error: float = 1_500.0
    """Of one position's final difference. More than it is: positions of a game are not
    independent."""


# Counting -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions, as arrays."""

    own: np.ndarray
    """Bitboards of the side to move, and of its opponent."""
    other: np.ndarray
    targets: np.ndarray
    """Final differences for the side to move, in hundredths of a disc."""
    games: np.ndarray

    def discs(self) -> np.ndarray:
        """How many discs each has."""
        found: np.ndarray = np.bitwise_count(self.own | self.other).astype(int)
        return found


def load(folder: Path, per_game: int, seed: int) -> Positions:
    """Some positions of every game."""
    rows: list[list[bytes]] = []
    with (folder / "games.txt").open("rb") as lines:
        for number, game in groupby(lines, key=lambda line: line.split(b" ", 1)[0]):
            rng = random.Random(f"{seed} {number.decode()}")
            found = list(game)
            rows += [line.split() for line in rng.sample(found, min(per_game, len(found)))]
    own, other = (np.array([int(row[at], 16) for row in rows], np.uint64) for at in (1, 2))
    targets = np.array([DISC * int(row[3]) for row in rows], np.float64)
    return Positions(own, other, targets, np.array([int(row[0]) for row in rows]))


def count_squares(positions: Positions) -> Iterator[tuple[str, Any, Any]]:
    """For each kind of square the place in its table and how often that counts."""
    for name in SQUARES:
        alike = squares_like(name)
        yield name, 0, difference(positions.own & alike, positions.other & alike)


def count_all(
    positions: Positions, patterns: tuple[Pattern, ...]
) -> Iterator[tuple[str, Any, Any]]:
    """As :func:`count_squares` for the terms and patterns of ``full``. The rules of the package
    work on arrays of boards as on one."""
    own, other = positions.own, positions.other
    empty, most = ~(own | other), MOBILITIES - 1
    ours, theirs = placements(own, other), placements(other, own)  # type: ignore[arg-type]
    yield "mobility", np.minimum(np.bitwise_count(ours), most), 1
    yield "mobility", np.minimum(np.bitwise_count(theirs), most), -1
    yield "potential", 0, difference(beside(other) & empty, beside(own) & empty)
    yield "frontier", 0, difference(own & beside(empty), other & beside(empty))
    yield "corner_moves", 0, difference(ours & CORNERS, theirs & CORNERS)
    yield "parity", sum(np.bitwise_count(empty & part) % 2 for part in QUADRANTS), 1
    for pattern in patterns:
        indices, signs = np.array(pattern.sharing()).T
        for place in pattern.places():
            number = np.zeros(len(own), int)
            for square in reversed(place):
                digit = (own >> square & 1) + 2 * (other >> square & 1)
                number = 3 * number + digit.astype(int)
            yield pattern.name, indices[number], signs[number]


def difference(ours: Any, theirs: Any) -> np.ndarray:
    """How many more squares the first boards have than the second."""
    found: np.ndarray = np.bitwise_count(ours).astype(int) - np.bitwise_count(theirs)
    return found


def matrix(counts: Iterator[tuple[str, Any, Any]], sizes: Sizes, length: int) -> csr_matrix:
    """The counts as a row for each position."""
    first = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    columns, times = [], []
    for name, index, count in counts:
        columns.append(np.broadcast_to(first[name] + index, length).astype(np.int32))
        times.append(np.broadcast_to(count, length).astype(np.float32))
    starts = np.arange(0, len(columns) * length + 1, len(columns))
    parts = (np.stack(times, 1).ravel(), np.stack(columns, 1).ravel(), starts)
    return csr_matrix(parts, (length, sum(sizes.values())))


def check(positions: Positions, counts: csr_matrix, sizes: Sizes, reference: Evaluation) -> None:
    """Compare with what the reference counts."""
    first = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    for row in range(0, len(positions.own), len(positions.own) // CHECKED):
        expected = np.zeros(counts.shape[1])
        position = OthelloPosition(int(positions.own[row]), int(positions.other[row]), False)
        for name, index, times in reference.counts(position):
            expected[first[name] + index] += times
        if not np.array_equal(counts[row].toarray()[0], expected):
            raise SystemExit(f"the recipe and the reference count differently in {position}")


def shares_of(discs: np.ndarray) -> np.ndarray:
    """How much the weights of each knot count in positions with so many discs."""
    table = np.zeros((65, len(KNOTS)), np.float32)
    for number in range(65):
        stage = stage_of(KNOTS, number)
        table[number, stage.lower + 1] = stage.past / stage.span
        table[number, stage.lower] = 1 - table[number, stage.lower + 1]
    found: np.ndarray = table[discs]
    return found


# Fitting ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Model:
    """An evaluation as a linear function of its weights, a row of weights for each knot."""

    counts: csr_matrix
    shares: np.ndarray

    def of(self, which: np.ndarray) -> Model:
        """The model of some of the positions."""
        return Model(self.counts[which], self.shares[which])

    def values(self, weights: np.ndarray) -> np.ndarray:
        """The values, not rounded."""
        found: np.ndarray = np.sum((self.counts @ weights.T) * self.shares, axis=1)
        return found

    def gathered(self, errors: np.ndarray) -> np.ndarray:
        """What errors add up to at each weight: the transposed function."""
        found: np.ndarray = (self.counts.T @ (errors[:, None] * self.shares)).T
        return found


def fit_weights(model: Model, targets: np.ndarray, sigma: np.ndarray, priors: Priors) -> np.ndarray:
    """The weights with the least squared error, by conjugate gradients on the normal equations."""
    shape = (len(KNOTS), len(sigma))
    ridge, step = (priors.error / sigma) ** 2, (priors.error / priors.step) ** 2

    def apply(x: np.ndarray) -> np.ndarray:
        weights = x.reshape(shape)
        steps = np.diff(weights, axis=0, prepend=weights[:1], append=weights[-1:])
        pulled = ridge * weights - step * np.diff(steps, axis=0)
        found: np.ndarray = (model.gathered(model.values(weights)) + pulled).ravel()
        return found

    squares = model.counts.multiply(model.counts)
    diagonal = (squares.T @ model.shares**2).T + ridge + 2 * step
    scaled = LinearOperator((sigma.size * len(KNOTS),) * 2, lambda x: x / diagonal.ravel())
    normal = LinearOperator(scaled.shape, apply, dtype=np.float64)
    x, failed = cg(normal, model.gathered(targets).ravel(), rtol=1e-3, maxiter=300, M=scaled)
    if failed:
        raise SystemExit("the fit did not converge")
    found: np.ndarray = np.rint(x.reshape(shape))
    return found


def fit(folder: Path, out: Path, per_game: int, seed: int, priors: Priors) -> None:
    """Fit both evaluations, say how much of the games held out they explain, and write the file."""
    positions = load(folder, per_game, seed)
    length, discs = len(positions.own), positions.discs()
    shares, held = shares_of(discs), positions.games % HELD_OUT == 0
    start = hand_set()
    reference = read_evaluation(start, "full")
    patterns = reference.patterns or ()
    errors: dict[str, Any] = {"zero": error_by_stage(positions.targets[held], discs[held])}
    fitted = {}
    for name, sizes in sizes_of(start).items():
        is_pst = name == "pst"
        rows = count_squares(positions) if is_pst else count_all(positions, patterns)
        model = Model(matrix(rows, sizes, length), shares)
        check(positions, model.counts, sizes, read_evaluation(start, name))
        sigma = np.concatenate([np.full(n, sigma_of(key, priors)) for key, n in sizes.items()])
        weights = fit_weights(model.of(~held), positions.targets[~held], sigma, priors)
        wrong = model.of(held).values(weights) - positions.targets[held]
        errors[name] = error_by_stage(wrong, discs[held])
        fitted[name] = weights
    recipe = {
        "script": "recipes/tune_othello.py",
        **json.loads((folder / "games.json").read_text(encoding="utf-8")),
        "positions": length,
        "priors": asdict(priors),
        "held_out_error": errors,
    }
    print(json.dumps(recipe, indent=1))
    write(out, filled(start, fitted), recipe)


def sigma_of(name: str, priors: Priors) -> float:
    """The prior of the weights of a table."""
    if name in SQUARES:
        return priors.square
    return priors.term if name in TERMS else priors.pattern


def error_by_stage(errors: np.ndarray, discs: np.ndarray) -> dict[str, float]:
    """The root of the mean squared error in discs: of all positions, and up to each knot."""

    def root(some: np.ndarray) -> float:
        return round(float(np.sqrt(np.mean(some**2))) / DISC, 2)

    found = {"all": root(errors)}
    for low, high in zip((0, *KNOTS[1:]), (*KNOTS[1:], 65), strict=True):
        found[f"{low}-{high - 1}"] = root(errors[(low <= discs) & (discs < high)])
    return found


# The data file ------------------------------------------------------------------------------------


def hand_set() -> Weights:
    """Weights from the worth of squares alone, and what everybody knows of mobility."""
    late = [1.0, 1.0, 0.7, 0.3]
    pst = {name: [round(share * worth) for share in late] for name, worth in SQUARES.items()}
    terms = {
        "mobility": [[per * min(n, 12) for n in range(MOBILITIES)] for per in (40, 50, 60, 10)],
        "potential": [20, 20, 10, 0],
        "frontier": [-20, -20, -10, 0],
        "corner_moves": [300, 300, 300, 200],
        "parity": [[0, per, per, 2 * per, 2 * per] for per in (0, 10, 20, 60)],
    }
    patterns = {}
    for name, squares in PATTERNS.items():
        worth = [SQUARES[kind_of(square)] for square in squares.split()]
        numbers = {index: n for n, (index, sign) in enumerate(pattern(name).sharing()) if sign > 0}
        # Each square is part of about four patterns.
        sums = [shown(numbers[index], worth) / 4 for index in range(len(numbers))]
        weights = [[round(share * one) for one in sums] for share in late]
        patterns[name] = {"squares": squares, "weights": weights}
    return {"name": "othello", "knots": KNOTS, "pst": pst, "terms": terms, "patterns": patterns}


def pattern(name: str) -> Pattern:
    """A pattern of that name."""
    return Pattern(name, tuple(square_named(square) for square in PATTERNS[name].split()))


def kind_of(square: str) -> str:
    """The square like this one that the tables name."""
    return next(name for name in SQUARES if squares_like(name) >> square_named(square) & 1)


def shown(number: int, worth: list[int]) -> int:
    """What the discs of a pattern's number are worth."""
    return sum((0, one, -one)[number // 3**place % 3] for place, one in enumerate(worth))


def sizes_of(data: Weights) -> dict[str, Sizes]:
    """The tables of both evaluations."""
    patterns = {name: len(one["weights"][0]) for name, one in data["patterns"].items()}
    return {"pst": dict.fromkeys(SQUARES, 1), "full": TERMS | patterns}


def filled(data: Weights, fitted: dict[str, np.ndarray]) -> Weights:
    """A data file's content with other weights."""
    tables: dict[str, list[list[int]]] = {}
    for name, sizes in sizes_of(data).items():
        ends = np.cumsum(list(sizes.values()))[:-1]
        for key, part in zip(sizes, np.split(fitted[name].astype(int), ends, axis=1), strict=True):
            tables[key] = part.tolist()
    single = {key: [row[0] for row in rows] for key, rows in tables.items()}
    return {
        **data,
        "pst": {name: single[name] for name in SQUARES},
        "terms": {name: tables[name] if n > 1 else single[name] for name, n in TERMS.items()},
        "patterns": {
            name: {**one, "weights": tables[name]} for name, one in data["patterns"].items()
        },
    }


def write(out: Path, data: Weights, recipe: Any) -> None:
    """Write a data file: a table at a knot in a line."""
    lines = [f' "name": {json.dumps(data["name"])}', f' "knots": {json.dumps(data["knots"])}']
    for part in ("pst", "terms"):
        rows = [f'  "{name}": {_table(rows, "   ")}' for name, rows in data[part].items()]
        lines.append(f' "{part}": {{\n' + ",\n".join(rows) + "\n }")
    blocks = [
        f'  "{name}": {{\n   "squares": {json.dumps(one["squares"])},\n'
        f'   "weights": {_table(one["weights"], "    ")}\n  }}'
        for name, one in data["patterns"].items()
    ]
    lines.append(' "patterns": {\n' + ",\n".join(blocks) + "\n }")
    lines.append(f' "recipe": {json.dumps(recipe)}')
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if len(text) > MOST_BYTES:
        raise SystemExit(f"the data file would have {len(text)} bytes")
    out.write_text(text, encoding="utf-8")


def _table(rows: Any, indent: str) -> str:
    if isinstance(rows[0], int):
        return json.dumps(rows)
    inner = (json.dumps(row, separators=(",", ":")) for row in rows)
    return "[\n" + ",\n".join(f"{indent}{row}" for row in inner) + f"\n{indent[1:]}]"


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("start")
    step.add_argument("--out", type=Path, required=True)
    own_games.add_options(steps.add_parser("play"), games=50_000, seed=2)
    step = steps.add_parser("fit")
    step.add_argument("folder", type=Path)
    step.add_argument("--out", type=Path, required=True)
    step.add_argument("--per-game", type=int, default=40)
    step.add_argument("--seed", type=int, default=1)
    for name in Priors.__dataclass_fields__:
        step.add_argument(f"--{name}", type=float, default=getattr(Priors(), name))
    given = parser.parse_args()
    if given.step == "start":
        write(given.out, hand_set(), {"script": "recipes/tune_othello.py", "by": "hand"})
    elif given.step == "play":
        own_games.play("othello_games", given)
    else:
        priors = Priors(*(getattr(given, name) for name in Priors.__dataclass_fields__))
        fit(given.folder, given.out, given.per_game, given.seed, priors)


if __name__ == "__main__":
    main()
