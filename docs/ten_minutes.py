"""Write docs/mtdf-in-ten-minutes.html: run ``python docs/ten_minutes.py``.

The page leads through MTD(f) with recorded searches, from nine leaves to a chess position.
Every number in its text is counted in the recordings: text and player cannot differ. A test
demands that the file is what this script writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from engines.trees.text import read_tree
from engines.variant import parse_variant
from toolkit.lab.recording import Recording
from toolkit.lab.trace import TraceQuery, trace_search
from toolkit.show.pages.document import document
from toolkit.show.pages.parts import Block, Player, Question, Section, Subject, Words
from toolkit.show.pages.player import player_data

PAGE = Path(__file__).with_name("mtdf-in-ten-minutes.html")
NINE = "A(B(3 12 8) C(2 4 6) D(14 5 2))"
SHARED = "A(B(D(6 9) E(1 5)) C(D F(8 3)))"
"""D stands below B and below C."""
CHESS = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
"""Black must see that Qxf7 mates."""
PLAAT = "mtdf:preset=plaat"


def of_tree(engine: str, text: str, guess: int | None = None) -> Recording:
    """A recorded search of a tree."""
    tree = read_tree(text)
    query = TraceQuery(parse_variant(engine), text, tree.height, tree=tree, first_guess=guess)
    return recorded(query)


def of_chess(engine: str, depth: int) -> Recording:
    """A recorded search of the chess position."""
    return recorded(TraceQuery(parse_variant(engine), CHESS, depth))


def recorded(query: TraceQuery) -> Recording:
    """The recording of a search."""
    from msgspec.structs import replace

    found = trace_search(replace(query, record=True)).recording
    assert found is not None
    return found


def steps(recording: Recording) -> Iterator[tuple[int, bool, bool]]:
    """The steps of the player: the row of a visit, whether it is entered, whether it is left."""
    parents = recording.visits.parent
    inner, path = set(parents), list[int]()
    for row, parent in enumerate(parents):
        while path and path[-1] != parent:
            yield path.pop(), False, True
        yield row, True, row not in inner
        if row in inner:
            path.append(row)
    while path:
        yield path.pop(), False, True


def step_where(
    recording: Recording, test: Callable[[int, bool, bool], bool], number: int = 1
) -> int:
    """The number of a step from 1, as the player shows it: the first one, or a later one, of which
    a test holds."""
    places = [at for at, step in enumerate(steps(recording), 1) if test(*step)]
    return places[number - 1]


def line(recording: Recording, row: int) -> str:
    """The moves that lead to a visit."""
    names, visits = list[str](), recording.visits
    while visits.parent[row] >= 0:
        names.insert(0, recording.moves[visits.move[row]])
        row = visits.parent[row]
    return " ".join(names)


def at_end_of(recording: Recording, path: str, number: int = 1) -> int:
    """The step that leaves a node for the first time, or a later one."""
    return step_where(recording, lambda row, _, left: left and line(recording, row) == path, number)


def leaves(recording: Recording) -> int:
    """Visits of leaves."""
    return recording.visits.depth.count(0)


def subject() -> Subject:
    """The page."""
    alphabeta, two = of_tree("alphabeta", NINE), of_tree(PLAAT, NINE, 4)
    far, shared = of_tree(PLAAT, NINE, 12), of_tree(PLAAT, SHARED, 7)
    chess, pvs = of_chess("mtdf", 3), of_chess("pvs", 3)
    sections = [
        Section("tree", "A tree of nine leaves", list(_first(alphabeta))),
        Section("passes", "Two questions instead of one", list(_second(two, alphabeta))),
        Section("guess", "A distant guess", list(_third(far, two))),
        Section("table", "One position, two ways to it", list(_fourth(shared))),
        Section("chess", "A chess position, beside PVS", list(_fifth(chess, pvs))),
        Section("questions", "Ten questions", list(_questions(alphabeta, two, far, shared))),
    ]
    title = "MTD(f) in ten minutes"
    return Subject("ten-minutes", title, "Step through each search with the arrow keys.", sections)


def _player(*recordings: Recording) -> Player:
    return Player(player_data(recordings))


def _first(search: Recording) -> Iterator[Block]:
    entered = len(search.visits.parent)
    yield Words(
        "Two sides move in turn. MAX moves at A and wants a great number, MIN moves at B, C and D "
        "and wants a small one. A leaf has the value that the game is worth there for MAX. B is "
        f"worth 3, C 2 and D 2, so A is worth {search.value}: the minimax value."
    )
    yield Words(
        "Alpha-beta finds it without looking at every leaf. It carries a window (α, β): MAX has α "
        "already, and MIN will not allow more than β. Press the right arrow key until the search "
        "leaves C. Its first leaf is 2, and MAX has 3 at B: the other leaves of C cannot change "
        f"anything. They are cut off. The search visits {entered} of 13 nodes and "
        f"{leaves(search)} of 9 leaves."
    )
    yield _player(search)


def _second(search: Recording, other: Recording) -> Iterator[Block]:
    first, second = search.passes
    yield Words(
        "The smaller the window, the more is cut. The smallest window with whole numbers, (3, "
        "4), has no number inside: a search with it cannot return the value. It answers a "
        "question: is A worth at least 4? This is a null window, and such a search is a pass."
    )
    yield Words(
        "MTD(f) finds the value by null windows alone. It starts at a first guess, here 4. Pass "
        f"1 returns {first.value}: it fails low, so A is worth at most {first.value}. Pass 2 asks "
        f"whether A is worth at least {first.value}, by the window ({second.alpha}, "
        f"{second.beta}). It fails high. Both bounds have met: A is worth {search.value}."
    )
    yield Words(
        f"Pass 1 visits {first.nodes} nodes, pass 2 only {second.nodes}: as soon as B is known to "
        f"be worth 3, A reaches β, and C and D are cut off. Alpha-beta visited {other.nodes} "
        "nodes in its only pass. On a tree as small as this one MTD(f) is not cheaper."
    )
    yield _player(search)


def _third(search: Recording, near: Recording) -> Iterator[Block]:
    told = ", ".join(
        f"pass {one.number} with ({one.alpha}, {one.beta}) returns {one.value}"
        for one in search.passes
    )
    yield Words(
        f"With the first guess 12 the same search takes {len(search.passes)} passes: {told}. It "
        f"visits {search.nodes} nodes, with the guess 4 it visited {near.nodes}. A pass returns "
        "the best bound that it knows (it is fail-soft), so MTD(f) does not have to try every "
        "number between."
    )
    yield Words(
        "In a game the first guess is the value of a shallower search. The nearer it is to the "
        "value, the less there is to do."
    )
    yield _player(search)


def _fourth(search: Recording) -> Iterator[Block]:
    hits = sum(one > 0 for one in search.visits.hits)
    again = sum(search.visits.again)
    yield Words(
        "In games one position is reached in several ways. In this tree D stands below B and "
        "below C. The table knows positions, not paths: what was found of D below B is known "
        "when the search comes to D below C."
    )
    yield Words(
        f"{search.first_guess} is the first guess, and {len(search.passes)} passes find the value "
        f"{search.value}. Next table hit stops where the table knows a node ({hits} times), next "
        f"re-expansion where moves are searched that an earlier pass had searched ({again} times)."
    )
    yield _player(search)


def _fifth(search: Recording, other: Recording) -> Iterator[Block]:
    yield Words(
        "PVS, the search of most chess programs, uses null windows too, but inside of one pass "
        "with a wide window. Here both search the same chess position to depth 3, step by step "
        "with the same number of nodes. Black is to move, so MAX is Black. Below the leaves "
        "captures are searched until the position is quiet; the player counts these nodes and "
        "does not show them."
    )
    yield Words(
        f"MTD(f) needs {len(search.passes)} passes and {search.nodes} nodes, PVS "
        f"{len(other.passes)} and {other.nodes}. Both find {search.value:+d} centipawns and "
        f"{search.best}. Which of them is cheaper depends on the position and on the guess: mtdf "
        "lab compares drivers on many positions, and mtdf match tells what it means in games."
    )
    yield _player(search, other)


def _questions(
    alphabeta: Recording, two: Recording, far: Recording, shared: Recording
) -> Iterator[Block]:
    def asked(text: str, answer: str, player: int, step: int) -> Question:
        return Question(text, answer, f"player-{player}-{step}")

    c_cut = at_end_of(alphabeta, "C")
    yield asked(
        "1. Why are two leaves of C cut off?",
        "MIN has 2 there already. MAX has 3 at B, so MAX will not go to C: 2 ≤ α.",
        1,
        c_cut,
    )
    yield asked(
        "2. Why are all leaves of D visited?",
        "Its first leaves, 14 and 5, are more than MAX has at B: only the last one, 2, shows "
        "that D is no better.",
        1,
        at_end_of(alphabeta, "D"),
    )
    ends = [at_end_of(two, "", number) for number in (1, 2)]
    yield asked(
        "3. What does pass 1 of the second player prove?",
        f"It fails low with {two.passes[0].value}: A is worth at most {two.passes[0].value}.",
        2,
        ends[0],
    )
    starts = [
        step_where(two, lambda row, new, _: new and two.visits.parent[row] < 0, number)
        for number in (1, 2)
    ]
    yield asked(
        "4. Why does pass 2 have the window (2, 3)?",
        "The upper bound is 3. The only question left is whether A is worth at least 3.",
        2,
        starts[1],
    )
    again = [row for row, one in enumerate(two.visits.again) if one]
    named = sorted({line(two, row) or "A" for row in again})
    yield asked(
        "5. Which nodes does pass 2 expand again?",
        f"{' and '.join(named)}: their moves were searched in pass 1 already.",
        2,
        step_where(two, lambda row, _, left: left and two.visits.again[row] == 1),
    )
    yield asked(
        "6. Why are C and D not visited in pass 2?",
        "A is known to be worth 3 as soon as B is: 3 reaches β, and the other moves are cut off.",
        2,
        ends[1],
    )
    yield asked(
        "7. What does a distant first guess cost?",
        f"{len(far.passes)} passes and {far.nodes} nodes instead of {len(two.passes)} and "
        f"{two.nodes}.",
        3,
        at_end_of(far, "", len(far.passes)),
    )
    decided = step_where(
        shared,
        lambda row, _, left: (
            left and shared.reasons[shared.visits.reason[row]].code.startswith("table")
        ),
    )
    where = [row for row, _, left in steps(shared)][decided - 1]
    yield asked(
        "8. Where does the table decide a node first in the fourth player, and why?",
        f"At {' below '.join(reversed(line(shared, where).split()))}: the bounds that were found "
        "of it leave no number inside the window.",
        4,
        decided,
    )
    yield asked(
        "9. How do both bounds end the search?",
        f"After the last pass the lower and the upper bound of A are both {shared.value}.",
        4,
        at_end_of(shared, "", len(shared.passes)),
    )
    yield asked(
        "10. Why can a pass with a null window not return “the value”?",
        "No whole number lies inside the window, so whatever it returns is a bound.",
        2,
        starts[0],
    )


def page() -> str:
    """The page as HTML."""
    shown = subject()
    return document(shown.title, [shown])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
