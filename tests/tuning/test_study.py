"""What a study asks for depends on its settings and scores alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec import convert, structs, to_builtins
from msgspec.structs import replace

from db.errors import DatabaseError
from db.records.games import GameFilter
from db.records.studies import EncounterRecord
from db.session import Database, open_database
from db.storage import file_lock
from engines.limit import TIME_MANAGER, Limit
from engines.variant import parse_variant, variant_of
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.version import this_program
from toolkit.books.book import package_book
from toolkit.referee.adjudication import Adjudication
from toolkit.runs import lifecycle
from toolkit.tuning.measuring.simulated import SimulatedEvaluator
from toolkit.tuning.samplers.sampler import make_sampler
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.study import run as study_module
from toolkit.tuning.study.progress import StudyProgress
from toolkit.tuning.study.report import export_row, study_report, study_row
from toolkit.tuning.study.request import StudyKeywords, make_settings
from toolkit.tuning.study.result import finished_result
from toolkit.tuning.study.run import resume_study, run_study

Failing = Callable[..., list[str]]

HERE = Path(__file__).parent
BOOK = package_book("default-500")
"""Small, because each database stores the book of its events."""
SHORT = Adjudication(max_plies=16, draw=None, resign=None)
ORDERED = ["x=-100..100", "y=0.0..1.0"]
MIXED = [*ORDERED, "kind=plain|odd|even", "z=1..9,kind=odd"]


@pytest.fixture(autouse=True)
def landscape(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The simulated objectives, to be found by their module's name."""
    monkeypatch.syspath_prepend(str(HERE))
    import landscape_of_two

    return landscape_of_two


def options(sampler: str, **more: Any) -> StudyKeywords:
    """A small study of the ordered landscape."""
    parameters = more.pop("parameters", ORDERED)
    function = "mixed" if len(parameters) > 2 else "ordered"
    return {
        **StudyKeywords(
            parameters=parameters,
            objective=f"simulated:landscape_of_two:{function}",
            budget_pairs=160,
            seed=3,
            sampler=sampler,
            name="s",
        ),
        **more,
    }


def content(db: Database) -> list[Any]:
    """Everything stored of the only study, but for moments."""
    (study,) = db.repository.studies()
    trials = [
        structs.replace(trial, started_at="", ended_at=None, attributes=_plain(trial.attributes))
        for trial in db.repository.trials(study.id)
    ]
    return [study.settings, study.result, trials, db.repository.encounters(study.id)]


def _plain(attributes: Any) -> Any:
    """Without the optimizer that CMA-ES pickles, whose bytes tell which objects were one."""
    system = {k: v for k, v in attributes["system"].items() if "cma:optimizer" not in k}
    return {"user": attributes["user"], "system": system}


class StopAfter:
    """Asks for a stop when so many encounters were stored in this run."""

    def __init__(self, number: int) -> None:
        self.event = threading.Event()
        self.left = number

    def __call__(self, progress: StudyProgress) -> None:
        self.left -= 1
        if self.left <= 0:
            self.event.set()


CASES = {
    "spsa": options("spsa", trials=30),
    "spsa, mixed": options("auto", parameters=MIXED, in_flight=7, trials=30),
    "tpe": options("tpe", parameters=MIXED, in_flight=3),
    "tpe, wilcoxon": options("tpe", pruner="wilcoxon", pairs_per_trial=40, budget_pairs=600),
    "cmaes": options("cmaes"),
    "random": options("random", parameters=MIXED),
    "grid": options("grid", parameters=MIXED, sampler_options={"points": 3}),
    "by path": options("optuna.samplers:QMCSampler"),
}


@pytest.mark.parametrize("case", CASES)
def test_stopped_study_equals_unbroken_one_within_its_budget(case: str, tmp_path: Path) -> None:
    settings = make_settings(**CASES[case])
    with open_database(tmp_path / "whole.db", create=True) as db:
        outcome = run_study(db, settings)
        assert outcome.status == "done"
        assert_keeps_budget(db, settings, CASES[case]["budget_pairs"])
        whole = content(db)
    with open_database(tmp_path / "parts.db", create=True) as db:
        stop = StopAfter(4)
        assert run_study(db, settings, stop=stop.event, on_progress=stop).status == "interrupted"
        for number in (1, 14):
            stop = StopAfter(number)
            resume_study(db, "s", stop=stop.event, on_progress=stop)
        assert resume_study(db, "s").status == "done"
        assert content(db) == whole


