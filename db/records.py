"""What goes into the database and comes out of it: frozen structs and tuples. Rows of
tables do not leave the package.

Times are UTC, ISO 8601 text with milliseconds (``2026-11-21T10:02:30.123Z``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

RunStatus = Literal["planned", "running", "interrupted", "done", "failed"]
Result = Literal["1-0", "0-1", "1/2-1/2"]
WHITE_SCORES: dict[str, int] = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
"""White's half points of a result."""
CHESS_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""Where a game starts that has neither an opening nor a position of its own."""
IMPORT_KIND = "import"
"""The kind of events that hold games of other programs; nothing is played in them."""
TUNING_KIND = "tuning"
"""The kind of events that hold the games of a study. Players join them while they are played, and
they are left out of what is told of all games."""
UCI_KIND = "uci"
"""The kind of variants that are external engines."""
OUT = "out_engines"
"""The key in the settings of an event for engines that did not start, by label, with the reason.
Pairs of theirs that were given up are walkovers where somebody has to advance."""
CHANGED = "changed_engines"
"""The key in the settings of an event for external engines that were others when it was continued:
label, and both identities."""
NOTE = "note"
"""The key in the settings of a run for what a user noted about it. Nothing depends on it."""
PGN = "pgn_out"
"""The key in the settings of an event for the PGN file that follows it, as an absolute path. It
belongs to the machine, so a merge does not take it along. Nothing depends on it."""
IMPORTED_BACKEND = "imported"
"""Stands for what played a game of another program."""
SHARED_OPENINGS = "shared"
"""The value of `openings` in the settings of an event in which the pairs of one number have the
same opening in all pairings."""
Core = tuple[str, str]
"""Backend and signature."""
Called = str | tuple[str, ...]
"""A label or an identity of players, or several."""
TrialState = Literal["running", "complete", "pruned", "failed"]
Phase = Literal["search", "choice", "gain"]
Scores = tuple[float | None, ...]
"""One a pair in order; None where a pair could not be played."""
LabKind = Literal["compare", "sweep", "parallel"]


class VariantRecord(Struct, frozen=True):
    """A player's description; the identity is its primary key."""

    id: str
    kind: str
    """``native`` (our drivers, on either backend), ``uci`` (an external engine) or ``imported`` (a
    name in a PGN file)."""
    driver: str
    parameters: Mapping[str, Any]
    """Effective parameters, as in the identity; the facts of an external engine."""
    spelling: str


class NamedEngineRecord(Struct, frozen=True):
    """An external engine that a user keeps under a name."""

    name: str
    settings: Mapping[str, Any]
    """How it is started: ``argv``, ``options``, ``directory``, ``environment``, ``restart``."""
    created_at: str = ""
    """Empty before it is stored: now."""


class OpeningRecord(NamedTuple):
    """One line of a book. A tuple, since a book has thousands."""

    line: int
    """From 1, as in the source file."""
    start_fen: str
    """Where the game starts before ``moves``."""
    moves: bytes
    """Moves from ``start_fen`` to the opening position, two bytes each, little endian."""
    fen: str
    """The opening position itself."""
    label: str = ""


class BookRecord(Struct, frozen=True):
    """A set of openings; ``id`` is the hash of its lines in order."""

    id: str
    name: str
    source: str
    lines: int


class _Identified(Struct, frozen=True, kw_only=True):
    uid: str = ""
    """Identifies the run in all databases. It is drawn when a run is stored, because two runs of
    equal settings are two runs, and nothing that is played depends on it. Empty before that."""


class RunRecord(_Identified, frozen=True):
    """What an event, a study and a run of the laboratory have in common."""

    what: ClassVar[str]
    """What messages call such a run."""
    id: int
    """0 until it is stored."""
    name: str
    status: RunStatus
    settings: Mapping[str, Any]
    """Frozen at the start."""
    created_at: str
    """Empty before it is stored: now."""
    started_at: str | None
    ended_at: str | None
    version: str
    """Of the program that created it, as are backend, signature and host."""
    backend: str
    signature: str
    host: str

    @property
    def note(self) -> str:
        """What a user noted about it; empty if nothing."""
        return str(self.settings.get(NOTE, ""))


class EventRecord(RunRecord, frozen=True):
    """One tournament. Its schedule is a pure function of its settings."""

    what = "event"
    key: str
    """Short public id, such as ``r3f9``."""
    kind: str
    seed: int
    """-2^63 to 2^63 - 1, as every whole number that is kept."""
    pairs_planned: int
    pairs_done: int
    pairs_failed: int
    book_id: str | None = None


class EventPlayerRecord(Struct, frozen=True):
    """A player's place in an event; one variant may stand in it under several labels."""

    position: int
    label: str
    variant_id: str


STANDARD_MOVES = 1
"""The version of moves in which castling is the king's own move: games of standard chess."""
CHESS960_MOVES = 2
"""The version of moves in which castling is king takes rook: games of Chess960."""


