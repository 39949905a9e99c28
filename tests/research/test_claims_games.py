"""Claims about games get the right intervals, Holm's procedure and matches."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from claims import contests
from claims.catalogue import CLAIMS
from claims.claim import judge
from claims.contests import Contest, figure_of_pairs, holm, pairs_of, play
from db.session import open_database
from engines.limit import Limit
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.stats.match import match_statistics

SUPERSEDED = CLAIMS[17]
LEVEL = (100, 300, 600, 300, 100)
BETTER = (60, 250, 600, 340, 150)
WORSE = BETTER[::-1]


def test_interval_at_95_percent_is_that_of_a_match() -> None:
    for counts in (LEVEL, BETTER, (0, 0, 0, 0, 9), (1, 0, 0, 0, 0), (0, 0, 0, 0, 0)):
        match, figure = match_statistics(counts), figure_of_pairs(counts)
        assert (figure.estimate, figure.n) == (match.elo, match.units)
        for ours, theirs in ((figure.low95, match.elo_low95), (figure.high95, match.elo_high95)):
            assert (ours is None) == (theirs is None)
            assert ours is None or ours == pytest.approx(theirs, abs=1e-6)


def test_holm_decides_as_its_p_values_do() -> None:
    """By p-values from LOS: the least against 5 % divided by the number of hypotheses, the next by
    one less, until one fails."""
    random = np.random.default_rng(17)
    seen = set()
    for size in (1, 2, 2, 2, 3) * 60:
        tested = []
        for _ in range(size):
            shift = random.normal(0, 0.05)
            shares = np.clip([0.1 - shift, 0.2 - shift, 0.4, 0.2 + shift, 0.1 + shift], 0, 1)
            tested.append(tuple(map(int, random.multinomial(400, shares / shares.sum()))))
        chances = []
        for counts in tested:
            los = match_statistics(counts).los
            chances.append(2 * min(los, 1 - los))
        expected, going_on = [False] * size, True
        for rank, place in enumerate(np.argsort(chances)):
            going_on = going_on and chances[place] < 0.05 / (size - rank)
            expected[int(place)] = going_on
        found = [
            (one.low95 is not None and one.low95 > 0) or (one.high95 is not None and one.high95 < 0)
            for one in holm(tested)
        ]
        assert found == expected, (tested, chances)
        alone = [chance < 0.05 for chance in chances]
        seen.add((size, sum(expected), alone == expected))
    assert {(2, 1, True), (2, 2, True)} <= seen
    assert (2, 0, False) in seen, "one alone would have been decided"


@pytest.mark.parametrize(
    ("nodes", "time", "verdicts"),
    [
        (BETTER, BETTER, ("holds", "holds")),
        (WORSE, BETTER, ("does not hold", "holds")),
        (LEVEL, WORSE, ("undecided", "does not hold")),
    ],
)
def test_verdict_on_mtdf_and_pvs_follows_from_the_pairs(
    nodes: tuple[int, ...], time: tuple[int, ...], verdicts: tuple[str, str]
) -> None:
    played = {one.name: LEVEL for one in SUPERSEDED.contests}
    played |= {"mtdf-pvs-nodes-5000": nodes, "mtdf-pvs-cpu-5": time}
    findings, weighed = judge(SUPERSEDED, {}, played)
    assert tuple(one.verdict for one in findings) == verdicts
    assert len(weighed.further) == len(SUPERSEDED.contests) - 2


def test_contests_have_fixed_names_and_settings_and_unused_openings() -> None:
    assert len({one.run_name(size) for one in SUPERSEDED.contests for size in ("quick", "full")}
               ) == 2 * len(SUPERSEDED.contests)  # fmt: skip
    for one in SUPERSEDED.contests:
        quick, full = one.settings("quick"), one.settings("full")
        assert quick == one.settings("quick") and full.pairs >= 100 * quick.pairs
        assert str(quick.book.slice) == str(full.book.slice) == "2/2"
    for one, other in itertools.combinations(SUPERSEDED.contests, 2):
        assert one.seed != other.seed


TINY = Contest("tiny", "mtdf", "pvs", Limit(nodes=60), {"quick": 3, "full": 4}, 5)


@pytest.mark.native
def test_contest_is_played_once_and_judged_by_its_own_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_database(tmp_path / "mtdf.db") as db:
        with pytest.raises(UsageError, match="has no event"):
            pairs_of(db, TINY, "quick")
        outcome = play(db, TINY, "quick")
        assert outcome.status == "done" and outcome.progress.games_now == 6
        counts = pairs_of(db, TINY, "quick")
        assert sum(counts) == 3 and list(counts) == outcome.progress.pairings[0].pentanomial
        assert play(db, TINY, "quick").progress.games_now == 0
        with pytest.raises(UsageError, match="other settings"):
            play(db, replace(TINY, seed=6), "quick")
        program = contests.this_program()
        monkeypatch.setattr(
            contests, "this_program", lambda *_: structs.replace(program, signature="0" * 16)
        )
        with pytest.raises(EngineProblem, match="another core"):
            play(db, TINY, "quick")


@pytest.mark.native
def test_contests_of_several_threads_play_fewer_games_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(contests, "start_event", lambda *_, jobs, **__: seen.append(jobs))
    threaded = replace(TINY, first="mtdf:threads=2")
    with open_database(tmp_path / "mtdf.db") as db:
        for jobs in (1, 2, 5):
            play(db, TINY, "quick", jobs=jobs)
            play(db, threaded, "quick", jobs=jobs)
    assert seen == [1, 1, 2, 1, 5, 2]


@pytest.mark.native
def test_contest_goes_on_from_another_checkout_with_the_same_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = replace(TINY, book="few.pgn")
    with open_database(tmp_path / "mtdf.db") as db:
        for checkout, moves, games in (
            ("first", "e4 d4 c4", 6),
            ("second", "e4 d4 c4", 0),
            ("third", "e4 d4 f4", None),
        ):
            folder = tmp_path / checkout
            folder.mkdir()
            (folder / "few.pgn").write_text("".join(f"1. {move} *\n\n" for move in moves.split()))
            monkeypatch.setattr(contests, "BOOKS", folder)
            contests._book.cache_clear()
            if games is None:
                with pytest.raises(UsageError, match="other settings"):
                    play(db, contest, "quick")
            else:
                assert play(db, contest, "quick").progress.games_now == games
    contests._book.cache_clear()
