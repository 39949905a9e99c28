"""Who scored what against whom: the crosstable, and two engines head to head."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from db.records import MeetingCounts, ScoreCounts
from toolkit.errors import NothingMatched, UsageError
from toolkit.played import PlayedGames, identity_of, player_labels, read_games
from toolkit.queries import resolve_engine
from toolkit.report_rows import CrosstableRow, HeadToHeadPart, HeadToHeadRow, SideCost
from toolkit.selection import Selection, choose

if TYPE_CHECKING:
    from db.session import Database


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Every two players who met, once each, and the players by their score."""

    rows: list[CrosstableRow]
    players: list[str]
    """Labels, the best share of points first."""
    excluded: int
    """Games left out because they repeat others."""
    apart: int
    """Engines that several cores played and that are several players."""


def crosstable(
    db: Database, selection: Selection | None = None, *, mix: bool = False
) -> Crosstable:
    """The crosstable of all games of the database, or of a choice; every distinct game counts once.

    Different cores of one engine are players of their own, unless they are mixed. Raises
    NothingMatched when there is no game between different engines.
    """
    chosen = choose(db, selection or Selection())
    games = read_games(db, chosen, mix=mix)
    if not games.encounters:
        raise NothingMatched(f"no game between different engines in {db.name}")
    labels = player_labels(db, chosen, games)
    points = _points(games)
    order = sorted(points, key=lambda player: (-points[player], labels[player]))
    place = {player: number for number, player in enumerate(order)}
    meetings: dict[tuple[str, str], _Meeting] = {}

    def meeting(one: str, other: str) -> _Meeting:
        return meetings.setdefault((one, other), _Meeting())

    for row in games.encounters:
        first_is_white = place[row.white_id] < place[row.black_id]
        pair = (row.white_id, row.black_id) if first_is_white else (row.black_id, row.white_id)
        meeting(*pair).add(row, first_is_white)
    for first, second, joint in games.pairs:
        turned = place[second] < place[first]
        entry = meeting(second, first) if turned else meeting(first, second)
        for number, count in enumerate(joint):
            scored = 2 - number // 3 + number % 3
            entry.pentanomial[4 - scored if turned else scored] += count
    rows = [
        entry.row(labels[one], labels[other], identity_of(one), identity_of(other))
        for (one, other), entry in sorted(
            meetings.items(), key=lambda item: (place[item[0][0]], place[item[0][1]])
        )
    ]
    return Crosstable(rows, [labels[player] for player in order], games.excluded, len(games.apart))


def head_to_head(
    db: Database, first: str, second: str, selection: Selection | None = None
) -> HeadToHeadRow:
    """All counted games of two engines, given by label, id or variant, from the first one's view.

    Raises UsageError for an engine that nobody knows, or one that is to meet itself; NothingMatched
    when they never met.
    """
    from toolkit.stats.match import match_statistics

    one, other = resolve_engine(db, first), resolve_engine(db, second)
    if one == other:
        raise UsageError(f"`{first}` and `{second}` are one engine")
    games = choose(db, selection or Selection()).games
    repository = db.repository
    counts = repository.meeting_counts(one, other, games)
    if not counts:
        raise NothingMatched(f"`{first}` and `{second}` have no game against each other")
    pentanomial = repository.meeting_pairs(one, other, games)
    whole = _part("", counts)
    trinomial = (whole["losses"], whole["draws"], whole["wins"])
    match = match_statistics(pentanomial if sum(pentanomial) else trinomial)
    return HeadToHeadRow(
        first=first,
        second=second,
        games=whole["games"],
        wins=whole["wins"],
        draws=whole["draws"],
        losses=whole["losses"],
        score=whole["score"],
        pentanomial=list(pentanomial),
        elo=match.elo,
        error95=match.elo_error95,
        los=match.los,
        unit=match.unit,
        by_colour=_parts(counts, lambda c: "white" if c.first_is_white else "black"),
        by_end_reason=_parts(counts, lambda c: c.end_reason),
        by_length=_parts(counts, _length, key=lambda c: c.length),
        by_opening=[
            _opening_part(o.book, o.line, o.wins, o.draws, o.losses)
            for o in repository.meeting_openings(one, other, games)
        ],
        costs=[_cost(first, counts, own=True), _cost(second, counts, own=False)],
        first_ids=sorted({c.first_id for c in counts}),
        second_ids=sorted({c.second_id for c in counts}),
        cores=sorted({f"{c.backend}:{c.signature}" for c in counts}),
    )


