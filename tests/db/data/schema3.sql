PRAGMA application_id = 1836344422;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO alembic_version VALUES('0003');
CREATE TABLE provenance (
	id INTEGER NOT NULL, 
	host VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	CONSTRAINT pk_provenance PRIMARY KEY (id), 
	CONSTRAINT uq_provenance_host_version_backend_signature UNIQUE (host, version, backend, signature)
);
INSERT INTO provenance VALUES(1,'tower','0.1.0','native','6a9f2c643ed7e869');
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
INSERT INTO variants VALUES(1,'1a7c4a433c8c5b38','native','pvs','{"window":0,"entries":4096,"eval":"pst","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','pvs:window=0,entries=4096,eval=pst');
INSERT INTO variants VALUES(2,'8c7f7466f6e6d5b7','native','pvs','{"window":25,"entries":4096,"eval":"pst","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','pvs:entries=4096,eval=pst');
INSERT INTO variants VALUES(3,'9f6215decfb99c5d','native','mtdf','{"guess":"parity","convergence":"growth","entries":4096,"eval":"pst","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','mtdf:entries=4096,eval=pst');
INSERT INTO variants VALUES(4,'25ab9d73f1cb8646','native','bns','{"guess":"parity","entries":4096,"eval":"pst","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','bns:entries=4096,eval=pst');
CREATE TABLE books (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	lines INTEGER NOT NULL, 
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
	provenance_id INTEGER NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT fk_events_book_id FOREIGN KEY(book_id) REFERENCES books (id), 
	CONSTRAINT fk_events_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT uq_events_key UNIQUE ("key")
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
	provenance_id INTEGER NOT NULL, 
	CONSTRAINT pk_lab_runs PRIMARY KEY (id), 
	CONSTRAINT fk_lab_runs_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT uq_lab_runs_name UNIQUE (name)
);
INSERT INTO lab_runs VALUES(1,'drivers','compare','done','{"suite":"lab-60","suite_id":"a79b72a67c1e1876","depths":[1,2]}',1795274473757,1795274473762,1795274474073,1);
INSERT INTO lab_runs VALUES(2,'offsets','sweep','done','{"suite":"lab-60","suite_id":"8b09ab9071de2e5d","depths":[2]}',1795274475120,1795274475126,1795274475401,1);
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
INSERT INTO lab_engines VALUES(1,0,'pvs:window=0,entries=4096,eval=pst',1,0,NULL,NULL);
INSERT INTO lab_engines VALUES(1,1,'pvs:entries=4096,eval=pst',2,0,NULL,NULL);
INSERT INTO lab_engines VALUES(1,2,'own',3,0,NULL,NULL);
INSERT INTO lab_engines VALUES(1,3,'bns:entries=4096,eval=pst',4,0,NULL,NULL);
INSERT INTO lab_engines VALUES(2,0,'pvs:window=0,entries=4096,eval=pst',1,0,NULL,NULL);
INSERT INTO lab_engines VALUES(2,1,'mtdf:entries=4096,eval=pst',3,0,'first_guess_offset','-10');
INSERT INTO lab_engines VALUES(2,2,'mtdf:entries=4096,eval=pst',3,0,'first_guess_offset','0');
INSERT INTO lab_engines VALUES(2,3,'mtdf:entries=4096,eval=pst',3,0,'first_guess_offset','10');
CREATE TABLE lab_positions (
	run_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	fen VARCHAR NOT NULL, 
	CONSTRAINT pk_lab_positions PRIMARY KEY (run_id, position), 
	CONSTRAINT fk_lab_positions_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id)
);
INSERT INTO lab_positions VALUES(1,0,'lab-01','rnbqkb1r/p1p1p1pp/5n2/1p1p4/3PP1p1/2B5/PPP2PBP/RN1QK1NR w KQkq - 0 1');
INSERT INTO lab_positions VALUES(1,1,'lab-31','4r1k1/1p2np2/p3bBp1/3p4/R4PP1/P6P/r4N2/4R1K1 b - - 0 1');
INSERT INTO lab_positions VALUES(2,0,'lab-01','rnbqkb1r/p1p1p1pp/5n2/1p1p4/3PP1p1/2B5/PPP2PBP/RN1QK1NR w KQkq - 0 1');
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
	searched_ms BIGINT NOT NULL, 
	CONSTRAINT pk_lab_searches PRIMARY KEY (run_id, engine, position), 
	CONSTRAINT fk_lab_searches_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id), 
	CONSTRAINT fk_lab_searches_run_id_engine FOREIGN KEY(run_id, engine) REFERENCES lab_engines (run_id, engine), 
	CONSTRAINT fk_lab_searches_run_id_position FOREIGN KEY(run_id, position) REFERENCES lab_positions (run_id, position)
);
INSERT INTO lab_searches VALUES(1,0,0,2,-40,'b1d2',32,118,215,2,166,'[[1,0,"b1d2",null,1,32,39,0,0,0,100,null,[[-32700,32700,0,72]]],[2,-40,"b1d2",null,31,86,176,30,0,0,77,null,[[-32700,32700,-40,293]]]]',1795274474065);
INSERT INTO lab_searches VALUES(1,0,1,2,135,'a2d2',29,226,72,2,131,'[[1,154,"e7c6",null,1,28,14,0,0,0,85,null,[[-32700,32700,154,43]]],[2,135,"a2d2",null,28,198,58,27,1,0,61,null,[[-32700,32700,135,284]]]]',1795274474065);
INSERT INTO lab_searches VALUES(1,1,0,2,-40,'b1d2',63,127,238,3,148,'[[1,0,"b1d2",null,1,32,39,0,0,0,86,null,[[-32700,32700,0,72]]],[2,-40,"b1d2",null,62,95,199,60,30,24,73,null,[[-25,25,-26,183],[-100,25,-40,173]]]]',1795274474065);
INSERT INTO lab_searches VALUES(1,1,1,2,135,'a2d2',29,226,72,2,118,'[[1,154,"e7c6",null,1,28,14,0,0,0,50,null,[[-32700,32700,154,43]]],[2,135,"a2d2",null,28,198,58,27,1,0,72,null,[[129,179,135,284]]]]',1795274474065);
INSERT INTO lab_searches VALUES(1,2,0,2,-40,'b1d2',224,183,235,12,161,'[[1,0,"b1d2",-30,3,51,17,0,0,0,73,null,[[-31,-30,-28,12],[-28,-27,0,21],[1,2,0,38]]],[2,-40,"b1d2",0,221,132,218,212,182,169,98,null,[[-1,0,-2,164],[-3,-2,-6,36],[-8,-7,-8,58],[-12,-11,-22,51],[-30,-29,-31,51],[-47,-46,-42,38],[-35,-34,-36,45],[-40,-39,-40,83],[-42,-41,-40,45]]]]',1795274474065);
INSERT INTO lab_searches VALUES(1,2,1,2,135,'a2d2',182,218,120,10,171,'[[1,154,"e7c6",145,2,33,13,0,0,0,53,null,[[144,145,154,15],[154,155,154,33]]],[2,135,"a2d2",154,180,185,107,172,146,137,121,null,[[153,154,150,150],[149,150,145,40],[143,144,142,31],[138,139,137,33],[129,130,134,45],[136,137,136,56],[134,135,135,90],[135,136,135,27]]]]',1795274474065);
INSERT INTO lab_searches VALUES(1,3,0,2,-40,'e4d5',118,193,263,75,297,'[[1,0,"b1d2",-30,32,32,31,0,0,0,141,0,[[-31,-30,-40,3,"e4d5"],[-31,-30,-32,2,"a2a3"],[-31,-30,-32,2,"a2a4"],[-31,-30,-32,2,"b2b3"],[-31,-30,-34,2,"b2b4"],[-31,-30,-40,2,"f2f3"],[-31,-30,-32,2,"f2f4"],[-31,-30,-38,2,"h2h3"],[-31,-30,-42,2,"h2h4"],[-31,-30,-28,2,"e4e5"],[-31,-30,0,10,"b1d2"],[-31,-30,-36,6,"b1a3"],[-31,-30,-114,3,"g1e2"],[-31,-30,-240,6,"g1f3"],[-31,-30,-232,4,"g1h3"],[-31,-30,-62,2,"g2f1"],[-31,-30,-34,2,"g2f3"],[-31,-30,-42,2,"g2h3"],[-31,-30,-34,2,"c3d2"],[-31,-30,-34,2,"c3b4"],[-31,-30,-40,2,"c3a5"],[-31,-30,-38,2,"d1c1"],[-31,-30,-144,3,"d1d2"],[-31,-30,-49,10,"d1e2"],[-31,-30,-32,2,"d1d3"],[-31,-30,-31,2,"d1f3"],[-31,-30,-34,2,"e1f1"],[-31,-30,-56,2,"e1d2"],[-31,-30,-56,2,"e1e2"],[-31,-30,-821,4,"d1g4"],[0,1,-28,2,"e4e5"],[0,1,0,2,"b1d2"]]],[2,-40,"e4d5",0,86,161,232,43,13,0,162,-40,[[-1,0,-6,58,"b1d2"],[-1,0,-40,3,"e4d5"],[-1,0,-146,3,"a2a3"],[-1,0,-2,5,"a2a4"],[-1,0,-146,3,"b2b3"],[-1,0,-148,3,"b2b4"],[-1,0,-10,5,"f2f3"],[-1,0,-146,3,"f2f4"],[-1,0,-60,4,"h2h3"],[-1,0,-156,3,"h2h4"],[-1,0,-44,25,"e4e5"],[-1,0,-22,4,"b1a3"],[-1,0,-114,3,"g1e2"],[-1,0,-240,6,"g1f3"],[-1,0,-232,4,"g1h3"],[-1,0,-68,5,"g2f1"],[-1,0,-252,6,"g2f3"],[-1,0,-284,4,"g2h3"],[-1,0,-148,3,"c3d2"],[-1,0,-148,3,"c3b4"],[-1,0,-154,3,"c3a5"],[-1,0,-152,3,"d1c1"],[-1,0,-144,3,"d1d2"],[-1,0,-26,6,"d1e2"],[-1,0,-28,6,"d1d3"],[-1,0,-901,6,"d1f3"],[-1,0,-148,3,"e1f1"],[-1,0,-170,3,"e1d2"],[-1,0,-170,3,"e1e2"],[-1,0,-821,4,"d1g4"],[-3,-2,-32,7,"a2a4"],[-8,-7,-8,29,"b1d2"],[-12,-11,-40,14,"b1d2"],[-12,-11,-31,10,"f2f3"],[-30,-29,-36,6,"b1a3"],[-30,-29,-49,10,"d1e2"],[-30,-29,-49,10,"d1d3"],[-47,-46,-42,38,"b1d2"],[-47,-46,-40,33,"e4d5"],[-47,-46,-48,15,"a2a4"],[-47,-46,-104,11,"f2f3"],[-47,-46,-44,63,"e4e5"],[-47,-46,-52,40,"b1a3"]]]]',1795274474065);
INSERT INTO lab_searches VALUES(1,3,1,2,135,'a2d2',101,220,119,65,460,'[[1,154,"e7c6",145,29,29,16,0,0,0,216,154,[[144,145,27,3,"d5d4"],[144,145,45,3,"a6a5"],[144,145,34,3,"g6g5"],[144,145,42,3,"b7b5"],[144,145,144,2,"b7b6"],[144,145,-66,5,"e7f5"],[144,145,154,2,"e7c6"],[144,145,120,2,"e7c8"],[144,145,-78,5,"e6f5"],[144,145,139,2,"e6d7"],[144,145,122,2,"e6c8"],[144,145,136,2,"a2a1"],[144,145,-386,3,"a2b2"],[144,145,148,2,"a2c2"],[144,145,149,2,"a2d2"],[144,145,-388,3,"a2e2"],[144,145,131,2,"e8a8"],[144,145,134,2,"e8b8"],[144,145,141,2,"e8c8"],[144,145,-165,3,"e8d8"],[144,145,141,2,"e8f8"],[144,145,133,2,"g8h7"],[144,145,135,2,"g8f8"],[144,145,-114,3,"a2f2"],[144,145,-98,3,"e6g4"],[144,145,-290,3,"a2a3"],[154,155,154,2,"e7c6"],[154,155,148,2,"a2c2"],[154,155,149,2,"a2d2"]]],[2,135,"a2d2",154,72,191,103,36,10,0,247,135,[[153,154,150,3,"e7c6"],[153,154,27,3,"d5d4"],[153,154,45,3,"a6a5"],[153,154,34,3,"g6g5"],[153,154,42,3,"b7b5"],[153,154,39,3,"b7b6"],[153,154,-66,5,"e7f5"],[153,154,116,3,"e7c8"],[153,154,-78,5,"e6f5"],[153,154,135,92,"e6d7"],[153,154,-187,3,"e6c8"],[153,154,-366,3,"a2a1"],[153,154,-386,3,"a2b2"],[153,154,144,3,"a2c2"],[153,154,145,3,"a2d2"],[153,154,-388,3,"a2e2"],[153,154,-178,3,"e8a8"],[153,154,-175,3,"e8b8"],[153,154,-168,3,"e8c8"],[153,154,-165,3,"e8d8"],[153,154,-168,3,"e8f8"],[153,154,129,5,"g8h7"],[153,154,131,5,"g8f8"],[153,154,-114,3,"a2f2"],[153,154,-98,3,"e6g4"],[153,154,-290,3,"a2a3"],[149,150,142,15,"e7c6"],[143,144,136,4,"a2c2"],[143,144,137,4,"a2d2"],[138,139,134,8,"e7c6"],[129,130,134,45,"e7c6"],[129,130,129,22,"e6d7"],[129,130,128,5,"a2c2"],[129,130,135,46,"a2d2"],[129,130,115,4,"g8f8"],[135,136,135,38,"a2d2"]]]]',1795274474069);
INSERT INTO lab_searches VALUES(2,0,0,2,-40,'b1d2',32,118,215,2,172,'[[1,0,"b1d2",null,1,32,39,0,0,0,107,null,[[-32700,32700,0,72]]],[2,-40,"b1d2",null,31,86,176,30,0,0,80,null,[[-32700,32700,-40,293]]]]',1795274475271);
INSERT INTO lab_searches VALUES(2,1,0,2,-40,'b1d2',39,167,154,7,163,'[[1,0,"b1d2",-50,4,52,34,0,0,0,105,null,[[-51,-50,-40,3],[-40,-39,-28,28],[-27,-26,0,21],[3,4,0,38]]],[2,-40,"b1d2",-50,35,115,120,32,2,0,72,null,[[-51,-50,-42,38],[-42,-41,-40,45],[-39,-38,-40,187]]]]',1795274475400);
INSERT INTO lab_searches VALUES(2,2,0,2,-40,'b1d2',37,136,153,6,119,'[[1,0,"b1d2",-40,4,52,34,0,0,0,72,null,[[-41,-40,-40,3],[-40,-39,-28,28],[-27,-26,0,21],[3,4,0,38]]],[2,-40,"b1d2",-40,33,84,119,31,1,0,60,null,[[-41,-40,-40,45],[-40,-39,-40,191]]]]',1795274475400);
INSERT INTO lab_searches VALUES(2,3,0,2,-40,'b1d2',131,171,154,9,98,'[[1,0,"b1d2",-30,3,51,17,0,0,0,38,null,[[-31,-30,-28,12],[-28,-27,0,21],[1,2,0,38]]],[2,-40,"b1d2",-30,128,120,137,122,92,86,62,null,[[-31,-30,-31,145],[-32,-31,-32,38],[-34,-33,-34,37],[-38,-37,-40,82],[-48,-47,-42,38],[-41,-40,-40,45]]]]',1795274475400);
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
COMMIT;