def assert_keeps_budget(db: Database, settings: StudySettings, total: int | None) -> None:
    """The only study spent no more pairs than planned, and no phase used pairs of another one."""
    assert settings.budget.total == total
    (study,) = db.repository.studies()
    result = finished_result(study)
    used = Counter[str]()
    numbers: dict[str, set[int]] = {"search": set(), "choice": set(), "gain": set()}
    for encounter in db.repository.encounters(study.id):
        assert encounter.scores is not None
        used[encounter.phase] += encounter.pairs
        first = encounter.first_pair
        numbers[encounter.phase] |= set(range(first, first + encounter.pairs))
    assert {name: number for name, number in result.pairs_used.items() if number} == used
    for phase in ("search", "choice"):
        assert used[phase] <= getattr(settings.budget, phase)
    # What these leave measures the gain, where there is one to measure.
    assert sum(used.values()) <= settings.budget.total
    if not result.is_base:
        assert sum(used.values()) == settings.budget.total
    assert not numbers["gain"] & (numbers["search"] | numbers["choice"])
    assert not numbers["choice"] & numbers["search"]


def test_grid_ends_with_its_points(tmp_path: Path) -> None:
    """Fewer points than trials: each has more pairs, and the rest measures the gain."""
    small = ["x=-100..100", "kind=plain|even"]
    given = options("grid", parameters=[*small, "y=0.0..1.0"], sampler_options={"points": 2})
    for more in ({}, {"pairs_per_trial": 16}, {"pruner": "wilcoxon"}):
        settings = make_settings(**{**given, **more, "budget_pairs": 2000})
        assert settings.trials == 8  # the start is none of 2 * 2 * 2 points
        assert settings.budget.total == 2000
        with open_database(tmp_path / f"{len(more)}{list(more)}.db", create=True) as db:
            outcome = run_study(db, settings)
            assert outcome.status == "done"
            points = [trial.params for trial in db.repository.trials(outcome.study.id)]
        assert len({tuple(point.items()) for point in points}) == len(points) == 9
    assert make_settings(**{**given, "budget_pairs": 2000}).pairs_per_trial == 125


@pytest.mark.parametrize("sampler", ["spsa", "tpe"])
def test_fewer_trials_have_more_pairs(sampler: str) -> None:
    settings = make_settings(**options(sampler, trials=10, budget_pairs=600))
    assert settings.trials == 10
    assert settings.pairs_per_trial == (45 if sampler == "spsa" else 30)
    given = make_settings(**options(sampler, trials=10, pairs_per_trial=7, budget_pairs=600))
    assert (given.pairs_per_trial, given.budget.search) == (7, 70)
    assert given.budget.total == 600


@pytest.mark.slow
def test_gain_is_measured_on_fresh_openings(tmp_path: Path) -> None:
    """With many lines, and with no more than are needed."""
    given = StudyKeywords(
        parameters=["grain=1..60", "guess"],
        base="mtdf:grain=60,guess=zero",
        budget_pairs=228,
        limit=Limit(nodes=60),
        book=BOOK,
        sampler="random",
        seed=2,
        name="g",
    )
    settings = make_settings(**given)
    assert settings.event is not None
    budget = settings.budget
    for lines in (settings.event.book.lines, 16 + budget.choice + budget.gain):
        book = structs.replace(settings.event.book, lines=lines)
        chosen = structs.replace(settings, event=structs.replace(settings.event, book=book))
        with open_database(tmp_path / f"{lines}.db", create=True) as db:
            outcome = run_study(db, chosen)
            assert outcome.study.result is not None and not outcome.study.result["is_base"]
            gain = [e for e in db.repository.encounters(outcome.study.id) if e.phase == "gain"]
            before = [e for e in db.repository.encounters(outcome.study.id) if e.phase != "gain"]
        numbers = [n for e in gain for n in range(e.first_pair, e.first_pair + e.pairs)]
        assert not set(numbers) & {
            n for e in before for n in range(e.first_pair, e.first_pair + e.pairs)
        }
        assert max(numbers) < lines
        assert len(numbers) > settings.budget.gain