@dataclass(slots=True)
class _Meeting:
    """Counts of two players, from the first one's view."""

    as_white: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Wins, draws, losses of the first player with White."""
    as_black: list[int] = field(default_factory=lambda: [0, 0, 0])
    pentanomial: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])

    def add(self, row: ScoreCounts, first_is_white: bool) -> None:
        counts = row[2:] if first_is_white else row[:1:-1]
        table = self.as_white if first_is_white else self.as_black
        for number, count in enumerate(counts):
            table[number] += count

    def row(self, first: str, second: str, first_id: str, second_id: str) -> CrosstableRow:
        wins, draws, losses = map(sum, zip(self.as_white, self.as_black, strict=True))
        games = wins + draws + losses
        return CrosstableRow(
            first=first,
            second=second,
            games=games,
            wins=wins,
            draws=draws,
            losses=losses,
            score=(wins + draws / 2) / games,
            pentanomial=self.pentanomial,
            white_wins=self.as_white[0],
            white_draws=self.as_white[1],
            white_losses=self.as_white[2],
            black_wins=self.as_black[0],
            black_draws=self.as_black[1],
            black_losses=self.as_black[2],
            first_id=first_id,
            second_id=second_id,
        )


def _points(games: PlayedGames) -> dict[str, float]:
    """Share of the points of each player."""
    scored: dict[str, float] = {}
    played: dict[str, int] = {}
    for white, black, wins, draws, losses in games.encounters:
        number = wins + draws + losses
        for player, points in ((white, wins + draws / 2), (black, losses + draws / 2)):
            scored[player] = scored.get(player, 0.0) + points
            played[player] = played.get(player, 0) + number
    return {player: scored[player] / played[player] for player in scored}


def _parts(
    counts: Iterable[MeetingCounts],
    name: Callable[[MeetingCounts], str],
    *,
    key: Callable[[MeetingCounts], int] | None = None,
) -> list[HeadToHeadPart]:
    """The games by what ``name`` calls them, most games first, or in the order of ``key``."""
    groups: dict[str, list[MeetingCounts]] = {}
    for row in counts:
        groups.setdefault(name(row), []).append(row)
    parts = [(_part(text, rows), rows) for text, rows in groups.items()]
    if key is not None:
        parts.sort(key=lambda part: key(part[1][0]))
    else:
        parts.sort(key=lambda part: (-part[0]["games"], part[0]["part"]))
    return [part for part, _ in parts]


def _part(text: str, rows: Iterable[MeetingCounts]) -> HeadToHeadPart:
    points = [0, 0, 0]
    for row in rows:
        points[row.points] += row.games
    return _scored(text, points[2], points[1], points[0])


def _scored(text: str, wins: int, draws: int, losses: int) -> HeadToHeadPart:
    games = wins + draws + losses
    return HeadToHeadPart(
        part=text,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        score=(wins + draws / 2) / games,
    )


def _opening_part(
    book: str | None, line: int | None, wins: int, draws: int, losses: int
) -> HeadToHeadPart:
    text = "no book" if book is None else f"{book}:{line}"
    return _scored(text, wins, draws, losses)


def _length(row: MeetingCounts) -> str:
    return f"{row.length}-{row.length + 39} plies"


def _cost(engine: str, counts: Iterable[MeetingCounts], *, own: bool) -> SideCost:
    nodes = cpu_us = plies = games = 0
    for row in counts:
        nodes += row.first_nodes if own else row.second_nodes
        cpu_us += row.first_cpu_us if own else row.second_cpu_us
        plies += row.plies
        games += row.games
    return side_cost(engine, games, plies, nodes, cpu_us)


def side_cost(engine: str, games: int, plies: int, nodes: int, cpu_us: int) -> SideCost:
    """What the searches of one side cost. It made half of the plies."""
    return SideCost(
        engine=engine,
        games=games,
        nodes=nodes,
        cpu_us=cpu_us,
        nodes_per_move=2 * nodes / plies if plies and nodes else None,
        cpu_us_per_move=2 * cpu_us / plies if plies and cpu_us else None,
        nodes_per_second=1e6 * nodes / cpu_us if nodes and cpu_us else None,
    )
