"""Spaces accept valid declarations only, and points become the right variants."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from engines.choices import DEFAULT_GAME
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Value
from engines.variant import format_value, parse_variant, variant_of
from toolkit.base.errors import UsageError
from toolkit.tuning.samplers.spsa import apart
from toolkit.tuning.space.space import Dimension, Space, declared_start, start_of

Failing = Callable[..., list[str]]

MTDF = parse_variant("mtdf")
BLEND = parse_variant("mtdf:guess=blend,weight=0.7")


@st.composite
def ranges(draw: st.DrawFn) -> Dimension:
    """An ordered dimension."""
    log = draw(st.booleans())
    if draw(st.booleans()):
        low = draw(st.integers(1 if log else -1000, 1000))
        return Dimension("x", "int", low, low + draw(st.integers(1, 5000)), log=log)
    start = draw(st.floats(0.001 if log else -100, 100))
    return Dimension("x", "float", start, start + draw(st.floats(0.01, 1000)), log=log)


@given(ranges(), st.floats(0, 1), st.floats(0, 1, exclude_max=True))
@settings(max_examples=40)
def test_values_and_unit_scale_are_inverse(dimension: Dimension, unit: float, draw: float) -> None:
    low, high = dimension.ends
    for value in (dimension.from_unit(unit), dimension.from_unit(unit, draw), low, high):
        assert dimension.contains(value)
        back = dimension.from_unit(dimension.to_unit(value), draw)
        if dimension.kind == "int":
            assert back == value
        else:
            assert math.isclose(back, value, rel_tol=1e-9, abs_tol=1e-9 * (high - low))
    if dimension.kind == "float":
        assert math.isclose(
            dimension.to_unit(dimension.from_unit(unit, draw)), unit, rel_tol=1e-6, abs_tol=1e-6
        )
    rounded = dimension.from_unit(unit)
    assert dimension.from_unit(dimension.to_unit(rounded)) == rounded


@given(ranges())
@settings(max_examples=40)
def test_ends_of_scale_are_ends_of_range(dimension: Dimension) -> None:
    low, high = dimension.ends
    assert (dimension.from_unit(0.0), dimension.from_unit(1.0)) == (low, high)
    assert (dimension.from_unit(-3.0), dimension.from_unit(7.0)) == (low, high)
    assert (dimension.to_unit(low), dimension.to_unit(high)) == (0.0, 1.0)


def test_logarithmic_middle_is_geometric_mean() -> None:
    assert Dimension("x", "int", 4, 100, log=True).from_unit(0.5) == 20
    assert Dimension("x", "float", 0.01, 100.0, log=True).from_unit(0.5) == 1.0
    assert Dimension("x", "float", -1.0, 3.0).from_unit(0.5) == 1.0


@given(st.integers(-50, 50), st.integers(1, 100), st.integers(0, 64), st.integers(6, 9))
@settings(max_examples=40)
def test_random_rounding_has_no_bias(low: int, width: int, step: int, bits: int) -> None:
    dimension = Dimension("x", "int", low, low + width)
    unit, draws = step / 64, 2**bits
    total = sum(dimension.from_unit(unit, k / draws) for k in range(draws))
    exact = low + Fraction(step, 64) * width
    # Equally spaced draws give the mean but for less than one of them.
    assert abs(Fraction(int(total), draws) - exact) <= Fraction(1, draws)


def test_floats_are_rounded_only_without_draw() -> None:
    dimension = Dimension("x", "float", 0.0, 1.0)
    assert dimension.from_unit(1 / 3) == 0.333
    assert dimension.from_unit(1 / 3, 0.0) == 1 / 3
    assert Dimension("x", "float", 0.0, 400.0).from_unit(1 / 3) == 133.3
    assert Dimension("x", "float", 1e-5, 1.0, log=True).from_unit(0.5) == 0.003162


def test_choices_have_no_scale() -> None:
    choice = Dimension("x", "choice", choices=("a", "b"))
    with pytest.raises(TypeError):
        choice.to_unit("a")
    with pytest.raises(TypeError):
        choice.from_unit(0.5)


def test_types_of_values_are_distinguished() -> None:
    assert not Dimension("x", "int", 0, 5).contains(1.0)
    assert not Dimension("x", "int", 0, 5).contains(True)
    assert not Dimension("x", "float", 0.0, 5.0).contains(1)
    assert not Dimension("x", "choice", choices=(False, True)).contains(1)
    assert Dimension("x", "choice", choices=(False, True)).contains(True)


def test_registry_gives_range_scale_choices_and_conditions() -> None:
    space = Space.of_registry(MTDF, ["weight", "grain", "guess", "null_move", "razoring"])
    assert space.names == ("guess", "weight", "grain", "null_move", "razoring") or (
        space.names.index("guess") < space.names.index("weight")
    )
    by_name = {dimension.name: dimension for dimension in space.dimensions}
    assert by_name["grain"] == Dimension("grain", "int", 1, 200, log=True)
    assert by_name["weight"] == Dimension("weight", "float", 0.0, 1.0, needs=("guess", ("blend",)))
    assert by_name["guess"].choices == PARAMETERS["guess"].choices
    assert by_name["null_move"].choices == (False, True)
    assert by_name["razoring"] == Dimension("razoring", "int", 0, 1000)
    assert {d.name for d in space.ordered} == {"weight", "grain", "razoring"}
    assert {d.name for d in space.categorical} == {"guess", "null_move"}


def test_ranges_and_choices_narrow_registry() -> None:
    space = Space.of_registry(
        BLEND,
        ["grain=2..50", "weight=0..0.5", "reduction_base=-100..100", "guess=parity|blend"]
        + ["null_move=on|off", "futility=20..200,log", "late_move_pruning=2|4|8"],
    )
    by_name = {dimension.name: dimension for dimension in space.dimensions}
    assert by_name["grain"] == Dimension("grain", "int", 2, 50, log=True)
    assert by_name["weight"].ends == (0.0, 0.5) and by_name["weight"].kind == "float"
    assert by_name["reduction_base"].ends == (-100, 100)
    assert by_name["guess"].choices == ("parity", "blend")
    assert by_name["null_move"].choices == (True, False)
    assert by_name["futility"] == Dimension("futility", "int", 20, 200, log=True)
    assert by_name["late_move_pruning"].choices == (2, 4, 8)
    whole = Space.of_registry(BLEND, ["weight=0..1"]).dimensions[0]
    assert whole.ends == (0.0, 1.0) and isinstance(whole.low, float) and whole.needs is None


def test_every_tunable_parameter_is_dimension() -> None:
    for name, param in PARAMETERS.items():
        if not param.tunable:
            continue
        driver = next(d for d in ("mtdf", *DRIVERS) if name in DRIVERS[d].parameters)
        needs = f":game={param.games[0] if param.games else DEFAULT_GAME}"
        if param.needs is not None and param.needs[0] in DRIVERS[driver].parameters:
            needs += f",{param.needs[0]}={format_value(param.needs[1][0])}"
        base = parse_variant(f"{driver}{needs}")
        space = Space.of_registry(base, [name])
        for unit in (0.0, 0.3, 1.0):
            (dimension,) = space.dimensions
            values = dimension.choices or (dimension.from_unit(unit),)
            for value in values:
                assert variant_of(base, {name: value}).parameters[name] == value


def test_errors_name_parameter_and_remedy(failing: Failing) -> None:
    def check(base: str, texts: list[str], message: str) -> None:
        with pytest.raises(UsageError) as caught:
            Space.of_registry(parse_variant(base), texts)
        assert message in str(caught.value) and "\n" not in str(caught.value)
        assert str(caught.value).startswith("--param ") or not texts

    assert not failing(
        check,
        [
            (
                "mtdf",
                ["grian=1..50"],
                "--param grian=1..50: no parameter `grian`; did you mean `gra",
            ),
            (
                "mtdf",
                ["qqqq"],
                "--param qqqq: no parameter `qqqq`; see `mtdf engines parameters`",
            ),
            (
                "pvs",
                ["guess"],
                "--param guess: pvs has no `guess`, only mtdf, hybrid, mtd-best, bns",
            ),
            ("mtdf", ["hash"], "--param hash: `hash` cannot be tuned: set it in the base, "),
            (
                "mtdf",
                ["threads=1..2"],
                "--param threads=1..2: `threads` cannot be tuned: set it in",
            ),
            (
                "mtdf",
                ["threads=1,2"],
                "--param threads=1,2: `threads` cannot be tuned: set it in the",
            ),
            ("mtdf", ["threads="], "--param threads=: `threads` cannot be tuned"),
            ("minimax", ["threads=1|2"], "minimax has no `threads`, only "),
            ("mtdf", ["entries"], "`entries` needs a range, as in entries=2^10..2^20"),
            (
                "mtdf",
                ["entries=1000..2000"],
                "`entries` takes powers of two, as in entries=2^10..2^20",
            ),
            ("mtdf", ["entries=0..2^20"], "`entries` takes powers of two"),
            ("mtdf", ["entries=2^10..2^31"], "`entries` goes from 0 to 1073741824"),
            ("mtdf", ["entries=2^10..2^12.5"], "is not a range of two numbers"),
            ("mtdf", ["grain=0..50"], "--param grain=0..50: `grain` goes from 1 to 200"),
            ("mtdf", ["grain=1..500"], "`grain` goes from 1 to 200"),
            ("mtdf", ["grain=5..5"], "the range must begin below its end"),
            ("mtdf", ["grain=9..5"], "the range must begin below its end, as in grain=5..9"),
            ("mtdf", ["grain=1.5..9"], "`grain` takes whole numbers, as in grain=1..5"),
            ("mtdf", ["razoring=0..9,log"], "a logarithmic range must begin above 0, not at 0"),
            ("mtdf", ["guess=zero,parity"], "; write choices as guess=zero|parity"),
            ("mtdf", ["grain=1..9,lg"], "`lg` is neither log nor a condition"),
            ("mtdf", ["grain=1.."], "`1..` is not a range of two numbers, as in grain=1..5"),
            ("mtdf", ["grain=a..b"], "`a..b` is not a range of two numbers"),
            ("mtdf", ["grain="], "a choice is empty"),
            ("mtdf", ["grain=7"], "one value leaves nothing to tune; set 7 in the base"),
            ("mtdf", ["grain=1|2|1"], "`1` is given twice"),
            ("mtdf", ["grain=1|2|300"], "grain=300 is not allowed; grain takes 1 to 200"),
            (
                "mtdf",
                ["guess=parity|avrage"],
                "guess=avrage is not allowed; did you mean `average`? guess takes zero, ",
            ),
            ("mtdf", ["guess=1..3"], "`guess` has no range; its values are zero|static|"),
            ("mtdf", ["null_move=0..1"], "`null_move` has no range; its values are on|off"),
            ("mtdf", ["null_move=on|true"], "a value is given twice"),
            (
                "mtdf",
                ["weight"],
                "`weight` has an effect only with guess=blend: set it in the base",
            ),
            ("mtdf", ["weight", "guess=zero|parity"], "which --param guess excludes"),
            (
                "mtdf:null_move=off",
                ["null_move_slope"],
                "only with null_move=on: set it in the base",
            ),
            ("mtdf", ["grain", "grain=2..5"], "`grain` is given twice"),
            ("mtdf", ["grain=2..5,guess=blend"], "the registry defines when"),
            ("mtdf", ["=2..5"], "`` is not the name of a parameter"),
            ("mtdf", [], "nothing to tune: give at least one --param NAME"),
        ],
    )


def test_declared_spaces_take_types_from_literals() -> None:
    space = Space.declared(
        ["a=-100..100", "b=-1.5..2", "c=1..100,log", "d=x|y", "e=false|true", "f=0.1..1,log"]
        + ["g=1|2", "h=-1...5", "i=1e-3..1e3,log", "j=0..1,d=y", "k=0..1.0"]
    )
    by_name = {dimension.name: dimension for dimension in space.dimensions}
    assert by_name["a"] == Dimension("a", "int", -100, 100)
    assert by_name["b"] == Dimension("b", "float", -1.5, 2.0)
    assert by_name["c"] == Dimension("c", "int", 1, 100, log=True)
    assert by_name["d"].choices == ("x", "y")
    assert by_name["e"].choices == (False, True) and by_name["e"].contains(True)
    assert by_name["f"] == Dimension("f", "float", 0.1, 1.0, log=True)
    assert by_name["g"].choices == (1, 2)
    assert by_name["h"].ends == (-1.0, 0.5)
    assert by_name["i"].ends == (1e-3, 1e3)
    assert by_name["j"].needs == ("d", ("y",))
    assert by_name["k"].kind == "float"


def test_errors_of_declared_spaces_name_parameter(failing: Failing) -> None:
    def check(texts: list[str], message: str) -> None:
        with pytest.raises(UsageError) as caught:
            Space.declared(texts)
        assert message in str(caught.value)

    assert not failing(
        check,
        [
            (
                ["x"],
                "--param x: it is not in the registry: give its values, as in x=0..1 or x=a|b",
            ),
            (["x=0..1,log"], "a logarithmic range must begin above 0"),
            (["x=1|2,log"], "log belongs to a range LOW..HIGH"),
            (["x=1|1.0"], "`1.0` is given twice"),
            (["x=0..1", "y=0..1,x=1"], "`1` is not a choice of `x`"),
            (["y=0..1,z=1"], "`z` is not tuned"),
            (["a=1|2,b=1", "b=1|2,a=1"], "the conditions are circular"),
            (["x=0..1e999"], "`0..1e999` is not a range"),
            (["x=0..nan"], "`0..nan` is not a range"),
        ],
    )


def test_point_holds_only_active_parameters() -> None:
    space = Space.declared(["w=0..1,g=b", "g=a|b,on=true", "on=false|true", "x=0..9"])
    assert space.names.index("on") < space.names.index("g") < space.names.index("w")
    values: dict[str, Value] = {"w": 1, "g": "b", "on": True, "x": 4}
    assert space.restrict(values) == values
    assert space.restrict(values | {"g": "a"}) == {"g": "a", "on": True, "x": 4}
    # What is needed means nothing itself: neither does what needs it.
    assert space.restrict(values | {"on": False}) == {"on": False, "x": 4}
    assert space.contains({"on": False, "x": 4})
    assert not space.contains({"on": False, "x": 4, "g": "a"})
    assert not space.contains({"on": True, "x": 4})
    assert not space.contains({"on": False, "x": 10})
    assert not space.contains({"on": False})
    assert not space.contains({"on": False, "x": 4, "z": 1})
    assert not space.contains({})


@given(st.booleans(), st.sampled_from(["a", "b"]), st.integers(0, 1), st.integers(0, 9))
@settings(max_examples=40)
def test_restricted_point_is_in_space(on: bool, g: str, w: int, x: int) -> None:
    space = Space.declared(["w=0..1,g=b", "g=a|b,on=true", "on=false|true", "x=0..9"])
    point = space.restrict({"w": w, "g": g, "on": on, "x": x})
    assert space.contains(point) and space.restrict(point) == point
    assert {d.name for d in space.active(point)} == set(point)


def test_space_survives_json() -> None:
    texts = ["guess", "weight", "grain", "null_move", "razoring=1..900,log"]
    for space in (
        Space.of_registry(MTDF, texts),
        Space.declared(["a=3|2.0|x|true", "b=-1.5..2", "c=0..1,a=x"]),
    ):
        back = convert(json.loads(json.dumps(to_builtins(space))), Space)
        assert back == space
        types = [[type(choice) for choice in d.choices] for d in space.dimensions]
        assert [[type(choice) for choice in d.choices] for d in back.dimensions] == types


@given(ranges())
@settings(max_examples=40)
def test_range_is_declared_by_its_description(dimension: Dimension) -> None:
    assert Space.declared([dimension.describe()]).dimensions == (dimension,)


def test_optuna_gets_same_values() -> None:
    distributions = [d.distribution() for d in Space.of_registry(MTDF, ["grain"]).dimensions]
    assert repr(distributions[0]) == "IntDistribution(high=200, log=True, low=1, step=1)"
    choice = Dimension("x", "choice", choices=(False, True)).distribution()
    assert repr(choice) == "CategoricalDistribution(choices=(False, True))"
    real = Dimension("x", "float", 0.5, 2.0).distribution()
    assert repr(real) == "FloatDistribution(high=2.0, log=False, low=0.5, step=None)"


def test_start_is_base_or_nearest_allowed_value() -> None:
    base = parse_variant("mtdf:grain=7,reverse_futility=0")
    space = Space.of_registry(
        base, ["grain", "reverse_futility=20..200", "guess=zero|blend", "weight"]
    )
    assert start_of(base.parameters, space) == {
        "grain": 7,
        "reverse_futility": 20,
        "guess": "zero",
        "weight": 0.5,
    }


def test_start_of_declared_space() -> None:
    space = Space.declared(["x=0..10", "y=-1..1.0", "z=a|b"])
    assert declared_start(space, []) == {"x": 5, "y": 0.0, "z": "a"}
    start = declared_start(space, ["x=7", "y=1", "z=b"])
    assert start == {"x": 7, "y": 1.0, "z": "b"} and isinstance(start["y"], float)
    for text, message in [
        ("x=11", "--start x=11: the value is outside x=0..10"),
        ("x=1.5", "the value is outside x=0..10"),
        ("z=c", "the value is outside z=a|b"),
        ("q=1", "`q` is not tuned"),
        ("x", "expected NAME=VALUE"),
    ]:
        with pytest.raises(UsageError) as caught:
            declared_start(space, [text])
        assert message in str(caught.value)


def test_point_makes_variant_of_base() -> None:
    variant = variant_of(BLEND, {"guess": "parity", "grain": 4}, "new")
    # The base's weight means nothing without guess=blend.
    assert variant.identity == parse_variant("mtdf:guess=parity,grain=4").identity
    assert variant.label == "new"
    base = parse_variant("mtdf:entries=2^10,null_move_reduction=5")
    assert (
        variant_of(base, {"null_move": False}).identity
        == parse_variant("mtdf:entries=2^10,null_move=off").identity
    )
    assert variant_of(base, {}).identity == base.identity


def test_point_of_other_driver_is_refused() -> None:
    """Not a word left out: a variant without it would be measured in its place."""
    for driver in ("alphabeta", "pvs"):
        with pytest.raises(VariantError, match=f"{driver} has no `guess`"):
            variant_of(parse_variant(driver), {"guess": "parity"})


def test_powers_of_two_are_searched_by_exponent() -> None:
    space = Space.of_registry(parse_variant("mtdf:entries=2^12"), ["entries=2^10..2^20"])
    (one,) = space.dimensions
    assert one.describe() == "entries=2^10..2^20" and one.ordered
    powers = [2**exponent for exponent in range(10, 21)]
    assert list(one.powers) == powers and one.steps == 10
    for place, power in enumerate(powers):
        assert one.from_unit(place / 10) == power and one.to_unit(power) == pytest.approx(
            place / 10
        )
        assert one.contains(power) and not one.contains(power + 1)
    assert not one.contains(2**9) and not one.contains(2**21)
    assert convert(to_builtins(space), Space) == space
    assert (one.neighbour(2**10, -1), one.neighbour(2**10, 1)) == (None, 2**11)
    assert one.neighbour(2**20, 1) is None


@given(unit=st.floats(0, 1), draw=st.floats(0, 1, exclude_max=True))
@settings(max_examples=40)
def test_random_rounding_of_exponents_has_no_bias(unit: float, draw: float) -> None:
    """With a draw the exponent is floor(e + draw), whose mean over draws is e."""
    (one,) = Space.of_registry(parse_variant("mtdf:entries=1"), ["entries=2^0..2^10"]).dimensions
    value = one.from_unit(unit, draw)
    assert one.contains(value) and abs(math.log2(value) - 10 * unit) < 1
    if abs(10 * unit - round(10 * unit)) > 1e-6:
        assert value == 2 ** math.floor(10 * unit + draw)


def test_ends_of_trial_have_different_powers() -> None:
    (one,) = Space.of_registry(parse_variant("mtdf:entries=1"), ["entries=2^0..2^10"]).dimensions
    for unit in (0.0, 0.33, 0.5, 1.0):
        for step in (0.001, -0.001):
            first, second = apart(one, unit, step, 0.0)
            assert first != second and one.contains(first) and one.contains(second)
            assert (first > second) == (step > 0)
