PRAGMA application_id = 1836344422;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE books (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	lines INTEGER NOT NULL, 
	CONSTRAINT pk_books PRIMARY KEY (id), 
	CONSTRAINT uq_books_identity UNIQUE (identity)
);
CREATE TABLE end_reasons (
	id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_end_reasons PRIMARY KEY (id), 
	CONSTRAINT uq_end_reasons_name UNIQUE (name)
);
CREATE TABLE event_players (
	event_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	variant_id INTEGER NOT NULL, 
	CONSTRAINT pk_event_players PRIMARY KEY (event_id, position), 
	CONSTRAINT fk_event_players_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_event_players_variant_id FOREIGN KEY(variant_id) REFERENCES variants (id), 
	CONSTRAINT uq_event_players_event_id_label UNIQUE (event_id, label)
);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	"key" VARCHAR(16) NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	seed BIGINT NOT NULL, 
	book_id INTEGER, 
	pairs_planned INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT fk_events_book_id FOREIGN KEY(book_id) REFERENCES books (id), 
	CONSTRAINT fk_events_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT uq_events_key UNIQUE ("key")
);
CREATE TABLE game_moves (
	game_id INTEGER NOT NULL, 
	moves_version SMALLINT NOT NULL, 
	moves BLOB NOT NULL, 
	search_version SMALLINT NOT NULL, 
	search_data BLOB NOT NULL, 
	CONSTRAINT pk_game_moves PRIMARY KEY (game_id), 
	CONSTRAINT fk_game_moves_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE games (
	id INTEGER NOT NULL, 
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	pair INTEGER NOT NULL, 
	game SMALLINT NOT NULL, 
	white_player INTEGER NOT NULL, 
	black_player INTEGER NOT NULL, 
	white_score SMALLINT NOT NULL, 
	repeats_id INTEGER, 
	end_reason_id INTEGER NOT NULL, 
	plies INTEGER NOT NULL, 
	opening_id INTEGER, 
	start_fen VARCHAR, 
	white_nodes BIGINT NOT NULL, 
	black_nodes BIGINT NOT NULL, 
	white_cpu_us BIGINT NOT NULL, 
	black_cpu_us BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, 
	load DOUBLE NOT NULL, 
	jobs INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	game_key BLOB, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT ck_games_game CHECK (game IN (1, 2)), 
	CONSTRAINT ck_games_white_score CHECK (white_score IN (0, 1, 2)), 
	CONSTRAINT fk_games_end_reason_id FOREIGN KEY(end_reason_id) REFERENCES end_reasons (id), 
	CONSTRAINT fk_games_event_id_black_player FOREIGN KEY(event_id, black_player) REFERENCES event_players (event_id, position), 
	CONSTRAINT fk_games_event_id_pairing_pair FOREIGN KEY(event_id, pairing, pair) REFERENCES pairs (event_id, pairing, pair), 
	CONSTRAINT fk_games_event_id_white_player FOREIGN KEY(event_id, white_player) REFERENCES event_players (event_id, position), 
	CONSTRAINT fk_games_opening_id FOREIGN KEY(opening_id) REFERENCES openings (id), 
	CONSTRAINT fk_games_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT fk_games_repeats_id FOREIGN KEY(repeats_id) REFERENCES games (id), 
	CONSTRAINT uq_games_event_id_pairing_pair_game UNIQUE (event_id, pairing, pair, game)
);
CREATE TABLE openings (
	id INTEGER NOT NULL, 
	book_id INTEGER NOT NULL, 
	line INTEGER NOT NULL, 
	start_fen VARCHAR NOT NULL, 
	moves BLOB NOT NULL, 
	fen VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	CONSTRAINT pk_openings PRIMARY KEY (id), 
	CONSTRAINT fk_openings_book_id FOREIGN KEY(book_id) REFERENCES books (id), 
	CONSTRAINT uq_openings_book_id_line UNIQUE (book_id, line)
);
CREATE TABLE pair_failures (
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	pair INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	failed_ms BIGINT NOT NULL, 
	CONSTRAINT pk_pair_failures PRIMARY KEY (event_id, pairing, pair), 
	CONSTRAINT fk_pair_failures_event_id FOREIGN KEY(event_id) REFERENCES events (id)
);
CREATE TABLE pairings (
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	first_player INTEGER NOT NULL, 
	second_player INTEGER NOT NULL, 
	CONSTRAINT pk_pairings PRIMARY KEY (event_id, pairing), 
	CONSTRAINT ck_pairings_order CHECK (first_player < second_player), 
	CONSTRAINT fk_pairings_event_id_first_player FOREIGN KEY(event_id, first_player) REFERENCES event_players (event_id, position), 
	CONSTRAINT fk_pairings_event_id_second_player FOREIGN KEY(event_id, second_player) REFERENCES event_players (event_id, position)
);
CREATE TABLE pairs (
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	pair INTEGER NOT NULL, 
	first_is_white BOOLEAN NOT NULL, 
	score1 SMALLINT NOT NULL, 
	score2 SMALLINT, 
	counted BOOLEAN NOT NULL, 
	CONSTRAINT pk_pairs PRIMARY KEY (event_id, pairing, pair), 
	CONSTRAINT ck_pairs_score1 CHECK (score1 IN (0, 1, 2)), 
	CONSTRAINT ck_pairs_score2 CHECK (score2 IN (0, 1, 2)), 
	CONSTRAINT fk_pairs_event_id_pairing FOREIGN KEY(event_id, pairing) REFERENCES pairings (event_id, pairing)
)
 WITHOUT ROWID

;
CREATE TABLE provenance (
	id INTEGER NOT NULL, 
	host VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	CONSTRAINT pk_provenance PRIMARY KEY (id), 
	CONSTRAINT uq_provenance_host_version_backend_signature UNIQUE (host, version, backend, signature)
);
INSERT INTO "provenance" VALUES(1,'tower','0.1.0','native','6a9f2c643ed7e869');
CREATE TABLE rating_lists (
	id INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	version VARCHAR NOT NULL, 
	error_model VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	CONSTRAINT pk_rating_lists PRIMARY KEY (id)
);
CREATE TABLE ratings (
	list_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	variant_id INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	elo DOUBLE NOT NULL, 
	error95 DOUBLE, 
	games INTEGER NOT NULL, 
	score DOUBLE NOT NULL, 
	los_next DOUBLE, 
	CONSTRAINT pk_ratings PRIMARY KEY (list_id, rank), 
	CONSTRAINT fk_ratings_list_id FOREIGN KEY(list_id) REFERENCES rating_lists (id), 
	CONSTRAINT fk_ratings_variant_id FOREIGN KEY(variant_id) REFERENCES variants (id)
);
CREATE TABLE tuning_confirmations (
	study_id INTEGER NOT NULL, 
	event_id INTEGER NOT NULL, 
	CONSTRAINT pk_tuning_confirmations PRIMARY KEY (study_id, event_id), 
	CONSTRAINT fk_tuning_confirmations_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id), 
	CONSTRAINT fk_tuning_confirmations_event_id FOREIGN KEY(event_id) REFERENCES events (id)
);
CREATE TABLE tuning_encounters (
	study_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	trial INTEGER, 
	phase VARCHAR NOT NULL, 
	first JSON NOT NULL, 
	second JSON, 
	opponent INTEGER, 
	first_pair INTEGER NOT NULL, 
	pairs INTEGER NOT NULL, 
	scores BLOB, 
	CONSTRAINT pk_tuning_encounters PRIMARY KEY (study_id, number), 
	CONSTRAINT ck_tuning_encounters_phase CHECK (phase IN ('search', 'choice', 'gain')), 
	CONSTRAINT fk_tuning_encounters_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id), 
	CONSTRAINT fk_tuning_encounters_study_id_trial FOREIGN KEY(study_id, trial) REFERENCES tuning_trials (study_id, number)
);
INSERT INTO "tuning_encounters" VALUES(1,0,1,'search','{"guess":"zero"}',NULL,NULL,0,4,X'1F2CEEAD711DE1BF6CF7C0686D6BCA3F2B4C32389C4E8B3F5F8BAAADAAC5CABF');
INSERT INTO "tuning_encounters" VALUES(1,1,2,'search','{"guess":"average"}',NULL,NULL,0,4,X'0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "tuning_encounters" VALUES(1,2,3,'search','{"guess":"parity"}',NULL,NULL,0,4,X'0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "tuning_encounters" VALUES(1,3,NULL,'gain','{"guess":"zero"}',NULL,NULL,4,4,X'BDC106686556CBBF96F35E3C78C7D6BF406ABC1B7CF4BB3FA5695FD53E9987BF');
CREATE TABLE tuning_studies (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	created_ms BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, 
	event_id INTEGER, 
	result JSON, 
	CONSTRAINT pk_tuning_studies PRIMARY KEY (id), 
	CONSTRAINT fk_tuning_studies_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT fk_tuning_studies_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT uq_tuning_studies_name UNIQUE (name), 
	CONSTRAINT uq_tuning_studies_event_id UNIQUE (event_id)
);
INSERT INTO "tuning_studies" VALUES(1,'nodes','done','{"version":1,"name":"nodes","objective":"nodes","space":[{"name":"guess","kind":"choice","choices":["zero","static","previous","parity","average","blend"]}],"start":{"guess":"parity"},"sampler":"tpe","sampler_options":{},"pruner":null,"budget":{"search":12,"choice":0,"gain":4},"trials":3,"pairs_per_trial":4,"in_flight":1,"seed":1,"base":{"label":"mtdf","id":"2b0d6ae78d4a8963","spelling":"mtdf","driver":"mtdf","effective":{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}},"against":[],"limit":null,"book":null,"adjudication":{"max_plies":400,"draw":{"plies":8,"cp":8,"from_move":40},"resign":{"plies":4,"cp":600,"agreement":"both"}},"time_margin_ms":200,"positions":{"source":null,"tuned":4,"held_out":4,"depth":2,"identity":"464247316ca5a3d0"}}',1795259950796,1795259950993,1795259951769,1,NULL,'{"recommended":{"guess":"zero"},"parameters":{"guess":"zero"},"is_base":false,"gain":{"unit":"percent","pairs":4,"estimate":11.126445110396146,"low95":-23.568183807542127,"high95":36.07975357947007,"error95":29.8239686935061,"flag":""},"pairs_used":{"search":12,"choice":0,"gain":4},"best_trial":1,"best_trial_gain":12.28402517880847,"pruned":0,"falsely_pruned":null,"falsely_pruned_expected":null,"leaders":[]}');
CREATE TABLE tuning_trials (
	study_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	params JSON NOT NULL, 
	attributes JSON NOT NULL, 
	steps JSON NOT NULL, 
	value DOUBLE, 
	started_ms BIGINT NOT NULL, 
	ended_ms BIGINT, 
	CONSTRAINT pk_tuning_trials PRIMARY KEY (study_id, number), 
	CONSTRAINT ck_tuning_trials_state CHECK (state IN ('running', 'complete', 'pruned', 'failed')), 
	CONSTRAINT fk_tuning_trials_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id)
);
INSERT INTO "tuning_trials" VALUES(1,0,'complete','{"guess":"parity"}','{"user":{},"system":{"fixed_params":{"guess":"parity"}}}','[]',0.0,1795259951023,1795259951025);
INSERT INTO "tuning_trials" VALUES(1,1,'complete','{"guess":"zero"}','{"user":{},"system":{}}','[]',1.31066150162552602642e-01,1795259951026,1795259951597);
INSERT INTO "tuning_trials" VALUES(1,2,'complete','{"guess":"average"}','{"user":{},"system":{}}','[]',0.0,1795259951598,1795259951713);
INSERT INTO "tuning_trials" VALUES(1,3,'complete','{"guess":"parity"}','{"user":{},"system":{}}','[]',0.0,1795259951714,1795259951744);
CREATE TABLE variants (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	kind VARCHAR NOT NULL, 
	driver VARCHAR NOT NULL, 
	parameters JSON NOT NULL, 
	spelling VARCHAR NOT NULL, 
	CONSTRAINT pk_variants PRIMARY KEY (id), 
	CONSTRAINT uq_variants_identity UNIQUE (identity)
);
CREATE INDEX ix_event_players_label ON event_players (label);
CREATE INDEX ix_event_players_variant_id ON event_players (variant_id);
CREATE UNIQUE INDEX ix_games_counted_key ON games (game_key) WHERE repeats_id IS NULL AND game_key IS NOT NULL;
CREATE INDEX ix_games_repeats ON games (repeats_id) WHERE repeats_id IS NOT NULL;
CREATE INDEX ix_games_scores ON games (event_id, pairing, white_player, black_player, white_score, provenance_id, repeats_id);
CREATE INDEX ix_ratings_variant_id ON ratings (variant_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_tuning_encounters_study_id_trial ON tuning_encounters (study_id, trial);
CREATE VIEW v_variants AS 
        SELECT v.identity AS id, v.kind, v.driver, v.spelling, v.parameters
        FROM variants v;
CREATE VIEW v_openings AS 
        SELECT b.identity AS book_id, b.name AS book, o.line, o.label, o.start_fen, o.moves, o.fen
        FROM openings o LEFT JOIN books b ON b.id = o.book_id;
CREATE VIEW v_events AS 
        SELECT e.key AS id, e.name, e.kind, e.status, e.pairs_planned,
            (SELECT count(*) FROM pairs p WHERE p.event_id = e.id) AS pairs_done,
            (SELECT count(*) FROM pair_failures f WHERE f.event_id = e.id) AS pairs_failed,
            e.seed, b.identity AS book_id, b.name AS book, strftime('%Y-%m-%dT%H:%M:%fZ', e.created_ms / 1000.0, 'unixepoch') AS created_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', e.started_ms / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', e.ended_ms / 1000.0, 'unixepoch') AS ended_at,
            h.host, h.version, h.backend, h.signature, e.settings
        FROM events e
        LEFT JOIN books b ON b.id = e.book_id
        LEFT JOIN provenance h ON h.id = e.provenance_id;
