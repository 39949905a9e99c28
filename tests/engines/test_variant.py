"""Texts of variants parse by their grammar, and identities follow the effective parameters."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engines import registry
from engines.errors import VariantError
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import DriverSpec, Param, Value, Variant
from engines.variant import (
    describe_range,
    effective_parameters,
    format_value,
    is_meaningful,
    make_variant,
    meaningful_parameters,
    named_game,
    parse_variant,
    spell,
    with_game,
    with_neutral_values,
)


def values_of(param: Param) -> st.SearchStrategy[Value]:
    """All values that a parameter takes."""
    if param.kind == "flag":
        return st.booleans()
    if param.kind == "choice":
        return st.sampled_from(param.choices)
    low, high = param.low, param.high
    assert low is not None
    assert high is not None
    if param.power_of_two:
        return st.just(0) | st.integers(0, int(high).bit_length() - 1).map(lambda k: 2**k)
    if param.kind == "float":
        return st.floats(low, high, allow_nan=False)
    return st.integers(int(low), int(high))


DEFAULTS = {name: param.default for name, param in PARAMETERS.items()}


@st.composite
def variants(draw: st.DrawFn) -> Variant:
    """A variant with any of its meaningful parameters given."""
    spec = draw(st.sampled_from(list(DRIVERS.values())))
    names = draw(st.lists(st.sampled_from(spec.parameters), unique=True))
    given_values = {name: draw(values_of(PARAMETERS[name])) for name in names}
    if "hash" in given_values:
        given_values.pop("entries", None)
    complete = {name: PARAMETERS[name].default for name in spec.parameters} | given_values
    meaningful = {
        name: value
        for name, value in given_values.items()
        if is_meaningful(PARAMETERS[name], complete)
    }
    return make_variant(spec.name, meaningful)


@settings(max_examples=50)
@given(variants())
def test_spelling_parses_to_the_same_variant(variant: Variant) -> None:
    again = parse_variant(variant.spelling)
    assert again == variant
    assert again.identity == variant.identity
    assert again.spelling == variant.spelling


@settings(max_examples=50)
@given(variants(), st.randoms())
def test_order_blanks_and_defaults_do_not_matter(variant: Variant, rng: Any) -> None:
    parts = [
        f" {name} = {format_value(value)} "
        for name, value in variant.parameters.items()
        if is_meaningful(PARAMETERS[name], variant.parameters)
    ]
    rng.shuffle(parts)
    again = parse_variant(f" {variant.driver}:{','.join(parts)}")
    assert again == variant
    assert again.canonical_json() == variant.canonical_json()


LABELS = st.text(
    st.characters(categories=["L", "N", "P", "S"], exclude_characters=","), min_size=1, max_size=60
)


@settings(max_examples=50)
@given(variants(), LABELS)
def test_identity_ignores_the_label(variant: Variant, label: str) -> None:
    joint = "," if ":" in variant.spelling else ":"
    named = parse_variant(f"{variant.spelling}{joint}name={label}")
    assert named.label == label
    assert (named.identity, named.spelling) == (variant.identity, variant.spelling)


@settings(max_examples=50)
@given(variants())
def test_meaningful_parameters_follow_from_effective_ones(variant: Variant) -> None:
    """Of a stored variant only the effective parameters are known."""
    spec = DRIVERS[variant.driver]
    told = with_neutral_values(spec, variant.effective)
    assert told == meaningful_parameters(spec, variant.parameters)
    assert list(told) == [
        name for name in spec.parameters if is_meaningful(PARAMETERS[name], variant.parameters)
    ]
    assert variant.effective.items() <= told.items()


@settings(max_examples=50)
@given(variants())
def test_variants_can_be_pickled(variant: Variant) -> None:
    assert pickle.loads(pickle.dumps(variant)) == variant


@settings(max_examples=50)
@given(variants(), variants())
def test_identities_differ_where_effective_parameters_do(one: Variant, other: Variant) -> None:
    same = (one.driver, dict(one.effective)) == (other.driver, dict(other.effective))
    assert (one.identity == other.identity) == same


def neutral_settings(driver: str) -> str:
    """What a variant of the driver was before parameters that have a neutral value existed."""
    chosen = {
        name: PARAMETERS[name].neutral
        for name in DRIVERS[driver].parameters
        if PARAMETERS[name].neutral is not None
    }
    complete = {name: PARAMETERS[name].default for name in DRIVERS[driver].parameters} | chosen
    return "".join(
        f",{name}={format_value(value)}"
        for name, value in chosen.items()
        if value is not None and is_meaningful(PARAMETERS[name], complete)
    )


def test_identities_are_pinned() -> None:
    # Stored games refer to these; a change of any of them would orphan them.
    expected = (
        "ac3d0edebc8b4b1b 03c8bfb65820172a bd68c3d7cefece64 4d4e749f35d13348 80ad0675ec9b1be3"
    )
    texts = ["alphabeta:grain=1", "pvs:window=25,grain=1", "mtdf:guess=parity,grain=1"]
    texts += ["mtdf:guess=blend,weight=0.25,grain=1", "pvs:window=0,grain=4"]
    found = []
    for text in texts:
        driver, _, given = text.partition(":")
        neutral = neutral_settings(driver)
        if "window=0" in given:
            neutral = neutral.replace(",below=0", "")  # which has no effect there
        old = f"{driver}:eval=pst,null_move_reduction=3{neutral},{given}"
        found.append(parse_variant(old).identity)
    assert " ".join(found) == expected
    assert not set(expected.split()) & {parse_variant(text).identity for text in texts}


def test_parameters_of_the_table_are_refused_without_one() -> None:
    for name in ("bounds", "replacement", "etc", "leaf_bounds", "low_move", "iid"):
        param = PARAMETERS[name]
        others = [choice for choice in param.choices if choice != param.neutral]
        value = {"flag": "on", "int": "2"}.get(param.kind) or others[0]
        assert name in parse_variant(f"pvs:{name}={value},entries=64").effective
        with pytest.raises(VariantError, match=f"`{name}` has an effect only with a transposition"):
            parse_variant(f"pvs:{name}={value},hash=0")


def test_shift_of_the_window_is_refused_without_a_window() -> None:
    assert parse_variant("mtdf:below=3").effective["below"] == 3
    assert parse_variant("pvs:window=1,below=3").effective["below"] == 3
    assert "below" not in parse_variant("pvs:window=0").effective
    with pytest.raises(VariantError, match="`below` has an effect only with window=1..2000"):
        parse_variant("pvs:window=0,below=3")


def test_single_pass_drivers_lack_parameters_of_later_passes() -> None:
    for driver in ("alphabeta", "negascout", "sss", "mtd-best", "bns"):
        for parameter in ("fail_high_reduction=1", "best_move_stop=on"):
            error = f"is not a parameter of {driver}, only of pvs, mtdf"
            with pytest.raises(VariantError, match=error):
                parse_variant(f"{driver}:{parameter}")


def test_variant_has_all_parameters_of_its_driver() -> None:
    for text in ("pvs", "mtdf:guess=blend,weight=1", "alphabeta:entries=2^8,null_move=off"):
        variant = parse_variant(text)
        assert tuple(variant.parameters) == DRIVERS[variant.driver].parameters


SPELLINGS = [
    ("mtdf", "mtdf"),
    ("mtdf:", "mtdf"),
    (f" pvs : window = {DEFAULTS['window']} ", "pvs"),
    (f"mtdf:guess={DEFAULTS['guess']},hash={DEFAULTS['hash']}", "mtdf"),
    ("mtdf:grain=4,guess=zero", "mtdf:guess=zero,grain=4"),
    ("pvs:entries=2^18", "pvs:entries=262144"),
    ("pvs:entries=262144", "pvs:entries=262144"),
    ("pvs:quiescence=no,null_move=FALSE", "pvs:quiescence=off,null_move=off"),
    (f"mtdf:guess=blend,weight={DEFAULTS['weight']}0", "mtdf:guess=blend"),
    ("mtdf:guess=blend,weight=-0", "mtdf:guess=blend,weight=0"),
    ("mtdf:guess=blend,weight=0.123456789", "mtdf:guess=blend,weight=0.123456789"),
    ("alphabeta:hash=0", "alphabeta:hash=0"),
    ("mtdf:entries=0", "mtdf"),
]


def test_spellings() -> None:
    for text, spelling in SPELLINGS:
        variant = parse_variant(text)
        assert variant.spelling == variant.label == spelling
        assert variant.identity == parse_variant(spelling).identity, text


ERRORS = [
    ("", ["no driver ``", "alphabeta, pvs, mtdf"]),
    ("mtd", ["no driver `mtd`", "did you mean `mtdf`?"]),
    ("MTDF", ["no driver `MTDF`", "did you mean `mtdf`?"]),
    ("mtdf:gues=zero", ["no parameter `gues`", "did you mean `guess`?"]),
    ("pvs:guess=zero", ["`guess` is not a parameter of pvs", "only of mtdf"]),
    ("mtdf:window=3", ["`window` is not a parameter of mtdf", "only of pvs"]),
    ("mtdf:guess=best", ["guess=best is not allowed", "zero, static, previous, parity"]),
    ("mtdf:grain=0", ["grain=0 is not allowed", "1 to 200"]),
    ("mtdf:grain=201", ["grain=201 is not allowed", "1 to 200"]),
    ("mtdf:grain=4.5", ["grain=4.5 is not allowed"]),
    ("mtdf:grain=" + "9" * 400, ["is not allowed", "1 to 200"]),
    ("mtdf:grain=" + "9" * 5000, ["is not allowed", "1 to 200"]),
    ("mtdf:grain=", ["grain= is not allowed"]),
    ("mtdf:weight=0.3", ["`weight` has an effect only with guess=blend"]),
    ("mtdf:guess=blend,weight=nan", ["weight=nan is not allowed", "0.0 to 1.0"]),
    ("mtdf:guess=blend,weight=1e999", ["is not allowed", "0.0 to 1.0"]),
    ("pvs:null_move=off,null_move_reduction=2", ["only with null_move=on"]),
    ("pvs:null_move=maybe", ["null_move=maybe is not allowed", "on or off"]),
    ("pvs:entries=1000", ["entries=1000 is not allowed", "power of two up to 2^30"]),
    ("pvs:entries=2^31", ["is not allowed", "2^30"]),
    ("pvs:entries=-4", ["is not allowed", "2^30"]),
    ("pvs:grain=2^3", ["grain=2^3 is not allowed"]),
    ("pvs:entries=2^8,hash=4", ["`entries` and `hash` exclude each other"]),
    ("pvs:hash=4,hash=4", ["`hash` is given twice"]),
    ("pvs:hash", ["`hash` is not of the form key=value"]),
    ("pvs:=4", ["is not of the form key=value"]),
    ("pvs:name=", ["must be 1 to 60 characters"]),
    ("pvs:name=" + "x" * 61, ["must be 1 to 60 characters"]),
    ("pvs:name=two words", ["must be 1 to 60 characters"]),
]


def test_preset_keeps_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    published = "mtdf:guess=parity,convergence=plaat,below=0,tolerance=0,adopt=proven"
    for text, meant, label in (
        ("mtdf:preset=plaat", published, "mtdf:preset=plaat"),
        (" mtdf : hash=4 , preset=plaat", f"{published},hash=4", "mtdf:hash=4,preset=plaat"),
        ("mtdf:preset=plaat,guess=zero", published.replace("parity", "zero"), None),
        ("mtdf:preset=plaat,name=old", published, "old"),
        ("pvs:preset=aspiration", "pvs:window=25,below=0", "pvs:preset=aspiration"),
    ):
        variant = parse_variant(text)
        assert variant.label == (label or text), text
        assert variant.identity == parse_variant(meant).identity, text
        assert parse_variant(variant.spelling).identity == variant.identity, text
    before = {name: parse_variant(f"mtdf:preset={name}").identity for name in ("plaat", "claims")}
    for name, value in (("below", 9), ("guess", "zero"), ("tolerance", 3)):
        changed = replace(PARAMETERS[name], default=value)
        monkeypatch.setitem(PARAMETERS, name, changed)
    assert before == {n: parse_variant(f"mtdf:preset={n}").identity for n in before}
    for text in ("pvs:preset=plaat", "mtdf:preset=plat"):
        with pytest.raises(VariantError, match="no preset `pla?t?.*`.*has"):
            parse_variant(text)


def test_errors_name_the_nearest_and_the_range() -> None:
    for text, parts in ERRORS:
        with pytest.raises(VariantError) as caught:
            parse_variant(text)
        message = str(caught.value)
        assert "\n" not in message
        assert [part for part in parts if part not in message] == [], message


@given(st.text(max_size=40))
def test_any_text_is_a_variant_or_a_variant_error(text: str) -> None:
    try:
        assert parse_variant(text).driver in DRIVERS
    except VariantError as error:
        assert len(str(error).splitlines()) == 1


def test_new_parameter_at_its_neutral_value_keeps_identities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {text: parse_variant(text).identity for text in ("pvs", "mtdf:grain=4")}
    # The next version has a parameter whose default is better than the old behaviour.
    newer = Param("probcut", "int", 5, "a parameter to come", low=0, high=9, neutral=0)
    monkeypatch.setitem(registry.PARAMETERS, "probcut", newer)
    for name, old in list(DRIVERS.items()):
        spec = DriverSpec(old.name, old.doc, old.source, old.windows, (*old.parameters, "probcut"))
        monkeypatch.setitem(registry.DRIVERS, name, spec)
    for text, identity in before.items():
        joint = "," if ":" in text else ":"
        assert parse_variant(f"{text}{joint}probcut=0").identity == identity
        assert parse_variant(text).identity != identity
    spec = DRIVERS["pvs"]
    complete = {name: PARAMETERS[name].default for name in spec.parameters}
    assert "probcut" in effective_parameters(spec, complete)
    assert spell(spec, complete | {"probcut": 0}) == "pvs:probcut=0"


def test_ranges_are_described() -> None:
    told = {name: describe_range(param) for name, param in PARAMETERS.items()}
    assert told["entries"] == "0 or a power of two up to 2^30"
    assert told["hash"] == "0 to 65536"
    assert told["null_move"] == "on or off"
    assert told["weight"] == "0.0 to 1.0"
    assert told["eval"] == "pst, full"


def test_game_is_added_to_a_variant_that_names_none() -> None:
    for text, completed in (
        ("mtdf", "mtdf:game=othello"),
        ("mtdf:entries=0,tt=off", "mtdf:game=othello,entries=0,tt=off"),
        ("mtdf:entries=0, game = draughts", "mtdf:entries=0, game = draughts"),
        ("uci:./engine", "uci:./engine"),
    ):
        assert with_game(text, "othello") == completed, text
    assert with_game("mtdf", "chess") == "mtdf"
    assert named_game("mtdf:entries=0, game = draughts") == "draughts"
    assert named_game("mtdf:entries=0") is None


def test_blank_parts_are_ignored() -> None:
    assert parse_variant("mtdf: , game=othello,") == parse_variant("mtdf:game=othello")
