"""The windows of each driver by its definition, written a second time and in other words: what
passes must ask, given what they returned. On real trees by both backends, and on made-up ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count, product

import chess
import pytest

from engines.choices import CONVERGENCES
from engines.native import NativeSearcher
from engines.reference.drivers.bns import bns
from engines.reference.drivers.convergence import Convergence
from engines.reference.drivers.hybrid import hybrid
from engines.reference.drivers.mtd_best import mtd_best
from engines.reference.drivers.mtd_bi import mtd_bi
from engines.reference.drivers.mtd_step import mtd_step
from engines.reference.drivers.mtdf import mtdf
from engines.spec import Iteration, Pass, Searcher, SearchLimit

INFINITY = 32_001
HIGHEST = 32_000
LOWEST = -31_999
"""Values of a root lie above -HIGHEST and below HIGHEST, so windows lie at LOWEST to HIGHEST."""
MATES = 31_000
"""Values beyond are mates."""

Windows = Generator[tuple[int, int], int, None]


@dataclass
class Between:
    """What is known of a value: it is at least ``lower`` and at most ``upper``."""

    lower: int = -INFINITY
    upper: int = INFINITY

    def learn(self, beta: int, value: int) -> bool:
        """Whether a null window failed high."""
        if value >= beta:
            self.lower = value
        else:
            self.upper = value
        return value >= beta

    @property
    def is_closed(self) -> bool:
        return self.lower >= self.upper

    @property
    def has_ends(self) -> bool:
        return self.lower != -INFINITY and self.upper != INFINITY

    def nearest(self, wanted: int) -> int:
        """The beta nearest to the wanted one whose answer tells something new."""
        least, most = max(self.lower + 1, LOWEST), min(self.upper, HIGHEST)
        return least if wanted < least else most if wanted > most else wanted

    def on_grain(self, wanted: int, grain: int) -> int:
        """The same, rounded up to a multiple of the grain."""
        return self.nearest(rounded_up(self.nearest(wanted), grain))


def rounded_up(value: int, grain: int) -> int:
    """The least multiple of ``grain`` that is not below ``value``."""
    return next(beta for beta in count(value) if beta % grain == 0)


@dataclass
class Mtdf:
    """MTD(f), and the hybrid where ``null_passes`` is given."""

    rule: str
    step: int = 1
    above: bool = True
    grain: int = 1
    max_passes: int = 0
    null_passes: int | None = None
    cap: int = 0
    below: int = 0
    tolerance: int = 0
    reopen: bool = False
    seen: set[str] = field(default_factory=set)
    """Which of the rarer turns were taken."""

    def windows(self, guess: int) -> Windows:
        """The windows; the value of each is sent in."""
        known, answers, reopened, reach = Between(), list[tuple[int, int]](), 0, self.cap
        beta = rounded_up(guess - self.below, self.grain) if self.below else guess
        window = beta - 1, beta
        while True:
            value = yield window
            if window[0] < value < window[1]:
                return
            high = known.learn(window[1], value)
            answers.append((window[1], value))
            if known.has_ends and 0 < known.upper - known.lower <= self.tolerance:
                if max(-known.lower, known.upper) <= MATES:
                    self.seen.add("near")
                    return
            if known.is_closed:
                apart = known.lower - known.upper
                if not self.reopen or reopened == 2 or apart <= self.tolerance:
                    return
                reopened += 1
                self.seen.add("reopened")
                known = Between(lower=value) if high else Between(upper=value)
            if self._ends(known, len(answers)):
                self.seen.add("wide")
                window = self._wide(known, reach)
                reach *= 4
            else:
                beta = self._next(known, answers)
                window = beta - 1, beta

    def _wide(self, known: Between, reach: int) -> tuple[int, int]:
        """What is open, but on a side without an end so far only, until that is a thousand."""
        if not 0 < reach <= 1_000 or known.has_ends:
            return known.lower, known.upper
        self.seen.add("capped")
        if known.upper == INFINITY:
            return known.lower, max(known.lower + 1, min(known.lower + reach, INFINITY))
        return max(known.upper - reach, -INFINITY), known.upper

    def _ends(self, known: Between, passes: int) -> bool:
        if self.null_passes is None:
            return passes == self.max_passes
        return passes >= self.null_passes or known.has_ends

    def _next(self, known: Between, answers: list[tuple[int, int]]) -> int:
        ways = [value >= beta for beta, value in answers]
        high = ways[-1]

        def beyond(step: int) -> int:
            return known.lower + step if high else known.upper - step + 1

        if self.rule == "plaat":
            return answers[-1][1] + high
        if self.rule == "growth":
            return known.nearest(beyond(grown(ways, 1, 1)))
        if self.rule == "step":
            wanted = beyond(self.step)
        elif self.rule == "one-side":
            # Steps double from one pass to the next of those that come from the chosen side.
            before = ways[:-1].count(self.above)
            wanted = beyond(max(self.step, self.grain) << before if high == self.above else 1)
        elif self.rule == "bisect" and known.has_ends:
            self.seen.add("middle")
            wanted = math.ceil(Fraction(known.lower + known.upper, 2))
        elif self.rule == "bisect":
            wanted = beyond(grown(ways, max(self.step, self.grain), 1))
        else:
            line = self._line(answers) if len(answers) > 1 else None
            wanted = beyond(grown(ways, self.grain, self.grain)) if line is None else line
        return known.on_grain(wanted, self.grain)

    def _line(self, answers: list[tuple[int, int]]) -> int | None:
        """Where the line through the last two passes, window against what was returned beyond it,
        meets nothing beyond; not farther than eight times what the last returned beyond; None
        where that lies behind what the last pass has proved."""
        (x, y), (x2, y2) = (
            (beta, value - (beta - 1) if value >= beta else value - beta)
            for beta, value in answers[-2:]
        )
        if y == y2:
            return None
        way = 1 if y2 > 0 else -1
        leap = way * (Fraction(-y2 * (x2 - x), y2 - y))
        if leap <= 0:
            return None
        whole = math.floor(leap)
        if whole > 8 * abs(y2):
            whole = 8 * abs(y2)
            self.seen.add("cap")
        if whole < abs(y2):
            return None
        self.seen.add("line")
        return x2 + way * whole


def grown(ways: list[bool], first: int, least: int) -> int:
    """The step after passes that failed these ways: it doubles while they fail alike and halves
    when the value was crossed."""
    step = first
    for before, after in zip(ways, ways[1:], strict=False):
        step = 2 * step if before == after else max(step // 2, least)
    return step


def sss_windows() -> Windows:
    """From above, always at the upper bound."""
    value = yield HIGHEST - 1, HIGHEST
    beta = HIGHEST
    while value < beta:
        beta = value
        value = yield beta - 1, beta


def dual_windows() -> Windows:
    """From below, always just above the lower bound."""
    beta = LOWEST
    value = yield beta - 1, beta
    while value >= beta:
        beta = value + 1
        value = yield beta - 1, beta


def middle_windows(grain: int) -> Windows:
    """``mtd-bi``: 0, and then the middle of all values that are left, halves upwards."""
    known, beta = Between(), 0
    while not known.is_closed:
        value = yield beta - 1, beta
        known.learn(beta, value)
        ends = max(known.lower, -HIGHEST) + min(known.upper, HIGHEST)
        beta = known.on_grain(math.ceil(Fraction(ends, 2)), grain)


def step_windows(stride: int, grain: int) -> Windows:
    """``mtd-step``: a stride below what the last pass returned, wherever its window lay."""
    known, beta = Between(), HIGHEST
    while not known.is_closed:
        value = yield beta - 1, beta
        known.learn(beta, value)
        beta = known.on_grain(value - stride, grain)


def follow(windows: Windows, passes: Collection[Pass]) -> None:
    """Assert that the passes asked these windows and no others."""
    asked = next(windows)
    for place, one in enumerate(passes, 1):
        window = max(one.alpha, -INFINITY), min(one.beta, INFINITY)
        assert window == asked, f"pass {place} of {list(passes)}"
        try:
            asked = windows.send(one.value)
        except StopIteration:
            assert place == len(passes), "it went on"
            return
    raise AssertionError(f"it ended before {asked}")


def step_below(upper: int, step: int, grain: int) -> int:
    """A window so far below an upper bound, but above mates while the bound is no mate."""
    least = -MATES if upper > -MATES else LOWEST
    return min(max(rounded_up(upper + 1 - step, grain), least), upper)


Proof = tuple[set[str], int]
"""The moves that may be named, and the bound."""


def follow_bns(
    passes: Collection[Pass], moves: Collection[str], guess: int, grain: int, seen: set[str]
) -> Proof:
    """Assert that the passes are those of Best Node Search from this guess: every move that may
    still be best, and whose bounds do not answer, by each separating value."""
    known = {move: Between() for move in moves}
    left, all_of_them = set(moves), Between()
    test, step, told = guess, grain, iter(passes)
    while True:
        asked = {move for move in left if known[move].lower < test <= known[move].upper}
        while asked:
            one = next(told)
            assert one.move in asked and (one.alpha, one.beta) == (test - 1, test), one
            asked.remove(one.move)
            known[one.move].learn(test, one.value)
        better = {move for move in left if known[move].lower >= test}
        if better:
            left = better
            all_of_them.lower = max(known[move].lower for move in better)
        else:
            all_of_them.upper = max(known[move].upper for move in left)
        if len(better) == 1 or all_of_them.is_closed:
            break
        low, high, number = all_of_them.lower, all_of_them.upper, len(left)
        if low == -INFINITY:
            test = step_below(high, step, grain)
        elif high == INFINITY:
            test = all_of_them.on_grain(low + step, grain)
        else:
            seen.add("interval" if number > 2 else "half")
            wanted = low + math.floor(Fraction(number - 1, number) * (high + 1 - low))
            test = all_of_them.on_grain(wanted, grain)
        if not all_of_them.has_ends:
            step *= 2
    assert next(told, None) is None, "it went on"
    bound = max(known[move].lower for move in left)
    return {move for move in left if known[move].lower == bound}, bound


def follow_best(
    passes: Collection[Pass],
    moves: Collection[str],
    guess: int,
    grain: int,
    first: Callable[[set[str]], str] | None = None,
) -> Proof:
    """Assert that the passes disprove the rest: one move that reaches the guess, or what lies below
    it by steps that double, and then each that may be better. ``first`` says which comes first."""
    known = {move: Between() for move in moves}
    told, test, step = iter(passes), guess, grain
    best: str | None = None
    while best is None:
        asked = {move for move in moves if known[move].upper >= test}
        while asked and best is None:
            one = next(told)
            assert one.move in asked and (one.alpha, one.beta) == (test - 1, test), one
            assert first is None or one.move == first(asked)
            asked.remove(one.move)
            if known[one.move].learn(test, one.value):
                best = one.move
        if best is None:
            test = step_below(max(each.upper for each in known.values()), step, grain)
            step *= 2
    for one in told:
        bound = known[best].lower
        rivals = {move for move in moves if move != best and known[move].upper > bound}
        assert one.move in rivals and (one.alpha, one.beta) == (bound, bound + 1), one
        assert first is None or one.move == first(rivals)
        if known[one.move].learn(bound + 1, one.value):
            best = one.move
    bound = known[best].lower
    assert all(known[move].upper <= bound for move in moves if move != best), "it ended too soon"
    return {best}, bound


MakePlayer = Callable[[str], Searcher]
ENDINGS = [
    "8/2k5/8/p2K4/P4p2/5P2/2P5/8 b - - 0 1",
    "8/2k5/8/p2K4/P4p2/5P2/2P5/8 w - - 0 1",
    "1k6/8/8/p3p3/P3P3/1K6/5P2/8 w - - 0 1",
    "8/5k2/3b4/8/3N1p2/5P2/4K3/8 w - - 0 1",
]
MIDDLE = "r2q1rk1/pp2bppp/2n1pn2/3p4/3P1Bb1/2PBPN2/PP1N1PPP/R2Q1RK1 b - - 4 10"
SEARCHES = [*((fen, 3) for fen in ENDINGS), (MIDDLE, 2)]
SHORT = [(ENDINGS[0], 3), (ENDINGS[1], 2), (MIDDLE, 1)]
"""For the reference, which is slow and drives made-up trees too."""
GUESSES = (-310, 0, 163)


def searched(player: Searcher, guess: int | None) -> list[tuple[str, Iteration]]:
    """All iterations of exact searches of the positions, from one first guess."""
    found = []
    for fen, depth in SEARCHES if isinstance(player, NativeSearcher) else SHORT:
        player.set_position(fen)
        result = player.search(SearchLimit(depth=depth), exact=True, first_guess=guess)
        found += [(fen, iteration) for iteration in result.iterations]
    return found


@pytest.mark.parametrize("grain", [1, 7])
@pytest.mark.parametrize("rule", CONVERGENCES)
def test_mtdf_and_hybrid_search_the_windows_of_their_convergence(
    make_player: MakePlayer, rule: str, grain: int
) -> None:
    seen: set[str] = set()
    for number, guess in enumerate(GUESSES):
        step, above = (25, 12, 40)[number], number != 1
        moves = f"convergence={rule}"
        if rule in ("step", "one-side", "bisect"):
            moves += f",step={step}"
        if rule == "one-side":
            moves += f",side={'above' if above else 'below'}"
        tail = f"{moves},eval=pst,grain={grain}"
        most = (0, 3, 0)[number]
        for text, limits in (
            (
                f"mtdf:max_passes={most},below={3 * number},{tail}",
                {"max_passes": most, "below": 3 * number},
            ),
            (
                f"hybrid:null_passes={1 + number},below=0,{tail}",
                {"null_passes": 1 + number},
            ),
            (
                f"hybrid:null_passes=1,cap={9 * grain},below={7 + number},{tail}",
                {"null_passes": 1, "cap": 9 * grain, "below": 7 + number},
            ),
        ):
            for _, iteration in searched(make_player(text), guess):
                form = Mtdf(rule, step, above, grain, seen=seen, **limits)
                follow(form.windows(guess), iteration.passes)
    assert {"wide", "capped"} <= seen
    assert rule != "bisect" or "middle" in seen
    assert rule != "secant" or {"line", "cap"} <= seen


@pytest.mark.parametrize("driver", ["mtdf", "hybrid"])
def test_tolerance_ends_and_reopen_widens_windows_in_play(
    make_player: MakePlayer, driver: str
) -> None:
    """Also with the values reported: the bound, the middle, or what lies nearest to the guess."""
    seen: set[str] = set()
    told = set()
    for tolerance, reported, reopen in (
        (0, None, True),
        (8, "lower", False),
        (20, "middle", True),
        (30, "estimate", True),
    ):
        ending = f"below=0,best_move_stop=off,tolerance={tolerance},"
        ending += "" if reported is None else f"reported={reported},"
        ending += "reopen=on" if reopen else "reopen=off"
        limits = {"null_passes": 3} if driver == "hybrid" else {}
        own = ",null_passes=3" if limits else ""
        player = make_player(f"{driver}:eval=pst,convergence=step,step=15,{ending}{own}")
        fast = isinstance(player, NativeSearcher)
        for fen in (*ENDINGS, MIDDLE) if fast else ENDINGS[1:3]:
            player.set_position(fen)
            for one in player.search(SearchLimit(nodes=1_200 if fast else 700)).iterations:
                assert one.first_guess is not None
                if not one.finished:
                    continue
                form = Mtdf("step", 15, tolerance=tolerance, reopen=reopen, seen=seen, **limits)
                follow(form.windows(one.first_guess), one.passes)
                last = one.passes[-1]
                if last.alpha < one.value < last.beta or one.value == last.value:
                    continue
                lower = max(each.value for each in one.passes if each.fails_high)
                upper = min(each.value for each in one.passes if each.fails_low)
                estimate = sorted((lower, one.first_guess, upper))[1]
                values = {"lower": lower, "middle": (lower + upper) // 2, "estimate": estimate}
                assert reported is not None and one.value == values[reported]
                told.add(reported)
    assert "near" in seen
    assert "middle" in told


@pytest.mark.parametrize("grain", [1, 7])
def test_drivers_without_a_guess_search_their_windows(make_player: MakePlayer, grain: int) -> None:
    values = set()
    for text, windows in (
        ("sss", sss_windows),
        ("dual", dual_windows),
        ("mtd-bi", lambda: middle_windows(grain)),
        ("mtd-step:stride=30", lambda: step_windows(30, grain)),
        ("mtd-step:stride=45", lambda: step_windows(45, grain)),
    ):
        text += f"{',' if ':' in text else ':'}eval=pst,grain={grain}"
        for _, iteration in searched(make_player(text), None):
            follow(windows(), iteration.passes)
            values.add(iteration.value > 0)
    assert values == {False, True}, "values of both signs"


@pytest.mark.parametrize("driver", ["bns", "mtd-best"])
def test_drivers_that_prove_a_move_search_their_windows(
    make_player: MakePlayer, driver: str
) -> None:
    seen: set[str] = set()
    for grain, guess in product((1, 7), GUESSES):
        player = make_player(f"{driver}:eval=pst,grain={grain}")
        for fen, iteration in searched(player, guess):
            moves = [move.uci() for move in chess.Board(fen).legal_moves]
            if driver == "bns":
                found = follow_bns(iteration.passes, moves, guess, grain, seen)
            else:
                found = follow_best(iteration.passes, moves, guess, grain)
            assert iteration.move in found[0] and iteration.value == found[1]
    assert driver == "mtd-best" or seen == {"interval", "half"}


# Trees that return what they are told to, within what is true of a value.

TRUTHS = (-20_011, -903, -24, -1, 0, 3, 47, 888)
SLACKS = (0, 9, 61, 10**6)


@dataclass
class Made:
    """A root of moves with known values, whose passes are fail-soft and miss by up to a slack."""

    values: tuple[int, ...]
    slack: int
    grain: int = 1
    passes: list[Pass] = field(default_factory=list)
    chosen: int | None = None

    @property
    def count(self) -> int:
        return len(self.values)

    def search(self, alpha: int, beta: int) -> int:
        return self._told(max(self.values), alpha, beta, None)

    def test(self, place: int, beta: int) -> int:
        return self._told(self.values[place], beta - 1, beta, str(place))

    def choose(self, place: int) -> None:
        self.chosen = place

    def _told(self, truth: int, alpha: int, beta: int, move: str | None) -> int:
        """Values are multiples of the grain, and so are bounds."""
        assert len(self.passes) < 70_000
        value = truth
        if truth >= beta:
            value = max(rounded_up(beta, self.grain), truth - self.slack * self.grain)
        elif truth <= alpha:
            below = rounded_up(alpha + 1, self.grain) - self.grain
            value = min(below, truth + self.slack * self.grain)
        self.passes.append(Pass(alpha, beta, value, 1, move))
        return value


@pytest.mark.parametrize("rule", CONVERGENCES)
def test_windows_of_mtdf_and_hybrid_on_made_up_trees(rule: str) -> None:
    seen: set[str] = set()
    for truth, slack, guess, grain in product(TRUTHS[1:], SLACKS, (-700, 1, 333), (1, 10)):
        if rule in ("plaat", "step", "one-side") and abs(truth - guess) > 250 * grain:
            continue
        for step, above in ((15, True), (4, False)):
            made = Made((truth * grain,), slack, grain)
            choice = Convergence(rule, step, above, grain)
            assert mtdf(made.search, guess, choice) == truth * grain
            follow(Mtdf(rule, step, above, grain, seen=seen).windows(guess), made.passes)
            made.passes.clear()
            hybrid(made.search, guess, choice, step)
            limited = Mtdf(rule, step, above, grain, null_passes=step)
            follow(limited.windows(guess), made.passes)
            made.passes.clear()
            assert hybrid(made.search, guess, choice, 1, 15 * step) == truth * grain
            capped = Mtdf(rule, step, above, grain, null_passes=1, cap=15 * step)
            follow(capped.windows(guess), made.passes)
    assert rule != "secant" or {"line", "cap"} <= seen


def test_windows_without_a_guess_on_made_up_trees() -> None:
    for truth, slack, grain in product(TRUTHS, SLACKS, (1, 10, 25)):
        truth = rounded_up(truth, grain)
        made = Made((truth,), slack, grain)
        assert mtd_bi(made.search, grain) == truth
        follow(middle_windows(grain), made.passes)
        for stride in (77, 1_000):
            made.passes.clear()
            assert mtd_step(made.search, stride, grain) == truth
            follow(step_windows(stride, grain), made.passes)


@pytest.mark.parametrize("grain", [1, 10])
def test_proofs_on_made_up_roots(grain: int) -> None:
    """Of moves that tie the first is named; rivals are disproved in the order of the root."""
    seen: set[str] = set()
    roots = [
        *((5,), (3, 9, 9, -4), (0, 0, 0), (-70, -64, -64, -90, -63), (8, 1, 8, 8, 7, 8)),
        *((-29_990, -29_950, -29_950), (-28_000, -30_990), (12, 480, 250, 479, 480, 3)),
    ]
    for root, slack, guess in product(roots, SLACKS, (-500, -64, 0, 9, 400)):
        values = tuple(value // grain * grain for value in root)
        names = [str(place) for place in range(len(values))]
        made = Made(values, slack, grain)
        bound = bns(made, guess, grain)
        best, proven = follow_bns(made.passes, names, guess, grain, seen)
        assert (str(made.chosen), bound) == (min(best), proven)
        made = Made(values, slack, grain)
        bound = mtd_best(made, guess, grain)
        best, proven = follow_best(made.passes, names, guess, grain, min)
        assert ({str(made.chosen)}, bound) == (best, proven)
        assert values[int(min(best))] == max(values)
    assert seen == {"interval", "half"}