CREATE VIEW v_players AS 
        SELECT e.key AS event, x.position, x.label, v.identity AS variant_id, v.spelling
        FROM event_players x
        LEFT JOIN events e ON e.id = x.event_id
        LEFT JOIN variants v ON v.id = x.variant_id;
CREATE VIEW v_pairs AS 
        SELECT e.key AS event, p.pairing, p.pair, a.label AS first, b.label AS second,
            v.identity AS first_id, w.identity AS second_id, p.first_is_white,
            p.score1 / 2.0 AS score1, p.score2 / 2.0 AS score2,
            (p.score1 + p.score2) / 2.0 AS points, p.counted
        FROM pairs p
        LEFT JOIN events e ON e.id = p.event_id
        LEFT JOIN pairings m ON m.event_id = p.event_id AND m.pairing = p.pairing
        LEFT JOIN event_players a ON a.event_id = p.event_id AND a.position = m.first_player
        LEFT JOIN event_players b ON b.event_id = p.event_id AND b.position = m.second_player
        LEFT JOIN variants v ON v.id = a.variant_id
        LEFT JOIN variants w ON w.id = b.variant_id;
CREATE VIEW v_failures AS 
        SELECT e.key AS event, f.pairing, f.pair, f.attempts, f.reason,
            strftime('%Y-%m-%dT%H:%M:%fZ', f.failed_ms / 1000.0, 'unixepoch') AS failed_at
        FROM pair_failures f LEFT JOIN events e ON e.id = f.event_id;
