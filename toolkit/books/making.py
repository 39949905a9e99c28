"""Making books of balanced openings with our own search.

Candidate number n of a recipe is a random walk from the start position, a pure function of
(recipe, n). It is dropped as soon as a short search finds the walk unbalanced, so that no opening
contains two blunders that happen to cancel out. At the end a longer search judges the position.
Accepted candidates are kept in the order of their numbers, without repeated positions, so the book
is the same for any number of jobs and after any interruption.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import cache, partial
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Any, TextIO

from msgspec import Struct
from msgspec.structs import asdict

from engines.backend import make_searcher, signature
from engines.errors import VariantError
from engines.rules.board import Board, Rules
from engines.rules.catalog import rules_of
from engines.spec import Searcher, SearchLimit
from engines.variant import parse_variant
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.files import write_whole
from toolkit.base.ranges import check_whole
from toolkit.base.version import Provenance, check_program, this_program
from toolkit.books.book import MADE_HEADER, Book, check_made_name
from toolkit.books.info import BookFault
from toolkit.runs.executor import POLL_S, Done, Failed, Work
from toolkit.runs.jobs import Jobs, check_jobs, make_executor
from toolkit.runs.stopping import stop_on_signals

DEFAULT_JUDGE = "pvs:entries=2^16"
JUDGE_NODES = 20_000
"""Default nodes of the judge's search."""
_CHUNK = 256
"""Candidates that a worker tries in one go."""
_GIVE_UP = 200_000
"""Candidates without a new line after which the recipe is considered hopeless."""
_EXHAUSTED = 1000
"""Consecutive balanced candidates that all repeat book lines, after which we assume that there are
no others: the remaining lines then have less than a hundredth of the total probability."""
_QUICK_SHARE = 20
"""The searches along the walk get this part of the nodes of the last one."""
_QUICK_BAND = 3
"""Maximum imbalance of a position along the walk, as a multiple of max_cp."""


class MadeBook(Struct, frozen=True):
    """A new book."""

    file: Annotated[str, "file of the book"]
    lines: Annotated[int, "number of lines"]
    tried: Annotated[int, "number of candidates tried"]


class BookRecipe(Struct, frozen=True):
    """Everything that a made book depends on, but for the judge's core signature, and for the
    defaults of what the judge's text leaves out; a book in work notes both."""

    count: int
    """Lines wanted."""
    plies: int = 8
    """Length of each walk from the start of chess."""
    max_cp: int = 50
    """A line is balanced when the judge values it within ±max_cp centipawns."""
    seed: int = 1
    nodes: int = JUDGE_NODES
    """Nodes of the judge's search of the final position."""
    judge: str = DEFAULT_JUDGE
    """The variant that judges."""

    @property
    def rules(self) -> Rules:
        """Of the game that the judge plays."""
        return rules_of(parse_variant(self.judge).game)

    def __post_init__(self) -> None:
        check_whole("lines of the book", self.count, 1, 1_000_000)
        check_whole("plies of a line", self.plies, 1, 60)
        check_whole("greatest imbalance in centipawns", self.max_cp, 1, 10_000)
        check_whole("seed", self.seed, 0, 2**63 - 1)
        check_whole("nodes of the judge", self.nodes, 1, 1_000_000_000)
        try:
            parse_variant(self.judge)
        except VariantError as error:
            raise UsageError(f"judge of the book: {error}") from error


class MadeLine(Struct, frozen=True):
    """An accepted line."""

    candidate: int
    moves: tuple[str, ...]
    """From the start of chess, UCI."""
    epd: str
    """The position reached, without clocks."""
    cp: int
    """The judge's value for the side to move."""


class MakingProgress(Struct, frozen=True):
    """How far a book is."""

    accepted: int
    tried: int
    wanted: int
    signal: int | None = None
    """The signal that stopped the work before the book was whole."""


def make_book(
    recipe: BookRecipe,
    path: Path,
    *,
    jobs: Jobs = 1,
    on_progress: Callable[[MakingProgress], None] | None = None,
    stop: threading.Event | None = None,
) -> MakingProgress:
    """Write the book of ``recipe`` to ``path`` as EPD with the recipe in its first lines.

    Lines are saved in ``path.partial`` after each chunk. After an interruption, a call with the
    same recipe continues from there. Set ``stop`` to stop; in the main thread the first Ctrl-C or
    SIGTERM also does. The book is then not written. Raises UsageError if ``path`` exists or would
    be read as another kind of book, if the partial file has another recipe, or if no candidate is
    accepted for very long; OperationFailed for candidates that kill their worker.
    """
    check_jobs(jobs)
    check_made_name(path)
    if path.exists():
        raise UsageError(f"{path} exists already: remove it or choose another name")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
    partial_path = path.with_name(path.name + ".partial")
    header = asdict(recipe) | {
        "judge_id": parse_variant(recipe.judge).identity,
        "signature": signature(recipe.rules.game),
    }
    with stop_on_signals(stop) as request:
        lines, tried = _read_partial(partial_path, header)
        with partial_path.open("a", encoding="utf-8") as log:
            if not partial_path.stat().st_size:
                log.write(json.dumps(header) + "\n")
            search = _LineSearch(recipe, lines, tried, log, on_progress)
            try:
                search.run(jobs, request.event)
            except _Hopeless:
                partial_path.unlink()  # to go on from it is as hopeless
                raise
        if search.is_whole():
            _write_book(path, header, search.lines)
            partial_path.unlink()
        return search.progress(request.signal)


