"""SPSA: simultaneous perturbation stochastic approximation, behind Optuna's sampler interface.

One trial is one iteration: θ⁺ plays θ⁻ directly, and the mean worth w of θ⁺ in its p pairs (score −
½) moves θ. On the scale from 0 to 1 of every ordered parameter, with Δ the signs of the trial:

    θ± = clamp(θ ± c·Δ, 0, 1)         θ ← clamp(θ + r·4p·w·c·Δ, m, 1 − m)

(Spall 1992; r is the gain in the form of fishtest's pull request 719, where 4p·w is wins − losses
of the games.) The answer is the mean of θ over the last half. No knowledge of the landscape is
needed:

    c = 0.25 → 0.15·(4000/N)^0.15·(n/8)^0.3, geometrically over the N pairs of the search, for n
        parameters; the end is kept within 0.08 .. 0.22
    r = 0.01·(4000/N)^0.4·(0.35/s)^1.2, times (1.1/(0.1 + share done))^0.3
    m = c·(1 − share done), but never so much that the start would lie outside

with s the standard deviation of a pair's score, first 0.35, then as measured. In simulations on ten
kinds of landscapes (quadratic, saturating, sharp, with a valley, rough and skewed; start in the
middle or near an edge), the mean true gain out of 30 Elo in 8 parameters was 21.4 Elo with 3,000
pairs, 22.3 with 4,000 and 25.5 with 16,000. None of 20 other pairs of c and r was better by more
than 0.4, nor for +10 and +60 Elo or for 2, 4 and 16 parameters. The signs come from the rows of a
Hadamard matrix in shuffled blocks, so that parameters do not disturb each other within a block:
+0.2 Elo. About 500 iterations are enough, and 8 of them in flight (stale values) cost 0.05 Elo. A
global quadratic model instead of steps gained at most 0.3 Elo on quadratic landscapes and lost 1 to
7 on others.

With a constant margin of c, an optimum at the edge of a range is out of reach, and a start there is
lost. On landscapes with half of the optima at or near an edge, 19.2 ± 1.1 Elo of 30 were gained
with 4,000 pairs, and 25.8 ± 0.4 with the shrinking margin. Elsewhere 20 studies showed no cost
(symmetric 27.1 ± 0.4 and 26.5 ± 0.5, rough 19.3 ± 0.6 and 20.6 ± 0.7).

Categorical parameters are chosen meanwhile (:mod:`.options`); what their options are
fitted to explain is taken out of w before θ moves. A conditional parameter moves by trials in which
it means something at one end at least (by half as much at one end only: 0.5 Elo less of 30).

The attributes of the trials have everything needed to resume a study: θ before the trial, how far a
worth of 1 would move it, and which trials were included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState
from scipy.linalg import hadamard

from engines.spec import Value
from toolkit.base.errors import UsageError
from toolkit.stats.outcome import Floats
from toolkit.tuning.models.worth import PAIR_VARIANCE
from toolkit.tuning.samplers import options
from toolkit.tuning.samplers.attributes import OPPONENT, THETA
from toolkit.tuning.space.dimension import Dimension
from toolkit.tuning.space.point import Point
from toolkit.tuning.space.space import Space

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.study import Study

USUAL_PAIRS = 4000
"""Pairs of the search for which the settings are given."""
ITERATIONS = 500
"""Of a search, unless pairs or trials are given."""
NOISE_TRIALS = 20
"""How many trials the assumed noise weighs against the measured one."""
OPTIONS_SHARE = 0.9
"""Part of the iterations after which one option of each categorical parameter is left; all of them
where there is nothing else to tune."""
LONGEST_STEP = 0.5
"""The most that one trial moves a parameter, in units of c."""
_MOVE, _STATE = "spsa:move", "spsa:state"


def default_pairs(search: int) -> int:
    """Pairs per trial for a search of this many pairs: at least 2, for about 500 trials."""
    return max(2, search // ITERATIONS)


def default_in_flight(trials: int) -> int:
    """How many trials may be under way at a time without much loss: 1 to 16."""
    return min(max(trials // 50, 1), 16)


@dataclass(frozen=True, slots=True)
class _State:
    """A study at the moment of asking."""

    theta: Floats
    begin: int
    """All trials below this number are finished and taken in."""
    ahead: tuple[int, ...]
    """Numbers from ``begin`` on of trials that are taken in too."""
    noise: tuple[float, float]
    """Weight and sum of the squared worths of single pairs."""
    over: int
    """Rounds of the halving that are over."""
    alive: options.Alive
    effects: Mapping[str, Sequence[float]]


class SpsaSampler(BaseSampler):
    """SPSA over a space; see the module. Trials are for maximising."""

    def __init__(
        self,
        space: Space,
        start: Mapping[str, Value],
        *,
        iterations: int,
        pairs: int,
        seed: int = 0,
        c: float | None = None,
        c_end: float | None = None,
        r: float | None = None,
        decay: float = 0.3,
    ) -> None:
        """Plan a search of ``iterations`` trials of ``pairs`` pairs.

        ``start`` has the value of every dimension, meaningful or not. ``c`` and ``c_end`` (by
        default ``c`` where that is given) are shares of the range, ``r`` the gain at the end (by
        default set by the budget and the measured noise) and ``decay`` its exponent.

        :raises UsageError: a number out of its range.
        """
        _check("c", c, 0.0, 0.5)
        _check("c_end", c_end, 0.0, 0.5)
        _check("r", r, 0.0, 10.0)
        _check("decay", decay, -1e-9, 2.0)
        self._space = space
        self._ordered = space.ordered
        self._iterations = iterations
        self._pairs = pairs
        self._seed = seed
        scale = USUAL_PAIRS / (iterations * pairs)
        count = max(len(self._ordered), 1)
        usual_end = min(max(0.15 * scale**0.15 * (count / 8) ** 0.3, 0.08), 0.22)
        self._c = (0.25 if c is None else c, c_end or c or usual_end)
        self._r, self._decay = r, decay
        self._usual_r = min(0.01 * scale**0.4, 0.03)
        self._start = dict(start)
        self._rounds = options.rounds_needed(space.categorical)
        self._share = OPTIONS_SHARE if self._ordered else 1.0
        order = 2
        while order <= len(self._ordered):
            order *= 2
        self._signs = hadamard(order)[:, 1:]

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """All dimensions."""
        return {one.name: one.distribution() for one in self._space.dimensions}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """θ⁺; θ⁻ becomes an attribute of the asker's copy of the trial."""
        if "fixed_params" in trial.system_attrs:  # enqueued by hand: its points are not ours
            return {}
        state = self._state(study, trial.number)
        c = self._perturbation(trial.number)
        draw = np.random.default_rng([self._seed, 1, trial.number])
        ends, options_of = self._ends(state, c, draw, trial.number)
        points = [self._space.restrict(end) for end in ends]
        met = [
            {name: place for name, place in end.items() if name in point}
            for end, point in zip(options_of, points, strict=True)
        ]
        active = np.array([
            any(one.name in point for point in points) for one in self._ordered
        ])  # fmt: skip
        gain = self._gain(trial.number, state.noise) * 4 * self._pairs
        steps = self._steps(c) * self._row(trial.number)
        notes = {
            OPPONENT: dict(points[1]),
            THETA: state.theta.tolist(),
            _MOVE: (gain * steps * active).tolist(),
            _STATE: {
                "begin": state.begin,
                "ahead": list(state.ahead),
                "c": c,
                "noise": list(state.noise),
                "over": state.over,
                "alive": {name: list(places) for name, places in state.alive.items()},
                "met": met,
            },
        }
        for key, value in notes.items():  # on the asker's copy, which `suggested` stores
            trial.set_user_attr(key, value)
        return dict(points[0])

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The start's value of a requested dimension that is inactive in the trial.

        :raises ValueError: the space has no such dimension.
        """
        if param_name not in self._start:
            raise ValueError(f"the space of this sampler has no parameter `{param_name}`")
        return self._start[param_name]

    def theta(self, study: Study) -> Point:
        """The current point of the search: θ to the nearest values, options by their effects."""
        state = self._state(study, self._iterations)
        return self._point(state.theta, state)

    def recommendation(self, study: Study) -> Point:
        """What the search recommends: the mean of the last half of θ to the nearest values."""
        state = self._state(study, self._iterations)
        thetas = [np.array(trial.user_attrs[THETA]) for trial in _ours(study)]
        thetas.append(state.theta)
        return self._point(np.mean(thetas[len(thetas) // 2 :], axis=0), state)

    def course(self, study: Study) -> list[tuple[int, Point]]:
        """Trial by trial, by their numbers, the θ that it started from: for plots."""
        return [
            (trial.number, self._nearest(np.array(trial.user_attrs[THETA])))
            for trial in _ours(study)
        ]

    def _state(self, study: Study, number: int) -> _State:
        """The study before trial ``number``: all that is finished is taken in, in order."""
        trials = study.get_trials(deepcopy=False)
        last = next((one.user_attrs for one in reversed(trials) if _is_ours(one)), None)
        if last is None:
            alive = options.all_alive(self._space.dimensions)
            level = {name: (0.0,) * len(places) for name, places in alive.items()}
            noise = (float(NOISE_TRIALS), NOISE_TRIALS * PAIR_VARIANCE)
            return _State(self._first_theta(), 0, (), noise, 0, alive, level)
        state = last[_STATE]
        recent = trials[state["begin"] :]
        known = set(state["ahead"])
        fresh = [one for one in recent if _is_complete(one) and one.number not in known]
        meetings = [_meeting(one) for one in trials if _is_complete(one)] if self._rounds else []
        effects = options.effects(self._space.dimensions, meetings, self._pairs)
        theta = np.array(last[THETA])
        weight, squares = state["noise"]
        for trial in fresh:
            theta, left = self._moved(theta, trial, effects)
            weight, squares = weight + 1, squares + self._pairs * left * left
        alive = {name: tuple(places) for name, places in state["alive"].items()}
        over = state["over"]
        for _ in range(over, options.rounds_over(number, self._iterations, self._rounds,
                                                 self._share)):  # fmt: skip
            alive, over = options.halved(alive, effects), over + 1
        theta = self._clamped(theta, number)
        begin = min((one.number for one in recent if not one.state.is_finished()), default=number)
        taken = known.union(one.number for one in fresh)
        ahead = tuple(sorted(one for one in taken if one >= begin))
        return _State(theta, begin, ahead, (weight, squares), over, alive, effects)

    def _moved(
        self, theta: Floats, trial: FrozenTrial, effects: Mapping[str, Sequence[float]]
    ) -> tuple[Floats, float]:
        """θ after a trial, and the worth that options do not explain."""
        notes = trial.user_attrs
        c = notes[_STATE]["c"]
        meeting = _meeting(trial)
        left = meeting.worth - options.expected(meeting, effects)
        step = np.clip(left * np.array(notes[_MOVE]), -LONGEST_STEP * c, LONGEST_STEP * c)
        return theta + step, left

    def _first_theta(self) -> Floats:
        units = [one.to_unit(self._start[one.name]) for one in self._ordered]
        return np.array(units, dtype=np.float64)

    def _clamped(self, theta: Floats, number: int) -> Floats:
        """θ within its margins, which never leave the start out."""
        margin = self._perturbation(number) * (1.0 - self._share_done(number))
        start = self._first_theta()
        clamped: Floats = np.clip(
            theta, np.minimum(margin, start), 1.0 - np.minimum(margin, 1.0 - start)
        )
        return clamped

    def _share_done(self, number: int) -> float:
        return min(number / self._iterations, 1.0)

    def _perturbation(self, number: int) -> float:
        first, last = self._c
        return float(first * (last / first) ** self._share_done(number))

    def _gain(self, number: int, noise: tuple[float, float]) -> float:
        """r of a trial."""
        end = self._r
        if end is None:
            variance = max(noise[1] / noise[0], PAIR_VARIANCE / 25)
            end = self._usual_r * (PAIR_VARIANCE / variance) ** 0.6
        return float(end * (1.1 / (0.1 + self._share_done(number))) ** self._decay)

    def _steps(self, c: float) -> Floats:
        """Perturbation of each parameter: c, or more for integers that would not move apart."""
        return np.array([max(c, _least_step(one)) for one in self._ordered])

    def _row(self, number: int) -> Floats:
        """Signs Δ of a trial."""
        rows = len(self._signs)
        draw = np.random.default_rng([self._seed, 0, number // rows])
        order = draw.permutation(rows)
        columns = draw.permutation(rows - 1)[: len(self._ordered)]
        flips = draw.choice([-1.0, 1.0], len(self._ordered))
        return np.asarray(self._signs[order[number % rows]][columns] * flips, dtype=np.float64)

    def _ends(
        self, state: _State, c: float, draw: np.random.Generator, number: int
    ) -> tuple[tuple[dict[str, Value], dict[str, Value]], tuple[dict[str, int], dict[str, int]]]:
        """Complete values of θ⁺ and θ⁻, and the places of their options."""
        chosen = options.drawn(state.alive, draw)
        ends: tuple[dict[str, Value], dict[str, Value]] = ({}, {})
        for one in self._space.categorical:
            for end, places in zip(ends, chosen, strict=True):
                end[one.name] = one.choices[places[one.name]]
        steps = self._steps(c)
        middle = state.theta
        signs = self._row(number)
        draws = draw.random(len(self._ordered))
        for place, one in enumerate(self._ordered):
            values = apart(one, middle[place], steps[place] * signs[place], draws[place])
            for end, value in zip(ends, values, strict=True):
                end[one.name] = value
        return ends, chosen

    def _nearest(self, theta: Floats) -> dict[str, Value]:
        """The ordered parameters of θ, to the nearest values."""
        return {
            one.name: one.from_unit(float(unit))
            for one, unit in zip(self._ordered, theta, strict=True)
        }

    def _point(self, theta: Floats, state: _State) -> Point:
        """A point: θ to the nearest values, and of each list of options the best one alive."""
        start = {
            one.name: one.choices.index(self._start[one.name]) for one in self._space.categorical
        }
        places = options.best(state.alive, state.effects, start)
        chosen = {one.name: one.choices[places[one.name]] for one in self._space.categorical}
        return self._space.restrict({**self._nearest(theta), **chosen})


def apart(
    dimension: Dimension, middle: float, step: float, draw: float
) -> tuple[int | float, int | float]:
    """The values at ``middle + step`` and ``middle − step`` of the scale from 0 to 1.

    Integers are rounded with the same draw of [0, 1) at both ends, so that their mean difference is
    exact; where that makes them equal, the end in the direction of the step goes one further, or
    the other end one back.
    """
    first = dimension.from_unit(middle + step, draw)
    second = dimension.from_unit(middle - step, draw)
    if first == second and dimension.kind == "int":
        ahead = dimension.neighbour(first, 1 if step > 0 else -1)
        behind = dimension.neighbour(second, -1 if step > 0 else 1)
        if ahead is not None:
            first = ahead
        elif behind is not None:
            second = behind
    return first, second


def _least_step(dimension: Dimension) -> float:
    """Half the distance of neighbouring integers on the scale, at most 1/2; 0 of other kinds."""
    if dimension.kind != "int" or (dimension.log and not dimension.power_of_two):
        return 0.0
    return min(0.5 / max(dimension.steps, 1), 0.5)


def _ours(study: Study) -> list[FrozenTrial]:
    """The trials that this sampler made, by number."""
    return [one for one in study.get_trials(deepcopy=False) if _is_ours(one)]


def _is_ours(trial: FrozenTrial) -> bool:
    return THETA in trial.user_attrs


def _is_complete(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.COMPLETE and _is_ours(trial)


def _meeting(trial: FrozenTrial) -> options.OptionsMet:
    first, second = trial.user_attrs[_STATE]["met"]
    assert trial.value is not None
    return options.OptionsMet(first, second, trial.value)


def _check(name: str, value: float | None, above: float, most: float) -> None:
    if value is not None and not above < value <= most:
        low = f"at least {max(above, 0.0):g}" if above < 0 else f"above {above:g}"
        raise UsageError(f"sampler spsa, {name}={value}: {low} and at most {most:g}")
