"""Views for users' SQL: the tables with their keys resolved. docs/database.md documents every
column. They are recreated after each upgrade, so revisions need not know them."""

from __future__ import annotations

import re

from sqlalchemy import Connection, inspect

_DIALECT = {
    "sqlite": {
        "MOMENT": r"strftime('%Y-%m-%dT%H:%M:%fZ', \1 / 1000.0, 'unixepoch')",
        "HEX": r"nullif(lower(hex(\1)), '')",
        "HALF": r"\1 / 2.0",
        "ROWS": r"json_each(\1)",
        "ROWS_OF": r"json_each(\1, '$.\2')",
        "COUNT_OF": r"json_array_length(\1, '$.\2')",
        "NUMBER": r"json_extract(\1, '$.\2')",
        "OF_ROW": r"json_extract(\1, '$.\2[' || (\3 - 1) || '].\4')",
        "FIELD": r"json_extract(\1, '$.\2')",
    },
    "postgresql": {
        "MOMENT": r"""to_char(to_timestamp(\1 / 1000.0) AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')""",
        "HEX": r"encode(\1, 'hex')",
        "HALF": r"\1 / 2.0::float8",
        "ROWS": r"""LATERAL (SELECT a.value, a.place - 1 AS key
            FROM json_array_elements(\1) WITH ORDINALITY a (value, place))""",
        "ROWS_OF": r"""LATERAL (SELECT a.value, a.place - 1 AS key
            FROM json_array_elements(\1 -> '\2') WITH ORDINALITY a (value, place))""",
        "COUNT_OF": r"json_array_length(\1 -> '\2')",
        "NUMBER": r"(\1 ->> '\2')::bigint",
        "OF_ROW": r"(\1 -> '\2' -> (\3 - 1)::int ->> '\4')",
        "FIELD": r"(\1 ->> '\2')",
    },
}
"""How each dialect writes milliseconds as ISO 8601 text, bytes as hex digits, and half points as
points. ROWS are the
elements of a JSON array (``key`` from 0, ``value``); ROWS_OF(object, field) and COUNT_OF are those
of an array in a JSON object, and their number; FIELD(object, field) is a field of a JSON object as
text, NUMBER as an integer; OF_ROW(object, array, number, field) is a field, as text, of the element
of that number, from 1, in an array of a JSON object."""

_ARGUMENTS = r"([\w.]+)" + 3 * r"(?:, ([\w.]+))?"
_FINITE = 32_000
"""The largest value; the end of a window beyond it is open. It is MATE of :mod:`engines.spec`, a
layer that this one does not import; a test compares them."""

