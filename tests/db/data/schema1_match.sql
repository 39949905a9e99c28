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
INSERT INTO "books" VALUES(1,'d8ded262a84a1bf6','small','small.epd',2);
CREATE TABLE end_reasons (
	id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_end_reasons PRIMARY KEY (id), 
	CONSTRAINT uq_end_reasons_name UNIQUE (name)
);
INSERT INTO "end_reasons" VALUES(1,'resign-adjudication');
INSERT INTO "end_reasons" VALUES(2,'checkmate');
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
INSERT INTO "event_players" VALUES(1,0,'mtdf',1);
INSERT INTO "event_players" VALUES(1,1,'pvs',2);
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
INSERT INTO "events" VALUES(1,'rb5c','before','match','done','{"version":1,"kind":"match","players":[{"label":"mtdf","id":"2b0d6ae78d4a8963","spelling":"mtdf","driver":"mtdf","effective":{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}},{"label":"pvs","id":"c8c042aa6c4772b3","spelling":"pvs","driver":"pvs","effective":{"window":25,"hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}}],"heroes":1,"pairs":2,"limit":{"nodes":50,"depth":null,"movetime_ms":null,"base_ms":null,"inc_ms":0},"book":{"id":"d8ded262a84a1bf6","name":"small","source":"small.epd","lines":2,"order":"random","start":1,"repeat":false},"seed":5,"adjudication":{"max_plies":400,"draw":{"plies":8,"cp":8,"from_move":40},"resign":{"plies":4,"cp":600,"agreement":"both"}},"time_margin_ms":200,"name":"before"}',5,1,2,1795254362735,1795254362741,1795254363100,1);
CREATE TABLE game_moves (
	game_id INTEGER NOT NULL, 
	moves_version SMALLINT NOT NULL, 
	moves BLOB NOT NULL, 
	search_version SMALLINT NOT NULL, 
	search_data BLOB NOT NULL, 
	CONSTRAINT pk_game_moves PRIMARY KEY (game_id), 
	CONSTRAINT fk_game_moves_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
INSERT INTO "game_moves" VALUES(1,1,X'46057E0B8104B90A0C05340B0804FD0A4508300AA10AB10A8401BC0FC202780E15097902A40AFB0C2A09330DE404490E4D07FA0C1309B2089B08AB080303E306D2007308E4042D071006A1060B08750943027902CC00490E9308B408C3065A019B089C08460179028A066204A004890252061100590F7E0F',1,X'014889B3305701423E532E191151314146465B3BDB9AE0106D9B76C694CD8C1D8CEB193730BE64FCC2B896690BF36AE605CCCDCC4DCCF3995F307532CF605BCABE87BD95A38DE334C71928BEC4F19B630BE763F65D1CAF79DEF080302302303192088CC020CBE800A351A891A39189D134A0503BA3479D9B53B04DB6FB4246A3628F0F4C8D8C01715718AF30DE668C3599C878917903632393F96A2637905E0B2323D31F4C4006132308B230B23132318158409A91190A5980980D2CCF0AC41C40360798C70CC4DC8CCC4CEF18F5BF3630FABC5175FDAC62B04CC5585D5A44455C59454E3254C9C5505B52525E5E5B44D2661AA39396413B6392958AB06D2BA3838DB0B59498888010BFB8A070B490802800D87B4482');
INSERT INTO "game_moves" VALUES(2,1,X'46057E0B8104B90A0C05340B0804FD0A4508300AA10AB10A8401BC0FC202780E15097902A40AFB0C2A09330DE404490E4D07FA0C1309B2089B08AB080303E306D2007308E4042D071006A1060B08750943027902CC00490E9308B408C3065A019B089C08460179028A066204A004890252061100590F7E0F',1,X'014889B3305701423E532E191161314146465B3BDB9AE0106D9B76C694CD8C1D8CEB193730BE64FCC2B896690BF36AE605CCCDCC4DCCF3995F307532CF605BCABE87BD95A38DE334C71928BEC4F19B630BE763F65D1CAF79DEF0BCE6D9C6CB4801303232323672374A32322A31327236B200F25DED5D80FC048B641F237BE7D58C8D8CB9DE8B98A732CE65DAC2583F91F11DE31AC66AF3040F230870CC05128C4C40C8CCC8022699E090190C412C1628C902E633C3E581625282E212A20222327222CEBC8262A282A24222A272C2426262E20AF2F242A2D2DE2656165B182DEBB44C7563F5B544E4644485F8F98484050535C4F87801837C3A05');
INSERT INTO "game_moves" VALUES(3,1,X'CB06FB078104F30A46055F0BD208ED0E8209750BE602B20A23053A0B8A06F90CDB086C0DC504B3089302EA080A063C0D5409340BDA08',1,X'014889EB62D46B63FACFD8C57C92E91ECB4FE64D2CEDCC1F983A996630AD676A609ACD748C692AD31BC6898C2F18FB991E31AD679CC3F2FB33F3BFCFCC8CB88191F1244623871CE7BB8C91619319CDBDBD9A19434C8C6C8C528CE2BDFD8C2C9918D918991959809099910948320121335884C9D8C45859DE57AA915145D7445C4143594D4642585C5E4C594555461200387C2235');
INSERT INTO "game_moves" VALUES(4,1,X'CB06FB078104F30A46055F0BD208ED0E8209750BE602B20A23053A0B8A06F90CDB086C0DC504B3089302EA080A063C0D5409340BDA08',1,X'014889EB62D46B63FACFD8C57C92E91ECB4FE64D2CEDCC1F983A996630AD676A609ACD748C692AD31BC6898C2F18FB991E31AD67FCF5997936CBBFCFCC8CB881518297AD518D519EA55717A351918FF922465B1B23A3E220F76A7B2373463646662064626481924C40C8CCC8096429282B4B88A9481888D93A0869CA0AE9888B890898888B2B6A88080300B92820FD');
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
INSERT INTO "games" VALUES(1,1,0,0,1,0,1,0,NULL,1,60,2,NULL,4042,2307,25394,1326,1795254363019,1795254363069,1,0.6064453125,1,827042069788005207,X'62FE638ECC6371BD31F4D3076A6C401E');
INSERT INTO "games" VALUES(2,1,0,0,2,1,0,0,NULL,1,60,2,NULL,2850,2382,1278,793,1795254363069,1795254363072,1,0.6064453125,1,827042069788005207,X'5EFCFF96AA9159360CA2C48DE5AFAE42');
INSERT INTO "games" VALUES(3,1,0,1,1,0,1,2,NULL,2,27,1,NULL,1211,1004,510,588,1795254363079,1795254363087,1,0.6064453125,1,2743608828356968886,X'8325C4B18BF15098F64F9621CFD12E0D');
INSERT INTO "games" VALUES(4,1,0,1,2,1,0,2,NULL,2,27,1,NULL,1003,1118,457,427,1795254363087,1795254363091,1,0.6064453125,1,2743608828356968886,X'F8BD0A3570608ACB6F6EA9A36F831BD3');
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
INSERT INTO "openings" VALUES(1,1,1,'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2',X'','rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2','open');
INSERT INTO "openings" VALUES(2,1,2,'rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2',X'','rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2','closed');
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
INSERT INTO "pairs" VALUES(1,0,0,1,0,2,1);
INSERT INTO "pairs" VALUES(1,0,1,1,2,0,1);
CREATE TABLE provenance (
	id INTEGER NOT NULL, 
	host VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	CONSTRAINT pk_provenance PRIMARY KEY (id), 
	CONSTRAINT uq_provenance_host_version_backend_signature UNIQUE (host, version, backend, signature)
);
INSERT INTO "provenance" VALUES(1,'vm','0.1.0','native','6a9f2c643ed7e869');
CREATE TABLE rating_lists (
	id INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	version VARCHAR NOT NULL, 
	error_model VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	CONSTRAINT pk_rating_lists PRIMARY KEY (id)
);
INSERT INTO "rating_lists" VALUES(1,1795254363433,'0.1.0','fisher','{"event":"rb5c","anchors":{},"mean":0.0}');
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
INSERT INTO "ratings" VALUES(1,1,1,'mtdf',0.0,1.70240308642971172048e+02,4,0.5,0.5);
INSERT INTO "ratings" VALUES(1,2,2,'pvs',0.0,1.70240308642971228895e+02,4,0.5,NULL);
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
INSERT INTO "variants" VALUES(1,'2b0d6ae78d4a8963','native','mtdf','{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','mtdf');
INSERT INTO "variants" VALUES(2,'c8c042aa6c4772b3','native','pvs','{"window":25,"hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','pvs');
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
COMMIT;
