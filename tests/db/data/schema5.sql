PRAGMA application_id = 1836344422;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0005');
CREATE TABLE books (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	lines INTEGER NOT NULL, digest BLOB, 
	CONSTRAINT pk_books PRIMARY KEY (id), 
	CONSTRAINT uq_books_identity UNIQUE (identity)
);
INSERT INTO "books" VALUES(1,'3b5076f0c01451db','two','two.epd',2,X'01B48C37ACF16D47');
CREATE TABLE end_reasons (
	id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_end_reasons PRIMARY KEY (id), 
	CONSTRAINT uq_end_reasons_name UNIQUE (name)
);
INSERT INTO "end_reasons" VALUES(1,'max-length');
CREATE TABLE event_players (
	event_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	variant_id INTEGER NOT NULL, digest BLOB, 
	CONSTRAINT pk_event_players PRIMARY KEY (event_id, position), 
	CONSTRAINT fk_event_players_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_event_players_variant_id FOREIGN KEY(variant_id) REFERENCES variants (id), 
	CONSTRAINT uq_event_players_event_id_label UNIQUE (event_id, label)
);
INSERT INTO "event_players" VALUES(1,0,'mtdf',1,X'012C1A2B6CFC4C40');
INSERT INTO "event_players" VALUES(1,1,'pvs',2,X'01ACEAF843FE2610');
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
	provenance_id INTEGER NOT NULL, digest BLOB, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT fk_events_book_id FOREIGN KEY(book_id) REFERENCES books (id), 
	CONSTRAINT fk_events_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT uq_events_key UNIQUE ("key")
);
INSERT INTO "events" VALUES(1,'r8ed','old','match','done','{"version":1,"kind":"match","players":[{"label":"mtdf","id":"2b0d6ae78d4a8963","spelling":"mtdf","driver":"mtdf","effective":{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}},{"label":"pvs","id":"c8c042aa6c4772b3","spelling":"pvs","driver":"pvs","effective":{"window":25,"hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}}],"heroes":1,"pairs":2,"limit":{"nodes":40,"depth":null,"movetime_ms":null,"base_ms":null,"inc_ms":0},"book":{"id":"3b5076f0c01451db","name":"two","source":"two.epd","lines":2,"order":"random","start":1,"repeat":false},"seed":0,"adjudication":{"max_plies":20,"draw":{"plies":8,"cp":8,"from_move":40},"resign":{"plies":4,"cp":600,"agreement":"both"}},"time_margin_ms":200,"name":"old"}',0,1,2,1795359535589,1795359535668,1795359543084,1,X'01670CCE5E9A1F8F');
CREATE TABLE game_moves (
	game_id INTEGER NOT NULL, 
	moves_version SMALLINT NOT NULL, 
	moves BLOB NOT NULL, 
	search_version SMALLINT NOT NULL, 
	search_data BLOB NOT NULL, 
	CONSTRAINT pk_game_moves PRIMARY KEY (game_id), 
	CONSTRAINT fk_game_moves_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
INSERT INTO "game_moves" VALUES(1,1,X'0C07250B8104BD0DD3067E0BDB08AC074D05DE0C0205BC0F960734099E09ED0906037509660B7B0B',1,X'014889F330D5611013162B11121694B05572ACDACCB88CF132E315466CC0D9D946C34D23BC87B1ACC8533BDE30DEAFD03643839991090C59A03433109E3CCABAAA9BB5672FF3A13D4CB3D6B2FC3BC6787F2ECB8B676CD39FB3CE3ECDFA7B0DF3D483AC5B9F70EF5AC13AF10177E376AE67EBB80E3C667B7182F9723B2300C8C32A21');
INSERT INTO "game_moves" VALUES(2,1,X'0C07250B8104BD0DD3067E0BDB08AC074D05DE0C0205BC0F960734099E09ED0906037509660B7B0B',1,X'014889F330D5611013162B11121694B05572ACDACCB88CF132E315466C40C3455B4353D3BF99D125DEC4CEC1C3D2D6CAC3DC8091190899C018065967AE629CDAC3346119E39BC98CAF3B182F6C665C7A8EA9B59175D10EE643CD9C1736314F7BC07CF30CC794392CCB9632FEBAC8B2B187E9F032A68E8F8C13673202000D46266B');
INSERT INTO "game_moves" VALUES(3,1,X'0C07340BCB06B90ADB08EC08C3083E0DA308B40BE208FD0A85067F0F06032B098A042E0DE3023008',1,X'01488993B5E0E1626264B2285FC3749DF114631FE31CC6ED8CBB18D323DC5918B100330D730D2F0D6D8D27CC1A11DA21DAD176B5C6554ECC8C4C8CCC40C8C10862318179CD6799DA16304E39CED8DFC6B87F06D391398CDD7B181F2D67DCBA9EEBB8EFB6858C6FA3FE2C60FC17BCEB2FE3C366C6933F18DBF33FBD637CD3C308007E9028A4');
INSERT INTO "game_moves" VALUES(4,1,X'0C07340BCB06B90ADB08EC08C3083E0DA308B40BE208FD0A85067F0F06032B098A042E0DE3023008',1,X'01488993B5E0E1626264B2285FC3749DF114631FE31CC6ED8CBB18D323DC5918B1000D1D0D10D20CD370D6B1D174F6CE7449DFC3C8C8CCC884065936B5304EDDC3F8A99BF1EA24C65367191FAD617C55732D76EA1FC6A37B199FFF62ECABBF59F2C7FB5C0BE3B4298C0D0F18BB3A183F9C677AD9C40E005EF92835');
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
	game_key BLOB, digest BLOB, 
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
INSERT INTO "games" VALUES(1,1,0,0,1,0,1,1,NULL,1,20,2,NULL,882,672,213524,170667,1795359536964,1795359539087,1,8.8388671875,1,9096877778978208013,X'69FB00A1AE2C6B82F76C478D15EE7B1A',X'0100C3AF936CA599');
INSERT INTO "games" VALUES(2,1,0,0,2,1,0,1,NULL,1,20,2,NULL,557,690,136152,165452,1795359539087,1795359540187,1,8.8388671875,1,9096877778978208013,X'3B4B1FCADCBEEA10D8EE63C8D729466F',X'0195235F3F3D6F48');
INSERT INTO "games" VALUES(3,1,0,1,1,0,1,1,NULL,1,20,1,NULL,1220,465,272574,109036,1795359540190,1795359540812,1,8.8388671875,1,2801864731223403996,X'BA49A303ED9D5DCD8AB5333FF69E3D9B',X'011DE861A6A3E0A1');
INSERT INTO "games" VALUES(4,1,0,1,2,1,0,1,NULL,1,20,1,NULL,652,621,151429,147189,1795359540813,1795359541359,1,8.8388671875,1,2801864731223403996,X'BFF1749989C2388897AAB9C383E39847',X'017404978FBA7D4D');
CREATE TABLE lab_engines (
	run_id INTEGER NOT NULL, 
	engine INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	variant_id INTEGER NOT NULL, 
	baseline INTEGER NOT NULL, 
	parameter VARCHAR, 
	value VARCHAR, 
	CONSTRAINT pk_lab_engines PRIMARY KEY (run_id, engine), 
	CONSTRAINT fk_lab_engines_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id), 
	CONSTRAINT fk_lab_engines_variant_id FOREIGN KEY(variant_id) REFERENCES variants (id)
);
CREATE TABLE lab_positions (
	run_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	fen VARCHAR NOT NULL, 
	CONSTRAINT pk_lab_positions PRIMARY KEY (run_id, position), 
	CONSTRAINT fk_lab_positions_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id)
);
CREATE TABLE lab_runs (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	created_ms BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, digest BLOB, 
	CONSTRAINT pk_lab_runs PRIMARY KEY (id), 
	CONSTRAINT fk_lab_runs_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT uq_lab_runs_name UNIQUE (name)
);
CREATE TABLE lab_searches (
	run_id INTEGER NOT NULL, 
	engine INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	depth INTEGER NOT NULL, 
	value INTEGER NOT NULL, 
	move VARCHAR NOT NULL, 
	interior BIGINT NOT NULL, 
	leaves BIGINT NOT NULL, 
	quiescence BIGINT NOT NULL, 
	passes INTEGER NOT NULL, 
	cpu_us BIGINT NOT NULL, 
	iterations JSON NOT NULL, 
	searched_ms BIGINT NOT NULL, digest BLOB, 
	CONSTRAINT pk_lab_searches PRIMARY KEY (run_id, engine, position), 
	CONSTRAINT fk_lab_searches_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id), 
	CONSTRAINT fk_lab_searches_run_id_engine FOREIGN KEY(run_id, engine) REFERENCES lab_engines (run_id, engine), 
	CONSTRAINT fk_lab_searches_run_id_position FOREIGN KEY(run_id, position) REFERENCES lab_positions (run_id, position)
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
INSERT INTO "openings" VALUES(1,1,1,'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1',X'4D0571080804610610067A0C4904750B','rn1qkbnr/pbppp1pp/5p2/8/Pp6/1P3P2/2PPP1PP/RNBQKBNR w KQkq - 0 5','1');
INSERT INTO "openings" VALUES(2,1,2,'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1',X'CF07B60BC703F30A8E05300ACB047A09','rn1qkbnr/1pp1pp1p/p2p2p1/5b2/7P/3P2P1/PPP1PP1R/RNBQKBN1 w Qkq - 1 5','2');
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
INSERT INTO "pairings" VALUES(1,0,0,1);
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
INSERT INTO "pairs" VALUES(1,0,0,1,1,1,1);
INSERT INTO "pairs" VALUES(1,0,1,1,1,1,1);
CREATE TABLE provenance (
	id INTEGER NOT NULL, 
	host VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	CONSTRAINT pk_provenance PRIMARY KEY (id), 
	CONSTRAINT uq_provenance_host_version_backend_signature UNIQUE (host, version, backend, signature)
);
INSERT INTO "provenance" VALUES(1,'vm','0.1.0','reference','335fc920c61fd94c');
CREATE TABLE rating_lists (
	id INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	version VARCHAR NOT NULL, 
	error_model VARCHAR NOT NULL, 
	settings JSON NOT NULL, digest BLOB, 
	CONSTRAINT pk_rating_lists PRIMARY KEY (id)
);
INSERT INTO "rating_lists" VALUES(1,1795359543037,'0.1.0','pair-clustered','{"event":null,"anchors":{},"mean":0.0,"players":[{"core":"reference:335fc920c61fd94c","limit":{"nodes":40}},{"core":"reference:335fc920c61fd94c","limit":{"nodes":40}}]}',X'01D0E0D0D7E8F11B');
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
INSERT INTO "ratings" VALUES(1,1,1,'mtdf',0.0,1.92565128571469386994e+02,4,0.5,0.5);
INSERT INTO "ratings" VALUES(1,2,2,'pvs',0.0,1.92565128571469358579e+02,4,0.5,NULL);
CREATE TABLE stored_rows (
	kind VARCHAR NOT NULL, 
	owner INTEGER NOT NULL, 
	rows BIGINT NOT NULL, 
	CONSTRAINT pk_stored_rows PRIMARY KEY (kind, owner)
);
INSERT INTO "stored_rows" VALUES('variants',0,2);
INSERT INTO "stored_rows" VALUES('books',0,1);
INSERT INTO "stored_rows" VALUES('events',0,1);
INSERT INTO "stored_rows" VALUES('players',1,2);
INSERT INTO "stored_rows" VALUES('games',1,4);
INSERT INTO "stored_rows" VALUES('rating lists',0,1);
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
	scores BLOB, digest BLOB, 
	CONSTRAINT pk_tuning_encounters PRIMARY KEY (study_id, number), 
	CONSTRAINT ck_tuning_encounters_phase CHECK (phase IN ('search', 'choice', 'gain')), 
	CONSTRAINT fk_tuning_encounters_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id), 
	CONSTRAINT fk_tuning_encounters_study_id_trial FOREIGN KEY(study_id, trial) REFERENCES tuning_trials (study_id, number)
);
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
	result JSON, digest BLOB, 
	CONSTRAINT pk_tuning_studies PRIMARY KEY (id), 
	CONSTRAINT fk_tuning_studies_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT fk_tuning_studies_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT uq_tuning_studies_name UNIQUE (name), 
	CONSTRAINT uq_tuning_studies_event_id UNIQUE (event_id)
);
CREATE TABLE tuning_trials (
	study_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	params JSON NOT NULL, 
	attributes JSON NOT NULL, 
	steps JSON NOT NULL, 
	value DOUBLE, 
	started_ms BIGINT NOT NULL, 
	ended_ms BIGINT, digest BLOB, 
	CONSTRAINT pk_tuning_trials PRIMARY KEY (study_id, number), 
	CONSTRAINT ck_tuning_trials_state CHECK (state IN ('running', 'complete', 'pruned', 'failed')), 
	CONSTRAINT fk_tuning_trials_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id)
);
CREATE TABLE variants (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	kind VARCHAR NOT NULL, 
	driver VARCHAR NOT NULL, 
	parameters JSON NOT NULL, 
	spelling VARCHAR NOT NULL, digest BLOB, 
	CONSTRAINT pk_variants PRIMARY KEY (id), 
	CONSTRAINT uq_variants_identity UNIQUE (identity)
);
INSERT INTO "variants" VALUES(1,'2b0d6ae78d4a8963','native','mtdf','{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','mtdf',X'01D15EA1FF980B57');
INSERT INTO "variants" VALUES(2,'c8c042aa6c4772b3','native','pvs','{"window":25,"hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','pvs',X'019EFE83386C0141');
CREATE INDEX ix_event_players_label ON event_players (label);
CREATE INDEX ix_event_players_variant_id ON event_players (variant_id);
CREATE UNIQUE INDEX ix_games_counted_key ON games (game_key) WHERE repeats_id IS NULL AND game_key IS NOT NULL;
CREATE INDEX ix_games_repeats ON games (repeats_id) WHERE repeats_id IS NOT NULL;
CREATE INDEX ix_games_scores ON games (event_id, pairing, white_player, black_player, white_score, provenance_id, repeats_id);
CREATE INDEX ix_ratings_variant_id ON ratings (variant_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_tuning_encounters_study_id_trial ON tuning_encounters (study_id, trial);
CREATE INDEX ix_lab_engines_variant_id ON lab_engines (variant_id);
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
        SELECT e.key AS event, e.name AS event_name, x.position, x.label,
            v.identity AS variant_id, v.spelling
        FROM event_players x
        LEFT JOIN events e ON e.id = x.event_id
        LEFT JOIN variants v ON v.id = x.variant_id;
CREATE VIEW v_pairs AS 
        SELECT e.key AS event, e.name AS event_name, e.kind AS event_kind, p.pairing, p.pair,
            a.label AS first, b.label AS second,
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
        SELECT e.key AS event, e.name AS event_name, f.pairing, f.pair, f.attempts, f.reason,
            strftime('%Y-%m-%dT%H:%M:%fZ', f.failed_ms / 1000.0, 'unixepoch') AS failed_at
        FROM pair_failures f LEFT JOIN events e ON e.id = f.event_id;
CREATE VIEW v_games AS 
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
CREATE VIEW v_match_games AS 
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
    LEFT JOIN events e ON e.id = g.event_id
 WHERE e.kind <> 'tuning';
CREATE VIEW v_ratings AS 
        SELECT r.list_id AS list, strftime('%Y-%m-%dT%H:%M:%fZ', l.created_ms / 1000.0, 'unixepoch') AS created_at, r.rank, r.label AS engine,
            v.identity AS engine_id, r.elo, r.error95, l.error_model, r.games, r.score, r.los_next,
            json_extract(l.settings, '$.players[' || (r.rank - 1) || '].limit') AS search_limit,
            json_extract(l.settings, '$.players[' || (r.rank - 1) || '].core') AS core, l.version, l.settings
        FROM ratings r
        LEFT JOIN rating_lists l ON l.id = r.list_id
        LEFT JOIN variants v ON v.id = r.variant_id;
CREATE VIEW v_tuning_studies AS 
        SELECT s.name, s.status,
            (SELECT e.key FROM events e WHERE e.id = s.event_id) AS event,
            (SELECT e.name FROM events e WHERE e.id = s.event_id) AS event_name,
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
CREATE VIEW v_lab_runs AS 
        SELECT r.name, r.kind, r.status,
            (SELECT count(*) FROM lab_engines e WHERE e.run_id = r.id) AS engines,
            (SELECT count(*) FROM lab_positions p WHERE p.run_id = r.id) AS positions,
            (SELECT count(*) FROM lab_searches s WHERE s.run_id = r.id) AS searches,
            strftime('%Y-%m-%dT%H:%M:%fZ', r.created_ms / 1000.0, 'unixepoch') AS created_at, strftime('%Y-%m-%dT%H:%M:%fZ', r.started_ms / 1000.0, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_ms / 1000.0, 'unixepoch') AS ended_at, h.host, h.version, h.backend, h.signature, r.settings
        FROM lab_runs r
        LEFT JOIN provenance h ON h.id = r.provenance_id;
CREATE VIEW v_lab_searches AS 
        SELECT r.name AS run, s.engine, e.label, v.identity AS variant_id, v.driver, v.spelling,
            e.baseline, e.parameter, e.value AS parameter_value, s.position,
            p.label AS position_label, p.fen, s.depth, s.value, s.move, s.interior, s.leaves,
            s.quiescence, s.interior + s.leaves + s.quiescence AS nodes, s.passes, s.cpu_us,
            s.iterations, strftime('%Y-%m-%dT%H:%M:%fZ', s.searched_ms / 1000.0, 'unixepoch') AS searched_at
        FROM lab_searches s
        LEFT JOIN lab_runs r ON r.id = s.run_id
        LEFT JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
        LEFT JOIN variants v ON v.id = e.variant_id
        LEFT JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position;
CREATE VIEW v_lab_iterations AS 
        SELECT r.name AS run, s.engine, e.label, v.identity AS variant_id, v.driver,
            e.parameter, e.value AS parameter_value, s.position, p.label AS position_label,
            json_extract(i.value, '$[0]') AS depth, json_extract(i.value, '$[1]') AS value,
            json_extract(i.value, '$[2]') AS move, json_extract(i.value, '$[11]') AS move_value,
            json_extract(i.value, '$[3]') AS first_guess, json_extract(i.value, '$[4]') AS interior,
            json_extract(i.value, '$[5]') AS leaves, json_extract(i.value, '$[6]') AS quiescence,
            json_extract(i.value, '$[4]') + json_extract(i.value, '$[5]') + json_extract(i.value, '$[6]') AS nodes,
            json_extract(i.value, '$[7]') AS probes, json_extract(i.value, '$[8]') AS hits,
            json_extract(i.value, '$[9]') AS cutoffs, json_extract(i.value, '$[10]') AS cpu_us,
            json_array_length(i.value, '$[12]') AS passes
        FROM lab_runs r
        JOIN lab_searches s ON s.run_id = r.id
        JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
        JOIN variants v ON v.id = e.variant_id
        JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position
        CROSS JOIN json_each(s.iterations) i;
CREATE VIEW v_lab_passes AS 
        SELECT q.run, q.engine, q.label, q.parameter, q.parameter_value, q.position,
            q.position_label, q.depth, q.number,
            CASE WHEN q.alpha >= -32000 THEN q.alpha END AS alpha,
            CASE WHEN q.beta <= 32000 THEN q.beta END AS beta, q.value, q.nodes,
            CASE WHEN q.value >= q.beta THEN 'high' WHEN q.value <= q.alpha THEN 'low' END AS fails,
            q.move
        FROM (
            SELECT r.name AS run, s.engine, e.label, e.parameter, e.value AS parameter_value,
                s.position, p.label AS position_label, json_extract(i.value, '$[0]') AS depth,
                a.key + 1 AS number, json_extract(a.value, '$[0]') AS alpha, json_extract(a.value, '$[1]') AS beta,
                json_extract(a.value, '$[2]') AS value, json_extract(a.value, '$[3]') AS nodes,
                json_extract(a.value, '$[4]') AS move
            FROM lab_runs r
            JOIN lab_searches s ON s.run_id = r.id
            JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
            JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position
            CROSS JOIN json_each(s.iterations) i
            CROSS JOIN json_each(i.value, '$[12]') a
        ) q;
COMMIT;
