"""Counts and filters against an oracle that looks at every game by itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace
from sqlalchemy import Select, false, literal_column, select, union_all, update

from db.errors import DatabaseCorrupt
from db.limits import limit_key
from db.queries.choice import ChoiceLike
from db.queries.columns import fetched
from db.records.engines import VariantRecord
from db.records.events import EventPlayerRecord, EventRecord, PairingScore
from db.records.games import GameChoice, GameColumns, GameFilter, GameRecord, PairColumns, Result
from db.repository import Repository
from db.schema.declared import EVENT
from db.session import Database, open_database

POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
LABELS = ("anna", "bert", "carl")


@dataclass(frozen=True)
class PlannedPair:
    """One pair as a test draws it."""

    event: int
    players: tuple[int, int]
    colours: bool
    results: tuple[Result, Result]
    keys: tuple[str | None, str | None]
    core: int = 0
    day: int = 1


RESULTS: tuple[Result, ...] = ("1-0", "0-1", "1/2-1/2")
KEYS = (None, "01", "02", "03", "04")
PLAYERS = ((0, 1), (0, 2), (1, 2), (1, 0))
SIZES = (0, 1, 6, 9, 12, 12)
"""Numbers of pairs of the databases that the tests look at."""


def drawn_pair(rng: random.Random) -> PlannedPair:
    """Any pair; of two games, some have a key that others have too."""
    return PlannedPair(
        event=rng.randrange(3),
        players=rng.choice(PLAYERS),
        colours=rng.random() < 0.5,
        results=(rng.choice(RESULTS), rng.choice(RESULTS)),
        keys=(rng.choice(KEYS), rng.choice(KEYS)),
        core=rng.randrange(2),
        day=rng.randrange(1, 4),
    )


SIGNATURES = ("0123456789abcdef", "fedcba9876543210")
# Event 1 has a variant under two labels; event 2 has the first event's players in reverse.
VARIANTS = ("aaa", "bbb", "ccc"), ("aaa", "aaa", "ccc"), ("ccc", "bbb", "aaa")


@dataclass
class World:
    """A filled database, the same games as a list, and their events."""

    database: Database
    games: list[GameRecord]
    events: list[EventRecord]


def pairing_of(players: tuple[int, int]) -> int:
    """Pairings of three players, numbered against the order of the players."""
    return [(1, 2), (0, 2), (0, 1)].index((min(players), max(players)))


def played(
    plan: PlannedPair, event: EventRecord, number: int, game: GameRecord
) -> list[GameRecord]:
    """The two games of a drawn pair."""
    games = []
    for index in range(2):
        white, black = plan.players if plan.colours == (index == 0) else plan.players[::-1]
        ids = VARIANTS[plan.event]
        games.append(
            replace(
                game,
                event_id=event.id,
                pairing=pairing_of(plan.players),
                pair=number,
                game=index + 1,
                white=LABELS[white],
                black=LABELS[black],
                white_id=ids[white],
                black_id=ids[black],
                book_id=None,
                opening_line=None,
                result=plan.results[index],
                game_key=plan.keys[index],
                signature=SIGNATURES[plan.core],
                started_at=f"2026-11-0{plan.day}T10:00:00.000Z",
            )
        )
    return games


def fill(
    database: Database,
    plans: Sequence[PlannedPair],
    make_event: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
) -> World:
    """Store the pairs in their order, in three events."""
    repository = database.repository
    repository.add_variants(
        VariantRecord(name, "native", name, {}, name) for name in ("aaa", "bbb", "ccc")
    )
    events = [
        repository.create_event(
            make_event(), [EventPlayerRecord(i, LABELS[i], ids[i]) for i in range(3)]
        )
        for ids in VARIANTS
    ]
    games: list[GameRecord] = []
    for number, plan in enumerate(plans):
        # Pairs are stored in another order than that of the schedule.
        both = played(plan, events[plan.event], 7 * number % 13, make_game(0, 0, 0, 1))
        repository.commit_pairs(events[plan.event].id, [both])
        games += both
    return World(database, sorted(games, key=place_of), events)


@pytest.fixture(scope="module")
def worlds(
    tmp_path_factory: pytest.TempPathFactory,
    copy_empty: Callable[[Path], Path],
    make_event: Callable[..., EventRecord],
    make_game: Callable[..., GameRecord],
) -> Iterator[list[World]]:
    """Databases of random pairs."""
    folder = tmp_path_factory.mktemp("worlds")
    with ExitStack() as stack:
        made = []
        for number, size in enumerate(SIZES):
            rng = random.Random(number)
            path = copy_empty(folder / f"{number}.db")
            database = stack.enter_context(open_database(path))
            plans = [drawn_pair(rng) for _ in range(size)]
            made.append(fill(database, plans, make_event, make_game))
        yield made


def place_of(game: GameRecord) -> tuple[int, int, int, int]:
    """Where a game stands in the order of all."""
    return game.event_id, game.pairing, game.pair, game.game


def distinct(games: Sequence[GameRecord]) -> list[GameRecord]:
    """The games, in their order, without those whose key was there before."""
    found: list[GameRecord] = []
    for game in games:
        if game.game_key is None or game.game_key not in {g.game_key for g in found}:
            found.append(game)
    return found


def whole_pairs(games: Sequence[GameRecord]) -> list[tuple[GameRecord, GameRecord]]:
    """Pairs of which both games count."""
    counted = [place_of(game) for game in distinct(games)]
    pairs = zip(games[::2], games[1::2], strict=True)
    return [pair for pair in pairs if all(place_of(game) in counted for game in pair)]


def own_points(games: Sequence[GameRecord], own: Callable[[GameRecord], bool]) -> int:
    """Half points of whoever ``own`` says has White."""
    return sum(POINTS[g.result] if own(g) else 2 - POINTS[g.result] for g in games)


Table = dict[tuple[str, str], list[int]]
"""Numbers by who had White, in the first game of a pair, and by who had Black."""


def expected_scores(games: Sequence[GameRecord]) -> Table:
    """White's wins, draws and Black's wins, game by game."""
    table: Table = {}
    for game in games:
        row = table.setdefault((game.white_id, game.black_id), [0, 0, 0])
        row[2 - POINTS[game.result]] += 1
    return table


def expected_by_core(games: Sequence[GameRecord]) -> dict[tuple[str, str], Table]:
    """Scores, core by core; which games count is decided over all of them."""
    found = {}
    for signature in {game.signature for game in distinct(games)}:
        own = [game for game in distinct(games) if game.signature == signature]
        found["native", signature] = expected_scores(own)
    return found


def expected_joint(games: Sequence[GameRecord]) -> Table:
    """Both results of each pair, 0 to 2 from White's win to Black's."""
    table: Table = {}
    for one, two in whole_pairs(games):
        place = 3 * (2 - POINTS[one.result]) + 2 - POINTS[two.result]
        table.setdefault((one.white_id, one.black_id), [0] * 9)[place] += 1
    return table


def stored_scores(columns: GameColumns) -> dict[tuple[str, str], Table]:
    """The same as :func:`expected_scores` by core; the players have one limit."""
    found: dict[tuple[str, str], Table] = {}
    names = [player.identity for player in columns.players]
    rows = (columns.core, columns.white, columns.black, columns.counts.T)
    for core, white, black, counts in zip(*(row.tolist() for row in rows), strict=True):
        found.setdefault(columns.cores[core], {})[names[white], names[black]] = counts
    return found


def stored_joint(pairs: PairColumns) -> Table:
    """The same as :func:`expected_joint`."""
    names = [player.identity for player in pairs.players]
    rows = (pairs.first.tolist(), pairs.second.tolist(), pairs.joint.T.tolist())
    return {(names[one], names[two]): joint for one, two, joint in zip(*rows, strict=True)}


def check_pairing(score: PairingScore, games: Sequence[GameRecord]) -> None:
    """One row of a running event against the games of the event."""
    here = [g for g in games if g.pairing == score.pairing]
    own = [g for g in distinct(games) if g.pairing == score.pairing]
    points = Counter(own_points([g], lambda g: g.white == score.first) for g in own)
    assert (score.wins, score.draws, score.losses) == (points[2], points[1], points[0])
    assert score.pairs == len(here) // 2
    assert score.excluded == len(here) - len(own)
    assert score.first < score.second, "labels are in the order of positions"
    pentanomial = Counter(
        own_points(pair, lambda g: g.white == score.first)
        for pair in whole_pairs(games)
        if pair[0].pairing == score.pairing
    )
    assert list(score.pentanomial) == [pentanomial[i] for i in range(5)]


def test_counts_are_those_of_the_games(worlds: list[World]) -> None:
    for number, world in enumerate(worlds):
        rng = random.Random(number)
        repository = world.database.repository
        ids = [event.id for event in world.events]
        some = rng.sample(ids, rng.randrange(4))
        others = [event_id for event_id in ids if event_id not in some]
        choices: list[tuple[ChoiceLike, list[int]]] = [(None, ids), (some, some)]
        choices += [(GameChoice(without_events=tuple(some)), others)]
        for chosen, wanted in choices:
            games = [g for g in world.games if g.event_id in wanted]
            assert stored_joint(repository.pair_columns(chosen)) == expected_joint(games), number
            columns, pairs = repository.games_and_pairs(chosen)
            assert stored_joint(pairs) == expected_joint(games), number
            assert stored_scores(columns) == expected_by_core(games), number
            assert repository.excluded_games(chosen) == len(games) - len(distinct(games)), number
        for event in world.events:
            scores = repository.event_pair_scores(event.id)
            here = [g for g in world.games if g.event_id == event.id]
            assert [s.pairing for s in scores] == sorted({g.pairing for g in here})
            for score in scores:
                check_pairing(score, here)


def test_counts_of_a_choice_by_date_and_core(worlds: list[World]) -> None:
    first, second = (event.id for event in worlds[0].events[:2])
    assert all(world.events[1].id == second for world in worlds)
    day = [f"2026-11-0{day}T10:00:00.000Z" for day in range(4)]
    own, other = (("native", signature) for signature in SIGNATURES)
    choices = (
        GameChoice(since=day[2]),
        GameChoice(until=day[2]),
        GameChoice(since=day[2], until=day[3]),
        GameChoice(core=own),
        GameChoice(event_ids=(first,), until=day[3]),
        GameChoice(without_events=(second,), core=other),
        GameChoice(without_events=(second,), since=day[2]),
        GameChoice(event_ids=(first,), since=day[1], until=day[3], core=other),
    )
    for number, world in enumerate(worlds[-2:]):
        repository = world.database.repository
        for choice in choices:
            games = [
                game
                for game in world.games
                if (choice.event_ids is None or game.event_id in choice.event_ids)
                and game.event_id not in choice.without_events
                and (choice.since is None or game.started_at >= choice.since)
                and (choice.until is None or game.started_at < choice.until)
                and (choice.core is None or game.signature == choice.core[1])
            ]
            told = f"{number}: {choice}"
            assert stored_joint(repository.pair_columns(choice)) == expected_joint(games), told
            columns, pairs = repository.games_and_pairs(choice)
            assert stored_scores(columns) == expected_by_core(games), told
            assert stored_joint(pairs) == expected_joint(games), told
            assert repository.excluded_games(choice) == len(games) - len(distinct(games)), told
            check_meeting(repository, choice, games)


def check_meeting(repository: Repository, choice: GameChoice, games: Sequence[GameRecord]) -> None:
    """Two labels head to head against the games."""
    own = [g for g in distinct(games) if {g.white, g.black} == {"anna", "bert"}]
    points: Counter[tuple[int, bool, str]] = Counter()
    plies = 0
    for row in repository.meeting_counts("anna", "bert", choice):
        points[row.points, row.first_is_white, row.signature] += row.games
        plies += row.first_plies + row.second_plies
    assert points == Counter(
        (own_points([g], lambda g: g.white == "anna"), g.white == "anna", g.signature) for g in own
    )
    assert plies == sum(game.plies for game in own)
    pairs = Counter(
        own_points(pair, lambda g: g.white == "anna")
        for pair in whole_pairs(games)
        if {pair[0].white, pair[0].black} == {"anna", "bert"}
    )
    assert repository.meeting_pairs("anna", "bert", choice) == tuple(pairs[i] for i in range(5))


def test_games_of_each_player(worlds: list[World]) -> None:
    for number, world in enumerate(worlds):
        first = world.events[0].id
        others = [game for game in world.games if game.event_id != first]
        for choice, games in (
            (GameChoice(), world.games),
            (GameChoice(without_events=(first,)), others),
        ):
            wanted = Counter(
                player for game in distinct(games) for player in {game.white_id, game.black_id}
            )
            assert world.database.repository.player_games(choice) == wanted, number


def test_statistics_of_an_event(
    database: Database, event: EventRecord, make_game: Callable[..., GameRecord]
) -> None:
    """Each player's games by colour, points and end reason, against counting the games."""
    drawn = random.Random(0)
    assert database.repository.event_counts(event.id) == []
    for pair in range(24):
        games = [
            make_game(
                *(event.id, 0, pair, game),
                result=drawn.choice(["1-0", "0-1", "1/2-1/2"]),
                end_reason=drawn.choice(["checkmate", "stalemate"]),
                plies=(plies := drawn.randrange(1, 20_000)),
                moves=bytes(2 * plies),
                start_fen=drawn.choice(["one w - - 0 1", "other b - - 0 1"]),
                white_nodes=drawn.choice([0, 1, 2**58 + 1]),
                black_nodes=drawn.choice([0, 7]),
                white_cpu_us=drawn.randrange(100),
                game_key=drawn.choice([None, "01", "02"]),
                **drawn.choice([{}, {"book_id": None, "opening_line": None}]),
            )
            for game in (1, 2)
        ]
        database.repository.commit_pairs(event.id, [games])
    wanted: dict[tuple[str, bool, int, str], list[int]] = {}
    for game in database.repository.games():
        white_plies = (game.plies + (" w " in game.start_fen)) // 2
        sides = (
            (game.white, True, white_plies, game.white_nodes, game.white_cpu_us),
            (game.black, False, game.plies - white_plies, game.black_nodes, game.black_cpu_us),
        )
        for label, is_white, own_plies, nodes, cpu_us in sides:
            points = POINTS[game.result] if is_white else 2 - POINTS[game.result]
            row = wanted.setdefault(
                (label, is_white, points, game.end_reason), [0, 0, 10**9, 0, 0, 0, 0, 0]
            )
            row[2], row[3] = min(row[2], game.plies), max(row[3], game.plies)
            new = (1, not game.counted, 0, 0, game.plies, own_plies if nodes else 0, nodes, cpu_us)
            for place, number in enumerate(new):
                row[place] += number
    found = {
        (row.player, row.is_white, row.points, row.end_reason): list(structs.astuple(row)[4:])
        for row in database.repository.event_counts(event.id)
    }
    assert found == wanted


