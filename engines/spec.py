"""The types of the search: parameters, drivers, variants, limits, results, protocols.

Standard library and msgspec only, so that everything may import it for nothing.

Values are integers in centipawns from the side to move. A mate in n plies is worth ``MATE - n``
to the side that gives it, counted from the node at which the value stands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from msgspec import Struct

MATE = 32_000
"""Value of being mated now, negated; no evaluation comes near it."""
MATE_BOUND = 31_000
"""Values at or beyond ±MATE_BOUND are mates; evaluations are clamped inside."""

MAX_DEPTH = 120
"""No search goes deeper: it is the greatest depth of the core."""

Value = bool | int | float | str
JudgeSaid = TypeVar("JudgeSaid")
"""What the judge of a contest says."""
ValueKind = Literal["int", "float", "choice", "flag"]


class Param(Struct, frozen=True):
    """One parameter of a variant, declared once in :mod:`engines.registry`."""

    name: str
    kind: ValueKind
    default: Value
    doc: str
    """One sentence that says what the parameter does, and its unit."""
    low: int | float | None = None
    high: int | float | None = None
    choices: tuple[str, ...] = ()
    neutral: Value | None = None
    """The value that means the behaviour before the parameter existed; a parameter at its neutral
    value is left out of the identity. ``None``: the parameter is as old as the registry."""
    off: Value | None = None
    """The value that switches the feature off; None where there is nothing to switch off."""
    games: tuple[str, ...] = ()
    """The games in which it can have an effect; empty: all. Identities have it in all games: they
    are older than this."""
    by_game: Mapping[str, Value] = {}
    """Its default in games where that is another one."""
    needs: tuple[str, tuple[Value, ...]] | None = None
    """Another parameter and the values of it under which this one means anything. It always does
    for a driver that does not have the other one."""
    needs_table: bool = False
    """Whether this one means nothing without a transposition table."""
    excludes: str | None = None
    """A parameter that may not be given beside this one."""
    power_of_two: bool = False
    """The value is 0 or a power of two, also written ``2^k``."""
    tunable: bool = True
    """Whether a tuner may search it."""
    log: bool = False
    """Whether a tuner should search it on a logarithmic scale."""

    def default_in(self, game: Value) -> Value:
        """Its default in a game."""
        return self.by_game.get(str(game), self.default)


class DriverSpec(Struct, frozen=True):
    """One driver: the algorithm at the root."""

    name: str
    doc: str
    source: str
    """Where the algorithm was published."""
    windows: Literal["open", "null", "both"]
    """Whether the root is searched with open windows, with null windows, or first with null windows
    and then with an open one."""
    parameters: tuple[str, ...]
    """The names of its parameters, in the order of help, labels and docs."""
    proves: Literal["value", "move"] = "value"
    """What is proved: the root's value, or a best move, of which the value is a lower bound."""


class Variant(Struct, frozen=True, tag_field="kind", tag="native"):
    """An immutable description of a player of ours. Made by :func:`engines.variant.parse_variant`.

    Two variants with one identity play the same; the label is only a name.
    """

    driver: str
    parameters: Mapping[str, Value]
    """Every parameter that the core wants for this driver, meaningful or not."""
    effective: Mapping[str, Value]
    """The parameters that define the identity: the meaningful ones, without neutral values."""
    spelling: str
    """The shortest text that parses to this variant, such as ``mtdf:guess=parity``."""
    label: str

    def canonical_json(self) -> str:
        """The text whose hash is the identity: sorted keys, no blanks."""
        return _canonical({"kind": "native", "driver": self.driver, "parameters": self.effective})

    @property
    def game(self) -> str:
        """The game that it plays."""
        return str(self.parameters["game"])

    @property
    def threads(self) -> int:
        """With how many threads it searches."""
        return int(self.parameters.get("threads", 1))

    @property
    def deterministic(self) -> bool:
        """False if it searches with several threads, and so need not repeat a search."""
        return self.threads == 1

    @property
    def identity(self) -> str:
        """The first 16 hex digits of the SHA-256 of :meth:`canonical_json`."""
        return _identity(self.canonical_json())


