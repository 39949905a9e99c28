"""A variant without one of its features differs in that feature only."""

from __future__ import annotations

import pytest

from engines.errors import VariantError
from engines.features import features_of, without_feature
from engines.registry import DRIVERS, PARAMETERS
from engines.variant import format_value, is_of_game, parse_variant


@pytest.mark.parametrize("driver", DRIVERS)
def test_removing_a_feature_changes_only_that_feature(driver: str) -> None:
    default = parse_variant(driver)
    names = features_of(default)
    assert names, "a driver without a feature cannot be ablated"
    identities = {default.identity}
    for name in names:
        less = without_feature(default, name)
        off = PARAMETERS[name].off
        assert off is not None and less.parameters[name] == off != default.parameters[name]
        changed = {
            key for key, value in less.parameters.items() if value != default.parameters[key]
        }
        assert changed == {name}
        assert less.label == f"{name}={format_value(off)}"
        assert parse_variant(less.spelling).identity == less.identity
        identities.add(less.identity)
    assert len(identities) == len(names) + 1


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_other_parameter_is_refused_with_a_reason(driver: str) -> None:
    default = parse_variant(driver)
    on = features_of(default)
    for name in default.parameters:
        off = PARAMETERS[name].off
        if name in on:
            continue
        with pytest.raises(VariantError) as error:
            without_feature(default, name)
        if off is None:
            assert "no value that switches it off" in str(error.value)
        elif default.parameters[name] == off and is_of_game(PARAMETERS[name], default.parameters):
            assert "already off" in str(error.value)
        else:
            assert "has an effect only with" in str(error.value)


def test_other_settings_stay_if_meaningful() -> None:
    engine = parse_variant("pvs:null_move_reduction=5,grain=4,hash=1,name=mine")
    less = without_feature(engine, "null_move")
    assert less.spelling == "pvs:hash=1,grain=4,null_move=off"
    assert less.label == "null_move=off"
    kept = without_feature(engine, "quiescence")
    assert kept.spelling == "pvs:hash=1,grain=4,quiescence=off,null_move_reduction=5"
    small = parse_variant("pvs:entries=1024")
    assert without_feature(small, "null_move").parameters["entries"] == 1024


def test_parameters_that_are_off_are_no_features() -> None:
    names = features_of(parse_variant("pvs:null_move=off,window=0"))
    assert not {name for name in names if name.startswith("null_move") or name == "window"}
    assert "hash" not in features_of(parse_variant("pvs:entries=1024"))
    assert "guess" in features_of(parse_variant("mtdf")) and "guess" not in names


@pytest.mark.parametrize(
    ("engine", "name", "message"),
    [
        ("pvs", "nul_move", "did you mean `null_move`"),
        ("pvs", "guess", "only of mtdf"),
        ("pvs", "grain", "no value that switches it off (features: window, "),
        ("pvs:window=0,name=mine", "window", "engine `mine` has window=0, which is already off"),
        ("pvs:null_move=off", "null_move_slope", "has an effect only with null_move=on"),
    ],
)
def test_unknown_feature_is_an_error(engine: str, name: str, message: str) -> None:
    with pytest.raises(VariantError) as error:
        without_feature(parse_variant(engine), name)
    assert message in str(error.value) and "\n" not in str(error.value)