# Joins serve the columns that people choose rows by. Others are looked up by subqueries, which cost
# nothing where a query does not ask for them; SQLite makes every join of an aggregate.
# Subqueries rather than joins where a table of many rows stands first: what a question does not ask
# for is then not looked up.
_GAMES = """
    SELECT g.id, e.key AS event, e.name AS event_name, e.kind AS event_kind, g.pairing, g.pair,
        g.game,
        (SELECT a.label FROM event_players a
            WHERE a.event_id = g.event_id AND a.position = g.white_player) AS white,
        (SELECT b.label FROM event_players b
            WHERE b.event_id = g.event_id AND b.position = g.black_player) AS black,
        (SELECT v.identity FROM event_players a JOIN variants v ON v.id = a.variant_id
            WHERE a.event_id = g.event_id AND a.position = g.white_player) AS white_id,
        (SELECT w.identity FROM event_players b JOIN variants w ON w.id = b.variant_id
            WHERE b.event_id = g.event_id AND b.position = g.black_player) AS black_id,
        CASE g.white_score WHEN 2 THEN '1-0' WHEN 1 THEN '1/2-1/2' ELSE '0-1' END AS result,
        HALF(g.white_score) AS white_score,
        (SELECT r.name FROM end_reasons r WHERE r.id = g.end_reason_id) AS end_reason, g.plies,
        (SELECT k.identity FROM openings o JOIN books k ON k.id = o.book_id
            WHERE o.id = g.opening_id) AS book_id,
        (SELECT o.line FROM openings o WHERE o.id = g.opening_id) AS opening_line,
        coalesce(g.start_fen, (SELECT o.fen FROM openings o WHERE o.id = g.opening_id),
            'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1') AS start_fen,
        (SELECT d.moves FROM game_moves d WHERE d.game_id = g.id) AS moves,
        (SELECT d.moves_version FROM game_moves d WHERE d.game_id = g.id) AS moves_version,
        coalesce((SELECT FIELD(v.parameters, game) FROM event_players a
            JOIN variants v ON v.id = a.variant_id
            WHERE a.event_id = g.event_id AND a.position = g.white_player), 'chess') AS game_played,
        (SELECT d.search_data FROM game_moves d WHERE d.game_id = g.id) AS search_data,
        (SELECT d.search_version FROM game_moves d WHERE d.game_id = g.id) AS search_version,
        (SELECT d.lines FROM game_moves d WHERE d.game_id = g.id) AS lines,
        g.white_nodes, g.black_nodes, g.white_cpu_us, g.black_cpu_us,
        MOMENT(g.started_ms) AS started_at, MOMENT(g.ended_ms) AS ended_at,
        (SELECT h.host FROM provenance h WHERE h.id = g.provenance_id) AS host,
        (SELECT NULLIF(h.speed, 0) FROM provenance h WHERE h.id = g.provenance_id) AS speed,
        (SELECT h.time_factor FROM provenance h WHERE h.id = g.provenance_id) AS time_factor,
        g.load, g.jobs,
        (SELECT h.backend FROM provenance h WHERE h.id = g.provenance_id) AS backend,
        (SELECT h.signature FROM provenance h WHERE h.id = g.provenance_id) AS signature,
        (SELECT h.version FROM provenance h WHERE h.id = g.provenance_id) AS version,
        g.seed, HEX(g.game_key) AS game_key,
        g.repeats_id IS NULL AS counted, g.repeats_id AS repeats
    FROM games g
    LEFT JOIN events e ON e.id = g.event_id
"""

