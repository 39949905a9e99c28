"""Races as rows: the candidates of an event, how the evidence went, and the plan of a family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct, structs

from toolkit.base.errors import UsageError
from toolkit.base.format import and_list, count_of, format_share
from toolkit.base.ranges import check_whole
from toolkit.events.rounds import Rounds
from toolkit.events.settings import EventSettings
from toolkit.pairing.forms import MAX_PLAYERS_ADAPTIVE, RaceForm
from toolkit.reports.events import EventRow, event_row
from toolkit.reports.scores import event_scores
from toolkit.stats.errors import StatisticsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.records.events import EventRecord
    from db.session import Database
    from toolkit.events.progress import ScoreRow
    from toolkit.stats.race_rule import RaceRule

_ORDER = ("accepted", "undecided", "dropped")
_FAMILIES = 200
"""Simulated for a plan."""
_MOST_GAIN = 1000.0


class CandidateRow(Struct, frozen=True):
    """A candidate of a race, against the base."""

    engine: Annotated[str, "label"]
    verdict: Annotated[str, "`accepted`, `dropped` or `undecided`"]
    rank: Annotated[
        int | None,
        "among the candidates, from 1; null unless its interval is apart from those of all others "
        "at the error of the family",
    ]
    pairs: Annotated[int, "game pairs played, without repetitions"]
    elo: Annotated[float | None, "Elo over the base; null without pairs"]
    elo_low95: Annotated[
        float | None, "lower end of its 95 % interval, valid at any look; null if open"
    ]
    elo_high95: Annotated[float | None, "upper end; null if open"]
    evidence: Annotated[
        float,
        "logarithm to base 10 of the e-value that it is better than `elo0`, valid at any look",
    ]
    pentanomial: Annotated[list[int], "pairs by its score, worst first"]


class RaceState(Struct, frozen=True):
    """A race: its rule, and where its candidates are."""

    base: Annotated[str, "label of the base"]
    elo0: Annotated[float, "Elo that a candidate has to exceed"]
    elo1: Annotated[float, "Elo of a gain that is worth finding"]
    alpha: Annotated[float, "error of the family, at most"]
    beta: Annotated[float, "probability of dropping a candidate with the gain `elo1`, at most"]
    accept: Annotated[
        str, "`one`: the first that is accepted ends the race; `all`: all better ones"
    ]
    needed: Annotated[
        float, "logarithm to base 10 of the e-value at which a single candidate is accepted"
    ]
    candidates: Annotated[list[CandidateRow], "accepted ones first, then by Elo"]


class RaceOutcome(EventRow, frozen=True):
    """The output of `race` and of resuming one: the event and its candidates."""

    race: Annotated[RaceState, "the rule and the candidates"]
    verdict: Annotated[
        str,
        "`accepted`, `none better` (all were dropped), `undecided` or `continue` (not yet ended)",
    ]
    reason: Annotated[str, "the verdict in words"]


class RaceStep(Struct, frozen=True):
    """A candidate after one of its blocks."""

    engine: Annotated[str, "label"]
    pairs: Annotated[int, "its pairs so far"]
    evidence: Annotated[float, "logarithm to base 10 of the e-value"]
    elo: Annotated[float | None, "Elo over the base; null if all was won or lost"]


class RacePlanRow(Struct, frozen=True):
    """A way to test a family of candidates, on average over simulated families."""

    way: Annotated[str, "`race`, or sequential tests of each candidate and their alpha"]
    pairs: Annotated[float, "expected number of game pairs"]
    found: Annotated[float, "share of families of which a candidate is accepted"]
    wrong: Annotated[
        float, "share of families of which a candidate is accepted that is not better than `elo0`"
    ]
    gain: Annotated[float, "Elo of the best accepted candidate; 0 where none is"]


def race_state(rule: RaceRule, base: str, scores: Sequence[ScoreRow]) -> RaceState:
    """The candidates after the pairs of ``scores``, each from the view of a candidate."""
    import numpy as np

    from toolkit.stats.anytime import ALPHA, anytime_interval
    from toolkit.stats.race import evidence, judge, needed_evidence

    number = max(len(scores), 1)
    rows: list[CandidateRow] = []
    if scores:
        counts = np.array([score.pentanomial for score in scores], dtype=np.float64)
        known = evidence(counts, rule)
        judged = judge(known, rule)
        family = [anytime_interval(one.pentanomial, rule.alpha / number) for one in scores]
        for at, score in enumerate(scores):
            interval = anytime_interval(score.pentanomial, ALPHA)
            verdict = "accepted" if judged.accepted[at] else "undecided"
            own = family[at]
            apart = number > 1 and all(
                one.high < own.low or one.low > own.high
                for other, one in enumerate(family)
                if other != at
            )
            rows.append(
                CandidateRow(
                    engine=score.first,
                    verdict="dropped" if judged.dropped[at] else verdict,
                    rank=1 + sum(one.low > own.high for one in family) if apart else None,
                    pairs=sum(score.pentanomial),
                    elo=score.elo,
                    elo_low95=interval.elo_low,
                    elo_high95=interval.elo_high,
                    evidence=float(known.better[at]) / math.log(10.0),
                    pentanomial=list(score.pentanomial),
                )
            )
    rows.sort(key=lambda row: (_ORDER.index(row.verdict), -(row.elo or 0.0)))
    fields = {name: getattr(rule, name) for name in ("elo0", "elo1", "alpha", "beta", "accept")}
    needed = math.log10(needed_evidence(number, rule))
    return RaceState(base=base, **fields, needed=needed, candidates=rows)


def race_result(db: Database, event: EventRecord) -> RaceOutcome:
    """The result or current state of a race. Raises UsageError for an event of another kind."""
    settings, rule = _settings_of(event)
    labels = [player.label for player in settings.players]
    state = race_state(rule, labels[-1], event_scores(db, event))
    row = event_row(db, event)
    verdict = _verdict(state, row.status)
    return RaceOutcome(
        **structs.asdict(row), race=state, verdict=verdict, reason=race_text(state, verdict)
    )


def race_text(
    state: RaceState, verdict: str = "continue", shown: Mapping[str, str] | None = None
) -> str:
    """The verdict in words; ``shown``: what to call the engines, by label."""
    names = shown or {}
    base = names.get(state.base, state.base)
    by = f"{state.elo0:+g} Elo" if state.elo0 else "0 Elo"
    dropped = sum(row.verdict == "dropped" for row in state.candidates)
    of_all = count_of(len(state.candidates), "candidate")
    accepted = [names.get(row.engine, row.engine) for row in state.candidates
                if row.verdict == "accepted"]  # fmt: skip
    if accepted:
        verb = "is" if len(accepted) == 1 else "are"
        error = f"{format_share(state.alpha, 0)} error"
        text = f"{and_list(accepted)} {verb} better than {base} by more than {by} ({error})"
        return f"{text} so far" if verdict == "continue" else text
    if verdict == "none better":
        return f"none accepted: all of {of_all} dropped, a gain of {state.elo1:+g} Elo is unlikely"
    if verdict == "undecided":
        left = len(state.candidates) - dropped
        return f"none accepted: of {of_all} {dropped} dropped, {left} undecided"
    return f"none accepted, {dropped} of {of_all} dropped so far"


def _verdict(state: RaceState, status: str) -> str:
    """What the race decided. Before its end there is no verdict: complete blocks decide, and the
    rest of a block may change what is known of a candidate."""
    if status != "done":
        return "continue"
    verdicts = {row.verdict for row in state.candidates}
    if verdicts == {"dropped"}:
        return "none better"
    return "accepted" if "accepted" in verdicts else "undecided"


def race_course(db: Database, event: EventRecord) -> list[RaceStep]:
    """The candidates after each of their blocks that are complete, in the order of play. Raises
    UsageError for an event of another kind, DatabaseError, DatabaseProblem."""
    import numpy as np

    from toolkit.stats.elo import elo_of_score
    from toolkit.stats.race import evidence
    from toolkit.stats.sprt import mean_and_variance

    settings, rule = _settings_of(event)
    rounds = Rounds(db.repository, event, settings.pairer())
    counts = np.zeros((settings.heroes, 5))
    steps = []
    for played in rounds.played:
        for meeting in played.round.meetings:
            for points in played.points(meeting):
                counts[meeting.pairing, sum(points)] += 1
        known = evidence(counts, rule)
        for meeting in played.round.meetings:
            at, own = meeting.pairing, counts[meeting.pairing]
            if not own.any():
                continue
            mean, _ = mean_and_variance((own / own.sum()).tolist())
            steps.append(
                RaceStep(
                    engine=settings.players[at].label,
                    pairs=int(own.sum()),
                    evidence=float(known.better[at]) / math.log(10.0),
                    elo=elo_of_score(mean) if 0.0 < mean < 1.0 else None,
                )
            )
    return steps


def race_plan(
    form: RaceForm,
    candidates: int,
    *,
    gain_mean: float | None = None,
    gain_sd: float | None = None,
    draw_ratio: float = 0.5,
    max_pairs: int | None = None,
    seed: int = 0,
) -> list[RacePlanRow]:
    """What a race and sequential tests of ``candidates`` cost and find, on average over families
    whose gains are normal; without ``gain_mean`` and ``gain_sd`` those of the usual prior.

    Raises UsageError.
    """
    from toolkit.stats.race_plan import GainPrior, plan_race, plan_tests, usual_prior

    check_whole("candidates", candidates, 1, MAX_PLAYERS_ADAPTIVE - 1)
    most = default_max_pairs(candidates) if max_pairs is None else max_pairs
    form.check(candidates + 1, most)
    usual = usual_prior(form.rule)
    mean = usual.mean if gain_mean is None else gain_mean
    sd = usual.sd if gain_sd is None else gain_sd
    for name, value, least in (("gain-mean", mean, -_MOST_GAIN), ("gain-sd", sd, 0.0)):
        if not least <= value <= _MOST_GAIN:
            raise UsageError(f"{name} {value:g}: expected {least:g} to {_MOST_GAIN:g} Elo")
    prior = GainPrior(mean, sd, draw_ratio)
    gains = prior.draw(_FAMILIES, candidates, seed)
    given: dict[str, Any] = {"most_pairs": most, "seed": seed + 1}
    try:
        ways = [
            plan_race(form.rule, prior, gains, block=form.block, **given),
            *(plan_tests(form.rule, prior, gains, shared=one, **given) for one in (False, True)),
        ]
    except StatisticsError as error:
        raise UsageError(str(error)) from error
    return [RacePlanRow(**structs.asdict(way)) for way in ways]


def default_max_pairs(candidates: int) -> int:
    """Most pairs of a race, if no number is given: as many as a sequential test of each takes."""
    return 20_000 * candidates


def _settings_of(event: EventRecord) -> tuple[EventSettings, RaceRule]:
    if event.kind != "race":
        raise UsageError(f"event {event.key} is not a race, but of kind {event.kind}")
    settings = EventSettings.from_json(event.settings)
    assert isinstance(settings.form, RaceForm)
    return settings, settings.form.rule
