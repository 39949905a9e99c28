"""Claims in other games than chess, in which they are written.

The same engines search as many positions of the other game's usual suite. Trees of other games are
narrower, so searches go deeper, and odd depths stay odd. Contests are played in games in which
their engines have values of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from claims.claim import Claim
from claims.experiment import GAME, Experiment, Size
from engines.rules.catalog import rules_of
from engines.variant import variant_of
from toolkit.base.errors import UsageError
from toolkit.lab.plan import LabEngine, LabPlan, position_records
from toolkit.lab.positions import load_suite

DEPTH_STRETCH = {"chess": 1.0, "othello": 1.25, "draughts": 2.0}
"""The games in which claims are measured, with how much deeper searches go than in chess."""


def claims_in(claims: Sequence[Claim], game: str) -> list[Claim]:
    """The claims as they are measured in a game, without those that are measured in none. Raises
    UsageError for a game in which no claim is measured."""
    if game == GAME:
        return list(claims)
    if game not in DEPTH_STRETCH:
        raise UsageError(f"no claim is measured in {game}: give one of {', '.join(DEPTH_STRETCH)}")
    moved = [
        replace(
            claim,
            game=game,
            experiments=tuple(_experiment_in(one, game) for one in claim.experiments),
            contests=tuple(
                replace(one, game=game, **one.elsewhere[game]._asdict())
                for one in claim.contests
                if game in one.elsewhere
            ),
        )
        for claim in claims
    ]
    return [claim for claim in moved if claim.experiments or claim.contests]


def _experiment_in(experiment: Experiment, game: str) -> Experiment:
    def plan(size: Size) -> LabPlan:
        return _plan_in(experiment.plan(size), game)

    return Experiment(experiment.name, plan, game)


def _plan_in(plan: LabPlan, game: str) -> LabPlan:
    suite = load_suite(rules_of(game).default_suite, len(plan.positions), game)
    first, last = plan.depths[0], depth_in(game, plan.depths[-1])
    return replace(
        plan,
        suite=suite.name,
        suite_id=suite.identity,
        engines=tuple(_engine_in(one, game) for one in plan.engines),
        positions=position_records(suite),
        depths=(last,) if len(plan.depths) == 1 else tuple(range(first, last + 1)),
    )


def depth_in(game: str, depth: int) -> int:
    """The depth in a game that is like one in chess, with its parity; the lesser of two that are
    equally near."""
    wanted = DEPTH_STRETCH[game] * depth
    below = depth + 2 * math.floor((wanted - depth) / 2)
    return below if wanted - below <= 1 else below + 2


def _engine_in(engine: LabEngine, game: str) -> LabEngine:
    """The engine, called as in chess: a claim finds it by its name."""
    variant = structs.replace(
        variant_of(engine.variant, {"game": game}), label=engine.variant.label
    )
    return replace(engine, variant=variant)