Severity = Literal["fault", "warning"]
"""Whether a problem ended its game, or cost nothing."""


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
    """How the engine was started, as for a shell; the spelling of one of our own."""


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
    """Two bytes a ply, little endian, after ``start_fen``; see ``moves_version``. Empty where an
    imported game came without its moves, whatever ``plies`` is."""
    moves_version: int
    """:data:`STANDARD_MOVES` or :data:`CHESS960_MOVES`."""
    search_data: bytes
    """Per-move value, depth, nodes, passes, time; see ``search_version``, which is 0 where nothing
    is known of the searches, and 2 where a part may be."""
    search_version: int
    white_nodes: int
    black_nodes: int
    """0 where the file of an imported game does not give those of every move."""
    white_cpu_us: int
    black_cpu_us: int
    started_at: str | None
    ended_at: str | None
    """None where an imported game does not say."""
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
    """Id of the first game of the same key by event, pairing, pair and game. Decided when games are
    stored, and changed when one that stands before it comes later."""

    problems: tuple[GameProblemRecord, ...] = ()
    """What engines did wrong, where it is known: in a game that has just been played, and in what
    :meth:`db.repository.Repository.game_problems` says of stored ones."""

    speed: int | None = None
    """Of the host: nodes per second of CPU time in the bench; None where a limit without a clock
    makes it unimportant, and where it is not known."""

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


class NewEvent(NamedTuple):
    """An event that is not stored yet, with all that it needs."""

    event: EventRecord
    players: Sequence[EventPlayerRecord]
    variants: Sequence[VariantRecord]
    book: tuple[BookRecord, Sequence[OpeningRecord]]


class PlayingTime(NamedTuple):
    """When a game was played, in milliseconds since 1970, and by how many workers its event."""

    started_ms: int
    ended_ms: int
    jobs: int


class Origin(NamedTuple):
    """What played some games of an event, and how many."""

    host: str
    version: str
    backend: str
    signature: str
    speed: int | None
    """As that of a game."""
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
    """What the file says of the searches; version 0 and empty where it says nothing."""
    white_nodes: int = 0
    black_nodes: int = 0
    """Nodes of all searches of a side; 0 where those of any are not known."""
    copy_of: int | None = None
    """Id of a stored game without a key that this one is."""
    moves_version: int = STANDARD_MOVES


ImportUnit = tuple[ImportedGame] | tuple[ImportedGame, ImportedGame]
"""A game without a partner, or the two games of a pair in their order."""


class ImportCounts(Struct):
    """What came of a batch of imported games."""

    pairs: int = 0
    singles: int = 0
    known: int = 0
    """Games that the event had before."""


class PairFailureRecord(Struct, frozen=True):
    """A pair that could not be played, and why."""

    event_id: int
    pairing: int
    pair: int
    attempts: int
    reason: str


class GameChoice(Struct, frozen=True):
    """Which games are counted; every field that is None lets all pass. Of the games of one key
    that are chosen only the first counts."""

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
    """Which games; every field that is None lets all pass. Labels match exactly."""

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
    """As it stands on the score sheet."""
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


class Removed(Struct, frozen=True):
    """What was removed with some runs."""

    events: tuple[str, ...] = ()
    """Keys, of the events of studies too."""
    games: int = 0
    searches: int = 0
    """Of laboratory runs."""
    variants: int = 0
    """That nothing refers to any more."""
    books: int = 0
    """That no event refers to any more."""
    now_counted: int = 0
    """Games of other events that repeated a removed one and count in its place."""


class MergedRows(Struct, frozen=True):
    """What a run of another database has beyond the same run here."""

    pairs: int = 0
    """Whole game pairs, and imported games without a partner."""
    games: int = 0
    repeats: int = 0
    """Games among them that repeat another of this database; known when they were added."""
    trials: int = 0
    encounters: int = 0
    searches: int = 0
    """Of laboratory runs."""
    changed: bool = False
    """Whether anything was missing or has changed, if only how far the run is."""

    def __add__(self, other: MergedRows) -> MergedRows:
        names = ("pairs", "games", "repeats", "trials", "encounters", "searches")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return replace(self, **sums, changed=self.changed or other.changed)


class Relabelled(Struct, frozen=True):
    """Where a label was changed."""

    events: tuple[str, ...] = ()
    """Keys."""
    studies: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    """Names of laboratory runs."""


class Entrant(NamedTuple):
    """A variant under one limit."""

    identity: str
    limit: str
    """Key of what a move might cost it, see :func:`db.limits.limit_key`."""


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
    """Equal numbers mean the same opening in the same event, whatever was chosen with it."""
    first: Ints
    second: Ints
    result: Ints
    """The row of :attr:`PairColumns.joint` in which the pair is counted."""


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


class PairingScore(Struct, frozen=True):
    """How a pairing of an event stands, from the view of its first player: the one of the lower
    position. A pairing without a finished pair has no such record."""

    pairing: int
    first: str
    second: str
    """Labels."""
    first_id: str
    second_id: str
    pairs: int
    """Finished pairs; each is two games."""
    games: int
    """Stored games; those of an import may have no partner."""
    wins: int
    draws: int
    losses: int
    """Counted games of the first player."""
    excluded: int
    """Games that repeat another of the event and are not counted."""
    pentanomial: tuple[int, ...]
    """Counted whole pairs in which the first player scored 0, ½, 1, 1½, 2 points."""


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
    """That the first player made in all these games together, as what follows; without games in
    which nobody counted its nodes."""
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


