"""Fits the weights of ``engines/data/full.json`` on positions and results of own games.

    python recipes/tune_evaluation.py play FOLDER --pairs 6000 --nodes 2000 --seed 5
    python recipes/tune_evaluation.py collect FOLDER --seed 1
    python recipes/tune_evaluation.py fit FOLDER [FOLDER ...] --out engines/data/full.json

``play`` lets ``pvs:eval=full`` and ``mtdf:eval=full``, with today's defaults, play game pairs from
the book balanced-20k and keeps them in FOLDER/games.db; stopped, it goes on when called again.
``collect`` takes quiet positions of every game by seed (not in check, static value near that of
quiescence, some moves after the book), traces them with the reference, and keeps
FOLDER/positions.npz. ``fit`` minimises the logistic loss over all tables and terms at once, from
the weights in ``recipes/full_hand_set.json`` and pulled toward them; what is explained is the
result, mixed with the value that the game's own search found. Results alone (``--blend 0 --position
0.25``) gained +12 ± 29 Elo over the hand-set weights, the mix +70 ± 28 (2,000 nodes, 10,000 games
fitted). A tenth of the games is held out to tell the loss. Units of king attacks, scales of
endgames and the drive are not fitted. Rebuild the core afterwards.

Several folders are rounds: play the second with the weights that were fitted on the first. Sizes
of the committed file are in its field ``recipe``. A round of 10,000 games takes about 15 minutes
of CPU to play, 1 to collect and half a minute to fit, and 1 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from db.records.games import GameRecord
from db.session import open_database
from engines import _core
from engines.moves import decode_move
from engines.reference.evaluation.chess import read_evaluation
from engines.reference.evaluation.full import FullEvaluation
from logistic import expected, fit_scale, loss
from toolkit.referee.searchdata import decode_moves, decode_searches

HAND_SET = Path(__file__).with_name("full_hand_set.json")
PLAYERS = ("pvs:eval=full", "mtdf:eval=full")
RESIGN = "4@900:both"
FIRST_PLY = 4
"""Plies after the book before the first position."""
QUIET_CP = 40
"""A position is quiet when quiescence differs from the static value by no more."""
MOST_SCALE = 0.05
"""An upper bound of k."""
HELD_OUT = 10
"""Every so many-th game is held out."""
SMOOTH = ("mobility", "king_danger")
"""Tables over a count, in which neighbours are pulled together."""

Weights = dict[str, Any]
Key = tuple[str, int]
"""A weight: table of a kind of man or term, and the index in it."""


@dataclass(frozen=True, slots=True)
class Priors:
    """How far weights may go from where they start: standard deviations in centipawns."""

    square: float = 8.0
    """Of a square beside the others of its kind."""
    material: float = 60.0
    """Of all squares of a kind together."""
    term: float = 20.0
    step: float = 4.0
    """Of a step between neighbours in tables over a count."""
    position: float = 0.5
    """The weight of one position: those of a game are not independent."""
    blend: float = 0.7
    """The share of the value that the game's search found, beside the result."""


# Playing ------------------------------------------------------------------------------------------


def play(folder: Path, pairs: int, nodes: int, seed: int) -> None:
    """Play the games, or go on with those that were begun."""
    folder.mkdir(parents=True, exist_ok=True)
    mtdf = [sys.executable, "-c", "from cli import main; main()"]
    place = ["--db", str(folder / "games.db"), "-q"]
    if (folder / "games.db").exists():
        subprocess.run([*mtdf, "resume", "last", *place], check=True)
        return
    size = ["--pairs", str(pairs), "--nodes", str(nodes), "--seed", str(seed)]
    subprocess.run([*mtdf, "match", *PLAYERS, *size, "--resign", RESIGN, *place], check=True)


# Collecting ---------------------------------------------------------------------------------------


