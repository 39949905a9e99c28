"""Pruning never comes too early, and the report compares pruned trials with all data."""

from __future__ import annotations

import optuna
import pytest

from toolkit.base.errors import UsageError
from toolkit.tuning.models.posterior import fit
from toolkit.tuning.models.pruning import Ended, PrunedTrial, PruningSettings, false_pruning, pruner
from toolkit.tuning.models.worth import MeasuredPoint
from toolkit.tuning.space.space import Space

SPACE = Space.declared(["x=0.0..1.0"])


@pytest.mark.parametrize("steps", [0, 13, 19])
def test_early_pruning_is_refused(steps: int) -> None:
    with pytest.raises(UsageError, match=f"after {steps} pairs.* 20 or more"):
        PruningSettings(startup_steps=steps)
    with pytest.raises(UsageError, match="between 0 and 1"):
        PruningSettings(p_threshold=0.0)


def test_nothing_is_pruned_before_startup_steps() -> None:
    study = optuna.create_study(direction="maximize", pruner=pruner(PruningSettings()))
    good, bad = study.ask(), study.ask()
    for step in range(40):
        good.report(0.75, step)
    study.tell(good, 0.75)
    pruned_at = None
    for step in range(40):
        bad.report(0.25 if step % 3 else 0.5, step)
        if pruned_at is None and bad.should_prune():
            pruned_at = step + 1
    assert pruned_at == 24


def test_pruned_trials_are_compared_with_all_data() -> None:
    worth = {0.1: 0.0, 0.3: 0.02, 0.7: 0.1, 0.9: -0.2}
    measured = [MeasuredPoint({"x": x}, 2000, mean, 245.0) for x, mean in worth.items()]
    surrogate = fit(SPACE, {"x": 0.5}, measured)
    ended = [
        Ended(0, {"x": 0.9}, True, -0.2),  # nothing led yet
        Ended(1, {"x": 0.1}, False, 0.0),
        Ended(2, {"x": 0.7}, True, -0.1),  # looked worse, is better
        Ended(3, {"x": 0.3}, False, 0.02),
        Ended(4, {"x": 0.9}, True, -0.2),
        Ended(5, {"x": 0.1}, False, 0.01),  # does not lead
        Ended(6, {"x": 0.9}, True, -0.2),
    ]
    report = false_pruning(surrogate, ended)
    assert (report.pruned, report.above) == (3, 1)
    assert [(one.number, one.leader) for one in report.trials] == [(2, 1), (4, 3), (6, 3)]
    assert report.trials[0].better > 0.99 > 0.01 > report.trials[1].better
    assert report.expected == pytest.approx(sum(one.better for one in report.trials))


def test_report_without_pruned_trials() -> None:
    report = false_pruning(fit(SPACE, {"x": 0.5}, []), [Ended(0, {"x": 0.1}, False, 0.0)])
    assert (report.pruned, report.above, report.expected, report.trials) == (0, 0, 0.0, ())
    assert PrunedTrial(1, 0, 0.2).better == 0.2