VIEWS = {
    "v_variants": """
        SELECT v.identity AS id, v.kind, v.driver, v.spelling, v.parameters, v.build
        FROM variants v
    """,
    "v_openings": """
        SELECT b.identity AS book_id, b.name AS book, o.line, o.label, o.start_fen, o.moves, o.fen
        FROM openings o LEFT JOIN books b ON b.id = o.book_id
    """,
    "v_events": """
        SELECT e.key AS id, e.name, e.kind, e.status, e.pairs_planned,
            (SELECT count(*) FROM pairs p WHERE p.event_id = e.id) AS pairs_done,
            (SELECT count(*) FROM pair_failures f WHERE f.event_id = e.id) AS pairs_failed,
            coalesce((SELECT FIELD(v.parameters, game) FROM event_players a
                JOIN variants v ON v.id = a.variant_id
                WHERE a.event_id = e.id AND a.position = 0), 'chess') AS game_played,
            e.seed, b.identity AS book_id, b.name AS book, MOMENT(e.created_ms) AS created_at,
            MOMENT(e.started_ms) AS started_at, MOMENT(e.ended_ms) AS ended_at,
            h.host, h.version, h.backend, h.signature, e.settings
        FROM events e
        LEFT JOIN books b ON b.id = e.book_id
        LEFT JOIN provenance h ON h.id = e.provenance_id
    """,
    "v_players": """
        SELECT e.key AS event, e.name AS event_name, x.position, x.label,
            v.identity AS variant_id, v.spelling
        FROM event_players x
        LEFT JOIN events e ON e.id = x.event_id
        LEFT JOIN variants v ON v.id = x.variant_id
    """,
    "v_pairs": """
        SELECT e.key AS event, e.name AS event_name, e.kind AS event_kind, p.pairing, p.pair,
            a.label AS first, b.label AS second,
            v.identity AS first_id, w.identity AS second_id, p.first_is_white,
            HALF(p.score1) AS score1, HALF(p.score2) AS score2,
            HALF(p.score1) + HALF(p.score2) AS points, p.counted
        FROM pairs p
        LEFT JOIN events e ON e.id = p.event_id
        LEFT JOIN pairings m ON m.event_id = p.event_id AND m.pairing = p.pairing
        LEFT JOIN event_players a ON a.event_id = p.event_id AND a.position = m.first_player
        LEFT JOIN event_players b ON b.event_id = p.event_id AND b.position = m.second_player
        LEFT JOIN variants v ON v.id = a.variant_id
        LEFT JOIN variants w ON w.id = b.variant_id
    """,
    "v_failures": """
        SELECT e.key AS event, e.name AS event_name, f.pairing, f.pair, f.attempts, f.reason,
            MOMENT(f.failed_ms) AS failed_at
        FROM pair_failures f LEFT JOIN events e ON e.id = f.event_id
    """,
    "v_problems": """
        SELECT e.key AS event, e.name AS event_name, x.game_id AS game,
            p.label AS engine, x.severity, x.text, x.fen, x.command
        FROM game_problems x
        LEFT JOIN events e ON e.id = x.event_id
        LEFT JOIN games g ON g.id = x.game_id
        LEFT JOIN event_players p ON p.event_id = x.event_id
            AND p.position = CASE WHEN x.of_white THEN g.white_player ELSE g.black_player END
    """,
    "v_games": _GAMES,
    "v_match_games": _GAMES + " WHERE e.kind <> 'tuning'",
    "v_ratings": """
        SELECT r.list_id AS list, MOMENT(l.created_ms) AS created_at, r.rank, r.label AS engine,
            v.identity AS engine_id, r.elo, r.error95, l.error_model, r.games, r.score, r.los_next,
            OF_ROW(l.settings, players, r.rank, limit) AS search_limit,
            OF_ROW(l.settings, players, r.rank, core) AS core, l.version, l.settings
        FROM ratings r
        LEFT JOIN rating_lists l ON l.id = r.list_id
        LEFT JOIN variants v ON v.id = r.variant_id
    """,
    "v_tuning_studies": """
        SELECT s.name, s.status,
            (SELECT e.key FROM events e WHERE e.id = s.event_id) AS event,
            (SELECT e.name FROM events e WHERE e.id = s.event_id) AS event_name,
            (SELECT count(*) FROM tuning_trials t WHERE t.study_id = s.id) AS trials,
            (SELECT coalesce(sum(n.pairs), 0) FROM tuning_encounters n
                WHERE n.study_id = s.id AND n.scores IS NOT NULL) AS pairs,
            MOMENT(s.created_ms) AS created_at, MOMENT(s.started_ms) AS started_at,
            MOMENT(s.ended_ms) AS ended_at, h.host, h.version, h.backend, h.signature,
            s.settings, s.result
        FROM tuning_studies s
        LEFT JOIN provenance h ON h.id = s.provenance_id
    """,
    "v_tuning_trials": """
        SELECT s.name AS study, t.number AS trial, t.state, t.value, t.params, t.attributes,
            t.steps,
            (SELECT coalesce(sum(n.pairs), 0) FROM tuning_encounters n
                WHERE n.study_id = t.study_id AND n.trial = t.number
                AND n.scores IS NOT NULL) AS pairs,
            MOMENT(t.started_ms) AS started_at, MOMENT(t.ended_ms) AS ended_at
        FROM tuning_trials t
        LEFT JOIN tuning_studies s ON s.id = t.study_id
    """,
    "v_tuning_encounters": """
        SELECT s.name AS study, n.number AS encounter, n.trial, n.phase, n.first, n.second,
            n.opponent, n.first_pair, n.pairs, n.scores IS NOT NULL AS finished, n.scores
        FROM tuning_encounters n
        LEFT JOIN tuning_studies s ON s.id = n.study_id
    """,
    "v_lab_runs": """
        SELECT r.name, r.kind, r.status,
            (SELECT count(*) FROM lab_engines e WHERE e.run_id = r.id) AS engines,
            (SELECT count(*) FROM lab_positions p WHERE p.run_id = r.id) AS positions,
            (SELECT count(*) FROM lab_searches s WHERE s.run_id = r.id) AS searches,
            MOMENT(r.created_ms) AS created_at, MOMENT(r.started_ms) AS started_at,
            MOMENT(r.ended_ms) AS ended_at, h.host, h.version, h.backend, h.signature, r.settings
        FROM lab_runs r
        LEFT JOIN provenance h ON h.id = r.provenance_id
    """,
    "v_lab_searches": """
        SELECT r.name AS run, s.engine AS engine_number, e.label AS engine,
            v.identity AS engine_id, v.driver, v.spelling, e.baseline AS baseline_number,
            e.parameter, e.value AS parameter_value, s.position,
            p.label AS position_label, p.fen, s.depth, s.value, s.move, s.interior, s.leaves,
            s.quiescence, s.interior + s.leaves + s.quiescence AS nodes, s.passes, s.cpu_us,
            (SELECT CAST(sum(NUMBER(i.value, wall_us)) AS bigint)
                FROM ROWS(s.iterations) i) AS wall_us,
            s.iterations, MOMENT(s.searched_ms) AS searched_at
        FROM lab_searches s
        LEFT JOIN lab_runs r ON r.id = s.run_id
        LEFT JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
        LEFT JOIN variants v ON v.id = e.variant_id
        LEFT JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position
    """,
    "v_lab_iterations": """
        SELECT r.name AS run, s.engine AS engine_number, e.label AS engine,
            v.identity AS engine_id, v.driver, e.parameter, e.value AS parameter_value,
            s.position, p.label AS position_label,
            NUMBER(i.value, depth) AS depth, NUMBER(i.value, value) AS value,
            FIELD(i.value, move) AS move, NUMBER(i.value, move_value) AS move_value,
            NUMBER(i.value, first_guess) AS first_guess, NUMBER(i.value, interior) AS interior,
            NUMBER(i.value, leaves) AS leaves, NUMBER(i.value, quiescence) AS quiescence,
            NUMBER(i.value, interior) + NUMBER(i.value, leaves)
                + NUMBER(i.value, quiescence) AS nodes,
            NUMBER(i.value, probes) AS probes, NUMBER(i.value, hits) AS hits,
            NUMBER(i.value, cutoffs) AS cutoffs, NUMBER(i.value, cpu_us) AS cpu_us,
            NUMBER(i.value, wall_us) AS wall_us, COUNT_OF(i.value, passes) AS passes
        FROM lab_runs r
        JOIN lab_searches s ON s.run_id = r.id
        JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
        JOIN variants v ON v.id = e.variant_id
        JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position
        CROSS JOIN ROWS(s.iterations) i
    """,
    "v_lab_passes": f"""
        SELECT q.run, q.engine_number, q.engine, q.parameter, q.parameter_value, q.position,
            q.position_label, q.depth, q.number,
            CASE WHEN q.alpha >= -{_FINITE} THEN q.alpha END AS alpha,
            CASE WHEN q.beta <= {_FINITE} THEN q.beta END AS beta, q.value, q.nodes,
            CASE WHEN q.value >= q.beta THEN 'high' WHEN q.value <= q.alpha THEN 'low' END AS fails,
            q.move
        FROM (
            SELECT r.name AS run, s.engine AS engine_number, e.label AS engine, e.parameter,
                e.value AS parameter_value,
                s.position, p.label AS position_label, NUMBER(i.value, depth) AS depth,
                a.key + 1 AS number, NUMBER(a.value, alpha) AS alpha, NUMBER(a.value, beta) AS beta,
                NUMBER(a.value, value) AS value, NUMBER(a.value, nodes) AS nodes,
                FIELD(a.value, move) AS move
            FROM lab_runs r
            JOIN lab_searches s ON s.run_id = r.id
            JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
            JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position
            CROSS JOIN ROWS(s.iterations) i
            CROSS JOIN ROWS_OF(i.value, passes) a
        ) q
    """,
}


def drop_views(connection: Connection) -> None:
    """Remove our views, which would prevent changes to tables."""
    for name in inspect(connection).get_view_names():
        if name in VIEWS:
            connection.exec_driver_sql(f'DROP VIEW "{name}"')


def create_views(connection: Connection) -> None:
    """Create our views in the connection's dialect."""
    for name, query in VIEWS.items():
        for word, template in _DIALECT[connection.dialect.name].items():
            query = re.sub(rf"\b{word}\({_ARGUMENTS}\)", template, query)
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {query}")