def collect(folder: Path, per_game: int, seed: int) -> None:
    """Trace quiet positions of the stored games."""
    evaluation = read_weights(HAND_SET)
    keys: dict[Key, int] = {key: column for column, key in enumerate(all_keys(HAND_SET))}
    counts: list[int] = []
    columns: list[int] = []
    starts = [0]
    facts: list[tuple[float, ...]] = []
    with open_database(str(folder / "games.db"), create=False) as db:
        for number, game in enumerate(db.repository.games()):
            result = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[game.result]
            rng = random.Random(f"{seed} {game.pair} {game.game}")
            for board, value in quiet_positions(game, per_game, rng):
                trace = evaluation.trace(board)
                row = tables_of(board)
                row.update(trace.counts)
                columns += [keys[key] for key in row]
                counts += row.values()
                starts.append(len(counts))
                middle = trace.phase / evaluation.phase_max
                end = (1 - middle) * trace.scale / 64
                facts.append((middle, end, trace.drive, result, number, value))
    np.savez_compressed(
        folder / "positions.npz",
        counts=np.array(counts, np.int8),
        columns=np.array(columns, np.int32),
        starts=np.array(starts, np.int64),
        facts=np.array(facts, np.float64),
    )
    print(f"{len(facts)} positions of {number + 1} games, {len(counts)} counts")


def quiet_positions(
    game: GameRecord, wanted: int, rng: random.Random
) -> Iterator[tuple[chess.Board, int]]:
    """Some quiet positions of a game, with the value for White that their search found."""
    if game.chess960:
        return  # no set of ours has them, and the core would have to be told
    board = chess.Board(game.start_fen)
    moves = [chess.Move.from_uci(decode_move(code)) for code in decode_moves(game.moves)]
    plies = range(FIRST_PLY, len(moves))
    chosen = set(rng.sample(plies, min(len(plies), 2 * wanted)))
    searches = decode_searches(game.search_data, game.plies, game.search_version)
    found = 0
    for ply, move in enumerate(moves):
        if ply in chosen and found < wanted and not board.is_check():
            fen = board.fen()
            static = _core.evaluate(fen, "full", 1)
            if abs(_core.quiesce(fen, "full", 1) - static) <= QUIET_CP:
                found += 1
                yield board, searches[ply].value if board.turn else -searches[ply].value
        board.push(move)


def tables_of(board: chess.Board) -> dict[Key, int]:
    """How often each square of each kind of man counts for White, less for Black."""
    row: dict[Key, int] = {}
    for square, piece in board.piece_map().items():
        seen = square if piece.color else chess.square_mirror(square)
        key = (chess.piece_symbol(piece.piece_type), seen)
        row[key] = row.get(key, 0) + (1 if piece.color else -1)
    return {key: times for key, times in row.items() if times}


# Fitting ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions as rows: the value is ``middle x counts x mg + end x counts x eg + drive``."""

    counts: csr_matrix
    middle: np.ndarray
    end: np.ndarray
    drive: np.ndarray
    results: np.ndarray
    games: np.ndarray
    searched: np.ndarray
    """White's values by the searches of the games."""

    def values(self, mg: np.ndarray, eg: np.ndarray) -> np.ndarray:
        """White's values, unrounded."""
        values: np.ndarray = self.middle * (self.counts @ mg) + self.end * (self.counts @ eg)
        return values + self.drive

    def of(self, rows: np.ndarray) -> Positions:
        """Some of the positions."""
        columns = (self.middle, self.end, self.drive, self.results, self.games, self.searched)
        return Positions(self.counts[rows], *(column[rows] for column in columns))

    def targets(self, k: float, blend: float) -> np.ndarray:
        """Results, mixed with what the searches expected."""
        return (1 - blend) * self.results + blend * expected(k, self.searched)


def load(folders: Sequence[Path], width: int) -> Positions:
    """The collected positions of all folders."""
    counts, columns, starts = [], [], [np.zeros(1, np.int64)]
    facts: list[np.ndarray] = []
    for folder in folders:
        data = np.load(folder / "positions.npz")
        starts.append(data["starts"][1:] + starts[-1][-1])
        counts.append(data["counts"])
        columns.append(data["columns"])
        fact = data["facts"]
        fact[:, 4] += facts[-1][-1, 4] + 1 if facts else 0
        facts.append(fact)
    all_facts = np.concatenate(facts)
    matrix = csr_matrix(
        (
            np.concatenate(counts).astype(np.float64),
            np.concatenate(columns),
            np.concatenate(starts),
        ),
        shape=(len(all_facts), width),
    )
    return Positions(matrix, *all_facts.T)


