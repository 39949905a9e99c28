"""The SPSA sampler follows its formula step by step, and finds known optima."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.trial import FrozenTrial, Trial, TrialState

from engines.spec import Value
from toolkit.base.errors import UsageError
from toolkit.stats.elo import score_of_elo
from toolkit.tuning.samplers.attributes import OPPONENT
from toolkit.tuning.samplers.sampler import suggested
from toolkit.tuning.samplers.spsa import SpsaSampler, apart, default_in_flight, default_pairs
from toolkit.tuning.space.space import Space, declared_start

Strength = Callable[[Mapping[str, Any]], float]
FLOATS = Space.declared(["x=0.0..1.0", "y=0.0..1.0", "z=0.0..1.0"])


def new_study(sampler: SpsaSampler) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(direction="maximize", sampler=sampler)


def make(space: Space = FLOATS, **options: Any) -> tuple[optuna.Study, SpsaSampler]:
    start = options.pop("start", None) or declared_start(space, [])
    given: dict[str, Any] = {"iterations": 40, "pairs": 10, "seed": 3} | options
    sampler = SpsaSampler(space, start, **given)
    return new_study(sampler), sampler


def ask(study: optuna.Study, space: Space = FLOATS) -> tuple[Trial, dict[str, Any], dict[str, Any]]:
    """A trial with both its ends."""
    trial = study.ask()
    point = dict(suggested(trial, space))
    return trial, point, study.get_trials(deepcopy=False)[trial.number].user_attrs[OPPONENT]


def search(
    study: optuna.Study, space: Space, strength: Strength, trials: int, *, noise: float = 0.0,
    in_flight: int = 1, first: int = 0,
) -> None:  # fmt: skip
    """Ask and tell with a fixed number of trials in flight; noise by the trial's number."""
    waiting: deque[int] = deque(
        one.number for one in study.get_trials(deepcopy=False) if one.state == TrialState.RUNNING
    )

    def tell() -> None:
        trial = study.get_trials(deepcopy=False)[waiting.popleft()]
        gap = strength(trial.params) - strength(trial.user_attrs[OPPONENT])
        error = noise * np.random.default_rng(trial.number).normal()
        study.tell(trial.number, score_of_elo(gap) - 0.5 + error)

    for _ in range(first, trials):
        if len(waiting) >= in_flight:
            tell()
        waiting.append(ask(study, space)[0].number)
    while waiting:
        tell()


def bowl(optimum: Mapping[str, float], weight: float = 200.0) -> Strength:
    """Elo that falls with the squared distance, of parameters from 0 to 1."""

    def strength(point: Mapping[str, Any]) -> float:
        return -float(sum(weight * (point[name] - best) ** 2 for name, best in optimum.items()))

    return strength


