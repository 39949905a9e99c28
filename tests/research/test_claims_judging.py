"""Verdicts follow from intervals and thresholds alone, and the catalogue is complete."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from claims.catalogue import CLAIMS, chosen_claims
from claims.claim import (
    Claim,
    ClaimChart,
    ClaimPart,
    ClaimVerdict,
    Relation,
    Weighed,
    judge,
    verdict_on,
    wrong_by_chance,
)
from claims.contests import BOOKS
from claims.experiment import GAME, SIZES
from claims.measured import Figure, figure_of_logs, figure_of_mean, figure_of_share
from claims.other_games import DEPTH_STRETCH, claims_in
from claims.page import claims_page
from claims.stored import RESULTS, result_file, stored_results, write_results
from claims.views import ClaimRow
from claims.words import chance_text, figure_text
from engines.rules.catalog import rules_of
from engines.variant import parse_variant
from toolkit.base.errors import UsageError
from toolkit.books.book import default_book, load_book

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("relation", "low", "high", "verdict"),
    [
        ("below", 0.90, 0.94, "holds"),
        ("below", 0.96, 0.99, "does not hold"),
        ("below", 0.94, 0.96, "undecided"),
        ("above", 0.96, 0.99, "holds"),
        ("above", 0.90, 0.94, "does not hold"),
        ("above", 0.94, 0.96, "undecided"),
        # An end at the threshold itself decides nothing.
        ("below", 0.90, 0.95, "undecided"),
        ("above", 0.95, 0.99, "undecided"),
        ("below", 0.95, 0.95, "undecided"),
        ("below", None, None, "undecided"),
        # A perfect score has no upper end.
        ("above", 0.96, None, "holds"),
        ("above", 0.94, None, "undecided"),
        ("below", None, 0.94, "holds"),
    ],
)
def test_verdict_needs_the_whole_interval_on_one_side(
    relation: Relation, low: float | None, high: float | None, verdict: ClaimVerdict
) -> None:
    part = ClaimPart("a", "a", relation, 0.95)
    assert verdict_on(part, Figure(0.95, low, high, 20)) == verdict


@pytest.mark.parametrize(
    ("draw", "positions", "most"),
    [
        (lambda rng: rng.gauss(0.0, 1.0), 12, 0.035),
        (lambda rng: rng.expovariate(1.0) - 1.0, 40, 0.045),
        (lambda rng: 1.0 - rng.expovariate(1.0), 40, 0.045),
    ],
)
def test_false_verdicts_are_rare(
    draw: Callable[[random.Random], float], positions: int, most: float
) -> None:
    """The truth lies at the threshold: the worst case. An interval of percentiles is wrong more
    often than this where the sample is small or skewed."""
    rng = random.Random(19)
    parts = [ClaimPart("a", "a", "below", 0.0), ClaimPart("a", "a", "above", 0.0)]
    wrong, rounds = [0, 0], 600
    for _ in range(rounds):
        figure = figure_of_mean([draw(rng) for _ in range(positions)])
        for side, part in enumerate(parts):
            wrong[side] += verdict_on(part, figure) == "holds"
    assert max(wrong) <= most * rounds
    assert wrong_by_chance(rounds) == pytest.approx(0.025 * rounds)


def test_undecided_part_reports_its_power() -> None:
    claim = _claim(ClaimPart("a", "a", "below", 0.95))
    findings, _ = judge(claim, {})
    assert [one.verdict for one in findings] == ["undecided"]
    assert findings[0].resolution == pytest.approx(0.05)


def test_every_part_has_a_figure_and_every_figure_a_part() -> None:
    with pytest.raises(UsageError, match="'b'"):
        judge(_claim(ClaimPart("a", "a", "below", 1), ClaimPart("b", "b", "below", 1)), {})
    with pytest.raises(UsageError, match="'a'"):
        judge(_claim(), {})


def _claim(*parts: ClaimPart) -> Claim:
    figure = Figure(0.95, 0.90, 1.0, 20)
    weighed = Weighed({"a": figure}, ClaimChart(across="x", up="y", points=[]))
    return Claim(1, "t", "s", "o", (), parts, lambda evidence: weighed)


def test_figures_of_positions() -> None:
    ratios = figure_of_logs([math.log(2), math.log(8)] * 10)
    assert ratios.estimate == pytest.approx(4)
    assert ratios.low95 is not None and ratios.high95 is not None
    assert 2 < ratios.low95 < 4 < ratios.high95 < 8 and ratios.n == 20
    assert figure_of_mean([1.0, 2.0, 3.0]) == Figure(2.0, None, None, 3)  # too few positions
    assert figure_of_mean([]) == figure_of_share(0, 0) == Figure(None, None, None, 0)
    share = figure_of_share(40, 40)  # a resample of equal cases would have no spread
    assert share.estimate == 1 and share.low95 is not None and share.low95 < 0.95


def test_catalogue_is_numbered_and_every_claim_is_complete() -> None:
    names = {}
    for number, claim in CLAIMS.items():
        assert claim.number == number
        for text in (claim.title, claim.statement, claim.source):
            assert text and "  " not in text
        assert claim.parts
        assert len({part.key for part in claim.parts}) == len(claim.parts)
        for one in claim.experiments:
            assert names.setdefault(one.name, one) is one, "two experiments of one name"
            assert re.fullmatch(r"[a-z0-9-]+", one.name)


@pytest.mark.parametrize("number", CLAIMS)
def test_plans_are_fixed_and_the_full_plan_is_larger(number: int) -> None:
    for one in CLAIMS[number].experiments:
        quick, full = (one.plan(size) for size in SIZES)
        assert quick == one.plan("quick")
        assert full.searches >= quick.searches and full.depths[-1] >= quick.depths[-1]
        assert len(full.positions) > len(quick.positions) >= 10


@pytest.mark.parametrize("game", [game for game in DEPTH_STRETCH if game != GAME])
@pytest.mark.parametrize("number", CLAIMS)
def test_claim_in_another_game_differs_in_positions_and_depth_only(number: int, game: str) -> None:
    claim = CLAIMS[number]
    if not claims_in([claim], game):
        assert not claim.experiments and not any(one.elsewhere for one in claim.contests)
        return
    (there,) = claims_in([claim], game)
    assert (there.parts, there.weigh, there.weigh_games) == (
        *(claim.parts, claim.weigh, claim.weigh_games),
    )
    rules = rules_of(game)
    for one, other in zip(claim.experiments, there.experiments, strict=True):
        chess, plan = one.plan("full"), other.plan("full")
        assert plan.names == chess.names and len(plan.positions) == len(chess.positions)
        assert {engine.variant.game for engine in plan.engines} == {game}
        assert [engine.baseline for engine in plan.engines] == [
            engine.baseline for engine in chess.engines
        ]
        assert abs(plan.depths[-1] - DEPTH_STRETCH[game] * chess.depths[-1]) <= 1
        assert (len(plan.depths) == 1) == (len(chess.depths) == 1)
        assert plan.depths[-1] % 2 == chess.depths[-1] % 2
        for position in plan.positions:
            rules.board(position.fen)
        assert other.run_name("full") != one.run_name("full")
    played = [one for one in claim.contests if game in one.elsewhere]
    for mine, theirs in zip(played, there.contests, strict=True):
        settings, own = theirs.settings("full"), mine.elsewhere[game]
        names = [own.first, own.second]
        assert [player.label for player in settings.players] == names
        assert [name.partition(":")[0] for name in names] == ["mtdf", "pvs"]
        assert settings.rules is rules
        assert settings.book.name == own.book.partition(".")[0]
        assert (theirs.limit, theirs.pairs) == (mine.limit, mine.pairs)
        assert theirs.run_name("full") != mine.run_name("full")


@pytest.mark.slow
def test_books_of_contests_have_an_unseen_line_for_each_pair() -> None:
    found = {
        (game, own.book, contest.pairs["full"])
        for claim in CLAIMS.values()
        for contest in claim.contests
        for game, own in contest.elsewhere.items()
    }
    assert found
    for game, book, pairs in found:
        seen = default_book(game=game)
        lines = {opening.fen for opening in load_book(BOOKS / book, game=game).openings}
        assert len(lines) >= pairs
        assert not lines & {opening.fen for opening in seen.openings}


def test_claims_are_chosen_by_number() -> None:
    assert [one.number for one in chosen_claims((3, 1, 3))] == [1, 3]
    assert [one.number for one in chosen_claims(())] == sorted(CLAIMS)
    with pytest.raises(UsageError, match="no claim 99"):
        chosen_claims((99,))
    with pytest.raises(UsageError, match="no claim is measured in connect-four"):
        claims_in([CLAIMS[1]], "connect-four")


def test_stored_results_match_the_claims_in_code() -> None:
    """Made by other statements or thresholds, they say nothing of these."""
    assert {number for game, number in stored_results() if game == GAME} == CLAIMS.keys()
    assert {game for game, _ in stored_results()} == DEPTH_STRETCH.keys()
    for (game, number), row in stored_results().items():
        (claim,) = claims_in([CLAIMS[number]], game)
        assert (row.title, row.statement, row.source) == (
            *(claim.title, claim.statement, claim.source),
        )
        assert [(one.part, one.text, one.relation, one.threshold)
                for one in row.parts] == [
            (part.key, part.text, part.relation, part.threshold) for part in claim.parts
        ]  # fmt: skip
        for run, one in zip(row.runs, claim.experiments, strict=True):
            plan = one.plan("full" if row.size == "full" else "quick")
            assert run.engines == plan.names
            assert (run.suite_id, run.depths) == (plan.suite_id, list(plan.depths))
        played = {}
        for match, contest in zip(row.matches, claim.contests, strict=True):
            settings = contest.settings("full" if row.size == "full" else "quick")
            stored = [parse_variant(text).identity for text in match.engines]
            assert stored == [player.id for player in settings.players]
            assert (match.pairs, match.seed) == (settings.pairs, settings.seed)
            played[contest.name] = tuple(match.pentanomial)
        if played:
            findings, _ = judge(claim, {}, played)
            assert [one.verdict for one in findings] == [part.verdict for part in row.parts]
            continue
        for part, found in zip(claim.parts, row.parts, strict=True):
            figure = Figure(found.estimate, found.low95, found.high95, found.n)
            assert found.verdict == verdict_on(part, figure)


def test_page_has_every_claim_with_its_verdicts() -> None:
    rows = [*stored_results().values()]
    page = claims_page(rows, "claims", "../research")
    assert chance_text(rows) in page
    for claim in CLAIMS.values():
        (line,) = (one for one in page.splitlines() if one.startswith(f"| [{claim.number}. "))
        for row in rows:
            name = result_file(RESULTS, row.game, row.claim).name
            assert (f"/{name})" in line) == (row.claim == claim.number)
    for path in re.findall(r"\(((?:claims|\.\.)/[^\s)]+)\)", page):
        assert (DOCS / path).exists(), path


def test_results_are_written_as_they_are_read(tmp_path: Path) -> None:
    rows = [*stored_results().values()]
    write_results(rows, tmp_path)
    for row in rows:
        file = result_file(tmp_path, row.game, row.claim)
        assert msgspec.json.decode(file.read_bytes(), type=ClaimRow) == row
    assert len(list(tmp_path.iterdir())) == len(rows)


@pytest.mark.parametrize(
    "estimate, low, high, text",
    [
        (0.9544, 0.9081, 0.9949, "0.954 [0.908, 0.995]"),
        (6.255, 1.9, 10.608, "6.3 [1.9, 10.6]"),
        (22.6, 16.07, 29.1, "22.6 [16.1, 29.1]"),
        (0.52, None, None, "0.520"),
    ],
)
def test_figures_have_no_more_digits_than_they_are_known_to(
    estimate: float, low: float | None, high: float | None, text: str
) -> None:
    assert figure_text(Figure(estimate, low, high, 9)) == text
