"""Objectives without games: a Python function that stands for them, to test tuners with."""

from __future__ import annotations

import importlib
import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from toolkit.errors import EngineProblem, UsageError
from toolkit.tuning.encounter import Encounter, Finished, Point
from toolkit.tuning.objective import Objective

SimulatedFunction = Callable[[Point, Point | None, Sequence[int], int], Sequence[float]]
"""(parameters, opponent, pair numbers, seed) -> pair scores in [0, 1] of the parameters; opponent
None: the base. Noise that steps over the ends is left as it is, since cutting it off would move the
mean."""


def load_function(objective: Objective) -> SimulatedFunction:
    """The function of a simulated objective, found on ``PYTHONPATH``. Raises UsageError."""
    assert objective.module is not None and objective.function is not None
    try:
        module = importlib.import_module(objective.module)
    except ImportError as error:
        raise UsageError(
            f"objective {objective}: cannot import {objective.module} ({error}); is its folder on "
            "PYTHONPATH?"
        ) from error
    function = getattr(module, objective.function, None)
    if not callable(function):
        raise UsageError(
            f"objective {objective}: {objective.module} has no function {objective.function}"
        )
    found: SimulatedFunction = function
    return found


class SimulatedEvaluator:
    """An :class:`~toolkit.tuning.encounter.Evaluator` that asks a function."""

    def __init__(self, objective: Objective, seed: int, stopped: Callable[[], bool]) -> None:
        self._objective = objective
        self._function = load_function(objective)
        self._seed = seed
        self._stopped = stopped
        self._waiting: deque[Encounter] = deque()

    def submit(self, encounter: Encounter) -> None:
        """Have an encounter measured."""
        self._waiting.append(encounter)

    def next_finished(self) -> Finished | None:
        """The oldest encounter that waits. Raises EngineProblem for a function that fails."""
        if self._stopped():
            return None
        encounter = self._waiting.popleft()
        second = None if encounter.second is None else dict(encounter.second)
        numbers = list(encounter.pair_numbers)
        try:
            scores = self._function(dict(encounter.first), second, numbers, self._seed)
            checked = self._checked(scores, len(numbers))
        except EngineProblem:
            raise
        except Exception as error:  # whatever a function of the user's raises is told in one line
            text = " ".join(str(error).split())
            raise EngineProblem(
                f"objective {self._objective} failed: {type(error).__name__}: {text}"
            ) from error
        return Finished(encounter, checked)

    def close(self) -> None:
        """Nothing to end."""

    def _checked(self, scores: Any, wanted: int) -> tuple[float, ...]:
        values = tuple(float(score) for score in scores)
        if len(values) != wanted:
            raise EngineProblem(
                f"objective {self._objective} gave {len(values)} scores for {wanted} pairs"
            )
        for value in values:
            if not math.isfinite(value):
                raise EngineProblem(f"objective {self._objective} gave the score {value}")
        return values