def test_ends_lie_c_on_both_sides_of_start() -> None:
    study, _ = make(c=0.1)
    signs = []
    for _ in range(4):  # a block of three parameters
        _, first, second = ask(study)
        signs.append([round((first[name] - second[name]) / 0.2, 9) for name in FLOATS.names])
        assert [first[name] + second[name] for name in FLOATS.names] == pytest.approx([1.0] * 3)
    assert set(np.abs(signs).ravel()) == {1.0}
    # Over a block the signs of a parameter cancel and those of two are orthogonal.
    assert (np.transpose(signs) @ signs).tolist() == [[4, 0, 0], [0, 4, 0], [0, 0, 4]]
    assert np.sum(signs, axis=0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("worth", [0.03, -0.03])
def test_step_follows_formula(worth: float) -> None:
    study, _ = make(c=0.1, r=0.02, decay=0.0)
    trial, first, second = ask(study)
    study.tell(trial, worth)
    _, after, behind = ask(study)
    for name in FLOATS.names:
        moved = (after[name] + behind[name]) / 2 - 0.5
        # r·4·pairs·worth·c towards the first end; c = half the difference of the ends.
        assert moved == pytest.approx(0.02 * 4 * 10 * worth * (first[name] - second[name]) / 2)


def test_gain_and_perturbation_fall_with_progress() -> None:
    study, sampler = make(c=0.2, c_end=0.05, r=0.01, decay=0.5, iterations=20)
    search(study, FLOATS, lambda point: 0.0, 10)
    _, first, second = ask(study)
    assert abs(first["x"] - second["x"]) / 2 == pytest.approx(0.2 * 0.25**0.5)
    study.tell(10, 0.01)
    moved = np.array(list(sampler.theta(study).values())) - 0.5
    step = 0.01 * (1.1 / 0.6) ** 0.5 * 4 * 10 * 0.01 * 0.1
    assert np.abs(moved) == pytest.approx([step] * 3, abs=6e-4)  # theta() has three digits


def test_long_step_is_cut_to_half_of_c() -> None:
    study, _ = make(c=0.1, r=1.0)
    trial, first, _ = ask(study)
    study.tell(trial, 0.5)
    _, after, behind = ask(study)
    assert (after["x"] + behind["x"]) / 2 - 0.5 == pytest.approx((first["x"] - 0.5) / 2)


def test_theta_keeps_shrinking_margin() -> None:
    study, sampler = make(start={"x": 0.0, "y": 1.0, "z": 0.5}, c=0.1, r=0.1, iterations=200)
    _, first, second = ask(study)
    # The start itself is searched around, within the range.
    assert sorted((first["x"], second["x"])) == pytest.approx([0.0, 0.1])
    assert sorted((first["y"], second["y"])) == pytest.approx([0.9, 1.0])
    assert sorted((first["z"], second["z"])) == pytest.approx([0.4, 0.6])
    study.tell(0, 0.0)
    top = {"x": 1.5, "y": -0.5, "z": 1.5}
    search(study, FLOATS, bowl(top, 50.0), 200, first=1)
    for number, theta in sampler.course(study):
        margin = 0.1 * (1 - number / 200) - 1e-3  # theta() has three digits
        assert float(theta["x"]) <= 1 - margin and float(theta["y"]) >= margin
        assert margin <= float(theta["z"]) <= 1 - margin
    assert sampler.theta(study) == pytest.approx({"x": 1.0, "y": 0.0, "z": 1.0}, abs=0.01)


def test_optimum_at_edge_stays_there() -> None:
    study, sampler = make(start={"x": 0.0, "y": 1.0, "z": 0.5}, iterations=300)
    search(study, FLOATS, bowl({"x": 0.0, "y": 1.0, "z": 0.5}, 50.0), 300)
    found = sampler.recommendation(study)
    assert float(found["x"]) < 0.06 and float(found["y"]) > 0.94


@pytest.mark.parametrize("state", [TrialState.FAIL, TrialState.PRUNED])
def test_failed_and_pruned_trials_move_nothing(state: TrialState) -> None:
    study, sampler = make()
    trial, _, _ = ask(study)
    if state == TrialState.PRUNED:
        trial.report(0.4, 1)
    study.tell(trial, state=state)
    assert set(sampler.theta(study).values()) == {0.5}
    search(study, FLOATS, bowl({"x": 0.9}), 10, first=1)
    assert float(sampler.theta(study)["x"]) > 0.5


def test_finished_trials_are_applied_once_in_order() -> None:
    worths = [0.03, -0.01, 0.02, 0.015]
    thetas = []
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        study, sampler = make()
        for _ in worths:
            ask(study)
        for number in order:
            study.tell(number, worths[number])
        ask(study)
        once = study.get_trials()[-1].user_attrs
        ask(study)
        twice = study.get_trials()[-1].user_attrs
        # c is smaller by then, nothing else has changed.
        assert once["spsa:theta"] == twice["spsa:theta"]
        thetas.append(once["spsa:theta"])
    assert thetas[0] == thetas[1] and thetas[0] != [0.5] * 3


def test_overtaking_trials_are_applied_once() -> None:
    study, sampler = make(c=0.1, r=0.02, decay=0.0)
    moves = []
    for _ in range(4):
        _, first, second = ask(study)
        moves.append(0.02 * 4 * 10 * 0.1 * np.sign(first["x"] - second["x"]))
    expected = 0.5
    for number in (2, 0, 3, 1):
        study.tell(number, 0.01)
        expected += 0.01 * moves[number]
        ask(study)
        assert study.get_trials()[-1].user_attrs["spsa:theta"][0] == pytest.approx(expected)
    state = study.get_trials()[-1].user_attrs["spsa:state"]
    assert (state["begin"], state["ahead"]) == (4, [])


def rebuilt(trial: FrozenTrial) -> FrozenTrial:
    """A trial as a database gives it back: through JSON."""
    user = json.loads(json.dumps(trial.user_attrs))
    system = json.loads(json.dumps(trial.system_attrs))
    return optuna.create_trial(
        state=trial.state,
        value=trial.value,
        params=dict(trial.params),
        distributions=dict(trial.distributions),
        user_attrs=user,
        system_attrs=system,
    )


MIXED = Space.declared(
    ["x=0.0..1.0", "n=-100..100", "k=2..5", "a=u|v|w", "b=false|true", "q=0.0..1.0,a=v"]
)


def mixed_strength(point: Mapping[str, Any]) -> float:
    height = -200.0 * (point["x"] - 0.7) ** 2 - 0.01 * (point["n"] - 40) ** 2 - 4 * point["k"]
    height += {"u": 0.0, "v": 15.0, "w": -15.0}[point["a"]] + (10.0 if point["b"] else 0.0)
    return float(height - (100.0 * (point["q"] - 0.8) ** 2 if "q" in point else 0.0))


@pytest.fixture(scope="module")
def whole() -> tuple[optuna.Study, SpsaSampler]:
    """A study of a mixed space, from its first trial to its last."""
    study, sampler = make(MIXED, iterations=60)
    search(study, MIXED, mixed_strength, 60, noise=0.05, in_flight=4)
    return study, sampler


@pytest.mark.parametrize("stop", [1, 23, 47])
def test_rebuilt_study_continues_with_same_trials(
    stop: int, whole: tuple[optuna.Study, SpsaSampler]
) -> None:
    part, _ = make(MIXED, iterations=60)
    waiting = deque[int]()
    for _ in range(stop):  # as search() does, but left with trials in flight
        if len(waiting) >= 4:
            number = waiting.popleft()
            trial = part.get_trials(deepcopy=False)[number]
            gap = mixed_strength(trial.params) - mixed_strength(trial.user_attrs[OPPONENT])
            error = 0.05 * np.random.default_rng(number).normal()
            part.tell(number, score_of_elo(gap) - 0.5 + error)
        waiting.append(ask(part, MIXED)[0].number)
    again, other = make(MIXED, iterations=60)
    again.add_trials([rebuilt(trial) for trial in part.get_trials()])
    search(again, MIXED, mixed_strength, 60, noise=0.05, in_flight=4, first=stop)
    study, sampler = whole
    for one, two in zip(study.get_trials(), again.get_trials(), strict=True):
        assert (one.params, one.user_attrs) == (two.params, two.user_attrs)
        assert one.value == two.value
    assert sampler.recommendation(study) == other.recommendation(again)


def test_seeds_differ() -> None:
    ends = [ask(make(seed=seed)[0])[1] for seed in range(8)]
    assert len({tuple(end.values()) for end in ends}) > 3
    assert ask(make(seed=5)[0])[1] == ask(make(seed=5)[0])[1]


@pytest.mark.parametrize("text", ["n=0..1", "n=0..2", "n=2..5", "n=1..3,log", "n=1..50,log"])
def test_ends_of_integer_always_differ(text: str) -> None:
    space = Space.declared([text])
    (dimension,) = space.dimensions
    for middle in np.linspace(0.0, 1.0, 21):
        for draw in np.linspace(0.0, 0.99, 12):
            for step in (0.01, -0.01, 0.2):
                first, second = apart(dimension, float(middle), step, float(draw))
                assert dimension.contains(first) and dimension.contains(second)
                assert (first - second) * step > 0, (middle, draw, step)


def test_integers_move_by_distance_of_ends() -> None:
    space = Space.declared(["n=0..2", "x=0.0..1.0"])
    study, _ = make(space, c=0.1)
    _, first, second = ask(study, space)
    move = study.get_trials()[0].user_attrs["spsa:move"]
    assert abs(first["n"] - second["n"]) == 1
    assert abs(move[0] / move[1]) == pytest.approx(0.25 / 0.1)


def test_rounding_is_exact_on_average() -> None:
    (dimension,) = Space.declared(["n=0..10"]).dimensions
    ends = [apart(dimension, 0.43, 0.17, (step + 0.5) / 1000) for step in range(1000)]
    assert np.mean(ends, axis=0) == pytest.approx([6.0, 2.6])


@pytest.mark.parametrize("better", [0, 1])
def test_integer_of_two_values_can_be_tuned(better: int) -> None:
    space = Space.declared(["n=0..1", "x=0.0..1.0"])
    study, sampler = make(space, iterations=100)

    def strength(point: Mapping[str, Any]) -> float:
        return 30.0 * (point["n"] == better)

    search(study, space, strength, 100, noise=0.05)
    assert sampler.recommendation(study)["n"] == better


def test_recommendation_is_mean_of_last_half() -> None:
    study, sampler = make(iterations=11)
    search(study, FLOATS, bowl({"x": 0.9, "y": 0.2, "z": 0.5}), 11, noise=0.02)
    thetas = [one.user_attrs["spsa:theta"] for one in study.get_trials()]
    ask(study)  # takes the last one in
    thetas.append(study.get_trials()[-1].user_attrs["spsa:theta"])
    assert len(thetas) == 12
    mean = np.mean(thetas[6:], axis=0)
    study, sampler = make(iterations=11)
    search(study, FLOATS, bowl({"x": 0.9, "y": 0.2, "z": 0.5}), 11, noise=0.02)
    assert list(sampler.recommendation(study).values()) == pytest.approx(mean, abs=6e-4)


def test_noise_of_games_is_overcome() -> None:
    """Eight parameters, 30 Elo to gain, 2,400 pairs of standard deviation 0.35."""
    space = Space.declared([f"p{n}={'-100..100' if n % 2 else '0.0..2.0'}" for n in range(8)])
    gains = []
    for seed in range(2):
        places = np.random.default_rng(seed).choice([-1, 1], 8) * 0.25 + 0.5

        def strength(point: Mapping[str, Any], places: Any = places) -> float:
            units = [one.to_unit(point[one.name]) for one in space.dimensions]
            return -60.0 * float(sum((u - p) ** 2 for u, p in zip(units, places, strict=True)))

        study, sampler = make(space, iterations=400, pairs=6, seed=seed)
        search(study, space, strength, 400, noise=0.35 / 6**0.5, in_flight=8)
        gains.append(strength(sampler.recommendation(study)) + 30.0)
    assert min(gains) > 17.0 and np.mean(gains) > 21.0


def test_more_noise_means_smaller_steps() -> None:
    lengths = []
    for noise in (0.02, 0.3):
        study, _ = make(iterations=100)
        search(study, FLOATS, lambda point: 0.0, 60, noise=noise)
        ask(study)
        lengths.append(abs(study.get_trials()[-1].user_attrs["spsa:move"][0]))
    assert lengths[1] < lengths[0] / 2


def test_conditional_parameter_moves_only_when_active() -> None:
    space = Space.declared(["a=u|v|w", "q=0.0..1.0,a=v", "x=0.0..1.0"])
    study, _ = make(space, iterations=40, c=0.1, r=0.01, decay=0.0)
    shares = set()
    for _ in range(30):
        trial, first, second = ask(study, space)
        active = ("q" in first) + ("q" in second)
        assert ("q" in first) == (first["a"] == "v") and ("q" in second) == (second["a"] == "v")
        move = study.get_trials()[-1].user_attrs["spsa:move"]
        shares.add((active, round(abs(move[0] / move[1]), 9)))
        study.tell(trial, 0.01)
    assert shares == {(0, 0.0), (1, 1.0)}


def test_option_counts_only_at_active_ends() -> None:
    space = Space.declared(["a=u|v|w", "b=p|q,a=v"])
    study, _ = make(space)
    for _ in range(20):
        _, first, second = ask(study, space)
        met = study.get_trials()[-1].user_attrs["spsa:state"]["met"]
        assert [set(one) for one in met] == [set(first), set(second)]


def test_mixed_space_is_tuned_together() -> None:
    study, sampler = make(MIXED, iterations=250)
    search(study, MIXED, mixed_strength, 250, noise=0.08, in_flight=8)
    found = sampler.recommendation(study)
    assert found["a"] == "v" and found["b"] is True and "q" in found
    start = declared_start(MIXED, [])
    assert mixed_strength(found) - mixed_strength(MIXED.restrict(start)) > 42.0  # of 56.6


def test_options_are_dropped_one_by_one() -> None:
    study, _ = make(MIXED, iterations=100)
    search(study, MIXED, mixed_strength, 100, noise=0.05)
    trials = study.get_trials()
    alive = [len(one.user_attrs["spsa:state"]["alive"]["a"]) for one in trials]
    assert (alive[44], alive[45], alive[89], alive[90], alive[99]) == (3, 2, 2, 1, 1)
    assert {one.params["a"] for one in trials[90:]} == {"v"}
    assert {one.user_attrs[OPPONENT]["a"] for one in trials[90:]} == {"v"}


def test_categorical_space_is_halved_to_end() -> None:
    space = Space.declared(["a=u|v|w|z", "b=false|true"])
    elo = {"u": 0.0, "v": 5.0, "w": 30.0, "z": -10.0}
    study, sampler = make(space, iterations=100)

    def strength(point: Mapping[str, Any]) -> float:
        return elo[point["a"]] - (25.0 if point["b"] else 0.0)

    search(study, space, strength, 100, noise=0.05)
    assert sampler.recommendation(study) == {"a": "w", "b": False}
    trials = study.get_trials()
    assert all(one.params["a"] != one.user_attrs[OPPONENT]["a"] for one in trials)
    assert {one.params["a"] for one in trials[:50]} == set(elo)
    assert {one.params["a"] for one in trials[50:]} == {"v", "w"}


def _wild(point: Mapping[str, Any]) -> float:
    return 150.0 if point["a"] == "v" else 0.0


def test_large_effects_of_options_do_not_push_theta() -> None:
    space = Space.declared(["a=u|v", "x=0.0..1.0"])
    spread = []
    for elo in (0.0, 150.0):
        study, sampler = make(space, iterations=200)
        strength: Strength = {0.0: lambda point: 0.0, 150.0: _wild}[elo]
        search(study, space, strength, 150)
        places = [float(theta["x"]) for _, theta in sampler.course(study)[50:]]
        spread.append(max(places) - min(places))
    assert spread[0] == 0.0 and spread[1] < 0.04


def test_sampler_optimises_without_study() -> None:
    study, sampler = make(iterations=60)
    strength = bowl({"x": 0.8, "y": 0.3, "z": 0.5})

    def objective(trial: Trial) -> float:
        point = suggested(trial, FLOATS)
        return score_of_elo(strength(point) - strength(trial.user_attrs[OPPONENT])) - 0.5

    study.optimize(objective, n_trials=60)
    found = sampler.recommendation(study)
    assert found["x"] == pytest.approx(0.8, abs=0.1) and found["y"] == pytest.approx(0.3, abs=0.1)


def test_enqueued_trials_move_nothing() -> None:
    study, sampler = make()
    study.enqueue_trial({"x": 0.9, "y": 0.9, "z": 0.9})
    trial = study.ask()
    assert suggested(trial, FLOATS) == {"x": 0.9, "y": 0.9, "z": 0.9}
    study.tell(trial, 0.5)
    assert set(sampler.theta(study).values()) == {0.5}


@pytest.mark.parametrize("option", ["c", "c_end", "r", "decay"])
def test_options_out_of_range_are_refused(option: str) -> None:
    with pytest.raises(UsageError, match=option):
        make(FLOATS, **{option: -1.0})


def test_unknown_parameters_are_refused() -> None:
    study, _ = make()
    with pytest.raises(ValueError, match="no parameter `other`"):
        study.ask().suggest_float("other", 0.0, 1.0)


def test_defaults_by_budget() -> None:
    assert [default_pairs(search) for search in (100, 3000, 4000, 16000)] == [2, 6, 8, 32]
    assert [default_in_flight(trials) for trials in (10, 500, 5000)] == [1, 10, 16]


def test_start_is_recommended_before_measurement() -> None:
    start: dict[str, Value] = {"x": 0.5, "n": 0, "k": 3, "a": "v", "b": True, "q": 0.25}
    study, sampler = make(MIXED, start=start)
    assert sampler.theta(study) == sampler.recommendation(study) == start