class EventCounts(Struct, frozen=True):
    """Games of one event in which one player had the same colour, points and kind of end,
    repetitions included."""

    player: str
    """Its label."""
    is_white: bool
    points: int
    """Half points of the player in each: 2, 1 or 0."""
    end_reason: str
    games: int
    repeats: int
    """Games among them that repeat another of the database."""
    least_plies: int
    most_plies: int
    plies: int
    """Of both sides in all these games together."""
    own_plies: int
    """Of the player, as what follows; without games in which nobody counted its nodes."""
    nodes: int
    cpu_us: int


class OpeningCounts(Struct, frozen=True):
    """Counted games from one line of a book."""

    book_id: str
    book: str
    line: int
    label: str
    white_wins: int
    draws: int
    black_wins: int
    pairs: int
    """Whole game pairs among them."""
    same_colour: int
    """Pairs of which White won both games, or Black did: the line decided, not the players."""


class HistoryRow(Struct, frozen=True):
    """One place of a variant in one stored rating list."""

    list_id: int
    created_at: str
    error_model: str
    settings: Mapping[str, Any]
    rank: int
    players: int
    """Length of the list."""
    row: RatingRow


class RatingRow(Struct, frozen=True):
    """One player of a rating list. Elo; ``error95`` is half of the 95 % interval."""

    variant_id: str
    label: str
    elo: float
    error95: float | None
    games: int
    score: float
    los_next: float | None


class RatingListRecord(Struct, frozen=True):
    """A stored fit with its settings."""

    id: int
    created_at: str
    version: str
    error_model: str
    settings: Mapping[str, Any]
    rows: tuple[RatingRow, ...] = ()


class StudyRecord(RunRecord, frozen=True):
    """One search for better parameters. Its name is unique among studies."""

    what = "study"
    event_id: int | None = None
    """The event of kind ``tuning`` with its games; None where its objective plays none."""
    result: Mapping[str, Any] | None = None
    """What it recommends, once it does."""


class TrialRecord(Struct, frozen=True):
    """One evaluation that a sampler asked for."""

    study_id: int
    number: int
    """From 0 within the study."""
    state: TrialState
    params: Mapping[str, Any]
    attributes: Mapping[str, Any] = {}
    """The sampler's own, and ours: JSON."""
    steps: Sequence[float] = ()
    """Values that were reported while it ran, for a pruner; step 0 first."""
    value: float | None = None
    started_at: str = ""
    """Empty before it is stored: now."""
    ended_at: str | None = None


class EncounterRecord(Struct, frozen=True):
    """One point over numbered pairs against ``second``, or, where that is None, against the
    opponent of that number or the base."""

    number: int
    """From 0 within the study; the pairing's number in its event."""
    phase: Phase
    """What it is for: to find good points, to choose among the leading ones, or to measure the gain
    of the recommended one."""
    first: Mapping[str, Any]
    first_pair: int
    """Number of the first pair, from 0."""
    pairs: int
    trial: int | None = None
    """Number of the trial that it belongs to; None: to none, as in a choice between points."""
    second: Mapping[str, Any] | None = None
    opponent: int | None = None
    """Place, from 0, among the study's opponents; ``second`` is None then."""
    scores: Scores = ()
    """One a pair, in order: of games the share of the points that ``first`` won, 0 to 1; of effort
    ln(effort of ``first`` / effort of the base). None if the pair could not be played. Empty until
    all are known."""

    @property
    def pair_numbers(self) -> range:
        """The numbers of its pairs."""
        return range(self.first_pair, self.first_pair + self.pairs)


class LabRunRecord(RunRecord, frozen=True):
    """One comparison of exact searches, or one curve. Its name is unique among laboratory runs."""

    what = "laboratory run"
    kind: LabKind


class LabEngineRecord(Struct, frozen=True):
    """One engine of a run."""

    engine: int
    """From 0 within the run."""
    label: str
    variant_id: str
    """Identity of the variant, which must be stored."""
    baseline: int
    """Number of the engine that its searches are compared with."""
    parameter: str | None = None
    """What a sweep varies."""
    value: str | None = None
    """Its value, as variants spell it."""


class LabPositionRecord(Struct, frozen=True):
    """One position of a run."""

    position: int
    """From 0 within the run."""
    label: str
    fen: str


class LabSearchRecord(Struct, frozen=True):
    """One exact search of a position by an engine: all its iterations together."""

    engine: int
    position: int
    depth: int
    value: int
    """Of the last iteration, from the side to move."""
    move: str
    """Best move, UCI; empty where there is none."""
    interior: int
    leaves: int
    quiescence: int
    passes: int
    cpu_us: int
    iterations: Sequence[Any]
    """Each iteration with its passes, as JSON; docs/database.md tells how."""
    searched_at: str = ""
    """Empty before it is stored: now."""
