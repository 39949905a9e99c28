"""Whatever a function does as the objective, the study continues or ends in one line."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db.records.studies import EncounterRecord
from db.session import open_database
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.tuning.measuring import simulated
from toolkit.tuning.measuring.imported import imported, printing_to_stderr
from toolkit.tuning.measuring.objective import Objective
from toolkit.tuning.measuring.simulated import SimulatedEvaluator

OBJECTIVE = Objective("simulated", "somewhere", "score")
ENCOUNTER = EncounterRecord(0, "search", {"x": 1}, first_pair=5, pairs=2)
Function = Callable[[Any, Any, Any, int], Any]


def asked(monkeypatch: pytest.MonkeyPatch, function: Function) -> tuple[float | None, ...] | None:
    """The scores that a study takes from a function; None where it stops."""
    monkeypatch.setattr(simulated, "load_function", lambda objective: function)
    evaluator = SimulatedEvaluator(OBJECTIVE, 1, threading.Event())
    evaluator.submit(ENCOUNTER)
    finished = evaluator.next_finished()
    return None if finished is None else finished.scores


def giving(value: Any) -> Function:
    """A function that gives the value for each pair."""
    return lambda parameters, opponent, pairs, seed: [value] * len(pairs)


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (0, 0.0),
        (True, 1.0),
        (-0.4, -0.4),
        (100, 100.0),
        (Fraction(1, 4), 0.25),
        (Decimal("0.25"), 0.25),
        (np.float32(0.25), 0.25),
        (np.int64(1), 1.0),
        (np.bool_(True), 1.0),
    ],
)
def test_every_kind_of_number_is_score(
    value: Any, score: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = asked(monkeypatch, giving(value))
    assert scores == (score, score) and all(type(one) is float for one in scores)


class _NoRepr:
    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "None"),
        ("0.5", "'0.5'"),
        (b"1", "b'1'"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (1e308, "1e+308"),
        (-100.5, "-100.5"),
        (10**400, "1" + "0" * 39),
        (10**9999, "of type int"),
        (1j, "1j of type complex"),
        ([0.5], "[0.5] of type list"),
        (_NoRepr(), "of type _NoRepr"),
        ("a\nb" * 50, "'a"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_invalid_score_is_refused_in_one_line(
    value: Any, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EngineProblem) as caught:
        asked(monkeypatch, giving(value))
    message = str(caught.value)
    assert message.startswith(f"objective simulated:somewhere:score gave the score {shown}")
    assert "for pair 5: a score is a number from 0 to 1" in message
    assert "\n" not in message and len(message) < 220


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (lambda: 0.5, "gave 0.5: expected a list of 2 scores, one per pair"),
        (lambda: None, "gave None: expected a list of 2 scores"),
        (lambda: np.array(0.5), "of type ndarray: expected a list of 2 scores"),
        (lambda: [0.5], "gave 1 scores for 2 pairs"),
        (lambda: iter(lambda: 0.5, 1), "gave more than 2 scores for 2 pairs"),
        (lambda: (1 / 0 for _ in range(2)), "failed: ZeroDivisionError: division by zero"),
    ],
)
def test_invalid_list_of_scores_is_refused_in_one_line(
    scores: Callable[[], Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EngineProblem) as caught:
        asked(monkeypatch, lambda *asked: scores())
    assert message in str(caught.value) and "\n" not in str(caught.value)


def _without_end(*asked: Any) -> Any:
    return _without_end(*asked)


class _Worse(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *asked: sys.exit(3), "failed: SystemExit: 3"),
        (lambda *asked: sys.exit(), "failed: SystemExit"),
        (_without_end, "failed: RecursionError: "),
        (lambda *asked: (_ for _ in ()).throw(GeneratorExit), "failed: "),
        (lambda *asked: [][0], "failed: IndexError: list index out of range"),
        (lambda *asked: (_ for _ in ()).throw(_Worse), "failed: _Worse"),
    ],
)
def test_failing_function_is_reported_in_one_line(
    function: Function, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*asked: Any) -> Any:
        return list(function(*asked))

    with pytest.raises(EngineProblem) as caught:
        asked(monkeypatch, failing)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_ctrl_c_in_function_stops_study(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*asked: Any) -> Any:
        raise KeyboardInterrupt

    assert asked(monkeypatch, interrupted) is None


def test_output_of_function_is_not_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def talkative(parameters: Any, opponent: Any, pairs: Any, seed: int) -> Any:
        print("printed")
        os.write(1, b"written\n")
        subprocess.run([sys.executable, "-c", "print('by a process')"], check=True)
        return [0.5] * len(pairs)

    print("before")
    assert asked(monkeypatch, talkative) == (0.5, 0.5)
    print("after")
    out, err = capfd.readouterr()
    assert out == "before\nafter\n"
    assert sorted(err.split("\n")) == ["", "by a process", "printed", "written"]


@pytest.mark.parametrize("how", ["closed", "closed by number", "replaced"])
def test_streams_are_restored_after_function(
    how: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def closing(parameters: Any, opponent: Any, pairs: Any, seed: int) -> Any:
        if how == "closed":
            sys.stdout.close()
            sys.stderr.close()
        elif how == "closed by number":
            os.close(1)
            os.close(2)
        else:
            sys.stdout = sys.stderr = None  # type: ignore[assignment]
        return [0.5] * len(pairs)

    for _ in range(2):
        assert asked(monkeypatch, closing) == (0.5, 0.5)
    print("out")
    print("err", file=sys.stderr)
    os.write(1, b"")
    assert capfd.readouterr() == ("out\n", "err\n")


def test_redirected_stream_has_buffer_and_fileno(capfd: pytest.CaptureFixture[str]) -> None:
    with printing_to_stderr():
        assert sys.stdout.writable() and not sys.stdout.isatty()
        assert sys.stdout.fileno() == sys.stderr.fileno()
        sys.stdout.buffer.write(b"bytes\n")
        sys.stdout.flush()
    assert capfd.readouterr() == ("", "bytes\n")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise SystemExit(3)", "importing {} failed: SystemExit: 3"),
        ("import sys; sys.exit('no\\nway')", "importing {} failed: SystemExit: no way"),
        ("1 / 0", "importing {} failed: ZeroDivisionError: division by zero"),
        ("def f(): f()\nf()", "importing {} failed: RecursionError: "),
        ("(", "importing {} failed: SyntaxError: "),
        ("import no_such_module_here", "cannot import {} (ModuleNotFoundError: No module named "),
        ("def __getattr__(name): raise SystemExit", "importing {} failed: SystemExit"),
    ],
)
def test_failing_module_is_reported_in_one_line(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"module_that_fails_{abs(hash(code))}"
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError) as caught:
        imported("objective", name, "score")
    assert str(caught.value).startswith(f"objective: {message.format(name)}")
    assert "\n" not in str(caught.value)
    sys.modules.pop(name, None)


def test_database_path_does_not_depend_on_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a function changes the folder: later connections are made there."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with open_database("mine.db") as db:
        monkeypatch.chdir(tmp_path / "elsewhere")
        db.repository.studies()
        with db._store.read() as one, db._store.read() as other:
            assert one is not other
    assert not any((tmp_path / "elsewhere").iterdir())