class _LineSearch:
    """The search for the lines of a book, starting from earlier results."""

    def __init__(
        self,
        recipe: BookRecipe,
        lines: list[MadeLine],
        tried: int,
        log: TextIO,
        on_progress: Callable[[MakingProgress], None] | None,
    ) -> None:
        self.lines = lines
        self._recipe = recipe
        self._tried = tried
        self._log = log
        self._on_progress = on_progress
        self._seen = {line.epd for line in lines}
        self._idle = self._repeated = 0

    def is_whole(self) -> bool:
        """Whether every line is found."""
        return len(self.lines) == self._recipe.count

    def progress(self, signal: int | None = None) -> MakingProgress:
        """How far the book is, and what stopped it."""
        stopped = None if self.is_whole() else signal
        return MakingProgress(len(self.lines), self._tried, self._recipe.count, stopped)

    def run(self, jobs: Jobs, stop: threading.Event) -> None:
        """Try chunks until there are enough lines or ``stop`` is set."""
        if self.is_whole():
            return
        with closing(_chunks(self._recipe, self._tried // _CHUNK, jobs, stop)) as chunks:
            for number, found in chunks:
                self._take(number, found)
                if self.is_whole():
                    return

    def _take(self, number: int, found: list[MadeLine]) -> None:
        """Keep the new lines of a chunk. Raises _Hopeless."""
        wanted = self._recipe.count - len(self.lines)
        fresh = _distinct([line for line in found if line.epd not in self._seen])[:wanted]
        self.lines += fresh
        self._seen.update(line.epd for line in fresh)
        self._tried = (number + 1) * _CHUNK
        row = {"chunk": number, "lines": [asdict(line) for line in fresh]}
        self._log.write(json.dumps(row) + "\n")
        self._log.flush()
        if self._on_progress is not None:
            self._on_progress(self.progress())
        if self.is_whole():
            return
        self._idle = 0 if fresh else self._idle + _CHUNK
        self._repeated = 0 if fresh else self._repeated + len(found)
        if self._repeated >= _EXHAUSTED or self._idle >= _GIVE_UP:
            raise _Hopeless(
                f"found {len(self.lines)} of {self._recipe.count} lines; of {self._idle} more "
                f"candidates {self._repeated} were balanced and none was new: raise --plies or "
                "--max-cp, or ask for fewer lines"
            )


class _Hopeless(UsageError):
    """The recipe gives no more lines."""


def _distinct(lines: list[MadeLine]) -> list[MadeLine]:
    """The first line of each position, in their order."""
    found: dict[str, MadeLine] = {}
    for line in lines:
        found.setdefault(line.epd, line)
    return list(found.values())


def _write_book(path: Path, header: dict[str, Any], lines: list[MadeLine]) -> None:
    rules = rules_of(parse_variant(header["judge"]).game)
    rows = (_line(rules, number, line) for number, line in enumerate(lines, 1))
    write_whole(path, f"{MADE_HEADER}{json.dumps(header)}\n{''.join(rows)}")


def _line(rules: Rules, number: int, line: MadeLine) -> str:
    board = rules.replay(rules.start)
    for name in line.moves:
        board.push(rules.move_code(name))
    moves = " ".join(line.moves)
    return f'{board.place(clocks=True)} id "{number}"; c0 "{moves}"; c1 "cp {line.cp:+d}";\n'


def _read_partial(partial: Path, header: dict[str, Any]) -> tuple[list[MadeLine], int]:
    """The lines found so far and the candidates tried. A last line cut short is dropped."""
    if not partial.exists():
        return [], 0
    try:
        whole = partial.read_text(encoding="utf-8").split("\n")
        rows = [json.loads(row) for row in whole[:-1]]
        is_ours = rows[:1] in ([], [header])
        lines = [
            MadeLine(**{**line, "moves": tuple(line["moves"])})
            for row in (rows[1:] if is_ours else ())
            for line in row["lines"]
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{partial} is damaged ({error}): remove it") from error
    if not is_ours:
        raise UsageError(
            f"{partial} is of another recipe or core: remove it, or give the old options"
        )
    if whole[-1]:
        write_whole(partial, "".join(row + "\n" for row in whole[:-1]))
    return lines, max(0, len(rows) - 1) * _CHUNK


def _chunks(
    recipe: BookRecipe, first: int, jobs: Jobs, stop: threading.Event
) -> Generator[tuple[int, list[MadeLine]], None, None]:
    """Chunks in order, until ``stop`` is set."""
    found: dict[int, list[MadeLine]] = {}
    waiting = count(first)
    fitted = partial(_trying_there, recipe, this_program(recipe.rules.game))
    with make_executor(partial(_trying, recipe), jobs, fitted=fitted) as pool:
        for number in count(first):
            while number not in found:
                if stop.is_set():
                    return
                for task in islice(waiting, pool.room):
                    pool.submit(task)
                for report in pool.finished(POLL_S):
                    if isinstance(report, Failed):
                        raise OperationFailed(f"chunk {report.task} failed: {report.reason}")
                    if isinstance(report, Done):
                        found[report.task] = report.result
            yield number, found.pop(number)


def _trying(recipe: BookRecipe) -> Callable[[int], list[MadeLine]]:
    """What a worker process does with each chunk."""
    return partial(try_chunk, recipe)


def _trying_there(recipe: BookRecipe, wanted: Provenance, slots: int) -> Work[int, list[MadeLine]]:
    """What a machine of a cluster does with chunks. Raises EngineProblem if its program is not the
    one of the coordinator."""
    check_program(wanted)
    return partial(_trying, recipe)


def try_chunk(recipe: BookRecipe, number: int) -> list[MadeLine]:
    """The accepted lines of one chunk of candidates, in order."""
    first = number * _CHUNK
    tried = (try_candidate(recipe, candidate) for candidate in range(first, first + _CHUNK))
    return [line for line in tried if line is not None]


def try_candidate(recipe: BookRecipe, candidate: int) -> MadeLine | None:
    """Candidate number ``candidate``, or None if it is unbalanced or ends too early."""
    judge = judge_searcher(recipe.judge)
    rules = recipe.rules
    board = rules.replay(rules.start)
    moves: list[str] = []
    ended = None
    for move in random_walk(recipe, candidate):
        board.push(rules.move_code(move))
        ended = board.ending()
        moves.append(move)
        if len(moves) < recipe.plies:
            value = judge_value(judge, board, max(1, recipe.nodes // _QUICK_SHARE))
            if value is None or abs(value) > _QUICK_BAND * recipe.max_cp:
                return None
    if len(moves) < recipe.plies or ended is not None:
        return None
    value = judge_value(judge, board, recipe.nodes)
    if value is None or abs(value) > recipe.max_cp:
        return None
    return MadeLine(candidate, tuple(moves), board.place(), value)


def random_walk(recipe: BookRecipe, candidate: int) -> Iterator[str]:
    """The names of the moves of candidate number ``candidate``; fewer than requested if the game
    ends earlier. They depend only on seed and number, not on the core."""
    rules = recipe.rules
    board = rules.replay(rules.start)
    for ply in range(recipe.plies):
        legal = sorted(map(rules.move_name, board.moves()))
        if not legal:
            return
        digest = hashlib.sha256(f"{recipe.seed} {candidate} {ply}".encode()).digest()
        move = legal[int.from_bytes(digest[:8]) % len(legal)]
        board.push(rules.move_code(move))
        yield move


def unbalanced_lines(
    book: Book,
    *,
    max_cp: int,
    judge: str = DEFAULT_JUDGE,
    nodes: int = JUDGE_NODES,
    on_judged: Callable[[int], None] | None = None,
) -> list[BookFault]:
    """The lines whose value by the judge, with the current core, is not within ±``max_cp``.

    ``on_judged`` is called after each line with the number judged. Raises UsageError for invalid
    settings.
    """
    rules = rules_of(book.game, chess960=book.chess960)
    recipe = BookRecipe(count=len(book.openings), max_cp=max_cp, nodes=nodes, judge=judge)
    searcher = judge_searcher(recipe.judge)
    found: list[BookFault] = []
    for number, opening in enumerate(book.openings, 1):
        board = rules.replay(opening.fen)
        value = judge_value(searcher, board, recipe.nodes, chess960=book.chess960)
        if value is None or abs(value) > max_cp:
            reason = "the game is over" if value is None else f"{value:+d} cp for the side to move"
            found.append(BookFault(line=opening.line, fault="unbalanced", reason=reason, cp=value))
        if on_judged is not None:
            on_judged(number)
    return found


def judge_value(judge: Searcher, board: Board, nodes: int, *, chess960: bool = False) -> int | None:
    """The judge's value for the side to move; None if the game is over."""
    judge.new_game()
    judge.set_position(board.text(), chess960=chess960)
    result = judge.search(SearchLimit(nodes=nodes))
    return None if result.move is None else result.value


@cache
def judge_searcher(variant: str) -> Searcher:
    """The searcher of a judge. Each worker process has its own."""
    return make_searcher(parse_variant(variant))
