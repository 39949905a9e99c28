"""Stored games, the choice of games, and their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
from db.records.engines import Called, Core
from db.records.events import Entrant
from db.records.openings import CHESS960_MOVES, STANDARD_MOVES

Result = Literal["1-0", "0-1", "1/2-1/2"]

WHITE_SCORES: dict[str, int] = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
"""White's half points of a result."""

Scores = tuple[float | None, ...]
"""One per pair, in order; None if a pair could not be played."""

Severity = Literal["fault", "warning"]
"""A fault ends its game, a warning does not."""


class GameProblemRecord(Struct, frozen=True):
    """Something that an engine did wrong in a game."""

    white: bool
    """Whether White did it."""
    severity: Severity
    text: str
    """One line."""
    fen: str | None
    """The position in which a fault happened; None for a warning."""
    command: str
    """How the engine was started, as a shell command; for our own engines the spelling."""


class GameRecord(Struct, frozen=True):
    """One game. ``id`` and ``event_id`` may be 0 until it is stored. ``book_id`` and
    ``opening_line`` are both given, and in the database, or both None."""

    id: int
    event_id: int
    pairing: int
    """From 0, in the event's order of pairings."""
    pair: int
    """From 0 within the pairing."""
    game: int
    """1 or 2: the first or the second game of the pair."""
    white: str
    black: str
    """Labels."""
    white_id: str
    black_id: str
    """Identities of the variants."""
    book_id: str | None
    opening_line: int | None
    start_fen: str
    """The opening position, from which ``moves`` were played."""
    result: Result
    end_reason: str
    plies: int
    moves: bytes
    """Two bytes a ply, little endian, after ``start_fen``; see ``moves_version``. Empty if an
    imported game has no moves."""
    moves_version: int
    """:data:`STANDARD_MOVES` or :data:`CHESS960_MOVES`."""
    search_data: bytes
    """Per-move value, depth, nodes, passes, time; see ``search_version``, which is 0 if nothing is
    known about the searches, and 2 if only a part may be known."""
    search_version: int
    white_nodes: int
    black_nodes: int
    """0 if the file of an imported game does not have the nodes of every move."""
    white_cpu_us: int
    black_cpu_us: int
    started_at: str | None
    ended_at: str | None
    """None if unknown, for an imported game."""
    host: str
    load: float
    """One-minute load average at the start."""
    jobs: int
    backend: str
    signature: str
    version: str
    seed: int
    game_key: str | None
    """Same key, same game: both identities and colours, signature, start, deterministic limit and
    moves. Lower-case hex digits of at most 32 bytes; ``None`` for games that a clock limited."""
    repeats: int | None = None
    """Id of the first game of the same key by event, pairing, pair and game. Set when games are
    stored, and changed when an earlier one is stored later."""

    problems: tuple[GameProblemRecord, ...] = ()
    """What engines did wrong in a game that has just been played. For stored games see
    :meth:`db.repository.Repository.game_problems`."""

    speed: int = 0
    """Of the host: nodes per second of CPU time in the bench, or of the engine by which times were
    scaled; 0 if unknown, or if no clock limited the game."""

    time_factor: float = 1.0
    """What the times of the limits were multiplied by."""

    lines: bytes = b""
    """What external engines printed of their moves in a game that has just been played, encoded;
    empty for nothing. For stored games see :meth:`db.repository.Repository.game_lines`."""

    @property
    def counted(self) -> bool:
        """False for a repetition: it leaves the statistics of the whole database."""
        return self.repeats is None

    @property
    def chess960(self) -> bool:
        """Whether it is a game of Chess960; unknown, and False, for one without moves."""
        return self.moves_version == CHESS960_MOVES


class GameResult(NamedTuple):
    """What a sequential test needs of a stored game."""

    pairing: int
    pair: int
    game: int
    result: Result
    game_key: str | None


class Origin(NamedTuple):
    """Host, program and core that played some games of an event, and their number."""

    host: str
    version: str
    backend: str
    signature: str
    speed: int
    """As in :class:`GameRecord`."""
    games: int


class ImportedGame(NamedTuple):
    """A game of a file."""

    white: str
    black: str
    """Labels, which are the players' names."""
    white_score: int
    """White's half points."""
    end_reason: str
    plies: int
    start_fen: str | None
    """None for the start of chess."""
    moves: bytes
    """From ``start_fen``, two bytes each, little endian; empty where they are not known."""
    started_ms: int | None
    ended_ms: int | None
    """Milliseconds since 1970."""
    key: bytes
    """Hash of the game's content, 16 bytes."""
    search_version: int = 0
    search_data: bytes = b""
    """Search data from the file; version 0 and empty without any."""
    white_nodes: int = 0
    black_nodes: int = 0
    """Nodes of all searches of a side; 0 if some are unknown."""
    copy_of: int | None = None
    """Id of the stored game without a key that this one is a copy of."""
    moves_version: int = STANDARD_MOVES
    lines: bytes = b""
    """What engines printed of their moves, from the file, encoded; empty for nothing."""


ImportUnit = tuple[ImportedGame] | tuple[ImportedGame, ImportedGame]
"""A game without a partner, or the two games of a pair in their order."""


class ImportCounts(Struct):
    """The result of importing a batch of games."""

    pairs: int = 0
    singles: int = 0
    known: int = 0
    """Games that were already in the event."""