def fit_weights(
    data: Positions, keys: list[Key], start: tuple[np.ndarray, np.ndarray], k: float, priors: Priors
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of least loss plus prior.

    A change of a table's square is a change of all its squares plus one of its own, so that
    material may move further than the shape of a table.
    """
    width = len(keys)
    kinds, targets = list(chess.PIECE_SYMBOLS[1:]), data.targets(k, priors.blend)
    share = np.array([kinds.index(name) if name in kinds else len(kinds) for name, _ in keys])
    sigma = np.array([priors.square if name in kinds else priors.term for name, _ in keys])
    steps = np.array(
        [
            i
            for i in range(1, width)
            if keys[i][0] == keys[i - 1][0] and keys[i][0].startswith(SMOOTH)
        ]
    )

    def spread(half: np.ndarray) -> np.ndarray:
        together: np.ndarray = np.append(half[width:], 0.0)[share]
        return half[:width] + together

    def gather(gradient: np.ndarray) -> np.ndarray:
        together = np.bincount(share, gradient, len(kinds) + 1)[:-1]
        return np.concatenate([gradient, together])

    def prior(half: np.ndarray) -> tuple[float, np.ndarray]:
        own, together = half[:width], half[width:]
        step = own[steps] - own[steps - 1]
        gradient = np.concatenate([own / sigma**2, together / priors.material**2])
        np.add.at(gradient, steps, step / priors.step**2)
        np.add.at(gradient, steps - 1, -step / priors.step**2)
        cost = np.sum((own / sigma) ** 2) + np.sum((together / priors.material) ** 2)
        return 0.5 * float(cost + np.sum((step / priors.step) ** 2)), gradient

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        halves = np.split(x, 2)
        values = data.values(start[0] + spread(halves[0]), start[1] + spread(halves[1]))
        slope = priors.position * k * (expected(k, values) - targets)
        cost = priors.position * len(values) * loss(k, values, targets)
        gradients = []
        for half, taper in zip(halves, (data.middle, data.end), strict=True):
            cost_of_half, gradient = prior(half)
            cost += cost_of_half
            gradients.append(gather(data.counts.T @ (slope * taper)) + gradient)
        return cost, np.concatenate(gradients)

    x = np.zeros(2 * (width + len(kinds)))
    found = minimize(objective, x, jac=True, method="L-BFGS-B", options={"maxiter": 400})
    halves = np.split(found.x, 2)
    return start[0] + spread(halves[0]), start[1] + spread(halves[1])


def fit(folders: Sequence[Path], out: Path, priors: Priors) -> None:
    """Fit, say what was gained on the games held out, and write the data file."""
    keys = all_keys(HAND_SET)
    data = load(folders, len(keys))
    held = data.games % HELD_OUT == 0
    train, test = data.of(~held), data.of(held)
    start = vectors(HAND_SET, keys)
    k = fit_scale(train.values(*start), train.results, MOST_SCALE)
    mg, eg = fit_weights(train, keys, start, k, priors)
    before, after = (loss(k, test.values(*weights), test.results) for weights in (start, (mg, eg)))
    print(f"k = {k:.5f}; {train.results.size} positions; held out: {before:.5f} -> {after:.5f}")
    # What was held out has told what it can; the weights that are written are of all games.
    mg, eg = fit_weights(data, keys, start, k, priors)
    recipe = {
        "script": "recipes/tune_evaluation.py",
        "rounds": [round_of(folder) for folder in folders],
        "positions": int(data.results.size),
        "priors": asdict(priors),
        "k": round(k, 6),
        "held_out_loss": [round(before, 5), round(after, 5)],
    }
    write_weights(out, with_weights(HAND_SET, keys, np.rint(mg), np.rint(eg)) | {"recipe": recipe})


def round_of(folder: Path) -> dict[str, Any]:
    """What the games of a folder were: how many, at which limit, by which core."""
    with open_database(str(folder / "games.db"), create=False) as db:
        (event,) = db.repository.events()
    limit = {name: number for name, number in event.settings["limit"].items() if number}
    return {
        "games": int(np.load(folder / "positions.npz")["facts"][-1, 4]) + 1,
        **limit,
        "seed": event.seed,
        "core": f"{event.version} {event.signature}",
    }


# The data file ------------------------------------------------------------------------------------


def read_weights(path: Path) -> FullEvaluation:
    """The evaluation of a data file."""
    evaluation = read_evaluation(json.loads(path.read_text(encoding="utf-8")))
    if not isinstance(evaluation, FullEvaluation):
        raise SystemExit(f"{path} has no terms")
    return evaluation


def all_keys(path: Path) -> list[Key]:
    """All weights of a data file, in its order."""
    data: Weights = json.loads(path.read_text(encoding="utf-8"))
    keys = [(kind, square) for kind in data["piece_order"] for square in chess.SQUARES]
    keys += [(name, i) for name, term in data["terms"].items() for i in range(len(term["mg"]))]
    return keys


def vectors(path: Path, keys: list[Key]) -> tuple[np.ndarray, np.ndarray]:
    """The middlegame and the endgame numbers of a data file."""
    data: Weights = json.loads(path.read_text(encoding="utf-8"))

    def number(half: str, name: str, index: int) -> float:
        table = data["terms"][name][half] if name in data["terms"] else data[half][name]
        return float(table[index])

    middle, end = ([number(half, *key) for key in keys] for half in ("mg", "eg"))
    return np.array(middle), np.array(end)


def with_weights(path: Path, keys: list[Key], mg: np.ndarray, eg: np.ndarray) -> Weights:
    """A data file's content with other numbers."""
    data: Weights = json.loads(path.read_text(encoding="utf-8"))
    for (name, index), middle, end in zip(keys, mg, eg, strict=True):
        for half, number in (("mg", middle), ("eg", end)):
            table = data["terms"][name][half] if name in data["terms"] else data[half][name]
            table[index] = int(number)
    return data


def write_weights(path: Path, data: Weights) -> None:
    """Write a data file as people read it: boards of eight by eight, a term in two lines."""
    items = []
    for key, value in data.items():
        if key in ("mg", "eg"):
            boards = [f'    "{kind}": [\n{_board(table)}\n    ]' for kind, table in value.items()]
            items.append(f'  "{key}": {{\n' + ",\n".join(boards) + "\n  }")
        elif key == "terms":
            terms = [
                f'    "{name}": {{\n      "mg": {term["mg"]},\n      "eg": {term["eg"]}\n    }}'
                for name, term in value.items()
            ]
            items.append('  "terms": {\n' + ",\n".join(terms) + "\n  }")
        else:
            items.append(f'  "{key}": {json.dumps(value)}')
    path.write_text("{\n" + ",\n".join(items) + "\n}\n", encoding="utf-8")


def _board(table: list[int]) -> str:
    ranks = (table[start : start + 8] for start in range(0, 64, 8))
    return ",\n".join("      " + ", ".join(f"{number:4d}" for number in rank) for rank in ranks)


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("play")
    step.add_argument("folder", type=Path)
    step.add_argument("--pairs", type=int, default=6000)
    step.add_argument("--nodes", type=int, default=2000)
    step.add_argument("--seed", type=int, default=5)
    step = steps.add_parser("collect")
    step.add_argument("folder", type=Path)
    step.add_argument("--per-game", type=int, default=20)
    step.add_argument("--seed", type=int, default=1)
    step = steps.add_parser("fit")
    step.add_argument("folder", type=Path, nargs="+")
    step.add_argument("--out", type=Path, required=True)
    for name in Priors.__dataclass_fields__:
        step.add_argument(f"--{name}", type=float, default=getattr(Priors(), name))
    given = parser.parse_args()
    if given.step == "play":
        play(given.folder, given.pairs, given.nodes, given.seed)
    elif given.step == "collect":
        collect(given.folder, given.per_game, given.seed)
    else:
        fit(
            given.folder,
            given.out,
            Priors(*(getattr(given, n) for n in Priors.__dataclass_fields__)),
        )


if __name__ == "__main__":
    main()
