"""Players and their counted games equal a count over the listed games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from db.limits import limit_key
from db.records.engines import IMPORTED_BACKEND
from db.records.events import EventRecord
from db.session import Database
from engines.variant import parse_variant
from toolkit.events.players import record_of
from toolkit.selection.games import ChosenGames, Selection, choose
from toolkit.selection.players import (
    Mixing,
    PlayedGames,
    RatedPlayer,
    cores_apart,
    limits_of,
    player_names,
    read_games,
    sourced_games,
)

OLD, NEW = {"signature": "0" * 16}, {"signature": "f" * 16}
IMPORTED = {"backend": IMPORTED_BACKEND, "signature": ""}
OUTCOME = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}
PLAYERS = {"anna": "a" * 16, "bert": "b" * 16, "carl": "c" * 16, "twin": "a" * 16}
WIN, DRAW, LOSS = "1-0", "1/2-1/2", "0-1"
EVENTS: list[tuple[dict[str, int], list[list[tuple[Any, ...]]]]] = [
    (
        {"nodes": 1000},
        [
            [("anna", "bert", WIN, OLD), ("bert", "anna", DRAW, OLD)],
            [("anna", "bert", LOSS, NEW), ("bert", "anna", LOSS, NEW)],
            [("bert", "carl", DRAW, OLD), ("carl", "bert", WIN, OLD)],
            [("anna", "twin", WIN, OLD), ("twin", "anna", DRAW, OLD)],
            [("anna", "carl", WIN, OLD | {"game_key": "01"}), ("carl", "anna", DRAW, OLD)],
        ],
    ),
    (
        {"nodes": 50},
        [
            [("carl", "anna", WIN, OLD), ("anna", "carl", WIN, OLD)],
            # The second game of this pair repeats one of the first event.
            [("carl", "anna", LOSS, OLD), ("anna", "carl", WIN, OLD | {"game_key": "01"})],
        ],
    ),
    ({}, [[("bert", "carl", WIN, IMPORTED), ("carl", "bert", DRAW, IMPORTED)]]),
]
"""Limits and pairs. One game is a repetition, two are of an engine against itself."""
Joint = dict[tuple[str, str], list[int]]


@pytest.fixture
def stored(db: Database, store_event: Callable[..., EventRecord]) -> Database:
    """Those events."""
    for limit, pairs in EVENTS:
        store_event(db, PLAYERS, pairs, limit=limit)
    return db


def player(
    label: str, game: Mapping[str, Any], limit: Mapping[str, int], mixing: Mixing
) -> RatedPlayer:
    """Who has this label in a game."""
    core = game.get("backend", "native"), game["signature"]
    known = None if mixing.cores or core[0] == IMPORTED_BACKEND else core
    return RatedPlayer(PLAYERS[label], known, None if mixing.limits else limit_key(limit))


def counted(
    mixing: Mixing, keep: Callable[[str], bool]
) -> tuple[Counter[tuple[str, str, int]], Joint, int, int]:
    """Games by White, Black and outcome, whole pairs by both outcomes, repetitions, games of an
    engine against itself; one by one."""
    games: Counter[tuple[str, str, int]] = Counter()
    joint: Joint = {}
    keys: set[str] = set()
    repeated = own = 0
    for limit, pairs in EVENTS:
        for pair in pairs:
            outcomes = []
            for white, black, result, more in pair:
                if not (keep(white) and keep(black)):
                    continue
                key = more.get("game_key")
                if key in keys:
                    repeated += 1
                    continue
                keys |= {key} - {None}
                if PLAYERS[white] == PLAYERS[black]:
                    own += 1
                    continue
                names = [player(label, more, limit, mixing).id for label in (white, black)]
                games[(*names, OUTCOME[result])] += 1
                outcomes.append((names, OUTCOME[result]))
            if len(outcomes) == 2:
                (names, one), (_, other) = outcomes
                if names != sorted(names):
                    names, one, other = names[::-1], other, one
                joint.setdefault((names[0], names[1]), [0] * 9)[3 * one + other] += 1
    return games, joint, repeated, own


def told(found: PlayedGames) -> tuple[Counter[tuple[str, str, int]], Joint]:
    """The same of a table."""
    table = found.table
    names, games, pairs = table.players, table.games, table.pairs
    each: Counter[tuple[str, str, int]] = Counter()
    for k, (white, black) in enumerate(zip(games.white, games.black, strict=True)):
        for outcome in range(3):
            if number := int(games.counts[outcome, k]):
                each[names[white], names[black], outcome] = number
    joint = {
        (names[first], names[second]): pairs.joint[:, k].astype(int).tolist()
        for k, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True))
    }
    return each, joint


def one_by_one(
    db: Database, chosen: ChosenGames, found: PlayedGames, mixing: Mixing
) -> Counter[tuple[str, str, int]]:
    """The same games where each is read with its event."""
    games, names = sourced_games(db, chosen, found, mixing=mixing), found.table.players
    if not mixing.limits:
        limits = {event.id: limit for event, (limit, _) in zip(oldest(db), EVENTS, strict=True)}
        for white, event in zip(games.white.tolist(), games.event.tolist(), strict=True):
            assert found.known[names[white]].limit == limit_key(limits[event])
    return Counter(
        (names[white], names[black], result)
        for white, black, result in zip(
            games.white.tolist(), games.black.tolist(), games.result.tolist(), strict=True
        )
    )


def oldest(db: Database) -> list[EventRecord]:
    """The events in the order in which they were stored."""
    return sorted(db.repository.events(), key=lambda event: event.id)


@pytest.mark.parametrize("cores", [False, True])
@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("engines", [(), ("anna", "carl")])
def test_games_are_counted_by_engine_core_and_limit(
    cores: bool, limits: bool, engines: tuple[str, ...], stored: Database
) -> None:
    mixing = Mixing(cores=cores, limits=limits)
    found = read_games(stored, choose(stored, Selection(engines=engines)), mixing=mixing)
    games, joint, repeated, own = counted(mixing, lambda label: label in (engines or PLAYERS))
    assert told(found) == (games, joint)
    assert (found.excluded, found.self_games) == (repeated, own) == (1, 0 if engines else 2)
    assert found.table.players == tuple(sorted({name for row in games for name in row[:2]}))
    assert [one.id for one in found.players] == list(found.table.players)
    assert one_by_one(stored, choose(stored, Selection(engines=engines)), found, mixing) == games


def test_chosen_event_counts_only_its_games(stored: Database) -> None:
    second = stored.repository.events()[1]
    found = read_games(stored, choose(stored, Selection(events=(second,))))
    games, _ = told(found)
    # The game that one of them repeats is of the other event.
    assert sum(games.values()) == 4 and (found.excluded, found.self_games) == (0, 0)
    assert {one.limit for one in found.players} == {limit_key({"nodes": 50})}


def test_players_with_few_games_are_dropped(
    db: Database, store_event: Callable[..., EventRecord]
) -> None:
    """Games: anna 4, bert 6, carl 4, dora 2. Without dora, carl has 2."""
    met = [("anna", "bert"), ("anna", "bert"), ("bert", "carl"), ("carl", "dora")]
    pairs = [[(one, other, WIN, OLD), (other, one, DRAW, OLD)] for one, other in met]
    store_event(db, {name: name[0] * 16 for name in ("anna", "bert", "carl", "dora")}, pairs)
    chosen = choose(db, Selection())

    def left(least: int) -> tuple[str, int]:
        found = read_games(db, chosen, min_games=least)
        return "".join(one.identity[0] for one in found.players), found.below_minimum

    assert left(0) == left(1) == left(2) == ("abcd", 0)
    assert left(3) == left(4) == ("ab", 2)
    # At 5 only bert has enough, and nobody is left to meet him.
    assert left(5) == left(7) == ("", 4)


def test_players_differ_by_identity_core_and_limit() -> None:
    known = RatedPlayer("a" * 16, ("native", "f" * 16), limit_key({"nodes": 5}))
    assert known.core_text == "native:" + "f" * 16 and known.limit_data == {"nodes": 5}
    mixed = RatedPlayer("a" * 16, None, None)
    assert mixed.core_text is None and mixed.limit_data is None
    unknown = RatedPlayer("a" * 16, None, "{}")
    assert unknown.limit_data == {}
    other = RatedPlayer("a" * 16, ("native", "0" * 16), known.limit)
    assert len({one.id for one in (known, mixed, other, RatedPlayer("b" * 16, None, None))}) == 4
    limits = [RatedPlayer("a", None, limit_key({"nodes": n})) for n in (900, 1000, 50, 50)]
    assert limits_of([unknown, *limits, mixed]) == (
        *(limit_key({"nodes": n}) for n in (50, 900, 1000)),
        "{}",
    )
    assert cores_apart([known, mixed, other, RatedPlayer("b", ("native", "0"), None)]) == {
        "a" * 16: (("native", "0" * 16), ("native", "f" * 16))
    }


def test_names_distinguish_engines_and_cores(
    db: Database, store_event: Callable[..., EventRecord]
) -> None:
    old = [("anna", "bert", WIN, OLD), ("bert", "anna", WIN, OLD)]
    new = [("anna", "bert", WIN, NEW), ("bert", "anna", WIN, NEW)]
    store_event(db, {"anna": "a" * 16, "bert": "b" * 16, "twin": "a" * 16}, [old, new])
    old_carl = [("bert", "carl", WIN, OLD), ("carl", "bert", WIN, OLD)]
    other = store_event(db, {"bert": "d" * 16, "carl": "c" * 16}, [old_carl])

    def names(selection: Selection) -> set[str]:
        chosen = choose(db, selection)
        found = read_games(db, chosen)
        labels = player_names(db, chosen, found).labels
        assert set(labels) == set(found.table.players)
        return set(labels.values())

    first = db.repository.events()[0]
    assert names(Selection(events=(first,))) == {
        f"{label} @native:{digit * 8}" for label in ("anna = twin", "bert") for digit in "0f"
    }
    assert names(Selection(events=(other,))) == {"bert", "carl"}
    every = names(Selection())
    assert {"bert [dddddd]", "carl"} <= every
    assert {f"bert [bbbbbb] @native:{digit * 8}" for digit in "0f"} <= every
    assert len(every) == 6


def test_tables_show_differences_of_engines(
    db: Database, store_event: Callable[..., EventRecord]
) -> None:
    """`mtdf` beside `mtdf:hash=1` shows its table in tables, and not in data."""
    variants = [parse_variant(text) for text in ("mtdf", "mtdf:hash=1")]
    db.repository.add_variants(record_of(variant) for variant in variants)
    plain, other = (variant.label for variant in variants)
    players = {variant.label: variant.identity for variant in variants}
    store_event(db, players, [[(plain, other, WIN, OLD), (other, plain, WIN, OLD)]])
    chosen = choose(db, Selection())
    found = player_names(db, chosen, read_games(db, chosen))
    assert set(found.labels.values()) == {"mtdf", "mtdf:hash=1"}
    assert set(found.shown.values()) == {
        f"mtdf:hash={variants[0].parameters['hash']}",
        "mtdf:hash=1",
    }


def both_games(
    one: str, other: str, pair: int, results: tuple[str, str], **more: Any
) -> list[tuple[Any, ...]]:
    """A pair of games with a number of its own."""
    at = {"pair": pair, **more}
    return [(one, other, results[0], at), (other, one, results[1], at)]


HEROES = {"anna": "a" * 16, "bert": "b" * 16, "carl": "c" * 16}
SHARING = {"limit": {"nodes": 1000}, "openings": "shared"}
SHARED_PAIRS = [
    both_games("anna", "carl", 0, (WIN, DRAW), **OLD),
    both_games("bert", "carl", 0, (WIN, WIN), **NEW),  # another core, after a resume
    both_games("anna", "carl", 1, (LOSS, WIN), **OLD),
    both_games("carl", "bert", 1, (DRAW, WIN), **OLD),  # the other colours
    both_games("anna", "carl", 2, (WIN, WIN), game_key="0a", **OLD),  # the second game repeats
    both_games("bert", "carl", 2, (DRAW, DRAW), **OLD),
]


def clusters(found: PlayedGames) -> set[frozenset[tuple[str, str, str, str, int]]]:
    """Who met in each opening, with core and result of each pair."""
    shared = found.table.pairs.shared
    assert shared is not None
    by_opening: dict[int, set[tuple[str, str, str, str, int]]] = {}
    for opening, first, second, result in zip(
        shared.opening, shared.first, shared.second, shared.result, strict=True
    ):
        one, other = found.players[first], found.players[second]
        cores = ((one.core or "??")[1][:1], (other.core or "??")[1][:1])
        pair = (one.identity[0], cores[0], other.identity[0], cores[1], int(result))
        by_opening.setdefault(int(opening), set()).add(pair)
    return {frozenset(pairs) for pairs in by_opening.values()}


def test_shared_openings_are_known_for_every_core(
    db: Database, store_event: Callable[..., EventRecord]
) -> None:
    """A pair that does not count whole is none; an event without shared openings has none."""
    store_event(db, HEROES, SHARED_PAIRS, settings=SHARING)
    usual = [both_games("anna", "carl", k, (DRAW, WIN), **OLD) for k in range(2)]
    store_event(db, HEROES, usual)
    expected = {
        frozenset({("a", "0", "c", "0", 3 * 0 + 1), ("b", "f", "c", "f", 3 * 0 + 0)}),
        frozenset({("a", "0", "c", "0", 3 * 2 + 0), ("c", "0", "b", "0", 3 * 1 + 0)}),
        frozenset({("b", "0", "c", "0", 3 * 1 + 1)}),
    }
    assert clusters(read_games(db, choose(db, Selection()))) == expected


def test_events_do_not_share_openings_with_others(
    db: Database, store_event: Callable[..., EventRecord]
) -> None:
    rows = [both_games(hero, "carl", 0, (WIN, DRAW), **OLD) for hero in ("anna", "bert")]
    for _ in range(2):
        store_event(db, HEROES, rows, settings=SHARING)
    shared = read_games(db, choose(db, Selection())).table.pairs.shared
    assert shared is not None
    assert sorted(Counter(shared.opening.tolist()).values()) == [2, 2]


def test_pairs_of_dropped_player_leave_their_openings(
    db: Database, store_event: Callable[..., EventRecord]
) -> None:
    rows = [both_games("anna", "carl", k, (WIN, LOSS), **OLD) for k in range(3)]
    rows.append(both_games("bert", "carl", 1, (WIN, DRAW), **OLD))
    store_event(db, HEROES, rows, settings=SHARING)
    found = read_games(db, choose(db, Selection()), min_games=4)
    assert {one.identity[0] for one in found.players} == {"a", "c"}
    assert found.table.pairs.shared is not None
    assert found.table.pairs.shared.opening.size == 3
