"""An ablation plays the full engine against a copy without each feature."""

from __future__ import annotations

import pytest
from msgspec import structs

from db.session import Database
from engines.features import features_of, without_feature
from engines.limit import Limit
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.books.book import package_book
from toolkit.events.event import start_event
from toolkit.events.players import Contender
from toolkit.events.settings import EventSettings
from toolkit.referee.adjudication import Adjudication
from toolkit.reports.ablation import ablation_settings, ablation_table

NODES = Limit(nodes=100)


def test_engine_meets_itself_without_each_feature() -> None:
    settings = ablation_settings("mtdf:hash=1", pairs=3, limit=NODES, seed=5)
    engine = parse_variant("mtdf:hash=1")
    names = features_of(engine)
    assert settings.pairings == tuple((0, number + 1) for number in range(len(names)))
    hero, *field = [player.variant() for player in settings.players]
    assert hero == engine
    for name, variant in zip(names, field, strict=True):
        changed = {k for k, v in variant.parameters.items() if v != engine.parameters[k]}
        assert name in changed and variant.label.startswith(f"{name}=")
    assert (settings.kind, settings.total_pairs, settings.seed) == ("ablation", 3 * len(names), 5)
    assert EventSettings.from_json(settings.to_json()) == settings


def test_engine_without_features_is_refused() -> None:
    engine = parse_variant("pvs")
    while names := features_of(engine):
        engine = without_feature(engine, names[0])
    with pytest.raises(UsageError, match="no enabled feature"):
        ablation_settings(engine, pairs=1, limit=NODES)


def test_features_are_named_by_event_labels(db: Database) -> None:
    """Also one that this program does not have any more, or that it switches off differently."""
    settings = ablation_settings(
        "pvs:hash=1",
        ["window", "killers"],
        pairs=1,
        limit=NODES,
        book=package_book("default-500"),
        adjudication=Adjudication(max_plies=20, draw=None, resign=None),
    )
    hero, *copies = settings.players
    changed = [
        Contender(structs.replace(one.engine, label=label))
        for one, label in zip(copies, ("window=10", "gone=off"), strict=True)
    ]
    players = (hero, *changed)
    outcome = start_event(db, structs.replace(settings, players=players))
    table = ablation_table(db, outcome.event, 0)
    named = {row.engine: (row.feature, row.off) for row in table.features}
    assert named == {
        hero.label: (None, None),
        "window=10": ("window", "10"),
        "gone=off": ("gone", "off"),
    }


def test_ablation_has_one_engine() -> None:
    settings = ablation_settings("pvs", ["window"], pairs=1, limit=NODES)
    for heroes in (0, 2):
        with pytest.raises(UsageError, match="an ablation needs one engine"):
            structs.replace(settings, heroes=heroes)
