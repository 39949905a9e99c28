"""What tuners really gain: the true Elo of the recommended point on landscapes of known Elo.

    python benchmarks/tuning.py --out tuning.jsonl
    python benchmarks/tuning.py --quick
    python benchmarks/tuning.py --landscape rough --method spsa --method tpe --seeds 5

Whole studies are run, as ``mtdf tune run`` does, with the simulated objectives of
:mod:`landscapes`; the seed of a study is the seed of its landscape. All methods are run in turn,
seed by seed. With ``--out`` finished runs are kept, and the same command goes on where it stopped.

``gain``: mean true gain of the recommended point with its standard error, of 30 Elo that there are.
``covered``: share of runs whose stated 95 % interval holds the true gain; ``±``: its mean
half-width, 0 where the start itself is recommended. ``stated``: what the run says it gained; for
``tpe best trial`` the best trial's own score, which nothing in mtdf recommends. ``pairs``: mean
number used, of all phases. ``s``: seconds of CPU a run. ``spsa all`` and ``tpe best trial`` spend
every pair of the budget on the search, so they state no measured gain; all others measure it with a
quarter.

A second table is about recommending the start where the search's answer measured no gain.
``worse``: answers that are truly worse than the start; of these ``below``: recommended if only an
interval wholly below 0 refuses; ``above``: recommended as mtdf does it, with a measured gain above
0. ``lost``: truly better answers that are refused. ``excess``: measured minus true gain of all
answers, and of those that are recommended, and the share of their intervals that hold the truth.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import landscapes

from db.session import open_database
from engines.spec import Value
from toolkit.tuning.measuring.objective import Objective
from toolkit.tuning.study.request import StudyKeywords, make_settings
from toolkit.tuning.study.result import StudyResult, finished_result
from toolkit.tuning.study.run import run_study


@dataclass(frozen=True, slots=True)
class Method:
    """A way to tune."""

    sampler: str
    options: Mapping[str, Value] = field(default_factory=dict)
    pruner: str | None = None
    measure: float = 0.25
    best_trial: bool = False
    """Take the trial of the best own score; all pairs of the budget are trials."""
    module: str | None = None
    """What it needs beside the package."""


HABITUAL: dict[str, Value] = {"c": 0.05, "r": 0.002, "decay": 0.602}
"""c a twentieth of the range and r 0.002 at the end, as SPSA servers have them by default."""
METHODS = {
    "spsa": Method("spsa"),
    "spsa all": Method("spsa", measure=0.0),
    "spsa habitual": Method("spsa", HABITUAL),
    "tpe": Method("tpe"),
    "tpe best trial": Method("tpe", measure=0.0, best_trial=True),
    "tpe wilcoxon": Method("tpe", pruner="wilcoxon"),
    "cmaes": Method("cmaes"),
    "gp": Method("gp", module="torch"),
    "random": Method("random"),
}
BUDGETS = (4000, 16000)
QUICK_METHODS = ("spsa", "spsa habitual", "tpe", "random")


@dataclass(frozen=True, slots=True)
class Run:
    """One study."""

    landscape: str
    budget: int
    method: str
    seed: int
    gain: float
    """True Elo of the recommended point over the start."""
    stated: float | None
    low95: float | None
    high95: float | None
    pairs: int
    cpu_s: float
    answer: float | None = None
    """True Elo over the start of what the search found; None: the start, or it was not measured."""
    measured: tuple[float, float | None, float | None] | None = None
    """Gain of that with its interval."""

    @property
    def key(self) -> tuple[str, int, str, int]:
        """What tells runs apart."""
        return self.landscape, self.budget, self.method, self.seed


@dataclass(frozen=True, slots=True)
class Row:
    """All runs of a method on a landscape with a budget."""

    landscape: str
    budget: int
    method: str
    runs: int
    gain: float
    gain_se: float
    stated: float | None
    covered: float | None
    half_width: float | None
    pairs: float
    cpu_s: float


def run(landscape: landscapes.Name, budget: int, method: str, seed: int) -> Run:
    """Tune once."""
    how = METHODS[method]
    options = StudyKeywords(
        parameters=landscapes.declarations(landscape),
        objective=str(Objective("simulated", "landscapes", landscape)),
        start=[f"{name}={value}" for name, value in landscapes.start(landscape).items()],
        # A quarter goes to the final choice, which has no part in the best trial.
        budget_pairs=budget * 4 // 3 if how.best_trial else budget,
        measure=how.measure,
        sampler=how.sampler,
        sampler_options=how.options,
        pruner=how.pruner,
        seed=seed,
    )
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder, open_database(Path(folder) / "runs.db") as db:
        outcome = run_study(db, make_settings(**options))
        if outcome.study.result is None:
            raise SystemExit(f"{landscape}, {method}, seed {seed}: {outcome.problem or 'stopped'}")
        result = finished_result(outcome.study)
        point, stated = result.recommended, result.gain
        if how.best_trial and result.best_trial is not None:
            point, stated = db.repository.trials(outcome.study.id)[result.best_trial].params, None
    pairs = result.pairs_used["search"] if how.best_trial else sum(result.pairs_used.values())
    return Run(
        landscape,
        budget,
        method,
        seed,
        landscapes.true_elo(landscape, point, seed),
        result.best_trial_gain if how.best_trial else None if stated is None else stated.value,
        None if stated is None else stated.low95,
        None if stated is None else stated.high95,
        pairs,
        time.process_time() - began,
        *_answer(landscape, seed, result),
    )


def _answer(
    landscape: landscapes.Name, seed: int, result: StudyResult
) -> tuple[float | None, tuple[float, float | None, float | None] | None]:
    """What the search found, recommended or refused: its true gain and the measured one."""
    gain = result.measured
    if gain is None or not gain.pairs:
        return None, None
    point = result.recommended if result.refused is None else result.refused
    true = landscapes.true_elo(landscape, point, seed)
    return true, (gain.value, gain.low95, gain.high95)


def row(runs: Sequence[Run]) -> Row:
    """Summary of the runs of one method."""
    first, number = runs[0], len(runs)
    gains = [one.gain for one in runs]
    mean = math.fsum(gains) / number
    variance = math.fsum((gain - mean) ** 2 for gain in gains) / max(number - 1, 1)
    stated = [one.stated for one in runs if one.stated is not None]
    ends = [
        (one.low95, one.high95, one.gain)
        for one in runs
        if one.low95 is not None and one.high95 is not None
    ]
    return Row(
        first.landscape,
        first.budget,
        first.method,
        number,
        mean,
        math.sqrt(variance / number),
        math.fsum(stated) / len(stated) if stated else None,
        sum(low <= gain <= high for low, high, gain in ends) / len(ends) if ends else None,
        math.fsum(high - low for low, high, _ in ends) / 2.0 / len(ends) if ends else None,
        sum(one.pairs for one in runs) / number,
        math.fsum(one.cpu_s for one in runs) / number,
    )


def refusals(runs: Sequence[Run]) -> str:
    """What recommending the start instead of an answer without a measured gain does, by method."""
    head = (
        f"  {'method':15s} {'answers':>7s} {'worse':>5s} {'below':>5s} {'above':>5s} {'lost':>4s}"
    )
    lines = [f"{head}  {'excess of all':>20s}  {'of recommended':>20s}"]
    for method in dict.fromkeys(one.method for one in runs):
        found = [
            (one.answer, *one.measured)
            for one in runs
            if one.method == method and one.answer is not None and one.measured is not None
        ]
        worse = [one for one in found if one[0] < 0]
        below = sum(high is None or high >= 0 for _, _, _, high in worse)
        still = sum(measured > 0 for _, measured, _, _ in worse)
        lost = sum(true > 0 and measured <= 0 for true, measured, _, _ in found)
        if found:
            lines.append(
                f"  {method:15s} {len(found):7d} {len(worse):5d} {below:5d} {still:5d} {lost:4d}"
                f"  {_excess(found):>20s}  {_excess([one for one in found if one[1] > 0]):>20s}"
            )
    return "\n".join(lines)


def _excess(found: Sequence[tuple[float, float, float | None, float | None]]) -> str:
    """Mean of measured minus true gain with its standard error, and how often intervals hold."""
    if len(found) < 2:
        return "-"
    excess = [measured - true for true, measured, _, _ in found]
    mean = math.fsum(excess) / len(excess)
    variance = math.fsum((one - mean) ** 2 for one in excess) / (len(excess) - 1)
    held = sum(low is not None and high is not None and low <= true <= high
               for true, _, low, high in found)  # fmt: skip
    covered = f"{100.0 * held / len(found):.0f} %"
    return f"{mean:+.1f} ± {math.sqrt(variance / len(excess)):.1f}, {covered}"


def table(rows: Sequence[Row]) -> str:
    """The rows as text, by landscape and budget."""
    lines = []
    heading: tuple[str, int] | None = None
    for one in rows:
        if heading != (one.landscape, one.budget):
            heading = (one.landscape, one.budget)
            lines += [
                "",
                f"{one.landscape}, {one.budget} pairs",
                f"  {'method':15s} {'runs':>4s} {'gain':>12s} {'stated':>7s} {'covered':>8s}"
                f" {'±':>5s} {'pairs':>7s} {'s':>6s}",
            ]
        lines.append(
            f"  {one.method:15s} {one.runs:4d} {one.gain:6.1f} ± {one.gain_se:3.1f}"
            f" {_figure(one.stated):>7s} {_share(one.covered):>8s} {_figure(one.half_width):>5s}"
            f" {one.pairs:7.0f} {one.cpu_s:6.1f}"
        )
    return "\n".join(lines).lstrip("\n")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100.0 * value:.0f} %"


def available(names: Sequence[str]) -> list[str]:
    """Methods that can be run here; says which cannot."""
    found = []
    for name in names:
        module = METHODS[name].module
        if module is not None and importlib.util.find_spec(module) is None:
            print(f"{name} is left out: it needs {module}", file=sys.stderr)
        else:
            found.append(name)
    return found


def finished(path: Path | None) -> list[Run]:
    """The runs in a file of an earlier call; a line that was cut off is left out."""
    if path is None or not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [Run(**json.loads(line)) for line in lines]


def plan(args: argparse.Namespace) -> Iterator[tuple[landscapes.Name, int, str, int]]:
    """What to run, all methods in turn."""
    for budget in args.budget:
        for seed in range(args.seeds):
            for name in args.landscape:
                for method in args.method:
                    yield name, budget, method, seed


def main() -> None:
    """Run what is missing and print the table."""
    args = _arguments()
    args.method = available(args.method)
    runs = finished(args.out)
    known = {one.key for one in runs}
    wanted = list(plan(args))
    if args.out is not None and args.out.exists():
        whole = "".join(json.dumps(asdict(one)) + "\n" for one in runs)
        args.out.write_text(whole, encoding="utf-8")
    for place, (name, budget, method, seed) in enumerate(wanted, start=1):
        if (name, budget, method, seed) in known:
            continue
        one = run(name, budget, method, seed)
        runs.append(one)
        text = f"{place}/{len(wanted)} {name} {budget} {method} seed {seed}: {one.gain:+.1f} Elo"
        print(text, file=sys.stderr, flush=True)
        if args.out is not None:
            with args.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(one)) + "\n")
    rows = [
        row(group)
        for name in args.landscape
        for budget in args.budget
        for method in args.method
        if (group := [r for r in runs if r.key[:3] == (name, budget, method)
                      and r.seed < args.seeds])
    ]  # fmt: skip
    if args.json:
        print(json.dumps([asdict(one) for one in rows]))
        return
    shown = [one for one in runs if one.key in set(wanted)]
    print(f"{table(rows)}\n\n{refusals(shown)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--landscape", action="append", choices=landscapes.NAMES)
    parser.add_argument("--method", action="append", choices=list(METHODS))
    parser.add_argument("--budget", action="append", type=int, help="pairs; default 4000 and 16000")
    parser.add_argument("--seeds", type=int, help="studies of each kind, default 20")
    parser.add_argument("--quick", action="store_true", help="four methods, 4,000 pairs, 3 seeds")
    parser.add_argument("--out", type=Path, help="JSON lines of finished runs, to go on with")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    args = parser.parse_args()
    args.landscape = args.landscape or list(landscapes.NAMES)
    args.method = args.method or list(QUICK_METHODS if args.quick else METHODS)
    args.budget = args.budget or list(BUDGETS[:1] if args.quick else BUDGETS)
    args.seeds = args.seeds or (3 if args.quick else 20)
    return args


if __name__ == "__main__":
    main()
