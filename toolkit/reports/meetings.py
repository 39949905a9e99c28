"""Two engines head to head."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct, structs
from msgspec.structs import replace

from db.records.engines import IMPORTED_BACKEND, Core
from db.records.games import GameChoice, MeetingCounts
from engines.limit import limit_of_key, order_of_limit, spell_limit, spell_limits
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.format import format_core
from toolkit.reports.sprt import SprtRow, sprt_from_counts
from toolkit.selection.engines import in_other_games, matching_engines
from toolkit.selection.games import Selection, choose
from toolkit.selection.labels import marked_label
from toolkit.selection.named_players import NamedPlayer, named_player
from toolkit.selection.openings import opening_name

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.selection.sequential import SprtSettings


LimitKeys = tuple[str, str]
"""Keys of the limits of both players."""


class HeadToHeadPart(Struct, frozen=True):
    """A part of the games of two engines, from the point of view of the first."""

    part: Annotated[
        str,
        "`white` or `black`, an end reason, a range of plies, or `BOOK:LINE` or a start position",
    ]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    first_limit: Annotated[dict[str, Any] | None, "limit of the first engine, as in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "limit of the second engine"]
    core: Annotated[str | None, "`backend:signature`; null if there are several or it is unknown"]


class SideCost(Struct, frozen=True):
    """The search cost of one engine. For imported games, only nodes may be known."""

    engine: Annotated[str, "label"]
    games: Annotated[int, "games"]
    nodes: Annotated[int | None, "nodes searched in all games; null if unknown"]
    cpu_us: Annotated[int | None, "CPU time of all searches in microseconds; null if unknown"]
    nodes_per_move: Annotated[float | None, "mean nodes per move of this engine; null if unknown"]
    cpu_us_per_move: Annotated[
        float | None, "mean CPU time per move in microseconds; null if unknown"
    ]
    nodes_per_second: Annotated[float | None, "nodes per second of CPU time"]


class HeadToHeadRow(Struct, frozen=True):
    """All counted games of two engines, from the point of view of the first."""

    first: Annotated[str, "first engine, as given"]
    second: Annotated[str, "second engine, as given"]
    games: Annotated[int, "games counted"]
    wins: Annotated[int, "games won by the first engine"]
    draws: Annotated[int, "draws"]
    losses: Annotated[int, "games lost by the first engine"]
    score: Annotated[float, "mean score of the first engine, 0 to 1"]
    pentanomial: Annotated[
        list[int], "complete pairs in which the first engine scored 0, 1/2, 1, 3/2, 2 points"
    ]
    elo: Annotated[float, "Elo difference"]
    error95: Annotated[float, "half the width of its 95 % interval"]
    low95: Annotated[float | None, "lower end of the interval; null if open"]
    high95: Annotated[float | None, "upper end of the interval; null if open"]
    los: Annotated[float, "likelihood of superiority of the first engine, 0 to 1"]
    nelo: Annotated[float, "normalized Elo"]
    nelo_error95: Annotated[float, "half the width of its 95 % interval"]
    draw_ratio: Annotated[float, "share of units with half the points"]
    pairs_ratio: Annotated[float | None, "pairs won over pairs lost"]
    unit: Annotated[str, "unit of the Elo estimate: `pair`, or `game` if there is no complete pair"]
    test: Annotated[
        SprtRow | None, "with `--elo0` or `--elo1`: the result of `sprt calc` for these games"
    ]
    by_colour: Annotated[list[HeadToHeadPart], "by the colour of the first engine"]
    by_end_reason: Annotated[list[HeadToHeadPart], "by end reason"]
    by_length: Annotated[list[HeadToHeadPart], "by length, in steps of 40 plies"]
    by_opening: Annotated[list[HeadToHeadPart], "by book line"]
    costs: Annotated[list[SideCost], "search costs of both engines"]
    first_ids: Annotated[list[str], "identities of the variants of the first engine"]
    second_ids: Annotated[list[str], "identities of the variants of the second engine"]
    cores: Annotated[list[str], "`backend:signature` of every core that played these games"]
    first_limit: Annotated[dict[str, Any] | None, "limit of the first engine, as in `ratings`"]
    second_limit: Annotated[dict[str, Any] | None, "limit of the second engine"]


def head_to_head(
    db: Database,
    first: str,
    second: str,
    selection: Selection | None = None,
    *,
    sprt: SprtSettings | None = None,
    mix: bool = False,
    mix_limits: bool = False,
) -> HeadToHeadRow:
    """All counted games of two engines, given by label, pattern, id or variant, from the first
    one's point of view. A label of several engines that met is refused without ``mix``, as are
    games of several cores. Games under several limits are refused without ``mix_limits``.
    :func:`heads_to_heads` reports all of them, and a name may select one, as in ``pvs@nodes=2000``
    or ``pvs @native:6a9f2c64``.

    ``sprt``: also test whether the first is better. The test counts pairs; it counts games if
    requested or if there is no complete pair. Raises UsageError for an engine against itself, a
    label of several engines, games of several cores or limits, or an invalid test; NothingMatched
    for an unknown engine, and if the two never met.
    """
    rows = heads_to_heads(db, first, second, selection, sprt=sprt, mix=mix, mix_limits=mix_limits)
    if len(rows) > 1:
        raise UsageError(_choose_one(named_player(db, first), rows))
    return rows[0]


def _choose_one(first: NamedPlayer, rows: Sequence[HeadToHeadRow]) -> str:
    """That two engines met under several conditions, and how to name one of them."""
    limits = list(dict.fromkeys(spell_limits(row.first_limit, row.second_limit) for row in rows))
    cores = sorted({format_core(row.cores[0]) for row in rows})
    met, options = [], []
    if len(limits) > 1:
        met.append(f"under {len(limits)} limits, {' or '.join(f'`{one}`' for one in limits)}")
        options.append("--mix-limits")
        own = rows[0].first_limit
        first = replace(first, limit=first.limit if own is None else spell_limit(own))
    if len(cores) > 1:
        met.append(f"with {len(cores)} cores, {' or '.join(f'`{one}`' for one in cores)}")
        options.append("--mix")
        first = replace(first, core=format_core(rows[0].cores[0]))
    return (
        f"`{rows[0].first}` and `{rows[0].second}` met {' and '.join(met)}: choose one, as "
        f"in `{first}`, or mix them with {' and '.join(options)}"
    )


def heads_to_heads(
    db: Database,
    first: str,
    second: str,
    selection: Selection | None = None,
    *,
    sprt: SprtSettings | None = None,
    mix: bool = False,
    mix_limits: bool = False,
) -> list[HeadToHeadRow]:
    """:func:`head_to_head` once per limit under which the two met, lowest first, and per core.
    ``mix_limits`` adds up all limits, ``mix`` all cores."""
    selection = selection or Selection()
    both = (named_player(db, first, selection.game), named_player(db, second, selection.game))
    first, second = map(str, both)
    one, other = (matching_engines(db, named.engine) for named in both)
    if one == other:
        raise UsageError(f"`{first}` and `{second}` are one engine")
    games = choose(db, selection, one_game=mix).games
    counts = db.repository.meeting_counts(one, other, games)
    if not counts:
        elsewhere = bool(db.repository.meeting_counts(one, other, GameChoice()))
        hint = " among these" if elsewhere else ""
        if selection.events or not elsewhere:
            hint += in_other_games(db, *(named.engine for named in both))
        raise NothingMatched(f"`{first}` and `{second}` have no game against each other{hint}")
    groups = _by_conditions(counts, both, mix=mix, mix_limits=mix_limits)
    if not groups:
        raise NothingMatched(
            f"`{first}` and `{second}` have no games with this core or limit: leave them out"
        )
    if not mix:
        met = [row for rows in groups.values() for row in rows]
        _refuse_several(both[0].engine, {row.first_id for row in met})
        _refuse_several(both[1].engine, {row.second_id for row in met})
    meeting = _HeadToHead(db, first, second, one, other, games, sprt)
    return [meeting.row(groups[each], each) for each in sorted(groups, key=_Conditions.order)]


class _Conditions(Struct, frozen=True):
    """The common conditions of games of two engines that are reported together."""

    limits: LimitKeys | None
    """None: they may have had any."""
    core: Core | None
    """None: any, which may be the only one."""

    def order(self) -> tuple[Any, ...]:
        """What they are listed by."""
        return [order_of_limit(limit) for limit in self.limits or ()], self.core or ()


def _core(row: MeetingCounts) -> Core:
    return row.backend, row.signature


def _by_conditions(
    counts: Sequence[MeetingCounts],
    named: tuple[NamedPlayer, NamedPlayer],
    *,
    mix: bool,
    mix_limits: bool,
) -> dict[_Conditions, list[MeetingCounts]]:
    """The games of the two named engines, by conditions. Conditions in a name are not mixed."""
    mix = len({_core(row) for row in counts}) == 1 or (mix and not any(one.core for one in named))
    mix_limits = mix_limits and not any(one.limit for one in named)
    groups: dict[_Conditions, list[MeetingCounts]] = {}
    for row in counts:
        core, limits = _core(row), (row.first_limit, row.second_limit)
        if all(one.had(core, limit) for one, limit in zip(named, limits, strict=True)):
            key = _Conditions(None if mix_limits else limits, None if mix else core)
            groups.setdefault(key, []).append(row)
    return groups


class _ToldConditions(Struct, frozen=True):
    """Conditions, as in every part of a report."""

    first_limit: dict[str, Any] | None
    second_limit: dict[str, Any] | None
    """The fields of a limit; None if limits are mixed."""
    core: str | None

    @classmethod
    def of(cls, limits: LimitKeys | None, counts: Iterable[MeetingCounts]) -> _ToldConditions:
        """Of these games, whose limits are None if they are mixed."""
        first, second = (None, None) if limits is None else map(limit_of_key, limits)
        cores = {_core(row) for row in counts}
        known = len(cores) == 1 and all(backend != IMPORTED_BACKEND for backend, _ in cores)
        return cls(first, second, ":".join(cores.pop()) if known else None)


class _HeadToHead(Struct, frozen=True):
    """Two engines whose games are reported."""

    db: Database
    first: str
    second: str
    """As given by the user."""
    one: tuple[str, ...]
    other: tuple[str, ...]
    """As the database knows them."""
    games: GameChoice
    sprt: SprtSettings | None

    def row(self, counts: Sequence[MeetingCounts], met: _Conditions) -> HeadToHeadRow:
        """Their games under these conditions, whose counts are given."""
        from toolkit.stats.match import match_statistics

        games = self.games if met.core is None else structs.replace(self.games, core=met.core)
        where = (self.one, self.other, games, met.limits)
        pentanomial = self.db.repository.meeting_pairs(*where)
        data = _ToldConditions.of(met.limits, counts)
        whole = _part("", counts, data)
        trinomial = (whole.losses, whole.draws, whole.wins)
        match = match_statistics(pentanomial if sum(pentanomial) else trinomial)
        openings = [
            _scored(opening_name(o), o.wins, o.draws, o.losses, data)
            for o in self.db.repository.meeting_openings(*where)
        ]
        row = HeadToHeadRow(
            first=self.first,
            second=self.second,
            games=whole.games,
            wins=whole.wins,
            draws=whole.draws,
            losses=whole.losses,
            score=whole.score,
            pentanomial=list(pentanomial),
            elo=match.elo,
            error95=match.elo_error95,
            low95=match.elo_low95,
            high95=match.elo_high95,
            los=match.los,
            nelo=match.nelo,
            nelo_error95=match.nelo_error95,
            draw_ratio=match.draw_ratio,
            pairs_ratio=match.pairs_ratio,
            unit=match.unit,
            test=self._test(trinomial, pentanomial),
            by_colour=_parts(counts, data, lambda c: "white" if c.first_is_white else "black"),
            by_end_reason=_parts(counts, data, lambda c: c.end_reason),
            by_length=_parts(counts, data, _length, key=lambda c: c.length),
            by_opening=openings,
            costs=[_cost(self.first, counts, own=True), _cost(self.second, counts, own=False)],
            first_ids=sorted({c.first_id for c in counts}),
            second_ids=sorted({c.second_id for c in counts}),
            cores=sorted({f"{c.backend}:{c.signature}" for c in counts}),
            first_limit=data.first_limit,
            second_limit=data.second_limit,
        )
        return row

    def _test(self, trinomial: Sequence[int], pentanomial: Sequence[int]) -> SprtRow | None:
        if self.sprt is None:
            return None
        by_games = self.sprt.counting == "trinomial" or not sum(pentanomial)
        return sprt_from_counts(trinomial if by_games else pentanomial, self.sprt.test)


def _refuse_several(text: str, ids: set[str]) -> None:
    """Raises UsageError if the text is a label of several engines."""
    if len(ids) > 1:
        named = " or ".join(f"`{marked_label(text, identity)}`" for identity in sorted(ids)[:5])
        raise UsageError(
            f"`{text}` is the label of {len(ids)} engines that met: give {named}, or --mix"
        )


def _parts(
    counts: Iterable[MeetingCounts],
    told: _ToldConditions,
    name: Callable[[MeetingCounts], str],
    *,
    key: Callable[[MeetingCounts], int] | None = None,
) -> list[HeadToHeadPart]:
    """The games by what ``name`` calls them, most games first, or in the order of ``key``."""
    groups: dict[str, list[MeetingCounts]] = {}
    for row in counts:
        groups.setdefault(name(row), []).append(row)
    parts = [(_part(text, rows, told), rows) for text, rows in groups.items()]
    if key is not None:
        parts.sort(key=lambda part: key(part[1][0]))
    else:
        parts.sort(key=lambda part: (-part[0].games, part[0].part))
    return [part for part, _ in parts]


def _part(text: str, rows: Iterable[MeetingCounts], told: _ToldConditions) -> HeadToHeadPart:
    points = [0, 0, 0]
    for row in rows:
        points[row.points] += row.games
    return _scored(text, points[2], points[1], points[0], told)


def _scored(text: str, wins: int, draws: int, losses: int, told: _ToldConditions) -> HeadToHeadPart:
    games = wins + draws + losses
    return HeadToHeadPart(
        part=text,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        score=(wins + draws / 2) / games,
        first_limit=told.first_limit,
        second_limit=told.second_limit,
        core=told.core,
    )


def _length(row: MeetingCounts) -> str:
    return f"{row.length}-{row.length + 39} plies"


def _cost(engine: str, counts: Sequence[MeetingCounts], *, own: bool) -> SideCost:
    """Data from files of other programs is used only if nothing was measured here."""
    here = [row for row in counts if row.backend != IMPORTED_BACKEND] or counts
    return side_cost(
        engine,
        sum(row.games for row in counts),
        sum(row.first_plies if own else row.second_plies for row in here),
        sum(row.first_nodes if own else row.second_nodes for row in here),
        sum(row.first_cpu_us if own else row.second_cpu_us for row in here),
    )


def side_cost(engine: str, games: int, plies: int, nodes: int, cpu_us: int) -> SideCost:
    """The search cost of one side. ``plies``: its own plies with known nodes."""
    return SideCost(
        engine=engine,
        games=games,
        nodes=nodes or None,  # a search has one at least
        cpu_us=cpu_us or None,
        nodes_per_move=nodes / plies if plies and nodes else None,
        cpu_us_per_move=cpu_us / plies if plies and cpu_us else None,
        nodes_per_second=1e6 * nodes / cpu_us if nodes and cpu_us else None,
    )
