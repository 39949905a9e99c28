"""Arguments become the right plan of a run, or an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.records.laboratory import LabRunRecord
from engines.errors import EngineError
from engines.registry import PARAMETERS
from engines.variant import parse_variant
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.events.players import record_of
from toolkit.lab.plan import (
    SHIFT,
    LabPlan,
    compare_plan,
    parse_depths,
    parse_list,
    rebased,
    sweep_plan,
)
from toolkit.lab.positions import find_position, load_suite

SUITE = load_suite("lab-60", 3)


def labels(plan: LabPlan) -> list[str]:
    """What the engines of a plan are called."""
    return [engine.variant.label for engine in plan.engines]


def test_lists_of_values() -> None:
    assert parse_list("--param", "1, 5,on") == ["1", "5", "on"]
    assert parse_list("--param", "2^10,2^12") == ["2^10", "2^12"]
    assert parse_list("--param", "2^10..2^12,5") == ["1024", "2048", "4096", "5"]
    assert parse_list("--param", "2^0..2^5/2") == ["1", "4", "16"]
    with pytest.raises(UsageError, match="9 is greater than 4"):
        parse_list("--param", "2^9..2^4")
    with pytest.raises(UsageError, match="expected values such as"):
        parse_list("--depth", "2^2..2^3", numbers=True)
    assert parse_list("x", "-40..40/20", numbers=True) == ["-40", "-20", "0", "20", "40"]
    assert parse_depths("4..6,9,4") == (4, 5, 6, 9)
    for text in ("", "4..", "6..4", "a", "0", "3..99", "4,,5"):
        with pytest.raises(UsageError):
            parse_depths(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5..3", "--depth `5..3`: in `5..3` 5 is greater than 3"),
        ("1,2..9/0", "--depth `1,2..9/0`: in `2..9/0` the step is 0"),
        ("1..500", "there are 500 values: at most 200 are allowed"),
    ],
)
def test_invalid_ranges_give_a_reason(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_depths(text)
    assert said in str(caught.value)


def test_depth_that_an_engine_leaves_out_is_refused() -> None:
    engine = parse_variant("mtdf:depth_step=2")
    assert compare_plan([engine], SUITE, (4, 6, 8)).depths == (4, 6, 8)
    assert compare_plan([engine], SUITE, (1, 8)).depths == (1, 8)
    for depths in ((7, 8), (2, 5)):
        with pytest.raises(UsageError, match=f"no iteration of depth {depths[0]} on its way"):
            compare_plan([engine], SUITE, depths)
    with pytest.raises(UsageError, match="depth_step"):
        sweep_plan([parse_variant("mtdf")], "depth_step", ["1", "3"], SUITE, (3, 4))


def test_comparison_has_open_and_aspiration_windows() -> None:
    plan = compare_plan([parse_variant("mtdf:grain=10,hash=2")], SUITE, (3, 4))
    assert labels(plan) == ["pvs:window=0,hash=2,grain=10", "pvs:hash=2,grain=10"] + [
        "mtdf:hash=2,grain=10"
    ]
    assert {engine.baseline for engine in plan.engines} == {0}
    assert plan.searches == 9 and not plan.last_only
    own = compare_plan([parse_variant("pvs:window=0"), parse_variant("mtdf")], SUITE, (3,))
    assert labels(own) == ["pvs", "pvs:window=0", "mtdf"]
    assert {engine.baseline for engine in own.engines} == {1}
    chosen = compare_plan([parse_variant("mtdf")], SUITE, (3,), parse_variant("alphabeta"))
    assert labels(chosen) == ["alphabeta", "mtdf"]


@pytest.mark.parametrize(
    ("engines", "baseline", "said"),
    [
        (["mtdf", "mtdf:name=other"], None, "given twice"),
        (["mtdf", "mtdf:grain=2"], None, "different trees"),
        (["mtdf:name=a", "pvs:name=a"], None, "two engines are called a"),
        (["mtdf"], "pvs:eval=pst", "different trees"),
        (["mtdf"], "bns", "proves a move"),
        ([], None, "no engine"),
        (["mtdf"], "mtdf", "nothing to compare: mtdf is the baseline itself"),
    ],
)
def test_senseless_comparisons_are_refused(
    engines: list[str], baseline: str | None, said: str
) -> None:
    variants = [parse_variant(text) for text in engines]
    base = None if baseline is None else parse_variant(baseline)
    with pytest.raises(UsageError, match=said):
        compare_plan(variants, SUITE, (3,), base)


def test_sweep_has_one_baseline_for_equal_trees() -> None:
    plan = sweep_plan([parse_variant("mtdf")], "entries", ["2^4", "2^8"], SUITE, (3,))
    assert labels(plan) == ["pvs:window=0", "mtdf:entries=16", "mtdf:entries=256"]
    assert [engine.baseline for engine in plan.engines] == [0, 0, 0]
    assert [engine.value for engine in plan.engines] == [None, "16", "256"]


def test_engines_of_presets_are_called_by_texts_that_mean_them() -> None:
    preset, named = (parse_variant(f"mtdf:preset=plaat,etc=1{own}") for own in ("", ",name=own"))
    plan = sweep_plan([preset], "etc", ["0", "2"], SUITE, (3,))
    assert labels(plan)[1:] == ["mtdf:preset=plaat,etc=0", "mtdf:preset=plaat,etc=2"]
    for engine in plan.engines:
        assert parse_variant(engine.variant.label).identity == engine.variant.identity
    plan = sweep_plan([named], "etc", ["0", "2"], SUITE, (3,))
    assert labels(plan)[1:] == ["own:etc=0", "own:etc=2"]


def test_sweep_over_the_trees_has_a_baseline_for_each_value() -> None:
    plan = sweep_plan([parse_variant("mtdf")], "grain", ["2", "10"], SUITE, (3,))
    assert labels(plan) == ["pvs:window=0,grain=2", "mtdf:grain=2"] + [
        *("pvs:window=0,grain=10", "mtdf:grain=10")
    ]
    assert [engine.baseline for engine in plan.engines] == [0, 0, 2, 2]


def test_baselines_may_follow_any_parameter() -> None:
    values = ["2^4", "2^8"]
    plan = sweep_plan([parse_variant("mtdf")], "entries", values, SUITE, (3,), vary_baseline=True)
    assert labels(plan) == ["pvs:window=0,entries=16", "mtdf:entries=16"] + [
        *("pvs:window=0,entries=256", "mtdf:entries=256")
    ]
    assert [engine.baseline for engine in plan.engines] == [0, 0, 2, 2]
    with pytest.raises(EngineError, match="`guess` is not a parameter of pvs"):
        sweep_plan([parse_variant("mtdf")], "guess", ["zero"], SUITE, (3,), vary_baseline=True)
    with pytest.raises(UsageError, match="--vary-baseline goes with --param"):
        sweep_plan([parse_variant("mtdf")], SHIFT, ["0"], SUITE, (3,), vary_baseline=True)
    with pytest.raises(UsageError, match="nothing to compare"):
        sweep_plan([parse_variant("pvs:window=0")], "hash", ["1"], SUITE, (3,), vary_baseline=True)


def test_several_engines_are_varied_beside_one_baseline_a_value() -> None:
    engines = [parse_variant("mtdf"), parse_variant("sss")]
    plan = sweep_plan(engines, "grain", ["2", "10"], SUITE, (3,))
    assert labels(plan) == ["pvs:window=0,grain=2", "mtdf:grain=2", "sss:grain=2"] + [
        *("pvs:window=0,grain=10", "mtdf:grain=10", "sss:grain=10")
    ]
    assert [engine.baseline for engine in plan.engines] == [0, 0, 0, 3, 3, 3]
    assert plan.titles == labels(plan)
    assert sweep_plan(engines[:1], "grain", ["10"], SUITE, (3,)).titles[1:] == ["grain=10"]
    engines = [parse_variant("mtdf"), parse_variant("hybrid")]
    plan = sweep_plan(engines, SHIFT, ["-5", "5"], SUITE, (3,))
    assert [engine.shift for engine in plan.engines] == [None, -5, -5, 5, 5]
    assert plan.titles[1:3] == ["mtdf first_guess_offset=-5", "hybrid first_guess_offset=-5"]
    for wrong, parameter, said in (
        ([engines[0], engines[0]], SHIFT, "-5 is given twice"),
        ([engines[0], parse_variant("mtdf:guess=zero,name=mtdf")], SHIFT, "two engines are called"),
        (
            [engines[0], parse_variant("mtdf:hash=4")],
            "hash",
            "hash=5 is given twice, or makes two engines the same",
        ),
        ([engines[0], parse_variant("mtdf:eval=pst")], "hash", "different trees"),
        ([], "hash", "give --engine"),
    ):
        with pytest.raises(UsageError, match=said):
            sweep_plan(wrong, parameter, ["-5" if parameter == SHIFT else "5"], SUITE, (3,))


def test_baseline_is_found_in_any_spelling() -> None:
    engines = [parse_variant(text) for text in ("mtdf:hash=2,bounds=one", "sss:hash=2")]
    plan = compare_plan(engines, SUITE, (3,))
    other = rebased(plan, "mtdf:bounds=one,hash=2")
    assert labels(other)[other.engines[0].baseline] == engines[0].label
    for wrong in ("mtdf:hash=2,bounds=two,grain=7", "nobody", "mtdf:hash=two"):
        with pytest.raises(UsageError, match="is not an engine of the run"):
            rebased(plan, wrong)


def test_names_of_engines_stay_unique_in_sweeps() -> None:
    engines = [parse_variant("mtdf:name=foo"), parse_variant("pvs:name=bar")]
    plan = sweep_plan(engines, "entries", ["16"], SUITE, (3,))
    assert labels(plan)[1:] == ["foo:entries=16", "bar:entries=16"]
    base, own = parse_variant("alphabeta:name=mtdf"), str(PARAMETERS["hash"].default)
    with pytest.raises(UsageError, match="two engines are called mtdf"):
        sweep_plan([parse_variant("mtdf")], "hash", [own], SUITE, (3,), base)
    with pytest.raises(UsageError, match="entries=0 means a table"):
        sweep_plan([parse_variant("mtdf")], "entries", ["0", "16"], SUITE, (3,))


def test_first_guesses_at_a_distance() -> None:
    plan = sweep_plan([parse_variant("mtdf")], SHIFT, ["-40", "+0", "40"], SUITE, (5,))
    assert [engine.shift for engine in plan.engines] == [None, -40, 0, 40]
    assert plan.last_only
    for engine, depths, said in (
        ("pvs", (5,), "has no first guess"),
        ("mtdf", (4, 5), "give one --depth"),
    ):
        with pytest.raises(UsageError, match=said):
            sweep_plan([parse_variant(engine)], SHIFT, ["0"], SUITE, depths)
    with pytest.raises(UsageError, match="given twice"):
        sweep_plan([parse_variant("mtdf")], SHIFT, ["0", "+0"], SUITE, (5,))
    with pytest.raises(UsageError, match=r"--first-guess-offset \(40000\) must be"):
        sweep_plan([parse_variant("mtdf")], SHIFT, ["40000"], SUITE, (5,))


def test_senseless_sweeps_are_refused() -> None:
    mtdf = parse_variant("mtdf")
    with pytest.raises(EngineError, match="no parameter `foo`"):
        sweep_plan([mtdf], "foo", ["1"], SUITE, (3,))
    with pytest.raises(EngineError, match="grain=0 is not allowed"):
        sweep_plan([mtdf], "grain", ["0"], SUITE, (3,))
    with pytest.raises(UsageError, match="given twice"):
        sweep_plan([mtdf], "entries", ["16", "2^4"], SUITE, (3,))
    with pytest.raises(UsageError, match="different trees"):
        sweep_plan([mtdf], "guess", ["zero"], SUITE, (3,), parse_variant("pvs:grain=3"))


def test_plan_round_trips_and_a_changed_variant_is_refused() -> None:
    variants = [parse_variant("mtdf:name=mine"), parse_variant("bns")]
    plan = compare_plan(variants, SUITE, (3, 4))
    moment, settings = "2026-11-21T10:00:00.000Z", plan.settings()
    run = LabRunRecord(1, "x", "done", settings, moment, None, None, "", "", "", "", plan.kind)
    stored = [record_of(engine.variant) for engine in plan.engines]
    records = plan.engine_records()
    assert LabPlan.recalled(run, records, stored, plan.positions) == plan
    stored[2] = record_of(parse_variant("mtdf:guess=zero"))
    changed = stored[2].__class__("0" * 16, "native", "mtdf", stored[2].parameters, "mtdf")
    with pytest.raises(EngineProblem):
        LabPlan.recalled(run, records, [*stored[:2], changed, stored[3]], plan.positions)


def test_suites_by_name_and_by_path(tmp_path: Path) -> None:
    assert len(load_suite("lab-60")) == 60
    spread = [one.label for one in load_suite("lab-60", 4).positions]
    assert spread == ["lab-01", "lab-16", "lab-31", "lab-46"]
    assert len(load_suite("default-500", 7)) == 7
    with pytest.raises(UsageError, match="choose how many by --limit-positions"):
        load_suite("balanced-20k")
    with pytest.raises(UsageError, match="no suite ``"):
        load_suite("")
    with pytest.raises(UsageError, match="no suite `nothing`"):
        load_suite("nothing")
    file = tmp_path / "own.epd"
    file.write_text('8/8/1p2pK2/1N2P3/P2n1k2/8/8/8 b - - id "knights";\n', encoding="utf-8")
    assert [one.label for one in load_suite(str(file)).positions] == ["knights"]
    assert find_position(f"{file}:knights") == find_position(f"{file}:1")
    assert find_position("lab-31").fen == SUITE_31
    assert find_position("start").fen.startswith("rnbqkbnr/")
    for wrong, said in (
        (
            "lab-61",
            r"suite lab-60 has no position `lab-61` \(ids: lab-01, .*, lab-04 and 56 more\)",
        ),
        (f"{file}:2", r"own.epd has no position `2` \(ids: knights\)$"),
        (str(file), "for one of the file .*own.epd, give .*own.epd:ID or .*own.epd:LINE$"),
    ):
        with pytest.raises(UsageError, match=said):
            find_position(wrong)


def test_lines_that_repeat_a_position(tmp_path: Path) -> None:
    knights, rooks = "8/8/1p2pK2/1N2P3/P2n1k2/8/8/8 b - -", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -"
    file = tmp_path / "own.epd"
    ids = (knights, "a"), (rooks, "b"), (knights, "a"), (rooks, "c"), (knights, "c")
    file.write_text("".join(f'{fen} id "{name}";\n' for fen, name in ids), encoding="utf-8")
    suite = load_suite(str(file))
    assert (len(suite), suite.repeats) == (2, 3)
    assert load_suite(str(file), 1).repeats == 3 and load_suite("lab-60").repeats == 0
    # Every line can be named, also one that a suite leaves out.
    assert [find_position(f"{file}:{line}").label for line in range(1, 6)] == list("abacc")
    assert find_position(f"{file}:a").line == 1, "two lines of one position are no two positions"
    with pytest.raises(UsageError, match=r"`c` is the id of several .* in lines 4, 5: .*own.epd:4"):
        find_position(f"{file}:c")


SUITE_31 = next(one.fen for one in load_suite("lab-60").positions if one.label == "lab-31")