FilesOfEngine = Literal["read", "all", "none"]
"""``read``: those that the engine only reads, as far as their names and times of change tell."""


BENCH = "bench"
"""With this argument most engines print a number of nodes, and end."""
BUILD_S = 1800
"""The longest time that a build may take, unless another one is given."""


class GitSource(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A commit of a repository, and how an engine is built of it."""

    repository: str
    """Absolute path, or URL."""
    reference: str
    """What was asked for: a branch, tag or commit; ``.`` is the work tree."""
    commit: str
    """Its full hash."""
    build: str
    """The command that builds it, for ``sh``, in the root of the repository."""
    binary: str = ""
    """Path of the program in the repository; empty: the one that the command makes."""
    diff: bytes = b""
    """What is changed in the commit before it is built, as ``git apply`` reads it."""
    bench: str = BENCH
    """The arguments of the bench, which prints a number of nodes; empty: there is none."""
    timeout_s: int = BUILD_S
    """The longest time that a build may take."""

    @property
    def facts(self) -> dict[str, str]:
        """What the identity of the engine has of it. Equal facts have one build."""
        digest = hashlib.sha256(self.diff).hexdigest() if self.diff else ""
        facts = {"commit": self.commit, "build": self.build, "binary": self.binary, "diff": digest}
        return {name: fact for name, fact in facts.items() if fact}

    @property
    def key(self) -> str:
        """What the build is called in the cache."""
        return _identity(_canonical(self.facts))

    @property
    def version(self) -> str:
        """The commit in a few letters, with a mark of what is changed in it."""
        changes = self.facts.get("diff")
        return self.commit[:8] + (f"+{changes[:4]}" if changes else "")


class GitBuild(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What is known of an engine that was built: nothing of it belongs to the identity."""

    subject: str
    """First line of the commit's message."""
    date: str
    """When it was committed, ISO 8601."""
    compiler: str = ""
    """As the program names it; empty where it does not."""
    bench: int | None = None
    """The number of nodes that its bench printed; None if it has none."""
    benched: str = ""
    """The arguments of that bench; empty before it was run."""


class UciCommand(Struct, frozen=True, omit_defaults=True):
    """How an external engine is started."""

    argv: tuple[str, ...]
    """The program and its arguments, as given. A program without a slash is found by PATH."""
    directory: str | None = None
    """Where it runs; None: where this program runs, or the root of the source that it is built
    of."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that are added to those of this program, in order of their names."""
    memory_mb: int | None = None
    """The most data that each of its processes may hold, where the system bounds it."""
    files: FilesOfEngine = "read"
    """Which files that arguments and options name belong to the identity."""
    source: GitSource | None = None
    """What the program is built of; then the first word is only a name for it."""


class UciSetup(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An external engine as it is to be started."""

    command: UciCommand
    options: tuple[tuple[str, str], ...] = ()
    """Options that are set before the first game; of a :class:`UciEngine` by announced name, values
    in UCI spelling."""
    spelling: str
    """The text on a command line that means this engine."""
    label: str
    restart: bool = False
    """Whether a new process plays each game."""


class UciEngine(
    UciSetup, frozen=True, omit_defaults=True, kw_only=True, tag_field="kind", tag="uci"
):
    """An external engine as it was found on this machine. Made by
    :func:`engines.external.identify.identify`.

    Two engines with one identity play the same; the label is only a name.
    """

    facts: Mapping[str, Any]
    """What the identity is made of: ``name`` (announced), ``program`` (SHA-256 of the file),
    ``arguments`` (files among them by SHA-256), ``environment``, and ``options``, those that are
    not the engine's own defaults (files by SHA-256). A file that the engine writes, such as a log,
    counts by its name. One that is built has the facts of its source in place of ``name`` and
    ``program``."""
    defaults: tuple[tuple[str, str], ...] = ()
    """The default values that it announces, by option."""
    built: GitBuild | None = None
    """How it was built, if it has a source."""

    def canonical_json(self) -> str:
        """The text whose hash is the identity: sorted keys, no blanks."""
        return _canonical({"kind": "uci", **self.facts})

    @property
    def game(self) -> str:
        """What UCI engines play."""
        return "chess"

    @property
    def threads(self) -> int:
        """With how many threads it searches, as far as its options say."""
        told = [value for name, value in self.options if name.casefold() in THREADS]
        return max((int(value) for value in told if value.isdecimal()), default=1)

    @property
    def deterministic(self) -> bool:
        """False if it searches with several threads: under a limit of nodes or depth, its games may
        then differ. With one thread most engines repeat themselves, but not all."""
        return not any(name.casefold() in THREADS and value != "1" for name, value in self.options)

    @property
    def identity(self) -> str:
        """The first 16 hex digits of the SHA-256 of :meth:`canonical_json`."""
        return _identity(self.canonical_json())


THREADS = frozenset(["threads", "number of threads", "cores", "max cpus"])
"""Options that set how many threads an engine searches with, in lower case."""

Engine = Variant | UciEngine
"""What plays in an event."""


def _canonical(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _identity(canonical: str) -> str:
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


class Clocks(Struct, frozen=True):
    """What both sides of a game have left, as an engine with a time manager of its own is told."""

    white_ms: int
    black_ms: int
    white_inc_ms: int
    black_inc_ms: int
    moves_to_go: int | None
    """Moves of the side to move until time is added to its clock; None: it gets none."""


class SearchLimit(Struct, frozen=True):
    """What one search may cost. ``soft_ms`` stops before a new iteration, ``hard_ms`` anywhere, and
    so does ``cpu_ms``, in CPU time of all searching threads.

    These three are for our own players. An external engine shares out its time itself: it is told
    ``clocks`` or ``movetime_ms``, and has hung after ``patience_ms``."""

    nodes: int | None = None
    depth: int | None = None
    soft_ms: int | None = None
    hard_ms: int | None = None
    cpu_ms: int | None = None
    movetime_ms: int | None = None
    clocks: Clocks | None = None
    patience_ms: int | None = None
    """How long the referee waits for an answer; None: for ever."""


class Pass(Struct, frozen=True):
    """One call of the driver: a null window (beta - 1, beta), or an open one."""

    alpha: int
    beta: int
    value: int
    """The fail-soft value returned."""
    nodes: int
    move: str | None = None
    """The one root move that was searched, UCI; ``None`` for a pass over all of them."""
    best: str | None = None
    """The root move that is best after the pass, as far as is known, UCI."""
    probes: int = 0
    hits: int = 0
    """Table: looked up, and found."""
    expanded: int | None = None
    """Nodes whose moves were searched; ``None`` where that was not counted."""
    re_expanded: int | None = None
    """Those of them whose position had been expanded at the same depth before, in this pass or an
    earlier one of the iteration."""

    @property
    def fails_high(self) -> bool:
        """The value is a lower bound."""
        return self.value >= self.beta

    @property
    def fails_low(self) -> bool:
        """The value is an upper bound."""
        return self.value <= self.alpha


class Iteration(Struct, frozen=True):
    """One depth of iterative deepening, or one line of it where several are searched."""

    depth: int
    value: int
    """The value; a lower bound for a driver that proves a move; in games what ``reported`` says
    where a tolerance ended the iteration."""
    first_guess: int | None
    """The guess, which the first window lies ``below``; ``None`` for a driver that uses none."""
    passes: tuple[Pass, ...]
    crossings: int
    """Passes whose bound contradicts one that was found before in the iteration: it lies beyond the
    other bound of the root, or of the one move that was searched. Selective search only."""
    interior: int
    leaves: int
    quiescence: int
    """Nodes below the leaves."""
    probes: int
    hits: int
    cutoffs: int
    """Table: looked up, found, and returned at once."""
    time_us: int
    move: str
    """Best move, UCI."""
    pv: tuple[str, ...]
    """Legal principal variation, UCI; it starts with ``move``."""
    finished: bool
    """False for an iteration that a limit cut short."""
    seldepth: int = 0
    """The greatest distance from the root of a node of the iteration."""
    hashfull: int = 0
    """Thousandths of the table that this game has filled."""
    line: int = 1
    """From 1: the moves of the lines before it are left out."""
    lines: int = 1
    """How many are searched at each depth."""

    @property
    def nodes(self) -> int:
        """All nodes of the iteration."""
        return self.interior + self.leaves + self.quiescence


class SearchResult(Struct, frozen=True):
    """What a search found. ``value`` and ``depth`` are of the last finished iteration, unless the
    move of an unfinished one was adopted, whose proven bound then is the value."""

    move: str | None
    """Best move, UCI; ``None`` when the side to move has none."""
    value: int
    depth: int
    nodes: int
    time_us: int
    cpu_us: int
    """CPU time of all searching threads."""
    passes: int
    """Passes of all iterations together."""
    overrun: int
    """Nodes beyond the limit, because depth 1 always finishes."""
    stopped: bool
    """A limit or the stop flag ended the search before its depth."""
    iterations: tuple[Iteration, ...] = ()


class MoveReport(Struct, frozen=True):
    """What a game keeps of one search. None: the engine did not say."""

    move: int
    """The move in its two-byte code, see :mod:`engines.moves`."""
    value: int | None
    depth: int | None
    nodes: int | None
    passes: int | None
    """None for an external engine."""
    time_us: int
    cpu_us: int
    overrun: int = 0


class GameSearches(Struct, frozen=True):
    """What a game keeps of its searches: a column for each field of :class:`MoveReport`."""

    moves: Sequence[int]
    values: Sequence[int | None]
    depths: Sequence[int | None]
    nodes: Sequence[int | None]
    passes: Sequence[int | None]
    time_us: Sequence[int]
    cpu_us: Sequence[int]
    overruns: Sequence[int]

    @classmethod
    def of(cls, reports: Sequence[MoveReport]) -> GameSearches:
        """The columns of these reports."""
        return cls(
            moves=[report.move for report in reports],
            values=[report.value for report in reports],
            depths=[report.depth for report in reports],
            nodes=[report.nodes for report in reports],
            passes=[report.passes for report in reports],
            time_us=[report.time_us for report in reports],
            cpu_us=[report.cpu_us for report in reports],
            overruns=[report.overrun for report in reports],
        )

    def __len__(self) -> int:
        return len(self.values)

    def reports(self) -> list[MoveReport]:
        """The searches one by one: the inverse of :meth:`of`."""
        found = zip(self.values, self.depths, self.nodes, self.passes, strict=True)
        spent = zip(self.time_us, self.cpu_us, self.overruns, strict=True)
        return [
            MoveReport(move, *data, *costs)
            for move, data, costs in zip(self.moves, found, spent, strict=True)
        ]


class EngineGame(Struct, Generic[JudgeSaid], frozen=True):
    """A game that two players played between themselves."""

    ended: str
    """``judged``; ``failed`` or ``illegal`` where the side to move failed to move or chose an
    illegal move, which leave no ply; or a reason of the rules, as in
    :class:`engines.rules.position.GameEnding`."""
    winner: bool | None
    """Whether White has won by the rules of the game; None where nobody has."""
    verdict: JudgeSaid | None
    """What the judge said, when it ended the game."""
    searches: GameSearches


class Player(Protocol):
    """Who plays: a native or reference searcher, or an external engine.

    A player keeps a position. Its table, histories and guess memory are logically empty after
    :meth:`new_game` and persist between the moves of a game.
    """

    def new_game(self) -> None:
        """Forget everything that was learned."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand at ``fen`` after ``moves``. ``chess960``: in a game of Chess960, whose castling
        moves have other codes (:mod:`engines.moves`), until the next call. The FEN cannot tell: one
        of the start positions is that of standard chess. Raises PositionError when that is not
        legal chess."""

    def push(self, move: int) -> None:
        """Play one legal move on the kept position."""

    def go(self, limit: SearchLimit) -> MoveReport:
        """Search the kept position selectively. Raises EngineFailure when there is no move."""

    def close(self) -> None:
        """Free what is held. Safe to call twice."""


@runtime_checkable
class Replaceable(Player, Protocol):
    """A player whose memory another one can use, which is cheaper than memory that is new."""

    def successor(self, variant: Variant) -> Player:
        """A player of another variant that has learned nothing. This one is not used again.
        Raises VariantError."""


class PliesPlayed(Struct, Generic[JudgeSaid], frozen=True):
    """Plies that two players played between themselves."""

    reports: Sequence[MoveReport]
    ended: tuple[str, bool | None] | None = None
    """How the rules ended the game after the last one: reason and winner, see
    :class:`EngineGame`."""
    verdict: JudgeSaid | None = None
    """What the judge said after it, where the rules did not end the game."""


@runtime_checkable
class PlayingOn(Player, Protocol):
    """A player that can play plies with another one of its kind, without a referee."""

    def play_on(
        self,
        other: Player,
        in_core: object,
        limits: tuple[SearchLimit, SearchLimit],
        judge: Callable[[bool, int | None], JudgeSaid | None],
    ) -> PliesPlayed[JudgeSaid]:
        """Play on, itself to move, as long as every answer is what is expected; no ply where that
        cannot be. ``in_core``: that of the board, see :class:`engines.rules.board.Board`, which
        stands after the last ply, as the players do. ``limits``: its own and the other's, of nodes
        or depth. ``judge`` is as in :meth:`Contestant.contest`.
        """


class EngineLine(Struct, frozen=True, array_like=True):
    """What an external engine printed of one of its moves. It is stored as an array of JSON: new
    fields come last, and have a default."""

    ply: int
    """From 0 in the game."""
    pv: str = ""
    """Its variation as printed, in UCI."""
    seldepth: int | None = None
    hashfull: int | None = None
    """Per mille of its hash table."""
    tbhits: int | None = None
    string: str = ""
    """The text of its last ``info string``."""


@runtime_checkable
class Remarking(Player, Protocol):
    """A player of which more is known than its moves: an external engine."""

    def lines(self) -> list[EngineLine]:
        """What it printed of its moves in this game, until its remarks are taken; nothing of a move
        of which it printed nothing."""

    def take_remarks(self) -> list[str]:
        """What it did wrong that cost it nothing, since the last call; each once."""


class Searcher(Player, Protocol):
    """A player of ours, which can also tell what it did."""

    def is_legal(self, move: int) -> bool:
        """Whether the side to move may play this two-byte code."""

    def search(
        self,
        limit: SearchLimit,
        *,
        exact: bool = False,
        first_guess: int | None = None,
        on_iteration: Callable[[Iteration], None] | None = None,
        expansions: bool = False,
        root_moves: Sequence[int] = (),
        lines: int = 1,
    ) -> SearchResult:
        """Search the kept position and report every iteration and pass.

        ``exact``: fixed depth, nothing selective, no path-dependent value; the search starts from
        an empty memory, and what it learned is forgotten before the next one. ``first_guess``
        replaces the first guess of every iteration of a driver that uses one. ``on_iteration``
        sees each iteration as it ends; it may call :meth:`stop`. ``expansions``: an exact search
        counts the nodes that it expands, and those it expands again, which takes memory for
        each; beyond some ten million of them an iteration goes on without counting.
        ``root_moves``: search only these moves at the root, in their two-byte codes; empty for all
        legal moves. Raises EngineFailure when one of them is not legal. ``lines``: how many best
        moves to search at each depth, each without those found before it; the limits are those of
        all lines together, and move, value and depth of the result those of the first.
        """

    def stop(self) -> None:
        """End a running search soon; callable from another thread. Where none is running, the
        next one ends after depth 1, unless the position changes before."""


@runtime_checkable
class Contestant(Player, Protocol):
    """A player that can play a whole game with another one of its kind, without a referee."""

    def can_contest(self, other: Player) -> bool:
        """Whether ``other`` is of its kind, and not itself."""

    def contest(
        self,
        black: Player,
        fen: str,
        limit: SearchLimit,
        judge: Callable[[bool, int], JudgeSaid | None],
        chess960: bool = False,
    ) -> EngineGame[JudgeSaid]:
        """Play a new game as White from ``fen`` to its end, every search with the same limit of
        nodes or depth.

        ``judge`` is asked after every ply that the laws of chess leave open, with whether White
        moved and the value that the search gave; anything but None ends the game. What it raises
        is raised. ``chess960`` is as in :meth:`set_position`. Raises PositionError.
        """
