"""Fits the weights of ``engines/data/draughts.json`` on the results of own games.

    cp recipes/draughts_hand_set.json engines/data/draughts.json
    python recipes/tune_draughts.py play FOLDER --games 12000 --nodes 1000 --seed 7
    python recipes/tune_draughts.py collect FOLDER --per-game 16 --seed 1
    python recipes/tune_draughts.py fit FOLDER --out engines/data/draughts.json

``play`` builds ``recipes/draughts_games.rs`` with cargo and lets the core play ``full`` against
itself, from positions after 6 to 10 random moves. ``collect`` takes some positions by seed in
which nothing is forced, traces them with the reference, and keeps FOLDER/positions.npz. ``fit``
minimises the logistic loss of the results, for ``pst`` and ``full`` each, from the hand-set weights
and pulled toward them; a draw is half a win. A tenth of the games is held out to tell the loss; the
weights that are written are fitted on all games. Both evaluations are then scaled by one number,
with which a man of ``pst`` is worth 100 on average, so a value means the same chances in both.

The games depend on the core, its hand-set weights and the seed, all else on the games and the
seed. The field ``recipe`` of the committed file has its sizes and losses. 12,000 games take about
6 minutes of CPU to play, 1 to collect and 2 to fit.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import own_games
from engines.reference.games.draughts import (
    STAGES,
    WHOLE,
    pieces,
    read_weights,
    stage_shares,
    trace,
)
from engines.rules.draughts import DraughtsPosition
from logistic import expected, fit_scale, loss

HAND_SET = Path(__file__).with_name("draughts_hand_set.json")
FIRST_PLY = 4
"""Plies after the random ones before the first position."""
MOST_SCALE = 0.1
"""An upper bound of k."""
HELD_OUT = 10
"""Every so many-th game is held out."""
RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
MAN = 100
"""What a man of ``pst`` is worth on average."""


@dataclass(frozen=True, slots=True)
class Priors:
    """How far weights may go from where they start: standard deviations in centipawns."""

    square: float = 12.0
    """Of a square beside the others of its kind."""
    material: float = 60.0
    """Of all squares of a kind together, in each stage."""
    term: float = 20.0
    position: float = 0.3
    """The weight of one position: those of a game are not independent."""


# Collecting ---------------------------------------------------------------------------------------


def collect(folder: Path, per_game: int, seed: int) -> None:
    """Trace positions of the games."""
    columns = {key: column for column, key in enumerate(all_keys("full"))}
    counts: list[int] = []
    places: list[int] = []
    starts = [0]
    facts: list[tuple[float, ...]] = []
    lines = (folder / "games.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        word, start, *moves = line.split()
        rng = random.Random(f"{seed} {number}")
        for position in free_positions(start, [int(code) for code in moves], per_game, rng):
            row = {key: count for key, count in trace(position, terms=True).items() if count}
            counts += row.values()
            places += (columns[key] for key in row)
            starts.append(len(counts))
            result = RESULTS[word] if position.white_to_move else 1 - RESULTS[word]
            facts.append((*stage_shares(pieces(position)), result, number))
    np.savez_compressed(
        folder / "positions.npz",
        counts=np.array(counts, np.int8),
        columns=np.array(places, np.int32),
        starts=np.array(starts, np.int64),
        facts=np.array(facts, np.float64),
    )
    print(f"{len(facts)} positions of {len(lines)} games, {len(counts)} counts")


def free_positions(
    text: str, moves: list[int], wanted: int, rng: random.Random
) -> Iterator[DraughtsPosition]:
    """Some positions of a game in which nothing is forced."""
    position = DraughtsPosition.read(text)
    free = []
    for ply, move in enumerate(moves):
        if ply >= FIRST_PLY and not position.must_capture():
            free.append(position)
        position = position.after(move)
    yield from rng.sample(free, min(wanted, len(free)))


# Fitting ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Data:
    """Positions: how often each feature counts, for the side to move."""

    counts: csr_matrix
    shares: np.ndarray
    """By position and stage, adding up to 1."""
    results: np.ndarray
    games: np.ndarray

    def of(self, which: np.ndarray) -> Data:
        """Some of the positions."""
        return Data(self.counts[which], self.shares[which], self.results[which], self.games[which])

    def values(self, weights: np.ndarray) -> np.ndarray:
        """The values by weights of each stage, not rounded."""
        found: np.ndarray = np.sum((self.counts @ weights.T) * self.shares, axis=1)
        return found


def load(folder: Path, width: int) -> Data:
    """The collected positions."""
    with np.load(folder / "positions.npz") as stored:
        facts = stored["facts"]
        parts = (stored["counts"].astype(np.float64), stored["columns"], stored["starts"])
    counts = csr_matrix(parts, (len(facts), width))
    return Data(counts, facts[:, :3] / WHOLE, facts[:, 3], facts[:, 4])


def fit_weights(data: Data, name: str, k: float, priors: Priors) -> np.ndarray:
    """The weights of an evaluation that explain the results best."""
    start, keys = vectors(name), all_keys(name)
    kinds = ("man", "king")
    sigma = np.array([priors.square if key[0] in kinds else priors.term for key in keys])
    # Besides its own, each square has the common difference of its kind.
    shared = np.array([[float(key[0] == kind) for key in keys] for kind in kinds])
    size = start.size

    def unpack(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[:size].reshape(start.shape), x[size:].reshape(len(STAGES), len(kinds))

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        own, material = unpack(x)
        values = data.values(start + own + material @ shared)
        slope = priors.position * k * (expected(k, values) - data.results)
        gradient = (data.counts.T @ (slope[:, None] * data.shares)).T
        cost = priors.position * len(values) * loss(k, values, data.results)
        cost += 0.5 * float(np.sum((own / sigma) ** 2) + np.sum((material / priors.material) ** 2))
        parts = (gradient + own / sigma**2, gradient @ shared.T + material / priors.material**2)
        return cost, np.concatenate([part.ravel() for part in parts])

    x = np.zeros(size + len(STAGES) * len(kinds))
    options = {"maxiter": 300, "ftol": 1e-9}
    found = minimize(objective, x, jac=True, method="L-BFGS-B", options=options)
    own, material = unpack(found.x)
    fitted: np.ndarray = start + own + material @ shared
    return fitted


def worth_of_a_man(data: Data, weights: np.ndarray) -> float:
    """The mean weight of men on the squares and in the stages where they stood."""
    stood = np.abs(data.counts[:, :32]).T @ data.shares
    return float(np.sum(stood.T * weights[:, :32]) / np.sum(stood))


def fit(folder: Path, out: Path, priors: Priors) -> None:
    """Fit both evaluations, say what was gained on the games held out, and write the data file."""
    keys = {name: all_keys(name) for name in ("pst", "full")}
    data = load(folder, len(keys["full"]))
    held = data.games % HELD_OUT == 0
    losses, fitted, k = {}, {}, 0.0
    for name in keys:
        part = Data(data.counts[:, : len(keys[name])], data.shares, data.results, data.games)
        train, test = part.of(~held), part.of(held)
        k = k or fit_scale(train.values(vectors(name)), train.results, MOST_SCALE)
        before, after = vectors(name), fit_weights(train, name, k, priors)
        own_k = fit_scale(train.values(before), train.results, MOST_SCALE)
        losses[name] = [
            round(loss(own_k, test.values(before), test.results), 5),
            round(loss(k, test.values(after), test.results), 5),
        ]
        # What was held out has told what it can; the weights that are written are of all games.
        fitted[name] = fit_weights(part, name, k, priors)
    always = np.mean(data.results[~held])
    blind = loss(1.0, np.full(np.sum(held), np.log(always / (1 - always))), data.results[held])
    scale = MAN / worth_of_a_man(data, fitted["pst"])
    recipe = {
        "script": "recipes/tune_draughts.py",
        **json.loads((folder / "games.json").read_text(encoding="utf-8")),
        "positions": int(data.results.size),
        "priors": asdict(priors),
        "k": round(k / scale, 6),
        "held_out_loss": {"blind": round(blind, 5), **losses},
    }
    print(json.dumps(recipe, indent=1))
    whole = {name: np.rint(scale * weights).astype(int) for name, weights in fitted.items()}
    king = np.mean(whole["pst"][:, 32:64])
    write(out, whole, {"man": MAN, "king": int(round(king))}, recipe)


# The data file ------------------------------------------------------------------------------------


def hand_set() -> dict[str, Any]:
    """The data file from which the fit starts."""
    data: dict[str, Any] = json.loads(HAND_SET.read_text(encoding="utf-8"))
    return data


def all_keys(name: str) -> list[tuple[str, int]]:
    """All features of an evaluation; those of ``pst`` are the first ones of ``full``."""
    return list(read_weights(hand_set()[name]).of)


def vectors(name: str) -> np.ndarray:
    """The hand-set weights of an evaluation, by stage and feature."""
    return np.array(list(read_weights(hand_set()[name]).of.values()), np.float64).T


def write(out: Path, weights: dict[str, np.ndarray], worth: dict[str, int], recipe: Any) -> None:
    """Write a data file as people read it: boards of eight rows, a stage of a term in a line."""
    blocks = [f'  "name": "draughts",\n  "worth": {json.dumps(worth)}']
    for name, numbers in weights.items():
        tables: dict[str, list[list[int]]] = {}
        for (table, _), column in zip(all_keys(name), numbers.T.tolist(), strict=True):
            tables.setdefault(table, []).append(column)
        boards = [_table(table, tables.pop(table), "    ") for table in ("man", "king")]
        if tables:
            terms = ",\n".join(_table(table, rows, "      ") for table, rows in tables.items())
            boards.append(f'    "terms": {{\n{terms}\n    }}')
        blocks.append(f'  "{name}": {{\n' + ",\n".join(boards) + "\n  }")
    blocks.append(f'  "recipe": {json.dumps(recipe)}')
    out.write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


def _table(name: str, columns: list[list[int]], indent: str) -> str:
    """A table with its stages; squares stand in rows of four."""
    stages = []
    for stage, numbers in zip(STAGES, zip(*columns, strict=True), strict=True):
        rows = [numbers[start : start + 4] for start in range(0, len(numbers), 4)]
        if len(numbers) == 32:
            lines = ",\n".join(
                f"{indent}    " + ", ".join(f"{number:4d}" for number in row) for row in rows
            )
            stages.append(f'{indent}  "{stage}": [\n{lines}\n{indent}  ]')
        else:
            stages.append(f'{indent}  "{stage}": {json.dumps(numbers)}')
    return f'{indent}"{name}": {{\n' + ",\n".join(stages) + f"\n{indent}}}"


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    own_games.add_options(steps.add_parser("play"), games=12_000, seed=7)
    step = steps.add_parser("collect")
    step.add_argument("folder", type=Path)
    step.add_argument("--per-game", type=int, default=16)
    step.add_argument("--seed", type=int, default=1)
    step = steps.add_parser("fit")
    step.add_argument("folder", type=Path)
    step.add_argument("--out", type=Path, required=True)
    for name in Priors.__dataclass_fields__:
        step.add_argument(f"--{name}", type=float, default=getattr(Priors(), name))
    given = parser.parse_args()
    if given.step == "play":
        own_games.play("draughts_games", given)
    elif given.step == "collect":
        collect(given.folder, given.per_game, given.seed)
    else:
        priors = Priors(*(getattr(given, name) for name in Priors.__dataclass_fields__))
        fit(given.folder, given.out, priors)


if __name__ == "__main__":
    main()
