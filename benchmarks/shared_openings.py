"""What shared openings gain: the errors of differences between the heroes of a gauntlet.

Simulated gauntlets of four heroes against two opponents, whose openings suit all heroes alike by a
normal effect (its standard deviation in Elo, for each opponent): the mean 95 % interval of the
differences between heroes and its coverage, with openings that are distinct and shared. The number
of pairs is the same. With ``--pairs`` a real gauntlet of native heroes is played both ways. Usage:

    python benchmarks/shared_openings.py [--events N] [--pairs N --nodes N] [--jobs J] [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np

from db.session import open_database
from engines.limit import Limit
from toolkit.events.event import start_event
from toolkit.events.settings import gauntlet_settings
from toolkit.selection.games import Selection, choose
from toolkit.selection.players import read_games
from toolkit.stats.elo import ELO_PER_NAT
from toolkit.stats.likelihood import PoolGames
from toolkit.stats.ratings import Pool, rate_table
from toolkit.stats.tables import GameTable, PoolPairs, SharedPairs, merge

HEROES, OPPONENTS, PAIRS = 4, 2, 100
STRENGTHS = (0.0, 10.0, 20.0, 30.0, 0.0, 0.0)
"""Of heroes and opponents, in Elo."""
WHITE_ADVANTAGE = 30.0
EFFECTS = (0.0, 50.0, 100.0, 200.0)
REAL_HEROES = ("mtdf", "mtdf:convergence=plaat", "mtdf:guess=zero", "pvs")
REAL_FIELD = ("alphabeta", "negascout")
Openings = Literal["distinct", "shared"]
BOTH: tuple[Openings, ...] = ("distinct", "shared")


@dataclass(frozen=True)
class Row:
    """All differences between heroes of all events of one kind."""

    effect_elo: float
    openings: Openings
    events: int
    error95: float
    coverage: float


def simulated(random: np.random.Generator, effect: float, openings: Openings) -> GameTable:
    """The results of one gauntlet."""
    common = random.normal(0.0, effect, (OPPONENTS, PAIRS))
    opening, first, second, codes = [], [], [], []
    for hero in range(HEROES):
        for other in range(OPPONENTS):
            own = common[other] if openings == "shared" else random.normal(0.0, effect, PAIRS)
            ahead = STRENGTHS[hero] - STRENGTHS[HEROES + other] + own
            one, two = (_half_points(random, ahead + s * WHITE_ADVANTAGE) for s in (1, -1))
            opening.append(np.arange(PAIRS))
            first.append(np.full(PAIRS, hero))
            second.append(np.full(PAIRS, HEROES + other))
            codes.append(3 * (2 - one) + two)
    white, black, code = (np.concatenate(part) for part in (first, second, codes))
    i, j = np.divmod(code, 3)
    players = HEROES + OPPONENTS
    shared = SharedPairs(np.concatenate(opening), white, black, code)
    return merge(
        [f"p{number}" for number in range(players)],
        PoolGames(
            players,
            np.concatenate([white, black]),
            np.concatenate([black, white]),
            np.concatenate([np.eye(3)[i], np.eye(3)[j]]).T,
        ),
        PoolPairs(white, black, np.eye(9)[code].T, shared if openings == "shared" else None),
    )


def _half_points(random: np.random.Generator, elo: np.ndarray) -> np.ndarray:
    """Of the hero, in each of these games; equal players draw two games of five."""
    p = 1.0 / (1.0 + np.exp(-elo / ELO_PER_NAT))
    draw = 1.6 * p * (1.0 - p)
    u = random.random(p.size)
    return np.where(u < p - draw / 2, 2, np.where(u < p + draw / 2, 1, 0))


def row(effect: float, openings: Openings, events: int, seed: int) -> Row:
    """Simulate events. Estimates are compared with their means over all events, so that the small
    bias of a model that knows no openings does not count as a fault of the errors."""
    random = np.random.default_rng([seed, round(effect), BOTH.index(openings)])
    pools = [rate_table(simulated(random, effect, openings)).pools[0] for _ in range(events)]
    estimates = np.array([pool.estimates for pool in pools])
    errors = np.array([pool.error_matrix() for pool in pools])
    one, other = np.array(list(combinations(range(HEROES), 2))).T
    found = estimates[:, one] - estimates[:, other]
    widths = errors[:, one, other]
    covered = np.abs(found - found.mean(axis=0)) <= widths
    return Row(effect, openings, events, float(widths.mean()), float(covered.mean()))


def played(openings: Openings, pairs: int, nodes: int, jobs: int) -> float:
    """The mean 95 % error of the differences between the heroes of a real gauntlet."""
    settings = gauntlet_settings(
        REAL_HEROES, REAL_FIELD, pairs=pairs, limit=Limit(nodes=nodes), openings=openings
    )
    heroes = {player.id for player in settings.players[: len(REAL_HEROES)]}
    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(Path(folder) / "games.db") as db,
    ):
        outcome = start_event(db, settings, jobs=jobs)
        if outcome.status != "done" or outcome.event.pairs_failed:
            raise SystemExit(f"the gauntlet ended {outcome.status}: {outcome.problem}")
        games = read_games(db, choose(db, Selection()))
        pool: Pool = rate_table(games.table).pools[0]
        places = [k for k, name in enumerate(pool.rated) if games.known[name].identity in heroes]
    errors = pool.error_matrix()
    return float(np.mean([errors[one, other] for one, other in combinations(places, 2)]))


def main(words: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--events", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0, help="of each real pairing; 0: none")
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    rows = [row(effect, way, given.events, given.seed) for effect in EFFECTS for way in BOTH]
    real = {way: played(way, given.pairs, given.nodes, given.jobs) for way in BOTH if given.pairs}
    if given.json:
        print(json.dumps({"simulated": [asdict(one) for one in rows], "played": real}))
        return
    print(f"{HEROES} heroes, {OPPONENTS} opponents, {PAIRS} pairs each, {given.events} events")
    print("effect  openings  error95  coverage")
    for one in rows:
        print(f"{one.effect_elo:6.0f}  {one.openings:<8}  {one.error95:7.1f}  {one.coverage:8.1%}")
    if real:
        ratio = real["shared"] / real["distinct"]
        print(
            f"played, {given.pairs} pairs at {given.nodes} nodes: distinct {real['distinct']:.1f}, "
            f"shared {real['shared']:.1f}, ratio {ratio:.2f}"
        )


if __name__ == "__main__":
    main()