@pytest.mark.slow
def test_spsa_climbs_and_measures_gain(tmp_path: Path, landscape: ModuleType) -> None:
    gains = []
    for seed in range(3):
        settings = make_settings(**options("spsa", seed=seed, budget_pairs=4000, trials=160))
        with open_database(tmp_path / f"{seed}.db", create=True) as db:
            outcome = run_study(db, settings)
        result = finished_result(outcome.study)
        fixed = {"kind": "odd", "z": 6}
        start = landscape.elo({"x": 0, "y": 0.5, **fixed})
        gain = landscape.elo({**result.parameters, **fixed}) - start
        assert result.gain is not None and result.gain.error95 is not None
        assert abs(result.gain.value - gain) < 2 * result.gain.error95
        gains.append(gain)
    # 12.8 is the most that there is.
    assert sum(gains) / 3 > 8


@pytest.mark.slow
def test_mixed_space_finds_option_and_its_parameter(tmp_path: Path, landscape: ModuleType) -> None:
    settings = make_settings(**options("auto", parameters=MIXED, budget_pairs=8000))
    assert settings.sampler == "spsa"
    with open_database(tmp_path / "s.db", create=True) as db:
        outcome = run_study(db, settings)
    assert outcome.study.result is not None
    parameters = outcome.study.result["parameters"]
    assert parameters["kind"] == "odd"
    start = landscape.elo({"x": 0, "y": 0.5, "kind": "plain"})
    assert landscape.elo(parameters) - start > 25  # of 42.8


def test_no_gain_is_stated_without_measurement(tmp_path: Path) -> None:
    settings = make_settings(**options("spsa", measure=0.0, trials=10))
    assert (settings.budget.gain, settings.budget.search) == (0, 160)
    with open_database(tmp_path / "s.db", create=True) as db:
        outcome = run_study(db, settings)
    assert outcome.study.result is not None and outcome.study.result["gain"] is None


def test_point_measured_worse_is_not_recommended(tmp_path: Path, landscape: ModuleType) -> None:
    def worse(parameters: Any, opponent: Any, pairs: list[int], seed: int) -> list[float]:
        """Against the base every point loses; among themselves the larger x wins."""
        if opponent is None:
            return [0.25 * (pair % 2) for pair in pairs]
        return [0.75 if parameters["x"] > opponent["x"] else 0.25] * len(pairs)

    landscape.worse = worse  # type: ignore[attr-defined]
    settings = make_settings(**options("spsa", objective="simulated:landscape_of_two:worse"))
    with open_database(tmp_path / "s.db", create=True) as db:
        result = finished_result(run_study(db, settings).study)
    assert result.is_base and dict(result.recommended) == {"x": 0, "y": 0.5}
    assert result.gain is not None and (result.gain.pairs, result.gain.value) == (0, 0)
    assert result.refused is not None and result.refused != result.recommended
    assert result.refused_gain is not None and result.refused_gain.value < -300
    assert result.pairs_used["gain"] == settings.budget.gain


class _Luck(SimulatedEvaluator):
    """Every point wins until its gain is measured, which is then a mean score of 1/2 + ``gain``
    with a wide interval; of two points the one of the larger x wins."""

    gain = 0.0

    def next_finished(self) -> EncounterRecord | None:
        encounter = self._waiting.popleft()
        mean = 0.5 + (self.gain if encounter.phase == "gain" else 0.2)
        if encounter.second is not None:
            mean = 0.7 if encounter.first["x"] > encounter.second["x"] else 0.3
        numbers = encounter.pair_numbers
        return structs.replace(
            encounter, scores=tuple(mean + (0.25 if n % 2 else -0.25) for n in numbers)
        )