def test_invalid_number_is_damage(
    tmp_path: Path, copy_empty: Callable[[Path], Path], fill_database: Callable[..., EventRecord]
) -> None:
    with open_database(copy_empty(tmp_path / "mtdf.db")) as database:
        fill_database(database)
        with database._store.read() as connection:
            for value in ("1.5", "'x'", "NULL", "'1,2'"):
                query: Select[Any] = select(literal_column(f"{value}").label("n"))
                with pytest.raises(DatabaseCorrupt):
                    fetched(connection, query)
            numbers = (1 - 2**63, 0, 2**63 - 1)
            rows = union_all(*(select(literal_column(str(n)).label("n")) for n in numbers))
            table = fetched(connection, select(rows.subquery()))
            assert table.tolist() == [[1 - 2**63, 0, 2**63 - 1]]
            assert fetched(connection, select(EVENT.c.id, EVENT.c.seed).where(false())).shape == (
                2,
                0,
            )


def test_repetitions_are_of_the_first_game_of_their_key(worlds: list[World]) -> None:
    for number, world in enumerate(worlds):
        games = list(world.database.repository.games())
        first = {game.game_key: game.id for game in reversed(games)}
        for game in games:
            repeats = game.game_key is not None and first[game.game_key] != game.id
            assert game.repeats == (first[game.game_key] if repeats else None), number


