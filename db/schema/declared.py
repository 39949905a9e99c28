"""The tables, each named after one of its rows: ``GAME.c.plies`` is a column of ``games``. Rows do
not leave this package; records do (:mod:`db.records`).

A million games must stay small and every query on them fast, so rows of ``games`` contain numbers
only: players are positions in ``event_players``, openings and hosts are keys, moments are
milliseconds since 1970, and moves with search data live in ``game_moves``, which a count never
reads. No type here belongs to SQLite alone. On a server the partial indexes are partial, too
(:mod:`db.schema.version`); the argument here would import its dialect at each start.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    UniqueConstraint,
    text,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""All tables; constraints have names, so that later revisions can change them."""
_filled = partial(Column, nullable=False)


def _run() -> list[Column[Any]]:
    """The common columns of events, studies and laboratory runs."""
    return [
        Column("id", Integer, primary_key=True),
        # The same in every database that the run is merged into.
        _filled("uid", String(32), unique=True),
        _filled("status", String),
        _filled("settings", JSON),
        _filled("created_ms", BigInteger),
        Column("started_ms", BigInteger),
        Column("ended_ms", BigInteger),
        _filled("provenance_id", Integer, ForeignKey("provenance.id")),
    ]


PROVENANCE = Table(
    "provenance",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("host", String),
    _filled("version", String),
    _filled("backend", String),
    _filled("signature", String),
    # Nodes per second of CPU time in the bench, or of the engine by which times were scaled; 0
    # where it is not known.
    _filled("speed", Integer),
    # What the times of limits were multiplied by; 1 for nothing.
    _filled("time_factor", Double),
    UniqueConstraint("host", "version", "backend", "signature", "speed", "time_factor"),
)
"""The origin of games and runs: machine, program, backend and core signature, and if a clock
limited the games the speed of the machine and the factor of their times."""

VARIANT = Table(
    "variants",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("identity", String(64), unique=True),
    _filled("kind", String),
    _filled("driver", String),
    _filled("parameters", JSON),
    _filled("spelling", String),
    # How an engine from a repository was built, which its identity does not depend on.
    Column("build", JSON),
)
"""A player's immutable description."""

NAMED_ENGINE = Table(
    "named_engines",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("name", String, unique=True),
    _filled("settings", JSON),
    _filled("created_ms", BigInteger),
)
"""An external engine that a user keeps under a name. Its games belong to variants, which it
becomes when it plays."""

BOOK = Table(
    "books",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("identity", String(64), unique=True),
    _filled("name", String),
    _filled("source", String),
    _filled("lines", Integer),
)
"""A set of openings."""

OPENING = Table(
    "openings",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("book_id", Integer, ForeignKey("books.id")),
    _filled("line", Integer),
    _filled("start_fen", String),
    _filled("moves", LargeBinary),
    _filled("fen", String),
    _filled("label", String),
    UniqueConstraint("book_id", "line"),
)
"""One line of a book."""

EVENT = Table(
    "events",
    METADATA,
    _filled("key", String(16), unique=True),
    _filled("name", String),
    _filled("kind", String, index=True),
    _filled("seed", BigInteger),
    Column("book_id", Integer, ForeignKey("books.id")),
    _filled("pairs_planned", Integer),
    *_run(),
)
"""One tournament, with the settings that its schedule is a pure function of."""

