"""The tables. ORM objects do not leave this package; records do (:mod:`db.records`).

A million games should stay small and every question about them quick, so rows of ``games`` hold
numbers only: players are positions in ``event_players``, openings and hosts are keys, moments are
milliseconds since 1970, and moves with search data live in ``game_moves``, which a count never
reads. No type here belongs to SQLite alone.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Root of the models; constraints have names, so that later revisions can change them."""

    metadata = MetaData(naming_convention=_NAMES)


class Sealed:
    """A table whose rows have digests."""

    digest: Mapped[bytes | None] = mapped_column(LargeBinary(8))
    """What :mod:`db.tables.digests` computed of the row's content when it was stored."""


class Run(Sealed):
    """What the tables of events, studies and laboratory runs have in common."""

    id: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str]
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    started_ms: Mapped[int | None] = mapped_column(BigInteger)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger)
    provenance_id: Mapped[int] = mapped_column(ForeignKey("provenance.id"))


class Provenance(Base):
    """What played or decided something: machine, program, backend and core signature, and how fast
    the machine was where that matters."""

    __tablename__ = "provenance"
    __table_args__ = (UniqueConstraint("host", "version", "backend", "signature", "speed"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    host: Mapped[str]
    version: Mapped[str]
    backend: Mapped[str]
    signature: Mapped[str]
    speed: Mapped[int] = mapped_column(server_default="0")
    """Nodes per second of CPU time in the bench; 0 where it is not known."""


class Variant(Sealed, Base):
    """A player's immutable description."""

    __tablename__ = "variants"

    id: Mapped[int] = mapped_column(primary_key=True)
    identity: Mapped[str] = mapped_column(String(64), unique=True)
    kind: Mapped[str]
    driver: Mapped[str]
    parameters: Mapped[dict[str, Any]] = mapped_column(JSON)
    spelling: Mapped[str]


class NamedEngine(Sealed, Base):
    """An external engine that a user keeps under a name. Its games belong to variants, which it
    becomes when it plays."""

    __tablename__ = "named_engines"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_ms: Mapped[int] = mapped_column(BigInteger)


class Book(Sealed, Base):
    """A set of openings."""

    __tablename__ = "books"

    id: Mapped[int] = mapped_column(primary_key=True)
    identity: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str]
    source: Mapped[str]
    lines: Mapped[int]


class Opening(Base):
    """One line of a book."""

    __tablename__ = "openings"
    __table_args__ = (UniqueConstraint("book_id", "line"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("books.id"))
    line: Mapped[int]
    start_fen: Mapped[str]
    moves: Mapped[bytes] = mapped_column(LargeBinary)
    fen: Mapped[str]
    label: Mapped[str]


class Event(Run, Base):
    """One tournament, with the settings that its schedule is a pure function of."""

    __tablename__ = "events"

    key: Mapped[str] = mapped_column(String(16), unique=True)
    name: Mapped[str]
    kind: Mapped[str] = mapped_column(index=True)
    seed: Mapped[int] = mapped_column(BigInteger)
    book_id: Mapped[int | None] = mapped_column(ForeignKey("books.id"))
    pairs_planned: Mapped[int]


class EventPlayer(Sealed, Base):
    """A player's place in an event."""

    __tablename__ = "event_players"
    __table_args__ = (UniqueConstraint("event_id", "label"), Index(None, "label"))

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    label: Mapped[str]
    variant_id: Mapped[int] = mapped_column(ForeignKey("variants.id"), index=True)


class Pairing(Base):
    """Two players of an event who meet; the first is the one of the lower position."""

    __tablename__ = "pairings"
    __table_args__ = (
        ForeignKeyConstraint(
            ["event_id", "first_player"], ["event_players.event_id", "event_players.position"]
        ),
        ForeignKeyConstraint(
            ["event_id", "second_player"], ["event_players.event_id", "event_players.position"]
        ),
        CheckConstraint("first_player < second_player", name="order"),
    )

    event_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    pairing: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    first_player: Mapped[int]
    second_player: Mapped[int]


class Pair(Base):
    """A finished game pair, or an imported game that has no partner."""

    __tablename__ = "pairs"
    __table_args__ = (
        ForeignKeyConstraint(["event_id", "pairing"], ["pairings.event_id", "pairings.pairing"]),
        CheckConstraint("score1 IN (0, 1, 2)", name="score1"),
        CheckConstraint("score2 IN (0, 1, 2)", name="score2"),
        {"sqlite_with_rowid": False},
    )

    event_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    pairing: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    pair: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    first_is_white: Mapped[bool]
    """Whether the pairing's first player has White in the first game."""
    score1: Mapped[int] = mapped_column(SmallInteger)
    """Half points of the pairing's first player in the first game."""
    score2: Mapped[int | None] = mapped_column(SmallInteger)
    """The same in the second game; NULL where there is none."""
    counted: Mapped[bool]
    """Whether no game of it repeats another."""


class PairFailure(Base):
    """A pair that could not be played."""

    __tablename__ = "pair_failures"

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    pairing: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    pair: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    attempts: Mapped[int]
    reason: Mapped[str]
    failed_ms: Mapped[int] = mapped_column(BigInteger)


class EndReason(Base):
    """A way for a game to end."""

    __tablename__ = "end_reasons"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)


class Game(Sealed, Base):
    """One game, without its moves."""

    __tablename__ = "games"
    __table_args__ = (
        UniqueConstraint("event_id", "pairing", "pair", "game"),
        ForeignKeyConstraint(
            ["event_id", "pairing", "pair"], ["pairs.event_id", "pairs.pairing", "pairs.pair"]
        ),
        ForeignKeyConstraint(
            ["event_id", "white_player"], ["event_players.event_id", "event_players.position"]
        ),
        ForeignKeyConstraint(
            ["event_id", "black_player"], ["event_players.event_id", "event_players.position"]
        ),
        CheckConstraint("game IN (1, 2)", name="game"),
        CheckConstraint("white_score IN (0, 1, 2)", name="white_score"),
        # Every aggregate of scores is answered from this index alone.
        Index(
            "ix_games_scores",
            *("event_id", "pairing", "white_player", "black_player", "white_score"),
            *("provenance_id", "repeats_id"),
        ),
        # The database itself holds that of the games of one key only one counts.
        Index(
            "ix_games_counted_key",
            "game_key",
            unique=True,
            sqlite_where=text("repeats_id IS NULL AND game_key IS NOT NULL"),
            postgresql_where=text("repeats_id IS NULL AND game_key IS NOT NULL"),
        ),
        Index(
            "ix_games_repeats",
            "repeats_id",
            sqlite_where=text("repeats_id IS NOT NULL"),
            postgresql_where=text("repeats_id IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int]
    pairing: Mapped[int]
    pair: Mapped[int]
    game: Mapped[int] = mapped_column(SmallInteger)
    white_player: Mapped[int]
    black_player: Mapped[int]
    white_score: Mapped[int] = mapped_column(SmallInteger)
    """White's half points: 2, 1 or 0."""
    repeats_id: Mapped[int | None] = mapped_column(ForeignKey("games.id"))
    """The first game of the same key, by event, pairing, pair and game; NULL for that one."""
    end_reason_id: Mapped[int] = mapped_column(ForeignKey("end_reasons.id"))
    plies: Mapped[int]
    opening_id: Mapped[int | None] = mapped_column(ForeignKey("openings.id"))
    start_fen: Mapped[str | None]
    """Only where it is not the position of the opening or, without one, the start of chess."""
    white_nodes: Mapped[int] = mapped_column(BigInteger)
    black_nodes: Mapped[int] = mapped_column(BigInteger)
    white_cpu_us: Mapped[int] = mapped_column(BigInteger)
    black_cpu_us: Mapped[int] = mapped_column(BigInteger)
    started_ms: Mapped[int | None] = mapped_column(BigInteger)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger)
    provenance_id: Mapped[int] = mapped_column(ForeignKey("provenance.id"))
    load: Mapped[float] = mapped_column(Double)
    jobs: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    game_key: Mapped[bytes | None] = mapped_column(LargeBinary(32))


class GameMoves(Base):
    """The moves of a game and what its searches said. Imported games without moves have no row."""

    __tablename__ = "game_moves"

    game_id: Mapped[int] = mapped_column(ForeignKey("games.id"), primary_key=True)
    moves_version: Mapped[int] = mapped_column(SmallInteger)
    moves: Mapped[bytes] = mapped_column(LargeBinary)
    search_version: Mapped[int] = mapped_column(SmallInteger)
    search_data: Mapped[bytes] = mapped_column(LargeBinary)


class GameProblem(Sealed, Base):
    """Something that an engine did wrong in a game."""

    __tablename__ = "game_problems"
    __table_args__ = (CheckConstraint("severity IN ('fault', 'warning')", name="severity"),)

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """From 0 in the game."""
    of_white: Mapped[bool]
    """Whether White did it."""
    severity: Mapped[str]
    """``fault``: it ended the game. ``warning``: it cost nothing."""
    text: Mapped[str]
    fen: Mapped[str | None]
    """The position in which a fault happened."""
    command: Mapped[str]
    """How the engine was started."""


class RatingList(Sealed, Base):
    """A stored fit."""

    __tablename__ = "rating_lists"

    id: Mapped[int] = mapped_column(primary_key=True)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    version: Mapped[str]
    error_model: Mapped[str]
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)


class Rating(Base):
    """One player of a rating list."""

    __tablename__ = "ratings"

    list_id: Mapped[int] = mapped_column(ForeignKey("rating_lists.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """From 1, in the order of the list."""
    variant_id: Mapped[int] = mapped_column(ForeignKey("variants.id"), index=True)
    label: Mapped[str]
    elo: Mapped[float] = mapped_column(Double)
    error95: Mapped[float | None] = mapped_column(Double)
    games: Mapped[int]
    score: Mapped[float] = mapped_column(Double)
    los_next: Mapped[float | None] = mapped_column(Double)


class TuningStudy(Run, Base):
    """One search for better parameters. Optuna calls its own tables `studies` and `trials`."""

    __tablename__ = "tuning_studies"

    name: Mapped[str] = mapped_column(unique=True)
    event_id: Mapped[int | None] = mapped_column(ForeignKey("events.id"), unique=True)
    """The event of kind ``tuning`` that holds its games; NULL where its objective plays none."""
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class TuningTrial(Sealed, Base):
    """One evaluation that a sampler asked for."""

    __tablename__ = "tuning_trials"
    __table_args__ = (
        CheckConstraint("state IN ('running', 'complete', 'pruned', 'failed')", name="state"),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("tuning_studies.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    state: Mapped[str]
    params: Mapped[dict[str, Any]] = mapped_column(JSON)
    attributes: Mapped[dict[str, Any]] = mapped_column(JSON)
    steps: Mapped[list[float]] = mapped_column(JSON)
    value: Mapped[float | None] = mapped_column(Double)
    started_ms: Mapped[int] = mapped_column(BigInteger)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger)


class TuningEncounter(Sealed, Base):
    """One point against another, or against the base or an opponent, over numbered pairs."""

    __tablename__ = "tuning_encounters"
    __table_args__ = (
        ForeignKeyConstraint(
            ["study_id", "trial"], ["tuning_trials.study_id", "tuning_trials.number"]
        ),
        CheckConstraint("phase IN ('search', 'choice', 'gain')", name="phase"),
        Index(None, "study_id", "trial"),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("tuning_studies.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    trial: Mapped[int | None]
    phase: Mapped[str]
    first: Mapped[dict[str, Any]] = mapped_column(JSON)
    second: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    opponent: Mapped[int | None]
    first_pair: Mapped[int]
    pairs: Mapped[int]
    scores: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Eight bytes a pair: a little-endian float64, NaN where the pair could not be played. NULL
    until all of them are known."""


class TuningConfirmation(Base):
    """An event that played a study's result against its base again."""

    __tablename__ = "tuning_confirmations"

    study_id: Mapped[int] = mapped_column(ForeignKey("tuning_studies.id"), primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)


class LabRun(Run, Base):
    """One comparison of exact searches, or one curve over a parameter."""

    __tablename__ = "lab_runs"

    name: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    """``compare`` or ``sweep``."""


class LabEngine(Base):
    """One of the engines of a run."""

    __tablename__ = "lab_engines"

    run_id: Mapped[int] = mapped_column(ForeignKey("lab_runs.id"), primary_key=True)
    engine: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    label: Mapped[str]
    variant_id: Mapped[int] = mapped_column(ForeignKey("variants.id"), index=True)
    baseline: Mapped[int]
    """The engine of the run that its searches are compared with."""
    parameter: Mapped[str | None]
    """What a sweep varies."""
    value: Mapped[str | None]
    """Its value, as variants spell it."""


class LabPosition(Base):
    """One of the positions of a run."""

    __tablename__ = "lab_positions"

    run_id: Mapped[int] = mapped_column(ForeignKey("lab_runs.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    label: Mapped[str]
    fen: Mapped[str]


class LabSearch(Sealed, Base):
    """One exact search of a position by an engine, all its iterations together."""

    __tablename__ = "lab_searches"
    __table_args__ = (
        ForeignKeyConstraint(["run_id", "engine"], ["lab_engines.run_id", "lab_engines.engine"]),
        ForeignKeyConstraint(
            ["run_id", "position"], ["lab_positions.run_id", "lab_positions.position"]
        ),
    )

    run_id: Mapped[int] = mapped_column(ForeignKey("lab_runs.id"), primary_key=True)
    engine: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    depth: Mapped[int]
    value: Mapped[int]
    move: Mapped[str]
    interior: Mapped[int] = mapped_column(BigInteger)
    leaves: Mapped[int] = mapped_column(BigInteger)
    quiescence: Mapped[int] = mapped_column(BigInteger)
    passes: Mapped[int]
    cpu_us: Mapped[int] = mapped_column(BigInteger)
    iterations: Mapped[list[Any]] = mapped_column(JSON)
    searched_ms: Mapped[int] = mapped_column(BigInteger)


class StoredRows(Base):
    """How many rows of a kind were stored: of an event, a study or a run, or (owner 0) in all."""

    __tablename__ = "stored_rows"

    kind: Mapped[str] = mapped_column(primary_key=True)
    """One of :data:`db.tables.digests.KINDS`."""
    owner: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    rows: Mapped[int] = mapped_column(BigInteger)