CREATE VIEW v_games AS 
        SELECT g.id, e.key AS event, g.pairing, g.pair, g.game,
            (SELECT a.label FROM event_players a
                WHERE a.event_id = g.event_id AND a.position = g.white_player) AS white,
            (SELECT b.label FROM event_players b
                WHERE b.event_id = g.event_id AND b.position = g.black_player) AS black,
            (SELECT v.identity FROM event_players a JOIN variants v ON v.id = a.variant_id
                WHERE a.event_id = g.event_id AND a.position = g.white_player) AS white_id,
            (SELECT w.identity FROM event_players b JOIN variants w ON w.id = b.variant_id
                WHERE b.event_id = g.event_id AND b.position = g.black_player) AS black_id,
            CASE g.white_score WHEN 2 THEN '1-0' WHEN 1 THEN '1/2-1/2' ELSE '0-1' END AS result,
            g.white_score / 2.0 AS white_score,
            (SELECT r.name FROM end_reasons r WHERE r.id = g.end_reason_id) AS end_reason, g.plies,
            (SELECT k.identity FROM openings o JOIN books k ON k.id = o.book_id
                WHERE o.id = g.opening_id) AS book_id,
            (SELECT o.line FROM openings o WHERE o.id = g.opening_id) AS opening_line,
            coalesce(g.start_fen, (SELECT o.fen FROM openings o WHERE o.id = g.opening_id),
                'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1') AS start_fen,
            (SELECT d.moves FROM game_moves d WHERE d.game_id = g.id) AS moves,
            (SELECT d.moves_version FROM game_moves d WHERE d.game_id = g.id) AS moves_version,
            (SELECT d.search_data FROM game_moves d WHERE d.game_id = g.id) AS search_data,
            (SELECT d.search_version FROM game_moves d WHERE d.game_id = g.id) AS search_version,
            g.white_nodes, g.black_nodes, g.white_cpu_us, g.black_cpu_us,
            strftime('%Y-%m-%dT%H:%M:%fZ', g.started_ms / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', g.ended_ms / 1000.0, 'unixepoch') AS ended_at,
            (SELECT h.host FROM provenance h WHERE h.id = g.provenance_id) AS host,
            g.load, g.jobs,
            (SELECT h.backend FROM provenance h WHERE h.id = g.provenance_id) AS backend,
            (SELECT h.signature FROM provenance h WHERE h.id = g.provenance_id) AS signature,
            (SELECT h.version FROM provenance h WHERE h.id = g.provenance_id) AS version,
            g.seed, nullif(lower(hex(g.game_key)), '') AS game_key,
            g.repeats_id IS NULL AS counted, g.repeats_id AS repeats
        FROM games g
        LEFT JOIN events e ON e.id = g.event_id;
CREATE VIEW v_ratings AS 
        SELECT r.list_id AS list, strftime('%Y-%m-%dT%H:%M:%fZ', l.created_ms / 1000.0, 'unixepoch') AS created_at, r.rank, r.label AS engine,
            v.identity AS engine_id, r.elo, r.error95, l.error_model, r.games, r.score, r.los_next,
            l.version, l.settings
        FROM ratings r
        LEFT JOIN rating_lists l ON l.id = r.list_id
        LEFT JOIN variants v ON v.id = r.variant_id;
CREATE VIEW v_tuning_studies AS 
        SELECT s.name, s.status,
            (SELECT e.key FROM events e WHERE e.id = s.event_id) AS event,
            (SELECT count(*) FROM tuning_trials t WHERE t.study_id = s.id) AS trials,
            (SELECT coalesce(sum(n.pairs), 0) FROM tuning_encounters n
                WHERE n.study_id = s.id AND n.scores IS NOT NULL) AS pairs,
            strftime('%Y-%m-%dT%H:%M:%fZ', s.created_ms / 1000.0, 'unixepoch') AS created_at, strftime('%Y-%m-%dT%H:%M:%fZ', s.started_ms / 1000.0, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', s.ended_ms / 1000.0, 'unixepoch') AS ended_at, h.host, h.version, h.backend, h.signature,
            s.settings, s.result
        FROM tuning_studies s
        LEFT JOIN provenance h ON h.id = s.provenance_id;
CREATE VIEW v_tuning_trials AS 
        SELECT s.name AS study, t.number AS trial, t.state, t.value, t.params, t.attributes,
            t.steps,
            (SELECT coalesce(sum(n.pairs), 0) FROM tuning_encounters n
                WHERE n.study_id = t.study_id AND n.trial = t.number
                AND n.scores IS NOT NULL) AS pairs,
            strftime('%Y-%m-%dT%H:%M:%fZ', t.started_ms / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', t.ended_ms / 1000.0, 'unixepoch') AS ended_at
        FROM tuning_trials t
        LEFT JOIN tuning_studies s ON s.id = t.study_id;
CREATE VIEW v_tuning_encounters AS 
        SELECT s.name AS study, n.number AS encounter, n.trial, n.phase, n.first, n.second,
            n.opponent, n.first_pair, n.pairs, n.scores IS NOT NULL AS finished, n.scores
        FROM tuning_encounters n
        LEFT JOIN tuning_studies s ON s.id = n.study_id;
COMMIT;
