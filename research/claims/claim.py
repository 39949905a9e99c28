"""What a claim is, and how a figure with its interval becomes a verdict.

A claim and all its thresholds are fixed in code before anything is searched. A part of a claim is
judged by one figure: it *holds* if the whole 95 % interval lies on the claimed side of the
threshold, *does not hold* if the whole interval lies on the other side, and is *undecided*
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from msgspec import Struct
from msgspec.structs import asdict

from claims.contests import Contest, Played
from claims.experiment import GAME, Experiment
from claims.measured import Figure, Measured
from toolkit.base.errors import UsageError

Relation = Literal["below", "above"]
ClaimVerdict = Literal["holds", "does not hold", "undecided"]
Evidence = Mapping[str, Measured]
"""The measurements of a claim by the name of their experiment."""

WRONG_SIDE = 0.025
"""The chance that a 95 % interval lies wholly on the wrong side of a threshold: about so great, and
greater where few positions dominate the mean."""


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """One sentence of a claim that one figure decides."""

    key: str
    """Name of the part within its claim."""
    text: str
    relation: Relation
    """On which side of the threshold the figure lies if the part holds."""
    threshold: float


class ChartPoint(Figure, frozen=True):
    """A mark of the chart of a claim."""

    series: Annotated[str, "name of the series"]
    at: Annotated[int | float | str, "place on the horizontal axis"]

    @classmethod
    def of(cls, series: str, at: float | str, figure: Figure) -> Self:
        """A figure at its place."""
        return cls(series=series, at=at, **asdict(figure))


class ClaimChart(Struct, frozen=True, kw_only=True):
    """What the chart of a claim shows: curves over numbers, or points over words."""

    across: Annotated[str, "title of the horizontal axis"]
    up: Annotated[str, "title of the vertical axis"]
    reference: Annotated[float | None, "where a horizontal line is; null if there is none"] = None
    logarithmic: Annotated[bool, "whether the vertical axis is logarithmic"] = False
    points: Annotated[list[ChartPoint], "the marks"]


@dataclass(frozen=True, slots=True)
class Weighed:
    """What an experiment says of a claim."""

    figures: Mapping[str, Figure]
    """One for each part, by its key. Where several hypotheses are tested together, its interval is
    as much wider as that takes."""
    drawing: ClaimChart
    further: Sequence[tuple[str, Figure]] = ()
    """Figures that help to understand those of the parts, each with its meaning; not judged."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A published claim and the experiment that decides it."""

    number: int
    title: str
    statement: str
    """What was claimed, in our words."""
    source: str
    experiments: tuple[Experiment, ...]
    """What is measured. Claims may share experiments; each is measured once. None: the figures are
    computed anew from seeds."""
    parts: tuple[ClaimPart, ...]
    weigh: Callable[[Evidence], Weighed] | None = field(default=None, repr=False)
    """The figures from the measurements: a pure function. None for a claim about games."""
    contests: tuple[Contest, ...] = ()
    """The matches that are played."""
    weigh_games: Callable[[Played], Weighed] | None = field(default=None, repr=False)
    """The figures from the contests: a pure function."""
    found: str = ""
    """What was found in chess; ``{key}`` stands for the figure of a part."""
    by_game: str = ""
    """What is to be known of its contests in several games."""
    game: str = GAME
    """In which it is measured."""


class Finding(Figure, frozen=True):
    """A judged part of a claim."""

    part: Annotated[str, "name of the part within the claim"]
    text: Annotated[str, "what the figure is"]
    relation: Annotated[Relation, "`below` or `above`: the claimed side of the threshold"]
    threshold: Annotated[float, "numeric threshold, fixed before the measurement"]
    verdict: Annotated[
        ClaimVerdict,
        "`holds` or `does not hold` if the whole interval lies on one side of the threshold, else "
        "`undecided`",
    ]
    resolution: Annotated[
        float | None,
        "half of the interval's width: if the truth lies so far from the threshold, every second "
        "sample of this size shows it",
    ]


def judge(
    claim: Claim, evidence: Evidence, played: Played | None = None
) -> tuple[list[Finding], Weighed]:
    """Every part of a claim with its verdict, and all figures. Raises UsageError if the figures
    are not those of the claim's parts."""
    if claim.weigh is not None:
        weighed = claim.weigh(evidence)
    elif claim.weigh_games is not None:
        weighed = claim.weigh_games(played or {})
    else:
        raise UsageError(f"claim {claim.number} weighs neither searches nor games")
    if missing := {part.key for part in claim.parts} ^ set(weighed.figures):
        raise UsageError(f"claim {claim.number}: parts and figures differ: {sorted(missing)}")
    figures = weighed.figures
    return [
        Finding(
            **asdict(figures[part.key]),
            part=part.key,
            text=part.text,
            relation=part.relation,
            threshold=part.threshold,
            verdict=verdict_on(part, figures[part.key]),
            resolution=figures[part.key].half_width,
        )
        for part in claim.parts
    ], weighed


def verdict_on(part: ClaimPart, figure: Figure) -> ClaimVerdict:
    """The verdict on a part from the interval of its figure; an unknown end may lie anywhere."""
    low, high = figure.low95, figure.high95
    is_below = high is not None and high < part.threshold
    is_above = low is not None and low > part.threshold
    if not is_below and not is_above:
        return "undecided"
    return "holds" if is_below == (part.relation == "below") else "does not hold"


def wrong_by_chance(parts: int) -> float:
    """How many verdicts are false by chance, on average, if all truths lie at their thresholds."""
    return WRONG_SIDE * parts
