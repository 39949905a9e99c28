"""Claims in other games than chess, in which they are written.

The same engines search as many positions of the other game's usual suite. Trees of other games are
narrower, so searches go deeper by :attr:`~engines.rules.board.Rules.depth_stretch`; odd depths stay
odd. Contests have fewer pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from engines.rules.board import Rules
from engines.rules.catalog import rules_of
from engines.variant import variant_of
from toolkit.base.errors import UsageError
from toolkit.lab.claims.claim import Claim
from toolkit.lab.claims.contests import Contest
from toolkit.lab.claims.experiment import GAME, Experiment, Size
from toolkit.lab.claims.games import measured_games
from toolkit.lab.plan import LabEngine, LabPlan, position_records
from toolkit.lab.positions import load_suite

_FEWER = {"quick": 1, "full": 10}
"""By what the pairs of a contest are divided: games of draughts are long."""


def claims_in(claims: Sequence[Claim], game: str) -> list[Claim]:
    """The claims as they are measured in a game, without those that are measured in none. Raises
    UsageError for a game in which no claim is measured."""
    if game == GAME:
        return list(claims)
    rules = rules_of(game)
    if rules.depth_stretch is None:
        raise UsageError(
            f"no claim is measured in {game}: give one of {', '.join(measured_games())}"
        )
    return [
        replace(
            claim,
            game=game,
            experiments=tuple(_experiment_in(one, rules) for one in claim.experiments),
            contests=tuple(_contest_in(one, rules) for one in claim.contests),
        )
        for claim in claims
        if claim.experiments or claim.contests
    ]


def _experiment_in(experiment: Experiment, rules: Rules) -> Experiment:
    def plan(size: Size) -> LabPlan:
        return _plan_in(experiment.plan(size), rules)

    return Experiment(experiment.name, plan, rules.game)


def _plan_in(plan: LabPlan, rules: Rules) -> LabPlan:
    suite = load_suite(rules.default_suite, len(plan.positions), rules.game)
    first, last = plan.depths[0], depth_in(rules, plan.depths[-1])
    return replace(
        plan,
        suite=suite.name,
        suite_id=suite.identity,
        engines=tuple(_engine_in(one, rules.game) for one in plan.engines),
        positions=position_records(suite),
        depths=(last,) if len(plan.depths) == 1 else tuple(range(first, last + 1)),
    )


def depth_in(rules: Rules, depth: int) -> int:
    """The depth in a game that is like one in chess, with its parity; the lesser of two that are
    equally near."""
    assert rules.depth_stretch is not None
    wanted = rules.depth_stretch * depth
    below = depth + 2 * math.floor((wanted - depth) / 2)
    return below if wanted - below <= 1 else below + 2


def _engine_in(engine: LabEngine, game: str) -> LabEngine:
    """The engine, called as in chess: a claim finds it by its name."""
    variant = structs.replace(
        variant_of(engine.variant, {"game": game}), label=engine.variant.label
    )
    return replace(engine, variant=variant)


def _contest_in(contest: Contest, rules: Rules) -> Contest:
    pairs = {size: pairs // _FEWER[size] for size, pairs in contest.pairs.items()}
    return replace(contest, pairs=pairs, game=rules.game)