class GameChoice(Struct, frozen=True):
    """Which games are counted; a field that is None does not restrict them. Of the chosen games
    with one key only the first counts."""

    event_ids: tuple[int, ...] | None = None
    without_events: tuple[int, ...] = ()
    """Ids of events that are left out."""
    since: str | None = None
    """Started at this moment or later."""
    until: str | None = None
    """Started before this moment."""
    core: Core | None = None
    """Played with this one."""
    pairs_below: tuple[tuple[int, int], ...] = ()
    """Ids of events and a number of pairs: of such an event only the pairs before that number."""
    engines: tuple[str, ...] | None = None
    """Labels or identities: games between any two of these players."""
    without_players: tuple[tuple[int, int], ...] = ()
    """Ids of events and positions of players whose games are left out."""

    @property
    def of_whole_pairings(self) -> bool:
        """Whether it takes or leaves each pairing as a whole."""
        return self == GameChoice(
            event_ids=self.event_ids,
            without_events=self.without_events,
            engines=self.engines,
            without_players=self.without_players,
        )


class GameFilter(Struct, frozen=True):
    """Which games to read; a field that is None does not restrict them. Labels match exactly."""

    chosen: GameChoice = GameChoice()
    """Only games of this choice, whether they count or not."""
    event_id: int | None = None
    game_id: int | None = None
    engine: Called | None = None
    """Label or identity of either side, or several of which it has one."""
    opponent: Called | None = None
    """The same of the other side; needs ``engine``."""
    result: Literal["win", "loss", "draw"] | None = None
    """From the view of ``engine``; without it win means 1-0 and loss 0-1."""
    score: Result | None = None
    """The result of the game: ``1-0``, ``0-1`` or ``1/2-1/2``."""
    colour: Literal["white", "black"] | None = None
    """Which ``engine`` had; needs ``engine``."""
    end_reason: str | None = None
    opening_line: int | None = None
    """Line of its book, whichever that is."""
    opening_book: str | None = None
    """Name of its book."""
    opening_label: str | None = None
    """Label of its line, whichever book that is in."""
    start_fen: str | None = None
    """The position it starts from; only games without a book."""
    min_plies: int | None = None
    max_plies: int | None = None
    counted_only: bool = False
    limit: int | None = None


class GameColumns(Struct, frozen=True, eq=False):
    """Counted games as arrays of whole numbers: each place is an ordered encounter, as the same
    core played it. Ordered by core, White and Black."""

    players: tuple[Entrant, ...]
    """In order; a player's number is its place."""
    cores: tuple[Core, ...]
    """In order; some may have played nothing of this."""
    core: Ints
    white: Ints
    black: Ints
    """The same as ``white`` where a variant played itself under two labels and one limit."""
    counts: Ints
    """Rows: White's wins, draws, Black's wins."""

    def only(self, here: NDArray[np.bool_]) -> GameColumns:
        """The encounters at some places."""
        core, white, black = (column[here] for column in (self.core, self.white, self.black))
        return replace(self, core=core, white=white, black=black, counts=self.counts[:, here])


class SharedColumns(Struct, frozen=True, eq=False):
    """Counted whole pairs of events whose pairings share their openings, one a place."""

    opening: Ints
    """Equal numbers mean the same opening in the same event."""
    first: Ints
    second: Ints
    result: Ints
    """The row of :attr:`PairColumns.joint` in which the pair is counted."""


class SourceColumns(Struct, frozen=True, eq=False):
    """Counted games, one a place, with what played each and where it is from."""

    players: tuple[Entrant, ...]
    """In order; a player's number is its place."""
    cores: tuple[Core, ...]
    core: Ints
    white: Ints
    black: Ints
    result: Ints
    """0 White won, 1 draw, 2 Black won."""
    event: Ints
    """Id of the event."""
    opening: Ints
    """Key of the line of a book; 0 if there is none."""


class PairColumns(Struct, frozen=True, eq=False):
    """Counted whole pairs as arrays of whole numbers: each place is an ordered encounter. Ordered
    by first and second."""

    players: tuple[Entrant, ...]
    """In order; a player's number is its place."""
    first: Ints
    """Had White in the first game."""
    second: Ints
    joint: Ints
    """Nine rows: number 3·i + j counts result i in the first game and j in the second, each 0 White
    won, 1 draw, 2 Black won."""
    shared: SharedColumns | None = None
    """Those pairs among them that share openings; None if no event does."""


class MeetingCounts(Struct, frozen=True):
    """Counted games of two players that have these things in common, from the view of the first
    player."""

    first_id: str
    second_id: str
    """Identities."""
    first_limit: str
    second_limit: str
    """Keys of their limits, see :func:`db.limits.limit_key`."""
    backend: str
    signature: str
    first_is_white: bool
    points: int
    """Half points of the first player: 2, 1 or 0."""
    end_reason: str
    length: int
    """Plies, rounded down to a multiple of 40."""
    games: int
    first_plies: int
    """Plies of the first player in all these games, and its costs; without games that have no node
    counts."""
    second_plies: int
    first_nodes: int
    second_nodes: int
    first_cpu_us: int
    second_cpu_us: int


class MeetingOpening(Struct, frozen=True):
    """Counted games of two players from one opening, from the view of the first player."""

    book: str | None
    line: int | None
    start_fen: str | None
    """Of games without a book; None: the start of chess, or that of the line."""
    wins: int
    draws: int
    losses: int