@pytest.mark.parametrize(
    ("case", "measured"),
    [
        *(("spsa, mixed", -0.02), ("tpe", -0.02), ("grid", -0.02)),
        *(("spsa", 0.02), ("tpe", 0.02)),
    ],
)
def test_base_is_recommended_without_measured_gain(
    case: str, measured: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the point came about, and although the interval of its gain has 0 within."""
    monkeypatch.setattr(_Luck, "gain", measured)
    monkeypatch.setattr(study_module, "SimulatedEvaluator", _Luck)
    settings = make_settings(**CASES[case])
    with open_database(tmp_path / "s.db", create=True) as db:
        record = run_study(db, settings).study
        result = finished_result(record)
        report = study_report(db, record)
        exported = export_row(db, record)
    assert result.gain is not None and result.measured is not None
    assert result.measured.high95 is not None and result.measured.high95 > 0
    base = settings.space.restrict(settings.start)
    assert result.is_base == report.is_base == exported.is_base == (measured <= 0)
    if measured > 0:
        assert result.refused is None and dict(result.recommended) != dict(base)
        assert report.gain is not None and "may be luck" in report.gain.note
        return
    assert dict(result.recommended) == dict(base) == exported.parameters
    assert (result.gain.pairs, result.gain.value, report.gain_elo) == (0, 0, 0)
    assert result.refused is not None and dict(result.refused) != dict(base)
    assert result.measured == result.refused_gain and result.measured.value <= 0
    assert exported.refused == report.refused == dict(result.refused)
    assert exported.refused_gain == report.refused_gain


def test_progress_shows_gain_of_its_pairs(tmp_path: Path) -> None:
    """Not by the model of the search, once there are pairs; also where a run goes on."""
    seen: list[StudyProgress] = []
    stop = threading.Event()

    def note(progress: StudyProgress) -> None:
        seen.append(progress)
        if progress.phase == "gain":
            stop.set()

    with open_database(tmp_path / "s.db", create=True) as db:
        settings = make_settings(**options("spsa", budget_pairs=300))
        assert run_study(db, settings, stop=stop, on_progress=note).status == "interrupted"
        outcome = resume_study(db, "s", on_progress=seen.append)
        result = finished_result(outcome.study)
    searched = [one.estimate for one in seen if one.phase == "search" and one.estimate]
    assert {one.model for one in searched} == {"surface"}
    last, gain = seen[-1], result.gain
    assert last.phase == "gain" and last.current == result.recommended
    assert last.estimate is not None and gain is not None and last.estimate.model == "pairs"
    assert last.estimate.value == pytest.approx(gain.value)
    assert (last.estimate.low95, last.estimate.high95) == pytest.approx((gain.low95, gain.high95))


def test_best_trial_overstates_gain(tmp_path: Path) -> None:
    """The leaders' own scores flatter them; the choice's fresh pairs do so less, the gain not."""
    with open_database(tmp_path / "s.db", create=True) as db:
        outcome = run_study(db, make_settings(**options("random", budget_pairs=3000)))
    result = finished_result(outcome.study)
    assert result.best_trial_gain is not None and result.gain is not None
    assert result.best_trial_gain > result.gain.value


@pytest.mark.slow
def test_killed_study_resumes_unchanged(tmp_path: Path) -> None:
    """``kill -9`` at any call, resumed: the same study, and no call twice but the killed one."""
    command = [sys.executable, "-m", "cli", "--db", str(tmp_path / "k.db")]
    run = [*command, "tune", "run", "--objective", "simulated:landscape_of_two:ordered"]
    run += ["--param", ORDERED[0], "--param", ORDERED[1], "--budget-pairs", "600"]
    run += ["--seed", "3", "--name", "s"]
    calls = tmp_path / "calls"
    env = os.environ | {"PYTHONPATH": str(HERE), "CALLS": str(calls), "DIE_AT": "57"}
    killed = subprocess.run(run, env=env, capture_output=True, text=True, timeout=600)
    assert killed.returncode == -9, killed.stderr
    env["DIE_AT"] = "130"
    killed = subprocess.run([*command, "resume", "s"], env=env, capture_output=True, timeout=600)
    assert killed.returncode == -9
    env["DIE_AT"] = "0"
    done = subprocess.run([*command, "resume", "s"], env=env, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
    with open_database(tmp_path / "k.db") as db:
        parts = content(db)
    with open_database(tmp_path / "whole.db", create=True) as db:
        run_study(db, make_settings(**options("auto", budget_pairs=600)))
        whole = content(db)
    assert parts[1:] == whole[1:]
    made = Counter(calls.read_text().splitlines())
    assert len(made) == len(whole[3])
    # Not stored when it was killed: the two calls that never came back.
    assert sum(made.values()) == len(whole[3]) + 2


def test_running_study_is_not_run_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One without games, too, which has no event whose lock would say so."""
    monkeypatch.setattr(file_lock, "PATIENCE_S", 0.0)
    seen: list[str] = []
    with open_database(tmp_path / "s.db", create=True) as db:

        def look(progress: StudyProgress) -> None:
            if seen:
                return
            with open_database(tmp_path / "s.db") as other:
                seen.append(study_row(other, other.repository.find_study("s")).status)
                busy = r"study s in .*s\.db is already running"
                with pytest.raises(DatabaseError, match=busy) as said:
                    resume_study(other, "s")
                seen.append(str(said.value))

        settings = make_settings(**options("random"))
        run_study(db, settings, on_progress=look)
        assert seen[0] == "running"
        assert study_row(db, db.repository.find_study("s")).status == "done"
        # A process that was killed leaves its word, but no lock.
        db.repository.set_status(db.repository.study(1), "running")
        assert study_row(db, db.repository.find_study("s")).status == "interrupted"


def test_games_of_study_do_not_depend_on_jobs(tmp_path: Path) -> None:
    """The same games and answer for one worker and two; the event holds them all."""
    given = StudyKeywords(
        parameters=["grain=1..40", "guess=parity|previous", "null_move"],
        base="mtdf:guess=parity",
        budget_pairs=40,
        limit=Limit(nodes=30),
        book=BOOK,
        adjudication=SHORT,
        seed=5,
        name="g",
    )
    settings = make_settings(**given)
    stored = []
    for jobs in (1, 2):
        with open_database(tmp_path / f"{jobs}.db", create=True) as db:
            outcome = run_study(db, settings, jobs=jobs)
            assert outcome.status == "done", outcome.problem
            stored.append(content(db))
            assert outcome.study.event_id is not None
            event = db.repository.event(outcome.study.event_id)
            assert (event.kind, event.status) == ("tuning", "done")
            games = db.repository.count_games(GameFilter(event_id=event.id))
            equal = sum(
                encounter.pairs
                for encounter in db.repository.encounters(outcome.study.id)
                if _is_one_engine(encounter.first, encounter.second)
            )
            pairs = sum(e.pairs for e in db.repository.encounters(outcome.study.id))
            assert games == 2 * (pairs - equal)
    assert stored[0] == stored[1]


def _is_one_engine(first: Any, second: Any) -> bool:
    base = parse_variant("mtdf")
    one = variant_of(base, first)
    two = base if second is None else variant_of(base, second)
    return one.identity == two.identity


@pytest.mark.parametrize("sampler", ["spsa", "tpe"])
def test_opponents_meet_both_ends_on_same_openings(sampler: str, tmp_path: Path) -> None:
    given = StudyKeywords(
        parameters=["grain=1..40", "reduction_slope"],
        base="mtdf",
        against=["pvs", "alphabeta"],
        budget_pairs=100,
        pairs_per_trial=4,
        limit=Limit(nodes=20),
        book=BOOK,
        adjudication=SHORT,
        sampler=sampler,
        seed=5,
        name="o",
    )
    settings = make_settings(**given)
    with open_database(tmp_path / "o.db", create=True) as db:
        outcome = run_study(db, settings)
        assert outcome.status == "done", outcome.problem
        trials = db.repository.trials(outcome.study.id)
        met: dict[int | None, list[Any]] = {}
        for e in db.repository.encounters(outcome.study.id):
            assert e.second is None and e.opponent in (0, 1)
            if e.phase == "search":
                met.setdefault(e.trial, []).append(e)
    for trial in trials[1:]:
        ends = {tuple(sorted(e.first.items())) for e in met[trial.number]}
        assert len({e.first_pair for e in met[trial.number]}) == 1
        assert all(
            {e.opponent for e in met[trial.number] if tuple(sorted(e.first.items())) == end}
            == {0, 1}
            for end in ends
        )
        if sampler == "spsa":
            plus, minus = trial.params, trial.attributes["user"]["opponent"]
            assert ends == {tuple(sorted(end.items())) for end in (plus, minus)}
            scores = {
                (tuple(sorted(e.first.items())), e.opponent): sum(e.scores) / e.pairs
                for e in met[trial.number]
            }
            up, down = (tuple(sorted(end.items())) for end in (plus, minus))
            worth = sum(scores[up, k] - scores[down, k] for k in (0, 1)) / 2
            assert trial.value == pytest.approx(worth, abs=1e-12)


@pytest.mark.parametrize("objective", ["nodes", "time"])
def test_study_of_effort(objective: str, tmp_path: Path) -> None:
    given = StudyKeywords(
        parameters=["guess"],
        base="mtdf:guess=zero,eval=pst",
        objective=objective,
        trials=6,
        positions=4,
        depth=3,
        name="e",
        seed=1,
    )
    settings = make_settings(**given)
    with open_database(tmp_path / "e.db", create=True) as db:
        outcome = run_study(db, settings)
        assert outcome.status == "done", outcome.problem
        trials = db.repository.trials(outcome.study.id)
        result = finished_result(outcome.study)
    assert trials[0].params == {"guess": "zero"} and trials[0].value == 0
    if objective == "nodes":
        best = max(trials, key=lambda trial: trial.value or 0)
        assert result.recommended == best.params and not result.is_base
    assert result.gain is not None and result.gain.unit == "percent"


def test_study_that_refuses_to_start_keeps_its_status(tmp_path: Path) -> None:
    lines = (HERE.parent / "data" / "bratko_kopec.epd").read_text(encoding="utf-8").splitlines()
    positions = tmp_path / "positions.epd"
    positions.write_text("\n".join(lines), encoding="utf-8")
    given = StudyKeywords(
        parameters=["guess=zero|static"],
        base="mtdf:guess=zero,eval=pst",
        objective="nodes",
        trials=2,
        positions=4,
        position_file=str(positions),
        depth=2,
        name="e",
    )
    with open_database(tmp_path / "e.db", create=True) as db:
        study_module._store_study(db, make_settings(**given), None)
        positions.write_text("\n".join(lines[8:]), encoding="utf-8")
        with pytest.raises(UsageError, match="different positions than when the study started"):
            resume_study(db, "e")
        assert db.repository.find_study("e").status == "planned"
        positions.write_text("\n".join(lines), encoding="utf-8")
        assert resume_study(db, "e").status == "done"


def test_failing_objective_stops_study(tmp_path: Path, landscape: ModuleType) -> None:
    def broken(parameters: Any, opponent: Any, pairs: list[int], seed: int) -> list[float]:
        return [float("nan")] * len(pairs)

    landscape.broken = broken  # type: ignore[attr-defined]
    settings = make_settings(**options("spsa", objective="simulated:landscape_of_two:broken"))
    with open_database(tmp_path / "b.db", create=True) as db:
        outcome = run_study(db, settings)
    assert outcome.status == "failed" and "score nan" in (outcome.problem or "")


@pytest.mark.parametrize("text", ["x = (", "raise RuntimeError('a\\nb')"])
def test_failing_modules_are_reported(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"module_that_fails_{len(text)}"
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    said = f"{name} failed: (SyntaxError: |RuntimeError: a b$)"
    with pytest.raises(UsageError, match=said):
        make_sampler(make_settings(**options(f"{name}:Sampler")))
    settings = make_settings(**options("spsa", objective=f"simulated:{name}:function"))
    with open_database(tmp_path / "m.db", create=True) as db:
        with pytest.raises(UsageError, match=said):
            run_study(db, settings)
        assert not db.repository.studies()


def test_failing_sampler_stops_study(tmp_path: Path) -> None:
    """Optuna takes anything for ``gamma``, silently, and calls it when it needs it."""
    settings = make_settings(**options("tpe", budget_pairs=600, sampler_options={"gamma": 3}))
    with open_database(tmp_path / "b.db", create=True) as db:
        outcome = run_study(db, settings)
    assert outcome.status == "failed"
    assert "sampler tpe failed: TypeError: 'int' object is not callable" in (outcome.problem or "")


def test_invalid_settings_are_refused(failing: Failing) -> None:
    def check(more: dict[str, Any], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            make_sampler(make_settings(**options(**({"sampler": "spsa"} | more))))

    assert not failing(
        check,
        [
            ({"objective": "elo", "parameters": ["grain"]}, "a limit is missing"),
            ({"objective": "points"}, "expected elo, nodes, time or simulated"),
            ({"sampler": "spas"}, "expected auto, spsa"),
            ({"pruner": "wilcoxon"}, "leave --pruner out"),
            ({"budget_pairs": 3}, "give more --budget-pairs"),
            ({"measure": 1.5}, "from 0 to 0.9"),
            (
                {
                    "sampler": "random",
                    "measure": 0.001,
                    "budget_pairs": 202,
                    "pairs_per_trial": 19,
                    "trials": 8,
                },
                "0 pairs cannot measure a gain that takes at least 1",
            ),
            ({"name": "last"}, "name of the study"),
            ({"sampler": "os:path"}, "no sampler path with Optuna's interface"),
            ({"sampler": "grid", "sampler_options": {"points": 1}}, "expected 2 or more"),
            ({"sampler": "grid", "sampler_options": {"points": 10**9}}, "at most 100000"),
            (
                {"sampler": "tpe", "sampler_options": {"speed": 1}},
                "has no option `speed`; it has",
            ),
            ({"sampler": "tpe", "sampler_options": {"seed": 1}}, "has no option `seed`"),
            ({"sampler": "cmaes", "sampler_options": {"sigma": 1}}, "did you mean `sigma0`"),
            (
                {"sampler_options": {"foo": 1}},
                "spsa has no option `foo`; it has c, c_end, r, decay",
            ),
            ({"sampler_options": {"iterations": 1}}, "spsa has no option `iterations`"),
            ({"sampler_options": {"c": "x"}}, "spsa, c=x: expected a number"),
            ({"sampler": ".os:path"}, "`.os` is not the name of a module"),
            ({"sampler": "no_such_module:A"}, "cannot import no_such_module"),
        ],
    )


def test_base_is_point_of_its_space() -> None:
    with pytest.raises(UsageError, match="the base has grain=1"):
        make_settings(parameters=["grain=5..50"], base="mtdf", limit=Limit(nodes=100))


def test_settings_survive_json() -> None:
    for given in CASES.values():
        settings = make_settings(**given)
        assert convert(json.loads(json.dumps(to_builtins(settings))), StudySettings) == settings


def test_other_core_does_not_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = StudyKeywords(
        parameters=["grain=1..40"],
        base="mtdf",
        budget_pairs=40,
        limit=Limit(nodes=20),
        book=BOOK,
        adjudication=SHORT,
        name="c",
    )
    with open_database(tmp_path / "c.db", create=True) as db:
        stop = StopAfter(2)
        run_study(db, make_settings(**given), stop=stop.event, on_progress=stop)
        monkeypatch.setattr(
            lifecycle, "this_program", lambda *_: replace(this_program(), signature="0" * 16)
        )
        with pytest.raises(EngineProblem, match="played differently"):
            resume_study(db, "c")


def test_timed_study_of_other_time_manager_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its games would be under two limits. One that is done, or has no time, is as it was."""
    timed = StudyKeywords(
        parameters=["grain=1..40"],
        base="mtdf",
        budget_pairs=40,
        limit=Limit(base_ms=60_000),
        book=BOOK,
    )
    nodes = {**timed, "limit": Limit(nodes=20), "name": "nodes"}
    stop = threading.Event()
    stop.set()
    with open_database(tmp_path / "c.db", create=True) as db:
        for given in ({**timed, "name": "timed"}, nodes, {**timed, "name": "done"}):
            run_study(db, make_settings(**given), stop=stop)
        db.repository.set_status(db.repository.find_study("done"), "done")
        monkeypatch.setattr("toolkit.referee.clock.TIME_MANAGER", TIME_MANAGER + 1)
        for allow in (False, True):
            with pytest.raises(EngineProblem, match="study timed began with version"):
                resume_study(db, "timed", allow_changed=allow, stop=stop)
        assert resume_study(db, "nodes", stop=stop).status == "interrupted"
        assert resume_study(db, "done", stop=stop).status == "done"
        assert db.repository.count_games() == 0


def test_base_keeps_its_preset_where_the_table_is_tuned() -> None:
    """Its label has a comma, which no given name may have."""
    text = "mtdf:preset=plaat,grain=2"
    options = StudyKeywords(
        parameters=["entries=2^10..2^20"], base=text, limit=Limit(nodes=100), budget_pairs=20
    )
    base = make_settings(**options).base
    assert base is not None and (base.label, base.variant().effective["entries"]) == (text, 2**20)
