"""Tables name engines by what they differ in, in every row alike."""

from __future__ import annotations

import random

from db.records.engines import VariantRecord
from engines.features import features_of, without_feature
from engines.limit import Limit
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Variant
from engines.variant import format_value, make_variant, parse_variant
from toolkit.events.players import record_of
from toolkit.events.settings import gauntlet_settings
from toolkit.events.tally import shown_labels
from toolkit.selection.labels import MOST_ADDED, display_labels

HASH, GRAIN = (PARAMETERS[name].default for name in ("hash", "grain"))


def shown(*texts: str) -> list[str]:
    """What a table of these engines calls them."""
    return display_labels([labelled(parse_variant(text)) for text in texts])


def labelled(variant: Variant) -> tuple[str, VariantRecord]:
    return variant.label, record_of(variant)


def test_default_is_shown_where_others_differ() -> None:
    assert shown("mtdf", "mtdf:hash=1", "pvs") == [f"mtdf:hash={HASH}", "mtdf:hash=1", "pvs"]
    assert shown(f"mtdf:hash={HASH}", "pvs") == ["mtdf", "pvs"], "nothing to tell apart"
    assert shown("mtdf:hash=2", "mtdf:hash=2,grain=5") == [
        f"mtdf:hash=2,grain={GRAIN}",
        "mtdf:hash=2,grain=5",
    ]


def test_same_engine_twice_has_plain_labels() -> None:
    """As under two limits, or from two cores."""
    assert shown("mtdf:grain=5", "mtdf:grain=5") == ["mtdf:grain=5"] * 2


def test_given_names_are_kept() -> None:
    assert shown("mtdf", "mtdf:grain=20,name=coarse") == ["mtdf", "coarse"]
    assert shown("mtdf", "mtdf:grain=5", "mtdf:grain=20,name=mtdf:x") == [
        f"mtdf:grain={GRAIN}",
        "mtdf:grain=5",
        "mtdf:x",
    ]


def test_inactive_parameter_is_not_shown() -> None:
    """`null_move_reduction` has a value only where null moves are on."""
    assert shown("pvs", "pvs:null_move=off") == ["pvs:null_move=on", "pvs:null_move=off"]


def test_presets_are_kept() -> None:
    assert shown("mtdf", "mtdf:preset=plaat") == ["mtdf", "mtdf:preset=plaat"]


def test_labels_of_ablation_are_kept() -> None:
    hero = parse_variant("pvs")
    field = [without_feature(hero, name) for name in features_of(hero)]
    engines = [labelled(variant) for variant in (hero, *field)]
    assert display_labels(engines) == [label for label, _ in engines]


def test_engines_that_differ_in_much_keep_their_labels() -> None:
    flags = [name for name in DRIVERS["pvs"].parameters if PARAMETERS[name].kind == "flag"]
    plain = [name for name in flags if PARAMETERS[name].needs is None][: MOST_ADDED + 1]
    spelled = ",".join(f"{name}={format_value(not PARAMETERS[name].default)}" for name in plain)
    assert len(plain) > MOST_ADDED
    assert shown("pvs", f"pvs:{spelled}") == ["pvs", f"pvs:{spelled}"]
    assert "grain" in shown("mtdf", "mtdf:grain=7")[0]


def test_engine_of_older_defaults_shows_its_values() -> None:
    """Its label is that of another variant today; the database knows only effective values."""
    now = parse_variant("mtdf:grain=5")
    old = VariantRecord(now.identity, "native", "mtdf", dict(now.effective), "mtdf")
    assert display_labels([("mtdf", old), labelled(parse_variant("mtdf"))]) == [
        "mtdf:grain=5",
        f"mtdf:grain={GRAIN}",
    ]


def test_imported_and_unknown_engines_keep_their_labels() -> None:
    other = VariantRecord("ab", "imported", "", {"name": "mtdf"}, "mtdf")
    gone = VariantRecord("cd", "native", "gone", {}, "gone")
    engines = [("mtdf", other), ("gone", gone), labelled(parse_variant("mtdf"))]
    assert display_labels(engines) == ["mtdf", "gone", "mtdf"]


def test_label_reproduces_engine() -> None:
    """Of random variants: on a command line each text is the variant that it stands for, and no
    two engines have one text."""
    numbers = random.Random(1)
    for driver in sorted(DRIVERS):
        variants = [parse_variant(driver)]
        for _ in range(6):
            given = {}
            for name in numbers.sample(DRIVERS[driver].parameters, 2):
                param = PARAMETERS[name]
                if param.needs is None and param.excludes is None and name != "hash":
                    given[name] = (
                        numbers.choice(param.choices)
                        if param.kind == "choice"
                        else param.low
                        if param.low is not None
                        else not param.default
                    )
            variants.append(make_variant(driver, given))
        unique = list({variant.identity: variant for variant in variants}.values())
        texts = display_labels([labelled(variant) for variant in unique])
        assert len(set(texts)) == len(texts)
        for text, variant in zip(texts, unique, strict=True):
            assert parse_variant(text).identity == variant.identity


def test_event_shows_its_players() -> None:
    settings = gauntlet_settings(
        ["mtdf"], ["mtdf:hash=1", "pvs:name=old"], pairs=1, limit=Limit(nodes=9)
    )
    assert shown_labels(settings) == {
        "mtdf": f"mtdf:hash={HASH}",
        "mtdf:hash=1": "mtdf:hash=1",
        "old": "old",
    }
