PRAGMA application_id = 1836344422;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE books (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	lines INTEGER NOT NULL, 
	CONSTRAINT pk_books PRIMARY KEY (id), 
	CONSTRAINT uq_books_identity UNIQUE (identity)
);
INSERT INTO "books" VALUES(1,'feedbeef','small','small.epd',2);
CREATE TABLE end_reasons (
	id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_end_reasons PRIMARY KEY (id), 
	CONSTRAINT uq_end_reasons_name UNIQUE (name)
);
INSERT INTO "end_reasons" VALUES(1,'threefold-repetition');
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
INSERT INTO "event_players" VALUES(1,0,'A',1);
INSERT INTO "event_players" VALUES(1,1,'B',2);
INSERT INTO "event_players" VALUES(2,0,'A',1);
INSERT INTO "event_players" VALUES(2,1,'B',2);
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
INSERT INTO "events" VALUES(1,'r1a2','old','gauntlet','running','{"limit":{"nodes":1000},"pairs":2}',7,1,2,1795255200000,1795236397820,NULL,1);
INSERT INTO "events" VALUES(2,'r3b4','free','gauntlet','planned','{"pairs":1}',7,NULL,2,1795255200000,NULL,NULL,1);
CREATE TABLE game_moves (
	game_id INTEGER NOT NULL, 
	moves_version SMALLINT NOT NULL, 
	moves BLOB NOT NULL, 
	search_version SMALLINT NOT NULL, 
	search_data BLOB NOT NULL, 
	CONSTRAINT pk_game_moves PRIMARY KEY (game_id), 
	CONSTRAINT fk_game_moves_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
INSERT INTO "game_moves" VALUES(1,1,X'010203040506',1,X'00FF');
INSERT INTO "game_moves" VALUES(2,1,X'010203040506',1,X'00FF');
INSERT INTO "game_moves" VALUES(3,1,X'010203040506',1,X'00FF');
INSERT INTO "game_moves" VALUES(4,1,X'010203040506',1,X'00FF');
INSERT INTO "game_moves" VALUES(5,1,X'010203040506',1,X'00FF');
INSERT INTO "game_moves" VALUES(6,1,X'010203040506',1,X'00FF');
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
INSERT INTO "games" VALUES(1,1,0,0,1,0,1,2,NULL,1,3,1,NULL,1099511627776,2,3,4,1795255350123,1795255351999,1,0.25,2,7,X'AA01');
INSERT INTO "games" VALUES(2,1,0,0,2,1,0,1,NULL,1,3,1,NULL,1099511627776,2,3,4,1795255350123,1795255351999,1,0.25,2,7,X'AA02');
INSERT INTO "games" VALUES(3,1,0,1,1,0,1,0,NULL,1,3,1,NULL,1099511627776,2,3,4,1795255350123,1795255351999,1,0.25,2,7,NULL);
INSERT INTO "games" VALUES(4,1,0,1,2,1,0,2,NULL,1,3,1,NULL,1099511627776,2,3,4,1795255350123,1795255351999,1,0.25,2,7,NULL);
INSERT INTO "games" VALUES(5,2,0,0,1,0,1,2,1,1,3,NULL,'free',1099511627776,2,3,4,1795255350123,1795255351999,1,0.25,2,7,X'AA01');
INSERT INTO "games" VALUES(6,2,0,0,2,1,0,0,NULL,1,3,NULL,'free',1099511627776,2,3,4,1795255350123,1795255351999,1,0.25,2,7,X'AA03');
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
INSERT INTO "openings" VALUES(1,1,1,'start w',X'0C07','after e4 b','Open');
INSERT INTO "openings" VALUES(2,1,2,'start w',X'0B06','after d4 b','');
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
INSERT INTO "pair_failures" VALUES(1,0,2,2,'worker died twice',1795236397818);
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
INSERT INTO "pairings" VALUES(2,0,0,1);
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
INSERT INTO "pairs" VALUES(1,0,0,1,2,1,1);
INSERT INTO "pairs" VALUES(1,0,1,1,0,0,1);
INSERT INTO "pairs" VALUES(2,0,0,1,2,2,0);
CREATE TABLE provenance (
	id INTEGER NOT NULL, 
	host VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	CONSTRAINT pk_provenance PRIMARY KEY (id), 
	CONSTRAINT uq_provenance_host_version_backend_signature UNIQUE (host, version, backend, signature)
);
INSERT INTO "provenance" VALUES(1,'tower','0.1.0','native','0123456789abcdef');
CREATE TABLE rating_lists (
	id INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	version VARCHAR NOT NULL, 
	error_model VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	CONSTRAINT pk_rating_lists PRIMARY KEY (id)
);
INSERT INTO "rating_lists" VALUES(1,1795258800000,'0.1.0','pairs','{"mean":0}');
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
INSERT INTO "ratings" VALUES(1,1,1,'A',10.5,20.0,5,0.6,0.8);
INSERT INTO "ratings" VALUES(1,2,2,'B',-10.5,20.0,5,0.4,NULL);
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
INSERT INTO "variants" VALUES(1,'aaaaaaaaaaaaaaaa','native','mtdf','{"guess":"A","hash":16}','mtdf:guess=A');
INSERT INTO "variants" VALUES(2,'bbbbbbbbbbbbbbbb','native','mtdf','{"guess":"B","hash":16}','mtdf:guess=B');
CREATE INDEX ix_event_players_label ON event_players (label);
CREATE INDEX ix_event_players_variant_id ON event_players (variant_id);
CREATE UNIQUE INDEX ix_games_counted_key ON games (game_key) WHERE repeats_id IS NULL AND game_key IS NOT NULL;
CREATE INDEX ix_games_repeats ON games (repeats_id) WHERE repeats_id IS NOT NULL;
CREATE INDEX ix_games_scores ON games (event_id, pairing, white_player, black_player, white_score, provenance_id, repeats_id);
CREATE INDEX ix_ratings_variant_id ON ratings (variant_id);
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
        SELECT g.id, e.key AS event, g.pairing, g.pair, g.game, a.label AS white, b.label AS black,
            v.identity AS white_id, w.identity AS black_id,
            CASE g.white_score WHEN 2 THEN '1-0' WHEN 1 THEN '1/2-1/2' ELSE '0-1' END AS result,
            g.white_score / 2.0 AS white_score, r.name AS end_reason, g.plies,
            k.identity AS book_id, o.line AS opening_line,
            coalesce(g.start_fen, o.fen) AS start_fen,
            d.moves, d.moves_version, d.search_data, d.search_version,
            g.white_nodes, g.black_nodes, g.white_cpu_us, g.black_cpu_us,
            strftime('%Y-%m-%dT%H:%M:%fZ', g.started_ms / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', g.ended_ms / 1000.0, 'unixepoch') AS ended_at,
            h.host, g.load, g.jobs, h.backend, h.signature, h.version, g.seed,
            nullif(lower(hex(g.game_key)), '') AS game_key, g.repeats_id IS NULL AS counted, g.repeats_id AS repeats
        FROM games g
        LEFT JOIN events e ON e.id = g.event_id
        LEFT JOIN event_players a ON a.event_id = g.event_id AND a.position = g.white_player
        LEFT JOIN event_players b ON b.event_id = g.event_id AND b.position = g.black_player
        LEFT JOIN variants v ON v.id = a.variant_id
        LEFT JOIN variants w ON w.id = b.variant_id
        LEFT JOIN end_reasons r ON r.id = g.end_reason_id
        LEFT JOIN openings o ON o.id = g.opening_id
        LEFT JOIN books k ON k.id = o.book_id
        LEFT JOIN provenance h ON h.id = g.provenance_id
        LEFT JOIN game_moves d ON d.game_id = g.id;
CREATE VIEW v_ratings AS 
        SELECT r.list_id AS list, strftime('%Y-%m-%dT%H:%M:%fZ', l.created_ms / 1000.0, 'unixepoch') AS created_at, r.rank, r.label AS engine,
            v.identity AS engine_id, r.elo, r.error95, l.error_model, r.games, r.score, r.los_next,
            l.version, l.settings
        FROM ratings r
        LEFT JOIN rating_lists l ON l.id = r.list_id
        LEFT JOIN variants v ON v.id = r.variant_id;
COMMIT;