def matches(game: GameRecord, counted: bool, wanted: GameFilter) -> bool:
    """Whether a filter lets a game pass, by its documentation."""
    left_out = wanted.chosen.without_events
    if wanted.event_id not in (None, game.event_id) or game.event_id in left_out:
        return False
    if wanted.counted_only and not counted:
        return False
    white, black = (game.white, game.white_id), (game.black, game.black_id)
    points = POINTS[game.result]
    score = {"win": 2, "draw": 1, "loss": 0, None: None}[wanted.result]
    if wanted.engine is None:
        return score in (None, points)
    return any(
        wanted.engine in own
        and (wanted.opponent is None or wanted.opponent in other)
        and score in (None, own_score)
        for own, other, own_score in ((white, black, points), (black, white, 2 - points))
    )


NAMES = [None, "anna", "bert", "carl", "aaa", "bbb", "ccc", "nobody"]


def test_filters_pick_the_games_in_order(
    worlds: list[World], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, world in enumerate(worlds):
        rng = random.Random(number)
        repository = world.database.repository
        ids = [event.id for event in world.events]
        monkeypatch.setattr("db.queries.games._PAGE", 1 + number % 5)
        counted = [place_of(game) for game in distinct(world.games)]
        for _ in range(6):
            engine = rng.choice(NAMES)
            wanted = GameFilter(
                event_id=rng.choice([None, *ids]),
                chosen=GameChoice(without_events=tuple(rng.sample(ids, rng.randrange(2)))),
                engine=engine,
                opponent=rng.choice(NAMES) if engine else None,
                result=rng.choice([None, "win", "loss", "draw"]),
                counted_only=rng.random() < 0.5,
                limit=rng.choice([None, *range(7)]),
            )
            expected = [g for g in world.games if matches(g, place_of(g) in counted, wanted)]
            assert repository.count_games(wanted) == len(expected), wanted
            found = [replace(game, id=0, repeats=None) for game in repository.games(wanted)]
            assert found == expected[: wanted.limit], wanted


def test_one_game_by_its_id(worlds: list[World]) -> None:
    repository = worlds[-1].database.repository
    everything = list(repository.games())
    assert len(everything) == 24
    for game in everything:
        assert list(repository.games(GameFilter(game_id=game.id))) == [game]
    assert list(repository.games(GameFilter(game_id=99))) == []


def test_players_are_variants_under_limits(worlds: list[World]) -> None:
    """The third event has another limit; that of the second is the first one's in another order."""
    limits = ({"nodes": 5, "depth": 3}, {"depth": 3, "nodes": 5}, {"nodes": 6})
    for world in worlds[::2]:
        set_limits(world, limits)
        try:
            check_players_under_limits(world, [limit_key(limit) for limit in limits])
        finally:
            set_limits(world, [event.settings["limit"] for event in world.events])


def set_limits(world: World, limits: Sequence[Mapping[str, Any]]) -> None:
    with world.database.repository._store.write() as connection:
        for event, limit in zip(world.events, limits, strict=True):
            values = {"settings": {**event.settings, "limit": limit}}
            connection.execute(update(EVENT).where(EVENT.c.id == event.id).values(values))


def check_players_under_limits(world: World, keys: Sequence[str]) -> None:
    of_event = {event.id: key for event, key in zip(world.events, keys, strict=True)}
    wanted = Counter(
        (game.white_id, game.black_id, of_event[game.event_id]) for game in distinct(world.games)
    )
    columns, _ = world.database.repository.games_and_pairs()
    assert list(columns.players) == sorted(set(columns.players))
    found: Counter[tuple[str, str, str]] = Counter()
    sides = zip(columns.white.tolist(), columns.black.tolist(), strict=True)
    for (white, black), counts in zip(sides, columns.counts.T.tolist(), strict=True):
        one, two = columns.players[white], columns.players[black]
        assert one.limit == two.limit, "both players of an event have its limit"
        found[one.identity, two.identity, one.limit] += sum(counts)
    assert found == wanted
    rows = world.database.repository.meeting_counts("anna", "bert")
    met = Counter[str]()
    for row in rows:
        met[row.first_limit] += row.games
    own = [g for g in distinct(world.games) if {g.white, g.black} == {"anna", "bert"}]
    assert met == Counter(of_event[game.event_id] for game in own)
    for key in set(keys):
        of_limit = [game for game in world.games if of_event[game.event_id] == key]
        pairs = [
            pair
            for pair in whole_pairs(world.games)
            if pair[0] in of_limit and {pair[0].white, pair[0].black} == {"anna", "bert"}
        ]
        counted = world.database.repository.meeting_pairs("anna", "bert", None, (key, key))
        assert sum(counted) == len(pairs)
