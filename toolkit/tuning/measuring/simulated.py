"""Objectives without games: a Python function in place of games, to test tuners."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from msgspec.structs import replace

from db.records.studies import EncounterRecord
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.base.format import count_of
from toolkit.base.printable import in_one_line
from toolkit.tuning.measuring.imported import imported, printing_to_stderr
from toolkit.tuning.measuring.objective import Objective
from toolkit.tuning.space.point import Point

SimulatedFunction = Callable[[Point, Point | None, Sequence[int], int], Sequence[float]]
"""(parameters, opponent, pair numbers, seed) -> pair scores in [0, 1] of the parameters; opponent
None: the base. Noise that steps over the ends is left as it is, since cutting it off would move the
mean; but see :data:`MOST_SCORE`."""
MOST_SCORE = 100
"""Scores beyond ± this are refused: no noise around 0 to 1 goes so far, and their sums overflow."""


def load_function(objective: Objective) -> SimulatedFunction:
    """The function of a simulated objective, found on ``PYTHONPATH``. Raises UsageError."""
    assert objective.module is not None and objective.function is not None
    function = imported(f"objective {objective}", objective.module, objective.function)
    if not callable(function):
        raise UsageError(
            f"objective {objective}: {objective.module} has no function {objective.function}"
        )
    found: SimulatedFunction = function
    return found


class SimulatedEvaluator:
    """An :class:`~toolkit.tuning.measuring.encounter.Evaluator` that asks a function."""

    def __init__(self, objective: Objective, seed: int, stop: threading.Event) -> None:
        self._objective = objective
        self._function = load_function(objective)
        self._seed = seed
        self._stop = stop
        self._waiting: deque[EncounterRecord] = deque()

    def submit(self, encounter: EncounterRecord) -> None:
        """Have an encounter measured."""
        self._waiting.append(encounter)

    def next_finished(self) -> EncounterRecord | None:
        """The oldest encounter that waits; None when the study was asked to stop. Ctrl-C within the
        function asks it to. Raises EngineProblem for a function that fails."""
        if self._stop.is_set():
            return None
        encounter = self._waiting.popleft()
        second = None if encounter.second is None else dict(encounter.second)
        numbers = list(encounter.pair_numbers)
        try:
            with printing_to_stderr():
                scores = self._function(dict(encounter.first), second, numbers, self._seed)
                given = self._listed(scores, len(numbers))
        except KeyboardInterrupt:
            self._stop.set()
            return None
        except EngineProblem:
            raise
        except BaseException as error:  # SystemExit, too: a function does not end the program
            raise EngineProblem(
                f"objective {self._objective} failed: {in_one_line(error)}"
            ) from error
        checked = (self._score(one, pair) for one, pair in zip(given, numbers, strict=True))
        return replace(encounter, scores=tuple(checked))

    def close(self) -> None:
        """Nothing to end."""

    def _listed(self, scores: Any, wanted: int) -> list[Any]:
        """The scores returned by the function, checked for their number. Raises EngineProblem."""
        try:
            iterator = iter(scores)
        except TypeError:
            raise EngineProblem(
                f"objective {self._objective} gave {_shown(scores)}: expected a list of "
                f"{count_of(wanted, 'score')}, one per pair"
            ) from None
        given = list(islice(iterator, wanted + 1))
        if len(given) != wanted:
            number = f"more than {wanted}" if len(given) > wanted else str(len(given))
            raise EngineProblem(
                f"objective {self._objective} gave {number} scores for {count_of(wanted, 'pair')}"
            )
        return given

    def _score(self, score: Any, pair: int) -> float:
        """One score as a number. Raises EngineProblem for text, None, NaN, and what is too far from
        a score to be one."""
        value = math.nan
        if not isinstance(score, (str, bytes)):
            with suppress(Exception):  # whatever the conversion of the user's type raises
                value = float(score)
        if not abs(value) <= MOST_SCORE:
            raise EngineProblem(
                f"objective {self._objective} gave the score {_shown(score)} for pair {pair}: a "
                f"score is a number from 0 to 1 (noise may exceed this range, up to ±{MOST_SCORE})"
            )
        return value


def _shown(value: Any) -> str:
    """A value of the user's in a few characters, with its type where that says more."""
    text = ""
    with suppress(Exception):  # numbers too long to be written, and reprs of the user's
        text = " ".join(repr(value).split())[:40]
    plain = text and (value is None or isinstance(value, (int, float, str, bytes)))
    return text if plain else f"{text} of type {type(value).__name__}".strip()
