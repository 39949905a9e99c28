"""The native core. Only :mod:`engines.built` imports it.

Every ValueError is one line that says what is wrong. Searches release the interpreter's lock,
raise KeyboardInterrupt soon after Ctrl-C, and RuntimeError when the searcher is already searching.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, final

__all__ = [
    "ChessRules",
    "Searcher",
    "bench",
    "build_profile",
    "chess_version",
    "evaluate",
    "follow_lines",
    "last_info",
    "minimax",
    "parameters",
    "perft",
    "play_game",
    "play_plies",
    "quiesce",
    "read_answer",
    "see",
    "version",
]

def version() -> str:
    """The version of the core."""

def build_profile() -> str:
    """``release`` or ``debug``."""

def chess_version() -> str:
    """The version of the crate ``cozy-chess``, on which chess is built."""

def parameters() -> dict[str, dict[str, dict[str, Any]]]:
    """Each driver's parameters: names, and what they may be, as fields of
    :class:`engines.spec.Param`: ``kind``, with ``low`` and ``high`` or with ``choices``."""

def perft(fen: str, depth: int, chess960: bool = False, game: str = "chess") -> int:
    """The number of leaves of the tree of legal moves."""

def evaluate(fen: str, evaluation: str, grain: int, game: str = "chess") -> int:
    """The static value for the side to move, in centipawns."""

def see(fen: str, uci: str) -> int:
    """The static exchange value of a legal move, in centipawns."""

def quiesce(fen: str, evaluation: str, grain: int, game: str = "chess") -> int:
    """The value of exact quiescence with an open window, in centipawns."""

def last_info(text: bytes) -> tuple[int | None, int | None, int | None, int | None, str]:
    """As :func:`engines.external.protocol.last_info`: the fields of what it returns."""

def follow_lines(
    fen: str, chess960: bool, moves: Sequence[int], lines: Sequence[tuple[int, str]]
) -> list[tuple[list[int], bool]]:
    """As :func:`engines.reference.lines.follow_lines`; raises ValueError."""

@final
class ChessRules:
    """A position of chess and those before it that can occur again. Raises ValueError for a text
    that is no legal position."""

    def __new__(cls, fen: str, chess960: bool) -> ChessRules: ...
    def push(self, code: int) -> bool:
        """Play a move, which may be any code; False, and nothing done, when it is illegal."""

    def moves_from(self, number: int) -> list[int]:
        """The codes of the moves from the one with this number on."""

    def white_to_move(self) -> bool:
        """Whose turn it is."""

    def ending(self) -> tuple[str, bool | None] | None:
        """How the rules end the game after the last push: the reason, and whether White won.
        Counts the position."""

def read_answer(
    output: int,
    aside: int,
    word: bytes,
    begun: bytes,
    timeout_ms: float | None,
    most: int,
) -> bytes:
    """What a pipe brings until a line with ``word`` is complete; ``begun``: the begin of its line,
    which was read before. Returns earlier at the end of the pipe, after ``timeout_ms``, after
    ``most`` bytes, at a signal, and when the file descriptor ``aside`` is readable."""

def minimax(
    fen: str,
    depth: int,
    evaluation: str,
    grain: int,
    quiescence: bool,
    swing: int = 0,
    game: str = "chess",
) -> int:
    """The value of a tree of fixed depth by plain minimax: the oracle of the tests."""

def bench(game: str = "chess") -> list[tuple[str, str, str, int, int]]:
    """Rows of position, variant, mode, nodes and value: a fixed set of searches of a game, of
    about a second.

    Two builds whose rows are equal play the game the same.
    """

_Verdict = TypeVar("_Verdict")

def play_game(
    white: Searcher,
    black: Searcher,
    fen: str,
    judge: Callable[[bool, int], _Verdict | None],
    nodes: int | None = None,
    depth: int | None = None,
    chess960: bool = False,
) -> tuple[
    str,
    bool | None,
    _Verdict | None,
    list[int],
    list[int],
    list[int],
    list[int],
    list[int],
    list[int],
    list[int],
    list[int],
]:
    """Play a new game from ``fen`` to its end.

    ``judge`` is asked after every ply that leaves the game open, with whether White moved and the
    value: anything but None ends the game, and what it raises is raised here. Tells how the game
    ended and who won (:class:`engines.spec.EngineGame`), what the judge said last, and lists with
    an entry a ply: move (two-byte code), value, depth, nodes, passes, time_us, cpu_us, overrun.
    """

def play_plies(
    rules: ChessRules,
    engines: tuple[object, object],
    position: bytes,
    moves: bytes,
    judge: Callable[[bool, int | None], object],
) -> tuple[
    list[tuple[int, int | None, int | None, int | None, int, int, bytes]],
    tuple[str, bool | None] | None,
    Any,
    tuple[int, int, int, bytes] | None,
]:
    """Play on between two external engines, the first to move, as long as every answer is what is
    expected: one line of a legal move, in time, after no more than 16 kB.

    Attributes of an engine: ``input``, ``output`` and ``aside``, the file descriptors, the last one
    readable when something happens beside the output; ``clock`` of its CPU time; ``go``, which
    follows the line of the position; ``timeout_ms`` or None; ``answered``, its last answer.
    ``position``: the command up to the moves; ``moves``: those so far, each with a blank before it.
    ``judge`` is as that of :func:`play_game`.

    Tells the plies (move, value, depth, nodes, microseconds of wall-clock time and of the engine's
    CPU time, all that it printed), how the rules ended the game, what the judge said, and a search
    that began and is left to the caller: its begin on the engine's clock and on the monotonic one
    in nanoseconds, how much of the command was sent, and what came.
    """

@final
class Searcher:
    """One player: position, table, histories.

    ``parameters`` is the complete set of the driver's parameters; unknown or missing names and
    values out of range are a ValueError. The player stands at the initial position at first.
    ``old`` is a searcher that is not needed any more: the memory of its table is used again where
    the size is the same, and it goes on without a table.
    """

    def __new__(
        cls,
        driver: str,
        parameters: dict[str, bool | int | float | str],
        old: Searcher | None = None,
    ) -> Searcher: ...
    def new_game(self) -> None:
        """Forget everything that was learned; the position stays."""

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand at ``fen`` after ``moves`` (two-byte codes); after an error, where it was.

        ``chess960``: codes of castling are those of Chess960, until another position is set.
        """

    def push(self, mv: int) -> None:
        """Play one legal move (two-byte code)."""

    def is_legal(self, mv: int) -> bool:
        """Whether the side to move may play ``mv``, any two-byte code."""

    def go(
        self,
        nodes: int | None = None,
        depth: int | None = None,
        soft_ms: int | None = None,
        hard_ms: int | None = None,
        cpu_ms: int | None = None,
    ) -> tuple[int, int, int, int, int, int, int, int]:
        """Search selectively: (move, value, depth, nodes, passes, time_us, cpu_us, overrun).

        Raises ValueError when there is no legal move.
        """

    def search(
        self,
        nodes: int | None = None,
        depth: int | None = None,
        soft_ms: int | None = None,
        hard_ms: int | None = None,
        cpu_ms: int | None = None,
        exact: bool = False,
        first_guess: int | None = None,
        on_iteration: Callable[[dict[str, Any]], object] | None = None,
        expansions: bool = False,
        root_moves: Sequence[int] = (),
        lines: int = 1,
    ) -> dict[str, Any]:
        """Search and tell the fields of :class:`engines.spec.SearchResult`.

        Iterations and passes are dicts of their fields. ``on_iteration`` is shown each iteration
        as it ends; what it raises ends the search and is raised here. An exact search starts
        from empty memory, and what it learned is forgotten before the next search; it may count
        ``expansions``. ``root_moves``: only these moves are searched at the root; empty for all.
        ``lines``: how many best moves are searched at each depth, each without those before it.
        """

    def stop(self) -> None:
        """End a running search soon; callable from another thread.

        Without a running search it ends the next one after depth 1, unless a new game, position
        or move comes first.
        """