EVENT_PLAYER = Table(
    "event_players",
    METADATA,
    Column("event_id", Integer, ForeignKey("events.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _filled("label", String),
    _filled("variant_id", Integer, ForeignKey("variants.id"), index=True),
    UniqueConstraint("event_id", "label"),
    Index(None, "label"),
)
"""A player's place in an event."""

PAIRING = Table(
    "pairings",
    METADATA,
    Column("event_id", Integer, primary_key=True, autoincrement=False),
    Column("pairing", Integer, primary_key=True, autoincrement=False),
    _filled("first_player", Integer),
    _filled("second_player", Integer),
    ForeignKeyConstraint(
        ["event_id", "first_player"], ["event_players.event_id", "event_players.position"]
    ),
    ForeignKeyConstraint(
        ["event_id", "second_player"], ["event_players.event_id", "event_players.position"]
    ),
    CheckConstraint("first_player < second_player", name="order"),
)
"""Two players of an event who meet; the first is the one of the lower position."""

PAIR = Table(
    "pairs",
    METADATA,
    Column("event_id", Integer, primary_key=True, autoincrement=False),
    Column("pairing", Integer, primary_key=True, autoincrement=False),
    Column("pair", Integer, primary_key=True, autoincrement=False),
    # Whether the pairing's first player has White in the first game.
    _filled("first_is_white", Boolean),
    # Half points of the pairing's first player in the first game.
    _filled("score1", SmallInteger),
    # The same in the second game; NULL where there is none.
    Column("score2", SmallInteger),
    # Whether no game of it repeats another.
    _filled("counted", Boolean),
    ForeignKeyConstraint(["event_id", "pairing"], ["pairings.event_id", "pairings.pairing"]),
    CheckConstraint("score1 IN (0, 1, 2)", name="score1"),
    CheckConstraint("score2 IN (0, 1, 2)", name="score2"),
    sqlite_with_rowid=False,
)
"""A finished game pair, or an imported game that has no partner."""

PAIR_FAILURE = Table(
    "pair_failures",
    METADATA,
    Column("event_id", Integer, ForeignKey("events.id"), primary_key=True),
    Column("pairing", Integer, primary_key=True, autoincrement=False),
    Column("pair", Integer, primary_key=True, autoincrement=False),
    _filled("attempts", Integer),
    _filled("reason", String),
    _filled("failed_ms", BigInteger),
)
"""A pair that could not be played."""

END_REASON = Table(
    "end_reasons",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("name", String(64), unique=True),
)
"""A way for a game to end."""

GAME = Table(
    "games",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("event_id", Integer),
    _filled("pairing", Integer),
    _filled("pair", Integer),
    _filled("game", SmallInteger),
    _filled("white_player", Integer),
    _filled("black_player", Integer),
    # White's half points: 2, 1 or 0.
    _filled("white_score", SmallInteger),
    # The first game of the same key, by event, pairing, pair and game; NULL for that one.
    Column("repeats_id", Integer, ForeignKey("games.id")),
    _filled("end_reason_id", Integer, ForeignKey("end_reasons.id")),
    _filled("plies", Integer),
    Column("opening_id", Integer, ForeignKey("openings.id")),
    # Only where it is not the position of the opening or, without one, the start of chess.
    Column("start_fen", String),
    _filled("white_nodes", BigInteger),
    _filled("black_nodes", BigInteger),
    _filled("white_cpu_us", BigInteger),
    _filled("black_cpu_us", BigInteger),
    Column("started_ms", BigInteger),
    Column("ended_ms", BigInteger),
    _filled("provenance_id", Integer, ForeignKey("provenance.id")),
    _filled("load", Double),
    _filled("jobs", Integer),
    _filled("seed", BigInteger),
    Column("game_key", LargeBinary(32)),
    # Of result, moves and searches, see :func:`db.schema.soundness.game_digest`.
    _filled("digest", LargeBinary(8)),
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
    ),
    Index(
        "ix_games_repeats",
        "repeats_id",
        sqlite_where=text("repeats_id IS NOT NULL"),
    ),
)
"""One game, without its moves."""

GAME_MOVES = Table(
    "game_moves",
    METADATA,
    Column("game_id", Integer, ForeignKey("games.id"), primary_key=True),
    _filled("moves_version", SmallInteger),
    _filled("moves", LargeBinary),
    _filled("search_version", SmallInteger),
    _filled("search_data", LargeBinary),
    # Last, as it is long: what reads the others need not step over it.
    Column("lines", LargeBinary),
)
"""The moves of a game, its search data, and what external engines printed of their moves; NULL for
nothing. Imported games without moves have no row."""

GAME_PROBLEM = Table(
    "game_problems",
    METADATA,
    Column("event_id", Integer, ForeignKey("events.id"), primary_key=True),
    Column("game_id", Integer, ForeignKey("games.id"), primary_key=True),
    # From 0 in the game.
    Column("number", Integer, primary_key=True, autoincrement=False),
    # Whether White did it.
    _filled("of_white", Boolean),
    # ``fault``: it ended the game. ``warning``: it cost nothing.
    _filled("severity", String),
    _filled("text", String),
    # The position in which a fault happened.
    Column("fen", String),
    # How the engine was started.
    _filled("command", String),
    CheckConstraint("severity IN ('fault', 'warning')", name="severity"),
)
"""Something that an engine did wrong in a game."""

RATING_LIST = Table(
    "rating_lists",
    METADATA,
    Column("id", Integer, primary_key=True),
    _filled("created_ms", BigInteger),
    _filled("version", String),
    _filled("error_model", String),
    _filled("settings", JSON),
)
"""A stored fit."""

RATING = Table(
    "ratings",
    METADATA,
    Column("list_id", Integer, ForeignKey("rating_lists.id"), primary_key=True),
    # From 1, in the order of the list.
    Column("rank", Integer, primary_key=True, autoincrement=False),
    _filled("variant_id", Integer, ForeignKey("variants.id"), index=True),
    _filled("label", String),
    _filled("elo", Double),
    Column("error95", Double),
    _filled("games", Integer),
    _filled("score", Double),
    Column("los_next", Double),
)
"""One player of a rating list."""

TUNING_STUDY = Table(
    "tuning_studies",
    METADATA,
    _filled("name", String, unique=True),
    # The event of kind ``tuning`` that holds its games; NULL where its objective plays
    # none.
    Column("event_id", Integer, ForeignKey("events.id"), unique=True),
    Column("result", JSON(none_as_null=True)),
    *_run(),
)
"""One search for better parameters. Optuna calls its own tables `studies` and `trials`."""

TUNING_TRIAL = Table(
    "tuning_trials",
    METADATA,
    Column("study_id", Integer, ForeignKey("tuning_studies.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _filled("state", String),
    _filled("params", JSON),
    _filled("attributes", JSON),
    _filled("steps", JSON),
    Column("value", Double),
    _filled("started_ms", BigInteger),
    Column("ended_ms", BigInteger),
    CheckConstraint("state IN ('running', 'complete', 'pruned', 'failed')", name="state"),
)
"""One evaluation that a sampler asked for."""

TUNING_ENCOUNTER = Table(
    "tuning_encounters",
    METADATA,
    Column("study_id", Integer, ForeignKey("tuning_studies.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("trial", Integer),
    _filled("phase", String),
    _filled("first", JSON),
    Column("second", JSON(none_as_null=True)),
    Column("opponent", Integer),
    _filled("first_pair", Integer),
    _filled("pairs", Integer),
    # Eight bytes a pair: a little-endian float64, NaN where the pair could not be played.
    # NULL     until all of them are known.
    Column("scores", LargeBinary),
    ForeignKeyConstraint(["study_id", "trial"], ["tuning_trials.study_id", "tuning_trials.number"]),
    CheckConstraint("phase IN ('search', 'choice', 'gain')", name="phase"),
    Index(None, "study_id", "trial"),
)
"""One point against another, or against the base or an opponent, over numbered pairs."""

TUNING_CONFIRMATION = Table(
    "tuning_confirmations",
    METADATA,
    Column("study_id", Integer, ForeignKey("tuning_studies.id"), primary_key=True),
    Column("event_id", Integer, ForeignKey("events.id"), primary_key=True),
)
"""An event that played a study's result against its base again."""

LAB_RUN = Table(
    "lab_runs",
    METADATA,
    _filled("name", String, unique=True),
    # ``compare``, ``sweep``, ``parallel`` or ``suite``.
    _filled("kind", String),
    *_run(),
)
"""One comparison of exact searches, one curve over a parameter, or one test suite."""

LAB_ENGINE = Table(
    "lab_engines",
    METADATA,
    Column("run_id", Integer, ForeignKey("lab_runs.id"), primary_key=True),
    Column("engine", Integer, primary_key=True, autoincrement=False),
    _filled("label", String),
    _filled("variant_id", Integer, ForeignKey("variants.id"), index=True),
    # The engine of the run that its searches are compared with.
    _filled("baseline", Integer),
    # What a sweep varies.
    Column("parameter", String),
    # Its value, as variants spell it.
    Column("value", String),
)
"""One of the engines of a run."""

LAB_POSITION = Table(
    "lab_positions",
    METADATA,
    Column("run_id", Integer, ForeignKey("lab_runs.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _filled("label", String),
    _filled("fen", String),
)
"""One of the positions of a run."""

LAB_SEARCH = Table(
    "lab_searches",
    METADATA,
    Column("run_id", Integer, ForeignKey("lab_runs.id"), primary_key=True),
    Column("engine", Integer, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _filled("depth", Integer),
    _filled("value", Integer),
    _filled("move", String),
    _filled("interior", BigInteger),
    _filled("leaves", BigInteger),
    _filled("quiescence", BigInteger),
    _filled("passes", Integer),
    _filled("cpu_us", BigInteger),
    _filled("iterations", JSON),
    _filled("searched_ms", BigInteger),
    ForeignKeyConstraint(["run_id", "engine"], ["lab_engines.run_id", "lab_engines.engine"]),
    ForeignKeyConstraint(
        ["run_id", "position"], ["lab_positions.run_id", "lab_positions.position"]
    ),
)
"""One search of a position by an engine, all its iterations together."""
