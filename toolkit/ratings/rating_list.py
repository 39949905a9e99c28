"""A rating list: the fit as rows and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from db.records.engines import Core
from engines.limit import spell_limit_key
from toolkit.base.format import count_of, format_core
from toolkit.selection.players import PlayerNames, RatedPlayer, cores_apart, limits_of

if TYPE_CHECKING:
    from toolkit.stats.influence import OrderInfluence
    from toolkit.stats.ratings import PlayerRating, Pool, Ratings


class LosRow(Struct, frozen=True):
    """Two engines in the same pool of a rating list."""

    engine: Annotated[str, "label"]
    other: Annotated[str, "label"]
    los: Annotated[float, "likelihood of superiority of the engine over the other, 0 to 1"]
    elo: Annotated[float, "rating of the engine minus that of the other"]
    error95: Annotated[float, "half the width of the 95 % interval of the difference"]
    pool: Annotated[int, "as in `ratings`"]
    engine_id: Annotated[str, "identity of the variant"]
    other_id: Annotated[str, "identity of the variant"]
    limit: Annotated[dict[str, Any] | None, "as in `ratings`"]
    other_limit: Annotated[dict[str, Any] | None, "limit of the other engine"]


class RatingLine(Struct, frozen=True):
    """One player of a rating list, strongest first."""

    engine: Annotated[str, "label"]
    elo: Annotated[float, "Elo; the mean of the pool is 0 unless an anchor is set"]
    error95: Annotated[float | None, "half the width of the 95 % interval; null for the anchor"]
    error_model: Annotated[
        str,
        "`pair-clustered`; `opening-clustered`: also by opening, where pairings share openings; "
        "`fisher`: inverse Fisher information, if no pairs are known; "
        "`bootstrap`: resampled; `none`: no fit was possible, only bounds",
    ]
    games: Annotated[int, "games counted"]
    score: Annotated[float, "mean score per game, 0 to 1"]
    los_next: Annotated[float | None, "likelihood of superiority over the next player, 0 to 1"]
    engine_id: Annotated[str, "identity of the variant"]
    pool: Annotated[
        int, "number of the pool, from 0; ratings of different pools are not comparable"
    ]
    bound: Annotated[
        str | None,
        "`at least` or `at most` if the engine won or lost every game; `elo` is then the end of a "
        "one-sided 97.5 % interval",
    ]
    scale: Annotated[
        str,
        "what fixes the scale of the pool: `mean 0`, anchors as in `pvs=0`, or `pvs=0 (alone)` if "
        "every other engine has only a bound. An anchor that has only a bound fixes nothing",
    ]
    draws: Annotated[float, "draw rate, 0 to 1"]
    core: Annotated[
        str | None,
        "`backend:signature` if several cores played this engine; each core has its own row",
    ]
    limit: Annotated[
        dict[str, Any] | None,
        "limit of the engine, as in `events`; each limit of an engine has its own row; empty if "
        "unknown, null with `--mix-limits`",
    ]


@dataclass(frozen=True, slots=True)
class RatingReport:
    """A rating list and its sources."""

    ratings: Ratings
    """The fit; its players are ids of :attr:`players`."""
    players: Mapping[str, RatedPlayer]
    """Engines under conditions, by id."""
    names: PlayerNames
    excluded: int
    """Games left out because they repeat others of the list."""
    self_games: int
    """Games left out because an engine played itself."""
    settings: Mapping[str, Any]
    game: str | None = None
    """The game that was asked for; None if none was."""
    below_minimum: int = 0
    """Engines left out because they have too few games."""
    influence: tuple[OrderInfluence, ...] = field(default=(), compare=False)
    """What changes the order of neighbours, if this was asked for."""
    list_id: int | None = field(default=None, compare=False)
    """Number of the stored list; None when it was not stored."""

    @property
    def apart(self) -> dict[str, tuple[Core, ...]]:
        """Engines that several cores played, by identity; each core is a player of the list."""
        return cores_apart(self.rated)

    @property
    def limits(self) -> tuple[str, ...]:
        """Keys of the limits that occur; each engine is a player of the list under each."""
        return limits_of(self.rated)

    @property
    def rated(self) -> list[RatedPlayer]:
        """The players of the list, in its order."""
        return [self.players[line.player] for line in self.ratings.players]

    @property
    def shown(self) -> list[str]:
        """What to call the players of the list, in its order, where each pool stands alone and no
        column has limits."""
        found = []
        for pool in self.ratings.pools:
            players = [line.player for line in pool.players]
            several = len(limits_of(self.players[one] for one in players)) > 1
            found += [
                self.names.shown[one]
                + (f" at {spell_limit_key(self.players[one].limit)}" if several else "")
                for one in players
            ]
        return found

    @property
    def lead(self) -> tuple[float, float] | None:
        """Elo by which the first player of the list is ahead of the next, and half of its 95 %
        interval; None where one of them has no rating."""
        pool = self.ratings.pools[0]
        if len(pool.players) < 2 or any(line.bound for line in pool.players[:2]):
            return None
        first, second = pool.players[:2]
        return pool.difference(first.player, second.player)

    @property
    def pools(self) -> list[str]:
        """What to call the pools, by their number and their limits."""
        return [
            f"pool {number}: {limits_text(self, pool)}"
            for number, pool in enumerate(self.ratings.pools, start=1)
        ]

    @property
    def error_model(self) -> str:
        """Where the errors come from; of several pools all that occur."""
        return ", ".join(sorted({pool.error_model for pool in self.ratings.pools}))

    def rows(self) -> list[RatingLine]:
        """The lines as ``--json`` prints them, pool after pool, strongest first."""
        apart = self.apart
        return [
            _row(self, number, pool, line, apart)
            for number, pool in enumerate(self.ratings.pools)
            for line in pool.players
        ]


def los_rows(report: RatingReport) -> Iterator[LosRow]:
    """Every two rated engines of each pool: difference, its error, and who is stronger."""
    for number, pool in enumerate(report.ratings.pools):
        order = [line.player for line in pool.players if line.bound is None]
        place = {player: at for at, player in enumerate(pool.rated)}
        los, errors = pool.los_matrix(), pool.error_matrix()
        for player in order:
            for other in order:
                one, two = place[player], place[other]
                if one == two:
                    continue
                who, whom = report.players[player], report.players[other]
                yield LosRow(
                    engine=report.names.labels[player],
                    other=report.names.labels[other],
                    los=float(los[one, two]),
                    elo=float(pool.estimates[one] - pool.estimates[two]),
                    error95=float(errors[one, two]),
                    pool=number,
                    engine_id=who.identity,
                    other_id=whom.identity,
                    limit=who.limit_data,
                    other_limit=whom.limit_data,
                )


def scale_of(report: RatingReport, pool: Pool) -> str:
    """What fixes the scale of a pool: ``mean 0``, ``pvs=0``, or ``pvs=0 (alone)``."""
    anchors = report.settings["anchors"]
    fixed = [line.player for line in pool.players if line.player in anchors and not line.bound]
    if fixed:
        return ", ".join(f"{report.names.labels[one]}={anchors[one]:g}" for one in fixed)
    if len(pool.rated) == 1:
        return f"{report.names.labels[pool.rated[0]]}={pool.estimates[0]:g} (alone)"
    return f"mean {report.settings.get('mean', 0.0):g}"


def unused_anchors(report: RatingReport) -> list[str]:
    """A sentence for each anchor that fixes nothing, because it has a perfect score."""
    told = []
    for pool in report.ratings.pools:
        for line in pool.players:
            if line.player in pool.unused_anchors:
                name = report.names.shown[line.player]
                score = "won" if line.bound == "at least" else "lost"
                told.append(
                    f"anchor {name} {score} every game, which gives only a bound: it does not fix "
                    f"the scale ({scale_of(report, pool)})"
                )
    return told


def limits_text(report: RatingReport, pool: Pool) -> str:
    """The limits of the players of a pool, as in ``nodes=2000``."""
    found = limits_of(report.players[line.player] for line in pool.players)
    return " and ".join(map(spell_limit_key, found)) or spell_limit_key(None)


def explain_ratings(report: RatingReport) -> list[str]:
    """What the list is, in sentences: model, pools, white advantage, draw rate, errors."""
    lines = [
        "One joint maximum-likelihood fit over all games of a pool. Expected score of White: "
        "p = 1/(1 + 10^(-(Rw + A - Rb)/400)), A the white advantage; probability D of a draw: "
        "D^2 = (2q/(1 - q))^2 W L with W = p - D/2, L = 1 - p - D/2, q the draw rate of equals."
    ]
    for number, pool in enumerate(report.ratings.pools, start=1):
        lines.append(_explain_pool(report, number, pool))
    lines += [f"{sentence[0].upper()}{sentence[1:]}." for sentence in unused_anchors(report)]
    if report.excluded:
        repeated = count_of(report.excluded, "game repeats", "games repeat")
        lines.append(f"{repeated} others of the list, left out.")
    if report.self_games:
        own = count_of(report.self_games, "game")
        lines.append(f"{own} of an engine against itself: nothing to rate.")
    for identity, cores in report.apart.items():
        names = " and ".join(format_core(":".join(core)) for core in cores)
        lines.append(
            f"Engine {identity} was played by different cores ({names}), which may play "
            "differently: each is rated by itself; --mix rates them as one."
        )
    if len(report.limits) > 1:
        limits = " and ".join(map(spell_limit_key, report.limits))
        lines.append(
            f"The games were played under different limits ({limits}). How strong an engine is "
            "depends on its limit: each engine is rated by itself under each limit; --mix-limits "
            "rates it as one."
        )
    if report.ratings.left_out:
        between = count_of(report.ratings.left_out, "game")
        lines.append(f"{between} between pools could not be used.")
    return lines


def _row(
    report: RatingReport,
    number: int,
    pool: Pool,
    line: PlayerRating,
    apart: Mapping[str, tuple[Core, ...]],
) -> RatingLine:
    player = report.players[line.player]
    return RatingLine(
        engine=report.names.labels[line.player],
        elo=line.elo,
        error95=line.error95,
        error_model=pool.error_model,
        games=line.games,
        score=line.score,
        los_next=line.los_next,
        engine_id=player.identity,
        pool=number,
        bound=line.bound,
        scale=scale_of(report, pool),
        draws=line.draws / line.games,
        core=player.core_text if player.identity in apart else None,
        limit=player.limit_data,
    )


def _explain_pool(report: RatingReport, number: int, pool: Pool) -> str:
    names = ", ".join(report.names.shown[line.player] for line in pool.players)
    if len(report.limits) > 1:
        names += f" under {limits_text(report, pool)}"
    errors = {
        "pair-clustered": "errors are clustered by game pair",
        "opening-clustered": "errors are clustered by game pair, and by opening where pairings "
        "share their openings",
        "fisher": "errors are from the inverse Fisher information, games taken as independent, "
        "because no pairs are known",
        "bootstrap": f"errors are from {report.settings.get('bootstrap', 0)} resamples of pairs "
        "and games, and of whole openings where pairings share them",
        "none": "nothing could be fitted, only bounds",
    }[pool.error_model]
    advantage = f"{pool.white_advantage:+.1f}"
    if pool.white_advantage_error95 is not None:
        advantage += f" +- {pool.white_advantage_error95:.1f}"
    fixed = f"fixed by its {pool.reference}"
    if pool.reference == "mean":
        alone = len(pool.rated) == 1
        fixed = f"its scale is {scale_of(report, pool)}" if alone else "its mean is 0"
    return (
        f"Pool {number}: {names}. {count_of(pool.games, 'game')}; {fixed}; "
        f"white advantage {advantage} Elo ({pool.white_advantage_note}); "
        f"draw rate of equals {100 * pool.draw_rate:.1f} %; {errors}."
    )
