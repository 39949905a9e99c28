"""Settings of events are checked, and stored and read without loss."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from engines.limit import Limit
from engines.registry import PARAMETERS
from engines.variant import parse_variant
from toolkit.base.errors import DatabaseProblem, EngineProblem, UsageError
from toolkit.books.book import Book, load_book
from toolkit.books.info import BookSlice, openings_in, slice_of
from toolkit.events.players import Contender
from toolkit.events.settings import (
    EventSettings,
    gauntlet_settings,
    match_settings,
    sprt_settings,
)
from toolkit.referee.adjudication import Adjudication
from toolkit.selection.sequential import SprtSettings

Failing = Callable[..., list[str]]

NODES = Limit(nodes=1000)


@pytest.fixture
def small_book(tmp_path: Path) -> Book:
    """Three endings."""
    path = tmp_path / "small.epd"
    path.write_text("".join(f"4k3/8/8/8/8/8/{pawn}/4K3 w - -\n" for pawn in ("P7", "4P3", "7P")))
    return load_book(path)


def test_gauntlet_pairs_heroes_with_field_only() -> None:
    settings = gauntlet_settings(
        ["mtdf", "mtdf:guess=zero"], ["pvs", "alphabeta"], pairs=5, limit=NODES
    )
    assert settings.pairings == ((0, 2), (0, 3), (1, 2), (1, 3))
    assert settings.total_pairs == 20
    assert [player.label for player in settings.players] == [
        "mtdf",
        "mtdf:guess=zero",
        "pvs",
        "alphabeta",
    ]


def test_tuning_has_base_and_budget(small_book: Book) -> None:
    match = match_settings("mtdf", "pvs", pairs=3, limit=NODES, book=small_book)
    tuning = structs.replace(match, kind="tuning", players=match.players[:1], pairs=5000)
    assert (tuning.pairings, tuning.total_pairs) == ((), 5000)
    # Its pairings share the lines of the book, so that lines come again is no news.
    assert tuning.notices() == ()
    assert EventSettings.from_json(json.loads(json.dumps(tuning.to_json()))) == tuning
    with pytest.raises(UsageError, match="number of engines"):
        structs.replace(match, kind="round-robin", heroes=0, players=match.players[:1])
    with pytest.raises(UsageError, match="one base"):
        structs.replace(tuning, heroes=0)


def test_match_is_one_pairing() -> None:
    settings = match_settings("mtdf", "pvs", pairs=7, limit=NODES, seed=3, name="first")
    assert settings.pairings == ((0, 1),)
    assert (settings.total_pairs, settings.seed, settings.name) == (7, 3, "first")
    assert settings.book.name == "balanced-20k"


@pytest.mark.parametrize(
    "settings",
    [
        match_settings("mtdf:weight=0.1234567,guess=blend", "pvs", pairs=7, limit=NODES),
        gauntlet_settings(
            ["mtdf:name=a"],
            ["mtdf:name=b", "pvs:entries=2^10"],
            pairs=9,
            limit=Limit(base_ms=1000, inc_ms=10),
            adjudication=Adjudication(None, None, None),
            order="sequential",
            start=17,
            repeat_openings=True,
            time_margin_ms=5,
        ),
    ],
)
def test_settings_survive_json(settings: EventSettings) -> None:
    data = json.loads(json.dumps(settings.to_json()))
    assert EventSettings.from_json(data) == settings


def test_players_become_their_variants() -> None:
    for text in (
        "mtdf:guess=blend,weight=0.1234567,hash=1,name=x",
        "pvs:null_move=off,window=3",
        "alphabeta",
    ):
        variant = parse_variant(text)
        assert Contender(variant).variant() == variant


def test_newer_parameter_gets_neutral_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variant = parse_variant("pvs")
    known = {name: v for name, v in variant.effective.items() if name != "check_extension"}
    new = structs.replace(PARAMETERS["check_extension"], neutral=False)
    monkeypatch.setitem(PARAMETERS, "check_extension", new)
    old = Contender(structs.replace(variant, effective=known))
    assert old.id == parse_variant("pvs:check_extension=off").identity
    assert old.variant().parameters["check_extension"] is False


def test_unknown_player_is_engine_problem() -> None:
    variant = parse_variant("pvs")
    neutral = {**variant.effective, "etc": 0}
    for changed, message in (
        ({"driver": "scout"}, "no driver scout"),
        ({"effective": {"clairvoyance": 3}}, "not known to this program"),
        ({"effective": neutral}, "changed since it was stored"),
    ):
        with pytest.raises(EngineProblem, match=message):
            Contender(structs.replace(variant, **changed)).variant()


def test_invalid_settings_are_refused_in_one_line(failing: Failing) -> None:
    def check(make: Callable[[], EventSettings], message: str) -> None:
        with pytest.raises(ValueError) as caught:
            make()
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    assert not failing(
        check,
        [
            (lambda: match_settings("pvs", "mtdf", pairs=0, limit=NODES), "pairs (0) must be"),
            (
                lambda: match_settings("pvs", "mtdf", pairs=-3, limit=NODES),
                "pairs (-3) must be",
            ),
            (
                lambda: match_settings("pvs", "mtdf", pairs=10**9, limit=NODES),
                "pairs (1000000000)",
            ),
            (lambda: match_settings("pvs", "mtdf", pairs=1, limit=NODES, seed=-1), "seed (-1)"),
            (lambda: match_settings("pvs", "mtdf", pairs=1, limit=NODES, seed=2**63), "seed ("),
            (
                lambda: match_settings("pvs", "mtdf", pairs=1, limit=Limit(nodes=0)),
                "nodes a move (0)",
            ),
            (
                lambda: match_settings("pvs", "mtdf", pairs=1, limit=Limit()),
                "a limit is missing",
            ),
            (
                lambda: match_settings("pvs", "mtdf", pairs=1, limit=NODES, name="a\nb"),
                "name of",
            ),
            (
                lambda: match_settings("pvs", "mtdf", pairs=1, limit=NODES, name="x" * 101),
                "name of",
            ),
            (
                lambda: match_settings("pvs", "pvs", pairs=1, limit=NODES),
                "`pvs` is given twice; to let it play itself, label one of them: pvs:name=other",
            ),
            (
                lambda: match_settings("pvs:window=5", "pvs:window=5", pairs=1, limit=NODES),
                "label one of them: pvs:window=5,name=other",
            ),
            (
                lambda: match_settings("pvs:name=a", "mtdf:name=a", pairs=1, limit=NODES),
                "two engines have the label `a`: pvs and mtdf",
            ),
            (lambda: gauntlet_settings([], ["pvs"], pairs=1, limit=NODES), "at least one hero"),
            (
                lambda: gauntlet_settings(["pvs"], [], pairs=1, limit=NODES),
                "at least one opponent",
            ),
            (
                lambda: match_settings("pvs", "mtdf", pairs=1, limit=NODES, start=20_001),
                "first opening (20001) must be from 1 to 20000",
            ),
            (
                lambda: match_settings("pvs", "mtdf", pairs=20_001, limit=NODES),
                "20001 pairs need 20001 openings and book balanced-20k has 20000",
            ),
            (
                lambda: match_settings("pvz", "mtdf", pairs=1, limit=NODES),
                "did you mean `pvs`?",
            ),
        ],
    )


def test_unknown_order_is_refused() -> None:
    data = match_settings("pvs", "mtdf", pairs=1, limit=NODES).to_json()
    with pytest.raises(DatabaseProblem, match="`\\$.book.order`"):
        EventSettings.from_json(data | {"book": data["book"] | {"order": "up"}})


def test_small_book_suffices_with_repeated_openings(small_book: Book) -> None:
    with pytest.raises(UsageError, match="repeat=on"):
        match_settings("pvs", "mtdf", pairs=4, limit=NODES, book=small_book)
    settings = match_settings(
        "pvs", "mtdf", pairs=4, limit=NODES, book=small_book, repeat_openings=True
    )
    assert settings.notices() == (
        "1 of 4 pairs repeats an opening; identical games will be counted once",
    )


def test_timed_event_may_repeat_openings(small_book: Book) -> None:
    settings = match_settings("pvs", "mtdf", pairs=4, limit=Limit(movetime_ms=9), book=small_book)
    assert settings.notices() == ("1 of 4 pairs repeats an opening",)


def test_opponents_may_share_lines_of_book(small_book: Book) -> None:
    settings = gauntlet_settings(
        ["pvs"], ["mtdf", "alphabeta"], pairs=3, limit=NODES, book=small_book
    )
    assert settings.notices() == ()


def test_one_engine_under_two_labels_is_reported() -> None:
    settings = match_settings("pvs:name=a", "pvs:name=b", pairs=1, limit=NODES)
    same = "`a` and `b` are the same engine under 2 labels"
    assert settings.notices() == (f"{same}; every pair of them is level",)


@pytest.mark.parametrize(
    ("engine", "notice"),
    [
        ("null_move=off", "`null_move` has no effect in draughts"),
        ("null_move=off,replies=9", "`null_move`, `replies` have no effect in draughts"),
        ("preset=claims,see_pruning=3", "`see_pruning` has no effect in draughts"),
        ("preset=plaat", None),
        ("probcut=0,late_move_pruning=0", None),
    ],
)
def test_parameters_without_effect_in_the_game_are_named(engine: str, notice: str | None) -> None:
    text = f"mtdf:game=draughts,{engine}"
    settings = match_settings(text, "pvs:game=draughts", pairs=1, limit=NODES)
    expected = () if notice is None else (f"`{settings.players[0].label}`: {notice}",)
    assert settings.notices() == expected


def test_unreadable_stored_settings_are_database_problem(failing: Failing) -> None:
    def check(change: dict[str, object]) -> None:
        data = match_settings("pvs", "mtdf", pairs=1, limit=NODES).to_json() | change
        with pytest.raises(DatabaseProblem, match=r"\A[^\n]+\Z"):
            EventSettings.from_json(data)

    assert not failing(
        check,
        zip(
            [
                {"version": 2},
                {"players": 3},
                {"pairs": 0},
                {"limit": {"hours": 1}},
                {"surprise": 1},
            ]
        ),
    )


def test_slice_is_stored_with_settings(small_book: Book) -> None:
    part = next(BookSlice(n, 2) for n in (1, 2) if openings_in(small_book, BookSlice(n, 2)))
    settings = match_settings("mtdf", "pvs", pairs=1, limit=NODES, book=small_book, book_slice=part)
    data = json.loads(json.dumps(settings.to_json()))
    assert data["book"]["slice"] == {"number": part.number, "slices": 2}
    assert data["book"]["lines"] == len(openings_in(small_book, part))
    assert data["book"]["id"] == small_book.id
    assert EventSettings.from_json(data) == settings


def test_settings_without_slice_keep_their_keys(small_book: Book) -> None:
    settings = match_settings("mtdf", "pvs", pairs=3, limit=NODES, book=small_book)
    data = settings.to_json()
    assert list(data["book"]) == ["id", "name", "source", "lines"]
    assert EventSettings.from_json(data).book.slice is None


def test_damaged_slice_is_refused(small_book: Book) -> None:
    data = match_settings("mtdf", "pvs", pairs=3, limit=NODES, book=small_book).to_json()
    data["book"]["slice"] = {"number": 4, "slices": 2}
    with pytest.raises(DatabaseProblem, match="damaged: book slice 4/2"):
        EventSettings.from_json(data)


def test_empty_slice_is_refused(small_book: Book) -> None:
    used = {slice_of(opening, 50) for opening in small_book.openings}
    empty = BookSlice(min(set(range(50)) - used) + 1, 50)
    sprt = SprtSettings.make(0, 10)
    message = f"book small slice {empty} has no openings"
    with pytest.raises(UsageError, match=message):
        match_settings("mtdf", "pvs", pairs=1, limit=NODES, book=small_book, book_slice=empty)
    with pytest.raises(UsageError, match=message):
        sprt_settings(
            *("mtdf", "pvs"),
            sprt=sprt,
            max_pairs=10,
            limit=NODES,
            book=small_book,
            book_slice=empty,
        )
