-- What the revisions make in an empty SQLite file, views aside; a test compares.
PRAGMA application_id = 1836344422;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
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
CREATE TABLE books (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	lines INTEGER NOT NULL, digest BLOB, 
	CONSTRAINT pk_books PRIMARY KEY (id), 
	CONSTRAINT uq_books_identity UNIQUE (identity)
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
CREATE INDEX ix_event_players_label ON event_players (label);
CREATE INDEX ix_event_players_variant_id ON event_players (variant_id);
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
CREATE TABLE end_reasons (
	id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_end_reasons PRIMARY KEY (id), 
	CONSTRAINT uq_end_reasons_name UNIQUE (name)
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
CREATE UNIQUE INDEX ix_games_counted_key ON games (game_key) WHERE repeats_id IS NULL AND game_key IS NOT NULL;
CREATE INDEX ix_games_repeats ON games (repeats_id) WHERE repeats_id IS NOT NULL;
CREATE INDEX ix_games_scores ON games (event_id, pairing, white_player, black_player, white_score, provenance_id, repeats_id);
CREATE TABLE game_moves (
	game_id INTEGER NOT NULL, 
	moves_version SMALLINT NOT NULL, 
	moves BLOB NOT NULL, 
	search_version SMALLINT NOT NULL, 
	search_data BLOB NOT NULL, 
	CONSTRAINT pk_game_moves PRIMARY KEY (game_id), 
	CONSTRAINT fk_game_moves_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE rating_lists (
	id INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	version VARCHAR NOT NULL, 
	error_model VARCHAR NOT NULL, 
	settings JSON NOT NULL, digest BLOB, 
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
CREATE INDEX ix_ratings_variant_id ON ratings (variant_id);
CREATE INDEX ix_events_kind ON events (kind);
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
CREATE INDEX ix_tuning_encounters_study_id_trial ON tuning_encounters (study_id, trial);
CREATE TABLE tuning_confirmations (
	study_id INTEGER NOT NULL, 
	event_id INTEGER NOT NULL, 
	CONSTRAINT pk_tuning_confirmations PRIMARY KEY (study_id, event_id), 
	CONSTRAINT fk_tuning_confirmations_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id), 
	CONSTRAINT fk_tuning_confirmations_event_id FOREIGN KEY(event_id) REFERENCES events (id)
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
CREATE INDEX ix_lab_engines_variant_id ON lab_engines (variant_id);
CREATE TABLE lab_positions (
	run_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	fen VARCHAR NOT NULL, 
	CONSTRAINT pk_lab_positions PRIMARY KEY (run_id, position), 
	CONSTRAINT fk_lab_positions_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id)
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
CREATE TABLE stored_rows (
	kind VARCHAR NOT NULL, 
	owner INTEGER NOT NULL, 
	rows BIGINT NOT NULL, 
	CONSTRAINT pk_stored_rows PRIMARY KEY (kind, owner)
);
CREATE TABLE named_engines (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	created_ms BIGINT NOT NULL, 
	digest BLOB, 
	CONSTRAINT pk_named_engines PRIMARY KEY (id), 
	CONSTRAINT uq_named_engines_name UNIQUE (name)
);
CREATE TABLE game_problems (
	event_id INTEGER NOT NULL, 
	game_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	of_white BOOLEAN NOT NULL, 
	severity VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	fen VARCHAR, 
	command VARCHAR NOT NULL, 
	digest BLOB, 
	CONSTRAINT pk_game_problems PRIMARY KEY (event_id, game_id, number), 
	CONSTRAINT ck_game_problems_severity CHECK (severity IN ('fault', 'warning')), 
	CONSTRAINT fk_game_problems_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_game_problems_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE "provenance" (
	id INTEGER NOT NULL, 
	host VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	speed INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_provenance PRIMARY KEY (id), 
	CONSTRAINT uq_provenance_host_version_backend_signature_speed UNIQUE (host, version, backend, signature, speed)
);
INSERT INTO alembic_version VALUES ('0011');
